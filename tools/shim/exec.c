// SPDX-License-Identifier: MIT
/**
 * DOC: EXECBUFFER2
 *
 * Arguments are read and checked, objects get their places in the context's address space, relocations are written,
 * the batch is checked where a kernel's driver would do so (parser.c), and executed. The ioctl returns when that is
 * done. Submissions of a process are executed one after the other.
 *
 * Error numbers are those of stock i915 for the same mistake.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/engine.h"
#include "exec.h"

#define MAX_OBJECTS	(1u << 16)
#define LOW_LIMIT	(1ull << 32)	/* for objects without EXEC_OBJECT_SUPPORTS_48B_ADDRESS */
#define ADDRESS_MASK	((1ull << 48) - 1)

#define ILLEGAL_FLAGS	(__I915_EXEC_UNKNOWN_FLAGS | I915_EXEC_CONSTANTS_MASK | I915_EXEC_RESOURCE_STREAMER)
#define ILLEGAL_OBJECT_FLAGS	__EXEC_OBJECT_UNKNOWN_FLAGS

/* As the uAPI has addresses: bit 47 in all bits above it. */
uint64_t exec_canonical(uint64_t addr)
{
	return (uint64_t)((int64_t)(addr << 16) >> 16);
}

const struct exec_object *exec_object_by(const struct exec *x, uint32_t name)
{
	if (x->args->flags & I915_EXEC_HANDLE_LUT)
		return name < x->n ? &x->object[name] : NULL;
	for (unsigned int i = 0; i < x->n; i++)
		if (x->object[i].user.handle == name)
			return &x->object[i];
	return NULL;
}

static int check_args(const struct drm_i915_gem_execbuffer2 *args)
{
	if (args->flags & ILLEGAL_FLAGS)
		return -EINVAL;
	if (args->flags & I915_EXEC_SECURE)
		return -EPERM;
	/* Old X drivers left ~0 in DR4. */
	if (args->DR1 || (args->DR4 && args->DR4 != UINT32_MAX))
		return -EINVAL;
	if ((args->batch_start_offset | args->batch_len) & 7)
		return -EINVAL;
	if (!args->buffer_count)
		return -EINVAL;
	if (args->buffer_count > MAX_OBJECTS)
		return -ENOMEM;
	return args->flags & I915_EXEC_FENCE_IN && args->flags & I915_EXEC_FENCE_SUBMIT ? -EINVAL : 0;
}

static int legacy_slot(const struct exec *x)
{
	static const int8_t rings[] = {
		[I915_EXEC_DEFAULT] = RCS0,
		[I915_EXEC_RENDER] = RCS0,
		[I915_EXEC_BLT] = BCS0,
		[I915_EXEC_BSD] = VCS0,
		[I915_EXEC_VEBOX] = VECS0,
	};
	uint64_t ring = x->args->flags & I915_EXEC_RING_MASK, bsd = x->args->flags & I915_EXEC_BSD_MASK;

	if (ring >= ARRAY_SIZE(rings) || (bsd && ring != I915_EXEC_BSD) || bsd == I915_EXEC_BSD_MASK)
		return -EINVAL;
	if (ring == I915_EXEC_BSD && bsd == I915_EXEC_BSD_RING2 && x->ctx->slots[VCS1].engine >= 0)
		return VCS1;
	return rings[ring];
}

static int choose_engine(struct exec *x)
{
	int slot;

	if (x->ctx->user_engines) {
		slot = (int)(x->args->flags & I915_EXEC_RING_MASK);
		if (x->args->flags & I915_EXEC_BSD_MASK)
			return -EINVAL;
	} else {
		slot = legacy_slot(x);
	}
	if (slot < 0 || slot >= (int)x->ctx->num_slots || x->ctx->slots[slot].engine < 0)
		return -EINVAL;
	x->slot = &x->ctx->slots[slot];
	/* Only Gen7's render engine has stream output offsets that a driver resets. */
	if (x->args->flags & I915_EXEC_GEN7_SOL_RESET &&
	    (gpu_device()->platform->commands->gen != 7 || x->slot->engine != RCS0))
		return -EINVAL;
	return 0;
}

static int check_object(const struct drm_i915_gem_exec_object2 *user)
{
	/* Gen6's drivers set it for what PIPE_CONTROL writes. The parser finds all that is stored to (parser.c). */
	if (user->flags & EXEC_OBJECT_NEEDS_GTT && !gpu_device()->platform->stores_global)
		return -EINVAL;
	if (user->flags & ILLEGAL_OBJECT_FLAGS)
		return -EINVAL;
	if (user->alignment & (user->alignment - 1))
		return -EINVAL;
	if (user->flags & EXEC_OBJECT_PAD_TO_SIZE && user->pad_to_size % PAGE)
		return -EINVAL;
	if (user->flags & EXEC_OBJECT_PINNED &&
	    (user->offset % PAGE || exec_canonical(user->offset & ADDRESS_MASK) != user->offset))
		return -EINVAL;
	return 0;
}

static int read_objects(struct exec *x)
{
	struct drm_i915_gem_exec_object2 *user;
	uint32_t n = x->args->buffer_count;
	int err = 0;

	x->object = calloc(n, sizeof(*x->object));
	user = malloc(n * sizeof(*user));
	if (!x->object || !user)
		err = -ENOMEM;
	else if (copy_in(user, x->args->buffers_ptr, n * sizeof(*user)))
		err = -EFAULT;
	for (uint32_t i = 0; !err && i < n; i++) {
		struct exec_object *o = &x->object[i];

		o->user = user[i];
		o->bo = bo_lookup(x->file, user[i].handle);
		err = o->bo ? check_object(&user[i]) : -ENOENT;
		if (err)
			break;
		bo_get(o->bo);
		x->n++;
		err = bo_prepare(o->bo);
	}
	free(user);
	return err;
}

static int place_object(struct exec *x, struct exec_object *o)
{
	const struct drm_i915_gem_exec_object2 *user = &o->user;
	struct place place = {
		.addr = user->flags & EXEC_OBJECT_PINNED ? user->offset & ADDRESS_MASK : VM_ANYWHERE,
		.size = o->bo->size,
		.align = user->alignment > PAGE ? user->alignment : PAGE,
		.limit = user->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS ? UINT64_MAX : LOW_LIMIT,
	};
	struct vma *vma = vm_find(x->ctx->vm, o->bo);

	if (user->flags & EXEC_OBJECT_PAD_TO_SIZE && user->pad_to_size > place.size)
		place.size = user->pad_to_size;
	if (vma) {
		/* Twice in one list. */
		if (vma->seen == x->number)
			return -EINVAL;
		if (vma->size >= place.size &&
		    (place.addr == VM_ANYWHERE ? !(vma->addr % place.align) && vma->addr + vma->size <= place.limit :
						 vma->addr == place.addr)) {
			vma->seen = x->number;
			o->vma = vma;
			return 0;
		}
		vma_unbind(vma);
	}
	return vm_bind(x->ctx->vm, o->bo, &place, x->number, &o->vma);
}

/* Those with a place of their own first, then those that are where they were, then the others. */
static int place_objects(struct exec *x)
{
	int err = 0;

	for (unsigned int pass = 0; pass < 3; pass++)
		for (unsigned int i = 0; !err && i < x->n; i++) {
			struct exec_object *o = &x->object[i];
			bool pinned = o->user.flags & EXEC_OBJECT_PINNED;

			if (pass == 1 ? pinned || !vm_find(x->ctx->vm, o->bo) : pass == 0 ? !pinned : (bool)o->vma)
				continue;
			err = place_object(x, o);
		}
	return err;
}

static const struct exec_object *batch_object(const struct exec *x)
{
	return &x->object[x->args->flags & I915_EXEC_BATCH_FIRST ? 0 : x->n - 1];
}

static int place_batch(const struct exec *x, struct batch *batch)
{
	const struct drm_i915_gem_execbuffer2 *args = x->args;
	const struct exec_object *o = batch_object(x);

	if (o->user.flags & EXEC_OBJECT_WRITE)
		return -EINVAL;
	if (args->batch_start_offset >= o->bo->size || args->batch_len > o->bo->size - args->batch_start_offset)
		return -EINVAL;
	batch->addr = o->vma->addr + args->batch_start_offset;
	return 0;
}

static int write_offsets(const struct exec *x)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < x->n; i++) {
		uint64_t addr = exec_canonical(x->object[i].vma->addr);

		if (addr != x->object[i].user.offset)
			err = copy_out(x->args->buffers_ptr + i * sizeof(x->object[i].user) +
				       offsetof(struct drm_i915_gem_exec_object2, offset), &addr, sizeof(addr));
	}
	return err;
}

/* shim.lock held. */
static int prepare(struct exec *x, struct batch *batch)
{
	static uint64_t last;
	int err;

	x->number = ++last;
	x->ctx = context_lookup(x->file, (uint32_t)(x->args->rsvd1 & I915_EXEC_CONTEXT_ID_MASK));
	if (!x->ctx)
		return -ENOENT;
	x->ctx->refs++;
	x->ctx->busy = true;
	err = x->ctx->banned ? -EIO : choose_engine(x);
	if (!err)
		err = exec_fences_read(x);
	if (!err)
		err = exec_fences_check(x);
	if (!err)
		err = read_objects(x);
	if (!err)
		err = place_objects(x);
	if (!err)
		err = place_batch(x, batch);
	if (!err)
		err = exec_relocate(x);
	if (!err)
		err = write_offsets(x);
	if (!err && !x->slot->lrc) {
		x->slot->lrc = lrc_new(x->ctx->vm, x->slot->engine);
		err = x->slot->lrc ? 0 : -ENOMEM;
	}
	return err ? err : exec_check_batch(x, batch_object(x), x->args->batch_start_offset, batch);
}

/* A single timeline is what synchronous execution gives. shim.exec held, shim.lock not. */
static int execute(struct exec *x, const struct batch *batch)
{
	int err;

	if (x->args->flags & I915_EXEC_GEN7_SOL_RESET)
		gpu_reset_stream_offsets();
	err = gpu_execute(x->slot->lrc, x->ctx->vm, x->slot->engine, batch);
	pthread_mutex_lock(&shim.lock);
	if (err == -EIO) {
		x->ctx->banned = true;
		x->ctx->hangs++;
		shim.hangs++;
	}
	/* A batch that was lost has ended as well. */
	exec_fences_signal(x);
	pthread_mutex_unlock(&shim.lock);
	return err;
}

static void finish(struct exec *x)
{
	for (unsigned int i = 0; i < x->n; i++)
		bo_put(x->object[i].bo);
	free(x->object);
	exec_fences_free(x);
	if (x->ctx)
		context_put(x->ctx);
}

/* Called with no lock held. */
int ioctl_execbuffer2(struct file *file, void *data)
{
	struct exec x = { .args = data, .file = file };
	struct drm_i915_gem_execbuffer2 *args = data;
	struct batch batch = { 0 };
	int err = check_args(args), out = -1;

	if (!err && args->flags & (I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT))
		err = fence_wait_fd((int)(uint32_t)args->rsvd2);
	if (!err && args->flags & I915_EXEC_FENCE_OUT) {
		out = fence_fd();
		err = out < 0 ? out : 0;
	}
	if (err)
		return err;
	pthread_mutex_lock(&shim.exec);
	pthread_mutex_lock(&shim.lock);
	err = prepare(&x, &batch);
	pthread_mutex_unlock(&shim.lock);
	if (!err)
		err = execute(&x, &batch);
	pthread_mutex_lock(&shim.lock);
	finish(&x);
	pthread_mutex_unlock(&shim.lock);
	pthread_mutex_unlock(&shim.exec);
	if (out >= 0 && err)
		syscall(SYS_close, out);
	else if (out >= 0)
		args->rsvd2 = (args->rsvd2 & UINT32_MAX) | (uint64_t)(uint32_t)out << 32;
	return err;
}
