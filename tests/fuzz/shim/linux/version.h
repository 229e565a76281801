/* SPDX-License-Identifier: GPL-2.0-only */
/* The shims have the names of the newest kernel, as shim/flags says. */
