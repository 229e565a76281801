// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay LOG list: what dm-log-writes logged, one entry a line:
 *
 *   NUMBER KIND SECTOR SECTORS [MARK]
 *
 * KIND is mark, discard, or some of write, flush and fua joined by "+".
 *
 * replay LOG apply IMAGE FROM TO: carry out entries FROM to TO - 1 on IMAGE.
 * An image of zeroes to which entries 0 to N were applied is what a disk holds
 * whose power failed right after entry N.
 *
 * Format: Documentation/admin-guide/device-mapper/log-writes.rst and the
 * structures of the target, little-endian.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_MAGIC	0x6a736677736872ULL
#define LOG_VERSION	1

enum {
	LOG_FLUSH	= 1 << 0,
	LOG_FUA		= 1 << 1,
	LOG_DISCARD	= 1 << 2,
	LOG_MARK	= 1 << 3,
};

struct super {
	uint64_t magic;
	uint64_t version;
	uint64_t nr_entries;
	uint32_t sector_size;
};

struct entry {
	uint64_t sector;
	uint64_t nr_sectors;
	uint64_t flags;
	uint64_t data_len;
};

struct log {
	int fd;
	uint64_t nr;
	uint64_t at;		/* byte of the next entry */
	uint32_t sector;	/* bytes */
};

/* An entry as it is used: bytes of the disk, and where its data is. */
struct step {
	uint64_t number, at, bytes, flags, data;
	char mark[512];
};

static void die(const char *what)
{
	fprintf(stderr, "replay: %s: %s\n", what,
		errno ? strerror(errno) : "not a log");
	exit(2);
}

static void get(int fd, void *buf, size_t bytes, uint64_t at)
{
	errno = 0;
	if (pread(fd, buf, bytes, at) != (ssize_t)bytes)
		die("reading");
}

static void put(int fd, const void *buf, size_t bytes, uint64_t at)
{
	errno = 0;
	if (pwrite(fd, buf, bytes, at) != (ssize_t)bytes)
		die("writing");
}

static void open_log(struct log *log, const char *path)
{
	struct super super;

	log->fd = open(path, O_RDONLY);
	if (log->fd < 0)
		die(path);
	get(log->fd, &super, sizeof(super), 0);
	log->sector = le32toh(super.sector_size);
	log->nr = le64toh(super.nr_entries);
	log->at = log->sector;
	if (le64toh(super.magic) != LOG_MAGIC ||
	    le64toh(super.version) != LOG_VERSION ||
	    log->sector < 512 || log->sector > 4096)
		die(path);
}

static void next(struct log *log, uint64_t number, struct step *step)
{
	struct entry entry;
	uint64_t len;

	get(log->fd, &entry, sizeof(entry), log->at);
	step->number = number;
	step->flags = le64toh(entry.flags);
	step->at = le64toh(entry.sector) * log->sector;
	step->bytes = le64toh(entry.nr_sectors) * log->sector;
	step->data = log->at + log->sector;
	step->mark[0] = 0;
	len = le64toh(entry.data_len);
	if (step->flags & LOG_MARK) {
		if (len >= sizeof(step->mark) - sizeof(entry))
			die("a mark");
		get(log->fd, step->mark, len, log->at + sizeof(entry));
		step->mark[len] = 0;
	}
	log->at = step->data;
	if (!(step->flags & LOG_DISCARD))
		log->at += step->bytes;
}

static void list(struct log *log)
{
	struct step step;
	uint64_t i;

	for (i = 0; i < log->nr; i++) {
		const char *plus = "";

		next(log, i, &step);
		printf("%llu ", (unsigned long long)i);
		if (step.flags & LOG_MARK)
			printf("mark");
		if (step.flags & LOG_DISCARD)
			printf("discard");
		if (!(step.flags & (LOG_MARK | LOG_DISCARD)) && step.bytes)
			plus = printf("write") ? "+" : "";
		if (step.flags & LOG_FLUSH)
			plus = printf("%sflush", plus) ? "+" : "";
		if (step.flags & LOG_FUA)
			printf("%sfua", plus);
		printf(" %llu %llu %s\n", (unsigned long long)step.at / 512,
		       (unsigned long long)step.bytes / 512, step.mark);
	}
}

static void carry_out(struct log *log, int image, const struct step *step)
{
	static char buf[1 << 16];
	uint64_t done;

	for (done = 0; done < step->bytes;) {
		size_t len = sizeof(buf);

		if (len > step->bytes - done)
			len = step->bytes - done;
		if (step->flags & LOG_DISCARD)
			memset(buf, 0, len);
		else
			get(log->fd, buf, len, step->data + done);
		put(image, buf, len, step->at + done);
		done += len;
	}
}

static void apply(struct log *log, const char *path, uint64_t from, uint64_t to)
{
	int image = open(path, O_WRONLY);
	struct step step;
	uint64_t i;

	if (image < 0)
		die(path);
	for (i = 0; i < to && i < log->nr; i++) {
		next(log, i, &step);
		if (i >= from)
			carry_out(log, image, &step);
	}
	if (close(image))
		die(path);
}

int main(int argc, char **argv)
{
	struct log log;

	if (argc < 3)
		goto usage;
	open_log(&log, argv[1]);
	if (argc == 3 && !strcmp(argv[2], "list"))
		list(&log);
	else if (argc == 6 && !strcmp(argv[2], "apply"))
		apply(&log, argv[3], strtoull(argv[4], NULL, 10),
		      strtoull(argv[5], NULL, 10));
	else
		goto usage;
	return 0;
usage:
	fprintf(stderr, "usage: replay LOG list | replay LOG apply IMAGE FROM TO\n");
	return 2;
}
