// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model adapter's module: "rdma link add NAME type adapter netdev DEV"
 * makes a device of the profile that the module was loaded with.
 *
 * /sys/kernel/debug/rblk_adapter/rules has how often each rule was broken, and
 * NAME/ there what a device counted ("counters", "vectors") and what can be done
 * to it: "cut" takes the network from it, "fatal" makes it fail for good; the
 * number of a queue pair makes that fail in "fail_qp", and in "fail_cq" the
 * completion queue of its receives; in "mute_qp" it makes that complete nothing any
 * more, without a word.  "spoil" has it lie in one of so many messages.  What a liar's
 * peer does to the liar's memory then is no bug of the peer's: names of rules written
 * to "rules" are counted, but no bugs from then on.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/rdma_netlink.h>
#include "adapter.h"
#include "dma.h"

static char *profile = "mlx5";
module_param(profile, charp, 0644);
MODULE_PARM_DESC(profile, "Which adapter new devices are: see profile.c");

unsigned int rad_vectors;
module_param_named(vectors, rad_vectors, uint, 0644);
MODULE_PARM_DESC(vectors, "Completion vectors of a new device; 0: one per CPU");

unsigned int rad_delay_us;
module_param_named(delay_us, rad_delay_us, uint, 0644);
MODULE_PARM_DESC(delay_us, "Most that an acknowledgment may take on a new device");

unsigned long rad_page_sizes;
module_param_named(page_sizes, rad_page_sizes, ulong, 0644);
MODULE_PARM_DESC(page_sizes, "Page sizes of a new device; 0: the profile's");

bool rad_shuffle;
module_param_named(shuffle, rad_shuffle, bool, 0644);
MODULE_PARM_DESC(shuffle, "A new device places data in any order");

bool rad_moderate;
module_param_named(moderate, rad_moderate, bool, 0644);
MODULE_PARM_DESC(moderate, "With a clock: an interrupt waits for what is to be done");

unsigned int rad_seed = 1;
module_param_named(seed, rad_seed, uint, 0644);
MODULE_PARM_DESC(seed, "What new queue pairs choose by, with their number");

char *rad_lacks = "nothing";
module_param_named(lacks, rad_lacks, charp, 0644);
MODULE_PARM_DESC(lacks, "What a new device lacks: registrations, pages, elements, entries, reads, room");

static struct dentry *root;

#define COUNTER_NAME(name) [RAD_CNT_##name] = #name,
static const char *const counter_names[] = { RAD_COUNTERS(COUNTER_NAME) };

static int newlink(const char *name, struct net_device *ndev)
{
	const struct rad_profile *row = rad_profile_find(profile);

	if (!row) {
		pr_err("no adapter profile \"%s\"\n", profile);
		return -EINVAL;
	}
	return rad_dev_create(name, ndev, row);
}

static struct rdma_link_ops link_ops = {
	.type = "adapter",
	.newlink = newlink,
};

static int rules_show(struct seq_file *m, void *unused)
{
	int i;

	for (i = 0; i < RAD_NR_RULES; i++)
		seq_printf(m, "%s %u\n", rad_rule_name(i), rad_broken(i));
	return 0;
}

static int rule_by_name(const char *name)
{
	int i;

	for (i = 0; i < RAD_NR_RULES; i++)
		if (!strcmp(name, rad_rule_name(i)))
			return i;
	return -EINVAL;
}

/* Names of rules, one per line or word: these may be broken, and no others. */
static ssize_t rules_write(struct file *file, const char __user *from, size_t len,
			   loff_t *pos)
{
	char *text = memdup_user_nul(from, min_t(size_t, len, PAGE_SIZE));
	unsigned long rules = 0;
	char *rest = text, *name;
	int rule = 0;

	if (IS_ERR(text))
		return PTR_ERR(text);
	while (rule >= 0 && (name = strsep(&rest, "\n "))) {
		if (!*name)
			continue;
		rule = rule_by_name(name);
		if (rule >= 0)
			rules |= BIT(rule);
	}
	kfree(text);
	if (rule < 0)
		return rule;
	rad_expect(rules);
	return len;
}

static int rules_open(struct inode *inode, struct file *file)
{
	return single_open(file, rules_show, NULL);
}

static const struct file_operations rules_fops = {
	.owner = THIS_MODULE,
	.open = rules_open,
	.read = seq_read,
	.write = rules_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int counters_show(struct seq_file *m, void *unused)
{
	struct rad_dev *dev = m->private;
	int i;

	for (i = 0; i < RAD_NR_COUNTERS; i++)
		seq_printf(m, "%s %lld\n", counter_names[i],
			   atomic64_read(&dev->counters[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

static int vectors_show(struct seq_file *m, void *unused)
{
	struct rad_dev *dev = m->private;
	int i;

	for (i = 0; i < dev->ib.num_comp_vectors; i++)
		seq_printf(m, "%d: cpu %d, %d queues, %d interrupts\n", i,
			   dev->vectors[i].cpu,
			   atomic_read(&dev->vectors[i].nr_cqs),
			   atomic_read(&dev->vectors[i].interrupts));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vectors);

static int fatal_set(void *data, u64 value)
{
	if (value)
		rad_dev_fatal(data);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(fatal_fops, NULL, fatal_set, "%llu\n");

/* The queue pair of that number, or the queue of its receives, fails. */
static int fail_qp_set(void *data, u64 qpn)
{
	struct rad_qp *qp = rad_qp_get(data, qpn);

	if (!qp)
		return -ENOENT;
	rad_qp_fail(qp, IB_EVENT_QP_FATAL);
	rad_qp_put(qp);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(fail_qp_fops, NULL, fail_qp_set, "%llu\n");

static int fail_cq_set(void *data, u64 qpn)
{
	struct rad_qp *qp = rad_qp_get(data, qpn);

	if (!qp)
		return -ENOENT;
	rad_cq_fail(rad_to(cq, qp->ib.recv_cq));
	rad_qp_put(qp);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(fail_cq_fops, NULL, fail_cq_set, "%llu\n");

static int mute_qp_set(void *data, u64 qpn)
{
	struct rad_qp *qp = rad_qp_get(data, qpn);

	if (!qp)
		return -ENOENT;
	WRITE_ONCE(qp->mute, true);
	rad_qp_put(qp);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(mute_qp_fops, NULL, mute_qp_set, "%llu\n");

static int counter_get(void *data, u64 *value)
{
	*value = atomic64_read(data);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(counter_fops, counter_get, NULL, "%llu\n");

static void show_counters(struct rad_dev *dev)
{
	struct dentry *dir = debugfs_create_dir("count", dev->debugfs);
	int i;

	for (i = 0; i < RAD_NR_COUNTERS; i++)
		debugfs_create_file(counter_names[i], 0400, dir,
				    &dev->counters[i], &counter_fops);
}

/**
 * rad_show_add() - show a device in debugfs
 * @dev: named; what follows must remove it before it is freed
 * Context: may sleep.
 */
void rad_show_add(struct rad_dev *dev)
{
	dev->debugfs = debugfs_create_dir(dev_name(&dev->ib.dev), root);
	debugfs_create_file("counters", 0400, dev->debugfs, dev, &counters_fops);
	show_counters(dev);
	debugfs_create_file("vectors", 0400, dev->debugfs, dev, &vectors_fops);
	debugfs_create_file("fatal", 0200, dev->debugfs, dev, &fatal_fops);
	debugfs_create_file("fail_qp", 0200, dev->debugfs, dev, &fail_qp_fops);
	debugfs_create_file("fail_cq", 0200, dev->debugfs, dev, &fail_cq_fops);
	debugfs_create_file("mute_qp", 0200, dev->debugfs, dev, &mute_qp_fops);
	debugfs_create_bool("cut", 0600, dev->debugfs, &dev->cut);
	debugfs_create_u32("spoil", 0600, dev->debugfs, &dev->spoil);
	debugfs_create_bool("shuffle", 0600, dev->debugfs, &dev->shuffle);
	debugfs_create_u32("delay_us", 0600, dev->debugfs, &dev->delay_us);
	if (!dev->dma)
		return;
	debugfs_create_u32("dma_max", 0600, dev->debugfs, &dev->dma->max);
	debugfs_create_u32("dma_fail", 0600, dev->debugfs, &dev->dma->fail);
}

/**
 * rad_show_remove() - the opposite of rad_show_add()
 * @dev: shown or not
 * Context: may sleep.
 */
void rad_show_remove(struct rad_dev *dev)
{
	debugfs_remove_recursive(dev->debugfs);
}

static int __init adapter_init(void)
{
	int ret;

	root = debugfs_create_dir("rblk_adapter", NULL);
	debugfs_create_file("rules", 0600, root, NULL, &rules_fops);
	ret = rad_iw_init();
	if (ret)
		goto err_root;
	ret = rad_dev_init();
	if (ret)
		goto err_iw;
	rad_clock_init(root);
	rdma_link_register(&link_ops);
	return 0;
err_iw:
	rad_iw_exit();
err_root:
	debugfs_remove_recursive(root);
	return ret;
}

static void __exit adapter_exit(void)
{
	rdma_link_unregister(&link_ops);
	rad_dev_exit();
	rad_iw_exit();
	debugfs_remove_recursive(root);
}

module_init(adapter_init);
module_exit(adapter_exit);
MODULE_ALIAS_RDMA_LINK("adapter");
MODULE_DESCRIPTION("A strict RDMA device in software, to test users of verbs");
MODULE_LICENSE("GPL");
