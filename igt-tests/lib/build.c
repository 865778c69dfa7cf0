// SPDX-License-Identifier: MIT
#include "build.h"

/* After ours, whose names it has some of. */
#include "../../tools/decode/check.h"

unsigned int it_generation(void)
{
	const struct igen_cmd_set *set;
	int fd = it_open_fd(), id;

	if (fd < 0 || it_getparam(fd, I915_PARAM_CHIPSET_ID, &id))
		return 0;
	set = igen_set_by_pci_id(id);
	return set ? set->gen : 0;
}

void it_build_again(struct it_dev *dev, unsigned int gen, unsigned int engine, struct it_batch *bo,
		    struct igen_batch *b)
{
	static const enum igen_batch_engine engines[] = { IGEN_BATCH_RENDER, IGEN_BATCH_COPY, IGEN_BATCH_VIDEO,
							  IGEN_BATCH_VIDEO_ENHANCE };

	igen_batch_init(b, gen, engines[dev->engine[engine].class], bo->dw, bo->bo->size);
	bo->n = 0;
}

struct it_batch it_build(struct it_dev *dev, unsigned int gen, unsigned int engine, uint64_t size, struct igen_batch *b)
{
	struct it_batch bo = it_batch(dev, size);

	it_build_again(dev, gen, engine, &bo, b);
	return bo;
}

void it_build_end(struct igen_batch *b, struct it_batch *bo)
{
	int err = igen_batch_end(b);

	it_expect(!err, "the batch could not be built: %s (%d)", b->why, err);
	bo->n = b->used;
}

/* Eight bytes apart, since Gen6's video engine writes by flushes alone, and those write eight bytes. */
void it_build_store(struct igen_batch *b, uint64_t object, unsigned int slot, uint32_t value, uint32_t handle)
{
	struct igen_address to = { object, slot * 8, IT_SLOTS * 8, handle };

	if (b->gen == 6 && b->engine == IGEN_BATCH_VIDEO)
		igen_mi_flush(b, 0, &to, value);
	else
		igen_mi_store_dword(b, to, value);
}

uint32_t it_slot(const struct it_bo *bo, unsigned int slot)
{
	return ((volatile uint32_t *)bo->map)[slot * 2];
}

void it_expect_slot(const struct it_bo *bo, unsigned int slot, uint32_t want)
{
	it_expect(it_poll(&bo->dw[slot * 2], want), "slot %u is %08x, expected %08x", slot, it_slot(bo, slot), want);
}
