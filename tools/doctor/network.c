// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <json-c/json.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/network.h"
#include "system/alloc.h"
#include "lib/node.h"
#include "system/program.h"

#define ANSWER_ROOM	(256 * 1024)

static void join(char *to, size_t room, const char * const *argv)
{
	size_t used = 0;

	for (to[0] = '\0'; *argv && used < room; argv++)
		used += snprintf(to + used, room - used, "%s%s", used ? " " : "", *argv);
}

/* Why a program gave no answer, and what to try. */
static void explain(const char * const *argv, const struct ended *ended, struct rblk_failure *fail)
{
	static const char by_hand[] = "the same command by hand, and dmesg";
	char line[160];

	join(line, sizeof(line), argv);
	if (ended->error == ENOENT)
		failure_set(fail, ENOENT, "apt-get install iproute2", "there is no program %s",
			    argv[0]);
	else if (ended->error == ETIMEDOUT)
		failure_set(fail, ETIMEDOUT, by_hand, "'%s' gave no answer within %d s", line,
			    RUN_SECONDS);
	else if (ended->error)
		failure_set(fail, ended->error, "as root; and look at the rights of the program",
			    "'%s' cannot be run: %s", line, strerror(ended->error));
	else if (ended->signal)
		failure_set(fail, EINTR, by_hand, "'%s' was ended by signal %d (%s)", line,
			    ended->signal, strsignal(ended->signal));
	else
		failure_set(fail, EIO, "the same command by hand, as root",
			    "'%s' ended with status %d%s%s", line, ended->status,
			    ended->said[0] ? ": " : "", ended->said);
}

/* The array that a program prints, or NULL with @fail filled in. */
static struct json_object *ask(const char * const *argv, struct ended *ended,
			       struct rblk_failure *fail)
{
	char *text = must_alloc(NULL, ANSWER_ROOM, 1), line[160];
	struct json_object *top;

	if (system_run(argv, text, ANSWER_ROOM, ended)) {
		explain(argv, ended, fail);
		free(text);
		return NULL;
	}
	top = json_tokener_parse(text);
	free(text);
	if (json_object_is_type(top, json_type_array))
		return top;
	json_object_put(top);
	join(line, sizeof(line), argv);
	failure_set(fail, EPROTO, "the same command by hand; a newer iproute2, if it knows no -j",
		    "'%s' does not print a list as JSON", line);
	return NULL;
}

static const char *get_text(struct json_object *obj, const char *key)
{
	struct json_object *value;
	const char *text = NULL;

	if (json_object_object_get_ex(obj, key, &value))
		text = json_object_get_string(value);
	return text ? text : "";
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
	const char *has;
	size_t i;

	if (!json_object_object_get_ex(obj, "flags", &flags) ||
	    !json_object_is_type(flags, json_type_array))
		return false;
	for (i = 0; i < json_object_array_length(flags); i++) {
		has = json_object_get_string(json_object_array_get_idx(flags, i));
		if (has && !strcmp(has, flag))
			return true;
	}
	return false;
}

static void take_name(char to[NAME_ROOM], const char *from)
{
	snprintf(to, NAME_ROOM, "%.*s", NAME_ROOM - 1, from);
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

/* Software has no hardware below it, and no driver of that. */
static void take_driver(struct rdma_port *port)
{
	char path[2 * RBLK_PATH_LEN], to[RBLK_PATH_LEN];
	ssize_t length;
	char *slash;

	snprintf(path, sizeof(path), "%s/sys/class/infiniband/%s/device/driver", node_root(),
		 port->device);
	length = readlink(path, to, sizeof(to) - 1);
	if (length < 0) {
		read_sysfs(port->device, "node_desc", port->driver, sizeof(port->driver));
		return;
	}
	to[length] = '\0';
	slash = strrchr(to, '/');
	take_name(port->driver, slash ? slash + 1 : to);
}

static void take_port(struct rdma_port *port, struct json_object *from)
{
	const char *state = get_text(from, "state");
	char file[64], type[32];

	memset(port, 0, sizeof(*port));
	take_name(port->device, get_text(from, "ifname"));
	port->port = get_number(from, "port");
	port->active = !strcmp(state, "ACTIVE");
	port->unmanaged = !strcmp(state, "INIT") || !strcmp(state, "ARMED");
	take_name(port->netdev, get_text(from, "netdev"));
	port->iwarp = read_sysfs(port->device, "node_type", type, sizeof(type)) &&
		      strstr(type, "RNIC");
	snprintf(file, sizeof(file), "ports/%u/link_layer", port->port);
	port->infiniband = read_sysfs(port->device, file, type, sizeof(type)) &&
			   !strcmp(type, "InfiniBand");
	take_driver(port);
}

/* Without the kernel's RDMA core rdma fails, as it has nobody to ask. */
static bool has_rdma(void)
{
	char path[RBLK_PATH_LEN];

	snprintf(path, sizeof(path), "%s/sys/class/infiniband", node_root());
	return !access(path, F_OK);
}

/**
 * network_ports() - the RDMA devices
 * @ports: the result, to be freed
 * @nr: how many
 * @fail: why they are not known
 *
 * Return: 0, or -1 with @fail filled in.
 */
int network_ports(struct rdma_port **ports, unsigned int *nr, struct rblk_failure *fail)
{
	static const char * const argv[] = { "rdma", "-j", "link", "show", NULL };
	struct json_object *top;
	struct ended ended;
	unsigned int i;

	*ports = NULL;
	*nr = 0;
	top = ask(argv, &ended, fail);
	if (!top)
		return ended.status && !has_rdma() ? 0 : -1;
	*ports = must_alloc(NULL, json_object_array_length(top), sizeof(**ports));
	for (i = 0; i < json_object_array_length(top); i++)
		take_port(&(*ports)[(*nr)++], json_object_array_get_idx(top, i));
	json_object_put(top);
	return 0;
}

/*
 * The hardware address of IP over InfiniBand: four bytes for a queue pair, then the
 * GID of the port. It is by this GID that the kernel finds the RDMA device, too.
 */
static void take_gid(char to[GID_TEXT], const char *address)
{
	__u8 byte[20];
	int i, used = 0;

	for (i = 0; i < 20; i++, address += 3)
		if (sscanf(address, "%2hhx", &byte[i]) != 1 || !address[1] ||
		    address[2] != (i < 19 ? ':' : '\0'))
			return;
	for (i = 4; i < 20; i += 2)
		used += snprintf(to + used, GID_TEXT - used, "%s%02x%02x", i > 4 ? ":" : "",
				 byte[i], byte[i + 1]);
}

/**
 * network_device() - the state of a network device
 * @name: its name
 * @to: the result
 * @fail: why it is not known
 *
 * Return: 0, or -1 with @fail filled in.
 */
int network_device(const char *name, struct netdev *to, struct rblk_failure *fail)
{
	const char * const argv[] = { "ip", "-j", "link", "show", "dev", name, NULL };
	struct json_object *top, *obj;
	struct ended ended;

	memset(to, 0, sizeof(*to));
	top = ask(argv, &ended, fail);
	if (!top)
		return -1;
	obj = json_object_array_get_idx(top, 0);
	if (obj) {
		to->up = has_flag(obj, "UP");
		to->carrier = has_flag(obj, "LOWER_UP");
		to->mtu = get_number(obj, "mtu");
		if (!strcmp(get_text(obj, "link_type"), "infiniband"))
			take_gid(to->gid, get_text(obj, "address"));
	} else {
		failure_set(fail, ENODEV, "ip link", "there is no network device %s", name);
	}
	json_object_put(top);
	return obj ? 0 : -1;
}

static const char *bare_text(char to[INET6_ADDRSTRLEN + IF_NAMESIZE + 1],
			     const struct rblk_ioc_addr *addr)
{
	return inet_ntop(addr->family, addr->addr, to, INET6_ADDRSTRLEN);
}

/* The device that has an address; none if it was taken away meanwhile. */
static int find_owner(struct route *route, struct rblk_failure *fail)
{
	const char * const argv[] = { "ip", "-j", "address", "show", "to", route->source, NULL };
	struct json_object *top;
	struct ended ended;
	unsigned int i;

	top = ask(argv, &ended, fail);
	if (!top)
		return -1;
	for (i = 0; i < json_object_array_length(top); i++)
		if (*get_text(json_object_array_get_idx(top, i), "ifname"))
			take_name(route->owner,
				  get_text(json_object_array_get_idx(top, i), "ifname"));
	json_object_put(top);
	return 0;
}

/* ip(8) ends with 2 when it is the kernel that says no; "Error: " is the newer form. */
static void explain_route(const struct ended *ended, const char *target, struct rblk_failure *fail)
{
	if (ended->status != 2 || (strncmp(ended->said, "RTNETLINK answers: ", 19) &&
				   strncmp(ended->said, "Error: ", 7)))
		return;
	if (strstr(ended->said, "Network is unreachable"))
		failure_set(fail, ENETUNREACH,
			    "ip route get %T; an address or a route for its network",
			    "this host has no route to %s", target);
	else
		failure_set(fail, ENETUNREACH, "ip route get %T; ip rule; ip route",
			    "this host has no route to %s that can be used: %s", target,
			    strchr(ended->said, ':') + 2);
}

/* Return: 0, or -1 with @fail filled in. */
static int take_route(struct route *route, struct json_object *top, const char *target,
		      const char *source, struct rblk_failure *fail)
{
	struct json_object *obj = json_object_array_get_idx(top, 0);

	take_name(route->netdev, get_text(obj, "dev"));
	route->local = !strcmp(get_text(obj, "type"), "local");
	take_name(route->source, source ? source : get_text(obj, "prefsrc"));
	if (!route->netdev[0]) {
		failure_set(fail, ENETUNREACH, "ip route get %T",
			    "the route to %s is over no network device", target);
		return -1;
	}
	return route->source[0] ? find_owner(route, fail) : 0;
}

/**
 * network_route() - how to get to an address
 * @to: the address
 * @from: where to start, family 0 for anywhere
 * @route: the result
 * @fail: why it is not known: ENETUNREACH when there is none
 *
 * Return: 0, or -1 with @fail filled in.
 */
int network_route(const struct rblk_ioc_addr *to, const struct rblk_ioc_addr *from,
		  struct route *route, struct rblk_failure *fail)
{
	char target[INET6_ADDRSTRLEN + IF_NAMESIZE + 1], source[sizeof(target)];
	char device[IF_NAMESIZE] = "";
	const char *argv[11] = { "ip", "-j", "route", "get", bare_text(target, to) };
	struct json_object *top;
	struct ended ended;
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
	top = ask(argv, &ended, fail);
	if (!top) {
		explain_route(&ended, target, fail);
		return -1;
	}
	err = take_route(route, top, target, from->family ? source : NULL, fail);
	json_object_put(top);
	if (err)
		memset(route, 0, sizeof(*route));
	return err;
}

/* As sysfs writes GIDs: an IPv4 address is mapped into IPv6. */
static bool gid_of(const char *source, char to[GID_TEXT])
{
	__u8 gid[16] = { [10] = 0xff, [11] = 0xff };
	int i, used = 0;

	if (inet_pton(AF_INET, source, gid + 12) != 1 && inet_pton(AF_INET6, source, gid) != 1)
		return false;
	for (i = 0; i < 16; i += 2)
		used += snprintf(to + used, GID_TEXT - used, "%s%02x%02x", i ? ":" : "", gid[i],
				 gid[i + 1]);
	return true;
}

/**
 * network_has_gid() - whether a port has a GID
 * @port: the port
 * @want: the GID as sysfs writes it
 *
 * Return: whether it has.
 */
bool network_has_gid(const struct rdma_port *port, const char *want)
{
	char gid[64], file[64];
	int i;

	for (i = 0; i < 1024; i++) {
		snprintf(file, sizeof(file), "ports/%u/gids/%d", port->port, i);
		if (!read_sysfs(port->device, file, gid, sizeof(gid)))
			return false;
		if (!strcmp(gid, want))
			return true;
	}
	return false;
}

/**
 * network_serves() - whether a port has a GID for an address
 * @port: of a RoCE device
 * @source: the address as text
 *
 * Return: whether it has.
 */
bool network_serves(const struct rdma_port *port, const char *source)
{
	char want[GID_TEXT];

	return gid_of(source, want) && network_has_gid(port, want);
}
