/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * How long operations took: histograms with a logarithmic scale.  The modules
 * keep them; RBLK_IOC_STAT and RBLKT_IOC_STAT return them.
 *
 * Each power of two of nanoseconds, from 256 ns to 9 min, has two buckets.  So
 * a percentile read from the buckets is less than a fifth off.
 */
#ifndef RBLK_LATENCY_H
#define RBLK_LATENCY_H

#include <linux/types.h>

#define RBLK_LATENCY_BUCKETS	64
#define RBLK_LATENCY_SHIFT	8	/* the first bucket ends at 1 << this ns */

/* Operations, in the order of enum rblk_wire_op, which begins at 1. */
#define RBLK_LATENCY_OP_TABLE(X)				\
	X(RBLK_LATENCY_READ,		"read")			\
	X(RBLK_LATENCY_WRITE,		"write")		\
	X(RBLK_LATENCY_FLUSH,		"flush")		\
	X(RBLK_LATENCY_DISCARD,		"discard")		\
	X(RBLK_LATENCY_WRITE_ZEROES,	"write_zeroes")

enum rblk_latency_op {
#define RBLK_LATENCY_OP_ENUM(name, text) name,
	RBLK_LATENCY_OP_TABLE(RBLK_LATENCY_OP_ENUM)
#undef RBLK_LATENCY_OP_ENUM
	RBLK_LATENCY_OPS
};

/*
 * Where the time of an operation goes.  On the initiator:
 *   "total"	from the block layer taking the request until its response
 *   "host"	before the command is handed to the connection; also while it is
 *		held because the target is away
 *   "wire"	between the hosts, with the waiting for both network devices
 *   "target"	in the target: waiting for its turn, pulling a write's data
 *   "device"	in the backing device
 * On the target "total" is "target" plus "device"; "host" and "wire" are zero.
 */
#define RBLK_LATENCY_PART_TABLE(X)		\
	X(RBLK_LATENCY_TOTAL,	"total")	\
	X(RBLK_LATENCY_HOST,	"host")		\
	X(RBLK_LATENCY_WIRE,	"wire")		\
	X(RBLK_LATENCY_TARGET,	"target")	\
	X(RBLK_LATENCY_DEVICE,	"device")

enum rblk_latency_part {
#define RBLK_LATENCY_PART_ENUM(name, text) name,
	RBLK_LATENCY_PART_TABLE(RBLK_LATENCY_PART_ENUM)
#undef RBLK_LATENCY_PART_ENUM
	RBLK_LATENCY_PARTS
};

/**
 * struct rblk_ioc_histogram - durations
 * @sum: sum of all durations, ns
 * @bucket: number of durations in each bucket, see rblk_latency_bucket()
 */
struct rblk_ioc_histogram {
	__u64 sum;
	__u64 bucket[RBLK_LATENCY_BUCKETS];
};

/**
 * struct rblk_ioc_latency - the operations of one kind
 * @bytes: bytes that successful operations moved, or the length of their ranges
 * @failed: operations that the target answered with an error; no histogram
 *          counts them
 * @part: histograms, by enum rblk_latency_part; the buckets of a histogram add
 *        up to the number of operations in it
 */
struct rblk_ioc_latency {
	__u64 bytes;
	__u64 failed;
	struct rblk_ioc_histogram part[RBLK_LATENCY_PARTS];
};

/**
 * rblk_latency_bucket() - the bucket of a duration
 * @ns: the duration
 *
 * Context: any.
 * Return: index of the bucket; the last one for any longer duration.
 */
static inline __u32 rblk_latency_bucket(__u64 ns)
{
	__u32 top;

	if (ns < 1u << RBLK_LATENCY_SHIFT)
		return 0;
	top = 63 - __builtin_clzll(ns);
	if (top >= RBLK_LATENCY_SHIFT + RBLK_LATENCY_BUCKETS / 2 - 1)
		return RBLK_LATENCY_BUCKETS - 1;
	return 1 + 2 * (top - RBLK_LATENCY_SHIFT) + ((ns >> (top - 1)) & 1);
}

/**
 * rblk_latency_floor() - the least duration in a bucket
 * @bucket: index of the bucket
 *
 * Context: any.
 * Return: nanoseconds; the bucket before ends there.
 */
static inline __u64 rblk_latency_floor(__u32 bucket)
{
	__u32 step = bucket - 1;

	if (!bucket)
		return 0;
	return (__u64)(2 + (step & 1)) << (RBLK_LATENCY_SHIFT - 1 + step / 2);
}

#endif /* RBLK_LATENCY_H */
