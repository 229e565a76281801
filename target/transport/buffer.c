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

/*
 * How a connection's receives are laid out: in one element, or in two, a short one
 * for the header and the first command, and one for what follows.  Inline data
 * begins a page either way, so that the block layer can use it in place.  In one
 * element that takes two pages.  A device that takes only one is erdma.
 */
static void recv_layout(struct rblkt_recv_part parts[RBLKT_RECV_PARTS],
			const struct rblkt_grant *grant, u16 qid, bool two)
{
	u32 head = RBLK_WIRE_DATA_OFFSET;
	u32 rest = max_t(u32, grant->inline_write, RBLKT_WHOLE_BYTES - head);

	memset(parts, 0, RBLKT_RECV_PARTS * sizeof(*parts));
	if (!qid) {
		parts[0].len = RBLK_WIRE_CTRL_MAX;
		parts[0].block = RBLK_WIRE_CTRL_MAX;
		return;
	}
	if (two) {
		parts[0].len = head;
		parts[0].block = head;
		parts[1].len = rest;
		parts[1].block = grant->inline_write ?
				 round_up(rest, RBLKT_DATA_ALIGN) : round_up(rest, head);
		return;
	}
	parts[0].offset = grant->inline_write ? RBLKT_DATA_ALIGN - head : 0;
	parts[0].len = head + rest;
	parts[0].block = round_up(parts[0].offset + parts[0].len,
				  grant->inline_write ? RBLKT_DATA_ALIGN : head);
}

/* So many blocks share an allocation. */
static u32 part_share(const struct rblkt_recv_part *part)
{
	return part->block ? max_t(u32, PAGE_SIZE / part->block, 1) : 1;
}

/**
 * rblkt_recv_bytes - the memory that a connection's receives take
 * @grant: the connection's grant
 * @qid: its number
 * @two: its device takes receives of two elements
 *
 * Context: any.
 * Return: bytes.
 */
size_t rblkt_recv_bytes(const struct rblkt_grant *grant, u16 qid, bool two)
{
	size_t depth = (qid ? grant->depth : RBLKT_CTL_DEPTH) + RBLKT_RECV_SLACK;
	size_t bytes = depth * sizeof(struct rblkt_recv);
	struct rblkt_recv_part parts[RBLKT_RECV_PARTS];
	int i;

	recv_layout(parts, grant, qid, two);
	for (i = 0; i < RBLKT_RECV_PARTS && parts[i].len; i++)
		bytes += DIV_ROUND_UP(depth, part_share(&parts[i])) *
			 (PAGE_SIZE << get_order(parts[i].block));
	/* To check the MAC of a message in two parts. */
	return bytes + (parts[1].len ? RBLKT_WHOLE_BYTES : 0);
}

/* The block of receive @n, of those that share an allocation with the one before. */
static void *part_block(struct rblkt_conn *conn, u32 i, u32 n)
{
	const struct rblkt_recv_part *part = &conn->recv_parts[i];

	if (n % part_share(part) == 0)
		return rblkt_buf_pages(conn, part->block);
	return conn->recvs[n - 1].at[i] - part->offset + part->block;
}

/**
 * rblkt_recv_alloc - allocate a connection's receives
 * @conn: with its grant; undone by rblkt_recv_free(), also after failure
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_recv_alloc(struct rblkt_conn *conn)
{
	unsigned int i, n;

	recv_layout(conn->recv_parts, &conn->grant, conn->qid, conn->two_part_recvs);
	conn->recvs = rblkt_buf_array(conn, conn->nr_recvs, sizeof(*conn->recvs));
	if (!conn->recvs)
		return -ENOMEM;
	for (n = 0; n < conn->nr_recvs; n++) {
		struct rblkt_recv *recv = &conn->recvs[n];

		recv->cqe.done = rblkt_receive_done;
		recv->conn = conn;
		for (i = 0; i < RBLKT_RECV_PARTS && conn->recv_parts[i].len; i++) {
			void *block = part_block(conn, i, n);

			if (!block)
				return -ENOMEM;
			recv->at[i] = block + conn->recv_parts[i].offset;
		}
		recv->msg = recv->at[0];
		recv->data = recv->at[1] ?: recv->msg + RBLK_WIRE_DATA_OFFSET;
	}
	return 0;
}

static u32 recv_nr_parts(const struct rblkt_conn *conn)
{
	return conn->recv_parts[1].len ? 2 : 1;
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
	u32 nr = recv_nr_parts(conn), *n;
	int ret;

	for (n = &conn->mapped_recvs; *n < conn->nr_recvs * nr; ++*n) {
		struct rblkt_recv *recv = &conn->recvs[*n / nr];
		u32 i = *n % nr;

		ret = rblkt_buf_map(conn, recv->at[i], conn->recv_parts[i].len,
				    DMA_FROM_DEVICE, &recv->dma[i]);
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
	u32 nr = recv_nr_parts(conn), n;

	while (conn->mapped_recvs) {
		n = --conn->mapped_recvs;
		ib_dma_unmap_single(conn->dev, conn->recvs[n / nr].dma[n % nr],
				    conn->recv_parts[n % nr].len, DMA_FROM_DEVICE);
	}
}

/**
 * rblkt_recv_free - free a connection's receives
 * @conn: unmapped, with no command at work
 *
 * Context: process; may sleep.
 */
void rblkt_recv_free(struct rblkt_conn *conn)
{
	unsigned int i, n;

	for (n = 0; conn->recvs && n < conn->nr_recvs; n++)
		for (i = 0; i < RBLKT_RECV_PARTS; i++) {
			const struct rblkt_recv_part *part = &conn->recv_parts[i];

			if (conn->recvs[n].at[i] && n % part_share(part) == 0)
				rblkt_buf_free(conn->recvs[n].at[i] - part->offset,
					       part->block);
		}
	kvfree(conn->recvs);
}
