// SPDX-License-Identifier: MIT
/**
 * DOC: 3DPRIMITIVE
 *
 * The command streamer executes a draw of rectangles, and waits until its last pixel is written. On silicon
 * the command streamer goes on, which a driver can tell only if it lacks a flush. The wait looks at requests of the
 * driver: a reset, STOP_RING. The draw takes no time of its own.
 *
 * A list that comes meanwhile preempts between two threads, and the place goes into the context's image. Silicon draws
 * a thousand times as fast: there a list that waits for the end of a draw does not run into a driver's timeouts.
 *
 * Its state is that of the last packets (draw_state.c, draw_read.c), and of the memory that they name, as it is now.
 *
 * A draw that asks for something that the model lacks has no effect: shaders of vertices and geometry, other
 * topologies, tests of depth and stencil, blending. "draws_not_modelled" counts such draws by what they ask for.
 *
 * The numbers of vertices and instances may come from registers; a draw with a predicate that is not set does nothing.
 */
#include "cs/cs.h"
#include "cs/draw_read.h"
#include "neutral_3d.h"

/* Steps of a thread before the draw may rest to let another context in. A thread that needs more goes on first. */
#define STEPS_TO_REST	64

static enum media_result run(struct engine *e)
{
	return draw_run(e->draw);
}

static void drop(struct engine *e)
{
	draw_drop(e->draw);
}

static enum cs_result leave(struct engine *e)
{
	enum cs_result r;

	if (!e->submission->lists || e->cs.list_seen == atomic_load(&e->list_seq))
		return CS_CONTINUE;
	for (unsigned int i = 0; i < STEPS_TO_REST && !draw_rests(e->draw); i++)
		draw_run(e->draw);
	if (!draw_rests(e->draw))
		return CS_CONTINUE;
	r = e->submission->arbitrate(e, true);
	if (r != CS_PREEMPT)
		return r;
	engine_count(e, "draws_preempted");
	draw_leave(e->draw);
	cs_rewind(e);
	return r;
}

/* What the command says, or the registers in its place. */
static void read_command(struct engine *e, const struct _3dprimitive *c, struct draw_state *d)
{
	d->indexed = c->vertex_access_type;
	d->vertices = c->vertex_count_per_instance;
	d->first = c->start_vertex_location;
	d->instances = c->instance_count;
	d->first_instance = c->start_instance_location;
	d->base = c->base_vertex_location;
	if (!c->indirect_parameter_enable)
		return;
	d->vertices = cs_reg_read(e, PRIM3D_VERTEX_COUNT);
	d->first = cs_reg_read(e, PRIM3D_START_VERTEX);
	d->instances = cs_reg_read(e, PRIM3D_INSTANCE_COUNT);
	d->first_instance = cs_reg_read(e, PRIM3D_START_INSTANCE);
	d->base = (int32_t)cs_reg_read(e, PRIM3D_BASE_VERTEX);
}

/**
 * cs_draw - 3DPRIMITIVE: rectangles are drawn
 * @e: the render engine; its command is parsed
 *
 * Return: CS_CONTINUE when its last pixel is written; CS_PREEMPT when a list came before that; CS_STOPPED on a
 * reset.
 */
enum cs_result cs_draw(struct engine *e)
{
	static const struct cs_threads threads = { run, drop, leave };
	struct _3dprimitive c;
	const char *error;
	enum cs_result r;

	/* One that was left has been counted. */
	if (!e->draw || !draw_place(e->draw)->left)
		cs_state_draw(e);
	/* Other engines have no pipeline, and platforms whose programs are not executed no draws. */
	if (!e->draw_state || !e->draw)
		return CS_CONTINUE;
	_3dprimitive_unpack(e->gen, e->cs.dw, e->cs.len, &c);
	if (c.predicate_enable && !(reg_get(e, RING_PREDICATE_RESULT(0)) & 1))
		return CS_CONTINUE;
	/* Walkers before it, which the driver should have flushed. */
	r = cs_pipeline_flush(e);
	if (r != CS_CONTINUE)
		return r;
	error = c.end_offset_enable ? "a draw whose vertices end where stream output has ended" :
		draw_read(e, c.primitive_topology_type, draw_state(e->draw));
	if (error) {
		count("draws_not_modelled", error, 1);
		return CS_CONTINUE;
	}
	read_command(e, &c, draw_state(e->draw));
	if (!draw_state(e->draw)->has_simd8 && !draw_state(e->draw)->has_simd16)
		return CS_CONTINUE;
	draw_begin(e->draw);
	return cs_run_threads(e, &threads);
}
