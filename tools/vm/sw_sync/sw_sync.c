// SPDX-License-Identifier: MIT
/*
 * DOC: sw_sync
 *
 * Fences that userspace signals, at /sys/kernel/debug/sync/sw_sync, with the calls of kernels that have CONFIG_SW_SYNC.
 * Distributions leave that out, and IGT's tests of fences, scheduling and hangs skip without it. An open file is a
 * timeline, a number that begins at 0. SW_SYNC_IOC_CREATE_FENCE makes a sync file that signals once the timeline is at
 * a value, SW_SYNC_IOC_INC moves it on, and closing the file signals what is left with -ENOENT. SW_SYNC_GET_DEADLINE
 * tells, in kernels whose fences have deadlines (6.4), what a waiter has set.
 *
 * A timeline's list holds a reference to each fence that is not signaled, and each fence one to its timeline, in which
 * its lock is. The module cannot be unloaded: its fences may outlive all its files.
 */
#include <linux/debugfs.h>
#include <linux/dma-fence.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>

struct create_fence {
	__u32 value;
	char name[32];
	__s32 fence;
};

struct get_deadline {
	__u64 deadline_ns;
	__u32 pad;
	__s32 fence_fd;
};

#define SW_SYNC_IOC_CREATE_FENCE _IOWR('W', 0, struct create_fence)
#define SW_SYNC_IOC_INC _IOW('W', 1, __u32)
#define SW_SYNC_GET_DEADLINE _IOWR('W', 2, struct get_deadline)

struct timeline {
	struct kref ref;
	struct rcu_head rcu;
	/* Guards value and pending; its fences use it too. */
	spinlock_t lock;
	struct list_head pending;
	u64 context;
	u32 value;
	char name[TASK_COMM_LEN];
};

struct point {
	struct dma_fence fence;
	struct timeline *timeline;
	struct list_head link;
	bool has_deadline;
	ktime_t deadline;
};

static struct point *to_point(struct dma_fence *fence)
{
	return container_of(fence, struct point, fence);
}

static void timeline_free(struct kref *ref)
{
	struct timeline *timeline = container_of(ref, struct timeline, ref);

	kfree_rcu(timeline, rcu);
}

static const char *point_driver_name(struct dma_fence *fence)
{
	return "sw_sync";
}

static const char *point_timeline_name(struct dma_fence *fence)
{
	return to_point(fence)->timeline->name;
}

static void point_release(struct dma_fence *fence)
{
	struct point *point = to_point(fence);

	kref_put(&point->timeline->ref, timeline_free);
	dma_fence_free(fence);
}

#ifdef SYNC_IOC_SET_DEADLINE
/* The earliest of the deadlines counts. */
static void point_set_deadline(struct dma_fence *fence, ktime_t deadline)
{
	struct point *point = to_point(fence);
	unsigned long flags;

	spin_lock_irqsave(fence->lock, flags);
	if (!point->has_deadline || ktime_before(deadline, point->deadline)) {
		point->deadline = deadline;
		point->has_deadline = true;
	}
	spin_unlock_irqrestore(fence->lock, flags);
}
#endif

static const struct dma_fence_ops point_ops = {
	.get_driver_name = point_driver_name,
	.get_timeline_name = point_timeline_name,
	.release = point_release,
#ifdef SYNC_IOC_SET_DEADLINE
	.set_deadline = point_set_deadline,
#endif
};

/* Values wrap around: one is reached when it lies less than half of all numbers back. */
static bool reached(const struct timeline *timeline, const struct point *point)
{
	return (s32)(timeline->value - (u32)point->fence.seqno) >= 0;
}

/* Signals what is reached, or, at the end, all with an error. */
static void advance(struct timeline *timeline, u32 step, int error)
{
	struct point *point, *next;
	LIST_HEAD(done);

	spin_lock_irq(&timeline->lock);
	timeline->value += step;
	list_for_each_entry_safe(point, next, &timeline->pending, link) {
		if (!error && !reached(timeline, point))
			continue;
		list_move_tail(&point->link, &done);
		if (error)
			dma_fence_set_error(&point->fence, error);
		dma_fence_signal_locked(&point->fence);
	}
	spin_unlock_irq(&timeline->lock);

	list_for_each_entry_safe(point, next, &done, link)
		dma_fence_put(&point->fence);
}

static struct point *point_create(struct timeline *timeline, u32 value)
{
	struct point *point = kzalloc(sizeof(*point), GFP_KERNEL);

	if (!point)
		return NULL;
	kref_get(&timeline->ref);
	point->timeline = timeline;
	dma_fence_init(&point->fence, &point_ops, &timeline->lock, timeline->context, value);

	spin_lock_irq(&timeline->lock);
	if (reached(timeline, point)) {
		dma_fence_signal_locked(&point->fence);
	} else {
		dma_fence_get(&point->fence);
		list_add_tail(&point->link, &timeline->pending);
	}
	spin_unlock_irq(&timeline->lock);
	return point;
}

static int sw_sync_open(struct inode *inode, struct file *file)
{
	struct timeline *timeline = kzalloc(sizeof(*timeline), GFP_KERNEL);

	if (!timeline)
		return -ENOMEM;
	kref_init(&timeline->ref);
	spin_lock_init(&timeline->lock);
	INIT_LIST_HEAD(&timeline->pending);
	timeline->context = dma_fence_context_alloc(1);
	get_task_comm(timeline->name, current);
	file->private_data = timeline;
	return 0;
}

static int sw_sync_release(struct inode *inode, struct file *file)
{
	struct timeline *timeline = file->private_data;

	advance(timeline, 0, -ENOENT);
	kref_put(&timeline->ref, timeline_free);
	return 0;
}

static long create_fence(struct timeline *timeline, struct create_fence __user *arg)
{
	struct sync_file *sync_file;
	struct create_fence data;
	struct point *point;
	int fd;

	if (copy_from_user(&data, arg, sizeof(data)))
		return -EFAULT;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;

	point = point_create(timeline, data.value);
	sync_file = point ? sync_file_create(&point->fence) : NULL;
	if (point)
		dma_fence_put(&point->fence);
	if (!sync_file) {
		put_unused_fd(fd);
		return -ENOMEM;
	}
	data.fence = fd;
	if (copy_to_user(arg, &data, sizeof(data))) {
		fput(sync_file->file);
		put_unused_fd(fd);
		return -EFAULT;
	}
	fd_install(fd, sync_file->file);
	return 0;
}

static long increment(struct timeline *timeline, const __u32 __user *arg)
{
	u32 left, step;

	if (get_user(left, arg))
		return -EFAULT;
	/* In steps after which "reached" is still told from "ahead". */
	do {
		step = min_t(u32, left, S32_MAX);
		advance(timeline, step, 0);
		left -= step;
	} while (left);
	return 0;
}

#ifdef SYNC_IOC_SET_DEADLINE
static long deadline(struct get_deadline __user *arg)
{
	struct get_deadline data;
	struct dma_fence *fence;
	long ret = -ENOENT;

	if (copy_from_user(&data, arg, sizeof(data)))
		return -EFAULT;
	if (data.deadline_ns || data.pad)
		return -EINVAL;
	fence = sync_file_get_fence(data.fence_fd);
	if (!fence)
		return -EINVAL;
	if (fence->ops != &point_ops) {
		ret = -EINVAL;
		goto out;
	}

	spin_lock_irq(fence->lock);
	if (to_point(fence)->has_deadline) {
		data.deadline_ns = ktime_to_ns(to_point(fence)->deadline);
		ret = 0;
	}
	spin_unlock_irq(fence->lock);
	if (!ret && copy_to_user(arg, &data, sizeof(data)))
		ret = -EFAULT;
out:
	dma_fence_put(fence);
	return ret;
}
#endif

static long sw_sync_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case SW_SYNC_IOC_CREATE_FENCE:
		return create_fence(file->private_data, (void __user *)arg);
	case SW_SYNC_IOC_INC:
		return increment(file->private_data, (void __user *)arg);
#ifdef SYNC_IOC_SET_DEADLINE
	case SW_SYNC_GET_DEADLINE:
		return deadline((void __user *)arg);
#endif
	default:
		return -ENOTTY;
	}
}

static const struct file_operations sw_sync_fops = {
	.owner = THIS_MODULE,
	.open = sw_sync_open,
	.release = sw_sync_release,
	.unlocked_ioctl = sw_sync_ioctl,
};

static int __init sw_sync_init(void)
{
	struct dentry *dir = debugfs_create_dir("sync", NULL);

	if (!IS_ERR(dir))
		debugfs_create_file("sw_sync", 0600, dir, NULL, &sw_sync_fops);
	return PTR_ERR_OR_ZERO(dir);
}

module_init(sw_sync_init);
MODULE_DESCRIPTION("Fences that userspace signals, for kernels without CONFIG_SW_SYNC");
MODULE_LICENSE("Dual MIT/GPL");
