/* SPDX-License-Identifier: GPL-2.0-only */
/* What several verbs print alike: lists, sessions, names of states. */
#ifndef RBLKCTL_REPORT_H
#define RBLKCTL_REPORT_H

#include "output/output.h"
#include "request/request.h"

/**
 * struct report - a list in both its forms
 * @table: for people
 * @array: for --json
 */
struct report {
	struct table table;
	struct json_object *array;
};

void report_start(struct report *report, const struct request *req);
int report_end(struct report *report, const struct request *req,
	       const struct rblk_failure *fail, const char *key);

void pin_tell(const struct request *req, const __u8 key[KEY_BYTES]);
void session_print(const struct rblk_ioc_session *session, const char *peer);

#endif /* RBLKCTL_REPORT_H */
