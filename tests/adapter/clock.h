/* SPDX-License-Identifier: GPL-2.0-only */
/* The account of the model's own work: see clock.c. */
#ifndef RAD_CLOCK_H
#define RAD_CLOCK_H

#include <linux/types.h>

struct dentry;
struct ib_device;
struct kthread_work;
struct rad_dev;

/* clock.c */
void rad_clock_init(struct dentry *root);
bool rad_clock_runs(void);
bool rad_clock_exact(void);
u64 rad_clock_spent(void);
void rad_clock_in(void);
void rad_clock_out(void);
void rad_clock_enter(void);
void rad_clock_leave(void);
unsigned int rad_clock_pause(void);
void rad_clock_resume(unsigned int depth);
void rad_clock_set_burn(unsigned int ticks);
void rad_clock_burn(void);

/* thread.c */
int rad_thread_create(struct rad_dev *dev, const char *name);
void rad_thread_destroy(struct rad_dev *dev);
void rad_thread_queue(struct rad_dev *dev, struct kthread_work *work);

/* timed.c */
void rad_timed_set(struct ib_device *ibdev);

#endif /* RAD_CLOCK_H */
