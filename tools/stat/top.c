// SPDX-License-Identifier: GPL-2.0-only
/* "stat --sort", which is "top" with --watch: a line for each volume, those that do most first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "system/alloc.h"
#include "output/report.h"
#include "stat/latency.h"
#include "stat/top.h"
#include "stat/work.h"

#define HOME_AND_CLEAR	"\033[H\033[J"
#define OTHER_LINES	3	/* of a screen: summary, heading, cursor */

/**
 * struct line - a volume's line
 * @work: what it did
 * @all: its operations of all kinds
 * @rank: what it is sorted by
 */
struct line {
	struct work work;
	struct rblk_ioc_latency all;
	double rank;
};

static __u64 ios(const struct rblk_ioc_latency *op)
{
	return histogram_count(&op->part[RBLK_LATENCY_TOTAL]);
}

static double rank(const struct line *line, enum sort_key key)
{
	switch (key) {
	case SORT_BYTES:
		return line->all.bytes;
	case SORT_LATENCY:
		return histogram_percentile(&line->all.part[RBLK_LATENCY_TOTAL],
					    PERCENTILE_99);
	case SORT_BUSY:
		return line->work.busy;
	case SORT_DEVICE:
		return -line->work.now->show.volume.index;
	default:
		return ios(&line->all);
	}
}

/* What ranks equal stays in the order of the devices. */
static int order(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	if (one->rank != other->rank)
		return one->rank < other->rank ? 1 : -1;
	return one->work.now->show.volume.index < other->work.now->show.volume.index ? -1 : 1;
}

static void fill(struct line *line, const struct samples *was, const struct samples *is,
		 unsigned int i, enum sort_key key)
{
	int op;

	memset(line, 0, sizeof(*line));
	work_between(&line->work, was, is, i);
	for (op = 0; op < RBLK_LATENCY_OPS; op++)
		latency_add(&line->all, &line->work.op[op]);
	line->rank = rank(line, key);
}

static void row(struct table *t, const struct line *line)
{
	const struct rblk_ioc_volume *volume = &line->work.now->show.volume;
	const struct rblk_ioc_histogram *all = &line->all.part[RBLK_LATENCY_TOTAL];
	const struct rblk_ioc_latency *op = line->work.op;
	double seconds = line->work.seconds;
	int part;

	table_cell(t, "rblk%d", volume->index);
	table_cell(t, "%s", rblk_volume_state_text(volume->state));
	table_rate(t, ios(&line->all) / seconds);
	table_rate(t, ios(&op[RBLK_LATENCY_READ]) / seconds);
	table_bytes(t, op[RBLK_LATENCY_READ].bytes / seconds);
	table_rate(t, ios(&op[RBLK_LATENCY_WRITE]) / seconds);
	table_bytes(t, op[RBLK_LATENCY_WRITE].bytes / seconds);
	table_duration(t, histogram_percentile(all, PERCENTILE_50));
	table_duration(t, histogram_percentile(all, PERCENTILE_99));
	for (part = RBLK_LATENCY_HOST; part < RBLK_LATENCY_PARTS; part++)
		table_duration(t, histogram_mean(&line->all.part[part]));
	table_cell(t, "%llu", line->work.now->inflight);
	table_cell(t, "%.0f%%", line->work.busy);
	table_cell(t, "%.*s/%.*s", RBLK_PATH_LEN, volume->target_text, RBLK_NAME_LEN,
		   volume->export_name);
}

/* A volume of several routes is live as long as one of them is. */
static bool routes_lost(const struct rblk_ioc_volume *volume)
{
	return volume->state == RBLK_VOL_LIVE && volume->live_routes < volume->routes;
}

/* Since it was attached. */
static bool has_mismatches(const struct rblk_ioc_volume *volume)
{
	return volume->digest_mended || volume->digest_failed;
}

static void summary(const struct line *lines, unsigned int nr)
{
	double reads = 0, writes = 0, n = 0;
	char in[SIZE_TEXT], out[SIZE_TEXT];
	unsigned int i, down = 0, lost = 0, wrong = 0;

	for (i = 0; i < nr; i++) {
		const struct work *work = &lines[i].work;

		n += ios(&lines[i].all) / work->seconds;
		reads += work->op[RBLK_LATENCY_READ].bytes / work->seconds;
		writes += work->op[RBLK_LATENCY_WRITE].bytes / work->seconds;
		down += work->now->show.volume.state != RBLK_VOL_LIVE;
		lost += routes_lost(&work->now->show.volume);
		wrong += has_mismatches(&work->now->show.volume);
	}
	text_size(in, reads);
	text_size(out, writes);
	printf("%u volumes, %u not live", nr, down);
	if (lost)
		printf(", %u with a lost route", lost);
	if (wrong)
		printf(", %u with digest mismatches", wrong);
	printf("; %.0f IO/s, %s/s read, %s/s written\n", n, in, out);
}

/* Lines that a screen has room for; all where there is none. */
static unsigned int visible(unsigned int nr)
{
	struct winsize size;
	unsigned int room;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_row <= OTHER_LINES)
		return nr;
	room = size.ws_row - OTHER_LINES;
	return nr < room ? nr : room;
}

/**
 * top_clears() - whether each look takes the place of the one before
 * @req: the request
 *
 * A plain "stat --watch" has rows for each operation, which may be more than a screen.
 *
 * Return: whether they go on, are sorted, and on a terminal.
 */
bool top_clears(const struct request *req)
{
	return (req->verb == VERB_TOP ||
		(request_has(req, OPTION_WATCH) && request_has(req, OPTION_SORT))) &&
	       isatty(STDOUT_FILENO);
}

static int show(const struct request *req, const struct line *lines, unsigned int nr)
{
	struct report report;
	unsigned int i;

	report_start(&report, req);
	if (!request_has(req, OPTION_JSON)) {
		if (top_clears(req))
			fputs(HOME_AND_CLEAR, stdout);
		summary(lines, nr);
		if (top_clears(req))
			nr = visible(nr);
	}
	for (i = 0; i < nr; i++) {
		row(&report.table, &lines[i]);
		json_object_array_add(report.array, work_json(&lines[i].work));
	}
	return report_end(&report, req, NULL, "volumes");
}

/**
 * top_print() - print what volumes did between two looks, for watch_run()
 * @req: by what to sort
 * @ctx: not used
 * @was: the first look
 * @is: the second
 *
 * Return: an exit status.
 */
int top_print(const struct request *req, void *ctx, void *was, void *is)
{
	const struct samples *now = is;
	struct line *lines = must_alloc(NULL, now->nr, sizeof(*lines));
	unsigned int i;
	int status;

	(void)ctx;
	for (i = 0; i < now->nr; i++)
		fill(&lines[i], was, is, i, req->sort);
	qsort(lines, now->nr, sizeof(*lines), order);
	status = show(req, lines, now->nr);
	free(lines);
	return status;
}
