// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why connections were refused or ended by us: counted for debugfs, where every
 * case shows, and logged, where a hostile host must not be able to write as
 * much as it likes.
 */
#include <linux/seq_file.h>
#include "admin.h"
#include "trace.h"

#define NR_REJECTS	(RBLK_REJ_LAST + 1)
#define NR_STATUS	(RBLK_CTL_LAST + 1)
#define NR_FAULTS	(IB_WC_GENERAL_ERR + 1)
#define NR_EVENTS	(IB_EVENT_WQ_FATAL + 1)

static atomic64_t refused[NR_REJECTS];
static atomic64_t denied[NR_STATUS];
static atomic64_t violated[RBLKT_BAD_NR];
static atomic64_t faulted[NR_FAULTS];
static atomic64_t occurred[NR_EVENTS];
static atomic64_t late;
static atomic64_t overdue;

static const char *name_of(const struct rblkt_sess *sess)
{
	return sess->host_name[0] ? sess->host_name : "unknown";
}

/**
 * rblkt_reason_refused - a connection request is refused
 * @id: its CM id
 * @why: the reason it is given
 */
void rblkt_reason_refused(const struct rdma_cm_id *id,
			  enum rblk_wire_reject why)
{
	if (why < NR_REJECTS)
		atomic64_inc(&refused[why]);
	/* Each host asks each second, and the pause itself is in the log. */
	if (why == RBLK_REJ_PAUSED)
		return;
	pr_info_ratelimited("connection from %pISpc refused: reason %d\n",
			    &id->route.addr.dst_addr, why);
}

/**
 * rblkt_reason_denied - a LOGIN is refused
 * @sess: whose control connection it came on
 * @msg: the checked message
 * @status: enum rblk_wire_ctl_status
 */
void rblkt_reason_denied(const struct rblkt_sess *sess,
			 const struct rblk_wire_login *msg, u16 status)
{
	if (status < NR_STATUS)
		atomic64_inc(&denied[status]);
	pr_info_ratelimited("login of host %s (%pUb) refused: status %u\n",
			    msg->host_name, msg->host, status);
}

/**
 * rblkt_reason_violation - the peer broke the protocol
 * @conn: still with its CM id
 * @bad: how
 */
void rblkt_reason_violation(struct rblkt_conn *conn, enum rblkt_bad bad)
{
	if (bad < RBLKT_BAD_NR)
		atomic64_inc(&violated[bad]);
	trace_rblkt_violation(conn, bad);
	pr_warn_ratelimited("host %s (%pISc) qid %u: connection ended: %s\n",
			    name_of(conn->sess), &conn->id->route.addr.dst_addr,
			    conn->qid, rblkt_proto_bad_text(bad));
}

/**
 * rblkt_reason_fault - RDMA failed, mostly for what the peer named or did
 * @conn: still with its CM id
 * @status: not of a work request that was merely flushed
 */
void rblkt_reason_fault(struct rblkt_conn *conn, enum ib_wc_status status)
{
	if (status < NR_FAULTS)
		atomic64_inc(&faulted[status]);
	pr_info_ratelimited("host %s (%pISc) qid %u: connection ended: %s\n",
			    name_of(conn->sess), &conn->id->route.addr.dst_addr,
			    conn->qid, ib_wc_status_msg(status));
}

/**
 * rblkt_reason_event - the device gave the queue pair up, mostly likewise
 * @conn: still with its CM id; any context
 * @event: the device's reason
 */
void rblkt_reason_event(struct rblkt_conn *conn, enum ib_event_type event)
{
	if (event < NR_EVENTS)
		atomic64_inc(&occurred[event]);
	pr_info_ratelimited("host %s (%pISc) qid %u: connection ended: %s\n",
			    name_of(conn->sess), &conn->id->route.addr.dst_addr,
			    conn->qid, ib_event_msg(event));
}

/**
 * rblkt_reason_late - nobody has logged in or bound in time
 * @conn: still with its CM id
 */
void rblkt_reason_late(struct rblkt_conn *conn)
{
	atomic64_inc(&late);
	pr_info_ratelimited("host %s (%pISc) qid %u: connection ended: neither logged in nor bound in time\n",
			    name_of(conn->sess), &conn->id->route.addr.dst_addr,
			    conn->qid);
}

/**
 * rblkt_reason_overdue - the host does not answer an RDMA READ
 * @conn: still with its CM id, as the close work ends the watch first
 */
void rblkt_reason_overdue(struct rblkt_conn *conn)
{
	atomic64_inc(&overdue);
	pr_info_ratelimited("host %s (%pISc) qid %u: connection ended: write data not delivered in time\n",
			    name_of(conn->sess), &conn->id->route.addr.dst_addr,
			    conn->qid);
}

/**
 * rblkt_reason_show - all that have occurred, a line each
 * @m: the file in debugfs
 */
void rblkt_reason_show(struct seq_file *m)
{
	int i;

	for (i = 0; i < NR_REJECTS; i++)
		if (atomic64_read(&refused[i]))
			seq_printf(m, "%lld refused: %d\n",
				   atomic64_read(&refused[i]), i);
	for (i = 0; i < NR_STATUS; i++)
		if (atomic64_read(&denied[i]))
			seq_printf(m, "%lld login: %d\n",
				   atomic64_read(&denied[i]), i);
	for (i = 0; i < RBLKT_BAD_NR; i++)
		if (atomic64_read(&violated[i]))
			seq_printf(m, "%lld violation: %s\n",
				   atomic64_read(&violated[i]),
				   rblkt_proto_bad_text(i));
	for (i = 0; i < NR_FAULTS; i++)
		if (atomic64_read(&faulted[i]))
			seq_printf(m, "%lld fault: %s\n",
				   atomic64_read(&faulted[i]),
				   ib_wc_status_msg(i));
	for (i = 0; i < NR_EVENTS; i++)
		if (atomic64_read(&occurred[i]))
			seq_printf(m, "%lld event: %s\n",
				   atomic64_read(&occurred[i]),
				   ib_event_msg(i));
	if (atomic64_read(&late))
		seq_printf(m, "%lld late\n", atomic64_read(&late));
	if (atomic64_read(&overdue))
		seq_printf(m, "%lld overdue\n", atomic64_read(&overdue));
}
