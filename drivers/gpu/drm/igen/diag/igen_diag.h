/* SPDX-License-Identifier: MIT */
/**
 * DOC: Diagnosis: debugfs, sysfs, performance counters, error states
 *
 * debugfs and sysfs under the names that i915's tools and IGT look for. Nothing here is needed to run.
 */
#ifndef _IGEN_DIAG_H_
#define _IGEN_DIAG_H_

#include <linux/kobject.h>
#include <linux/mutex.h>

#include "../platform/igen_platform.h"

struct dentry;
struct drm_minor;
struct igen_device;

/** struct igen_diag - state of debugfs, sysfs and error states */
struct igen_diag {
	/** @error_mutex: one makes the text of an error state */
	struct mutex error_mutex;
	/** @engines: directory of the engines' directories, or NULL */
	struct kobject *engines;
	/** @engine: an engine's directory, or NULL */
	struct kobject *engine[IGEN_NUM_ENGINES];
	/** @defaults: its .defaults, or NULL */
	struct kobject *defaults[IGEN_NUM_ENGINES];
	/** @gt: directory of @gt0, or NULL */
	struct kobject *gt;
	/** @gt0: directory of the GT's clock, or NULL */
	struct kobject *gt0;
	/** @gt0_defaults: its .defaults, or NULL */
	struct kobject *gt0_defaults;
};

int igen_diag_init(struct igen_device *igen);
void igen_diag_register(struct igen_device *igen);
void igen_diag_unregister(struct igen_device *igen);
void igen_debugfs_init(struct drm_minor *minor);

/* igen_error.c */
int igen_error_init(struct igen_device *igen);
void igen_error_register(struct igen_device *igen);
void igen_error_unregister(struct igen_device *igen);
void igen_error_debugfs(struct igen_device *igen, struct dentry *root);

/* igen_pmu.c */
#ifdef CONFIG_PERF_EVENTS
void igen_pmu_register(struct igen_device *igen);
void igen_pmu_unregister(struct igen_device *igen);
void igen_pmu_module_exit(void);
#else
static inline void igen_pmu_register(struct igen_device *igen) { }
static inline void igen_pmu_unregister(struct igen_device *igen) { }
static inline void igen_pmu_module_exit(void) { }
#endif

/* igen_freq.c, igen_sysfs_engines.c */
void igen_freq_register(struct igen_device *igen);
void igen_freq_unregister(struct igen_device *igen);
void igen_sysfs_remove_dir(struct kobject **dir);
void igen_sysfs_engines_register(struct igen_device *igen);
void igen_sysfs_engines_unregister(struct igen_device *igen);

#endif
