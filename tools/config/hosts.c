// SPDX-License-Identifier: GPL-2.0-only
/* Hosts and keys in the configuration. */
#include <string.h>

#include "config/reader.h"
#include "system/alloc.h"

/* A host of an access list: a name from "hosts", a key or a UUID. */
static int take_host(const struct reader *r, struct request *req, const char *key,
		     const config_setting_t *value)
{
	const char *text = config_setting_get_string(value);
	char host[HOST_TEXT], shown[80];
	const char *wrong;
	unsigned int i;

	if (!text)
		return wrong_at(r, value, "%s: a string is expected", key);
	text_clean(shown, sizeof(shown), text, strlen(text));
	for (i = 0; i < r->config->nr_hosts; i++) {
		if (strcmp(r->config->hosts[i].name, text))
			continue;
		host_text(host, &r->config->hosts[i].host);
		text = host;
		break;
	}
	wrong = option_table[OPTION_ALLOW].take(req, text);
	return wrong ? wrong_at(r, value, "%s \"%s\": %s", key, shown, wrong) : 0;
}

/**
 * take_hosts() - an export's access list
 * @r: the file
 * @req: the export
 * @key: the key
 * @value: a host, or a list of hosts
 *
 * Return: 0, or -1 with the failure filled in.
 */
int take_hosts(const struct reader *r, struct request *req, const char *key,
	       const config_setting_t *value)
{
	int i;

	if (config_setting_type(value) == CONFIG_TYPE_STRING)
		return take_host(r, req, key, value);
	if (!config_setting_is_list(value) && !config_setting_is_array(value))
		return wrong_at(r, value, "%s: a list of hosts is expected", key);
	for (i = 0; i < config_setting_length(value); i++)
		if (take_host(r, req, key, config_setting_get_elem(value, i)))
			return -1;
	return 0;
}

/**
 * take_target_keys() - the keys of a volume's target
 * @r: the file
 * @req: the volume
 * @key: the key
 * @value: one, or a list of them
 *
 * Return: 0, or -1 with the failure filled in.
 */
int take_target_keys(const struct reader *r, struct request *req, const char *key,
		     const config_setting_t *value)
{
	take_fn take = option_table[OPTION_TARGET_KEY].take;
	int i;

	if (!config_setting_is_list(value) && !config_setting_is_array(value))
		return take_value(r, req, key, value, take);
	if (!config_setting_length(value))
		return wrong_at(r, value, "%s: the list is empty", key);
	for (i = 0; i < config_setting_length(value); i++)
		if (take_value(r, req, key, config_setting_get_elem(value, i), take))
			return -1;
	return 0;
}

static int expected_host(const struct reader *r, const config_setting_t *at)
{
	return wrong_at(r, at, "hosts: { name = \"...\"; key = \"...\"; } is expected");
}

static int take_one_host(const struct reader *r, const config_setting_t *at)
{
	struct config_host *host = &r->config->hosts[r->config->nr_hosts];
	const char *name, *text;
	struct rblk_ioc_host other;
	unsigned int i;
	bool by_key;

	if (!config_setting_is_group(at) || config_setting_length(at) != 2 ||
	    !config_setting_lookup_string(at, "name", &name))
		return expected_host(r, at);
	by_key = config_setting_lookup_string(at, "key", &text);
	if (!by_key && !config_setting_lookup_string(at, "uuid", &text))
		return expected_host(r, at);
	memset(host, 0, sizeof(*host));
	if (!*name || !text_copy(host->name, sizeof(host->name), name, strlen(name)))
		return wrong_at(r, at, "hosts: a name has 1 to 63 characters");
	if (text_host(name, &other))
		return wrong_at(r, at, "hosts: a UUID or a key is no name");
	if (by_key && !text_public_key(text, host->host.key))
		return wrong_at(r, at, "hosts: not a key; 'rblkctl key' prints it there");
	if (!by_key && !text_uuid(text, host->host.uuid))
		return wrong_at(r, at, "hosts: not a UUID; 'rblkctl host' prints it there");
	for (i = 0; i < r->config->nr_hosts; i++)
		if (!strcmp(r->config->hosts[i].name, host->name))
			return wrong_at(r, at, "hosts: %s is there twice", host->name);
	r->config->nr_hosts++;
	return 0;
}

/**
 * take_hosts_list() - the names of hosts
 * @r: the file
 * @list: "hosts"
 *
 * Return: 0, or -1 with the failure filled in.
 */
int take_hosts_list(const struct reader *r, const config_setting_t *list)
{
	int i, nr = config_setting_length(list);

	if (!config_setting_is_list(list))
		return wrong_at(r, list, "hosts: ( ... ) is expected");
	r->config->hosts = must_alloc(NULL, nr, sizeof(*r->config->hosts));
	for (i = 0; i < nr; i++)
		if (take_one_host(r, config_setting_get_elem(list, i)))
			return -1;
	return 0;
}
