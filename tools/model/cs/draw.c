// SPDX-License-Identifier: MIT
/**
 * DOC: 3DPRIMITIVE
 *
 * A draw of rectangles is executed at one go: the command streamer waits until its last pixel is written. On silicon
 * the command streamer goes on, which a driver can tell only if it lacks a flush. The wait looks at requests of the
 * driver: a reset, STOP_RING. A list that comes meanwhile preempts behind the draw. The draw takes no time of its own.
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

static enum media_result run(struct engine *e)
{
	return draw_run(e->draw);
}

static void drop(struct engine *e)
{
	draw_drop(e->draw);
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
 * Return: CS_CONTINUE when its last pixel is written; CS_PREEMPT when a list came before it began; CS_STOPPED on a
 * reset.
 */
enum cs_result cs_draw(struct engine *e)
{
	static const struct cs_threads threads = { run, drop };
	struct _3dprimitive c;
	const char *error;
	enum cs_result r;

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
