// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers RBLK_IOC_SHOW, RBLK_IOC_STAT and RBLK_IOC_ROUTE_LIST.
 */
#include "block.h"

/**
 * rblk_dev_show() - describe a device and its session, for RBLK_IOC_SHOW
 * @arg: checked; its outputs and error are filled in
 *
 * Context: may sleep, but never waits for the target.
 * Return: 0 or -ENOENT.
 */
int rblk_dev_show(struct rblk_ioc_show *arg)
{
	struct rblk_sess *sess;
	struct rblk_dev *dev;

	dev = rblk_dev_lock(arg->index, arg->flags & RBLK_SHOW_NEXT, &arg->error);
	if (!dev)
		return -arg->error.error;
	rblk_attrs_describe(dev, &arg->volume);
	sess = rblk_route_shown(dev)->vol.sess;
	rblk_stat_session(sess, &arg->session);
	rblk_stat_asked(sess, dev->flags, &arg->asked);
	rblk_dev_unlock();
	return 0;
}

/**
 * rblk_dev_stat() - add up a device's latency histograms, for RBLK_IOC_STAT
 * @arg: checked; its error is filled in
 * @sum: zeroed; filled in
 *
 * Context: may sleep, but never waits for the target.
 * Return: 0 or -ENOENT.
 */
int rblk_dev_stat(struct rblk_ioc_stat *arg, struct rblk_latency *sum)
{
	struct rblk_dev *dev = rblk_dev_lock(arg->index, false, &arg->error);

	if (!dev)
		return -arg->error.error;
	rblk_latency_sum(dev, sum);
	rblk_dev_unlock();
	return 0;
}

static void route_describe(struct rblk_route *route, struct rblk_ioc_route *out)
{
	struct rblk_ioc_asked asked = {};
	struct rblk_vol *vol = &route->vol;

	memcpy(out->target_text, route->target_text, sizeof(out->target_text));
	rblk_stat_asked(vol->sess, 0, &asked);
	out->source = asked.source;
	out->inflight = rblk_route_inflight(route);
	out->losses = READ_ONCE(route->losses);
	spin_lock_irq(&vol->lock);
	out->state = vol->state;
	out->down_seconds = rblk_attrs_down_seconds(vol);
	memcpy(out->reason, vol->reason, sizeof(out->reason));
	spin_unlock_irq(&vol->lock);
	rblk_stat_session(vol->sess, &out->session);
}

/**
 * rblk_dev_routes() - list the routes of a device, for RBLK_IOC_ROUTE_LIST
 * @arg: checked; its nr and error are filled in
 * @routes: zeroed; room for RBLK_MAX_ROUTES
 *
 * Context: may sleep, but never waits for the target.
 * Return: 0 or -ENOENT.
 */
int rblk_dev_routes(struct rblk_ioc_route_list *arg, struct rblk_ioc_route *routes)
{
	struct rblk_dev *dev = rblk_dev_lock(arg->index, false, &arg->error);
	struct rblk_route *route;

	arg->nr = 0;
	if (!dev)
		return -arg->error.error;
	rblk_for_each_route(dev, route)
		if (route->used)
			route_describe(route, &routes[arg->nr++]);
	rblk_dev_unlock();
	return 0;
}
