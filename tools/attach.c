// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "host.h"
#include "node.h"
#include "output.h"
#include "resolve.h"
#include "verbs.h"

#define NODE_WAIT_MS	2000
#define NODE_POLL_MS	20

struct attaching {
	int fd;
	const struct request *req;
	struct rblk_ioc_attach attach;
};

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

static int attach_attempt(void *ctx, const struct rblk_ioc_addr *target,
			  const struct rblk_ioc_addr *source, struct failure *fail)
{
	struct attaching *a = ctx;

	attach_fill(&a->attach, a->req, target, source);
	return control_call(a->fd, RBLK_IOC_ATTACH, &a->attach, &a->attach.error, fail);
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
	struct attaching a = { .req = req };
	struct failure fail;
	const char *origin;
	char device[32];
	int err;

	if (host_identity(req, &origin, &fail))
		return failure_report(req, &fail);
	a.fd = control_open(req, SIDE_INITIATOR);
	if (a.fd < 0)
		return EXIT_FAILED;
	err = resolve_each(req, attach_attempt, &a, &fail);
	node_close(a.fd);
	if (err)
		return failure_report(req, &fail);
	snprintf(device, sizeof(device), "/dev/rblk%d", a.attach.index);
	if (!wait_for_node(device))
		fprintf(stderr, "rblkctl: attached, but there is no %s yet\n"
			"  try: is devtmpfs mounted on /dev, or udev running?\n", device);
	attach_print(req, &a.attach, device);
	return EXIT_OK;
}
