/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An rblk target in user space with a disk in memory.  It is honest but for
 * what its act says: an act looks at each message before it is sent and may
 * change it, keep it, send others, write where it must not, or hang up.
 */
#ifndef RBLK_HOSTILE_TARGET_H
#define RBLK_HOSTILE_TARGET_H

#include <endian.h>
#include "message.h"
#include "report.h"
#include "verbs.h"

/* disk0 and so on; only the first is listed. */
#define EXPORT_NAME	"disk"
#define EXPORTS		4
#define DISK_BYTES	(16u << 20)
/* From one disk to the next: a command may begin in one and be as long. */
#define DISK_STRIDE	(DISK_BYTES + 4 * MAX_IO)
#define HANDLES		4096
#define BLOCK		512
#define MAX_QUEUES	2
#define MAX_DEPTH	16
#define MAX_IO		(256u << 10)
#define MAX_LINKS	256
#define CTRL_RECVS	16
#define SENDS		64
#define SEND_ROOM	8192
/* Of wr_id: the completion of an RDMA READ for the tag in the low bits. */
#define PULLED		0x10000u

/* What is heard of a close: its own event, or what the queue pair has to say. */
#define CLOSED		"closed|flushed|error|drained"

/* What an act may spoil besides messages: the acceptance of a connection. */
#define ACCEPTANCE	0xf0
#define IMMEDIATE	0xf1
/* The answer to the first LOGIN of a handshake, and before that what it is made of. */
#define ANSWER		0xf2
#define PROVING		0xf3

/**
 * enum expectation - how the test drives the initiator, and what must come of it
 * @FAILS: an attach fails and says why
 * @LISTS: so does a discover
 * @RECOVERS: the session is lost for a reason that is logged, then recovers,
 *            and all data is right
 * @HARMLESS: nothing is lost, and all data is right
 * @EXPIRES: I/O is held, then fails; the volume says why
 * @FORCED: a detach by force ends all I/O
 * @ERRORS: I/O comes to an end, with an error
 * @MANY_HARMLESS: several attaches at once, and all is well
 * @MANY_REFUSED: some of them are refused and say why; nothing is lost
 * @MANY_RECOVERS: some of them fail, as the session is lost for a reason that is
 *                 logged; it recovers, they succeed
 * @MANY_RECOVER_ALL: they succeed, the session is lost and recovers with all
 * @MANY_STRANGERS: the same, but some fail at first, and log why
 */
enum expectation {
	FAILS,
	LISTS,
	RECOVERS,
	HARMLESS,
	EXPIRES,
	FORCED,
	ERRORS,
	MANY_HARMLESS,
	MANY_REFUSED,
	MANY_RECOVERS,
	MANY_RECOVER_ALL,
	MANY_STRANGERS,
};

struct fake;
struct link;

/**
 * struct out - something about to be sent
 * @link: where
 * @type: RBLK_MSG_*, or ACCEPTANCE
 * @buf: it, SEND_ROOM bytes
 * @len: of it
 * @inv: invalidate @rkey with it
 * @rkey: see there
 * @cmd: the command that a RESPONSE answers
 * @copies: how many to send
 * @last: hang up when it has been sent
 * @refuse: with ACCEPTANCE: send it as a refusal
 * @imm: with IMMEDIATE: which, in host order; there is no @buf then
 * @sign: instead of the honest way: gives the message at its place its MAC
 */
struct out {
	struct link *link;
	uint8_t type;
	char *buf;
	size_t len;
	bool inv;
	uint32_t rkey;
	const struct rblk_wire_cmd *cmd;
	unsigned int copies;
	bool last;
	bool refuse;
	uint32_t imm;
	void (*sign)(struct link *l, char *msg, size_t *len);
};

/* ATTACHes that rblk's initiator has on their way, at most. */
#define MANY_MOST	8
#define HELD_BYTES	1024

/**
 * struct held - answers to ATTACHes that wait for each other
 * @link: where they go
 * @nr: how many; an act may make it one more
 * @since: ms, when the last was added
 * @close: hang up when they have been sent
 * @msg: they
 */
struct held {
	struct link *link;
	unsigned int nr;
	uint64_t since;
	bool close;
	char msg[MANY_MOST + 1][HELD_BYTES];
};

/* A field to overwrite, little-endian. */
struct patch {
	uint16_t at;
	uint8_t bytes;
	uint64_t value;
};

#define FIELD(type, member, number)					\
	{ offsetof(struct rblk_wire_##type, member),			\
	  sizeof(((struct rblk_wire_##type *)0)->member), number }

/**
 * struct act - one way to be bad
 * @name: for people and tests
 * @words: an extended regular expression for the reason the initiator gives
 * @expect: what must come of it
 * @at: type of the messages it is about, 0 for none
 * @op: with RBLK_MSG_RESPONSE: of commands with this op only, 0 for all
 * @inl: with RBLK_MSG_RESPONSE: of reads whose data comes with it only
 * @imm: grants answers by immediate
 * @window: says that it grants a window; only in the first epoch unless it @FAILS
 * @held: may hold tags
 * @digest: offers data digests, and has them where they are asked for
 * @batch: takes several commands in one message, and answers in one message those
 *         of them that can be
 * @many: answers those ATTACHes together that came together
 * @control: with ACCEPTANCE: of the control connection only
 * @again: every time, not only once
 * @late: only after a first loss, which it brings about
 * @told: only once SIGUSR1 has come
 * @early: also while the initiator looks for partitions
 * @lenient: goes on with messages of the initiator that have wrong MACs
 * @recvs: receive buffers of an I/O connection, 0 for enough
 * @long_form: takes its time: not in the short form
 * @provider: "rxe" or "siw" where it can't be done on the other
 * @patch: fields to overwrite, up to the first of no bytes
 * @spoil: what to do then, or NULL
 * @arrange: with @many: what to do to several answers before they are sent, or NULL
 */
struct act {
	const char *name;
	const char *words;
	enum expectation expect;
	uint8_t at;
	uint8_t op;
	bool inl;
	bool imm;
	bool window;
	bool held;
	bool digest;
	bool batch;
	bool many;
	bool control;
	bool again;
	bool late;
	bool told;
	bool early;
	bool lenient;
	unsigned int recvs;
	bool long_form;
	const char *provider;
	struct patch patch[3];
	void (*spoil)(struct fake *f, struct out *o);
	void (*arrange)(struct held *h);
};

/**
 * struct link - one connection
 * @fake: whose
 * @v: its verbs
 * @qid: 0 for the control connection
 * @depth: granted
 * @up: established
 * @hang_up: close it when there is time
 * @deaf: post no more receives
 * @seen: a message has come
 * @posted: sends ever posted
 * @sent: of those, completed
 * @cmds: commands being carried out, by tag
 * @last: tag of the last command of the latest message
 * @batching: more commands of a message follow: what can share an answer waits
 * @answers: of those, so many, at @answer
 * @auth: of the control connection, its handshake
 * @asked: that has begun
 */
struct link {
	struct fake *fake;
	struct verbs *v;
	unsigned int qid;
	unsigned int depth;
	bool up;
	bool hang_up;
	bool deaf;
	bool seen;
	unsigned int posted;
	unsigned int sent;
	struct rblk_wire_cmd cmds[MAX_DEPTH];
	unsigned int last;
	bool batching;
	unsigned int answers;
	struct rblk_wire_rsp answer[RBLK_WIRE_MAX_BATCH];
	struct auth auth;
	bool asked;
};

#define PAST_TYPES	64

/**
 * struct past - a message as it was on the wire
 * @len: its bytes, 0 for none
 * @msg: they
 */
struct past {
	size_t len;
	char msg[SEND_ROOM];
};

/**
 * struct fake - the target
 * @act: how it is bad
 * @listener: of its address
 * @links: connections
 * @disk: EXPORTS times DISK_STRIDE
 * @epoch: of the latest control connection
 * @first_epoch: of the first
 * @written: it has been written to: the test's own I/O has begun
 * @done: the act has been done, so often
 * @silent: answers nothing at all
 * @volume: handle of the latest volume
 * @export: of each handle, by its lower bits: number of the export
 * @held: with an act of @many
 * @secret: with a handshake, of the latest epoch
 * @proven: there is one
 * @past: the first message of each type in the first epoch; at 0 the ANSWER
 * @heard: hosts' ephemeral keys, as many as there is room for
 * @nr_heard: how many there have been
 */
struct fake {
	const struct act *act;
	struct verbs *listener;
	struct link *links[MAX_LINKS];
	char *disk;
	uint32_t epoch;
	uint32_t first_epoch;
	bool written;
	unsigned int done;
	bool silent;
	uint32_t volume;
	uint8_t export[HANDLES];
	struct held held;
	uint8_t secret[AUTH_KEY];
	bool proven;
	struct past past[PAST_TYPES];
	uint8_t heard[MAX_LINKS][AUTH_KEY];
	unsigned int nr_heard;
};

/* target.c */
void act_out(struct fake *f, struct out *o);

/* target_link.c */
bool link_serve(struct fake *f);
void link_manage(struct fake *f);
int link_post(struct link *l, struct ibv_send_wr *wr, const void *data, size_t len);
void link_send(struct out *o);
int link_rdma(struct link *l, int opcode, void *data, size_t len, uint64_t addr,
	      uint32_t rkey);
char *link_spare(struct link *l);
struct link *link_other(struct link *l);
struct link *link_control(struct fake *f);

/* target_keyed.c: honest handshakes and MACs */
void keyed_greet(struct link *l, const void *req, struct rblk_wire_cm_rep *rep);
bool keyed_login(struct link *l, const struct rblk_wire_login *msg, char *buf);
void keyed_bind(struct link *l);
bool keyed_take(struct link *l, char *msg, size_t *len);
void keyed_sign(struct link *l, char *msg, size_t *len);
void keyed_note(struct link *l, const char *msg, size_t len);
const struct past *keyed_past(struct link *l, const char *msg);
void keyed_print(void);
void keyed_other(struct auth_pair *pair);

/* target_reply.c: honest answers */
void reply_acceptance(const struct rblk_wire_cm_req *req, struct rblk_wire_cm_rep *rep,
		      unsigned int batch);
void reply_control(struct link *l, const void *msg, size_t len);

/* target_io.c: honest I/O */
void io_command(struct link *l, const char *msg, size_t len);
void io_pulled(struct link *l, unsigned int tag);
void io_response(struct out *o, char *buf, const struct rblk_wire_cmd *cmd);

/* tables of acts, each ended by one without a name */
extern const struct act field_acts[];
extern const struct act message_acts[];
extern const struct act memory_acts[];
extern const struct act stage_acts[];

/* target_batch.c */
extern const struct act batch_acts[];

/* target_many.c */
extern const struct act many_acts[];
extern const struct act held_acts[];
void many_hold(struct link *l, const void *msg);
void many_drop(struct link *l);
void many_send(struct fake *f);

/* target_inline.c */
extern const struct act inline_acts[];

/* target_window.c */
extern const struct act window_acts[];

/* target_digest.c */
extern const struct act digest_acts[];
void digest_answer(struct rblk_wire_rsp *rsp, const struct rblk_wire_cmd *cmd,
		   const char *data);
void digest_check(const struct rblk_wire_cmd *cmd, const char *data);

/* target_imm.c */
extern const struct act imm_acts[];
void imm_send(struct out *o);
void imm_unasked(struct fake *f, struct out *o);

/* target_auth.c */
extern const struct act auth_acts[];

/* target_mutate.c */
void mutate_out(struct fake *f, struct out *o);

#endif
