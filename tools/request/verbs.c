// SPDX-License-Identifier: GPL-2.0-only
/* The verbs, and how their arguments are read. */
#include <stdio.h>
#include <string.h>

#include "request/request.h"
#include "request/words.h"

static const char *take_attach(struct request *req, const char *value)
{
	return endpoint_parse_routes(value, &req->target, req->other, &req->nr_other,
				     req->export);
}

static const char *take_target(struct request *req, const char *value)
{
	return endpoint_parse(value, &req->target);
}

/* With an export or without; no target has a slash. */
static const char *take_reach(struct request *req, const char *value)
{
	return strchr(value, '/') ? take_attach(req, value) : take_target(req, value);
}

static const char *take_portal(struct request *req, const char *value)
{
	return endpoint_parse_portal(value, &req->target);
}

static const char *take_volume(struct request *req, const char *value)
{
	return selector_parse(value, &req->volume);
}

static const char *take_export(struct request *req, const char *value)
{
	return export_name_parse(value, req->export);
}

static const char *take_backing(struct request *req, const char *value)
{
	if (!*value)
		return "the device is missing";
	if (!text_copy(req->backing, sizeof(req->backing), value, strlen(value)))
		return "the device's path is too long";
	return NULL;
}

static const char *take_peer(struct request *req, const char *value)
{
	if (!*value)
		return "the host is missing";
	if (!text_copy(req->peer, sizeof(req->peer), value, strlen(value)))
		return "a host's name is at most 63 characters";
	return NULL;
}

/* Of "help", which the parser has read before. */
static const char *take_word(struct request *req, const char *value)
{
	(void)req;
	(void)value;
	return NULL;
}

#define CONNECTING (OPTION_BIT(OPTION_SOURCE) | OPTION_BIT(OPTION_HOST_UUID) |	\
		    OPTION_BIT(OPTION_HOST_NAME) | OPTIONS_PROOF)

/* In the order of --help. */
const struct verb_desc verb_table[VERB_NR] = {
	[VERB_ATTACH] = {
		.name = "attach", .arg = { { "TARGET[:PORT][,...]/EXPORT", take_attach } },
		.help = "attach an export and print its /dev/rblkN",
		.more = attach_help,
		.options = CONNECTING | OPTION_BIT(OPTION_READ_ONLY) |
			OPTION_BIT(OPTION_SHARED) | OPTION_BIT(OPTION_QUEUES) |
			OPTION_BIT(OPTION_DEPTH) | OPTION_BIT(OPTION_QUEUE_TIMEOUT) |
			OPTION_BIT(OPTION_INDEX) | OPTION_BIT(OPTION_UUID) |
			OPTION_BIT(OPTION_INLINE_READ) | OPTION_BIT(OPTION_POLL_QUEUES) |
			OPTION_BIT(OPTION_ALL_ROUTES) | OPTION_BIT(OPTION_DIGEST) |
			OPTION_BIT(OPTION_SAVE),
	},
	[VERB_DETACH] = {
		.name = "detach", .arg = { { "DEVICE|EXPORT", take_volume } },
		.help = "detach a device",
		.more = detach_help,
		.options = OPTION_BIT(OPTION_FORCE),
	},
	[VERB_LIST] = {
		.name = "list",
		.help = "list the attached devices",
		.columns = list_columns,
	},
	[VERB_SHOW] = {
		.name = "show", .arg = { { "DEVICE|EXPORT", take_volume } },
		.help = "show a device, its session and its counters",
		.more = volume_help,
	},
	[VERB_SET] = {
		.name = "set", .arg = { { "DEVICE|EXPORT", take_volume } },
		.help = "change a device's policy or keys, also while disconnected",
		.more = set_help,
		.options = OPTION_BIT(OPTION_QUEUE_TIMEOUT) | OPTION_BIT(OPTION_TARGET_KEY),
	},
	[VERB_STAT] = {
		.name = "stat", .arg = { { "DEVICE|EXPORT", take_volume } }, .may_lack = 1,
		.help = "show what volumes do, or all counters",
		.more = stat_help,
		.options = OPTION_BIT(OPTION_COUNT) | OPTION_BIT(OPTION_INTERVAL) |
			OPTION_BIT(OPTION_PROMETHEUS) | OPTION_BIT(OPTION_SORT) |
			OPTION_BIT(OPTION_WATCH),
		.columns = stat_columns,
	},
	[VERB_TOP] = {
		.name = "top",
		.help = "watch all volumes, the busiest first",
		.more = top_help,
		.options = OPTION_BIT(OPTION_COUNT) | OPTION_BIT(OPTION_INTERVAL) |
			OPTION_BIT(OPTION_SORT),
		.columns = top_columns,
	},
	[VERB_DOCTOR] = {
		.name = "doctor", .arg = { { "TARGET[:PORT][/EXPORT]", take_reach } },
		.may_lack = 1,
		.role = ROLE_DIAGNOSIS,
		.help = "find what keeps rblk from working, and say what mends it",
		.more = doctor_help,
		.options = CONNECTING,
	},
	[VERB_EVENTS] = {
		.name = "events",
		.help = "follow attach, loss, recovery, resize and detach",
		.more = events_help,
	},
	[VERB_DISCOVER] = {
		.name = "discover", .arg = { { "TARGET[:PORT]", take_target } },
		.help = "list the exports that a target offers this host",
		.options = CONNECTING,
		.columns = discover_columns,
	},
	[VERB_ROUTE_ADD] = {
		.noun = "route", .name = "add",
		.arg = { { "DEVICE|EXPORT", take_volume }, { "TARGET[:PORT]", take_target } },
		.help = "reach a device's target by another address, too",
		.more = route_add_help,
		.options = OPTION_BIT(OPTION_SOURCE) | OPTIONS_PROOF,
	},
	[VERB_ROUTE_REMOVE] = {
		.noun = "route", .name = "remove",
		.arg = { { "DEVICE|EXPORT", take_volume }, { "TARGET[:PORT]", take_target } },
		.help = "use an address no more",
		.more = route_remove_help,
		.options = OPTION_BIT(OPTION_SOURCE),
	},
	[VERB_ROUTE_LIST] = {
		.noun = "route", .name = "list", .arg = { { "DEVICE|EXPORT", take_volume } },
		.may_lack = 1,
		.help = "list the routes of a device, or of all",
		.columns = route_columns,
	},
	[VERB_RESERVATION] = {
		.name = "reservation", .arg = { { "DEVICE|EXPORT", take_volume } },
		.help = "show who has reserved a volume, or an export of this target",
		.more = reservation_help,
		.options = OPTIONS_RESERVATION | OPTION_BIT(OPTION_FORCE),
	},
	[VERB_EXPORT_ADD] = {
		.noun = "export", .name = "add",
		.arg = { { "NAME", take_export }, { "DEVICE", take_backing } },
		.may_lack = 1,
		.role = ROLE_TARGET,
		.help = "offer a block device and print its UUID",
		.more = export_add_help,
		.options = OPTION_BIT(OPTION_READ_ONLY) | OPTION_BIT(OPTION_SHARED) |
			OPTION_BIT(OPTION_UUID) | OPTION_BIT(OPTION_ALLOW) |
			OPTION_BIT(OPTION_ALLOW_ANY) | OPTION_BIT(OPTION_BACKING_FILE) |
			OPTION_BIT(OPTION_CGROUP) | OPTION_BIT(OPTION_FORGET) |
			OPTION_BIT(OPTION_REALTIME) | OPTION_BIT(OPTION_SIZE) |
			OPTION_BIT(OPTION_INSECURE) | OPTION_BIT(OPTION_SAVE) |
			OPTION_BIT(OPTION_POOL) | OPTION_BIT(OPTION_CLONE_OF),
	},
	[VERB_EXPORT_REMOVE] = {
		.noun = "export", .name = "remove", .arg = { { "NAME", take_export } },
		.role = ROLE_TARGET,
		.help = "stop offering it",
		.more = export_remove_help,
		.options = OPTION_BIT(OPTION_FORCE) | OPTION_BIT(OPTION_DESTROY),
	},
	[VERB_EXPORT_SET] = {
		.noun = "export", .name = "set", .arg = { { "NAME", take_export } },
		.role = ROLE_TARGET,
		.help = "change who may attach it, how, and its name",
		.more = export_set_help,
		.options = OPTION_BIT(OPTION_ALLOW) | OPTION_BIT(OPTION_ALLOW_ANY) |
			OPTION_BIT(OPTION_EXCLUSIVE) | OPTION_BIT(OPTION_FORCE) |
			OPTION_BIT(OPTION_READ_ONLY) | OPTION_BIT(OPTION_READ_WRITE) |
			OPTION_BIT(OPTION_REALTIME) | OPTION_BIT(OPTION_NO_REALTIME) |
			OPTION_BIT(OPTION_INSECURE) | OPTION_BIT(OPTION_SECURE) |
			OPTION_BIT(OPTION_RENAME) | OPTION_BIT(OPTION_SHARED),
	},
	[VERB_EXPORT_ALLOW] = {
		.noun = "export", .name = "allow",
		.arg = { { "NAME", take_export }, { "KEY|UUID", take_allowed } },
		.repeats = true,
		.role = ROLE_TARGET,
		.help = "let a host attach it, too",
		.more = export_allow_help,
		.options = OPTION_BIT(OPTION_INSECURE),
	},
	[VERB_EXPORT_DENY] = {
		.noun = "export", .name = "deny",
		.arg = { { "NAME", take_export }, { "KEY|UUID", take_allowed } },
		.repeats = true,
		.role = ROLE_TARGET,
		.help = "let a host attach it no more",
		.more = export_deny_help,
		.options = OPTION_BIT(OPTION_FORCE),
	},
	[VERB_EXPORT_LIST] = {
		.noun = "export", .name = "list",
		.role = ROLE_TARGET,
		.help = "list the exports",
		.columns = export_columns,
	},
	[VERB_EXPORT_SHOW] = {
		.noun = "export", .name = "show", .arg = { { "NAME", take_export } },
		.role = ROLE_TARGET,
		.help = "show an export, who may and who does use it",
	},
	[VERB_EXPORT_STAT] = {
		.noun = "export", .name = "stat", .arg = { { "NAME", take_export } },
		.may_lack = 1,
		.role = ROLE_TARGET,
		.help = "show what hosts do with an export, or each",
		.more = served_help,
		.options = OPTION_BIT(OPTION_INTERVAL) | OPTION_BIT(OPTION_WATCH),
		.columns = served_columns,
	},
	[VERB_PORTAL_ADD] = {
		.noun = "portal", .name = "add", .arg = { { "ADDRESS[:PORT]", take_portal } },
		.role = ROLE_TARGET,
		.help = "listen on an address",
		.more = portal_add_help,
		.options = OPTION_BIT(OPTION_SAVE),
	},
	[VERB_PORTAL_REMOVE] = {
		.noun = "portal", .name = "remove",
		.arg = { { "ADDRESS[:PORT]", take_portal } },
		.role = ROLE_TARGET,
		.help = "stop listening",
		.more = "With --force the sessions that came through it end.\n",
		.options = OPTION_BIT(OPTION_FORCE),
	},
	[VERB_PORTAL_LIST] = {
		.noun = "portal", .name = "list",
		.role = ROLE_TARGET,
		.help = "list the portals",
		.columns = portal_columns,
	},
	[VERB_SESSION_LIST] = {
		.noun = "session", .name = "list",
		.role = ROLE_TARGET,
		.help = "list the hosts that are connected to this target",
		.columns = session_columns,
	},
	[VERB_SESSION_REMOVE] = {
		.noun = "session", .name = "remove", .arg = { { "HOST", take_peer } },
		.role = ROLE_TARGET,
		.help = "end a host's sessions, at once",
		.more = session_remove_help,
		.options = OPTION_BIT(OPTION_FORCE),
	},
	[VERB_SESSION_STAT] = {
		.noun = "session", .name = "stat", .arg = { { "HOST", take_peer } },
		.may_lack = 1,
		.role = ROLE_TARGET,
		.help = "show what a host, or each, does with all exports",
		.more = served_help,
		.options = OPTION_BIT(OPTION_INTERVAL) | OPTION_BIT(OPTION_WATCH),
		.columns = served_columns + 1,
	},
	[VERB_HOST_FENCE] = {
		.noun = "host", .name = "fence", .arg = { { "HOST", take_peer } },
		.role = ROLE_TARGET,
		.help = "take all exports from a host, and wait for its last I/O",
		.more = host_fence_help,
		.options = OPTION_BIT(OPTION_WAIT),
	},
	[VERB_HOST_UNFENCE] = {
		.noun = "host", .name = "unfence", .arg = { { "HOST", take_peer } },
		.role = ROLE_TARGET,
		.help = "let a host have its exports again",
		.more = host_unfence_help,
	},
	[VERB_HOST_LIST] = {
		.noun = "host", .name = "list",
		.role = ROLE_TARGET,
		.help = "list the hosts that this target knows, and which are fenced",
		.columns = host_columns,
	},
	[VERB_TARGET_PAUSE] = {
		.noun = "target", .name = "pause",
		.role = ROLE_TARGET,
		.help = "send all hosts away for a while, which they know of",
		.more = target_pause_help,
		.options = OPTION_BIT(OPTION_FOR), .required = OPTION_BIT(OPTION_FOR),
	},
	[VERB_TARGET_RESUME] = {
		.noun = "target", .name = "resume",
		.role = ROLE_TARGET,
		.help = "end a pause: let them come back",
	},
	[VERB_TARGET_SHOW] = {
		.noun = "target", .name = "show",
		.role = ROLE_TARGET,
		.help = "show whether it is paused, and for how long",
	},
	[VERB_APPLY] = {
		.name = "apply",
		.role = ROLE_CONFIGURATION,
		.help = "make the running state equal to the configuration",
		.more = apply_help,
		.options = OPTION_BIT(OPTION_DRY_RUN) | OPTION_BIT(OPTION_EACH) |
			OPTION_BIT(OPTION_FILE) | OPTION_BIT(OPTION_ONLY),
		.columns = item_columns,
	},
	[VERB_UP] = {
		.name = "up", .synonym = "restore",
		.role = ROLE_CONFIGURATION,
		.help = "bring up what the configuration has and is not there (restore)",
		.more = up_help,
		.options = OPTION_BIT(OPTION_FILE) | OPTION_BIT(OPTION_ONLY) |
			OPTION_BIT(OPTION_WAIT),
		.columns = item_columns,
	},
	[VERB_DOWN] = {
		.name = "down", .synonym = "stop",
		.role = ROLE_CONFIGURATION,
		.help = "detach all volumes, remove all exports and portals (stop)",
		.more = down_help,
		.options = OPTION_BIT(OPTION_FORCE) | OPTION_BIT(OPTION_ONLY),
		.columns = item_columns,
	},
	[VERB_SAVE] = {
		.name = "save",
		.role = ROLE_CONFIGURATION,
		.help = "write the running state as the configuration",
		.more = save_help,
		.options = OPTION_BIT(OPTION_FILE),
	},
	[VERB_KEY] = {
		.name = "key",
		.role = ROLE_DIAGNOSIS,
		.help = "print this machine's public key, for --allow and --target-key",
		.more = key_help,
		.options = OPTION_BIT(OPTION_PRIVATE),
	},
	[VERB_KEY_ROTATE] = {
		.noun = "key", .name = "rotate",
		.role = ROLE_DIAGNOSIS,
		.help = "prepare the next key, or make it the key",
		.more = key_rotate_help,
		.options = OPTION_BIT(OPTION_NOW),
	},
	[VERB_KEY_LOAD] = {
		.noun = "key", .name = "load",
		.role = ROLE_DIAGNOSIS,
		.help = "give key and PSKs to the modules that are loaded, anew",
		.more = key_load_help,
	},
	[VERB_HOST] = {
		.name = "host",
		.role = ROLE_DIAGNOSIS,
		.help = "print this host's UUID and its name",
	},
	[VERB_VERSION] = {
		.name = "version",
		.role = ROLE_DIAGNOSIS,
		.help = "print the versions of the tool and the modules",
	},
	[VERB_HELP] = {
		.name = "help", .arg = { { "VERB", take_word } },
		.may_lack = 1, .repeats = true,
		.role = ROLE_DIAGNOSIS,
		.help = "print this, or what a verb is for and takes",
	},
};

/**
 * verb_takes() - whether an option goes with a verb
 * @verb: the verb
 * @option: the option
 *
 * Return: whether it does.
 */
bool verb_takes(enum verb_id verb, enum option_id option)
{
	__u64 takes = verb_table[verb].options | OPTION_BIT(OPTION_COLOR) |
		      OPTION_BIT(OPTION_HELP) | OPTION_BIT(OPTION_JSON);

	if (verb_table[verb].columns)
		takes |= OPTION_BIT(OPTION_NO_HEADINGS) | OPTION_BIT(OPTION_OUTPUT);
	return takes & OPTION_BIT(option);
}

/**
 * verb_text() - a verb as it is typed
 * @to: "attach", "export add"
 * @room: bytes at @to
 * @verb: the verb
 */
void verb_text(char *to, size_t room, enum verb_id verb)
{
	const struct verb_desc *v = &verb_table[verb];

	snprintf(to, room, "%s%s%s", v->noun ? v->noun : "", v->noun ? " " : "",
		 v->name ? v->name : "");
}
