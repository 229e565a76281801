// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection's own memory: receive buffers, control messages, and for each
 * tag a command, a response and a slot for small data.  It is allocated and
 * mapped with the connection.  With the slots small I/O does not need the pool.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "../core.h"

static void *alloc_buffer(struct rblkt_conn *conn, unsigned int order)
{
	struct page *page = alloc_pages_node(ibdev_to_node(conn->dev),
					     GFP_KERNEL | __GFP_ZERO |
					     __GFP_COMP, order);

	if (!page)
		return NULL;
	conn->memory += PAGE_SIZE << order;
	return page_address(page);
}

static void *alloc_array(struct rblkt_conn *conn, size_t n, size_t size)
{
	conn->memory += n * size;
	return kvcalloc(n, size, GFP_KERNEL);
}

/* Returns the bytes before a message in its buffer, and the longest in @len. */
static u32 recv_shape(const struct rblkt_grant *grant, u16 qid, u32 *len)
{
	u32 room = sizeof(struct rblk_wire_hdr) +
		   RBLK_WIRE_MAX_BATCH * sizeof(struct rblk_wire_cmd);

	*len = RBLK_WIRE_CTRL_MAX;
	if (!qid)
		return 0;
	*len = max_t(u32, room, RBLK_WIRE_DATA_OFFSET + grant->inline_write);
	return grant->inline_write ? RBLKT_DATA_ALIGN - RBLK_WIRE_DATA_OFFSET : 0;
}

/**
 * rblkt_buf_bytes - the most memory that a connection's buffers take
 * @grant: the connection's grant
 * @qid: its number
 *
 * Context: any.
 * Return: bytes.
 */
size_t rblkt_buf_bytes(const struct rblkt_grant *grant, u16 qid)
{
	size_t depth = qid ? grant->depth : RBLKT_CTL_DEPTH;
	size_t ctls = qid ? 1 : RBLKT_CTL_DEPTH + RBLKT_MAX_EVENTS;
	u32 len, head = recv_shape(grant, qid, &len);
	size_t bytes;

	bytes = sizeof(struct rblkt_conn) + (depth + RBLKT_RECV_SLACK) *
		(sizeof(struct rblkt_recv) + (PAGE_SIZE << get_order(head + len)));
	bytes += ctls * (sizeof(struct rblkt_ctl) +
			 (PAGE_SIZE << get_order(RBLK_WIRE_CTRL_MAX)));
	if (!qid)
		return bytes;
	return bytes + depth *
	       (sizeof(struct rblkt_cmd) + RBLKT_RSP_SIZE +
		(PAGE_SIZE << get_order(RBLKT_SLOT_SIZE)) +
		(grant->max_io >> RBLKT_MIN_CHUNK_SHIFT) * sizeof(struct bio_vec));
}

/*
 * A message with inline data starts RBLK_WIRE_DATA_OFFSET before a boundary of
 * RBLKT_DATA_ALIGN, so that the block layer can use the data in place.
 */
static int alloc_recvs(struct rblkt_conn *conn)
{
	u32 head = recv_shape(&conn->grant, conn->qid, &conn->recv_len);
	unsigned int order = get_order(head + conn->recv_len);
	unsigned int i;

	conn->recvs = alloc_array(conn, conn->nr_recvs, sizeof(*conn->recvs));
	if (!conn->recvs)
		return -ENOMEM;
	for (i = 0; i < conn->nr_recvs; i++) {
		struct rblkt_recv *recv = &conn->recvs[i];

		recv->cqe.done = rblkt_recv_done;
		recv->conn = conn;
		recv->block = alloc_buffer(conn, order);
		if (!recv->block)
			return -ENOMEM;
		recv->msg = recv->block + head;
	}
	return 0;
}

static int alloc_cmds(struct rblkt_conn *conn)
{
	unsigned int i;

	conn->cmds = alloc_array(conn, conn->depth, sizeof(*conn->cmds));
	if (!conn->cmds)
		return -ENOMEM;
	conn->nr_cmds = conn->depth;
	conn->bvecs = alloc_array(conn, (size_t)conn->nr_cmds * conn->nr_bvecs,
				  sizeof(*conn->bvecs));
	if (!conn->bvecs)
		return -ENOMEM;
	for (i = 0; i < conn->nr_cmds; i++) {
		struct rblkt_cmd *cmd = &conn->cmds[i];

		cmd->conn = conn;
		cmd->cqe.done = rblkt_move_pulled;
		cmd->bvec = conn->bvecs + (size_t)i * conn->nr_bvecs;
		conn->memory += RBLKT_RSP_SIZE;
		cmd->rsp = kzalloc(RBLKT_RSP_SIZE, GFP_KERNEL);
		if (!cmd->rsp)
			return -ENOMEM;
		cmd->slot = alloc_buffer(conn, get_order(RBLKT_SLOT_SIZE));
		if (!cmd->slot)
			return -ENOMEM;
	}
	return 0;
}

static int alloc_ctls(struct rblkt_conn *conn)
{
	/* One to answer BIND; on qid 0 one per request, and some for events. */
	u32 nr = conn->qid ? 1 : conn->depth + RBLKT_MAX_EVENTS;
	unsigned int i;

	conn->ctls = alloc_array(conn, nr, sizeof(*conn->ctls));
	if (!conn->ctls)
		return -ENOMEM;
	conn->nr_ctls = nr;
	for (i = 0; i < nr; i++) {
		struct rblkt_ctl *ctl = &conn->ctls[i];

		ctl->conn = conn;
		ctl->cqe.done = rblkt_login_sent;
		ctl->msg = alloc_buffer(conn, get_order(RBLK_WIRE_CTRL_MAX));
		if (!ctl->msg)
			return -ENOMEM;
		list_add_tail(&ctl->node, &conn->free_ctls);
		conn->nr_free_ctls++;
	}
	return 0;
}

/**
 * rblkt_buf_alloc - allocate a connection's buffers
 * @conn: with its grant, and the number of segments of its bios; undone by
 *        rblkt_buf_free(), also after failure
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_buf_alloc(struct rblkt_conn *conn)
{
	int ret;

	ret = alloc_recvs(conn);
	if (!ret)
		ret = alloc_ctls(conn);
	if (!ret && conn->qid)
		ret = alloc_cmds(conn);
	return ret;
}

static int map_buffer(struct rblkt_conn *conn, void *data, u32 len,
		      enum dma_data_direction dir, u64 *dma)
{
	*dma = ib_dma_map_single(conn->dev, data, len, dir);
	return ib_dma_mapping_error(conn->dev, *dma) ? -ENOMEM : 0;
}

static int map_cmd(struct rblkt_conn *conn, struct rblkt_cmd *cmd)
{
	int ret;

	ret = map_buffer(conn, cmd->rsp, RBLKT_RSP_SIZE, DMA_TO_DEVICE,
			 &cmd->rsp_dma);
	if (ret)
		return ret;
	ret = map_buffer(conn, cmd->slot, RBLKT_SLOT_SIZE, DMA_BIDIRECTIONAL,
			 &cmd->slot_dma);
	if (ret)
		ib_dma_unmap_single(conn->dev, cmd->rsp_dma, RBLKT_RSP_SIZE,
				    DMA_TO_DEVICE);
	return ret;
}

/**
 * rblkt_buf_map - map a connection's buffers for its device
 * @conn: undone by rblkt_buf_unmap(), also after failure
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_buf_map(struct rblkt_conn *conn)
{
	u32 *n;
	int ret;

	for (n = &conn->mapped_recvs; *n < conn->nr_recvs; ++*n) {
		ret = map_buffer(conn, conn->recvs[*n].msg, conn->recv_len,
				 DMA_FROM_DEVICE, &conn->recvs[*n].dma);
		if (ret)
			return ret;
	}
	for (n = &conn->mapped_ctls; *n < conn->nr_ctls; ++*n) {
		ret = map_buffer(conn, conn->ctls[*n].msg, RBLK_WIRE_CTRL_MAX,
				 DMA_TO_DEVICE, &conn->ctls[*n].dma);
		if (ret)
			return ret;
	}
	for (n = &conn->mapped_cmds; *n < conn->nr_cmds; ++*n) {
		ret = map_cmd(conn, &conn->cmds[*n]);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rblkt_buf_unmap - undo rblkt_buf_map()
 * @conn: with no queue pair any more
 *
 * Context: process; may sleep.
 */
void rblkt_buf_unmap(struct rblkt_conn *conn)
{
	while (conn->mapped_recvs)
		ib_dma_unmap_single(conn->dev,
				    conn->recvs[--conn->mapped_recvs].dma,
				    conn->recv_len, DMA_FROM_DEVICE);
	while (conn->mapped_ctls)
		ib_dma_unmap_single(conn->dev,
				    conn->ctls[--conn->mapped_ctls].dma,
				    RBLK_WIRE_CTRL_MAX, DMA_TO_DEVICE);
	while (conn->mapped_cmds) {
		struct rblkt_cmd *cmd = &conn->cmds[--conn->mapped_cmds];

		ib_dma_unmap_single(conn->dev, cmd->rsp_dma, RBLKT_RSP_SIZE,
				    DMA_TO_DEVICE);
		ib_dma_unmap_single(conn->dev, cmd->slot_dma, RBLKT_SLOT_SIZE,
				    DMA_BIDIRECTIONAL);
	}
}

static void free_buffer(void *buffer, size_t size)
{
	if (buffer)
		free_pages((unsigned long)buffer, get_order(size));
}

/**
 * rblkt_buf_free - free a connection's buffers
 * @conn: unmapped, with no command at work
 *
 * Context: process; may sleep.
 */
void rblkt_buf_free(struct rblkt_conn *conn)
{
	unsigned int i;

	for (i = 0; conn->recvs && i < conn->nr_recvs; i++) {
		struct rblkt_recv *recv = &conn->recvs[i];

		if (recv->block)
			free_buffer(recv->block, recv->msg - recv->block +
				    conn->recv_len);
	}
	for (i = 0; i < conn->nr_ctls; i++)
		free_buffer(conn->ctls[i].msg, RBLK_WIRE_CTRL_MAX);
	for (i = 0; i < conn->nr_cmds; i++) {
		kfree(conn->cmds[i].rsp);
		free_buffer(conn->cmds[i].slot, RBLKT_SLOT_SIZE);
	}
	kvfree(conn->bvecs);
	kvfree(conn->cmds);
	kvfree(conn->ctls);
	kvfree(conn->recvs);
}
