/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What rblk takes of families of adapters. "tests/facts write" has made this from
 * tests/adapter/facts.tsv; change nothing here.
 */
#ifndef RBLKCTL_FAMILIES_H
#define RBLKCTL_FAMILIES_H

#include <stdbool.h>

/**
 * struct family - what is known of a driver's RDMA devices
 * @driver: below the RDMA device; of software what the device says of itself
 * @iwarp: which of the driver's devices it is about
 * @name: the family, or NULL if rblk cannot use these devices at all
 * @says: what rblk takes of them, or what they lack
 */
struct family {
	const char *driver;
	bool iwarp;
	const char *name;
	const char *says;
};

static const struct family families[] = {
	{
		"mlx5_core", false, "mlx5",
		"depth 1024, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, immediates: if asked, pushes: by default, window: by default",
	},
	{
		"mlx5_core.sf", false, "mlx5",
		"depth 1024, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, immediates: if asked, pushes: by default, window: by default",
	},
	{
		"ice", false, "irdma",
		"depth 1013, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, immediates: if asked, pushes: by default, window: by default",
	},
	{
		"bnxt_en", false, "bnxt_re",
		"depth 1021, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, immediates: if asked, pushes: by default, window: by default",
	},
	{
		"hns3", false, "hns",
		"depth 1024, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, pushes: by default, window: by default, it lacks local invalidation",
	},
	{
		"erdma", false, "erdma",
		"depth 1024, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, immediates: if asked, pushes: by default, window: by default",
	},
	{
		"qede", false, "qedr",
		"depth 1024, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, immediates: if asked, pushes: by default, window: by default",
	},
	{
		"i40e", true, "irdma-x722",
		"depth 221, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, pushes: by default, window: by default",
	},
	{
		"cxgb4", true, "cxgb4",
		"depth 1024, I/O of 448 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, pushes: by default, window: by default",
	},
	{
		"rxe", false, "rxe",
		"depth 1024, I/O of 1024 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: if asked, immediates: by default, pushes: by default, window: by default",
	},
	{
		"Software iWARP stack", true, "siw",
		"depth 1024, I/O of 960 KiB, writes of 4096 bytes inline, reads of 4096 bytes inline, inline reads: by default, pushes: by default, window: by default",
	},
	{
		"mana", false, NULL,
		"no reliable connections for the kernel",
	},
};

#endif /* RBLKCTL_FAMILIES_H */
