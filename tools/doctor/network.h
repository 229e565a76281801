/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What iproute2 knows of this host's network, in the namespace that we are in.
 * Its programs are asked, as they know every kind of device and namespace.
 */
#ifndef RBLKCTL_NETWORK_H
#define RBLKCTL_NETWORK_H

#include "lib/failure.h"

#define NAME_ROOM	64
#define GID_TEXT	40

/**
 * struct rdma_port - a port of an RDMA device
 * @device: such as "rxe0"
 * @port: its number
 * @active: it is
 * @unmanaged: its link is there, but nobody manages it: of InfiniBand
 * @netdev: its network device in this namespace, or empty, as with InfiniBand
 * @iwarp: it speaks iWARP
 * @infiniband: its link is InfiniBand
 * @driver: of the hardware below the device; of software what the device calls itself;
 *          or empty
 */
struct rdma_port {
	char device[NAME_ROOM];
	unsigned int port;
	bool active;
	bool unmanaged;
	char netdev[NAME_ROOM];
	bool iwarp;
	bool infiniband;
	char driver[NAME_ROOM];
};

/**
 * struct netdev - a network device
 * @up: it was set up
 * @carrier: and has a link
 * @mtu: bytes
 * @gid: with IP over InfiniBand, that of its port, as sysfs writes it; else empty
 */
struct netdev {
	bool up;
	bool carrier;
	unsigned int mtu;
	char gid[GID_TEXT];
};

/**
 * struct route - how to get to an address
 * @netdev: over which device
 * @source: from which address, as text
 * @owner: the device that has this address
 * @local: the address is this host's own
 */
struct route {
	char netdev[NAME_ROOM];
	char source[NAME_ROOM];
	char owner[NAME_ROOM];
	bool local;
};

int network_ports(struct rdma_port **ports, unsigned int *nr, struct rblk_failure *fail);
int network_device(const char *name, struct netdev *to, struct rblk_failure *fail);
int network_route(const struct rblk_ioc_addr *to, const struct rblk_ioc_addr *from,
		  struct route *route, struct rblk_failure *fail);
bool network_has_gid(const struct rdma_port *port, const char *want);
bool network_serves(const struct rdma_port *port, const char *source);

#endif /* RBLKCTL_NETWORK_H */
