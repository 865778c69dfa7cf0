// SPDX-License-Identifier: MIT
/**
 * DOC: The pipeline's queue in a context's image
 *
 * A context that is preempted between two groups, or inside one, leaves the rest of its queue in its image. The format
 * is the model's own. A saved queue is valid only for the place in ring and batch at which the context was preempted:
 * if the driver has moved the context's head, the context begins with an empty queue.
 */
#include <string.h>

#include "cs/cs.h"

#define QUEUE_MAGIC	0x1d5a1ce3u

struct image_queue {
	uint32_t magic, n;
	uint32_t inside;			/* the first work's group has begun: the rest of it is in group */
	uint32_t reserved;
	struct draw_place draw;			/* a draw was left */
	struct media_inside group;
	uint32_t head, level;			/* where the context goes on */
	uint64_t batch;
	struct pipeline_work work[PIPELINE_DEPTH];
};

_Static_assert(sizeof(struct image_queue) <= 0x1d0 * sizeof(uint32_t), "platform/ leaves 1d0h dwords for it");

static const struct vm_ref ggtt = { .ggtt = true };

/**
 * cs_pipeline_save - saves the context's queue in its image
 * @e: the render engine
 * @state: address of the image's register state
 *
 * Return: false on a page fault.
 */
bool cs_pipeline_save(struct engine *e, uint64_t state)
{
	const struct cs *cs = &e->cs;
	struct pipeline *p = &e->pipeline;
	struct image_queue i = { 0 };

	/* An access to a register may count groups meanwhile. */
	pthread_mutex_lock(&e->gpu->lock);
	if (e->draw)
		i.draw = *draw_place(e->draw);
	if (p->n || i.draw.left) {
		i.magic = QUEUE_MAGIC;
		i.n = p->n;
		i.head = reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK;
		i.level = cs->level;
		i.batch = cs->level == CS_RING ? 0 : cs->batch[cs->level].addr;
		i.inside = p->inside;
		i.group = p->group;
	}
	for (unsigned int k = 0; k < p->n; k++)
		i.work[k] = p->work[(p->first + k) % PIPELINE_DEPTH];
	p->saved = p->n;
	p->saved_inside = p->inside;
	p->halted = false;
	p->left = false;
	p->n = 0;
	p->posts = 0;
	p->programs = false;
	p->known = false;
	p->running = 0;
	p->ended = 0;
	p->inside = false;
	p->busy = false;
	pthread_mutex_unlock(&e->gpu->lock);
	return vm_write(&e->view, &ggtt, state + e->gpu->platform->image->queue * 4, &i,
			i.n ? sizeof(i) : offsetof(struct image_queue, work));
}

static bool sound(const struct image_queue *i)
{
	if (i->magic != QUEUE_MAGIC || i->n > PIPELINE_DEPTH)
		return false;
	for (unsigned int k = 0; k < i->n; k++)
		if (i->work[k].done > i->work[k].total)
			return false;
	return true;
}

/* A list loads a context at the place where it was left; a ring's command loads it in front of any batch. */
static bool goes_on_there(struct engine *e, const struct image_queue *i)
{
	const struct cs *cs = &e->cs;

	if (!e->submission->lists)
		return true;
	return i->head == (reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK) && i->level == cs->level &&
	       (cs->level == CS_RING || i->batch == cs->batch[cs->level].addr);
}

/**
 * cs_pipeline_load - has it back, if the context goes on where it was left
 * @e: the render engine, whose parser is where the context goes on; the pipeline stands still until cs_pipeline_go()
 * @state: address of the image's register state; 0: nothing is restored
 *
 * Return: false on a page fault.
 */
bool cs_pipeline_load(struct engine *e, uint64_t state)
{
	struct image_queue i = { 0 };
	struct pipeline p = { 0 };

	if (state && !vm_read(&e->view, &ggtt, state + e->gpu->platform->image->queue * 4, &i, sizeof(i)))
		return false;
	if (e->draw)
		*draw_place(e->draw) = (struct draw_place){ 0 };
	if (sound(&i) && goes_on_there(e, &i)) {
		if (e->draw)
			*draw_place(e->draw) = i.draw;
		p.n = i.n;
		p.busy = i.n;
		memcpy(p.work, i.work, sizeof(p.work));
		for (unsigned int k = 0; k < i.n; k++)
			p.posts += !i.work[k].total;
		for (unsigned int k = 0; k < i.n && !e->media; k++)
			p.work[k].walk.executes = false;
		p.programs = cs_pipeline_has_programs(&p);
		p.inside = i.inside && i.n && i.work[0].total && p.work[0].walk.executes;
		p.group = i.group;
	}
	pthread_mutex_lock(&e->gpu->lock);
	e->pipeline = p;
	pthread_mutex_unlock(&e->gpu->lock);
	return true;
}
