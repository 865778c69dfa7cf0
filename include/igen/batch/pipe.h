/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches: what 3D, media and GPGPU work share
 *
 * PIPE_CONTROL, the choice of the pipeline, and the base addresses of state. Sources: DG1 Vol 2a,
 * PIPE_CONTROL, PIPELINE_SELECT, STATE_BASE_ADDRESS; IVB Vol 2 Part 2, 1.3.1.1; the public IVB and SNB
 * Vol 2 Part 1 for what the older generations forbid.
 */
#ifndef _IGEN_BATCH_PIPE_H_
#define _IGEN_BATCH_PIPE_H_

#include "batch.h"
#include "igen/pack/gen6_gfx.h"
#include "igen/pack/gen7_gfx.h"
#include "igen/pack/gen9_gfx.h"
#include "igen/pack/gen12_gfx.h"

#define IGEN_PIPE_ENGINES	(1u << IGEN_BATCH_RENDER | 1u << IGEN_BATCH_COMPUTE)

/* Flags of igen_pipe_control(). */
#define IGEN_PIPE_CS_STALL	(1u << 0)	/* wait until everything before is done */
#define IGEN_PIPE_PIXEL_STALL	(1u << 1)	/* wait at the pixel scoreboard */
#define IGEN_PIPE_DEPTH_STALL	(1u << 2)
#define IGEN_PIPE_TARGET_FLUSH	(1u << 3)	/* write back render targets */
#define IGEN_PIPE_DEPTH_FLUSH	(1u << 4)
#define IGEN_PIPE_DATA_FLUSH	(1u << 5)	/* write back what kernels stored; generation 7 on */
#define IGEN_PIPE_TEXTURE	(1u << 6)	/* invalidate caches that are read through */
#define IGEN_PIPE_CONSTANT	(1u << 7)
#define IGEN_PIPE_STATE		(1u << 8)
#define IGEN_PIPE_INSTRUCTION	(1u << 9)
#define IGEN_PIPE_VERTEX	(1u << 10)
#define IGEN_PIPE_TLB		(1u << 11)	/* wants the CS stall */
#define IGEN_PIPE_NOTIFY	(1u << 12)	/* raise an interrupt */
#define IGEN_PIPE_TIMESTAMP	(1u << 13)	/* write the timestamp instead of a value */
#define IGEN_PIPE_FLAGS		14

#define IGEN_PIPE_WRITE_BACK	(IGEN_PIPE_TARGET_FLUSH | IGEN_PIPE_DEPTH_FLUSH)
#define IGEN_PIPE_INVALIDATE	(IGEN_PIPE_TEXTURE | IGEN_PIPE_CONSTANT | IGEN_PIPE_STATE | \
				 IGEN_PIPE_INSTRUCTION | IGEN_PIPE_VERTEX)
#define IGEN_PIPE_3D_ONLY	(IGEN_PIPE_PIXEL_STALL | IGEN_PIPE_DEPTH_STALL | IGEN_PIPE_TARGET_FLUSH | \
				 IGEN_PIPE_DEPTH_FLUSH)

/* Can these flags stand together? */
static inline bool igen_pipe_flags(struct igen_batch *b, unsigned int flags, const struct igen_address *to)
{
	if (!igen_batch_expect(b, !(flags >> IGEN_PIPE_FLAGS), -EINVAL, "no such flag of PIPE_CONTROL") ||
	    !igen_batch_expect(b, !(flags & IGEN_PIPE_DATA_FLUSH) || b->gen >= 7, -EOPNOTSUPP,
			       "the data cache begins with generation 7") ||
	    !igen_batch_expect(b, !(flags & IGEN_PIPE_TIMESTAMP) || to, -EINVAL, "a timestamp needs a place") ||
	    !igen_batch_expect(b, !(flags & IGEN_PIPE_TLB) || (flags & IGEN_PIPE_CS_STALL), -EINVAL,
			       "a TLB invalidation needs the CS stall"))
		return false;
	/* DG1 Vol 2a, PIPE_CONTROL, Render Target Cache Flush Enable. */
	if (!igen_batch_expect(b, b->gen < 12 || !(flags & IGEN_PIPE_TARGET_FLUSH) ||
			       !(flags & IGEN_PIPE_DEPTH_STALL), -EINVAL,
			       "render target flush and depth stall exclude each other"))
		return false;
	/* DG1 Vol 2a, PIPE_CONTROL, ComputeCS. */
	return b->engine != IGEN_BATCH_COMPUTE ||
	       (igen_batch_expect(b, flags & IGEN_PIPE_CS_STALL, -EINVAL,
				  "the compute engine always needs the CS stall") &&
		igen_batch_expect(b, !(flags & IGEN_PIPE_3D_ONLY), -EINVAL, "the compute engine has no 3D caches"));
}

/**
 * igen_pipe_control() - PIPE_CONTROL: flush, invalidate, wait, and write when it is done
 * @b: the batch, for the render or the compute engine
 * @flags: IGEN_PIPE_*; -EINVAL for those that exclude each other or need another, -EOPNOTSUPP for the data
 * cache of generation 6
 * @to: where to write; a multiple of 8 bytes (-EINVAL); NULL for no write. On generation 6 the hardware takes
 * it as an address of the global GTT (public SNB Vol 2 Part 1, PIPE_CONTROL), which a process's batch has
 * only where both are the same
 * @value: what, eight bytes
 *
 * On generations 6 and 7 a CS stall that stands alone gets the pixel scoreboard's, which it needs beside it
 * (public IVB Vol 2 Part 1, PIPE_CONTROL, CS Stall). On generation 9 one that invalidates the vertex fetch cache
 * is preceded by an empty one (public SKL Vol 2a, PIPE_CONTROL, VF Cache Invalidation Enable). On generation 12
 * a flush of the data cache is the HDC pipeline's as well.
 */
static inline void igen_pipe_control(struct igen_batch *b, unsigned int flags, const struct igen_address *to,
				     __u64 value)
{
	__u64 address = to ? igen_batch_address(b, *to, 8, 8) : 0;
	unsigned int post_sync = !to ? 0 : flags & IGEN_PIPE_TIMESTAMP ? 3 : 1;

	if (!igen_batch_is_for(b, IGEN_PIPE_ENGINES, 6, "PIPE_CONTROL is for the render and compute engines") ||
	    !igen_pipe_flags(b, flags, to))
		return;
	if (b->gen <= 7 && (flags & IGEN_PIPE_CS_STALL) && !post_sync &&
	    !(flags & (IGEN_PIPE_3D_ONLY | IGEN_PIPE_DATA_FLUSH)))
		flags |= IGEN_PIPE_PIXEL_STALL;
	/* The fields that all generations have under the same names. */
#define IGEN_PIPE_COMMON(...)                                                                           \
	.depth_cache_flush_enable = !!(flags & IGEN_PIPE_DEPTH_FLUSH),                                  \
	.stall_at_pixel_scoreboard = !!(flags & IGEN_PIPE_PIXEL_STALL),                                 \
	.state_cache_invalidation_enable = !!(flags & IGEN_PIPE_STATE),                                 \
	.constant_cache_invalidation_enable = !!(flags & IGEN_PIPE_CONSTANT),                           \
	.vf_cache_invalidation_enable = !!(flags & IGEN_PIPE_VERTEX),                                   \
	.notify_enable = !!(flags & IGEN_PIPE_NOTIFY),                                                  \
	.texture_cache_invalidation_enable = !!(flags & IGEN_PIPE_TEXTURE),                             \
	.instruction_cache_invalidate_enable = !!(flags & IGEN_PIPE_INSTRUCTION),                       \
	.render_target_cache_flush_enable = !!(flags & IGEN_PIPE_TARGET_FLUSH),                         \
	.depth_stall_enable = !!(flags & IGEN_PIPE_DEPTH_STALL), .post_sync_operation = post_sync,      \
	.tlb_invalidate = !!(flags & IGEN_PIPE_TLB),                                                    \
	.command_streamer_stall_enable = !!(flags & IGEN_PIPE_CS_STALL), .address = address,            \
	.immediate_data = post_sync == 1 ? value : 0, ##__VA_ARGS__
	if (b->gen == 6)
		igen_batch_emit(b, gen6_pipe_control, GEN6_PIPE_CONTROL_INIT,
				IGEN_PIPE_COMMON(.destination_address_type = !!to));
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_pipe_control, GEN7_PIPE_CONTROL_INIT,
				IGEN_PIPE_COMMON(.dc_flush_enable = !!(flags & IGEN_PIPE_DATA_FLUSH)));
	else if (b->gen == 9 && (flags & IGEN_PIPE_VERTEX))
		igen_batch_emit(b, gen9_pipe_control, 0);
	if (b->gen == 9)
		igen_batch_emit(b, gen9_pipe_control,
				IGEN_PIPE_COMMON(.dc_flush_enable = !!(flags & IGEN_PIPE_DATA_FLUSH)));
	else if (b->gen == 12)
		igen_batch_emit(b, gen12_pipe_control,
				IGEN_PIPE_COMMON(.dc_flush_enable = !!(flags & IGEN_PIPE_DATA_FLUSH),
						 .hdc_pipeline_flush = !!(flags & IGEN_PIPE_DATA_FLUSH)));
#undef IGEN_PIPE_COMMON
	if (to)
		igen_batch_refer(b, 2, *to, true);
}

/* The flush that stands between one kind of work and another: everything written back, and waited for. */
static inline void igen_pipe_drain(struct igen_batch *b)
{
	unsigned int flags = IGEN_PIPE_CS_STALL;

	if (b->engine != IGEN_BATCH_COMPUTE)
		flags |= IGEN_PIPE_WRITE_BACK;
	if (b->gen >= 7)
		flags |= IGEN_PIPE_DATA_FLUSH;
	igen_pipe_control(b, flags, NULL, 0);
}

enum igen_pipeline {
	IGEN_PIPELINE_3D,
	IGEN_PIPELINE_MEDIA,
	IGEN_PIPELINE_GPGPU		/* generation 7 on */
};

/**
 * igen_pipeline_select() - drain the pipeline and choose one
 * @b: the batch, for the render or the compute engine
 * @pipeline: which; -EOPNOTSUPP for GPGPU on generation 6, -EINVAL for 3D on the compute engine
 *
 * Caches that are read through are invalidated as well, so what the CPU or other engines wrote before the
 * batch is seen (DG1 Vol 2a, PIPELINE_SELECT).
 */
static inline void igen_pipeline_select(struct igen_batch *b, enum igen_pipeline pipeline)
{
	if (!igen_batch_is_for(b, IGEN_PIPE_ENGINES, 6, "pipelines are the render and compute engines'") ||
	    !igen_batch_expect(b, pipeline <= IGEN_PIPELINE_GPGPU, -EINVAL, "no such pipeline") ||
	    !igen_batch_expect(b, pipeline != IGEN_PIPELINE_GPGPU || b->gen >= 7, -EOPNOTSUPP,
			       "GPGPU begins with generation 7") ||
	    !igen_batch_expect(b, pipeline != IGEN_PIPELINE_3D || b->engine != IGEN_BATCH_COMPUTE, -EINVAL,
			       "the compute engine has no 3D pipeline"))
		return;
	igen_pipe_drain(b);
	igen_pipe_control(b, IGEN_PIPE_INVALIDATE | (b->gen >= 12 ? IGEN_PIPE_CS_STALL : 0), NULL, 0);
	/* The two low mask bits are those of the selection (DG1 Vol 2a, PIPELINE_SELECT, Mask Bits). */
	if (b->gen == 6)
		igen_batch_emit(b, gen6_pipeline_select, .pipeline_selection = pipeline);
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_pipeline_select, .pipeline_selection = pipeline);
	else
		igen_batch_emit_gen9(b, pipeline_select, .pipeline_selection = pipeline, .mask_bits = 3);
}

/**
 * struct igen_bases - what offsets in state and commands count from
 * @general: scratch space
 * @surface: binding tables and surface states
 * @dynamic: samplers, viewports, descriptors, CURBE
 * @indirect: indirect data of media objects and walkers
 * @instruction: kernels
 * @mocs: cacheability of all of them, as in the field of the generation's STATE_BASE_ADDRESS
 *
 * Each a multiple of 4096 bytes.
 */
struct igen_bases {
	struct igen_address general, surface, dynamic, indirect, instruction;
	__u32 mocs;
};

/**
 * igen_state_bases() - drain the pipeline and set STATE_BASE_ADDRESS
 * @b: the batch, for the render or the compute engine
 * @bases: the bases; -EINVAL for one that is not aligned, -ERANGE for one that the generation has not
 *
 * Bounds are set to the whole address space. State and instruction caches are invalidated after it, as what
 * they hold is from the old bases (BXT Vol 6; DG1 Vol 2a, STATE_BASE_ADDRESS).
 */
static inline void igen_state_bases(struct igen_batch *b, const struct igen_bases *bases)
{
	__u64 general = igen_batch_address(b, bases->general, 0, 4096);
	__u64 surface = igen_batch_address(b, bases->surface, 0, 4096);
	__u64 dynamic = igen_batch_address(b, bases->dynamic, 0, 4096);
	__u64 indirect = igen_batch_address(b, bases->indirect, 0, 4096);
	__u64 instruction = igen_batch_address(b, bases->instruction, 0, 4096);
	unsigned int step = b->gen <= 7 ? 1 : 2, stall = b->gen >= 12 ? IGEN_PIPE_CS_STALL : 0;

	if (!igen_batch_is_for(b, IGEN_PIPE_ENGINES, 6, "state bases are the render and compute engines'"))
		return;
	igen_pipe_drain(b);
#define IGEN_BASES_COMMON                                                                               \
	.general_state_base_address_modify_enable = true, .surface_state_base_address_modify_enable = true, \
	.surface_state_base_address = surface, .dynamic_state_base_address_modify_enable = true,        \
	.dynamic_state_base_address = dynamic, .indirect_object_base_address_modify_enable = true,      \
	.indirect_object_base_address = indirect, .instruction_base_address_modify_enable = true,       \
	.instruction_base_address = instruction
#define IGEN_BASES_MOCS                                                                                 \
	.general_state_base_address = general, .general_state_mocs = bases->mocs,                       \
	.stateless_data_port_access_mocs = bases->mocs, .surface_state_mocs = bases->mocs,              \
	.dynamic_state_mocs = bases->mocs, .indirect_object_mocs = bases->mocs,                         \
	.instruction_mocs = bases->mocs
#define IGEN_BASES_BOUNDS                                                                               \
	.general_state_access_upper_bound_modify_enable = true,                                         \
	.general_state_access_upper_bound = 0xfffff000, .dynamic_state_access_upper_bound_modify_enable = true, \
	.dynamic_state_access_upper_bound = 0xfffff000, .indirect_object_access_upper_bound_modify_enable = true, \
	.indirect_object_access_upper_bound = 0xfffff000, .instruction_access_upper_bound_modify_enable = true, \
	.instruction_access_upper_bound = 0xfffff000
#define IGEN_BASES_SIZES                                                                                \
	.general_state_buffer_size_modify_enable = true, .general_state_buffer_size = 0xfffff,          \
	.dynamic_state_buffer_size_modify_enable = true, .dynamic_state_buffer_size = 0xfffff,          \
	.indirect_object_buffer_size_modify_enable = true, .indirect_object_buffer_size = 0xfffff,      \
	.instruction_buffer_size_modify_enable = true, .instruction_buffer_size = 0xfffff
	if (b->gen == 6)
		igen_batch_emit(b, gen6_state_base_address, IGEN_BASES_COMMON, IGEN_BASES_MOCS, IGEN_BASES_BOUNDS);
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_state_base_address, IGEN_BASES_COMMON, IGEN_BASES_MOCS, IGEN_BASES_BOUNDS);
	else if (b->gen == 9)
		igen_batch_emit(b, gen9_state_base_address, IGEN_BASES_COMMON, IGEN_BASES_MOCS, IGEN_BASES_SIZES);
	else
		igen_batch_emit(b, gen12_state_base_address, IGEN_BASES_COMMON, IGEN_BASES_SIZES,
				.general_state_base_address = general >> 12,
				.general_state_memory_object_control_state = bases->mocs,
				.stateless_data_port_access_memory_object_control_state = bases->mocs,
				.surface_state_memory_object_control_state = bases->mocs,
				.dynamic_state_memory_object_control_state = bases->mocs,
				.indirect_object_memory_object_control_state = bases->mocs,
				.instruction_memory_object_control_state = bases->mocs);
#undef IGEN_BASES_COMMON
#undef IGEN_BASES_MOCS
#undef IGEN_BASES_BOUNDS
#undef IGEN_BASES_SIZES
	/* The stateless data port's dword lies between the first two from generation 9 on. */
	igen_batch_refer(b, 1, bases->general, true);
	igen_batch_refer(b, b->gen <= 7 ? 2 : 4, bases->surface, false);
	igen_batch_refer(b, b->gen <= 7 ? 3 : 4 + step, bases->dynamic, false);
	igen_batch_refer(b, b->gen <= 7 ? 4 : 4 + 2 * step, bases->indirect, false);
	igen_batch_refer(b, b->gen <= 7 ? 5 : 4 + 3 * step, bases->instruction, false);
	igen_pipe_control(b, IGEN_PIPE_INVALIDATE | stall, NULL, 0);
}

#endif
