// SPDX-License-Identifier: GPL-2.0-only
/* Words for the numbers of rblk_ioctl.h. */
#include "lib/names.h"
#include "rblk_wire.h"

#define WORD(name, value, words)	[name] = words,
#define WORD_AT(name, words)		[name] = words,

static const char * const stages[] = { RBLK_STAGE_TABLE(WORD) };
static const char * const volume_states[] = { RBLK_VOLUME_STATE_TABLE(WORD) };
static const char * const session_states[] = { RBLK_SESSION_STATE_TABLE(WORD) };
static const char * const counters[] = { RBLK_COUNTER_TABLE(WORD_AT) };
static const struct {
	unsigned int bit;
	const char *name;
} features[] = {
	{ RBLK_FEAT_READ_IMM, "read_imm" },
	{ RBLK_FEAT_WRITE_PUSH, "write_push" },
	{ RBLK_FEAT_WRITE_WINDOW, "write_window" },
	{ RBLK_FEAT_DIGEST, "digest" },
};

const char * const latency_op_name[RBLK_LATENCY_OPS] = { RBLK_LATENCY_OP_TABLE(WORD_AT) };
const char * const latency_part_name[RBLK_LATENCY_PARTS] = { RBLK_LATENCY_PART_TABLE(WORD_AT) };

static const char *word_of(const char * const *words, size_t nr, unsigned int i)
{
	return i < nr && words[i] ? words[i] : "unknown";
}

/**
 * rblk_stage_text() - how far a command had come
 * @stage: enum rblk_stage
 *
 * Return: a word.
 */
const char *rblk_stage_text(unsigned int stage)
{
	return word_of(stages, ARRAY_SIZE(stages), stage);
}

/**
 * rblk_volume_state_text() - a volume's state
 * @state: enum rblk_volume_state
 *
 * Return: a word.
 */
const char *rblk_volume_state_text(unsigned int state)
{
	return word_of(volume_states, ARRAY_SIZE(volume_states), state);
}

/**
 * rblk_session_state_text() - a session's state
 * @state: enum rblk_session_state
 *
 * Return: a word.
 */
const char *rblk_session_state_text(unsigned int state)
{
	return word_of(session_states, ARRAY_SIZE(session_states), state);
}

/**
 * rblk_counter_text() - what a session counts
 * @counter: enum rblk_counter
 *
 * Return: a word.
 */
const char *rblk_counter_text(unsigned int counter)
{
	return word_of(counters, ARRAY_SIZE(counters), counter);
}

/**
 * feature_text() - the next feature of the protocol in a set
 * @bits: RBLK_FEAT_*
 * @i: where to look, 0 at first; out: where to look on
 *
 * Return: a word, or NULL after the last.
 */
const char *feature_text(unsigned int bits, size_t *i)
{
	while (*i < ARRAY_SIZE(features))
		if (bits & features[(*i)++].bit)
			return features[*i - 1].name;
	return NULL;
}
