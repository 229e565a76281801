// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ib_device: what it tells of itself, its port, its addresses, and how it
 * goes.  It has one port, RoCE v2 or iWARP, on a network device, but sends nothing
 * over it: only its state and addresses count.  Two adapters reach each other if both
 * ports are up and one has the address that the other asks for.
 */
#include <linux/inetdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include "adapter.h"

static LIST_HEAD(devs);
static DEFINE_MUTEX(devs_mutex);	/* protects the list, with devs_lock */
static DEFINE_SPINLOCK(devs_lock);	/* and the GIDs */

static int query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	struct rad_dev *dev = rad_to(dev, ibdev);
	const struct rad_profile *p = dev->profile;

	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = ibdev->node_guid;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = dev->page_sizes;
	attr->max_qp = 4096;
	attr->max_qp_wr = p->max_qp_wr;
	attr->device_cap_flags = p->iwarp ? 0 : IB_DEVICE_RC_RNR_NAK_GEN;
	if (p->fr_pages)
		attr->device_cap_flags |= IB_DEVICE_MEM_MGT_EXTENSIONS;
	/* "rdma link del" asks for that. */
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	if (p->local_dma_lkey)
		attr->kernel_cap_flags |= IBK_LOCAL_DMA_LKEY;
	attr->max_send_sge = p->max_send_sge;
	attr->max_recv_sge = p->max_recv_sge;
	attr->max_sge_rd = p->max_sge_rd;
	attr->max_cq = 8192;
	attr->max_cqe = p->max_cqe;
	attr->max_mr = 1 << 20;
	attr->max_pd = 4096;
	attr->max_qp_rd_atom = p->rd_res;
	attr->max_res_rd_atom = p->rd_res * 4096;
	attr->max_qp_init_rd_atom = p->rd_init;
	attr->max_ah = 4096;
	attr->max_fast_reg_page_list_len = p->fr_pages;
	attr->max_pkeys = p->iwarp ? 0 : 1;
	return 0;
}

static int query_port(struct ib_device *ibdev, u32 port,
		      struct ib_port_attr *attr)
{
	struct rad_dev *dev = rad_to(dev, ibdev);

	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = dev->profile->iwarp ? 1 : RAD_NR_GIDS;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->ip_gids = !dev->profile->iwarp;
	attr->max_msg_sz = RAD_MAX_MESSAGE;
	attr->pkey_tbl_len = dev->profile->iwarp ? 0 : 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	attr->state = dev->up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = dev->up ? IB_PORT_PHYS_STATE_LINK_UP :
				     IB_PORT_PHYS_STATE_DISABLED;
	return 0;
}

static int get_port_immutable(struct ib_device *ibdev, u32 port,
			      struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = RAD_NR_GIDS;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return index ? -EINVAL : 0;
}

static void set_gid(const struct ib_gid_attr *attr, const union ib_gid *gid)
{
	struct rad_dev *dev = rad_to(dev, attr->device);

	spin_lock(&devs_lock);
	dev->gids[attr->index] = *gid;
	spin_unlock(&devs_lock);
}

static int add_gid(const struct ib_gid_attr *attr, void **context)
{
	set_gid(attr, &attr->gid);
	return 0;
}

static int del_gid(const struct ib_gid_attr *attr, void **context)
{
	set_gid(attr, &zgid);
	return 0;
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				 u64 addr, int access,
#if RAD_HAS_DMAH
				 struct ib_dmah *dmah,
#endif
				 struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void dealloc_driver(struct ib_device *ibdev)
{
	struct rad_dev *dev = rad_to(dev, ibdev);

	rad_show_remove(dev);
	mutex_lock(&devs_mutex);
	spin_lock(&devs_lock);
	list_del(&dev->entry);
	spin_unlock(&devs_lock);
	mutex_unlock(&devs_mutex);
	rad_thread_destroy(dev);
	destroy_workqueue(dev->wq);
	rad_vectors_free(dev);
	rad_dma_destroy(dev);
	xa_destroy(&dev->mrs);
}

static const struct ib_device_ops dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,

	.query_device = query_device,
	.query_port = query_port,
	.dealloc_driver = dealloc_driver,

	.alloc_pd = rad_alloc_pd,
	.dealloc_pd = rad_dealloc_pd,
	.create_cq = rad_create_cq,
	.destroy_cq = rad_destroy_cq,
	.poll_cq = rad_poll_cq,
	.req_notify_cq = rad_req_notify_cq,
	.create_qp = rad_create_qp,
	.modify_qp = rad_modify_qp,
	.query_qp = rad_query_qp,
	.destroy_qp = rad_destroy_qp,
	.post_send = rad_post_send,
	.post_recv = rad_post_recv,
	.get_dma_mr = rad_get_dma_mr,
	.reg_user_mr = reg_user_mr,
	.alloc_mr = rad_alloc_mr,
	.dereg_mr = rad_dereg_mr,
	.map_mr_sg = rad_map_mr_sg,

	INIT_RDMA_OBJ_SIZE(ib_pd, rad_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, rad_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, rad_qp, ib),
};

static const struct ib_device_ops roce_ops = {
	.query_pkey = query_pkey,
	.get_port_immutable = get_port_immutable,
	.get_link_layer = get_link_layer,
	.add_gid = add_gid,
	.del_gid = del_gid,
	.create_ah = rad_create_ah,
	.destroy_ah = rad_destroy_ah,

	INIT_RDMA_OBJ_SIZE(ib_ah, rad_ah, ib),
};

/**
 * rad_dev_reach() - find the device that has an address
 * @from: where the packet would leave
 * @dgid: where it goes
 * Context: any. The device is there as long as one of its queue pairs is held.
 * Return: the device, or NULL if nothing gets there now.
 */
struct rad_dev *rad_dev_reach(struct rad_dev *from, const union ib_gid *dgid)
{
	struct rad_dev *dev, *found = NULL;
	int i;

	if (!READ_ONCE(from->up) || READ_ONCE(from->cut))
		return NULL;
	spin_lock(&devs_lock);
	list_for_each_entry(dev, &devs, entry)
		for (i = 0; !found && i < RAD_NR_GIDS; i++)
			if (!memcmp(&dev->gids[i], dgid, sizeof(*dgid)))
				found = dev;
	if (found && (!READ_ONCE(found->up) || READ_ONCE(found->cut)))
		found = NULL;
	spin_unlock(&devs_lock);
	return found;
}

static bool ndev_has(struct net_device *ndev, const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	struct inet6_ifaddr *ifa6;
	struct inet6_dev *idev;
	struct in_device *indev;
	struct in_ifaddr *ifa;
	bool has = false;

	rcu_read_lock();
	indev = __in_dev_get_rcu(ndev);
	idev = __in6_dev_get(ndev);
	if (addr->ss_family == AF_INET && indev) {
		in_dev_for_each_ifa_rcu(ifa, indev)
			has |= ifa->ifa_local == in->sin_addr.s_addr;
	} else if (addr->ss_family == AF_INET6 && idev) {
		read_lock_bh(&idev->lock);
		list_for_each_entry(ifa6, &idev->addr_list, if_list)
			has |= ipv6_addr_equal(&ifa6->addr, &in6->sin6_addr);
		read_unlock_bh(&idev->lock);
	}
	rcu_read_unlock();
	return has;
}

/**
 * rad_dev_at() - find the iWARP device that has an address of IP
 * @from: where the packet would leave
 * @addr: where it goes
 * Context: may sleep. Nothing keeps the device: look only whether it is the same
 * as one that is kept.
 * Return: the device, or NULL if nothing gets there now.
 */
struct rad_dev *rad_dev_at(struct rad_dev *from,
			   const struct sockaddr_storage *addr)
{
	struct rad_dev *dev, *found = NULL;

	if (!READ_ONCE(from->up) || READ_ONCE(from->cut))
		return NULL;
	mutex_lock(&devs_mutex);
	list_for_each_entry(dev, &devs, entry)
		if (dev->profile->iwarp && dev->ndev && dev->up &&
		    !READ_ONCE(dev->cut) && ndev_has(dev->ndev, addr))
			found = dev;
	mutex_unlock(&devs_mutex);
	return found;
}

/**
 * rad_dev_find() - find a device by its name
 * @name: its name
 * Context: may sleep. ib_device_put() gives it back.
 * Return: the device, or NULL.
 */
struct ib_device *rad_dev_find(const char *name)
{
	struct ib_device *found = NULL;
	struct rad_dev *dev;

	mutex_lock(&devs_mutex);
	list_for_each_entry(dev, &devs, entry)
		if (!strcmp(dev_name(&dev->ib.dev), name) &&
		    ib_device_try_get(&dev->ib))
			found = &dev->ib;
	mutex_unlock(&devs_mutex);
	return found;
}
EXPORT_SYMBOL_GPL(rad_dev_find);

static void port_event(struct rad_dev *dev, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &dev->ib,
		.element.port_num = 1,
		.event = type,
	};

	ib_dispatch_event(&event);
}

/**
 * rad_dev_fatal() - the device fails for good
 * @dev: which
 *
 * Nothing leaves or arrives any more, of which only the event tells at once:
 * retries run out later. What is left on a queue pair is flushed when its user
 * puts it into the error state, as drivers do for a device that does not answer.
 * Context: any.
 */
void rad_dev_fatal(struct rad_dev *dev)
{
	WRITE_ONCE(dev->fatal, true);
	WRITE_ONCE(dev->cut, true);
	port_event(dev, IB_EVENT_DEVICE_FATAL);
}

static bool ndev_runs(struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

static void dev_follow(struct rad_dev *dev, struct net_device *ndev)
{
	bool up = ndev_runs(ndev);

	if (dev->up == up)
		return;
	WRITE_ONCE(dev->up, up);
	if (!RAD_CORE_PORT_EVENTS)
		port_event(dev, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

static int on_netdev_event(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct rad_dev *dev;

	mutex_lock(&devs_mutex);
	list_for_each_entry(dev, &devs, entry) {
		if (dev->ndev != ndev)
			continue;
		if (event == NETDEV_UNREGISTER) {
			dev->ndev = NULL;
			WRITE_ONCE(dev->up, false);
		}
		/* Before it is registered, and once it goes, there is none. */
		if (!ib_device_try_get(&dev->ib))
			continue;
		if (event == NETDEV_UNREGISTER)
			ib_unregister_device_queued(&dev->ib);
		else
			dev_follow(dev, ndev);
		ib_device_put(&dev->ib);
	}
	mutex_unlock(&devs_mutex);
	return NOTIFY_OK;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = on_netdev_event,
};

static int dev_build(struct rad_dev *dev, const char *name)
{
	int ret;

	dev->wq = alloc_workqueue("%s", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM,
				  0, name);
	if (!dev->wq)
		return -ENOMEM;
	ret = rad_thread_create(dev, name);
	if (ret)
		goto err_wq;
	ret = rad_vectors_alloc(dev, rad_vectors ?: num_online_cpus());
	if (ret)
		goto err_thread;
	dev->dma = rad_dma_create(dev);
	if (IS_ERR(dev->dma)) {
		ret = PTR_ERR(dev->dma);
		goto err_vectors;
	}
	return 0;
err_vectors:
	rad_vectors_free(dev);
err_thread:
	rad_thread_destroy(dev);
err_wq:
	destroy_workqueue(dev->wq);
	return ret;
}

static void dev_describe(struct rad_dev *dev, struct net_device *ndev)
{
	dev->ib.node_type = RDMA_NODE_IB_CA;
	if (dev->profile->iwarp) {
		dev->ib.node_type = RDMA_NODE_RNIC;
		strscpy(dev->ib.iw_ifname, ndev->name, sizeof(dev->ib.iw_ifname));
		memcpy(dev->gids[0].raw, ndev->dev_addr, ETH_ALEN);
	}
	dev->ib.phys_port_cnt = 1;
	if (dev->profile->local_dma_lkey)
		dev->ib.local_dma_lkey = RAD_LOCAL_KEY;
	strscpy(dev->ib.node_desc, "rblk's model adapter",
		sizeof(dev->ib.node_desc));
	addrconf_addr_eui48((u8 *)&dev->ib.node_guid, ndev->dev_addr);
	rad_timed_set(&dev->ib);
	ib_set_device_ops(&dev->ib, &dev_ops);
	ib_set_device_ops(&dev->ib, dev->profile->iwarp ? &rad_iw_ops : &roce_ops);
	dev->ib.ops.driver_id = dev->profile->driver;
}

/**
 * rad_dev_create() - make an adapter
 * @name: of the RDMA device
 * @ndev: gives it its addresses and its link; referenced by the caller
 * @profile: what it is like
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rad_dev_create(const char *name, struct net_device *ndev,
		   const struct rad_profile *profile)
{
	struct rad_dev *dev = ib_alloc_device(rad_dev, ib);
	int ret;

	if (!dev)
		return -ENOMEM;
	dev->own = *profile;
	dev->profile = &dev->own;
	dev->ndev = ndev;
	dev->up = ndev_runs(ndev);
	dev->page_sizes = rad_page_sizes ?: profile->page_sizes;
	dev->delay_us = rad_delay_us;
	dev->shuffle = rad_shuffle;
	init_rwsem(&dev->mr_sem);
	xa_init_flags(&dev->mrs, XA_FLAGS_ALLOC1);
	dev_describe(dev, ndev);
	ret = rad_profile_weaken(&dev->own, rad_lacks) ?: dev_build(dev, name);
	if (ret) {
		/* Nothing is there that dealloc_driver() could undo. */
		dev->ib.ops.dealloc_driver = NULL;
		goto err;
	}
	mutex_lock(&devs_mutex);
	spin_lock(&devs_lock);
	list_add_tail(&dev->entry, &devs);
	spin_unlock(&devs_lock);
	mutex_unlock(&devs_mutex);

	ret = ib_device_set_netdev(&dev->ib, ndev, 1);
	if (ret)
		goto err;
	ret = ib_register_device(&dev->ib, name, rad_dma_device(dev));
	if (ret)
		goto err;
	rad_show_add(dev);
	return 0;
err:
	ib_dealloc_device(&dev->ib);
	return ret;
}

/**
 * rad_dev_init() - begin to follow network devices
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rad_dev_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

/**
 * rad_dev_exit() - remove all devices
 * Context: may sleep.
 */
void rad_dev_exit(void)
{
	struct rad_dev *dev;

	unregister_netdevice_notifier(&netdev_notifier);
	/* Its own devices only, not those of the drivers that they stand for. */
	mutex_lock(&devs_mutex);
	list_for_each_entry(dev, &devs, entry)
		dev->ib.ops.driver_id = RDMA_DRIVER_UNKNOWN;
	mutex_unlock(&devs_mutex);
	ib_unregister_driver(RDMA_DRIVER_UNKNOWN);
}
