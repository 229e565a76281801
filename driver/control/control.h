/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that serve /dev/rblk-control share. */
#ifndef RBLK_CONTROL_H
#define RBLK_CONTROL_H

#include "../block/block.h"

static inline bool rblk_ctl_zero(const void *data, size_t bytes)
{
	return !memchr_inv(data, 0, bytes);
}

/* ---- args.c: arguments of several commands ---- */

int rblk_ctl_bad(struct rblk_ioc_error *error, const char *what);
int rblk_ctl_read_peer(const struct rblk_ioc_addr *target, const struct rblk_ioc_addr *source,
		       struct rblk_peer *peer, struct rblk_ioc_error *error);
struct rblk_sess_args *rblk_ctl_read_sess(const struct rblk_ioc_addr *target,
					  const struct rblk_ioc_addr *source, const u8 *host,
					  const char *name, struct rblk_ioc_error *error);
int rblk_ctl_check_proof(u32 flags, const u8 keys[RBLK_TARGET_KEYS][RBLK_KEY_LEN],
			 struct rblk_ioc_error *error);

/* ---- discover.c: what a target offers ---- */

int rblk_ctl_discover(void *data, struct rblk_ioc_error *error);

#endif /* RBLK_CONTROL_H */
