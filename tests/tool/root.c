// SPDX-License-Identifier: GPL-2.0-only
/* The volume that the machine's root file system is on: nothing takes it away. */
#include <string.h>

#include "tool.h"

#define WORDS "has the root file system of this machine on it"

/* rblk0, a partition of it, a mapping on that, and md on rblk1 with a partition. */
static int setup(void **state)
{
	if (fake_setup(state))
		return -1;
	fake_volume(0, "10.0.0.1", "data");
	fake_volume(1, "10.0.0.1", "more");
	fake_file("/sys/devices/virtual/block/rblk0/dev", "259:0\n");
	fake_file("/sys/devices/virtual/block/rblk0/rblk0p1/dev", "259:1\n");
	fake_file("/sys/devices/virtual/block/dm-0/dev", "253:0\n");
	fake_link("/sys/devices/virtual/block/dm-0/slaves/rblk0p1", "../../rblk0/rblk0p1");
	fake_file("/sys/devices/virtual/block/dm-1/dev", "253:1\n");
	fake_link("/sys/devices/virtual/block/dm-1/slaves/dm-0", "../../dm-0");
	fake_file("/sys/devices/virtual/block/md0/md0p1/dev", "9:1\n");
	fake_link("/sys/devices/virtual/block/md0/slaves/rblk1", "../../rblk1");
	fake_file("/sys/devices/virtual/block/sda/sda1/dev", "8:1\n");
	fake_link("/sys/dev/block/259:0", "../../devices/virtual/block/rblk0");
	fake_link("/sys/dev/block/259:1", "../../devices/virtual/block/rblk0/rblk0p1");
	fake_link("/sys/dev/block/253:0", "../../devices/virtual/block/dm-0");
	fake_link("/sys/dev/block/253:1", "../../devices/virtual/block/dm-1");
	fake_link("/sys/dev/block/9:1", "../../devices/virtual/block/md0/md0p1");
	fake_link("/sys/dev/block/8:1", "../../devices/virtual/block/sda/sda1");
	return 0;
}

static void root_on(const char *mountinfo)
{
	fake_file("/proc/1/mountinfo", mountinfo);
}

static void stays(int index)
{
	assert_true(rblk_is_root(index));
	assert_false(rblk_is_root(!index));
	run_tool(index ? "detach rblk1" : "detach rblk0");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, WORDS);
	run_tool(index ? "detach rblk1 --force" : "detach rblk0 --force");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, WORDS);
	assert_has(result.err, "try: shut the machine down");
	assert_int_equal(fake.detach.size, 0);
}

static void itself(void **state)
{
	(void)state;
	root_on("22 1 259:0 / / rw - ext4 /dev/rblk0 rw\n");
	stays(0);
	run_ok("detach rblk1");
}

static void partition(void **state)
{
	(void)state;
	root_on("22 1 259:1 / / rw - ext4 /dev/rblk0p1 rw\n");
	stays(0);
}

static void mapped(void **state)
{
	(void)state;
	root_on("22 1 253:1 / / rw - xfs /dev/mapper/vg0-root rw\n");
	stays(0);
}

static void md_partition(void **state)
{
	(void)state;
	root_on("22 1 9:1 / / rw - ext4 /dev/md0p1 rw\n");
	stays(1);
}

/* Its device has a number of its own, and the source's says which it is. */
static void btrfs(void **state)
{
	(void)state;
	root_on("22 1 0:30 /@ / rw - btrfs /dev/rblk0 rw\n");
	fake_file("/dev/rblk0", "259:0\n");
	stays(0);
}

/* The last that was mounted there counts: an initial RAM disk is below it. */
static void over_another(void **state)
{
	(void)state;
	root_on("1 1 0:2 / / rw - tmpfs none rw\n"
		"22 1 259:0 / / rw - ext4 /dev/rblk0 rw\n"
		"40 22 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
	stays(0);
	root_on("22 1 259:0 / / rw - ext4 /dev/rblk0 rw\n"
		"23 22 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"40 23 259:0 / /srv rw - ext4 /dev/rblk0 rw\n");
	assert_false(rblk_is_root(0));
	run_ok("detach rblk0");
}

static void elsewhere(void **state)
{
	(void)state;
	assert_false(rblk_is_root(0));
	root_on("not a line\n22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 1 259:0 / / rw\n");
	assert_false(rblk_is_root(0));
	root_on("22 1 7:7 / / rw - ext4 /dev/gone rw\n");
	assert_false(rblk_is_root(0));
	run_ok("detach rblk0");
}

#define VOLUME(name, more) \
	"{ export = \"10.0.0.1/" name "\"; insecure = true; " more "}"

static int setup_keeping(void **state)
{
	if (fake_setup_keeping(state))
		return -1;
	fake_file("/sys/devices/virtual/block/rblk0/dev", "259:0\n");
	fake_link("/sys/dev/block/259:0", "../../devices/virtual/block/rblk0");
	root_on("22 1 259:0 / / rw - ext4 /dev/rblk0 rw\n");
	fake_config("volumes = ( " VOLUME("root", "") ", " VOLUME("more", "") " );\n");
	run_ok("apply");
	fake.log[0] = '\0';
	return 0;
}

/* It is not in the list, and neither "apply" nor "down" minds. */
static void left_alone(void **state)
{
	(void)state;
	fake_config("volumes = ( " VOLUME("other", "") " );\n");
	run_ok("apply");
	assert_string_equal(fake.log, "-:more +:other");
	assert_null(strstr(result.out, "10.0.0.1/root"));
	fake.log[0] = '\0';
	run_tool("down --only volumes");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(fake.log, "-:other");
	assert_string_equal(result.err,
			    "rblkctl: down: /dev/rblk0 stays: it " WORDS "\n");
	assert_null(strstr(result.out, "10.0.0.1/root"));
}

/* What would have to be attached anew is not detached. */
static void not_replaced(void **state)
{
	(void)state;
	fake_config("volumes = ( " VOLUME("root", "read-only = true; ") " );\n");
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, WORDS);
	assert_has(result.err, "nothing has been changed");
	assert_has(fake.log, "+:more");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)
#define KEEPING(name) cmocka_unit_test_setup_teardown(name, setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(itself),
	TEST(partition),
	TEST(mapped),
	TEST(md_partition),
	TEST(btrfs),
	TEST(over_another),
	TEST(elsewhere),
	KEEPING(left_alone),
	KEEPING(not_replaced),
};

SUITE(root, tests);
