// SPDX-License-Identifier: GPL-2.0-only
/*
 * An adapter in the place of a PCI device, which reaches the memory of others.
 *
 * The kernel lets a device reach the memory of a PCI device only if it is one
 * itself, at a place from where the bus leads there, and maps its memory without
 * DMA operations of its own.  So an adapter that is made with "pci" has that PCI
 * device as its parent, and gives up the checks of dma.c: the kernel maps, and
 * DMA addresses are physical ones, as on x86 without an IOMMU.  What is checked is
 * that there is memory at them.  The PCI device itself has nothing to do.
 *
 * What was read and written in the memory of others is counted as peer_bytes.
 */
#include <linux/io.h>
#include <linux/memremap.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include "adapter.h"
#include "dma.h"

static char *place = "none";
module_param_named(pci, place, charp, 0644);
MODULE_PARM_DESC(pci, "PCI device whose place a new device has, such as 0000:01:00.0; none: none");

/**
 * rad_peer_open() - give a device its place among PCI devices, if it is to have one
 * @dev: being made
 * Context: may sleep.
 * Return: 0 or a negative errno; @dev->pci is the PCI device, or NULL.
 */
int rad_peer_open(struct rad_dev *dev)
{
	unsigned int domain, bus, slot, function;
	struct pci_dev *pci;
	int ret;

	if (!strncmp(place, "none", 4))
		return 0;
	if (sscanf(place, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return -EINVAL;
	pci = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!pci)
		return -ENODEV;
	/* A driver would have other plans for it. */
	ret = pci->dev.driver ? -EBUSY :
	      dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(64));
	if (ret) {
		pci_dev_put(pci);
		return ret;
	}
	dma_set_max_seg_size(&pci->dev, SZ_2G);
	dev->pci = pci;
	return 0;
}

/**
 * rad_peer_close() - undo rad_peer_open()
 * @dev: unregistered, or never registered
 * Context: may sleep.
 */
void rad_peer_close(struct rad_dev *dev)
{
	pci_dev_put(dev->pci);
	dev->pci = NULL;
}

/**
 * rad_peer_copy() - the device reads or writes memory by its place
 * @dev: with a place among PCI devices
 * @addr: DMA address
 * @buf: from or to where
 * @len: bytes
 * @to_memory: it writes
 * Context: any.
 * Return: 0, or -EFAULT if there is no memory.
 */
int rad_peer_copy(struct rad_dev *dev, u64 addr, void *buf, u32 len,
		  bool to_memory)
{
	while (len) {
		u32 part = min_t(u32, len, PAGE_SIZE - offset_in_page(addr));
		void *memory = phys_to_virt(addr);

		if (!pfn_valid(PHYS_PFN(addr))) {
			rad_report(dev, RAD_dma_access,
				   "%s of %u bytes at %#llx, where no memory is",
				   to_memory ? "write" : "read", part, addr);
			return -EFAULT;
		}
		memcpy(to_memory ? memory : buf, to_memory ? buf : memory, part);
		if (is_pci_p2pdma_page(pfn_to_page(PHYS_PFN(addr))))
			atomic64_add(part, &dev->counters[RAD_CNT_peer_bytes]);
		addr += part;
		buf += part;
		len -= part;
	}
	return 0;
}
