// SPDX-License-Identifier: GPL-2.0-only
/* Several addresses of a target: attach, the verbs of routes, and the configuration. */
#include <arpa/inet.h>
#include <errno.h>

#include "tool.h"

static void target_is(const struct rblk_ioc_addr *addr, const char *text)
{
	char have[RBLK_ADDRESS_TEXT];

	rblk_address_text(have, addr);
	assert_string_equal(have, text);
}

/* A volume with these routes, all of them live. */
static struct rblk_ioc_show *volume_with(const char *first, const char *second)
{
	struct rblk_ioc_show *show = fake_volume(0, first, "data");
	const char * const text[] = { first, second };
	unsigned int i;

	show->volume.routes = second ? 2 : 1;
	show->volume.live_routes = show->volume.routes;
	for (i = 0; i < show->volume.routes; i++) {
		snprintf(fake.routes[i].target_text, RBLK_PATH_LEN, "%s", text[i]);
		fake.routes[i].state = RBLK_VOL_LIVE;
		fake.routes[i].losses = i;
		snprintf(fake.routes[i].session.device, RBLK_NAME_LEN, "mlx5_%u", i);
		fake.routes[i].session.peer.family = AF_INET;
		fake.routes[i].session.peer.port = htons(RBLK_DEFAULT_PORT);
		inet_pton(AF_INET, text[i], fake.routes[i].session.peer.addr);
	}
	fake.nr_routes = show->volume.routes;
	return show;
}

static void attach_takes_a_list(void **state)
{
	(void)state;
	run_ok("attach --insecure 10.0.0.1,10.1.0.1:5000/data");
	assert_string_equal(result.out, "/dev/rblk3\n");
	target_is(&fake.attach.target, "10.0.0.1:4421");
	assert_string_equal(fake.attach.target_text, "10.0.0.1");
	target_is(&fake.route_added.target, "10.1.0.1:5000");
	assert_string_equal(fake.route_added.target_text, "10.1.0.1:5000");
	assert_int_equal(fake.route_added.index, 3);
	assert_int_equal(fake.route_added.uuid[0], 0xab);
	assert_true(fake.route_added.wait_ms > 0);
	assert_int_equal(fake.nr_routes, 1);
}

/* A route that is down is no failure of the attach, and is said. */
static void attach_warns_of_a_route(void **state)
{
	(void)state;
	fake.route_is_down = true;
	run_tool("attach --insecure 10.0.0.1,10.1.0.1/data");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.out, "/dev/rblk3\n");
	assert_has(result.err, "no route by 10.1.0.1 yet: nobody is there");
	assert_has(result.err, "try: rblkctl route list rblk3");
}

/* The first address that answers attaches; the others come as routes. */
static void attach_by_another(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ROUTE, EHOSTUNREACH, 0, "no way");
	fake.fail_times = 1;
	run_ok("attach --insecure 10.0.0.1,10.1.0.1/data");
	target_is(&fake.attach.target, "10.1.0.1:4421");
	target_is(&fake.route_added.target, "10.0.0.1:4421");
	fake.fail_times = 9;
	run_tool("attach --insecure 10.0.0.1,10.1.0.1/data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "10.0.0.1: no way; 10.1.0.1: no way (stage route)\n");
}

static void sources(void **state)
{
	(void)state;
	run_ok("attach --insecure 10.0.0.1,10.1.0.1/data --source 10.0.0.9,10.1.0.9");
	target_is(&fake.attach.source, "10.0.0.9:0");
	target_is(&fake.route_added.source, "10.1.0.9:0");
	/* Each goes with its target, whichever answers first. */
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ROUTE, EHOSTUNREACH, 0, "no way");
	fake.fail_times = 1;
	run_ok("attach --insecure 10.0.0.1,10.1.0.1/data --source 10.0.0.9,10.1.0.9");
	target_is(&fake.attach.source, "10.1.0.9:0");
	target_is(&fake.route_added.source, "10.0.0.9:0");
	fake.fail_times = 0;
	run_ok("attach --insecure 10.0.0.1,10.1.0.1/data --source ,10.1.0.9");
	assert_int_equal(fake.attach.source.family, 0);
	target_is(&fake.route_added.source, "10.1.0.9:0");
	run_ok("attach --insecure 10.0.0.1,10.1.0.1/data --source 10.0.0.9");
	assert_int_equal(fake.route_added.source.family, 0);
	run_tool("attach --insecure 10.0.0.1,10.1.0.1/data --source 10.0.0.9,10.1.0.9,10.2.0.9");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "--source: more addresses than the target has");
	run_tool("discover --insecure 10.0.0.1 --source 10.0.0.9,10.1.0.9");
	assert_int_equal(result.status, EXIT_USAGE);
	run_tool("attach --insecure 10.0.0.1,10.1.0.1/data --source 10.0.0.9,store");
	assert_has(result.err, "the source is not an IP address");
}

/* A volume is at each of its addresses, and as it was attached. */
static void found_by_routes(void **state)
{
	(void)state;
	volume_with("10.0.0.1", "10.1.0.1");
	run_ok("show 10.1.0.1/data");
	run_ok("show 10.0.0.1,10.1.0.1/data");
	run_ok("show 10.2.0.1,10.1.0.1/data");
	run_tool("show 10.2.0.1/data");
	assert_has(result.err, "10.2.0.1/data is not attached");
	run_tool("show 10.1.0.1/other");
	assert_int_equal(result.status, EXIT_FAILED);
}

/* What one address refuses, the other would, too. */
static void attach_is_refused_once(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ATTACH, EACCES, RBLK_CTL_DENIED, "not for you");
	fake.fail_times = 9;
	run_tool("attach --insecure 10.0.0.1,10.1.0.1/data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.nr_attach, 1);
}

static void bad_lists(void **state)
{
	static const char * const lines[] = {
		"attach ,10.0.0.1/data", "attach 10.0.0.1,/data", "attach 10.0.0.1,,10.0.0.2/data",
		"attach 1.1.1.1,1.1.1.2,1.1.1.3,1.1.1.4,1.1.1.5,1.1.1.6,1.1.1.7,1.1.1.8,1.1.1.9/x",
		"attach 10.0.0.1,10.0.0.2:0/data", "attach 10.0.0.1,10.0.0.2",
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		run_tool(lines[i]);
		if (result.status != EXIT_USAGE)
			fail_msg("%s ended with %d", lines[i], result.status);
	}
	assert_int_equal(fake.calls, 0);
}

static void all_routes(void **state)
{
	static const char * const addr[] = { "10.0.0.1", "10.1.0.1" };
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		fake.portals[i].addr.family = AF_INET;
		fake.portals[i].addr.port = htons(RBLK_DEFAULT_PORT);
		inet_pton(AF_INET, addr[i], fake.portals[i].addr.addr);
	}
	fake.nr_portals = 2;
	fake.nr_offers = 1;
	snprintf(fake.offers[0].name, RBLK_NAME_LEN, "data");
	run_ok("discover --insecure 10.0.0.1");
	assert_has(result.out, "portals  10.0.0.1:4421, 10.1.0.1:4421\n");
	run_ok("discover --insecure 10.0.0.1 --json");
	assert_has(result.out, "\"10.1.0.1:4421\"");
	/* This module knows no EEXIST. */
	run_ok("attach --insecure 10.0.0.1/data --all-routes");
	target_is(&fake.route_added.target, "10.1.0.1:4421");
	assert_int_equal(fake.nr_routes, 2);
	/* What can't be reached is not kept. */
	fake.nr_routes = 0;
	fake.route_is_down = true;
	run_tool("attach --insecure 10.0.0.1/data --all-routes");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.err, "no route by 10.1.0.1:4421: nobody is there");
	assert_int_equal(fake.nr_routes, 0);
	/* The module would take the same address without the source for another route. */
	fake.route_is_down = false;
	fake_volume(3, "10.0.0.1", "data")->session.peer = fake.portals[0].addr;
	run_ok("attach --insecure 10.0.0.1/data --source 10.0.0.9 --all-routes");
	assert_int_equal(fake.nr_routes, 1);
	assert_string_equal(fake.routes[0].target_text, "10.1.0.1");
}

static void route_verbs(void **state)
{
	struct json_object *top;

	(void)state;
	volume_with("10.0.0.1", NULL);
	run_ok("route add rblk0 10.1.0.1 --source 10.1.0.9");
	assert_string_equal(result.out, "");
	target_is(&fake.route_added.target, "10.1.0.1:4421");
	target_is(&fake.route_added.source, "10.1.0.9:0");
	fake.volumes[0].volume.routes = 2;
	run_ok("route list");
	assert_has(result.out, "/dev/rblk0  10.0.0.1  live");
	assert_has(result.out, "/dev/rblk0  10.1.0.1  live");
	run_ok("route list data --json");
	assert_has(result.out, "\"target\": \"10.1.0.1\"");
	fake.routes[1].session.counter[RBLK_CNT_READ_BYTES] = 3 << 20;
	fake.routes[1].session.local = fake.routes[1].session.peer;
	snprintf(fake.routes[1].session.device, RBLK_NAME_LEN, "mlx5_1");
	snprintf(fake.routes[1].reason, RBLK_ERROR_LEN, "the link is down");
	run_ok("show rblk0");
	assert_has(result.out, "\nroutes\n  10.0.0.1");
	assert_has(result.out, "mlx5_1 10.1.0.1:4421, 3M read, 0B written, lost 0 times: "
		   "the link is down\n");
	run_ok("show rblk0 --json");
	top = result_json();
	assert_string_equal(json_member(top, "/routes"), "2");
	assert_string_equal(json_member(top, "/each_route/1/target"), "10.1.0.1");
	json_object_put(top);
	run_ok("route remove data 10.1.0.1");
	target_is(&fake.route_removed.target, "10.1.0.1:4421");
	assert_int_equal(fake.route_removed.target_text[0], 0);
	assert_int_equal(fake.nr_routes, 1);
	run_tool("route remove data 10.1.0.1");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "\n  try: ");
}

/* Who removes a route has not to remember where it began. */
static void remove_with_source(void **state)
{
	struct rblk_ioc_addr *source;

	(void)state;
	volume_with("10.0.0.1", "10.1.0.1");
	source = &fake.routes[1].source;
	source->family = AF_INET;
	inet_pton(AF_INET, "10.1.0.9", source->addr);
	run_ok("route remove data 10.1.0.1");
	target_is(&fake.route_removed.source, "10.1.0.9:0");
	run_ok("route remove data 10.0.0.1");
	assert_int_equal(fake.route_removed.source.family, 0);
}

static void no_portals(void **state)
{
	(void)state;
	run_tool("attach --insecure 10.0.0.1/data --all-routes");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.err, "the target names no address");
}

static void route_that_is_down(void **state)
{
	(void)state;
	volume_with("10.0.0.1", NULL);
	fake.route_is_down = true;
	run_tool("route add rblk0 10.1.0.1");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.err, "not usable yet: nobody is there");
	run_ok("route add rblk0 10.1.0.2 --json");
	assert_has(result.out, "\"state\": \"new\"");
}

#define VOLUME(targets) "volumes = ( { export = \"" targets "/data\"; insecure = true; " \
			"uuid = \"abababab-abab-abab-abab-abababababab\"; } );\n"

/* A volume with a route in common is that volume; the others are added and removed. */
static void configuration(void **state)
{
	(void)state;
	fake_file("/run/there", "");
	memset(volume_with("10.0.0.1", "10.2.0.1")->volume.uuid, 0xab, UUID_BYTES);
	fake_config(VOLUME("10.0.0.1,10.1.0.1"));
	run_ok("apply --dry-run");
	assert_has(result.out, "a route by 10.1.0.1, no route by 10.2.0.1");
	run_ok("apply");
	target_is(&fake.route_added.target, "10.1.0.1:4421");
	target_is(&fake.route_removed.target, "10.2.0.1:4421");
	assert_int_equal(fake.nr_routes, 2);
	run_ok("apply --dry-run");
	assert_null(strstr(result.out, "route"));
	/* In another order they are the same. */
	fake_config(VOLUME("10.1.0.1,10.0.0.1"));
	run_ok("apply --dry-run");
	assert_null(strstr(result.out, "route"));
	run_ok("save --file -");
	/* As the file has it. */
	assert_has(result.out, "export = \"10.1.0.1,10.0.0.1/data\";");
}

/* The order and the words are the file's; a route that only runs is not lost. */
static void saves(void **state)
{
	unsigned int i;

	(void)state;
	fake_file("/run/there", "");
	volume_with("10.0.0.1", "10.1.0.1");
	snprintf(fake.routes[2].target_text, RBLK_PATH_LEN, "10.2.0.1");
	fake.nr_routes = 3;
	fake.volumes[0].volume.routes = 3;
	for (i = 0; i < 3; i += 2) {
		fake.routes[i].source.family = AF_INET;
		fake.routes[i].source.addr[0] = 10;
		fake.routes[i].source.addr[1] = i;
		fake.routes[i].source.addr[3] = 9;
	}
	run_ok("save --file -");
	assert_has(result.out, "export = \"10.0.0.1,10.1.0.1,10.2.0.1/data\";");
	assert_has(result.out, "source = \"10.0.0.9,,10.2.0.9\";");
	fake_config(VOLUME("10.2.0.1,10.9.0.1,10.0.0.1:4421"));
	run_ok("save --file -");
	assert_has(result.out, "export = \"10.2.0.1,10.0.0.1,10.1.0.1/data\";");
	assert_has(result.out, "source = \"10.2.0.9,10.0.0.9\";");
	/* What was asked may be of any route. */
	fake.volumes[0].asked.source = fake.routes[2].source;
	fake.routes[2].source.family = 0;
	fake_config("");
	run_ok("save --file -");
	assert_has(result.out, "source = \"10.0.0.9\";");
}

/* It adds, and neither changes nor removes. */
static void up_adds(void **state)
{
	(void)state;
	fake_file("/run/there", "");
	memset(volume_with("10.0.0.1", "10.2.0.1")->volume.uuid, 0xab, UUID_BYTES);
	fake_config("volumes = ( { export = \"10.0.0.1,10.1.0.1/data\"; insecure = true; queue-timeout = 99; "
		    "source = \",10.1.0.9\"; } );\n");
	run_ok("up");
	assert_has(result.out, "a route by 10.1.0.1\n");
	target_is(&fake.route_added.target, "10.1.0.1:4421");
	target_is(&fake.route_added.source, "10.1.0.9:0");
	assert_int_equal(fake.nr_routes, 3);
	assert_int_equal(fake.policy.queue_timeout, 0);
	fake.volumes[0].volume.routes = 3;
	fake.route_added.target.family = 0;
	run_ok("up");
	assert_int_equal(fake.route_added.target.family, 0);
	fake_config("volumes = ( { export = \"10.0.0.1/data\"; insecure = true; "
		    "source = \"10.0.0.9,10.1.0.9\"; } );\n");
	run_tool("up");
	assert_has(result.err, "source: more addresses than the target has");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(attach_takes_a_list, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(attach_warns_of_a_route, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(attach_by_another, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(attach_is_refused_once, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(sources, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(found_by_routes, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(bad_lists, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(all_routes, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(route_verbs, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(remove_with_source, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(no_portals, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(route_that_is_down, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(configuration, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(saves, fake_setup, fake_teardown),
	cmocka_unit_test_setup_teardown(up_adds, fake_setup, fake_teardown),
};

SUITE(routes, tests);
