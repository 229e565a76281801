// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/node.h"
#include "lib/sysfs.h"
#include "lib/volumes.h"

static int volume_get(int fd, int index, unsigned int flags, struct rblk_ioc_show *show,
		      struct failure *fail)
{
	if (fd == VOLUMES_SYSFS)
		return sysfs_volume(index, flags, show, fail);
	memset(show, 0, sizeof(*show));
	show->size = sizeof(*show);
	show->index = index;
	show->flags = flags;
	return control_call(fd, RBLK_IOC_SHOW, show, &show->error, fail);
}

/**
 * volumes_next() - the first volume from an index on
 * @fd: initiator's node, or VOLUMES_SYSFS
 * @from: the index
 * @show: the volume and its session
 * @fail: why it failed
 *
 * Return: 1 when there is one, 0 when there is none, -1 with @fail filled in.
 */
int volumes_next(int fd, int from, struct rblk_ioc_show *show, struct failure *fail)
{
	if (from < 0)	/* the one before was INT_MAX */
		return 0;
	if (!volume_get(fd, from, RBLK_SHOW_NEXT, show, fail))
		return 1;
	return fail->error == ENOENT ? 0 : -1;
}

static int next_index(const struct rblk_ioc_show *show)
{
	return show->volume.index == INT_MAX ? -1 : show->volume.index + 1;
}

/* Follow a link in /dev to /dev/rblkN; false if it leads anywhere else. */
static bool follow(const struct selector *sel, int *index)
{
	char path[2 * RBLK_PATH_LEN], full[PATH_MAX], *name;
	struct selector device;

	snprintf(path, sizeof(path), "%s%s", node_root(), sel->text);
	if (sel->text[0] != '/' || !realpath(path, full))
		return false;
	name = strrchr(full, '/');
	*name++ = '\0';
	if (name - full < 5 || strcmp(name - 5, "/dev"))
		return false;
	if (selector_parse(name, &device) || device.kind != SELECT_INDEX)
		return false;
	*index = device.index;
	return true;
}

/**
 * volume_link() - the link that udev makes to a volume
 * @to: the result
 * @volume: the volume
 */
void volume_link(char to[LINK_TEXT], const struct rblk_ioc_volume *volume)
{
	char target[RBLK_PATH_LEN], export[RBLK_NAME_LEN];

	text_clean(target, sizeof(target), volume->target_text, sizeof(volume->target_text));
	text_clean(export, sizeof(export), volume->export, sizeof(volume->export));
	link_text(to, target, export);
}

static bool matches(const struct selector *sel, const struct rblk_ioc_volume *volume)
{
	char text[RBLK_PATH_LEN], link[LINK_TEXT];
	struct endpoint target;

	/* A link's name says it all, also where there is no udev to make it. */
	if (sel->kind == SELECT_PATH) {
		volume_link(link, volume);
		return !strcmp(link, sel->text);
	}
	if (sel->kind == SELECT_UUID)
		return !memcmp(sel->uuid, volume->uuid, UUID_BYTES);
	if (strncmp(sel->export, volume->export, RBLK_NAME_LEN))
		return false;
	if (sel->kind == SELECT_EXPORT)
		return true;
	text_clean(text, sizeof(text), volume->target_text, sizeof(volume->target_text));
	return !endpoint_parse(text, &target) && endpoint_equal(&target, &sel->target);
}

static int not_found(const struct selector *sel, struct failure *fail)
{
	if (sel->kind == SELECT_PATH)
		failure_set(fail, ENOENT, "rblkctl list", "%s is not a device of rblk", sel->text);
	else
		failure_set(fail, ENOENT, "rblkctl list", "%s is not attached", sel->text);
	fail->stage = RBLK_STAGE_LOOKUP;
	return -1;
}

static void note_match(char *found, size_t room, const struct rblk_ioc_volume *volume)
{
	char target[RBLK_PATH_LEN];
	size_t used = strlen(found);

	text_clean(target, sizeof(target), volume->target_text, sizeof(volume->target_text));
	snprintf(found + used, room - used, "%srblk%d of %s", used ? ", " : "",
		 volume->index, target);
}

static int search(int fd, const struct selector *sel, struct rblk_ioc_show *show,
		  struct failure *fail)
{
	struct rblk_ioc_show here;
	unsigned int nr = 0;
	char found[320] = "";
	int at = 0, got;

	while ((got = volumes_next(fd, at, &here, fail)) > 0) {
		at = next_index(&here);
		if (!matches(sel, &here.volume))
			continue;
		note_match(found, sizeof(found), &here.volume);
		*show = here;
		nr++;
	}
	if (got < 0)
		return -1;
	if (nr == 1)
		return 0;
	if (!nr)
		return not_found(sel, fail);
	failure_set(fail, ENOTUNIQ, "name the device", "%s is attached more than once: %s",
		    sel->text, found);
	fail->stage = RBLK_STAGE_LOOKUP;
	return -1;
}

/**
 * volumes_find() - the volume that is meant
 * @fd: initiator's node, or VOLUMES_SYSFS
 * @sel: which one
 * @show: the volume and its session
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int volumes_find(int fd, const struct selector *sel, struct rblk_ioc_show *show,
		 struct failure *fail)
{
	int index = sel->index;

	if (sel->kind == SELECT_INDEX || follow(sel, &index)) {
		if (!volume_get(fd, index, 0, show, fail))
			return 0;
		return fail->error == ENOENT ? not_found(sel, fail) : -1;
	}
	return search(fd, sel, show, fail);
}
