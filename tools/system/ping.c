// SPDX-License-Identifier: GPL-2.0-only
/*
 * One echo request that must not be cut into fragments, to learn whether
 * packets of that size arrive.
 */
#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "system/program.h"
#include "rblk_ioctl.h"

#define PATIENCE_MS	1000
#define TRIES		2	/* the first may be lost while the neighbour is asked for */

static unsigned short checksum(const void *data, size_t bytes)
{
	const unsigned short *word = data;
	unsigned long sum = 0;

	for (; bytes > 1; bytes -= 2)
		sum += *word++;
	if (bytes)
		sum += *(const unsigned char *)word;
	sum = (sum >> 16) + (sum & 0xffff);
	sum += sum >> 16;
	return ~sum;
}

static int open_socket(const struct rblk_ioc_addr *to)
{
	bool v6 = to->family == AF_INET6;
	int probe = v6 ? IPV6_PMTUDISC_PROBE : IP_PMTUDISC_PROBE, fd;
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_scope_id = to->scope_id };
	struct sockaddr_in in = { .sin_family = AF_INET };

	fd = socket(to->family, SOCK_RAW | SOCK_CLOEXEC, v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
	if (fd < 0)
		return -errno;
	memcpy(&in6.sin6_addr, to->addr, sizeof(in6.sin6_addr));
	memcpy(&in.sin_addr, to->addr, sizeof(in.sin_addr));
	if (!setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP,
			v6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, &probe, sizeof(probe)) &&
	    !connect(fd, v6 ? (struct sockaddr *)&in6 : (struct sockaddr *)&in,
		     v6 ? sizeof(in6) : sizeof(in)))
		return fd;
	close(fd);
	return -errno;
}

/* Both versions' messages have the same form but for their types. */
static void make_request(struct icmphdr *to, size_t bytes, bool v6, unsigned short seq)
{
	memset(to, 0, bytes);
	to->type = v6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
	to->un.echo.id = htons(getpid());
	to->un.echo.sequence = htons(seq);
	if (!v6)	/* the kernel sums for IPv6 */
		to->checksum = checksum(to, bytes);
}

/* Whether what was read is the answer: IPv4 gives its own header too. */
static bool is_reply(const unsigned char *in, ssize_t len, bool v6)
{
	size_t skip = v6 ? 0 : (in[0] & 15) * 4;
	struct icmphdr reply;

	if (len < (ssize_t)(skip + sizeof(reply)))
		return false;
	memcpy(&reply, in + skip, sizeof(reply));
	return reply.type == (v6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY) &&
	       reply.un.echo.id == htons(getpid());
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

static int await_reply(int fd, unsigned char *in, size_t room, bool v6)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	long until = now_ms() + PATIENCE_MS, left;
	ssize_t len;

	while ((left = until - now_ms()) > 0) {
		if (poll(&readable, 1, left) < 0)
			return -errno;
		if (!readable.revents)
			break;
		len = recv(fd, in, room, 0);
		if (len < 0)
			return -errno;
		if (len && is_reply(in, len, v6))
			return 0;
	}
	return -ETIMEDOUT;
}

/**
 * system_echo() - whether a packet of this size arrives, and its answer
 * @to: where
 * @bytes: of the IP packet
 *
 * Return: 0; -ETIMEDOUT when nothing came back; -EMSGSIZE when it is more than
 * this host's own device takes; or another negative errno.
 */
int system_echo(const struct rblk_ioc_addr *to, size_t bytes)
{
	bool v6 = to->family == AF_INET6;
	size_t payload = bytes - (v6 ? 40 : 20);
	unsigned char *buffer = malloc(bytes + 64);
	int fd, err = -ENOMEM, i;

	if (!buffer)
		return err;
	fd = open_socket(to);
	err = fd < 0 ? fd : -ETIMEDOUT;
	for (i = 0; i < TRIES && err == -ETIMEDOUT; i++) {
		make_request((void *)buffer, payload, v6, i);
		if (send(fd, buffer, payload, 0) < 0)
			err = -errno;
		else
			err = await_reply(fd, buffer, bytes + 64, v6);
	}
	if (fd >= 0)
		close(fd);
	free(buffer);
	return err;
}
