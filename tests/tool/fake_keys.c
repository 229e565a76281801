// SPDX-License-Identifier: GPL-2.0-only
/* Keys of the modules that fake.c makes up, and how targets prove theirs. */
#include <errno.h>
#include <sodium.h>

#include "tool.h"

static int answer_set(struct fake_keys *keys, const struct rblk_ioc_key_set *set)
{
	unsigned int i;

	assert_true(set->nr_psks <= RBLK_MAX_HOSTS);
	memcpy(keys->private_key, set->private_key, sizeof(keys->private_key));
	if (set->nr_psks)
		memcpy(keys->psks, (void *)(uintptr_t)set->psks,
		       set->nr_psks * sizeof(keys->psks[0]));
	keys->nr_psks = set->nr_psks;
	keys->sets++;
	for (i = 0; i < set->nr_psks; i++)
		assert_false(sodium_is_zero(keys->psks[i].psk, KEY_BYTES));
	return 0;
}

static int answer_show(const struct fake_keys *keys, struct rblk_ioc_key_show *show)
{
	show->nr_psks = keys->nr_psks;
	if (!sodium_is_zero(keys->private_key, KEY_BYTES))
		crypto_scalarmult_base(show->public_key, keys->private_key);
	return 0;
}

int fake_key(enum rblk_side side, unsigned long command, void *arg)
{
	struct fake_keys *keys = &fake.keys[side];

	if (command == RBLK_IOC_KEY_SET || command == RBLKT_IOC_KEY_SET)
		return answer_set(keys, arg);
	if (command == RBLK_IOC_KEY_SHOW || command == RBLKT_IOC_KEY_SHOW)
		return answer_show(keys, arg);
	return -ENOTTY;
}

/* As a module must be asked: by keys or by a flag, or not at all. */
void fake_prove(unsigned int flags, __u8 asked[RBLK_TARGET_KEYS][KEY_BYTES],
		__u8 peer_key[KEY_BYTES])
{
	bool keys = !sodium_is_zero(asked[0], KEY_BYTES) || !sodium_is_zero(asked[1], KEY_BYTES);

	assert_true(keys + !!(flags & RBLK_ATTACH_TRUST_FIRST) +
		    !!(flags & RBLK_ATTACH_INSECURE) <= 1);
	memset(peer_key, 0, KEY_BYTES);
	if (flags & RBLK_ATTACH_TRUST_FIRST)
		memset(peer_key, FAKE_TARGET_KEY, KEY_BYTES);
	else if (keys)
		memcpy(peer_key, asked[sodium_is_zero(asked[0], KEY_BYTES)], KEY_BYTES);
}

/* As if the first host that is fenced had I/O until somebody has looked some times more. */
void fake_fence_drains(void)
{
	if (fake.fence_left)
		fake.fenced[0].left = --fake.fence_left;
}

int fake_fence(struct rblkt_ioc_host_fence *fence)
{
	fake.fence = *fence;
	fence->sessions = 1;
	fence->left = fake.fence_left;
	fake.time += 8;
	return 0;
}
