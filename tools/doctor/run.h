/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs the verb "doctor". */
#ifndef RBLKCTL_DOCTOR_RUN_H
#define RBLKCTL_DOCTOR_RUN_H

#include "request/request.h"

int doctor_run(struct request *req);

#endif /* RBLKCTL_DOCTOR_RUN_H */
