// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random mutations of good sessions, repeatable from a seed: what goes out and
 * in which order depends on nothing else.
 */
#include <stdio.h>
#include <stdlib.h>
#include "host.h"

#define ROUND_MESSAGES	24

static unsigned long nr_sessions, nr_messages, nr_mutated, nr_refused;

/* Numbers at limits, which plain randomness would rarely find. */
static uint64_t limit_value(void)
{
	static const uint64_t value[] = {
		0, 1, 2, 7, 8, 16, 17, DEPTH - 1, DEPTH, 64, 255, 256, 511, 512,
		4095, 4096, 4097, 65535, 65536, RBLK_WIRE_MAX_IO,
		RBLK_WIRE_MAX_IO + 512, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffe00, ~0ull,
	};

	return value[random_below(ARRAY_SIZE(value))];
}

/* Spoil @len bytes at @p somehow; returns how many are to be sent. */
static size_t mutate(char *p, size_t len, size_t room)
{
	size_t at, width = 1u << random_below(4);
	uint64_t value = htole64(limit_value());

	nr_mutated++;
	switch (random_below(6)) {
	case 0:
		p[random_below(len)] ^= 1 << random_below(8);
		return len;
	case 1:
		for (at = 1 + random_below(8); at; at--)
			p[random_below(len)] = random_next();
		return len;
	case 2:
		if (width > len)
			return len;
		at = random_below(len / width) * width;
		memcpy(p + at, &value, width);
		return len;
	case 3:
		return random_below(len + 1);
	case 4:
		at = len + 1 + random_below(256);
		return at < room ? at : len;
	default:
		at = random_below(256) + 1;
		if (len + at >= room)
			return len;
		random_bytes(p + len, at);
		message_set_len(p, len + at);
		return len + at;
	}
}

static size_t fill_command(struct sess *s, struct verbs *v)
{
	static const uint8_t op[] = { RBLK_OP_READ, RBLK_OP_WRITE, RBLK_OP_WRITE,
		RBLK_OP_FLUSH, RBLK_OP_DISCARD, RBLK_OP_WRITE_ZEROES };
	unsigned int nr = 1 + random_below(3), i;
	struct rblk_wire_cmd *c = message_commands(v->out, nr);

	for (i = 0; i < nr; i++) {
		c[i].op = op[random_below(ARRAY_SIZE(op))];
		c[i].tag = htole16(random_below(DEPTH));
		c[i].gen = htole16(random_next());
		c[i].volume = htole32(s->volume);
		if (c[i].op == RBLK_OP_FLUSH)
			continue;
		c[i].length = htole32(512 << random_below(12));
		c[i].lba = htole64(random_below(s->blocks - 2048));
		if (c[i].op > RBLK_OP_WRITE)
			continue;
		/* Of which some are longer than may be. */
		if (c[i].op == RBLK_OP_READ && !random_below(3)) {
			c[i].length = htole32(512 * (1 + random_below(9)));
			c[i].flags = htole16(RBLK_CMDF_INLINE);
			continue;
		}
		if (c[i].op == RBLK_OP_WRITE && s->features &&
		    !random_below(3)) {
			c[i].length = htole32(512 * (1 + random_below(9)));
			c[i].flags = htole16(RBLK_CMDF_PUSHED);
			if (!random_below(2))
				continue;
			c[i].length = htole32(512 << random_below(12));
			c[i].flags = htole16(RBLK_CMDF_WINDOW);
			c[i].addr = htole64(4096 * random_below(128));
			continue;
		}
		c[i].addr = htole64((uintptr_t)v->data);
		c[i].rkey = htole32(verbs_grant(v));
	}
	return message_len(v->out);
}

static size_t fill_inline(struct sess *s, struct verbs *v)
{
	struct rblk_wire_cmd *c = sess_fill(s, v, RBLK_OP_WRITE);
	size_t data = 512 * (1 + random_below(8));
	struct rblk_wire_hdr *h = (void *)v->out;

	c->tag = htole16(random_below(DEPTH));
	c->flags = htole16(RBLK_CMDF_INLINE);
	c->addr = 0;
	c->rkey = 0;
	c->length = htole32(data);
	h->flags = htole16(RBLK_HDRF_DATA);
	message_set_len(h, RBLK_WIRE_DATA_OFFSET + data);
	return message_len(h);
}

static size_t fill_control(struct sess *s, struct verbs *v)
{
	struct rblk_wire_detach *detach;

	switch (random_below(6)) {
	case 0:
		sess_fill_login(s, v);
		break;
	case 1:
		sess_ctl(v, RBLK_MSG_LIST, sizeof(struct rblk_wire_list));
		break;
	case 2:
		sess_fill_attach(v, random_below(2) ? host_export :
				 host_readonly, random_below(4));
		break;
	case 3:
		detach = sess_ctl(v, RBLK_MSG_DETACH, sizeof(*detach));
		detach->volume = htole32(random_below(4));
		break;
	case 4:
		sess_fill_bind(s, v);
		break;
	default:
		sess_ctl(v, RBLK_MSG_KEEPALIVE, sizeof(struct rblk_wire_ctl));
	}
	return message_len(v->out);
}

/* Take what has come, and whether it is all over. */
static bool drain(struct verbs *v)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(v->recv_cq, 1, &wc) > 0) {
		if (wc.status != IBV_WC_SUCCESS)
			return false;
		verbs_post_recv(v, wc.wr_id);
	}
	while (ibv_poll_cq(v->send_cq, 1, &wc) > 0)
		if (wc.status != IBV_WC_SUCCESS)
			return false;
	return !verbs_gone(v, 0);
}

/*
 * One message, good or not, perhaps twice.  The numbers drawn must not depend
 * on what the target does, only whether we go on may.
 */
static bool one_message(struct sess *s)
{
	bool control = !random_below(4);
	struct verbs *v = control ? s->control : s->io[1];
	unsigned int tag = random_below(DEPTH);
	size_t len;
	int copies;

	/* Into any slot, at work or not, and seldom beyond. */
	if (s->features && !random_below(3))
		slot_fill(s, tag % SLOTS + (random_below(32) ? 0 : SLOTS), tag);
	if (control)
		len = fill_control(s, v);
	else
		len = random_below(3) ? fill_command(s, v) : fill_inline(s, v);
	if (!random_below(6))
		len = mutate(v->out, len, v->size.send_len);
	copies = random_below(12) ? 1 : 2;
	while (copies--) {
		nr_messages++;
		if (verbs_send(v, len))
			return false;
	}
	/* Some at once, some after a while: the order on the target varies. */
	if (random_below(2))
		verbs_sent(v, 200);
	return drain(s->control) && drain(s->io[1]);
}

static bool spoilt_request(struct sess *s)
{
	struct rblk_wire_cm_req req = sess_request(s, random_below(4));
	struct verbs *v;
	int reason;

	nr_messages++;
	mutate((char *)&req, sizeof(req), sizeof(req));
	v = sess_dial(&req, sizeof(req), &reason);
	nr_refused += !v;
	verbs_close(v);
	return true;
}

static bool wait_for_place(void)
{
	uint64_t end = verbs_now() + 4 * WAIT_MS;
	struct sess s;
	int ret;

	do {
		ret = sess_open(&s);
		sess_close(&s);
		if (ret)
			verbs_sleep(50);
	} while (ret && verbs_now() < end);
	return !ret;
}

/* A session from its own part of the random numbers. */
static const char *one_session(uint64_t seed, uint64_t number)
{
	struct sess s;
	unsigned int i;
	int ret;

	random_seed(seed ^ (number * 0x9e3779b97f4a7c15ull));
	nr_sessions++;
	ret = sess_open_with(&s, number % 3 ? RBLK_FEAT_WRITE_PUSH |
					      RBLK_FEAT_WRITE_WINDOW : 0);
	random_seed(seed + number);
	for (i = 0; !ret && i < ROUND_MESSAGES; i++)
		if (!one_message(&s))
			break;
	if (!ret && !random_below(3))
		spoilt_request(&s);
	sess_close(&s);
	if (ret)
		return report_why("session %lu: no good session: %d",
				  nr_sessions, ret);
	return NULL;
}

/**
 * mutate_main - mutate SEED SECONDS [SESSION]: from SESSION on, 0 unless told
 * @argc: arguments
 * @argv: theirs
 */
int mutate_main(int argc, char **argv)
{
	uint64_t seed, number = 0, end;
	const char *why = NULL;

	if (argc < 2)
		return 2;
	seed = strtoull(argv[0], NULL, 0);
	end = verbs_now() + 1000 * strtoull(argv[1], NULL, 0);
	if (argc > 2)
		number = strtoull(argv[2], NULL, 0);
	printf("seed %llu\n", (unsigned long long)seed);
	while (!why && verbs_now() < end)
		why = one_session(seed, number++);
	if (!why && !wait_for_place())
		why = "no good session afterwards";
	printf("%lu sessions, %lu messages, %lu mutated, %lu requests refused, seed %llu\n",
	       nr_sessions, nr_messages, nr_mutated, nr_refused,
	       (unsigned long long)seed);
	report_case("mutations", why);
	return report_end();
}
