// SPDX-License-Identifier: GPL-2.0-only
/*
 * The digest of a request's data: CRC32C, made and checked here, so that it covers all
 * between the request's pages and the pages that the target's device uses.
 *
 * A write's is made whenever it is sent.  A read's comes with the response, and is checked
 * when the request ends: its rkey is dead by then, and its pages are unmapped, so nothing
 * but the user of the pages can change the data any more.
 *
 * The user may do so, with direct I/O: the block layer keeps only the page cache's pages
 * stable.  Then a digest is wrong although nothing is amiss.  So with a wrong digest the
 * request moves its data once more, into or out of a buffer of the device that nobody else
 * knows.  If the digest is wrong again, the request fails with BLK_STS_PROTECTION.
 *
 * For the block layer that is another try of the same request (blk_mq_requeue_request()).
 * So a loss, the fence and the loss policy treat it like any other.  Its first try has ended
 * with an answer, so the target no longer has that, and the second one is never out beside
 * it.  Nor is a write sent from its pages again once it is in the buffer.
 *
 * The buffer is allocated with the disk, and one request at a time has it.  Nothing here
 * allocates memory for I/O.  Whatever ends the request gives the buffer back: complete_rq(),
 * or queue_rq() if it fails.  A request that finds the buffer taken begins anew, a moment
 * later.  It must not wait for the buffer as it is: it would keep its driver tag.  With a
 * scheduler the user of the buffer has given its tag back when it was requeued, and would
 * never get one again if all were kept by requests that wait for it.
 *
 * Digests are made in queue_rq(), and checked in softirq, or by the task that polls, with
 * bottom halves off; in no case with a lock that others need.
 */
#include <linux/crc32c.h>
#include <linux/highmem.h>
#include <linux/sched/mm.h>
#include "../../compat/spoil.h"
#include "block.h"

/* A disk can do with smaller requests if there is no larger piece of memory. */
#define LEAST_BUFFER	RBLK_WIRE_MIN_IO

/* In which time the buffer comes back, if the target answers at once. */
#define BUFFER_RETRY_MS	5

RBLK_SPOIL_PARAM(spoil_read, "Spoil the data of reads before it is checked");
RBLK_SPOIL_PARAM(spoil_write, "Spoil the data of writes once it has a digest");

static u32 digest_of_pages(struct request *rq)
{
	struct req_iterator iter;
	struct bio_vec bv;
	u32 crc = ~0;
	void *at;

	rq_for_each_segment(bv, rq, iter) {
		at = bvec_kmap_local(&bv);
		crc = crc32c(crc, at, bv.bv_len);
		kunmap_local(at);
	}
	return ~crc;
}

static u32 digest_of(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (pdu->copying)
		return ~crc32c(~0, dev->digests.buffer, blk_rq_bytes(rq));
	return digest_of_pages(rq);
}

/* Copy the data of a request from its pages, or @to them. */
static void buffer_copy(struct rblk_dev *dev, struct request *rq, bool to)
{
	u8 *at = dev->digests.buffer;
	struct req_iterator iter;
	struct bio_vec bv;

	rq_for_each_segment(bv, rq, iter) {
		if (to)
			memcpy_to_bvec(&bv, at);
		else
			memcpy_from_bvec(at, &bv);
		at += bv.bv_len;
	}
}

static void digest_flip(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct bio_vec bv = bio_iovec(rq->bio);
	u8 *at;

	if (pdu->copying) {
		*(u8 *)dev->digests.buffer ^= 1;
		return;
	}
	at = bvec_kmap_local(&bv);
	*at ^= 1;
	kunmap_local(at);
}

/* For tests: spoil the data of a write that has its digest, and undo it later. */
static void digest_spoil(struct rblk_dev *dev, struct request *rq, bool now)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (pdu->spoilt != now)
		digest_flip(dev, rq);
	pdu->spoilt = now;
}

/* Send it again: from the buffer or to it, or as before if another request has that. */
static void buffer_take(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct request_queue *q = rq->q;

	if (test_and_set_bit_lock(0, &dev->digests.taken)) {
		blk_mq_requeue_request(rq, false);
		blk_mq_delay_kick_requeue_list(q, BUFFER_RETRY_MS);
		return;
	}
	pdu->copying = true;
	if (req_op(rq) == REQ_OP_WRITE)
		buffer_copy(dev, rq, false);
	blk_mq_requeue_request(rq, true);
}

static void buffer_give(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	pdu->copying = false;
	clear_bit_unlock(0, &dev->digests.taken);
}

/* Map the buffer in the place of the request's pages. */
static int buffer_map(struct rblk_dev *dev, struct scatterlist *sgl, u32 bytes)
{
	sg_set_buf(sgl, dev->digests.buffer, bytes);
	sg_mark_end(sgl);
	return 1;
}

/**
 * rblk_digest_map() - map a request's data, and make the digest of a write
 * @route: the route that it takes
 * @rq: the request
 * @cmd: its command; the digest and its flag are filled in
 * @sgl: scatter list, filled in
 *
 * Context: queue_rq(); does not sleep.
 * Return: entries of the list, 0 for a command without data.
 */
int rblk_digest_map(struct rblk_route *route, struct request *rq, struct rblk_command *cmd,
		    struct scatterlist *sgl)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_dev *dev = route->dev;

	pdu->digest = rblk_op_has_data(cmd->op) && dev->digests.buffer;
	pdu->refused = false;
	if (!rblk_op_has_data(cmd->op))
		return 0;
	if (cmd->op == RBLK_OP_WRITE)
		digest_spoil(dev, rq, false);
	if (pdu->digest) {
		cmd->flags |= RBLK_CMDF_DIGEST;
		if (cmd->op == RBLK_OP_WRITE) {
			cmd->digest = digest_of(dev, rq);
			digest_spoil(dev, rq, rblk_spoil_now(!pdu->copying, &spoil_write));
		}
	}
	return pdu->copying ? buffer_map(dev, sgl, cmd->length) : compat_map_sg(rq, sgl);
}

/**
 * rblk_digest_note() - note what the answer says of a request's digest
 * @rq: the request
 * @slot: its slot, answered
 *
 * Context: any but hard interrupt.
 */
void rblk_digest_note(struct request *rq, const struct rblk_slot *slot)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	pdu->refused = slot->status == RBLK_STATUS_DIGEST;
	pdu->told = slot->digest;
}

/* Was it by a read?  The target counts the others. */
static void digest_count(struct rblk_request *pdu)
{
	struct rblk_route *route = pdu->route;

	if (pdu->refused)
		return;
	/* The request is answered, so its route may go (route_retire()). */
	rcu_read_lock();
	if (READ_ONCE(route->used))
		rblk_count(route->vol.sess->stats, RBLK_CNT_DIGEST_ERRORS, 1);
	rcu_read_unlock();
}

static void digest_report(struct rblk_dev *dev, struct request *rq)
{
	bool write = req_op(rq) == REQ_OP_WRITE;
	struct rblk_digests *d = &dev->digests;
	u64 lba = blk_rq_pos(rq) >> (ilog2(queue_logical_block_size(rq->q)) - SECTOR_SHIFT);
	unsigned long flags;

	pr_err_ratelimited("rblk: rblk%d: the digest of a %s was wrong twice: %u bytes at block %llu\n",
			   dev->index, write ? "write" : "read", blk_rq_bytes(rq), lba);
	spin_lock_irqsave(&d->lock, flags);
	if (d->nr_reports < RBLK_DIGEST_REPORTS)
		d->reports[d->nr_reports++] = (struct rblk_digest_report){
			.write = write, .bytes = blk_rq_bytes(rq), .lba = lba,
		};
	spin_unlock_irqrestore(&d->lock, flags);
	queue_work(rblk_wq, &d->work);
}

/* Is the data of an answered request right, as far as a digest tells? */
static bool digest_is_right(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (pdu->status || req_op(rq) != REQ_OP_READ)
		return !pdu->refused;
	return digest_of(dev, rq) == pdu->told;
}

/* Its data has been moved by the buffer, or it has failed for another reason. */
static void digest_mended(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (pdu->status)
		return;
	if (req_op(rq) == REQ_OP_READ)
		buffer_copy(dev, rq, true);
	atomic64_inc(&dev->digests.mended);
}

/**
 * rblk_digest_end() - check the data of a request that would end now
 * @dev: its device
 * @rq: has a digest; its status is set
 *
 * Context: softirq, or process; does not sleep.
 * Return: whether it ends.  If not, it is on its way again, or has ended already.
 */
bool rblk_digest_end(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	bool fits;

	if (req_op(rq) == REQ_OP_WRITE)
		digest_spoil(dev, rq, false);
	else if (!pdu->status && rblk_spoil_now(!pdu->copying, &spoil_read))
		digest_flip(dev, rq);
	fits = digest_is_right(dev, rq);
	if (likely(fits && !pdu->copying))
		return true;
	if (!fits)
		digest_count(pdu);
	if (!pdu->copying) {
		buffer_take(dev, rq);
		return false;
	}
	if (fits) {
		digest_mended(dev, rq);
	} else {
		pdu->status = BLK_STS_PROTECTION;
		atomic64_inc(&dev->digests.failed);
		digest_report(dev, rq);
	}
	buffer_give(dev, rq);
	return true;
}

/**
 * rblk_digest_drop() - take note that a request ends without rblk_digest_end()
 * @dev: its device
 * @rq: the request; it may have the device's buffer
 *
 * Context: queue_rq(); does not sleep.
 */
void rblk_digest_drop(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	digest_spoil(dev, rq, false);
	if (pdu->copying)
		buffer_give(dev, rq);
}

static bool report_take(struct rblk_digests *d, struct rblk_digest_report *report)
{
	bool any;

	spin_lock_irq(&d->lock);
	any = d->nr_reports;
	if (any) {
		*report = d->reports[0];
		d->nr_reports--;
		memmove(&d->reports[0], &d->reports[1], d->nr_reports * sizeof(*report));
	}
	spin_unlock_irq(&d->lock);
	return any;
}

static void report_work(struct work_struct *work)
{
	struct rblk_dev *dev = container_of(work, struct rblk_dev, digests.work);
	char what[24], lba[32], bytes[24];
	char *envp[4] = { what, lba, bytes };
	struct rblk_digest_report report;
	/* The device may be swapped to. */
	unsigned int noio = memalloc_noio_save();

	while (report_take(&dev->digests, &report)) {
		snprintf(what, sizeof(what), "RBLK_DIGEST=%s", report.write ? "write" : "read");
		snprintf(lba, sizeof(lba), "RBLK_LBA=%llu", report.lba);
		snprintf(bytes, sizeof(bytes), "RBLK_BYTES=%u", report.bytes);
		/* Not by a reference to the disk: its last one must not be put in here. */
		mutex_lock(&dev->hold_lock);
		if (dev->disk)
			kobject_uevent_env(&disk_to_dev(dev->disk)->kobj, KOBJ_CHANGE, envp);
		mutex_unlock(&dev->hold_lock);
	}
	memalloc_noio_restore(noio);
}

/**
 * rblk_digest_init() - prepare for digests that a device may have
 * @dev: zeroed
 *
 * Context: any.
 */
void rblk_digest_init(struct rblk_dev *dev)
{
	spin_lock_init(&dev->digests.lock);
	INIT_WORK(&dev->digests.work, report_work);
}

/**
 * rblk_digest_alloc() - allocate the buffer, if the device has digests
 * @dev: has no disk yet
 * @most: bytes of the largest request
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; rblk_digest_free() undoes both.
 */
int rblk_digest_alloc(struct rblk_dev *dev, u32 most)
{
	struct rblk_digests *d = &dev->digests;

	if (!(dev->flags & RBLK_ATTACH_DIGEST))
		return 0;
	/* In one piece: one element of a scatter list, whatever the RDMA device takes. */
	for (d->bytes = most; d->bytes >= LEAST_BUFFER; d->bytes /= 2) {
		d->buffer = alloc_pages_exact(d->bytes, GFP_KERNEL | __GFP_NOWARN |
					      __GFP_RETRY_MAYFAIL);
		if (d->buffer)
			return 0;
	}
	return -ENOMEM;
}

/**
 * rblk_digest_free() - undo rblk_digest_init() and rblk_digest_alloc()
 * @dev: has no disk any more, and no request
 *
 * Context: may sleep.
 */
void rblk_digest_free(struct rblk_dev *dev)
{
	cancel_work_sync(&dev->digests.work);
	if (dev->digests.buffer)
		free_pages_exact(dev->digests.buffer, dev->digests.bytes);
}
