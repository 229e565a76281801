// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ACK of a SEND is lost, and so is the answer of the atomic operation behind
 * it. The SEND comes again, and RXE's responder acknowledges all that it has
 * carried out: the ACK has the number of the atomic operation. The answer with the
 * value comes later. Where the fault is, that ACK ends the operation, with success.
 *
 * "pair": the responder is an RXE in another network namespace, and what it sends
 * is lost for a moment.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "peer.h"
#include "verbs.h"

#define VALUE	8
#define LOSE	"ip netns exec peer tc qdisc replace dev vpeer root netem loss "

static void post_both(struct end *end, uint64_t from, uint32_t rkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->buffer, .length = VALUE, .lkey = end->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = 2, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.sg_list = &sge, .num_sge = 1,
		.wr.atomic = { .remote_addr = from, .compare_add = 1, .rkey = rkey },
	};

	end_send(end, 1, 64);
	end_post(end, &wr);
}

static void said_send(struct end *end)
{
	struct ibv_wc wc;

	end_must(end, &wc);
	if (wc.wr_id != 1 || wc.status != IBV_WC_SUCCESS)
		fault_unknown("the SEND completes with %d", wc.status);
}

/* judge - what the atomic operation completed with */
static void judge(struct end *end, const struct ibv_wc *wc)
{
	bool here = end->buffer[VALUE - 1] == 'r';

	if (wc->status != IBV_WC_SUCCESS || !here)
		fault_seen("an ACK, and the atomic operation completes with %d (%s), %s its value",
			   wc->status, ibv_wc_status_str(wc->status), here ? "with" : "without");
}

static void with_peer(struct end *end)
{
	struct peer peer;
	struct ibv_wc wc;

	end_connect(end, PEER_IP, PEER_QPN);
	peer_open(&peer, "vpeer", "vrxe");
	peer.qpn = end->qp->qp_num;
	post_both(end, 0, 0x1234);
	peer_expect(&peer, OP_FETCH_ADD, FIRST_PSN + 1);
	/* What answers them is lost. Both are sent again. */
	peer_expect(&peer, OP_SEND_ONLY, FIRST_PSN);
	peer_expect(&peer, OP_FETCH_ADD, FIRST_PSN + 1);
	peer_say(&peer, OP_ACK, FIRST_PSN + 1, 0, 0);
	said_send(end);
	if (end_poll(end, &wc, 30))
		judge(end, &wc);
	peer_say(&peer, OP_ATOMIC_ACK, FIRST_PSN + 1, 'r', VALUE);
	end_must(end, &wc);
	judge(end, &wc);
}

static void with_rxe(struct end *end)
{
	struct device other;
	struct end owner;
	struct ibv_wc wc;
	uint8_t *value;

	device_open(&other, "rxe1", PEER_IP);
	end_make(&owner, &other, NULL);
	end_connect(end, PEER_IP, owner.qp->qp_num);
	end_connect(&owner, DEVICE_IP, end->qp->qp_num);
	end_receive(&owner, 1);
	value = owner.buffer + BUFFER / 2;
	memset(value, 'r', VALUE);
	run(LOSE "100%");
	post_both(end, (uintptr_t)value, owner.mr->rkey);
	end_must(&owner, &wc);
	usleep(20000);
	run(LOSE "0%");
	said_send(end);
	end_must(end, &wc);
	judge(end, &wc);
}

int main(int argc, char **argv)
{
	struct device device;
	struct end end;

	device_open(&device, "rxe0", DEVICE_IP);
	end_make(&end, &device, NULL);
	if (argc > 1 && !strcmp(argv[1], "pair"))
		with_rxe(&end);
	else
		with_peer(&end);
	fault_not_seen("an ACK does not end an atomic operation");
}
