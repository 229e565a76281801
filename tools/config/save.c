// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verb "save": the running state, and what only the file knows. And the option
 * "--save" of what adds an item: the file, and that item.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "config/replace.h"
#include "config/run.h"
#include "config/write.h"
#include "lib/node.h"
#include "output/failure.h"
#include "output/output.h"

#define LOCK_SECONDS	30	/* for who waits already: it has just attached */

/* How it is attached is what was asked for; the file may say the default, too. */
static void merge_volume(struct request *to, const struct item *old)
{
	if (to->queue_timeout == RBLK_QUEUE_TIMEOUT_DEFAULT &&
	    !(old && request_has(&old->req, OPTION_QUEUE_TIMEOUT)))
		to->given &= ~OPTION_BIT(OPTION_QUEUE_TIMEOUT);
	if (old)
		routes_order(to, &old->req);
}

/* Lists that the modules cannot give, and the hosts' names, are the file's. */
static void merge(struct config *running, struct config *file)
{
	struct items *volumes = &running->list[ITEM_VOLUME];
	struct items swap;
	enum item_kind kind;
	unsigned int i;

	for (i = 0; i < volumes->nr; i++)
		merge_volume(&volumes->item[i].req,
			     items_find(&file->list[ITEM_VOLUME], ITEM_VOLUME,
					&volumes->item[i]));
	for (kind = 0; kind < ITEM_KINDS; kind++) {
		if (running->list[kind].given)
			continue;
		swap = running->list[kind];
		running->list[kind] = file->list[kind];
		file->list[kind] = swap;
	}
	running->hosts = file->hosts;
	running->nr_hosts = file->nr_hosts;
	file->hosts = NULL;
	file->nr_hosts = 0;
}

/* Where rblkctl was not installed, only built, the default's is not there. */
static void make_directory(const char *path)
{
	char directory[2 * RBLK_PATH_LEN];

	if (strcmp(path, CONFIG_PATH))
		return;
	snprintf(directory, sizeof(directory), "%s%.*s", node_root(),
		 (int)(strrchr(path, '/') - path), path);
	mkdir(directory, 0755);
}

/* What has been written must be what can be read. */
static int check_written(const struct replacement *r, struct rblk_failure *fail)
{
	struct config again;
	int err;

	/* Before rewind(), which forgets that there was an error. */
	if (fflush(r->file) || ferror(r->file)) {
		failure_set(fail, errno, NULL, "cannot write %s: %s", r->path,
			    strerror(errno));
		return -1;
	}
	rewind(r->file);
	err = conf_read(r->file, r->path, &again, fail);
	conf_free(&again);
	return err;
}

static int write_file(const struct config *config, const char *path, struct rblk_failure *fail)
{
	struct replacement r;

	make_directory(path);
	if (replace_begin(&r, path, fail))
		return -1;
	conf_write(config, r.file);
	if (!check_written(&r, fail))
		return replace_end(&r, fail);
	replace_drop(&r);
	return -1;
}

/* One file would come in place of several, and all of their comments go. */
static int check_include(const struct config *file, const char *path, struct rblk_failure *fail)
{
	if (!file->include[0])
		return 0;
	failure_set(fail, EINVAL,
		    "its content in place of the @include; or 'rblkctl save --file -' and an editor",
		    "%s:%u: it includes \"%s\", and a file with an @include is not written",
		    path, file->include_line, file->include);
	return -1;
}

/* A file that is not there yet says nothing; a broken one is not thrown away. */
static int load_file(const char *path, struct config *file, struct rblk_failure *fail)
{
	if (!strcmp(path, "-"))
		path = CONFIG_PATH;
	if (!conf_load(path, file, fail) || fail->error == ENOENT)
		return 0;
	return -1;
}

static int save(const struct request *req, struct config *running, struct config *file)
{
	struct rblk_failure fail;
	struct json_object *top;

	if (load_file(req->file, file, &fail) || running_load(ITEMS_ALL, running, &fail))
		return failure_report(req, &fail);
	merge(running, file);
	if (!strcmp(req->file, "-")) {
		conf_write(running, stdout);
		return EXIT_OK;
	}
	if (check_include(file, req->file, &fail) || write_file(running, req->file, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_text(top, "file", req->file);
		put_number(top, "portals", running->list[ITEM_PORTAL].nr);
		put_number(top, "exports", running->list[ITEM_EXPORT].nr);
		put_number(top, "volumes", running->list[ITEM_VOLUME].nr);
		print_json(top);
	}
	return EXIT_OK;
}

/**
 * save_check() - whether what is about to be added could be kept
 * @req: nothing is looked at without --save
 * @fail: why not: the file cannot be read, or would not be written
 *
 * Return: 0, or -1 with @fail filled in.
 */
int save_check(const struct request *req, struct rblk_failure *fail)
{
	struct config file = { .hosts = NULL };
	int err = 0;

	if (!request_has(req, OPTION_SAVE))
		return 0;
	err = load_file(CONFIG_PATH, &file, fail) || check_include(&file, CONFIG_PATH, fail);
	conf_free(&file);
	return err ? -1 : 0;
}

/* One export may be attached over two sessions: then its number tells which it is. */
static struct item *find_added(const struct items *running, enum item_kind kind,
			       const struct item *like)
{
	unsigned int i;

	for (i = 0; i < running->nr; i++)
		if (running->item[i].index == like->index &&
		    item_same(kind, &running->item[i], like))
			return &running->item[i];
	return NULL;
}

/* Whether a volume may be there because of an entry of the file. */
static bool is_entry_of(const struct request *entry, const struct item *volume)
{
	return (!request_has(entry, OPTION_INDEX) || entry->index == volume->index) &&
	       (!request_has(entry, OPTION_SOURCE) ||
		endpoint_equal(&entry->source, &volume->req.source));
}

/* The file has one entry for each export of a target: it must not be another volume's. */
static int check_entry(const struct items *running, const struct item *added,
		       const struct item *entry, struct rblk_failure *fail)
{
	const struct item *other;
	unsigned int i;

	for (i = 0; entry && i < running->nr; i++) {
		other = &running->item[i];
		if (other == added || !item_same(ITEM_VOLUME, other, added) ||
		    !is_entry_of(&entry->req, other))
			continue;
		failure_set(fail, ENOTUNIQ,
			    "another address of the target, which has an entry of its own",
			    "its entry in " CONFIG_PATH " is /dev/rblk%d's, which is attached, too",
			    other->index);
		return -1;
	}
	return 0;
}

/* The item as it runs comes into the file, in place of the one that is there. */
static int keep(enum item_kind kind, const struct item *like, struct config *running,
		struct config *file, struct rblk_failure *fail)
{
	struct items *items = &file->list[kind];
	struct item *item, *old;

	if (load_file(CONFIG_PATH, file, fail) || check_include(file, CONFIG_PATH, fail) ||
	    running_load(ITEM_BIT(kind), running, fail))
		return -1;
	item = find_added(&running->list[kind], kind, like);
	if (!item) {
		failure_set(fail, ENOENT, NULL, "it has been removed meanwhile");
		return -1;
	}
	old = items_find(items, kind, item);
	if (kind == ITEM_VOLUME) {
		if (check_entry(&running->list[kind], item, old, fail))
			return -1;
		merge_volume(&item->req, old);
	}
	if (!old)
		old = items_add(items, kind);
	*old = *item;
	items->given = true;
	return write_file(file, CONFIG_PATH, fail);
}

/**
 * save_added() - keep what has just been added, if --save says so
 * @req: as it was added
 * @kind: what it is
 * @addr: a portal's address, else NULL
 * @index: N of a volume's /dev/rblkN, else -1
 *
 * What has been added stays also where it cannot be kept.
 *
 * Return: EXIT_OK, or EXIT_PARTLY having said why.
 */
int save_added(struct request *req, enum item_kind kind, const struct rblk_ioc_addr *addr,
	       int index)
{
	struct config running = { .hosts = NULL }, file = { .hosts = NULL };
	struct item like = { .req = *req, .index = index };
	struct rblk_failure fail;
	int lock, err = -1;

	if (!request_has(req, OPTION_SAVE))
		return EXIT_OK;
	if (addr)
		like.addr = *addr;
	lock = running_lock(LOCK_SECONDS, &fail);
	if (lock >= 0) {
		err = keep(kind, &like, &running, &file, &fail);
		close(lock);
	}
	conf_free(&running);
	conf_free(&file);
	if (!err)
		return EXIT_OK;
	failure_print(req, &fail);
	fprintf(stderr, "  it is there, but not in " CONFIG_PATH "%s\n",
		fail.error == ENOTUNIQ ? "" : ": 'rblkctl save' keeps all that is there");
	return EXIT_PARTLY;
}

/**
 * save_run() - the verb "save"
 * @req: the request
 *
 * Return: an exit status.
 */
int save_run(struct request *req)
{
	struct config running = { .hosts = NULL }, file = { .hosts = NULL };
	struct rblk_failure fail;
	int fd = running_lock(0, &fail), status;

	if (fd < 0)
		return failure_report(req, &fail);
	status = save(req, &running, &file);
	close(fd);
	conf_free(&running);
	conf_free(&file);
	return status;
}
