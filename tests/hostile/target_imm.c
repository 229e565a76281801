// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about reads that are answered by RDMA WRITE with immediate: of another
 * tag or generation, with too little data, where a message belongs, twice, and
 * what a target may do while the initiator's invalidation is under way.
 */
#include <arpa/inet.h>
#include <string.h>
#include "target.h"

static char *data_of(const struct out *o)
{
	return o->link->v->data + le16toh(o->cmd->tag) * MAX_IO;
}

static void write_imm(struct link *l, const struct rblk_wire_cmd *cmd, char *data,
		      uint32_t imm, uint32_t bytes)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = htonl(imm),
		.wr.rdma = {
			.remote_addr = le64toh(cmd->addr),
			.rkey = le32toh(cmd->rkey),
		},
	};

	link_post(l, &wr, data, bytes);
}

/**
 * imm_send - the answer by immediate
 * @o: with its command and immediate
 */
void imm_send(struct out *o)
{
	write_imm(o->link, o->cmd, data_of(o), o->imm, le32toh(o->cmd->length));
}

static void stale(struct fake *f, struct out *o)
{
	(void)f;
	o->imm--;
}

static void future(struct fake *f, struct out *o)
{
	(void)f;
	o->imm++;
}

/*
 * The next tag may be out all the same, and of the same generation: then it would
 * be a lie about that command's data, which nobody can see through.
 */
static void free_tag(struct fake *f, struct out *o)
{
	unsigned int tag = o->imm >> RBLK_IMM_TAG_SHIFT;
	unsigned int gen = ~o->imm & RBLK_IMM_GEN_MASK;

	(void)f;
	tag = (tag + 1) % o->link->depth;
	o->imm = tag << RBLK_IMM_TAG_SHIFT | gen;
}

static void wild_tag(struct fake *f, struct out *o)
{
	(void)f;
	o->imm |= 0xffffu << RBLK_IMM_TAG_SHIFT;
}

static void twice(struct fake *f, struct out *o)
{
	(void)f;
	o->copies = 2;
}

static void sized(struct out *o, uint32_t bytes)
{
	write_imm(o->link, o->cmd, data_of(o), o->imm, bytes);
	o->copies = 0;
}

static void block_less(struct fake *f, struct out *o)
{
	(void)f;
	sized(o, le32toh(o->cmd->length) - BLOCK);
}

/* Needs no rkey: nothing is written. */
static void nothing(struct fake *f, struct out *o)
{
	(void)f;
	sized(o, 0);
}

static void block_more(struct fake *f, struct out *o)
{
	(void)f;
	sized(o, le32toh(o->cmd->length) + BLOCK);
}

/**
 * imm_unasked - an immediate to a command that asked for a message
 * @f: the target
 * @o: the message, which is not sent
 */
void imm_unasked(struct fake *f, struct out *o)
{
	uint32_t imm = (uint32_t)le16toh(o->cmd->tag) << RBLK_IMM_TAG_SHIFT |
		       le16toh(o->cmd->gen);

	(void)f;
	if (o->cmd->op == RBLK_OP_READ)
		write_imm(o->link, o->cmd, data_of(o), imm,
			  le32toh(o->cmd->length));
	else
		write_imm(o->link, o->cmd, data_of(o), imm, 0);
	o->copies = 0;
}

/* Other data with the same rkey, when the request has ended and that is dead. */
static void write_after(struct fake *f, struct out *o)
{
	(void)f;
	imm_send(o);
	verbs_sleep(300);
	memset(data_of(o), 0xee, le32toh(o->cmd->length));
	link_rdma(o->link, IBV_WR_RDMA_WRITE, data_of(o), le32toh(o->cmd->length),
		  le64toh(o->cmd->addr), le32toh(o->cmd->rkey));
	o->copies = 0;
}

/* The other answer as well, with the invalidate that the initiator does itself. */
static void response_after(struct fake *f, struct out *o)
{
	struct out response = { .link = o->link };
	static char buf[SEND_ROOM];

	(void)f;
	imm_send(o);
	io_response(&response, buf, o->cmd);
	link_send(&response);
	o->copies = 0;
}

/* Allowed: a message is an answer to any command. */
static void response_instead(struct fake *f, struct out *o)
{
	struct out response = { .link = o->link };
	static char buf[SEND_ROOM];

	(void)f;
	link_rdma(o->link, IBV_WR_RDMA_WRITE, data_of(o), le32toh(o->cmd->length),
		  le64toh(o->cmd->addr), le32toh(o->cmd->rkey));
	io_response(&response, buf, o->cmd);
	link_send(&response);
	o->copies = 0;
}

#define IMM(id, how, reason)						\
	{ .name = id, .at = IMMEDIATE, .provider = "rxe", .imm = true,	\
	  .expect = RECOVERS, .words = reason, .spoil = how }

#define DEAD	"error|access|failed|flushed|closed"

const struct act imm_acts[] = {
	{ .name = "imm-honest", .provider = "rxe", .imm = true,
	  .expect = HARMLESS },
	{ .name = "imm-response", .at = IMMEDIATE, .provider = "rxe", .imm = true,
	  .again = true, .expect = HARMLESS, .spoil = response_instead },
	IMM("imm-stale", stale, "another generation"),
	IMM("imm-future", future, "another generation"),
	IMM("imm-free-tag", free_tag, "not out|generation|wrong length|asked for none"),
	IMM("imm-wild-tag", wild_tag, "out of range"),
	IMM("imm-twice", twice, "not out|generation|" DEAD),
	IMM("imm-short", block_less, "wrong length"),
	IMM("imm-nothing", nothing, "wrong length"),
	IMM("imm-long", block_more, DEAD),
	IMM("imm-write-after", write_after, DEAD),
	IMM("imm-response-after", response_after, "not out|generation|" DEAD),
	/* Early, as the first read of a tag asks for a message. */
	{ .name = "imm-unasked", .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_READ,
	  .provider = "rxe", .imm = true, .early = true, .expect = RECOVERS,
	  .words = "asked for none", .spoil = imm_unasked },
	{ .name = "imm-for-write", .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_WRITE,
	  .provider = "rxe", .imm = true, .expect = RECOVERS,
	  .words = "asked for none", .spoil = imm_unasked },
	{ .name = NULL },
};
