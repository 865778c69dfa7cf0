// SPDX-License-Identifier: MIT
/**
 * DOC: The GT's clock and sleep in sysfs
 *
 * gt_*_freq_mhz next to the card and rc6_* in its power directory, as i915 has them. gt_cur_freq_mhz is what the driver
 * asks for while there is work, gt_act_freq_mhz what the clock is; engine/igen_power.c does the rest.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/math64.h>
#include <linux/sysfs.h>

#include "../igen_device.h"
#include "igen_diag.h"

static struct igen_device *kdev_to_igen(struct device *kdev)
{
	struct drm_minor *minor = dev_get_drvdata(kdev);

	return to_igen(minor->dev);
}

static ssize_t gt_act_freq_mhz_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	u32 mhz;
	int idx;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	mhz = igen_power_actual_mhz(igen);
	drm_dev_exit(idx);

	return sysfs_emit(buf, "%u\n", mhz);
}
static DEVICE_ATTR_RO(gt_act_freq_mhz);

#define SHOW(name__, field__)								\
static ssize_t name__##_show(struct device *kdev, struct device_attribute *attr, char *buf)	\
{											\
	return sysfs_emit(buf, "%u\n", READ_ONCE(kdev_to_igen(kdev)->power.field__));	\
}

SHOW(gt_cur_freq_mhz, max)
SHOW(gt_RP0_freq_mhz, rp0)
SHOW(gt_RP1_freq_mhz, rp1)
SHOW(gt_RPn_freq_mhz, rpn)
SHOW(gt_min_freq_mhz, min)
SHOW(gt_max_freq_mhz, max)
SHOW(gt_boost_freq_mhz, boost)

/* Sets one limit; lo and hi are what it must lie between. */
static ssize_t store_limit(struct igen_device *igen, u32 *field, const u32 *lo, const u32 *hi, const char *buf,
			   size_t count)
{
	struct igen_power *power = &igen->power;
	int idx, err;
	u32 mhz;

	err = kstrtou32(buf, 0, &mhz);
	if (err)
		return err;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	mutex_lock(&power->mutex);
	if (mhz < *lo || mhz > *hi) {
		err = -EINVAL;
	} else {
		WRITE_ONCE(*field, mhz);
		igen_power_limits_changed(igen);
	}
	mutex_unlock(&power->mutex);
	drm_dev_exit(idx);

	return err ?: count;
}

static ssize_t gt_min_freq_mhz_store(struct device *kdev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	struct igen_power *power = &igen->power;

	return store_limit(igen, &power->min, &power->rpn, &power->max, buf, count);
}

static ssize_t gt_max_freq_mhz_store(struct device *kdev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	struct igen_power *power = &igen->power;

	return store_limit(igen, &power->max, &power->min, &power->rp0, buf, count);
}

static ssize_t gt_boost_freq_mhz_store(struct device *kdev, struct device_attribute *attr, const char *buf,
				       size_t count)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	struct igen_power *power = &igen->power;

	return store_limit(igen, &power->boost, &power->rpn, &power->rp0, buf, count);
}

static DEVICE_ATTR_RO(gt_cur_freq_mhz);
static DEVICE_ATTR_RO(gt_RP0_freq_mhz);
static DEVICE_ATTR_RO(gt_RP1_freq_mhz);
static DEVICE_ATTR_RO(gt_RPn_freq_mhz);
static DEVICE_ATTR_RW(gt_min_freq_mhz);
static DEVICE_ATTR_RW(gt_max_freq_mhz);
static DEVICE_ATTR_RW(gt_boost_freq_mhz);

static const struct attribute *const freq_attrs[] = {
	&dev_attr_gt_act_freq_mhz.attr,
	&dev_attr_gt_cur_freq_mhz.attr,
	&dev_attr_gt_boost_freq_mhz.attr,
	&dev_attr_gt_max_freq_mhz.attr,
	&dev_attr_gt_min_freq_mhz.attr,
	&dev_attr_gt_RP0_freq_mhz.attr,
	&dev_attr_gt_RP1_freq_mhz.attr,
	&dev_attr_gt_RPn_freq_mhz.attr,
	NULL,
};

static ssize_t rc6_enable_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(kdev_to_igen(kdev)->power.rc6));
}

static ssize_t rc6_residency_ms_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	u64 ns;
	int idx;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	ns = igen_power_rc6_ns(igen);
	drm_dev_exit(idx);

	return sysfs_emit(buf, "%llu\n", div_u64(ns, NSEC_PER_MSEC));
}

static DEVICE_ATTR_RO(rc6_enable);
static DEVICE_ATTR_RO(rc6_residency_ms);

static struct attribute *rc6_attrs[] = {
	&dev_attr_rc6_enable.attr,
	&dev_attr_rc6_residency_ms.attr,
	NULL,
};

/* Of the directory that the driver core has made. */
static const struct attribute_group rc6_group = {
	.name = "power",
	.attrs = rc6_attrs,
};

/**
 * igen_freq_register - the clock's files next to the card
 * @igen: the device, registered
 */
void igen_freq_register(struct igen_device *igen)
{
	if (sysfs_create_files(&igen->drm.primary->kdev->kobj, freq_attrs))
		drm_warn(&igen->drm, "no frequency files in sysfs\n");
	if (sysfs_merge_group(&igen->drm.primary->kdev->kobj, &rc6_group))
		drm_warn(&igen->drm, "no RC6 files in sysfs\n");
}

/**
 * igen_freq_unregister - takes them away
 * @igen: the device, still registered
 */
void igen_freq_unregister(struct igen_device *igen)
{
	sysfs_unmerge_group(&igen->drm.primary->kdev->kobj, &rc6_group);
	sysfs_remove_files(&igen->drm.primary->kdev->kobj, freq_attrs);
}
