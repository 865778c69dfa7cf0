/* SPDX-License-Identifier: MIT */
/**
 * DOC: A bench for rings without execlists
 *
 * An Ivy Bridge or Sandy Bridge with its engine threads, on a memory file that the GGTT maps one to one. A page
 * directory in the GGTT maps the same memory at VA. Each engine has a ring, which a test fills and sets going. Waits
 * are for a condition, and end with a failure after WAIT_LIMIT_MS.
 */
#ifndef IGEN_MODEL_RING_BENCH_H
#define IGEN_MODEL_RING_BENCH_H

#include "bench.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/irq.h"

#define VA		0x40000000u		/* of RAM's first byte in the PPGTT */

/* Where things are in RAM. */
#define PA_TABLES	0x1000u			/* of the PPGTT: a page for each 4 MB */
#define PA_HWSP		0x10000u		/* a page an engine */
#define PA_DATA		0x20000u		/* what commands read and write */
#define PA_IMAGES	0x40000u		/* of contexts: 0x4000 bytes each */
#define PA_BATCH	0x80000u
#define PA_BATCH2	0x90000u
#define PA_RINGS	0x100000u		/* 0x10000 bytes an engine */

#ifndef RING_PAGES
#define RING_PAGES	2u
#endif
#define DIRECTORY	(64u << 10)		/* its first entry in the GGTT, far from what RAM has */
#define DIRECTORY2	(65u << 10)

/* A ring's number, by the order of the bases. */
static inline uint32_t ring_number(uint32_t base)
{
	return base == RCS0_BASE ? 0 : base == VCS0_BASE ? 1 : 2;
}

static inline uint32_t hwsp(uint32_t base)
{
	return PA_HWSP + ring_number(base) * 4096;
}

static inline uint32_t hwsp_register(uint32_t base)
{
	static const uint32_t gen6[] = { HWS_PGA_RCS, HWS_PGA_VCS_GEN6, HWS_PGA_BCS_GEN6 };
	static const uint32_t gen7[] = { HWS_PGA_RCS, HWS_PGA_VCS, HWS_PGA_BCS };

	return (strcmp(gpu->platform->name, "snb") ? gen7 : gen6)[ring_number(base)];
}

static inline uint32_t ring_pa(uint32_t base)
{
	return PA_RINGS + ring_number(base) * 0x10000;
}

static uint32_t tails[3];

/* Commands into an engine's ring, which does not see them yet. */
static inline void ring_emit(uint32_t base, const uint32_t *dw, unsigned int n)
{
	uint32_t *tail = &tails[ring_number(base)];

	for (unsigned int i = 0; i < n; i++) {
		put(ring_pa(base) + *tail, dw[i]);
		*tail = (*tail + 4) % (RING_PAGES * 4096);
	}
	if (*tail & 4)
		ring_emit(base, (const uint32_t[]){ MI_NOOP }, 1);
}

#define ring(base, ...) ring_emit(base, (const uint32_t[]){ __VA_ARGS__ }, \
				  ARRAY_SIZE(((const uint32_t[]){ __VA_ARGS__ })))

static inline void ring_tail(uint32_t base)
{
	wr(RING_TAIL(base), tails[ring_number(base)]);
}

static inline bool idle(uint32_t base)
{
	return (rd(RING_HEAD(base)) & RING_HEAD_MASK) == rd(RING_TAIL(base)) && rd(RING_MI_MODE(base)) & MI_MODE_IDLE;
}

static inline bool ring_run(uint32_t base)
{
	ring_tail(base);
	return wait_for(idle(base));
}

/* Commands at an address of RAM; gives the address behind them. */
static inline uint32_t put_dwords(uint32_t pa, const uint32_t *dw, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		put(pa + i * 4, dw[i]);
	return pa + n * 4;
}

#define commands(pa, ...) put_dwords(pa, (const uint32_t[]){ __VA_ARGS__ }, \
				     ARRAY_SIZE(((const uint32_t[]){ __VA_ARGS__ })))

/* A ring that begins anew, in the order in which stock i915 does it. */
static inline void ring_setup(uint32_t base)
{
	tails[ring_number(base)] = 0;
	wr(RING_CTL(base), 0);
	wr(RING_HEAD(base), 0);
	wr(RING_TAIL(base), 0);
	wr(hwsp_register(base), hwsp(base));
	wr(RING_START(base), ring_pa(base));
	wr(RING_HEAD(base), 0);
	wr(RING_TAIL(base), 0);
	wr(RING_CTL(base), (RING_PAGES - 1) << 12 | RING_CTL_VALID);
	wr(RING_IMR(base), 0);
}

static inline uint32_t pp_dir(uint32_t entry)
{
	return entry * 4 / 64 << 16;
}

/* A directory that maps RAM at VA, shifted by so many pages of tables. */
static inline void put_directory(uint32_t entry, uint32_t tables)
{
	for (uint32_t i = 0; i < RAM_SIZE >> 22; i++)
		gtt_pte_write(gpu, (entry + (VA >> 22) + i) * 4, 4, (tables + i * 4096) | GEN6_PDE_VALID);
}

static inline void enable_ppgtt(uint32_t base)
{
	wr(RING_PP_DIR_DCLV(base), PP_DIR_DCLV_ALL);
	wr(RING_PP_DIR_BASE(base), pp_dir(DIRECTORY));
	wr(strcmp(gpu->platform->name, "snb") ? RING_MODE(base) : GFX_MODE, IGEN_MASKED_ENABLE(GFX_MODE_PPGTT_ENABLE));
}

static inline void bench_start(const char *const *set)
{
	static const uint32_t bases[] = { RCS0_BASE, VCS0_BASE, BCS0_BASE };

	bench_device(set);
	for (uint32_t i = 0; i < RAM_SIZE / 4096; i++) {
		gtt_pte_write(gpu, i * 4, 4, i << 12 | GEN6_PTE_VALID);
		put(PA_TABLES + i * 4, i << 12 | GEN6_PTE_VALID);
	}
	put_directory(DIRECTORY, PA_TABLES);
	if (engines_start(gpu))
		exit(2);
	/* Writes would fill the FIFO otherwise. */
	if (strcmp(gpu->platform->name, "snb"))
		wr(FORCEWAKE_MT, IGEN_MASKED_ENABLE(1));
	else
		wr(FORCEWAKE, 1);
	wr(GTIMR, 0);
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		enable_ppgtt(bases[i]);
		ring_setup(bases[i]);
	}
}

#endif
