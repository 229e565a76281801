// SPDX-License-Identifier: GPL-2.0-only
/*
 * A linear device is on a disk that counts preemptions (module/pr-disk.c). Three
 * are sent: with abort to the disk itself, plain and with abort by way of dm.
 * Where the fault is, the last arrives as a plain one.
 */
#include <fcntl.h>
#include <linux/pr.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fault.h"

#define DISK	"/dev/prdisk"
#define OVER	"/dev/mapper/over"

static int count(const char *what)
{
	char path[80];
	FILE *file;
	int n;

	snprintf(path, sizeof(path), "/sys/module/pr_disk/parameters/%s", what);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &n) != 1)
		fault_unknown("%s", path);
	fclose(file);
	return n;
}

/* preempt - by @device, which must arrive; was it with abort? */
static int preempt(const char *device, unsigned long request)
{
	struct pr_preempt command = { .old_key = 1, .new_key = 2, .type = PR_WRITE_EXCLUSIVE };
	int preempts = count("preempts"), aborts = count("aborts");
	int fd = open(device, O_RDWR);

	if (fd < 0 || ioctl(fd, request, &command))
		fault_unknown("preemption by %s", device);
	close(fd);
	if (count("preempts") != preempts + 1)
		fault_unknown("a preemption by %s that arrives once", device);
	return count("aborts") - aborts;
}

int main(void)
{
	if (preempt(DISK, IOC_PR_PREEMPT_ABORT) != 1)
		fault_unknown("preempt-and-abort of the disk itself");
	if (preempt(OVER, IOC_PR_PREEMPT) != 0)
		fault_seen("a plain preemption arrives below dm-linear with abort");
	if (preempt(OVER, IOC_PR_PREEMPT_ABORT) != 1)
		fault_seen("preempt-and-abort arrives below dm-linear without abort");
	fault_not_seen("preempt-and-abort arrives below dm-linear as it was sent");
}
