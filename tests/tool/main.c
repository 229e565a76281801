// SPDX-License-Identifier: GPL-2.0-only
/* Runs all suites; the last line of its output counts the tests. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"

int rblkctl_main(int argc, char **argv);

struct result result;

static void read_back(FILE *file, char *to, size_t room)
{
	size_t len;

	rewind(file);
	len = fread(to, 1, room - 1, file);
	to[len] = '\0';
	fclose(file);
}

/* Run the tool with a line's words as its arguments, its output into @result. */
void run_tool(const char *line)
{
	char words[1024], *argv[32] = { "rblkctl" }, *word, *save;
	FILE *out = tmpfile(), *err = tmpfile();
	int argc = 1, old_out, old_err;
	sigset_t none;

	snprintf(words, sizeof(words), "%s", line);
	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	sigemptyset(&none);
	fflush(stdout);
	fflush(stderr);
	old_out = dup(STDOUT_FILENO);
	old_err = dup(STDERR_FILENO);
	dup2(fileno(out), STDOUT_FILENO);
	dup2(fileno(err), STDERR_FILENO);
	fake.died = 0;
	result.status = rblkctl_main(argc, argv);
	alarm(0);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fflush(stdout);
	fflush(stderr);
	dup2(old_out, STDOUT_FILENO);
	dup2(old_err, STDERR_FILENO);
	close(old_out);
	close(old_err);
	read_back(out, result.out, sizeof(result.out));
	read_back(err, result.err, sizeof(result.err));
}

/* Run it; all of it must have been done, in silence. */
void run_ok(const char *line)
{
	fake.log[0] = '\0';
	run_tool(line);
	if (result.status != EXIT_OK || result.err[0])
		fail_msg("%s: %d, %s", line, result.status, result.err);
}

/* The output as JSON: one value and nothing else. */
struct json_object *result_json(void)
{
	struct json_tokener *tok = json_tokener_new_ex(32);
	struct json_object *top;
	size_t used;

	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	top = json_tokener_parse_ex(tok, result.out, strlen(result.out));
	used = json_tokener_get_parse_end(tok);
	if (!top || strspn(result.out + used, "\n") != strlen(result.out + used))
		fail_msg("not JSON: \"%s\"", result.out);
	json_tokener_free(tok);
	return top;
}

/* A member as a string, "" when there is none; @path as a JSON pointer. */
const char *json_member(struct json_object *top, const char *path)
{
	struct json_object *found;

	return json_pointer_get(top, path, &found) ? "" : json_object_get_string(found);
}

int main(int argc, char **argv)
{
	static const struct suite * const suites[] = {
		&suite_text, &suite_address, &suite_parse, &suite_hints, &suite_users,
		&suite_resolve, &suite_verbs, &suite_errors, &suite_config, &suite_apply,
		&suite_each, &suite_restore, &suite_save, &suite_added, &suite_latency,
		&suite_stat, &suite_top, &suite_tables, &suite_served, &suite_prometheus,
		&suite_events, &suite_digest, &suite_doctor, &suite_doctor_keys, &suite_network,
		&suite_sysfs, &suite_rights, &suite_root, &suite_routes, &suite_keys, &suite_pause,
		&suite_interrupt, &suite_lock, &suite_protection, &suite_pool, &suite_reservation,
		&suite_fence,
	};
	unsigned int passed = 0, failed = 0, here;
	size_t i;

	/* A shell ignores them for what it runs in the background, and nohup SIGHUP. */
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		if (argc > 1 && !strstr(suites[i]->name, argv[1]))
			continue;
		here = _cmocka_run_group_tests(suites[i]->name, suites[i]->tests,
					       suites[i]->nr, NULL, NULL);
		failed += here;
		passed += suites[i]->nr - here;
	}
	fflush(stderr);
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
