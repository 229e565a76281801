/* SPDX-License-Identifier: GPL-2.0-only */
/* From what is running to what is wanted. */
#ifndef RBLKCTL_PLAN_H
#define RBLKCTL_PLAN_H

#include "config/config.h"

enum action {
	ACTION_KEEP,
	ACTION_ADD,
	ACTION_REMOVE,
	ACTION_REPLACE,	/* removed and added anew */
	ACTION_SET,	/* a policy or right, with nothing in between */
};

enum outcome {
	OUTCOME_NONE,	/* not come to it */
	OUTCOME_DONE,
	OUTCOME_FAILED,
	OUTCOME_UNDONE,
	OUTCOME_STUCK,	/* done, and could not be undone */
};

/**
 * struct change - what becomes of one item
 * @kind: its kind
 * @action: what is to be done
 * @outcome: what came of it
 * @removed: the former one is gone
 * @tried: to add the new one
 * @added: the new one is there
 * @old: as it runs, NULL with ACTION_ADD
 * @new: as it is wanted, NULL with ACTION_REMOVE
 * @detail: what differs, or what is to be known
 * @fail: with OUTCOME_FAILED and OUTCOME_STUCK
 */
struct change {
	enum item_kind kind;
	enum action action;
	enum outcome outcome;
	bool removed;
	bool tried;
	bool added;
	struct item *old;
	struct item *new;
	char detail[192];
	struct rblk_failure fail;
};

/**
 * struct plan - all changes
 * @nr: entries of @change
 * @change: portals, exports, volumes
 */
struct plan {
	unsigned int nr;
	struct change *change;
};

void plan_make(struct plan *plan, const struct config *running, const struct config *wanted);
void plan_free(struct plan *plan);
bool same_target_keys(const struct request *a, const struct request *b);
bool plan_empty(const struct plan *plan);
const struct item *change_item(const struct change *change);
struct change *plan_next(struct plan *plan, unsigned int pass, unsigned int *at);
int each_run(struct plan *plan);

int item_add(enum item_kind kind, struct item *item, struct rblk_failure *fail);
int change_remove(struct change *change);
int change_add(struct change *change);
int change_set(struct change *change);
void change_undo(struct change *change, bool removal);

void plan_print(const struct plan *plan, const struct request *req);
void plan_failures(const struct plan *plan);
void change_request(struct request *to, const struct change *change);

#endif /* RBLKCTL_PLAN_H */
