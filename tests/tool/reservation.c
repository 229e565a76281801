// SPDX-License-Identifier: GPL-2.0-only
/* Who has reserved a volume or an export, and the event of a change. */
#include <errno.h>

#include "tool.h"

#define CHANGE	"change@/x|ACTION=change|DEVNAME=rblk0|DEVTYPE=disk|SUBSYSTEM=block"

static void registered(unsigned int at, __u64 key, const char *name, unsigned int flags)
{
	struct rblk_ioc_registrant *r = &fake.registrants[at];

	memset(r, 0, sizeof(*r));
	r->registration = key;
	memset(r->host, 0xab, sizeof(r->host));
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->flags = flags;
	fake.nr_registrants = at + 1;
}

static void two_hosts(void)
{
	fake.resv_type = RBLK_RESV_WRITE_REGISTRANTS;
	registered(0, 0x123456789abcdef0, "web1", RBLK_REGISTRANT_HOLDER);
	registered(1, 17, "web2", 0);
}

static void volumes(void **state)
{
	struct json_object *top;

	(void)state;
	fake_volume(3, "10.0.0.1", "disk");
	run_ok("reservation rblk3");
	assert_has(result.out, "reservation           none\n");
	assert_has(result.out, "registered            no host\n");
	two_hosts();
	fake.registrants[1].flags = RBLK_REGISTRANT_SELF;
	run_ok("reservation 10.0.0.1/disk");
	assert_has(result.out, "reservation           write-exclusive-reg-only\n");
	assert_has(result.out, "generation            7\n");
	assert_has(result.out, "registered            0x123456789abcdef0 by web1 "
		   "abababab-abab-abab-abab-abababababab, holds it\n");
	assert_has(result.out, "registered            0x11 by web2 "
		   "abababab-abab-abab-abab-abababababab, this host\n");
	run_ok("reservation disk --json");
	top = result_json();
	assert_string_equal(json_member(top, "/device"), "/dev/rblk3");
	assert_string_equal(json_member(top, "/generation"), "7");
	assert_string_equal(json_member(top, "/type"), "write-exclusive-reg-only");
	assert_string_equal(json_member(top, "/registrants/0/registration"), "0x123456789abcdef0");
	assert_string_equal(json_member(top, "/registrants/0/holder"), "true");
	assert_string_equal(json_member(top, "/registrants/0/self"), "false");
	assert_string_equal(json_member(top, "/registrants/1/self"), "true");
	assert_string_equal(json_member(top, "/registrants/1/name"), "web2");
	json_object_put(top);
}

/* A name is that of an export here, or else of a volume. */
static void exports(void **state)
{
	struct json_object *top;

	(void)state;
	fake.open_error[RBLK_TARGET] = 0;
	fake.nr_exports = 1;
	snprintf(fake.exports[0].name, RBLK_NAME_LEN, "data");
	two_hosts();
	memset(fake.registrants[0].public_key, 0x77, KEY_BYTES);
	fake.registrants[0].flags |= RBLK_REGISTRANT_ATTACHED;
	run_ok("reservation data");
	assert_has(result.out, "generation            8\n");
	assert_has(result.out, " by web1 " KEY1 ", holds it, has it attached\n");
	assert_has(result.out, "not ended             I/O of 1 attachments");
	assert_null(strstr(result.out, "not kept"));
	run_ok("reservation data --json");
	top = result_json();
	assert_string_equal(json_member(top, "/export"), "data");
	assert_string_equal(json_member(top, "/kept"), "true");
	assert_string_equal(json_member(top, "/aborting"), "1");
	assert_string_equal(json_member(top, "/registrants/0/key"), KEY1);
	assert_string_equal(json_member(top, "/registrants/0/attached"), "true");
	json_object_put(top);
	run_tool("reservation nothing");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "rblkctl export list");
	/* Without the initiator's module there are no volumes. */
	fake.open_error[RBLK_INITIATOR] = ENOENT;
	run_ok("reservation data");
	run_tool("reservation rblk3");
	assert_int_equal(result.status, EXIT_FAILED);
}

static void clears(void **state)
{
	struct json_object *top;

	(void)state;
	fake.open_error[RBLK_TARGET] = 0;
	fake_volume(3, "10.0.0.1", "data");
	fake.nr_exports = 1;
	snprintf(fake.exports[0].name, RBLK_NAME_LEN, "data");
	/* Also where the same name is a volume's. */
	run_ok("reservation data --clear");
	assert_int_equal(fake.resv_set.what, RBLKT_RESV_CLEAR);
	assert_string_equal(fake.resv_set.name, "data");
	assert_string_equal(result.out, "");
	memset(&fake.resv_set, 0, sizeof(fake.resv_set));
	two_hosts();
	run_tool("reservation data --clear");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "has 2 registrations");
	assert_has(result.err, "--force");
	assert_int_equal(fake.resv_set.what, 0);
	run_ok("reservation data --clear --force --json");
	assert_int_equal(fake.resv_set.what, RBLKT_RESV_CLEAR);
	top = result_json();
	assert_string_equal(json_member(top, "/export"), "data");
	json_object_put(top);
	run_tool("reservation data --drop " KEY1);
	assert_int_equal(result.status, EXIT_FAILED);
	run_ok("reservation data --force --drop " KEY1);
	assert_int_equal(fake.resv_set.what, RBLKT_RESV_REMOVE);
	assert_int_equal(fake.resv_set.host.key[31], 0x77);
	assert_int_equal(fake.resv_set.new_host.key[31], 0);
	run_ok("reservation data --move " KEY1 "," KEY2);
	assert_int_equal(fake.resv_set.what, RBLKT_RESV_MOVE);
	assert_int_equal(fake.resv_set.host.key[31], 0x77);
	assert_int_equal(fake.resv_set.new_host.key[31], 0x88);
	run_tool("reservation data --move " KEY1);
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "OLD,NEW");
	run_tool("reservation data --clear --drop " KEY1);
	assert_int_equal(result.status, EXIT_USAGE);
	run_tool("reservation rblk3 --clear --force");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "on the target: rblkctl reservation");
	fake_fail(RBLKT_IOC_RESERVATION_SET, RBLK_STAGE_BACKING, EIO, 0, "can't be recorded");
	run_tool("reservation data --clear --force");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "can't be recorded (stage backing)");
}

static void failures(void **state)
{
	(void)state;
	fake_volume(3, "10.0.0.1", "disk");
	fake_fail(RBLK_IOC_RESERVATION, RBLK_STAGE_LOOKUP, ENOTCONN, 0, "no route is live");
	run_tool("reservation rblk3");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "try: rblkctl show rblk3 says what it waits for");
	fake_fail(RBLK_IOC_RESERVATION, RBLK_STAGE_LOOKUP, EOPNOTSUPP, 0, "it has none");
	run_tool("reservation disk");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "try: install a release of rblk that has reservations");
}

static const char *what;

static void changed(void)
{
	fake.uevent = what;
}

static void events(void **state)
{
	struct json_object *top;
	char *end;

	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake.moments = 1;
	fake.meanwhile = changed;
	what = CHANGE "|RBLK_RESERVATION=preempted";
	run_ok("events");
	assert_has(result.out, "  reservation  rblk0  10.0.0.1/data  live: another host or the "
		   "target's administrator has ended this host's registration\n");
	what = CHANGE "|RBLK_RESERVATION=something-new";
	fake.moments = 1;
	run_ok("events");
	assert_has(result.out, "live: the reservation or its registrants have changed\n");
	what = CHANGE "|RBLK_RESERVATION=cleared";
	fake.moments = 1;
	run_ok("events --json");
	end = strchr(result.out, '\n');
	assert_non_null(end);
	memmove(result.out, end + 1, strlen(end));
	top = result_json();
	assert_string_equal(json_member(top, "/event"), "reservation");
	assert_string_equal(json_member(top, "/change"), "cleared");
	assert_string_equal(json_member(top, "/device"), "/dev/rblk0");
	json_object_put(top);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(volumes),
	TEST(exports),
	TEST(clears),
	TEST(failures),
	TEST(events),
};

SUITE(reservation, tests);
