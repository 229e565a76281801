// SPDX-License-Identifier: GPL-2.0-only
/* --help, made from the tables so that it cannot differ from what is parsed. */
#include <stdio.h>
#include <string.h>

#include "output/help.h"

static void synopsis(char *to, size_t room, enum verb_id id)
{
	const struct verb_desc *verb = &verb_table[id];
	size_t used;
	bool may_lack;
	int i;

	verb_text(to, room, id);
	for (i = 0; i < VERB_MAX_ARGS && verb->arg[i].name; i++) {
		may_lack = i + verb->may_lack >= VERB_MAX_ARGS ||
			   !verb->arg[i + verb->may_lack].name;
		used = strlen(to);
		snprintf(to + used, room - used, may_lack ? " [%s]" : " %s",
			 verb->arg[i].name);
	}
	used = strlen(to);
	snprintf(to + used, room - used, "%s", verb->repeats ? "..." : "");
}

static void verb_line(enum verb_id id)
{
	char line[80];

	synopsis(line, sizeof(line), id);
	printf("  %-32s  %s\n", line, verb_table[id].help);
}

static void noun_lines(const char *noun)
{
	int i;

	for (i = 1; i < VERB_NR; i++)
		if (verb_table[i].noun && !strcmp(verb_table[i].noun, noun))
			verb_line(i);
}

static void role_lines(void)
{
	static const char * const heading[ROLE_NR] = {
		[ROLE_HOST] = "On the host, which attaches volumes:",
		[ROLE_TARGET] = "\nOn the target, which exports them:",
		[ROLE_CONFIGURATION] = "\nOn both, what is brought up at boot:",
		[ROLE_DIAGNOSIS] = "\nOn both, what is wrong, and who is who:",
	};
	enum verb_role role;
	int i;

	for (role = 0; role < ROLE_NR; role++) {
		puts(heading[role]);
		for (i = 1; i < VERB_NR; i++)
			if (verb_table[i].role == role)
				verb_line(i);
	}
}

static void option_lines(enum verb_id verb)
{
	char line[80];
	int i;

	for (i = 0; i < OPTION_NR; i++) {
		const struct option_desc *option = &option_table[i];

		if (!verb_takes(verb, i))
			continue;
		snprintf(line, sizeof(line), "%s%s%s", option->name,
			 option->value ? " " : "", option->value ? option->value : "");
		printf("  %-26s  %s\n", line, option->help);
	}
}

static void verb_help(enum verb_id id)
{
	const struct verb_desc *verb = &verb_table[id];
	char line[80];

	synopsis(line, sizeof(line), id);
	printf("usage: rblkctl %s [OPTION]...\n\n%c%s.\n%s\nOptions:\n", line,
	       verb->help[0] - 'a' + 'A', verb->help + 1, verb->more ? verb->more : "");
	option_lines(id);
}

static void column_lines(const struct column *column)
{
	for (; column->name; column++)
		printf("  %-14s  %s\n", column->name, column->help);
}

/**
 * help_print() - print the help that was asked for
 * @req: of a verb or its columns, of the verbs of a noun, or of the whole tool, by who runs them
 */
void help_print(const struct request *req)
{
	if (request_has(req, OPTION_OUTPUT)) {
		column_lines(request_columns(req));
		return;
	}
	if (req->verb && req->verb != VERB_HELP) {
		verb_help(req->verb);
		return;
	}
	printf("usage: rblkctl %s%sVERB [ARGUMENT]... [OPTION]...\n\n%s.\n\n",
	       req->noun ? req->noun : "", req->noun ? " " : "",
	       "Attach and export block devices over RDMA");
	if (req->noun) {
		puts("Verbs:");
		noun_lines(req->noun);
	} else {
		role_lines();
	}
	puts("\nEvery verb takes --json, for output as JSON, --color and --help. -V is 'version'.\n"
	     "What prints a table takes --output, to choose columns, and --no-headings.\n\n"
	     "Exit status:\n"
	     "  0  done\n"
	     "  1  failed: standard error says what, why, and what to try\n"
	     "  2  wrong usage: nothing was done\n"
	     "  3  done in part: standard error says which part stands");
}
