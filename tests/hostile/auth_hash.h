/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hashes that handshakes and MACs are made of, each of several parts.
 */
#ifndef RBLK_HOSTILE_AUTH_HASH_H
#define RBLK_HOSTILE_AUTH_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Some of what is hashed. */
struct part {
	const void *data;
	size_t len;
};

void hash_plain(uint8_t out[32], const struct part *parts, size_t nr);
void hash_keyed(uint8_t out[32], const uint8_t key[32], const struct part *parts, size_t nr);
void hash_sip(uint8_t out[8], const uint8_t key[16], const struct part *parts, size_t nr);

#endif
