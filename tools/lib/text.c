// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "rblk_ioctl.h"
#include "lib/text.h"

/**
 * text_copy() - copy @len bytes of @from and a NUL
 * @to: destination
 * @room: bytes at @to
 * @from: source
 * @len: bytes to copy
 *
 * Return: false, and an empty string, when they do not fit.
 */
bool text_copy(char *to, size_t room, const char *from, size_t len)
{
	if (len >= room) {
		to[0] = '\0';
		return false;
	}
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* Bytes of the UTF-8 character at @p, 0 if it is none that may be shown. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	size_t len, i;

	if (p[0] >= 0x20 && p[0] < 0x7f)
		return 1;
	if (p[0] >= 0xc2 && p[0] < 0xe0)
		len = 2;
	else if (p[0] >= 0xe0 && p[0] < 0xf0)
		len = 3;
	else if (p[0] >= 0xf0 && p[0] < 0xf5)
		len = 4;
	else
		return 0;
	if (len > left)
		return 0;
	for (i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* U+0080..U+009F drive a terminal just as escape sequences do. */
	if (p[0] == 0xc2 && p[1] < 0xa0)
		return 0;
	return len;
}

/**
 * text_clean() - copy a string that somebody else made up, fit for a terminal
 * @to: destination, always terminated
 * @room: bytes at @to, not 0
 * @from: source, which may lack its NUL
 * @max: bytes at @from
 *
 * Names come from the other host. What is no printable UTF-8 becomes '?'.
 */
void text_clean(char *to, size_t room, const char *from, size_t max)
{
	size_t left = strnlen(from, max), len;
	const char *shown;

	while (left && room > 1) {
		len = utf8_length((const unsigned char *)from, left);
		shown = len ? from : "?";
		len = len ? len : 1;
		if (len >= room)
			break;
		memcpy(to, shown, len);
		to += len;
		room -= len;
		left -= len;
		from += len;
	}
	*to = '\0';
}

/**
 * text_number() - parse a whole decimal number
 * @text: digits, with a minus sign where @min is negative
 * @min: smallest allowed
 * @max: largest allowed
 * @out: the number
 *
 * Return: false when @text is anything else.
 */
bool text_number(const char *text, long long min, long long max, long long *out)
{
	const char *digits = text + (text[0] == '-');
	char *end;
	long long n;

	if (digits[0] < '0' || digits[0] > '9')
		return false;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || *end || n < min || n > max)
		return false;
	*out = n;
	return true;
}

/**
 * text_bytes() - parse a number of bytes: 512, 4k, 10G
 * @text: digits, and perhaps one of k, M, G and T in either case, powers of 1024
 * @max: largest allowed
 * @out: the number
 *
 * Return: false when @text is anything else.
 */
bool text_bytes(const char *text, __u64 max, __u64 *out)
{
	static const char units[] = "kKmMgGtT";
	size_t digits = strspn(text, "0123456789");
	const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
	unsigned int shift = unit ? 10 * ((unit - units) / 2 + 1) : 0;
	char number[24];
	long long n;

	if (text[digits + !!unit] || !text_copy(number, sizeof(number), text, digits) ||
	    !text_number(number, 0, max >> shift, &n))
		return false;
	*out = (__u64)n << shift;
	return true;
}

/**
 * text_seconds() - parse a time: 90, 90s, 5m, 1h
 * @text: digits, and perhaps one of s, m and h; without it, seconds
 * @min: smallest allowed, in seconds
 * @max: largest allowed, likewise
 * @out: seconds
 *
 * Return: false when @text is anything else.
 */
bool text_seconds(const char *text, unsigned int min, unsigned int max, unsigned int *out)
{
	size_t digits = strspn(text, "0123456789");
	unsigned int unit;
	char number[24];
	long long n;

	switch (text[digits]) {
	case '\0':
	case 's':
		unit = 1;
		break;
	case 'm':
		unit = 60;
		break;
	case 'h':
		unit = 3600;
		break;
	default:
		return false;
	}
	if ((text[digits] && text[digits + 1]) ||
	    !text_copy(number, sizeof(number), text, digits) ||
	    !text_number(number, 0, max / unit, &n) || n * unit < min)
		return false;
	*out = n * unit;
	return true;
}

/**
 * text_timeout() - parse a time that may be without end: as text_seconds(), or forever
 * @text: the time, or that word
 * @max: largest allowed, in seconds
 * @out: seconds, -1 for ever
 *
 * Return: false when @text is anything else.
 */
bool text_timeout(const char *text, int max, int *out)
{
	unsigned int seconds = 0;
	bool forever = !strcmp(text, "forever");

	if (!forever && !text_seconds(text, 0, max, &seconds))
		return false;
	*out = forever ? -1 : (int)seconds;
	return true;
}

/**
 * text_uuid() - parse a UUID, which must not be all zeroes
 * @text: 36 characters
 * @uuid: the result
 *
 * Return: false when @text is no such UUID.
 */
bool text_uuid(const char *text, __u8 uuid[UUID_BYTES])
{
	return !uuid_parse(text, uuid) && !uuid_is_null(uuid);
}

/**
 * text_key() - parse a key, which must not be all zeroes
 * @text: its base64, 44 characters
 * @key: the result; zeroes when there is none
 *
 * Return: false when @text is no such key.
 */
bool text_key(const char *text, __u8 key[KEY_BYTES])
{
	size_t len = 0;

	if (strlen(text) == KEY_TEXT - 1 &&
	    !sodium_base642bin(key, KEY_BYTES, text, KEY_TEXT - 1, NULL, &len, NULL,
			       sodium_base64_VARIANT_ORIGINAL) &&
	    len == KEY_BYTES && !key_is_none(key))
		return true;
	sodium_memzero(key, KEY_BYTES);
	return false;
}

/* Of a few keys, whoever uses them, the secret is always zero: no proof (RFC 7748, 6.1). */
static bool key_is_weak(const __u8 key[KEY_BYTES])
{
	static const __u8 any[KEY_BYTES] = { 8 };
	__u8 shared[KEY_BYTES];

	return crypto_scalarmult(shared, any, key);
}

/**
 * text_public_key() - parse a public key, which must be one that can be proved
 * @text: its base64, 44 characters
 * @key: the result; zeroes when there is none
 *
 * Return: false when @text is no such key.
 */
bool text_public_key(const char *text, __u8 key[KEY_BYTES])
{
	if (!text_key(text, key))
		return false;
	if (!key_is_weak(key))
		return true;
	sodium_memzero(key, KEY_BYTES);
	return false;
}

/**
 * text_host() - parse a host of an export's list
 * @text: its key or its UUID
 * @host: the result
 *
 * Return: false when @text is neither.
 */
bool text_host(const char *text, struct rblk_ioc_host *host)
{
	memset(host, 0, sizeof(*host));
	if (text_public_key(text, host->key) || text_uuid(text, host->uuid))
		return true;
	memset(host, 0, sizeof(*host));
	return false;
}

/**
 * text_size() - a number of bytes as people read it: 512B, 1.5K, 10G
 * @to: the result
 * @bytes: the number
 *
 * At most one decimal, rounded down: a device never looks larger than it is.
 */
void text_size(char to[SIZE_TEXT], __u64 bytes)
{
	static const char unit[] = "BKMGTPE";
	unsigned int i = 0, tenth;
	__u64 rest = 0;

	while (bytes >= 1024 && unit[i + 1]) {
		rest = bytes % 1024;
		bytes /= 1024;
		i++;
	}
	tenth = rest * 10 / 1024;
	if (tenth)
		snprintf(to, SIZE_TEXT, "%llu.%u%c", bytes, tenth, unit[i]);
	else
		snprintf(to, SIZE_TEXT, "%llu%c", bytes, unit[i]);
}

/**
 * uuid_text() - a UUID in lower case
 * @to: the result
 * @uuid: the UUID
 */
void uuid_text(char to[UUID_TEXT], const __u8 uuid[UUID_BYTES])
{
	uuid_unparse_lower(uuid, to);
}

/**
 * key_text() - a key in base64
 * @to: the result
 * @key: the key
 */
void key_text(char to[KEY_TEXT], const __u8 key[KEY_BYTES])
{
	sodium_bin2base64(to, KEY_TEXT, key, KEY_BYTES, sodium_base64_VARIANT_ORIGINAL);
}

/**
 * key_is_none() - whether there is no key
 * @key: all zeroes if there is none
 *
 * Return: whether there is none.
 */
bool key_is_none(const __u8 key[KEY_BYTES])
{
	return sodium_is_zero(key, KEY_BYTES);
}

/**
 * host_text() - a host of an export's list
 * @to: its key or its UUID
 * @host: the host
 */
void host_text(char to[HOST_TEXT], const struct rblk_ioc_host *host)
{
	if (key_is_none(host->key))
		uuid_text(to, host->uuid);
	else
		key_text(to, host->key);
}

/**
 * timeout_text() - a queue timeout
 * @to: "30s" or "forever"
 * @seconds: -1 for ever
 */
void timeout_text(char to[SIZE_TEXT], int seconds)
{
	if (seconds == RBLK_QUEUE_TIMEOUT_FOREVER)
		snprintf(to, SIZE_TEXT, "forever");
	else
		snprintf(to, SIZE_TEXT, "%ds", seconds);
}

/**
 * access_text() - how something may be used
 * @read_only: no writes
 * @shared: several writers
 *
 * Return: such as "rw,shared".
 */
const char *access_text(bool read_only, bool shared)
{
	if (read_only)
		return shared ? "ro,shared" : "ro";
	return shared ? "rw,shared" : "rw";
}
