// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "node.h"

/**
 * node_open() - open a control node
 * @path: RBLK_CONTROL_PATH or RBLK_TARGET_PATH
 *
 * Return: a file descriptor or a negative errno.
 */
int node_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/**
 * node_ioctl() - one control command
 * @fd: from node_open()
 * @command: RBLK_IOC_* or RBLKT_IOC_*
 * @arg: its structure
 *
 * Return: 0 or a negative errno.
 */
int node_ioctl(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg) < 0 ? -errno : 0;
}

/**
 * node_close() - undo node_open()
 * @fd: from node_open()
 */
void node_close(int fd)
{
	close(fd);
}

/**
 * node_root() - where /dev, /etc, /proc and /sys are found
 *
 * Return: a directory without trailing slash; empty but in tests.
 */
const char *node_root(void)
{
	return "";
}

/**
 * node_time() - a clock that only goes forward
 *
 * Return: seconds since some time.
 */
double node_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/**
 * node_sleep() - wait
 * @seconds: for so long
 *
 * Return: 0, or a negative errno when a signal came.
 */
int node_sleep(unsigned int seconds)
{
	struct timespec t = { .tv_sec = seconds };

	return nanosleep(&t, NULL) ? -errno : 0;
}

/**
 * node_die() - end by a signal
 * @signal: which one
 */
void node_die(int signal)
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

/* All that there is, of which what has no room is dropped. */
static void read_all(int fd, char *text, size_t room)
{
	char rest[512];
	size_t used = 0;
	ssize_t n;

	for (;;) {
		bool full = used == room - 1;

		n = full ? read(fd, rest, sizeof(rest)) :
			   read(fd, text + used, room - 1 - used);
		if (n < 0 && errno == EINTR && !interrupt_pending())
			continue;
		if (n <= 0)
			break;
		used += full ? 0 : n;
	}
	text[used] = '\0';
}

static int spawn(const char * const *argv, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int err;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(pid, argv[0], &actions, NULL, (char * const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/**
 * node_run() - run a program
 * @argv: its name and arguments, then NULL
 * @text: what it prints
 * @room: bytes at @text
 *
 * Return: its exit status, or a negative errno.
 */
int node_run(const char * const *argv, char *text, size_t room)
{
	int ends[2], err, status;
	pid_t pid;

	if (interrupt_pending())
		return -EINTR;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	err = spawn(argv, ends[1], &pid);
	close(ends[1]);
	if (!err)
		read_all(ends[0], text, room);
	close(ends[0]);
	if (err)
		return err;
	/* It may not hear of what ends us. */
	if (interrupt_pending())
		kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/**
 * node_uevents() - what the kernel tells about devices, from now on
 *
 * Return: a file descriptor to read messages from, or a negative errno.
 */
int node_uevents(void)
{
	struct sockaddr_nl all = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&all, sizeof(all)))
		return fd;
	close(fd);
	return -errno;
}

/**
 * node_uevent() - wait for the next message
 * @fd: from node_uevents()
 * @text: the message, strings each with its NUL
 * @room: bytes at @text, one of which is kept for a NUL
 *
 * Return: its length, 0 when there will be none any more, or a negative errno:
 * EINTR when a signal came, ENOBUFS when messages have been lost.
 */
int node_uevent(int fd, char *text, size_t room)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	struct sockaddr_nl from;
	struct iovec part = { .iov_base = text, .iov_len = room - 1 };
	struct msghdr message = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &part, .msg_iovlen = 1,
	};
	ssize_t len;

	do {
		/* Unlike a receive, it never goes on after a signal. */
		if (poll(&readable, 1, -1) < 0)
			return -errno;
		message.msg_namelen = sizeof(from);
		len = recvmsg(fd, &message, 0);
		if (len < 0)
			return -errno;
	} while (from.nl_pid);	/* not from the kernel */
	text[len] = '\0';
	return len;
}
