// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports in control groups: what hosts read and write through an export counts
 * for, and is held back by, the limits of a group of cgroup v2.
 *
 * An export keeps a reference to the group's part of the io controller from its
 * addition to its end.  The group may be removed meanwhile; its bios then count
 * for the nearest group above that is left, as the block layer has it.
 */
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include "admin.h"

#ifdef CONFIG_BLK_CGROUP
/**
 * rblkt_cgroup_join - let an export's I/O count for a control group
 * @export: not yet in the registry
 * @fd: the group's directory, open in the calling process
 * @err: what is wrong with it
 *
 * Return: 0 or a negative errno.  May sleep.
 */
int rblkt_cgroup_join(struct rblkt_export *export, int fd,
		      struct rblk_ioc_error *err)
{
	struct cgroup_subsys_state *css;
	struct cgroup *group;
	int ret = 0;

	group = cgroup_get_from_fd(fd);
	if (IS_ERR(group))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, -PTR_ERR(group),
				  "the directory is no control group of cgroup v2");
	cgroup_path(group, export->group, sizeof(export->group));
	css = cgroup_get_e_css(group, &io_cgrp_subsys);
	/* Without the controller it is that of a group above. */
	if (css->cgroup == group)
		export->blkcg = css;
	else
		ret = rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EOPNOTSUPP,
				 "control group %s has no io controller",
				 export->group);
	if (ret)
		css_put(css);
	cgroup_put(group);
	return ret;
}
#else
int rblkt_cgroup_join(struct rblkt_export *export, int fd,
		      struct rblk_ioc_error *err)
{
	return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EOPNOTSUPP,
			  "this kernel is without CONFIG_BLK_CGROUP");
}
#endif

/**
 * rblkt_cgroup_leave - undo rblkt_cgroup_join()
 * @export: whose last bio has ended; one that never joined will do
 */
void rblkt_cgroup_leave(struct rblkt_export *export)
{
	if (export->blkcg)
		css_put(export->blkcg);
}
