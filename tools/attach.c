// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "host.h"
#include "node.h"
#include "output.h"
#include "resolve.h"
#include "verbs.h"

/* One ATTACH ends within 30 s; beyond that no further address is tried. */
#define ENOUGH_SECONDS	30
#define NODE_WAIT_MS	2000
#define NODE_POLL_MS	20

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void attach_fill(struct rblk_ioc_attach *attach, const struct request *req,
			const struct rblk_ioc_addr *target,
			const struct rblk_ioc_addr *source)
{
	memset(attach, 0, sizeof(*attach));
	attach->size = sizeof(*attach);
	if (request_has(req, OPTION_READ_ONLY))
		attach->flags |= RBLK_ATTACH_READ_ONLY;
	if (request_has(req, OPTION_SHARED))
		attach->flags |= RBLK_ATTACH_SHARED;
	attach->target = *target;
	attach->source = *source;
	endpoint_text(attach->target_text, &req->target);
	memcpy(attach->export, req->export, sizeof(attach->export));
	memcpy(attach->host, req->host_uuid, sizeof(attach->host));
	memcpy(attach->host_name, req->host_name, sizeof(attach->host_name));
	attach->queues = req->queues;
	attach->depth = req->depth;
	attach->queue_timeout = req->queue_timeout;
	attach->index = req->index;
	memcpy(attach->uuid, req->uuid, sizeof(attach->uuid));
}

/* Try each address of the target's name in turn. */
static int attach_any(int fd, const struct request *req, struct rblk_ioc_attach *attach,
		      struct failure *best)
{
	struct addresses targets;
	struct rblk_ioc_addr source;
	struct failure fail;
	time_t start = now();
	unsigned int i;

	if (resolve_request(req, &targets, &source, best))
		return -1;
	for (i = 0; i < targets.nr; i++) {
		if (i && now() - start >= ENOUGH_SECONDS)
			break;
		attach_fill(attach, req, &targets.addr[i], &source);
		if (!control_call(fd, RBLK_IOC_ATTACH, attach, &attach->error, &fail))
			return 0;
		resolve_keep_better(best, &fail, &targets, i);
		if (!resolve_try_next(&fail))
			break;
	}
	return -1;
}

/* devtmpfs has made the node before ATTACH returns; elsewhere somebody else does. */
static bool wait_for_node(const char *device)
{
	struct timespec poll = { .tv_nsec = NODE_POLL_MS * 1000000L };
	char path[RBLK_PATH_LEN];
	struct stat st;
	int waited;

	snprintf(path, sizeof(path), "%s%s", node_root(), device);
	for (waited = 0; waited <= NODE_WAIT_MS; waited += NODE_POLL_MS) {
		if (!stat(path, &st))
			return true;
		if (nanosleep(&poll, NULL))
			break;
	}
	return false;
}

static void attach_print(const struct request *req, const struct rblk_ioc_attach *attach,
			 const char *device)
{
	char target[ENDPOINT_TEXT];
	struct json_object *top;

	if (!request_has(req, OPTION_JSON)) {
		puts(device);
		return;
	}
	endpoint_text(target, &req->target);
	top = json_object_new_object();
	put_text(top, "device", device);
	put_number(top, "index", attach->index);
	put_text(top, "target", target);
	put_text(top, "export", req->export);
	put_uuid(top, "uuid", attach->uuid);
	put_size(top, "capacity", attach->capacity);
	print_json(top);
}

/**
 * attach_run() - the verb "attach"
 * @req: the request
 *
 * Return: an exit status.
 */
int attach_run(struct request *req)
{
	struct rblk_ioc_attach attach;
	struct failure fail = { 0 };
	const char *origin;
	char device[32];
	int fd, err;

	if (host_identity(req, &origin, &fail))
		return failure_report(req, &fail);
	fd = control_open(req, SIDE_INITIATOR);
	if (fd < 0)
		return EXIT_FAILED;
	err = attach_any(fd, req, &attach, &fail);
	node_close(fd);
	if (err)
		return failure_report(req, &fail);
	snprintf(device, sizeof(device), "/dev/rblk%d", attach.index);
	if (!wait_for_node(device))
		fprintf(stderr, "rblkctl: attached, but there is no %s yet\n"
			"  try: is devtmpfs mounted on /dev, or udev running?\n", device);
	attach_print(req, &attach, device);
	return EXIT_OK;
}
