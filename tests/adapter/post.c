// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests.  A queue's entry is free only when a completion that covers it
 * has been polled, as drivers count.  Everything that the device was not asked
 * for, or does not have, is refused here and reported.
 */
#include "adapter.h"

static bool pos_full(const struct rad_pos *pos)
{
	return pos->head - pos->freed == pos->size;
}

/* The opcodes that a profile has. */
static bool opcode_known(const struct rad_qp *qp, enum ib_wr_opcode opcode)
{
	if (qp->ib.qp_type == IB_QPT_GSI)
		return opcode == IB_WR_SEND;
	switch (opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
	case IB_WR_REG_MR:
		return true;
	case IB_WR_SEND_WITH_IMM:
		return !qp->dev->profile->iwarp;
	case IB_WR_RDMA_READ_WITH_INV:
		return qp->dev->profile->iwarp;
	case IB_WR_LOCAL_INV:
		return qp->dev->profile->local_inv;
	default:
		return false;
	}
}

static u32 most_sges(const struct rad_qp *qp, enum ib_wr_opcode opcode)
{
	if (qp->ib.qp_type == IB_QPT_GSI)
		return qp->cap.max_send_sge;
	if (opcode == IB_WR_RDMA_READ || opcode == IB_WR_RDMA_READ_WITH_INV)
		return min_t(u32, qp->cap.max_send_sge, qp->dev->profile->max_sge_rd);
	if (opcode == IB_WR_REG_MR || opcode == IB_WR_LOCAL_INV)
		return 0;
	return min_t(u32, qp->cap.max_send_sge, qp->dev->profile->max_send_sge);
}

static u64 sges_length(const struct ib_sge *sge, int nr)
{
	u64 length = 0;
	int i;

	for (i = 0; i < nr; i++)
		length += sge[i].length;
	return length;
}

static int send_broken(struct rad_qp *qp, enum rad_rule rule, const char *what,
		       const struct ib_send_wr *wr)
{
	rad_report(qp->dev, rule, "QP %u, state %d, opcode %d, %d elements: %s",
		   qp->qpn, qp->state, wr->opcode, wr->num_sge, what);
	return rule == RAD_sq_overrun ? -ENOMEM : -EINVAL;
}

/* send_check() - may this be posted? */
static int send_check(struct rad_qp *qp, const struct ib_send_wr *wr)
{
	const struct rad_profile *p = qp->dev->profile;
	u64 length;

	if (qp->state != IB_QPS_RTS && qp->state != IB_QPS_ERR)
		return send_broken(qp, RAD_state, "not ready to send", wr);
	if (!opcode_known(qp, wr->opcode))
		return send_broken(qp, RAD_opcode, p->name, wr);
	if (wr->num_sge < 0 || wr->num_sge > most_sges(qp, wr->opcode))
		return send_broken(qp, RAD_sges, p->name, wr);
	length = sges_length(wr->sg_list, wr->num_sge);
	if (length > RAD_MAX_MESSAGE)
		return send_broken(qp, RAD_request, "message too long", wr);
	if (wr->send_flags & IB_SEND_INLINE &&
	    (length > qp->cap.max_inline_data || wr->opcode == IB_WR_RDMA_READ ||
	     wr->opcode == IB_WR_RDMA_READ_WITH_INV))
		return send_broken(qp, RAD_request, "cannot be inline", wr);
	if (wr->opcode == IB_WR_REG_MR && reg_wr(wr)->mr->device != qp->ib.device)
		return send_broken(qp, RAD_registration, "of another device", wr);
	return 0;
}

/* Inline data leaves the memory of its owner at once. */
static void wqe_take_inline(struct rad_wqe *wqe, const struct ib_send_wr *wr)
{
	u8 *to = wqe->inlined;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		memcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
}

static void wqe_take_ud(struct rad_wqe *wqe, const struct ib_send_wr *wr)
{
	struct rad_ah *ah = rad_to(ah, ud_wr(wr)->ah);

	wqe->sgid = ah->sgid;
	wqe->dgid = ah->dgid;
	wqe->network = ah->network;
	wqe->remote_qpn = ud_wr(wr)->remote_qpn;
}

static void wqe_take_reg(struct rad_wqe *wqe, const struct ib_send_wr *wr)
{
	struct ib_mr *mr = reg_wr(wr)->mr;

	wqe->mr = rad_to(mr, mr);
	wqe->key = reg_wr(wr)->key;
	wqe->access = reg_wr(wr)->access;
	wqe->iova = mr->iova;
	wqe->mr_length = mr->length;
	wqe->page_size = mr->page_size;
}

static void wqe_take(struct rad_qp *qp, struct rad_wqe *wqe,
		     const struct ib_send_wr *wr)
{
	struct ib_sge *sge = wqe->sge;
	void *inlined = wqe->inlined;

	*wqe = (struct rad_wqe){
		.wr_id = wr->wr_id,
		.opcode = wr->opcode,
		.flags = wr->send_flags,
		.signaled = qp->sig_all || wr->send_flags & IB_SEND_SIGNALED,
		.num_sge = wr->num_sge,
		.sge = sge,
		.inlined = inlined,
		.length = sges_length(wr->sg_list, wr->num_sge),
	};
	if (wr->num_sge)
		memcpy(sge, wr->sg_list, wr->num_sge * sizeof(*sge));
	if (wr->send_flags & IB_SEND_INLINE)
		wqe_take_inline(wqe, wr);
	switch (wr->opcode) {
	case IB_WR_SEND_WITH_IMM:
		wqe->imm = wr->ex.imm_data;
		break;
	case IB_WR_RDMA_READ_WITH_INV:
		/* As irdma and cxgb4: the sink. The core's rdma_rw has an old key. */
		wqe->key = wr->num_sge ? wr->sg_list[0].lkey : 0;
		wqe->remote_addr = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_RDMA_WRITE_WITH_IMM:
		wqe->imm = wr->ex.imm_data;
		fallthrough;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_READ:
		wqe->remote_addr = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		wqe->key = wr->ex.invalidate_rkey;
		break;
	case IB_WR_REG_MR:
		wqe_take_reg(wqe, wr);
		break;
	default:
		if (qp->ib.qp_type == IB_QPT_GSI)
			wqe_take_ud(wqe, wr);
	}
}

int rad_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad)
{
	struct rad_qp *qp = rad_to(qp, ibqp);
	unsigned long flags;
	int ret = 0;

	rad_count(qp->dev, RAD_CNT_doorbells);
	spin_lock_irqsave(&qp->lock, flags);
	for (; wr; wr = wr->next) {
		if (pos_full(&qp->sq))
			ret = send_broken(qp, RAD_sq_overrun,
					  "no entry is free", wr);
		else
			ret = send_check(qp, wr);
		if (ret) {
			*bad = wr;
			break;
		}
		wqe_take(qp, &qp->swqes[qp->sq.head % qp->sq.size], wr);
		rad_stamp_post(qp, &qp->swqes[qp->sq.head % qp->sq.size]);
		qp->sq.head++;
		rad_count(qp->dev, RAD_CNT_sends);
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	rad_engine_kick(qp);
	return ret;
}

static int recv_check(struct rad_qp *qp, const struct ib_recv_wr *wr)
{
	if (qp->state == IB_QPS_RESET) {
		rad_report(qp->dev, RAD_state, "QP %u: receive posted in RESET",
			   qp->qpn);
		return -EINVAL;
	}
	if (pos_full(&qp->rq)) {
		rad_report(qp->dev, RAD_rq_overrun, "QP %u: all of %u are in use",
			   qp->qpn, qp->rq.size);
		return -ENOMEM;
	}
	if (wr->num_sge < 0 || wr->num_sge > qp->cap.max_recv_sge) {
		rad_report(qp->dev, RAD_sges, "QP %u: %d, where a receive has %u",
			   qp->qpn, wr->num_sge, qp->cap.max_recv_sge);
		return -EINVAL;
	}
	return 0;
}

int rad_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad)
{
	struct rad_qp *qp = rad_to(qp, ibqp);
	unsigned long flags;
	bool flush;
	int ret = 0;

	rad_count(qp->dev, RAD_CNT_receive_doorbells);
	spin_lock_irqsave(&qp->lock, flags);
	for (; wr; wr = wr->next) {
		struct rad_rwqe *rwqe = &qp->rwqes[qp->rq.head % qp->rq.size];

		ret = recv_check(qp, wr);
		if (ret) {
			*bad = wr;
			break;
		}
		rwqe->wr_id = wr->wr_id;
		rwqe->num_sge = wr->num_sge;
		if (wr->num_sge)
			memcpy(rwqe->sge, wr->sg_list,
			       wr->num_sge * sizeof(*rwqe->sge));
		qp->rq.head++;
		rad_count(qp->dev, RAD_CNT_receives);
	}
	flush = qp->state == IB_QPS_ERR;
	spin_unlock_irqrestore(&qp->lock, flags);
	if (flush)
		rad_engine_kick(qp);
	return ret;
}
