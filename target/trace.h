/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The target's tracepoints: each change of state, each start and end of a
 * command, each protocol violation.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rblkt

#if !defined(RBLKT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RBLKT_TRACE_H

#include <linux/tracepoint.h>
#include "rblk_ioctl.h"
#include "rblk_wire.h"
#include "proto/proto.h"
#include "proto/state.h"

/* Whole only in main.c, which makes the tracepoints: any layer may use them. */
struct rblkt_cmd;
struct rblkt_conn;
struct rblkt_sess;

#define RBLKT_SHOW_OP(op)						\
	__print_symbolic(op,						\
			 { RBLK_OP_READ, "read" },			\
			 { RBLK_OP_WRITE, "write" },			\
			 { RBLK_OP_FLUSH, "flush" },			\
			 { RBLK_OP_DISCARD, "discard" },		\
			 { RBLK_OP_WRITE_ZEROES, "write_zeroes" })

TRACE_EVENT(rblkt_sess_state,
	TP_PROTO(const struct rblkt_sess *sess, enum rblk_session_state state),
	TP_ARGS(sess, state),
	TP_STRUCT__entry(
		__array(u8, uuid, RBLK_UUID_LEN)
		__field(u32, epoch)
		__field(u32, from)
		__field(u32, to)
	),
	TP_fast_assign(
		memcpy(__entry->uuid, sess->holder.uuid, RBLK_UUID_LEN);
		__entry->epoch = sess->epoch;
		__entry->from = sess->state;
		__entry->to = state;
	),
	TP_printk("session=%pUb epoch=%u from=%u to=%u", __entry->uuid,
		  __entry->epoch, __entry->from, __entry->to)
);

TRACE_EVENT(rblkt_conn_state,
	TP_PROTO(const struct rblkt_conn *conn, enum rblkt_conn_state state),
	TP_ARGS(conn, state),
	TP_STRUCT__entry(
		__array(u8, uuid, RBLK_UUID_LEN)
		__field(u32, epoch)
		__field(u16, qid)
		__field(u32, from)
		__field(u32, to)
	),
	TP_fast_assign(
		memcpy(__entry->uuid, conn->session, RBLK_UUID_LEN);
		__entry->epoch = conn->epoch;
		__entry->qid = conn->qid;
		__entry->from = conn->state;
		__entry->to = state;
	),
	TP_printk("session=%pUb epoch=%u qid=%u from=%u to=%u", __entry->uuid,
		  __entry->epoch, __entry->qid, __entry->from, __entry->to)
);

TRACE_EVENT(rblkt_cmd_start,
	TP_PROTO(const struct rblkt_cmd *cmd),
	TP_ARGS(cmd),
	TP_STRUCT__entry(
		__field(const void *, conn)
		__field(u16, qid)
		__field(u16, tag)
		__field(u16, gen)
		__field(u16, flags)
		__field(u8, op)
		__field(u32, volume)
		__field(u32, length)
		__field(u64, lba)
	),
	TP_fast_assign(
		__entry->conn = cmd->conn;
		__entry->qid = cmd->conn->qid;
		__entry->tag = le16_to_cpu(cmd->wire.tag);
		__entry->gen = le16_to_cpu(cmd->wire.gen);
		__entry->flags = le16_to_cpu(cmd->wire.flags);
		__entry->op = cmd->wire.op;
		__entry->volume = le32_to_cpu(cmd->wire.volume);
		__entry->length = le32_to_cpu(cmd->wire.length);
		__entry->lba = le64_to_cpu(cmd->wire.lba);
	),
	TP_printk("conn=%p qid=%u tag=%u gen=%u op=%s flags=0x%x volume=%u lba=%llu length=%u",
		  __entry->conn, __entry->qid, __entry->tag, __entry->gen,
		  RBLKT_SHOW_OP(__entry->op), __entry->flags, __entry->volume,
		  __entry->lba, __entry->length)
);

TRACE_EVENT(rblkt_cmd_end,
	TP_PROTO(const struct rblkt_cmd *cmd),
	TP_ARGS(cmd),
	TP_STRUCT__entry(
		__field(const void *, conn)
		__field(u16, qid)
		__field(u16, tag)
		__field(u16, gen)
		__field(u16, status)
		__field(u8, op)
		__field(u64, target_ns)
		__field(u64, device_ns)
	),
	TP_fast_assign(
		__entry->conn = cmd->conn;
		__entry->qid = cmd->conn->qid;
		__entry->tag = le16_to_cpu(cmd->wire.tag);
		__entry->gen = le16_to_cpu(cmd->wire.gen);
		__entry->status = cmd->status;
		__entry->op = cmd->wire.op;
		__entry->target_ns = cmd->ended - cmd->arrived;
		__entry->device_ns = cmd->ended - cmd->submitted;
	),
	TP_printk("conn=%p qid=%u tag=%u gen=%u op=%s status=%u target_ns=%llu device_ns=%llu",
		  __entry->conn, __entry->qid, __entry->tag, __entry->gen,
		  RBLKT_SHOW_OP(__entry->op), __entry->status,
		  __entry->target_ns, __entry->device_ns)
);

TRACE_EVENT(rblkt_violation,
	TP_PROTO(const struct rblkt_conn *conn, enum rblkt_bad bad),
	TP_ARGS(conn, bad),
	TP_STRUCT__entry(
		__array(u8, uuid, RBLK_UUID_LEN)
		__field(u16, qid)
		__field(u32, bad)
	),
	TP_fast_assign(
		memcpy(__entry->uuid, conn->session, RBLK_UUID_LEN);
		__entry->qid = conn->qid;
		__entry->bad = bad;
	),
	TP_printk("session=%pUb qid=%u bad=%u", __entry->uuid, __entry->qid,
		  __entry->bad)
);

#endif /* RBLKT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
