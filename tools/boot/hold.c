// SPDX-License-Identifier: GPL-2.0-only
/*
 * rblk-hold FILE...: where root is a volume whose target is gone, nothing can be read any
 * more, and a shutdown needs programs, and I/O that comes to an end.
 *
 * From the boot on, this holds in memory the FILEs with what their loader needs, and all
 * that process 1 has mapped, which is the service manager. It holds their names, too:
 * who looks one up must not read a directory.
 *
 * At a shutdown, systemd sends it SIGTERM. It then limits how long volumes hold I/O, as
 * rblk-shutdown.service does by a shell, which cannot be started any more. A child keeps
 * the memory until the machine ends: systemd spares a process whose name begins with @, as
 * long as root may need it. Neither reads anything from root after
 * it has begun.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a volume may hold I/O while the host shuts down, as in rblk-shutdown.service. */
#define SHUTDOWN_SECONDS 30
#define MAX_LINKS 40

static unsigned long long held;
/* What is held already: several names, and several programs, may lead there. */
static struct {
	dev_t dev;
	ino_t ino;
} *known;
static size_t nr_known;

/* Return: 1 if it is known already, 0 if it is from now on, or -1. */
static int know(const struct stat *st)
{
	void *more;
	size_t i;

	for (i = 0; i < nr_known; i++)
		if (known[i].dev == st->st_dev && known[i].ino == st->st_ino)
			return 1;
	more = reallocarray(known, nr_known + 1, sizeof(*known));
	if (!more)
		return -1;
	known = more;
	known[nr_known].dev = st->st_dev;
	known[nr_known++].ino = st->st_ino;
	return 0;
}

/*
 * If @path up to @end is a link, @path goes on where it leads. A descriptor that is left
 * open keeps the link in memory; a file system that has no room for its target in the
 * inode would have to read that all the same.
 * Return: 1 if it is one, 0 if not, or -1.
 */
static int hold_link(char *path, const char *end)
{
	char name[PATH_MAX], to[PATH_MAX], rest[PATH_MAX];
	struct stat st;
	int fd, len;

	memcpy(name, path, end - path);
	name[end - path] = '\0';
	strcpy(rest, end);
	fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	len = readlinkat(fd, "", to, sizeof(to) - 1);
	if (len < 0 || fstat(fd, &st) || know(&st))
		close(fd);
	if (len < 0)
		return 0;
	to[len] = '\0';
	*strrchr(name, '/') = '\0';
	if (to[0] == '/')
		len = snprintf(path, PATH_MAX, "%s%s", to, rest);
	else
		len = snprintf(path, PATH_MAX, "%s/%s%s", name, to, rest);
	if (len < PATH_MAX)
		return 1;
	errno = ENAMETOOLONG;
	return -1;
}

/* @path becomes the one without links. A directory is kept by what is kept in it. */
static int hold_links(char *path)
{
	char *end = path;
	int is, n = 0;

	while (*end) {
		end = strchrnul(end + 1, '/');
		is = hold_link(path, end);
		if (is < 0)
			return -1;
		if (is) {
			end = path;
			n++;
		}
		if (n > MAX_LINKS) {
			errno = ELOOP;
			return -1;
		}
	}
	return 0;
}

/*
 * The mapping keeps the file's pages, and its name's directories, which would have to be
 * read to find it again. Files that are gone meanwhile, and what is no file, are no loss.
 */
static int hold(const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	void *map;
	int fd, is;

	snprintf(path, sizeof(path), "%s", name);
	if (hold_links(path))
		return errno == ENOENT ? 0 : -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		close(fd);
		return 0;
	}
	is = know(&st);
	map = is ? NULL : mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (is)
		return is < 0 ? -1 : 0;
	if (map == MAP_FAILED || mlock(map, st.st_size))
		return -1;
	held += st.st_size;
	return 0;
}

/*
 * Each line that has a path: the last one, which ldd has behind an arrow, up to an address
 * in parentheses. Lines of one path follow each other.
 */
static int hold_lines(FILE *file)
{
	char line[4096], last[sizeof(line)] = "", *path;
	int err = 0;

	while (!err && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		path = strstr(line, "=> ");
		path = strchr(path ? path : line, '/');
		if (!path || path[strlen(path) - 1] == ':')
			continue;
		if (strstr(path, " ("))
			*strstr(path, " (") = '\0';
		if (!strcmp(path, last))
			continue;
		err = hold(path);
		strcpy(last, path);
	}
	return err;
}

static int hold_maps(const char *maps)
{
	FILE *file = fopen(maps, "re");
	int err;

	if (!file)
		return -1;
	err = hold_lines(file);
	fclose(file);
	return err;
}

/* What the loader of a program looks for, by these names; that of a static one, nothing. */
static int hold_libraries(const char *program)
{
	char command[PATH_MAX + 32];
	FILE *file;
	int err;

	if (access(program, X_OK))
		return 0;
	snprintf(command, sizeof(command), "exec ldd '%s' 2>/dev/null", program);
	file = popen(command, "re");
	if (!file)
		return -1;
	err = hold_lines(file);
	if (WEXITSTATUS(pclose(file)) != 127)
		return err;
	errno = ENOENT;
	return -1;
}

/* Whether a volume holds I/O for longer, and then no longer. */
static void limit(const char *name)
{
	char path[PATH_MAX];
	int seconds, is;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/%s/rblk/queue_timeout", name);
	file = fopen(path, "r+e");
	if (!file)
		return;
	is = fscanf(file, "%d", &seconds) == 1;
	rewind(file);
	if (is && (seconds < 0 || seconds > SHUTDOWN_SECONDS))
		fprintf(file, "%d", SHUTDOWN_SECONDS);
	fclose(file);
}

static void limit_all(void)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "rblk", 4))
			limit(entry->d_name);
	if (dir)
		closedir(dir);
}

static int fail(const char *what)
{
	fprintf(stderr, "rblk-hold: cannot keep %s in memory: %s\n", what, strerror(errno));
	return 1;
}

/* The locks are of one process only: the child says when it has its own. */
static int keep(void)
{
	int ends[2];
	char byte;

	if (mlockall(MCL_CURRENT | MCL_FUTURE) || pipe(ends))
		return -1;
	switch (fork()) {
	case -1:
		return -1;
	case 0:
		if (mlockall(MCL_CURRENT | MCL_FUTURE) || write(ends[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) == 1)
		return 0;
	errno = ENOMEM;
	return -1;
}

int main(int argc, char **argv)
{
	sigset_t stop;
	int i, signal;

	if (argc < 2) {
		fputs("usage: rblk-hold FILE...\n", stderr);
		return 2;
	}
	if (hold_maps("/proc/1/maps"))
		return fail("the programs of process 1");
	for (i = 1; i < argc; i++) {
		errno = EINVAL;
		if (argv[i][0] != '/' || hold(argv[i]))
			return fail(argv[i]);
		if (hold_libraries(argv[i]))
			return fail("what ldd says of programs");
	}
	/* Not before, as ldd would inherit it. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	if (keep())
		return fail("itself");
	printf("%llu KiB are held in memory for a shutdown without the root volume\n",
	       held / 1024);
	fflush(stdout);
	while (sigwait(&stop, &signal))
		;
	limit_all();
	return 0;
}
