// SPDX-License-Identifier: MIT
/**
 * DOC: Vertex fetch
 *
 * A vertex is a row of slots of four dwords, one slot for each vertex element (SNB Vol 2 Part 1, 2.5, "Vertex Fetch").
 * An element names a vertex buffer, a place in it, a format, and for each component where the component comes from.
 * With shaders of vertices and geometry off this row is what the rectangle is set up from: header, position,
 * attributes.
 *
 * A sequential draw numbers its vertices from 0 on, and takes them from its start vertex on. A random one has indices
 * in a buffer; the base vertex is added to an index, not to the number that a shader sees (public facts: Mesa, which
 * adds it itself). An element of instances is that of the start instance and one more for each step of instances.
 *
 * "Any access outside the extent of a VB returns 0" (SNB Vol 2 Part 1, 2.5.8). An element that reaches beyond the end
 * counts as outside. So does an index beyond the end of its buffer: it is 0.
 */
#include "draw/draw.h"

#define ONE_FLOAT	0x3f800000u

/**
 * vertex_index - which vertex is the next one
 * @s: the shared functions, which read the indices
 * @state: of the draw
 * @n: of the vertex in its instance
 * @id: filled with the number that a shader knows the vertex by
 * @index: filled with its place in the vertex buffers
 *
 * Return: false if the index is the one that begins a new rectangle: there is no vertex.
 */
bool vertex_index(struct shared *s, const struct draw_state *state, uint32_t n, uint32_t *id, int64_t *index)
{
	const struct draw_index *b = &state->index;
	uint64_t at = ((uint64_t)state->first + n) * b->size;
	uint32_t v = 0, mask = b->size < 4 ? (1u << 8 * b->size) - 1 : ~0u;

	if (!state->indexed) {
		*id = n;
		*index = (int64_t)state->first + n;
		return true;
	}
	if (at + b->size <= b->bytes)
		shared_read(s, b->addr + at, &v, b->size);
	*id = v;
	*index = (int64_t)v + state->base;
	return !b->cuts || v != (b->cut & mask);
}

/* The four components in a buffer, of a vertex or an instance. */
static void source_of(struct shared *s, const struct draw_state *state, const struct draw_element *e, int64_t index,
		      uint32_t to[4])
{
	const struct draw_buffer *b = &state->buffer[e->buffer];
	unsigned int bytes = format_bytes(e->format);
	uint8_t element[16] = { 0 };
	uint64_t at;

	if (!b->null && index >= 0) {
		at = (uint64_t)index * b->pitch + e->offset;
		if (at + bytes <= b->bytes)
			shared_read(s, b->addr + at, element, bytes);
	}
	format_vertex(e->format, element, to);
}

static uint32_t component_of(const struct draw_element *e, unsigned int i, const uint32_t source[4], uint32_t id,
			     uint32_t instance)
{
	switch (e->component[i]) {
	case COMPONENT_SOURCE:
		return source[i];
	case COMPONENT_ONE:
		return ONE_FLOAT;
	case COMPONENT_ONE_INTEGER:
		return 1;
	case COMPONENT_VERTEX_ID:
		return id;
	case COMPONENT_INSTANCE_ID:
		return instance;
	default:
		return 0;
	}
}

static void put_id(const struct draw_id *where, uint32_t value, struct draw_vertex *v)
{
	if (where->enabled)
		v->slot[where->slot % DRAW_SLOTS][where->component & 3] = value;
}

/**
 * vertex_fetch - fetches a vertex
 * @s: the shared functions, which read the buffers
 * @state: of the draw
 * @id: the number that a shader knows the vertex by
 * @index: its place in the vertex buffers; below 0 it is outside of all
 * @instance: of the draw
 * @v: filled
 */
void vertex_fetch(struct shared *s, const struct draw_state *state, uint32_t id, int64_t index, uint32_t instance,
		  struct draw_vertex *v)
{
	memset(v, 0, sizeof(*v));
	for (unsigned int i = 0; i < state->num_elements; i++) {
		const struct draw_element *e = &state->element[i];
		uint32_t source[4] = { 0 };
		int64_t at = index;

		if (!e->valid)
			continue;
		if (e->instanced)
			at = (int64_t)state->first_instance + (e->step ? instance / e->step : 0);
		source_of(s, state, e, at, source);
		for (unsigned int c = 0; c < 4; c++)
			v->slot[i][c] = component_of(e, c, source, id, instance);
	}
	put_id(&state->vertex_id, id, v);
	put_id(&state->instance_id, instance, v);
}
