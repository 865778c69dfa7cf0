// SPDX-License-Identifier: MIT
/*
 * DOC: What command streamer and blitter keep from one client to the next
 *
 * Engines of Gen6 and Gen7 have no image of a context but for the render engine's pipeline. Whatever else a batch of a
 * client's writes, the next client must not find: registers, and the setup of the blitter.
 */
#include <string.h>

#include <igen/cmd/mi.h>
#include <igen/regs/engine.h>
#include <igen/regs/workarounds.h>

#include "igen/batch/blt.h"
#include "leftover.h"
#include "lib/build.h"

#define SECRET		0x5ec2e000u
#define NOPID_SECRET	0x2ec2e7u
/* Of INSTPM: any bit that does not act on this hardware at once. */
#define INSTPM_SECRET	(1u << 6)
#define MOST		128u

/* Where each of the clients has an object. */
#define SHARED_ADDRESS	(64ull << 20)

static unsigned int gen;

/* Registers that the driver lets a batch write: all but those that divide the L3, which have tests of their own. */
static const struct {
	uint16_t class, first_gen;
	uint32_t offset, dwords;
} writable[] = {
	{ I915_ENGINE_CLASS_RENDER, 6, IA_VERTICES_COUNT, 18 },
	{ I915_ENGINE_CLASS_RENDER, 7, HS_INVOCATION_COUNT, 4 },
	{ I915_ENGINE_CLASS_RENDER, 7, RING_PREDICATE_SRC0(RCS0_BASE), 4 },
	{ I915_ENGINE_CLASS_RENDER, 7, PRIM3D_END_OFFSET, 1 },
	{ I915_ENGINE_CLASS_RENDER, 7, PRIM3D_START_VERTEX, 5 },
	{ I915_ENGINE_CLASS_RENDER, 7, GPGPU_DISPATCHDIMX, 3 },
	{ I915_ENGINE_CLASS_RENDER, 7, SO_NUM_PRIMS_WRITTEN(0), 8 },
	{ I915_ENGINE_CLASS_RENDER, 7, SO_PRIM_STORAGE_NEEDED(0), 8 },
	{ I915_ENGINE_CLASS_RENDER, 7, SO_WRITE_OFFSET(0), 4 },
	{ I915_ENGINE_CLASS_COPY, 6, BCS_SWCTRL, 1 },
};

struct list {
	uint32_t reg[MOST];
	unsigned int n;
};

static struct list writable_of(const struct it_engine *e)
{
	struct list l = { .n = 0 };

	for (unsigned int i = 0; i < ARRAY_SIZE(writable); i++)
		if (writable[i].class == e->class && gen >= writable[i].first_gen)
			for (unsigned int k = 0; k < writable[i].dwords; k++)
				l.reg[l.n++] = writable[i].offset + 4 * k;
	return l;
}

/* Registers that the hardware has a batch without privilege write and read, which the driver cannot prevent. */
static struct list unchecked_of(const struct it_engine *e)
{
	struct list l = { .n = 0 };

	/* On Sandy Bridge no batch runs without the driver's check. */
	if (gen < 7)
		return l;
	l.reg[l.n++] = RING_NOPID(e->base);
	if (e->class == I915_ENGINE_CLASS_RENDER)
		l.reg[l.n++] = RING_INSTPM(e->base);
	return l;
}

static void run(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct igen_batch *b, struct it_batch *batch,
		struct it_bo *bo)
{
	it_build_end(b, batch);
	it_run_wait(dev, ctx, engine, batch, &bo, bo ? 1 : 0);
}

static uint32_t masked(uint32_t bits, bool on)
{
	return on ? IGEN_MASKED_ENABLE(bits) : IGEN_MASKED_DISABLE(bits);
}

/* Other values in each round, since what a client finds first may be what an earlier round has left. */
static void leave_registers(struct it_dev *dev, unsigned int engine, unsigned int round)
{
	const struct it_engine *e = &dev->engine[engine];
	uint32_t ctx = it_ctx_engines(dev);
	struct list l = writable_of(e);
	struct it_batch batch;
	struct igen_batch b;

	if (l.n) {
		batch = it_build(dev, gen, engine, 4096, &b);
		for (unsigned int i = 0; i < l.n; i++)
			igen_mi_load_reg(&b, l.reg[i], l.reg[i] == BCS_SWCTRL ?
					 masked(BCS_SWCTRL_SRC_Y | BCS_SWCTRL_DST_Y, round & 1) :
					 SECRET + round * MOST + i);
		run(dev, ctx, engine, &b, &batch, NULL);
	}
	if (unchecked_of(e).n) {
		/* The driver does not give privilege to a batch that names INSTPM. */
		batch = it_build(dev, gen, engine, 4096, &b);
		igen_batch_put(&b, (const uint32_t[]){ MI_NOOP | MI_NOOP_WRITE_NOPID | (NOPID_SECRET + round) }, 1);
		if (e->class == I915_ENGINE_CLASS_RENDER)
			igen_mi_load_reg(&b, RING_INSTPM(e->base), masked(INSTPM_SECRET, round & 1));
		run(dev, ctx, engine, &b, &batch, NULL);
	}
}

static void find_registers(struct it_dev *dev, uint32_t ctx, unsigned int engine, const struct list *l,
			   uint32_t *values)
{
	struct it_bo *out = it_bo(dev, 4096);
	struct igen_batch b;
	struct it_batch batch = it_build(dev, gen, engine, 4096, &b);
	struct igen_address to = { out->address, 0, out->size, out->handle };

	memset(out->map, 0xff, out->size);
	for (unsigned int i = 0; i < l->n; i++, to.offset += 4)
		igen_mi_store_reg(&b, to, l->reg[i]);
	run(dev, ctx, engine, &b, &batch, out);
	memcpy(values, out->map, l->n * 4);
}

/* The second client finds what it has found before the first one came. */
static void keeps_no_registers(unsigned int engine, bool unchecked)
{
	struct it_dev *one = it_open(), *other = it_open();
	const struct it_engine *e = &other->engine[engine];
	struct list l = unchecked ? unchecked_of(e) : writable_of(e);
	uint32_t ctx = it_ctx_engines(other), before[MOST], after[MOST];

	if (!l.n)
		it_skip("a batch of this engine writes no registers");
	find_registers(other, ctx, engine, &l, before);
	for (unsigned int n = 0; n < 3; n++) {
		leave_registers(one, engine, n);
		find_registers(other, ctx, engine, &l, after);
		for (unsigned int i = 0; i < l.n; i++)
			it_expect(after[i] == before[i], "register %05x is %08x, and was %08x before the other client",
				  l.reg[i], after[i], before[i]);
	}
}

static void registers(unsigned int engine)
{
	keeps_no_registers(engine, false);
}

static void unchecked(unsigned int engine)
{
	keeps_no_registers(engine, true);
}

/* One client's setup leads to an address and has colors; the other one draws a pixel without any of its own. */
static void setup(unsigned int engine)
{
	struct it_dev *one = it_open(), *other = it_open();
	struct it_bo *bo[2] = { it_bo(one, 65536), it_bo(other, 65536) };
	uint32_t ctx[2] = { it_ctx_engines(one), it_ctx_engines(other) };
	struct it_batch batch;
	struct igen_batch b;

	bo[0]->address = SHARED_ADDRESS;
	bo[1]->address = SHARED_ADDRESS;
	batch = it_build(one, gen, engine, 4096, &b);
	igen_batch_emit_gen6(&b, xy_setup_blt, ._32_bpp_byte_mask = 3, .destination_pitch_in_dwords = 256,
			     .raster_operation = IGEN_ROP_FILL, .color_depth = 3, .clipping_enabled = 1,
			     .cliprect_x2_coordinate_right = 64, .cliprect_y2_coordinate_bottom = 64,
			     .destination_base_address = SHARED_ADDRESS, .setup_background_color = SECRET,
			     .setup_foreground_color = SECRET);
	igen_batch_emit_gen6(&b, xy_pixel_blt, .destination_x1_coordinate_left = 1);
	run(one, ctx[0], engine, &b, &batch, bo[0]);
	it_expect(bo[0]->dw[1] == SECRET, "the client's own pixel is %08x", bo[0]->dw[1]);

	batch = it_build(other, gen, engine, 4096, &b);
	igen_batch_emit_gen6(&b, xy_pixel_blt, .destination_x1_coordinate_left = 1);
	run(other, ctx[1], engine, &b, &batch, bo[1]);
	it_expect(!bo[1]->dw[1], "a client draws with the setup of another one: %08x", bo[1]->dw[1]);
}

void leftover_state(unsigned int generation, unsigned int engine, const struct it_engine *e)
{
	gen = generation;
	it_subtest(registers, engine, "registers-%s", e->name);
	it_subtest(unchecked, engine, "unchecked-registers-%s", e->name);
	if (e->class == I915_ENGINE_CLASS_COPY)
		it_subtest(setup, engine, "setup-%s", e->name);
}
