// SPDX-License-Identifier: MIT
/**
 * DOC: The global GTT
 *
 * It belongs to the driver's part: context images, rings and status pages are in it, and on Gen6 and Gen7 the
 * directories of the address spaces and the copies of batches. On Gen6 the objects that batches store to are in it, too
 * (parser.c). The entries are kept here as well, since a device that begins anew after a fork needs them.
 */
#include <errno.h>
#include <stdlib.h>

#include "gpu.h"
#include "igen/regs/pte.h"
#include "mem/mem.h"

static uint64_t *shadow;		/* of the entries */
static struct ranges space;
static struct gpu *device;

static void entry_write(uint64_t i, uint64_t v)
{
	unsigned int bytes = device->platform->tables->entry_bytes;

	shadow[i] = v;
	gtt_pte_write(device, (uint32_t)(i * bytes), bytes, v);
}

/**
 * ggtt_init() - makes the global GTT of the device that gpu_device() gives
 *
 * Return: 0 or -ENOMEM.
 */
int ggtt_init(void)
{
	uint64_t entries = gpu_device()->gtt->entries;

	shadow = calloc(entries, sizeof(*shadow));
	if (!shadow)
		return -ENOMEM;
	/* Address 0 is no one's. */
	ranges_give(&space, PAGE, (entries - 1) * PAGE);
	return 0;
}

void ggtt_restore(struct gpu *gpu)
{
	uint64_t entries = gpu->gtt->entries;

	device = gpu;
	for (uint64_t i = 0; i < entries; i++)
		if (shadow[i])
			entry_write(i, shadow[i]);
}

static uint64_t page_entry(uint64_t pa)
{
	if (device->platform->tables->entry_bytes == 8)
		return pa | GEN8_PAGE_PRESENT;
	return (pa & GEN6_PTE_ADDR_LOW_MASK) | IGEN_PREP(GEN6_PTE_ADDR_HIGH_MASK, (uint32_t)(pa >> 32)) |
	       GEN6_PTE_VALID;
}

int ggtt_map(uint64_t pa, uint64_t size, uint64_t *addr)
{
	if (!ranges_take(&space, size, PAGE, addr))
		return -ENOSPC;
	for (uint64_t at = 0; at < size; at += PAGE)
		entry_write((*addr + at) / PAGE, page_entry(pa + at));
	return 0;
}

void ggtt_unmap(uint64_t addr, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += PAGE)
		entry_write((addr + at) / PAGE, 0);
	/* What is there next must not be found in a TLB. */
	tlb_invalidate_all(device, true, false);
	ranges_give(&space, addr, size);
}

/* In entries: a page of the space each. */
int gpu_directory_new(struct vm *vm)
{
	if (!ranges_take(&space, GEN6_PD_ENTRIES * PAGE, GEN6_PD_ALIGN * PAGE, &vm->directory_at))
		return -ENOSPC;
	for (unsigned int i = 0; i < GEN6_PD_ENTRIES; i++)
		gpu_directory_set(vm, i);
	return 0;
}

void gpu_directory_set(struct vm *vm, unsigned int i)
{
	entry_write(vm->directory_at / PAGE + i, ((const uint32_t *)vm->directory)[i]);
}

void gpu_directory_free(struct vm *vm)
{
	ggtt_unmap(vm->directory_at, GEN6_PD_ENTRIES * PAGE);
}
