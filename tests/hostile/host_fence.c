// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routes: sessions of one host that name the same device in ATTACH, FENCE by one of
 * them for another, and PORTALS.  The export is on tests/faults/rblk_hold.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include "host.h"

#define DEVICE	0x8000000000001234ull
#define LBA	256
#define BYTES	4096

/* Two routes of one device: what @a loses goes on by @b. */
struct pair {
	struct sess a;
	struct sess b;
	uint64_t tenure;
	uint8_t export[16];
};

static int live(struct sess *s)
{
	int ret = sess_control(s);

	return ret ? ret : sess_login(s);
}

/* ATTACH by one of a device's sessions: the first one begins a tenure. */
static int attach_device(struct pair *p, struct sess *s, uint64_t device)
{
	const struct rblk_wire_attach_reply *rep;
	struct rblk_wire_attach *msg;

	msg = sess_fill_attach(s->control, host_export, RBLK_ACCESS_WRITE);
	msg->device = htole64(device);
	msg->flags = htole32(p->tenure ? RBLK_ATTACHF_CONTINUE : 0);
	msg->tenure = htole64(p->tenure);
	rep = sess_call(s->control, sizeof(*msg));
	if (!rep)
		return -1;
	if (rep->ctl.status)
		return le16toh(rep->ctl.status);
	/* A further session of the device is no new writer. */
	if (p->tenure && p->tenure != le64toh(rep->tenure))
		return -2;
	p->tenure = le64toh(rep->tenure);
	memcpy(p->export, rep->uuid, sizeof(p->export));
	s->volume = le32toh(rep->volume);
	return 0;
}

static int attach_in_time(struct pair *p, struct sess *s)
{
	uint64_t end = verbs_now() + WAIT_MS;
	int status;

	for (;;) {
		status = attach_device(p, s, DEVICE);
		if ((status != RBLK_CTL_AGAIN && status != RBLK_CTL_BUSY) ||
		    verbs_now() >= end)
			return status;
		verbs_sleep(10);
	}
}

/* A session of the same host, with nothing yet. */
static void sibling(struct sess *s, const struct sess *of)
{
	sess_init(s);
	memcpy(s->host, of->host, sizeof(s->host));
	memcpy(s->instance, of->instance, sizeof(s->instance));
}

/* @a connects, with another epoch if it did before. */
static int open_route(struct pair *p, struct sess *s)
{
	int ret = live(s);

	if (!ret)
		ret = attach_in_time(p, s);
	return ret ? ret : sess_io(s, 1);
}

static int open_pair(struct pair *p)
{
	int ret;

	memset(p, 0, sizeof(*p));
	sess_init(&p->a);
	p->a.epoch = 5;
	sibling(&p->b, &p->a);
	ret = open_route(p, &p->a);
	return ret ? ret : open_route(p, &p->b);
}

static void close_pair(struct pair *p)
{
	sess_close(&p->a);
	sess_close(&p->b);
}

/**
 * fence_fill - a good FENCE in the send area
 * @v: a control connection
 * @session: whose I/O is to end
 * @export: to there
 * @epoch: the last one to end
 */
struct rblk_wire_fence *fence_fill(struct verbs *v, const uint8_t *session,
				   const uint8_t *export, uint32_t epoch)
{
	struct rblk_wire_fence *msg = sess_ctl(v, RBLK_MSG_FENCE, sizeof(*msg));

	memcpy(msg->session, session, sizeof(msg->session));
	memcpy(msg->uuid, export, sizeof(msg->uuid));
	msg->epoch = htole32(epoch);
	return msg;
}

static int fence_by(struct sess *by, const uint8_t *session, const uint8_t *export,
		    uint32_t epoch)
{
	const struct rblk_wire_ctl *rep;

	fence_fill(by->control, session, export, epoch);
	rep = sess_call(by->control, sizeof(struct rblk_wire_fence));
	if (!rep || rep->hdr.type != RBLK_MSG_FENCE_REPLY || rep->reserved ||
	    message_len(rep) != sizeof(*rep) || rep->xid != htole32(7))
		return -1;
	return le16toh(rep->status);
}

/* FENCE of the pair's first session, by the second. */
static int fence(struct pair *p, uint32_t epoch)
{
	return fence_by(&p->b, p->a.uuid, p->export, epoch);
}

static int fence_in_time(struct pair *p, uint32_t epoch)
{
	uint64_t end = verbs_now() + WAIT_MS;
	int status;

	for (;;) {
		status = fence(p, epoch);
		if (status != RBLK_CTL_AGAIN || verbs_now() >= end)
			return status;
		verbs_sleep(1);
	}
}

/* Send a WRITE, and don't wait for its answer. */
static int write_begin(struct sess *s, unsigned char byte)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;

	memset(v->data, byte, BYTES);
	c = sess_fill(s, v, RBLK_OP_WRITE);
	c->lba = htole64(LBA);
	return verbs_send(v, message_len(v->out));
}

static int write_page(struct sess *s, unsigned char byte)
{
	if (write_begin(s, byte) || verbs_sent(s->io[1], WAIT_MS))
		return -1;
	return sess_status(s->io[1], WAIT_MS);
}

static const char *wants(const char *what, int got, int want)
{
	return got == want ? NULL :
	       report_why("%s is answered %d, not %d", what, got, want);
}

static const char *ended(struct sess *s)
{
	return verbs_gone(s->control, WAIT_MS) && verbs_gone(s->io[1], WAIT_MS) ?
	       NULL : "the session lives";
}

/* What a FENCE of some epoch must be answered, and what becomes of the session. */
static const char *of_epoch(uint32_t epoch, bool ends)
{
	const char *why;
	struct pair p;

	if (open_pair(&p))
		return "can't begin";
	/* What is not to end needs no time to drain. */
	why = wants("FENCE", ends ? fence_in_time(&p, epoch) : fence(&p, epoch),
		    RBLK_CTL_OK);
	if (!why && ends)
		why = ended(&p.a);
	else if (!why && write_page(&p.a, 0x11))
		why = "its session can't write any more";
	if (!why && write_page(&p.b, 0x12))
		why = "the session that asked can't write";
	close_pair(&p);
	return why;
}

static const char *of_another_host(void)
{
	const char *why;
	struct sess s;
	struct pair p;

	sess_init(&s);
	if (open_pair(&p) || live(&s))
		return "can't begin";
	why = wants("FENCE", fence_by(&s, p.a.uuid, p.export, ~0u), RBLK_CTL_DENIED);
	if (!why && (!sess_alive(&p.a) || write_page(&p.a, 0x13)))
		why = "the other host's session is dead";
	sess_close(&s);
	close_pair(&p);
	return why;
}

static const char *of_itself(void)
{
	const char *why;
	struct pair p;

	if (open_pair(&p))
		return "can't begin";
	why = wants("FENCE", fence_by(&p.a, p.a.uuid, p.export, p.a.epoch),
		    RBLK_CTL_MALFORMED);
	if (!why && write_page(&p.a, 0x14))
		why = "the session is dead";
	close_pair(&p);
	return why;
}

static const char *of_nobody(void)
{
	uint8_t nobody[16];
	const char *why;
	struct pair p;

	random_bytes(nobody, sizeof(nobody));
	if (open_pair(&p))
		return "can't begin";
	why = wants("FENCE", fence_by(&p.b, nobody, p.export, ~0u), RBLK_CTL_OK);
	if (!why && (write_page(&p.a, 0x15) || write_page(&p.b, 0x16)))
		why = "a session is dead";
	close_pair(&p);
	return why;
}

/* The session ends all the same. */
static const char *of_no_export(void)
{
	uint8_t nothing[16];
	const char *why;
	struct pair p;

	random_bytes(nothing, sizeof(nothing));
	if (open_pair(&p))
		return "can't begin";
	why = wants("FENCE", fence_by(&p.b, p.a.uuid, nothing, p.a.epoch),
		    RBLK_CTL_NO_EXPORT);
	if (!why)
		why = ended(&p.a);
	close_pair(&p);
	return why;
}

/* What is asked while the device keeps a write of @p->a, and the others live. */
static const char *while_kept(struct pair *p)
{
	struct sess other, third;
	const char *why;
	int i;

	sess_init(&other);
	sibling(&third, &p->a);
	if (live(&other) || live(&third))
		return "can't log in";
	/* Also one second later, when it is overdue. */
	for (i = 0, why = NULL; !why && i < 15; i++) {
		why = wants("FENCE", fence(p, p->a.epoch), RBLK_CTL_AGAIN);
		verbs_sleep(100);
	}
	why = why ? why : ended(&p->a);
	why = why ? why : wants("FENCE of a former epoch", fence(p, p->a.epoch - 1),
				RBLK_CTL_OK);
	why = why ? why : wants("FENCE by another host",
				fence_by(&other, p->a.uuid, p->export, ~0u), RBLK_CTL_AGAIN);
	why = why ? why : wants("a new ATTACH", attach_device(p, &third, DEVICE),
				RBLK_CTL_AGAIN);
	if (!why && sess_run(&p->b, p->b.io[1], RBLK_OP_READ, BYTES))
		why = "the other session has lost the export";
	sess_close(&other);
	sess_close(&third);
	return why;
}

/* A write that the device keeps back is not overtaken. */
static const char *of_kept(void)
{
	const char *why;
	struct pair p;

	if (open_pair(&p))
		return "can't begin";
	hold_set("hold", 1);
	if (write_begin(&p.a, 0x21) || !hold_keeps())
		why = "the device did not keep it";
	else
		why = while_kept(&p);
	hold_set("hold", 0);
	hold_set("release", 1);
	why = why ? why : wants("FENCE", fence_in_time(&p, p.a.epoch), RBLK_CTL_OK);
	/* Where it would not be if it had only been forgotten. */
	why = why ? why : slot_holds(&p.b, LBA, 0x21, 0x21);
	if (!why && write_page(&p.b, 0x22))
		why = "can't send it again";
	why = why ? why : slot_holds(&p.b, LBA, 0x22, 0x22);
	close_pair(&p);
	return why;
}

/* Of a boot that has ended there is nothing to send again. */
static const char *of_former_boot(void)
{
	const char *why = NULL;
	struct sess s;
	struct pair p;

	if (open_pair(&p))
		return "can't begin";
	sibling(&s, &p.a);
	random_bytes(s.instance, sizeof(s.instance));
	hold_set("hold", 1);
	if (write_begin(&p.a, 0x23) || !hold_keeps())
		why = "the device did not keep it";
	else if (live(&s))
		why = "can't log in";
	why = why ? why : wants("FENCE", fence_by(&s, p.a.uuid, p.export, ~0u),
				RBLK_CTL_AGAIN);
	hold_set("hold", 0);
	hold_set("release", 1);
	sess_close(&s);
	close_pair(&p);
	return why;
}

/* @a sends and does not look; then what @b writes stays. */
static const char *race(struct pair *p, unsigned int round)
{
	unsigned char old = 0x40 + round, new = 0x80 + round;
	const char *why;

	p->a.epoch++;
	if (open_route(p, &p->a))
		return "can't begin";
	if (write_begin(&p->a, old))
		return "can't send";
	why = wants("FENCE", fence_in_time(p, p->a.epoch), RBLK_CTL_OK);
	if (!why && write_page(&p->b, new))
		why = "can't send it again";
	/* Too late, and into nothing. */
	if (!why && !write_begin(&p->a, old))
		verbs_sent(p->a.io[1], 10);
	why = why ? why : slot_holds(&p->b, LBA, new, new);
	verbs_sleep(20);
	why = why ? why : slot_holds(&p->b, LBA, new, new);
	sess_close(&p->a);
	return why;
}

static const char *races(void)
{
	const char *why = NULL;
	struct pair p;
	unsigned int i;

	if (open_pair(&p))
		return "can't begin";
	sess_close(&p.a);
	for (i = 0; !why && i < 16; i++)
		why = race(&p, i);
	close_pair(&p);
	return why;
}

/* Both write, and each goes on without the other, as the same writer. */
static const char *one_device(void)
{
	const char *why = NULL;
	struct pair p;

	if (open_pair(&p))
		return "can't begin";
	if (write_page(&p.a, 0x31) || write_page(&p.b, 0x32) || write_page(&p.a, 0x33))
		why = "can't write";
	why = why ? why : slot_holds(&p.b, LBA, 0x33, 0x33);
	sess_close(&p.a);
	verbs_sleep(300);
	if (!why && write_page(&p.b, 0x34))
		why = "the other has lost the export";
	p.a.epoch++;
	if (!why && open_route(&p, &p.a))
		why = "the first one can't come back";
	if (!why && write_page(&p.a, 0x35))
		why = "it can't write";
	close_pair(&p);
	return why;
}

static const char *two_devices(void)
{
	struct pair p, other = {};
	struct sess same, elsewhere;
	const char *why;

	sess_init(&elsewhere);
	if (open_pair(&p) || live(&elsewhere))
		return "can't begin";
	sibling(&same, &p.a);
	if (live(&same))
		return "can't log in";
	why = wants("ATTACH for another device",
		    attach_device(&other, &same, DEVICE + 1), RBLK_CTL_BUSY);
	why = why ? why : wants("ATTACH for no device",
				attach_device(&other, &same, 0), RBLK_CTL_BUSY);
	why = why ? why : wants("ATTACH by another host",
				attach_device(&other, &elsewhere, DEVICE), RBLK_CTL_BUSY);
	sess_close(&same);
	sess_close(&elsewhere);
	close_pair(&p);
	return why;
}

/* Exactly two: ours, and one more of that address on the next port. */
static const char *portals_of(const struct rblk_wire_portals_reply *rep)
{
	uint8_t addr[16] = {};
	unsigned int i, seen = 0;

	inet_pton(AF_INET, host_address, addr);
	if (!rep || rep->ctl.hdr.type != RBLK_MSG_PORTALS_REPLY || rep->ctl.status)
		return "no answer";
	if (message_len(rep) != sizeof(*rep) + 2 * sizeof(rep->portal[0]))
		return report_why("%zu bytes", message_len(rep));
	if (rep->nr != htole32(2) || rep->reserved)
		return report_why("%u of them", le32toh(rep->nr));
	for (i = 0; i < 2; i++) {
		const struct rblk_wire_portal *p = &rep->portal[i];

		if (p->family != htole16(RBLK_WIRE_FAMILY_IPV4) || p->reserved ||
		    memcmp(p->addr, addr, sizeof(addr)))
			return report_why("portal %u is another address", i);
		seen |= 1 << (le16toh(p->port) - RBLK_DEFAULT_PORT);
	}
	return seen == 3 ? NULL : "the ports are wrong";
}

static const char *portals(void)
{
	const char *why;
	struct sess s;

	sess_init(&s);
	if (live(&s))
		return "can't begin";
	sess_ctl(s.control, RBLK_MSG_PORTALS, sizeof(struct rblk_wire_ctl));
	why = portals_of(sess_call(s.control, sizeof(struct rblk_wire_ctl)));
	sess_close(&s);
	return why;
}

/**
 * fence_cases - run them
 */
void fence_cases(void)
{
	report_case("fence-epoch", of_epoch(5, true));
	report_case("fence-later-epoch", of_epoch(~0u, true));
	report_case("fence-former-epoch", of_epoch(4, false));
	report_case("fence-of-another-host", of_another_host());
	report_case("fence-of-itself", of_itself());
	report_case("fence-of-nobody", of_nobody());
	report_case("fence-of-no-export", of_no_export());
	report_case("fence-of-kept-write", of_kept());
	report_case("fence-of-former-boot", of_former_boot());
	report_case("fence-races", races());
	report_case("device-one", one_device());
	report_case("device-two", two_devices());
	report_case("portals", portals());
}
