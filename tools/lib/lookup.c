// SPDX-License-Identifier: GPL-2.0-only
/*
 * getaddrinfo() goes on after a signal, for as long as the name servers take. So
 * it has a thread of its own, which is left alone when a signal comes.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/control.h"
#include "lib/lookup.h"

/**
 * struct look - a name being looked up
 * @users: who asks, and the thread; the last one frees it
 * @done: @error and @list are there
 * @host: the name
 * @hints: for getaddrinfo()
 * @error: of getaddrinfo()
 * @list: likewise; whoever frees this structure frees it
 */
struct look {
	atomic_int users;
	sem_t done;
	char *host;
	struct addrinfo hints;
	int error;
	struct addrinfo *list;
};

static void put(struct look *look)
{
	if (atomic_fetch_sub(&look->users, 1) > 1)
		return;
	if (look->list)
		freeaddrinfo(look->list);
	sem_destroy(&look->done);
	free(look->host);
	free(look);
}

static void *look_up(void *arg)
{
	struct look *look = arg;

	look->error = getaddrinfo(look->host, NULL, &look->hints, &look->list);
	sem_post(&look->done);
	put(look);
	return NULL;
}

static struct look *new_look(const char *host, const struct addrinfo *hints)
{
	struct look *look = calloc(1, sizeof(*look));

	if (!look)
		return NULL;
	look->host = strdup(host);
	if (!look->host) {
		free(look);
		return NULL;
	}
	atomic_init(&look->users, 2);
	sem_init(&look->done, 0, 0);
	look->hints = *hints;
	return look;
}

/* Signals are for the thread that waits. */
static int start(struct look *look)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, look_up, look);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_detach(thread);
	return err;
}

/**
 * lookup() - getaddrinfo(), which a signal may end
 * @rblk: the caller, or NULL
 * @host: a name or an address
 * @hints: what is wanted
 * @list: the result, for freeaddrinfo()
 *
 * Return: as getaddrinfo(); EAI_INTR when a signal came.
 */
int lookup(const struct rblk *rblk, const char *host, const struct addrinfo *hints,
	   struct addrinfo **list)
{
	struct look *look;
	int err;

	/* Nobody is asked about an address, so it takes no time. */
	if (hints->ai_flags & AI_NUMERICHOST)
		return getaddrinfo(host, NULL, hints, list);
	look = new_look(host, hints);
	if (!look)
		return EAI_MEMORY;
	if (start(look)) {
		put(look);
		put(look);
		return EAI_MEMORY;
	}
	do {
		err = sem_wait(&look->done);
	} while (err && control_goes_on(rblk));
	if (err || control_gives_up(rblk)) {
		put(look);
		return EAI_INTR;
	}
	err = look->error;
	*list = look->list;
	look->list = NULL;
	put(look);
	return err;
}
