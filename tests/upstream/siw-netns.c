// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device, its interface and address are in a network namespace, and an id of
 * rdma_cm was made there. The thread that then listens is in another namespace,
 * as the kernel's threads are. Where the fault is, SIW looks there for the address.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>

#include "cm.h"
#include "fault.h"

static void enter(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || setns(fd, CLONE_NEWNET))
		fault_unknown("namespace %s", path);
}

int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(CM_PORT) };
	struct rdma_cm_id *id;

	inet_pton(AF_INET, DEVICE_IP, &address.sin_addr);
	enter("/run/netns/away");
	if (rdma_create_id(rdma_create_event_channel(), &id, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(id, (struct sockaddr *)&address))
		fault_unknown("an id in the device's namespace");
	enter("/proc/1/ns/net");
	if (rdma_listen(id, 16))
		fault_seen("no listener on %s: SIW looked in the wrong namespace: %m", DEVICE_IP);
	fault_not_seen("SIW listens where its device is");
}
