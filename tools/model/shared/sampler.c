// SPDX-License-Identifier: MIT
/**
 * DOC: Sampler messages
 *
 * A message has up to eleven parameters, each a block with a float, or an integer, for each of 8 or 16 channels. Those
 * that are missing at the end are 0. The response has red to alpha, a block each, less those that the header masks
 * (SNB Vol 4 Part 1, 2.12.1; the order of the parameters of Gen7 and Gen9: public facts, Mesa's elk and brw compilers).
 *
 * The surface is an index in the binding table. The sampler's state is an index behind the pointer of the header, or,
 * without a header, that of the thread's first register. ld*, resinfo and sampleinfo have no state.
 *
 * A surface, state or message that is not modelled stops the thread with its name: multisampled surfaces, Ys and W
 * tiles, levels and volumes in Yf tiles, formats that format.c lacks, chroma keys, reductions, the DX9 mode of border
 * colours, and anisotropic filters for a LOD that comes from gradients. Messages with a LOD of their own have the
 * linear filter instead, as BXT Vol 2c says.
 */
#include <math.h>
#include <string.h>

#include "neutral_state.h"
#include "shared/sampler.h"

/* Parameters by letter: what of a message stands at which place. */
#define PARAMETERS	26
#define MAX_LANES	16

/* Where the LOD of a sample comes from. */
enum lod_source { LOD_NEIGHBOURS, LOD_PARAMETER, LOD_ZERO, LOD_GRADIENTS };

/*
 * u, v, r: the coordinates; a: index in an array; l: LOD; b: its bias; f: reference of a comparison; g to m, without l:
 * gradients of u, v and r, along a row and along a column; o, p: offsets of a gather.
 */
static const struct kind {
	const char *parameters;
	enum lod_source lod;
	bool compares, gathers;
	bool tells_lod;			/* in place of a sample */
} kinds[ISA_MESSAGES] = {
	[ISA_MSG_SAMPLE] = { "uvra", LOD_NEIGHBOURS },
	[ISA_MSG_SAMPLE_B] = { "buvra", LOD_NEIGHBOURS },
	[ISA_MSG_SAMPLE_L] = { "luvra", LOD_PARAMETER },
	[ISA_MSG_SAMPLE_LZ] = { "uvra", LOD_ZERO },
	[ISA_MSG_SAMPLE_D] = { "ughvijrkma", LOD_GRADIENTS },
	[ISA_MSG_SAMPLE_C] = { "fuvra", LOD_NEIGHBOURS, true },
	[ISA_MSG_SAMPLE_B_C] = { "fbuvra", LOD_NEIGHBOURS, true },
	[ISA_MSG_SAMPLE_L_C] = { "fluvra", LOD_PARAMETER, true },
	[ISA_MSG_SAMPLE_C_LZ] = { "fuvra", LOD_ZERO, true },
	[ISA_MSG_SAMPLE_D_C] = { "fughvijrkma", LOD_GRADIENTS, true },
	[ISA_MSG_GATHER4] = { "uvra", LOD_ZERO, false, true },
	[ISA_MSG_GATHER4_C] = { "fuvra", LOD_ZERO, true, true },
	[ISA_MSG_GATHER4_PO] = { "uvopr", LOD_ZERO, false, true },
	[ISA_MSG_GATHER4_PO_C] = { "fuvopr", LOD_ZERO, true, true },
	[ISA_MSG_LOD] = { "uvra", LOD_NEIGHBOURS, .tells_lod = true },
};

/* What a message says beside its parameters. */
struct head {
	unsigned int lanes, parameters;	/* how many blocks of parameters there are */
	bool half;			/* results have 16 bits */
	uint8_t masked;			/* channels that are not returned */
	uint8_t source;			/* channel that is gathered */
	int32_t offset[3];
};

static int32_t offset_of(uint32_t field)
{
	return (int32_t)(field << 28) >> 28;
}

static const char *read_head(const struct send *s, struct head *h)
{
	uint32_t simd = send_field(s, ISA_MSG_F_SIMD), m2 = s->msg->header ? send_dword(s, 8) : 0;
	bool gen9 = s->shared->platform->channel_selects;

	if ((simd != 1 && simd != 2) || (gen9 && s->msg->desc >> 29 & 1))
		return "a sampler message that is neither SIMD8 nor SIMD16";
	*h = (struct head){
		.lanes = simd * 8, .half = gen9 && s->msg->desc >> 30 & 1, .masked = m2 >> 12 & 15,
		.source = m2 >> 16 & 3, .offset = { offset_of(m2 >> 8), offset_of(m2 >> 4), offset_of(m2) },
	};
	if (send_lacks(s, send_body(s)))
		return "a sampler message with too short a payload";
	h->parameters = (s->payload_bytes - send_body(s)) / (h->lanes * 4);
	if (h->masked == 15)
		return "a sampler message that returns no channel";
	return NULL;
}

static void read_parameters(const struct send *s, const struct head *h, const char *names, unsigned int lane,
			    uint32_t value[PARAMETERS])
{
	memset(value, 0, PARAMETERS * sizeof(*value));
	for (unsigned int i = 0; i < h->parameters && names[i]; i++)
		value[names[i] - 'a'] = send_dword(s, send_body(s) + (i * h->lanes + lane) * 4);
}

static float as_float(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static uint32_t from_float(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static void respond(const struct send *s, const struct head *h, bool integers, unsigned int lane,
		    const uint32_t channel[4])
{
	unsigned int block = 0;

	for (unsigned int i = 0; i < 4; i++) {
		uint16_t half;

		if (h->masked >> i & 1)
			continue;
		if (h->half) {
			/* 8 channels take the lower half of a register. */
			half = integers ? (uint16_t)channel[i] : format_half(channel[i]);
			send_respond(s, block * EU_GRF_BYTES + lane * 2, &half, sizeof(half));
		} else {
			send_respond(s, (block * h->lanes + lane) * 4, &channel[i], sizeof(channel[i]));
		}
		block++;
	}
}

/* All enabled channels return zeros: there is no surface, or the sampler is switched off. */
static enum eu_reply respond_zeros(const struct send *s, const struct head *h)
{
	static const uint32_t zeros[4];

	for (unsigned int i = 0; i < h->lanes; i++)
		if (s->msg->exec_mask >> i & 1)
			respond(s, h, true, i, zeros);
	return EU_DONE;
}

static void read_state(const struct send *s, struct sampler *p, struct sampler_state *c)
{
	uint32_t pointer = s->msg->header ? send_dword(s, 12) : s->group->sampler_state;
	uint32_t dw[SAMPLER_STATE_DWORDS] = { 0 };
	struct shared *shared = s->shared;

	shared_read(shared, shared->bases.dynamic + (pointer & ~31u) + send_field(s, ISA_MSG_F_SAMPLER) * sizeof(dw),
		    dw, sizeof(dw));
	sampler_state_get(shared->gen, dw, c);
	*p = (struct sampler){
		.disabled = c->sampler_disable,
		.pre_clamp = c->lod_preclamp_enable || c->lod_preclamp_mode == SAMPLER_STATE_LOD_PRECLAMP_MODE_OGL,
		.mip_magnified = c->lod_clamp_magnification_mode,
		.unnormalised = c->non_normalized_coordinate_enable,
		.filter = { (uint8_t)c->min_mode_filter, (uint8_t)c->mag_mode_filter },
		.mip = (uint8_t)c->mip_mode_filter,
		.wrap = { (uint8_t)c->tcx_address_control_mode, (uint8_t)c->tcy_address_control_mode,
			  (uint8_t)c->tcz_address_control_mode },
		.round = {
			{ c->u_address_min_filter_rounding_enable, c->v_address_min_filter_rounding_enable,
			  c->r_address_min_filter_rounding_enable },
			{ c->u_address_mag_filter_rounding_enable, c->v_address_mag_filter_rounding_enable,
			  c->r_address_mag_filter_rounding_enable },
		},
		.shadow = (uint8_t)c->shadow_function,
		.quality = (uint8_t)c->trilinear_filter_quality,
		.bias = c->texture_lod_bias / 256.0,
		.min_lod = c->min_lod / 256.0, .max_lod = c->max_lod / 256.0, .base_level = c->base_mip_level / 2.0,
	};
}

/* Has an axis of the texture one of these address modes? */
static bool wraps(const struct sampling *g, uint32_t modes)
{
	bool is = false;

	for (unsigned int i = 0; i < texture_axes(g->texture); i++)
		is = is || modes >> g->sampler.wrap[i] & 1;
	return is;
}

/* What of a sampler's state is not modelled, or cannot be with the texture. */
static const char *state_error(const struct sampling *g, const struct sampler_state *c, const struct kind *kind)
{
	const struct sampler *p = &g->sampler;
	bool integers = format_is_integer(g->texture->format);

	if (c->chromakey_enable || c->reduction_type_enable)
		return "a sampler with a chroma key or a reduction";
	if (c->texture_border_color_mode)
		return "a sampler with border colours of DX9";
	if (p->filter[0] > FILTER_ANISOTROPIC || p->filter[1] > FILTER_ANISOTROPIC || p->mip == 2)
		return "a sampler with a filter that is not modelled";
	if (!kind->gathers && integers && (p->filter[0] || p->filter[1] || p->mip == MIP_LINEAR))
		return "a sampler that filters integers";
	if (wraps(g, 1 << 7) || (g->texture->level[0].kind != SURFACE_CUBE && wraps(g, 1 << WRAP_CUBE)))
		return "a sampler with an address mode that the surface does not have";
	if (p->unnormalised && (texture_axes(g->texture) < 1 || g->texture->level[0].kind == SURFACE_CUBE ||
				wraps(g, 1 << WRAP | 1 << WRAP_MIRROR | 1 << WRAP_MIRROR_ONCE)))
		return "a sampler that wraps coordinates which are not normalised";
	return NULL;
}

static const char *prepare_sampler(struct sampling *g, const struct kind *kind)
{
	struct sampler *p = &g->sampler;
	struct shared *shared = g->s->shared;
	struct sampler_state c;
	const char *error;

	read_state(g->s, p, &c);
	if (p->disabled)
		return NULL;
	if (g->texture->level[0].kind == SURFACE_CUBE && c.cube_surface_control_mode)
		memset(p->wrap, WRAP_CUBE, sizeof(p->wrap));
	if (g->texture->base_level)
		p->base_level = g->texture->base_level / 2.0;
	error = state_error(g, &c, kind);
	if (error)
		return error;
	for (unsigned int i = 0; i < 2; i++) {
		if (p->filter[i] != FILTER_ANISOTROPIC)
			continue;
		if (kind->lod == LOD_NEIGHBOURS || kind->lod == LOD_GRADIENTS)
			return "a sampler with an anisotropic filter";
		p->filter[i] = FILTER_LINEAR;
	}
	if (wraps(g, 1 << WRAP_BORDER | 1 << WRAP_HALF_BORDER))
		shared_read(shared, shared->bases.dynamic + c.border_color_pointer, p->border, sizeof(p->border));
	return NULL;
}

/* The texture of a message; false: *reply is the message's. */
static bool prepare_texture(struct send *s, const struct head *h, struct sampling *g, bool loads, enum eu_reply *reply)
{
	const struct texture *t = texture_of(s, send_field(s, ISA_MSG_F_BTI));
	enum surface_kind kind;

	*reply = EU_BAD;
	if (!t) {
		s->thread->fault = "no memory for a texture";
		return false;
	}
	*g = (struct sampling){ .s = s, .texture = t };
	kind = t->level[0].kind;
	if (kind == SURFACE_NULL)
		*reply = respond_zeros(s, h);
	else if (t->error)
		*reply = send_bad(s, t->error);
	else if (!t->format)
		*reply = send_bad(s, "a sampler message to a surface of a format that is not modelled");
	else if (kind == SURFACE_STRUCTURED || kind == (loads ? SURFACE_CUBE : SURFACE_BUFFER))
		*reply = send_bad(s, "a sampler message to a surface of a type that it cannot have");
	else
		return true;
	return false;
}

/* U, V, R and the index of an array, as the texture's type has them. */
static void set_coordinates(const struct texture *t, const uint32_t value[PARAMETERS], struct point *p)
{
	static const char names[3] = { 'u', 'v', 'r' };

	for (unsigned int i = 0; i < 3; i++)
		p->at[i] = as_float(value[names[i] - 'a']);
	switch (t->level[0].kind) {
	case SURFACE_1D:
		p->index = p->at[1];
		break;
	case SURFACE_2D:
		p->index = p->at[2];
		break;
	default:
		p->index = as_float(value[0]);
		break;
	}
}

/* The coordinates along a texture's axes: a cube's are on the face of the subspan's first channel. */
static void along_axes(const struct sampling *g, const struct point *p, int32_t face, double at[3])
{
	memcpy(at, p->at, sizeof(p->at));
	if (g->texture->level[0].kind == SURFACE_CUBE)
		cube_on_face(face, p->at, at);
}

/* The LOD of a channel from the four of its subspan: upper left, upper right, lower left, lower right. */
static double lod_of_neighbours(const struct sampling *g, const struct head *h, const char *names, unsigned int lane)
{
	uint32_t value[PARAMETERS];
	double at[3][3], d[3][2];
	struct point p;
	int32_t face = 0;

	for (unsigned int i = 0; i < 3; i++) {
		read_parameters(g->s, h, names, (lane & ~3u) + i, value);
		set_coordinates(g->texture, value, &p);
		if (!i)
			face = cube_face(p.at, at[0]);
		along_axes(g, &p, face, at[i]);
	}
	for (unsigned int a = 0; a < 3; a++) {
		d[a][0] = at[1][a] - at[0][a];
		d[a][1] = at[2][a] - at[0][a];
	}
	return lod_of_gradients(g->texture, &g->sampler, d);
}

static double explicit_gradients(const struct sampling *g, const uint32_t value[PARAMETERS])
{
	double d[3][2] = {
		{ as_float(value['g' - 'a']), as_float(value['h' - 'a']) },
		{ as_float(value['i' - 'a']), as_float(value['j' - 'a']) },
		{ as_float(value['k' - 'a']), as_float(value['m' - 'a']) },
	};

	return lod_of_gradients(g->texture, &g->sampler, d);
}

/* The LOD, clamped and unclamped. No channel select applies, and of blue and alpha nothing is said. */
static void tell_lod(const struct sampling *g, double lod, uint32_t out[4])
{
	struct levels l;

	lod_levels(&g->sampler, g->texture, lod, &l);
	memset(out, 0, 4 * sizeof(*out));
	out[0] = from_float((float)l.clamped);
	out[1] = from_float((float)l.unclamped);
}

static void sample_lane(struct sampling *g, const struct head *h, const struct kind *kind, unsigned int lane)
{
	uint32_t value[PARAMETERS], out[4];
	struct point p = { .offset = { h->offset[0], h->offset[1], h->offset[2] } };

	read_parameters(g->s, h, kind->parameters, lane, value);
	set_coordinates(g->texture, value, &p);
	p.ref = as_float(value['f' - 'a']);
	switch (kind->lod) {
	case LOD_NEIGHBOURS:
		p.lod = lod_of_neighbours(g, h, kind->parameters, lane) + as_float(value['b' - 'a']);
		break;
	case LOD_PARAMETER:
		p.lod = as_float(value['l' - 'a']);
		break;
	case LOD_GRADIENTS:
		p.lod = explicit_gradients(g, value);
		break;
	default:
		break;
	}
	if (strchr(kind->parameters, 'o')) {
		/* Signed numbers of 6 bits. */
		p.offset[0] = (int32_t)(value['o' - 'a'] << 26) >> 26;
		p.offset[1] = (int32_t)(value['p' - 'a'] << 26) >> 26;
	}
	if (kind->gathers)
		filter_gather(g, &p, h->source, out);
	else if (kind->tells_lod)
		tell_lod(g, p.lod, out);
	else
		filter_sample(g, &p, out);
	respond(g->s, h, !kind->tells_lod && format_is_integer(g->texture->format), lane, out);
}

/**
 * message_sample - sample*, gather4*, lod: texels that are filtered, or four of them, or the level that they are of
 * @s: the send
 *
 * Return: EU_DONE, or EU_BAD with what is not modelled.
 */
enum eu_reply message_sample(struct send *s)
{
	const struct kind *kind = &kinds[s->info->id];
	struct sampling g;
	struct head h;
	const char *error = read_head(s, &h);
	enum eu_reply reply;

	if (error)
		return send_bad(s, error);
	if (!h.parameters)
		return send_bad(s, "a sampler message with too short a payload");
	if (!prepare_texture(s, &h, &g, false, &reply))
		return reply;
	g.compares = kind->compares;
	if (kind->gathers && texture_axes(g.texture) != 2)
		return send_bad(s, "a gather from a surface that is neither 2D nor a cube");
	error = prepare_sampler(&g, kind);
	if (error)
		return send_bad(s, error);
	if (g.sampler.disabled)
		return respond_zeros(s, &h);
	for (unsigned int i = 0; i < h.lanes; i++)
		if (s->msg->exec_mask >> i & 1)
			sample_lane(&g, &h, kind, i);
	return EU_DONE;
}

/* The parameters of an ld; s: index of the sample, c: what ld_mcs has given for the pixel. */
static const char *names_of_ld(const struct send *s)
{
	switch (s->info->id) {
	case ISA_MSG_LD_LZ:
		return "uvr";
	case ISA_MSG_LD2DSS:
		return "suvr";
	case ISA_MSG_LD2DMS:
		return "scuvr";
	case ISA_MSG_LD2DMS_W:
		return "sccuvr";
	default:
		return s->shared->platform->ld_lod == 1 ? "ulvr" : "uvlr";
	}
}

/**
 * message_ld - ld, ld_lz, ld2dss, ld2dms, ld2dms_w: texels by their addresses
 * @s: the send
 *
 * The index of a sample is clamped to those that a pixel has (SNB Vol 4 Part 1, 2.12.1.4), which is one: textures of
 * several are not modelled.
 *
 * Return: EU_DONE, or EU_BAD with what is not modelled.
 */
enum eu_reply message_ld(struct send *s)
{
	const char *names = names_of_ld(s);
	struct sampling g;
	struct head h;
	const char *error = read_head(s, &h);
	enum eu_reply reply;

	if (error)
		return send_bad(s, error);
	if (!h.parameters)
		return send_bad(s, "a sampler message with too short a payload");
	if (!prepare_texture(s, &h, &g, true, &reply))
		return reply;
	if (names[0] == 's' && g.texture->level[0].kind != SURFACE_2D)
		return send_bad(s, "a sampler message to a surface of a type that it cannot have");
	for (unsigned int i = 0; i < h.lanes; i++) {
		uint32_t value[PARAMETERS], out[4], index;
		int32_t at[3];

		if (!(s->msg->exec_mask >> i & 1))
			continue;
		read_parameters(s, &h, names, i, value);
		index = value[(g.texture->level[0].kind == SURFACE_1D ? 'v' : 'r') - 'a'];
		at[0] = (int32_t)(value['u' - 'a'] + (uint32_t)h.offset[0]);
		at[1] = (int32_t)(value['v' - 'a'] + (uint32_t)h.offset[1]);
		at[2] = (int32_t)(value['r' - 'a'] + (uint32_t)h.offset[2]);
		filter_load(&g, at, index, value['l' - 'a'], out);
		respond(s, &h, format_is_integer(g.texture->format), i, out);
	}
	return EU_DONE;
}

/**
 * message_ld_mcs - a pixel of the surface that tells how a pixel's samples are stored
 * @s: the send
 *
 * A surface with one sample a pixel has none. That there is zero then no manual at hand says.
 *
 * Return: EU_DONE, or EU_BAD with what is not modelled.
 */
enum eu_reply message_ld_mcs(struct send *s)
{
	struct sampling g;
	struct head h;
	const char *error = read_head(s, &h);
	enum eu_reply reply;

	if (error)
		return send_bad(s, error);
	if (!prepare_texture(s, &h, &g, true, &reply))
		return reply;
	if (g.texture->level[0].kind != SURFACE_2D)
		return send_bad(s, "a sampler message to a surface of a type that it cannot have");
	return respond_zeros(s, &h);
}

/* Width, height, depth or length of the array, and levels, of a level. */
static void size_of_level(const struct texture *t, uint32_t lod, uint32_t out[4])
{
	const struct surface *f = &t->level[lod < t->levels ? lod : 0];
	uint32_t slices = f->kind == SURFACE_CUBE ? f->depth / 6 : f->depth;

	memset(out, 0, 4 * sizeof(*out));
	if (f->kind == SURFACE_BUFFER || f->kind == SURFACE_STRUCTURED) {
		out[0] = f->elements;
		return;
	}
	out[3] = t->levels;
	if (lod >= t->levels)
		return;
	out[0] = f->width;
	if (f->kind == SURFACE_1D) {
		out[1] = t->array ? slices : 0;
		return;
	}
	out[1] = f->height;
	out[2] = f->kind == SURFACE_3D || t->array ? slices : 0;
}

/**
 * message_resinfo - the size of a surface
 * @s: the send
 *
 * Beyond the last level there is no size, but their number. A level has at least one texel along each axis: the text
 * shifts the size alone, and programs of OpenGL have 1 from silicon.
 *
 * Return: EU_DONE, or EU_BAD with what is not modelled.
 */
enum eu_reply message_resinfo(struct send *s)
{
	const struct texture *t;
	struct head h;
	const char *error = read_head(s, &h);

	if (error)
		return send_bad(s, error);
	t = texture_of(s, send_field(s, ISA_MSG_F_BTI));
	if (!t || (t->error && t->level[0].kind != SURFACE_NULL))
		return send_bad(s, t ? t->error : "no memory for a texture");
	if (t->level[0].kind == SURFACE_NULL)
		return respond_zeros(s, &h);
	for (unsigned int i = 0; i < h.lanes; i++) {
		uint32_t value[PARAMETERS], out[4];

		if (!(s->msg->exec_mask >> i & 1))
			continue;
		read_parameters(s, &h, "l", i, value);
		size_of_level(t, value['l' - 'a'], out);
		respond(s, &h, true, i, out);
	}
	return EU_DONE;
}

/**
 * message_sampleinfo - how many samples a pixel of a surface has, and where they are
 * @s: the send
 *
 * Alpha has the number of the palette of their positions, plus one (SNB Vol 4 Part 1, 2.12.1.4).
 *
 * Return: EU_DONE, or EU_BAD with what is not modelled.
 */
enum eu_reply message_sampleinfo(struct send *s)
{
	const struct texture *t;
	struct head h;
	const char *error = read_head(s, &h);
	uint32_t out[4] = { 0 };

	if (error)
		return send_bad(s, error);
	t = texture_of(s, send_field(s, ISA_MSG_F_BTI));
	if (!t)
		return send_bad(s, "no memory for a texture");
	if (t->level[0].kind == SURFACE_NULL)
		return respond_zeros(s, &h);
	out[0] = t->samples;
	out[3] = t->palette + 1u;
	for (unsigned int i = 0; i < h.lanes; i++)
		if (s->msg->exec_mask >> i & 1)
			respond(s, &h, true, i, out);
	return EU_DONE;
}
