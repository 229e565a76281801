// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fake target's connections: one thread that looks at all of them in turn.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "target.h"

/* Take the completions there are; RDMA READs go on from there. */
static void reap(struct link *l)
{
	struct ibv_wc wc;

	while (l->v->send_cq && ibv_poll_cq(l->v->send_cq, 1, &wc) > 0) {
		l->sent++;
		if (wc.status == IBV_WC_SUCCESS && wc.wr_id & PULLED)
			io_pulled(l, wc.wr_id & (PULLED - 1));
	}
}

/**
 * link_post - post a send work request from the link's memory
 * @l: the link
 * @wr: all but its data
 * @data: within the link's memory
 * @len: of it
 *
 * Return: 0 or a negative errno.  Whose queue is full for 2 s is hung up on.
 */
int link_post(struct link *l, struct ibv_send_wr *wr, const void *data, size_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)data,
		.length = len,
		.lkey = l->v->mr->lkey,
	};
	uint64_t end = verbs_now() + 2000;
	int ret;

	while (!l->hang_up && l->posted - l->sent >= SENDS - 2) {
		reap(l);
		l->hang_up = verbs_now() > end;
	}
	if (l->hang_up)
		return -ENOTCONN;
	wr->sg_list = &sge;
	wr->num_sge = len ? 1 : 0;
	ret = verbs_post(l->v, wr);
	if (!ret)
		l->posted++;
	return ret;
}

/* Each send has its own room until SENDS later ones have been posted. */
static void send_once(struct out *o)
{
	struct link *l = o->link;
	char *room = l->v->out + l->posted % SENDS * SEND_ROOM;
	size_t len = o->len;
	struct ibv_send_wr wr = {
		.opcode = o->inv ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND,
		.invalidate_rkey = o->inv ? o->rkey : 0,
		/* Where libsiw looks for it. */
		.wr.rdma.rkey = o->inv ? o->rkey : 0,
	};

	memcpy(room, o->buf, o->len);
	if (o->sign)
		o->sign(l, room, &len);
	else if (l->v->macs.sends)
		keyed_sign(l, room, &len);
	keyed_note(l, room, len);
	link_post(l, &wr, room, len);
}

/* Hang up when all is sent: what is not would go with the connection. */
static void part(struct link *l)
{
	uint64_t end = verbs_now() + 1000;

	while (l->sent < l->posted && verbs_now() < end)
		reap(l);
	l->hang_up = true;
}

/**
 * link_send - send a message, unless the act has other ideas
 * @o: the message
 */
void link_send(struct out *o)
{
	struct fake *f = o->link->fake;

	o->copies = 1;
	act_out(f, o);
	if (f->silent)
		return;
	while (o->copies--) {
		if (o->type == IMMEDIATE)
			imm_send(o);
		else
			send_once(o);
	}
	if (o->last)
		part(o->link);
}

/**
 * link_rdma - RDMA READ or WRITE
 * @l: the link
 * @opcode: which
 * @data: within the link's memory
 * @len: bytes
 * @addr: of the initiator
 * @rkey: of the initiator
 */
int link_rdma(struct link *l, int opcode, void *data, size_t len, uint64_t addr,
	      uint32_t rkey)
{
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	};

	return link_post(l, &wr, data, len);
}

/**
 * link_spare - memory of the link's that is no tag's
 * @l: an I/O connection
 *
 * Return: MAX_IO bytes.
 */
char *link_spare(struct link *l)
{
	return l->v->data + (l->qid ? l->depth * MAX_IO : 0);
}

/**
 * link_other - an I/O connection of the same epoch other than this one
 * @l: this one
 */
struct link *link_other(struct link *l)
{
	struct fake *f = l->fake;
	unsigned int i;

	for (i = MAX_LINKS; i--;)
		if (f->links[i] && f->links[i] != l && f->links[i]->qid &&
		    f->links[i]->up)
			return f->links[i];
	return NULL;
}

/**
 * link_control - the control connection
 * @f: the target
 */
struct link *link_control(struct fake *f)
{
	unsigned int i;

	for (i = MAX_LINKS; i--;)
		if (f->links[i] && !f->links[i]->qid && f->links[i]->up)
			return f->links[i];
	return NULL;
}

static int make(struct link *l)
{
	const struct act *a = l->fake->act;
	unsigned int recvs = a && a->recvs ? a->recvs : 2 * l->depth;
	struct verbs_size size = {
		.sends = SENDS,
		.recvs = l->qid ? recvs : CTRL_RECVS,
		.recv_len = SEND_ROOM,
		.send_len = SENDS * SEND_ROOM,
		.data_len = l->qid ? (l->depth + 1) * MAX_IO : SEND_ROOM,
	};

	return verbs_make(l->v, &size);
}

/* Answer a connection request as the act wants it. */
static void answer(struct link *l, const struct rblk_wire_cm_req *req)
{
	static char room[SEND_ROOM];
	const struct act *act = l->fake->act;
	struct rblk_wire_cm_rep *rep = (struct rblk_wire_cm_rep *)room;
	struct out o = {
		.link = l, .type = ACCEPTANCE, .buf = room,
		.len = sizeof(*rep), .copies = 1,
	};

	memset(room, 0, sizeof(room));
	/* The one that spoils at random has batches, too. */
	reply_acceptance(req, rep, !act || act->batch ? RBLK_WIRE_MAX_BATCH : 1);
	if (act && act->imm)
		rep->features = req->features & htole32(RBLK_FEAT_READ_IMM);
	if (act && act->window && (act->expect == FAILS ||
				   l->fake->epoch == l->fake->first_epoch))
		rep->features = req->features & htole32(RBLK_FEAT_WRITE_WINDOW);
	/* Few tags, so that all are soon held. */
	if (act && act->held) {
		rep->features = req->features & htole32(RBLK_FEAT_HELD);
		rep->depth = htole16(RBLK_WIRE_MIN_DEPTH);
	}
	if (act && act->digest)
		rep->features = req->features & htole32(RBLK_FEAT_DIGEST);
	l->depth = le16toh(rep->depth);
	keyed_greet(l, req, rep);
	act_out(l->fake, &o);
	if (o.refuse) {
		verbs_reject(l->v, o.buf, o.len);
		l->hang_up = true;
	} else if (o.copies && (make(l) || verbs_accept(l->v, o.buf, o.len, 4))) {
		l->hang_up = true;
	}
}

static void welcome(struct fake *f, struct verbs *v)
{
	struct rblk_wire_cm_req *req = (struct rblk_wire_cm_req *)v->private;
	struct link *l = calloc(1, sizeof(*l));
	unsigned int i;

	for (i = 0; i < MAX_LINKS && f->links[i]; i++)
		;
	if (!l || i == MAX_LINKS)
		report_die("too many connections");
	f->links[i] = l;
	l->fake = f;
	l->v = v;
	l->qid = le16toh(req->qid);
	if (!l->qid) {
		f->epoch = le32toh(req->epoch);
		if (!f->first_epoch)
			f->first_epoch = f->epoch;
	}
	answer(l, req);
}

static bool receive(struct link *l)
{
	bool any = false;
	size_t len;
	char *msg;

	while (!l->hang_up && !l->fake->silent &&
	       (msg = verbs_receive(l->v, 0, &len))) {
		unsigned int index = l->v->wc.wr_id;

		/* It came, so it is up, whether we were told so or not. */
		l->up = true;
		any = true;
		if (len < sizeof(struct rblk_wire_hdr) || !keyed_take(l, msg, &len))
			l->hang_up = true;
		else if (l->qid && l->seen)
			io_command(l, msg, len);
		else
			reply_control(l, msg, len);
		l->seen = true;
		if (!l->deaf)
			verbs_post_recv(l->v, index);
	}
	reap(l);
	return any;
}

/**
 * link_serve - take the messages that came
 * @f: the target
 *
 * Return: whether there were any.
 */
bool link_serve(struct fake *f)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < MAX_LINKS; i++)
		if (f->links[i] && f->links[i]->v->recv_cq)
			any |= receive(f->links[i]);
	return any;
}

static void close_link(struct fake *f, unsigned int i)
{
	many_drop(f->links[i]);
	verbs_close(f->links[i]->v);
	free(f->links[i]);
	f->links[i] = NULL;
}

/**
 * link_manage - take the connection manager's events, and hang up
 * @f: the target
 */
void link_manage(struct fake *f)
{
	struct verbs *v;
	unsigned int i;
	int event;

	while ((v = verbs_request(f->listener, 0)))
		welcome(f, v);
	for (i = 0; i < MAX_LINKS; i++) {
		if (!f->links[i])
			continue;
		event = verbs_event(f->links[i]->v, 0);
		if (event == RDMA_CM_EVENT_ESTABLISHED)
			f->links[i]->up = true;
		else if (event >= 0)
			f->links[i]->hang_up = true;
		if (f->links[i]->hang_up)
			close_link(f, i);
	}
}
