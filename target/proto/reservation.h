/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registrations and the reservation of one export, and what hosts may do to them
 * and because of them.  Pure, like proto.h: reservation.c works on plain memory.
 */
#ifndef RBLKT_RESERVATION_H
#define RBLKT_RESERVATION_H

#include <linux/types.h>
#include "proto.h"

#define RBLKT_RESV_LAST		64	/* sources remembered, of all hosts */
#define RBLKT_RESV_LAST_EACH	4	/* at most, of one host */

/* What a reservation keeps a host from. */
#define RBLKT_DENY_READ		0x1
#define RBLKT_DENY_WRITE	0x2	/* whatever is no READ */

/* A host as registrations know it: see struct rblkt_holder. */
struct rblkt_registrant {
	u64 key;		/* never 0 */
	u8 host[RBLK_WIRE_UUID_LEN];
	u8 public_key[RBLK_WIRE_KEY_LEN];	/* all zeroes without; for people */
	char name[RBLK_WIRE_NAME_LEN];
	bool holds;		/* the reservation, unless all hold it */
};

/* The last change of a source that was decided: its repeat is known, and an older one. */
struct rblkt_resv_last {
	u8 host[RBLK_WIRE_UUID_LEN];
	u64 source;
	u64 number;		/* 0: unused */
	u64 abort;		/* which abort it waits for, 0 for none; not recorded */
	u16 status;		/* enum rblk_wire_ctl_status, as decided */
};

/*
 * All of one export.  Whoever changes one makes a copy first, but for an answer that is
 * only remembered, such as a refusal: that is written into @last in place.
 */
struct rblkt_resv {
	u32 generation;
	u32 nr;			/* registrants */
	u8 type;		/* enum rblk_wire_resv_type */
	struct rblkt_registrant registrant[RBLK_WIRE_MAX_REGISTRANTS];
	struct rblkt_resv_last last[RBLKT_RESV_LAST];	/* the newest first */
};

/* What a host asks for, and who it is. */
struct rblkt_resv_ask {
	u8 action;		/* enum rblk_wire_resv_action */
	u8 type;
	bool may_write;		/* the attachment that it asks by */
	u64 key;
	u64 new_key;
	u64 source;
	u64 number;
	struct rblkt_registrant who;	/* without its key */
};

/* What became of it. */
struct rblkt_resv_result {
	u16 status;		/* enum rblk_wire_ctl_status */
	bool changed;
	u32 lost;		/* RBLK_RESV_* for hosts that have lost a registration */
	u32 others;		/* for all but these and the host that asked */
};

void rblkt_resv_decide(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask,
		       struct rblkt_resv_result *result);
struct rblkt_registrant *rblkt_resv_find(struct rblkt_resv *resv, const u8 *host);
struct rblkt_resv_last *rblkt_resv_last(struct rblkt_resv *resv,
					const struct rblkt_resv_ask *ask);
void rblkt_resv_remember(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask, u16 status);
bool rblkt_resv_holds(const struct rblkt_resv *resv, const struct rblkt_registrant *who);
u8 rblkt_resv_denies(struct rblkt_resv *resv, const u8 *host);
u16 rblkt_resv_remove(struct rblkt_resv *resv, const u8 *host, struct rblkt_resv_result *result);
u16 rblkt_resv_move(struct rblkt_resv *resv, const u8 *host, const u8 *new_host,
		    const u8 *new_public_key, struct rblkt_resv_result *result);
void rblkt_resv_clear(struct rblkt_resv *resv, struct rblkt_resv_result *result);
bool rblkt_resv_sound(const struct rblkt_resv *resv);

/**
 * rblkt_resv_registers - is an action about the host's own registration alone?
 * @action: enum rblk_wire_resv_action
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool rblkt_resv_registers(u8 action)
{
	return action == RBLK_RESV_REGISTER || action == RBLK_RESV_REGISTER_IGNORE;
}

/**
 * rblkt_resv_check - check what a RESERVE has beyond its frame
 * @msg: the message
 *
 * Context: any.
 * Return: RBLKT_BAD_NONE or the violation.
 */
static inline enum rblkt_bad rblkt_resv_check(const struct rblk_wire_reserve *msg)
{
	bool registers = rblkt_resv_registers(msg->action);
	bool typed = !registers && msg->action != RBLK_RESV_CLEAR;
	bool names = registers || msg->action == RBLK_RESV_PREEMPT ||
		     msg->action == RBLK_RESV_PREEMPT_ABORT;

	if (msg->reserved)
		return RBLKT_BAD_RESERVED;
	if (!msg->source || !msg->number || msg->action < RBLK_RESV_REGISTER ||
	    msg->action > RBLK_RESV_ACTION_LAST || msg->type > RBLK_RESV_TYPE_LAST)
		return RBLKT_BAD_RESV;
	if (typed != !!msg->type || (msg->new_key && !names) ||
	    (msg->key && msg->action == RBLK_RESV_REGISTER_IGNORE))
		return RBLKT_BAD_RESV;
	return RBLKT_BAD_NONE;
}

/**
 * rblkt_resv_refuses - does a reservation forbid an operation?
 * @denied: RBLKT_DENY_*
 * @op: enum rblk_wire_op
 *
 * Context: any.
 * Return: true if it does.
 */
static inline bool rblkt_resv_refuses(u8 denied, u8 op)
{
	return denied & (op == RBLK_OP_READ ? RBLKT_DENY_READ : RBLKT_DENY_WRITE);
}

#endif /* RBLKT_RESERVATION_H */
