// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/users.h"
#include "tool.h"

static char users[512];

static unsigned int describe(int index)
{
	return users_describe(fake.root, index, users, sizeof(users));
}

static int setup(void **state)
{
	if (fake_setup(state))
		return -1;
	fake_file("/sys/block/rblk1/dev", "259:7\n");
	fake_file("/sys/block/rblk1/rblk1p1/dev", "259:8\n");
	fake_file("/sys/block/rblk11/dev", "259:9\n");
	fake_file("/proc/self/mountinfo",
		  "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	return 0;
}

static void nobody(void **state)
{
	(void)state;
	assert_int_equal(describe(1), 0);
	assert_string_equal(users, "");
	assert_int_equal(describe(2), 0);
}

static void mounts(void **state)
{
	(void)state;
	fake_file("/proc/self/mountinfo",
		  "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		  "40 22 259:7 / /mnt/with\\040blank rw shared:1 - ext4 /dev/rblk1 rw\n"
		  "41 22 259:8 / /part rw - xfs /dev/mapper/x rw\n"
		  "42 22 0:50 /vol /btrfs rw - btrfs /dev/rblk1p1 rw\n"
		  "43 22 259:9 / /other rw - ext4 /dev/rblk11 rw\n"
		  "not a line of mountinfo\n"
		  "44 22 259:7 / /short rw\n");
	assert_int_equal(describe(1), 3);
	assert_string_equal(users,
			    "mounted on /mnt/with blank, mounted on /part, mounted on /btrfs");
	assert_int_equal(describe(11), 1);
	assert_string_equal(users, "mounted on /other");
}

static void other_namespaces(void **state)
{
	(void)state;
	fake_link("/proc/self/ns/mnt", "mnt:[1]");
	fake_link("/proc/10/ns/mnt", "mnt:[1]");
	fake_link("/proc/20/ns/mnt", "mnt:[2]");
	fake_link("/proc/21/ns/mnt", "mnt:[2]");
	fake_file("/proc/20/comm", "nginx\n");
	fake_file("/proc/21/comm", "nginx\n");
	fake_file("/proc/20/mountinfo", "40 22 259:7 / /data rw - ext4 /dev/rblk1 rw\n");
	fake_file("/proc/21/mountinfo", "40 22 259:7 / /data rw - ext4 /dev/rblk1 rw\n");
	assert_int_equal(describe(1), 1);
	assert_has(users, "mounted on /data in the mount namespace of nginx (pid 2");
}

static void swap_and_holders(void **state)
{
	(void)state;
	fake_file("/proc/swaps",
		  "Filename\t\t\t\tType\t\tSize\n"
		  "/dev/sda2                partition\t1\n"
		  "/dev/rblk1p1             partition\t1\n"
		  "/dev/rblk11              partition\t1\n");
	fake_file("/sys/block/rblk1/holders/md0", "");
	fake_file("/sys/block/rblk1/rblk1p1/holders/dm-3", "");
	fake_file("/sys/block/dm-3/dm/name", "vg0-data\n");
	assert_int_equal(describe(1), 3);
	assert_string_equal(users,
			    "swap on /dev/rblk1p1, held by md0, held by dm-3 (vg0-data)");
}

/* A block device node that nothing opens: only its number matters. */
static void openers(void **state)
{
	char node[128];

	(void)state;
	fake_file("/proc/33/comm", "fio\n");
	fake_file("/proc/33/fd/0", "");
	snprintf(node, sizeof(node), "%s/proc/33/fd/5", fake.root);
	if (mknod(node, S_IFBLK | 0600, makedev(259, 8)))
		skip();
	assert_int_equal(describe(1), 1);
	assert_string_equal(users, "open by fio (pid 33)");
	assert_int_equal(describe(11), 0);
}

static void little_room(void **state)
{
	char tiny[40];

	(void)state;
	fake_file("/proc/self/mountinfo",
		  "40 22 259:7 / /one rw - ext4 /dev/rblk1 rw\n"
		  "41 22 259:7 / /a/path/that/does/not/fit/any/more rw - ext4 /dev/rblk1 rw\n"
		  "42 22 259:7 / /3 rw - ext4 /dev/rblk1 rw\n");
	assert_int_equal(users_describe(fake.root, 1, tiny, sizeof(tiny)), 3);
	assert_string_equal(tiny, "mounted on /one, mounted on /3");
}

static void hostile_names(void **state)
{
	(void)state;
	fake_file("/proc/self/mountinfo",
		  "40 22 259:7 / /a\\033[2Jb\\012c rw - ext4 /dev/rblk1 rw\n");
	assert_int_equal(describe(1), 1);
	assert_string_equal(users, "mounted on /a?[2Jb?c");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(nobody),
	TEST(mounts),
	TEST(other_namespaces),
	TEST(swap_and_holders),
	TEST(openers),
	TEST(little_room),
	TEST(hostile_names),
};

SUITE(users, tests);
