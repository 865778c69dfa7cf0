// SPDX-License-Identifier: MIT
/**
 * DOC: Render targets
 *
 * A pixel shader's thread writes its pixels to a surface of its binding table (SNB Vol 4 Part 1, 3.9.11, "Render Target
 * Write"; DG1 Vol 2a, "MSD_RTW_SIMD16" and its neighbours, whose layout is Gen9's). The channels of the message are the
 * thread's pixels: four for each subspan, its upper left, upper right, lower left and lower right one. Where the
 * subspans are, and which of their pixels are drawn, the thread knows from its dispatch; a header says it anew.
 *
 * ========= ================================================================
 * SIMD16    red, green, blue, alpha: two registers each
 * SIMD8     the same of the first two subspans: one register each
 * replicate one register, whose first four dwords are the colour of all
 * ========= ================================================================
 *
 * A pixel beyond the surface is dropped. A channel that the blend state does not write keeps what the surface has. The
 * colour is clamped to what the format holds.
 *
 * Not done: blending and logic operations, a second source, source alpha, oMask, depth and stencil in the message, the
 * upper half of 32 pixels, and targets that are multisampled or of other tiles. Such a message stops the thread.
 */
#include "shared/shared.h"

enum { WRITE_SIMD16, WRITE_REPLICATED, WRITE_SIMD8 = 4 };

#define HEADER_BYTES	(2 * EU_GRF_BYTES)
#define PIXELS		(4 * PIXEL_SUBSPANS)
/* Bits of the header's first dword: source alpha, oMask, depth and stencil are in the message. */
#define HEADER_MORE	0x7800u

/* What a message writes. */
struct target_write {
	const struct surface *f;
	unsigned int n;			/* pixels that the message can have */
	unsigned int data;		/* byte of the payload where the colours begin */
	bool replicated;
	unsigned int target;
	uint32_t mask;
	uint32_t slice;
	uint16_t x[PIXEL_SUBSPANS], y[PIXEL_SUBSPANS];
};

/* Where the pixels are: as the thread was dispatched, or as the header says. */
static void find_pixels(const struct send *s, struct target_write *w)
{
	const struct pixel_group *p = s->group->pixels;

	w->mask = s->msg->exec_mask << s->msg->channel_offset;
	if (!s->msg->header) {
		memcpy(w->x, p->x, sizeof(w->x));
		memcpy(w->y, p->y, sizeof(w->y));
		w->mask &= p->lit;
		w->slice = p->slice;
	} else {
		for (unsigned int i = 0; i < PIXEL_SUBSPANS; i++) {
			uint32_t v = send_dword(s, EU_GRF_BYTES + 8 + 4 * i);

			w->x[i] = (uint16_t)v;
			w->y[i] = (uint16_t)(v >> 16);
		}
		w->mask &= send_dword(s, EU_GRF_BYTES + 28);
		w->slice = send_dword(s, 0) >> 16 & 0x7ff;
		w->target = send_dword(s, 8) & (PIXEL_TARGETS - 1);
	}
	w->mask &= (1u << w->n) - 1;
}

/* The shape of the message; NULL, or why it cannot be executed. */
static const char *shape(const struct send *s, struct target_write *w)
{
	unsigned int registers;

	w->data = s->msg->header ? HEADER_BYTES : 0;
	switch (send_field(s, ISA_MSG_F_SUBTYPE)) {
	case WRITE_SIMD16:
		w->n = PIXELS;
		registers = 8;
		break;
	case WRITE_REPLICATED:
		w->n = PIXELS;
		w->replicated = true;
		registers = 1;
		break;
	case WRITE_SIMD8:
		w->n = PIXELS / 2;
		registers = 4;
		break;
	default:
		return "a render target write of two sources or of a shape that is not modelled";
	}
	if (send_field(s, ISA_MSG_F_SLOT_GROUP))
		return "a render target write of the upper half of 32 pixels";
	if (s->msg->header && send_dword(s, 0) & HEADER_MORE)
		return "a render target write with source alpha, oMask, depth or stencil";
	return send_lacks(s, w->data + registers * EU_GRF_BYTES) ? "a render target write with too short a payload" :
	       NULL;
}

static const char *target_error(const struct send *s, const struct target_write *w)
{
	uint32_t channels[4] = { 0 };
	uint8_t element[16];

	if (s->group->pixels->blended >> w->target & 1)
		return "a render target write that is blended";
	switch (w->f->kind) {
	case SURFACE_NULL:
		return NULL;
	case SURFACE_BUFFER:
	case SURFACE_STRUCTURED:
		return "a render target that is a buffer";
	default:
		break;
	}
	if (w->f->other_layout)
		return "a render target that is multisampled or of tiles that are not modelled";
	return format_pack(w->f->format, channels, element) ? NULL : "a render target of a format that is not modelled";
}

static void color_of(const struct send *s, const struct target_write *w, unsigned int pixel, uint32_t color[4])
{
	for (unsigned int c = 0; c < 4; c++)
		color[c] = send_dword(s, w->data + (w->replicated ? 4 * c : 4 * (c * w->n + pixel)));
}

/* The pixels that lie within the target, and where. */
static uint32_t places(const struct target_write *w, uint64_t *address)
{
	uint32_t within = 0;

	for (uint32_t left = w->mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint32_t x = w->x[i / 4] + (i & 1), y = w->y[i / 4] + (i >> 1 & 1u);

		if (x >= w->f->width || y >= w->f->height || w->slice >= w->f->depth)
			continue;
		address[i] = surface_address(w->f, x * w->f->bytes, y, w->slice);
		within |= 1u << i;
	}
	return within;
}

/* Whole pixels. False: some of them are not to be found in the view at once. */
static bool write_found(struct send *s, const struct target_write *w, const uint64_t *address, uint32_t mask)
{
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	uint8_t *memory[PIXELS], element[16];
	uint32_t color[4];

	if (!space_find(s, &space, address, mask, w->f->bytes, true, memory))
		return false;
	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		color_of(s, w, i, color);
		format_pack(w->f->format, color, element);
		gmem_copy_to(memory[i], element, w->f->bytes);
	}
	space_release(s, &space);
	return true;
}

static void write_each(struct send *s, const struct target_write *w, const uint64_t *address, uint32_t mask,
		       unsigned int kept)
{
	uint32_t color[4];

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		color_of(s, w, i, color);
		element_write(s, w->f, address[i], color, kept);
	}
}

enum eu_reply message_render_target_write(struct send *s)
{
	struct target_write w = { 0 };
	uint64_t address[PIXELS];
	unsigned int kept;
	const char *error;
	uint32_t mask;

	if (!s->group->pixels)
		return send_bad(s, "a render target write of a thread that has no pixels");
	error = shape(s, &w);
	if (error)
		return send_bad(s, error);
	find_pixels(s, &w);
	w.f = surface_target(s, send_field(s, ISA_MSG_F_BTI));
	error = target_error(s, &w);
	if (error)
		return send_bad(s, error);
	kept = s->group->pixels->kept[w.target];
	if (w.f->kind == SURFACE_NULL || kept == 15)
		return EU_DONE;
	mask = places(&w, address);
	if (mask && (kept || !write_found(s, &w, address, mask)))
		write_each(s, &w, address, mask, kept);
	return EU_DONE;
}
