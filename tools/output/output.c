// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/alloc.h"
#include "output/output.h"

/**
 * table_cell() - append a cell
 * @t: the table
 * @format: its content
 */
void table_cell(struct table *t, const char *format, ...)
{
	char raw[RBLK_PATH_LEN + 64], *cell;
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	if (t->nr == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->cell = must_alloc(t->cell, t->room, sizeof(*t->cell));
	}
	cell = must_alloc(NULL, strlen(raw) + 1, 1);
	text_clean(cell, strlen(raw) + 1, raw, sizeof(raw));
	t->cell[t->nr++] = cell;
}

/**
 * table_text() - append a cell
 * @t: the table
 * @text: its content, which may lack its NUL
 * @max: bytes at @text
 */
void table_text(struct table *t, const char *text, size_t max)
{
	table_cell(t, "%.*s", (int)max, text);
}

/**
 * table_start() - begin a table
 * @t: the table
 * @columns: of each row
 * @heading: of each column
 */
void table_start(struct table *t, unsigned int columns, const char * const *heading)
{
	unsigned int i;

	memset(t, 0, sizeof(*t));
	t->columns = columns;
	for (i = 0; i < columns; i++)
		table_cell(t, "%s", heading[i]);
}

/* Columns that a terminal needs for it: characters, not bytes. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static size_t column_width(const struct table *t, unsigned int column)
{
	size_t width = 0, w;
	unsigned int i;

	for (i = column; i < t->nr; i += t->columns) {
		w = width_of(t->cell[i]);
		width = w > width ? w : width;
	}
	return width;
}

/**
 * table_free() - free a table that is not printed
 * @t: the table
 */
void table_free(struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		free(t->cell[i]);
	free(t->cell);
	memset(t, 0, sizeof(*t));
}

/**
 * table_print() - print a table and free it
 * @t: the table
 */
void table_print(struct table *t)
{
	unsigned int i, column;
	size_t *width, pad = 0;

	width = must_alloc(NULL, t->columns, sizeof(*width));
	for (i = 0; i < t->columns; i++)
		width[i] = column_width(t, i);
	for (i = 0; i < t->nr; i++) {
		column = i % t->columns;
		/* Padding is owed, not paid, so that no line ends in blanks. */
		if (t->cell[i][0]) {
			printf("%*s%s", (int)pad, "", t->cell[i]);
			pad = 0;
		}
		pad += width[column] - width_of(t->cell[i]) + 2;
		if (column == t->columns - 1) {
			putchar('\n');
			pad = 0;
		}
	}
	free(width);
	table_free(t);
}

/**
 * row_print() - print a name and what it has, one line of a "show"
 * @name: such as "state"
 * @format: its content
 */
void row_print(const char *name, const char *format, ...)
{
	char raw[RBLK_PATH_LEN + 128], clean[RBLK_PATH_LEN + 128];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	text_clean(clean, sizeof(clean), raw, sizeof(raw));
	printf("%-20s  %s\n", name, clean);
}
