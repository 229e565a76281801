/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing a file anew: all of it or nothing, and it stays whose and what it was. */
#ifndef RBLKCTL_REPLACE_H
#define RBLKCTL_REPLACE_H

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "lib/failure.h"

/**
 * struct replacement - a file that is being replaced
 * @path: what the user calls it, for messages
 * @to: where it is, behind all links
 * @new: beside it, until it takes its place
 * @there: whether there is one to replace
 * @was: with @there, whose it is and who may do what
 * @file: the new one, to be written and read
 */
struct replacement {
	const char *path;
	char to[PATH_MAX];
	char new[PATH_MAX + 8];
	bool there;
	struct stat was;
	FILE *file;
};

int replace_begin(struct replacement *r, const char *path, struct rblk_failure *fail);
int replace_end(struct replacement *r, struct rblk_failure *fail);
void replace_drop(struct replacement *r);

#endif /* RBLKCTL_REPLACE_H */
