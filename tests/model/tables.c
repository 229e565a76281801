// SPDX-License-Identifier: GPL-2.0-only
/*
 * Are the transition tables of the models those of the drivers?  Compiled from
 * the drivers' own state.c, once for each side: -DSIDE_TARGET for the target's.
 * Prints each difference; the last line counts the pairs compared.
 */
#include <stdio.h>
#include "tables.h"
#ifdef SIDE_TARGET
#include "../../target/proto/state.c"
#else
#include "../../driver/proto/state.c"
#endif

#define MOST	16

static int differences, compared;

/* A row of the models' tables, as an entry of @a; @b is the states' prefix. */
#define ROW(a, b, from, to)	a[b##from][b##to] = true;

static void compare(const char *what, unsigned int nr, bool model[MOST][MOST],
		    bool (*driver)(unsigned int from, unsigned int to),
		    const char *(*name)(unsigned int state))
{
	unsigned int from, to;

	for (from = 0; from < nr; from++) {
		for (to = 0; to < nr; to++) {
			compared++;
			if (model[from][to] == driver(from, to))
				continue;
			differences++;
			printf("%s: %s -> %s: %s in the driver, %s in the model\n",
			       what, name(from), name(to),
			       driver(from, to) ? "allowed" : "forbidden",
			       model[from][to] ? "allowed" : "forbidden");
		}
	}
}

#ifdef SIDE_TARGET
static bool sess_may(unsigned int from, unsigned int to)
{
	return rblkt_state_sess_may(from, to);
}

static const char *sess_name(unsigned int state)
{
	return rblkt_state_sess_text(state);
}

static bool conn_may(unsigned int from, unsigned int to)
{
	return rblkt_state_conn_may(from, to);
}

static const char *conn_name(unsigned int state)
{
	return rblkt_state_conn_text(state);
}

static void compare_all(void)
{
	bool sess[MOST][MOST] = {}, conn[MOST][MOST] = {};

	TSESS_TABLE(ROW, sess, RBLK_SESS_)
	TCONN_TABLE(ROW, conn, RBLKT_CONN_)
	compare("target session", RBLK_SESS_NR_STATES, sess, sess_may, sess_name);
	compare("target connection", RBLKT_CONN_NR_STATES, conn, conn_may,
		conn_name);
}
#else
static bool sess_may(unsigned int from, unsigned int to)
{
	return rblk_sess_may_become(from, to);
}

static bool vol_may(unsigned int from, unsigned int to)
{
	return rblk_vol_may_become(from, to);
}

static bool conn_may(unsigned int from, unsigned int to)
{
	return rblk_conn_may_become(from, to);
}

static void compare_all(void)
{
	bool sess[MOST][MOST] = {}, vol[MOST][MOST] = {}, conn[MOST][MOST] = {};

	SESS_TABLE(ROW, sess, RBLK_SESS_)
	VOL_TABLE(ROW, vol, RBLK_VOL_)
	CONN_TABLE(ROW, conn, RBLK_CONN_)
	compare("session", RBLK_SESS_NR_STATES, sess, sess_may,
		rblk_sess_state_name);
	compare("volume", RBLK_VOL_NR_STATES, vol, vol_may, rblk_vol_state_name);
	compare("connection", RBLK_CONN_NR_STATES, conn, conn_may,
		rblk_conn_state_name);
}
#endif

int main(void)
{
	compare_all();
	printf("%d pairs, %d differences\n", compared, differences);
	return differences || !compared;
}
