// SPDX-License-Identifier: MIT
/**
 * DOC: The platforms' programs, and what the interpreter asks for
 *
 * The interpreter fetches a program through the same view as the messages: a program can be nowhere but in the
 * context's address space. A page that is not there is a page fault, and ends the thread with a fault of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "igen/regs/workarounds.h"
#include "shared/shared.h"

#define VA_BITS(n)	((1ull << (n)) - 1)

/* Codes 1 to 7 are 1 KB to 64 KB. */
static uint32_t slm_by_power(unsigned int code)
{
	if (!code)
		return 0;
	return code < 7 ? 512u << code : SLM_BYTES;
}

/* In units of 4 KB. */
static uint32_t slm_by_pages(unsigned int code)
{
	return code < 16 ? code * 4096 : SLM_BYTES;
}

static uint32_t scratch_by_power(unsigned int code)
{
	return 1024u << (code & 15);
}

static uint32_t scratch_by_kilobyte(unsigned int code)
{
	return ((code & 15) + 1) * 1024;
}

const struct eu_platform eu_platform_gen7 = {
	.isa = &isa_gen7,
	.address_mask = VA_BITS(32),
	.scratch_registers = { 1, 2, 0, 4 },
	.upper_slots = 1,
	.keeps_registers = true,
	.ld_lod = 1,
	.slm_register = L3CNTLREG2_GEN7,
	.slm_enable = L3CNTLREG2_SLM_ENABLE,
	.slm_bytes = slm_by_pages,
	.scratch_bytes = scratch_by_kilobyte,
};

#define GEN9 \
	.isa = &isa_gen9, \
	.address_mask = VA_BITS(48), \
	.scratch_registers = { 1, 2, 4, 8 }, \
	.rows_between_slices = true, \
	.barrier_counts = true, \
	.channel_selects = true, \
	.open_gateways = true, \
	.blend_header = 1, \
	.ld_lod = 2, \
	.upper_slots = 2, \
	.slm_bytes = slm_by_power, \
	.scratch_bytes = scratch_by_power

const struct eu_platform eu_platform_gen9 = {
	GEN9,
	.features = EU_DWORD_MUL,
	.area_subslices = 3,
	.area_eus = 8,
	.area_threads = 7,
};

/*
 * Apollo Lake multiplies dwords, too, where each element has a quadword of its own (BXT Vol 6, "Register Region
 * Restrictions"). What it makes of other regions is not said; compilers for it do not use them. Here they make no
 * difference.
 */
const struct eu_platform eu_platform_gen9_lp = {
	GEN9,
	.features = EU_DWORD_MUL,
	.area_subslices = 3,
	.area_eus = 6,
	.area_threads = 6,
};

/**
 * shared_init - the shared functions of an engine
 * @s: to be filled
 * @gpu: the device
 * @info: the engine, which page faults are of
 * @tlb: the engine's
 * @gen: of the structures in memory
 * @platform: of the programs
 */
void shared_init(struct shared *s, struct gpu *gpu, const struct engine_info *info, struct tlb *tlb, unsigned int gen,
		 const struct eu_platform *platform)
{
	*s = (struct shared){ .gpu = gpu, .info = info, .gen = gen, .platform = platform };
	view_init(&s->view, tlb, MEM_EU);
}

void shared_fini(struct shared *s)
{
	view_fini(&s->view);
	for (unsigned int i = 0; i < SHARED_SURFACES; i++)
		free(s->texture[i]);
}

static size_t fetch(struct eu_thread *thread, uint64_t address, void *to, size_t size)
{
	struct thread_group *group = thread->group;
	struct shared *s = group->shared;
	uint64_t left = VIEW_PAGE - address % VIEW_PAGE;

	if (size > left)
		size = left;
	return shared_read(s, address, to, (unsigned int)size) ? size : 0;
}

static uint64_t timestamp(struct eu_thread *thread)
{
	struct thread_group *group = thread->group;

	return gpu_timestamp(group->shared->gpu);
}

const struct eu_ops shared_ops = {
	.fetch = fetch,
	.message = shared_message,
	.prepare = shared_prepare,
	.timestamp = timestamp,
};
