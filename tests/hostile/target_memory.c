// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts against the initiator's memory: RDMA to where it must not go, and
 * invalidates of what is not to be invalidated.
 */
#include <arpa/inet.h>
#include <string.h>
#include "target.h"

static const struct rblk_wire_cmd *granted(const struct out *o, uint64_t *addr,
					   uint32_t *rkey)
{
	*addr = le64toh(o->cmd->addr);
	*rkey = le32toh(o->cmd->rkey);
	return o->cmd;
}

/* Something that is nowhere on the disk, to be recognised. */
static char *garbage(struct link *l)
{
	return memset(link_spare(l), 0xbd, MAX_IO);
}

static void aim(struct out *o, struct link *l, int opcode, int64_t offset, size_t len)
{
	uint64_t addr;
	uint32_t rkey;

	granted(o, &addr, &rkey);
	link_rdma(l, opcode, garbage(l), len, addr + offset, rkey);
}

static void write_beyond(struct fake *f, struct out *o)
{
	(void)f;
	aim(o, o->link, IBV_WR_RDMA_WRITE, le32toh(o->cmd->length), 64);
}

static void write_across(struct fake *f, struct out *o)
{
	(void)f;
	aim(o, o->link, IBV_WR_RDMA_WRITE, 0, le32toh(o->cmd->length) + 1);
}

static void write_before(struct fake *f, struct out *o)
{
	(void)f;
	aim(o, o->link, IBV_WR_RDMA_WRITE, -4096, 4096);
}

static void write_to_source(struct fake *f, struct out *o)
{
	(void)f;
	aim(o, o->link, IBV_WR_RDMA_WRITE, 0, 512);
}

static void read_of_sink(struct fake *f, struct out *o)
{
	(void)f;
	aim(o, o->link, IBV_WR_RDMA_READ, 0, 512);
}

/* A key that is nobody's. */
static void write_wild(struct fake *f, struct out *o)
{
	(void)f;
	link_rdma(o->link, IBV_WR_RDMA_WRITE, garbage(o->link), 4096,
		  0xffff888000000000ull, 0xdeadbeef);
}

/* Through another connection of the session. */
static void write_sideways(struct fake *f, struct out *o)
{
	struct link *other = link_other(o->link);

	(void)f;
	if (other)
		aim(o, other, IBV_WR_RDMA_WRITE, 0, 512);
}

/* After the answer, when the pages are their owner's again. */
static void write_after(struct fake *f, struct out *o)
{
	struct out first = *o;

	(void)f;
	first.copies = 1;
	link_send(&first);
	aim(o, o->link, IBV_WR_RDMA_WRITE, 0, le32toh(o->cmd->length));
	o->copies = 0;
}

static void read_after(struct fake *f, struct out *o)
{
	struct out first = *o;

	(void)f;
	first.copies = 1;
	link_send(&first);
	aim(o, o->link, IBV_WR_RDMA_READ, 0, le32toh(o->cmd->length));
	o->copies = 0;
}

static void no_invalidate(struct fake *f, struct out *o)
{
	(void)f;
	o->inv = false;
}

static void other_invalidate(struct fake *f, struct out *o)
{
	unsigned int i;

	(void)f;
	/* Of another tag, out or not. */
	for (i = 0; i < o->link->depth; i++)
		if (o->link->cmds[i].rkey && o->link->cmds[i].tag != o->cmd->tag)
			o->rkey = le32toh(o->link->cmds[i].rkey);
	if (o->rkey == le32toh(o->cmd->rkey))
		o->rkey ^= 0x100;
}

static void wild_invalidate(struct fake *f, struct out *o)
{
	(void)f;
	o->rkey = 0xdeadbe00;
}

static void previous_invalidate(struct fake *f, struct out *o)
{
	(void)f;
	o->rkey = (o->rkey & ~0xffu) | ((o->rkey - 1) & 0xff);
}

/* Where there is nothing to invalidate: with the key of another command. */
static void stray_invalidate(struct fake *f, struct out *o)
{
	(void)f;
	if (o->rkey)
		return;
	o->inv = true;
	o->rkey = 0x12345600;
}

static void event_invalidate(struct fake *f, struct out *o)
{
	static char buf[SEND_ROOM];
	struct out reply = { .link = link_control(f), .buf = buf, .copies = 1 };

	if (!reply.link)
		return;
	message_ctl(buf, RBLK_MSG_KEEPALIVE_REPLY, 16, 1, 0);
	reply.type = RBLK_MSG_KEEPALIVE_REPLY;
	reply.len = 16;
	reply.inv = true;
	reply.rkey = le32toh(o->cmd->rkey);
	link_send(&reply);
}

static void send_imm(struct fake *f, struct out *o)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = htonl(0x12345678),
	};
	char *room = link_spare(o->link);

	(void)f;
	memcpy(room, o->buf, o->len);
	link_post(o->link, &wr, room, o->len);
	o->copies = 0;
}

/* What RBLK_FEAT_READ_IMM would look like, had it been granted. */
static void write_imm(struct fake *f, struct out *o)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = htonl((uint32_t)le16toh(o->cmd->tag) << 16 |
				  le16toh(o->cmd->gen)),
		.wr.rdma = {
			.remote_addr = le64toh(o->cmd->addr),
			.rkey = le32toh(o->cmd->rkey),
		},
	};

	(void)f;
	link_post(o->link, &wr, o->link->v->data +
		  le16toh(o->cmd->tag) * MAX_IO, le32toh(o->cmd->length));
	o->copies = 0;
}

/* Its kernel says that the access was refused, in its own words. */
#define REFUSED	"error|access|failed|flushed|closed"

#define ON_READ(id, how, reason)					\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_READ,	\
	  .expect = RECOVERS, .words = reason, .spoil = how }
#define ON_WRITE(id, how, reason)					\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_WRITE,	\
	  .expect = RECOVERS, .words = reason, .spoil = how }

const struct act memory_acts[] = {
	ON_READ("rdma-beyond", write_beyond, REFUSED),
	ON_READ("rdma-across", write_across, REFUSED),
	ON_READ("rdma-before", write_before, REFUSED),
	ON_WRITE("rdma-write-to-source", write_to_source, REFUSED),
	/* Software iWARP lets whoever may write read as well. */
	{ .name = "rdma-read-of-sink", .at = RBLK_MSG_RESPONSE,
	  .op = RBLK_OP_READ, .provider = "rxe", .expect = RECOVERS,
	  .words = REFUSED, .spoil = read_of_sink },
	ON_READ("rdma-wild", write_wild, REFUSED),
	ON_READ("rdma-sideways", write_sideways, REFUSED),
	ON_READ("rdma-write-after", write_after, REFUSED),
	ON_READ("rdma-read-after", read_after, REFUSED),
	ON_READ("invalidate-none", no_invalidate, "does not invalidate"),
	ON_READ("invalidate-other", other_invalidate,
		"does not invalidate|" REFUSED),
	ON_READ("invalidate-wild", wild_invalidate,
		"does not invalidate|" REFUSED),
	ON_READ("invalidate-previous", previous_invalidate,
		"does not invalidate|" REFUSED),
	ON_WRITE("invalidate-none-write", no_invalidate, "does not invalidate"),
	{ .name = "invalidate-stray", .at = RBLK_MSG_RESPONSE,
	  .op = RBLK_OP_FLUSH, .expect = RECOVERS,
	  .words = "foreign rkey|" REFUSED, .spoil = stray_invalidate },
	ON_READ("invalidate-on-control", event_invalidate,
		"control message that invalidates|reply to nothing|" REFUSED),
	{ .name = "imm-send", .at = RBLK_MSG_RESPONSE, .provider = "rxe",
	  .expect = RECOVERS, .words = "unexpected kind", .spoil = send_imm },
	{ .name = "imm-write", .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_READ,
	  .provider = "rxe", .expect = RECOVERS, .words = "unexpected kind",
	  .spoil = write_imm },
	{ .name = NULL },
};
