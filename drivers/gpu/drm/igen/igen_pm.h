/* SPDX-License-Identifier: MIT */
/**
 * DOC: Sleeping and waking
 *
 * See igen_pm.c.
 */
#ifndef _IGEN_PM_H_
#define _IGEN_PM_H_

#include <linux/pm.h>

extern const struct dev_pm_ops igen_pm_ops;

#endif
