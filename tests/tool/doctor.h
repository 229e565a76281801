/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of the verb "doctor" share. */
#ifndef RBLK_TESTS_DOCTOR_H
#define RBLK_TESTS_DOCTOR_H

#include "tool.h"

#define PORTS	"rdma -j link show"
#define ROUTE	"ip -j route get 10.0.0.1"
#define OWNER	"ip -j address show to 10.0.0.2"
#define LINK	"ip -j link show dev eth1"

void program_ends(const char *line, const char *out, struct ended ended);
void program_prints(const char *line, const char *out);
int doctor_healthy(void **state);
void doctor_bad(const char *line, const char *check, const char *what, const char *remedy);
void doctor_note(const char *line, const char *check, const char *what);

#endif /* RBLK_TESTS_DOCTOR_H */
