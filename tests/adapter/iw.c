// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections of iWARP profiles, as adapters make them with a TCP stack of their
 * own: the core asks for them by the operations in iw-ops.c, and is told of them
 * by events.
 *
 * - Every call ends in exactly one CONNECT_REPLY: the core waits for it, and dies
 *   of a second one.  CLOSE is the last event of an end, whose queue pair is in
 *   ERROR by then.
 * - As with both drivers (MPA version 2, peer to peer) the adapter that called
 *   sends a first message by itself, which nobody sees.  So either side's user
 *   may be the first to send.
 * - A call that nobody answers is repeated, as TCP does.  So is the news of a
 *   closed end.  While nothing reaches the other end, that stays as it is; when
 *   it sends something to an end that has forgotten it, it is reset.
 */
#include <linux/slab.h>
#include "iw.h"

#define RETRY	(HZ / 4)

/*
 * Protects connections, listeners and qp->conn. Outside of all other locks of
 * the model; the core's events only queue work, so that they may be told under it.
 */
DEFINE_MUTEX(rad_iw_mutex);
LIST_HEAD(rad_iw_listeners);

static LIST_HEAD(conns);
static u32 last_number;
static struct workqueue_struct *wq;

static void conn_free(struct kref *ref)
{
	kfree(container_of(ref, struct rad_conn, ref));
}

static void conn_put(struct rad_conn *conn)
{
	kref_put(&conn->ref, conn_free);
}

static void conn_schedule(struct rad_conn *conn, unsigned long delay)
{
	kref_get(&conn->ref);
	if (mod_delayed_work(wq, &conn->work, delay))
		conn_put(conn);
}

static void conn_done(struct rad_conn *conn)
{
	conn->state = RAD_CONN_DONE;
	list_del(&conn->entry);
	if (cancel_delayed_work(&conn->work))
		conn_put(conn);
	conn_put(conn);
}

static int end_tell(struct rad_end *end, enum iw_cm_event_type type, int status)
{
	bool own = end->qp->dev->profile->own_depths;
	struct iw_cm_event event = { .event = type, .status = status };

	if (type == IW_CM_EVENT_ESTABLISHED) {
		event.ird = own ? end->ird : end->ord;
		event.ord = own ? end->ord : end->ird;
	}
	return end->id->event_handler(end->id, &event);
}

/* Nothing is told of this end any more, and its queue pair may go. */
static void end_leave(struct rad_end *end)
{
	end->qp->conn = NULL;
	rad_qp_put(end->qp);
	end->qp = NULL;
	end->id->rem_ref(end->id);
	end->id = NULL;
}

static void end_close(struct rad_end *end, bool disconnect, int status)
{
	rad_qp_flush(end->qp);
	if (disconnect)
		end_tell(end, IW_CM_EVENT_DISCONNECT, status);
	end_tell(end, IW_CM_EVENT_CLOSE, 0);
	end_leave(end);
}

static int conn_reply(struct rad_conn *conn, int status, const void *data,
		      u8 len)
{
	struct rad_end *end = &conn->active;
	bool own = end->qp->dev->profile->own_depths;
	struct iw_cm_event event = {
		.event = IW_CM_EVENT_CONNECT_REPLY,
		.status = status,
		.local_addr = conn->local,
		.remote_addr = conn->remote,
		.ird = own ? end->ird : end->ord,
		.ord = own ? end->ord : end->ird,
		.private_data = (void *)data,
		.private_data_len = len,
	};

	return end->id->event_handler(end->id, &event);
}

/**
 * rad_conn_refuse() - a call ends without a connection
 * @conn: which; gone when this returns
 * @status: why, a negative errno
 * @data: private data for the caller
 * @len: bytes of that
 * Context: may sleep, under rad_iw_mutex.
 */
void rad_conn_refuse(struct rad_conn *conn, int status, const void *data,
		     u8 len)
{
	/* Without data it takes no memory, and must be told. */
	if (conn_reply(conn, status, data, len))
		conn_reply(conn, status, NULL, 0);
	end_leave(&conn->active);
	conn_done(conn);
}

/**
 * rad_conn_reaches() - does an answer arrive where the call came from?
 * @conn: called; forgotten by whom it called if it does not
 * @dev: that answers
 * Context: under rad_iw_mutex.
 * Return: whether it does. If not, the caller's patience will end.
 */
bool rad_conn_reaches(struct rad_conn *conn, struct rad_dev *dev)
{
	if (rad_dev_reach(dev, &conn->active.far.gid))
		return true;
	conn->state = RAD_CONN_LOST;
	return false;
}

/**
 * rad_conn_orphan() - a listener goes
 * @listener: whose users have not answered all calls; they cannot any more
 * Context: may sleep, under rad_iw_mutex.
 */
void rad_conn_orphan(struct rad_listener *listener)
{
	struct rad_conn *conn, *next;

	list_for_each_entry_safe(conn, next, &conns, entry)
		if (conn->state == RAD_CONN_ASKED && conn->listener == listener &&
		    rad_conn_reaches(conn, listener->dev))
			rad_conn_refuse(conn, -ECONNRESET, NULL, 0);
}

/**
 * rad_conn_find() - find a call that waits for an answer
 * @number: of it, as the core keeps it
 *
 * The core may answer a call that is gone, and may forget one that it was told of.
 * So it has a number, and no reference.
 * Context: under rad_iw_mutex.
 * Return: the call, or NULL.
 */
struct rad_conn *rad_conn_find(const void *number)
{
	struct rad_conn *conn;

	list_for_each_entry(conn, &conns, entry)
		if (conn->state == RAD_CONN_ASKED &&
		    conn->number == (uintptr_t)number)
			return conn;
	return NULL;
}

static bool same_port(const struct sockaddr_storage *a,
		      const struct sockaddr_storage *b)
{
	/* It is in the same place in both families. */
	return a->ss_family == b->ss_family &&
	       ((const struct sockaddr_in *)a)->sin_port ==
	       ((const struct sockaddr_in *)b)->sin_port;
}

static bool listens_at(const struct rad_listener *listener,
		       const struct sockaddr_storage *addr)
{
	const struct sockaddr_storage *mine = &listener->id->m_local_addr;
	const struct in6_addr *mine6 = &((struct sockaddr_in6 *)mine)->sin6_addr;
	__be32 mine4 = ((struct sockaddr_in *)mine)->sin_addr.s_addr;

	/* These adapters take no IPv4 calls for an IPv6 listener. */
	if (!same_port(mine, addr))
		return false;
	if (addr->ss_family == AF_INET)
		return !mine4 ||
		       mine4 == ((struct sockaddr_in *)addr)->sin_addr.s_addr;
	return ipv6_addr_any(mine6) ||
	       ipv6_addr_equal(mine6, &((struct sockaddr_in6 *)addr)->sin6_addr);
}

static struct rad_listener *listener_at(struct rad_dev *dev,
					const struct sockaddr_storage *addr)
{
	struct rad_listener *listener;

	list_for_each_entry(listener, &rad_iw_listeners, entry)
		if (listener->dev == dev && listens_at(listener, addr))
			return listener;
	return NULL;
}

static int conn_ask(struct rad_conn *conn, struct rad_listener *listener)
{
	const struct rad_profile *p = listener->dev->profile;
	struct iw_cm_event event = {
		.event = IW_CM_EVENT_CONNECT_REQUEST,
		.local_addr = conn->remote,
		.remote_addr = conn->local,
		.ird = p->own_depths ? p->rd_res : conn->active.ird,
		.ord = p->own_depths ? 0 : conn->active.ord,
		.private_data = conn->data,
		.private_data_len = conn->len,
	};
	int ret;

	conn->number = ++last_number;
	event.provider_data = (void *)(uintptr_t)conn->number;
	ret = listener->id->event_handler(listener->id, &event);
	if (ret)
		return ret;
	conn->listener = listener;
	conn->state = RAD_CONN_ASKED;
	conn_schedule(conn, RAD_IW_PATIENCE);
	return 0;
}

static void conn_try(struct rad_conn *conn)
{
	struct rad_dev *dev = rad_dev_at(conn->active.qp->dev, &conn->remote);
	struct rad_listener *listener;

	if (!dev) {
		if (time_before(jiffies, conn->deadline))
			conn_schedule(conn, RETRY);
		else
			rad_conn_refuse(conn, -ETIMEDOUT, NULL, 0);
		return;
	}
	listener = listener_at(dev, &conn->remote);
	/* Nobody listens, or there are more calls than its backlog. */
	if (!listener || conn_ask(conn, listener))
		rad_conn_refuse(conn, -ECONNRESET, NULL, 0);
}

/* One end is closed: let the other know. */
static void conn_part(struct rad_conn *conn)
{
	bool active = conn->active.qp;
	struct rad_end *end = active ? &conn->active : &conn->passive;
	struct rad_end *gone = active ? &conn->passive : &conn->active;

	if (rad_dev_reach(end->qp->dev, &gone->far.gid)) {
		end_close(end, true, conn->status);
		conn_done(conn);
	} else if (time_before(jiffies, conn->deadline)) {
		conn_schedule(conn, RETRY);
	}
}

static void conn_work(struct work_struct *work)
{
	struct rad_conn *conn = container_of(work, struct rad_conn, work.work);

	mutex_lock(&rad_iw_mutex);
	switch (conn->state) {
	case RAD_CONN_CALLING:
		conn_try(conn);
		break;
	case RAD_CONN_ASKED:
	case RAD_CONN_LOST:
		rad_conn_refuse(conn, -ETIMEDOUT, NULL, 0);
		break;
	case RAD_CONN_CLOSING:
		conn_part(conn);
		break;
	case RAD_CONN_UP:
	case RAD_CONN_DONE:
		break;
	}
	mutex_unlock(&rad_iw_mutex);
	conn_put(conn);
}

/**
 * rad_conn_new() - make a connection
 * Context: may sleep.
 * Return: it, for rad_conn_call() or kfree(), or NULL.
 */
struct rad_conn *rad_conn_new(void)
{
	struct rad_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	kref_init(&conn->ref);
	INIT_DELAYED_WORK(&conn->work, conn_work);
	return conn;
}

/**
 * rad_conn_call() - begin to connect
 * @conn: with everything but a passive end
 * Context: may sleep, under rad_iw_mutex.
 */
void rad_conn_call(struct rad_conn *conn)
{
	struct rad_end *end = &conn->active;

	end->qp->conn = conn;
	end->id->add_ref(end->id);
	conn->state = RAD_CONN_CALLING;
	conn->deadline = jiffies + RAD_IW_PATIENCE;
	list_add_tail(&conn->entry, &conns);
	conn_schedule(conn, 0);
}

/**
 * rad_conn_up() - a call is accepted
 * @conn: which
 * @passive: the end that accepts; its references become the connection's if this
 * succeeds
 * @data: private data for the caller
 * @len: bytes of that
 * Context: may sleep, under rad_iw_mutex.
 * Return: 0 or a negative errno; then nobody was told anything.
 */
int rad_conn_up(struct rad_conn *conn, const struct rad_end *passive,
		const void *data, u8 len)
{
	struct rad_end *active = &conn->active;

	if (!rad_qp_join(passive->qp, &active->far, passive->ird, passive->ord))
		return -EINVAL;
	if (!rad_qp_join(active->qp, &passive->far, active->ird, active->ord) ||
	    conn_reply(conn, 0, data, len)) {
		rad_qp_flush(passive->qp);
		rad_qp_flush(active->qp);
		return -ECONNRESET;
	}
	conn->passive = *passive;
	conn->passive.qp->conn = conn;
	conn->state = RAD_CONN_UP;
	end_tell(&conn->passive, IW_CM_EVENT_ESTABLISHED, 0);
	return 0;
}

/**
 * rad_iw_end() - a queue pair leaves its connection
 * @qp: in ERROR, or about to go; it need not have one
 * @status: 0 if its user wants it so, else a negative errno
 * Context: may sleep.
 */
void rad_iw_end(struct rad_qp *qp, int status)
{
	struct rad_conn *conn;

	if (!qp->dev->profile->iwarp)
		return;
	mutex_lock(&rad_iw_mutex);
	conn = qp->conn;
	if (!conn) {
		mutex_unlock(&rad_iw_mutex);
		return;
	}
	if (conn->state < RAD_CONN_UP) {
		rad_conn_refuse(conn, -ECONNRESET, NULL, 0);
	} else {
		end_close(conn->active.qp == qp ? &conn->active : &conn->passive,
			  status, status);
		if (conn->state == RAD_CONN_CLOSING) {
			conn_done(conn);
		} else {
			conn->state = RAD_CONN_CLOSING;
			conn->status = status;
			conn->deadline = jiffies + RAD_IW_PATIENCE;
			conn_part(conn);
		}
	}
	mutex_unlock(&rad_iw_mutex);
}

/**
 * rad_iw_init() - begin to make connections
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rad_iw_init(void)
{
	wq = alloc_workqueue("rblk_adapter_iw", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return wq ? 0 : -ENOMEM;
}

/**
 * rad_iw_exit() - the opposite of rad_iw_init()
 * Context: may sleep. No queue pair is left, and so no connection.
 */
void rad_iw_exit(void)
{
	destroy_workqueue(wq);
}
