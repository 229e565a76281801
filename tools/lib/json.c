// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "lib/address.h"
#include "lib/json.h"
#include "lib/latency.h"
#include "lib/loop.h"
#include "lib/protection.h"
#include "rblk_wire.h"

static void append(struct json_object *array, struct json_object *value)
{
	if (!array || json_object_array_add(array, value))
		json_object_put(value);
}

/**
 * failure_json() - a failure
 * @what: what was to be done, or NULL
 * @fail: why it was not
 * @hint: what to try
 *
 * Return: a new object.
 */
struct json_object *failure_json(const char *what, const struct rblk_failure *fail,
				 const char *hint)
{
	struct json_object *obj = json_object_new_object();

	if (what)
		put_text(obj, "what", what);
	put_text(obj, "why", fail->text);
	put_text(obj, "stage", rblk_stage_text(fail->stage));
	put_number(obj, "errno", fail->error);
	put_number(obj, "reason", fail->reason);
	if (fail->at[0])
		put_text(obj, "address", fail->at);
	if (hint[0])
		put_text(obj, "try", hint);
	return obj;
}

/**
 * rblk_failure_json() - a failure
 * @fail: why something was not done
 *
 * Return: a new object.
 */
struct json_object *rblk_failure_json(const struct rblk_failure *fail)
{
	return failure_json(NULL, fail, fail->hint);
}

/**
 * rblk_info_json() - what a module is, and whether it can be used
 * @info: from rblk_info()
 * @fail: why it failed, if it did
 *
 * Return: a new object.
 */
struct json_object *rblk_info_json(const struct rblk_ioc_info *info,
				   const struct rblk_failure *fail)
{
	struct json_object *obj = json_object_new_object();

	put_bool(obj, "usable", info->abi == RBLK_ABI);
	if (!info->abi) {
		put_text(obj, "why", fail->text);
		if (info->version[0])
			put_chars(obj, "version", info->version, sizeof(info->version));
		return obj;
	}
	put_chars(obj, "version", info->version, sizeof(info->version));
	put_number(obj, "abi", info->abi);
	put_number(obj, "wire_min", info->wire_min);
	put_number(obj, "wire_max", info->wire_max);
	return obj;
}

/**
 * rblk_host_json() - who a host is
 * @host: the host
 * @origin: where its UUID comes from
 *
 * Return: a new object.
 */
struct json_object *rblk_host_json(const struct rblk_host *host, const char *origin)
{
	struct json_object *obj = json_object_new_object();

	put_uuid(obj, "uuid", host->uuid);
	put_chars(obj, "name", host->name, sizeof(host->name));
	put_text(obj, "origin", origin);
	return obj;
}

/**
 * rblk_attach_json() - what has been attached
 * @attach: from rblk_attach()
 *
 * Return: a new object.
 */
struct json_object *rblk_attach_json(const struct rblk_ioc_attach *attach)
{
	struct json_object *obj = json_object_new_object();
	char link[LINK_TEXT];

	link_text(link, attach->target_text, attach->export_name);
	put_device(obj, attach->index);
	put_text(obj, "link", link);
	put_number(obj, "index", attach->index);
	put_chars(obj, "target", attach->target_text, sizeof(attach->target_text));
	put_chars(obj, "export", attach->export_name, sizeof(attach->export_name));
	put_uuid(obj, "uuid", attach->uuid);
	put_size(obj, "capacity", attach->capacity);
	put_key(obj, "target_key", attach->peer_key);
	put_bool(obj, "digest", attach->flags & RBLK_ATTACH_DIGEST);
	return obj;
}

/**
 * volume_access() - what may be done with a volume
 * @volume: the volume
 *
 * Return: a word.
 */
const char *volume_access(const struct rblk_ioc_volume *volume)
{
	return access_text((volume->access & RBLK_ATTACH_READ_ONLY) ||
			   (volume->flags & RBLK_EXPF_READ_ONLY),
			   volume->access & RBLK_ATTACH_SHARED);
}

/* What sysfs does not have must not look as if it were 0. */
static void json_forget(struct json_object *obj, const char * const *keys, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		put_object(obj, keys[i], NULL);
}

/**
 * rblk_volume_json() - a volume
 * @volume: the volume
 * @partial: from rblk_volume_next(): what sysfs does not have is null
 *
 * Return: a new object.
 */
struct json_object *rblk_volume_json(const struct rblk_ioc_volume *volume, bool partial)
{
	static const char * const unknown[] = {
		"access", "down_seconds", "paused_ms", "routes", "live_routes", "openers",
		"inflight", "read_only", "write_cache", "fua", "rotational", "stable_writes"
	};
	struct json_object *obj = json_object_new_object();
	char link[LINK_TEXT];

	volume_link(link, volume);
	put_device(obj, volume->index);
	put_text(obj, "link", link);
	put_number(obj, "index", volume->index);
	put_chars(obj, "target", volume->target_text, sizeof(volume->target_text));
	put_chars(obj, "export", volume->export_name, sizeof(volume->export_name));
	put_uuid(obj, "uuid", volume->uuid);
	put_size(obj, "capacity", volume->capacity);
	put_number(obj, "logical_block", volume->logical_block);
	put_number(obj, "physical_block", volume->physical_block);
	put_text(obj, "access", volume_access(volume));
	put_text(obj, "state", rblk_volume_state_text(volume->state));
	put_chars(obj, "reason", volume->reason, sizeof(volume->reason));
	put_number(obj, "down_seconds", volume->down_seconds);
	put_number(obj, "paused_ms", volume->paused_ms);
	put_number(obj, "routes", volume->routes);
	put_number(obj, "live_routes", volume->live_routes);
	put_number(obj, "queue_timeout", volume->queue_timeout);
	put_number(obj, "openers", volume->openers);
	put_number(obj, "inflight", volume->inflight);
	put_bool(obj, "read_only", volume->flags & RBLK_EXPF_READ_ONLY);
	put_bool(obj, "write_cache", volume->flags & RBLK_EXPF_WRITE_CACHE);
	put_bool(obj, "fua", volume->flags & RBLK_EXPF_FUA);
	put_bool(obj, "rotational", volume->flags & RBLK_EXPF_ROTATIONAL);
	put_bool(obj, "stable_writes", volume->flags & RBLK_EXPF_STABLE_WRITES);
	put_bool(obj, "digest", volume->flags & RBLK_EXPF_DIGEST);
	put_size(obj, "digest_mended", volume->digest_mended);
	put_size(obj, "digest_failed", volume->digest_failed);
	if (partial)
		json_forget(obj, unknown, ARRAY_SIZE(unknown));
	return obj;
}

/**
 * event_json() - what happened to a volume
 * @when: in words
 * @what: in a word
 * @volume: the volume
 * @state: the state that it went into
 * @reason: why
 *
 * Return: a new object.
 */
struct json_object *event_json(const char *when, const char *what,
			       const struct rblk_ioc_volume *volume, const char *state,
			       const char *reason)
{
	struct json_object *obj = json_object_new_object();

	put_text(obj, "time", when);
	put_text(obj, "event", what);
	put_device(obj, volume->index);
	put_chars(obj, "target", volume->target_text, sizeof(volume->target_text));
	put_chars(obj, "export", volume->export_name, sizeof(volume->export_name));
	put_uuid(obj, "uuid", volume->uuid);
	put_size(obj, "capacity", volume->capacity);
	put_text(obj, "state", state);
	put_chars(obj, "reason", reason, RBLK_ERROR_LEN);
	return obj;
}

static struct json_object *features_json(unsigned int bits)
{
	struct json_object *array = json_object_new_array();
	const char *name;
	size_t i = 0;

	while ((name = feature_text(bits, &i)))
		append(array, json_object_new_string(name));
	return array;
}

/**
 * rblk_session_json() - a session
 * @session: the session
 * @side: which module told of it
 * @partial: from rblk_volume_next(): what sysfs does not have is null
 *
 * Return: a new object.
 */
struct json_object *rblk_session_json(const struct rblk_ioc_session *session,
				      enum rblk_side side, bool partial)
{
	static const char * const unknown[] = {
		"target", "local", "device", "max_io", "inline_write", "features", "volumes",
		"silence_ms"
	};
	struct json_object *obj = json_object_new_object();
	struct json_object *other = json_object_new_object();
	struct json_object *counters = json_object_new_object();
	int i;

	put_uuid(obj, "uuid", session->uuid);
	put_uuid(other, "uuid", session->peer_uuid);
	put_chars(other, "name", session->peer_name, sizeof(session->peer_name));
	put_addr(other, "address", &session->peer);
	put_key(other, "key", session->peer_key);
	put_object(obj, side == RBLK_INITIATOR ? "target" : "host", other);
	put_addr(obj, "local", &session->local);
	put_chars(obj, "device", session->device, sizeof(session->device));
	put_text(obj, "state", rblk_session_state_text(session->state));
	put_number(obj, "epoch", session->epoch);
	put_number(obj, "queues", session->queues);
	/* A target does not know which ones a host polls. */
	if (side == RBLK_INITIATOR)
		put_number(obj, "poll_queues", session->poll_queues);
	put_number(obj, "depth", session->depth);
	put_number(obj, "max_io", session->max_io);
	put_number(obj, "inline_read", session->inline_read);
	put_number(obj, "inline_write", session->inline_write);
	put_object(obj, "features", features_json(session->features));
	put_number(obj, "volumes", session->volumes);
	put_number(obj, "silence_ms", session->silence_ms);
	for (i = 0; i < RBLK_CNT_NR; i++)
		put_size(counters, rblk_counter_text(i), session->counter[i]);
	put_object(obj, "counters", counters);
	if (partial)
		json_forget(obj, unknown, ARRAY_SIZE(unknown));
	return obj;
}

/**
 * rblk_offer_json() - what a target offers
 * @offer: an export of it
 *
 * Return: a new object.
 */
struct json_object *rblk_offer_json(const struct rblk_ioc_offer *offer)
{
	struct json_object *obj = json_object_new_object();

	put_chars(obj, "name", offer->name, sizeof(offer->name));
	put_uuid(obj, "uuid", offer->uuid);
	put_size(obj, "capacity", offer->capacity);
	put_number(obj, "block_size", offer->block_size);
	put_bool(obj, "read_only", offer->flags & RBLK_EXPF_READ_ONLY);
	put_bool(obj, "shared", offer->flags & RBLK_EXPF_SHARED);
	put_bool(obj, "in_use", offer->flags & RBLK_EXPF_IN_USE);
	return obj;
}

static struct json_object *histogram_json(const struct rblk_ioc_histogram *h)
{
	struct json_object *obj = json_object_new_object();

	put_size(obj, "count", histogram_count(h));
	put_decimal(obj, "mean_us", histogram_mean(h) / 1000);
	put_decimal(obj, "p50_us", histogram_percentile(h, PERCENTILE_50) / 1000);
	put_decimal(obj, "p99_us", histogram_percentile(h, PERCENTILE_99) / 1000);
	put_decimal(obj, "p999_us", histogram_percentile(h, PERCENTILE_999) / 1000);
	return obj;
}

/**
 * rblk_latency_json() - operations of one kind
 * @during: those between two looks
 * @seconds: how long that was
 * @total: all
 *
 * Return: a new object.
 */
struct json_object *rblk_latency_json(const struct rblk_ioc_latency *during, double seconds,
				      const struct rblk_ioc_latency *total)
{
	const struct rblk_ioc_histogram *h = &during->part[RBLK_LATENCY_TOTAL];
	struct json_object *obj = json_object_new_object(), *parts;
	int part;

	put_decimal(obj, "per_second", histogram_count(h) / seconds);
	put_decimal(obj, "bytes_per_second", during->bytes / seconds);
	put_decimal(obj, "mean_ms", histogram_mean(h) / 1e6);
	put_size(obj, "failed", during->failed);
	parts = json_object_new_object();
	for (part = 0; part < RBLK_LATENCY_PARTS; part++)
		if (histogram_count(&during->part[part]))
			put_object(parts, latency_part_name[part],
				   histogram_json(&during->part[part]));
	put_object(obj, "latency", parts);
	h = &total->part[RBLK_LATENCY_TOTAL];
	put_size(obj, "total", histogram_count(h));
	put_size(obj, "total_bytes", total->bytes);
	put_size(obj, "total_ms", h->sum / 1000000);
	put_size(obj, "total_failed", total->failed);
	return obj;
}

/**
 * export_access() - what hosts may do with an export
 * @export: the export
 *
 * Return: a word.
 */
const char *export_access(const struct rblkt_ioc_export_show *export)
{
	return access_text(export->export_flags & RBLKT_EXPORT_READ_ONLY,
			   export->export_flags & RBLKT_EXPORT_SHARED);
}

/**
 * user_access() - what a host may do with an export that it has attached
 * @user: the host
 *
 * Return: a word.
 */
const char *user_access(const struct rblkt_ioc_user *user)
{
	return access_text(!(user->access & RBLK_ACCESS_WRITE),
			   user->access & RBLK_ACCESS_SHARED);
}

/**
 * export_backing() - what is behind an export
 * @export: the export
 * @path: the file, or the device if there is none
 *
 * Return: whether it is a file.
 */
bool export_backing(const struct rblkt_ioc_export_show *export, char path[RBLK_PATH_LEN])
{
	text_copy(path, RBLK_PATH_LEN, export->path,
		  strnlen(export->path, sizeof(export->path)));
	return loop_file(path, path);
}

static struct json_object *hosts_json(const struct rblk_ioc_host *hosts, unsigned int nr)
{
	struct json_object *array = json_object_new_array();
	char text[HOST_TEXT];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		host_text(text, &hosts[i]);
		append(array, json_object_new_string(text));
	}
	return array;
}

static struct json_object *users_json(const struct rblkt_ioc_user *users, unsigned int nr)
{
	struct json_object *array = json_object_new_array(), *obj;
	const struct rblkt_ioc_user *user;

	for (user = users; user < users + nr; user++) {
		obj = json_object_new_object();
		put_uuid(obj, "host", user->host);
		put_key(obj, "key", user->key);
		put_chars(obj, "name", user->name, sizeof(user->name));
		put_uuid(obj, "session", user->session);
		put_addr(obj, "address", &user->peer);
		put_text(obj, "access", user_access(user));
		put_bool(obj, "draining", user->draining);
		put_number(obj, "inflight", user->inflight);
		append(array, obj);
	}
	return array;
}

/**
 * rblkt_export_json() - an export
 * @show: the export
 * @hosts: those who may attach it, or NULL to leave them out
 * @users: those who do, or NULL to leave them out
 *
 * Return: a new object.
 */
struct json_object *rblkt_export_json(const struct rblkt_ioc_export_show *show,
				      const struct rblk_ioc_host *hosts,
				      const struct rblkt_ioc_user *users)
{
	struct json_object *obj = json_object_new_object();
	char file[RBLK_PATH_LEN];
	struct protection disk;

	put_chars(obj, "name", show->name, sizeof(show->name));
	put_chars(obj, "device", show->path, sizeof(show->path));
	if (export_backing(show, file))
		put_chars(obj, "file", file, sizeof(file));
	else if (protection_find(file, &disk))
		put_text(obj, "protection", disk.format);
	if (show->cgroup[0])
		put_chars(obj, "cgroup", show->cgroup, sizeof(show->cgroup));
	put_uuid(obj, "uuid", show->uuid);
	put_size(obj, "capacity", show->capacity);
	put_number(obj, "logical_block", show->logical_block);
	put_number(obj, "physical_block", show->physical_block);
	put_number(obj, "max_discard", show->max_discard);
	put_number(obj, "max_write_zeroes", show->max_write_zeroes);
	put_bool(obj, "read_only", show->export_flags & RBLKT_EXPORT_READ_ONLY);
	put_bool(obj, "shared", show->export_flags & RBLKT_EXPORT_SHARED);
	put_bool(obj, "realtime", show->export_flags & RBLKT_EXPORT_REALTIME);
	put_bool(obj, "allow_any", show->export_flags & RBLKT_EXPORT_ALLOW_ANY);
	put_bool(obj, "insecure", show->export_flags & RBLKT_EXPORT_INSECURE);
	put_bool(obj, "write_cache", show->wire_flags & RBLK_EXPF_WRITE_CACHE);
	put_bool(obj, "fua", show->wire_flags & RBLK_EXPF_FUA);
	put_bool(obj, "rotational", show->wire_flags & RBLK_EXPF_ROTATIONAL);
	put_number(obj, "nr_allowed", show->nr_hosts);
	put_number(obj, "nr_users", show->nr_users);
	if (hosts)
		put_object(obj, "allowed", hosts_json(hosts, show->nr_hosts));
	if (users)
		put_object(obj, "users", users_json(users, show->nr_users));
	return obj;
}

/**
 * rblkt_portal_json() - what the target listens to
 * @portal: the portal
 *
 * Return: a new object.
 */
struct json_object *rblkt_portal_json(const struct rblkt_ioc_portal *portal)
{
	struct json_object *obj = json_object_new_object();

	put_addr(obj, "address", &portal->addr);
	put_bool(obj, "listening", portal->listening);
	put_number(obj, "sessions", portal->sessions);
	put_number(obj, "errno", portal->last_error);
	put_text(obj, "reason", portal->last_error ? strerror(portal->last_error) : "");
	return obj;
}

/**
 * rblkt_pause_json() - a pause of the target
 * @pause: from rblkt_pause() or rblkt_pause_get()
 *
 * Return: a new object.
 */
struct json_object *rblkt_pause_json(const struct rblkt_ioc_pause *pause)
{
	struct json_object *obj = json_object_new_object();

	put_bool(obj, "paused", pause->ms);
	put_number(obj, "left_ms", pause->ms);
	put_number(obj, "sessions", pause->sessions);
	put_number(obj, "inflight", pause->inflight);
	return obj;
}
