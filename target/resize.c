// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing devices that grow and shrink while hosts have them attached.
 *
 * No kernel tells a device's holder that its size has changed, so it is looked
 * at: one read of a number for each export in use, twice a second, by a single
 * work item that rests while nothing is attached.
 *
 * A host is told every new size, but what it may ask for never shrinks: a
 * command for blocks that have gone is not its fault, and must not end its
 * connection.  It is the block layer that refuses it, as beyond the end of the
 * device, and what the device still has can be used as before.
 */
#include "rblkt.h"

/* With the way to the host, less than a second. */
#define LOOK_MS		500

/* One size fits all hosts, but one may know it already. */
static void tell(struct rblkt_export *export, struct rblkt_att *att)
{
	u64 blocks = export->geo.blocks;

	if (att->draining || att->told == blocks)
		return;
	att->told = blocks;
	if (blocks > att->geo.blocks)
		WRITE_ONCE(att->geo.blocks, blocks);
	rblkt_login_event(att, RBLK_EVENT_CAPACITY);
}

/**
 * rblkt_resize_look - is an export's device of another size, and who must know?
 * @export: open
 *
 * A device that has died has no size at all, of which its errors say enough.
 */
void rblkt_resize_look(struct rblkt_export *export)
{
	struct rblkt_att *att;

	lockdep_assert_held(&rblkt_mutex);
	rblkt_bdev_measure(export);
	if (!export->geo.blocks)
		return;
	list_for_each_entry(att, &export->atts, node)
		tell(export, att);
}

static void look_work(struct work_struct *work)
{
	struct rblkt_export *export;
	bool used = false;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node) {
		if (list_empty(&export->atts))
			continue;
		rblkt_resize_look(export);
		used = true;
	}
	if (used)
		rblkt_resize_watch();
	mutex_unlock(&rblkt_mutex);
}

static DECLARE_DELAYED_WORK(look, look_work);

/**
 * rblkt_resize_watch - something is attached: keep looking
 */
void rblkt_resize_watch(void)
{
	lockdep_assert_held(&rblkt_mutex);
	queue_delayed_work(rblkt_close_wq, &look, msecs_to_jiffies(LOOK_MS));
}

/**
 * rblkt_resize_stop - look no more; there is no export left
 */
void rblkt_resize_stop(void)
{
	cancel_delayed_work_sync(&look);
}
