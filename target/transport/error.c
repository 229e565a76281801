// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a failure becomes a sentence for the verb that will report it, and
 * addresses in the control ABI's form.
 */
#include <linux/kernel.h>
#include <linux/stdarg.h>
#include "transport.h"

/**
 * rblkt_fail - fill in why a verb failed
 * @err: part of the verb's structure
 * @stage: enum rblk_stage
 * @error: positive errno
 * @fmt: one sentence
 *
 * Context: Any.
 * Return: -@error.
 */
int rblkt_fail(struct rblk_ioc_error *err, u32 stage, int error,
	       const char *fmt, ...)
{
	va_list args;

	memset(err, 0, sizeof(*err));
	err->stage = stage;
	err->error = error;
	va_start(args, fmt);
	vscnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -error;
}

/**
 * rblkt_fail_addr - like rblkt_fail(), with an address as the subject
 * @err: part of the verb's structure
 * @stage: enum rblk_stage
 * @error: positive errno
 * @addr: begins the sentence, as people write an address
 * @what: the rest of the sentence
 *
 * Context: Any.
 * Return: -@error.
 */
int rblkt_fail_addr(struct rblk_ioc_error *err, u32 stage, int error,
		    const struct rblk_ioc_addr *addr, const char *what)
{
	u16 port = be16_to_cpu(addr->port);

	if (addr->family == AF_INET6)
		return rblkt_fail(err, stage, error, "[%pI6c]:%u %s",
				  addr->addr, port, what);
	return rblkt_fail(err, stage, error, "%pI4:%u %s", addr->addr, port,
			  what);
}

/**
 * rblkt_addr - convert a socket address into the control ABI's form
 * @addr: filled in
 * @sa: IPv4 or IPv6; any other address gives zeroes and its family
 *
 * Context: Any.
 */
void rblkt_addr(struct rblk_ioc_addr *addr, const struct sockaddr *sa)
{
	const struct sockaddr_in6 *in6 = (const void *)sa;
	const struct sockaddr_in *in = (const void *)sa;

	memset(addr, 0, sizeof(*addr));
	addr->family = sa->sa_family;
	if (sa->sa_family == AF_INET) {
		addr->port = in->sin_port;
		memcpy(addr->addr, &in->sin_addr, sizeof(in->sin_addr));
	} else if (sa->sa_family == AF_INET6) {
		addr->port = in6->sin6_port;
		addr->scope_id = in6->sin6_scope_id;
		memcpy(addr->addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
	}
}
