/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON of every structure of the modules; librblk.h has those that stand alone. Without
 * memory members are missing, and an object may be NULL, which put_*() pass over.
 */
#ifndef LIBRBLK_JSON_H
#define LIBRBLK_JSON_H

#include <json-c/json.h>

#include "lib/librblk.h"
#include "lib/text.h"

void put_object(struct json_object *obj, const char *key, struct json_object *value);
void put_text(struct json_object *obj, const char *key, const char *text);
void put_chars(struct json_object *obj, const char *key, const char *text, size_t max);
void put_number(struct json_object *obj, const char *key, long long number);
void put_size(struct json_object *obj, const char *key, __u64 number);
void put_decimal(struct json_object *obj, const char *key, double number);
void put_bool(struct json_object *obj, const char *key, bool value);
void put_uuid(struct json_object *obj, const char *key, const __u8 uuid[UUID_BYTES]);
void put_key(struct json_object *obj, const char *key, const __u8 value[KEY_BYTES]);
void put_addr(struct json_object *obj, const char *key, const struct rblk_ioc_addr *addr);
void put_device(struct json_object *obj, int index);

struct json_object *failure_json(const char *what, const struct rblk_failure *fail,
				 const char *hint);
struct json_object *event_json(const char *when, const char *what,
			       const struct rblk_ioc_volume *volume, const char *state,
			       const char *reason);
const char *volume_access(const struct rblk_ioc_volume *volume);
const char *export_access(const struct rblkt_ioc_export_show *export);
const char *user_access(const struct rblkt_ioc_user *user);
bool export_backing(const struct rblkt_ioc_export_show *export, char path[RBLK_PATH_LEN]);

#endif /* LIBRBLK_JSON_H */
