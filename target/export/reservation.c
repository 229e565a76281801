// SPDX-License-Identifier: GPL-2.0-only
/*
 * Persistent reservations: the registrations and the reservation of each export, which
 * proto/reservation.c decides about, and how they take effect.
 *
 * All or nothing: a change is made in a copy.  That is recorded, then it takes the place
 * of the state under rblkt_mutex, and only then its host is answered.  rblkt_store_lock()
 * orders the changes of an export.  A change that can't be recorded has not been made.
 *
 * Each change is decided once.  What was decided is remembered for its source, that is a
 * device of a host.  A host that repeats a change, as it has no answer, gets the answer
 * that there was.  A message of a lost route may come after the host has gone on: it is
 * older than what is remembered, and refused.  A change that was made is remembered in
 * the record, so its repeat is known after a restart.  A refusal is recorded with the
 * next change, if at all: no message that was sent before a restart arrives after it.
 *
 * What orders a change and I/O?  The attachment has what its host is denied,
 * @denied.  A command enters @ios first, and looks at @denied then, right before it
 * goes to the device; nobody takes a lock.
 *
 * - A change stores @denied of all attachments under rblkt_mutex, before its host is
 *   answered, and a new attachment begins with what is in force.  So a command that is
 *   sent after the answer meets the change.
 * - A command that had looked already goes on, and may end after the answer.  That is so
 *   for every change but PREEMPT_ABORT.
 * - PREEMPT_ABORT withdraws the attachments of the hosts that lose their registration.  A
 *   command that has looked, or has not yet, is in @ios, and the attachment stays in the
 *   export's list until the last of them has ended.  OK comes when no attachment is in
 *   the list that this abort waits for: that is counted, and nothing is guessed from time.
 *   The list also has what drained before, of sessions that had ended.  What the host
 *   sends to the withdrawn attachments is answered with GONE, and those that it asks for
 *   anew begin with what is in force.
 *
 * An abort waits for whoever has the key, or has lost it to another abort.  If the
 * administrator moves a registration to a host's new key, it does not wait for what came
 * by the old one.  So deny the old key first.
 *
 * An attachment knows the first and the last abort that wait for it.  So each abort waits
 * for its own, also if another host wants the same or another host's I/O to end
 * meanwhile.  Who comes second finds no registration any more: he is answered only when
 * the I/O that the first one waits for has ended, or else he would take the conflict for
 * the end of that.
 *
 * Registrations belong to the UUID of the export and to the host, that is to its key or
 * else its UUID.  They outlive sessions, the removal of the export (if they are kept in a
 * file), a new name and a new list of hosts: who is denied the export keeps his
 * registration, until others preempt it or the administrator ends it.  A host with a new key
 * is another host, until the administrator moves the registration.
 *
 * Only hosts in the export's list can register, and an export has at most
 * RBLK_WIRE_MAX_REGISTRANTS.  So all this is as large as the administrator wants, and no
 * address is charged for it.
 */
#include <linux/slab.h>
#include "export.h"

/**
 * rblkt_resv_access - what a reservation keeps a host from
 * @export: the export
 * @host: who
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: RBLKT_DENY_*.
 */
u8 rblkt_resv_access(const struct rblkt_export *export, const u8 *host)
{
	lockdep_assert_held(&rblkt_mutex);
	return rblkt_resv_denies(export->resv, host);
}

/* May an abort go on waiting for an attachment, which stays in the list meanwhile? */
static bool att_awaited(const struct rblkt_att *att, u64 abort)
{
	return rblkt_fence_up() && att->abort_first &&
	       abort >= att->abort_first && abort <= att->abort_last;
}

/* Has the I/O that an abort waits for ended?  0 is one that waits for nothing. */
static u16 resv_look(const struct rblkt_export *export, u64 abort)
{
	const struct rblkt_att *att;

	list_for_each_entry(att, &export->atts, node)
		if (abort && att_awaited(att, abort))
			return RBLK_CTL_AGAIN;
	return RBLK_CTL_OK;
}

/**
 * rblkt_resv_aborting - count what aborts wait for
 * @export: the export
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: attachments of preempted hosts with I/O that has not ended.
 */
u32 rblkt_resv_aborting(const struct rblkt_export *export)
{
	const struct rblkt_att *att;
	u32 nr = 0;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(att, &export->atts, node)
		nr += att->abort_first != 0;
	return nr;
}

/* Its host has lost the registration with @key to an abort. */
static void att_abort(struct rblkt_att *att, u64 abort, u64 key)
{
	if (!att->abort_first)
		att->abort_first = abort;
	att->abort_last = abort;
	att->abort_key = key;
	if (!att->draining)
		rblkt_export_withdraw(att);
}

static void att_tell(struct rblkt_att *att, u32 why)
{
	if (att->draining || !why)
		return;
	att->resv_why |= why;
	att->holder->ops->event(att, RBLK_EVENT_RESERVATION);
}

/*
 * Put a recorded state in force.  @by: the host that has changed it, and hears nothing, or
 * NULL; @abort: the number of an abort, or 0, and @key what it is of, 0 for all who hold.
 */
static void resv_enforce(struct rblkt_export *export, struct rblkt_resv *next, const u8 *by,
			 const struct rblkt_resv_result *result, u64 abort, u64 key)
{
	struct rblkt_resv *former = export->resv;
	const struct rblkt_registrant *had;
	struct rblkt_att *att;
	const u8 *host;
	bool lost;

	lockdep_assert_held(&rblkt_mutex);
	export->resv = next;
	/* All of them first: no event or drain comes between two hosts' rights. */
	list_for_each_entry(att, &export->atts, node)
		WRITE_ONCE(att->denied, rblkt_resv_denies(next, att->holder->host));
	list_for_each_entry(att, &export->atts, node) {
		host = att->holder->host;
		if (by && !memcmp(host, by, RBLK_UUID_LEN))
			continue;
		had = rblkt_resv_find(former, host);
		lost = had && !rblkt_resv_find(next, host);
		att_tell(att, lost ? result->lost : result->others);
		if (lost && abort)
			att_abort(att, abort, had->key);
		else if (abort && att->abort_first && (!key || att->abort_key == key))
			/* Another abort has ended its registration, and it has I/O left. */
			att->abort_last = abort;
	}
	kvfree(former);
}

/* A copy of the state, to be changed; with the lock of the export's files. */
static struct rblkt_resv *resv_copy(const struct rblkt_export *export)
{
	struct rblkt_resv *next = kvmalloc(sizeof(*next), GFP_KERNEL);

	if (next)
		*next = *export->resv;
	return next;
}

/* The volume of a handle, if its host has not lost it. */
static struct rblkt_att *resv_volume(struct rblkt_holder *holder, u32 handle)
{
	struct rblkt_att *att = xa_load(&holder->atts, handle);

	lockdep_assert_held(&rblkt_mutex);
	return att && !att->draining ? att : NULL;
}

static void ask_fill(struct rblkt_resv_ask *ask, const struct rblkt_att *att,
		     const struct rblk_wire_reserve *msg)
{
	const struct rblkt_holder *holder = att->holder;

	memset(ask, 0, sizeof(*ask));
	ask->action = msg->action;
	ask->type = msg->type;
	ask->may_write = att->access & RBLK_ACCESS_WRITE && !att->read_only;
	ask->key = le64_to_cpu(msg->key);
	ask->new_key = le64_to_cpu(msg->new_key);
	ask->source = le64_to_cpu(msg->source);
	ask->number = le64_to_cpu(msg->number);
	memcpy(ask->who.host, holder->host, sizeof(ask->who.host));
	memcpy(ask->who.public_key, holder->who.key, sizeof(ask->who.public_key));
	strscpy(ask->who.name, holder->host_name, sizeof(ask->who.name));
}

/* Another abort was first: is the I/O that it waits for still there? */
static bool resv_aborted_before(const struct rblkt_export *export,
				const struct rblkt_resv_ask *ask)
{
	const struct rblkt_registrant *who = rblkt_resv_find(export->resv, ask->who.host);
	const struct rblkt_att *att;

	if (ask->action != RBLK_RESV_PREEMPT_ABORT || !who || who->key != ask->key)
		return false;
	list_for_each_entry(att, &export->atts, node)
		if (att_awaited(att, att->abort_last) && att->abort_key == ask->new_key)
			return true;
	return false;
}

/* Decide @ask in @next, which is NULL without memory, unless that was done before. */
static u16 resv_decide_in(struct rblkt_export *export, const struct rblkt_resv_ask *ask,
			  struct rblkt_resv *next, struct rblkt_resv_result *result)
{
	const struct rblkt_resv_last *last = rblkt_resv_last(export->resv, ask);

	*result = (struct rblkt_resv_result){ .status = RBLK_CTL_NO_RESOURCES };
	if (last && ask->number < last->number)
		return RBLK_CTL_OLD_CHANGE;
	if (last && ask->number == last->number)
		return last->status ?: resv_look(export, last->abort);
	if (next)
		rblkt_resv_decide(next, ask, result);
	if (result->status == RBLK_CTL_CONFLICT && resv_aborted_before(export, ask))
		return RBLK_CTL_AGAIN;
	if (!result->changed)
		rblkt_resv_remember(export->resv, ask, result->status);
	return result->status;
}

/*
 * Record and enforce what was decided; takes @next.  @ask: what a host has asked for, or
 * NULL for the administrator.
 */
static u16 resv_commit(struct rblkt_export *export, struct rblkt_resv *next,
		       const struct rblkt_resv_ask *ask, const struct rblkt_resv_result *result)
{
	u64 abort = 0;
	u16 status;

	if (ask)
		rblkt_resv_remember(next, ask, RBLK_CTL_OK);
	if (rblkt_record_keep(export, next)) {
		kvfree(next);
		if (ask) {
			mutex_lock(&rblkt_mutex);
			rblkt_resv_remember(export->resv, ask, RBLK_CTL_NOT_KEPT);
			mutex_unlock(&rblkt_mutex);
		}
		return RBLK_CTL_NOT_KEPT;
	}
	mutex_lock(&rblkt_mutex);
	if (ask && ask->action == RBLK_RESV_PREEMPT_ABORT) {
		abort = ++export->aborts;
		next->last[0].abort = abort;
	}
	resv_enforce(export, next, ask ? ask->who.host : NULL, result, abort,
		     ask ? ask->new_key : 0);
	status = resv_look(export, abort);
	mutex_unlock(&rblkt_mutex);
	return status;
}

/* Carry out a RESERVE for an export; with the lock of its files. */
static u16 resv_run(struct rblkt_holder *holder, struct rblkt_export *export,
		    const struct rblk_wire_reserve *msg)
{
	struct rblkt_resv *next = resv_copy(export);
	struct rblkt_resv_result result = {};
	u16 status = RBLK_CTL_NO_VOLUME;
	struct rblkt_resv_ask ask;
	struct rblkt_att *att;

	mutex_lock(&rblkt_mutex);
	att = resv_volume(holder, le32_to_cpu(msg->volume));
	if (att && att->export == export) {
		ask_fill(&ask, att, msg);
		status = resv_decide_in(export, &ask, next, &result);
	}
	mutex_unlock(&rblkt_mutex);
	if (result.changed)
		return resv_commit(export, next, &ask, &result);
	kvfree(next);
	return status;
}

/**
 * rblkt_reserve - change an export's registrations or its reservation
 * @holder: logged in
 * @msg: the checked message
 *
 * Never waits for I/O to the export: while some is left that an abort waits for, the
 * answer is RBLK_CTL_AGAIN.
 *
 * Context: Process context; takes rblkt_mutex, may sleep, as long as a disk may.
 * Return: enum rblk_wire_ctl_status.
 */
u16 rblkt_reserve(struct rblkt_holder *holder, const struct rblk_wire_reserve *msg)
{
	struct rblkt_export *export = NULL;
	struct rblkt_att *att;
	u16 status;

	mutex_lock(&rblkt_mutex);
	att = resv_volume(holder, le32_to_cpu(msg->volume));
	if (att) {
		export = att->export;
		kref_get(&export->ref);
	}
	mutex_unlock(&rblkt_mutex);
	if (!export)
		return RBLK_CTL_NO_VOLUME;
	rblkt_store_lock(export->uuid);
	status = resv_run(holder, export, msg);
	rblkt_store_unlock(export->uuid);
	rblkt_export_put(export);
	return status;
}

static void report_fill(struct rblk_wire_registrant *entry, const struct rblkt_resv *resv,
			const struct rblkt_registrant *who, const u8 *self)
{
	u32 flags = 0;

	if (rblkt_resv_holds(resv, who))
		flags |= RBLK_REGF_HOLDER;
	if (!memcmp(who->host, self, sizeof(who->host)))
		flags |= RBLK_REGF_SELF;
	entry->key = cpu_to_le64(who->key);
	memcpy(entry->host, who->host, sizeof(entry->host));
	memcpy(entry->name, who->name, sizeof(entry->name));
	entry->flags = cpu_to_le32(flags);
}

/**
 * rblkt_resv_report - tell a host of an export's registrations
 * @holder: logged in
 * @msg: the checked message
 * @reply: zeroed; filled in except for its header
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: enum rblk_wire_ctl_status.
 */
u16 rblkt_resv_report(struct rblkt_holder *holder, const struct rblk_wire_reservation *msg,
		      struct rblk_wire_reservation_reply *reply)
{
	u32 i, start = le32_to_cpu(msg->start), nr = 0;
	const struct rblkt_resv *resv;
	const struct rblkt_att *att;

	mutex_lock(&rblkt_mutex);
	att = resv_volume(holder, le32_to_cpu(msg->volume));
	resv = att ? att->export->resv : NULL;
	if (resv) {
		reply->generation = cpu_to_le32(resv->generation);
		reply->total = cpu_to_le32(resv->nr);
		reply->type = resv->type;
		for (i = start; i < resv->nr && nr < RBLK_WIRE_REGISTRANTS_MAX; i++)
			report_fill(&reply->entry[nr++], resv, &resv->registrant[i],
				    holder->host);
		reply->nr = cpu_to_le32(nr);
		if (nr && start + nr < resv->nr)
			reply->next = cpu_to_le32(start + nr);
	}
	mutex_unlock(&rblkt_mutex);
	return att ? RBLK_CTL_OK : RBLK_CTL_NO_VOLUME;
}

/* A host as the administrator names it, to how registrations know it. */
static bool host_id_of(u8 *id, const struct rblk_ioc_host *host)
{
	bool named = memchr_inv(host->uuid, 0, sizeof(host->uuid));

	if (named == rblkt_host_proven(host))
		return false;
	rblkt_host_id(id, host);
	return true;
}

static int force_check(const struct rblkt_ioc_reservation_set *arg, u8 *host, u8 *new_host)
{
	bool some = memchr_inv(&arg->host, 0, sizeof(arg->host));
	bool other = memchr_inv(&arg->new_host, 0, sizeof(arg->new_host));

	if (!memchr(arg->name, 0, sizeof(arg->name)) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return -EINVAL;
	switch (arg->what) {
	case RBLKT_RESV_CLEAR:
		return some || other ? -EINVAL : 0;
	case RBLKT_RESV_REMOVE:
		return host_id_of(host, &arg->host) && !other ? 0 : -EINVAL;
	case RBLKT_RESV_MOVE:
		return host_id_of(host, &arg->host) &&
		       host_id_of(new_host, &arg->new_host) ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

/* Change a copy of the state as the administrator wants it. */
static int force_decide(struct rblkt_ioc_reservation_set *arg, const u8 *host,
			const u8 *new_host, struct rblkt_resv *next,
			struct rblkt_resv_result *result)
{
	struct rblk_ioc_error *err = &arg->error;
	u16 status = RBLK_CTL_OK;

	if (arg->what == RBLKT_RESV_CLEAR)
		rblkt_resv_clear(next, result);
	else if (arg->what == RBLKT_RESV_REMOVE)
		status = rblkt_resv_remove(next, host, result);
	else
		status = rblkt_resv_move(next, host, new_host, arg->new_host.key, result);
	if (status == RBLK_CTL_BUSY)
		return rblkt_fail(err, RBLK_STAGE_BUSY, EEXIST,
				  "the new host has a registration at export %s", arg->name);
	if (status)
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				  "the host has no registration at export %s", arg->name);
	return 0;
}

static int force_run(struct rblkt_ioc_reservation_set *arg, struct rblkt_export *export,
		     const u8 *host, const u8 *new_host)
{
	struct rblkt_resv *next = resv_copy(export);
	struct rblkt_resv_result result;
	int ret;

	if (!next)
		return rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOMEM, "out of memory");
	ret = force_decide(arg, host, new_host, next, &result);
	if (ret || !result.changed) {
		kvfree(next);
		return ret;
	}
	if (resv_commit(export, next, NULL, &result))
		return rblkt_fail(&arg->error, RBLK_STAGE_BACKING, EIO,
				  "the change can't be recorded in %s", rblkt_store_dir_name());
	pr_info("export %s: registrations changed by the administrator\n", arg->name);
	return 0;
}

/**
 * rblkt_resv_force - carry out the verb RESERVATION_SET
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep, as long as a disk may.
 * Return: 0 or a negative errno with @arg->error filled in.
 */
int rblkt_resv_force(struct rblkt_ioc_reservation_set *arg)
{
	u8 host[RBLK_UUID_LEN], new_host[RBLK_UUID_LEN];
	struct rblkt_export *export;
	bool gone;
	int ret;

	if (force_check(arg, host, new_host))
		return rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "an unknown change, stray or missing hosts, or reserved fields are set");
	mutex_lock(&rblkt_mutex);
	export = rblkt_export_find(arg->name);
	if (export)
		kref_get(&export->ref);
	mutex_unlock(&rblkt_mutex);
	if (!export)
		return rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOENT,
				  "there is no export %s", arg->name);
	rblkt_store_lock(export->uuid);
	mutex_lock(&rblkt_mutex);
	gone = list_empty(&export->node);
	mutex_unlock(&rblkt_mutex);
	if (gone)
		ret = rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOENT,
				 "export %s is not there any more", arg->name);
	else
		ret = force_run(arg, export, host, new_host);
	rblkt_store_unlock(export->uuid);
	rblkt_export_put(export);
	return ret;
}
