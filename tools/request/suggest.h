/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBLKCTL_SUGGEST_H
#define RBLKCTL_SUGGEST_H

#include <stddef.h>

#define SUGGEST_TEXT	48

/**
 * struct suggestion - the nearest word so far
 * @typed: what was typed
 * @len: how much of it counts
 * @word: the nearest, or NULL
 * @distance: how far it is
 */
struct suggestion {
	const char *typed;
	size_t len;
	const char *word;
	unsigned int distance;
};

void suggest_try(struct suggestion *s, const char *word);
void suggest_text(char *to, size_t room, const struct suggestion *s);

#endif /* RBLKCTL_SUGGEST_H */
