// SPDX-License-Identifier: GPL-2.0-only
/* Who this host is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "lib/control.h"
#include "lib/node.h"

#define HOST_UUID_PATH	"/etc/rblk/host-uuid"
#define MACHINE_ID_PATH	"/etc/machine-id"

/*
 * The name space of the UUIDs we derive from machine ids, so that nobody can
 * tell the machine id, which is meant to stay on the machine.
 */
static const __u8 name_space[RBLK_UUID_LEN] = {
	0x6a, 0x3f, 0x0d, 0x52, 0x8c, 0x1e, 0x4b, 0x07,
	0x9d, 0x24, 0xe1, 0x5b, 0x70, 0xc9, 0x36, 0xa8,
};

/* The first word of a file: its length, or a negative errno. */
static int read_word(const char *path, char word[64])
{
	char full[RBLK_PATH_LEN + 64];
	FILE *file;
	int got;

	snprintf(full, sizeof(full), "%s%s", node_root(), path);
	file = fopen(full, "re");
	if (!file)
		return -errno;
	got = fscanf(file, "%63s", word);
	fclose(file);
	return got == 1 ? (int)strlen(word) : -ENODATA;
}

static int from_file(struct rblk_host *host, struct rblk_failure *fail)
{
	char word[64];
	int len = read_word(HOST_UUID_PATH, word);

	if (len == -ENOENT || len == -ENOTDIR)
		return 0;
	if (len < 0)
		failure_set(fail, -len, NULL, "cannot read %s: %s", HOST_UUID_PATH,
			    strerror(-len));
	else if (!text_uuid(word, host->uuid))
		failure_set(fail, EINVAL, "uuidgen > " HOST_UUID_PATH,
			    "%s does not hold a UUID", HOST_UUID_PATH);
	else
		return 1;
	return -1;
}

static int from_machine_id(struct rblk_host *host, struct rblk_failure *fail)
{
	char word[64];
	int len = read_word(MACHINE_ID_PATH, word);

	if (len == 32 && strspn(word, "0123456789abcdef") == 32) {
		uuid_generate_sha1(host->uuid, name_space, word, 32);
		return 0;
	}
	failure_set(fail, ENOENT, "systemd-machine-id-setup, or uuidgen > " HOST_UUID_PATH,
		    "this host has no identity: neither %s nor a machine id in %s",
		    HOST_UUID_PATH, MACHINE_ID_PATH);
	return -1;
}

/* A name that the wire takes, whatever the administrator chose. */
static void host_name_make(struct rblk_host *host)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) || !name[0])
		snprintf(name, sizeof(name), "localhost");
	rblk_name_make(host->name, name);
}

/**
 * rblk_host_get() - who this host is
 * @host: the result
 * @origin: the file that its UUID comes from; stays where it is
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_host_get(struct rblk_host *host, const char **origin, struct rblk_failure *fail)
{
	int found;

	host_name_make(host);
	*origin = HOST_UUID_PATH;
	found = from_file(host, fail);
	if (found)
		return found < 0 ? -1 : 0;
	*origin = MACHINE_ID_PATH;
	return from_machine_id(host, fail);
}
