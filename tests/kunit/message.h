/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites share: messages in allocations of exactly their size, so
 * that KASAN sees a checker that reads past what arrived, and tables of
 * changes to good messages with the verdict each must get.
 */
#ifndef RBLK_KUNIT_MESSAGE_H
#define RBLK_KUNIT_MESSAGE_H

#include <kunit/test.h>
#include <linux/string.h>
#include <asm/byteorder.h>

/* Verdicts of the initiator's checkers, which say no with a sentence. */
#define GOOD	0
#define BAD	1

/**
 * struct change - one field of a good message set to something else
 * @what: the field and its value
 * @at: offset of the field
 * @size: bytes of it
 * @value: to be stored there, little-endian
 * @want: the checker's verdict
 */
struct change {
	const char *what;
	size_t at;
	size_t size;
	u64 value;
	int want;
};

#define SET(type, member, val, verdict) {				\
	.what = #member " = " #val,					\
	.at = offsetof(type, member),					\
	.size = sizeof_field(type, member),				\
	.value = (u64)(val),						\
	.want = (verdict),						\
}

static inline void change(void *msg, const struct change *c)
{
	size_t i;

	for (i = 0; i < c->size; i++)
		((u8 *)msg)[c->at + i] = c->value >> (8 * i);
}

static inline void *exact(struct kunit *test, const void *data, size_t bytes)
{
	void *copy = kunit_kmalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, data, bytes);
	return copy;
}

static inline void expect(struct kunit *test, const char *wrong, int want,
			  const char *what)
{
	if (want == GOOD)
		KUNIT_EXPECT_TRUE_MSG(test, !wrong, "%s: %s", what, wrong);
	else
		KUNIT_EXPECT_TRUE_MSG(test, wrong, "%s: accepted", what);
}

#endif /* RBLK_KUNIT_MESSAGE_H */
