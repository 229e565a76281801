// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks a target what it offers, in a session of its own: the exports that this host may
 * attach, and where the target listens.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "control.h"

#define MAX_OFFERS	4096
/* RBLK_IOC_DISCOVER must end within 20 s, and its session takes 3 s to end. */
#define DISCOVER_SECONDS 16

static int list_offers(struct rblk_sess *sess, struct rblk_ioc_discover *arg,
		       unsigned long until)
{
	u32 room = min_t(u32, arg->room, MAX_OFFERS);
	struct rblk_ioc_offer *offers;
	int ret;

	offers = kvcalloc(max(room, 1u), sizeof(*offers), GFP_KERNEL);
	if (!offers)
		return rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -ENOMEM,
				 "out of memory");
	ret = rblk_exports_list(sess, arg, offers, room, until);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->offers), offers,
				 min(room, arg->nr) * sizeof(*offers)))
		ret = rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -EFAULT,
				"the array of offers can't be written");
	kvfree(offers);
	export_uuid(arg->target_uuid, &sess->target);
	memcpy(arg->target_name, sess->target_name, sizeof(arg->target_name));
	return ret;
}

static int list_portals(struct rblk_sess *sess, struct rblk_ioc_discover *arg)
{
	u32 room = min_t(u32, arg->portal_room, RBLK_WIRE_MAX_PORTALS);
	struct rblk_ioc_addr *portals;
	int ret;

	portals = kcalloc(max(room, 1u), sizeof(*portals), GFP_KERNEL);
	if (!portals)
		return rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -ENOMEM, "out of memory");
	ret = rblk_exports_portals(sess, arg, portals, room);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->portals), portals,
				 min(room, arg->nr_portals) * sizeof(*portals)))
		ret = rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -EFAULT,
				"the array of portals can't be written");
	kfree(portals);
	return ret;
}

static int discover_exports(struct rblk_ioc_discover *arg, struct rblk_sess_args *args)
{
	unsigned long until = jiffies + DISCOVER_SECONDS * HZ;
	struct rblk_sess *sess;
	int ret;

	sess = rblk_sess_get(args, &rblk_blk_sess_ops, &arg->error);
	if (!sess)
		return -arg->error.error;
	ret = rblk_sess_wait_live(sess, &arg->error);
	if (!ret)
		ret = list_offers(sess, arg, until);
	if (!ret && arg->portal_room)
		ret = list_portals(sess, arg);
	rblk_auth_peer(sess, arg->peer_key);
	rblk_sess_put(sess);
	return ret;
}

/**
 * rblk_ctl_discover() - ask a target what it offers, for RBLK_IOC_DISCOVER
 * @data: struct rblk_ioc_discover
 * @error: in @data; filled in on failure
 *
 * Context: the process that called; may sleep, at most 20 s; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_ctl_discover(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_discover *arg = data;
	struct rblk_sess_args *args;
	int ret;

	if (arg->flags & ~RBLK_ATTACH_PROOF ||
	    !rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)))
		return rblk_ctl_bad(error, "unknown flag or reserved field set");
	ret = rblk_ctl_check_proof(arg->flags, arg->target_key, error);
	if (ret)
		return ret;
	args = rblk_ctl_read_sess(&arg->target, &arg->source, arg->host, arg->host_name, error);
	if (!args)
		return -error->error;
	args->control_only = true;
	args->flags = arg->flags;
	memcpy(args->target_key, arg->target_key, sizeof(args->target_key));
	arg->nr_portals = 0;
	strscpy(args->target_text, "discovery", sizeof(args->target_text));
	ret = discover_exports(arg, args);
	kfree(args);
	return ret;
}
