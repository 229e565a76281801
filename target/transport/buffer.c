// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection's memory: its receive buffers, and the helpers by which the
 * layers above allocate and map theirs.  All is made with the connection.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "transport.h"

/**
 * rblkt_buf_array - allocate an array that belongs to a connection
 * @conn: the connection; its memory is counted
 * @n: how many elements
 * @size: of each, bytes
 *
 * Context: process; may sleep.
 * Return: zeroed memory, to be freed by kvfree(), or NULL.
 */
void *rblkt_buf_array(struct rblkt_conn *conn, size_t n, size_t size)
{
	conn->memory += n * size;
	return kvcalloc(n, size, GFP_KERNEL);
}

/**
 * rblkt_buf_pages - allocate a buffer for messages or data of a connection
 * @conn: the connection; its memory is counted
 * @size: bytes, rounded up to an order of pages
 *
 * Context: process; may sleep.
 * Return: zeroed pages near the device, to be freed by rblkt_buf_free(), or
 * NULL.
 */
void *rblkt_buf_pages(struct rblkt_conn *conn, size_t size)
{
	unsigned int order = get_order(size);
	struct page *page = alloc_pages_node(ibdev_to_node(conn->dev),
					     GFP_KERNEL | __GFP_ZERO |
					     __GFP_COMP, order);

	if (!page)
		return NULL;
	conn->memory += PAGE_SIZE << order;
	return page_address(page);
}

/**
 * rblkt_buf_free - free a buffer
 * @buffer: from rblkt_buf_pages(), or NULL
 * @size: as it was allocated
 *
 * Context: any.
 */
void rblkt_buf_free(void *buffer, size_t size)
{
	if (buffer)
		free_pages((unsigned long)buffer, get_order(size));
}

/**
 * rblkt_buf_map - map a buffer for a connection's device
 * @conn: the connection
 * @data: the buffer
 * @len: bytes
 * @dir: DMA direction
 * @dma: set to the address for the device
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_buf_map(struct rblkt_conn *conn, void *data, u32 len,
		  enum dma_data_direction dir, u64 *dma)
{
	*dma = ib_dma_map_single(conn->dev, data, len, dir);
	return ib_dma_mapping_error(conn->dev, *dma) ? -ENOMEM : 0;
}

/* Returns the bytes before a message in its buffer, and the longest in @len. */
static u32 recv_layout(const struct rblkt_grant *grant, u16 qid, u32 *len)
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
 * rblkt_recv_bytes - the memory that a connection's receives take
 * @grant: the connection's grant
 * @qid: its number
 *
 * Context: any.
 * Return: bytes.
 */
size_t rblkt_recv_bytes(const struct rblkt_grant *grant, u16 qid)
{
	size_t depth = qid ? grant->depth : RBLKT_CTL_DEPTH;
	u32 len, head = recv_layout(grant, qid, &len);

	return (depth + RBLKT_RECV_SLACK) *
	       (sizeof(struct rblkt_recv) + (PAGE_SIZE << get_order(head + len)));
}

/**
 * rblkt_recv_alloc - allocate a connection's receives
 * @conn: with its grant; undone by rblkt_recv_free(), also after failure
 *
 * A message with inline data starts RBLK_WIRE_DATA_OFFSET before a boundary of
 * RBLKT_DATA_ALIGN, so that the block layer can use the data in place.
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_recv_alloc(struct rblkt_conn *conn)
{
	u32 head = recv_layout(&conn->grant, conn->qid, &conn->recv_len);
	unsigned int i;

	conn->recvs = rblkt_buf_array(conn, conn->nr_recvs, sizeof(*conn->recvs));
	if (!conn->recvs)
		return -ENOMEM;
	for (i = 0; i < conn->nr_recvs; i++) {
		struct rblkt_recv *recv = &conn->recvs[i];

		recv->cqe.done = rblkt_receive_done;
		recv->conn = conn;
		recv->block = rblkt_buf_pages(conn, head + conn->recv_len);
		if (!recv->block)
			return -ENOMEM;
		recv->msg = recv->block + head;
	}
	return 0;
}

/**
 * rblkt_recv_map - map a connection's receives for its device
 * @conn: undone by rblkt_recv_unmap(), also after failure
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_recv_map(struct rblkt_conn *conn)
{
	u32 *n;
	int ret;

	for (n = &conn->mapped_recvs; *n < conn->nr_recvs; ++*n) {
		ret = rblkt_buf_map(conn, conn->recvs[*n].msg, conn->recv_len,
				    DMA_FROM_DEVICE, &conn->recvs[*n].dma);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rblkt_recv_unmap - undo rblkt_recv_map()
 * @conn: with no queue pair any more
 *
 * Context: process; may sleep.
 */
void rblkt_recv_unmap(struct rblkt_conn *conn)
{
	while (conn->mapped_recvs)
		ib_dma_unmap_single(conn->dev,
				    conn->recvs[--conn->mapped_recvs].dma,
				    conn->recv_len, DMA_FROM_DEVICE);
}

/**
 * rblkt_recv_free - free a connection's receives
 * @conn: unmapped, with no command at work
 *
 * Context: process; may sleep.
 */
void rblkt_recv_free(struct rblkt_conn *conn)
{
	unsigned int i;

	for (i = 0; conn->recvs && i < conn->nr_recvs; i++) {
		struct rblkt_recv *recv = &conn->recvs[i];

		if (recv->block)
			rblkt_buf_free(recv->block, recv->msg - recv->block +
				       conn->recv_len);
	}
	kvfree(conn->recvs);
}
