/* SPDX-License-Identifier: GPL-2.0-only */
/* Small string work that every other file needs. */
#ifndef LIBRBLK_TEXT_H
#define LIBRBLK_TEXT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define __printf(text, first)	__attribute((format(printf, text, first)))

#define UUID_BYTES	16
#define UUID_TEXT	37	/* with its NUL */
#define SIZE_TEXT	32
#define KEY_BYTES	32
#define KEY_TEXT	45	/* with its NUL */
#define HOST_TEXT	KEY_TEXT	/* a key or a UUID */

struct rblk_ioc_host;

bool text_copy(char *to, size_t room, const char *from, size_t len);
void text_clean(char *to, size_t room, const char *from, size_t max);
bool text_number(const char *text, long long min, long long max, long long *out);
bool text_bytes(const char *text, __u64 max, __u64 *out);
bool text_seconds(const char *text, unsigned int min, unsigned int max, unsigned int *out);
bool text_timeout(const char *text, int max, int *out);
bool text_uuid(const char *text, __u8 uuid[UUID_BYTES]);
bool text_key(const char *text, __u8 key[KEY_BYTES]);
bool text_public_key(const char *text, __u8 key[KEY_BYTES]);
bool text_host(const char *text, struct rblk_ioc_host *host);
void text_size(char to[SIZE_TEXT], __u64 bytes);
void uuid_text(char to[UUID_TEXT], const __u8 uuid[UUID_BYTES]);
void key_text(char to[KEY_TEXT], const __u8 key[KEY_BYTES]);
bool key_is_none(const __u8 key[KEY_BYTES]);
void host_text(char to[HOST_TEXT], const struct rblk_ioc_host *host);
void timeout_text(char to[SIZE_TEXT], int seconds);
const char *access_text(bool read_only, bool shared);

#endif /* LIBRBLK_TEXT_H */
