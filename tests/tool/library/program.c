// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that knows librblk as it is installed, and nothing else of rblk. It attaches,
 * lists and detaches 192.0.2.1/data, and offers /dev/backing as "data". Without an argument
 * the modules are there, with "none" they are not, with "refused" only root may ask them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <librblk.h>

static const struct rblk_host me = { .uuid = { 0x6b, 1 }, .name = "me" };
static const char target_key[] = "d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3c=";
static struct rblk_failure fail;
static int failed;

static void check(const char *what, int good)
{
	if (good)
		return;
	printf("%s: %s (errno %d, stage %s; try: %s)\n", what, fail.text, fail.error,
	       rblk_stage_text(fail.stage), fail.hint);
	failed = 1;
}

static void check_json(const char *what, struct json_object *obj, const char *pointer,
		       const char *value)
{
	struct json_object *found = NULL;

	json_pointer_get(obj, pointer, &found);
	snprintf(fail.text, sizeof(fail.text), "%s is %s", pointer,
		 json_object_get_string(found));
	check(what, found && !strcmp(json_object_get_string(found), value));
	json_object_put(obj);
}

static bool gives_up(void *arg)
{
	return ++*(int *)arg > 0;
}

static void use_nothing(void)
{
	struct rblk_ioc_info info;
	struct rblk_ioc_show show;
	bool partial;

	check("no module", rblk_info(NULL, RBLK_TARGET, &info, &fail) == -1);
	check("is missing", rblk_missing(&fail) && strstr(fail.text, "is not loaded") &&
	      !strcmp(fail.hint, "modprobe rblk_target"));
	check("no volumes", rblk_volume_next(NULL, 0, &show, &partial, &fail) == -1 &&
	      rblk_missing(&fail) && !partial);
}

static bool is_null(struct json_object *obj, const char *key)
{
	struct json_object *found;
	bool null = json_object_object_get_ex(obj, key, &found) && !found;

	json_object_put(obj);
	return null;
}

static void use_refused(void)
{
	struct rblk_ioc_info info;
	struct rblk_ioc_show show;
	bool partial;

	check("not root", rblk_info(NULL, RBLK_INITIATOR, &info, &fail) == -1 &&
	      fail.error == EACCES && !info.abi && !rblk_missing(&fail));
	check("all or nothing", rblk_volume_next(NULL, 0, &show, NULL, &fail) == -1 &&
	      fail.error == EACCES);
	check("all of it", rblk_volume_find(NULL, "no-such", &show, NULL, &fail) == -1 &&
	      fail.error == EACCES);
	check("from sysfs", rblk_volume_next(NULL, 0, &show, &partial, &fail) >= 0 && partial);
	check("not in sysfs", rblk_volume_find(NULL, "no-such", &show, &partial, &fail) == -1 &&
	      partial && fail.error == ENOENT && fail.stage == RBLK_STAGE_LOOKUP);
	check("access", is_null(rblk_volume_json(&show.volume, true), "access"));
	check("target", is_null(rblk_session_json(&show.session, RBLK_INITIATOR, true),
				"target"));
}

static void use_volume(struct rblk_volume_spec *spec)
{
	struct rblk_ioc_attach attach;
	struct rblk_ioc_show show;
	__u8 other[RBLK_UUID_LEN] = { 1 };
	bool partial;

	check("attach", rblk_attach(NULL, spec, &attach, &fail) >= 0);
	check_json("attached", rblk_attach_json(&attach), "/target", "192.0.2.1");
	check_json("proved", rblk_attach_json(&attach), "/target_key", target_key);
	check("first volume", rblk_volume_next(NULL, 0, &show, &partial, &fail) == 1 && !partial);
	check_json("volume", rblk_volume_json(&show.volume, false), "/export", "data");
	check_json("session", rblk_session_json(&show.session, RBLK_INITIATOR, false),
		   "/target/name", "");
	check("no other", rblk_volume_next(NULL, show.volume.index + 1, &show, NULL, &fail) == 0);
	check("by its name", !rblk_volume_find(NULL, "192.0.2.1/data", &show, NULL, &fail));
	check("no name", rblk_volume_find(NULL, "a b", &show, NULL, &fail) == -1 &&
	      fail.error == EINVAL);
	check("set", !rblk_set_queue_timeout(NULL, attach.index, attach.uuid, 7, &fail));
	check("another one", rblk_detach(NULL, attach.index, other, false, &fail) == -1 &&
	      fail.error == ESTALE);
	check("detach", !rblk_detach(NULL, attach.index, attach.uuid, false, &fail));
	check("detached", rblk_volume_next(NULL, 0, &show, NULL, &fail) == 0);
}

static void use_interrupt(const struct rblk_volume_spec *spec)
{
	struct rblk *rblk = rblk_new();
	struct rblk_ioc_attach attach;
	int asked = 0;

	rblk_set_interrupt(rblk, gives_up, &asked);
	check("gives up", rblk_attach(rblk, spec, &attach, &fail) == -1 &&
	      fail.error == EINTR && asked);
	rblk_free(rblk);
}

static void use_target(void)
{
	const struct rblk_ioc_host host = { .uuid = { 0x6b, 1 } };
	struct rblk_export_spec spec = {
		.name = "data", .backing = "/dev/backing", .hosts = &host, .nr_hosts = 1,
		.flags = RBLKT_EXPORT_INSECURE,
	};
	struct rblkt_ioc_export_show show = { .name = "" };
	struct rblk_ioc_host hosts[RBLK_MAX_HOSTS];
	struct rblkt_ioc_session_remove removed;
	struct rblkt_ioc_export_add added;
	struct rblkt_ioc_portal *portals;
	struct rblkt_ioc_pause pause;
	struct rblk_ioc_addr addr;
	char text[RBLK_ADDRESS_TEXT];
	unsigned int nr;

	check("export", !rblkt_export_add(NULL, &spec, &added, &fail));
	check("exported", rblkt_export_next(NULL, "", &show, hosts, &fail) == 1);
	check_json("export", rblkt_export_json(&show, hosts, NULL), "/allowed/0",
		   "6b010000-0000-0000-0000-000000000000");
	check("no other", rblkt_export_next(NULL, show.name, &show, NULL, &fail) == 0);
	check("remove", !rblkt_export_remove(NULL, "data", false, &fail));
	check("no name", rblkt_export_remove(NULL, NULL, false, &fail) == -1 &&
	      fail.error == EINVAL);
	check("listen", !rblkt_portal_add(NULL, "any", &addr, &fail));
	rblk_address_text(text, &addr);
	check("address", !strcmp(text, "0.0.0.0:4421"));
	check("portals", !rblkt_portals(NULL, &portals, &nr, &fail) && nr == 1);
	free(portals);
	check("stop", !rblkt_portal_remove(NULL, "any", false, &addr, &fail));
	check("nobody", rblkt_session_remove(NULL, "nobody", false, &removed, &fail) == -1 &&
	      fail.error == ENOENT);
	check("pause", !rblkt_pause(NULL, 5, &pause, &fail));
	check_json("paused", rblkt_pause_json(&pause), "/left_ms", "5000");
}

int main(int argc, char **argv)
{
	struct rblk_volume_spec spec = RBLK_VOLUME_SPEC_INIT;
	struct rblk_ioc_discover discover = { 0 };
	struct rblk_ioc_offer *offers;
	struct rblk_ioc_info info;
	char text[RBLK_KEY_TEXT];

	if (argc > 1) {
		if (!strcmp(argv[1], "refused"))
			use_refused();
		else
			use_nothing();
		return failed;
	}
	spec.target = "192.0.2.1";
	spec.export_name = "data";
	spec.host = &me;
	check("key", rblk_key_parse(target_key, spec.target_key[0]));
	rblk_key_text(text, spec.target_key[0]);
	check("key again", !strcmp(text, target_key));
	check("no key", !rblk_key_parse("x", spec.target_key[1]));
	check("info", !rblk_info(NULL, RBLK_INITIATOR, &info, &fail) && info.abi == RBLK_ABI);
	check("discover", !rblk_discover(NULL, &spec, &discover, &offers, &fail) &&
	      discover.nr == 1);
	check_json("offer", rblk_offer_json(&offers[0]), "/name", "data");
	free(offers);
	use_volume(&spec);
	use_interrupt(&spec);
	use_target();
	return failed;
}
