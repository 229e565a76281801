// SPDX-License-Identifier: GPL-2.0-only
/*
 * I/O as an honest target does it, on a disk in memory.  It believes its
 * initiator, which in these tests is a kernel's.
 */
#include <string.h>
#include "target.h"

static char *tag_data(struct link *l, unsigned int tag)
{
	return l->v->data + tag * MAX_IO;
}

/* An act may say that the disk is larger than it is: then it repeats. */
static char *on_disk(struct fake *f, const struct rblk_wire_cmd *cmd)
{
	return f->disk + f->export[le32toh(cmd->volume) % HANDLES] * DISK_STRIDE +
	       le64toh(cmd->lba) * BLOCK % DISK_BYTES;
}

/**
 * io_response - begin the honest response to a command
 * @o: filled in, except for the link
 * @buf: room for it
 * @cmd: the command
 */
void io_response(struct out *o, char *buf, const struct rblk_wire_cmd *cmd)
{
	struct rblk_wire_rsp *rsp = message_responses(buf, 1);

	rsp->tag = cmd->tag;
	rsp->gen = cmd->gen;
	rsp->length = cmd->length;
	digest_answer(rsp, cmd, on_disk(o->link->fake, cmd));
	o->type = RBLK_MSG_RESPONSE;
	o->buf = buf;
	o->len = message_len(buf);
	o->rkey = le32toh(cmd->rkey);
	o->inv = o->rkey;
	o->cmd = cmd;
}

static void respond(struct link *l, const struct rblk_wire_cmd *cmd)
{
	static char buf[SEND_ROOM];
	struct out o = { .link = l };

	io_response(&o, buf, cmd);
	/* A message invalidates one key at most. */
	if (l->batching && !o.inv) {
		memcpy(&l->answer[l->answers++], buf + sizeof(struct rblk_wire_hdr),
		       sizeof(l->answer[0]));
		return;
	}
	link_send(&o);
}

/* What has waited for the last of its message. */
static void respond_together(struct link *l)
{
	static char buf[SEND_ROOM];
	struct out o = {
		.link = l, .type = RBLK_MSG_RESPONSE, .buf = buf,
	};

	l->batching = false;
	if (!l->answers)
		return;
	memcpy(message_responses(buf, l->answers), l->answer,
	       l->answers * sizeof(l->answer[0]));
	o.len = message_len(buf);
	o.cmd = &l->cmds[le16toh(l->answer[0].tag)];
	l->answers = 0;
	link_send(&o);
}

/* The data goes with the response. */
static void inline_read(struct link *l, const struct rblk_wire_cmd *cmd)
{
	static char buf[SEND_ROOM];
	struct rblk_wire_hdr *hdr = (void *)buf;
	uint32_t bytes = le32toh(cmd->length);
	struct out o = { .link = l };

	if (bytes > 4096)
		report_die("an inline read of %u bytes", bytes);
	memset(buf, 0, RBLK_WIRE_DATA_OFFSET);
	io_response(&o, buf, cmd);
	hdr->flags = htole16(RBLK_HDRF_DATA);
	memcpy(buf + RBLK_WIRE_DATA_OFFSET, on_disk(l->fake, cmd), bytes);
	o.len = RBLK_WIRE_DATA_OFFSET + bytes;
	message_set_len(buf, o.len);
	link_send(&o);
}

/* The data's last bytes are the answer. */
static void immediate(struct link *l, const struct rblk_wire_cmd *cmd)
{
	struct out o = {
		.link = l,
		.type = IMMEDIATE,
		.cmd = cmd,
		.imm = (uint32_t)le16toh(cmd->tag) << RBLK_IMM_TAG_SHIFT |
		       le16toh(cmd->gen),
	};

	link_send(&o);
}

static void do_read(struct link *l, const struct rblk_wire_cmd *cmd, unsigned int tag)
{
	uint32_t bytes = le32toh(cmd->length);

	if (le16toh(cmd->flags) & RBLK_CMDF_INLINE) {
		inline_read(l, cmd);
		return;
	}

	memcpy(tag_data(l, tag), on_disk(l->fake, cmd), bytes);
	if (le16toh(cmd->flags) & RBLK_CMDF_IMM) {
		immediate(l, cmd);
		return;
	}
	if (!l->fake->silent)
		link_rdma(l, IBV_WR_RDMA_WRITE, tag_data(l, tag), bytes,
			  le64toh(cmd->addr), le32toh(cmd->rkey));
	respond(l, cmd);
}

static void do_write(struct link *l, const struct rblk_wire_cmd *cmd, unsigned int tag,
		     const char *msg)
{
	uint32_t bytes = le32toh(cmd->length);
	struct ibv_send_wr wr = {
		.wr_id = PULLED | tag,
		.opcode = IBV_WR_RDMA_READ,
		.wr.rdma = {
			.remote_addr = le64toh(cmd->addr),
			.rkey = le32toh(cmd->rkey),
		},
	};

	l->fake->written = true;
	if (!(le16toh(cmd->flags) & RBLK_CMDF_INLINE)) {
		link_post(l, &wr, tag_data(l, tag), bytes);
		return;
	}
	digest_check(cmd, msg + RBLK_WIRE_DATA_OFFSET);
	memcpy(on_disk(l->fake, cmd), msg + RBLK_WIRE_DATA_OFFSET, bytes);
	respond(l, cmd);
}

/**
 * io_pulled - a write's data is here
 * @l: where
 * @tag: of the write
 */
void io_pulled(struct link *l, unsigned int tag)
{
	const struct rblk_wire_cmd *cmd = &l->cmds[tag];

	digest_check(cmd, tag_data(l, tag));
	memcpy(on_disk(l->fake, cmd), tag_data(l, tag), le32toh(cmd->length));
	respond(l, cmd);
}

static void carry_out(struct link *l, const struct rblk_wire_cmd *wire, const char *msg)
{
	unsigned int tag = le16toh(wire->tag);
	const struct rblk_wire_cmd *cmd = &l->cmds[tag];

	if (tag >= l->depth || le32toh(wire->length) > 4 * MAX_IO)
		report_die("a command out of bounds");
	l->cmds[tag] = *wire;
	switch (cmd->op) {
	case RBLK_OP_READ:
		do_read(l, cmd, tag);
		break;
	case RBLK_OP_WRITE:
		do_write(l, cmd, tag, msg);
		break;
	case RBLK_OP_DISCARD:
	case RBLK_OP_WRITE_ZEROES:
		memset(on_disk(l->fake, cmd), 0, le32toh(cmd->length));
		/* fall through */
	default:
		respond(l, cmd);
	}
}

/**
 * io_command - carry a message of commands out
 * @l: where it came
 * @msg: it
 * @len: its bytes
 */
void io_command(struct link *l, const char *msg, size_t len)
{
	const struct rblk_wire_hdr *hdr = (const void *)msg;
	const struct rblk_wire_cmd *cmd = (const void *)(hdr + 1);
	unsigned int i;

	if (hdr->type != RBLK_MSG_COMMAND || !hdr->count ||
	    hdr->count > RBLK_WIRE_MAX_BATCH ||
	    len < sizeof(*hdr) + hdr->count * sizeof(*cmd)) {
		l->hang_up = true;
		return;
	}
	l->last = le16toh(cmd[hdr->count - 1].tag);
	l->batching = hdr->count > 1;
	for (i = 0; i < hdr->count; i++)
		carry_out(l, &cmd[i], msg);
	respond_together(l);
}
