/* SPDX-License-Identifier: GPL-2.0-only */
/* The way to a target, looked at step by step. */
#ifndef RBLKCTL_PATH_H
#define RBLKCTL_PATH_H

#include "doctor/finding.h"
#include "doctor/network.h"

void path_check(struct request *req, struct findings *f, bool configured,
		const struct rdma_port *ports, unsigned int nr);

#endif /* RBLKCTL_PATH_H */
