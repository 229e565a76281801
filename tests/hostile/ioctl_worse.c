// SPDX-License-Identifier: GPL-2.0-only
/* Arguments that were good, and are spoilt. */
#include <arpa/inet.h>
#include <string.h>
#include "ioctl.h"
#include "report.h"

static const uint32_t edges[] = {
	0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 4095, 4096, 4097,
	0x7ffffffe, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
};

/* Pointers that are no good: nothing there, the kernel's, not canonical. */
static const uint64_t nowhere[] = {
	0, 1, 0xfff, 0x1000, 0x7fffffffe000, 0x7ffffffff000, 0x800000000000,
	0xffff800000000000, 0xffffffff81000000, 0xfffffffffffff000,
	0xffffffffffffffff,
};

static void edge_words(unsigned char *arg, size_t bytes)
{
	unsigned int n = 1 + random_below(3);

	while (n--) {
		uint32_t value = edges[random_below(ARRAY_SIZE(edges))];

		memcpy(arg + random_below(bytes / 4) * 4, &value, sizeof(value));
	}
}

static void random_somewhere(unsigned char *arg, size_t bytes)
{
	unsigned int n = 1 + random_below(8);

	while (n--)
		arg[random_below(bytes)] = random_next();
}

/* Text that does not end, from somewhere to somewhere. */
static void endless_text(unsigned char *arg, size_t bytes)
{
	size_t from = 8 + random_below(bytes - 8);
	size_t n = random_below(bytes - from);

	memset(arg + from, random_below(2) ? 'a' : '%', n);
}

static void bad_pointer(const struct verb *verb, unsigned char *arg)
{
	uint64_t value = nowhere[random_below(ARRAY_SIZE(nowhere))];
	unsigned int which;

	if (!verb->arrays)
		return;
	which = random_below(verb->nr_arrays);
	memcpy(arg + verb->arrays + which * sizeof(value), &value, sizeof(value));
}

/**
 * make_worse - spoil a good argument in one of many ways
 * @verb: whose
 * @arg: the argument
 */
void make_worse(const struct verb *verb, void *arg)
{
	size_t bytes = _IOC_SIZE(verb->cmd);
	uint32_t size;

	switch (random_below(verb->arrays ? 8 : 6)) {
	case 0:
		size = edges[random_below(ARRAY_SIZE(edges))];
		memcpy(arg, &size, sizeof(size));
		break;
	case 1:
		size = bytes + random_below(9) - 4;
		memcpy(arg, &size, sizeof(size));
		break;
	case 2:
		edge_words(arg, bytes);
		break;
	case 3:
		random_somewhere(arg, bytes);
		break;
	case 4:
		endless_text(arg, bytes);
		break;
	case 5:
		size = bytes;
		random_bytes(arg, bytes);
		memcpy(arg, &size, sizeof(size));
		break;
	default:
		bad_pointer(verb, arg);
		break;
	}
}

/**
 * make_command - a command's number, or one like it
 * @verb: the command
 */
unsigned long make_command(const struct verb *verb)
{
	unsigned int bytes = _IOC_SIZE(verb->cmd);

	switch (random_below(5)) {
	case 0:
		return _IOC(_IOC_DIR(verb->cmd), _IOC_TYPE(verb->cmd),
			    _IOC_NR(verb->cmd), bytes + random_below(17) - 8);
	case 1:
		return _IOC(random_below(4), _IOC_TYPE(verb->cmd),
			    _IOC_NR(verb->cmd), bytes);
	case 2:
		return _IOC(_IOC_DIR(verb->cmd), _IOC_TYPE(verb->cmd) ^ 7,
			    _IOC_NR(verb->cmd), bytes);
	case 3:
		return _IOC(_IOC_DIR(verb->cmd), _IOC_TYPE(verb->cmd),
			    8 + random_below(248), bytes);
	default:
		return (uint32_t)random_next();
	}
}

/**
 * make_guard - no argument may be a good one for what the bystander uses
 * @verb: whose
 * @arg: the argument, as bad as it will be
 */
void make_guard(const struct verb *verb, void *arg)
{
	struct rblkt_ioc_portal_remove *remove = arg;
	int32_t index;

	if (verb->cmd == RBLKT_IOC_PORTAL_REMOVE) {
		if (!memcmp(remove->addr.addr, make_portal.addr, 4) &&
		    (unsigned int)ntohs(remove->addr.port) - FIRST_PORT >= 3u)
			remove->addr.port = htons(FIRST_PORT);
	} else if (verb->cmd == RBLKT_IOC_EXPORT_REMOVE ||
		   verb->cmd == RBLKT_IOC_EXPORT_SET) {
		return;		/* its name begins otherwise */
	} else if (verb->keep) {
		memcpy(&index, (char *)arg + verb->keep, sizeof(index));
		if (index == CALM_INDEX)
			memset((char *)arg + verb->keep, 0, sizeof(index));
	}
}
