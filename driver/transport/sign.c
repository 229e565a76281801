// SPDX-License-Identifier: GPL-2.0-only
/*
 * MACs of messages, on connections to a target that has proven its key.
 *
 * A message is signed when it is posted, and checked when its receive completes:
 * counters that both sides keep say which one it is.  What comes in loses its MAC
 * here, and what goes out gets it here.  So no checker and no encoder needs to know
 * whether messages have MACs.
 */
#include "transport.h"

/* Up to there the MAC covers a message with inline data. */
#define HEAD	RBLK_WIRE_DATA_OFFSET

/**
 * rblk_sign_begin() - from now on messages have MACs
 * @conn: connected; no message has one yet, and the peer sends none before we do
 * @secret: the session's, RBLK_AUTH_SECRET_LEN bytes
 *
 * Context: any.
 */
void rblk_sign_begin(struct rblk_conn *conn, const u8 *secret)
{
	struct rblk_sign *sign = &conn->sign;

	rblk_auth_mac_init(&sign->tx, secret, RBLK_AUTH_TO_TARGET, &conn->greeting);
	rblk_auth_mac_init(&sign->rx, secret, RBLK_AUTH_TO_HOST, &conn->greeting);
	/* Pairs with rblk_signs(): the keys are there. */
	smp_store_release(&sign->on, true);
}

/**
 * rblk_sign_end() - forget a connection's keys
 * @conn: drained
 *
 * Context: any.
 */
void rblk_sign_end(struct rblk_conn *conn)
{
	rblk_auth_mac_wipe(&conn->sign.tx);
	rblk_auth_mac_wipe(&conn->sign.rx);
}

/**
 * rblk_sign_check() - check the MAC of a message, and take it away
 * @conn: a connection whose messages have MACs
 * @buf: receive buffer with the message
 * @msg: describes the message; what it would have been without a MAC afterwards
 *
 * Context: softirq, or as the receive handlers of a polled connection.
 * Return: false if the target has not sent this as its next message.
 */
bool rblk_sign_check(struct rblk_conn *conn, void *buf, struct rblk_arrival *msg)
{
	struct rblk_wire_hdr *hdr = buf;
	u32 bytes = msg->bytes;
	bool data;

	if (bytes < sizeof(*hdr) + RBLK_WIRE_MAC_LEN || bytes > conn->recv_size)
		return false;
	data = hdr->flags & cpu_to_le16(RBLK_HDRF_DATA);
	if (data ? bytes < HEAD : le32_to_cpu(hdr->length) != bytes)
		return false;
	if (data)
		bytes = HEAD;
	if (rblk_auth_check(&conn->sign.rx, buf, bytes))
		return false;
	if (data) {
		memset(buf + HEAD - RBLK_WIRE_MAC_LEN, 0, RBLK_WIRE_MAC_LEN);
		return true;
	}
	msg->bytes = bytes - RBLK_WIRE_MAC_LEN;
	hdr->length = cpu_to_le32(msg->bytes);
	return true;
}

/**
 * rblk_sign_put() - put the MAC into a message, if messages have MACs
 * @conn: the connection
 * @wr: sends @msg as its first element, and is posted next
 * @msg: the complete message, with room for a MAC
 *
 * Context: any, with the connection's sq_lock held.
 */
void rblk_sign_put(struct rblk_conn *conn, const struct ib_send_wr *wr, void *msg)
{
	struct rblk_wire_hdr *hdr = msg;
	struct ib_sge *sge = wr->sg_list;
	u32 bytes = HEAD;

	lockdep_assert_held(&conn->sq_lock);
	if (!rblk_signs(&conn->sign))
		return;
	if (!(hdr->flags & cpu_to_le16(RBLK_HDRF_DATA))) {
		bytes = le32_to_cpu(hdr->length) + RBLK_WIRE_MAC_LEN;
		hdr->length = cpu_to_le32(bytes);
	}
	rblk_auth_sign(&conn->sign.tx, msg, bytes);
	sge->length = bytes;
	ib_dma_sync_single_for_device(conn->device, sge->addr, bytes, DMA_TO_DEVICE);
}
