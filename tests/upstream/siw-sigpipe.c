// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client asks for a connection, and is gone when the program accepts it. That is
 * an error. Where the fault is, the program gets SIGPIPE, too, and would end by it.
 *
 * SIW's own thread clears away what is gone, and must not be faster. So the program
 * has the same processor, and goes first.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cm.h"
#include "fault.h"

#define TRIES	50

/* What the client asks with: RFC 5044, 7.1. No markers, no CRC, no private data. */
struct mpa_request {
	char key[16];
	uint8_t flags;
	uint8_t revision;
	uint16_t private_length;
};

/* hold_signal - SIGPIPE waits, and does not end the program */
static void hold_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static bool signalled(void)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, SIGPIPE);
}

/* go_first - from here on SIW's threads run only while this program sleeps */
static void go_first(void)
{
	struct sched_param first = { .sched_priority = 1 };
	cpu_set_t one;

	run("echo 1 >/sys/devices/virtual/workqueue/cpumask");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) ||
	    sched_setscheduler(0, SCHED_FIFO, &first))
		fault_unknown("a processor");
}

static int client_ask(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(CM_PORT) };
	struct mpa_request request = { .revision = 1 };
	int s = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, DEVICE_IP, &address.sin_addr);
	memcpy(request.key, "MPA ID Req Frame", sizeof(request.key));
	if (connect(s, (struct sockaddr *)&address, sizeof(address)) ||
	    send(s, &request, sizeof(request), 0) != sizeof(request))
		fault_unknown("a client");
	return s;
}

/* client_leave - TCP says first that no more will come, and then that nothing is read */
static void client_leave(int s)
{
	struct linger at_once = { .l_onoff = 1 };

	if (shutdown(s, SHUT_WR) ||
	    setsockopt(s, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) || close(s))
		fault_unknown("a client that leaves");
}

/* accept_late - accept a client that is gone; errno is why that fails */
static int accept_late(struct rdma_cm_id *listener)
{
	struct rdma_conn_param param = { .responder_resources = 4, .initiator_depth = 4 };
	struct rdma_cm_id *id;
	int s = client_ask();

	id = cm_expect(listener, RDMA_CM_EVENT_CONNECT_REQUEST)->id;
	cm_queue(id);
	client_leave(s);
	return rdma_accept(id, &param);
}

int main(void)
{
	struct rdma_cm_id *listener = cm_listen();
	int i;

	hold_signal();
	go_first();
	for (i = 0; i < TRIES; i++) {
		if (!accept_late(listener))
			continue;
		if (signalled())
			fault_seen("SIGPIPE for a client that is gone");
		if (errno == EPIPE)
			fault_not_seen("a client that is gone: %m, and no signal");
	}
	fault_unknown("clients that are gone only after they are accepted");
}
