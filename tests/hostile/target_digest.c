// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data digests, written a second time from docs/protocol.md, and acts about them: a target
 * that offers none, has one nobody asked for, leaves it out, or lies.
 */
#include <string.h>
#include "target.h"

#define NONE	"offers no data digest"
#define STRAY	"digest where none was asked for, or none where it was"

/* CRC32C bit by bit: its polynomial has its lowest power in the highest bit here. */
static uint32_t crc32c(const char *data, size_t len)
{
	uint32_t crc = ~0u;
	unsigned int bit;

	while (len--) {
		crc ^= (uint8_t)*data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

/**
 * digest_answer - give a response the digest that its command asks for
 * @rsp: the response
 * @cmd: the command
 * @data: of a READ
 */
void digest_answer(struct rblk_wire_rsp *rsp, const struct rblk_wire_cmd *cmd,
		   const char *data)
{
	if (cmd->op != RBLK_OP_READ || !(le16toh(cmd->flags) & RBLK_CMDF_DIGEST))
		return;
	rsp->flags = htole16(RBLK_RSPF_DIGEST);
	rsp->digest = htole32(crc32c(data, le32toh(cmd->length)));
}

/**
 * digest_check - see that a WRITE's digest is that of its data, if it has one
 * @cmd: the command
 * @data: what has come
 */
void digest_check(const struct rblk_wire_cmd *cmd, const char *data)
{
	uint32_t want = crc32c(data, le32toh(cmd->length));

	if (le16toh(cmd->flags) & RBLK_CMDF_DIGEST && le32toh(cmd->digest) != want)
		report_die("a write with digest %08x that should have %08x",
			   le32toh(cmd->digest), want);
}

static struct rblk_wire_rsp *response(struct out *o)
{
	return (void *)(o->buf + sizeof(struct rblk_wire_hdr));
}

static void not_granted(struct fake *f, struct out *o)
{
	(void)f;
	((struct rblk_wire_attach_reply *)o->buf)->flags &= ~htole32(RBLK_EXPF_DIGEST);
}

static void not_offered(struct fake *f, struct out *o)
{
	(void)f;
	((struct rblk_wire_cm_rep *)o->buf)->features &= ~htole32(RBLK_FEAT_DIGEST);
}

static void left_out(struct fake *f, struct out *o)
{
	(void)f;
	response(o)->flags = 0;
	response(o)->digest = 0;
}

static void unmarked(struct fake *f, struct out *o)
{
	(void)f;
	response(o)->flags = 0;
	response(o)->digest = htole32(1);
}

static void wrong(struct fake *f, struct out *o)
{
	(void)f;
	response(o)->digest ^= htole32(1 << 31);
}

static void on_write(struct fake *f, struct out *o)
{
	(void)f;
	response(o)->flags = htole16(RBLK_RSPF_DIGEST);
	response(o)->digest = htole32(7);
}

static void on_error(struct fake *f, struct out *o)
{
	on_write(f, o);
	response(o)->status = htole16(RBLK_STATUS_MEDIUM);
	response(o)->length = 0;
}

/* The data changed on its way, says the target. */
static void refused(struct fake *f, struct out *o)
{
	(void)f;
	response(o)->flags = 0;
	response(o)->digest = 0;
	response(o)->status = htole16(RBLK_STATUS_DIGEST);
	response(o)->length = 0;
}

#define RESPONSE(id, of, how, reason)					\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .op = of, .digest = true,\
	  .expect = RECOVERS, .words = reason, .spoil = how }
#define FINE(id, of, how)						\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .op = of, .digest = true,\
	  .expect = HARMLESS, .spoil = how }
#define BAD(id, of, how)						\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .op = of, .digest = true,\
	  .again = true, .expect = ERRORS, .spoil = how }

const struct act digest_acts[] = {
	FINE("digest-honest", 0, NULL),
	FINE("digest-inline-honest", 0, NULL),
	{ .name = "digest-not-offered", .at = RBLK_MSG_RESPONSE, .expect = FAILS, .words = NONE },
	{ .name = "digest-not-granted", .at = RBLK_MSG_ATTACH_REPLY, .digest = true,
	  .again = true, .expect = FAILS, .words = NONE, .spoil = not_granted },
	{ .name = "digest-later-not-offered", .at = ACCEPTANCE, .digest = true, .again = true,
	  .late = true, .expect = EXPIRES, .words = "grants less|" NONE, .spoil = not_offered },
	{ .name = "digest-later-not-granted", .at = RBLK_MSG_ATTACH_REPLY, .digest = true,
	  .again = true, .late = true, .expect = EXPIRES, .words = NONE, .spoil = not_granted },
	RESPONSE("digest-left-out", RBLK_OP_READ, left_out, STRAY),
	RESPONSE("digest-unmarked", RBLK_OP_READ, unmarked, STRAY),
	RESPONSE("digest-on-write", RBLK_OP_WRITE, on_write, STRAY),
	RESPONSE("digest-on-error", RBLK_OP_READ, on_error, STRAY),
	RESPONSE("digest-refused-read", RBLK_OP_READ, refused, "digest found wrong that was not"),
	FINE("digest-wrong-once", RBLK_OP_READ, wrong),
	FINE("digest-refused-once", RBLK_OP_WRITE, refused),
	BAD("digest-wrong", RBLK_OP_READ, wrong),
	BAD("digest-refused", RBLK_OP_WRITE, refused),
	{ .name = NULL },
};
