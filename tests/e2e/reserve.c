// SPDX-License-Identifier: GPL-2.0-only
/*
 * reserve VERB DEVICE [ARGUMENT...]: one ioctl of <linux/pr.h> on a block device.
 *
 *   register DEVICE OLD NEW [ignore]   reserve DEVICE KEY TYPE [ignore]
 *   release DEVICE KEY TYPE            preempt DEVICE OWN OTHER TYPE
 *   abort DEVICE OWN OTHER TYPE        clear DEVICE KEY
 *   keys DEVICE [ROOM]                 reservation DEVICE
 *
 * blkpr of util-linux does this, from 2.39 on; Debian 12 has 2.38.
 * Keys are numbers, and TYPE is 1 to 6. Prints "ok", what was read, "conflict", "status N"
 * or the error. Exit status: 0, 24 for a conflict, 1 for anything else, 2 for bad usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/pr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define CONFLICT	0x18	/* PR_STS_RESERVATION_CONFLICT, which Linux 6.1 has no name for */
#define MOST_KEYS	256

/* Debian 12's headers are older than these. */
#ifndef IOC_PR_READ_KEYS
struct pr_read_keys {
	__u32 generation;
	__u32 num_keys;
	__u64 keys_ptr;
};

struct pr_read_reservation {
	__u64 key;
	__u32 generation;
	__u32 type;
};

#define IOC_PR_READ_KEYS	_IOWR('p', 206, struct pr_read_keys)
#define IOC_PR_READ_RESERVATION	_IOR('p', 207, struct pr_read_reservation)
#endif

static __u64 number(char **argv, int nr, int at)
{
	return at < nr ? strtoull(argv[at], NULL, 0) : 0;
}

static __u32 flags(char **argv, int nr, int at)
{
	return at < nr && !strcmp(argv[at], "ignore") ? PR_FL_IGNORE_KEY : 0;
}

static int read_keys(int fd, unsigned int room)
{
	__u64 key[MOST_KEYS] = { 0 };
	struct pr_read_keys arg = {
		.num_keys = room < MOST_KEYS ? room : MOST_KEYS,
		.keys_ptr = (__u64)(unsigned long)key,
	};
	int ret = ioctl(fd, IOC_PR_READ_KEYS, &arg);
	unsigned int i, fit = arg.num_keys;

	if (ret)
		return ret;
	printf("generation %u, %u keys:", arg.generation, arg.num_keys);
	if (fit > room)
		fit = room;
	for (i = 0; i < fit; i++)
		printf(" %#llx", key[i]);
	puts("");
	return 0;
}

static int read_reservation(int fd)
{
	struct pr_read_reservation arg = { 0 };
	int ret = ioctl(fd, IOC_PR_READ_RESERVATION, &arg);

	if (!ret)
		printf("generation %u, key %#llx, type %u\n", arg.generation, arg.key, arg.type);
	return ret;
}

static int run(const char *verb, int fd, char **argv, int nr)
{
	struct pr_registration registration = {
		.old_key = number(argv, nr, 0), .new_key = number(argv, nr, 1),
		.flags = flags(argv, nr, 2),
	};
	struct pr_reservation reserve = {
		.key = number(argv, nr, 0), .type = number(argv, nr, 1),
		.flags = flags(argv, nr, 2),
	};
	/* All drivers take old_key for the caller's own, whatever its name says. */
	struct pr_preempt preempt = {
		.old_key = number(argv, nr, 0), .new_key = number(argv, nr, 1),
		.type = number(argv, nr, 2),
	};
	struct pr_clear clear = { .key = number(argv, nr, 0) };

	if (!strcmp(verb, "register"))
		return ioctl(fd, IOC_PR_REGISTER, &registration);
	if (!strcmp(verb, "reserve"))
		return ioctl(fd, IOC_PR_RESERVE, &reserve);
	if (!strcmp(verb, "release"))
		return ioctl(fd, IOC_PR_RELEASE, &reserve);
	if (!strcmp(verb, "preempt"))
		return ioctl(fd, IOC_PR_PREEMPT, &preempt);
	if (!strcmp(verb, "abort"))
		return ioctl(fd, IOC_PR_PREEMPT_ABORT, &preempt);
	if (!strcmp(verb, "clear"))
		return ioctl(fd, IOC_PR_CLEAR, &clear);
	if (!strcmp(verb, "keys"))
		return read_keys(fd, nr ? number(argv, nr, 0) : MOST_KEYS);
	if (!strcmp(verb, "reservation"))
		return read_reservation(fd);
	fprintf(stderr, "reserve: no verb %s\n", verb);
	exit(2);
}

int main(int argc, char **argv)
{
	int fd, ret;

	if (argc < 3) {
		fprintf(stderr, "usage: reserve VERB DEVICE [ARGUMENT...]\n");
		return 2;
	}
	fd = open(argv[2], O_RDWR | O_NONBLOCK);
	if (fd < 0)
		fd = open(argv[2], O_RDONLY | O_NONBLOCK);
	if (fd < 0) {
		perror(argv[2]);
		return 1;
	}
	ret = run(argv[1], fd, argv + 3, argc - 3);
	if (ret == CONFLICT) {
		puts("conflict");
		return CONFLICT;
	}
	if (ret > 0)
		printf("status %#x\n", ret);
	else if (ret)
		printf("%s\n", strerror(errno));
	else if (strcmp(argv[1], "keys") && strcmp(argv[1], "reservation"))
		puts("ok");
	return ret ? 1 : 0;
}
