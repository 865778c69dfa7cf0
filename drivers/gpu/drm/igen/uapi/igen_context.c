// SPDX-License-Identifier: MIT
/**
 * DOC: Context ioctls
 *
 * A handle names a context or a proto-context (igen_proto.c). Destroying a context removes its handle and empties its
 * table of handles at once. Its requests still run, and keep the rest of the context until then. The driver ends these
 * requests if the context is not persistent, or if they are on an engine without a heartbeat.
 *
 * A context has a fixed engine map and a fixed address space. Its other parameters can be changed as on i915; a change
 * of the fixed ones is refused with EINVAL.
 */
#include <linux/capability.h>
#include <linux/slab.h>

#include "../engine/igen_lrc.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_vm.h"
#include "igen_context.h"

static struct igen_context *context_lookup(struct igen_file *file, u32 id)
{
	struct igen_context *ctx;

	/* Contexts are freed by RCU, so the count may be looked at without a lock. */
	rcu_read_lock();
	ctx = igen_entry_context(xa_load(&file->contexts, id));
	if (ctx && !kref_get_unless_zero(&ctx->ref))
		ctx = NULL;
	rcu_read_unlock();

	return ctx;
}

static struct igen_context *context_finalize(struct igen_file *file, u32 id)
{
	struct igen_proto_context *pc;
	struct igen_context *ctx;

	lockdep_assert_held(&file->proto_lock);

	pc = igen_entry_proto(xa_load(&file->contexts, id));
	if (!pc)
		return ERR_PTR(-ENOENT);

	ctx = igen_proto_finalize(file, pc);
	if (IS_ERR(ctx))
		return ctx;
	ctx->id = id;

	/* One reference for the caller before the handle shows it; it takes the proto-context's slot. */
	igen_context_get(ctx);
	xa_store(&file->contexts, id, ctx, GFP_KERNEL);
	igen_proto_free(pc);
	return ctx;
}

/**
 * igen_context_lookup - the context of a handle
 * @file: the file
 * @id: the handle
 *
 * A proto-context becomes a context here. May sleep.
 *
 * Return: the context, counted; ERR_PTR(-ENOENT), or why it could not be made.
 */
struct igen_context *igen_context_lookup(struct igen_file *file, u32 id)
{
	struct igen_context *ctx;

	ctx = context_lookup(file, id);
	if (likely(ctx))
		return ctx;

	mutex_lock(&file->proto_lock);
	ctx = context_lookup(file, id);
	if (!ctx)
		ctx = context_finalize(file, id);
	mutex_unlock(&file->proto_lock);

	return ctx;
}

static void context_close(struct igen_file *file, struct igen_context *ctx)
{
	igen_context_note_closed(ctx);
	set_bit(IGEN_CONTEXT_CLOSED, &ctx->flags);
	igen_handles_close(ctx);
	igen_shadows_free(ctx);

	/* With hang checks disabled the driver would not notice that a persistent request hangs, so it ends, too. */
	if (!test_bit(IGEN_CONTEXT_PERSISTENT, &ctx->flags) || !READ_ONCE(file->igen->params.enable_hangcheck))
		igen_context_kill(ctx);
	else
		igen_context_leave(ctx);

	igen_context_put(ctx);
}

/* Closes the context or frees the proto-context that a handle named. */
static void context_entry_close(struct igen_file *file, void *entry)
{
	struct igen_proto_context *pc = igen_entry_proto(entry);

	if (pc)
		igen_proto_free(pc);
	else
		context_close(file, entry);
}

/**
 * igen_contexts_open - a new file's default context
 * @file: the file
 *
 * Return: 0 or -errno; nothing is left behind on failure.
 */
int igen_contexts_open(struct igen_file *file)
{
	struct igen_proto_context *pc;
	struct igen_context *ctx;
	int err;

	/* Handle 0 is the default context, and no address space at all. */
	xa_init_flags(&file->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&file->vms, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	mutex_init(&file->proto_lock);

	pc = igen_proto_create(file, 0);
	if (IS_ERR(pc)) {
		err = PTR_ERR(pc);
		goto err_destroy;
	}
	ctx = igen_proto_finalize(file, pc);
	igen_proto_free(pc);
	if (IS_ERR(ctx)) {
		err = PTR_ERR(ctx);
		goto err_destroy;
	}

	err = xa_err(xa_store(&file->contexts, 0, ctx, IGEN_GFP_CLIENT));
	if (err) {
		context_close(file, ctx);
		goto err_destroy;
	}
	return 0;

err_destroy:
	xa_destroy(&file->contexts);
	mutex_destroy(&file->proto_lock);
	return err;
}

/**
 * igen_contexts_close - close all contexts of a file
 * @file: the file, which is being closed and has no other users
 */
void igen_contexts_close(struct igen_file *file)
{
	struct igen_vm *vm;
	unsigned long id;
	void *entry;

	xa_for_each(&file->contexts, id, entry)
		context_entry_close(file, entry);
	xa_destroy(&file->contexts);

	xa_for_each(&file->vms, id, vm)
		igen_vm_put(vm);
	xa_destroy(&file->vms);
	mutex_destroy(&file->proto_lock);
}

/* The data of the extensions of CONTEXT_CREATE. */
struct create_args {
	struct igen_file *file;
	struct igen_proto_context *pc;
};

static int context_create_setparam(struct i915_user_extension __user *ext, void *data)
{
	struct drm_i915_gem_context_create_ext_setparam local;
	const struct create_args *args = data;

	if (copy_from_user(&local, ext, sizeof(local)))
		return -EFAULT;
	if (local.param.ctx_id)
		return -EINVAL;

	return igen_proto_setparam(args->file, args->pc, &local.param);
}

/* Cloning has been withdrawn from the ABI: unknown to i915 as well. */
static const igen_extension_fn create_extensions[] = {
	[I915_CONTEXT_CREATE_EXT_SETPARAM] = context_create_setparam,
};

/**
 * igen_context_create_ioctl - DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT
 * @drm: the DRM device
 * @data: flags and extensions; receives the handle
 * @drm_file: the caller's file
 *
 * The handle is of a proto-context, which becomes a context when it is first used.
 *
 * Return: 0; -EINVAL for an unknown flag; -EIO when the GPU is wedged or the client is banned; -ENOMEM; or what an
 * extension returns.
 */
int igen_context_create_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_i915_gem_context_create_ext *args = data;
	struct igen_file *file = to_igen_file(drm_file);
	struct create_args create = { .file = file };
	u32 id;
	int err;

	if (args->flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN)
		return -EINVAL;
	err = igen_check_alive(file->igen);
	if (err)
		return err;
	if (igen_client_is_banned(file->client)) {
		drm_dbg(drm, "the client's contexts have hung too often: it gets no more\n");
		return -EIO;
	}
	/* A context takes little memory until it is used, but a client may create any number of them. */
	if (!igen_make_room(file->igen, 1, 0))
		return -ENOMEM;

	create.pc = igen_proto_create(file, args->flags);
	if (IS_ERR(create.pc))
		return PTR_ERR(create.pc);

	if (args->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS) {
		err = igen_user_extensions(u64_to_user_ptr(args->extensions), create_extensions,
					   ARRAY_SIZE(create_extensions), &create);
		if (err)
			goto err_free;
	}

	/* From here on another thread may use it up or destroy it. */
	err = xa_alloc(&file->contexts, &id, xa_tag_pointer(create.pc, IGEN_PROTO_TAG), xa_limit_32b,
		       IGEN_GFP_CLIENT);
	if (err)
		goto err_free;

	args->ctx_id = id;
	return 0;

err_free:
	igen_proto_free(create.pc);
	return err;
}

/**
 * igen_context_destroy_ioctl - DRM_IOCTL_I915_GEM_CONTEXT_DESTROY
 * @drm: the DRM device
 * @data: the handle
 * @drm_file: the caller's file
 *
 * Return: 0, -EINVAL when the padding is not 0, -ENOENT when there is no such context or it is the default one.
 */
int igen_context_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_i915_gem_context_destroy *args = data;
	struct igen_file *file = to_igen_file(drm_file);
	void *entry;

	if (args->pad)
		return -EINVAL;
	if (!args->ctx_id)
		return -ENOENT;

	mutex_lock(&file->proto_lock);
	entry = xa_erase(&file->contexts, args->ctx_id);
	mutex_unlock(&file->proto_lock);

	if (!entry)
		return -ENOENT;
	context_entry_close(file, entry);
	return 0;
}

/**
 * igen_reset_stats_ioctl - DRM_IOCTL_I915_GET_RESET_STATS
 * @drm: the DRM device
 * @data: the context; receives how many resets it has caused and met
 * @drm_file: the caller's file
 *
 * Return: 0, -EINVAL for flags, or an error as igen_context_lookup()'s.
 */
int igen_reset_stats_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct igen_file *file = to_igen_file(drm_file);
	struct drm_i915_reset_stats *args = data;
	struct igen_context *ctx;

	if (args->flags || args->pad)
		return -EINVAL;

	ctx = igen_context_lookup(file, args->ctx_id);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);

	/* The count of all resets tells about other clients, so only root gets it. */
	args->reset_count = capable(CAP_SYS_ADMIN) ? atomic_read(&file->igen->reset_count) : 0;
	args->batch_active = atomic_read(&ctx->guilty_count);
	args->batch_pending = atomic_read(&ctx->active_count);

	igen_context_put(ctx);
	return 0;
}
