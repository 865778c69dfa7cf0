// SPDX-License-Identifier: MIT
/**
 * DOC: Messages with an address for each channel
 *
 * The payload has the addresses of 8 or 16 channels, then their data; each is a block that has one dword (or qword) for
 * each channel. A channel that is off neither reads nor writes, and its part of the response is left alone. A header,
 * where there is one, moves all offsets and, for untyped and typed messages, turns further channels off (public PRMs of
 * Sandy Bridge Vol 4 Part 1, 3.9, and of Gen9 Vol 7, "Data Port Messages"; DG1 Vol 2a, "MSD1R_US" and its neighbours).
 *
 * ================= ==========================================================================================
 * dword scattered   offsets in dwords
 * byte scattered    offsets in bytes; a byte, word or dword at each, in a dword of the payload
 * A64 scattered     64-bit addresses; 1 to 8 bytes, dwords or qwords from each on
 * untyped           offsets in bytes of up to four dwords; for a structured buffer an index and an offset
 * A64 untyped       the same with 64-bit addresses
 * typed             U, V, R of 8 elements of a surface, whose four channels the format tells
 * ================= ==========================================================================================
 *
 * Not done: SIMD4x2.
 */
#include <emmintrin.h>
#include <string.h>

#include "shared/shared.h"

#define MAX_LANES	16

static bool writes(const struct send *s)
{
	switch (s->info->id) {
	case ISA_MSG_DWORD_SCATTERED_WRITE:
	case ISA_MSG_BYTE_SCATTERED_WRITE:
	case ISA_MSG_A64_SCATTERED_WRITE:
	case ISA_MSG_UNTYPED_WRITE:
	case ISA_MSG_A64_UNTYPED_WRITE:
	case ISA_MSG_TYPED_WRITE:
		return true;
	default:
		return false;
	}
}

/**
 * struct lanes - what a message accesses for each channel
 * @n: channels, 8 or 16
 * @mask: those that are on
 * @offset: of each channel's first element in the space (MAX_LANES of them); UINT64_MAX: it leads nowhere
 * @elements: bit e: element e is accessed, e * @size bytes behind the first
 * @size: bytes of an element
 * @slot: bytes of it in the registers, where the elements e of all channels are a block
 * @data: the payload's byte where the first block begins
 * @write: the elements are written
 */
struct lanes {
	unsigned int n;
	uint32_t mask;
	uint64_t *offset;
	uint32_t elements;
	unsigned int size, slot, data;
	bool write;
};

/* An aligned dword does not tear. */
static inline uint64_t load_element(const uint8_t *memory, unsigned int size)
{
	uint64_t v = 0;

	if (size == 4 && (uintptr_t)memory % 4 == 0)
		return __atomic_load_n((const uint32_t *)memory, __ATOMIC_ACQUIRE);
	gmem_copy_from(&v, memory, size);
	return v;
}

static inline void store_element(uint8_t *memory, const uint8_t *from, unsigned int size)
{
	uint32_t v;

	if (size == 4 && (uintptr_t)memory % 4 == 0) {
		memcpy(&v, from, sizeof(v));
		__atomic_store_n((uint32_t *)memory, v, __ATOMIC_RELEASE);
	} else {
		gmem_copy_to(memory, from, size);
	}
}

/* Is the data of the channels together in memory, as it is in the registers? */
static bool is_block(const struct lanes *l)
{
	uint64_t differ = 0, next = l->offset[0];

	if (l->mask != (1u << l->n) - 1 || l->elements != 1 || l->size != l->slot ||
	    l->offset[l->n - 1] - next != (l->n - 1) * l->size)
		return false;
	for (unsigned int i = 1; i < l->n; i++) {
		next += l->size;
		differ |= l->offset[i] ^ next;
	}
	return !differ;
}

static bool access_block(struct send *s, const struct space *space, const struct lanes *l)
{
	unsigned int len = l->n * l->size;
	uint8_t *memory;

	if (!space_find(s, space, l->offset, 1, len, l->write, &memory))
		return false;
	if (l->write)
		gmem_copy_to(memory, s->payload + l->data, len);
	else
		gmem_copy_from(s->msg->response, memory, len);
	space_release(s, space);
	return true;
}

/* The element at a byte behind each channel's first one; its block in the registers. */
static void read_elements(const struct lanes *l, uint8_t *const *memory, unsigned int at, uint8_t *block)
{
	for (uint32_t left = l->mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint64_t v = load_element(memory[i] + at, l->size);

		if (l->slot == 4)
			memcpy(block + 4 * i, &v, 4);
		else
			memcpy(block + 8 * i, &v, 8);
	}
}

static void write_elements(const struct lanes *l, uint8_t *const *memory, unsigned int at, const uint8_t *block)
{
	for (uint32_t left = l->mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		store_element(memory[i] + at, block + l->slot * i, l->size);
	}
}

static inline uint32_t load_near(const uint8_t *memory, unsigned int size)
{
	switch (size) {
	case 1:
		return __atomic_load_n(memory, __ATOMIC_ACQUIRE);
	case 2:
		return __atomic_load_n((const uint16_t *)memory, __ATOMIC_ACQUIRE);
	default:
		return __atomic_load_n((const uint32_t *)memory, __ATOMIC_ACQUIRE);
	}
}

static inline void store_near(uint8_t *memory, uint32_t v, unsigned int size)
{
	switch (size) {
	case 1:
		__atomic_store_n(memory, (uint8_t)v, __ATOMIC_RELEASE);
		break;
	case 2:
		__atomic_store_n((uint16_t *)memory, (uint16_t)v, __ATOMIC_RELEASE);
		break;
	default:
		__atomic_store_n((uint32_t *)memory, v, __ATOMIC_RELEASE);
		break;
	}
}

/* An element of all channels and its block in the registers; @first is where that of the offset @low is. */
static inline void read_near(const struct lanes *l, const uint8_t *first, uint64_t low, unsigned int size,
			     uint8_t *block)
{
	for (uint32_t left = l->mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint32_t v = load_near(first + (l->offset[i] - low), size);

		memcpy(block + 4 * i, &v, sizeof(v));
	}
}

static inline void write_near(const struct lanes *l, uint8_t *first, uint64_t low, unsigned int size,
			      const uint8_t *block)
{
	for (uint32_t left = l->mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint32_t v;

		memcpy(&v, block + 4 * i, sizeof(v));
		store_near(first + (l->offset[i] - low), v, size);
	}
}

/* The least and the greatest offset; false: an element is not aligned, or they are further apart than a page. */
static bool bounds_of(const struct lanes *l, uint64_t bounds[2])
{
	uint64_t low = UINT64_MAX, high = 0, all = 0;

	for (uint32_t left = l->mask; left; left &= left - 1) {
		uint64_t offset = l->offset[__builtin_ctz(left)];

		low = offset < low ? offset : low;
		high = offset > high ? offset : high;
		all |= offset;
	}
	bounds[0] = low;
	bounds[1] = high;
	return !(all & (l->size - 1)) && high - low < VIEW_PAGE;
}

/*
 * Elements of up to a dword, all in one page, or in two that are next to each other for the host as well. What the
 * channels between the first and the last address access is then where these two are.
 */
static bool access_near(struct send *s, const struct space *space, const struct lanes *l)
{
	unsigned int len = (32 - (unsigned int)__builtin_clz(l->elements)) * l->size, at = 0;
	uint64_t bounds[2];
	uint8_t *memory[2];
	bool near;

	if (l->slot != 4 || !l->mask || !bounds_of(l, bounds) ||
	    !space_find(s, space, bounds, 3, len, l->write, memory))
		return false;
	near = (uint64_t)(memory[1] - memory[0]) == bounds[1] - bounds[0] && !((uintptr_t)memory[0] & (l->size - 1));
	for (uint32_t left = near ? l->elements : 0; left; left &= left - 1) {
		uint8_t *first = memory[0] + (unsigned int)__builtin_ctz(left) * l->size;

		if (l->write)
			write_near(l, first, bounds[0], l->size, s->payload + l->data + at);
		else
			read_near(l, first, bounds[0], l->size, s->msg->response + at);
		at += l->n * 4;
	}
	space_release(s, space);
	return near;
}

/* The channels' memory is looked for once; false: some of it is not found. */
static bool access_found(struct send *s, const struct space *space, const struct lanes *l)
{
	unsigned int len = (32 - (unsigned int)__builtin_clz(l->elements)) * l->size, at = 0;
	uint8_t *memory[MAX_LANES];

	if (!space_find(s, space, l->offset, l->mask, len, l->write, memory))
		return false;
	for (uint32_t left = l->elements; left; left &= left - 1) {
		unsigned int e = (unsigned int)__builtin_ctz(left);

		if (l->write)
			write_elements(l, memory, e * l->size, s->payload + l->data + at);
		else
			read_elements(l, memory, e * l->size, s->msg->response + at);
		at += l->n * l->slot;
	}
	space_release(s, space);
	return true;
}

/* Each element by itself, wherever it is. */
static void access_each(struct send *s, const struct space *space, const struct lanes *l)
{
	unsigned int at = 0;

	for (unsigned int e = 0; l->elements >> e; e++) {
		if (!(l->elements >> e & 1))
			continue;
		for (unsigned int i = 0; i < l->n; i++) {
			uint64_t offset = l->offset[i], v = 0;

			if (!(l->mask >> i & 1))
				continue;
			if (offset != UINT64_MAX)
				offset += e * l->size;
			if (l->write) {
				space_write(s, space, offset, s->payload + l->data + at + i * l->slot, l->size);
				continue;
			}
			space_read(s, space, offset, &v, l->size);
			send_respond(s, at + i * l->slot, &v, l->slot);
		}
		at += l->n * l->slot;
	}
}

/*
 * The quick ways are for data that lies in pages which the view has found before, and for a response that there is room
 * for. They come to the same as access_each(): an access is either all done by them, or nothing of it is.
 */
static enum eu_reply access_lanes(struct send *s, const struct space *space, const struct lanes *l)
{
	unsigned int blocks = (unsigned int)__builtin_popcount(l->elements);

	if (!blocks)
		return EU_DONE;
	if (!l->write && !send_has_room(s, blocks * l->n * l->slot))
		access_each(s, space, l);
	else if (!(is_block(l) && access_block(s, space, l)) && !access_near(s, space, l) && !access_found(s, space, l))
		access_each(s, space, l);
	return EU_DONE;
}

/* Offsets of 32 bits in units of 2^shift bytes, to which something is added before. */
static void widen_offsets(const struct lanes *l, const uint8_t *from, uint32_t add, unsigned int shift)
{
	const __m128i zero = _mm_setzero_si128(), more = _mm_set1_epi32((int)add);

	for (unsigned int i = 0; i < l->n; i += 4) {
		__m128i four = _mm_add_epi32(_mm_loadu_si128((const __m128i *)(from + 4 * i)), more);
		__m128i low = _mm_slli_epi64(_mm_unpacklo_epi32(four, zero), (int)shift);
		__m128i high = _mm_slli_epi64(_mm_unpackhi_epi32(four, zero), (int)shift);

		_mm_storeu_si128((__m128i *)(l->offset + i), low);
		_mm_storeu_si128((__m128i *)(l->offset + i + 2), high);
	}
}

/* The header's offset in its own unit. */
static uint32_t global_offset(const struct send *s)
{
	return s->msg->header ? send_dword(s, 8) : 0;
}

/* Offsets of 32 bits, in units of 2^shift bytes, which a header moves. */
static void scattered_offsets(const struct send *s, struct lanes *l, unsigned int shift)
{
	l->mask = s->msg->exec_mask & ((1u << l->n) - 1);
	widen_offsets(l, s->payload + send_body(s), global_offset(s), shift);
}

enum eu_reply message_dword_scattered(struct send *s)
{
	uint64_t offset[MAX_LANES];
	struct lanes l = {
		.offset = offset,
		.n = send_field(s, ISA_MSG_F_SIMD) & 1 ? 16 : 8, .elements = 1, .size = 4, .slot = 4,
		.write = writes(s),
	};
	struct space space;
	const char *error = surface_space(s, send_field(s, ISA_MSG_F_BTI), &space);

	if (error)
		return send_bad(s, error);
	l.data = send_body(s) + l.n * 4;
	if (send_lacks(s, l.data + (l.write ? l.n * 4 : 0)))
		return send_bad(s, "a dword scattered message with too short a payload");
	scattered_offsets(s, &l, 2);
	return access_lanes(s, &space, &l);
}

enum eu_reply message_byte_scattered(struct send *s)
{
	unsigned int size = send_field(s, ISA_MSG_F_DATA_SIZE);
	uint64_t offset[MAX_LANES];
	struct lanes l = {
		.offset = offset,
		.n = send_field(s, ISA_MSG_F_SIMD) ? 16 : 8, .elements = 1, .size = 1u << size, .slot = 4,
		.write = writes(s),
	};
	struct space space;
	const char *error = surface_space(s, send_field(s, ISA_MSG_F_BTI), &space);

	if (error)
		return send_bad(s, error);
	if (size > 2)
		return send_bad(s, "a byte scattered message with a reserved data size");
	l.data = send_body(s) + l.n * 4;
	if (send_lacks(s, l.data + (l.write ? l.n * 4 : 0)))
		return send_bad(s, "a byte scattered message with too short a payload");
	scattered_offsets(s, &l, 0);
	return access_lanes(s, &space, &l);
}

enum eu_reply message_a64_scattered(struct send *s)
{
	static const uint8_t sizes[4] = { 1, 4, 8 };
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	unsigned int size = sizes[send_field(s, ISA_MSG_F_DATA_SIZE)], n = 1u << send_field(s, ISA_MSG_F_ELEMENTS);
	uint64_t offset[MAX_LANES];
	struct lanes l = {
		.offset = offset,
		.n = send_field(s, ISA_MSG_F_SIMD) ? 16 : 8, .elements = (1u << n) - 1, .size = size,
		.slot = size < 4 ? 4 : size, .write = writes(s),
	};

	if (!size || (size == 1 && n > 4))
		return send_bad(s, "an A64 scattered message with a reserved data size");
	/* Bytes are together in the channel's dword; dwords and qwords have a block for each element. */
	if (size == 1) {
		l.size = n;
		l.elements = 1;
		n = 1;
	}
	l.data = send_body(s) + l.n * 8;
	if (send_lacks(s, l.data + (l.write ? n * l.n * l.slot : 0)))
		return send_bad(s, "an A64 scattered message with too short a payload");
	l.mask = s->msg->exec_mask & ((1u << l.n) - 1);
	memcpy(l.offset, s->payload + send_body(s), l.n * 8);
	return access_lanes(s, &space, &l);
}

/* Channels of the message, less those that its header turns off. */
static uint32_t enabled(const struct send *s)
{
	return s->msg->exec_mask & (s->msg->header ? send_dword(s, 28) : ~0u);
}

static bool is_a64(const struct send *s)
{
	return s->info->id == ISA_MSG_A64_UNTYPED_READ || s->info->id == ISA_MSG_A64_UNTYPED_WRITE;
}

/* Where channel i's first dword is; offsets of structured buffers that leave their element lead nowhere. */
uint64_t untyped_offset(const struct send *s, const struct surface *f, unsigned int lanes, unsigned int i)
{
	unsigned int body = send_body(s);
	uint32_t u = send_dword(s, body + 4 * i), v;

	if (!f || f->kind != SURFACE_STRUCTURED)
		return u;
	v = send_dword(s, body + 4 * (lanes + i));
	return u < f->elements && v < f->pitch ? (uint64_t)u * f->pitch + v : UINT64_MAX;
}

/* The surface of a message with an index; NULL: it is memory, or shared local memory. */
const struct surface *untyped_surface(struct send *s, unsigned int bti)
{
	return bti < 252 ? surface_of(s, bti) : NULL;
}

/* The offsets of channels, of which the payload has all. */
static void untyped_offsets(const struct send *s, const struct surface *f, struct lanes *l)
{
	const uint8_t *body = s->payload + send_body(s);

	if (is_a64(s)) {
		memcpy(l->offset, body, l->n * sizeof(l->offset[0]));
		return;
	}
	widen_offsets(l, body, 0, 0);
	for (unsigned int i = 0; i < l->n && f && f->kind == SURFACE_STRUCTURED; i++)
		l->offset[i] = untyped_offset(s, f, l->n, i);
}

enum eu_reply message_untyped(struct send *s)
{
	unsigned int simd = send_field(s, ISA_MSG_F_SIMD), blocks = is_a64(s) ? 2 : 1, n;
	uint64_t offset[MAX_LANES];
	struct lanes l = {
		.offset = offset,
		.n = simd == 1 ? 16 : 8, .elements = ~send_field(s, ISA_MSG_F_CHANNELS_OFF) & 15, .size = 4, .slot = 4,
		.write = writes(s),
	};
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	const struct surface *f = NULL;
	const char *error = NULL;

	if (simd != 1 && simd != 2)
		return send_bad(s, "an untyped message of SIMD4x2, which is not modelled");
	if (!is_a64(s)) {
		unsigned int bti = send_field(s, ISA_MSG_F_BTI);

		error = surface_space(s, bti, &space);
		f = untyped_surface(s, bti);
	}
	if (error)
		return send_bad(s, error);
	blocks += f && f->kind == SURFACE_STRUCTURED;
	n = (unsigned int)__builtin_popcount(l.elements);
	l.data = send_body(s) + blocks * l.n * 4;
	if (send_lacks(s, l.data + (l.write ? n * l.n * 4 : 0)))
		return send_bad(s, "an untyped message with too short a payload");
	l.mask = enabled(s) & ((1u << l.n) - 1);
	untyped_offsets(s, f, &l);
	return access_lanes(s, &space, &l);
}

/**
 * typed_enabled - the 8 channels of a typed message
 * @s: the send
 * @high: the upper half of 16 slots
 *
 * An instruction of 16 channels has a slot for each. The channels of one of 8 are in both halves, whatever the first of
 * them is. The manuals at hand do not say so. Intel's OpenCL compiler has the lower half for channels 8 to 15, Mesa the
 * upper one, and both mean these channels.
 *
 * Return: a bit for each.
 */
uint32_t typed_enabled(const struct send *s, bool high)
{
	uint32_t slots = s->msg->exec_mask;

	if (s->msg->exec_size <= 8)
		slots |= slots << 8;
	if (s->msg->header)
		slots &= send_dword(s, 28);
	return (high ? slots >> 8 : slots) & 0xff;
}

/* Bytes from the base of a buffer, or a graphics address; UINT64_MAX: beyond the surface. */
static uint64_t place(const struct surface *f, uint32_t u, uint32_t v, uint32_t r)
{
	if (f->kind == SURFACE_BUFFER)
		return u < f->elements ? f->base + (uint64_t)u * f->pitch : UINT64_MAX;
	if (u >= f->width || v >= f->height || r >= f->depth)
		return UINT64_MAX;
	return surface_address(f, u * f->bytes, v, r);
}

/**
 * typed_address - the element that a channel of a typed message names
 * @s: the send
 * @f: its surface
 * @addresses: address registers that the payload has
 * @lane: the channel
 *
 * Return: the element's graphics address; UINT64_MAX: there is none.
 */
uint64_t typed_address(const struct send *s, const struct surface *f, unsigned int addresses, unsigned int lane)
{
	uint32_t a[3] = { 0 };

	for (unsigned int i = 0; i < 3 && i < addresses; i++)
		a[i] = send_dword(s, send_body(s) + i * EU_GRF_BYTES + 4 * lane);
	/* A row has no V; an array of rows has its index there. */
	if (f->kind == SURFACE_1D && addresses < 3) {
		a[2] = a[1];
		a[1] = 0;
	}
	return place(f, a[0], a[1], a[2]);
}

/**
 * typed_addresses - how many registers of addresses a typed message has
 * @s: the send
 * @data: registers of data behind them
 *
 * Return: 1 to 4, for U, V, R and the level of detail, which is 0; 0 when the payload is too short.
 */
unsigned int typed_addresses(const struct send *s, unsigned int data)
{
	unsigned int n = s->payload_bytes / EU_GRF_BYTES, other = data + (s->msg->header ? 1 : 0);

	if (n <= other)
		return 0;
	return n - other < 4 ? n - other : 4;
}

const char *typed_error(const struct surface *f)
{
	uint32_t channels[4];
	uint8_t element[16] = { 0 };

	switch (f->kind) {
	case SURFACE_NULL:
		return NULL;
	case SURFACE_STRUCTURED:
		return "a typed message to a structured buffer";
	default:
		return format_unpack(f->format, element, channels) ? NULL :
		       "a typed message to a surface of a format that is not modelled";
	}
}

static void typed_write(struct send *s, const struct surface *f, uint64_t addr, unsigned int data, unsigned int off,
			unsigned int lane)
{
	uint32_t channels[4] = { 0 };

	if (addr == UINT64_MAX || f->kind == SURFACE_NULL)
		return;
	for (unsigned int c = 0; c < 4; c++) {
		if (off >> c & 1)
			continue;
		channels[c] = send_dword(s, data + 4 * lane);
		data += EU_GRF_BYTES;
	}
	element_write(s, f, addr, channels, off);
}

static void typed_read(struct send *s, const struct surface *f, uint64_t addr, unsigned int off, unsigned int lane)
{
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	uint32_t channels[4] = { 0 };
	uint8_t element[16];
	unsigned int at = 0;

	if (addr != UINT64_MAX && f->kind != SURFACE_NULL) {
		space_read(s, &space, addr, element, f->bytes);
		format_unpack(f->format, element, channels);
	}
	for (unsigned int c = 0; c < 4; c++) {
		if (off >> c & 1)
			continue;
		send_respond(s, at + 4 * lane, &channels[c], 4);
		at += EU_GRF_BYTES;
	}
}

enum eu_reply message_typed(struct send *s)
{
	unsigned int off = send_field(s, ISA_MSG_F_CHANNELS_OFF), n = 4 - (unsigned int)__builtin_popcount(off);
	unsigned int addresses = typed_addresses(s, writes(s) ? n : 0);
	const struct surface *f = surface_of(s, send_field(s, ISA_MSG_F_BTI));
	const char *error = typed_error(f);
	uint32_t mask;

	if (error)
		return send_bad(s, error);
	if (!addresses)
		return send_bad(s, "a typed message with too short a payload");
	/* Gen7 has a bit for the upper half, later ones a value of two bits, with SIMD4x2 as 0. */
	mask = typed_enabled(s, send_field(s, ISA_MSG_F_SLOT_GROUP) == s->shared->platform->upper_slots);
	for (unsigned int i = 0; i < 8; i++) {
		uint64_t addr = typed_address(s, f, addresses, i);

		if (!(mask >> i & 1))
			continue;
		if (writes(s))
			typed_write(s, f, addr, send_body(s) + addresses * EU_GRF_BYTES, off, i);
		else
			typed_read(s, f, addr, off, i);
	}
	return EU_DONE;
}
