// SPDX-License-Identifier: GPL-2.0-only
/*
 * I/O messages: every field of the header and of a command at its limits and
 * beyond.  Each ends its connection, and with it its session.
 */
#include <errno.h>
#include "host.h"

struct command_case {
	const char *name;
	int op;
	const char *want;		/* the violation */
	size_t (*spoil)(const struct sess *s, struct verbs *v,
			struct rblk_wire_cmd *c);
};

#define SPOIL(name, ...)						\
	static size_t name(const struct sess *s, struct verbs *v,	\
			   struct rblk_wire_cmd *c)			\
	{								\
		struct rblk_wire_hdr *h = (void *)v->out;		\
									\
		(void)s;						\
		(void)c;						\
		(void)h;						\
		__VA_ARGS__;						\
		return message_len(v->out);				\
	}

/* As if the data were in the message: the command and header say so. */
static void make_inline(struct verbs *v, struct rblk_wire_cmd *c, size_t data)
{
	struct rblk_wire_hdr *h = (void *)v->out;

	memset(v->out + message_len(v->out), 0, RBLK_WIRE_DATA_OFFSET + data);
	c->flags = htole16(RBLK_CMDF_INLINE);
	c->rkey = 0;
	c->addr = 0;
	h->flags = htole16(RBLK_HDRF_DATA);
	message_set_len(v->out, RBLK_WIRE_DATA_OFFSET + data);
}

static size_t header_short(const struct sess *s, struct verbs *v,
			   struct rblk_wire_cmd *c)
{
	(void)s;
	(void)v;
	(void)c;
	return 7;
}

static size_t length_more(const struct sess *s, struct verbs *v,
			  struct rblk_wire_cmd *c)
{
	(void)s;
	(void)c;
	message_set_len(v->out, 57);
	return 56;
}

static size_t length_less(const struct sess *s, struct verbs *v,
			  struct rblk_wire_cmd *c)
{
	(void)s;
	(void)c;
	message_set_len(v->out, 55);
	return 56;
}

SPOIL(length_odd, message_set_len(v->out, 57))
SPOIL(type_response, h->type = RBLK_MSG_RESPONSE)
SPOIL(type_max, h->type = 0xff)
SPOIL(count_zero, h->count = 0; message_set_len(v->out, 8))
SPOIL(count_missing, h->count = 2)
SPOIL(count_stray, h->count = 1; message_set_len(v->out, 8 + 2 * 48))
SPOIL(count_beyond, h->count = 17; message_set_len(v->out, 8 + 16 * 48))
SPOIL(count_max, h->count = 255)
SPOIL(header_flag, h->flags = htole16(0x8000))
SPOIL(op_zero, c->op = 0)
SPOIL(op_beyond, c->op = RBLK_OP_WRITE_ZEROES + 1)
SPOIL(op_max, c->op = 0xff)
SPOIL(reserved, c->reserved = 0x80)
SPOIL(reserved2, c->reserved2[5] = 1)
SPOIL(flag_fua, c->flags = htole16(RBLK_CMDF_FUA))
SPOIL(flag_nounmap, c->flags = htole16(RBLK_CMDF_NOUNMAP))
SPOIL(flag_imm, c->flags = htole16(RBLK_CMDF_IMM))
SPOIL(flag_pushed, c->flags = htole16(RBLK_CMDF_PUSHED))
SPOIL(flag_digest, c->flags = htole16(RBLK_CMDF_DIGEST))
SPOIL(flag_unknown, c->flags = htole16(0x8000))
SPOIL(flags_all, c->flags = htole16(0xffff))
SPOIL(tag_beyond, c->tag = htole16(DEPTH))
SPOIL(tag_max, c->tag = htole16(0xffff))
SPOIL(digest, c->digest = htole32(1))
SPOIL(prio, c->prio = htole16(0xe000))
SPOIL(volume_zero, c->volume = 0)
SPOIL(volume_next, c->volume = htole32(s->volume + 1))
SPOIL(volume_max, c->volume = htole32(~0u))
SPOIL(size_zero, c->length = 0)
SPOIL(size_odd, c->length = htole32(4097))
SPOIL(size_beyond, c->length = htole32(RBLK_WIRE_MAX_IO + 4096))
SPOIL(size_max, c->length = htole32(0xfffffe00u))
SPOIL(range_last, c->lba = htole64(s->blocks - 7))
SPOIL(range_end, c->lba = htole64(s->blocks))
SPOIL(range_wrap, c->lba = htole64(~0ull - 3))
SPOIL(range_shift, c->lba = htole64(1ull << 55))
SPOIL(rkey_none, c->rkey = 0)
SPOIL(addr_wrap, c->addr = htole64(~0ull - 4094))
SPOIL(rkey_stray, c->rkey = htole32(v->mr->rkey))
SPOIL(addr_stray, c->addr = htole64(4096))
SPOIL(flush_size, c->length = htole32(4096))
SPOIL(flush_lba, c->lba = htole64(1))
SPOIL(range_huge, c->length = htole32(0xfffff000u))
SPOIL(inline_empty, make_inline(v, c, 4096); h->flags = 0;
	message_set_len(v->out, 56))
SPOIL(inline_none, make_inline(v, c, 0))
SPOIL(inline_short, make_inline(v, c, 512))
SPOIL(inline_long, make_inline(v, c, 4096); c->length = htole32(512))
SPOIL(inline_rkey, make_inline(v, c, 4096);
	c->rkey = htole32(v->mr->rkey))
SPOIL(inline_two, make_inline(v, c, 4096); h->count = 2)
SPOIL(inline_gap, make_inline(v, c, 4096); v->out[60] = 1)
SPOIL(inline_read, make_inline(v, c, 4096))
SPOIL(inline_read_big, c->flags = htole16(RBLK_CMDF_INLINE); c->rkey = 0;
	c->addr = 0; c->length = htole32(4096 + 512))
SPOIL(inline_read_rkey, c->flags = htole16(RBLK_CMDF_INLINE))
SPOIL(inline_flush, make_inline(v, c, 512); c->flags = 0)

/* Two of one tag, of which the first can't be over yet. */
static size_t tag_twice(const struct sess *s, struct verbs *v,
			struct rblk_wire_cmd *c)
{
	(void)s;
	c->length = htole32(RBLK_WIRE_MAX_IO);
	message_commands(v->out + 4096, 2);
	memcpy(v->out + 4096 + 8, c, sizeof(*c));
	memcpy(v->out + 4096 + 8 + sizeof(*c), c, sizeof(*c));
	memmove(v->out, v->out + 4096, 8 + 2 * sizeof(*c));
	return message_len(v->out);
}

SPOIL(bind_again, sess_fill_bind(s, v))
SPOIL(login_there, sess_fill_login(s, v))
SPOIL(keepalive_there, sess_ctl(v, RBLK_MSG_KEEPALIVE, 16))

#define SHORT		"violation: message shorter than its header"
#define LENGTH		"violation: length does not match the bytes received"
#define TYPE		"violation: message type not allowed here"
#define COUNT		"violation: bad number of commands"
#define HDR_FLAGS	"violation: unknown or forbidden header flags"
#define RESERVED	"violation: reserved field not zero"
#define OP		"violation: unknown operation"
#define FLAGS		"violation: command flags not allowed here"
#define TAG		"violation: tag above the granted depth"
#define TAG_BUSY	"violation: tag already in use"
#define VOLUME		"violation: unknown volume handle"
#define SIZE		"violation: data length out of range or unaligned"
#define RANGE		"violation: beyond the end of the volume"
#define RKEY		"violation: rkey or address missing, stray or wrapping"
#define DIGEST		"violation: digest missing or stray"
#define PRIO		"violation: bad I/O priority"
#define INLINE		"violation: inline data missing, stray or too long"

#define READ		RBLK_OP_READ
#define WRITE		RBLK_OP_WRITE
#define FLUSH		RBLK_OP_FLUSH
#define DISCARD		RBLK_OP_DISCARD
#define ZEROES		RBLK_OP_WRITE_ZEROES

static const struct command_case cases[] = {
	{ "message-short", READ, SHORT, header_short },
	{ "message-length-more", READ, LENGTH, length_more },
	{ "message-length-less", READ, LENGTH, length_less },
	{ "message-length-odd", READ, LENGTH, length_odd },
	{ "message-type-response", READ, TYPE, type_response },
	{ "message-type-max", READ, TYPE, type_max },
	{ "message-bind-again", READ, TYPE, bind_again },
	{ "message-login", READ, TYPE, login_there },
	{ "message-keepalive", READ, TYPE, keepalive_there },
	{ "message-count-zero", READ, COUNT, count_zero },
	{ "message-count-missing", READ, LENGTH, count_missing },
	{ "message-count-stray", READ, LENGTH, count_stray },
	{ "message-count-beyond", READ, COUNT, count_beyond },
	{ "message-count-max", READ, COUNT, count_max },
	{ "message-flags", READ, HDR_FLAGS, header_flag },
	{ "command-op-zero", READ, OP, op_zero },
	{ "command-op-beyond", READ, OP, op_beyond },
	{ "command-op-max", READ, OP, op_max },
	{ "command-reserved", READ, RESERVED, reserved },
	{ "command-reserved2", WRITE, RESERVED, reserved2 },
	{ "command-flag-fua", READ, FLAGS, flag_fua },
	{ "command-flag-nounmap", WRITE, FLAGS, flag_nounmap },
	{ "command-flag-imm", READ, FLAGS, flag_imm },
	{ "command-flag-pushed", WRITE, FLAGS, flag_pushed },
	{ "command-flag-digest", WRITE, FLAGS, flag_digest },
	{ "command-flag-unknown", FLUSH, FLAGS, flag_unknown },
	{ "command-flags-all", READ, FLAGS, flags_all },
	{ "command-flag-discard-fua", DISCARD, FLAGS, flag_fua },
	{ "command-tag-beyond", READ, TAG, tag_beyond },
	{ "command-tag-max", READ, TAG, tag_max },
	{ "command-tag-twice", WRITE, TAG_BUSY, tag_twice },
	{ "command-digest", WRITE, DIGEST, digest },
	{ "command-prio", READ, PRIO, prio },
	{ "command-volume-zero", READ, VOLUME, volume_zero },
	{ "command-volume-next", READ, VOLUME, volume_next },
	{ "command-volume-max", FLUSH, VOLUME, volume_max },
	{ "command-length-zero", READ, SIZE, size_zero },
	{ "command-length-odd", WRITE, SIZE, size_odd },
	{ "command-length-beyond", READ, SIZE, size_beyond },
	{ "command-length-max", WRITE, SIZE, size_max },
	{ "command-range-last", READ, RANGE, range_last },
	{ "command-range-end", WRITE, RANGE, range_end },
	{ "command-range-wrap", READ, RANGE, range_wrap },
	{ "command-range-shift", WRITE, RANGE, range_shift },
	{ "command-rkey-none", READ, RKEY, rkey_none },
	{ "command-address-wrap", WRITE, RKEY, addr_wrap },
	{ "command-rkey-stray", FLUSH, RKEY, rkey_stray },
	{ "command-address-stray", FLUSH, RKEY, addr_stray },
	{ "command-flush-length", FLUSH, SIZE, flush_size },
	{ "command-flush-lba", FLUSH, SIZE, flush_lba },
	{ "command-discard-huge", DISCARD, SIZE, range_huge },
	{ "command-zeroes-huge", ZEROES, SIZE, range_huge },
	{ "inline-without-data", WRITE, INLINE, inline_empty },
	{ "inline-no-bytes", WRITE, INLINE, inline_none },
	{ "inline-short", WRITE, INLINE, inline_short },
	{ "inline-long", WRITE, INLINE, inline_long },
	{ "inline-and-rkey", WRITE, RKEY, inline_rkey },
	{ "inline-two-commands", WRITE, COUNT, inline_two },
	{ "inline-gap", WRITE, RESERVED, inline_gap },
	{ "inline-data-of-read", READ, INLINE, inline_read },
	{ "inline-read-beyond-grant", READ, INLINE, inline_read_big },
	{ "inline-read-and-rkey", READ, RKEY, inline_read_rkey },
	{ "inline-data-of-flush", FLUSH, INLINE, inline_flush },
};

static const char *spoilt(const struct command_case *c)
{
	const char *why = NULL;
	struct verbs *v;
	struct sess s;
	int ret;

	ret = sess_open(&s);
	if (ret)
		return report_why("can't begin: %d", ret);
	v = s.io[1];
	watch_begin();
	if (verbs_send(v, c->spoil(&s, v, sess_fill(&s, v, c->op))))
		why = "can't send";
	else if (!verbs_gone(v, WAIT_MS))
		why = "the connection lives";
	else if (!verbs_gone(s.control, WAIT_MS))
		why = "the session outlives its connection";
	sess_close(&s);
	return why ? why : watch_end(c->want, c->want + strlen("violation: "));
}

/* An honest host's DETACH may overtake its command: that is no violation. */
static const char *overtaken(void)
{
	struct sess s;
	int status;

	status = sess_open(&s);
	if (status)
		return report_why("can't begin: %d", status);
	watch_begin();
	status = sess_detach(&s, s.volume);
	if (!status)
		status = sess_run(&s, s.io[1], FLUSH, 0);
	if (status == RBLK_STATUS_GONE && !sess_alive(&s))
		status = -ENOTCONN;
	sess_close(&s);
	if (status != RBLK_STATUS_GONE)
		return report_why("the answer is %d", status);
	return watch_end(NULL, NULL);
}

/**
 * command_cases - run them
 */
void command_cases(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!report_skips(cases[i].name))
			report_case(cases[i].name, spoilt(&cases[i]));
	report_case("command-after-detach", overtaken());
}
