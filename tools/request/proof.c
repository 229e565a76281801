// SPDX-License-Identifier: GPL-2.0-only
/* How hosts and targets prove to each other who they are: what must be said of it. */
#include <string.h>

#include "request/request.h"

const char uuid_proves_nothing[] =
	"a UUID proves nothing: allow the key that 'rblkctl key' prints there, or add --insecure";

/**
 * allows_by_uuid() - whether hosts are named by what proves nothing
 * @req: an export, or a change of one
 *
 * Return: whether any of them is.
 */
bool allows_by_uuid(const struct request *req)
{
	unsigned int i;

	for (i = 0; i < req->nr_allowed; i++)
		if (key_is_none(req->allowed[i].key))
			return true;
	return false;
}

/**
 * proof_wrong() - whether what is said of proofs goes together
 * @req: any request
 *
 * Return: NULL, or what is wrong.
 */
const char *proof_wrong(const struct request *req)
{
	__u64 proof = req->given & OPTIONS_PROOF;

	if (proof & (proof - 1))
		return "--target-key, --trust-first and --insecure exclude each other";
	if (request_has(req, OPTION_SECURE) && request_has(req, OPTION_INSECURE))
		return "--secure and --insecure exclude each other";
	if (request_has(req, OPTION_PRIVATE) && request_has(req, OPTION_JSON))
		return "--private and --json exclude each other";
	return NULL;
}

/**
 * proof_missing() - whether it is said how the other side proves who it is
 * @req: any request
 *
 * Of an export that is there, what it takes has been said before.
 *
 * Return: NULL, or what is missing.
 */
const char *proof_missing(const struct request *req)
{
	if ((req->verb == VERB_ATTACH || req->verb == VERB_DISCOVER) &&
	    !(req->given & OPTIONS_PROOF))
		return "how does the target prove who it is? --target-key KEY, see 'rblkctl key'; "
		       "or --trust-first, for the key that it shows now; "
		       "or --insecure, without keys";
	if (req->verb == VERB_EXPORT_ADD && allows_by_uuid(req) &&
	    !request_has(req, OPTION_INSECURE))
		return uuid_proves_nothing;
	return NULL;
}
