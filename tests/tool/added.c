// SPDX-License-Identifier: GPL-2.0-only
/* The option "--save": what has just been added is in the file, too, and only that. */
#include <unistd.h>

#include "config/config.h"
#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"

static char text[8192];

static const char *file_text(void)
{
	char path[128];
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s" CONFIG_PATH, fake.root);
	file = fopen(path, "r");
	if (file) {
		len = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[len] = '\0';
	return text;
}

static void volume(void **state)
{
	(void)state;
	fake_config("portals = ( \"any\" );\n"
		    "volumes = ( { export = \"10.0.0.1/x\"; insecure = true; queues = 9; } );\n");
	run_ok("attach --insecure 10.0.0.9/other");
	run_ok("attach --insecure 10.0.0.1/x --depth 64 --save");
	assert_has(result.out, "/dev/rblk1\n");
	assert_has(file_text(), "export = \"10.0.0.1/x\";\n\t\tdepth = 64;\n\t\tinsecure = true;\n");
	/* As it is now; what else runs is not kept, and what else is kept stays. */
	assert_null(strstr(text, "queues"));
	assert_null(strstr(text, "other"));
	assert_has(text, "portals = (\n\t\"0.0.0.0:4421\"\n);");
	assert_null(strstr(text, "exports"));
	run_ok("attach --insecure 10.0.0.1/y --save --json");
	json_object_put(result_json());
	assert_has(file_text(), "10.0.0.1/x");
	assert_has(text, "10.0.0.1/y");
}

static void target(void **state)
{
	(void)state;
	run_ok("export add a /dev/a --uuid " UUID1 " --allow-any --save");
	run_ok("portal add 10.0.0.3:99 --save");
	run_ok("portal add any --save");
	assert_has(file_text(), "\t\tname = \"a\";\n\t\tdevice = \"/dev/a\";\n");
	assert_has(text, "uuid = \"" UUID1 "\";");
	assert_has(text, "\t\"10.0.0.3:99\",\n\t\"0.0.0.0:4421\"\n");
	/* It is what is running. */
	fake.log[0] = '\0';
	run_ok("apply");
	assert_string_equal(fake.log, "");
}

/* What could not be kept is not even attached. */
static void before(void **state)
{
	(void)state;
	fake_config("volumes = (\n");
	run_tool("attach --insecure 10.0.0.1/x --save");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "rblkctl: attach 10.0.0.1/x: /etc/rblk/rblk.conf:");
	assert_int_equal(fake.nr_volumes, 0);
	fake_config("@include \"more.conf\"\n");
	run_tool("export add a /dev/a --save");
	assert_int_equal(result.status, EXIT_FAILED);
	run_tool("portal add any --save");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.nr_exports + fake.nr_portals, 0);
}

/* What turns out only then leaves the volume where it is, and is said. */
static void after(void **state)
{
	struct rblk_failure fail;
	int lock = running_lock(0, &fail);

	(void)state;
	assert_true(lock >= 0);
	run_tool("attach --insecure 10.0.0.1/x --save");
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_string_equal(result.out, "/dev/rblk0\n");
	assert_has(result.err, "another rblkctl is applying a configuration");
	assert_has(result.err, "it is there, but not in /etc/rblk/rblk.conf");
	assert_int_equal(fake.nr_volumes, 1);
	close(lock);
}

/* An export may be attached twice, with a session each: what was added is kept, not the other. */
static void volume_twice(void **state)
{
	(void)state;
	run_ok("attach --insecure 10.0.0.1/x --shared --queues 2");
	run_ok("attach --insecure 10.0.0.1/x --shared --source 10.0.0.7 --depth 64 --save");
	assert_string_equal(result.out, "/dev/rblk1\n");
	assert_has(file_text(), "depth = 64;");
	assert_has(text, "source = \"10.0.0.7\";");
	assert_null(strstr(text, "queues"));
	/* The file's entry says that it is not that of rblk0. */
	run_ok("detach rblk1");
	run_ok("attach --insecure 10.0.0.1/x --shared --source 10.0.0.7 --save");
	assert_null(strstr(file_text(), "depth"));
	run_ok("detach rblk1");
	fake_config("volumes = ( { export = \"10.0.0.1/x\"; insecure = true; index = 5; } );\n");
	run_ok("attach --insecure 10.0.0.1/x --shared --index 5 --depth 32 --save");
	assert_has(file_text(), "depth = 32;");
}

/* The entry of a volume that still runs does not become another one's. */
static void volume_of_another(void **state)
{
	(void)state;
	run_ok("attach --insecure 10.0.0.1/x --shared --queues 2 --save");
	run_tool("attach --insecure 10.0.0.1/x --shared --source 10.0.0.7 --save");
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_string_equal(result.out, "/dev/rblk1\n");
	assert_has(result.err, "rblk.conf is /dev/rblk0's, which is attached, too");
	assert_has(result.err, "it is there, but not in /etc/rblk/rblk.conf\n");
	/* That would be refused: the file has no place for both. */
	assert_null(strstr(result.err, "rblkctl save"));
	assert_has(file_text(), "queues = 2;");
	assert_null(strstr(text, "source"));
	run_ok("detach rblk0");
	run_ok("detach rblk1");
	run_ok("attach --insecure 10.0.0.1/x --depth 32 --save");
	assert_has(file_text(), "depth = 32;");
}

/* The file cannot say it of itself. */
static void not_a_key(void **state)
{
	(void)state;
	fake_config("volumes = ( { export = \"10.0.0.1/x\"; insecure = true; save = true; } );\n");
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "save");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(volume),
	TEST(volume_twice),
	TEST(volume_of_another),
	TEST(target),
	TEST(before),
	TEST(after),
	TEST(not_a_key),
};

SUITE(added, tests);
