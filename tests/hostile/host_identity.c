// SPDX-License-Identifier: GPL-2.0-only
/*
 * Being somebody else: keys, sessions, hosts, epochs and volumes of others.
 */
#include "host.h"

static struct sess victim;	/* of another host, must outlive all of it */

static const char *survivor(const char *why)
{
	if (!why && !sess_alive(&victim))
		return "the other host's session is dead";
	if (!why && sess_run(&victim, victim.io[1], RBLK_OP_READ, 4096))
		return "the other host can't read";
	return why;
}

/* BIND with a key that is not this session's. */
static const char *bind_with(uint64_t key)
{
	struct rblk_wire_cm_req req = sess_request(&victim, 2);
	struct rblk_wire_bind *msg;
	const char *why = NULL;
	struct verbs *v;
	int reason;

	watch_begin();
	v = sess_dial(&req, sizeof(req), &reason);
	if (!v)
		return report_why("refused: %d", reason);
	msg = sess_fill_bind(&victim, v);
	msg->key = key;
	if (verbs_send(v, sizeof(*msg)) || !verbs_gone(v, WAIT_MS))
		why = "the connection lives";
	verbs_close(v);
	if (!why)
		why = watch_end("violation: wrong session key", "wrong session key");
	/* The place is free again once it is all gone. */
	verbs_sleep(300);
	return survivor(why);
}

static const char *command_before_bind(void)
{
	struct rblk_wire_cm_req req = sess_request(&victim, 2);
	const char *why = NULL;
	struct verbs *v;
	int reason;

	watch_begin();
	v = sess_dial(&req, sizeof(req), &reason);
	if (!v)
		return report_why("refused: %d", reason);
	sess_fill(&victim, v, RBLK_OP_FLUSH);
	if (verbs_send(v, message_len(v->out)) || !verbs_gone(v, WAIT_MS))
		why = "the connection lives";
	verbs_close(v);
	if (!why)
		why = watch_end("violation: message type not allowed here",
				"not allowed here");
	return survivor(why);
}

/* A control connection and a LOGIN that must be refused with a status. */
static const char *login_as(const struct sess *s, int want)
{
	struct sess mine = *s;
	const char *why = NULL;
	int status;

	mine.control = NULL;
	memset(mine.io, 0, sizeof(mine.io));
	watch_begin();
	status = sess_control(&mine);
	if (status)
		return report_why("refused: %d", status);
	status = sess_login(&mine);
	if (status != want)
		why = report_why("the status is %d, not %d", status, want);
	sess_close(&mine);
	if (!why)
		why = watch_end(report_why("login: %d", want), "refused: status");
	return survivor(why);
}

/* Under the same UUID another host has a session of its own. */
static const char *session_of_another(void)
{
	struct sess s = victim;
	const char *why = NULL;
	int status;

	s.control = NULL;
	memset(s.io, 0, sizeof(s.io));
	sess_new_host(s.host);
	s.epoch++;
	status = sess_control(&s);
	status = status ? status : sess_login(&s);
	if (status)
		why = report_why("the status is %d", status);
	sess_close(&s);
	return survivor(why);
}

static const char *session_epoch_old(void)
{
	struct sess s = victim;

	s.epoch = 1;
	return login_as(&s, RBLK_CTL_STALE_EPOCH);
}

static const char *session_epoch_same(void)
{
	return login_as(&victim, RBLK_CTL_STALE_EPOCH);
}

/* As the other host after a restart, from an address it has not. */
static const char *host_elsewhere_restarted(void)
{
	const char *source = verbs_source, *why;
	struct sess s;

	sess_init(&s);
	memcpy(s.host, victim.host, sizeof(s.host));
	verbs_source = host_elsewhere;
	why = login_as(&s, RBLK_CTL_OTHER_HOST);
	verbs_source = source;
	return why;
}

/* As the other host's own session, from there, without its instance. */
static const char *session_elsewhere(void)
{
	const char *source = verbs_source, *why;
	struct sess s = victim;

	random_bytes(s.instance, sizeof(s.instance));
	s.epoch += 100;
	verbs_source = host_elsewhere;
	why = login_as(&s, RBLK_CTL_OTHER_HOST);
	verbs_source = source;
	return why;
}

static const char *place_elsewhere(void)
{
	struct rblk_wire_cm_req req = sess_request(&victim, 2);
	const char *source = verbs_source;
	struct verbs *v;
	int reason;

	watch_begin();
	verbs_source = host_elsewhere;
	v = sess_dial(&req, sizeof(req), &reason);
	verbs_source = source;
	verbs_close(v);
	if (reason != RBLK_REJ_NO_SESSION &&
	    !(reason == SESS_NO_REASON && sess_is_iwarp(victim.control)))
		return report_why("the answer is %d", reason);
	return survivor(watch_end("refused: 4", "refused"));
}

/* Two control connections of one epoch: the second to log in is too late. */
static const char *epoch_twice(void)
{
	struct sess a, b;
	const char *why = NULL;
	int status = -1;

	sess_init(&a);
	b = a;
	watch_begin();
	if (sess_control(&a) || sess_control(&b) || sess_login(&a))
		return "can't begin";
	status = sess_login(&b);
	if (status != RBLK_CTL_STALE_EPOCH)
		why = report_why("the status is %d", status);
	else if (!sess_alive(&a))
		why = "the first is dead";
	sess_close(&a);
	sess_close(&b);
	return why ? why : watch_end("login: 24", "refused: status");
}

/* A newer epoch of a session ends the older one, and its handles. */
static const char *epoch_newer(void)
{
	struct sess a, b;
	const char *why = NULL;

	if (sess_open(&a))
		return "can't begin";
	b = a;
	b.epoch++;
	b.control = NULL;
	memset(b.io, 0, sizeof(b.io));
	if (sess_control(&b))
		return "no second epoch";
	if (!sess_alive(&a))
		why = "it ended before the login";
	else if (sess_login(&b))
		why = "no login";
	else if (!verbs_gone(a.control, WAIT_MS) || !verbs_gone(a.io[1], WAIT_MS))
		why = "the older one lives";
	else if (sess_io(&b, 1))
		why = "no I/O connection";
	watch_begin();
	if (!why) {
		sess_fill(&b, b.io[1], RBLK_OP_FLUSH);
		if (verbs_send(b.io[1], message_len(b.io[1]->out)) ||
		    !verbs_gone(b.io[1], WAIT_MS))
			why = "the former epoch's handle is good";
	}
	sess_close(&a);
	sess_close(&b);
	return why ? why : watch_end("violation: unknown volume handle",
				     "unknown volume handle");
}

/* A volume of the other host's: handles mean nothing outside their session. */
static const char *volume_of_another(void)
{
	const char *why = NULL;
	struct sess s;

	sess_init(&s);
	if (sess_control(&s) || sess_login(&s) || sess_io(&s, 1))
		return "can't begin";
	watch_begin();
	s.volume = victim.volume;
	sess_fill(&s, s.io[1], RBLK_OP_READ);
	if (verbs_send(s.io[1], message_len(s.io[1]->out)) ||
	    !verbs_gone(s.io[1], WAIT_MS))
		why = "the connection lives";
	sess_close(&s);
	if (!why)
		why = watch_end("violation: unknown volume handle",
				"unknown volume handle");
	return survivor(why);
}

/* An honest host's DETACH may overtake its command, which gets nothing. */
static const char *volume_detached(void)
{
	const char *why = NULL;
	struct sess s;
	int status;

	if (sess_open(&s))
		return "can't begin";
	if (sess_detach(&s, s.volume))
		return "can't detach";
	watch_begin();
	memset(s.io[1]->data, 0x33, 4096);
	status = sess_run(&s, s.io[1], RBLK_OP_READ, 4096);
	if (status != RBLK_STATUS_GONE)
		why = report_why("the answer is %d", status);
	else if (s.io[1]->data[0] != 0x33 || s.io[1]->data[4095] != 0x33)
		why = "it was answered with data";
	sess_close(&s);
	return why ? why : watch_end(NULL, NULL);
}

/* Attached read-only, and the other host's while it holds it. */
static const char *write_to_read_only(void)
{
	const char *why = NULL;
	struct sess s;

	sess_init(&s);
	if (sess_control(&s) || sess_login(&s) ||
	    sess_attach(&s, host_readonly, 0) || sess_io(&s, 1))
		return "can't begin";
	watch_begin();
	sess_fill(&s, s.io[1], RBLK_OP_WRITE);
	if (verbs_send(s.io[1], message_len(s.io[1]->out)) ||
	    !verbs_gone(s.io[1], WAIT_MS))
		why = "the connection lives";
	sess_close(&s);
	if (!why)
		why = watch_end("violation: change to a volume attached read-only",
				"attached read-only");
	return survivor(why);
}

/**
 * identity_cases - run them beside the session of another host
 */
void identity_cases(void)
{
	struct sess other;

	sess_init(&victim);
	if (!host_elsewhere)
		report_die("wants another address of this host (-o)");
	if (sess_control(&victim) || sess_login(&victim) ||
	    sess_attach(&victim, host_readonly, 0) || sess_io(&victim, 1))
		report_die("can't open the victim's session");
	sess_init(&other);
	if (sess_control(&other) || sess_login(&other))
		report_die("can't open another session");
	report_case("bind-key-wrong", bind_with(victim.key ^ htole64(1)));
	report_case("bind-key-zero", bind_with(0));
	report_case("bind-key-of-another", bind_with(other.key));
	sess_close(&other);
	report_case("command-before-bind", command_before_bind());
	report_case("session-of-another-host", session_of_another());
	report_case("session-epoch-old", session_epoch_old());
	report_case("session-epoch-same", session_epoch_same());
	report_case("session-from-elsewhere", session_elsewhere());
	report_case("host-from-elsewhere", host_elsewhere_restarted());
	report_case("place-from-elsewhere", place_elsewhere());
	report_case("epoch-twice", epoch_twice());
	report_case("epoch-newer", epoch_newer());
	report_case("volume-of-another", volume_of_another());
	report_case("volume-detached", volume_detached());
	report_case("write-to-read-only", write_to_read_only());
	sess_close(&victim);
}
