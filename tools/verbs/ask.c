// SPDX-License-Identifier: GPL-2.0-only
/* Asking a module on behalf of a verb, which ends when that fails. */
#include "lib/target.h"
#include "output/failure.h"
#include "verbs/ask.h"

/**
 * control_open() - control_reach(), and report a failure
 * @req: for messages
 * @side: which module
 *
 * Return: a file descriptor, or -1 having reported why.
 */
int control_open(const struct request *req, enum side side)
{
	struct failure fail;
	int fd = control_reach(side, &fail);

	if (fd < 0)
		failure_report(req, &fail);
	return fd;
}

/**
 * control_once() - control_try(), and report a failure
 * @req: for messages
 * @side: which module
 * @command: RBLK_IOC_* or RBLKT_IOC_*
 * @arg: its structure
 * @error: the error member of @arg
 *
 * Return: EXIT_OK, or EXIT_FAILED having reported why.
 */
int control_once(const struct request *req, enum side side, unsigned long command,
		 void *arg, struct rblk_ioc_error *error)
{
	struct failure fail;

	return control_try(side, command, arg, error, &fail) ?
	       failure_report(req, &fail) : EXIT_OK;
}

/**
 * target_list() - target_get(), and report a failure
 * @req: the request
 * @command: RBLKT_IOC_PORTAL_LIST or RBLKT_IOC_SESSION_LIST
 * @size: of each entry
 * @entries: the entries, to be freed by the caller
 * @nr: how many there are
 *
 * Return: 0, or -1 having reported why.
 */
int target_list(const struct request *req, unsigned long command, size_t size,
		void **entries, unsigned int *nr)
{
	struct failure fail;

	if (!target_get(command, size, entries, nr, &fail))
		return 0;
	failure_report(req, &fail);
	return -1;
}
