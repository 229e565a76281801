// SPDX-License-Identifier: GPL-2.0-only
/*
 * "stat --prometheus": totals in the text format of Prometheus, for a file of
 * node_exporter's textfile collector. Nothing is waited for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "lib/resolve.h"
#include "system/change.h"
#include "output/failure.h"
#include "rblk_wire.h"
#include "stat/metric.h"
#include "stat/route.h"
#include "stat/run.h"
#include "stat/sample.h"
#include "stat/served.h"

/**
 * struct totals - everything there is to tell
 * @loaded: by side
 * @volumes: of the initiator
 * @portals: of the target
 * @nr_portals: how many
 * @sessions: of the target
 * @nr_sessions: how many
 * @pause: of the target
 * @exports: of the target
 * @served: what the target did with them
 */
struct totals {
	bool loaded[2];
	struct samples volumes;
	struct rblkt_ioc_portal *portals;
	unsigned int nr_portals;
	struct rblk_ioc_session *sessions;
	unsigned int nr_sessions;
	struct rblkt_ioc_pause pause;
	struct config exports;
	struct served served;
};

static void serving_labels(const char *name, const void *what)
{
	const struct serving *serving = what;

	printf("rblk_%s", name);
	metric_label("export", serving->export, sizeof(serving->export), true);
	metric_label("host", serving->stat.name, sizeof(serving->stat.name), false);
	metric_uuid("host_uuid", serving->stat.host);
}

/* What is told of each operation besides its histograms. */
enum total { TOTAL_IOS, TOTAL_BYTES, TOTAL_SECONDS, TOTAL_FAILED, TOTALS };

static const struct {
	const char *name;
	const char *help;
} total_table[TOTALS] = {
	[TOTAL_IOS] = { "ios_total", "Operations that have succeeded." },
	[TOTAL_BYTES] = { "bytes_total", "Bytes that they moved." },
	[TOTAL_SECONDS] = { "seconds_total", "Time that they took, all together." },
	[TOTAL_FAILED] = { "failed_total", "Operations that the target failed." },
};

static double total_value(const struct rblk_ioc_latency *op, int total)
{
	const struct rblk_ioc_histogram *all = &op->part[RBLK_LATENCY_TOTAL];

	switch (total) {
	case TOTAL_IOS:
		return histogram_count(all);
	case TOTAL_BYTES:
		return op->bytes;
	case TOTAL_SECONDS:
		return all->sum / 1e9;
	default:
		return op->failed;
	}
}

static void print_totals(const char *name, int total, const struct rblk_ioc_latency *ops,
			 const struct metric_labels *labels)
{
	char full[64];
	int op;

	snprintf(full, sizeof(full), "%s_%s", name, total_table[total].name);
	for (op = 0; op < RBLK_LATENCY_OPS; op++) {
		labels->print(full, labels->what);
		metric_label("op", latency_op_name[op], 16, false);
		printf("} %.15g\n", total_value(&ops[op], total));
	}
}

static void total_family(const char *name, int total)
{
	char full[64];

	snprintf(full, sizeof(full), "%s_%s", name, total_table[total].name);
	metric_family(full, "counter", total_table[total].help);
}

static void print_volumes_done(const struct samples *volumes)
{
	struct metric_labels labels = { .print = metric_volume };
	unsigned int i;
	int total;

	for (total = 0; total < TOTALS; total++) {
		total_family("volume", total);
		for (i = 0; i < volumes->nr; i++) {
			labels.what = &volumes->sample[i];
			print_totals("volume", total, volumes->sample[i].op, &labels);
		}
	}
	metric_family("volume_latency_seconds", "histogram",
		      "How long operations took, and where; total is the sum of the other parts.");
	for (i = 0; i < volumes->nr; i++) {
		labels.what = &volumes->sample[i];
		metric_latencies("volume_latency_seconds", volumes->sample[i].op, &labels);
	}
}

static void print_served(const struct served *served)
{
	struct metric_labels labels = { .print = serving_labels };
	unsigned int i;
	int total;

	for (total = 0; total < TOTALS; total++) {
		total_family("target_export", total);
		for (i = 0; i < served->nr; i++) {
			labels.what = &served->serving[i];
			print_totals("target_export", total, served->serving[i].stat.op,
				     &labels);
		}
	}
	metric_family("target_export_latency_seconds", "histogram",
		      "How long the target took: its own time, the backing device's, and both.");
	for (i = 0; i < served->nr; i++) {
		labels.what = &served->serving[i];
		metric_latencies("target_export_latency_seconds",
				 served->serving[i].stat.op, &labels);
	}
}

/* One value of each volume. */
enum gauge {
	GAUGE_UP, GAUGE_DOWN, GAUGE_PAUSED, GAUGE_INFLIGHT, GAUGE_BUSY, GAUGE_SIZE,
	GAUGE_TIMEOUT, GAUGE_DIGEST, GAUGE_MENDED, GAUGE_MISMATCHED, GAUGES
};

static double gauge_value(const struct sample *sample, enum gauge gauge)
{
	const struct rblk_ioc_volume *volume = &sample->show.volume;

	switch (gauge) {
	case GAUGE_UP:
		return volume->state == RBLK_VOL_LIVE;
	case GAUGE_DOWN:
		return volume->down_seconds;
	case GAUGE_PAUSED:
		return volume->paused_ms / 1e3;
	case GAUGE_INFLIGHT:
		return sample->inflight;
	case GAUGE_BUSY:
		return sample->busy_ms / 1e3;
	case GAUGE_SIZE:
		return volume->capacity;
	case GAUGE_DIGEST:
		return !!(volume->flags & RBLK_EXPF_DIGEST);
	case GAUGE_MENDED:
		return volume->digest_mended;
	case GAUGE_MISMATCHED:
		return volume->digest_failed;
	default:
		return volume->queue_timeout;
	}
}

static void print_gauges(const struct samples *volumes)
{
	static const struct {
		const char *name;
		const char *type;
		const char *help;
	} gauges[GAUGES] = {
		[GAUGE_UP] = { "up", "gauge", "Whether the volume is live." },
		[GAUGE_DOWN] = { "down_seconds", "gauge", "How long it has not been live." },
		[GAUGE_PAUSED] = { "paused_seconds", "gauge",
				   "How long its target's planned pause takes, or 0." },
		[GAUGE_INFLIGHT] = { "inflight", "gauge", "Operations in flight." },
		[GAUGE_BUSY] = { "busy_seconds_total", "counter",
				 "Time with operations in flight." },
		[GAUGE_SIZE] = { "size_bytes", "gauge", "Capacity." },
		[GAUGE_TIMEOUT] = { "queue_timeout_seconds", "gauge",
				    "How long it holds I/O while it is not live, -1 for ever." },
		[GAUGE_DIGEST] = { "digest", "gauge", "Whether it has data digests." },
		[GAUGE_MENDED] = { "digest_mended_total", "counter",
				   "Operations whose digest was wrong, and then right." },
		[GAUGE_MISMATCHED] = { "digest_failed_total", "counter",
				       "Operations that failed, as it was wrong again." },
	};
	char full[40];
	unsigned int i;
	int gauge;

	for (gauge = 0; gauge < GAUGES; gauge++) {
		snprintf(full, sizeof(full), "volume_%s", gauges[gauge].name);
		metric_family(full, gauges[gauge].type, gauges[gauge].help);
		for (i = 0; i < volumes->nr; i++) {
			metric_volume(full, &volumes->sample[i]);
			printf("} %.15g\n", gauge_value(&volumes->sample[i], gauge));
		}
	}
}

static void print_counter(const char *side, const struct rblk_ioc_session *session,
			  int counter)
{
	printf("rblk_%s_session_%s_total", side, rblk_counter_text(counter));
	metric_label("peer", session->peer_name, sizeof(session->peer_name), true);
	metric_uuid("peer_uuid", session->peer_uuid);
	metric_uuid("session", session->uuid);
	printf("} %llu\n", session->counter[counter]);
}

static void print_counters(const struct totals *totals)
{
	const struct rblk_ioc_session **sessions;
	unsigned int nr, i;
	char name[64];
	int counter;

	sessions = route_sessions(&totals->volumes, &nr);
	for (counter = 0; counter < RBLK_CNT_NR; counter++) {
		snprintf(name, sizeof(name), "host_session_%s_total", rblk_counter_text(counter));
		if (totals->loaded[RBLK_INITIATOR])
			metric_family(name, "counter", "See rblkctl show.");
		for (i = 0; i < nr; i++)
			print_counter("host", sessions[i], counter);
		snprintf(name, sizeof(name), "target_session_%s_total", rblk_counter_text(counter));
		if (totals->loaded[RBLK_TARGET])
			metric_family(name, "counter", "See rblkctl session list --json.");
		for (i = 0; i < totals->nr_sessions; i++)
			print_counter("target", &totals->sessions[i], counter);
	}
	free(sessions);
}

static void print_target(const struct totals *totals)
{
	const struct items *exports = &totals->exports.list[ITEM_EXPORT];
	char address[RBLK_ADDRESS_TEXT];
	unsigned int i;

	metric_family("target_paused_seconds", "gauge",
		      "How long its planned pause takes, or 0.");
	printf("rblk_target_paused_seconds %.15g\n", totals->pause.ms / 1e3);
	metric_family("target_portal_listening", "gauge", "Whether the portal listens.");
	for (i = 0; i < totals->nr_portals; i++) {
		rblk_address_text(address, &totals->portals[i].addr);
		printf("rblk_target_portal_listening");
		metric_label("address", address, sizeof(address), true);
		printf("} %u\n", !!totals->portals[i].listening);
	}
	metric_family("target_export_size_bytes", "gauge", "Capacity.");
	for (i = 0; i < exports->nr; i++) {
		printf("rblk_target_export_size_bytes");
		metric_label("export", exports->item[i].req.export, RBLK_NAME_LEN, true);
		printf("} %llu\n", exports->item[i].capacity);
	}
	metric_family("target_export_users", "gauge", "Hosts that have it attached.");
	for (i = 0; i < exports->nr; i++) {
		printf("rblk_target_export_users");
		metric_label("export", exports->item[i].req.export, RBLK_NAME_LEN, true);
		printf("} %u\n", exports->item[i].users);
	}
}

static int take_target(struct totals *totals, struct rblk_failure *fail)
{
	if (running_load(ITEM_BIT(ITEM_EXPORT), &totals->exports, fail))
		return -1;
	totals->loaded[RBLK_TARGET] = totals->exports.list[ITEM_EXPORT].given;
	if (!totals->loaded[RBLK_TARGET])
		return 0;
	if (rblkt_portals(rblk, &totals->portals, &totals->nr_portals, fail) ||
	    rblkt_sessions(rblk, &totals->sessions, &totals->nr_sessions, fail) ||
	    rblkt_pause_get(rblk, &totals->pause, fail))
		return -1;
	return served_take(&totals->served, "", fail);
}

/* A module that is not loaded is one of the things to tell. */
static int take_all(struct totals *totals, struct rblk_failure *fail)
{
	struct rblk_ioc_info info;

	memset(totals, 0, sizeof(*totals));
	if (take_target(totals, fail))
		return -1;
	totals->loaded[RBLK_INITIATOR] = !rblk_info(rblk, RBLK_INITIATOR, &info, fail);
	if (!totals->loaded[RBLK_INITIATOR])
		return rblk_missing(fail) ? 0 : -1;
	return samples_take(&totals->volumes, -1, fail);
}

static void print_all(const struct totals *totals)
{
	const struct samples *volumes = &totals->volumes;

	metric_family("module_loaded", "gauge", "Whether the module is loaded.");
	printf("rblk_module_loaded{module=\"rblk\"} %d\n", totals->loaded[RBLK_INITIATOR]);
	printf("rblk_module_loaded{module=\"rblk_target\"} %d\n", totals->loaded[RBLK_TARGET]);
	if (totals->loaded[RBLK_INITIATOR]) {
		print_volumes_done(volumes);
		print_gauges(volumes);
		route_metrics(volumes);
	}
	if (totals->loaded[RBLK_TARGET]) {
		print_target(totals);
		print_served(&totals->served);
	}
	print_counters(totals);
}

/**
 * prometheus_run() - the verb "stat" with --prometheus
 * @req: the request
 *
 * Return: an exit status.
 */
int prometheus_run(struct request *req)
{
	struct totals totals;
	struct rblk_failure fail;
	int err = take_all(&totals, &fail);

	if (!err)
		print_all(&totals);
	samples_free(&totals.volumes);
	served_free(&totals.served);
	conf_free(&totals.exports);
	free(totals.portals);
	free(totals.sessions);
	return err ? failure_report(req, &fail) : EXIT_OK;
}
