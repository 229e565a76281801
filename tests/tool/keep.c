// SPDX-License-Identifier: GPL-2.0-only
/* Modules that remember: what a test adds is there, what it removes is not. */
#include <errno.h>
#include <unistd.h>

#include "tool.h"

/* What was done to what, for the order of things. */
static void note(char letter, const char *name)
{
	size_t used = strlen(fake.log);

	snprintf(fake.log + used, sizeof(fake.log) - used, "%s%c:%s", used ? " " : "",
		 letter, name);
}

static int keep_export(const struct rblkt_ioc_export_add *add)
{
	struct rblkt_ioc_export_show *show;
	unsigned int at;

	for (at = 0; at < fake.nr_exports; at++)
		if (strcmp(fake.exports[at].name, add->name) >= 0)
			break;
	assert_true(fake.nr_exports < ARRAY_SIZE(fake.exports));
	memmove(&fake.exports[at + 1], &fake.exports[at],
		(fake.nr_exports - at) * sizeof(fake.exports[0]));
	memmove(&fake.kept_hosts[at + 1], &fake.kept_hosts[at],
		(fake.nr_exports - at) * sizeof(fake.kept_hosts[0]));
	show = &fake.exports[at];
	memset(show, 0, sizeof(*show));
	memcpy(show->name, add->name, sizeof(show->name));
	memcpy(show->path, add->path, sizeof(show->path));
	if (add->flags & RBLKT_EXPORT_CGROUP)
		snprintf(show->cgroup, sizeof(show->cgroup), "/storage.slice");
	memcpy(show->uuid, add->uuid, UUID_BYTES);
	show->export_flags = add->flags;
	show->nr_hosts = add->nr_hosts;
	memcpy(fake.kept_hosts[at], (void *)(uintptr_t)add->hosts,
	       add->nr_hosts * sizeof(fake.kept_hosts[at][0]));
	fake.nr_exports++;
	note('+', add->name);
	return 0;
}

static unsigned int find_export(const char *name)
{
	unsigned int at;

	for (at = 0; at < fake.nr_exports; at++)
		if (!strcmp(fake.exports[at].name, name))
			return at;
	fail_msg("no export %s", name);
	return 0;
}

/* A new name keeps its place: tests give none that sorts otherwise. */
static int keep_set(const struct rblkt_ioc_export_set *set)
{
	unsigned int at = find_export(set->name), flags = 0;
	struct rblkt_ioc_export_show *show = &fake.exports[at];

	if (set->what & RBLKT_SET_HOSTS) {
		flags |= RBLKT_EXPORT_ALLOW_ANY;
		show->nr_hosts = set->nr_hosts;
		if (set->nr_hosts)
			memcpy(fake.kept_hosts[at], (void *)(uintptr_t)set->hosts,
			       set->nr_hosts * sizeof(fake.kept_hosts[at][0]));
	}
	if (set->what & RBLKT_SET_READ_ONLY)
		flags |= RBLKT_EXPORT_READ_ONLY;
	if (set->what & RBLKT_SET_SHARED)
		flags |= RBLKT_EXPORT_SHARED;
	if (set->what & RBLKT_SET_REALTIME)
		flags |= RBLKT_EXPORT_REALTIME;
	if (set->what & RBLKT_SET_INSECURE)
		flags |= RBLKT_EXPORT_INSECURE;
	show->export_flags = (show->export_flags & ~flags) | set->flags;
	if (set->what & RBLKT_SET_NAME)
		memcpy(show->name, set->new_name, sizeof(show->name));
	note('=', show->name);
	return 0;
}

static int drop_export(const struct rblkt_ioc_export_remove *remove)
{
	unsigned int at = find_export(remove->name);

	fake.nr_exports--;
	memmove(&fake.exports[at], &fake.exports[at + 1],
		(fake.nr_exports - at) * sizeof(fake.exports[0]));
	memmove(&fake.kept_hosts[at], &fake.kept_hosts[at + 1],
		(fake.nr_exports - at) * sizeof(fake.kept_hosts[0]));
	note('-', remove->name);
	return 0;
}

static int keep_portal(const struct rblkt_ioc_portal_add *add)
{
	fake.portals[fake.nr_portals++].addr = add->addr;
	note('+', "portal");
	return 0;
}

static int drop_portal(const struct rblkt_ioc_portal_remove *remove)
{
	unsigned int at;

	for (at = 0; at < fake.nr_portals; at++)
		if (!memcmp(&fake.portals[at].addr, &remove->addr, sizeof(remove->addr)))
			break;
	assert_true(at < fake.nr_portals);
	fake.portals[at] = fake.portals[--fake.nr_portals];
	note('-', "portal");
	return 0;
}

static void keep_asked(struct rblk_ioc_asked *asked, const struct rblk_ioc_attach *attach)
{
	asked->flags = attach->flags;
	asked->queues = attach->queues;
	asked->poll_queues = attach->poll_queues;
	asked->depth = attach->depth;
	asked->inline_read = attach->inline_read;
	asked->source = attach->source;
	memcpy(asked->target_key, attach->target_key, sizeof(asked->target_key));
	if (attach->flags & RBLK_ATTACH_TRUST_FIRST)
		memcpy(asked->target_key[0], attach->peer_key, KEY_BYTES);
	memcpy(asked->host, attach->host, sizeof(asked->host));
	memcpy(asked->host_name, attach->host_name, sizeof(asked->host_name));
}

/* In the order of their numbers, as the module shows them. */
static int keep_volume(const struct rblk_ioc_attach *attach)
{
	struct rblk_ioc_show *show;
	unsigned int at;

	for (at = 0; at < fake.nr_volumes; at++)
		if (fake.volumes[at].volume.index >= attach->index)
			break;
	assert_true(fake.nr_volumes < ARRAY_SIZE(fake.volumes));
	memmove(&fake.volumes[at + 1], &fake.volumes[at],
		(fake.nr_volumes - at) * sizeof(fake.volumes[0]));
	show = &fake.volumes[at];
	memset(show, 0, sizeof(*show));
	show->volume.index = attach->index;
	show->volume.state = RBLK_VOL_LIVE;
	show->volume.access = attach->flags & (RBLK_ATTACH_READ_ONLY | RBLK_ATTACH_SHARED);
	show->volume.flags = attach->flags & RBLK_ATTACH_DIGEST ? RBLK_EXPF_DIGEST : 0;
	show->volume.queue_timeout = attach->queue_timeout;
	memcpy(show->volume.uuid, attach->uuid, UUID_BYTES);
	memcpy(show->volume.target_text, attach->target_text, RBLK_PATH_LEN);
	memcpy(show->volume.export_name, attach->export_name, RBLK_NAME_LEN);
	show->session.queues = attach->queues ? attach->queues : 4;
	show->session.poll_queues = attach->poll_queues;
	show->session.depth = attach->depth ? attach->depth : 128;
	show->session.inline_read = attach->inline_read;
	memcpy(show->session.peer_key, attach->peer_key, KEY_BYTES);
	keep_asked(&show->asked, attach);
	fake.nr_volumes++;
	note('+', attach->export_name);
	return 0;
}

static unsigned int find_volume(int index)
{
	unsigned int at;

	for (at = 0; at < fake.nr_volumes; at++)
		if (fake.volumes[at].volume.index == index)
			return at;
	fail_msg("no rblk%d", index);
	return 0;
}

static int drop_volume(struct rblk_ioc_detach *detach)
{
	unsigned int at = find_volume(detach->index);
	char path[128];

	snprintf(path, sizeof(path), "%s%s", fake.root, fake.held ? fake.held : "");
	if (fake.held && access(path, F_OK)) {
		detach->error.stage = RBLK_STAGE_BUSY;
		detach->error.error = EBUSY;
		return -EBUSY;
	}

	note('-', fake.volumes[at].volume.export_name);
	fake.nr_volumes--;
	memmove(&fake.volumes[at], &fake.volumes[at + 1],
		(fake.nr_volumes - at) * sizeof(fake.volumes[0]));
	return 0;
}

static int keep_pin(const struct rblk_ioc_pin *pin)
{
	struct rblk_ioc_show *show = &fake.volumes[find_volume(pin->index)];

	memcpy(show->asked.target_key, pin->target_key, sizeof(show->asked.target_key));
	show->asked.flags &= ~RBLK_ATTACH_TRUST_FIRST;
	note('#', show->volume.export_name);
	return 0;
}

static int keep_policy(const struct rblk_ioc_policy *policy)
{
	struct rblk_ioc_volume *volume = &fake.volumes[find_volume(policy->index)].volume;

	volume->queue_timeout = policy->queue_timeout;
	note('=', volume->export_name);
	return 0;
}

/* Is it the volume that the tool has looked up, and not just one of its number? */
int fake_meant(int index, const __u8 *uuid, struct rblk_ioc_error *error)
{
	struct rblk_ioc_volume *volume;
	unsigned int at;

	for (at = 0; at < fake.nr_volumes; at++)
		if (fake.volumes[at].volume.index == index)
			break;
	if (at == fake.nr_volumes)
		return 0;
	volume = &fake.volumes[at].volume;
	if (fake.number_moves)
		volume->uuid[0]++;
	if (!memcmp(volume->uuid, uuid, UUID_BYTES))
		return 0;
	error->stage = RBLK_STAGE_LOOKUP;
	error->error = ESTALE;
	snprintf(error->text, sizeof(error->text), "/dev/rblk%d is another volume now", index);
	return -ESTALE;
}

int fake_keep(unsigned long command, void *arg)
{
	switch (command) {
	case RBLKT_IOC_EXPORT_ADD:
		return keep_export(arg);
	case RBLKT_IOC_EXPORT_REMOVE:
		return drop_export(arg);
	case RBLKT_IOC_EXPORT_SET:
		return keep_set(arg);
	case RBLKT_IOC_PORTAL_ADD:
		return keep_portal(arg);
	case RBLKT_IOC_PORTAL_REMOVE:
		return drop_portal(arg);
	case RBLK_IOC_ATTACH:
		return keep_volume(arg);
	case RBLK_IOC_DETACH:
		return drop_volume(arg);
	case RBLK_IOC_PIN:
		return keep_pin(arg);
	case RBLK_IOC_POLICY:
		return keep_policy(arg);
	}
	return 0;
}

/* The first number that no volume has. */
int fake_free_index(void)
{
	unsigned int at;

	for (at = 0; at < fake.nr_volumes; at++)
		if (fake.volumes[at].volume.index != (int)at)
			break;
	return at;
}

int fake_setup_keeping(void **state)
{
	char node[] = "/dev/rblkN";
	int err = fake_setup(state);

	fake.keeps = true;
	fake_file("/run/empty", "");
	for (node[9] = '0'; node[9] < '8'; node[9]++)
		fake_file(node, "");
	return err;
}

void fake_fail(unsigned long command, unsigned int stage, int error,
	       unsigned int reason, const char *text)
{
	fake.fail = command;
	fake.fail_times = -1;
	memset(&fake.fail_with, 0, sizeof(fake.fail_with));
	fake.fail_with.stage = stage;
	fake.fail_with.error = error;
	fake.fail_with.reason = reason;
	snprintf(fake.fail_with.text, sizeof(fake.fail_with.text), "%s", text);
}

void fake_config(const char *content)
{
	fake_file("/etc/rblk/rblk.conf", content);
}

struct rblk_ioc_show *fake_volume(int index, const char *target, const char *export)
{
	struct rblk_ioc_show *show = &fake.volumes[fake.nr_volumes++];

	show->volume.index = index;
	show->volume.state = RBLK_VOL_LIVE;
	show->volume.capacity = 3ULL << 30;
	show->volume.queue_timeout = 30;
	show->session.state = RBLK_SESS_LIVE;
	show->asked.flags = RBLK_ATTACH_INSECURE;
	memset(show->volume.uuid, 0x10 + index % 64, UUID_BYTES);
	snprintf(show->volume.target_text, RBLK_PATH_LEN, "%s", target);
	snprintf(show->volume.export_name, RBLK_NAME_LEN, "%s", export);
	return show;
}
