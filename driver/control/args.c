// SPDX-License-Identifier: GPL-2.0-only
/* Translates and checks what several commands take. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include "control.h"

/**
 * rblk_ctl_bad() - refuse an argument
 * @error: filled in
 * @what: why, one sentence
 *
 * Context: any.
 * Return: -EINVAL.
 */
int rblk_ctl_bad(struct rblk_ioc_error *error, const char *what)
{
	return rblk_fail(error, RBLK_STAGE_ARGUMENTS, -EINVAL, "%s", what);
}

/* Translate and check an address; all zeroes, for any, is valid if @none. */
static bool read_addr(const struct rblk_ioc_addr *in, struct sockaddr_storage *out,
		      bool none)
{
	struct sockaddr_in6 *in6 = (void *)out;
	struct sockaddr_in *in4 = (void *)out;

	memset(out, 0, sizeof(*out));
	switch (in->family) {
	case AF_INET:
		in4->sin_family = AF_INET;
		in4->sin_port = in->port;
		memcpy(&in4->sin_addr, in->addr, sizeof(in4->sin_addr));
		return !in->scope_id && rblk_ctl_zero(in->addr + 4, 12);
	case AF_INET6:
		in6->sin6_family = AF_INET6;
		in6->sin6_port = in->port;
		in6->sin6_scope_id = in->scope_id;
		memcpy(&in6->sin6_addr, in->addr, sizeof(in6->sin6_addr));
		return true;
	default:
		return none && rblk_ctl_zero(in, sizeof(*in));
	}
}

/**
 * rblk_ctl_read_peer() - translate and check where a target is
 * @target: where it listens
 * @source: local address to connect from, or all zeroes
 * @peer: filled in; in the caller's network namespace
 * @error: filled in on failure
 *
 * Context: the process that called.
 * Return: 0 or -EINVAL.
 */
int rblk_ctl_read_peer(const struct rblk_ioc_addr *target, const struct rblk_ioc_addr *source,
		       struct rblk_peer *peer, struct rblk_ioc_error *error)
{
	if (!read_addr(target, &peer->target, false) || !target->port)
		return rblk_ctl_bad(error, "the target's address or port is malformed");
	if (!read_addr(source, &peer->source, true))
		return rblk_ctl_bad(error, "the source address is malformed");
	if (source->family && source->family != target->family)
		return rblk_ctl_bad(error, "source and target are of different address families");
	peer->net = current->nsproxy->net_ns;
	return 0;
}

static int read_host(const u8 *host, const char *name, struct rblk_sess_args *args,
		     struct rblk_ioc_error *error)
{
	import_uuid(&args->host, host);
	if (uuid_is_null(&args->host))
		return rblk_ctl_bad(error, "the host's UUID is missing");
	/* The target drops the connection for a bad name. */
	if (!rblk_name_ok(name))
		return rblk_ctl_bad(error, "a host's name is " RBLK_NAME_RULE);
	strscpy(args->host_name, name, sizeof(args->host_name));
	return 0;
}

/**
 * rblk_ctl_read_sess() - translate and check which session a command wants
 * @target: as for rblk_ctl_read_peer()
 * @source: likewise
 * @host: this host's UUID
 * @name: this host's name
 * @error: filled in on failure
 *
 * Context: the process that called; may sleep.
 * Return: what kfree() frees, or NULL.
 */
struct rblk_sess_args *rblk_ctl_read_sess(const struct rblk_ioc_addr *target,
					  const struct rblk_ioc_addr *source, const u8 *host,
					  const char *name, struct rblk_ioc_error *error)
{
	struct rblk_sess_args *args = kzalloc(sizeof(*args), GFP_KERNEL);

	if (!args)
		rblk_fail(error, RBLK_STAGE_ARGUMENTS, -ENOMEM, "out of memory");
	else if (!rblk_ctl_read_peer(target, source, &args->peer, error) &&
		 !read_host(host, name, args, error))
		return args;
	kfree(args);
	return NULL;
}

/**
 * rblk_ctl_check_proof() - check that there is exactly one way of proof
 * @flags: of which RBLK_ATTACH_PROOF matter
 * @keys: that the target may prove, zeroes where there is none
 * @error: filled in on failure
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int rblk_ctl_check_proof(u32 flags, const u8 keys[RBLK_TARGET_KEYS][RBLK_KEY_LEN],
			 struct rblk_ioc_error *error)
{
	bool pinned = !rblk_ctl_zero(keys, RBLK_TARGET_KEYS * RBLK_KEY_LEN);

	if (hweight32(flags & RBLK_ATTACH_PROOF) + pinned == 1)
		return 0;
	return rblk_ctl_bad(error,
			    "say in exactly one way how the target proves who it is");
}
