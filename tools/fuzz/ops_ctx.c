// SPDX-License-Identifier: MIT
/*
 * DOC: Calls: contexts, address spaces, queries
 */
#include <string.h>
#include <sys/ioctl.h>
#include <i915_drm.h>

#include "fuzz.h"

void run_eng(struct thread *t, const uint64_t *a)
{
	unsigned int n = t->parts.engines;

	if (n == MAX_PARTS)
		return;
	t->parts.engines++;
	t->parts.engine[n].class = a[0];
	t->parts.engine[n].instance = a[1];
}

/**
 * put_engines - the engines collected, as a map with the extensions collected
 * @t: the thread
 * @where: where to put it
 * @bytes: gets its size
 *
 * Return: its address.
 */
uint64_t put_engines(struct thread *t, uint64_t where, uint32_t *bytes)
{
	struct i915_context_param_engines *map;
	uint64_t words[1 + MAX_PARTS] = { 0 };
	unsigned int i;

	map = (void *)words;
	map->extensions = put_extensions(t);
	for (i = 0; i < t->parts.engines; i++) {
		map->engines[i].engine_class = t->parts.engine[i].class;
		map->engines[i].engine_instance = t->parts.engine[i].instance;
	}
	*bytes = sizeof(*map) + t->parts.engines * sizeof(map->engines[0]);
	return put(t, words, *bytes, where);
}

void run_item(struct thread *t, const uint64_t *a)
{
	unsigned int n = t->parts.items;

	if (n == MAX_PARTS)
		return;
	t->parts.items++;
	t->parts.item[n].id = a[0];
	t->parts.item[n].length = a[1];
	t->parts.item[n].flags = a[2];
	t->parts.item[n].where = a[3];
}

/* query fd count ptr: items whose length is 1 are asked for their length first */
void run_query(struct thread *t, const uint64_t *a)
{
	struct drm_i915_query_item items[MAX_PARTS] = { 0 };
	uint8_t zero[1024] = { 0 };
	struct drm_i915_query query = { .num_items = t->parts.items };
	const int fd = use_fd(t, a[0]);
	struct drm_i915_query_item *done;
	unsigned int i;

	for (i = 0; i < t->parts.items; i++) {
		items[i].query_id = t->parts.item[i].id;
		items[i].flags = t->parts.item[i].flags;
		items[i].length = t->parts.item[i].length == 1 ? 0 : t->parts.item[i].length;
	}
	query.items_ptr = put(t, items, sizeof(items[0]) * t->parts.items, P_GOOD);
	done = (void *)(uintptr_t)query.items_ptr;
	ioctl_call(t, fd, DRM_IOCTL_I915_QUERY, &query);
	for (i = 0; i < t->parts.items; i++) {
		items[i].length = t->parts.item[i].length == 1 ? done[i].length : (int)t->parts.item[i].length;
		items[i].data_ptr = put(t, zero, sizeof(zero), t->parts.item[i].where);
	}
	query.items_ptr = put(t, items, sizeof(items[0]) * t->parts.items, a[2]);
	if (a[1])
		query.num_items = a[1];
	ioctl_call(t, fd, DRM_IOCTL_I915_QUERY, &query);
}

void run_ctx_create(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_context_create_ext create = { .flags = a[2] };

	if (t->parts.extensions) {
		create.flags |= I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS;
		create.extensions = put_extensions(t);
	}
	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create))
		put_slot(t, K_CTX, a[1], create.ctx_id);
}

void run_ctx_destroy(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_context_destroy destroy = { .ctx_id = use(t, K_CTX, a[1]) };

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy);
}

/* ctx_getparam fd ctx param size ptr new: an address space that it makes goes into a slot */
void run_ctx_getparam(struct thread *t, const uint64_t *a)
{
	uint8_t zero[256] = { 0 };
	struct drm_i915_gem_context_param param = {
		.ctx_id = use(t, K_CTX, a[1]), .param = a[2], .size = a[3], .value = put(t, zero, sizeof(zero), a[4]),
	};

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &param) &&
	    param.param == I915_CONTEXT_PARAM_VM)
		put_slot(t, K_VM, a[5], param.value);
}

/* ctx_setparam fd ctx param size value vm ptr */
void run_ctx_setparam(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_context_param_sseu sseu = {
		.slice_mask = 1, .subslice_mask = a[4], .min_eus_per_subslice = 8, .max_eus_per_subslice = 8,
	};
	struct drm_i915_gem_context_param param = {
		.ctx_id = use(t, K_CTX, a[1]), .param = a[2], .size = a[3], .value = a[4],
	};
	uint32_t bytes;

	switch (param.param) {
	case I915_CONTEXT_PARAM_ENGINES:
		param.value = put_engines(t, a[6], &bytes);
		param.size = a[3] ?: bytes;
		break;
	case I915_CONTEXT_PARAM_VM:
		param.value = use(t, K_VM, a[5]);
		break;
	case I915_CONTEXT_PARAM_SSEU:
		param.value = put(t, &sseu, sizeof(sseu), a[6]);
		param.size = a[3] ?: sizeof(sseu);
		break;
	}
	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &param);
}

void run_vm_create(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_vm_control vm = { .flags = a[2], .extensions = put_extensions(t) };

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_VM_CREATE, &vm))
		put_slot(t, K_VM, a[1], vm.vm_id);
}

void run_vm_destroy(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_vm_control vm = { .vm_id = use(t, K_VM, a[1]), .flags = a[2] };

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_VM_DESTROY, &vm);
}

void run_reset_stats(struct thread *t, const uint64_t *a)
{
	struct drm_i915_reset_stats stats = { .ctx_id = use(t, K_CTX, a[1]), .flags = a[2] };

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GET_RESET_STATS, &stats);
}

void run_getparam(struct thread *t, const uint64_t *a)
{
	int value = 0;
	struct drm_i915_getparam param = { .param = a[1] };

	param.value = (int *)(uintptr_t)put(t, &value, sizeof(value), a[2]);
	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GETPARAM, &param);
}

void run_reg_read(struct thread *t, const uint64_t *a)
{
	struct drm_i915_reg_read reg = { .offset = a[1] };

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_REG_READ, &reg);
}

/* raw fd nr size dir w0 w1 w2: any ioctl of DRM's, i915's from 0x40 on */
void run_raw(struct thread *t, const uint64_t *a)
{
	uint64_t words[8] = { a[4], a[5], a[6], a[5], a[4], 0, 0, 0 };
	unsigned int nr = a[1] & 0xff;

	/* Waiting for a display's interrupt is not the driver's. */
	ioctl_call(t, use_fd(t, a[0]), _IOC(a[3] & 3, 'd', nr, a[2] % 65), words);
}
