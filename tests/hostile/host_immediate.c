// SPDX-License-Identifier: GPL-2.0-only
/*
 * An immediate has no MAC. So on a connection with keys no read may be answered by one,
 * whatever its host asks for.
 */
#include "host.h"

/* A read that asks for an immediate as its answer: a message, or the end. */
static const char *asked(unsigned int features)
{
	struct rblk_wire_cmd *cmd;
	const char *why = NULL;
	struct verbs *v;
	struct sess s;
	size_t len = 0;

	if (sess_open_with(&s, features)) {
		sess_close(&s);
		return "can't begin";
	}
	v = s.io[1];
	watch_begin();
	cmd = sess_fill(&s, v, RBLK_OP_READ);
	cmd->flags = htole16(RBLK_CMDF_IMM);
	if (keyed_send(v, message_len(v->out)))
		why = "can't send";
	else if (verbs_receive(v, 1000, &len) && v->wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		why = "it is answered by an immediate";
	else if (!verbs_gone(v, 1000) && !len)
		why = "neither an answer nor an end";
	sess_close(&s);
	/* A message with a MAC is as good an answer. */
	if (!why && !len)
		why = watch_violation();
	return witness_well(why);
}

/**
 * immediate_cases - run them beside the session of another host with a key
 */
void immediate_cases(void)
{
	if (!host_keyed)
		report_die("wants keys (-t and -k)");
	witness_open(host_other);
	report_case("immediate-asked", asked(RBLK_FEAT_READ_IMM));
	report_case("immediate-unasked", asked(0));
	witness_close();
}
