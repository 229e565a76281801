// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing devices that grow and shrink while hosts have them attached.
 *
 * No kernel tells a device's holder that the size has changed.  So a single
 * work item looks at the size of each export in use: one read of a number,
 * twice a second.  It rests while nothing is attached.
 *
 * The target tells each host every new size.  But the size that it checks a
 * host's commands against never shrinks: a command for blocks that are gone is
 * not the host's fault and must not end its connection.  The block layer
 * refuses such a command as beyond the end of the device.  The blocks that
 * remain can be used as before.
 */
#include "export.h"

/* A host learns of a new size within a second, the event's way included. */
#define CHECK_MS		500

/*
 * Tell a host the export's size, unless it knows.  @att->geo.blocks, the limit
 * for its commands, only grows.
 */
static void att_tell_size(struct rblkt_export *export, struct rblkt_att *att)
{
	u64 blocks = export->geo.blocks;

	if (att->draining || att->told == blocks)
		return;
	att->told = blocks;
	if (blocks > att->geo.blocks)
		WRITE_ONCE(att->geo.blocks, blocks);
	att->holder->ops->event(att, RBLK_EVENT_CAPACITY);
}

/**
 * rblkt_resize_check - measure an export's device and tell hosts of a new size
 * @export: open
 *
 * A device that has died has the size 0.  Hosts are not told that: its I/O
 * errors say enough.
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_resize_check(struct rblkt_export *export)
{
	struct rblkt_att *att;

	lockdep_assert_held(&rblkt_mutex);
	rblkt_bdev_measure(export);
	if (!export->geo.blocks)
		return;
	list_for_each_entry(att, &export->atts, node)
		att_tell_size(export, att);
}

static void resize_check_work(struct work_struct *work)
{
	struct rblkt_export *export;
	bool used = false;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node) {
		if (list_empty(&export->atts))
			continue;
		rblkt_resize_check(export);
		used = true;
	}
	if (used)
		rblkt_resize_watch();
	mutex_unlock(&rblkt_mutex);
}

static DECLARE_DELAYED_WORK(resize_check, resize_check_work);

/**
 * rblkt_resize_watch - check again soon, as something is attached
 *
 * Nothing happens if the work is queued already.
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_resize_watch(void)
{
	lockdep_assert_held(&rblkt_mutex);
	queue_delayed_work(rblkt_close_wq, &resize_check, msecs_to_jiffies(CHECK_MS));
}

/**
 * rblkt_resize_stop - cancel the work; the module goes and no export is left
 *
 * Context: Process context; may sleep.  Not with rblkt_mutex held, which the
 * work takes.
 */
void rblkt_resize_stop(void)
{
	cancel_delayed_work_sync(&resize_check);
}
