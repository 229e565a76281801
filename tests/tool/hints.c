// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "output/failure.h"
#include "tool.h"

static struct request req;

static void set_request(enum verb_id verb)
{
	memset(&req, 0, sizeof(req));
	req.verb = verb;
	assert_null(endpoint_parse_export("10.0.0.1:99/disk0", &req.target, req.export));
	snprintf(req.backing, sizeof(req.backing), "/dev/sdx");
	assert_null(selector_parse("rblk5", &req.volume));
	memset(req.host_uuid, 0xaa, sizeof(req.host_uuid));
}

static const char *hint(enum verb_id verb, unsigned int stage, int error, unsigned int reason)
{
	struct rblk_failure fail = { .stage = stage, .error = error, .reason = reason };
	static char text[512];
	const char *found;

	set_request(verb);
	found = hint_find(&req, &fail);
	text[0] = '\0';
	if (found)
		hint_expand(text, sizeof(text), found, &req);
	return text;
}

static void expansion(void **state)
{
	char text[512], tiny[8];

	(void)state;
	set_request(VERB_ATTACH);
	hint_expand(text, sizeof(text), "%T|%P|%A|%E|%B|%V|%H|%%|%", &req);
	assert_has(text, "10.0.0.1|99|10.0.0.1:99|disk0|/dev/sdx|rblk5|aaaaaaaa-");
	assert_has(text, "-aaaa-aaaaaaaaaaaa --insecure|%|%");
	hint_expand(tiny, sizeof(tiny), "ping %T now", &req);
	assert_string_equal(tiny, "ping 10");
	hint_expand(text, sizeof(text), "", &req);
	assert_string_equal(text, "");
}

/* Whatever the peer answers, there is something to try. */
static void every_reason(void **state)
{
	unsigned int reason;

	(void)state;
	for (reason = RBLK_REJ_MALFORMED; reason <= RBLK_REJ_LAST; reason++)
		assert_true(hint(VERB_ATTACH, RBLK_STAGE_CONNECT, ECONNREFUSED, reason)[0]);
	for (reason = RBLK_CTL_AGAIN; reason <= RBLK_CTL_LAST; reason++)
		assert_true(hint(VERB_ATTACH, RBLK_STAGE_ATTACH, EACCES, reason)[0]);
}

static void every_stage(void **state)
{
	static const unsigned int attach[] = {
		RBLK_STAGE_ARGUMENTS, RBLK_STAGE_RESOLVE, RBLK_STAGE_ROUTE,
		RBLK_STAGE_DEVICE, RBLK_STAGE_CONNECT, RBLK_STAGE_LOGIN,
		RBLK_STAGE_QUEUES, RBLK_STAGE_ATTACH,
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(attach); i++)
		assert_true(hint(VERB_ATTACH, attach[i], EIO, 0)[0]);
	assert_true(hint(VERB_DETACH, RBLK_STAGE_LOOKUP, ENOENT, 0)[0]);
	assert_true(hint(VERB_DETACH, RBLK_STAGE_BUSY, EBUSY, 0)[0]);
	assert_true(hint(VERB_DETACH, RBLK_STAGE_DETACH, ETIMEDOUT, 0)[0]);
	assert_true(hint(VERB_EXPORT_ADD, RBLK_STAGE_BACKING, EIO, 0)[0]);
	assert_true(hint(VERB_EXPORT_ADD, RBLK_STAGE_LOOKUP, EEXIST, 0)[0]);
	assert_has(hint(VERB_EXPORT_ADD, RBLK_STAGE_BUSY, EBUSY, 0), "--uuid");
	assert_has(hint(VERB_EXPORT_REMOVE, RBLK_STAGE_BACKING, EBUSY, 0), "--force");
	assert_true(hint(VERB_EXPORT_REMOVE, RBLK_STAGE_BUSY, EBUSY, 0)[0]);
	assert_true(hint(VERB_EXPORT_REMOVE, RBLK_STAGE_LOOKUP, ENOENT, 0)[0]);
	assert_true(hint(VERB_PORTAL_ADD, RBLK_STAGE_LISTEN, EIO, 0)[0]);
	assert_true(hint(VERB_PORTAL_REMOVE, RBLK_STAGE_BUSY, EBUSY, 0)[0]);
	assert_true(hint(VERB_PORTAL_REMOVE, RBLK_STAGE_REMOVE, ENOENT, 0)[0]);
}

static void particular(void **state)
{
	(void)state;
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_CONNECT, ECONNREFUSED, 0), "port 99");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_CONNECT, ETIMEDOUT, 0), "ping 10.0.0.1");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_CONNECT, EPROTO, RBLK_REJ_VERSION),
		   "same release");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_CONNECT, EPROTO, RBLK_REJ_LIMITS), "--depth");
	assert_has(hint(VERB_DISCOVER, RBLK_STAGE_CONNECT, EPROTO, RBLK_REJ_LIMITS),
		   "same release");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_CONNECT, ECONNREFUSED, RBLK_REJ_PAUSED),
		   "rblkctl target resume");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_DEVICE, ENODEV, 0), "rdma link add");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_ATTACH, EACCES, RBLK_CTL_DENIED),
		   "rblkctl export allow disk0 aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_ATTACH, ENOENT, RBLK_CTL_NO_EXPORT),
		   "rblkctl discover 10.0.0.1:99");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_ATTACH, EROFS, RBLK_CTL_READ_ONLY),
		   "--read-only");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_ARGUMENTS, EEXIST, 0), "--index");
	assert_has(hint(VERB_ATTACH, RBLK_STAGE_ATTACH, EEXIST, 0), "rblkctl list");
	assert_has(hint(VERB_DETACH, RBLK_STAGE_DETACH, ETIMEDOUT, 0),
		   "rblkctl detach rblk5 --force");
	assert_has(hint(VERB_EXPORT_ADD, RBLK_STAGE_BACKING, ENOTBLK, 0),
		   "--file /dev/sdx");
	assert_has(hint(VERB_EXPORT_ADD, RBLK_STAGE_BACKING, EROFS, 0), "--read-only");
	assert_has(hint(VERB_EXPORT_ADD, RBLK_STAGE_BACKING, EOPNOTSUPP, 0), "dm-zoned");
	assert_has(hint(VERB_PORTAL_ADD, RBLK_STAGE_LISTEN, EADDRINUSE, 0), "portal list");
	assert_has(hint(VERB_LIST, RBLK_STAGE_NONE, EPERM, 0), "root");
	assert_string_equal(hint(VERB_ATTACH, RBLK_STAGE_CONNECT, EINTR, 0), "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(expansion),
	cmocka_unit_test(every_reason),
	cmocka_unit_test(every_stage),
	cmocka_unit_test(particular),
};

SUITE(hints, tests);
