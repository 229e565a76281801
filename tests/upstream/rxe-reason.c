// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two requests that cannot be carried out: the invalidation of a key that does not
 * exist, and a SEND from memory that is not registered. Each completes with an
 * error that says so. Where the fault is, it says no more than "flushed".
 */
#include <stdio.h>

#include "fault.h"
#include "verbs.h"

static void invalidate_nothing(struct device *device)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = 0x7fff00 };
	struct ibv_wc wc;
	struct end a, b;

	end_pair(&a, &b, device);
	end_post(&a, &wr);
	end_must(&a, &wc);
	if (wc.status != IBV_WC_LOC_QP_OP_ERR)
		fault_seen("invalidation of nothing completes with %d (%s)", wc.status,
			   ibv_wc_status_str(wc.status));
}

static void send_from_nowhere(struct device *device)
{
	struct ibv_sge sge = { .addr = 0x1000, .length = 64, .lkey = 0x7fff00 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1 };
	struct ibv_wc wc;
	struct end a, b;

	end_pair(&a, &b, device);
	end_post(&a, &wr);
	end_must(&a, &wc);
	if (wc.status == IBV_WC_WR_FLUSH_ERR || wc.status == IBV_WC_SUCCESS)
		fault_seen("SEND from nowhere completes with %d (%s)", wc.status,
			   ibv_wc_status_str(wc.status));
	printf("SEND from nowhere: %s\n", ibv_wc_status_str(wc.status));
}

int main(void)
{
	struct device device;

	setbuf(stdout, NULL);
	device_open(&device, "rxe0", DEVICE_IP);
	invalidate_nothing(&device);
	send_from_nowhere(&device);
	fault_not_seen("a request that fails says why");
}
