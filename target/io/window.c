// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window: memory of an I/O connection into which the host writes the data of
 * larger writes by RDMA, before it sends their commands.  So it need not be
 * pulled, and a write takes one round trip instead of two.
 *
 * The host decides what is where, and each command says it.  The target only
 * checks that it is in the window.  An answer tells the host that the part which
 * the command named is free.  A bio is built on the pages of the window, unless
 * the backing device needs data that does not change: then the data is copied to
 * chunks of the pool, and may wait for them.  What a host can do with the window
 * is said in push.c.
 *
 * Its size is bounded, it is memory of its own beside the pool, and it counts
 * towards the limits for hosts.  If there is none to be had, or the device can't
 * register it, the connection works without.
 */
#include <linux/bio.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "../../compat/mr.h"
#include "command.h"

static unsigned int window_kb = 512;
module_param(window_kb, uint, 0644);
MODULE_PARM_DESC(window_kb, "Memory of each I/O connection that hosts write larger data into by themselves, KiB; 0 for none");

static u32 piece_bytes(const struct rblkt_conn *conn)
{
	return 1u << rblkt_io_of(conn)->chunk_shift;
}

/**
 * rblkt_window_limits - how large a window may a host have?
 * @dev: the RDMA device of the connection
 * @limits: window is set, and the feature is added
 *
 * Context: any.
 */
void rblkt_window_limits(const struct ib_device *dev, struct rblkt_limits *limits)
{
	u32 kb = min_t(u32, READ_ONCE(window_kb), RBLK_WIRE_MAX_WINDOW >> 10);
	u64 most = (u64)compat_mr_page(dev->attrs.page_size_cap, PAGE_SIZE) *
		   dev->attrs.max_fast_reg_page_list_len;

	limits->window = rounddown(min_t(u64, kb << 10, most),
				   RBLK_WIRE_WINDOW_UNIT);
	if (limits->window)
		limits->features |= RBLK_FEAT_WRITE_WINDOW;
}

/**
 * rblkt_window_bytes - the most memory that a connection's window takes
 * @grant: the connection's grant
 *
 * Context: any.
 * Return: bytes.
 */
size_t rblkt_window_bytes(const struct rblkt_grant *grant)
{
	u32 bytes = round_up(grant->window, max_t(u32, SZ_64K, PAGE_SIZE));

	return bytes + (bytes >> RBLKT_MIN_CHUNK_SHIFT) *
		       sizeof(struct rblkt_piece);
}

static int window_alloc(struct rblkt_conn *conn)
{
	struct rblkt_window *window = &rblkt_io_of(conn)->window;
	u32 nr = DIV_ROUND_UP(conn->grant.window, piece_bytes(conn));
	u32 i;

	window->pieces = kvcalloc(nr, sizeof(*window->pieces), GFP_KERNEL);
	if (!window->pieces)
		return -ENOMEM;
	window->nr = nr;
	for (i = 0; i < nr; i++) {
		window->pieces[i].page =
			alloc_pages_node(ibdev_to_node(conn->dev),
					 GFP_KERNEL | __GFP_COMP | __GFP_ZERO |
					 __GFP_NOWARN | __GFP_NORETRY,
					 get_order(piece_bytes(conn)));
		if (!window->pieces[i].page)
			return -ENOMEM;
	}
	return 0;
}

/* Only the HCA writes to it, and the CPU only reads. */
static int window_map(struct rblkt_conn *conn)
{
	struct rblkt_window *window = &rblkt_io_of(conn)->window;

	while (window->mapped < window->nr) {
		struct rblkt_piece *piece = &window->pieces[window->mapped];

		piece->dma = ib_dma_map_page(conn->dev, piece->page, 0,
					     piece_bytes(conn), DMA_FROM_DEVICE);
		if (ib_dma_mapping_error(conn->dev, piece->dma))
			return -ENOMEM;
		window->mapped++;
	}
	return 0;
}

static int window_map_mr(struct rblkt_conn *conn)
{
	struct rblkt_window *window = &rblkt_io_of(conn)->window;
	u32 i, left = conn->grant.window;
	struct scatterlist *sg;
	int ret;

	window->mr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG,
				 DIV_ROUND_UP(left, conn->mr_page));
	if (IS_ERR(window->mr)) {
		ret = PTR_ERR(window->mr);
		window->mr = NULL;
		return ret;
	}
	sg = kvcalloc(window->nr, sizeof(*sg), GFP_KERNEL);
	if (!sg)
		return -ENOMEM;
	sg_init_table(sg, window->nr);
	for (i = 0; i < window->nr; i++) {
		u32 len = min(left, piece_bytes(conn));

		sg_set_page(&sg[i], window->pieces[i].page, len, 0);
		sg_dma_address(&sg[i]) = window->pieces[i].dma;
		sg_dma_len(&sg[i]) = len;
		left -= len;
	}
	ret = ib_map_mr_sg(window->mr, sg, window->nr, NULL, conn->mr_page);
	kvfree(sg);
	if (ret != window->nr || window->mr->length != conn->grant.window)
		return -EINVAL;
	/* Behind the slots: see push.c. */
	window->mr->iova = (u64)conn->qid << 32 | BIT(31);
	return 0;
}

/**
 * rblkt_window_make - make a connection's window, if it may have one
 * @conn: with its pool; undone by rblkt_window_unmap() and rblkt_window_free()
 *
 * Without memory or a region for it the connection loses the feature but works.
 * It remains charged for the window until it ends: that happens seldom, and
 * charging it less would need rblkt_mutex once more for each connection.
 *
 * Context: process; may sleep.
 */
void rblkt_window_make(struct rblkt_conn *conn)
{
	int ret;

	if (!conn->grant.window)
		return;
	ret = window_alloc(conn);
	if (!ret)
		ret = window_map(conn);
	if (!ret)
		ret = window_map_mr(conn);
	if (!ret) {
		conn->memory += rblkt_io_of(conn)->window.nr *
				(piece_bytes(conn) + sizeof(struct rblkt_piece));
		return;
	}
	rblkt_window_unmap(conn);
	rblkt_window_free(conn);
	rblkt_proto_drop_window(&conn->grant);
}

/**
 * rblkt_window_unmap - take the window from the device
 * @conn: with no queue pair any more, or never made
 *
 * Context: process; may sleep.
 */
void rblkt_window_unmap(struct rblkt_conn *conn)
{
	struct rblkt_window *window = &rblkt_io_of(conn)->window;

	if (window->mr)
		ib_dereg_mr(window->mr);
	window->mr = NULL;
	while (window->mapped)
		ib_dma_unmap_page(conn->dev,
				  window->pieces[--window->mapped].dma,
				  piece_bytes(conn), DMA_FROM_DEVICE);
}

/**
 * rblkt_window_free - free the window
 * @conn: unmapped, with no command at work
 *
 * Context: process; may sleep.
 */
void rblkt_window_free(struct rblkt_conn *conn)
{
	struct rblkt_window *window = &rblkt_io_of(conn)->window;
	u32 i;

	for (i = 0; i < window->nr; i++)
		if (window->pieces[i].page)
			__free_pages(window->pieces[i].page,
				     get_order(piece_bytes(conn)));
	kvfree(window->pieces);
	window->pieces = NULL;
	window->nr = 0;
}

/**
 * rblkt_window_grant - give the host access to the window, and tell it
 * @conn: has just been bound
 * @reply: its header is filled in; the window's fields are zero
 *
 * As with slots, the registration precedes the reply in the send queue.
 *
 * Context: process; does not sleep.
 */
void rblkt_window_grant(struct rblkt_conn *conn,
			struct rblk_wire_bind_reply *reply)
{
	struct ib_mr *mr = rblkt_io_of(conn)->window.mr;

	if (!mr)
		return;
	reply->window_addr = cpu_to_le64(mr->iova);
	reply->window_rkey = cpu_to_le32(mr->rkey);
	reply->window_bytes = cpu_to_le32(conn->grant.window);
	rblkt_push_register(conn, mr);
}

/* The part of a command's data, from @at on, that lies in one piece. */
struct window_part {
	struct rblkt_piece *piece;
	u32 in;			/* where it begins there */
	u32 len;
};

static struct window_part window_part(const struct rblkt_cmd *cmd, u32 at)
{
	struct rblkt_io *io = rblkt_io_of(cmd->conn);
	u32 offset = le64_to_cpu(cmd->wire.addr) + at;
	u32 in = offset & (piece_bytes(cmd->conn) - 1);

	return (struct window_part){
		.piece = &io->window.pieces[offset >> io->chunk_shift],
		.in = in,
		.len = min(le32_to_cpu(cmd->wire.length) - at,
			   piece_bytes(cmd->conn) - in),
	};
}

/* Chunks and pieces have the same size, but the data may begin anywhere. */
static void window_copy(const struct rblkt_cmd *cmd)
{
	u32 len = le32_to_cpu(cmd->wire.length), room = piece_bytes(cmd->conn);
	struct rblkt_chunk *chunk = cmd->chunks;
	u32 at = 0, used = 0;

	while (at < len) {
		struct window_part part = window_part(cmd, at);
		u32 nr = min(part.len, room - used);

		memcpy(page_address(chunk->page) + used,
		       page_address(part.piece->page) + part.in, nr);
		at += nr;
		used += nr;
		if (used < room)
			continue;
		chunk = chunk->next;
		used = 0;
	}
}

/**
 * rblkt_window_arrived - prepare data in the window for the backing device
 * @cmd: any command; without data in the window nothing happens
 *
 * If the command has chunks, its data is copied there.
 *
 * Context: any.
 */
void rblkt_window_arrived(struct rblkt_cmd *cmd)
{
	u32 at, len = le32_to_cpu(cmd->wire.length);
	struct window_part part;

	if (!rblkt_window_has(cmd))
		return;
	for (at = 0; at < len; at += part.len) {
		part = window_part(cmd, at);
		ib_dma_sync_single_for_cpu(cmd->conn->dev,
					   part.piece->dma + part.in, part.len,
					   DMA_FROM_DEVICE);
	}
	if (cmd->chunks)
		window_copy(cmd);
}

/**
 * rblkt_window_add - build a bio on the data in the window
 * @cmd: has its data there, and no chunks
 * @bio: with room for one element more than the largest I/O has chunks
 *
 * Context: any.
 */
void rblkt_window_add(struct rblkt_cmd *cmd, struct bio *bio)
{
	u32 at, len = le32_to_cpu(cmd->wire.length);
	struct window_part part;

	for (at = 0; at < len; at += part.len) {
		part = window_part(cmd, at);
		/* A bio's element begins in the first page that it names. */
		__bio_add_page(bio, part.piece->page + (part.in >> PAGE_SHIFT),
			       part.len, offset_in_page(part.in));
	}
}
