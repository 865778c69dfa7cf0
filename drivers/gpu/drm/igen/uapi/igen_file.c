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

/**
 * igen_file_open - drm_driver.open
 * @drm: the device
 * @file: the new file
 *
 * Return: 0, -ENOMEM, or what making the default context's address space failed with. May sleep.
 */
int igen_file_open(struct drm_device *drm, struct drm_file *file)
{
	static atomic64_t last_client = ATOMIC64_INIT(0);
	struct igen_file *priv;
	int err;

	priv = kzalloc(sizeof(*priv), GFP_KERNEL);
	if (!priv)
		return -ENOMEM;

	priv->igen = to_igen(drm);
	priv->drm = file;
	priv->client = atomic64_inc_return(&last_client);
	atomic_set(&priv->bsd_engine, -1);
	file->driver_priv = priv;

	err = igen_contexts_open(priv);
	if (err) {
		file->driver_priv = NULL;
		kfree(priv);
	}
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
	kfree(priv);
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
	seq_printf(m, "drm-client-id:\t%llu\n", priv->client);
}
