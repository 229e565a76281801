/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands and what they are made of, for the files of io/ (and for main.c's
 * tracepoints).
 */
#ifndef RBLKT_COMMAND_H
#define RBLKT_COMMAND_H

#include "io.h"

#define RBLKT_RSP_SIZE		RBLK_WIRE_DATA_OFFSET
#define RBLKT_MIN_CHUNK_SHIFT	ilog2(RBLKT_PIECE_MIN)	/* of the data pool */

/* A tag and all that its command needs.  Lives as long as the connection. */
struct rblkt_cmd {
	struct rblkt_conn *conn;
	struct list_head node;		/* in io->waiting, ->pulling, ->replies, att->deferred */
	struct rblk_wire_cmd wire;	/* as received */
	unsigned long busy;		/* bit 0: between command and response */
	struct rblkt_att *att;		/* set while it holds att->ios */
	struct rblkt_recv *recv;	/* an inline write's, until reposted */
	struct rblkt_chunk *chunks;
	void *rsp;
	void *slot;
	u64 rsp_dma;
	u64 slot_dma;
	u64 arrived;			/* ns */
	u64 submitted;			/* to the device; in a pull its start */
	u64 ended;			/* by the device */
	u16 status;
	bool flush_only;		/* zeroed already, the FUA is left */
	bool pulling;			/* in io->pulling */
	u32 seq;			/* of its pull's last RDMA READ */
	struct ib_cqe cqe;		/* of the same RDMA READ */
	struct bio bio;
	struct bio_vec *bvec;
};

/* A piece of the pool.  Lives as long as the connection; by conn->lock. */
struct rblkt_chunk {
	struct ib_cqe cqe;		/* of a chain's last RDMA WRITE */
	struct rblkt_conn *conn;
	struct rblkt_chunk *next;	/* in a command's chain */
	struct page *page;
	u64 dma;
	u32 seq;			/* of that RDMA WRITE */
};

/* A piece of the window.  Lives as long as the connection. */
struct rblkt_piece {
	struct page *page;
	u64 dma;
};

/* On iWARP: the region of neighbouring chunks that an RDMA READ writes to. */
struct rblkt_read_mr {
	struct ib_mr *mr;
	bool registered;		/* by its first use, never undone */
};

/* ---- command.c ---- */

void rblkt_cmd_drop(struct rblkt_cmd *cmd);
void rblkt_cmd_done(struct rblkt_cmd *cmd, u16 status);

/* ---- transfer.c ---- */

void rblkt_transfer_start(struct rblkt_cmd *cmd);
void rblkt_transfer_pulled(struct ib_cq *cq, struct ib_wc *wc);
void rblkt_transfer_watch(struct work_struct *work);
void rblkt_transfer_cancel_pulls(struct rblkt_conn *conn);

/* ---- bio.c ---- */

void rblkt_bio_submit(struct rblkt_cmd *cmd);

/* ---- reply.c ---- */

void rblkt_reply(struct rblkt_cmd *cmd);
bool rblkt_reply_post(struct rblkt_cmd *cmd);
void rblkt_reply_count(const struct rblkt_cmd *cmd);

/* ---- coalesce.c ---- */

void rblkt_coalesce_begin(struct rblkt_io *io);
void rblkt_coalesce_end(struct rblkt_io *io);
bool rblkt_coalesce_reply(struct rblkt_cmd *cmd);

/* ---- ways.c ---- */

/* The way that a command's data takes before the backing device. */
enum rblkt_way_in {
	RBLKT_IN_READY,		/* nothing to get: no data, or it is in place */
	RBLKT_IN_CHUNKS,	/* chunks; data that is here is copied to them */
	RBLKT_IN_PULL_SLOT,	/* an RDMA READ to the slot */
	RBLKT_IN_PULL_CHUNKS,	/* chunks, and RDMA READs to them */
};

/* After it. */
enum rblkt_way_out {
	RBLKT_OUT_STATUS,	/* a response without data */
	RBLKT_OUT_INLINE,	/* a response with the data behind it */
	RBLKT_OUT_SLOT,		/* an RDMA WRITE from the slot, a response */
	RBLKT_OUT_CHUNKS,	/* RDMA WRITEs from the chunks, a response */
};

enum rblkt_way_in rblkt_way_in(const struct rblkt_cmd *cmd);
enum rblkt_way_out rblkt_way_out(const struct rblkt_cmd *cmd);
bool rblkt_way_immediate(const struct rblkt_cmd *cmd, u32 writes);
bool rblkt_way_coalesces(const struct rblkt_cmd *cmd);
int rblkt_way_copies(const struct rblkt_conn *conn, u32 bytes);

/* ---- pool.c: chunks of memory for the data of larger I/O ---- */

size_t rblkt_pool_bytes(const struct rblkt_grant *grant);
int rblkt_pool_alloc(struct rblkt_conn *conn);
int rblkt_pool_map(struct rblkt_conn *conn);
void rblkt_pool_unmap(struct rblkt_conn *conn);
void rblkt_pool_free(struct rblkt_conn *conn);
bool rblkt_pool_take(struct rblkt_conn *conn, struct rblkt_cmd *cmd, u32 len);
void rblkt_pool_give(struct rblkt_conn *conn, struct rblkt_chunk *chain);

/* ---- read_mr.c ---- */

int rblkt_read_mr_map(struct rblkt_conn *conn);
void rblkt_read_mr_unmap(struct rblkt_conn *conn);
struct rblkt_chunk *rblkt_read_mr_fill(struct rblkt_conn *conn,
				       struct rblkt_chunk *chunk, u32 left,
				       struct ib_sge *sge);

/* ---- push.c ---- */

void rblkt_push_map(struct rblkt_conn *conn);
void rblkt_push_unmap(struct rblkt_conn *conn);
void rblkt_push_register(struct rblkt_conn *conn, struct ib_mr *mr);
void rblkt_push_arrived(struct rblkt_cmd *cmd);
void rblkt_push_clean(const struct rblkt_cmd *cmd);

/**
 * rblkt_push_has - did the host push this command's data into its slot?
 * @cmd: the command
 *
 * Context: any.
 * Return: true if it did.
 */
static inline bool rblkt_push_has(const struct rblkt_cmd *cmd)
{
	return cmd->wire.flags & cpu_to_le16(RBLK_CMDF_PUSHED);
}

/**
 * rblkt_push_unstable - does the device need data that the host can't change?
 * @cmd: a write with its attachment
 *
 * The host can change data in a slot at any time: see push.c.
 *
 * Context: any.
 * Return: true if the data must be in chunks.
 */
static inline bool rblkt_push_unstable(const struct rblkt_cmd *cmd)
{
	return cmd->conn->grant.slot_size && bdev_stable_writes(cmd->att->bdev);
}

/* ---- window.c ---- */

size_t rblkt_window_bytes(const struct rblkt_grant *grant);
void rblkt_window_make(struct rblkt_conn *conn);
void rblkt_window_unmap(struct rblkt_conn *conn);
void rblkt_window_free(struct rblkt_conn *conn);
void rblkt_window_arrived(struct rblkt_cmd *cmd);
void rblkt_window_add(struct rblkt_cmd *cmd, struct bio *bio);

/**
 * rblkt_window_has - did the host put this command's data into the window?
 * @cmd: the command
 *
 * Context: any.
 * Return: true if it did.
 */
static inline bool rblkt_window_has(const struct rblkt_cmd *cmd)
{
	return cmd->wire.flags & cpu_to_le16(RBLK_CMDF_WINDOW);
}

#endif /* RBLKT_COMMAND_H */
