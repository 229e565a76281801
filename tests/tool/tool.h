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

#include "lib/failure.h"
#include "lib/node.h"
#include "rblk_wire.h"
#include "request/request.h"
#include "system/program.h"

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

extern const struct suite suite_added, suite_address, suite_apply, suite_config,
	suite_digest, suite_each, suite_errors, suite_doctor, suite_doctor_keys, suite_events,
	suite_fence, suite_hints, suite_interrupt, suite_keys, suite_latency, suite_lock,
	suite_network, suite_parse, suite_pause, suite_pool, suite_prometheus, suite_protection,
	suite_reservation, suite_resolve, suite_restore, suite_rights, suite_root, suite_routes,
	suite_save, suite_served, suite_stat, suite_sysfs, suite_tables, suite_text, suite_top,
	suite_users, suite_verbs;

#define SUITE(_name, _tests) \
	const struct suite suite_##_name = { #_name, _tests, ARRAY_SIZE(_tests) }

/* 32 bytes of 0x77, and of 0x88. */
#define KEY1	"d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3c="
#define KEY2	"iIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIg="

/* Every byte of the key of the target that the modules know. */
#define FAKE_TARGET_KEY	0x77

/**
 * struct fake_keys - what a module has been given
 * @private_key: zeroes for none
 * @nr_psks: entries of @psks
 * @psks: secrets
 * @sets: how often it was given any
 */
struct fake_keys {
	__u8 private_key[KEY_BYTES];
	unsigned int nr_psks;
	struct rblk_ioc_psk psks[RBLK_MAX_HOSTS];
	unsigned int sets;
};

/**
 * struct fake - modules that answer as a test wants
 * @open_error: positive errno of opening each side's node
 * @abi: that they speak
 * @release: that they are of
 * @info_error: positive errno of INFO
 * @fail: this command fails
 * @fail_with: so
 * @fail_skip: after it has worked that often
 * @fail_times: that often, then it works
 * @fail_export: with RBLK_IOC_ATTACH, only that of this export
 * @interrupt: a signal arrives during @fail
 * @interrupt_after: or just after this command has worked, once
 * @held: udev has a volume open until this file is there
 * @number_moves: a volume's number is another one's when it is to be changed
 * @volumes: attached
 * @nr_volumes: how many
 * @done: by each volume, in the order of @volumes
 * @no_stat: it is gone when it is asked what it did
 * @routes: of each volume; without any the volume's own
 * @nr_routes: how many
 * @route_is_down: a new one cannot be used yet
 * @registrants: of each volume and each export
 * @nr_registrants: how many
 * @resv_type: the type of their reservation
 * @resv_set: the latest RESERVATION_SET
 * @exports: in the order of their names
 * @nr_exports: how many
 * @hosts: in each export's list
 * @served: to hosts, with each export
 * @nr_served: how many
 * @users: of each export
 * @nr_users: how many
 * @portals: of the target
 * @nr_portals: how many
 * @sessions: of the target
 * @nr_sessions: how many
 * @offers: to DISCOVER
 * @nr_offers: how many
 * @keeps: what is added and removed is kept, as modules do
 * @kept_hosts: with @keeps, each export's list
 * @log: with @keeps, what was done, a letter and a name each
 * @time: of the clock
 * @sleeps: a sleep takes as long as it says, and only a signal ends it sooner
 * @died: of which signal the tool wanted to end
 * @moments: how many sleeps or uevents there are before an interrupt
 * @meanwhile: what happens in each
 * @uevent: set by @meanwhile: what the kernel says, or NULL when it got lost
 * @programs: what programs print and how they end, for a command line each
 * @no_programs: there are none
 * @interrupt_in: @interrupt arrives while this one changes something, once
 * @reads_hang: no read of a device comes back
 * @echo_most: bytes of the largest packet that comes back, 0 for any
 * @uevents_error: positive errno of listening for them
 * @grow: entries that appear between two looks at a list
 * @calls: commands so far, INFO and those of keys not counted
 * @keys: of each side
 * @open: nodes open
 * @attach: the latest ATTACH, as it came
 * @attach_addr: the addresses of all
 * @nr_attach: how many
 * @detach: the latest DETACH
 * @policy: the latest POLICY
 * @pin: the latest PIN
 * @route_added: the latest ROUTE_ADD, as it came
 * @route_removed: the latest ROUTE_REMOVE
 * @discover: the latest DISCOVER
 * @add: the latest EXPORT_ADD
 * @add_hosts: its list
 * @remove: the latest EXPORT_REMOVE
 * @set: the latest EXPORT_SET; its list is @add_hosts
 * @evict: the latest SESSION_REMOVE
 * @fence: the latest HOST_FENCE; its answer has @fence_left
 * @fence_left: volumes left, one less each time that FENCED is asked
 * @fenced: the hosts that FENCED answers with
 * @nr_fenced: how many
 * @pause: the latest PAUSE; what RESUME and PAUSE_SHOW answer with
 * @portal: the address of the latest PORTAL_ADD or PORTAL_REMOVE
 * @portal_flags: flags of the latest PORTAL_REMOVE
 * @busy: a process is asking
 * @terminal: is what the tool writes to
 * @root: directory with /dev, /etc, /proc, /sys
 *
 * It has pages of its own, for fake_share().
 */
struct fake {
	_Alignas(4096) int open_error[2];
	unsigned int abi;
	const char *release;
	int info_error;
	unsigned long fail;
	struct rblk_ioc_error fail_with;
	unsigned int fail_skip;
	unsigned int fail_times;
	const char *fail_export;
	int interrupt;
	unsigned long interrupt_after;
	const char *held;
	bool number_moves;
	struct rblk_ioc_show volumes[8];
	unsigned int nr_volumes;
	struct rblk_ioc_latency done[8][RBLK_LATENCY_OPS];
	bool no_stat;
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	unsigned int nr_routes;
	bool route_is_down;
	struct rblk_ioc_registrant registrants[4];
	unsigned int nr_registrants;
	unsigned int resv_type;
	struct rblkt_ioc_reservation_set resv_set;
	struct rblkt_ioc_export_show exports[4];
	unsigned int nr_exports;
	struct rblk_ioc_host hosts[2];
	struct rblkt_ioc_host_stat served[4];
	unsigned int nr_served;
	struct rblkt_ioc_user users[200];
	unsigned int nr_users;
	struct rblkt_ioc_portal portals[100];
	unsigned int nr_portals;
	struct rblk_ioc_session sessions[4];
	unsigned int nr_sessions;
	struct rblk_ioc_offer offers[4];
	unsigned int nr_offers;
	bool keeps;
	struct rblk_ioc_host kept_hosts[4][RBLK_MAX_HOSTS];
	char log[1024];
	double time;
	bool sleeps;
	int died;
	unsigned int moments;
	void (*meanwhile)(void);
	const char *uevent;
	int uevents_error;
	struct {
		const char *line;	/* a pattern, as of a shell */
		const char *out;
		struct ended ended;
	} programs[8];
	bool no_programs;
	const char *interrupt_in;
	bool reads_hang;
	size_t echo_most;
	unsigned int grow;
	unsigned int calls;
	struct fake_keys keys[2];
	int open;
	struct rblk_ioc_attach attach;
	struct rblk_ioc_addr attach_addr[16];
	unsigned int nr_attach;
	struct rblk_ioc_detach detach;
	struct rblk_ioc_policy policy;
	struct rblk_ioc_pin pin;
	struct rblk_ioc_route_change route_added;
	struct rblk_ioc_route_change route_removed;
	struct rblk_ioc_discover discover;
	struct rblkt_ioc_export_add add;
	struct rblk_ioc_host add_hosts[RBLK_MAX_HOSTS];
	struct rblkt_ioc_export_remove remove;
	struct rblkt_ioc_export_set set;
	struct rblkt_ioc_session_remove evict;
	struct rblkt_ioc_host_fence fence;
	unsigned int fence_left;
	struct rblkt_ioc_fenced fenced[2];
	unsigned int nr_fenced;
	struct rblkt_ioc_pause pause;
	struct rblk_ioc_addr portal;
	unsigned int portal_flags;
	bool busy;
	bool terminal;
	char root[64];
};

extern struct fake fake;

int fake_setup(void **state);
int fake_teardown(void **state);
void fake_fail(unsigned long command, unsigned int stage, int error,
	       unsigned int reason, const char *text);
int fake_fence(struct rblkt_ioc_host_fence *fence);
void fake_fence_drains(void);
int fake_fail_at(struct rblk_ioc_error *error, unsigned int stage, int code);
int fake_key(enum rblk_side side, unsigned long command, void *arg);
void fake_prove(unsigned int flags, __u8 asked[RBLK_TARGET_KEYS][KEY_BYTES],
		__u8 peer_key[KEY_BYTES]);
int fake_route_add(struct rblk_ioc_route_change *change);
int fake_route_remove(struct rblk_ioc_route_change *change);
int fake_route_list(struct rblk_ioc_route_list *list);
int fake_reservation(unsigned long command, void *arg);
void fake_portals(struct rblk_ioc_discover *discover);
int fake_keep(unsigned long command, void *arg);
int fake_meant(int index, const __u8 *uuid, struct rblk_ioc_error *error);
int fake_free_index(void);
int fake_setup_keeping(void **state);
int fake_share(void);
void fake_config(const char *content);
void fake_file(const char *path, const char *content);
void fake_remove(const char *path);
void fake_link(const char *path, const char *to);
void fake_times(struct rblk_ioc_latency *op, unsigned int nr, unsigned int bytes,
		const unsigned int us[RBLK_LATENCY_PARTS]);
void fake_stat(int index, unsigned int inflight, unsigned int busy_ms);
struct rblk_ioc_show *fake_volume(int index, const char *target, const char *export);

/**
 * struct result - what a run of the tool gave
 * @status: its exit status
 * @out: stdout
 * @err: stderr
 */
struct result {
	int status;
	char out[1 << 18];
	char err[8192];
};

extern struct result result;

void run_tool(const char *line);
void run_ok(const char *line);
struct json_object *result_json(void);
const char *json_member(struct json_object *top, const char *path);

#define assert_has(text, part)						\
	do {								\
		if (!strstr(text, part))				\
			fail_msg("no \"%s\" in \"%s\"", part, text);	\
	} while (0)

#endif /* RBLK_TESTS_TOOL_H */
