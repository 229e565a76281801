// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DMA addresses that an adapter may use.
 *
 * Each adapter has a platform device as its parent, with DMA operations of its
 * own.  An address is given out once and never again, with a gap behind each
 * mapping, so that every access that is late, too long or astray is seen.  What
 * was unmapped is remembered for a while, for the report.
 *
 * New devices take their habits from these parameters, which are bits of "dma":
 *
 *   1 merge	pages of a list that adjoin at page boundaries become one segment,
 *		as behind an IOMMU
 *   2 shadow	the device sees copies of the memory, which only a sync brings up
 *		to date, as behind bounce buffers
 *   4 offsets	addresses lose their offset in a page, as behind bounce buffers
 *
 * "dma_max" is the most that can be mapped at once, and one mapping in "dma_fail"
 * fails.
 *
 * Without DMA operations in the kernel (User Mode Linux as it comes) there is no
 * parent, and addresses are the kernel's own: KASAN then sees what is freed, but
 * nobody sees what is unmapped.
 */
#include <linux/moduleparam.h>
#include <linux/platform_device.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include "adapter.h"
#include "dma.h"

static unsigned int dma_habits;
module_param_named(dma, dma_habits, uint, 0644);
MODULE_PARM_DESC(dma, "1: merge segments, 2: shadow pages, 4: lose offsets");

static unsigned int dma_max;
module_param(dma_max, uint, 0644);
MODULE_PARM_DESC(dma_max, "Most bytes of one mapping; 0: no limit");

static unsigned int dma_fail;
module_param(dma_fail, uint, 0644);
MODULE_PARM_DESC(dma_fail, "One mapping in so many fails; 0: none");

static u8 *map_byte(const struct rad_map *map, u64 at)
{
	u64 off = offset_in_page(map->phys) + at;

	if (map->shadowed)
		return page_address(map->shadow[off >> PAGE_SHIFT]) +
		       offset_in_page(off);
	return phys_to_virt(map->phys + at);
}

/* Between the memory and what the device sees of it. */
static void map_sync(struct rad_map *map, u64 at, size_t len, bool to_shadow)
{
	while (map->shadowed && len) {
		phys_addr_t phys = map->phys + at;
		size_t part = min(len, PAGE_SIZE - offset_in_page(phys));

		if (to_shadow)
			memcpy(map_byte(map, at), phys_to_virt(phys), part);
		else
			memcpy(phys_to_virt(phys), map_byte(map, at), part);
		at += part;
		len -= part;
	}
}

static void map_free(struct rad_map *map)
{
	u32 i;

	for (i = 0; i < map->shadowed; i++)
		if (map->shadow[i])
			__free_page(map->shadow[i]);
	kfree(map);
}

static struct rad_map *map_new(struct rad_dma *dma, phys_addr_t phys, size_t len,
			       enum dma_data_direction dir)
{
	u32 nr = PFN_UP(offset_in_page(phys) + len);
	struct rad_map *map;
	u32 i;

	if (!(dma->habits & RAD_DMA_SHADOW))
		nr = 0;
	map = kzalloc(struct_size(map, shadow, nr), GFP_ATOMIC | __GFP_NOWARN);
	if (!map)
		return NULL;
	map->phys = phys;
	map->len = len;
	map->dir = dir;
	map->shadowed = nr;
	for (i = 0; i < nr; i++) {
		map->shadow[i] = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
		if (!map->shadow[i]) {
			map_free(map);
			return NULL;
		}
	}
	map->nr_made = stack_trace_save(map->made, RAD_DMA_FRAMES, 3);
	map_sync(map, 0, len, true);
	return map;
}

/* map_find() - the mapping that has an address. */
static struct rad_map *map_find(struct rad_dma *dma, u64 iova)
{
	struct rb_node *node = dma->maps.rb_node;

	lockdep_assert_held(&dma->lock);
	while (node) {
		struct rad_map *map = rb_entry(node, struct rad_map, node);

		if (iova < map->iova)
			node = node->rb_left;
		else if (iova - map->iova >= map->len)
			node = node->rb_right;
		else
			return map;
	}
	return NULL;
}

/* Addresses only grow: a new mapping is the last. */
static void map_insert(struct rad_dma *dma, struct rad_map *map)
{
	struct rb_node **link = &dma->maps.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = &parent->rb_right;
	}
	rb_link_node(&map->node, parent, link);
	rb_insert_color(&map->node, &dma->maps);
}

static void remember_dead(struct rad_dma *dma, const struct rad_map *map)
{
	struct rad_dead *dead = &dma->dead[dma->nr_dead++ % RAD_DMA_DEAD];

	dead->iova = map->iova;
	dead->len = map->len;
	memcpy(dead->made, map->made, sizeof(dead->made));
	dead->nr_made = map->nr_made;
	dead->when = ktime_get();
	dead->nr_gone = stack_trace_save(dead->gone, RAD_DMA_FRAMES, 3);
}

static bool must_fail(struct rad_dma *dma, size_t len)
{
	if (dma->max && len > dma->max)
		return true;
	return dma->fail && !(atomic_inc_return(&dma->tries) % dma->fail);
}

/* With @after, the mapping adjoins that one, so that both make one segment. */
static struct rad_map *map_add(struct rad_dma *dma, phys_addr_t phys, size_t len,
			       enum dma_data_direction dir, unsigned long attrs,
			       const struct rad_map *after)
{
	u32 offset = offset_in_page(phys);
	unsigned long flags;
	struct rad_map *map;

	if (must_fail(dma, len))
		return NULL;
	map = map_new(dma, phys, len, dir);
	if (!map)
		return NULL;
	if (dma->habits & RAD_DMA_OFFSETS)
		offset &= dma_get_min_align_mask(&dma->pdev->dev);
	spin_lock_irqsave(&dma->lock, flags);
	if (after) {
		map->iova = after->iova + after->len;
		map->group = after->group;
	} else {
		map->iova = dma->next + offset;
		map->group = ++dma->groups;
	}
	/* One page of nothing behind each. */
	dma->next = PAGE_ALIGN(map->iova + len) + PAGE_SIZE;
	map_insert(dma, map);
	spin_unlock_irqrestore(&dma->lock, flags);
	rad_count(dma->dev, RAD_CNT_dma_maps);
	atomic64_add(len, &dma->dev->counters[RAD_CNT_dma_bytes]);
	return map;
}

/* map_take() - take the mapping of exactly that memory from the table. */
static struct rad_map *map_take(struct rad_dma *dma, u64 iova, size_t len,
				enum dma_data_direction dir)
{
	const char *how = NULL;
	struct rad_map *map;
	unsigned long flags;

	spin_lock_irqsave(&dma->lock, flags);
	map = map_find(dma, iova);
	if (!map)
		how = "nothing is mapped there";
	else if (map->iova != iova || (len && map->len != len))
		how = "another length or address was mapped";
	else if (map->dir != dir)
		how = "it was mapped in another direction";
	if (map) {
		rb_erase(&map->node, &dma->maps);
		remember_dead(dma, map);
	}
	spin_unlock_irqrestore(&dma->lock, flags);
	if (how)
		rad_report(dma->dev, RAD_dma_api, "unmap of %zu bytes at %#llx: %s",
			   len, iova, how);
	return map;
}

static void map_remove(struct rad_dma *dma, u64 iova, size_t len,
		       enum dma_data_direction dir, unsigned long attrs)
{
	struct rad_map *map = map_take(dma, iova, len, dir);

	if (!map)
		return;
	if (map->dir != DMA_TO_DEVICE && !(attrs & DMA_ATTR_SKIP_CPU_SYNC))
		map_sync(map, 0, map->len, false);
	map_free(map);
}

/**
 * rad_dma_map() - map memory
 * @device: the adapter's parent
 * @phys: the memory
 * @len: bytes
 * @dir: who writes
 * @attrs: DMA_ATTR_*
 * Context: any.
 * Return: its DMA address, or DMA_MAPPING_ERROR.
 */
dma_addr_t rad_dma_map(struct device *device, phys_addr_t phys, size_t len,
		       enum dma_data_direction dir, unsigned long attrs)
{
	struct rad_map *map = map_add(dev_get_drvdata(device), phys, len, dir,
				      attrs, NULL);

	return map ? map->iova : DMA_MAPPING_ERROR;
}

/**
 * rad_dma_unmap() - the opposite of rad_dma_map()
 * @device: the adapter's parent
 * @iova: DMA address
 * @len: bytes
 * @dir: as it was mapped
 * @attrs: DMA_ATTR_*
 * Context: any. The device does not touch the memory when it returns.
 */
void rad_dma_unmap(struct device *device, dma_addr_t iova, size_t len,
		   enum dma_data_direction dir, unsigned long attrs)
{
	map_remove(dev_get_drvdata(device), iova, len, dir, attrs);
}

/* All of a segment, which may be several mappings that adjoin. */
static void segment_remove(struct rad_dma *dma, u64 iova, size_t len,
			   enum dma_data_direction dir, unsigned long attrs)
{
	while (len) {
		struct rad_map *map = map_take(dma, iova, 0, dir);
		size_t part;

		if (!map)
			return;
		part = min(len, map->len);
		if (dir != DMA_TO_DEVICE && !(attrs & DMA_ATTR_SKIP_CPU_SYNC))
			map_sync(map, 0, map->len, false);
		map_free(map);
		iova += part;
		len -= part;
	}
}

/**
 * rad_dma_unmap_sg() - the opposite of rad_dma_map_sg()
 * @device: the adapter's parent
 * @sgl: the list
 * @nents: as for rad_dma_map_sg()
 * @dir: as it was mapped
 * @attrs: DMA_ATTR_*
 * Context: any.
 */
void rad_dma_unmap_sg(struct device *device, struct scatterlist *sgl, int nents,
		      enum dma_data_direction dir, unsigned long attrs)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		if (!sg_dma_len(sg))
			break;
		segment_remove(dev_get_drvdata(device), sg_dma_address(sg),
			       sg_dma_len(sg), dir, attrs);
	}
}

/* Both ends at a page boundary: an IOMMU can let them adjoin. */
static bool may_merge(struct rad_dma *dma, const struct rad_map *last,
		      const struct scatterlist *segment,
		      const struct scatterlist *sg)
{
	if (!(dma->habits & RAD_DMA_MERGE) || !last)
		return false;
	if (sg->offset || !PAGE_ALIGNED(last->iova + last->len))
		return false;
	return sg_dma_len(segment) + sg->length <=
	       dma_get_max_seg_size(&dma->pdev->dev);
}

/**
 * rad_dma_map_sg() - map a list
 * @device: the adapter's parent
 * @sgl: the list; segments may become fewer
 * @nents: its entries
 * @dir: who writes
 * @attrs: DMA_ATTR_*
 * Context: any.
 * Return: how many segments the device sees, or -ENOMEM.
 */
int rad_dma_map_sg(struct device *device, struct scatterlist *sgl, int nents,
		   enum dma_data_direction dir, unsigned long attrs)
{
	struct rad_dma *dma = dev_get_drvdata(device);
	struct scatterlist *sg, *segment = NULL;
	struct rad_map *map = NULL;
	int i, nr = 0;

	for_each_sg(sgl, sg, nents, i) {
		bool merge = may_merge(dma, map, segment, sg);

		map = map_add(dma, sg_phys(sg), sg->length, dir, attrs,
			      merge ? map : NULL);
		if (!map)
			goto err;
		if (merge) {
			sg_dma_len(segment) += sg->length;
			continue;
		}
		segment = segment ? sg_next(segment) : sgl;
		sg_dma_address(segment) = map->iova;
		sg_dma_len(segment) = sg->length;
		nr++;
	}
	if (nr < nents) {
		segment = sg_next(segment);
		sg_dma_len(segment) = 0;
	}
	return nr;
err:
	rad_dma_unmap_sg(device, sgl, nr, dir, attrs | DMA_ATTR_SKIP_CPU_SYNC);
	return -ENOMEM;
}

/**
 * rad_dma_sync() - bring memory or the device's view of it up to date
 * @device: the adapter's parent
 * @iova: DMA address
 * @len: bytes
 * @dir: as it was mapped
 * @to_device: the memory belongs to the device from now on
 * Context: any.
 */
void rad_dma_sync(struct device *device, dma_addr_t iova, size_t len,
		  enum dma_data_direction dir, bool to_device)
{
	struct rad_dma *dma = dev_get_drvdata(device);
	const char *how = NULL;
	struct rad_map *map;
	unsigned long flags;

	spin_lock_irqsave(&dma->lock, flags);
	while (len && !how) {
		size_t part;

		map = map_find(dma, iova);
		if (!map) {
			how = "nothing is mapped there";
			break;
		}
		if (map->dir != dir)
			how = "it was mapped in another direction";
		part = min(len, (size_t)(map->len - (iova - map->iova)));
		if (to_device ? dir != DMA_FROM_DEVICE : dir != DMA_TO_DEVICE)
			map_sync(map, iova - map->iova, part, to_device);
		iova += part;
		len -= part;
	}
	spin_unlock_irqrestore(&dma->lock, flags);
	if (how)
		rad_report(dma->dev, RAD_dma_api, "sync of %zu bytes at %pad: %s",
			   len, &iova, how);
}

static void print_stack(const char *what, const unsigned long *frames, u32 nr)
{
	u32 i;

	pr_err("%s by\n", what);
	for (i = 0; i < nr; i++)
		pr_err("  %pS\n", (void *)frames[i]);
}

/* A report of an address that is not mapped, with what it once was. */
static void report_miss(struct rad_dma *dma, u64 iova, u32 len, bool to_memory)
{
	struct rad_dead dead = { 0 };
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&dma->lock, flags);
	for (i = 0; i < RAD_DMA_DEAD && !dead.len; i++)
		if (iova - dma->dead[i].iova < dma->dead[i].len)
			dead = dma->dead[i];
	spin_unlock_irqrestore(&dma->lock, flags);
	rad_report(dma->dev, RAD_dma_access, "%s of %u bytes at %#llx, %s",
		   to_memory ? "write" : "read", len, iova,
		   dead.len ? "which was unmapped" : "never mapped or long ago");
	if (!dead.len || (rad_expected() & BIT(RAD_dma_access)))
		return;
	print_stack("mapped", dead.made, dead.nr_made);
	print_stack("unmapped", dead.gone, dead.nr_gone);
}

/* dma_piece() - copy as much as one page of one mapping has. */
static int dma_piece(struct rad_dma *dma, u64 iova, u8 *buf, u32 *len,
		     bool to_memory)
{
	struct rad_map *map;
	unsigned long flags;
	u8 *memory;
	int ret = 0;
	u64 at;

	spin_lock_irqsave(&dma->lock, flags);
	map = map_find(dma, iova);
	if (!map) {
		ret = -EFAULT;
	} else if (map->dir == (to_memory ? DMA_TO_DEVICE : DMA_FROM_DEVICE)) {
		ret = -EPERM;
	} else {
		at = iova - map->iova;
		*len = min3((u64)*len, map->len - at,
			    PAGE_SIZE - offset_in_page(map->phys + at));
		memory = map_byte(map, at);
		memcpy(to_memory ? memory : buf, to_memory ? buf : memory, *len);
	}
	spin_unlock_irqrestore(&dma->lock, flags);
	return ret;
}

/**
 * rad_dma_copy() - the device reads or writes memory
 * @dev: the device
 * @addr: DMA address
 * @buf: from or to where
 * @len: bytes
 * @to_memory: it writes
 * Context: any.
 * Return: 0, or a negative errno if a rule was broken.
 */
int rad_dma_copy(struct rad_dev *dev, u64 addr, void *buf, u32 len,
		 bool to_memory)
{
	int ret = 0;
	u32 part;

	if (!dev->dma) {
		void *memory = (void *)(uintptr_t)addr;

		memcpy(to_memory ? memory : buf, to_memory ? buf : memory, len);
		return 0;
	}
	for (; len && !ret; len -= part, addr += part, buf += part) {
		part = len;
		ret = dma_piece(dev->dma, addr, buf, &part, to_memory);
	}
	if (ret == -EFAULT)
		report_miss(dev->dma, addr - part, part, to_memory);
	if (ret == -EPERM)
		rad_report(dev, RAD_dma_direction, "%s of %u bytes at %#llx",
			   to_memory ? "write" : "read", part, addr - part);
	return ret;
}

/**
 * rad_dma_max() - the most that can be mapped at once
 * @device: the adapter's parent
 * Context: any.
 * Return: bytes.
 */
size_t rad_dma_max(struct device *device)
{
	struct rad_dma *dma = dev_get_drvdata(device);

	return dma->max ?: SIZE_MAX;
}

/**
 * rad_dma_create() - make a device's DMA addresses
 * @dev: the device
 * Context: may sleep.
 * Return: them; NULL if this kernel has no DMA operations; or an ERR_PTR().
 */
struct rad_dma *rad_dma_create(struct rad_dev *dev)
{
	struct rad_dma *dma;
	int ret;

	if (!RAD_HAS_DMA_OPS) {
		pr_info("no DMA operations in this kernel: mappings are not checked\n");
		return NULL;
	}
	dma = kvzalloc(sizeof(*dma), GFP_KERNEL);
	if (!dma)
		return ERR_PTR(-ENOMEM);
	dma->dev = dev;
	dma->maps = RB_ROOT;
	/* Above all physical addresses: the two cannot be confused. */
	dma->next = 1ULL << 52;
	dma->habits = dma_habits;
	if (!IS_ENABLED(CONFIG_NEED_SG_DMA_LENGTH))
		dma->habits &= ~RAD_DMA_MERGE;
	dma->max = dma_max;
	dma->fail = dma_fail;
	spin_lock_init(&dma->lock);
	dma->pdev = platform_device_register_simple("rblk_adapter",
						    PLATFORM_DEVID_AUTO, NULL, 0);
	if (IS_ERR(dma->pdev)) {
		ret = PTR_ERR(dma->pdev);
		goto err;
	}
	platform_set_drvdata(dma->pdev, dma);
	rad_dma_set_ops(&dma->pdev->dev);
	ret = dma_coerce_mask_and_coherent(&dma->pdev->dev, DMA_BIT_MASK(64));
	if (ret) {
		platform_device_unregister(dma->pdev);
		goto err;
	}
	dma_set_max_seg_size(&dma->pdev->dev, SZ_2G);
	return dma;
err:
	kvfree(dma);
	return ERR_PTR(ret);
}

/**
 * rad_dma_device() - the device to map memory for
 * @dma: may be NULL
 * Context: any.
 * Return: the parent, or NULL.
 */
struct device *rad_dma_device(struct rad_dma *dma)
{
	return dma ? &dma->pdev->dev : NULL;
}

/**
 * rad_dma_destroy() - the opposite of rad_dma_create()
 * @dma: may be NULL; what is still mapped is a leak
 * Context: may sleep.
 */
void rad_dma_destroy(struct rad_dma *dma)
{
	struct rad_map *map, *next;
	u32 left = 0;

	if (!dma)
		return;
	rbtree_postorder_for_each_entry_safe(map, next, &dma->maps, node) {
		if (!left++)
			print_stack("left mapped", map->made, map->nr_made);
		map_free(map);
	}
	if (left)
		rad_report(dma->dev, RAD_dma_leak, "%u", left);
	platform_device_unregister(dma->pdev);
	kvfree(dma);
}
