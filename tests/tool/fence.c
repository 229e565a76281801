// SPDX-License-Identifier: GPL-2.0-only
/* Hosts that are fenced, and which host is meant. */
#include <string.h>

#include "tool.h"

/* The one that is meant, however it is known, and nobody else. */
static void host_fenced(void **state)
{
	struct json_object *top;

	(void)state;
	fake.nr_sessions = 2;
	snprintf(fake.sessions[0].peer_name, RBLK_NAME_LEN, "web1");
	memset(fake.sessions[0].peer_uuid, 1, UUID_BYTES);
	snprintf(fake.sessions[1].peer_name, RBLK_NAME_LEN, "web2");
	memset(fake.sessions[1].peer_uuid, 2, UUID_BYTES);
	fake.nr_fenced = 1;
	snprintf(fake.fenced[0].name, RBLK_NAME_LEN, "web3");
	memset(fake.fenced[0].host, 3, UUID_BYTES);
	memset(fake.fenced[0].key, 4, KEY_BYTES);
	fake.fenced[0].left = 5;
	run_ok("host fence web2");
	assert_memory_equal(fake.fence.host.uuid, fake.sessions[1].peer_uuid, UUID_BYTES);
	assert_string_equal(fake.fence.name, "web2");
	assert_int_equal(fake.fence.flags, 0);
	run_ok("host unfence web3 --json");
	assert_memory_equal(fake.fence.host.uuid, fake.fenced[0].host, UUID_BYTES);
	assert_int_equal(fake.fence.flags, RBLKT_FENCE_DOWN);
	run_ok("host fence BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ=");
	assert_memory_equal(fake.fence.host.key, fake.fenced[0].key, KEY_BYTES);

	run_ok("host list --json");
	top = result_json();
	assert_string_equal(json_member(top, "/hosts/0/name"), "web1");
	assert_string_equal(json_member(top, "/hosts/0/fenced"), "false");
	assert_string_equal(json_member(top, "/hosts/2/fenced"), "true");
	assert_string_equal(json_member(top, "/hosts/2/left"), "5");
	json_object_put(top);

	memset(&fake.fence, 0, sizeof(fake.fence));
	run_tool("host fence web4");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "the target knows no host web4");
	snprintf(fake.sessions[1].peer_name, RBLK_NAME_LEN, "web1");
	run_tool("host fence web1");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "several hosts call themselves web1");
	assert_int_equal(fake.fence.size, 0);
}

static void unfenced(void)
{
	fake.nr_fenced = 0;
}

/* It is over when the last I/O is, or when somebody takes it down, and else it is said. */
static void host_fence_waits(void **state)
{
	(void)state;
	fake.nr_fenced = 1;
	memset(fake.fenced[0].host, 2, UUID_BYTES);
	fake.fence_left = 3;
	fake.moments = 3;
	run_ok("host fence 02020202-0202-0202-0202-020202020202");
	assert_int_equal(fake.fence_left, 0);
	fake.fence_left = 100;
	fake.moments = 100;
	run_tool("host fence 02020202-0202-0202-0202-020202020202 --wait 20s");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "is fenced, but its last I/O has not ended on 88 volumes");
	assert_int_equal(fake.fence_left, 88);

	fake.meanwhile = unfenced;
	run_tool("host fence 02020202-0202-0202-0202-020202020202 --wait forever");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "somebody took the fence of 02020202-0202-0202-0202-020202020202 down");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(host_fenced),
	TEST(host_fence_waits),
};

SUITE(fence, tests);
