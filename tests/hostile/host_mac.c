// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host that the target has let in by its key, or who has taken its place on the
 * network: messages with wrong MACs, messages of another time, connection or direction.
 */
#include "host.h"

struct mac_case {
	const char *name;
	bool control;			/* on the control connection */
	const char *reason;		/* that the connection ends for; NULL: all is well */
	size_t (*make)(struct sess *s, struct verbs *v);
};

#define SHORT	"violation: message shorter than its header"
#define LENGTH	"violation: length does not match the bytes received"
#define BYTES	512			/* of an inline write */

static size_t sign(struct verbs *v)
{
	return auth_sign(&v->macs.tx, v->out, message_len(v->out));
}

static void flush(struct sess *s, struct verbs *v)
{
	sess_fill(s, v, RBLK_OP_FLUSH);
}

static void keepalive(struct verbs *v)
{
	sess_ctl(v, RBLK_MSG_KEEPALIVE, sizeof(struct rblk_wire_ctl));
}

/* Whatever belongs on that connection. */
static void message(struct sess *s, struct verbs *v)
{
	if (v == s->control)
		keepalive(v);
	else
		flush(s, v);
}

/* It has been carried out; it is still in the send area. */
static void done_once(struct sess *s, struct verbs *v)
{
	if (v == s->control ? !sess_alive(s) : sess_run(s, v, RBLK_OP_FLUSH, 0) != 0)
		report_die("a good message came to nothing");
}

#define MAKE(name, ...)							\
	static size_t name(struct sess *s, struct verbs *v)		\
	{								\
		size_t len;						\
									\
		message(s, v);						\
		__VA_ARGS__;						\
		return len;						\
	}

MAKE(good, len = sign(v))
MAKE(flipped, len = sign(v);
	v->out[8 + random_below(len - 8 - AUTH_MAC)] ^= 1 << random_below(8))
MAKE(count_flipped, len = sign(v); v->out[1] ^= 2)
MAKE(mac_flipped, len = sign(v); v->out[len - 1 - random_below(AUTH_MAC)] ^= 0x40)
MAKE(mac_zero, len = sign(v); memset(v->out + len - AUTH_MAC, 0, AUTH_MAC))
MAKE(unsigned_at_all, len = message_len(v->out))
MAKE(cut, len = sign(v) - 1; message_set_len(v->out, len))
MAKE(cut_and_told, len = sign(v) - 1)
MAKE(longer, len = sign(v); v->out[len++] = 0; message_set_len(v->out, len))
MAKE(header_only, len = 8; message_set_len(v->out, len))
MAKE(almost_mac, len = 15; message_set_len(v->out, len))
MAKE(counter_ahead, v->macs.tx.counter++; len = sign(v))
MAKE(counter_far, v->macs.tx.counter += 1ull << 32; len = sign(v))
MAKE(counter_zero, v->macs.tx.counter = 0; len = sign(v))
MAKE(counter_behind, done_once(s, v); message(s, v); v->macs.tx.counter--; len = sign(v))
MAKE(repeated, done_once(s, v); len = message_len(v->out))
MAKE(direction, v->macs.tx = v->macs.rx; len = sign(v))
MAKE(direction_only, memcpy(v->macs.tx.key, v->macs.rx.key, 16); len = sign(v))
MAKE(key_zero, memset(v->macs.tx.key, 0, 16); len = sign(v))
MAKE(of_witness, const struct heard *heard = v == s->control ? &witness.keepalive :
	&witness.command; len = heard->len; memcpy(v->out, heard->msg, len))

/* The answer to a good message, sent back. */
MAKE(reflected, done_once(s, v); len = v->macs.last_len;
	memcpy(v->out, v->macs.last, len))

/* By the key of the session's other connection. */
MAKE(key_of_other, memcpy(v->macs.tx.key, v == s->control ? s->io[1]->macs.tx.key :
			  s->control->macs.tx.key, 16); len = sign(v))

/* By a key for which not all is as it was. */
static size_t other_key(struct sess *s, struct verbs *v, const struct auth_link *said)
{
	uint64_t counter = v->macs.tx.counter;

	auth_mac_init(&v->macs.tx, s->secret, AUTH_TO_TARGET, &said->req, &said->rep);
	v->macs.tx.counter = counter;
	message(s, v);
	return sign(v);
}

static size_t key_of_qid(struct sess *s, struct verbs *v)
{
	struct auth_link said = v->macs;

	said.req.qid = htole16(2);
	return other_key(s, v, &said);
}

static size_t key_of_nonce(struct sess *s, struct verbs *v)
{
	struct auth_link said = v->macs;

	said.rep.nonce[0] ^= 1;
	return other_key(s, v, &said);
}

static size_t swapped(struct sess *s, struct verbs *v)
{
	uint64_t mac;
	size_t len;

	message(s, v);
	len = sign(v);
	memcpy(&mac, v->out + len - AUTH_MAC, AUTH_MAC);
	mac = __builtin_bswap64(mac);
	memcpy(v->out + len - AUTH_MAC, &mac, AUTH_MAC);
	return len;
}

/* Two commands, which are more than the data would begin behind. */
static size_t two(struct sess *s, struct verbs *v)
{
	struct rblk_wire_cmd *cmd = message_commands(v->out, 2);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cmd[i].op = RBLK_OP_FLUSH;
		cmd[i].tag = htole16(1 + i);
		cmd[i].volume = htole32(s->volume);
	}
	return sign(v);
}

static size_t two_flipped(struct sess *s, struct verbs *v)
{
	size_t len = two(s, v);

	v->out[8 + 48 + 4] ^= 4;
	return len;
}

/* A write with its data, and no MAC yet. */
static size_t inline_write(struct sess *s, struct verbs *v)
{
	struct rblk_wire_cmd *cmd = message_commands(v->out, 1);
	struct rblk_wire_hdr *hdr = (void *)v->out;

	cmd->op = RBLK_OP_WRITE;
	cmd->flags = htole16(RBLK_CMDF_INLINE);
	cmd->tag = htole16(1);
	cmd->volume = htole32(s->volume);
	cmd->length = htole32(BYTES);
	hdr->flags = htole16(RBLK_HDRF_DATA);
	memset(v->out + RBLK_WIRE_DATA_OFFSET, 0x77, BYTES);
	message_set_len(v->out, RBLK_WIRE_DATA_OFFSET + BYTES);
	return message_len(v->out);
}

static size_t inline_good(struct sess *s, struct verbs *v)
{
	inline_write(s, v);
	return sign(v);
}

/* MACs do not cover the data: no violation, and no promise either. */
static size_t inline_data_changed(struct sess *s, struct verbs *v)
{
	size_t len = inline_good(s, v);

	v->out[RBLK_WIRE_DATA_OFFSET + 3] ^= 1;
	return len;
}

static size_t inline_behind(struct sess *s, struct verbs *v)
{
	size_t len = inline_write(s, v);

	message_set_len(v->out, len + AUTH_MAC);
	auth_mac_of(&v->macs.tx, v->out, len, v->macs.tx.counter, (uint8_t *)v->out + len);
	return len + AUTH_MAC;
}

static size_t inline_with_data(struct sess *s, struct verbs *v)
{
	size_t len = inline_write(s, v);
	uint8_t mac[AUTH_MAC];

	auth_mac_of(&v->macs.tx, v->out, len, v->macs.tx.counter, mac);
	memcpy(v->out + RBLK_WIRE_DATA_OFFSET - AUTH_MAC, mac, AUTH_MAC);
	return len;
}

static size_t inline_flipped(struct sess *s, struct verbs *v)
{
	size_t len = inline_good(s, v);

	v->out[8 + 16] ^= 1;
	return len;
}

static size_t inline_flag_gone(struct sess *s, struct verbs *v)
{
	size_t len = inline_good(s, v);

	v->out[2] = 0;
	return len;
}

static size_t inline_flag_stray(struct sess *s, struct verbs *v)
{
	size_t len;

	flush(s, v);
	len = sign(v);
	v->out[2] = RBLK_HDRF_DATA;
	return len;
}

static size_t inline_cut(struct sess *s, struct verbs *v)
{
	inline_good(s, v);
	message_set_len(v->out, RBLK_WIRE_DATA_OFFSET - 1);
	return RBLK_WIRE_DATA_OFFSET - 1;
}

#define IO(name, make)		{ "command-" name, false, WRONG_MAC, make }
#define CONTROL(name, make)	{ "keepalive-" name, true, WRONG_MAC, make }

static const struct mac_case cases[] = {
	{ "command-good", false, NULL, good },
	{ "command-two-good", false, NULL, two },
	{ "command-header-only", false, SHORT, header_only },
	{ "command-almost-mac", false, SHORT, almost_mac },
	{ "command-cut-and-told", false, LENGTH, cut_and_told },
	IO("flipped", flipped), IO("count-flipped", count_flipped),
	IO("mac-flipped", mac_flipped), IO("mac-zero", mac_zero),
	IO("mac-swapped", swapped), IO("unsigned", unsigned_at_all), IO("cut", cut),
	IO("longer", longer), IO("counter-ahead", counter_ahead),
	IO("counter-far", counter_far), IO("counter-behind", counter_behind),
	IO("counter-zero", counter_zero), IO("repeated", repeated),
	IO("direction", direction),
	IO("direction-only", direction_only), IO("key-zero", key_zero),
	IO("key-of-control", key_of_other), IO("key-of-qid", key_of_qid),
	IO("key-of-nonce", key_of_nonce), IO("of-another-session", of_witness),
	IO("reflected", reflected), IO("second-flipped", two_flipped),
	{ "inline-good", false, NULL, inline_good },
	{ "inline-data-changed", false, NULL, inline_data_changed },
	{ "inline-cut", false, LENGTH, inline_cut },
	{ "inline-unsigned", false, WRONG_MAC, inline_write },
	{ "inline-mac-behind", false, WRONG_MAC, inline_behind },
	{ "inline-mac-with-data", false, WRONG_MAC, inline_with_data },
	{ "inline-flipped", false, WRONG_MAC, inline_flipped },
	{ "inline-flag-gone", false, WRONG_MAC, inline_flag_gone },
	{ "inline-flag-stray", false, WRONG_MAC, inline_flag_stray },
	{ "keepalive-good", true, NULL, good },
	{ "keepalive-header-only", true, SHORT, header_only },
	{ "keepalive-cut-and-told", true, LENGTH, cut_and_told },
	CONTROL("flipped", flipped), CONTROL("mac-flipped", mac_flipped),
	CONTROL("unsigned", unsigned_at_all), CONTROL("cut", cut),
	CONTROL("counter-ahead", counter_ahead),
	CONTROL("counter-behind", counter_behind),
	CONTROL("repeated", repeated), CONTROL("direction", direction),
	CONTROL("key-of-io", key_of_other), CONTROL("key-of-nonce", key_of_nonce),
	CONTROL("of-another-session", of_witness), CONTROL("reflected", reflected),
};

/* It is answered, and so is another one. */
static const char *mac_well(struct sess *s, struct verbs *v)
{
	const char *why = NULL;

	if (v != s->control && sess_status(v, WAIT_MS))
		why = "it is not answered well";
	else if (v == s->control && !keyed_receive(v, WAIT_MS, NULL))
		why = "no answer with a good MAC";
	else if (v == s->control && verbs_post_recv(v, v->wc.wr_id))
		why = "can't receive";
	else if (!sess_alive(s))
		why = "the session is dead";
	sess_close(s);
	return witness_well(why ? why : watch_end(NULL, NULL));
}

static const char *mac_spoilt(const struct mac_case *c)
{
	struct verbs *v;
	struct sess s;
	size_t len;

	if (sess_open(&s)) {
		sess_close(&s);
		return "can't begin";
	}
	v = c->control ? s.control : s.io[1];
	watch_begin();
	len = c->make(&s, v);
	if (verbs_send(v, len) || verbs_sent(v, WAIT_MS) != IBV_WC_SUCCESS) {
		sess_close(&s);
		return "can't send";
	}
	return c->reason ? witness_ended(&s, v, c->reason) : mac_well(&s, v);
}

/* A good command of one connection, on the session's other one. */
static const char *other_connection(bool fresh)
{
	struct sess s;
	size_t len;

	if (sess_open(&s) || sess_io(&s, 2)) {
		sess_close(&s);
		return "can't begin";
	}
	watch_begin();
	if (!fresh)
		done_once(&s, s.io[1]);
	else
		flush(&s, s.io[1]);
	len = fresh ? sign(s.io[1]) : message_len(s.io[1]->out);
	memcpy(s.io[2]->out, s.io[1]->out, len);
	if (verbs_send(s.io[2], len)) {
		sess_close(&s);
		return "can't send";
	}
	return witness_ended(&s, s.io[2], WRONG_MAC);
}

struct bind_case {
	const char *name;
	const char *reason;		/* that the connection ends for */
	void (*make)(struct sess *s, struct verbs *v);
};

static void bind_sign(struct verbs *v)
{
	auth_sign(&v->macs.tx, v->out, sizeof(struct rblk_wire_bind));
}

static void bind_ahead(struct sess *s, struct verbs *v)
{
	(void)s;
	v->macs.tx.counter = 1;
	bind_sign(v);
}

static void bind_direction(struct sess *s, struct verbs *v)
{
	(void)s;
	v->macs.tx = v->macs.rx;
	bind_sign(v);
}

static void bind_by_control(struct sess *s, struct verbs *v)
{
	v->macs.tx = s->control->macs.tx;
	bind_sign(v);
}

/* As if it were the first I/O connection. */
static void bind_qid(struct sess *s, struct verbs *v)
{
	v->macs.req.qid = htole16(1);
	keyed_macs(s, v);
	bind_sign(v);
}

static void bind_flipped(struct sess *s, struct verbs *v)
{
	(void)s;
	bind_sign(v);
	v->out[8] ^= 1;
}

static void bind_with_key(struct sess *s, struct verbs *v)
{
	struct rblk_wire_bind *bind = (void *)v->out;

	(void)s;
	bind->key = htole64(1);
	bind_sign(v);
}

static const struct bind_case binds[] = {
	{ "bind-counter-ahead", WRONG_MAC, bind_ahead },
	{ "bind-direction", WRONG_MAC, bind_direction },
	{ "bind-by-control", WRONG_MAC, bind_by_control },
	{ "bind-key-of-qid", WRONG_MAC, bind_qid },
	{ "bind-flipped", WRONG_MAC, bind_flipped },
	{ "bind-with-session-key", "violation: wrong session key", bind_with_key },
};

/* BIND of the second I/O connection; the session itself must outlive it. */
static const char *bind_spoilt(const struct bind_case *c)
{
	struct rblk_wire_cm_req req;
	const char *why;
	struct sess s;
	struct verbs *v;
	int reason;

	if (sess_open(&s))
		return "can't begin";
	req = sess_request(&s, 2);
	watch_begin();
	v = sess_dial(&req, sizeof(req), &reason);
	if (!v) {
		sess_close(&s);
		return report_why("refused: %d", reason);
	}
	keyed_macs(&s, v);
	sess_fill_bind(&s, v);
	c->make(&s, v);
	if (verbs_send(v, message_len(v->out)) || !verbs_gone(v, WAIT_MS))
		why = "the connection lives";
	else if (!sess_alive(&s) || sess_run(&s, s.io[1], RBLK_OP_FLUSH, 0))
		why = "the session is dead";
	else
		why = watch_end(c->reason, c->reason + strlen("violation: "));
	verbs_close(v);
	sess_close(&s);
	return witness_well(why);
}

/* What was good in the session's former epoch. */
static const char *former_epoch(bool bind)
{
	struct heard heard;
	struct sess s, next;
	struct verbs *v;

	if (sess_open(&s))
		return "can't begin";
	if (!bind)
		done_once(&s, s.io[1]);
	heard.len = message_len(s.io[1]->out);
	memcpy(heard.msg, s.io[1]->out, heard.len);
	next = s;
	next.epoch++;
	next.control = NULL;
	memset(next.io, 0, sizeof(next.io));
	if (sess_control(&next) || sess_login(&next) || (!bind && sess_io(&next, 1)))
		return "no second epoch";
	sess_close(&s);
	watch_begin();
	if (bind) {
		struct rblk_wire_cm_req req = sess_request(&next, 1);
		int reason;

		next.io[1] = sess_dial(&req, sizeof(req), &reason);
	}
	v = next.io[1];
	if (!v)
		return "no I/O connection";
	memcpy(v->out, heard.msg, heard.len);
	if (verbs_send(v, heard.len))
		return "can't send";
	return witness_ended(&next, v, WRONG_MAC);
}

/**
 * mac_cases - run them beside the session of another host with a key
 */
void mac_cases(void)
{
	size_t i;

	if (!host_keyed)
		report_die("wants keys (-t and -k)");
	witness_open(host_other);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!report_skips(cases[i].name))
			report_case(cases[i].name, mac_spoilt(&cases[i]));
	for (i = 0; i < ARRAY_SIZE(binds); i++)
		report_case(binds[i].name, bind_spoilt(&binds[i]));
	report_case("command-of-other-connection", other_connection(true));
	report_case("command-done-on-other-connection", other_connection(false));
	report_case("command-of-former-epoch", former_epoch(false));
	report_case("bind-of-former-epoch", former_epoch(true));
	witness_close();
}
