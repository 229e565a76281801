// SPDX-License-Identifier: GPL-2.0-only
/* Calls that are well-formed, and wrong: what they say of the bystander must not hold. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "ioctl.h"
#include "report.h"

/* Return: NULL if @text says @word, else a copy of it. */
static const char *says(const char *text, const char *word)
{
	static char copy[RBLK_ERROR_LEN];

	snprintf(copy, sizeof(copy), "it says: %.100s", text);
	return strstr(text, word) ? NULL : copy;
}

/* The bystander's number, but another volume's UUID: it was looked up too early. */
static const char *change_another(int fd)
{
	struct rblk_ioc_detach detach = { .size = sizeof(detach), .index = CALM_INDEX,
					  .flags = RBLK_DETACH_FORCE };
	struct rblk_ioc_policy policy = { .size = sizeof(policy), .index = CALM_INDEX };
	struct rblk_ioc_pin pin = { .size = sizeof(pin), .index = CALM_INDEX,
				    .target_key = { { 1 } } };

	memset(detach.uuid, 0xee, sizeof(detach.uuid));
	memset(policy.uuid, 0xee, sizeof(policy.uuid));
	memset(pin.uuid, 0xee, sizeof(pin.uuid));
	if (!ioctl(fd, RBLK_IOC_DETACH, &detach) || errno != ESTALE)
		return "it was detached";
	if (!ioctl(fd, RBLK_IOC_POLICY, &policy) || errno != ESTALE)
		return "its policy was changed";
	if (!ioctl(fd, RBLK_IOC_PIN, &pin) || errno != ESTALE)
		return "its keys were changed";
	return says(detach.error.text, "another volume");
}

/* Without keys although a key is pinned: the route would go to whoever answers. */
static const char *two_proofs(int fd)
{
	struct rblk_ioc_route_change add = {
		.size = sizeof(add), .index = CALM_INDEX, .target = make_portal,
		.target_text = "two-proofs", .flags = RBLK_ATTACH_INSECURE,
		.target_key = { { 1 } },
	};

	if (!ioctl(fd, RBLK_IOC_ROUTE_ADD, &add) || errno != EINVAL)
		return "a route has a key and goes without keys";
	return says(add.error.text, "exactly one way");
}

/* In a list twice, a host would stay in when it is taken out. */
static const char *list_twice(int fd)
{
	static struct rblk_ioc_host hosts[2] = { { .uuid = { 7 } }, { .uuid = { 7 } } };
	struct rblkt_ioc_export_set set = { .size = sizeof(set), .what = RBLKT_SET_HOSTS,
					    .name = "calm", .nr_hosts = 2,
					    .hosts = (uintptr_t)hosts };

	if (!ioctl(fd, RBLKT_IOC_EXPORT_SET, &set) || errno != EINVAL)
		return "a host is in the list twice";
	return says(set.error.text, "twice");
}

/* An interface that its listener would be looked for on, and that it ignores. */
static const char *foreign_scope(int fd)
{
	struct rblkt_ioc_portal_add add = { .size = sizeof(add), .addr = {
		.family = AF_INET6, .port = htons(4499), .scope_id = 1, .addr = { 0xfd } } };

	if (!ioctl(fd, RBLKT_IOC_PORTAL_ADD, &add) || errno != EINVAL)
		return "a portal of a global address has an interface";
	return says(add.error.text, "link-local");
}

/**
 * cases_judge - report a case for each of these
 * @path: a control device
 * @control: the initiator's, else the target's
 */
void cases_judge(const char *path, bool control)
{
	int fd = open(path, O_RDWR);

	if (fd < 0)
		report_die("can't open %s", path);
	if (control) {
		report_case("control-another-volume", change_another(fd));
		report_case("control-two-proofs", two_proofs(fd));
	} else {
		report_case("target-host-twice", list_twice(fd));
		report_case("target-portal-scope", foreign_scope(fd));
	}
	close(fd);
}
