/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches: the state of a context that has set nothing
 *
 * What a context has not set it has from the image that it started from. igen_null_state() gives all state of the 3D
 * pipeline a value, for a driver to record such an image: every stage and test off, no buffers, no constants, no
 * allocation beyond what the vertices of one primitive need. A draw that relies on it is valid and draws nothing:
 * no pixel shader, all triangles culled, no render target. Which commands make up that state is as in stock i915's
 * null state (its generator is IGT's tools/null_state_gen), and sample mask and pattern, depth and stencil tests, and
 * chroma key of the render target besides.
 *
 * All base addresses are 0. So the engine looks for states that are named by pointers (viewports, blend and colour
 * calculator state, binding tables, samplers) at the lowest addresses of the context's address space: in an object of
 * the client, or in unbound memory. If unbound memory reads as zeros these states are right: no blending, empty
 * viewports. The commands refer to no object, so nothing has to stay in memory.
 *
 * Media and GPGPU work has no default. Its front end is set up before any (IVB Vol 2 Part 2, 1.3.1.1), and a kernel is
 * the client's. What there is of it is taken out of the context: Generic Media State Clear, with the flush that goes
 * before a change to the 3D pipeline (DG1 Vol 2a, PIPELINE_SELECT; the bit is generation 9's as well).
 *
 * Layouts are the command database's. Generation 9.
 */
#ifndef _IGEN_BATCH_NULL_H_
#define _IGEN_BATCH_NULL_H_

#include "render.h"

#define IGEN_TRILIST		4u
#define IGEN_VERTEX_BUFFERS	33	/* DG1 Vol 2a, 3DSTATE_VERTEX_BUFFERS */
#define IGEN_VERTEX_ELEMENTS	34	/* DG1 Vol 2a, 3DSTATE_VERTEX_ELEMENTS */

/* All bases 0, all bounds the whole address space; nothing without its modify bit, so that nothing earlier counts. */
static inline void igen_null_bases(struct igen_batch *b)
{
	igen_pipe_drain(b);
	igen_batch_emit(b, gen9_state_base_address,
			.general_state_base_address_modify_enable = true,
			.surface_state_base_address_modify_enable = true,
			.dynamic_state_base_address_modify_enable = true,
			.indirect_object_base_address_modify_enable = true,
			.instruction_base_address_modify_enable = true,
			.bindless_surface_state_base_address_modify_enable = true,
			.general_state_buffer_size_modify_enable = true, .general_state_buffer_size = 0xfffff,
			.dynamic_state_buffer_size_modify_enable = true, .dynamic_state_buffer_size = 0xfffff,
			.indirect_object_buffer_size_modify_enable = true, .indirect_object_buffer_size = 0xfffff,
			.instruction_buffer_size_modify_enable = true, .instruction_buffer_size = 0xfffff);
	igen_pipe_control(b, IGEN_PIPE_INVALIDATE, NULL, 0);
	igen_batch_emit(b, gen9_state_sip, 0);
}

/* 33 buffers that read as zeros; two elements: a header of zeros, and a place. All others are off by that. */
static inline void igen_null_vertices(struct igen_batch *b)
{
	bool bad = false;
	unsigned int i;
	int n;

	n = gen9__3dstate_vertex_buffers_pack(b->command, IGEN_BATCH_COMMAND,
					      &(const struct gen9__3dstate_vertex_buffers){
						      .dword_length = IGEN_VERTEX_BUFFERS * 4 - 1 });
	for (i = 0; i < IGEN_VERTEX_BUFFERS && n > 0; i++) {
		struct gen9__3dstate_vertex_buffers_more v = { .vertex_buffer_state = {
			.vertex_buffer_index = i, .null_vertex_buffer = true, .address_modify_enable = true } };

		bad |= gen9__3dstate_vertex_buffers_more_put(b->command + 1 + i * 4, &v);
	}
	igen_batch_commit(b, bad ? -ERANGE : n);

	n = gen9__3dstate_vertex_elements_pack(b->command, IGEN_BATCH_COMMAND,
					       &(const struct gen9__3dstate_vertex_elements){ .dword_length = 3 });
	for (i = 0; i < 2 && n > 0; i++) {
		struct gen9__3dstate_vertex_elements_more e = { .element = {
			.valid = true, .component_0_control = IGEN_STORE_0, .component_1_control = IGEN_STORE_0,
			.component_2_control = IGEN_STORE_0,
			.component_3_control = i ? IGEN_STORE_1 : IGEN_STORE_0 } };

		bad |= gen9__3dstate_vertex_elements_more_put(b->command + 1 + i * 2, &e);
	}
	igen_batch_commit(b, bad ? -ERANGE : n);

	for (i = 0; i < IGEN_VERTEX_ELEMENTS; i++)
		igen_batch_emit(b, gen9__3dstate_vf_instancing, .vertex_element_index = i);
	/* At least one component of a valid element (DG1 Vol 2a, 3DSTATE_VF_COMPONENT_PACKING). */
	igen_batch_emit(b, gen9__3dstate_vf_component_packing, .vertex_element_00_enables = 15,
			.vertex_element_01_enables = 15);
	igen_batch_emit(b, gen9__3dstate_vf, 0);
	igen_batch_emit(b, gen9__3dstate_vf_sgvs, 0);
	igen_batch_emit(b, gen9__3dstate_vf_statistics, 0);
	igen_batch_emit(b, gen9__3dstate_vf_topology, .primitive_topology_type = IGEN_TRILIST);
	igen_batch_emit(b, gen9__3dstate_index_buffer, 0);
}

/*
 * No pools, and no room for push constants; then all stages off, without constants, and URB entries for vertices alone.
 * Constants come behind the room for them, and count when the binding tables' pointers come (DG1 Vol 2a,
 * 3DSTATE_CONSTANT_PS).
 */
static inline void igen_null_stages(struct igen_batch *b)
{
	igen_batch_emit(b, gen9__3dstate_binding_table_pool_alloc, 0);
	igen_batch_emit(b, gen9__3dstate_gather_pool_alloc, 0);
	igen_batch_emit(b, gen9__3dstate_dx9_constant_buffer_pool_alloc, .dword_length = 2);
	igen_batch_emit(b, gen9__3dstate_push_constant_alloc_vs, 0);
	igen_batch_emit(b, gen9__3dstate_push_constant_alloc_hs, 0);
	igen_batch_emit(b, gen9__3dstate_push_constant_alloc_ds, 0);
	igen_batch_emit(b, gen9__3dstate_push_constant_alloc_gs, 0);
	igen_batch_emit(b, gen9__3dstate_push_constant_alloc_ps, 0);
	IGEN_RENDER_OFF(b, gen9);
	igen_batch_emit_gen9(b, _3dstate_te, 0);
}

/* Streams of output: no declarations, no buffers. */
static inline void igen_null_stream_output(struct igen_batch *b)
{
	unsigned int i;

	igen_batch_emit(b, gen9__3dstate_so_decl_list, .dword_length = 1);
	for (i = 0; i < 4; i++)
		igen_batch_emit(b, gen9__3dstate_so_buffer, .so_buffer_index = i);
}

/*
 * No depth, stencil and hierarchical buffers. The depth cache is flushed between two depth stalls before they change
 * (public BDW Vol 2a, 3DSTATE_DEPTH_BUFFER).
 */
static inline void igen_null_depth(struct igen_batch *b)
{
	igen_pipe_control(b, IGEN_PIPE_DEPTH_STALL, NULL, 0);
	igen_pipe_control(b, IGEN_PIPE_DEPTH_FLUSH, NULL, 0);
	igen_pipe_control(b, IGEN_PIPE_DEPTH_STALL, NULL, 0);
	/* Surface type 7 is none; a depth format all the same, as the field has no other values. */
	igen_batch_emit(b, gen9__3dstate_depth_buffer, .surface_type = 7, .surface_format = 1);
	igen_batch_emit(b, gen9__3dstate_hier_depth_buffer, 0);
	igen_batch_emit(b, gen9__3dstate_stencil_buffer, 0);
	igen_batch_emit(b, gen9__3dstate_clear_params, 0);
	igen_batch_emit(b, gen9__3dstate_wm_depth_stencil, 0);
}

/* From the strips to the pixels. */
static inline void igen_null_raster(struct igen_batch *b)
{
	unsigned int i;

	/* One pixel. */
	igen_batch_emit(b, gen9__3dstate_drawing_rectangle, 0);
	igen_batch_emit(b, gen9__3dstate_multisample, 0);
	/* A single sample lies in the middle of its pixel. */
	igen_batch_emit(b, gen9__3dstate_sample_pattern, ._1x_sample0_x_offset = 8, ._1x_sample0_y_offset = 8);
	/* Cull mode 0 culls both faces. */
	igen_batch_emit(b, gen9__3dstate_raster, 0);
	/* No clear or resolve of depth; behind rectangle, samples and rasteriser (DG1 Vol 2a, 3DSTATE_WM_HZ_OP). */
	igen_batch_emit(b, gen9__3dstate_wm_hz_op, 0);
	/* A point has a width: 1.0. */
	igen_batch_emit(b, gen9__3dstate_sf, .point_width = 8, .point_width_source = 1);
	/* Attributes: none. What is read, as a length has to be, is what lies behind header and place. */
	igen_batch_emit(b, gen9__3dstate_sbe, .vertex_urb_entry_read_length = 1, .vertex_urb_entry_read_offset = 1,
			.force_vertex_urb_entry_read_length = true, .force_vertex_urb_entry_read_offset = true);
	igen_batch_emit(b, gen9__3dstate_sbe_swiz, 0);
	igen_batch_emit(b, gen9__3dstate_wm, 0);
	igen_batch_emit(b, gen9__3dstate_wm_chromakey, 0);
	igen_batch_emit(b, gen9__3dstate_ps, 0);
	igen_batch_emit(b, gen9__3dstate_ps_extra, 0);
	igen_batch_emit(b, gen9__3dstate_ps_blend, 0);
	igen_batch_emit(b, gen9__3dstate_line_stipple, 0);
	igen_batch_emit(b, gen9__3dstate_aa_line_parameters, 0);
	igen_batch_emit(b, gen9__3dstate_poly_stipple_offset, 0);
	/* Line stipple, line parameters and stipple offset want a stall behind them (DG1 Vol 2a, the commands). */
	igen_pipe_control(b, IGEN_PIPE_CS_STALL, NULL, 0);
	igen_batch_emit(b, gen9__3dstate_poly_stipple_pattern, 0);
	for (i = 0; i < 4; i++)
		igen_batch_emit(b, gen9__3dstate_chroma_key, .chromakey_table_index = i);
	igen_batch_emit(b, gen9__3dstate_monofilter_size, 0);
	/* Sixteen entries each. */
	igen_batch_emit(b, gen9__3dstate_sampler_palette_load0, .dword_length = 15);
	igen_batch_emit(b, gen9__3dstate_sampler_palette_load1, .dword_length = 15);
}

/* The stages' pointers, and those of the pixel's states; behind the bases and the constants. */
static inline void igen_null_pointers(struct igen_batch *b)
{
	igen_batch_emit(b, gen9__3dstate_sampler_state_pointers_vs, 0);
	igen_batch_emit(b, gen9__3dstate_sampler_state_pointers_hs, 0);
	igen_batch_emit(b, gen9__3dstate_sampler_state_pointers_ds, 0);
	igen_batch_emit(b, gen9__3dstate_sampler_state_pointers_gs, 0);
	igen_batch_emit(b, gen9__3dstate_sampler_state_pointers_ps, 0);
	igen_batch_emit(b, gen9__3dstate_binding_table_pointers_vs, 0);
	igen_batch_emit(b, gen9__3dstate_binding_table_pointers_hs, 0);
	igen_batch_emit(b, gen9__3dstate_binding_table_pointers_ds, 0);
	igen_batch_emit(b, gen9__3dstate_binding_table_pointers_gs, 0);
	igen_batch_emit(b, gen9__3dstate_binding_table_pointers_ps, 0);
	igen_batch_emit(b, gen9__3dstate_viewport_state_pointers_cc, 0);
	igen_batch_emit(b, gen9__3dstate_viewport_state_pointers_sf_clip, 0);
	igen_batch_emit(b, gen9__3dstate_scissor_state_pointers, 0);
	igen_batch_emit(b, gen9__3dstate_blend_state_pointers, .blend_state_pointer_valid = true);
	igen_batch_emit(b, gen9__3dstate_cc_state_pointers, .color_calc_state_pointer_valid = true);
}

/**
 * igen_null_state() - set all state of the 3D pipeline to nothing
 * @b: the batch, for the render engine (-EINVAL), generation 9 (-EOPNOTSUPP)
 *
 * State that is set goes to the units of the pipeline with a primitive, so the last command is one: a single vertex
 * of a list of triangles, which completes none. It is counted in no statistics. The 3D pipeline remains selected.
 */
static inline void igen_null_state(struct igen_batch *b)
{
	if (!igen_batch_is_for(b, 1u << IGEN_BATCH_RENDER, 9, "3D is for the render engine") ||
	    !igen_batch_expect(b, b->gen == 9, -EOPNOTSUPP, "the null state is generation 9's"))
		return;
	igen_batch_emit(b, gen9_pipe_control, .command_streamer_stall_enable = true, .dc_flush_enable = true,
			.generic_media_state_clear = true);
	igen_pipeline_select(b, IGEN_PIPELINE_3D);
	igen_null_bases(b);
	igen_null_depth(b);
	igen_null_stages(b);
	igen_null_vertices(b);
	igen_null_stream_output(b);
	igen_null_raster(b);
	igen_null_pointers(b);
	igen_batch_emit_gen9(b, _3dprimitive, .primitive_topology_type = IGEN_TRILIST, .vertex_count_per_instance = 1,
			     .instance_count = 1);
	igen_pipe_drain(b);
}

#endif
