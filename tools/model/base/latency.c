// SPDX-License-Identifier: MIT
/**
 * DOC: Acknowledgments that take time
 *
 * On silicon a forcewake request, a reset, a TLB invalidation, a mailbox command and the preparation of a reset take
 * some microseconds, and the driver polls until the hardware says that they are done. Without latency the model does
 * each within the write, and a driver that does not wait passes. With the setting "latency_us" the write only puts an
 * event into a queue. All take equally long, so the queue is in the order in which they are due.
 *
 * Events happen at the CPU's next access to a register: there is no timer. An access that polls sees them in time. What
 * the CPU does not ask for may come later than it is due, which silicon does not rule out either.
 */
#include "base/base.h"

static void happen_first(struct gpu *gpu)
{
	struct events *q = &gpu->events;
	const struct event e = q->event[q->first++ % EVENTS];

	e.happen(gpu, e.opaque, e.arg);
}

/**
 * event_after_latency() - has something happen when the latency is over
 * @gpu: the device, whose lock is held
 * @happen: what; called with the lock held
 * @opaque: for @happen
 * @arg: for @happen
 *
 * A guest that starts more at a time than the queue has room for makes the oldest happen early.
 */
void event_after_latency(struct gpu *gpu, void (*happen)(struct gpu *gpu, void *opaque, uint32_t arg),
			 void *opaque, uint32_t arg)
{
	struct events *q = &gpu->events;

	if (!gpu->config.latency_us) {
		happen(gpu, opaque, arg);
		return;
	}
	if (q->end - q->first == EVENTS)
		happen_first(gpu);
	q->event[q->end++ % EVENTS] = (struct event){
		.due_ns = now_ns() + gpu->config.latency_us * 1000ull,
		.happen = happen,
		.opaque = opaque,
		.arg = arg,
	};
}

void events_happen(struct gpu *gpu)
{
	struct events *q = &gpu->events;

	/* A reset drops the lock while it waits for engines: the queue may be another one afterwards. */
	while (q->end != q->first && q->event[q->first % EVENTS].due_ns <= now_ns())
		happen_first(gpu);
}

void events_forget(struct gpu *gpu)
{
	gpu->events.first = gpu->events.end;
}
