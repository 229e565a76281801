// SPDX-License-Identifier: GPL-2.0-only
/* The verb "stat" with --prometheus: totals of everything there is. */
#include <errno.h>

#include "tool.h"

static const unsigned int us[] = { 200, 10, 100, 40, 50 };

static bool is_of(const char *line, const char *family, const char *suffix)
{
	return !strncmp(line, family, strlen(family)) &&
	       !strncmp(line + strlen(family), suffix, strlen(suffix));
}

/* Each family once, with its lines behind it: what the format demands. */
static void check_families(void)
{
	static const char * const suffix[] = { "_bucket{", "_sum{", "_count{", "{", " " };
	char copy[sizeof(result.out)], family[128] = "", type[16], seen[16384] = " ", *line, *save;
	unsigned int i;

	strcpy(copy, result.out);
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char word[130];

		if (!strncmp(line, "# HELP ", 7))
			continue;
		if (sscanf(line, "# TYPE %127s %15s", family, type) == 2) {
			snprintf(word, sizeof(word), " %s ", family);
			if (strstr(seen, word))
				fail_msg("%s is there twice", family);
			strcat(seen, family);
			strcat(seen, " ");
			continue;
		}
		i = strcmp(type, "histogram") ? ARRAY_SIZE(suffix) - 2 : 0;
		while (i < ARRAY_SIZE(suffix) && !is_of(line, family, suffix[i]))
			i++;
		if (i == ARRAY_SIZE(suffix))
			fail_msg("\"%s\" is not of %s", line, family);
	}
}

static unsigned int lines_with(const char *start)
{
	const char *at = result.out;
	unsigned int n = 0;

	while ((at = strstr(at, start))) {
		n++;
		at++;
	}
	return n;
}

static void everything(void **state)
{
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake_stat(0, 0, 1000);
	fake_times(&fake.done[0][RBLK_LATENCY_READ], 100, 4096, us);
	fake.done[0][RBLK_LATENCY_FLUSH].failed = 3;
	fake_volume(1, "10.0.0.1", "more")->volume.state = RBLK_VOL_WAITING;
	fake_stat(1, 0, 0);
	fake.volumes[1].volume.down_seconds = 9;
	fake.volumes[1].volume.paused_ms = 4500;
	fake.pause.ms = 28001;
	fake.volumes[0].session.counter[RBLK_CNT_RECONNECTS] = 4;
	fake.nr_exports = 1;
	snprintf(fake.exports[0].name, RBLK_NAME_LEN, "data");
	fake.exports[0].capacity = 1 << 20;
	fake.nr_served = 1;
	snprintf(fake.served[0].name, RBLK_NAME_LEN, "web");
	fake_times(&fake.served[0].op[RBLK_LATENCY_WRITE], 7, 512, us);
	fake.nr_users = 2;
	fake.nr_portals = 1;
	fake.portals[0].addr.family = 2;
	fake.portals[0].listening = 1;
	fake.nr_sessions = 1;
	snprintf(fake.sessions[0].peer_name, RBLK_NAME_LEN, "a\"b\\c");
	fake.sessions[0].counter[RBLK_CNT_READS] = 5;
	run_tool("stat --prometheus");
	assert_int_equal(result.status, EXIT_OK);
	check_families();
	assert_has(result.out, "\nrblk_volume_ios_total{device=\"rblk0\",target=\"10.0.0.1\","
		   "export=\"data\",op=\"read\"} 100\n");
	assert_has(result.out, "rblk_volume_seconds_total{device=\"rblk0\",target=\"10.0.0.1\","
		   "export=\"data\",op=\"read\"} 0.02\n");
	assert_has(result.out, "export=\"data\",op=\"flush\"} 3\n");
	assert_has(result.out, "rblk_volume_up{device=\"rblk1\",target=\"10.0.0.1\","
		   "export=\"more\"} 0\n");
	assert_has(result.out, "export=\"more\"} 9\n");
	assert_has(result.out, "rblk_volume_paused_seconds{device=\"rblk1\",target=\"10.0.0.1\","
		   "export=\"more\"} 4.5\n");
	assert_has(result.out, "rblk_volume_paused_seconds{device=\"rblk0\",target=\"10.0.0.1\","
		   "export=\"data\"} 0\n");
	assert_has(result.out, "\nrblk_target_paused_seconds 28.001\n");
	assert_has(result.out, "rblk_host_session_reconnects_total{peer=\"\"");
	/* One session, two volumes. */
	assert_null(strstr(strstr(result.out, "rblk_host_session_reconnects_total{") + 1,
			   "rblk_host_session_reconnects_total{"));
	assert_has(result.out, "rblk_target_export_users{export=\"data\"} 2\n");
	assert_has(result.out, "rblk_target_session_reads_total{peer=\"a\\\"b\\\\c\"");
	assert_has(result.out, "rblk_target_export_bytes_total{export=\"data\",host=\"web\","
		   "host_uuid=\"00000000-0000-0000-0000-000000000000\",op=\"write\"} 3584\n");
	assert_has(result.out, "rblk_target_portal_listening{address=\"0.0.0.0:0\"} 1\n");
}

static void alone(void **state)
{
	(void)state;
	fake.open_error[RBLK_TARGET] = ENOENT;
	fake.open_error[RBLK_INITIATOR] = ENOENT;
	run_tool("stat --prometheus");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.out, "# HELP rblk_module_loaded Whether the module is loaded.\n"
			    "# TYPE rblk_module_loaded gauge\n"
			    "rblk_module_loaded{module=\"rblk\"} 0\n"
			    "rblk_module_loaded{module=\"rblk_target\"} 0\n");
	fake.open_error[RBLK_INITIATOR] = EACCES;
	run_tool("stat --prometheus");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(result.out, "");
}

/* What each route did: the counters of its session. */
static void routes(void **state)
{
#define LABELS	"{device=\"rblk0\",target=\"10.0.0.1\",export=\"data\",route=\"10.1.0.1\""
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake_stat(0, 0, 0);
	fake_volume(1, "10.0.0.1", "more");
	fake_stat(1, 0, 0);
	fake.nr_routes = 2;
	snprintf(fake.routes[0].target_text, RBLK_PATH_LEN, "10.0.0.1");
	fake.routes[0].state = RBLK_VOL_LIVE;
	fake.routes[0].inflight = 7;
	snprintf(fake.routes[1].target_text, RBLK_PATH_LEN, "10.1.0.1");
	fake.routes[1].state = RBLK_VOL_WAITING;
	fake.routes[1].down_seconds = 11;
	fake.routes[1].losses = 3;
	snprintf(fake.routes[1].session.device, RBLK_NAME_LEN, "mlx5_1");
	memset(fake.routes[1].session.uuid, 0x22, UUID_BYTES);
	fake.routes[1].session.counter[RBLK_CNT_READ_BYTES] = 4096;
	fake.open_error[RBLK_TARGET] = ENOENT;
	run_tool("stat --prometheus");
	assert_int_equal(result.status, EXIT_OK);
	check_families();
	assert_has(result.out, "\nrblk_volume_route_up" LABELS "} 0\n");
	assert_has(result.out, "route=\"10.0.0.1\"} 1\n");
	assert_has(result.out, "\nrblk_volume_route_inflight{device=\"rblk1\","
		   "target=\"10.0.0.1\",export=\"more\",route=\"10.0.0.1\"} 7\n");
	assert_has(result.out, "\nrblk_volume_route_down_seconds" LABELS "} 11\n");
	assert_has(result.out, "\nrblk_volume_route_losses_total" LABELS "} 3\n");
	assert_has(result.out, "\nrblk_volume_route_info" LABELS ",rdma=\"mlx5_1\","
		   "session=\"22222222-2222-2222-2222-222222222222\"} 1\n");
	assert_has(result.out, "session=\"22222222-2222-2222-2222-222222222222\"} 4096\n");
	/* Two volumes, two sessions. */
	assert_int_equal(lines_with("\nrblk_host_session_reads_total{"), 2);
#undef LABELS
}

/* Buckets are cumulative, and the last has them all. */
static void histograms(void **state)
{
#define LINE	"rblk_volume_latency_seconds_bucket{device=\"rblk0\",target=\"10.0.0.1\"," \
		"export=\"data\",op=\"read\",part=\"total\",le=\""
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake_stat(0, 0, 1000);
	fake_times(&fake.done[0][RBLK_LATENCY_READ], 100, 4096, us);
	fake.done[0][RBLK_LATENCY_READ].part[RBLK_LATENCY_TOTAL].bucket[0] = 5;
	fake.done[0][RBLK_LATENCY_READ].part[RBLK_LATENCY_TOTAL].bucket[63] = 1;
	fake.open_error[RBLK_TARGET] = ENOENT;
	run_tool("stat --prometheus");
	check_families();
	assert_has(result.out, LINE "4.096e-06\"} 5\n");
	assert_has(result.out, LINE "0.000131072\"} 5\n");
	assert_has(result.out, LINE "0.000262144\"} 105\n");
	assert_has(result.out, LINE "17.1798692\"} 105\n");
	assert_has(result.out, LINE "+Inf\"} 106\n");
	assert_has(result.out, "part=\"device\"} 0.005000000\n");
	assert_has(result.out, "part=\"wire\"} 100\n");
	/* What was never done takes no room. */
	assert_null(strstr(result.out, "op=\"discard\",part"));
#undef LINE
}

/* Whether some line of @metric has @label; any line does without. */
static bool is_printed(const char *metric, const char *label)
{
	char copy[sizeof(result.out)], want[128], *line, *save;
	size_t len = strlen(metric);

	snprintf(want, sizeof(want), "%s=\"", label ? label : "");
	strcpy(copy, result.out);
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, metric, len) && line[len] == '{' &&
		    (!label || strstr(line, want)))
			return true;
	return false;
}

static size_t word_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyz_");
}

/* Every label of "{{label}}" and of "by (label, ...)". */
static void check_labels(const char *text, const char *before, const char *metric)
{
	const char *at = text;
	char label[64];

	while ((at = strstr(at, before))) {
		at += strlen(before);
		do {
			at += strspn(at, ", ");
			snprintf(label, sizeof(label), "%.*s", (int)word_length(at), at);
			if (!label[0] || !is_printed(metric, label))
				fail_msg("%s has no label \"%s\"", metric, label);
			at += word_length(at);
		} while (*at == ',');
	}
}

/* Each metric of an expression is printed, and has the labels it is asked for. */
static unsigned int check_expression(const char *expr, const char *legend)
{
	const char *at = expr;
	unsigned int n = 0;
	char metric[128];

	while ((at = strstr(at, "rblk_"))) {
		snprintf(metric, sizeof(metric), "%.*s", (int)word_length(at), at);
		at += word_length(at);
		n++;
		if (!is_printed(metric, NULL))
			fail_msg("nothing prints \"%s\"", metric);
		if (strncmp(at, "{", 1) == 0)
			check_labels(at, "{", metric);
		check_labels(expr, "by (", metric);
		if (legend && !strstr(expr, "vector"))
			check_labels(legend, "{{", metric);
	}
	return n;
}

static unsigned int check_targets(struct json_object *panel)
{
	struct json_object *targets, *target, *expr, *legend;
	unsigned int n = 0;
	size_t i;

	if (!json_object_object_get_ex(panel, "targets", &targets))
		return 0;
	for (i = 0; i < json_object_array_length(targets); i++) {
		target = json_object_array_get_idx(targets, i);
		assert_true(json_object_object_get_ex(target, "expr", &expr));
		assert_true(json_object_object_get_ex(target, "legendFormat", &legend));
		n += check_expression(json_object_get_string(expr),
				      json_object_get_string(legend));
	}
	return n;
}

/* What the dashboard shows there is, by those names and labels. */
static void dashboard(void **state)
{
	struct json_object *top = json_object_from_file(TOP "/tools/grafana/rblk.json"), *panels;
	unsigned int n = 0;
	size_t i;

	everything(state);
	assert_non_null(top);
	assert_true(json_object_object_get_ex(top, "panels", &panels));
	for (i = 0; i < json_object_array_length(panels); i++)
		n += check_targets(json_object_array_get_idx(panels, i));
	assert_true(n > 20);
	n = check_expression(json_member(top, "/templating/list/1/query"), NULL);
	assert_int_equal(n, 1);
	json_object_put(top);
}

static void words(void **state)
{
	(void)state;
	run_tool("stat --prometheus --watch");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "--prometheus stands alone");
	run_tool("stat rblk0 --prometheus");
	assert_int_equal(result.status, EXIT_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(everything),
	TEST(alone),
	TEST(routes),
	TEST(histograms),
	TEST(dashboard),
	TEST(words),
};

SUITE(prometheus, tests);
