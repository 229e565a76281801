/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The initiator's tracepoints: every state change, every I/O's start and end,
 * every connection manager event, every protocol violation.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rblk

#if !defined(RBLK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RBLK_TRACE_H

#include <linux/tracepoint.h>
#include "session/session.h"

TRACE_EVENT(rblk_sess_state,
	TP_PROTO(const struct rblk_sess *sess, u32 from, u32 to),
	TP_ARGS(sess, from, to),
	TP_STRUCT__entry(
		__array(u8, uuid, RBLK_UUID_LEN)
		__field(u32, epoch)
		__field(u32, from)
		__field(u32, to)
	),
	TP_fast_assign(
		export_uuid(__entry->uuid, &sess->uuid);
		__entry->epoch = sess->epoch;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("session=%pUb epoch=%u %s -> %s", __entry->uuid, __entry->epoch,
		  rblk_sess_state_name(__entry->from),
		  rblk_sess_state_name(__entry->to))
);

TRACE_EVENT(rblk_vol_state,
	TP_PROTO(const struct rblk_vol *vol, u32 from, u32 to),
	TP_ARGS(vol, from, to),
	TP_STRUCT__entry(
		__array(char, name, RBLK_NAME_LEN)
		__field(u32, from)
		__field(u32, to)
	),
	TP_fast_assign(
		memcpy(__entry->name, vol->name, RBLK_NAME_LEN);
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("volume=%s %s -> %s", __entry->name,
		  rblk_vol_state_name(__entry->from),
		  rblk_vol_state_name(__entry->to))
);

TRACE_EVENT(rblk_conn_state,
	TP_PROTO(const struct rblk_conn *conn, u32 from, u32 to),
	TP_ARGS(conn, from, to),
	TP_STRUCT__entry(
		__field(u32, epoch)
		__field(u16, qid)
		__field(u32, from)
		__field(u32, to)
	),
	TP_fast_assign(
		__entry->epoch = conn->offer.epoch;
		__entry->qid = conn->offer.qid;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("epoch=%u qid=%u %s -> %s", __entry->epoch, __entry->qid,
		  rblk_conn_state_name(__entry->from),
		  rblk_conn_state_name(__entry->to))
);

TRACE_EVENT(rblk_cm_event,
	TP_PROTO(const struct rblk_conn *conn, u32 event, int status),
	TP_ARGS(conn, event, status),
	TP_STRUCT__entry(
		__field(u32, epoch)
		__field(u16, qid)
		__field(u32, event)
		__field(int, status)
	),
	TP_fast_assign(
		__entry->epoch = conn->offer.epoch;
		__entry->qid = conn->offer.qid;
		__entry->event = event;
		__entry->status = status;
	),
	TP_printk("epoch=%u qid=%u event=%u status=%d", __entry->epoch,
		  __entry->qid, __entry->event, __entry->status)
);

TRACE_EVENT(rblk_violation,
	TP_PROTO(const struct rblk_conn *conn, const char *wrong),
	TP_ARGS(conn, wrong),
	TP_STRUCT__entry(
		__field(u32, epoch)
		__field(u16, qid)
		__field(const char *, wrong)
	),
	TP_fast_assign(
		__entry->epoch = conn->offer.epoch;
		__entry->qid = conn->offer.qid;
		__entry->wrong = wrong;
	),
	/* @wrong is always a string constant of this module. */
	TP_printk("epoch=%u qid=%u %s", __entry->epoch, __entry->qid,
		  __entry->wrong)
);

TRACE_EVENT(rblk_io_start,
	TP_PROTO(int index, const struct rblk_conn *conn,
		 const struct rblk_slot *slot, const struct rblk_command *cmd),
	TP_ARGS(index, conn, slot, cmd),
	TP_STRUCT__entry(
		__field(int, index)
		__field(u16, qid)
		__field(u16, tag)
		__field(u16, gen)
		__field(u8, op)
		__field(u16, flags)
		__field(u64, lba)
		__field(u32, length)
	),
	TP_fast_assign(
		__entry->index = index;
		__entry->qid = conn->offer.qid;
		__entry->tag = slot->tag;
		__entry->gen = slot->gen;
		__entry->op = cmd->op;
		__entry->flags = cmd->flags;
		__entry->lba = cmd->lba;
		__entry->length = cmd->length;
	),
	TP_printk("rblk%d qid=%u tag=%u gen=%u op=%u flags=%#x lba=%llu length=%u",
		  __entry->index, __entry->qid, __entry->tag, __entry->gen,
		  __entry->op, __entry->flags, __entry->lba, __entry->length)
);

TRACE_EVENT(rblk_io_end,
	TP_PROTO(int index, const struct rblk_slot *slot),
	TP_ARGS(index, slot),
	TP_STRUCT__entry(
		__field(int, index)
		__field(u16, qid)
		__field(u16, tag)
		__field(u16, gen)
		__field(u16, status)
		__field(u32, target_ns)
		__field(u32, device_ns)
	),
	TP_fast_assign(
		__entry->index = index;
		__entry->qid = slot->conn->offer.qid;
		__entry->tag = slot->tag;
		__entry->gen = slot->gen;
		__entry->status = slot->status;
		__entry->target_ns = slot->target_ns;
		__entry->device_ns = slot->device_ns;
	),
	TP_printk("rblk%d qid=%u tag=%u gen=%u status=%u target_ns=%u device_ns=%u",
		  __entry->index, __entry->qid, __entry->tag, __entry->gen,
		  __entry->status, __entry->target_ns, __entry->device_ns)
);

#endif /* RBLK_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
