// SPDX-License-Identifier: MIT
/**
 * DOC: Messages for blocks
 *
 * A header says where a block is; the block's bytes are the registers behind it, or the response (public PRMs of Sandy
 * Bridge Vol 4 Part 1, 3.9, and of Gen9 Vol 7, "Data Port Messages"; DG1 Vol 2a, "MSD_OWB" and its neighbours):
 *
 * ================ ============================================================================
 * OWord block      1, 2, 4 or 8 OWords. M0.2 is the offset: in OWords, or in bytes of a dword's
 *                  multiple ("unaligned"). A single one is in the low or the high half.
 * A64 block        the same at a 64-bit address in M0.0 and M0.1, and blocks of registers
 * scratch block    1, 2, 4 or 8 registers at a 32-byte multiple from the thread's scratch space
 * media block      rows of a picture. M0.0 and M0.1 are the place, in bytes and rows; M0.2 the
 *                  size less one: [5:0] bytes, [21:16] rows. A row takes 4 to 64 bytes of the
 *                  registers, a power of two. A read beyond the picture has the element at its
 *                  edge, a write there is dropped. The width of the surface is in dwords, whatever
 *                  its format (public facts: the surfaces that IGT and the VA driver make)
 * ================ ============================================================================
 *
 * An OWord or scratch write obeys the execution mask: channel n has dword n of the first 16. What the texts leave open:
 * a send of 8 channels has the same mask for each register, and one of fewer enables all or nothing.
 */
#include <string.h>

#include "shared/shared.h"

#define OWORD	16u
#define MEDIA_WIDTH_UNIT	4u

/* Dwords of two registers that the send's channels enable. */
static uint32_t dwords_enabled(const struct send *s)
{
	uint32_t mask = s->msg->exec_mask;

	if (s->msg->exec_size < 8)
		return mask ? 0xffff : 0;
	if (s->msg->exec_size == 8)
		mask |= mask << 8;
	return mask & 0xffff;
}

static void write_masked(struct send *s, const struct space *space, uint64_t offset, unsigned int from,
			 unsigned int len)
{
	uint32_t mask = dwords_enabled(s);

	if (mask == 0xffff) {
		space_write(s, space, offset, s->payload + from, len);
		return;
	}
	for (unsigned int i = 0; i < len / 4; i++)
		if (mask >> i % 16 & 1)
			space_write(s, space, offset + 4 * i, s->payload + from + 4 * i, 4);
}

static void read_block(struct send *s, const struct space *space, uint64_t offset, unsigned int to, unsigned int len)
{
	uint8_t data[8 * EU_GRF_BYTES];

	if (!s->msg->exec_mask)
		return;
	space_read(s, space, offset, data, len);
	send_respond(s, to, data, len);
}

static bool writes(const struct send *s)
{
	switch (s->info->id) {
	case ISA_MSG_OWORD_BLOCK_WRITE:
	case ISA_MSG_A64_BLOCK_WRITE:
	case ISA_MSG_SCRATCH_WRITE:
	case ISA_MSG_MEDIA_BLOCK_WRITE:
		return true;
	default:
		return false;
	}
}

/* A block of len bytes whose first is at byte at of the registers. */
static enum eu_reply block(struct send *s, const struct space *space, uint64_t offset, unsigned int at,
			   unsigned int len)
{
	if (!writes(s)) {
		read_block(s, space, offset, at, len);
		return EU_DONE;
	}
	if (send_lacks(s, EU_GRF_BYTES + at + len))
		return send_bad(s, "a block write with less data than the block has");
	write_masked(s, space, offset, EU_GRF_BYTES + at, len);
	return EU_DONE;
}

/* OWords by their code: how many, and whether it is one in the upper half. */
static bool owords(unsigned int code, unsigned int *at, unsigned int *len)
{
	static const uint8_t n[8] = { 1, 1, 2, 4, 8 };

	*at = code == 1 ? OWORD : 0;
	*len = n[code & 7] * OWORD;
	return *len;
}

enum eu_reply message_oword_block(struct send *s)
{
	bool aligned = s->info->id == ISA_MSG_OWORD_BLOCK_READ || writes(s);
	unsigned int at, len;
	struct space space;
	const char *error;
	uint64_t offset;

	if (!s->msg->header)
		return send_bad(s, "an OWord block message without a header");
	if (!owords(send_field(s, ISA_MSG_F_BLOCKS), &at, &len))
		return send_bad(s, "an OWord block message with a reserved block size");
	error = surface_space(s, send_field(s, ISA_MSG_F_BTI), &space);
	if (error)
		return send_bad(s, error);
	offset = aligned ? (uint64_t)send_dword(s, 8) * OWORD : send_dword(s, 8) & ~3u;
	return block(s, &space, offset, at, len);
}

enum eu_reply message_a64_block(struct send *s)
{
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	unsigned int code = send_field(s, ISA_MSG_F_BLOCKS), at = 0, len = 0;
	uint64_t addr;

	if (!s->msg->header)
		return send_bad(s, "an A64 block message without a header");
	addr = send_qword(s, 0);
	switch (send_field(s, ISA_MSG_F_SUBTYPE)) {
	case 0:
		addr &= ~(OWORD - 1ull);
		owords(code, &at, &len);
		break;
	case 1:
		addr &= ~3ull;
		owords(code, &at, &len);
		break;
	case 3:
		addr &= ~(OWORD - 1ull);
		len = code < 4 ? EU_GRF_BYTES << code : 0;
		break;
	}
	if (!len)
		return send_bad(s, "an A64 block message with a reserved block size");
	return block(s, &space, addr, at, len);
}

enum eu_reply message_scratch(struct send *s)
{
	unsigned int n = s->shared->platform->scratch_registers[send_field(s, ISA_MSG_F_BLOCK_SIZE) & 3];
	struct space space = { SPACE_MEMORY, s->shared->bases.general, 1ull << 32 };
	uint32_t base = send_dword(s, 20) & ~1023u;

	if (!s->msg->header)
		return send_bad(s, "a scratch block message without a header");
	if (!n)
		return send_bad(s, "a scratch block message with a reserved block size");
	return block(s, &space, (uint64_t)base + send_field(s, ISA_MSG_F_OFFSET) * EU_GRF_BYTES, 0, n * EU_GRF_BYTES);
}

/* A media block's place and size. */
struct rectangle {
	int32_t x, y;			/* bytes, rows */
	uint32_t width, height;
	uint32_t pitch;			/* of its rows in the registers */
	uint32_t row_bytes;		/* of the surface */
	uint32_t rows;
	uint8_t stride, offset;
};

static void rectangle_of(const struct send *s, const struct surface *f, struct rectangle *r)
{
	uint32_t size = send_dword(s, 8), override = send_field(s, ISA_MSG_F_STRIDE_OVERRIDE);

	r->x = (int32_t)send_dword(s, 0);
	r->y = (int32_t)send_dword(s, 4);
	r->width = (size & 0x3f) + 1;
	r->height = (size >> 16 & 0x3f) + 1;
	for (r->pitch = 4; r->pitch < r->width; r->pitch *= 2)
		;
	r->stride = override & 4 ? override >> 1 & 1 : f->stride;
	r->offset = override & 4 ? override & 1 : f->stride_offset;
	r->row_bytes = f->width * MEDIA_WIDTH_UNIT;
	r->rows = f->height >> r->stride;
}

/* The surface's row for a row of a field. */
static uint32_t field_row(const struct rectangle *r, uint32_t y)
{
	return (y << r->stride) + (r->stride ? r->offset : 0);
}

/* A row of the block that lies within the picture at its left and right, in contiguous pieces. */
static void write_row(struct send *s, const struct surface *f, const struct rectangle *r, uint32_t y,
		      const uint8_t *from)
{
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	int64_t begin = r->x < 0 ? -(int64_t)r->x : 0, end = (int64_t)r->row_bytes - r->x;

	end = end < r->width ? end : r->width;
	while (begin < end) {
		uint32_t x = (uint32_t)(r->x + begin), n = surface_run(f, x, (uint32_t)(end - begin));

		space_write(s, &space, surface_address(f, x, field_row(r, y), 0), from + begin, n);
		begin += n;
	}
}

/* A byte beyond the picture has that of the element at the edge. */
static uint32_t clamp_x(const struct surface *f, const struct rectangle *r, int64_t x)
{
	uint32_t in_element = (uint32_t)(x % f->bytes + f->bytes) % f->bytes;

	if (x < 0)
		return in_element;
	return x < r->row_bytes ? (uint32_t)x : r->row_bytes - f->bytes + in_element;
}

static void read_row(struct send *s, const struct surface *f, const struct rectangle *r, uint32_t y, uint8_t *to)
{
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	uint32_t n;

	for (uint32_t i = 0; i < r->width; i += n) {
		int64_t x = (int64_t)r->x + i;
		uint32_t at = clamp_x(f, r, x);

		n = x < 0 || x >= r->row_bytes ? 1 : surface_run(f, at, r->width - i);
		if (x >= 0 && x + n > r->row_bytes && x < r->row_bytes)
			n = (uint32_t)(r->row_bytes - x);
		space_read(s, &space, surface_address(f, at, field_row(r, y), 0), to + i, n);
	}
}

static enum eu_reply write_media(struct send *s, const struct surface *f, const struct rectangle *r)
{
	unsigned int from = EU_GRF_BYTES;

	if (send_lacks(s, from + r->pitch * r->height))
		return send_bad(s, "a media block write with less data than the block has");
	for (uint32_t i = 0; i < r->height; i++) {
		int64_t y = (int64_t)r->y + i;

		if (y >= 0 && y < r->rows)
			write_row(s, f, r, (uint32_t)y, s->payload + from + r->pitch * i);
	}
	return EU_DONE;
}

static enum eu_reply read_media(struct send *s, const struct surface *f, const struct rectangle *r)
{
	uint8_t row[64] = { 0 };

	for (uint32_t i = 0; i < r->height; i++) {
		int64_t y = (int64_t)r->y + i;

		y = y < 0 ? 0 : y < r->rows ? y : r->rows - 1;
		read_row(s, f, r, (uint32_t)y, row);
		send_respond(s, r->pitch * i, row, r->width);
	}
	return EU_DONE;
}

enum eu_reply message_media_block(struct send *s)
{
	const struct surface *f;
	struct rectangle r;
	uint8_t zeros[64] = { 0 };

	if (!s->msg->header)
		return send_bad(s, "a media block message without a header");
	f = surface_of(s, send_field(s, ISA_MSG_F_BTI));
	if (f->kind != SURFACE_2D && f->kind != SURFACE_NULL)
		return send_bad(s, "a media block message to a surface that is no 2D picture");
	if (f->kind == SURFACE_2D && (!f->bytes || f->bytes > MEDIA_WIDTH_UNIT))
		return send_bad(s, "a media block message to a surface of a format that is not modelled");
	rectangle_of(s, f, &r);
	if (f->kind == SURFACE_2D && r.rows)
		return writes(s) ? write_media(s, f, &r) : read_media(s, f, &r);
	for (uint32_t i = 0; i < r.height; i++)
		send_respond(s, r.pitch * i, zeros, r.width);
	return EU_DONE;
}
