/* SPDX-License-Identifier: GPL-2.0-only */
/* What reads the configuration has in common. */
#ifndef RBLKCTL_READER_H
#define RBLKCTL_READER_H

#include <libconfig.h>

#include "config/config.h"

/**
 * struct reader - a file that is being read
 * @path: its name
 * @config: the result
 * @fail: what is wrong with it
 */
struct reader {
	const char *path;
	struct config *config;
	struct rblk_failure *fail;
};

int wrong_at(const struct reader *r, const config_setting_t *at, const char *format, ...)
	__printf(3, 4);
int take_value(const struct reader *r, struct request *req, const char *key,
	       const config_setting_t *value, take_fn take);
int take_hosts(const struct reader *r, struct request *req, const char *key,
	       const config_setting_t *value);
int take_target_keys(const struct reader *r, struct request *req, const char *key,
		     const config_setting_t *value);
int take_hosts_list(const struct reader *r, const config_setting_t *list);

#endif /* RBLKCTL_READER_H */
