// SPDX-License-Identifier: GPL-2.0-only
/*
 * rblk-hold FILE...: where root is a volume whose target is gone, nothing can be read any
 * more, and a shutdown needs programs. This holds them in memory from the boot on: the
 * FILEs, and all that process 1 has mapped, which is the service manager with its
 * libraries.
 *
 * It reads nothing after it has begun, and ends when the machine does: systemd spares a
 * process whose name begins with @ as long as root may need it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long long held;

/*
 * The mapping keeps the file's pages, and its name's directories, which would have to be
 * read to find it again. Files that are gone meanwhile, and what is no file, are no loss.
 */
static int hold(const char *path)
{
	struct stat st;
	void *map;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		close(fd);
		return 0;
	}
	map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED || mlock(map, st.st_size))
		return -1;
	held += st.st_size;
	return 0;
}

/* A file is mapped in several pieces, one after the other. */
static int hold_maps(const char *maps)
{
	char line[4096], last[sizeof(line)] = "", *path;
	FILE *file = fopen(maps, "re");
	int err = 0;

	if (!file)
		return -1;
	while (!err && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (!path || !strcmp(path, last))
			continue;
		err = hold(path);
		strcpy(last, path);
	}
	fclose(file);
	return err;
}

static int fail(const char *what)
{
	fprintf(stderr, "rblk-hold: cannot keep %s in memory: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		fputs("usage: rblk-hold FILE...\n", stderr);
		return 2;
	}
	if (hold_maps("/proc/1/maps"))
		return fail("the programs of process 1");
	for (i = 1; i < argc; i++)
		if (hold(argv[i]))
			return fail(argv[i]);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return fail("itself");
	printf("%llu KiB are held in memory for a shutdown without the root volume\n",
	       held / 1024);
	fflush(stdout);
	for (;;)
		pause();
}
