// SPDX-License-Identifier: GPL-2.0-only
/*
 * curve25519() as the kernel has it.
 */
#include <curve25519.c>
