// SPDX-License-Identifier: GPL-2.0-only
/* The options, and how their values are read. */
#include <limits.h>
#include <string.h>

#include "request.h"
#include "rblk_wire.h"

#define STRING(x)	#x
#define DIGITS(x)	STRING(x)

static const char *take_allow(struct request *req, const char *value)
{
	unsigned int i;

	if (req->nr_allowed == RBLK_MAX_HOSTS)
		return "an export's list has room for " DIGITS(RBLK_MAX_HOSTS) " hosts";
	if (!text_uuid(value, req->allowed[req->nr_allowed]))
		return "not a host's UUID; 'rblkctl host' on that host prints it";
	for (i = 0; i < req->nr_allowed; i++)
		if (!memcmp(req->allowed[i], req->allowed[req->nr_allowed], UUID_BYTES))
			return "that host is given twice";
	req->nr_allowed++;
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

static const char *take_host_name(struct request *req, const char *value)
{
	const char *p;

	for (p = value; *p; p++)
		if (*p <= ' ' || *p > '~')
			return "not a host name";
	if (p == value || !text_copy(req->host_name, RBLK_NAME_LEN, value, p - value))
		return "not a name of 1 to 63 characters";
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
	long long n = RBLK_QUEUE_TIMEOUT_FOREVER;

	if (strcmp(value, "forever") &&
	    !text_number(value, RBLK_QUEUE_TIMEOUT_FOREVER, RBLK_QUEUE_TIMEOUT_MAX, &n))
		return "not a number of seconds from 0 to " DIGITS(RBLK_QUEUE_TIMEOUT_MAX)
		       ", nor forever (-1)";
	req->queue_timeout = n;
	return NULL;
}

static const char *take_source(struct request *req, const char *value)
{
	return endpoint_parse_source(value, &req->source);
}

static const char *take_uuid(struct request *req, const char *value)
{
	return text_uuid(value, req->uuid) ? NULL : "not a UUID";
}

/* In the order of --help. */
const struct option_desc option_table[OPTION_NR] = {
	[OPTION_ALLOW] = { "--allow", "HOST-UUID",
		"let this host attach it; may be repeated", take_allow, true },
	[OPTION_ALLOW_ANY] = { "--allow-any", NULL,
		"let every host attach it", NULL, false },
	[OPTION_DEPTH] = { "--depth", "N",
		"commands outstanding per connection", take_depth, false },
	[OPTION_FORCE] = { "--force", NULL,
		"also while it is in use; outstanding I/O fails", NULL, false },
	[OPTION_HELP] = { "--help", NULL,
		"print this help", NULL, true },
	[OPTION_HOST_NAME] = { "--host-name", "NAME",
		"name to appear under at the target", take_host_name, false },
	[OPTION_HOST_UUID] = { "--host-uuid", "UUID",
		"identity to appear under at the target", take_host_uuid, false },
	[OPTION_INDEX] = { "--index", "N",
		"become /dev/rblkN (default: the first free)", take_index, false },
	[OPTION_JSON] = { "--json", NULL,
		"print the result as JSON", NULL, true },
	[OPTION_QUEUES] = { "--queues", "N",
		"I/O connections of the session", take_queues, false },
	[OPTION_QUEUE_TIMEOUT] = { "--queue-timeout", "SECONDS",
		"how long to hold I/O while disconnected, or forever",
		take_queue_timeout, false },
	[OPTION_READ_ONLY] = { "--read-only", NULL,
		"no writes", NULL, false },
	[OPTION_SHARED] = { "--shared", NULL,
		"several hosts may write, for cluster file systems", NULL, false },
	[OPTION_SOURCE] = { "--source", "ADDRESS",
		"local address to connect from", take_source, false },
	[OPTION_UUID] = { "--uuid", "UUID",
		"identity of the export", take_uuid, false },
};
