// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: explicit fences
 *
 * FENCE_IN and FENCE_SUBMIT bring a sync file, FENCE_OUT takes one away; FENCE_ARRAY and the timeline extension name
 * syncobjs to wait for and to signal. All that can fail is done before the request exists: links of timelines
 * are allocated, the descriptor is reserved; afterwards everything is only handed over.
 */
#include <drm/drm_print.h>
#include <drm/drm_syncobj.h>
#include <linux/dma-fence-chain.h>
#include <linux/file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sync_file.h>

#include "../igen_killable.h"
#include "igen_execbuf.h"

#define FENCE_FLAGS	(I915_EXEC_FENCE_WAIT | I915_EXEC_FENCE_SIGNAL)

/* Flags of a call that brings fences, or takes one away. */
#define FENCE_CALLS	(I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT | I915_EXEC_FENCE_OUT | I915_EXEC_FENCE_ARRAY | \
			 I915_EXEC_USE_EXTENSIONS)

/* Syncobjs of one call: i915 has 32 bytes for each in an array from krealloc(), which gives up to 4 MiB. */
#define MAX_FENCES	((unsigned int)(SZ_4M / 32))

/*
 * Room for more syncobjs, all zero. The array doubles, so that a chain of extensions copies each entry once or twice.
 * It ends where i915's does, which is one kmalloc().
 */
static struct igen_exec_fence *fences_grow(struct igen_execbuf *eb, u64 more)
{
	struct igen_exec_fence *fences;
	unsigned int room;

	if (more > MAX_FENCES - eb->num_fences) {
		drm_dbg(&eb->igen->drm, "%llu syncobjs after %u are too many\n", more, eb->num_fences);
		return ERR_PTR(-ENOMEM);
	}
	if (eb->num_fences + more <= eb->fences_room)
		return eb->fences + eb->num_fences;

	room = max_t(u64, eb->num_fences + more, min(2 * eb->fences_room, MAX_FENCES));
	fences = igen_execbuf_alloc(eb, (u64)room * sizeof(*fences));
	if (!fences)
		return ERR_PTR(-ENOMEM);
	if (eb->num_fences)
		memcpy(fences, eb->fences, eb->num_fences * sizeof(*fences));
	memset(fences + eb->num_fences, 0, (room - eb->num_fences) * sizeof(*fences));
	kvfree(eb->fences);
	eb->fences = fences;
	eb->fences_room = room;
	return fences + eb->num_fences;
}

static void fences_release(struct igen_exec_fence *f)
{
	if (f->syncobj)
		drm_syncobj_put(f->syncobj);
	dma_fence_put(f->wait);
	dma_fence_chain_free(f->chain);
}

static int fences_add_binary(struct igen_execbuf *eb, struct igen_exec_fence *f,
			     const struct drm_i915_gem_exec_fence *user)
{
	if (user->flags & ~FENCE_FLAGS)
		return -EINVAL;
	f->syncobj = drm_syncobj_find(eb->file->drm, user->handle);
	if (!f->syncobj)
		return -ENOENT;
	if (user->flags & I915_EXEC_FENCE_WAIT) {
		f->wait = drm_syncobj_fence_get(f->syncobj);
		if (!f->wait)
			return -EINVAL;
	}
	f->signal = user->flags & I915_EXEC_FENCE_SIGNAL;
	return 0;
}

static int fences_add_point(struct igen_execbuf *eb, struct igen_exec_fence *f,
			    const struct drm_i915_gem_exec_fence *user, u64 point)
{
	int err = 0;

	if (user->flags & ~FENCE_FLAGS)
		return -EINVAL;
	f->syncobj = drm_syncobj_find(eb->file->drm, user->handle);
	if (!f->syncobj)
		return -ENOENT;

	f->point = point;
	f->signal = user->flags & I915_EXEC_FENCE_SIGNAL;
	f->wait = drm_syncobj_fence_get(f->syncobj);
	if (!f->wait && user->flags && !f->signal)
		return -EINVAL;
	if (f->wait)
		err = dma_fence_chain_find_seqno(&f->wait, point);
	/* A point without a fence yet can be signaled, but not waited for. A point long past has no fence any more. */
	if (err && !f->signal)
		return err;
	if (err || !(user->flags & I915_EXEC_FENCE_WAIT)) {
		dma_fence_put(f->wait);
		f->wait = NULL;
	}

	if (point && f->signal) {
		if (user->flags & I915_EXEC_FENCE_WAIT)
			return -EINVAL;
		f->chain = dma_fence_chain_alloc();
		if (!f->chain)
			return -ENOMEM;
		eb->num_links++;
	}
	return 0;
}

static int fences_parse_timeline(struct i915_user_extension __user *base, void *data)
{
	struct drm_i915_gem_execbuffer_ext_timeline_fences ext;
	struct drm_i915_gem_exec_fence __user *user;
	struct drm_i915_gem_exec_fence fence;
	struct igen_execbuf *eb = data;
	struct igen_exec_fence *f;
	u64 __user *values;
	u64 n, point;
	int err;

	if (copy_from_user(&ext, base, sizeof(ext)))
		return -EFAULT;
	if (!ext.fence_count)
		return 0;
	user = u64_to_user_ptr(ext.handles_ptr);
	values = u64_to_user_ptr(ext.values_ptr);
	if (ext.fence_count > ULONG_MAX / sizeof(*user) - eb->num_fences)
		return -EINVAL;
	if (!access_ok(user, ext.fence_count * sizeof(*user)) || !access_ok(values, ext.fence_count * sizeof(*values)))
		return -EFAULT;

	f = fences_grow(eb, ext.fence_count);
	if (IS_ERR(f))
		return PTR_ERR(f);

	for (n = 0; n < ext.fence_count; n++, f++) {
		/* Looking for a point walks the syncobj's whole timeline. */
		err = igen_check_killed();
		if (err)
			return err;
		/* Counted as it is: a failure releases what it has. */
		eb->num_fences++;
		if (copy_from_user(&fence, &user[n], sizeof(fence)) || get_user(point, &values[n]))
			return -EFAULT;
		err = fences_add_point(eb, f, &fence, point);
		if (err)
			return err;
	}
	return 0;
}

static int fences_parse_array(struct igen_execbuf *eb)
{
	struct drm_i915_gem_exec_fence __user *user = u64_to_user_ptr(eb->args->cliprects_ptr);
	const u32 count = eb->args->num_cliprects;
	struct drm_i915_gem_exec_fence fence;
	struct igen_exec_fence *f;
	u32 n;
	int err;

	if (!count)
		return 0;
	if (!access_ok(user, count * sizeof(*user)))
		return -EFAULT;
	f = fences_grow(eb, count);
	if (IS_ERR(f))
		return PTR_ERR(f);

	for (n = 0; n < count; n++, f++) {
		err = igen_check_killed_at(n);
		if (err)
			return err;
		eb->num_fences++;
		if (copy_from_user(&fence, &user[n], sizeof(fence)))
			return -EFAULT;
		err = fences_add_binary(eb, f, &fence);
		if (err)
			return err;
	}
	return 0;
}

static const igen_extension_fn extensions[] = {
	[DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES] = fences_parse_timeline,
};

/**
 * igen_execbuf_parse_fences - look up all fences of a call
 * @eb: the call
 *
 * Return: 0 or -errno. In either case igen_execbuf_free_fences() has to follow.
 */
int igen_execbuf_parse_fences(struct igen_execbuf *eb)
{
	const u64 in = I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT;
	const u64 flags = eb->args->flags;
	int err;

	eb->has_fences = flags & FENCE_CALLS;
	if (!eb->has_fences)
		return 0;

	if (flags & I915_EXEC_USE_EXTENSIONS) {
		/* The chain stands where the array would. */
		if (flags & I915_EXEC_FENCE_ARRAY || eb->args->num_cliprects)
			return -EINVAL;
		err = igen_user_extensions(u64_to_user_ptr(eb->args->cliprects_ptr), extensions,
					   ARRAY_SIZE(extensions), eb);
		if (err)
			return err;
	}

	if (flags & I915_EXEC_FENCE_ARRAY) {
		err = fences_parse_array(eb);
		if (err)
			return err;
	}

	if (flags & in) {
		if ((flags & in) == in)
			return -EINVAL;
		eb->in_fence = sync_file_get_fence(lower_32_bits(eb->args->rsvd2));
		if (!eb->in_fence)
			return -EINVAL;
	}

	if (flags & I915_EXEC_FENCE_OUT) {
		eb->out_fd = get_unused_fd_flags(O_CLOEXEC);
		if (eb->out_fd < 0) {
			err = eb->out_fd;
			eb->out_fd = -1;
			return err;
		}
	}
	return 0;
}

/**
 * igen_execbuf_await_fences - have a request wait for the call's fences, and create its sync file
 * @eb: the call, with fences (igen_execbuf_has_fences())
 * @rq: the call's request
 *
 * Return: 0, -ENOMEM, -EINTR when the process is being killed.
 */
int igen_execbuf_await_fences(struct igen_execbuf *eb, struct igen_request *rq)
{
	struct dma_fence *fence;
	unsigned int n;
	int err;

	/* A link of a timeline keeps the request's fence: the request is freed after its links. */
	if (eb->num_links) {
		err = igen_request_charge(rq, (size_t)eb->num_links * sizeof(struct dma_fence_chain));
		if (err)
			return err;
	}

	if (unlikely(eb->ctx->syncobj)) {
		fence = drm_syncobj_fence_get(eb->ctx->syncobj);
		err = fence ? igen_request_await(rq, fence) : 0;
		dma_fence_put(fence);
		if (err)
			return err;
	}

	if (eb->in_fence) {
		if (eb->args->flags & I915_EXEC_FENCE_SUBMIT)
			err = igen_request_await_execution(rq, eb->in_fence);
		else
			err = igen_request_await(rq, eb->in_fence);
		if (err)
			return err;
	}

	for (n = 0; n < eb->num_fences; n++) {
		if (!eb->fences[n].wait)
			continue;
		/* A fence of a timeline syncobj may be a chain of many fences, each of which is awaited. */
		err = igen_check_killed();
		if (!err)
			err = igen_request_await(rq, eb->fences[n].wait);
		if (err)
			return err;
	}

	if (eb->out_fd >= 0) {
		eb->out_file = sync_file_create(&rq->fence);
		if (!eb->out_file)
			return -ENOMEM;
	}
	return 0;
}

/**
 * igen_execbuf_signal_fences - hand the request's fence to the syncobjs and the sync file of the call
 * @eb: the call, with fences (igen_execbuf_has_fences())
 * @rq: the call's request, committed
 *
 * Adding a point to a syncobj walks the syncobj's whole timeline, so that as many points as a call may name take
 * minutes. The syncobjs that are left when the process is killed get no fence, as if the call had not been made.
 */
void igen_execbuf_signal_fences(struct igen_execbuf *eb, struct igen_request *rq)
{
	struct igen_exec_fence *f;
	unsigned int n;

	for (n = 0; n < eb->num_fences; n++) {
		f = &eb->fences[n];
		if (!f->signal)
			continue;
		if (igen_check_killed())
			break;
		if (f->chain) {
			drm_syncobj_add_point(f->syncobj, f->chain, &rq->fence, f->point);
			f->chain = NULL;
		} else {
			drm_syncobj_replace_fence(f->syncobj, &rq->fence);
		}
	}

	if (unlikely(eb->ctx->syncobj))
		drm_syncobj_replace_fence(eb->ctx->syncobj, &rq->fence);

	if (eb->out_file) {
		fd_install(eb->out_fd, eb->out_file->file);
		/* The lower half keeps the number of the sync file that came in. */
		eb->args->rsvd2 = lower_32_bits(eb->args->rsvd2) | (u64)eb->out_fd << 32;
		eb->out_fd = -1;
		eb->out_file = NULL;
	}
}

/**
 * igen_execbuf_free_fences - release fences and syncobjs of a call
 * @eb: the call, with has_fences
 */
void igen_execbuf_free_fences(struct igen_execbuf *eb)
{
	unsigned int n;

	for (n = 0; n < eb->num_fences; n++)
		fences_release(&eb->fences[n]);
	kvfree(eb->fences);

	if (eb->out_file)
		fput(eb->out_file->file);
	if (eb->out_fd >= 0)
		put_unused_fd(eb->out_fd);
	dma_fence_put(eb->in_fence);
}
