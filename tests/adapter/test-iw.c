// SPDX-License-Identifier: GPL-2.0-only
/* The self test: how iWARP profiles connect, by the core's iw_cm. */
#include <linux/delay.h>
#include <linux/inetdevice.h>
#include "test.h"

#define PORT_A	4712
#define PORT_B	4711
#define DEPTH	4

static int address(struct ib_device *device, u16 port,
		   struct sockaddr_storage *addr)
{
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	struct rad_dev *dev = rad_to(dev, device);
	struct in_device *indev;
	struct in_ifaddr *ifa = NULL;

	memset(addr, 0, sizeof(*addr));
	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	rcu_read_lock();
	indev = __in_dev_get_rcu(dev->ndev);
	if (indev)
		ifa = rcu_dereference(indev->ifa_list);
	if (ifa)
		in->sin_addr.s_addr = ifa->ifa_local;
	rcu_read_unlock();
	return ifa ? 0 : -EADDRNOTAVAIL;
}

static void take_data(struct test_cm *cm, const struct iw_cm_event *event)
{
	cm->status = event->status;
	cm->ird = event->ird;
	cm->ord = event->ord;
	cm->len = event->private_data_len;
	if (cm->len)
		memcpy(cm->data, event->private_data, cm->len);
}

/* Of a call, of both ends of it, and of the listener, whose calls inherit it. */
static int on_cm(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct test_cm *cm = id->context;

	switch (event->event) {
	case IW_CM_EVENT_CONNECT_REQUEST:
		take_data(cm, event);
		if (!cm->turns_away)
			cm->id = id;
		atomic_inc_return(&cm->requests);
		return cm->turns_away ? -EBUSY : 0;
	case IW_CM_EVENT_CONNECT_REPLY:
		take_data(cm, event);
		atomic_inc_return(&cm->replies);
		break;
	case IW_CM_EVENT_ESTABLISHED:
		atomic_inc_return(&cm->established);
		break;
	case IW_CM_EVENT_CLOSE:
		atomic_inc_return(&cm->closes);
		break;
	default:
		break;
	}
	return 0;
}

static enum ib_qp_state qp_state(struct ib_qp *ibqp)
{
	struct rad_qp *qp = rad_to(qp, ibqp);

	return READ_ONCE(qp->state);
}

/**
 * test_iw_once() - wait for an event
 * @count: of them
 * Context: may sleep, for more than the 10 s after which a call times out.
 * Return: 0 if there is exactly one, and no second soon after; else -ENOMSG.
 */
int test_iw_once(atomic_t *count)
{
	unsigned long end = jiffies + 15 * HZ;

	while (!atomic_read_acquire(count) && time_before(jiffies, end))
		usleep_range(500, 1000);
	msleep(20);
	return atomic_read(count) == 1 ? 0 : -ENOMSG;
}

static int cm_listen(struct test_side *side)
{
	struct iw_cm_id *id = iw_create_cm_id(side->device, on_cm, &side->cm);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	side->cm.listener = id;
	ret = address(side->device, PORT_B, &id->local_addr);
	return ret ?: iw_cm_listen(id, 2);
}

static void cm_unlisten(struct test_side *side)
{
	if (side->cm.listener)
		iw_destroy_cm_id(side->cm.listener);
	side->cm.listener = NULL;
}

static void cm_destroy(struct test_side *side)
{
	if (side->cm.id)
		iw_destroy_cm_id(side->cm.id);
	side->cm.id = NULL;
}

static int cm_call(struct test_pair *p, const void *data, u16 len)
{
	struct iw_cm_conn_param param = {
		.private_data = data,
		.private_data_len = len,
		.ird = DEPTH,
		.ord = DEPTH,
		.qpn = p->a.qp->qp_num,
	};
	struct iw_cm_id *id = iw_create_cm_id(p->a.device, on_cm, &p->a.cm);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	p->a.cm.id = id;
	atomic_set(&p->a.cm.replies, 0);
	ret = address(p->a.device, PORT_A, &id->local_addr) ?:
	      address(p->b.device, PORT_B, &id->remote_addr);
	return ret ?: iw_cm_connect(id, &param);
}

static int cm_accept(struct test_side *side, const void *data, u8 len)
{
	struct iw_cm_conn_param param = {
		.private_data = data,
		.private_data_len = len,
		.ird = DEPTH / 2,
		.ord = DEPTH,
		.qpn = side->qp->qp_num,
	};

	return iw_cm_accept(side->cm.id, &param);
}

static int cm_asked(struct test_pair *p)
{
	return cm_listen(&p->b) ?: cm_call(p, "ask", 3) ?:
	       test_iw_once(&p->b.cm.requests);
}

static int cm_refused(struct test_pair *p, int status)
{
	int ret = test_iw_once(&p->a.cm.replies);

	if (ret)
		return ret;
	if (p->a.cm.status != status || atomic_read(&p->a.cm.established) ||
	    atomic_read(&p->a.cm.closes))
		return -EBADE;
	return qp_state(p->a.qp) == IB_QPS_INIT ? 0 : -EISCONN;
}

/* As impatient as a pair of RoCE in test-pair.c. */
static void hurry(struct test_side *side)
{
	struct rad_qp *qp = rad_to(qp, side->qp);

	qp->attr.timeout = 12;
	qp->attr.retry_cnt = 2;
}

/**
 * test_iw_make() - connect a pair of iWARP
 * @p: in INIT; A calls B
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int test_iw_make(struct test_pair *p)
{
	int ret = cm_asked(p) ?: cm_accept(&p->b, "yes", 3) ?:
		  test_iw_once(&p->a.cm.replies) ?: test_iw_once(&p->b.cm.established);

	hurry(&p->a);
	hurry(&p->b);
	return ret ?: p->a.cm.status;
}

/**
 * test_iw_break() - the opposite of test_iw_make()
 * @side: as that or a case left it
 * Context: may sleep.
 */
void test_iw_break(struct test_side *side)
{
	cm_destroy(side);
	cm_unlisten(side);
}

static bool holds(const struct test_cm *cm, const void *data, u8 len)
{
	return cm->len == len && !memcmp(cm->data, data, len);
}

/* Private data of full length both ways, and depths that both ends can have. */
static int iw_connect(struct test_pair *p)
{
	struct rad_qp *a = rad_to(qp, p->a.qp), *b = rad_to(qp, p->b.qp);
	u8 data[256];
	int i, ret;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i;
	ret = cm_listen(&p->b) ?: cm_call(p, data, 255) ?:
	      test_iw_once(&p->b.cm.requests);
	if (ret)
		return ret;
	if (!holds(&p->b.cm, data, 255))
		return -EBADE;
	ret = cm_accept(&p->b, data + 1, 255) ?: test_iw_once(&p->a.cm.replies) ?:
	      test_iw_once(&p->b.cm.established) ?: p->a.cm.status;
	if (ret)
		return ret;
	if (!holds(&p->a.cm, data + 1, 255) || !a->attr.max_rd_atomic ||
	    !b->attr.max_rd_atomic ||
	    a->attr.max_rd_atomic > b->attr.max_dest_rd_atomic ||
	    b->attr.max_rd_atomic > a->attr.max_dest_rd_atomic)
		return -EBADE;
	return atomic_read(&p->a.cm.established) ||
	       atomic_read(&p->b.cm.replies) ? -EPROTO : 0;
}

/* Who was called may be the first to send. */
static int iw_passive_first(struct test_pair *p)
{
	return test_recv(&p->a) ?: test_post_message(&p->b, IB_WR_SEND, 0) ?:
	       test_status(p->a.rcq, IB_WC_SUCCESS) ?:
	       test_status(p->b.scq, IB_WC_SUCCESS);
}

/* A queue pair that was refused may call again. */
static int iw_reject(struct test_pair *p)
{
	int ret = cm_asked(p) ?: iw_cm_reject(p->b.cm.id, "no", 2) ?:
		  cm_refused(p, -ECONNREFUSED);

	if (ret)
		return ret;
	if (!holds(&p->a.cm, "no", 2))
		return -EBADE;
	cm_destroy(&p->a);
	cm_destroy(&p->b);
	atomic_set(&p->b.cm.requests, 0);
	return cm_call(p, NULL, 0) ?: test_iw_once(&p->b.cm.requests) ?:
	       cm_accept(&p->b, NULL, 0) ?: test_iw_once(&p->a.cm.replies) ?:
	       p->a.cm.status;
}

static int iw_no_listener(struct test_pair *p)
{
	return cm_call(p, NULL, 0) ?: cm_refused(p, -ECONNRESET);
}

static int iw_turned_away(struct test_pair *p)
{
	p->b.cm.turns_away = true;
	return cm_asked(p) ?: cm_refused(p, -ECONNREFUSED);
}

/* The answer comes too late. */
static int iw_listener_gone(struct test_pair *p)
{
	int ret = cm_asked(p);

	if (ret)
		return ret;
	cm_unlisten(&p->b);
	return cm_refused(p, -ECONNRESET) ?:
	       cm_accept(&p->b, NULL, 0) == -ECONNRESET ? 0 : -EBADE;
}

static int iw_unanswered(struct test_pair *p)
{
	return cm_asked(p) ?: cm_refused(p, -ETIMEDOUT) ?:
	       cm_accept(&p->b, NULL, 0) == -ECONNRESET ? 0 : -EBADE;
}

static int iw_wrong_qp(struct test_pair *p)
{
	struct iw_cm_conn_param param = { .qpn = p->a.qp->qp_num };
	int ret = cm_asked(p);

	if (ret)
		return ret;
	/* It is of another device. */
	return iw_cm_accept(p->b.cm.id, &param) == -EINVAL ? 0 : -EBADE;
}

/* A call is repeated until it arrives. */
static int iw_late(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->b.device);
	int ret = cm_listen(&p->b);

	WRITE_ONCE(dev->cut, true);
	ret = ret ?: cm_call(p, NULL, 0);
	msleep(100);
	if (!ret && (atomic_read(&p->b.cm.requests) ||
		     atomic_read(&p->a.cm.replies)))
		ret = -EBADE;
	WRITE_ONCE(dev->cut, false);
	return ret ?: test_iw_once(&p->b.cm.requests);
}

static void destroy_work(struct work_struct *work)
{
	struct test_cm *cm = container_of(work, struct test_cm, work);

	iw_destroy_cm_id(cm->id);
	cm->id = NULL;
	atomic_inc(&cm->destroyed);
}

/* The core waits for the answer, and must get one. */
static int iw_destroy_calling(struct test_pair *p)
{
	int ret = cm_asked(p);

	if (ret)
		return ret;
	INIT_WORK_ONSTACK(&p->a.cm.work, destroy_work);
	schedule_work(&p->a.cm.work);
	msleep(50);
	if (atomic_read(&p->a.cm.destroyed))
		ret = -EBADE;
	ret = ret ?: iw_cm_reject(p->b.cm.id, NULL, 0) ?:
	      test_iw_once(&p->a.cm.destroyed);
	flush_work(&p->a.cm.work);
	destroy_work_on_stack(&p->a.cm.work);
	return ret;
}

/* The call ends with its queue pair. */
static int iw_destroy_qp_calling(struct test_pair *p)
{
	int ret = cm_asked(p);

	if (ret)
		return ret;
	ib_destroy_qp(p->a.qp);
	p->a.qp = NULL;
	return test_iw_once(&p->a.cm.replies) ?:
	       p->a.cm.status == -ECONNRESET ? 0 : -EBADE;
}

/* Both ends have closed, and what was posted is flushed. */
static int both_closed(struct test_pair *p)
{
	return test_iw_once(&p->a.cm.closes) ?: test_iw_once(&p->b.cm.closes) ?:
	       test_status(p->b.rcq, IB_WC_WR_FLUSH_ERR) ?:
	       qp_state(p->b.qp) == IB_QPS_ERR ? 0 : -EISCONN;
}

static int iw_disconnect(struct test_pair *p)
{
	return test_recv(&p->b) ?: test_recv(&p->a) ?:
	       iw_cm_disconnect(p->a.cm.id, 0) ?: both_closed(p) ?:
	       test_status(p->a.rcq, IB_WC_WR_FLUSH_ERR) ?:
	       iw_cm_disconnect(p->b.cm.id, 0);
}

static int iw_abort(struct test_pair *p)
{
	return test_recv(&p->b) ?: test_error(&p->a) ?: both_closed(p);
}

static int iw_destroy_id(struct test_pair *p)
{
	int ret = test_recv(&p->b);

	cm_destroy(&p->a);
	return ret ?: test_iw_once(&p->b.cm.closes) ?:
	       test_status(p->b.rcq, IB_WC_WR_FLUSH_ERR);
}

static int iw_destroy_qp(struct test_pair *p)
{
	int ret = test_recv(&p->b);

	ib_destroy_qp(p->a.qp);
	p->a.qp = NULL;
	return ret ?: both_closed(p);
}

/* The other end learns of it when it can be reached again. */
static int iw_half_open(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->a.device);
	int ret = test_recv(&p->b);

	WRITE_ONCE(dev->cut, true);
	ret = ret ?: test_error(&p->a) ?: test_iw_once(&p->a.cm.closes);
	msleep(50);
	if (!ret && atomic_read(&p->b.cm.closes))
		ret = -EBADE;
	WRITE_ONCE(dev->cut, false);
	return ret ?: both_closed(p);
}

static int iw_long_data(struct test_pair *p)
{
	u8 data[256] = { };

	return cm_listen(&p->b) ?:
	       cm_call(p, data, sizeof(data)) == -EINVAL ? 0 : -EBADE;
}

static int ask_state(struct test_side *side, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(side->qp, &attr, IB_QP_STATE);
}

/* A user makes no connection, and there is no RTR. */
static int iw_states(struct test_pair *p)
{
	if (ask_state(&p->a, IB_QPS_RTS) != -EINVAL ||
	    ask_state(&p->a, IB_QPS_SQD) != -EINVAL ||
	    ask_state(&p->a, IB_QPS_RTR) || qp_state(p->a.qp) != IB_QPS_INIT)
		return -EBADE;
	if (ask_state(&p->a, IB_QPS_ERR) || ask_state(&p->a, IB_QPS_ERR) ||
	    ask_state(&p->a, IB_QPS_INIT) != -EINVAL)
		return -EBADE;
	return cm_call(p, NULL, 0) == -EINVAL ? 0 : -EBADE;
}

const struct test_case test_iwarp[] = {
	{ "iw_connect", iw_connect, 0, { .unconnected = true } },
	{ "iw_reject", iw_reject, 0, { .unconnected = true } },
	{ "iw_no_listener", iw_no_listener, 0, { .unconnected = true } },
	{ "iw_turned_away", iw_turned_away, 0, { .unconnected = true } },
	{ "iw_listener_gone", iw_listener_gone, 0, { .unconnected = true } },
	{ "iw_unanswered", iw_unanswered, 0, { .unconnected = true } },
	{ "iw_wrong_qp", iw_wrong_qp, 0, { .unconnected = true } },
	{ "iw_late", iw_late, 0, { .unconnected = true } },
	{ "iw_destroy_calling", iw_destroy_calling, 0, { .unconnected = true } },
	{ "iw_destroy_qp_calling", iw_destroy_qp_calling, 0, { .unconnected = true } },
	{ "iw_long_data", iw_long_data, 0, { .unconnected = true } },
	{ "iw_states", iw_states, 0, { .unconnected = true } },
	{ "iw_passive_first", iw_passive_first },
	{ "iw_disconnect", iw_disconnect },
	{ "iw_abort", iw_abort },
	{ "iw_destroy_id", iw_destroy_id },
	{ "iw_destroy_qp", iw_destroy_qp },
	{ "iw_half_open", iw_half_open },
	{ }
};
