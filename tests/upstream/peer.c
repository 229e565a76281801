// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fault.h"
#include "peer.h"

#define ROCE_PORT	4791
#define BTH		12
#define AETH		4
#define ICRC		4
#define ACK_CREDITS	0x1f	/* an ACK that says nothing of credits */

#pragma pack(push, 1)
struct headers {
	struct ether_header eth;
	struct iphdr ip;
	struct udphdr udp;
	uint8_t bth[BTH];
};

#pragma pack(pop)

static void mac_of(int fd, const char *name, uint8_t *mac)
{
	struct ifreq req = {};

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	if (ioctl(fd, SIOCGIFHWADDR, &req))
		fault_unknown("interface %s", name);
	memcpy(mac, req.ifr_hwaddr.sa_data, 6);
}

void peer_open(struct peer *peer, const char *name, const char *device)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP) };

	peer->ifindex = if_nametoindex(name);
	address.sll_ifindex = peer->ifindex;
	peer->fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP));
	if (peer->fd < 0 || bind(peer->fd, (struct sockaddr *)&address, sizeof(address)))
		fault_unknown("packets of %s", name);
	mac_of(peer->fd, name, peer->mac);
	mac_of(peer->fd, device, peer->device_mac);
}

static uint32_t be24(const uint8_t *p)
{
	return p[0] << 16 | p[1] << 8 | p[2];
}

static void put_be24(uint8_t *p, uint32_t v)
{
	p[0] = v >> 16;
	p[1] = v >> 8;
	p[2] = v;
}

/* hear_one - whatever comes next; is it one of the device's? */
static bool hear_one(struct peer *peer, struct packet *packet)
{
	uint8_t frame[PACKET_MOST + sizeof(struct headers)];
	const struct headers *h = (const struct headers *)frame;
	struct sockaddr_ll from = {};
	socklen_t size = sizeof(from);
	ssize_t n = recvfrom(peer->fd, frame, sizeof(frame), 0, (struct sockaddr *)&from, &size);

	if (n < (ssize_t)sizeof(*h) || from.sll_pkttype == PACKET_OUTGOING ||
	    h->ip.protocol != IPPROTO_UDP || h->udp.dest != htons(ROCE_PORT))
		return false;
	packet->opcode = h->bth[0];
	packet->qpn = be24(h->bth + 5);
	packet->psn = be24(h->bth + 9);
	return true;
}

bool peer_hear(struct peer *peer, struct packet *packet, unsigned int ms)
{
	struct pollfd ready = { .fd = peer->fd, .events = POLLIN };
	uint64_t end = now_ms() + ms, now;

	while ((now = now_ms()) < end)
		if (poll(&ready, 1, end - now) > 0 && hear_one(peer, packet))
			return true;
	return false;
}

void peer_expect(struct peer *peer, uint8_t opcode, uint32_t psn)
{
	struct packet packet = {};

	do {
		errno = ETIMEDOUT;
		if (!peer_hear(peer, &packet, 5000))
			fault_unknown("no packet %#x, number %#x", opcode, psn);
	} while (packet.opcode != opcode || packet.psn != psn);
}

static uint32_t crc32(uint32_t crc, const uint8_t *p, size_t n)
{
	int bit;

	while (n--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

/*
 * icrc - over all that no router changes: the rest counts as ones, and so do
 * eight bytes before (annex A17 of the InfiniBand specification)
 */
static uint32_t icrc(const uint8_t *frame, size_t length)
{
	static const uint8_t ones[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
	struct headers h;
	uint32_t crc;

	memcpy(&h, frame, sizeof(h));
	h.ip.ttl = 0xff;
	h.ip.check = 0xffff;
	h.ip.tos = 0xff;
	h.udp.check = 0xffff;
	h.bth[4] = 0xff;
	crc = crc32(0xffffffff, ones, sizeof(ones));
	crc = crc32(crc, (const uint8_t *)&h.ip, sizeof(h) - sizeof(h.eth));
	return ~crc32(crc, frame + sizeof(h), length - sizeof(h));
}

static uint16_t ip_sum(struct iphdr ip)
{
	uint16_t words[sizeof(ip) / 2];
	uint32_t sum = 0;
	unsigned int i;

	memcpy(words, &ip, sizeof(ip));
	for (i = 0; i < sizeof(ip) / 2; i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

static void make_headers(const struct peer *peer, struct headers *h, size_t length)
{
	memcpy(h->eth.ether_dhost, peer->device_mac, 6);
	memcpy(h->eth.ether_shost, peer->mac, 6);
	h->eth.ether_type = htons(ETH_P_IP);
	h->ip = (struct iphdr){
		.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP,
		.tot_len = htons(length - sizeof(h->eth)), .frag_off = htons(IP_DF),
		.saddr = inet_addr(PEER_IP), .daddr = inet_addr(DEVICE_IP),
	};
	h->ip.check = ip_sum(h->ip);
	h->udp.source = htons(0xc000);
	h->udp.dest = htons(ROCE_PORT);
	h->udp.len = htons(length - sizeof(h->eth) - sizeof(h->ip));
}

void peer_say(struct peer *peer, uint8_t opcode, uint32_t psn, uint8_t fill, uint32_t length)
{
	uint8_t frame[PACKET_MOST] = {}, *p = frame + sizeof(struct headers);
	struct headers *h = (struct headers *)frame;
	uint32_t crc;

	h->bth[0] = opcode;
	h->bth[2] = 0xff;
	h->bth[3] = 0xff;
	put_be24(h->bth + 5, peer->qpn);
	put_be24(h->bth + 9, psn);
	if (opcode != OP_READ_MIDDLE) {
		*p = ACK_CREDITS;
		p += AETH;
	}
	memset(p, fill, length);
	p += length;
	make_headers(peer, h, p + ICRC - frame);
	crc = icrc(frame, p - frame);
	memcpy(p, &crc, ICRC);
	p += ICRC;
	if (send(peer->fd, frame, p - frame, 0) != p - frame)
		fault_unknown("a packet of the peer's");
}
