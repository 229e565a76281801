/* SPDX-License-Identifier: GPL-2.0-only */
/* SipHash-2-4 as its paper has it, under the kernel's names. */
#ifndef SHIM_LINUX_SIPHASH_H
#define SHIM_LINUX_SIPHASH_H

#include <linux/types.h>

struct siphash_key {
	u64 key[2];
};

#define siphash_key_t	struct siphash_key

static inline u64 siphash_rotate(u64 x, int n)
{
	return x << n | x >> (64 - n);
}

static inline void siphash_rounds(u64 v[4], int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = siphash_rotate(v[1], 13) ^ v[0];
		v[3] = siphash_rotate(v[3], 16) ^ v[2];
		v[0] = siphash_rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = siphash_rotate(v[1], 17) ^ v[2];
		v[3] = siphash_rotate(v[3], 21) ^ v[0];
		v[2] = siphash_rotate(v[2], 32);
	}
}

static inline u64 siphash(const void *data, size_t bytes, const siphash_key_t *key)
{
	u64 v[4] = {
		key->key[0] ^ 0x736f6d6570736575, key->key[1] ^ 0x646f72616e646f6d,
		key->key[0] ^ 0x6c7967656e657261, key->key[1] ^ 0x7465646279746573,
	};
	const u8 *p = data;
	u64 word = 0;
	size_t i;

	/* The last word has the length in its last byte. */
	for (i = 0; i <= (bytes | 7); i++) {
		if (i < bytes)
			word |= (u64)p[i] << 8 * (i % 8);
		if (i % 8 < 7)
			continue;
		if (i >= bytes)
			word |= (u64)bytes << 56;
		v[3] ^= word;
		siphash_rounds(v, 2);
		v[0] ^= word;
		word = 0;
	}
	v[2] ^= 0xff;
	siphash_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif /* SHIM_LINUX_SIPHASH_H */
