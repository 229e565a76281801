/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hostile host: sessions that begin well, and ways to go on badly.
 */
#ifndef RBLK_HOSTILE_HOST_H
#define RBLK_HOSTILE_HOST_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "auth.h"
#include "message.h"
#include "rblk_wire.h"
#include "report.h"
#include "verbs.h"

#define DEPTH		48	/* asked for, and granted */
#define QUEUES		2
#define SLOT_SIZE	4096	/* with RBLK_FEAT_WRITE_PUSH */
#define SLOTS		32	/* likewise, of the first tags */
#define WAIT_MS		5000	/* for an answer, or for the end */
#define SESS_NO_REASON	1000	/* refused without rblk's private data */

/**
 * struct keyed - who somebody is that has a key
 * @own: the key
 * @target: the target's public key
 */
struct keyed {
	struct auth_pair own;
	uint8_t target[AUTH_KEY];
};

/**
 * struct sess - a session of ours
 * @uuid: its UUID
 * @host: the host's
 * @instance: the host's
 * @epoch: its epoch
 * @key: from LOGIN
 * @keyed: who proves to be its host, or NULL for nobody
 * @secret: with @keyed, of the epoch, from the handshake
 * @volume: handle from ATTACH
 * @blocks: of that volume
 * @features: asked for
 * @slot_addr: from the last BIND
 * @slot_rkey: likewise
 * @slot_size: likewise
 * @slots: likewise
 * @window_addr: likewise
 * @window_rkey: likewise
 * @window_bytes: likewise
 * @control: the control connection, or NULL
 * @io: I/O connections by qid, or NULL
 */
struct sess {
	uint8_t uuid[16];
	uint8_t host[16];
	uint8_t instance[16];
	uint32_t epoch;
	uint64_t key;
	const struct keyed *keyed;
	uint8_t secret[AUTH_KEY];
	uint32_t volume;
	uint64_t blocks;
	uint32_t features;
	uint64_t slot_addr;
	uint32_t slot_rkey;
	uint16_t slot_size;
	uint16_t slots;
	uint64_t window_addr;
	uint32_t window_rkey;
	uint32_t window_bytes;
	struct verbs *control;
	struct verbs *io[QUEUES + 1];
};

/* What all cases need to know. */
extern const char *host_address;
extern const char *host_export;		/* ours to write to */
extern const char *host_readonly;	/* offered read-only */
extern const char *host_elsewhere;	/* another address of ours, or NULL */
extern bool host_paced;			/* no log line is to be left out */
extern bool host_iwarp;			/* known once sess_prepare() has run */
extern const struct keyed *host_keyed;	/* who we are, or NULL for nobody */
extern const struct keyed *host_other;	/* another one that the target allows, or NULL */

/* session */
void sess_new_host(uint8_t host[16]);
void sess_init(struct sess *s);
struct rblk_wire_cm_req sess_request(const struct sess *s, unsigned int qid);
struct verbs *sess_prepare(void);
bool sess_is_iwarp(const struct verbs *v);
struct verbs *sess_dial(const struct rblk_wire_cm_req *req, size_t len,
			int *reason);
int sess_control(struct sess *s);
int sess_login(struct sess *s);
int sess_attach(struct sess *s, const char *export, uint32_t access);
int sess_attach_patiently(struct sess *s, const char *export, uint32_t access);
int sess_detach(struct sess *s, uint32_t volume);
int sess_io(struct sess *s, unsigned int qid);
int sess_open(struct sess *s);
int sess_open_with(struct sess *s, uint32_t features);
void sess_close(struct sess *s);
bool sess_alive(struct sess *s);

/* messages of a session, in a connection's send area */
void *sess_ctl(struct verbs *v, uint8_t type, size_t len);
void *sess_call(struct verbs *v, size_t len);
struct rblk_wire_login *sess_fill_login(const struct sess *s, struct verbs *v);
struct rblk_wire_attach *sess_fill_attach(struct verbs *v, const char *export,
					  uint32_t access);
struct rblk_wire_bind *sess_fill_bind(const struct sess *s, struct verbs *v);
struct rblk_wire_cmd *sess_fill(const struct sess *s, struct verbs *v, int op);
int sess_status(struct verbs *v, unsigned int ms);
int sess_run(const struct sess *s, struct verbs *v, int op, uint32_t length);

/* keyed: what a session does that has a key; without one all is sent as it is */

/**
 * struct hello - a handshake on its way
 * @auth: what we know
 * @first: the first LOGIN
 * @answer: its answer
 * @second: the second LOGIN
 * @reply: its answer as it was on the wire
 * @reply_len: bytes of that
 */
struct hello {
	struct auth auth;
	struct rblk_wire_login first;
	struct rblk_wire_login_reply answer;
	struct rblk_wire_login second;
	char reply[sizeof(struct rblk_wire_login_reply) + AUTH_MAC];
	size_t reply_len;
};

int keyed_send(struct verbs *v, size_t len);
void *keyed_receive(struct verbs *v, unsigned int ms, size_t *len);
void keyed_begin(const struct sess *s, struct hello *hello);
int keyed_ask(struct sess *s, struct hello *hello);
bool keyed_answer(struct hello *hello);
int keyed_prove(struct sess *s, struct hello *hello);
int keyed_login(struct sess *s);
void keyed_macs(const struct sess *s, struct verbs *v);
void keyed_read(const char *file, const char *target, struct keyed *keyed);

/* witness: a session of somebody else, which must notice nothing */

/**
 * struct heard - a message as it was on the wire
 * @len: its bytes
 * @msg: they
 */
struct heard {
	size_t len;
	char msg[RBLK_WIRE_DATA_OFFSET];
};

/**
 * struct said - any message as it was on the wire
 * @name: for people
 * @len: its bytes
 * @msg: they
 */
struct said {
	const char *name;
	size_t len;
	char msg[AUTH_LAST];
};

#define MOST_SAID	24

/**
 * struct witness - that session, and what can be overheard of it
 * @s: it
 * @hello: its handshake
 * @keepalive: a KEEPALIVE
 * @bind: BIND of qid 1
 * @bound: its reply
 * @command: a command there
 * @response: its response
 * @said: all of these, and more, in the order in which they were sent
 * @nr_said: how many
 */
struct witness {
	struct sess s;
	struct hello hello;
	struct heard keepalive;
	struct heard bind;
	struct heard bound;
	struct heard command;
	struct heard response;
	struct said said[MOST_SAID];
	unsigned int nr_said;
};

extern struct witness witness;

#define WRONG_MAC	"violation: message that its host has not sent as its next one"

void witness_open(const struct keyed *who);
void witness_close(void);
const char *witness_well(const char *why);
const char *witness_refused(struct sess *s, int got, int want);
const char *witness_ended(struct sess *s, struct verbs *v, const char *reason);
void witness_again(struct sess *s);

/* slot */
int slot_open(struct sess *s);
struct rblk_wire_cmd *slot_command(const struct sess *s, uint16_t tag);
int slot_rdma(const struct sess *s, int opcode, unsigned int page, size_t len,
	      uint64_t addr, uint32_t rkey);
int slot_fill(const struct sess *s, uint16_t tag, unsigned char byte);
int slot_sent(struct verbs *v, unsigned int nr);
const char *slot_holds(struct sess *s, uint64_t lba, unsigned char a,
		       unsigned char b);

void hold_set(const char *name, unsigned int value);
bool hold_keeps(void);

/* fence */
struct rblk_wire_fence *fence_fill(struct verbs *v, const uint8_t *session,
				   const uint8_t *export, uint32_t epoch);

/* reserve */
struct rblk_wire_reserve *reserve_fill(struct verbs *v, int action, int type, uint64_t key,
				       uint64_t new_key);

#define PLAYER_LBA	256
#define PLAYER_BYTES	4096
#define PLAYER_SHARED	(RBLK_ACCESS_WRITE | RBLK_ACCESS_SHARED)

/**
 * struct player - a host that shares the export
 * @s: its session
 * @key: that it registers
 * @why: the reasons that events have told it
 */
struct player {
	struct sess s;
	uint64_t key;
	uint32_t why;
};

int player_change(struct player *p, int action, int type, uint64_t key, uint64_t new_key,
		  uint64_t source, uint64_t number);
int player_reserve_as(struct player *p, int action, int type, uint64_t key, uint64_t new_key,
		      uint64_t source);
int player_reserve(struct player *p, int action, int type, uint64_t new_key);
int player_join(struct player *p);
int player_attach(struct player *p, uint32_t access);
int player_attach_in_time(struct player *p, uint32_t access);
int player_enter(struct player *p, uint32_t access);
int player_open(struct player *p, unsigned int nr);
int player_write_begin(struct sess *s, unsigned char byte);
int player_write(struct sess *s, unsigned char byte);
const char *player_wants(const char *what, int got, int want);
const struct rblk_wire_reservation_reply *player_report(struct player *p, uint32_t start);
const char *player_sees(struct player *p, unsigned int total, int type);

/* kept */
void reserve_keep_case(void);

/* order */
const char *order_of_host(struct player *p);

/* abort */
const char *abort_of_kept(struct player *p);
const char *abort_races(struct player *p);
const char *reserve_crowd(struct player *p);
const char *reserve_flood(struct player *p);

/* window */
struct rblk_wire_cmd *window_command(const struct sess *s, uint16_t tag,
				     unsigned int page, size_t len);
int window_fill(const struct sess *s, unsigned int page, unsigned char byte);

/* area */

/**
 * struct area - memory of the target that a session may write to
 * @addr: where it begins, for RDMA
 * @rkey: its key
 * @bytes: its length
 */
struct area {
	uint64_t addr;
	uint32_t rkey;
	uint64_t bytes;
};

typedef struct area area_of(const struct sess *s);

const char *area_refused(struct sess *s, const char *want);
void area_cases(const char *prefix, area_of *of);

/* watch */
void watch_open(void);
void watch_begin(void);
const char *watch_end(const char *reason, const char *log);
const char *watch_either(const char *first, const char *second);
const char *watch_violation(void);
const char *watch_broken(const struct verbs *v);

/* cases, by topic */
struct topic {
	const char *name;
	void (*run)(void);
};

void request_cases(void);
void control_cases(void);
void command_cases(void);
void data_cases(void);
void identity_cases(void);
void transport_cases(void);
void push_cases(void);
void unpushed_cases(void);
void window_cases(void);
void windowless_cases(void);
void held_cases(void);
void held_stable_cases(void);
void fence_cases(void);
void reserve_cases(void);
void reserve_kept_cases(void);
void reserve_unkept_cases(void);
void quit_cases(void);
void deadline_cases(void);
void stranger_cases(void);
void anyone_cases(void);
void downgrade_cases(void);
void handshake_cases(void);
void retry_cases(void);
void mac_cases(void);
void rival_cases(void);
void replay_cases(void);
void fresh_cases(void);
void lost_cases(void);
void immediate_cases(void);

/* programs of their own */
int flood_main(int argc, char **argv);
int mutate_main(int argc, char **argv);
int crowd_main(int argc, char **argv);

#endif
