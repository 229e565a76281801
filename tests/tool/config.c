// SPDX-License-Identifier: GPL-2.0-only
/* What a configuration may say, and what is said of one that is wrong. */
#include <sys/socket.h>

#include "config/config.h"
#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"
#define UUID2 "dd18b89e-2457-455c-945b-f2f2954336a5"
#define UUID3 "e3e2a7c4-8f44-4d63-9f43-6a7a0b4a9a10"
#define EXPORT1 "{ name = \"data\"; device = \"/dev/sdb\"; uuid = \"" UUID1 "\"; "

static struct config config;

static void load(const char *content)
{
	struct rblk_failure fail;

	fake_config(content);
	if (conf_load(CONFIG_PATH, &config, &fail))
		fail_msg("%s", fail.text);
}

/* The configuration is wrong, and @says is part of what is said. */
static void wrong(const char *content, const char *says)
{
	struct rblk_failure fail;

	fake_config(content);
	if (!conf_load(CONFIG_PATH, &config, &fail))
		fail_msg("nothing is said about %s", content);
	conf_free(&config);
	assert_has(fail.text, says);
	assert_string_equal(fail.hint, "man 5 rblk.conf");
}

/* Everything that rblk.conf(5) knows. */
static void all_keys(void **state)
{
	struct request *req;

	(void)state;
	load("# comment\n"
	     "exports = ( " EXPORT1 "read-only = true; shared = true; // comment\n"
	     "  insecure = true;\n"
	     "  allow = ( \"web1\", \"" UUID2 "\", \"web2\", \"" KEY2 "\" ); },\n"
	     "  { name = \"b\"; device = \"/dev/b\"; uuid = \"" UUID2 "\"; allow-any = true;\n"
	     "    shared = false; },\n"
	     "  { name = \"c\"; file = \"/srv/c\"; uuid = \"" UUID3 "\"; } );\n"
	     "hosts = ( { name = \"web1\"; uuid = \"" UUID1 "\"; },\n"
	     "  { name = \"web2\"; key = \"" KEY1 "\"; } );\n"
	     "portals = ( \"any\", \"[fd00::1]:99\", { address = \"10.0.0.1\"; } );\n"
	     "/* comment */\n"
	     "volumes = ( { export = \"store:99/data\"; target-key = ( \"" KEY1 "\", \"" KEY2 "\" );\n"
	     "  index = 3; queues = 2; depth = 64;\n"
	     "  inline-read = \"4k\"; poll-queues = 1;"
	     "  queue-timeout = \"forever\"; source = \"10.0.0.2\"; uuid = \"" UUID2 "\";\n"
	     "  host-uuid = \"" UUID1 "\"; host-name = \"me\"; read-only = true; } );\n");
	assert_int_equal(config.list[ITEM_PORTAL].nr, 3);
	assert_int_equal(config.list[ITEM_PORTAL].item[0].addr.family, AF_INET);
	assert_int_equal(config.list[ITEM_PORTAL].item[1].addr.family, AF_INET6);
	assert_int_equal(config.list[ITEM_EXPORT].nr, 3);
	req = &config.list[ITEM_EXPORT].item[2].req;
	assert_true(request_has(req, OPTION_BACKING_FILE));
	assert_string_equal(req->backing, "/srv/c");
	req = &config.list[ITEM_EXPORT].item[0].req;
	assert_int_equal(req->verb, VERB_EXPORT_ADD);
	assert_string_equal(req->export, "data");
	assert_string_equal(req->backing, "/dev/sdb");
	assert_int_equal(req->nr_allowed, 4);
	assert_int_equal(req->allowed[0].uuid[0], 0x6b);
	assert_int_equal(req->allowed[1].uuid[0], 0xdd);
	assert_int_equal(req->allowed[2].key[0], 0x77);
	assert_int_equal(req->allowed[2].uuid[0], 0);
	assert_int_equal(req->allowed[3].key[31], 0x88);
	assert_true(request_has(req, OPTION_INSECURE));
	assert_true(request_has(req, OPTION_SHARED) && request_has(req, OPTION_READ_ONLY));
	req = &config.list[ITEM_EXPORT].item[1].req;
	assert_true(request_has(req, OPTION_ALLOW_ANY) && !request_has(req, OPTION_SHARED));
	req = &config.list[ITEM_VOLUME].item[0].req;
	assert_int_equal(req->verb, VERB_ATTACH);
	assert_string_equal(req->target.host, "store");
	assert_int_equal(req->target.port, 99);
	assert_int_equal(req->queue_timeout, RBLK_QUEUE_TIMEOUT_FOREVER);
	assert_int_equal(req->index, 3);
	assert_int_equal(req->nr_target_keys, 2);
	assert_int_equal(req->target_key[0][31], 0x77);
	assert_int_equal(req->target_key[1][0], 0x88);
	assert_int_equal(req->queues, 2);
	assert_int_equal(req->poll_queues, 1);
	assert_int_equal(req->depth, 64);
	assert_int_equal(req->inline_read, 4096);
	assert_string_equal(req->host_name, "me");
	assert_true(request_has(req, OPTION_READ_ONLY));
	conf_free(&config);
}

/* A list that is not there is something else than one that is empty. */
static void empty(void **state)
{
	(void)state;
	load("");
	assert_false(config.list[ITEM_EXPORT].given);
	conf_free(&config);
	load("exports = ();\nvolumes = (\n);\nportals = [];\n");
	assert_true(config.list[ITEM_EXPORT].given);
	assert_true(config.list[ITEM_VOLUME].given);
	assert_true(config.list[ITEM_PORTAL].given);
	assert_int_equal(config.list[ITEM_PORTAL].nr, 0);
	conf_free(&config);
}

static void grammar(void **state)
{
	(void)state;
	wrong("exports = (\n{ name = \"data\"\n", "/etc/rblk/rblk.conf:3: syntax error");
	wrong("export = ();", ":1: export: not hosts, portals, exports or volumes");
	wrong("exports = \"data\";", ":1: exports: ( ... ) is expected");
	wrong("exports = ( \"data\" );", ":1: exports: { ... } is expected");
	wrong("portals = ( 3 );", "portals: { ... } is expected");
	wrong("hosts = [];", "hosts: ( ... ) is expected");
	wrong("hosts = ( { name = \"a\"; } );", "hosts: { name = \"...\"; key");
	wrong("hosts = ( { name = \"\"; uuid = \"" UUID1 "\"; } );", "1 to 63 characters");
	wrong("hosts = ( { name = \"" UUID1 "\"; uuid = \"" UUID1 "\"; } );",
	      "a UUID or a key is no name");
	wrong("hosts = ( { name = \"a\"; key = \"" UUID1 "\"; } );", "not a key; 'rblkctl key'");
	wrong("hosts = ( { name = \"" KEY1 "\"; key = \"" KEY1 "\"; } );", "is no name");
	wrong("hosts = ( { name = \"a\"; uuid = \"b\"; } );", "not a UUID");
	wrong("hosts = ( { name = \"a\"; uuid = \"" UUID1 "\"; },\n"
	      "{ name = \"a\"; uuid = \"" UUID2 "\"; } );", ":2: hosts: a is there twice");
}

static void keys(void **state)
{
	(void)state;
	wrong("exports = ( " EXPORT1 "\nqueues = 3; } );",
	      ":2: queues: no such key of exports");
	wrong("exports = ( " EXPORT1 "json = true; } );", "json: no such key of exports");
	wrong("exports = ( " EXPORT1 "shared = 1; } );", "shared: true or false is expected");
	wrong("exports = ( " EXPORT1 "allow = 1; } );", "allow: a list of hosts");
	wrong("exports = ( " EXPORT1 "allow = ( 1 ); } );", "allow: a string is expected");
	wrong("exports = ( " EXPORT1 "allow = \"web9\"; } );", "allow \"web9\": not a host's key");
	wrong("exports = ( " EXPORT1 "allow = \"" UUID1 "\"; allow-any = true; } );",
	      "allow and allow-any exclude each other");
	wrong("exports = ( { device = \"/dev/a\"; } );", "exports: name is missing");
	wrong("exports = ( { name = \"a\"; device = \"/dev/a\"; } );",
	      "exports: uuid is missing");
	wrong("exports = ( { name = \"a\"; device = \"a\"; uuid = \"" UUID1 "\"; } );",
	      "device: an absolute path is expected");
	wrong("exports = ( { name = \"a\"; file = \"a\"; uuid = \"" UUID1 "\"; } );",
	      "file: an absolute path is expected");
	wrong("exports = ( " EXPORT1 "file = \"/srv/a\"; } );",
	      "device and file exclude each other");
	wrong("exports = ( { name = \"a\"; uuid = \"" UUID1 "\"; } );",
	      "exports: device is missing");
	wrong("exports = ( { name = \"a\"; file = \"/srv/a\"; size = \"1G\"; } );",
	      "size: no such key of exports");
	wrong("exports = ( { name = \"-a\"; } );", "name \"-a\": an export's name starts");
	wrong("volumes = ( { export = \"data\"; } );", "the form is TARGET[:PORT]/EXPORT");
	wrong("volumes = ( { queues = 3; } );", "volumes: export is missing");
	wrong("volumes = ( { export = \"a/b\"; insecure = true; queues = 0; } );", "queues \"0\": not a number");
	wrong("volumes = ( { export = \"a/b\"; insecure = true; queues = 2.5; } );",
	      "a string or a number is expected");
	wrong("volumes = ( { export = \"a/b\"; insecure = true; queue-timeout = 86401; } );",
	      "queue-timeout \"86401\": not a time such as 30s");
	wrong("portals = ( \"store\" );", "portals: an IP address is expected");
	wrong("portals = ( \"10.0.0.1:0\" );", "the port is not a number");
}

/* Who is who has to be said, and by whom it is proved. */
static void proofs(void **state)
{
	(void)state;
	wrong("exports = (\n" EXPORT1 "allow = \"" UUID1 "\"; } );",
	      ":2: allow: a UUID proves nothing");
	wrong("volumes = ( { export = \"h/a\"; } );", ":1: volumes: target-key is missing");
	wrong("volumes = ( { export = \"h/a\"; target-key = \"" KEY1 "\"; insecure = true; } );",
	      "target-key and insecure exclude each other");
	wrong("volumes = ( { export = \"h/a\"; target-key = \"" UUID1 "\"; } );", "not a key");
	wrong("volumes = ( { export = \"h/a\"; target-key = (); } );", "the list is empty");
	wrong("volumes = ( { export = \"h/a\"; target-key = ( 1 ); } );", "target-key \"1\": not a key");
	wrong("volumes = ( { export = \"h/a\"; target-key = ( \"" KEY1 "\", \"" KEY1 "\" ); } );",
	      "given twice");
	wrong("volumes = ( { export = \"h/a\"; trust-first = true; } );", "no such key of volumes");
	load("exports = ( " EXPORT1 "allow = \"" KEY1 "\"; } );\n"
	     "volumes = ( { export = \"h/a\"; target-key = \"" KEY2 "\"; } );");
	assert_int_equal(config.list[ITEM_VOLUME].item[0].req.nr_target_keys, 1);
	conf_free(&config);
}

static void clashes(void **state)
{
	(void)state;
	wrong("exports = (\n" EXPORT1 "},\n" EXPORT1 "} );",
	      ":3: export data is there twice, see line 2");
	wrong("exports = ( " EXPORT1 "},\n{ name = \"b\"; device = \"/dev/b\"; uuid = \""
	      UUID1 "\"; } );", "export b has another export's uuid, see line 1");
	wrong("portals = ( \"any\", \"0.0.0.0:4421\" );", "portal 0.0.0.0:4421 is there twice");
	wrong("volumes = ( { export = \"[FD00::1]/a\"; insecure = true; }, { export = \"[fd00:0::1]/a\"; insecure = true; } );",
	      "volume fd00:0::1/a is there twice");
	wrong("volumes = ( { export = \"h/a\"; insecure = true; index = 1; }, { export = \"h/b\"; insecure = true; index = 1; } );",
	      "volume h/b has another volume's index");
}

static void files(void **state)
{
	struct rblk_failure fail;

	(void)state;
	assert_int_equal(conf_load("/etc/rblk/none", &config, &fail), -1);
	assert_has(fail.text, "cannot read /etc/rblk/none: No such file");
	assert_int_equal(fail.error, 2);
	conf_free(&config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(all_keys),
	TEST(empty),
	TEST(grammar),
	TEST(keys),
	TEST(proofs),
	TEST(clashes),
	TEST(files),
};

SUITE(config, tests);
