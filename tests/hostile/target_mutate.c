// SPDX-License-Identifier: GPL-2.0-only
/*
 * The act of all acts: changes what is sent at random.
 */
#include <string.h>
#include "target.h"

/* Of so many messages one is spoilt, so that a session gets somewhere. */
#define ONE_IN	12

static void flip(struct out *o)
{
	unsigned int n = 1 + random_below(4);

	while (o->len && n--)
		o->buf[random_below(o->len)] ^= 1 << random_below(8);
}

/* A number of the size of a field, at its limits. */
static void extreme(struct out *o)
{
	static const uint64_t number[] = {
		0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
		0x80000000, 0xffffffff, 0x7fffffffffffffff, ~0ull,
	};
	uint64_t value = htole64(number[random_below(ARRAY_SIZE(number))]);
	size_t bytes = 1u << random_below(4);

	if (o->len >= bytes)
		memcpy(o->buf + random_below(o->len / bytes) * bytes, &value, bytes);
}

static void resize(struct out *o)
{
	size_t len = random_below(random_below(2) ? o->len + 1 : SEND_ROOM);

	if (len > o->len)
		random_bytes(o->buf + o->len, len - o->len);
	o->len = len;
	if (len >= sizeof(struct rblk_wire_hdr) && random_below(2) &&
	    o->type != ACCEPTANCE)
		message_set_len(o->buf, len);
}

static void rekey(struct out *o)
{
	o->inv = random_below(2);
	if (o->inv)
		o->rkey = random_below(2) ? random_next() :
			  o->rkey ^ (1u << random_below(32));
}

static void rdma(struct out *o)
{
	uint64_t addr = o->cmd ? le64toh(o->cmd->addr) : random_next();
	uint32_t rkey = o->cmd ? le32toh(o->cmd->rkey) : random_next();

	if (!o->link->v->send_cq)
		return;
	link_rdma(o->link, random_below(2) ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ,
		  link_spare(o->link), random_below(SEND_ROOM),
		  addr + random_below(8192), rkey);
}

static void move(struct fake *f, struct out *o)
{
	struct link *l = random_below(2) ? link_control(f) : link_other(o->link);

	if (l && l->v->send_cq)
		o->link = l;
}

static void acceptance(struct out *o)
{
	switch (random_below(6)) {
	case 0:
		o->copies = 0;
		break;
	case 1:
		o->refuse = true;
		break;
	case 2:
		o->len = random_below(o->len + 1);
		break;
	case 3:
		extreme(o);
		break;
	default:
		flip(o);
	}
}

static void message(struct fake *f, struct out *o)
{
	switch (random_below(10)) {
	case 0:
		resize(o);
		break;
	case 1:
		o->copies = random_below(4);
		break;
	case 2:
		rekey(o);
		break;
	case 3:
		rdma(o);
		break;
	case 4:
		move(f, o);
		break;
	case 5:
		o->link->hang_up = true;
		break;
	case 6:
	case 7:
		extreme(o);
		break;
	default:
		flip(o);
	}
}

/**
 * mutate_out - perhaps spoil what is about to be sent
 * @f: the target
 * @o: what
 */
void mutate_out(struct fake *f, struct out *o)
{
	if (random_below(ONE_IN))
		return;
	f->done++;
	if (o->type == ACCEPTANCE)
		acceptance(o);
	else
		message(f, o);
	if (!random_below(4) && o->type != ACCEPTANCE)
		message(f, o);
}
