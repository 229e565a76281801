// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transition tables of the target's connections and sessions.
 */
#include <linux/types.h>
#include "state.h"

#define TO(state) (1u << (state))

/* By state: the states that may follow it. */
static const u8 conn_next[RBLKT_CONN_NR_STATES] = {
	[RBLKT_CONN_NEW]	= TO(RBLKT_CONN_OPEN) | TO(RBLKT_CONN_CLOSING),
	[RBLKT_CONN_OPEN]	= TO(RBLKT_CONN_LIVE) | TO(RBLKT_CONN_CLOSING),
	[RBLKT_CONN_LIVE]	= TO(RBLKT_CONN_CLOSING),
	[RBLKT_CONN_CLOSING]	= TO(RBLKT_CONN_DEAD),
	[RBLKT_CONN_DEAD]	= 0,
};

/*
 * The same for sessions.  A session of the target is one epoch of what the
 * initiator calls a session.  So it never recovers: its successor is another
 * object.
 */
static const u8 sess_next[RBLK_SESS_NR_STATES] = {
	[RBLK_SESS_NEW]		= TO(RBLK_SESS_CONNECTING) |
				  TO(RBLK_SESS_DELETING),
	[RBLK_SESS_CONNECTING]	= TO(RBLK_SESS_LIVE) | TO(RBLK_SESS_DELETING),
	[RBLK_SESS_LIVE]	= TO(RBLK_SESS_DELETING),
	[RBLK_SESS_RECOVERING]	= 0,
	[RBLK_SESS_DELETING]	= 0,
};

/**
 * rblkt_state_conn_may - may a connection go from one state to another?
 * @from: the present state
 * @to: the wanted state
 *
 * Context: any.
 * Return: true if it may.
 */
bool rblkt_state_conn_may(enum rblkt_conn_state from, enum rblkt_conn_state to)
{
	return (unsigned int)from < RBLKT_CONN_NR_STATES &&
	       (unsigned int)to < RBLKT_CONN_NR_STATES &&
	       conn_next[from] & TO(to);
}

/**
 * rblkt_state_sess_may - may a session go from one state to another?
 * @from: the present state
 * @to: the wanted state
 *
 * Context: any.
 * Return: true if it may.
 */
bool rblkt_state_sess_may(enum rblk_session_state from,
			  enum rblk_session_state to)
{
	return (unsigned int)from < RBLK_SESS_NR_STATES &&
	       (unsigned int)to < RBLK_SESS_NR_STATES &&
	       sess_next[from] & TO(to);
}

/**
 * rblkt_state_conn_text - name of a connection state
 * @state: the state
 *
 * Context: any.
 * Return: a constant string.
 */
const char *rblkt_state_conn_text(enum rblkt_conn_state state)
{
	static const char * const text[] = {
#define RBLKT_CONN_STATE_TEXT(name, words) words,
		RBLKT_CONN_STATE_TABLE(RBLKT_CONN_STATE_TEXT)
#undef RBLKT_CONN_STATE_TEXT
	};

	return (unsigned int)state < RBLKT_CONN_NR_STATES ? text[state] : "?";
}

/**
 * rblkt_state_sess_text - name of a session state
 * @state: the state
 *
 * Context: any.
 * Return: a constant string.
 */
const char *rblkt_state_sess_text(enum rblk_session_state state)
{
	static const char * const text[] = {
#define RBLKT_SESS_STATE_TEXT(name, value, words) words,
		RBLK_SESSION_STATE_TABLE(RBLKT_SESS_STATE_TEXT)
#undef RBLKT_SESS_STATE_TEXT
	};

	return (unsigned int)state < RBLK_SESS_NR_STATES ? text[state] : "?";
}
