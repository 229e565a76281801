// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "key", "key rotate" and "key load". */
#include <sodium.h>
#include <stdio.h>

#include "system/change.h"
#include "output/failure.h"
#include "output/output.h"
#include "verbs/run.h"

static void key_print(const struct request *req, const struct rblk_key *key)
{
	char text[RBLK_KEY_TEXT];

	rblk_key_text(text, key->public_key);
	if (request_has(req, OPTION_JSON))
		print_json(rblk_key_json(key));
	else
		puts(text);
}

static int print_private(const struct request *req)
{
	char text[RBLK_KEY_TEXT];
	struct rblk_failure fail;

	if (rblk_key_private(text, &fail))
		return failure_report(req, &fail);
	puts(text);
	sodium_memzero(text, sizeof(text));
	return EXIT_OK;
}

/**
 * key_run() - the verb "key"
 * @req: the request
 *
 * Return: an exit status.
 */
int key_run(struct request *req)
{
	struct rblk_failure fail;
	struct rblk_key key;

	if (request_has(req, OPTION_PRIVATE))
		return print_private(req);
	if (rblk_key_get(&key, &fail))
		return failure_report(req, &fail);
	key_print(req, &key);
	return EXIT_OK;
}

/* Who knows only the former key would refuse this machine, or be refused. */
static void tell_next(const struct rblk_key *key)
{
	char text[RBLK_KEY_TEXT];

	rblk_key_text(text, key->public_key);
	fprintf(stderr,
		"rblkctl: this is the next key; nothing has changed yet\n"
		"  for its volumes, on each target: rblkctl export allow NAME %s\n"
		"  for its exports, on each host:\n"
		"    rblkctl set VOLUME --target-key OLD --target-key %s\n"
		"  then here: rblkctl key rotate --now\n", text, text);
}

static int rotate_now(const struct request *req)
{
	struct rblk_failure fail;
	struct rblk_key key;
	int err = rblk_key_rotate(rblk, &key, &fail);

	if (err < 0)
		return failure_report(req, &fail);
	key_print(req, &key);
	if (!err)
		return EXIT_OK;
	failure_print(req, &fail);
	fputs("  it is the key, but a module still has the former one\n"
	      "  try: rblkctl key load\n", stderr);
	return EXIT_PARTLY;
}

/**
 * key_rotate_run() - the verb "key rotate"
 * @req: the request
 *
 * Return: an exit status.
 */
int key_rotate_run(struct request *req)
{
	struct rblk_failure fail;
	struct rblk_key key;

	if (request_has(req, OPTION_NOW))
		return rotate_now(req);
	if (rblk_key_next(&key, &fail))
		return failure_report(req, &fail);
	key_print(req, &key);
	if (!request_has(req, OPTION_JSON))
		tell_next(&key);
	return EXIT_OK;
}

static void put_loaded(struct json_object *top, enum rblk_side side, const char *name)
{
	struct rblk_ioc_key_show show;
	struct rblk_failure fail;
	struct json_object *obj;

	if (rblk_key_show(rblk, side, &show, &fail)) {
		put_object(top, name, NULL);
		return;
	}
	obj = json_object_new_object();
	put_key(obj, "public", show.public_key);
	put_number(obj, "psks", show.nr_psks);
	put_object(top, name, obj);
}

/**
 * key_load_run() - the verb "key load"
 * @req: the request
 *
 * Return: an exit status.
 */
int key_load_run(struct request *req)
{
	struct rblk_failure fail, other;
	struct json_object *top;
	int host, target;

	/* One that is not loaded wants nothing; if neither is, that is the failure. */
	host = rblk_key_load(rblk, RBLK_INITIATOR, &fail);
	if (host && !rblk_missing(&fail))
		return failure_report(req, &fail);
	target = rblk_key_load(rblk, RBLK_TARGET, &other);
	if (target && (host || !rblk_missing(&other)))
		return failure_report(req, rblk_missing(&other) ? &fail : &other);
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_loaded(top, RBLK_INITIATOR, "initiator");
		put_loaded(top, RBLK_TARGET, "target");
		print_json(top);
	}
	return EXIT_OK;
}
