// SPDX-License-Identifier: GPL-2.0-only
/* The verb "save": what it writes is what is running, and can be applied. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"
#define UUID2 "dd18b89e-2457-455c-945b-f2f2954336a5"

static const char config[] =
	"# a comment\n"
	"hosts = ( { name = \"web1\"; uuid = \"" UUID2 "\"; } );\n"
	"portals = ( \"any\", \"[fd00::1]:99\" );\n"
	"exports = (\n"
	"  { name = \"a\"; device = \"/dev/a \\\"b\\\\\"; uuid = \"" UUID1 "\";\n"
	"    allow = ( \"web1\", \"" UUID1 "\" ); insecure = true; read-only = true; },\n"
	"  { name = \"b\"; device = \"/dev/b\"; uuid = \"" UUID2 "\"; allow-any = true; } );\n"
	"volumes = ( { export = \"store/x\"; insecure = true; queues = 2; source = \"10.0.0.2\";\n"
	"    inline-read = 512; poll-queues = 1; },\n"
	"  { export = \"10.0.0.1:99/y\"; insecure = true; queue-timeout = \"forever\";\n"
	"    shared = true; } );\n";

/* What the tool has written, from its standard output. */
static void saved(void)
{
	run_ok("save --file -");
}

static void round_trip(void **state)
{
	struct rblk_ioc_asked *asked;

	(void)state;
	fake_config(config);
	run_ok("apply --only target");
	run_tool("apply --only volumes");
	assert_int_equal(result.status, EXIT_FAILED);	/* nobody knows "store" */
	asked = &fake_volume(0, "store", "x")->asked;
	asked->queues = 2;
	asked->poll_queues = 1;
	asked->flags |= RBLK_ATTACH_INLINE_READ;
	asked->inline_read = 512;
	asked->source.family = AF_INET;
	memcpy(asked->source.addr, "\x0a\0\0\x02", 4);
	fake_volume(1, "10.0.0.1:99", "y")->volume.queue_timeout = -1;
	fake.volumes[1].volume.access = RBLK_ATTACH_SHARED;
	run_ok("save");
	assert_string_equal(result.out, "");
	saved();
	assert_has(result.out, "{ name = \"web1\"; uuid = \"" UUID2 "\"; }");
	assert_has(result.out, "portals = (\n\t\"0.0.0.0:4421\",\n\t\"[fd00::1]:99\"\n);\n");
	assert_has(result.out, "\t\tdevice = \"/dev/a \\\"b\\\\\";\n");
	assert_has(result.out, "\t\tallow = ( \"web1\",\n\t\t\t\"" UUID1 "\" );\n");
	assert_has(result.out, "\t\tallow-any = true;\n");
	assert_has(result.out, "\t\texport = \"store/x\";\n"
		   "\t\tinline-read = 512;\n\t\tinsecure = true;\n\t\tpoll-queues = 1;\n\t\tqueues = 2;\n"
		   "\t\tsource = \"10.0.0.2\";\n\t\tuuid = \"10101010-");
	assert_has(result.out, "\t\texport = \"10.0.0.1:99/y\";\n\t\tinsecure = true;\n"
		   "\t\tqueue-timeout = \"forever\";\n\t\tshared = true;\n");
	/* It is what is running. */
	fake.log[0] = '\0';
	run_ok("apply");
	assert_string_equal(fake.log, "");
}

/* Every option of "attach", with another value than the default. */
#define ALL_OPTIONS							\
	"--depth 64 --digest --host-name me --host-uuid " UUID2 " --index 5 "	\
	"--inline-read 4096 --poll-queues 2 --queues 3 "		\
	"--queue-timeout 77 --read-only "				\
	"--shared --source 10.0.0.7 --target-key " KEY1 " --uuid " UUID1

/* What was asked for is saved, and restored as it was. */
static void options(void **state)
{
	struct rblk_ioc_attach first;
	static const char * const keys[] = {
		"depth = 64;", "digest = true;", "host-name = \"me\";", "host-uuid = \"" UUID2 "\";",
		"index = 5;", "inline-read = 4096;", "poll-queues = 2;", "queues = 3;",
		"queue-timeout = 77;", "read-only = true;", "shared = true;", "source = \"10.0.0.7\";",
		"target-key = \"" KEY1 "\";", "uuid = \"" UUID1 "\";",
	};
	size_t i;
	int id;

	(void)state;
	/* A new one is to be found here. */
	for (id = 0; id < OPTION_NR; id++)
		if (verb_takes(VERB_ATTACH, id) && id != OPTION_COLOR && id != OPTION_JSON &&
		    id != OPTION_HELP && id != OPTION_SAVE &&
		    id != OPTION_ALL_ROUTES && id != OPTION_TRUST_FIRST &&
		    id != OPTION_INSECURE)
			assert_has(ALL_OPTIONS, option_table[id].name);
	run_ok("attach 10.0.0.1/x " ALL_OPTIONS);
	first = fake.attach;
	run_ok("save");
	saved();
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		assert_has(result.out, keys[i]);
	run_ok("stop");
	run_ok("apply");
	assert_memory_equal(&fake.attach, &first, sizeof(first));
}

/* What was not asked for is not pinned down, whatever the file has. */
static void defaults(void **state)
{
	(void)state;
	fake_config("volumes = ( { export = \"10.0.0.1/x\"; insecure = true; index = 6; queues = 9; } );\n");
	run_ok("attach --insecure 10.0.0.1/x");
	saved();
	assert_has(result.out, "\t\texport = \"10.0.0.1/x\";\n\t\tinsecure = true;\n\t\tuuid = \"ab");
	assert_null(strstr(result.out, "index"));
	assert_null(strstr(result.out, "queue"));
	assert_null(strstr(result.out, "host"));
}

static void full_path(char full[128], const char *path)
{
	snprintf(full, 128, "%s%s", fake.root, path);
}

/* Who may read or write it is no matter of what it says; and a link stays one. */
static void rights_stay(void **state)
{
	char file[128], link[128];
	struct stat st;
	char value[8];

	(void)state;
	fake_file("/srv/real.conf", config);
	fake_link("/etc/rblk/rblk.conf", "../../srv/real.conf");
	full_path(file, "/srv/real.conf");
	full_path(link, "/etc/rblk/rblk.conf");
	assert_int_equal(chmod(file, 0600), 0);
	if (!geteuid())
		assert_int_equal(chown(file, 1234, 5678), 0);
	if (setxattr(file, "user.rblk", "kept", 4, 0))
		assert_int_equal(errno, EOPNOTSUPP);
	run_ok("save");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(file, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	if (!geteuid()) {
		assert_int_equal(st.st_uid, 1234);
		assert_int_equal(st.st_gid, 5678);
	}
	if (getxattr(file, "user.rblk", value, sizeof(value)) != 4)
		assert_int_equal(errno, EOPNOTSUPP);
	full_path(file, "/srv/real.conf.old");
	assert_int_equal(stat(file, &st), 0);
	full_path(file, "/srv/real.conf.new");
	assert_int_not_equal(stat(file, &st), 0);
	/* A new file is as any other. */
	run_ok("save --file /srv/other.conf");
	full_path(file, "/srv/other.conf");
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
}

/* A default ACL of the directory gives nobody more than the former file did. */
static void no_more_rights(void **state)
{
	/* Version 2; tag, rights and id of each: user::rwx u:65534:rw- group::r-x mask::rwx */
	static const unsigned char acl[] = {
		2, 0, 0, 0,
		1, 0, 7, 0, 255, 255, 255, 255,
		2, 0, 6, 0, 254, 255, 0, 0,
		4, 0, 5, 0, 255, 255, 255, 255,
		16, 0, 7, 0, 255, 255, 255, 255,
		32, 0, 5, 0, 255, 255, 255, 255,
	};
	char file[128], directory[128];

	(void)state;
	fake_config(config);
	full_path(file, "/etc/rblk/rblk.conf");
	full_path(directory, "/etc/rblk");
	assert_int_equal(chmod(file, 0640), 0);
	if (setxattr(directory, "system.posix_acl_default", acl, sizeof(acl), 0)) {
		assert_int_equal(errno, EOPNOTSUPP);
		skip();
	}
	run_ok("save");
	assert_int_equal(getxattr(file, "system.posix_acl_access", NULL, 0), -1);
	assert_int_equal(errno, ENODATA);
}

/* What does not fit does not come in place of what is there. */
static void full_disk(void **state)
{
	struct rlimit was, now;
	char command[128];

	(void)state;
	fake_config(config);
	run_tool("apply --only target");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	now = was;
	now.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	run_tool("save");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(result.status, EXIT_FAILED);
	snprintf(command, sizeof(command), "cd %s/etc/rblk && grep -q '# a comment' rblk.conf && "
		 "[ \"$(ls rblk*)\" = rblk.conf ]", fake.root);
	assert_int_equal(system(command), 0);
}

static void not_files(void **state)
{
	(void)state;
	fake_link("/etc/rblk/rblk.conf", "nowhere");
	run_tool("save");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "rblk.conf is a link to a file that is not there");
	run_tool("save --file /etc");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "/etc");
}

/* Several files are not made one. */
static void included(void **state)
{
	char command[256];

	(void)state;
	fake_file("/etc/rblk/exports.conf", "exports = ();\n");
	fake_config("\n# @include \"no\"\nportals = ();\n @include \t\"exports.conf\"\n");
	run_tool("save");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "save: /etc/rblk/rblk.conf:4: it includes \"exports.conf\"");
	assert_has(result.err, "try: its content in place of the @include");
	snprintf(command, sizeof(command), "cd %s/etc/rblk && grep -q '@include ' rblk.conf && "
		 "[ \"$(ls)\" = 'exports.conf\nrblk.conf' ]", fake.root);
	assert_int_equal(system(command), 0);
	saved();
	assert_has(result.out, "exports = (\n);\n");
}

/* What a signal meets in the middle stays as it was. */
static void interrupted(void **state)
{
	char command[256];

	(void)state;
	fake_config("volumes = ();\n");
	fake_volume(0, "10.0.0.1", "x");
	fake.interrupt = SIGTERM;
	fake.interrupt_after = RBLKT_IOC_PORTAL_LIST;
	run_tool("save");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.died, SIGTERM);
	snprintf(command, sizeof(command), "cd %s/etc/rblk && grep -q 'volumes = ();' rblk.conf && "
		 "[ \"$(ls rblk*)\" = rblk.conf ]", fake.root);
	assert_int_equal(system(command), 0);
}

static void loop_of(unsigned int nr, const char *autoclear, const char *file)
{
	char path[64], line[128];

	snprintf(path, sizeof(path), "/sys/block/loop%u/loop/autoclear", nr);
	snprintf(line, sizeof(line), "%s\n", autoclear);
	fake_file(path, line);
	snprintf(path, sizeof(path), "/sys/block/loop%u/loop/backing_file", nr);
	snprintf(line, sizeof(line), "%s\n", file);
	fake_file(path, line);
}

/* A loop device that we made is its file; another one is a device. */
static void backing_files(void **state)
{
	(void)state;
	fake_config("exports = (\n"
		    "  { name = \"a\"; device = \"/dev/loop3\"; uuid = \"" UUID1 "\"; },\n"
		    "  { name = \"b\"; device = \"/dev/loop4\"; uuid = \"" UUID2 "\"; } );\n");
	run_ok("apply");
	loop_of(3, "1", "/srv/a b.img");
	loop_of(4, "0", "/srv/b.img");
	saved();
	assert_has(result.out, "\t\tname = \"a\";\n\t\tfile = \"/srv/a b.img\";\n\t\tuuid");
	assert_has(result.out, "\t\tname = \"b\";\n\t\tdevice = \"/dev/loop4\";\n");
	/* What was written is what is running. */
	run_ok("save");
	fake.log[0] = '\0';
	run_ok("apply");
	assert_string_equal(fake.log, "");
}

/* The group is opened, kept in the file, and another one another export. */
static void control_groups(void **state)
{
	(void)state;
	run_tool("export add a /dev/a --cgroup storage.slice");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "cannot open control group /storage.slice");
	fake_file("/sys/fs/cgroup/storage.slice/io.max", "");
	run_tool("export add a /dev/a --cgroup storage.slice --uuid " UUID1);
	assert_int_equal(result.status, EXIT_OK);
	saved();
	assert_has(result.out, "\t\tcgroup = \"/storage.slice\";\n");
	run_ok("save");
	fake.log[0] = '\0';
	run_ok("apply");
	assert_string_equal(fake.log, "");
	fake_config("exports = ( { name = \"a\"; device = \"/dev/a\"; uuid = \"" UUID1 "\"; } );\n");
	run_tool("apply --dry-run");
	assert_has(result.out, "cgroup /storage.slice -> none");
}

/* Without a loop driver nothing is offered. */
static void no_loop_driver(void **state)
{
	(void)state;
	run_tool("export add a --file /srv/a --size 1M");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "cannot open /dev/loop-control");
	assert_has(result.err, "modprobe loop");
	assert_int_equal(fake.nr_exports, 0);
}

/* The former file is kept; nothing else is left behind. */
static void files(void **state)
{
	char command[256];

	(void)state;
	fake_config(config);
	run_ok("save --json");
	assert_has(result.out, "\"volumes\": 0");
	snprintf(command, sizeof(command), "cd %s/etc/rblk && grep -q '# a comment' "
		 "rblk.conf.old && grep -q 'Written by' rblk.conf && [ \"$(ls)\" = "
		 "'rblk.conf\nrblk.conf.old' ]", fake.root);
	assert_int_equal(system(command), 0);
	run_ok("save");
	run_ok("save --file /etc/rblk/new");
	snprintf(command, sizeof(command), "cd %s/etc/rblk && [ \"$(ls)\" = 'new\nrblk.conf\n"
		 "rblk.conf.old' ]", fake.root);
	assert_int_equal(system(command), 0);
	run_tool("save --file /nowhere/new");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "cannot write /nowhere/new: No such file");
}

static void check_old(const char *word)
{
	char command[256];

	run_ok("save");
	snprintf(command, sizeof(command), "cd %s/etc/rblk && grep -q '%s' rblk.conf.old && "
		 "! grep -q '%s' rblk.conf", fake.root, word, word);
	if (system(command))
		fail_msg("\"%s\" is not only in rblk.conf.old", word);
}

/* What somebody has written is not thrown away for what the tool can write again. */
static void former_file(void **state)
{
	(void)state;
	fake_config(config);
	check_old("# a comment");
	check_old("# a comment");
	run_ok("attach --insecure 10.0.0.1/x --save");
	check_old("# a comment");
	/* The latest of these; also where the tool has begun it. */
	fake_config("  # another\nvolumes = ();\n");
	check_old("# another");
	fake_config("# Written by 'rblkctl save'; see rblk.conf(5).\nvolumes = ();\n");
	check_old("# another");
	fake_config("# Written by 'rblkctl save'; see rblk.conf(5).\n// mine\nvolumes = ();\n");
	check_old("// mine");
	/* What it wrote may go. */
	fake_file("/etc/rblk/rblk.conf.old", "# Written by 'rblkctl save'; see rblk.conf(5).\n");
	fake_config("# Written by 'rblkctl save'; see rblk.conf(5).\nvolumes = ( );\n");
	check_old("volumes = ( );");
}

/* What a module that is not loaded would have is the file's to say. */
static void without_module(void **state)
{
	(void)state;
	fake_config(config);
	fake.open_error[RBLK_TARGET] = ENOENT;
	run_ok("save");
	saved();
	assert_has(result.out, "\t\tname = \"b\";\n");
	assert_has(result.out, "volumes = (\n);\n");
	assert_has(result.out, "[fd00::1]:99");
	fake.open_error[RBLK_INITIATOR] = EACCES;
	run_tool("save");
	assert_int_equal(result.status, EXIT_FAILED);
}

/* A file that cannot be read is no reason to throw it away. */
static void broken_file(void **state)
{
	(void)state;
	fake_config("exports = ( oops");
	run_tool("save");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "save: /etc/rblk/rblk.conf:1: syntax error");
	run_ok("save --file /etc/rblk/other");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(round_trip),
	TEST(options),
	TEST(defaults),
	TEST(rights_stay),
	TEST(no_more_rights),
	TEST(full_disk),
	TEST(not_files),
	TEST(included),
	TEST(interrupted),
	TEST(backing_files),
	TEST(control_groups),
	TEST(no_loop_driver),
	TEST(files),
	TEST(former_file),
	TEST(without_module),
	TEST(broken_file),
};

SUITE(save, tests);
