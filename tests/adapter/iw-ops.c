// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the core asks of an iWARP device: connect, listen, accept, reject.  What
 * becomes of it is in iw.c.
 */
#include <linux/slab.h>
#include "iw.h"

static bool family_known(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET || addr->ss_family == AF_INET6;
}

/* May the queue pair be connected like that? */
static int param_check(struct rad_qp *qp, const struct iw_cm_conn_param *param)
{
	const struct rad_profile *p = qp->dev->profile;

	if (param->private_data_len > min_t(u32, p->private_data, RAD_IW_DATA))
		return -EINVAL;
	if (!p->own_depths &&
	    (param->ird > p->rd_res || param->ord > p->rd_init))
		return -EINVAL;
	if (qp->dev->fatal)
		return -EIO;
	return qp->conn || !rad_qp_idle(qp) ? -EINVAL : 0;
}

static int conn_begin(struct rad_conn *conn, struct iw_cm_id *id,
		      struct rad_qp *qp, const struct iw_cm_conn_param *param)
{
	const struct rad_profile *p = qp->dev->profile;
	int ret = param_check(qp, param);

	if (ret)
		return ret;
	if (!family_known(&id->m_remote_addr))
		return -EAFNOSUPPORT;
	conn->active = (struct rad_end){
		.qp = qp,
		.id = id,
		.far = { qp->dev->gids[0], qp->qpn },
		.ird = min_t(u32, param->ird, p->rd_res),
		.ord = min_t(u32, param->ord, p->rd_init),
	};
	conn->local = id->m_local_addr;
	conn->remote = id->m_remote_addr;
	conn->len = param->private_data_len;
	if (conn->len)
		memcpy(conn->data, param->private_data, conn->len);
	rad_conn_call(conn);
	return 0;
}

static int iw_connect(struct iw_cm_id *id, struct iw_cm_conn_param *param)
{
	struct rad_dev *dev = rad_to(dev, id->device);
	struct rad_conn *conn;
	struct rad_qp *qp;
	int ret;

	rad_count(dev, RAD_CNT_control_verbs);
	conn = rad_conn_new();
	if (!conn)
		return -ENOMEM;
	mutex_lock(&rad_iw_mutex);
	qp = rad_qp_get(dev, param->qpn);
	ret = qp ? conn_begin(conn, id, qp, param) : -EINVAL;
	mutex_unlock(&rad_iw_mutex);
	if (ret && qp)
		rad_qp_put(qp);
	if (ret)
		kfree(conn);
	return ret;
}

/*
 * The depths of the end that accepts. An adapter with depths of its own takes as
 * many RDMA READs as it can, whatever it is asked; the others take at least what
 * the caller wants to have. None has more than the other takes.
 */
static void depths_agree(struct rad_conn *conn, struct rad_end *end,
			 const struct iw_cm_conn_param *param)
{
	const struct rad_profile *p = end->qp->dev->profile;
	u32 ord = p->own_depths ? p->rd_init : param->ord;

	end->ird = p->own_depths ? p->rd_res :
		   min_t(u32, max(param->ird, conn->active.ord), p->rd_res);
	end->ord = min(ord, conn->active.ird);
	conn->active.ord = min(conn->active.ord, end->ird);
}

static int conn_accept(struct rad_conn *conn, struct iw_cm_id *id,
		       struct rad_qp *qp, const struct iw_cm_conn_param *param)
{
	struct rad_end end = {
		.qp = qp,
		.id = id,
		.far = { qp->dev->gids[0], qp->qpn },
	};
	int ret = param_check(qp, param);

	if (ret)
		return ret;
	depths_agree(conn, &end, param);
	id->add_ref(id);
	ret = rad_conn_up(conn, &end, param->private_data,
			  param->private_data_len);
	if (ret)
		id->rem_ref(id);
	return ret;
}

static int iw_accept(struct iw_cm_id *id, struct iw_cm_conn_param *param)
{
	struct rad_dev *dev = rad_to(dev, id->device);
	struct rad_conn *conn;
	struct rad_qp *qp;
	int ret = -ECONNRESET;

	rad_count(dev, RAD_CNT_control_verbs);
	mutex_lock(&rad_iw_mutex);
	conn = rad_conn_find(id->provider_data);
	if (conn && rad_conn_reaches(conn, dev)) {
		qp = rad_qp_get(dev, param->qpn);
		ret = qp ? conn_accept(conn, id, qp, param) : -EINVAL;
		if (ret)
			rad_conn_refuse(conn, -ECONNRESET, NULL, 0);
		if (ret && qp)
			rad_qp_put(qp);
	}
	mutex_unlock(&rad_iw_mutex);
	return ret;
}

static int iw_reject(struct iw_cm_id *id, const void *data, u8 len)
{
	struct rad_dev *dev = rad_to(dev, id->device);
	struct rad_conn *conn;
	int ret = -ECONNRESET;

	rad_count(dev, RAD_CNT_control_verbs);
	mutex_lock(&rad_iw_mutex);
	conn = rad_conn_find(id->provider_data);
	if (conn && rad_conn_reaches(conn, dev)) {
		rad_conn_refuse(conn, -ECONNREFUSED, data, len);
		ret = 0;
	}
	mutex_unlock(&rad_iw_mutex);
	return ret;
}

static int iw_create_listen(struct iw_cm_id *id, int backlog)
{
	struct rad_dev *dev = rad_to(dev, id->device);
	struct rad_listener *listener;

	rad_count(dev, RAD_CNT_control_verbs);
	if (!family_known(&id->m_local_addr))
		return -EAFNOSUPPORT;
	listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	if (!listener)
		return -ENOMEM;
	listener->dev = dev;
	listener->id = id;
	id->add_ref(id);
	id->provider_data = listener;
	mutex_lock(&rad_iw_mutex);
	list_add_tail(&listener->entry, &rad_iw_listeners);
	mutex_unlock(&rad_iw_mutex);
	return 0;
}

static int iw_destroy_listen(struct iw_cm_id *id)
{
	struct rad_listener *listener = id->provider_data;

	rad_count(listener->dev, RAD_CNT_control_verbs);
	mutex_lock(&rad_iw_mutex);
	list_del(&listener->entry);
	rad_conn_orphan(listener);
	mutex_unlock(&rad_iw_mutex);
	id->rem_ref(id);
	kfree(listener);
	return 0;
}

/* Called under a spin lock, with interrupts off, as is iw_get_qp(). */
static void iw_add_ref(struct ib_qp *ibqp)
{
	struct rad_qp *qp = rad_to(qp, ibqp);

	refcount_inc(&qp->refs);
}

static void iw_rem_ref(struct ib_qp *ibqp)
{
	struct rad_qp *qp = rad_to(qp, ibqp);

	rad_qp_put(qp);
}

/* Its user keeps the queue pair, so that it needs no reference. */
static struct ib_qp *iw_get_qp(struct ib_device *ibdev, int qpn)
{
	struct rad_dev *dev = rad_to(dev, ibdev);
	struct rad_qp *qp = rad_qp_get(dev, qpn);

	if (!qp)
		return NULL;
	rad_qp_put(qp);
	return &qp->ib;
}

/*
 * All that an iWARP adapter has for a GID is its address in the link layer, by
 * which the core finds the device.
 */
static int query_gid(struct ib_device *ibdev, u32 port, int index,
		     union ib_gid *gid)
{
	struct rad_dev *dev = rad_to(dev, ibdev);

	*gid = dev->gids[0];
	return 0;
}

static int get_port_immutable(struct ib_device *ibdev, u32 port,
			      struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	immutable->gid_tbl_len = 1;
	return 0;
}

const struct ib_device_ops rad_iw_ops = {
	.get_port_immutable = get_port_immutable,
	.query_gid = query_gid,
	.iw_add_ref = iw_add_ref,
	.iw_rem_ref = iw_rem_ref,
	.iw_get_qp = iw_get_qp,
	.iw_connect = iw_connect,
	.iw_accept = iw_accept,
	.iw_reject = iw_reject,
	.iw_create_listen = iw_create_listen,
	.iw_destroy_listen = iw_destroy_listen,
};
