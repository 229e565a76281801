/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that ask the tool to end, and how it does. */
#ifndef RBLKCTL_INTERRUPT_H
#define RBLKCTL_INTERRUPT_H

void interrupt_begin(void);
int interrupt_pending(void);
void interrupt_defer(void);
void interrupt_heed(void);
int interrupt_end(int status);
int interrupt_written(void);

#endif /* RBLKCTL_INTERRUPT_H */
