// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostile-ioctl [-s SEED] [-t SECONDS] control|target ADDRESS PORT DISK...
 *
 * Several processes call every command of one control device, rightly and
 * wrongly, all at once, with signals coming in; one of them has no privileges.
 * Prints what was called how often with which outcome, and a case for each
 * command: it succeeded, and each way to call it wrongly was refused as the ABI
 * says. What was attached or offered is taken away in the end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ioctl.h"
#include "report.h"

#define WORKERS		4
#define MOST_VERBS	16
#define MOST_ERRNO	134
#define PATIENCE	60	/* seconds for a call, at most 30 by the ABI */

static const char *path;
static const struct verb *verbs;
static unsigned int nr_verbs, seconds = 10;
static time_t deadline, latest;

/* Shared by all processes; index MOST_VERBS: of calls by a wrong number. */
static struct tally {
	unsigned long outcome[MOST_VERBS + 1][MOST_ERRNO];
	unsigned long ill[MOST_VERBS + 1];	/* errors that were not filled in */
	time_t since[WORKERS + 1];		/* the call under way began */
} *tally;

static void on_signal(int number)
{
	(void)number;
}

/* Signals that interrupt, at times that have nothing to do with the calls. */
static void be_interrupted(void)
{
	struct itimerval often = { .it_interval.tv_usec = 70000,
				   .it_value.tv_usec = 50000 };
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* An error is filled in, whoever is told of it, with its stage and words. */
static bool is_filled_in(const struct verb *verb, const unsigned char *out,
			 int error)
{
	const struct rblk_ioc_error *said = (const void *)(out + verb->error);

	return said->error == error && said->stage && said->text[0] &&
	       memchr(said->text, 0, sizeof(said->text)) &&
	       !said->reserved && !said->reserved2;
}

static void count(unsigned int v, int error)
{
	if (error < 0 || error >= MOST_ERRNO)
		error = MOST_ERRNO - 1;
	__atomic_fetch_add(&tally->outcome[v][error], 1, __ATOMIC_RELAXED);
}

/* Every command has been called in every way that will be judged. */
static bool has_all(void)
{
	unsigned int v;

	for (v = 0; v < nr_verbs; v++) {
		const unsigned long *outcome = tally->outcome[v];

		if (!outcome[0] || !outcome[EINVAL] || !outcome[EFAULT] ||
		    !outcome[EPERM])
			return false;
	}
	return tally->outcome[MOST_VERBS][ENOTTY];
}

/* On a busy machine few calls are made in a time, so that is not the measure. */
static bool goes_on(void)
{
	time_t now = time(NULL);

	return now < deadline || (now < latest && !has_all());
}

/* One call of @v: good, worse, or by a number that there is not. */
static void one_call(int fd, unsigned int v, bool good)
{
	static unsigned char arg[MOST_BYTES], out[MOST_BYTES];
	const struct verb *verb = &verbs[v];
	unsigned long cmd = verb->cmd;
	bool strange = false;
	int error = 0;

	memset(arg, 0, sizeof(arg));
	verb->make(arg);
	if (good) {
		error = ioctl(fd, cmd, arg) ? errno : 0;
		if (error && error != EFAULT && verb->error &&
		    !is_filled_in(verb, arg, error) && error != EPERM)
			tally->ill[v]++;
		count(v, error);
		return;
	}
	if (random_below(8)) {
		make_worse(verb, arg);
		if (!random_below(3))
			make_worse(verb, arg);
	} else {
		cmd = make_command(verb);
		for (unsigned int i = 0; i < nr_verbs; i++)
			if (cmd == verbs[i].cmd)
				return;
		strange = true;
	}
	make_guard(verb, arg);
	error = race_call(fd, path, verb, cmd, arg, out) ? errno : 0;
	count(strange ? MOST_VERBS : v, error);
}

/* The first worker is never interrupted, and so the one that gets long calls done. */
static unsigned int choose(unsigned int me, bool *good)
{
	unsigned int v = random_below(nr_verbs);

	*good = random_below(3) == 0;
	if (me || random_below(2))
		return v;
	*good = true;
	while (!verbs[v].often)
		v = random_below(nr_verbs);
	return v;
}

static void work(unsigned int me, uint64_t seed)
{
	int fd = open(path, O_RDWR);

	if (fd < 0)
		report_die("can't open %s: %s", path, strerror(errno));
	random_seed(seed + me);
	make_init();
	race_init();
	/* What takes longer than a signal lets it must come to an end somewhere. */
	if (me)
		be_interrupted();
	/* The last worker may call, but must not be heard. */
	if (me == WORKERS - 1 && setresuid(65534, 65534, 65534))
		report_die("can't give privileges up");
	while (goes_on()) {
		bool good;
		unsigned int v = choose(me, &good);

		tally->since[me] = time(NULL);
		one_call(fd, v, good);
	}
	tally->since[me] = 0;
	_exit(0);
}

/* What there is, but for the bystander's, goes away again. */
static void clear_control(int fd)
{
	struct rblk_ioc_detach detach = { .size = sizeof(detach),
					  .flags = RBLK_DETACH_FORCE };
	struct rblk_ioc_show show;
	int from = 0;

	for (;;) {
		memset(&show, 0, sizeof(show));
		show.size = sizeof(show);
		show.flags = RBLK_SHOW_NEXT;
		show.index = from;
		if (ioctl(fd, RBLK_IOC_SHOW, &show))
			break;
		from = show.volume.index + 1;
		if (show.volume.index == CALM_INDEX)
			continue;
		detach.index = show.volume.index;
		if (ioctl(fd, RBLK_IOC_DETACH, &detach))
			report_die("detach of %d in the end: %s", detach.index,
				   detach.error.text);
		memset(&detach.error, 0, sizeof(detach.error));
	}
}

static void clear_exports(int fd)
{
	struct rblkt_ioc_export_remove remove;
	unsigned int i;

	for (i = 0; i < make_nr_disks; i++) {
		memset(&remove, 0, sizeof(remove));
		remove.size = sizeof(remove);
		remove.flags = RBLKT_REMOVE_FORCE;
		snprintf(remove.name, sizeof(remove.name), "fuzz%u", i);
		if (ioctl(fd, RBLKT_IOC_EXPORT_REMOVE, &remove) && errno != ENOENT)
			report_die("removal in the end: %s", remove.error.text);
	}
}

static void clear_portals(int fd)
{
	static struct rblkt_ioc_portal portal[1024];
	struct rblkt_ioc_list list = { .size = sizeof(list),
				       .room = ARRAY_SIZE(portal),
				       .entries = (uintptr_t)portal };
	struct rblkt_ioc_portal_remove remove;
	unsigned int i;

	if (ioctl(fd, RBLKT_IOC_PORTAL_LIST, &list) || list.nr > list.room)
		report_die("list in the end: %s, %u", list.error.text, list.nr);
	for (i = 0; i < list.nr; i++) {
		if (!memcmp(&portal[i].addr, &make_portal, sizeof(make_portal)))
			continue;
		memset(&remove, 0, sizeof(remove));
		remove.size = sizeof(remove);
		remove.addr = portal[i].addr;
		/* The bystander has come through one. */
		if (ioctl(fd, RBLKT_IOC_PORTAL_REMOVE, &remove) && errno != EBUSY)
			report_die("removal in the end: %s", remove.error.text);
	}
}

/* Where the target keeps fences, one of ours would keep a host out for good. */
static void clear_fences(int fd)
{
	struct rblkt_ioc_host_fence fence = { .flags = RBLKT_FENCE_DOWN };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		fence.size = sizeof(fence);
		memset(fence.host.uuid, 0xf0 + i, sizeof(fence.host.uuid));
		if (ioctl(fd, RBLKT_IOC_HOST_FENCE, &fence) && errno != ENOENT)
			report_die("fence in the end: %s", fence.error.text);
	}
}

/* A key of ours would be the machine's for whoever comes next. */
static void clear_key(int fd, unsigned long cmd)
{
	struct rblk_ioc_key_set none = { .size = sizeof(none) };
	struct rblk_ioc_key_show show = { .size = sizeof(show) };
	unsigned long look = cmd == RBLK_IOC_KEY_SET ? RBLK_IOC_KEY_SHOW :
						       RBLKT_IOC_KEY_SHOW;
	unsigned int i;

	if (ioctl(fd, cmd, &none) || ioctl(fd, look, &show) || show.nr_psks)
		report_die("the key stays: %s", none.error.text);
	for (i = 0; i < sizeof(show.public_key); i++)
		if (show.public_key[i])
			report_die("there is a key in the end");
}

static void clear_all(void)
{
	int fd = open(path, O_RDWR);

	if (fd < 0)
		report_die("can't open %s: %s", path, strerror(errno));
	if (verbs == control_verbs) {
		clear_control(fd);
		clear_key(fd, RBLK_IOC_KEY_SET);
	} else {
		clear_fences(fd);
		clear_exports(fd);
		clear_portals(fd);
		clear_key(fd, RBLKT_IOC_KEY_SET);
	}
	close(fd);
}

static void print_row(const char *name, const unsigned long *outcome)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < MOST_ERRNO; i++)
		sum += outcome[i];
	printf("ioctl %s: %lu calls", name, sum);
	for (i = 0; i < MOST_ERRNO; i++)
		if (outcome[i])
			printf(", %s %lu", i ? strerrorname_np(i) ?: "?" : "ok",
			       outcome[i]);
	printf("\n");
}

/* Every command has succeeded, and been refused in every way it can be. */
static const char *judge(unsigned int v)
{
	const unsigned long *outcome = tally->outcome[v];

	if (!outcome[0])
		return "it never succeeded";
	if (!outcome[EINVAL])
		return "never EINVAL";
	if (!outcome[EFAULT])
		return "never EFAULT";
	if (!outcome[EPERM])
		return "never EPERM";
	if (outcome[ENOTTY])
		return "ENOTTY for a command that there is";
	if (tally->ill[v])
		return report_why("%lu errors without a stage or words", tally->ill[v]);
	return NULL;
}

static void judge_all(const char *side)
{
	unsigned long *strange = tally->outcome[MOST_VERBS];
	char name[64];
	unsigned int v;

	for (v = 0; v < nr_verbs; v++) {
		snprintf(name, sizeof(name), "%s.%s", side, verbs[v].name);
		print_row(name, tally->outcome[v]);
		report_case(name, judge(v));
	}
	snprintf(name, sizeof(name), "%s.unknown", side);
	print_row(name, strange);
	report_case(name, strange[0] ? "a command that there is not succeeded" :
		    !strange[ENOTTY] ? "never ENOTTY" : NULL);
}

/* Whoever is in one call for too long is stuck; so says the ABI. */
static bool is_stuck(void)
{
	time_t now = time(NULL);
	unsigned int i;

	for (i = 0; i < WORKERS; i++)
		if (tally->since[i] && now - tally->since[i] > PATIENCE)
			return true;
	return false;
}

static void run_all(uint64_t seed)
{
	unsigned int left = WORKERS, i;
	int status;
	pid_t pid;

	deadline = time(NULL) + seconds;
	latest = deadline + 3 * seconds;
	fflush(stdout);
	for (i = 0; i < WORKERS; i++) {
		pid = fork();
		if (!pid)
			work(i, seed);
		if (pid < 0)
			report_die("can't fork");
	}
	while (left) {
		pid = waitpid(-1, &status, WNOHANG);
		if (!pid && is_stuck())
			report_die("a call takes more than %d s", PATIENCE);
		if (!pid)
			usleep(50000);
		if (pid <= 0)
			continue;
		left--;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			report_die("a worker died: status 0x%x", status);
	}
}

static void arguments(int argc, char **argv)
{
	bool control = !strcmp(argv[0], "control");
	int i;

	path = control ? RBLK_CONTROL_PATH : RBLK_TARGET_PATH;
	verbs = control ? control_verbs : target_verbs;
	nr_verbs = control ? nr_control_verbs : nr_target_verbs;
	make_portal.family = AF_INET;
	make_portal.port = htons(atoi(argv[2]));
	if (inet_pton(AF_INET, argv[1], make_portal.addr) != 1)
		report_die("'%s' is no IPv4 address", argv[1]);
	for (i = 3; i < argc && make_nr_disks < MOST_DISKS; i++)
		make_disk[make_nr_disks++] = argv[i];
}

int main(int argc, char **argv)
{
	uint64_t seed = time(NULL);
	int opt;

	while ((opt = getopt(argc, argv, "s:t:")) != -1) {
		if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 't')
			seconds = atoi(optarg);
		else
			return 2;
	}
	if (argc - optind < 4)
		report_die("usage: %s [-s SEED] [-t SECONDS] control|target ADDRESS PORT DISK...",
			   argv[0]);
	arguments(argc - optind, argv + optind);
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		report_die("no memory");
	printf("seed %llu, %u s, %s\n", (unsigned long long)seed, seconds,
	       race_compat() ? "32-bit calls too" : "no 32-bit calls here");
	run_all(seed);
	clear_all();
	judge_all(argv[optind]);
	cases_judge(path, verbs == control_verbs);
	return report_end();
}
