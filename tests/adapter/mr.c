// SPDX-License-Identifier: GPL-2.0-only
/*
 * Protection domains, memory registrations, and access through their keys.
 *
 * A fast registration takes its pages when the REG_MR is carried out, not when
 * it is posted, as an adapter reads them from the driver's memory then.  All
 * accesses are checked piece by piece: a key that dies under a long RDMA WRITE
 * stops it in the middle.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "adapter.h"

int rad_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	rad_count(rad_to(dev, ibpd->device), RAD_CNT_control_verbs);
	return 0;
}

int rad_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	rad_count(rad_to(dev, ibpd->device), RAD_CNT_control_verbs);
	return 0;
}

static struct rad_mr *mr_new(struct ib_pd *ibpd, enum rad_mr_kind kind, u32 max)
{
	struct rad_dev *dev = rad_to(dev, ibpd->device);
	struct rad_mr *mr;
	int ret = -ENOMEM;

	rad_count(dev, RAD_CNT_control_verbs);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->kind = kind;
	mr->max = max;
	if (max) {
		mr->pages = kvcalloc(max, sizeof(u64), GFP_KERNEL);
		mr->listed = kvcalloc(max, sizeof(u64), GFP_KERNEL);
		if (!mr->pages || !mr->listed)
			goto err;
	}
	mr->ib.pd = ibpd;
	ret = xa_alloc(&dev->mrs, &mr->index, mr, XA_LIMIT(1, 0xffffff),
		       GFP_KERNEL);
	if (ret < 0)
		goto err;
	mr->ib.lkey = mr->index << 8;
	mr->ib.rkey = mr->ib.lkey;
	return mr;
err:
	kvfree(mr->pages);
	kvfree(mr->listed);
	kfree(mr);
	return ERR_PTR(ret);
}

struct ib_mr *rad_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct rad_mr *mr = mr_new(ibpd, RAD_MR_DMA, 0);

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->key = mr->ib.lkey;
	mr->access = access;
	mr->valid = true;
	return &mr->ib;
}

struct ib_mr *rad_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max)
{
	struct rad_dev *dev = rad_to(dev, ibpd->device);
	struct rad_mr *mr;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max || max > dev->profile->fr_pages)
		return ERR_PTR(-EINVAL);
	mr = mr_new(ibpd, RAD_MR_FAST, max);
	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ib;
}

int rad_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct rad_dev *dev = rad_to(dev, ibmr->device);
	struct rad_mr *mr = rad_to(mr, ibmr);

	rad_count(dev, RAD_CNT_control_verbs);
	down_write(&dev->mr_sem);
	xa_erase(&dev->mrs, mr->index);
	up_write(&dev->mr_sem);
	kvfree(mr->pages);
	kvfree(mr->listed);
	kfree(mr);
	return 0;
}

static int list_page(struct ib_mr *ibmr, u64 addr)
{
	struct rad_mr *mr = rad_to(mr, ibmr);

	if (mr->nr_listed == mr->max)
		return -ENOMEM;
	mr->listed[mr->nr_listed++] = addr;
	return 0;
}

int rad_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset)
{
	struct rad_dev *dev = rad_to(dev, ibmr->device);
	struct rad_mr *mr = rad_to(mr, ibmr);

	if (dev->profile->map_sleeps)
		might_sleep();
	if (!(ibmr->page_size & dev->page_sizes))
		rad_report(dev, RAD_page_size, "%u, where there are %#llx",
			   ibmr->page_size, dev->page_sizes);
	mr->nr_listed = 0;
	return ib_sg_to_pages(ibmr, sg, nents, offset, list_page);
}

/**
 * rad_mr_register() - carry out a REG_MR
 * @qp: whose
 * @wqe: the work request
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int rad_mr_register(struct rad_qp *qp, struct rad_wqe *wqe)
{
	struct rad_dev *dev = qp->dev;
	const char *why = NULL;
	struct rad_mr *mr;

	down_write(&dev->mr_sem);
	mr = xa_load(&dev->mrs, wqe->key >> 8);
	if (!mr || mr != wqe->mr || mr->kind != RAD_MR_FAST)
		why = "there is no such registration";
	else if (mr->ib.pd != qp->ib.pd)
		why = "it is of another protection domain";
	else if (mr->valid)
		why = "it is valid already";
	else if (!mr->nr_listed || !wqe->mr_length)
		why = "no memory was mapped";
	else if (wqe->access & IB_ACCESS_REMOTE_WRITE &&
		 !(wqe->access & IB_ACCESS_LOCAL_WRITE))
		why = "the peer may write there, and the device may not";
	if (!why) {
		memcpy(mr->pages, mr->listed, mr->nr_listed * sizeof(u64));
		mr->nr_pages = mr->nr_listed;
		mr->key = wqe->key;
		mr->access = wqe->access;
		mr->iova = wqe->iova;
		mr->length = wqe->mr_length;
		mr->page_size = wqe->page_size;
		mr->valid = true;
	}
	up_write(&dev->mr_sem);
	if (!why)
		return 0;
	rad_report(dev, RAD_registration, "QP %u, key %#x: %s", qp->qpn,
		   wqe->key, why);
	return -EINVAL;
}

/**
 * rad_mr_invalidate() - let a key die
 * @qp: the queue pair that the invalidation is for
 * @key: the key
 * @why: what invalidates it, for the report
 * Context: may sleep. Nothing is accessed through the key when it returns.
 * Return: 0 or -EINVAL.
 */
int rad_mr_invalidate(struct rad_qp *qp, u32 key, const char *why)
{
	struct rad_dev *dev = qp->dev;
	enum rad_rule rule = RAD_key;
	const char *how = NULL;
	struct rad_mr *mr;

	down_write(&dev->mr_sem);
	mr = xa_load(&dev->mrs, key >> 8);
	if (!mr || mr->kind != RAD_MR_FAST) {
		how = "nothing has it";
	} else if (!mr->valid || mr->key != key) {
		how = "it is dead already";
	} else if (mr->ib.pd != qp->ib.pd) {
		how = "it is of another protection domain";
		rule = RAD_domain;
	} else {
		mr->valid = false;
	}
	up_write(&dev->mr_sem);
	if (!how)
		return 0;
	rad_report(dev, rule, "QP %u, %s of key %#x: %s", qp->qpn, why, key,
		   how);
	return -EINVAL;
}

static const char *const how_names[] = {
	[RAD_SOURCE] = "the source of a send",
	[RAD_SINK] = "the sink of a receive or READ",
	[RAD_READ_SINK] = "the sink of a READ over iWARP",
	[RAD_REMOTE_READ] = "a READ by the peer",
	[RAD_REMOTE_WRITE] = "a WRITE by the peer",
};

/* The rights that an access needs. Any registration may be read locally. */
static int how_rights(enum rad_how how)
{
	switch (how) {
	case RAD_SINK:
		return IB_ACCESS_LOCAL_WRITE;
	case RAD_REMOTE_READ:
		return IB_ACCESS_REMOTE_READ;
	case RAD_READ_SINK:
	case RAD_REMOTE_WRITE:
		return IB_ACCESS_REMOTE_WRITE;
	default:
		return 0;
	}
}

static bool how_remote(enum rad_how how)
{
	return how == RAD_REMOTE_READ || how == RAD_REMOTE_WRITE;
}

/* Does the key go over the network? */
static bool how_shown(enum rad_how how)
{
	return how_remote(how) || how == RAD_READ_SINK;
}

/* mr_find() - the registration behind a key, if it allows the access. */
static struct rad_mr *mr_find(struct rad_qp *qp, u32 key, u64 addr, u32 len,
			      enum rad_how how)
{
	struct rad_dev *dev = qp->dev;
	struct rad_mr *mr = xa_load(&dev->mrs, key >> 8);
	enum rad_rule rule;
	u64 at;

	lockdep_assert_held(&dev->mr_sem);
	if (!mr || !mr->valid || mr->key != key) {
		rule = RAD_key;
		goto broken;
	}
	if (mr->ib.pd != qp->ib.pd) {
		rule = RAD_domain;
		goto broken;
	}
	if (how_rights(how) & ~mr->access ||
	    (how_shown(how) && how_rights(how) & ~qp->attr.qp_access_flags)) {
		rule = RAD_rights;
		goto broken;
	}
	at = addr - mr->iova;
	if (mr->kind == RAD_MR_DMA || (at <= mr->length && len <= mr->length - at))
		return mr;
	rule = RAD_bounds;
broken:
	rad_report(dev, rule, "QP %u: %s, key %#x, %u bytes at %#llx", qp->qpn,
		   how_names[how], key, len, addr);
	return NULL;
}

/* A registration's bytes, a page at a time. */
static int mr_copy_pages(struct rad_dev *dev, struct rad_mr *mr, u64 addr,
			 u8 *buf, u32 len, bool to_memory)
{
	u64 at = (mr->iova & (mr->page_size - 1)) + (addr - mr->iova);
	int ret = 0;

	while (len && !ret) {
		u32 in_page = at & (mr->page_size - 1);
		u32 part = min(len, mr->page_size - in_page);
		u32 page = div_u64(at, mr->page_size);

		if (page >= mr->nr_pages) {
			rad_report(dev, RAD_registration,
				   "key %#x has %u pages of %u bytes for %llu bytes",
				   mr->key, mr->nr_pages, mr->page_size,
				   mr->length);
			return -EFAULT;
		}
		ret = rad_dma_copy(dev, mr->pages[page] + in_page, buf, part,
				   to_memory);
		at += part;
		buf += part;
		len -= part;
	}
	return ret;
}

static bool how_allowed(struct rad_qp *qp, enum rad_how how)
{
	return !how_remote(how) || rad_qp_connected(qp);
}

static int mr_copy(struct rad_qp *qp, u32 key, u64 addr, void *buf, u32 len,
		   enum rad_how how)
{
	bool to_memory = how != RAD_SOURCE && how != RAD_REMOTE_READ;
	struct rad_dev *dev = qp->dev;
	struct rad_mr *mr;

	if (!how_allowed(qp, how))
		return -ENOTCONN;
	if (dev->profile->local_dma_lkey && key == RAD_LOCAL_KEY) {
		if (!how_shown(how))
			return rad_dma_copy(dev, addr, buf, len, to_memory);
		if (how == RAD_READ_SINK) {
			rad_report(dev, RAD_rights, "QP %u: %s, local key",
				   qp->qpn, how_names[how]);
			return -EACCES;
		}
	}
	mr = mr_find(qp, key, addr, len, how);
	if (!mr)
		return -EACCES;
	if (mr->kind == RAD_MR_DMA)
		return rad_dma_copy(dev, addr, buf, len, to_memory);
	return mr_copy_pages(dev, mr, addr, buf, len, to_memory);
}

/**
 * rad_mr_copy() - copy from or to memory, through a key
 * @qp: whose keys count: the peer's for what comes over the network
 * @key: the key
 * @addr: where
 * @buf: from or to where
 * @len: bytes; without any, neither key nor address matter
 * @how: which access it is
 * Context: may sleep.
 * Return: 0, -ENOTCONN if @qp does not take part any more, or another negative
 * errno if a rule was broken.
 */
int rad_mr_copy(struct rad_qp *qp, u32 key, u64 addr, void *buf, u32 len,
		enum rad_how how)
{
	int ret;

	if (!len)
		return 0;
	down_read(&qp->dev->mr_sem);
	ret = mr_copy(qp, key, addr, buf, len, how);
	up_read(&qp->dev->mr_sem);
	return ret;
}

/**
 * rad_mr_check() - would an access through a key be allowed?
 * @qp: whose keys count
 * @key: the key
 * @addr: where
 * @len: bytes
 * @how: which access it is
 * Context: may sleep.
 * Return: as rad_mr_copy(); the memory itself is not looked at.
 */
int rad_mr_check(struct rad_qp *qp, u32 key, u64 addr, u32 len,
		 enum rad_how how)
{
	int ret = 0;

	if (!len)
		return 0;
	down_read(&qp->dev->mr_sem);
	if (!how_allowed(qp, how))
		ret = -ENOTCONN;
	else if (!mr_find(qp, key, addr, len, how))
		ret = -EACCES;
	up_read(&qp->dev->mr_sem);
	return ret;
}
