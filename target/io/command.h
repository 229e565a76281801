/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands and what they are made of, for the files of io/ (and for main.c's
 * tracepoints).
 */
#ifndef RBLKT_COMMAND_H
#define RBLKT_COMMAND_H

#include "io.h"

#define RBLKT_RSP_SIZE		RBLK_WIRE_DATA_OFFSET
#define RBLKT_RSPS_SIZE		(2 * RBLKT_RSP_SIZE)	/* the second one: held.c */
#define RBLKT_MIN_CHUNK_SHIFT	ilog2(RBLKT_PIECE_MIN)	/* of the data pool */

/* A tag and all that its command needs.  Lives as long as the connection. */
struct rblkt_cmd {
	struct rblkt_conn *conn;
	struct list_head node;		/* in a line of the pool, io->waiting, ->pulling,
					 * ->replies, att->deferred
					 */
	struct rblk_wire_cmd wire;	/* as received */
	unsigned long busy;		/* bit 0: between command and response */
	struct rblkt_att *att;		/* set while it holds att->ios */
	struct rblkt_recv *recv;	/* an inline write's, until reposted */
	struct rblkt_chunk *chunks;
	struct rblkt_read_mr *read_mrs;	/* of its pull, on iWARP */
	void *rsp;
	void *slot;			/* NULL but for the first RBLKT_NR_SLOTS tags */
	u64 rsp_dma;
	u64 slot_dma;
	u64 message;			/* who has its last answer has so many messages */
	u64 arrived;			/* ns */
	u64 submitted;			/* to the device; in a pull its start */
	u64 ended;			/* by the device */
	u32 digest;			/* of a read's data */
	u16 status;
	bool flush_only;		/* zeroed already, the FUA is left */
	bool pulling;			/* in io->pulling */
	bool held;			/* answered by HELD; by conn->lock */
	bool in_line;			/* of the pool, by its lock */
	u32 seq;			/* of its pull's last RDMA READ */
	struct ib_cqe cqe;		/* of the same RDMA READ */
	struct bio bio;
	struct bio_vec *bvec;
	struct work_struct work;	/* makes a digest: bio.c */
};

struct rblkt_share;

/*
 * A piece of the pool.  Free, it is the pool's; else in the chain of a command, or
 * of what is posted.  The first of a chain tells of all.
 */
struct rblkt_chunk {
	struct rblkt_chunk *next;	/* in the chain, or the pool */
	struct page *page;
	u64 dma;
	/* in the first of a chain only */
	struct rblkt_io *io;		/* whose it is */
	struct rblkt_share *share;	/* its export's of the pool */
	struct list_head node;		/* in io->posted */
	bool posted;			/* it is there, by conn->lock */
	u64 since;			/* ns */
	struct ib_cqe cqe;		/* of its last RDMA WRITE */
	u32 seq;			/* of the same */
};

/* A piece of the window.  Lives as long as the connection. */
struct rblkt_piece {
	struct page *page;
	u64 dma;
};

/* On iWARP: a region that an RDMA READ writes to. */
struct rblkt_read_mr {
	struct ib_mr *mr;
	struct rblkt_read_mr *next;	/* of the free ones, or of a command's */
};

/* ---- command.c ---- */

void rblkt_cmd_drop(struct rblkt_cmd *cmd);
void rblkt_cmd_done(struct rblkt_cmd *cmd, u16 status);

/* ---- transfer.c ---- */

void rblkt_transfer_start(struct rblkt_cmd *cmd);
void rblkt_transfer_pulled(struct ib_cq *cq, struct ib_wc *wc);
void rblkt_transfer_cancel_pulls(struct rblkt_conn *conn);

/* ---- watch.c ---- */

void rblkt_watch_expect(struct rblkt_io *io);
void rblkt_watch_posted(struct rblkt_io *io, struct rblkt_chunk *chain);
void rblkt_watch_work(struct work_struct *work);

/* ---- bio.c ---- */

void rblkt_bio_submit(struct rblkt_cmd *cmd);
void rblkt_bio_read_work(struct work_struct *work);

/* ---- digest.c ---- */

bool rblkt_digest_asked(const struct rblkt_cmd *cmd);
bool rblkt_digest_check(struct rblkt_cmd *cmd);
void rblkt_digest_make(struct rblkt_cmd *cmd);

/* ---- reply.c ---- */

void rblkt_reply(struct rblkt_cmd *cmd);
bool rblkt_reply_post(struct rblkt_cmd *cmd);
void rblkt_reply_count(const struct rblkt_cmd *cmd);

/* ---- held.c ---- */

void rblkt_held_end(struct rblkt_cmd *cmd);

/* ---- coalesce.c ---- */

size_t rblkt_coalesce_bytes(void);
int rblkt_coalesce_make(struct rblkt_io *io);
void rblkt_coalesce_unmap(struct rblkt_io *io);
void rblkt_coalesce_free(struct rblkt_io *io);
void rblkt_coalesce_received(struct rblkt_io *io, const struct rblkt_cmd *cmd);
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

int rblkt_pool_join(struct rblkt_io *io);
void rblkt_pool_unmap(struct rblkt_io *io);
void rblkt_pool_leave(struct rblkt_io *io);

/* ---- share.c: who may have how much of it ---- */

int rblkt_share_take(struct rblkt_cmd *cmd);
void rblkt_share_give(struct rblkt_chunk *chain);
void rblkt_share_forget(struct rblkt_io *io, bool all, struct list_head *gone);
bool rblkt_share_wanted(const struct rblkt_io *io);

/* ---- read_mr.c ---- */

int rblkt_read_mr_map(struct rblkt_conn *conn);
void rblkt_read_mr_unmap(struct rblkt_conn *conn);
u32 rblkt_read_mr_wrs(const struct rblkt_io *io, u32 bytes);
struct rblkt_chunk *rblkt_read_mr_fill(struct rblkt_cmd *cmd,
				       struct rblkt_chunk *chunk, u32 left,
				       struct ib_sge *sge);
void rblkt_read_mr_give(struct rblkt_cmd *cmd);

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
