// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registrations and reservations: what each of the six types lets whom do, and what each
 * action makes of each state, by holders, other registrants and strangers.
 */
#include "../../target/proto/reservation.c"
#include <kunit/test.h>

/* Hosts; A holds what is reserved, B is a registrant, C is none. */
enum { A, B, C, D };

static const u8 *host(unsigned int who)
{
	static u8 id[256][RBLK_WIRE_UUID_LEN];

	id[who][0] = who;
	id[who][15] = 0x5a;
	return id[who];
}

static u64 key(unsigned int who)
{
	return 0x1000 + who;
}

static bool all_hold(u8 type)
{
	return type >= RBLK_RESV_WRITE_ALL_HOLD;
}

static struct rblkt_resv_result run(struct rblkt_resv *resv, unsigned int who, u8 action,
				    u8 type, u64 own, u64 other)
{
	struct rblkt_resv_ask ask = {
		.action = action,
		.type = type,
		.may_write = true,
		.key = own,
		.new_key = other,
	};
	struct rblkt_resv_result result;

	memcpy(ask.who.host, host(who), sizeof(ask.who.host));
	strscpy(ask.who.name, "web-7", sizeof(ask.who.name));
	rblkt_resv_decide(resv, &ask, &result);
	return result;
}

static struct rblkt_resv *fresh(struct kunit *test)
{
	struct rblkt_resv *resv = kunit_kzalloc(test, sizeof(*resv), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, resv);
	return resv;
}

/* A and B are registered, and A has reserved. */
static struct rblkt_resv *reserved(struct kunit *test, u8 type)
{
	struct rblkt_resv *resv = fresh(test);

	run(resv, A, RBLK_RESV_REGISTER, 0, 0, key(A));
	run(resv, B, RBLK_RESV_REGISTER, 0, 0, key(B));
	if (type)
		KUNIT_ASSERT_TRUE(test, run(resv, A, RBLK_RESV_RESERVE, type, key(A), 0).changed);
	KUNIT_ASSERT_TRUE(test, rblkt_resv_sound(resv));
	KUNIT_ASSERT_EQ(test, resv->generation, 2);
	return resv;
}

static bool holds(struct rblkt_resv *resv, unsigned int who)
{
	struct rblkt_registrant *r = rblkt_resv_find(resv, host(who));

	return r && rblkt_resv_holds(resv, r);
}

static u64 key_of(struct rblkt_resv *resv, unsigned int who)
{
	struct rblkt_registrant *r = rblkt_resv_find(resv, host(who));

	return r ? r->key : 0;
}

#define EXPECT_DONE(result, resv)						\
	do {									\
		KUNIT_EXPECT_EQ(test, (result).status, RBLK_CTL_OK);		\
		KUNIT_EXPECT_TRUE(test, (result).changed);			\
		KUNIT_EXPECT_TRUE(test, rblkt_resv_sound(resv));		\
	} while (0)

#define EXPECT_NOTHING(result, want, resv, before)				\
	do {									\
		KUNIT_EXPECT_EQ(test, (result).status, want);			\
		KUNIT_EXPECT_FALSE(test, (result).changed);			\
		KUNIT_EXPECT_TRUE(test, !memcmp(resv, before, sizeof(*(resv))));\
	} while (0)

static void access(struct kunit *test)
{
	/* What holder, registrant and stranger may do: r, w. */
	static const char * const may[RBLK_RESV_TYPE_LAST + 1][3] = {
		[RBLK_RESV_NONE]		= { "rw", "rw", "rw" },
		[RBLK_RESV_WRITE_EXCLUSIVE]	= { "rw", "r", "r" },
		[RBLK_RESV_EXCLUSIVE_ACCESS]	= { "rw", "", "" },
		[RBLK_RESV_WRITE_REGISTRANTS]	= { "rw", "rw", "r" },
		[RBLK_RESV_ACCESS_REGISTRANTS]	= { "rw", "rw", "" },
		[RBLK_RESV_WRITE_ALL_HOLD]	= { "rw", "rw", "r" },
		[RBLK_RESV_ACCESS_ALL_HOLD]	= { "rw", "rw", "" },
	};
	unsigned int type, who, op;

	for (type = 0; type <= RBLK_RESV_TYPE_LAST; type++)
		for (who = A; who <= C; who++) {
			u8 denied = rblkt_resv_denies(reserved(test, type), host(who));

			for (op = RBLK_OP_READ; op <= RBLK_OP_WRITE_ZEROES; op++)
				KUNIT_EXPECT_EQ_MSG(test, !rblkt_resv_refuses(denied, op),
						    !!strchr(may[type][who],
							     op == RBLK_OP_READ ? 'r' : 'w'),
						    "type %u, host %u, op %u", type, who, op);
		}
}

static void registers(struct kunit *test)
{
	struct rblkt_resv *resv = reserved(test, 0), *before = fresh(test);
	struct rblkt_resv_result r;

	KUNIT_EXPECT_EQ(test, key_of(resv, A), key(A));
	KUNIT_EXPECT_STREQ(test, resv->registrant[1].name, "web-7");
	*before = *resv;
	r = run(resv, C, RBLK_RESV_REGISTER, 0, key(A), key(C));
	EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
	r = run(resv, A, RBLK_RESV_REGISTER, 0, 0, 5);
	EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
	r = run(resv, A, RBLK_RESV_REGISTER, 0, key(B), 5);
	EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
	r = run(resv, A, RBLK_RESV_REGISTER, 0, key(A), key(A));
	EXPECT_NOTHING(r, RBLK_CTL_OK, resv, before);
	r = run(resv, C, RBLK_RESV_REGISTER, 0, 0, 0);
	EXPECT_NOTHING(r, RBLK_CTL_OK, resv, before);
	r = run(resv, C, RBLK_RESV_REGISTER_IGNORE, 0, 0, 0);
	EXPECT_NOTHING(r, RBLK_CTL_OK, resv, before);

	r = run(resv, A, RBLK_RESV_REGISTER, 0, key(A), 5);
	EXPECT_DONE(r, resv);
	KUNIT_EXPECT_EQ(test, r.others, RBLK_RESV_CHANGED);
	KUNIT_EXPECT_EQ(test, key_of(resv, A), 5);
	r = run(resv, A, RBLK_RESV_REGISTER_IGNORE, 0, 0, 6);
	EXPECT_DONE(r, resv);
	KUNIT_EXPECT_EQ(test, key_of(resv, A), 6);
	/* Two hosts may have the same key. */
	r = run(resv, C, RBLK_RESV_REGISTER_IGNORE, 0, 0, 6);
	EXPECT_DONE(r, resv);
	r = run(resv, A, RBLK_RESV_REGISTER, 0, 6, 0);
	EXPECT_DONE(r, resv);
	KUNIT_EXPECT_EQ(test, key_of(resv, A), 0);
	KUNIT_EXPECT_EQ(test, key_of(resv, B), key(B));
	KUNIT_EXPECT_EQ(test, key_of(resv, C), 6);
	KUNIT_EXPECT_EQ(test, resv->nr, 2);
	KUNIT_EXPECT_EQ(test, resv->generation, 6);
}

/* Whose registration ends takes the reservation along, unless others hold it, too. */
static void unregisters(struct kunit *test)
{
	struct rblkt_resv_result r;
	struct rblkt_resv *resv;
	u8 type;

	for (type = 1; type <= RBLK_RESV_TYPE_LAST; type++) {
		resv = reserved(test, type);
		r = run(resv, B, RBLK_RESV_REGISTER, 0, key(B), 0);
		EXPECT_DONE(r, resv);
		KUNIT_EXPECT_EQ(test, r.others, RBLK_RESV_CHANGED);
		KUNIT_EXPECT_EQ(test, resv->type, type);
		r = run(resv, A, RBLK_RESV_REGISTER, 0, key(A), 0);
		EXPECT_DONE(r, resv);
		KUNIT_EXPECT_EQ(test, r.others, RBLK_RESV_CHANGED | RBLK_RESV_RELEASED);
		KUNIT_EXPECT_EQ(test, resv->type, 0);

		resv = reserved(test, type);
		r = run(resv, A, RBLK_RESV_REGISTER_IGNORE, 0, 0, 0);
		EXPECT_DONE(r, resv);
		KUNIT_EXPECT_EQ(test, resv->type, all_hold(type) ? type : 0);
		KUNIT_EXPECT_EQ(test, holds(resv, B), all_hold(type));
		/* With another key one still holds. */
		resv = reserved(test, type);
		run(resv, A, RBLK_RESV_REGISTER, 0, key(A), 9);
		KUNIT_EXPECT_TRUE(test, holds(resv, A));
		KUNIT_EXPECT_TRUE(test, rblkt_resv_sound(resv));
	}
}

/* Each type asked for, where there is each other: by holder, registrant, stranger. */
static void reserves(struct kunit *test)
{
	struct rblkt_resv *resv, *before = fresh(test);
	struct rblkt_resv_result r;
	u8 is, asked, who;

	for (is = 0; is <= RBLK_RESV_TYPE_LAST; is++)
		for (asked = 1; asked <= RBLK_RESV_TYPE_LAST; asked++)
			for (who = A; who <= C; who++) {
				resv = reserved(test, is);
				*before = *resv;
				r = run(resv, who, RBLK_RESV_RESERVE, asked, key(D), 0);
				EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
				r = run(resv, who, RBLK_RESV_RESERVE, asked, key(who), 0);
				if (who == C) {
					EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
				} else if (!is) {
					EXPECT_DONE(r, resv);
					KUNIT_EXPECT_EQ(test, resv->type, asked);
					KUNIT_EXPECT_TRUE(test, holds(resv, who));
					KUNIT_EXPECT_EQ(test, holds(resv, who == A ? B : A),
							all_hold(asked));
					KUNIT_EXPECT_EQ(test, resv->generation, 2);
				} else {
					EXPECT_NOTHING(r, is == asked &&
						       (who == A || all_hold(is)) ?
						       RBLK_CTL_OK : RBLK_CTL_CONFLICT,
						       resv, before);
				}
			}
}

static void releases(struct kunit *test)
{
	struct rblkt_resv *resv, *before = fresh(test);
	struct rblkt_resv_result r;
	u8 is, asked, who;

	for (is = 0; is <= RBLK_RESV_TYPE_LAST; is++)
		for (asked = 1; asked <= RBLK_RESV_TYPE_LAST; asked++)
			for (who = A; who <= C; who++) {
				bool may = is && (who == A || (who == B && all_hold(is)));

				resv = reserved(test, is);
				*before = *resv;
				r = run(resv, who, RBLK_RESV_RELEASE, asked, key(D), 0);
				EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
				r = run(resv, who, RBLK_RESV_RELEASE, asked, key(who), 0);
				if (who == C) {
					EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
				} else if (!may) {
					EXPECT_NOTHING(r, RBLK_CTL_OK, resv, before);
				} else if (is != asked) {
					EXPECT_NOTHING(r, RBLK_CTL_WRONG_TYPE, resv, before);
				} else {
					EXPECT_DONE(r, resv);
					KUNIT_EXPECT_EQ(test, resv->type, 0);
					KUNIT_EXPECT_EQ(test, resv->nr, 2);
					KUNIT_EXPECT_EQ(test, r.others, RBLK_RESV_RELEASED);
				}
			}
}

static void clears(struct kunit *test)
{
	struct rblkt_resv *resv, *before = fresh(test);
	struct rblkt_resv_result r;
	u8 type, who;

	for (type = 0; type <= RBLK_RESV_TYPE_LAST; type++)
		for (who = A; who <= C; who++) {
			resv = reserved(test, type);
			*before = *resv;
			r = run(resv, who, RBLK_RESV_CLEAR, 0, key(D), 0);
			EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
			r = run(resv, who, RBLK_RESV_CLEAR, 0, key(who), 0);
			if (who == C) {
				EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
				continue;
			}
			EXPECT_DONE(r, resv);
			KUNIT_EXPECT_EQ(test, resv->nr, 0);
			KUNIT_EXPECT_EQ(test, resv->type, 0);
			KUNIT_EXPECT_EQ(test, r.lost, RBLK_RESV_CLEARED);
			KUNIT_EXPECT_EQ(test, rblkt_resv_denies(resv, host(C)), 0);
		}
}

/* B preempts A, where A holds: by A's key, by 0, by its own, by nobody's. */
static void preempts_as(struct kunit *test, u8 is, u8 asked, u8 action)
{
	struct rblkt_resv *resv = reserved(test, is), *before = fresh(test);
	struct rblkt_resv_result r;
	bool takes;

	*before = *resv;
	r = run(resv, C, action, asked, key(C), key(A));
	EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
	r = run(resv, B, action, asked, key(A), key(A));
	EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);
	r = run(resv, B, action, asked, key(B), key(D));
	EXPECT_NOTHING(r, RBLK_CTL_CONFLICT, resv, before);

	r = run(resv, B, action, asked, key(B), key(A));
	EXPECT_DONE(r, resv);
	takes = is && !all_hold(is);
	KUNIT_EXPECT_EQ(test, key_of(resv, A), 0);
	KUNIT_EXPECT_EQ(test, key_of(resv, B), key(B));
	KUNIT_EXPECT_EQ(test, resv->type, takes ? asked : is);
	KUNIT_EXPECT_EQ(test, holds(resv, B), !!is);
	KUNIT_EXPECT_EQ(test, r.lost, RBLK_RESV_PREEMPTED);
	KUNIT_EXPECT_EQ(test, resv->generation, 3);

	*resv = *before;
	r = run(resv, B, action, asked, key(B), 0);
	if (all_hold(is)) {
		EXPECT_DONE(r, resv);
		KUNIT_EXPECT_EQ(test, resv->nr, 1);
		KUNIT_EXPECT_EQ(test, resv->type, asked);
		KUNIT_EXPECT_TRUE(test, holds(resv, B));
	} else {
		EXPECT_NOTHING(r, RBLK_CTL_WRONG_TYPE, resv, before);
	}

	/* Its own: nobody loses anything, but a holder gets another type. */
	*resv = *before;
	r = run(resv, A, action, asked, key(A), key(A));
	EXPECT_DONE(r, resv);
	KUNIT_EXPECT_EQ(test, resv->nr, 2);
	KUNIT_EXPECT_EQ(test, resv->type, takes ? asked : is);
	KUNIT_EXPECT_EQ(test, holds(resv, A), !!is);
}

static void preempts(struct kunit *test)
{
	u8 is, asked;

	for (is = 0; is <= RBLK_RESV_TYPE_LAST; is++)
		for (asked = 1; asked <= RBLK_RESV_TYPE_LAST; asked++) {
			preempts_as(test, is, asked, RBLK_RESV_PREEMPT);
			preempts_as(test, is, asked, RBLK_RESV_PREEMPT_ABORT);
		}
}

/* The holder drives a registrant out and holds what it held; all with one key go. */
static void preempts_others(struct kunit *test)
{
	struct rblkt_resv *resv = reserved(test, RBLK_RESV_WRITE_EXCLUSIVE);
	struct rblkt_resv_result r;

	run(resv, C, RBLK_RESV_REGISTER, 0, 0, key(B));
	run(resv, D, RBLK_RESV_REGISTER, 0, 0, key(D));
	r = run(resv, A, RBLK_RESV_PREEMPT, RBLK_RESV_EXCLUSIVE_ACCESS, key(A), key(B));
	EXPECT_DONE(r, resv);
	KUNIT_EXPECT_EQ(test, resv->nr, 2);
	KUNIT_EXPECT_EQ(test, key_of(resv, D), key(D));
	KUNIT_EXPECT_EQ(test, resv->type, RBLK_RESV_WRITE_EXCLUSIVE);
	KUNIT_EXPECT_TRUE(test, holds(resv, A));
	KUNIT_EXPECT_FALSE(test, holds(resv, D));
}

static void readers(struct kunit *test)
{
	u8 action;

	for (action = 1; action <= RBLK_RESV_ACTION_LAST; action++) {
		struct rblkt_resv *resv = reserved(test, 0);
		struct rblkt_resv_ask ask = {
			.action = action, .type = 1, .key = key(A),
		};
		struct rblkt_resv_result r;

		memcpy(ask.who.host, host(A), sizeof(ask.who.host));
		rblkt_resv_decide(resv, &ask, &r);
		KUNIT_EXPECT_EQ(test, r.status, action <= RBLK_RESV_REGISTER_IGNORE ?
				RBLK_CTL_OK : RBLK_CTL_READ_ONLY);
	}
}

static void limit(struct kunit *test)
{
	struct rblkt_resv *resv = fresh(test), *before = fresh(test);
	struct rblkt_resv_result r;
	unsigned int i;

	for (i = 0; i < RBLK_WIRE_MAX_REGISTRANTS; i++) {
		r = run(resv, i, RBLK_RESV_REGISTER, 0, 0, key(i));
		EXPECT_DONE(r, resv);
	}
	*before = *resv;
	r = run(resv, i, RBLK_RESV_REGISTER, 0, 0, key(i));
	EXPECT_NOTHING(r, RBLK_CTL_NO_RESOURCES, resv, before);
	run(resv, 0, RBLK_RESV_RESERVE, RBLK_RESV_WRITE_ALL_HOLD, key(0), 0);
	r = run(resv, 63, RBLK_RESV_PREEMPT_ABORT, 1, key(63), 0);
	EXPECT_DONE(r, resv);
	KUNIT_EXPECT_EQ(test, resv->nr, 1);
	KUNIT_EXPECT_TRUE(test, holds(resv, 63));
}

static void force(struct kunit *test)
{
	static const u8 public[RBLK_WIRE_KEY_LEN] = { 1, 2, 3 };
	struct rblkt_resv *resv = reserved(test, RBLK_RESV_EXCLUSIVE_ACCESS);
	struct rblkt_resv_result r;

	KUNIT_EXPECT_EQ(test, rblkt_resv_move(resv, host(C), host(D), public, &r),
			RBLK_CTL_CONFLICT);
	KUNIT_EXPECT_EQ(test, rblkt_resv_move(resv, host(A), host(B), public, &r), RBLK_CTL_BUSY);
	KUNIT_EXPECT_EQ(test, rblkt_resv_move(resv, host(A), host(C), public, &r), RBLK_CTL_OK);
	EXPECT_DONE(r, resv);
	KUNIT_EXPECT_TRUE(test, holds(resv, C));
	KUNIT_EXPECT_EQ(test, key_of(resv, C), key(A));
	KUNIT_EXPECT_EQ(test, rblkt_resv_denies(resv, host(A)),
			RBLKT_DENY_READ | RBLKT_DENY_WRITE);
	KUNIT_EXPECT_EQ(test, rblkt_resv_remove(resv, host(A), &r), RBLK_CTL_CONFLICT);
	KUNIT_EXPECT_EQ(test, rblkt_resv_remove(resv, host(C), &r), RBLK_CTL_OK);
	EXPECT_DONE(r, resv);
	KUNIT_EXPECT_EQ(test, r.others, RBLK_RESV_CHANGED | RBLK_RESV_RELEASED);
	KUNIT_EXPECT_EQ(test, resv->type, 0);
	rblkt_resv_clear(resv, &r);
	KUNIT_EXPECT_TRUE(test, r.changed);
	rblkt_resv_clear(resv, &r);
	KUNIT_EXPECT_FALSE(test, r.changed);
}

#define EXPECT_UNSOUND(change)						\
	do {								\
		*resv = *good;						\
		change;							\
		KUNIT_EXPECT_FALSE_MSG(test, rblkt_resv_sound(resv), #change);	\
	} while (0)

static void damage(struct kunit *test)
{
	struct rblkt_resv *good = reserved(test, RBLK_RESV_WRITE_EXCLUSIVE), *resv = fresh(test);

	KUNIT_EXPECT_TRUE(test, rblkt_resv_sound(resv));
	EXPECT_UNSOUND(resv->nr = RBLK_WIRE_MAX_REGISTRANTS + 1);
	EXPECT_UNSOUND(resv->nr = U32_MAX);
	EXPECT_UNSOUND(resv->type = RBLK_RESV_TYPE_LAST + 1);
	EXPECT_UNSOUND(resv->type = 0);
	EXPECT_UNSOUND(resv->type = RBLK_RESV_ACCESS_ALL_HOLD);
	EXPECT_UNSOUND(resv->last[RBLKT_RESV_LAST - 1].status = RBLK_CTL_LAST + 1);
	EXPECT_UNSOUND(resv->registrant[0].key = 0);
	EXPECT_UNSOUND(resv->registrant[0].holds = false);
	EXPECT_UNSOUND(resv->registrant[1].holds = true);
	EXPECT_UNSOUND(resv->registrant[1] = resv->registrant[0]);
	EXPECT_UNSOUND(memset(resv->registrant[1].name, 'x', RBLK_WIRE_NAME_LEN));
	EXPECT_UNSOUND(resv->registrant[1].name[0] = 0);
	EXPECT_UNSOUND(resv->registrant[1].name[0] = '\n');
	EXPECT_UNSOUND(resv->registrant[1].name[RBLK_WIRE_NAME_LEN - 1] = 'x');
}

static struct kunit_case cases[] = {
	KUNIT_CASE(access), KUNIT_CASE(registers), KUNIT_CASE(unregisters),
	KUNIT_CASE(reserves), KUNIT_CASE(releases), KUNIT_CASE(clears),
	KUNIT_CASE(preempts), KUNIT_CASE(preempts_others), KUNIT_CASE(readers),
	KUNIT_CASE(limit), KUNIT_CASE(force), KUNIT_CASE(damage),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_reservation",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk reservations, target");
MODULE_LICENSE("GPL");
