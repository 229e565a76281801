/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys of this machine and of others, for the library itself. */
#ifndef LIBRBLK_KEY_H
#define LIBRBLK_KEY_H

#include "lib/librblk.h"
#include "lib/text.h"

#define KEY_PATH	"/etc/rblk/key"
#define KEY_NEXT_PATH	"/etc/rblk/key.next"
#define PSK_PATH	"/etc/rblk/psk"

/**
 * struct secrets - what only root may know
 * @private_key: the machine's
 * @nr_psks: entries of @psks
 * @psks: what it shares with others
 */
struct secrets {
	__u8 private_key[KEY_BYTES];
	unsigned int nr_psks;
	struct rblk_ioc_psk psks[RBLK_MAX_HOSTS];
};

/* When a verb needs the module to have a key. */
enum key_need {
	KEY_IF_THERE,	/* hosts without keys may come, too */
	KEY_NEEDED,	/* one is made, if there is none */
};

int key_give(struct rblk *rblk, enum rblk_side side, enum key_need need,
	     struct rblk_failure *fail);
int key_look(struct rblk_key *key, struct rblk_failure *fail);
int secrets_read(struct secrets *secrets, struct rblk_failure *fail);
int secret_file(const char *path, char *to, size_t room, struct rblk_failure *fail);
int psks_read(struct secrets *secrets, struct rblk_failure *fail);

#endif /* LIBRBLK_KEY_H */
