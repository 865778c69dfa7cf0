// SPDX-License-Identifier: MIT
/**
 * DOC: Barriers, messages to another thread, fences, and the thread spawner's messages
 *
 * A thread that reaches a barrier tells the message gateway, goes on, and waits for its notification register. When all
 * threads of the group have come, the gateway notifies each (IVB Vol 2 Part 2, 1.3.3; DG1 Vol 2a, "MSD_BARRIER"). The
 * barrier is the group's: the number in the payload is that of its r0, and is not looked at. Gen9's message may change
 * how many threads the barrier waits for, in hull shaders alone (BXT Vol 6, "Message Gateway"): a mistake here.
 *
 * A media thread opens its gateway, and others write its registers by ForwardMsg, 1 to 16 bytes at a time (IVB Vol 4
 * Part 2, 1.1.2 and 1.1.3). MEDIA_VFE_STATE can open all gateways from the start on ("Bypass Gateway Control"); Gen9's
 * has no such bit, and they are always open. A write beyond the gateway's size is dropped; its error code is that of
 * Sandy Bridge, "limit", since the later text lists none.
 *
 * A fence has nothing to wait for, since each message is complete before the next one. What a message to the thread
 * spawner does is in media/spawn.c. A thread of a walker or of a draw has nothing to start or to give back.
 */
#include <string.h>

#include "shared/shared.h"

#define SFID_GATEWAY	3u
#define ACK_REQUEST	(1u << 14)	/* of the descriptor */
#define COUNT_ENABLE	(1u << 15)	/* of a barrier's third dword */

enum gateway_error {
	GATEWAY_OK = 0, GATEWAY_CLOSED = 2, GATEWAY_LIMIT = 4, GATEWAY_SIZE = 6,
};

enum eu_reply message_barrier(struct send *s)
{
	struct thread_group *g = s->group;

	if (!g->barrier_threads)
		return send_bad(s, "a barrier of a thread group that has none");
	if (s->shared->platform->barrier_counts && send_dword(s, 8) & COUNT_ENABLE)
		return send_bad(s, "a barrier message that changes the number of threads");
	if (++g->arrived < g->barrier_threads)
		return EU_DONE;
	g->arrived = 0;
	/* Groups of media threads share a half-slice, so some of these threads may be another one's. */
	for (unsigned int i = 0; i < g->num_threads; i++)
		if (g->thread[i].group == g)
			g->thread[i].n[0] = 1;
	return EU_DONE;
}

enum eu_reply message_fence(struct send *s)
{
	uint8_t commit[EU_GRF_BYTES] = { 0 };

	if (send_field(s, ISA_MSG_F_COMMIT))
		send_respond(s, 0, commit, sizeof(commit));
	return EU_DONE;
}

/* Only the first dword of the register is written. */
static enum eu_reply acknowledge(struct send *s, enum gateway_error error)
{
	uint32_t ack = SFID_GATEWAY << 16 | error;

	if (s->msg->desc & ACK_REQUEST)
		send_respond(s, 0, &ack, sizeof(ack));
	return EU_DONE;
}

enum eu_reply message_open_gateway(struct send *s)
{
	uint32_t code = send_dword(s, 20) >> 8 & 7;

	if (send_lacks(s, EU_GRF_BYTES))
		return send_bad(s, "a gateway message without its register");
	if (code > 5)
		return send_bad(s, "a gateway of a reserved size");
	s->group->gateway = (struct gateway){
		.open = !s->msg->eot, .base = (uint8_t)(send_dword(s, 20) >> 21 & 127), .size = (uint8_t)(1u << code),
	};
	return acknowledge(s, GATEWAY_OK);
}

enum eu_reply message_close_gateway(struct send *s)
{
	s->group->gateway.open = false;
	return acknowledge(s, GATEWAY_OK);
}

/* Writes a part of the payload to the recipient's register. */
static enum eu_reply forward(struct send *s, struct eu_thread *to, const struct gateway *gate)
{
	static const uint8_t lengths[8] = { 1, 2, 4, 8, 16 };
	uint32_t where = send_dword(s, 20), len = lengths[where >> 8 & 7];
	uint32_t reg = gate->base + (where >> 21 & 0xff), byte = where >> 16 & 31;

	if (!len)
		return acknowledge(s, GATEWAY_SIZE);
	if (byte % len)
		return send_bad(s, "a ForwardMsg to a place that is not aligned to its length");
	if ((where >> 21 & 0xff) >= gate->size || reg >= EU_GRFS)
		return acknowledge(s, GATEWAY_LIMIT);
	if (!reg)
		return send_bad(s, "a ForwardMsg to r0");
	memcpy(to->grf[reg] + byte, s->payload, len);
	switch (send_field(s, ISA_MSG_F_NOTIFY)) {
	case 1:
		to->n[0]++;
		break;
	case 2:
		to->n[2]++;
		break;
	}
	return acknowledge(s, GATEWAY_OK);
}

enum eu_reply message_forward(struct send *s)
{
	static const struct gateway all = { true, 0, EU_GRFS };
	const struct thread_group *group;
	struct eu_thread *to;

	if (send_lacks(s, EU_GRF_BYTES))
		return send_bad(s, "a gateway message without its register");
	if (!s->shared->spawner)
		return send_bad(s, "a ForwardMsg of a thread that is not the media pipeline's");
	to = s->shared->spawner->find(s->shared->unit, send_dword(s, 16) >> 16);
	if (!to)
		return acknowledge(s, GATEWAY_CLOSED);
	group = to->group;
	if (s->shared->open_gateways)
		return forward(s, to, &all);
	return group->gateway.open ? forward(s, to, &group->gateway) : acknowledge(s, GATEWAY_CLOSED);
}

enum eu_reply message_end_thread(struct send *s)
{
	if (s->shared->spawner)
		return s->shared->spawner->message(s->shared->unit, s);
	return s->msg->eot ? EU_DONE : send_bad(s, "a message to the thread spawner that does not end the thread");
}

enum eu_reply message_spawn_thread(struct send *s)
{
	if (s->msg->eot)
		return send_bad(s, "a thread that ends with a message which starts another");
	if (send_lacks(s, EU_GRF_BYTES))
		return send_bad(s, "a message to the thread spawner without its register");
	if (s->shared->spawner)
		return s->shared->spawner->message(s->shared->unit, s);
	return send_bad(s, "a thread that starts another, and is not the media pipeline's");
}
