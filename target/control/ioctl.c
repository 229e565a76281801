// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rblk-target, the control device: look up the verb, copy its structure
 * in, carry the verb out, copy the structure out.
 *
 * Every structure begins with its size as user space knows it, and any other
 * size than ours is refused.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "control.h"

static int verb_info(void *arg)
{
	struct rblk_ioc_info *info = arg;

	if (memchr_inv(info->reserved, 0, sizeof(info->reserved)))
		return -EINVAL;
	info->abi = RBLK_ABI;
	info->wire_min = RBLK_WIRE_VERSION;
	info->wire_max = RBLK_WIRE_VERSION;
	strscpy_pad(info->version, RBLK_VERSION, sizeof(info->version));
	return 0;
}

/*
 * CFI refuses a call through a pointer of another type than the function's,
 * cast or not.  So each verb has a wrapper of the type that the table calls.
 */
#define VERB(name, function)						\
	static int verb_##name(void *arg)				\
	{								\
		return function(arg);					\
	}

VERB(export_add, rblkt_export_add)
VERB(export_remove, rblkt_export_remove)
VERB(export_set, rblkt_change)
VERB(export_show, rblkt_show_export)
VERB(portal_add, rblkt_portal_add)
VERB(portal_remove, rblkt_portal_remove)
VERB(portal_list, rblkt_show_portals)
VERB(session_list, rblkt_show_sessions)
VERB(session_remove, rblkt_evict)
VERB(host_fence, rblkt_host_fence)
VERB(fenced, rblkt_show_fenced)
VERB(pause, rblkt_pause)
VERB(resume, rblkt_resume)
VERB(pause_show, rblkt_pause_show)
VERB(stat, rblkt_stat_show)
VERB(reservation_show, rblkt_show_reservation)
VERB(reservation_set, rblkt_resv_force)
VERB(key_set, rblkt_auth_set)
VERB(key_show, rblkt_auth_show)

static const struct rblkt_verb {
	unsigned int cmd;
	int (*run)(void *arg);
} verbs[] = {
	{ RBLKT_IOC_INFO,		verb_info },
	{ RBLKT_IOC_EXPORT_ADD,		verb_export_add },
	{ RBLKT_IOC_EXPORT_REMOVE,	verb_export_remove },
	{ RBLKT_IOC_EXPORT_SET,		verb_export_set },
	{ RBLKT_IOC_EXPORT_SHOW,	verb_export_show },
	{ RBLKT_IOC_PORTAL_ADD,		verb_portal_add },
	{ RBLKT_IOC_PORTAL_REMOVE,	verb_portal_remove },
	{ RBLKT_IOC_PORTAL_LIST,	verb_portal_list },
	{ RBLKT_IOC_SESSION_LIST,	verb_session_list },
	{ RBLKT_IOC_SESSION_REMOVE,	verb_session_remove },
	{ RBLKT_IOC_HOST_FENCE,		verb_host_fence },
	{ RBLKT_IOC_FENCED,		verb_fenced },
	{ RBLKT_IOC_PAUSE,		verb_pause },
	{ RBLKT_IOC_RESUME,		verb_resume },
	{ RBLKT_IOC_PAUSE_SHOW,		verb_pause_show },
	{ RBLKT_IOC_STAT,		verb_stat },
	{ RBLKT_IOC_RESERVATION_SHOW,	verb_reservation_show },
	{ RBLKT_IOC_RESERVATION_SET,	verb_reservation_set },
	{ RBLKT_IOC_KEY_SET,		verb_key_set },
	{ RBLKT_IOC_KEY_SHOW,		verb_key_show },
};

static long verb_run(const struct rblkt_verb *verb, void __user *user)
{
	unsigned int size = _IOC_SIZE(verb->cmd);
	u32 said;
	void *arg;
	int ret;

	arg = memdup_user(user, size);
	if (IS_ERR(arg))
		return PTR_ERR(arg);
	said = *(u32 *)arg;
	if (said != size)
		ret = -EINVAL;
	else
		ret = verb->run(arg);
	if (said == size && copy_to_user(user, arg, size))
		ret = -EFAULT;
	/* It may have had a key. */
	kfree_sensitive(arg);
	return ret;
}

static long rblkt_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	size_t i;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (verbs[i].cmd == cmd)
			return verb_run(&verbs[i], (void __user *)arg);
	return -ENOTTY;
}

static const struct file_operations rblkt_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= rblkt_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.llseek		= noop_llseek,
};

struct miscdevice rblkt_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "rblk-target",
	.mode	= 0600,
	.fops	= &rblkt_fops,
};
