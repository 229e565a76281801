// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports whose logical volume comes and goes with them.
 *
 * Both take two steps, of LVM and of the module. If the second fails, or a signal comes
 * between them, the first is undone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "system/change.h"
#include "system/interrupt.h"

/* Why a step back failed, behind why it was taken. */
static void add_reason(struct rblk_failure *fail, const struct rblk_failure *other,
		       const char *what)
{
	size_t used = strlen(fail->text);

	snprintf(fail->text + used, sizeof(fail->text) - used, "; %s: %s", what, other->text);
}

/* A name that is taken would only be seen when the volume is there. */
static int check_name(const char *name, struct rblk_failure *fail)
{
	struct rblk_ioc_host hosts[RBLK_MAX_HOSTS];
	struct rblkt_ioc_export_show show;
	struct rblkt_ioc_user *users;

	if (!rblkt_export_get(rblk, name, &show, hosts, &users, fail)) {
		free(users);
		failure_set(fail, EEXIST, NULL, "there is an export of that name");
		return -1;
	}
	return fail->error == ENOENT && fail->stage ? 0 : -1;
}

/* The logical volume behind an export. */
static int find_volume(const char *name, struct rblkt_ioc_export_show *show,
		       struct rblk_ioc_host hosts[RBLK_MAX_HOSTS], struct lv *lv,
		       struct rblk_failure *fail)
{
	struct rblkt_ioc_user *users;
	char path[RBLK_PATH_LEN];

	if (rblkt_export_get(rblk, name, show, hosts, &users, fail))
		return -1;
	free(users);
	text_copy(path, sizeof(path), show->path, strnlen(show->path, sizeof(show->path) - 1));
	return lv_find(path, show->uuid, lv, fail);
}

static int make_clone(const struct request *req, struct lv *made, struct rblk_failure *fail)
{
	struct rblk_ioc_host hosts[RBLK_MAX_HOSTS];
	struct rblkt_ioc_export_show show;
	struct lv origin;

	if (find_volume(req->clone_of, &show, hosts, &origin, fail))
		return -1;
	return lv_snapshot(&origin, req, made, fail);
}

/* The volume is to bear it before there is an export. */
static void choose_uuid(struct request *req)
{
	if (request_has(req, OPTION_UUID) && !uuid_is_null(req->uuid))
		return;
	uuid_generate(req->uuid);
	req->given |= OPTION_BIT(OPTION_UUID);
}

static int make_volume(struct request *req, struct lv *made, struct rblk_failure *fail)
{
	int err;

	if (check_name(req->export, fail))
		return -1;
	choose_uuid(req);
	if (request_has(req, OPTION_POOL))
		err = lv_create(req->pool, req, made, fail);
	else
		err = make_clone(req, made, fail);
	if (err > 0)
		snprintf(fail->hint, sizeof(fail->hint),
			 "lvs: if it is there, lvremove %s/%s", made->group, made->name);
	return err;
}

/* Return: -1, or 1 when it is still there. */
static int undo_volume(const struct lv *made, struct rblk_failure *fail)
{
	struct rblk_failure other;
	int err;

	interrupt_defer();
	err = lv_remove(made, &other);
	interrupt_heed();
	if (!err)
		return -1;
	add_reason(fail, &other, "and it was not removed again");
	snprintf(fail->hint, sizeof(fail->hint), "lvremove %s/%s", made->group, made->name);
	return 1;
}

/**
 * pool_add() - make a logical volume, and offer it
 * @req: "export add" with --pool or --clone-of; the device becomes its backing, and it has a UUID
 * @add: what was asked of the module
 * @made: the volume
 * @fail: why it failed
 *
 * Return: 0; -1 with @fail filled in and nothing left; 1 with @fail filled in, and the volume
 * is there, or may be.
 */
int pool_add(struct request *req, struct rblkt_ioc_export_add *add, struct lv *made,
	     struct rblk_failure *fail)
{
	char path[LV_PATH];
	int err = make_volume(req, made, fail);

	if (err)
		return err;
	lv_path(path, made);
	if (!text_copy(req->backing, sizeof(req->backing), path, strlen(path)))
		failure_set(fail, ENAMETOOLONG, "a shorter name", "%s is too long", path);
	else if (!export_add(req, add, fail))
		return 0;
	return undo_volume(made, fail);
}

static int check_destroy(const struct lv *lv, const char *export, struct rblk_failure *fail)
{
	char hint[256 + 2 * LV_NAME_LEN];

	if (!lv->ours) {
		snprintf(hint, sizeof(hint),
			 "rblkctl export remove %s, then 'lvremove %s/%s' if nobody needs it",
			 export, lv->group, lv->name);
		failure_set(fail, EINVAL, hint, "rblkctl has not made %s/%s", lv->group,
			    lv->name);
		return -1;
	}
	if (!lv->meant) {
		snprintf(hint, sizeof(hint),
			 "'lvs -o lv_name,lv_tags %s', as its tag has the export's UUID: was a volume renamed?",
			 lv->group);
		failure_set(fail, EINVAL, hint, "%s/%s was not made for this export", lv->group,
			    lv->name);
		return -1;
	}
	if (lv->origin) {
		snprintf(hint, sizeof(hint), "'lvs -o lv_name,origin %s'; remove those first",
			 lv->group);
		failure_set(fail, EBUSY, hint, "%s/%s has snapshots, which would go with it",
			    lv->group, lv->name);
		return -1;
	}
	return 0;
}

/* Return: -1 when it is offered again as before, 1 when it is not. */
static int offer_again(const struct rblkt_ioc_export_show *show,
		       const struct rblk_ioc_host *hosts, struct rblk_failure *fail)
{
	struct rblk_export_spec spec = {
		.name = show->name,
		.backing = show->path,
		.cgroup = show->cgroup[0] ? show->cgroup : NULL,
		.flags = show->export_flags & ~RBLKT_EXPORT_CGROUP,
		.hosts = hosts,
		.nr_hosts = show->nr_hosts,
	};
	struct rblkt_ioc_export_add add;
	struct rblk_failure other;
	int err;

	memcpy(spec.uuid, show->uuid, sizeof(spec.uuid));
	interrupt_defer();
	err = rblkt_export_add(rblk, &spec, &add, &other);
	interrupt_heed();
	if (err >= 0)
		return -1;
	add_reason(fail, &other, "and it is no longer exported");
	return 1;
}

/**
 * pool_destroy() - stop offering a logical volume, and remove it with its data
 * @req: "export remove" with --destroy
 * @lv: the volume
 * @fail: why it failed
 *
 * The module says whether a host has it attached, and LVM whether anybody else has it open.
 *
 * Return: 0; -1 with @fail filled in and all as before; 1 with @fail filled in and the export
 * gone.
 */
int pool_destroy(const struct request *req, struct lv *lv, struct rblk_failure *fail)
{
	struct rblk_ioc_host hosts[RBLK_MAX_HOSTS];
	struct rblkt_ioc_export_show show;

	if (find_volume(req->export, &show, hosts, lv, fail) ||
	    check_destroy(lv, req->export, fail))
		return -1;
	if (rblkt_export_remove(rblk, req->export, false, fail)) {
		/* What is to be destroyed is not removed by force. */
		if (fail->stage == RBLK_STAGE_BACKING)
			snprintf(fail->hint, sizeof(fail->hint),
				 "again, once the disk answers (journalctl -k)");
		if (fail->stage == RBLK_STAGE_BUSY)
			snprintf(fail->hint, sizeof(fail->hint),
				 "detach it there first; a host that is dead: rblkctl session remove HOST --force");
		return -1;
	}
	if (!lv_remove(lv, fail))
		return 0;
	return offer_again(&show, hosts, fail);
}
