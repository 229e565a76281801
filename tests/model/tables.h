/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The five transition tables as the models know them: every change of state in
 * a model is asserted to be one of these.  Both Promela and C read this file:
 * tables.c compares it, pair of states by pair of states, with driver/proto/state.c
 * and target/proto/state.c, and fails when either side is changed alone.
 *
 * A row is X(a, b, FROM, TO); @a and @b are the user's.
 */
#define SESS_TABLE(X, a, b)						\
	X(a, b, NEW, CONNECTING)					\
	X(a, b, NEW, DELETING)						\
	X(a, b, CONNECTING, LIVE)					\
	X(a, b, CONNECTING, RECOVERING)					\
	X(a, b, CONNECTING, DELETING)					\
	X(a, b, LIVE, RECOVERING)					\
	X(a, b, LIVE, DELETING)						\
	X(a, b, RECOVERING, CONNECTING)					\
	X(a, b, RECOVERING, DELETING)

#define VOL_TABLE(X, a, b)						\
	X(a, b, NEW, LIVE)						\
	X(a, b, NEW, DELETING)						\
	X(a, b, LIVE, WAITING)						\
	X(a, b, LIVE, DELETING)						\
	X(a, b, WAITING, LIVE)						\
	X(a, b, WAITING, FAILED)					\
	X(a, b, WAITING, DELETING)					\
	X(a, b, FAILED, LIVE)						\
	X(a, b, FAILED, DELETING)

#define CONN_TABLE(X, a, b)						\
	X(a, b, IDLE, RESOLVING)					\
	X(a, b, IDLE, CLOSED)						\
	X(a, b, RESOLVING, CONNECTING)					\
	X(a, b, RESOLVING, LOST)					\
	X(a, b, RESOLVING, CLOSED)					\
	X(a, b, CONNECTING, BINDING)					\
	X(a, b, CONNECTING, LOST)					\
	X(a, b, CONNECTING, CLOSED)					\
	X(a, b, BINDING, READY)						\
	X(a, b, BINDING, LOST)						\
	X(a, b, BINDING, CLOSED)					\
	X(a, b, READY, LOST)						\
	X(a, b, READY, CLOSED)						\
	X(a, b, LOST, CLOSED)

/* The target's: of a session, which is one epoch, and of a connection. */
#define TSESS_TABLE(X, a, b)						\
	X(a, b, NEW, CONNECTING)					\
	X(a, b, NEW, DELETING)						\
	X(a, b, CONNECTING, LIVE)					\
	X(a, b, CONNECTING, DELETING)					\
	X(a, b, LIVE, DELETING)

#define TCONN_TABLE(X, a, b)						\
	X(a, b, NEW, OPEN)						\
	X(a, b, NEW, CLOSING)						\
	X(a, b, OPEN, LIVE)						\
	X(a, b, OPEN, CLOSING)						\
	X(a, b, LIVE, CLOSING)						\
	X(a, b, CLOSING, DEAD)
