// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line becomes a struct request. Options may stand anywhere after
 * the verb, --help and --json also before it; "--" ends them. A word that is not
 * known is answered with the nearest that is.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "request/request.h"
#include "request/suggest.h"

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
#define NOT_SET	(OPTION_BIT(OPTION_FORCE) | OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_COLOR))

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
	if (!strcmp(text, "-o"))
		return OPTION_OUTPUT;
	for (i = 0; i < OPTION_NR; i++)
		if (verb_takes(verb, i) && strlen(option_table[i].name) == len &&
		    !strncmp(option_table[i].name, text, len))
			break;
	return i;
}

static int unknown_option(struct request *req, const char *text)
{
	struct suggestion near = { .typed = text, .len = strcspn(text, "=") };
	char shown[SHOWN], question[SUGGEST_TEXT];
	int i;

	for (i = 0; i < OPTION_NR; i++)
		if (verb_takes(req->verb, i))
			suggest_try(&near, option_table[i].name);
	text_clean(shown, sizeof(shown), text, strlen(text));
	suggest_text(question, sizeof(question), &near);
	return usage(req, "unknown option '%s'%s", shown, question);
}

static int take_option(struct request *req, struct cursor *c)
{
	const char *text = c->argv[c->at++], *value, *wrong;
	enum option_id id = find_option(req->verb, text, &value);
	const struct option_desc *option;
	char shown[SHOWN];

	if (id == OPTION_NR || !verb_takes(req->verb, id))
		return unknown_option(req, text);
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

/* What can stand there: first words, or the verbs of a noun. */
static int unknown_verb(struct request *req, const char *text)
{
	struct suggestion near = { .typed = text, .len = strlen(text) };
	char verbs[64] = "", shown[SHOWN], question[SUGGEST_TEXT];
	const struct verb_desc *v;
	size_t used = 0;

	for (v = &verb_table[1]; v < &verb_table[VERB_NR]; v++) {
		if (!req->noun) {
			suggest_try(&near, v->noun ? v->noun : v->name);
			suggest_try(&near, v->synonym ? v->synonym : "");
		} else if (v->noun && !strcmp(v->noun, req->noun)) {
			used += snprintf(verbs + used, sizeof(verbs) - used, "%s%s",
					 used ? ", " : "", v->name);
			suggest_try(&near, v->name);
		}
	}
	text_clean(shown, sizeof(shown), text, strlen(text));
	suggest_text(question, sizeof(question), &near);
	if (!*text)
		return usage(req, "a verb is missing%s%s", req->noun ? ": " : "", verbs);
	return req->noun ? usage(req, "unknown verb '%s', it has: %s%s", shown, verbs, question) :
			   usage(req, "unknown verb '%s'%s", shown, question);
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

static enum verb_id verb_called(const char *noun, const char *name)
{
	int i;

	for (i = 1; i < VERB_NR; i++) {
		const struct verb_desc *v = &verb_table[i];

		if (!noun != !v->noun || (noun && strcmp(noun, v->noun)))
			continue;
		if (!strcmp(name, v->name) || (v->synonym && !strcmp(name, v->synonym)))
			return i;
	}
	return VERB_NONE;
}

static const char *noun_called(const char *name)
{
	int i;

	for (i = 1; i < VERB_NR; i++)
		if (verb_table[i].noun && !strcmp(verb_table[i].noun, name))
			return verb_table[i].noun;
	return NULL;
}

static const char *next_word(struct request *req, struct cursor *c)
{
	early_options(req, c);
	return c->at < c->argc ? c->argv[c->at++] : "";
}

static int find_verb(struct request *req, struct cursor *c)
{
	const char *word = next_word(req, c);

	/* "help attach" is "attach --help"; "help" alone is about all. */
	if (!strcmp(word, "help") && c->at < c->argc && c->argv[c->at][0] != '-') {
		req->given |= OPTION_BIT(OPTION_HELP);
		word = next_word(req, c);
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		word = "version";
	req->noun = noun_called(word);
	/* "key" is a verb, too. */
	if (req->noun && verb_called(NULL, word) && (c->at == c->argc || c->argv[c->at][0] == '-'))
		req->noun = NULL;
	if (req->noun)
		word = next_word(req, c);
	req->verb = verb_called(req->noun, word);
	if (req->verb || (!*word && request_has(req, OPTION_HELP)))
		return 0;
	return word[0] == '-' ? unknown_option(req, word) : unknown_verb(req, word);
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

static int unknown_column(struct request *req, const char *name)
{
	const struct column *column = request_columns(req);
	char upper[sizeof(req->output)], shown[SHOWN], question[SUGGEST_TEXT];
	struct suggestion near = { .typed = upper, .len = strlen(name) };
	size_t i;

	for (i = 0; i <= near.len; i++)
		upper[i] = toupper((unsigned char)name[i]);
	for (; column->name; column++)
		suggest_try(&near, column->name);
	text_clean(shown, sizeof(shown), name, near.len);
	suggest_text(question, sizeof(question), &near);
	return usage(req, "--output: there is no column '%s'%s", shown, question);
}

/* Which columns: how the request ends says which table they are of. */
static int columns_complete(struct request *req)
{
	const struct column *columns = request_columns(req);
	char names[sizeof(req->output)], *rest = names, *name;
	unsigned int at, given = 0;

	memcpy(names, req->output, sizeof(names));
	while ((name = strsep(&rest, ","))) {
		at = column_called(columns, name);
		if (!columns[at].name)
			return unknown_column(req, name);
		if (given & (1u << at))
			return usage(req, "--output: %s is given twice", columns[at].name);
		given |= 1u << at;
		req->column[req->nr_columns++] = at;
	}
	return 0;
}

static int complete(struct request *req, const struct cursor *c)
{
	const struct verb_desc *verb = &verb_table[req->verb];
	__u64 missing = verb->required & ~req->given;
	unsigned int wanted = c->nr_args + verb->may_lack;
	const char *wrong;

	if (!strcmp(req->output, "help")) {
		req->given |= OPTION_BIT(OPTION_HELP);
		return 0;
	}
	if (wanted < VERB_MAX_ARGS && verb->arg[wanted].name)
		return usage(req, "%s is missing", verb->arg[c->nr_args].name);
	if (missing)
		return usage(req, "%s is missing",
			     option_table[__builtin_ctzll(missing)].name);
	if (req->nr_other_source > req->nr_other)
		return usage(req, "--source: more addresses than the target has");
	if (request_has(req, OPTION_ALLOW) && request_has(req, OPTION_ALLOW_ANY))
		return usage(req, "--allow and --allow-any exclude each other");
	if (request_has(req, OPTION_READ_ONLY) && request_has(req, OPTION_READ_WRITE))
		return usage(req, "--read-only and --read-write exclude each other");
	if (request_has(req, OPTION_SHARED) && request_has(req, OPTION_EXCLUSIVE))
		return usage(req, "--shared and --exclusive exclude each other");
	if (request_has(req, OPTION_REALTIME) && request_has(req, OPTION_NO_REALTIME))
		return usage(req, "--realtime and --no-realtime exclude each other");
	if (__builtin_popcountll(req->given & OPTIONS_RESERVATION) > 1)
		return usage(req, "--clear, --drop and --move exclude each other");
	if ((req->verb == VERB_EXPORT_SET || req->verb == VERB_SET) && !(req->given & ~NOT_SET))
		return usage(req, "there is nothing to set");
	if (request_has(req, OPTION_DESTROY) && request_has(req, OPTION_FORCE))
		return usage(req, "--destroy and --force exclude each other");
	wrong = req->verb == VERB_EXPORT_ADD ? backing_wrong(req, c->nr_args == 2) : NULL;
	if (wrong)
		return usage(req, "%s", wrong);
	wrong = proof_wrong(req) ? proof_wrong(req) : proof_missing(req);
	if (wrong)
		return usage(req, "%s", wrong);
	if (request_has(req, OPTION_PROMETHEUS) &&
	    (c->nr_args || (req->given & ~OPTION_BIT(OPTION_PROMETHEUS) &
			    ~OPTION_BIT(OPTION_INTERVAL))))
		return usage(req, "--prometheus stands alone");
	if (request_has(req, OPTION_SORT) && c->nr_args)
		return usage(req, "--sort is for all volumes, not for one");
	if (request_has(req, OPTION_JSON) && (request_has(req, OPTION_OUTPUT) ||
					      request_has(req, OPTION_NO_HEADINGS)))
		return usage(req, "--json and --output or --no-headings exclude each other");
	return request_has(req, OPTION_OUTPUT) ? columns_complete(req) : 0;
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
