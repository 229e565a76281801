// SPDX-License-Identifier: GPL-2.0-only
/*
 * The keys of a machine: its own, and the secrets that it shares with others.  Each of
 * the two modules has a store, as both may run in one kernel and be two machines there.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "hash.h"

static bool key_is_zero(const u8 *key)
{
	return !memchr_inv(key, 0, RBLK_KEY_LEN);
}

static bool psks_are_sound(const struct rblk_ioc_psk *list, u32 nr)
{
	u32 i, j;

	for (i = 0; i < nr; i++) {
		if (key_is_zero(list[i].key) || key_is_zero(list[i].psk))
			return false;
		for (j = 0; j < i; j++)
			if (!memcmp(list[i].key, list[j].key, RBLK_KEY_LEN))
				return false;
	}
	return true;
}

/* Copy the PSKs from user space; NULL if there are none. */
static struct rblk_ioc_psk *psks_take(const struct rblk_ioc_key_set *arg)
{
	struct rblk_ioc_psk *list;

	if (arg->nr_psks > RBLK_MAX_HOSTS || !arg->nr_psks != !arg->psks)
		return ERR_PTR(-EINVAL);
	if (!arg->nr_psks)
		return NULL;
	list = memdup_user(u64_to_user_ptr(arg->psks), arg->nr_psks * sizeof(*list));
	if (IS_ERR(list) || psks_are_sound(list, arg->nr_psks))
		return list;
	kfree_sensitive(list);
	return ERR_PTR(-EINVAL);
}

static void store_replace(struct rblk_auth_store *store, const struct rblk_auth_pair *own,
			  struct rblk_ioc_psk *psks, u32 nr_psks)
{
	mutex_lock(&store->lock);
	store->own = *own;
	swap(store->psks, psks);
	store->nr_psks = nr_psks;
	mutex_unlock(&store->lock);
	kfree_sensitive(psks);
}

/**
 * rblk_auth_store_set() - replace all keys
 * @store: the store
 * @arg: of RBLK_IOC_KEY_SET or RBLKT_IOC_KEY_SET; its private key is wiped
 *
 * Context: process; may sleep.
 * Return: 0, or a negative errno with the store as it was.
 */
int rblk_auth_store_set(struct rblk_auth_store *store, struct rblk_ioc_key_set *arg)
{
	bool forget = key_is_zero(arg->private_key);
	struct rblk_auth_pair own = {};
	struct rblk_ioc_psk *psks;
	int ret = 0;

	psks = psks_take(arg);
	if (IS_ERR(psks))
		ret = PTR_ERR(psks);
	else if ((forget && psks) || memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		ret = -EINVAL;
	else if (!forget)
		ret = rblk_auth_pair_from(&own, arg->private_key);
	memzero_explicit(arg->private_key, sizeof(arg->private_key));
	if (!ret)
		store_replace(store, &own, psks, arg->nr_psks);
	else if (!IS_ERR(psks))
		kfree_sensitive(psks);
	rblk_auth_pair_wipe(&own);
	return ret;
}
EXPORT_SYMBOL_GPL(rblk_auth_store_set);

/**
 * rblk_auth_store_show() - show which key there is
 * @store: the store
 * @arg: of RBLK_IOC_KEY_SHOW or RBLKT_IOC_KEY_SHOW, filled in
 *
 * Context: process; may sleep.
 * Return: 0 or -EINVAL.
 */
int rblk_auth_store_show(struct rblk_auth_store *store, struct rblk_ioc_key_show *arg)
{
	if (memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return -EINVAL;
	mutex_lock(&store->lock);
	memcpy(arg->public_key, store->own.public, sizeof(arg->public_key));
	arg->nr_psks = store->nr_psks;
	mutex_unlock(&store->lock);
	return 0;
}
EXPORT_SYMBOL_GPL(rblk_auth_store_show);

/**
 * rblk_auth_store_own() - copy the machine's own key
 * @store: the store
 * @own: filled in, to be wiped by the caller; zeroes if there is none
 *
 * Context: process; may sleep.
 * Return: whether there is one.
 */
bool rblk_auth_store_own(struct rblk_auth_store *store, struct rblk_auth_pair *own)
{
	mutex_lock(&store->lock);
	*own = store->own;
	mutex_unlock(&store->lock);
	return !key_is_zero(own->public);
}
EXPORT_SYMBOL_GPL(rblk_auth_store_own);

/**
 * rblk_auth_store_psk() - copy the secret that is shared with another machine
 * @store: the store
 * @peer: that machine's public key
 * @psk: filled in, to be wiped by the caller; zeroes if there is none
 *
 * Context: process; may sleep.
 */
void rblk_auth_store_psk(struct rblk_auth_store *store, const u8 peer[RBLK_WIRE_KEY_LEN],
			 u8 psk[RBLK_AUTH_PSK_LEN])
{
	u32 i;

	memset(psk, 0, RBLK_AUTH_PSK_LEN);
	mutex_lock(&store->lock);
	for (i = 0; i < store->nr_psks; i++)
		if (!memcmp(store->psks[i].key, peer, RBLK_WIRE_KEY_LEN))
			memcpy(psk, store->psks[i].psk, RBLK_AUTH_PSK_LEN);
	mutex_unlock(&store->lock);
}
EXPORT_SYMBOL_GPL(rblk_auth_store_psk);

/**
 * rblk_auth_store_wipe() - forget all keys
 * @store: the store
 *
 * Context: process; may sleep.
 */
void rblk_auth_store_wipe(struct rblk_auth_store *store)
{
	const struct rblk_auth_pair none = {};

	store_replace(store, &none, NULL, 0);
}
EXPORT_SYMBOL_GPL(rblk_auth_store_wipe);
