// SPDX-License-Identifier: GPL-2.0-only
/*
 * What hosts may use up, all together and each.  Whom a host says it is proves
 * nothing, so what counts here is the address its connections come from.
 *
 * A connection is charged for its buffers before they are allocated and until
 * they are freed, and holds a half-open slot until it has logged in or bound or
 * its memory is gone.  The slots bound the memory and the workers that
 * connections can hold whose host has proved nothing yet; what is behind them
 * is bounded by the sessions and the memory of each address.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "admin.h"
#include "pool.h"

static unsigned int max_half_open = 256;
module_param(max_half_open, uint, 0644);
MODULE_PARM_DESC(max_half_open, "Connections not yet logged in or bound, at most");

static unsigned int max_host_half_open = 64;
module_param(max_host_half_open, uint, 0644);
MODULE_PARM_DESC(max_host_half_open, "The same from one address");

static unsigned int max_host_sessions = 64;
module_param(max_host_sessions, uint, 0644);
MODULE_PARM_DESC(max_host_sessions, "Sessions logged in from one address, at most");

static unsigned int max_memory_mb;
module_param(max_memory_mb, uint, 0644);
MODULE_PARM_DESC(max_memory_mb, "Buffers of all connections, MiB, at most; 0 when loading: a quarter of the memory there is");

static unsigned int max_host_memory_mb;
module_param(max_host_memory_mb, uint, 0644);
MODULE_PARM_DESC(max_host_memory_mb, "Buffers of the connections from one address, MiB, at most; 0 when loading: half of max_memory_mb");

static LIST_HEAD(peers);
static u64 memory;		/* of all of them */
static atomic_t half_open = ATOMIC_INIT(0);

/**
 * rblkt_peer_init - settle the limits that depend on the machine
 */
void rblkt_peer_init(void)
{
	if (!max_memory_mb)
		max_memory_mb = max(totalram_pages() >> (20 - PAGE_SHIFT), 64ul) / 4;
	if (!max_host_memory_mb)
		max_host_memory_mb = max(max_memory_mb / 2, 1u);
}

/**
 * rblkt_peer_same - do two addresses belong to one peer?
 * @a: an address
 * @b: an address, perhaps of another port
 */
bool rblkt_peer_same(const struct rblk_ioc_addr *a,
		     const struct rblk_ioc_addr *b)
{
	return a->family == b->family && a->scope_id == b->scope_id &&
	       !memcmp(a->addr, b->addr, sizeof(a->addr));
}

static struct rblkt_peer *peer_get(const struct rblk_ioc_addr *addr)
{
	struct rblkt_peer *peer;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(peer, &peers, node) {
		if (!rblkt_peer_same(&peer->addr, addr))
			continue;
		peer->users++;
		return peer;
	}
	peer = kzalloc(sizeof(*peer), GFP_KERNEL);
	if (!peer)
		return NULL;
	peer->addr = *addr;
	peer->users = 1;
	list_add(&peer->node, &peers);
	return peer;
}

static void peer_put(struct rblkt_peer *peer)
{
	lockdep_assert_held(&rblkt_mutex);
	if (--peer->users)
		return;
	list_del(&peer->node);
	kfree(peer);
}

static bool fits(const struct rblkt_peer *peer, u64 bytes, u64 inherited)
{
	u64 all = (u64)READ_ONCE(max_memory_mb) << 20;
	u64 one = (u64)READ_ONCE(max_host_memory_mb) << 20;

	return memory + bytes <= all + inherited &&
	       peer->memory + bytes <= one + inherited;
}

static enum rblk_wire_reject may_enter(const struct rblkt_peer *peer,
				       u64 bytes, u64 inherited)
{
	if (atomic_read(&half_open) >= READ_ONCE(max_half_open) ||
	    atomic_read(&peer->half_open) >= READ_ONCE(max_host_half_open))
		return RBLK_REJ_HALF_OPEN;
	if (!fits(peer, bytes, inherited))
		return RBLK_REJ_MEMORY;
	return RBLK_REJ_NONE;
}

/**
 * rblkt_peer_enter - charge a new connection to where it comes from
 * @conn: with its grant, and nothing allocated yet
 *
 * What an epoch inherits from those it has ended is not held against it, for as
 * long as it is charged.
 *
 * Return: RBLK_REJ_NONE, undone by rblkt_peer_leave(), or why not.
 */
enum rblk_wire_reject rblkt_peer_enter(struct rblkt_conn *conn)
{
	u64 bytes = rblkt_buf_bytes(&conn->grant, conn->qid) +
		    rblkt_pool_bytes(&conn->grant, conn->qid);
	const struct rdma_addr *addr = &conn->id->route.addr;
	enum rblk_wire_reject why = RBLK_REJ_NO_RESOURCES;
	struct rblk_ioc_addr from;
	struct rblkt_peer *peer;

	rblkt_addr(&from, (const struct sockaddr *)&addr->dst_addr);
	from.port = 0;
	mutex_lock(&rblkt_mutex);
	peer = peer_get(&from);
	if (!peer)
		goto unlock;
	why = may_enter(peer, bytes, conn->sess->inherited);
	if (why) {
		peer_put(peer);
		goto unlock;
	}
	conn->peer = peer;
	conn->charged = bytes;
	peer->memory += bytes;
	memory += bytes;
	atomic_inc(&peer->half_open);
	atomic_inc(&half_open);
unlock:
	mutex_unlock(&rblkt_mutex);
	return why;
}

/**
 * rblkt_peer_known - a connection has logged in or bound
 * @conn: half open no more; any context
 */
void rblkt_peer_known(struct rblkt_conn *conn)
{
	atomic_dec(&conn->peer->half_open);
	atomic_dec(&half_open);
}

/**
 * rblkt_peer_leave - a connection's memory has been freed
 * @conn: entered or not
 */
void rblkt_peer_leave(struct rblkt_conn *conn)
{
	struct rblkt_peer *peer = conn->peer;

	if (!peer)
		return;
	if (!conn->bound)
		rblkt_peer_known(conn);
	mutex_lock(&rblkt_mutex);
	peer->memory -= conn->charged;
	memory -= conn->charged;
	peer_put(peer);
	if (conn->heir) {
		conn->heir->inherited -= conn->charged;
		rblkt_sess_put(conn->heir);
	}
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_peer_patience - how long a new connection may stay half open
 *
 * A host at work needs milliseconds.  With half the slots taken the others are
 * turned over faster than somebody who only wants to hold them is patient.
 *
 * Return: milliseconds.
 */
unsigned int rblkt_peer_patience(void)
{
	if (atomic_read(&half_open) > READ_ONCE(max_half_open) / 2)
		return RBLKT_HANDSHAKE_BUSY_MS;
	return RBLKT_HANDSHAKE_MS;
}

/**
 * rblkt_peer_login - may one more session from an address log in?
 * @conn: its control connection, not yet logged in
 * @inherited: bytes charged to what it will end
 * @ending: sessions from there that it will end
 *
 * The memory is not reserved but taken by the I/O connections to come; what
 * does not fit is better told now.
 *
 * Return: enum rblk_wire_ctl_status.
 */
u16 rblkt_peer_login(const struct rblkt_conn *conn, u64 inherited,
		     unsigned int ending)
{
	u64 bytes = rblkt_buf_bytes(&conn->grant, 1) +
		    rblkt_pool_bytes(&conn->grant, 1);

	lockdep_assert_held(&rblkt_mutex);
	if (conn->peer->sessions >= READ_ONCE(max_host_sessions) + ending)
		return RBLK_CTL_SESSIONS;
	if (!fits(conn->peer, bytes * conn->grant.nr_queues, inherited))
		return RBLK_CTL_MEMORY;
	return RBLK_CTL_OK;
}

/**
 * rblkt_peer_show - a line for each address there is something from
 * @m: the file in debugfs
 */
void rblkt_peer_show(struct seq_file *m)
{
	const struct rblkt_peer *peer;

	mutex_lock(&rblkt_mutex);
	seq_printf(m, "all half_open=%d of %u memory=%llu of %llu\n",
		   atomic_read(&half_open), max_half_open, memory,
		   (u64)max_memory_mb << 20);
	list_for_each_entry(peer, &peers, node)
		seq_printf(m, peer->addr.family == AF_INET6 ?
			   "peer=%pI6c half_open=%d sessions=%u connections=%u memory=%llu\n" :
			   "peer=%pI4 half_open=%d sessions=%u connections=%u memory=%llu\n",
			   peer->addr.addr, atomic_read(&peer->half_open),
			   peer->sessions, peer->users, peer->memory);
	mutex_unlock(&rblkt_mutex);
}
