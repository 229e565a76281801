// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of registrations and the reservation of an export, as SPC-4 and NVMe
 * have it, and as linux/pr.h expects it.
 *
 * A registrant is a host with a key.  One host has one registration, by whatever
 * sessions it comes: all its routes share it, and it outlives them.  Several hosts may
 * have the same key; then a preemption of that key is about all of them.
 *
 * Where SPC-4 leaves a choice or is of two minds:
 *
 * - A host that preempts never loses its own registration, also not by its own key.
 *   A holder that preempts its own key gives its reservation another type at once.
 * - A release of what one does not hold succeeds and does nothing.
 * - The generation counts changes of registrations.  It is never reset.
 *
 * Each change is a function of the state and the question.  Whoever calls gives a copy
 * of the state, and throws it away if the answer is not OK.  All functions here are pure:
 * any context may call them.
 */
#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#include "reservation.h"

static bool resv_same_host(const u8 *a, const u8 *b)
{
	return !memcmp(a, b, RBLK_WIRE_UUID_LEN);
}

static bool resv_all_hold(u8 type)
{
	return type == RBLK_RESV_WRITE_ALL_HOLD || type == RBLK_RESV_ACCESS_ALL_HOLD;
}

/**
 * rblkt_resv_find - look a registrant up
 * @resv: the state
 * @host: who
 *
 * Context: any.
 * Return: the registrant in @resv, or NULL.
 */
struct rblkt_registrant *rblkt_resv_find(struct rblkt_resv *resv, const u8 *host)
{
	u32 i;

	for (i = 0; i < resv->nr; i++)
		if (resv_same_host(resv->registrant[i].host, host))
			return &resv->registrant[i];
	return NULL;
}

/**
 * rblkt_resv_holds - does a registrant hold the reservation?
 * @resv: the state
 * @who: in @resv
 *
 * Context: any.
 * Return: true if there is a reservation, and @who holds it, alone or with the others.
 */
bool rblkt_resv_holds(const struct rblkt_resv *resv, const struct rblkt_registrant *who)
{
	return resv->type && (resv_all_hold(resv->type) || who->holds);
}

/**
 * rblkt_resv_denies - what the reservation keeps a host from
 * @resv: the state
 * @host: who
 *
 * Context: any.
 * Return: RBLKT_DENY_*.
 */
u8 rblkt_resv_denies(struct rblkt_resv *resv, const u8 *host)
{
	const struct rblkt_registrant *who = rblkt_resv_find(resv, host);
	u8 all = RBLKT_DENY_READ | RBLKT_DENY_WRITE;

	switch (resv->type) {
	case RBLK_RESV_WRITE_EXCLUSIVE:
		return who && who->holds ? 0 : RBLKT_DENY_WRITE;
	case RBLK_RESV_EXCLUSIVE_ACCESS:
		return who && who->holds ? 0 : all;
	case RBLK_RESV_WRITE_REGISTRANTS:
	case RBLK_RESV_WRITE_ALL_HOLD:
		return who ? 0 : RBLKT_DENY_WRITE;
	case RBLK_RESV_ACCESS_REGISTRANTS:
	case RBLK_RESV_ACCESS_ALL_HOLD:
		return who ? 0 : all;
	default:
		return 0;
	}
}

/* The reservation ends, and nobody holds it. */
static void resv_end(struct rblkt_resv *resv)
{
	u32 i;

	resv->type = RBLK_RESV_NONE;
	for (i = 0; i < resv->nr; i++)
		resv->registrant[i].holds = false;
}

/* A registration ends, and the reservation with it if nobody is left to hold that. */
static void resv_drop(struct rblkt_resv *resv, struct rblkt_registrant *who,
		      struct rblkt_resv_result *result)
{
	bool alone = rblkt_resv_holds(resv, who) &&
		     (!resv_all_hold(resv->type) || resv->nr == 1);
	u32 index = who - resv->registrant;

	if (alone) {
		resv_end(resv);
		result->others |= RBLK_RESV_RELEASED;
	}
	resv->nr--;
	memmove(who, who + 1, (resv->nr - index) * sizeof(*who));
	memset(&resv->registrant[resv->nr], 0, sizeof(*who));
	result->others |= RBLK_RESV_CHANGED;
}

static void resv_register(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask,
			  struct rblkt_registrant *who, struct rblkt_resv_result *result)
{
	if (who && ask->new_key == who->key)
		return;
	if (!who && !ask->new_key)
		return;
	if (!who && resv->nr == RBLK_WIRE_MAX_REGISTRANTS) {
		result->status = RBLK_CTL_NO_RESOURCES;
		return;
	}
	if (!ask->new_key) {
		resv_drop(resv, who, result);
	} else if (who) {
		who->key = ask->new_key;
	} else {
		who = &resv->registrant[resv->nr++];
		*who = ask->who;
		who->key = ask->new_key;
		who->holds = false;
	}
	resv->generation++;
	result->changed = true;
	result->others |= RBLK_RESV_CHANGED;
}

static void resv_reserve(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask,
			 struct rblkt_registrant *who, struct rblkt_resv_result *result)
{
	if (resv->type) {
		if (!rblkt_resv_holds(resv, who) || resv->type != ask->type)
			result->status = RBLK_CTL_CONFLICT;
		return;
	}
	resv->type = ask->type;
	who->holds = !resv_all_hold(ask->type);
	result->changed = true;
	result->others = RBLK_RESV_CHANGED;
}

static void resv_release(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask,
			 struct rblkt_registrant *who, struct rblkt_resv_result *result)
{
	if (!rblkt_resv_holds(resv, who))
		return;
	if (resv->type != ask->type) {
		result->status = RBLK_CTL_WRONG_TYPE;
		return;
	}
	resv_end(resv);
	result->changed = true;
	result->others = RBLK_RESV_RELEASED;
}

/* Does a preemption of @key take the reservation? */
static bool resv_takes(struct rblkt_resv *resv, u64 key)
{
	u32 i;

	if (!resv->type)
		return false;
	if (resv_all_hold(resv->type))
		return !key;
	for (i = 0; i < resv->nr; i++)
		if (resv->registrant[i].holds && resv->registrant[i].key == key)
			return true;
	return false;
}

/* End the registrations of the others that have @key, or any if it is 0. */
static u32 resv_expel(struct rblkt_resv *resv, const u8 *host, u64 key)
{
	struct rblkt_registrant *at = resv->registrant;
	u32 i, left = 0, gone;

	for (i = 0; i < resv->nr; i++) {
		const struct rblkt_registrant *who = &resv->registrant[i];

		if ((key && who->key != key) || resv_same_host(who->host, host))
			at[left++] = *who;
	}
	gone = resv->nr - left;
	memset(&at[left], 0, gone * sizeof(*at));
	resv->nr = left;
	return gone;
}

static void resv_preempt(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask,
			 struct rblkt_registrant *who, struct rblkt_resv_result *result)
{
	bool takes = resv_takes(resv, ask->new_key);
	u32 gone;

	/* All of those who hold what not all hold: that is nobody. */
	if (!ask->new_key && !takes) {
		result->status = RBLK_CTL_WRONG_TYPE;
		return;
	}
	gone = resv_expel(resv, ask->who.host, ask->new_key);
	if (!gone && !takes && ask->new_key != ask->key) {
		result->status = RBLK_CTL_CONFLICT;
		return;
	}
	if (takes) {
		resv_end(resv);
		resv->type = ask->type;
		who = rblkt_resv_find(resv, ask->who.host);
		who->holds = !resv_all_hold(ask->type);
	}
	resv->generation++;
	result->changed = true;
	result->lost = RBLK_RESV_PREEMPTED;
	result->others = RBLK_RESV_CHANGED;
}

/**
 * rblkt_resv_clear - end the reservation and all registrations
 * @resv: changed
 * @result: filled in
 *
 * Context: any.
 */
void rblkt_resv_clear(struct rblkt_resv *resv, struct rblkt_resv_result *result)
{
	*result = (struct rblkt_resv_result){
		.changed = resv->nr,
		.lost = RBLK_RESV_CLEARED,
		.others = RBLK_RESV_CLEARED,
	};
	if (!resv->nr)
		return;
	resv->type = RBLK_RESV_NONE;
	memset(resv->registrant, 0, sizeof(resv->registrant));
	resv->nr = 0;
	resv->generation++;
}

/* Is the key that the host names the one that it has? */
static bool resv_key_fits(const struct rblkt_resv_ask *ask, const struct rblkt_registrant *who)
{
	if (ask->action == RBLK_RESV_REGISTER_IGNORE)
		return true;
	if (ask->action == RBLK_RESV_REGISTER)
		return ask->key == (who ? who->key : 0);
	return who && ask->key == who->key;
}

/**
 * rblkt_resv_last - what is remembered of whoever asks
 * @resv: the state
 * @ask: its host and source count
 *
 * Context: any.
 * Return: the last change of the source, in @resv, or NULL.
 */
struct rblkt_resv_last *rblkt_resv_last(struct rblkt_resv *resv,
					const struct rblkt_resv_ask *ask)
{
	u32 i;

	for (i = 0; i < RBLKT_RESV_LAST && resv->last[i].number; i++)
		if (resv->last[i].source == ask->source &&
		    resv_same_host(resv->last[i].host, ask->who.host))
			return &resv->last[i];
	return NULL;
}

/**
 * rblkt_resv_remember - remember a change in the place of its source's last one
 * @resv: changed: its first entry is the new one
 * @ask: the change
 * @status: what became of it
 *
 * A host with many sources forgets its own rather than others'.
 *
 * Context: any.
 */
void rblkt_resv_remember(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask, u16 status)
{
	struct rblkt_resv_last *at = resv->last;
	u32 i, own = 0;

	/* The entry that goes: of the source, the host's oldest, or the oldest of all. */
	for (i = 0; i < RBLKT_RESV_LAST - 1 && at[i].number; i++)
		if (resv_same_host(at[i].host, ask->who.host) &&
		    (at[i].source == ask->source || ++own == RBLKT_RESV_LAST_EACH))
			break;
	memmove(&at[1], &at[0], i * sizeof(*at));
	at[0] = (struct rblkt_resv_last){
		.source = ask->source, .number = ask->number, .status = status,
	};
	memcpy(at[0].host, ask->who.host, sizeof(at[0].host));
}

/**
 * rblkt_resv_decide - decide what a host asks for
 * @resv: changed if that is allowed; if not it is of no use any more
 * @ask: the question, checked, and new: see rblkt_resv_last()
 * @result: filled in
 *
 * Context: any.
 */
void rblkt_resv_decide(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask,
		       struct rblkt_resv_result *result)
{
	struct rblkt_registrant *who = rblkt_resv_find(resv, ask->who.host);

	*result = (struct rblkt_resv_result){ .status = RBLK_CTL_OK };
	if (!rblkt_resv_registers(ask->action) && !ask->may_write)
		result->status = RBLK_CTL_READ_ONLY;
	else if (!resv_key_fits(ask, who))
		result->status = RBLK_CTL_CONFLICT;
	else if (rblkt_resv_registers(ask->action))
		resv_register(resv, ask, who, result);
	else if (ask->action == RBLK_RESV_RESERVE)
		resv_reserve(resv, ask, who, result);
	else if (ask->action == RBLK_RESV_RELEASE)
		resv_release(resv, ask, who, result);
	else if (ask->action == RBLK_RESV_CLEAR)
		rblkt_resv_clear(resv, result);
	else
		resv_preempt(resv, ask, who, result);
}

/**
 * rblkt_resv_remove - end a host's registration, whoever wants that
 * @resv: changed
 * @host: whose
 * @result: filled in
 *
 * Context: any.
 * Return: RBLK_CTL_OK, or RBLK_CTL_CONFLICT if it has none.
 */
u16 rblkt_resv_remove(struct rblkt_resv *resv, const u8 *host, struct rblkt_resv_result *result)
{
	struct rblkt_registrant *who = rblkt_resv_find(resv, host);

	*result = (struct rblkt_resv_result){ .lost = RBLK_RESV_PREEMPTED };
	if (!who)
		return RBLK_CTL_CONFLICT;
	resv_drop(resv, who, result);
	resv->generation++;
	result->changed = true;
	return RBLK_CTL_OK;
}

/**
 * rblkt_resv_move - make a host's registration, with what it holds, another's
 * @resv: changed
 * @host: whose it is
 * @new_host: whose it will be; has none
 * @new_public_key: what that one proves, or all zeroes
 * @result: filled in
 *
 * Context: any.
 * Return: RBLK_CTL_OK, RBLK_CTL_CONFLICT if @host has none, or RBLK_CTL_BUSY if
 * @new_host has one.
 */
u16 rblkt_resv_move(struct rblkt_resv *resv, const u8 *host, const u8 *new_host,
		    const u8 *new_public_key, struct rblkt_resv_result *result)
{
	struct rblkt_registrant *who = rblkt_resv_find(resv, host);

	*result = (struct rblkt_resv_result){
		.lost = RBLK_RESV_PREEMPTED,
		.others = RBLK_RESV_CHANGED,
	};
	if (!who)
		return RBLK_CTL_CONFLICT;
	if (rblkt_resv_find(resv, new_host))
		return RBLK_CTL_BUSY;
	memcpy(who->host, new_host, sizeof(who->host));
	memcpy(who->public_key, new_public_key, sizeof(who->public_key));
	resv->generation++;
	result->changed = true;
	return RBLK_CTL_OK;
}

/**
 * rblkt_resv_sound - can a state have come from the changes here?
 * @resv: from a file; nothing in it is trusted
 *
 * Context: any.
 * Return: false if a host is in it twice, a key is 0, a name is none, or the reservation has
 * no holder, or more than it may have.
 */
bool rblkt_resv_sound(const struct rblkt_resv *resv)
{
	u32 i, j, holders = 0;

	if (resv->nr > RBLK_WIRE_MAX_REGISTRANTS || resv->type > RBLK_RESV_TYPE_LAST)
		return false;
	for (i = 0; i < RBLKT_RESV_LAST; i++)
		if (resv->last[i].status > RBLK_CTL_LAST)
			return false;
	for (i = 0; i < resv->nr; i++) {
		const struct rblkt_registrant *who = &resv->registrant[i];

		if (!who->key || !rblk_name_ok(who->name))
			return false;
		for (j = 0; j < i; j++)
			if (resv_same_host(resv->registrant[j].host, who->host))
				return false;
		holders += who->holds;
	}
	if (!resv->type || resv_all_hold(resv->type))
		return !holders && (!resv->type || resv->nr);
	return holders == 1;
}
