// SPDX-License-Identifier: MIT
/**
 * DOC: Open files
 *
 * A file has its contexts (number 0 is made at open, with an address space of its own) and the handles of
 * address spaces. Closing it closes the contexts; what they have on the GPU may finish if they persist.
 *
 * /proc/PID/fdinfo names driver, device and client in the keys of Documentation/gpu/drm-usage-stats.rst.
 */
#include <drm/drm_drv.h>
#include <linux/file.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "igen_uapi.h"

static int open_file(struct igen_device *igen, struct drm_file *file)
{
	struct igen_file *priv;
	int err;

	priv = kzalloc(sizeof(*priv), GFP_KERNEL);
	if (!priv)
		return -ENOMEM;

	priv->igen = igen;
	priv->drm = file;
	priv->client = igen_client_create();
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
	}
	return err;
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

	/* It may go between DRM's look whether it is there and this. */
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	err = open_file(to_igen(drm), file);
	drm_dev_exit(idx);
	return err;
}

/**
 * igen_file_postclose - drm_driver.postclose
 * @drm: the device
 * @file: the file, whose handles are gone already
 */
void igen_file_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct igen_file *priv = to_igen_file(file);

	igen_contexts_close(priv);
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
static void show_busy(struct seq_file *m, struct igen_file *priv)
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
	/* What sleeps runs nothing whose registers would have to be read. */
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
	show_busy(m, priv);
}
