// SPDX-License-Identifier: GPL-2.0-only
/* Processes of the tool's own, one for each item that may take long. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "config/children.h"
#include "system/interrupt.h"

/* One that is reaped is no process any more, so that no other one is meant. */
static void forget(pid_t *child, unsigned int nr, pid_t gone)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (child[i] == gone)
			child[i] = 0;
}

static void pass_on(const pid_t *child, unsigned int nr, int signal)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (child[i] > 0)
			kill(child[i], signal);
}

static bool any_left(const pid_t *child, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (child[i] > 0)
			return true;
	return false;
}

/**
 * children_wait() - wait until none of these children is left
 * @child: processes that were begun; negative where that failed
 * @nr: how many
 *
 * A signal that ends us ends them, too: each undoes what it has begun, and is
 * waited for.
 */
void children_wait(pid_t *child, unsigned int nr)
{
	bool told = false;
	pid_t gone;

	/* There may be others: those that our caller had, and orphans if we are init. */
	while (any_left(child, nr)) {
		if (interrupt_pending() && !told) {
			pass_on(child, nr, interrupt_pending());
			told = true;
		}
		gone = wait(NULL);
		if (gone > 0)
			forget(child, nr, gone);
		else if (errno != EINTR)
			return;
	}
}
