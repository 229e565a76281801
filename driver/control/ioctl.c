// SPDX-License-Identifier: GPL-2.0-only
/*
 * Serves /dev/rblk-control: copies arguments in, checks them, and copies
 * results out.  args.c checks what several commands take, discover.c has one of them.
 *
 * Functions in other folders never see user memory or an unchecked argument.
 */
#include <linux/capability.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "control.h"

/**
 * struct verb - an ioctl command
 * @cmd: number of the command; it encodes the size of the argument
 * @error: offset of struct rblk_ioc_error in the argument, 0 for none
 * @run: carries the command out; the argument is in kernel memory, and its size
 *       is checked
 */
struct verb {
	unsigned int cmd;
	size_t error;
	int (*run)(void *arg, struct rblk_ioc_error *error);
};

/* sysfs and udev show this text as the user wrote it. */
static bool text_is_printable(const char *name, size_t room)
{
	size_t n = strnlen(name, room);
	size_t i;

	for (i = 0; i < n; i++)
		if (name[i] < ' ' || name[i] > '~')
			return false;
	return n && n < room;
}

static int ioctl_key_set(void *data, struct rblk_ioc_error *error)
{
	int ret = rblk_auth_set(data);

	if (ret != -EINVAL)
		return ret;
	return rblk_ctl_bad(error, "the key or the list of pre-shared keys is malformed");
}

static int ioctl_key_show(void *data, struct rblk_ioc_error *error)
{
	return rblk_auth_show(data);
}

static int ioctl_info(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_info *arg = data;

	if (!rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)))
		return -EINVAL;
	arg->abi = RBLK_ABI;
	arg->wire_min = RBLK_WIRE_VERSION;
	arg->wire_max = RBLK_WIRE_VERSION;
	strscpy(arg->version, RBLK_VERSION, sizeof(arg->version));
	return 0;
}

static int check_attach_arg(const struct rblk_ioc_attach *arg,
			    struct rblk_ioc_error *error)
{
	if (arg->flags & ~RBLK_ATTACH_ALL ||
	    !rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)))
		return rblk_ctl_bad(error, "unknown flag or reserved field set");
	if (!rblk_name_ok(arg->export_name))
		return rblk_ctl_bad(error, "an export's name is " RBLK_NAME_RULE);
	if (!text_is_printable(arg->target_text, sizeof(arg->target_text)))
		return rblk_ctl_bad(error,
				    "the target's text is missing, too long or no printable ASCII");
	if (arg->queues > RBLK_WIRE_MAX_QUEUES ||
	    arg->poll_queues > RBLK_WIRE_MAX_QUEUES - max(arg->queues, 1u))
		return rblk_ctl_bad(error, "there can be at most 64 queues, with poll queues");
	if (arg->depth && (arg->depth < RBLK_WIRE_MIN_DEPTH ||
			   arg->depth > RBLK_WIRE_MAX_DEPTH))
		return rblk_ctl_bad(error, "the depth must be between 4 and 1024");
	if (arg->inline_read && !(arg->flags & RBLK_ATTACH_INLINE_READ))
		return rblk_ctl_bad(error, "reads in responses are not asked for by flag");
	if (arg->inline_read > RBLK_WIRE_MAX_INLINE)
		return rblk_ctl_bad(error, "reads in responses can be of at most 32 KiB");
	if (arg->queue_timeout < RBLK_QUEUE_TIMEOUT_FOREVER ||
	    arg->queue_timeout > RBLK_QUEUE_TIMEOUT_MAX)
		return rblk_ctl_bad(error,
				    "the queue timeout must be -1 or between 0 and 86400 seconds");
	if (arg->index < -1 || arg->index > (int)RBLK_MAX_INDEX)
		return rblk_ctl_bad(error, "the index must be between 0 and 65534");
	return rblk_ctl_check_proof(arg->flags, arg->target_key, error);
}

static int ioctl_attach(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_attach *arg = data;
	struct rblk_sess_args *args;
	int ret = check_attach_arg(arg, error);

	if (ret)
		return ret;
	args = rblk_ctl_read_sess(&arg->target, &arg->source, arg->host, arg->host_name, error);
	if (!args)
		return -error->error;
	args->queues = arg->queues;
	args->poll_queues = arg->poll_queues;
	args->depth = arg->depth;
	args->inline_read = arg->inline_read;
	args->flags = arg->flags & RBLK_SESS_FLAGS;
	memcpy(args->target_key, arg->target_key, sizeof(args->target_key));
	strscpy(args->target_text, arg->target_text, sizeof(args->target_text));
	ret = rblk_dev_attach(arg, args);
	kfree(args);
	return ret;
}

static int ioctl_detach(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_detach *arg = data;

	if (arg->flags & ~RBLK_DETACH_FORCE || arg->index < 0 || arg->reserved)
		return rblk_ctl_bad(error, "unknown flag, bad index or reserved field set");
	return rblk_dev_detach(arg);
}

static int ioctl_show(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_show *arg = data;

	if (arg->flags & ~RBLK_SHOW_NEXT || arg->index < 0 ||
	    !rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)))
		return rblk_ctl_bad(error, "unknown flag, bad index or reserved field set");
	memset(&arg->volume, 0, sizeof(arg->volume));
	memset(&arg->session, 0, sizeof(arg->session));
	memset(&arg->asked, 0, sizeof(arg->asked));
	return rblk_dev_show(arg);
}

static int ioctl_stat(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_stat *arg = data;
	struct rblk_latency *sum;
	int ret;

	if (arg->index < 0 || !rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)))
		return rblk_ctl_bad(error, "bad index or reserved field set");
	sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return rblk_fail(error, RBLK_STAGE_LOOKUP, -ENOMEM, "out of memory");
	ret = rblk_dev_stat(arg, sum);
	arg->nr = RBLK_LATENCY_OPS;
	if (!ret && copy_to_user(u64_to_user_ptr(arg->ops), sum->op,
				 min(arg->room, arg->nr) * sizeof(sum->op[0])))
		ret = rblk_fail(error, RBLK_STAGE_ARGUMENTS, -EFAULT,
				"the array of operations can't be written");
	kfree(sum);
	return ret;
}

static int ioctl_policy(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_policy *arg = data;

	if (arg->index < 0 || arg->reserved)
		return rblk_ctl_bad(error, "bad index or reserved field set");
	if (arg->queue_timeout < RBLK_QUEUE_TIMEOUT_FOREVER ||
	    arg->queue_timeout > RBLK_QUEUE_TIMEOUT_MAX)
		return rblk_ctl_bad(error,
				    "the queue timeout must be -1 or between 0 and 86400 seconds");
	return rblk_dev_policy(arg);
}

static int check_route_arg(const struct rblk_ioc_route_change *arg, bool add,
			   struct rblk_ioc_error *error)
{
	if (arg->index < 0 || !rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)) ||
	    arg->flags & ~RBLK_ATTACH_PROOF || arg->reserved2 || arg->state ||
	    !rblk_ctl_zero(arg->reason, sizeof(arg->reason)))
		return rblk_ctl_bad(error, "bad index, or a reserved field or an output set");
	if (!add && (arg->wait_ms || arg->flags ||
		     !rblk_ctl_zero(arg->target_key, sizeof(arg->target_key)) ||
		     !rblk_ctl_zero(arg->target_text, sizeof(arg->target_text))))
		return rblk_ctl_bad(error, "what only a new route has is set");
	if (add && arg->wait_ms > RBLK_ROUTE_WAIT_MAX)
		return rblk_ctl_bad(error, "the wait must be at most 17 seconds");
	if (add && !text_is_printable(arg->target_text, sizeof(arg->target_text)))
		return rblk_ctl_bad(error,
				    "the target's text is missing, too long or no printable ASCII");
	/* With neither, the first route's proof holds. */
	if (arg->flags || !rblk_ctl_zero(arg->target_key, sizeof(arg->target_key)))
		return rblk_ctl_check_proof(arg->flags, arg->target_key, error);
	return 0;
}

static int route_change(struct rblk_ioc_route_change *arg, bool add,
			struct rblk_ioc_error *error)
{
	struct rblk_peer peer = {};
	int ret = check_route_arg(arg, add, error);

	if (!ret)
		ret = rblk_ctl_read_peer(&arg->target, &arg->source, &peer, error);
	if (ret)
		return ret;
	return add ? rblk_reroute_add(arg, &peer) : rblk_reroute_remove(arg, &peer);
}

static int ioctl_route_add(void *data, struct rblk_ioc_error *error)
{
	return route_change(data, true, error);
}

static int ioctl_route_remove(void *data, struct rblk_ioc_error *error)
{
	return route_change(data, false, error);
}

static int ioctl_route_list(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_route_list *arg = data;
	struct rblk_ioc_route *routes;
	int ret;

	if (arg->index < 0 || !rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)))
		return rblk_ctl_bad(error, "bad index or reserved field set");
	routes = kvcalloc(RBLK_MAX_ROUTES, sizeof(*routes), GFP_KERNEL);
	if (!routes)
		return rblk_fail(error, RBLK_STAGE_LOOKUP, -ENOMEM, "out of memory");
	ret = rblk_dev_routes(arg, routes);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->routes), routes,
				 min(arg->room, arg->nr) * sizeof(*routes)))
		ret = rblk_fail(error, RBLK_STAGE_ARGUMENTS, -EFAULT,
				"the array of routes can't be written");
	kvfree(routes);
	return ret;
}

static int ioctl_reservation(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_reservation *arg = data;
	struct rblk_ioc_registrant *registrants;
	int ret;

	if (arg->index < 0 || !rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)))
		return rblk_ctl_bad(error, "bad index or reserved field set");
	registrants = kvcalloc(RBLK_WIRE_MAX_REGISTRANTS, sizeof(*registrants), GFP_KERNEL);
	if (!registrants)
		return rblk_fail(error, RBLK_STAGE_LOOKUP, -ENOMEM, "out of memory");
	ret = rblk_registrants_list(arg, registrants);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->registrants), registrants,
				 min(arg->room, arg->nr) * sizeof(*registrants)))
		ret = rblk_fail(error, RBLK_STAGE_ARGUMENTS, -EFAULT,
				"the array of registrants can't be written");
	kvfree(registrants);
	return ret;
}

static int ioctl_pin(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_pin *arg = data;

	if (arg->index < 0 || !rblk_ctl_zero(arg->reserved, sizeof(arg->reserved)))
		return rblk_ctl_bad(error, "bad index or reserved field set");
	if (rblk_ctl_zero(arg->target_key, sizeof(arg->target_key)))
		return rblk_ctl_bad(error, "a key that the target may prove is missing");
	return rblk_reroute_pin(arg);
}

static const struct verb verbs[] = {
	{ RBLK_IOC_INFO, 0, ioctl_info },
	{ RBLK_IOC_ATTACH, offsetof(struct rblk_ioc_attach, error), ioctl_attach },
	{ RBLK_IOC_DETACH, offsetof(struct rblk_ioc_detach, error), ioctl_detach },
	{ RBLK_IOC_SHOW, offsetof(struct rblk_ioc_show, error), ioctl_show },
	{ RBLK_IOC_STAT, offsetof(struct rblk_ioc_stat, error), ioctl_stat },
	{ RBLK_IOC_POLICY, offsetof(struct rblk_ioc_policy, error), ioctl_policy },
	{ RBLK_IOC_DISCOVER, offsetof(struct rblk_ioc_discover, error), rblk_ctl_discover },
	{ RBLK_IOC_ROUTE_ADD, offsetof(struct rblk_ioc_route_change, error),
	  ioctl_route_add },
	{ RBLK_IOC_ROUTE_REMOVE, offsetof(struct rblk_ioc_route_change, error),
	  ioctl_route_remove },
	{ RBLK_IOC_ROUTE_LIST, offsetof(struct rblk_ioc_route_list, error),
	  ioctl_route_list },
	{ RBLK_IOC_RESERVATION, offsetof(struct rblk_ioc_reservation, error),
	  ioctl_reservation },
	{ RBLK_IOC_PIN, offsetof(struct rblk_ioc_pin, error), ioctl_pin },
	{ RBLK_IOC_KEY_SET, offsetof(struct rblk_ioc_key_set, error), ioctl_key_set },
	{ RBLK_IOC_KEY_SHOW, offsetof(struct rblk_ioc_key_show, error), ioctl_key_show },
};

/*
 * Run a command.  The size of the structure at @user is in the command's number
 * and in the structure's first word.
 */
static long ioctl_run_verb(const struct verb *verb, void __user *user)
{
	size_t size = _IOC_SIZE(verb->cmd);
	struct rblk_ioc_error *error;
	void *arg;
	long ret;

	arg = memdup_user(user, size);
	if (IS_ERR(arg))
		return PTR_ERR(arg);
	ret = -EINVAL;
	if (*(u32 *)arg != size)
		goto out;
	error = verb->error ? arg + verb->error : NULL;
	if (error)
		memset(error, 0, sizeof(*error));
	ret = verb->run(arg, error);
	if (copy_to_user(user, arg, size))
		ret = -EFAULT;
out:
	/* It may have had a key. */
	kfree_sensitive(arg);
	return ret;
}

static long ctl_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	int i;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (verbs[i].cmd == cmd)
			return ioctl_run_verb(&verbs[i], (void __user *)arg);
	return -ENOTTY;
}

static const struct file_operations ctl_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = ctl_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice ctl_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rblk-control",
	.fops = &ctl_fops,
	.mode = 0600,
};

/**
 * rblk_ctl_init() - make the control device
 *
 * Context: module load; may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_ctl_init(void)
{
	return misc_register(&ctl_device);
}

/**
 * rblk_ctl_exit() - remove the control device
 *
 * Context: module unload; may sleep.
 */
void rblk_ctl_exit(void)
{
	misc_deregister(&ctl_device);
}
