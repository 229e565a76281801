/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables for people and JSON for programs. Everything goes to stdout. */
#ifndef RBLKCTL_OUTPUT_H
#define RBLKCTL_OUTPUT_H

#include "lib/json.h"
#include "request/request.h"

/**
 * struct table - rows of text in aligned columns
 * @column: all that it could have
 * @columns: how many
 * @next: cells so far, those that are not wanted counted
 * @place: where each column is shown, -1 if it is not
 * @line: the latest
 * @scols: the headings and what follows
 */
struct table {
	const struct column *column;
	unsigned int columns;
	unsigned int next;
	int place[MAX_COLUMNS];
	struct libscols_line *line;
	struct libscols_table *scols;
};

void output_begin(const struct request *req);
void error_begin(void);

void table_cell(struct table *t, const char *format, ...)
	__printf(2, 3);
void table_text(struct table *t, const char *text, size_t max);
void table_start(struct table *t, const struct request *req);
void table_print(struct table *t);
void table_free(struct table *t);
void row_print(const char *name, const char *format, ...)
	__printf(2, 3);
void state_print(const char *name, const char *state);

void print_json(struct json_object *obj);

#endif /* RBLKCTL_OUTPUT_H */
