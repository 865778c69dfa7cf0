// SPDX-License-Identifier: MIT
/**
 * DOC: GETPARAM
 *
 * igen answers every parameter of i915's list. Parameters from before kernel mode setting are -ENODEV, unknown ones
 * -EINVAL. Where i915 decides by generation, igen takes the answer from the platform's row or from its engines.
 */
#include <linux/pci.h>

#include "../igen_compat.h"
#include "../submit/igen_request.h"
#include "../submit/igen_reset.h"
#include "igen_uapi.h"

/* Version of the GTT mmaps: 4 is I915_GEM_MMAP_OFFSET. */
#define MMAP_GTT_VERSION 4

/* i915's tenth revision: the blitter of Gen9. */
#define CMD_PARSER_VERSION 10

/* Engines wait for each other without the CPU. */
static bool getparam_has_semaphores(const struct igen_device *igen)
{
	return igen->platform->engines[0].emit->semaphore;
}

/* Scheduling by priority. Busy time is not sampled. Some platforms preempt, and their engines wait for each other. */
static int getparam_scheduler_caps(const struct igen_device *igen)
{
	int caps = I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY | I915_SCHEDULER_CAP_ENGINE_BUSY_STATS;

	if (igen->platform->submit->preempts)
		caps |= I915_SCHEDULER_CAP_PREEMPTION;
	if (getparam_has_semaphores(igen))
		caps |= I915_SCHEDULER_CAP_SEMAPHORES;
	return caps;
}

/* Contexts of these classes are isolated from each other: each starts from a clean image, if the engine has images. */
static int getparam_isolated_classes(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id, classes = 0;

	for_each_engine(igen, id, engine)
		if (engine->info->context_pages)
			classes |= BIT(engine->info->class);

	return classes;
}

/*
 * 0 when no engine's batches are checked by the CPU, or when the check gives them no more than the hardware would. Then
 * it is nothing that userspace has to know.
 */
static int getparam_parser_version(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	if (igen->platform->global_stores)
		return 0;
	for_each_engine(igen, id, engine)
		if (engine->info->parsed_cmds)
			return CMD_PARSER_VERSION;
	return 0;
}

static bool getparam_has_engine(struct igen_device *igen, enum igen_engine_class class, u8 instance)
{
	return igen_engine_lookup(igen, class, instance);
}

static int getparam(struct igen_device *igen, int param, int *value)
{
	switch (param) {
	case I915_PARAM_IRQ_ACTIVE:
	case I915_PARAM_ALLOW_BATCHBUFFER:
	case I915_PARAM_LAST_DISPATCH:
	case I915_PARAM_HAS_EXEC_CONSTANTS:
		return -ENODEV;
	case I915_PARAM_CHIPSET_ID:
		*value = igen->pdev->device;
		return 0;
	case I915_PARAM_REVISION:
		*value = igen->pdev->revision;
		return 0;
	case I915_PARAM_NUM_FENCES_AVAIL:
		*value = igen->platform->num_fences;
		return 0;
	case I915_PARAM_HAS_BSD:
		*value = getparam_has_engine(igen, IGEN_CLASS_VIDEO, 0);
		return 0;
	case I915_PARAM_HAS_BSD2:
		*value = getparam_has_engine(igen, IGEN_CLASS_VIDEO, 1);
		return 0;
	case I915_PARAM_HAS_BLT:
		*value = getparam_has_engine(igen, IGEN_CLASS_COPY, 0);
		return 0;
	case I915_PARAM_HAS_VEBOX:
		*value = getparam_has_engine(igen, IGEN_CLASS_VIDEO_ENHANCE, 0);
		return 0;
	case I915_PARAM_HAS_LLC:
	case I915_PARAM_MMAP_GTT_COHERENT:
		*value = igen->platform->has_llc;
		return 0;
	case I915_PARAM_HAS_ALIASING_PPGTT:
		/* 1 aliasing, 2 full, 3 full with 48 bits: what i915 calls INTEL_PPGTT_FULL is 2 for both. */
		*value = igen->platform->global_stores ? 1 : 2;
		return 0;
	case I915_PARAM_HAS_SECURE_BATCHES:
	case I915_PARAM_HAS_OVERLAY:
	case I915_PARAM_HAS_RESOURCE_STREAMER:
	case I915_PARAM_HAS_CONTEXT_FREQ_HINT:
		*value = 0;
		return 0;
	case I915_PARAM_HAS_WT:
		*value = !!igen->topology.edram_mb;
		return 0;
	case I915_PARAM_HAS_POOLED_EU:
		*value = !!igen_topology_pool_eus(igen);
		return 0;
	case I915_PARAM_MIN_EU_IN_POOL:
		*value = igen_topology_pool_eus(igen);
		return 0;
	case I915_PARAM_HAS_SEMAPHORES:
		*value = getparam_has_semaphores(igen);
		return 0;
	case I915_PARAM_CMD_PARSER_VERSION:
		*value = getparam_parser_version(igen);
		return 0;
	case I915_PARAM_SUBSLICE_TOTAL:
		*value = igen->topology.subslice_total;
		return *value ? 0 : -ENODEV;
	case I915_PARAM_EU_TOTAL:
		*value = igen->topology.eu_total;
		return *value ? 0 : -ENODEV;
	case I915_PARAM_SLICE_MASK:
		*value = igen->topology.slice_mask;
		return *value ? 0 : -ENODEV;
	case I915_PARAM_SUBSLICE_MASK:
		*value = igen->topology.subslice_mask[0];
		return *value ? 0 : -ENODEV;
	case I915_PARAM_HAS_GPU_RESET:
		/* 0 not at all, 1 all of it, 2 engines one by one. */
		*value = READ_ONCE(igen->params.enable_hangcheck) ? igen_reset_kind(igen) : 0;
		return 0;
	case I915_PARAM_HUC_STATUS:
		/* The HuC exists, but its firmware was not loaded. */
		return -EOPNOTSUPP;
	case I915_PARAM_PXP_STATUS:
		return -ENODEV;
	case I915_PARAM_MMAP_GTT_VERSION:
		*value = MMAP_GTT_VERSION;
		return 0;
	case I915_PARAM_HAS_SCHEDULER:
		*value = getparam_scheduler_caps(igen);
		return 0;
	case I915_PARAM_HAS_CONTEXT_ISOLATION:
		*value = getparam_isolated_classes(igen);
		return 0;
	case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
	case I915_PARAM_OA_TIMESTAMP_FREQUENCY:
		*value = igen->platform->timestamp_hz;
		return 0;
	case I915_PARAM_PERF_REVISION:
		/* No OA unit, so no revision of its interface. */
		return -ENODEV;
	case I915_PARAM_MMAP_VERSION:
	case I915_PARAM_HAS_GEM:
	case I915_PARAM_HAS_PAGEFLIPPING:
	case I915_PARAM_HAS_EXECBUF2:
	case I915_PARAM_HAS_RELAXED_FENCING:
	case I915_PARAM_HAS_COHERENT_RINGS:
	case I915_PARAM_HAS_RELAXED_DELTA:
	case I915_PARAM_HAS_GEN7_SOL_RESET:
	case I915_PARAM_HAS_WAIT_TIMEOUT:
	case I915_PARAM_HAS_PRIME_VMAP_FLUSH:
	case I915_PARAM_HAS_PINNED_BATCHES:
	case I915_PARAM_HAS_EXEC_NO_RELOC:
	case I915_PARAM_HAS_EXEC_HANDLE_LUT:
	case I915_PARAM_HAS_COHERENT_PHYS_GTT:
	case I915_PARAM_HAS_EXEC_SOFTPIN:
	case I915_PARAM_HAS_EXEC_ASYNC:
	case I915_PARAM_HAS_EXEC_FENCE:
	case I915_PARAM_HAS_EXEC_CAPTURE:
	case I915_PARAM_HAS_EXEC_BATCH_FIRST:
	case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
	case I915_PARAM_HAS_EXEC_SUBMIT_FENCE:
	case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
	case I915_PARAM_HAS_USERPTR_PROBE:
		*value = 1;
		return 0;
	default:
		drm_dbg(&igen->drm, "unknown parameter %d\n", param);
		return -EINVAL;
	}
}

/**
 * igen_getparam_ioctl - DRM_IOCTL_I915_GETPARAM
 * @drm: the DRM device
 * @data: the parameter, and where its value goes
 * @file: the caller's file
 *
 * Return: 0, -EINVAL for an unknown parameter, -ENODEV or -EOPNOTSUPP for a unit that is not there or not used,
 * -EFAULT.
 */
int igen_getparam_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct igen_device *igen = to_igen(drm);
	const drm_i915_getparam_t *args = data;
	int value = 0;
	int err;

	err = getparam(igen, args->param, &value);
	if (err)
		return err;
	return put_user(value, args->value);
}
