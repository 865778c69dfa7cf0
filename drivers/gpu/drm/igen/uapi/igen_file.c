// SPDX-License-Identifier: MIT
/**
 * DOC: Open files
 *
 * A file has contexts and handles of address spaces. Opening the file makes context 0, with an address space of its
 * own. Closing the file closes its contexts. Requests of persistent contexts still run to their end.
 *
 * /proc/PID/fdinfo names driver, device and client, time on the GPU and memory in the keys of
 * Documentation/gpu/drm-usage-stats.rst, those of memory as newer kernels have them.
 */
#include <drm/drm_drv.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../igen_killable.h"
#include "../mm/igen_bo.h"
#include "../mm/igen_budget.h"
#include "igen_uapi.h"

static int file_open(struct igen_device *igen, struct drm_file *file)
{
	struct igen_file *priv;
	int err;

	priv = kzalloc(sizeof(*priv), IGEN_GFP_CLIENT);
	if (!priv)
		return -ENOMEM;

	priv->igen = igen;
	priv->drm = file;
	priv->client = igen_client_create(igen, task_tgid(current), current_uid());
	if (IS_ERR(priv->client)) {
		err = PTR_ERR(priv->client);
		kfree(priv);
		return err;
	}
	atomic_set(&priv->bsd_engine, -1);
	file->driver_priv = priv;

	err = igen_contexts_open(priv);
	if (err) {
		file->driver_priv = NULL;
		igen_client_put(priv->client);
		kfree(priv);
		return err;
	}
	igen_client_open(igen, priv->client);
	return 0;
}

/**
 * igen_file_open - drm_driver.open
 * @drm: the device
 * @file: the new file
 *
 * Return: 0, -ENODEV, -ENOMEM, or what making the default context's address space failed with. May sleep.
 */
int igen_file_open(struct drm_device *drm, struct drm_file *file)
{
	int err, idx;

	/* The device may be unplugged after the DRM core has checked that it is there. */
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	err = file_open(to_igen(drm), file);
	drm_dev_exit(idx);
	return err;
}

/**
 * igen_file_postclose - drm_driver.postclose
 * @drm: the device
 * @file: the file, whose handles were closed already
 */
void igen_file_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct igen_file *priv = to_igen_file(file);

	igen_contexts_close(priv);
	igen_client_close(priv->igen, priv->client);
	if (priv->mmap_file)
		fput(priv->mmap_file);
	file->driver_priv = NULL;
	igen_client_put(priv->client);
	kfree(priv);
}

static const char * const class_names[IGEN_NUM_CLASSES] = {
	[IGEN_CLASS_RENDER] = "render",
	[IGEN_CLASS_COPY] = "copy",
	[IGEN_CLASS_VIDEO] = "video",
	[IGEN_CLASS_VIDEO_ENHANCE] = "video-enhance",
};

/* GPU time by class of engines. */
static void fdinfo_show_engines(struct seq_file *m, struct igen_file *priv)
{
	unsigned int id, count[IGEN_NUM_CLASSES] = {};
	struct igen_device *igen = priv->igen;
	enum igen_engine_class class;
	struct igen_engine *engine;
	bool awake;
	int idx;

	if (!drm_dev_enter(&igen->drm, &idx))
		return;
	for_each_engine(igen, id, engine)
		count[engine->info->class]++;
	/* A device that is asleep runs no context, so the count is complete without reading registers. */
	awake = igen_rpm_get_if_awake(igen);
	if (awake && igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL))
		goto out;
	for (class = 0; class < IGEN_NUM_CLASSES; class++) {
		if (!count[class])
			continue;
		seq_printf(m, "drm-engine-%s:\t%llu ns\n", class_names[class],
			   igen_client_busy_ns(priv->client, igen, class));
		if (count[class] > 1)
			seq_printf(m, "drm-engine-capacity-%s:\t%u\n", class_names[class], count[class]);
	}
	if (awake)
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
out:
	if (awake)
		igen_rpm_put(igen);
	drm_dev_exit(idx);
}

/* How many handles to look at with the file's table locked, so that other threads can use the table in between. */
#define HANDLES_AT_ONCE 256

/* Bytes of the objects that a file has handles of. */
struct file_memory {
	u64 total;
	u64 shared;
	u64 active;
	u64 resident;
	u64 purgeable;
};

/* A look without locks: all of it may have changed a moment later. */
static void fdinfo_count_memory(struct file_memory *mem, const struct igen_bo *bo)
{
	u64 size = bo->base.size;

	mem->total += size;
	if (READ_ONCE(bo->base.handle_count) > 1)
		mem->shared += size;
	if (!READ_ONCE(bo->pages))
		return;
	mem->resident += size;
	if (!dma_resv_test_signaled(bo->base.resv, DMA_RESV_USAGE_READ))
		mem->active += size;
	else if (bo->ops->shrinkable && READ_ONCE(bo->madv) == I915_MADV_DONTNEED)
		mem->purgeable += size;
}

/* When the caller is being killed, objects are missing. */
static void fdinfo_show_memory(struct seq_file *m, struct drm_file *file)
{
	struct drm_gem_object *obj;
	struct file_memory mem = {};
	int handle = 0;
	unsigned int n;

	do {
		spin_lock(&file->table_lock);
		for (n = 0; n < HANDLES_AT_ONCE; n++, handle++) {
			obj = idr_get_next(&file->object_idr, &handle);
			if (!obj)
				break;
			fdinfo_count_memory(&mem, to_igen_bo(obj));
		}
		spin_unlock(&file->table_lock);
	} while (obj && !igen_check_killed());

	seq_printf(m, "drm-total-system0:\t%llu KiB\n", mem.total >> 10);
	seq_printf(m, "drm-shared-system0:\t%llu KiB\n", mem.shared >> 10);
	seq_printf(m, "drm-active-system0:\t%llu KiB\n", mem.active >> 10);
	seq_printf(m, "drm-resident-system0:\t%llu KiB\n", mem.resident >> 10);
	seq_printf(m, "drm-purgeable-system0:\t%llu KiB\n", mem.purgeable >> 10);
}

/**
 * igen_show_fdinfo - file_operations.show_fdinfo
 * @m: where to
 * @file: the file
 */
void igen_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct drm_file *drm_file = file->private_data;
	struct igen_file *priv = to_igen_file(drm_file);

	seq_printf(m, "drm-driver:\t%s\n", priv->igen->drm.driver->name);
	seq_printf(m, "drm-pdev:\t%s\n", pci_name(priv->igen->pdev));
	seq_printf(m, "drm-client-id:\t%llu\n", priv->client->id);
	fdinfo_show_engines(m, priv);
	fdinfo_show_memory(m, drm_file);
}
