/* SPDX-License-Identifier: GPL-2.0-only */
/* What the verbs that change something do, without a word to the user. */
#ifndef RBLKCTL_CHANGE_H
#define RBLKCTL_CHANGE_H

#include "lib/control.h"

int volume_attach(struct request *req, struct rblk_ioc_attach *attach, struct failure *fail);
int volume_detach(const struct request *req, int index, const __u8 uuid[UUID_BYTES],
		  struct failure *fail);
int volume_policy(int index, const __u8 uuid[UUID_BYTES], int queue_timeout,
		  struct failure *fail);
int export_add(const struct request *req, struct rblkt_ioc_export_add *add,
	       struct failure *fail);
int export_remove(const struct request *req, struct failure *fail);
int export_set(const struct request *old, const struct request *new, struct failure *fail);
int export_change(const struct request *req, struct rblkt_ioc_export_set *set,
		  struct failure *fail);
int export_change_hosts(const struct request *req, struct rblkt_ioc_export_set *set,
			struct failure *fail);
bool same_hosts(const struct request *a, const struct request *b);
int portal_add(const struct request *req, struct rblk_ioc_addr *addr, struct failure *fail);
int portal_remove(const struct request *req, struct rblk_ioc_addr *addr,
		  struct failure *fail);

#endif /* RBLKCTL_CHANGE_H */
