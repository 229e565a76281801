// SPDX-License-Identifier: GPL-2.0-only
/* Checks of the messages that the initiator receives; see proto.h. */
#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#include "proto.h"

/* The bytes between a response and its data are reserved, too. */
#define RESPONSE_GAP	(RBLK_WIRE_DATA_OFFSET -			\
			 sizeof(struct rblk_wire_hdr) -			\
			 sizeof(struct rblk_wire_rsp))

/* Are reserved bytes zero?  A later version may give them a meaning. */
static bool all_zero(const void *data, size_t bytes)
{
	return !memchr_inv(data, 0, bytes);
}

static bool is_power_of_two(u32 v)
{
	return v && !(v & (v - 1));
}

/* An empty field counts as a name here. */
static bool name_is_valid(const char *name)
{
	return rblk_name_ok(name) || all_zero(name, RBLK_NAME_LEN);
}

/* Refuse a grant with which I/O connections can't work. */
static const char *check_grant(const struct rblk_grant *g,
			       const struct rblk_offer *offer)
{
	if (g->nr_queues > offer->nr_queues || g->depth > offer->depth ||
	    g->features & ~offer->features || g->max_io > offer->max_io ||
	    g->inline_read > offer->inline_read ||
	    g->inline_write > offer->inline_write)
		return "the target granted more than was asked for";
	if (offer->nr_queues && !g->nr_queues)
		return "the target granted no I/O connection";
	if (g->depth < RBLK_WIRE_MIN_DEPTH)
		return "the target granted too few outstanding commands";
	if (g->max_io < RBLK_WIRE_MIN_IO || g->max_io % RBLK_WIRE_MIN_IO)
		return "the target granted an unusable maximum I/O size";
	if (!g->max_batch || g->max_batch > RBLK_WIRE_MAX_BATCH)
		return "the target granted an unusable batch size";
	return NULL;
}

/**
 * rblk_proto_check_cm_rep() - check the private data of the target's acceptance
 * @data: as delivered by rdma_cm, possibly zero-padded
 * @bytes: length of @data
 * @offer: what this side asked for
 * @grant: filled in if NULL is returned
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_cm_rep(const void *data, size_t bytes,
				    const struct rblk_offer *offer,
				    struct rblk_grant *grant)
{
	const struct rblk_wire_cm_rep *rep = data;

	if (!data || bytes < sizeof(*rep) ||
	    rep->magic != cpu_to_le32(RBLK_WIRE_MAGIC))
		return "the peer accepted but is no rblk target";
	if (rep->version != RBLK_WIRE_VERSION)
		return "the target chose a protocol version that was not offered";
	if (le16_to_cpu(rep->size) != sizeof(*rep) || rep->reserved ||
	    rep->reserved2 || !all_zero(rep->reserved3, sizeof(rep->reserved3)))
		return "the target's acceptance is malformed";
	grant->nr_queues = le16_to_cpu(rep->nr_queues);
	grant->depth = le16_to_cpu(rep->depth);
	grant->max_batch = le16_to_cpu(rep->max_batch);
	grant->features = le32_to_cpu(rep->features);
	grant->max_io = le32_to_cpu(rep->max_io);
	grant->inline_read = le32_to_cpu(rep->inline_read);
	grant->inline_write = le32_to_cpu(rep->inline_write);
	return check_grant(grant, offer);
}

/**
 * rblk_proto_check_cm_rej() - check the private data of a refusal
 * @data: as delivered by rdma_cm, possibly zero-padded
 * @bytes: length of @data
 * @rej: copied out if NULL is returned
 *
 * Context: any.
 * Return: NULL, or what is wrong: then something other than an rblk target
 * refused, such as a host without a listener, or the target is broken.
 */
const char *rblk_proto_check_cm_rej(const void *data, size_t bytes,
				    struct rblk_wire_cm_rej *rej)
{
	const struct rblk_wire_cm_rej *in = data;

	if (!data || bytes < sizeof(*in) ||
	    in->magic != cpu_to_le32(RBLK_WIRE_MAGIC) ||
	    le16_to_cpu(in->size) < sizeof(*in) ||
	    le16_to_cpu(in->size) > bytes || in->version_min > in->version_max)
		return "not refused by an rblk target";
	/* A target of another version may use reserved fields. */
	if (in->version_min <= RBLK_WIRE_VERSION &&
	    in->version_max >= RBLK_WIRE_VERSION &&
	    (in->reserved ||
	     (in->away_ms && in->reason != cpu_to_le16(RBLK_REJ_PAUSED))))
		return "the target's refusal is malformed";
	*rej = *in;
	return NULL;
}

static const char *check_hdr(const struct rblk_arrival *msg, u32 least)
{
	const struct rblk_wire_hdr *hdr = msg->data;

	if (msg->bytes < least)
		return "message shorter than its kind";
	if (le32_to_cpu(hdr->length) != msg->bytes)
		return "message length differs from its header";
	if (!hdr->count)
		return "message of nothing";
	return NULL;
}

/**
 * rblk_proto_check_response_message() - check a message of an I/O connection
 * @msg: the message; the connection is bound
 *
 * After NULL the caller may read as many responses as the header counts, and
 * checks each by rblk_proto_check_response().
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_response_message(const struct rblk_arrival *msg)
{
	const struct rblk_wire_hdr *hdr = msg->data;
	const char *wrong = check_hdr(msg, sizeof(*hdr) +
				      sizeof(struct rblk_wire_rsp));
	u16 flags;

	if (wrong)
		return wrong;
	flags = le16_to_cpu(hdr->flags);
	if (hdr->type != RBLK_MSG_RESPONSE)
		return "not a response on an I/O connection";
	if (flags & ~RBLK_HDRF_DATA)
		return "unknown header flag";
	if (hdr->count > RBLK_WIRE_MAX_BATCH)
		return "too many responses in one message";
	if (flags & RBLK_HDRF_DATA) {
		if (hdr->count != 1 || msg->bytes <= RBLK_WIRE_DATA_OFFSET)
			return "inline data without room for it";
		if (!all_zero(msg->data + sizeof(*hdr) +
			      sizeof(struct rblk_wire_rsp), RESPONSE_GAP))
			return "gap before inline data not zero";
		return NULL;
	}
	if (msg->bytes != sizeof(*hdr) + hdr->count * sizeof(struct rblk_wire_rsp))
		return "count and length of a message disagree";
	return NULL;
}

static bool known_status(u16 status)
{
	switch (status) {
#define KNOWN(name, value, blk) case value:
	RBLK_STATUS_TABLE(KNOWN)
#undef KNOWN
		return true;
	}
	return false;
}

static bool digest_fits(const struct rblk_wire_rsp *rsp, const struct rblk_awaited *want)
{
	u16 flags = le16_to_cpu(rsp->flags);

	if (want->digest_wanted && rsp->status == cpu_to_le16(RBLK_STATUS_OK))
		return flags == RBLK_RSPF_DIGEST;
	return !flags && !rsp->digest;
}

/**
 * rblk_proto_check_response() - check one response against its command
 * @rsp: the response
 * @msg: its message, already checked as such
 * @want: the outstanding command of this tag
 *
 * The message that answers a command must invalidate the command's rkey, and no
 * other message may: only then can the command be completed.
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_response(const struct rblk_wire_rsp *rsp,
				      const struct rblk_arrival *msg,
				      const struct rblk_awaited *want)
{
	const struct rblk_wire_hdr *hdr = msg->data;
	u16 status = le16_to_cpu(rsp->status);
	u32 length = le32_to_cpu(rsp->length);
	bool data = le16_to_cpu(hdr->flags) & RBLK_HDRF_DATA;

	if (le16_to_cpu(rsp->gen) != want->gen)
		return "response of another generation";
	if (!known_status(status))
		return "unknown status";
	if (status == RBLK_STATUS_DIGEST && !want->digest_sent)
		return "digest found wrong that was not sent";
	if (status == RBLK_STATUS_HELD && !want->may_hold)
		return "tag held that may not be";
	if (status != RBLK_STATUS_GONE && want->held)
		return "second response that does not free a held tag";
	if (length != (status == RBLK_STATUS_OK ? want->length : 0))
		return "response with a wrong length";
	if (rsp->reserved)
		return "reserved field of a response not zero";
	if (!digest_fits(rsp, want))
		return "digest where none was asked for, or none where it was";
	if (want->rkey && (!msg->invalidated || msg->rkey != want->rkey))
		return "response that does not invalidate its command's rkey";
	if (!want->rkey && msg->invalidated)
		return "response that invalidates a foreign rkey";
	if (data != (want->inline_data && status == RBLK_STATUS_OK))
		return "inline data where none was asked for, or none where it was";
	if (data && msg->bytes != RBLK_WIRE_DATA_OFFSET + want->length)
		return "inline data of a wrong length";
	return NULL;
}

/**
 * rblk_proto_check_immediate() - check an immediate against its command
 * @gen: generation in the immediate
 * @bytes: bytes that the RDMA WRITE wrote
 * @want: the outstanding command of the immediate's tag
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_immediate(u16 gen, u32 bytes,
				       const struct rblk_awaited *want)
{
	if (!want->immediate)
		return "immediate for a command that asked for none";
	if (gen != want->gen)
		return "immediate of another generation";
	if (bytes != want->length)
		return "immediate with data of a wrong length";
	return NULL;
}

/**
 * rblk_proto_check_ctl() - check what all control messages have in common
 * @msg: the message
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_ctl(const struct rblk_arrival *msg)
{
	const struct rblk_wire_ctl *ctl = msg->data;
	const char *wrong = check_hdr(msg, sizeof(*ctl));

	if (wrong)
		return wrong;
	/* While it is bound, an I/O connection has room for inline data. */
	if (msg->bytes > RBLK_WIRE_CTRL_MAX)
		return "control message longer than any";
	if (msg->invalidated)
		return "control message that invalidates an rkey";
	if (ctl->hdr.flags || ctl->hdr.count != 1 || ctl->reserved)
		return "control message with a count, flag or reserved field set";
	return NULL;
}

/**
 * rblk_proto_check_ctl_reply() - check a reply against its request
 * @msg: the message
 * @request: enum rblk_wire_msg of the request
 * @xid: xid of the request
 * @bytes: length of the whole reply
 *
 * The caller still has to look at the reply's status.
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_ctl_reply(const struct rblk_arrival *msg, u8 request,
				       u32 xid, u32 bytes)
{
	const struct rblk_wire_ctl *ctl = msg->data;
	const char *wrong = rblk_proto_check_ctl(msg);

	if (wrong)
		return wrong;
	if (ctl->hdr.type != request + 1)
		return "reply of another kind than the request";
	if (le32_to_cpu(ctl->xid) != xid)
		return "reply to another request";
	if (msg->bytes != bytes)
		return "reply of a wrong length";
	return NULL;
}

/**
 * rblk_proto_check_login_reply() - check a LOGIN_REPLY
 * @msg: the message
 * @xid: xid of the LOGIN
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_login_reply(const struct rblk_arrival *msg, u32 xid)
{
	const struct rblk_wire_login_reply *r = msg->data;
	const char *wrong = rblk_proto_check_ctl_reply(msg, RBLK_MSG_LOGIN, xid,
						       sizeof(*r));

	if (wrong)
		return wrong;
	if (!name_is_valid(r->target_name) || r->reserved)
		return "LOGIN reply with a bad name or reserved field";
	if (le16_to_cpu(r->auth_len) > sizeof(r->auth))
		return "LOGIN reply with an overlong challenge";
	if (r->ctl.status)
		return NULL;
	if (le32_to_cpu(r->keepalive_ms) < 100 ||
	    le32_to_cpu(r->keepalive_ms) > 3600 * 1000)
		return "LOGIN reply with an absurd keepalive time";
	return NULL;
}

/**
 * rblk_proto_check_list_reply() - check a LIST_REPLY and all of its entries
 * @msg: the message
 * @xid: xid of the LIST
 * @start: start of the LIST.  The reply must lead on from there: a caller that
 *         follows @next comes to an end
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_list_reply(const struct rblk_arrival *msg, u32 xid,
					u32 start)
{
	const struct rblk_wire_list_reply *r = msg->data;
	u32 nr, next, i;
	const char *wrong;

	if (msg->bytes < sizeof(*r))
		return "LIST reply too short";
	nr = le32_to_cpu(r->nr);
	next = le32_to_cpu(r->next);
	if (nr > RBLK_WIRE_LIST_MAX)
		return "LIST reply with too many entries";
	wrong = rblk_proto_check_ctl_reply(msg, RBLK_MSG_LIST, xid,
					   sizeof(*r) + nr * sizeof(r->entry[0]));
	if (wrong || r->ctl.status)
		return wrong;
	if (next && (!nr || next <= start))
		return "LIST reply that leads nowhere";
	for (i = 0; i < nr; i++)
		if (!rblk_name_ok(r->entry[i].name) ||
		    le32_to_cpu(r->entry[i].flags) & ~RBLK_EXPF_ALL)
			return "LIST reply with a malformed entry";
	return NULL;
}

static const char *check_geometry(const struct rblk_geometry *g)
{
	if (!is_power_of_two(g->logical_block) || g->logical_block < 512 ||
	    g->logical_block > 4096)
		return "export with an unusable logical block size";
	if (!is_power_of_two(g->physical_block) || g->physical_block < g->logical_block)
		return "export with an unusable physical block size";
	if (!g->capacity || g->capacity % g->logical_block ||
	    g->capacity > S64_MAX)
		return "export with an unusable capacity";
	if (g->flags & ~RBLK_EXPF_ALL)
		return "export with unknown flags";
	if (g->io_min % g->logical_block || g->io_opt % g->logical_block ||
	    g->max_discard % g->logical_block ||
	    g->discard_granularity % g->logical_block ||
	    g->discard_alignment % g->logical_block ||
	    g->max_write_zeroes % g->logical_block)
		return "export with limits that are not whole blocks";
	return NULL;
}

/* In a refusal all is zero; only a busy export has the name of its holder. */
static const char *check_attach_refusal(const struct rblk_wire_attach_reply *r)
{
	if (r->ctl.status != cpu_to_le16(RBLK_CTL_BUSY) && r->holder[0])
		return "ATTACH reply with a stray holder name";
	if (!all_zero(r->uuid, offsetof(struct rblk_wire_attach_reply, holder) -
			       offsetof(struct rblk_wire_attach_reply, uuid)) ||
	    r->tenure || r->right)
		return "refused ATTACH with a stray field";
	return NULL;
}

/**
 * rblk_proto_check_attach_reply() - check an ATTACH_REPLY
 * @msg: the message
 * @xid: xid of the ATTACH
 * @geo: filled in if NULL is returned and the status is OK
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_attach_reply(const struct rblk_arrival *msg, u32 xid,
					  struct rblk_geometry *geo)
{
	const struct rblk_wire_attach_reply *r = msg->data;
	const char *wrong = rblk_proto_check_ctl_reply(msg, RBLK_MSG_ATTACH, xid,
						       sizeof(*r));

	if (wrong)
		return wrong;
	if (!name_is_valid(r->holder))
		return "ATTACH reply with a bad holder name";
	if (r->ctl.status)
		return check_attach_refusal(r);
	/* All zeroes would mean "any" in the ATTACH after a reconnect. */
	if (r->holder[0] || all_zero(r->uuid, sizeof(r->uuid)))
		return "ATTACH reply with a stray holder or without a UUID";
	memcpy(geo->uuid, r->uuid, sizeof(geo->uuid));
	geo->capacity = le64_to_cpu(r->capacity);
	geo->volume = le32_to_cpu(r->volume);
	geo->flags = le32_to_cpu(r->flags);
	geo->logical_block = le32_to_cpu(r->logical_block);
	geo->physical_block = le32_to_cpu(r->physical_block);
	geo->io_min = le32_to_cpu(r->io_min);
	geo->io_opt = le32_to_cpu(r->io_opt);
	geo->max_discard = le32_to_cpu(r->max_discard);
	geo->discard_granularity = le32_to_cpu(r->discard_granularity);
	geo->discard_alignment = le32_to_cpu(r->discard_alignment);
	geo->max_write_zeroes = le32_to_cpu(r->max_write_zeroes);
	geo->tenure = le64_to_cpu(r->tenure);
	geo->right = le64_to_cpu(r->right);
	return check_geometry(geo);
}

/**
 * rblk_proto_check_event() - check an EVENT
 * @msg: the message
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_event(const struct rblk_arrival *msg)
{
	const struct rblk_wire_event *e = msg->data;
	const char *wrong = rblk_proto_check_ctl(msg);
	u64 capacity;
	u32 why;

	if (wrong)
		return wrong;
	if (e->ctl.hdr.type != RBLK_MSG_EVENT || msg->bytes != sizeof(*e))
		return "not an event, or one of a wrong length";
	why = le32_to_cpu(e->why);
	if (e->ctl.xid || e->ctl.status || e->reserved ||
	    (why && e->kind != cpu_to_le16(RBLK_EVENT_RESERVATION)))
		return "reserved field of an event not zero";
	capacity = le64_to_cpu(e->capacity);
	switch (le16_to_cpu(e->kind)) {
	case RBLK_EVENT_CAPACITY:
		return capacity && capacity <= S64_MAX && !e->duration_ms ?
		       NULL : "capacity event with an unusable size";
	case RBLK_EVENT_REMOVED:
		return capacity || e->duration_ms ?
		       "removal event with a stray field" : NULL;
	case RBLK_EVENT_GOING_AWAY:
		return capacity || e->volume ?
		       "going-away event with a stray field" : NULL;
	case RBLK_EVENT_RESERVATION:
		return capacity || e->duration_ms || !why || why & ~RBLK_RESV_ALL ?
		       "reservation event with a stray or missing field" : NULL;
	default:
		return "unknown event";
	}
}
