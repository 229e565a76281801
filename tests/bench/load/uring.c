// SPDX-License-Identifier: GPL-2.0-only
/*
 * io_uring, without a library: one enter per submission.  Driven by interrupts, or as
 * "iopoll" polled: the enter that waits looks at the device until enough has ended.
 */

#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "load.h"

static int ring;
static struct io_uring_params params;
static char *sq, *cq;
static struct io_uring_sqe *entries;

static unsigned int *field(char *base, unsigned int offset)
{
	return (unsigned int *)(base + offset);
}

static void *map(size_t length, off_t offset)
{
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, ring, offset);

	if (p == MAP_FAILED)
		fail("mmap of the ring");
	return p;
}

static void ring_open(unsigned int depth, unsigned int flags)
{
	unsigned int i, *array;

	params.flags = flags;
	ring = syscall(SYS_io_uring_setup, depth, &params);
	if (ring < 0)
		fail("io_uring_setup");
	sq = map(params.sq_off.array + params.sq_entries * sizeof(*array),
		 IORING_OFF_SQ_RING);
	cq = map(params.cq_off.cqes +
		 params.cq_entries * sizeof(struct io_uring_cqe),
		 IORING_OFF_CQ_RING);
	entries = map(params.sq_entries * sizeof(*entries), IORING_OFF_SQES);
	array = field(sq, params.sq_off.array);
	for (i = 0; i < params.sq_entries; i++)
		array[i] = i;
}

static void uring_open(unsigned int depth)
{
	ring_open(depth, 0);
}

static void iopoll_open(unsigned int depth)
{
	ring_open(depth, IORING_SETUP_IOPOLL);
}

static void uring_submit(struct slot **slots, unsigned int count)
{
	unsigned int *tail = field(sq, params.sq_off.tail);
	unsigned int mask = *field(sq, params.sq_off.ring_mask);
	unsigned int i, t = *tail;

	for (i = 0; i < count; i++, t++) {
		struct io_uring_sqe *e = &entries[t & mask];

		memset(e, 0, sizeof(*e));
		e->opcode = slots[i]->write ? IORING_OP_WRITE : IORING_OP_READ;
		e->fd = slots[i]->fd;
		e->addr = (uintptr_t)slots[i]->vec.iov_base;
		e->len = slots[i]->vec.iov_len;
		e->off = slots[i]->offset;
		e->user_data = (uintptr_t)slots[i];
	}
	__atomic_store_n(tail, t, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, count, 0, 0, NULL, 0) !=
	    (long)count)
		fail("io_uring_enter");
}

static unsigned int uring_reap(struct slot **done, unsigned int min,
			       unsigned int max)
{
	unsigned int *head = field(cq, params.cq_off.head);
	unsigned int *tail = field(cq, params.cq_off.tail);
	unsigned int mask = *field(cq, params.cq_off.ring_mask);
	struct io_uring_cqe *cqes = (void *)(cq + params.cq_off.cqes);
	unsigned int h = *head, n = 0;

	/* One that polls gives up early when others want the processor. */
	while (__atomic_load_n(tail, __ATOMIC_ACQUIRE) - h < min)
		if (syscall(SYS_io_uring_enter, ring, 0, min, IORING_ENTER_GETEVENTS,
			    NULL, 0) < 0)
			fail("io_uring_enter");
	while (n < max && h != __atomic_load_n(tail, __ATOMIC_ACQUIRE)) {
		struct io_uring_cqe *e = &cqes[h++ & mask];

		done[n] = (struct slot *)(uintptr_t)e->user_data;
		finished(done[n++], e->res);
	}
	__atomic_store_n(head, h, __ATOMIC_RELEASE);
	return n;
}

const struct engine engine_uring = {
	.name = "io_uring",
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
};

const struct engine engine_iopoll = {
	.name = "iopoll",
	.open = iopoll_open,
	.submit = uring_submit,
	.reap = uring_reap,
};
