/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the target decides under its mutex: logins, attachments, ends.  Part of
 * fence.pml, whose variables it uses.
 */
inline set_ts(k, to)
{
	assert(MAY_TSESS(ts[k], to));
	ts[k] = to
}

inline set_tc(conn, to)
{
	assert(MAY_TCONN(conn, to));
	conn = to
}

/*
 * rblkt_sess_kill().  A handler that had begun before goes on until the queue
 * pair is drained, so messages are handled while CLOSING too.
 */
inline kill(k)
{
	if
	:: ts[k] && ts[k] != S_DELETING ->
		set_ts(k, S_DELETING);
		if
		:: tctl[k] < T_CLOSING -> set_tc(tctl[k], T_CLOSING)
		:: else
		fi;
		if
		:: tio[k] && tio[k] < T_CLOSING -> set_tc(tio[k], T_CLOSING)
		:: else
		fi;
		if
		:: att[k] == A_HELD ->
			att[k] = A_KILLED;
			withdraw(k)
		:: else
		fi
	:: else
	fi
}

/* A host that has given the epoch up hears nothing of it. */
inline answer(k, verdict)
{
	if
	:: tctl[k] == T_LIVE && at[HOST(k)] == k + 1 && !ended[HOST(k)] ->
		ctl_dn[k] ! verdict
	:: else
	fi
}

/* att_arbitrate(): into @verdict; what has ended is no longer on the list. */
inline arbitrate(k, verdict)
{
	verdict = OK;
	j = 0;
	do
	:: j < NR ->
		if
#ifdef PATHS
		:: j == k && FENCED(j) -> verdict = AGAIN
		:: j == k && !FENCED(j)
#else
		:: j == k
#endif
		:: j != k && FENCED(j) && IN_THE_WAY(j, k) ->
			if
			:: verdict == OK -> verdict = AGAIN
			:: else
			fi
#ifdef NO_SUCCESSION
		:: j != k && att[j] == A_HELD && HOST(j) != HOST(k) ->
#elif defined(PATHS) && !defined(COMPETE)
		:: j != k && att[j] == A_HELD && HOST(j) == HOST(k) ->
#else
		:: j != k && att[j] == A_HELD ->
#endif
			verdict = BUSY
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = 0
}

/* rblkt_epoch_login(): @old is an older epoch of the same host, if any. */
inline login(k, verdict)
{
	verdict = OK;
	j = FIRST(HOST(k));
	do
	:: j <= LAST(HOST(k)) ->
		if
		:: j > k && ts[j] == S_LIVE -> verdict = REFUSED
		:: else
		fi;
		j++
	:: else -> break
	od;
	if
	:: ts[k] != S_CONNECTING -> verdict = REFUSED
	:: else
	fi;
#ifdef FIRST_WINS
	j = FIRST(HOST(k));
	do
	:: j < k ->
		if
		:: ts[j] == S_LIVE -> verdict = REFUSED
		:: else
		fi;
		j++
	:: else -> break
	od;
#endif
	if
	:: verdict == OK ->
		j = FIRST(HOST(k));
		do
		:: j < k ->
#ifndef NO_SUCCESSION
			if
			:: ts[j] == S_LIVE -> kill(j)
			:: else
			fi;
#endif
			j++
		:: else -> break
		od;
		set_ts(k, S_LIVE);
		if
		:: tctl[k] == T_OPEN -> set_tc(tctl[k], T_LIVE)
		:: else
		fi
	:: else
	fi;
	j = 0
}

/* Would the target grant @k the export now?  To ask again before is idle. */
#if defined(PATHS) && !defined(COMPETE)
#define CLEAR(j, k)	(att[j] != A_HELD && (!FENCED(j) || !IN_THE_WAY(j, k)) || \
			 att[j] == A_HELD && HOST(j) != HOST(k))
#else
#define CLEAR(j, k)	(j == k || att[j] == A_NONE || att[j] == A_DRAINED || \
			 (FENCED(j) && !IN_THE_WAY(j, k)))
#endif
#if NR == 3
#define GRANTABLE(k)	(CLEAR(0, k) && CLEAR(1, k) && CLEAR(2, k))
#elif NR == 4
#define GRANTABLE(k)	(CLEAR(0, k) && CLEAR(1, k) && CLEAR(2, k) && CLEAR(3, k))
#else
#error "GRANTABLE() knows 3 or 4 epochs"
#endif
