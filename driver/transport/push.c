// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushed writes: small writes whose data goes ahead of their commands.
 *
 * With its data inline, a command is a message of its own, and that message is
 * longer than a page: two packets for one page of data.  If the target grants
 * slots (WRITE_PUSH), the initiator sends the data of writes that leave
 * together into their tags' slots by RDMA WRITE, and their commands share one
 * message with all others.  The message comes last: when the target receives
 * it, all that came before it on the same queue pair is in place.  For a
 * batch of one write, inline data is cheaper; only at posting is it known which
 * case it is.
 *
 * The initiator writes a slot only for a command that is new in its tag, thus
 * after the target has answered the tag's last command and no longer needs the
 * slot.  When a connection is lost, the target destroys its queue pair before
 * the fence lets the initiator send a request again: no write of the old
 * connection arrives later.
 *
 * The data is sent from the slot's bounce buffer.  A message of several commands
 * that starts with a pushed write so needs another buffer: message.c.  Without one
 * the write leaves with its data inline.
 */
#include "transport.h"

/**
 * rblk_push_granted() - note the slots that the target grants
 * @conn: BINDING
 * @reply: reply to BIND, checked
 *
 * Context: any.
 */
void rblk_push_granted(struct rblk_conn *conn,
		       const struct rblk_wire_bind_reply *reply)
{
	conn->push.addr = le64_to_cpu(reply->slot_addr);
	conn->push.rkey = le32_to_cpu(reply->slot_rkey);
	conn->push.size = le16_to_cpu(reply->slot_size);
	conn->push.slots = le16_to_cpu(reply->slots);
}

/**
 * rblk_push_prepare() - fill in the RDMA WRITE for a command's data
 * @slot: slot of a write with its data in the bounce buffer
 *
 * Context: any.
 * Return: the work request, owned by @slot.
 */
struct ib_send_wr *rblk_push_prepare(struct rblk_slot *slot)
{
	struct rblk_conn *conn = slot->conn;
	struct ib_rdma_wr *rdma = &slot->rdma;

	rdma->wr.wr_cqe = &conn->quiet_cqe;
	rdma->wr.opcode = IB_WR_RDMA_WRITE;
	rdma->wr.send_flags = slot->send.send_flags;
	rdma->wr.sg_list = &slot->sge[1];
	rdma->wr.num_sge = 1;
	rdma->remote_addr = conn->push.addr + (u64)slot->tag * conn->push.size;
	rdma->rkey = conn->push.rkey;
	return &rdma->wr;
}
