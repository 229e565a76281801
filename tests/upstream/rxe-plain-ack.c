// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ACK of a SEND is lost, and so is the answer of the READ behind it. The SEND
 * comes again, and the responder acknowledges all it has carried out, as RXE's
 * does (C9-105 of the InfiniBand specification): the ACK has the READ's number.
 * The data comes later. Where the fault is, that ACK ends the READ, with success.
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

	device_open(&device, "rxe");
	end_make(&end, &device, NULL);
	end_connect(&end, PEER_IP, PEER_QPN);
	peer_open(&peer, "vpeer", "vrxe");
	peer.qpn = end.qp->qp_num;

	end_send(&end, 1, 64);
	end_read(&end, 2, 0, 0x1234, READ);
	peer_expect(&peer, OP_READ_REQUEST, FIRST_PSN + 1);
	/* What answers them is lost. Both are sent again. */
	peer_expect(&peer, OP_SEND_ONLY, FIRST_PSN);
	peer_expect(&peer, OP_READ_REQUEST, FIRST_PSN + 1);
	peer_say(&peer, OP_ACK, FIRST_PSN + 1, 0, 0);
	end_must(&end, &wc);
	if (wc.wr_id != 1 || wc.status != IBV_WC_SUCCESS)
		fault_unknown("the SEND completes with %d", wc.status);
	if (end_poll(&end, &wc, 30))
		fault_seen("an ACK, and the READ completes with %d (%s), without its data",
			   wc.status, ibv_wc_status_str(wc.status));
	peer_say(&peer, OP_READ_ONLY, FIRST_PSN + 1, 'r', READ);
	end_must(&end, &wc);
	if (wc.status != IBV_WC_SUCCESS || end.buffer[READ - 1] != 'r')
		fault_seen("the READ completes with %d, and without its data", wc.status);
	fault_not_seen("an ACK does not end a READ");
}
