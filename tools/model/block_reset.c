// SPDX-License-Identifier: MIT
/**
 * DOC: Reset of the GT and TLB invalidation
 *
 * GDRST takes the domains to reset and clears their bits when they are done, here before the write
 * returns. The engines of the domains stop, and registers that lose their value with a domain take
 * their reset value (public Gen9 PRM Vol 2c, "GDRST"). A TLB_INV register drops all entries of one
 * engine's TLB; the flush control drops every TLB's entries of the GGTT.
 */
#include "core.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"

#define GDRST_ALL_ENGINES (GDRST_RENDER | GDRST_MEDIA | GDRST_BLT | GDRST_VECS | GDRST_MEDIA2)

static uint32_t zero_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)gpu;
	(void)opaque;
	(void)offset;
	return 0;
}

static void gdrst_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	const struct platform *p = gpu->platform;
	uint32_t domains = value;

	(void)opaque;
	(void)offset;
	if (value & GDRST_FULL) {
		domains |= GDRST_ALL_ENGINES;
		fence_reset(gpu);
	}
	for (unsigned int i = 0; i < p->num_engines; i++) {
		const struct engine_info *e = &p->engines[i];

		if (!(domains & e->reset_domain))
			continue;
		if (gpu->engine[e->id])
			engine_reset(gpu, e->id);
		if (tlb_find(gpu, e->name))
			tlb_invalidate(tlb_find(gpu, e->name), true, true);
	}
	mmio_reset_domains(gpu, domains);
	count("resets", value & GDRST_FULL ? "full" : "domains", 1);
	trace("GDRST %x", value);
}

static void tlb_inv_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	const struct engine_info *e = opaque;
	struct tlb *tlb = tlb_find(gpu, e->name);

	(void)offset;
	if ((value & TLB_INV_REQUEST) && tlb)
		tlb_invalidate(tlb, true, true);
}

static void flush_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	(void)offset;
	if (value & GFX_FLSH_CNTL_EN)
		tlb_invalidate_all(gpu, true, false);
}

void block_reset_init(struct gpu *gpu)
{
	const struct platform *p = gpu->platform;
	const struct mmio_block gdrst = {
		.name = "GDRST",
		.start = GDRST,
		.end = GDRST + 4,
		.read = zero_read,
		.write = gdrst_write,
	};
	const struct mmio_block flush = {
		.name = "GFX_FLSH_CNTL",
		.start = GFX_FLSH_CNTL,
		.end = GFX_FLSH_CNTL + 4,
		.read = zero_read,
		.write = flush_write,
	};

	mmio_claim(gpu, &gdrst);
	mmio_claim(gpu, &flush);
	for (unsigned int i = 0; i < p->num_engines; i++) {
		const struct mmio_block inv = {
			.name = "TLB_INV",
			.start = p->engines[i].tlb_inv_reg,
			.end = p->engines[i].tlb_inv_reg + 4,
			.read = zero_read,
			.write = tlb_inv_write,
			.opaque = (void *)&p->engines[i],
		};

		mmio_claim(gpu, &inv);
	}
}
