// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the tables that verbs print. */
#include <string.h>
#include <strings.h>

#include "request/request.h"

#define COLUMN(_name, _help, ...)	{ .name = _name, .help = _help, ##__VA_ARGS__ }

/* What several tables have. */
#define LATENCIES							\
	COLUMN("P50", "half of the operations took at most so long"),	\
	COLUMN("P99", "99 of 100 took at most so long")
#define P999								\
	COLUMN("P99.9", "999 of 1000 took at most so long")
#define RATES								\
	COLUMN("IO/S", "operations per second"),			\
	COLUMN("BYTES/S", "bytes per second")
#define MEANS								\
	COLUMN("HOST", "mean time in this host"),			\
	COLUMN("WIRE", "mean time on the way there and back"),		\
	COLUMN("TARGET", "mean time in the target"),			\
	COLUMN("BACKING", "mean time in the target's device"),		\
	COLUMN("FLYING", "operations under way"),			\
	COLUMN("BUSY", "share of the time with any under way")
#define OPERATION							\
	COLUMN("OP", "kind of operation")

const struct column list_columns[] = {
	COLUMN("DEVICE", "/dev/rblkN"),
	COLUMN("TARGET", "the target, as it was given to attach"),
	COLUMN("EXPORT", "the export's name there"),
	COLUMN("SIZE", "capacity"),
	COLUMN("ACCESS", "ro or rw, and whether shared"),
	COLUMN("STATE", "whether it can be used", .state = true),
	COLUMN("REASON", "why it cannot"),
	COLUMN("DIGEST", "whether its data is checked where it arrives; only if asked for",
	       .extra = true),
	{ .name = NULL }
};

const struct column discover_columns[] = {
	COLUMN("EXPORT", "the export's name"),
	COLUMN("SIZE", "capacity"),
	COLUMN("BLOCK", "bytes of a logical block"),
	COLUMN("ACCESS", "ro or rw, and whether shared"),
	COLUMN("USE", "free, or in use"),
	COLUMN("UUID", "the export's identity"),
	{ .name = NULL }
};

const struct column route_columns[] = {
	COLUMN("DEVICE", "/dev/rblkN"),
	COLUMN("TARGET", "the address, as it was given"),
	COLUMN("STATE", "whether I/O can take it", .state = true),
	COLUMN("RDMA", "the RDMA device"),
	COLUMN("LOCAL", "this host's address"),
	COLUMN("FLYING", "operations of the device that it carries now"),
	COLUMN("LOSSES", "how often it was lost"),
	COLUMN("REASON", "why it cannot be used"),
	{ .name = NULL }
};

const struct column export_columns[] = {
	COLUMN("NAME", "the export's name"),
	COLUMN("SIZE", "capacity"),
	COLUMN("ACCESS", "ro or rw, and whether shared"),
	COLUMN("ALLOWED", "how many hosts may attach it, or any"),
	COLUMN("USERS", "how often it is attached"),
	COLUMN("UUID", "the export's identity"),
	COLUMN("DEVICE", "the device or file behind it"),
	{ .name = NULL }
};

const struct column portal_columns[] = {
	COLUMN("ADDRESS", "address and port"),
	COLUMN("STATE", "listening, or waiting for the address", .state = true),
	COLUMN("SESSIONS", "how many came through it"),
	COLUMN("REASON", "what it waits for"),
	{ .name = NULL }
};

const struct column host_columns[] = {
	COLUMN("HOST", "what the host calls itself"),
	COLUMN("RIGHT", "allowed, fenced, or ending: fenced, with I/O left", .state = true),
	COLUMN("SESSIONS", "how many it has"),
	COLUMN("UUID", "the host's identity"),
	COLUMN("KEY", "the key that it has proved"),
	{ .name = NULL }
};

const struct column session_columns[] = {
	COLUMN("HOST", "what the host calls itself"),
	COLUMN("ADDRESS", "its address and port"),
	COLUMN("STATE", "whether it is connected", .state = true),
	COLUMN("EPOCH", "how often it has connected"),
	COLUMN("VOLUMES", "how many it has attached"),
	COLUMN("QUEUES", "I/O connections and commands on each"),
	COLUMN("DEVICE", "the RDMA device here"),
	COLUMN("UUID", "the host's identity"),
	COLUMN("KEY", "the key that it has proved"),
	{ .name = NULL }
};

const struct column stat_columns[] = {
	COLUMN("DEVICE", "/dev/rblkN"),
	COLUMN("STATE", "whether it can be used", .state = true),
	OPERATION, RATES, LATENCIES, P999, MEANS,
	{ .name = NULL }
};

static const struct column part_columns[] = {
	OPERATION, RATES,
	COLUMN("PART", "where the time went"),
	COLUMN("MEAN", "mean time there"),
	LATENCIES, P999,
	{ .name = NULL }
};

const struct column top_columns[] = {
	COLUMN("DEVICE", "rblkN"),
	COLUMN("STATE", "whether it can be used", .state = true),
	COLUMN("IO/S", "operations per second"),
	COLUMN("READ/S", "reads per second"),
	COLUMN("READ-BYTES/S", "bytes read per second", .heading = "BYTES/S"),
	COLUMN("WRITE/S", "writes per second"),
	COLUMN("WRITE-BYTES/S", "bytes written per second", .heading = "BYTES/S"),
	LATENCIES, MEANS,
	COLUMN("EXPORT", "target and export"),
	{ .name = NULL }
};

static_assert(ARRAY_SIZE(top_columns) - 1 == MAX_COLUMNS, "no table has more");

/* "session stat" has all but the first. */
const struct column served_columns[] = {
	COLUMN("EXPORT", "the export's name"),
	COLUMN("HOST", "what the host calls itself"),
	COLUMN("ATTACHED", "how often it is attached"),
	OPERATION, RATES, LATENCIES, P999,
	COLUMN("TARGET", "mean time in the target"),
	COLUMN("BACKING", "mean time in its device"),
	{ .name = NULL }
};

const struct column item_columns[] = {
	COLUMN("RESULT", "what became of it", .state = true),
	COLUMN("WHAT", "portal, export or volume"),
	COLUMN("NAME", "which one"),
	COLUMN("DETAIL", "its device, what differs, or why it failed"),
	{ .name = NULL }
};

/**
 * request_columns() - the columns of what a verb prints
 * @req: the request, complete but for @column
 *
 * Return: an array that ends with one that has no name, or NULL if the verb has no table.
 */
const struct column *request_columns(const struct request *req)
{
	if (req->verb == VERB_STAT && request_has(req, OPTION_SORT))
		return top_columns;
	if (req->verb == VERB_STAT && req->volume.text[0])
		return part_columns;
	return verb_table[req->verb].columns;
}

/**
 * column_called() - find a column
 * @columns: as request_columns() has them
 * @name: its name, in either case
 *
 * Return: its place, or that of the end.
 */
unsigned int column_called(const struct column *columns, const char *name)
{
	unsigned int i;

	for (i = 0; columns[i].name; i++)
		if (!strcasecmp(columns[i].name, name))
			break;
	return i;
}
