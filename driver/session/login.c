// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs the host in at the target, binds I/O connections to the session, and
 * checks that the target still answers: LOGIN, BIND and KEEPALIVE.
 */
#include <linux/slab.h>
#include "session.h"

/* Longest interval of KEEPALIVEs, even if the target allows a longer one. */
#define MAX_KEEPALIVE_MS 5000

static int login_locked(struct rblk_sess *sess, struct rblk_wire_login *req,
			struct rblk_ioc_error *error)
{
	const struct rblk_wire_login_reply *reply = sess->call_reply;
	struct rblk_call c = {
		.type = RBLK_MSG_LOGIN, .stage = RBLK_STAGE_LOGIN,
		.name = "the login", .msg = &req->ctl, .bytes = sizeof(*req),
		.timeout_ms = RBLK_CALL_MS,
	};
	struct rblk_arrival msg = {};
	int ret;

	ret = rblk_auth_wanted(sess) ? rblk_auth_login(sess, req, &msg, error) :
				       rblk_call(sess, sess->control, &c, &msg, error);
	if (ret)
		return ret;
	ret = rblk_call_result(sess, &c, &msg,
			       rblk_proto_check_login_reply(&msg, sess->xid), error);
	if (ret)
		return ret;
	sess->key = le64_to_cpu(reply->key);
	sess->keepalive_ms = min_t(u32, le32_to_cpu(reply->keepalive_ms),
				   MAX_KEEPALIVE_MS);
	WRITE_ONCE(sess->silence_ms, 3 * le32_to_cpu(reply->keepalive_ms));
	import_uuid(&sess->target, reply->target);
	memcpy(sess->target_name, reply->target_name, sizeof(sess->target_name));
	return 0;
}

/**
 * rblk_login() - log in on the control connection
 * @sess: CONNECTING
 * @error: filled in on failure
 *
 * Context: may sleep, at most 10 s.
 * Return: 0 or a negative errno.
 */
int rblk_login(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	struct rblk_wire_login *req = kzalloc(sizeof(*req), GFP_KERNEL);
	int ret;

	if (!req)
		return rblk_fail(error, RBLK_STAGE_LOGIN, -ENOMEM, "out of memory");
	export_uuid(req->host, &sess->args.host);
	export_uuid(req->instance, &rblk_instance);
	memcpy(req->host_name, sess->args.host_name, sizeof(req->host_name));
	req->auth_method = cpu_to_le16(RBLK_AUTH_NONE);
	mutex_lock(&sess->call_lock);
	ret = login_locked(sess, req, error);
	mutex_unlock(&sess->call_lock);
	kfree_sensitive(req);
	return ret;
}

/**
 * rblk_login_bind() - bind an I/O connection to the session
 * @sess: CONNECTING; rblk_login() has succeeded
 * @conn: BINDING
 * @error: filled in on failure
 *
 * Context: may sleep, at most 5 s.
 * Return: 0 or a negative errno.
 */
int rblk_login_bind(struct rblk_sess *sess, struct rblk_conn *conn,
		    struct rblk_ioc_error *error)
{
	struct rblk_wire_bind req = { .key = cpu_to_le64(sess->key) };
	struct rblk_call c = {
		.type = RBLK_MSG_BIND, .stage = RBLK_STAGE_QUEUES,
		.name = "the binding of an I/O connection", .msg = &req.ctl,
		.bytes = sizeof(req), .timeout_ms = RBLK_CALL_MS,
	};
	struct rblk_arrival msg = {};
	int ret;

	mutex_lock(&sess->call_lock);
	if (rblk_auth_wanted(sess)) {
		rblk_sign_init(conn, sess->secret);
		rblk_sign_begin(conn);
	}
	ret = rblk_call(sess, conn, &c, &msg, error);
	if (!ret)
		ret = rblk_call_result(sess, &c, &msg,
				       rblk_proto_check_bind_reply(&msg, sess->xid,
								   &conn->grant),
				       error);
	if (!ret) {
		rblk_push_granted(conn, msg.data);
		rblk_window_granted(conn, msg.data);
	}
	mutex_unlock(&sess->call_lock);
	return ret;
}

/**
 * rblk_login_keepalive() - ask the target for a sign of life
 * @sess: nothing is sent unless it is LIVE
 *
 * If the target does not answer within 5/4 of the keepalive interval, or 5 s if
 * that is less, the session loses its connections.  Half an interval is enough if
 * I/O can go elsewhere.  keepalive_work() does not
 * ask if a message arrived in the last half interval, and looks again one
 * interval later.  So a silent target is lost in less than 3 intervals.
 *
 * Context: may sleep, at most 5 s.
 * Return: false if another call is in progress, so that this sent nothing.
 */
bool rblk_login_keepalive(struct rblk_sess *sess)
{
	u32 patience = rblk_link_spare(sess) ? sess->keepalive_ms / 2 :
					       sess->keepalive_ms / 4 * 5;
	struct rblk_wire_ctl req = {};
	struct rblk_call c = {
		.type = RBLK_MSG_KEEPALIVE, .stage = RBLK_STAGE_NONE,
		.name = "the keepalive", .msg = &req, .bytes = sizeof(req),
		.timeout_ms = min_t(u32, patience, RBLK_CALL_MS),
	};

	/* A call in progress shows just as well whether the target answers. */
	if (!mutex_trylock(&sess->call_lock))
		return false;
	if (rblk_sess_state(sess) == RBLK_SESS_LIVE)
		rblk_call_plain(sess, &c);
	mutex_unlock(&sess->call_lock);
	return true;
}
