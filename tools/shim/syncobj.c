// SPDX-License-Identifier: MIT
/**
 * DOC: Syncobjs, and fences in descriptors
 *
 * A submission is over when its ioctl returns, so every fence is signalled: a syncobj has a fence or has none, and a
 * timeline has come to a point. Waiting means waiting for another thread of the program to submit. A fence in a
 * descriptor is an eventfd that can be read; what a program asks of sync files is answered for it.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "gpu.h"

#define MAX_SYNCOBJS	16384u		/* of one ioctl */

struct syncobj *syncobj_lookup(struct file *file, uint32_t handle)
{
	return handle_get(&file->syncobjs, handle);
}

void syncobj_put(struct syncobj *s)
{
	if (!--s->refs)
		free(s);
}

/* With a fence that is signalled; point 0 is a binary one's, and starts a timeline anew. */
void syncobj_signal(struct syncobj *s, uint64_t point)
{
	s->fence = true;
	if (!point || point > s->point)
		s->point = point;
	pthread_cond_broadcast(&shim.signalled);
}

int fence_fd(void)
{
	int fd = eventfd(1, EFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* 0 when the fence has signalled; shim.lock not held. */
int fence_wait_fd(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	do {
		n = poll(&p, 1, (int)shim.settings.timeout_ms);
	} while (n < 0 && errno == EINTR);
	if (n < 0 || p.revents & (POLLNVAL | POLLERR))
		return -EINVAL;
	if (n)
		return 0;
	shim_say("the fence in descriptor %d has not signalled within %u ms", fd, shim.settings.timeout_ms);
	return -ETIME;
}

static bool is_fence(int fd)
{
	char link[32], target[32] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (syscall(SYS_readlink, link, target, sizeof(target) - 1) < 0)
		return false;
	return !strcmp(target, "anon_inode:[eventfd]");
}

static int fence_merge(int fd, void *arg)
{
	struct sync_merge_data *args = arg;
	int err;

	if (args->flags || args->pad)
		return -EINVAL;
	if (!is_fence(args->fd2))
		return -ENOENT;
	err = fence_wait_fd(fd);
	if (!err)
		err = fence_wait_fd(args->fd2);
	if (err)
		return err;
	args->fence = fence_fd();
	return args->fence < 0 ? args->fence : 0;
}

static int fence_info(void *arg)
{
	struct sync_file_info *args = arg;
	struct sync_fence_info info = { .driver_name = "igen-shim", .obj_name = "batch", .status = 1 };

	if (args->flags || args->pad)
		return -EINVAL;
	if (args->num_fences && copy_out(args->sync_fence_info, &info, sizeof(info)))
		return -EFAULT;
	strcpy(args->name, "igen-shim");
	args->status = 1;
	args->num_fences = 1;
	return 0;
}

/**
 * fence_ioctl() - an ioctl of sync files
 * @fd: the descriptor
 * @request: the ioctl
 * @arg: its argument
 *
 * Return: 0, a negative error number, or -ENOTTY for what is none or is not for one of the shim's fences.
 */
int fence_ioctl(int fd, unsigned long request, void *arg)
{
	if (!is_fence(fd))
		return -ENOTTY;
	if (request == SYNC_IOC_MERGE)
		return fence_merge(fd, arg);
	return request == SYNC_IOC_FILE_INFO ? fence_info(arg) : -ENOTTY;
}

int ioctl_syncobj_create(struct file *file, void *data)
{
	struct drm_syncobj_create *args = data;
	struct syncobj *s;
	int err;

	if (args->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->refs = 1;
	s->fence = args->flags & DRM_SYNCOBJ_CREATE_SIGNALED;
	err = handle_add(&file->syncobjs, s, &args->handle);
	if (err)
		free(s);
	return err;
}

int ioctl_syncobj_destroy(struct file *file, void *data)
{
	struct drm_syncobj_destroy *args = data;
	struct syncobj *s;

	if (args->pad)
		return -EINVAL;
	s = handle_remove(&file->syncobjs, args->handle);
	if (!s)
		return -EINVAL;
	syncobj_put(s);
	return 0;
}

int ioctl_syncobj_to_fd(struct file *file, void *data)
{
	struct drm_syncobj_handle *args = data;
	struct syncobj *s = syncobj_lookup(file, args->handle);
	int fd, err;

	if (args->pad || args->flags & ~(uint32_t)DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
		return -EINVAL;
	if (!s)
		return args->flags ? -ENOENT : -EINVAL;
	if (args->flags) {
		fd = s->fence ? fence_fd() : -EINVAL;
	} else {
		fd = memfd_create("igen-shim-syncobj", MFD_CLOEXEC);
		if (fd < 0)
			return -errno;
		err = fd_install(FD_SYNCOBJ, s, fd);
		if (err) {
			syscall(SYS_close, fd);
			return err;
		}
		s->refs++;
	}
	if (fd < 0)
		return fd;
	args->fd = fd;
	return 0;
}

int ioctl_syncobj_from_fd(struct file *file, void *data)
{
	struct drm_syncobj_handle *args = data;
	struct fd_entry e;
	struct syncobj *s;
	int err;

	if (args->pad || args->flags & ~(uint32_t)DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
		return -EINVAL;
	if (args->flags) {
		s = syncobj_lookup(file, args->handle);
		if (!s)
			return -ENOENT;
		s->refs++;
		pthread_mutex_unlock(&shim.lock);
		err = fence_wait_fd(args->fd);
		pthread_mutex_lock(&shim.lock);
		if (!err)
			syncobj_signal(s, 0);
		syncobj_put(s);
		return err;
	}
	e = fd_get(args->fd);
	if (e.kind != FD_SYNCOBJ)
		return -EINVAL;
	s = e.object;
	err = handle_add(&file->syncobjs, s, &args->handle);
	if (!err)
		s->refs++;
	return err;
}

/* The syncobjs of an array of handles, each with a reference; and points, 0 where there are none. */
struct set {
	struct syncobj **s;
	uint64_t *points;
	uint32_t n;
};

static void set_free(struct set *set)
{
	for (uint32_t i = 0; set->s && i < set->n && set->s[i]; i++)
		syncobj_put(set->s[i]);
	free(set->s);
	free(set->points);
}

static int set_read(struct file *file, struct set *set, uint64_t handles, uint64_t points, uint32_t n)
{
	*set = (struct set){ .n = n };
	if (!n)
		return -EINVAL;
	if (n > MAX_SYNCOBJS)
		return -ENOMEM;
	set->s = calloc(n, sizeof(*set->s));
	set->points = calloc(n, sizeof(*set->points));
	if (!set->s || !set->points)
		return -ENOMEM;
	if (points && copy_in(set->points, points, n * sizeof(*set->points)))
		return -EFAULT;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t handle;

		if (copy_in(&handle, handles + i * sizeof(handle), sizeof(handle)))
			return -EFAULT;
		set->s[i] = syncobj_lookup(file, handle);
		if (!set->s[i])
			return -ENOENT;
		set->s[i]->refs++;
	}
	return 0;
}

static bool signalled(const struct set *set, uint32_t i)
{
	return set->s[i]->fence && set->s[i]->point >= set->points[i];
}

/* Until all or one have signalled, or until a moment of the monotonic clock. shim.lock held, and dropped meanwhile. */
static int set_wait(const struct set *set, uint32_t flags, int64_t until, uint32_t *first)
{
	bool all = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
	struct timespec t = { until / 1000000000, until % 1000000000 };

	/* As in the kernel, a moment that is long ago asks without a wait. */
	if (until < 0)
		t = (struct timespec){ 0 };
	for (;;) {
		uint32_t n = 0, found = UINT32_MAX;

		for (uint32_t i = 0; i < set->n; i++) {
			if (signalled(set, i)) {
				n++;
				found = found == UINT32_MAX ? i : found;
			} else if (!(flags & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
					      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))) {
				return -EINVAL;
			}
		}
		if (all ? n == set->n : n) {
			*first = found;
			return 0;
		}
		if (pthread_cond_timedwait(&shim.signalled, &shim.lock, &t) == ETIMEDOUT)
			return -ETIME;
	}
}

int ioctl_syncobj_wait(struct file *file, void *data)
{
	struct drm_syncobj_wait *args = data;
	struct set set;
	int err;

	if (args->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
		return -EINVAL;
	err = set_read(file, &set, args->handles, 0, args->count_handles);
	if (!err)
		err = set_wait(&set, args->flags, args->timeout_nsec, &args->first_signaled);
	set_free(&set);
	return err;
}

int ioctl_syncobj_timeline_wait(struct file *file, void *data)
{
	struct drm_syncobj_timeline_wait *args = data;
	struct set set;
	int err;

	if (args->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
				      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))
		return -EINVAL;
	err = set_read(file, &set, args->handles, args->points, args->count_handles);
	if (!err)
		err = set_wait(&set, args->flags, args->timeout_nsec, &args->first_signaled);
	set_free(&set);
	return err;
}

/* Calls change() for the syncobj of each handle, with its point. */
static int set_change(struct file *file, uint64_t handles, uint64_t points, uint32_t n,
		      void (*change)(struct syncobj *s, uint64_t point))
{
	struct set set;
	int err = set_read(file, &set, handles, points, n);

	for (uint32_t i = 0; !err && i < set.n; i++)
		change(set.s[i], set.points[i]);
	set_free(&set);
	return err;
}

static void syncobj_reset(struct syncobj *s, uint64_t point)
{
	(void)point;
	s->fence = false;
	s->point = 0;
}

int ioctl_syncobj_reset(struct file *file, void *data)
{
	struct drm_syncobj_array *args = data;

	return args->pad ? -EINVAL : set_change(file, args->handles, 0, args->count_handles, syncobj_reset);
}

int ioctl_syncobj_signal(struct file *file, void *data)
{
	struct drm_syncobj_array *args = data;

	return args->pad ? -EINVAL : set_change(file, args->handles, 0, args->count_handles, syncobj_signal);
}

int ioctl_syncobj_timeline_signal(struct file *file, void *data)
{
	struct drm_syncobj_timeline_array *args = data;

	if (args->flags)
		return -EINVAL;
	return set_change(file, args->handles, args->points, args->count_handles, syncobj_signal);
}

int ioctl_syncobj_query(struct file *file, void *data)
{
	struct drm_syncobj_timeline_array *args = data;
	struct set set;
	int err;

	if (args->flags & ~(uint32_t)DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED)
		return -EINVAL;
	err = set_read(file, &set, args->handles, 0, args->count_handles);
	for (uint32_t i = 0; !err && i < set.n; i++)
		err = copy_out(args->points + i * sizeof(uint64_t), &set.s[i]->point, sizeof(uint64_t));
	set_free(&set);
	return err;
}

int ioctl_syncobj_transfer(struct file *file, void *data)
{
	struct drm_syncobj_transfer *args = data;
	struct syncobj *from = syncobj_lookup(file, args->src_handle), *to = syncobj_lookup(file, args->dst_handle);
	uint64_t point = args->src_point;
	struct set set = { .s = &from, .points = &point, .n = 1 };
	uint32_t first;
	int err;

	if (args->pad || args->flags & ~(uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
		return -EINVAL;
	if (!from || !to)
		return -ENOENT;
	from->refs++;
	to->refs++;
	err = set_wait(&set, args->flags, INT64_MAX, &first);
	if (!err)
		syncobj_signal(to, args->dst_point);
	syncobj_put(from);
	syncobj_put(to);
	return err;
}
