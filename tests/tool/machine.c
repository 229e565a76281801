// SPDX-License-Identifier: GPL-2.0-only
/* The machine around the modules, as a test wants it: files, programs, the network. */
#include <errno.h>
#include <fnmatch.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/node.h"
#include "tool.h"

static void join(char *to, size_t room, const char * const *argv)
{
	for (to[0] = '\0'; *argv; argv++)
		snprintf(to + strlen(to), room - strlen(to), "%s%s", to[0] ? " " : "", *argv);
}

/* A program that no test speaks of ends as ip does without a route. */
int system_run(const char * const *argv, char *text, size_t room, struct ended *ended)
{
	char line[256];
	size_t i;

	memset(ended, 0, sizeof(*ended));
	ended->error = fake.no_programs ? ENOENT : 0;
	if (ended->error)
		return -1;
	join(line, sizeof(line), argv);
	for (i = 0; i < ARRAY_SIZE(fake.programs); i++) {
		if (!fake.programs[i].line || fnmatch(fake.programs[i].line, line, 0))
			continue;
		snprintf(text, room, "%s", fake.programs[i].out);
		*ended = fake.programs[i].ended;
		return ended->error || ended->signal || ended->status ? -1 : 0;
	}
	ended->status = 2;
	snprintf(ended->said, sizeof(ended->said), "RTNETLINK answers: Network is unreachable");
	return -1;
}

/* What it did is in the log, in brackets. */
int system_change(const char * const *argv, char *text, size_t room, struct ended *ended)
{
	size_t used = strlen(fake.log);
	char line[256];

	join(line, sizeof(line), argv);
	snprintf(fake.log + used, sizeof(fake.log) - used, "%s[%s]", used ? " " : "", line);
	if (fake.interrupt_in && !strcmp(fake.interrupt_in, argv[0])) {
		fake.interrupt_in = NULL;
		raise(fake.interrupt);
	}
	return system_run(argv, text, room, ended);
}

int system_read(const char *path, size_t bytes, double *seconds)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char data[4096];
	ssize_t n;

	assert_int_equal(bytes, sizeof(data));
	*seconds = 0;
	if (fake.reads_hang)
		n = -ETIMEDOUT;
	else
		n = fd < 0 ? -errno : read(fd, data, bytes);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return n;
	return (size_t)n == bytes ? 0 : -EIO;
}

int system_echo(const struct rblk_ioc_addr *to, size_t bytes)
{
	assert_int_not_equal(to->family, 0);
	return fake.echo_most && bytes > fake.echo_most ? -ETIMEDOUT : 0;
}

/* Make the directories above @path, and give back where it is. */
static const char *place(const char *path)
{
	static char full[512];
	char *slash;

	snprintf(full, sizeof(full), "%s%s", fake.root, path);
	for (slash = full + strlen(fake.root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	return full;
}

void fake_file(const char *path, const char *content)
{
	FILE *file = fopen(place(path), "w");

	assert_non_null(file);
	fputs(content, file);
	fclose(file);
}

/* A block device's node is a file that has its number. */
int node_device(const char *path, dev_t *number)
{
	unsigned int nr[2];
	char real[512];
	FILE *file;
	int got;

	snprintf(real, sizeof(real), "%s%s", fake.root, path);
	file = fopen(real, "r");
	if (!file)
		return -ENOENT;
	got = fscanf(file, "%u:%u", &nr[0], &nr[1]);
	fclose(file);
	if (got != 2)
		return -ENOTBLK;
	*number = makedev(nr[0], nr[1]);
	return 0;
}

void fake_link(const char *path, const char *to)
{
	assert_int_equal(symlink(to, place(path)), 0);
}

void fake_remove(const char *path)
{
	assert_int_equal(unlink(place(path)), 0);
}

/* @nr more operations that took so long in each part. */
void fake_times(struct rblk_ioc_latency *op, unsigned int nr, unsigned int bytes,
		const unsigned int us[RBLK_LATENCY_PARTS])
{
	int part;

	op->bytes += (__u64)nr * bytes;
	for (part = 0; part < RBLK_LATENCY_PARTS; part++) {
		op->part[part].sum += (__u64)nr * us[part] * 1000;
		op->part[part].bucket[rblk_latency_bucket(us[part] * 1000ULL)] += nr;
	}
}

/* As the block layer has it. */
void fake_stat(int index, unsigned int inflight, unsigned int busy_ms)
{
	char path[64], line[128];

	snprintf(path, sizeof(path), "/sys/block/rblk%d/stat", index);
	snprintf(line, sizeof(line), "9 9 9 9 9 9 9 9 %u %u 99 5 0 40 2 7 3\n", inflight,
		 busy_ms);
	fake_file(path, line);
}
