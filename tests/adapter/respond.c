// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the other side does with a work request.  The engine of the queue pair
 * that sends does it, with the keys and the receive queue of the peer's.
 */
#include <linux/slab.h>
#include "adapter.h"

#define PACKET 4096U	/* data is placed by these */
#define SPOILED 256U	/* bytes of a message, where the headers are */

/**
 * rad_respond_peer() - find the peer
 * @qp: connected to it
 * Context: an engine.
 * Return: the peer, for rad_qp_put(); NULL if nothing reaches it now.
 */
struct rad_qp *rad_respond_peer(struct rad_qp *qp)
{
	struct rad_dev *dev = rad_dev_reach(qp->dev, &qp->attr.ah_attr.grh.dgid);
	struct rad_qp *peer;
	bool first;

	if (!dev)
		return NULL;
	peer = rad_qp_get(dev, qp->attr.dest_qp_num);
	if (!peer)
		return NULL;
	if (!rad_qp_connected(peer) || peer->attr.dest_qp_num != qp->qpn) {
		rad_qp_put(peer);
		return NULL;
	}
	spin_lock_irq(&peer->lock);
	first = peer->state == IB_QPS_RTR && !peer->established;
	peer->established = true;
	spin_unlock_irq(&peer->lock);
	if (first)
		rad_qp_event(peer, IB_EVENT_COMM_EST);
	return peer;
}

/* The status that the requester gets for what the responder found. */
static enum ib_wc_status respond_fail(struct rad_qp *peer, int ret, int event,
				      enum ib_wc_status status)
{
	if (ret == -ENOTCONN)
		return RAD_WC_GONE;
	rad_qp_fail(peer, event);
	return status;
}

/* recv_take() - the next receive, with its position. */
static bool recv_take(struct rad_qp *peer, u32 *pos, struct rad_rwqe **rwqe)
{
	bool taken;

	spin_lock_irq(&peer->lock);
	taken = peer->rq.next != peer->rq.head;
	if (taken)
		*pos = peer->rq.next++;
	spin_unlock_irq(&peer->lock);
	*rwqe = taken ? &peer->rwqes[*pos % peer->rq.size] : NULL;
	return taken;
}

static void recv_complete(struct rad_qp *qp, struct rad_qp *peer,
			  const struct rad_wqe *wqe, const struct rad_rwqe *rwqe,
			  u32 pos, enum ib_wc_status status)
{
	bool imm = wqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM;
	struct rad_cqe cqe = {
		.qp = peer,
		.pos = pos,
		.recv = true,
		.stamp = wqe->arrives,
		.wc = {
			.wr_id = rwqe->wr_id,
			.status = status,
			.opcode = imm ? IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV,
			.byte_len = wqe->length,
			.src_qp = qp->qpn,
			.qp = &peer->ib,
		},
	};

	if (imm || wqe->opcode == IB_WR_SEND_WITH_IMM) {
		cqe.wc.wc_flags = IB_WC_WITH_IMM;
		cqe.wc.ex.imm_data = wqe->imm;
	} else if (wqe->opcode == IB_WR_SEND_WITH_INV) {
		cqe.wc.wc_flags = IB_WC_WITH_INVALIDATE;
		cqe.wc.ex.invalidate_rkey = wqe->key;
	}
	if (status != IB_WC_SUCCESS)
		cqe.wc.opcode = 0x7f;
	if (!rad_cq_push(rad_to(cq, peer->ib.recv_cq), &cqe,
			 wqe->flags & IB_SEND_SOLICITED))
		rad_qp_fail(peer, IB_EVENT_QP_FATAL);
}

/* A receive that the message does not fit, or whose memory is not there. */
static enum ib_wc_status recv_fail(struct rad_qp *qp, struct rad_qp *peer,
				   struct rad_wqe *wqe, struct rad_rwqe *rwqe,
				   u32 pos, int ret)
{
	bool longer = ret == -EMSGSIZE;

	rad_qp_fail(peer, IB_EVENT_QP_REQ_ERR);
	recv_complete(qp, peer, wqe, rwqe, pos,
		      longer ? IB_WC_LOC_LEN_ERR : IB_WC_LOC_PROT_ERR);
	return longer ? IB_WC_REM_INV_REQ_ERR : IB_WC_REM_OP_ERR;
}

/*
 * The sender lies: its message has a wrong byte, names another key to invalidate, or
 * ends too early.  That is worse than a network, whose checksums would tell.
 */
static void message_spoil(struct rad_qp *qp, struct rad_wqe *wqe)
{
	u32 one_of = READ_ONCE(qp->dev->spoil);

	if (!one_of || !wqe->length || rad_engine_random(qp, one_of))
		return;
	rad_count(qp->dev, RAD_CNT_spoilt);
	switch (rad_engine_random(qp, 16)) {
	case 0:
		wqe->length -= rad_engine_random(qp, wqe->length);
		break;
	case 1:
		wqe->key ^= 1U << rad_engine_random(qp, 32);
		break;
	default:
		qp->bounce[rad_engine_random(qp, min(wqe->length, SPOILED))] ^=
			1 + rad_engine_random(qp, 255);
	}
}

/**
 * rad_respond_send() - a message arrives
 * @qp: sends it; its bounce buffer has the data
 * @peer: receives it
 * @wqe: the work request
 * Context: the engine of @qp.
 * Return: the sender's status, RAD_WC_RNR or RAD_WC_GONE.
 */
enum ib_wc_status rad_respond_send(struct rad_qp *qp, struct rad_qp *peer,
				   struct rad_wqe *wqe)
{
	struct rad_rwqe *rwqe;
	u32 pos;
	int ret;

	if (!recv_take(peer, &pos, &rwqe))
		return RAD_WC_RNR;
	message_spoil(qp, wqe);
	ret = rad_engine_scatter(peer, rwqe->sge, rwqe->num_sge, 0, qp->bounce,
				 wqe->length, RAD_SINK);
	if (ret)
		return recv_fail(qp, peer, wqe, rwqe, pos, ret);
	if (wqe->opcode == IB_WR_SEND_WITH_INV &&
	    rad_mr_invalidate(peer, wqe->key, "invalidation by the peer")) {
		rad_qp_fail(peer, IB_EVENT_QP_ACCESS_ERR);
		recv_complete(qp, peer, wqe, rwqe, pos, IB_WC_WR_FLUSH_ERR);
		return IB_WC_REM_ACCESS_ERR;
	}
	rad_count_moved(peer->dev, wqe->length);
	recv_complete(qp, peer, wqe, rwqe, pos, IB_WC_SUCCESS);
	return IB_WC_SUCCESS;
}

/* Which of @nr packets is placed as number @i: they begin anywhere. */
static u32 packet_at(u32 i, u32 nr, u32 start, bool backwards)
{
	u32 at = (i + start) % nr;

	return backwards ? nr - 1 - at : at;
}

static int write_place(struct rad_qp *qp, struct rad_qp *peer,
		       struct rad_wqe *wqe)
{
	u32 nr = DIV_ROUND_UP(wqe->length, PACKET);
	bool shuffle = READ_ONCE(peer->dev->shuffle);
	u32 start = shuffle && nr ? rad_engine_random(qp, nr) : 0;
	bool backwards = shuffle && rad_engine_random(qp, 2);
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < nr; i++) {
		u32 at = packet_at(i, nr, start, backwards) * PACKET;

		ret = rad_mr_copy(peer, wqe->rkey, wqe->remote_addr + at,
				  qp->bounce + at,
				  min(PACKET, wqe->length - at),
				  RAD_REMOTE_WRITE);
	}
	return ret;
}

/**
 * rad_respond_write() - an RDMA WRITE arrives
 * @qp: sends it; its bounce buffer has the data
 * @peer: has the memory
 * @wqe: the work request
 * Context: the engine of @qp.
 * Return: the sender's status, RAD_WC_RNR or RAD_WC_GONE.
 */
enum ib_wc_status rad_respond_write(struct rad_qp *qp, struct rad_qp *peer,
				    struct rad_wqe *wqe)
{
	struct rad_rwqe *rwqe;
	u32 pos;
	int ret;

	ret = rad_mr_check(peer, wqe->rkey, wqe->remote_addr, wqe->length,
			   RAD_REMOTE_WRITE);
	if (!ret)
		ret = write_place(qp, peer, wqe);
	if (ret)
		return respond_fail(peer, ret, IB_EVENT_QP_ACCESS_ERR,
				    IB_WC_REM_ACCESS_ERR);
	rad_count_moved(peer->dev, wqe->length);
	if (wqe->opcode != IB_WR_RDMA_WRITE_WITH_IMM)
		return IB_WC_SUCCESS;
	/* Data that comes again after RNR is placed again, as it would be. */
	if (!recv_take(peer, &pos, &rwqe))
		return RAD_WC_RNR;
	recv_complete(qp, peer, wqe, rwqe, pos, IB_WC_SUCCESS);
	return IB_WC_SUCCESS;
}

/* The peer promised to take so many at a time. */
static bool reads_too_many(struct rad_qp *qp, struct rad_qp *peer)
{
	if (qp->attr.max_rd_atomic <= peer->attr.max_dest_rd_atomic &&
	    peer->attr.max_dest_rd_atomic)
		return false;
	rad_report(qp->dev, RAD_reads, "QP %u: up to %u, where the peer takes %u",
		   qp->qpn, qp->attr.max_rd_atomic,
		   peer->attr.max_dest_rd_atomic);
	return true;
}

/* On iWARP the answer is like an RDMA WRITE, to the key that the request has. */
static enum rad_how read_sink(const struct rad_qp *qp)
{
	return qp->dev->profile->iwarp ? RAD_READ_SINK : RAD_SINK;
}

/**
 * rad_respond_read() - an RDMA READ is answered
 * @qp: asked for it
 * @peer: has the memory
 * @wqe: the work request
 * Context: the engine of @qp.
 * Return: the requester's status, or RAD_WC_GONE.
 */
enum ib_wc_status rad_respond_read(struct rad_qp *qp, struct rad_qp *peer,
				   struct rad_wqe *wqe)
{
	u8 *packet = kmalloc(PACKET, GFP_NOIO);
	u32 at, part;
	int ret = 0;

	if (!packet)
		return RAD_WC_GONE;
	if (reads_too_many(qp, peer)) {
		kfree(packet);
		return respond_fail(peer, -EINVAL, IB_EVENT_QP_REQ_ERR,
				    IB_WC_REM_INV_REQ_ERR);
	}
	ret = rad_mr_check(peer, wqe->rkey, wqe->remote_addr, wqe->length,
			   RAD_REMOTE_READ);
	for (at = 0; !ret && at < wqe->length; at += part) {
		part = min(PACKET, wqe->length - at);
		ret = rad_mr_copy(peer, wqe->rkey, wqe->remote_addr + at, packet,
				  part, RAD_REMOTE_READ);
		if (ret)
			break;
		if (rad_engine_scatter(qp, wqe->sge, wqe->num_sge, at, packet,
				       part, read_sink(qp))) {
			kfree(packet);
			return IB_WC_LOC_PROT_ERR;
		}
	}
	kfree(packet);
	if (ret)
		return respond_fail(peer, ret, IB_EVENT_QP_ACCESS_ERR,
				    IB_WC_REM_ACCESS_ERR);
	rad_count_moved(peer->dev, wqe->length);
	rad_count_moved(qp->dev, wqe->length);
	return IB_WC_SUCCESS;
}
