// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct I/O between a block device and the memory of a PCI device.
 *
 *   p2p MEMORY write DEVICE AT BYTES EACH [OFFSET] <data
 *   p2p MEMORY read DEVICE AT BYTES EACH [OFFSET] >data
 *
 * MEMORY is /sys/bus/pci/devices/PLACE/p2pmem/allocate.  BYTES are written from or
 * read to it at AT of DEVICE, by requests of EACH bytes, and lie OFFSET bytes into
 * a page of it.  The data comes from or goes to a pipe or file by the processor.
 * Exit status: 0; 1 if DEVICE refuses a request, with the reason; 2 if anything
 * else fails.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t number(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 0);

	if (!*text || *end)
		errx(2, "'%s' is no number", text);
	return n;
}

static char *peer_map(const char *path, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *memory;

	if (fd < 0)
		err(2, "%s", path);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		err(2, "%s: %zu bytes", path, bytes);
	close(fd);
	return memory;
}

/*
 * Word by word, which atomic accesses are: an emulated machine may not know what the
 * wide instructions of memcpy() do to the memory of a device.
 */
static void peer_copy(void *to, const void *from, size_t bytes)
{
	const unsigned long *f = from;
	unsigned long *t = to;
	size_t i;

	for (i = 0; i < bytes / sizeof(*t); i++)
		__atomic_store_n(&t[i], __atomic_load_n(&f[i], __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

static void take(char *data, size_t bytes)
{
	if (fread(data, 1, bytes, stdin) != bytes)
		errx(2, "there are less than %zu bytes of data", bytes);
}

static void give(const char *data, size_t bytes)
{
	if (fwrite(data, 1, bytes, stdout) != bytes || fflush(stdout))
		err(2, "standard output");
}

static void transfer(int fd, int write, char *memory, size_t at, size_t bytes,
		     size_t each)
{
	size_t done;

	for (done = 0; done < bytes; done += each) {
		ssize_t n = write ? pwrite(fd, memory + done, each, at + done) :
				    pread(fd, memory + done, each, at + done);

		if (n < 0)
			err(1, "%s of %zu bytes at %zu", write ? "write" : "read",
			    each, at + done);
		if ((size_t)n != each)
			errx(1, "only %zd of %zu bytes at %zu", n, each, at + done);
	}
}

int main(int argc, char **argv)
{
	size_t at, bytes, each, offset;
	char *memory, *data;
	int fd, write;

	if (argc < 7 || argc > 8)
		errx(2, "p2p MEMORY write|read DEVICE AT BYTES EACH [OFFSET]");
	write = !strcmp(argv[2], "write");
	at = number(argv[4]);
	bytes = number(argv[5]);
	each = number(argv[6]);
	offset = argc > 7 ? number(argv[7]) : 0;
	if (!each || bytes % each)
		errx(2, "requests of %zu bytes do not make %zu", each, bytes);
	fd = open(argv[3], (write ? O_WRONLY : O_RDONLY) | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		err(2, "%s", argv[3]);
	memory = peer_map(argv[1], (offset + bytes + 4095) / 4096 * 4096) + offset;
	data = calloc(1, bytes);
	if (!data)
		err(2, "%zu bytes", bytes);
	if (write) {
		take(data, bytes);
		peer_copy(memory, data, bytes);
	}
	transfer(fd, write, memory, at, bytes, each);
	if (!write) {
		peer_copy(data, memory, bytes);
		give(data, bytes);
	}
	return 0;
}
