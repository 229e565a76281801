// SPDX-License-Identifier: GPL-2.0-only
/* Persistent reservations: as a volume's target tells them, and as an export has them. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/control.h"
#include "lib/json.h"
#include "rblk_wire.h"

/* As blkpr(8) calls them. */
static const char *const types[] = {
	[RBLK_RESV_NONE] = "none",
	[RBLK_RESV_WRITE_EXCLUSIVE] = "write-exclusive",
	[RBLK_RESV_EXCLUSIVE_ACCESS] = "exclusive-access",
	[RBLK_RESV_WRITE_REGISTRANTS] = "write-exclusive-reg-only",
	[RBLK_RESV_ACCESS_REGISTRANTS] = "exclusive-access-reg-only",
	[RBLK_RESV_WRITE_ALL_HOLD] = "write-exclusive-all-regs",
	[RBLK_RESV_ACCESS_ALL_HOLD] = "exclusive-access-all-regs",
};

/**
 * rblk_reservation_text() - a type of reservation in words
 * @type: enum rblk_wire_resv_type, which are those of linux/pr.h
 *
 * Return: the word, "none" where there is no reservation.
 */
const char *rblk_reservation_text(unsigned int type)
{
	return type < ARRAY_SIZE(types) ? types[type] : "unknown";
}

static struct rblk_ioc_registrant *registrants_room(struct rblk_failure *fail)
{
	return list_room(NULL, RBLK_WIRE_MAX_REGISTRANTS, sizeof(struct rblk_ioc_registrant),
			 fail);
}

/* A module that has more than can be would have us read beyond the array. */
static void registrants_cut(__u32 *nr)
{
	if (*nr > RBLK_WIRE_MAX_REGISTRANTS)
		*nr = RBLK_WIRE_MAX_REGISTRANTS;
}

/**
 * rblk_reservation() - ask a volume's target for its reservation
 * @rblk: the caller, or NULL
 * @index: which volume
 * @uuid: its UUID, or another volume of that number would be asked for; NULL for any
 * @reservation: the result
 * @registrants: the hosts that are registered, to be freed; @reservation says how many
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblk_reservation(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
		     struct rblk_ioc_reservation *reservation,
		     struct rblk_ioc_registrant **registrants, struct rblk_failure *fail)
{
	*registrants = registrants_room(fail);
	if (!*registrants)
		return -1;
	memset(reservation, 0, sizeof(*reservation));
	reservation->size = sizeof(*reservation);
	reservation->index = index;
	if (uuid)
		memcpy(reservation->uuid, uuid, sizeof(reservation->uuid));
	reservation->room = RBLK_WIRE_MAX_REGISTRANTS;
	reservation->registrants = (uintptr_t)*registrants;
	if (control_try(rblk, RBLK_INITIATOR, RBLK_IOC_RESERVATION, reservation,
			&reservation->error, fail)) {
		free(*registrants);
		*registrants = NULL;
		return -1;
	}
	registrants_cut(&reservation->nr);
	return 0;
}

/**
 * rblkt_reservation() - an export's reservation
 * @rblk: the caller, or NULL
 * @name: which export
 * @show: the result
 * @registrants: the hosts that are registered, to be freed; @show says how many
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblkt_reservation(struct rblk *rblk, const char *name,
		      struct rblkt_ioc_reservation_show *show,
		      struct rblk_ioc_registrant **registrants, struct rblk_failure *fail)
{
	memset(show, 0, sizeof(*show));
	show->size = sizeof(*show);
	if (name_copy(show->name, name, fail))
		return -1;
	*registrants = registrants_room(fail);
	if (!*registrants)
		return -1;
	show->room = RBLK_WIRE_MAX_REGISTRANTS;
	show->registrants = (uintptr_t)*registrants;
	if (control_try(rblk, RBLK_TARGET, RBLKT_IOC_RESERVATION_SHOW, show, &show->error,
			fail)) {
		free(*registrants);
		*registrants = NULL;
		return -1;
	}
	registrants_cut(&show->nr);
	return 0;
}

/**
 * rblkt_reservation_set() - change an export's registrations by force
 * @rblk: the caller, or NULL
 * @set: what is to change, see rblk_ioctl.h; its size and error are filled in
 * @fail: why it failed, and nothing has changed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_reservation_set(struct rblk *rblk, struct rblkt_ioc_reservation_set *set,
			  struct rblk_failure *fail)
{
	set->size = sizeof(*set);
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_RESERVATION_SET, set, &set->error, fail);
}

/* A number of 64 bits that programs compare, and JavaScript would round. */
static void put_registration(struct json_object *obj, const char *key, __u64 registration)
{
	char text[24];

	snprintf(text, sizeof(text), "%#llx", registration);
	put_text(obj, key, text);
}

static struct json_object *registrants_json(const struct rblk_ioc_registrant *registrants,
					    unsigned int nr, enum rblk_side side)
{
	struct json_object *array = json_object_new_array(), *obj;
	const struct rblk_ioc_registrant *r;

	for (r = registrants; r < registrants + nr; r++) {
		obj = json_object_new_object();
		put_registration(obj, "registration", r->registration);
		put_uuid(obj, "host", r->host);
		put_chars(obj, "name", r->name, sizeof(r->name));
		put_bool(obj, "holder", r->flags & RBLK_REGISTRANT_HOLDER);
		if (side == RBLK_TARGET) {
			put_key(obj, "key", r->public_key);
			put_bool(obj, "attached", r->flags & RBLK_REGISTRANT_ATTACHED);
		} else {
			put_bool(obj, "self", r->flags & RBLK_REGISTRANT_SELF);
		}
		if (!array || json_object_array_add(array, obj))
			json_object_put(obj);
	}
	return array;
}

/**
 * rblk_reservation_json() - a volume's reservation
 * @reservation: from rblk_reservation()
 * @registrants: likewise
 *
 * Return: the object, NULL without memory.
 */
struct json_object *rblk_reservation_json(const struct rblk_ioc_reservation *reservation,
					  const struct rblk_ioc_registrant *registrants)
{
	struct json_object *obj = json_object_new_object();

	put_number(obj, "index", reservation->index);
	put_device(obj, reservation->index);
	put_uuid(obj, "uuid", reservation->uuid);
	put_number(obj, "generation", reservation->generation);
	put_text(obj, "type", rblk_reservation_text(reservation->type));
	put_object(obj, "registrants",
		   registrants_json(registrants, reservation->nr, RBLK_INITIATOR));
	return obj;
}

/**
 * rblkt_reservation_json() - an export's reservation
 * @show: from rblkt_reservation()
 * @registrants: likewise
 *
 * Return: the object, NULL without memory.
 */
struct json_object *rblkt_reservation_json(const struct rblkt_ioc_reservation_show *show,
					   const struct rblk_ioc_registrant *registrants)
{
	struct json_object *obj = json_object_new_object();

	put_chars(obj, "export", show->name, sizeof(show->name));
	put_number(obj, "generation", show->generation);
	put_text(obj, "type", rblk_reservation_text(show->type));
	put_bool(obj, "kept", show->kept);
	put_number(obj, "aborting", show->aborting);
	put_object(obj, "registrants", registrants_json(registrants, show->nr, RBLK_TARGET));
	return obj;
}
