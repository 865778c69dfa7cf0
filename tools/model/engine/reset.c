// SPDX-License-Identifier: MIT
/**
 * DOC: Reset of the GT and TLB invalidation
 *
 * GDRST takes the domains to reset and clears their bits when they are done: before the write
 * returns, or with the setting "latency_us" after that. The same goes for the TLB_INV registers. The engines of
 * the domains stop, and registers that lose their value with a domain take
 * their reset value (public Gen9 PRM Vol 2c, "GDRST"). A TLB_INV register drops all entries of one
 * engine's TLB; the flush control drops every TLB's entries of the GGTT. A reset of the PCI function
 * resets all engines and all registers; a device that is off the bus comes back with it.
 */
#include "engine/engine.h"
#include "regs/regs.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"

static uint32_t gdrst_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	return gpu->gt->gdrst;
}

static void reset_domains(struct gpu *gpu, void *opaque, uint32_t value)
{
	const struct platform *p = gpu->platform;
	uint32_t domains = value;

	(void)opaque;
	if (value & GDRST_FULL) {
		for (unsigned int i = 0; i < p->num_engines; i++)
			domains |= p->engines[i].reset_domain;
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
		gpu->gt->tlb_inv &= ~(1u << e->id);
	}
	mmio_reset_domains(gpu, domains);
	gpu->gt->gdrst &= ~value;
	count("resets", value & GDRST_FULL ? "full" : "domains", 1);
	trace("GDRST %x", value);
}

/* Engines and domains without a power context wake up from RC6. gpu->lock held, no engine is busy. */
static void forget(struct gpu *gpu)
{
	const struct platform *p = gpu->platform;
	uint32_t domains = 0;

	for (unsigned int i = 0; i < p->num_engines; i++) {
		domains |= p->engines[i].reset_domain;
		if (gpu->engine[p->engines[i].id])
			engine_regs_reset(gpu->engine[p->engines[i].id]);
	}
	mmio_reset_domains(gpu, domains);
	count("resets", "rc6", 1);
}

static void gdrst_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	(void)offset;
	gpu->gt->gdrst |= value;
	if (board_has(gpu, BOARD_RESET))
		return;
	event_after_latency(gpu, reset_domains, NULL, value);
}

static uint32_t tlb_inv_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	const struct engine_info *e = opaque;

	(void)offset;
	return gpu->gt->tlb_inv & 1u << e->id ? TLB_INV_REQUEST : 0;
}

static void invalidate(struct gpu *gpu, void *opaque, uint32_t arg)
{
	const struct engine_info *e = opaque;
	struct tlb *tlb = tlb_find(gpu, e->name);

	(void)arg;
	if (tlb)
		tlb_invalidate(tlb, true, true);
	gpu->gt->tlb_inv &= ~(1u << e->id);
}

static void tlb_inv_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	const struct engine_info *e = opaque;

	(void)offset;
	if (!(value & TLB_INV_REQUEST))
		return;
	gpu->gt->tlb_inv |= 1u << e->id;
	if (fault_hits(gpu, FAULT_TLB, e->id, "a TLB_INV register"))
		return;
	event_after_latency(gpu, invalidate, opaque, 0);
}

/* A register of the GAM: the read returns behind all writes of GGTT entries. */
static uint32_t flush_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	atomic_store(&gpu->gtt->unflushed, false);
	return 0;
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
		.read = gdrst_read,
		.write = gdrst_write,
	};
	const struct mmio_block flush = {
		.name = "GFX_FLSH_CNTL",
		.start = GFX_FLSH_CNTL,
		.end = GFX_FLSH_CNTL + 4,
		.read = flush_read,
		.write = flush_write,
	};

	gpu->rc6_forgets = forget;
	mmio_claim(gpu, &gdrst);
	mmio_claim(gpu, &flush);
	for (unsigned int i = 0; i < p->num_engines && p->engines[i].tlb_inv_reg; i++) {
		const struct mmio_block inv = {
			.name = "TLB_INV",
			.start = p->engines[i].tlb_inv_reg,
			.end = p->engines[i].tlb_inv_reg + 4,
			.read = tlb_inv_read,
			.write = tlb_inv_write,
			.opaque = (void *)&p->engines[i],
		};

		mmio_claim(gpu, &inv);
	}
}

/**
 * gpu_off_bus() - the device falls off the bus
 * @gpu: the device, whose lock is held
 *
 * From now on reads give ones, writes are lost, no interrupt is sent, and engines stop at their next
 * command. Only a reset of the platform brings it back.
 */
void gpu_off_bus(struct gpu *gpu)
{
	atomic_store(&gpu->off_bus, true);
	for (unsigned int i = 0; i < NUM_ENGINES; i++)
		if (gpu->engine[i])
			engine_request(gpu->engine[i], ENGINE_PARK, 0);
}

/* Resets all state of the PCI function except configuration space. */
void gpu_reset(struct gpu *gpu)
{
	pthread_mutex_lock(&gpu->lock);
	for (unsigned int i = 0; i < gpu->platform->num_engines; i++)
		if (gpu->engine[gpu->platform->engines[i].id])
			engine_reset(gpu, gpu->platform->engines[i].id);
	events_forget(gpu);
	gpu->gt->gdrst = 0;
	gpu->gt->tlb_inv = 0;
	gpu->gt->pcode_mailbox &= ~PCODE_READY;
	mmio_reset_domains(gpu, ~0u);
	gpu->platform->irq->reset(gpu);
	forcewake_reset(gpu);
	atomic_store(&gpu->off_bus, board_has(gpu, BOARD_CONFIG));
	display_reset(gpu);
	block_fault_reset(gpu);
	gtt_reset(gpu);
	rps_reset(gpu);
	fence_reset(gpu);
	tlb_invalidate_all(gpu, true, true);
	pthread_mutex_unlock(&gpu->lock);
}
