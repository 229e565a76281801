/* SPDX-License-Identifier: GPL-2.0-only */
/* BLAKE2s as RFC 7693 has it, under the kernel's names. */
#ifndef SHIM_CRYPTO_BLAKE2S_H
#define SHIM_CRYPTO_BLAKE2S_H

#include <linux/types.h>
#include <string.h>

struct blake2s_ctx {
	u32 h[8];
	u64 bytes;
	u8 block[64];
	size_t filled;
	size_t size;
};

static inline u32 blake2s_rotate(u32 x, int n)
{
	return x >> n | x << (32 - n);
}

static inline void blake2s_mix(u32 *a, u32 *b, u32 *c, u32 *d, u32 x, u32 y)
{
	*a += *b + x;
	*d = blake2s_rotate(*d ^ *a, 16);
	*c += *d;
	*b = blake2s_rotate(*b ^ *c, 12);
	*a += *b + y;
	*d = blake2s_rotate(*d ^ *a, 8);
	*c += *d;
	*b = blake2s_rotate(*b ^ *c, 7);
}

static const u32 blake2s_iv[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* Take in the block; the last one is marked. */
static inline void blake2s_block(struct blake2s_ctx *ctx, bool last)
{
	static const char *const order[10] = {
		"0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8",
		"905724afe1bc683d", "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a",
		"6fe9b308c2d714a5", "a2847615fb9e3cd0",
	};
	u32 m[16], v[16];
	int i, j, k;

	for (i = 0; i < 16; i++)
		m[i] = ctx->block[4 * i] | ctx->block[4 * i + 1] << 8 |
		       ctx->block[4 * i + 2] << 16 | (u32)ctx->block[4 * i + 3] << 24;
	memcpy(v, ctx->h, sizeof(ctx->h));
	memcpy(v + 8, blake2s_iv, sizeof(blake2s_iv));
	v[12] ^= ctx->bytes;
	v[13] ^= ctx->bytes >> 32;
	v[14] ^= last ? ~0u : 0;
	for (i = 0; i < 10; i++) {
		for (j = 0; j < 8; j++) {
			const char *at = &order[i][2 * j];
			u32 x = m[at[0] <= '9' ? at[0] - '0' : at[0] - 'a' + 10];
			u32 y = m[at[1] <= '9' ? at[1] - '0' : at[1] - 'a' + 10];

			/* Four columns, then four diagonals. */
			k = j / 4;
			blake2s_mix(&v[j % 4], &v[4 + (j + k) % 4], &v[8 + (j + 2 * k) % 4],
				    &v[12 + (j + 3 * k) % 4], x, y);
		}
	}
	for (i = 0; i < 8; i++)
		ctx->h[i] ^= v[i] ^ v[i + 8];
	ctx->filled = 0;
}

static inline void blake2s_update(struct blake2s_ctx *ctx, const u8 *data, size_t bytes)
{
	while (bytes--) {
		/* The last block waits for blake2s_final(). */
		if (ctx->filled == sizeof(ctx->block))
			blake2s_block(ctx, false);
		ctx->block[ctx->filled++] = *data++;
		ctx->bytes++;
	}
}

static inline void blake2s_init_key(struct blake2s_ctx *ctx, size_t size, const void *key,
				    size_t key_bytes)
{
	u8 block[64] = { 0 };

	memset(ctx, 0, sizeof(*ctx));
	memcpy(ctx->h, blake2s_iv, sizeof(ctx->h));
	ctx->h[0] ^= 0x01010000 ^ key_bytes << 8 ^ size;
	ctx->size = size;
	if (!key_bytes)
		return;
	memcpy(block, key, key_bytes);
	blake2s_update(ctx, block, sizeof(block));
}

static inline void blake2s_init(struct blake2s_ctx *ctx, size_t size)
{
	blake2s_init_key(ctx, size, NULL, 0);
}

static inline void blake2s_final(struct blake2s_ctx *ctx, u8 *result)
{
	size_t i;

	memset(ctx->block + ctx->filled, 0, sizeof(ctx->block) - ctx->filled);
	blake2s_block(ctx, true);
	for (i = 0; i < ctx->size; i++)
		result[i] = ctx->h[i / 4] >> 8 * (i % 4);
}

#endif /* SHIM_CRYPTO_BLAKE2S_H */
