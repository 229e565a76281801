// SPDX-License-Identifier: GPL-2.0-only
/* "Did you mean": the nearest of the words that were possible. */
#include <stdio.h>
#include <string.h>

#include "request/suggest.h"

#define MAX_WORD	24	/* longer words are not compared */

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Letters to insert, leave out, change, or swap with the next one. */
static unsigned int edit_distance(const char *a, size_t len_a, const char *b, size_t len_b)
{
	unsigned int d[MAX_WORD + 1][MAX_WORD + 1];
	size_t i, j;

	for (i = 0; i <= len_a; i++)
		for (j = 0; j <= len_b; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[len_a][len_b];
}

/**
 * suggest_try() - compare what was typed with a word that is known
 * @s: what was typed, and the nearest word so far
 * @word: the word
 *
 * About one letter in three may be wrong.
 */
void suggest_try(struct suggestion *s, const char *word)
{
	size_t len = strlen(word);
	unsigned int distance;

	if (len > MAX_WORD || s->len > MAX_WORD)
		return;
	distance = edit_distance(s->typed, s->len, word, len);
	if (distance > (s->len + 1) / 3 || (s->word && distance >= s->distance))
		return;
	s->word = word;
	s->distance = distance;
}

/**
 * suggest_text() - the question
 * @to: empty where no word is near
 * @room: bytes at @to
 * @s: after suggest_try() with each word
 */
void suggest_text(char *to, size_t room, const struct suggestion *s)
{
	to[0] = '\0';
	if (s->word)
		snprintf(to, room, "; did you mean '%s'?", s->word);
}
