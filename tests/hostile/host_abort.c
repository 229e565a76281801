// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reservations: preemptions that wait for the last I/O of a host, and many hosts and
 * changes.
 */
#include "host.h"

static int abort_once(struct player *p, uint64_t victim, uint64_t request)
{
	return player_reserve_as(p, RBLK_RESV_PREEMPT_ABORT, 1, p->key, victim, request);
}

static int abort_in_time(struct player *p, uint64_t victim, uint64_t request)
{
	uint64_t end = verbs_now() + WAIT_MS;
	int status;

	do {
		status = abort_once(p, victim, request);
		if (status != RBLK_CTL_AGAIN)
			break;
		verbs_sleep(1);
	} while (verbs_now() < end);
	return status;
}

/* The device keeps a write of p[1], which p[0] and p[2] preempt. */
static const char *while_kept(struct player *p, uint64_t request)
{
	const char *why = NULL;
	int i;

	/* Also a second later, when it is overdue. */
	for (i = 0; !why && i < 14; i++) {
		why = player_wants("PREEMPT_ABORT", abort_once(&p[0], p[1].key, request),
				   RBLK_CTL_AGAIN);
		verbs_sleep(100);
	}
	why = why ? why : player_wants("that of another host",
				player_reserve(&p[2], RBLK_RESV_PREEMPT_ABORT, 1, p[1].key),
				RBLK_CTL_AGAIN);
	why = why ? why : player_wants("that of a host without I/O",
				       abort_in_time(&p[0], p[3].key, 0x99), 0);
	why = why ? why
		  : player_wants("ATTACH of the preempted host",
				 player_attach(&p[1], PLAYER_SHARED), RBLK_CTL_AGAIN);
	/* By another session it is the same question. */
	sess_close(&p[0].s);
	p[0].s.epoch++;
	if (!why && player_enter(&p[0], PLAYER_SHARED))
		why = "can't come back";
	return why ? why : player_wants("the same after a loss",
				 player_reserve_as(&p[0], RBLK_RESV_PREEMPT_ABORT, 1, p[0].key,
					    p[1].key, request), RBLK_CTL_AGAIN);
}

const char *abort_of_kept(struct player *p)
{
	const uint64_t request = 0x1122334455667788ull;
	const char *why;
	int i;

	for (i = 0; i < 4; i++)
		if (player_join(&p[i]))
			return "can't register";
	if (player_reserve(&p[1], RBLK_RESV_RESERVE, 1, 0))
		return "can't reserve";
	hold_set("hold", 1);
	if (player_write_begin(&p[1].s, 0x21) || !hold_keeps())
		why = "the device did not keep it";
	else
		why = while_kept(p, request);
	hold_set("hold", 0);
	hold_set("release", 1);
	why = why ? why
		  : player_wants("PREEMPT_ABORT", abort_in_time(&p[0], p[1].key, request),
				 0);
	why = why ? why : player_wants("a repeat", abort_in_time(&p[0], p[1].key, request), 0);
	why = why ? why : player_wants("the other's", abort_in_time(&p[2], p[1].key, 0),
				RBLK_CTL_CONFLICT);
	why = why ? why : slot_holds(&p[0].s, PLAYER_LBA, 0x21, 0x21);
	why = why ? why : player_wants("a write of the holder", player_write(&p[0].s, 0x22), 0);
	/* Its old handle is gone, and the new one has no rights. */
	verbs_sent(p[1].s.io[1], WAIT_MS);
	why = why ? why : player_wants("ATTACH", player_attach_in_time(&p[1], PLAYER_SHARED), 0);
	sess_close(&p[1].s);
	p[1].s.epoch++;
	if (!why && player_enter(&p[1], PLAYER_SHARED))
		why = "the preempted host can't come back";
	why = why ? why
		  : player_wants("its write", player_write(&p[1].s, 0x23),
				 RBLK_STATUS_RESV_CONFLICT);
	why = why ? why : slot_holds(&p[0].s, PLAYER_LBA, 0x22, 0x22);
	return why ? why : player_sees(&p[0], 2, 1);
}

/* p[1] sends and does not look; after OK nothing of it comes. */
static const char *race(struct player *p, unsigned int round)
{
	unsigned char old = 0x40 + round, new = 0x80 + round;
	const char *why;

	if (player_reserve_as(&p[1], RBLK_RESV_REGISTER_IGNORE, 0, 0, p[1].key, 0) ||
	    player_write(&p[1].s, old))
		return "can't begin";
	if (player_write_begin(&p[1].s, old))
		return "can't send";
	why = player_wants("PREEMPT_ABORT", abort_in_time(&p[0], p[1].key, 0x100 + round), 0);
	if (!why && player_write(&p[0].s, new))
		why = "can't write";
	/* Too late, and into nothing. */
	if (!why && !player_write_begin(&p[1].s, old))
		verbs_sent(p[1].s.io[1], 10);
	verbs_sleep(20);
	why = why ? why : slot_holds(&p[0].s, PLAYER_LBA, new, new);
	sess_close(&p[1].s);
	p[1].s.epoch++;
	p[1].why = 0;
	return why ? why : player_enter(&p[1], PLAYER_SHARED) ? "can't come back" : NULL;
}

const char *abort_races(struct player *p)
{
	const char *why = NULL;
	unsigned int i;

	if (player_join(&p[0]) ||
	    player_reserve(&p[0], RBLK_RESV_RESERVE, RBLK_RESV_WRITE_REGISTRANTS, 0))
		return "can't begin";
	for (i = 0; !why && i < 16; i++)
		why = race(p, i);
	return why;
}

/* As many hosts as may register, and one more; two pages tell of them. */
const char *reserve_crowd(struct player *p)
{
	const struct rblk_wire_reservation_reply *rep;
	const char *why = NULL;
	struct player one;
	unsigned int i;

	for (i = 0; !why && i < RBLK_WIRE_MAX_REGISTRANTS; i++) {
		if (player_open(&one, 100 + i))
			return "can't attach";
		why = player_wants("REGISTER", player_join(&one), 0);
		sess_close(&one.s);
		/* It takes a while: or else the target would count this one as dead. */
		if (!why)
			why = player_sees(&p[0], i + 1, 0);
	}
	why = why ? why : player_wants("one more", player_join(&p[0]), RBLK_CTL_NO_RESOURCES);
	rep = why ? NULL : player_report(&p[0], 0);
	if (!why && (!rep || le32toh(rep->nr) != RBLK_WIRE_REGISTRANTS_MAX ||
		     le32toh(rep->next) != RBLK_WIRE_REGISTRANTS_MAX ||
		     le32toh(rep->total) != RBLK_WIRE_MAX_REGISTRANTS))
		why = "the first page is wrong";
	rep = why ? NULL : player_report(&p[0], RBLK_WIRE_REGISTRANTS_MAX);
	if (!why && (!rep || le32toh(rep->nr) != RBLK_WIRE_MAX_REGISTRANTS -
		     RBLK_WIRE_REGISTRANTS_MAX || rep->next))
		why = "the second page is wrong";
	rep = why ? NULL : player_report(&p[0], ~0u);
	if (!why && (!rep || rep->nr || rep->next))
		why = "the page beyond is not empty";
	/* The last one ends all of them. */
	if (!why && player_enter(&one, PLAYER_SHARED))
		why = "the last one can't come back";
	why = why ? why : player_wants("CLEAR", player_reserve(&one, RBLK_RESV_CLEAR, 0, 0), 0);
	sess_close(&one.s);
	return why;
}

/* Changes as fast as the target makes them: it forgets none of the others'. */
const char *reserve_flood(struct player *p)
{
	const uint64_t request = 0x5566;
	const char *why = NULL;
	unsigned int i;

	if (player_reserve_as(&p[1], RBLK_RESV_REGISTER, 0, 0, p[1].key, request))
		return "can't register";
	for (i = 1; !why && i <= 300; i++)
		why = player_wants("REGISTER_IGNORE",
				   player_reserve_as(&p[0], RBLK_RESV_REGISTER_IGNORE, 0, 0,
						     i, 0),
				   0);
	why = why ? why
		  : player_wants("a repeat",
				 player_reserve_as(&p[1], RBLK_RESV_REGISTER, 0, 0,
						   p[1].key, request),
				 0);
	return why ? why : player_sees(&p[2], 2, 0);
}
