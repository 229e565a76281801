/* SPDX-License-Identifier: GPL-2.0-only */
/* What the unit tests of rblkctl share. */
#ifndef RBLK_TESTS_TOOL_H
#define RBLK_TESTS_TOOL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "rblk_wire.h"

/**
 * struct suite - a file of tests
 * @name: what it tests
 * @tests: the tests
 * @nr: how many
 */
struct suite {
	const char *name;
	const struct CMUnitTest *tests;
	size_t nr;
};

extern const struct suite suite_address, suite_errors, suite_hints, suite_parse,
	suite_resolve, suite_text, suite_users, suite_verbs;

#define SUITE(_name, _tests) \
	const struct suite suite_##_name = { #_name, _tests, ARRAY_SIZE(_tests) }

/**
 * struct fake - modules that answer as a test wants
 * @open_error: positive errno of opening each side's node
 * @abi: that they speak
 * @info_error: positive errno of INFO
 * @fail: this command fails
 * @fail_with: so
 * @fail_times: that often, then it works
 * @interrupt: a signal arrives during @fail
 * @volumes: attached
 * @nr_volumes: how many
 * @exports: in the order of their names
 * @nr_exports: how many
 * @hosts: in each export's list
 * @users: of each export
 * @nr_users: how many
 * @portals: of the target
 * @nr_portals: how many
 * @sessions: of the target
 * @nr_sessions: how many
 * @offers: to DISCOVER
 * @nr_offers: how many
 * @grow: entries that appear between two looks at a list
 * @calls: commands so far, INFO not counted
 * @open: nodes open
 * @attach: the latest ATTACH, as it came
 * @attach_addr: the addresses of all
 * @nr_attach: how many
 * @detach: the latest DETACH
 * @policy: the latest POLICY
 * @discover: the latest DISCOVER
 * @add: the latest EXPORT_ADD
 * @add_hosts: its list
 * @remove: the latest EXPORT_REMOVE
 * @portal: the address of the latest PORTAL_ADD or PORTAL_REMOVE
 * @portal_flags: flags of the latest PORTAL_REMOVE
 * @root: directory with /dev, /etc, /proc, /sys
 */
struct fake {
	int open_error[2];
	unsigned int abi;
	int info_error;
	unsigned long fail;
	struct rblk_ioc_error fail_with;
	unsigned int fail_times;
	int interrupt;
	struct rblk_ioc_show volumes[8];
	unsigned int nr_volumes;
	struct rblkt_ioc_export_show exports[4];
	unsigned int nr_exports;
	__u8 hosts[2][UUID_BYTES];
	struct rblkt_ioc_user users[200];
	unsigned int nr_users;
	struct rblkt_ioc_portal portals[100];
	unsigned int nr_portals;
	struct rblk_ioc_session sessions[2];
	unsigned int nr_sessions;
	struct rblk_ioc_offer offers[4];
	unsigned int nr_offers;
	unsigned int grow;
	unsigned int calls;
	int open;
	struct rblk_ioc_attach attach;
	struct rblk_ioc_addr attach_addr[16];
	unsigned int nr_attach;
	struct rblk_ioc_detach detach;
	struct rblk_ioc_policy policy;
	struct rblk_ioc_discover discover;
	struct rblkt_ioc_export_add add;
	__u8 add_hosts[RBLK_MAX_HOSTS][UUID_BYTES];
	struct rblkt_ioc_export_remove remove;
	struct rblk_ioc_addr portal;
	unsigned int portal_flags;
	char root[64];
};

extern struct fake fake;

int fake_setup(void **state);
int fake_teardown(void **state);
void fake_fail(unsigned long command, unsigned int stage, int error,
	       unsigned int reason, const char *text);
void fake_file(const char *path, const char *content);
void fake_remove(const char *path);
void fake_link(const char *path, const char *to);
struct rblk_ioc_show *fake_volume(int index, const char *target, const char *export);

/**
 * struct result - what a run of the tool gave
 * @status: its exit status
 * @out: stdout
 * @err: stderr
 */
struct result {
	int status;
	char out[65536];
	char err[8192];
};

extern struct result result;

void run_tool(const char *line);
struct json_object *result_json(void);
const char *json_member(struct json_object *top, const char *path);

#define assert_has(text, part)						\
	do {								\
		if (!strstr(text, part))				\
			fail_msg("no \"%s\" in \"%s\"", part, text);	\
	} while (0)

#endif /* RBLK_TESTS_TOOL_H */
