/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the user asks for, and the tables that say what can be asked.
 *
 * A new verb is a line in enum verb_id, an entry in verbs.c, a run function
 * in main.c's table, and its words in the man page and the completion (which
 * tests/tool/usage compares with --help). Parsing has no side effects.
 */
#ifndef RBLKCTL_REQUEST_H
#define RBLKCTL_REQUEST_H

#include "address.h"

#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

enum verb_id {
	VERB_NONE,
	VERB_ATTACH,
	VERB_DETACH,
	VERB_LIST,
	VERB_SHOW,
	VERB_SET,
	VERB_DISCOVER,
	VERB_EXPORT_ADD,
	VERB_EXPORT_REMOVE,
	VERB_EXPORT_LIST,
	VERB_EXPORT_SHOW,
	VERB_PORTAL_ADD,
	VERB_PORTAL_REMOVE,
	VERB_PORTAL_LIST,
	VERB_SESSION_LIST,
	VERB_HOST,
	VERB_VERSION,
	VERB_NR
};

enum option_id {
	OPTION_ALLOW,
	OPTION_ALLOW_ANY,
	OPTION_DEPTH,
	OPTION_FORCE,
	OPTION_HELP,
	OPTION_HOST_NAME,
	OPTION_HOST_UUID,
	OPTION_INDEX,
	OPTION_JSON,
	OPTION_QUEUES,
	OPTION_QUEUE_TIMEOUT,
	OPTION_READ_ONLY,
	OPTION_SHARED,
	OPTION_SOURCE,
	OPTION_UUID,
	OPTION_NR
};

#define OPTION_BIT(option)	(1u << (option))

/**
 * struct request - a parsed command line
 * @verb: what to do; VERB_NONE only with --help
 * @noun: with --help, the group of verbs it was said of, else NULL
 * @given: OPTION_BIT() of every option that was given
 * @target: attach, discover: the target; portals: the portal
 * @source: with OPTION_SOURCE
 * @export: attach and the export verbs: the export's name
 * @backing: export add: the device behind it
 * @volume: detach, show, set: which volume
 * @uuid: with OPTION_UUID
 * @host_uuid: with OPTION_HOST_UUID; host.c fills it in otherwise
 * @host_name: likewise
 * @queues: 0 where not given
 * @depth: 0 where not given
 * @queue_timeout: seconds, -1 for ever
 * @index: -1 where not given
 * @nr_allowed: entries of @allowed in use
 * @allowed: UUIDs of hosts
 * @error: what is wrong with the command line
 */
struct request {
	enum verb_id verb;
	const char *noun;
	unsigned int given;
	struct endpoint target;
	struct endpoint source;
	char export[RBLK_NAME_LEN];
	char backing[RBLK_PATH_LEN];
	struct selector volume;
	__u8 uuid[UUID_BYTES];
	__u8 host_uuid[UUID_BYTES];
	char host_name[RBLK_NAME_LEN];
	unsigned int queues;
	unsigned int depth;
	int queue_timeout;
	int index;
	unsigned int nr_allowed;
	__u8 allowed[RBLK_MAX_HOSTS][UUID_BYTES];
	char error[512];
};

/* Takes one argument or option value; returns NULL or what is wrong. */
typedef const char *(*take_fn)(struct request *req, const char *value);

/**
 * struct option_desc - an option
 * @name: with its dashes
 * @value: what its value is called, NULL for a flag
 * @help: one line
 * @take: stores the value, NULL for a flag
 * @repeat: may be given more than once
 */
struct option_desc {
	const char *name;
	const char *value;
	const char *help;
	take_fn take;
	bool repeat;
};

#define VERB_MAX_ARGS	2

/**
 * struct verb_desc - a verb
 * @noun: "export" in "export add", NULL for a verb of one word
 * @name: the verb
 * @help: one line
 * @more: further help, lines ending in newlines, or NULL
 * @options: OPTION_BIT() of what it takes; --help and --json come by themselves
 * @required: OPTION_BIT() of what must be given
 * @arg: its arguments, all required
 */
struct verb_desc {
	const char *noun;
	const char *name;
	const char *help;
	const char *more;
	unsigned int options;
	unsigned int required;
	struct {
		const char *name;
		take_fn take;
	} arg[VERB_MAX_ARGS];
};

extern const struct option_desc option_table[OPTION_NR];
extern const struct verb_desc verb_table[VERB_NR];

bool verb_takes(enum verb_id verb, enum option_id option);
void verb_text(char *to, size_t room, enum verb_id verb);
int rblkctl_parse(int argc, char **argv, struct request *req);

static inline bool request_has(const struct request *req, enum option_id option)
{
	return req->given & OPTION_BIT(option);
}

#endif /* RBLKCTL_REQUEST_H */
