// SPDX-License-Identifier: MIT
/**
 * DOC: The global GTT
 *
 * The entries are an array of the model's own that the CPU sees in the upper half of BAR 0. A write
 * to an entry changes memory and nothing else: TLBs that hold the old one keep it until they are
 * told to drop it, by GFX_FLSH_CNTL, an engine's TLB_INV register, or a flush command (public Gen9
 * PRM Vol 5, "Memory Views"). Entries are single atomic words: engines walk them while the CPU
 * writes.
 *
 * GAMW_ECO_DEV_RW_IA enables the IPS bit of directory entries, for later page walks (as stock i915
 * programs it on Gen8 and Gen9). Which of its four bits serves which engine is not documented, so
 * the IPS bit counts when all are set.
 *
 * Of the private PAT the snoop bits alone matter, and only on a GPU that shares no cache with the CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "mem/mem.h"
#include "regs/regs.h"
#include "igen/regs/gtt.h"

static uint32_t gamw_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	return atomic_load(&gpu->gtt->gamw_eco);
}

static void gamw_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	(void)offset;
	atomic_store(&gpu->gtt->gamw_eco, value);
}

static uint32_t pat_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	return atomic_load(&gpu->gtt->pat[offset == PRIVATE_PAT_HI]);
}

static void pat_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	atomic_store(&gpu->gtt->pat[offset == PRIVATE_PAT_HI], value);
}

bool gtt_pat_snoops(struct gpu *gpu, unsigned int index)
{
	return !gpu->platform->no_llc || atomic_load(&gpu->gtt->pat[index / 4]) >> index % 4 * 8 & PPAT_SNOOP;
}

void gtt_reset(struct gpu *gpu)
{
	atomic_store(&gpu->gtt->gamw_eco, 0);
	atomic_store(&gpu->gtt->pat[0], 0);
	atomic_store(&gpu->gtt->pat[1], 0);
	atomic_store(&gpu->gtt->tilectl, 0);
	atomic_store(&gpu->gtt->arb_mode, 0);
}

bool gtt_ips_enabled(struct gpu *gpu)
{
	return IGEN_GET(GAMW_ECO_ENABLE_64K_IPS_MASK, atomic_load(&gpu->gtt->gamw_eco)) ==
	       IGEN_GET(GAMW_ECO_ENABLE_64K_IPS_MASK, ~0u);
}

/* The registers that say how Gen8's tables are read. */
void gtt_claim_gen8(struct gpu *gpu)
{
	static const struct mmio_block block = {
		.name = "GAMW_ECO_DEV_RW_IA",
		.start = GAMW_ECO_DEV_RW_IA,
		.end = GAMW_ECO_DEV_RW_IA + 4,
		.read = gamw_read,
		.write = gamw_write,
	};
	static const struct mmio_block pat = {
		.name = "PRIVATE_PAT",
		.start = PRIVATE_PAT_LO,
		.end = PRIVATE_PAT_HI + 4,
		.read = pat_read,
		.write = pat_write,
	};

	mmio_claim(gpu, &block);
	mmio_claim(gpu, &pat);
}

int gtt_init(struct gpu *gpu)
{
	const struct page_tables *tables = gpu->platform->tables;
	struct gtt *gtt = calloc(1, sizeof(*gtt));

	if (!gtt)
		return -1;
	gpu->gtt = gtt;
	pthread_mutex_init(&gtt->aperture_lock, NULL);
	gtt->entries = (gpu->config.ggms_mb << 20) / tables->entry_bytes;
	gtt->pte = calloc(gtt->entries, sizeof(*gtt->pte));
	if (!gtt->pte)
		return -1;
	if (tables->init)
		tables->init(gpu);
	gtt->aperture_count[0] = counter_get("aperture", "reads");
	gtt->aperture_count[1] = counter_get("aperture", "writes");
	gtt->pte_count[0] = counter_get("ggtt_pte", "reads");
	gtt->pte_count[1] = counter_get("ggtt_pte", "writes");
	gtt->aperture = tlb_new(gpu, "aperture");
	if (!gtt->aperture)
		return -1;
	view_init(&gtt->aperture_view, gtt->aperture, MEM_CPU);
	return 0;
}

/* The CPU reads size (1 to 8) bytes of the table; beyond its end there are zeros. */
uint64_t gtt_pte_read(struct gpu *gpu, uint32_t byte, unsigned int size)
{
	unsigned int bytes = gpu->platform->tables->entry_bytes;
	struct gtt *gtt = gpu->gtt;
	uint64_t v = 0;

	atomic_fetch_add_explicit(gtt->pte_count[0], 1, memory_order_relaxed);
	for (unsigned int done = 0; done < size; ) {
		unsigned int at = (byte + done) % bytes;
		unsigned int n = size - done < bytes - at ? size - done : bytes - at;
		uint32_t i = (byte + done) / bytes;
		uint64_t pte = 0;

		if (i < gtt->entries)
			pte = atomic_load_explicit(&gtt->pte[i], memory_order_relaxed);
		pte >>= at * 8;
		if (n < 8)
			pte &= (1ull << (n * 8)) - 1;
		v |= pte << (done * 8);
		done += n;
	}
	return v;
}

/* The CPU writes; a part of an entry leaves the rest as it is. */
void gtt_pte_write(struct gpu *gpu, uint32_t byte, unsigned int size, uint64_t value)
{
	unsigned int bytes = gpu->platform->tables->entry_bytes;
	struct gtt *gtt = gpu->gtt;

	atomic_fetch_add_explicit(gtt->pte_count[1], 1, memory_order_relaxed);
	if (gpu->config.aperture_checks)
		atomic_store(&gtt->unflushed, true);
	if (board_has(gpu, BOARD_GGTT_WRITES))
		return;
	for (unsigned int done = 0; done < size; ) {
		unsigned int at = (byte + done) % bytes;
		unsigned int n = size - done < bytes - at ? size - done : bytes - at;
		uint32_t i = (byte + done) / bytes;
		uint64_t mask = n < 8 ? ((1ull << (n * 8)) - 1) << (at * 8) : ~0ull;
		uint64_t v = (value >> (done * 8)) << (at * 8);

		if (i < gtt->entries) {
			uint64_t old = atomic_load_explicit(&gtt->pte[i], memory_order_relaxed);

			inherit_note_entry(gpu, i, old, (old & ~mask) | (v & mask));
			atomic_store_explicit(&gtt->pte[i], (old & ~mask) | (v & mask),
					      memory_order_release);
		}
		done += n;
	}
}

uint64_t gtt_raw_entry(struct gpu *gpu, uint32_t i)
{
	struct gtt *gtt = gpu->gtt;

	return i < gtt->entries ? atomic_load_explicit(&gtt->pte[i], memory_order_acquire) : 0;
}

uint64_t gtt_entry(struct gpu *gpu, uint64_t addr)
{
	return addr >> 12 <= UINT32_MAX ? gtt_raw_entry(gpu, (uint32_t)(addr >> 12)) : 0;
}

/* An engine writes an entry. */
void gtt_write_entry(struct gpu *gpu, uint32_t i, uint64_t value)
{
	unsigned int bytes = gpu->platform->tables->entry_bytes;

	if (i < gpu->gtt->entries)
		gtt_pte_write(gpu, i * bytes, bytes, value);
}
