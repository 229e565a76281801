// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connection requests that must be refused, each with its reason.
 */
#include "host.h"

struct request_case {
	const char *name;
	unsigned int qid;
	int want;
	void (*spoil)(struct rblk_wire_cm_req *req);
};

#define SPOIL(name, ...)						\
	static void name(struct rblk_wire_cm_req *req) { __VA_ARGS__; }

SPOIL(magic, req->magic = htole32(RBLK_WIRE_MAGIC + 1))
SPOIL(size_short, req->size = htole16(55))
SPOIL(size_long, req->size = htole16(0xffff))
SPOIL(version_old, req->version_min = req->version_max = 0)
SPOIL(version_new, req->version_min = 2; req->version_max = 255)
SPOIL(version_backwards, req->version_min = 2)
SPOIL(session_zero, memset(req->session, 0, 16))
SPOIL(epoch_zero, req->epoch = 0)
SPOIL(epoch_old, req->epoch = htole32(1))
SPOIL(epoch_new, req->epoch = htole32(le32toh(req->epoch) + 1))
SPOIL(epoch_max, req->epoch = htole32(~0u))
SPOIL(qid_above, req->qid = htole16(QUEUES + 1))
SPOIL(qid_max, req->qid = htole16(0xffff))
SPOIL(qid_taken, req->qid = htole16(1))
SPOIL(qid_wide, req->qid = req->nr_queues = htole16(QUEUES + 1))
SPOIL(queues_many, req->nr_queues = htole16(RBLK_WIRE_MAX_QUEUES + 1))
SPOIL(depth_low, req->depth = htole16(RBLK_WIRE_MIN_DEPTH - 1))
SPOIL(depth_high, req->depth = htole16(RBLK_WIRE_MAX_DEPTH + 1))
SPOIL(depth_zero, req->depth = 0)
SPOIL(max_io_low, req->max_io = htole32(RBLK_WIRE_MIN_IO - 1))
SPOIL(max_io_high, req->max_io = htole32(RBLK_WIRE_MAX_IO + 1))
SPOIL(max_io_max, req->max_io = htole32(~0u))
SPOIL(inline_read_high, req->inline_read = htole32(RBLK_WIRE_MAX_INLINE + 1))
SPOIL(inline_write_max, req->inline_write = htole32(~0u))
SPOIL(reserved, req->reserved = htole16(0x8000))
SPOIL(reserved2, req->reserved2 = htole32(1))
SPOIL(session_foreign, req->session[15] ^= 1)

static const struct request_case cases[] = {
	{ "request-magic", 0, RBLK_REJ_MALFORMED, magic },
	{ "request-size-short", 0, RBLK_REJ_MALFORMED, size_short },
	{ "request-size-long", 0, RBLK_REJ_MALFORMED, size_long },
	{ "request-version-old", 0, RBLK_REJ_VERSION, version_old },
	{ "request-version-new", 0, RBLK_REJ_VERSION, version_new },
	{ "request-version-backwards", 0, RBLK_REJ_MALFORMED, version_backwards },
	{ "request-session-zero", 0, RBLK_REJ_MALFORMED, session_zero },
	{ "request-epoch-zero", 0, RBLK_REJ_MALFORMED, epoch_zero },
	{ "request-epoch-old-io", 2, RBLK_REJ_STALE_EPOCH, epoch_old },
	{ "request-epoch-new-io", 2, RBLK_REJ_NO_SESSION, epoch_new },
	{ "request-epoch-max-io", 2, RBLK_REJ_NO_SESSION, epoch_max },
	{ "request-qid-above", 0, RBLK_REJ_LIMITS, qid_above },
	{ "request-qid-max", 0, RBLK_REJ_LIMITS, qid_max },
	{ "request-qid-taken", 0, RBLK_REJ_DUPLICATE, qid_taken },
	{ "request-qid-beyond-grant", 0, RBLK_REJ_LIMITS, qid_wide },
	{ "request-queues-many", 0, RBLK_REJ_LIMITS, queues_many },
	{ "request-depth-zero", 2, RBLK_REJ_LIMITS, depth_zero },
	{ "request-depth-low", 2, RBLK_REJ_LIMITS, depth_low },
	{ "request-depth-high", 2, RBLK_REJ_LIMITS, depth_high },
	{ "request-max-io-low", 2, RBLK_REJ_LIMITS, max_io_low },
	{ "request-max-io-high", 2, RBLK_REJ_LIMITS, max_io_high },
	{ "request-max-io-max", 2, RBLK_REJ_LIMITS, max_io_max },
	{ "request-inline-read", 2, RBLK_REJ_LIMITS, inline_read_high },
	{ "request-inline-write", 2, RBLK_REJ_LIMITS, inline_write_max },
	{ "request-reserved", 0, RBLK_REJ_MALFORMED, reserved },
	{ "request-reserved2", 2, RBLK_REJ_MALFORMED, reserved2 },
	{ "request-session-foreign", 1, RBLK_REJ_NO_SESSION, session_foreign },
};

static bool iwarp;

static const char *refused(const struct rblk_wire_cm_req *req, size_t len,
			   int want)
{
	struct verbs *v;
	int reason;

	watch_begin();
	v = sess_dial(req, len, &reason);
	verbs_close(v);
	/* SIW's reset may overtake the refusal; the target's count tells. */
	if (reason == SESS_NO_REASON && iwarp)
		reason = want;
	if (reason != want)
		return report_why("the answer is %d, not %d", reason, want);
	return watch_end(report_why("refused: %d", want), "refused");
}

/* Bytes that the transport does not pad, and none of those we mean. */
static void truncated(const struct sess *s)
{
	struct rblk_wire_cm_req req = sess_request(s, 0);

	/* Padded with zeroes by IB the reserved end looks whole. */
	report_case("request-truncated",
		    refused(&req, offsetof(struct rblk_wire_cm_req, max_io),
			    iwarp ? RBLK_REJ_MALFORMED : RBLK_REJ_LIMITS));
	report_case("request-no-private-data",
		    refused(NULL, 0, RBLK_REJ_MALFORMED));
}

/* Without RDMA READ at our end the target can't fetch what we write. */
static void no_reads(const struct sess *s)
{
	struct rblk_wire_cm_req req = sess_request(s, 2);
	struct verbs *v = sess_prepare();
	const char *why;

	watch_begin();
	if (!v)
		report_die("can't prepare a connection");
	verbs_connect(v, &req, sizeof(req), 0, WAIT_MS);
	why = v->connected ? "it was accepted" :
	      watch_end(report_why("refused: %d", RBLK_REJ_LIMITS), "refused");
	verbs_close(v);
	report_case("request-no-reads", why);
}

/**
 * request_cases - run them, beside a session that must not notice
 */
void request_cases(void)
{
	struct sess s;
	size_t i;

	sess_init(&s);
	s.epoch = 5;
	if (sess_control(&s) || sess_login(&s) || sess_io(&s, 1))
		report_die("can't log in");
	iwarp = sess_is_iwarp(s.control);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rblk_wire_cm_req req = sess_request(&s, cases[i].qid);
		const char *why;

		cases[i].spoil(&req);
		why = refused(&req, sizeof(req), cases[i].want);
		if (!why && !sess_alive(&s))
			why = "the session beside it is dead";
		report_case(cases[i].name, why);
	}
	truncated(&s);
	no_reads(&s);
	sess_close(&s);
}
