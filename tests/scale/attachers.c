// SPDX-License-Identifier: GPL-2.0-only
/*
 * attachers HOST-UUID QUEUES DEPTH ADDRESS[:PORT]/EXPORT...: attaches all of them
 * at once, a thread for each, and prints how many microseconds passed from when
 * all were ready to when the last was attached.
 *
 * attachers -1 HOST-UUID QUEUES DEPTH ADDRESS[:PORT]/EXPORT...: one after the other;
 * prints how many microseconds each took.
 *
 * attachers -d N...: detaches /dev/rblkN, all at once.
 *
 * rblkctl does the same for one; starting 64 processes at once takes longer than
 * their 64 attaches.
 */

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "rblk_ioctl.h"

enum { PORT = 4421 };

static pthread_barrier_t start;
static int fd, failed;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static void parse_uuid(const char *text, __u8 *uuid)
{
	int i;

	for (i = 0; i < RBLK_UUID_LEN; i++, text += 2) {
		text += *text == '-';
		if (sscanf(text, "%2hhx", &uuid[i]) != 1) {
			fprintf(stderr, "attachers: no UUID\n");
			exit(2);
		}
	}
}

static void attach_one(struct rblk_ioc_attach *arg)
{
	if (ioctl(fd, RBLK_IOC_ATTACH, arg)) {
		fprintf(stderr, "attachers: %s: %s\n", arg->export_name,
			arg->error.text);
		failed = 1;
	}
}

static void *attach(void *data)
{
	pthread_barrier_wait(&start);
	attach_one(data);
	return NULL;
}

static void *detach(void *data)
{
	struct rblk_ioc_detach *arg = data;

	pthread_barrier_wait(&start);
	if (ioctl(fd, RBLK_IOC_DETACH, arg)) {
		fprintf(stderr, "attachers: rblk%d: %s\n", arg->index,
			arg->error.text);
		failed = 1;
	}
	return NULL;
}

/* Of "ADDRESS/EXPORT", an IPv4 address. */
static void describe(struct rblk_ioc_attach *arg, char **argv, const char *what)
{
	const char *slash = strchr(what, '/'), *colon = strchr(what, ':');
	char address[INET_ADDRSTRLEN];

	if (!slash) {
		fprintf(stderr, "attachers: no ADDRESS/EXPORT: %s\n", what);
		exit(2);
	}
	arg->size = sizeof(*arg);
	arg->flags = RBLK_ATTACH_INSECURE;
	snprintf(arg->target_text, sizeof(arg->target_text), "%.*s",
		 (int)(slash - what), what);
	snprintf(arg->export_name, sizeof(arg->export_name), "%s", slash + 1);
	parse_uuid(argv[1], arg->host);
	snprintf(arg->host_name, sizeof(arg->host_name), "attachers");
	arg->queues = atoi(argv[2]);
	arg->depth = atoi(argv[3]);
	arg->queue_timeout = 30;
	arg->index = -1;
	arg->target.family = AF_INET;
	arg->target.port = htons(colon ? atoi(colon + 1) : PORT);
	snprintf(address, sizeof(address), "%.*s", (int)((colon ?: slash) - what), what);
	if (inet_pton(AF_INET, address, arg->target.addr) != 1) {
		fprintf(stderr, "attachers: no IPv4 address: %s\n", what);
		exit(2);
	}
}

/* Calls @work at once with each of the @nr elements of @arg; microseconds. */
static uint64_t at_once(void *(*work)(void *), void *arg, size_t size, int nr)
{
	pthread_t *thread = calloc(nr, sizeof(*thread));
	uint64_t begin;
	int i;

	if (!thread)
		die("memory");
	pthread_barrier_init(&start, NULL, nr + 1);
	for (i = 0; i < nr; i++)
		if (pthread_create(&thread[i], NULL, work, (char *)arg + i * size))
			die("a thread");
	pthread_barrier_wait(&start);
	begin = now_us();
	for (i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	return now_us() - begin;
}

static int attach_all(int argc, char **argv, int in_turn)
{
	int nr = argc - 4, i;
	struct rblk_ioc_attach *arg = calloc(nr, sizeof(*arg));
	uint64_t begin;

	if (!arg)
		die("memory");
	for (i = 0; i < nr; i++)
		describe(&arg[i], argv, argv[4 + i]);
	for (i = 0; in_turn && i < nr; i++) {
		begin = now_us();
		attach_one(&arg[i]);
		printf("%llu\n", (unsigned long long)(now_us() - begin));
	}
	if (!in_turn)
		printf("%llu\n", (unsigned long long)at_once(attach, arg,
							     sizeof(*arg), nr));
	return failed;
}

static int detach_all(int argc, char **argv)
{
	int nr = argc - 2, i;
	struct rblk_ioc_detach *arg = calloc(nr, sizeof(*arg));

	if (!arg)
		die("memory");
	for (i = 0; i < nr; i++) {
		arg[i].size = sizeof(*arg);
		arg[i].index = atoi(argv[2 + i]);
	}
	at_once(detach, arg, sizeof(*arg), nr);
	return failed;
}

int main(int argc, char **argv)
{
	int in_turn = argc > 1 && !strcmp(argv[1], "-1");

	fd = open("/dev/rblk-control", O_RDWR);
	if (fd < 0)
		die("/dev/rblk-control");
	if (argc > 2 && !strcmp(argv[1], "-d"))
		return detach_all(argc, argv);
	if (argc > 4 + in_turn)
		return attach_all(argc - in_turn, argv + in_turn, in_turn);
	fprintf(stderr,
		"usage: attachers [-1] HOST-UUID QUEUES DEPTH ADDRESS/EXPORT... | -d N...\n");
	return 2;
}
