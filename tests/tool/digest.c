// SPDX-License-Identifier: GPL-2.0-only
/* Data digests: asked for, kept, shown, and what is said when data arrived wrong. */
#include <errno.h>

#include "doctor.h"

#define CHANGE	"change@/block/rblk0|ACTION=change|DEVNAME=rblk0|DEVTYPE=disk"
#define VOLUME(more) "volumes = ( { export = \"10.0.0.1/x\"; insecure = true; " more "} );\n"

/* A volume with digests, of which some were wrong. */
static struct rblk_ioc_volume *checked(unsigned int mended, unsigned int failed)
{
	struct rblk_ioc_volume *volume;

	fake.nr_volumes = 0;
	volume = &fake_volume(0, "10.0.0.1", "data")->volume;
	volume->flags |= RBLK_EXPF_DIGEST;
	volume->digest_mended = mended;
	volume->digest_failed = failed;
	fake_stat(0, 0, 0);
	return volume;
}

static void asked_for(void **state)
{
	struct json_object *top;

	(void)state;
	run_ok("attach --insecure 10.0.0.1/data --digest --json");
	assert_int_equal(fake.attach.flags, RBLK_ATTACH_INSECURE | RBLK_ATTACH_DIGEST);
	top = result_json();
	assert_string_equal(json_member(top, "/digest"), "true");
	json_object_put(top);
	run_ok("attach --insecure 10.0.0.1/data --json");
	assert_int_equal(fake.attach.flags, RBLK_ATTACH_INSECURE);
	top = result_json();
	assert_string_equal(json_member(top, "/digest"), "false");
	json_object_put(top);
	/* It is there from the first command on, or not at all. */
	run_tool("set data --digest");
	assert_int_equal(result.status, EXIT_USAGE);
	run_tool("attach --insecure 10.0.0.1/data --digest=crc32c");
	assert_int_equal(result.status, EXIT_USAGE);
}

static void not_offered(void **state)
{
	static const unsigned int stages[] = { RBLK_STAGE_LOGIN, RBLK_STAGE_ATTACH };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(stages); i++) {
		fake_fail(RBLK_IOC_ATTACH, stages[i], EOPNOTSUPP, 0, "the target has no digests");
		run_tool("attach --insecure 10.0.0.1/data --digest");
		assert_int_equal(result.status, EXIT_FAILED);
		assert_has(result.err, "the target has no digests");
		assert_has(result.err, "try: leave out --digest; or install a release");
	}
	/* An RDMA device that lacks something is another matter. */
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_DEVICE, EOPNOTSUPP, 0, "it cannot do it");
	run_tool("attach --insecure 10.0.0.1/data");
	assert_null(strstr(result.err, "digest"));
}

/* A volume that has them becomes one without by a new attach, and the other way round. */
static void configured(void **state)
{
	(void)state;
	fake_config(VOLUME("digest = true; "));
	run_ok("apply");
	assert_true(fake.attach.flags & RBLK_ATTACH_DIGEST);
	assert_true(fake.volumes[0].volume.flags & RBLK_EXPF_DIGEST);
	fake.log[0] = '\0';
	run_ok("apply");
	assert_string_equal(fake.log, "");
	fake_config(VOLUME(""));
	run_ok("apply --dry-run");
	assert_has(result.out, "without digests");
	assert_string_equal(fake.log, "");
	run_ok("apply");
	assert_string_equal(fake.log, "-:x +:x");
	assert_false(fake.attach.flags & RBLK_ATTACH_DIGEST);
	fake_config(VOLUME("digest = true; "));
	run_ok("apply");
	assert_string_equal(fake.log, "-:x +:x");
	assert_has(result.out, "with digests");
	fake_config(VOLUME("digest = false; "));
	run_ok("apply");
	assert_false(fake.attach.flags & RBLK_ATTACH_DIGEST);
	fake_config(VOLUME("digest = \"crc32c\"; "));
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "digest");
}

/* What boots with it has it again; "up" attaches in processes of its own. */
static void restored(void **state)
{
	(void)state;
	assert_int_equal(fake_share(), 0);
	run_ok("attach --insecure 10.0.0.1/x --digest --save");
	run_ok("save --file -");
	assert_has(result.out, "\t\tdigest = true;\n");
	run_ok("down");
	memset(&fake.attach, 0, sizeof(fake.attach));
	run_ok("up");
	assert_true(fake.attach.flags & RBLK_ATTACH_DIGEST);
	run_ok("down");
	run_ok("attach --insecure 10.0.0.1/x");
	run_ok("save --file -");
	assert_null(strstr(result.out, "digest"));
}

static void shown(void **state)
{
	struct json_object *top;

	(void)state;
	checked(3, 1);
	run_ok("show rblk0");
	assert_has(result.out, "digest                CRC32C, 3 mismatches mended, 1 not\n");
	run_ok("show rblk0 --json");
	top = result_json();
	assert_string_equal(json_member(top, "/digest"), "true");
	assert_string_equal(json_member(top, "/digest_mended"), "3");
	assert_string_equal(json_member(top, "/digest_failed"), "1");
	assert_string_equal(json_member(top, "/session/counters/digest_errors"), "0");
	json_object_put(top);
	fake_volume(1, "10.0.0.1", "more");
	run_ok("show rblk1");
	assert_has(result.out, "digest                none\n");
	run_ok("list -o device,digest");
	assert_string_equal(result.out, "DEVICE      DIGEST\n/dev/rblk0  yes\n/dev/rblk1  no\n");
	/* Nobody who did not ask for it gets one more column. */
	run_ok("list");
	assert_null(strstr(result.out, "DIGEST"));
	assert_null(strstr(result.out, "yes"));
	run_ok("list --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes/0/digest"), "true");
	assert_string_equal(json_member(top, "/volumes/1/digest"), "false");
	json_object_put(top);
	run_ok("list -o help");
	assert_has(result.out, "  DIGEST  ");
}

static void worked(void **state)
{
	struct json_object *top;

	(void)state;
	fake.moments = 9;
	checked(2, 1);
	run_ok("stat rblk0");
	assert_has(result.out, "\ndigest mismatches since it was attached: 2 mended, 1 not\n");
	run_ok("stat rblk0 -o part");
	assert_null(strstr(result.out, "digest"));
	run_ok("stat --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes/0/digest"), "true");
	assert_string_equal(json_member(top, "/volumes/0/digest_mended"), "2");
	assert_string_equal(json_member(top, "/volumes/0/digest_failed"), "1");
	json_object_put(top);
	run_ok("top -n 1");
	assert_has(result.out, "1 volumes, 0 not live, 1 with digest mismatches; ");
	checked(0, 0);
	run_ok("top -n 1");
	assert_null(strstr(result.out, "digest"));
	run_ok("stat rblk0");
	assert_has(result.out, "since it was attached: 0 mended, 0 not\n");
	fake.volumes[0].volume.flags = 0;
	run_ok("stat rblk0");
	assert_null(strstr(result.out, "digest"));
}

static void exported(void **state)
{
#define LABELS	"{device=\"rblk0\",target=\"10.0.0.1\",export=\"data\"} "
	(void)state;
	checked(7, 5)->queue_timeout = 30;
	fake.nr_sessions = 1;
	fake.sessions[0].counter[RBLK_CNT_DIGEST_ERRORS] = 4;
	run_ok("stat --prometheus");
	assert_has(result.out, "\nrblk_volume_digest" LABELS "1\n");
	assert_has(result.out, "\n# TYPE rblk_volume_digest_mended_total counter\n");
	assert_has(result.out, "\nrblk_volume_digest_mended_total" LABELS "7\n");
	assert_has(result.out, "\nrblk_volume_digest_failed_total" LABELS "5\n");
	assert_has(result.out, "\nrblk_volume_queue_timeout_seconds" LABELS "30\n");
	assert_has(strstr(result.out, "\nrblk_target_session_digest_errors_total{"), "} 4\n");
#undef LABELS
}

static void wrong_twice(void)
{
	fake.uevent = CHANGE "|RBLK_DIGEST=write|RBLK_LBA=4294967296|RBLK_BYTES=65536";
}

static void told(void **state)
{
	struct json_object *top;
	char *end;

	(void)state;
	checked(0, 1);
	fake.moments = 1;
	fake.meanwhile = wrong_twice;
	run_ok("events");
	assert_has(result.out, "  digest    rblk0  10.0.0.1/data  live: a write of 65536 bytes");
	assert_has(result.out, " at LBA 4294967296 failed: its data arrived wrong twice\n");
	fake.moments = 1;
	run_ok("events --json");
	end = strchr(result.out, '\n');
	assert_non_null(end);
	assert_null(strstr(end, "\n{") ? strstr(strstr(end, "\n{") + 1, "\n{") : NULL);
	memmove(result.out, end + 1, strlen(end));
	top = result_json();
	assert_string_equal(json_member(top, "/event"), "digest");
	assert_string_equal(json_member(top, "/device"), "/dev/rblk0");
	assert_string_equal(json_member(top, "/export"), "data");
	assert_string_equal(json_member(top, "/state"), "live");
	assert_string_equal(json_member(top, "/op"), "write");
	assert_string_equal(json_member(top, "/lba"), "4294967296");
	assert_string_equal(json_member(top, "/bytes"), "65536");
	json_object_put(top);
}

static void diagnosed(void **state)
{
	(void)state;
	checked(0, 0);
	run_ok("doctor");
	assert_has(result.out, "ok       digest    rblk0 (10.0.0.1/data): all data has arrived");
	checked(6, 0);
	doctor_note("doctor", "digest", "the data of 6 reads and writes arrived wrong, and right");
	assert_has(result.out, "O_DIRECT");
	checked(6, 2);
	doctor_bad("doctor", "digest",
		   "the data of 2 reads and writes arrived wrong twice, and they failed; 6 more",
		   "memory, adapter, cable and switch");
	/* Without digests nothing is known. */
	checked(0, 0)->flags = 0;
	run_ok("doctor");
	assert_null(strstr(result.out, "digest"));
}

/* The target has seen what hosts sent. */
static void diagnosed_there(void **state)
{
	(void)state;
	fake.open_error[RBLK_TARGET] = 0;
	fake.nr_sessions = 2;
	snprintf(fake.sessions[1].peer_name, RBLK_NAME_LEN, "web");
	run_ok("doctor");
	assert_null(strstr(result.out, "digest"));
	fake.sessions[1].counter[RBLK_CNT_DIGEST_ERRORS] = 3;
	doctor_note("doctor", "digest", "3 writes of web arrived with another digest");
	assert_has(result.out, "rblkctl doctor on that host");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)
#define KEEPING(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)
#define DOCTOR(name) cmocka_unit_test_setup_teardown(name, doctor_healthy, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(asked_for),
	TEST(not_offered),
	KEEPING(configured),
	KEEPING(restored),
	TEST(shown),
	TEST(worked),
	TEST(exported),
	TEST(told),
	DOCTOR(diagnosed),
	DOCTOR(diagnosed_there),
};

SUITE(digest, tests);
