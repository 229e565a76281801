// SPDX-License-Identifier: GPL-2.0-only
/*
 * For a moment nothing can be sent: the queue of the network interface is full,
 * or the interface is down. On a wire such packets would be lost, and sent again.
 * Where the fault is, the first of them ends the connection; and if it is one of
 * the queue pair by which connections are made, nothing ever connects again.
 */
#include <stdio.h>
#include <string.h>

#include "cm.h"
#include "fault.h"
#include "peer.h"
#include "verbs.h"

#define DOWN	"ip link set vrxe down"
/* The address of the peer's interface goes with the link. */
#define UP	"ip link set vrxe up && ip neigh replace " PEER_IP " dev vrxe lladdr " \
		"$(cat /sys/class/net/vpeer/address)"

/* reliable - does a SEND arrive that first could not be sent? */
static void reliable(struct device *device, struct peer *peer, const char *what,
		     const char *before, const char *after)
{
	struct ibv_wc wc;
	struct end end;

	end_make(&end, device, NULL);
	end_connect(&end, PEER_IP, PEER_QPN);
	peer->qpn = end.qp->qp_num;
	run(before);
	end_send(&end, 1, 64);
	if (end_poll(&end, &wc, 200)) {
		run(after);
		fault_seen("%s for a moment, and a SEND completes with %d (%s)", what,
			   wc.status, ibv_wc_status_str(wc.status));
	}
	run(after);
	peer_expect(peer, OP_SEND_ONLY, FIRST_PSN);
	peer_say(peer, OP_ACK, FIRST_PSN, 0, 0);
	end_must(&end, &wc);
	if (wc.status != IBV_WC_SUCCESS)
		fault_seen("%s for a moment, and a SEND completes with %d later", what,
			   wc.status);
	printf("%s for a moment: sent again\n", what);
}

static bool asks(struct peer *peer, unsigned int ms)
{
	uint64_t end = now_ms() + ms;
	struct packet packet;

	while (now_ms() < end)
		if (peer_hear(peer, &packet, 100) && packet.opcode == OP_UD_SEND_ONLY &&
		    packet.qpn == 1)
			return true;
	return false;
}

/* connecting - does a host go on asking for a connection after it could not for a moment? */
static void connecting(struct peer *peer)
{
	cm_call(PEER_IP);
	if (!asks(peer, 5000))
		fault_unknown("no request for a connection");
	run(DOWN);
	/* It asks again every four seconds. */
	asks(peer, 6000);
	run(UP);
	if (!asks(peer, 12000))
		fault_seen("the link is down for a moment, and the device makes no connections any more");
}

int main(int argc, char **argv)
{
	struct device device;
	struct peer peer;

	setbuf(stdout, NULL);
	device_open(&device, "rxe0", DEVICE_IP);
	peer_open(&peer, "vpeer", "vrxe");
	if (argc < 2 || !strcmp(argv[1], "full"))
		reliable(&device, &peer, "a full queue",
			 "tc qdisc replace dev vrxe root pfifo limit 0",
			 "tc qdisc del dev vrxe root");
	if (argc < 2 || !strcmp(argv[1], "down"))
		reliable(&device, &peer, "a link that is down", DOWN, UP);
	if (argc < 2 || !strcmp(argv[1], "connect"))
		connecting(&peer);
	fault_not_seen("what cannot be sent is sent again");
}
