// SPDX-License-Identifier: MIT
/**
 * DOC: The threads of a draw
 *
 * Instances follow each other, in each of them its rectangles, in each of them its subspans, row by row. Subspans that
 * have a pixel to draw are gathered until they fill a thread, which is executed to its end before the next one begins.
 * So a pixel that is drawn twice has what the later rectangle draws, and each run gives the same result.
 *
 * A thread of 16 pixels takes four subspans, one of 8 two. Where the state enables both, the last thread of a rectangle
 * has 8 pixels if two subspans or fewer are left.
 *
 * A thread that makes a mistake never ends, as those of a walker (media/group.c), and neither does the draw: the engine
 * stays with it until a reset.
 */
#include <stdlib.h>

#include "draw/draw.h"

/* Instructions of a thread before the engine looks at its requests. */
#define QUANTUM	256

struct draw {
	struct shared shared;
	struct eu_core *core;
	struct thread_group group;
	struct eu_thread *thread;
	struct pixel_group pixels;
	struct draw_state state;
	struct draw_rectangle rectangle;
	uint32_t instance, vertex;	/* the next one to fetch */
	uint32_t first;			/* vertex of the rectangle */
	unsigned int gathered;		/* vertices of the next rectangle */
	int32_t x, y;			/* the next subspan of the rectangle */
	bool begun;			/* there may be more to do */
	bool covers;			/* the rectangle has subspans left */
	bool runs;			/* the thread has not ended */
	bool stuck;			/* and never will */
	struct draw_place place;	/* where the draw goes on that begins next */
	bool goes_on;			/* the next rectangle is drawn from there */
	_Atomic uint64_t *threads, *instructions;
};

/**
 * draw_new - what an engine draws with
 * @gpu: the device
 * @info: the engine
 * @tlb: the engine's
 * @gen: of the structures in memory
 * @platform: of the programs
 *
 * Return: NULL without memory.
 */
struct draw *draw_new(struct gpu *gpu, const struct engine_info *info, struct tlb *tlb, unsigned int gen,
		      const struct eu_platform *platform)
{
	struct draw *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->core = eu_core_new(platform->isa, platform->features, &shared_ops);
	d->thread = aligned_alloc(64, sizeof(*d->thread));
	shared_init(&d->shared, gpu, info, tlb, gen, platform);
	d->threads = counter_own("eu", "threads", info->id);
	d->instructions = counter_own("eu", "instructions", info->id);
	if (!d->core || !d->thread) {
		draw_free(d);
		return NULL;
	}
	return d;
}

/**
 * draw_free - gives it back
 * @d: NULL is fine
 */
void draw_free(struct draw *d)
{
	if (!d)
		return;
	eu_core_free(d->core);
	shared_fini(&d->shared);
	free(d->thread);
	free(d);
}

/* The state of the next draw, to be filled before draw_begin(). */
struct draw_state *draw_state(struct draw *d)
{
	return &d->state;
}

/* The shared functions, by which the next draw's state can be read from memory; their address space is to be set. */
struct shared *draw_shared(struct draw *d)
{
	return &d->shared;
}

/* Where the next draw goes on. */
struct draw_place *draw_place(struct draw *d)
{
	return &d->place;
}

/**
 * draw_begin - a draw begins, or goes on where it was left
 * @d: with its state filled; a draw before is lost
 */
void draw_begin(struct draw *d)
{
	struct draw_place place = d->place;

	draw_drop(d);
	shared_forget_surfaces(&d->shared);
	d->shared.vm = d->state.vm;
	d->shared.bases = d->state.bases;
	d->group = (struct thread_group){
		.shared = &d->shared, .thread = d->thread, .num_threads = 1,
		.binding_table = d->state.binding_table, .sampler_state = d->state.sampler_state,
		.pixels = &d->pixels,
	};
	memcpy(d->pixels.kept, d->state.kept, sizeof(d->pixels.kept));
	d->pixels.blended = d->state.blended;
	d->instance = place.left ? place.instance : 0;
	d->vertex = place.left ? place.vertex : 0;
	d->gathered = 0;
	d->begun = true;
	d->goes_on = place.left && place.inside;
	d->place = place;
	d->place.left = false;
}

static void mistake(struct draw *d, const char *why)
{
	count("eu_faults", why, 1);
	model_log("%s: a pixel shader's thread stops at instruction 0x%x from 0x%llx: %s", d->shared.info->name,
		  d->thread->ip, (unsigned long long)d->thread->base, why);
	d->stuck = true;
}

/* A thread for so many of the gathered subspans. */
static void start_thread(struct draw *d, unsigned int subspans)
{
	unsigned int width = d->state.has_simd16 && (subspans > 2 || !d->state.has_simd8) ? 16 : 8;

	/* The places of a thread that are left over. */
	for (unsigned int i = subspans; i < PIXEL_SUBSPANS; i++) {
		d->pixels.x[i] = 0;
		d->pixels.y[i] = 0;
	}
	d->pixels.slice = d->rectangle.slice;
	eu_thread_init(d->thread, d->core, (1u << 4 * subspans) - 1);
	d->thread->group = &d->group;
	d->thread->machine = d;
	pixel_payload(&d->state, &d->rectangle, &d->pixels, width, d->thread);
	counter_add(d->threads, 1);
	d->runs = true;
}

/* Goes on to the next subspan of the rectangle. */
static void advance(struct draw *d)
{
	const struct draw_bounds *b = &d->rectangle.covered;

	d->x += 2;
	if (d->x <= b->x_max)
		return;
	d->x = b->x_min & ~1;
	d->y += 2;
	d->covers = d->y <= b->y_max;
}

/* Gathers subspans for a thread. All subspans of a rectangle have a pixel to draw. */
static void next_thread(struct draw *d)
{
	unsigned int most = d->state.has_simd16 ? 4 : 2, n = 0;

	d->pixels.lit = 0;
	while (n < most && d->covers) {
		d->pixels.x[n] = (uint16_t)d->x;
		d->pixels.y[n] = (uint16_t)d->y;
		d->pixels.lit |= setup_lit(&d->rectangle, d->x, d->y) << 4 * n++;
		advance(d);
	}
	start_thread(d, n);
}

static void start_rectangle(struct draw *d)
{
	const struct draw_bounds *b = &d->rectangle.covered;
	const char *error = setup_rectangle(&d->shared, &d->state, &d->rectangle);

	if (error)
		count("draws_not_modelled", error, 1);
	d->covers = !error && b->x_min <= b->x_max && b->y_min <= b->y_max;
	d->x = b->x_min & ~1;
	d->y = b->y_min & ~1;
	if (d->covers && d->goes_on && d->place.x >= d->x && d->place.x <= b->x_max && d->place.y >= d->y &&
	    d->place.y <= b->y_max) {
		d->x = d->place.x & ~1;
		d->y = d->place.y & ~1;
	}
	d->goes_on = false;
}

/* Fetches the next vertex, which may complete a rectangle. */
static void next_vertex(struct draw *d)
{
	uint32_t id;
	int64_t index;

	if (d->vertex >= d->state.vertices || d->instance >= d->state.instances) {
		d->vertex = 0;
		d->gathered = 0;
		d->begun = d->state.vertices && d->instance < d->state.instances && ++d->instance < d->state.instances;
		return;
	}
	if (!d->gathered)
		d->first = d->vertex;
	if (!vertex_index(&d->shared, &d->state, d->vertex++, &id, &index)) {
		d->gathered = 0;
		return;
	}
	vertex_fetch(&d->shared, &d->state, id, index, d->instance, &d->rectangle.vertex[d->gathered++]);
	if (d->gathered < DRAW_VERTICES)
		return;
	d->gathered = 0;
	start_rectangle(d);
}

static void run_thread(struct draw *d)
{
	uint64_t before = d->thread->executed;
	enum eu_status status = eu_run(d->core, d->thread, QUANTUM);

	counter_add(d->instructions, d->thread->executed - before);
	d->runs = status != EU_END;
	if (status == EU_FAULT)
		mistake(d, d->thread->fault ? d->thread->fault : "a fault without a text");
	/* Nothing notifies a pixel shader. */
	if (status == EU_WAIT)
		mistake(d, "a pixel shader that waits for a notification");
}

/**
 * draw_run - does a step of a draw
 * @d: with a draw, or none
 *
 * Return: MEDIA_DONE when the draw has ended; MEDIA_STUCK when it never will.
 */
enum media_result draw_run(struct draw *d)
{
	if (d->stuck)
		return MEDIA_STUCK;
	if (d->runs)
		run_thread(d);
	else if (d->covers)
		next_thread(d);
	else if (d->begun)
		next_vertex(d);
	if (d->stuck)
		return MEDIA_STUCK;
	return d->runs || d->covers || d->begun ? MEDIA_RUNS : MEDIA_DONE;
}

/* Whether no thread runs, so that the draw can be left. */
bool draw_rests(const struct draw *d)
{
	return !d->runs && !d->stuck;
}

/**
 * draw_leave - the draw is left, and goes on later from draw_place()
 * @d: with a draw that rests
 */
void draw_leave(struct draw *d)
{
	struct draw_place place = {
		.left = true, .instance = d->instance, .vertex = d->gathered || d->covers ? d->first : d->vertex,
		.inside = d->covers || d->goes_on, .x = d->covers ? d->x : d->place.x,
		.y = d->covers ? d->y : d->place.y,
	};

	draw_drop(d);
	d->place = place;
}

/**
 * draw_drop - the draw is lost, and the place of one that was left
 * @d: with a draw, or none
 */
void draw_drop(struct draw *d)
{
	d->place = (struct draw_place){ 0 };
	d->goes_on = false;
	d->begun = false;
	d->covers = false;
	d->runs = false;
	d->stuck = false;
}

/* The instruction cache is invalidated: programs are read again. */
void draw_invalidate_programs(struct draw *d)
{
	eu_core_invalidate(d->core);
}
