// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/node.h"
#include "lib/resolve.h"
#include "lib/sysfs.h"
#include "lib/volumes.h"

static int volume_get(struct rblk *rblk, int index, unsigned int flags,
		      struct rblk_ioc_show *show, bool *partial, struct rblk_failure *fail)
{
	int err;

	memset(show, 0, sizeof(*show));
	show->size = sizeof(*show);
	show->index = index;
	show->flags = flags;
	if (partial)
		*partial = false;
	err = control_try(rblk, RBLK_INITIATOR, RBLK_IOC_SHOW, show, &show->error, fail);
	if (!err || !partial || !control_refused(fail))
		return err;
	*partial = true;
	return sysfs_volume(index, flags, show, fail);
}

/**
 * rblk_volume_next() - the first volume from an index on
 * @rblk: the caller, or NULL
 * @from: the index; negative: the one before was the last that can be
 * @show: the volume and its session
 * @partial: whether it is only what sysfs has, as only root may ask the module; NULL: fail then
 * @fail: why it failed
 *
 * Return: 1 when there is one, 0 when there is none, -1 with @fail filled in.
 */
int rblk_volume_next(struct rblk *rblk, int from, struct rblk_ioc_show *show,
		     bool *partial, struct rblk_failure *fail)
{
	if (from < 0)
		return 0;
	if (!volume_get(rblk, from, RBLK_SHOW_NEXT, show, partial, fail))
		return 1;
	return fail->error == ENOENT && fail->stage ? 0 : -1;
}

/**
 * volume_after() - where to look for the next volume
 * @show: the one before
 *
 * Return: for rblk_volume_next().
 */
int volume_after(const struct rblk_ioc_show *show)
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

/* Is it one of the addresses that were written? */
static bool is_target(const struct selector *sel, const char *text, size_t max)
{
	char clean[RBLK_PATH_LEN];
	struct endpoint target;
	unsigned int i;

	text_clean(clean, sizeof(clean), text, max);
	if (endpoint_parse(clean, &target))
		return false;
	if (endpoint_equal(&target, &sel->target))
		return true;
	for (i = 0; i < sel->nr_other; i++)
		if (endpoint_equal(&target, &sel->other[i]))
			return true;
	return false;
}

/* A volume that has routes is at each of their addresses. */
static bool has_target(struct rblk *rblk, const struct selector *sel,
		       const struct rblk_ioc_volume *volume)
{
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	struct rblk_failure fail;
	unsigned int nr, i;

	if (is_target(sel, volume->target_text, sizeof(volume->target_text)))
		return true;
	if (volume->routes < 2 || rblk_routes(rblk, volume->index, routes, &nr, &fail))
		return false;
	for (i = 0; i < nr; i++)
		if (is_target(sel, routes[i].target_text, sizeof(routes[i].target_text)))
			return true;
	return false;
}

static bool matches(struct rblk *rblk, const struct selector *sel,
		    const struct rblk_ioc_volume *volume)
{
	char link[LINK_TEXT];

	/* A link's name says it all, also where there is no udev to make it. */
	if (sel->kind == SELECT_PATH) {
		volume_link(link, volume);
		return !strcmp(link, sel->text);
	}
	if (sel->kind == SELECT_UUID)
		return !memcmp(sel->uuid, volume->uuid, UUID_BYTES);
	if (strncmp(sel->export, volume->export_name, RBLK_NAME_LEN))
		return false;
	if (sel->kind == SELECT_EXPORT)
		return true;
	return has_target(rblk, sel, volume);
}

static int not_found(const struct selector *sel, struct rblk_failure *fail)
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

static int search(struct rblk *rblk, const struct selector *sel, struct rblk_ioc_show *show,
		  bool *partial, struct rblk_failure *fail)
{
	struct rblk_ioc_show here;
	unsigned int nr = 0;
	char found[320] = "";
	int at = 0, got;

	while ((got = rblk_volume_next(rblk, at, &here, partial, fail)) > 0) {
		at = volume_after(&here);
		if (!matches(rblk, sel, &here.volume))
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
 * rblk_volume_find() - the volume that is meant
 * @rblk: the caller, or NULL
 * @name: rblkN, a path below /dev, a UUID, EXPORT or TARGET[:PORT]/EXPORT, with the target
 *        of any of its routes, or several with commas
 * @show: the volume and its session
 * @partial: as with rblk_volume_next()
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_volume_find(struct rblk *rblk, const char *name, struct rblk_ioc_show *show,
		     bool *partial, struct rblk_failure *fail)
{
	struct selector sel;
	const char *wrong;
	int index;

	if (partial)
		*partial = false;
	memset(&sel, 0, sizeof(sel));
	wrong = selector_parse(name, &sel);
	if (wrong)
		return argument_wrong(fail, name, wrong);
	index = sel.index;
	if (sel.kind == SELECT_INDEX || follow(&sel, &index)) {
		if (!volume_get(rblk, index, 0, show, partial, fail))
			return 0;
		return fail->error == ENOENT && fail->stage ? not_found(&sel, fail) : -1;
	}
	return search(rblk, &sel, show, partial, fail);
}

/**
 * rblk_volume_stat() - how long a volume's operations took
 * @rblk: the caller, or NULL
 * @index: which volume
 * @op: the result, by enum rblk_latency_op, since it was attached
 * @fail: why it failed; ENOENT when the volume is gone
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_volume_stat(struct rblk *rblk, int index, struct rblk_ioc_latency op[RBLK_LATENCY_OPS],
		     struct rblk_failure *fail)
{
	struct rblk_ioc_stat stat = {
		.size = sizeof(stat),
		.index = index,
		.room = RBLK_LATENCY_OPS,
		.ops = (uintptr_t)op,
	};

	memset(op, 0, RBLK_LATENCY_OPS * sizeof(*op));
	return control_try(rblk, RBLK_INITIATOR, RBLK_IOC_STAT, &stat, &stat.error, fail);
}
