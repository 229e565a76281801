/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door of io/: commands of I/O connections, from their message to their
 * answer.
 *
 * It knows connections (below), attachments (below), and nothing of sessions.
 * command.h, which only io/ and main.c's tracepoints read, has the parts of a command.
 */
#ifndef RBLKT_IO_H
#define RBLKT_IO_H

#include <linux/bio.h>
#include "../export/export.h"
#include "../transport/transport.h"

#define RBLKT_SLOT_SIZE		SZ_4K	/* the data buffer of a tag */
#define RBLKT_NR_SLOTS		32	/* so many tags have one, the first */
#define RBLKT_NR_MESSAGES	16	/* see coalesce.c */

struct rblkt_chunk;
struct rblkt_cmd;
struct rblkt_piece;
struct rblkt_pool;
struct rblkt_read_mr;

/* Runs what may block: defined in main.c. */
extern struct workqueue_struct *rblkt_deferred_wq;

/*
 * The message in which a connection gathers responses: coalesce.c.  conn->lock
 * guards it, except that the receive context sets @open without it.
 */
struct rblkt_batch {
	bool open;			/* gather responses now */
	u64 posted;			/* messages so far */
	u32 nr;				/* responses in the message */
	u16 tags[RBLK_WIRE_MAX_BATCH];	/* of the commands answered */
};

/* The work requests of an answer, or the last of them: reply.c. */
struct rblkt_answer {
	struct ib_rdma_wr rdma;
	struct ib_send_wr send;
	struct ib_sge sge[RBLKT_MAX_SGE];	/* of @rdma */
	struct ib_sge send_sge[2];
};

/* Memory that the host writes larger data into by itself: window.c. */
struct rblkt_window {
	struct rblkt_piece *pieces;	/* NULL without one */
	u32 nr;				/* pieces, each as large as a chunk */
	u32 mapped;			/* DMA-mapped so far */
	struct ib_mr *mr;
};

/* A connection that carries commands.  The control connection has none. */
struct rblkt_io {
	struct rblkt_conn conn;

	/* set before the connection is accepted, constant until it closes */
	struct rblkt_holder *holder;	/* of the volumes that commands name */
	struct rblkt_cmd *cmds;
	struct bio_vec *bvecs;
	void *messages;			/* see coalesce.c */
	u64 messages_dma;
	bool messages_mapped;
	struct rblkt_pool *pool;	/* of the device */
	u32 nr_cmds;
	u32 nr_bvecs;			/* per command */
	u32 chunk_shift;		/* of the pool */
	u32 mapped_cmds;		/* DMA-mapped so far */
	u32 nr_read_mrs;
	u32 read_mr_chunks;		/* covered by each */
	struct rblkt_read_mr *read_mrs;	/* NULL except on iWARP */
	bool pooled;			/* counted in the pool's users */
	struct ib_mr *slots_mr;		/* or NULL, see push.c */
	struct rblkt_window window;

	u64 received;			/* messages that the host has; the receive
					 * context writes it
					 */

	/* by conn.lock */
	struct rblkt_batch batch ____cacheline_aligned;
	struct rblkt_answer answers[RBLKT_MAX_HELD];	/* the first held.nr are held */
	u32 pulls;			/* length of @pulling */
	bool watched;			/* @watch is queued */
	u32 nr_free_read_mrs;
	struct rblkt_read_mr *free_read_mr;
	struct scatterlist *read_sg;	/* for one registration */
	struct list_head waiting;	/* commands to be started */
	struct list_head pulling;	/* commands in a pull, oldest first */
	struct list_head posted;	/* chains that are, oldest first */
	struct list_head replies;	/* commands without slots to reply */

	/* by the pool's lock */
	u32 lent;			/* chunks */
	struct list_head borrower;	/* in pool->borrowers while it has chunks */

	struct delayed_work watch;	/* see watch.c */
};

/* The I/O part that a connection is in.  Any context. */
static inline struct rblkt_io *rblkt_io_of(const struct rblkt_conn *conn)
{
	return container_of(conn, struct rblkt_io, conn);
}

/* slot.c: what an I/O connection owns */
size_t rblkt_io_bytes(const struct rblkt_grant *grant);
void rblkt_io_init(struct rblkt_io *io, struct rblkt_holder *holder);
int rblkt_io_make(struct rblkt_io *io);
void rblkt_io_unmap(struct rblkt_conn *conn);
void rblkt_io_free(struct rblkt_io *io);

/* command.c, transfer.c: operations of a connection that is bound */
void rblkt_cmd_receive(struct rblkt_conn *conn, struct rblkt_recv *recv,
		       u32 len);
void rblkt_transfer_resume(struct rblkt_conn *conn);
void rblkt_transfer_cancel(struct rblkt_conn *conn);
void rblkt_transfer_purge(struct rblkt_conn *conn);

/* held.c */
bool rblkt_held_answer(struct rblkt_conn *conn, const struct rblkt_att *att);

/* pool.c */
void rblkt_pool_show(struct seq_file *m);

/* bio.c */
void rblkt_bio_deferred_work(struct work_struct *work);

/* push.c */
void rblkt_push_limits(const struct ib_device *dev,
		       struct rblkt_limits *limits);
void rblkt_push_grant(struct rblkt_conn *conn,
		      struct rblk_wire_bind_reply *reply);

/* window.c */
void rblkt_window_limits(const struct ib_device *dev,
			 struct rblkt_limits *limits);
void rblkt_window_grant(struct rblkt_conn *conn,
			struct rblk_wire_bind_reply *reply);

#endif /* RBLKT_IO_H */
