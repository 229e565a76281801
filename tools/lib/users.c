// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who uses /dev/rblkN or one of its partitions: mounts in this and in other
 * mount namespaces, swap, devices stacked on top, and processes that have it
 * open. What cannot be read is passed over: this explains a refusal that the
 * module has decided on its own.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/users.h"
#include "lib/text.h"

#define MAX_DEVICES	257	/* the disk and 256 partitions */
#define MAX_SPACES	64

struct scan {
	const char *root;
	char disk[16];			/* "rblkN" */
	unsigned int nr_devices;
	dev_t device[MAX_DEVICES];
	unsigned int nr_spaces;
	ino_t space[MAX_SPACES];	/* mount namespaces seen */
	unsigned int nr_users;
	char *to;
	size_t room;
};

__printf(2, 3)
static void note(struct scan *s, const char *format, ...)
{
	char raw[PATH_MAX], clean[160];
	size_t used = strlen(s->to);
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	text_clean(clean, sizeof(clean), raw, sizeof(raw));
	s->nr_users++;
	if (used + strlen(clean) + 3 < s->room)
		snprintf(s->to + used, s->room - used, "%s%s", used ? ", " : "", clean);
}

__printf(2, 3)
static FILE *open_file(const struct scan *s, const char *format, ...)
{
	char path[PATH_MAX];
	int used = snprintf(path, sizeof(path), "%s", s->root);
	va_list args;

	va_start(args, format);
	vsnprintf(path + used, sizeof(path) - used, format, args);
	va_end(args);
	return fopen(path, "re");
}

__printf(2, 3)
static DIR *open_dir(const struct scan *s, const char *format, ...)
{
	char path[PATH_MAX];
	int used = snprintf(path, sizeof(path), "%s", s->root);
	va_list args;

	va_start(args, format);
	vsnprintf(path + used, sizeof(path) - used, format, args);
	va_end(args);
	return opendir(path);
}

/**
 * users_is_part() - whether a device is a disk or one of its partitions
 * @disk: "rblkN"
 * @name: the device's name
 *
 * Return: whether it is.
 */
bool users_is_part(const char *disk, const char *name)
{
	size_t len = strlen(disk);

	if (strncmp(name, disk, len))
		return false;
	name += len;
	if (!*name)
		return true;
	return *name == 'p' && name[1] && !name[1 + strspn(name + 1, "0123456789")];
}

static bool is_ours(const struct scan *s, const char *name)
{
	return users_is_part(s->disk, name);
}

static bool is_our_path(const struct scan *s, const char *path)
{
	return !strncmp(path, "/dev/", 5) && is_ours(s, path + 5);
}

static bool is_our_device(const struct scan *s, dev_t device)
{
	unsigned int i;

	for (i = 0; i < s->nr_devices; i++)
		if (s->device[i] == device)
			return true;
	return false;
}

static void add_device(struct scan *s, FILE *file)
{
	unsigned int major, minor;

	if (!file)
		return;
	if (fscanf(file, "%u:%u", &major, &minor) == 2 && s->nr_devices < MAX_DEVICES)
		s->device[s->nr_devices++] = makedev(major, minor);
	fclose(file);
}

static void find_devices(struct scan *s)
{
	DIR *dir = open_dir(s, "/sys/block/%s", s->disk);
	struct dirent *entry;

	add_device(s, open_file(s, "/sys/block/%s/dev", s->disk));
	while (dir && (entry = readdir(dir)))
		if (is_ours(s, entry->d_name))
			add_device(s, open_file(s, "/sys/block/%s/%s/dev", s->disk,
						entry->d_name));
	if (dir)
		closedir(dir);
}

/* The kernel writes blanks and backslashes in paths as \040 and the like. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3) {
			*to++ = (text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0';
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/*
 * A line of mountinfo. File systems such as btrfs have a device number of
 * their own; they are known by the source they name.
 */
static void scan_mount(struct scan *s, char *line, const char *where)
{
	char *tail = strstr(line, " - "), *point, *source = NULL;
	unsigned int major, minor;
	int at = 0;

	if (!tail || sscanf(line, "%*u %*u %u:%u %*s %n", &major, &minor, &at) != 2 || !at)
		return;
	point = line + at;
	*tail = '\0';
	point[strcspn(point, " ")] = '\0';
	source = strchr(tail + 3, ' ');
	if (source) {
		source++;
		source[strcspn(source, "\n ")] = '\0';
	}
	if (!is_our_device(s, makedev(major, minor)) && !(source && is_our_path(s, source)))
		return;
	unescape(point);
	note(s, "mounted on %s%s", point, where);
}

static void scan_mounts(struct scan *s, const char *pid, const char *where)
{
	FILE *file = open_file(s, "/proc/%s/mountinfo", pid);
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0)
		scan_mount(s, line, where);
	free(line);
	if (file)
		fclose(file);
}

static void read_comm(const struct scan *s, const char *pid, char comm[32])
{
	FILE *file = open_file(s, "/proc/%s/comm", pid);

	if (!file || !fgets(comm, 32, file))
		snprintf(comm, 32, "?");
	comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* Whether the process lives among mounts that no other one has shown yet. */
static bool new_space(struct scan *s, const char *pid)
{
	char path[PATH_MAX], link[64];
	unsigned long long inode;
	unsigned int i;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/proc/%s/ns/mnt", s->root, pid);
	len = readlink(path, link, sizeof(link) - 1);
	if (len < 0)
		return false;
	link[len] = '\0';
	if (sscanf(link, "mnt:[%llu]", &inode) != 1)
		return false;
	for (i = 0; i < s->nr_spaces; i++)
		if (s->space[i] == inode)
			return false;
	if (s->nr_spaces == MAX_SPACES)
		return false;
	s->space[s->nr_spaces++] = inode;
	return true;
}

static void scan_swaps(struct scan *s)
{
	FILE *file = open_file(s, "/proc/swaps");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		line[strcspn(line, " \t\n")] = '\0';
		if (is_our_path(s, line))
			note(s, "swap on %s", line);
	}
	free(line);
	if (file)
		fclose(file);
}

static void note_holder(struct scan *s, const char *name)
{
	FILE *file = open_file(s, "/sys/block/%s/dm/name", name);
	char mapped[128];

	if (file && fscanf(file, "%127s", mapped) == 1)
		note(s, "held by %s (%s)", name, mapped);
	else
		note(s, "held by %s", name);
	if (file)
		fclose(file);
}

/* @part: a partition's name, or "." for the disk. */
static void scan_holders_of(struct scan *s, const char *part)
{
	DIR *dir = open_dir(s, "/sys/block/%s/%s/holders", s->disk, part);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			note_holder(s, entry->d_name);
	if (dir)
		closedir(dir);
}

static void scan_holders(struct scan *s)
{
	DIR *dir = open_dir(s, "/sys/block/%s", s->disk);
	struct dirent *entry;

	scan_holders_of(s, ".");
	while (dir && (entry = readdir(dir)))
		if (is_ours(s, entry->d_name))
			scan_holders_of(s, entry->d_name);
	if (dir)
		closedir(dir);
}

/* Does not wait for a file server that is gone, as stat() would. */
static bool fd_is_ours(const struct scan *s, int dir, const char *fd)
{
	struct statx st;

	if (statx(dir, fd, AT_STATX_DONT_SYNC, STATX_TYPE, &st))
		return false;
	return S_ISBLK(st.stx_mode) &&
	       is_our_device(s, makedev(st.stx_rdev_major, st.stx_rdev_minor));
}

static bool has_open(const struct scan *s, const char *pid)
{
	DIR *dir = open_dir(s, "/proc/%s/fd", pid);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_name[0] != '.' && fd_is_ours(s, dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static void scan_process(struct scan *s, const char *pid, bool mounts)
{
	char comm[32], where[80];

	if (has_open(s, pid)) {
		read_comm(s, pid, comm);
		note(s, "open by %s (pid %s)", comm, pid);
	}
	if (mounts && new_space(s, pid)) {
		read_comm(s, pid, comm);
		snprintf(where, sizeof(where), " in the mount namespace of %s (pid %.10s)",
			 comm, pid);
		scan_mounts(s, pid, where);
	}
}

/* Mounts elsewhere count only where there are none here: most are copies. */
static void scan_processes(struct scan *s)
{
	bool mounts = !s->nr_users;
	DIR *dir = open_dir(s, "/proc");
	struct dirent *entry;

	new_space(s, "self");
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			scan_process(s, entry->d_name, mounts);
	if (dir)
		closedir(dir);
}

/**
 * users_describe() - say who uses a device or one of its partitions
 * @root: where /proc and /sys are
 * @index: N of rblkN
 * @to: the users, separated by commas, as many as fit
 * @room: bytes at @to
 *
 * Return: how many users were found.
 */
unsigned int users_describe(const char *root, int index, char *to, size_t room)
{
	struct scan *s = calloc(1, sizeof(*s));
	unsigned int nr;

	to[0] = '\0';
	if (!s)
		return 0;
	s->root = root;
	s->to = to;
	s->room = room;
	snprintf(s->disk, sizeof(s->disk), "rblk%d", index);
	find_devices(s);
	scan_mounts(s, "self", "");
	scan_swaps(s);
	scan_holders(s);
	scan_processes(s);
	nr = s->nr_users;
	free(s);
	return nr;
}
