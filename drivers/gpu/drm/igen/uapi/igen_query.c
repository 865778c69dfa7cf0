// SPDX-License-Identifier: MIT
/**
 * DOC: QUERY
 *
 * A query with length 0 returns the length of its answer; any other query returns the answer itself. The error of an
 * item is written into its length field. The ioctl itself fails only for a bad header or bad memory. Queries for the OA
 * unit and for GuC's hardware configuration table return -ENODEV, since igen has neither.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>

#include "igen_uapi.h"

/*
 * Common start of an answer: >0 is the length to return at once, 0 means that header holds the user's copy of it and
 * the answer has room.
 */
static int query_begin(const struct drm_i915_query_item *item, u32 total, void *header, size_t size)
{
	if (item->length == 0)
		return total;
	/* As in i915 the room is unsigned: a negative length is a lot of it. */
	if ((u32)item->length < total)
		return -EINVAL;
	if (copy_from_user(header, u64_to_user_ptr(item->data_ptr), size))
		return -EFAULT;
	return 0;
}

static int query_topology(struct igen_device *igen, const struct drm_i915_query_item *item)
{
	const struct igen_topology *topo = &igen->topology;
	struct {
		struct drm_i915_query_topology_info info;
		u8 data[sizeof(topo->slice_mask) + sizeof(topo->subslice_mask) + sizeof(topo->eu_mask)];
	} answer;
	u32 total;
	unsigned int s, ss;
	u8 *p;
	int err;

	if (item->flags)
		return -EINVAL;
	if (!topo->max_slices)
		return -ENODEV;

	/* Each mask fits a byte: at most eight slices, eight subslices, eight EUs. */
	total = sizeof(answer.info) + 1 + topo->max_slices + topo->max_slices * topo->max_subslices;
	err = query_begin(item, total, &answer.info, sizeof(answer.info));
	if (err)
		return err;

	memset(&answer, 0, sizeof(answer));
	answer.info.max_slices = topo->max_slices;
	answer.info.max_subslices = topo->max_subslices;
	answer.info.max_eus_per_subslice = topo->max_eus;
	answer.info.subslice_offset = 1;
	answer.info.subslice_stride = 1;
	answer.info.eu_offset = 1 + topo->max_slices;
	answer.info.eu_stride = 1;

	p = answer.data;
	*p++ = topo->slice_mask;
	for (s = 0; s < topo->max_slices; s++)
		*p++ = topo->subslice_mask[s];
	for (s = 0; s < topo->max_slices; s++)
		for (ss = 0; ss < topo->max_subslices; ss++)
			*p++ = topo->eu_mask[s][ss];

	if (copy_to_user(u64_to_user_ptr(item->data_ptr), &answer, total))
		return -EFAULT;
	return total;
}

static int query_engines(struct igen_device *igen, const struct drm_i915_query_item *item)
{
	struct drm_i915_query_engine_info __user *user = u64_to_user_ptr(item->data_ptr);
	struct drm_i915_query_engine_info query;
	struct drm_i915_engine_info info;
	struct igen_engine *engine;
	unsigned int id, count = 0;
	u32 total;
	int err;

	if (item->flags)
		return -EINVAL;

	for_each_engine(igen, id, engine)
		count++;
	total = sizeof(query) + count * sizeof(info);

	err = query_begin(item, total, &query, sizeof(query));
	if (err)
		return err;
	if (query.num_engines || query.rsvd[0] || query.rsvd[1] || query.rsvd[2])
		return -EINVAL;

	for_each_engine(igen, id, engine) {
		memset(&info, 0, sizeof(info));
		info.engine.engine_class = engine->info->class;
		info.engine.engine_instance = engine->info->instance;
		info.flags = I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE;
		info.capabilities = engine->info->uabi_capabilities;
		info.logical_instance = engine->info->instance;
		if (copy_to_user(&user->engines[query.num_engines], &info, sizeof(info)))
			return -EFAULT;
		query.num_engines++;
	}

	if (copy_to_user(user, &query, sizeof(query)))
		return -EFAULT;
	return total;
}

static int query_regions(struct igen_device *igen, const struct drm_i915_query_item *item)
{
	struct drm_i915_query_memory_regions __user *user = u64_to_user_ptr(item->data_ptr);
	struct drm_i915_query_memory_regions query;
	struct drm_i915_memory_region_info info = {};
	u32 total = sizeof(query) + sizeof(info);
	unsigned int i;
	int err;

	if (item->flags)
		return -EINVAL;

	err = query_begin(item, total, &query, sizeof(query));
	if (err)
		return err;
	if (query.num_regions)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(query.rsvd); i++)
		if (query.rsvd[i])
			return -EINVAL;

	/* System memory only. As on i915, all of it is reported as free. */
	info.region.memory_class = I915_MEMORY_CLASS_SYSTEM;
	info.region.memory_instance = 0;
	info.probed_size = (u64)totalram_pages() << PAGE_SHIFT;
	info.probed_cpu_visible_size = info.probed_size;
	info.unallocated_size = info.probed_size;
	info.unallocated_cpu_visible_size = info.probed_size;

	query.num_regions = 1;
	if (copy_to_user(&user->regions[0], &info, sizeof(info)) || copy_to_user(user, &query, sizeof(query)))
		return -EFAULT;
	return total;
}

static int query_absent(struct igen_device *igen, const struct drm_i915_query_item *item)
{
	return -ENODEV;
}

static int query_perf_config(struct igen_device *igen, const struct drm_i915_query_item *item)
{
	switch (item->flags) {
	case DRM_I915_QUERY_PERF_CONFIG_LIST:
	case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID:
	case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID:
		return -ENODEV;
	default:
		return -EINVAL;
	}
}

/* By query_id - 1: topology, engines, perf, regions, hwconfig, geometry subslices (Gen12.5), GuC version. */
static int (* const queries[])(struct igen_device *igen, const struct drm_i915_query_item *item) = {
	query_topology,
	query_engines,
	query_perf_config,
	query_regions,
	query_absent,
	query_absent,
	query_absent,
};

/**
 * igen_query_ioctl - DRM_IOCTL_I915_QUERY
 * @drm: the DRM device
 * @data: the items; each receives the length of its answer, or an error number
 * @file: the caller's file
 *
 * Return: 0; -EINVAL for flags or an item without a query; -EFAULT; -EINTR when the caller is being killed.
 */
int igen_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct igen_device *igen = to_igen(drm);
	const struct drm_i915_query *args = data;
	struct drm_i915_query_item __user *user = u64_to_user_ptr(args->items_ptr);
	struct drm_i915_query_item item;
	unsigned long idx;
	u32 i;
	int ret;

	if (args->flags)
		return -EINVAL;

	for (i = 0; i < args->num_items; i++, user++) {
		if (copy_from_user(&item, user, sizeof(item)))
			return -EFAULT;
		if (!item.query_id)
			return -EINVAL;
		/* The count is the user's, any 32 bits: it must at least be possible to end it. */
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();

		ret = -EINVAL;
		if (item.query_id - 1 < ARRAY_SIZE(queries)) {
			idx = array_index_nospec(item.query_id - 1, ARRAY_SIZE(queries));
			ret = queries[idx](igen, &item);
		}
		if (ret != item.length && put_user(ret, &user->length))
			return -EFAULT;
	}

	return 0;
}
