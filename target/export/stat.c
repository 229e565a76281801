// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latency histograms by export and host: how long operations took.
 *
 * A tally belongs to its export.  All attachments of one host to that export
 * count in it, at the same time or epoch after epoch, so that a lost connection
 * loses no counts.  A tally is freed with its export, or earlier if it is
 * unused and the export has more than RBLKT_STAT_HOSTS of them.
 *
 * While a tally is used its counts are per CPU, as I/O ends on any CPU.  With the
 * last user they are added up, and the memory of the CPUs is free: many hosts may
 * come and go.  No command counts then, as each user has drained.
 */
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "export.h"

/* The target knows neither the host's time nor the network's. */
static const enum rblk_latency_part parts[] = {
	RBLK_LATENCY_TOTAL,
	RBLK_LATENCY_TARGET,
	RBLK_LATENCY_DEVICE,
};

/* The counts of one operation; @part in the order of @parts. */
struct rblkt_latency {
	u64 bytes;
	u64 failed;
	struct rblk_ioc_histogram part[ARRAY_SIZE(parts)];
};

/* The counts of one CPU; the index of @op is an operation less RBLK_OP_READ. */
struct rblkt_latencies {
	struct rblkt_latency op[RBLK_LATENCY_OPS];
};

/*
 * What one host did with one export.  The export owns it and frees it at its
 * own end, or earlier if it has no users and there are too many.  rblkt_mutex guards all
 * but the counts behind @latencies, which commands make without a lock.
 */
struct rblkt_tally {
	struct list_head node;		/* in export->tallies, oldest first */
	u8 host[RBLK_UUID_LEN];
	char name[RBLK_NAME_LEN];
	unsigned int users;		/* attachments, until they have drained */
	struct rblkt_latencies former;	/* counted by users that are gone */
	struct rblkt_latencies __percpu *latencies;	/* NULL without users */
};

static void tally_drop(struct rblkt_export *export, struct rblkt_tally *tally)
{
	list_del(&tally->node);
	export->nr_tallies--;
	rblkt_stat_free(tally);
}

/**
 * rblkt_att_bytes - the memory that an attachment is charged for
 *
 * It is nearly all its tally.  Attachments of one host to one export share that,
 * but each is charged for a whole one: that is simple and never too little.
 *
 * Context: Any.
 * Return: bytes.
 */
u64 rblkt_att_bytes(void)
{
	return sizeof(struct rblkt_att) + sizeof(struct rblkt_tally) +
	       num_possible_cpus() * (sizeof(struct rblkt_latencies) + sizeof(unsigned int));
}

/**
 * rblkt_stat_alloc - allocate what rblkt_stat_get() may need
 *
 * Context: Process context, without rblkt_mutex; may sleep.
 * Return: a tally without host and export, or NULL.
 */
struct rblkt_tally *rblkt_stat_alloc(void)
{
	struct rblkt_tally *tally = kvzalloc(sizeof(*tally), GFP_KERNEL);

	if (!tally)
		return NULL;
	tally->latencies = alloc_percpu(struct rblkt_latencies);
	if (tally->latencies)
		return tally;
	kvfree(tally);
	return NULL;
}

/**
 * rblkt_stat_free - free what rblkt_stat_get() did not need
 * @tally: from rblkt_stat_alloc(), or NULL
 *
 * Context: Process context; may sleep.
 */
void rblkt_stat_free(struct rblkt_tally *tally)
{
	if (!tally)
		return;
	free_percpu(tally->latencies);
	kvfree(tally);
}

/**
 * rblkt_stat_clear - free all tallies of an export
 * @export: without references, so no lock is needed
 *
 * Context: Process context; may sleep.
 */
void rblkt_stat_clear(struct rblkt_export *export)
{
	struct rblkt_tally *tally, *next;

	list_for_each_entry_safe(tally, next, &export->tallies, node)
		tally_drop(export, tally);
}

static struct rblkt_tally *tally_find(const struct rblkt_export *export, const u8 *host)
{
	struct rblkt_tally *tally;

	list_for_each_entry(tally, &export->tallies, node)
		if (!memcmp(tally->host, host, RBLK_UUID_LEN))
			return tally;
	return NULL;
}

/**
 * rblkt_stat_knows - has a host had an export?
 * @export: the export
 * @host: as in struct rblkt_holder
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: true if the target remembers that.
 */
bool rblkt_stat_knows(const struct rblkt_export *export, const u8 *host)
{
	lockdep_assert_held(&rblkt_mutex);
	return tally_find(export, host);
}

/*
 * If an export has RBLKT_STAT_HOSTS tallies or more, free the oldest unused
 * one.  If all are in use the list grows, as each host that is attached has a
 * tally.
 */
static void tally_make_room(struct rblkt_export *export)
{
	struct rblkt_tally *tally;

	if (export->nr_tallies < RBLKT_STAT_HOSTS)
		return;
	list_for_each_entry(tally, &export->tallies, node) {
		if (tally->users)
			continue;
		tally_drop(export, tally);
		return;
	}
}

/**
 * rblkt_stat_get - find or make the tally of a host at an export
 * @export: the export
 * @holder: a session of the host
 * @spare: from rblkt_stat_alloc(); what is not needed of it stays there
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: a tally that stays until rblkt_stat_put().
 */
struct rblkt_tally *rblkt_stat_get(struct rblkt_export *export,
				   const struct rblkt_holder *holder,
				   struct rblkt_tally **spare)
{
	struct rblkt_tally *tally;

	lockdep_assert_held(&rblkt_mutex);
	tally = tally_find(export, holder->host);
	if (!tally) {
		tally = *spare;
		*spare = NULL;
		tally_make_room(export);
		memcpy(tally->host, holder->host, sizeof(tally->host));
		list_add_tail(&tally->node, &export->tallies);
		export->nr_tallies++;
	} else if (!tally->users) {
		swap(tally->latencies, (*spare)->latencies);
	}
	memcpy(tally->name, holder->host_name, sizeof(tally->name));
	tally->users++;
	return tally;
}

static void latencies_add_up(struct rblkt_latencies *sum,
			     const struct rblkt_latencies *from)
{
	int op, i, bucket;

	for (op = 0; op < RBLK_LATENCY_OPS; op++) {
		sum->op[op].bytes += from->op[op].bytes;
		sum->op[op].failed += from->op[op].failed;
		for (i = 0; i < ARRAY_SIZE(parts); i++) {
			struct rblk_ioc_histogram *to = &sum->op[op].part[i];

			to->sum += from->op[op].part[i].sum;
			for (bucket = 0; bucket < RBLK_LATENCY_BUCKETS; bucket++)
				to->bucket[bucket] += from->op[op].part[i].bucket[bucket];
		}
	}
}

/**
 * rblkt_stat_put - give a tally back after an attachment's last command
 * @export: its export
 * @tally: from rblkt_stat_get(); it keeps its counts, unless the export has too many
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_stat_put(struct rblkt_export *export, struct rblkt_tally *tally)
{
	int cpu;

	lockdep_assert_held(&rblkt_mutex);
	if (--tally->users)
		return;
	if (export->nr_tallies > RBLKT_STAT_HOSTS)
		return tally_drop(export, tally);
	for_each_possible_cpu(cpu)
		latencies_add_up(&tally->former, per_cpu_ptr(tally->latencies, cpu));
	free_percpu(tally->latencies);
	tally->latencies = NULL;
}

static void histogram_add(struct rblk_ioc_histogram __percpu *to, u64 ns)
{
	this_cpu_add(to->sum, ns);
	this_cpu_inc(to->bucket[rblk_latency_bucket(ns)]);
}

/**
 * rblkt_stat_count - count a command that the device has carried out
 * @tally: of its attachment, which the command has not left yet
 * @op: enum rblk_wire_op
 * @bytes: of data or range
 * @target_ns: from its arrival until it went to the device
 * @device_ns: from then until it ended
 *
 * Context: Any.
 */
void rblkt_stat_count(struct rblkt_tally *tally, u8 op, u32 bytes, u64 target_ns,
		      u64 device_ns)
{
	struct rblkt_latency __percpu *to =
		&tally->latencies->op[op - RBLK_OP_READ];

	this_cpu_add(to->bytes, bytes);
	histogram_add(&to->part[0], target_ns + device_ns);
	histogram_add(&to->part[1], target_ns);
	histogram_add(&to->part[2], device_ns);
}

/**
 * rblkt_stat_fail - count a command that has failed
 * @tally: of its attachment, which the command has not left yet
 * @op: enum rblk_wire_op
 *
 * Context: Any.
 */
void rblkt_stat_fail(struct rblkt_tally *tally, u8 op)
{
	struct rblkt_latency __percpu *to =
		&tally->latencies->op[op - RBLK_OP_READ];

	this_cpu_inc(to->failed);
}

static void latency_add_up(struct rblk_ioc_latency *sum,
			   const struct rblkt_latency *from)
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

static void stat_fill_host(struct rblkt_ioc_host_stat *entry,
			   const struct rblkt_tally *tally)
{
	int cpu, op;

	memcpy(entry->host, tally->host, sizeof(entry->host));
	memcpy(entry->name, tally->name, sizeof(entry->name));
	entry->attached = tally->users;
	for (op = 0; op < RBLK_LATENCY_OPS; op++) {
		latency_add_up(&entry->op[op], &tally->former.op[op]);
		if (!tally->latencies)
			continue;
		for_each_possible_cpu(cpu)
			latency_add_up(&entry->op[op],
				       &per_cpu_ptr(tally->latencies, cpu)->op[op]);
	}
}

/* Fill in the entries of the hosts after the first @arg->skip. */
static int stat_gather(struct rblkt_ioc_stat *arg,
		       struct rblkt_ioc_host_stat *entry, u32 *filled)
{
	struct rblkt_export *export = rblkt_export_find(arg->name);
	const struct rblkt_tally *tally;

	if (!export)
		return rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOENT,
				  "there is no export %s", arg->name);
	arg->nr = 0;
	list_for_each_entry(tally, &export->tallies, node)
		if (arg->nr++ >= arg->skip && *filled < arg->room)
			stat_fill_host(&entry[(*filled)++], tally);
	return 0;
}

/**
 * rblkt_stat_show - carry out the verb STAT
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in.
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
	ret = stat_gather(arg, entries, &filled);
	mutex_unlock(&rblkt_mutex);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->hosts), entries,
				 filled * sizeof(*entries)))
		ret = rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EFAULT,
				 "the array of hosts can't be written");
	kvfree(entries);
	return ret;
}
