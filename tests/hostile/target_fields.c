// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts that are one field: at and beyond its limits.
 */
#include <string.h>
#include "target.h"

/* The first attach, or discover, meets it, every time. */
#define ACCEPT(id, field, number, reason)				\
	{ .name = "accept-" id, .at = ACCEPTANCE, .again = true,	\
	  .control = true, .expect = FAILS, .words = reason,		\
	  .patch = { FIELD(cm_rep, field, number) } }
#define LOGIN(id, field, number, reason)				\
	{ .name = "login-" id, .at = RBLK_MSG_LOGIN_REPLY,		\
	  .again = true, .expect = FAILS, .words = reason,		\
	  .patch = { FIELD(login_reply, field, number) } }
#define ATTACH(id, field, number, reason)				\
	{ .name = "attach-" id, .at = RBLK_MSG_ATTACH_REPLY,		\
	  .again = true, .expect = FAILS, .words = reason,		\
	  .patch = { FIELD(attach_reply, field, number) } }
#define LIST(id, field, number, reason)					\
	{ .name = "list-" id, .at = RBLK_MSG_LIST_REPLY,		\
	  .again = true, .expect = LISTS, .words = reason,		\
	  .patch = { FIELD(list_reply, field, number) } }
/* Tolerable, if odd: all works. */
#define ODD(id, type, msg, field, number)				\
	{ .name = id, .at = msg, .again = true, .expect = HARMLESS,	\
	  .patch = { FIELD(type, field, number) } }
/* In answer to a read or write, once. */
#define RESPONSE(id, field, number, reason)				\
	{ .name = "response-" id, .at = RBLK_MSG_RESPONSE,		\
	  .expect = RECOVERS, .words = reason,				\
	  .patch = { { sizeof(struct rblk_wire_hdr) +			\
		       offsetof(struct rblk_wire_rsp, field),		\
		       sizeof(((struct rblk_wire_rsp *)0)->field),	\
		       number } } }
#define HEADER(id, field, number, reason)				\
	{ .name = "response-" id, .at = RBLK_MSG_RESPONSE,		\
	  .expect = RECOVERS, .words = reason,				\
	  .patch = { FIELD(hdr, field, number) } }
#define KEEPALIVE(id, field, number, reason)				\
	{ .name = "keepalive-" id, .at = RBLK_MSG_KEEPALIVE_REPLY,	\
	  .expect = RECOVERS, .words = reason,				\
	  .patch = { FIELD(ctl, field, number) } }
/* In the attach after a loss, every time. */
#define LATER(id, field, number, reason)				\
	{ .name = "later-" id, .at = RBLK_MSG_ATTACH_REPLY,		\
	  .again = true, .late = true, .expect = EXPIRES,		\
	  .words = reason,						\
	  .patch = { FIELD(attach_reply, field, number) } }
#define LATER_ACCEPT(id, field, number, reason)				\
	{ .name = "later-" id, .at = ACCEPTANCE, .control = true,	\
	  .again = true, .late = true, .expect = EXPIRES,		\
	  .words = reason,						\
	  .patch = { FIELD(cm_rep, field, number) } }

#define MORE	"granted more than was asked"

/* The low bytes of a name: an escape sequence that clears a terminal. */
#define ESCAPE	0x4a325b1bu

static void long_name(struct fake *f, struct out *o)
{
	(void)f;
	switch (o->type) {
	case RBLK_MSG_LOGIN_REPLY:
		memset(((struct rblk_wire_login_reply *)o->buf)->target_name,
		       'a', RBLK_WIRE_NAME_LEN);
		break;
	case RBLK_MSG_LIST_REPLY:
		memset(((struct rblk_wire_list_reply *)o->buf)->entry[0].name,
		       'a', RBLK_WIRE_NAME_LEN);
		break;
	default:
		memset(((struct rblk_wire_attach_reply *)o->buf)->holder,
		       'a', RBLK_WIRE_NAME_LEN);
	}
}

static void busy(struct out *o, const char *holder)
{
	struct rblk_wire_attach_reply *r = (void *)o->buf;

	memset(r->uuid, 0, sizeof(*r) - sizeof(r->ctl));
	r->ctl.status = htole16(RBLK_CTL_BUSY);
	strcpy(r->holder, holder);
}

static void holder_escape(struct fake *f, struct out *o)
{
	(void)f;
	busy(o, "\033[2J");
}

static void holder_shell(struct fake *f, struct out *o)
{
	(void)f;
	busy(o, "$(reboot)");
}

static void plain_busy(struct fake *f, struct out *o)
{
	(void)f;
	busy(o, "somebody");
}

static void no_uuid(struct fake *f, struct out *o)
{
	(void)f;
	memset(((struct rblk_wire_attach_reply *)o->buf)->uuid, 0,
	       RBLK_WIRE_UUID_LEN);
}

static void other_uuid(struct fake *f, struct out *o)
{
	(void)f;
	((struct rblk_wire_attach_reply *)o->buf)->uuid[15] ^= 1;
}

static void again(struct fake *f, struct out *o)
{
	struct rblk_wire_attach_reply *r = (void *)o->buf;

	(void)f;
	memset(r->uuid, 0, sizeof(*r) - sizeof(r->ctl));
	r->ctl.status = htole16(RBLK_CTL_AGAIN);
}

static void stray_refusal(struct fake *f, struct out *o)
{
	(void)f;
	((struct rblk_wire_ctl *)o->buf)->status = htole16(RBLK_CTL_DENIED);
}

static void odd_refusal(struct fake *f, struct out *o)
{
	struct rblk_wire_attach_reply *r = (void *)o->buf;

	(void)f;
	memset(r->uuid, 0, sizeof(*r) - sizeof(r->ctl));
	r->ctl.status = htole16(0x7fff);
}

/* More entries than a list was asked to go on from. */
static void endless_list(struct fake *f, struct out *o)
{
	struct rblk_wire_list_reply *r = (void *)o->buf;

	r->next = htole32(f->done);
}

const struct act field_acts[] = {
	ACCEPT("magic", magic, 0x11111111, "no rblk target"),
	ACCEPT("version", version, 9, "protocol version that was not offered"),
	ACCEPT("size", size, 32, "acceptance is malformed"),
	ACCEPT("size-huge", size, 0xffff, "acceptance is malformed"),
	ACCEPT("reserved", reserved, 1, "acceptance is malformed"),
	ACCEPT("reserved2", reserved2, 0x8000, "acceptance is malformed"),
	ACCEPT("queues-none", nr_queues, 0, "no I/O connection"),
	ACCEPT("queues-huge", nr_queues, 0xffff, MORE),
	ACCEPT("depth-zero", depth, 0, "too few outstanding"),
	ACCEPT("depth-small", depth, 3, "too few outstanding"),
	ACCEPT("depth-huge", depth, 0xffff, MORE),
	ACCEPT("batch-zero", max_batch, 0, "unusable batch"),
	ACCEPT("batch-huge", max_batch, 17, "unusable batch"),
	ACCEPT("features", features, 0xffffffff, MORE),
	ACCEPT("max-io-zero", max_io, 0, "unusable maximum I/O"),
	ACCEPT("max-io-odd", max_io, 65536 + 512, "unusable maximum I/O"),
	ACCEPT("max-io-huge", max_io, 0xffff0000, MORE),
	ACCEPT("inline-read", inline_read, 8192, MORE),
	ACCEPT("inline-write", inline_write, 0xffffffff, MORE),
	ODD("accept-depth-least", cm_rep, ACCEPTANCE, depth, 4),
	ODD("accept-inline-none", cm_rep, ACCEPTANCE, inline_write, 0),
	ODD("accept-inline-odd", cm_rep, ACCEPTANCE, inline_write, 1000),
	ODD("accept-max-io-least", cm_rep, ACCEPTANCE, max_io, 65536),
	LOGIN("keepalive-zero", keepalive_ms, 0, "absurd keepalive"),
	LOGIN("keepalive-huge", keepalive_ms, 0xffffffff, "absurd keepalive"),
	LOGIN("challenge", auth_len, 129, "overlong challenge"),
	LOGIN("reserved", reserved, 1, "bad name or reserved"),
	LOGIN("name-escape", target_name[0], ESCAPE & 0xff, "bad name"),
	LOGIN("name-shell", target_name[0], '`', "bad name"),
	LOGIN("xid", ctl.xid, 0x12345678, "another request"),
	LOGIN("type", ctl.hdr.type, RBLK_MSG_LIST_REPLY, "another kind"),
	LOGIN("refused", ctl.status, RBLK_CTL_AUTH, "only hosts that prove their key"),
	LOGIN("status-unknown", ctl.status, 0xffff, "unknown status"),
	LOGIN("count", ctl.hdr.count, 2, "count, flag or reserved"),
	LOGIN("flags", ctl.hdr.flags, 1, "count, flag or reserved"),
	LOGIN("ctl-reserved", ctl.reserved, 1, "count, flag or reserved"),
	{ .name = "login-name-long", .at = RBLK_MSG_LOGIN_REPLY, .again = true,
	  .expect = FAILS, .words = "bad name", .spoil = long_name },
	ATTACH("capacity-zero", capacity, 0, "unusable capacity"),
	ATTACH("capacity-odd", capacity, 1000001, "unusable capacity"),
	ATTACH("capacity-huge", capacity, ~0ull << 12, "unusable capacity"),
	ATTACH("block-zero", logical_block, 0, "logical block size"),
	ATTACH("block-3", logical_block, 3, "logical block size"),
	ATTACH("block-256", logical_block, 256, "logical block size"),
	ATTACH("block-65536", logical_block, 65536, "logical block size"),
	ATTACH("physical-odd", physical_block, 4097, "physical block size"),
	ATTACH("physical-small", physical_block, 256, "physical block size"),
	ATTACH("flags", flags, 0x100, "unknown flags"),
	ATTACH("digest", flags, RBLK_EXPF_DIGEST, "digest that was not asked for"),
	ATTACH("io-min", io_min, 1, "not whole blocks"),
	ATTACH("io-opt", io_opt, 513, "not whole blocks"),
	ATTACH("discard", max_discard, 0xffffffff, "not whole blocks"),
	ATTACH("granularity", discard_granularity, 7, "not whole blocks"),
	ATTACH("alignment", discard_alignment, 1, "not whole blocks"),
	ATTACH("zeroes", max_write_zeroes, 0xfffffffe, "not whole blocks"),
	ATTACH("holder", holder[0], 'x', "stray holder"),
	ATTACH("xid", ctl.xid, 0, "another request"),
	ATTACH("length", ctl.hdr.length, 145, "length differs"),
	{ .name = "attach-uuid-zero", .at = RBLK_MSG_ATTACH_REPLY, .again = true,
	  .expect = FAILS, .words = "without a UUID", .spoil = no_uuid },
	{ .name = "attach-holder-long", .at = RBLK_MSG_ATTACH_REPLY, .again = true,
	  .expect = FAILS, .words = "bad holder name", .spoil = long_name },
	{ .name = "attach-holder-escape", .at = RBLK_MSG_ATTACH_REPLY,
	  .again = true, .expect = FAILS, .words = "bad holder name",
	  .spoil = holder_escape },
	{ .name = "attach-holder-shell", .at = RBLK_MSG_ATTACH_REPLY,
	  .again = true, .expect = FAILS, .words = "bad holder name",
	  .spoil = holder_shell },
	{ .name = "attach-busy", .at = RBLK_MSG_ATTACH_REPLY, .again = true,
	  .expect = FAILS, .words = "held by host somebody", .spoil = plain_busy },
	{ .name = "attach-again", .at = RBLK_MSG_ATTACH_REPLY, .again = true,
	  .expect = FAILS, .words = "former holder has not ended", .spoil = again,
	  .long_form = true },
	{ .name = "attach-refusal-stray", .at = RBLK_MSG_ATTACH_REPLY,
	  .again = true, .expect = FAILS, .words = "stray field",
	  .spoil = stray_refusal },
	{ .name = "attach-status-unknown", .at = RBLK_MSG_ATTACH_REPLY,
	  .again = true, .expect = FAILS, .words = "unknown status",
	  .spoil = odd_refusal },
	ODD("attach-capacity-most", attach_reply, RBLK_MSG_ATTACH_REPLY,
	    capacity, (1ull << 63) - 4096),
	ODD("attach-limits-none", attach_reply, RBLK_MSG_ATTACH_REPLY,
	    max_discard, 0),
	ODD("attach-limits-huge", attach_reply, RBLK_MSG_ATTACH_REPLY,
	    io_opt, 0xfffffe00),
	ODD("attach-physical-huge", attach_reply, RBLK_MSG_ATTACH_REPLY,
	    physical_block, 1u << 31),
	ODD("attach-granularity-huge", attach_reply, RBLK_MSG_ATTACH_REPLY,
	    discard_granularity, 0xfffffe00),
	LIST("count-huge", nr, 0xffffffff, "too many entries"),
	LIST("count-short", nr, 2, "wrong length"),
	LIST("leads-nowhere", next, 0xffffffff, "leads nowhere"),
	LIST("name-empty", entry[0].name[0], 0, "malformed entry"),
	LIST("name-escape", entry[0].name[0], 0x1b, "malformed entry"),
	LIST("name-shell", entry[0].name[0], '$', "malformed entry"),
	LIST("name-space", entry[0].name[1], ' ', "malformed entry"),
	LIST("name-slash", entry[0].name[1], '/', "malformed entry"),
	LIST("flags", entry[0].flags, 0x80000000, "malformed entry"),
	{ .name = "list-name-long", .at = RBLK_MSG_LIST_REPLY, .again = true,
	  .expect = LISTS, .words = "malformed entry", .spoil = long_name },
	{ .name = "list-endless", .at = RBLK_MSG_LIST_REPLY, .again = true,
	  .expect = LISTS, .words = "no end|never ends|does not end",
	  .spoil = endless_list },
	RESPONSE("tag-wild", tag, 0xffff, "tag out of range"),
	RESPONSE("tag-depth", tag, MAX_DEPTH, "tag out of range"),
	RESPONSE("generation", gen, 0xabcd, "another generation"),
	RESPONSE("status-unknown", status, 0x1234, "unknown status"),
	RESPONSE("length-none", length, 0, "wrong length"),
	RESPONSE("length-huge", length, 0xffffffff, "wrong length"),
	RESPONSE("error-with-length", status, RBLK_STATUS_MEDIUM, "wrong length"),
	RESPONSE("flags", flags, RBLK_RSPF_DIGEST, "digest where none"),
	RESPONSE("flags-unknown", flags, 0x8000, "digest where none"),
	RESPONSE("digest", digest, 1, "digest where none"),
	RESPONSE("reserved", reserved, 1, "reserved field"),
	HEADER("count-zero", count, 0, "message of nothing"),
	HEADER("count-two", count, 2, "count and length"),
	HEADER("count-many", count, 255, "too many responses"),
	HEADER("type", type, RBLK_MSG_COMMAND, "not a response"),
	HEADER("type-event", type, RBLK_MSG_EVENT, "not a response"),
	HEADER("header-flags", flags, 0x8000, "unknown header flag"),
	HEADER("header-length", length, 39, "length differs"),
	HEADER("stray-data", flags, RBLK_HDRF_DATA, "inline data"),
	KEEPALIVE("xid", xid, 99999, "another request"),
	KEEPALIVE("type", hdr.type, RBLK_MSG_DETACH_REPLY, "another kind"),
	KEEPALIVE("reserved", reserved, 1, "reserved field"),
	LATER("capacity-smaller", capacity, DISK_BYTES / 2, "shrunk"),
	LATER("block-size", logical_block, 4096, "block size changed"),
	LATER("cache-lost", flags, 0, "write cache"),
	LATER_ACCEPT("queues-fewer", nr_queues, 1, "grants less"),
	LATER_ACCEPT("depth-smaller", depth, 4, "grants less"),
	LATER_ACCEPT("max-io-smaller", max_io, 65536, "grants less"),
	LATER_ACCEPT("magic", magic, 0, "no rblk target"),
	{ .name = "later-uuid", .at = RBLK_MSG_ATTACH_REPLY, .again = true,
	  .late = true, .expect = EXPIRES, .words = "another UUID",
	  .spoil = other_uuid },
	{ .name = "later-busy", .at = RBLK_MSG_ATTACH_REPLY, .again = true,
	  .late = true, .expect = EXPIRES, .words = "held by host somebody",
	  .spoil = plain_busy },
	{ .name = "later-again", .at = RBLK_MSG_ATTACH_REPLY, .again = true,
	  .late = true, .expect = EXPIRES, .words = "former holder",
	  .spoil = again },
	{ .name = "later-capacity-larger", .at = RBLK_MSG_ATTACH_REPLY,
	  .again = true, .late = true, .expect = RECOVERS,
	  .words = "closed|flushed|error",
	  .patch = { FIELD(attach_reply, capacity, 2 * DISK_BYTES) } },
	{ .name = NULL },
};
