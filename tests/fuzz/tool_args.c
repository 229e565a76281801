// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command line, one argument per line of the input. Whatever it is, the
 * parser either refuses it with a printable reason, or what it hands on keeps
 * to the limits of the control ABI.
 */
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rblk_wire.h"
#include "request/request.h"

#define MAX_ARGS	160

#define MUST(condition)			\
	do {				\
		if (!(condition))	\
			abort();	\
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool ends(const char *text, size_t room)
{
	return memchr(text, '\0', room);
}

static void check_error(const struct request *req)
{
	const char *p;

	MUST(ends(req->error, sizeof(req->error)) && req->error[0]);
	for (p = req->error; *p; p++)
		MUST((unsigned char)*p >= ' ' && *p != '\177');
}

static void check_routes(const struct request *req)
{
	unsigned int i;

	MUST(req->nr_other < RBLK_MAX_ROUTES && req->nr_other_source <= req->nr_other);
	for (i = 0; i < req->nr_other; i++)
		MUST(req->other[i].host[0] && req->other[i].port &&
		     ends(req->other[i].host, sizeof(req->other[i].host)));
	for (i = 0; i < req->nr_other_source; i++)
		MUST(ends(req->other_source[i].host, sizeof(req->other_source[i].host)));
}

/* One proof of the target, or none where none is needed; and no UUID for one of a host. */
static void check_proof(const struct request *req)
{
	__u64 proof = req->given & OPTIONS_PROOF;

	MUST(!(proof & (proof - 1)));
	if (req->verb == VERB_ATTACH || req->verb == VERB_DISCOVER)
		MUST(proof);
	MUST(!req->nr_target_keys == !request_has(req, OPTION_TARGET_KEY));
	if (req->verb == VERB_EXPORT_ADD && allows_by_uuid(req))
		MUST(request_has(req, OPTION_INSECURE));
	MUST(!request_has(req, OPTION_PRIVATE) || !request_has(req, OPTION_JSON));
}

static void check_accepted(const struct request *req)
{
	char verb[32];

	MUST(ends(req->export, sizeof(req->export)));
	MUST(ends(req->backing, sizeof(req->backing)));
	MUST(ends(req->host_name, sizeof(req->host_name)));
	MUST(ends(req->target.host, sizeof(req->target.host)));
	MUST(ends(req->source.host, sizeof(req->source.host)));
	MUST(ends(req->volume.text, sizeof(req->volume.text)));
	static_assert(OPTION_NR <= 8 * sizeof(req->given), "a bit for each option");
	MUST(req->verb < VERB_NR);
	MUST(req->pause <= RBLK_WIRE_MAX_AWAY_MS / 1000);
	MUST(req->verb != VERB_TARGET_PAUSE || req->pause || request_has(req, OPTION_HELP));
	MUST(req->queues <= RBLK_WIRE_MAX_QUEUES && req->depth <= RBLK_WIRE_MAX_DEPTH);
	MUST(req->poll_queues < RBLK_WIRE_MAX_QUEUES);
	MUST(req->inline_read <= RBLK_WIRE_MAX_INLINE);
	MUST(!req->depth || req->depth >= RBLK_WIRE_MIN_DEPTH);
	MUST(req->queue_timeout >= RBLK_QUEUE_TIMEOUT_FOREVER);
	MUST(req->queue_timeout <= RBLK_QUEUE_TIMEOUT_MAX);
	MUST(ends(req->file, sizeof(req->file)) && req->file[0]);
	MUST(req->only && !(req->only & ~ITEMS_ALL));
	MUST(req->wait >= WAIT_FOREVER && req->interval >= 1 && req->interval <= 3600);
	MUST(req->sort <= SORT_DEVICE && req->count <= INT_MAX);
	MUST(req->index >= -1 && req->nr_allowed <= RBLK_MAX_HOSTS);
	MUST(req->nr_target_keys <= RBLK_TARGET_KEYS);
	if (request_has(req, OPTION_HELP))
		return;
	check_routes(req);
	check_proof(req);
	verb_text(verb, sizeof(verb), req->verb);
	MUST(verb[0]);
	MUST(!(verb_table[req->verb].required & ~req->given));
	if (req->verb == VERB_ATTACH)
		MUST(req->target.host[0] && req->target.port && req->export[0]);
	if (req->verb == VERB_EXPORT_ADD)
		MUST(req->export[0] && req->backing[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct request req;
	char *argv[MAX_ARGS + 1] = { "rblkctl" };
	char *words, *word, *rest;
	int argc = 1, wrong;

	words = malloc(size + 1);
	MUST(words);
	memcpy(words, data, size);
	words[size] = '\0';
	rest = words;
	while (argc < MAX_ARGS && (word = strsep(&rest, "\n")))
		argv[argc++] = word;
	wrong = rblkctl_parse(argc, argv, &req);
	MUST(!wrong || wrong == EXIT_USAGE);
	if (wrong)
		check_error(&req);
	else
		check_accepted(&req);
	free(words);
	return 0;
}
