// SPDX-License-Identifier: GPL-2.0-only
/*
 * Serves /dev/rblk-control: copies arguments in, checks them, and copies
 * results out.
 *
 * Functions in other files never see user memory or an unchecked argument.
 */
#include <linux/capability.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>
#include "../block/block.h"

#define MAX_OFFERS	4096
/* RBLK_IOC_DISCOVER must end within 20 s, and its session takes 3 s to end. */
#define DISCOVER_SECONDS 16

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

static int arg_error(struct rblk_ioc_error *error, const char *what)
{
	return rblk_fail(error, RBLK_STAGE_ARGUMENTS, -EINVAL, "%s", what);
}

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

static bool bytes_are_zero(const void *data, size_t bytes)
{
	return !memchr_inv(data, 0, bytes);
}

/* Translate and check an address; all zeroes, for any, is valid if @none. */
static bool read_addr(const struct rblk_ioc_addr *in, struct sockaddr_storage *out,
		      bool none)
{
	struct sockaddr_in6 *in6 = (void *)out;
	struct sockaddr_in *in4 = (void *)out;

	memset(out, 0, sizeof(*out));
	switch (in->family) {
	case AF_INET:
		in4->sin_family = AF_INET;
		in4->sin_port = in->port;
		memcpy(&in4->sin_addr, in->addr, sizeof(in4->sin_addr));
		return !in->scope_id && bytes_are_zero(in->addr + 4, 12);
	case AF_INET6:
		in6->sin6_family = AF_INET6;
		in6->sin6_port = in->port;
		in6->sin6_scope_id = in->scope_id;
		memcpy(&in6->sin6_addr, in->addr, sizeof(in6->sin6_addr));
		return true;
	default:
		return none && bytes_are_zero(in, sizeof(*in));
	}
}

static int read_peer(const struct rblk_ioc_addr *target,
		     const struct rblk_ioc_addr *source, struct rblk_peer *peer,
		     struct rblk_ioc_error *error)
{
	if (!read_addr(target, &peer->target, false) || !target->port)
		return arg_error(error, "the target's address or port is malformed");
	if (!read_addr(source, &peer->source, true))
		return arg_error(error, "the source address is malformed");
	if (source->family && source->family != target->family)
		return arg_error(error, "source and target are of different address families");
	peer->net = current->nsproxy->net_ns;
	return 0;
}

static int read_host(const u8 *host, const char *name, struct rblk_sess_args *args,
		     struct rblk_ioc_error *error)
{
	import_uuid(&args->host, host);
	if (uuid_is_null(&args->host))
		return arg_error(error, "the host's UUID is missing");
	/* The target drops the connection for a bad name. */
	if (!rblk_name_ok(name))
		return arg_error(error, "a host's name is " RBLK_NAME_RULE);
	strscpy(args->host_name, name, sizeof(args->host_name));
	return 0;
}

/* Which session a command wants; NULL with @error filled in if none can be. */
static struct rblk_sess_args *read_sess(const struct rblk_ioc_addr *target,
					const struct rblk_ioc_addr *source,
					const u8 *host, const char *name,
					struct rblk_ioc_error *error)
{
	struct rblk_sess_args *args = kzalloc(sizeof(*args), GFP_KERNEL);

	if (!args)
		rblk_fail(error, RBLK_STAGE_ARGUMENTS, -ENOMEM, "out of memory");
	else if (!read_peer(target, source, &args->peer, error) &&
		 !read_host(host, name, args, error))
		return args;
	kfree(args);
	return NULL;
}

/* Exactly one way of proof. */
static int check_proof(u32 flags, const u8 (*keys)[RBLK_KEY_LEN], struct rblk_ioc_error *error)
{
	bool pinned = !bytes_are_zero(keys, RBLK_TARGET_KEYS * RBLK_KEY_LEN);

	if (hweight32(flags & RBLK_ATTACH_PROOF) + pinned == 1)
		return 0;
	return arg_error(error, "it must be said in exactly one way how the target proves who it is");
}

static int ioctl_key_set(void *data, struct rblk_ioc_error *error)
{
	int ret = rblk_auth_set(data);

	return ret == -EINVAL ? arg_error(error, "the key or the list of pre-shared keys is malformed") : ret;
}

static int ioctl_key_show(void *data, struct rblk_ioc_error *error)
{
	return rblk_auth_show(data);
}

static int ioctl_info(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_info *arg = data;

	if (!bytes_are_zero(arg->reserved, sizeof(arg->reserved)))
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
	if (arg->flags & ~RBLK_ATTACH_ALL || !bytes_are_zero(arg->reserved,
							     sizeof(arg->reserved)))
		return arg_error(error, "unknown flag or reserved field set");
	if (!rblk_name_ok(arg->export_name))
		return arg_error(error, "an export's name is " RBLK_NAME_RULE);
	if (!text_is_printable(arg->target_text, sizeof(arg->target_text)))
		return arg_error(error,
				 "the target's text is missing, too long or not printable ASCII");
	if (arg->queues > RBLK_WIRE_MAX_QUEUES ||
	    arg->poll_queues > RBLK_WIRE_MAX_QUEUES - max(arg->queues, 1u))
		return arg_error(error, "there can be at most 64 queues, with poll queues");
	if (arg->depth && (arg->depth < RBLK_WIRE_MIN_DEPTH ||
			   arg->depth > RBLK_WIRE_MAX_DEPTH))
		return arg_error(error, "the depth must be between 4 and 1024");
	if (arg->inline_read && !(arg->flags & RBLK_ATTACH_INLINE_READ))
		return arg_error(error, "reads in responses are not asked for by flag");
	if (arg->inline_read > RBLK_WIRE_MAX_INLINE)
		return arg_error(error, "reads in responses can be of at most 32 KiB");
	if (arg->queue_timeout < RBLK_QUEUE_TIMEOUT_FOREVER ||
	    arg->queue_timeout > RBLK_QUEUE_TIMEOUT_MAX)
		return arg_error(error,
				 "the queue timeout must be -1 or between 0 and 86400 seconds");
	if (arg->index < -1 || arg->index > (int)RBLK_MAX_INDEX)
		return arg_error(error, "the index must be between 0 and 65534");
	return check_proof(arg->flags, arg->target_key, error);
}

static int ioctl_attach(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_attach *arg = data;
	struct rblk_sess_args *args;
	int ret = check_attach_arg(arg, error);

	if (ret)
		return ret;
	args = read_sess(&arg->target, &arg->source, arg->host, arg->host_name, error);
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
		return arg_error(error, "unknown flag, bad index or reserved field set");
	return rblk_dev_detach(arg);
}

static int ioctl_show(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_show *arg = data;

	if (arg->flags & ~RBLK_SHOW_NEXT || arg->index < 0 ||
	    !bytes_are_zero(arg->reserved, sizeof(arg->reserved)))
		return arg_error(error, "unknown flag, bad index or reserved field set");
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

	if (arg->index < 0 || !bytes_are_zero(arg->reserved, sizeof(arg->reserved)))
		return arg_error(error, "bad index or reserved field set");
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
		return arg_error(error, "bad index or reserved field set");
	if (arg->queue_timeout < RBLK_QUEUE_TIMEOUT_FOREVER ||
	    arg->queue_timeout > RBLK_QUEUE_TIMEOUT_MAX)
		return arg_error(error,
				 "the queue timeout must be -1 or between 0 and 86400 seconds");
	return rblk_dev_policy(arg);
}

static int check_route_arg(const struct rblk_ioc_route_change *arg, bool add,
			   struct rblk_ioc_error *error)
{
	if (arg->index < 0 || !bytes_are_zero(arg->reserved, sizeof(arg->reserved)) ||
	    arg->flags & ~RBLK_ATTACH_PROOF || arg->reserved2 || arg->state ||
	    !bytes_are_zero(arg->reason, sizeof(arg->reason)))
		return arg_error(error, "bad index, or a reserved field or an output set");
	if (!add && (arg->wait_ms || arg->flags ||
		     !bytes_are_zero(arg->target_key, sizeof(arg->target_key)) ||
		     !bytes_are_zero(arg->target_text, sizeof(arg->target_text))))
		return arg_error(error, "what only a new route has is set");
	if (add && arg->wait_ms > RBLK_ROUTE_WAIT_MAX)
		return arg_error(error, "the wait must be at most 17 seconds");
	if (add && !text_is_printable(arg->target_text, sizeof(arg->target_text)))
		return arg_error(error,
				 "the target's text is missing, too long or not printable ASCII");
	return 0;
}

static int route_change(struct rblk_ioc_route_change *arg, bool add,
			struct rblk_ioc_error *error)
{
	struct rblk_peer peer = {};
	int ret = check_route_arg(arg, add, error);

	if (!ret)
		ret = read_peer(&arg->target, &arg->source, &peer, error);
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

	if (arg->index < 0 || !bytes_are_zero(arg->reserved, sizeof(arg->reserved)))
		return arg_error(error, "bad index or reserved field set");
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

static int list_offers(struct rblk_sess *sess, struct rblk_ioc_discover *arg,
		       unsigned long until)
{
	u32 room = min_t(u32, arg->room, MAX_OFFERS);
	struct rblk_ioc_offer *offers;
	int ret;

	offers = kvcalloc(max(room, 1u), sizeof(*offers), GFP_KERNEL);
	if (!offers)
		return rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -ENOMEM,
				 "out of memory");
	ret = rblk_exports_list(sess, arg, offers, room, until);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->offers), offers,
				 min(room, arg->nr) * sizeof(*offers)))
		ret = rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -EFAULT,
				"the array of offers can't be written");
	kvfree(offers);
	export_uuid(arg->target_uuid, &sess->target);
	memcpy(arg->target_name, sess->target_name, sizeof(arg->target_name));
	return ret;
}

static int list_portals(struct rblk_sess *sess, struct rblk_ioc_discover *arg)
{
	u32 room = min_t(u32, arg->portal_room, RBLK_WIRE_MAX_PORTALS);
	struct rblk_ioc_addr *portals;
	int ret;

	portals = kcalloc(max(room, 1u), sizeof(*portals), GFP_KERNEL);
	if (!portals)
		return rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -ENOMEM, "out of memory");
	ret = rblk_exports_portals(sess, arg, portals, room);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->portals), portals,
				 min(room, arg->nr_portals) * sizeof(*portals)))
		ret = rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -EFAULT,
				"the array of portals can't be written");
	kfree(portals);
	return ret;
}

static int discover_exports(struct rblk_ioc_discover *arg, struct rblk_sess_args *args)
{
	unsigned long until = jiffies + DISCOVER_SECONDS * HZ;
	struct rblk_sess *sess;
	int ret;

	sess = rblk_sess_get(args, &rblk_blk_sess_ops, &arg->error);
	if (!sess)
		return -arg->error.error;
	ret = rblk_sess_wait_live(sess, &arg->error);
	if (!ret)
		ret = list_offers(sess, arg, until);
	if (!ret && arg->portal_room)
		ret = list_portals(sess, arg);
	rblk_auth_peer(sess, arg->peer_key);
	rblk_sess_put(sess);
	return ret;
}

static int ioctl_discover(void *data, struct rblk_ioc_error *error)
{
	struct rblk_ioc_discover *arg = data;
	struct rblk_sess_args *args;
	int ret;

	if (arg->flags & ~RBLK_ATTACH_PROOF ||
	    !bytes_are_zero(arg->reserved, sizeof(arg->reserved)))
		return arg_error(error, "unknown flag or reserved field set");
	ret = check_proof(arg->flags, arg->target_key, error);
	if (ret)
		return ret;
	args = read_sess(&arg->target, &arg->source, arg->host, arg->host_name, error);
	if (!args)
		return -error->error;
	args->control_only = true;
	args->flags = arg->flags;
	memcpy(args->target_key, arg->target_key, sizeof(args->target_key));
	arg->nr_portals = 0;
	strscpy(args->target_text, "discovery", sizeof(args->target_text));
	ret = discover_exports(arg, args);
	kfree(args);
	return ret;
}

static const struct verb verbs[] = {
	{ RBLK_IOC_INFO, 0, ioctl_info },
	{ RBLK_IOC_ATTACH, offsetof(struct rblk_ioc_attach, error), ioctl_attach },
	{ RBLK_IOC_DETACH, offsetof(struct rblk_ioc_detach, error), ioctl_detach },
	{ RBLK_IOC_SHOW, offsetof(struct rblk_ioc_show, error), ioctl_show },
	{ RBLK_IOC_STAT, offsetof(struct rblk_ioc_stat, error), ioctl_stat },
	{ RBLK_IOC_POLICY, offsetof(struct rblk_ioc_policy, error), ioctl_policy },
	{ RBLK_IOC_DISCOVER, offsetof(struct rblk_ioc_discover, error), ioctl_discover },
	{ RBLK_IOC_ROUTE_ADD, offsetof(struct rblk_ioc_route_change, error),
	  ioctl_route_add },
	{ RBLK_IOC_ROUTE_REMOVE, offsetof(struct rblk_ioc_route_change, error),
	  ioctl_route_remove },
	{ RBLK_IOC_ROUTE_LIST, offsetof(struct rblk_ioc_route_list, error),
	  ioctl_route_list },
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
