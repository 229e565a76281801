/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages as terms, and what an attacker can make of those he has.
 *
 * A term is a name, a Diffie-Hellman value or a function of terms.  Each is kept
 * once, so that two terms are equal if their numbers are.  A Diffie-Hellman value
 * is the sorted list of the secrets that are multiplied into the base point: so
 * X(a, B) and X(b, A) are one term.  Functions (hash, keyed hash, MAC) are ideal:
 * who has all arguments can make the result, and nobody learns an argument from it.
 *
 * The model says which names are the attacker's (name_known) and which terms honest
 * sides have sent (term_sent); both may look at the state of the search.
 */
#ifndef RBLK_MODEL_TERMS_H
#define RBLK_MODEL_TERMS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TERM_ARGS	8
#define TERM_MAX	60000
#define TERM_HASH	131072

enum term_kind { TERM_NAME = 1, TERM_DH, TERM_FUNCTION };

struct term {
	unsigned char kind;
	unsigned char nr;
	unsigned short label;
	unsigned short arg[TERM_ARGS];
};

static struct term term_table[TERM_MAX];
static unsigned short term_index[TERM_HASH];
static unsigned int term_nr;

/* The model defines these: is the name the attacker's, was this term sent? */
static int name_known(int name);
static int term_sent(unsigned short t);

static unsigned short term_get(const struct term *new)
{
	unsigned int at = new->kind * 31u + new->label, i;
	const struct term *old;

	for (i = 0; i < new->nr; i++)
		at = at * 16777619u + new->arg[i];
	at ^= at >> 15;
	for (at %= TERM_HASH; term_index[at]; at = (at + 1) % TERM_HASH) {
		old = &term_table[term_index[at]];
		if (old->kind != new->kind || old->label != new->label || old->nr != new->nr)
			continue;
		for (i = 0; i < new->nr && old->arg[i] == new->arg[i]; i++)
			;
		if (i == new->nr)
			return term_index[at];
	}
	if (++term_nr >= TERM_MAX) {
		fputs("error: too many terms\n", stderr);
		exit(2);
	}
	term_table[term_nr] = *new;
	term_index[at] = term_nr;
	return term_nr;
}

static unsigned short name(int label)
{
	struct term new = { .kind = TERM_NAME, .label = label };

	return term_get(&new);
}

/* f(LABEL, terms..., 0): a function of these, named by its label */
static unsigned short f(int label, ...)
{
	struct term new = { .kind = TERM_FUNCTION, .label = label };
	va_list args;
	int t;

	va_start(args, label);
	while ((t = va_arg(args, int)) != 0)
		new.arg[new.nr++] = t;
	va_end(args);
	return term_get(&new);
}

/* The value that no secret changes: what is all zero after X25519. */
static unsigned short dh_zero(void)
{
	struct term new = { .kind = TERM_DH, .label = 1 };

	return term_get(&new);
}

/* X25519(@secret, @value); the base point is value 0. */
static unsigned short dh(int secret, unsigned short value)
{
	struct term new = { .kind = TERM_DH };
	unsigned int i;

	if (value) {
		new = term_table[value];
		if (new.label == 1)
			return value;
	}
	for (i = new.nr++; i > 0 && new.arg[i - 1] > secret; i--)
		new.arg[i] = new.arg[i - 1];
	new.arg[i] = secret;
	return term_get(&new);
}

/* Can the attacker have it? */
static int knows(unsigned short t)
{
	const struct term *term = &term_table[t];
	unsigned int i, lacks = 0;

	if (term_sent(t))
		return 1;
	switch (term->kind) {
	case TERM_NAME:
		return name_known(term->label);
	case TERM_DH:
		/* All public keys are his: one secret he may lack. */
		for (i = 0; i < term->nr; i++)
			lacks += !name_known(term->arg[i]);
		return lacks <= 1;
	default:
		for (i = 0; i < term->nr; i++) {
			if (!knows(term->arg[i]))
				return 0;
		}
		return 1;
	}
}

#endif
