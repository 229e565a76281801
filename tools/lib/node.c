// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/node.h"

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
 * node_device() - the number of a block device
 * @path: where its node is
 * @number: the result
 *
 * Return: 0 or a negative errno.
 */
int node_device(const char *path, dev_t *number)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	*number = st.st_rdev;
	return S_ISBLK(st.st_mode) ? 0 : -ENOTBLK;
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
 * @timeout_ms: how long to wait, -1 for ever
 *
 * Return: its length, 0 when the time is over, or a negative errno: EINTR when a
 * signal came, ENOBUFS when messages have been lost.
 */
int node_uevent(int fd, char *text, size_t room, int timeout_ms)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	struct sockaddr_nl from;
	struct iovec part = { .iov_base = text, .iov_len = room - 1 };
	struct msghdr message = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &part, .msg_iovlen = 1,
	};
	ssize_t len;
	int n;

	do {
		/* Unlike a receive, it never goes on after a signal. */
		n = poll(&readable, 1, timeout_ms);
		if (n <= 0)
			return n ? -errno : 0;
		message.msg_namelen = sizeof(from);
		len = recvmsg(fd, &message, 0);
		if (len < 0)
			return -errno;
	} while (from.nl_pid);	/* not from the kernel */
	text[len] = '\0';
	return len;
}
