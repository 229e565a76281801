// SPDX-License-Identifier: GPL-2.0-only
/*
 * Volumes as sysfs shows them to everybody. It does not say who the target is, how it is
 * reached, who has a volume open, which access was asked for, nor the export's flags.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/node.h"
#include "lib/sysfs.h"
#include "rblk_wire.h"

#define SECTOR	512

/* All of a file below /sys without its last newline; empty where there is none. */
static void read_sysfs(const char *name, char *to, size_t room)
{
	char path[2 * RBLK_PATH_LEN];
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/%s", node_root(), name);
	file = fopen(path, "re");
	if (file) {
		len = fread(to, 1, room - 1, file);
		fclose(file);
	}
	if (len && to[len - 1] == '\n')
		len--;
	to[len] = '\0';
}

static void read_attribute(int index, const char *name, char *to, size_t room)
{
	char path[RBLK_PATH_LEN];

	snprintf(path, sizeof(path), "block/rblk%d/%s", index, name);
	read_sysfs(path, to, room);
}

static long long read_number(int index, const char *name)
{
	char text[32];

	read_attribute(index, name, text, sizeof(text));
	return strtoll(text, NULL, 10);
}

static bool read_uuid(int index, const char *name, __u8 uuid[UUID_BYTES])
{
	char text[UUID_TEXT + 1];

	read_attribute(index, name, text, sizeof(text));
	return text_uuid(text, uuid);
}

/* The number of a word in a table of states. */
static unsigned int read_state(int index, const char *name, const char * const *words,
			       unsigned int nr)
{
	char text[32];
	unsigned int i;

	read_attribute(index, name, text, sizeof(text));
	for (i = 0; i < nr; i++)
		if (words[i] && !strcmp(words[i], text))
			break;
	return i;
}

#define STATE_TEXT(name, value, words)	\
	[name] = words,

/*
 * All but its UUID, and all but one of the flags: sysfs has those of the queue. Root may change
 * them, and the driver wants stable writes on iWARP whatever the export wants.
 */
static void read_volume(int index, struct rblk_ioc_volume *volume)
{
	static const char * const states[] = { RBLK_VOLUME_STATE_TABLE(STATE_TEXT) };

	volume->index = index;
	read_attribute(index, "rblk/target", volume->target_text, sizeof(volume->target_text));
	read_attribute(index, "rblk/export", volume->export_name, sizeof(volume->export_name));
	read_attribute(index, "rblk/reason", volume->reason, sizeof(volume->reason));
	volume->state = read_state(index, "rblk/state", states, ARRAY_SIZE(states));
	volume->capacity = read_number(index, "size") * SECTOR;
	volume->logical_block = read_number(index, "queue/logical_block_size");
	volume->physical_block = read_number(index, "queue/physical_block_size");
	volume->queue_timeout = read_number(index, "rblk/queue_timeout");
	volume->flags = read_number(index, "rblk/digest") ? RBLK_EXPF_DIGEST : 0;
	volume->digest_mended = read_number(index, "rblk/digest_mended");
	volume->digest_failed = read_number(index, "rblk/digest_failed");
}

static void read_session(int index, struct rblk_ioc_session *session)
{
	static const char * const states[] = { RBLK_SESSION_STATE_TABLE(STATE_TEXT) };
	char text[4096], *at = text;
	int i;

	read_uuid(index, "rblk/session", session->uuid);
	session->state = read_state(index, "rblk/session_state", states, ARRAY_SIZE(states));
	session->epoch = read_number(index, "rblk/epoch");
	session->queues = read_number(index, "rblk/queues");
	session->poll_queues = read_number(index, "rblk/poll_queues");
	session->depth = read_number(index, "rblk/depth");
	session->inline_read = read_number(index, "rblk/inline_read");
	/* A name and a number in each line, in the order of the table. */
	read_attribute(index, "rblk/counters", text, sizeof(text));
	for (i = 0; i < RBLK_CNT_NR && at; i++) {
		at = strchr(at, ' ');
		if (at)
			session->counter[i] = strtoull(at, &at, 10);
	}
}

/*
 * It may be detached between any two reads, and another one may take its number. What was
 * read is one volume's if its UUID is there before and after. False where it is not.
 */
static bool read_all(int index, struct rblk_ioc_show *show)
{
	__u8 uuid[UUID_BYTES];

	memset(show, 0, sizeof(*show));
	if (!read_uuid(index, "rblk/uuid", show->volume.uuid))
		return false;
	read_volume(index, &show->volume);
	read_session(index, &show->session);
	return read_uuid(index, "rblk/uuid", uuid) &&
	       !memcmp(uuid, show->volume.uuid, sizeof(uuid));
}

/* The first from @from on, or -1. */
static int next_index(int from)
{
	char path[RBLK_PATH_LEN], rest;
	int index, found = -1;
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/block", node_root());
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		if (sscanf(entry->d_name, "rblk%d%c", &index, &rest) == 1 && index >= from &&
		    (found < 0 || index < found))
			found = index;
	closedir(dir);
	return found;
}

/**
 * sysfs_volume() - what RBLK_IOC_SHOW gives, as far as sysfs has it
 * @index: which volume
 * @flags: RBLK_SHOW_NEXT: the first from there on
 * @show: the result
 * @fail: why it failed: as the module says it, ENOENT where there is none
 *
 * Return: 0, or -1 with @fail filled in.
 */
int sysfs_volume(int index, unsigned int flags, struct rblk_ioc_show *show,
		 struct rblk_failure *fail)
{
	int found = next_index(index);

	while (found >= 0 && (found == index || flags & RBLK_SHOW_NEXT)) {
		if (read_all(found, show))
			return 0;
		found = found == INT_MAX ? -1 : next_index(found + 1);
	}
	failure_set(fail, ENOENT, "rblkctl list", "there is no rblk%d", index);
	fail->stage = RBLK_STAGE_LOOKUP;
	return -1;
}

/**
 * sysfs_version() - the version of a module that is loaded
 * @module: its name
 * @to: the result, empty where it is not known
 * @room: bytes at @to
 */
void sysfs_version(const char *module, char *to, size_t room)
{
	char path[RBLK_PATH_LEN];

	snprintf(path, sizeof(path), "module/%s/version", module);
	read_sysfs(path, to, room);
}
