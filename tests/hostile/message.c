// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <string.h>
#include "message.h"

static void header(void *buf, uint8_t type, uint8_t count, size_t len)
{
	struct rblk_wire_hdr *hdr = buf;

	memset(buf, 0, len > RBLK_WIRE_DATA_OFFSET ? len : RBLK_WIRE_DATA_OFFSET);
	hdr->type = type;
	hdr->count = count;
	hdr->length = htole32(len);
}

/**
 * message_ctl - begin a control message
 * @buf: where to; zeroed
 * @type: RBLK_MSG_*
 * @len: bytes of the whole
 * @xid: of the request
 * @status: of a reply
 *
 * Return: @buf.
 */
void *message_ctl(void *buf, uint8_t type, size_t len, uint32_t xid,
		  uint16_t status)
{
	struct rblk_wire_ctl *ctl = buf;

	header(buf, type, 1, len);
	ctl->xid = htole32(xid);
	ctl->status = htole16(status);
	return buf;
}

/**
 * message_commands - begin a message of commands
 * @buf: where to; zeroed
 * @nr: how many
 *
 * Return: the first.
 */
struct rblk_wire_cmd *message_commands(void *buf, unsigned int nr)
{
	header(buf, RBLK_MSG_COMMAND, nr, sizeof(struct rblk_wire_hdr) +
	       nr * sizeof(struct rblk_wire_cmd));
	return buf + sizeof(struct rblk_wire_hdr);
}

/**
 * message_responses - begin a message of responses
 * @buf: where to; zeroed
 * @nr: how many
 *
 * Return: the first.
 */
struct rblk_wire_rsp *message_responses(void *buf, unsigned int nr)
{
	header(buf, RBLK_MSG_RESPONSE, nr, sizeof(struct rblk_wire_hdr) +
	       nr * sizeof(struct rblk_wire_rsp));
	return buf + sizeof(struct rblk_wire_hdr);
}

/**
 * message_len - what a message says of its length
 * @buf: the message
 */
size_t message_len(const void *buf)
{
	const struct rblk_wire_hdr *hdr = buf;

	return le32toh(hdr->length);
}

/**
 * message_set_len - let a message say another length
 * @buf: the message
 * @len: that length
 */
void message_set_len(void *buf, size_t len)
{
	struct rblk_wire_hdr *hdr = buf;

	hdr->length = htole32(len);
}
