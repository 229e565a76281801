// SPDX-License-Identifier: GPL-2.0-only
/* The verbs, and how their arguments are read. */
#include <stdio.h>
#include <string.h>

#include "request.h"

static const char *take_attach(struct request *req, const char *value)
{
	return endpoint_parse_export(value, &req->target, req->export);
}

static const char *take_target(struct request *req, const char *value)
{
	return endpoint_parse(value, &req->target);
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

#define CONNECTING (OPTION_BIT(OPTION_SOURCE) | OPTION_BIT(OPTION_HOST_UUID) |	\
		    OPTION_BIT(OPTION_HOST_NAME))

static const char attach_help[] =
	"TARGET is a host name or an IP address, an IPv6 address in brackets where a\n"
	"PORT follows; the default port is 4421. With --uuid the export must have that\n"
	"identity.\n";

static const char export_add_help[] =
	"Without --uuid a random one is made: give the same UUID whenever the same data\n"
	"is offered again. With neither --allow nor --allow-any nobody may attach it.\n";

static const char portal_add_help[] =
	"ADDRESS is this host's; * or any stands for all its IPv4 addresses, [::] for\n"
	"all its IPv6 addresses. The default port is 4421.\n";

static const char volume_help[] =
	"DEVICE is rblkN, /dev/rblkN, a link to it, or the UUID. An export's name, or\n"
	"TARGET[:PORT]/EXPORT as it was attached, stands for the device.\n";

/* In the order of --help. */
const struct verb_desc verb_table[VERB_NR] = {
	[VERB_ATTACH] = {
		.name = "attach", .arg = { { "TARGET[:PORT]/EXPORT", take_attach } },
		.help = "attach an export and print its /dev/rblkN",
		.more = attach_help,
		.options = CONNECTING | OPTION_BIT(OPTION_READ_ONLY) |
			OPTION_BIT(OPTION_SHARED) | OPTION_BIT(OPTION_QUEUES) |
			OPTION_BIT(OPTION_DEPTH) | OPTION_BIT(OPTION_QUEUE_TIMEOUT) |
			OPTION_BIT(OPTION_INDEX) | OPTION_BIT(OPTION_UUID),
	},
	[VERB_DETACH] = {
		.name = "detach", .arg = { { "DEVICE|EXPORT", take_volume } },
		.help = "detach a device",
		.more = volume_help,
		.options = OPTION_BIT(OPTION_FORCE),
	},
	[VERB_LIST] = {
		.name = "list",
		.help = "list the attached devices",
	},
	[VERB_SHOW] = {
		.name = "show", .arg = { { "DEVICE|EXPORT", take_volume } },
		.help = "show a device, its session and its counters",
		.more = volume_help,
	},
	[VERB_SET] = {
		.name = "set", .arg = { { "DEVICE|EXPORT", take_volume } },
		.help = "change a device's policy, also while disconnected",
		.more = volume_help,
		.options = OPTION_BIT(OPTION_QUEUE_TIMEOUT),
		.required = OPTION_BIT(OPTION_QUEUE_TIMEOUT),
	},
	[VERB_DISCOVER] = {
		.name = "discover", .arg = { { "TARGET[:PORT]", take_target } },
		.help = "list the exports that a target offers this host",
		.options = CONNECTING,
	},
	[VERB_EXPORT_ADD] = {
		.noun = "export", .name = "add",
		.arg = { { "NAME", take_export }, { "DEVICE", take_backing } },
		.help = "offer a block device and print its UUID",
		.more = export_add_help,
		.options = OPTION_BIT(OPTION_READ_ONLY) | OPTION_BIT(OPTION_SHARED) |
			OPTION_BIT(OPTION_UUID) | OPTION_BIT(OPTION_ALLOW) |
			OPTION_BIT(OPTION_ALLOW_ANY),
	},
	[VERB_EXPORT_REMOVE] = {
		.noun = "export", .name = "remove", .arg = { { "NAME", take_export } },
		.help = "stop offering it",
		.options = OPTION_BIT(OPTION_FORCE),
	},
	[VERB_EXPORT_LIST] = {
		.noun = "export", .name = "list",
		.help = "list the exports",
	},
	[VERB_EXPORT_SHOW] = {
		.noun = "export", .name = "show", .arg = { { "NAME", take_export } },
		.help = "show an export, who may and who does use it",
	},
	[VERB_PORTAL_ADD] = {
		.noun = "portal", .name = "add", .arg = { { "ADDRESS[:PORT]", take_portal } },
		.help = "listen on an address",
		.more = portal_add_help,
	},
	[VERB_PORTAL_REMOVE] = {
		.noun = "portal", .name = "remove",
		.arg = { { "ADDRESS[:PORT]", take_portal } },
		.help = "stop listening",
		.more = "With --force the sessions that came through it end.\n",
		.options = OPTION_BIT(OPTION_FORCE),
	},
	[VERB_PORTAL_LIST] = {
		.noun = "portal", .name = "list",
		.help = "list the portals",
	},
	[VERB_SESSION_LIST] = {
		.noun = "session", .name = "list",
		.help = "list the hosts that are connected to this target",
	},
	[VERB_HOST] = {
		.name = "host",
		.help = "print this host's UUID, for --allow, and its name",
	},
	[VERB_VERSION] = {
		.name = "version",
		.help = "print the versions of the tool and the modules",
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
	unsigned int always = OPTION_BIT(OPTION_HELP) | OPTION_BIT(OPTION_JSON);

	return (verb_table[verb].options | always) & OPTION_BIT(option);
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
