/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzzers of the message checkers share.  An input is a struct of
 * knobs, which say in what situation the message arrives, and the message.
 * Whatever a checker lets pass must be what docs/protocol.md promises; the
 * promises are written down in each fuzzer anew, from the wire bytes.
 */
#ifndef RBLK_FUZZ_H
#define RBLK_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define MUST(condition)							\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: broken: %s\n",		\
				__FILE__, __LINE__, #condition);	\
			abort();					\
		}							\
	} while (0)

enum knob {
	KNOB_LENGTH = 0x01,	/* make the header tell the true length */
	KNOB_XID = 0x02,	/* answer the request that was made */
	KNOB_INVALIDATED = 0x04,
	KNOB_INLINE = 0x08,
	KNOB_WRITABLE = 0x10,
	KNOB_FEATURES = 0x20,
	KNOB_COUNT = 0x40,	/* make it tell the true count, and no odd bytes */
	KNOB_HELD = 0x80,	/* a second response */
	KNOB_DIGEST = 0x100,	/* the volume has it, or the command had one */
	KNOB_DIGEST_BACK = 0x200,	/* the command asked for one */
};

/* What the initiator asked for when it is answered. */
struct cm_knobs {
	u32 features;
	u32 max_io;
	u32 inline_read;
	u32 inline_write;
	u16 nr_queues;
	u16 depth;
};

/* The command that a response answers, and how it came. */
struct response_knobs {
	u32 length;
	u32 rkey;
	u32 invalidated;
	u16 gen;
	u16 knobs;
};

struct control_knobs {
	u32 xid;
	u32 start;
	u32 knobs;
};

/* What the target gives and what the volume is like. */
struct command_knobs {
	u64 blocks;
	u32 max_io;
	u32 inline_read;
	u32 inline_write;
	u32 max_discard;
	u32 max_write_zeroes;
	u16 depth;
	u16 max_batch;
	u16 block_shift;
	u16 knobs;
	u32 slot_size;
};

/* Which message of a handshake, or after it, the input is. */
enum auth_at { AUTH_LOGIN1, AUTH_REPLY, AUTH_LOGIN2, AUTH_MESSAGE, AUTH_NR };

struct auth_knobs {
	u8 at;
	u8 change;	/* 1: the good message, with these bits changed */
};

/* In an allocation of exactly its size, aligned as receive buffers are. */
static inline u8 *message(const u8 *data, size_t size)
{
	u8 *msg = malloc(size);

	MUST(msg || !size);
	if (size)
		memcpy(msg, data, size);
	return msg;
}

/* What is left of @size after @head and whole items of @item bytes. */
static inline size_t odd(size_t size, size_t head, size_t item)
{
	return size > head ? (size - head) % item : 0;
}

static inline u64 get(const void *at, size_t bytes)
{
	const u8 *p = at;
	u64 v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

static inline void put(void *at, size_t bytes, u64 v)
{
	u8 *p = at;

	for (; bytes; bytes--, v >>= 8)
		*p++ = v;
}

/* A field of a wire structure at @p as a number. */
#define FIELD(p, type, member)						\
	get((const u8 *)(p) + offsetof(struct type, member),	\
	    sizeof(((struct type *)0)->member))

static inline bool zeroes(const void *at, size_t bytes)
{
	const u8 *p = at;

	while (bytes)
		if (p[--bytes])
			return false;
	return true;
}

/* Ends within its 64 bytes and has nothing behind its end. */
/* A plain word that needs no quoting, or nothing; what is behind it is zero. */
static inline bool name(const void *at)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:+-";
	const char *text = at;
	size_t len = strnlen(text, 64);

	return len < 64 && zeroes((const u8 *)at + len, 64 - len) &&
	       strspn(text, plain) == len && *text != '.' && *text != '-';
}

/* Header and start of a control message: what no accepted one may break. */
static inline void must_be_ctl(const u8 *msg, size_t size)
{
	MUST(size >= 16);
	MUST(msg[1] == 1);
	MUST(zeroes(msg + 2, 2));
	MUST(get(msg + 4, 4) == size);
	MUST(zeroes(msg + 14, 2));
}

#endif /* RBLK_FUZZ_H */
