/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a connection keeps for the next epoch: see pool.c.  transport.h, the door of
 * this layer, includes it.
 */
#ifndef RBLK_POOL_H
#define RBLK_POOL_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>

/**
 * struct rblk_pool_shape - the registrations that a connection needs
 * @nr: how many
 * @nr_small: how many of these, the first ones, are small
 * @small: page-list entries of a small one
 * @large: page-list entries of the others
 */
struct rblk_pool_shape {
	u32 nr;
	u32 nr_small;
	u32 small;
	u32 large;
};

/**
 * struct rblk_pool - protection domain and registrations of a connection
 * @entry: in the list of idle pools, or empty
 * @busy: somebody has it claimed; guarded by pool.c's lock
 * @tainted: a registration could not be destroyed: keep nothing
 * @device: the RDMA device that they belong to; NULL while there are none
 * @pd: the domain
 * @shape: what @mrs has, or will have
 * @mrs: registrations, each invalid or in use; NULL where none was made yet
 *
 * The session owns it; see pool.c for its lifetime.
 */
struct rblk_pool {
	struct list_head entry;
	bool busy;
	bool tainted;
	struct ib_device *device;
	struct ib_pd *pd;
	struct rblk_pool_shape shape;
	struct ib_mr **mrs;
};

void rblk_pool_init(struct rblk_pool *pool);
void rblk_pool_exit(struct rblk_pool *pool);
int rblk_pool_open(struct rblk_pool *pool, struct ib_device *device,
		   const struct rblk_pool_shape *shape);
void rblk_pool_close(struct rblk_pool *pool);
struct ib_mr *rblk_pool_mr(struct rblk_pool *pool, u32 i);
void rblk_pool_drop(struct rblk_pool *pool, u32 i);
int rblk_pool_start(void);
void rblk_pool_stop(void);

#endif
