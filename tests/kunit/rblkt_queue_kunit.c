// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues that go while their events still come.
 *
 * A device of our own raises the event of a completion queue in the midst of its
 * destruction, as one may that tells late.  Nobody may look at either queue from
 * then on, and no work may be left that would.
 */
#include "../../target/transport/queue.c"
#include "../../target/transport/receive.c"
#include "../../target/transport/sign.c"
#include <kunit/test.h>

struct workqueue_struct *rblkt_wq;
struct workqueue_struct *rblkt_ctl_wq;

/* What the two files call elsewhere; none of it has a part in this. */
void rblkt_conn_violation(struct rblkt_conn *conn, enum rblkt_bad bad) { }
void rblkt_conn_fault(struct rblkt_conn *conn, enum ib_wc_status status) { }

bool rblkt_conn_kill_locked(struct rblkt_conn *conn, const char *why)
{
	return false;
}

static struct {
	bool late;		/* raise the event of a queue that is destroyed */
	bool ending;		/* the first one is being destroyed */
	unsigned int polls;	/* of any queue before that */
	unsigned int late_polls;	/* and since */
	unsigned int destroyed;
} seen;

static int fake_poll(struct ib_cq *cq, int nr, struct ib_wc *wc)
{
	if (seen.ending)
		seen.late_polls++;
	else
		seen.polls++;
	return 0;
}

static int fake_notify(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	if (seen.ending)
		seen.late_polls++;
	return 0;
}

/* Whatever the event has queued gets its chance while the queue is still there. */
static int fake_destroy(struct ib_cq *cq, struct ib_udata *udata)
{
	seen.ending = true;
	seen.destroyed++;
	if (seen.late) {
		cq->comp_handler(cq, cq->cq_context);
		flush_workqueue(rblkt_wq);
	}
	return 0;
}

static struct ib_cq *fake_cq(struct kunit *test, struct ib_device *dev,
			     struct rblkt_conn *conn, ib_comp_handler event)
{
	struct ib_cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL); /* ib_core frees it */

	KUNIT_ASSERT_NOT_NULL(test, cq);
	cq->device = dev;
	cq->comp_handler = event;
	cq->cq_context = conn;
	return cq;
}

static const struct rblkt_conn_ops fake_ops;

static struct rblkt_conn *fake_conn(struct kunit *test)
{
	struct ib_device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	struct rblkt_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_ASSERT_NOT_NULL(test, conn);
	memset(&seen, 0, sizeof(seen));
	dev->ops.poll_cq = fake_poll;
	dev->ops.req_notify_cq = fake_notify;
	dev->ops.destroy_cq = fake_destroy;
	conn->dev = dev;
	spin_lock_init(&conn->lock);
	mutex_init(&conn->poll_lock);
	conn->ops = &fake_ops;
	INIT_WORK(&conn->send_work, rblkt_queue_send_work);
	rblkt_receive_init(conn);
	conn->state = RBLKT_CONN_CLOSING;
	conn->send_cq = fake_cq(test, dev, conn, rblkt_queue_event);
	conn->recv_cq = fake_cq(test, dev, conn, rblkt_receive_event);
	return conn;
}

/* Until the end an event has its queue polled: the fakes do see that. */
static void events_poll(struct kunit *test)
{
	struct rblkt_conn *conn = fake_conn(test);

	rblkt_queue_event(conn->send_cq, conn);
	flush_workqueue(rblkt_wq);
	KUNIT_EXPECT_EQ(test, seen.polls, 1);
	rblkt_receive_event(conn->recv_cq, conn);
	flush_workqueue(rblkt_wq);
	KUNIT_EXPECT_EQ(test, seen.polls, 2);
	rblkt_queue_destroy_cqs(conn);
	KUNIT_EXPECT_EQ(test, seen.destroyed, 2);
	KUNIT_EXPECT_EQ(test, seen.late_polls, 0);
}

/* Destroy both queues while events go on coming: none of them has an effect. */
static void destroy_beside_events(struct kunit *test, struct rblkt_conn *conn)
{
	seen.late = true;
	rblkt_queue_destroy_cqs(conn);
	KUNIT_EXPECT_EQ(test, seen.destroyed, 2);
	KUNIT_EXPECT_EQ(test, seen.late_polls, 0);
	KUNIT_EXPECT_FALSE(test, work_busy(&conn->send_work));
	KUNIT_EXPECT_FALSE(test, work_busy(&conn->receive.work));
}

static void late_events_do_not(struct kunit *test)
{
	destroy_beside_events(test, fake_conn(test));
}

/* An event that has been raised and not yet seen to, and one more in the end. */
static void queued_work_is_cancelled(struct kunit *test)
{
	struct rblkt_conn *conn = fake_conn(test);

	rblkt_queue_event(conn->send_cq, conn);
	rblkt_receive_event(conn->recv_cq, conn);
	destroy_beside_events(test, conn);
}

/* What ends meanwhile may ask for the send queue to be armed. */
static void none_is_armed_in_the_end(struct kunit *test)
{
	struct rblkt_conn *conn = fake_conn(test);

	rblkt_queue_destroy_cqs(conn);
	spin_lock_irq(&conn->lock);
	rblkt_queue_arm(conn);
	spin_unlock_irq(&conn->lock);
	KUNIT_EXPECT_FALSE(test, conn->armed);
	KUNIT_EXPECT_EQ(test, seen.late_polls, 0);
}

/* Of a connection that could not be made. */
static void none_is_there(struct kunit *test)
{
	struct rblkt_conn *conn = fake_conn(test);

	kfree(conn->recv_cq);
	kfree(conn->send_cq);
	conn->recv_cq = NULL;
	conn->send_cq = NULL;
	rblkt_queue_destroy_cqs(conn);
	KUNIT_EXPECT_EQ(test, seen.destroyed, 0);
}

static int queue_suite_init(struct kunit_suite *suite)
{
	rblkt_wq = alloc_workqueue("rblkt_kunit", WQ_PERCPU, 0);
	rblkt_ctl_wq = rblkt_wq;
	return rblkt_wq ? 0 : -ENOMEM;
}

static void queue_suite_exit(struct kunit_suite *suite)
{
	if (rblkt_wq)
		destroy_workqueue(rblkt_wq);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(events_poll),
	KUNIT_CASE(late_events_do_not),
	KUNIT_CASE(queued_work_is_cancelled),
	KUNIT_CASE(none_is_armed_in_the_end),
	KUNIT_CASE(none_is_there),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_queue",
	.suite_init = queue_suite_init,
	.suite_exit = queue_suite_exit,
	.test_cases = queue_cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: the end of a target's completion queues");
MODULE_LICENSE("GPL");
