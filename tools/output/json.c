// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/resolve.h"
#include "output/output.h"

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
	char *clean = must_alloc(NULL, room, 1);

	text_clean(clean, room, text, max);
	json_object_object_add(obj, key, json_object_new_string(clean));
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
	json_object_object_add(obj, key, json_object_new_int64(number));
}

/**
 * put_size() - add a number that may need 64 bits
 * @obj: object
 * @key: name
 * @number: the number
 */
void put_size(struct json_object *obj, const char *key, __u64 number)
{
	json_object_object_add(obj, key, json_object_new_uint64(number));
}

/**
 * put_bool() - add a truth value
 * @obj: object
 * @key: name
 * @value: the value
 */
void put_bool(struct json_object *obj, const char *key, bool value)
{
	json_object_object_add(obj, key, json_object_new_boolean(value));
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
 * put_addr() - add an address and port
 * @obj: object
 * @key: name
 * @addr: from the module
 */
void put_addr(struct json_object *obj, const char *key, const struct rblk_ioc_addr *addr)
{
	char text[ADDR_TEXT];

	addr_text(text, addr);
	put_text(obj, key, text);
}

/**
 * print_json() - print a value and free it
 * @obj: object or array
 */
void print_json(struct json_object *obj)
{
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY |
						 JSON_C_TO_STRING_SPACED |
						 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(obj);
}
