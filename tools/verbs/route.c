// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of routes: the ways from a device to its target. */
#include <stdio.h>
#include <string.h>

#include "lib/volumes.h"
#include "system/change.h"
#include "output/failure.h"
#include "output/output.h"
#include "output/report.h"
#include "verbs/run.h"

/* How long to wait for a new route, before it is said that it is not there yet. */
#define WAIT_MS	5000

/* The request's words as the library takes them. */
struct route_words {
	char target[ENDPOINT_TEXT];
	char source[ENDPOINT_TEXT];
	const char *from;
};

static void route_words(struct route_words *words, const struct request *req)
{
	endpoint_text(words->target, &req->target);
	endpoint_text(words->source, &req->source);
	words->from = request_has(req, OPTION_SOURCE) ? words->source : NULL;
}

/* Where only one route leads to a target, nobody has to say where it begins. */
static void find_source(struct route_words *words, int index)
{
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	const struct rblk_ioc_route *only = NULL;
	struct rblk_failure fail;
	struct endpoint source;
	unsigned int nr, i;
	char *port;

	if (words->from || rblk_routes(rblk, index, routes, &nr, &fail))
		return;
	for (i = 0; i < nr; i++) {
		if (strncmp(routes[i].target_text, words->target, RBLK_PATH_LEN))
			continue;
		if (only)
			return;
		only = &routes[i];
	}
	if (!only || !only->source.family)
		return;
	rblk_address_text(words->source, &only->source);
	port = strrchr(words->source, ':');
	if (port)
		*port = '\0';
	if (endpoint_parse_source(words->source, &source))
		return;
	endpoint_text(words->source, &source);
	words->from = words->source;
}

static void added_print(const struct request *req, const struct rblk_ioc_route_change *change)
{
	struct json_object *top;

	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_number(top, "index", change->index);
		put_chars(top, "target", change->target_text, sizeof(change->target_text));
		put_key(top, "target_key", change->peer_key);
		put_text(top, "state", rblk_volume_state_text(change->state));
		put_chars(top, "reason", change->reason, sizeof(change->reason));
		print_json(top);
	} else if (change->state != RBLK_VOL_LIVE) {
		fprintf(stderr, "rblkctl: the route is added, and not usable yet: %.*s\n"
			"  try: rblkctl route list rblk%d\n", RBLK_ERROR_LEN,
			change->reason[0] ? change->reason : "the target does not answer",
			change->index);
	}
}

/**
 * route_add_run() - the verb "route add"
 * @req: the request
 *
 * Return: an exit status.
 */
int route_add_run(struct request *req)
{
	struct rblk_ioc_route_change change;
	struct rblk_ioc_show show;
	struct rblk_failure fail;
	struct route_words words;
	struct rblk_volume_spec spec = { .target = words.target };

	route_words(&words, req);
	spec.source = words.from;
	proof_fill(&spec, req);
	if (rblk_volume_find(rblk, req->volume.text, &show, NULL, &fail) ||
	    rblk_route_add(rblk, show.volume.index, show.volume.uuid, &spec, WAIT_MS, &change,
			   &fail))
		return failure_report(req, &fail);
	added_print(req, &change);
	pin_tell(req, change.peer_key);
	return EXIT_OK;
}

/**
 * route_remove_run() - the verb "route remove"
 * @req: the request
 *
 * Return: an exit status.
 */
int route_remove_run(struct request *req)
{
	struct rblk_ioc_show show;
	struct rblk_failure fail;
	struct route_words words;
	struct json_object *top;

	route_words(&words, req);
	if (rblk_volume_find(rblk, req->volume.text, &show, NULL, &fail))
		return failure_report(req, &fail);
	find_source(&words, show.volume.index);
	if (rblk_route_remove(rblk, show.volume.index, show.volume.uuid, words.target,
			      words.from, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_number(top, "index", show.volume.index);
		put_text(top, "target", words.target);
		print_json(top);
	}
	return EXIT_OK;
}

static void route_row(struct table *t, int index, const struct rblk_ioc_route *route)
{
	char addr[RBLK_ADDRESS_TEXT];

	rblk_address_text(addr, &route->session.local);
	table_cell(t, "/dev/rblk%d", index);
	table_text(t, route->target_text, sizeof(route->target_text));
	table_cell(t, "%s", rblk_volume_state_text(route->state));
	table_text(t, route->session.device[0] ? route->session.device : "-",
		   sizeof(route->session.device));
	table_cell(t, "%s", addr);
	table_cell(t, "%u", route->inflight);
	table_cell(t, "%llu", (unsigned long long)route->losses);
	table_text(t, route->reason, sizeof(route->reason));
}

/* A device that is gone meanwhile has no routes. */
static void routes_report(struct report *report, int index)
{
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	struct rblk_failure fail;
	struct json_object *obj;
	unsigned int nr, i;

	if (rblk_routes(rblk, index, routes, &nr, &fail))
		return;
	for (i = 0; i < nr; i++) {
		route_row(&report->table, index, &routes[i]);
		obj = rblk_route_json(&routes[i]);
		put_number(obj, "index", index);
		json_object_array_add(report->array, obj);
	}
}

/**
 * route_list_run() - the verb "route list"
 * @req: the request
 *
 * Return: an exit status.
 */
int route_list_run(struct request *req)
{
	struct rblk_ioc_show show;
	struct rblk_failure fail;
	struct report report;
	int at = 0, got = 0;

	report_start(&report, req);
	if (req->volume.text[0]) {
		got = rblk_volume_find(rblk, req->volume.text, &show, NULL, &fail);
		if (!got)
			routes_report(&report, show.volume.index);
	} else {
		while ((got = rblk_volume_next(rblk, at, &show, NULL, &fail)) > 0) {
			routes_report(&report, show.volume.index);
			at = volume_after(&show);
		}
	}
	return report_end(&report, req, got ? &fail : NULL, "routes");
}

/* Bytes are those of its session, which other volumes may share. */
static void route_line(const struct rblk_ioc_route *route)
{
	char local[RBLK_ADDRESS_TEXT], in[SIZE_TEXT], out[SIZE_TEXT];
	const struct rblk_ioc_session *session = &route->session;

	rblk_address_text(local, &session->local);
	text_size(in, session->counter[RBLK_CNT_READ_BYTES]);
	text_size(out, session->counter[RBLK_CNT_WRITE_BYTES]);
	printf("  %-24.*s %-8s %.*s %s, %s read, %s written, lost %llu times%s%.*s\n",
	       RBLK_PATH_LEN, route->target_text, rblk_volume_state_text(route->state),
	       RBLK_NAME_LEN, session->device[0] ? session->device : "-", local, in, out,
	       (unsigned long long)route->losses, route->reason[0] ? ": " : "",
	       RBLK_ERROR_LEN, route->reason);
}

/**
 * route_print() - the routes of a volume for people, if it has several
 * @volume: the volume
 */
void route_print(const struct rblk_ioc_volume *volume)
{
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	struct rblk_failure fail;
	unsigned int nr, i;

	if (volume->routes < 2 || rblk_routes(rblk, volume->index, routes, &nr, &fail))
		return;
	puts("\nroutes");
	for (i = 0; i < nr; i++)
		route_line(&routes[i]);
}
