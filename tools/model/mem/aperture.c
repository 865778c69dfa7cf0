// SPDX-License-Identifier: MIT
/**
 * DOC: The aperture and fence registers
 *
 * The CPU reaches GGTT addresses 0 up to the size of BAR 2 through the aperture's own TLB and a view of it,
 * which the CPU's accesses take turns at. A fence
 * register makes a range of them look linear while the memory is tiled: pitch in 128 bytes, first and last page, X or
 * Y tiling (public Gen9 PRM Vol 2c, "FENCE"; KBL Vol 3, "Register Address Maps"). On Gen6 and Gen7 bit 6 of the
 * address may be swizzled then (gtt_gen6.c). Of the fences the first ones are there, as many as the platform has.
 */
#include <stdlib.h>
#include <string.h>

#include "mem/mem.h"
#include "regs/regs.h"
#include "igen/regs/gtt.h"

static uint32_t fence_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct fence *f = opaque;
	uint32_t i = (offset - FENCE_REG(0)) / 8;
	uint64_t v = atomic_load_explicit(&f->reg[i], memory_order_relaxed);

	(void)gpu;
	return offset & 4 ? (uint32_t)(v >> 32) : (uint32_t)v;
}

static void fence_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct fence *f = opaque;
	uint32_t i = (offset - FENCE_REG(0)) / 8;
	uint64_t v = atomic_load_explicit(&f->reg[i], memory_order_relaxed);

	(void)gpu;
	if (offset & 4)
		v = (v & 0xffffffffull) | (uint64_t)value << 32;
	else
		v = (v & ~0xffffffffull) | value;
	atomic_store_explicit(&f->reg[i], v, memory_order_relaxed);
	if (v & FENCE_VALID)
		atomic_fetch_or_explicit(&f->valid, 1u << i, memory_order_release);
	else
		atomic_fetch_and_explicit(&f->valid, ~(1u << i), memory_order_release);
}

/* A full reset empties them: drivers write them again, as stock i915 does. */
void fence_reset(struct gpu *gpu)
{
	struct fence *f = &gpu->gtt->fence;

	atomic_store_explicit(&f->valid, 0, memory_order_release);
	for (unsigned int i = 0; i < FENCE_REGS; i++)
		atomic_store_explicit(&f->reg[i], 0, memory_order_relaxed);
}

void fence_init(struct gpu *gpu)
{
	const struct mmio_block block = {
		.name = "fence",
		.start = FENCE_REG(0),
		.end = FENCE_REG(gpu->platform->fences),
		.read = fence_read,
		.write = fence_write,
		.opaque = &gpu->gtt->fence,
	};

	mmio_claim(gpu, &block);
}

/* Where the byte that the CPU sees at addr lies in the GGTT. */
static uint64_t detile(struct gpu *gpu, uint64_t addr)
{
	struct fence *f = &gpu->gtt->fence;
	uint32_t valid = atomic_load_explicit(&f->valid, memory_order_acquire);

	while (valid) {
		unsigned int i = (unsigned int)__builtin_ctz(valid);
		uint64_t v = atomic_load_explicit(&f->reg[i], memory_order_relaxed);
		uint64_t start = v & FENCE_START_MASK;
		/* The upper dword has the last page in bits 31:12 and the pitch in 11:0. */
		uint64_t last = (v >> 32) & FENCE_START_MASK;
		uint32_t pitch = (uint32_t)(IGEN_GET(FENCE_PITCH_MASK, v) + 1) * 128;
		enum tiling tiling = v & FENCE_TILE_Y ? TILING_Y : TILING_X;

		valid &= valid - 1;
		if (addr < start || addr >= last + 4096)
			continue;
		addr -= start;
		addr = start + tiled_offset(tiling, (uint32_t)(addr % pitch), (uint32_t)(addr / pitch), pitch);
		return gtt_aperture_swizzles(gpu) ? swizzled(tiling, addr) : addr;
	}
	return addr;
}

static bool aperture_view_read(struct gpu *gpu, uint64_t addr, void *buf, size_t len)
{
	const struct vm_ref ggtt = { .ggtt = true };
	bool ok;

	pthread_mutex_lock(&gpu->gtt->aperture_lock);
	ok = vm_read(&gpu->gtt->aperture_view, &ggtt, addr, buf, len);
	pthread_mutex_unlock(&gpu->gtt->aperture_lock);
	return ok;
}

static bool aperture_view_write(struct gpu *gpu, uint64_t addr, const void *buf, size_t len)
{
	const struct vm_ref ggtt = { .ggtt = true };
	bool ok;

	pthread_mutex_lock(&gpu->gtt->aperture_lock);
	ok = vm_write(&gpu->gtt->aperture_view, &ggtt, addr, buf, len);
	pthread_mutex_unlock(&gpu->gtt->aperture_lock);
	return ok;
}

/* Runs of 16 bytes are contiguous in both tilings. */
static unsigned int run(uint64_t addr, unsigned int len)
{
	unsigned int left = 16 - (addr & 15);

	return len < left ? len : left;
}

/*
 * Apollo Lake behind an IOMMU: an access that waits behind writes of GGTT entries hangs the machine (Linux 6.1, i915's
 * bxt_vtd_ggtt_wa()). So no CPU uses the aperture until a read of a register of the GAM has come back.
 */
static void check_flushed(struct gpu *gpu)
{
	static const char *const what = "aperture-behind-entries: an access behind unflushed writes of GGTT entries";

	if (!gpu->config.aperture_checks || !atomic_load(&gpu->gtt->unflushed))
		return;
	if (!atomic_fetch_add_explicit(counter_get("findings.driver", what), 1, memory_order_relaxed))
		model_log("validator: %s", what);
}

uint64_t aperture_read(struct gpu *gpu, uint64_t offset, unsigned int size)
{
	uint64_t v = 0;

	check_flushed(gpu);
	atomic_fetch_add_explicit(gpu->gtt->aperture_count[0], 1, memory_order_relaxed);
	for (unsigned int done = 0; done < size; ) {
		unsigned int n = run(offset + done, size - done);
		uint64_t part = 0;

		if (!aperture_view_read(gpu, detile(gpu, offset + done), &part, n)) {
			count("aperture", "faults", 1);
			trace("aperture read of 0x%llx faults", (unsigned long long)offset);
			return ~0ull;
		}
		v |= part << (done * 8);
		done += n;
	}
	return v;
}

void aperture_write(struct gpu *gpu, uint64_t offset, unsigned int size, uint64_t value)
{
	check_flushed(gpu);
	atomic_fetch_add_explicit(gpu->gtt->aperture_count[1], 1, memory_order_relaxed);
	for (unsigned int done = 0; done < size; ) {
		unsigned int n = run(offset + done, size - done);
		uint64_t part = value >> (done * 8);

		if (!aperture_view_write(gpu, detile(gpu, offset + done), &part, n)) {
			count("aperture", "faults", 1);
			trace("aperture write of 0x%llx faults", (unsigned long long)offset);
			return;
		}
		done += n;
	}
}
