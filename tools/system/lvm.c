// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logical volumes, by LVM's own programs: lvs, lvcreate and lvremove, without a shell.
 *
 * What the tool makes has the tag LVM_TAG, and another one with the UUID of the export that
 * it is for. It removes nothing else: a path means another volume once somebody has renamed
 * them. All names in these
 * commands have passed lv_name_ok(), or are absolute paths, so none is an option or a tag.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/interrupt.h"
#include "system/lvm.h"
#include "system/program.h"

#define LVM_TAG		"rblk"
#define ANSWER_ROOM	4096
#define SIZE_ROOM	32
#define TAG_ROOM	(sizeof(LVM_TAG "_") + UUID_TEXT)

/* A volume is for one export, whatever becomes of their names. */
static void export_tag(char tag[TAG_ROOM], const __u8 export[UUID_BYTES])
{
	char uuid[UUID_TEXT];

	uuid_text(uuid, export);
	snprintf(tag, TAG_ROOM, "%s_%s", LVM_TAG, uuid);
}

/* LVM says first what it thinks of files that our caller has left open. */
static void quiet_lvm(void)
{
	setenv("LVM_SUPPRESS_FD_WARNINGS", "1", 1);
}

/* Return: -1, or 1 when nobody knows what the program has done. */
static int lvm_failed(const char *program, const char *lv, const char *hint, double seconds,
		      const struct ended *ended, struct rblk_failure *fail)
{
	if (ended->error == ENOENT)
		failure_set(fail, ENOPKG, "apt-get install lvm2", "there is no program %s",
			    program);
	else if (ended->error == ETIMEDOUT)
		failure_set(fail, ETIMEDOUT, "'dmsetup info' and dmesg: does a disk hang?",
			    "%s %s gave no answer within %.0f s", program, lv, seconds);
	else if (ended->error == EINTR)
		failure_set(fail, EINTR, NULL, "interrupted; %s %s did not end", program, lv);
	else if (ended->error)
		failure_set(fail, ended->error, "as root; and look at the rights of the program",
			    "%s cannot be run: %s", program, strerror(ended->error));
	else if (ended->signal)
		failure_set(fail, EIO, "the same by hand, and dmesg",
			    "%s %s was ended by signal %d (%s)", program, lv, ended->signal,
			    strsignal(ended->signal));
	else
		failure_set(fail, EIO, hint, "%s %s: %s", program, lv,
			    ended->said[0] ? ended->said : "it does not say why");
	return ended->error == ETIMEDOUT || ended->error == EINTR || ended->signal ? 1 : -1;
}

/* Return: 0; -1 with nothing done; 1 when nobody knows. */
static int lvm_change(const char * const *argv, const char *lv, const char *hint,
		      struct rblk_failure *fail)
{
	char text[ANSWER_ROOM];
	struct ended ended;

	/* Where it has not even begun, all is as it was. */
	if (interrupt_pending()) {
		failure_set(fail, EINTR, NULL, "interrupted");
		return -1;
	}
	quiet_lvm();
	if (!system_change(argv, text, sizeof(text), &ended))
		return 0;
	return lvm_failed(argv[0], lv, hint, CHANGE_SECONDS, &ended, fail);
}

static const char *get_text(struct json_object *lv, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(lv, key));

	return text ? text : "";
}

/* Is a word in a list with commas? */
static bool lists(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
		if (strcspn(list, ",") == len && !strncmp(list, word, len))
			return true;
	return false;
}

static int lv_read(struct json_object *found, const __u8 export[UUID_BYTES], struct lv *lv)
{
	const char *group = get_text(found, "vg_name"), *name = get_text(found, "lv_name");
	const char *tags = get_text(found, "lv_tags");
	char tag[TAG_ROOM];

	if (!lv_name_ok(group) || !lv_name_ok(name))
		return -1;
	export_tag(tag, export);
	text_copy(lv->group, sizeof(lv->group), group, strlen(group));
	text_copy(lv->name, sizeof(lv->name), name, strlen(name));
	lv->thin = lists(get_text(found, "lv_layout"), "thin");
	lv->origin = strchr("oO", get_text(found, "lv_attr")[0]) &&
		     get_text(found, "lv_attr")[0];
	lv->ours = lists(tags, LVM_TAG);
	lv->meant = lists(tags, tag);
	return 0;
}

/*
 * What lvs prints: one report, with the volumes. It takes /dev/NAME for a volume group, too,
 * and then prints all that are there.
 */
static int lv_parse(const char *text, const char *path, const __u8 export[UUID_BYTES],
		    struct lv *lv, struct rblk_failure *fail)
{
	struct json_object *top = json_tokener_parse(text), *found = NULL;
	size_t count = 0;
	int err = -1;

	if (top && !json_pointer_get(top, "/report/0/lv", &found) &&
	    json_object_is_type(found, json_type_array))
		count = json_object_array_length(found);
	if (count == 1)
		err = lv_read(json_object_array_get_idx(found, 0), export, lv);
	json_object_put(top);
	if (!err)
		return 0;
	if (count > 1)
		failure_set(fail, EINVAL, "an export of /dev/GROUP/NAME",
			    "lvs takes %s for a volume group: it has %zu logical volumes", path,
			    count);
	else
		failure_set(fail, EPROTO, "a newer lvm2, if it knows no --reportformat",
			    "lvs does not print as JSON what %s is", path);
	return -1;
}

/**
 * lv_find() - the logical volume that is a block device
 * @path: the device's absolute path
 * @export: the UUID of the export that it may be for
 * @lv: the result
 * @fail: why there is none
 *
 * Return: 0, or -1 with @fail filled in.
 */
int lv_find(const char *path, const __u8 export[UUID_BYTES], struct lv *lv,
	    struct rblk_failure *fail)
{
	const char * const argv[] = {
		"lvs", "--reportformat", "json", "--options",
		"vg_name,lv_name,lv_layout,lv_attr,lv_tags", path, NULL
	};
	char text[ANSWER_ROOM];
	struct ended ended;

	if (path[0] != '/') {
		failure_set(fail, EINVAL, NULL, "%s is no absolute path", path);
		return -1;
	}
	quiet_lvm();
	if (system_run(argv, text, sizeof(text), &ended)) {
		lvm_failed(argv[0], path, "'lvs', as root; is it a logical volume?", RUN_SECONDS,
			   &ended, fail);
		return -1;
	}
	return lv_parse(text, path, export, lv, fail);
}

/**
 * lv_path() - where a logical volume's device is
 * @path: /dev/GROUP/NAME, which stays the same over boots
 * @lv: the volume
 */
void lv_path(char path[LV_PATH], const struct lv *lv)
{
	snprintf(path, LV_PATH, "/dev/%s/%s", lv->group, lv->name);
}

static void lv_made(struct lv *made, const char *group, const char *name, bool thin)
{
	memset(made, 0, sizeof(*made));
	text_copy(made->group, sizeof(made->group), group, strlen(group));
	text_copy(made->name, sizeof(made->name), name, strlen(name));
	made->thin = thin;
	made->ours = true;
	made->meant = true;
}

/**
 * lv_create() - make an empty logical volume
 * @pool: a volume group, or a thin pool as GROUP/POOL
 * @req: the export's name, which the volume gets, its UUID, and the size in bytes; LVM makes
 *	whole extents of them
 * @made: the result, also in case of 1
 * @fail: why it failed
 *
 * Return: 0; -1 with nothing made; 1 with @fail filled in when it may be there.
 */
int lv_create(const char *pool, const struct request *req, struct lv *made,
	      struct rblk_failure *fail)
{
	char group[LV_NAME_LEN], full[2 * LV_NAME_LEN], hint[32 + 2 * LV_NAME_LEN];
	char bytes[SIZE_ROOM], tag[TAG_ROOM];
	bool thin = strchr(pool, '/');
	const char * const argv[] = {
		"lvcreate", "--yes", "--wipesignatures", "y", "--addtag", LVM_TAG,
		"--addtag", tag, "--name", req->export, thin ? "--virtualsize" : "--size", bytes,
		thin ? "--thin" : pool, thin ? pool : NULL, NULL
	};

	export_tag(tag, req->uuid);
	text_copy(group, sizeof(group), pool, strcspn(pool, "/"));
	snprintf(bytes, sizeof(bytes), "%llub", (unsigned long long)req->size);
	snprintf(full, sizeof(full), "%s/%s", group, req->export);
	snprintf(hint, sizeof(hint), "'vgs %s' and 'lvs %s'", group, group);
	lv_made(made, group, req->export, thin);
	return lvm_change(argv, full, hint, fail);
}

/**
 * lv_snapshot() - make a snapshot that can be written
 * @origin: what it is of; it may be in use, and is then as a disk is that has lost power
 * @req: the export's name, which the snapshot gets in the same volume group, its UUID, and how
 *	many bytes may change before it is lost; 0, and only 0, in a thin pool
 * @made: the result, also in case of 1
 * @fail: why it failed
 *
 * Return: 0; -1 with nothing made; 1 with @fail filled in when it may be there.
 */
int lv_snapshot(const struct lv *origin, const struct request *req, struct lv *made,
		struct rblk_failure *fail)
{
	char of[2 * LV_NAME_LEN], full[2 * LV_NAME_LEN], hint[32 + 2 * LV_NAME_LEN];
	char bytes[SIZE_ROOM], tag[TAG_ROOM];
	__u64 size = req->size;
	/* What is thin would not be there after a boot, and not even now. */
	const char * const argv[] = {
		"lvcreate", "--yes", "--snapshot", "--addtag", LVM_TAG, "--addtag", tag,
		"--name", req->export, size ? "--size" : "--setactivationskip",
		size ? bytes : "n", of, NULL
	};

	snprintf(of, sizeof(of), "%s/%s", origin->group, origin->name);
	if (!size != origin->thin) {
		failure_set(fail, EINVAL,
			    size ? "it without --size" : "--size, such as a fifth of its size",
			    size ? "%s is in a thin pool, where a snapshot takes what it needs" :
				   "%s is in no thin pool: its snapshots need room for what changes",
			    of);
		return -1;
	}
	export_tag(tag, req->uuid);
	snprintf(bytes, sizeof(bytes), "%llub", (unsigned long long)size);
	snprintf(full, sizeof(full), "%s/%s", origin->group, req->export);
	snprintf(hint, sizeof(hint), "'vgs %s' and 'lvs %s'", origin->group, origin->group);
	lv_made(made, origin->group, req->export, origin->thin);
	return lvm_change(argv, full, hint, fail);
}

/**
 * lv_remove() - remove a logical volume and its data
 * @lv: one that the tool has made
 * @fail: why it failed
 *
 * Return: 0; -1 when it is there as before; 1 with @fail filled in when it may be gone.
 */
int lv_remove(const struct lv *lv, struct rblk_failure *fail)
{
	char full[2 * LV_NAME_LEN];
	const char * const argv[] = { "lvremove", "--yes", full, NULL };

	snprintf(full, sizeof(full), "%s/%s", lv->group, lv->name);
	return lvm_change(argv, full, "lsblk: who else has it open?", fail);
}
