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

static void verb_lines(const char *noun)
{
	char line[80];
	int i;

	for (i = 1; i < VERB_NR; i++) {
		if (noun && (!verb_table[i].noun || strcmp(verb_table[i].noun, noun)))
			continue;
		synopsis(line, sizeof(line), i);
		printf("  %-30s  %s\n", line, verb_table[i].help);
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

/**
 * help_print() - print the help that was asked for
 * @req: of a verb, of the verbs of a noun, or of the whole tool
 */
void help_print(const struct request *req)
{
	if (req->verb) {
		verb_help(req->verb);
		return;
	}
	printf("usage: rblkctl %s%sVERB [ARGUMENT]... [OPTION]...\n\n%s.\n\nVerbs:\n",
	       req->noun ? req->noun : "", req->noun ? " " : "",
	       "Attach and export block devices over RDMA");
	verb_lines(req->noun);
	printf("\nEvery verb takes --json, for output as JSON, and --help.\n"
	       "Exit status: 0 done, 1 failed, 2 wrong usage.\n");
}
