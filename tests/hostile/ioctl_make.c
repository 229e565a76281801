// SPDX-License-Identifier: GPL-2.0-only
/* Good arguments, so that there is something to break. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "ioctl.h"
#include "report.h"

#define PREFIX		"fuzz"	/* of the exports' names */
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

static void make_port(struct rblk_ioc_addr *addr)
{
	*addr = make_portal;
	addr->port = htons(FIRST_PORT + random_below(3));
}

static void make_info(void *arg)
{
	struct rblk_ioc_info *info = arg;

	info->size = sizeof(*info);
}

/* With keys as often as without: some commands are for only one of these. */
static uint32_t random_proof(void)
{
	return random_below(2) ? RBLK_ATTACH_INSECURE : RBLK_ATTACH_TRUST_FIRST;
}

static void make_attach(void *arg)
{
	struct rblk_ioc_attach *attach = arg;

	attach->size = sizeof(*attach);
	attach->flags = random_proof();
	if (!random_below(8))
		attach->flags = random_next() & RBLK_ATTACH_ALL;
	if (!random_below(16))
		attach->target_key[random_below(RBLK_TARGET_KEYS)][0] = 1;
	attach->target = make_portal;
	snprintf(attach->target_text, sizeof(attach->target_text), "fuzzed");
	random_name(attach->export_name);
	random_host(attach->host, attach->host_name);
	attach->queues = random_below(3);
	attach->depth = random_below(2) * 16;
	attach->inline_read = random_below(3) * 4096;
	if (attach->inline_read)
		attach->flags |= RBLK_ATTACH_INLINE_READ;
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
	discover->flags = random_below(4) ? random_proof() :
					    random_next() & RBLK_ATTACH_PROOF;
	discover->target = make_portal;
	random_host(discover->host, discover->host_name);
	discover->offers = (uintptr_t)array;
	discover->room = random_below(ARRAY_BYTES / sizeof(struct rblk_ioc_offer));
}

/* One of two keys, seldom none, and mostly PSKs for a few peers. */
static void make_key_set(void *arg)
{
	struct rblk_ioc_psk *list = (void *)array;
	struct rblk_ioc_key_set *set = arg;
	unsigned int i;

	set->size = sizeof(*set);
	if (!random_below(8))
		return;
	memset(set->private_key, 0x40 + random_below(2), sizeof(set->private_key));
	if (random_below(2))
		return;
	set->nr_psks = 1 + random_below(RBLK_MAX_HOSTS);
	set->psks = (uintptr_t)array;
	memset(list, 0, set->nr_psks * sizeof(*list));
	for (i = 0; i < set->nr_psks; i++) {
		list[i].key[0] = 1;
		list[i].key[1] = i;
		list[i].key[2] = i >> 8;
		list[i].psk[0] = 1;
	}
}

static void make_key_show(void *arg)
{
	struct rblk_ioc_key_show *show = arg;

	show->size = sizeof(*show);
}

static void make_pin(void *arg)
{
	struct rblk_ioc_pin *pin = arg;

	pin->size = sizeof(*pin);
	pin->index = random_below(random_below(2) ? INDICES : 3);
	pin->target_key[0][0] = 1 + random_below(2);
	pin->target_key[1][0] = 3 * random_below(2);
}

/* Where a volume mostly is, and by ways that are mostly the same. */
static void make_route(struct rblk_ioc_route_change *change)
{
	change->size = sizeof(*change);
	change->index = random_below(3);
	make_port(&change->target);
	if (random_below(4))
		change->target.port = htons(FIRST_PORT);
}

/* To a portal that comes and goes, or to the same once more. */
static void make_route_add(void *arg)
{
	struct rblk_ioc_route_change *add = arg;

	make_route(add);
	if (!random_below(8))
		add->target = make_portal;
	snprintf(add->target_text, sizeof(add->target_text), "fuzzed route");
	add->wait_ms = random_below(3) * 100;
	if (!random_below(4))
		add->flags = random_proof();
}

static void make_route_remove(void *arg)
{
	make_route(arg);
}

static void make_reservation(void *arg)
{
	struct rblk_ioc_reservation *reservation = arg;

	reservation->size = sizeof(*reservation);
	reservation->index = random_below(8) ? random_below(INDICES) : CALM_INDEX;
	reservation->registrants = (uintptr_t)array;
	reservation->room = random_below(100);
}

static void make_route_list(void *arg)
{
	struct rblk_ioc_route_list *list = arg;

	list->size = sizeof(*list);
	/* Looking does no harm. */
	list->index = random_below(8) ? random_below(INDICES) : CALM_INDEX;
	list->room = random_below(RBLK_MAX_ROUTES + 1);
	list->routes = (uintptr_t)array;
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

static void make_reservation_show(void *arg)
{
	struct rblkt_ioc_reservation_show *show = arg;

	show->size = sizeof(*show);
	random_name(show->name);
	show->registrants = (uintptr_t)array;
	show->room = random_below(100);
}

/* By UUID, by key, or now and then by both or neither. */
static void some_host(struct rblk_ioc_host *host)
{
	if (random_below(8) < 5)
		host->uuid[0] = 0xf0 + random_below(4);
	if (random_below(8) < 4)
		host->key[0] = 0xf0 + random_below(4);
}

static void make_reservation_set(void *arg)
{
	struct rblkt_ioc_reservation_set *set = arg;

	set->size = sizeof(*set);
	set->what = RBLKT_RESV_CLEAR + random_below(3);
	random_name(set->name);
	if (set->what == RBLKT_RESV_CLEAR)
		return;
	some_host(&set->host);
	if (set->what == RBLKT_RESV_MOVE)
		some_host(&set->new_host);
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

/* Mostly down: a host that is fenced for long attaches nothing, well or badly. */
static void make_host_fence(void *arg)
{
	struct rblkt_ioc_host_fence *fence = arg;

	fence->size = sizeof(*fence);
	fence->flags = random_below(8) ? RBLKT_FENCE_DOWN : 0;
	random_host(fence->host.uuid, fence->name);
}

static void make_fenced(void *arg)
{
	struct rblkt_ioc_list *list = arg;

	list->size = sizeof(*list);
	list->entries = (uintptr_t)array;
	list->room = random_below(ARRAY_BYTES / sizeof(struct rblkt_ioc_fenced));
}

#define ERROR(type)	.error = offsetof(struct type, error)
#define ARRAYS(type, first, nr)	.arrays = offsetof(struct type, first), .nr_arrays = (nr)
#define KEEP(type, member)	.keep = offsetof(struct type, member), \
				.keep_bytes = sizeof(((struct type *)0)->member)

const struct verb control_verbs[] = {
	{ "info", RBLK_IOC_INFO, .make = make_info },
	{ "attach", RBLK_IOC_ATTACH, ERROR(rblk_ioc_attach), .often = true,
	  .make = make_attach },
	{ "detach", RBLK_IOC_DETACH, ERROR(rblk_ioc_detach),
	  KEEP(rblk_ioc_detach, index), .make = make_detach },
	{ "show", RBLK_IOC_SHOW, ERROR(rblk_ioc_show), .make = make_show },
	{ "stat", RBLK_IOC_STAT, ERROR(rblk_ioc_stat),
	  ARRAYS(rblk_ioc_stat, ops, 1), .make = make_stat },
	{ "policy", RBLK_IOC_POLICY, ERROR(rblk_ioc_policy),
	  KEEP(rblk_ioc_policy, index), .make = make_policy },
	{ "discover", RBLK_IOC_DISCOVER, ERROR(rblk_ioc_discover),
	  ARRAYS(rblk_ioc_discover, offers, 1), .make = make_discover },
	{ "route_add", RBLK_IOC_ROUTE_ADD, ERROR(rblk_ioc_route_change),
	  KEEP(rblk_ioc_route_change, index), .often = true, .make = make_route_add },
	{ "route_remove", RBLK_IOC_ROUTE_REMOVE, ERROR(rblk_ioc_route_change),
	  KEEP(rblk_ioc_route_change, index), .often = true, .make = make_route_remove },
	{ "route_list", RBLK_IOC_ROUTE_LIST, ERROR(rblk_ioc_route_list),
	  ARRAYS(rblk_ioc_route_list, routes, 1), .make = make_route_list },
	{ "reservation", RBLK_IOC_RESERVATION, ERROR(rblk_ioc_reservation),
	  ARRAYS(rblk_ioc_reservation, registrants, 1), .make = make_reservation },
	{ "pin", RBLK_IOC_PIN, ERROR(rblk_ioc_pin), KEEP(rblk_ioc_pin, index),
	  .often = true, .make = make_pin },
	{ "key_set", RBLK_IOC_KEY_SET, ERROR(rblk_ioc_key_set),
	  ARRAYS(rblk_ioc_key_set, psks, 1), .make = make_key_set },
	{ "key_show", RBLK_IOC_KEY_SHOW, ERROR(rblk_ioc_key_show), .make = make_key_show },
};

const struct verb target_verbs[] = {
	{ "info", RBLKT_IOC_INFO, .make = make_info },
	{ "export_add", RBLKT_IOC_EXPORT_ADD, ERROR(rblkt_ioc_export_add),
	  ARRAYS(rblkt_ioc_export_add, hosts, 1), .often = true, .make = make_export_add },
	{ "export_remove", RBLKT_IOC_EXPORT_REMOVE, ERROR(rblkt_ioc_export_remove),
	  KEEP(rblkt_ioc_export_remove, name), .make = make_export_remove },
	{ "export_set", RBLKT_IOC_EXPORT_SET, ERROR(rblkt_ioc_export_set),
	  ARRAYS(rblkt_ioc_export_set, hosts, 1), KEEP(rblkt_ioc_export_set, name),
	  .make = make_export_set },
	{ "export_show", RBLKT_IOC_EXPORT_SHOW, ERROR(rblkt_ioc_export_show),
	  ARRAYS(rblkt_ioc_export_show, hosts, 2), .make = make_export_show },
	{ "stat", RBLKT_IOC_STAT, ERROR(rblkt_ioc_stat),
	  ARRAYS(rblkt_ioc_stat, hosts, 1), .make = make_served },
	{ "reservation_show", RBLKT_IOC_RESERVATION_SHOW, ERROR(rblkt_ioc_reservation_show),
	  ARRAYS(rblkt_ioc_reservation_show, registrants, 1), .make = make_reservation_show },
	{ "reservation_set", RBLKT_IOC_RESERVATION_SET, ERROR(rblkt_ioc_reservation_set),
	  .make = make_reservation_set },
	{ "portal_add", RBLKT_IOC_PORTAL_ADD, ERROR(rblkt_ioc_portal_add),
	  .make = make_portal_add },
	{ "portal_remove", RBLKT_IOC_PORTAL_REMOVE, ERROR(rblkt_ioc_portal_remove),
	  KEEP(rblkt_ioc_portal_remove, addr), .make = make_portal_remove },
	{ "portal_list", RBLKT_IOC_PORTAL_LIST, ERROR(rblkt_ioc_list),
	  ARRAYS(rblkt_ioc_list, entries, 1), .make = make_list },
	{ "session_list", RBLKT_IOC_SESSION_LIST, ERROR(rblkt_ioc_list),
	  ARRAYS(rblkt_ioc_list, entries, 1), .make = make_list },
	{ "host_fence", RBLKT_IOC_HOST_FENCE, ERROR(rblkt_ioc_host_fence), .often = true,
	  .make = make_host_fence },
	{ "fenced", RBLKT_IOC_FENCED, ERROR(rblkt_ioc_list),
	  ARRAYS(rblkt_ioc_list, entries, 1), .make = make_fenced },
	{ "key_set", RBLKT_IOC_KEY_SET, ERROR(rblk_ioc_key_set),
	  ARRAYS(rblk_ioc_key_set, psks, 1), .make = make_key_set },
	{ "key_show", RBLKT_IOC_KEY_SHOW, ERROR(rblk_ioc_key_show), .make = make_key_show },
};

const unsigned int nr_control_verbs = ARRAY_SIZE(control_verbs);
const unsigned int nr_target_verbs = ARRAY_SIZE(target_verbs);
