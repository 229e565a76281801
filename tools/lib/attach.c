// SPDX-License-Identifier: GPL-2.0-only
/* Attaching a volume, and changing later what happens when its target is lost. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "lib/change.h"
#include "lib/host.h"
#include "lib/node.h"
#include "lib/resolve.h"

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
	if (request_has(req, OPTION_INDEX))
		attach->flags |= RBLK_ATTACH_INDEX;
	if (request_has(req, OPTION_HOST_UUID))
		attach->flags |= RBLK_ATTACH_HOST_UUID;
	if (request_has(req, OPTION_HOST_NAME))
		attach->flags |= RBLK_ATTACH_HOST_NAME;
	attach->target = *target;
	attach->source = *source;
	endpoint_text(attach->target_text, &req->target);
	memcpy(attach->export, req->export, sizeof(attach->export));
	memcpy(attach->host, req->host_uuid, sizeof(attach->host));
	memcpy(attach->host_name, req->host_name, sizeof(attach->host_name));
	attach->queues = req->queues;
	attach->depth = req->depth;
	attach->inline_read = req->inline_read;
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

/*
 * devtmpfs has made the node before ATTACH returns; where there is none,
 * somebody else does. Where udev runs it is done with the device, its links
 * and its watch, when it has written down what it knows.
 */
static bool node_is_there(const char *device, dev_t *number)
{
	char path[RBLK_PATH_LEN];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", node_root(), device);
	if (stat(path, &st))
		return false;
	*number = st.st_rdev;
	return true;
}

static bool udev_is_done(dev_t number)
{
	char path[RBLK_PATH_LEN];

	snprintf(path, sizeof(path), "%s/run/udev/control", node_root());
	if (access(path, F_OK))
		return true;
	snprintf(path, sizeof(path), "%s/run/udev/data/b%u:%u", node_root(),
		 major(number), minor(number));
	return !access(path, F_OK);
}

/*
 * Also with a signal pending: until udev has closed the device it cannot be detached
 * again.
 *
 * Return: whether the node is there; links may still be missing.
 */
static bool wait_for_node(const char *device)
{
	struct timespec poll = { .tv_nsec = NODE_POLL_MS * 1000000L };
	dev_t number;
	int waited;

	for (waited = 0; waited <= NODE_WAIT_MS; waited += NODE_POLL_MS) {
		if (node_is_there(device, &number) && udev_is_done(number))
			return true;
		nanosleep(&poll, NULL);
	}
	return node_is_there(device, &number);
}

/**
 * volume_attach() - attach an export, and wait for its node
 * @req: which, and how
 * @attach: the result
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int volume_attach(struct request *req, struct rblk_ioc_attach *attach, struct failure *fail)
{
	struct attaching a = { .req = req };
	const char *origin;
	char device[32];
	int err;

	if (host_identity(req, &origin, fail))
		return -1;
	a.fd = control_reach(SIDE_INITIATOR, fail);
	if (a.fd < 0)
		return -1;
	err = resolve_each(req, attach_attempt, &a, fail);
	node_close(a.fd);
	if (err)
		return -1;
	*attach = a.attach;
	snprintf(device, sizeof(device), "/dev/rblk%d", attach->index);
	if (!wait_for_node(device))
		fprintf(stderr, "rblkctl: attached, but there is no %s yet\n"
			"  try: is devtmpfs mounted on /dev, or udev running?\n", device);
	return 0;
}

/**
 * volume_policy() - change what happens on loss
 * @index: which volume
 * @uuid: its UUID
 * @queue_timeout: seconds to hold I/O, -1 for ever
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int volume_policy(int index, const __u8 uuid[UUID_BYTES], int queue_timeout,
		  struct failure *fail)
{
	struct rblk_ioc_policy policy = {
		.size = sizeof(policy),
		.index = index,
		.queue_timeout = queue_timeout,
	};

	memcpy(policy.uuid, uuid, UUID_BYTES);
	return control_try(SIDE_INITIATOR, RBLK_IOC_POLICY, &policy, &policy.error, fail);
}
