// SPDX-License-Identifier: GPL-2.0-only
/* Attaching a volume, and changing later what happens when its target is lost. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "lib/key.h"
#include "lib/node.h"
#include "lib/resolve.h"

#define NODE_WAIT_MS	2000
#define NODE_POLL_MS	20

static int attach_fill(struct rblk_ioc_attach *attach, const struct rblk_volume_spec *spec,
		       const struct asking *ask, struct rblk_failure *fail)
{
	memset(attach, 0, sizeof(*attach));
	attach->size = sizeof(*attach);
	attach->flags = spec->flags;
	endpoint_text(attach->target_text, &ask->target);
	memcpy(attach->host, ask->host.uuid, sizeof(attach->host));
	memcpy(attach->host_name, ask->host.name, sizeof(attach->host_name));
	attach->queues = spec->queues;
	attach->poll_queues = spec->poll_queues;
	attach->depth = spec->depth;
	attach->inline_read = spec->inline_read;
	attach->queue_timeout = spec->queue_timeout;
	attach->index = spec->index;
	memcpy(attach->uuid, spec->uuid, sizeof(attach->uuid));
	memcpy(attach->target_key, spec->target_key, sizeof(attach->target_key));
	return name_copy(attach->export_name, spec->export_name, fail);
}

static int attach_attempt(void *ctx, const struct asking *ask, struct rblk_failure *fail)
{
	struct rblk_ioc_attach *attach = ctx, asked = *attach;
	int err;

	attach->target = ask->to;
	attach->source = ask->from;
	err = control_try(ask->rblk, RBLK_INITIATOR, RBLK_IOC_ATTACH, attach, &attach->error,
			  fail);
	if (err)
		*attach = asked;
	return err;
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
 * rblk_attach() - attach an export, and give its node two seconds to come
 * @rblk: the caller, or NULL
 * @spec: which, and how
 * @attach: the result: its index, UUID and capacity
 * @fail: why it failed
 *
 * Return: 0; 1 when it is attached, but its node in /dev is not there yet; -1 with @fail
 * filled in.
 */
int rblk_attach(struct rblk *rblk, const struct rblk_volume_spec *spec,
		struct rblk_ioc_attach *attach, struct rblk_failure *fail)
{
	struct asking ask;
	char device[32];

	if (asking_begin(&ask, rblk, spec, fail) || attach_fill(attach, spec, &ask, fail) ||
	    (!(spec->flags & RBLK_ATTACH_INSECURE) &&
	     key_give(rblk, RBLK_INITIATOR, KEY_NEEDED, fail)) ||
	    resolve_each(&ask, attach_attempt, attach, fail))
		return -1;
	snprintf(device, sizeof(device), "/dev/rblk%d", attach->index);
	return wait_for_node(device) ? 0 : 1;
}

/**
 * rblk_set_queue_timeout() - change what happens on loss
 * @rblk: the caller, or NULL
 * @index: which volume
 * @uuid: its UUID, or another volume of that number would be changed; NULL for any
 * @seconds: to hold I/O, -1 for ever
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_set_queue_timeout(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
			   int seconds, struct rblk_failure *fail)
{
	struct rblk_ioc_policy policy = {
		.size = sizeof(policy),
		.index = index,
		.queue_timeout = seconds,
	};

	if (uuid)
		memcpy(policy.uuid, uuid, sizeof(policy.uuid));
	return control_try(rblk, RBLK_INITIATOR, RBLK_IOC_POLICY, &policy, &policy.error, fail);
}

/**
 * rblk_set_target_keys() - change which keys a volume's target may prove
 * @rblk: the caller, or NULL
 * @index: which volume
 * @uuid: its UUID, or another volume of that number would be changed; NULL for any
 * @target_key: the keys, zeroes where there is none
 * @fail: why it failed
 *
 * It matters from the next handshake on, for all volumes of the sessions that it has.
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_set_target_keys(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
			 const __u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN],
			 struct rblk_failure *fail)
{
	struct rblk_ioc_pin pin = { .size = sizeof(pin), .index = index };

	if (uuid)
		memcpy(pin.uuid, uuid, sizeof(pin.uuid));
	memcpy(pin.target_key, target_key, sizeof(pin.target_key));
	return control_try(rblk, RBLK_INITIATOR, RBLK_IOC_PIN, &pin, &pin.error, fail);
}
