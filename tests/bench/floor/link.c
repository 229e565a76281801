// SPDX-License-Identifier: GPL-2.0-only
/*
 * The connection between the two ends, by the connection manager.  Ids are
 * destroyed by floor_link_close() alone.
 */
#include <linux/inet.h>
#include "floor.h"

#define STEP_MS	5000

static int make_queue(struct floor_end *end)
{
	struct ib_device *dev = end->id->device;
	/* An entry is free once a completion at or after it has been polled. */
	u32 sends = (end->run->depth + FLOOR_SIGNAL) * (3 + floor_moves(end)) + 8;
	u32 receives = end->run->depth * 2;
	struct ib_qp_init_attr attr = {
		.cap = {
			.max_send_wr = sends,
			.max_recv_wr = receives + 1,
			.max_send_sge = max(2U, floor_moves(end) ?
						floor_elements(end) : 0),
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	int err;

	end->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(end->pd)) {
		err = PTR_ERR(end->pd);
		end->pd = NULL;
		return err;
	}
	end->cq = ib_alloc_cq(dev, end, sends + receives + 2, 0,
			      IB_POLL_SOFTIRQ);
	if (IS_ERR(end->cq)) {
		err = PTR_ERR(end->cq);
		end->cq = NULL;
		return err;
	}
	attr.send_cq = end->cq;
	attr.recv_cq = end->cq;
	err = rdma_create_qp(end->id, end->pd, &attr);
	return err ?: floor_slots_alloc(end);
}

static struct rdma_conn_param conn_param(struct floor_end *end)
{
	u8 reads = min(16, end->id->device->attrs.max_qp_rd_atom);

	return (struct rdma_conn_param) {
		.responder_resources = reads,
		.initiator_depth = reads,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}

static void on_request(struct floor_run *run, struct rdma_cm_id *id)
{
	struct rdma_conn_param param;
	int err;

	run->server.id = id;
	id->context = run;
	err = make_queue(&run->server);
	param = conn_param(&run->server);
	if (!err)
		err = rdma_accept(id, &param);
	if (err)
		floor_fail(run, "accept", err);
}

static int on_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct floor_run *run = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		complete(&run->step);
		break;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		on_request(run, id);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (atomic_inc_return(&run->established) == 2)
			complete(&run->step);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		floor_fail(run, rdma_event_msg(event->event), event->status);
	}
	return 0;
}

static int step(struct floor_run *run, int err)
{
	if (err)
		return err;
	if (!wait_for_completion_timeout(&run->step, msecs_to_jiffies(STEP_MS)))
		return -ETIMEDOUT;
	return run->error;
}

static struct rdma_cm_id *new_id(struct floor_run *run)
{
	struct rdma_cm_id *id = rdma_create_id(&init_net, on_event, run,
					       RDMA_PS_TCP, IB_QPT_RC);

	return IS_ERR(id) ? NULL : id;
}

static int connect(struct floor_run *run, struct sockaddr *addr)
{
	struct rdma_cm_id *id = run->client.id;
	struct rdma_conn_param param;
	int err;

	err = step(run, rdma_resolve_addr(id, NULL, addr, STEP_MS));
	if (!err)
		err = step(run, rdma_resolve_route(id, STEP_MS));
	if (!err)
		err = make_queue(&run->client);
	if (err)
		return err;
	param = conn_param(&run->client);
	return step(run, rdma_connect(id, &param));
}

/**
 * floor_link_open - connect the two ends and prepare their slots
 * @run: the measurement
 * @address: IPv4 address of the device
 * @port: port
 *
 * Return: 0 or a negative errno; floor_link_close() follows in any case.
 */
int floor_link_open(struct floor_run *run, const char *address, u16 port)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	struct sockaddr *addr = (struct sockaddr *)&in;
	u32 i;
	int err;

	if (!in4_pton(address, -1, (u8 *)&in.sin_addr, '\0', NULL))
		return -EINVAL;
	run->client.run = run;
	run->client.receive = floor_on_response;
	run->server.run = run;
	run->server.receive = floor_on_command;
	run->listener = new_id(run);
	run->client.id = new_id(run);
	if (!run->listener || !run->client.id)
		return -ENOMEM;
	err = rdma_bind_addr(run->listener, addr);
	if (!err)
		err = rdma_listen(run->listener, 4);
	if (!err)
		err = connect(run, addr);
	for (i = 0; !err && i < run->depth; i++)
		err = floor_slot_register(&run->server.slots[i]);
	return err;
}

static void close_end(struct floor_end *end)
{
	if (end->id && end->id->qp)
		ib_drain_qp(end->id->qp);
	floor_slots_free(end);
	if (end->id && end->id->qp)
		rdma_destroy_qp(end->id);
	if (end->cq)
		ib_free_cq(end->cq);
	if (end->pd)
		ib_dealloc_pd(end->pd);
	if (end->id)
		rdma_destroy_id(end->id);
}

/**
 * floor_link_close - undo whatever floor_link_open() has done
 * @run: the measurement
 */
void floor_link_close(struct floor_run *run)
{
	if (atomic_read(&run->established) == 2) {
		rdma_disconnect(run->client.id);
		rdma_disconnect(run->server.id);
	}
	if (run->listener)
		rdma_destroy_id(run->listener);
	close_end(&run->client);
	close_end(&run->server);
}
