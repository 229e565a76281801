/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking up a host's name, which a signal may end. */
#ifndef LIBRBLK_LOOKUP_H
#define LIBRBLK_LOOKUP_H

#include <netdb.h>

struct rblk;

int lookup(const struct rblk *rblk, const char *host, const struct addrinfo *hints,
	   struct addrinfo **list);

#endif /* LIBRBLK_LOOKUP_H */
