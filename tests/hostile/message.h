/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of rblk's protocol, begun well, for both sides to spoil.
 */
#ifndef RBLK_HOSTILE_MESSAGE_H
#define RBLK_HOSTILE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include "rblk_wire.h"

void *message_ctl(void *buf, uint8_t type, size_t len, uint32_t xid,
		  uint16_t status);
struct rblk_wire_cmd *message_commands(void *buf, unsigned int nr);
struct rblk_wire_rsp *message_responses(void *buf, unsigned int nr);
size_t message_len(const void *buf);
void message_set_len(void *buf, size_t len);

#endif
