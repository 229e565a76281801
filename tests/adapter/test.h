/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The self test: test-pair.c makes connections, by test-iw.c on iWARP, and the
 * others use them.
 */
#ifndef RAD_TEST_H
#define RAD_TEST_H

#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>
#include "adapter.h"

#define TEST_DEPTH	8
#define TEST_PAGES	4
#define TEST_OFFSET	100	/* so that no registration begins at a page */
#define TEST_BYTES	(TEST_PAGES * PAGE_SIZE)

/* One end of a connection of iWARP: what iw_cm has told of it. */
struct test_cm {
	struct iw_cm_id *id, *listener;
	atomic_t requests, replies, established, closes, destroyed;
	int status;
	u8 ird, ord;
	u8 len;
	u8 data[U8_MAX];		/* private data */
	bool turns_away;
	struct work_struct work;
};

/* One end of a connection: a buffer for messages, and one that is registered. */
struct test_side {
	struct ib_device *device;
	struct ib_pd *pd, *other_pd;
	struct ib_cq *scq, *rcq;
	struct ib_qp *qp;
	u8 *msg;
	u64 msg_dma;
	bool msg_mapped;
	struct page *pages[TEST_PAGES];
	struct scatterlist sgl[TEST_PAGES];
	bool sgl_mapped;
	struct ib_mr *mr;
	struct test_cm cm;
	int cq_events, qp_events, interrupts;
	struct completion *awaited;	/* an interrupt completes it */
	bool astray;			/* an interrupt on the wrong processor */
};

struct test_pair {
	struct test_side a, b;
};

/* How the case wants its connection; 0 is as usual. */
struct test_shape {
	u32 cqe;
	u8 rd_init, rd_res;
	u8 rnr_retry;
	bool unconnected;
	bool foreign_pd;		/* registrations are of another PD */
};

int test_pair_make(struct test_pair *pair, struct ib_device *a,
		   struct ib_device *b, const struct test_shape *shape);
void test_pair_break(struct test_pair *pair);
void test_unmap_msg(struct test_side *side);
int test_wait(struct ib_cq *cq, struct ib_wc *wc);
int test_status(struct ib_cq *cq, enum ib_wc_status status);
int test_post(struct test_side *side, struct ib_send_wr *wr);
int test_recv(struct test_side *side);
int test_error(struct test_side *side);

void test_fill(struct test_side *side);
bool test_arrived(struct test_side *from, struct test_side *to, u32 len);
struct ib_sge test_message(struct test_side *side, u32 len);
int test_post_message(struct test_side *side, enum ib_wr_opcode opcode, u32 ex);
int test_post_rdma(struct test_side *side, struct ib_rdma_wr *wr,
		   enum ib_wr_opcode opcode, u32 rkey, u64 addr, u32 len);
int test_rdma(struct test_side *side, enum ib_wr_opcode opcode, u32 rkey,
	      u64 addr, u32 len, enum ib_wc_status status);
int test_enlist(struct test_side *side, int access);
int test_registered(struct test_side *side, int access);
int test_remote_all(struct test_side *side);

bool test_is_iwarp(struct ib_device *device);
int test_iw_make(struct test_pair *p);
void test_iw_break(struct test_side *side);
int test_iw_once(atomic_t *count);

enum test_fabric { TEST_ANY, TEST_ROCE, TEST_IWARP };

struct test_case {
	const char *name;
	int (*run)(struct test_pair *pair);
	unsigned long rules;		/* that it breaks */
	struct test_shape shape;
	bool wants_dma;
	enum test_fabric fabric;
};

extern const struct test_case test_works[], test_rules[], test_iwarp[], test_iw_data[],
			      test_clock[];

#endif /* RAD_TEST_H */
