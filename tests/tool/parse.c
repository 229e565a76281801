// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>

#include "tool.h"

static struct request req;

static int parse(const char *line)
{
	static char words[1024];
	char *argv[32] = { "rblkctl" }, *word, *save;
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	return rblkctl_parse(argc, argv, &req);
}

static void good(const char *line, enum verb_id verb)
{
	if (parse(line))
		fail_msg("%s: %s", line, req.error);
	assert_int_equal(req.verb, verb);
}

static void bad(const char *line, const char *why)
{
	if (parse(line) != EXIT_USAGE)
		fail_msg("\"%s\" was taken", line);
	assert_has(req.error, why);
}

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"
#define UUID2 "7b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"

static void verbs(void **state)
{
	(void)state;
	good("attach --insecure 10.0.0.1/a", VERB_ATTACH);
	good("detach rblk0", VERB_DETACH);
	good("list", VERB_LIST);
	good("show a", VERB_SHOW);
	good("set a --queue-timeout 1", VERB_SET);
	good("discover --insecure host:1", VERB_DISCOVER);
	good("reservation a", VERB_RESERVATION);
	good("reservation a --clear --force", VERB_RESERVATION);
	good("export add a /dev/sda", VERB_EXPORT_ADD);
	good("export remove a", VERB_EXPORT_REMOVE);
	good("export set a --rename b", VERB_EXPORT_SET);
	good("export list", VERB_EXPORT_LIST);
	good("export show a", VERB_EXPORT_SHOW);
	good("portal add any", VERB_PORTAL_ADD);
	good("portal remove *", VERB_PORTAL_REMOVE);
	good("portal list", VERB_PORTAL_LIST);
	good("session list", VERB_SESSION_LIST);
	good("session remove web1", VERB_SESSION_REMOVE);
	good("session remove web1 --force", VERB_SESSION_REMOVE);
	good("host", VERB_HOST);
	good("host fence web1 --wait 5m", VERB_HOST_FENCE);
	good("host unfence web1", VERB_HOST_UNFENCE);
	good("host list", VERB_HOST_LIST);
	good("target pause --for 30s", VERB_TARGET_PAUSE);
	good("target resume", VERB_TARGET_RESUME);
	good("target show", VERB_TARGET_SHOW);
	good("host", VERB_HOST);
	good("version", VERB_VERSION);
	good("--version", VERB_VERSION);
	bad("", "a verb is missing");
	bad("export", "a verb is missing: add");
	bad("bogus", "unknown verb 'bogus'");
	bad("export bogus", "add, remove, set, allow, deny, list, show");
	bad("add a b", "unknown verb");
}

static void defaults(void **state)
{
	(void)state;
	good("attach --insecure 10.0.0.1/a", VERB_ATTACH);
	assert_int_equal(req.given, OPTION_BIT(OPTION_INSECURE));
	assert_int_equal(req.index, -1);
	assert_int_equal(req.queue_timeout, RBLK_QUEUE_TIMEOUT_DEFAULT);
	assert_int_equal(req.queues, 0);
	assert_int_equal(req.depth, 0);
	assert_int_equal(req.inline_read, 0);
}

static void attach_options(void **state)
{
	(void)state;
	good("attach --insecure --read-only 10.0.0.1:5/a --shared --queues 4 --depth=128 --index 7 "
	     "--queue-timeout -1 --uuid " UUID1 " --source 10.0.0.2 --host-uuid " UUID2
	     " --host-name me --json", VERB_ATTACH);
	assert_true(request_has(&req, OPTION_READ_ONLY));
	assert_true(request_has(&req, OPTION_SHARED));
	assert_true(request_has(&req, OPTION_JSON));
	assert_int_equal(req.queues, 4);
	assert_int_equal(req.depth, 128);
	assert_int_equal(req.index, 7);
	assert_int_equal(req.queue_timeout, RBLK_QUEUE_TIMEOUT_FOREVER);
	assert_int_equal(req.uuid[0], 0x6b);
	assert_int_equal(req.host_uuid[0], 0x7b);
	assert_string_equal(req.host_name, "me");
	assert_string_equal(req.source.host, "10.0.0.2");
	assert_int_equal(req.target.port, 5);
	good("attach --insecure 10.0.0.1/a --queue-timeout forever", VERB_ATTACH);
	assert_int_equal(req.queue_timeout, RBLK_QUEUE_TIMEOUT_FOREVER);
	good("attach --insecure 10.0.0.1/a --queue-timeout 0", VERB_ATTACH);
	assert_int_equal(req.queue_timeout, 0);
	good("attach --insecure 10.0.0.1/a --poll-queues 63", VERB_ATTACH);
	assert_int_equal(req.poll_queues, 63);
	good("attach --insecure 10.0.0.1/a --poll-queues 0", VERB_ATTACH);
	assert_int_equal(req.poll_queues, 0);
	good("attach --insecure 10.0.0.1/a --inline-read 512", VERB_ATTACH);
	assert_int_equal(req.inline_read, 512);
	good("attach --insecure 10.0.0.1/a --inline-read=32K", VERB_ATTACH);
	assert_int_equal(req.inline_read, 32768);
	good("attach --insecure 10.0.0.1/a --inline-read 0", VERB_ATTACH);
	assert_int_equal(req.inline_read, 0);
}

static void bad_values(void **state)
{
	(void)state;
	bad("attach --insecure 10.0.0.1/a --queues 0", "from 1 to 64");
	bad("attach --insecure 10.0.0.1/a --queues 65", "from 1 to 64");
	bad("attach --insecure 10.0.0.1/a --queues x", "from 1 to 64");
	bad("attach --insecure 10.0.0.1/a --poll-queues 64", "from 0 to 63");
	bad("attach --insecure 10.0.0.1/a --poll-queues -1", "from 0 to 63");
	bad("attach --insecure 10.0.0.1/a --poll-queues=", "from 0 to 63");
	bad("attach --insecure 10.0.0.1/a --depth 3", "from 4 to 1024");
	bad("attach --insecure 10.0.0.1/a --depth 1025", "from 4 to 1024");
	bad("attach --insecure 10.0.0.1/a --index -1", "/dev/rblkN");
	bad("attach --insecure 10.0.0.1/a --index 2147483648", "/dev/rblkN");
	bad("attach --insecure 10.0.0.1/a --inline-read 33k", "from 0 to 32k");
	bad("attach --insecure 10.0.0.1/a --inline-read 32769", "from 0 to 32k");
	bad("attach --insecure 10.0.0.1/a --inline-read -1", "from 0 to 32k");
	bad("attach --insecure 10.0.0.1/a --inline-read k", "from 0 to 32k");
	bad("attach --insecure 10.0.0.1/a --queue-timeout -2", "forever");
	bad("attach --insecure 10.0.0.1/a --queue-timeout 86401", "86400");
	bad("attach --insecure 10.0.0.1/a --uuid 1", "not a UUID");
	bad("attach --insecure 10.0.0.1/a --host-uuid 00000000-0000-0000-0000-000000000000", "not a UUID");
	bad("attach --insecure 10.0.0.1/a --host-name x\ty", "a host's name is 1 to 63 letters");
	bad("attach --insecure 10.0.0.1/a --host-name $(id)", "a host's name is 1 to 63 letters");
	bad("attach --insecure 10.0.0.1/a --host-name -x", "a host's name is 1 to 63 letters");
	bad("attach --insecure 10.0.0.1/a --source host", "not an IP address");
	bad("attach --insecure 10.0.0.1/a --queues", "needs a value");
	bad("attach --insecure 10.0.0.1/a --queues=", "from 1 to 64");
	bad("attach --insecure 10.0.0.1/a --json=yes", "takes no value");
	bad("attach --insecure 10.0.0.1/a --read-only=1", "takes no value");
	bad("attach --insecure 10.0.0.1/a --queues 1 --queues 2", "given twice");
	bad("attach --insecure 10.0.0.1/a b", "one argument too many");
	bad("attach", "TARGET[:PORT][,...]/EXPORT is missing");
	bad("attach --insecure 10.0.0.1", "the form is");
	bad("export add a", "DEVICE, --file, --pool or --clone-of is missing");
	bad("export set a --forget", "unknown option");
	bad("set rblk0", "there is nothing to set");
	bad("set rblk0 --insecure", "unknown option");
	bad("set rblk0 --target-key x", "not a key");
	/* Points of low order, which nobody can prove to be his. */
	bad("set rblk0 --target-key AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "not a key");
	bad("set rblk0 --target-key 4Ot6fDtBuK4WVuP68Z/EatoJjeucMrH9hmIFFl9JuAA=", "not a key");
	bad("export set a", "there is nothing to set");
	bad("export set a --force --json", "there is nothing to set");
	bad("export set a --read-only --read-write", "exclude each other");
	bad("export set a --shared --exclusive", "exclude each other");
	bad("export set a --realtime --no-realtime", "exclude each other");
	bad("export set a --rename -b", "neither dot nor dash");
	bad("list x", "one argument too many");
	bad("attach --insecure 10.0.0.1/a -x", "unknown option '-x'");
	bad("attach --insecure 10.0.0.1/a --que 1", "unknown option '--que'");
	bad("attach --insecure 10.0.0.1/\033[2J", "?[2J");
}

/* Who the target is has to be said, and only once. */
static void proofs(void **state)
{
	(void)state;
	bad("attach 10.0.0.1/a", "attach: how does the target prove who it is? --target-key KEY");
	bad("discover 10.0.0.1", "or --trust-first, for the key that it shows now; or --insecure");
	good("route add a 10.0.0.1", VERB_ROUTE_ADD);
	good("doctor 10.0.0.1", VERB_DOCTOR);
	good("attach 10.0.0.1/a --target-key " KEY1 " --target-key=" KEY2, VERB_ATTACH);
	assert_int_equal(req.nr_target_keys, 2);
	assert_int_equal(req.target_key[1][31], 0x88);
	bad("attach 10.0.0.1/a --target-key " KEY1 " --target-key " KEY1, "given twice");
	bad("attach 10.0.0.1/a --target-key " KEY1 " --target-key " KEY2 " --target-key " KEY1,
	    "at most 2 keys");
	bad("attach 10.0.0.1/a --target-key " KEY1 "x", "'rblkctl key' on the target prints it");
	bad("attach 10.0.0.1/a --target-key " UUID1, "not a key");
	bad("attach 10.0.0.1/a --target-key AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
	    "not a key");
	bad("attach 10.0.0.1/a --target-key d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d=",
	    "not a key");
	bad("attach 10.0.0.1/a --target-key", "--target-key needs a value");
	bad("attach 10.0.0.1/a --target-key " KEY1 " --insecure", "exclude each other");
	bad("discover 10.0.0.1 --trust-first --insecure", "exclude each other");
	bad("attach 10.0.0.1/a --insecure=1", "--insecure takes no value");
	bad("export set a --secure --insecure", "--secure and --insecure exclude each other");
	bad("export add a sda --allow " UUID1, "export add: a UUID proves nothing");
	bad("export add a sda --secure", "unknown option '--secure'");
	bad("export allow a " KEY1 " --trust-first", "unknown option");
	good("export set a --allow " UUID1, VERB_EXPORT_SET);
	good("key", VERB_KEY);
	good("key --private", VERB_KEY);
	good("key rotate --now", VERB_KEY_ROTATE);
	good("key load", VERB_KEY_LOAD);
	bad("key --now", "unknown option '--now'");
	bad("key rotate --private", "unknown option '--private'");
	bad("key load x", "one argument too many");
	bad("key bogus", "unknown verb 'bogus', it has: rotate, load");
	bad("key --private --json", "exclude each other");
}

static void allowed_hosts(void **state)
{
	char line[RBLK_MAX_HOSTS * 50 + 64];
	char *argv[2 * RBLK_MAX_HOSTS + 16];
	static char uuid[RBLK_MAX_HOSTS + 1][UUID_TEXT];
	int argc, i;

	(void)state;
	good("export add a sda --insecure --allow " KEY1 " --allow " UUID2, VERB_EXPORT_ADD);
	assert_int_equal(req.nr_allowed, 2);
	assert_int_equal(req.allowed[0].key[0], 0x77);
	assert_int_equal(req.allowed[1].uuid[0], 0x7b);
	bad("export add a sda --allow " UUID1 " --allow " UUID1, "given twice");
	bad("export add a sda --allow " UUID1 " --allow-any", "exclude each other");
	good("export add a sda --allow-any", VERB_EXPORT_ADD);
	bad("export add a sda --allow none", "not a host's key");
	good("export set a --allow none", VERB_EXPORT_SET);
	assert_int_equal(req.nr_allowed, 0);
	bad("export set a --allow " UUID1 " --allow none", "stands alone");
	bad("export set a --allow none --allow " UUID1, "stands alone");
	bad("export set a --allow none --allow-any", "exclude each other");

	good("export allow a " UUID1 " " UUID2, VERB_EXPORT_ALLOW);
	assert_int_equal(req.nr_allowed, 2);
	good("export deny a " UUID1 " --force", VERB_EXPORT_DENY);
	bad("export allow a", "KEY|UUID is missing");
	bad("export allow a " UUID1 " web1", "not a host's key");
	bad("export deny a " UUID1 " " UUID1, "given twice");
	bad("export deny a none", "not a host's key");

	snprintf(line, sizeof(line), "rblkctl");
	argv[0] = line;
	argv[1] = "export";
	argv[2] = "add";
	argv[3] = "a";
	argv[4] = "sda";
	argv[5] = "--insecure";
	for (argc = 6, i = 0; i <= RBLK_MAX_HOSTS; i++) {
		snprintf(uuid[i], UUID_TEXT, "6b2c2e6c-52a4-4b43-93c3-51c2a5ab%04x", i);
		argv[argc++] = "--allow";
		argv[argc++] = uuid[i];
		assert_int_equal(rblkctl_parse(argc, argv, &req),
				 i < RBLK_MAX_HOSTS ? 0 : EXIT_USAGE);
	}
	assert_has(req.error, "64 hosts");
}

static void backing_files(void **state)
{
	(void)state;
	good("export add a --file disk.img --size 10G", VERB_EXPORT_ADD);
	assert_true(request_has(&req, OPTION_BACKING_FILE));
	assert_false(request_has(&req, OPTION_FILE));
	assert_string_equal(req.backing, "disk.img");
	assert_int_equal(req.size, 10ULL << 30);
	good("export add a --file=/srv/a --size 8388607T", VERB_EXPORT_ADD);
	good("export add a /dev/a", VERB_EXPORT_ADD);
	assert_false(request_has(&req, OPTION_BACKING_FILE));
	bad("export add a /dev/a --file b", "DEVICE, --file, --pool and --clone-of exclude each other");
	bad("export add a --file b /dev/a", "DEVICE, --file, --pool and --clone-of exclude each other");
	bad("export add a /dev/a --size 1M", "--size goes with --file");
	bad("export add a --size 1M", "DEVICE, --file, --pool or --clone-of is missing");
	bad("export add a --file=", "a file's name is missing");
	bad("export add a --file b --size 0", "not a multiple of 4k");
	bad("export add a --file b --size 5000", "not a multiple of 4k");
	bad("export add a --file b --size 8388608T", "not a multiple of 4k");
	bad("export add a --file b --size 10GB", "not a multiple of 4k");
	good("save --file -", VERB_SAVE);
	assert_string_equal(req.file, "-");
}

static void pauses(void **state)
{
	(void)state;
	good("target pause --for 30", VERB_TARGET_PAUSE);
	assert_int_equal(req.pause, 30);
	good("target pause --for 90s", VERB_TARGET_PAUSE);
	assert_int_equal(req.pause, 90);
	good("target pause --for=5m", VERB_TARGET_PAUSE);
	assert_int_equal(req.pause, 300);
	good("target pause --for 1h", VERB_TARGET_PAUSE);
	assert_int_equal(req.pause, 3600);
	good("target pause --for 3600", VERB_TARGET_PAUSE);
	bad("target pause", "--for is missing");
	bad("target pause --for 0", "not a time such as 30s");
	bad("target pause --for 0m", "not a time such as 30s");
	bad("target pause --for 3601", "an hour at most");
	bad("target pause --for 61m", "an hour at most");
	bad("target pause --for 2h", "an hour at most");
	bad("target pause --for 30sec", "not a time such as 30s");
	bad("target pause --for s", "not a time such as 30s");
	bad("target pause --for -1", "not a time such as 30s");
	bad("target pause --for=", "not a time such as 30s");
	bad("target pause --for 99999999999999999999999999", "not a time such as 30s");
	bad("target resume --for 1", "--for");
	bad("target", "a verb is missing: pause, resume, show");
}

/* All options that are a time take it alike, each within its limits. */
static void times(void **state)
{
	(void)state;
	good("set a --queue-timeout 90s", VERB_SET);
	assert_int_equal(req.queue_timeout, 90);
	good("attach --insecure 10.0.0.1/a --queue-timeout 5m", VERB_ATTACH);
	assert_int_equal(req.queue_timeout, 300);
	good("set a --queue-timeout=24h", VERB_SET);
	assert_int_equal(req.queue_timeout, RBLK_QUEUE_TIMEOUT_MAX);
	good("set a --queue-timeout 0m", VERB_SET);
	assert_int_equal(req.queue_timeout, 0);
	bad("set a --queue-timeout 25h", "a day (86400) at most");
	bad("set a --queue-timeout 1d", "not a time such as 30s");
	bad("set a --queue-timeout -1s", "not a time such as 30s");
	bad("set a --queue-timeout forevers", "nor forever");
	good("up --wait 2h", VERB_UP);
	assert_int_equal(req.wait, 7200);
	good("restore --wait 90", VERB_UP);
	assert_int_equal(req.wait, 90);
	good("restore --wait 0", VERB_UP);
	assert_int_equal(req.wait, 0);
	good("restore --wait 2147483647s", VERB_UP);
	assert_int_equal(req.wait, INT_MAX);
	good("restore --wait forever", VERB_UP);
	assert_int_equal(req.wait, WAIT_FOREVER);
	bad("restore --wait 2147483648", "not a time such as 30s");
	bad("restore --wait 596524h", "not a time such as 30s");
	bad("restore --wait -1", "not a time such as 30s");
	good("stat --interval 1m", VERB_STAT);
	assert_int_equal(req.interval, 60);
	good("top --interval 1h", VERB_TOP);
	assert_int_equal(req.interval, 3600);
	bad("top --interval 3601s", "from a second to an hour");
	bad("stat --interval 0s", "from a second to an hour");
	bad("stat --interval forever", "from a second to an hour");
}

static void control_groups(void **state)
{
	static const char * const same[] = {
		"storage.slice/a", "/storage.slice/a", "/sys/fs/cgroup/storage.slice/a",
		"/sys/fs/cgroup/storage.slice/a//",
	};
	char line[128];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(same); i++) {
		snprintf(line, sizeof(line), "export add a /dev/a --cgroup %s", same[i]);
		good(line, VERB_EXPORT_ADD);
		assert_string_equal(req.cgroup, "/storage.slice/a");
	}
	bad("export add a /dev/a --cgroup=", "not the path of a control group");
}

static void help_and_dashes(void **state)
{
	(void)state;
	good("--help", VERB_NONE);
	assert_true(request_has(&req, OPTION_HELP));
	good("-h", VERB_NONE);
	good("export --help", VERB_NONE);
	assert_string_equal(req.noun, "export");
	good("export --help add", VERB_EXPORT_ADD);
	assert_true(request_has(&req, OPTION_HELP));
	good("attach --insecure --help", VERB_ATTACH);
	good("attach --insecure nonsense --queues x --help", VERB_ATTACH);
	assert_true(request_has(&req, OPTION_HELP));
	good("--json list", VERB_LIST);
	assert_true(request_has(&req, OPTION_JSON));
	good("export --json list", VERB_EXPORT_LIST);
	assert_true(request_has(&req, OPTION_JSON));
	good("show -- data", VERB_SHOW);
	bad("show -- --json", "neither dot nor dash");
	bad("show -- -", "neither dot nor dash");
	bad("show -- a -- b", "too many");
	bad("attach --insecure -- --help", "the form is");
}

static void help_of_verbs(void **state)
{
	(void)state;
	good("help", VERB_HELP);
	good("help attach", VERB_ATTACH);
	assert_true(request_has(&req, OPTION_HELP));
	good("help export add", VERB_EXPORT_ADD);
	assert_true(request_has(&req, OPTION_HELP));
	good("help export", VERB_NONE);
	assert_string_equal(req.noun, "export");
	good("help help", VERB_HELP);
	good("-V", VERB_VERSION);
	good("--version --json", VERB_VERSION);
	/* Other names of the same. */
	good("restore", VERB_UP);
	good("stop --force", VERB_DOWN);
	bad("restroe", "did you mean 'restore'?");
	bad("help atach", "unknown verb 'atach'; did you mean 'attach'?");
}

/* Near is what differs by a letter in three. */
static void did_you_mean(void **state)
{
	(void)state;
	bad("atach", "unknown verb 'atach'; did you mean 'attach'?");
	bad("lsit", "did you mean 'list'?");
	bad("exprot list", "did you mean 'export'?");
	bad("export lst", "it has: add, remove, set, allow, deny, list, show, stat; did you mean 'list'?");
	bad("--hlep", "unknown option '--hlep'; did you mean '--help'?");
	bad("attach --insecure 10.0.0.1/a --read-olny", "did you mean '--read-only'?");
	bad("attach --insecure 10.0.0.1/a --queue=2", "unknown option '--queue=2'; did you mean '--queues'?");
	/* Of what goes with the verb only. */
	bad("detach data --forse", "did you mean '--force'?");
	bad("list --forse", "unknown option '--forse'");
	assert_null(strstr(req.error, "did you mean"));
	bad("xyzzy", "unknown verb 'xyzzy'");
	assert_null(strstr(req.error, "did you mean"));
	bad("atachatachatachatachatachatach", "unknown verb");
	assert_null(strstr(req.error, "did you mean"));
	bad("\x1b[2Jatach", "unknown verb '");
	assert_null(strchr(req.error, '\x1b'));
}

/* One of this name, as two may have it. */
static bool takes_name(enum verb_id verb, const char *name)
{
	int o;

	for (o = 0; o < OPTION_NR; o++)
		if (verb_takes(verb, o) && !strcmp(option_table[o].name, name))
			return true;
	return false;
}

/* Every verb takes exactly the options that its table names. */
static void all_options(void **state)
{
	char verb[32], line[128];
	int v, o;

	(void)state;
	for (v = 1; v < VERB_NR; v++) {
		verb_text(verb, sizeof(verb), v);
		for (o = 0; o < OPTION_NR; o++) {
			snprintf(line, sizeof(line), "%s %s", verb, option_table[o].name);
			parse(line);
			assert_int_equal(!strstr(req.error, "unknown option"),
					 takes_name(v, option_table[o].name));
		}
	}
}

static void no_arguments_at_all(void **state)
{
	(void)state;
	assert_int_equal(rblkctl_parse(0, NULL, &req), EXIT_USAGE);
	assert_has(req.error, "a verb is missing");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(verbs),
	cmocka_unit_test(defaults),
	cmocka_unit_test(attach_options),
	cmocka_unit_test(bad_values),
	cmocka_unit_test(proofs),
	cmocka_unit_test(allowed_hosts),
	cmocka_unit_test(backing_files),
	cmocka_unit_test(pauses),
	cmocka_unit_test(times),
	cmocka_unit_test(control_groups),
	cmocka_unit_test(help_and_dashes),
	cmocka_unit_test(help_of_verbs),
	cmocka_unit_test(did_you_mean),
	cmocka_unit_test(all_options),
	cmocka_unit_test(no_arguments_at_all),
};

SUITE(parse, tests);
