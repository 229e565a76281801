// SPDX-License-Identifier: GPL-2.0-only
/* Keys: made, kept, exchanged, given to the modules; and who has to prove what by them. */
#include <errno.h>
#include <sys/stat.h>

#include "tool.h"

#define PRIVATE "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="
#define PUBLIC "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw="

static struct stat of(const char *path)
{
	char full[128];
	struct stat st = {};

	snprintf(full, sizeof(full), "%s%s", fake.root, path);
	if (stat(full, &st))
		st.st_mode = 0;
	return st;
}

static void keep(const char *path, const char *content, mode_t mode)
{
	char full[128];

	fake_file(path, content);
	snprintf(full, sizeof(full), "%s%s", fake.root, path);
	assert_int_equal(chmod(full, mode), 0);
}

static void refuses(const char *line, const char *why, const char *try)
{
	run_tool(line);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, why);
	assert_has(result.err, try);
	assert_string_equal(result.out, "");
	/* Nothing secret, whatever is wrong with it. */
	assert_null(strstr(result.err, PRIVATE));
}

/* In an empty root, and then the same again. */
static void made_once(void **state)
{
	struct json_object *top;
	char first[64];

	(void)state;
	run_ok("key --json");
	top = result_json();
	assert_string_equal(json_member(top, "/made"), "true");
	assert_string_equal(json_member(top, "/file"), "/etc/rblk/key");
	snprintf(first, sizeof(first), "%s\n", json_member(top, "/public"));
	assert_int_equal(json_object_object_length(top), 3);
	json_object_put(top);
	assert_int_equal(of("/etc/rblk/key").st_mode, S_IFREG | 0600);
	assert_int_equal(of("/etc/rblk").st_mode, S_IFDIR | 0755);
	assert_int_equal(of("/etc/rblk").st_nlink, 2);
	assert_int_equal(of("/etc/rblk/key").st_size, 45);
	run_ok("key");
	assert_string_equal(result.out, first);
	assert_int_equal(strlen(first), 45);
	run_ok("key --json");
	top = result_json();
	assert_string_equal(json_member(top, "/made"), "false");
	json_object_put(top);
	/* A backup of the private key is the same machine. */
	run_ok("key --private");
	assert_string_not_equal(result.out, first);
	keep("/etc/rblk/key", result.out, 0600);
	run_ok("key");
	assert_string_equal(result.out, first);
}

static void known_pair(void **state)
{
	(void)state;
	keep("/etc/rblk/key", PRIVATE "\n", 0400);
	run_ok("key");
	assert_string_equal(result.out, PUBLIC "\n");
	run_ok("key --private");
	assert_string_equal(result.out, PRIVATE "\n");
	run_tool("key --private --json");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "--private and --json exclude each other");
	assert_string_equal(result.out, "");
}

static void bad_files(void **state)
{
	(void)state;
	keep("/etc/rblk/key", PRIVATE "\n", 0640);
	refuses("key", "/etc/rblk/key has mode 0640: others than its owner may read it",
		"chmod 600 /etc/rblk/key");
	keep("/etc/rblk/key", PRIVATE "\n", 0602);
	refuses("key", "has mode 0602", "chmod 600");
	keep("/etc/rblk/key", "", 0600);
	refuses("key", "key: /etc/rblk/key does not hold a private key", "mv /etc/rblk/key");
	keep("/etc/rblk/key", PRIVATE PRIVATE "\n", 0600);
	refuses("key", "does not hold a private key", "a backup");
	keep("/etc/rblk/key", "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyB=\n", 0600);
	refuses("key", "does not hold a private key", "a backup");
	keep("/etc/rblk/key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", 0600);
	refuses("key", "does not hold a private key", "a backup");
	fake_remove("/etc/rblk/key");
	fake_file("/etc/rblk/key/x", "");
	refuses("key", "/etc/rblk/key is not a regular file", "");
}

static void rotates(void **state)
{
	char next[64];

	(void)state;
	keep("/etc/rblk/key", PRIVATE "\n", 0600);
	refuses("key rotate --now", "there is no next key in /etc/rblk/key.next yet",
		"try: rblkctl key rotate");
	run_tool("key rotate");
	assert_int_equal(result.status, EXIT_OK);
	snprintf(next, sizeof(next), "%s", result.out);
	next[44] = '\0';
	assert_has(result.err, "nothing has changed yet");
	assert_has(result.err, next);
	assert_int_equal(of("/etc/rblk/key.next").st_mode, S_IFREG | 0600);
	run_ok("key");
	assert_string_equal(result.out, PUBLIC "\n");
	run_ok("key rotate --json");
	assert_has(result.out, next);
	assert_has(result.out, "/etc/rblk/key.next");
	assert_int_equal(fake.keys[RBLK_TARGET].sets, 0);
	/* Modules that are loaded get it, and whoever has none does not mind. */
	fake.open_error[RBLK_INITIATOR] = ENOENT;
	run_ok("key rotate --now");
	assert_has(result.out, next);
	assert_int_equal(of("/etc/rblk/key.next").st_mode, 0);
	assert_int_equal(fake.keys[RBLK_TARGET].sets, 1);
	assert_int_equal(fake.keys[RBLK_INITIATOR].sets, 0);
	run_ok("key");
	assert_has(result.out, next);
}

/* It has happened by then. */
static void rotates_partly(void **state)
{
	(void)state;
	keep("/etc/rblk/key.next", PRIVATE "\n", 0600);
	fake_fail(RBLKT_IOC_KEY_SET, RBLK_STAGE_ARGUMENTS, ENOMEM, 0, "out of memory");
	run_tool("key rotate --now");
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_string_equal(result.out, PUBLIC "\n");
	assert_has(result.err, "a module still has the former one\n  try: rblkctl key load");
	assert_int_equal(fake.keys[RBLK_INITIATOR].sets, 1);
}

/* A module that has no key gets it before what needs one, and only then. */
static void given(void **state)
{
	(void)state;
	keep("/etc/rblk/key", PRIVATE "\n", 0600);
	keep("/etc/rblk/psk", "# comment\n\n" KEY1 "\t" KEY2 " # web1\n" KEY2 " " KEY1, 0600);
	run_ok("attach --insecure 10.0.0.1/data");
	fake_volume(3, "10.0.0.1", "data");
	run_ok("route add --insecure rblk3 10.0.0.2");
	assert_int_equal(fake.route_added.flags, RBLK_ATTACH_INSECURE);
	run_ok("route add rblk3 10.0.0.2");
	assert_int_equal(fake.route_added.flags, 0);
	assert_int_equal(fake.keys[RBLK_INITIATOR].sets, 0);
	run_ok("attach 10.0.0.1/data --target-key " KEY1);
	assert_int_equal(fake.keys[RBLK_INITIATOR].sets, 1);
	assert_int_equal(fake.keys[RBLK_INITIATOR].private_key[31], 0x20);
	assert_int_equal(fake.keys[RBLK_INITIATOR].nr_psks, 2);
	assert_int_equal(fake.keys[RBLK_INITIATOR].psks[0].key[0], 0x77);
	assert_int_equal(fake.keys[RBLK_INITIATOR].psks[0].psk[0], 0x88);
	assert_int_equal(fake.attach.flags, 0);
	assert_int_equal(fake.attach.target_key[0][0], 0x77);
	assert_int_equal(fake.attach.target_key[1][0], 0);
	fake.nr_offers = 1;
	snprintf(fake.offers[0].name, RBLK_NAME_LEN, "data");
	run_ok("discover 10.0.0.1 --target-key " KEY1 " --target-key " KEY2);
	assert_int_equal(fake.discover.target_key[1][0], 0x88);
	assert_int_equal(fake.keys[RBLK_INITIATOR].sets, 1);
	assert_int_equal(fake.keys[RBLK_TARGET].sets, 0);
	run_ok("portal add any");
	assert_int_equal(fake.keys[RBLK_TARGET].sets, 1);
	run_ok("key load");
	assert_int_equal(fake.keys[RBLK_INITIATOR].sets, 2);
	run_ok("key load --json");
	assert_has(result.out, "\"psks\": 2");
	assert_has(result.out, PUBLIC);
	fake.open_error[RBLK_INITIATOR] = ENOENT;
	fake.open_error[RBLK_TARGET] = ENOENT;
	refuses("key load", "the initiator's module is not loaded", "modprobe rblk");
}

/* Without a key of its own a target serves those who need not prove any. */
static void given_if_there(void **state)
{
	(void)state;
	run_ok("portal add any");
	run_ok("export add data /dev/sda --insecure --allow-any");
	assert_int_equal(fake.add.flags, RBLKT_EXPORT_INSECURE | RBLKT_EXPORT_ALLOW_ANY);
	assert_int_equal(of("/etc/rblk/key").st_mode, 0);
	run_ok("export allow data " KEY1);
	assert_int_equal(of("/etc/rblk/key").st_mode, S_IFREG | 0600);
	assert_int_equal(fake.keys[RBLK_TARGET].sets, 1);
}

static void bad_psks(void **state)
{
	static const char * const wrong[] = {
		KEY1, KEY1 " " KEY2 " " KEY2, KEY1 " x", "x " KEY1,
		"#\n" KEY1 " AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		KEY1 " " KEY2 "\n" KEY1 " " KEY1,
	};
	char many[96 * (RBLK_MAX_HOSTS + 1)] = "", key[KEY_TEXT];
	__u8 bytes[KEY_BYTES] = { 7 };
	size_t i;

	(void)state;
	keep("/etc/rblk/key", PRIVATE "\n", 0600);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		keep("/etc/rblk/psk", wrong[i], 0600);
		refuses("key load", strchr(wrong[i], '\n') ? "/etc/rblk/psk:2: not a" :
			"/etc/rblk/psk:1: not a", "PUBLIC-KEY PSK");
		assert_null(strstr(result.err, KEY1));
	}
	keep("/etc/rblk/psk", KEY1 " " KEY2, 0604);
	refuses("key load", "/etc/rblk/psk has mode 0604", "chmod 600 /etc/rblk/psk");
	for (i = 0; i <= RBLK_MAX_HOSTS; i++) {
		bytes[1] = i;
		key_text(key, bytes);
		snprintf(many + strlen(many), 96, "%s " KEY1 "\n", key);
	}
	keep("/etc/rblk/psk", many, 0600);
	refuses("key load", "/etc/rblk/psk:65: there are more than 64 PSKs", "");
	assert_int_equal(fake.keys[RBLK_TARGET].sets, 0);
}

/* The key that is trusted is shown, and pinned from then on. */
static void trusts(void **state)
{
	struct json_object *top;

	(void)state;
	run_tool("attach 10.0.0.1/data --trust-first --save");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(fake.attach.flags, RBLK_ATTACH_TRUST_FIRST);
	assert_has(result.err, "the target showed the key " KEY1 "\n");
	assert_has(result.err, "--target-key " KEY1 " in place of --trust-first");
	run_ok("save --file -");
	assert_has(result.out, "\t\ttarget-key = \"" KEY1 "\";\n");
	run_ok("show data --json");
	top = result_json();
	assert_string_equal(json_member(top, "/session/target/key"), KEY1);
	json_object_put(top);
	run_ok("show data");
	assert_has(result.out, "  key                 " KEY1 "\n");
	run_tool("discover 10.0.0.1 --trust-first --json");
	assert_has(result.err, KEY1);
	top = result_json();
	assert_string_equal(json_member(top, "/key"), KEY1);
	json_object_put(top);
}

/* Keys that differ are a difference, and so is their lack. */
static void plans(void **state)
{
	(void)state;
	fake_config("volumes = ( { export = \"10.0.0.1/x\"; target-key = (\"" KEY1 "\", \"" KEY2
		    "\"); } );\n"
		    "exports = ( { name = \"a\"; device = \"/dev/a\"; allow = \"" KEY1 "\"; "
		    "uuid = \"6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f\"; } );\n");
	run_ok("apply");
	run_ok("apply");
	assert_has(result.out, "unchanged  volume  10.0.0.1/x");
	assert_has(result.out, "unchanged  export  a");
	run_ok("save --file -");
	assert_has(result.out, "target-key = ( \"" KEY1 "\",\n\t\t\t\"" KEY2 "\" );");
	assert_has(result.out, "\t\tallow = ( \"" KEY1 "\" );\n");
	fake_config("volumes = ( { export = \"10.0.0.1/x\"; target-key = \"" KEY2 "\"; } );\n"
		    "exports = ( { name = \"a\"; device = \"/dev/a\"; allow = \"" KEY1 "\"; "
		    "insecure = true; uuid = \"6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f\"; } );\n");
	fake.log[0] = '\0';
	run_ok("apply");
	assert_has(result.out, "set     volume  10.0.0.1/x");
	assert_has(result.out, "the target's key");
	assert_has(result.out, "set     export  a           insecure");
	assert_string_equal(fake.log, "=:a #:x =:x");
	fake_config("volumes = ( { export = \"10.0.0.1/x\"; insecure = true; } );\n");
	run_ok("apply");
	assert_has(result.out, "replaced  volume  10.0.0.1/x");
	assert_int_equal(fake.attach.flags, RBLK_ATTACH_INSECURE);
}

/* What does not work is undone, with the keys as they were. */
static void plans_back(void **state)
{
	(void)state;
	fake_config("volumes = ( { export = \"10.0.0.1/x\"; target-key = \"" KEY1 "\"; } );\n");
	run_ok("apply");
	fake_config("volumes = ( { export = \"10.0.0.1/x\"; target-key = (\"" KEY1 "\", \"" KEY2
		    "\"); }, { export = \"10.0.0.1/y\"; target-key = \"" KEY1 "\"; } );\n");
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_NONE, EBUSY, 0, "it does not work");
	fake.log[0] = '\0';
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "#:x =:x #:x =:x");
	assert_int_equal(fake.volumes[0].asked.target_key[1][0], 0);
}

/* A second key is pinned, and then the first one goes, without an interruption. */
static void pins(void **state)
{
	(void)state;
	run_tool("attach 10.0.0.1/data --trust-first");
	fake.log[0] = '\0';
	run_tool("set data --target-key " KEY1 " --target-key " KEY2);
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.err, "");
	assert_string_equal(fake.log, "#:data");
	assert_int_equal(fake.pin.target_key[0][0], 0x77);
	assert_int_equal(fake.pin.target_key[1][0], 0x88);
	run_ok("save --file -");
	assert_has(result.out, "target-key = ( \"" KEY1 "\",\n\t\t\t\"" KEY2 "\" );");
	/* The target still has its old one. */
	run_tool("set data --queue-timeout 5 --target-key " KEY2 " --json");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.err, "the target has the key " KEY1 ", which is none of these");
	assert_has(result.out, "\"queue_timeout\": 5");
	assert_int_equal(fake.pin.target_key[1][0], 0);
	fake_fail(RBLK_IOC_PIN, RBLK_STAGE_ARGUMENTS, EINVAL, 0, "attached without keys");
	refuses("set data --target-key " KEY1, "attached without keys",
		"detach data, and attach it with --target-key KEY");
}

static void sessions(void **state)
{
	(void)state;
	fake.nr_sessions = 2;
	memset(fake.sessions[1].peer_key, 0x77, KEY_BYTES);
	memset(fake.sessions[1].peer_uuid, 0x99, UUID_BYTES);
	run_ok("session list -o key");
	assert_string_equal(result.out, "KEY\n-\n" KEY1 "\n");
	run_ok("session remove " KEY1);
	assert_int_equal(fake.evict.host[0], 0x99);
	refuses("session remove " KEY2, "no host " KEY2 " is connected", "session list");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)
#define KEEPING(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(made_once),
	TEST(known_pair),
	TEST(bad_files),
	TEST(rotates),
	TEST(rotates_partly),
	TEST(given),
	TEST(given_if_there),
	TEST(bad_psks),
	KEEPING(trusts),
	KEEPING(plans),
	KEEPING(plans_back),
	KEEPING(pins),
	TEST(sessions),
};

SUITE(keys, tests);
