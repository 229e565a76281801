// SPDX-License-Identifier: GPL-2.0-only
/*
 * A READ is answered by three packets. After the first comes, once more, the
 * ACK of the SEND before, as after a SEND that was sent again. It says nothing
 * new. Where the fault is, the packet behind it ends the READ, with success.
 */
#include "fault.h"
#include "peer.h"
#include "verbs.h"

#define MTU	1024
#define READ	(3 * MTU)

int main(void)
{
	struct device device;
	struct peer peer;
	struct ibv_wc wc;
	struct end end;
	int i;

	device_open(&device, "rxe0", DEVICE_IP);
	end_make(&end, &device, NULL);
	end_connect(&end, PEER_IP, PEER_QPN);
	peer_open(&peer, "vpeer", "vrxe");
	peer.qpn = end.qp->qp_num;

	end_send(&end, 1, 64);
	peer_expect(&peer, OP_SEND_ONLY, FIRST_PSN);
	peer_say(&peer, OP_ACK, FIRST_PSN, 0, 0);
	end_must(&end, &wc);
	end_read(&end, 2, 0, 0x1234, READ);
	peer_expect(&peer, OP_READ_REQUEST, FIRST_PSN + 1);
	peer_say(&peer, OP_READ_FIRST, FIRST_PSN + 1, 'r', MTU);
	peer_say(&peer, OP_ACK, FIRST_PSN, 0, 0);
	peer_say(&peer, OP_READ_MIDDLE, FIRST_PSN + 2, 'r', MTU);
	peer_say(&peer, OP_READ_LAST, FIRST_PSN + 3, 'r', MTU);
	end_must(&end, &wc);
	for (i = 0; i < READ && end.buffer[i] == 'r'; i++)
		;
	if (wc.status != IBV_WC_SUCCESS || i < READ)
		fault_seen("an old ACK, and the READ completes with %d (%s), with %d of %d bytes",
			   wc.status, ibv_wc_status_str(wc.status), i, READ);
	fault_not_seen("an old ACK does not disturb the READ");
}
