/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys: of this machine, of its volumes and exports, and of a target. */
#ifndef RBLKCTL_DOCTOR_KEYS_H
#define RBLKCTL_DOCTOR_KEYS_H

#include "doctor/finding.h"

void keys_check(struct findings *f, const bool loaded[2], bool needed);
void keys_check_volume(struct findings *f, const struct rblk_ioc_show *show, const char *name);
void keys_check_exports(struct findings *f);

bool keys_expect(struct request *req);
bool keys_refused(struct findings *f, const struct request *req, bool configured,
		  const struct rblk_failure *fail);

#endif /* RBLKCTL_DOCTOR_KEYS_H */
