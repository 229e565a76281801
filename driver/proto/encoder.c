// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encoders of all messages that the initiator sends, and texts for a target's
 * answers.  Pure, like the checks in proto.c.
 */
#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#include "proto.h"

/**
 * rblk_proto_encode_cm_req() - encode the private data of a connection request
 * @req: filled in whole
 * @offer: what to ask for
 *
 * Context: any.
 */
void rblk_proto_encode_cm_req(struct rblk_wire_cm_req *req,
			      const struct rblk_offer *offer)
{
	memset(req, 0, sizeof(*req));
	req->magic = cpu_to_le32(RBLK_WIRE_MAGIC);
	req->size = cpu_to_le16(sizeof(*req));
	req->version_min = RBLK_WIRE_VERSION;
	req->version_max = RBLK_WIRE_VERSION;
	memcpy(req->session, offer->session, sizeof(req->session));
	req->epoch = cpu_to_le32(offer->epoch);
	req->qid = cpu_to_le16(offer->qid);
	req->nr_queues = cpu_to_le16(offer->nr_queues);
	req->depth = cpu_to_le16(offer->depth);
	req->features = cpu_to_le32(offer->features);
	req->max_io = cpu_to_le32(offer->max_io);
	req->inline_read = cpu_to_le32(offer->inline_read);
	req->inline_write = cpu_to_le32(offer->inline_write);
}

/**
 * rblk_proto_reject_text() - the reason of a refusal in words
 * @reason: enum rblk_wire_reject
 *
 * Context: any.
 * Return: a sentence, for an unknown reason, too.
 */
const char *rblk_proto_reject_text(u16 reason)
{
	switch (reason) {
	case RBLK_REJ_MALFORMED:
		return "the target did not understand the request";
	case RBLK_REJ_VERSION:
		return "the target speaks no common protocol version";
	case RBLK_REJ_LIMITS:
		return "the target refuses these limits (queues, depth or sizes)";
	case RBLK_REJ_NO_SESSION:
		return "the target does not know the session";
	case RBLK_REJ_STALE_EPOCH:
		return "the target knows a newer epoch of the session";
	case RBLK_REJ_DUPLICATE:
		return "the target has this connection already";
	case RBLK_REJ_NO_RESOURCES:
		return "the target's system is out of memory or queue pairs";
	case RBLK_REJ_DEVICE:
		return "the target's RDMA device has too small queues, or is not the session's";
	case RBLK_REJ_GOING_AWAY:
		return "the target's portal is being removed";
	case RBLK_REJ_HALF_OPEN:
		return "the target has too many connections that have not logged in yet";
	case RBLK_REJ_MEMORY:
		return "the target's memory for hosts, or for this one, is used up";
	case RBLK_REJ_PAUSED:
		return "the target is paused";
	case RBLK_REJ_NO_MR:
		return "the target's RDMA device lacks fast memory registration";
	case RBLK_REJ_NO_MR_PAGE:
		return "the target's RDMA device lacks a page size of 4 KiB up to its kernel's";
	case RBLK_REJ_NO_READ:
		return "the target's RDMA device lacks RDMA READ";
	default:
		return "the target refused for an unknown reason";
	}
}

/**
 * rblk_proto_ctl_text() - the status of a control reply in words
 * @status: enum rblk_wire_ctl_status
 *
 * Context: any.
 * Return: a sentence, for an unknown status, too.
 */
const char *rblk_proto_ctl_text(u16 status)
{
	static const char * const text[] = {
		[RBLK_CTL_OK] = "success",
		[RBLK_CTL_AGAIN] = "I/O of the export's former holder has not ended yet",
		[RBLK_CTL_MALFORMED] = "the target did not understand the request",
		[RBLK_CTL_NO_EXPORT] = "the target has no such export",
		[RBLK_CTL_DENIED] = "this host is not allowed to attach the export",
		[RBLK_CTL_BUSY] = "the export is held by another host",
		[RBLK_CTL_NOT_SHARED] = "sharing was asked for on one side only",
		[RBLK_CTL_READ_ONLY] = "the export is read-only",
		[RBLK_CTL_NO_RESOURCES] = "the target is out of memory or handles",
		[RBLK_CTL_AUTH] = "the target takes only hosts that prove their key",
		[RBLK_CTL_AUTH_CONTINUE] = "the target asks for an authentication",
		[RBLK_CTL_BAD_KEY] = "the target refused the session key",
		[RBLK_CTL_NO_VOLUME] = "the target does not know the volume",
		[RBLK_CTL_ATTACHED] = "this session has the export attached already",
		[RBLK_CTL_WRONG_UUID] = "the export has another UUID now",
		[RBLK_CTL_GOING_AWAY] = "the target is going away",
		[RBLK_CTL_FENCED] =
			"another host has had the export to write since, or this host was fenced",
		[RBLK_CTL_SESSIONS] = "the target lets this host have no more sessions",
		[RBLK_CTL_MEMORY] = "this does not fit into the target's memory for hosts",
		[RBLK_CTL_OTHER_HOST] = "another machine is logged in under this host's UUID",
		[RBLK_CTL_NOTHING] = "the target has no export for this host",
		[RBLK_CTL_NOT_KEPT] =
			"the target can't record this host as the new writer, or the reservation",
		[RBLK_CTL_KEY_UNKNOWN] = "no export of the target allows this host's key",
		[RBLK_CTL_NO_KEY] = "the target has no key",
		[RBLK_CTL_STALE_EPOCH] = "the target knows a newer epoch of the session",
		[RBLK_CTL_CONFLICT] = "registrations or the reservation of another host forbid it",
		[RBLK_CTL_WRONG_TYPE] = "the export's reservation has another type",
		[RBLK_CTL_OLD_CHANGE] = "the target knows a later change by this device",
	};

	if (status >= ARRAY_SIZE(text))
		return "the target answered with an unknown status";
	return text[status];
}

/**
 * rblk_proto_status() - translate a response's status for the block layer
 * @status: enum rblk_wire_status
 *
 * Context: any.
 * Return: the block layer's status, BLK_STS_IOERR for an unknown one.
 */
blk_status_t rblk_proto_status(u16 status)
{
	switch (status) {
#define MAP(name, value, blk) case value: return blk;
	RBLK_STATUS_TABLE(MAP)
#undef MAP
	}
	return BLK_STS_IOERR;
}

/**
 * rblk_proto_command_message() - fill in the header of a message of commands
 * @hdr: filled in
 * @count: commands that follow; 1 with inline data
 * @inline_bytes: bytes of data at RBLK_WIRE_DATA_OFFSET, or 0
 *
 * Context: any.
 * Return: bytes of the message, without the data.
 */
u32 rblk_proto_command_message(struct rblk_wire_hdr *hdr, u8 count,
			       u32 inline_bytes)
{
	u32 bytes = sizeof(*hdr) + count * sizeof(struct rblk_wire_cmd);

	hdr->type = RBLK_MSG_COMMAND;
	hdr->count = count;
	hdr->flags = 0;
	if (inline_bytes) {
		bytes = RBLK_WIRE_DATA_OFFSET;
		hdr->flags = cpu_to_le16(RBLK_HDRF_DATA);
	}
	hdr->length = cpu_to_le32(bytes + inline_bytes);
	return bytes;
}

/**
 * rblk_proto_encode_command() - encode one command
 * @cmd: filled in whole
 * @c: the command
 *
 * Context: any.
 */
void rblk_proto_encode_command(struct rblk_wire_cmd *cmd,
			       const struct rblk_command *c)
{
	cmd->op = c->op;
	cmd->reserved = 0;
	cmd->flags = cpu_to_le16(c->flags);
	cmd->tag = cpu_to_le16(c->tag);
	cmd->gen = cpu_to_le16(c->gen);
	cmd->volume = cpu_to_le32(c->volume);
	cmd->length = cpu_to_le32(c->length);
	cmd->lba = cpu_to_le64(c->lba);
	cmd->addr = cpu_to_le64(c->addr);
	cmd->rkey = cpu_to_le32(c->rkey);
	cmd->digest = cpu_to_le32(c->digest);
	cmd->prio = cpu_to_le16(c->prio);
	memset(cmd->reserved2, 0, sizeof(cmd->reserved2));
}

/**
 * rblk_proto_encode_ctl() - encode the start of a control message
 * @ctl: filled in
 * @type: enum rblk_wire_msg
 * @bytes: length of the whole message
 * @xid: the reply repeats it
 *
 * Context: any.
 * Return: @bytes.
 */
u32 rblk_proto_encode_ctl(struct rblk_wire_ctl *ctl, u8 type, u32 bytes, u32 xid)
{
	memset(ctl, 0, sizeof(*ctl));
	ctl->hdr.type = type;
	ctl->hdr.count = 1;
	ctl->hdr.length = cpu_to_le32(bytes);
	ctl->xid = cpu_to_le32(xid);
	return bytes;
}
