/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * States, and what asserts that each change is one the tables allow.  Included
 * by every model.
 */
#include "tables.h"

/* Sessions, both sides; 0 is an object that does not exist yet. */
#define S_NEW		1
#define S_CONNECTING	2
#define S_LIVE		3
#define S_RECOVERING	4
#define S_DELETING	5

/* Volumes, of the initiator. */
#define V_NEW		1
#define V_LIVE		2
#define V_WAITING	3
#define V_FAILED	4
#define V_DELETING	5

/* Connections of the initiator. */
#define C_IDLE		1
#define C_RESOLVING	2
#define C_CONNECTING	3
#define C_BINDING	4
#define C_READY		5
#define C_LOST		6
#define C_CLOSED	7

/* Connections of the target. */
#define T_NEW		1
#define T_OPEN		2
#define T_LIVE		3
#define T_CLOSING	4
#define T_DEAD		5

#define S_EDGE(a, b, from, to) || ((a) == S_##from && (b) == S_##to)
#define V_EDGE(a, b, from, to) || ((a) == V_##from && (b) == V_##to)
#define C_EDGE(a, b, from, to) || ((a) == C_##from && (b) == C_##to)
#define T_EDGE(a, b, from, to) || ((a) == T_##from && (b) == T_##to)

#define MAY_SESS(a, b)	(false SESS_TABLE(S_EDGE, a, b))
#define MAY_VOL(a, b)	(false VOL_TABLE(V_EDGE, a, b))
#define MAY_CONN(a, b)	(false CONN_TABLE(C_EDGE, a, b))
#define MAY_TSESS(a, b)	(false TSESS_TABLE(S_EDGE, a, b))
#define MAY_TCONN(a, b)	(false TCONN_TABLE(T_EDGE, a, b))
