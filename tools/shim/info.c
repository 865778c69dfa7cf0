// SPDX-License-Identifier: MIT
/**
 * DOC: What the device is: GETPARAM, QUERY, REG_READ
 *
 * Slices, subslices and EUs are read from the model's fuses, engines from its platform's row.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cs/cs.h"
#include "gpu.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "mem/mem.h"

/* Newer than some headers. */
#define PARAM_OA_TIMESTAMP_FREQUENCY	57
#define PARAM_PXP_STATUS		58
#define PARAM_HAS_CONTEXT_FREQ_HINT	59

#define MMAP_GTT_VERSION	4	/* there is MMAP_OFFSET */
#define CMD_PARSER_VERSION	10

#define SUBSLICE_BITS	8u		/* of an EU_DISABLE for each subslice */

/* Gen9: FUSE2 and EU_DISABLE (public Gen9 PRM Vol 2c). Gen6 and Gen7 have no topology in their uAPI. */
void topology_read(struct topology *topo)
{
	const struct platform *p = gpu_device()->platform;
	uint32_t fuse;

	*topo = (struct topology){ 0 };
	if (!p->submission->lists)
		return;
	topo->max_slices = p->no_llc ? 1 : 3;
	topo->max_subslices = p->no_llc ? 3 : 4;
	topo->max_eus = 8;
	fuse = gpu_register(FUSE2);
	topo->slices = (uint8_t)(IGEN_GET(FUSE2_SLICE_ENABLE_MASK, fuse) & ((1u << topo->max_slices) - 1));
	topo->subslices = (uint8_t)(~IGEN_GET(FUSE2_SUBSLICE_DISABLE_MASK, fuse) &
				    ((1u << topo->max_subslices) - 1));
	for (unsigned int s = 0; s < topo->max_slices; s++) {
		uint32_t disabled = gpu_register(EU_DISABLE(s));

		for (unsigned int ss = 0; ss < topo->max_subslices; ss++) {
			if (!(topo->slices >> s & 1) || !(topo->subslices >> ss & 1))
				continue;
			topo->eus[s][ss] = (uint8_t)~(disabled >> ss * SUBSLICE_BITS);
			topo->num_subslices++;
			topo->num_eus += (unsigned int)__builtin_popcount(topo->eus[s][ss]);
		}
	}
}

static int fused(int param, int *value)
{
	struct topology topo;

	topology_read(&topo);
	switch (param) {
	case I915_PARAM_SUBSLICE_TOTAL:
		*value = (int)topo.num_subslices;
		break;
	case I915_PARAM_EU_TOTAL:
		*value = (int)topo.num_eus;
		break;
	case I915_PARAM_SLICE_MASK:
		*value = topo.slices;
		break;
	default:
		*value = topo.subslices;
		break;
	}
	return *value ? 0 : -ENODEV;
}

static bool there(uint16_t class, uint16_t instance)
{
	return engine_by_class(class, instance) >= 0;
}

static int param_value(int param, int *value)
{
	const struct gpu *gpu = gpu_device();
	const struct platform *p = gpu->platform;

	switch (param) {
	case I915_PARAM_IRQ_ACTIVE:
	case I915_PARAM_ALLOW_BATCHBUFFER:
	case I915_PARAM_LAST_DISPATCH:
	case I915_PARAM_HAS_EXEC_CONSTANTS:
	case I915_PARAM_PERF_REVISION:
	case PARAM_PXP_STATUS:
		return -ENODEV;
	case I915_PARAM_HUC_STATUS:
		return -EOPNOTSUPP;
	case I915_PARAM_CHIPSET_ID:
		*value = (int)(gpu->config.device_id ? gpu->config.device_id : p->device_id);
		return 0;
	case I915_PARAM_REVISION:
		*value = gpu_revision();
		return 0;
	case I915_PARAM_NUM_FENCES_AVAIL:
		*value = (int)p->fences;
		return 0;
	case I915_PARAM_HAS_BSD:
		*value = there(I915_ENGINE_CLASS_VIDEO, 0);
		return 0;
	case I915_PARAM_HAS_BSD2:
		*value = there(I915_ENGINE_CLASS_VIDEO, 1);
		return 0;
	case I915_PARAM_HAS_BLT:
		*value = there(I915_ENGINE_CLASS_COPY, 0);
		return 0;
	case I915_PARAM_HAS_VEBOX:
		*value = there(I915_ENGINE_CLASS_VIDEO_ENHANCE, 0);
		return 0;
	case I915_PARAM_HAS_LLC:
	case I915_PARAM_MMAP_GTT_COHERENT:
		*value = !p->no_llc;
		return 0;
	case I915_PARAM_HAS_ALIASING_PPGTT:
		/* 1: batches store through the global GTT. 2: all that they access is in the context's page tables. */
		*value = p->stores_global ? 1 : 2;
		return 0;
	case I915_PARAM_HAS_GPU_RESET:
		/* Engines are reset one by one. */
		*value = 2;
		return 0;
	case I915_PARAM_HAS_SECURE_BATCHES:
	case I915_PARAM_HAS_OVERLAY:
	case I915_PARAM_HAS_RESOURCE_STREAMER:
	case PARAM_HAS_CONTEXT_FREQ_HINT:
	case I915_PARAM_HAS_WT:
	case I915_PARAM_HAS_POOLED_EU:
	case I915_PARAM_MIN_EU_IN_POOL:
		*value = 0;
		return 0;
	case I915_PARAM_CMD_PARSER_VERSION:
		/* On Gen6 the check gives batches no more than the engine would. */
		*value = p->stores_global ? 0 : CMD_PARSER_VERSION;
		return 0;
	case I915_PARAM_SUBSLICE_TOTAL:
	case I915_PARAM_EU_TOTAL:
	case I915_PARAM_SLICE_MASK:
	case I915_PARAM_SUBSLICE_MASK:
		return fused(param, value);
	case I915_PARAM_MMAP_GTT_VERSION:
		*value = MMAP_GTT_VERSION;
		return 0;
	case I915_PARAM_HAS_SCHEDULER:
		*value = I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY;
		return 0;
	case I915_PARAM_HAS_CONTEXT_ISOLATION:
		*value = p->submission->lists ? 1 << I915_ENGINE_CLASS_RENDER | 1 << I915_ENGINE_CLASS_COPY |
			 1 << I915_ENGINE_CLASS_VIDEO | 1 << I915_ENGINE_CLASS_VIDEO_ENHANCE : 0;
		return 0;
	case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
	case PARAM_OA_TIMESTAMP_FREQUENCY:
		*value = (int)p->timestamp_hz;
		return 0;
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
	case I915_PARAM_HAS_SEMAPHORES:
		*value = 1;
		return 0;
	default:
		return -EINVAL;
	}
}

int ioctl_getparam(struct file *file, void *data)
{
	const struct drm_i915_getparam *args = data;
	int value = 0, err = param_value(args->param, &value);

	(void)file;
	return err ? err : copy_out((uintptr_t)args->value, &value, sizeof(value));
}

/* The answer of an item is made here first; its length, or a negative error number. */
#define ANSWER	1024

static int query_topology(const struct drm_i915_query_item *item, uint8_t *answer)
{
	struct drm_i915_query_topology_info info = { 0 };
	struct topology topo;
	uint8_t *p = answer + sizeof(info);

	if (item->flags)
		return -EINVAL;
	topology_read(&topo);
	if (!topo.max_slices)
		return -ENODEV;
	info.max_slices = (uint16_t)topo.max_slices;
	info.max_subslices = (uint16_t)topo.max_subslices;
	info.max_eus_per_subslice = (uint16_t)topo.max_eus;
	info.subslice_offset = 1;
	info.subslice_stride = 1;
	info.eu_offset = (uint16_t)(1 + topo.max_slices);
	info.eu_stride = 1;
	memcpy(answer, &info, sizeof(info));
	*p++ = topo.slices;
	for (unsigned int s = 0; s < topo.max_slices; s++)
		*p++ = topo.slices >> s & 1 ? topo.subslices : 0;
	for (unsigned int s = 0; s < topo.max_slices; s++)
		for (unsigned int ss = 0; ss < topo.max_subslices; ss++)
			*p++ = topo.eus[s][ss];
	return (int)(p - answer);
}

/* HEVC is the first video engine's alone, as stock i915 has it of Gen9; scaling goes with video engine 0 too. */
static uint64_t capabilities(uint16_t class, uint16_t instance)
{
	if (class != I915_ENGINE_CLASS_VIDEO || !gpu_device()->platform->submission->lists)
		return 0;
	return instance ? 0 : I915_VIDEO_CLASS_CAPABILITY_HEVC | I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC;
}

static int query_engines(const struct drm_i915_query_item *item, uint8_t *answer)
{
	const struct platform *p = gpu_device()->platform;
	struct drm_i915_query_engine_info head = { 0 };
	uint8_t *at = answer + sizeof(head);

	if (item->flags)
		return -EINVAL;
	for (unsigned int i = 0; i < p->num_engines; i++) {
		struct drm_i915_engine_info info = { .flags = I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE };

		engine_name((int)p->engines[i].id, &info.engine.engine_class, &info.engine.engine_instance);
		info.logical_instance = info.engine.engine_instance;
		info.capabilities = capabilities(info.engine.engine_class, info.engine.engine_instance);
		memcpy(at, &info, sizeof(info));
		at += sizeof(info);
		head.num_engines++;
	}
	memcpy(answer, &head, sizeof(head));
	return (int)(at - answer);
}

static int query_regions(const struct drm_i915_query_item *item, uint8_t *answer)
{
	struct drm_i915_query_memory_regions head = { .num_regions = 1 };
	struct drm_i915_memory_region_info info = { 0 };

	if (item->flags)
		return -EINVAL;
	info.region.memory_class = I915_MEMORY_CLASS_SYSTEM;
	info.probed_size = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	info.unallocated_size = info.probed_size;
	memcpy(answer, &head, sizeof(head));
	memcpy(answer + sizeof(head), &info, sizeof(info));
	return sizeof(head) + sizeof(info);
}

static int query_perf(const struct drm_i915_query_item *item, uint8_t *answer)
{
	(void)answer;
	return item->flags >= DRM_I915_QUERY_PERF_CONFIG_LIST &&
	       item->flags <= DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID ? -ENODEV : -EINVAL;
}

static int query_absent(const struct drm_i915_query_item *item, uint8_t *answer)
{
	(void)item;
	(void)answer;
	return -ENODEV;
}

static int (*const queries[])(const struct drm_i915_query_item *item, uint8_t *answer) = {
	[DRM_I915_QUERY_TOPOLOGY_INFO] = query_topology,
	[DRM_I915_QUERY_ENGINE_INFO] = query_engines,
	[DRM_I915_QUERY_PERF_CONFIG] = query_perf,
	[DRM_I915_QUERY_MEMORY_REGIONS] = query_regions,
	[DRM_I915_QUERY_MEMORY_REGIONS + 1] = query_absent,	/* the GuC's table of hardware */
	[DRM_I915_QUERY_MEMORY_REGIONS + 2] = query_absent,	/* geometry subslices, of Gen12.5 */
	[DRM_I915_QUERY_MEMORY_REGIONS + 3] = query_absent,	/* the GuC's version */
};

int ioctl_query(struct file *file, void *data)
{
	const struct drm_i915_query *args = data;
	uint8_t answer[ANSWER];

	(void)file;
	if (args->flags)
		return -EINVAL;
	for (uint32_t i = 0; i < args->num_items; i++) {
		uint64_t at = args->items_ptr + i * sizeof(struct drm_i915_query_item);
		struct drm_i915_query_item item;
		int length = -EINVAL;

		if (copy_in(&item, at, sizeof(item)))
			return -EFAULT;
		if (!item.query_id)
			return -EINVAL;
		memset(answer, 0, sizeof(answer));
		if (item.query_id < ARRAY_SIZE(queries))
			length = queries[item.query_id](&item, answer);
		if (length > 0 && item.length) {
			if ((uint32_t)item.length < (uint32_t)length)
				length = -EINVAL;
			else if (copy_out(item.data_ptr, answer, (size_t)length))
				length = -EFAULT;
		}
		item.length = length;
		if (copy_out(at, &item, sizeof(item)))
			return -EFAULT;
	}
	return 0;
}

/* The render engine's timestamp; the flag that asks for both halves at once is the lowest bit. */
int ioctl_reg_read(struct file *file, void *data)
{
	struct drm_i915_reg_read *args = data;
	uint32_t offset = (uint32_t)args->offset & ~(uint32_t)I915_REG_READ_8B_WA;

	(void)file;
	if (args->offset >> 32 || offset != RING_TIMESTAMP(RCS0_BASE))
		return -EINVAL;
	args->val = gpu_clock() & ((1ull << 36) - 1);
	return 0;
}
