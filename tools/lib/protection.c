// SPDX-License-Identifier: GPL-2.0-only
/*
 * Protection information of backing devices, as sysfs shows it.
 *
 * It does not go to hosts. The block layer of this machine makes it on writes and checks it
 * on reads, where the disk itself is: for dm and md devices on each of the disks below.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/node.h"
#include "lib/protection.h"

#define MAX_DEPTH	8	/* of devices on devices */

/* The first word of a file in a disk's folder; false where it is not there. */
static bool read_word(const char *dir, const char *name, char to[64])
{
	char path[PATH_MAX + 64];
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), "%s/integrity/%s", dir, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fscanf(file, "%63s", to) == 1;
	fclose(file);
	return got;
}

static bool is_on(const char *dir, const char *name)
{
	char word[64];

	return !read_word(dir, name, word) || strcmp(word, "0");
}

/* A format "nop" is room for what nobody knows how to check. */
static bool read_disk(const char *dir, struct protection *disk)
{
	if (!read_word(dir, "format", disk->format) || !strcmp(disk->format, "none") ||
	    !strcmp(disk->format, "nop"))
		return false;
	snprintf(disk->disk, sizeof(disk->disk), "%.63s", strrchr(dir, '/') + 1);
	disk->made = is_on(dir, "write_generate");
	disk->checked = is_on(dir, "read_verify");
	return true;
}

/* What @link leads to, for a partition its disk. */
static bool find_disk(const char *link, char dir[PATH_MAX])
{
	char path[PATH_MAX + 16];

	if (!realpath(link, dir))
		return false;
	snprintf(path, sizeof(path), "%s/partition", dir);
	if (!access(path, F_OK))
		*strrchr(dir, '/') = '\0';
	return true;
}

static bool is_whole(const struct protection *disk)
{
	return disk->made && disk->checked;
}

/* The first one, from the top; but rather one that is not made, or not checked. */
static bool search(const char *link, unsigned int depth, struct protection *found)
{
	char dir[PATH_MAX], path[PATH_MAX + 300];
	struct protection below;
	struct dirent *entry;
	bool any;
	DIR *list;

	if (!find_disk(link, dir))
		return false;
	any = read_disk(dir, found);
	snprintf(path, sizeof(path), "%s/slaves", dir);
	list = depth < MAX_DEPTH ? opendir(path) : NULL;
	while (list && (!any || is_whole(found)) && (entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/slaves/%s", dir, entry->d_name);
		if (!search(path, depth + 1, &below) || (any && is_whole(&below)))
			continue;
		*found = below;
		any = true;
	}
	if (list)
		closedir(list);
	return any;
}

/**
 * protection_find() - whether a device has protection information
 * @device: the path of a block device
 * @found: the result; with several disks, one where it is switched off, if there is one
 *
 * Return: whether it has, itself or below.
 */
bool protection_find(const char *device, struct protection *found)
{
	char path[PATH_MAX];
	dev_t number;

	if (node_device(device, &number))
		return false;
	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", node_root(), major(number),
		 minor(number));
	return search(path, 0, found);
}

/**
 * protection_require() - refuse a device whose protection information is switched off
 * @device: the path of a block device
 * @fail: why it is refused
 *
 * Hosts could not make or check it, and would not know that nobody else does.
 *
 * Return: 0, or -1 with @fail filled in.
 */
int protection_require(const char *device, struct rblk_failure *fail)
{
	struct protection found;
	const char *what, *which, *file;
	char hint[160];

	if (!protection_find(device, &found) || is_whole(&found))
		return 0;
	if (!found.made && !found.checked) {
		what = "neither to make nor to check it";
		which = "write_generate and read_verify are 0";
		file = "{write_generate,read_verify}";
	} else {
		what = found.made ? "not to check it" : "not to make it";
		which = found.made ? "read_verify is 0" : "write_generate is 0";
		file = found.made ? "read_verify" : "write_generate";
	}
	snprintf(hint, sizeof(hint), "echo 1 | tee /sys/block/%s/integrity/%s", found.disk, file);
	failure_set(fail, EINVAL, hint,
		    "%s has protection information (%s), but this machine is set %s (%s), and hosts cannot",
		    found.disk, found.format, what, which);
	fail->stage = RBLK_STAGE_BACKING;
	return -1;
}
