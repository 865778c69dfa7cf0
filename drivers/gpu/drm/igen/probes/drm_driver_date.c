// SPDX-License-Identifier: MIT
/* In 6.14 the date left struct drm_driver, and with it drmVersion. */
#include <drm/drm_drv.h>

static const struct drm_driver probe = {
#ifdef IGEN_PROBE
	.date = "20261120",
#endif
	.name = "probe",
};
