// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer sends with invalidate, and names the key of a window that belongs to
 * another connection, in another protection domain. That is an error, and the
 * window stays bound. Where the fault is, its owner's peer cannot use it any more.
 */
#include <stdio.h>

#include "fault.h"
#include "verbs.h"

int main(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV };
	struct end owner, reader, victim, attacker;
	struct device device;
	struct ibv_wc wc;
	uint32_t key;

	device_open(&device, "rxe0", DEVICE_IP);
	end_pair(&owner, &reader, &device);
	end_pair(&victim, &attacker, &device);
	key = end_bind(&owner, 1, end_window(&owner));
	end_must(&owner, &wc);
	end_read(&reader, 2, (uintptr_t)owner.buffer, key, 64);
	end_must(&reader, &wc);
	if (wc.status != IBV_WC_SUCCESS)
		fault_unknown("the window cannot be read: %d", wc.status);

	end_receive(&victim, 3);
	wr.invalidate_rkey = key;
	end_post(&attacker, &wr);
	end_must(&victim, &wc);
	printf("the receive completes with %d (%s)\n", wc.status, ibv_wc_status_str(wc.status));

	end_read(&reader, 4, (uintptr_t)owner.buffer, key, 64);
	end_must(&reader, &wc);
	if (wc.status != IBV_WC_SUCCESS)
		fault_seen("a stranger invalidated a window: a READ of it completes with %d",
			   wc.status);
	fault_not_seen("the window outlives a stranger's invalidation");
}
