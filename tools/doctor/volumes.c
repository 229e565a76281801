// SPDX-License-Identifier: GPL-2.0-only
/* The volumes of this host: their states, their routes, and what multipath makes of them. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "doctor/keys.h"
#include "doctor/volumes.h"
#include "lib/node.h"
#include "lib/volumes.h"
#include "rblk_wire.h"
#include "system/change.h"

#define PATH_SECONDS	5	/* that a path of multipath may well hold its I/O */
#define NAME_TEXT	(RBLK_PATH_LEN + RBLK_NAME_LEN + 32)

static void name_volume(char name[NAME_TEXT], const struct rblk_ioc_volume *volume)
{
	snprintf(name, NAME_TEXT, "rblk%d (%.*s/%.*s)", volume->index, RBLK_PATH_LEN,
		 volume->target_text, RBLK_NAME_LEN, volume->export_name);
}

/* A volume that is not live. */
static void tell_volume(struct findings *f, const struct rblk_ioc_volume *volume)
{
	char name[NAME_TEXT];

	name_volume(name, volume);
	if (volume->paused_ms)
		finding_add(f, FINDING_NOTE, "volume",
			    "nothing, it goes on by itself; on the target: rblkctl target show",
			    "%s waits by plan: its target has paused, for another %u s at most",
			    name, (volume->paused_ms + 999) / 1000);
	else
		finding_add(f, FINDING_BAD, "volume",
			    "rblkctl doctor and the name of its target",
			    "%s is %s for %u s: %.*s", name, rblk_volume_state_text(volume->state),
			    volume->down_seconds, RBLK_ERROR_LEN, volume->reason);
}

/* Is a device-mapper map on it that says it is of multipath, whatever its name? */
static bool is_path(int index)
{
	char full[2 * RBLK_PATH_LEN], file[RBLK_PATH_LEN], uuid[128];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(full, sizeof(full), "%s/sys/block/rblk%d/holders", node_root(), index);
	dir = opendir(full);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), "/sys/block/rblk%d/holders/%.32s/dm/uuid", index,
			 entry->d_name);
		found = doctor_line(file, uuid, sizeof(uuid)) && !strncmp(uuid, "mpath-", 6);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Multipath has to get back what it is to send again by another path. */
static void check_path(struct findings *f, const struct rblk_ioc_volume *volume)
{
	char name[NAME_TEXT], remedy[64];

	if (volume->queue_timeout != RBLK_QUEUE_TIMEOUT_FOREVER || !is_path(volume->index))
		return;
	name_volume(name, volume);
	snprintf(remedy, sizeof(remedy), "rblkctl set rblk%d --queue-timeout %u", volume->index,
		 PATH_SECONDS);
	finding_add(f, FINDING_BAD, "paths", remedy,
		    "%s, a path of multipath, holds its I/O for ever when it is lost, and multipath never sends it by another",
		    name);
}

/* What is lost with one cable, or one adapter. */
static bool share_device(const struct rblk_ioc_route *routes, unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (memcmp(routes[i].session.device, routes[0].session.device,
			   sizeof(routes[0].session.device)))
			return false;
	return routes[0].session.device[0];
}

static void tell_route(struct findings *f, const struct rblk_ioc_volume *volume,
		       const struct rblk_ioc_route *route)
{
	char name[NAME_TEXT], remedy[RBLK_PATH_LEN + 32];

	name_volume(name, volume);
	snprintf(remedy, sizeof(remedy), "rblkctl doctor %.*s", RBLK_PATH_LEN,
		 route->target_text);
	finding_add(f, FINDING_BAD, "routes", remedy,
		    "%s has %u of %u routes: the one by %.*s is %s for %u s: %.*s", name,
		    volume->live_routes, volume->routes, RBLK_PATH_LEN, route->target_text,
		    rblk_volume_state_text(route->state), route->down_seconds, RBLK_ERROR_LEN,
		    route->reason[0] ? route->reason : "it was never live");
}

/* Of a volume that is live: of another one, that is said already. */
static void check_routes(struct findings *f, const struct rblk_ioc_volume *volume)
{
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	struct rblk_failure fail;
	char name[NAME_TEXT];
	unsigned int nr, i, down = 0;

	/* One that is gone meanwhile has none. */
	if (volume->routes < 2 || rblk_routes(rblk, volume->index, routes, &nr, &fail))
		return;
	for (i = 0; i < nr; i++) {
		if (routes[i].state == RBLK_VOL_LIVE)
			continue;
		tell_route(f, volume, &routes[i]);
		down++;
	}
	name_volume(name, volume);
	if (share_device(routes, nr))
		finding_add(f, FINDING_NOTE, "routes",
			    "an address of the target that another RDMA device reaches",
			    "all %u routes of %s use %.*s, and are lost with it", nr, name,
			    RBLK_NAME_LEN, routes[0].session.device);
	else if (!down)
		finding_add(f, FINDING_OK, "routes", NULL, "%s has %u, and all are live", name,
			    nr);
}

/* What the network did to the data, or the programs that wrote it. */
static void check_digest(struct findings *f, const struct rblk_ioc_volume *volume)
{
	char name[NAME_TEXT];

	name_volume(name, volume);
	if (volume->digest_failed)
		finding_add(f, FINDING_BAD, "digest",
			    "the kernel's log says where; test memory, adapter, cable and switch of both sides, one after the other",
			    "%s: the data of %llu reads and writes arrived wrong twice, and they failed; %llu more were mended",
			    name, volume->digest_failed, volume->digest_mended);
	else if (volume->digest_mended)
		finding_add(f, FINDING_NOTE, "digest",
			    "does a program change its buffers while O_DIRECT writes them? If none does: memory, adapter, cable and switch",
			    "%s: the data of %llu reads and writes arrived wrong, and right when it was moved once more",
			    name, volume->digest_mended);
	else if (volume->flags & RBLK_EXPF_DIGEST)
		finding_add(f, FINDING_OK, "digest", NULL,
			    "%s: all data has arrived as it was sent", name);
}

/**
 * volumes_check() - look at all volumes of this host
 * @f: what was found
 */
void volumes_check(struct findings *f)
{
	struct rblk_ioc_show show;
	struct rblk_failure fail;
	char name[NAME_TEXT];
	int at = 0;

	while (rblk_volume_next(rblk, at, &show, NULL, &fail) > 0) {
		at = volume_after(&show);
		if (show.volume.state != RBLK_VOL_LIVE)
			tell_volume(f, &show.volume);
		else
			check_routes(f, &show.volume);
		check_path(f, &show.volume);
		check_digest(f, &show.volume);
		name_volume(name, &show.volume);
		keys_check_volume(f, &show, name);
	}
}
