// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals that ask the tool to end. No other file has a handler.
 *
 * A signal is noted, and ends the wait that it meets. Every wait then looks at
 * interrupt_pending() and gives up, so that each verb can undo what it has begun
 * and say so. At its end the tool dies by the signal, as its caller expects.
 *
 * A signal may come between the look and the wait. So the first one is followed
 * by SIGALRM, once a second, which the wait meets then.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "request/request.h"
#include "system/change.h"
#include "system/interrupt.h"
#include "system/program.h"

static atomic_int caught;		/* the first one */
static atomic_bool unread;		/* nobody reads what we write */
static bool deferred;
static sigset_t before;			/* what the caller blocks */

struct rblk *rblk;

static void on_signal(int signal)
{
	if (signal == SIGPIPE) {
		unread = true;
		return;
	}
	if (!caught)
		caught = signal;
	alarm(1);
}

/*
 * All signals that end a program, but for three kinds:
 * - SIGKILL, which nobody can catch;
 * - those that say that this program is broken, as it must not go on then;
 * - those that the caller ignores, as nohup(1) does with SIGHUP.
 * Those that stop a program, or do nothing, don't end it either.
 */
static bool ends_us(int signal)
{
	struct sigaction now;

	switch (signal) {
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGSEGV:
	case SIGSYS:
	case SIGTRAP:
		return false;
	case SIGKILL:
	case SIGSTOP:
	case SIGCHLD:
	case SIGCONT:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGURG:
	case SIGWINCH:
		return false;
	}
	return !sigaction(signal, NULL, &now) && now.sa_handler != SIG_IGN;
}

static bool rblk_interrupted(void *unused)
{
	(void)unused;
	return interrupt_pending();
}

/**
 * interrupt_begin() - from here on signals don't end the tool at once
 *
 * To be called once, before anything else.
 */
void interrupt_begin(void)
{
	/* No SA_RESTART: a wait must end. */
	struct sigaction action = { .sa_handler = on_signal }, usual = { .sa_handler = SIG_DFL };
	int signal;

	caught = 0;
	unread = false;
	deferred = false;
	if (!rblk)
		rblk = rblk_new();
	if (rblk)
		rblk_set_interrupt(rblk, rblk_interrupted, NULL);
	sigemptyset(&action.sa_mask);
	/* Where the caller ignores it, children go before anybody has asked for them. */
	sigaction(SIGCHLD, &usual, NULL);
	for (signal = 1; signal <= SIGRTMAX; signal++)
		if (ends_us(signal))
			sigaction(signal, &action, NULL);
}

/**
 * interrupt_pending() - whether to begin nothing any more
 *
 * Return: the signal that says so, or 0.
 */
int interrupt_pending(void)
{
	return deferred ? 0 : caught;
}

/**
 * interrupt_defer() - from here on nothing is interrupted
 *
 * For the way back, which is short, as every command ends by itself.
 */
void interrupt_defer(void)
{
	sigset_t all;

	deferred = true;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
}

/**
 * interrupt_heed() - undo interrupt_defer()
 */
void interrupt_heed(void)
{
	deferred = false;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/**
 * interrupt_end() - end by the signal that interrupted us
 * @status: of the verb
 *
 * A verb that is done nevertheless has its own status. So has one that left
 * something half done: its caller has to know that.
 *
 * Return: @status, where there was no signal or where it does not count.
 */
int interrupt_end(int status)
{
	if (caught && status == EXIT_FAILED)
		system_die(caught);
	return status;
}

/**
 * interrupt_written() - the result could not be written: end as it is usual then
 *
 * Return: EXIT_FAILED, where there still is somebody who reads.
 */
int interrupt_written(void)
{
	int error = errno;

	if (caught)
		system_die(caught);
	if (unread)
		system_die(SIGPIPE);
	fprintf(stderr, "rblkctl: writing the result: %s\n", strerror(error));
	return EXIT_FAILED;
}
