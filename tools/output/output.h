/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables for people and JSON for programs. Everything goes to stdout. */
#ifndef RBLKCTL_OUTPUT_H
#define RBLKCTL_OUTPUT_H

#include <json-c/json.h>

#include "rblk_ioctl.h"
#include "request/text.h"

/**
 * struct table - rows of text in aligned columns
 * @columns: of each row
 * @nr: cells so far
 * @room: cells that @cell has room for
 * @cell: row by row, the headings first
 */
struct table {
	unsigned int columns;
	unsigned int nr;
	unsigned int room;
	char **cell;
};

void table_cell(struct table *t, const char *format, ...)
	__printf(2, 3);
void table_text(struct table *t, const char *text, size_t max);
void table_start(struct table *t, unsigned int columns, const char * const *heading);
void table_print(struct table *t);
void table_free(struct table *t);
void row_print(const char *name, const char *format, ...)
	__printf(2, 3);

void put_text(struct json_object *obj, const char *key, const char *text);
void put_chars(struct json_object *obj, const char *key, const char *text, size_t max);
void put_number(struct json_object *obj, const char *key, long long number);
void put_size(struct json_object *obj, const char *key, __u64 number);
void put_bool(struct json_object *obj, const char *key, bool value);
void put_uuid(struct json_object *obj, const char *key, const __u8 uuid[UUID_BYTES]);
void put_addr(struct json_object *obj, const char *key, const struct rblk_ioc_addr *addr);
void print_json(struct json_object *obj);

#endif /* RBLKCTL_OUTPUT_H */
