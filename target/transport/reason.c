// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why the target refused or ended connections.  It counts each case, for
 * debugfs, and logs it with a rate limit: a hostile host must not be able to
 * flood the log.
 *
 * The functions that name the peer use the connection's CM id.  The close work
 * waits for the work and the events that call them before it destroys the id.
 */
#include <linux/seq_file.h>
#include "transport.h"
#include "../trace.h"

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

/* The name that the host gave in its LOGIN. */
static const char *host_of(const struct rblkt_conn *conn)
{
	return conn->host_name[0] ? conn->host_name : "unknown";
}

/**
 * rblkt_reason_refused - count and log a refused connection request
 * @id: its CM id
 * @why: the reason that the host gets
 *
 * Context: process.
 */
void rblkt_reason_refused(const struct rdma_cm_id *id,
			  enum rblk_wire_reject why)
{
	if (why < NR_REJECTS)
		atomic64_inc(&refused[why]);
	/* In a pause every host asks every second; the log has the pause. */
	if (why == RBLK_REJ_PAUSED)
		return;
	pr_info_ratelimited("connection from %pISpc refused: reason %d\n",
			    &id->route.addr.dst_addr, why);
}

/**
 * rblkt_reason_denied - count and log a refused LOGIN
 * @msg: the checked message
 * @status: enum rblk_wire_ctl_status
 *
 * Context: process.
 */
void rblkt_reason_denied(const struct rblk_wire_login *msg, u16 status)
{
	if (status < NR_STATUS)
		atomic64_inc(&denied[status]);
	pr_info_ratelimited("login of host %s (%pUb) refused: status %u\n",
			    msg->host_name, msg->host, status);
}

/**
 * rblkt_reason_violation - count, trace and log a violation of the protocol
 * @conn: still with its CM id
 * @bad: the violation
 *
 * Context: process; does not sleep.
 */
void rblkt_reason_violation(struct rblkt_conn *conn, enum rblkt_bad bad)
{
	if (bad < RBLKT_BAD_NR)
		atomic64_inc(&violated[bad]);
	trace_rblkt_violation(conn, bad);
	pr_warn_ratelimited("host %s (%pISc) qid %u: connection ended: %s\n",
			    host_of(conn), &conn->id->route.addr.dst_addr,
			    conn->qid, rblkt_proto_bad_text(bad));
}

/**
 * rblkt_reason_fault - count and log a failed work request
 * @conn: still with its CM id
 * @status: any but that of a flushed work request
 *
 * Mostly the peer is the cause: it named bad memory, or went away.
 *
 * Context: process; does not sleep.
 */
void rblkt_reason_fault(struct rblkt_conn *conn, enum ib_wc_status status)
{
	if (status < NR_FAULTS)
		atomic64_inc(&faulted[status]);
	pr_info_ratelimited("host %s (%pISc) qid %u: connection ended: %s\n",
			    host_of(conn), &conn->id->route.addr.dst_addr,
			    conn->qid, ib_wc_status_msg(status));
}

/**
 * rblkt_reason_event - count and log an event that ends the queue pair
 * @conn: still with its CM id
 * @event: the device's reason
 *
 * As in rblkt_reason_fault(), mostly the peer is the cause.
 *
 * Context: any.
 */
void rblkt_reason_event(struct rblkt_conn *conn, enum ib_event_type event)
{
	if (event < NR_EVENTS)
		atomic64_inc(&occurred[event]);
	pr_info_ratelimited("host %s (%pISc) qid %u: connection ended: %s\n",
			    host_of(conn), &conn->id->route.addr.dst_addr,
			    conn->qid, ib_event_msg(event));
}

/**
 * rblkt_reason_late - count and log a host that did not log in or bind in time
 * @conn: still with its CM id
 *
 * Context: process; does not sleep.
 */
void rblkt_reason_late(struct rblkt_conn *conn)
{
	atomic64_inc(&late);
	pr_info_ratelimited("host %s (%pISc) qid %u: connection ended: neither logged in nor bound in time\n",
			    host_of(conn), &conn->id->route.addr.dst_addr,
			    conn->qid);
}

/**
 * rblkt_reason_overdue - count and log a host that neither sends nor takes data
 * @conn: still with its CM id, as the close work ends the watch first
 *
 * Context: process; does not sleep.
 */
void rblkt_reason_overdue(struct rblkt_conn *conn)
{
	atomic64_inc(&overdue);
	pr_info_ratelimited("host %s (%pISc) qid %u: connection ended: data not sent or taken in time\n",
			    host_of(conn), &conn->id->route.addr.dst_addr,
			    conn->qid);
}

/**
 * rblkt_reason_show - print a line for each reason that has occurred
 * @m: the file in debugfs
 *
 * Context: process.
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
