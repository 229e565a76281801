// SPDX-License-Identifier: GPL-2.0-only
/*
 * seeds DIR: writes good messages of every kind to DIR/FUZZER/NAME, by the
 * encoders themselves where there is one, for the fuzzers to start from.
 */
#include "fuzz.h"
#include "../../target/proto/encoder.c"
#include "../../driver/proto/encoder.c"
#include "../kunit/auth_vectors.h"

#define XID	0x01020304

static const char *dir;

static void save(const char *fuzzer, const char *seed, const void *knobs,
		 size_t knob_bytes, const void *msg, size_t bytes)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", dir, fuzzer, seed);
	f = fopen(path, "wb");
	if (!f || fwrite(knobs, 1, knob_bytes, f) != knob_bytes ||
	    fwrite(msg, 1, bytes, f) != bytes || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void cm(void)
{
	const struct rblk_offer offer = {
		.session = { 1, 2, 3 }, .epoch = 1, .qid = 1, .nr_queues = 4,
		.depth = 128, .max_io = 1 << 20, .inline_write = 4096,
	};
	const struct rblkt_grant grant = {
		.nr_queues = 4, .depth = 128, .max_batch = 16,
		.max_io = 1 << 20, .inline_write = 4096,
	};
	const struct cm_knobs k = {
		.nr_queues = 4, .depth = 128, .max_io = 1 << 20,
		.inline_write = 4096,
	};
	struct rblk_wire_cm_req req;
	struct rblk_wire_cm_rep rep;
	struct rblk_wire_cm_rej rej;
	u8 padded[196] = {};

	rblk_proto_encode_cm_req(&req, &offer);
	save("rblkt_cm", "request", &k, sizeof(k), &req, sizeof(req));
	rblkt_proto_rep(&rep, &grant);
	save("rblk_cm", "reply", &k, sizeof(k), &rep, sizeof(rep));
	memcpy(padded, &rep, sizeof(rep));
	save("rblk_cm", "padded", &k, sizeof(k), padded, sizeof(padded));
	rblkt_proto_rej(&rej, RBLK_REJ_NO_SESSION, 0);
	save("rblk_cm", "refusal", &k, sizeof(k), &rej, sizeof(rej));
	rblkt_proto_rej(&rej, RBLK_REJ_PAUSED, 30000);
	save("rblk_cm", "paused", &k, sizeof(k), &rej, sizeof(rej));
}

static const struct rblk_command commands[] = {
	{ .op = RBLK_OP_READ, .tag = 1, .volume = 1, .length = 4096,
	  .addr = 0x1000, .rkey = 7, .flags = RBLK_CMDF_SYNC },
	{ .op = RBLK_OP_WRITE, .tag = 2, .volume = 1, .length = 8192,
	  .lba = 8, .addr = 0x2000, .rkey = 8, .flags = RBLK_CMDF_FUA },
	{ .op = RBLK_OP_FLUSH, .tag = 3, .volume = 1 },
	{ .op = RBLK_OP_DISCARD, .volume = 1, .length = 65536, .lba = 16 },
	{ .op = RBLK_OP_WRITE_ZEROES, .volume = 1, .length = 4096,
	  .flags = RBLK_CMDF_NOUNMAP },
	{ .op = RBLK_OP_READ, .length = 512, .flags = RBLK_CMDF_INLINE },
	{ .op = RBLK_OP_WRITE, .tag = 4, .length = 4096, .lba = 8,
	  .flags = RBLK_CMDF_PUSHED },
	{ .op = RBLK_OP_WRITE, .tag = 5, .length = 16384, .addr = 4096,
	  .flags = RBLK_CMDF_WINDOW },
	{ .op = RBLK_OP_READ, .tag = 6, .length = 4096, .addr = 0x1000, .rkey = 9,
	  .flags = RBLK_CMDF_DIGEST },
	{ .op = RBLK_OP_WRITE, .tag = 7, .length = 4096, .addr = 0x1000, .rkey = 9,
	  .flags = RBLK_CMDF_DIGEST, .digest = 0xe3069283 },
};

static void command_messages(void)
{
	struct command_knobs k = {
		.knobs = KNOB_LENGTH | KNOB_WRITABLE | KNOB_FEATURES,
		.max_batch = 15, .slot_size = 32 << 16 | 4096,
		.depth = 128, .max_io = 15, .inline_read = 4096,
		.inline_write = 4096, .blocks = 1 << 20,
		.max_discard = 1 << 20, .max_write_zeroes = 1 << 20,
	};
	const struct rblk_command write = {
		.op = RBLK_OP_WRITE, .length = 512, .flags = RBLK_CMDF_INLINE,
	};
	u64 room[128] = {};
	u8 *msg = (u8 *)room;
	struct rblk_wire_cmd *cmd = (void *)(msg + 8);
	size_t i, n = ARRAY_SIZE(commands);
	char seed[16];
	u32 bytes;

	for (i = 0; i < n; i++) {
		bytes = rblk_proto_command_message((void *)msg, 1, 0);
		rblk_proto_encode_command(cmd, &commands[i]);
		snprintf(seed, sizeof(seed), "command-%zu", i);
		k.knobs &= ~KNOB_DIGEST;
		if (commands[i].flags & RBLK_CMDF_DIGEST)
			k.knobs |= KNOB_DIGEST;
		save("rblkt_command", seed, &k, sizeof(k), msg, bytes);
	}
	k.knobs &= ~KNOB_DIGEST;
	bytes = rblk_proto_command_message((void *)msg, n, 0);
	for (i = 0; i < n; i++)
		rblk_proto_encode_command(&cmd[i], &commands[i]);
	k.knobs |= KNOB_COUNT;
	save("rblkt_command", "batch", &k, sizeof(k), msg, bytes);
	k.knobs &= ~KNOB_COUNT;
	memset(msg, 0, sizeof(room));
	bytes = rblk_proto_command_message((void *)msg, 1, write.length);
	rblk_proto_encode_command(cmd, &write);
	save("rblkt_command", "inline", &k, sizeof(k), msg, bytes + write.length);
}

static void responses(void)
{
	struct response_knobs k = {
		.knobs = KNOB_LENGTH | KNOB_INVALIDATED, .gen = 5,
		.length = 512, .rkey = 7, .invalidated = 7,
	};
	u64 room[128] = {};
	u8 *msg = (u8 *)room;
	struct rblk_wire_cmd cmd = {
		.gen = cpu_to_le16(5), .length = cpu_to_le32(512),
	};

	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_OK, false, 3, 2, 1);
	save("rblk_response", "success", &k, sizeof(k), msg, 40);
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_MEDIUM, false, 3, 2, 1);
	save("rblk_response", "error", &k, sizeof(k), msg, 40);
	k.knobs |= KNOB_FEATURES;
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_HELD, false, 3, 2, 1);
	save("rblk_response", "held", &k, sizeof(k), msg, 40);
	k.knobs = KNOB_LENGTH | KNOB_HELD;
	k.rkey = 0;
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_GONE, false, 3, 2, 1);
	save("rblk_response", "freed", &k, sizeof(k), msg, 40);
	k.knobs = KNOB_LENGTH;
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_OK, false, 3, 2, 1);
	memcpy(msg + 40, msg + 8, 32);
	msg[1] = 2;
	k.knobs |= KNOB_COUNT;
	save("rblk_response", "two", &k, sizeof(k), msg, 72);
	k.knobs &= ~KNOB_COUNT;
	memset(msg, 0, sizeof(room));
	k.knobs |= KNOB_INLINE;
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_OK, true, 3, 2, 1);
	save("rblk_response", "inline", &k, sizeof(k), msg, 64 + 512);
	memset(msg, 0, sizeof(room));
	k.knobs = KNOB_LENGTH | KNOB_DIGEST_BACK;
	cmd.op = RBLK_OP_READ;
	cmd.flags = cpu_to_le16(RBLK_CMDF_DIGEST);
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_OK, false, 3, 2, 1);
	save("rblk_response", "digest", &k, sizeof(k), msg, 40);
	k.knobs = KNOB_LENGTH | KNOB_DIGEST;
	cmd.op = RBLK_OP_WRITE;
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_DIGEST, false, 3, 2, 1);
	save("rblk_response", "refused", &k, sizeof(k), msg, 40);
}

static void control_requests(void)
{
	const u8 k = KNOB_LENGTH;
	struct rblk_wire_login login = {
		.host = { 1 }, .instance = { 2 }, .host_name = "web-7",
	};
	struct rblk_wire_attach attach = {
		.name = "disk0", .access = cpu_to_le32(RBLK_ACCESS_WRITE),
		.device = cpu_to_le64(7),
	};
	struct rblk_wire_list list = {};
	struct rblk_wire_detach detach = { .volume = cpu_to_le32(1) };
	struct rblk_wire_bind bind = { .key = cpu_to_le64(0x1234) };
	struct rblk_wire_fence fence = {
		.session = { 1 }, .uuid = { 2 }, .epoch = cpu_to_le32(3),
	};
	struct rblk_wire_reserve reserve = {
		.volume = cpu_to_le32(1), .action = RBLK_RESV_PREEMPT_ABORT, .type = 3,
		.source = cpu_to_le64(4), .number = cpu_to_le64(1), .key = cpu_to_le64(5),
		.new_key = cpu_to_le64(6),
	};
	struct rblk_wire_reservation reservation = { .volume = cpu_to_le32(1) };
	struct rblk_wire_ctl keepalive = {}, portals = {};
	/* A registers, B registers, A reserves, B preempts it. */
	static const u8 steps[] = {
		1, 0, 0, 0, 1,  2, 0, 0, 0, 2,  1, 2, 0, 1, 0,  2, 5, 1, 2, 1,
	};

#define REQUEST(type, m, seed)						\
	do {								\
		rblk_proto_encode_ctl((void *)&(m), type, sizeof(m), XID); \
		save("rblkt_control", seed, &k, 1, &(m), sizeof(m));	\
	} while (0)
	REQUEST(RBLK_MSG_LOGIN, login, "login");
	REQUEST(RBLK_MSG_ATTACH, attach, "attach");
	REQUEST(RBLK_MSG_LIST, list, "list");
	REQUEST(RBLK_MSG_DETACH, detach, "detach");
	REQUEST(RBLK_MSG_BIND, bind, "bind");
	REQUEST(RBLK_MSG_KEEPALIVE, keepalive, "keepalive");
	REQUEST(RBLK_MSG_FENCE, fence, "fence");
	REQUEST(RBLK_MSG_PORTALS, portals, "portals");
	REQUEST(RBLK_MSG_RESERVE, reserve, "reserve");
	REQUEST(RBLK_MSG_RESERVATION, reservation, "reservation");
	save("rblkt_reservation", "preempt", steps, sizeof(steps), NULL, 0);
#undef REQUEST
}

static const struct control_knobs answered = {
	.knobs = KNOB_LENGTH | KNOB_XID, .xid = XID,
};

static void reply(const char *seed, void *msg, u32 bytes, u8 type, u16 status)
{
	rblkt_proto_ctl(msg, bytes, type, cpu_to_le32(XID), status);
	save("rblk_control", seed, &answered, sizeof(answered), msg, bytes);
}

static void attach_replies(void)
{
	struct rblk_wire_attach_reply r = {
		.uuid = { 1, 2, 3 }, .capacity = cpu_to_le64(1 << 30),
		.volume = cpu_to_le32(1), .flags = cpu_to_le32(RBLK_EXPF_FUA),
		.logical_block = cpu_to_le32(512),
		.physical_block = cpu_to_le32(4096),
		.io_min = cpu_to_le32(4096), .io_opt = cpu_to_le32(65536),
		.max_discard = cpu_to_le32(1 << 20),
		.discard_granularity = cpu_to_le32(8192),
		.discard_alignment = cpu_to_le32(512),
		.max_write_zeroes = cpu_to_le32(1 << 20),
		.tenure = cpu_to_le64(1), .right = cpu_to_le64(2),
	};
	struct rblk_wire_attach_reply busy = { .holder = "web-7" };

	reply("attach", &r, sizeof(r), RBLK_MSG_ATTACH_REPLY, RBLK_CTL_OK);
	reply("busy", &busy, sizeof(busy), RBLK_MSG_ATTACH_REPLY, RBLK_CTL_BUSY);
}

static void list_reply(void)
{
	struct control_knobs k = answered;
	u64 msg[(24 + 2 * 96) / 8] = {};
	struct rblk_wire_list_reply *r = (void *)msg;
	int i;

	r->nr = cpu_to_le32(2);
	r->next = cpu_to_le32(2);
	for (i = 0; i < 2; i++) {
		memcpy(r->entry[i].name, "disk", 4);
		r->entry[i].uuid[0] = i;
		r->entry[i].capacity = cpu_to_le64(1 << 20);
		r->entry[i].block_size = cpu_to_le32(512);
	}
	reply("list", msg, sizeof(msg), RBLK_MSG_LIST_REPLY, RBLK_CTL_OK);
	k.knobs |= KNOB_COUNT;
	save("rblk_control", "list-counted", &k, sizeof(k), msg, sizeof(msg));
}

static void portals_reply(void)
{
	static const u8 addr[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 1 };
	u64 msg[(24 + 2 * 24) / 8] = {};
	struct rblk_wire_portals_reply *r = (void *)msg;

	r->nr = cpu_to_le32(2);
	rblkt_proto_portal(&r->portal[0], RBLK_WIRE_FAMILY_IPV4, 4421, addr);
	rblkt_proto_portal(&r->portal[1], RBLK_WIRE_FAMILY_IPV6, 4421, addr);
	reply("portals", msg, sizeof(msg), RBLK_MSG_PORTALS_REPLY, RBLK_CTL_OK);
}

static void reservation_reply(void)
{
	u64 msg[(40 + 2 * 96) / 8] = {};
	struct rblk_wire_reservation_reply *r = (void *)msg;
	int i;

	r->nr = cpu_to_le32(2);
	r->total = cpu_to_le32(2);
	r->generation = cpu_to_le32(3);
	r->type = RBLK_RESV_WRITE_REGISTRANTS;
	for (i = 0; i < 2; i++) {
		r->entry[i].key = cpu_to_le64(i + 1);
		r->entry[i].host[0] = i;
		memcpy(r->entry[i].name, "web-7", 5);
		r->entry[i].flags = cpu_to_le32(i ? 0 : RBLK_REGF_ALL);
	}
	reply("reservation", msg, sizeof(msg), RBLK_MSG_RESERVATION_REPLY, RBLK_CTL_OK);
}

static void control_replies(void)
{
	struct rblk_wire_login_reply login = {
		.key = cpu_to_le64(1), .target = { 1 }, .target_name = "store",
		.keepalive_ms = cpu_to_le32(5000),
	};
	struct rblk_wire_bind_reply bind = {};
	struct rblk_wire_ctl plain = {};
	struct rblk_wire_event event = { .volume = cpu_to_le32(1) };
	const struct control_knobs unasked = { .knobs = KNOB_LENGTH };
	const struct control_knobs pushing = {
		.knobs = KNOB_LENGTH | KNOB_XID | KNOB_FEATURES, .xid = XID,
	};
	struct rblk_wire_bind_reply granted = {
		.slot_addr = cpu_to_le64(1 << 20), .slot_rkey = cpu_to_le32(7),
		.slot_size = cpu_to_le16(4096), .slots = cpu_to_le16(32),
		.window_addr = cpu_to_le64(1 << 24), .window_rkey = cpu_to_le32(8),
		.window_bytes = cpu_to_le32(512 << 10),
	};

	reply("login", &login, sizeof(login), RBLK_MSG_LOGIN_REPLY, RBLK_CTL_OK);
	reply("bind", &bind, sizeof(bind), RBLK_MSG_BIND_REPLY, RBLK_CTL_OK);
	rblkt_proto_ctl(&granted, sizeof(granted), RBLK_MSG_BIND_REPLY, cpu_to_le32(XID),
			RBLK_CTL_OK);
	save("rblk_control", "bind-granted", &pushing, sizeof(pushing), &granted,
	     sizeof(granted));
	reply("detach", &plain, sizeof(plain), RBLK_MSG_DETACH_REPLY,
	      RBLK_CTL_NO_VOLUME);
	attach_replies();
	list_reply();
	portals_reply();
	reservation_reply();
	reply("fence", &plain, sizeof(plain), RBLK_MSG_FENCE_REPLY, RBLK_CTL_AGAIN);
	rblkt_proto_ctl(&event, sizeof(event), RBLK_MSG_EVENT, 0, 0);
	event.kind = cpu_to_le16(RBLK_EVENT_CAPACITY);
	event.capacity = cpu_to_le64(1 << 20);
	save("rblk_control", "capacity", &unasked, sizeof(unasked), &event,
	     sizeof(event));
	event.capacity = 0;
	event.volume = 0;
	event.kind = cpu_to_le16(RBLK_EVENT_GOING_AWAY);
	event.duration_ms = cpu_to_le32(1000);
	save("rblk_control", "going-away", &unasked, sizeof(unasked), &event,
	     sizeof(event));
	event.kind = cpu_to_le16(RBLK_EVENT_RESERVATION);
	event.volume = cpu_to_le32(1);
	event.duration_ms = 0;
	event.why = cpu_to_le32(RBLK_RESV_PREEMPTED);
	save("rblk_control", "preempted", &unasked, sizeof(unasked), &event,
	     sizeof(event));
}

/* Whole, and as nothing changed in what it would be. */
static void handshakes(void)
{
	static const u8 same[248];
	static const size_t bytes[AUTH_NR] = { 248, 240, 248, 64 };
	struct auth_knobs k = { .at = AUTH_LOGIN1 };

	save("rblk_auth", "login1", &k, sizeof(k), vector_login1, sizeof(vector_login1));
	k.at = AUTH_REPLY;
	save("rblk_auth", "reply", &k, sizeof(k), vector_reply, sizeof(vector_reply));
	k.at = AUTH_LOGIN2;
	save("rblk_auth", "login2", &k, sizeof(k), vector_login2, sizeof(vector_login2));
	k.at = AUTH_MESSAGE;
	save("rblk_auth", "message", &k, sizeof(k), vector_command0, sizeof(vector_command0));
	k.change = 1;
	for (k.at = 0; k.at < AUTH_NR; k.at++) {
		char seed[16];

		snprintf(seed, sizeof(seed), "same-%u", k.at);
		save("rblk_auth", seed, &k, sizeof(k), same, bytes[k.at]);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s DIR\n", argv[0]);
		return 2;
	}
	dir = argv[1];
	cm();
	command_messages();
	responses();
	control_requests();
	control_replies();
	handshakes();
	return 0;
}
