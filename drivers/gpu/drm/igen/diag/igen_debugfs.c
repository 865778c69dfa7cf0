// SPDX-License-Identifier: MIT
/**
 * DOC: debugfs
 *
 * The files under dri/N/ have the names and formats that IGT reads. Three files change something:
 *
 * * i915_gem_drop_caches waits, resets, shrinks and frees, as its bits say;
 * * i915_wedged resets the engines of a mask; reading it tells whether the GPU was wedged;
 * * i915_forcewake_user keeps the device awake while it is open.
 *
 * The other files are for people, and for IGT's dumps after a failure.
 */
#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <linux/debugfs.h>
#include <linux/pm_runtime.h>
#include <linux/seq_file.h>

#include <igen/regs/engine.h>

#include "../engine/igen_workarounds.h"
#include "../igen_device.h"
#include "../submit/igen_reset.h"
#include "../submit/igen_retire.h"
#include "../submit/igen_submit.h"
#include "igen_diag.h"

/* Bits of i915_gem_drop_caches, as in i915. */
#define DROP_UNBOUND		BIT(0)
#define DROP_BOUND		BIT(1)
#define DROP_RETIRE		BIT(2)
#define DROP_ACTIVE		BIT(3)
#define DROP_FREED		BIT(4)
#define DROP_SHRINK_ALL		BIT(5)
#define DROP_IDLE		BIT(6)
#define DROP_RESET_ACTIVE	BIT(7)
#define DROP_RESET_SEQNO	BIT(8)
#define DROP_RCU		BIT(9)
#define DROP_ALL		GENMASK(9, 0)

/* Engines get this long before DROP_RESET_ACTIVE resets them, and as often as this if they are busy again. */
#define RESET_ACTIVE_TIMEOUT	msecs_to_jiffies(200)
#define RESET_ACTIVE_ROUNDS	100

/* A wait for idle ends with the hang detection; this is far beyond it. */
#define IDLE_TIMEOUT		(120 * HZ)

static int debugfs_reset_active(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id, round;

	for (round = 0; round < RESET_ACTIVE_ROUNDS; round++) {
		if (!igen_wait_for_idle(igen, RESET_ACTIVE_TIMEOUT))
			return 0;
		if (signal_pending(current))
			return -EINTR;
		for_each_engine(igen, id, engine)
			if (!igen_engine_is_idle(engine))
				igen_engine_reset(engine, "caches dropped with the GPU busy", false);
	}
	return -EBUSY;
}

static int debugfs_drop_caches(struct igen_device *igen, u64 bits)
{
	int err;

	if (bits & DROP_RESET_ACTIVE) {
		err = debugfs_reset_active(igen);
		if (err)
			return err;
	}

	if (bits & (DROP_IDLE | DROP_ACTIVE)) {
		err = igen_wait_for_idle(igen, IDLE_TIMEOUT);
		if (err)
			return err;
	}

	if (bits & (DROP_RETIRE | DROP_IDLE))
		igen_retire_now(igen);

	if (bits & (DROP_UNBOUND | DROP_BOUND | DROP_SHRINK_ALL))
		igen_shrink(igen, ULONG_MAX,
			    IGEN_SHRINK_UNSWAPPABLE | (bits & DROP_SHRINK_ALL ? IGEN_SHRINK_ACTIVE : 0));
	if (bits & (DROP_UNBOUND | DROP_BOUND))
		igen_evict_contexts(igen);

	if (bits & DROP_RCU)
		rcu_barrier();
	return 0;
}

/*
 * Frees what nothing uses any more. Closed contexts come first, since they hold objects. An engine with one ring may
 * still have the last one loaded. Where an engine does not leave a context, the call returns after a minute all the
 * same.
 */
static int debugfs_free_all(struct igen_device *igen)
{
	int idx;

	if (!igen_reclaim(igen) && fatal_signal_pending(current))
		return -EINTR;
	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	igen_mm_flush_busy(igen);
	drm_dev_exit(idx);
	return 0;
}

static int drop_caches_get(void *data, u64 *bits)
{
	*bits = DROP_ALL;
	return 0;
}

static int drop_caches_set(void *data, u64 bits)
{
	struct igen_device *igen = data;
	int idx, err;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	err = debugfs_drop_caches(igen, bits);
	drm_dev_exit(idx);
	if (!err && bits & DROP_FREED)
		err = debugfs_free_all(igen);
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(drop_caches_fops, drop_caches_get, drop_caches_set, "0x%08llx\n");

/* Until debugfs_leave_device() the device is there, and awake. */
static int debugfs_enter_device(struct igen_device *igen, int *idx)
{
	int err;

	if (!drm_dev_enter(&igen->drm, idx))
		return -ENODEV;
	err = igen_rpm_get(igen);
	if (err)
		drm_dev_exit(*idx);
	return err;
}

static void debugfs_leave_device(struct igen_device *igen, int idx)
{
	igen_rpm_put(igen);
	drm_dev_exit(idx);
}

static ssize_t wedged_read(struct file *file, char __user *ubuf, size_t count, loff_t *pos)
{
	struct igen_device *igen = file->private_data;
	char text[4];

	return simple_read_from_buffer(ubuf, count, pos, text,
				       scnprintf(text, sizeof(text), "%d\n", READ_ONCE(igen->wedged)));
}

/* For all engines IGT writes -1, with a sign or as an unsigned number. */
static ssize_t wedged_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	struct igen_device *igen = file->private_data;
	struct igen_engine *engine;
	unsigned long long mask;
	unsigned int id;
	int idx, err;

	err = kstrtoull_from_user(ubuf, count, 0, &mask);
	if (err)
		err = kstrtoll_from_user(ubuf, count, 0, (long long *)&mask);
	if (err)
		return err;

	err = debugfs_enter_device(igen, &idx);
	if (err)
		return err;
	/* A wedged GPU is tried again, but for i915_params/reset 0: it stays wedged then, as with i915. */
	if (READ_ONCE(igen->wedged) && igen_reset_kind(igen)) {
		err = igen_unwedge(igen) ? 0 : -EIO;
	} else if (igen_reset_kind(igen) <= 1) {
		igen_gpu_reset(igen, "asked for by i915_wedged");
	} else {
		for_each_engine(igen, id, engine)
			if (mask & BIT_ULL(id))
				igen_engine_reset(engine, "asked for by i915_wedged", true);
	}
	debugfs_leave_device(igen, idx);
	/* As with i915, the events of the reset have been sent when the write returns. */
	igen_uevent_flush(igen);
	return err ?: count;
}

static const struct file_operations wedged_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = wedged_read,
	.write = wedged_write,
	.llseek = default_llseek,
};

static int i915_capabilities_show(struct seq_file *m, void *unused)
{
	struct igen_device *igen = m->private;
	const struct igen_platform *platform = igen->platform;

	seq_printf(m, "platform: %s\n", platform->name);
	seq_printf(m, "graphics version: %u\n", platform->gen);
	seq_printf(m, "gt: %u\n", platform->gt);
	seq_printf(m, "has_llc: %s\n", str_yes_no(platform->has_llc));
	seq_printf(m, "page sizes: %s%s\n", igen->mm.page_sizes & SZ_2M ? "2M, " : "",
		   igen->mm.page_sizes & SZ_64K ? "64K, 4K" : "4K");
	seq_printf(m, "ppgtt-size: %u\n", platform->ppgtt_bits);
	seq_printf(m, "dma_mask_size: %u\n", platform->dma_bits);
	seq_printf(m, "slice mask: %04x\n", igen->topology.slice_mask);
	seq_printf(m, "subslice total: %u\n", igen->topology.subslice_total);
	seq_printf(m, "EU total: %u\n", igen->topology.eu_total);
	seq_printf(m, "CS timestamp frequency: %u Hz\n", platform->timestamp_hz);
	seq_printf(m, "reset: %u\n", READ_ONCE(igen->params.reset));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(i915_capabilities);

static int i915_gem_objects_show(struct seq_file *m, void *unused)
{
	struct igen_device *igen = m->private;

	seq_printf(m, "%u objects, %lu shrinkable pages\n", atomic_read(&igen->bo_count),
		   READ_ONCE(igen->mm.shrink_pages));
	seq_printf(m, "system: total:0x%016llx\n", (u64)totalram_pages() << PAGE_SHIFT);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(i915_gem_objects);

static void debugfs_show_request(struct seq_file *m, const char *where, const struct igen_request *rq)
{
	seq_printf(m, "\t%s: %llx:%llu prio %d, ring %05x..%05x, batch 0x%012llx%s\n", where, rq->fence.context,
		   rq->fence.seqno, rq->priority, rq->head, rq->tail, rq->batch_start,
		   igen_request_completed(rq) ? ", completed" : "");
}

static void debugfs_show_engine(struct seq_file *m, struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	const u32 base = engine->info->base;
	struct igen_request *rq;
	unsigned long flags;
	u64 acthd;

	seq_printf(m, "%s\n", engine->info->name);
	seq_printf(m, "\tHeartbeat: %u ms, preempt timeout: %u ms, timeslice: %u ms\n",
		   READ_ONCE(engine->props.heartbeat_interval_ms), READ_ONCE(engine->props.preempt_timeout_ms),
		   READ_ONCE(engine->props.timeslice_duration_ms));
	seq_printf(m, "\tReset count: %u\n", READ_ONCE(engine->resets));
	if (!igen_forcewake_get(igen, engine->info->forcewake)) {
		seq_printf(m, "\tRING_START: 0x%08x\n", igen_read(igen, RING_START(base)));
		seq_printf(m, "\tRING_HEAD: 0x%08x\n", igen_read(igen, RING_HEAD(base)));
		seq_printf(m, "\tRING_TAIL: 0x%08x\n", igen_read(igen, RING_TAIL(base)));
		seq_printf(m, "\tRING_CTL: 0x%08x\n", igen_read(igen, RING_CTL(base)));
		acthd = igen->platform->error->acthd(engine);
		seq_printf(m, "\tACTHD: 0x%08x_%08x\n", upper_32_bits(acthd), lower_32_bits(acthd));
		seq_printf(m, "\tIPEHR: 0x%08x\n", igen_read(igen, RING_IPEHR(base)));
		igen_forcewake_put(igen, engine->info->forcewake);
	}

	spin_lock_irqsave(&engine->group->lock, flags);
	list_for_each_entry(rq, &engine->inflight, link)
		debugfs_show_request(m, "in flight", rq);
	for (rq = igen_queue_first(engine); rq; rq = igen_queue_next(rq))
		debugfs_show_request(m, "queued", rq);
	spin_unlock_irqrestore(&engine->group->lock, flags);
}

static int i915_engine_info_show(struct seq_file *m, void *unused)
{
	struct igen_device *igen = m->private;
	struct igen_engine *engine;
	unsigned int id;
	int idx, err;

	err = debugfs_enter_device(igen, &idx);
	if (err)
		return err;
	seq_printf(m, "GT wedged: %s, resets: %d\n", str_yes_no(READ_ONCE(igen->wedged)),
		   atomic_read(&igen->reset_count));
	for_each_engine(igen, id, engine)
		debugfs_show_engine(m, engine);
	debugfs_leave_device(igen, idx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(i915_engine_info);

/* The open file keeps the device and its power wells awake, and holds a reference to the DRM device. */
static int forcewake_user_open(struct inode *inode, struct file *file)
{
	struct igen_device *igen = inode->i_private;
	int idx, err;

	err = debugfs_enter_device(igen, &idx);
	if (err)
		return err;
	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (err) {
		debugfs_leave_device(igen, idx);
		return err;
	}
	/* Awake until the release. */
	drm_dev_get(&igen->drm);
	file->private_data = igen;
	drm_dev_exit(idx);
	return 0;
}

static int forcewake_user_release(struct inode *inode, struct file *file)
{
	struct igen_device *igen = file->private_data;
	int idx;

	/* After an unbind the registers may belong to another driver. */
	if (drm_dev_enter(&igen->drm, &idx)) {
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
		drm_dev_exit(idx);
	}
	igen_rpm_put(igen);
	drm_dev_put(&igen->drm);
	return 0;
}

static const struct file_operations forcewake_user_fops = {
	.owner = THIS_MODULE,
	.open = forcewake_user_open,
	.release = forcewake_user_release,
};

/* With i915's words, which IGT shows when a device does not fall asleep. */
static int i915_runtime_pm_status_show(struct seq_file *m, void *unused)
{
	struct igen_device *igen = m->private;
	struct device *dev = igen->drm.dev;
	bool asleep = READ_ONCE(igen->rpm.asleep);

	seq_printf(m, "Runtime power status: %s\n", pm_runtime_enabled(dev) ? "enabled" : "disabled");
	seq_printf(m, "GPU idle: %s\n", str_yes_no(!READ_ONCE(igen->power.awake)));
	seq_printf(m, "IRQs disabled: %s\n", str_yes_no(asleep));
	seq_printf(m, "Usage count: %d\n", atomic_read(&igen->rpm.users));
	seq_printf(m, "PCI device power state: %s [%d]\n", pci_power_name(igen->pdev->current_state),
		   igen->pdev->current_state);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(i915_runtime_pm_status);

/*
 * The workarounds that live in contexts: gem_workarounds reads each register from a batch and compares the bits of
 * the mask.
 */
static int i915_wa_registers_show(struct seq_file *m, void *unused)
{
	struct igen_device *igen = m->private;
	const struct igen_reg_write *wa, *table;
	struct igen_engine *engine;
	unsigned int id, count;

	for_each_engine(igen, id, engine) {
		table = igen->platform->ctx_workarounds[engine->info->class];
		count = 0;
		for (wa = table; wa && wa->name; wa++)
			count += igen_workaround_applies(igen, wa);
		if (!count)
			continue;

		seq_printf(m, "%s: Workarounds applied: %u\n", engine->info->name, count);
		for (wa = table; wa->name; wa++)
			if (igen_workaround_applies(igen, wa))
				seq_printf(m, "0x%X: 0x%08X, mask: 0x%08X\n",
					   wa->reg + (wa->relative ? engine->info->base : 0), wa->set,
					   wa->set | wa->clear);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(i915_wa_registers);

/* IGT looks here for channels of unlike size, of which only some pages would be swizzled: no GPU here does that. */
static int i915_swizzle_info_show(struct seq_file *m, void *unused)
{
	struct igen_device *igen = m->private;

	seq_printf(m, "bit6 swizzle for X-tiling = %s\n", igen->ggtt.swizzled ? "bit9/bit10" : "none");
	seq_printf(m, "bit6 swizzle for Y-tiling = %s\n", igen->ggtt.swizzled ? "bit9" : "none");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(i915_swizzle_info);

/**
 * igen_debugfs_init - drm_driver.debugfs_init
 * @minor: the minor with the directory
 */
void igen_debugfs_init(struct drm_minor *minor)
{
	struct igen_device *igen = to_igen(minor->dev);
	struct dentry *root = minor->debugfs_root, *params;

	debugfs_create_file("i915_gem_drop_caches", 0644, root, igen, &drop_caches_fops);
	debugfs_create_file("i915_wedged", 0644, root, igen, &wedged_fops);
	debugfs_create_file("i915_capabilities", 0444, root, igen, &i915_capabilities_fops);
	debugfs_create_file("i915_engine_info", 0444, root, igen, &i915_engine_info_fops);
	debugfs_create_file("i915_gem_objects", 0444, root, igen, &i915_gem_objects_fops);
	debugfs_create_file("i915_forcewake_user", 0400, root, igen, &forcewake_user_fops);
	debugfs_create_file("i915_runtime_pm_status", 0444, root, igen, &i915_runtime_pm_status_fops);
	debugfs_create_file("i915_swizzle_info", 0444, root, igen, &i915_swizzle_info_fops);
	igen_error_debugfs(igen, root);
	debugfs_create_file("i915_wa_registers", 0444, root, igen, &i915_wa_registers_fops);

	params = debugfs_create_dir("i915_params", root);
	debugfs_create_u32("reset", 0600, params, &igen->params.reset);
	debugfs_create_bool("enable_hangcheck", 0600, params, &igen->params.enable_hangcheck);
	debugfs_create_u32("request_timeout_ms", 0600, params, &igen->params.request_timeout_ms);
	debugfs_create_u32("fence_timeout_ms", 0600, params, &igen->params.fence_timeout_ms);
}
