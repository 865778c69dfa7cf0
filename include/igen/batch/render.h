/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches: 3D
 *
 * One rectangle on one render target, cleared to a colour or filled from a texture, with a pixel shader
 * whose binary the caller has. The whole pipeline is set up for it, so nothing of an earlier state counts.
 *
 * A rectangle is a RECTLIST of three corners in pixels. Vertices have no vertex shader: vertex fetch makes
 * them whole, a header of zeros, the position, and one attribute: the colour, or the place in the texture in
 * texels. Corners and places are 16-bit integers that vertex fetch converts, the colour four normalised
 * bytes, so no floating point is needed here. The pixel shader gets the attribute as its first input, the
 * target as binding 0, the texture as binding 1, sampler 0 with unnormalised coordinates.
 *
 * States lie in state memory, which is the surface and the dynamic base. Generations 7, 9 and 12. The
 * manuals at hand name the commands; layouts are the command database's, from public facts (Mesa's genxml).
 * DG1 Vol 2a leaves the bodies of most 3D commands to another volume: they are those of generation 9 there,
 * with the same opcodes and lengths, but for the few commands of which it has its own.
 */
#ifndef _IGEN_BATCH_RENDER_H_
#define _IGEN_BATCH_RENDER_H_

#include "blt.h"
#include "pipe.h"
#include "igen/pack/gen7_3d.h"
#include "igen/pack/gen9_3d.h"
#include "igen/pack/gen12_3d.h"

/* Surface and vertex formats (public IVB Vol 4 Part 1, SURFACE_FORMAT). */
#define IGEN_FORMAT_B8G8R8A8	0x0c0u
#define IGEN_FORMAT_R8G8B8A8	0x0c7u
#define IGEN_FORMAT_RG16_SCALED	0x0f6u		/* integers, converted */

#define IGEN_RECTLIST		15u
#define IGEN_ONE		0x3f800000u	/* 1.0 */

/* What vertex fetch stores in a component. */
enum igen_component { IGEN_STORE_SRC = 1, IGEN_STORE_0, IGEN_STORE_1 };

/**
 * struct igen_image - a two-dimensional surface of 32-bit pixels
 * @at: its first byte: a multiple of 4 if linear, else of 4096
 * @width: in pixels, 1 to 16384
 * @height: in pixels, 1 to 16384
 * @pitch: bytes from row to row, below 256 KB: a multiple of 4, of 512 (X) or 128 (Y) if it is tiled
 * @tiling: how rows lie
 * @format: IGEN_FORMAT_B8G8R8A8 or IGEN_FORMAT_R8G8B8A8
 */
struct igen_image {
	struct igen_address at;
	__u32 width, height, pitch;
	enum igen_tiling tiling;
	__u32 format;
};

/**
 * struct igen_pixel_shader - a pixel shader's kernel
 * @start: offset of the binary from the instruction base, a multiple of 64
 * @simd: pixels of a thread: 8 or 16
 * @first_register: that the attribute's set-up data begin in, 0 to 127
 * @threads: most at a time, 2 to 128 on generation 7; later ones have them all
 */
struct igen_pixel_shader {
	__u64 start;
	__u32 simd, first_register, threads;
};

/**
 * struct igen_draw - a rectangle
 * @target: where to
 * @rect: of it
 * @texture: where from; NULL to clear
 * @x: left edge in the texture
 * @y: top edge there
 * @color: of a clear: red in the lowest byte, then green, blue, alpha
 * @shader: the pixel shader
 * @kernels: instruction base, a multiple of 4096
 * @mocs: cacheability, as in the generation's fields of that name
 */
struct igen_draw {
	struct igen_image target;
	struct igen_rect rect;
	const struct igen_image *texture;
	__u32 x, y, color;
	struct igen_pixel_shader shader;
	struct igen_address kernels;
	__u32 mocs;
};

/* Offsets in state memory. */
struct igen_draw_state {
	__u32 vertices, bindings, sampler, blend, color_calc, depth_stencil, cc_viewport, sf_viewport;
};

static inline bool igen_image_check(struct igen_batch *b, const struct igen_image *i, const struct igen_rect *r,
				    __u64 *address)
{
	struct igen_blt_surface s = { i->at, i->pitch, i->tiling, 4 };
	__u32 unit = i->tiling == IGEN_TILE_X ? 512 : i->tiling == IGEN_TILE_Y ? 128 : 4;
	struct igen_rect all = { 0, 0, i->width, i->height };

	return igen_batch_expect(b, i->tiling <= IGEN_TILE_Y, -EINVAL, "surfaces are linear, X- or Y-tiled") &&
	       igen_batch_expect(b, i->format == IGEN_FORMAT_B8G8R8A8 || i->format == IGEN_FORMAT_R8G8B8A8, -EINVAL,
				 "pixels are B8G8R8A8 or R8G8B8A8") &&
	       igen_batch_expect(b, i->width && i->width <= 16384 && i->height && i->height <= 16384, -ERANGE,
				 "surfaces have 1 to 16384 pixels each way") &&
	       igen_batch_expect(b, i->pitch && !(i->pitch % unit), -EINVAL,
				 "a pitch is a whole number of dwords, or of tiles") &&
	       igen_batch_expect(b, i->pitch <= 262144 && i->width * 4 <= i->pitch, -ERANGE,
				 "a pitch that is too large, or smaller than a row") &&
	       igen_batch_expect(b, r->width && r->height, -EINVAL, "an empty rectangle") &&
	       igen_batch_expect(b, r->x < i->width && r->width <= i->width - r->x && r->y < i->height &&
				 r->height <= i->height - r->y, -ERANGE, "a rectangle that leaves its surface") &&
	       igen_batch_locate(b, i->at, igen_blt_extent(&s, &all), i->tiling ? 4096 : 4, address);
}

/* RENDER_SURFACE_STATE; gives its offset. */
static inline __u32 igen_render_surface(struct igen_batch *s, const struct igen_image *i, __u64 address, __u32 mocs,
					bool write)
{
	__u32 at;

#define IGEN_SURFACE                                                                                    \
	.surface_type = 1, .surface_format = i->format, .width = i->width - 1, .height = i->height - 1, \
	.surface_pitch = i->pitch - 1, .mocs = mocs, .surface_base_address = address,                   \
	.surface_vertical_alignment = 1
	/* Alignments of 4; channels as they are; tile modes: linear 0, X 2, Y 3. */
#define IGEN_SURFACE_9                                                                                  \
	IGEN_SURFACE, .surface_horizontal_alignment = 1, .tile_mode = i->tiling ? i->tiling + 1 : 0,    \
	.shader_channel_select_red = 4, .shader_channel_select_green = 5,                               \
	.shader_channel_select_blue = 6, .shader_channel_select_alpha = 7
	if (s->gen == 7)
		at = igen_batch_state(s, gen7_render_surface_state, 8, 64, IGEN_SURFACE,
				      .tiled_surface = i->tiling != IGEN_LINEAR, .tile_walk = i->tiling == IGEN_TILE_Y);
	else if (s->gen == 9)
		at = igen_batch_state(s, gen9_render_surface_state, 16, 64, IGEN_SURFACE_9);
	else
		at = igen_batch_state(s, gen12_render_surface_state, 16, 64, IGEN_SURFACE_9);
#undef IGEN_SURFACE
#undef IGEN_SURFACE_9
	igen_batch_refer(s, s->gen == 7 ? 1 : 8, i->at, write);
	return at;
}

/* A corner of the rectangle: its place, and the attribute. */
static inline __u32 igen_render_corner(struct igen_batch *s, const struct igen_draw *d, bool right, bool bottom)
{
	__u32 dx = right ? d->rect.width : 0, dy = bottom ? d->rect.height : 0;
	__u32 corner[2] = { (d->rect.x + dx) | (d->rect.y + dy) << 16,
			    d->texture ? (d->x + dx) | (d->y + dy) << 16 : d->color };

	return igen_batch_put(s, corner, 2);
}

/* All that lies in memory. */
static inline struct igen_draw_state igen_render_states(struct igen_batch *s, const struct igen_draw *d,
							__u64 target, __u64 texture)
{
	struct igen_draw_state o = { 0 };
	__u32 table[2];

	igen_batch_align(s, 64);
	o.vertices = igen_render_corner(s, d, true, true);
	igen_render_corner(s, d, false, true);
	igen_render_corner(s, d, false, false);
	table[0] = igen_render_surface(s, &d->target, target, d->mocs, true);
	table[1] = d->texture ? igen_render_surface(s, d->texture, texture, d->mocs, false) : 0;
	igen_batch_align(s, 64);
	o.bindings = igen_batch_put(s, table, d->texture ? 2 : 1);
	/* Nearest, clamped, in texels. */
#define IGEN_SAMPLER                                                                                    \
	.tcx_address_control_mode = 2, .tcy_address_control_mode = 2, .tcz_address_control_mode = 2,    \
	.non_normalized_coordinate_enable = true
	o.sampler = s->gen == 7 ? igen_batch_state(s, gen7_sampler_state, 4, 64, IGEN_SAMPLER) :
		    s->gen == 9 ? igen_batch_state(s, gen9_sampler_state, 4, 64, IGEN_SAMPLER) :
				  igen_batch_state(s, gen12_sampler_state, 4, 64, IGEN_SAMPLER);
#undef IGEN_SAMPLER
	if (s->gen == 7) {
		o.blend = igen_batch_state(s, gen7_blend_state_entry, 2, 64, 0);
		o.color_calc = igen_batch_state(s, gen7_color_calc_state, 6, 64, 0);
		o.depth_stencil = igen_batch_state(s, gen7_depth_stencil_state, 3, 64, 0);
		o.sf_viewport = igen_batch_state(s, gen7_sf_clip_viewport, 16, 64, 0);
	} else {
		o.blend = igen_batch_state(s, gen9_blend_state, 1, 64, 0);
		igen_batch_state(s, gen9_blend_state_entry, 2, 4, 0);
		o.color_calc = igen_batch_state(s, gen9_color_calc_state, 6, 64, 0);
		o.sf_viewport = igen_batch_state(s, gen9_sf_clip_viewport, 16, 64, .x_max_viewport = 0x46800000,
						 .y_max_viewport = 0x46800000);	/* 16384.0 */
	}
	o.cc_viewport = igen_batch_state(s, gen9_cc_viewport, 2, 32, .maximum_depth = IGEN_ONE);
	return o;
}

/* Three vertices of eight bytes; three elements of them. */
static inline void igen_render_vertices(struct igen_batch *b, const struct igen_draw *d, struct igen_address at)
{
	const __u32 format[3] = { IGEN_FORMAT_RG16_SCALED, IGEN_FORMAT_RG16_SCALED,
				  d->texture ? IGEN_FORMAT_RG16_SCALED : IGEN_FORMAT_R8G8B8A8 };
	__u64 address = igen_batch_address(b, at, 24, 4);
	bool bad = false;
	unsigned int i;
	int n;

#define IGEN_VERTICES(gen, ...)                                                                         \
	(n = gen##__3dstate_vertex_buffers_pack(b->command, IGEN_BATCH_COMMAND,                         \
		&(const struct gen##__3dstate_vertex_buffers){ .dword_length = 3 }),                    \
	 bad = gen##__3dstate_vertex_buffers_more_put(b->command + 1,                                   \
		&(const struct gen##__3dstate_vertex_buffers_more){ .vertex_buffer_state = {            \
			.buffer_pitch = 8, .address_modify_enable = true, .mocs = d->mocs,              \
			.buffer_starting_address = address, __VA_ARGS__ } }))
	if (b->gen == 7)
		IGEN_VERTICES(gen7, .end_address = address + 23);
	else if (b->gen == 9)
		IGEN_VERTICES(gen9, .buffer_size = 24);
	else
		IGEN_VERTICES(gen12, .buffer_size = 24);
#undef IGEN_VERTICES
	igen_batch_commit(b, bad ? -ERANGE : n);
	igen_batch_refer(b, 2, at, false);
	if (b->gen == 7)
		igen_batch_refer(b, 3, igen_batch_offset(at, 23), false);

	n = gen9__3dstate_vertex_elements_pack(b->command, IGEN_BATCH_COMMAND,
					       &(const struct gen9__3dstate_vertex_elements){ .dword_length = 5 });
	for (i = 0; i < 3 && n > 0; i++) {
		struct gen9__3dstate_vertex_elements_more e = { .element = {
			.valid = true, .source_element_format = format[i], .source_element_offset = i == 2 ? 4 : 0,
			.component_0_control = i ? IGEN_STORE_SRC : IGEN_STORE_0,
			.component_1_control = i ? IGEN_STORE_SRC : IGEN_STORE_0,
			.component_2_control = i == 2 && !d->texture ? IGEN_STORE_SRC : IGEN_STORE_0,
			.component_3_control = i == 2 && !d->texture ? IGEN_STORE_SRC : i ? IGEN_STORE_1 :
											   IGEN_STORE_0 } };

		bad |= gen9__3dstate_vertex_elements_more_put(b->command + 1 + i * 2, &e);
	}
	igen_batch_commit(b, bad ? -ERANGE : n);
}

/* Stages that all generations switch off in the same way. */
#define IGEN_RENDER_OFF(b, gen)                                                                         \
	do {                                                                                            \
		igen_batch_emit(b, gen##__3dstate_constant_vs, 0);                                      \
		igen_batch_emit(b, gen##__3dstate_constant_hs, 0);                                      \
		igen_batch_emit(b, gen##__3dstate_constant_ds, 0);                                      \
		igen_batch_emit(b, gen##__3dstate_constant_gs, 0);                                      \
		igen_batch_emit(b, gen##__3dstate_constant_ps, 0);                                      \
		igen_batch_emit(b, gen##__3dstate_vs, 0);                                               \
		igen_batch_emit(b, gen##__3dstate_hs, 0);                                               \
		igen_batch_emit(b, gen##__3dstate_ds, 0);                                               \
		igen_batch_emit(b, gen##__3dstate_gs, 0);                                               \
		igen_batch_emit(b, gen##__3dstate_streamout, 0);                                        \
		igen_batch_emit(b, gen##__3dstate_urb_vs, .vs_number_of_urb_entries = 64,               \
				.vs_urb_starting_address = 4);                                          \
		igen_batch_emit(b, gen##__3dstate_urb_hs, .hs_urb_starting_address = 4);                \
		igen_batch_emit(b, gen##__3dstate_urb_ds, .ds_urb_starting_address = 4);                \
		igen_batch_emit(b, gen##__3dstate_urb_gs, .gs_urb_starting_address = 4);                \
		igen_batch_emit(b, gen##__3dstate_sample_mask, .sample_mask = 1);                       \
		igen_batch_emit(b, gen##__3dstate_clip, .perspective_divide_disable = true);            \
	} while (0)

/* Pointers to what lies in state memory. */
#define IGEN_RENDER_POINTERS(b, gen, o)                                                                 \
	do {                                                                                            \
		igen_batch_emit(b, gen##__3dstate_viewport_state_pointers_cc,                           \
				.cc_viewport_pointer = (o)->cc_viewport);                               \
		igen_batch_emit(b, gen##__3dstate_viewport_state_pointers_sf_clip,                      \
				.sf_clip_viewport_pointer = (o)->sf_viewport);                          \
		igen_batch_emit(b, gen##__3dstate_binding_table_pointers_ps,                            \
				.pointer_to_ps_binding_table = (o)->bindings);                          \
		igen_batch_emit(b, gen##__3dstate_sampler_state_pointers_ps,                            \
				.pointer_to_ps_sampler_state = (o)->sampler);                           \
	} while (0)

static inline void igen_render_gen7(struct igen_batch *b, const struct igen_draw *d, const struct igen_draw_state *o)
{
	IGEN_RENDER_OFF(b, gen7);
	igen_batch_emit(b, gen7__3dstate_te, 0);
	IGEN_RENDER_POINTERS(b, gen7, o);
	igen_batch_emit(b, gen7__3dstate_blend_state_pointers, .blend_state_pointer = o->blend);
	igen_batch_emit(b, gen7__3dstate_cc_state_pointers, .color_calc_state_pointer = o->color_calc);
	igen_batch_emit(b, gen7__3dstate_depth_stencil_state_pointers,
			.pointer_to_depth_stencil_state = o->depth_stencil);
	igen_batch_emit(b, gen7__3dstate_multisample, 0);
	igen_batch_emit(b, gen7__3dstate_sf, .cull_mode = 1);
	igen_batch_emit(b, gen7__3dstate_sbe, .number_of_sf_output_attributes = 1, .vertex_urb_entry_read_length = 1,
			.vertex_urb_entry_read_offset = 1);
	/* Perspective pixel location, the first of the barycentric modes. */
	igen_batch_emit(b, gen7__3dstate_wm, .thread_dispatch_enable = true, .barycentric_interpolation_mode = 1);
	igen_batch_emit(b, gen7__3dstate_ps, .kernel_start_pointer_0 = d->shader.start,
			.binding_table_entry_count = d->texture ? 2 : 1, .sampler_count = d->texture ? 1 : 0,
			._8_pixel_dispatch_enable = d->shader.simd == 8,
			._16_pixel_dispatch_enable = d->shader.simd == 16,
			.attribute_enable = true, .maximum_number_of_threads = d->shader.threads - 1,
			.dispatch_grf_start_register_for_constant_setup_data_0 = d->shader.first_register);
	/* No depth buffer: surface type 7 is none. */
	igen_batch_emit(b, gen7__3dstate_depth_buffer, .surface_type = 7, .surface_format = 1);
	igen_batch_emit(b, gen7__3dstate_hier_depth_buffer, 0);
	igen_batch_emit(b, gen7__3dstate_stencil_buffer, 0);
	igen_batch_emit(b, gen7__3dstate_clear_params, 0);
	igen_batch_emit(b, gen7__3dstate_drawing_rectangle, .clipped_drawing_rectangle_x_max = d->target.width - 1,
			.clipped_drawing_rectangle_y_max = d->target.height - 1);
	igen_batch_emit(b, gen7__3dprimitive, .primitive_topology_type = IGEN_RECTLIST, .vertex_count_per_instance = 3,
			.instance_count = 1);
}

static inline void igen_render_gen9(struct igen_batch *b, const struct igen_draw *d, const struct igen_draw_state *o)
{
	unsigned int i;

	IGEN_RENDER_OFF(b, gen9);
	igen_batch_emit_gen9(b, _3dstate_te, 0);
	IGEN_RENDER_POINTERS(b, gen9, o);
	igen_batch_emit(b, gen9__3dstate_vf, 0);
	igen_batch_emit(b, gen9__3dstate_vf_sgvs, 0);
	for (i = 0; i < 3; i++)
		igen_batch_emit(b, gen9__3dstate_vf_instancing, .vertex_element_index = i);
	igen_batch_emit(b, gen9__3dstate_vf_topology, .primitive_topology_type = IGEN_RECTLIST);
	igen_batch_emit(b, gen9__3dstate_blend_state_pointers, .blend_state_pointer_valid = true,
			.blend_state_pointer = o->blend);
	igen_batch_emit(b, gen9__3dstate_cc_state_pointers, .color_calc_state_pointer_valid = true,
			.color_calc_state_pointer = o->color_calc);
	igen_batch_emit(b, gen9__3dstate_wm_depth_stencil, 0);
	igen_batch_emit(b, gen9__3dstate_multisample, 0);
	igen_batch_emit(b, gen9__3dstate_raster, .cull_mode = 1);
	igen_batch_emit(b, gen9__3dstate_sf, 0);
	/* One attribute, all its components (format 3), behind header and position. */
	igen_batch_emit(b, gen9__3dstate_sbe, .number_of_sf_output_attributes = 1, .vertex_urb_entry_read_length = 1,
			.vertex_urb_entry_read_offset = 1, .force_vertex_urb_entry_read_length = true,
			.force_vertex_urb_entry_read_offset = true, .attribute_active_component_format = { 3 });
	igen_batch_emit(b, gen9__3dstate_sbe_swiz, 0);
	igen_batch_emit(b, gen9__3dstate_wm, .barycentric_interpolation_mode = 1);
	igen_batch_emit(b, gen9__3dstate_ps_blend, .has_writeable_rt = true);
	igen_batch_emit(b, gen9__3dstate_ps_extra, .pixel_shader_valid = true, .attribute_enable = true);
	igen_batch_emit(b, gen9__3dstate_ps, .kernel_start_pointer_0 = d->shader.start,
			.binding_table_entry_count = d->texture ? 2 : 1, .sampler_count = d->texture ? 1 : 0,
			._8_pixel_dispatch_enable = d->shader.simd == 8,
			._16_pixel_dispatch_enable = d->shader.simd == 16,
			.maximum_number_of_threads_per_psd = 63,
			.dispatch_grf_start_register_for_constant_setup_data_0 = d->shader.first_register);
	igen_batch_emit_gen9(b, _3dstate_depth_buffer, .surface_type = 7, .surface_format = 1);
	igen_batch_emit(b, gen9__3dstate_hier_depth_buffer, 0);
	igen_batch_emit_gen9(b, _3dstate_stencil_buffer, 0);
	igen_batch_emit(b, gen9__3dstate_clear_params, 0);
	igen_batch_emit(b, gen9__3dstate_drawing_rectangle, .clipped_drawing_rectangle_x_max = d->target.width - 1,
			.clipped_drawing_rectangle_y_max = d->target.height - 1);
	igen_batch_emit_gen9(b, _3dprimitive, .primitive_topology_type = IGEN_RECTLIST, .vertex_count_per_instance = 3,
			     .instance_count = 1);
}

/**
 * igen_render_rect() - clear a rectangle, or fill it from a texture
 * @b: the batch, for the render engine (-EINVAL), generation 7 on (-EOPNOTSUPP)
 * @s: state memory (IGEN_BATCH_MEMORY) of the same generation, in its first 64 KB; its @self says where the GPU
 * finds it, a multiple of 4096 (-EINVAL)
 * @d: what to draw; -EINVAL for what is not aligned, -ERANGE for what leaves a surface or an object
 *
 * Both batches have to be looked at for errors: mistakes are @b's, lack of space is that of the one which
 * lacks it. The target is written back when the batch goes on.
 */
static inline void igen_render_rect(struct igen_batch *b, struct igen_batch *s, const struct igen_draw *d)
{
	struct igen_rect from = { d->x, d->y, d->rect.width, d->rect.height };
	struct igen_bases bases = { s->self, s->self, s->self, s->self, d->kernels, d->mocs };
	struct igen_draw_state o;
	__u64 target, texture = 0;

	if (!igen_batch_is_for(b, 1u << IGEN_BATCH_RENDER, 7, "3D is for the render engine") ||
	    !igen_batch_expect(b, s->engine == IGEN_BATCH_MEMORY && s->gen == b->gen && s->used < 16384 - 256, -EINVAL,
			       "states go into state memory of the same generation, in its first 64 KB") ||
	    !igen_image_check(b, &d->target, &d->rect, &target) ||
	    (d->texture && !igen_image_check(b, d->texture, &from, &texture)) ||
	    !igen_batch_expect(b, d->shader.simd == 8 || d->shader.simd == 16, -EINVAL, "SIMD8 or SIMD16") ||
	    !igen_batch_expect(b, !(d->shader.start % 64), -EINVAL, "kernels begin at multiples of 64 bytes") ||
	    !igen_batch_expect(b, d->shader.first_register < 128, -ERANGE, "registers go from 0 to 127") ||
	    !igen_batch_expect(b, b->gen > 7 || (d->shader.threads >= 2 && d->shader.threads <= 128), -ERANGE,
			       "a pixel shader has 2 to 128 threads"))
		return;
	o = igen_render_states(s, d, target, texture);
	if (s->error && s->error != -ENOSPC)
		igen_batch_fail(b, s->error, s->why);
	igen_pipeline_select(b, IGEN_PIPELINE_3D);
	igen_state_bases(b, &bases);
	igen_render_vertices(b, d, igen_batch_offset(s->self, o.vertices));
	if (b->gen == 7)
		igen_render_gen7(b, d, &o);
	else
		igen_render_gen9(b, d, &o);
	igen_pipe_drain(b);
}

#endif
