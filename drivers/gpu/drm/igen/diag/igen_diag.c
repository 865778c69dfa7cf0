// SPDX-License-Identifier: MIT
/**
 * DOC: Set-up of debugfs, sysfs and error states
 */
#include <drm/drm_managed.h>

#include "../igen_device.h"
#include "igen_diag.h"

/* Engines are reset one by one unless root says otherwise. */
#define DEFAULT_RESET 2
/* As stock i915 has it (CONFIG_DRM_I915_FENCE_TIMEOUT). */
#define DEFAULT_FENCE_TIMEOUT_MS	10000

/**
 * igen_diag_init - allocate the state of debugfs and sysfs
 * @igen: the device, registers readable
 *
 * Called before registration. Allocates igen->diag, which lives as long as the DRM device, and sets igen->params.
 *
 * Return: 0 or -ENOMEM.
 */
int igen_diag_init(struct igen_device *igen)
{
	igen->diag = drmm_kzalloc(&igen->drm, sizeof(*igen->diag), GFP_KERNEL);
	if (!igen->diag)
		return -ENOMEM;

	igen->params.reset = DEFAULT_RESET;
	igen->params.enable_hangcheck = true;
	igen->params.fence_timeout_ms = DEFAULT_FENCE_TIMEOUT_MS;
	return igen_error_init(igen);
}

/**
 * igen_diag_register - makes the sysfs files
 * @igen: the device, registered
 *
 * If a file cannot be made, the driver logs that and works without the file.
 */
void igen_diag_register(struct igen_device *igen)
{
	igen_freq_register(igen);
	igen_sysfs_engines_register(igen);
	igen_error_register(igen);
	igen_pmu_register(igen);
}

/**
 * igen_diag_unregister - takes the sysfs files away
 * @igen: the device, still registered
 *
 * Called before drm_dev_unplug().
 */
void igen_diag_unregister(struct igen_device *igen)
{
	igen_pmu_unregister(igen);
	igen_error_unregister(igen);
	igen_sysfs_engines_unregister(igen);
	igen_freq_unregister(igen);
}
