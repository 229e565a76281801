// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the target needs of an RDMA device.
 */
#include "../../compat/mr.h"
#include "transport.h"

/* Queue entries of a connection besides two for each command. */
#define QUEUE_REST	64

/**
 * rblkt_device_depth - the deepest connection whose queues a device has
 * @dev: the RDMA device
 *
 * Two send slots and one receive per command.
 *
 * Context: any.
 * Return: commands; may be less than RBLK_WIRE_MIN_DEPTH.
 */
int rblkt_device_depth(const struct ib_device *dev)
{
	return (min(dev->attrs.max_qp_wr, dev->attrs.max_cqe) - QUEUE_REST) / 2;
}

/* The largest registration. */
static u64 device_mr_bytes(const struct ib_device_attr *attr)
{
	return (u64)attr->max_fast_reg_page_list_len *
	       compat_mr_page(attr->page_size_cap, PAGE_SIZE);
}

/**
 * rblkt_device_check - check that a device can serve hosts at all
 * @dev: the RDMA device
 * @port: its port
 * @lacks: set to what is missing, for people
 *
 * Extended memory management stands for SEND with invalidate, too, which ends a
 * host's access to its pages.  Only iWARP needs a registration for RDMA READ.
 *
 * Context: any.
 * Return: RBLK_REJ_NONE, or the reason to refuse hosts.
 */
enum rblk_wire_reject rblkt_device_check(const struct ib_device *dev, u32 port,
					 const char **lacks)
{
	const struct ib_device_attr *attr = &dev->attrs;
	bool iwarp = rdma_protocol_iwarp(dev, port);

	if (!(attr->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS)) {
		*lacks = "fast memory registration";
		return RBLK_REJ_NO_MR;
	}
	if (iwarp && !compat_mr_page(attr->page_size_cap, PAGE_SIZE)) {
		*lacks = "a page size for registrations, from 4 KiB to that of the kernel";
		return RBLK_REJ_NO_MR_PAGE;
	}
	if (iwarp && device_mr_bytes(attr) < RBLK_WIRE_MIN_IO) {
		*lacks = "memory registrations of at least 64 KiB";
		return RBLK_REJ_NO_MR;
	}
	/* An iWARP driver may tell us its own limit as the host's (irdma). */
	if (attr->max_qp_init_rd_atom < 1 || (iwarp && attr->max_qp_rd_atom < 1)) {
		*lacks = "RDMA READ";
		return RBLK_REJ_NO_READ;
	}
	if (rblkt_device_depth(dev) < RBLK_WIRE_MIN_DEPTH) {
		*lacks = "queues of a useful size";
		return RBLK_REJ_DEVICE;
	}
	return RBLK_REJ_NONE;
}
