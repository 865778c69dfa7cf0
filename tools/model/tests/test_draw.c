// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of draws
 *
 * Rectangles are copied, filled and cut as SNB Vol 2 Part 1 has it: chapters 2 (vertex fetch), 6 (setup) and 7
 * (pixels). A pixel's place in a tiled surface stands here as numbers. Programs that never end or make mistakes keep
 * the engine until it is reset, and nothing else. What the model lacks is counted and draws nothing.
 */
#include <math.h>

#include "draw_programs.h"
#include "engine_bench.h"
#include "gen9_3d.h"
#include "gen9_gfx.h"
#include "gen9_state.h"
#include "media_programs.h"

#define STATE		0x40000u		/* in RAM: all bases */
#define SECOND		0x800u			/* from there: a second program */
#define TABLE		0x1000u
#define SURFACES	0x1100u
#define SAMPLER		0x1300u
#define VERTICES	0x1400u
#define SCISSOR		0x1600u
#define BLEND		0x1700u
#define INDICES		0x1800u
#define VIEWPORT	0x1900u
#define SOURCE		0x200000u
#define TARGET		0x280000u
#define FLAG		(PA_DATA + 0x100)
#define STORE(pa, v)	MI_STORE_DATA_IMM_DW, PPGTT(pa), (v)
#define STALL		PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_SCOREBOARD_STALL, 0, 0, 0, 0
#define INVALIDATE	PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_INSTRUCTION_INVALIDATE, 0, 0, 0, 0
#define WIDTH		64u			/* of both surfaces, pixels of four bytes */
#define HEIGHT		64u
#define PITCH		512u
#define RECTLIST	15
#define BGRA8		0x0c0
#define RG16_SSCALED	0x0f6
#define RGBA8		0x0c7
#define RGBA32_FLOAT	0x000
#define RGBA32_UINT	0x002
#define RG32_FLOAT	0x085
#define ONE		0x3f800000u
#define OLD		0xdeadbeefu		/* what the target has before */

/* Tile modes; that of Yf is another number in the state. */
enum { LINEAR_TILES, X_TILES = 2, Y_TILES, YF_TILES };
enum { STORE_SOURCE = 1, STORE_0, STORE_1 };

static const uint32_t base = RCS0_BASE;

/* What a draw depends on; the defaults are set by start(). */
static struct gen9__3dstate_ps ps;
static struct gen9__3dstate_ps_extra extra;
static struct gen9__3dstate_ps_blend blend;
static struct gen9__3dstate_wm wm;
static struct gen9__3dstate_sbe sbe;
static struct gen9__3dstate_raster raster;
static struct gen9__3dstate_clip clip;
static struct gen9__3dstate_sf sf;
static struct gen9__3dstate_drawing_rectangle bounds;
static struct gen9__3dstate_vf_instancing instancing;
static struct gen9__3dstate_vf_sgvs sgvs;
static struct gen9__3dstate_vf fetch;
static struct gen9__3dstate_vs vs;
static struct gen9__3dstate_wm_depth_stencil depth;
static struct gen9__3dstate_blend_state_pointers blend_pointer;
static struct gen9__3dprimitive primitive;
static struct gen9_vertex_buffer_state buffer;
static struct gen9_vertex_element_state element[3];
static struct gen9_render_surface_state target, source;
static uint32_t topology;

#define pack(c, name, n, v) do {					\
		uint32_t dw_[n] = { 0 };				\
									\
		if (gen9_##name##_pack(dw_, n, v) != (n))		\
			exit(2);					\
		batch_emit(c, dw_, n);					\
	} while (0)

static uint32_t place(unsigned int tiles, uint32_t x, uint32_t y)
{
	x *= 4;
	if (tiles == X_TILES)
		return y / 8 * 8 * PITCH + x / 512 * 4096 + y % 8 * 512 + x % 512;
	if (tiles == Y_TILES)
		return y / 32 * 32 * PITCH + x / 128 * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16;
	if (tiles == YF_TILES)
		return y / 32 * 32 * PITCH + x / 128 * 4096 + (x & 64) * 32 + (y & 16) * 64 + (x & 32) * 16 +
		       (y & 8) * 32 + (x & 16) * 8 + (y & 7) * 16 + x % 16;
	return y * PITCH + x;
}

static uint32_t pattern(uint32_t x, uint32_t y)
{
	return (x * 3 + y * 5) % 256 | (y * 7 + 1) % 256 << 8 | (x * y + 2) % 256 << 16 | (x + y + 128) % 256 << 24;
}

static uint32_t drawn(uint32_t x, uint32_t y)
{
	return get(TARGET + place(target.tile_mode + target.tiled_resource_mode, x, y));
}

static void put_float(uint32_t pa, float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	put(pa, v);
}

/* Vertex n of the buffer: its corner in pixels, and two more dwords. */
static void vertex(unsigned int n, int x, int y, float u, float v)
{
	put(STATE + VERTICES + 12 * n, (uint32_t)(x & 0xffff) | (uint32_t)y << 16);
	put_float(STATE + VERTICES + 12 * n + 4, u);
	put_float(STATE + VERTICES + 12 * n + 8, v);
}

/* The three vertices of a rectangle from n on, filled with the same part of the source, as far to the left and top. */
static void rectangle(unsigned int n, int x, int y, int width, int height, int from_x, int from_y)
{
	float u0 = (float)from_x / WIDTH, v0 = (float)from_y / HEIGHT;
	float u1 = (float)(from_x + width) / WIDTH, v1 = (float)(from_y + height) / HEIGHT;

	vertex(n, x + width, y + height, u1, v1);
	vertex(n + 1, x, y + height, u0, v1);
	vertex(n + 2, x, y, u0, v0);
}

static struct gen9_render_surface_state picture(uint32_t pa, unsigned int tiles)
{
	return (struct gen9_render_surface_state){
		.surface_type = 1, .surface_format = BGRA8, .surface_base_address = VA + pa, .width = WIDTH - 1,
		.height = HEIGHT - 1, .surface_pitch = PITCH - 1, .tile_mode = tiles,
		.surface_horizontal_alignment = 1, .surface_vertical_alignment = 1,
		.shader_channel_select_red = 4, .shader_channel_select_green = 5, .shader_channel_select_blue = 6,
		.shader_channel_select_alpha = 7,
	};
}

static void defaults(void)
{
	static const struct gen9_vertex_element_state elements[3] = {
		{ .valid = true, .component_0_control = STORE_0, .component_1_control = STORE_0,
		  .component_2_control = STORE_0, .component_3_control = STORE_0 },
		{ .valid = true, .source_element_format = RG16_SSCALED, .component_0_control = STORE_SOURCE,
		  .component_1_control = STORE_SOURCE, .component_2_control = STORE_0, .component_3_control = STORE_1 },
		{ .valid = true, .source_element_format = RG32_FLOAT, .source_element_offset = 4,
		  .component_0_control = STORE_SOURCE, .component_1_control = STORE_SOURCE,
		  .component_2_control = STORE_0, .component_3_control = STORE_1 },
	};

	ps = (struct gen9__3dstate_ps){
		._16_pixel_dispatch_enable = true, .dispatch_grf_start_register_for_constant_setup_data_0 = 6,
	};
	extra = (struct gen9__3dstate_ps_extra){ .pixel_shader_valid = true, .attribute_enable = true };
	blend = (struct gen9__3dstate_ps_blend){ .has_writeable_rt = true };
	wm = (struct gen9__3dstate_wm){ .barycentric_interpolation_mode = 1 };
	sbe = (struct gen9__3dstate_sbe){
		.number_of_sf_output_attributes = 1, .vertex_urb_entry_read_length = 1,
		.vertex_urb_entry_read_offset = 1, .force_vertex_urb_entry_read_length = true,
		.force_vertex_urb_entry_read_offset = true, .attribute_active_component_format = { 3, 3 },
	};
	raster = (struct gen9__3dstate_raster){ .cull_mode = 1 };
	clip = (struct gen9__3dstate_clip){ 0 };
	sf = (struct gen9__3dstate_sf){ 0 };
	bounds = (struct gen9__3dstate_drawing_rectangle){
		.clipped_drawing_rectangle_x_max = WIDTH - 1, .clipped_drawing_rectangle_y_max = HEIGHT - 1,
	};
	instancing = (struct gen9__3dstate_vf_instancing){ .vertex_element_index = 2 };
	sgvs = (struct gen9__3dstate_vf_sgvs){ 0 };
	fetch = (struct gen9__3dstate_vf){ 0 };
	vs = (struct gen9__3dstate_vs){ 0 };
	depth = (struct gen9__3dstate_wm_depth_stencil){ 0 };
	blend_pointer = (struct gen9__3dstate_blend_state_pointers){ 0 };
	primitive = (struct gen9__3dprimitive){ .vertex_count_per_instance = 3, .instance_count = 1 };
	buffer = (struct gen9_vertex_buffer_state){
		.address_modify_enable = true, .buffer_pitch = 12, .buffer_starting_address = VA + STATE + VERTICES,
		.buffer_size = 12 * 12,
	};
	memcpy(element, elements, sizeof(element));
	target = picture(TARGET, LINEAR_TILES);
	source = picture(SOURCE, LINEAR_TILES);
	topology = RECTLIST;
}

static void program_at(uint32_t at, const uint32_t *program, size_t bytes)
{
	memcpy(ram + STATE + at, program, bytes);
}

#define PROGRAM(program)	program_at(0, program, sizeof(program))

static void start(const char *set)
{
	const char *const sets[] = { set, NULL };

	counters_reset();
	bench_start(sets);
	memset(ram + PA_DATA, 0, 4096);
	memset(ram + STATE, 0, 0x2000);
	defaults();
}

/* Colours of the source; the target has another one. */
static void pictures(unsigned int from, unsigned int to)
{
	source.tile_mode = from < YF_TILES ? from : Y_TILES;
	source.tiled_resource_mode = from == YF_TILES;
	target.tile_mode = to < YF_TILES ? to : Y_TILES;
	target.tiled_resource_mode = to == YF_TILES;
	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t x = 0; x < WIDTH; x++) {
			put(SOURCE + place(from, x, y), pattern(x, y));
			put(TARGET + place(to, x, y), OLD);
		}
	}
}

static void states(void)
{
	struct gen9_sampler_state s = {
		.tcx_address_control_mode = 2, .tcy_address_control_mode = 2, .tcz_address_control_mode = 2,
	};
	uint32_t dw[16] = { 0 };

	gen9_render_surface_state_put(dw, &target);
	memcpy(ram + STATE + SURFACES, dw, sizeof(dw));
	memset(dw, 0, sizeof(dw));
	gen9_render_surface_state_put(dw, &source);
	memcpy(ram + STATE + SURFACES + 64, dw, sizeof(dw));
	put(STATE + TABLE, SURFACES);
	put(STATE + TABLE + 4, SURFACES + 64);
	memset(dw, 0, sizeof(dw));
	gen9_sampler_state_put(dw, &s);
	memcpy(ram + STATE + SAMPLER, dw, 16);
}

static void bases(struct ctx *a)
{
	struct gen9_state_base_address b = {
		.surface_state_base_address_modify_enable = true, .surface_state_base_address = VA + STATE,
		.dynamic_state_base_address_modify_enable = true, .dynamic_state_base_address = VA + STATE,
		.instruction_base_address_modify_enable = true, .instruction_base_address = VA + STATE,
		.general_state_base_address_modify_enable = true, .general_state_base_address = VA,
	};

	pack(a, state_base_address, 19, &b);
}

static void emit_vertices(struct ctx *a)
{
	struct gen9__3dstate_index_buffer indices = {
		.index_format = 1, .buffer_starting_address = VA + STATE + INDICES, .buffer_size = 16,
	};
	uint32_t dw[8] = { 0 };

	pack(a, _3dstate_index_buffer, 5, &indices);
	pack(a, _3dstate_vf, 2, &fetch);
	pack(a, _3dstate_vf_sgvs, 2, &sgvs);
	pack(a, _3dstate_vf_instancing, 3, &instancing);
	dw[0] = 0x78080000 | 3;
	gen9_vertex_buffer_state_put(dw + 1, &buffer);
	batch_emit(a, dw, 5);
	memset(dw, 0, sizeof(dw));
	dw[0] = 0x78090000 | 5;
	for (unsigned int i = 0; i < 3; i++)
		gen9_vertex_element_state_put(dw + 1 + 2 * i, &element[i]);
	batch_emit(a, dw, 7);
}

static void emit(struct ctx *a)
{
	struct gen9__3dstate_vf_topology t = { .primitive_topology_type = topology };
	struct gen9__3dstate_binding_table_pointers_ps table = { .pointer_to_ps_binding_table = TABLE };
	struct gen9__3dstate_sampler_state_pointers_ps samplers = { .pointer_to_ps_sampler_state = SAMPLER };
	struct gen9__3dstate_scissor_state_pointers scissor = { .scissor_rect_pointer = SCISSOR };
	struct gen9__3dstate_viewport_state_pointers_sf_clip viewport = { .sf_clip_viewport_pointer = VIEWPORT };
	struct gen9__3dstate_sample_mask mask = { .sample_mask = 1 };

	bases(a);
	emit_vertices(a);
	pack(a, _3dstate_vf_topology, 2, &t);
	pack(a, _3dstate_vs, 9, &vs);
	pack(a, _3dstate_clip, 4, &clip);
	pack(a, _3dstate_sf, 4, &sf);
	pack(a, _3dstate_raster, 5, &raster);
	pack(a, _3dstate_sbe, 6, &sbe);
	pack(a, _3dstate_wm, 2, &wm);
	pack(a, _3dstate_wm_depth_stencil, 4, &depth);
	pack(a, _3dstate_ps, 12, &ps);
	pack(a, _3dstate_ps_extra, 2, &extra);
	pack(a, _3dstate_ps_blend, 2, &blend);
	pack(a, _3dstate_blend_state_pointers, 2, &blend_pointer);
	pack(a, _3dstate_sample_mask, 2, &mask);
	pack(a, _3dstate_binding_table_pointers_ps, 2, &table);
	pack(a, _3dstate_sampler_state_pointers_ps, 2, &samplers);
	pack(a, _3dstate_scissor_state_pointers, 2, &scissor);
	pack(a, _3dstate_viewport_state_pointers_sf_clip, 2, &viewport);
	pack(a, _3dstate_drawing_rectangle, 4, &bounds);
	pack(a, _3dprimitive, 7, &primitive);
}

static void prepare(struct ctx *a)
{
	states();
	ctx_init(a, 0, base, CTL_FRESH);
	batch(a, INVALIDATE);
	emit(a);
	batch(a, STALL, STORE(FLAG, 1), MI_BATCH_BUFFER_END);
	ring_batch(a, CTX_BATCH, true);
}

/* Draws; false if that does not end. */
static bool draw(void)
{
	struct ctx a;

	prepare(&a);
	return run(base, &a) && get(FLAG) == 1;
}

static bool inside(uint32_t x, uint32_t y, uint32_t left, uint32_t top, uint32_t width, uint32_t height)
{
	return x >= left && x < left + width && y >= top && y < top + height;
}

/* Pixels that are not as they should be: within the rectangle those of the source, or the colour if it is not 0. */
static unsigned int wrong(uint32_t left, uint32_t top, uint32_t width, uint32_t height, uint32_t from_x,
			  uint32_t from_y, uint32_t color)
{
	unsigned int n = 0;

	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t x = 0; x < WIDTH; x++) {
			uint32_t v = color ? color : pattern(x - left + from_x, y - top + from_y);

			n += drawn(x, y) != (inside(x, y, left, top, width, height) ? v : OLD);
		}
	}
	return n;
}

/* With this program, and linear pictures. */
static void begin(const uint32_t *program, size_t bytes)
{
	start(NULL);
	program_at(0, program, bytes);
	pictures(LINEAR_TILES, LINEAR_TILES);
}

#define BEGIN(program)	begin(program, sizeof(program))

/* A rectangle with odd sides from each tiling to each, in threads of 16 pixels, of 8, and of both. */
static void copies(void)
{
	static const unsigned int tiles[4] = { LINEAR_TILES, X_TILES, Y_TILES, YF_TILES };

	for (unsigned int i = 0; i < 16; i++) {
		start(NULL);
		PROGRAM(shader_copy16);
		pictures(tiles[i / 4], tiles[i % 4]);
		rectangle(0, 3, 5, 41, 23, 9, 2);
		check(draw() && !wrong(3, 5, 41, 23, 9, 2, 0), "copy: tile mode %u to %u (%u wrong)", tiles[i / 4],
		      tiles[i % 4], wrong(3, 5, 41, 23, 9, 2, 0));
		bench_stop();
	}
	for (unsigned int both = 0; both < 2; both++) {
		start(NULL);
		PROGRAM(shader_copy8);
		program_at(SECOND, shader_copy16, sizeof(shader_copy16));
		ps._8_pixel_dispatch_enable = true;
		ps._16_pixel_dispatch_enable = both;
		ps.kernel_start_pointer_2 = SECOND;
		ps.dispatch_grf_start_register_for_constant_setup_data_2 = 6;
		pictures(LINEAR_TILES, LINEAR_TILES);
		/* Two rows of five subspans. */
		rectangle(0, 2, 4, 10, 4, 0, 0);
		/* The shader of 8 pixels has its setup data where the other one has, though its payload is shorter. */
		check(draw() && !wrong(2, 4, 10, 4, 0, 0, 0), "copy: %s (%u wrong)", both ? "both widths" : "8 pixels",
		      wrong(2, 4, 10, 4, 0, 0, 0));
		check(counter_value("eu", "threads") == (both ? 3 : 5), "as many threads as that takes (%llu)",
		      (unsigned long long)counter_value("eu", "threads"));
		bench_stop();
	}
}

/* The colour is an attribute, which is the same at all vertices. */
static void constant(uint32_t format)
{
	element[2].source_element_format = format;
	element[2].component_2_control = STORE_SOURCE;
	element[2].component_3_control = STORE_SOURCE;
	sbe.constant_interpolation_enable = 1;
	for (unsigned int n = 0; n < 12; n++)
		put(STATE + VERTICES + 12 * n + 4, 0x80604020 + n);
}

#define FILLED	0x80204060u	/* the first vertex's colour as B8G8R8A8 */

static void fills(void)
{
	start(NULL);
	PROGRAM(shader_fill);
	pictures(LINEAR_TILES, X_TILES);
	rectangle(0, 1, 1, 20, 9, 0, 0);
	constant(RGBA8);
	check(draw() && !wrong(1, 1, 20, 9, 0, 0, FILLED), "fill: the first vertex's colour, replicated (%u wrong)",
	      wrong(1, 1, 20, 9, 0, 0, FILLED));
	check(!counter_value("page_faults", "rcs0"), "without a page fault");
	bench_stop();

	BEGIN(shader_header);
	rectangle(0, 4, 6, 8, 2, 0, 0);
	constant(RGBA8);
	check(draw() && !wrong(4, 6, 1, 1, 0, 0, FILLED), "fill: a header's mask lets one pixel through (%u wrong)",
	      wrong(4, 6, 1, 1, 0, 0, FILLED));
	bench_stop();

	BEGIN(shader_fill);
	rectangle(0, -5, -3, 100, 100, 0, 0);
	constant(RGBA8);
	target.width = 30;
	target.height = 20;
	check(draw() && !wrong(0, 0, 31, 21, 0, 0, FILLED), "fill: what is beyond the target is dropped (%u wrong)",
	      wrong(0, 0, 31, 21, 0, 0, FILLED));
	bench_stop();

	/* Level 1 lies below level 0, and has half its sides. The sampler's most detailed level is of no account. */
	BEGIN(shader_fill);
	rectangle(0, -5, -3, 100, 100, 0, 0);
	constant(RGBA8);
	target.width = 31;
	target.height = 19;
	target.mip_count_lod = 1;
	target.surface_min_lod = 2;
	check(draw() && !wrong(0, 20, 16, 10, 0, 0, FILLED), "fill: the level that the state names (%u wrong)",
	      wrong(0, 20, 16, 10, 0, 0, FILLED));
	bench_stop();

	BEGIN(shader_fill);
	rectangle(0, 0, 0, 16, 16, 0, 0);
	constant(RGBA8);
	blend_pointer = (struct gen9__3dstate_blend_state_pointers){ true, BLEND };
	/* An entry's first four bits are blue, green, red, alpha. */
	put(STATE + BLEND + 4, 0xa);
	check(draw() && drawn(0, 0) == ((OLD & 0xff00ff00) | (FILLED & 0x00ff00ff)),
	      "fill: channels that are not written are kept (%08x)", drawn(0, 0));
	/* The page of the last pixels is known since the first ones. */
	check(drawn(15, 15) == drawn(0, 0), "fill: also when the place is known (%08x)", drawn(15, 15));
	bench_stop();
}

/* The edges at pixel centres, in 1/256. */
static void coverage(void)
{
	static const struct {
		float left, right;
		uint32_t first, width;
	} edges[] = {
		{ 4.5f, 8.5f, 4, 4 },		/* a centre on the left edge is in, one on the right edge is not */
		{ 4.5039f, 8.5039f, 5, 4 },	/* a 256th further it is the other way round */
		{ 4.501f, 8.501f, 4, 4 },	/* a quarter of a 256th is rounded off */
		{ 4.6f, 5.4f, 0, 0 },		/* no centre */
		{ 4.f, 8.f, 4, 4 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(edges); i++) {
		unsigned int bad;

		start(NULL);
		PROGRAM(shader_fill);
		pictures(LINEAR_TILES, LINEAR_TILES);
		constant(RGBA8);
		element[1].source_element_format = RG32_FLOAT;
		element[1].source_element_offset = 0;
		element[2].source_element_offset = 8;
		for (unsigned int n = 0; n < 3; n++) {
			put_float(STATE + VERTICES + 12 * n, n ? edges[i].left : edges[i].right);
			put_float(STATE + VERTICES + 12 * n + 4, n < 2 ? 9 : 3);
			put(STATE + VERTICES + 12 * n + 8, 0x80604020);
		}
		bad = draw() ? wrong(edges[i].first, 3, edges[i].width, 6, 0, 0, FILLED) : HEIGHT;
		check(!bad, "coverage: from %.4f to %.4f (%u wrong)", (double)edges[i].left,
		      (double)edges[i].right, bad);
		bench_stop();
	}
}

static void cuts(void)
{
	BEGIN(shader_copy16);
	rectangle(0, 0, 0, 64, 64, 0, 0);
	raster.scissor_rectangle_enable = true;
	put(STATE + SCISSOR, 7 | 9 << 16);
	put(STATE + SCISSOR + 4, 20 | 31 << 16);
	check(draw() && !wrong(7, 9, 14, 23, 7, 9, 0), "scissor: its sides are inclusive (%u wrong)",
	      wrong(7, 9, 14, 23, 7, 9, 0));
	bench_stop();

	BEGIN(shader_copy16);
	rectangle(0, 0, 0, 64, 64, 0, 0);
	bounds.clipped_drawing_rectangle_x_min = 11;
	bounds.clipped_drawing_rectangle_y_max = 5;
	bounds.drawing_rectangle_origin_x = 10;
	check(draw() && !wrong(11, 0, 53, 6, 1, 0, 0), "drawing rectangle: it cuts, and its origin counts (%u wrong)",
	      wrong(11, 0, 53, 6, 1, 0, 0));
	bench_stop();

	BEGIN(shader_copy16);
	rectangle(0, 0, 0, 16, 8, 0, 0);
	sf.viewport_transform_enable = true;
	put_float(STATE + VIEWPORT, 1);		/* of X, Y and Z, then what is added */
	put_float(STATE + VIEWPORT + 4, 1);
	put_float(STATE + VIEWPORT + 12, 20);
	put_float(STATE + VIEWPORT + 16, 30);
	check(draw() && !wrong(20, 30, 16, 8, 0, 0, 0), "viewport: its matrix moves the rectangle (%u wrong)",
	      wrong(20, 30, 16, 8, 0, 0, 0));
	bench_stop();
}

/* A thread tells what its registers hold. */
static void dump(void)
{
	start(NULL);
	PROGRAM(program_dump);
	rectangle(0, 2, 4, 8, 2, 0, 0);
	target.surface_type = 4;
	target.surface_format = 0x1ff;
	target.width = 127;
	target.height = 31;
	source.surface_type = 7;
	ps.dispatch_grf_start_register_for_constant_setup_data_0 = 6;
	sbe.number_of_sf_output_attributes = 1;
}

static bool near(float a, float b)
{
	return fabsf(a - b) < 0.000001f;
}

/* Vertex n of a buffer whose positions have a W. */
static void vertex_with_w(unsigned int n, float x, float y, float w)
{
	const float position[4] = { x * w, y * w, 0, w };

	memcpy(ram + STATE + VERTICES + 24 * n, position, sizeof(position));
}

static void payload(void)
{
	float f[8];

	dump();
	check(draw() && counter_value("eu", "threads") == 1, "payload: a thread of four subspans");
	check(get(TARGET + 12) == SAMPLER && get(TARGET + 16) == TABLE, "r0 has the samplers and surfaces");
	check(get(TARGET + 40) == (2 | 4 << 16) && get(TARGET + 52) == (8 | 4 << 16), "r1 has the subspans' places");
	check(get(TARGET + 60) == 0xffffffff, "and the pixels that are drawn");
	memcpy(f, ram + TARGET + 64, sizeof(f));
	/* A place is the first vertex's, less 8 pixels in X for both weights, less 2 in Y for the third vertex's. */
	check(f[0] == 0.1875f && f[1] == 0.0625f && f[2] == 0.6875f && f[3] == 0.5625f && f[4] == -0.0625f,
	      "r2: the second vertex's weight at the pixels of two subspans");
	memcpy(f, ram + TARGET + 96, sizeof(f));
	check(f[0] == 0.75f && f[1] == 0.75f && f[2] == 0.25f && f[3] == 0.25f && f[4] == 0.75f,
	      "r3: the third vertex's weight");
	memcpy(f, ram + TARGET + 192, sizeof(f));
	check(f[0] == -0.125f && f[1] == -0.125f && f[2] == 0 && f[3] == 0.125f && f[4] == 0 && f[5] == -0.03125f &&
	      f[7] == 0.03125f, "r6: two components of the attribute, as factors and first value");
	bench_stop();

	dump();
	sbe.constant_interpolation_enable = 1;
	check(draw(), "payload: of a flat attribute");
	memcpy(f, ram + TARGET + 192, sizeof(f));
	check(!f[0] && !f[1] && !f[2] && f[3] == 0.125f && !f[4] && !f[5] && f[7] == 0.03125f,
	      "r6: there are no factors");
	bench_stop();

	dump();
	buffer.buffer_pitch = 24;
	buffer.buffer_size = 3 * 24;
	element[1].source_element_format = RGBA32_FLOAT;
	element[1].component_3_control = STORE_SOURCE;
	element[2].source_element_offset = 16;
	vertex_with_w(0, 10, 6, 1);
	vertex_with_w(1, 2, 6, 2);
	vertex_with_w(2, 2, 4, 4);
	check(draw(), "payload: with positions that have a W");
	/* At the first pixel the vertices have the linear weights 0.0625, 0.1875 and 0.75; 1 / W is 1, 0.5 and 0.25. */
	memcpy(f, ram + TARGET + 64, sizeof(f));
	check(near(f[0], 0.09375f / 0.34375f), "r2: weights count by 1 / W");
	memcpy(f, ram + TARGET + 96, sizeof(f));
	check(near(f[0], 0.1875f / 0.34375f), "r3: the third vertex's too");
	bench_stop();
}

static void fetches(void)
{
	BEGIN(shader_copy16);
	rectangle(0, 0, 0, 8, 8, 0, 0);
	rectangle(3, 20, 20, 8, 8, 30, 30);
	primitive.start_vertex_location = 3;
	check(draw() && !wrong(20, 20, 8, 8, 30, 30, 0), "fetch: from the start vertex on");
	bench_stop();

	BEGIN(shader_copy16);
	rectangle(0, 0, 0, 8, 8, 0, 0);
	rectangle(3, 20, 20, 8, 8, 30, 30);
	put(STATE + INDICES, 3 | 2 << 16);	/* two words a dword; the first two indices are skipped */
	put(STATE + INDICES + 4, 4 | 5 << 16);
	put(STATE + INDICES + 8, 6);
	primitive.vertex_access_type = 1;
	primitive.start_vertex_location = 2;
	primitive.base_vertex_location = -1;
	check(draw() && !wrong(20, 20, 8, 8, 30, 30, 0), "fetch: by index, with a base vertex");
	bench_stop();

	BEGIN(shader_copy16);
	rectangle(3, 20, 20, 8, 8, 30, 30);
	put(STATE + INDICES, 3 | 0xffffu << 16);
	put(STATE + INDICES + 4, 3 | 4 << 16);
	put(STATE + INDICES + 8, 5);
	primitive.vertex_access_type = 1;
	primitive.vertex_count_per_instance = 5;
	fetch.indexed_draw_cut_index_enable = true;
	fetch.cut_index = 0xffff;
	check(draw() && !wrong(20, 20, 8, 8, 30, 30, 0), "fetch: behind a cut index a rectangle begins");
	bench_stop();

	BEGIN(shader_fill);
	vertex(0, 8, 16, 0, 0);
	vertex(1, 8, 8, 0, 0);
	vertex(2, 16, 16, 0, 0);
	put(STATE + INDICES, 2);
	put(STATE + INDICES + 4, 1);
	primitive.vertex_access_type = 1;
	constant(RGBA8);
	/* The buffer holds the first vertex's position, and its colour but for the last byte. */
	buffer.buffer_size = 12 * 2 + 7;
	check(draw() && !drawn(8, 8) && !drawn(15, 15) && drawn(7, 8) == OLD && drawn(16, 15) == OLD,
	      "fetch: an element that reaches beyond the end is 0 (%08x)", drawn(8, 8));
	bench_stop();

	BEGIN(shader_fill);
	rectangle(0, 8, 8, 8, 8, 0, 0);
	constant(RGBA8);
	/* The last vertex's corner reaches beyond the end: it is 0, 0. */
	buffer.buffer_size = 24;
	check(draw() && !wrong(0, 0, 0, 0, 0, 0, FILLED), "fetch: with a vertex beyond the end of the buffer");
	check(counter_value("draws_not_modelled", "a rectangle whose sides are not parallel to the axes") == 1,
	      "that vertex is at 0, 0");
	bench_stop();

	BEGIN(shader_fill);
	rectangle(0, 8, 8, 8, 8, 0, 0);
	constant(RGBA8);
	buffer.buffer_size = 0;
	check(draw() && !wrong(0, 0, 0, 0, 0, 0, FILLED) && !counter_value("page_faults", "rcs0"),
	      "fetch: an empty buffer draws nothing, and nothing of memory is looked at");
	bench_stop();

	BEGIN(shader_fill);
	rectangle(0, 8, 8, 8, 8, 0, 0);
	constant(RGBA8);
	buffer.buffer_starting_address = VA - 0x100000;
	check(draw() && !wrong(0, 0, 0, 0, 0, 0, FILLED) && counter_value("page_faults", "rcs0"),
	      "fetch: an address that is not mapped is a page fault, and reads 0");
	bench_stop();

	BEGIN(shader_fill);
	rectangle(0, 8, 8, 8, 8, 0, 0);
	constant(RGBA8);
	instancing.instancing_enable = true;
	instancing.instance_data_step_rate = 2;
	primitive.instance_count = 4;
	primitive.start_instance_location = 1;
	/* Instances 0 and 1 have the second element, 2 and 3 the third one, which is drawn last. */
	put(STATE + VERTICES + 12 * 2 + 4, 0x80102030);
	check(draw() && !wrong(8, 8, 8, 8, 0, 0, 0x80302010), "fetch: an element of instances");
	bench_stop();
}

static void hangs(const char *what, const uint32_t *program, size_t bytes, const char *fault)
{
	struct ctx a, b;

	start(NULL);
	program_at(0, program, bytes);
	pictures(LINEAR_TILES, LINEAR_TILES);
	rectangle(0, 0, 0, 8, 8, 0, 0);
	prepare(&a);
	submit(base, &a);
	check(wait_for(fault ? counter_value("eu_faults", fault) : counter_value("eu", "instructions") > 1000) &&
	      !idle(base) && !get(FLAG), "%s: the draw does not end", what);
	check(render_resets() && !get(FLAG), "%s: a reset ends it", what);
	ctx_init(&b, 1, base, CTL_FRESH);
	batch(&b, STORE(FLAG + 8, 1), MI_BATCH_BUFFER_END);
	ring_batch(&b, CTX_BATCH, true);
	check(run(base, &b) && get(FLAG + 8) == 1, "%s: the next context runs", what);
	bench_stop();
}

static void mistakes(void)
{
	hangs("an endless shader", program_endless, sizeof(program_endless), NULL);
	hangs("an unknown message", program_bad, sizeof(program_bad),
	      "the message surface_info, which is not modelled");

	BEGIN(shader_copy16);
	rectangle(0, 0, 0, 8, 8, 0, 0);
	source.surface_base_address = VA - 0x100000;
	target.surface_base_address = VA - 0x200000;
	check(draw() && counter_value("page_faults", "rcs0"), "surfaces that are not mapped are page faults");
	bench_stop();
}

/* A draw that the model does not execute is named, and leaves the target as it is. */
static void refused(const char *why)
{
	check(draw() && !wrong(0, 0, 0, 0, 0, 0, FILLED) && counter_value("draws_not_modelled", why) == 1 &&
	      !counter_value("eu", "threads"), "not modelled: %s", why);
	bench_stop();
}

static void begin_refused(void)
{
	BEGIN(shader_fill);
	rectangle(0, 0, 0, 8, 8, 0, 0);
	constant(RGBA8);
}

static void refusals(void)
{
	begin_refused();
	topology = 4;
	refused("a topology other than rectangles");
	begin_refused();
	vs.enable = true;
	refused("a vertex shader");
	begin_refused();
	depth.depth_test_enable = true;
	refused("a depth test");
	begin_refused();
	clip.clip_enable = true;
	refused("a rectangle that may be clipped");
	begin_refused();
	ps.render_target_fast_clear_enable = true;
	refused("a fast clear or a resolve");
	begin_refused();
	blend_pointer = (struct gen9__3dstate_blend_state_pointers){ true, BLEND };
	put(STATE + BLEND + 4, 1u << 31);
	refused("blending or a logic operation");
	begin_refused();
	element[1].source_element_format = 0x1fe;
	refused("a vertex element of a format that is not modelled");
}

static void nothing(void)
{
	start("execute=off");
	PROGRAM(shader_fill);
	pictures(LINEAR_TILES, LINEAR_TILES);
	rectangle(0, 0, 0, 8, 8, 0, 0);
	constant(RGBA8);
	check(draw() && !wrong(0, 0, 0, 0, 0, 0, FILLED) && !counter_value("eu", "threads"),
	      "execute=off: nothing is drawn");
	bench_stop();

	begin_refused();
	extra.pixel_shader_valid = false;
	check(draw() && !wrong(0, 0, 0, 0, 0, 0, FILLED) && !counter_value("eu", "threads"),
	      "nothing: a pixel shader that is off");
	bench_stop();

	begin_refused();
	primitive.vertex_count_per_instance = 2;
	check(draw() && !wrong(0, 0, 0, 0, 0, 0, FILLED), "nothing: a rectangle that lacks a vertex");
	bench_stop();
}

#define INSTANCES	400u
#define THREADS		(INSTANCES * WIDTH * HEIGHT / 16)
#define TRIES		50u

/* A long draw, from which other contexts get the engine; false if it is not as if they had not. */
static bool draw_preempted(uint64_t *left)
{
	uint64_t threads = 0;
	struct ctx a, b;
	bool good = true;

	start(NULL);
	pictures(LINEAR_TILES, LINEAR_TILES);
	PROGRAM(shader_copy16);
	rectangle(0, 0, 0, WIDTH, HEIGHT, 0, 0);
	primitive.instance_count = INSTANCES;
	prepare(&a);
	submit(base, &a);
	for (uint32_t i = 1; i <= 3 && good; i++) {
		good = wait_for(counter_value("eu", "threads") > threads + 100 || get(FLAG));
		ctx_init(&b, 1, base, CTL_FRESH);
		batch(&b, STORE(FLAG + 8, i), MI_BATCH_BUFFER_END);
		ring_batch(&b, CTX_BATCH, true);
		submit(base, &b);
		good = good && wait_for(get(FLAG + 8) == i && idle(base));
		threads = counter_value("eu", "threads");
		elsp(base, a.desc, 0);
	}
	good = wait_for(get(FLAG) == 1 && idle(base)) && good;
	*left = counter_value("draws_preempted", "rcs0");
	good = good && counter_value("eu", "threads") == THREADS && !wrong(0, 0, WIDTH, HEIGHT, 0, 0, 0);
	bench_stop();
	return good;
}

/* Another context gets in between two threads of a draw. The draw is over before that if this thread stands still. */
static void preempted(void)
{
	uint64_t left = 0;
	bool good = true;

	for (unsigned int i = 0; i < TRIES && good && left < 2; i++)
		good = draw_preempted(&left);
	check(left >= 2, "preemption: other contexts run before the draw's end");
	check(good, "preemption: each thread is executed once, and the picture is whole");
}

int main(void)
{
	copies();
	fills();
	coverage();
	cuts();
	payload();
	fetches();
	mistakes();
	refusals();
	nothing();
	preempted();
	return test_end();
}
