// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session as a well-behaved initiator would make it.
 */
#include <errno.h>
#include <stdio.h>
#include "host.h"

static const struct verbs_size size = {
	.sends = 128,
	.recvs = DEPTH,
	.recv_len = RBLK_WIRE_CTRL_MAX + RBLK_WIRE_DATA_OFFSET,
	.send_len = 2 * RBLK_WIRE_MAX_INLINE,
	.data_len = RBLK_WIRE_MAX_IO,
};

/**
 * sess_new_host - a host's UUID: random, and none that stands for a key
 * @host: the result
 */
void sess_new_host(uint8_t host[16])
{
	random_bytes(host, 16);
	host[6] = (host[6] & 0x0f) | 0x40;
	host[8] = (host[8] & 0x3f) | 0x80;
}

/**
 * sess_init - a session nobody has heard of yet, of a host of its own
 * @s: the session
 */
void sess_init(struct sess *s)
{
	memset(s, 0, sizeof(*s));
	random_bytes(s->uuid, sizeof(s->uuid));
	sess_new_host(s->host);
	random_bytes(s->instance, sizeof(s->instance));
	s->epoch = 1;
	s->keyed = host_keyed;
}

/**
 * sess_request - the private data to connect with
 * @s: the session
 * @qid: 0 or that of an I/O connection
 */
struct rblk_wire_cm_req sess_request(const struct sess *s, unsigned int qid)
{
	struct rblk_wire_cm_req req = {
		.magic = htole32(RBLK_WIRE_MAGIC),
		.size = htole16(sizeof(req)),
		.version_min = RBLK_WIRE_VERSION,
		.version_max = RBLK_WIRE_VERSION,
		.epoch = htole32(s->epoch),
		.qid = htole16(qid),
		.nr_queues = htole16(QUEUES),
		.depth = htole16(DEPTH),
		.features = htole32(s->features),
		.max_io = htole32(RBLK_WIRE_MAX_IO),
		.inline_read = htole32(4096),
		.inline_write = htole32(4096),
	};

	memcpy(req.session, s->uuid, sizeof(req.session));
	return req;
}

/**
 * sess_is_iwarp - is it iWARP, with its own ways?
 * @v: any connection
 */
bool sess_is_iwarp(const struct verbs *v)
{
	return v->id->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
}

/**
 * sess_prepare - all of a connection but the connecting
 */
struct verbs *sess_prepare(void)
{
	struct verbs *v = verbs_resolve(host_address, RBLK_DEFAULT_PORT);
	int ret;

	if (!v) {
		perror("verbs_resolve");
		return NULL;
	}
	host_iwarp = sess_is_iwarp(v);
	ret = verbs_make(v, &size);
	if (!ret)
		return v;
	fprintf(stderr, "verbs_make: %s\n", strerror(-ret));
	verbs_close(v);
	return NULL;
}

/* Both sides' first words, which MACs depend on. */
static void remember(struct verbs *v, const struct rblk_wire_cm_req *req, size_t len)
{
	struct auth_link *macs = &v->macs;

	memcpy(&macs->req, req, len < sizeof(*req) ? len : sizeof(*req));
	if (v->private_len >= sizeof(macs->rep))
		memcpy(&macs->rep, v->private, sizeof(macs->rep));
}

static int rejection(const struct verbs *v)
{
	struct rblk_wire_cm_rej rej;

	if (v->private_len < sizeof(rej))
		return SESS_NO_REASON;
	memcpy(&rej, v->private, sizeof(rej));
	return le32toh(rej.magic) == RBLK_WIRE_MAGIC ? le16toh(rej.reason) :
						       SESS_NO_REASON;
}

/**
 * sess_dial - connect
 * @req: the private data
 * @len: bytes of it
 * @reason: set to why the target refused, to a negative errno when something
 *          else went wrong
 *
 * Return: the connection, or NULL.
 */
struct verbs *sess_dial(const struct rblk_wire_cm_req *req, size_t len,
			int *reason)
{
	struct verbs *v = sess_prepare();
	int ret;

	*reason = v ? 0 : -ENOTCONN;
	if (!v)
		return NULL;
	ret = verbs_connect(v, req, len, 8, WAIT_MS);
	if (!ret) {
		remember(v, req, len);
		return v;
	}
	*reason = ret == -ECONNREFUSED ? rejection(v) : ret;
	verbs_close(v);
	return NULL;
}

/**
 * sess_ctl - begin a control message
 * @v: the connection it will be sent on
 * @type: RBLK_MSG_*
 * @len: its bytes
 */
void *sess_ctl(struct verbs *v, uint8_t type, size_t len)
{
	return message_ctl(v->out, type, len, 7, 0);
}

/**
 * sess_call - send a message and wait for the next one
 * @v: the connection
 * @len: bytes of the send area
 *
 * Return: what came, until the next call, or NULL.
 */
void *sess_call(struct verbs *v, size_t len)
{
	static __thread char copy[RBLK_WIRE_CTRL_MAX + RBLK_WIRE_DATA_OFFSET];
	void *msg;

	if (keyed_send(v, len) || verbs_sent(v, WAIT_MS) != IBV_WC_SUCCESS)
		return NULL;
	msg = keyed_receive(v, WAIT_MS, NULL);
	if (!msg)
		return NULL;
	memcpy(copy, msg, sizeof(copy));
	if (verbs_post_recv(v, v->wc.wr_id))
		return NULL;
	return copy;
}

/**
 * sess_fill_login - a good LOGIN in the send area
 * @s: whose
 * @v: its control connection
 */
struct rblk_wire_login *sess_fill_login(const struct sess *s, struct verbs *v)
{
	struct rblk_wire_login *msg = sess_ctl(v, RBLK_MSG_LOGIN, sizeof(*msg));

	memcpy(msg->host, s->host, sizeof(msg->host));
	memcpy(msg->instance, s->instance, sizeof(msg->instance));
	strcpy(msg->host_name, "hostile");
	return msg;
}

/**
 * sess_fill_attach - a good ATTACH in the send area
 * @v: a control connection
 * @export: the export's name
 * @access: RBLK_ACCESS_*
 */
struct rblk_wire_attach *sess_fill_attach(struct verbs *v, const char *export,
					  uint32_t access)
{
	struct rblk_wire_attach *msg;

	msg = sess_ctl(v, RBLK_MSG_ATTACH, sizeof(*msg));
	snprintf(msg->name, sizeof(msg->name), "%s", export);
	msg->access = htole32(access);
	return msg;
}

/**
 * sess_fill_bind - a good BIND in the send area
 * @s: whose
 * @v: an I/O connection
 */
struct rblk_wire_bind *sess_fill_bind(const struct sess *s, struct verbs *v)
{
	struct rblk_wire_bind *msg = sess_ctl(v, RBLK_MSG_BIND, sizeof(*msg));

	msg->key = s->key;
	return msg;
}

/**
 * sess_fill - a good command in the send area
 * @s: whose
 * @v: an I/O connection
 * @op: a READ or WRITE is of one page of the data area, granted for it; when
 *      that fails the connection is broken, and so will be what follows
 */
struct rblk_wire_cmd *sess_fill(const struct sess *s, struct verbs *v, int op)
{
	struct rblk_wire_cmd *cmd = message_commands(v->out, 1);
	uint32_t rkey;

	cmd->op = op;
	cmd->tag = htole16(1);
	cmd->gen = htole16(0x55);
	cmd->volume = htole32(s->volume);
	if (op == RBLK_OP_READ || op == RBLK_OP_WRITE) {
		rkey = verbs_grant(v);
		cmd->length = htole32(4096);
		cmd->addr = htole64((uintptr_t)v->data);
		cmd->rkey = htole32(rkey);
	}
	return cmd;
}

/**
 * sess_control - connect the control connection
 * @s: the session
 *
 * Return: 0, enum rblk_wire_reject, or a negative errno.
 */
int sess_control(struct sess *s)
{
	struct rblk_wire_cm_req req = sess_request(s, 0);
	int reason;

	s->control = sess_dial(&req, sizeof(req), &reason);
	return reason;
}

/**
 * sess_login - log in
 * @s: with its control connection
 *
 * Return: enum rblk_wire_ctl_status, or -EIO without an answer.
 */
int sess_login(struct sess *s)
{
	const struct rblk_wire_login_reply *rep;

	if (s->keyed)
		return keyed_login(s);
	sess_fill_login(s, s->control);
	rep = sess_call(s->control, sizeof(struct rblk_wire_login));
	if (!rep)
		return -EIO;
	s->key = rep->key;
	return le16toh(rep->ctl.status);
}

/**
 * sess_attach - attach an export; the last one is the session's volume
 * @s: logged in
 * @export: its name
 * @access: RBLK_ACCESS_*
 *
 * Return: enum rblk_wire_ctl_status, or -EIO without an answer.
 */
int sess_attach(struct sess *s, const char *export, uint32_t access)
{
	const struct rblk_wire_attach_reply *rep;

	sess_fill_attach(s->control, export, access);
	rep = sess_call(s->control, sizeof(struct rblk_wire_attach));
	if (!rep)
		return -EIO;
	if (rep->ctl.status)
		return le16toh(rep->ctl.status);
	s->volume = le32toh(rep->volume);
	s->blocks = le64toh(rep->capacity) / le32toh(rep->logical_block);
	return 0;
}

/**
 * sess_attach_patiently - attach once the former holder is gone
 * @s: logged in
 * @export: its name
 * @access: RBLK_ACCESS_*
 */
int sess_attach_patiently(struct sess *s, const char *export, uint32_t access)
{
	uint64_t end = verbs_now() + WAIT_MS;
	int status;

	do {
		status = sess_attach(s, export, access);
		if (status != RBLK_CTL_AGAIN && status != RBLK_CTL_BUSY)
			break;
		verbs_sleep(10);
	} while (verbs_now() < end);
	return status;
}

/**
 * sess_detach - give a volume back
 * @s: the session
 * @volume: its handle
 */
int sess_detach(struct sess *s, uint32_t volume)
{
	struct rblk_wire_detach *msg;
	const struct rblk_wire_ctl *rep;

	msg = sess_ctl(s->control, RBLK_MSG_DETACH, sizeof(*msg));
	msg->volume = htole32(volume);
	rep = sess_call(s->control, sizeof(*msg));
	return rep ? le16toh(rep->status) : -EIO;
}

/**
 * sess_io - connect and bind an I/O connection
 * @s: logged in
 * @qid: which
 *
 * Return: 0, enum rblk_wire_reject, or a negative errno.
 */
int sess_io(struct sess *s, unsigned int qid)
{
	struct rblk_wire_cm_req req = sess_request(s, qid);
	const struct rblk_wire_bind_reply *rep;
	int reason;

	s->io[qid] = sess_dial(&req, sizeof(req), &reason);
	if (reason)
		return reason;
	if (s->keyed)
		keyed_macs(s, s->io[qid]);
	sess_fill_bind(s, s->io[qid]);
	rep = sess_call(s->io[qid], sizeof(struct rblk_wire_bind));
	if (!rep)
		return -EIO;
	s->slot_addr = le64toh(rep->slot_addr);
	s->slot_rkey = le32toh(rep->slot_rkey);
	s->slot_size = le16toh(rep->slot_size);
	s->slots = le16toh(rep->slots);
	s->window_addr = le64toh(rep->window_addr);
	s->window_rkey = le32toh(rep->window_rkey);
	s->window_bytes = le32toh(rep->window_bytes);
	return 0;
}

/**
 * sess_open - a whole session: logged in, our export attached, qid 1 bound
 * @s: fresh
 */
int sess_open(struct sess *s)
{
	return sess_open_with(s, 0);
}

/**
 * sess_open_with - the same with features
 * @s: fresh
 * @features: asked for
 */
int sess_open_with(struct sess *s, uint32_t features)
{
	int ret;

	sess_init(s);
	s->features = features;
	ret = sess_control(s);
	if (!ret)
		ret = sess_login(s);
	if (!ret)
		ret = sess_attach_patiently(s, host_export, RBLK_ACCESS_WRITE);
	return ret ? ret : sess_io(s, 1);
}

/**
 * sess_close - hang up all there is
 * @s: the session
 */
void sess_close(struct sess *s)
{
	unsigned int i;

	for (i = 1; i <= QUEUES; i++)
		verbs_close(s->io[i]);
	verbs_close(s->control);
	s->control = NULL;
	memset(s->io, 0, sizeof(s->io));
}

/**
 * sess_alive - does the target answer a keepalive?
 * @s: the session
 */
bool sess_alive(struct sess *s)
{
	const struct rblk_wire_ctl *rep;

	sess_ctl(s->control, RBLK_MSG_KEEPALIVE, sizeof(*rep));
	rep = sess_call(s->control, sizeof(*rep));
	return rep && rep->hdr.type == RBLK_MSG_KEEPALIVE_REPLY;
}

/**
 * sess_status - wait for the next response
 * @v: an I/O connection
 * @ms: how long
 *
 * Return: enum rblk_wire_status of its first response, or -EIO.
 */
int sess_status(struct verbs *v, unsigned int ms)
{
	const struct rblk_wire_rsp *rsp;
	char *msg = keyed_receive(v, ms, NULL);
	int status;

	if (!msg || *msg != RBLK_MSG_RESPONSE)
		return -EIO;
	rsp = (void *)(msg + sizeof(struct rblk_wire_hdr));
	status = le16toh(rsp->status);
	return verbs_post_recv(v, v->wc.wr_id) ? -EIO : status;
}

/**
 * sess_run - carry out a good command
 * @s: the session
 * @v: an I/O connection of it
 * @op: what
 * @length: bytes; not of a FLUSH
 */
int sess_run(const struct sess *s, struct verbs *v, int op, uint32_t length)
{
	struct rblk_wire_cmd *cmd = sess_fill(s, v, op);

	if (op != RBLK_OP_FLUSH)
		cmd->length = htole32(length);
	if (keyed_send(v, message_len(v->out)) ||
	    verbs_sent(v, WAIT_MS) != IBV_WC_SUCCESS)
		return -EIO;
	return sess_status(v, WAIT_MS);
}
