// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line becomes a struct request. Options may stand anywhere after
 * the verb, --help and --json also before it; "--" ends them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "request/request.h"

struct cursor {
	int argc;
	char **argv;
	int at;
	bool only_args;
	unsigned int nr_args;
};

/* What users typed goes into messages cut short and without control bytes. */
#define SHOWN	80

/* What changes nothing by itself. */
#define NOT_SET	(OPTION_BIT(OPTION_FORCE) | OPTION_BIT(OPTION_JSON))

__printf(2, 3)
static int usage(struct request *req, const char *format, ...)
{
	char verb[32];
	va_list args;
	int used = 0;

	if (req->verb) {
		verb_text(verb, sizeof(verb), req->verb);
		used = snprintf(req->error, sizeof(req->error), "%s: ", verb);
	} else if (req->noun) {
		used = snprintf(req->error, sizeof(req->error), "%s: ", req->noun);
	}
	va_start(args, format);
	vsnprintf(req->error + used, sizeof(req->error) - used, format, args);
	va_end(args);
	return EXIT_USAGE;
}

/* Of two with one name a verb takes only one. */
static enum option_id find_option(enum verb_id verb, const char *text, const char **value)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : strlen(text);
	int i;

	*value = equals ? equals + 1 : NULL;
	if (!strcmp(text, "-h"))
		return OPTION_HELP;
	if (!strcmp(text, "-n"))
		return OPTION_COUNT;
	for (i = 0; i < OPTION_NR; i++)
		if (verb_takes(verb, i) && strlen(option_table[i].name) == len &&
		    !strncmp(option_table[i].name, text, len))
			break;
	return i;
}

static int take_option(struct request *req, struct cursor *c)
{
	const char *text = c->argv[c->at++], *value, *wrong;
	enum option_id id = find_option(req->verb, text, &value);
	const struct option_desc *option;
	char shown[SHOWN];

	text_clean(shown, sizeof(shown), text, strlen(text));
	if (id == OPTION_NR || !verb_takes(req->verb, id))
		return usage(req, "unknown option '%s'", shown);
	option = &option_table[id];
	if (request_has(req, id) && !option->repeat)
		return usage(req, "%s is given twice", option->name);
	req->given |= OPTION_BIT(id);
	if (!option->value)
		return value ? usage(req, "%s takes no value", option->name) : 0;
	if (!value) {
		if (c->at == c->argc)
			return usage(req, "%s needs a value", option->name);
		value = c->argv[c->at++];
	}
	wrong = option->take(req, value);
	if (!wrong)
		return 0;
	text_clean(shown, sizeof(shown), value, strlen(value));
	return usage(req, "%s '%s': %s", option->name, shown, wrong);
}

static int take_arg(struct request *req, struct cursor *c)
{
	const struct verb_desc *verb = &verb_table[req->verb];
	const char *text = c->argv[c->at++], *wrong;
	unsigned int nr = c->nr_args;
	char shown[SHOWN];

	text_clean(shown, sizeof(shown), text, strlen(text));
	if (nr == VERB_MAX_ARGS || !verb->arg[nr].name) {
		if (!verb->repeats)
			return usage(req, "'%s' is one argument too many", shown);
		nr--;
	}
	wrong = verb->arg[nr].take(req, text);
	c->nr_args = nr + 1;
	return wrong ? usage(req, "'%s': %s", shown, wrong) : 0;
}

/* The verbs of a noun, for a message. */
static int unknown_verb(struct request *req, const char *text)
{
	char verbs[64] = "", shown[SHOWN];
	size_t used = 0;
	int i;

	for (i = 1; i < VERB_NR; i++)
		if (verb_table[i].noun && !strcmp(verb_table[i].noun, req->noun))
			used += snprintf(verbs + used, sizeof(verbs) - used, "%s%s",
					 used ? ", " : "", verb_table[i].name);
	if (!text)
		return usage(req, "a verb is missing: %s", verbs);
	text_clean(shown, sizeof(shown), text, strlen(text));
	return usage(req, "unknown verb '%s', it has: %s", shown, verbs);
}

/* --help and --json before the verb or between a noun and its verb. */
static void early_options(struct request *req, struct cursor *c)
{
	const char *value;
	enum option_id id;

	for (; c->at < c->argc; c->at++) {
		id = find_option(VERB_NONE, c->argv[c->at], &value);
		if ((id != OPTION_HELP && id != OPTION_JSON) || value)
			break;
		req->given |= OPTION_BIT(id);
	}
}

static int find_verb(struct request *req, struct cursor *c)
{
	const char *first, *second;
	char shown[SHOWN];
	int i;

	early_options(req, c);
	if (c->at == c->argc)
		return request_has(req, OPTION_HELP) ? 0 : usage(req, "a verb is missing");
	first = c->argv[c->at++];
	if (!strcmp(first, "--version"))
		first = "version";
	for (i = 1; i < VERB_NR; i++) {
		if (verb_table[i].noun && !strcmp(verb_table[i].noun, first))
			req->noun = verb_table[i].noun;
		else if (!verb_table[i].noun && !strcmp(verb_table[i].name, first))
			req->verb = i;
	}
	if (!req->noun && !req->verb) {
		text_clean(shown, sizeof(shown), first, strlen(first));
		return usage(req, "unknown verb '%s'", shown);
	}
	if (req->verb)
		return 0;
	early_options(req, c);
	second = c->at < c->argc ? c->argv[c->at++] : NULL;
	for (i = 1; second && i < VERB_NR; i++)
		if (verb_table[i].noun && !strcmp(verb_table[i].noun, first) &&
		    !strcmp(verb_table[i].name, second))
			req->verb = i;
	if (req->verb || (!second && request_has(req, OPTION_HELP)))
		return 0;
	return unknown_verb(req, second);
}

/* Whether --help stands anywhere: it then wins over every other error. */
static bool help_wanted(const struct cursor *c)
{
	int i;

	for (i = c->at; i < c->argc && strcmp(c->argv[i], "--"); i++)
		if (!strcmp(c->argv[i], "--help") || !strcmp(c->argv[i], "-h"))
			return true;
	return false;
}

/* The device or the file, and what goes with the file. */
static int complete_backing(struct request *req, const struct cursor *c)
{
	bool file = request_has(req, OPTION_BACKING_FILE), device = c->nr_args == 2;

	if (!file && !device)
		return usage(req, "DEVICE or --file is missing");
	if (file && device)
		return usage(req, "DEVICE and --file exclude each other");
	if (request_has(req, OPTION_SIZE) && !file)
		return usage(req, "--size goes with --file");
	return 0;
}

static int complete(struct request *req, const struct cursor *c)
{
	const struct verb_desc *verb = &verb_table[req->verb];
	__u64 missing = verb->required & ~req->given;
	unsigned int wanted = c->nr_args + verb->may_lack;

	if (wanted < VERB_MAX_ARGS && verb->arg[wanted].name)
		return usage(req, "%s is missing", verb->arg[c->nr_args].name);
	if (missing)
		return usage(req, "%s is missing",
			     option_table[__builtin_ctzll(missing)].name);
	if (request_has(req, OPTION_ALLOW) && request_has(req, OPTION_ALLOW_ANY))
		return usage(req, "--allow and --allow-any exclude each other");
	if (request_has(req, OPTION_READ_ONLY) && request_has(req, OPTION_READ_WRITE))
		return usage(req, "--read-only and --read-write exclude each other");
	if (request_has(req, OPTION_SHARED) && request_has(req, OPTION_EXCLUSIVE))
		return usage(req, "--shared and --exclusive exclude each other");
	if (req->verb == VERB_EXPORT_SET && !(req->given & ~NOT_SET))
		return usage(req, "there is nothing to set");
	if (req->verb == VERB_EXPORT_ADD && complete_backing(req, c))
		return EXIT_USAGE;
	if (request_has(req, OPTION_PROMETHEUS) &&
	    (c->nr_args || request_has(req, OPTION_WATCH) || request_has(req, OPTION_JSON)))
		return usage(req, "--prometheus stands alone");
	return 0;
}

/**
 * rblkctl_parse() - parse a command line
 * @argc: as main() gets it
 * @argv: as main() gets it
 * @req: the result; filled in also on failure, as far as it goes
 *
 * Return: 0, or EXIT_USAGE with the reason in @req->error.
 */
int rblkctl_parse(int argc, char **argv, struct request *req)
{
	struct cursor c = { .argc = argc, .argv = argv, .at = argc > 0 };
	int wrong;

	memset(req, 0, sizeof(*req));
	req->index = -1;
	req->queue_timeout = RBLK_QUEUE_TIMEOUT_DEFAULT;
	req->only = ITEMS_ALL;
	req->interval = 1;
	snprintf(req->file, sizeof(req->file), "%s", CONFIG_PATH);
	wrong = find_verb(req, &c);
	if (wrong)
		return wrong;
	if (request_has(req, OPTION_HELP) || help_wanted(&c)) {
		req->given |= OPTION_BIT(OPTION_HELP);
		return 0;
	}
	while (c.at < argc) {
		const char *text = argv[c.at];

		if (!c.only_args && !strcmp(text, "--")) {
			c.only_args = true;
			c.at++;
			continue;
		}
		wrong = !c.only_args && text[0] == '-' && text[1] ?
			take_option(req, &c) : take_arg(req, &c);
		if (wrong)
			return wrong;
	}
	return complete(req, &c);
}
