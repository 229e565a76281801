// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"
#include "node.h"
#include "output.h"

#define ANSWER_ROOM	(256 * 1024)

/* The array that a program prints, or NULL with its errno. */
static struct json_object *ask(const char * const *argv, int *err)
{
	struct json_object *top = NULL;
	char *text = must_alloc(NULL, ANSWER_ROOM, 1);

	*err = node_run(argv, text, ANSWER_ROOM);
	if (*err > 0)
		*err = -ENETUNREACH;	/* it ran, and said no */
	if (!*err) {
		top = json_tokener_parse(text);
		if (!top || !json_object_is_type(top, json_type_array)) {
			json_object_put(top);
			top = NULL;
			*err = -EPROTO;
		}
	}
	free(text);
	return top;
}

static const char *get_text(struct json_object *obj, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(obj, key, &value) ?
	       json_object_get_string(value) : "";
}

static int get_number(struct json_object *obj, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(obj, key, &value) ?
	       json_object_get_int(value) : 0;
}

static bool has_flag(struct json_object *obj, const char *flag)
{
	struct json_object *flags;
	size_t i;

	if (!json_object_object_get_ex(obj, "flags", &flags) ||
	    !json_object_is_type(flags, json_type_array))
		return false;
	for (i = 0; i < json_object_array_length(flags); i++)
		if (!strcmp(json_object_get_string(json_object_array_get_idx(flags, i)), flag))
			return true;
	return false;
}

static void take_name(char to[NAME_ROOM], const char *from)
{
	snprintf(to, NAME_ROOM, "%s", from);
}

/* A file of an RDMA device; false if there is none or it cannot be read. */
static bool read_sysfs(const char *device, const char *file, char *to, size_t room)
{
	char path[2 * RBLK_PATH_LEN];
	FILE *in;

	snprintf(path, sizeof(path), "%s/sys/class/infiniband/%s/%s", node_root(), device,
		 file);
	in = fopen(path, "re");
	if (!in)
		return false;
	if (!fgets(to, room, in))
		to[0] = '\0';
	fclose(in);
	to[strcspn(to, "\n")] = '\0';
	return to[0];
}

static void take_port(struct rdma_port *port, struct json_object *from)
{
	char type[32];

	memset(port, 0, sizeof(*port));
	take_name(port->device, get_text(from, "ifname"));
	port->port = get_number(from, "port");
	port->active = !strcmp(get_text(from, "state"), "ACTIVE");
	take_name(port->netdev, get_text(from, "netdev"));
	port->iwarp = read_sysfs(port->device, "node_type", type, sizeof(type)) &&
		      strstr(type, "RNIC");
}

/**
 * network_ports() - the RDMA devices
 * @ports: the result, to be freed
 * @nr: how many
 *
 * Return: 0 or a negative errno: ENOENT without the program.
 */
int network_ports(struct rdma_port **ports, unsigned int *nr)
{
	static const char * const argv[] = { "rdma", "-j", "link", "show", NULL };
	struct json_object *top;
	unsigned int i;
	int err;

	*ports = NULL;
	*nr = 0;
	top = ask(argv, &err);
	if (!top)
		return err;
	*ports = must_alloc(NULL, json_object_array_length(top), sizeof(**ports));
	for (i = 0; i < json_object_array_length(top); i++)
		take_port(&(*ports)[(*nr)++], json_object_array_get_idx(top, i));
	json_object_put(top);
	return 0;
}

/**
 * network_device() - the state of a network device
 * @name: its name
 * @to: the result
 *
 * Return: 0 or a negative errno.
 */
int network_device(const char *name, struct netdev *to)
{
	const char * const argv[] = { "ip", "-j", "link", "show", "dev", name, NULL };
	struct json_object *top, *obj;
	int err;

	memset(to, 0, sizeof(*to));
	top = ask(argv, &err);
	if (!top)
		return err;
	obj = json_object_array_get_idx(top, 0);
	if (obj) {
		to->up = has_flag(obj, "UP");
		to->carrier = has_flag(obj, "LOWER_UP");
		to->mtu = get_number(obj, "mtu");
	}
	json_object_put(top);
	return obj ? 0 : -ENODEV;
}

static const char *bare_text(char to[INET6_ADDRSTRLEN + IF_NAMESIZE + 1],
			     const struct rblk_ioc_addr *addr)
{
	return inet_ntop(addr->family, addr->addr, to, INET6_ADDRSTRLEN);
}

/* The device that has an address; none if it was taken away meanwhile. */
static void find_owner(struct route *route)
{
	const char * const argv[] = { "ip", "-j", "address", "show", "to", route->source, NULL };
	struct json_object *top;
	unsigned int i;
	int err;

	top = ask(argv, &err);
	for (i = 0; top && i < json_object_array_length(top); i++)
		if (*get_text(json_object_array_get_idx(top, i), "ifname"))
			take_name(route->owner,
				  get_text(json_object_array_get_idx(top, i), "ifname"));
	json_object_put(top);
}

/**
 * network_route() - how to get to an address
 * @to: the address
 * @from: where to start, family 0 for anywhere
 * @route: the result
 *
 * Return: 0 or a negative errno: ENETUNREACH without a route, ENOENT without
 * the program.
 */
int network_route(const struct rblk_ioc_addr *to, const struct rblk_ioc_addr *from,
		  struct route *route)
{
	char target[INET6_ADDRSTRLEN + IF_NAMESIZE + 1], source[sizeof(target)];
	char device[IF_NAMESIZE] = "";
	const char *argv[11] = { "ip", "-j", "route", "get", bare_text(target, to) };
	struct json_object *top, *obj;
	int n = 5, err;

	if (from->family) {
		argv[n++] = "from";
		argv[n++] = bare_text(source, from);
	}
	if (to->scope_id && if_indextoname(to->scope_id, device)) {
		argv[n++] = "dev";
		argv[n++] = device;
	}
	memset(route, 0, sizeof(*route));
	top = ask(argv, &err);
	if (!top)
		return err;
	obj = json_object_array_get_idx(top, 0);
	take_name(route->netdev, get_text(obj, "dev"));
	route->local = !strcmp(get_text(obj, "type"), "local");
	take_name(route->source, from->family ? source : get_text(obj, "prefsrc"));
	json_object_put(top);
	if (!route->netdev[0])
		return -ENETUNREACH;
	if (route->source[0])
		find_owner(route);
	return 0;
}

/* As sysfs writes GIDs: an IPv4 address is mapped into IPv6. */
static bool gid_of(const char *source, char to[40])
{
	__u8 gid[16] = { [10] = 0xff, [11] = 0xff };
	int i, used = 0;

	if (inet_pton(AF_INET, source, gid + 12) != 1 && inet_pton(AF_INET6, source, gid) != 1)
		return false;
	for (i = 0; i < 16; i += 2)
		used += snprintf(to + used, 40 - used, "%s%02x%02x", i ? ":" : "", gid[i],
				 gid[i + 1]);
	return true;
}

/**
 * network_has_gid() - whether a port has a GID for an address
 * @port: of a RoCE device
 * @source: the address as text
 *
 * Return: whether it has.
 */
bool network_has_gid(const struct rdma_port *port, const char *source)
{
	char want[40], gid[64], file[64];
	int i;

	if (!gid_of(source, want))
		return false;
	for (i = 0; i < 1024; i++) {
		snprintf(file, sizeof(file), "ports/%u/gids/%d", port->port, i);
		if (!read_sysfs(port->device, file, gid, sizeof(gid)))
			return false;
		if (!strcmp(gid, want))
			return true;
	}
	return false;
}
