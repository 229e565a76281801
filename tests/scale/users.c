// SPDX-License-Identifier: GPL-2.0-only
/*
 * users SECONDS DEVICE...: on each device four threads, dealt out to the first four
 * CPUs, that read and write blocks of 4 KiB in turn, one at a time and past
 * the page cache. Prints for each device how many they did; all begin and end
 * together.
 *
 * users -1 SECONDS DEVICE...: one thread on each device.
 *
 * fio takes a minute to start so many jobs in User Mode Linux.
 */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPUS = 4, BLOCK = 4096, SPAN = 1024 };

struct user {
	const char *name;
	int fd;
	int cpu;
	unsigned long done;
};

static pthread_barrier_t start;
static atomic_bool stop;

static void die(const char *what, int error)
{
	fprintf(stderr, "users: %s: %s\n", what, strerror(error));
	exit(1);
}

static void pin(int cpu)
{
	cpu_set_t set;
	int ret;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ret = pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	if (ret)
		die("no such CPU", ret);
}

static void *use(void *data)
{
	struct user *user = data;
	unsigned int seed = user->fd * CPUS + user->cpu;
	void *block;
	ssize_t ret;

	pin(user->cpu);
	if (posix_memalign(&block, BLOCK, BLOCK))
		die("memory", ENOMEM);
	memset(block, 0, BLOCK);
	pthread_barrier_wait(&start);
	while (!stop) {
		off_t at = (off_t)(rand_r(&seed) % SPAN) * BLOCK;

		ret = user->done % 2 ? pwrite(user->fd, block, BLOCK, at) :
				       pread(user->fd, block, BLOCK, at);
		if (ret != BLOCK)
			die(user->name, ret < 0 ? errno : EIO);
		user->done++;
	}
	free(block);
	return NULL;
}

int main(int argc, char **argv)
{
	int one = argc > 1 && !strcmp(argv[1], "-1");
	int each = one ? 1 : CPUS, nr, i, j, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct user *user;
	unsigned long done;
	pthread_t *thread;

	argc -= one;
	argv += one;
	nr = (argc - 2) * each;
	if (cpus > CPUS)
		cpus = CPUS;
	if (nr < 1) {
		fprintf(stderr, "usage: users [-1] SECONDS DEVICE...\n");
		return 2;
	}
	user = calloc(nr, sizeof(*user));
	thread = calloc(nr, sizeof(*thread));
	if (!user || !thread)
		die("memory", ENOMEM);
	pthread_barrier_init(&start, NULL, nr + 1);
	for (i = 0; i < nr; i++) {
		user[i].name = argv[2 + i / each];
		user[i].cpu = i % cpus;
		user[i].fd = i % each ? user[i - 1].fd :
			     open(user[i].name, O_RDWR | O_DIRECT);
		if (user[i].fd < 0)
			die(user[i].name, errno);
		if (pthread_create(&thread[i], NULL, use, &user[i]))
			die("a thread", EAGAIN);
	}
	pthread_barrier_wait(&start);
	sleep(atoi(argv[1]));
	stop = true;
	for (i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < nr; i += each) {
		for (j = 0, done = 0; j < each; j++)
			done += user[i + j].done;
		printf("%s %lu\n", user[i].name, done);
	}
	return 0;
}
