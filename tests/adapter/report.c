// SPDX-License-Identifier: GPL-2.0-only
/*
 * Broken rules.  A report begins with "BUG:", so that whatever reads the
 * kernel's log for KASAN's reports also finds these.
 */
#include <linux/export.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include "adapter.h"

#define RULE_NAME(name, text) [RAD_##name] = #name,
#define RULE_TEXT(name, text) [RAD_##name] = text,

static const char *const rule_names[] = { RAD_RULES(RULE_NAME) };
static const char *const rule_texts[] = { RAD_RULES(RULE_TEXT) };

static atomic_t broken[RAD_NR_RULES];
static unsigned long expected;

/* Who breaks a rule with each I/O does so on the same stack. */
static DEFINE_RATELIMIT_STATE(stacks, 5 * HZ, 10);

/**
 * rad_report() - a user of verbs has broken a rule
 * @dev: of which device
 * @rule: which
 * @fmt: how
 *
 * Counts it, and says it in the kernel's log: as a bug with the stack, unless
 * the self test breaks that rule on purpose. The stack is the culprit's if the
 * rule was broken by a call, and the engine's if a work request did it.
 * Context: any.
 */
void rad_report(struct rad_dev *dev, enum rad_rule rule, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	atomic_inc(&broken[rule]);
	va_start(args, fmt);
	vaf.va = &args;
	if (test_bit(rule, &expected)) {
		pr_info("%s: expected: %s (%s): %pV\n", dev_name(&dev->ib.dev),
			rule_texts[rule], rule_names[rule], &vaf);
	} else {
		pr_err("BUG: adapter %s: %s (%s): %pV\n", dev_name(&dev->ib.dev),
		       rule_texts[rule], rule_names[rule], &vaf);
		if (__ratelimit(&stacks))
			dump_stack();
	}
	va_end(args);
}

/**
 * rad_rule_name() - a rule's name
 * @rule: which
 * Context: any.
 * Return: its name in debugfs and reports.
 */
const char *rad_rule_name(enum rad_rule rule)
{
	return rule_names[rule];
}
EXPORT_SYMBOL_GPL(rad_rule_name);

/**
 * rad_expect() - break rules on purpose
 * @rules: bits of enum rad_rule; they are counted, but are no bugs from now on
 * Context: any.
 */
void rad_expect(unsigned long rules)
{
	WRITE_ONCE(expected, rules);
}
EXPORT_SYMBOL_GPL(rad_expect);

/**
 * rad_expected() - which rules are broken on purpose
 * Context: any.
 * Return: as rad_expect() was told.
 */
unsigned long rad_expected(void)
{
	return READ_ONCE(expected);
}

/**
 * rad_broken() - how often a rule was broken
 * @rule: which
 * Context: any.
 * Return: how often since the module was loaded, expected or not.
 */
u32 rad_broken(enum rad_rule rule)
{
	return atomic_read(&broken[rule]);
}
EXPORT_SYMBOL_GPL(rad_broken);
