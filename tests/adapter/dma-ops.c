// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DMA operations of an adapter's parent, as the kernel calls them: dma-map.c
 * has what they do.
 */
#include <linux/platform_device.h>
#include <linux/scatterlist.h>
#include "adapter.h"
#include "dma.h"

#if !RAD_MAP_PHYS
static dma_addr_t map_page(struct device *device, struct page *page,
			   unsigned long offset, size_t len,
			   enum dma_data_direction dir, unsigned long attrs)
{
	return rad_dma_map(device, page_to_phys(page) + offset, len, dir, attrs);
}
#endif

static void *alloc_coherent(struct device *device, size_t len, dma_addr_t *iova,
			    gfp_t gfp, unsigned long attrs)
{
	void *memory = alloc_pages_exact(len, gfp | __GFP_ZERO);

	if (!memory)
		return NULL;
	*iova = rad_dma_map(device, virt_to_phys(memory), len, DMA_BIDIRECTIONAL,
			    attrs);
	if (*iova != DMA_MAPPING_ERROR)
		return memory;
	free_pages_exact(memory, len);
	return NULL;
}

static void free_coherent(struct device *device, size_t len, void *memory,
			  dma_addr_t iova, unsigned long attrs)
{
	rad_dma_unmap(device, iova, len, DMA_BIDIRECTIONAL, attrs);
	free_pages_exact(memory, len);
}

static void sync_single_for_cpu(struct device *device, dma_addr_t iova, size_t len,
				enum dma_data_direction dir)
{
	rad_dma_sync(device, iova, len, dir, false);
}

static void sync_single_for_device(struct device *device, dma_addr_t iova,
				   size_t len, enum dma_data_direction dir)
{
	rad_dma_sync(device, iova, len, dir, true);
}

static void sync_sg(struct device *device, struct scatterlist *sgl, int nents,
		    enum dma_data_direction dir, bool to_device)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		if (!sg_dma_len(sg))
			break;
		rad_dma_sync(device, sg_dma_address(sg), sg_dma_len(sg), dir,
			     to_device);
	}
}

static void sync_sg_for_cpu(struct device *device, struct scatterlist *sgl,
			    int nents, enum dma_data_direction dir)
{
	sync_sg(device, sgl, nents, dir, false);
}

static void sync_sg_for_device(struct device *device, struct scatterlist *sgl,
			       int nents, enum dma_data_direction dir)
{
	sync_sg(device, sgl, nents, dir, true);
}

static int dma_supported(struct device *device, u64 mask)
{
	return mask == DMA_BIT_MASK(64);
}

static const struct dma_map_ops adapter_dma_ops = {
	.alloc = alloc_coherent,
	.free = free_coherent,
#if RAD_MAP_PHYS
	.map_phys = rad_dma_map,
	.unmap_phys = rad_dma_unmap,
#else
	.map_page = map_page,
	.unmap_page = rad_dma_unmap,
#endif
	.map_sg = rad_dma_map_sg,
	.unmap_sg = rad_dma_unmap_sg,
	.sync_single_for_cpu = sync_single_for_cpu,
	.sync_single_for_device = sync_single_for_device,
	.sync_sg_for_cpu = sync_sg_for_cpu,
	.sync_sg_for_device = sync_sg_for_device,
	.dma_supported = dma_supported,
	.max_mapping_size = rad_dma_max,
};

/**
 * rad_dma_set_ops() - let a device map memory by the model's rules
 * @device: an adapter's parent; its driver data is its struct rad_dma
 * Context: may sleep. Before the DMA mask is set.
 */
void rad_dma_set_ops(struct device *device)
{
	set_dma_ops(device, &adapter_dma_ops);
}
