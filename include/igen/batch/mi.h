/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches: memory interface commands
 *
 * What every command streamer does by itself: stores, register loads and stores, waits, flow of control.
 * All addresses are of the process's own address space; there is no way here to the global GTT.
 * Sources: DG1 Vol 2a, the chapters of the commands' names, for the fields that the generations share;
 * the command database names the source of each layout.
 */
#ifndef _IGEN_BATCH_MI_H_
#define _IGEN_BATCH_MI_H_

#include "batch.h"

#define IGEN_MI_ENGINES		((1u << IGEN_BATCH_MEMORY) - 1)

/* Is that a register which a batch's commands may name at all? */
static inline bool igen_mi_register(struct igen_batch *b, __u32 reg)
{
	if (!igen_batch_expect(b, !(reg & 3), -EINVAL, "a register's offset is a multiple of four"))
		return false;
	/* DG1 Vol 2a, MI_LOAD_REGISTER_IMM: not 8800h to 88FFh; the field ends at bit 22. */
	return igen_batch_expect(b, reg < (b->gen <= 9 ? 0xc0000u : 1u << 23) && !(reg >= 0x8800 && reg <= 0x88ff),
				 -ERANGE, "no register for a command streamer");
}

/**
 * igen_mi_noop() - MI_NOOP
 * @b: the batch
 * @n: how many
 */
static inline void igen_mi_noop(struct igen_batch *b, unsigned int n)
{
	static const __u32 zero[16];

	for (; n && b->used < 0x3fffffff - 16; n -= n < 16 ? n : 16)
		igen_batch_put(b, zero, n < 16 ? n : 16);
}

/**
 * igen_mi_store_dword() - MI_STORE_DATA_IMM
 * @b: the batch
 * @to: where; a multiple of 4 bytes (-EINVAL)
 * @value: what
 */
static inline void igen_mi_store_dword(struct igen_batch *b, struct igen_address to, __u32 value)
{
	__u64 address = igen_batch_address(b, to, 4, 4);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 6, "commands are for an engine"))
		return;
	if (b->gen == 12)
		igen_batch_emit(b, gen12_mi_store_data_imm, GEN12_MI_STORE_DATA_IMM_INIT, .address = address,
				.data_dword_0 = value);
	else if (b->gen == 9)
		igen_batch_emit(b, gen9_mi_store_data_imm, GEN9_MI_STORE_DATA_IMM_INIT, .address = address,
				.immediate_data = value);
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_mi_store_data_imm, GEN7_MI_STORE_DATA_IMM_INIT, .address = address,
				.immediate_data = value);
	else
		igen_batch_emit(b, gen6_mi_store_data_imm, GEN6_MI_STORE_DATA_IMM_INIT, .address = address,
				.immediate_data = value);
	igen_batch_refer(b, b->gen <= 7 ? 2 : 1, to, true);
}

/**
 * igen_mi_store_qword() - MI_STORE_DATA_IMM of eight bytes
 * @b: the batch
 * @to: where; a multiple of 8 bytes (-EINVAL)
 * @value: what
 */
static inline void igen_mi_store_qword(struct igen_batch *b, struct igen_address to, __u64 value)
{
	__u64 address = igen_batch_address(b, to, 8, 8);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 6, "commands are for an engine"))
		return;
	if (b->gen == 12)
		igen_batch_emit(b, gen12_mi_store_data_imm, .dword_length = 3, .store_qword = true,
				.address = address, .data_dword_0 = (__u32)value, .data_dword_1 = value >> 32);
	else if (b->gen == 9)
		igen_batch_emit(b, gen9_mi_store_data_imm, .dword_length = 3, .store_qword = true,
				.address = address, .immediate_data = value);
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_mi_store_data_imm, .dword_length = 3, .address = address,
				.immediate_data = value);
	else
		igen_batch_emit(b, gen6_mi_store_data_imm, .dword_length = 3, .address = address,
				.immediate_data = value);
	igen_batch_refer(b, b->gen <= 7 ? 2 : 1, to, true);
}

/**
 * igen_mi_load_reg() - MI_LOAD_REGISTER_IMM
 * @b: the batch
 * @reg: offset of the register, a multiple of 4 (-EINVAL), one that a command streamer reaches (-ERANGE)
 * @value: what. Whether a process's batch may write it is the driver's and the hardware's to say
 */
static inline void igen_mi_load_reg(struct igen_batch *b, __u32 reg, __u32 value)
{
	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 6, "commands are for an engine") || !igen_mi_register(b, reg))
		return;
	if (b->gen == 12)
		igen_batch_emit(b, gen12_mi_load_register_imm, GEN12_MI_LOAD_REGISTER_IMM_INIT,
				.register_offset = reg, .data_dword = value);
	else if (b->gen == 9)
		igen_batch_emit(b, gen9_mi_load_register_imm, GEN9_MI_LOAD_REGISTER_IMM_INIT,
				.register_offset = reg, .data_dword = value);
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_mi_load_register_imm, GEN7_MI_LOAD_REGISTER_IMM_INIT,
				.register_offset = reg, .data_dword = value);
	else
		igen_batch_emit(b, gen6_mi_load_register_imm, GEN6_MI_LOAD_REGISTER_IMM_INIT,
				.register_offset = reg, .data_dword = value);
}

/**
 * igen_mi_store_reg() - MI_STORE_REGISTER_MEM
 * @b: the batch
 * @to: where; a multiple of 4 bytes (-EINVAL)
 * @reg: offset of the register, as for igen_mi_load_reg()
 */
static inline void igen_mi_store_reg(struct igen_batch *b, struct igen_address to, __u32 reg)
{
	__u64 address = igen_batch_address(b, to, 4, 4);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 6, "commands are for an engine") || !igen_mi_register(b, reg))
		return;
	igen_batch_emit_gen6(b, mi_store_register_mem, .register_address = reg, .memory_address = address);
	igen_batch_refer(b, 2, to, true);
}

/**
 * igen_mi_load_reg_mem() - MI_LOAD_REGISTER_MEM
 * @b: the batch, from generation 7 on
 * @reg: offset of the register, as for igen_mi_load_reg()
 * @from: where the value is; a multiple of 4 bytes (-EINVAL)
 */
static inline void igen_mi_load_reg_mem(struct igen_batch *b, __u32 reg, struct igen_address from)
{
	__u64 address = igen_batch_address(b, from, 4, 4);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 7, "commands are for an engine") || !igen_mi_register(b, reg))
		return;
	igen_batch_emit_gen7(b, mi_load_register_mem, .register_address = reg, .memory_address = address);
	igen_batch_refer(b, 2, from, false);
}

/**
 * igen_mi_copy_reg() - MI_LOAD_REGISTER_REG
 * @b: the batch, from generation 9 on
 * @to: offset of a register, as for igen_mi_load_reg()
 * @from: another
 */
static inline void igen_mi_copy_reg(struct igen_batch *b, __u32 to, __u32 from)
{
	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 9, "commands are for an engine") || !igen_mi_register(b, to) ||
	    !igen_mi_register(b, from))
		return;
	igen_batch_emit_gen9(b, mi_load_register_reg, .source_register_address = from,
			     .destination_register_address = to);
}

/**
 * igen_mi_copy_dword() - MI_COPY_MEM_MEM
 * @b: the batch, from generation 9 on; not for the compute engine (-EOPNOTSUPP)
 * @to: where; a multiple of 4 bytes (-EINVAL)
 * @from: the same
 */
static inline void igen_mi_copy_dword(struct igen_batch *b, struct igen_address to, struct igen_address from)
{
	__u64 dst = igen_batch_address(b, to, 4, 4), src = igen_batch_address(b, from, 4, 4);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 9, "commands are for an engine") ||
	    !igen_batch_expect(b, b->engine != IGEN_BATCH_COMPUTE, -EOPNOTSUPP,
			       "the compute engine has no MI_COPY_MEM_MEM"))
		return;
	if (b->gen == 9)
		igen_batch_emit(b, gen9_mi_copy_mem_mem, .destination_memory_address = dst,
				.source_memory_address = src);
	else if (b->engine == IGEN_BATCH_COPY)
		igen_batch_emit(b, gen12_mi_copy_mem_mem_bcs, .destination_memory_address = dst,
				.source_memory_address = src);
	else
		igen_batch_emit(b, gen12_mi_copy_mem_mem_rcs, .destination_memory_address = dst,
				.source_memory_address = src);
	igen_batch_refer(b, 1, to, true);
	igen_batch_refer(b, 3, from, false);
}

/* How a value in memory is compared with one in the command: the wait is over when it holds. */
enum igen_mi_compare {
	IGEN_MI_GREATER,
	IGEN_MI_GREATER_OR_EQUAL,
	IGEN_MI_LESS,
	IGEN_MI_LESS_OR_EQUAL,
	IGEN_MI_EQUAL,
	IGEN_MI_NOT_EQUAL
};

/**
 * igen_mi_semaphore_wait() - MI_SEMAPHORE_WAIT, polling
 * @b: the batch, from generation 9 on
 * @at: dword that is looked at; a multiple of 4 bytes (-EINVAL)
 * @compare: memory's value, compare, @value
 * @value: what with
 */
static inline void igen_mi_semaphore_wait(struct igen_batch *b, struct igen_address at, enum igen_mi_compare compare,
					  __u32 value)
{
	__u64 address = igen_batch_address(b, at, 4, 4);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 9, "commands are for an engine") ||
	    !igen_batch_expect(b, compare <= IGEN_MI_NOT_EQUAL, -EINVAL, "no such comparison"))
		return;
	igen_batch_emit_gen9(b, mi_semaphore_wait, .compare_operation = compare, .wait_mode = 1,
			     .semaphore_data_dword = value, .semaphore_address = address);
	igen_batch_refer(b, 2, at, false);
}

/* Operations of MI_ATOMIC (public Gen9 PRM Vol 2d, MI_ATOMIC: the list is not in DG1 Vol 2a). */
enum igen_mi_atomic {
	IGEN_MI_AND = 1,
	IGEN_MI_OR,
	IGEN_MI_XOR,
	IGEN_MI_MOVE,
	IGEN_MI_INC,
	IGEN_MI_DEC,
	IGEN_MI_ADD,
	IGEN_MI_SUB,
	IGEN_MI_RSUB,
	IGEN_MI_IMAX,
	IGEN_MI_IMIN,
	IGEN_MI_UMAX,
	IGEN_MI_UMIN,
	IGEN_MI_CMP_WR,			/* writes the second operand if the first is there */
	IGEN_MI_PREDEC
};

/**
 * igen_mi_atomic() - MI_ATOMIC with its operands in the command
 * @b: the batch, from generation 9 on
 * @at: dword or qword; a multiple of its size (-EINVAL)
 * @op: what to do
 * @bytes: 4 or 8 (-EINVAL)
 * @operand1: first operand
 * @operand2: second, of IGEN_MI_CMP_WR
 */
static inline void igen_mi_atomic(struct igen_batch *b, struct igen_address at, enum igen_mi_atomic op,
				  unsigned int bytes, __u64 operand1, __u64 operand2)
{
	__u64 address;

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 9, "commands are for an engine") ||
	    !igen_batch_expect(b, bytes == 4 || bytes == 8, -EINVAL, "atomics have 4 or 8 bytes") ||
	    !igen_batch_expect(b, op >= IGEN_MI_AND && op <= IGEN_MI_PREDEC, -EINVAL, "no such atomic operation"))
		return;
	address = igen_batch_address(b, at, bytes, bytes);
	igen_batch_emit_gen9(b, mi_atomic, .dword_length = 9, .atomic_opcode = op + (bytes == 8 ? 0x20 : 0),
			     .inline_data = 1, .data_size = bytes == 8, .memory_address = address,
			     .operand1_data_dword_0 = (__u32)operand1,
			     .operand1_data_dword_1 = bytes == 8 ? operand1 >> 32 : 0,
			     .operand2_data_dword_0 = (__u32)operand2,
			     .operand2_data_dword_1 = bytes == 8 ? operand2 >> 32 : 0);
	igen_batch_refer(b, 1, at, true);
}

/**
 * igen_mi_arb_check() - MI_ARB_CHECK: a place where the engine may be preempted
 * @b: the batch
 */
static inline void igen_mi_arb_check(struct igen_batch *b)
{
	if (igen_batch_is_for(b, IGEN_MI_ENGINES, 6, "commands are for an engine"))
		igen_batch_emit_gen6(b, mi_arb_check, 0);
}

/**
 * igen_mi_chain() - MI_BATCH_BUFFER_START: go on in another batch
 * @b: the batch; nothing after this is executed, and it needs no igen_batch_end()
 * @to: the other batch; a multiple of 4 bytes (-EINVAL)
 */
static inline void igen_mi_chain(struct igen_batch *b, struct igen_address to)
{
	__u64 address = igen_batch_address(b, to, 4, 4);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 6, "commands are for an engine"))
		return;
	igen_batch_emit_gen6(b, mi_batch_buffer_start, .address_space_indicator = 1,
			     .batch_buffer_start_address = address);
	igen_batch_refer(b, 1, to, false);
}

/**
 * igen_mi_call() - MI_BATCH_BUFFER_START, second level: run another batch and come back
 * @b: the batch, from generation 9 on; not itself one that was called
 * @to: the other batch, which ends with igen_batch_end(); a multiple of 4 bytes (-EINVAL)
 */
static inline void igen_mi_call(struct igen_batch *b, struct igen_address to)
{
	__u64 address = igen_batch_address(b, to, 4, 4);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 9, "commands are for an engine"))
		return;
	igen_batch_emit_gen9(b, mi_batch_buffer_start, .address_space_indicator = 1, .second_level_batch_buffer = 1,
			     .batch_buffer_start_address = address);
	igen_batch_refer(b, 1, to, false);
}

/**
 * igen_mi_end_unless_greater() - MI_CONDITIONAL_BATCH_BUFFER_END
 * @b: the batch
 * @at: dword that is looked at; a multiple of 8 bytes (-EINVAL)
 * @value: the batch goes on while memory's value is greater than this, and ends here if not
 */
static inline void igen_mi_end_unless_greater(struct igen_batch *b, struct igen_address at, __u32 value)
{
	__u64 address = igen_batch_address(b, at, 4, 8);

	if (!igen_batch_is_for(b, IGEN_MI_ENGINES, 6, "commands are for an engine"))
		return;
	if (b->gen == 6)
		igen_batch_emit(b, gen6_mi_conditional_batch_buffer_end, .dword_length = 1, .compare_semaphore = 1,
				.compare_data_dword = value, .compare_address = address);
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_mi_conditional_batch_buffer_end, .dword_length = 1, .compare_semaphore = 1,
				.compare_data_dword = value, .compare_address = address);
	else
		igen_batch_emit_gen9(b, mi_conditional_batch_buffer_end, .compare_semaphore = 1,
				     .compare_data_dword = value, .compare_address = address);
	igen_batch_refer(b, 2, at, false);
}

/* Flags of igen_mi_flush(). */
#define IGEN_FLUSH_TLB		(1u << 0)	/* invalidate the TLB; wants a write */
#define IGEN_FLUSH_NOTIFY	(1u << 1)	/* raise an interrupt */
#define IGEN_FLUSH_VIDEO	(1u << 2)	/* video engines: invalidate the pipeline's cache */

/**
 * igen_mi_flush() - MI_FLUSH_DW, for the engines other than render and compute
 * @b: the batch
 * @flags: IGEN_FLUSH_*; -EINVAL for those that need what is missing
 * @to: where to write @value when the flush is done, a multiple of 8 bytes (-EINVAL); NULL for no write.
 * On generation 12 bit 5 of the address is clear (-EINVAL; DG1 Vol 2a, MI_FLUSH_DW, Address)
 * @value: eight bytes
 *
 * The engine has written everything before when it goes on (DG1 Vol 2a, MI_FLUSH_DW).
 */
static inline void igen_mi_flush(struct igen_batch *b, unsigned int flags, const struct igen_address *to, __u64 value)
{
	const unsigned int engines = 1u << IGEN_BATCH_COPY | 1u << IGEN_BATCH_VIDEO | 1u << IGEN_BATCH_VIDEO_ENHANCE;
	bool tlb = flags & IGEN_FLUSH_TLB, notify = flags & IGEN_FLUSH_NOTIFY, video = flags & IGEN_FLUSH_VIDEO;
	__u64 address = to ? igen_batch_address(b, *to, 8, 8) : 0;

	if (!igen_batch_is_for(b, engines, 6, "MI_FLUSH_DW is not for this engine: see igen_pipe_control()") ||
	    !igen_batch_expect(b, flags < 8, -EINVAL, "no such flag of a flush") ||
	    !igen_batch_expect(b, to || (!tlb && !value), -EINVAL, "a TLB invalidation needs a write beside it") ||
	    !igen_batch_expect(b, !video || b->engine == IGEN_BATCH_VIDEO, -EINVAL,
			       "only a video engine has that cache") ||
	    !igen_batch_expect(b, b->gen < 12 || !(address & 32), -EINVAL, "bit 5 of a flush's address must be clear"))
		return;
	if (b->gen == 6)
		igen_batch_emit(b, gen6_mi_flush_dw, GEN6_MI_FLUSH_DW_INIT,
				.video_pipeline_cache_invalidate = video, .notify_enable = notify,
				.tlb_invalidate = tlb, .post_sync_operation = to ? 1 : 0, .address = address,
				.immediate_data = { (__u32)value, value >> 32 });
	else if (b->gen == 7)
		igen_batch_emit(b, gen7_mi_flush_dw, GEN7_MI_FLUSH_DW_INIT,
				.video_pipeline_cache_invalidate = video, .notify_enable = notify,
				.tlb_invalidate = tlb, .post_sync_operation = to ? 1 : 0, .address = address,
				.immediate_data = { (__u32)value, value >> 32 });
	else if (b->gen == 9)
		igen_batch_emit(b, gen9_mi_flush_dw, GEN9_MI_FLUSH_DW_INIT,
				.video_pipeline_cache_invalidate = video, .notify_enable = notify,
				.tlb_invalidate = tlb, .post_sync_operation = to ? 1 : 0, .address = address,
				.immediate_data = value);
	else if (b->engine == IGEN_BATCH_COPY)
		igen_batch_emit(b, gen12_mi_flush_dw_bcs, GEN12_MI_FLUSH_DW_BCS_INIT,
				.notify_enable = notify, .tlb_invalidate = tlb,
				.post_sync_operation = to ? 1 : 0, .destination_address = address,
				.immediate_data = value);
	else if (b->engine == IGEN_BATCH_VIDEO)
		igen_batch_emit(b, gen12_mi_flush_dw_vcs, GEN12_MI_FLUSH_DW_VCS_INIT,
				.video_pipeline_cache_invalidate = video,
				.notify_enable = notify, .tlb_invalidate = tlb, .post_sync_operation = to ? 1 : 0,
				.address = address, .immediate_data = value);
	else
		igen_batch_emit(b, gen12_mi_flush_dw_vecs, GEN12_MI_FLUSH_DW_VECS_INIT,
				.notify_enable = notify, .tlb_invalidate = tlb,
				.post_sync_operation = to ? 1 : 0, .address = address, .immediate_data = value);
	if (to)
		igen_batch_refer(b, 1, *to, true);
}

#endif
