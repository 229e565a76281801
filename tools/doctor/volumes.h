/* SPDX-License-Identifier: GPL-2.0-only */
/* The volumes of this host. */
#ifndef RBLKCTL_DOCTOR_VOLUMES_H
#define RBLKCTL_DOCTOR_VOLUMES_H

#include "doctor/finding.h"

bool doctor_line(const char *path, char *to, size_t room);
void volumes_check(struct findings *f);

#endif /* RBLKCTL_DOCTOR_VOLUMES_H */
