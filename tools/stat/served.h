/* SPDX-License-Identifier: GPL-2.0-only */
/* What the target has done so far, by export and host. */
#ifndef RBLKCTL_SERVED_H
#define RBLKCTL_SERVED_H

#include "lib/failure.h"

/**
 * struct serving - an export and a host that has had it
 * @export: its name
 * @stat: what the host did with it
 */
struct serving {
	char export[RBLK_NAME_LEN];
	struct rblkt_ioc_host_stat stat;
};

/**
 * struct served - all exports at one moment
 * @time: seconds since some time
 * @nr: entries of @serving
 * @serving: by export, hosts in the order in which they came
 */
struct served {
	double time;
	unsigned int nr;
	struct serving *serving;
};

int served_take(struct served *served, const char *export, struct rblk_failure *fail);
void served_free(struct served *served);
const struct serving *served_find(const struct served *served, const struct serving *like);

#endif /* RBLKCTL_SERVED_H */
