// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connecting and being connected to.  Each connection has its own event
 * channel, which does not block, so that nobody waits for anybody else.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "verbs.h"

#define BACKLOG		64
#define RESOLVE_MS	2000

/* The address that connections are made from, or NULL for the route's. */
const char *verbs_source;

static int unblock(struct rdma_event_channel *channel)
{
	int flags = fcntl(channel->fd, F_GETFL);

	if (flags < 0 || fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK))
		return -errno;
	return 0;
}

static struct verbs *verbs_new(void)
{
	struct verbs *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->channel = rdma_create_event_channel();
	if (!v->channel || unblock(v->channel)) {
		verbs_close(v);
		return NULL;
	}
	return v;
}

static void keep(struct verbs *v, const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	v->status = event->status;
	v->private_len = 0;
	if (!param->private_data)
		return;
	v->private_len = param->private_data_len;
	if (v->private_len > sizeof(v->private))
		v->private_len = sizeof(v->private);
	memcpy(v->private, param->private_data, v->private_len);
}

/* The next event of a channel, to be acknowledged by the caller. */
static struct rdma_cm_event *next(struct rdma_event_channel *channel,
				  unsigned int ms)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;

	if (poll(&fd, 1, ms) != 1 || rdma_get_cm_event(channel, &event))
		return NULL;
	return event;
}

/**
 * verbs_event - take the connection's next CM event
 * @v: the connection; its status and private data are the event's then
 * @ms: how long to wait for it
 *
 * Return: enum rdma_cm_event_type, or -ETIMEDOUT.
 */
int verbs_event(struct verbs *v, unsigned int ms)
{
	struct rdma_cm_event *event = next(v->channel, ms);
	int type;

	if (!event)
		return -ETIMEDOUT;
	type = event->event;
	keep(v, event);
	rdma_ack_cm_event(event);
	if (type == RDMA_CM_EVENT_ESTABLISHED)
		v->connected = true;
	if (type == RDMA_CM_EVENT_DISCONNECTED)
		v->gone = true;
	return type;
}

static int socket_address(const char *address, uint16_t port,
			  struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *in = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET, address, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		return 0;
	}
	if (inet_pton(AF_INET6, address, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		return 0;
	}
	return -EINVAL;
}

/**
 * verbs_resolve - begin a connection to an address
 * @address: IPv4 or IPv6
 * @port: in host order
 *
 * Return: a connection for verbs_make() and verbs_connect(), or NULL.
 */
struct verbs *verbs_resolve(const char *address, uint16_t port)
{
	struct sockaddr_storage ss, from;
	struct verbs *v = verbs_new();

	if (!v || socket_address(address, port, &ss) ||
	    (verbs_source && socket_address(verbs_source, 0, &from)) ||
	    rdma_create_id(v->channel, &v->id, v, RDMA_PS_TCP))
		goto fail;
	if (rdma_resolve_addr(v->id, verbs_source ? (void *)&from : NULL,
			      (struct sockaddr *)&ss, RESOLVE_MS) ||
	    verbs_event(v, 2 * RESOLVE_MS) != RDMA_CM_EVENT_ADDR_RESOLVED)
		goto fail;
	if (rdma_resolve_route(v->id, RESOLVE_MS) ||
	    verbs_event(v, 2 * RESOLVE_MS) != RDMA_CM_EVENT_ROUTE_RESOLVED)
		goto fail;
	return v;

fail:
	verbs_close(v);
	return NULL;
}

/**
 * verbs_begin_connect - send a connection request and don't wait
 * @v: resolved and made
 * @data: private data
 * @len: its bytes
 * @reads: RDMA READs the peer may have outstanding
 */
int verbs_begin_connect(struct verbs *v, const void *data, size_t len,
			unsigned int reads)
{
	struct rdma_conn_param param = {
		.private_data = data,
		.private_data_len = len,
		.responder_resources = reads,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};

	return rdma_connect(v->id, &param) ? -errno : 0;
}

/**
 * verbs_connect - send a connection request and wait for its answer
 * @v: resolved and made
 * @data: private data
 * @len: its bytes
 * @reads: RDMA READs the peer may have outstanding
 * @ms: how long to wait
 *
 * Return: 0, or -ECONNREFUSED and the peer's private data is in @v.
 */
int verbs_connect(struct verbs *v, const void *data, size_t len,
		  unsigned int reads, unsigned int ms)
{
	int type, ret;

	ret = verbs_begin_connect(v, data, len, reads);
	if (ret)
		return ret;
	type = verbs_event(v, ms);
	if (type < 0)
		return type;
	return type == RDMA_CM_EVENT_ESTABLISHED ? 0 : -ECONNREFUSED;
}

/**
 * verbs_disconnect - hang up
 * @v: the connection
 */
int verbs_disconnect(struct verbs *v)
{
	return rdma_disconnect(v->id) ? -errno : 0;
}

/**
 * verbs_gone - has the peer hung up?
 * @v: the connection
 * @ms: how long to wait for that
 */
bool verbs_gone(struct verbs *v, unsigned int ms)
{
	uint64_t now, end = verbs_now() + ms;

	while (!v->gone) {
		now = verbs_now();
		if (verbs_event(v, now < end ? end - now : 0) < 0)
			break;
	}
	return v->gone;
}

/**
 * verbs_listen - be a server
 * @address: IPv4 or IPv6
 * @port: in host order
 *
 * Return: a listener for verbs_request(), or NULL.
 */
struct verbs *verbs_listen(const char *address, uint16_t port)
{
	struct sockaddr_storage ss;
	struct verbs *v = verbs_new();

	if (!v || socket_address(address, port, &ss) ||
	    rdma_create_id(v->channel, &v->id, v, RDMA_PS_TCP) ||
	    rdma_bind_addr(v->id, (struct sockaddr *)&ss) ||
	    rdma_listen(v->id, BACKLOG)) {
		verbs_close(v);
		return NULL;
	}
	return v;
}

/**
 * verbs_request - wait for a connection request
 * @listener: from verbs_listen()
 * @ms: how long to wait
 *
 * Return: a connection with the request's private data, for verbs_make() and
 * verbs_accept() or for verbs_reject(), then verbs_close(); or NULL.
 */
struct verbs *verbs_request(struct verbs *listener, unsigned int ms)
{
	struct rdma_cm_event *event = next(listener->channel, ms);
	struct verbs *v;

	if (!event)
		return NULL;
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST) {
		rdma_ack_cm_event(event);
		return NULL;
	}
	v = verbs_new();
	if (v) {
		v->id = event->id;
		v->id->context = v;
		keep(v, event);
	} else {
		rdma_destroy_id(event->id);
	}
	rdma_ack_cm_event(event);
	if (v && rdma_migrate_id(v->id, v->channel)) {
		verbs_close(v);
		return NULL;
	}
	return v;
}

/**
 * verbs_accept - accept a connection request
 * @v: from verbs_request(), made; ESTABLISHED is one of its events later
 * @data: private data
 * @len: its bytes
 * @reads: RDMA READs to have outstanding, at most
 */
int verbs_accept(struct verbs *v, const void *data, size_t len,
		 unsigned int reads)
{
	struct rdma_conn_param param = {
		.private_data = data,
		.private_data_len = len,
		.initiator_depth = reads,
		.rnr_retry_count = 7,
	};

	if (rdma_accept(v->id, &param))
		return -errno;
	v->connected = true;
	return 0;
}

/**
 * verbs_reject - refuse a connection request
 * @v: from verbs_request(); close it then
 * @data: private data
 * @len: its bytes
 */
int verbs_reject(struct verbs *v, const void *data, size_t len)
{
	return rdma_reject(v->id, data, len) ? -errno : 0;
}
