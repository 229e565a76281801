// SPDX-License-Identifier: GPL-2.0-only
/* Files that only root may read. What is in them is in no message, and is wiped. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/failure.h"
#include "lib/key.h"
#include "lib/node.h"

#define MAX_PSK_FILE	(64 * 1024)

static int cannot_read(const char *path, int error, struct rblk_failure *fail)
{
	failure_set(fail, error, NULL, "cannot read %s: %s", path, strerror(error));
	return -1;
}

/* Whoever has read it can pass for this machine. */
static int check_rights(const char *path, const struct stat *st, struct rblk_failure *fail)
{
	char hint[128];

	if (!S_ISREG(st->st_mode)) {
		failure_set(fail, EINVAL, NULL, "%s is not a regular file", path);
		return -1;
	}
	if (st->st_uid && st->st_uid != geteuid()) {
		snprintf(hint, sizeof(hint), "chown root %s; and rblkctl key rotate", path);
		failure_set(fail, EPERM, hint, "%s belongs to another user, who can read it", path);
		return -1;
	}
	if (!(st->st_mode & 0077))
		return 0;
	snprintf(hint, sizeof(hint), "chmod 600 %s; and if somebody may have read it, new keys",
		 path);
	failure_set(fail, EPERM, hint, "%s has mode %04o: others than its owner may read it", path,
		    st->st_mode & 07777);
	return -1;
}

/* Return: how much there is, @room if it is too much, or a negative errno. */
static ssize_t read_some(int fd, char *to, size_t room)
{
	size_t used = 0;
	ssize_t got;

	while (used < room) {
		got = read(fd, to + used, room - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		used += got;
	}
	return used;
}

/**
 * secret_file() - read a file that only root may read
 * @path: the file
 * @to: its content, with a NUL
 * @room: bytes at @to; it must be shorter
 * @fail: why it failed; ENOENT where there is none
 *
 * Return: 0, or -1 with @fail filled in and nothing of it at @to.
 */
int secret_file(const char *path, char *to, size_t room, struct rblk_failure *fail)
{
	char full[RBLK_PATH_LEN + 64];
	struct stat st;
	ssize_t got;
	int fd, err;

	to[0] = '\0';
	snprintf(full, sizeof(full), "%s%s", node_root(), path);
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return cannot_read(path, errno, fail);
	err = fstat(fd, &st) ? cannot_read(path, errno, fail) : check_rights(path, &st, fail);
	if (err) {
		close(fd);
		return -1;
	}
	got = read_some(fd, to, room);
	close(fd);
	if (got >= 0 && (size_t)got < room && !memchr(to, '\0', got)) {
		to[got] = '\0';
		return 0;
	}
	sodium_memzero(to, room);
	return cannot_read(path, got < 0 ? -got : EFBIG, fail);
}

/* "KEY PSK", or nothing but a comment. Return: whether it is either. */
static bool take_line(struct secrets *secrets, char *line)
{
	struct rblk_ioc_psk *psk = &secrets->psks[secrets->nr_psks];
	char *key, *secret, *save;
	unsigned int i;

	line[strcspn(line, "#")] = '\0';
	key = strtok_r(line, " \t\r", &save);
	if (!key)
		return true;
	secret = strtok_r(NULL, " \t\r", &save);
	if (!secret || strtok_r(NULL, " \t\r", &save) || !text_public_key(key, psk->key) ||
	    !text_key(secret, psk->psk))
		return false;
	for (i = 0; i < secrets->nr_psks; i++)
		if (!memcmp(secrets->psks[i].key, psk->key, KEY_BYTES))
			return false;
	secrets->nr_psks++;
	return true;
}

static int take_lines(struct secrets *secrets, char *text, struct rblk_failure *fail)
{
	unsigned int nr = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		nr++;
		if (secrets->nr_psks == RBLK_MAX_HOSTS && line[strspn(line, " \t\r")] &&
		    line[strspn(line, " \t\r")] != '#') {
			failure_set(fail, EINVAL, NULL, "%s:%u: there are more than %u PSKs",
				    PSK_PATH, nr, RBLK_MAX_HOSTS);
			return -1;
		}
		if (secrets->nr_psks < RBLK_MAX_HOSTS && !take_line(secrets, line)) {
			failure_set(fail, EINVAL, "each line: PUBLIC-KEY PSK",
				    "%s:%u: not a public key that no line before has, and a PSK, both base64 of 32 bytes",
				    PSK_PATH, nr);
			return -1;
		}
	}
	return 0;
}

/**
 * psks_read() - read the secrets that this machine shares with others
 * @secrets: gets its PSKs
 * @fail: why it failed
 *
 * Return: 0, also where there is no such file; or -1 with @fail filled in.
 */
int psks_read(struct secrets *secrets, struct rblk_failure *fail)
{
	char *text = malloc(MAX_PSK_FILE);
	int err;

	secrets->nr_psks = 0;
	if (!text) {
		failure_set(fail, ENOMEM, NULL, "out of memory");
		return -1;
	}
	err = secret_file(PSK_PATH, text, MAX_PSK_FILE, fail);
	if (!err)
		err = take_lines(secrets, text, fail);
	else if (fail->error == ENOENT)
		err = 0;
	sodium_memzero(text, MAX_PSK_FILE);
	free(text);
	return err;
}
