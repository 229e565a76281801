// SPDX-License-Identifier: GPL-2.0-only
/* Exports with a logical volume of their own: what LVM is told, and what is undone. */
#include <errno.h>
#include <signal.h>

#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"
#define UUID2 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a50"

#define CREATE	"lvcreate --yes --wipesignatures y --addtag rblk --addtag rblk_" UUID1 " --name a "
#define CLONE	"lvcreate --yes --snapshot --addtag rblk --addtag rblk_" UUID1 " --name b "
#define MINE	"rblk,rblk_" UUID1
#define THICK	CREATE "--size 10737418240b vg0"
#define THIN	CREATE "--virtualsize 10737418240b --thin vg0/pool-1"
#define REMOVE	"lvremove --yes vg0/a"
#define LVS	"lvs --reportformat json --options vg_name,lv_name,lv_layout,lv_attr,lv_tags "

/* As lvs prints it. */
#define REPORT(layout, attr, tags)						\
	"  {\n      \"report\": [\n          {\n              \"lv\": [\n"		\
	"                  {\"vg_name\":\"vg0\", \"lv_name\":\"a\", "		\
	"\"lv_layout\":\"" layout "\", \"lv_attr\":\"" attr "\", \"lv_tags\":\"" tags "\"}\n" \
	"              ]\n          }\n      ]\n  }\n"

static void program(unsigned int i, const char *line, const char *out, int status,
		    const char *said)
{
	fake.programs[i].line = line;
	fake.programs[i].out = out;
	fake.programs[i].ended = (struct ended){ .status = status };
	snprintf(fake.programs[i].ended.said, sizeof(fake.programs[i].ended.said), "%s", said);
}

/* An export of a volume that was made for it, or not. */
static void offered(const char *report)
{
	run_ok("export add a /dev/vg0/a --uuid " UUID1 " --allow " KEY1);
	fake.log[0] = '\0';
	program(0, LVS "/dev/vg0/a", report, 0, "");
	program(1, REMOVE, "", 0, "");
}

static void makes_volume(void **state)
{
	struct json_object *top;

	(void)state;
	program(0, THICK, "  Logical volume \"a\" created.\n", 0, "");
	program(1, THIN, "", 0, "  WARNING: sum of all thin volume sizes exceeds the pool");
	run_ok("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_string_equal(result.out, UUID1 "\n");
	assert_string_equal(fake.log, "[" THICK "] +:a");
	assert_string_equal(fake.add.path, "/dev/vg0/a");
	run_ok("export remove a");
	run_ok("export add a --pool vg0/pool-1 --size 10G --allow-any --json --uuid " UUID1);
	assert_string_equal(fake.log, "[" THIN "] +:a");
	top = result_json();
	assert_string_equal(json_member(top, "/logical_volume"), "vg0/a");
	assert_string_equal(json_member(top, "/device"), "/dev/vg0/a");
	json_object_put(top);
}

/* It is in the file by its path, and a boot makes no other one. */
static void saved(void **state)
{
	(void)state;
	program(0, THICK, "", 0, "");
	run_ok("export add a --pool vg0 --size 10G --allow-any --save --uuid " UUID1);
	run_ok("export remove a");
	run_ok("apply");
	assert_string_equal(fake.log, "+:a");
	assert_string_equal(fake.add.path, "/dev/vg0/a");
	fake_config("exports = ( { name = \"a\"; pool = \"vg0\"; uuid = \"" UUID1 "\"; } );\n");
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "pool");
}

/* Its tag is chosen before the export is made, and is what the export then has. */
static void bears_uuid(void **state)
{
	char uuid[UUID_TEXT];

	(void)state;
	program(0, "lvcreate * --name a --size 10737418240b vg0", "", 0, "");
	run_ok("export add a --pool vg0 --size 10G --allow-any");
	uuid_text(uuid, fake.add.uuid);
	assert_has(fake.log, "--addtag rblk_");
	assert_memory_equal(strstr(fake.log, "rblk_") + 5, uuid, UUID_TEXT - 1);
}

static void clones(void **state)
{
	struct json_object *top;

	(void)state;
	offered(REPORT("thin,sparse", "Vwi-aotz--", MINE));
	program(2, CLONE "--setactivationskip n vg0/a", "", 0, "");
	program(3, CLONE "--size 1073741824b vg0/a", "", 0, "");
	run_ok("export add b --clone-of a --allow-any --json --uuid " UUID1);
	assert_string_equal(fake.log, "[" CLONE "--setactivationskip n vg0/a] +:b");
	assert_string_equal(fake.add.path, "/dev/vg0/b");
	top = result_json();
	assert_string_equal(json_member(top, "/clone_of"), "a");
	json_object_put(top);
	run_ok("export remove b");
	run_tool("export add b --clone-of a --size 1G --allow-any --uuid " UUID1);
	assert_has(result.err, "vg0/a is in a thin pool, where a snapshot takes what it needs");
	/* What somebody else has made is an origin, too. */
	program(0, LVS "/dev/vg0/a", REPORT("linear", "-wi-ao----", ""), 0, "");
	run_ok("export add b --clone-of a --size 1G --allow-any --uuid " UUID1);
	assert_string_equal(fake.log, "[" CLONE "--size 1073741824b vg0/a] +:b");
	run_ok("export remove b");
	run_tool("export add b --clone-of a --allow-any --uuid " UUID1);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "vg0/a is in no thin pool");
	assert_has(result.err, "try: --size");
	run_tool("export add b --clone-of none --allow-any --uuid " UUID1);
	assert_has(result.err, "export add b: ");
	assert_has(result.err, "try: rblkctl export list");
	program(0, LVS "/dev/vg0/a", "", 5, "  Failed to find logical volume \"vg0/a\"");
	run_tool("export add b --clone-of a --size 1G --allow-any --uuid " UUID1);
	assert_has(result.err, "export add b: lvs /dev/vg0/a:   Failed to find");
	assert_int_equal(fake.nr_exports, 1);
}

/* Names come from a report, too, and are looked at before they are in a command. */
static void strange_answers(void **state)
{
	static const char * const reports[] = {
		"", "{}", "[]", "{ \"report\": [ { \"lv\": [] } ] }",
		"{ \"report\": [ { \"lv\": [ { \"vg_name\": \"-f\", \"lv_name\": \"a\" } ] } ] }",
		"{ \"report\": [ { \"lv\": [ { \"vg_name\": \"vg0\", \"lv_name\": \"a/b\" } ] } ] }",
		"{ \"report\": [ { \"lv\": [ { \"vg_name\": 7, \"lv_name\": null } ] } ] }",
	};
	size_t i;

	(void)state;
	offered("");
	for (i = 0; i < ARRAY_SIZE(reports); i++) {
		fake.programs[0].out = reports[i];
		run_tool("export remove a --destroy");
		assert_int_equal(result.status, EXIT_FAILED);
		assert_has(result.err, "lvs does not print as JSON what /dev/vg0/a is");
	}
	assert_string_equal(fake.log, "");
	/* lvs takes /dev/NAME for a group of that name, and prints all that is in it. */
	fake.programs[0].out = "{ \"report\": [ { \"lv\": ["
		"{ \"vg_name\": \"vg0\", \"lv_name\": \"a\", \"lv_tags\": \"" MINE "\" },"
		"{ \"vg_name\": \"vg0\", \"lv_name\": \"b\", \"lv_tags\": \"" MINE "\" } ] } ] }";
	run_tool("export remove a --destroy");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "lvs takes /dev/vg0/a for a volume group: it has 2 logical volumes");
	run_tool("export add b --clone-of a --size 1G --allow-any");
	assert_has(result.err, "it has 2 logical volumes");
	assert_string_equal(fake.log, "");
}

static void not_made(void **state)
{
	(void)state;
	program(0, THICK, "", 5, "Volume group \"vg0\" has insufficient free space");
	run_tool("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "[" THICK "]");
	assert_has(result.err,
		   "export add a: lvcreate vg0/a: Volume group \"vg0\" has insufficient free space");
	assert_has(result.err, "try: 'vgs vg0' and 'lvs vg0'");
	/* A name that is taken is seen before. */
	fake.log[0] = '\0';
	offered("");
	run_tool("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_string_equal(fake.log, "");
	assert_has(result.err, "there is an export of that name");
	run_ok("export remove a");
	fake.log[0] = '\0';
	fake.no_programs = true;
	run_tool("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_has(result.err, "there is no program lvcreate");
	assert_has(result.err, "try: apt-get install lvm2");
}

/* The module refuses it: the volume goes again. */
static void undone(void **state)
{
	(void)state;
	program(0, THICK, "", 0, "");
	program(1, REMOVE, "", 0, "");
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, EBUSY, 0, "the device is in use");
	run_tool("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "[" THICK "] [" REMOVE "]");
	assert_has(result.err, "export add a: the device is in use");
	/* Not even that works. */
	program(1, REMOVE, "", 5, "Logical volume vg0/a in use.");
	run_tool("export add a --pool vg0 --size 10G --allow-any --json --uuid " UUID1);
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_has(result.err, "the device is in use; and it was not removed again: "
		   "lvremove vg0/a: Logical volume vg0/a in use.");
	assert_has(result.err, "try: lvremove vg0/a");
	json_object_put(result_json());
}

static void interrupted(void **state)
{
	(void)state;
	program(0, THICK, "", 0, "");
	program(1, REMOVE, "", 0, "");
	fake.interrupt = SIGINT;
	fake.interrupt_in = "lvcreate";
	run_tool("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.died, SIGINT);
	assert_string_equal(fake.log, "[" THICK "] [" REMOVE "]");
	assert_int_equal(fake.nr_exports, 0);
	/* On the way back, nothing is interrupted. */
	fake.log[0] = '\0';
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, EBUSY, 0, "the device is in use");
	fake.interrupt_in = "lvremove";
	run_tool("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_string_equal(fake.log, "[" THICK "] [" REMOVE "]");
}

/* Nobody knows whether it is there, and another one of that name might be. */
static void hangs(void **state)
{
	(void)state;
	program(0, THICK, "", 0, "");
	fake.programs[0].ended.error = ETIMEDOUT;
	run_tool("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_string_equal(fake.log, "[" THICK "]");
	assert_has(result.err, "lvcreate vg0/a gave no answer within 300 s");
	assert_has(result.err, "try: lvs: if it is there, lvremove vg0/a");
	fake.programs[0].ended = (struct ended){ .signal = SIGKILL };
	run_tool("export add a --pool vg0 --size 10G --allow-any --uuid " UUID1);
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_has(result.err, "was ended by signal 9");
}

static void is_destroyed(void **state)
{
	struct json_object *top;

	(void)state;
	offered(REPORT("linear", "-wi-ao----", "gold," MINE));
	run_ok("export remove a --destroy --json");
	assert_string_equal(fake.log, "-:a [" REMOVE "]");
	top = result_json();
	assert_string_equal(json_member(top, "/destroyed"), "vg0/a");
	json_object_put(top);
}

static void destroy_refused(void **state)
{
	(void)state;
	offered(REPORT("linear", "-wi-ao----", "rblkx,xrblk"));
	run_tool("export remove a --destroy");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "export remove a: rblkctl has not made vg0/a");
	assert_has(result.err, "rblkctl export remove a, then 'lvremove vg0/a'");
	/* Another one has this path now. */
	fake.programs[0].out = REPORT("linear", "-wi-ao----", "rblk,rblk_" UUID2);
	run_tool("export remove a --destroy");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "export remove a: vg0/a was not made for this export");
	assert_has(result.err, "try: 'lvs -o lv_name,lv_tags vg0'");
	fake.programs[0].out = REPORT("linear", "-wi-ao----", "rblk");
	run_tool("export remove a --destroy");
	assert_has(result.err, "vg0/a was not made for this export");
	fake.programs[0].out = REPORT("linear", "owi-aos---", MINE);
	run_tool("export remove a --destroy");
	assert_has(result.err, "vg0/a has snapshots, which would go with it");
	/* Those of a thin volume don't. */
	fake.programs[0].out = REPORT("thin,sparse", "Vwi-aotz--", MINE);
	fake_fail(RBLKT_IOC_EXPORT_REMOVE, RBLK_STAGE_BUSY, EBUSY, 0, "a host has it attached");
	run_tool("export remove a --destroy");
	assert_has(result.err, "a host has it attached");
	assert_has(result.err, "rblkctl session remove HOST --force");
	assert_null(strstr(result.err, "removes it nevertheless"));
	fake_fail(RBLKT_IOC_EXPORT_REMOVE, RBLK_STAGE_BACKING, EBUSY, 0, "I/O has not ended");
	run_tool("export remove a --destroy");
	assert_has(result.err, "once the disk answers");
	assert_null(strstr(result.err, "removes it nevertheless"));
	run_tool("export remove a --destroy --force");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_string_equal(fake.log, "");
	assert_int_equal(fake.nr_exports, 1);
}

/* LVM keeps it: so it is offered as before. */
static void offered_again(void **state)
{
	struct rblkt_ioc_export_show before;

	(void)state;
	offered(REPORT("linear", "-wi-ao----", MINE));
	before = fake.exports[0];
	program(1, REMOVE, "", 5, "Logical volume vg0/a in use.");
	run_tool("export remove a --destroy");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "-:a [" REMOVE "] +:a");
	assert_has(result.err, "export remove a: lvremove vg0/a: Logical volume vg0/a in use.");
	assert_memory_equal(&fake.exports[0], &before, sizeof(before));
	assert_memory_equal(fake.kept_hosts[0][0].key, fake.add_hosts[0].key, KEY_BYTES);
	/* Not even that works. */
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, EBUSY, 0, "the device is in use");
	run_tool("export remove a --destroy");
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_has(result.err, "in use.; and it is no longer exported: the device is in use");
}

/* A signal before the volume is gone: all is as before. */
static void destroy_interrupted(void **state)
{
	(void)state;
	offered(REPORT("linear", "-wi-ao----", MINE));
	fake.interrupt = SIGTERM;
	fake.interrupt_after = RBLKT_IOC_EXPORT_REMOVE;
	run_tool("export remove a --destroy");
	assert_int_equal(fake.died, SIGTERM);
	assert_string_equal(fake.log, "-:a +:a");
	/* What is done is done. */
	fake.log[0] = '\0';
	fake.interrupt_in = "lvremove";
	run_tool("export remove a --destroy");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(fake.log, "-:a [" REMOVE "]");
}

static void words(void **state)
{
	static const struct {
		const char *line;
		const char *error;
	} bad[] = {
		{ "export add a --pool vg0", "--size is missing, which goes with --pool" },
		{ "export add a --pool -f --size 1G", "--pool '-f': not a volume group" },
		{ "export add a --pool @tag --size 1G", "not a volume group" },
		{ "export add a --pool vg0/ --size 1G", "not a volume group" },
		{ "export add a --pool /vg0 --size 1G", "not a volume group" },
		{ "export add a --pool vg0/p/q --size 1G", "not a volume group" },
		{ "export add a --pool .. --size 1G", "not a volume group" },
		{ "export add a --pool vg0;reboot --size 1G", "not a volume group" },
		{ "export add a:b --pool vg0 --size 1G", "LVM takes no ':'" },
		{ "export add a --clone-of ../b", "--clone-of '../b': " },
		{ "export add a --pool vg0 --clone-of b --size 1G", "exclude each other" },
		{ "export add a /dev/a --pool vg0 --size 1G", "exclude each other" },
		{ "export add a /dev/a --file /a", "exclude each other" },
		{ "export add a --file /a --clone-of b", "exclude each other" },
		{ "export add a /dev/a --size 1G", "--size goes with" },
		{ "export add a --pool vg0 --size 1000", "not a multiple of 4k" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		run_tool(bad[i].line);
		assert_int_equal(result.status, EXIT_USAGE);
		assert_has(result.err, bad[i].error);
	}
	assert_string_equal(fake.log, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(makes_volume),
	TEST(saved),
	TEST(bears_uuid),
	TEST(clones),
	TEST(strange_answers),
	TEST(not_made),
	TEST(undone),
	TEST(interrupted),
	TEST(hangs),
	TEST(is_destroyed),
	TEST(destroy_refused),
	TEST(offered_again),
	TEST(destroy_interrupted),
	TEST(words),
};

SUITE(pool, tests);
