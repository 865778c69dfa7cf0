// SPDX-License-Identifier: MIT
/**
 * DOC: Context ioctls
 *
 * Handles name contexts or proto-contexts (igen_proto.c). Destroying a context takes its handle away and empties its
 * handle table at once; its requests hold the rest until they have run, but those of a context that is not persistent
 * are ended, and so are those on an engine without a heartbeat. Parameters of a context whose map and address space
 * are fixed can still be changed where i915 lets them be; the others are refused with EINVAL.
 */
#include <linux/capability.h>
#include <linux/slab.h>

#include "../engine/igen_lrc.h"
#include "../mm/igen_vm.h"
#include "igen_context.h"

static struct igen_context *lookup(struct igen_file *file, u32 id)
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

static struct igen_context *finalize(struct igen_file *file, u32 id)
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

	ctx = lookup(file, id);
	if (likely(ctx))
		return ctx;

	mutex_lock(&file->proto_lock);
	ctx = lookup(file, id);
	if (!ctx)
		ctx = finalize(file, id);
	mutex_unlock(&file->proto_lock);

	return ctx;
}

static void context_close(struct igen_file *file, struct igen_context *ctx)
{
	set_bit(IGEN_CONTEXT_CLOSED, &ctx->flags);
	igen_handles_close(ctx);
	igen_shadows_free(ctx);

	/* Nobody would find out that what persists hangs. */
	if (!test_bit(IGEN_CONTEXT_PERSISTENT, &ctx->flags) || !READ_ONCE(file->igen->params.enable_hangcheck))
		igen_context_kill(ctx);
	else
		igen_context_leave(ctx);

	igen_context_put(ctx);
}

/* Ends what a handle named. */
static void entry_close(struct igen_file *file, void *entry)
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
	xa_init_flags(&file->contexts, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->vms, XA_FLAGS_ALLOC1);
	mutex_init(&file->proto_lock);

	pc = igen_proto_create(file->igen, 0);
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

	err = xa_err(xa_store(&file->contexts, 0, ctx, GFP_KERNEL));
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
 * igen_contexts_close - closes all that a file has
 * @file: the file, closing: nobody else uses it
 */
void igen_contexts_close(struct igen_file *file)
{
	struct igen_vm *vm;
	unsigned long id;
	void *entry;

	xa_for_each(&file->contexts, id, entry)
		entry_close(file, entry);
	xa_destroy(&file->contexts);

	xa_for_each(&file->vms, id, vm)
		igen_vm_put(vm);
	xa_destroy(&file->vms);
	mutex_destroy(&file->proto_lock);
}

/* What CONTEXT_CREATE's extensions work on. */
struct create_args {
	struct igen_file *file;
	struct igen_proto_context *pc;
};

static int create_setparam(struct i915_user_extension __user *ext, void *data)
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
	[I915_CONTEXT_CREATE_EXT_SETPARAM] = create_setparam,
};

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
	/* It is small until it is used, but there may be any number of them. */
	if (!igen_make_room(file->igen, 1, 0))
		return -ENOMEM;

	create.pc = igen_proto_create(file->igen, args->flags);
	if (IS_ERR(create.pc))
		return PTR_ERR(create.pc);

	if (args->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS) {
		err = igen_user_extensions(u64_to_user_ptr(args->extensions), create_extensions,
					   ARRAY_SIZE(create_extensions), &create);
		if (err)
			goto err_free;
	}

	/* From here on another thread may use it up or destroy it. */
	err = xa_alloc(&file->contexts, &id, xa_tag_pointer(create.pc, IGEN_PROTO_TAG), xa_limit_32b, GFP_KERNEL);
	if (err)
		goto err_free;

	args->ctx_id = id;
	return 0;

err_free:
	igen_proto_free(create.pc);
	return err;
}

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
	entry_close(file, entry);
	return 0;
}

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

	/* How often others hung is nobody else's business. */
	args->reset_count = capable(CAP_SYS_ADMIN) ? atomic_read(&file->igen->reset_count) : 0;
	args->batch_active = atomic_read(&ctx->guilty_count);
	args->batch_pending = atomic_read(&ctx->active_count);

	igen_context_put(ctx);
	return 0;
}
