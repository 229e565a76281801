// SPDX-License-Identifier: GPL-2.0-only
/*
 * MACs of messages, on connections whose host has proven its key.
 *
 * A message is signed right before it takes its place in the send queue, and checked
 * right after its receive: counters that both sides keep say which one it is.  What
 * comes in loses its MAC here, and what goes out gets it here.  So nothing behind this
 * file, no checker and no encoder, needs to know whether messages have MACs.
 */
#include <linux/slab.h>
#include "transport.h"

/* Up to there the MAC covers a message with inline data. */
#define HEAD	RBLK_WIRE_DATA_OFFSET
#define WHOLE	RBLKT_WHOLE_BYTES

/**
 * rblkt_sign_begin - from now on messages have MACs
 * @conn: no message has one yet; undone by rblkt_sign_end(), also after failure
 * @secret: the session's, RBLK_AUTH_SECRET_LEN bytes
 * @greeting: the connection's
 *
 * Context: process; may sleep.  The host sends no message before it has an answer, or
 * before the connection is accepted.
 * Return: 0 or -ENOMEM.
 */
int rblkt_sign_begin(struct rblkt_conn *conn, const u8 *secret,
		     const struct rblk_auth_greeting *greeting)
{
	if (conn->recv_parts[1].len) {
		conn->whole = kmalloc(WHOLE, GFP_KERNEL);
		if (!conn->whole)
			return -ENOMEM;
		conn->memory += WHOLE;
	}
	rblk_auth_mac_init(&conn->rx_mac, secret, RBLK_AUTH_TO_TARGET, greeting);
	rblk_auth_mac_init(&conn->tx_mac, secret, RBLK_AUTH_TO_HOST, greeting);
	/* Pairs with rblkt_signs(): the keys are there. */
	smp_store_release(&conn->signs, true);
	return 0;
}

/**
 * rblkt_sign_end - forget a connection's keys
 * @conn: without receives and sends
 *
 * Context: process; may sleep.
 */
void rblkt_sign_end(struct rblkt_conn *conn)
{
	kfree(conn->whole);
	conn->whole = NULL;
	rblk_auth_mac_wipe(&conn->rx_mac);
	rblk_auth_mac_wipe(&conn->tx_mac);
}

/* The first @bytes of a message, in one piece. */
static void *sign_whole(const struct rblkt_conn *conn, const struct rblkt_recv *recv, u32 bytes)
{
	if (bytes <= HEAD || !conn->recv_parts[1].len)
		return recv->msg;
	memcpy(conn->whole, recv->msg, HEAD);
	memcpy(conn->whole + HEAD, recv->data, bytes - HEAD);
	return conn->whole;
}

/**
 * rblkt_sign_check - check the MAC of a message, and take it away
 * @conn: a connection whose messages have MACs
 * @recv: the message
 * @len: bytes received; what it would have been without a MAC afterwards
 *
 * Context: process, the connection's receive context.
 * Return: RBLKT_BAD_NONE, or why the connection has to end.
 */
enum rblkt_bad rblkt_sign_check(struct rblkt_conn *conn, struct rblkt_recv *recv, u32 *len)
{
	struct rblk_wire_hdr *hdr = recv->msg;
	u32 bytes = *len;
	bool data;

	if (bytes < sizeof(*hdr) + RBLK_WIRE_MAC_LEN)
		return RBLKT_BAD_SHORT;
	data = hdr->flags & cpu_to_le16(RBLK_HDRF_DATA);
	if (data && bytes >= HEAD)
		bytes = HEAD;
	else if (data || bytes > (conn->qid ? WHOLE : RBLK_WIRE_CTRL_MAX) ||
		 le32_to_cpu(hdr->length) != bytes)
		return RBLKT_BAD_LENGTH;
	if (rblk_auth_check(&conn->rx_mac, sign_whole(conn, recv, bytes), bytes))
		return RBLKT_BAD_MAC;
	if (data) {
		memset(recv->msg + HEAD - RBLK_WIRE_MAC_LEN, 0, RBLK_WIRE_MAC_LEN);
		return RBLKT_BAD_NONE;
	}
	*len = bytes - RBLK_WIRE_MAC_LEN;
	hdr->length = cpu_to_le32(*len);
	return RBLKT_BAD_NONE;
}

/**
 * rblkt_sign_put - put the MAC into a message, if messages have MACs
 * @conn: the connection
 * @msg: the complete message, which takes its place in the send queue next.  There is
 *       room for a MAC.  Inline data is elsewhere
 *
 * Context: any, with conn->lock held.
 * Return: bytes of the message without its inline data.
 */
u32 rblkt_sign_put(struct rblkt_conn *conn, void *msg)
{
	struct rblk_wire_hdr *hdr = msg;
	bool data = hdr->flags & cpu_to_le16(RBLK_HDRF_DATA);
	u32 bytes = data ? HEAD : le32_to_cpu(hdr->length);

	lockdep_assert_held(&conn->lock);
	if (!rblkt_signs(conn))
		return bytes;
	if (data) {
		u32 used = sizeof(*hdr) + sizeof(struct rblk_wire_rsp);

		/* The MAC of a shorter message may be there. */
		memset(msg + used, 0, HEAD - used);
	} else {
		bytes += RBLK_WIRE_MAC_LEN;
		hdr->length = cpu_to_le32(bytes);
	}
	rblk_auth_sign(&conn->tx_mac, msg, bytes);
	return bytes;
}
