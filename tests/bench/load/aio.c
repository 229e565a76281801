// SPDX-License-Identifier: GPL-2.0-only
/* Linux AIO, without a library: four system calls. */

#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "load.h"

static aio_context_t context;
static struct iocb *blocks;
static struct iocb **list;
static struct io_event *events;

static void aio_open(unsigned int depth)
{
	blocks = calloc(depth, sizeof(*blocks));
	list = calloc(depth, sizeof(*list));
	events = calloc(depth, sizeof(*events));
	if (!blocks || !list || !events)
		fail("memory");
	if (syscall(SYS_io_setup, depth, &context) < 0)
		fail("io_setup");
}

static void aio_submit(struct slot **slots, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct iocb *b = &blocks[i];

		memset(b, 0, sizeof(*b));
		b->aio_data = (uintptr_t)slots[i];
		b->aio_lio_opcode = slots[i]->write ? IOCB_CMD_PWRITE :
						      IOCB_CMD_PREAD;
		b->aio_fildes = slots[i]->fd;
		b->aio_buf = (uintptr_t)slots[i]->vec.iov_base;
		b->aio_nbytes = slots[i]->vec.iov_len;
		b->aio_offset = slots[i]->offset;
		list[i] = b;
	}
	/* The kernel may take fewer; the blocks are read in the call. */
	for (i = 0; i < count;) {
		long n = syscall(SYS_io_submit, context, count - i, list + i);

		if (n <= 0)
			fail("io_submit");
		i += n;
	}
}

static unsigned int aio_reap(struct slot **done, unsigned int min,
			     unsigned int max)
{
	long i, n = syscall(SYS_io_getevents, context, min, max, events,
			    NULL);

	if (n <= 0)
		fail("io_getevents");
	for (i = 0; i < n; i++) {
		done[i] = (struct slot *)(uintptr_t)events[i].data;
		finished(done[i], events[i].res);
	}
	return n;
}

const struct engine engine_aio = {
	.name = "libaio",
	.open = aio_open,
	.submit = aio_submit,
	.reap = aio_reap,
};
