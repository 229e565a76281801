// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits on what hosts may use, all together and each.  A host's UUID proves
 * nothing, so this file counts by peers, the addresses that connections come
 * from.
 *
 * Each connection is charged for its buffers from before they are allocated
 * until they are freed, and each attachment until it has drained, which may be
 * after the last connection.  A connection also holds a half-open slot until it has logged in
 * or bound, or else until its memory is freed.  The slots limit the memory and
 * the workers that connections can hold before their host has shown anything.
 * After that, each address's sessions and memory are limited.
 *
 * The window (io/window.c) is no reason to refuse anybody: who fits only without
 * it gets none.
 *
 * A peer lives as long as it has connections, or sessions that have logged in.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "session.h"

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
MODULE_PARM_DESC(max_memory_mb, "Memory of all connections and attachments, MiB, at most; 0 when loading: a quarter of the memory there is");

static unsigned int max_host_memory_mb;
module_param(max_host_memory_mb, uint, 0644);
MODULE_PARM_DESC(max_host_memory_mb, "Memory of the connections and attachments from one address, MiB, at most; 0 when loading: half of max_memory_mb");

/* rblkt_mutex guards the list, its peers and @memory, but not the atomics. */
static LIST_HEAD(peers);
static u64 memory;		/* bytes charged to all peers */
static atomic_t half_open = ATOMIC_INIT(0);

/**
 * rblkt_peer_init - set the limits that depend on the machine
 *
 * Context: Module initialisation.
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
 * @net: cookie of the network namespace of @addr
 * @addr: an address
 * @other_net: cookie of the network namespace of @other
 * @other: an address
 *
 * Context: Any.
 * Return: true if they are equal except for their ports.
 */
bool rblkt_peer_same(u64 net, const struct rblk_ioc_addr *addr,
		     u64 other_net, const struct rblk_ioc_addr *other)
{
	return net == other_net && addr->family == other->family &&
	       addr->scope_id == other->scope_id &&
	       !memcmp(addr->addr, other->addr, sizeof(addr->addr));
}

/* Find or make the peer of an address and count one more user; or NULL. */
static struct rblkt_peer *peer_get(u64 net, const struct rblk_ioc_addr *addr)
{
	struct rblkt_peer *peer;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(peer, &peers, node) {
		if (!rblkt_peer_same(peer->net, &peer->addr, net, addr))
			continue;
		peer->users++;
		return peer;
	}
	peer = kzalloc(sizeof(*peer), GFP_KERNEL);
	if (!peer)
		return NULL;
	peer->net = net;
	peer->addr = *addr;
	peer->users = 1;
	list_add(&peer->node, &peers);
	return peer;
}

static void peer_free_unused(struct rblkt_peer *peer)
{
	lockdep_assert_held(&rblkt_mutex);
	if (peer->users || peer->holds)
		return;
	list_del(&peer->node);
	kfree(peer);
}

/* Does a peer's limit of memory, and that of all, allow @bytes more? */
static bool peer_fits(const struct rblkt_peer *peer, u64 bytes, u64 inherited)
{
	u64 all = (u64)READ_ONCE(max_memory_mb) << 20;
	u64 one = (u64)READ_ONCE(max_host_memory_mb) << 20;

	return memory + bytes <= all + inherited &&
	       peer->memory + bytes <= one + inherited;
}

/*
 * Is there memory to spare for a window?  It only saves time, so it must not take
 * the room of hosts that come later.
 */
static bool peer_affords_window(const struct rblkt_peer *peer, u64 bytes, u64 inherited)
{
	u64 half = (u64)READ_ONCE(max_memory_mb) << 19;

	return memory + bytes <= half + inherited && peer_fits(peer, bytes, inherited);
}

static enum rblk_wire_reject peer_may_enter(const struct rblkt_peer *peer,
					    u64 bytes, u64 inherited)
{
	if (atomic_read(&half_open) >= READ_ONCE(max_half_open) ||
	    atomic_read(&peer->half_open) >= READ_ONCE(max_host_half_open))
		return RBLK_REJ_HALF_OPEN;
	if (!peer_fits(peer, bytes, inherited))
		return RBLK_REJ_MEMORY;
	return RBLK_REJ_NONE;
}

/**
 * rblkt_peer_enter - charge a new connection to the address it comes from
 * @link: has its grant, but no buffers yet
 *
 * Memory that is still charged to the sessions that the connection's epoch has
 * ended does not count against it: it comes on top of the limits.  Its grant loses
 * the window if the target can't afford that.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: RBLK_REJ_NONE, to be undone by rblkt_peer_leave(), or why the
 * connection is refused.
 */
enum rblk_wire_reject rblkt_peer_enter(struct rblkt_link *link)
{
	struct rblkt_conn *conn = &link->io.conn;
	u64 bytes = rblkt_link_bytes(conn->dev, &conn->grant, conn->qid);
	const struct rdma_addr *addr = &conn->id->route.addr;
	enum rblk_wire_reject why = RBLK_REJ_NO_RESOURCES;
	struct rblk_ioc_addr from;
	struct rblkt_peer *peer;

	rblkt_addr(&from, (const struct sockaddr *)&addr->dst_addr);
	from.port = 0;
	mutex_lock(&rblkt_mutex);
	peer = peer_get(link->sess->net, &from);
	if (!peer)
		goto unlock;
	if (conn->qid && conn->grant.window &&
	    !peer_affords_window(peer, bytes, link->sess->inherited)) {
		rblkt_proto_drop_window(&conn->grant);
		bytes = rblkt_link_bytes(conn->dev, &conn->grant, conn->qid);
	}
	why = peer_may_enter(peer, bytes, link->sess->inherited);
	if (why) {
		peer->users--;
		peer_free_unused(peer);
		goto unlock;
	}
	link->peer = peer;
	link->charged = bytes;
	peer->memory += bytes;
	memory += bytes;
	atomic_inc(&peer->half_open);
	atomic_inc(&half_open);
unlock:
	mutex_unlock(&rblkt_mutex);
	return why;
}

/**
 * rblkt_peer_known - give the half-open slot of a connection back
 * @link: has logged in or bound, or is being freed without
 *
 * Context: Any.
 */
void rblkt_peer_known(struct rblkt_link *link)
{
	atomic_dec(&link->peer->half_open);
	atomic_dec(&half_open);
}

/**
 * rblkt_peer_leave - undo rblkt_peer_enter() for a connection
 * @link: its buffers are freed; nothing happens if it has not entered
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 */
void rblkt_peer_leave(struct rblkt_link *link)
{
	struct rblkt_peer *peer = link->peer;

	if (!peer)
		return;
	if (!link->io.conn.bound)
		rblkt_peer_known(link);
	mutex_lock(&rblkt_mutex);
	peer->memory -= link->charged;
	memory -= link->charged;
	peer->users--;
	peer_free_unused(peer);
	if (link->heir) {
		link->heir->inherited -= link->charged;
		rblkt_sess_put(link->heir);
	}
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_peer_handshake_ms - how long a new connection may stay half open
 *
 * A real host needs milliseconds.  Once more than half of the slots are taken,
 * each new connection gets less time, so that slots become free again even if
 * somebody tries to hold them all.
 *
 * Context: Any.
 * Return: milliseconds.
 */
unsigned int rblkt_peer_handshake_ms(void)
{
	if (atomic_read(&half_open) > READ_ONCE(max_half_open) / 2)
		return RBLKT_HANDSHAKE_BUSY_MS;
	return RBLKT_HANDSHAKE_MS;
}

/* The memory of a session that can do I/O, but for what it has already. */
static u64 peer_needs(const struct ib_device *dev, const struct rblkt_grant *grant)
{
	return (u64)rblkt_link_bytes(dev, grant, 1) * grant->nr_queues +
	       rblkt_att_bytes();
}

/**
 * rblkt_peer_login - may one more session from an address log in?
 * @link: its control connection, not yet logged in
 * @grant: the session's; loses the window if the target can't afford it for all its
 *         connections
 * @inherited: bytes charged to the sessions from its address that it will end
 * @ending: how many sessions these are
 *
 * The check reserves no memory: the I/O connections take it later, and after them
 * an attachment.  But a host for which these will not fit learns of it now.
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: RBLK_CTL_OK, RBLK_CTL_SESSIONS or RBLK_CTL_MEMORY.
 */
u16 rblkt_peer_login(const struct rblkt_link *link, struct rblkt_grant *grant,
		     u64 inherited, unsigned int ending)
{
	const struct ib_device *dev = link->io.conn.dev;

	lockdep_assert_held(&rblkt_mutex);
	if (link->peer->sessions >= READ_ONCE(max_host_sessions) + ending)
		return RBLK_CTL_SESSIONS;
	/* Or else the first connections would take the room of the last. */
	if (!peer_affords_window(link->peer, peer_needs(dev, grant), inherited))
		rblkt_proto_drop_window(grant);
	if (peer_fits(link->peer, peer_needs(dev, grant), inherited))
		return RBLK_CTL_OK;
	return RBLK_CTL_MEMORY;
}

/**
 * rblkt_peer_hold - let a session know its peer, also without connections
 * @sess: is logging in; released by rblkt_peer_release()
 * @peer: its control connection's
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_peer_hold(struct rblkt_sess *sess, struct rblkt_peer *peer)
{
	lockdep_assert_held(&rblkt_mutex);
	sess->from = peer;
	peer->holds++;
}

/**
 * rblkt_peer_release - undo rblkt_peer_hold(), if that has been done
 * @sess: without references
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 */
void rblkt_peer_release(struct rblkt_sess *sess)
{
	if (!sess->from)
		return;
	mutex_lock(&rblkt_mutex);
	sess->from->holds--;
	peer_free_unused(sess->from);
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_peer_charge - charge memory of an attachment to its session's peer
 * @holder: the session's part; it has logged in
 * @bytes: to be taken back by rblkt_peer_uncharge()
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: false if the limits do not allow it.
 */
bool rblkt_peer_charge(struct rblkt_holder *holder, u64 bytes)
{
	struct rblkt_sess *sess = rblkt_sess_of(holder);

	lockdep_assert_held(&rblkt_mutex);
	if (!peer_fits(sess->from, bytes, sess->inherited))
		return false;
	sess->from->memory += bytes;
	memory += bytes;
	return true;
}

/**
 * rblkt_peer_uncharge - undo rblkt_peer_charge()
 * @holder: that was charged
 * @bytes: as charged
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_peer_uncharge(struct rblkt_holder *holder, u64 bytes)
{
	struct rblkt_peer *peer = rblkt_sess_of(holder)->from;

	lockdep_assert_held(&rblkt_mutex);
	peer->memory -= bytes;
	memory -= bytes;
}

/**
 * rblkt_peer_show - print a line for all peers together and one for each
 * @m: the file in debugfs
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 */
void rblkt_peer_show(struct seq_file *m)
{
	const struct rblkt_peer *peer;

	mutex_lock(&rblkt_mutex);
	seq_printf(m, "all half_open=%d of %u memory=%llu of %llu\n",
		   atomic_read(&half_open), max_half_open, memory,
		   (u64)max_memory_mb << 20);
	list_for_each_entry(peer, &peers, node) {
		seq_printf(m, peer->addr.family == AF_INET6 ? "peer=%pI6c" : "peer=%pI4",
			   peer->addr.addr);
		seq_printf(m, " half_open=%d sessions=%u connections=%u net=%llu memory=%llu\n",
			   atomic_read(&peer->half_open), peer->sessions, peer->users,
			   peer->net, peer->memory);
	}
	mutex_unlock(&rblkt_mutex);
}
