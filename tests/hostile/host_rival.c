// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hosts that the target has let in, by a key of their own or without one, and that are
 * after what belongs to the host of another key.
 */
#include <stdio.h>
#include "host.h"

/* A session of our own, by @who or nobody, with what of the witness's we name. */
static const char *log_in(struct sess *s, const struct keyed *who)
{
	int status;

	s->keyed = who;
	if (sess_control(s))
		return "can't begin";
	status = sess_login(s);
	return status ? report_why("the status is %d", status) : NULL;
}

/* Let in under that name, and it means nothing. */
static const char *named(struct sess *s, const struct keyed *who)
{
	const char *why;

	watch_begin();
	why = log_in(s, who);
	if (!why && !sess_alive(s))
		why = "the session is dead";
	sess_close(s);
	return witness_well(why ? why : watch_end(NULL, NULL));
}

static const char *host_named(const struct keyed *who, bool instance)
{
	struct sess s;

	sess_init(&s);
	memcpy(s.host, witness.s.host, sizeof(s.host));
	if (instance)
		memcpy(s.instance, witness.s.instance, sizeof(s.instance));
	return named(&s, who);
}

/* The UUID by which the target knows the witness's key. */
static const char *id_named(const struct keyed *who)
{
	struct sess s;

	sess_init(&s);
	auth_host_id(s.host, witness.s.keyed->own.public);
	return named(&s, who);
}

static const char *refused(const struct keyed *who, struct sess *s, int want)
{
	int status;

	s->keyed = who;
	watch_begin();
	if (sess_control(s))
		return "can't begin";
	status = sess_login(s);
	return witness_refused(s, status, want);
}

/* The witness's session, of a later epoch: with this host it is another session. */
static const char *session_named(const struct keyed *who)
{
	struct sess s;

	witness_again(&s);
	s.epoch += 1000;
	return named(&s, who);
}

static const char *fence_named(const struct keyed *who, bool host)
{
	const struct rblk_wire_ctl *rep;
	const char *why;
	struct sess s;

	sess_init(&s);
	if (host) {
		memcpy(s.host, witness.s.host, sizeof(s.host));
		memcpy(s.instance, witness.s.instance, sizeof(s.instance));
	}
	watch_begin();
	why = log_in(&s, who);
	if (!why) {
		fence_fill(s.control, witness.s.uuid, witness.s.host, 1000);
		rep = sess_call(s.control, sizeof(struct rblk_wire_fence));
		if (!rep)
			why = "no answer";
		else if (le16toh(rep->status) != RBLK_CTL_NO_EXPORT)
			why = report_why("the status is %d", le16toh(rep->status));
	}
	sess_close(&s);
	return witness_well(why ? why : watch_end(NULL, NULL));
}

static const char *attach_denied(const struct keyed *who, const char *export)
{
	const char *why;
	struct sess s;
	int status;

	sess_init(&s);
	watch_begin();
	why = log_in(&s, who);
	status = why ? 0 : sess_attach(&s, export, 0);
	if (!why && status != RBLK_CTL_DENIED)
		why = report_why("the status is %d", status);
	sess_close(&s);
	return witness_well(why ? why : watch_end(NULL, NULL));
}

/* BIND to the witness's session, by what is good in our own. */
static const char *bind_to_another(const struct keyed *who)
{
	struct rblk_wire_cm_req req = sess_request(&witness.s, 2);
	const char *why;
	struct sess s;
	int reason;

	sess_init(&s);
	why = log_in(&s, who);
	if (why) {
		sess_close(&s);
		return why;
	}
	watch_begin();
	s.io[2] = sess_dial(&req, sizeof(req), &reason);
	if (!s.io[2]) {
		sess_close(&s);
		return report_why("refused: %d", reason);
	}
	if (who)
		keyed_macs(&s, s.io[2]);
	sess_fill_bind(&s, s.io[2]);
	if (keyed_send(s.io[2], sizeof(struct rblk_wire_bind))) {
		sess_close(&s);
		return "can't send";
	}
	why = witness_ended(&s, s.io[2], WRONG_MAC);
	verbs_sleep(300);
	return why;
}

/* A volume of the witness's, in a command of our own. */
static const char *volume_of_another(const struct keyed *who)
{
	const char *why;
	struct sess s;

	sess_init(&s);
	why = log_in(&s, who);
	if (!why && (sess_attach_patiently(&s, host_export, 0) || sess_io(&s, 1)))
		why = "can't begin";
	if (why || s.volume == witness.s.volume) {
		sess_close(&s);
		return witness_well(why);
	}
	watch_begin();
	s.volume = witness.s.volume;
	sess_fill(&s, s.io[1], RBLK_OP_READ);
	if (keyed_send(s.io[1], message_len(s.io[1]->out))) {
		sess_close(&s);
		return "can't send";
	}
	return witness_ended(&s, s.io[1], "violation: unknown volume handle");
}

struct rival_case {
	const char *name;
	const char *(*run)(const struct keyed *who);
};

static const char *rival_host(const struct keyed *who)
{
	return host_named(who, false);
}

static const char *rival_instance(const struct keyed *who)
{
	return host_named(who, true);
}

static const char *rival_fence(const struct keyed *who)
{
	return fence_named(who, false);
}

static const char *rival_fence_host(const struct keyed *who)
{
	return fence_named(who, true);
}

static const char *rival_attach(const struct keyed *who)
{
	return attach_denied(who, "calm");
}

/* What every host that is let in may try. */
static const struct rival_case rivals[] = {
	{ "host-named", rival_host },
	{ "host-and-instance-named", rival_instance },
	{ "session-named", session_named },
	{ "fence-named", rival_fence },
	{ "fence-host-named", rival_fence_host },
	{ "attach-denied", rival_attach },
	{ "bind-to-another", bind_to_another },
	{ "volume-of-another", volume_of_another },
};

static void rival(const char *prefix, const struct keyed *who)
{
	char name[48];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rivals); i++) {
		snprintf(name, sizeof(name), "%s-%s", prefix, rivals[i].name);
		report_case(name, rivals[i].run(who));
	}
}

/**
 * rival_cases - a host with one key against the host with another
 */
void rival_cases(void)
{
	if (!host_keyed)
		report_die("wants keys (-t and -k)");
	witness_open(host_other);
	rival("rival", host_keyed);
	report_case("rival-id-named", id_named(host_keyed));
	witness_close();
}

/* A key that is none, to a target that takes any. */
static const char *low_order_key(unsigned int n)
{
	struct auth_pair ephemeral;
	struct hello hello = { 0 };
	struct sess s;
	const char *want;
	int status;

	auth_pair_random(&ephemeral);
	sess_init(&s);
	watch_begin();
	if (sess_control(&s))
		return "can't begin";
	hello.first = *sess_fill_login(&s, s.control);
	hello.first.auth_method = htole16(RBLK_AUTH_X25519);
	hello.first.auth_len = htole16(2 * AUTH_KEY);
	memcpy(hello.first.auth, ephemeral.public, AUTH_KEY);
	low_point_get(hello.first.auth + AUTH_KEY, n);
	status = keyed_ask(&s, &hello);
	if (status != RBLK_CTL_AUTH && status != RBLK_CTL_KEY_UNKNOWN) {
		sess_close(&s);
		return report_why("the status is %d", status);
	}
	sess_close(&s);
	want = watch_either("login: 9", "login: 22");
	return witness_well(watch_end(want, "refused: status"));
}

/**
 * anyone_cases - a host whose key is in no list, where an export takes any key
 *
 * Our export is that one.
 */
void anyone_cases(void)
{
	char name[32];
	unsigned int i;

	if (!host_keyed)
		report_die("wants keys (-t and -k)");
	witness_open(host_other);
	rival("anyone", host_keyed);
	report_case("anyone-id-named", id_named(host_keyed));
	for (i = 0; i < LOW_POINTS; i++) {
		snprintf(name, sizeof(name), "anyone-low-order-%u", i);
		report_case(name, low_order_key(i));
	}
	witness_close();
}

static const char *uuid_refused(bool exactly)
{
	struct sess s;

	sess_init(&s);
	auth_host_id(s.host, witness.s.keyed->own.public);
	if (!exactly)
		s.host[0] ^= 1;
	return refused(NULL, &s, RBLK_CTL_AUTH);
}

/* It begins a handshake, and goes on as one who has no key. */
static const char *handshake_left(void)
{
	struct hello hello;
	struct sess s;
	int status;

	sess_init(&s);
	s.keyed = witness.s.keyed;
	watch_begin();
	if (sess_control(&s))
		return "can't begin";
	keyed_begin(&s, &hello);
	status = keyed_ask(&s, &hello);
	s.keyed = NULL;
	if (status == RBLK_CTL_AUTH_CONTINUE)
		status = sess_login(&s);
	return witness_refused(&s, status, RBLK_CTL_AUTH);
}

/**
 * downgrade_cases - a host without a key, where an export takes those as well
 *
 * Our export is that one.
 */
void downgrade_cases(void)
{
	witness_open(host_other);
	rival("keyless", NULL);
	report_case("keyless-readonly-denied", attach_denied(NULL, host_readonly));
	report_case("keyless-uuid-of-key", uuid_refused(true));
	report_case("keyless-uuid-like-key", uuid_refused(false));
	report_case("keyless-handshake-left", handshake_left());
	witness_close();
}
