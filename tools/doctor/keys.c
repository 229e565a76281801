// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys: whether this machine has one, and its modules the same; what its volumes and
 * exports do without; and what a target makes of this host's key.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "doctor/keys.h"
#include "lib/key.h"
#include "output/failure.h"
#include "rblk_wire.h"
#include "system/change.h"

#define WITHOUT	"whoever is on the way can read it all, and change it"

static void check_module(struct findings *f, enum rblk_side side, const struct rblk_key *key)
{
	const char *module = side == RBLK_TARGET ? "rblk_target" : "rblk";
	struct rblk_ioc_key_show show;
	struct rblk_failure fail;

	if (rblk_key_show(rblk, side, &show, &fail)) {
		finding_fail(f, "key", &fail);
		return;
	}
	/* One that has none gets it with the first verb that needs one. */
	if (key_is_none(show.public_key) ||
	    !memcmp(show.public_key, key->public_key, KEY_BYTES))
		return;
	finding_add(f, FINDING_BAD, "key", "rblkctl key load",
		    "the module %s has another key than the one in %s", module, KEY_PATH);
}

/**
 * keys_check() - look at this machine's key
 * @f: what is found
 * @loaded: of each side, whether its module can be asked
 * @needed: this host is to prove it to a target
 */
void keys_check(struct findings *f, const bool loaded[2], bool needed)
{
	struct rblk_failure fail;
	char text[KEY_TEXT];
	struct rblk_key key;

	if (!key_look(&key, &fail)) {
		key_text(text, key.public_key);
		finding_add(f, FINDING_OK, "key", NULL, "this machine has the key %s", text);
		if (loaded[RBLK_INITIATOR])
			check_module(f, RBLK_INITIATOR, &key);
		if (loaded[RBLK_TARGET])
			check_module(f, RBLK_TARGET, &key);
	} else if (fail.error == ENOENT) {
		finding_add(f, needed ? FINDING_BAD : FINDING_NOTE, "key",
			    "rblkctl key; then, on each target: rblkctl export allow NAME KEY",
			    "this machine has no key, so it cannot prove who it is");
	} else {
		finding_fail(f, "key", &fail);
	}
}

/**
 * keys_check_volume() - look at how the target of a volume proves who it is
 * @f: what is found
 * @show: the volume
 * @name: what it is called
 */
void keys_check_volume(struct findings *f, const struct rblk_ioc_show *show, const char *name)
{
	char remedy[256], text[KEY_TEXT];
	int index = show->volume.index;

	if (show->asked.flags & RBLK_ATTACH_INSECURE) {
		finding_add(f, FINDING_NOTE, "keys",
			    "detach it, and attach it with --target-key KEY, which 'rblkctl key' prints on its target",
			    "%s is attached without keys: " WITHOUT, name);
	} else if (show->asked.flags & RBLK_ATTACH_TRUST_FIRST) {
		key_text(text, show->session.peer_key);
		snprintf(remedy, sizeof(remedy),
			 "does 'rblkctl key' on the target print the same? Then rblkctl set rblk%d --target-key %s",
			 index, text);
		finding_add(f, FINDING_NOTE, "keys", remedy,
			    "%s trusts the key that its target showed when it was attached",
			    name);
	}
}

/* Whom an insecure export admits besides those with keys. */
static void tell_export(struct findings *f, const struct rblkt_ioc_export_show *show,
			const struct rblk_ioc_host *hosts)
{
	unsigned int keys = 0, uuids = 0, i;
	char remedy[RBLK_NAME_LEN + 96];

	for (i = 0; i < show->nr_hosts && i < RBLK_MAX_HOSTS; i++)
		if (key_is_none(hosts[i].key))
			uuids++;
		else
			keys++;
	snprintf(remedy, sizeof(remedy), "rblkctl export set %.*s --%s", RBLK_NAME_LEN, show->name,
		 uuids ? "allow KEY ... --secure, once all its hosts have keys" :
			 "secure, once all its hosts have keys");
	if (show->export_flags & RBLKT_EXPORT_ALLOW_ANY)
		finding_add(f, FINDING_NOTE, "keys", remedy,
			    "export %.*s is for anybody, also without a key: " WITHOUT,
			    RBLK_NAME_LEN, show->name);
	else if (keys && uuids)
		finding_add(f, FINDING_NOTE, "keys", remedy,
			    "export %.*s is mixed: %u of its hosts prove a key, %u say a UUID, which proves nothing",
			    RBLK_NAME_LEN, show->name, keys, uuids);
	else
		finding_add(f, FINDING_NOTE, "keys", remedy,
			    "export %.*s is also for hosts without a key: " WITHOUT,
			    RBLK_NAME_LEN, show->name);
}

/**
 * keys_check_exports() - look at which exports do without keys
 * @f: what is found
 */
void keys_check_exports(struct findings *f)
{
	struct rblkt_ioc_export_show show = { .name = "" };
	struct rblk_ioc_host hosts[RBLK_MAX_HOSTS];
	struct rblk_failure fail;
	int got;

	while ((got = rblkt_export_next(rblk, show.name, &show, hosts, &fail)) > 0)
		if (show.export_flags & RBLKT_EXPORT_INSECURE)
			tell_export(f, &show, hosts);
	if (got)
		finding_fail(f, "keys", &fail);
}

static bool is_at(const struct request *volume, const struct endpoint *target)
{
	unsigned int i;

	if (endpoint_equal(&volume->target, target))
		return true;
	for (i = 0; i < volume->nr_other; i++)
		if (endpoint_equal(&volume->other[i], target))
			return true;
	return false;
}

static void take_proof(struct request *req, const struct request *volume)
{
	req->given &= ~OPTIONS_PROOF;
	req->given |= volume->given & OPTIONS_PROOF;
	req->nr_target_keys = volume->nr_target_keys;
	memcpy(req->target_key, volume->target_key, sizeof(req->target_key));
}

/**
 * keys_expect() - have a target prove what the configuration says, or trust it for a look
 * @req: with the target; what it says itself stays
 *
 * Of several volumes of that target, the one that is asked for counts, or else one with
 * keys.
 *
 * Return: whether it is the configuration that says it.
 */
bool keys_expect(struct request *req)
{
	const struct request *volume;
	struct config config;
	struct rblk_failure fail;
	unsigned int i;

	if (req->given & OPTIONS_PROOF)
		return false;
	req->given |= OPTION_BIT(OPTION_TRUST_FIRST);
	if (conf_load(CONFIG_PATH, &config, &fail))
		return false;
	for (i = 0; i < config.list[ITEM_VOLUME].nr; i++) {
		volume = &config.list[ITEM_VOLUME].item[i].req;
		if (!is_at(volume, &req->target))
			continue;
		if (!request_has(req, OPTION_TARGET_KEY))
			take_proof(req, volume);
		if (req->export[0] && !strcmp(volume->export, req->export)) {
			take_proof(req, volume);
			break;
		}
	}
	conf_free(&config);
	return !request_has(req, OPTION_TRUST_FIRST);
}

/* The same look in another way. Return: how many exports it shows, or -1. */
static int look(const struct request *req, enum option_id proof, __u8 peer_key[KEY_BYTES])
{
	struct rblk_ioc_discover discover = {};
	struct rblk_ioc_offer *offers;
	struct request again = *req;
	struct rblk_failure fail;

	again.given = (req->given & ~OPTIONS_PROOF) | OPTION_BIT(proof);
	again.nr_target_keys = 0;
	memset(again.target_key, 0, sizeof(again.target_key));
	if (discover_offers(&again, &discover, &offers, &fail))
		return -1;
	free(offers);
	memcpy(peer_key, discover.peer_key, KEY_BYTES);
	return discover.nr;
}

static bool is_pinned(const struct request *req, const __u8 key[KEY_BYTES])
{
	unsigned int i;

	for (i = 0; i < req->nr_target_keys; i++)
		if (!memcmp(req->target_key[i], key, KEY_BYTES))
			return true;
	return false;
}

/* The target proves a key, but not one that is pinned. */
static bool other_key(struct findings *f, const struct request *req, bool configured)
{
	static const char same[] = "does 'rblkctl key' on the target print the same? Then";
	__u8 key[KEY_BYTES];
	char text[KEY_TEXT], remedy[128];

	if (!request_has(req, OPTION_TARGET_KEY) || look(req, OPTION_TRUST_FIRST, key) < 0 ||
	    is_pinned(req, key))
		return false;
	key_text(text, key);
	snprintf(remedy, sizeof(remedy), "%s %s", same, configured ?
		 "target-key in rblk.conf, and rblkctl apply" : "--target-key and that");
	finding_add(f, FINDING_BAD, "key", remedy, "%s has the key %s, and %s has another",
		    req->target.host, text, configured ? CONFIG_PATH : "--target-key");
	return true;
}

static bool only_insecure(struct findings *f, const struct request *req)
{
	__u8 key[KEY_BYTES];

	if (look(req, OPTION_INSECURE, key) <= 0)
		return false;
	finding_add(f, FINDING_BAD, "key", "on the target: rblkctl export allow %E %H",
		    "%s lets this host in only without keys: no export of it allows this host's key",
		    req->target.host);
	return true;
}

/**
 * keys_refused() - say more of a login that failed because of a key
 * @f: what is found
 * @req: the target, and what it had to prove
 * @configured: the configuration has that, not the command line
 * @fail: why the login failed
 *
 * Return: false if it is about something else, and nothing is said of it yet.
 */
bool keys_refused(struct findings *f, const struct request *req, bool configured,
		  const struct rblk_failure *fail)
{
	bool rejected = fail->error == EKEYREJECTED;

	if (fail->stage != RBLK_STAGE_LOGIN)
		return false;
	if (rejected && other_key(f, req, configured))
		return true;
	if (fail->reason == RBLK_CTL_KEY_UNKNOWN && only_insecure(f, req))
		return true;
	if (!rejected && fail->error != ENOKEY && fail->reason != RBLK_CTL_KEY_UNKNOWN &&
	    fail->reason != RBLK_CTL_NO_KEY && fail->reason != RBLK_CTL_AUTH)
		return false;
	finding_fail(f, "key", fail);
	return true;
}
