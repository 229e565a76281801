/* SPDX-License-Identifier: GPL-2.0-only */
/* Logical volumes, by LVM's own programs. */
#ifndef RBLKCTL_LVM_H
#define RBLKCTL_LVM_H

#include "lib/failure.h"
#include "request/request.h"

/**
 * struct lv - a logical volume
 * @group: its volume group
 * @name: its name there
 * @thin: in a thin pool
 * @origin: has snapshots that go with it; those in a thin pool do not
 * @ours: the tool has made it
 * @meant: for the export that was asked for
 */
struct lv {
	char group[LV_NAME_LEN];
	char name[LV_NAME_LEN];
	bool thin;
	bool origin;
	bool ours;
	bool meant;
};

#define LV_PATH	(sizeof("/dev//") + 2 * LV_NAME_LEN)

void lv_path(char path[LV_PATH], const struct lv *lv);
int lv_find(const char *path, const __u8 export[UUID_BYTES], struct lv *lv,
	    struct rblk_failure *fail);
int lv_create(const char *pool, const struct request *req, struct lv *made,
	      struct rblk_failure *fail);
int lv_snapshot(const struct lv *origin, const struct request *req, struct lv *made,
		struct rblk_failure *fail);
int lv_remove(const struct lv *lv, struct rblk_failure *fail);

#endif /* RBLKCTL_LVM_H */
