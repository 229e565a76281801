// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an honest target answers to connection requests and control messages.
 */
#include <string.h>
#include "target.h"

/* A target that stands still for less than this and a quarter is not lost. */
#define KEEPALIVE_MS	3000

static const uint8_t identity[RBLK_WIRE_UUID_LEN] = "fake export";

/* The last byte is the export's number. */
static void name_uuid(uint8_t uuid[RBLK_WIRE_UUID_LEN], unsigned int export)
{
	memcpy(uuid, identity, sizeof(identity));
	uuid[RBLK_WIRE_UUID_LEN - 1] = export;
}

static uint32_t at_most(uint32_t asked, uint32_t limit)
{
	return asked < limit ? asked : limit;
}

/**
 * reply_acceptance - grant a connection
 * @req: what was asked
 * @rep: filled in
 * @batch: commands taken in one message
 */
void reply_acceptance(const struct rblk_wire_cm_req *req, struct rblk_wire_cm_rep *rep,
		      unsigned int batch)
{
	rep->magic = htole32(RBLK_WIRE_MAGIC);
	rep->size = htole16(sizeof(*rep));
	rep->version = RBLK_WIRE_VERSION;
	rep->nr_queues = htole16(at_most(le16toh(req->nr_queues), MAX_QUEUES));
	rep->depth = htole16(at_most(le16toh(req->depth), MAX_DEPTH));
	rep->max_batch = htole16(batch);
	rep->max_io = htole32(at_most(le32toh(req->max_io), MAX_IO));
	rep->inline_read = htole32(at_most(le32toh(req->inline_read), 4096));
	rep->inline_write = htole32(at_most(le32toh(req->inline_write), 4096));
}

static void login(void *buf, uint32_t xid)
{
	struct rblk_wire_login_reply *r;

	r = message_ctl(buf, RBLK_MSG_LOGIN_REPLY, sizeof(*r), xid, 0);
	r->key = htole64(0x6b6579);
	memcpy(r->target, "fake target", 11);
	strcpy(r->target_name, "fake");
	r->keepalive_ms = htole32(KEEPALIVE_MS);
}

static void list(void *buf, uint32_t xid)
{
	struct rblk_wire_list_reply *r;

	r = message_ctl(buf, RBLK_MSG_LIST_REPLY, sizeof(*r) + sizeof(r->entry[0]),
			xid, 0);
	r->nr = htole32(1);
	strcpy(r->entry[0].name, EXPORT_NAME "0");
	memcpy(r->entry[0].uuid, identity, sizeof(identity));
	r->entry[0].capacity = htole64(DISK_BYTES);
	r->entry[0].block_size = htole32(BLOCK);
}

static void attach(struct fake *f, void *buf, const struct rblk_wire_attach *req)
{
	unsigned int export = (uint8_t)req->name[strlen(EXPORT_NAME)] % EXPORTS;
	uint32_t xid = le32toh(req->ctl.xid);
	struct rblk_wire_attach_reply *r;

	r = message_ctl(buf, RBLK_MSG_ATTACH_REPLY, sizeof(*r), xid, 0);
	name_uuid(r->uuid, export);
	r->capacity = htole64(DISK_BYTES);
	r->volume = htole32(++f->volume);
	f->export[f->volume % HANDLES] = export;
	r->flags = htole32(RBLK_EXPF_WRITE_CACHE | RBLK_EXPF_FUA);
	if (req->flags & htole32(RBLK_ATTACHF_DIGEST))
		r->flags |= htole32(RBLK_EXPF_DIGEST);
	r->logical_block = htole32(BLOCK);
	r->physical_block = htole32(4096);
	/* A large one would not wait for others at the host. */
	r->max_discard = htole32(f->act && f->act->batch ? 64 << 10 : 1 << 20);
	r->discard_granularity = htole32(4096);
	r->max_write_zeroes = htole32(1 << 20);
}

static void bound(void *buf, uint32_t xid)
{
	message_ctl(buf, RBLK_MSG_BIND_REPLY, sizeof(struct rblk_wire_bind_reply),
		    xid, 0);
}

/**
 * reply_control - answer a control message, or BIND
 * @l: where it came
 * @msg: it
 * @len: its bytes
 */
void reply_control(struct link *l, const void *msg, size_t len)
{
	const struct rblk_wire_ctl *ctl = msg;
	static char buf[SEND_ROOM];
	struct out o = { .link = l, .buf = buf };
	uint32_t xid;

	if (len < sizeof(*ctl)) {
		l->hang_up = true;
		return;
	}
	xid = le32toh(ctl->xid);
	switch (ctl->hdr.type) {
	case RBLK_MSG_LOGIN:
		login(buf, xid);
		if (keyed_login(l, msg, buf))
			return;
		break;
	case RBLK_MSG_BIND:
		bound(buf, xid);
		break;
	case RBLK_MSG_LIST:
		list(buf, xid);
		break;
	case RBLK_MSG_ATTACH:
		attach(l->fake, buf, msg);
		if (!l->fake->act || !l->fake->act->many)
			break;
		many_hold(l, buf);
		return;
	default:
		message_ctl(buf, ctl->hdr.type + 1, sizeof(*ctl), xid, 0);
	}
	o.type = ctl->hdr.type + 1;
	o.len = message_len(buf);
	link_send(&o);
}
