/* SPDX-License-Identifier: MIT */
/**
 * DOC: A context whose threads execute a program
 *
 * A test sets the descriptor and MEDIA_VFE_STATE, prepares a context with its program, and adds commands to the batch.
 */
#ifndef IGEN_MODEL_MEDIA_BENCH_H
#define IGEN_MODEL_MEDIA_BENCH_H

#include "engine_bench.h"
#include "gen9_3d.h"
#include "gen9_gfx.h"
#include "gen9_media.h"
#include "gen9_state.h"
#include "igen/regs/workarounds.h"

#define STATE		0x40000u		/* in RAM: all bases but that of indirect data */
#define DESCRIPTORS	0x800u			/* from there */
#define CURBE		0x2000u
#define TABLE		0x1000u
#define SURFACES	0x1100u
#define INDIRECT	0x50000u
#define OUT		0x80000u
#define OUT_BYTES	0x20000u
#define SCRATCH		0xc0000u
#define AREA		0x200000u		/* of a group that is preempted inside */
#define FLAG		(PA_DATA + 0x100)
#define STORE(pa, v)	MI_STORE_DATA_IMM_DW, PPGTT(pa), (v)
#define STALL		PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_SCOREBOARD_STALL, 0, 0, 0, 0
#define INVALIDATE	PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_INSTRUCTION_INVALIDATE, 0, 0, 0, 0
#define THREAD		0
#define GROUP		1
#define MANY		250u			/* groups that do not all run while a test looks */

static const uint32_t base = RCS0_BASE;
static struct gen9_interface_descriptor_data descriptor;
static struct gen9_media_vfe_state vfe;

#define pack(c, name, n, ...) do {					\
		struct gen9_##name v_ = { __VA_ARGS__ };		\
		uint32_t dw_[n] = { 0 };				\
		if (gen9_##name##_pack(dw_, n, &v_) != (n))		\
			exit(2);					\
		batch_emit(c, dw_, n);					\
	} while (0)

static inline void start(const char *more, const char *other)
{
	const char *const set[] = { more ? more : "group_ns=0", other, NULL };

	counters_reset();
	bench_start(set);
	wr(FF_SLICE_CS_CHICKEN1, IGEN_MASKED_ENABLE(FFSC_PERCTX_PREEMPT_CTRL));
	memset(ram + PA_DATA, 0, 4096);
	memset(ram + OUT, 0, OUT_BYTES);
	descriptor = (struct gen9_interface_descriptor_data){
		.binding_table_pointer = TABLE, .number_of_threads_in_gpgpu_thread_group = 1,
	};
	vfe = (struct gen9_media_vfe_state){
		.maximum_number_of_threads = 63, .number_of_urb_entries = 2, .urb_entry_allocation_size = 2,
		.curbe_allocation_size = 64,
	};
}

static inline void surface(void)
{
	struct gen9_render_surface_state s = {
		.surface_type = 4, .surface_format = 0x1ff, .surface_base_address = VA + OUT,
		.width = (OUT_BYTES - 1) & 0x7f, .height = (OUT_BYTES - 1) >> 7,
	};
	uint32_t dw[16] = { 0 };

	gen9_render_surface_state_put(dw, &s);
	memcpy(ram + STATE + SURFACES, dw, sizeof(dw));
	put(STATE + TABLE, SURFACES);
}

/* A context that knows a program, whose constants are n dwords from one on. */
static inline void prepare(struct ctx *a, const uint32_t *program, size_t bytes, uint32_t first)
{
	uint32_t dw[8] = { 0 }, state[9] = { 0 };

	memcpy(ram + STATE, program, bytes);
	gen9_interface_descriptor_data_put(dw, &descriptor);
	memcpy(ram + STATE + DESCRIPTORS, dw, sizeof(dw));
	surface();
	for (uint32_t i = 0; i < 512; i++) {
		put(STATE + CURBE + 4 * i, first + i);
		put(INDIRECT + 4 * i, first + i);
	}
	ctx_init(a, 0, base, CTL_FRESH);
	ring(a, MI_LOAD_REGISTER_IMM(1), CS_CHICKEN1, IGEN_MASKED_FIELD(3 << 1, GROUP << 1), MI_NOOP);
	batch(a, INVALIDATE);
	pack(a, state_base_address, 19, .general_state_base_address_modify_enable = true,
	     .general_state_base_address = VA, .surface_state_base_address_modify_enable = true,
	     .surface_state_base_address = VA + STATE, .dynamic_state_base_address_modify_enable = true,
	     .dynamic_state_base_address = VA + STATE, .indirect_object_base_address_modify_enable = true,
	     .indirect_object_base_address = VA + INDIRECT, .instruction_base_address_modify_enable = true,
	     .instruction_base_address = VA + STATE);
	if (gen9_media_vfe_state_pack(state, 9, &vfe) != 9)
		exit(2);
	batch_emit(a, state, 9);
	pack(a, media_curbe_load, 4, .curbe_total_data_length = 1024, .curbe_data_start_address = CURBE);
	pack(a, media_interface_descriptor_load, 4, .interface_descriptor_total_length = 32,
	     .interface_descriptor_data_start_address = DESCRIPTORS);
}

#define PREPARE(a, program, first)	prepare(a, program, sizeof(program), first)

static inline void walker(struct ctx *a, struct gen9_gpgpu_walker w)
{
	uint32_t dw[15] = { 0 };

	if (gen9_gpgpu_walker_pack(dw, 15, &w) != 15)
		exit(2);
	batch_emit(a, dw, 15);
}

static inline void finish(struct ctx *a)
{
	batch(a, STALL, STORE(FLAG, 1), MI_BATCH_BUFFER_END);
	ring_batch(a, CTX_BATCH, true);
}

static inline bool done(struct ctx *a)
{
	finish(a);
	return run(base, a) && get(FLAG) == 1;
}

static inline struct gen9_gpgpu_walker one(uint32_t x)
{
	return (struct gen9_gpgpu_walker){
		.simd_size = 1, .thread_group_id_x_dimension = x, .thread_group_id_y_dimension = 1,
		.thread_group_id_z_dimension = 1, .right_execution_mask = ~0u, .bottom_execution_mask = ~0u,
	};
}

#endif
