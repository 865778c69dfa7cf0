// SPDX-License-Identifier: MIT
/**
 * DOC: igen-batch
 *
 * Builds batches with the builders of include/igen/batch, validates and submits them, and compares the GPU's
 * results with those that the CPU expects. GPGPU work needs kernels to have a result, so the test does not look
 * at one. Such work lies between two stores, which must both arrive: then the batch has run to its end.
 *
 * igen-batch [NAME ...] runs the subtests whose names begin with NAME.
 */
#include <stdio.h>
#include <string.h>

#include "igen/batch/blt.h"
#include "igen/batch/gpgpu.h"
#include "igen/batch/null.h"
#include "lib/it.h"

/* After ours, whose names it has some of. */
#include "../tools/decode/check.h"

#define SIZE		(256 * 1024)
#define PITCH		1024u
#define TOKEN		0x1e9e0b1du

static unsigned int gen;

/* One batch, from beginning to end. */
struct job {
	struct it_dev *dev;
	uint32_t ctx;
	unsigned int engine;
	struct it_batch bo;
	struct igen_batch b;
	struct igen_batch_reloc relocs[64];
};

static struct igen_address at(const struct it_bo *bo, uint64_t offset)
{
	return (struct igen_address){ bo->address, offset, bo->size, bo->handle };
}

static void start(struct job *j, unsigned int class)
{
	static const enum igen_batch_engine engines[] = { IGEN_BATCH_RENDER, IGEN_BATCH_COPY, IGEN_BATCH_VIDEO,
							  IGEN_BATCH_VIDEO_ENHANCE };

	j->dev = it_open();
	j->ctx = it_ctx_engines(j->dev);
	for (j->engine = 0; j->engine < j->dev->num_engines; j->engine++)
		if (j->dev->engine[j->engine].class == class)
			break;
	if (j->engine == j->dev->num_engines)
		it_skip("no %s engine", it_class_name(class));
	j->bo = it_batch(j->dev, 8192);
	igen_batch_init(&j->b, gen, engines[class], j->bo.dw, j->bo.bo->size);
	igen_batch_record_relocs(&j->b, j->relocs, ARRAY_SIZE(j->relocs));
}

static void found(void *data, const struct igen_finding *f)
{
	(void)data;
	it_note("%s: %s: %s", f->cmd ? f->cmd->name : "end", f->rule->id, f->rule->text);
}

/* Ends the batch and lets the validator look at it. */
static void finish(struct job *j)
{
	static const enum igen_cmd_engine engines[] = { IGEN_CMD_RENDER, IGEN_CMD_BLITTER, IGEN_CMD_VIDEO,
							IGEN_CMD_VIDEOENHANCE };
	static struct igen_decoder decoder;
	int err = igen_batch_end(&j->b);
	struct igen_check c;
	struct igen_inst inst;
	size_t step;

	it_expect(!err, "the batch could not be built: %s (%d)", j->b.why, err);
	j->bo.n = j->b.used;
	igen_decoder_init(&decoder, igen_set_by_gen(gen), engines[j->b.engine]);
	igen_check_init(&c, decoder.set, decoder.engine, found, NULL);
	c.unprivileged = true;
	c.fresh = true;
	c.level = 1;
	/* What follows the end is padding. */
	for (size_t i = 0; i < j->b.used; i += step) {
		step = igen_step(&decoder, j->bo.dw + i, j->b.used - i, &inst);
		igen_check_inst(&c, &inst, i * 4);
		if (inst.cmd && !strcmp(inst.cmd->name, "MI_BATCH_BUFFER_END"))
			break;
	}
	igen_check_end(&c, j->b.used * 4);
	it_expect(!c.errors && !c.warnings, "the validator found %lu errors, %lu warnings", c.errors, c.warnings);
}

static void run(struct job *j, struct it_bo **bos, unsigned int num)
{
	finish(j);
	it_run_wait(j->dev, j->ctx, j->engine, &j->bo, bos, num);
}

static uint32_t dword(const struct it_bo *bo, unsigned int i)
{
	return ((volatile uint32_t *)bo->map)[i];
}

static void expect_dword(const struct it_bo *bo, unsigned int i, uint32_t want)
{
	it_expect(dword(bo, i) == want, "dword %u is %08x, expected %08x", i, dword(bo, i), want);
}

/* Begins the commands under test with a store to a dword; run_marked() ends them with a store to the next dword. */
static void mark(struct job *j, struct it_bo *bo, uint64_t offset)
{
	igen_mi_store_dword(&j->b, at(bo, offset), TOKEN);
}

/* Expects both stores, so the engine has executed all commands between mark() and here. */
static void run_marked(struct job *j, struct it_bo **bos, unsigned int num, struct it_bo *bo, uint64_t offset)
{
	igen_mi_store_dword(&j->b, at(bo, offset + 4), TOKEN + 1);
	run(j, bos, num);
	expect_dword(bo, offset / 4, TOKEN);
	expect_dword(bo, offset / 4 + 1, TOKEN + 1);
}

/* Every memory interface command that leaves something to be seen. */
static void mi(unsigned int class)
{
	struct job j;
	struct it_bo *bo;

	start(&j, class);
	bo = it_bo(j.dev, 4096);
	memset(bo->map, 0xa5, 4096);
	igen_mi_store_dword(&j.b, at(bo, 0), TOKEN);
	igen_mi_store_qword(&j.b, at(bo, 8), 0x0123456789abcdefull);
	igen_mi_copy_dword(&j.b, at(bo, 16), at(bo, 0));
	igen_mi_semaphore_wait(&j.b, at(bo, 16), IGEN_MI_EQUAL, TOKEN);
	igen_mi_store_dword(&j.b, at(bo, 24), 40);
	igen_mi_atomic(&j.b, at(bo, 24), IGEN_MI_ADD, 4, 2, 0);
	igen_mi_store_qword(&j.b, at(bo, 32), 7);
	igen_mi_atomic(&j.b, at(bo, 32), IGEN_MI_CMP_WR, 8, 7, 0xfedcba9800000000ull);
	if (class == I915_ENGINE_CLASS_RENDER)
		igen_pipe_control(&j.b, IGEN_PIPE_CS_STALL | IGEN_PIPE_WRITE_BACK, &(struct igen_address){
				  bo->address, 40, bo->size, bo->handle }, 0x1122334455667788ull);
	else
		igen_mi_flush(&j.b, 0, &(struct igen_address){ bo->address, 40, bo->size, bo->handle },
			      0x1122334455667788ull);
	igen_mi_arb_check(&j.b);
	igen_mi_noop(&j.b, 3);
	igen_mi_store_dword(&j.b, at(bo, 48), 0);
	igen_mi_end_unless_greater(&j.b, at(bo, 48), 0);
	igen_mi_store_dword(&j.b, at(bo, 56), TOKEN);
	run(&j, &bo, 1);
	expect_dword(bo, 0, TOKEN);
	expect_dword(bo, 1, 0xa5a5a5a5);
	expect_dword(bo, 2, 0x89abcdef);
	expect_dword(bo, 3, 0x01234567);
	expect_dword(bo, 4, TOKEN);
	expect_dword(bo, 5, 0xa5a5a5a5);
	expect_dword(bo, 6, 42);
	expect_dword(bo, 8, 0);
	expect_dword(bo, 9, 0xfedcba98);
	expect_dword(bo, 10, 0x55667788);
	expect_dword(bo, 11, 0x11223344);
	expect_dword(bo, 12, 0);
	/* The batch ended before this one. */
	expect_dword(bo, 14, 0xa5a5a5a5);
}

/* A second-level batch, and a chain. */
static void batches(unsigned int class)
{
	struct job j;
	struct it_bo *bo, *other;
	struct igen_batch called, chained;

	start(&j, class);
	bo = it_bo(j.dev, 4096);
	other = it_bo(j.dev, 8192);
	igen_batch_init(&called, gen, j.b.engine, other->map, 4096);
	igen_mi_store_dword(&called, at(bo, 4), 2);
	igen_batch_init(&chained, gen, j.b.engine, (char *)other->map + 4096, 4096);
	igen_mi_store_dword(&chained, at(bo, 12), 4);
	it_expect(!igen_batch_end(&called) && !igen_batch_end(&chained), "the other batches could not be built");
	igen_mi_store_dword(&j.b, at(bo, 0), 1);
	igen_mi_call(&j.b, at(other, 0));
	igen_mi_store_dword(&j.b, at(bo, 8), 3);
	igen_mi_chain(&j.b, at(other, 4096));
	j.bo.n = j.b.used;
	it_expect(!j.b.error, "the batch could not be built: %s", j.b.why);
	it_run_wait(j.dev, j.ctx, j.engine, &j.bo, (struct it_bo *[]){ bo, other }, 2);
	for (unsigned int i = 0; i < 4; i++)
		expect_dword(bo, i, i + 1);
}

/* Relocations write the addresses of the words: nothing is pinned and all presumed addresses are wrong. */
static void relocated(unsigned int class)
{
	struct drm_i915_gem_relocation_entry entries[64] = { 0 };
	struct drm_i915_gem_exec_object2 obj[3] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)obj, .buffer_count = 3 };
	struct it_bo *bos[2];
	struct igen_address to[2];
	struct job j;
	int ret;

	start(&j, class);
	for (unsigned int i = 0; i < 2; i++) {
		bos[i] = it_bo(j.dev, 4096);
		to[i] = (struct igen_address){ 0x70000000 + i * 0x10000, 0, 4096, i };
	}
	for (unsigned int i = 0; i < 20; i++)
		igen_mi_store_dword(&j.b, igen_batch_offset(to[i & 1], i * 8), TOKEN + i);
	finish(&j);
	it_expect(j.b.num_relocs == 20, "%u records of 20 addresses", j.b.num_relocs);
	for (unsigned int i = 0; i < j.b.num_relocs; i++) {
		entries[i].target_handle = bos[j.relocs[i].bo]->handle;
		entries[i].delta = j.relocs[i].delta;
		entries[i].offset = j.relocs[i].at;
		entries[i].presumed_offset = j.relocs[i].presumed;
		entries[i].write_domain = j.relocs[i].write ? I915_GEM_DOMAIN_RENDER : 0;
		entries[i].read_domains = I915_GEM_DOMAIN_RENDER;
	}
	for (unsigned int i = 0; i < 3; i++) {
		obj[i].handle = i < 2 ? bos[i]->handle : j.bo.bo->handle;
		obj[i].flags = EXEC_OBJECT_SUPPORTS_48B_ADDRESS | (i < 2 ? EXEC_OBJECT_WRITE : 0);
	}
	obj[2].relocs_ptr = (uintptr_t)entries;
	obj[2].relocation_count = j.b.num_relocs;
	eb.batch_len = j.b.used * 4;
	eb.flags = j.engine;
	eb.rsvd1 = j.ctx;
	ret = it_ioctl(j.dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(!ret, "execbuf with relocations: error %d", ret);
	ret = it_bo_wait(j.bo.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch did not end: error %d", ret);
	for (unsigned int i = 0; i < 20; i++)
		expect_dword(bos[i & 1], i * 2, TOKEN + i);
}

/* Public Gen9 PRM Vol 5, "Tiled Memory". */
static size_t place(enum igen_tiling tiling, unsigned int x, unsigned int y)
{
	if (tiling == IGEN_TILE_X)
		return (y / 8 * (PITCH / 512) + x / 512) * 4096 + y % 8 * 512 + x % 512;
	if (tiling == IGEN_TILE_Y)
		return (y / 32 * (PITCH / 128) + x / 128) * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16;
	return (size_t)y * PITCH + x;
}

static void scribble(struct it_bo *bo, uint32_t seed)
{
	for (size_t i = 0; i < bo->size / 4; i++) {
		seed = seed * 1664525 + 1013904223;
		((uint32_t *)bo->map)[i] = seed;
	}
}

static void expect_pixels(const struct it_bo *bo, const uint8_t *want, enum igen_tiling tiling)
{
	for (unsigned int y = 0; y < SIZE / PITCH; y++)
		for (unsigned int x = 0; x < PITCH; x++)
			it_expect(((uint8_t *)bo->map)[place(tiling, x, y)] == want[place(tiling, x, y)],
				  "byte %u of row %u is %02x, expected %02x", x, y,
				  ((uint8_t *)bo->map)[place(tiling, x, y)], want[place(tiling, x, y)]);
}

static struct igen_blt_surface surface(const struct it_bo *bo, enum igen_tiling tiling, uint32_t cpp)
{
	return (struct igen_blt_surface){ at(bo, 0), PITCH, tiling, cpp };
}

/* Fill, invert and a glyph, one over the other. */
static void fill(unsigned int arg)
{
	static const uint8_t bits[8] = { 0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0xff };
	enum igen_tiling tiling = arg & 3;
	uint32_t cpp = arg >> 2, color = 0x89abcdef;
	struct igen_rect rect = { 13, 9, 100, 70 }, part = { 20, 40, 33, 50 }, glyph = { 120, 100, 8, 8 };
	static uint8_t want[SIZE];
	struct igen_blt_surface dst;
	struct it_bo *bo;
	struct job j;

	start(&j, I915_ENGINE_CLASS_COPY);
	bo = it_bo(j.dev, SIZE);
	scribble(bo, arg);
	memcpy(want, bo->map, SIZE);
	for (uint32_t y = 0; y < 150; y++)
		for (uint32_t x = 0; x < 200 * cpp; x++) {
			uint32_t px = x / cpp;
			uint8_t *p = &want[place(tiling, x, y)], c = color >> x % cpp * 8;

			if (px - rect.x < rect.width && y - rect.y < rect.height)
				*p = c;
			if (px - part.x < part.width && y - part.y < part.height)
				*p ^= (uint8_t)(~color >> x % cpp * 8);
			if (px - glyph.x < 8 && y - glyph.y < 8 && bits[y - glyph.y] & 0x80 >> (px - glyph.x))
				*p = c;
		}
	dst = surface(bo, tiling, cpp);
	igen_blt_fill(&j.b, &dst, &rect, color);
	igen_blt_fill_rop(&j.b, &dst, &part, ~color, IGEN_ROP_INVERT);
	igen_blt_glyph(&j.b, &dst, &glyph, color, bits, sizeof(bits));
	run(&j, &bo, 1);
	expect_pixels(bo, want, tiling);
}

static void copy(unsigned int arg)
{
	enum igen_tiling from = arg & 3, to = arg >> 2 & 3;
	bool fast = arg >> 4;
	struct igen_rect rect = { 64, 21, 100, 120 };
	static uint8_t want[SIZE];
	struct igen_blt_surface dst, src;
	struct it_bo *bos[2];
	struct job j;

	start(&j, I915_ENGINE_CLASS_COPY);
	for (unsigned int i = 0; i < 2; i++) {
		bos[i] = it_bo(j.dev, SIZE);
		scribble(bos[i], arg + i);
	}
	memcpy(want, bos[0]->map, SIZE);
	for (uint32_t y = 0; y < rect.height; y++)
		for (uint32_t x = 0; x < rect.width * 4; x++)
			want[place(to, x + rect.x * 4, y + rect.y)] =
				((uint8_t *)bos[1]->map)[place(from, x + 16 * 4, y + 3)];
	dst = surface(bos[0], to, 4);
	src = surface(bos[1], from, 4);
	if (fast)
		igen_blt_fast_copy(&j.b, &dst, &rect, &src, 16, 3);
	else
		igen_blt_copy(&j.b, &dst, &rect, &src, 16, 3);
	run(&j, bos, 2);
	expect_pixels(bos[0], want, to);
}

/* Threads that end at once: they are counted, and what stands around them arrives. */
static void media(unsigned int arg)
{
	bool gpgpu = arg;
	struct igen_media m = { .pipeline = gpgpu ? IGEN_PIPELINE_GPGPU : IGEN_PIPELINE_MEDIA, .num_descriptors = 1,
				.curbe = 64, .curbe_bytes = 64,
				.vfe = { .threads = 56, .urb_entries = 2, .entry_rows = 2, .curbe_rows = 2 } };
	struct igen_kernel kernel = { .start = IT_PROGRAM, .constants = 1, .threads = gpgpu ? 4 : 0 };
	struct igen_gpgpu_walk walk = { .simd = 16, .groups = { 5, 3, 2 } };
	struct igen_media_walk grid = { .width = 8, .height = 4 };
	struct igen_media_object object = { .num_inline = 1, .inline_data = &(uint32_t){ 7 } };
	struct igen_batch state;
	struct it_bo *bo;
	struct job j;

	start(&j, I915_ENGINE_CLASS_RENDER);
	bo = it_bo(j.dev, 8192);
	igen_batch_init(&state, gen, IGEN_BATCH_MEMORY, bo->map, 4096);
	m.descriptors = igen_media_descriptor(&state, &kernel);
	it_put_program(bo, gen);
	it_expect(!state.error, "the descriptor: %s", state.why);
	m.bases = (struct igen_bases){ at(bo, 0), at(bo, 0), at(bo, 0), at(bo, 0), at(bo, 0), 0 };
	mark(&j, bo, 4096);
	igen_media_begin(&j.b, &m);
	if (gpgpu) {
		igen_gpgpu_local_size(&walk, 64);
		igen_gpgpu_walk_preemptible(&j.b, &walk);
	} else {
		igen_media_object(&j.b, &object);
		igen_media_walk(&j.b, &grid);
		igen_media_flush(&j.b);
	}
	igen_pipe_drain(&j.b);
	run_marked(&j, &bo, 1, bo, 4096);
}

/*
 * Pixel shaders of Gen9. The first writes the attribute's value at the first vertex, the second the texture's colour at
 * the place that the attribute says:
 *
 *	mov (8|M0) r20.0<1>:f r6.3<0;1,0>:f
 *	mov (8|M0) r21.0<1>:f r6.7<0;1,0>:f
 *	mov (8|M0) r22.0<1>:f r7.3<0;1,0>:f
 *	mov (8|M0) r23.0<1>:f r7.7<0;1,0>:f
 *	send (8|M0) null r20:f 0x25 0x08031400
 *
 *	pln (8|M0) r20.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f
 *	pln (8|M0) r21.0<1>:f r6.4<0;1,0>:f r2.0<8;8,1>:f
 *	send (8|M0) r30:uw r20:f 0x2 0x04420001
 *	send (8|M0) null r30:f 0x25 0x08031400
 */
static const uint32_t shaders[2][20] = {
	{ 0x00600001, 0x22803ae8, 0x000000cc, 0x00000000, 0x00600001, 0x22a03ae8, 0x000000dc, 0x00000000,
	  0x00600001, 0x22c03ae8, 0x000000ec, 0x00000000, 0x00600001, 0x22e03ae8, 0x000000fc, 0x00000000,
	  0x05600031, 0x20003a00, 0x06000280, 0x88031400 },
	{ 0x0060005a, 0x22803ae8, 0x3a0000c0, 0x008d0040, 0x0060005a, 0x22a03ae8, 0x3a0000d0, 0x008d0040,
	  0x02600031, 0x23c03a48, 0x06000280, 0x04420001, 0x05600031, 0x20003a00, 0x060003c0, 0x88031400 },
};

static uint32_t texel(uint32_t x, uint32_t y)
{
	return (x | y << 8) * 0x10001;
}

/* Each pixel of the Y-tiled target is drawn, or as it was. */
static void expect_drawn(const struct it_bo *bo, const struct igen_draw *d)
{
	for (uint32_t y = 0; y < SIZE / PITCH; y++) {
		for (uint32_t x = 0; x < PITCH / 4; x++) {
			uint32_t tile = y / 32 * 32 * PITCH + x / 32 * 4096;
			uint32_t byte = tile + x % 32 / 4 * 512 + y % 32 * 16 + x % 4 * 4;
			bool in = x - d->rect.x < d->rect.width && y - d->rect.y < d->rect.height;
			uint32_t drawn = d->texture ? texel(x - d->rect.x, y - d->rect.y) : 0xff604020;

			expect_dword(bo, byte / 4, in ? drawn : 0);
		}
	}
}

static void render(unsigned int arg)
{
	struct igen_draw draw = { .rect = { 3, 5, 40, 30 }, .color = 0xff204060,
				  .shader = { .simd = 8, .first_register = 6, .threads = 48 } };
	struct igen_image texture;
	struct igen_batch state;
	struct it_bo *bos[3];
	struct job j;

	if (gen != 9)
		it_skip("the shaders are those of generation 9");
	start(&j, I915_ENGINE_CLASS_RENDER);
	for (unsigned int i = 0; i < 3; i++)
		bos[i] = it_bo(j.dev, SIZE);
	texture = (struct igen_image){ at(bos[1], 0), PITCH / 4, SIZE / PITCH, PITCH, IGEN_LINEAR,
				       IGEN_FORMAT_B8G8R8A8 };
	draw.target = texture;
	draw.target.at = at(bos[0], 0);
	draw.target.tiling = IGEN_TILE_Y;
	draw.texture = arg ? &texture : NULL;
	draw.kernels = at(bos[2], 65536);
	memcpy((uint8_t *)bos[2]->map + 65536, shaders[arg], sizeof(shaders[arg]));
	for (uint32_t y = 0; y < SIZE / PITCH; y++)
		for (uint32_t x = 0; x < PITCH / 4; x++)
			((uint32_t *)bos[1]->map)[y * PITCH / 4 + x] = texel(x, y);
	igen_batch_init(&state, gen, IGEN_BATCH_MEMORY, bos[2]->map, 65536);
	state.self = at(bos[2], 0);
	mark(&j, bos[2], 131072);
	igen_render_rect(&j.b, &state, &draw);
	it_expect(!state.error, "states: %s", state.why);
	run_marked(&j, bos, 3, bos[2], 131072);
	expect_drawn(bos[0], &draw);
}

/* All state of the pipeline, between two stores. */
static void null_state(unsigned int arg)
{
	struct it_bo *bo;
	struct job j;

	(void)arg;
	start(&j, I915_ENGINE_CLASS_RENDER);
	bo = it_bo(j.dev, 4096);
	mark(&j, bo, 0);
	igen_null_state(&j.b);
	run_marked(&j, &bo, 1, bo, 0);
}

/*
 * A triangle in a context that has set nothing, or that has lost everything by a hang: it is drawn with what the
 * context started from. The model counts state that is missing, which is the caller's to look at.
 */
static void default_draw(unsigned int hang)
{
	struct it_batch spinner;
	struct it_bo *bo;
	struct job j;
	int ret;

	start(&j, I915_ENGINE_CLASS_RENDER);
	bo = it_bo(j.dev, 4096);
	if (hang) {
		spinner = it_spinner(j.dev);
		ret = it_run(j.dev, j.ctx, j.engine, &spinner, NULL, 0, 0);
		it_expect(!ret, "execbuf of the batch that hangs: error %d", ret);
		ret = it_bo_wait(spinner.bo, IT_WAIT_NS);
		it_expect(!ret, "the batch was not stopped in a minute: error %d", ret);
	}
	mark(&j, bo, 0);
	igen_batch_emit_gen9(&j.b, _3dprimitive, .primitive_topology_type = IGEN_TRILIST,
			     .vertex_count_per_instance = 3, .instance_count = 1);
	igen_pipe_drain(&j.b);
	run_marked(&j, &bo, 1, bo, 0);
}

/* Which manual the device is of. */
static unsigned int device_gen(void)
{
	int fd = it_open_fd(), id = 0;
	const struct igen_cmd_set *set;

	if (fd < 0 || it_getparam(fd, I915_PARAM_CHIPSET_ID, &id))
		return 0;
	set = igen_set_by_pci_id(id);
	return set ? set->gen : 0;
}

int main(int argc, char **argv)
{
	static const char * const names[] = { "linear", "x", "y" };

	it_init(argc, argv);
	gen = device_gen();
	if (gen < 9) {
		printf("skip everything: %s\n", gen ? "softpin wants generation 9" : "no GPU with an i915 uAPI");
		return IT_SKIPPED;
	}
	for (unsigned int class = 0; class < 4; class++) {
		it_subtest(mi, class, "mi-%s", it_class_name(class));
		/* The blitter's batches go through the parser, which lets none lead elsewhere. */
		if (class != I915_ENGINE_CLASS_COPY)
			it_subtest(batches, class, "batches-%s", it_class_name(class));
	}
	it_subtest(relocated, I915_ENGINE_CLASS_RENDER, "relocated");
	for (unsigned int t = 0; t < 3; t++)
		for (unsigned int cpp = 1; cpp <= 4; cpp *= 2)
			it_subtest(fill, t | cpp << 2, "blt-fill-%u-%s", cpp * 8, names[t]);
	for (unsigned int i = 0; i < 18; i++)
		it_subtest(copy, i % 3 | i / 3 % 3 << 2 | i / 9 << 4, "blt-%s-%s-to-%s", i < 9 ? "copy" : "fast-copy",
			   names[i % 3], names[i / 3 % 3]);
	it_subtest(media, 0, "media");
	it_subtest(media, 1, "gpgpu");
	it_subtest(render, 0, "render-clear");
	it_subtest(render, 1, "render-copy");
	it_subtest(null_state, 0, "null-state");
	it_subtest(default_draw, 0, "default-draw");
	it_subtest(default_draw, 1, "default-draw-after-hang");
	return it_exit();
}
