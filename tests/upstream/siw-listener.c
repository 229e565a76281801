// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP clients connect to a listener of SIW, and hang up at once. Where the fault
 * is, that closes the listener, and its owner then frees it a second time.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cm.h"
#include "fault.h"

#define CLIENTS	200

int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(CM_PORT) };
	struct rdma_cm_id *listener = cm_listen();
	int i, s;

	setbuf(stdout, NULL);
	inet_pton(AF_INET, DEVICE_IP, &address.sin_addr);
	for (i = 0; i < CLIENTS; i++) {
		s = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(s, (struct sockaddr *)&address, sizeof(address)))
			break;
		close(s);
	}
	usleep(500000);
	printf("after %d clients the listener is closed by its owner\n", i);
	if (i == CLIENTS)
		close(socket(AF_INET, SOCK_STREAM, 0));
	else if (errno != ECONNREFUSED)
		fault_unknown("client %d", i);
	rdma_destroy_id(listener);
	if (i < CLIENTS)
		fault_seen("the listener was gone after %d clients had hung up", i);
	fault_not_seen("the listener outlives %d clients that hang up", i);
}
