/* SPDX-License-Identifier: MIT */
/**
 * DOC: Differences between kernels
 *
 * The module builds for kernels from 6.1 on. What changed since then is told by probes of the kernel's own headers in
 * Kbuild, never by version numbers, so that distributions' backports need nothing here.
 */
#ifndef _IGEN_COMPAT_H_
#define _IGEN_COMPAT_H_

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>

/* The date left struct drm_driver, and with it drmVersion, in 6.14. */
#ifdef IGEN_DRM_DRIVER_HAS_DATE
#define IGEN_DRM_DRIVER_DATE(date__)	.date = (date__),
#else
#define IGEN_DRM_DRIVER_DATE(date__)
#endif

/* Since 6.12 a file with offsets beyond LLONG_MAX says so; before, the DRM core did at open. */
#ifdef FOP_UNSIGNED_OFFSET
#define IGEN_FOPS_UNSIGNED_OFFSET	.fop_flags = FOP_UNSIGNED_OFFSET,
#else
#define IGEN_FOPS_UNSIGNED_OFFSET
#endif

/* PCI_IRQ_LEGACY was renamed. */
#ifdef PCI_IRQ_INTX
#define IGEN_PCI_IRQ_TYPES		(PCI_IRQ_MSI | PCI_IRQ_INTX)
#else
#define IGEN_PCI_IRQ_TYPES		(PCI_IRQ_MSI | PCI_IRQ_LEGACY)
#endif

/* Since 6.16 the callbacks of a binary attribute get it as a constant. */
#ifdef IGEN_BIN_ATTRIBUTE_IS_CONST
#define IGEN_BIN_ATTRIBUTE		const struct bin_attribute
#else
#define IGEN_BIN_ATTRIBUTE		struct bin_attribute
#endif

/* Since 6.9 it does not ask any more whether the number of users matters: it does not. */
static inline int igen_pm_runtime_get_if_active(struct device *dev)
{
#ifdef IGEN_PM_GET_IF_ACTIVE_TAKES_BOOL
	return pm_runtime_get_if_active(dev, true);
#else
	return pm_runtime_get_if_active(dev);
#endif
}

/* Since 6.13 a timer gets its function when it is set up. */
static inline void igen_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				      clockid_t clock, enum hrtimer_mode mode)
{
#ifdef IGEN_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

#endif
