// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of an attachment: no new command enters it, and the commands in it end.
 *
 * Most end at once.  Those whose disk hangs do not, for hours maybe.  After
 * RBLKT_OVERDUE_MS their host hears that they have ended for it (HELD), if its
 * connections live.  So it need not give up these, which serve other volumes as
 * well.  At the disk they go on, and the fence stands until the last has ended, also
 * for the host's other sessions, except those of the same device: that asks by FENCE.
 */
#include <linux/moduleparam.h>
#include "export.h"

#ifdef RBLK_TEST
/* For tests that show what it prevents: without it, data is lost. */
static bool fence = true;
module_param(fence, bool, 0644);
MODULE_PARM_DESC(fence, "admit I/O only after that of former holders has ended");
#else
static const bool fence = true;
#endif

/**
 * rblkt_fence_up - does I/O that has not ended hold others back?
 *
 * Context: any.
 * Return: true, but for tests that show what comes of it otherwise.
 */
bool rblkt_fence_up(void)
{
	return fence;
}

#define RBLKT_OVERDUE_MS	1000
#define RBLKT_OVERDUE_RETRY_MS	100

static void drain_overdue_work(struct work_struct *work)
{
	struct rblkt_att *att = container_of(to_delayed_work(work), struct rblkt_att,
					     overdue_work);

	mutex_lock(&rblkt_mutex);
	/* First, as the host may then send the same again by another session. */
	rblkt_att_fence_host(att);
	if (att->holder->ops->hold(att))
		queue_delayed_work(rblkt_close_wq, &att->overdue_work,
				   msecs_to_jiffies(RBLKT_OVERDUE_RETRY_MS));
	mutex_unlock(&rblkt_mutex);
}

/*
 * The last bio has ended: the fence is down for this attachment.  Drops the
 * reference of @ios and those to the session and to the export.
 */
static void drain_ended_work(struct work_struct *work)
{
	struct rblkt_att *att = container_of(work, struct rblkt_att,
					     drained_work);
	struct rblkt_export *export = att->export;
	struct rblkt_holder *holder = att->holder;

	cancel_delayed_work_sync(&att->overdue_work);
	mutex_lock(&rblkt_mutex);
	list_del(&att->node);
	rblkt_stat_put(export, att->tally);
	holder->ops->uncharge(holder, rblkt_att_bytes());
	mutex_unlock(&rblkt_mutex);
	rblkt_att_put(att);
	holder->ops->put(holder);
	/* This goes last, as the export may be all that pins the module. */
	rblkt_export_put(export);
}

/**
 * rblkt_drain_ended - the last command has left a draining attachment
 * @ios: its percpu_ref
 *
 * Context: Any.
 */
void rblkt_drain_ended(struct percpu_ref *ios)
{
	struct rblkt_att *att = container_of(ios, struct rblkt_att, ios);

	queue_work(rblkt_close_wq, &att->drained_work);
}

/**
 * rblkt_drain_init - prepare an attachment's end
 * @att: new
 *
 * Context: Any.
 */
void rblkt_drain_init(struct rblkt_att *att)
{
	INIT_WORK(&att->drained_work, drain_ended_work);
	INIT_DELAYED_WORK(&att->overdue_work, drain_overdue_work);
}

/**
 * rblkt_drain_begin - let no more commands enter an attachment
 * @att: not draining yet
 *
 * Context: Process context, with rblkt_mutex held; does not wait.
 */
void rblkt_drain_begin(struct rblkt_att *att)
{
	lockdep_assert_held(&rblkt_mutex);
	WRITE_ONCE(att->draining, true);
	queue_delayed_work(rblkt_close_wq, &att->overdue_work,
			   msecs_to_jiffies(RBLKT_OVERDUE_MS));
	percpu_ref_kill(&att->ios);
}
