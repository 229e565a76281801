// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which session is meant?  LOGIN tells by its host and its UUID, which cannot be wrong
 * where the host has proved a key.  The request of an I/O connection comes before any
 * proof, and tells by UUID, epoch and address.
 */
#include "session.h"

/**
 * rblkt_sess_same - do two holders belong to the same session?
 * @a: a host's
 * @b: another
 *
 * A session is known by its host and its UUID.  The UUID alone can be overheard, and
 * names another session with each host.
 *
 * Context: Any.
 * Return: true if they do.
 */
bool rblkt_sess_same(const struct rblkt_holder *a, const struct rblkt_holder *b)
{
	return !memcmp(a->host, b->host, sizeof(a->host)) &&
	       !memcmp(a->uuid, b->uuid, sizeof(a->uuid));
}

/**
 * rblkt_sess_lookup - find the published epoch of a host's session
 * @host: who the host is
 * @uuid: the session's UUID
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: the epoch, valid while rblkt_mutex is held, or NULL.
 */
struct rblkt_sess *rblkt_sess_lookup(const u8 *host, const u8 *uuid)
{
	struct rblkt_sess *sess;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(sess, &rblkt_sessions, node)
		if (!memcmp(sess->holder.host, host, RBLK_UUID_LEN) &&
		    !memcmp(sess->holder.uuid, uuid, RBLK_UUID_LEN))
			return sess;
	return NULL;
}

/*
 * The published epoch that a request from @from names, or else another one of that
 * session, or NULL.  Nobody has proved anything yet, so two hosts at one address may
 * name the same session.  Then the MAC of BIND tells whose the connection is.
 */
static struct rblkt_sess *sess_lookup_from(u64 net, const struct rblk_ioc_addr *from,
					   const struct rblkt_req *req)
{
	struct rblkt_sess *sess, *found = NULL;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(sess, &rblkt_sessions, node) {
		if (memcmp(sess->holder.uuid, req->session, RBLK_UUID_LEN) ||
		    !rblkt_peer_same(sess->net, &sess->holder.peer, net, from))
			continue;
		found = sess;
		if (sess->epoch == req->epoch)
			break;
	}
	return found;
}

/**
 * rblkt_sess_find - find the session that an I/O connection wants to join
 * @portal: the portal it came through
 * @id: its CM id
 * @req: its request
 * @why: set on failure
 *
 * An I/O connection has to come from the same address as the control
 * connection.  Session and epoch can be overheard, and without this rule a
 * stranger could occupy a queue's place until its key is found wrong.
 *
 * The caller gets a reference and one connection reserved, as with
 * rblkt_sess_new().  While one is reserved, the session keeps its PD.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: the session, or NULL.
 */
struct rblkt_sess *rblkt_sess_find(const struct rblkt_portal *portal,
				   const struct rdma_cm_id *id,
				   const struct rblkt_req *req,
				   enum rblk_wire_reject *why)
{
	struct rblk_ioc_addr from;
	struct rblkt_sess *sess;

	*why = RBLK_REJ_NONE;
	rblkt_addr(&from, (const struct sockaddr *)&id->route.addr.dst_addr);
	mutex_lock(&rblkt_mutex);
	sess = sess_lookup_from(portal->listener.net->net_cookie, &from, req);
	if (!sess || req->epoch > sess->epoch)
		*why = RBLK_REJ_NO_SESSION;
	else if (req->epoch < sess->epoch)
		*why = RBLK_REJ_STALE_EPOCH;
	else if (req->qid > sess->nr_queues)
		*why = RBLK_REJ_LIMITS;
	else if (id->device != sess->dev)
		*why = RBLK_REJ_DEVICE;
	if (*why) {
		sess = NULL;
	} else {
		rblkt_sess_get(sess);
		sess->nr_links++;
	}
	mutex_unlock(&rblkt_mutex);
	return sess;
}
