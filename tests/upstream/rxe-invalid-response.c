// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer answers a READ by a packet from the middle of an answer. That breaks the
 * rules, and RXE ends the connection. Where the fault is, the READ completes with
 * success, and the kernel warns.
 */
#include "fault.h"
#include "peer.h"
#include "verbs.h"

#define READ	512

int main(void)
{
	struct device device;
	struct peer peer;
	struct ibv_wc wc;
	struct end end;

	device_open(&device, "rxe0", DEVICE_IP);
	end_make(&end, &device, NULL);
	end_connect(&end, PEER_IP, PEER_QPN);
	peer_open(&peer, "vpeer", "vrxe");
	peer.qpn = end.qp->qp_num;

	end_read(&end, 1, 0, 0x1234, READ);
	peer_expect(&peer, OP_READ_REQUEST, FIRST_PSN);
	peer_say(&peer, OP_READ_MIDDLE, FIRST_PSN, 'r', READ);
	end_must(&end, &wc);
	if (wc.status == IBV_WC_SUCCESS)
		fault_seen("a packet that breaks the rules ends a READ with success, %s",
			   end.buffer[0] == 'r' ? "with its data" : "without data");
	fault_not_seen("a packet that breaks the rules: %s", ibv_wc_status_str(wc.status));
}
