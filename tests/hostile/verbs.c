// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue pair of a connection: making it, posting, polling.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "verbs.h"

#define PAGE	4096
#define BIND_MS	2000
#define ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |	\
		 IBV_ACCESS_REMOTE_WRITE)

/**
 * verbs_now - milliseconds of a clock that only goes forward
 */
uint64_t verbs_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/**
 * verbs_sleep - do nothing
 * @ms: for so long
 */
void verbs_sleep(unsigned int ms)
{
	struct timespec ts = { ms / 1000, (ms % 1000) * 1000000l };

	nanosleep(&ts, NULL);
}

static size_t pages(size_t len)
{
	return (len + PAGE - 1) / PAGE * PAGE;
}

static int make_memory(struct verbs *v)
{
	const struct verbs_size *s = &v->size;
	size_t recvs = pages(s->recvs * s->recv_len);
	size_t len = pages(s->send_len) + recvs + pages(s->data_len);
	int access = ACCESS;

	v->buf = aligned_alloc(PAGE, len);
	if (!v->buf)
		return -ENOMEM;
	memset(v->buf, 0, len);
	v->out = v->buf;
	v->data = v->buf + pages(s->send_len) + recvs;
	if (v->id->verbs->device->transport_type != IBV_TRANSPORT_IWARP)
		access |= IBV_ACCESS_MW_BIND;
	v->mr = ibv_reg_mr(v->pd, v->buf, len, access);
	return v->mr ? 0 : -errno;
}

static int make_queues(struct verbs *v)
{
	struct ibv_qp_init_attr attr = {
		.cap = {
			.max_send_wr = v->size.sends,
			.max_recv_wr = v->size.recvs,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	v->send_cq = ibv_create_cq(v->id->verbs, v->size.sends, NULL, NULL, 0);
	v->recv_cq = ibv_create_cq(v->id->verbs, v->size.recvs, NULL, NULL, 0);
	if (!v->send_cq || !v->recv_cq)
		return -errno;
	attr.send_cq = v->send_cq;
	attr.recv_cq = v->recv_cq;
	return rdma_create_qp(v->id, v->pd, &attr) ? -errno : 0;
}

/**
 * verbs_make - make the queue pair and the memory of a resolved connection
 * @v: from verbs_resolve() or verbs_request()
 * @size: of what and how much
 *
 * What was made is freed by verbs_close(), also after failure.
 */
int verbs_make(struct verbs *v, const struct verbs_size *size)
{
	unsigned int i;
	int ret;

	v->size = *size;
	v->pd = size->pd ? size->pd : ibv_alloc_pd(v->id->verbs);
	if (!v->pd)
		return -errno;
	ret = make_memory(v);
	if (!ret)
		ret = make_queues(v);
	for (i = 0; !ret && !size->idle && i < size->recvs; i++)
		ret = verbs_post_recv(v, i);
	return ret;
}

/**
 * verbs_close - free everything, hanging up if need be
 * @v: may be NULL
 */
void verbs_close(struct verbs *v)
{
	if (!v)
		return;
	if (v->connected && !v->gone)
		rdma_disconnect(v->id);
	/* A window holds the queue pair it is bound to: RXE waits for it. */
	verbs_ungrant(v);
	if (v->id && v->id->qp)
		rdma_destroy_qp(v->id);
	if (v->send_cq)
		ibv_destroy_cq(v->send_cq);
	if (v->recv_cq)
		ibv_destroy_cq(v->recv_cq);
	if (v->mr)
		ibv_dereg_mr(v->mr);
	if (v->pd && v->pd != v->size.pd)
		ibv_dealloc_pd(v->pd);
	if (v->id)
		rdma_destroy_id(v->id);
	if (v->channel)
		rdma_destroy_event_channel(v->channel);
	free(v->buf);
	free(v);
}

/**
 * verbs_register - one more memory region in the connection's domain
 * @v: the connection
 * @addr: of the memory
 * @len: bytes
 * @access: IBV_ACCESS_*
 */
struct ibv_mr *verbs_register(struct verbs *v, void *addr, size_t len,
			      int access)
{
	return ibv_reg_mr(v->pd, addr, len, access);
}

static void drop_grant(struct verbs_grant *grant)
{
	if (grant->mr)
		ibv_dereg_mr(grant->mr);
	if (grant->mw)
		ibv_dealloc_mw(grant->mw);
	memset(grant, 0, sizeof(*grant));
}

#define BIND_ID	(~0ull)

/* Bind a window; what completes before it is not looked at. */
static uint32_t bind_window(struct verbs *v, struct ibv_mw *mw)
{
	struct ibv_send_wr wr = {
		.wr_id = BIND_ID,
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = {
				.mr = v->mr,
				.addr = (uintptr_t)v->data,
				.length = v->size.data_len,
				.mw_access_flags = IBV_ACCESS_REMOTE_READ |
						   IBV_ACCESS_REMOTE_WRITE,
			},
		},
	};

	if (verbs_post(v, &wr))
		return 0;
	do {
		if (verbs_sent(v, BIND_MS) != IBV_WC_SUCCESS)
			return 0;
	} while (v->wc.wr_id != BIND_ID);
	return wr.bind_mw.rkey;
}

/**
 * verbs_grant - let the peer have the data area for one command
 * @v: the connection, connected
 *
 * The peer invalidates it, which would take @v->mr's other uses along. The
 * VERBS_GRANTS latest are good.
 *
 * Return: the rkey, or 0.
 */
uint32_t verbs_grant(struct verbs *v)
{
	struct verbs_grant *grant = &v->grants[v->nr_grants++ % VERBS_GRANTS];

	drop_grant(grant);
	if (v->id->verbs->device->transport_type == IBV_TRANSPORT_IWARP) {
		grant->mr = verbs_register(v, v->data, v->size.data_len, ACCESS);
		return grant->mr ? grant->mr->rkey : 0;
	}
	grant->mw = ibv_alloc_mw(v->pd, IBV_MW_TYPE_2);
	return grant->mw ? bind_window(v, grant->mw) : 0;
}

/**
 * verbs_ungrant - no grant is good any more
 * @v: the connection
 */
void verbs_ungrant(struct verbs *v)
{
	unsigned int i;

	for (i = 0; i < VERBS_GRANTS; i++)
		drop_grant(&v->grants[i]);
}

static char *recv_buffer(struct verbs *v, unsigned int index)
{
	return v->buf + pages(v->size.send_len) + index * v->size.recv_len;
}

/**
 * verbs_post_recv - post a receive buffer
 * @v: the connection
 * @index: which of them
 */
int verbs_post_recv(struct verbs *v, unsigned int index)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)recv_buffer(v, index),
		.length = v->size.recv_len,
		.lkey = v->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = {
		.wr_id = index,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return -ibv_post_recv(v->id->qp, &wr, &bad);
}

static int poll_one(struct ibv_cq *cq, struct ibv_wc *wc, unsigned int ms)
{
	uint64_t end = verbs_now() + ms;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, wc))) {
		if (verbs_now() >= end)
			return -ETIMEDOUT;
		verbs_sleep(1);
	}
	return n < 0 ? -EIO : 0;
}

/**
 * verbs_receive - the next message
 * @v: the connection
 * @ms: how long to wait for it
 * @len: set to its bytes; may be NULL
 *
 * Its buffer goes back with verbs_post_recv(v, v->wc.wr_id) when it is done
 * with.
 *
 * Return: the message, or NULL: @v->wc.status then says why, IBV_WC_SUCCESS
 * that nothing came.
 */
void *verbs_receive(struct verbs *v, unsigned int ms, size_t *len)
{
	memset(&v->wc, 0, sizeof(v->wc));
	if (poll_one(v->recv_cq, &v->wc, ms) || v->wc.status != IBV_WC_SUCCESS)
		return NULL;
	if (len)
		*len = v->wc.byte_len;
	return recv_buffer(v, v->wc.wr_id);
}

/**
 * verbs_post - post a send work request with one element from the send area
 * @v: the connection
 * @wr: its sg_list is set already
 */
int verbs_post(struct verbs *v, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return -ibv_post_send(v->id->qp, wr, &bad);
}

static int post(struct verbs *v, size_t len, struct ibv_send_wr wr)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)v->out,
		.length = len,
		.lkey = v->mr->lkey,
	};

	wr.sg_list = &sge;
	wr.num_sge = len ? 1 : 0;
	return verbs_post(v, &wr);
}

/**
 * verbs_send - SEND from the send area
 * @v: the connection
 * @len: bytes from its start
 */
int verbs_send(struct verbs *v, size_t len)
{
	return post(v, len, (struct ibv_send_wr){ .opcode = IBV_WR_SEND });
}

/**
 * verbs_send_inv - SEND with invalidate
 * @v: the connection
 * @len: bytes from the send area
 * @rkey: the peer's, to be invalidated
 */
int verbs_send_inv(struct verbs *v, size_t len, uint32_t rkey)
{
	return post(v, len, (struct ibv_send_wr){
		.opcode = IBV_WR_SEND_WITH_INV,
		.invalidate_rkey = rkey,
	});
}

/**
 * verbs_send_imm - SEND with immediate data; SIW has no such thing
 * @v: the connection
 * @len: bytes from the send area
 * @imm: in network order
 */
int verbs_send_imm(struct verbs *v, size_t len, uint32_t imm)
{
	return post(v, len, (struct ibv_send_wr){
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = imm,
	});
}

/**
 * verbs_write - RDMA WRITE from the send area
 * @v: the connection
 * @len: bytes
 * @addr: of the peer
 * @rkey: of the peer
 */
int verbs_write(struct verbs *v, size_t len, uint64_t addr, uint32_t rkey)
{
	return post(v, len, (struct ibv_send_wr){
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	});
}

/**
 * verbs_write_imm - RDMA WRITE with immediate data; SIW has no such thing
 * @v: the connection
 * @len: bytes from the send area
 * @addr: of the peer
 * @rkey: of the peer
 * @imm: in network order
 */
int verbs_write_imm(struct verbs *v, size_t len, uint64_t addr, uint32_t rkey,
		    uint32_t imm)
{
	return post(v, len, (struct ibv_send_wr){
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = imm,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	});
}

/**
 * verbs_read - RDMA READ into the send area
 * @v: the connection
 * @len: bytes
 * @addr: of the peer
 * @rkey: of the peer
 */
int verbs_read(struct verbs *v, size_t len, uint64_t addr, uint32_t rkey)
{
	return post(v, len, (struct ibv_send_wr){
		.opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	});
}

/**
 * verbs_sent - wait for the oldest send to complete
 * @v: the connection
 * @ms: so long
 *
 * Return: enum ibv_wc_status, or negative when none completed.
 */
int verbs_sent(struct verbs *v, unsigned int ms)
{
	int ret = poll_one(v->send_cq, &v->wc, ms);

	return ret ? ret : (int)v->wc.status;
}
