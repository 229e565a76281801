/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables for people and JSON for programs. Everything goes to stdout. */
#ifndef RBLKCTL_OUTPUT_H
#define RBLKCTL_OUTPUT_H

#include "lib/json.h"

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

void print_json(struct json_object *obj);

#endif /* RBLKCTL_OUTPUT_H */
