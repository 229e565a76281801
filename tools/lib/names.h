/* SPDX-License-Identifier: GPL-2.0-only */
/* Words for what rblk_ioctl.h has numbers for; librblk.h has the others. */
#ifndef LIBRBLK_NAMES_H
#define LIBRBLK_NAMES_H

#include "lib/librblk.h"
#include "lib/text.h"

extern const char * const latency_op_name[RBLK_LATENCY_OPS];
extern const char * const latency_part_name[RBLK_LATENCY_PARTS];

const char *feature_text(unsigned int bits, size_t *i);

#endif /* LIBRBLK_NAMES_H */
