// SPDX-License-Identifier: MIT
/**
 * DOC: Barriers, fences and the end of a thread
 *
 * A thread that reaches a barrier tells the message gateway, goes on, and waits for its notification register. When all
 * threads of the group have come, the gateway notifies each (IVB Vol 2 Part 2, 1.3.3; DG1 Vol 2a, "MSD_BARRIER"). The
 * barrier is the group's: the number in the payload is that of its r0, and is not looked at.
 *
 * A fence has nothing to wait for, since each message is complete before the next one. The thread spawner ends a thread
 * and can start others, which is not done.
 */
#include <string.h>

#include "shared/shared.h"

enum eu_reply message_barrier(struct send *s)
{
	struct thread_group *g = s->group;

	if (!g->barrier_threads)
		return send_bad(s, "a barrier of a thread group that has none");
	if (++g->arrived < g->barrier_threads)
		return EU_DONE;
	g->arrived = 0;
	for (unsigned int i = 0; i < g->num_threads; i++)
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

enum eu_reply message_end_thread(struct send *s)
{
	return s->msg->eot ? EU_DONE : send_bad(s, "a message to the thread spawner that does not end the thread");
}
