// SPDX-License-Identifier: GPL-2.0-only
/* The verb "save": the running state, and what only the file knows. */
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

/* How it is attached is what was asked for; the file may say the default, too. */
static void merge_volume(struct request *to, const struct item *old)
{
	if (to->queue_timeout == RBLK_QUEUE_TIMEOUT_DEFAULT &&
	    !(old && request_has(&old->req, OPTION_QUEUE_TIMEOUT)))
		to->given &= ~OPTION_BIT(OPTION_QUEUE_TIMEOUT);
	if (old)
		to->target = old->req.target;
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
static int check_written(const struct replacement *r, struct failure *fail)
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

static int write_file(const struct config *config, const char *path, struct failure *fail)
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
static int check_include(const struct config *file, const char *path, struct failure *fail)
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
static int load_file(const char *path, struct config *file, struct failure *fail)
{
	if (!strcmp(path, "-"))
		path = CONFIG_PATH;
	if (!conf_load(path, file, fail) || fail->error == ENOENT)
		return 0;
	return -1;
}

static int save(const struct request *req, struct config *running, struct config *file)
{
	struct failure fail;
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
 * save_run() - the verb "save"
 * @req: the request
 *
 * Return: an exit status.
 */
int save_run(struct request *req)
{
	struct config running = { .hosts = NULL }, file = { .hosts = NULL };
	struct failure fail;
	int fd = running_lock(0, &fail), status;

	if (fd < 0)
		return failure_report(req, &fail);
	status = save(req, &running, &file);
	close(fd);
	conf_free(&running);
	conf_free(&file);
	return status;
}
