// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a failure becomes a sentence.
 */
#include <linux/kernel.h>
#include <linux/stdarg.h>
#include "transport.h"

/**
 * rblk_fail() - note what went wrong, for the ioctl that will report it
 * @error: filled in
 * @stage: enum rblk_stage
 * @err: negative errno
 * @fmt: the sentence, without a full stop
 *
 * The peer's reason code, where there is one, is set by the caller afterwards.
 *
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
