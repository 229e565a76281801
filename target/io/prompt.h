/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Being prompt.  Where sends are a softirq's work, those of a thread wait until
 * another thread, the softirq's, gets its turn; and what is held so finds company.
 * A host that waits for one answer (RBLK_HDRF_ALONE) has no company to offer.  With
 * softirqs off while its sends are posted they run when softirqs go on again: here,
 * and now.
 */
#ifndef RBLKT_PROMPT_H
#define RBLKT_PROMPT_H

#include <linux/bottom_half.h>
#include <linux/irqflags.h>
#include "../core.h"

/*
 * Before taking the connection's lock to post; any context.  Returns what
 * rblkt_prompt_end() is told after that: the command may be another's by then.
 */
static inline bool rblkt_prompt_begin(const struct rblkt_cmd *cmd)
{
	bool prompt = cmd->prompt && in_task() && !irqs_disabled();

	if (prompt)
		local_bh_disable();
	return prompt;
}

static inline void rblkt_prompt_end(bool prompt)
{
	if (prompt)
		local_bh_enable();
}

#endif
