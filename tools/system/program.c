// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "system/interrupt.h"
#include "system/program.h"

/**
 * system_time() - a clock that only goes forward
 *
 * Return: seconds since some time.
 */
double system_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/**
 * system_sleep() - wait
 * @seconds: for so long
 *
 * Return: 0, or a negative errno when a signal came.
 */
int system_sleep(unsigned int seconds)
{
	struct timespec t = { .tv_sec = seconds };

	return nanosleep(&t, NULL) ? -errno : 0;
}

/**
 * system_die() - end by a signal
 * @signal: which one
 */
void system_die(int signal)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t all;

	sigaction(signal, &action, NULL);
	raise(signal);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	/* Not reached: who catches a signal knows that it ends a program. */
	_exit(128 + signal);
}

/* What a program prints goes here; what has no room is dropped. */
struct sink {
	int fd;
	char *text;
	size_t room;
	size_t used;
};

/* Return: whether there may be more. */
static bool read_some(struct sink *sink)
{
	char rest[512];
	bool full = sink->used == sink->room - 1;
	ssize_t n;

	n = full ? read(sink->fd, rest, sizeof(rest)) :
		   read(sink->fd, sink->text + sink->used, sink->room - 1 - sink->used);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	sink->used += full ? 0 : n;
	return n;
}

static int milliseconds_until(double end)
{
	double left = (end - system_time()) * 1000;

	return left > 0 ? (int)left + 1 : 0;
}

/**
 * struct patience - how long a program is waited for
 * @end: until then
 * @changes: a signal does not end the wait, as what the program does would be left half
 *           done: it has RUN_SECONDS from then on
 * @hurried: such a signal has come
 */
struct patience {
	double end;
	bool changes;
	bool hurried;
};

/* Return: whether to wait no longer, over a signal. */
static bool given_up(struct patience *patience)
{
	double end = system_time() + RUN_SECONDS;

	if (!interrupt_pending())
		return false;
	if (!patience->changes)
		return true;
	if (!patience->hurried && end < patience->end)
		patience->end = end;
	patience->hurried = true;
	return false;
}

/* Return: whether all has been read in time, and before a signal. */
static bool read_both(struct sink sink[2], struct patience *patience)
{
	struct pollfd polled[2];
	int i, n, left;

	for (i = 0; i < 2; i++)
		polled[i] = (struct pollfd){ .fd = sink[i].fd, .events = POLLIN };
	while (polled[0].fd >= 0 || polled[1].fd >= 0) {
		left = milliseconds_until(patience->end);
		n = left ? poll(polled, 2, left) : 0;
		if (!n || given_up(patience))
			return false;
		for (i = 0; n > 0 && i < 2; i++)
			if (polled[i].revents && !read_some(&sink[i]))
				polled[i].fd = -1;	/* which poll() passes over */
	}
	return true;
}

/*
 * A program that hangs in the kernel does not even end when it is killed: it is
 * left behind then.
 */
static void reap(pid_t pid, struct patience *patience, struct ended *ended)
{
	struct timespec moment = { .tv_nsec = 5000000 };
	int status;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG)) && milliseconds_until(patience->end) &&
	       !given_up(patience))
		nanosleep(&moment, NULL);
	if (!got && !ended->error) {
		ended->error = interrupt_pending() ? EINTR : ETIMEDOUT;
		kill(pid, SIGKILL);
		waitpid(pid, &status, WNOHANG);
	} else if (got < 0) {
		ended->error = errno;
	} else if (got && !ended->error) {
		ended->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		ended->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	}
}

/*
 * What changes something is in a group of its own, and not of the terminal's: Ctrl-C is
 * for us. It does not inherit signals that we have blocked, and asks nobody anything.
 */
static int spawn(const char * const *argv, int out, int complaint, bool changes, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int err;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
				 (changes ? POSIX_SPAWN_SETPGROUP : 0));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, complaint, STDERR_FILENO);
	err = posix_spawnp(pid, argv[0], &actions, &attr, (char * const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return err;
}

static void run(const char * const *argv, int out[2], int complaint[2],
		struct sink sink[2], struct patience *patience, struct ended *ended)
{
	pid_t pid;

	ended->error = spawn(argv, out[1], complaint[1], patience->changes, &pid);
	close(out[1]);
	close(complaint[1]);
	if (ended->error)
		return;
	if (!read_both(sink, patience)) {
		ended->error = interrupt_pending() ? EINTR : ETIMEDOUT;
		/* It may not hear of what ends us. */
		kill(pid, SIGKILL);
		patience->end = system_time() + 1;
	}
	reap(pid, patience, ended);
}

/* Some programs warn first, as LVM does, and say only then why they failed. */
static void take_complaint(char *said, size_t room, char *text)
{
	char *rest = text, *line, *first = NULL;

	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " ");
		first = first ? first : line;
		if (*line && strncmp(line, "WARNING", strlen("WARNING")))
			break;
	}
	snprintf(said, room, "%s", line ? line : first);
}

static int run_patiently(const char * const *argv, char *text, size_t room,
			 struct patience patience, struct ended *ended)
{
	char complained[2048];
	int out[2], complaint[2];
	struct sink sink[2];

	memset(ended, 0, sizeof(*ended));
	text[0] = '\0';
	if (interrupt_pending()) {
		ended->error = EINTR;
		return -1;
	}
	if (pipe2(out, O_CLOEXEC)) {
		ended->error = errno;
		return -1;
	}
	if (pipe2(complaint, O_CLOEXEC)) {
		ended->error = errno;
		close(out[0]);
		close(out[1]);
		return -1;
	}
	sink[0] = (struct sink){ .fd = out[0], .text = text, .room = room };
	sink[1] = (struct sink){ .fd = complaint[0], .text = complained,
				 .room = sizeof(complained) };
	run(argv, out, complaint, sink, &patience, ended);
	close(out[0]);
	close(complaint[0]);
	text[sink[0].used] = '\0';
	complained[sink[1].used] = '\0';
	take_complaint(ended->said, sizeof(ended->said), complained);
	return ended->error || ended->signal || ended->status ? -1 : 0;
}

/**
 * system_run() - run a program that tells something
 * @argv: its name and arguments, then NULL
 * @text: what it prints
 * @room: bytes at @text
 * @ended: how it ended
 *
 * It has RUN_SECONDS for that, and is killed then, or when a signal comes.
 *
 * Return: 0 when it ended with status 0, else -1.
 */
int system_run(const char * const *argv, char *text, size_t room, struct ended *ended)
{
	struct patience patience = { .end = system_time() + RUN_SECONDS };

	return run_patiently(argv, text, room, patience, ended);
}

/**
 * system_change() - run a program that changes something
 * @argv: its name and arguments, then NULL
 * @text: what it prints
 * @room: bytes at @text
 * @ended: how it ended; with an error, nobody knows what it has done
 *
 * It has CHANGE_SECONDS for that, or RUN_SECONDS more after a signal, which is not for it.
 * So its caller looks after it whether to go on or back.
 *
 * Return: 0 when it ended with status 0, else -1.
 */
int system_change(const char * const *argv, char *text, size_t room, struct ended *ended)
{
	struct patience patience = { .end = system_time() + CHANGE_SECONDS, .changes = true };

	return run_patiently(argv, text, room, patience, ended);
}

/* What the process that reads tells. */
struct read_result {
	int err;
	double seconds;
};

static int read_directly(const char *path, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *data;
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (posix_memalign(&data, bytes, bytes))
		return -ENOMEM;
	n = pread(fd, data, bytes, 0);
	if (n < 0)
		return -errno;
	return (size_t)n == bytes ? 0 : -EIO;
}

static void tell_read(const char *path, size_t bytes, int to)
{
	struct read_result result;
	double start = system_time();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	result.err = read_directly(path, bytes);
	result.seconds = system_time() - start;
	_exit(write(to, &result, sizeof(result)) != sizeof(result));
}

/* Return: 0 when the process has told, before @end and before a signal. */
static int await_read(int from, double end, struct read_result *result)
{
	struct pollfd told = { .fd = from, .events = POLLIN };
	int n;

	do {
		n = poll(&told, 1, milliseconds_until(end));
		if (interrupt_pending())
			return -EINTR;
	} while (n < 0 && errno == EINTR);
	if (!n)
		return -ETIMEDOUT;
	return read(from, result, sizeof(*result)) == sizeof(*result) ? 0 : -ECHILD;
}

/**
 * system_read() - read the first bytes of a device from its disk
 * @path: the device
 * @bytes: a power of two that its blocks divide
 * @seconds: how long the read took
 *
 * Nothing ends a read whose disk hangs, not even SIGKILL.  So a process of its own
 * reads, and is left behind after RUN_SECONDS.
 *
 * Return: 0 or a negative errno: ETIMEDOUT after that time, EINTR after a signal.
 */
int system_read(const char *path, size_t bytes, double *seconds)
{
	struct read_result result = { .err = 0 };
	struct patience patience = { .end = system_time() + RUN_SECONDS };
	struct ended ended = { .error = 0 };
	int tell[2], err;
	pid_t pid;

	if (pipe2(tell, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		tell_read(path, bytes, tell[1]);
	err = pid < 0 ? -errno : 0;
	close(tell[1]);
	if (!err)
		err = await_read(tell[0], patience.end, &result);
	close(tell[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		patience.end = system_time() + 0.1;
		reap(pid, &patience, &ended);
	}
	*seconds = result.seconds;
	return err ?: result.err;
}
