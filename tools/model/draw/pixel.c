// SPDX-License-Identifier: MIT
/**
 * DOC: What a pixel shader starts with
 *
 * A thread has 8 or 16 pixels: two or four subspans. Its registers are, in this order (SNB Vol 2 Part 1, 7.7.3, "PS
 * Thread Payload"; public facts for Gen9: Mesa's payload of pixel shaders):
 *
 * ================== ===============================================================================================
 * header             slice, sampler states, binding table, scratch space
 * positions          X and Y of each subspan's upper left pixel; the pixels that are drawn, twice
 * barycentrics       for each mode of the state: weight b1 and weight b2 of 8 pixels, then of the next 8
 * depth, 1 / W       if the shader asks for them, of 8 pixels in a register
 * setup data         from the register on that the state names: of each attribute four components, each of them as
 *                    the factors of b1 and b2, a dword that is 0, and the value at the first vertex
 * ================== ===============================================================================================
 *
 * All four pixels of a subspan run if one of them is drawn, so that the sampler has neighbours to compare. With one
 * sample a pixel's centroid and its sample are its centre. A component of an attribute that is not active is 0; what
 * silicon has there the manuals at hand do not say. Not done: constants, the sample's offset, and the mask of the
 * input's coverage.
 */
#include "draw/draw.h"

#define MODES		6u		/* of barycentrics */
#define LINEAR_MODES	3u		/* and those from here on are linear */
#define SETUP_BYTES	16u		/* of a component */

static void put(struct eu_thread *thread, unsigned int reg, unsigned int dword, const void *value)
{
	if (reg < EU_GRFS)
		memcpy(&thread->grf[reg][4 * dword], value, 4);
}

static void header(const struct draw_state *state, const struct draw_rectangle *r, const struct pixel_group *pixels,
		   struct eu_thread *thread)
{
	uint32_t r0[8] = { r->slice << 16 }, r1[8] = { 0 };

	r0[3] = state->sampler_state | state->scratch_code;
	r0[4] = state->binding_table;
	r0[5] = (uint32_t)state->scratch & ~1023u;
	for (unsigned int i = 0; i < PIXEL_SUBSPANS; i++)
		r1[2 + i] = pixels->x[i] | (uint32_t)pixels->y[i] << 16;
	r1[7] = pixels->lit | pixels->lit << 16;
	memcpy(thread->grf[0], r0, sizeof(r0));
	memcpy(thread->grf[1], r1, sizeof(r1));
}

/* Fills what differs from pixel to pixel. */
static void interpolated(const struct draw_state *state, const struct draw_weights *w, unsigned int width,
			 struct eu_thread *thread)
{
	unsigned int reg = 2, eights = width / 8;

	for (unsigned int mode = 0; mode < MODES; mode++) {
		if (!(state->barycentrics >> mode & 1))
			continue;
		for (unsigned int i = 0; i < width; i++) {
			const float *b = mode < LINEAR_MODES ? w[i].perspective : w[i].linear;

			put(thread, reg + i / 8 * 2, i % 8, &b[0]);
			put(thread, reg + i / 8 * 2 + 1, i % 8, &b[1]);
		}
		reg += 2 * eights;
	}
	for (unsigned int i = 0; state->source_depth && i < width; i++)
		put(thread, reg + i / 8, i % 8, &w[i].z);
	reg += state->source_depth ? eights : 0;
	for (unsigned int i = 0; state->source_w && i < width; i++)
		put(thread, reg + i / 8, i % 8, &w[i].rhw);
}

static float number(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

/* A component of an attribute, as its factors and its first value. */
static void set_up(const struct draw_rectangle *r, unsigned int slot, unsigned int component, bool flat, uint32_t to[4])
{
	uint32_t v[DRAW_VERTICES];
	float factor;

	for (unsigned int i = 0; i < DRAW_VERTICES; i++)
		v[i] = slot < DRAW_SLOTS ? r->vertex[i].slot[slot][component] : 0;
	for (unsigned int i = 1; i < DRAW_VERTICES && !flat; i++) {
		factor = number(v[i]) - number(v[0]);
		memcpy(&to[i - 1], &factor, sizeof(factor));
	}
	to[3] = v[0];
}

static void attributes(const struct draw_state *state, const struct draw_rectangle *r, unsigned int reg,
		       struct eu_thread *thread)
{
	for (unsigned int i = 0; i < state->num_attributes; i++)
		for (unsigned int c = 0; c < state->components[i]; c++) {
			unsigned int at = reg * EU_GRF_BYTES + (4 * i + c) * SETUP_BYTES;
			uint32_t data[4] = { 0 };

			set_up(r, state->first_slot + i, c, state->flat >> i & 1, data);
			if (at + sizeof(data) <= sizeof(thread->grf))
				memcpy((uint8_t *)thread->grf + at, data, sizeof(data));
		}
}

/**
 * pixel_payload - the registers of a pixel shader's thread
 * @state: of the draw
 * @r: the rectangle
 * @pixels: of the thread
 * @width: how many channels it has, 8 or 16
 * @thread: initialised; filled
 */
void pixel_payload(const struct draw_state *state, const struct draw_rectangle *r, const struct pixel_group *pixels,
		   unsigned int width, struct eu_thread *thread)
{
	const struct draw_program *program = width == 8 ? &state->simd8 : &state->simd16;
	struct draw_weights w[4 * PIXEL_SUBSPANS];

	header(state, r, pixels, thread);
	for (unsigned int i = 0; i < width; i++)
		setup_weights(r, pixels->x[i / 4] + (int32_t)(i & 1), pixels->y[i / 4] + (int32_t)(i >> 1 & 1), &w[i]);
	interpolated(state, w, width, thread);
	attributes(state, r, program->first_constant, thread);
	thread->base = state->bases.instruction + (program->kernel & ~(uint64_t)UINT32_MAX);
	thread->ip = (uint32_t)program->kernel;
	thread->space = state->vm.ggtt ? 1 : state->vm.pml4;
	thread->sip = state->sip;
	thread->cr[0] |= state->cr0;
	thread->cr[1] |= state->cr1;
}
