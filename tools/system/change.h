/* SPDX-License-Identifier: GPL-2.0-only */
/* From a request to what the library takes, which then does it. */
#ifndef RBLKCTL_CHANGE_H
#define RBLKCTL_CHANGE_H

#include "lib/failure.h"
#include "request/request.h"
#include "system/lvm.h"

/* The tool as the library's caller: it gives up when a signal says so. */
extern struct rblk *rblk;

int host_identity(struct request *req, const char **origin, struct rblk_failure *fail);
/* How long an attach waits for each route but the first; it comes later as well. */
#define ROUTE_WAIT_MS	3000

void proof_fill(struct rblk_volume_spec *spec, const struct request *req);
int volume_attach(struct request *req, struct rblk_ioc_attach *attach,
		  struct rblk_failure *fail);
void volume_routes(const struct request *req, int index, const __u8 uuid[UUID_BYTES]);
void volume_all_routes(struct request *req, int index, const __u8 uuid[UUID_BYTES]);
int discover_offers(struct request *req, struct rblk_ioc_discover *discover,
		    struct rblk_ioc_offer **offers, struct rblk_failure *fail);
int export_add(const struct request *req, struct rblkt_ioc_export_add *add,
	       struct rblk_failure *fail);
int export_set(const struct request *old, const struct request *new,
	       struct rblk_failure *fail);
int export_change(const struct request *req, struct rblkt_ioc_export_set *set,
		  struct rblk_failure *fail);
int pool_add(struct request *req, struct rblkt_ioc_export_add *add, struct lv *made,
	     struct rblk_failure *fail);
int pool_destroy(const struct request *req, struct lv *lv, struct rblk_failure *fail);
bool same_hosts(const struct request *a, const struct request *b);
int portal_add(const struct request *req, struct rblk_ioc_addr *addr,
	       struct rblk_failure *fail);
int portal_remove(const struct request *req, struct rblk_ioc_addr *addr,
		  struct rblk_failure *fail);

#endif /* RBLKCTL_CHANGE_H */
