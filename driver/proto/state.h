/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which state changes are allowed for the initiator's sessions, volumes and
 * connections.  Pure; the setters in session/session.c, session/volume.c and
 * transport/conn.c ask here.
 */
#ifndef RBLK_STATE_H
#define RBLK_STATE_H

#include <linux/types.h>
#include "rblk_ioctl.h"

/*
 * The life of a connection.  RESOLVING covers address and route.  A BINDING
 * connection is established, but has not logged in (qid 0) or bound itself to
 * its session yet.  A LOST one waits for its teardown.
 */
enum rblk_conn_state {
	RBLK_CONN_IDLE,
	RBLK_CONN_RESOLVING,
	RBLK_CONN_CONNECTING,
	RBLK_CONN_BINDING,
	RBLK_CONN_READY,
	RBLK_CONN_LOST,
	RBLK_CONN_CLOSED,
	RBLK_CONN_NR_STATES
};

bool rblk_sess_may_become(enum rblk_session_state from, enum rblk_session_state to);
bool rblk_vol_may_become(enum rblk_volume_state from, enum rblk_volume_state to);
bool rblk_conn_may_become(enum rblk_conn_state from, enum rblk_conn_state to);

const char *rblk_sess_state_name(u32 state);
const char *rblk_vol_state_name(u32 state);
const char *rblk_conn_state_name(u32 state);

#endif /* RBLK_STATE_H */
