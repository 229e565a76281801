// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long operations took, by export and host.
 *
 * A tally belongs to its export and is used by the attachments that one host
 * has of it, at present or epoch after epoch, so that what was counted is not
 * lost with a connection.  It goes with the export, or, unused, when there are
 * too many.  It is counted per CPU, as I/O ends on any of them.
 */
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "admin.h"
#include "stat.h"

/* What the target knows: not the host's time nor the network's. */
static const enum rblk_latency_part parts[] = {
	RBLK_LATENCY_TOTAL,
	RBLK_LATENCY_TARGET,
	RBLK_LATENCY_DEVICE,
};

struct rblkt_latency {
	u64 bytes;
	u64 failed;
	struct rblk_ioc_histogram part[ARRAY_SIZE(parts)];
};

/* One CPU's; its op is cmd->wire.op - 1. */
struct rblkt_latencies {
	struct rblkt_latency op[RBLK_LATENCY_OPS];
};

static void tally_free(struct rblkt_export *export, struct rblkt_tally *tally)
{
	list_del(&tally->node);
	export->nr_tallies--;
	free_percpu(tally->latencies);
	kfree(tally);
}

/**
 * rblkt_stat_clear - forget what was counted for an export
 * @export: nobody uses it any more
 */
void rblkt_stat_clear(struct rblkt_export *export)
{
	struct rblkt_tally *tally, *next;

	list_for_each_entry_safe(tally, next, &export->tallies, node)
		tally_free(export, tally);
}

static struct rblkt_tally *find(struct rblkt_export *export, const u8 *host)
{
	struct rblkt_tally *tally;

	list_for_each_entry(tally, &export->tallies, node)
		if (!memcmp(tally->host, host, RBLK_UUID_LEN))
			return tally;
	return NULL;
}

/* Room for one more, if that can be had. */
static void make_room(struct rblkt_export *export)
{
	struct rblkt_tally *tally;

	if (export->nr_tallies < RBLKT_STAT_HOSTS)
		return;
	list_for_each_entry(tally, &export->tallies, node) {
		if (tally->users)
			continue;
		tally_free(export, tally);
		return;
	}
}

static struct rblkt_tally *new(struct rblkt_export *export, const u8 *host)
{
	struct rblkt_tally *tally = kzalloc(sizeof(*tally), GFP_KERNEL);

	if (!tally)
		return NULL;
	tally->latencies = alloc_percpu(struct rblkt_latencies);
	if (!tally->latencies) {
		kfree(tally);
		return NULL;
	}
	make_room(export);
	memcpy(tally->host, host, sizeof(tally->host));
	list_add_tail(&tally->node, &export->tallies);
	export->nr_tallies++;
	return tally;
}

/**
 * rblkt_stat_get - the tally of a host at an export
 * @export: the export
 * @sess: of the host
 *
 * Return: a tally that stays until rblkt_stat_put(), or NULL without memory.
 */
struct rblkt_tally *rblkt_stat_get(struct rblkt_export *export,
				   const struct rblkt_sess *sess)
{
	struct rblkt_tally *tally;

	lockdep_assert_held(&rblkt_mutex);
	tally = find(export, sess->host);
	if (!tally)
		tally = new(export, sess->host);
	if (!tally)
		return NULL;
	memcpy(tally->name, sess->host_name, sizeof(tally->name));
	tally->users++;
	return tally;
}

/**
 * rblkt_stat_put - an attachment has ended its last command
 * @tally: from rblkt_stat_get()
 */
void rblkt_stat_put(struct rblkt_tally *tally)
{
	lockdep_assert_held(&rblkt_mutex);
	tally->users--;
}

static void add(struct rblk_ioc_histogram __percpu *to, u64 ns)
{
	this_cpu_add(to->sum, ns);
	this_cpu_inc(to->bucket[rblk_latency_bucket(ns)]);
}

/**
 * rblkt_stat_count - a command has been carried out; any context
 * @tally: of its attachment, which it is still in
 * @cmd: the command
 */
void rblkt_stat_count(struct rblkt_tally *tally, const struct rblkt_cmd *cmd)
{
	struct rblkt_latency __percpu *to =
		&tally->latencies->op[cmd->wire.op - RBLK_OP_READ];

	if (unlikely(cmd->status != RBLK_STATUS_OK)) {
		this_cpu_inc(to->failed);
		return;
	}
	this_cpu_add(to->bytes, le32_to_cpu(cmd->wire.length));
	add(&to->part[0], cmd->ended - cmd->arrived);
	add(&to->part[1], cmd->submitted - cmd->arrived);
	add(&to->part[2], cmd->ended - cmd->submitted);
}

static void add_up(struct rblk_ioc_latency *sum, const struct rblkt_latency *from)
{
	int i, bucket;

	sum->bytes += READ_ONCE(from->bytes);
	sum->failed += READ_ONCE(from->failed);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct rblk_ioc_histogram *part = &from->part[i];
		struct rblk_ioc_histogram *to = &sum->part[parts[i]];

		to->sum += READ_ONCE(part->sum);
		for (bucket = 0; bucket < RBLK_LATENCY_BUCKETS; bucket++)
			to->bucket[bucket] += READ_ONCE(part->bucket[bucket]);
	}
}

static void fill(struct rblkt_ioc_host_stat *entry, const struct rblkt_tally *tally)
{
	int cpu, op;

	memcpy(entry->host, tally->host, sizeof(entry->host));
	memcpy(entry->name, tally->name, sizeof(entry->name));
	entry->attached = tally->users;
	for_each_possible_cpu(cpu)
		for (op = 0; op < RBLK_LATENCY_OPS; op++)
			add_up(&entry->op[op],
			       &per_cpu_ptr(tally->latencies, cpu)->op[op]);
}

static int gather(struct rblkt_ioc_stat *arg, struct rblkt_ioc_host_stat *entry,
		  u32 *filled)
{
	struct rblkt_export *export = rblkt_export_find(arg->name);
	const struct rblkt_tally *tally;

	if (!export)
		return rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOENT,
				  "there is no export %s", arg->name);
	arg->nr = 0;
	list_for_each_entry(tally, &export->tallies, node)
		if (arg->nr++ >= arg->skip && *filled < arg->room)
			fill(&entry[(*filled)++], tally);
	return 0;
}

/**
 * rblkt_stat_show - the verb STAT
 * @arg: as copied from user space
 */
int rblkt_stat_show(struct rblkt_ioc_stat *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	struct rblkt_ioc_host_stat *entries;
	u32 filled = 0;
	int ret;

	if (!memchr(arg->name, 0, sizeof(arg->name)) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "the name does not end or reserved fields are set");
	arg->room = min_t(u32, arg->room, RBLKT_STAT_HOSTS);
	entries = kvcalloc(arg->room, sizeof(*entries), GFP_KERNEL);
	if (!entries)
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOMEM, "out of memory");
	mutex_lock(&rblkt_mutex);
	ret = gather(arg, entries, &filled);
	mutex_unlock(&rblkt_mutex);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->hosts), entries,
				 filled * sizeof(*entries)))
		ret = rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EFAULT,
				 "the array of hosts can't be written");
	kvfree(entries);
	return ret;
}
