// SPDX-License-Identifier: MIT
/* The one piece of the library that needs the batch builders. */
#include "igen/batch/gpgpu.h"
#include "igen/cmd/gfx.h"
#include "igen/regs/workarounds.h"
#include "it.h"

void it_put_program(struct it_bo *bo, unsigned int gen)
{
	/* mov (8) r112.0<1>:ud r0.0<8;8,1>:ud; send (8) null r112, which ends the thread: it is a message with EOT. */
	static const uint32_t gen7[] = {
		0x00600001, 0x2e000021, 0x008d0000, 0x00000000, 0x07600031, 0x20001ca8, 0x00000e00, 0x82000010,
	}, gen9[] = {
		0x00600001, 0x2e000208, 0x008d0000, 0x00000000, 0x07600031, 0x20000204, 0x06000e00, 0x82000010,
	};

	memcpy((char *)bo->map + IT_PROGRAM, gen < 9 ? gen7 : gen9, sizeof(gen9));
}

void it_emit_walker(struct it_batch *b, struct it_bo *state, uint32_t groups, int level)
{
	struct igen_address at = { state->address, 0, state->size, state->handle };
	struct igen_media m = { .pipeline = IGEN_PIPELINE_GPGPU, .bases = { at, at, at, at, at, 0 },
				.vfe = { .threads = 56, .urb_entries = 2, .entry_rows = 2, .curbe_rows = 2 },
				.curbe = 64, .curbe_bytes = 64, .num_descriptors = 1 };
	struct igen_gpgpu_walk walk = { .simd = 8, .groups = { groups, 1, 1 } };
	struct igen_kernel kernel = { .start = IT_PROGRAM, .constants = 1, .threads = 1 };
	struct igen_batch commands, memory;
	int err;

	if (level >= 0)
		it_emit_load_reg(b, CS_CHICKEN1, CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK << 16 | (uint32_t)level);
	igen_batch_init(&memory, 9, IGEN_BATCH_MEMORY, state->map, 4096);
	m.descriptors = igen_media_descriptor(&memory, &kernel);
	it_put_program(state, 9);
	b->state = state;
	igen_batch_init(&commands, 9, IGEN_BATCH_RENDER, b->dw + b->n, b->bo->size - 4ull * b->n);
	igen_media_begin(&commands, &m);
	igen_gpgpu_local_size(&walk, IT_WALKER_CHANNELS);
	igen_gpgpu_walk(&commands, &walk);
	err = memory.error ? memory.error : commands.error;
	it_expect(!err, "the walker can't be built: %s", memory.error ? memory.why : commands.why);
	/* Without the MEDIA_STATE_FLUSH at the end: Gen9 does not need it, and it waits for all groups but one. */
	it_expect(b->dw[b->n + commands.used - 2] == MEDIA_STATE_FLUSH, "the walker has another end");
	b->n += commands.used - 2;
}

void it_emit_drain(struct it_batch *b)
{
	struct igen_batch commands;

	igen_batch_init(&commands, 9, IGEN_BATCH_RENDER, b->dw + b->n, b->bo->size - 4ull * b->n);
	igen_pipe_drain(&commands);
	it_expect(!commands.error, "a stall can't be built: %s", commands.why);
	b->n += commands.used;
}
