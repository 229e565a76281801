// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reservations: the order of a host's changes, which come by two sessions.
 */
#include <string.h>
#include "host.h"

/*
 * One source makes a change, and the next.  What a lost route delivers late, here another
 * session of the host, is answered as it was, or is too old.
 */
static const char *order(struct player *p)
{
	const struct step {
		const char *what;
		int who, action;
		uint64_t key, new_key, number;
		int want;
	} steps[] = {
		{ "REGISTER", 0, RBLK_RESV_REGISTER, 0, 1, 5, 0 },
		{ "its repeat", 1, RBLK_RESV_REGISTER, 0, 1, 5, 0 },
		{ "another key", 0, RBLK_RESV_REGISTER, 1, 2, 6, 0 },
		{ "REGISTER, late", 1, RBLK_RESV_REGISTER, 0, 1, 5, RBLK_CTL_OLD_CHANGE },
		{ "REGISTER_IGNORE, late", 1, RBLK_RESV_REGISTER_IGNORE, 0, 3, 4,
		  RBLK_CTL_OLD_CHANGE },
		{ "the end of it", 0, RBLK_RESV_REGISTER, 2, 0, 7, 0 },
		{ "the same, late", 1, RBLK_RESV_REGISTER, 2, 0, 7, 0 },
		{ "a refused one", 0, RBLK_RESV_REGISTER, 9, 2, 8, RBLK_CTL_CONFLICT },
		{ "a key, late", 1, RBLK_RESV_REGISTER, 1, 2, 6, RBLK_CTL_OLD_CHANGE },
		/* As if it had come before the repeat that was refused: allowed now, but over. */
		{ "the refused one, late", 1, RBLK_RESV_REGISTER, 0, 2, 8, RBLK_CTL_CONFLICT },
		{ "one of no effect", 0, RBLK_RESV_REGISTER_IGNORE, 0, 0, 9, 0 },
		{ "the refused one, later", 1, RBLK_RESV_REGISTER, 0, 2, 8, RBLK_CTL_OLD_CHANGE },
		{ "after a pause in numbers", 1, RBLK_RESV_REGISTER, 0, 4, 1ull << 40, 0 },
		{ "the number before", 0, RBLK_RESV_REGISTER, 4, 0, (1ull << 40) - 1,
		  RBLK_CTL_OLD_CHANGE },
	};
	const char *why = NULL;
	size_t i;

	for (i = 0; !why && i < ARRAY_SIZE(steps); i++) {
		const struct step *s = &steps[i];

		why = player_wants(s->what,
				   player_change(&p[s->who], s->action, 0, s->key, s->new_key,
						 0x50, s->number), s->want);
	}
	/* Another host has numbers of its own. */
	why = why ? why : player_wants("another host's", player_change(&p[2], RBLK_RESV_REGISTER,
				       0, 0, p[2].key, 0x50, 1), 0);
	why = why ? why : player_sees(&p[0], 2, 0);
	/* Here, as the end of one session takes the volume from the host's others. */
	return why ? why : player_wants("CLEAR", player_reserve(&p[2], RBLK_RESV_CLEAR, 0, 0), 0);
}

/**
 * order_of_host - one host with two sessions, and another one
 */
const char *order_of_host(struct player *p)
{
	const char *why;

	sess_init(&p[1].s);
	p[1].s.features = RBLK_FEAT_RESERVATION;
	memcpy(p[1].s.host, p[0].s.host, sizeof(p[1].s.host));
	memcpy(p[1].s.instance, p[0].s.instance, sizeof(p[1].s.instance));
	why = player_enter(&p[1], PLAYER_SHARED) || player_open(&p[2], 3) ? "can't attach" :
	      order(p);
	sess_close(&p[1].s);
	sess_close(&p[2].s);
	return why;
}
