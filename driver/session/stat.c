// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports a session's counters, properties and parameters, for SHOW and sysfs, and
 * compares them with what the next ATTACH asks for.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include "session.h"

/**
 * rblk_stat_counter() - add up one counter of a session over all CPUs
 * @sess: the session
 * @which: enum rblk_counter
 *
 * Context: any.
 * Return: the sum; it may miss what other CPUs are counting at the moment.
 */
u64 rblk_stat_counter(const struct rblk_sess *sess, enum rblk_counter which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(sess->stats, cpu)->counter[which];
	return sum;
}

static void describe_addr(const struct sockaddr_storage *in, struct rblk_ioc_addr *out)
{
	const struct sockaddr_in6 *in6 = (const void *)in;
	const struct sockaddr_in *in4 = (const void *)in;

	memset(out, 0, sizeof(*out));
	out->family = in->ss_family;
	if (in->ss_family == AF_INET6) {
		out->port = in6->sin6_port;
		out->scope_id = in6->sin6_scope_id;
		memcpy(out->addr, &in6->sin6_addr, sizeof(out->addr));
	} else if (in->ss_family == AF_INET) {
		out->port = in4->sin_port;
		memcpy(out->addr, &in4->sin_addr, sizeof(in4->sin_addr));
	}
}

static u32 sess_count_volumes(struct rblk_sess *sess)
{
	struct rblk_vol *vol;
	u32 nr = 0;

	list_for_each_entry(vol, &sess->vols, entry)
		nr++;
	return nr;
}

/* The device and the local address; there may be no connection now. */
static void describe_control_conn(struct rblk_sess *sess, struct rblk_ioc_session *out)
{
	struct rblk_conn *conn = sess->control;

	if (!conn || !conn->device)
		return;
	strscpy(out->device, dev_name(&conn->device->dev), sizeof(out->device));
	describe_addr(&conn->id->route.addr.src_addr, &out->local);
}

/**
 * rblk_stat_session() - describe a session for RBLK_IOC_SHOW
 * @sess: the caller keeps it alive
 * @out: zeroed; filled in
 *
 * Context: process; does not sleep, so never waits for the target.
 */
void rblk_stat_session(struct rblk_sess *sess, struct rblk_ioc_session *out)
{
	u32 i;

	export_uuid(out->uuid, &sess->uuid);
	export_uuid(out->peer_uuid, &sess->target);
	memcpy(out->peer_name, sess->target_name, sizeof(out->peer_name));
	describe_addr(&sess->args.peer.target, &out->peer);
	rblk_auth_peer(sess, out->peer_key);
	out->epoch = READ_ONCE(sess->epoch);
	out->queues = rblk_sess_queues(sess);
	out->poll_queues = READ_ONCE(sess->nr_poll);
	out->depth = sess->grant.depth;
	out->max_io = sess->grant.max_io;
	out->inline_read = sess->grant.inline_read;
	out->inline_write = sess->grant.inline_write;
	out->features = sess->grant.features;
	out->silence_ms = READ_ONCE(sess->silence_ms);
	spin_lock_irq(&sess->lock);
	out->state = sess->state;
	out->volumes = sess_count_volumes(sess);
	describe_control_conn(sess, out);
	spin_unlock_irq(&sess->lock);
	for (i = 0; i < RBLK_CNT_NR; i++)
		out->counter[i] = rblk_stat_counter(sess, i);
}

/**
 * rblk_stat_asked() - tell what the ATTACH of a device asked for, for SHOW
 * @sess: the device's session; the caller keeps it alive
 * @flags: the device's own, RBLK_ATTACH_*
 * @out: zeroed; filled in
 *
 * Context: process; takes sess->lock.
 */
void rblk_stat_asked(struct rblk_sess *sess, u32 flags, struct rblk_ioc_asked *out)
{
	const struct rblk_sess_args *args = &sess->args;
	u32 proof = rblk_auth_pins(sess, out->target_key);

	if (proof & RBLK_ATTACH_TRUST_FIRST)
		rblk_auth_peer(sess, out->target_key[0]);
	out->flags = flags | proof | (READ_ONCE(args->flags) & ~RBLK_ATTACH_PROOF);
	out->queues = args->queues;
	out->poll_queues = args->poll_queues;
	out->depth = args->depth;
	out->inline_read = args->inline_read;
	describe_addr(&args->peer.source, &out->source);
	export_uuid(out->host, &args->host);
	memcpy(out->host_name, args->host_name, sizeof(out->host_name));
}

static bool arg_suits(u32 wanted, u32 in_force, u32 asked)
{
	return !wanted || wanted == in_force || wanted == asked;
}

/* Here 0 is a wish, too: for none. */
static bool inline_read_suits(const struct rblk_sess *sess,
			      const struct rblk_sess_args *args)
{
	const struct rblk_sess_args *made = &sess->args;

	if (!(args->flags & RBLK_ATTACH_INLINE_READ))
		return true;
	return args->inline_read == sess->grant.inline_read ||
	       (made->flags & RBLK_ATTACH_INLINE_READ &&
		args->inline_read == made->inline_read);
}

/**
 * rblk_stat_check() - has a session the parameters that an ATTACH asks for?
 * @sess: made already; the caller keeps it alive
 * @args: those of the ATTACH
 * @error: filled in if not
 *
 * All users of a session share its parameters.  A request suits if it names
 * what is in force, or what the session's maker asked for, as the target may
 * have granted less than that.
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int rblk_stat_check(const struct rblk_sess *sess, const struct rblk_sess_args *args,
		    struct rblk_ioc_error *error)
{
	const struct rblk_sess_args *made = &sess->args;
	u32 queues = rblk_sess_queues(sess), polled = READ_ONCE(sess->nr_poll);

	if (arg_suits(args->queues, queues, made->queues) &&
	    arg_suits(args->poll_queues, polled, made->poll_queues) &&
	    arg_suits(args->depth, sess->grant.depth, made->depth) &&
	    inline_read_suits(sess, args))
		return 0;
	return rblk_fail(error, RBLK_STAGE_ARGUMENTS, -EINVAL,
			 "the session to this target has %u queues and %u poll queues of depth %u and inline reads of %u bytes already",
			 queues, polled, sess->grant.depth, sess->grant.inline_read);
}
