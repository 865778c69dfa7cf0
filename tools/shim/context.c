// SPDX-License-Identifier: MIT
/**
 * DOC: Contexts and address space handles
 *
 * A context has an address space and a slot for each engine that it uses: one an engine of the platform, or what the
 * program has listed. An engine's share is made with the first batch. A context whose batch has hung or faulted is
 * lost: all that it submits afterwards is -EIO.
 */
#include <errno.h>
#include <stdlib.h>

#include "gpu.h"
#include "engine/engine.h"

static const uint16_t classes[] = {
	[ENGINE_RENDER] = I915_ENGINE_CLASS_RENDER,
	[ENGINE_COPY] = I915_ENGINE_CLASS_COPY,
	[ENGINE_VIDEO] = I915_ENGINE_CLASS_VIDEO,
	[ENGINE_VIDEO_ENHANCE] = I915_ENGINE_CLASS_VIDEO_ENHANCE,
};

void engine_name(int engine, uint16_t *class, uint16_t *instance)
{
	const struct platform *p = gpu_device()->platform;

	for (unsigned int i = 0; i < p->num_engines; i++)
		if ((int)p->engines[i].id == engine)
			*class = classes[p->engines[i].class];
	*instance = engine == VCS1;
}

/* Its enum engine_id, or -1. */
int engine_by_class(uint16_t class, uint16_t instance)
{
	const struct platform *p = gpu_device()->platform;

	for (unsigned int i = 0; i < p->num_engines; i++) {
		uint16_t c = UINT16_MAX, n;

		engine_name((int)p->engines[i].id, &c, &n);
		if (c == class && n == instance)
			return (int)p->engines[i].id;
	}
	return -1;
}

static void slots_free(struct context *ctx)
{
	for (unsigned int i = 0; i < ctx->num_slots; i++)
		lrc_free(ctx->slots[i].lrc);
	free(ctx->slots);
}

void context_put(struct context *ctx)
{
	if (--ctx->refs)
		return;
	slots_free(ctx);
	if (ctx->vm)
		vm_put(ctx->vm);
	free(ctx);
}

/* Without an address space; the caller has the reference. */
static struct context *context_bare(void)
{
	struct context *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return NULL;
	ctx->refs = 1;
	ctx->bannable = true;
	ctx->recoverable = true;
	ctx->persistent = true;
	return ctx;
}

/* What the program has not said. */
static int context_complete(struct context *ctx)
{
	if (!ctx->vm)
		ctx->vm = vm_new();
	if (!ctx->vm)
		return -ENOMEM;
	if (ctx->user_engines)
		return 0;
	ctx->slots = calloc(NUM_ENGINES, sizeof(*ctx->slots));
	if (!ctx->slots)
		return -ENOMEM;
	ctx->num_slots = NUM_ENGINES;
	for (int i = 0; i < NUM_ENGINES; i++) {
		ctx->slots[i].engine = -1;
		for (unsigned int k = 0; k < gpu_device()->platform->num_engines; k++)
			if ((int)gpu_device()->platform->engines[k].id == i)
				ctx->slots[i].engine = i;
	}
	return 0;
}

/**
 * context_new() - makes a context with a handle
 * @file: the file
 *
 * Return: the context, which the handle keeps; NULL without memory.
 */
struct context *context_new(struct file *file)
{
	struct context *ctx = context_bare();
	uint32_t handle;

	if (!ctx)
		return NULL;
	if (context_complete(ctx) || handle_add(&file->contexts, ctx, &handle)) {
		context_put(ctx);
		return NULL;
	}
	ctx->id = handle - 1;
	return ctx;
}

struct context *context_lookup(struct file *file, uint32_t id)
{
	return id == UINT32_MAX ? NULL : handle_get(&file->contexts, id + 1);
}

/* The extensions of an engine map. */
struct map {
	struct slot *slots;
	unsigned int n;
};

static int map_balance(uint64_t addr, void *data)
{
	struct i915_context_engines_load_balance ext;
	struct map *map = data;
	int first = -1;

	if (copy_in(&ext, addr, sizeof(ext)))
		return -EFAULT;
	if (ext.engine_index >= map->n)
		return -EINVAL;
	if (map->slots[ext.engine_index].engine >= 0)
		return -EEXIST;
	if (ext.flags || ext.mbz64)
		return -EINVAL;
	/* All of them are checked; the first executes, since each is idle between two submissions. */
	for (unsigned int i = 0; i < ext.num_siblings; i++) {
		struct i915_engine_class_instance ci;
		int engine;

		if (copy_in(&ci, addr + sizeof(ext) + i * sizeof(ci), sizeof(ci)))
			return -EFAULT;
		engine = engine_by_class(ci.engine_class, ci.engine_instance);
		if (engine < 0)
			return -EINVAL;
		if (first < 0)
			first = engine;
	}
	map->slots[ext.engine_index].engine = first;
	return 0;
}

/* Which engine of a group goes with another one: without effect where only one works at a time. */
static int map_bond(uint64_t addr, void *data)
{
	struct i915_context_engines_bond ext;
	const struct map *map = data;

	if (copy_in(&ext, addr, sizeof(ext)))
		return -EFAULT;
	return ext.virtual_index >= map->n || ext.flags ? -EINVAL : 0;
}

static int map_parallel(uint64_t addr, void *data)
{
	(void)addr;
	(void)data;
	return -ENODEV;
}

static int set_engines(struct context *ctx, const struct drm_i915_gem_context_param *args)
{
	static const extension_fn extensions[] = {
		[I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE] = map_balance,
		[I915_CONTEXT_ENGINES_EXT_BOND] = map_bond,
		[I915_CONTEXT_ENGINES_EXT_PARALLEL_SUBMIT] = map_parallel,
	};
	struct i915_context_param_engines head;
	struct map map = { 0 };
	int err;

	if (ctx->user_engines || args->size < sizeof(head))
		return -EINVAL;
	if ((args->size - sizeof(head)) % sizeof(struct i915_engine_class_instance))
		return -EINVAL;
	map.n = (unsigned int)((args->size - sizeof(head)) / sizeof(struct i915_engine_class_instance));
	if (map.n > I915_EXEC_RING_MASK + 1)
		return -EINVAL;
	if (copy_in(&head, args->value, sizeof(head)))
		return -EFAULT;
	map.slots = calloc(map.n + 1, sizeof(*map.slots));
	if (!map.slots)
		return -ENOMEM;
	for (unsigned int i = 0; i < map.n; i++) {
		struct i915_engine_class_instance ci;

		map.slots[i].engine = -1;
		err = -EFAULT;
		if (copy_in(&ci, args->value + sizeof(head) + i * sizeof(ci), sizeof(ci)))
			goto fail;
		if (ci.engine_class == (uint16_t)I915_ENGINE_CLASS_INVALID &&
		    ci.engine_instance == (uint16_t)I915_ENGINE_CLASS_INVALID_NONE)
			continue;
		map.slots[i].engine = engine_by_class(ci.engine_class, ci.engine_instance);
		err = -ENOENT;
		if (map.slots[i].engine < 0)
			goto fail;
	}
	err = user_extensions(head.extensions, extensions, ARRAY_SIZE(extensions), &map);
	if (err)
		goto fail;
	ctx->slots = map.slots;
	ctx->num_slots = map.n;
	ctx->user_engines = true;
	return 0;
fail:
	free(map.slots);
	return err;
}

static int set_vm(struct file *file, struct context *ctx, const struct drm_i915_gem_context_param *args)
{
	struct vm *vm = args->value >> 32 ? NULL : handle_get(&file->vms, (uint32_t)args->value);

	if (args->size)
		return -EINVAL;
	if (!vm)
		return -ENOENT;
	vm->refs++;
	if (ctx->vm)
		vm_put(ctx->vm);
	ctx->vm = vm;
	return 0;
}

/* While the context is being made, its engines and address space can be chosen. */
static int set_param(struct file *file, struct context *ctx, const struct drm_i915_gem_context_param *args, bool new)
{
	bool *flag = NULL;

	switch (args->param) {
	case I915_CONTEXT_PARAM_ENGINES:
		return new ? set_engines(ctx, args) : -EINVAL;
	case I915_CONTEXT_PARAM_VM:
		return new ? set_vm(file, ctx, args) : -EINVAL;
	case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
		return new && !args->value ? 0 : new ? -ENODEV : -EINVAL;
	case I915_CONTEXT_PARAM_PRIORITY:
		if (args->size || (int64_t)args->value > I915_CONTEXT_MAX_USER_PRIORITY ||
		    (int64_t)args->value < I915_CONTEXT_MIN_USER_PRIORITY)
			return -EINVAL;
		ctx->priority = (int64_t)args->value;
		return 0;
	case I915_CONTEXT_PARAM_SSEU:
		/* The choice is Gen11's. */
		return args->size < sizeof(struct drm_i915_gem_context_param_sseu) ? -EINVAL : -ENODEV;
	case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
		flag = &ctx->no_error_capture;
		break;
	case I915_CONTEXT_PARAM_BANNABLE:
		flag = &ctx->bannable;
		break;
	case I915_CONTEXT_PARAM_RECOVERABLE:
		flag = &ctx->recoverable;
		break;
	case I915_CONTEXT_PARAM_PERSISTENCE:
		flag = &ctx->persistent;
		break;
	}
	if (!flag || args->size)
		return -EINVAL;
	*flag = args->value;
	return 0;
}

struct create {
	struct file *file;
	struct context *ctx;
};

static int create_setparam(uint64_t addr, void *data)
{
	struct drm_i915_gem_context_create_ext_setparam ext;
	struct create *create = data;

	if (copy_in(&ext, addr, sizeof(ext)))
		return -EFAULT;
	if (ext.param.ctx_id)
		return -EINVAL;
	return set_param(create->file, create->ctx, &ext.param, true);
}

int ioctl_context_create(struct file *file, void *data)
{
	static const extension_fn extensions[] = { [I915_CONTEXT_CREATE_EXT_SETPARAM] = create_setparam };
	struct drm_i915_gem_context_create_ext *args = data;
	struct create create = { .file = file, .ctx = context_bare() };
	uint32_t handle;
	int err = 0;

	if (!create.ctx)
		return -ENOMEM;
	if (args->flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN)
		err = -EINVAL;
	create.ctx->single_timeline = args->flags & I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE;
	if (!err && args->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS)
		err = user_extensions(args->extensions, extensions, ARRAY_SIZE(extensions), &create);
	if (!err)
		err = context_complete(create.ctx);
	if (!err)
		err = handle_add(&file->contexts, create.ctx, &handle);
	if (err) {
		context_put(create.ctx);
		return err;
	}
	create.ctx->id = handle - 1;
	args->ctx_id = create.ctx->id;
	return 0;
}

int ioctl_context_destroy(struct file *file, void *data)
{
	struct drm_i915_gem_context_destroy *args = data;
	struct context *ctx;

	if (args->pad)
		return -EINVAL;
	/* The file's own context stays. */
	ctx = args->ctx_id && args->ctx_id != UINT32_MAX ? handle_remove(&file->contexts, args->ctx_id + 1) : NULL;
	if (!ctx)
		return -ENOENT;
	context_put(ctx);
	return 0;
}

static int get_sseu(struct drm_i915_gem_context_param *args)
{
	struct drm_i915_gem_context_param_sseu sseu;
	struct topology topo;

	if (args->size) {
		if (args->size < sizeof(sseu))
			return -EINVAL;
		if (copy_in(&sseu, args->value, sizeof(sseu)))
			return -EFAULT;
		topology_read(&topo);
		sseu.slice_mask = topo.slices;
		sseu.subslice_mask = topo.subslices;
		sseu.min_eus_per_subslice = (uint16_t)topo.max_eus;
		sseu.max_eus_per_subslice = (uint16_t)topo.max_eus;
		if (copy_out(args->value, &sseu, sizeof(sseu)))
			return -EFAULT;
	}
	args->size = sizeof(sseu);
	return 0;
}

static int get_vm(struct file *file, struct context *ctx, struct drm_i915_gem_context_param *args)
{
	uint32_t handle;
	int err = handle_add(&file->vms, ctx->vm, &handle);

	if (err)
		return err;
	ctx->vm->refs++;
	args->value = handle;
	return 0;
}

int ioctl_context_getparam(struct file *file, void *data)
{
	struct drm_i915_gem_context_param *args = data;
	struct context *ctx = context_lookup(file, args->ctx_id);

	if (!ctx)
		return -ENOENT;
	if (args->param == I915_CONTEXT_PARAM_SSEU)
		return get_sseu(args);
	switch (args->param) {
	case I915_CONTEXT_PARAM_GTT_SIZE:
		args->value = ctx->vm->size;
		break;
	case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
		args->value = ctx->no_error_capture;
		break;
	case I915_CONTEXT_PARAM_BANNABLE:
		args->value = ctx->bannable;
		break;
	case I915_CONTEXT_PARAM_RECOVERABLE:
		args->value = ctx->recoverable;
		break;
	case I915_CONTEXT_PARAM_PERSISTENCE:
		args->value = ctx->persistent;
		break;
	case I915_CONTEXT_PARAM_PRIORITY:
		args->value = (uint64_t)ctx->priority;
		break;
	case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
		args->value = 0;
		break;
	case I915_CONTEXT_PARAM_VM:
		args->size = 0;
		return get_vm(file, ctx, args);
	default:
		return -EINVAL;
	}
	args->size = 0;
	return 0;
}

int ioctl_context_setparam(struct file *file, void *data)
{
	struct drm_i915_gem_context_param *args = data;
	struct context *ctx = context_lookup(file, args->ctx_id);
	bool new;

	if (!ctx)
		return -ENOENT;
	/* Engines and address space can be chosen until the context is used, if it is not the file's own. */
	new = args->ctx_id && !ctx->busy;
	if (new && args->param == I915_CONTEXT_PARAM_ENGINES && !ctx->user_engines) {
		struct context bare = { 0 };
		int err = set_engines(&bare, args);

		if (err)
			return err;
		slots_free(ctx);
		ctx->slots = bare.slots;
		ctx->num_slots = bare.num_slots;
		ctx->user_engines = true;
		return 0;
	}
	return set_param(file, ctx, args, new);
}

int ioctl_vm_create(struct file *file, void *data)
{
	struct drm_i915_gem_vm_control *args = data;
	struct vm *vm;
	int err;

	if (args->flags)
		return -EINVAL;
	err = user_extensions(args->extensions, NULL, 0, NULL);
	if (err)
		return err;
	vm = vm_new();
	if (!vm)
		return -ENOMEM;
	err = handle_add(&file->vms, vm, &args->vm_id);
	if (err)
		vm_put(vm);
	return err;
}

int ioctl_vm_destroy(struct file *file, void *data)
{
	struct drm_i915_gem_vm_control *args = data;
	struct vm *vm;

	if (args->flags || args->extensions)
		return -EINVAL;
	vm = handle_remove(&file->vms, args->vm_id);
	if (!vm)
		return -ENOENT;
	vm_put(vm);
	return 0;
}

int ioctl_reset_stats(struct file *file, void *data)
{
	struct drm_i915_reset_stats *args = data;
	struct context *ctx = context_lookup(file, args->ctx_id);

	if (args->flags || args->pad)
		return -EINVAL;
	if (!ctx)
		return -ENOENT;
	args->reset_count = shim.hangs;
	args->batch_active = ctx->hangs;
	args->batch_pending = 0;
	return 0;
}
