/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions behind the control device and debugfs, by file: what the
 * administrator does and sees.  They are described where they are defined.
 */
#ifndef RBLKT_ADMIN_H
#define RBLKT_ADMIN_H

#include "core.h"

struct seq_file;

/* ctl */
extern struct miscdevice rblkt_misc;
int rblkt_fail(struct rblk_ioc_error *err, u32 stage, int error,
	       const char *fmt, ...) __printf(4, 5);
int rblkt_fail_addr(struct rblk_ioc_error *err, u32 stage, int error,
		    const struct rblk_ioc_addr *addr, const char *what);

/* attach */
unsigned int rblkt_att_inflight(const struct rblkt_att *att);

/* export */
struct rblkt_export *rblkt_export_next(const char *name);
int rblkt_export_add(struct rblkt_ioc_export_add *arg);
int rblkt_export_remove(struct rblkt_ioc_export_remove *arg);
int rblkt_export_unique(const char *name, const u8 *uuid,
			const struct rblkt_export *except,
			struct rblk_ioc_error *err);
void *rblkt_export_hosts(u64 from, u32 nr, struct rblk_ioc_error *err);
int rblkt_export_in_use(const struct rblkt_export *export,
			const struct rblkt_holder *user, unsigned int nr,
			struct rblk_ioc_error *err);
void rblkt_export_drain(struct rblkt_att *att);
void rblkt_export_withdraw(struct rblkt_att *att);

/* change */
int rblkt_change(struct rblkt_ioc_export_set *arg);

/* cgroup */
int rblkt_cgroup_join(struct rblkt_export *export, int fd,
		      struct rblk_ioc_error *err);
void rblkt_cgroup_leave(struct rblkt_export *export);

/* portal */
int rblkt_portal_add(struct rblkt_ioc_portal_add *arg);
int rblkt_portal_remove(struct rblkt_ioc_portal_remove *arg);

/* evict */
int rblkt_evict(struct rblkt_ioc_session_remove *arg);

/* pause */
int rblkt_pause(struct rblkt_ioc_pause *arg);
int rblkt_resume(struct rblkt_ioc_pause *arg);
int rblkt_pause_show(struct rblkt_ioc_pause *arg);
u32 rblkt_pause_left(void);
u32 rblkt_pause_ms(void);
void rblkt_pause_set(u32 ms);
void rblkt_pause_clear(void);
void rblkt_pause_stop(void);

/* show */
int rblkt_show_export(struct rblkt_ioc_export_show *arg);
int rblkt_show_portals(struct rblkt_ioc_list *arg);
int rblkt_show_sessions(struct rblkt_ioc_list *arg);

/* peer */
void rblkt_peer_show(struct seq_file *m);

/* reason */
void rblkt_reason_show(struct seq_file *m);

/* debug */
void rblkt_debug_init(void);
void rblkt_debug_exit(void);

#endif /* RBLKT_ADMIN_H */
