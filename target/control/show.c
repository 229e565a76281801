// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verbs that list things for the tool: exports with their users, portals,
 * sessions.
 *
 * They gather arrays in kernel memory under rblkt_mutex, and copy them to user
 * space after they have released it.  So a slow page fault does not make others
 * wait.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "control.h"

#define RBLKT_SHOW_MAX	4096	/* entries of one array, at most */

static int show_check_room(u32 room, u64 pointer, struct rblk_ioc_error *err)
{
	if (room && !pointer)
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "room without an array");
	return 0;
}

static int show_copy_out(u64 pointer, const void *data, size_t n, size_t size)
{
	if (n && copy_to_user(u64_to_user_ptr(pointer), data, n * size))
		return -EFAULT;
	return 0;
}

static void show_fill_user(struct rblkt_ioc_user *user, const struct rblkt_att *att)
{
	const struct rblkt_holder *holder = att->holder;

	memcpy(user->host, holder->host, sizeof(user->host));
	memcpy(user->key, holder->who.key, sizeof(user->key));
	strscpy(user->name, holder->host_name, sizeof(user->name));
	memcpy(user->session, holder->uuid, sizeof(user->session));
	user->peer = holder->peer;
	user->access = att->access;
	user->draining = att->draining;
	user->inflight = rblkt_att_inflight(att);
}

static void show_fill_export(struct rblkt_ioc_export_show *arg,
			     struct rblkt_export *export)
{
	const struct rblkt_geo *geo = &export->geo;

	rblkt_resize_check(export);
	strscpy_pad(arg->name, export->name, sizeof(arg->name));
	strscpy_pad(arg->path, export->path, sizeof(arg->path));
	strscpy_pad(arg->cgroup, export->group, sizeof(arg->cgroup));
	memcpy(arg->uuid, export->uuid, sizeof(arg->uuid));
	arg->export_flags = export->flags;
	arg->wire_flags = export->wire_flags;
	if (!list_empty(&export->atts))
		arg->wire_flags |= RBLK_EXPF_IN_USE;
	arg->capacity = geo->blocks << geo->block_shift;
	arg->logical_block = 1u << geo->block_shift;
	arg->physical_block = bdev_physical_block_size(export->backing.bdev);
	if (export->flags & RBLKT_EXPORT_READ_ONLY)
		return;
	arg->max_discard = geo->max_discard;
	arg->max_write_zeroes = geo->max_write_zeroes;
}

/*
 * Fill in an export and as much of its lists as fits.  rblkt_mutex is held;
 * nr_hosts and nr_users say how long the lists are.
 */
static int show_gather_export(struct rblkt_ioc_export_show *arg,
			      struct rblk_ioc_host *hosts,
			      struct rblkt_ioc_user *users)
{
	struct rblkt_export *export;
	const struct rblkt_att *att;

	if (arg->flags & RBLKT_SHOW_NEXT)
		export = rblkt_export_next(arg->name);
	else
		export = rblkt_export_find(arg->name);
	if (!export)
		return rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOENT,
				  arg->flags & RBLKT_SHOW_NEXT ?
				  "there is no export after %s" :
				  "there is no export %s", arg->name);
	show_fill_export(arg, export);
	arg->nr_hosts = export->nr_hosts;
	memcpy(hosts, export->hosts,
	       min(arg->nr_hosts, arg->host_room) * sizeof(*hosts));
	arg->nr_users = 0;
	list_for_each_entry(att, &export->atts, node)
		if (arg->nr_users++ < arg->user_room)
			show_fill_user(users++, att);
	return 0;
}

/**
 * rblkt_show_export - carry out the verb EXPORT_SHOW
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in; -EFAULT without.
 */
int rblkt_show_export(struct rblkt_ioc_export_show *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	struct rblkt_ioc_user *users;
	struct rblk_ioc_host *hosts;
	int ret;

	if (arg->flags & ~RBLKT_SHOW_NEXT ||
	    !memchr(arg->name, 0, sizeof(arg->name)) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "unknown flags or reserved fields are set");
	ret = show_check_room(arg->host_room, arg->hosts, err);
	if (!ret)
		ret = show_check_room(arg->user_room, arg->users, err);
	if (ret)
		return ret;
	arg->host_room = min_t(u32, arg->host_room, RBLK_MAX_HOSTS);
	arg->user_room = min_t(u32, arg->user_room, RBLKT_SHOW_MAX);
	hosts = kcalloc(arg->host_room, sizeof(*hosts), GFP_KERNEL);
	users = kvcalloc(arg->user_room, sizeof(*users), GFP_KERNEL);
	if (!hosts || !users) {
		ret = rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOMEM,
				 "out of memory");
		goto free;
	}
	mutex_lock(&rblkt_mutex);
	ret = show_gather_export(arg, hosts, users);
	mutex_unlock(&rblkt_mutex);
	if (!ret)
		ret = show_copy_out(arg->hosts, hosts,
				    min(arg->nr_hosts, arg->host_room),
			       sizeof(*hosts));
	if (!ret)
		ret = show_copy_out(arg->users, users,
				    min(arg->nr_users, arg->user_room),
			       sizeof(*users));
free:
	kvfree(users);
	kfree(hosts);
	return ret;
}

static void show_gather_portals(struct rblkt_ioc_list *arg, void *entries)
{
	struct rblkt_ioc_portal *entry = entries;
	const struct rblkt_portal *portal;
	const struct rblkt_sess *sess;

	arg->nr = 0;
	list_for_each_entry(portal, &rblkt_portals, node) {
		if (arg->nr++ >= arg->room)
			continue;
		entry->addr = portal->listener.addr;
		entry->last_error = READ_ONCE(portal->listener.last_error);
		entry->listening = !entry->last_error;
		list_for_each_entry(sess, &rblkt_sessions, node)
			entry->sessions += sess->portal == portal;
		entry++;
	}
}

/* Count bound I/O connections and show the grant of the first. */
static void show_fill_grant(struct rblk_ioc_session *entry,
			    const struct rblkt_sess *sess)
{
	unsigned int i;

	for (i = 1; i <= sess->nr_queues; i++) {
		const struct rblkt_link *link = sess->link[i];
		const struct rblkt_conn *conn = link ? &link->io.conn : NULL;

		if (!conn || READ_ONCE(conn->state) != RBLKT_CONN_LIVE)
			continue;
		if (entry->queues++)
			continue;
		entry->depth = conn->grant.depth;
		entry->max_io = conn->grant.max_io;
		entry->inline_read = conn->grant.inline_read;
		entry->inline_write = conn->grant.inline_write;
		entry->features = conn->grant.features;
	}
}

static void show_gather_sessions(struct rblkt_ioc_list *arg, void *entries)
{
	struct rblk_ioc_session *entry = entries;
	struct rblkt_sess *sess;

	arg->nr = 0;
	list_for_each_entry(sess, &rblkt_sessions, node) {
		if (arg->nr++ >= arg->room)
			continue;
		memcpy(entry->uuid, sess->holder.uuid, sizeof(entry->uuid));
		memcpy(entry->peer_uuid, sess->holder.host, sizeof(entry->peer_uuid));
		memcpy(entry->peer_key, sess->holder.who.key, sizeof(entry->peer_key));
		strscpy(entry->peer_name, sess->holder.host_name,
			sizeof(entry->peer_name));
		entry->peer = sess->holder.peer;
		entry->local = sess->local;
		/* While the session has its PD, the device cannot go. */
		if (sess->pd)
			strscpy(entry->device, dev_name(&sess->dev->dev),
				sizeof(entry->device));
		entry->state = sess->state;
		entry->epoch = sess->epoch;
		show_fill_grant(entry, sess);
		entry->volumes = sess->holder.nr_atts;
		entry->silence_ms = 3 * sess->keepalive_ms;
		rblkt_sess_count(sess, entry->counter);
		entry++;
	}
}

/* Carry out a verb that lists entries of @size, which @gather fills in. */
static int show_list(struct rblkt_ioc_list *arg, size_t size,
		     void (*gather)(struct rblkt_ioc_list *arg, void *entries))
{
	struct rblk_ioc_error *err = &arg->error;
	void *entries;
	int ret;

	if (memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "reserved fields are set");
	ret = show_check_room(arg->room, arg->entries, err);
	if (ret)
		return ret;
	arg->room = min_t(u32, arg->room, RBLKT_SHOW_MAX);
	entries = kvcalloc(arg->room, size, GFP_KERNEL);
	if (!entries)
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOMEM,
				  "out of memory");
	mutex_lock(&rblkt_mutex);
	gather(arg, entries);
	mutex_unlock(&rblkt_mutex);
	ret = show_copy_out(arg->entries, entries, min(arg->nr, arg->room), size);
	kvfree(entries);
	return ret;
}

/**
 * rblkt_show_portals - carry out the verb PORTAL_LIST
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in; -EFAULT without.
 */
int rblkt_show_portals(struct rblkt_ioc_list *arg)
{
	return show_list(arg, sizeof(struct rblkt_ioc_portal), show_gather_portals);
}

/**
 * rblkt_show_sessions - carry out the verb SESSION_LIST
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in; -EFAULT without.
 */
int rblkt_show_sessions(struct rblkt_ioc_list *arg)
{
	return show_list(arg, sizeof(struct rblk_ioc_session), show_gather_sessions);
}

static void show_gather_fenced(struct rblkt_ioc_list *arg, void *entries)
{
	struct rblkt_ioc_fenced *entry = entries;
	u32 i;

	arg->nr = rblkt_fence_list(entry, arg->room);
	for (i = 0; i < arg->nr && i < arg->room; i++)
		entry[i].left = rblkt_fence_left(entry[i].host);
}

/**
 * rblkt_show_fenced - carry out the verb FENCED
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in; -EFAULT without.
 */
int rblkt_show_fenced(struct rblkt_ioc_list *arg)
{
	return rblkt_fence_load(&arg->error) ?:
	       show_list(arg, sizeof(struct rblkt_ioc_fenced), show_gather_fenced);
}

static void show_fill_registrant(struct rblk_ioc_registrant *entry,
				 const struct rblkt_export *export,
				 const struct rblkt_registrant *who)
{
	const struct rblkt_att *att;

	entry->registration = who->key;
	memcpy(entry->host, who->host, sizeof(entry->host));
	memcpy(entry->name, who->name, sizeof(entry->name));
	memcpy(entry->public_key, who->public_key, sizeof(entry->public_key));
	if (rblkt_resv_holds(export->resv, who))
		entry->flags |= RBLK_REGISTRANT_HOLDER;
	list_for_each_entry(att, &export->atts, node)
		if (!att->draining && !memcmp(att->holder->host, who->host, sizeof(who->host)))
			entry->flags |= RBLK_REGISTRANT_ATTACHED;
}

static int show_gather_reservation(struct rblkt_ioc_reservation_show *arg,
				   struct rblk_ioc_registrant *entry)
{
	const struct rblkt_export *export = rblkt_export_find(arg->name);
	u32 i;

	if (!export)
		return rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOENT,
				  "there is no export %s", arg->name);
	arg->kept = export->stored.kept;
	arg->aborting = rblkt_resv_aborting(export);
	arg->generation = export->resv->generation;
	arg->type = export->resv->type;
	arg->nr = export->resv->nr;
	for (i = 0; i < min(arg->nr, arg->room); i++)
		show_fill_registrant(&entry[i], export, &export->resv->registrant[i]);
	return 0;
}

/**
 * rblkt_show_reservation - carry out the verb RESERVATION_SHOW
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in; -EFAULT without.
 */
int rblkt_show_reservation(struct rblkt_ioc_reservation_show *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	struct rblk_ioc_registrant *entries;
	int ret;

	if (arg->flags || !memchr(arg->name, 0, sizeof(arg->name)) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "unknown flags or reserved fields are set");
	ret = show_check_room(arg->room, arg->registrants, err);
	if (ret)
		return ret;
	arg->room = min_t(u32, arg->room, RBLK_WIRE_MAX_REGISTRANTS);
	entries = kvcalloc(arg->room, sizeof(*entries), GFP_KERNEL);
	if (!entries)
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOMEM, "out of memory");
	mutex_lock(&rblkt_mutex);
	ret = show_gather_reservation(arg, entries);
	mutex_unlock(&rblkt_mutex);
	if (!ret)
		ret = show_copy_out(arg->registrants, entries, min(arg->nr, arg->room),
				    sizeof(*entries));
	kvfree(entries);
	return ret;
}
