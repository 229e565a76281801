// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings: which DMA addresses there are, and what memory is behind each.  The
 * head of dma.c says how they are given out.
 */
#include <linux/log2.h>
#include <linux/platform_device.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include "adapter.h"
#include "dma.h"

/**
 * rad_map_byte() - what the device sees of a mapping
 * @map: the mapping
 * @at: which byte of it
 * Context: any, with the lock of its table.
 * Return: where that byte is.
 */
u8 *rad_map_byte(const struct rad_map *map, u64 at)
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
			memcpy(rad_map_byte(map, at), phys_to_virt(phys), part);
		else
			memcpy(phys_to_virt(phys), rad_map_byte(map, at), part);
		at += part;
		len -= part;
	}
}

/**
 * rad_map_free() - the opposite of map_new()
 * @map: in no table any more
 * Context: any.
 */
void rad_map_free(struct rad_map *map)
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
			rad_map_free(map);
			return NULL;
		}
	}
	map->nr_made = stack_trace_save(map->made, RAD_DMA_FRAMES, 3);
	map_sync(map, 0, len, true);
	return map;
}

/**
 * rad_map_find() - find the mapping that has an address
 * @dma: the table, with its lock held
 * @iova: the address
 * Context: any.
 * Return: the mapping, or NULL.
 */
struct rad_map *rad_map_find(struct rad_dma *dma, u64 iova)
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
	u32 max = READ_ONCE(dma->max), fail = READ_ONCE(dma->fail);

	if (max && len > max)
		return true;
	return fail && !(atomic_inc_return(&dma->tries) % fail);
}

/*
 * A free address that is as much aligned as the memory behind it: with no IOMMU it
 * would be that memory's own, and Linux's IOMMU code aligns to the size.  RTRS
 * registers its chunks as one page each.  What loses offsets loses these, too.
 */
static u64 map_place(struct rad_dma *dma, phys_addr_t phys, size_t len)
{
	u64 span = PAGE_SIZE;

	if (dma->habits & RAD_DMA_OFFSETS)
		return dma->next + (offset_in_page(phys) &
				    dma_get_min_align_mask(&dma->pdev->dev));
	if (offset_in_page(phys) + len > PAGE_SIZE)
		span = roundup_pow_of_two(offset_in_page(phys) + len);
	return ALIGN(dma->next, span) + (phys & (span - 1));
}

/* With @after, the mapping adjoins that one, so that both make one segment. */
static struct rad_map *map_add(struct rad_dma *dma, phys_addr_t phys, size_t len,
			       enum dma_data_direction dir, unsigned long attrs,
			       const struct rad_map *after)
{
	unsigned long flags;
	struct rad_map *map;

	if (must_fail(dma, len))
		return NULL;
	map = map_new(dma, phys, len, dir);
	if (!map)
		return NULL;
	spin_lock_irqsave(&dma->lock, flags);
	if (after) {
		map->iova = after->iova + after->len;
		map->group = after->group;
	} else {
		map->iova = map_place(dma, phys, len);
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
	map = rad_map_find(dma, iova);
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
	rad_map_free(map);
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
	dma_addr_t iova = DMA_MAPPING_ERROR;
	struct rad_map *map;

	rad_clock_enter();
	map = map_add(dev_get_drvdata(device), phys, len, dir, attrs, NULL);
	if (map)
		iova = map->iova;
	rad_clock_leave();
	return iova;
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
	rad_clock_enter();
	map_remove(dev_get_drvdata(device), iova, len, dir, attrs);
	rad_clock_leave();
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
		rad_map_free(map);
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

	rad_clock_enter();
	for_each_sg(sgl, sg, nents, i) {
		if (!sg_dma_len(sg))
			break;
		segment_remove(dev_get_drvdata(device), sg_dma_address(sg),
			       sg_dma_len(sg), dir, attrs);
	}
	rad_clock_leave();
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

static int map_list(struct device *device, struct scatterlist *sgl, int nents,
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
	int nr;

	rad_clock_enter();
	nr = map_list(device, sgl, nents, dir, attrs);
	rad_clock_leave();
	return nr;
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
	size_t left = len;
	dma_addr_t at = iova;

	rad_clock_enter();
	spin_lock_irqsave(&dma->lock, flags);
	while (left && !how) {
		size_t part;

		map = rad_map_find(dma, at);
		if (!map) {
			how = "nothing is mapped there";
			break;
		}
		if (map->dir != dir)
			how = "it was mapped in another direction";
		part = min(left, (size_t)(map->len - (at - map->iova)));
		if (to_device ? dir != DMA_FROM_DEVICE : dir != DMA_TO_DEVICE)
			map_sync(map, at - map->iova, part, to_device);
		at += part;
		left -= part;
	}
	spin_unlock_irqrestore(&dma->lock, flags);
	if (how)
		rad_report(dma->dev, RAD_dma_api, "sync of %zu bytes at %pad: %s",
			   len, &iova, how);
	rad_clock_leave();
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
