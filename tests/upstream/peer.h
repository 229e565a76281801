/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A peer of a RoCE connection that sends and hears packets one by one, as a
 * program says: what is lost, late or wrong is then no matter of luck. It has
 * the other end of the device's veth pair.
 */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>

#define PEER_QPN	0x4711
#define PACKET_MOST	1500

enum {
	OP_SEND_ONLY	= 0x04,
	OP_READ_REQUEST	= 0x0c,
	OP_READ_FIRST	= 0x0d,
	OP_READ_MIDDLE	= 0x0e,
	OP_READ_LAST	= 0x0f,
	OP_READ_ONLY	= 0x10,
	OP_ACK		= 0x11,
	OP_ATOMIC_ACK	= 0x12,
	OP_FETCH_ADD	= 0x14,
	OP_UD_SEND_ONLY	= 0x64,
};

struct peer {
	int fd;
	int ifindex;
	uint8_t mac[6];		/* ours */
	uint8_t device_mac[6];
	uint32_t qpn;		/* of the device */
};

struct packet {
	uint8_t opcode;
	uint32_t qpn;
	uint32_t psn;
};

/* peer_open - interface @name, whose other end is @device's */
void peer_open(struct peer *peer, const char *name, const char *device);

/* peer_hear - the device's next packet within @ms */
bool peer_hear(struct peer *peer, struct packet *packet, unsigned int ms);

/* peer_expect - hear @opcode with @psn, whatever else comes before */
void peer_expect(struct peer *peer, uint8_t opcode, uint32_t psn);

/*
 * peer_say - send a packet to the device's queue pair: @length bytes of @fill
 * are its data; what has an AETH acknowledges
 */
void peer_say(struct peer *peer, uint8_t opcode, uint32_t psn, uint8_t fill, uint32_t length);

#endif
