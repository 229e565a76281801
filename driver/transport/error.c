// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns a failure into a sentence.
 */
#include <linux/kernel.h>
#include <linux/stdarg.h>
#include "transport.h"

/**
 * rblk_fail() - describe a failure for the ioctl that will report it
 * @error: filled in whole
 * @stage: enum rblk_stage
 * @err: negative errno
 * @fmt: the sentence, without a full stop
 *
 * If the peer gave a reason code, the caller sets it afterwards.
 *
 * Context: any.
 * Return: @err, so that a caller can return at once.
 */
int rblk_fail(struct rblk_ioc_error *error, u32 stage, int err,
	      const char *fmt, ...)
{
	va_list args;

	memset(error, 0, sizeof(*error));
	error->stage = stage;
	error->error = -err;
	va_start(args, fmt);
	vscnprintf(error->text, sizeof(error->text), fmt, args);
	va_end(args);
	return err;
}
