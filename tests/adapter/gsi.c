// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pair 1, by which the core makes connections: datagrams between devices.
 * What arrives begins with the 40 bytes that a network header takes in RoCE v2,
 * from which the core learns who sent it.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/ip.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pack.h>
#include "adapter.h"

#define HEADER sizeof(union rdma_network_hdr)

int rad_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
		  struct ib_udata *udata)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr->ah_attr);
	struct rad_ah *ah = rad_to(ah, ibah);

	if (udata || !(rdma_ah_get_ah_flags(attr->ah_attr) & IB_AH_GRH))
		return -EINVAL;
	ah->dgid = grh->dgid;
	ah->sgid = grh->sgid_attr->gid;
	ah->network = rdma_gid_attr_network_type(grh->sgid_attr);
	return 0;
}

int rad_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}

static void header_fill(union rdma_network_hdr *hdr, const struct rad_wqe *wqe)
{
	u16 bytes = sizeof(struct udphdr) + IB_BTH_BYTES + IB_DETH_BYTES +
		    wqe->length;
	struct iphdr *ip = &hdr->roce4grh;

	memset(hdr, 0, sizeof(*hdr));
	if (wqe->network != RDMA_NETWORK_IPV4) {
		hdr->ibgrh.version_tclass_flow = cpu_to_be32(6U << 28);
		hdr->ibgrh.paylen = cpu_to_be16(bytes);
		hdr->ibgrh.next_hdr = IPPROTO_UDP;
		hdr->ibgrh.hop_limit = 64;
		hdr->ibgrh.sgid = wqe->sgid;
		hdr->ibgrh.dgid = wqe->dgid;
		return;
	}
	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->protocol = IPPROTO_UDP;
	ip->tot_len = cpu_to_be16(sizeof(*ip) + bytes);
	memcpy(&ip->saddr, wqe->sgid.raw + 12, sizeof(ip->saddr));
	memcpy(&ip->daddr, wqe->dgid.raw + 12, sizeof(ip->daddr));
	ip->check = ip_fast_csum(ip, ip->ihl);
}

static void gsi_complete(struct rad_qp *qp, struct rad_qp *peer,
			 const struct rad_wqe *wqe, u32 pos, int ret)
{
	struct rad_cqe cqe = {
		.qp = peer,
		.pos = pos,
		.recv = true,
		.wc = {
			.wr_id = peer->rwqes[pos % peer->rq.size].wr_id,
			.status = ret ? IB_WC_LOC_LEN_ERR : IB_WC_SUCCESS,
			.opcode = IB_WC_RECV,
			.byte_len = HEADER + wqe->length,
			.src_qp = qp->qpn,
			.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE,
			.network_hdr_type = wqe->network,
			.port_num = 1,
			.qp = &peer->ib,
		},
	};

	rad_cq_push(rad_to(cq, peer->ib.recv_cq), &cqe,
		    wqe->flags & IB_SEND_SOLICITED);
}

static void gsi_deliver(struct rad_qp *qp, struct rad_qp *peer,
			struct rad_wqe *wqe)
{
	union rdma_network_hdr hdr;
	struct rad_rwqe *rwqe;
	unsigned long flags;
	bool taken;
	u32 pos;
	int ret;

	spin_lock_irqsave(&peer->lock, flags);
	taken = rad_qp_connected(peer) && peer->rq.next != peer->rq.head;
	pos = peer->rq.next;
	peer->rq.next += taken;
	spin_unlock_irqrestore(&peer->lock, flags);
	if (!taken)
		return;
	header_fill(&hdr, wqe);
	rwqe = &peer->rwqes[pos % peer->rq.size];
	ret = rad_engine_scatter(peer, rwqe->sge, rwqe->num_sge, 0, (u8 *)&hdr,
				 HEADER, RAD_SINK);
	if (!ret)
		ret = rad_engine_scatter(peer, rwqe->sge, rwqe->num_sge, HEADER,
					 qp->bounce, wqe->length, RAD_SINK);
	gsi_complete(qp, peer, wqe, pos, ret);
}

/**
 * rad_gsi_send() - send a datagram
 * @qp: queue pair 1
 * @wqe: the work request
 *
 * It is lost if nobody is there to receive it.
 * Context: the engine of @qp.
 */
void rad_gsi_send(struct rad_qp *qp, struct rad_wqe *wqe)
{
	struct rad_dev *dev = rad_dev_reach(qp->dev, &wqe->dgid);
	struct rad_qp *peer;

	if (rad_engine_gather(qp, wqe) || !dev)
		return;
	peer = rad_qp_get(dev, wqe->remote_qpn);
	if (!peer)
		return;
	gsi_deliver(qp, peer, wqe);
	rad_qp_put(peer);
}
