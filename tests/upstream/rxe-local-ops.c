// SPDX-License-Identifier: GPL-2.0-only
/*
 * A SEND is lost, and behind it a window was bound. RXE sends the SEND again.
 * Where the fault is, it also binds again, which fails, as the window is bound.
 */
#include "fault.h"
#include "peer.h"
#include "verbs.h"

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
	end_bind(&end, 2, end_window(&end));
	peer_expect(&peer, OP_SEND_ONLY, FIRST_PSN);
	/* That one was lost. */
	peer_expect(&peer, OP_SEND_ONLY, FIRST_PSN);
	peer_say(&peer, OP_ACK, FIRST_PSN, 0, 0);
	for (i = 1; i <= 2; i++) {
		end_must(&end, &wc);
		if (wc.status != IBV_WC_SUCCESS)
			fault_seen("one lost packet, and request %d of 2 completes with %d (%s)",
				   i, wc.status, ibv_wc_status_str(wc.status));
	}
	fault_not_seen("a lost packet was sent again, and both requests complete");
}
