// SPDX-License-Identifier: MIT
/**
 * DOC: BAR 0
 *
 * The BAR has the registers in its lower and the GGTT in its upper half, 8 MB each on Gen8 and Gen9 (public Gen9 PRM
 * Vol 5, "GTTMMADR"). The registers are mapped here; the GGTT is mapped by mm/igen_ggtt.c. Both stay until the DRM
 * device is released, since files that outlive an unbind still hold objects; code that may run after the unbind asks
 * drm_dev_enter() before it touches a register.
 */
#include <drm/drm_managed.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sizes.h>

#include <igen/regs/pci.h>

#include "../igen_device.h"

#define SPIN_US		50

static void mmio_release(struct drm_device *drm, void *data)
{
	struct igen_device *igen = to_igen(drm);

	iounmap(igen->mmio.regs);
	igen->mmio.regs = NULL;
}

/**
 * igen_mmio_init - maps the registers and puts forcewake into a known state
 * @igen: the device
 *
 * Undone when the DRM device is released. May sleep.
 *
 * Return: 0; -ENODEV when the BAR is missing, too small, or no device answers; -ENOMEM, or what
 * igen_forcewake_init() failed with.
 */
int igen_mmio_init(struct igen_device *igen)
{
	struct pci_dev *pdev = igen->pdev;
	resource_size_t start = pci_resource_start(pdev, IGEN_PCI_GTTMMADR_BAR);
	resource_size_t size = pci_resource_len(pdev, IGEN_PCI_GTTMMADR_BAR);
	u32 registers = igen->platform->gtt->ptes_offset;
	int err;

	if (!(pci_resource_flags(pdev, IGEN_PCI_GTTMMADR_BAR) & IORESOURCE_MEM) || size < 2 * registers) {
		drm_err(&igen->drm, "BAR 0 has %pa bytes, not the %u MB of registers and GGTT\n", &size,
			2 * registers / SZ_1M);
		return -ENODEV;
	}

	/*
	 * The region is not claimed: the kernel would keep a claimed one from root's tools, which map it through sysfs
	 * (intel_reg, gem_latency). Binding to the PCI device keeps other drivers out.
	 */
	spin_lock_init(&igen->mmio.fw_lock);
	igen->mmio.regs = ioremap(start, registers);
	if (!igen->mmio.regs)
		return -ENOMEM;

	err = drmm_add_action_or_reset(&igen->drm, mmio_release, NULL);
	if (err)
		return err;

	return igen_forcewake_init(igen);
}

/**
 * igen_wait_reg - waits for a register to have a value
 * @igen: the device
 * @reg: register offset in BAR 0
 * @mask: bits to look at
 * @value: what they shall be
 * @timeout_us: microseconds to wait at most
 * @may_sleep: the caller may sleep: the wait does after the first 50 us
 *
 * The caller holds forcewake for the register's domain. Writes are posted. So the time begins with the first read,
 * which has brought all writes before it to the device.
 *
 * Return: 0 or -ETIMEDOUT.
 */
int igen_wait_reg(struct igen_device *igen, u32 reg, u32 mask, u32 value, unsigned int timeout_us, bool may_sleep)
{
	ktime_t start;
	s64 waited;

	if ((igen_read(igen, reg) & mask) == value)
		return 0;

	start = ktime_get_raw();
	do {
		/* The time first: a wait that was scheduled away looks once more before it gives up. */
		waited = ktime_us_delta(ktime_get_raw(), start);
		if ((igen_read(igen, reg) & mask) == value)
			return 0;

		if (may_sleep && waited > SPIN_US)
			usleep_range(50, 200);
		else
			udelay(1);
	} while (waited < timeout_us);

	return -ETIMEDOUT;
}
