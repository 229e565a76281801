// SPDX-License-Identifier: GPL-2.0-only
/* The verb "events": from the kernel's messages to lines. */
#include <errno.h>

#include "tool.h"

#define DISK(action, name, more) \
	action "@/devices/virtual/block/" name "|ACTION=" action "|DEVNAME=" name \
	"|DEVTYPE=disk|SUBSYSTEM=block" more

static int step;

/* What happens to two volumes, one of which is there from the beginning. */
static void story(void)
{
	struct rblk_ioc_volume *first = &fake.volumes[0].volume;

	switch (step++) {
	case 0:
		fake_volume(1, "10.0.0.2", "more");
		fake.uevent = DISK("add", "rblk1", "");
		break;
	case 1:
		first->state = RBLK_VOL_WAITING;
		snprintf(first->reason, RBLK_ERROR_LEN, "the link is down");
		fake.uevent = DISK("change", "rblk0", "|RBLK_STATE=waiting");
		break;
	case 2:	/* a later state is not mixed with the one that is told */
		first->state = RBLK_VOL_FAILED;
		snprintf(first->reason, RBLK_ERROR_LEN, "too long");
		fake.uevent = DISK("change", "rblk0", "|RBLK_STATE=live");
		break;
	case 3:
		first->capacity = 5ULL << 30;
		fake.uevent = DISK("change", "rblk0", "|RESIZE=1");
		break;
	case 4:
		fake.uevent = DISK("change", "rblk0", "");
		break;
	case 5:
		fake.uevent = DISK("change", "sda", "|RESIZE=1");
		break;
	case 6:
		fake.uevent = "add@/x|ACTION=add|DEVNAME=rblk0p1|DEVTYPE=partition";
		break;
	case 7:
		fake.nr_volumes = 1;
		fake.uevent = DISK("remove", "rblk1", "");
		break;
	case 8:
		fake.uevent = DISK("remove", "rblk1", "");
		break;
	}
}

/* The line that follows, without its time. */
static const char *next_line(char **at)
{
	char *line = strsep(at, "\n");

	if (!line || strlen(line) < 31)
		return "";
	assert_int_equal(line[10], 'T');
	assert_int_equal(line[19], '.');
	return line + 30;
}

static void lines(void **state)
{
	char *at = result.out;

	(void)state;
	step = 0;
	fake_volume(0, "10.0.0.1", "data");
	fake.moments = 9;
	fake.meanwhile = story;
	run_tool("events");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.err, "");
	assert_string_equal(next_line(&at), "present   rblk0  10.0.0.1/data  live");
	assert_string_equal(next_line(&at), "attached  rblk1  10.0.0.2/more  live");
	assert_string_equal(next_line(&at), "state     rblk0  10.0.0.1/data  "
			    "waiting: the link is down");
	assert_string_equal(next_line(&at), "state     rblk0  10.0.0.1/data  live");
	assert_string_equal(next_line(&at), "resized   rblk0  10.0.0.1/data  5G");
	assert_string_equal(next_line(&at), "detached  rblk1  10.0.0.2/more  deleting");
	assert_string_equal(next_line(&at), "");
}

static void objects(void **state)
{
	struct json_object *top;
	char *end;

	(void)state;
	step = 1;
	fake_volume(0, "10.0.0.1", "data");
	fake.moments = 1;
	fake.meanwhile = story;
	run_tool("events --json");
	assert_int_equal(result.status, EXIT_OK);
	end = strchr(result.out, '\n');
	assert_non_null(end);
	memmove(result.out, end + 1, strlen(end));
	top = result_json();
	assert_string_equal(json_member(top, "/event"), "state");
	assert_string_equal(json_member(top, "/device"), "/dev/rblk0");
	assert_string_equal(json_member(top, "/state"), "waiting");
	assert_string_equal(json_member(top, "/reason"), "the link is down");
	json_object_put(top);
}

/* What was missed cannot be told, but what there is can. */
static void lost(void **state)
{
	char *at = result.out;

	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake.moments = 1;
	run_tool("events");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(next_line(&at), "present   rblk0  10.0.0.1/data  live");
	assert_string_equal(next_line(&at), "present   rblk0  10.0.0.1/data  live");
}

/* The module may come later; no right is another matter. */
static void no_module(void **state)
{
	(void)state;
	fake.open_error[RBLK_INITIATOR] = ENOENT;
	run_tool("events");
	assert_int_equal(result.status, EXIT_OK);
	fake.open_error[RBLK_INITIATOR] = EACCES;
	run_tool("events");
	assert_int_equal(result.status, EXIT_FAILED);
	fake.open_error[RBLK_INITIATOR] = 0;
	fake.uevents_error = EPERM;
	run_tool("events");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "cannot hear the kernel's uevents");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(lines),
	TEST(objects),
	TEST(lost),
	TEST(no_module),
};

SUITE(events, tests);
