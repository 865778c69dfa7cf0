/* SPDX-License-Identifier: MIT */
/**
 * DOC: The batch object
 *
 * A batch is memory that the caller gives, for the commands of one engine of one generation. Builders
 * append to it; nothing is ever written past its end. What goes wrong is kept in the batch, so that a
 * caller builds a whole batch and looks once: igen_batch_end() tells. The first mistake wins over lack
 * of space, since more space would not help; a batch that is merely too small goes on counting, and
 * igen_batch_bytes() says what it would have needed. So a batch of no memory at all measures.
 *
 * Each command is put together in the batch object and then copied, so the memory is only written,
 * in order, and may be write-combining.
 *
 * Memory that commands refer to is given as an object and an offset (struct igen_address). The presumed
 * address goes into the command; if the caller gave room for records, one is kept for each address, with
 * all that a relocation needs. Clients that pin their objects (softpin) have no use for them.
 *
 * State in memory (samplers, surfaces, descriptors) is put together the same way, in a second batch
 * object that is never ended: see igen_batch_state().
 *
 * Nothing here locks or sleeps; a batch belongs to one thread at a time. No floating point. The headers that
 * tools/cmdgen makes are included from igen/pack/.
 */
#ifndef _IGEN_BATCH_BATCH_H_
#define _IGEN_BATCH_BATCH_H_

#include "igen/pack/pack.h"
#include "igen/pack/gen6_mi.h"
#include "igen/pack/gen7_mi.h"
#include "igen/pack/gen9_mi.h"
#include "igen/pack/gen12_mi.h"

#define IGEN_BATCH_COMMAND	192	/* dwords; the longest command, AVP_PIPE_BUF_ADDR_STATE, has 188 */

enum igen_batch_engine {
	IGEN_BATCH_RENDER,
	IGEN_BATCH_COPY,
	IGEN_BATCH_VIDEO,
	IGEN_BATCH_VIDEO_ENHANCE,
	IGEN_BATCH_COMPUTE,		/* generation 12 */
	IGEN_BATCH_MEMORY		/* no engine: state in memory */
};

/**
 * struct igen_address - a place in an object
 * @presumed: where the object is, in bytes; below 2^32 on generations 6 and 7, else 48 bits, of which
 * bits 63:48 are ignored
 * @offset: bytes from there
 * @size: of the object in bytes; 0 if not known, nothing is checked against it then
 * @bo: which object: the caller's name for it, given back in the relocation records
 */
struct igen_address {
	__u64 presumed, offset, size;
	__u32 bo;
};

/**
 * struct igen_batch_reloc - an address in a batch
 * @at: byte of the batch that it begins at
 * @delta: what is added to the object's address: the offset, and what else the same bits hold
 * @presumed: the object's address that was added
 * @bo: which object
 * @bytes: 4 or 8
 * @write: does the GPU write there?
 */
struct igen_batch_reloc {
	__u64 at, delta, presumed;
	__u32 bo;
	__u8 bytes;
	bool write;
};

/**
 * struct igen_batch - commands, or state, under construction
 * @map: its memory; may be NULL if @room is 0
 * @room: dwords of it
 * @used: dwords so far, also those that found no room
 * @gen: 6, 7, 9 or 12
 * @engine: whose commands
 * @self: where the GPU finds @map; set by the caller if something is to refer to it
 * @relocs: room for records of addresses, or NULL
 * @max_relocs: how many
 * @num_relocs: addresses so far, also those that found no room
 * @error: 0, or the first mistake (-EINVAL, -ERANGE, -EOPNOTSUPP), else -ENOSPC
 * @why: in words
 * @last: dwords of the last command
 * @blt_tiling: what igen_blt_*() last chose as "tiled"; -1 at the start
 * @command: the last command
 */
struct igen_batch {
	__u32 *map;
	__u32 room, used;
	unsigned int gen;
	enum igen_batch_engine engine;
	struct igen_address self;
	struct igen_batch_reloc *relocs;
	unsigned int max_relocs, num_relocs;
	int error;
	const char *why;
	unsigned int last;
	int blt_tiling;
	__u32 command[IGEN_BATCH_COMMAND];
};

/**
 * igen_batch_fail() - a mistake
 * @b: the batch
 * @error: -EINVAL, -ERANGE, -EOPNOTSUPP or -ENOSPC
 * @why: in words; kept by reference
 *
 * The first is kept, but -ENOSPC gives way to any other.
 *
 * Return: @error.
 */
static inline int igen_batch_fail(struct igen_batch *b, int error, const char *why)
{
	if (!b->error || (b->error == -ENOSPC && error != -ENOSPC)) {
		b->error = error;
		b->why = why;
	}
	return error;
}

/**
 * igen_batch_expect() - a condition that the caller has to keep
 * @b: the batch
 * @cond: does it hold?
 * @error: as for igen_batch_fail(), if it does not
 * @why: in words
 *
 * Return: @cond.
 */
static inline bool igen_batch_expect(struct igen_batch *b, bool cond, int error, const char *why)
{
	if (!cond)
		igen_batch_fail(b, error, why);
	return cond;
}

/**
 * igen_batch_init() - an empty batch
 * @b: the batch
 * @gen: 6, 7, 9 or 12; another is a mistake that igen_batch_end() tells
 * @engine: whose commands
 * @map: its memory, aligned to 4 bytes; NULL to measure
 * @bytes: of it; a rest that is no dword stays unused. Above 4 GB is as much as 4 GB
 */
static inline void igen_batch_init(struct igen_batch *b, unsigned int gen, enum igen_batch_engine engine, void *map,
				   __u64 bytes)
{
	memset(b, 0, sizeof(*b));
	b->map = map;
	b->room = !map ? 0 : bytes > 0xfffffffcu ? 0x3fffffff : (__u32)(bytes / 4);
	b->gen = gen;
	b->engine = engine;
	b->blt_tiling = -1;
	igen_batch_expect(b, gen == 6 || gen == 7 || gen == 9 || gen == 12, -EINVAL,
			  "the generations are 6, 7, 9 and 12");
	igen_batch_expect(b, engine <= IGEN_BATCH_MEMORY, -EINVAL, "no such engine");
	igen_batch_expect(b, gen == 12 || engine != IGEN_BATCH_COMPUTE, -EOPNOTSUPP,
			  "the compute engine begins with generation 12");
}

/**
 * igen_batch_record_relocs() - keep a record for each address
 * @b: the batch, before its first command
 * @relocs: room for them
 * @max: how many; one that finds no room is -ENOSPC, and @num_relocs of the batch says how many it has
 */
static inline void igen_batch_record_relocs(struct igen_batch *b, struct igen_batch_reloc *relocs, unsigned int max)
{
	b->relocs = relocs;
	b->max_relocs = max;
}

/**
 * igen_batch_bytes() - length of a batch
 * @b: the batch
 *
 * Return: bytes that its commands need, whether or not they found room.
 */
static inline __u64 igen_batch_bytes(const struct igen_batch *b)
{
	return (__u64)b->used * 4;
}

/**
 * igen_batch_put() - append dwords
 * @b: the batch
 * @dw: the dwords
 * @n: how many
 *
 * They are written if all of them have room.
 *
 * Return: the byte that they begin at.
 */
static inline __u32 igen_batch_put(struct igen_batch *b, const __u32 *dw, __u32 n)
{
	__u32 at = b->used;

	if (!igen_batch_expect(b, n <= 0x3fffffff - at, -EINVAL, "a batch stays below 4 GB"))
		return at * 4;
	if (n > b->room || at > b->room - n)
		igen_batch_fail(b, -ENOSPC, "the batch's memory is too small");
	else if (n)
		memcpy(b->map + at, dw, n * sizeof(*dw));
	b->used += n;
	return at * 4;
}

/* Ends igen_batch_emit(): @n is what the packer returned. */
static inline __u32 igen_batch_commit(struct igen_batch *b, int n)
{
	if (n < 0) {
		igen_batch_fail(b, n, "a value does not fit its field");
		n = 0;
	}
	b->last = n;
	return igen_batch_put(b, b->command, n);
}

/*
 * Appends a command: its name in the database, then initialisers of its struct. Gives the byte that it
 * begins at. A command of which there is more than one length needs its GENn_NAME_INIT first.
 */
#define igen_batch_emit(b, command_, ...)                                                      \
	igen_batch_commit(b, command_##_pack((b)->command, IGEN_BATCH_COMMAND,                \
					     &(const struct command_){ __VA_ARGS__ }))

/* For a command that all generations have, with the same fields, or all from one on. */
#define igen_batch_emit_gen9(b, name, ...)                                                     \
	((b)->gen == 9 ? igen_batch_emit(b, gen9_##name, __VA_ARGS__) :                        \
			 igen_batch_emit(b, gen12_##name, __VA_ARGS__))
#define igen_batch_emit_gen7(b, name, ...)                                                     \
	((b)->gen == 7 ? igen_batch_emit(b, gen7_##name, __VA_ARGS__) :                        \
			 igen_batch_emit_gen9(b, name, __VA_ARGS__))
#define igen_batch_emit_gen6(b, name, ...)                                                     \
	((b)->gen == 6 ? igen_batch_emit(b, gen6_##name, __VA_ARGS__) :                        \
			 igen_batch_emit_gen7(b, name, __VA_ARGS__))

/*
 * Appends a structure, of LENGTH dwords, to state in memory, at a multiple of align bytes. Gives the
 * byte that it begins at.
 */
#define igen_batch_state(b, struct_, length, align, ...)                                       \
	(igen_batch_align(b, align), memset((b)->command, 0, (length) * sizeof(__u32)),       \
	 igen_batch_commit(b, struct_##_put((b)->command, &(const struct struct_){ __VA_ARGS__ }) ? \
				      -ERANGE : (int)(length)))

/**
 * igen_batch_align() - go on at an aligned place
 * @b: the batch
 * @bytes: a power of two from 4 to 4096; the place is a multiple of it from the batch's beginning
 *
 * What lies between is filled with zeros, which as commands are MI_NOOP.
 */
static inline void igen_batch_align(struct igen_batch *b, __u32 bytes)
{
	static const __u32 zero[16];

	if (!igen_batch_expect(b, bytes >= 4 && bytes <= 4096 && !(bytes & (bytes - 1)), -EINVAL,
			       "alignments are powers of two from 4 to 4096"))
		return;
	while (b->used * 4 % bytes) {
		__u32 left = (bytes - b->used * 4 % bytes) / 4, before = b->used;

		igen_batch_put(b, zero, left < 16 ? left : 16);
		if (b->used == before)
			return;
	}
}

/**
 * igen_batch_locate() - an address to put into a command
 * @b: the batch
 * @a: the place
 * @bytes: that the GPU accesses there, if known, else 0: must be within the object
 * @align: a power of two that it must be a multiple of; 1 for none
 * @address: is set to it; to 0 after a mistake
 *
 * Return: true; false after a mistake: -ERANGE for an address that the generation has not, or that is not in
 * the object, -EINVAL for one that is not aligned.
 */
static inline bool igen_batch_locate(struct igen_batch *b, struct igen_address a, __u64 bytes, __u64 align,
				     __u64 *address)
{
	__u64 limit = b->gen <= 7 ? 1ull << 32 : 1ull << 48;
	__u64 presumed = b->gen <= 7 ? a.presumed : a.presumed & (limit - 1);

	*address = 0;
	if (!igen_batch_expect(b, !a.size || (a.offset <= a.size && bytes <= a.size - a.offset), -ERANGE,
			       "an address that is not in its object") ||
	    !igen_batch_expect(b, presumed < limit && a.offset < limit - presumed &&
			       bytes <= limit - presumed - a.offset, -ERANGE,
			       "an address that the generation has not") ||
	    !igen_batch_expect(b, !((presumed + a.offset) & (align - 1)), -EINVAL, "an address that is not aligned"))
		return false;
	*address = presumed + a.offset;
	return true;
}

/* igen_batch_locate() where the batch's error is all that a mistake needs. */
static inline __u64 igen_batch_address(struct igen_batch *b, struct igen_address a, __u64 bytes, __u64 align)
{
	__u64 address;

	igen_batch_locate(b, a, bytes, align, &address);
	return address;
}

/**
 * igen_batch_refer() - say that the last command holds an address
 * @b: the batch
 * @index: dword of the command that it begins at
 * @a: the place, whose address went into that dword
 * @write: does the GPU write there?
 *
 * Its record's delta is what the dword holds less the object's address, so that flags which share the
 * dword survive a relocation.
 */
static inline void igen_batch_refer(struct igen_batch *b, unsigned int index, struct igen_address a, bool write)
{
	unsigned int bytes = b->gen <= 7 ? 4 : 8;
	__u64 value, presumed = bytes == 4 ? a.presumed : a.presumed & ((1ull << 48) - 1);

	if (!b->relocs || b->error == -EINVAL || b->error == -ERANGE)
		return;
	if (!igen_batch_expect(b, index + bytes / 4 <= b->last, -EINVAL, "no such dword in the command"))
		return;
	value = b->command[index];
	if (bytes == 8)
		value |= (__u64)b->command[index + 1] << 32;
	if (b->num_relocs < b->max_relocs)
		b->relocs[b->num_relocs] = (struct igen_batch_reloc){
			.at = ((__u64)b->used - b->last + index) * 4,
			.delta = value - presumed,
			.presumed = a.presumed,
			.bo = a.bo,
			.bytes = bytes,
			.write = write,
		};
	else
		igen_batch_fail(b, -ENOSPC, "no room for a record of an address");
	b->num_relocs++;
}

/**
 * igen_batch_offset() - a place further on
 * @a: a place
 * @bytes: how far
 *
 * Return: the place.
 */
static inline struct igen_address igen_batch_offset(struct igen_address a, __u64 bytes)
{
	a.offset += bytes;
	return a;
}

/**
 * igen_batch_end() - end a batch
 * @b: the batch
 *
 * Appends MI_BATCH_BUFFER_END and, for a length that is a multiple of eight bytes as execbuf wants it,
 * MI_NOOP. A batch for IGEN_BATCH_MEMORY has no end: nothing is appended.
 *
 * Return: 0, or what went wrong: -ENOSPC if the batch or the records have too little room, -EINVAL,
 * -ERANGE or -EOPNOTSUPP for a mistake; the batch's "why" has the words.
 */
static inline int igen_batch_end(struct igen_batch *b)
{
	if (b->engine != IGEN_BATCH_MEMORY) {
		igen_batch_emit_gen6(b, mi_batch_buffer_end, 0);
		igen_batch_align(b, 8);
	}
	return b->error;
}

/**
 * igen_batch_is_for() - may the batch have an engine's commands?
 * @b: the batch
 * @engines: a bit of each enum igen_batch_engine that has them
 * @first: generation that they begin with
 * @why: what to say if not
 *
 * Return: true, or false with the mistake noted: -EINVAL for another engine's batch, -EOPNOTSUPP for a
 * generation before.
 */
static inline bool igen_batch_is_for(struct igen_batch *b, unsigned int engines, unsigned int first, const char *why)
{
	if (!igen_batch_expect(b, engines >> b->engine & 1, -EINVAL, why))
		return false;
	return igen_batch_expect(b, b->gen >= first, -EOPNOTSUPP, "the generation has no such command");
}

#endif
