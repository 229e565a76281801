// SPDX-License-Identifier: GPL-2.0-only
/*
 * "doctor TARGET": each step of the way, until one fails that all others need.
 * Nothing is left behind: an export that is named is attached for a moment,
 * read-only.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "doctor/keys.h"
#include "doctor/path.h"
#include "system/change.h"
#include "system/interrupt.h"
#include "lib/node.h"
#include "system/program.h"
#include "lib/resolve.h"
#include "output/failure.h"
#include "rblk_wire.h"

#define READ_BYTES	4096
#define DETACH_TRIES	5	/* somebody may look at a new device for a moment */

/**
 * struct path - what is known of the way so far
 * @req: the request
 * @f: what was found
 * @addr: where the target is
 * @from: the address to start from, family 0 for any
 * @route: how to get there
 * @netdev: over this device
 * @port: and this RDMA device
 * @configured: what the target has to prove is from the configuration
 */
struct path {
	struct request *req;
	struct findings *f;
	struct rblk_ioc_addr addr;
	struct rblk_ioc_addr from;
	struct route route;
	struct netdev netdev;
	struct rdma_port port;
	bool configured;
};

static bool check_address(struct path *p)
{
	struct addresses addresses;
	struct rblk_failure fail;
	char text[RBLK_ADDRESS_TEXT];

	memset(&p->from, 0, sizeof(p->from));
	if (request_has(p->req, OPTION_SOURCE)) {
		if (resolve(rblk, &p->req->source, AF_UNSPEC, &addresses, &fail))
			goto bad;
		p->from = addresses.addr[0];
	}
	if (resolve(rblk, &p->req->target, p->from.family, &addresses, &fail))
		goto bad;
	p->addr = addresses.addr[0];
	rblk_address_text(text, &p->addr);
	finding_add(p->f, FINDING_OK, "address", NULL, "%s is %s%s", p->req->target.host, text,
		    addresses.nr > 1 ? ", the first of several" : "");
	return true;
bad:
	finding_fail(p->f, "address", &fail);
	return false;
}

/* Return: whether to go on; what is not known keeps nobody. */
static bool check_route(struct path *p)
{
	struct rblk_failure fail;

	if (!network_route(&p->addr, &p->from, &p->route, &fail)) {
		finding_add(p->f, FINDING_OK, "route", NULL, "over %s, from %s",
			    p->route.netdev,
			    p->route.source[0] ? p->route.source : "an address of its own");
		return true;
	}
	if (fail.error == ENETUNREACH) {
		finding_fail(p->f, "route", &fail);
		return false;
	}
	finding_add(p->f, FINDING_NOTE, "route", fail.hint,
		    "%s, so the way to %s is not checked", fail.text, p->req->target.host);
	return true;
}

static bool check_link(struct path *p)
{
	const char *name = p->route.netdev;
	struct rblk_failure fail;
	char remedy[128];

	if (!name[0])
		return true;
	if (network_device(name, &p->netdev, &fail)) {
		finding_add(p->f, FINDING_NOTE, "link", fail.hint, "%s, so %s is not checked",
			    fail.text, name);
		return true;
	}
	if (!p->netdev.up) {
		snprintf(remedy, sizeof(remedy), "ip link set %s up", name);
		finding_add(p->f, FINDING_BAD, "link", remedy, "%s is down", name);
		return false;
	}
	if (!p->netdev.carrier) {
		finding_add(p->f, FINDING_BAD, "link",
			    "its cable, and the switch's port at the other end",
			    "%s has no link", name);
		return false;
	}
	finding_add(p->f, FINDING_OK, "link", NULL, "%s is up, MTU %u", name, p->netdev.mtu);
	return true;
}

static const struct rdma_port *port_on(const struct rdma_port *ports, unsigned int nr,
				       const char *netdev)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (netdev[0] && !strcmp(ports[i].netdev, netdev))
			return &ports[i];
	return NULL;
}

/* Of RoCE devices the one with a GID for the source address, if any has one. */
static const struct rdma_port *port_for(const struct rdma_port *ports, unsigned int nr,
					const struct route *route)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (ports[i].netdev[0] && !ports[i].iwarp &&
		    network_serves(&ports[i], route->source))
			return &ports[i];
	return NULL;
}

static void no_port(struct path *p, const struct rdma_port *below)
{
	const struct route *route = &p->route;
	char remedy[256];

	if (below && strcmp(route->owner, route->netdev)) {
		snprintf(remedy, sizeof(remedy),
			 "an address of the target's network on %s itself, or --source",
			 below->netdev);
		finding_add(p->f, FINDING_BAD, "gid", remedy,
			    "%s has no GID for %s, which is an address of %s", below->device,
			    route->source, route->owner[0] ? route->owner : "no device");
	} else if (below) {
		snprintf(remedy, sizeof(remedy),
			 "ip address del and add %s on %s: the device missed it",
			 route->source, below->netdev);
		finding_add(p->f, FINDING_BAD, "gid", remedy, "%s has no GID for %s",
			    below->device, route->source);
	} else {
		snprintf(remedy, sizeof(remedy),
			 "another address of the target; or rdma link add rxe0 type rxe netdev %s",
			 route->netdev);
		finding_add(p->f, FINDING_BAD, "device", remedy,
			    "the way to %s is over %s, which has no RDMA device",
			    p->req->target.host, route->netdev);
	}
}

/* The one below IP over InfiniBand, or NULL with a finding. */
static const struct rdma_port *port_below(struct path *p, const struct rdma_port *ports,
					  unsigned int nr, const char *netdev, const char *gid)
{
	char remedy[256];
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (ports[i].infiniband && network_has_gid(&ports[i], gid))
			return &ports[i];
	snprintf(remedy, sizeof(remedy),
		 "grep . /sys/class/infiniband/*/ports/*/gids/0; ip link show %s; rdma system, for network namespaces",
		 netdev);
	finding_add(p->f, FINDING_BAD, "gid", remedy,
		    "no RDMA device here has the GID of %s, %s", netdev, gid);
	return NULL;
}

/* One of Ethernet, or NULL with a finding. */
static const struct rdma_port *port_beside(struct path *p, const struct rdma_port *ports,
					   unsigned int nr, const char *netdev)
{
	const struct rdma_port *below = port_on(ports, nr, netdev), *found;

	found = port_for(ports, nr, &p->route);
	if (!found && below && below->iwarp)
		found = below;
	if (!found)
		no_port(p, below);
	return found;
}

/* To one's own address the way is over lo, and the RDMA device is the address's. */
static void find_netdev(struct path *p, struct netdev *netdev)
{
	struct rblk_failure fail;

	if (p->route.local)
		network_device(p->route.owner, netdev, &fail);
	else
		*netdev = p->netdev;
}

/* Without ports, which are not known then, there is nothing to compare with. */
static bool check_port(struct path *p, const struct rdma_port *ports, unsigned int nr)
{
	const char *name = p->route.local ? p->route.owner : p->route.netdev;
	const struct rdma_port *found;
	struct netdev netdev;

	if (!nr || !name[0] || !p->route.source[0])
		return true;
	find_netdev(p, &netdev);
	found = netdev.gid[0] ? port_below(p, ports, nr, name, netdev.gid) :
				port_beside(p, ports, nr, name);
	if (!found)
		return false;
	p->port = *found;
	if (!found->active) {
		finding_add(p->f, FINDING_BAD, "link", "rdma link; ip link",
			    "port %u of %s is not active", found->port, found->device);
		return false;
	}
	finding_add(p->f, FINDING_OK, "gid", NULL, "%s serves %s", found->device,
		    found->infiniband ? name : p->route.source);
	return true;
}

/* What RoCE makes of an MTU: its own, after the largest headers it may need. */
static unsigned int roce_mtu(unsigned int mtu)
{
	unsigned int roce = 4096;

	while (roce > 256 && roce + 96 > mtu)
		roce /= 2;
	return roce;
}

/* RoCE does not fragment: where its packets are too large, nothing but pings works. */
static void check_mtu(struct path *p)
{
	unsigned int headers = p->addr.family == AF_INET6 ? 80 : 60, bytes;
	char remedy[160];
	int err;

	if (!p->netdev.mtu || !p->port.device[0] || p->port.iwarp || p->port.infiniband)
		return;
	bytes = roce_mtu(p->netdev.mtu) + headers;
	err = system_echo(&p->addr, bytes);
	if (!err) {
		finding_add(p->f, FINDING_OK, "mtu", NULL, "packets of %u bytes come back",
			    bytes);
	} else if (err == -ETIMEDOUT && !system_echo(&p->addr, 256)) {
		snprintf(remedy, sizeof(remedy),
			 "the same MTU on both hosts and all between: ip link set %s mtu N; here it is %u",
			 p->route.netdev, p->netdev.mtu);
		finding_add(p->f, FINDING_BAD, "mtu", remedy,
			    "packets of %u bytes do not come back from %s, though smaller ones do",
			    bytes, p->req->target.host);
	} else {
		finding_add(p->f, FINDING_SKIPPED, "mtu", NULL,
			    "%s answers no pings, so the MTU on the way is not known",
			    p->req->target.host);
	}
}

/* The word for how far it came. */
static const char *stage_check(const struct rblk_failure *fail)
{
	switch (fail->stage) {
	case RBLK_STAGE_RESOLVE:
	case RBLK_STAGE_ROUTE:
		return "route";
	case RBLK_STAGE_DEVICE:
		return "device";
	case RBLK_STAGE_CONNECT:
		return "portal";
	case RBLK_STAGE_LOGIN:
	case RBLK_STAGE_QUEUES:
		return "login";
	case RBLK_STAGE_DISK:
		return "read";
	default:
		return "export";
	}
}

/* A target that is paused by plan is not ill. */
static void refused(struct path *p, const struct rblk_failure *fail)
{
	if (fail->stage == RBLK_STAGE_CONNECT && fail->reason == RBLK_REJ_PAUSED)
		finding_add(p->f, FINDING_NOTE, "portal", hint_find(p->req, fail), "%s",
			    fail->text);
	else if (!keys_refused(p->f, p->req, p->configured, fail))
		finding_fail(p->f, stage_check(fail), fail);
}

/* Any key is good for a look, but then it has to stay the same. */
static void trust(struct request *req, const __u8 key[KEY_BYTES], char text[KEY_TEXT])
{
	text[0] = '\0';
	if (!request_has(req, OPTION_TRUST_FIRST) || key_is_none(key))
		return;
	key_text(text, key);
	memcpy(req->target_key[0], key, KEY_BYTES);
	req->given ^= OPTION_BIT(OPTION_TRUST_FIRST) | OPTION_BIT(OPTION_TARGET_KEY);
}

/* Also tells what there is. */
static bool check_login(struct path *p)
{
	struct rblk_ioc_discover discover = {};
	struct rblk_ioc_offer *offers;
	struct rblk_failure fail;
	char key[KEY_TEXT];

	if (discover_offers(p->req, &discover, &offers, &fail)) {
		refused(p, &fail);
		return false;
	}
	free(offers);
	trust(p->req, discover.peer_key, key);
	finding_add(p->f, FINDING_OK, "login", NULL, "%.*s lets this host in%s%s", RBLK_NAME_LEN,
		    discover.target_name, key[0] ? "; its key is " : "", key);
	if (p->req->export[0])
		return true;
	if (discover.nr)
		finding_add(p->f, FINDING_OK, "export", NULL,
			    "it offers this host %u; 'rblkctl doctor %s/EXPORT' reads from one",
			    discover.nr, p->req->target.host);
	else
		finding_add(p->f, FINDING_NOTE, "export",
			    "on the target: rblkctl export add NAME DEVICE --allow %H (this host)",
			    "it offers this host nothing");
	return true;
}

/* Return: 0 or a negative errno. */
static int check_read(struct path *p, int index, const char *how)
{
	char device[RBLK_PATH_LEN];
	double seconds;
	int err;

	snprintf(device, sizeof(device), "%s/dev/rblk%d", node_root(), index);
	err = system_read(device, READ_BYTES, &seconds);
	if (err == -ETIMEDOUT)
		finding_add(p->f, FINDING_BAD, "read",
			    "on the target: its device behind %E",
			    "reading the first %u bytes of %s takes longer than %u s",
			    READ_BYTES, p->req->export, RUN_SECONDS);
	else if (err)
		finding_add(p->f, FINDING_BAD, "read",
			    "on the target: dmesg, and its device behind %E",
			    "the first %u bytes of %s cannot be read: %s", READ_BYTES,
			    p->req->export, strerror(-err));
	else
		finding_add(p->f, FINDING_OK, "read", NULL,
			    "%u bytes in %.2f ms, of %s %s", READ_BYTES,
			    seconds * 1000, p->req->export, how);
	return err;
}

/* The volume as it is attached already, if it is. */
static int attached_index(const struct request *req)
{
	char target[ENDPOINT_TEXT], name[ENDPOINT_TEXT + RBLK_NAME_LEN];
	struct rblk_ioc_show show;
	struct rblk_failure fail;

	endpoint_text(target, &req->target);
	snprintf(name, sizeof(name), "%s/%s", target, req->export);
	if (rblk_volume_find(rblk, name, &show, NULL, &fail) || show.volume.state != RBLK_VOL_LIVE)
		return -1;
	return show.volume.index;
}

static void detach(struct path *p, const struct rblk_ioc_attach *attach)
{
	struct rblk_failure fail;
	int i, err;

	/* Nothing is left behind. */
	interrupt_defer();
	for (i = 0; i < DETACH_TRIES; i++) {
		err = rblk_detach(rblk, attach->index, attach->uuid,
				  request_has(p->req, OPTION_FORCE), &fail);
		if (!err || fail.error != EBUSY || system_sleep(1))
			break;
	}
	if (err)
		finding_fail(p->f, "detach", &fail);
	interrupt_heed();
}

static void check_export(struct path *p)
{
	int index = attached_index(p->req);
	struct rblk_ioc_attach attach;
	struct rblk_failure fail;

	if (index >= 0) {
		check_read(p, index, "as it is attached");
		return;
	}
	p->req->given |= OPTION_BIT(OPTION_READ_ONLY);
	p->req->queue_timeout = 0;
	if (!volume_attach(p->req, &attach, &fail)) {
		finding_add(p->f, FINDING_OK, "export", NULL, "this host may attach %s",
			    p->req->export);
		/* A read that hangs keeps the volume in use. */
		if (check_read(p, attach.index, "attached for it, read-only") == -ETIMEDOUT)
			p->req->given |= OPTION_BIT(OPTION_FORCE);
		detach(p, &attach);
	} else if (fail.reason == RBLK_CTL_BUSY) {
		finding_add(p->f, FINDING_NOTE, "export", hint_find(p->req, &fail),
			    "%s, so nothing was read", fail.text);
	} else {
		finding_fail(p->f, stage_check(&fail), &fail);
	}
}

/**
 * path_check() - look at the way to a target, and read from it
 * @req: with the target, and perhaps an export
 * @f: what is found
 * @configured: what the target has to prove is from the configuration
 * @ports: of this host
 * @nr: how many, 0 when they are not known
 */
void path_check(struct request *req, struct findings *f, bool configured,
		const struct rdma_port *ports, unsigned int nr)
{
	struct path p = { .req = req, .f = f, .configured = configured };

	if (!check_address(&p) || !check_route(&p) || !check_link(&p) ||
	    !check_port(&p, ports, nr))
		return;
	check_mtu(&p);
	if (check_login(&p) && req->export[0])
		check_export(&p);
}
