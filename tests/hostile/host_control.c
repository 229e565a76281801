// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control messages: those that end the connection, those that are answered
 * with a status and harm nobody.
 */
#include "host.h"

enum when { FRESH, LOGGED_IN };

struct control_case {
	const char *name;
	enum when when;
	const char *want;		/* the violation */
	size_t (*fill)(struct sess *s, struct verbs *v);
};

#define FILL(name, ...)							\
	static size_t name(struct sess *s, struct verbs *v)		\
	{								\
		(void)s;						\
		__VA_ARGS__;						\
		return message_len(v->out);				\
	}
#define LOGIN(name, ...)						\
	FILL(name, struct rblk_wire_login *m = sess_fill_login(s, v);	\
	     __VA_ARGS__)
#define ATTACH(name, ...)						\
	FILL(name, struct rblk_wire_attach *m =				\
	     sess_fill_attach(v, host_export, RBLK_ACCESS_WRITE); __VA_ARGS__)
#define CTL(name, type, size, ...)					\
	FILL(name, struct rblk_wire_ctl *m = sess_ctl(v, type, size);	\
	     (void)m; __VA_ARGS__)
#define FENCE(name, ...)						\
	FILL(name, struct rblk_wire_fence *m =				\
	     fence_fill(v, s->host, s->instance, 1); (void)m; __VA_ARGS__)
#define RESERVE(name, ...)						\
	FILL(name, struct rblk_wire_reserve *m =			\
	     reserve_fill(v, RBLK_RESV_REGISTER, 0, 0, 1); (void)m; __VA_ARGS__)
#define BARE	sizeof(struct rblk_wire_ctl)

LOGIN(login_host_zero, memset(m->host, 0, 16))
LOGIN(login_instance_zero, memset(m->instance, 0, 16))
LOGIN(login_name_empty, m->host_name[0] = 0)
LOGIN(login_name_long, memset(m->host_name, 'a', 64))
LOGIN(login_name_control, m->host_name[2] = '\n')
LOGIN(login_name_shell, strcpy(m->host_name, "$(reboot)"))
LOGIN(login_name_backtick, m->host_name[2] = '`')
LOGIN(login_name_space, m->host_name[2] = ' ')
LOGIN(login_name_slash, m->host_name[2] = '/')
LOGIN(login_name_quote, m->host_name[2] = '"')
LOGIN(login_name_dash, m->host_name[0] = '-')
LOGIN(login_name_high, m->host_name[2] = '\xff')
LOGIN(login_name_tail, m->host_name[63] = 'x')
LOGIN(login_auth_method, m->auth_method = htole16(1))
LOGIN(login_auth_len, m->auth_len = htole16(1))
LOGIN(login_auth_len_max, m->auth_len = htole16(0xffff))
LOGIN(login_auth_bytes, m->auth[127] = 1)
LOGIN(login_reserved, m->reserved = htole32(1))
LOGIN(login_status, m->ctl.status = htole16(1))
LOGIN(login_ctl_reserved, m->ctl.reserved = htole16(1))
LOGIN(login_count_zero, m->ctl.hdr.count = 0)
LOGIN(login_count_two, m->ctl.hdr.count = 2)
LOGIN(login_flags, m->ctl.hdr.flags = htole16(RBLK_HDRF_DATA))
LOGIN(login_again, (void)m)
CTL(keepalive_first, RBLK_MSG_KEEPALIVE, BARE)
CTL(list_first, RBLK_MSG_LIST, sizeof(struct rblk_wire_list))
ATTACH(attach_first, (void)m)
CTL(detach_first, RBLK_MSG_DETACH, sizeof(struct rblk_wire_detach))
CTL(bind_on_control, RBLK_MSG_BIND, sizeof(struct rblk_wire_bind))
CTL(event_from_host, RBLK_MSG_EVENT, sizeof(struct rblk_wire_event))
CTL(reply_from_host, RBLK_MSG_KEEPALIVE_REPLY, BARE)
CTL(type_zero, 0, BARE)
CTL(type_max, 0xff, BARE)
FILL(command_on_control, sess_fill(s, v, RBLK_OP_FLUSH))
CTL(list_reserved, RBLK_MSG_LIST, sizeof(struct rblk_wire_list),
	((struct rblk_wire_list *)m)->reserved = htole32(1))
ATTACH(attach_name_empty, memset(m->name, 0, 64))
ATTACH(attach_name_long, memset(m->name, 'a', 64))
ATTACH(attach_name_tail, m->name[63] = 'x')
ATTACH(attach_name_shell, strcpy(m->name, "a;reboot"))
ATTACH(attach_name_control, m->name[0] = 27)
ATTACH(attach_access, m->access = htole32(4))
ATTACH(attach_access_max, m->access = htole32(~0u))
ATTACH(attach_flags, m->flags = htole32(2))
ATTACH(attach_flags_max, m->flags = htole32(~0u))
ATTACH(attach_tenure, m->tenure = htole64(1))
FENCE(fence_first)
FENCE(fence_session, memset(m->session, 0, 16))
FENCE(fence_export, memset(m->uuid, 0, 16))
FENCE(fence_epoch, m->epoch = 0)
FENCE(fence_reserved, m->reserved = htole32(0x80000000))
FENCE(fence_short, message_set_len(m, sizeof(*m) - 8))
FENCE(fence_long, message_set_len(m, sizeof(*m) + 8))
RESERVE(reserve_good)
RESERVE(reserve_action, m->action = 0)
RESERVE(reserve_action_max, m->action = 0xff)
RESERVE(reserve_type, m->action = RBLK_RESV_RESERVE; m->new_key = 0)
RESERVE(reserve_type_stray, m->type = 1)
RESERVE(reserve_type_max, m->action = RBLK_RESV_PREEMPT; m->type = 0xff)
RESERVE(reserve_source, m->source = 0)
RESERVE(reserve_number, m->number = 0)
RESERVE(reserve_reserved, m->reserved = htole16(0x8000))
RESERVE(reserve_key, m->action = RBLK_RESV_REGISTER_IGNORE; m->key = 1)
RESERVE(reserve_new_key, m->action = RBLK_RESV_CLEAR)
RESERVE(reserve_short, message_set_len(m, sizeof(*m) - 8))
RESERVE(reserve_long, message_set_len(m, sizeof(*m) + 8))
CTL(reservation_good, RBLK_MSG_RESERVATION, sizeof(struct rblk_wire_reservation))
CTL(reservation_long, RBLK_MSG_RESERVATION, sizeof(struct rblk_wire_reservation) + 8)
CTL(portals_first, RBLK_MSG_PORTALS, BARE)
CTL(portals_long, RBLK_MSG_PORTALS, BARE + 8)
CTL(detach_reserved, RBLK_MSG_DETACH, sizeof(struct rblk_wire_detach),
	((struct rblk_wire_detach *)m)->reserved = htole32(1))

/* Lengths that are not what was sent. */
static size_t empty(struct sess *s, struct verbs *v)
{
	(void)s;
	(void)v;
	return 0;
}

static size_t truncated(struct sess *s, struct verbs *v)
{
	(void)s;
	sess_ctl(v, RBLK_MSG_KEEPALIVE, BARE);
	return BARE - 1;
}

static size_t length_more(struct sess *s, struct verbs *v)
{
	sess_fill_login(s, v);
	message_set_len(v->out, sizeof(struct rblk_wire_login) + 1);
	return sizeof(struct rblk_wire_login);
}

static size_t length_max(struct sess *s, struct verbs *v)
{
	sess_fill_login(s, v);
	message_set_len(v->out, 0xffffffff);
	return sizeof(struct rblk_wire_login);
}

static size_t padded(struct sess *s, struct verbs *v)
{
	sess_fill_login(s, v);
	message_set_len(v->out, RBLK_WIRE_CTRL_MAX);
	return RBLK_WIRE_CTRL_MAX;
}

#define SHORT		"violation: message shorter than its header"
#define LENGTH		"violation: length does not match the bytes received"
#define TYPE		"violation: message type not allowed here"
#define COUNT		"violation: bad number of commands"
#define HDR_FLAGS	"violation: unknown or forbidden header flags"
#define RESERVED	"violation: reserved field not zero"
#define STATUS		"violation: status in a request"
#define NAME		"violation: malformed name"
#define UUID		"violation: UUID is all zeroes"
#define EPOCH		"violation: epoch is 0"
#define AUTH		"violation: bad authentication method or length"
#define ACCESS		"violation: unknown access flags"
#define TENURE		"violation: tenure or right in an attach that continues nothing"
#define RESV		"violation: action, type or keys of a reservation do not fit"
#define ORDER		"violation: message out of order"

static const struct control_case cases[] = {
	{ "login-host-zero", FRESH, UUID, login_host_zero },
	{ "login-instance-zero", FRESH, UUID, login_instance_zero },
	{ "login-name-empty", FRESH, NAME, login_name_empty },
	{ "login-name-unterminated", FRESH, NAME, login_name_long },
	{ "login-name-control", FRESH, NAME, login_name_control },
	{ "login-name-shell", FRESH, NAME, login_name_shell },
	{ "login-name-backtick", FRESH, NAME, login_name_backtick },
	{ "login-name-space", FRESH, NAME, login_name_space },
	{ "login-name-slash", FRESH, NAME, login_name_slash },
	{ "login-name-quote", FRESH, NAME, login_name_quote },
	{ "login-name-dash", FRESH, NAME, login_name_dash },
	{ "login-name-high", FRESH, NAME, login_name_high },
	{ "login-name-tail", FRESH, NAME, login_name_tail },
	{ "login-auth-method", FRESH, AUTH, login_auth_method },
	{ "login-auth-length", FRESH, AUTH, login_auth_len },
	{ "login-auth-length-max", FRESH, AUTH, login_auth_len_max },
	{ "login-auth-bytes", FRESH, AUTH, login_auth_bytes },
	{ "login-reserved", FRESH, RESERVED, login_reserved },
	{ "login-status", FRESH, STATUS, login_status },
	{ "login-ctl-reserved", FRESH, RESERVED, login_ctl_reserved },
	{ "login-count-zero", FRESH, COUNT, login_count_zero },
	{ "login-count-two", FRESH, COUNT, login_count_two },
	{ "login-flags", FRESH, HDR_FLAGS, login_flags },
	{ "login-again", LOGGED_IN, ORDER, login_again },
	{ "login-length-more", FRESH, LENGTH, length_more },
	{ "login-length-max", FRESH, LENGTH, length_max },
	{ "login-padded", FRESH, LENGTH, padded },
	{ "control-empty", FRESH, SHORT, empty },
	{ "control-truncated", LOGGED_IN, SHORT, truncated },
	{ "control-type-zero", FRESH, TYPE, type_zero },
	{ "control-type-max", LOGGED_IN, TYPE, type_max },
	{ "control-command", LOGGED_IN, TYPE, command_on_control },
	{ "control-bind", LOGGED_IN, TYPE, bind_on_control },
	{ "control-event", LOGGED_IN, TYPE, event_from_host },
	{ "control-reply", LOGGED_IN, TYPE, reply_from_host },
	{ "keepalive-before-login", FRESH, ORDER, keepalive_first },
	{ "list-before-login", FRESH, ORDER, list_first },
	{ "attach-before-login", FRESH, ORDER, attach_first },
	{ "detach-before-login", FRESH, ORDER, detach_first },
	{ "list-reserved", LOGGED_IN, RESERVED, list_reserved },
	{ "attach-name-empty", LOGGED_IN, NAME, attach_name_empty },
	{ "attach-name-unterminated", LOGGED_IN, NAME, attach_name_long },
	{ "attach-name-tail", LOGGED_IN, NAME, attach_name_tail },
	{ "attach-name-shell", LOGGED_IN, NAME, attach_name_shell },
	{ "attach-name-control", LOGGED_IN, NAME, attach_name_control },
	{ "attach-access", LOGGED_IN, ACCESS, attach_access },
	{ "attach-access-max", LOGGED_IN, ACCESS, attach_access_max },
	{ "attach-flags", LOGGED_IN, ACCESS, attach_flags },
	{ "attach-flags-max", LOGGED_IN, ACCESS, attach_flags_max },
	{ "attach-stray-tenure", LOGGED_IN, TENURE, attach_tenure },
	{ "detach-reserved", LOGGED_IN, RESERVED, detach_reserved },
	{ "fence-before-login", FRESH, ORDER, fence_first },
	{ "fence-session-zero", LOGGED_IN, UUID, fence_session },
	{ "fence-export-zero", LOGGED_IN, UUID, fence_export },
	{ "fence-epoch-zero", LOGGED_IN, EPOCH, fence_epoch },
	{ "fence-reserved", LOGGED_IN, RESERVED, fence_reserved },
	{ "fence-short", LOGGED_IN, LENGTH, fence_short },
	{ "fence-long", LOGGED_IN, LENGTH, fence_long },
	{ "reserve-before-login", FRESH, ORDER, reserve_good },
	{ "reserve-not-agreed", LOGGED_IN, TYPE, reserve_good },
	{ "reserve-action-zero", LOGGED_IN, RESV, reserve_action },
	{ "reserve-action-max", LOGGED_IN, RESV, reserve_action_max },
	{ "reserve-no-type", LOGGED_IN, RESV, reserve_type },
	{ "reserve-stray-type", LOGGED_IN, RESV, reserve_type_stray },
	{ "reserve-type-max", LOGGED_IN, RESV, reserve_type_max },
	{ "reserve-source-zero", LOGGED_IN, RESV, reserve_source },
	{ "reserve-number-zero", LOGGED_IN, RESV, reserve_number },
	{ "reserve-reserved", LOGGED_IN, RESERVED, reserve_reserved },
	{ "reserve-stray-key", LOGGED_IN, RESV, reserve_key },
	{ "reserve-stray-new-key", LOGGED_IN, RESV, reserve_new_key },
	{ "reserve-short", LOGGED_IN, LENGTH, reserve_short },
	{ "reserve-long", LOGGED_IN, LENGTH, reserve_long },
	{ "reservation-before-login", FRESH, ORDER, reservation_good },
	{ "reservation-not-agreed", LOGGED_IN, TYPE, reservation_good },
	{ "reservation-long", LOGGED_IN, LENGTH, reservation_long },
	{ "portals-before-login", FRESH, ORDER, portals_first },
	{ "portals-long", LOGGED_IN, LENGTH, portals_long },
};

static const char *spoilt(const struct control_case *c)
{
	const char *why = NULL;
	struct sess s;

	sess_init(&s);
	watch_begin();
	if (sess_control(&s) || (c->when == LOGGED_IN && sess_login(&s)))
		return "can't begin";
	if (verbs_send(s.control, c->fill(&s, s.control)))
		why = "can't send";
	else if (!verbs_gone(s.control, WAIT_MS))
		why = "the connection lives";
	sess_close(&s);
	return why ? why : watch_end(c->want, c->want + strlen("violation: "));
}

/* Longer than the receive that is posted for it: the transport ends it. */
static void oversized(void)
{
	const char *why = NULL;
	struct sess s;

	sess_init(&s);
	if (sess_control(&s))
		report_die("can't connect");
	sess_fill_login(&s, s.control);
	message_set_len(s.control->out, RBLK_WIRE_CTRL_MAX + 1);
	if (verbs_send(s.control, RBLK_WIRE_CTRL_MAX + 1))
		why = "can't send";
	else if (verbs_sent(s.control, WAIT_MS) == IBV_WC_SUCCESS &&
		 !verbs_gone(s.control, WAIT_MS))
		why = "the connection lives";
	sess_close(&s);
	report_case("control-oversized", why);
}

/* Answered with a status; the session goes on. */
static void status(struct sess *s, const char *name, int got, int want)
{
	const char *why = NULL;

	if (got != want)
		why = report_why("the status is %d, not %d", got, want);
	else if (!sess_alive(s))
		why = "the session is dead";
	if (!why)
		why = watch_end(NULL, NULL);
	report_case(name, why);
}

static int attach_uuid(struct sess *s)
{
	struct rblk_wire_attach *msg = sess_fill_attach(s->control, host_export,
							0);
	const struct rblk_wire_ctl *rep;

	memset(msg->uuid, 0xee, sizeof(msg->uuid));
	rep = sess_call(s->control, sizeof(*msg));
	return rep ? le16toh(rep->status) : -1;
}

/* A tenure that nobody has had: another host might have written since. */
static int attach_continue(struct sess *s, uint32_t access, uint64_t tenure)
{
	struct rblk_wire_attach *msg = sess_fill_attach(s->control, host_export,
							access);
	const struct rblk_wire_ctl *rep;

	msg->flags = htole32(RBLK_ATTACHF_CONTINUE);
	msg->tenure = htole64(tenure);
	rep = sess_call(s->control, sizeof(*msg));
	return rep ? le16toh(rep->status) : -1;
}

/* A page that begins beyond all exports is empty. */
static const char *list_from(struct sess *s, uint32_t start)
{
	struct rblk_wire_list *msg = sess_ctl(s->control, RBLK_MSG_LIST,
					      sizeof(*msg));
	const struct rblk_wire_list_reply *rep;

	msg->start = htole32(start);
	rep = sess_call(s->control, sizeof(*msg));
	if (!rep || rep->ctl.hdr.type != RBLK_MSG_LIST_REPLY)
		return "no answer";
	if (rep->nr || rep->next)
		return "the page is not empty";
	return watch_end(NULL, NULL);
}

static void statuses(void)
{
	struct sess s;

	sess_init(&s);
	if (sess_control(&s) || sess_login(&s))
		report_die("can't log in");
	watch_begin();
	status(&s, "attach-unknown", sess_attach(&s, "no-such", 0),
	       RBLK_CTL_NO_EXPORT);
	status(&s, "attach-wrong-uuid", attach_uuid(&s), RBLK_CTL_WRONG_UUID);
	status(&s, "attach-read-only", sess_attach(&s, host_readonly, 1),
	       RBLK_CTL_READ_ONLY);
	status(&s, "attach-not-shared", sess_attach(&s, host_export, 3),
	       RBLK_CTL_NOT_SHARED);
	status(&s, "attach", sess_attach_patiently(&s, host_export, 1), 0);
	status(&s, "attach-twice", sess_attach(&s, host_export, 1),
	       RBLK_CTL_ATTACHED);
	status(&s, "detach-zero", sess_detach(&s, 0), RBLK_CTL_NO_VOLUME);
	status(&s, "detach-max", sess_detach(&s, ~0u), RBLK_CTL_NO_VOLUME);
	status(&s, "detach", sess_detach(&s, s.volume), 0);
	status(&s, "detach-twice", sess_detach(&s, s.volume),
	       RBLK_CTL_NO_VOLUME);
	/* There has been a writer by now. */
	status(&s, "continue-other-tenure",
	       attach_continue(&s, RBLK_ACCESS_WRITE, 1), RBLK_CTL_FENCED);
	status(&s, "continue-no-tenure", attach_continue(&s, RBLK_ACCESS_WRITE, 0),
	       RBLK_CTL_FENCED);
	status(&s, "continue-reading", attach_continue(&s, 0, 1), RBLK_CTL_FENCED);
	report_case("list-start-max", list_from(&s, ~0u));
	sess_close(&s);
}

/**
 * control_cases - run them
 */
void control_cases(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!report_skips(cases[i].name))
			report_case(cases[i].name, spoilt(&cases[i]));
	oversized();
	statuses();
}
