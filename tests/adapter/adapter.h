/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model adapter: an RDMA device in software that is as strict as hardware.
 *
 * It moves data between queue pairs of one kernel, for kernel users of verbs
 * only.  Whatever they do that an adapter would not survive is a broken rule:
 * it is reported as KASAN reports, and ends the queue pair.
 *
 *   main.c     the module, its parameters, what it shows in debugfs
 *   profile.c  which adapters it can be
 *   report.c   broken rules
 *   device.c   the ib_device: attributes, port, GIDs, removal
 *   vector.c   completion vectors, which are interrupts
 *   cq.c       completion queues
 *   mr.c       protection domains, memory registrations, access through keys
 *   dma.c      access to memory by DMA addresses
 *   dma-map.c  the mappings: which addresses there are
 *   dma-ops.c  how the kernel asks for them
 *   peer.c     memory of PCI devices, from the place of one
 *   qp.c       queue pairs: their life and states
 *   post.c     work requests: what may be posted
 *   engine.c   what becomes of a send queue
 *   respond.c  what the other side does with it
 *   gsi.c      queue pair 1, by which connections are made
 *   iw.c       connections of iWARP profiles, which have no such queue pair
 *   iw-ops.c   how the core asks for them
 *   clock.c    the account of the model's own work
 *   thread.c   engines with a clock
 *   timed.c    verbs with a clock
 *   stamp.c    modelled delays
 *
 * Locks, outermost first: rad_iw_mutex; mr_sem; cq->lock; qp->lock; vec->lock,
 * dma->lock and the lock of the list of devices.  Under rad_iw_mutex the mutex of
 * that list may be taken.  A device's mr_sem is held for reading while
 * the model touches memory through one of the device's keys or queue pairs, and
 * for writing while a key or a queue pair dies.  So nothing is touched once an
 * invalidation has completed, or a queue pair has left its connected states.
 */
#ifndef RAD_ADAPTER_H
#define RAD_ADAPTER_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/rwsem.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include "clock.h"
#include "compat.h"
#include "rule.h"

#define RAD_NR_GIDS	64
#define RAD_MAX_MESSAGE	SZ_1G
/* The key of all memory that is mapped for DMA. Index 0 is no registration's. */
#define RAD_LOCAL_KEY	0x5a

/* When a queue pair that failed flushes what is left on it. */
enum rad_flush {
	RAD_FLUSH_AT_ONCE,
	RAD_FLUSH_AFTER_POLL,	/* once the failed completion has been polled */
};

/**
 * struct rad_profile - an adapter family, as its driver in Linux 7.2 tells it
 * @name: the family
 * @max_send_sge: of a SEND or RDMA WRITE
 * @max_recv_sge: of a receive
 * @max_sge_rd: of an RDMA READ
 * @max_inline: bytes
 * @max_qp_wr: entries of a send or receive queue
 * @sq_bytes: of a send queue; 0: as many as its entries take
 * @sq_overhead: bytes of an entry without its elements of 16 bytes
 * @max_cqe: entries of a completion queue
 * @fr_pages: pages of a fast registration; 0: it has none
 * @rd_res: RDMA READs from a peer at a time
 * @rd_init: RDMA READs to a peer at a time
 * @page_sizes: of registrations, as page_size_cap has them
 * @local_dma_lkey: one key for all memory; without it each PD gets a DMA MR
 * @local_inv: takes LOCAL_INV
 * @map_sleeps: mapping a registration may sleep
 * @flush: see there
 * @iwarp: of iWARP, connected by the core's iw_cm; all others are of RoCE
 * @own_depths: iWARP; takes as many RDMA READs from a peer as it can, whatever it
 * is asked, and tells how many it has and takes itself where others tell what the
 * peer asks for
 * @private_data: iWARP; bytes with a call or an answer
 */
struct rad_profile {
	const char *name;
	enum rdma_driver_id driver;	/* which the model is taken for */
	int max_send_sge;
	int max_recv_sge;
	int max_sge_rd;
	u32 max_inline;
	int max_qp_wr;
	u32 sq_bytes;
	u32 sq_overhead;
	int max_cqe;
	u32 fr_pages;
	u8 rd_res;
	u8 rd_init;
	u64 page_sizes;
	bool local_dma_lkey;
	bool local_inv;
	bool map_sleeps;
	enum rad_flush flush;
	bool iwarp;
	bool own_depths;
	u16 private_data;
};

/* What a device counts, by the names that debugfs shows. */
#define RAD_COUNTERS(x) \
	x(doorbells) x(sends) x(receive_doorbells) x(receives) \
	x(completions) x(interrupts) x(control_verbs) x(dma_maps) \
	x(dma_bytes) x(moved_bytes) x(peer_bytes) x(rnr) x(retries) x(spoilt) \
	x(path_ns)

#define RAD_COUNTER(name) RAD_CNT_##name,
enum rad_counter { RAD_COUNTERS(RAD_COUNTER) RAD_NR_COUNTERS };

struct pci_dev;
struct rad_dev;
struct rad_dma;

/* A completion vector: an interrupt with a processor of its own. */
struct rad_vector {
	struct rad_dev *dev;
	call_single_data_t csd;
	bool pending;			/* raised: who sets it may use @csd */
	struct kthread_work late;	/* raises it, if it is moderated */
	int cpu;
	atomic_t nr_cqs;		/* made on it, ever */
	atomic_t interrupts;
	spinlock_t lock;		/* protects the rest */
	struct list_head cqs;		/* those with an event to deliver */
	struct rad_cq *running;
};

struct rad_dev {
	struct ib_device ib;
	const struct rad_profile *profile;
	struct rad_profile own;		/* it, without what "lacks" names */
	struct rad_dma *dma;		/* NULL: addresses are the kernel's own, */
	struct pci_dev *pci;		/* physical ones if it has this place */
	struct list_head entry;		/* in the list of all devices */
	struct net_device *ndev;	/* NULL once it goes; under devs_mutex */
	struct workqueue_struct *wq;
	struct rad_thread *thread;	/* instead of @wq, with a clock */
	struct rad_vector *vectors;
	struct rw_semaphore mr_sem;	/* see above */
	struct xarray mrs;
	struct dentry *debugfs;
	struct rad_qp *gsi;
	union ib_gid gids[RAD_NR_GIDS];	/* under the lock of the list, but iWARP's */
	bool up;			/* the network device runs */
	bool cut;			/* nothing leaves or arrives (debugfs) */
	bool fatal;			/* the device has failed for good */
	u32 spoil;			/* one of so many messages is (debugfs) */
	u64 page_sizes;
	u32 delay_us;			/* most that an acknowledgment may take */
	bool shuffle;			/* data is placed in any order */
	atomic64_t counters[RAD_NR_COUNTERS];
};

struct rad_pd {
	struct ib_pd ib;
};

struct rad_ah {
	struct ib_ah ib;
	union ib_gid sgid;
	union ib_gid dgid;
	u8 network;			/* enum rdma_network_type */
};

enum rad_mr_kind { RAD_MR_DMA, RAD_MR_FAST };

/**
 * struct rad_mr - a memory registration
 * @ib: the core's
 * @kind: all memory, or a fast registration
 * @index: the upper 24 bits of its keys
 * @valid: what follows holds, up to @pages
 * @key: which registers it
 * @access: IB_ACCESS_*
 * @iova: its first byte, as its users address it
 * @length: bytes
 * @page_size: of each of @pages
 * @nr_pages: how many of @pages
 * @pages: DMA addresses
 * @listed: pages by map_mr_sg(), read when the REG_MR is carried out
 * @nr_listed: how many
 * @max: how many there may be
 */
struct rad_mr {
	struct ib_mr ib;
	enum rad_mr_kind kind;
	u32 index;
	bool valid;
	u32 key;
	int access;
	u64 iova;
	u64 length;
	u32 page_size;
	u32 nr_pages;
	u64 *pages;
	u64 *listed;
	u32 nr_listed;
	u32 max;
};

/* A completion, and the queue entry that is free once it has been polled. */
struct rad_cqe {
	struct ib_wc wc;
	struct rad_qp *qp;
	u32 pos;
	bool recv;
	u64 stamp;
};

struct rad_cq {
	struct ib_cq ib;
	struct rad_vector *vec;
	struct list_head vec_entry;	/* under vec->lock */
	spinlock_t lock;		/* protects the rest */
	struct rad_cqe *ring;
	u32 size, head, tail;
	u32 shown;			/* completions before this can be polled */
	u32 hiding;			/* queue pairs that are being flushed */
	bool urgent;			/* one of those hidden is solicited */
	enum ib_cq_notify_flags armed;
	bool dead;			/* overrun */
};

/* An entry of a send queue. */
struct rad_wqe {
	union {
		struct ib_cqe *wr_cqe;
		u64 wr_id;
	};
	enum ib_wr_opcode opcode;
	int flags;
	bool signaled;
	int num_sge;
	struct ib_sge *sge;
	void *inlined;
	u32 length;
	__be32 imm;
	u32 key;		/* to invalidate, or of the registration */
	u64 remote_addr;
	u32 rkey;
	struct rad_mr *mr;	/* REG_MR, with what follows */
	int access;
	u64 iova;
	u64 mr_length;
	u32 page_size;
	union ib_gid sgid, dgid; /* UD, with what follows */
	u8 network;
	u32 remote_qpn;
	enum ib_wc_status status;
	ktime_t due;		/* when it may be acknowledged */
	u32 tries, rnr_tries;
	u64 stamp, arrives;	/* see stamp.c */
};

static inline bool rad_wqe_reads(const struct rad_wqe *wqe)
{
	return wqe->opcode == IB_WR_RDMA_READ ||
	       wqe->opcode == IB_WR_RDMA_READ_WITH_INV;
}

struct rad_rwqe {
	union {
		struct ib_cqe *wr_cqe;
		u64 wr_id;
	};
	int num_sge;
	struct ib_sge *sge;
};

/*
 * Positions in a queue, which only grow: freed <= acked <= next <= head.
 * Entries before head are posted, before next carried out, before acked
 * completed, and before freed polled, so that they may be used again. A
 * receive queue has no use for acked.
 */
struct rad_pos {
	u32 size, head, next, acked, freed;
};

/* A queue pair as its peer sees it. */
struct rad_far {
	union ib_gid gid;
	u32 qpn;
};

struct rad_conn;

struct rad_qp {
	struct ib_qp ib;
	struct rad_dev *dev;
	u32 qpn;
	struct rad_conn *conn;		/* iWARP: under rad_iw_mutex */
	refcount_t refs;		/* peers that are at work on it, iw_cm */
	struct completion idle;
	struct work_struct work;	/* the engine */
	struct kthread_work thread_work; /* the same, with a clock */
	struct hrtimer timer;		/* wakes it */
	spinlock_t lock;		/* protects the rest, but for @bounce */
	enum ib_qp_state state;
	bool dying;
	bool broken;			/* a send failed: no more are begun */
	bool mute;			/* completes nothing any more (debugfs) */
	bool may_flush;
	bool established;		/* the peer has been heard */
	ktime_t not_before;		/* of the next try */
	u32 reads;			/* begun and not acknowledged */
	struct rnd_state rnd;		/* the engine's */
	struct ib_qp_cap cap;
	bool sig_all;
	struct ib_qp_attr attr;
	struct rad_pos sq, rq;
	struct rad_wqe *swqes;
	struct rad_rwqe *rwqes;
	struct ib_sge *sges;
	u8 *inlined;
	u8 *bounce;			/* the engine's: one message */
	size_t bounce_size;
	u64 stamp, sq_stamp, read_stamp, wire_stamp, done_stamp; /* stamp.c */
};

#define rad_to(type, ptr) container_of(ptr, struct rad_##type, ib)

static inline void rad_count(struct rad_dev *dev, enum rad_counter what)
{
	atomic64_inc(&dev->counters[what]);
}

static inline void rad_count_moved(struct rad_dev *dev, u32 bytes)
{
	atomic64_add(bytes, &dev->counters[RAD_CNT_moved_bytes]);
}

/* main.c: parameters, for new devices and queue pairs */
extern unsigned int rad_vectors, rad_delay_us, rad_seed;
extern unsigned long rad_page_sizes;
extern bool rad_shuffle, rad_moderate;
extern char *rad_lacks;

/* profile.c */
const struct rad_profile *rad_profile_find(const char *name);
int rad_profile_weaken(struct rad_profile *row, const char *lacks);
bool rad_profile_has_room(const struct rad_profile *row, const struct ib_qp_cap *cap);

/* device.c */
int rad_dev_create(const char *name, struct net_device *ndev,
		   const struct rad_profile *profile);
struct rad_dev *rad_dev_reach(struct rad_dev *from, const union ib_gid *dgid);
struct rad_dev *rad_dev_at(struct rad_dev *from,
			   const struct sockaddr_storage *addr);
struct ib_device *rad_dev_find(const char *name);
void rad_dev_fatal(struct rad_dev *dev);
int rad_dev_init(void);
void rad_dev_exit(void);

/* main.c: debugfs */
void rad_show_add(struct rad_dev *dev);
void rad_show_remove(struct rad_dev *dev);

/* vector.c */
int rad_vectors_alloc(struct rad_dev *dev, unsigned int nr);
void rad_vectors_free(struct rad_dev *dev);
void rad_vector_raise(struct rad_cq *cq);
void rad_vector_forget(struct rad_cq *cq);

/* cq.c */
int rad_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  RAD_CQ_UDATA *udata);
int rad_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int rad_poll_cq(struct ib_cq *ibcq, int nr, struct ib_wc *wc);
int rad_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
bool rad_cq_push(struct rad_cq *cq, const struct rad_cqe *cqe, bool solicited);
void rad_cq_hide(struct rad_cq *cq);
void rad_cq_show(struct rad_cq *cq);
void rad_cq_fail(struct rad_cq *cq);
void rad_cq_purge(struct rad_cq *cq, struct rad_qp *qp);

/* mr.c */
enum rad_how {
	RAD_SOURCE, RAD_SINK,
	RAD_READ_SINK,		/* of a READ over iWARP: the peer knows the key */
	RAD_REMOTE_READ, RAD_REMOTE_WRITE,
};

int rad_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int rad_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
struct ib_mr *rad_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *rad_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max);
int rad_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int rad_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset);
int rad_mr_register(struct rad_qp *qp, struct rad_wqe *wqe);
int rad_mr_invalidate(struct rad_qp *qp, u32 key, const char *why);
int rad_mr_copy(struct rad_qp *qp, u32 key, u64 addr, void *buf, u32 len,
		enum rad_how how);
int rad_mr_check(struct rad_qp *qp, u32 key, u64 addr, u32 len,
		 enum rad_how how);

/* dma.c */
struct rad_dma *rad_dma_create(struct rad_dev *dev);
struct device *rad_dma_device(struct rad_dev *dev);
void rad_dma_destroy(struct rad_dev *dev);
int rad_dma_copy(struct rad_dev *dev, u64 addr, void *buf, u32 len,
		 bool to_memory);

/* peer.c */
int rad_peer_open(struct rad_dev *dev);
void rad_peer_close(struct rad_dev *dev);
int rad_peer_copy(struct rad_dev *dev, u64 addr, void *buf, u32 len,
		  bool to_memory);

/* qp.c */
int rad_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		  struct ib_udata *udata);
int rad_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int rad_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int rad_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
struct rad_qp *rad_qp_get(struct rad_dev *dev, u32 qpn);
void rad_qp_put(struct rad_qp *qp);
void rad_qp_fail(struct rad_qp *qp, int event);
void rad_qp_flush(struct rad_qp *qp);
bool rad_qp_idle(const struct rad_qp *qp);
bool rad_qp_join(struct rad_qp *qp, const struct rad_far *peer, u32 ird, u32 ord);
void rad_qp_event(struct rad_qp *qp, enum ib_event_type event);
bool rad_qp_connected(const struct rad_qp *qp);

/* post.c */
int rad_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad);
int rad_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad);

/* engine.c */
void rad_engine_init(struct rad_qp *qp);
void rad_engine_cancel(struct rad_qp *qp);	/* thread.c */
void rad_engine_kick(struct rad_qp *qp);	/* thread.c */
u32 rad_engine_random(struct rad_qp *qp, u32 below);
int rad_engine_gather(struct rad_qp *qp, const struct rad_wqe *wqe);
int rad_engine_scatter(struct rad_qp *qp, const struct ib_sge *sge, int num_sge,
		       u32 at, const u8 *from, u32 len, enum rad_how how);

/* respond.c: and what is no status of a completion */
#define RAD_WC_AGAIN	((enum ib_wc_status)0x100)	/* at qp->not_before */
#define RAD_WC_RNR	((enum ib_wc_status)0x101)	/* no receive is posted */
#define RAD_WC_GONE	((enum ib_wc_status)0x102)	/* no answer */

struct rad_qp *rad_respond_peer(struct rad_qp *qp);
enum ib_wc_status rad_respond_send(struct rad_qp *qp, struct rad_qp *peer,
				   struct rad_wqe *wqe);
enum ib_wc_status rad_respond_write(struct rad_qp *qp, struct rad_qp *peer,
				    struct rad_wqe *wqe);
enum ib_wc_status rad_respond_read(struct rad_qp *qp, struct rad_qp *peer,
				   struct rad_wqe *wqe);

/* stamp.c */
void rad_stamp_create(struct rad_qp *qp);
void rad_stamp_post(struct rad_qp *qp, struct rad_wqe *wqe);
void rad_stamp_begin(struct rad_qp *qp, struct rad_wqe *wqe);
void rad_stamp_push(struct rad_cqe *cqe, bool interrupt);
void rad_stamp_poll(const struct rad_cqe *cqe);

/* gsi.c */
int rad_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
		  struct ib_udata *udata);
int rad_destroy_ah(struct ib_ah *ibah, u32 flags);
void rad_gsi_send(struct rad_qp *qp, struct rad_wqe *wqe);

/* iw.c */
void rad_iw_end(struct rad_qp *qp, int status);
int rad_iw_init(void);
void rad_iw_exit(void);

/* iw-ops.c */
extern const struct ib_device_ops rad_iw_ops;

#endif /* RAD_ADAPTER_H */
