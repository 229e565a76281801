// SPDX-License-Identifier: GPL-2.0-only
/*
 * A memory window that is not bound, invalidated: first here, then by the peer of
 * a connection. Each is an error. Where the fault is, the kernel dies.
 */
#include <stdio.h>

#include "fault.h"
#include "verbs.h"

static void invalidate_here(struct device *device)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV };
	struct ibv_wc wc;
	struct end a, b;

	end_pair(&a, &b, device);
	wr.invalidate_rkey = end_window(&a)->rkey;
	end_post(&a, &wr);
	end_must(&a, &wc);
	if (wc.status == IBV_WC_SUCCESS)
		fault_seen("a window that is not bound was invalidated");
}

static void invalidate_there(struct device *device)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV };
	struct ibv_wc wc;
	struct end a, b;

	end_pair(&a, &b, device);
	end_receive(&b, 1);
	wr.invalidate_rkey = end_window(&b)->rkey;
	end_post(&a, &wr);
	end_must(&b, &wc);
	if (wc.status == IBV_WC_SUCCESS)
		fault_seen("a peer invalidated a window that is not bound");
}

int main(void)
{
	struct device device;

	setbuf(stdout, NULL);
	device_open(&device, "rxe0", DEVICE_IP);
	invalidate_here(&device);
	invalidate_there(&device);
	fault_not_seen("windows that are not bound cannot be invalidated");
}
