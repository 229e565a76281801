// SPDX-License-Identifier: GPL-2.0-only
#include <sys/socket.h>

#include "tool.h"

static void good_endpoints(void **state)
{
	static const struct {
		const char *text, *host, *again;
		unsigned int port;
		int family;
	} cases[] = {
		{ "10.0.0.1", "10.0.0.1", "10.0.0.1", 4421, AF_INET },
		{ "10.0.0.1:4421", "10.0.0.1", "10.0.0.1", 4421, AF_INET },
		{ "10.0.0.1:1", "10.0.0.1", "10.0.0.1:1", 1, AF_INET },
		{ "host-1.example_x.org:65535", "host-1.example_x.org",
		  "host-1.example_x.org:65535", 65535, AF_UNSPEC },
		{ "3com", "3com", "3com", 4421, AF_UNSPEC },
		{ "fd00::1", "fd00::1", "fd00::1", 4421, AF_INET6 },
		{ "::", "::", "::", 4421, AF_INET6 },
		{ "[fd00::1]", "fd00::1", "fd00::1", 4421, AF_INET6 },
		{ "[fd00::1]:4422", "fd00::1", "[fd00::1]:4422", 4422, AF_INET6 },
		{ "[fe80::1%eth0]:9", "fe80::1%eth0", "[fe80::1%eth0]:9", 9, AF_INET6 },
		{ "::ffff:10.0.0.1", "::ffff:10.0.0.1", "::ffff:10.0.0.1", 4421, AF_INET6 },
	};
	char again[ENDPOINT_TEXT];
	struct endpoint ep, second;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_null(endpoint_parse(cases[i].text, &ep));
		assert_string_equal(ep.host, cases[i].host);
		assert_int_equal(ep.port, cases[i].port);
		assert_int_equal(ep.family, cases[i].family);
		endpoint_text(again, &ep);
		assert_string_equal(again, cases[i].again);
		assert_null(endpoint_parse(again, &second));
		assert_true(endpoint_equal(&ep, &second));
	}
}

static void bad_endpoints(void **state)
{
	static const char * const bad[] = {
		"", ":4421", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:-1",
		"10.0.0.1:4421x", "10.0.0.256", "10.1", "1", "10.0.0.1.", "[fd00::1",
		"[fd00::1]4421", "[fd00::1]:", "[]", "[10.0.0.1]", "[host]:1", "fd00::g",
		"a:b:c", "ho st", "host/", "-host", ".host", "h\xc3\xbcst", "host\n",
		"fe80::1%", "[fe80::1%a/b]", "fe80::1% x", "10.0.0.1%eth0", "*", "any:0",
	};
	char long_name[RBLK_PATH_LEN + 1];
	struct endpoint ep;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (strcmp(bad[i], "any:0") && !endpoint_parse(bad[i], &ep))
			fail_msg("\"%s\" was taken", bad[i]);
	memset(long_name, 'a', HOST_ROOM);
	long_name[HOST_ROOM] = '\0';
	assert_non_null(endpoint_parse(long_name, &ep));
	long_name[HOST_ROOM - 1] = '\0';
	assert_null(endpoint_parse(long_name, &ep));
}

static void portals_and_sources(void **state)
{
	struct endpoint ep;

	(void)state;
	assert_null(endpoint_parse_portal("*", &ep));
	assert_string_equal(ep.host, "0.0.0.0");
	assert_int_equal(ep.port, 4421);
	assert_null(endpoint_parse_portal("any:77", &ep));
	assert_string_equal(ep.host, "0.0.0.0");
	assert_int_equal(ep.port, 77);
	assert_null(endpoint_parse_portal("anyhow", &ep));
	assert_string_equal(ep.host, "anyhow");
	assert_null(endpoint_parse_portal("[::]", &ep));
	assert_string_equal(ep.host, "::");
	assert_non_null(endpoint_parse_portal("any:0", &ep));
	assert_non_null(endpoint_parse_portal("*:", &ep));
	assert_non_null(endpoint_parse_portal("*:000000000000000000000000000000001", &ep));
	assert_non_null(endpoint_parse_portal("**", &ep));

	assert_null(endpoint_parse_source("10.0.0.2", &ep));
	assert_int_equal(ep.port, 0);
	assert_null(endpoint_parse_source("fd00::2", &ep));
	assert_null(endpoint_parse_source("[fd00::2]", &ep));
	assert_non_null(endpoint_parse_source("10.0.0.2:1", &ep));
	assert_non_null(endpoint_parse_source("[fd00::2]:1", &ep));
	assert_non_null(endpoint_parse_source("host", &ep));
	assert_non_null(endpoint_parse_source("", &ep));
}

static void exports(void **state)
{
	static const char * const bad[] = {
		"", "a", "a/", "/a", "a/.b", "a/-b", "a/b c", "a/b/c", "a/b\n", "a/\xc3\xbc",
		"[fd00::1]/", "10.0.0.1:x/a",
		"a/0123456789012345678901234567890123456789012345678901234567890123",
	};
	char export[RBLK_NAME_LEN];
	struct endpoint ep;
	size_t i;

	(void)state;
	assert_null(endpoint_parse_export("[fd00::1]:80/vg0.data_1:+-x", &ep, export));
	assert_string_equal(export, "vg0.data_1:+-x");
	assert_string_equal(ep.host, "fd00::1");
	assert_int_equal(ep.port, 80);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!endpoint_parse_export(bad[i], &ep, export))
			fail_msg("\"%s\" was taken", bad[i]);
}

/* What systemd 252 makes of these, see tests/e2e/uevents. */
static void links(void **state)
{
	static const char * const cases[][2] = {
		{ "10.0.0.1", "10.0.0.1" },
		{ "10.0.0.1:4421", "10.0.0.1" },
		{ "10.0.0.1:4422", "10.0.0.1:4422" },
		{ "store_1.example:4422", "store_1.example:4422" },
		{ "fd00::1", "fd00::1" },
		{ "[fd00::1]", "fd00::1" },
		{ "[fd00::1]:4422", "_fd00::1_:4422" },
		{ "fd00::1:4422", "fd00::1:4422" },
		{ "fe80::1%eth0", "fe80::1_eth0" },
		{ "fe80::1%eth0.5@x", "fe80::1_eth0.5@x" },
		{ "[fe80::1%eth0]:4422", "_fe80::1_eth0_:4422" },
	};
	char target[ENDPOINT_TEXT], link[LINK_TEXT], want[LINK_TEXT];
	struct endpoint ep;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_null(endpoint_parse(cases[i][0], &ep));
		endpoint_text(target, &ep);
		link_text(link, target, "vg0.data_1:+-x");
		snprintf(want, sizeof(want), "/dev/rblk/%s/vg0.data_1:+-x", cases[i][1]);
		assert_string_equal(link, want);
	}
}

/* The tool prints them, and knows them also where there is no udev to make them. */
static void links_are_known(void **state)
{
	struct json_object *top;

	(void)state;
	fake_volume(0, "fd00::1", "data");
	fake_volume(1, "[fd00::1]:5555", "data");
	fake_volume(2, "fe80::1%eth0", "data");
	run_ok("show /dev/rblk/_fd00::1_:5555/data");
	assert_has(result.out, "device                /dev/rblk1\n");
	assert_has(result.out, "link                  /dev/rblk/_fd00::1_:5555/data\n");
	run_ok("detach /dev/rblk/fe80::1_eth0/data");
	assert_int_equal(fake.detach.index, 2);
	run_ok("detach /dev/rblk/[fd00::1]:5555/data");
	assert_int_equal(fake.detach.index, 1);
	run_tool("detach /dev/rblk/_fd00::1_:5556/data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "is not a device of rblk");
	run_ok("list --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes/2/link"), "/dev/rblk/fe80::1_eth0/data");
	json_object_put(top);
	run_ok("attach --insecure [fd00::2]:5555/data --json");
	top = result_json();
	assert_string_equal(json_member(top, "/link"), "/dev/rblk/_fd00::2_:5555/data");
	json_object_put(top);
}

static void selectors(void **state)
{
	static const struct {
		const char *text;
		enum selector_kind kind;
		int index;
	} cases[] = {
		{ "rblk0", SELECT_INDEX, 0 },
		{ "/dev/rblk17", SELECT_INDEX, 17 },
		{ "/dev/disk/by-id/rblk-6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f", SELECT_UUID, 0 },
		{ "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f", SELECT_UUID, 0 },
		{ "/dev/rblk/10.0.0.1/data", SELECT_BOTH, 0 },
		{ "10.0.0.1:4422/data", SELECT_BOTH, 0 },
		{ "data", SELECT_EXPORT, 0 },
		{ "rblk", SELECT_EXPORT, 0 },
		{ "rblk0x", SELECT_EXPORT, 0 },
		{ "rblk99999999999", SELECT_EXPORT, 0 },
		{ "/dev/disk/by-label/data", SELECT_PATH, 0 },
		{ "/dev/disk/by-id/rblk-nonsense", SELECT_PATH, 0 },
	};
	struct selector sel;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&sel, 0, sizeof(sel));
		assert_null(selector_parse(cases[i].text, &sel));
		assert_int_equal(sel.kind, cases[i].kind);
		assert_int_equal(sel.index, cases[i].index);
		assert_string_equal(sel.text, cases[i].text);
	}
	assert_non_null(selector_parse("", &sel));
	assert_non_null(selector_parse("a b", &sel));
	assert_non_null(selector_parse("host:99999/data", &sel));
	assert_has(selector_parse("rblk0p1", &sel), "partition");
	assert_has(selector_parse("/dev/rblk0p12", &sel), "partition");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(good_endpoints),
	cmocka_unit_test(bad_endpoints),
	cmocka_unit_test(portals_and_sources),
	cmocka_unit_test(exports),
	cmocka_unit_test(links),
	cmocka_unit_test_setup_teardown(links_are_known, fake_setup, fake_teardown),
	cmocka_unit_test(selectors),
};

SUITE(address, tests);
