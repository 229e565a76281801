// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module that both sides take their authentication from.  It has no state.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("rblk remote block device: authentication");
MODULE_AUTHOR("The rblk developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(RBLK_VERSION);
