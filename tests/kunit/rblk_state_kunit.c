// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every state change of the initiator's sessions, volumes and connections,
 * allowed and forbidden.  A row is the state left, a column the one entered,
 * in the order of the enumeration; 'x' is allowed.
 */
#include "../../driver/proto/state.c"
#include <kunit/test.h>

static const char * const session[] = {
	/* NEW CONNECTING LIVE RECOVERING DELETING */
	[RBLK_SESS_NEW]		= ".x..x",
	[RBLK_SESS_CONNECTING]	= "..xxx",
	[RBLK_SESS_LIVE]	= "...xx",
	[RBLK_SESS_RECOVERING]	= ".x..x",
	[RBLK_SESS_DELETING]	= ".....",
};

static const char * const volume[] = {
	/* NEW LIVE WAITING FAILED DELETING */
	[RBLK_VOL_NEW]		= ".x..x",
	[RBLK_VOL_LIVE]		= "..x.x",
	[RBLK_VOL_WAITING]	= ".x.xx",
	[RBLK_VOL_FAILED]	= ".x..x",
	[RBLK_VOL_DELETING]	= ".....",
};

static const char * const connection[] = {
	/* IDLE RESOLVING CONNECTING BINDING READY LOST CLOSED */
	[RBLK_CONN_IDLE]	= ".x....x",
	[RBLK_CONN_RESOLVING]	= "..x..xx",
	[RBLK_CONN_CONNECTING]	= "...x.xx",
	[RBLK_CONN_BINDING]	= "....xxx",
	[RBLK_CONN_READY]	= ".....xx",
	[RBLK_CONN_LOST]	= "......x",
	[RBLK_CONN_CLOSED]	= ".......",
};

static void session_changes(struct kunit *test)
{
	unsigned int from, to;

	KUNIT_ASSERT_EQ(test, RBLK_SESS_NR_STATES, 5);
	for (from = 0; from < 5; from++)
		for (to = 0; to < 5; to++)
			KUNIT_EXPECT_EQ_MSG(test, rblk_sess_may_become(from, to),
					    session[from][to] == 'x',
					    "%u to %u", from, to);
}

static void volume_changes(struct kunit *test)
{
	unsigned int from, to;

	KUNIT_ASSERT_EQ(test, RBLK_VOL_NR_STATES, 5);
	for (from = 0; from < 5; from++)
		for (to = 0; to < 5; to++)
			KUNIT_EXPECT_EQ_MSG(test, rblk_vol_may_become(from, to),
					    volume[from][to] == 'x',
					    "%u to %u", from, to);
}

static void connection_changes(struct kunit *test)
{
	unsigned int from, to;

	KUNIT_ASSERT_EQ(test, RBLK_CONN_NR_STATES, 7);
	for (from = 0; from < 7; from++)
		for (to = 0; to < 7; to++)
			KUNIT_EXPECT_EQ_MSG(test, rblk_conn_may_become(from, to),
					    connection[from][to] == 'x',
					    "%u to %u", from, to);
}

/* No number beyond the states is one; 32 and more are no shift either. */
static void beyond(struct kunit *test)
{
	static const int none[] = { 7, 8, 31, 32, 33, 64, 0x7fffffff, -1 };
	unsigned int i, s;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		for (s = 0; s < 5; s++) {
			KUNIT_EXPECT_FALSE(test, rblk_sess_may_become(s, none[i]));
			KUNIT_EXPECT_FALSE(test, rblk_sess_may_become(none[i], s));
			KUNIT_EXPECT_FALSE(test, rblk_vol_may_become(s, none[i]));
			KUNIT_EXPECT_FALSE(test, rblk_vol_may_become(none[i], s));
		}
		for (s = 0; s < 7; s++) {
			KUNIT_EXPECT_FALSE(test, rblk_conn_may_become(s, none[i]));
			KUNIT_EXPECT_FALSE(test, rblk_conn_may_become(none[i], s));
		}
	}
}

static void names(struct kunit *test)
{
	static const char * const sess[] = {
		"new", "connecting", "live", "recovering", "deleting",
	};
	static const char * const vol[] = {
		"new", "live", "waiting", "failed", "deleting",
	};
	static const char * const conn[] = {
		"idle", "resolving", "connecting", "binding", "ready", "lost",
		"closed",
	};
	u32 i;

	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_STREQ(test, rblk_sess_state_name(i), sess[i]);
		KUNIT_EXPECT_STREQ(test, rblk_vol_state_name(i), vol[i]);
	}
	for (i = 0; i < 7; i++)
		KUNIT_EXPECT_STREQ(test, rblk_conn_state_name(i), conn[i]);
	KUNIT_EXPECT_STREQ(test, rblk_sess_state_name(5), "?");
	KUNIT_EXPECT_STREQ(test, rblk_vol_state_name(5), "?");
	KUNIT_EXPECT_STREQ(test, rblk_conn_state_name(7), "?");
	KUNIT_EXPECT_STREQ(test, rblk_sess_state_name(U32_MAX), "?");
	KUNIT_EXPECT_STREQ(test, rblk_vol_state_name(U32_MAX), "?");
	KUNIT_EXPECT_STREQ(test, rblk_conn_state_name(U32_MAX), "?");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(session_changes),
	KUNIT_CASE(volume_changes),
	KUNIT_CASE(connection_changes),
	KUNIT_CASE(beyond),
	KUNIT_CASE(names),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_state",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk state changes, initiator");
MODULE_LICENSE("GPL");
