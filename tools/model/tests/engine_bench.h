/* SPDX-License-Identifier: MIT */
/**
 * DOC: A bench for engines: memory, address spaces, contexts, submission
 *
 * A device with its engine threads, on a memory file that the GGTT maps one to one and the PPGTT at
 * an offset, read-write. A context is an image as a driver would write it, with a ring. Waits are
 * for a condition, and end with a failure after WAIT_LIMIT_MS whatever happens.
 */
#ifndef IGEN_MODEL_ENGINE_BENCH_H
#define IGEN_MODEL_ENGINE_BENCH_H

#include "bench.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "igen/regs/context.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/irq.h"

#define VA		0x40000000ull		/* of RAM's first byte in the PPGTT */

/* Where things are in RAM. */
#define PA_PML4		0x1000u
#define PA_PDPT		0x2000u
#define PA_PD		0x3000u
#define PA_HWSP		0x10000u		/* a page an engine */
#define PA_DATA		0x20000u		/* what commands read and write */
#define PA_CONTEXTS	0x100000u		/* 0x40000 each: image, ring, batch, second batch */
#define CTX_SIZE	0x40000u
#define CTX_RING	0x20000u
#define CTX_BATCH	0x28000u
#define CTX_BATCH2	0x30000u

#define RING_PAGES	2u

struct ctx {
	unsigned int n;
	uint32_t pa;
	uint32_t tail;
	uint64_t desc;
	uint32_t batch_dw;			/* dwords in the batch that is being built */
	uint32_t batch;				/* and its address in RAM */
};

/* In the order of their status pages. */
static const uint32_t engine_bases[] = { RCS0_BASE, BCS0_BASE, VCS0_BASE, VECS0_BASE };

static inline uint64_t get64(uint32_t pa)
{
	return __atomic_load_n((uint64_t *)(ram + pa), __ATOMIC_ACQUIRE);
}

static inline void bench_start(const char *const *set)
{
	uint64_t *table;

	bench_device(set);
	for (uint32_t i = 0; i < RAM_SIZE / 4096; i++)
		gtt_pte_write(gpu, i * 8, 8, (uint64_t)i << 12 | GEN8_PAGE_PRESENT);
	table = (uint64_t *)(ram + PA_PML4);
	table[0] = PA_PDPT | GEN8_PAGE_PRESENT | GEN8_PAGE_RW;
	table = (uint64_t *)(ram + PA_PDPT);
	table[VA >> 30] = PA_PD | GEN8_PAGE_PRESENT | GEN8_PAGE_RW;
	table = (uint64_t *)(ram + PA_PD);
	for (uint32_t i = 0; i < RAM_SIZE >> 21; i++)
		table[i] = (uint64_t)i << 21 | GEN8_PDE_PS_2M | GEN8_PAGE_PRESENT | GEN8_PAGE_RW;
	if (engines_start(gpu))
		exit(2);
	for (size_t i = 0; i < ARRAY_SIZE(engine_bases); i++) {
		wr(RING_HWS_PGA(engine_bases[i]), PA_HWSP + (uint32_t)i * 4096);
		wr(RING_MODE(engine_bases[i]), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
		wr(RING_IMR(engine_bases[i]), 0);
	}
	for (unsigned int i = 0; i < GT_IRQ_GROUPS; i++)
		wr(GT_IMR(i), 0);
}

static inline uint32_t hwsp(uint32_t base)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(engine_bases); i++)
		if (engine_bases[i] == base)
			return PA_HWSP + i * 4096;
	exit(2);
}

static inline uint32_t image_pa(const struct ctx *c, unsigned int dw)
{
	return c->pa + LRC_STATE_OFFSET + dw * 4;
}

static inline void image_list(struct ctx *c, unsigned int dw, unsigned int n)
{
	put(image_pa(c, dw), MI_LOAD_REGISTER_IMM(n) | MI_LRI_FORCE_POSTED);
}

static inline void image_set(struct ctx *c, unsigned int dw, uint32_t reg, uint32_t v)
{
	put(image_pa(c, dw - 1), reg);
	put(image_pa(c, dw), v);
}

/* A fresh context with an empty ring, for the engine at base; n tells contexts apart. */
static inline void ctx_init(struct ctx *c, unsigned int n, uint32_t base, uint32_t ctl)
{
	*c = (struct ctx){ .n = n, .pa = PA_CONTEXTS + n * CTX_SIZE };
	memset(ram + c->pa, 0, CTX_SIZE);
	c->desc = (uint64_t)(0x100 + n) << 32 | c->pa | CTX_DESC_VALID | CTX_DESC_PRIVILEGE |
		  IGEN_PREP(CTX_DESC_ADDRESSING_MASK, CTX_DESC_LEGACY_48B);
	c->batch = c->pa + CTX_BATCH;
	image_list(c, CTX_LRI_HEADER_0, 14);
	image_set(c, CTX_CONTEXT_CONTROL, RING_CTX_CTL(base), ctl);
	image_set(c, CTX_RING_HEAD, RING_HEAD(base), 0);
	image_set(c, CTX_RING_TAIL, RING_TAIL(base), 0);
	image_set(c, CTX_RING_START, RING_START(base), c->pa + CTX_RING);
	image_set(c, CTX_RING_CTL, RING_CTL(base), (RING_PAGES - 1) << 12 | RING_CTL_VALID);
	image_set(c, CTX_BB_HEAD_U, RING_BB_HEAD_U(base), 0);
	image_set(c, CTX_BB_HEAD_L, RING_BB_HEAD_L(base), 0);
	image_set(c, CTX_BB_STATE, RING_BB_STATE(base), 0);
	image_set(c, CTX_SBB_HEAD_U, RING_SBB_HEAD_U(base), 0);
	image_set(c, CTX_SBB_HEAD_L, RING_SBB_HEAD_L(base), 0);
	image_set(c, CTX_SBB_STATE, RING_SBB_STATE(base), 0);
	image_set(c, CTX_BB_PER_CTX_PTR, RING_BB_PER_CTX_PTR(base), 0);
	image_set(c, CTX_INDIRECT_CTX, RING_INDIRECT_CTX(base), 0);
	image_set(c, CTX_INDIRECT_CTX_OFFSET, RING_INDIRECT_CTX_OFFSET(base), 0);
	image_list(c, CTX_LRI_HEADER_1, 9);
	image_set(c, CTX_TIMESTAMP, RING_CTX_TIMESTAMP(base), 0);
	for (unsigned int i = 0; i < 4; i++) {
		image_set(c, CTX_PDP0_LDW - 4 * i, RING_PDP_LDW(base, i), i ? 0 : PA_PML4);
		image_set(c, CTX_PDP0_UDW - 4 * i, RING_PDP_UDW(base, i), 0);
	}
}

/* The context control of a context that was never saved: the engine restores nothing from its image. */
#define CTL_FRESH	(IGEN_MASKED_ENABLE(CTX_CTL_INHIBIT_SYN_CTX_SWITCH) | \
			 IGEN_MASKED_ENABLE(CTX_CTL_RESTORE_INHIBIT))
#define CTL_NORMAL	(IGEN_MASKED_ENABLE(CTX_CTL_INHIBIT_SYN_CTX_SWITCH) | \
			 IGEN_MASKED_DISABLE(CTX_CTL_RESTORE_INHIBIT))

/* Commands into the ring; the tail in the image follows with ctx_tail(). */
static inline void ring_emit(struct ctx *c, const uint32_t *dw, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		put(c->pa + CTX_RING + c->tail, dw[i]);
		c->tail = (c->tail + 4) % (RING_PAGES * 4096);
	}
	if (c->tail & 4)
		ring_emit(c, (const uint32_t[]){ MI_NOOP }, 1);
}

#define ring(c, ...) ring_emit(c, (const uint32_t[]){ __VA_ARGS__ }, \
			       ARRAY_SIZE(((const uint32_t[]){ __VA_ARGS__ })))

static inline void batch_emit(struct ctx *c, const uint32_t *dw, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		put(c->batch + c->batch_dw++ * 4, dw[i]);
}

#define batch(c, ...) batch_emit(c, (const uint32_t[]){ __VA_ARGS__ }, \
				 ARRAY_SIZE(((const uint32_t[]){ __VA_ARGS__ })))

/* Starts a new batch in the context's other memory. */
static inline void batch_at(struct ctx *c, uint32_t where)
{
	c->batch = c->pa + where;
	c->batch_dw = 0;
}

static inline uint32_t va(uint32_t pa)
{
	return (uint32_t)(VA + pa);
}

/* Arguments that are addresses of RAM: low and high dword. */
#define PPGTT(pa)	va(pa), 0
#define GGTT(pa)	(pa), 0

static inline void ring_batch(struct ctx *c, uint32_t where, bool ppgtt)
{
	uint32_t pa = c->pa + where;

	if (ppgtt)
		ring(c, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, PPGTT(pa));
	else
		ring(c, MI_BATCH_BUFFER_START, GGTT(pa));
}

static inline void ctx_tail(struct ctx *c)
{
	put(image_pa(c, CTX_RING_TAIL), c->tail);
}

static inline void elsp(uint32_t base, uint64_t first, uint64_t second)
{
	wr(RING_ELSP(base), (uint32_t)(second >> 32));
	wr(RING_ELSP(base), (uint32_t)second);
	wr(RING_ELSP(base), (uint32_t)(first >> 32));
	wr(RING_ELSP(base), (uint32_t)first);
}

static inline void submit(uint32_t base, struct ctx *c)
{
	ctx_tail(c);
	elsp(base, c->desc, 0);
}

static inline uint32_t csb_pointer(uint32_t base)
{
	return get(hwsp(base) + HWSP_CSB_WRITE_PTR_DW * 4);
}

static inline uint32_t csb_status(uint32_t base, uint32_t i)
{
	return get(hwsp(base) + (HWSP_CSB_DW + 2 * i) * 4);
}

static inline uint32_t csb_id(uint32_t base, uint32_t i)
{
	return get(hwsp(base) + (HWSP_CSB_DW + 2 * i + 1) * 4);
}

static inline bool csb_is(uint32_t base, uint32_t i, uint32_t status, uint32_t id)
{
	return csb_status(base, i) == status && csb_id(base, i) == id;
}

static inline bool idle(uint32_t base)
{
	return rd(RING_MI_MODE(base)) & MI_MODE_IDLE;
}

/* Submits alone and waits for the end. */
static inline bool run(uint32_t base, struct ctx *c)
{
	submit(base, c);
	return wait_for(idle(base));
}

static inline uint32_t id(const struct ctx *c)
{
	return (uint32_t)(c->desc >> 32);
}

/* Resets the render engine, which takes lists again behind it; false: it did not get ready. */
static inline bool render_resets(void)
{
	bool ready;

	wr(RING_RESET_CTL(RCS0_BASE), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	ready = wait_for(rd(RING_RESET_CTL(RCS0_BASE)) & RESET_CTL_READY_TO_RESET);
	wr(GDRST, GDRST_RENDER);
	wr(RING_RESET_CTL(RCS0_BASE), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
	wr(RING_MODE(RCS0_BASE), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	wr(RING_HWS_PGA(RCS0_BASE), hwsp(RCS0_BASE));
	return ready;
}

#endif
