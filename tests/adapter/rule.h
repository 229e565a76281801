/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules that a user of verbs may break, and how often that was seen.  The
 * self test announces which rule it is about to break.
 */
#ifndef RAD_RULE_H
#define RAD_RULE_H

#include <linux/types.h>

#define RAD_RULES(x)							\
	x(dma_access,	"access to memory that is not mapped for DMA")	\
	x(dma_direction, "access against the direction of the mapping")	\
	x(dma_api,	"wrong use of the DMA API")			\
	x(dma_leak,	"mappings left when the device goes")		\
	x(key,		"access through a dead or foreign key")		\
	x(bounds,	"access beyond a registration")			\
	x(domain,	"access from another protection domain")	\
	x(rights,	"access that the key does not allow")		\
	x(registration,	"a registration that cannot be")		\
	x(page_size,	"a page size that the device does not have")	\
	x(sges,		"too many scatter elements")			\
	x(opcode,	"an opcode that the device does not have")	\
	x(request,	"a malformed work request")			\
	x(state,	"a post in the wrong state")			\
	x(sq_overrun,	"send queue overrun")				\
	x(rq_overrun,	"receive queue overrun")			\
	x(cq_overrun,	"completion queue overrun")			\
	x(reads,	"more RDMA READs than the peer takes")

#define RAD_RULE(name, text) RAD_##name,
enum rad_rule { RAD_RULES(RAD_RULE) RAD_NR_RULES };

struct rad_dev;

__printf(3, 4)
void rad_report(struct rad_dev *dev, enum rad_rule rule, const char *fmt, ...);
const char *rad_rule_name(enum rad_rule rule);
void rad_expect(unsigned long rules);
unsigned long rad_expected(void);
u32 rad_broken(enum rad_rule rule);

#endif /* RAD_RULE_H */
