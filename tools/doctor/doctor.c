// SPDX-License-Identifier: GPL-2.0-only
/* The verb "doctor": what keeps rblk from working, and what mends it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "doctor/family.h"
#include "doctor/keys.h"
#include "doctor/path.h"
#include "doctor/run.h"
#include "doctor/volumes.h"
#include "system/interrupt.h"
#include "lib/node.h"
#include "lib/resolve.h"
#include "system/change.h"
#include "output/report.h"

#define OLDEST_MAJOR	6
#define OLDEST_MINOR	1
#define LITTLE_KB	(64 * 1024)	/* a session needs a quarter of that at most */

static const char * const module_name[] = {
	[RBLK_INITIATOR] = "rblk", [RBLK_TARGET] = "rblk_target"
};

/**
 * doctor_line() - the first line of a file
 * @path: the file
 * @to: the line, without its end
 * @room: bytes there
 *
 * Return: false if there is none.
 */
bool doctor_line(const char *path, char *to, size_t room)
{
	char full[2 * RBLK_PATH_LEN];
	FILE *in;
	bool good;

	snprintf(full, sizeof(full), "%s%s", node_root(), path);
	in = fopen(full, "re");
	if (!in)
		return false;
	good = fgets(to, room, in);
	fclose(in);
	if (good)
		to[strcspn(to, "\n")] = '\0';
	return good;
}

static void check_kernel(struct findings *f, char *release, size_t room)
{
	unsigned int major, minor;

	if (!doctor_line("/proc/sys/kernel/osrelease", release, room) ||
	    sscanf(release, "%u.%u", &major, &minor) != 2) {
		release[0] = '\0';
		return;
	}
	if (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR))
		finding_add(f, FINDING_BAD, "kernel", "a kernel of Debian 12 or later",
			    "Linux %s is older than %u.%u", release, OLDEST_MAJOR, OLDEST_MINOR);
	else
		finding_add(f, FINDING_OK, "kernel", NULL, "Linux %s", release);
}

/* Whether there is a module for this kernel; true when that cannot be said. */
static bool is_installed(const char *release, const char *module)
{
	char path[RBLK_PATH_LEN], line[512], want[64];
	bool found = false;
	FILE *in;

	snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", node_root(), release);
	in = fopen(path, "re");
	if (!in)
		return true;
	snprintf(want, sizeof(want), "/%s.ko", module);
	while (!found && fgets(line, sizeof(line), in)) {
		line[strcspn(line, ":")] = '\0';
		found = strstr(line, want);
	}
	fclose(in);
	return found;
}

static void not_loaded(struct findings *f, enum rblk_side which, const char *release,
		       const struct rblk_failure *fail)
{
	char remedy[128];

	snprintf(remedy, sizeof(remedy),
		 "dkms status; the headers of this kernel, then dkms autoinstall");
	if (rblk_missing(fail) && !is_installed(release, module_name[which]))
		finding_add(f, FINDING_BAD, "module", remedy,
			    "%s is not built for Linux %s", module_name[which], release);
	else
		finding_fail(f, "module", fail);
}

/* Return: whether it can be used. */
static bool check_module(struct findings *f, enum rblk_side which, bool needed,
			 const char *release)
{
	struct rblk_ioc_info info;
	struct rblk_failure fail;

	if (rblk_info(rblk, which, &info, &fail)) {
		if (needed || !rblk_missing(&fail))
			not_loaded(f, which, release, &fail);
		return false;
	}
	info.version[sizeof(info.version) - 1] = '\0';
	if (strcmp(info.version, RBLKCTL_VERSION))
		finding_add(f, FINDING_NOTE, "module",
			    "modprobe -r and modprobe, once nothing uses it",
			    "%s is release %s, rblkctl %s", module_name[which], info.version,
			    RBLKCTL_VERSION);
	else
		finding_add(f, FINDING_OK, "module", NULL, "%s %s is loaded, control ABI %u",
			    module_name[which], info.version, info.abi);
	return true;
}

static void check_memory(struct findings *f)
{
	char path[RBLK_PATH_LEN], line[128];
	unsigned long kb = ULONG_MAX;
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/meminfo", node_root());
	in = fopen(path, "re");
	if (!in)
		return;
	while (kb == ULONG_MAX && fgets(line, sizeof(line), in))
		sscanf(line, "MemAvailable: %lu", &kb);
	fclose(in);
	if (kb == ULONG_MAX)
		return;
	if (kb < LITTLE_KB)
		finding_add(f, FINDING_NOTE, "memory",
			    "free memory; fewer --queues and a smaller --depth need less",
			    "%lu MiB of memory are available: a session takes up to 16",
			    kb / 1024);
	else
		finding_add(f, FINDING_OK, "memory", NULL, "%lu MiB available", kb / 1024);
}

/* What to try when a port is not active. */
static void mend_port(char remedy[128], const struct rdma_port *port)
{
	struct netdev netdev;
	struct rblk_failure fail;

	if (port->infiniband && port->unmanaged)
		snprintf(remedy, 128, "a subnet manager on the fabric, such as opensm");
	else if (port->infiniband)
		snprintf(remedy, 128,
			 "rdma link; its cable, and the switch's port at the other end");
	else if (!port->netdev[0])
		snprintf(remedy, 128, "rdma link; ip link");
	else if (!network_device(port->netdev, &netdev, &fail) && !netdev.up)
		snprintf(remedy, 128, "ip link set %s up", port->netdev);
	else
		snprintf(remedy, 128, "the cable of %s, and the switch's port at the other end",
			 port->netdev);
}

static void tell_port(struct findings *f, enum finding_level level,
		      const struct rdma_port *port)
{
	char remedy[128], on[NAME_ROOM + 8] = "";

	if (port->netdev[0])
		snprintf(on, sizeof(on), " on %s", port->netdev);
	if (port->active) {
		finding_add(f, FINDING_OK, "device", NULL, "%s%s is active", port->device, on);
		return;
	}
	mend_port(remedy, port);
	finding_add(f, level, "link", remedy, "port %u of %s%s is not active",
		    port->port, port->device, on);
}

/*
 * A device on a network device of another namespace is not ours. InfiniBand is not
 * tied to one.
 */
static bool is_ours(const struct rdma_port *port)
{
	return port->netdev[0] || port->infiniband;
}

/* What is not known is not bad: what needs it says whether it works. */
static void check_devices(struct findings *f, struct rdma_port **ports, unsigned int *nr)
{
	unsigned int i, ours = 0, active = 0;
	struct rblk_failure fail;

	if (network_ports(ports, nr, &fail)) {
		finding_add(f, FINDING_NOTE, "device", fail.hint,
			    "%s, so RDMA devices are not checked", fail.text);
		return;
	}
	for (i = 0; i < *nr; i++)
		if (is_ours(&(*ports)[i]))
			(*ports)[ours++] = (*ports)[i];
	*nr = ours;
	for (i = 0; i < ours; i++)
		active += (*ports)[i].active;
	for (i = 0; i < ours; i++)
		tell_port(f, active ? FINDING_NOTE : FINDING_BAD, &(*ports)[i]);
	family_check(f, *ports, ours);
	if (!ours)
		finding_add(f, FINDING_BAD, "device",
			    "the driver of your adapter; without one: rdma link add rxe0 type rxe netdev INTERFACE",
			    "this host has no RDMA device");
}

/* A portal that does not listen, on the target itself. */
static void check_portals(struct findings *f)
{
	struct rblkt_ioc_portal *portals, *portal;
	struct rblk_failure fail;
	char text[RBLK_ADDRESS_TEXT];
	unsigned int nr, i;

	if (rblkt_portals(rblk, &portals, &nr, &fail)) {
		finding_fail(f, "listen", &fail);
		return;
	}
	for (i = 0; i < nr; i++) {
		portal = &portals[i];
		rblk_address_text(text, &portal->addr);
		if (portal->listening)
			finding_add(f, FINDING_OK, "listen", NULL, "portal %s listens", text);
		else
			finding_add(f, FINDING_BAD, "listen",
				    "ip address; rdma link: it listens by itself once both are back",
				    "portal %s does not listen: %s", text,
				    strerror(portal->last_error));
	}
	free(portals);
	if (!nr)
		finding_add(f, FINDING_NOTE, "listen", "rblkctl portal add ADDRESS",
			    "this target has no portal, so nobody can connect");
}

/* The target itself: sent its hosts away? */
static void check_pause(struct findings *f)
{
	struct rblkt_ioc_pause pause;
	struct rblk_failure fail;

	if (rblkt_pause_get(rblk, &pause, &fail))
		finding_fail(f, "pause", &fail);
	else if (pause.ms)
		finding_add(f, FINDING_NOTE, "pause", "rblkctl target resume, once it can serve",
			    "this target is paused by plan for another %u s: hosts hold their I/O",
			    (pause.ms + 999) / 1000);
}

/* What hosts wrote, as it came here. The hosts know whether it was mended. */
static void check_arrivals(struct findings *f)
{
	struct rblk_ioc_session *sessions, *s;
	struct rblk_failure fail;
	unsigned int nr, i;

	if (rblkt_sessions(rblk, &sessions, &nr, &fail)) {
		finding_fail(f, "digest", &fail);
		return;
	}
	for (i = 0; i < nr; i++) {
		s = &sessions[i];
		if (s->counter[RBLK_CNT_DIGEST_ERRORS])
			finding_add(f, FINDING_NOTE, "digest",
				    "rblkctl doctor on that host says whether they were mended, and what to try",
				    "%llu writes of %.*s arrived with another digest than they had there",
				    s->counter[RBLK_CNT_DIGEST_ERRORS], RBLK_NAME_LEN,
				    s->peer_name);
	}
	free(sessions);
}

/* Whether the configuration wants this host to be a target. */
static bool is_target(void)
{
	struct config config;
	struct rblk_failure fail;
	bool wanted;

	if (conf_load(CONFIG_PATH, &config, &fail))
		return false;
	wanted = config.list[ITEM_EXPORT].nr || config.list[ITEM_PORTAL].nr;
	conf_free(&config);
	return wanted;
}

static void examine(struct request *req, struct findings *f)
{
	bool has_target = req->target.host[0], configured, loaded[2];
	struct rdma_port *ports = NULL;
	unsigned int nr = 0;
	char release[128];

	check_kernel(f, release, sizeof(release));
	loaded[RBLK_TARGET] = check_module(f, RBLK_TARGET, !has_target && is_target(), release);
	loaded[RBLK_INITIATOR] = check_module(f, RBLK_INITIATOR,
					      has_target || !loaded[RBLK_TARGET], release);
	check_memory(f);
	configured = has_target && keys_expect(req);
	keys_check(f, loaded, has_target && !request_has(req, OPTION_INSECURE));
	check_devices(f, &ports, &nr);
	if (has_target && findings_count(f, FINDING_BAD))
		finding_add(f, FINDING_SKIPPED, "target", NULL,
			    "%s is not looked at until this is mended", req->target.host);
	else if (has_target)
		path_check(req, f, configured, ports, nr);
	free(ports);
	if (loaded[RBLK_TARGET]) {
		check_portals(f);
		check_pause(f);
		check_arrivals(f);
		keys_check_exports(f);
	}
	if (loaded[RBLK_INITIATOR])
		volumes_check(f);
}

/**
 * doctor_run() - the verb "doctor"
 * @req: the request
 *
 * Return: EXIT_OK when nothing bad was found.
 */
int doctor_run(struct request *req)
{
	struct findings f = { .req = req };
	unsigned int bad;

	examine(req, &f);
	findings_print(&f);
	bad = findings_count(&f, FINDING_BAD);
	findings_free(&f);
	if (interrupt_pending()) {
		fputs("rblkctl: doctor: interrupted, so this is not all\n", stderr);
		return EXIT_FAILED;
	}
	return bad ? EXIT_FAILED : EXIT_OK;
}
