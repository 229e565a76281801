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
 * rblk_sign_init() - from now on the target's messages have MACs
 * @conn: connected; the target sends no message before it has one of ours
 * @secret: the session's, RBLK_AUTH_SECRET_LEN bytes
 *
 * Context: any.
 */
void rblk_sign_init(struct rblk_conn *conn, const u8 *secret)
{
	struct rblk_sign *sign = &conn->sign;

	rblk_auth_mac_init(&sign->tx, secret, RBLK_AUTH_TO_TARGET, &conn->greeting);
	rblk_auth_mac_init(&sign->rx, secret, RBLK_AUTH_TO_HOST, &conn->greeting);
	/* Pairs with recv_take_message(): the keys are there. */
	smp_store_release(&sign->receives, true);
}

/**
 * rblk_sign_begin() - from now on our messages have MACs as well
 * @conn: after rblk_sign_init(); no message is being sent
 *
 * Context: any.
 */
void rblk_sign_begin(struct rblk_conn *conn)
{
	/* Pairs with rblk_sign_put(). */
	smp_store_release(&conn->sign.sends, true);
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

/* A target that does not accept this host's proof has no secret to sign that with. */
static bool sign_is_refusal(const struct rblk_conn *conn, const struct rblk_wire_ctl *ctl,
			    u32 bytes)
{
	return !conn->offer.qid && !conn->sign.rx.counter &&
	       bytes == sizeof(struct rblk_wire_login_reply) &&
	       ctl->hdr.type == RBLK_MSG_LOGIN_REPLY && ctl->status != RBLK_CTL_OK;
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
	if (sign_is_refusal(conn, buf, bytes))
		return true;
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
	/* Pairs with rblk_sign_begin(). */
	if (!smp_load_acquire(&conn->sign.sends))
		return;
	if (!(hdr->flags & cpu_to_le16(RBLK_HDRF_DATA))) {
		bytes = le32_to_cpu(hdr->length) + RBLK_WIRE_MAC_LEN;
		hdr->length = cpu_to_le32(bytes);
	}
	rblk_auth_sign(&conn->sign.tx, msg, bytes);
	sge->length = bytes;
	ib_dma_sync_single_for_device(conn->device, sge->addr, bytes, DMA_TO_DEVICE);
}
