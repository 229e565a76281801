// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the routes of volumes did. The counters are those of a route's session, so of all
 * volumes that have the route.
 */
#include <stdio.h>
#include <string.h>

#include "stat/metric.h"
#include "stat/route.h"
#include "system/alloc.h"

/* Also of a session that was not there before, or that counts anew. */
static double per_second(const struct work *work, const struct rblk_ioc_session *now,
			 enum rblk_counter counter)
{
	const struct sample *before = work->before;
	__u64 was = 0;
	unsigned int i;

	for (i = 0; i < before->nr_routes; i++)
		if (!memcmp(before->routes[i].session.uuid, now->uuid, UUID_BYTES))
			was = before->routes[i].session.counter[counter];
	if (was > now->counter[counter])
		was = 0;
	return (now->counter[counter] - was) / work->seconds;
}

/**
 * route_work_print() - a line for each route of a volume, if it has several
 * @work: what the volume did
 */
void route_work_print(const struct work *work)
{
	char in[SIZE_TEXT], out[SIZE_TEXT];
	unsigned int i;

	if (work->now->nr_routes < 2)
		return;
	puts("\nroutes");
	for (i = 0; i < work->now->nr_routes; i++) {
		const struct rblk_ioc_route *route = &work->now->routes[i];

		text_size(in, per_second(work, &route->session, RBLK_CNT_READ_BYTES));
		text_size(out, per_second(work, &route->session, RBLK_CNT_WRITE_BYTES));
		printf("  %-24.*s %-8s %s/s read, %s/s written, %u in flight, lost %llu times\n",
		       RBLK_PATH_LEN, route->target_text, rblk_volume_state_text(route->state),
		       in, out, route->inflight, (unsigned long long)route->losses);
	}
}

/**
 * route_work_json() - what the routes of a volume did
 * @work: what the volume did
 *
 * Return: a new array.
 */
struct json_object *route_work_json(const struct work *work)
{
	struct json_object *array = json_object_new_array(), *obj;
	unsigned int i;

	for (i = 0; i < work->now->nr_routes; i++) {
		const struct rblk_ioc_route *route = &work->now->routes[i];

		obj = json_object_new_object();
		put_chars(obj, "target", route->target_text, sizeof(route->target_text));
		put_text(obj, "state", rblk_volume_state_text(route->state));
		put_number(obj, "inflight", route->inflight);
		put_size(obj, "losses", route->losses);
		put_uuid(obj, "session", route->session.uuid);
		put_decimal(obj, "read_bytes_per_second",
			    per_second(work, &route->session, RBLK_CNT_READ_BYTES));
		put_decimal(obj, "write_bytes_per_second",
			    per_second(work, &route->session, RBLK_CNT_WRITE_BYTES));
		json_object_array_add(array, obj);
	}
	return array;
}

static void route_labels(const char *name, const struct sample *sample,
			 const struct rblk_ioc_route *route)
{
	metric_volume(name, sample);
	metric_label("route", route->target_text, sizeof(route->target_text), false);
}

/* One value of each route. */
enum gauge { GAUGE_UP, GAUGE_DOWN, GAUGE_INFLIGHT, GAUGE_LOSSES, GAUGES };

static double gauge_value(const struct rblk_ioc_route *route, enum gauge gauge)
{
	switch (gauge) {
	case GAUGE_UP:
		return route->state == RBLK_VOL_LIVE;
	case GAUGE_DOWN:
		return route->down_seconds;
	case GAUGE_INFLIGHT:
		return route->inflight;
	default:
		return route->losses;
	}
}

static void print_gauge(const struct samples *volumes, const char *name, enum gauge gauge)
{
	const struct sample *sample;
	unsigned int i, j;

	for (i = 0; i < volumes->nr; i++) {
		sample = &volumes->sample[i];
		for (j = 0; j < sample->nr_routes; j++) {
			route_labels(name, sample, &sample->routes[j]);
			printf("} %.15g\n", gauge_value(&sample->routes[j], gauge));
		}
	}
}

/* Leads from a volume's route to the counters of its session. */
static void print_info(const struct samples *volumes)
{
	unsigned int i, j;

	metric_family("volume_route_info", "gauge", "The route's RDMA device and session.");
	for (i = 0; i < volumes->nr; i++) {
		for (j = 0; j < volumes->sample[i].nr_routes; j++) {
			const struct rblk_ioc_route *route = &volumes->sample[i].routes[j];

			route_labels("volume_route_info", &volumes->sample[i], route);
			metric_label("rdma", route->session.device,
				     sizeof(route->session.device), false);
			metric_uuid("session", route->session.uuid);
			printf("} 1\n");
		}
	}
}

/**
 * route_metrics() - the metrics of routes
 * @volumes: all there are
 */
void route_metrics(const struct samples *volumes)
{
	static const struct {
		const char *name;
		const char *type;
		const char *help;
	} gauges[GAUGES] = {
		[GAUGE_UP] = { "volume_route_up", "gauge", "Whether I/O can take the route." },
		[GAUGE_DOWN] = { "volume_route_down_seconds", "gauge",
				 "How long it has not been so." },
		[GAUGE_INFLIGHT] = { "volume_route_inflight", "gauge",
				     "Operations of the volume that the route carries." },
		[GAUGE_LOSSES] = { "volume_route_losses_total", "counter",
				   "How often it was lost." },
	};
	int gauge;

	for (gauge = 0; gauge < GAUGES; gauge++) {
		metric_family(gauges[gauge].name, gauges[gauge].type, gauges[gauge].help);
		print_gauge(volumes, gauges[gauge].name, gauge);
	}
	print_info(volumes);
}

/**
 * route_sessions() - the sessions of all routes
 * @volumes: all there are
 * @nr: how many sessions
 *
 * Volumes share sessions; each is here once.
 *
 * Return: pointers into @volumes, to be freed.
 */
const struct rblk_ioc_session **route_sessions(const struct samples *volumes, unsigned int *nr)
{
	const struct rblk_ioc_session **list, *session;
	unsigned int i, j, k;

	list = must_alloc(NULL, volumes->nr * RBLK_MAX_ROUTES, sizeof(*list));
	*nr = 0;
	for (i = 0; i < volumes->nr; i++) {
		for (j = 0; j < volumes->sample[i].nr_routes; j++) {
			session = &volumes->sample[i].routes[j].session;
			for (k = 0; k < *nr; k++)
				if (!memcmp(list[k]->uuid, session->uuid, UUID_BYTES))
					break;
			if (k == *nr)
				list[(*nr)++] = session;
		}
	}
	return list;
}
