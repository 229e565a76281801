// SPDX-License-Identifier: GPL-2.0-only
/* The key by which this machine proves who it is: made, kept, exchanged, given to a module. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/control.h"
#include "lib/json.h"
#include "lib/key.h"
#include "lib/node.h"

#define PATH_ROOM	(RBLK_PATH_LEN + 64)

static void full_path(char to[PATH_ROOM], const char *path)
{
	snprintf(to, PATH_ROOM, "%s%s", node_root(), path);
}

/**
 * rblk_key_parse() - read a public key
 * @text: as people write it
 * @key: the result; zeroes when there is none
 *
 * Return: whether it is one.
 */
bool rblk_key_parse(const char *text, __u8 key[RBLK_KEY_LEN])
{
	return text && text_public_key(text, key);
}

/**
 * rblk_key_text() - a public key as people write it
 * @to: the result
 * @key: the key
 */
void rblk_key_text(char to[RBLK_KEY_TEXT], const __u8 key[RBLK_KEY_LEN])
{
	key_text(to, key);
}

/* The private part. A file with anything else is not made anew: somebody may need it. */
static int private_read(const char *path, __u8 private_key[KEY_BYTES],
			struct rblk_failure *fail)
{
	char text[KEY_TEXT + 8], hint[128];
	bool good;

	if (secret_file(path, text, sizeof(text), fail)) {
		if (fail->error != EFBIG)
			return -1;
		good = false;
	} else {
		text[strcspn(text, "\n")] = '\0';
		good = text_key(text, private_key);
	}
	sodium_memzero(text, sizeof(text));
	if (good)
		return 0;
	snprintf(hint, sizeof(hint), "a backup of it; or 'mv %s %s.bad', and a new one is made",
		 path, path);
	failure_set(fail, EINVAL, hint,
		    "%s does not hold a private key: one line, base64 of 32 bytes", path);
	return -1;
}

static int cannot_make(const char *path, int error, struct rblk_failure *fail)
{
	failure_set(fail, error, NULL, "cannot make %s: %s", path, strerror(error));
	return -1;
}

static int sync_directory(const char *path)
{
	char full[PATH_ROOM];
	int fd, err;

	full_path(full, path);
	*strrchr(full, '/') = '\0';
	fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	err = fsync(fd);
	close(fd);
	return err;
}

/* All of it, and on the disk. */
static int write_line(int fd, const __u8 private_key[KEY_BYTES])
{
	char line[KEY_TEXT + 1];
	ssize_t put;

	key_text(line, private_key);
	line[KEY_TEXT - 1] = '\n';
	put = write(fd, line, KEY_TEXT);
	sodium_memzero(line, sizeof(line));
	if (put >= 0 && put < KEY_TEXT)
		errno = ENOSPC;
	return put == KEY_TEXT && !fchmod(fd, 0600) && !fsync(fd) ? 0 : -1;
}

/*
 * Its name comes when all of it is there, and never to a file that has it already: whoever
 * makes a key at the same time has made the machine's.
 */
static int private_write(const char *path, const __u8 private_key[KEY_BYTES],
			 struct rblk_failure *fail)
{
	char full[PATH_ROOM], new[PATH_ROOM + 8];
	int fd, err = 0;

	full_path(full, path);
	*strrchr(full, '/') = '\0';
	if (mkdir(full, 0755) && errno != EEXIST)
		return cannot_make(path, errno, fail);
	full_path(full, path);
	snprintf(new, sizeof(new), "%s.XXXXXX", full);
	fd = mkostemp(new, O_CLOEXEC);
	if (fd < 0)
		return cannot_make(path, errno, fail);
	if (write_line(fd, private_key) || (link(new, full) && errno != EEXIST))
		err = errno;
	close(fd);
	unlink(new);
	if (!err && sync_directory(path))
		err = errno;
	return err ? cannot_make(path, err, fail) : 0;
}

static int private_make(const char *path, struct rblk_failure *fail)
{
	__u8 private_key[KEY_BYTES];
	int err;

	if (sodium_init() < 0)
		return cannot_make(path, EIO, fail);
	randombytes_buf(private_key, sizeof(private_key));
	err = private_write(path, private_key, fail);
	sodium_memzero(private_key, sizeof(private_key));
	return err;
}

/* The key in a file, which is made where there is none. */
static int key_of(const char *path, struct rblk_key *key, struct rblk_failure *fail)
{
	__u8 private_key[KEY_BYTES];
	int err = private_read(path, private_key, fail);

	memset(key, 0, sizeof(*key));
	key->file = path;
	if (err && fail->error == ENOENT) {
		key->made = true;
		err = private_make(path, fail) || private_read(path, private_key, fail);
	}
	if (!err)
		crypto_scalarmult_base(key->public_key, private_key);
	sodium_memzero(private_key, sizeof(private_key));
	return err ? -1 : 0;
}

/**
 * rblk_key_get() - this machine's public key
 * @key: the result; the pair is made where there is none
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_key_get(struct rblk_key *key, struct rblk_failure *fail)
{
	return key_of(KEY_PATH, key, fail);
}

/**
 * rblk_key_private() - this machine's private key, to move it to another
 * @to: the result, for the caller to wipe
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_key_private(char to[RBLK_KEY_TEXT], struct rblk_failure *fail)
{
	__u8 private_key[KEY_BYTES];
	struct rblk_key key;
	int err;

	err = rblk_key_get(&key, fail) || private_read(KEY_PATH, private_key, fail);
	if (!err)
		key_text(to, private_key);
	sodium_memzero(private_key, sizeof(private_key));
	return err ? -1 : 0;
}

/**
 * rblk_key_next() - the key that this machine is to have next
 * @key: the result; the pair is made where there is none
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_key_next(struct rblk_key *key, struct rblk_failure *fail)
{
	return key_of(KEY_NEXT_PATH, key, fail);
}

/**
 * secrets_read() - what a module needs to prove who this machine is
 * @secrets: the result, for the caller to wipe
 * @fail: why it failed; ENOENT where there is no key
 *
 * Return: 0, or -1 with @fail filled in.
 */
int secrets_read(struct secrets *secrets, struct rblk_failure *fail)
{
	memset(secrets, 0, sizeof(*secrets));
	return private_read(KEY_PATH, secrets->private_key, fail) || psks_read(secrets, fail) ?
	       -1 : 0;
}

/**
 * key_look() - this machine's public key, and whether all of its secrets can be used
 * @key: the result
 * @fail: why they cannot; ENOENT where there is no key, and none is made
 *
 * Return: 0, or -1 with @fail filled in.
 */
int key_look(struct rblk_key *key, struct rblk_failure *fail)
{
	struct secrets secrets;
	int err = secrets_read(&secrets, fail);

	memset(key, 0, sizeof(*key));
	key->file = KEY_PATH;
	if (!err)
		crypto_scalarmult_base(key->public_key, secrets.private_key);
	sodium_memzero(&secrets, sizeof(secrets));
	return err;
}

static int secrets_give(struct rblk *rblk, enum rblk_side side, const struct secrets *secrets,
			struct rblk_failure *fail)
{
	struct rblk_ioc_key_set set = {
		.size = sizeof(set),
		.nr_psks = secrets->nr_psks,
		.psks = secrets->nr_psks ? (uintptr_t)secrets->psks : 0,
	};
	int err;

	memcpy(set.private_key, secrets->private_key, sizeof(set.private_key));
	err = control_try(rblk, side,
			  side == RBLK_TARGET ? RBLKT_IOC_KEY_SET : RBLK_IOC_KEY_SET, &set,
			  &set.error, fail);
	sodium_memzero(&set, sizeof(set));
	return err;
}

/**
 * rblk_key_load() - give a module the machine's key and PSKs, whatever it has
 * @rblk: the caller, or NULL
 * @side: which module
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_key_load(struct rblk *rblk, enum rblk_side side, struct rblk_failure *fail)
{
	struct secrets secrets;
	int err = secrets_read(&secrets, fail);

	if (!err)
		err = secrets_give(rblk, side, &secrets, fail);
	sodium_memzero(&secrets, sizeof(secrets));
	return err;
}

/**
 * rblk_key_show() - which key a module has
 * @rblk: the caller, or NULL
 * @side: which module
 * @show: the result; its key is all zeroes if there is none
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_key_show(struct rblk *rblk, enum rblk_side side, struct rblk_ioc_key_show *show,
		  struct rblk_failure *fail)
{
	memset(show, 0, sizeof(*show));
	show->size = sizeof(*show);
	return control_try(rblk, side,
			   side == RBLK_TARGET ? RBLKT_IOC_KEY_SHOW : RBLK_IOC_KEY_SHOW, show,
			   &show->error, fail);
}

/**
 * key_give() - see to it that a module has a key
 * @rblk: the caller, or NULL
 * @side: which module
 * @need: what if there is none
 * @fail: why it failed
 *
 * One that it has already stays.
 *
 * Return: 0, or -1 with @fail filled in.
 */
int key_give(struct rblk *rblk, enum rblk_side side, enum key_need need,
	     struct rblk_failure *fail)
{
	struct rblk_ioc_key_show show;
	struct rblk_key key;

	if (rblk_key_show(rblk, side, &show, fail))
		return -1;
	if (!key_is_none(show.public_key))
		return 0;
	if (need == KEY_NEEDED && rblk_key_get(&key, fail))
		return -1;
	if (!rblk_key_load(rblk, side, fail))
		return 0;
	return need == KEY_IF_THERE && fail->error == ENOENT && !fail->stage ? 0 : -1;
}

/* Return: 0, also where the module is not loaded. */
static int load_if_loaded(struct rblk *rblk, enum rblk_side side, struct rblk_failure *fail)
{
	return rblk_key_load(rblk, side, fail) && !rblk_missing(fail) ? -1 : 0;
}

/* The next key comes in the former one's place, at once. */
static int put_next(struct rblk_key *key, struct rblk_failure *fail)
{
	char from[PATH_ROOM], to[PATH_ROOM];
	__u8 private_key[KEY_BYTES];
	int err;

	memset(key, 0, sizeof(*key));
	key->file = KEY_PATH;
	err = private_read(KEY_NEXT_PATH, private_key, fail);
	if (!err)
		crypto_scalarmult_base(key->public_key, private_key);
	sodium_memzero(private_key, sizeof(private_key));
	if (err && fail->error == ENOENT)
		failure_set(fail, ENOENT, "rblkctl key rotate",
			    "there is no next key in %s yet", KEY_NEXT_PATH);
	if (err)
		return -1;
	full_path(from, KEY_NEXT_PATH);
	full_path(to, KEY_PATH);
	if (!rename(from, to)) {
		sync_directory(KEY_PATH);
		return 0;
	}
	failure_set(fail, errno, NULL, "cannot put %s in place of %s: %s", KEY_NEXT_PATH,
		    KEY_PATH, strerror(errno));
	return -1;
}

/**
 * rblk_key_rotate() - make the next key the machine's, and give it to the modules
 * @rblk: the caller, or NULL
 * @key: the result
 * @fail: why it failed
 *
 * Sessions that are there use it from their next handshake on.
 *
 * Return: 0; 1 when it is the machine's, but a module that is loaded has not got it; -1 when
 * nothing has changed. With both @fail is filled in.
 */
int rblk_key_rotate(struct rblk *rblk, struct rblk_key *key, struct rblk_failure *fail)
{
	struct rblk_failure other;
	int err;

	if (put_next(key, fail))
		return -1;
	err = load_if_loaded(rblk, RBLK_INITIATOR, fail);
	if (load_if_loaded(rblk, RBLK_TARGET, err ? &other : fail))
		err = -1;
	return err ? 1 : 0;
}

/**
 * rblk_key_json() - a key of this machine, without its private part
 * @key: the key
 *
 * Return: a new object.
 */
struct json_object *rblk_key_json(const struct rblk_key *key)
{
	struct json_object *obj = json_object_new_object();

	put_key(obj, "public", key->public_key);
	put_text(obj, "file", key->file);
	put_bool(obj, "made", key->made);
	return obj;
}
