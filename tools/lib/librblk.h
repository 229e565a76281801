/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * librblk: volumes, exports, portals and sessions of rblk for any program, see librblk(3).
 *
 * What begins with rblk_ asks the initiator, what begins with rblkt_ the target. Results are
 * the structures of rblk_ioctl.h. The library prints nothing, never exits, and has no state
 * but what the caller holds.
 *
 * Unless it says otherwise, a function returns 0, or -1 with @fail filled in. What it
 * returns by a pointer to a pointer is for free().
 */
#ifndef LIBRBLK_H
#define LIBRBLK_H

#include <stdbool.h>
#include "rblk_ioctl.h"

#ifdef __cplusplus
extern "C" {
#endif

struct json_object;

/**
 * struct rblk_failure - why something did not happen
 * @stage: enum rblk_stage, RBLK_STAGE_NONE where the library itself found out
 * @error: positive errno
 * @reason: the peer's reason code, see struct rblk_ioc_error
 * @text: one sentence without a full stop
 * @at: which of a name's addresses it was, or empty
 * @hint: what to try, or empty
 */
struct rblk_failure {
	unsigned int stage;
	int error;
	unsigned int reason;
	char text[512];
	char at[80];
	char hint[320];
};

/*
 * A caller, or NULL for one without wishes. Threads may share one that none of them changes.
 *
 * Before each command and each time that a signal has ended a wait, interrupted() says
 * whether to give up, with EINTR and all undone. Without it every signal that has a handler
 * ends the wait that it meets.
 */
struct rblk;

struct rblk *rblk_new(void);
void rblk_free(struct rblk *rblk);
void rblk_set_interrupt(struct rblk *rblk, bool (*interrupted)(void *arg), void *arg);

/* The modules. Each call opens the one that it needs and closes it again. */
enum rblk_side {
	RBLK_INITIATOR,
	RBLK_TARGET,
};

int rblk_info(struct rblk *rblk, enum rblk_side side, struct rblk_ioc_info *info,
	      struct rblk_failure *fail);
bool rblk_missing(const struct rblk_failure *fail);

/**
 * struct rblk_host - who a host is
 * @uuid: its UUID
 * @name: its name
 */
struct rblk_host {
	__u8 uuid[RBLK_UUID_LEN];
	char name[RBLK_NAME_LEN];
};

int rblk_host_get(struct rblk_host *host, const char **origin, struct rblk_failure *fail);

/* Keys as people write them: base64, 44 characters. */
#define RBLK_KEY_TEXT	45	/* with its NUL */

bool rblk_key_parse(const char *text, __u8 key[RBLK_KEY_LEN]);
void rblk_key_text(char to[RBLK_KEY_TEXT], const __u8 key[RBLK_KEY_LEN]);

/**
 * struct rblk_key - a key of this machine
 * @public_key: what others may know of it
 * @file: where its private part is; stays where it is
 * @made: this call has made it
 */
struct rblk_key {
	__u8 public_key[RBLK_KEY_LEN];
	const char *file;
	bool made;
};

/*
 * The machine's own key, in /etc/rblk/key, and the next one. Whatever needs a key gives the
 * module the machine's first, if it has none.
 */
int rblk_key_get(struct rblk_key *key, struct rblk_failure *fail);
int rblk_key_private(char to[RBLK_KEY_TEXT], struct rblk_failure *fail);
int rblk_key_next(struct rblk_key *key, struct rblk_failure *fail);
int rblk_key_rotate(struct rblk *rblk, struct rblk_key *key, struct rblk_failure *fail);
int rblk_key_load(struct rblk *rblk, enum rblk_side side, struct rblk_failure *fail);
int rblk_key_show(struct rblk *rblk, enum rblk_side side, struct rblk_ioc_key_show *show,
		  struct rblk_failure *fail);

/**
 * struct rblk_volume_spec - an export to attach, or a target to ask
 * @target: HOST[:PORT]
 * @source: a local address to connect from, or NULL
 * @export_name: its name; discovery needs none
 * @host: who asks, NULL for this host as rblk_host_get() knows it
 * @uuid: the identity that the export must have, zeroes for any
 * @flags: RBLK_ATTACH_*
 * @queues: connections for I/O, 0 for the default
 * @depth: commands per connection, 0 for the default
 * @inline_read: with RBLK_ATTACH_INLINE_READ: bytes of the largest read that comes in
 *               the response, 0 for none
 * @queue_timeout: seconds to hold I/O while the target is away, -1 for ever
 * @index: N of /dev/rblkN, -1 for the first free
 * @poll_queues: connections more, for I/O that is polled
 * @target_key: keys of which the target must prove one, zeroes where there is none; or
 *              RBLK_ATTACH_TRUST_FIRST or RBLK_ATTACH_INSECURE in @flags
 */
struct rblk_volume_spec {
	const char *target;
	const char *source;
	const char *export_name;
	const struct rblk_host *host;
	__u8 uuid[RBLK_UUID_LEN];
	unsigned int flags;
	unsigned int queues;
	unsigned int depth;
	unsigned int inline_read;
	int queue_timeout;
	int index;
	unsigned int poll_queues;
	__u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN];
};

#define RBLK_VOLUME_SPEC_INIT \
	{ .queue_timeout = RBLK_QUEUE_TIMEOUT_DEFAULT, .index = -1 }

int rblk_attach(struct rblk *rblk, const struct rblk_volume_spec *spec,
		struct rblk_ioc_attach *attach, struct rblk_failure *fail);
int rblk_detach(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN], bool force,
		struct rblk_failure *fail);
bool rblk_is_root(int index);
int rblk_set_queue_timeout(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
			   int seconds, struct rblk_failure *fail);
int rblk_set_target_keys(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
			 const __u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN],
			 struct rblk_failure *fail);
/*
 * Other ways to a volume's target. To add one, of @spec the target, its source, its keys and
 * the flags about them matter; without them it proves what it does on the first route.
 */
int rblk_route_add(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
		   const struct rblk_volume_spec *spec, unsigned int wait_ms,
		   struct rblk_ioc_route_change *change, struct rblk_failure *fail);
int rblk_route_remove(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
		      const char *target, const char *source, struct rblk_failure *fail);
int rblk_routes(struct rblk *rblk, int index, struct rblk_ioc_route routes[RBLK_MAX_ROUTES],
		unsigned int *nr, struct rblk_failure *fail);
/*
 * Who is registered for a volume, and who holds its reservation: the target is asked. The
 * ioctls of linux/pr.h change it. @registrants is for free().
 */
int rblk_reservation(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN],
		     struct rblk_ioc_reservation *reservation,
		     struct rblk_ioc_registrant **registrants, struct rblk_failure *fail);
/* With @partial, for who may not ask the module: what sysfs has, zeroes for all else. */
int rblk_volume_next(struct rblk *rblk, int from, struct rblk_ioc_show *show,
		     bool *partial, struct rblk_failure *fail);
int rblk_volume_find(struct rblk *rblk, const char *name, struct rblk_ioc_show *show,
		     bool *partial, struct rblk_failure *fail);
int rblk_volume_stat(struct rblk *rblk, int index, struct rblk_ioc_latency op[RBLK_LATENCY_OPS],
		     struct rblk_failure *fail);
int rblk_discover(struct rblk *rblk, const struct rblk_volume_spec *spec,
		  struct rblk_ioc_discover *discover, struct rblk_ioc_offer **offers,
		  struct rblk_failure *fail);

/**
 * struct rblk_event - what the kernel says of a volume
 * @index: N of /dev/rblkN
 * @what: "attached", "detached", "state", "resized", "digest" or "reservation"
 * @state: with "state" the one it went into, else empty
 * @op: with "digest" the operation that failed, as its digest was wrong twice: "read" or
 *      "write"; else empty
 * @lba: with "digest" its first logical block
 * @bytes: with "digest" its length
 * @change: with "reservation" what has happened to it: "preempted": somebody else has
 *          ended its registration; "released"; "cleared"; or "changed"; else empty
 */
struct rblk_event {
	int index;
	const char *what;
	char state[24];
	char op[8];
	__u64 lba;
	__u64 bytes;
	char change[16];
};

int rblk_events_open(struct rblk_failure *fail);
int rblk_events_next(int fd, int timeout_ms, struct rblk_event *event,
		     struct rblk_failure *fail);

/**
 * struct rblk_export_spec - a device or file to offer
 * @name: what hosts call it
 * @backing: the block device, or the file
 * @file: @backing is a file
 * @size: with @file, bytes to make it with if it is missing, 0: it must be there
 * @cgroup: control group that its I/O is charged to, from the hierarchy's root, or NULL
 * @uuid: its identity, zeroes for a new one
 * @flags: RBLKT_EXPORT_*, but RBLKT_EXPORT_CGROUP
 * @hosts: the hosts that may attach it; by UUID only with RBLKT_EXPORT_INSECURE
 * @nr_hosts: how many
 */
struct rblk_export_spec {
	const char *name;
	const char *backing;
	bool file;
	__u64 size;
	const char *cgroup;
	__u8 uuid[RBLK_UUID_LEN];
	unsigned int flags;
	const struct rblk_ioc_host *hosts;
	unsigned int nr_hosts;
};

int rblkt_export_add(struct rblk *rblk, const struct rblk_export_spec *spec,
		     struct rblkt_ioc_export_add *added, struct rblk_failure *fail);
int rblkt_export_remove(struct rblk *rblk, const char *name, bool force,
			struct rblk_failure *fail);
int rblkt_export_set(struct rblk *rblk, struct rblkt_ioc_export_set *set,
		     struct rblk_failure *fail);
int rblkt_export_next(struct rblk *rblk, const char *after, struct rblkt_ioc_export_show *show,
		      struct rblk_ioc_host hosts[RBLK_MAX_HOSTS], struct rblk_failure *fail);
int rblkt_export_get(struct rblk *rblk, const char *name, struct rblkt_ioc_export_show *show,
		     struct rblk_ioc_host hosts[RBLK_MAX_HOSTS], struct rblkt_ioc_user **users,
		     struct rblk_failure *fail);
int rblkt_export_stat(struct rblk *rblk, const char *name, struct rblkt_ioc_host_stat **hosts,
		      unsigned int *nr, struct rblk_failure *fail);
int rblkt_reservation(struct rblk *rblk, const char *name,
		      struct rblkt_ioc_reservation_show *show,
		      struct rblk_ioc_registrant **registrants, struct rblk_failure *fail);
int rblkt_reservation_set(struct rblk *rblk, struct rblkt_ioc_reservation_set *set,
			  struct rblk_failure *fail);
int rblkt_portal_add(struct rblk *rblk, const char *address, struct rblk_ioc_addr *addr,
		     struct rblk_failure *fail);
int rblkt_portal_remove(struct rblk *rblk, const char *address, bool force,
			struct rblk_ioc_addr *addr, struct rblk_failure *fail);
int rblkt_portals(struct rblk *rblk, struct rblkt_ioc_portal **portals, unsigned int *nr,
		  struct rblk_failure *fail);
int rblkt_sessions(struct rblk *rblk, struct rblk_ioc_session **sessions, unsigned int *nr,
		   struct rblk_failure *fail);
int rblkt_session_remove(struct rblk *rblk, const char *host, bool force,
			 struct rblkt_ioc_session_remove *removed, struct rblk_failure *fail);

/**
 * struct rblkt_host - a host that a target knows
 * @uuid: what the target calls it: its UUID, or one that stands for its key
 * @key: its key, zeroes if it has none or the target does not remember it
 * @name: its name
 * @sessions: how many it has now
 * @fenced: it may attach nothing
 * @left: if it is fenced, volumes on which its last I/O has not ended
 */
struct rblkt_host {
	__u8 uuid[RBLK_UUID_LEN];
	__u8 key[RBLK_KEY_LEN];
	char name[RBLK_NAME_LEN];
	unsigned int sessions;
	bool fenced;
	unsigned int left;
};

int rblkt_hosts(struct rblk *rblk, struct rblkt_host **hosts, unsigned int *nr,
		struct rblk_failure *fail);
int rblkt_fenced(struct rblk *rblk, struct rblkt_ioc_fenced **fenced, unsigned int *nr,
		 struct rblk_failure *fail);
int rblkt_host_fence(struct rblk *rblk, const char *host, bool up,
		     struct rblkt_ioc_host_fence *fence, struct rblk_failure *fail);
int rblkt_pause(struct rblk *rblk, unsigned int seconds, struct rblkt_ioc_pause *pause,
		struct rblk_failure *fail);
int rblkt_resume(struct rblk *rblk, struct rblkt_ioc_pause *pause, struct rblk_failure *fail);
int rblkt_pause_get(struct rblk *rblk, struct rblkt_ioc_pause *pause,
		    struct rblk_failure *fail);

/* Words; "unknown" for a number that is not known. */
#define RBLK_ADDRESS_TEXT	80

const char *rblk_stage_text(unsigned int stage);
const char *rblk_volume_state_text(unsigned int state);
const char *rblk_reservation_text(unsigned int type);
const char *rblk_session_state_text(unsigned int state);
const char *rblk_counter_text(unsigned int counter);
void rblk_address_text(char to[RBLK_ADDRESS_TEXT], const struct rblk_ioc_addr *addr);

/* As json-c objects, which are the caller's; NULL without memory. */
struct json_object *rblk_failure_json(const struct rblk_failure *fail);
struct json_object *rblk_info_json(const struct rblk_ioc_info *info,
				   const struct rblk_failure *fail);
struct json_object *rblk_key_json(const struct rblk_key *key);
struct json_object *rblk_host_json(const struct rblk_host *host, const char *origin);
struct json_object *rblk_attach_json(const struct rblk_ioc_attach *attach);
struct json_object *rblk_volume_json(const struct rblk_ioc_volume *volume, bool partial);
struct json_object *rblk_reservation_json(const struct rblk_ioc_reservation *reservation,
					  const struct rblk_ioc_registrant *registrants);
struct json_object *rblk_route_json(const struct rblk_ioc_route *route);
struct json_object *rblk_session_json(const struct rblk_ioc_session *session,
				      enum rblk_side side, bool partial);
struct json_object *rblk_offer_json(const struct rblk_ioc_offer *offer);
struct json_object *rblk_latency_json(const struct rblk_ioc_latency *during, double seconds,
				      const struct rblk_ioc_latency *total);
struct json_object *rblkt_export_json(const struct rblkt_ioc_export_show *show,
				      const struct rblk_ioc_host *hosts,
				      const struct rblkt_ioc_user *users);
struct json_object *rblkt_reservation_json(const struct rblkt_ioc_reservation_show *show,
					   const struct rblk_ioc_registrant *registrants);
struct json_object *rblkt_host_json(const struct rblkt_host *host);
struct json_object *rblkt_portal_json(const struct rblkt_ioc_portal *portal);
struct json_object *rblkt_pause_json(const struct rblkt_ioc_pause *pause);

#ifdef __cplusplus
}
#endif

#endif /* LIBRBLK_H */
