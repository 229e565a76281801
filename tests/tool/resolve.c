// SPDX-License-Identifier: GPL-2.0-only
/* Names with several addresses; getaddrinfo() is replaced at link time. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"

int __wrap_getaddrinfo(const char *node, const char *service,
		       const struct addrinfo *hints, struct addrinfo **list);
int __real_getaddrinfo(const char *node, const char *service,
		       const struct addrinfo *hints, struct addrinfo **list);

/* "two" has two addresses; "hanging" is being looked up when a signal comes. */
int __wrap_getaddrinfo(const char *node, const char *service,
		       const struct addrinfo *hints, struct addrinfo **list)
{
	struct addrinfo numeric = *hints, *v4, *v6;

	numeric.ai_flags |= AI_NUMERICHOST;
	if (!strcmp(node, "hanging")) {
		kill(getpid(), SIGTERM);
		sleep(4);
		return EAI_AGAIN;
	}
	if (!strcmp(node, "slow"))
		return EAI_AGAIN;
	if (strcmp(node, "two"))
		return __real_getaddrinfo(node, service, &numeric, list);
	if (hints->ai_family == AF_INET)
		return __real_getaddrinfo("10.0.0.9", service, &numeric, list);
	if (hints->ai_family == AF_INET6)
		return __real_getaddrinfo("fd00::9", service, &numeric, list);
	if (__real_getaddrinfo("10.0.0.9", service, &numeric, &v4))
		return EAI_MEMORY;
	if (__real_getaddrinfo("fd00::9", service, &numeric, &v6))
		return EAI_MEMORY;
	v6->ai_next = v4;
	*list = v6;
	return 0;
}

static void literals(void **state)
{
	(void)state;
	run_tool("attach --insecure 10.1.2.3:77/data");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(fake.nr_attach, 1);
	assert_int_equal(fake.attach.target.family, AF_INET);
	assert_int_equal(ntohs(fake.attach.target.port), 77);
	assert_memory_equal(fake.attach.target.addr,
			    "\x0a\x01\x02\x03\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_string_equal(fake.attach.target_text, "10.1.2.3:77");
	run_tool("attach --insecure [fd00::7]:4421/data");
	assert_int_equal(fake.attach.target.family, AF_INET6);
	assert_int_equal(fake.attach.target.addr[0], 0xfd);
	assert_string_equal(fake.attach.target_text, "fd00::7");
	run_tool("attach --insecure fe80::1%lo/data");
	assert_int_equal(fake.attach.target.scope_id, 1);
}

static void bad_hosts(void **state)
{
	(void)state;
	run_tool("attach --insecure nowhere/data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "the host nowhere is unknown");
	assert_has(result.err, "(stage resolve)");
	assert_has(result.err, "try: getent ahosts nowhere");
	run_tool("attach --insecure slow/data");
	assert_has(result.err, "the name server does not answer for slow");
	run_tool("attach --insecure [fe80::1]:99/data");
	assert_has(result.err, "a link-local address needs its interface");
	assert_has(result.err, "try: [fe80::1%INTERFACE]:99");
	run_tool("portal add [fd00::1%1]:99");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "only a link-local address has an interface");
	assert_has(result.err, "try: the address without %INTERFACE");
	run_tool("attach --insecure fe80::1%nosuchif/data");
	assert_has(result.err, "no interface of that name");
	run_tool("attach --insecure fd00::1/data --source 10.0.0.1");
	assert_has(result.err, "different families");
	assert_int_equal(fake.calls, 0);
}

static void second_address(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ROUTE, ENETUNREACH, 0, "no route");
	fake.fail_times = 1;
	run_tool("attach --insecure two/data");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.err, "");
	assert_int_equal(fake.nr_attach, 2);
	assert_int_equal(fake.attach_addr[0].family, AF_INET6);
	assert_int_equal(fake.attach_addr[1].family, AF_INET);
}

static void furthest_failure(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_CONNECT, ECONNREFUSED, 0, "nobody listens");
	run_tool("attach --insecure two/data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.nr_attach, 2);
	assert_has(result.err, "nobody listens at [fd00::9]:4421 (stage connect)");
	run_tool("attach --insecure 10.0.0.1/data");
	assert_has(result.err, "nobody listens (stage connect)");
}

/* What a target answers is not asked again at its other address. */
static void one_answer(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ATTACH, ENOENT, RBLK_CTL_NO_EXPORT, "no such export");
	run_tool("attach --insecure two/data");
	assert_int_equal(fake.nr_attach, 1);
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_CONNECT, ECONNREFUSED, RBLK_REJ_VERSION, "too old");
	run_tool("attach --insecure two/data");
	assert_int_equal(fake.nr_attach, 2);
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_CONNECT, EINTR, 0, "interrupted");
	fake.interrupt = 15;
	run_tool("attach --insecure two/data");
	assert_int_equal(fake.nr_attach, 3);
}

static void source_picks_family(void **state)
{
	(void)state;
	run_tool("attach --insecure two/data --source 10.0.0.1");
	assert_int_equal(fake.attach.target.family, AF_INET);
	assert_int_equal(fake.attach.source.family, AF_INET);
	assert_int_equal(fake.attach.source.port, 0);
	assert_int_equal(fake.attach.source.addr[0], 10);
	run_tool("discover --insecure two --source fd00::1");
	assert_int_equal(fake.discover.target.family, AF_INET6);
	assert_int_equal(fake.discover.source.addr[0], 0xfd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(literals),
	TEST(bad_hosts),
	TEST(second_address),
	TEST(furthest_failure),
	TEST(one_answer),
	TEST(source_picks_family),
};

SUITE(resolve, tests);
