// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of draws on Ivy Bridge
 *
 * Rectangles that include/igen/batch/render.h builds, which has the layouts of Gen7's state. Shaders are those of Gen7
 * by Intel's assembler, for 8 pixels, with their setup data from r6 on:
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
#include "igen/batch/render.h"
#include "ring_bench.h"

#define BASE		RCS0_BASE
#define STATE		0x200000u	/* in RAM: surface and dynamic state */
#define KERNELS		0x210000u
#define SOURCE		0x220000u
#define TARGET		0x240000u
#define WIDTH		64u
#define HEIGHT		64u
#define PITCH		512u
#define OLD		0xdeadbeefu

static const uint32_t shader_fill[] = {
	0x00600001, 0x228003bd, 0x000000cc, 0x00000000, 0x00600001, 0x22a003bd, 0x000000dc, 0x00000000,
	0x00600001, 0x22c003bd, 0x000000ec, 0x00000000, 0x00600001, 0x22e003bd, 0x000000fc, 0x00000000,
	0x05600031, 0x20000fa0, 0x00000280, 0x88031400,
};

static const uint32_t shader_copy[] = {
	0x0060005a, 0x228077bd, 0x000000c0, 0x008d0040, 0x0060005a, 0x22a077bd, 0x000000d0, 0x008d0040,
	0x02600031, 0x23c00fa9, 0x00000280, 0x04420001, 0x05600031, 0x20000fa0, 0x000003c0, 0x88031400,
};

static struct igen_address at(uint32_t pa)
{
	return (struct igen_address){ .presumed = VA + pa, .size = 0x10000 };
}

static uint32_t place(enum igen_tiling tiling, uint32_t x, uint32_t y)
{
	if (tiling == IGEN_TILE_X)
		return y / 8 * 8 * PITCH + x / 128 * 4096 + y % 8 * 512 + x % 128 * 4;
	if (tiling == IGEN_TILE_Y)
		return y / 32 * 32 * PITCH + x / 32 * 4096 + x % 32 / 4 * 512 + y % 32 * 16 + x % 4 * 4;
	return y * PITCH + x * 4;
}

static uint32_t pattern(uint32_t x, uint32_t y)
{
	return (x | y << 8) * 0x10001 + 0x20;
}

static struct igen_image image(uint32_t pa, enum igen_tiling tiling)
{
	return (struct igen_image){ at(pa), WIDTH, HEIGHT, PITCH, tiling, IGEN_FORMAT_B8G8R8A8 };
}

static void start(enum igen_tiling from, enum igen_tiling to)
{
	const char *const set[] = { "platform=ivb", NULL };

	counters_reset();
	bench_start(set);
	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t x = 0; x < WIDTH; x++) {
			put(SOURCE + place(from, x, y), pattern(x, y));
			put(TARGET + place(to, x, y), OLD);
		}
	}
}

static bool draw(const struct igen_draw *d)
{
	static uint32_t map[1024];
	struct igen_batch b, state;

	memset(ram + STATE, 0, 0x1000);
	igen_batch_init(&state, 7, IGEN_BATCH_MEMORY, ram + STATE, 0x1000);
	state.self = at(STATE);
	igen_batch_init(&b, 7, IGEN_BATCH_RENDER, map, sizeof(map));
	igen_render_rect(&b, &state, d);
	if (b.error || state.error)
		return false;
	ring_emit(BASE, map, b.used);
	return ring_run(BASE);
}

/* Pixels that are not as they should be: within the rectangle those of the source, or the colour if there is one. */
static unsigned int wrong(const struct igen_draw *d, uint32_t color)
{
	unsigned int n = 0;

	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t x = 0; x < WIDTH; x++) {
			bool inside = x - d->rect.x < d->rect.width && y - d->rect.y < d->rect.height;
			uint32_t v = color ? color : pattern(x - d->rect.x + d->x, y - d->rect.y + d->y);

			n += get(TARGET + place(d->target.tiling, x, y)) != (inside ? v : OLD);
		}
	}
	return n;
}

static void copies(void)
{
	for (unsigned int i = 0; i < 9; i++) {
		struct igen_image source = image(SOURCE, (enum igen_tiling)(i / 3));
		struct igen_draw d = {
			.target = image(TARGET, (enum igen_tiling)(i % 3)), .rect = { 3, 5, 41, 23 },
			.texture = &source, .x = 9, .y = 2, .shader = { .simd = 8, .first_register = 6, .threads = 48 },
			.kernels = at(KERNELS),
		};
		bool drawn;

		start(source.tiling, d.target.tiling);
		memcpy(ram + KERNELS, shader_copy, sizeof(shader_copy));
		drawn = draw(&d);
		check(drawn && !wrong(&d, 0), "copy: tiling %u to %u (%u wrong)", i / 3, i % 3, wrong(&d, 0));
		bench_stop();
	}
}

static void fills(void)
{
	struct igen_draw d = {
		.target = image(TARGET, IGEN_TILE_Y), .rect = { 1, 1, 20, 9 }, .color = 0x80604020,
		.shader = { .simd = 8, .first_register = 6, .threads = 48 }, .kernels = at(KERNELS),
	};
	bool drawn;

	start(IGEN_LINEAR, IGEN_TILE_Y);
	memcpy(ram + KERNELS, shader_fill, sizeof(shader_fill));
	drawn = draw(&d);
	check(drawn && !wrong(&d, 0x80204060), "fill: the first vertex's colour (%u wrong)", wrong(&d, 0x80204060));
	check(!counter_value("page_faults", "rcs0"), "without a page fault");
	bench_stop();
}

int main(void)
{
	copies();
	fills();
	return test_end();
}
