// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reservations: what the target keeps when it loses all but its files, and what it says
 * where it can't.
 */
#include <string.h>
#include "host.h"

static const uint8_t kept_host[16] = {
	0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0x4c, 0xfe, 0x81, 1, 2, 3, 4, 5, 6, 7,
};

static const char *keep(struct player *p)
{
	memcpy(p->s.host, kept_host, sizeof(p->s.host));
	if (player_enter(p, PLAYER_SHARED) ||
	    player_reserve_as(p, RBLK_RESV_REGISTER, 0, 0, p->key, 0x77) ||
	    player_reserve_as(p, RBLK_RESV_RESERVE, 2, p->key, 0, 0x78))
		return "can't reserve";
	return NULL;
}

/* After the target has lost all but its files. */
static const char *kept(struct player *p)
{
	const char *why;
	struct player other;

	memcpy(p->s.host, kept_host, sizeof(p->s.host));
	if (player_enter(p, PLAYER_SHARED) || player_open(&other, 2))
		return "can't attach";
	why = player_sees(p, 1, 2);
	why = why ? why : player_wants("a write of another host", player_write(&other.s, 1),
				RBLK_STATUS_RESV_CONFLICT);
	why = why ? why : player_wants("a read of another host",
				sess_run(&other.s, other.s.io[1], RBLK_OP_READ, PLAYER_BYTES),
				RBLK_STATUS_RESV_CONFLICT);
	why = why ? why : player_wants("a write of the holder", player_write(&p->s, 1), 0);
	why = why ? why
		  : player_wants("a repeat",
				 player_reserve_as(p, RBLK_RESV_REGISTER, 0, 0, p->key,
						   0x77),
				 0);
	why = why ? why : player_wants("CLEAR", player_reserve(p, RBLK_RESV_CLEAR, 0, 0), 0);
	why = why ? why : player_wants("a write of another host", player_write(&other.s, 1), 0);
	sess_close(&other.s);
	return why;
}

/* The target can't write its file. */
static const char *unkept(struct player *p)
{
	const char *why;

	if (player_enter(p, PLAYER_SHARED))
		return "can't attach";
	why = player_wants("REGISTER", player_join(p), RBLK_CTL_NOT_KEPT);
	why = why ? why : player_sees(p, 0, 0);
	return why ? why : player_wants("a write", player_write(&p->s, 2), 0);
}

static void run_kept(const char *name, const char *(*play)(struct player *p))
{
	struct player p = { .key = 0x600d };

	sess_init(&p.s);
	p.s.features = RBLK_FEAT_RESERVATION;
	report_case(name, play(&p));
	sess_close(&p.s);
}

/**
 * reserve_keep_case - run it; it leaves a reservation behind
 */
void reserve_keep_case(void)
{
	run_kept("reserve-keep", keep);
}

/**
 * reserve_kept_cases - run them, after the target has forgotten what it could
 */
void reserve_kept_cases(void)
{
	run_kept("reserve-kept", kept);
}

/**
 * reserve_unkept_cases - run them, where nothing can be recorded
 */
void reserve_unkept_cases(void)
{
	run_kept("reserve-unkept", unkept);
}
