// SPDX-License-Identifier: MIT
/**
 * DOC: Context parameters
 *
 * CONTEXT_GETPARAM and CONTEXT_SETPARAM. NO_ZEROMAP, BAN_PERIOD and RINGSIZE have left i915's ABI and are unknown
 * here too. The slice configuration can be read; changing it is a feature of Gen11 in that ABI. There is no
 * protected content, so only its absence can be asked for.
 */
#include <linux/capability.h>
#include <linux/nospec.h>

#include "../mm/igen_budget.h"
#include "../mm/igen_vm.h"
#include "../submit/igen_reset.h"
#include "igen_context.h"

/**
 * igen_context_set_flag - sets a parameter that is a bit
 * @igen: the device
 * @flags: IGEN_CONTEXT_* bits
 * @args: which, and its value
 *
 * Return: 0; -EINVAL for a parameter that is no bit, for a size, or for persistence without hang checks; -ENODEV for
 * an end to it without engine resets; -EPERM for BANNABLE off without CAP_SYS_ADMIN.
 */
int igen_context_set_flag(struct igen_device *igen, unsigned long *flags,
			  const struct drm_i915_gem_context_param *args)
{
	unsigned int bit;

	switch (args->param) {
	case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
		bit = IGEN_CONTEXT_NO_ERROR_CAPTURE;
		break;
	case I915_CONTEXT_PARAM_BANNABLE:
		bit = IGEN_CONTEXT_BANNABLE;
		break;
	case I915_CONTEXT_PARAM_RECOVERABLE:
		bit = IGEN_CONTEXT_RECOVERABLE;
		break;
	case I915_CONTEXT_PARAM_PERSISTENCE:
		bit = IGEN_CONTEXT_PERSISTENT;
		break;
	default:
		return -EINVAL;
	}

	if (args->size)
		return -EINVAL;
	if (bit == IGEN_CONTEXT_BANNABLE && !args->value && !capable(CAP_SYS_ADMIN))
		return -EPERM;

	/* A persistent context needs hang checks; the other kind needs resets that can end it. */
	if (bit == IGEN_CONTEXT_PERSISTENT && test_bit(bit, flags) != !!args->value) {
		if (args->value && !READ_ONCE(igen->params.enable_hangcheck))
			return -EINVAL;
		if (!args->value && igen_reset_kind(igen) < 2)
			return -ENODEV;
	}

	if (args->value)
		set_bit(bit, flags);
	else
		clear_bit(bit, flags);
	return 0;
}

/**
 * igen_context_check_priority - checks a priority that userspace wants
 * @args: the parameter
 *
 * Return: 0; -EINVAL out of range or with a size; -EPERM above the default without CAP_SYS_NICE.
 */
int igen_context_check_priority(const struct drm_i915_gem_context_param *args)
{
	s64 priority = args->value;

	if (args->size)
		return -EINVAL;
	if (priority > I915_CONTEXT_MAX_USER_PRIORITY || priority < I915_CONTEXT_MIN_USER_PRIORITY)
		return -EINVAL;
	if (priority > I915_CONTEXT_DEFAULT_PRIORITY && !capable(CAP_SYS_NICE))
		return -EPERM;
	return 0;
}

static int context_set_sseu(const struct drm_i915_gem_context_param *args)
{
	if (args->size < sizeof(struct drm_i915_gem_context_param_sseu))
		return -EINVAL;
	/* Only Gen11's ABI lets userspace choose, for its media kernels' sake. */
	return -ENODEV;
}

static int context_set_proto_vm(struct igen_file *file, struct igen_proto_context *pc,
				const struct drm_i915_gem_context_param *args)
{
	struct igen_vm *vm;

	if (args->size)
		return -EINVAL;
	if (upper_32_bits(args->value))
		return -ENOENT;

	vm = igen_vm_lookup(file, args->value);
	if (!vm)
		return -ENOENT;
	igen_vm_put(pc->vm);
	pc->vm = vm;
	return 0;
}

/**
 * igen_proto_setparam - set a parameter of a proto-context
 * @file: the file
 * @pc: the proto-context; file->proto_lock is held, or no handle leads to it yet
 * @args: parameter and value
 *
 * Return: 0 or what SETPARAM returns.
 */
int igen_proto_setparam(struct igen_file *file, struct igen_proto_context *pc,
			const struct drm_i915_gem_context_param *args)
{
	int err;

	switch (args->param) {
	case I915_CONTEXT_PARAM_PRIORITY:
		err = igen_context_check_priority(args);
		if (!err)
			pc->priority = (s64)args->value;
		return err;
	case I915_CONTEXT_PARAM_SSEU:
		return context_set_sseu(args);
	case I915_CONTEXT_PARAM_VM:
		return context_set_proto_vm(file, pc, args);
	case I915_CONTEXT_PARAM_ENGINES:
		return igen_proto_set_engines(file, pc, args);
	case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
		return args->value ? -ENODEV : 0;
	default:
		return igen_context_set_flag(file->igen, &pc->flags, args);
	}
}

static int context_setparam(struct igen_context *ctx, const struct drm_i915_gem_context_param *args)
{
	int err;

	switch (args->param) {
	case I915_CONTEXT_PARAM_PRIORITY:
		err = igen_context_check_priority(args);
		if (!err)
			WRITE_ONCE(ctx->priority, (s64)args->value);
		return err;
	case I915_CONTEXT_PARAM_SSEU:
		return context_set_sseu(args);
	default:
		/* Engine map and address space are fixed by now: -EINVAL. */
		return igen_context_set_flag(ctx->igen, &ctx->flags, args);
	}
}

/**
 * igen_context_setparam_ioctl - DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM
 * @drm: the DRM device
 * @data: context, parameter and value
 * @drm_file: the caller's file
 *
 * A proto-context takes all parameters, a context only those that may change while it is used.
 *
 * Return: 0; -ENOENT when there is no such context; -EINVAL for a parameter, size or value that is not allowed; -EPERM
 * when the caller lacks a capability; or another error of the parameter.
 */
int igen_context_setparam_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	const struct drm_i915_gem_context_param *args = data;
	struct igen_file *file = to_igen_file(drm_file);
	struct igen_proto_context *pc;
	struct igen_context *ctx;
	int err;

	mutex_lock(&file->proto_lock);
	pc = igen_entry_proto(xa_load(&file->contexts, args->ctx_id));
	if (pc) {
		err = igen_proto_setparam(file, pc, args);
		mutex_unlock(&file->proto_lock);
		return err;
	}
	mutex_unlock(&file->proto_lock);

	ctx = igen_context_lookup(file, args->ctx_id);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	err = context_setparam(ctx, args);
	igen_context_put(ctx);
	return err;
}

/* Which slot an engine is in by the ABI's two ways of naming it; NULL: none. */
static struct igen_engine *context_sseu_engine(struct igen_context *ctx,
					       const struct drm_i915_gem_context_param_sseu *sseu)
{
	bool by_index = sseu->flags & I915_CONTEXT_SSEU_FLAG_ENGINE_INDEX;

	if (by_index != ctx->user_engines)
		return NULL;
	if (!by_index)
		return igen_engine_lookup(ctx->igen, sseu->engine.engine_class, sseu->engine.engine_instance);
	if (sseu->engine.engine_instance >= ctx->num_engines)
		return NULL;
	return ctx->engines[array_index_nospec(sseu->engine.engine_instance, ctx->num_engines)].engine;
}

static int context_get_sseu(struct igen_context *ctx, struct drm_i915_gem_context_param *args)
{
	const struct igen_topology *topo = &ctx->igen->topology;
	struct drm_i915_gem_context_param_sseu sseu;

	if (args->size) {
		if (args->size < sizeof(sseu))
			return -EINVAL;
		if (copy_from_user(&sseu, u64_to_user_ptr(args->value), sizeof(sseu)))
			return -EFAULT;
		if (sseu.rsvd || (sseu.flags & ~I915_CONTEXT_SSEU_FLAG_ENGINE_INDEX))
			return -EINVAL;
		if (!context_sseu_engine(ctx, &sseu))
			return -EINVAL;

		sseu.slice_mask = topo->slice_mask;
		sseu.subslice_mask = topo->subslice_mask[0];
		sseu.min_eus_per_subslice = topo->max_eus;
		sseu.max_eus_per_subslice = topo->max_eus;
		if (copy_to_user(u64_to_user_ptr(args->value), &sseu, sizeof(sseu)))
			return -EFAULT;
	}

	args->size = sizeof(sseu);
	return 0;
}

static int context_get_vm(struct igen_file *file, struct igen_context *ctx, struct drm_i915_gem_context_param *args)
{
	u32 id;
	int err;

	/* Once the handle is there another thread may close it, so it has a reference of its own first. */
	igen_vm_get(ctx->vm);
	err = xa_alloc(&file->vms, &id, ctx->vm, xa_limit_32b, IGEN_GFP_CLIENT);
	if (err) {
		igen_vm_put(ctx->vm);
		return err;
	}

	args->size = 0;
	args->value = id;
	return 0;
}

static int context_get_flag(struct igen_context *ctx, unsigned int bit, struct drm_i915_gem_context_param *args)
{
	args->size = 0;
	args->value = test_bit(bit, &ctx->flags);
	return 0;
}

static int context_getparam(struct igen_file *file, struct igen_context *ctx,
			    struct drm_i915_gem_context_param *args)
{
	switch (args->param) {
	case I915_CONTEXT_PARAM_GTT_SIZE:
		args->size = 0;
		args->value = ctx->vm->total;
		return 0;
	case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
		return context_get_flag(ctx, IGEN_CONTEXT_NO_ERROR_CAPTURE, args);
	case I915_CONTEXT_PARAM_BANNABLE:
		return context_get_flag(ctx, IGEN_CONTEXT_BANNABLE, args);
	case I915_CONTEXT_PARAM_RECOVERABLE:
		return context_get_flag(ctx, IGEN_CONTEXT_RECOVERABLE, args);
	case I915_CONTEXT_PARAM_PERSISTENCE:
		return context_get_flag(ctx, IGEN_CONTEXT_PERSISTENT, args);
	case I915_CONTEXT_PARAM_PRIORITY:
		args->size = 0;
		args->value = READ_ONCE(ctx->priority);
		return 0;
	case I915_CONTEXT_PARAM_SSEU:
		return context_get_sseu(ctx, args);
	case I915_CONTEXT_PARAM_VM:
		return context_get_vm(file, ctx, args);
	case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
		args->size = 0;
		args->value = 0;
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * igen_context_getparam_ioctl - DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM
 * @drm: the DRM device
 * @data: context and parameter; receives the value
 * @drm_file: the caller's file
 *
 * Return: 0, -EINVAL for an unknown parameter, -EFAULT, or an error as igen_context_lookup()'s.
 */
int igen_context_getparam_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct igen_file *file = to_igen_file(drm_file);
	struct drm_i915_gem_context_param *args = data;
	struct igen_context *ctx;
	int err;

	ctx = igen_context_lookup(file, args->ctx_id);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	err = context_getparam(file, ctx, args);
	igen_context_put(ctx);
	return err;
}
