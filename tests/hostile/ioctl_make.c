// SPDX-License-Identifier: GPL-2.0-only
/* Arguments: good ones, so that there is something to break, and worse ones. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "ioctl.h"
#include "report.h"

#define PREFIX		"fuzz"	/* of the exports' names */
#define FIRST_PORT	7000	/* of portals that come and go */
#define INDICES		12
#define ARRAY_BYTES	(64 * 1024)
/*
 * Far from all else: a pointer to it with a wrong byte or half must not hit the
 * program's own stacks and data, which the kernel would then rightly fill.
 */
#define ARRAY_AT	((void *)0x200100000000)

struct rblk_ioc_addr make_portal;
const char *make_disk[MOST_DISKS];
unsigned int make_nr_disks;

static char *array;	/* results land here */

/**
 * make_init - what all arguments share
 */
void make_init(void)
{
	array = mmap(ARRAY_AT, ARRAY_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (array != ARRAY_AT)
		report_die("no memory at %p", ARRAY_AT);
}

static void random_name(char *name)
{
	snprintf(name, RBLK_NAME_LEN, PREFIX "%u",
		 random_below(make_nr_disks ?: MOST_DISKS));
}

/* Two hosts, neither of them the bystander's. */
static void random_host(__u8 *host, char *name)
{
	memset(host, 0xf0 + random_below(2), RBLK_UUID_LEN);
	snprintf(name, RBLK_NAME_LEN, "fuzzer%u", host[0] & 1);
}

static void make_info(void *arg)
{
	struct rblk_ioc_info *info = arg;

	info->size = sizeof(*info);
}

static void make_attach(void *arg)
{
	struct rblk_ioc_attach *attach = arg;

	attach->size = sizeof(*attach);
	attach->flags = random_below(4) ? RBLK_ATTACH_INSECURE :
					  random_next() & RBLK_ATTACH_ALL;
	if (!random_below(8))
		attach->target_key[random_below(RBLK_TARGET_KEYS)][0] = 1;
	attach->target = make_portal;
	snprintf(attach->target_text, sizeof(attach->target_text), "fuzzed");
	random_name(attach->export_name);
	random_host(attach->host, attach->host_name);
	attach->queues = random_below(3);
	attach->depth = random_below(2) * 16;
	attach->inline_read = random_below(3) * 4096;
	attach->queue_timeout = random_below(6);
	attach->index = random_below(3) ? -1 : (int)random_below(INDICES);
}

static void make_detach(void *arg)
{
	struct rblk_ioc_detach *detach = arg;

	detach->size = sizeof(*detach);
	detach->flags = random_next() & RBLK_DETACH_FORCE;
	detach->index = random_below(INDICES);
}

static void make_show(void *arg)
{
	struct rblk_ioc_show *show = arg;

	show->size = sizeof(*show);
	show->flags = random_next() & RBLK_SHOW_NEXT;
	show->index = random_below(INDICES);
}

static void make_stat(void *arg)
{
	struct rblk_ioc_stat *stat = arg;

	stat->size = sizeof(*stat);
	/* On a busy machine hardly any other is ever there; looking does no harm. */
	stat->index = random_below(8) ? random_below(INDICES) : CALM_INDEX;
	stat->ops = (uintptr_t)array;
	stat->room = random_below(RBLK_LATENCY_OPS + 2);
}

static void make_policy(void *arg)
{
	struct rblk_ioc_policy *policy = arg;

	policy->size = sizeof(*policy);
	/* As above; while the bystander is connected its timeout changes nothing. */
	policy->index = random_below(8) ? random_below(INDICES) : CALM_INDEX;
	policy->queue_timeout = random_below(10);
}

static void make_discover(void *arg)
{
	struct rblk_ioc_discover *discover = arg;

	discover->size = sizeof(*discover);
	discover->flags = random_below(4) ? RBLK_ATTACH_INSECURE :
					    random_next() & RBLK_ATTACH_PROOF;
	discover->target = make_portal;
	random_host(discover->host, discover->host_name);
	discover->offers = (uintptr_t)array;
	discover->room = random_below(ARRAY_BYTES / sizeof(struct rblk_ioc_offer));
}

/* A list as long as one may be; now and then with a host in it twice, which is refused. */
static void some_hosts(char *at, unsigned char first)
{
	struct rblk_ioc_host *list = (void *)at;
	bool twice = !random_below(4), by_key = random_below(2);
	unsigned int i;

	memset(list, 0, RBLK_MAX_HOSTS * sizeof(*list));
	for (i = 0; i < RBLK_MAX_HOSTS; i++) {
		if (by_key)
			list[i].key[0] = first;
		else
			list[i].uuid[0] = first;
		list[i].uuid[1] = !by_key * (twice ? i / 2 : i);
		list[i].key[1] = by_key * (twice ? i / 2 : i);
	}
}

static void make_export_add(void *arg)
{
	unsigned int n = random_below(make_nr_disks);
	struct rblkt_ioc_export_add *add = arg;

	add->size = sizeof(*add);
	snprintf(add->name, sizeof(add->name), PREFIX "%u", n);
	snprintf(add->path, sizeof(add->path), "%s", make_disk[n]);
	memset(add->uuid, n + 1, sizeof(add->uuid));
	add->flags = random_next() & (RBLKT_EXPORT_SHARED | RBLKT_EXPORT_INSECURE);
	/* Any file, or none, is no control group. */
	if (!random_below(8)) {
		add->flags |= RBLKT_EXPORT_CGROUP;
		add->cgroup_fd = (int)random_below(8) - 2;
	}
	if (random_below(4)) {
		add->flags |= RBLKT_EXPORT_ALLOW_ANY;
		return;
	}
	add->nr_hosts = random_below(RBLK_MAX_HOSTS + 1);
	add->hosts = (uintptr_t)array;
	some_hosts(array, 0xf0);
}

static void make_export_remove(void *arg)
{
	struct rblkt_ioc_export_remove *remove = arg;

	remove->size = sizeof(*remove);
	remove->flags = random_next() & RBLKT_REMOVE_FORCE;
	random_name(remove->name);
}

static void make_export_set(void *arg)
{
	struct rblkt_ioc_export_set *set = arg;

	set->size = sizeof(*set);
	set->what = random_next() & RBLKT_SET_ALL;
	random_name(set->name);
	if (set->what & RBLKT_SET_NAME)
		random_name(set->new_name);
	if (set->what & RBLKT_SET_READ_ONLY)
		set->flags |= random_next() & RBLKT_EXPORT_READ_ONLY;
	if (set->what & RBLKT_SET_SHARED)
		set->flags |= random_next() & RBLKT_EXPORT_SHARED;
	if (set->what & RBLKT_SET_INSECURE)
		set->flags |= random_next() & RBLKT_EXPORT_INSECURE;
	/* More than one of these three is refused: often enough none is. */
	if (random_below(4))
		set->what &= ~(1u << (5 + random_below(2)));
	if (!(set->what & (RBLKT_SET_HOSTS | RBLKT_SET_ALLOW | RBLKT_SET_DENY)))
		return;
	if (set->what & RBLKT_SET_HOSTS && random_below(4)) {
		set->flags |= RBLKT_EXPORT_ALLOW_ANY;
		return;
	}
	set->nr_hosts = random_below(RBLK_MAX_HOSTS + 1);
	set->hosts = (uintptr_t)array;
	some_hosts(array, 0xf0 + random_below(2));
}

static void make_export_show(void *arg)
{
	struct rblkt_ioc_export_show *show = arg;

	show->size = sizeof(*show);
	show->flags = random_next() & RBLKT_SHOW_NEXT;
	random_name(show->name);
	show->hosts = (uintptr_t)array;
	show->host_room = random_below(RBLK_MAX_HOSTS);
	show->users = (uintptr_t)array + ARRAY_BYTES / 2;
	show->user_room = random_below(ARRAY_BYTES / 2 /
				       sizeof(struct rblkt_ioc_user));
}

static void make_served(void *arg)
{
	struct rblkt_ioc_stat *stat = arg;

	stat->size = sizeof(*stat);
	random_name(stat->name);
	stat->hosts = (uintptr_t)array;
	stat->room = random_below(ARRAY_BYTES / sizeof(struct rblkt_ioc_host_stat));
	stat->skip = random_below(4) ? 0 : random_below(4);
}

static void make_port(struct rblk_ioc_addr *addr)
{
	*addr = make_portal;
	addr->port = htons(FIRST_PORT + random_below(3));
}

static void make_portal_add(void *arg)
{
	struct rblkt_ioc_portal_add *add = arg;

	add->size = sizeof(*add);
	make_port(&add->addr);
}

static void make_portal_remove(void *arg)
{
	struct rblkt_ioc_portal_remove *remove = arg;

	remove->size = sizeof(*remove);
	remove->flags = random_next() & RBLKT_REMOVE_FORCE;
	make_port(&remove->addr);
}

static void make_list(void *arg)
{
	struct rblkt_ioc_list *list = arg;

	list->size = sizeof(*list);
	list->entries = (uintptr_t)array;
	list->room = random_below(ARRAY_BYTES / sizeof(struct rblk_ioc_session));
}

#define ERROR(type)	.error = offsetof(struct type, error)
#define ARRAYS(type, first, nr)	.arrays = offsetof(struct type, first), .nr_arrays = (nr)
#define KEEP(type, member)	.keep = offsetof(struct type, member), \
				.keep_bytes = sizeof(((struct type *)0)->member)

const struct verb control_verbs[] = {
	{ "info", RBLK_IOC_INFO, .make = make_info },
	{ "attach", RBLK_IOC_ATTACH, ERROR(rblk_ioc_attach), .make = make_attach },
	{ "detach", RBLK_IOC_DETACH, ERROR(rblk_ioc_detach),
	  KEEP(rblk_ioc_detach, index), .make = make_detach },
	{ "show", RBLK_IOC_SHOW, ERROR(rblk_ioc_show), .make = make_show },
	{ "stat", RBLK_IOC_STAT, ERROR(rblk_ioc_stat),
	  ARRAYS(rblk_ioc_stat, ops, 1), .make = make_stat },
	{ "policy", RBLK_IOC_POLICY, ERROR(rblk_ioc_policy),
	  KEEP(rblk_ioc_policy, index), .make = make_policy },
	{ "discover", RBLK_IOC_DISCOVER, ERROR(rblk_ioc_discover),
	  ARRAYS(rblk_ioc_discover, offers, 1), .make = make_discover },
};

const struct verb target_verbs[] = {
	{ "info", RBLKT_IOC_INFO, .make = make_info },
	{ "export_add", RBLKT_IOC_EXPORT_ADD, ERROR(rblkt_ioc_export_add),
	  ARRAYS(rblkt_ioc_export_add, hosts, 1), .make = make_export_add },
	{ "export_remove", RBLKT_IOC_EXPORT_REMOVE, ERROR(rblkt_ioc_export_remove),
	  KEEP(rblkt_ioc_export_remove, name), .make = make_export_remove },
	{ "export_set", RBLKT_IOC_EXPORT_SET, ERROR(rblkt_ioc_export_set),
	  ARRAYS(rblkt_ioc_export_set, hosts, 1), KEEP(rblkt_ioc_export_set, name),
	  .make = make_export_set },
	{ "export_show", RBLKT_IOC_EXPORT_SHOW, ERROR(rblkt_ioc_export_show),
	  ARRAYS(rblkt_ioc_export_show, hosts, 2), .make = make_export_show },
	{ "stat", RBLKT_IOC_STAT, ERROR(rblkt_ioc_stat),
	  ARRAYS(rblkt_ioc_stat, hosts, 1), .make = make_served },
	{ "portal_add", RBLKT_IOC_PORTAL_ADD, ERROR(rblkt_ioc_portal_add),
	  .make = make_portal_add },
	{ "portal_remove", RBLKT_IOC_PORTAL_REMOVE, ERROR(rblkt_ioc_portal_remove),
	  KEEP(rblkt_ioc_portal_remove, addr), .make = make_portal_remove },
	{ "portal_list", RBLKT_IOC_PORTAL_LIST, ERROR(rblkt_ioc_list),
	  ARRAYS(rblkt_ioc_list, entries, 1), .make = make_list },
	{ "session_list", RBLKT_IOC_SESSION_LIST, ERROR(rblkt_ioc_list),
	  ARRAYS(rblkt_ioc_list, entries, 1), .make = make_list },
};

const unsigned int nr_control_verbs = ARRAY_SIZE(control_verbs);
const unsigned int nr_target_verbs = ARRAY_SIZE(target_verbs);

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
