// SPDX-License-Identifier: MIT
/**
 * DOC: The state of a draw
 *
 * struct draw_state is filled from the context's packets and from the blend state in memory (public facts for the
 * layouts: Mesa's genxml; SNB Vol 2 Part 1 for what the fields mean). State that the context has not set is 0, which
 * switches off what it is of; "undefined_state" counts it.
 *
 * What a draw asks for and the model lacks is found here, before anything is drawn, and named. Only what a message of
 * the shader asks for is found later, and stops the shader (shared/target.c).
 */
#include "cs/draw_read.h"
#include "neutral_3d.h"
#include "neutral_gfx.h"
#include "neutral_state.h"

#define RECTLIST	_3DSTATE_VF_TOPOLOGY_PRIMITIVE_TOPOLOGY_TYPE_RECTLIST
#define LAST_PIXEL	16383

/* Unpacks a packet of the context. All its fields are 0 if the context has not set that state. */
#define packet(e, which, name, v) do {							\
		unsigned int len_ = 0;							\
		const uint32_t *dw_ = cs_state_packet(e, which, &len_);			\
											\
		name##_unpack((e)->gen, dw_ ? dw_ : (e)->cs.dw, dw_ ? len_ : 0, v);	\
	} while (0)

/* A part of the state: fills what it is of. NULL, or why the draw cannot be executed. */
typedef const char *(*read_fn)(struct engine *e, struct draw_state *d);

/* Shaders of vertices and geometry. */
static const char *read_stages(struct engine *e, struct draw_state *d)
{
	struct _3dstate_streamout so;
	struct _3dstate_vs vs;
	struct _3dstate_hs hs;
	struct _3dstate_te te;
	struct _3dstate_ds ds;
	struct _3dstate_gs gs;

	(void)d;
	packet(e, CS_PACKET_VS, _3dstate_vs, &vs);
	packet(e, CS_PACKET_HS, _3dstate_hs, &hs);
	packet(e, CS_PACKET_TE, _3dstate_te, &te);
	packet(e, CS_PACKET_DS, _3dstate_ds, &ds);
	packet(e, CS_PACKET_GS, _3dstate_gs, &gs);
	packet(e, CS_PACKET_STREAMOUT, _3dstate_streamout, &so);
	if (vs.enable)
		return "a vertex shader";
	if (hs.enable || te.te_enable || ds.enable)
		return "tessellation";
	if (gs.enable)
		return "a geometry shader";
	return so.so_function_enable || so.rendering_disable ? "stream output" : NULL;
}

/* Until Gen7 a buffer has its last byte's address instead of a size. */
static uint64_t bytes_of(uint32_t size, uint64_t start, uint64_t last)
{
	return size || last < start ? size : last - start + 1;
}

static void read_buffer(struct engine *e, unsigned int index, struct draw_buffer *b)
{
	struct vertex_buffer_state v = { 0 };
	unsigned int len;
	const uint32_t *dw = cs_state_indexed(e, CS_PACKET_VERTEX_BUFFERS, index, &len);

	if (dw)
		vertex_buffer_state_unpack(e->gen, dw + 1, len - 1, &v);
	*b = (struct draw_buffer){
		.addr = v.buffer_starting_address,
		.bytes = bytes_of(v.buffer_size, v.buffer_starting_address, v.end_address),
		.pitch = v.buffer_pitch, .null = !dw || v.null_vertex_buffer,
		.instanced = v.buffer_access_type, .step = v.instance_data_step_rate,
	};
}

static const char *read_element(struct engine *e, const struct draw_state *d, const uint32_t *dw, unsigned int index,
				struct draw_element *to)
{
	struct _3dstate_vf_instancing i = { 0 };
	struct vertex_element_state v;
	uint32_t components[4];
	uint8_t nothing[16] = { 0 };
	unsigned int len;

	vertex_element_state_get(e->gen, dw, &v);
	*to = (struct draw_element){
		.format = (uint16_t)v.source_element_format, .buffer = (uint8_t)v.vertex_buffer_index,
		.component = { (uint8_t)v.component_0_control, (uint8_t)v.component_1_control,
			       (uint8_t)v.component_2_control, (uint8_t)v.component_3_control },
		.valid = v.valid, .offset = v.source_element_offset,
	};
	dw = cs_state_indexed(e, CS_PACKET_INSTANCING, index, &len);
	if (dw)
		_3dstate_vf_instancing_unpack(e->gen, dw, len, &i);
	if (!v.valid)
		return NULL;
	if (v.vertex_buffer_index >= DRAW_BUFFERS)
		return "a vertex element of a vertex buffer that there cannot be";
	/* Until Gen7 a buffer says whether its elements are those of instances, later an element does. */
	to->instanced = i.instancing_enable || d->buffer[v.vertex_buffer_index].instanced;
	to->step = i.instance_data_step_rate + d->buffer[v.vertex_buffer_index].step;
	for (unsigned int c = 0; c < 4; c++)
		if (to->component[c] > COMPONENT_INSTANCE_ID)
			return "a primitive's number in a vertex";
	if (v.edge_flag_enable)
		return "an edge flag";
	return format_vertex(v.source_element_format, nothing, components) ? NULL :
	       "a vertex element of a format that is not modelled";
}

static const char *read_vertices(struct engine *e, struct draw_state *d)
{
	const char *error = NULL;
	const uint32_t *dw;
	unsigned int len;

	for (unsigned int i = 0; i < DRAW_BUFFERS; i++)
		read_buffer(e, i, &d->buffer[i]);
	dw = cs_state_packet(e, CS_PACKET_VERTEX_ELEMENTS, &len);
	d->num_elements = dw ? (len - 1) / VERTEX_ELEMENT_STATE_DWORDS : 0;
	if (d->num_elements > DRAW_ELEMENTS)
		d->num_elements = DRAW_ELEMENTS;
	for (unsigned int i = 0; i < d->num_elements && !error; i++)
		error = read_element(e, d, dw + 1 + i * VERTEX_ELEMENT_STATE_DWORDS, i, &d->element[i]);
	return error;
}

static const char *read_fetch(struct engine *e, struct draw_state *d)
{
	struct _3dstate_index_buffer b;
	struct _3dstate_vf_sgvs g;
	struct _3dstate_vf f;

	packet(e, CS_PACKET_VERTEX_FETCH, _3dstate_vf, &f);
	packet(e, CS_PACKET_GENERATED_VALUES, _3dstate_vf_sgvs, &g);
	packet(e, CS_PACKET_INDEX_BUFFER, _3dstate_index_buffer, &b);
	d->index = (struct draw_index){
		.addr = b.buffer_starting_address,
		.bytes = bytes_of(b.buffer_size, b.buffer_starting_address, b.buffer_ending_address),
		.size = (uint8_t)(1u << (b.index_format & 3)),
		.cuts = f.indexed_draw_cut_index_enable || b.cut_index_enable,
		.cut = b.cut_index_enable ? ~0u : f.cut_index,
	};
	d->vertex_id = (struct draw_id){ g.vertexid_enable, (uint8_t)g.vertexid_element_offset,
					 (uint8_t)g.vertexid_component_number };
	d->instance_id = (struct draw_id){ g.instanceid_enable, (uint8_t)g.instanceid_element_offset,
					   (uint8_t)g.instanceid_component_number };
	if (d->index.size > 4)
		return "indices of a reserved size";
	return f.component_packing_enable ? "components of vertex elements that are packed" : NULL;
}

static const char *read_clip(struct engine *e, struct draw_state *d)
{
	struct _3dstate_viewport_state_pointers_sf_clip v;
	struct _3dstate_scissor_state_pointers s;
	struct _3dstate_raster r;
	struct _3dstate_clip c;
	struct _3dstate_sf f;

	packet(e, CS_PACKET_CLIP, _3dstate_clip, &c);
	packet(e, CS_PACKET_SF, _3dstate_sf, &f);
	packet(e, CS_PACKET_RASTER, _3dstate_raster, &r);
	packet(e, CS_PACKET_VIEWPORTS, _3dstate_viewport_state_pointers_sf_clip, &v);
	packet(e, CS_PACKET_SCISSORS, _3dstate_scissor_state_pointers, &s);
	d->divides = !c.perspective_divide_disable;
	d->transforms = f.viewport_transform_enable;
	d->scissors = r.scissor_rectangle_enable || f.scissor_rectangle_enable;
	d->first_slice = c.force_zero_rta_index_enable;
	d->last_viewport = c.maximum_vp_index;
	d->viewports = v.sf_clip_viewport_pointer;
	d->scissor = s.scissor_rect_pointer;
	/* "... or the CLIP unit's Clip Mode should be set to a value other than CLIPMODE_NORMAL" (RECTLIST). */
	if (c.clip_enable && c.clip_mode != _3DSTATE_CLIP_CLIP_MODE_CLIPMODE_ACCEPT_ALL)
		return "a rectangle that may be clipped";
	if (r.conservative_rasterization_enable)
		return "conservative rasterization";
	return r.forced_sample_count ? "a forced number of samples" : NULL;
}

static const char *read_screen(struct engine *e, struct draw_state *d)
{
	struct _3dstate_drawing_rectangle c;
	struct _3dstate_multisample m;
	unsigned int len;

	packet(e, CS_PACKET_MULTISAMPLE, _3dstate_multisample, &m);
	packet(e, CS_PACKET_DRAWING_RECTANGLE, _3dstate_drawing_rectangle, &c);
	d->bounds = (struct draw_bounds){
		(int32_t)c.clipped_drawing_rectangle_x_min, (int32_t)c.clipped_drawing_rectangle_y_min,
		(int32_t)c.clipped_drawing_rectangle_x_max, (int32_t)c.clipped_drawing_rectangle_y_max,
	};
	if (!cs_state_packet(e, CS_PACKET_DRAWING_RECTANGLE, &len))
		d->bounds = (struct draw_bounds){ 0, 0, LAST_PIXEL, LAST_PIXEL };
	d->origin_x = c.drawing_rectangle_origin_x;
	d->origin_y = c.drawing_rectangle_origin_y;
	if (m.number_of_multisamples)
		return "multisampling";
	return m.pixel_location == _3DSTATE_MULTISAMPLE_PIXEL_LOCATION_UL_CORNER ?
	       "pixels with their place at a corner" : NULL;
}

static const char *read_attributes(struct engine *e, struct draw_state *d)
{
	struct _3dstate_sbe c;
	struct _3dstate_vs vs;
	unsigned int len = 0;
	bool own;
	const uint32_t *dw = cs_state_packet(e, CS_PACKET_SBE, &len);

	packet(e, CS_PACKET_SBE, _3dstate_sbe, &c);
	packet(e, CS_PACKET_VS, _3dstate_vs, &vs);
	d->num_attributes = c.number_of_sf_output_attributes <= DRAW_ATTRIBUTES ? c.number_of_sf_output_attributes :
			    DRAW_ATTRIBUTES;
	/* In pairs of slots. From Gen8 on it is the vertex shader's offset, unless the setup state forces its own. */
	own = c.force_vertex_urb_entry_read_offset || !c.active_components;
	d->first_slot = 2 * (own ? c.vertex_urb_entry_read_offset : vs.vertex_urb_entry_output_read_offset);
	d->flat = c.constant_interpolation_enable;
	for (unsigned int i = 0; i < DRAW_ATTRIBUTES; i++) {
		unsigned int at = c.active_components + i / 16;
		unsigned int code = dw && at < len ? dw[at] >> 2 * (i % 16) & 3 : 0;

		d->components[i] = code ? (uint8_t)(code + 1) : 0;
		/* Where the state says nothing of components, all are active. */
		if (!c.active_components)
			d->components[i] = 4;
	}
	if (c.attribute_swizzle_enable)
		return "attributes that are swizzled";
	return c.primitive_id_override_component_x || c.primitive_id_override_component_y ||
	       c.primitive_id_override_component_z || c.primitive_id_override_component_w ?
	       "a primitive's number as an attribute" : NULL;
}

/* Until Gen7 the state of depth and stencil lies in memory. */
static void read_depth_state(struct engine *e, const struct draw_state *d, struct depth_stencil_state *z)
{
	struct _3dstate_depth_stencil_state_pointers c;
	uint32_t dw[DEPTH_STENCIL_STATE_DWORDS] = { 0 };
	struct shared *s = draw_shared(e->draw);
	unsigned int len;

	if (!cs_state_packet(e, CS_PACKET_DEPTH_STATE, &len))
		return;
	packet(e, CS_PACKET_DEPTH_STATE, _3dstate_depth_stencil_state_pointers, &c);
	s->vm = d->vm;
	shared_read(s, d->bases.dynamic + c.pointer_to_depth_stencil_state, dw, sizeof(dw));
	depth_stencil_state_get(e->gen, dw, z);
}

static const char *read_depth(struct engine *e, struct draw_state *d)
{
	struct depth_stencil_state z7 = { 0 };
	struct _3dstate_wm_depth_stencil z;
	struct _3dstate_wm_chromakey k;
	struct _3dstate_wm_hz_op h;
	struct _3dstate_wm w;

	packet(e, CS_PACKET_DEPTH_STENCIL, _3dstate_wm_depth_stencil, &z);
	packet(e, CS_PACKET_CHROMA_KEY, _3dstate_wm_chromakey, &k);
	packet(e, CS_PACKET_HZ_OP, _3dstate_wm_hz_op, &h);
	packet(e, CS_PACKET_WM, _3dstate_wm, &w);
	d->barycentrics = (uint8_t)w.barycentric_interpolation_mode;
	read_depth_state(e, d, &z7);
	if (z.depth_test_enable || z.depth_buffer_write_enable || z7.depth_test_enable || z7.depth_buffer_write_enable)
		return "a depth test";
	if (z.stencil_test_enable || z.stencil_buffer_write_enable || z7.stencil_test_enable ||
	    z7.stencil_buffer_write_enable)
		return "a stencil test";
	if (w.depth_buffer_clear || w.depth_buffer_resolve_enable || w.hierarchical_depth_buffer_resolve_enable)
		return "an operation on the depth buffer";
	if (h.depth_buffer_clear_enable || h.stencil_buffer_clear_enable || h.depth_buffer_resolve_enable ||
	    h.hierarchical_depth_buffer_resolve_enable || w.legacy_depth_buffer_clear_enable ||
	    w.legacy_depth_buffer_resolve_enable || w.legacy_hierarchical_depth_buffer_resolve_enable)
		return "an operation on the depth buffer";
	if (k.chromakey_kill_enable)
		return "a chroma key";
	return w.polygon_stipple_enable ? "a polygon stipple" : NULL;
}

/* Until Gen7 the first entry says what later the state's first dword says. */
static const char *blend_error(const struct blend_state *b, const struct blend_state_entry *first)
{
	if (b->alpha_test_enable || first->alpha_test_enable)
		return "an alpha test";
	return b->alpha_to_coverage_enable || b->alpha_to_one_enable || first->alphatocoverage_enable ||
	       first->alphatoone_enable ? "alpha to coverage" : NULL;
}

/*
 * What is written of each render target. Without a blend state everything is. A state has as many entries as the driver
 * has targets; those in the page of the first one are read.
 */
static const char *read_blend(struct engine *e, struct draw_state *d)
{
	uint32_t dw[BLEND_STATE_DWORDS + PIXEL_TARGETS * BLEND_STATE_ENTRY_DWORDS] = { 0 };
	struct _3dstate_blend_state_pointers c;
	struct shared *s = draw_shared(e->draw);
	struct blend_state_entry entry, first = { 0 };
	unsigned int header = e->gpu->platform->eu->blend_header, len;
	struct blend_state all = { 0 };
	uint64_t addr, left;

	packet(e, CS_PACKET_BLEND, _3dstate_blend_state_pointers, &c);
	if (!cs_state_packet(e, CS_PACKET_BLEND, &len) || (header && !c.blend_state_pointer_valid))
		return NULL;
	s->vm = d->vm;
	addr = d->bases.dynamic + c.blend_state_pointer;
	left = VIEW_PAGE - addr % VIEW_PAGE;
	shared_read(s, addr, dw, left < sizeof(dw) ? (unsigned int)left : sizeof(dw));
	if (header)
		blend_state_get(e->gen, dw, &all);
	for (unsigned int i = 0; i < PIXEL_TARGETS; i++) {
		blend_state_entry_get(e->gen, dw + header + i * BLEND_STATE_ENTRY_DWORDS, &entry);
		first = i ? first : entry;
		d->kept[i] = (uint8_t)(entry.write_disable_red | entry.write_disable_green << 1 |
				       entry.write_disable_blue << 2 | entry.write_disable_alpha << 3);
		if (entry.color_buffer_blend_enable || entry.logic_op_enable)
			d->blended |= (uint8_t)(1u << i);
	}
	if (d->blended & 1)
		return "blending or a logic operation";
	return blend_error(&all, &first);
}

/* The programs by their widths. Where there is one width alone, its program is the first (3DSTATE_PS). */
static void read_programs(const struct _3dstate_ps *c, struct draw_state *d)
{
	const struct draw_program first = {
		c->kernel_start_pointer_0, (uint8_t)c->dispatch_grf_start_register_for_constant_setup_data_0,
	}, third = {
		c->kernel_start_pointer_2, (uint8_t)c->dispatch_grf_start_register_for_constant_setup_data_2,
	};

	d->has_simd8 = c->_8_pixel_dispatch_enable;
	d->has_simd16 = c->_16_pixel_dispatch_enable;
	d->simd8 = first;
	d->simd16 = c->_8_pixel_dispatch_enable || c->_32_pixel_dispatch_enable ? third : first;
	d->cr0 = (c->floating_point_mode ? EU_CR0_ALT : 0) | (c->single_program_flow ? EU_CR0_SPF : 0) |
		 (c->vector_mask_enable ? EU_CR0_VECTOR_MASK : 0) |
		 (c->single_precision_denormal_mode ? EU_CR0_DENORM_F : 0) | c->rounding_mode << EU_CR0_ROUND_SHIFT;
	d->cr1 = c->illegal_opcode_exception_enable ? EU_CR1_ILLEGAL_ENABLE : 0;
	d->scratch = c->scratch_space_base_pointer;
	d->scratch_code = c->per_thread_scratch_space;
}

static const char *shader_error(const struct _3dstate_ps *c, const struct _3dstate_ps_extra *x,
				const struct _3dstate_wm *w)
{
	if (c->render_target_fast_clear_enable || c->render_target_resolve_type || c->render_target_resolve_enable)
		return "a fast clear or a resolve";
	if (!c->_8_pixel_dispatch_enable && !c->_16_pixel_dispatch_enable && c->_32_pixel_dispatch_enable)
		return "a pixel shader of 32 pixels alone";
	if (c->push_constant_enable)
		return "constants of a pixel shader";
	if (c->dual_source_blend_enable)
		return "blending or a logic operation";
	if (c->position_xy_offset_select || w->pixel_shader_uses_input_coverage_mask ||
	    x->pixel_shader_is_per_sample || x->input_coverage_mask_state)
		return "samples of pixels in a pixel shader";
	if (x->pixel_shader_computed_depth_mode || x->pixel_shader_computes_stencil ||
	    x->omask_present_to_render_target || w->pixel_shader_computed_depth_mode ||
	    c->omask_present_to_rendertarget)
		return "a pixel shader that computes depth, stencil or coverage";
	return NULL;
}

static const char *read_shader(struct engine *e, struct draw_state *d)
{
	struct _3dstate_binding_table_pointers_ps table;
	struct _3dstate_sampler_state_pointers_ps samplers;
	struct _3dstate_sample_mask mask;
	struct _3dstate_ps_extra x;
	struct _3dstate_ps_blend b;
	struct _3dstate_wm w;
	struct _3dstate_ps c;
	bool dispatches;

	packet(e, CS_PACKET_WM, _3dstate_wm, &w);
	packet(e, CS_PACKET_PS, _3dstate_ps, &c);
	packet(e, CS_PACKET_PS_EXTRA, _3dstate_ps_extra, &x);
	packet(e, CS_PACKET_PS_BLEND, _3dstate_ps_blend, &b);
	packet(e, CS_PACKET_PS_TABLE, _3dstate_binding_table_pointers_ps, &table);
	packet(e, CS_PACKET_PS_SAMPLERS, _3dstate_sampler_state_pointers_ps, &samplers);
	packet(e, CS_PACKET_SAMPLE_MASK, _3dstate_sample_mask, &mask);
	d->source_depth = x.pixel_shader_uses_source_depth || w.pixel_shader_uses_source_depth;
	d->source_w = x.pixel_shader_uses_source_w || w.pixel_shader_uses_source_w;
	d->binding_table = (uint32_t)table.pointer_to_ps_binding_table;
	d->sampler_state = (uint32_t)samplers.pointer_to_ps_sampler_state;
	if (!x.attribute_enable && !c.attribute_enable)
		d->num_attributes = 0;
	/* Until Gen7 one bit says whether threads are dispatched. Otherwise nothing is to be seen of the draw. */
	dispatches = w.thread_dispatch_enable ||
		     (x.pixel_shader_valid && (b.has_writeable_rt || x.pixel_shader_has_uav));
	if (!dispatches || !(mask.sample_mask & 1))
		return NULL;
	read_programs(&c, d);
	return shader_error(&c, &x, &w);
}

static void read_bases(struct engine *e, struct draw_state *d)
{
	struct media_state m;

	cs_media_state(e, &m);
	d->vm = m.vm;
	d->bases = m.bases;
	d->sip = (uint32_t)m.sip;
}

/**
 * draw_read - reads what a draw depends on
 * @e: the render engine
 * @topology: of the command; where a platform has a state command for it, that one's counts
 * @d: filled
 *
 * Return: NULL, or what the draw asks for that the model lacks. No width of the pixel shader is set in @d if nothing is
 * to be seen of the draw.
 */
const char *draw_read(struct engine *e, uint32_t topology, struct draw_state *d)
{
	static const read_fn parts[] = {
		read_stages, read_fetch, read_vertices, read_clip, read_screen, read_attributes, read_depth, read_blend,
		read_shader,
	};
	struct _3dstate_vf_topology t;
	const char *error = NULL;
	unsigned int len;

	packet(e, CS_PACKET_TOPOLOGY, _3dstate_vf_topology, &t);
	if (cs_state_packet(e, CS_PACKET_TOPOLOGY, &len))
		topology = t.primitive_topology_type;
	if (topology != RECTLIST)
		return "a topology other than rectangles";
	memset(d, 0, sizeof(*d));
	read_bases(e, d);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !error; i++)
		error = parts[i](e, d);
	return error;
}
