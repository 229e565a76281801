// SPDX-License-Identifier: GPL-2.0-only
/* The verb "doctor" and keys: this machine's, its modules', its items' and a target's. */
#include <errno.h>
#include <sodium.h>
#include <sys/stat.h>

#include "doctor.h"

#define PUBLIC "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw="

static void machine(void **state)
{
	char path[128];

	(void)state;
	run_tool("doctor");
	assert_has(result.out, "ok       key       this machine has the key " PUBLIC "\n");
	snprintf(path, sizeof(path), "%s/etc/rblk/key", fake.root);
	assert_int_equal(chmod(path, 0644), 0);
	doctor_bad("doctor", "key", "/etc/rblk/key has mode 0644", "chmod 600 /etc/rblk/key");
	fake_file("/etc/rblk/key", "no key\n");
	assert_int_equal(chmod(path, 0600), 0);
	doctor_bad("doctor", "key", "/etc/rblk/key does not hold a private key", "a backup");
	fake_remove("/etc/rblk/key");
	doctor_note("doctor", "key", "this machine has no key");
	doctor_bad("doctor 10.0.0.1", "key", "this machine has no key", "try: rblkctl key;");
	assert_has(result.out, "skipped  target");
	/* It looks, and makes none. */
	assert_int_equal(stat(path, &(struct stat){}), -1);
	doctor_note("doctor --insecure 10.0.0.1", "key", "this machine has no key");
	assert_has(result.out, "lets this host in");
}

static void modules(void **state)
{
	(void)state;
	fake.keys[RBLK_INITIATOR].private_key[0] = 8;
	doctor_bad("doctor", "key", "the module rblk has another key than the one in /etc/rblk/key",
		   "rblkctl key load");
	run_ok("key load");
	run_tool("doctor");
	assert_int_equal(result.status, EXIT_OK);
	fake.open_error[RBLK_TARGET] = 0;
	fake.keys[RBLK_TARGET].private_key[0] = 8;
	doctor_bad("doctor", "key", "the module rblk_target has another key", "rblkctl key load");
	fake_fail(RBLKT_IOC_KEY_SHOW, RBLK_STAGE_ARGUMENTS, EINVAL, 0, "it won't say");
	doctor_bad("doctor", "key", "it won't say", "");
}

static void volumes(void **state)
{
	struct rblk_ioc_show *show;

	(void)state;
	show = fake_volume(4, "10.0.0.1", "data");
	show->asked.flags = 0;
	run_tool("doctor");
	assert_null(strstr(result.out, " keys  "));
	show->asked.flags = RBLK_ATTACH_INSECURE;
	doctor_note("doctor", "keys", "rblk4 (10.0.0.1/data) is attached without keys");
	assert_has(result.out, "attach it with --target-key KEY");
	show->asked.flags = RBLK_ATTACH_TRUST_FIRST;
	memset(show->session.peer_key, 0x77, KEY_BYTES);
	doctor_note("doctor", "keys", "rblk4 (10.0.0.1/data) trusts the key that its target showed");
	assert_has(result.out, "rblkctl set rblk4 --target-key " KEY1 "\n");
}

static void exports(void **state)
{
	struct rblkt_ioc_export_show *show = &fake.exports[0];

	(void)state;
	fake.open_error[RBLK_TARGET] = 0;
	fake.nr_portals = 1;
	fake.portals[0].listening = 1;
	fake.nr_exports = 1;
	snprintf(show->name, RBLK_NAME_LEN, "data");
	show->nr_hosts = 2;
	memset(fake.hosts[0].key, 0x77, KEY_BYTES);
	memset(fake.hosts[1].key, 0x88, KEY_BYTES);
	run_tool("doctor");
	assert_has(result.out, "\n0 bad, 0 to note\n");
	show->export_flags = RBLKT_EXPORT_INSECURE;
	doctor_note("doctor", "keys", "export data is also for hosts without a key");
	assert_has(result.out, "try: rblkctl export set data --secure, once");
	memset(&fake.hosts[1], 0, sizeof(fake.hosts[1]));
	fake.hosts[1].uuid[0] = 1;
	doctor_note("doctor", "keys", "export data is mixed: 1 of its hosts prove a key, 1 say a UUID");
	assert_has(result.out, "try: rblkctl export set data --allow KEY ... --secure, once");
	show->nr_hosts = 0;
	show->export_flags |= RBLKT_EXPORT_ALLOW_ANY;
	doctor_note("doctor", "keys", "export data is for anybody, also without a key");
}

/* What the configuration pins is what the target has to prove. */
static void pinned(void **state)
{
	(void)state;
	fake_config("volumes = ( { export = \"10.0.0.9/x\"; insecure = true; },\n"
		    "{ export = \"10.0.0.1/old\"; insecure = true; },\n"
		    "{ export = \"10.0.0.7,10.0.0.1/data\"; target-key = \"" KEY2 "\"; } );\n");
	run_tool("doctor 10.0.0.1");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(fake.discover.flags, 0);
	assert_int_equal(fake.discover.target_key[0][0], 0x88);
	run_tool("doctor 10.0.0.1/old");
	assert_int_equal(fake.attach.flags & RBLK_ATTACH_PROOF, RBLK_ATTACH_INSECURE);
	run_tool("doctor 10.0.0.1 --trust-first");
	assert_int_equal(fake.discover.flags, RBLK_ATTACH_TRUST_FIRST);
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_LOGIN, EKEYREJECTED, 0, "another key than it should");
	fake.fail_times = 1;
	doctor_bad("doctor 10.0.0.1", "key",
		   "10.0.0.1 has the key " KEY1 ", and /etc/rblk/rblk.conf has another",
		   "rblkctl apply");
	fake.fail_times = 1;
	doctor_bad("doctor 10.0.0.1 --target-key " KEY2, "key",
		   "10.0.0.1 has the key " KEY1 ", and --target-key has another", "--target-key");
	/* It cannot prove any. */
	fake.fail_times = 2;
	doctor_bad("doctor 10.0.0.1", "key", "another key than it should", "pin that");
}

static void refused(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_LOGIN, EACCES, RBLK_CTL_NO_KEY,
		  "the target has no key");
	doctor_bad("doctor 10.0.0.1", "key", "the target has no key",
		   "on the target: rblkctl key, which makes one");
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_LOGIN, EACCES, RBLK_CTL_KEY_UNKNOWN,
		  "no export of the target allows this host's key");
	doctor_bad("doctor 10.0.0.1", "key", "no export of the target allows this host's key",
		   "on the target: rblkctl export allow NAME " PUBLIC);
	/* But without keys something is there. */
	fake.fail_times = 1;
	doctor_bad("doctor 10.0.0.1", "key", "10.0.0.1 lets this host in only without keys",
		   "on the target: rblkctl export allow NAME " PUBLIC);
	assert_int_equal(fake.discover.flags, RBLK_ATTACH_INSECURE);
	fake.fail_times = 1;
	fake.nr_offers = 0;
	doctor_bad("doctor 10.0.0.1", "key", "no export of the target allows this host's key", "");
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_LOGIN, EACCES, RBLK_CTL_AUTH,
		  "the target takes only hosts that prove their key");
	doctor_bad("doctor --insecure 10.0.0.1", "key", "takes only hosts that prove their key",
		   "--target-key KEY in place of --insecure");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, doctor_healthy, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(machine),
	TEST(modules),
	TEST(volumes),
	TEST(exports),
	TEST(pinned),
	TEST(refused),
};

SUITE(doctor_keys, tests);
