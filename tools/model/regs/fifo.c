// SPDX-License-Identifier: MIT
/**
 * DOC: The FIFO of writes
 *
 * On Gen6 and Gen7 a write to a register that may be asleep needs no forcewake: it goes into a FIFO, which wakes the
 * GT and is emptied. GTFIFOCTL tells how many entries are free. A write that finds none is lost, and GTFIFODBG tells
 * so. Therefore a driver may write as often as it has last read that there is room for; stock i915 keeps 20 entries
 * free.
 *
 * How fast silicon empties the FIFO is in no text. The model empties it when the driver looks at GTFIFOCTL, holds
 * forcewake or finds an engine busy, and not between; a driver that writes too often without a look is counted.
 */
#include "regs/regs.h"
#include "igen/regs/gt.h"

#define ENTRIES		64u

/**
 * fifo_takes() - a write goes into the FIFO
 * @gpu: the device, whose lock is held
 *
 * Return: false when there is no room; the write is lost.
 */
bool fifo_takes(struct gpu *gpu)
{
	struct gt *gt = gpu->gt;

	if (gt->fifo_free) {
		gt->fifo_free--;
		return true;
	}
	gt->fifo_debug |= GTFIFODBG_OVERFLOW | GTFIFODBG_DROPPED;
	count("findings.driver", "fifo-overflow: a write that GTFIFOCTL had no room for", 1);
	return false;
}

/* Forcewake is held, so that what is in the FIFO gets to its registers. gpu->lock held. */
void fifo_empty(struct gpu *gpu)
{
	gpu->gt->fifo_free = ENTRIES;
}

static uint32_t fifo_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	if (offset == GTFIFODBG)
		return gpu->gt->fifo_debug;
	fifo_empty(gpu);
	return IGEN_PREP(GTFIFOCTL_FREE_ENTRIES_MASK, gpu->gt->fifo_free);
}

static void fifo_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	if (offset == GTFIFODBG)
		gpu->gt->fifo_debug &= ~value;
}

void block_fifo_init(struct gpu *gpu)
{
	static const struct mmio_block blocks[] = {
		{ "GTFIFODBG", GTFIFODBG, GTFIFODBG + 4, fifo_read, fifo_write, NULL },
		{ "GTFIFOCTL", GTFIFOCTL, GTFIFOCTL + 4, fifo_read, fifo_write, NULL },
	};

	fifo_empty(gpu);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		mmio_claim(gpu, &blocks[i]);
}
