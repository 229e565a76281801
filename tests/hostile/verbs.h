/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One RDMA connection in user space, of either side, on librdmacm and
 * libibverbs.  It does what it is told and checks nothing about the messages:
 * what is right or wrong is its users' business.
 *
 * The memory of a connection is one buffer in one region that the peer may
 * read and write: first the send area, then the receive buffers, then the data
 * area.  Nothing here waits without a limit; limits are in milliseconds.
 */
#ifndef RBLK_HOSTILE_VERBS_H
#define RBLK_HOSTILE_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include "auth.h"

#define VERBS_PRIVATE_MAX	256
#define VERBS_GRANTS		64

/**
 * struct verbs_size - what a connection is made of
 * @sends: slots of the send queue
 * @recvs: receive buffers
 * @recv_len: bytes of each
 * @send_len: bytes of the send area
 * @data_len: bytes of the data area
 * @idle: post no receives
 * @pd: to share, or NULL for one of its own
 */
struct verbs_size {
	unsigned int sends;
	unsigned int recvs;
	size_t recv_len;
	size_t send_len;
	size_t data_len;
	bool idle;
	struct ibv_pd *pd;
};

/* A grant: on iWARP a region; RoCE invalidates no region, but a window. */
struct verbs_grant {
	struct ibv_mr *mr;
	struct ibv_mw *mw;
};

/**
 * struct verbs - a connection
 * @id: its CM id
 * @channel: of the CM events of this id alone
 * @size: what it is made of
 * @pd: its protection domain
 * @send_cq: completions of sends
 * @recv_cq: completions of receives
 * @mr: the region of @buf
 * @buf: all of its memory
 * @out: the send area
 * @data: the data area
 * @grants: of the data area, the latest in turn
 * @nr_grants: how many there have been
 * @wc: the last completion taken
 * @private: private data of the last CM event that had any
 * @private_len: bytes in it
 * @status: of the last CM event: a refusal's reason, an error
 * @connected: there is or was a connection
 * @gone: the peer has hung up
 * @macs: its users': what they need for the MACs of messages
 */
struct verbs {
	struct rdma_cm_id *id;
	struct rdma_event_channel *channel;
	struct verbs_size size;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_mr *mr;
	char *buf;
	char *out;
	char *data;
	struct verbs_grant grants[VERBS_GRANTS];
	unsigned int nr_grants;
	struct ibv_wc wc;
	unsigned char private[VERBS_PRIVATE_MAX];
	size_t private_len;
	int status;
	bool connected;
	bool gone;
	struct auth_link macs;
};

/* verbs.c; ints are 0 or a negative errno */
int verbs_make(struct verbs *v, const struct verbs_size *size);
void verbs_close(struct verbs *v);
struct ibv_mr *verbs_register(struct verbs *v, void *addr, size_t len,
			      int access);
uint32_t verbs_grant(struct verbs *v);
void verbs_ungrant(struct verbs *v);
int verbs_post_recv(struct verbs *v, unsigned int index);
void *verbs_receive(struct verbs *v, unsigned int ms, size_t *len);
int verbs_send(struct verbs *v, size_t len);
int verbs_send_inv(struct verbs *v, size_t len, uint32_t rkey);
int verbs_send_imm(struct verbs *v, size_t len, uint32_t imm);
int verbs_write(struct verbs *v, size_t len, uint64_t addr, uint32_t rkey);
int verbs_write_imm(struct verbs *v, size_t len, uint64_t addr, uint32_t rkey,
		    uint32_t imm);
int verbs_read(struct verbs *v, size_t len, uint64_t addr, uint32_t rkey);
int verbs_post(struct verbs *v, struct ibv_send_wr *wr);
int verbs_sent(struct verbs *v, unsigned int ms);
uint64_t verbs_now(void);
void verbs_sleep(unsigned int ms);

/* cm.c */
struct verbs *verbs_resolve(const char *address, uint16_t port);
int verbs_begin_connect(struct verbs *v, const void *data, size_t len,
			unsigned int reads);
int verbs_connect(struct verbs *v, const void *data, size_t len,
		  unsigned int reads, unsigned int ms);
int verbs_disconnect(struct verbs *v);
bool verbs_gone(struct verbs *v, unsigned int ms);
int verbs_event(struct verbs *v, unsigned int ms);
extern const char *verbs_source;

struct verbs *verbs_listen(const char *address, uint16_t port);
struct verbs *verbs_request(struct verbs *listener, unsigned int ms);
int verbs_accept(struct verbs *v, const void *data, size_t len,
		 unsigned int reads);
int verbs_reject(struct verbs *v, const void *data, size_t len);

#endif
