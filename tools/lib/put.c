// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"

/**
 * put_object() - add a value
 * @obj: object, or NULL
 * @key: name
 * @value: the value, which is freed with the object
 */
void put_object(struct json_object *obj, const char *key, struct json_object *value)
{
	if (!obj || json_object_object_add(obj, key, value))
		json_object_put(value);
}

/**
 * put_chars() - add a string that may lack its NUL
 * @obj: object
 * @key: name
 * @text: the string
 * @max: bytes at @text
 *
 * Cleaned, as a name from the peer that is not UTF-8 would not be JSON.
 */
void put_chars(struct json_object *obj, const char *key, const char *text, size_t max)
{
	size_t room = strnlen(text, max) + 1;
	char *clean = malloc(room);

	if (!clean)
		return;
	text_clean(clean, room, text, max);
	put_object(obj, key, json_object_new_string(clean));
	free(clean);
}

/**
 * put_text() - add a string
 * @obj: object
 * @key: name
 * @text: the string
 */
void put_text(struct json_object *obj, const char *key, const char *text)
{
	put_chars(obj, key, text, strlen(text));
}

/**
 * put_number() - add a number
 * @obj: object
 * @key: name
 * @number: the number
 */
void put_number(struct json_object *obj, const char *key, long long number)
{
	put_object(obj, key, json_object_new_int64(number));
}

/**
 * put_size() - add a number that may need 64 bits
 * @obj: object
 * @key: name
 * @number: the number
 */
void put_size(struct json_object *obj, const char *key, __u64 number)
{
	put_object(obj, key, json_object_new_uint64(number));
}

/**
 * put_decimal() - add a number with three decimals
 * @obj: object
 * @key: name
 * @number: the number
 */
void put_decimal(struct json_object *obj, const char *key, double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", number);
	put_object(obj, key, json_object_new_double_s(number, text));
}

/**
 * put_bool() - add a truth value
 * @obj: object
 * @key: name
 * @value: the value
 */
void put_bool(struct json_object *obj, const char *key, bool value)
{
	put_object(obj, key, json_object_new_boolean(value));
}

/**
 * put_uuid() - add a UUID
 * @obj: object
 * @key: name
 * @uuid: the UUID
 */
void put_uuid(struct json_object *obj, const char *key, const __u8 uuid[UUID_BYTES])
{
	char text[UUID_TEXT];

	uuid_text(text, uuid);
	put_text(obj, key, text);
}

/**
 * put_key() - add a public key
 * @obj: object
 * @key: name
 * @value: the key; all zeroes become null
 */
void put_key(struct json_object *obj, const char *key, const __u8 value[KEY_BYTES])
{
	char text[KEY_TEXT];

	if (key_is_none(value)) {
		put_object(obj, key, NULL);
		return;
	}
	key_text(text, value);
	put_text(obj, key, text);
}

/**
 * put_addr() - add an address and port
 * @obj: object
 * @key: name
 * @addr: from the module
 */
void put_addr(struct json_object *obj, const char *key, const struct rblk_ioc_addr *addr)
{
	char text[RBLK_ADDRESS_TEXT];

	rblk_address_text(text, addr);
	put_text(obj, key, text);
}

/**
 * put_device() - add the path of a volume
 * @obj: object
 * @index: N of /dev/rblkN
 */
void put_device(struct json_object *obj, int index)
{
	char device[32];

	snprintf(device, sizeof(device), "/dev/rblk%d", index);
	put_text(obj, "device", device);
}
