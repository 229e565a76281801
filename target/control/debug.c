// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files in /sys/kernel/debug/rblk_target/:
 *
 * connections: each with its state, memory and queues
 * pools: of each RDMA device that has connections, see io/pool.c
 * counters: of each session
 * attachments: of each export
 * peers: what hosts use of the limits in session/peer.c
 * reasons: why connections were refused or ended since the module was loaded
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include "control.h"

static struct dentry *root;

static int connections_show(struct seq_file *m, void *data)
{
	struct rblkt_conn *conn;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(conn, &rblkt_conns, node) {
		const struct rblkt_io *io = rblkt_io_of(conn);

		spin_lock_irq(&conn->lock);
		seq_printf(m, "session=%pUb epoch=%u qid=%u state=%s depth=%u memory=%zu charged=%llu lent=%u sq=%u used=%u pulls=%u\n",
			   conn->session, conn->epoch, conn->qid,
			   rblkt_state_conn_text(conn->state),
			   conn->depth, conn->memory, rblkt_link_of(conn)->charged,
			   READ_ONCE(io->lent), conn->sq_size,
			   conn->sq_posted - conn->sq_done, io->pulls);
		spin_unlock_irq(&conn->lock);
	}
	mutex_unlock(&rblkt_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(connections);

static int pools_show(struct seq_file *m, void *data)
{
	rblkt_pool_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pools);

static int counters_show(struct seq_file *m, void *data)
{
	static const char * const text[] = {
#define RBLKT_COUNTER_TEXT(name, words) words,
		RBLK_COUNTER_TABLE(RBLKT_COUNTER_TEXT)
#undef RBLKT_COUNTER_TEXT
	};
	u64 counter[RBLK_CNT_NR];
	struct rblkt_sess *sess;
	int i;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(sess, &rblkt_sessions, node) {
		seq_printf(m, "session %pUb host %s epoch %u state %s\n",
			   sess->holder.uuid, sess->holder.host_name, sess->epoch,
			   rblkt_state_sess_text(sess->state));
		rblkt_sess_count(sess, counter);
		for (i = 0; i < RBLK_CNT_NR; i++)
			seq_printf(m, "  %s %llu\n", text[i], counter[i]);
	}
	mutex_unlock(&rblkt_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

static int attachments_show(struct seq_file *m, void *data)
{
	const struct rblkt_export *export;
	const struct rblkt_att *att;
	const char *name = "";

	mutex_lock(&rblkt_mutex);
	while ((export = rblkt_export_next(name))) {
		name = export->name;
		list_for_each_entry(att, &export->atts, node)
			seq_printf(m, "export=%s session=%pUb epoch=%u host=%s access=%u draining=%d inflight=%u\n",
				   name, att->holder->uuid, rblkt_sess_of(att->holder)->epoch,
				   att->holder->host_name, att->access,
				   att->draining, rblkt_att_inflight(att));
	}
	mutex_unlock(&rblkt_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(attachments);

static int peers_show(struct seq_file *m, void *data)
{
	rblkt_peer_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(peers);

static int reasons_show(struct seq_file *m, void *data)
{
	rblkt_reason_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(reasons);

/**
 * rblkt_debug_init - make the directory; the target works without, too
 *
 * Context: Module initialisation.
 */
void rblkt_debug_init(void)
{
	root = debugfs_create_dir("rblk_target", NULL);
	debugfs_create_file("connections", 0400, root, NULL, &connections_fops);
	debugfs_create_file("pools", 0400, root, NULL, &pools_fops);
	debugfs_create_file("counters", 0400, root, NULL, &counters_fops);
	debugfs_create_file("attachments", 0400, root, NULL, &attachments_fops);
	debugfs_create_file("peers", 0400, root, NULL, &peers_fops);
	debugfs_create_file("reasons", 0400, root, NULL, &reasons_fops);
}

/**
 * rblkt_debug_exit - remove the directory
 *
 * Context: Process context; may sleep, as it waits for readers.
 */
void rblkt_debug_exit(void)
{
	debugfs_remove_recursive(root);
}
