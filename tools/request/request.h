/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the user asks for, and the tables that say what can be asked.
 *
 * A new verb is a line in enum verb_id, an entry in verbs.c, a run function
 * in its folder's run.h and in main.c's table, and its words in the man page and
 * the completion (which tests/tool/usage compares with --help). Parsing has no
 * side effects.
 */
#ifndef RBLKCTL_REQUEST_H
#define RBLKCTL_REQUEST_H

#include <assert.h>
#include "lib/address.h"

#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2
#define EXIT_PARTLY	3	/* a part of it was done, and stands */

/* Where a verb is run, or what for; --help sorts by it. */
enum verb_role {
	ROLE_HOST,
	ROLE_TARGET,
	ROLE_CONFIGURATION,
	ROLE_DIAGNOSIS,
	ROLE_NR
};

enum verb_id {
	VERB_NONE,
	VERB_ATTACH,
	VERB_DETACH,
	VERB_LIST,
	VERB_SHOW,
	VERB_SET,
	VERB_STAT,
	VERB_TOP,
	VERB_DOCTOR,
	VERB_EVENTS,
	VERB_DISCOVER,
	VERB_ROUTE_ADD,
	VERB_ROUTE_REMOVE,
	VERB_ROUTE_LIST,
	VERB_RESERVATION,
	VERB_EXPORT_ADD,
	VERB_EXPORT_REMOVE,
	VERB_EXPORT_SET,
	VERB_EXPORT_ALLOW,
	VERB_EXPORT_DENY,
	VERB_EXPORT_LIST,
	VERB_EXPORT_SHOW,
	VERB_EXPORT_STAT,
	VERB_PORTAL_ADD,
	VERB_PORTAL_REMOVE,
	VERB_PORTAL_LIST,
	VERB_SESSION_LIST,
	VERB_SESSION_REMOVE,
	VERB_SESSION_STAT,
	VERB_HOST_FENCE,
	VERB_HOST_UNFENCE,
	VERB_HOST_LIST,
	VERB_TARGET_PAUSE,
	VERB_TARGET_RESUME,
	VERB_TARGET_SHOW,
	VERB_APPLY,
	VERB_UP,
	VERB_DOWN,
	VERB_SAVE,
	VERB_KEY,
	VERB_KEY_ROTATE,
	VERB_KEY_LOAD,
	VERB_HOST,
	VERB_VERSION,
	VERB_HELP,
	VERB_NR
};

enum option_id {
	OPTION_ALLOW,
	OPTION_ALLOW_ANY,
	OPTION_ALL_ROUTES,
	OPTION_BACKING_FILE,
	OPTION_CGROUP,
	OPTION_CLEAR,
	OPTION_CLONE_OF,
	OPTION_COLOR,
	OPTION_COUNT,
	OPTION_DEPTH,
	OPTION_DESTROY,
	OPTION_DIGEST,
	OPTION_DROP,
	OPTION_DRY_RUN,
	OPTION_EACH,
	OPTION_EXCLUSIVE,
	OPTION_FILE,
	OPTION_FOR,
	OPTION_FORCE,
	OPTION_FORGET,
	OPTION_HELP,
	OPTION_HOST_NAME,
	OPTION_HOST_UUID,
	OPTION_INDEX,
	OPTION_INLINE_READ,
	OPTION_INSECURE,
	OPTION_INTERVAL,
	OPTION_JSON,
	OPTION_MOVE,
	OPTION_NO_HEADINGS,
	OPTION_NO_REALTIME,
	OPTION_NOW,
	OPTION_ONLY,
	OPTION_OUTPUT,
	OPTION_POOL,
	OPTION_POLL_QUEUES,
	OPTION_PRIVATE,
	OPTION_PROMETHEUS,
	OPTION_QUEUES,
	OPTION_QUEUE_TIMEOUT,
	OPTION_READ_ONLY,
	OPTION_READ_WRITE,
	OPTION_REALTIME,
	OPTION_RENAME,
	OPTION_SAVE,
	OPTION_SECURE,
	OPTION_SHARED,
	OPTION_SIZE,
	OPTION_SORT,
	OPTION_SOURCE,
	OPTION_TARGET_KEY,
	OPTION_TRUST_FIRST,
	OPTION_UUID,
	OPTION_WAIT,
	OPTION_WATCH,
	OPTION_NR
};

#define OPTION_BIT(option)	(1ULL << (option))
/* What a target's administrator may do to registrations: one of them. */
#define OPTIONS_RESERVATION	(OPTION_BIT(OPTION_CLEAR) | OPTION_BIT(OPTION_DROP) | \
				 OPTION_BIT(OPTION_MOVE))
/* How a target proves who it is: one of them. */
#define OPTIONS_PROOF	(OPTION_BIT(OPTION_TARGET_KEY) | OPTION_BIT(OPTION_TRUST_FIRST) | \
			 OPTION_BIT(OPTION_INSECURE))
static_assert(OPTION_NR <= 64, "options need a wider set");

/* What lists are sorted by. */
enum sort_key {
	SORT_IO,
	SORT_BYTES,
	SORT_LATENCY,
	SORT_BUSY,
	SORT_DEVICE,
};

/* When there are colours. */
enum color_when {
	COLOR_AUTO,		/* on a terminal that wants them */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/* What the configuration has lists of. */
enum item_kind {
	ITEM_PORTAL,
	ITEM_EXPORT,
	ITEM_VOLUME,
	ITEM_KINDS
};

#define ITEM_BIT(kind)	(1u << (kind))
#define ITEMS_TARGET	(ITEM_BIT(ITEM_PORTAL) | ITEM_BIT(ITEM_EXPORT))
#define ITEMS_VOLUMES	ITEM_BIT(ITEM_VOLUME)
#define ITEMS_ALL	(ITEMS_TARGET | ITEMS_VOLUMES)
#define WAIT_FOREVER	(-1)
#define CONFIG_PATH	"/etc/rblk/rblk.conf"
#define MAX_COLUMNS	16
#define LV_NAME_LEN	128	/* of LVM: bytes of a name, with its NUL */

/**
 * struct request - a parsed command line
 * @verb: what to do; VERB_NONE only with --help
 * @noun: with --help, the group of verbs it was said of, else NULL
 * @given: OPTION_BIT() of every option that was given
 * @target: attach, discover, routes: the target; portals: the portal
 * @other: attach: more addresses of the target, for routes
 * @nr_other: entries of @other
 * @source: with OPTION_SOURCE; of @target, with an empty host if it has none
 * @other_source: those of @other, likewise
 * @nr_other_source: how many were given
 * @export: attach and the export verbs: the export's name
 * @backing: export add: the device behind it, or the file with OPTION_BACKING_FILE
 * @pool: with OPTION_POOL: a volume group, or a thin pool as GROUP/POOL
 * @clone_of: with OPTION_CLONE_OF: the export whose logical volume is the origin
 * @cgroup: with OPTION_CGROUP, from the hierarchy's root
 * @size: bytes a missing file or a logical volume is made with, 0: it is there, or a thin
 *        snapshot
 * @rename: with OPTION_RENAME: what the export is to be called
 * @volume: detach, show, set: which volume
 * @peer: session remove, session stat: the host, by name or UUID
 * @uuid: with OPTION_UUID
 * @host_uuid: with OPTION_HOST_UUID; lib/host.c fills it in otherwise
 * @host_name: likewise
 * @queues: 0 where not given
 * @poll_queues: likewise
 * @depth: 0 where not given
 * @inline_read: bytes, 0 where not given
 * @queue_timeout: seconds, -1 for ever
 * @index: -1 where not given
 * @nobody: --allow none
 * @nr_allowed: entries of @allowed in use
 * @allowed: hosts, by key or UUID
 * @registrant: reservation: whose registration is dropped, or moved from and to
 * @nr_target_keys: entries of @target_key in use
 * @target_key: with OPTION_TARGET_KEY
 * @own_key: this host's, zeroes until it is needed
 * @file: of the configuration
 * @only: ITEM_BIT() of the kinds of items that are meant
 * @pause: seconds to pause for
 * @wait: seconds to try again for, WAIT_FOREVER, 0 where not given
 * @interval: seconds between two looks
 * @count: how many of them, 0 for ever
 * @sort: what a list is sorted by
 * @color: when there are colours
 * @output: with OPTION_OUTPUT, as it was typed
 * @nr_columns: entries of @column in use, 0 for all columns in their order
 * @column: places in request_columns()
 * @error: what is wrong with the command line
 */
struct request {
	enum verb_id verb;
	const char *noun;
	__u64 given;
	struct endpoint target;
	struct endpoint other[RBLK_MAX_ROUTES - 1];
	unsigned int nr_other;
	struct endpoint source;
	struct endpoint other_source[RBLK_MAX_ROUTES - 1];
	unsigned int nr_other_source;
	char export[RBLK_NAME_LEN];
	char backing[RBLK_PATH_LEN];
	char pool[2 * LV_NAME_LEN];
	char clone_of[RBLK_NAME_LEN];
	char rename[RBLK_NAME_LEN];
	char cgroup[RBLK_PATH_LEN];
	__u64 size;
	struct selector volume;
	char peer[RBLK_NAME_LEN];
	__u8 uuid[UUID_BYTES];
	__u8 host_uuid[UUID_BYTES];
	char host_name[RBLK_NAME_LEN];
	unsigned int queues;
	unsigned int poll_queues;
	unsigned int depth;
	unsigned int inline_read;
	int queue_timeout;
	int index;
	bool nobody;
	unsigned int nr_allowed;
	struct rblk_ioc_host allowed[RBLK_MAX_HOSTS];
	struct rblk_ioc_host registrant[2];
	unsigned int nr_target_keys;
	__u8 target_key[RBLK_TARGET_KEYS][KEY_BYTES];
	__u8 own_key[KEY_BYTES];
	char file[RBLK_PATH_LEN];
	unsigned int only;
	unsigned int pause;
	int wait;
	unsigned int interval;
	unsigned int count;
	enum sort_key sort;
	enum color_when color;
	char output[256];
	unsigned int nr_columns;
	unsigned char column[MAX_COLUMNS];
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

/**
 * struct column - a column of a table
 * @name: in capitals, for --output
 * @help: one line
 * @heading: what stands above it among all others, where that is not @name
 * @state: it has the states of something, which have colours
 * @extra: there only when --output asks for it
 */
struct column {
	const char *name;
	const char *help;
	const char *heading;
	bool state;
	bool extra;
};

#define VERB_MAX_ARGS	2

/**
 * struct verb_desc - a verb
 * @noun: "export" in "export add", NULL for a verb of one word
 * @name: the verb
 * @synonym: another name that it goes by, or NULL
 * @role: where it is run, or what for
 * @help: one line
 * @more: further help, lines ending in newlines, or NULL
 * @options: OPTION_BIT() of what it takes, but for those that verb_takes() knows
 * @required: OPTION_BIT() of what must be given
 * @columns: of the table that it prints, see request_columns(), or NULL
 * @arg: its arguments
 * @may_lack: how many of them, the last ones, may be left out
 * @repeats: the last one may be given again and again
 */
struct verb_desc {
	const char *noun;
	const char *name;
	const char *synonym;
	enum verb_role role;
	const char *help;
	const char *more;
	__u64 options;
	__u64 required;
	const struct column *columns;
	struct {
		const char *name;
		take_fn take;
	} arg[VERB_MAX_ARGS];
	unsigned int may_lack;
	bool repeats;
};

extern const struct option_desc option_table[OPTION_NR];
extern const struct verb_desc verb_table[VERB_NR];
extern const struct column list_columns[], discover_columns[], route_columns[],
	export_columns[],
	portal_columns[], session_columns[], host_columns[], stat_columns[], top_columns[],
	served_columns[],
	item_columns[];

extern const char uuid_proves_nothing[];

bool allows_by_uuid(const struct request *req);
const char *proof_wrong(const struct request *req);
const char *proof_missing(const struct request *req);
bool lv_name_ok(const char *name);
const char *take_pool(struct request *req, const char *value);
const char *backing_wrong(const struct request *req, bool device);
const char *take_allowed(struct request *req, const char *value);
const struct column *request_columns(const struct request *req);
unsigned int column_called(const struct column *columns, const char *name);
bool verb_takes(enum verb_id verb, enum option_id option);
void verb_text(char *to, size_t room, enum verb_id verb);
int rblkctl_parse(int argc, char **argv, struct request *req);

static inline bool request_has(const struct request *req, enum option_id option)
{
	return req->given & OPTION_BIT(option);
}

#endif /* RBLKCTL_REQUEST_H */
