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
 * nobody sees what is unmapped.  peer.c tells of adapters whose parent is a PCI
 * device.
 */
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
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
	map = rad_map_find(dma, iova);
	if (!map) {
		ret = -EFAULT;
	} else if (map->dir == (to_memory ? DMA_TO_DEVICE : DMA_FROM_DEVICE)) {
		ret = -EPERM;
	} else {
		at = iova - map->iova;
		*len = min3((u64)*len, map->len - at,
			    PAGE_SIZE - offset_in_page(map->phys + at));
		memory = rad_map_byte(map, at);
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

	if (dev->pci)
		return rad_peer_copy(dev, addr, buf, len, to_memory);
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
 * rad_dma_create() - make a device's DMA addresses
 * @dev: the device
 * Context: may sleep.
 * Return: them; NULL if this kernel has no DMA operations, or if the device has
 * the place of a PCI device; or an ERR_PTR().
 */
struct rad_dma *rad_dma_create(struct rad_dev *dev)
{
	struct rad_dma *dma;
	int ret = rad_peer_open(dev);

	if (ret)
		return ERR_PTR(ret);
	if (dev->pci)
		return NULL;
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
 * @dev: rad_dma_create() was called for it
 * Context: any.
 * Return: the parent, or NULL.
 */
struct device *rad_dma_device(struct rad_dev *dev)
{
	if (dev->pci)
		return &dev->pci->dev;
	return dev->dma ? &dev->dma->pdev->dev : NULL;
}

/**
 * rad_dma_destroy() - the opposite of rad_dma_create()
 * @dev: the device; what is still mapped is a leak
 * Context: may sleep.
 */
void rad_dma_destroy(struct rad_dev *dev)
{
	struct rad_dma *dma = dev->dma;
	struct rad_map *map, *next;
	u32 left = 0;

	rad_peer_close(dev);
	if (!dma)
		return;
	rbtree_postorder_for_each_entry_safe(map, next, &dma->maps, node) {
		if (!left++)
			print_stack("left mapped", map->made, map->nr_made);
		rad_map_free(map);
	}
	if (left)
		rad_report(dma->dev, RAD_dma_leak, "%u", left);
	platform_device_unregister(dma->pdev);
	kvfree(dma);
}
