/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of connections and sessions, and which may follow which.  Pure:
 * any context may call these functions.  The setters, which assert the lock
 * and trace, are in session/session.c and transport/conn.c.
 */
#ifndef RBLKT_STATE_H
#define RBLKT_STATE_H

#include <linux/types.h>
#include "rblk_ioctl.h"

/*
 * A connection's state.
 * NEW: has its resources; its CM request is not answered or not established
 * OPEN: established, or the peer has spoken; not yet logged in or bound
 * LIVE: logged in (qid 0) or bound
 * CLOSING: the target posts nothing more, the queue pair drains
 * DEAD: no hardware left; the memory stays until the last bio has ended
 */
#define RBLKT_CONN_STATE_TABLE(X)		\
	X(RBLKT_CONN_NEW,	"new")		\
	X(RBLKT_CONN_OPEN,	"open")		\
	X(RBLKT_CONN_LIVE,	"live")		\
	X(RBLKT_CONN_CLOSING,	"closing")	\
	X(RBLKT_CONN_DEAD,	"dead")

enum rblkt_conn_state {
#define RBLKT_CONN_STATE_ENUM(name, text) name,
	RBLKT_CONN_STATE_TABLE(RBLKT_CONN_STATE_ENUM)
#undef RBLKT_CONN_STATE_ENUM
	RBLKT_CONN_NR_STATES
};

bool rblkt_state_conn_may(enum rblkt_conn_state from, enum rblkt_conn_state to);
bool rblkt_state_sess_may(enum rblk_session_state from,
			  enum rblk_session_state to);
const char *rblkt_state_conn_text(enum rblkt_conn_state state);
const char *rblkt_state_sess_text(enum rblk_session_state state);

#endif /* RBLKT_STATE_H */
