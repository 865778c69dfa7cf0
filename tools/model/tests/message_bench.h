/* SPDX-License-Identifier: MIT */
/**
 * DOC: Messages of programs without the program
 *
 * A test fills surfaces and payload, and sends; the response is in an array.
 */
#ifndef IGEN_MODEL_MESSAGE_BENCH_H
#define IGEN_MODEL_MESSAGE_BENCH_H

#include "engine_bench.h"
#include "gen7_state.h"
#include "gen9_state.h"
#include "shared/shared.h"

/* In RAM, from the surface state base. */
#define STATE		0x40000u
#define TABLE		0x100u
#define STATES		0x200u
#define BUFFER		0x80000u
#define LEN		0x1000u

#define DC0	10
#define DC1	12
#define DESC(mlen, rlen, header, control)	((mlen) << 25 | (rlen) << 20 | (header) << 19 | (control))

/* In a test that wraps vm_read() when it is linked: the model's. */
bool __real_vm_read(struct view *v, const struct vm_ref *vm, uint64_t addr, void *buf, size_t len);

static struct shared shared;
static struct thread_group group;
static struct eu_thread threads[4];
static uint8_t slm[SLM_BYTES];
static uint32_t payload[8 * 32], second[8 * 32], response[8 * 16];
static uint32_t exec_mask;
static unsigned int exec_size, channel_offset, second_length;

static inline void bases(uint64_t base)
{
	shared.bases = (struct shared_bases){ base, base + STATE, base, base, base, base + STATE };
}

static inline void begin(const char *platform)
{
	const char *const set[] = { platform, NULL };
	struct engine *e;

	counters_reset();
	bench_start(set);
	/* Ivy Bridge's entries of the GGTT have four bytes. */
	for (uint32_t i = 0; i < RAM_SIZE / 4096 && !gpu->engine[RCS0]->submission->lists; i++)
		gtt_pte_write(gpu, i * 4, 4, i << 12 | GEN8_PAGE_PRESENT);
	e = gpu->engine[RCS0];
	shared_init(&shared, gpu, e->info, e->tlb, e->gen, gpu->platform->eu);
	/* Rings have their batches in the GGTT here, which maps RAM at its own addresses. */
	shared.vm = (struct vm_ref){ .ggtt = !e->submission->lists, .pml4 = PA_PML4 };
	bases(shared.vm.ggtt ? 0 : VA);
	group = (struct thread_group){
		.shared = &shared, .thread = threads, .num_threads = 4, .binding_table = TABLE, .slm_bytes = 4096,
		.slm = slm,
	};
	memset(slm, 0, sizeof(slm));
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		threads[i] = (struct eu_thread){ .group = &group };
	for (uint32_t i = 0; i < LEN / 4; i++)
		put(BUFFER + 4 * i, 0x1000000 + i);
}

static inline void end(void)
{
	shared_fini(&shared);
	bench_stop();
}

/* The surface's state, whose dwords are the generation's. */
static inline void surface(unsigned int bti, const uint32_t *dw)
{
	put(STATE + TABLE + 4 * bti, STATES + 64 * bti);
	for (unsigned int i = 0; i < 16; i++)
		put(STATE + STATES + 64 * bti + 4 * i, dw[i]);
	shared_forget_surfaces(&shared);
}

static inline void buffer(unsigned int bti, uint32_t bytes)
{
	struct gen9_render_surface_state s = {
		.surface_type = 4, .surface_format = 0x1ff, .surface_base_address = VA + BUFFER,
		.width = (bytes - 1) & 0x7f, .height = (bytes - 1) >> 7 & 0x3fff, .depth = (bytes - 1) >> 21,
	};
	uint32_t dw[16] = { 0 };

	gen9_render_surface_state_put(dw, &s);
	surface(bti, dw);
}

static inline void picture(unsigned int bti, struct gen9_render_surface_state s)
{
	uint32_t dw[16] = { 0 };

	gen9_render_surface_state_put(dw, &s);
	surface(bti, dw);
}

/* A fresh message of a number of channels, all on. */
static inline void fresh(unsigned int size)
{
	memset(payload, 0, sizeof(payload));
	memset(second, 0, sizeof(second));
	memset(response, 0xee, sizeof(response));
	exec_size = size;
	exec_mask = size == 32 ? ~0u : (1u << size) - 1;
	channel_offset = 0;
	second_length = 0;
	threads[0].fault = NULL;
}

static inline enum eu_reply sends(struct eu_thread *t, unsigned int target, uint32_t desc)
{
	struct isa_inst inst = { .op = ISA_OP_SEND, .target = (uint8_t)target, .desc = desc };
	const struct isa_gen *isa = gpu->platform->eu->isa;
	struct eu_message m = {
		.isa = isa, .inst = &inst, .info = isa_message(isa, &inst), .desc = desc, .target = (uint8_t)target,
		.header = desc >> 19 & 1, .exec_size = (uint8_t)exec_size, .exec_mask = exec_mask,
		.channel_offset = (uint8_t)channel_offset,
		.payload = { (uint8_t *)payload, (uint8_t *)second }, .length = { desc >> 25 & 15,
		(uint8_t)second_length },
		.response = desc >> 20 & 31 ? (uint8_t *)response : NULL, .response_length = desc >> 20 & 31,
	};

	return shared_message(t, &m);
}

static inline enum eu_reply send(unsigned int target, uint32_t desc)
{
	return sends(&threads[0], target, desc);
}

static inline bool is_bad(unsigned int target, uint32_t desc, const char *why)
{
	return send(target, desc) == EU_BAD && threads[0].fault && strstr(threads[0].fault, why);
}

static inline bool fresh_response(unsigned int first, unsigned int n)
{
	for (unsigned int i = first; i < first + n; i++)
		if (response[i] != 0xeeeeeeee)
			return false;
	return true;
}

#endif
