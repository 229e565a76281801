// SPDX-License-Identifier: GPL-2.0-only
/* Protection information of backing devices: said, shown, and wanted on where there is any. */
#include "lib/protection.h"
#include "tool.h"

#define NOTE(disk) "rblkctl: " disk " has protection information (T10-DIF-TYPE1-CRC): " \
	"this machine makes and checks it, hosts do not see it\n"
#define UUID(digit) "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4" digit
#define CANNOT "rblkctl: export add a: sda has protection information (T10-DIF-TYPE1-CRC), but " \
	"this machine is set "

static void set(const char *disk, const char *name, const char *value)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/block/%s/integrity/%s", disk, name);
	fake_file(path, value);
}

static void disk(const char *name, const char *number, const char *format)
{
	char path[96], to[96];

	snprintf(path, sizeof(path), "/dev/%s", name);
	fake_file(path, number);
	snprintf(path, sizeof(path), "/sys/dev/block/%s", number);
	snprintf(to, sizeof(to), "../../block/%s", name);
	fake_link(path, to);
	set(name, "format", format);
	set(name, "write_generate", "1\n");
	set(name, "read_verify", "1\n");
}

/* @upper is a device on @lower. */
static void stack(const char *upper, const char *lower)
{
	char path[96], to[96];

	snprintf(path, sizeof(path), "/sys/block/%s/slaves/%s", upper, lower);
	snprintf(to, sizeof(to), "../../%s", lower);
	fake_link(path, to);
}

static int setup(void **state)
{
	if (fake_setup_keeping(state) || fake_share())
		return -1;
	disk("sda", "8:0", "T10-DIF-TYPE1-CRC\n");
	disk("sdb", "8:16", "none\n");
	disk("nvme0n1", "259:0", "nop\n");
	return 0;
}

/* An export "a" of the device, and what is said about it. */
static const char *added(const char *device)
{
	char line[128];

	if (fake.nr_exports)
		run_ok("export remove a");
	snprintf(line, sizeof(line), "export add a %s --allow-any", device);
	run_tool(line);
	return result.err;
}

static void said(void **state)
{
	struct json_object *top;

	(void)state;
	assert_string_equal(added("/dev/sda"), NOTE("sda"));
	assert_int_equal(result.status, EXIT_OK);
	run_ok("export show a");
	assert_has(result.out,
		   "protection            T10-DIF-TYPE1-CRC of sda, made on writes, checked on reads\n");
	run_ok("export show a --json");
	top = result_json();
	assert_string_equal(json_member(top, "/protection"), "T10-DIF-TYPE1-CRC");
	json_object_put(top);
	/* Whoever switches it off later can see that. */
	set("sda", "write_generate", "0\n");
	set("sda", "read_verify", "0\n");
	run_ok("export show a");
	assert_has(result.out, "of sda, not made on writes, not checked on reads\n");
}

static void without(void **state)
{
	static const char * const devices[] = { "/dev/sdb", "/dev/nvme0n1", "/dev/none" };
	size_t i;

	(void)state;
	set("sdb", "write_generate", "0\n");
	set("nvme0n1", "read_verify", "0\n");
	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		assert_string_equal(added(devices[i]), "");
		assert_int_equal(result.status, EXIT_OK);
		run_ok("export show a");
		assert_null(strstr(result.out, "protection"));
		run_ok("export show a --json");
		assert_null(strstr(result.out, "protection"));
	}
}

static void refused(void **state)
{
	(void)state;
	set("sda", "write_generate", "0\n");
	assert_string_equal(added("/dev/sda"),
			    CANNOT "not to make it (write_generate is 0), and hosts cannot (stage backing)\n"
			    "  try: echo 1 | tee /sys/block/sda/integrity/write_generate\n");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.nr_exports, 0);
	set("sda", "read_verify", "0\n");
	assert_has(added("/dev/sda"),
		   CANNOT "neither to make nor to check it (write_generate and read_verify are 0), and");
	assert_has(result.err,
		   "try: echo 1 | tee /sys/block/sda/integrity/{write_generate,read_verify}\n");
	set("sda", "write_generate", "1\n");
	assert_has(added("/dev/sda"), CANNOT "not to check it (read_verify is 0), and hosts");
	assert_has(result.err, "try: echo 1 | tee /sys/block/sda/integrity/read_verify\n");
	assert_int_equal(fake.nr_exports, 0);
	set("sda", "read_verify", "1\n");
	assert_string_equal(added("/dev/sda"), NOTE("sda"));
}

static void partition(void **state)
{
	(void)state;
	fake_file("/dev/sda2", "8:2\n");
	fake_file("/sys/block/sda/sda2/partition", "2\n");
	fake_link("/sys/dev/block/8:2", "../../block/sda/sda2");
	assert_string_equal(added("/dev/sda2"), NOTE("sda"));
	set("sda", "read_verify", "0\n");
	assert_has(added("/dev/sda2"), CANNOT "not to check it");
}

/* A mirror of a partition and a disk, below a mapping: what is off below counts. */
static void stacked(void **state)
{
	(void)state;
	disk("dm-0", "253:0", "none\n");
	disk("md0", "9:0", "none\n");
	disk("sdc", "8:32", "T10-DIF-TYPE1-CRC\n");
	stack("dm-0", "md0");
	stack("md0", "sdb");
	assert_string_equal(added("/dev/dm-0"), "");
	stack("md0", "sdc");
	assert_string_equal(added("/dev/dm-0"), NOTE("sdc"));
	fake_file("/sys/block/sda/sda2/partition", "2\n");
	fake_link("/sys/block/md0/slaves/sda2", "../../sda/sda2");
	set("sda", "write_generate", "0\n");
	assert_has(added("/dev/dm-0"), CANNOT "not to make it");
	set("sda", "write_generate", "1\n");
	set("sdc", "read_verify", "0\n");
	assert_has(added("/dev/dm-0"), "sdc has protection information");
	assert_int_equal(result.status, EXIT_FAILED);
	set("sdc", "read_verify", "1\n");
	/* Its own comes first. */
	set("dm-0", "format", "T10-DIF-TYPE1-CRC\n");
	assert_string_equal(added("/dev/dm-0"), NOTE("dm-0"));
}

/* What sysfs cannot say ends all the same. */
static void circle(void **state)
{
	struct protection found;

	(void)state;
	disk("dm-0", "253:0", "none\n");
	stack("dm-0", "dm-0");
	assert_false(protection_find("/dev/dm-0", &found));
}

/* At boot it is the same, and the other exports are there. */
static void configured(void **state)
{
	(void)state;
	fake_config("exports = (\n"
		    "{ name = \"a\"; device = \"/dev/sda\"; uuid = \"" UUID("a") "\"; },\n"
		    "{ name = \"b\"; device = \"/dev/sdb\"; uuid = \"" UUID("b") "\"; } );\n");
	set("sda", "write_generate", "0\n");
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, CANNOT + strlen("rblkctl: export add a: "));
	assert_int_equal(fake.nr_exports, 0);
	run_tool("apply --each");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "not to make it (write_generate is 0)");
	assert_int_equal(fake.nr_exports, 1);
	assert_string_equal(fake.exports[0].name, "b");
	set("sda", "write_generate", "1\n");
	run_tool("apply");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.err, NOTE("sda"));
	assert_int_equal(fake.nr_exports, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(said),
	TEST(without),
	TEST(refused),
	TEST(partition),
	TEST(stacked),
	TEST(circle),
	TEST(configured),
};

SUITE(protection, tests);
