/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of dma.c share: see its head. */
#ifndef RAD_DMA_H
#define RAD_DMA_H

#include <linux/dma-mapping.h>
#include <linux/rbtree.h>

#define RAD_DMA_MERGE	BIT(0)
#define RAD_DMA_SHADOW	BIT(1)
#define RAD_DMA_OFFSETS	BIT(2)

#define RAD_DMA_FRAMES	8	/* of a stack that is remembered */
#define RAD_DMA_DEAD	1024	/* mappings that are remembered */

/* A mapping, in the tree by its address. */
struct rad_map {
	struct rb_node node;
	u64 iova;
	u64 len;
	phys_addr_t phys;
	enum dma_data_direction dir;
	u64 group;			/* adjoins the others of it */
	unsigned long made[RAD_DMA_FRAMES];
	u32 nr_made;
	u32 shadowed;			/* pages in @shadow */
	struct page *shadow[];
};

/* A mapping that was. */
struct rad_dead {
	u64 iova;
	u64 len;
	ktime_t when;
	unsigned long made[RAD_DMA_FRAMES], gone[RAD_DMA_FRAMES];
	u32 nr_made, nr_gone;
};

struct rad_dma {
	struct rad_dev *dev;
	struct platform_device *pdev;
	u32 habits;
	u32 max;
	u32 fail;
	atomic_t tries;
	spinlock_t lock;		/* protects the rest */
	struct rb_root maps;
	u64 next;			/* the next address given out */
	u64 groups;
	u32 nr_dead;
	struct rad_dead dead[RAD_DMA_DEAD];
};

/* dma-map.c */
u8 *rad_map_byte(const struct rad_map *map, u64 at);
void rad_map_free(struct rad_map *map);
struct rad_map *rad_map_find(struct rad_dma *dma, u64 iova);

dma_addr_t rad_dma_map(struct device *device, phys_addr_t phys, size_t len,
		       enum dma_data_direction dir, unsigned long attrs);
void rad_dma_unmap(struct device *device, dma_addr_t iova, size_t len,
		   enum dma_data_direction dir, unsigned long attrs);
int rad_dma_map_sg(struct device *device, struct scatterlist *sgl, int nents,
		   enum dma_data_direction dir, unsigned long attrs);
void rad_dma_unmap_sg(struct device *device, struct scatterlist *sgl, int nents,
		      enum dma_data_direction dir, unsigned long attrs);
void rad_dma_sync(struct device *device, dma_addr_t iova, size_t len,
		  enum dma_data_direction dir, bool to_device);
size_t rad_dma_max(struct device *device);

/* dma-ops.c */
void rad_dma_set_ops(struct device *device);

#endif /* RAD_DMA_H */
