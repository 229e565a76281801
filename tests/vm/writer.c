// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first and only program of the virtual machines here. Its processes write to the
 * disk, and each says on the console what the disk has acknowledged.
 *
 * The disk has WRITERS parts of BLOCKS blocks. A writer writes the blocks of its part one
 * after the other, again and again. A block is one line, again and again: the writer, the
 * number of the write, and the processor's clock, so that no two writes have the same
 * data, also not those of two copies of this machine. The same line goes to the console
 * when the write has ended. LINE is known to rc, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WRITERS 4
#define BLOCKS 64
#define BLOCK 4096
#define LINE 32
#define DISK "/dev/vda"
/* Between two writes of a writer: the console is slow. */
#define PAUSE_US 10000

/* The machine stays for who wants to see what it said. */
static noreturn void give_up(const char *what)
{
	dprintf(STDOUT_FILENO, "! %s: %s\n", what, strerror(errno));
	for (;;)
		pause();
}

static void load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		give_up(path);
	close(fd);
}

static void load_all(void)
{
	char line[128];
	FILE *list = fopen("/modules", "r");

	if (!list)
		give_up("/modules");
	while (fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		load(line);
	}
	fclose(list);
}

/* The disk is there a moment after its driver. */
static int open_disk(void)
{
	int fd, i;

	for (i = 0; i < 1000; i++) {
		fd = open(DISK, O_RDWR | O_DIRECT | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		usleep(10000);
	}
	give_up(DISK);
}

static noreturn void work(int fd, unsigned int writer)
{
	char line[LINE + 1], *block;
	unsigned long n;
	off_t at;
	int i;

	if (posix_memalign((void **)&block, BLOCK, BLOCK))
		give_up("memory");
	for (n = 0;; n++) {
		snprintf(line, sizeof(line), "%u %012lu %016lx\n", writer, n,
			 (unsigned long)__builtin_ia32_rdtsc());
		for (i = 0; i < BLOCK / LINE; i++)
			memcpy(block + i * LINE, line, LINE);
		at = (off_t)(writer * BLOCKS + n % BLOCKS) * BLOCK;
		if (pwrite(fd, block, BLOCK, at) != BLOCK)
			give_up("a write");
		if (write(STDOUT_FILENO, line, LINE) != LINE)
			give_up("the console");
		usleep(PAUSE_US);
	}
}

int main(void)
{
	unsigned int i;
	int fd;

	mkdir("/dev", 0755);
	if (mount("dev", "/dev", "devtmpfs", 0, NULL))
		return 1;
	fd = open("/dev/console", O_RDWR);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return 1;
	load_all();
	fd = open_disk();
	for (i = 0; i < WRITERS; i++)
		if (!fork())
			work(fd, i);
	for (;;)
		pause();
}
