// SPDX-License-Identifier: GPL-2.0-only
/* The verb "reservation": who has registered a key, and who holds a reservation. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/failure.h"
#include "output/failure.h"
#include "output/output.h"
#include "rblk_wire.h"
#include "system/change.h"
#include "verbs/run.h"

/* The digest of a key tells hosts apart, and says nothing to people. */
static void registrant_print(const struct rblk_ioc_registrant *r)
{
	char who[HOST_TEXT];

	if (key_is_none(r->public_key))
		uuid_text(who, r->host);
	else
		key_text(who, r->public_key);
	row_print("registered", "%#llx by %.*s %s%s%s%s", r->registration, RBLK_NAME_LEN,
		  r->name, who, r->flags & RBLK_REGISTRANT_HOLDER ? ", holds it" : "",
		  r->flags & RBLK_REGISTRANT_SELF ? ", this host" : "",
		  r->flags & RBLK_REGISTRANT_ATTACHED ? ", has it attached" : "");
}

static void reservation_print(unsigned int type, unsigned int generation,
			      const struct rblk_ioc_registrant *registrants, unsigned int nr)
{
	unsigned int i;

	row_print("reservation", "%s", rblk_reservation_text(type));
	row_print("generation", "%u", generation);
	if (!nr)
		row_print("registered", "no host");
	for (i = 0; i < nr; i++)
		registrant_print(&registrants[i]);
}

static int volume_print(const struct request *req, const struct rblk_ioc_volume *volume)
{
	struct rblk_ioc_registrant *registrants;
	struct rblk_ioc_reservation reservation;
	struct rblk_failure fail;

	if (rblk_reservation(rblk, volume->index, volume->uuid, &reservation, &registrants,
			     &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON))
		print_json(rblk_reservation_json(&reservation, registrants));
	else
		reservation_print(reservation.type, reservation.generation, registrants,
				  reservation.nr);
	free(registrants);
	return EXIT_OK;
}

static int export_print(const struct request *req,
			const struct rblkt_ioc_reservation_show *show,
			const struct rblk_ioc_registrant *registrants)
{
	if (request_has(req, OPTION_JSON)) {
		print_json(rblkt_reservation_json(show, registrants));
		return EXIT_OK;
	}
	reservation_print(show->type, show->generation, registrants, show->nr);
	if (show->nr && !show->kept)
		row_print("not kept", "a restart of the target loses it");
	if (show->aborting)
		row_print("not ended", "I/O of %u attachments that were preempted",
			  show->aborting);
	return EXIT_OK;
}

/* Whoever relies on it would go on in the belief that it has it. */
static int must_insist(const struct request *req,
		       const struct rblkt_ioc_reservation_show *show,
		       struct rblk_failure *fail)
{
	if (!show->nr || request_has(req, OPTION_MOVE) || request_has(req, OPTION_FORCE))
		return 0;
	failure_set(fail, EBUSY, "blkpr there; --force ends them nevertheless",
		    "export %s has %u registrations, and hosts rely on them", req->export,
		    show->nr);
	return -1;
}

static int registrants_change(const struct request *req,
			      const struct rblkt_ioc_reservation_show *show,
			      struct rblk_failure *fail)
{
	struct rblkt_ioc_reservation_set set = {
		.what = request_has(req, OPTION_CLEAR) ? RBLKT_RESV_CLEAR :
			request_has(req, OPTION_DROP) ? RBLKT_RESV_REMOVE : RBLKT_RESV_MOVE,
		.host = req->registrant[0],
		.new_host = req->registrant[1],
	};

	if (must_insist(req, show, fail))
		return -1;
	memcpy(set.name, show->name, sizeof(set.name));
	return rblkt_reservation_set(rblk, &set, fail);
}

static void change_print(const struct request *req)
{
	struct json_object *top;

	if (!request_has(req, OPTION_JSON))
		return;
	top = json_object_new_object();
	put_text(top, "export", req->export);
	print_json(top);
}

/* Returns an exit status, or -1 if there is no such export here. */
static int export_reservation(const struct request *req, struct rblk_failure *fail)
{
	bool change = req->given & OPTIONS_RESERVATION;
	struct rblk_ioc_registrant *registrants;
	struct rblkt_ioc_reservation_show show;
	int status = EXIT_OK;

	if (rblkt_reservation(rblk, req->export, &show, &registrants, fail)) {
		if (!change && (rblk_missing(fail) || fail->error == ENOENT))
			return -1;
		return failure_report(req, fail);
	}
	if (change && registrants_change(req, &show, fail))
		status = failure_report(req, fail);
	else if (!change)
		status = export_print(req, &show, registrants);
	else
		change_print(req);
	free(registrants);
	return status;
}

static int only_there(const struct request *req)
{
	struct rblk_failure fail;

	failure_set(&fail, EINVAL, "on the target: rblkctl reservation EXPORT",
		    "only an export's own target changes its registrations, and %s is a volume",
		    req->volume.text);
	return failure_report(req, &fail);
}

/**
 * reservation_run() - the verb "reservation"
 * @req: the request
 *
 * A name may be that of an export of this target, or else of a volume.
 *
 * Return: an exit status.
 */
int reservation_run(struct request *req)
{
	bool named = req->volume.kind == SELECT_EXPORT;
	struct rblk_failure fail, there;
	struct rblk_ioc_show show;
	int status;

	if (req->given & OPTIONS_RESERVATION && !named)
		return only_there(req);
	if (named) {
		memcpy(req->export, req->volume.export, sizeof(req->export));
		status = export_reservation(req, &there);
		if (status >= 0)
			return status;
	}
	if (!rblk_volume_find(rblk, req->volume.text, &show, NULL, &fail))
		return volume_print(req, &show.volume);
	/* A target need not have the initiator's module, nor a host the target's. */
	if (named && !rblk_missing(&there) && (rblk_missing(&fail) || fail.error == ENOENT))
		fail = there;
	return failure_report(req, &fail);
}
