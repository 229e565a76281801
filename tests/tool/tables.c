// SPDX-License-Identifier: GPL-2.0-only
/* What tables look like: which columns, headings, colours, letters. */
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"

int __wrap_isatty(int fd);

int __wrap_isatty(int fd)
{
	(void)fd;
	return fake.terminal;
}

static void three_volumes(void)
{
	fake_volume(0, "10.0.0.1", "data");
	fake_volume(1, "10.0.0.1", "logs");
	fake_volume(12, "10.0.0.2", "more");
	fake.volumes[1].volume.state = RBLK_VOL_WAITING;
	fake.volumes[2].volume.state = RBLK_VOL_FAILED;
	snprintf(fake.volumes[2].volume.reason, RBLK_ERROR_LEN, "it is away");
}

static void two_exports(const char *first, const char *second)
{
	snprintf(fake.exports[0].name, RBLK_NAME_LEN, "alpha");
	snprintf(fake.exports[0].path, RBLK_PATH_LEN, "%s", first);
	snprintf(fake.exports[1].name, RBLK_NAME_LEN, "beta");
	snprintf(fake.exports[1].path, RBLK_PATH_LEN, "%s", second);
	fake.nr_exports = 2;
}

/* In the order in which they are asked for. */
static void columns(void **state)
{
	(void)state;
	three_volumes();
	run_ok("list -o state,Device");
	assert_string_equal(result.out, "STATE    DEVICE\n"
					"live     /dev/rblk0\n"
					"waiting  /dev/rblk1\n"
					"failed   /dev/rblk12\n");
	run_ok("list --output=reason,export");
	assert_string_equal(result.out, "REASON      EXPORT\n"
					"            data\n"
					"            logs\n"
					"it is away  more\n");
	/* No line ends in blanks. */
	run_ok("list -o export,reason");
	assert_string_equal(result.out, "EXPORT  REASON\ndata\nlogs\nmore    it is away\n");
}

/* Two columns of "top" have one heading until one of them is asked for. */
static void columns_of_top(void **state)
{
	(void)state;
	three_volumes();
	fake_stat(0, 0, 0);
	fake_stat(1, 0, 0);
	fake_stat(12, 0, 0);
	fake.moments = 4;
	run_ok("top -n 1 -o device,write-bytes/s");
	assert_has(result.out, "written\nDEVICE  WRITE-BYTES/S\nrblk0   0B\n");
	run_ok("stat -n 1 --sort io -o busy,export");
	assert_has(result.out, "written\nBUSY  EXPORT\n0%    10.0.0.1/data\n");
	run_ok("stat -n 1 -o busy,device");
	assert_has(result.out, "BUSY  DEVICE\n0%    /dev/rblk0\n");
	run_tool("stat rblk0 -o device");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "stat: --output: there is no column 'device'");
}

static void headings(void **state)
{
	(void)state;
	three_volumes();
	run_ok("list --no-headings --output device");
	assert_string_equal(result.out, "/dev/rblk0\n/dev/rblk1\n/dev/rblk12\n");
}

static void empty(void **state)
{
	(void)state;
	run_ok("list");
	assert_string_equal(result.out, "DEVICE  TARGET  EXPORT  SIZE  ACCESS  STATE  REASON\n");
	run_ok("list -o size,device");
	assert_string_equal(result.out, "SIZE  DEVICE\n");
	run_ok("list --no-headings");
	assert_string_equal(result.out, "");
}

/* Nobody is asked for it, and no argument is needed. */
static void help(void **state)
{
	(void)state;
	run_ok("discover --insecure -o help");
	assert_has(result.out, "  EXPORT          the export's name\n");
	assert_has(result.out, "  UUID            the export's identity\n");
	run_ok("stat -o help");
	assert_has(result.out, "  WIRE  ");
	run_ok("stat rblk0 -o help");
	assert_has(result.out, "  PART  ");
	run_ok("session stat -o help");
	assert_true(!strncmp(result.out, "  HOST  ", 8));
	assert_int_equal(fake.calls, 0);
}

static void wrong(void **state)
{
	static const struct {
		const char *line, *says;
	} tests[] = {
		{ "list -o devixe", "no column 'devixe'; did you mean 'DEVICE'?\n" },
		{ "export list --output name,Devise",
			"no column 'Devise'; did you mean 'DEVICE'?\n" },
		{ "list -o size,,state", "there is no column ''\n" },
		{ "list -o \033[31m", "there is no column '?[31m'\n" },
		{ "list -o size,Size", "SIZE is given twice\n" },
		{ "list -o", "--output needs a value\n" },
		{ "list -o size --json",
			"--json and --output or --no-headings exclude each other\n" },
		{ "list --json --no-headings",
			"--json and --output or --no-headings exclude each other\n" },
		{ "show rblk0 -o size", "unknown option '-o'" },
		{ "list --color", "--color needs a value\n" },
		{ "list --color=yes", "--color 'yes': not auto, always or never\n" },
	};
	char line[300] = "list -o ";
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		run_tool(tests[i].line);
		assert_int_equal(result.status, EXIT_USAGE);
		assert_has(result.err, tests[i].says);
	}
	memset(line + strlen(line), 'x', sizeof(line) - strlen(line) - 1);
	run_tool(line);
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "the list is too long");
	assert_int_equal(fake.calls, 0);
}

/* A request has room for the columns of each table, and each can be asked for by its name. */
static void all_tables(void **state)
{
	struct request req = { .nr_columns = 0 };
	const struct column *column;
	unsigned int i, called;

	(void)state;
	for (i = 0; i < 2 * VERB_NR; i++) {
		req.verb = i % VERB_NR;
		req.given = i < VERB_NR ? 0 : OPTION_BIT(OPTION_SORT);
		column = request_columns(&req);
		if (!column)
			continue;
		assert_true(column_called(column, "") <= MAX_COLUMNS);
		for (; column->name; column++) {
			assert_true(column->help && column->help[0]);
			called = column_called(request_columns(&req), column->name);
			assert_ptr_equal(&request_columns(&req)[called], column);
		}
	}
}

#define IN(color, text)	"\033[" color "m" text "\033[0m"

static const char colorful[] =
	"STATE    DEVICE\n"
	IN("32", "live   ") "  /dev/rblk0\n"
	IN("33", "waiting") "  /dev/rblk1\n"
	IN("31", "failed ") "  /dev/rblk12\n";

static void colors(void **state)
{
	(void)state;
	three_volumes();
	run_ok("list -o state,device --color always");
	assert_string_equal(result.out, colorful);
	run_ok("show rblk0 --color always");
	assert_has(result.out, "state                 " IN("32", "live") "\n");
	run_ok("list");
	assert_null(strchr(result.out, '\033'));
	run_tool("show rblk7");
	assert_true(!strncmp(result.err, "rblkctl: show rblk7:", 20));
	run_tool("show rblk7 --color always");
	assert_true(!strncmp(result.err, IN("31", "rblkctl:") " show rblk7:", 29));
	run_tool("list --color always --colour");
	assert_true(!strncmp(result.err, IN("31", "rblkctl:") " list: unknown", 31));
}

static void colors_of_terminals(void **state)
{
	(void)state;
	three_volumes();
	fake.terminal = true;
	setenv("TERM", "xterm", 1);
	run_ok("list -o state,device");
	assert_string_equal(result.out, colorful);
	run_tool("show rblk7");
	assert_true(!strncmp(result.err, IN("31", "rblkctl:"), 17));
	run_ok("list -o state,device --color never");
	assert_null(strchr(result.out, '\033'));
	setenv("TERM", "dumb", 1);
	run_ok("list");
	assert_null(strchr(result.out, '\033'));
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	run_ok("list");
	assert_null(strchr(result.out, '\033'));
	run_ok("list -o state,device --color always");
	assert_string_equal(result.out, colorful);
	/* As https://no-color.org has it. */
	setenv("NO_COLOR", "", 1);
	run_ok("list");
	assert_non_null(strchr(result.out, '\033'));
	unsetenv("NO_COLOR");
}

/* Paths may have any; what drives a terminal gets there in no locale. */
static void letters(void **state)
{
	static const char * const locale[] = { "C", "C.UTF-8", "nowhere" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(locale); i++) {
		setenv("LC_ALL", locale[i], 1);
		alarm(20);
		two_exports("/dev/vg/f\303\274r", "/dev/vg/\377\033[2J\302\233");
		run_ok("export list -o device,name");
		assert_string_equal(result.out, "DEVICE           NAME\n"
						"/dev/vg/f\303\274r      alpha\n"
						"/dev/vg/??[2J??  beta\n");
		/* A letter as wide as two, and half a character pair. */
		two_exports("/dev/\344\270\255", "/dev/\355\240\200");
		run_ok("export list -o device,name");
		assert_has(result.out, "/dev/\344\270\255            alpha\n");
		assert_has(result.out, "/dev/\\xed\\xa0\\x80  beta\n");
	}
	unsetenv("LC_ALL");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(columns),
	TEST(columns_of_top),
	TEST(headings),
	TEST(empty),
	TEST(help),
	TEST(wrong),
	TEST(all_tables),
	TEST(colors),
	TEST(colors_of_terminals),
	TEST(letters),
};

SUITE(tables, tests);
