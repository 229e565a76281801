/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which parts of the window, the target's memory for data sent ahead, are in
 * use.  Pure: the caller locks.
 */
#ifndef RBLK_RANGE_H
#define RBLK_RANGE_H

#include <linux/bitops.h>
#include <linux/types.h>
#include "rblk_wire.h"

/* Writes of up to 4 KiB seldom go there, so half as many ranges do. */
#define RBLK_RANGE_UNIT		(2 * RBLK_WIRE_WINDOW_UNIT)
#define RBLK_RANGE_UNITS	(RBLK_WIRE_MAX_WINDOW / RBLK_RANGE_UNIT)

/**
 * struct rblk_range_map - the units of a window
 * @units: how many it has
 * @nr_free: those that are not taken
 * @taken: one bit for each
 */
struct rblk_range_map {
	u32 units;
	u32 nr_free;
	DECLARE_BITMAP(taken, RBLK_RANGE_UNITS);
};

void rblk_range_init(struct rblk_range_map *map, u32 bytes);
u32 rblk_range_units(u32 bytes);
bool rblk_range_take(struct rblk_range_map *map, u32 bytes, u32 *offset);
void rblk_range_give(struct rblk_range_map *map, u32 offset, u32 bytes);

#endif /* RBLK_RANGE_H */
