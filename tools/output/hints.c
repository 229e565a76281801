// SPDX-License-Identifier: GPL-2.0-only
/*
 * What to try after a failure: one table, the first line that fits wins. A
 * field that is 0 fits everything. hint_expand() tells what the %X stand for.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "output/failure.h"
#include "rblk_wire.h"

struct hint {
	unsigned long long verbs;
	unsigned int stage;
	unsigned int reason;
	int error;
	const char *text;
};

#define V(verb)		(1ull << VERB_##verb)
#define ROUTES		(V(ROUTE_ADD) | V(ROUTE_REMOVE) | V(ROUTE_LIST))
#define INITIATOR	(V(ATTACH) | V(DETACH) | V(LIST) | V(SHOW) | V(SET) | V(DISCOVER) | \
			 ROUTES)
#define CONNECTS	(V(ATTACH) | V(DISCOVER) | V(DOCTOR))
#define CHANGES_EXPORT	(V(EXPORT_SET) | V(EXPORT_ALLOW) | V(EXPORT_DENY))
#define EXPORTS		(V(EXPORT_ADD) | V(EXPORT_REMOVE) | V(EXPORT_LIST) | V(EXPORT_SHOW) | \
			 V(EXPORT_STAT) | CHANGES_EXPORT)
#define FENCES		(V(HOST_FENCE) | V(HOST_UNFENCE) | V(HOST_LIST))
#define SESSIONS	(V(SESSION_LIST) | V(SESSION_REMOVE) | V(SESSION_STAT))
#define PORTALS		(V(PORTAL_ADD) | V(PORTAL_REMOVE) | V(PORTAL_LIST))

static const char other_portal[] = "another portal of the target, on another RDMA device";
static const char releases[] = "install the same release of rblk on both hosts";

/* The peer refused the connection: enum rblk_wire_reject. */
static const struct hint rejects[] = {
	{ 0, 0, RBLK_REJ_MALFORMED, 0,
	  "is port %P really rblk's? 'rblkctl portal list' on the target" },
	{ 0, 0, RBLK_REJ_VERSION, 0, releases },
	{ V(ATTACH), 0, RBLK_REJ_LIMITS, 0, "leave out --queues and --depth, or lower them" },
	{ 0, 0, RBLK_REJ_LIMITS, 0, releases },
	{ 0, 0, RBLK_REJ_NO_SESSION, 0, "once more: the target forgot the session meanwhile" },
	{ 0, 0, RBLK_REJ_STALE_EPOCH, 0, "once more: a newer connection came first" },
	{ 0, 0, RBLK_REJ_DUPLICATE, 0,
	  "once more in a few seconds: an older connection is still closing" },
	{ 0, 0, RBLK_REJ_NO_RESOURCES, 0,
	  "fewer --queues or a smaller --depth; free memory on the target" },
	{ 0, 0, RBLK_REJ_DEVICE, 0, other_portal },
	{ 0, 0, RBLK_REJ_NO_MR, 0, other_portal },
	{ 0, 0, RBLK_REJ_NO_MR_PAGE, 0, other_portal },
	{ 0, 0, RBLK_REJ_NO_READ, 0, other_portal },
	{ 0, 0, RBLK_REJ_GOING_AWAY, 0, "again later: the target is being stopped" },
	{ 0, 0, RBLK_REJ_HALF_OPEN, 0,
	  "again in a minute; on the target, who does that? dmesg; max_half_open in rblkctl(8)" },
	{ 0, 0, RBLK_REJ_MEMORY, 0,
	  "detach what is not needed, or fewer --queues; max_memory_mb in rblkctl(8)" },
	{ 0, 0, RBLK_REJ_PAUSED, 0,
	  "again when it is over; on the target: rblkctl target show, rblkctl target resume" },
};

/* The peer refused a request: enum rblk_wire_ctl_status. */
static const struct hint refusals[] = {
	{ 0, 0, RBLK_CTL_AGAIN, 0,
	  "again in a few seconds: I/O of the former holder is still ending" },
	{ 0, 0, RBLK_CTL_MALFORMED, 0, releases },
	{ 0, 0, RBLK_CTL_NO_EXPORT, 0, "rblkctl discover %A" },
	{ 0, 0, RBLK_CTL_DENIED, 0,
	  "on the target: rblkctl export allow %E %H" },
	{ 0, 0, RBLK_CTL_BUSY, 0,
	  "detach it there; or --shared everywhere, for cluster file systems and multipath" },
	{ 0, 0, RBLK_CTL_NOT_SHARED, 0,
	  "--shared at every attach and at 'rblkctl export add' or 'set', or at none" },
	{ 0, 0, RBLK_CTL_READ_ONLY, 0, "attach it with --read-only" },
	{ 0, 0, RBLK_CTL_NO_RESOURCES, 0,
	  "detach what is not needed; free memory on the target" },
	{ 0, 0, RBLK_CTL_AUTH, 0,
	  "--target-key KEY in place of --insecure; the PSK is on both, or on neither" },
	{ 0, 0, RBLK_CTL_AUTH_CONTINUE, 0, releases },
	{ 0, 0, RBLK_CTL_BAD_KEY, 0, "once more: the session changed meanwhile" },
	{ 0, 0, RBLK_CTL_NO_VOLUME, 0, "rblkctl list" },
	{ 0, 0, RBLK_CTL_ATTACHED, 0, "rblkctl list shows it" },
	{ 0, 0, RBLK_CTL_WRONG_UUID, 0,
	  "rblkctl discover %A shows its UUID now: is it still the same data?" },
	{ 0, 0, RBLK_CTL_GOING_AWAY, 0, "again later: the target is being stopped" },
	{ 0, 0, RBLK_CTL_FENCED, 0, "detach and attach it anew, once nothing uses it" },
	{ 0, 0, RBLK_CTL_SESSIONS, 0,
	  "detach what is not needed; max_host_sessions in rblkctl(8)" },
	{ 0, 0, RBLK_CTL_MEMORY, 0,
	  "detach what is not needed, or fewer --queues; max_memory_mb in rblkctl(8)" },
	{ 0, 0, RBLK_CTL_OTHER_HOST, 0,
	  "on the target: rblkctl session list; a copied machine needs its own /etc/machine-id" },
	{ 0, 0, RBLK_CTL_NOT_KEPT, 0,
	  "on the target: df /var/lib/rblk; its kernel log has the error" },
	{ 0, 0, RBLK_CTL_NOTHING, 0,
	  "on the target: rblkctl export allow %E %H" },
	{ 0, 0, RBLK_CTL_KEY_UNKNOWN, 0,
	  "on the target: rblkctl export allow %E %H" },
	{ 0, 0, RBLK_CTL_CONFLICT, 0,
	  "rblkctl reservation %V; on the target: rblkctl reservation %E" },
	{ 0, 0, RBLK_CTL_WRONG_TYPE, 0,
	  "rblkctl reservation %V shows the type that there is" },
	{ 0, 0, RBLK_CTL_NO_KEY, 0,
	  "on the target: rblkctl key, which makes one; rblkctl key load" },
};

static const struct hint general[] = {
	{ 0, 0, 0, EINTR, NULL },

	{ CONNECTS, RBLK_STAGE_RESOLVE, 0, EADDRNOTAVAIL,
	  "ip address: --source must be an address of this host" },
	{ CONNECTS, RBLK_STAGE_RESOLVE, 0, 0, "ip route get %T; ping %T" },
	{ CONNECTS, RBLK_STAGE_ROUTE, 0, 0, "ip route get %T; rdma link" },
	{ PORTALS, RBLK_STAGE_DEVICE, 0, 0, "the address of another RDMA device; rdma link" },
	{ CONNECTS, RBLK_STAGE_DEVICE, 0, ENOMEM, "fewer --queues or a smaller --depth" },
	{ CONNECTS, RBLK_STAGE_DEVICE, 0, ENODEV,
	  "rdma link; soft RoCE: rdma link add rxe0 type rxe netdev INTERFACE" },
	{ CONNECTS, RBLK_STAGE_DEVICE, 0, 0,
	  "rdma link: is there another device on the way to %T?" },
	{ V(ATTACH), 0, 0, EOPNOTSUPP,
	  "leave out --digest; or install a release of rblk that has digests on the target" },
	{ CONNECTS, RBLK_STAGE_CONNECT, 0, ECONNREFUSED,
	  "on the target: rblkctl portal list; does it have port %P?" },
	{ CONNECTS, RBLK_STAGE_CONNECT, 0, ETIMEDOUT,
	  "ping %T; is UDP port 4791 (RoCE) or TCP port %P (iWARP) open in its firewall?" },
	{ CONNECTS, RBLK_STAGE_CONNECT, 0, EPROTO,
	  "is port %P really rblk's? 'rblkctl portal list' on the target" },
	{ CONNECTS, RBLK_STAGE_CONNECT, 0, 0, "on the target: rdma link; rblkctl portal list" },
	{ CONNECTS, RBLK_STAGE_LOGIN, 0, EKEYREJECTED,
	  "'rblkctl key' on the target prints its key: if it has a new one, pin that" },
	{ CONNECTS, RBLK_STAGE_LOGIN, 0, ENOKEY, "rblkctl key load" },
	{ CONNECTS, RBLK_STAGE_LOGIN, 0, 0,
	  "on the target: rblkctl session list; is it overloaded?" },
	{ CONNECTS, RBLK_STAGE_QUEUES, 0, 0, "fewer --queues" },
	{ CONNECTS, RBLK_STAGE_ATTACH, 0, ETIMEDOUT,
	  "on the target: rblkctl export show %E; does its device answer?" },
	{ V(ATTACH), RBLK_STAGE_ATTACH, 0, EEXIST, "rblkctl list shows it" },
	{ CONNECTS, RBLK_STAGE_ATTACH, 0, 0, "rblkctl discover %A" },

	{ V(ATTACH), RBLK_STAGE_ARGUMENTS, 0, EEXIST,
	  "rblkctl list shows the devices in use; without --index the first free one is taken" },
	{ V(ATTACH), RBLK_STAGE_ARGUMENTS, 0, EINVAL,
	  "leave out what is not needed of the options, such as --queues and --poll-queues" },
	{ V(ATTACH), RBLK_STAGE_DISK, 0, 0, "rblkctl list; free memory, or another --index" },
	{ V(DETACH), RBLK_STAGE_BUSY, 0, 0,
	  "unmount or close it first; --force detaches it nevertheless, and its I/O fails" },
	{ V(DETACH), RBLK_STAGE_DETACH, 0, 0, "rblkctl detach %V --force" },
	{ V(ROUTE_REMOVE), RBLK_STAGE_LOOKUP, 0, ENOENT, "rblkctl route list" },
	{ V(ROUTE_REMOVE), RBLK_STAGE_BUSY, 0, EBUSY,
	  "rblkctl route list: another route must be live; rblkctl detach %V removes the device" },
	{ V(ROUTE_ADD), RBLK_STAGE_ARGUMENTS, 0, EEXIST, "rblkctl route list" },
	{ V(ROUTE_ADD), RBLK_STAGE_ARGUMENTS, 0, ENOSPC, "rblkctl route remove %V TARGET" },
	{ V(ROUTE_ADD), RBLK_STAGE_ATTACH, 0, ESTALE,
	  "an address of the same target: rblkctl discover %T" },
	{ V(SET), RBLK_STAGE_ARGUMENTS, 0, EINVAL,
	  "detach %V, and attach it with --target-key KEY" },
	{ V(RESERVATION), 0, 0, ENOENT,
	  "rblkctl list; on a target: rblkctl export list, rblkctl reservation NAME" },
	{ V(RESERVATION), 0, 0, EEXIST, "rblkctl reservation %E: the new key is registered, too" },
	{ V(RESERVATION), 0, 0, ENOTCONN, "rblkctl show %V says what it waits for" },
	{ V(RESERVATION), 0, 0, EOPNOTSUPP,
	  "install a release of rblk that has reservations on the target" },
	{ V(RESERVATION), RBLK_STAGE_LOOKUP, 0, ETIMEDOUT,
	  "rblkctl show %V; on the target: rblkctl session list" },
	{ V(RESERVATION), RBLK_STAGE_LOOKUP, 0, ESTALE, "rblkctl list; it was detached meanwhile" },
	{ INITIATOR, 0, 0, ENOENT, "rblkctl list" },
	{ INITIATOR, 0, 0, ENODEV, "rblkctl list" },
	{ INITIATOR, RBLK_STAGE_LOOKUP, 0, ESTALE, "rblkctl list; it was detached meanwhile" },

	{ V(EXPORT_ADD), RBLK_STAGE_BACKING, 0, ENOENT, "ls -l %B; lsblk" },
	{ V(EXPORT_ADD), RBLK_STAGE_BACKING, 0, ENOTBLK,
	  "for a file: rblkctl export add %E --file %B" },
	{ V(EXPORT_ADD), RBLK_STAGE_BACKING, 0, EBUSY,
	  "lsblk %B; it must be neither mounted nor used by md, LVM or another export" },
	{ V(EXPORT_ADD), RBLK_STAGE_BACKING, 0, EROFS, "export it with --read-only" },
	{ V(EXPORT_ADD), RBLK_STAGE_BACKING, 0, EACCES, "export it with --read-only" },
	{ V(EXPORT_ADD), RBLK_STAGE_BACKING, 0, EOPNOTSUPP,
	  "dm-zoned on top of it, and export that; or a file on it (btrfs, f2fs), by --file" },
	{ V(EXPORT_ADD), RBLK_STAGE_BACKING, 0, EUCLEAN,
	  "--forget, if no host has held writes back since this target stopped" },
	{ V(EXPORT_ADD), RBLK_STAGE_BACKING, 0, 0, "lsblk %B" },
	{ V(EXPORT_ADD), RBLK_STAGE_BUSY, 0, EBUSY,
	  "again, once the disk answers (journalctl -k); if this is another disk: without --uuid" },
	{ V(EXPORT_ADD), 0, 0, EEXIST,
	  "rblkctl export list shows names and UUIDs in use; rblkctl export set changes one" },
	{ V(EXPORT_REMOVE), RBLK_STAGE_BACKING, 0, EBUSY,
	  "again, once the disk answers (journalctl -k); --force removes it nevertheless" },
	{ V(EXPORT_REMOVE), RBLK_STAGE_BUSY, 0, 0,
	  "detach it there first; --force removes it nevertheless, and their I/O fails" },
	{ CHANGES_EXPORT, RBLK_STAGE_BUSY, 0, 0,
	  "detach it there first; --force takes it from them nevertheless, and their I/O fails" },
	{ V(EXPORT_SET), RBLK_STAGE_BACKING, 0, EROFS, "lsblk; it can't be written itself" },
	{ V(EXPORT_SET), RBLK_STAGE_BACKING, 0, EACCES, "lsblk; it can't be written itself" },
	{ V(EXPORT_SET), RBLK_STAGE_BACKING, 0, 0,
	  "rblkctl export show %E; remove it, and add it anew" },
	{ V(EXPORT_SET), 0, 0, EEXIST, "rblkctl export list shows the names in use" },
	{ V(EXPORT_ALLOW), 0, 0, EINVAL,
	  "for a list instead: rblkctl export set %E --allow KEY" },
	{ V(EXPORT_ALLOW), 0, 0, ENOSPC,
	  "rblkctl export show %E; rblkctl export deny %E KEY" },
	{ V(EXPORT_DENY), 0, 0, EINVAL,
	  "for a list instead: rblkctl export set %E --allow KEY" },
	{ V(EXPORT_DENY), RBLK_STAGE_LOOKUP, 0, ENOENT,
	  "rblkctl export show %E; rblkctl export list" },
	{ EXPORTS, 0, 0, ENOENT, "rblkctl export list" },

	{ V(PORTAL_ADD), RBLK_STAGE_LISTEN, 0, EADDRINUSE, "rblkctl portal list; another port" },
	{ V(PORTAL_ADD), RBLK_STAGE_LISTEN, 0, EADDRNOTAVAIL,
	  "ip address; rblkctl portal list: does 0.0.0.0 or [::] have that port already?" },
	{ V(PORTAL_ADD), RBLK_STAGE_LISTEN, 0, ENODEV,
	  "rdma link: the interface with that address needs an RDMA device" },
	{ V(PORTAL_ADD), 0, 0, EEXIST, "rblkctl portal list" },
	{ V(PORTAL_ADD), RBLK_STAGE_LISTEN, 0, 0, "ip address; rdma link" },
	{ V(PORTAL_REMOVE), RBLK_STAGE_BUSY, 0, 0,
	  "detach there first; --force ends those sessions" },
	{ PORTALS, 0, 0, ENOENT, "rblkctl portal list" },
	{ V(TARGET_PAUSE), RBLK_STAGE_BACKING, 0, 0,
	  "rblkctl export show NAME; does its device answer? The hosts hold their I/O meanwhile" },
	{ V(SESSION_REMOVE), RBLK_STAGE_BUSY, 0, 0,
	  "is that host dead? Then --force; one that is alive comes back at once" },
	{ SESSIONS, 0, 0, ENOENT, "rblkctl session list" },
	{ FENCES, RBLK_STAGE_LOOKUP, 0, ENOENT,
	  "rblkctl host list; rblkctl key, on that host, prints its key" },
	{ FENCES, RBLK_STAGE_BACKING, 0, ENOENT, "mkdir -m 700 /var/lib/rblk" },
	{ FENCES, RBLK_STAGE_BACKING, 0, ENOSPC,
	  "df /var/lib/rblk; rblkctl host list, and unfence those that are gone" },
	{ FENCES, RBLK_STAGE_BACKING, 0, 0, "df /var/lib/rblk; dmesg" },

	{ 0, 0, 0, EPERM, "sudo rblkctl, or as root" },
	{ 0, 0, 0, EACCES, "sudo rblkctl, or as root" },
	{ 0, 0, 0, ENOMEM, "free memory, or detach what is not needed" },
	{ 0, 0, 0, ENOTTY, releases },
	{ 0, RBLK_STAGE_ARGUMENTS, 0, 0, "see 'rblkctl --help'" },
};

static const char *search(const struct hint *table, size_t nr, const struct request *req,
			  const struct rblk_failure *fail)
{
	const struct hint *h;

	for (h = table; h < table + nr; h++)
		if ((!h->verbs || (h->verbs & (1ull << req->verb))) &&
		    (!h->stage || h->stage == fail->stage) &&
		    (!h->reason || h->reason == fail->reason) &&
		    (!h->error || h->error == fail->error))
			return h->text;
	return NULL;
}

/**
 * hint_find() - what to try
 * @req: what was to be done
 * @fail: why it was not
 *
 * Return: a text for hint_expand(), or NULL.
 */
const char *hint_find(const struct request *req, const struct rblk_failure *fail)
{
	const char *text = NULL;

	if (fail->reason && fail->stage == RBLK_STAGE_CONNECT)
		text = search(rejects, ARRAY_SIZE(rejects), req, fail);
	else if (fail->reason)
		text = search(refusals, ARRAY_SIZE(refusals), req, fail);
	return text ? text : search(general, ARRAY_SIZE(general), req, fail);
}

#define HOST_WORD	(HOST_TEXT + sizeof(" --insecure"))

/* Its key, or a UUID, which not every export takes. */
static void host_word(char to[HOST_WORD], const struct request *req)
{
	if (request_has(req, OPTION_INSECURE) || key_is_none(req->own_key)) {
		uuid_text(to, req->host_uuid);
		strcat(to, " --insecure");
	} else {
		key_text(to, req->own_key);
	}
}

/**
 * hint_expand() - fill in a hint
 * @to: the result
 * @room: bytes at @to
 * @hint: %T becomes the target's host, %P its port, %A both, %E the export,
 *        %B the backing device, %V the volume as given, %H what the target knows
 *        this host by and %% a %; before anything else % stands for itself
 * @req: where they come from
 */
void hint_expand(char *to, size_t room, const char *hint, const struct request *req)
{
	char address[ENDPOINT_TEXT], port[8], host[HOST_WORD];
	const struct {
		char letter;
		const char *word;
	} words[] = {
		{ 'T', req->target.host }, { 'P', port }, { 'A', address },
		{ 'E', req->export[0] ? req->export : "NAME" }, { 'B', req->backing },
		{ 'V', req->volume.text }, { 'H', host }, { '%', "%" },
	};
	size_t used = 0, i;

	endpoint_text(address, &req->target);
	snprintf(port, sizeof(port), "%u", req->target.port);
	host_word(host, req);
	to[0] = '\0';
	for (; *hint && used < room - 1; hint++) {
		if (hint[0] != '%' || !hint[1]) {
			to[used++] = *hint;
			to[used] = '\0';
			continue;
		}
		for (i = 0; i < ARRAY_SIZE(words) && words[i].letter != hint[1]; i++)
			;
		if (i < ARRAY_SIZE(words))
			hint++;
		used += snprintf(to + used, room - used, "%s",
				 i < ARRAY_SIZE(words) ? words[i].word : "%");
	}
}
