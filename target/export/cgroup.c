// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports in control groups: I/O through an export counts for a group of cgroup
 * v2, and the group's limits apply to it.
 *
 * An export keeps a reference to the group's part of the io controller from its
 * addition until it is freed.  The group may be removed meanwhile.  The block
 * layer then counts the export's bios for the nearest group above that is left.
 */
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include "export.h"

#ifdef CONFIG_BLK_CGROUP
/**
 * rblkt_cgroup_join - let an export's I/O count for a control group
 * @export: not yet in the registry
 * @fd: the group's directory, open in the calling process
 * @err: filled in on failure
 *
 * Context: Process context; may sleep.
 * Return: 0 or a negative errno.
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
	/*
	 * If the group has no io controller, this is the controller of a group
	 * above.
	 */
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
 * @export: about to be freed; nothing happens if it never joined
 *
 * Context: Process context.
 */
void rblkt_cgroup_leave(struct rblkt_export *export)
{
	if (export->blkcg)
		css_put(export->blkcg);
}
