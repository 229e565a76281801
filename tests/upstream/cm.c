// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>

#include "cm.h"
#include "fault.h"

static struct rdma_cm_id *make_id(void)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_id *id;

	if (!channel || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		fault_unknown("an id of rdma_cm");
	return id;
}

static struct sockaddr_in address_of(const char *ip)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(CM_PORT) };

	inet_pton(AF_INET, ip, &address.sin_addr);
	return address;
}

struct rdma_cm_id *cm_listen(void)
{
	struct sockaddr_in address = address_of(DEVICE_IP);
	struct rdma_cm_id *id = make_id();

	if (rdma_bind_addr(id, (struct sockaddr *)&address) || rdma_listen(id, 16))
		fault_unknown("listen on %s", DEVICE_IP);
	return id;
}

struct rdma_cm_event *cm_expect(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	struct pollfd ready = { .fd = id->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;

	errno = ETIMEDOUT;
	if (poll(&ready, 1, 10000) <= 0 || rdma_get_cm_event(id->channel, &event))
		fault_unknown("no event %s", rdma_event_str(type));
	errno = -event->status;
	if (event->event != type)
		fault_unknown("%s instead of %s", rdma_event_str(event->event),
			      rdma_event_str(type));
	return event;
}

void cm_queue(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	if (rdma_create_qp(id, NULL, &init))
		fault_unknown("a queue pair");
}

struct rdma_cm_id *cm_call(const char *ip)
{
	struct rdma_conn_param param = {
		.responder_resources = 4, .initiator_depth = 4, .retry_count = 7,
	};
	struct sockaddr_in address = address_of(ip);
	struct rdma_cm_id *id = make_id();

	if (rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 5000))
		fault_unknown("the address %s", ip);
	rdma_ack_cm_event(cm_expect(id, RDMA_CM_EVENT_ADDR_RESOLVED));
	if (rdma_resolve_route(id, 5000))
		fault_unknown("a route to %s", ip);
	rdma_ack_cm_event(cm_expect(id, RDMA_CM_EVENT_ROUTE_RESOLVED));
	cm_queue(id);
	if (rdma_connect(id, &param))
		fault_unknown("connect to %s", ip);
	return id;
}
