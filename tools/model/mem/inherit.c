// SPDX-License-Identifier: MIT
/**
 * DOC: Hardware state from before the driver
 *
 * With the setting "inherit" the driver finds a device that was used before, by firmware or another kernel. Plane 1 of
 * pipe A scans out a framebuffer in stolen memory. The GGTT's first entries lead to the framebuffer, and all others to
 * memory that other programs use by now. A display and a hot-plug interrupt are pending and enabled, and the master
 * interrupt is disabled.
 *
 * That state appears when the firmware has said where stolen memory is. It is counted ("inherited") when the driver
 * changes an entry of the framebuffer while the plane is on, and when it replaces another entry for the first time.
 */
#include "mem/mem.h"
#include "regs/regs.h"
#include "igen/regs/display.h"
#include "igen/regs/irq.h"
#include "igen/regs/pte.h"

#define WIDTH		1920u
#define HEIGHT		1080u
#define LINE_BYTES	(WIDTH * 4)
#define FB_PAGES	((LINE_BYTES * HEIGHT + 4095) / 4096)

/* Behind all memory of a guest, so that an access is counted as a miss. */
#define STALE_PAGE	0x7fdead0000ull

static uint64_t left_entry(struct gpu *gpu, uint32_t i)
{
	return (i < FB_PAGES ? gpu->gtt->inherited_base + i * 4096ull : STALE_PAGE) | GEN8_PAGE_PRESENT;
}

/**
 * inherit_leave() - the firmware has set the device up and leaves it
 * @gpu: the device
 * @stolen: where its stolen memory is; 0: nowhere yet
 */
void inherit_leave(struct gpu *gpu, uint64_t stolen)
{
	struct gtt *gtt = gpu->gtt;

	if (!gpu->config.inherit || !stolen)
		return;
	gtt->inherited_base = stolen;
	for (uint32_t i = 0; i < gtt->entries; i++)
		atomic_store(&gtt->pte[i], left_entry(gpu, i));
	pthread_mutex_lock(&gpu->lock);
	mmio_write(gpu, PLANE_STRIDE(0), LINE_BYTES / 64, false);
	mmio_write(gpu, PLANE_SIZE(0), (HEIGHT - 1) << 16 | (WIDTH - 1), false);
	mmio_write(gpu, PLANE_SURF(0), 0, false);
	mmio_write(gpu, PLANE_CTL(0), PLANE_ENABLE, false);
	irq_leave_pending(gpu, DE_MISC_ISR, 1u << 27);
	irq_leave_pending(gpu, SDE_ISR, 1u << 21);
	pthread_mutex_unlock(&gpu->lock);
}

/**
 * inherit_note_entry() - counts what the driver does to an entry that it found
 * @gpu: the device
 * @i: the entry
 * @old: what it was
 * @new: what the driver writes
 *
 * Takes gpu->lock.
 */
void inherit_note_entry(struct gpu *gpu, uint32_t i, uint64_t old, uint64_t new)
{
	bool shown;

	if (!gpu->config.inherit || old == new || old != left_entry(gpu, i))
		return;
	if (i >= FB_PAGES) {
		count("inherited", "entries_replaced", 1);
		return;
	}
	pthread_mutex_lock(&gpu->lock);
	shown = mmio_peek(gpu, PLANE_CTL(0)) & PLANE_ENABLE;
	pthread_mutex_unlock(&gpu->lock);
	if (shown)
		count("inherited", "framebuffer_changed", 1);
}
