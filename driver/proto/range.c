// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which parts of the target's window are in use; see range.h.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include "range.h"

/**
 * rblk_range_units() - how many units data takes
 * @bytes: of data, not 0; it may be the largest there is
 *
 * Context: any.
 * Return: units.
 */
u32 rblk_range_units(u32 bytes)
{
	return (bytes - 1) / RBLK_RANGE_UNIT + 1;
}

/**
 * rblk_range_init() - begin with a window of which nothing is in use
 * @map: set up
 * @bytes: of the window, 0 for none
 *
 * Context: any.
 */
void rblk_range_init(struct rblk_range_map *map, u32 bytes)
{
	bitmap_zero(map->taken, RBLK_RANGE_UNITS);
	map->units = min_t(u32, bytes / RBLK_RANGE_UNIT, RBLK_RANGE_UNITS);
	map->nr_free = map->units;
}

/**
 * rblk_range_take() - take the first range that is large enough
 * @map: the caller keeps others away
 * @bytes: of data, not 0
 * @offset: set to where it begins in the window, if there is one
 *
 * Ranges are short-lived and of few sizes, so the first that fits leaves few
 * useless gaps.  Who finds none has the data pulled.
 *
 * Context: any.
 * Return: whether there is one.
 */
bool rblk_range_take(struct rblk_range_map *map, u32 bytes, u32 *offset)
{
	u32 nr = rblk_range_units(bytes);
	u32 at = bitmap_find_next_zero_area(map->taken, map->units, 0, nr, 0);

	if (at >= map->units)
		return false;
	bitmap_set(map->taken, at, nr);
	map->nr_free -= nr;
	*offset = at * RBLK_RANGE_UNIT;
	return true;
}

/**
 * rblk_range_give() - give a range back
 * @map: the caller keeps others away
 * @offset: from rblk_range_take()
 * @bytes: passed to it
 *
 * Context: any.
 */
void rblk_range_give(struct rblk_range_map *map, u32 offset, u32 bytes)
{
	u32 nr = rblk_range_units(bytes);

	bitmap_clear(map->taken, offset / RBLK_RANGE_UNIT, nr);
	map->nr_free += nr;
}
