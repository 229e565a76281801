// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every state change of the target's connections and sessions, allowed and
 * forbidden.  A row is the state left, a column the one entered, in the order
 * of the enumeration; 'x' is allowed.
 */
#include "../../target/proto/state.c"
#include <kunit/test.h>

static const char * const connection[] = {
	/* NEW OPEN LIVE CLOSING DEAD */
	[RBLKT_CONN_NEW]	= ".x.x.",
	[RBLKT_CONN_OPEN]	= "..xx.",
	[RBLKT_CONN_LIVE]	= "...x.",
	[RBLKT_CONN_CLOSING]	= "....x",
	[RBLKT_CONN_DEAD]	= ".....",
};

/* A session here is one epoch: it never recovers. */
static const char * const session[] = {
	/* NEW CONNECTING LIVE RECOVERING DELETING */
	[RBLK_SESS_NEW]		= ".x..x",
	[RBLK_SESS_CONNECTING]	= "..x.x",
	[RBLK_SESS_LIVE]	= "....x",
	[RBLK_SESS_RECOVERING]	= ".....",
	[RBLK_SESS_DELETING]	= ".....",
};

static void connection_changes(struct kunit *test)
{
	unsigned int from, to;

	KUNIT_ASSERT_EQ(test, RBLKT_CONN_NR_STATES, 5);
	for (from = 0; from < 5; from++)
		for (to = 0; to < 5; to++)
			KUNIT_EXPECT_EQ_MSG(test, rblkt_state_conn_may(from, to),
					    connection[from][to] == 'x',
					    "%u to %u", from, to);
}

static void session_changes(struct kunit *test)
{
	unsigned int from, to;

	KUNIT_ASSERT_EQ(test, RBLK_SESS_NR_STATES, 5);
	for (from = 0; from < 5; from++)
		for (to = 0; to < 5; to++)
			KUNIT_EXPECT_EQ_MSG(test, rblkt_state_sess_may(from, to),
					    session[from][to] == 'x',
					    "%u to %u", from, to);
}

static void beyond(struct kunit *test)
{
	static const int none[] = { 5, 6, 7, 8, 31, 32, 33, 0x7fffffff, -1 };
	unsigned int i, s;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		for (s = 0; s < 5; s++) {
			KUNIT_EXPECT_FALSE(test, rblkt_state_conn_may(s, none[i]));
			KUNIT_EXPECT_FALSE(test, rblkt_state_conn_may(none[i], s));
			KUNIT_EXPECT_FALSE(test, rblkt_state_sess_may(s, none[i]));
			KUNIT_EXPECT_FALSE(test, rblkt_state_sess_may(none[i], s));
		}
	}
}

static void names(struct kunit *test)
{
	static const char * const conn[] = {
		"new", "open", "live", "closing", "dead",
	};
	static const char * const sess[] = {
		"new", "connecting", "live", "recovering", "deleting",
	};
	int i;

	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_STREQ(test, rblkt_state_conn_text(i), conn[i]);
		KUNIT_EXPECT_STREQ(test, rblkt_state_sess_text(i), sess[i]);
	}
	KUNIT_EXPECT_STREQ(test, rblkt_state_conn_text(5), "?");
	KUNIT_EXPECT_STREQ(test, rblkt_state_conn_text(-1), "?");
	KUNIT_EXPECT_STREQ(test, rblkt_state_sess_text(5), "?");
	KUNIT_EXPECT_STREQ(test, rblkt_state_sess_text(-1), "?");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(connection_changes),
	KUNIT_CASE(session_changes),
	KUNIT_CASE(beyond),
	KUNIT_CASE(names),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_state",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk state changes, target");
MODULE_LICENSE("GPL");
