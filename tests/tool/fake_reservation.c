// SPDX-License-Identifier: GPL-2.0-only
/* The part of the made-up modules that answers about reservations: see fake.c. */
#include <errno.h>
#include <stdint.h>

#include "tool.h"

static void fill_registrants(__u64 to, unsigned int room, __u32 *nr)
{
	unsigned int fit = fake.nr_registrants < room ? fake.nr_registrants : room;

	memcpy((void *)(uintptr_t)to, fake.registrants, fit * sizeof(fake.registrants[0]));
	*nr = fake.nr_registrants;
}

static int of_volume(struct rblk_ioc_reservation *arg)
{
	unsigned int i;

	for (i = 0; i < fake.nr_volumes; i++)
		if (fake.volumes[i].volume.index == arg->index)
			break;
	if (i == fake.nr_volumes)
		return fake_fail_at(&arg->error, RBLK_STAGE_LOOKUP, ENOENT);
	arg->generation = 7;
	arg->type = fake.resv_type;
	fill_registrants(arg->registrants, arg->room, &arg->nr);
	return 0;
}

static bool is_export(const char *name)
{
	unsigned int i;

	for (i = 0; i < fake.nr_exports; i++)
		if (!strcmp(fake.exports[i].name, name))
			return true;
	return false;
}

static int of_export(struct rblkt_ioc_reservation_show *show)
{
	if (!is_export(show->name))
		return fake_fail_at(&show->error, RBLK_STAGE_LOOKUP, ENOENT);
	show->generation = 8;
	show->type = fake.resv_type;
	show->kept = 1;
	show->aborting = fake.nr_registrants / 2;
	fill_registrants(show->registrants, show->room, &show->nr);
	return 0;
}

int fake_reservation(unsigned long command, void *arg)
{
	switch (command) {
	case RBLK_IOC_RESERVATION:
		return of_volume(arg);
	case RBLKT_IOC_RESERVATION_SHOW:
		return of_export(arg);
	case RBLKT_IOC_RESERVATION_SET:
		fake.resv_set = *(struct rblkt_ioc_reservation_set *)arg;
		return 0;
	}
	return -ENOTTY;
}
