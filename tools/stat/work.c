// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rblk_wire.h"
#include "system/alloc.h"
#include "output/report.h"
#include "stat/latency.h"
#include "stat/route.h"
#include "stat/work.h"

/**
 * work_between() - compare two looks at a volume
 * @work: the result
 * @was: the first look, in which it may not be
 * @is: the second
 * @i: which of its volumes
 */
void work_between(struct work *work, const struct samples *was, const struct samples *is,
		  unsigned int i)
{
	const struct sample *now = &is->sample[i];
	const struct sample *before = samples_find(was, now->show.volume.index);
	int op;

	work->before = before;
	work->now = now;
	work->seconds = is->time - was->time;
	work->busy = sample_busy(before, now, work->seconds);
	for (op = 0; op < RBLK_LATENCY_OPS; op++)
		latency_since(&work->op[op], &before->op[op], &now->op[op]);
}

/**
 * work_json() - a volume's work as JSON
 * @work: the work
 *
 * Return: a new object.
 */
struct json_object *work_json(const struct work *work)
{
	const struct rblk_ioc_volume *volume = &work->now->show.volume;
	struct json_object *obj = json_object_new_object();
	int op;

	put_device(obj, volume->index);
	put_chars(obj, "target", volume->target_text, sizeof(volume->target_text));
	put_chars(obj, "export", volume->export_name, sizeof(volume->export_name));
	put_text(obj, "state", rblk_volume_state_text(volume->state));
	for (op = 0; op < RBLK_LATENCY_OPS; op++)
		put_object(obj, latency_op_name[op],
			   rblk_latency_json(&work->op[op], work->seconds,
					     &work->now->op[op]));
	put_size(obj, "inflight", work->now->inflight);
	put_decimal(obj, "busy_percent", work->busy);
	put_bool(obj, "digest", volume->flags & RBLK_EXPF_DIGEST);
	put_size(obj, "digest_mended", volume->digest_mended);
	put_size(obj, "digest_failed", volume->digest_failed);
	put_object(obj, "each_route", route_work_json(work));
	return obj;
}

/**
 * work_take() - look at volumes, for watch_run()
 * @index: N of the only one that is wanted, or -1
 * @fail: why it failed
 *
 * Return: struct samples, or NULL with @fail filled in.
 */
void *work_take(int index, struct rblk_failure *fail)
{
	struct samples *samples = must_alloc(NULL, 1, sizeof(*samples));

	if (!samples_take(samples, index, fail)) {
		if (index < 0 || samples->nr)
			return samples;
		failure_set(fail, ENOENT, "rblkctl list", "rblk%d has been detached", index);
	}
	work_release(samples);
	return NULL;
}

/**
 * work_release() - undo work_take()
 * @look: what it gave
 */
void work_release(void *look)
{
	samples_free(look);
	free(look);
}
