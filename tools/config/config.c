// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading /etc/rblk/rblk.conf. The keys of an item are the options of the verb
 * that makes it, and their values are read by what reads those options.
 *
 * The format is libconfig's as it quotes strings, so that addresses with colons,
 * brackets or a star are no puzzle, has comments, and knows each value's line.
 */
#include <errno.h>
#include <libconfig.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "config/reader.h"
#include "system/alloc.h"
#include "lib/node.h"
#include "lib/resolve.h"
#include "system/change.h"

#define MANUAL	"man 5 rblk.conf"
#define CHUNK		65536
#define MAX_TEXT	(16 << 20)

/* The lists, and the keys that stand for the arguments of their verbs. */
static const struct {
	const char *list;
	const char *key[VERB_MAX_ARGS];
	__u64 required;
} kinds[ITEM_KINDS] = {
	[ITEM_PORTAL] = { "portals", { "address" }, 0 },
	[ITEM_EXPORT] = { "exports", { "name", "device" }, OPTION_BIT(OPTION_UUID) },
	[ITEM_VOLUME] = { "volumes", { "export" }, 0 },
};

/**
 * wrong_at() - something is wrong with the file
 * @r: the file
 * @at: where
 * @format: the sentence
 *
 * Return: -1, with the failure filled in.
 */
int wrong_at(const struct reader *r, const config_setting_t *at, const char *format, ...)
{
	const char *file = config_setting_source_file(at);
	char why[320];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	failure_set(r->fail, EINVAL, MANUAL, "%s:%u: %s", file ? file : r->path,
		    config_setting_source_line(at), why);
	return -1;
}

/* A value as it would be written on the command line. */
static const char *value_text(const config_setting_t *value, char number[32])
{
	switch (config_setting_type(value)) {
	case CONFIG_TYPE_STRING:
		return config_setting_get_string(value);
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		snprintf(number, 32, "%lld", config_setting_get_int64(value));
		return number;
	default:
		return NULL;
	}
}

/**
 * take_value() - give a value to what reads such an option or argument
 * @r: the file
 * @req: the request
 * @key: the key
 * @value: its value
 * @take: what reads it
 *
 * Return: 0, or -1 with the failure filled in.
 */
int take_value(const struct reader *r, struct request *req, const char *key,
	       const config_setting_t *value, take_fn take)
{
	char number[32], shown[80];
	const char *text = value_text(value, number), *wrong;

	if (!text)
		return wrong_at(r, value, "%s: a string or a number is expected", key);
	wrong = take(req, text);
	if (!wrong)
		return 0;
	text_clean(shown, sizeof(shown), text, strlen(text));
	return wrong_at(r, value, "%s \"%s\": %s", key, shown, wrong);
}

static enum option_id find_option(enum verb_id verb, const char *key)
{
	int i;

	/*
	 * What is missing after a boot must not be made anew, and empty; and what is in
	 * the file is saved. It names its routes, and keys.
	 */
	for (i = 0; i < OPTION_NR; i++)
		if (i != OPTION_SIZE && i != OPTION_SAVE && i != OPTION_FORGET &&
		    i != OPTION_POOL && i != OPTION_CLONE_OF &&
		    i != OPTION_ALL_ROUTES && i != OPTION_TRUST_FIRST &&
		    (verb_table[verb].options & OPTION_BIT(i)) &&
		    !strcmp(option_table[i].name + 2, key))
			break;
	return i;
}

static int take_key(const struct reader *r, enum item_kind kind, struct request *req,
		    const config_setting_t *value)
{
	const char *key = config_setting_name(value);
	enum option_id id = find_option(req->verb, key);
	int i;

	for (i = 0; i < VERB_MAX_ARGS && kinds[kind].key[i]; i++)
		if (!strcmp(kinds[kind].key[i], key))
			return take_value(r, req, key, value,
					  verb_table[req->verb].arg[i].take);
	if (id == OPTION_NR)
		return wrong_at(r, value, "%s: no such key of %s", key, kinds[kind].list);
	req->given |= OPTION_BIT(id);
	if (id == OPTION_ALLOW)
		return take_hosts(r, req, key, value);
	if (id == OPTION_TARGET_KEY)
		return take_target_keys(r, req, key, value);
	if (option_table[id].value)
		return take_value(r, req, key, value, option_table[id].take);
	if (config_setting_type(value) != CONFIG_TYPE_BOOL)
		return wrong_at(r, value, "%s: true or false is expected", key);
	if (!config_setting_get_bool(value))
		req->given &= ~OPTION_BIT(id);
	return 0;
}

/* What must be said of who is who. */
static int check_proof(const struct reader *r, enum item_kind kind,
		       const struct request *req, const config_setting_t *at)
{
	__u64 proof = req->given & OPTIONS_PROOF;

	if (kind == ITEM_EXPORT && allows_by_uuid(req) && !proof)
		return wrong_at(r, at,
				"allow: a UUID proves nothing: give the host's key, which 'rblkctl key' prints there, or insecure = true");
	if (kind == ITEM_VOLUME && !proof)
		return wrong_at(r, at,
				"volumes: target-key is missing, which 'rblkctl key' prints on the target; or insecure = true");
	if (proof & (proof - 1))
		return wrong_at(r, at, "target-key and insecure exclude each other");
	return 0;
}

/* What must be said of an item, and what must not go together. */
static int check_item(const struct reader *r, enum item_kind kind,
		      const struct request *req, const config_setting_t *at)
{
	__u64 missing = kinds[kind].required & ~req->given;
	int i;

	for (i = 0; i < VERB_MAX_ARGS && kinds[kind].key[i]; i++)
		if (!config_setting_get_member(at, kinds[kind].key[i]) &&
		    !(i == 1 && request_has(req, OPTION_BACKING_FILE)))
			return wrong_at(r, at, "%s: %s is missing", kinds[kind].list,
					kinds[kind].key[i]);
	if (missing)
		return wrong_at(r, at, "%s: %s is missing", kinds[kind].list,
				option_table[__builtin_ctzll(missing)].name + 2);
	if (request_has(req, OPTION_BACKING_FILE) && config_setting_get_member(at, "device"))
		return wrong_at(r, at, "device and file exclude each other");
	if (kind == ITEM_EXPORT && req->backing[0] != '/')
		return wrong_at(r, at, "%s: an absolute path is expected",
				request_has(req, OPTION_BACKING_FILE) ? "file" : "device");
	if (req->nr_other_source > req->nr_other)
		return wrong_at(r, at, "source: more addresses than the target has");
	if (req->nr_allowed && request_has(req, OPTION_ALLOW_ANY))
		return wrong_at(r, at, "allow and allow-any exclude each other");
	return check_proof(r, kind, req, at);
}

/* One address, as it is wherever it is asked about, never a name. */
static int take_portal(const struct reader *r, struct item *item,
		       const config_setting_t *at)
{
	struct addresses found;
	struct rblk_failure fail;

	if (item->req.target.family == AF_UNSPEC)
		return wrong_at(r, at, "portals: an IP address is expected, or any");
	/* Its interface may not be there yet: adding it will tell. */
	if (!resolve(rblk, &item->req.target, AF_UNSPEC, &found, &fail))
		item->addr = found.addr[0];
	return 0;
}

/* A portal may be written as its address alone. */
static int take_item(const struct reader *r, enum item_kind kind,
		     const config_setting_t *at)
{
	struct items *items = &r->config->list[kind];
	struct item *item = items_add(items, kind);
	int i;

	item->line = config_setting_source_line(at);
	if (kind == ITEM_PORTAL && config_setting_type(at) == CONFIG_TYPE_STRING) {
		if (take_value(r, &item->req, "portals", at,
			       verb_table[item->req.verb].arg[0].take))
			return -1;
		return take_portal(r, item, at);
	}
	if (!config_setting_is_group(at))
		return wrong_at(r, at, "%s: { ... } is expected", kinds[kind].list);
	for (i = 0; i < config_setting_length(at); i++)
		if (take_key(r, kind, &item->req, config_setting_get_elem(at, i)))
			return -1;
	if (check_item(r, kind, &item->req, at))
		return -1;
	return kind == ITEM_PORTAL ? take_portal(r, item, at) : 0;
}

static bool has(const struct request *req, enum option_id option)
{
	return request_has(req, option);
}

/* What two items must not share; NULL when all is well. */
static const char *clash(enum item_kind kind, const struct item *a, const struct item *b)
{
	if (item_same(kind, a, b))
		return "is there twice";
	if (kind == ITEM_EXPORT && !memcmp(a->req.uuid, b->req.uuid, UUID_BYTES))
		return "has another export's uuid";
	if (kind == ITEM_VOLUME && has(&a->req, OPTION_INDEX) &&
	    has(&b->req, OPTION_INDEX) && a->req.index == b->req.index)
		return "has another volume's index";
	return NULL;
}

static int check_clashes(const struct reader *r, enum item_kind kind,
			 const config_setting_t *list)
{
	const struct items *items = &r->config->list[kind];
	char name[ITEM_TEXT];
	const char *wrong;
	unsigned int i, j;

	for (i = 1; i < items->nr; i++) {
		for (j = 0; j < i; j++) {
			wrong = clash(kind, &items->item[i], &items->item[j]);
			if (!wrong)
				continue;
			item_text(name, kind, &items->item[i]);
			return wrong_at(r, config_setting_get_elem(list, i),
					"%s %s %s, see line %u", kind_text(kind), name, wrong,
					items->item[j].line);
		}
	}
	return 0;
}

static int take_list(const struct reader *r, enum item_kind kind,
		     const config_setting_t *list)
{
	int i;

	if (!config_setting_is_list(list) && !config_setting_is_array(list))
		return wrong_at(r, list, "%s: ( ... ) is expected", kinds[kind].list);
	r->config->list[kind].given = true;
	for (i = 0; i < config_setting_length(list); i++)
		if (take_item(r, kind, config_setting_get_elem(list, i)))
			return -1;
	return check_clashes(r, kind, list);
}

/* Hosts first, wherever they stand, as exports name them. */
static int take_all(const struct reader *r, const config_setting_t *root)
{
	config_setting_t *hosts = config_setting_get_member(root, "hosts");
	const config_setting_t *list;
	enum item_kind kind;
	int i;

	if (hosts && take_hosts_list(r, hosts))
		return -1;
	for (i = 0; i < config_setting_length(root); i++) {
		list = config_setting_get_elem(root, i);
		if (list == hosts)
			continue;
		for (kind = 0; kind < ITEM_KINDS; kind++)
			if (!strcmp(config_setting_name(list), kinds[kind].list))
				break;
		if (kind == ITEM_KINDS)
			return wrong_at(r, list, "%s: not hosts, portals, exports or volumes",
					config_setting_name(list));
		if (take_list(r, kind, list))
			return -1;
	}
	return 0;
}

/*
 * libconfig would read on after a signal. Return: the text, to be freed, or NULL
 * with errno set.
 */
static char *read_text(FILE *file)
{
	char *text = NULL;
	size_t used = 0, got;
	int err;

	do {
		text = must_alloc(text, used + CHUNK + 1, 1);
		got = fread(text + used, 1, CHUNK, file);
		used += got;
	} while (got == CHUNK && used < MAX_TEXT);
	text[used] = '\0';
	if (!ferror(file) && used < MAX_TEXT && strlen(text) == used)
		return text;
	if (!ferror(file))
		errno = used < MAX_TEXT ? EILSEQ : EFBIG;
	err = errno;
	free(text);
	errno = err;
	return NULL;
}

static int cannot_read(const struct reader *r)
{
	failure_set(r->fail, errno, MANUAL "; 'rblkctl save' writes what is running",
		    "cannot read %s: %s", r->path, strerror(errno));
	return -1;
}

/* As libconfig does it: at the beginning of a line. */
static void note_include(struct config *to, const char *text)
{
	const char *at, *end;
	unsigned int line = 1;

	for (at = text; !to->include[0]; at = end + 1, line++) {
		if (sscanf(at, "%*[ \t]@include%*[ \t]\"%255[^\"]", to->include) == 1 ||
		    sscanf(at, "@include%*[ \t]\"%255[^\"]", to->include) == 1)
			to->include_line = line;
		end = strchr(at, '\n');
		if (!end)
			break;
	}
}

static int read_all(const struct reader *r, FILE *file)
{
	char *content = read_text(file), directory[RBLK_PATH_LEN];
	config_t text;
	int err;

	if (!content)
		return cannot_read(r);
	note_include(r->config, content);
	config_init(&text);
	snprintf(directory, sizeof(directory), "%s/etc/rblk", node_root());
	config_set_include_dir(&text, directory);
	if (config_read_string(&text, content) == CONFIG_TRUE) {
		err = take_all(r, config_root_setting(&text));
	} else {
		failure_set(r->fail, EINVAL, MANUAL, "%s:%d: %s",
			    config_error_file(&text) ? config_error_file(&text) : r->path,
			    config_error_line(&text), config_error_text(&text));
		err = -1;
	}
	config_destroy(&text);
	free(content);
	return err;
}

/**
 * conf_read() - read a configuration from a file that is open
 * @file: the file
 * @path: its name, for messages
 * @to: the result, to be freed in either case
 * @fail: what is wrong with it
 *
 * Return: 0, or -1 with @fail filled in.
 */
int conf_read(FILE *file, const char *path, struct config *to, struct rblk_failure *fail)
{
	const struct reader r = { path, to, fail };

	memset(to, 0, sizeof(*to));
	return read_all(&r, file);
}

/**
 * conf_load() - read a configuration
 * @path: its file, "-" for standard input
 * @to: the result, to be freed in either case
 * @fail: what is wrong with it
 *
 * Return: 0, or -1 with @fail filled in.
 */
int conf_load(const char *path, struct config *to, struct rblk_failure *fail)
{
	const struct reader r = { path, to, fail };
	char full[2 * RBLK_PATH_LEN];
	FILE *file;
	int err;

	if (!strcmp(path, "-"))
		return conf_read(stdin, path, to, fail);
	memset(to, 0, sizeof(*to));
	snprintf(full, sizeof(full), "%s%s", path[0] == '/' ? node_root() : "", path);
	file = fopen(full, "re");
	if (!file)
		return cannot_read(&r);
	err = conf_read(file, path, to, fail);
	fclose(file);
	return err;
}
