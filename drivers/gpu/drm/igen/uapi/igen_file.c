// SPDX-License-Identifier: MIT
/*
 * DOC: Open files
 *
 * A file has its contexts (number 0 is made at open, with an address space of its own) and the handles of
 * address spaces. Closing it closes the contexts; what they have on the GPU may finish if they persist.
 */
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
	struct igen_file *priv;
	int err;

	priv = kzalloc(sizeof(*priv), GFP_KERNEL);
	if (!priv)
		return -ENOMEM;

	priv->igen = to_igen(drm);
	priv->drm = file;
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
	file->driver_priv = NULL;
	kfree(priv);
}
