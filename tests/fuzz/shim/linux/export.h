/* SPDX-License-Identifier: GPL-2.0-only */
/* There are no modules here: shim/flags makes nothing of an export. */
