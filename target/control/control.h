/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door of control/: the control device and debugfs, by which the
 * administrator acts and sees.  It is the highest layer, and its verbs read what
 * the layers below own.
 */
#ifndef RBLKT_CONTROL_H
#define RBLKT_CONTROL_H

#include "../session/session.h"

extern struct miscdevice rblkt_misc;
u32 rblkt_fence_left(const u8 *host);
int rblkt_host_fence(struct rblkt_ioc_host_fence *arg);
int rblkt_evict(struct rblkt_ioc_session_remove *arg);
int rblkt_pause(struct rblkt_ioc_pause *arg);
int rblkt_resume(struct rblkt_ioc_pause *arg);
int rblkt_pause_show(struct rblkt_ioc_pause *arg);
int rblkt_show_export(struct rblkt_ioc_export_show *arg);
int rblkt_show_portals(struct rblkt_ioc_list *arg);
int rblkt_show_sessions(struct rblkt_ioc_list *arg);
int rblkt_show_fenced(struct rblkt_ioc_list *arg);
int rblkt_show_reservation(struct rblkt_ioc_reservation_show *arg);
void rblkt_debug_init(void);
void rblkt_debug_exit(void);

#endif /* RBLKT_CONTROL_H */
