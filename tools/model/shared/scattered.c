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

static bool id_writes(unsigned int id)
{
	switch (id) {
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

static bool writes(const struct send *s)
{
	return id_writes(s->info->id);
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

/*
 * struct near - the memory of channels that are near each other
 * @first: where the least offset is
 * @low: its low bits
 * @offset: the low bits of each channel's
 */
struct near {
	uint8_t *first;
	uint32_t low;
	const uint32_t *offset;
};

static inline uint8_t *near_of(const struct near *near, unsigned int i)
{
	return near->first + (near->offset[i] - near->low);
}

/* An element of all channels, @at bytes behind their first one, and its block in the registers. */
static inline void read_near(const struct lanes *l, const struct near *near, unsigned int at, unsigned int size,
			     uint8_t *block)
{
	for (uint32_t left = l->mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint32_t v = load_near(near_of(near, i) + at, size);

		memcpy(block + 4 * i, &v, sizeof(v));
	}
}

static inline void write_near(const struct lanes *l, const struct near *near, unsigned int at, unsigned int size,
			      const uint8_t *block)
{
	for (uint32_t left = l->mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint32_t v;

		memcpy(&v, block + 4 * i, sizeof(v));
		store_near(near_of(near, i) + at, v, size);
	}
}

/* The elements of channels that are near each other, block by block. */
static void copy_near(struct send *s, const struct lanes *l, const struct near *near)
{
	unsigned int at = 0;

	for (uint32_t left = l->elements; left; left &= left - 1) {
		unsigned int element = (unsigned int)__builtin_ctz(left) * l->size;

		if (l->write)
			write_near(l, near, element, l->size, s->payload + l->data + at);
		else if (l->size == 4)
			read_near(l, near, element, 4, s->msg->response + at);
		else
			read_near(l, near, element, l->size, s->msg->response + at);
		at += l->n * 4;
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
	unsigned int len = (32 - (unsigned int)__builtin_clz(l->elements)) * l->size;
	uint32_t offset[MAX_LANES];
	uint64_t bounds[2];
	uint8_t *memory[2];
	bool near;

	if (l->slot != 4 || !l->mask || !bounds_of(l, bounds) ||
	    !space_find(s, space, bounds, 3, len, l->write, memory))
		return false;
	near = (uint64_t)(memory[1] - memory[0]) == bounds[1] - bounds[0] && !((uintptr_t)memory[0] & (l->size - 1));
	for (unsigned int i = 0; i < l->n; i++)
		offset[i] = (uint32_t)l->offset[i];
	if (near)
		copy_near(s, l, &(struct near){ memory[0], (uint32_t)bounds[0], offset });
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

/* False: nothing was accessed. */
static bool access_quick(struct send *s, const struct space *space, const struct lanes *l)
{
	return (is_block(l) && access_block(s, space, l)) || access_near(s, space, l) || access_found(s, space, l);
}

/*
 * The quick ways are for data that lies in pages which the view has found before, and for a response that there is room
 * for. They come to the same as access_each(): an access is either all done by them, or nothing of it is. Pages that
 * the view has not found it is asked for first.
 */
static enum eu_reply access_lanes(struct send *s, const struct space *space, const struct lanes *l)
{
	unsigned int blocks = (unsigned int)__builtin_popcount(l->elements), len;

	if (!blocks)
		return EU_DONE;
	if (l->write || send_has_room(s, blocks * l->n * l->slot)) {
		if (access_quick(s, space, l))
			return EU_DONE;
		len = (32 - (unsigned int)__builtin_clz(l->elements)) * l->size;
		space_ask(s, space, l->offset, l->mask, len);
		if (access_quick(s, space, l))
			return EU_DONE;
	}
	access_each(s, space, l);
	return EU_DONE;
}

/* All bits of four channels that are on. */
static inline __m128i four_lanes(uint32_t mask)
{
	const __m128i bits = _mm_set_epi32(8, 4, 2, 1);

	return _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)mask), bits), bits);
}

static inline __m128i chosen(__m128i lanes, __m128i a, __m128i b)
{
	return _mm_or_si128(_mm_and_si128(lanes, a), _mm_andnot_si128(lanes, b));
}

static inline __m128i lesser(__m128i a, __m128i b)
{
	return chosen(_mm_cmplt_epi32(a, b), a, b);
}

static inline __m128i greater(__m128i a, __m128i b)
{
	return chosen(_mm_cmpgt_epi32(a, b), a, b);
}

/*
 * struct extent - where 32-bit offsets lie
 * @low: the least
 * @high: the greatest
 * @all: the bits that any of them has
 */
struct extent {
	uint32_t low, high, all;
};

/* Of the channels that are on: there is one. SSE2 compares signed numbers, so the sign is turned before and after. */
static struct extent extent_of(const struct lanes *l, const uint32_t *offset)
{
	const __m128i sign = _mm_set1_epi32(INT32_MIN), most = _mm_set1_epi32(INT32_MAX);
	__m128i low = most, high = sign, all = _mm_setzero_si128();

	for (unsigned int i = 0; i < l->n; i += 4) {
		__m128i lanes = four_lanes(l->mask >> i);
		__m128i v = _mm_loadu_si128((const __m128i *)(offset + i)), turned = _mm_xor_si128(v, sign);

		all = _mm_or_si128(all, _mm_and_si128(v, lanes));
		low = lesser(low, chosen(lanes, turned, most));
		high = greater(high, chosen(lanes, turned, sign));
	}
	low = lesser(low, _mm_shuffle_epi32(low, 0x4e));
	low = lesser(low, _mm_shuffle_epi32(low, 0xb1));
	high = greater(high, _mm_shuffle_epi32(high, 0x4e));
	high = greater(high, _mm_shuffle_epi32(high, 0xb1));
	all = _mm_or_si128(all, _mm_shuffle_epi32(all, 0x4e));
	all = _mm_or_si128(all, _mm_shuffle_epi32(all, 0xb1));
	return (struct extent){
		.low = (uint32_t)_mm_cvtsi128_si32(low) ^ 0x80000000,
		.high = (uint32_t)_mm_cvtsi128_si32(high) ^ 0x80000000,
		.all = (uint32_t)_mm_cvtsi128_si32(all),
	};
}

/* A dword of each channel, the next one's behind it: in memory as in the registers. */
static bool is_row(const struct lanes *l, const uint32_t *offset)
{
	__m128i next, same = _mm_set1_epi32(-1);

	if (l->mask != (1u << l->n) - 1 || l->elements != 1 || l->size != 4 || l->slot != 4 ||
	    offset[0] > UINT32_MAX - l->n * 4)
		return false;
	next = _mm_add_epi32(_mm_set1_epi32((int)offset[0]), _mm_set_epi32(12, 8, 4, 0));
	for (unsigned int i = 0; i < l->n; i += 4) {
		same = _mm_and_si128(same, _mm_cmpeq_epi32(next, _mm_loadu_si128((const __m128i *)(offset + i))));
		next = _mm_add_epi32(next, _mm_set1_epi32(16));
	}
	return _mm_movemask_epi8(same) == 0xffff;
}

/* Reads two or four dwords of all channels, aligned to two: each channel's at once, to its blocks. */
static void read_pairs(struct send *s, const struct lanes *l, const struct near *near)
{
	unsigned int pairs = l->elements == 3 ? 1 : 2;

	for (unsigned int i = 0; i < l->n; i++) {
		const uint64_t *memory = (const void *)near_of(near, i);

		for (unsigned int n = 0; n < pairs; n++) {
			uint8_t *block = s->msg->response + 2 * n * l->n * 4 + 4 * i;
			uint64_t v = __atomic_load_n(memory + n, __ATOMIC_ACQUIRE);

			memcpy(block, &v, 4);
			v >>= 32;
			memcpy(block + l->n * 4, &v, 4);
		}
	}
}

/*
 * Channels with 32-bit offsets whose elements of up to a dword lie in one page. False: they do not, or it is not found.
 * It comes to the same as access_lanes().
 */
static bool access_close(struct send *s, const struct space *space, const struct lanes *l, const uint32_t *offset)
{
	unsigned int len = (32 - (unsigned int)__builtin_clz(l->elements)) * l->size;
	bool row = is_row(l, offset), pairs, aligned;
	struct extent e = { offset[0], offset[0] + (l->n - 1) * 4, offset[0] };
	struct near near;

	if (!row)
		e = extent_of(l, offset);
	if (e.all & (l->size - 1) || e.high - e.low >= VIEW_PAGE)
		return false;
	near = (struct near){ space_find_near(s, space, e.low, e.high - e.low + len, l->write), e.low, offset };
	if (!near.first)
		return false;
	aligned = !((uintptr_t)near.first & (l->size - 1));
	pairs = !l->write && l->size == 4 && (l->elements == 3 || l->elements == 15) && l->mask == (1u << l->n) - 1 &&
		!(e.all & 7) && !((uintptr_t)near.first & 7);
	if (row && l->write)
		gmem_copy_to(near.first, s->payload + l->data, l->n * 4);
	else if (row)
		gmem_copy_from(s->msg->response, near.first, l->n * 4);
	else if (pairs)
		read_pairs(s, l, &near);
	else if (aligned)
		copy_near(s, l, &near);
	space_release(s, space);
	return row || aligned;
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

/* The same of 32-bit offsets of bytes, and elements of up to a dword. */
static enum eu_reply access_offsets(struct send *s, const struct space *space, const struct lanes *l,
				    const uint8_t *offsets)
{
	unsigned int blocks = (unsigned int)__builtin_popcount(l->elements);
	uint32_t offset[MAX_LANES];

	memcpy(offset, offsets, l->n * sizeof(offset[0]));
	if (!blocks || !l->mask)
		return EU_DONE;
	if ((l->write || send_has_room(s, blocks * l->n * 4)) && access_close(s, space, l, offset))
		return EU_DONE;
	widen_offsets(l, offsets, 0, 0);
	return access_lanes(s, space, l);
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

/**
 * byte_scattered_plan - what of a byte scattered message is always the same
 * @msg: the message
 *
 * Return: the plan; none when its data size is reserved.
 */
struct lane_plan byte_scattered_plan(const struct eu_message *msg)
{
	unsigned int size = isa_message_get(msg->info, ISA_MSG_F_DATA_SIZE, msg->desc);
	bool simd16 = isa_message_get(msg->info, ISA_MSG_F_SIMD, msg->desc);

	return (struct lane_plan){
		.n = size > 2 ? 0 : simd16 ? 16 : 8, .elements = 1, .size = (uint8_t)(1u << size), .slot = 4,
		.bti = (uint8_t)isa_message_get(msg->info, ISA_MSG_F_BTI, msg->desc), .write = id_writes(msg->info->id),
	};
}

/* A message's plan, or what @make makes of it now. */
static struct lane_plan plan_of(const struct send *s, struct lane_plan (*make)(const struct eu_message *msg))
{
	return s->plan.lanes.n ? s->plan.lanes : make(s->msg);
}

/* The channels of a plan, all of them off. */
static struct lanes lanes_of_plan(const struct lane_plan *plan, uint64_t *offset)
{
	return (struct lanes){
		.n = plan->n, .offset = offset, .elements = plan->elements, .size = plan->size, .slot = plan->slot,
		.write = plan->write,
	};
}

enum eu_reply message_byte_scattered(struct send *s)
{
	struct lane_plan plan = plan_of(s, byte_scattered_plan);
	uint64_t offset[MAX_LANES];
	struct lanes l = lanes_of_plan(&plan, offset);
	struct space space;
	const char *error = surface_space(s, plan.bti, &space);

	if (error)
		return send_bad(s, error);
	if (!plan.n)
		return send_bad(s, "a byte scattered message with a reserved data size");
	l.data = send_body(s) + l.n * 4;
	if (send_lacks(s, l.data + (l.write ? l.n * 4 : 0)))
		return send_bad(s, "a byte scattered message with too short a payload");
	if (s->msg->header) {
		scattered_offsets(s, &l, 0);
		return access_lanes(s, &space, &l);
	}
	l.mask = s->msg->exec_mask & ((1u << l.n) - 1);
	return access_offsets(s, &space, &l, s->payload + send_body(s));
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

/**
 * untyped_plan - what of an untyped message is always the same
 * @msg: the message
 *
 * Return: the plan; none when it is of SIMD4x2.
 */
struct lane_plan untyped_plan(const struct eu_message *msg)
{
	unsigned int simd = isa_message_get(msg->info, ISA_MSG_F_SIMD, msg->desc), id = msg->info->id;
	unsigned int off = isa_message_get(msg->info, ISA_MSG_F_CHANNELS_OFF, msg->desc);

	return (struct lane_plan){
		.n = simd == 1 ? 16 : simd == 2 ? 8 : 0, .elements = ~off & 15, .size = 4, .slot = 4,
		.bti = (uint8_t)isa_message_get(msg->info, ISA_MSG_F_BTI, msg->desc), .write = id_writes(id),
		.a64 = id == ISA_MSG_A64_UNTYPED_READ || id == ISA_MSG_A64_UNTYPED_WRITE,
	};
}

enum eu_reply message_untyped(struct send *s)
{
	struct lane_plan plan = plan_of(s, untyped_plan);
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	unsigned int blocks = plan.a64 ? 2 : 1, n;
	uint64_t offset[MAX_LANES];
	struct lanes l = lanes_of_plan(&plan, offset);
	const struct surface *f = NULL;
	const char *error = NULL;
	const uint8_t *body;
	bool structured;

	if (!plan.n)
		return send_bad(s, "an untyped message of SIMD4x2, which is not modelled");
	if (!plan.a64) {
		error = surface_space(s, plan.bti, &space);
		f = untyped_surface(s, plan.bti);
	}
	if (error)
		return send_bad(s, error);
	structured = f && f->kind == SURFACE_STRUCTURED;
	blocks += structured;
	n = (unsigned int)__builtin_popcount(l.elements);
	l.data = send_body(s) + blocks * l.n * 4;
	if (send_lacks(s, l.data + (l.write ? n * l.n * 4 : 0)))
		return send_bad(s, "an untyped message with too short a payload");
	body = s->payload + send_body(s);
	l.mask = enabled(s) & ((1u << l.n) - 1);
	if (!plan.a64 && !structured)
		return access_offsets(s, &space, &l, body);
	if (plan.a64)
		memcpy(l.offset, body, l.n * sizeof(l.offset[0]));
	for (unsigned int i = 0; i < l.n && structured; i++)
		l.offset[i] = untyped_offset(s, f, l.n, i);
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
