// SPDX-License-Identifier: GPL-2.0-only
/* The routes of a volume: other ways to its target. */
#include <stdint.h>
#include <string.h>

#include "lib/json.h"
#include "lib/key.h"
#include "lib/resolve.h"

/* What a route is asked of the module with. */
struct asked_route {
	struct rblk_ioc_route_change change;
	unsigned long command;
};

static int route_attempt(void *ctx, const struct asking *ask, struct rblk_failure *fail)
{
	struct asked_route *asked = ctx;
	struct rblk_ioc_route_change before = asked->change;
	int err;

	asked->change.target = ask->to;
	asked->change.source = ask->from;
	err = control_try(ask->rblk, RBLK_INITIATOR, asked->command, &asked->change,
			  &asked->change.error, fail);
	if (err)
		asked->change = before;
	return err;
}

static int route_ask(struct rblk *rblk, struct asked_route *asked, int index,
		     const __u8 uuid[RBLK_UUID_LEN], const struct rblk_volume_spec *how,
		     struct rblk_failure *fail)
{
	/* Who asks is the session's to say. */
	static const struct rblk_host nobody;
	struct rblk_volume_spec spec = *how;
	struct asking ask;

	spec.host = &nobody;
	asked->change.size = sizeof(asked->change);
	asked->change.index = index;
	if (uuid)
		memcpy(asked->change.uuid, uuid, sizeof(asked->change.uuid));
	if (asking_begin(&ask, rblk, &spec, fail))
		return -1;
	if (asked->command == RBLK_IOC_ROUTE_ADD)
		endpoint_text(asked->change.target_text, &ask.target);
	return resolve_each(&ask, route_attempt, asked, fail);
}

/* What the first route proves needs no key that the module does not have. */
static bool has_keys(const struct rblk_volume_spec *spec)
{
	return spec->flags & RBLK_ATTACH_TRUST_FIRST || !key_is_none(spec->target_key[0]) ||
	       !key_is_none(spec->target_key[1]);
}

/**
 * rblk_route_add() - reach a volume's target by another address, too
 * @rblk: the caller, or NULL
 * @index: which volume
 * @uuid: its UUID, or another volume of that number would be changed; NULL for any
 * @spec: the target, its source, its keys and the flags about them; the rest does not matter
 * @wait_ms: how long to wait until it can be used; it stays if it cannot by then
 * @change: the result: its state, and why it can't be used
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_route_add(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
		   const struct rblk_volume_spec *spec, unsigned int wait_ms,
		   struct rblk_ioc_route_change *change, struct rblk_failure *fail)
{
	struct asked_route asked = {
		.change.wait_ms = wait_ms, .command = RBLK_IOC_ROUTE_ADD,
		.change.flags = spec->flags & RBLK_ATTACH_PROOF,
	};

	memcpy(asked.change.target_key, spec->target_key, sizeof(asked.change.target_key));
	if (has_keys(spec) && key_give(rblk, RBLK_INITIATOR, KEY_NEEDED, fail))
		return -1;
	if (route_ask(rblk, &asked, index, uuid, spec, fail))
		return -1;
	*change = asked.change;
	return 0;
}

/**
 * rblk_route_remove() - use an address no more
 * @rblk: the caller, or NULL
 * @index: which volume
 * @uuid: as with rblk_route_add()
 * @target: as it was added
 * @source: likewise, or NULL
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_route_remove(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
		      const char *target, const char *source, struct rblk_failure *fail)
{
	const struct rblk_volume_spec spec = { .target = target, .source = source };
	struct asked_route asked = { .command = RBLK_IOC_ROUTE_REMOVE };

	return route_ask(rblk, &asked, index, uuid, &spec, fail);
}

/**
 * rblk_routes() - the routes of a volume
 * @rblk: the caller, or NULL
 * @index: which volume
 * @routes: the result, in the order in which they were added
 * @nr: how many
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_routes(struct rblk *rblk, int index, struct rblk_ioc_route routes[RBLK_MAX_ROUTES],
		unsigned int *nr, struct rblk_failure *fail)
{
	struct rblk_ioc_route_list list = {
		.size = sizeof(list), .index = index, .room = RBLK_MAX_ROUTES,
		.routes = (uintptr_t)routes,
	};

	memset(routes, 0, RBLK_MAX_ROUTES * sizeof(*routes));
	if (control_try(rblk, RBLK_INITIATOR, RBLK_IOC_ROUTE_LIST, &list, &list.error, fail))
		return -1;
	*nr = list.nr < RBLK_MAX_ROUTES ? list.nr : RBLK_MAX_ROUTES;
	return 0;
}

/**
 * rblk_route_json() - a route of a volume
 * @route: the route
 *
 * Return: a new object.
 */
struct json_object *rblk_route_json(const struct rblk_ioc_route *route)
{
	struct json_object *obj = json_object_new_object();

	put_chars(obj, "target", route->target_text, sizeof(route->target_text));
	put_addr(obj, "source", &route->source);
	put_text(obj, "state", rblk_volume_state_text(route->state));
	put_chars(obj, "reason", route->reason, sizeof(route->reason));
	put_number(obj, "down_seconds", route->down_seconds);
	put_number(obj, "inflight", route->inflight);
	put_size(obj, "losses", route->losses);
	put_object(obj, "session", rblk_session_json(&route->session, RBLK_INITIATOR, false));
	return obj;
}
