// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attachments: which session has which export, which may have it, and the
 * fence.
 *
 * An attachment belongs to one epoch of one session.  When it ends it drains:
 * no new command enters it, and it leaves the export's list when its last bio
 * has ended.
 *
 * The fence: a draining attachment blocks every new attachment whose I/O its
 * bios could harm.  It always blocks the same host: the session's next epoch
 * and the host's other sessions.  It blocks another host if the two accesses
 * conflict.  So a delayed old write cannot land on top of a newer one.  A host
 * with several sessions, for multipath, may send commands that it lost on one
 * session again on another.  So the target also withdraws the host's other
 * attachments that can write, and the host asks for them again, behind the same
 * fence.
 *
 * Siblings are the attachments of one device of a host, which has a session for
 * each of its routes to the target.  They don't compete, and each keeps the export
 * when another ends: that device sends nothing again before FENCE has told it that
 * the I/O of the lost one has ended.
 *
 * The tenure: the fence knows nothing of the writes that a lost host had not
 * sent yet.  So a host that continues names the tenure of its former
 * attachment, and the target refuses it if the export has had a new writer
 * since.  tenure.c keeps it.  Hosts that share an export have no tenure to lose: these
 * are refused if they lost their right meanwhile, see revoke.c.
 */
#include <linux/slab.h>
#include "export.h"

/*
 * Commands that may block, such as flushes, write @deferred_lock and @deferred.  All
 * other I/O only reads an attachment, and none of what it reads is in a cache
 * line that those write.
 */
static_assert(offsetof(struct rblkt_att, deferred_lock) % SMP_CACHE_BYTES == 0);
static_assert(sizeof(struct rblkt_att) % SMP_CACHE_BYTES == 0);

static void att_free_work(struct work_struct *work)
{
	struct rblkt_att *att = container_of(to_rcu_work(work),
					     struct rblkt_att, free_work);

	percpu_ref_exit(&att->ios);
	free_percpu(att->inflight);
	kfree(att);
}

static void att_release(struct kref *ref)
{
	struct rblkt_att *att = container_of(ref, struct rblkt_att, ref);

	queue_rcu_work(rblkt_close_wq, &att->free_work);
}

/**
 * rblkt_att_get - take a reference
 * @att: the attachment
 *
 * Context: Any.
 */
void rblkt_att_get(struct rblkt_att *att)
{
	kref_get(&att->ref);
}

/**
 * rblkt_att_put - drop a reference
 * @att: the attachment; freed an RCU grace period after the last reference, as
 *       commands look it up under RCU
 *
 * Context: Any.
 */
void rblkt_att_put(struct rblkt_att *att)
{
	kref_put(&att->ref, att_release);
}

/**
 * rblkt_att_inflight - count an attachment's commands at the backing device
 * @att: the attachment
 *
 * The sum of per-CPU counts is not exact while commands come and go: it is for
 * people to read.
 *
 * Context: Any, with @att kept from being freed.
 * Return: the number of commands.
 */
unsigned int rblkt_att_inflight(const struct rblkt_att *att)
{
	unsigned int sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(att->inflight, cpu);
	return sum;
}

/**
 * rblkt_att_conflict - could I/O under one access harm I/O under the other?
 * @a: RBLK_ACCESS_*
 * @b: RBLK_ACCESS_*
 *
 * Context: Any.
 * Return: true if at least one can write and not both are shared.
 */
bool rblkt_att_conflict(u32 a, u32 b)
{
	if (!((a | b) & RBLK_ACCESS_WRITE))
		return false;
	return !(a & b & RBLK_ACCESS_SHARED);
}

static bool holder_same_host(const struct rblkt_holder *a, const struct rblkt_holder *b)
{
	return !memcmp(a->host, b->host, RBLK_UUID_LEN);
}

/* Is @att, or would it be, a sibling of what @holder attaches for @device? */
static bool att_is_sibling(const struct rblkt_att *att, const struct rblkt_holder *holder,
			   u64 device)
{
	return device && att->device == device && holder_same_host(att->holder, holder);
}

/**
 * rblkt_att_siblings - are two attachments of the same device of a host?
 * @a: an attachment
 * @b: another one, of the same export
 *
 * Context: Any, with both kept from being freed.
 * Return: true if they are, and so don't compete.
 */
bool rblkt_att_siblings(const struct rblkt_att *a, const struct rblkt_att *b)
{
	return att_is_sibling(a, b->holder, b->device);
}

/**
 * rblkt_att_fence_host - fence a host's other sessions off from an attachment
 * @lost: it drains, as its session has ended, or its host no longer waits for the
 *        commands in it
 *
 * The host may continue on another session, where its commands must not overtake
 * those that @lost has under way.  So the target withdraws the export there as well.
 * The host asks for it again and gets it once the commands of @lost have ended.
 * Siblings keep it: the host's device fences these.
 *
 * Context: Process context, with rblkt_mutex held; does not wait.
 */
void rblkt_att_fence_host(const struct rblkt_att *lost)
{
	struct rblkt_att *att;

	if (!rblkt_fence_up() || !(lost->access & RBLK_ACCESS_WRITE))
		return;
	list_for_each_entry(att, &lost->export->atts, node)
		if (!att->draining && att->access & RBLK_ACCESS_WRITE &&
		    holder_same_host(att->holder, lost->holder) &&
		    !rblkt_att_siblings(att, lost))
			rblkt_export_withdraw(att);
}

/**
 * rblkt_att_lose_all - end all attachments of a session that has ended
 * @holder: the session's part; it gets no more attachments
 *
 * Context: Process context, with rblkt_mutex held; does not wait.
 */
void rblkt_att_lose_all(struct rblkt_holder *holder)
{
	struct rblkt_att *att;
	unsigned long handle;

	lockdep_assert_held(&rblkt_mutex);
	xa_for_each(&holder->atts, handle, att) {
		xa_erase(&holder->atts, handle);
		holder->nr_atts--;
		if (!att->draining) {
			rblkt_drain_begin(att);
			rblkt_att_fence_host(att);
		}
		rblkt_att_put(att);
	}
}

/*
 * May @holder have @export as it asks in @msg now?  AGAIN: the fence holds.  BUSY:
 * a host with a conflicting access has it, and its name goes into @other.
 */
static u16 att_arbitrate(const struct rblkt_export *export,
			 const struct rblkt_holder *holder,
			 const struct rblk_wire_attach *msg, char *other)
{
	u64 device = le64_to_cpu(msg->device);
	u32 access = le32_to_cpu(msg->access);
	const struct rblkt_att *att;
	u16 status = RBLK_CTL_OK;

	lockdep_assert_held(&rblkt_mutex);
	if (export->flags & RBLKT_EXPORT_READ_ONLY)
		access &= ~RBLK_ACCESS_WRITE;
	list_for_each_entry(att, &export->atts, node) {
		bool same = !memcmp(att->holder->uuid, holder->uuid, RBLK_UUID_LEN);
		u32 held = att->read_only ? att->access & ~RBLK_ACCESS_WRITE :
			   att->access;

		if (att->draining) {
			/* The fence also holds back a host's own old I/O. */
			bool kin = same || holder_same_host(att->holder, holder);

			if (rblkt_fence_up() && (kin || rblkt_att_conflict(held, access)))
				status = RBLK_CTL_AGAIN;
			continue;
		}
		if (same && holder_same_host(att->holder, holder))
			return RBLK_CTL_ATTACHED;
		/* The same session of another host may be this host with its former key. */
		if (same || (rblkt_att_conflict(held, access) &&
			     !att_is_sibling(att, holder, device))) {
			strscpy(other, att->holder->host_name, RBLK_NAME_LEN);
			return RBLK_CTL_BUSY;
		}
	}
	return status;
}

/* Does the host continue, as it had the export before a loss? */
static bool msg_continues(const struct rblk_wire_attach *msg)
{
	return le32_to_cpu(msg->flags) & RBLK_ATTACHF_CONTINUE;
}

/*
 * A host that continues knows the export by its UUID, as the name may have
 * changed.
 */
static struct rblkt_export *att_find_export(const struct rblk_wire_attach *msg)
{
	struct rblkt_export *export = NULL;

	if (msg_continues(msg))
		export = rblkt_export_known(msg->uuid);
	return export ?: rblkt_export_find(msg->name);
}

/* Decide as far as that needs no look at other attachments. */
static u16 att_check_access(struct rblkt_export *export,
			    const struct rblkt_holder *holder,
			const struct rblk_wire_attach *msg)
{
	u32 access = le32_to_cpu(msg->access);

	if (!export)
		return RBLK_CTL_NO_EXPORT;
	if (rblkt_fence_stands(holder->host) || !rblkt_export_allows(export, &holder->who))
		return RBLK_CTL_DENIED;
	if (memchr_inv(msg->uuid, 0, sizeof(msg->uuid)) &&
	    memcmp(msg->uuid, export->uuid, sizeof(msg->uuid)))
		return RBLK_CTL_WRONG_UUID;
	/*
	 * A host that continues keeps its right to write, for when the export
	 * is made writable again.
	 */
	if (access & RBLK_ACCESS_WRITE && !msg_continues(msg) &&
	    export->flags & RBLKT_EXPORT_READ_ONLY)
		return RBLK_CTL_READ_ONLY;
	if (access & RBLK_ACCESS_SHARED && !(export->flags & RBLKT_EXPORT_SHARED))
		return RBLK_CTL_NOT_SHARED;
	if (holder->nr_atts >= RBLKT_MAX_VOLUMES)
		return RBLK_CTL_NO_RESOURCES;
	/* A device that has died has the size 0. */
	rblkt_bdev_measure(export);
	return export->geo.blocks ? RBLK_CTL_OK : RBLK_CTL_NO_EXPORT;
}

/* Has a host that continues missed a writer, or lost its right meanwhile? */
static bool att_superseded(const struct rblkt_export *export,
			   const struct rblkt_holder *holder,
			   const struct rblk_wire_attach *msg)
{
	return rblkt_fence_up() &&
	       (rblkt_proto_superseded(export->tenure, msg) ||
		rblkt_proto_revoked(rblkt_revoke_right(export, holder), msg));
}

static struct rblkt_att *att_new(work_func_t deferred)
{
	struct rblkt_att *att = kzalloc(sizeof(*att), GFP_KERNEL);

	if (!att)
		return NULL;
	kref_init(&att->ref);
	INIT_LIST_HEAD(&att->node);
	spin_lock_init(&att->deferred_lock);
	INIT_LIST_HEAD(&att->deferred);
	INIT_WORK(&att->deferred_work, deferred);
	rblkt_drain_init(att);
	INIT_RCU_WORK(&att->free_work, att_free_work);
	att->inflight = alloc_percpu(unsigned int);
	if (!att->inflight)
		goto free;
	if (percpu_ref_init(&att->ios, rblkt_drain_ended, 0, GFP_KERNEL))
		goto free_percpu;
	return att;

free_percpu:
	free_percpu(att->inflight);
free:
	kfree(att);
	return NULL;
}

/*
 * Enter @att into the session's table and the export's list.  From here on the
 * table and att->ios hold a reference each.
 */
static u16 att_link(struct rblkt_att *att, struct rblkt_export *export,
		    struct rblkt_holder *holder, struct rblkt_tally **spare)
{
	u32 handle = holder->last_handle + 1;

	if (!holder->ops->charge(holder, rblkt_att_bytes()))
		return RBLK_CTL_MEMORY;
	if (!handle || xa_reserve(&holder->atts, handle, GFP_KERNEL)) {
		holder->ops->uncharge(holder, rblkt_att_bytes());
		return RBLK_CTL_NO_RESOURCES;
	}
	att->handle = handle;
	att->tally = rblkt_stat_get(export, holder, spare);
	att->holder = holder;
	att->export = export;
	att->denied = rblkt_resv_access(export, holder->host);
	holder->nr_atts++;
	holder->ops->get(holder);
	kref_get(&export->ref);
	list_add_tail(&att->node, &export->atts);
	rblkt_att_get(att);
	/* Last, as a host may guess the handle: its commands find all of @att. */
	xa_store(&holder->atts, handle, att, GFP_KERNEL);
	WRITE_ONCE(holder->last_handle, handle);
	return RBLK_CTL_OK;
}

/**
 * rblkt_attach - attach an export to a session
 * @holder: logged in
 * @msg: the checked message
 * @reply: zeroed; filled in except for its header
 *
 * Never waits for I/O to the export: while the fence holds, or somebody else's tenure
 * is being stored, the answer is RBLK_CTL_AGAIN.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: enum rblk_wire_ctl_status.
 */
u16 rblkt_attach(struct rblkt_holder *holder, const struct rblk_wire_attach *msg,
		 struct rblk_wire_attach_reply *reply)
{
	struct rblkt_att *att = att_new(holder->ops->deferred);
	struct rblkt_tally *spare = rblkt_stat_alloc();
	struct rblkt_export *export;
	u32 handle = 0;
	u16 status;

	if (!att || !spare) {
		rblkt_stat_free(spare);
		if (att)
			rblkt_att_put(att);
		return RBLK_CTL_NO_RESOURCES;
	}
	mutex_lock(&rblkt_mutex);
	export = att_find_export(msg);
	status = att_check_access(export, holder, msg);
	if (!status && export->storing)
		status = RBLK_CTL_AGAIN;
	if (!status && att_superseded(export, holder, msg))
		status = RBLK_CTL_FENCED;
	if (!status)
		status = att_arbitrate(export, holder, msg, reply->holder);
	if (!status && !holder->ops->may_attach(holder))
		status = RBLK_CTL_GOING_AWAY;
	if (!status) {
		rblkt_grant_fill(att, export, msg);
		status = att_link(att, export, holder, &spare);
	}
	if (!status) {
		if (rblkt_tenure_begin(att, msg)) {
			kref_get(&export->ref);
			handle = att->handle;
		}
		rblkt_grant_tell(reply, att, msg);
		rblkt_resize_watch();
	}
	mutex_unlock(&rblkt_mutex);
	rblkt_stat_free(spare);
	if (status)
		rblkt_att_put(att);
	if (handle)
		status = rblkt_tenure_keep(export, holder, handle);
	if (handle && status)
		memset(reply, 0, sizeof(*reply));
	return status;
}

/**
 * rblkt_detach - detach an export from a session
 * @holder: the session
 * @handle: from the attach reply
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: RBLK_CTL_OK, or RBLK_CTL_NO_VOLUME for an unknown handle.
 */
u16 rblkt_detach(struct rblkt_holder *holder, u32 handle)
{
	struct rblkt_att *att;

	mutex_lock(&rblkt_mutex);
	att = xa_erase(&holder->atts, handle);
	if (att) {
		holder->nr_atts--;
		/*
		 * This also ends commands that wait for chunks, which would
		 * otherwise hold the device for ever.
		 */
		if (!att->draining)
			rblkt_export_drain(att);
	}
	mutex_unlock(&rblkt_mutex);
	if (!att)
		return RBLK_CTL_NO_VOLUME;
	rblkt_att_put(att);
	return RBLK_CTL_OK;
}
