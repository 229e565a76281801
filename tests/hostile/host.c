// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostile-host: a host that speaks to a target badly.
 *
 *   hostile-host [OPTION...] ADDRESS EXPORT READONLY cases [TOPIC...]
 *   hostile-host [OPTION...] ADDRESS EXPORT READONLY mutate SEED SECONDS
 *   hostile-host [OPTION...] ADDRESS EXPORT READONLY flood KIND [ARGUMENT...]
 *   hostile-host [OPTION...] ADDRESS EXPORT READONLY crowd KIND [ARGUMENT...]
 *
 * EXPORT is ours to write to, READONLY is offered read-only.  It runs on the target's
 * machine, in another network namespace, so that it can look at the target's counters and
 * log.  -s SOURCE is the address to come from, -o OTHER another one of this host; -p keeps
 * the pace at which no log line is left out; -e N runs one of N cases, which of them by
 * -r SEED.  -t KEY is the target's public key, -k FILE has the private one that our
 * sessions prove, and -K FILE has that of another host that the target allows.  Without
 * -k nothing proves anything.  Exit status: 0 all well, 1 a case failed, 2 it could not
 * be run.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/resource.h>
#include "host.h"

const char *host_address;
const char *host_export;
const char *host_readonly;
const char *host_elsewhere;
bool host_paced;
bool host_iwarp;
const struct keyed *host_keyed;
const struct keyed *host_other;

static struct keyed own, other;

static const struct topic topics[] = {
	{ "request", request_cases },
	{ "control", control_cases },
	{ "command", command_cases },
	{ "data", data_cases },
	{ "identity", identity_cases },
	{ "transport", transport_cases },
	{ "push", push_cases },
	{ "window", window_cases },
	{ "quit", quit_cases },
	{ "deadline", deadline_cases },
};

/* Those that want another export or another target. */
static const struct topic others[] = {
	{ "unpushed", unpushed_cases },
	{ "windowless", windowless_cases },
	{ "held", held_cases },
	{ "held-stable", held_stable_cases },
	{ "fence", fence_cases },
	{ "reserve", reserve_cases },
	{ "reserve-kept", reserve_kept_cases },
	{ "reserve-unkept", reserve_unkept_cases },
	{ "stranger", stranger_cases },
	{ "anyone", anyone_cases },
	{ "downgrade", downgrade_cases },
	{ "handshake", handshake_cases },
	{ "retry", retry_cases },
	{ "mac", mac_cases },
	{ "rival", rival_cases },
	{ "replay", replay_cases },
	{ "fresh", fresh_cases },
	{ "lost", lost_cases },
	{ "immediate", immediate_cases },
};

static int run_topic(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (strcmp(others[i].name, name))
			continue;
		others[i].run();
		return 0;
	}

	for (i = 0; i < ARRAY_SIZE(topics); i++) {
		if (strcmp(topics[i].name, name))
			continue;
		topics[i].run();
		return 0;
	}
	fprintf(stderr, "no topic %s\n", name);
	return 2;
}

static int cases_main(int argc, char **argv)
{
	size_t i;
	int n;

	watch_open();
	for (n = 0; n < argc; n++)
		if (run_topic(argv[n]))
			return 2;
	for (i = 0; !argc && i < ARRAY_SIZE(topics); i++)
		topics[i].run();
	return report_end();
}

/* Registered memory counts as locked, and a flood needs many channels. */
static void raise_limits(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit files = { 8192, 8192 };

	if (setrlimit(RLIMIT_MEMLOCK, &all) || setrlimit(RLIMIT_NOFILE, &files))
		report_die("can't raise limits");
}

static int usage(void)
{
	fprintf(stderr, "usage: hostile-host [-s SOURCE] [-p] [-e N] [-r SEED] [-o OTHER] [-t KEY -k FILE [-K FILE]] ADDRESS EXPORT READONLY cases|mutate|flood|crowd ...\n");
	return 2;
}

/* Who we are, and who else there is. */
static void take_keys(const char *target, const char *file, const char *other_file)
{
	if (file) {
		keyed_read(file, target, &own);
		host_keyed = &own;
	}
	if (other_file) {
		keyed_read(other_file, target, &other);
		host_other = &other;
	}
}

static int run_it(int argc, char **argv)
{
	if (!strcmp(argv[0], "cases"))
		return cases_main(argc - 1, argv + 1);
	if (!strcmp(argv[0], "mutate"))
		return mutate_main(argc - 1, argv + 1);
	if (!strcmp(argv[0], "flood"))
		return flood_main(argc - 1, argv + 1);
	if (!strcmp(argv[0], "crowd"))
		return crowd_main(argc - 1, argv + 1);
	return usage();
}

int main(int argc, char **argv)
{
	uint64_t seed = verbs_now() ^ ((uint64_t)getpid() << 32);
	const char *target = "", *file = NULL, *other_file = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "+e:k:K:o:pr:s:t:")) != -1) {
		if (opt == 'p')
			host_paced = true;
		else if (opt == 'e')
			report_every = atoi(optarg) > 0 ? atoi(optarg) : 1;
		else if (opt == 'o')
			host_elsewhere = optarg;
		else if (opt == 'r')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 's')
			verbs_source = optarg;
		else if (opt == 't')
			target = optarg;
		else if (opt == 'k')
			file = optarg;
		else if (opt == 'K')
			other_file = optarg;
		else
			return usage();
	}
	/* SIW sends in our system calls, by sockets that the peer may have closed. */
	signal(SIGPIPE, SIG_IGN);
	argc -= optind;
	argv += optind;
	if (argc < 4)
		return usage();
	host_address = argv[0];
	host_export = argv[1];
	host_readonly = argv[2];
	raise_limits();
	random_seed(seed);
	report_phase = seed % report_every;
	take_keys(target, file, other_file);
	return run_it(argc - 3, argv + 3);
}
