/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches: media and GPGPU
 *
 * The order is the manuals': pipeline, bases, VFE, CURBE, descriptors, then work (IVB Vol 2 Part 2, 1.3.1.1;
 * SNB Vol 2 Part 2, 1.3.1.1). igen_media_begin() does all that comes before the work. Descriptors and the
 * constants lie in state memory, at offsets from the dynamic base; kernels, as binaries that the caller
 * has, at offsets from the instruction base.
 *
 * Generation 6 has media objects and the media walker, 7 and later the GPGPU walker as well. Sources: SNB
 * Vol 2 Part 2, 1.7; IVB Vol 2 Part 2, 1.8; BXT Vol 6; DG1 Vol 2a, the commands' chapters. No manual at hand
 * has the descriptor of generations 9 and 12; its layout is the command database's, from public facts.
 */
#ifndef _IGEN_BATCH_GPGPU_H_
#define _IGEN_BATCH_GPGPU_H_

#include "mi.h"
#include "pipe.h"
#include "igen/pack/gen6_media.h"
#include "igen/pack/gen7_media.h"
#include "igen/pack/gen9_media.h"
#include "igen/pack/gen12_media.h"

#define IGEN_GPGPU_DIMX		0x2500u		/* GPGPU_DISPATCHDIMX, Y, Z: 4 bytes apart */

/**
 * struct igen_scoreboard - which threads one waits for; generations 6 to 9
 * @mask: bit n: the thread at x + dx[n], y + dy[n] of the same colour
 * @non_stalling: threads wait themselves, instead of the thread spawner
 * @dx: -8 to 7
 * @dy: -8 to 7
 */
struct igen_scoreboard {
	__u8 mask;
	bool non_stalling;
	__s8 dx[8], dy[8];
};

/**
 * struct igen_vfe - resources of the front end
 * @threads: most at a time, 1 to 65536; the platform may have fewer
 * @urb_entries: 1 to 64 on generations 6 and 7, 1 to 128 on 12, to 255 on 9
 * @entry_rows: size of each, in rows of 32 bytes; not 0
 * @curbe_rows: room for constants, in rows; an even number from generation 9 on; on 6 not 0
 * @scratch: offset of scratch space from the general base, a multiple of 1024
 * @scratch_field: the command's size field, 0 to 11: (n + 1) KB a thread on generations 6 and 7, 2^n KB on later
 * @scoreboard: or NULL; -EOPNOTSUPP on generation 12
 * @gpgpu: for GPGPU walkers, not media objects; read on generation 7
 */
struct igen_vfe {
	__u32 threads, urb_entries, entry_rows, curbe_rows;
	__u64 scratch;
	__u32 scratch_field;
	const struct igen_scoreboard *scoreboard;
	bool gpgpu;
};

/**
 * struct igen_kernel - what an interface descriptor says of a kernel
 * @start: offset from the instruction base, a multiple of 64
 * @binding_table: offset from the surface base, a multiple of 32, below 64 KB
 * @bindings: entries to fetch beforehand, 0 to 31
 * @samplers: offset of the sampler states from the dynamic base, a multiple of 32
 * @num_samplers: 0 to 16
 * @constants: registers of 32 bytes of the CURBE that each thread gets, 0 to 63 on generation 6 and 7
 * @constants_at: row of the CURBE at which they begin
 * @shared_constants: registers that all threads of a group get, 0 to 255; from generation 9 on
 * @threads: in a group, 1 to 64; 0 for a media kernel; from generation 7 on
 * @local_memory: bytes a group has, 0 to 65536; from generation 7 on
 * @barrier: does it use a barrier? From generation 7 on
 */
struct igen_kernel {
	__u64 start;
	__u32 binding_table, bindings, samplers, num_samplers;
	__u32 constants, constants_at, shared_constants;
	__u32 threads, local_memory;
	bool barrier;
};

/* The command's encoding of shared local memory, or -1: 4 KB units on generation 7, powers of two later. */
static inline int igen_slm_field(unsigned int gen, __u32 bytes)
{
	__u32 size = gen == 7 ? 4096 : 1024;
	int n = 0;

	if (!bytes)
		return 0;
	if (bytes > 65536)
		return -1;
	for (n = 1; size < bytes; n++)
		size *= 2;
	return gen == 7 ? (int)(size / 4096) : n;
}

/* Is that a kernel that the generation can run? */
static inline bool igen_kernel_check(struct igen_batch *b, const struct igen_kernel *k)
{
	return igen_batch_expect(b, !(k->start % 64) && !(k->binding_table % 32) && !(k->samplers % 32), -EINVAL,
				 "kernels begin at multiples of 64 bytes, tables at multiples of 32") &&
	       igen_batch_expect(b, k->binding_table < 65536 && k->bindings <= 31 && k->num_samplers <= 16, -ERANGE,
				 "a binding table below 64 KB, at most 31 entries, at most 16 samplers") &&
	       igen_batch_expect(b, !k->shared_constants || b->gen >= 9, -EOPNOTSUPP,
				 "constants of a group begin with generation 9") &&
	       igen_batch_expect(b, (!k->threads && !k->local_memory && !k->barrier) || b->gen >= 7, -EOPNOTSUPP,
				 "thread groups begin with generation 7") &&
	       igen_batch_expect(b, k->threads <= 64 && k->local_memory <= 65536, -ERANGE,
				 "at most 64 threads and 64 KB in a group");
}

/**
 * igen_media_descriptor() - put an interface descriptor into state memory
 * @s: state memory (IGEN_BATCH_MEMORY)
 * @k: the kernel; -EINVAL, -ERANGE, -EOPNOTSUPP for what it cannot be
 *
 * The first of several is aligned to 64 bytes by igen_batch_align(); those put one after another are one
 * table.
 *
 * Return: its offset in the state memory.
 */
static inline __u32 igen_media_descriptor(struct igen_batch *s, const struct igen_kernel *k)
{
	int slm = igen_slm_field(s->gen, k->local_memory);

	if (!igen_batch_is_for(s, 1u << IGEN_BATCH_MEMORY, 6, "descriptors go into state memory") ||
	    !igen_kernel_check(s, k))
		return 0;
#define IGEN_DESCRIPTOR                                                                                 \
	.kernel_start_pointer = k->start, .sampler_count = (k->num_samplers + 3) / 4,                   \
	.sampler_state_pointer = k->samplers, .binding_table_entry_count = k->bindings,                 \
	.binding_table_pointer = k->binding_table, .constant_urb_entry_read_offset = k->constants_at,   \
	.constant_urb_entry_read_length = k->constants
#define IGEN_DESCRIPTOR_GROUP                                                                           \
	.number_of_threads_in_gpgpu_thread_group = k->threads, .shared_local_memory_size = slm,         \
	.barrier_enable = k->barrier
	if (s->gen == 6)
		return igen_batch_state(s, gen6_interface_descriptor_data, 8, 32, IGEN_DESCRIPTOR);
	if (s->gen == 7)
		return igen_batch_state(s, gen7_interface_descriptor_data, 8, 32, IGEN_DESCRIPTOR,
					IGEN_DESCRIPTOR_GROUP);
	if (s->gen == 9)
		return igen_batch_state(s, gen9_interface_descriptor_data, 8, 32, IGEN_DESCRIPTOR,
					IGEN_DESCRIPTOR_GROUP,
					.cross_thread_constant_data_read_length = k->shared_constants);
	return igen_batch_state(s, gen12_interface_descriptor_data, 8, 32, IGEN_DESCRIPTOR, IGEN_DESCRIPTOR_GROUP,
				.cross_thread_constant_data_read_length = k->shared_constants);
#undef IGEN_DESCRIPTOR
#undef IGEN_DESCRIPTOR_GROUP
}

/* Do entries, constants and descriptors fit the URB? IVB 1.8.1, SNB 1.7.1, DG1 Vol 2a, MEDIA_VFE_STATE. */
static inline bool igen_vfe_fits(const struct igen_batch *b, const struct igen_vfe *v)
{
	__u64 rows = v->entry_rows;

	switch (b->gen) {
	case 6:
		return v->urb_entries * rows + v->curbe_rows + 32 <= 1024;
	case 7:
		return v->urb_entries * rows + v->curbe_rows + 32 <= 2048;
	case 12:
		return 64 + v->curbe_rows + v->urb_entries * ((rows + 63) / 64 * 64) <= 32768;
	default:
		return true;		/* no manual at hand says how large it is */
	}
}

/**
 * igen_media_vfe() - drain the pipeline and set MEDIA_VFE_STATE
 * @b: the batch, for the render or the compute engine
 * @v: resources; -EINVAL or -ERANGE for what the generation has not
 *
 * It destroys what is in the URB: constants and descriptors are loaded after it (IVB Vol 2 Part 2, 1.8.1).
 */
static inline void igen_media_vfe(struct igen_batch *b, const struct igen_vfe *v)
{
	static const struct igen_scoreboard none;
	const struct igen_scoreboard *sb = v->scoreboard ? v->scoreboard : &none;
	__u32 most = b->gen <= 7 ? 64 : b->gen == 9 ? 255 : 128;

	if (!igen_batch_is_for(b, IGEN_PIPE_ENGINES, 6, "media state is the render and compute engines'") ||
	    !igen_batch_expect(b, v->threads && v->threads <= 65536, -ERANGE, "one to 65536 threads") ||
	    !igen_batch_expect(b, v->urb_entries && v->urb_entries <= most && v->entry_rows, -ERANGE,
			       "a number of URB entries that the generation has not, or empty ones") ||
	    !igen_batch_expect(b, v->entry_rows <= 65535 && v->curbe_rows <= 65535 && igen_vfe_fits(b, v), -ERANGE,
			       "URB entries and constants exceed the URB") ||
	    !igen_batch_expect(b, b->gen != 6 || v->curbe_rows, -EINVAL,
			       "generation 6 has at least a row of constants") ||
	    !igen_batch_expect(b, b->gen <= 7 || !(v->curbe_rows & 1), -EINVAL,
			       "constants have an even number of rows") ||
	    !igen_batch_expect(b, v->scratch_field <= 11, -ERANGE, "the scratch field goes from 0 to 11") ||
	    !igen_batch_expect(b, !(v->scratch & 1023), -EINVAL, "scratch space begins at a multiple of 1024") ||
	    !igen_batch_expect(b, b->gen < 12 || !v->scoreboard, -EOPNOTSUPP, "generation 12 has no scoreboard here"))
		return;
	igen_pipe_drain(b);
#define IGEN_VFE                                                                                        \
	.per_thread_scratch_space = v->scratch_field, .scratch_space_base_pointer = v->scratch,         \
	.number_of_urb_entries = v->urb_entries, .maximum_number_of_threads = v->threads - 1
#define IGEN_VFE_BOARD                                                                                  \
	.scoreboard_enable = !!v->scoreboard, .scoreboard_mask = sb->mask, .scoreboard_type = sb->non_stalling
#define IGEN_VFE_DELTA(n)	.scoreboard_##n##_delta_x = sb->dx[n], .scoreboard_##n##_delta_y = sb->dy[n]
#define IGEN_VFE_DELTAS                                                                                 \
	IGEN_VFE_DELTA(0), IGEN_VFE_DELTA(1), IGEN_VFE_DELTA(2), IGEN_VFE_DELTA(3), IGEN_VFE_DELTA(4),  \
	IGEN_VFE_DELTA(5), IGEN_VFE_DELTA(6), IGEN_VFE_DELTA(7)
	/* Generation 6 has the deltas, but for one, as pairs of nibbles, y above x. */
#define IGEN_VFE_PAIR(n)	.scoreboard_##n##_delta_x_y = (sb->dx[n] & 15) | (sb->dy[n] & 15) << 4
	if (b->gen == 6)
		igen_batch_emit(b, gen6_media_vfe_state, IGEN_VFE, IGEN_VFE_BOARD, IGEN_VFE_DELTA(3),
				IGEN_VFE_PAIR(0), IGEN_VFE_PAIR(1), IGEN_VFE_PAIR(2), IGEN_VFE_PAIR(4),
				IGEN_VFE_PAIR(5), IGEN_VFE_PAIR(6), IGEN_VFE_PAIR(7),
				.curbe_allocation_size = v->curbe_rows - 1, .urb_entry_allocation_size = v->entry_rows);
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_media_vfe_state, IGEN_VFE, IGEN_VFE_BOARD, IGEN_VFE_DELTAS,
				.gpgpu_mode = v->gpgpu, .curbe_allocation_size = v->curbe_rows,
				.urb_entry_allocation_size = v->entry_rows - 1);
	else if (b->gen == 9)
		igen_batch_emit(b, gen9_media_vfe_state, IGEN_VFE, IGEN_VFE_BOARD, IGEN_VFE_DELTAS,
				.curbe_allocation_size = v->curbe_rows, .urb_entry_allocation_size = v->entry_rows);
	else
		igen_batch_emit(b, gen12_media_vfe_state, IGEN_VFE, .curbe_allocation_size = v->curbe_rows,
				.urb_entry_allocation_size = v->entry_rows);
#undef IGEN_VFE
#undef IGEN_VFE_BOARD
#undef IGEN_VFE_DELTA
#undef IGEN_VFE_DELTAS
#undef IGEN_VFE_PAIR
}

/**
 * igen_media_curbe() - MEDIA_CURBE_LOAD: load constants
 * @b: the batch, for the render or the compute engine
 * @at: offset from the dynamic base: a multiple of 32 bytes, of 64 from generation 9 on (-EINVAL)
 * @bytes: not 0; a multiple of the same (-EINVAL); below 128 KB (-ERANGE)
 */
static inline void igen_media_curbe(struct igen_batch *b, __u32 at, __u32 bytes)
{
	__u32 unit = b->gen <= 7 ? 32 : 64;

	if (!igen_batch_is_for(b, IGEN_PIPE_ENGINES, 6, "media state is the render and compute engines'") ||
	    !igen_batch_expect(b, bytes && !(at % unit) && !(bytes % unit), -EINVAL,
			       "constants begin and end at multiples of 32 or 64 bytes") ||
	    !igen_batch_expect(b, bytes < 131072, -ERANGE, "constants of 128 KB and more"))
		return;
	igen_batch_emit_gen6(b, media_curbe_load, .curbe_total_data_length = bytes, .curbe_data_start_address = at);
}

/**
 * igen_media_descriptors() - MEDIA_INTERFACE_DESCRIPTOR_LOAD
 * @b: the batch, for the render or the compute engine
 * @at: offset of the first from the dynamic base: a multiple of 32 bytes, of 64 from generation 9 on (-EINVAL)
 * @n: how many: 1 to 31 on generation 6, to 32 on 7, to 64 later (-ERANGE)
 */
static inline void igen_media_descriptors(struct igen_batch *b, __u32 at, __u32 n)
{
	__u32 most = b->gen == 6 ? 31 : b->gen == 7 ? 32 : 64;

	if (!igen_batch_is_for(b, IGEN_PIPE_ENGINES, 6, "media state is the render and compute engines'") ||
	    !igen_batch_expect(b, !(at % (b->gen <= 7 ? 32 : 64)), -EINVAL, "descriptors that are not aligned") ||
	    !igen_batch_expect(b, n && n <= most, -ERANGE, "a number of descriptors that the generation has not"))
		return;
	igen_batch_emit_gen6(b, media_interface_descriptor_load, .interface_descriptor_total_length = n * 32,
			     .interface_descriptor_data_start_address = at);
}

/**
 * igen_media_flush() - MEDIA_STATE_FLUSH: drain the front end
 * @b: the batch, for the render or the compute engine
 *
 * It does not wait for threads. On generation 7 it stands twice, as a complete flush needs it (IVB Vol 2
 * Part 2, 1.3.1.1).
 */
static inline void igen_media_flush(struct igen_batch *b)
{
	if (!igen_batch_is_for(b, IGEN_PIPE_ENGINES, 6, "media state is the render and compute engines'"))
		return;
	igen_batch_emit_gen6(b, media_state_flush, 0);
	if (b->gen == 7)
		igen_batch_emit_gen6(b, media_state_flush, 0);
}

/**
 * struct igen_media - all that comes before media or GPGPU work
 * @pipeline: IGEN_PIPELINE_MEDIA or IGEN_PIPELINE_GPGPU
 * @bases: bases of state
 * @vfe: resources
 * @curbe: offset of the constants from the dynamic base
 * @curbe_bytes: of them; 0 for none
 * @descriptors: offset of the descriptors from the dynamic base
 * @num_descriptors: of them
 */
struct igen_media {
	enum igen_pipeline pipeline;
	struct igen_bases bases;
	struct igen_vfe vfe;
	__u32 curbe, curbe_bytes, descriptors, num_descriptors;
};

/**
 * igen_media_begin() - set up media or GPGPU work
 * @b: the batch, for the render or the compute engine
 * @m: the set-up; errors as of the parts: igen_pipeline_select(), igen_state_bases(), igen_media_vfe(),
 * igen_media_curbe(), igen_media_descriptors(), and -ERANGE for constants that exceed their rows
 */
static inline void igen_media_begin(struct igen_batch *b, const struct igen_media *m)
{
	struct igen_vfe vfe = m->vfe;

	vfe.gpgpu = m->pipeline == IGEN_PIPELINE_GPGPU;
	if (!igen_batch_expect(b, m->pipeline != IGEN_PIPELINE_3D, -EINVAL, "media work is not for the 3D pipeline") ||
	    !igen_batch_expect(b, m->curbe_bytes <= m->vfe.curbe_rows * 32ull, -ERANGE,
			       "more constants than there are rows for"))
		return;
	igen_pipeline_select(b, m->pipeline);
	igen_state_bases(b, &m->bases);
	igen_media_vfe(b, &vfe);
	if (m->curbe_bytes)
		igen_media_curbe(b, m->curbe, m->curbe_bytes);
	igen_media_descriptors(b, m->descriptors, m->num_descriptors);
}

/**
 * struct igen_media_object - one thread
 * @descriptor: which kernel: 0 to 30 on generation 6, to 31 on 7, to 63 later
 * @inline_data: dwords that it is given in the command
 * @num_inline: how many, 0 to 504, on generation 12 to 112
 * @indirect: offset of more data from the indirect base, a multiple of 32, below 512 MB
 * @indirect_bytes: of them, a multiple of 32, at most 1984; with inline data below 112 registers of 32 bytes
 * @scoreboard: does it wait, and is it waited for? Generations 6 to 9
 * @x: its place, 0 to 511
 * @y: its place, 0 to 511
 * @mask: bits of the scoreboard that it minds
 * @color: 0 to 15, on generation 12 to 255
 */
struct igen_media_object {
	__u32 descriptor;
	const __u32 *inline_data;
	__u32 num_inline, indirect, indirect_bytes;
	bool scoreboard;
	__u32 x, y, mask, color;
};

/* The last descriptor that the generation's commands can name. */
static inline __u32 igen_media_last(const struct igen_batch *b)
{
	return b->gen == 6 ? 30 : b->gen == 7 ? 31 : 63;
}

/* What an object and a walker share. */
static inline bool igen_media_data(struct igen_batch *b, __u32 descriptor, __u32 n, __u32 inline_max, __u32 at,
				   __u32 bytes, bool scoreboard)
{
	return igen_batch_is_for(b, 1u << IGEN_BATCH_RENDER, 6, "media objects are for the render engine") &&
	       igen_batch_expect(b, descriptor <= igen_media_last(b), -ERANGE, "no such descriptor") &&
	       igen_batch_expect(b, n <= inline_max && bytes <= 496 * 4 && at < 512u << 20, -ERANGE,
				 "too much inline or indirect data, or it is too far away") &&
	       igen_batch_expect(b, (n + 7) / 8 + (bytes + 31) / 32 < 112, -ERANGE,
				 "inline and indirect data stay below 112 registers") &&
	       igen_batch_expect(b, !(at % 32) && !(bytes % 32), -EINVAL,
				 "indirect data begin and end at multiples of 32 bytes") &&
	       igen_batch_expect(b, !scoreboard || b->gen < 12, -EOPNOTSUPP, "generation 12 has no scoreboard here");
}

/* Appends a command of n dwords that goes on with more: the length in its header is corrected. */
static inline void igen_batch_commit_with(struct igen_batch *b, int n, const __u32 *more, __u32 num)
{
	if (n > 0)
		b->command[0] += num;
	igen_batch_commit(b, n);
	if (n > 0 && num)
		igen_batch_put(b, more, num);
}

/**
 * igen_media_object() - MEDIA_OBJECT: start one thread
 * @b: the batch, for the render engine (-EINVAL), set up by igen_media_begin()
 * @o: the thread; -ERANGE or -EINVAL for what it cannot have
 */
static inline void igen_media_object(struct igen_batch *b, const struct igen_media_object *o)
{
	int n;

	if (!igen_media_data(b, o->descriptor, o->num_inline, b->gen < 12 ? 504 : 112, o->indirect,
			     o->indirect_bytes, o->scoreboard))
		return;
#define IGEN_OBJECT(gen, GEN, ...)                                                                      \
	gen##_media_object_pack(b->command, IGEN_BATCH_COMMAND,                                         \
		&(const struct gen##_media_object){ GEN##_MEDIA_OBJECT_INIT,                            \
			.interface_descriptor_offset = o->descriptor,                                   \
			.indirect_data_length = o->indirect_bytes,                                      \
			.indirect_data_start_address = o->indirect, __VA_ARGS__ })
	if (b->gen == 6)
		n = IGEN_OBJECT(gen6, GEN6, .use_scoreboard = o->scoreboard, .scoreboard_x = o->x,
				.scoreboard_y = o->y, .scoreboard_mask = o->mask, .scoreboard_color = o->color);
	else if (b->gen == 7)
		n = IGEN_OBJECT(gen7, GEN7, .use_scoreboard = o->scoreboard, .scoreboard_x = o->x,
				.scoreboard_y = o->y, .scoreboard_mask = o->mask, .scoreboard_color = o->color);
	else if (b->gen == 9)
		n = IGEN_OBJECT(gen9, GEN9, .use_scoreboard = o->scoreboard, .scoreboard_x = o->x,
				.scoredboard_y = o->y, .scoreboard_mask = o->mask, .scoreboard_color = o->color);
	else
		n = IGEN_OBJECT(gen12, GEN12, .x_position = o->x, .y_position = o->y, .block_color = o->color);
#undef IGEN_OBJECT
	igen_batch_commit_with(b, n, o->inline_data, o->num_inline);
}

/**
 * struct igen_media_walk - a grid of threads, row by row
 * @descriptor: which kernel, as for an object
 * @width: threads in a row, 1 to 511, on generations 9 and 12 to 2047
 * @height: rows, 1 to 511, on generations 9 and 12 to 2047
 * @inline_data: dwords that each thread is given
 * @num_inline: how many, 0 to 504, on generation 12 to 97
 * @scoreboard: does each wait? Generations 6 to 9
 * @mask: bits of the scoreboard that they mind
 */
struct igen_media_walk {
	__u32 descriptor, width, height;
	const __u32 *inline_data;
	__u32 num_inline;
	bool scoreboard;
	__u32 mask;
};

/**
 * igen_media_walk() - MEDIA_OBJECT_WALKER: start a thread for each place of a grid
 * @b: the batch, for the render engine (-EINVAL), set up by igen_media_begin()
 * @w: the grid; -ERANGE for what it cannot have
 *
 * The inner local loop goes along a row, the outer one from row to row, and the global loops once: the
 * block is the whole grid (SNB Vol 2 Part 2, 1.4.3.6 and 1.7.9).
 */
static inline void igen_media_walk(struct igen_batch *b, const struct igen_media_walk *w)
{
	__u32 most = b->gen <= 7 ? 511 : 2047;
	int n;

	if (!igen_media_data(b, w->descriptor, w->num_inline, b->gen < 12 ? 504 : 97, 0, 0, w->scoreboard) ||
	    !igen_batch_expect(b, w->width && w->width <= most && w->height && w->height <= most, -ERANGE,
			       "a grid of one to 511 or 2047 threads each way"))
		return;
#define IGEN_WALK(gen, GEN, ...)                                                                        \
	gen##_media_object_walker_pack(b->command, IGEN_BATCH_COMMAND,                                  \
		&(const struct gen##_media_object_walker){ GEN##_MEDIA_OBJECT_WALKER_INIT,              \
			.interface_descriptor_offset = w->descriptor,                                   \
			.local_loop_exec_count = w->height - 1, .block_resolution_x = w->width,         \
			.block_resolution_y = w->height, .local_outer_loop_stride_y = 1,                \
			.local_inner_loop_unit_x = 1, .global_resolution_x = w->width,                  \
			.global_resolution_y = w->height, .global_outer_loop_stride_x = w->width,       \
			.global_inner_loop_unit_y = w->height, ##__VA_ARGS__ })
	if (b->gen == 6)
		n = IGEN_WALK(gen6, GEN6, .use_scoreboard = w->scoreboard, .scoreboard_mask = w->mask,
			      .local_end_x = w->width - 1);
	else if (b->gen == 7)
		n = IGEN_WALK(gen7, GEN7, .use_scoreboard = w->scoreboard, .scoreboard_mask = w->mask);
	else if (b->gen == 9)
		n = IGEN_WALK(gen9, GEN9, .use_scoreboard = w->scoreboard, .scoreboard_mask = w->mask);
	else
		n = IGEN_WALK(gen12, GEN12);
#undef IGEN_WALK
	igen_batch_commit_with(b, n, w->inline_data, w->num_inline);
}

/**
 * struct igen_gpgpu_walk - a grid of thread groups
 * @descriptor: which kernel: 0 to 31 on generation 7, to 63 later
 * @simd: channels a thread has: 8, 16 or 32
 * @threads: in a group, each way; together 1 to 64, to 32 for SIMD32 on generation 7
 * @start: first group each way
 * @groups: end of the groups each way, above @start; not looked at for an indirect walk
 * @right: channels of a row's last thread, as a mask; 0 for all
 * @bottom: channels of the last row's threads, as a mask; 0 for all
 * @predicate: only if the predicate is set
 */
struct igen_gpgpu_walk {
	__u32 descriptor, simd;
	__u32 threads[3], start[3], groups[3];
	__u32 right, bottom;
	bool predicate;
};

/**
 * igen_gpgpu_local_size() - threads for a group of so many work items
 * @w: the walk: its @simd is read, @threads and the masks are set
 * @items: how many, in one row
 *
 * The last thread has the rest of them. A group that is too large is refused by igen_gpgpu_walk().
 */
static inline void igen_gpgpu_local_size(struct igen_gpgpu_walk *w, __u32 items)
{
	__u32 simd = w->simd ? w->simd : 1, rest = items % simd;

	w->threads[0] = items / simd + !!rest;
	w->threads[1] = 1;
	w->threads[2] = 1;
	w->right = rest ? (1u << rest) - 1 : 0;
	w->bottom = 0;
}

static inline bool igen_gpgpu_check(struct igen_batch *b, const struct igen_gpgpu_walk *w, bool indirect)
{
	__u64 threads = (__u64)w->threads[0] * w->threads[1];
	__u32 most = b->gen == 7 && w->simd == 32 ? 32 : 64;
	unsigned int i;

	if (!igen_batch_is_for(b, IGEN_PIPE_ENGINES, 7, "GPGPU work is for the render and compute engines") ||
	    !igen_batch_expect(b, w->simd == 8 || w->simd == 16 || w->simd == 32, -EINVAL, "SIMD8, SIMD16 or SIMD32") ||
	    !igen_batch_expect(b, w->descriptor <= igen_media_last(b), -ERANGE, "no such descriptor") ||
	    !igen_batch_expect(b, w->threads[0] && w->threads[0] <= 64 && w->threads[1] && w->threads[1] <= 64 &&
			       w->threads[2] && threads * w->threads[2] <= most, -ERANGE,
			       "a group has 1 to 64 threads, to 32 of SIMD32 on generation 7"))
		return false;
	for (i = 0; i < 3 && !indirect; i++)
		if (!igen_batch_expect(b, w->groups[i] > w->start[i], -EINVAL,
				       "no groups: the end is not above the start"))
			return false;
	return true;
}

/* The walker itself. */
static inline void igen_gpgpu_emit(struct igen_batch *b, const struct igen_gpgpu_walk *w, bool indirect)
{
	__u32 mask = w->simd == 32 ? ~0u : (1u << w->simd) - 1;

#define IGEN_WALKER                                                                                     \
	.predicate_enable = w->predicate, .indirect_parameter_enable = indirect,                        \
	.interface_descriptor_offset = w->descriptor,                                                   \
	.thread_width_counter_maximum = w->threads[0] - 1,                                              \
	.thread_height_counter_maximum = w->threads[1] - 1,                                             \
	.thread_depth_counter_maximum = w->threads[2] - 1, .simd_size = w->simd / 16,                   \
	.thread_group_id_starting_x = w->start[0], .thread_group_id_starting_y = w->start[1],           \
	.thread_group_id_x_dimension = w->groups[0], .thread_group_id_y_dimension = w->groups[1],       \
	.thread_group_id_z_dimension = w->groups[2],                                                    \
	.right_execution_mask = w->right ? w->right & mask : mask,                                      \
	.bottom_execution_mask = w->bottom ? w->bottom & mask : mask
	if (b->gen == 7)
		igen_batch_emit(b, gen7_gpgpu_walker, IGEN_WALKER, .thread_group_id_starting_z = w->start[2]);
	else
		igen_batch_emit_gen9(b, gpgpu_walker, IGEN_WALKER, .thread_group_id_starting_resume_z = w->start[2]);
#undef IGEN_WALKER
}

/**
 * igen_gpgpu_walk() - GPGPU_WALKER: start a grid of thread groups
 * @b: the batch, for the render or compute engine, generation 7 on, set up by igen_media_begin()
 * @w: the grid; -ERANGE or -EINVAL for what it cannot be
 *
 * MEDIA_STATE_FLUSH follows, as it must before state changes or the engine is preempted.
 */
static inline void igen_gpgpu_walk(struct igen_batch *b, const struct igen_gpgpu_walk *w)
{
	if (!igen_gpgpu_check(b, w, false))
		return;
	igen_gpgpu_emit(b, w, false);
	igen_media_flush(b);
}

/**
 * igen_gpgpu_walk_preemptible() - a grid of thread groups with a place for preemption after it
 * @b: as for igen_gpgpu_walk()
 * @w: the grid
 *
 * Walker, MEDIA_STATE_FLUSH, MI_ARB_CHECK (IVB Vol 2 Part 2, 1.3.5; later generations stop inside as well).
 */
static inline void igen_gpgpu_walk_preemptible(struct igen_batch *b, const struct igen_gpgpu_walk *w)
{
	igen_gpgpu_walk(b, w);
	igen_mi_arb_check(b);
}

/**
 * igen_gpgpu_walk_indirect() - a grid whose size is in memory
 * @b: as for igen_gpgpu_walk()
 * @w: the grid; its @groups are not looked at
 * @groups: groups in x, y and z, as dwords; a multiple of 4 bytes, of 8 if @stride is (-EINVAL)
 * @stride: bytes from one to the next: 4, or 8, which lets the batch end here if one is 0, as the manual has it
 * (-EINVAL for another). With 4 it is the caller that knows there is none on generation 7; later ones then
 * dispatch nothing
 *
 * What wrote them has to be flushed before. IVB Vol 2 Part 2, 1.3.4.
 */
static inline void igen_gpgpu_walk_indirect(struct igen_batch *b, const struct igen_gpgpu_walk *w,
					    struct igen_address groups, __u32 stride)
{
	unsigned int i;

	if (!igen_gpgpu_check(b, w, true) ||
	    !igen_batch_expect(b, stride == 4 || stride == 8, -EINVAL, "dimensions are 4 or 8 bytes apart"))
		return;
	for (i = 0; i < 3 && stride == 8; i++)
		igen_mi_end_unless_greater(b, igen_batch_offset(groups, i * 8), 0);
	for (i = 0; i < 3; i++)
		igen_mi_load_reg_mem(b, IGEN_GPGPU_DIMX + i * 4, igen_batch_offset(groups, i * stride));
	igen_gpgpu_emit(b, w, true);
	igen_media_flush(b);
}

#endif
