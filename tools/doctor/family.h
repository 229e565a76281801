/* SPDX-License-Identifier: GPL-2.0-only */
/* What rblk takes of an RDMA device, as far as its driver tells. */
#ifndef RBLKCTL_FAMILY_H
#define RBLKCTL_FAMILY_H

#include "doctor/finding.h"
#include "doctor/network.h"

void family_check(struct findings *f, const struct rdma_port *ports, unsigned int nr);

#endif /* RBLKCTL_FAMILY_H */
