/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking up a host's name, which a signal may end. */
#ifndef RBLKCTL_LOOKUP_H
#define RBLKCTL_LOOKUP_H

#include <netdb.h>

int lookup(const char *host, const struct addrinfo *hints, struct addrinfo **list);

#endif /* RBLKCTL_LOOKUP_H */
