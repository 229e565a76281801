// SPDX-License-Identifier: GPL-2.0-only
/* Signals: none leaves half of anything behind, and each ends every wait. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"

/* For a process to say something, on a machine that is busy. */
#define WAIT_MS	30000

int rblkctl_main(int argc, char **argv);

static const char config[] =
	"portals = ( \"any\" );\n"
	"exports = ( { name = \"a\"; device = \"/dev/a\"; uuid = \"" UUID1 "\"; } );\n"
	"volumes = ( { export = \"10.0.0.1/x\"; insecure = true; },\n"
	"            { export = \"10.0.0.1/y\"; insecure = true; } );\n";

/* As signal(7) has them: what ends a program that does not expect it. */
static const int ending[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU,
	SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, 40 /* a real-time signal */
};

/* Between two steps: what was done is undone. */
static void between_steps(void **state)
{
	size_t i;

	(void)state;
	fake_config(config);
	for (i = 0; i < ARRAY_SIZE(ending); i++) {
		fake.log[0] = '\0';
		fake.interrupt = ending[i];
		fake.interrupt_after = RBLKT_IOC_EXPORT_ADD;
		run_tool("apply");
		if (strcmp(fake.log, "+:portal +:a -:a -:portal"))
			fail_msg("signal %d: %s", ending[i], fake.log);
		assert_int_equal(result.status, EXIT_FAILED);
		assert_int_equal(fake.died, ending[i]);
		assert_has(result.err, "attach 10.0.0.1/x: interrupted");
		assert_has(result.err, "nothing has been changed");
	}
}

/* Udev looks at a new device, which cannot be detached again before it has closed it. */
static void udev_looks(void **state)
{
	pid_t udev;

	(void)state;
	fake_config(config);
	fake_file("/run/udev/control", "");
	fake.held = "/run/udev/data/b0:0";
	fake.interrupt = SIGTERM;
	fake.interrupt_after = RBLK_IOC_ATTACH;
	udev = fork();
	if (!udev) {
		usleep(400000);
		fake_file(fake.held, "");
		_exit(0);
	}
	run_tool("apply");
	waitpid(udev, NULL, 0);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "+:portal +:a +:x -:x -:a -:portal");
	assert_has(result.err, "nothing has been changed");
}

/* On the way back another one changes nothing. */
static void on_the_way_back(void **state)
{
	(void)state;
	fake_config(config);
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_CONNECT, EIO, 0, "it does not work");
	fake.interrupt = SIGHUP;
	fake.interrupt_after = RBLKT_IOC_EXPORT_REMOVE;
	run_tool("apply");
	assert_string_equal(fake.log, "+:portal +:a -:a -:portal");
	assert_int_equal(result.status, EXIT_FAILED);
}

/* When nobody reads any more, all of it is done. */
static void nobody_reads(void **state)
{
	(void)state;
	fake_config(config);
	fake.interrupt = SIGPIPE;
	fake.interrupt_after = RBLKT_IOC_EXPORT_ADD;
	run_tool("apply");
	assert_string_equal(fake.log, "+:portal +:a +:x +:y");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(fake.died, 0);
}

/* As with nohup(1). */
static void ignored(void **state)
{
	(void)state;
	fake_config(config);
	signal(SIGHUP, SIG_IGN);
	fake.interrupt = SIGHUP;
	fake.interrupt_after = RBLKT_IOC_EXPORT_ADD;
	run_tool("apply");
	signal(SIGHUP, SIG_DFL);
	assert_string_equal(fake.log, "+:portal +:a +:x +:y");
	assert_int_equal(result.status, EXIT_OK);
}

/* What is done is done, and said. */
static void after_the_last(void **state)
{
	(void)state;
	fake.interrupt = SIGTERM;
	fake.interrupt_after = RBLK_IOC_ATTACH;
	run_tool("attach --insecure 10.0.0.1/x");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.out, "/dev/rblk0\n");
	assert_int_equal(fake.died, 0);
}

static void watches(void **state)
{
	(void)state;
	fake_volume(0, "10.0.0.1", "x");
	fake_stat(0, 0, 0);
	fake.moments = 5;
	fake.interrupt = SIGTERM;
	fake.interrupt_after = RBLK_IOC_STAT;
	run_tool("stat --watch");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.err, "");
	/* One that was to say something has not. */
	fake.interrupt_after = RBLK_IOC_STAT;
	run_tool("stat");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.died, SIGTERM);
}

/* Name servers take their time; see __wrap_getaddrinfo() in resolve.c. */
static void looks_up(void **state)
{
	time_t start = time(NULL);

	(void)state;
	run_tool("attach --insecure hanging/x");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.died, SIGTERM);
	assert_has(result.err, "attach hanging/x: interrupted");
	assert_true(time(NULL) - start <= 2);
	assert_int_equal(fake.nr_attach, 0);
}

/**
 * struct restoring - "restore --wait forever" as a process of its own
 * @pid: of it
 * @said: its standard error, and output
 * @text: what it said
 * @used: bytes of @text
 */
struct restoring {
	pid_t pid;
	int said;
	char text[4096];
	size_t used;
};

static void be_restore(int out)
{
	char *argv[5] = { "rblkctl", "restore", "--wait", "forever", NULL };
	sigset_t all;
	int status;

	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	status = rblkctl_main(4, argv);
	fflush(stdout);
	if (fake.died) {
		signal(fake.died, SIG_DFL);
		sigfillset(&all);
		sigprocmask(SIG_UNBLOCK, &all, NULL);
		raise(fake.died);
	}
	_exit(status);
}

/* More of what it says; false when nobody can say anything any more. */
static bool hear(struct restoring *r)
{
	struct pollfd readable = { .fd = r->said, .events = POLLIN };
	ssize_t len;

	if (poll(&readable, 1, WAIT_MS) <= 0)
		fail_msg("it only says: %s", r->text);
	len = read(r->said, r->text + r->used, sizeof(r->text) - r->used - 1);
	if (len <= 0)
		return false;
	r->used += len;
	r->text[r->used] = '\0';
	return true;
}

/* One volume is there, and one comes; an export never does. */
static void begin_restore(struct restoring *r)
{
	int ends[2];

	memset(r, 0, sizeof(*r));
	fake_config(config);
	fake_volume(0, "10.0.0.1", "x");
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, ENOENT, 0, "no such device");
	fake.sleeps = true;
	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	fflush(stderr);
	r->pid = fork();
	if (!r->pid) {
		close(ends[0]);
		be_restore(ends[1]);
	}
	close(ends[1]);
	r->said = ends[0];
	while (!strstr(r->text, "tried again"))
		assert_true(hear(r));
	/* Until the other ones are done, and this one sleeps. */
	usleep(1000000);
}

static void restores(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	struct restoring r;
	int status;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		begin_restore(&r);
		/* To the one process, as kill(1) does. */
		kill(r.pid, signals[i]);
		/* The pipe is closed when the last of them has ended. */
		while (hear(&r))
			;
		assert_int_equal(waitpid(r.pid, &status, 0), r.pid);
		close(r.said);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_has(r.text, "added      volume  10.0.0.1/y");
		assert_has(r.text, "failed     export  a             no such device");
		assert_has(r.text, "interrupted (");
		assert_has(r.text, "1 of 3 are not there");
		fake.nr_volumes = 0;
	}
}

/* Nobody goes on for a tool that is gone. */
static void is_killed(void **state)
{
	struct restoring r;
	int status;

	(void)state;
	begin_restore(&r);
	kill(r.pid, SIGKILL);
	while (hear(&r))
		;
	assert_int_equal(waitpid(r.pid, &status, 0), r.pid);
	close(r.said);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(between_steps),
	TEST(udev_looks),
	TEST(on_the_way_back),
	TEST(nobody_reads),
	TEST(ignored),
	TEST(after_the_last),
	TEST(watches),
	TEST(looks_up),
	TEST(restores),
	TEST(is_killed),
};

SUITE(interrupt, tests);
