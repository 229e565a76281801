/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing a configuration as rblk.conf(5) describes it. */
#ifndef RBLKCTL_WRITE_H
#define RBLKCTL_WRITE_H

#include "config/config.h"

bool conf_by_hand(const char *path);
void conf_write(const struct config *config, FILE *file);

#endif /* RBLKCTL_WRITE_H */
