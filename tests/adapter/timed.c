// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of the I/O path of a device with a clock. */
#include "adapter.h"

static int timed_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			   const struct ib_send_wr **bad)
{
	int ret;

	rad_clock_enter();
	ret = rad_post_send(qp, wr, bad);
	rad_clock_leave();
	return ret;
}

static int timed_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad)
{
	int ret;

	rad_clock_enter();
	ret = rad_post_recv(qp, wr, bad);
	rad_clock_leave();
	return ret;
}

static int timed_poll_cq(struct ib_cq *cq, int nr, struct ib_wc *wc)
{
	int ret;

	rad_clock_enter();
	ret = rad_poll_cq(cq, nr, wc);
	rad_clock_leave();
	return ret;
}

static int timed_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	int ret;

	rad_clock_enter();
	ret = rad_req_notify_cq(cq, flags);
	rad_clock_leave();
	return ret;
}

static int timed_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents,
			   unsigned int *offset)
{
	int ret;

	/* It says so itself, but not here, where nothing may sleep. */
	if (rad_to(dev, mr->device)->profile->map_sleeps)
		return rad_map_mr_sg(mr, sg, nents, offset);
	rad_clock_enter();
	ret = rad_map_mr_sg(mr, sg, nents, offset);
	rad_clock_leave();
	return ret;
}

static const struct ib_device_ops timed_ops = {
	.post_send = timed_post_send,
	.post_recv = timed_post_recv,
	.poll_cq = timed_poll_cq,
	.req_notify_cq = timed_req_notify_cq,
	.map_mr_sg = timed_map_mr_sg,
};

/**
 * rad_timed_set() - account for a device's verbs, if there is a clock
 * @ibdev: has no operations yet: the first ones stay
 * Context: any.
 */
void rad_timed_set(struct ib_device *ibdev)
{
	if (rad_clock_runs())
		ib_set_device_ops(ibdev, &timed_ops);
}
