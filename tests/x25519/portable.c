// SPDX-License-Identifier: GPL-2.0-only
/*
 * The multiplication in portable C.  User Mode Linux has no other.
 */
#include <curve25519-hacl64.c>
