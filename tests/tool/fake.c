// SPDX-License-Identifier: GPL-2.0-only
/* Stands in for tools/lib/node.c and system/program.c: modules that answer as a test wants. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/node.h"
#include "tool.h"

struct fake fake;

#define FD_INITIATOR	1000
#define FD_TARGET	1001
#define FD_UEVENTS	1002

/* One process at a time: children of the tool ask the same modules, see fake_share(). */
static void begin(void)
{
	while (__atomic_test_and_set(&fake.busy, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void end(void)
{
	__atomic_clear(&fake.busy, __ATOMIC_RELEASE);
}

int node_open(const char *path)
{
	enum rblk_side side = strcmp(path, RBLK_TARGET_PATH) ? RBLK_INITIATOR : RBLK_TARGET;

	if (fake.open_error[side])
		return -fake.open_error[side];
	__atomic_add_fetch(&fake.open, 1, __ATOMIC_RELAXED);
	return side == RBLK_TARGET ? FD_TARGET : FD_INITIATOR;
}

void node_close(int fd)
{
	assert_true(fd == FD_INITIATOR || fd == FD_TARGET || fd == FD_UEVENTS);
	__atomic_sub_fetch(&fake.open, 1, __ATOMIC_RELAXED);
}

const char *node_root(void)
{
	return fake.root;
}

/* What a test wants to happen meanwhile. */
static int later(void)
{
	if (!fake.moments)
		return -EINTR;
	fake.moments--;
	if (fake.meanwhile)
		fake.meanwhile();
	return 0;
}

double system_time(void)
{
	return fake.time;
}

int system_sleep(unsigned int seconds)
{
	struct timespec t = { .tv_sec = seconds };

	if (fake.sleeps)
		return nanosleep(&t, NULL) ? -errno : 0;
	fake.time += seconds;
	return later();
}

void system_die(int signal)
{
	fake.died = signal;
}

int node_uevents(void)
{
	if (fake.uevents_error)
		return -fake.uevents_error;
	fake.open++;
	return FD_UEVENTS;
}

/* Written with a bar where the kernel has a NUL. */
int node_uevent(int fd, char *text, size_t room, int timeout_ms)
{
	int len;

	(void)timeout_ms;
	assert_int_equal(fd, FD_UEVENTS);
	fake.uevent = NULL;
	len = later();
	if (len)
		return len;
	if (!fake.uevent)
		return -ENOBUFS;
	len = snprintf(text, room, "%s", fake.uevent);
	for (; *text; text++)
		if (*text == '|')
			*text = '\0';
	return len;
}

static int answer_info(struct rblk_ioc_info *info)
{
	assert_int_equal(info->size, sizeof(*info));
	if (fake.info_error)
		return -fake.info_error;
	info->abi = fake.abi;
	info->wire_min = RBLK_WIRE_VERSION;
	info->wire_max = RBLK_WIRE_VERSION;
	snprintf(info->version, sizeof(info->version), "%s",
		 fake.release ? fake.release : "9.8.7");
	return 0;
}

int fake_fail_at(struct rblk_ioc_error *error, unsigned int stage, int code)
{
	error->stage = stage;
	error->error = code;
	snprintf(error->text, sizeof(error->text), "nothing of that kind");
	return -code;
}

static bool is_taken(int index)
{
	unsigned int i;

	for (i = 0; i < fake.nr_volumes; i++)
		if (fake.volumes[i].volume.index == index)
			return true;
	return false;
}

static int answer_attach(struct rblk_ioc_attach *attach)
{
	static const __u8 any[UUID_BYTES];

	if (attach->index < 0)
		attach->index = fake.keeps ? fake_free_index() : 3;
	else if (fake.keeps && is_taken(attach->index))
		return fake_fail_at(&attach->error, RBLK_STAGE_DISK, EEXIST);
	if (!fake.keeps || !memcmp(attach->uuid, any, sizeof(any)))
		memset(attach->uuid, 0xab, sizeof(attach->uuid));
	attach->capacity = 1 << 20;
	fake_prove(attach->flags, attach->target_key, attach->peer_key);
	return 0;
}

static int answer_show(struct rblk_ioc_show *show)
{
	struct rblk_ioc_show in = *show;
	unsigned int i;

	for (i = 0; i < fake.nr_volumes; i++) {
		*show = fake.volumes[i];
		show->size = in.size;
		if (show->volume.index == in.index ||
		    ((in.flags & RBLK_SHOW_NEXT) && show->volume.index > in.index))
			return 0;
	}
	return fake_fail_at(&show->error, RBLK_STAGE_LOOKUP, ENOENT);
}

static int answer_stat(struct rblk_ioc_stat *stat)
{
	unsigned int i;

	for (i = 0; i < fake.nr_volumes && !fake.no_stat; i++) {
		if (fake.volumes[i].volume.index != stat->index)
			continue;
		stat->nr = RBLK_LATENCY_OPS;
		memcpy((void *)(uintptr_t)stat->ops, fake.done[i],
		       stat->room * sizeof(fake.done[i][0]));
		return 0;
	}
	return fake_fail_at(&stat->error, RBLK_STAGE_LOOKUP, ENOENT);
}

static int answer_discover(struct rblk_ioc_discover *discover)
{
	struct rblk_ioc_offer *to = (void *)(uintptr_t)discover->offers;
	unsigned int i;

	for (i = 0; i < fake.nr_offers && i < discover->room; i++)
		to[i] = fake.offers[i];
	discover->nr = fake.nr_offers;
	fake_portals(discover);
	fake_prove(discover->flags, discover->target_key, discover->peer_key);
	memset(discover->target_uuid, 0xcd, UUID_BYTES);
	snprintf(discover->target_name, RBLK_NAME_LEN, "store");
	return 0;
}

static void fill_lists(const struct rblkt_ioc_export_show *in, unsigned int at)
{
	struct rblkt_ioc_user *users = (void *)(uintptr_t)in->users;
	struct rblk_ioc_host *hosts = (void *)(uintptr_t)in->hosts;
	unsigned int i;

	for (i = 0; fake.keeps && i < fake.exports[at].nr_hosts; i++)
		hosts[i] = fake.kept_hosts[at][i];
	for (i = 0; !fake.keeps && i < ARRAY_SIZE(fake.hosts) && i < in->host_room; i++)
		hosts[i] = fake.hosts[i];
	for (i = 0; i < fake.nr_users && i < in->user_room; i++)
		users[i] = fake.users[i];
}

static int answer_export(struct rblkt_ioc_export_show *show)
{
	struct rblkt_ioc_export_show in = *show;
	unsigned int i;
	int order;

	for (i = 0; i < fake.nr_exports; i++) {
		*show = fake.exports[i];
		show->size = in.size;
		show->user_room = in.user_room;
		show->nr_users = fake.nr_users;
		order = strcmp(show->name, in.name);
		if (in.flags & RBLKT_SHOW_NEXT ? order > 0 : !order) {
			fill_lists(&in, i);
			fake.nr_users += fake.grow;
			return 0;
		}
	}
	return fake_fail_at(&show->error, RBLK_STAGE_LOOKUP, ENOENT);
}

static int answer_served(struct rblkt_ioc_stat *stat)
{
	struct rblkt_ioc_host_stat *to = (void *)(uintptr_t)stat->hosts;
	unsigned int i;

	for (i = 0; i < fake.nr_exports; i++)
		if (!strcmp(fake.exports[i].name, stat->name))
			break;
	if (i == fake.nr_exports)
		return fake_fail_at(&stat->error, RBLK_STAGE_LOOKUP, ENOENT);
	/* Two at a time, which no module promises not to do. */
	stat->nr = fake.nr_served;
	stat->room = stat->room < 2 ? stat->room : 2;
	for (i = stat->skip; i < stat->nr && i < stat->skip + stat->room; i++)
		*to++ = fake.served[i];
	return 0;
}

static int answer_list(struct rblkt_ioc_list *list, const void *from, size_t size,
		       unsigned int *nr)
{
	unsigned int fit = *nr < list->room ? *nr : list->room;

	memcpy((void *)(uintptr_t)list->entries, from, fit * size);
	list->nr = *nr;
	*nr += fake.grow;
	return 0;
}

static int answer_add(const struct rblkt_ioc_export_add *add)
{
	fake.add = *add;
	memcpy(fake.add_hosts, (void *)(uintptr_t)add->hosts,
	       add->nr_hosts * sizeof(fake.add_hosts[0]));
	return 0;
}

static int answer_set(const struct rblkt_ioc_export_set *set)
{
	fake.set = *set;
	/* NULL where there is nobody on it. */
	if (set->nr_hosts)
		memcpy(fake.add_hosts, (void *)(uintptr_t)set->hosts,
		       set->nr_hosts * sizeof(fake.add_hosts[0]));
	return 0;
}

/* The error member that every command but INFO has. */
static struct rblk_ioc_error *error_of(unsigned long command, void *arg)
{
	return (void *)((char *)arg + _IOC_SIZE(command) - sizeof(struct rblk_ioc_error));
}

/* Whether it is the turn of @command, or of that with this name in it, to fail. */
static bool fails(unsigned long command, const void *arg)
{
	if (command != fake.fail)
		return false;
	if (fake.fail_export && command == RBLK_IOC_ATTACH &&
	    strcmp(((const struct rblk_ioc_attach *)arg)->export_name, fake.fail_export))
		return false;
	if (fake.fail_skip) {
		fake.fail_skip--;
		return false;
	}
	if (!fake.fail_times)
		return false;
	fake.fail_times--;
	return true;
}

/* Reserved members must be zero and the size right, whatever the command. */
static void note_call(unsigned long command, void *arg)
{
	assert_int_equal(*(__u32 *)arg, _IOC_SIZE(command));
	fake.calls++;
	if (command != RBLK_IOC_ATTACH)
		return;
	fake.attach = *(struct rblk_ioc_attach *)arg;
	assert_int_equal(fake.attach.error.error, 0);
	fake.attach_addr[fake.nr_attach++ % ARRAY_SIZE(fake.attach_addr)] = fake.attach.target;
}

static int answer_pause(unsigned long command, struct rblkt_ioc_pause *pause)
{
	if (command == RBLKT_IOC_PAUSE)
		fake.pause = *pause;
	else
		assert_int_equal(pause->ms, 0);
	pause->ms = fake.pause.ms;
	pause->sessions = 2;
	pause->inflight = fake.pause.inflight;
	return 0;
}

static int answer_target(unsigned long command, void *arg)
{
	switch (command) {
	case RBLKT_IOC_EXPORT_ADD:
		return answer_add(arg);
	case RBLKT_IOC_EXPORT_REMOVE:
		memcpy(&fake.remove, arg, sizeof(fake.remove));
		return 0;
	case RBLKT_IOC_EXPORT_SET:
		return answer_set(arg);
	case RBLKT_IOC_EXPORT_SHOW:
		return answer_export(arg);
	case RBLKT_IOC_PORTAL_ADD:
		fake.portal = ((struct rblkt_ioc_portal_add *)arg)->addr;
		return 0;
	case RBLKT_IOC_PORTAL_REMOVE:
		fake.portal = ((struct rblkt_ioc_portal_remove *)arg)->addr;
		fake.portal_flags = ((struct rblkt_ioc_portal_remove *)arg)->flags;
		return 0;
	case RBLKT_IOC_PORTAL_LIST:
		return answer_list(arg, fake.portals, sizeof(fake.portals[0]),
				   &fake.nr_portals);
	case RBLKT_IOC_SESSION_LIST:
		return answer_list(arg, fake.sessions, sizeof(fake.sessions[0]),
				   &fake.nr_sessions);
	case RBLKT_IOC_STAT:
		return answer_served(arg);
	case RBLKT_IOC_PAUSE:
	case RBLKT_IOC_RESUME:
	case RBLKT_IOC_PAUSE_SHOW:
		return answer_pause(command, arg);
	case RBLKT_IOC_FENCED:
		fake_fence_drains();
		return answer_list(arg, fake.fenced, sizeof(fake.fenced[0]), &fake.nr_fenced);
	case RBLKT_IOC_HOST_FENCE:
		return fake_fence(arg);
	case RBLKT_IOC_SESSION_REMOVE:
		memcpy(&fake.evict, arg, sizeof(fake.evict));
		((struct rblkt_ioc_session_remove *)arg)->nr = 2;
		return 0;
	}
	return fake_reservation(command, arg);
}

static int answer_initiator(unsigned long command, void *arg)
{
	switch (command) {
	case RBLK_IOC_ATTACH:
		return answer_attach(arg);
	case RBLK_IOC_DETACH:
		memcpy(&fake.detach, arg, sizeof(fake.detach));
		return fake_meant(fake.detach.index, fake.detach.uuid, error_of(command, arg));
	case RBLK_IOC_SHOW:
		return answer_show(arg);
	case RBLK_IOC_STAT:
		return answer_stat(arg);
	case RBLK_IOC_POLICY:
		memcpy(&fake.policy, arg, sizeof(fake.policy));
		return fake_meant(fake.policy.index, fake.policy.uuid, error_of(command, arg));
	case RBLK_IOC_PIN:
		memcpy(&fake.pin, arg, sizeof(fake.pin));
		return fake_meant(fake.pin.index, fake.pin.uuid, error_of(command, arg));
	case RBLK_IOC_ROUTE_ADD:
		return fake_route_add(arg);
	case RBLK_IOC_ROUTE_REMOVE:
		return fake_route_remove(arg);
	case RBLK_IOC_ROUTE_LIST:
		return fake_route_list(arg);
	case RBLK_IOC_DISCOVER:
		memcpy(&fake.discover, arg, sizeof(fake.discover));
		return answer_discover(arg);
	}
	return fake_reservation(command, arg);
}

static int carry_out(int fd, unsigned long command, void *arg)
{
	int err = fd == FD_TARGET ? answer_target(command, arg) :
				    answer_initiator(command, arg);

	return err || !fake.keeps ? err : fake_keep(command, arg);
}

static int answer(int fd, unsigned long command, void *arg)
{
	int err;

	if (command == RBLK_IOC_INFO || command == RBLKT_IOC_INFO)
		return answer_info(arg);
	if (command != fake.fail) {
		err = fake_key(fd == FD_TARGET ? RBLK_TARGET : RBLK_INITIATOR, command, arg);
		if (err != -ENOTTY)
			return err;
	}
	note_call(command, arg);
	if (fails(command, arg)) {
		*error_of(command, arg) = fake.fail_with;
		if (fake.interrupt) {
			raise(fake.interrupt);
			raise(fake.interrupt);	/* timeout(1) sends two */
		}
		return -fake.fail_with.error;
	}
	err = carry_out(fd, command, arg);
	if (!err && command == fake.interrupt_after) {
		fake.interrupt_after = 0;
		raise(fake.interrupt);
	}
	return err;
}

int node_ioctl(int fd, unsigned long command, void *arg)
{
	int err;

	begin();
	err = answer(fd, command, arg);
	end();
	return err;
}

/* A map of its own each time, so that none stays shared. */
static int map(int how)
{
	void *at = mmap(&fake, sizeof(fake), PROT_READ | PROT_WRITE,
			MAP_FIXED | MAP_ANONYMOUS | how, -1, 0);

	return at == MAP_FAILED ? -1 : 0;
}

/* Children of the tool change the same modules as it does. */
int fake_share(void)
{
	struct fake was = fake;

	if (map(MAP_SHARED))
		return -1;
	fake = was;
	return 0;
}

int fake_setup(void **state)
{
	(void)state;
	if (map(MAP_PRIVATE))
		return -1;
	fake.abi = RBLK_ABI;
	snprintf(fake.root, sizeof(fake.root), "/tmp/rblkctl-test-XXXXXX");
	if (!mkdtemp(fake.root))
		return -1;
	fake_file("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	fake_file("/dev/rblk3", "");
	return 0;
}

int fake_teardown(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", fake.root);
	if (system(command))
		return -1;
	if (fake.open)
		print_error("%d nodes were left open\n", fake.open);
	return fake.open;
}
