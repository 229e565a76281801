// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of the allowed state changes; see state.h.
 */
#include <linux/types.h>
#include <linux/kernel.h>
#include "state.h"

#define TO(state) (1u << (state))

/*
 * A new session makes one attempt to connect, for the caller who asked for it;
 * if that fails, it is deleted.  A session that was live before is never given
 * up: it recovers, and each attempt passes through CONNECTING.
 */
static const u32 sess_allowed[RBLK_SESS_NR_STATES] = {
	[RBLK_SESS_NEW] = TO(RBLK_SESS_CONNECTING) | TO(RBLK_SESS_DELETING),
	[RBLK_SESS_CONNECTING] = TO(RBLK_SESS_LIVE) | TO(RBLK_SESS_RECOVERING) |
				 TO(RBLK_SESS_DELETING),
	[RBLK_SESS_LIVE] = TO(RBLK_SESS_RECOVERING) | TO(RBLK_SESS_DELETING),
	[RBLK_SESS_RECOVERING] = TO(RBLK_SESS_CONNECTING) | TO(RBLK_SESS_DELETING),
	[RBLK_SESS_DELETING] = 0,
};

/*
 * WAITING holds I/O, FAILED ends it with an error.  Both return to LIVE when
 * the target has accepted the volume again.
 */
static const u32 vol_allowed[RBLK_VOL_NR_STATES] = {
	[RBLK_VOL_NEW] = TO(RBLK_VOL_LIVE) | TO(RBLK_VOL_DELETING),
	[RBLK_VOL_LIVE] = TO(RBLK_VOL_WAITING) | TO(RBLK_VOL_DELETING),
	[RBLK_VOL_WAITING] = TO(RBLK_VOL_LIVE) | TO(RBLK_VOL_FAILED) |
			     TO(RBLK_VOL_DELETING),
	[RBLK_VOL_FAILED] = TO(RBLK_VOL_LIVE) | TO(RBLK_VOL_DELETING),
	[RBLK_VOL_DELETING] = 0,
};

static const u32 conn_allowed[RBLK_CONN_NR_STATES] = {
	[RBLK_CONN_IDLE] = TO(RBLK_CONN_RESOLVING) | TO(RBLK_CONN_CLOSED),
	[RBLK_CONN_RESOLVING] = TO(RBLK_CONN_CONNECTING) | TO(RBLK_CONN_LOST) |
				TO(RBLK_CONN_CLOSED),
	[RBLK_CONN_CONNECTING] = TO(RBLK_CONN_BINDING) | TO(RBLK_CONN_LOST) |
				 TO(RBLK_CONN_CLOSED),
	[RBLK_CONN_BINDING] = TO(RBLK_CONN_READY) | TO(RBLK_CONN_LOST) |
			      TO(RBLK_CONN_CLOSED),
	[RBLK_CONN_READY] = TO(RBLK_CONN_LOST) | TO(RBLK_CONN_CLOSED),
	[RBLK_CONN_LOST] = TO(RBLK_CONN_CLOSED),
	[RBLK_CONN_CLOSED] = 0,
};

static const char * const sess_name[] = {
#define NAME(symbol, value, text) [symbol] = text,
	RBLK_SESSION_STATE_TABLE(NAME)
};

static const char * const vol_name[] = {
	RBLK_VOLUME_STATE_TABLE(NAME)
#undef NAME
};

static const char * const conn_name[] = {
	[RBLK_CONN_IDLE] = "idle",
	[RBLK_CONN_RESOLVING] = "resolving",
	[RBLK_CONN_CONNECTING] = "connecting",
	[RBLK_CONN_BINDING] = "binding",
	[RBLK_CONN_READY] = "ready",
	[RBLK_CONN_LOST] = "lost",
	[RBLK_CONN_CLOSED] = "closed",
};

/**
 * rblk_sess_may_become() - is this change of a session's state allowed?
 * @from: present state
 * @to: wanted state
 *
 * Context: any.
 * Return: whether it is.
 */
bool rblk_sess_may_become(enum rblk_session_state from, enum rblk_session_state to)
{
	return from < RBLK_SESS_NR_STATES && to < RBLK_SESS_NR_STATES &&
	       sess_allowed[from] & TO(to);
}

/**
 * rblk_vol_may_become() - is this change of a volume's state allowed?
 * @from: present state
 * @to: wanted state
 *
 * Context: any.
 * Return: whether it is.
 */
bool rblk_vol_may_become(enum rblk_volume_state from, enum rblk_volume_state to)
{
	return from < RBLK_VOL_NR_STATES && to < RBLK_VOL_NR_STATES &&
	       vol_allowed[from] & TO(to);
}

/**
 * rblk_conn_may_become() - is this change of a connection's state allowed?
 * @from: present state
 * @to: wanted state
 *
 * Context: any.
 * Return: whether it is.
 */
bool rblk_conn_may_become(enum rblk_conn_state from, enum rblk_conn_state to)
{
	return from < RBLK_CONN_NR_STATES && to < RBLK_CONN_NR_STATES &&
	       conn_allowed[from] & TO(to);
}

/**
 * rblk_sess_state_name() - name of a session's state, for people
 * @state: enum rblk_session_state
 *
 * Context: any.
 * Return: the name, "?" for an unknown state.
 */
const char *rblk_sess_state_name(u32 state)
{
	return state < ARRAY_SIZE(sess_name) ? sess_name[state] : "?";
}

/**
 * rblk_vol_state_name() - name of a volume's state, for people
 * @state: enum rblk_volume_state
 *
 * Context: any.
 * Return: the name, "?" for an unknown state.
 */
const char *rblk_vol_state_name(u32 state)
{
	return state < ARRAY_SIZE(vol_name) ? vol_name[state] : "?";
}

/**
 * rblk_conn_state_name() - name of a connection's state, for people
 * @state: enum rblk_conn_state
 *
 * Context: any.
 * Return: the name, "?" for an unknown state.
 */
const char *rblk_conn_state_name(u32 state)
{
	return state < ARRAY_SIZE(conn_name) ? conn_name[state] : "?";
}
