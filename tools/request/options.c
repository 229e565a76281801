// SPDX-License-Identifier: GPL-2.0-only
/* The options, and how their values are read. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "rblk_wire.h"
#include "request/request.h"

#define STRING(x)	#x
#define DIGITS(x)	STRING(x)

/**
 * take_allowed() - a host of an export's list
 * @req: the request
 * @value: its key or UUID
 *
 * Return: NULL, or what is wrong.
 */
const char *take_allowed(struct request *req, const char *value)
{
	unsigned int i;

	if (req->nr_allowed == RBLK_MAX_HOSTS)
		return "an export's list has room for " DIGITS(RBLK_MAX_HOSTS) " hosts";
	if (!text_host(value, &req->allowed[req->nr_allowed]))
		return "not a host's key; 'rblkctl key' on that host prints it";
	for (i = 0; i < req->nr_allowed; i++)
		if (!memcmp(&req->allowed[i], &req->allowed[req->nr_allowed],
			    sizeof(req->allowed[i])))
			return "that host is given twice";
	req->nr_allowed++;
	return NULL;
}

static const char *take_allow(struct request *req, const char *value)
{
	/* To take it from those who are allowed now. */
	if (req->verb == VERB_EXPORT_SET && !strcmp(value, "none"))
		req->nobody = true;
	if (req->nobody)
		return req->nr_allowed || strcmp(value, "none") ? "none stands alone" : NULL;
	return take_allowed(req, value);
}

static const char *take_backing_file(struct request *req, const char *value)
{
	if (!*value)
		return "a file's name is missing";
	if (!text_copy(req->backing, sizeof(req->backing), value, strlen(value)))
		return "the file's name is too long";
	return NULL;
}

static const char no_host[] = "not a host's key or UUID, as 'rblkctl reservation' has it";

static const char *take_drop(struct request *req, const char *value)
{
	return text_host(value, &req->registrant[0]) ? NULL : no_host;
}

static const char *take_move(struct request *req, const char *value)
{
	const char *comma = strchr(value, ',');
	char old[HOST_TEXT];

	if (!comma)
		return "the host's new key is missing: OLD,NEW";
	if (!text_copy(old, sizeof(old), value, comma - value) ||
	    !text_host(old, &req->registrant[0]) || !text_host(comma + 1, &req->registrant[1]))
		return no_host;
	return NULL;
}

/* As it is below the mount point, or as systemd-cgls and the kernel have it. */
static const char *take_cgroup(struct request *req, const char *value)
{
	static const char mounted[] = "/sys/fs/cgroup/";
	size_t len;

	if (!strncmp(value, mounted, strlen(mounted)))
		value += strlen(mounted) - 1;
	for (len = strlen(value); len > 1 && value[len - 1] == '/'; len--)
		;
	if (!len || len + 2 > sizeof(req->cgroup))
		return "not the path of a control group";
	snprintf(req->cgroup, sizeof(req->cgroup), "%s%.*s", value[0] == '/' ? "" : "/",
		 (int)len, value);
	return NULL;
}

static const char *take_clone_of(struct request *req, const char *value)
{
	return export_name_parse(value, req->clone_of);
}

static const char *take_color(struct request *req, const char *value)
{
	static const char * const when[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(when); i++)
		if (!strcmp(value, when[i]))
			req->color = i;
	return strcmp(value, when[req->color]) ? "not auto, always or never" : NULL;
}

static const char *take_count(struct request *req, const char *value)
{
	long long n;

	if (!text_number(value, 1, INT_MAX, &n))
		return "not a number of 1 or more";
	req->count = n;
	return NULL;
}

static const char *take_depth(struct request *req, const char *value)
{
	long long n;

	if (!text_number(value, RBLK_WIRE_MIN_DEPTH, RBLK_WIRE_MAX_DEPTH, &n))
		return "not a number from " DIGITS(RBLK_WIRE_MIN_DEPTH) " to "
		       DIGITS(RBLK_WIRE_MAX_DEPTH);
	req->depth = n;
	return NULL;
}

static const char *take_file(struct request *req, const char *value)
{
	if (!*value)
		return "a file's name is missing";
	if (!text_copy(req->file, sizeof(req->file), value, strlen(value)))
		return "the file's name is too long";
	return NULL;
}

static const char *take_for(struct request *req, const char *value)
{
	if (!text_seconds(value, 1, RBLK_WIRE_MAX_AWAY_MS / 1000, &req->pause))
		return "not a time such as 30s or 5m, an hour at most";
	return NULL;
}

static const char *take_host_name(struct request *req, const char *value)
{
	char name[RBLK_NAME_LEN] = "";

	if (!text_copy(name, sizeof(name), value, strlen(value)) || !rblk_name_ok(name))
		return "not a name: a host's name is " RBLK_NAME_RULE;
	memcpy(req->host_name, name, sizeof(name));
	return NULL;
}

static const char *take_host_uuid(struct request *req, const char *value)
{
	return text_uuid(value, req->host_uuid) ? NULL : "not a UUID";
}

static const char *take_index(struct request *req, const char *value)
{
	long long n;

	/* Whether it is too large for a device is the module's to say. */
	if (!text_number(value, 0, INT_MAX, &n))
		return "not the N of a /dev/rblkN";
	req->index = n;
	return NULL;
}

static const char *take_inline_read(struct request *req, const char *value)
{
	__u64 bytes;

	if (!text_bytes(value, RBLK_WIRE_MAX_INLINE, &bytes))
		return "not a number of bytes from 0 to 32k";
	req->inline_read = bytes;
	return NULL;
}

static const char *take_interval(struct request *req, const char *value)
{
	return text_seconds(value, 1, 3600, &req->interval) ? NULL :
	       "not a time such as 10s or 5m, from a second to an hour";
}

static const char *take_only(struct request *req, const char *value)
{
	if (!strcmp(value, "target"))
		req->only = ITEMS_TARGET;
	else if (!strcmp(value, "volumes"))
		req->only = ITEMS_VOLUMES;
	else
		return "neither target (portals and exports) nor volumes";
	return NULL;
}

/* Which table it is of is known at the end: columns_complete() reads the names. */
static const char *take_output(struct request *req, const char *value)
{
	return text_copy(req->output, sizeof(req->output), value, strlen(value)) ? NULL :
	       "the list is too long";
}

/* An ordinary queue is always there. */
static const char *take_poll_queues(struct request *req, const char *value)
{
	long long n;

	if (!text_number(value, 0, RBLK_WIRE_MAX_QUEUES - 1, &n))
		return "not a number from 0 to 63";
	req->poll_queues = n;
	return NULL;
}

static const char *take_queues(struct request *req, const char *value)
{
	long long n;

	if (!text_number(value, 1, RBLK_WIRE_MAX_QUEUES, &n))
		return "not a number from 1 to " DIGITS(RBLK_WIRE_MAX_QUEUES);
	req->queues = n;
	return NULL;
}

static const char *take_queue_timeout(struct request *req, const char *value)
{
	/* As the module and its attribute have it. */
	if (!strcmp(value, "-1"))
		value = "forever";
	return text_timeout(value, RBLK_QUEUE_TIMEOUT_MAX, &req->queue_timeout) ? NULL :
	       "not a time such as 30s, 5m or 2h, a day (" DIGITS(RBLK_QUEUE_TIMEOUT_MAX)
	       ") at most, nor forever (-1)";
}

static const char *take_rename(struct request *req, const char *value)
{
	return export_name_parse(value, req->rename);
}

static const char *take_size(struct request *req, const char *value)
{
	if (!text_bytes(value, INT64_MAX, &req->size) || !req->size || req->size % 4096)
		return "not a multiple of 4k, such as 512M or 10G";
	return NULL;
}

static const char *take_sort(struct request *req, const char *value)
{
	static const char * const keys[] = {
		[SORT_IO] = "io",
		[SORT_BYTES] = "bytes",
		[SORT_LATENCY] = "latency",
		[SORT_BUSY] = "busy",
		[SORT_DEVICE] = "device",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(value, keys[i]))
			req->sort = i;
	return strcmp(value, keys[req->sort]) ?
	       "not io, bytes, latency, busy or device" : NULL;
}

static const char *take_source(struct request *req, const char *value)
{
	return endpoint_parse_sources(value, &req->source, req->other_source,
				      &req->nr_other_source);
}

static const char *take_target_key(struct request *req, const char *value)
{
	unsigned int i;

	if (req->nr_target_keys == RBLK_TARGET_KEYS)
		return "a target has at most " DIGITS(RBLK_TARGET_KEYS) " keys";
	if (!text_public_key(value, req->target_key[req->nr_target_keys]))
		return "not a key; 'rblkctl key' on the target prints it";
	for (i = 0; i < req->nr_target_keys; i++)
		if (!memcmp(req->target_key[i], req->target_key[req->nr_target_keys], KEY_BYTES))
			return "that key is given twice";
	req->nr_target_keys++;
	return NULL;
}

static const char *take_uuid(struct request *req, const char *value)
{
	return text_uuid(value, req->uuid) ? NULL : "not a UUID";
}

static const char *take_wait(struct request *req, const char *value)
{
	return text_timeout(value, INT_MAX, &req->wait) ? NULL :
	       "not a time such as 30s or 5m, nor forever";
}

/* In the order of --help. */
const struct option_desc option_table[OPTION_NR] = {
	[OPTION_ALLOW] = { "--allow", "KEY|UUID",
		"let this host attach it; may be repeated", take_allow, true },
	[OPTION_ALLOW_ANY] = { "--allow-any", NULL,
		"let every host attach it that proves any key", NULL, false },
	[OPTION_ALL_ROUTES] = { "--all-routes", NULL,
		"also by all other addresses at which the target says it listens", NULL, false },
	[OPTION_BACKING_FILE] = { "--file", "PATH",
		"offer this file, by a loop device, instead of a DEVICE",
		take_backing_file, false },
	[OPTION_CGROUP] = { "--cgroup", "PATH",
		"let its I/O count for this control group, such as storage.slice",
		take_cgroup, false },
	[OPTION_CLEAR] = { "--clear", NULL,
		"end the reservation and all registrations", NULL, false },
	[OPTION_CLONE_OF] = { "--clone-of", "EXPORT",
		"offer a new snapshot of the logical volume behind this export", take_clone_of,
		false },
	[OPTION_COLOR] = { "--color", "WHEN",
		"auto, always or never (default: auto, on a terminal)", take_color, false },
	[OPTION_COUNT] = { "--count", "N",
		"end after so many looks, also -n N (default: go on)", take_count, false },
	[OPTION_DEPTH] = { "--depth", "N",
		"commands outstanding per connection (default: 128)", take_depth, false },
	[OPTION_DESTROY] = { "--destroy", NULL,
		"remove the logical volume, too, which --pool or --clone-of made", NULL, false },
	[OPTION_DIGEST] = { "--digest", NULL,
		"check the data of each read and write where it arrives", NULL, false },
	[OPTION_DROP] = { "--drop", "KEY|UUID",
		"end the registration of this host", take_drop, false },
	[OPTION_DRY_RUN] = { "--dry-run", NULL,
		"only say what would be done", NULL, false },
	[OPTION_EACH] = { "--each", NULL,
		"do what can be done, each item for itself, and say what was not", NULL, false },
	[OPTION_EXCLUSIVE] = { "--exclusive", NULL,
		"one host may write, and then nobody else reads", NULL, false },
	[OPTION_FILE] = { "--file", "PATH",
		"the configuration (default: /etc/rblk/rblk.conf)", take_file, false },
	[OPTION_FOR] = { "--for", "TIME",
		"how long hosts have to wait, at most, such as 30s or 5m", take_for, false },
	[OPTION_FORCE] = { "--force", NULL,
		"also while it is in use", NULL, false },
	[OPTION_FORGET] = { "--forget", NULL,
		"nobody has written last: another target has served it since", NULL, false },
	[OPTION_HELP] = { "--help", NULL,
		"print this help", NULL, true },
	[OPTION_HOST_NAME] = { "--host-name", "NAME",
		"name to appear under at the target", take_host_name, false },
	[OPTION_HOST_UUID] = { "--host-uuid", "UUID",
		"identity to appear under at the target", take_host_uuid, false },
	[OPTION_INDEX] = { "--index", "N",
		"become /dev/rblkN (default: the first free)", take_index, false },
	[OPTION_INLINE_READ] = { "--inline-read", "BYTES",
		"reads up to this size come in the response (default: 4k on soft iWARP, else 0)",
		take_inline_read, false },
	[OPTION_INSECURE] = { "--insecure", NULL,
		"do without keys: whoever is on the way can read and change it all", NULL, false },
	[OPTION_INTERVAL] = { "--interval", "TIME",
		"between two looks (default: 1s)", take_interval, false },
	[OPTION_JSON] = { "--json", NULL,
		"print the result as JSON", NULL, true },
	[OPTION_MOVE] = { "--move", "OLD,NEW",
		"the host with key OLD has key NEW now: it keeps its registration", take_move,
		false },
	[OPTION_NO_HEADINGS] = { "--no-headings", NULL,
		"print the rows alone", NULL, false },
	[OPTION_NO_REALTIME] = { "--no-realtime", NULL,
		"hosts' real-time I/O is best effort on its disk", NULL, false },
	[OPTION_NOW] = { "--now", NULL,
		"make the next key the key", NULL, false },
	[OPTION_ONLY] = { "--only", "PART",
		"target (portals and exports) or volumes", take_only, false },
	[OPTION_OUTPUT] = { "--output", "COLUMNS",
		"these, with commas between them, also -o COLUMNS; 'help' lists them",
		take_output, false },
	[OPTION_POOL] = { "--pool", "VG[/THINPOOL]",
		"offer a new logical volume of this volume group or thin pool", take_pool, false },
	[OPTION_POLL_QUEUES] = { "--poll-queues", "N",
		"I/O connections more, for I/O that is polled (default: 0)",
		take_poll_queues, false },
	[OPTION_PRIVATE] = { "--private", NULL,
		"print the private key instead, which nobody else may see", NULL, false },
	[OPTION_PROMETHEUS] = { "--prometheus", NULL,
		"totals of everything, for node_exporter's textfile collector", NULL, false },
	[OPTION_QUEUES] = { "--queues", "N",
		"I/O connections of the session (default: 4 at most)", take_queues, false },
	[OPTION_QUEUE_TIMEOUT] = { "--queue-timeout", "TIME",
		"how long to hold I/O while disconnected (default: 30s), or forever",
		take_queue_timeout, false },
	[OPTION_READ_ONLY] = { "--read-only", NULL,
		"no writes", NULL, false },
	[OPTION_READ_WRITE] = { "--read-write", NULL,
		"writes again", NULL, false },
	[OPTION_REALTIME] = { "--realtime", NULL,
		"let hosts have real-time I/O priorities on its disk", NULL, false },
	[OPTION_RENAME] = { "--rename", "NAME",
		"call it so from now on", take_rename, false },
	[OPTION_SAVE] = { "--save", NULL,
		"keep it in " CONFIG_PATH ", too; its comments stay in rblk.conf.old only",
		NULL, false },
	[OPTION_SECURE] = { "--secure", NULL,
		"only hosts that prove a key, from now on", NULL, false },
	[OPTION_SHARED] = { "--shared", NULL,
		"several may write, for cluster file systems and multipath", NULL, false },
	[OPTION_SIZE] = { "--size", "BYTES",
		"of what is made, such as 10G: a missing file, a volume, a snapshot's changes",
		take_size, false },
	[OPTION_SORT] = { "--sort", "KEY",
		"by io, bytes, latency, busy or device (default: io)", take_sort, false },
	[OPTION_SOURCE] = { "--source", "ADDRESS",
		"local address to connect from; one for each TARGET, with commas", take_source,
		false },
	[OPTION_TARGET_KEY] = { "--target-key", "KEY",
		"the key that the target must prove; two for a change of it", take_target_key,
		true },
	[OPTION_TRUST_FIRST] = { "--trust-first", NULL,
		"take the key that the target shows, this time, and print it", NULL, false },
	[OPTION_UUID] = { "--uuid", "UUID",
		"identity of the export", take_uuid, false },
	[OPTION_WAIT] = { "--wait", "TIME",
		"try again for so long, such as 5m, or forever", take_wait, false },
	[OPTION_WATCH] = { "--watch", NULL,
		"again and again, until interrupted", NULL, false },
};
