/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages whose sender proves that it is the peer: sign.c; part of transport.h.
 */
#ifndef RBLK_SIGN_H
#define RBLK_SIGN_H

#include <rdma/ib_verbs.h>

#include "../../auth/auth.h"

struct rblk_arrival;
struct rblk_conn;

/**
 * struct rblk_sign - the MACs of a connection's messages
 * @wanted: the session's messages are to have them; set before the connection is made
 * @sends: what is sent has them; set before the first such message
 * @receives: what is received has them; likewise
 * @tx: of what is sent; by sq_lock
 * @rx: of what is received; its handlers run one at a time
 */
struct rblk_sign {
	bool wanted;
	bool sends;
	bool receives;
	struct rblk_auth_mac tx;
	struct rblk_auth_mac rx;
};

void rblk_sign_init(struct rblk_conn *conn, const u8 *secret);
void rblk_sign_begin(struct rblk_conn *conn);
void rblk_sign_end(struct rblk_conn *conn);
bool rblk_sign_check(struct rblk_conn *conn, void *buf, struct rblk_arrival *msg);
void rblk_sign_put(struct rblk_conn *conn, const struct ib_send_wr *wr, void *msg);

#endif /* RBLK_SIGN_H */
