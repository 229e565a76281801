// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/alloc.h"
#include "lib/node.h"
#include "system/program.h"
#include "lib/volumes.h"
#include "system/change.h"
#include "stat/sample.h"

/* See Documentation/block/stat.rst of the kernel. False when it is gone. */
static bool read_stat(struct sample *to)
{
	unsigned long long inflight, busy_ms;
	char path[RBLK_PATH_LEN];
	bool good;
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/block/rblk%d/stat", node_root(),
		 to->show.volume.index);
	file = fopen(path, "re");
	if (!file)
		return false;
	good = fscanf(file, "%*u %*u %*u %*u %*u %*u %*u %*u %llu %llu", &inflight,
		      &busy_ms) == 2;
	fclose(file);
	to->inflight = inflight;
	to->busy_ms = busy_ms;
	return good;
}

/* Return: 1, 0 when the volume is gone meanwhile, -1 with @fail filled in. */
static int take(struct sample *to, struct rblk_failure *fail)
{
	int index = to->show.volume.index;

	to->routes = must_alloc(NULL, RBLK_MAX_ROUTES, sizeof(*to->routes));
	if (!rblk_volume_stat(rblk, index, to->op, fail) &&
	    !rblk_routes(rblk, index, to->routes, &to->nr_routes, fail))
		return read_stat(to);
	return fail->error == ENOENT ? 0 : -1;
}

/**
 * samples_take() - look at all volumes
 * @samples: the result, to be freed in either case
 * @only: N of the only one that is wanted, or -1
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int samples_take(struct samples *samples, int only, struct rblk_failure *fail)
{
	struct rblk_ioc_show show;
	int at = only < 0 ? 0 : only, got;
	struct sample *sample;

	memset(samples, 0, sizeof(*samples));
	while ((got = rblk_volume_next(rblk, at, &show, NULL, fail)) > 0) {
		if (only >= 0 && show.volume.index != only)
			break;
		at = volume_after(&show);
		samples->sample = must_alloc(samples->sample, samples->nr + 1,
					     sizeof(*samples->sample));
		sample = &samples->sample[samples->nr];
		memset(sample, 0, sizeof(*sample));
		sample->show = show;
		got = take(sample, fail);
		if (got <= 0)
			free(sample->routes);
		if (got < 0)
			break;
		samples->nr += got;
	}
	samples->time = system_time();
	return got < 0 ? -1 : 0;
}

/**
 * samples_free() - free what was looked at
 * @samples: from samples_take()
 */
void samples_free(struct samples *samples)
{
	unsigned int i;

	for (i = 0; i < samples->nr; i++)
		free(samples->sample[i].routes);
	free(samples->sample);
	memset(samples, 0, sizeof(*samples));
}

/**
 * samples_find() - a volume in a look
 * @samples: the look
 * @index: N
 *
 * Return: the volume, or one that has done nothing yet.
 */
const struct sample *samples_find(const struct samples *samples, int index)
{
	static const struct sample never;
	unsigned int i;

	for (i = 0; i < samples->nr; i++)
		if (samples->sample[i].show.volume.index == index)
			return &samples->sample[i];
	return &never;
}

/**
 * sample_busy() - the part of the time in which something was in flight
 * @was: at the beginning
 * @is: at the end
 * @seconds: between them
 *
 * Return: percent.
 */
double sample_busy(const struct sample *was, const struct sample *is, double seconds)
{
	double ms = is->busy_ms > was->busy_ms ? is->busy_ms - was->busy_ms : 0;
	double busy = ms / seconds / 10;

	return busy > 100 ? 100 : busy;
}
