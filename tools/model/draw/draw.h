/* SPDX-License-Identifier: MIT */
/**
 * DOC: Draws
 *
 * What a 3DPRIMITIVE of rectangles does: vertex.c fetches vertices and makes a rectangle of three of them, setup.c says
 * which pixels the rectangle covers and what is interpolated over it, pixel.c fills the registers of a pixel shader's
 * thread, draw.c goes from one thread to the next and executes them. The command streamer (cs/draw.c) reads the
 * pipeline's state into struct draw_state and says when.
 *
 * ::
 *
 *	vertex buffers --> vertices --> rectangle --> subspans of 2 x 2 pixels --> threads --> render targets
 *	vertex.c           vertex.c     setup.c       setup.c                      pixel.c     shared/target.c
 *
 * Everything happens in the engine's thread. draw_run() does a step and returns: a vertex, or a number of instructions
 * of one thread. The engine looks at its requests in between: a draw of any size and a program that never ends give way
 * to a reset.
 */
#ifndef IGEN_MODEL_DRAW_H
#define IGEN_MODEL_DRAW_H

#include "media/media.h"

#define DRAW_BUFFERS	33u
#define DRAW_ELEMENTS	34u
#define DRAW_SLOTS	64u		/* of a vertex, each of four dwords */
#define DRAW_ATTRIBUTES	32u
#define DRAW_VERTICES	3u		/* of a rectangle */

/* The first slots of a vertex: a header, and the position (SNB Vol 2 Part 1, 1.5, "Vertex URB Entry"). */
enum draw_slot { SLOT_HEADER, SLOT_POSITION };

struct draw_buffer {
	uint64_t addr, bytes;
	uint32_t pitch;			/* bytes from an element to the next */
	bool null;			/* reads 0 */
	bool instanced;			/* its elements are those of instances, each for so many of them */
	uint32_t step;
};

/* Where a component of a vertex element comes from. */
enum draw_component { COMPONENT_NOT_STORED, COMPONENT_SOURCE, COMPONENT_ZERO, COMPONENT_ONE, COMPONENT_ONE_INTEGER,
	COMPONENT_VERTEX_ID, COMPONENT_INSTANCE_ID };

struct draw_element {
	uint16_t format;
	uint8_t buffer;
	uint8_t component[4];		/* enum draw_component */
	bool valid;
	bool instanced;			/* one value for a number of instances */
	uint32_t offset;		/* bytes from the buffer's element */
	uint32_t step;			/* how many instances; 0: all */
};

/* A number that the vertex fetch writes into a vertex. */
struct draw_id {
	bool enabled;
	uint8_t slot, component;
};

struct draw_index {
	uint64_t addr, bytes;
	uint8_t size;			/* bytes of an index */
	bool cuts;			/* an index begins the next rectangle */
	uint32_t cut;
};

/* Inclusive. */
struct draw_bounds {
	int32_t x_min, y_min, x_max, y_max;
};

struct draw_program {
	uint64_t kernel;		/* from the instruction base */
	uint8_t first_constant;		/* register in which the setup data begins */
};

/* The state that a draw depends on. */
struct draw_state {
	struct vm_ref vm;
	struct shared_bases bases;
	/* The command. */
	uint32_t vertices, instances, first, first_instance;
	int32_t base;
	bool indexed;
	/* Vertex fetch. */
	struct draw_index index;
	struct draw_buffer buffer[DRAW_BUFFERS];
	struct draw_element element[DRAW_ELEMENTS];
	unsigned int num_elements;
	struct draw_id vertex_id, instance_id;
	/* Viewport and rectangles. */
	bool transforms;		/* by the viewport's matrix */
	bool divides;			/* positions by their W */
	bool scissors;
	bool first_slice;		/* whatever the vertex says */
	uint32_t last_viewport;
	uint64_t viewports, scissor;	/* in memory, from the dynamic state base */
	struct draw_bounds bounds;	/* of the drawing rectangle */
	int32_t origin_x, origin_y;
	/* Attributes. */
	unsigned int num_attributes, first_slot;
	uint32_t flat;			/* those that have one value for the rectangle */
	uint8_t components[DRAW_ATTRIBUTES]; /* how many of each the shader gets */
	/* Pixel shader. */
	struct draw_program simd8, simd16;
	bool has_simd8, has_simd16;
	uint8_t barycentrics;		/* perspective at pixel, centroid and sample, then linear */
	bool source_depth, source_w;
	uint32_t binding_table, sampler_state;
	uint64_t scratch;
	uint32_t scratch_code;
	uint32_t cr0, cr1, sip;
	uint8_t kept[PIXEL_TARGETS];
	uint8_t blended;
};

/* A vertex as the vertex fetch leaves it; values are floats or integers. */
struct draw_vertex {
	uint32_t slot[DRAW_SLOTS][4];
};

/* A rectangle that is drawn. */
struct draw_rectangle {
	struct draw_vertex vertex[DRAW_VERTICES];
	double x[DRAW_VERTICES], y[DRAW_VERTICES]; /* on the screen, in 1/256 of a pixel */
	double z[DRAW_VERTICES], rhw[DRAW_VERTICES]; /* depth, and 1 / W */
	double determinant;
	struct draw_bounds covered;	/* pixels whose centres lie within */
	uint32_t slice;
};

/* Weights of the second and the third vertex at a pixel. */
struct draw_weights {
	float linear[2], perspective[2];
	float z, rhw;
};

/* Where a draw was left, between two threads. */
struct draw_place {
	uint32_t left;			/* there is one */
	uint32_t instance, vertex;	/* the first that the next rectangle has */
	uint32_t inside;		/* that rectangle is drawn up to a subspan: the next one is at x, y */
	int32_t x, y;
};

struct draw;

/* draw.c */
struct draw *draw_new(struct gpu *gpu, const struct engine_info *info, struct tlb *tlb, unsigned int gen,
		      const struct eu_platform *platform);
void draw_free(struct draw *d);
struct draw_state *draw_state(struct draw *d);
struct shared *draw_shared(struct draw *d);
struct draw_place *draw_place(struct draw *d);
void draw_begin(struct draw *d);
enum media_result draw_run(struct draw *d);
bool draw_rests(const struct draw *d);
void draw_leave(struct draw *d);
void draw_drop(struct draw *d);
void draw_invalidate_programs(struct draw *d);

/* Within draw/: vertex.c */
bool vertex_index(struct shared *s, const struct draw_state *state, uint32_t n, uint32_t *id, int64_t *index);
void vertex_fetch(struct shared *s, const struct draw_state *state, uint32_t id, int64_t index, uint32_t instance,
		  struct draw_vertex *v);

/* setup.c */
const char *setup_rectangle(struct shared *s, const struct draw_state *state, struct draw_rectangle *r);
uint32_t setup_lit(const struct draw_rectangle *r, int32_t x, int32_t y);
void setup_weights(const struct draw_rectangle *r, int32_t x, int32_t y, struct draw_weights *w);

/* pixel.c */
void pixel_payload(const struct draw_state *state, const struct draw_rectangle *r, const struct pixel_group *pixels,
		   unsigned int width, struct eu_thread *thread);

#endif
