// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a connection keeps for the next epoch: its protection domain and its
 * memory registrations (MRs).
 *
 * On an adapter each of them is a firmware command, and a connection has more
 * than a hundred MRs.  So a session has a pool for each of its connections, and
 * the connections that follow each other in one place use the same pool.
 * Between two of them the pool is idle.
 *
 * What is safe to keep?  The queue pair is gone before the next one is made, and
 * no two connections share a domain at a time.  An MR is kept only if it is
 * known to be invalid: whoever ends a command without such an invalidation calls
 * rblk_pool_drop(), and the MR is destroyed with its key.
 *
 * Lifetime: the session owns a pool; its work alone opens and closes it.  What
 * is in it belongs to the RDMA device.  While the pool is open, the connection's
 * CM identifier holds off the removal of the device.  An idle pool with something
 * in it is on a list, and the removal empties those of its device.  A pool that
 * is closed after that is emptied at once.
 *
 * @busy says who may touch what is in a pool on the list: its owner, or the
 * removal.  To empty a pool takes firmware commands, and a dying device is slow
 * with them, so nobody holds a lock meanwhile.  Who waits may be the recovery of a
 * session whose I/O has to end before memory is free, so who empties allocates
 * without I/O.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include "transport.h"

/* Guards the list and @busy of each pool; innermost. */
static DEFINE_SPINLOCK(pools_lock);
static LIST_HEAD(idle_pools);
/* A pool is no longer busy. */
static DECLARE_WAIT_QUEUE_HEAD(pools_wait);

static void pool_empty(struct rblk_pool *pool)
{
	unsigned int noio = memalloc_noio_save();
	u32 i;

	for (i = 0; pool->mrs && i < pool->shape.nr; i++)
		rblk_pool_drop(pool, i);
	kvfree(pool->mrs);
	if (pool->pd)
		ib_dealloc_pd(pool->pd);
	pool->mrs = NULL;
	pool->pd = NULL;
	pool->tainted = false;
	/* Pairs with pools_claim_next(): who sees this finds it empty. */
	smp_store_release(&pool->device, NULL);
	memalloc_noio_restore(noio);
}

static bool pool_try_claim(struct rblk_pool *pool)
{
	bool claimed;

	spin_lock(&pools_lock);
	claimed = !pool->busy;
	pool->busy = true;
	spin_unlock(&pools_lock);
	return claimed;
}

/* Its owner waits until the removal of the device leaves a pool alone. */
static void pool_claim(struct rblk_pool *pool)
{
	wait_event(pools_wait, pool_try_claim(pool));
}

/* Take a claimed pool off the list: nobody but its owner knows it now. */
static void pool_delist(struct rblk_pool *pool)
{
	spin_lock(&pools_lock);
	list_del_init(&pool->entry);
	pool->busy = false;
	spin_unlock(&pools_lock);
	wake_up_all(&pools_wait);
}

/*
 * Claim an idle pool of @device, in @next; NULL if none is left.  Returns false
 * while owners are busy with all that are left.
 */
static bool pools_claim_next(const struct ib_device *device, struct rblk_pool **next)
{
	struct rblk_pool *pool;
	bool none = true;

	*next = NULL;
	spin_lock(&pools_lock);
	list_for_each_entry(pool, &idle_pools, entry) {
		/* Pairs with pool_empty(). */
		if (smp_load_acquire(&pool->device) != device)
			continue;
		none = false;
		if (pool->busy)
			continue;
		pool->busy = true;
		*next = pool;
		break;
	}
	spin_unlock(&pools_lock);
	return none || *next;
}

static struct ib_client pool_client;

/* The data says only that the device is not being removed. */
static int pool_device_add(struct ib_device *device)
{
	ib_set_client_data(device, &pool_client, &pool_client);
	return 0;
}

static void pool_device_remove(struct ib_device *device, void *data)
{
	struct rblk_pool *pool;

	/* From here on, rblk_pool_close() adds none of this device. */
	ib_set_client_data(device, &pool_client, NULL);
	for (;;) {
		wait_event(pools_wait, pools_claim_next(device, &pool));
		if (!pool)
			return;
		pool_empty(pool);
		/* Its owner may free it next. */
		pool_delist(pool);
	}
}

static struct ib_client pool_client = {
	.name = "rblk",
	.add = pool_device_add,
	.remove = pool_device_remove,
};

/**
 * rblk_pool_init() - set up a pool, which is empty
 * @pool: zeroed, in a new session
 *
 * Context: any.
 */
void rblk_pool_init(struct rblk_pool *pool)
{
	INIT_LIST_HEAD(&pool->entry);
}

/**
 * rblk_pool_exit() - destroy what is in a pool
 * @pool: no connection has it open
 *
 * Context: may sleep.
 */
void rblk_pool_exit(struct rblk_pool *pool)
{
	pool_claim(pool);
	pool_empty(pool);
	pool_delist(pool);
}

static bool shape_is_same(const struct rblk_pool_shape *a,
			  const struct rblk_pool_shape *b)
{
	return a->nr == b->nr && a->nr_small == b->nr_small &&
	       a->small == b->small && a->large == b->large;
}

static int pool_fill(struct rblk_pool *pool, struct ib_device *device)
{
	struct ib_pd *pd;

	if (pool->shape.nr) {
		pool->mrs = kvcalloc(pool->shape.nr, sizeof(*pool->mrs), GFP_KERNEL);
		if (!pool->mrs)
			return -ENOMEM;
	}
	pd = ib_alloc_pd(device, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	pool->pd = pd;
	pool->device = device;
	return 0;
}

/**
 * rblk_pool_open() - give a new connection its protection domain, and room for MRs
 * @pool: of its session and number, not open
 * @device: the connection's RDMA device
 * @shape: the MRs that it will ask for
 *
 * Context: may sleep.
 * Return: 0 or a negative errno; then the pool is not open.
 */
int rblk_pool_open(struct rblk_pool *pool, struct ib_device *device,
		   const struct rblk_pool_shape *shape)
{
	int ret;

	pool_claim(pool);
	if (pool->device != device || !shape_is_same(&pool->shape, shape))
		pool_empty(pool);
	pool_delist(pool);
	if (pool->device)
		return 0;
	pool->shape = *shape;
	ret = pool_fill(pool, device);
	if (ret)
		pool_empty(pool);
	return ret;
}

/**
 * rblk_pool_close() - take a pool back from its connection
 * @pool: open; the queue pair that used it is destroyed
 *
 * Context: may sleep.  The connection's CM identifier still holds off the
 * removal of the device.
 */
void rblk_pool_close(struct rblk_pool *pool)
{
	bool keep;

	spin_lock(&pools_lock);
	keep = !pool->tainted && ib_get_client_data(pool->device, &pool_client);
	if (keep)
		list_add(&pool->entry, &idle_pools);
	spin_unlock(&pools_lock);
	if (!keep)
		pool_empty(pool);
}

/**
 * rblk_pool_mr() - get one of a pool's MRs
 * @pool: open
 * @i: which, as its shape says
 *
 * Context: may sleep.
 * Return: the MR, invalid, or an ERR_PTR().
 */
struct ib_mr *rblk_pool_mr(struct rblk_pool *pool, u32 i)
{
	const struct rblk_pool_shape *shape = &pool->shape;
	struct ib_mr *mr = pool->mrs[i];

	if (mr)
		return mr;
	mr = ib_alloc_mr(pool->pd, IB_MR_TYPE_MEM_REG,
			 i < shape->nr_small ? shape->small : shape->large);
	if (!IS_ERR(mr))
		pool->mrs[i] = mr;
	return mr;
}

/**
 * rblk_pool_drop() - destroy an MR that may still be valid
 * @pool: open; the queue pair that used it is destroyed
 * @i: which
 *
 * Context: may sleep.
 */
void rblk_pool_drop(struct rblk_pool *pool, u32 i)
{
	/* A key that stays valid must not meet the domain's next queue pair. */
	if (pool->mrs[i] && ib_dereg_mr(pool->mrs[i]))
		pool->tainted = true;
	pool->mrs[i] = NULL;
}

/**
 * rblk_pool_start() - learn of the removal of RDMA devices
 *
 * Context: module load; may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_pool_start(void)
{
	return ib_register_client(&pool_client);
}

/**
 * rblk_pool_stop() - undo rblk_pool_start(), when no session is left
 *
 * Context: module unload; may sleep.
 */
void rblk_pool_stop(void)
{
	ib_unregister_client(&pool_client);
}
