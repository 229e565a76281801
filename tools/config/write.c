// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "config/write.h"

#define HEADER	"# Written by 'rblkctl save'; see rblk.conf(5).\n"

/* A string in quotes; what could end it or is no text is escaped. */
static void write_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			fprintf(file, "\\x%02x", (unsigned char)*text);
		else
			fputc(*text, file);
	}
	fputc('"', file);
}

static void write_key(FILE *file, const char *key, const char *text)
{
	fprintf(file, "\t\t%s = ", key);
	write_string(file, text);
	fputs(";\n", file);
}

static void write_uuid(FILE *file, const char *key, const __u8 *uuid)
{
	char text[UUID_TEXT];

	uuid_text(text, uuid);
	write_key(file, key, text);
}

/* By its name where "hosts" has one. */
static void write_host(FILE *file, const struct config *config,
		       const struct rblk_ioc_host *host)
{
	char text[HOST_TEXT];
	unsigned int i;

	for (i = 0; i < config->nr_hosts; i++)
		if (!memcmp(&config->hosts[i].host, host, sizeof(*host)))
			break;
	host_text(text, host);
	write_string(file, i < config->nr_hosts ? config->hosts[i].name : text);
}

static void write_allowed(FILE *file, const struct config *config, const struct request *req)
{
	unsigned int i;

	fputs("\t\tallow = (", file);
	for (i = 0; i < req->nr_allowed; i++) {
		fputs(i ? ",\n\t\t\t" : " ", file);
		write_host(file, config, &req->allowed[i]);
	}
	fputs(" );\n", file);
}

/* One of them as a string, more as a list. */
static void write_target_keys(FILE *file, const char *key, const struct request *req)
{
	char text[KEY_TEXT];
	unsigned int i;

	key_text(text, req->target_key[0]);
	if (req->nr_target_keys == 1) {
		write_key(file, key, text);
		return;
	}
	fprintf(file, "\t\t%s = (", key);
	for (i = 0; i < req->nr_target_keys; i++) {
		key_text(text, req->target_key[i]);
		fputs(i ? ",\n\t\t\t" : " ", file);
		write_string(file, text);
	}
	fputs(" );\n", file);
}

static void write_timeout(FILE *file, const char *key, int seconds)
{
	if (seconds == RBLK_QUEUE_TIMEOUT_FOREVER)
		fprintf(file, "\t\t%s = \"forever\";\n", key);
	else
		fprintf(file, "\t\t%s = %d;\n", key, seconds);
}

/* One for each target, as far as there is one. */
static void write_sources(FILE *file, const char *key, const struct request *req)
{
	char list[RBLK_MAX_ROUTES * ENDPOINT_TEXT], one[ENDPOINT_TEXT];
	unsigned int nr = req->nr_other_source, i;
	int at;

	while (nr && !req->other_source[nr - 1].host[0])
		nr--;
	endpoint_text(one, &req->source);
	at = snprintf(list, sizeof(list), "%s", one);
	for (i = 0; i < nr; i++) {
		endpoint_text(one, &req->other_source[i]);
		at += snprintf(list + at, sizeof(list) - at, ",%s", one);
	}
	write_key(file, key, list);
}

static void write_option(FILE *file, const struct config *config,
			 const struct request *req, enum option_id id)
{
	const char *key = option_table[id].name + 2;

	switch (id) {
	case OPTION_ALLOW:
		write_allowed(file, config, req);
		break;
	case OPTION_CGROUP:
		write_key(file, key, req->cgroup);
		break;
	case OPTION_DEPTH:
		fprintf(file, "\t\t%s = %u;\n", key, req->depth);
		break;
	case OPTION_HOST_NAME:
		write_key(file, key, req->host_name);
		break;
	case OPTION_HOST_UUID:
		write_uuid(file, key, req->host_uuid);
		break;
	case OPTION_INDEX:
		fprintf(file, "\t\t%s = %d;\n", key, req->index);
		break;
	case OPTION_INLINE_READ:
		fprintf(file, "\t\t%s = %u;\n", key, req->inline_read);
		break;
	case OPTION_POLL_QUEUES:
		fprintf(file, "\t\t%s = %u;\n", key, req->poll_queues);
		break;
	case OPTION_QUEUES:
		fprintf(file, "\t\t%s = %u;\n", key, req->queues);
		break;
	case OPTION_QUEUE_TIMEOUT:
		write_timeout(file, key, req->queue_timeout);
		break;
	case OPTION_SOURCE:
		write_sources(file, key, req);
		break;
	case OPTION_TARGET_KEY:
		write_target_keys(file, key, req);
		break;
	case OPTION_UUID:
		write_uuid(file, key, req->uuid);
		break;
	default:
		fprintf(file, "\t\t%s = true;\n", key);
	}
}

static void write_item(FILE *file, const struct config *config, enum item_kind kind,
		       const struct item *item)
{
	char name[ITEM_TEXT];
	int i;

	item_text(name, kind, item);
	if (kind == ITEM_PORTAL) {
		fputc('\t', file);
		write_string(file, name);
		return;
	}
	fputs("\t{\n", file);
	write_key(file, kind == ITEM_EXPORT ? "name" : "export", name);
	if (kind == ITEM_EXPORT)
		write_key(file, request_has(&item->req, OPTION_BACKING_FILE) ? "file" : "device",
			  item->req.backing);
	for (i = 0; i < OPTION_NR; i++)
		if (request_has(&item->req, i) && i != OPTION_BACKING_FILE)
			write_option(file, config, &item->req, i);
	fputs("\t}", file);
}

static void write_list(FILE *file, const struct config *config, enum item_kind kind)
{
	const struct items *items = &config->list[kind];
	unsigned int i;

	if (!items->given)
		return;
	fprintf(file, "\n%ss = (\n", kind_text(kind));
	for (i = 0; i < items->nr; i++) {
		write_item(file, config, kind, &items->item[i]);
		fputs(i + 1 < items->nr ? ",\n" : "\n", file);
	}
	fputs(");\n", file);
}

static void write_hosts(FILE *file, const struct config *config)
{
	const struct config_host *host = config->hosts;
	char text[HOST_TEXT];
	unsigned int i;

	if (!config->nr_hosts)
		return;
	fputs("\nhosts = (\n", file);
	for (i = 0; i < config->nr_hosts; i++, host++) {
		host_text(text, &host->host);
		fputs("\t{ name = ", file);
		write_string(file, host->name);
		fprintf(file, "; %s = \"%s\"; }%s\n",
			key_is_none(host->host.key) ? "uuid" : "key", text,
			i + 1 < config->nr_hosts ? "," : "");
	}
	fputs(");\n", file);
}

/**
 * conf_write() - write a configuration
 * @config: the configuration
 * @file: where to; whether all of it was written is for the caller to ask
 */
void conf_write(const struct config *config, FILE *file)
{
	enum item_kind kind;

	fputs(HEADER, file);
	write_hosts(file, config);
	for (kind = 0; kind < ITEM_KINDS; kind++)
		write_list(file, config, kind);
}

/* Nothing but the header is a comment. */
static bool is_written(FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	bool written;

	written = getline(&line, &room, file) > 0 && !strcmp(line, HEADER);
	while (written && getline(&line, &room, file) > 0)
		written = !strchr("#/", line[strspn(line, " \t")]);
	free(line);
	return written;
}

/**
 * conf_by_hand() - whether somebody has written a configuration, not conf_write()
 * @path: the file
 *
 * It is by hand, too, if it has got comments since. One at the end of a line is not seen.
 *
 * Return: false also where there is none.
 */
bool conf_by_hand(const char *path)
{
	FILE *file = fopen(path, "re");
	bool written;

	if (!file)
		return false;
	written = is_written(file);
	fclose(file);
	return !written;
}
