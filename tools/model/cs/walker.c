// SPDX-License-Identifier: MIT
/**
 * DOC: Thread groups
 *
 * GPGPU_WALKER dispatches a thread group for each place from the starting to the last X, Y and Z, X first; X and Y
 * begin again at their starts (DG1 Vol 2a, "GPGPU_WALKER", whose layout is Gen9's). A group is depth x height x
 * width threads; the last of a row and those of the last row have execution masks (IVB Vol 2 Part 2, 1.4.2.4).
 * Dimensions may come from the GPGPU_DISPATCHDIM registers; a walker with a predicate that is not set does
 * nothing.
 *
 * The groups go to the pipeline (pipeline.c), where each takes its time and counts. Its threads execute their program
 * (media.c), unless the setting "execute" is off. A context that has set no interface descriptors has no program: its
 * groups take time alone, and "undefined_state" counts what is missing. GPGPU_THREADS_DISPATCHED, also known as
 * CS_INVOCATION_COUNT, gets the channels of each group that has run (what Mesa makes of it: invocations of the shader).
 */
#include <string.h>

#include "cs/cs.h"
#include "neutral_media.h"

/* How many from a start to an end. */
static uint64_t along(uint32_t start, uint32_t end)
{
	return end > start ? end - start : 0;
}

/* No walker that ends has more than that. */
static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

/* Where X, Y and Z end. */
static void ends_of(struct engine *e, const struct gpgpu_walker *c, uint32_t end[3])
{
	end[0] = c->thread_group_id_x_dimension;
	end[1] = c->thread_group_id_y_dimension;
	end[2] = c->thread_group_id_z_dimension;
	for (unsigned int i = 0; i < 3 && c->indirect_parameter_enable; i++)
		end[i] = cs_reg_read(e, GPGPU_DISPATCHDIMX + 4 * i);
}

static uint64_t groups_of(struct engine *e, const struct gpgpu_walker *c)
{
	uint32_t end[3];

	ends_of(e, c, end);
	if (c->predicate_enable && !(reg_get(e, RING_PREDICATE_RESULT(0)) & 1))
		return 0;
	return product(product(along(c->thread_group_id_starting_x, end[0]),
			       along(c->thread_group_id_starting_y, end[1])),
		       along(c->thread_group_id_starting_resume_z, end[2]));
}

/* The channels of a group: those of all threads but for what the masks of the last ones leave out. */
static uint32_t channels_of(const struct gpgpu_walker *c)
{
	uint32_t all = c->simd_size >= 2 ? ~0u : (1u << (8u << c->simd_size)) - 1;
	uint32_t right = c->right_execution_mask & all, bottom = c->bottom_execution_mask & all;
	uint32_t width = c->thread_width_counter_maximum, height = c->thread_height_counter_maximum;
	uint32_t n;

	n = height * (width * (uint32_t)__builtin_popcount(all) + (uint32_t)__builtin_popcount(right)) +
	    width * (uint32_t)__builtin_popcount(bottom) + (uint32_t)__builtin_popcount(right & bottom);
	return n * (c->thread_depth_counter_maximum + 1);
}

/* What its groups need to execute their program. */
static void note_walk(struct engine *e, const struct gpgpu_walker *c, struct media_walk *w)
{
	uint32_t start[3] = { c->thread_group_id_starting_x, c->thread_group_id_starting_y,
			      c->thread_group_id_starting_resume_z };
	uint32_t end[3];

	ends_of(e, c, end);
	w->executes = cs_media_executes(e, &w->loads);
	memcpy(w->start, start, sizeof(start));
	memcpy(w->end, end, sizeof(end));
	w->right = c->right_execution_mask;
	w->bottom = c->bottom_execution_mask;
	w->indirect = (uint32_t)c->indirect_data_start_address;
	w->indirect_bytes = c->indirect_data_length;
	w->descriptor = (uint8_t)c->interface_descriptor_offset;
	w->simd = (uint8_t)c->simd_size;
	w->width = (uint8_t)c->thread_width_counter_maximum;
	w->height = (uint8_t)c->thread_height_counter_maximum;
	w->depth = (uint8_t)c->thread_depth_counter_maximum;
}

/**
 * cs_walker - GPGPU_WALKER: its groups go to the pipeline
 * @e: the render engine; its command is parsed
 *
 * Return: CS_CONTINUE; CS_PREEMPT when a list came while it waited; CS_STOPPED on a reset.
 */
enum cs_result cs_walker(struct engine *e)
{
	/* Where a flush has halted the one before, and no MI_ARB_CHECK has left it, that one goes on, too. */
	enum cs_result r = cs_pipeline_wait(e, PIPELINE_ROOM, true);
	struct gpgpu_walker c;
	struct pipeline_work work = { 0 };

	if (r == CS_PREEMPT)
		cs_rewind(e);
	if (r != CS_CONTINUE)
		return r;
	gpgpu_walker_get(e->gen, e->cs.dw, &c);
	cs_state_walk(e);
	work.total = groups_of(e, &c);
	work.channels = channels_of(&c);
	note_walk(e, &c, &work.walk);
	if (!work.total)
		return CS_CONTINUE;
	cs_pipeline_queue(e, &work);
	return e->gpu->config.workers ? CS_CONTINUE : cs_pipeline_wait(e, PIPELINE_EMPTY, true);
}
