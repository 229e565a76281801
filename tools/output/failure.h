/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling of a failure, and what to try. */
#ifndef RBLKCTL_FAILURE_H
#define RBLKCTL_FAILURE_H

#include "lib/librblk.h"
#include "request/request.h"

struct json_object;

void failure_print(const struct request *req, const struct rblk_failure *fail);
struct json_object *failed_json(const struct request *req, const struct rblk_failure *fail);
int failure_report(const struct request *req, const struct rblk_failure *fail);
void failure_subject(char *to, size_t room, const struct request *req);
const char *hint_find(const struct request *req, const struct rblk_failure *fail);
void hint_expand(char *to, size_t room, const char *hint, const struct request *req);

#endif /* RBLKCTL_FAILURE_H */
