// SPDX-License-Identifier: GPL-2.0-only
#include <langinfo.h>
#include <libsmartcols.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"

#define GREEN	"\033[32m"
#define YELLOW	"\033[33m"
#define RED	"\033[31m"
#define PLAIN	"\033[0m"

static enum color_when colors;

/**
 * output_begin() - prepare what is printed
 * @req: says when there are colours
 *
 * How wide a character is depends on the locale. Where the user's has but ASCII, libsmartcols
 * would print a path's other letters as numbers.
 */
void output_begin(const struct request *req)
{
	colors = req->color;
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

static bool colors_wanted(FILE *to)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (colors != COLOR_AUTO)
		return colors == COLOR_ALWAYS;
	return !(no && *no) && !(term && !strcmp(term, "dumb")) && isatty(fileno(to));
}

/**
 * error_begin() - begin a line on stderr that says what went wrong
 */
void error_begin(void)
{
	bool red = colors_wanted(stderr);

	fprintf(stderr, "%srblkctl:%s ", red ? RED : "", red ? PLAIN : "");
}

/* What is neither good nor bad passes. */
static const char *state_color(const char *text)
{
	static const char * const good[] = {
		"live", "listening", "unchanged", "added", "removed", "replaced", "set",
	};
	size_t i;

	if (!strcmp(text, "failed") || !strcmp(text, "not undone"))
		return RED;
	for (i = 0; i < ARRAY_SIZE(good); i++)
		if (!strcmp(text, good[i]))
			return GREEN;
	return YELLOW;
}

static void *must_have(void *made)
{
	if (!made) {
		error_begin();
		fputs("out of memory\n", stderr);
		exit(EXIT_FAILED);
	}
	return made;
}

/* The next cell of the line, of all columns; those that are not wanted are dropped. */
static void add_cell(struct table *t, const char *text, bool is_state)
{
	unsigned int column = t->next++ % t->columns;
	struct libscols_cell *cell;

	if (!column)
		t->line = must_have(scols_table_new_line(t->scols, NULL));
	if (t->place[column] < 0)
		return;
	cell = must_have(scols_line_get_cell(t->line, t->place[column]));
	scols_cell_refer_data(cell, must_have(strdup(text)));
	if (is_state)
		scols_cell_set_color(cell, state_color(text));
}

/**
 * table_cell() - append a cell
 * @t: the table
 * @format: its content
 */
void table_cell(struct table *t, const char *format, ...)
{
	char raw[RBLK_PATH_LEN + 64], clean[RBLK_PATH_LEN + 64];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	text_clean(clean, sizeof(clean), raw, sizeof(raw));
	add_cell(t, clean, t->column[t->next % t->columns].state);
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

/* A row like the others: libsmartcols prints no headings where no rows follow. */
static void add_headings(struct table *t, bool chosen)
{
	const struct column *column;

	for (column = t->column; column->name; column++)
		add_cell(t, column->heading && !chosen ? column->heading : column->name, false);
}

/* Return: how many columns are shown. */
static unsigned int place_columns(struct table *t, const struct request *req)
{
	unsigned int nr = 0, i;

	for (i = 0; i < t->columns; i++)
		t->place[i] = req->nr_columns || t->column[i].extra ? -1 : (int)nr++;
	for (i = 0; i < req->nr_columns; i++)
		t->place[req->column[i]] = nr++;
	return nr;
}

/**
 * table_start() - begin a table
 * @t: the table
 * @req: whose columns it has, and which of them are wanted
 */
void table_start(struct table *t, const struct request *req)
{
	unsigned int nr;

	memset(t, 0, sizeof(*t));
	t->column = request_columns(req);
	t->columns = column_called(t->column, "");
	t->scols = must_have(scols_new_table());
	scols_table_enable_noheadings(t->scols, 1);
	scols_table_enable_minout(t->scols, 1);
	scols_table_enable_colors(t->scols, colors_wanted(stdout));
	scols_table_set_column_separator(t->scols, "  ");
	/* A pipe gets what a terminal gets, however wide that is. */
	scols_table_set_termforce(t->scols, SCOLS_TERMFORCE_NEVER);
	for (nr = place_columns(t, req); nr; nr--)
		must_have(scols_table_new_column(t->scols, NULL, 0, 0));
	if (!request_has(req, OPTION_NO_HEADINGS))
		add_headings(t, req->nr_columns);
}

/**
 * table_free() - free a table that is not printed
 * @t: the table
 */
void table_free(struct table *t)
{
	scols_unref_table(t->scols);
}

/**
 * table_print() - print a table and free it
 * @t: the table
 */
void table_print(struct table *t)
{
	scols_print_table(t->scols);
	table_free(t);
}

static void print_row(const char *name, const char *raw, const char *before, const char *after)
{
	char clean[RBLK_PATH_LEN + 128];

	text_clean(clean, sizeof(clean), raw, sizeof(clean));
	printf("%-20s  %s%s%s\n", name, before, clean, after);
}

/**
 * row_print() - print a name and what it has, one line of a "show"
 * @name: such as "device"
 * @format: its content
 */
void row_print(const char *name, const char *format, ...)
{
	char raw[RBLK_PATH_LEN + 128];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	print_row(name, raw, "", "");
}

/**
 * state_print() - print the line of a "show" that has a state
 * @name: what it is of
 * @state: in words
 */
void state_print(const char *name, const char *state)
{
	bool color = colors_wanted(stdout);

	print_row(name, state, color ? state_color(state) : "", color ? PLAIN : "");
}
