// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether this machine's root file system is on a volume, also by way of partitions,
 * device mapper and md. What cannot be read is passed over: nothing depends on it but
 * that an administrator is kept from pulling the ground away.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/librblk.h"
#include "lib/node.h"
#include "lib/users.h"

/* Devices on devices: more than anybody stacks. */
#define MAX_DEPTH	8

/**
 * struct stack - what is looked for
 * @root: where /proc and /sys are
 * @disk: "rblkN"
 */
struct stack {
	const char *root;
	char disk[16];
};

static bool stands_on(const struct stack *stack, const char *dir, unsigned int depth);

/* @dir: of a device in sysfs, or ".." of a partition */
static bool slaves_on(const struct stack *stack, const char *dir, unsigned int depth)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *slaves;

	if (snprintf(path, sizeof(path), "%s/slaves", dir) >= (int)sizeof(path))
		return false;
	slaves = opendir(path);
	while (slaves && !found && (entry = readdir(slaves))) {
		if (entry->d_name[0] == '.')
			continue;
		found = users_is_part(stack->disk, entry->d_name);
		if (!found && snprintf(path, sizeof(path), "%s/slaves/%s", dir,
				       entry->d_name) < (int)sizeof(path))
			found = stands_on(stack, path, depth + 1);
	}
	if (slaves)
		closedir(slaves);
	return found;
}

static bool stands_on(const struct stack *stack, const char *dir, unsigned int depth)
{
	char path[PATH_MAX], *name;

	if (depth == MAX_DEPTH || !realpath(dir, path))
		return false;
	name = strrchr(path, '/');
	if (users_is_part(stack->disk, name + 1) || slaves_on(stack, path, depth))
		return true;
	/* A partition has nothing below itself: its disk has. */
	*name = '\0';
	return slaves_on(stack, path, depth);
}

/*
 * The last that is mounted on / is what is there. File systems such as btrfs have a
 * device number of their own; they are known by the source they name.
 */
static bool root_mount(const struct stack *stack, char number[32], char source[PATH_MAX])
{
	char path[PATH_MAX], point[PATH_MAX], device[32], *line = NULL, *tail;
	bool found = false;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/1/mountinfo", stack->root);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0) {
		tail = strstr(line, " - ");
		if (!tail || sscanf(line, "%*u %*u %31s %*s %4095s", device, point) != 2 ||
		    strcmp(point, "/"))
			continue;
		strcpy(number, device);
		found = sscanf(tail, " - %*s %4095s", source) == 1;
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

/**
 * rblk_is_root() - whether the machine's root file system is on a volume
 * @index: N of its /dev/rblkN
 *
 * Of the whole machine, not of the container that the caller may be in.
 *
 * Return: whether it is, or on one of its partitions or on what stands on it.
 */
bool rblk_is_root(int index)
{
	char number[32], source[PATH_MAX], path[PATH_MAX + 64];
	struct stack stack = { .root = node_root() };
	dev_t device;

	snprintf(stack.disk, sizeof(stack.disk), "rblk%d", index);
	if (!root_mount(&stack, number, source))
		return false;
	snprintf(path, sizeof(path), "%s/sys/dev/block/%s", stack.root, number);
	if (stands_on(&stack, path, 0))
		return true;
	if (strncmp(source, "/dev/", 5) || node_device(source, &device))
		return false;
	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", stack.root, major(device),
		 minor(device));
	return stands_on(&stack, path, 0);
}
