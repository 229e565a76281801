// SPDX-License-Identifier: GPL-2.0-only
/*
 * What rblk takes of an RDMA device, before anything is attached.  The driver tells the
 * family, and families.h has what rblk takes of it on a model adapter of that family.
 */
#include <stdio.h>
#include <string.h>

#include "doctor/families.h"
#include "doctor/family.h"

/* An unknown device, or one that speaks what its family's model does not, has none. */
static const struct family *family_of(const struct rdma_port *port)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(families); i++)
		if (!strcmp(port->driver, families[i].driver) &&
		    (!families[i].name || port->iwarp == families[i].iwarp))
			return &families[i];
	return NULL;
}

static void tell_family(struct findings *f, const struct rdma_port *port)
{
	const struct family *family = family_of(port);
	char remedy[128] = "another RDMA device; or rdma link add rxe0 type rxe netdev INTERFACE";

	if (!family)
		return;
	if (family->name) {
		finding_add(f, FINDING_OK, "adapter", NULL, "%s is as %s in docs/adapters.md: %s",
			    port->device, family->name, family->says);
		return;
	}
	if (port->netdev[0])
		snprintf(remedy, sizeof(remedy),
			 "another RDMA device; or rdma link add rxe0 type rxe netdev %s",
			 port->netdev);
	finding_add(f, FINDING_NOTE, "adapter", remedy,
		    "rblk cannot use %s: its driver, %s, has %s", port->device,
		    family->driver, family->says);
}

/**
 * family_check() - what rblk takes of the RDMA devices
 * @f: what is found
 * @ports: of the devices, those of one device together
 * @nr: how many
 */
void family_check(struct findings *f, const struct rdma_port *ports, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!i || strcmp(ports[i].device, ports[i - 1].device))
			tell_family(f, &ports[i]);
}
