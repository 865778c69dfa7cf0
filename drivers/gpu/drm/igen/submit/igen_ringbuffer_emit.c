// SPDX-License-Identifier: MIT
/**
 * DOC: What the driver writes into an engine's ring
 *
 * Requests are built in the rings of their contexts, which are plain memory, and copied from there when they are given
 * to the engine. An entry of the engine's ring lies in one piece::
 *
 *	| may be    | registers of    | page directory, | serial, | request, as in the | clock |
 *	| preempted | EUs are cleared | context         | clock   | context's ring     |       |
 *	  if it can   for another       if they change
 *	              client
 *
 * Registers of execution units and shared local memory are cleared in a context of the driver's, the rest: the engine
 * saves the context that it has before, and loads the next one afterwards. So the commands that clear change no
 * client's state. What no image holds is put back there as well. The blitter has no images, and puts it back behind
 * each change of the context. Whether a context's image has the registers that divide the L3 is in no manual at hand
 * (Mesa takes them for the context's). So these registers are stored in front of the commands that clear and loaded
 * again behind them, which is right in both cases.
 * The entry cannot be preempted behind its first command and in front of the request, so everything is cleared and the
 * L3 is divided as before or, if the engine skips the entry, nothing is done.
 *
 * No command names its own place in the ring, so requests can be copied. The serial is stored to memory once the
 * context is loaded: then the engine has saved the context before, too.
 */
#include <igen/cmd/mi.h>
#include <igen/regs/engine.h>

#include "igen_ringbuffer.h"

/* Dwords that emit_check() writes, and emit_time() in front of a request and behind it. */
#define CHECK_DW	2
#define TIMES_DW	6

/* Where the entry's dwords go; NULL without room for them. Pads up to the ring's end if need be. */
static u32 *emit_begin(struct igen_ringbuffer *rb, u32 dwords)
{
	struct igen_ring *ring = &rb->engine->ring;
	u32 bytes = dwords * sizeof(u32), need = igen_ring_bytes_with_wrap(ring, bytes);

	if (igen_ring_free(ring) < need)
		return NULL;
	if (need != bytes)
		igen_ring_wrap(ring);
	return ring->vaddr + ring->tail;
}

static void emit_end(struct igen_ringbuffer *rb, const u32 *cs, struct igen_ring_entry *entry)
{
	struct igen_ring *ring = &rb->engine->ring;

	ring->tail = igen_ring_offset(ring, (void *)cs - ring->vaddr);
	entry->end = ring->tail;
	entry->serial = rb->serial;
}

static u32 emit_offset(const struct igen_ringbuffer *rb, const u32 *cs)
{
	return (const void *)cs - rb->engine->ring.vaddr;
}

/* A place where the engine may be preempted, if it can be. */
static u32 *emit_check(struct igen_ringbuffer *rb, u32 *cs, struct igen_ring_entry *entry)
{
	entry->check = IGEN_RING_NOWHERE;
	entry->check_again = IGEN_RING_NOWHERE;
	if (!rb->ops->preempt)
		return cs;
	*cs++ = MI_ARB_CHECK;
	entry->check = emit_offset(rb, cs);
	*cs++ = MI_NOOP;
	return cs;
}

/* A part of the context's ring. */
static u32 *emit_copy(const struct igen_ring *from, u32 begin, u32 end, u32 *cs)
{
	u32 bytes = igen_ring_offset(from, end - begin);

	memcpy(cs, from->vaddr + begin, bytes);
	return cs + bytes / sizeof(u32);
}

/* The client that a request's threads are of; 0: it has none. */
static u64 emit_owner(const struct igen_request *rq)
{
	return rq->client ? rq->client->id : 0;
}

/* Threads of another client may have left something. The driver's own requests have no threads. */
static bool emit_must_clear(const struct igen_ringbuffer *rb, const struct igen_request *rq)
{
	return rb->engine->eu_clear && emit_owner(rq) && emit_owner(rq) != rb->owner && igen_eu_clear_is_on();
}

static u32 *emit_clear(struct igen_ringbuffer *rb, u32 *cs)
{
	u32 told = lower_32_bits(igen_vma_start(rb->page));
	const struct igen_switch_ops *ops = rb->ops;
	struct igen_engine *engine = rb->engine;
	const struct igen_vma *page = engine->eu_clear;

	page->vm->ops->load(page->vm);
	cs = ops->context(cs, lower_32_bits(igen_vma_start(rb->rest)), true);
	cs = ops->divide_l3(engine, cs, told);
	cs = ops->mm(engine, cs, lower_32_bits(page->vm->pd_dma));
	/* What a client has left does not keep the commands that clear from it, either. */
	cs = ops->clean(engine, cs);
	cs = ops->jump(cs, igen_vma_start(page) + IGEN_EU_CLEAR_START);
	return ops->restore_l3(engine, cs, told);
}

static u32 emit_clear_dw(const struct igen_switch_ops *ops)
{
	return ops->context_dw + ops->divide_l3_dw + ops->mm_dw + ops->clean_dw + ops->jump_dw + ops->restore_l3_dw;
}

/* The request; or, if it was preempted within its batch, what is left of it. */
static u32 *emit_request(struct igen_ringbuffer *rb, const struct igen_request *rq, u32 *cs,
			 struct igen_ring_entry *entry)
{
	const struct igen_ring *from = &rq->lrc->ring;

	if (!igen_request_is_preempted(rq)) {
		entry->batch = emit_offset(rb, cs) + igen_ring_offset(from, rq->postfix - rq->head);
		return emit_copy(from, rq->head, rq->tail, cs);
	}
	entry->check_again = emit_offset(rb, cs + IGEN_RESUME_CHECK_DW);
	cs = rb->ops->resume(cs, to_lrc_ringbuffer(rq->lrc)->resume, rq->privileged);
	entry->batch = emit_offset(rb, cs);
	return emit_copy(from, rq->postfix, rq->tail, cs);
}

/* Has the engine store its clock, if it has one: when it begins the entry, or ends it. */
static u32 *emit_time(struct igen_ringbuffer *rb, u32 *cs, u32 serial, u32 offset)
{
	u32 n = serial % IGEN_RING_TIMES;

	if (!rb->engine->info->timed)
		return cs;
	*cs++ = GEN7_MI_STORE_REGISTER_MEM | MI_MEM_GGTT;
	*cs++ = RING_TIMESTAMP(rb->engine->info->base);
	*cs++ = lower_32_bits(igen_vma_start(rb->page)) + offsetof(struct igen_ring_page, time) +
		n * sizeof(struct igen_ring_time) + offset;
	return cs;
}

static u32 *emit_serial(struct igen_ringbuffer *rb, u32 *cs)
{
	return rb->ops->mark(cs, lower_32_bits(igen_vma_start(rb->page)), ++rb->serial);
}

/* The context that the ring has had so far will have been saved when the engine comes to this serial. */
static void emit_note_left(struct igen_ringbuffer *rb, struct igen_lrc *next)
{
	if (rb->lrc && rb->lrc != next)
		to_lrc_ringbuffer(rb->lrc)->left_serial = rb->serial;
	rb->lrc = next;
}

/**
 * igen_ringbuffer_emit_request - copy a request into its engine's ring
 * @rb: the backend
 * @rq: the request
 * @entry: set to the place
 *
 * Return: false when there is no room.
 * Context: group->lock held.
 */
bool igen_ringbuffer_emit_request(struct igen_ringbuffer *rb, struct igen_request *rq, struct igen_ring_entry *entry)
{
	const struct igen_switch_ops *ops = rb->ops;
	struct igen_engine *engine = rb->engine;
	struct igen_lrc *lrc = rq->lrc;
	u32 bytes = igen_ring_offset(&lrc->ring, rq->tail - rq->head);
	u32 generation = lrc->vm->ops->load(lrc->vm);
	bool clears = emit_must_clear(rb, rq), changes = clears || rb->lrc != lrc;
	bool cleans = changes && ops->clean && !ops->context;
	u32 clear_dw = clears ? emit_clear_dw(ops) : 0;
	u32 *cs;

	/* A request never wraps, but may end at the end of its ring. */
	cs = emit_begin(rb, CHECK_DW + clear_dw + ops->mm_dw + (cleans ? ops->clean_dw : 0) + ops->context_dw +
			ops->mark_dw + ops->resume_dw + TIMES_DW + bytes / sizeof(u32));
	if (!cs)
		return false;
	cs = emit_check(rb, cs, entry);
	if (clears)
		cs = emit_clear(rb, cs);
	if (changes || rb->generation != generation)
		cs = ops->mm(engine, cs, lower_32_bits(lrc->vm->pd_dma));
	if (cleans)
		cs = ops->clean(engine, cs);
	if (changes && ops->context)
		cs = ops->context(cs, lower_32_bits(igen_vma_start(lrc->image.vma)), !engine->default_state);
	cs = emit_serial(rb, cs);
	/* As many entries ago as there are places, the engine was through with this one. */
	WRITE_ONCE(rb->told->time[rb->serial % IGEN_RING_TIMES].end, 0);
	cs = emit_time(rb, cs, rb->serial, offsetof(struct igen_ring_time, begin));
	cs = emit_request(rb, rq, cs, entry);
	emit_end(rb, emit_time(rb, cs, rb->serial, offsetof(struct igen_ring_time, end)), entry);

	entry->owner = rb->owner;
	if (emit_owner(rq))
		rb->owner = emit_owner(rq);
	emit_note_left(rb, lrc);
	to_lrc_ringbuffer(lrc)->given = true;
	rb->generation = generation;
	return true;
}

/**
 * igen_ringbuffer_emit_rest - have the engine save its context, and have none
 * @rb: the backend of an engine with images
 * @entry: set to the place
 *
 * The engine interrupts when it has.
 *
 * Return: false when there is no room.
 * Context: group->lock held.
 */
bool igen_ringbuffer_emit_rest(struct igen_ringbuffer *rb, struct igen_ring_entry *entry)
{
	const struct igen_switch_ops *ops = rb->ops;
	u32 *cs;

	cs = emit_begin(rb, ops->context_dw + ops->mark_dw + 2);
	if (!cs)
		return false;
	cs = ops->context(cs, lower_32_bits(igen_vma_start(rb->rest)), true);
	cs = emit_serial(rb, cs);
	*cs++ = MI_USER_INTERRUPT;
	*cs++ = MI_NOOP;
	emit_end(rb, cs, entry);
	emit_note_left(rb, NULL);
	return true;
}

/**
 * igen_ringbuffer_emit_arrival - write the place where the engine goes on when it is preempted
 * @rb: the backend of an engine that can be
 * @entry: set to the place
 * @place: set to the ring offset
 *
 * Return: false when there is no room.
 * Context: group->lock held.
 */
bool igen_ringbuffer_emit_arrival(struct igen_ringbuffer *rb, struct igen_ring_entry *entry, u32 *place)
{
	u32 *cs = emit_begin(rb, rb->ops->arrive_dw);
	unsigned int n;

	if (!cs)
		return false;
	*place = emit_offset(rb, cs);
	cs = rb->ops->arrive(rb->engine, cs, lower_32_bits(igen_vma_start(rb->page)), ++rb->serial);
	emit_end(rb, cs, entry);
	entry->arrival = true;
	/* The engine comes here from any of the entries, or from in front of the first. */
	for (n = 0; n < rb->count; n++)
		if (rb->entry[n].rq && rb->entry[n].owner != rb->owner)
			rb->owner = 0;
	return true;
}

/**
 * igen_ringbuffer_write_tail - have the engine go on up to what was written last
 * @rb: the backend; the device is awake
 *
 * Context: group->lock held.
 */
void igen_ringbuffer_write_tail(struct igen_ringbuffer *rb)
{
	/* Commands, images and page tables are in memory before the engine reads them. */
	wmb();
	rb->ops->tail(rb->engine, rb->engine->ring.tail);
}
