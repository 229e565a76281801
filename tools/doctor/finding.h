/* SPDX-License-Identifier: GPL-2.0-only */
/* What a check found, and what mends it. */
#ifndef RBLKCTL_FINDING_H
#define RBLKCTL_FINDING_H

#include "lib/librblk.h"
#include "request/request.h"

enum finding_level {
	FINDING_OK,
	FINDING_SKIPPED,	/* could not be checked, as something else failed */
	FINDING_NOTE,		/* worth knowing, but it works */
	FINDING_BAD,
	FINDING_LEVELS
};

/**
 * struct finding - one of them
 * @level: how bad it is
 * @check: what was looked at, one word
 * @what: what was found, one sentence without a full stop
 * @remedy: what mends it, or empty
 */
struct finding {
	enum finding_level level;
	const char *check;
	char what[600];
	char remedy[512];
};

/**
 * struct findings - all of them
 * @req: for hints
 * @nr: how many
 * @finding: in the order in which they were found
 */
struct findings {
	const struct request *req;
	unsigned int nr;
	struct finding *finding;
};

void finding_add(struct findings *f, enum finding_level level, const char *check,
		 const char *remedy, const char *format, ...) __printf(5, 6);
void finding_fail(struct findings *f, const char *check, const struct rblk_failure *fail);
unsigned int findings_count(const struct findings *f, enum finding_level level);
void findings_print(const struct findings *f);
void findings_free(struct findings *f);

#endif /* RBLKCTL_FINDING_H */
