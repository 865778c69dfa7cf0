// SPDX-License-Identifier: MIT
/**
 * DOC: The GT's clock and sleep in sysfs
 *
 * gt_*_freq_mhz next to the card, rps_*_freq_mhz and rps_*_threshold_pct in its gt/gt0 directory, rc6_* there and in
 * its power directory, as on i915. The current frequency is the one that the driver asks for. The actual frequency is
 * that of the clock. engine/igen_power.c and submit/igen_governor.c set the clock. Values out of range are refused, and
 * change nothing.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/math64.h>
#include <linux/sysfs.h>

#include "../igen_device.h"
#include "igen_diag.h"

/** struct freq_file - a value that a file shows, and root may set */
struct freq_file {
	/** @read: reads it; the device is there, may sleep */
	u64 (*read)(struct igen_device *igen);
	/** @write: sets it, with igen_power.mutex held; 0 or -EINVAL. NULL: it cannot be set */
	int (*write)(struct igen_device *igen, u32 value);
};

/* Reads a value that lies ready. */
#define READER(name__, value__)						\
static u64 read_##name__(struct igen_device *igen)			\
{									\
	return READ_ONCE(value__);					\
}

/* Sets a frequency to a value between two others. */
#define WRITER(name__, value__, low__, high__)				\
static int write_##name__(struct igen_device *igen, u32 value)		\
{									\
	if (value < (low__) || value > (high__))			\
		return -EINVAL;						\
	WRITE_ONCE(value__, value);					\
	return 0;							\
}

#define READ_ONLY(name__, value__)					\
READER(name__, value__)							\
static const struct freq_file name__##_file = { .read = read_##name__ }

#define READ_WRITE(name__, value__, low__, high__)			\
READER(name__, value__)							\
WRITER(name__, value__, low__, high__)					\
static const struct freq_file name__##_file = { .read = read_##name__, .write = write_##name__ }

READ_ONLY(rp0, igen->power.rp0);
READ_ONLY(rp1, igen->power.rp1);
READ_ONLY(rpn, igen->power.rpn);
READ_ONLY(rc6_enable, igen->power.rc6);
READ_ONLY(default_min, igen->power.rpn);
READ_ONLY(default_max, igen->power.rp0);
READ_WRITE(min, igen->power.min, igen->power.rpn, igen->power.max);
READ_WRITE(max, igen->power.max, igen->power.min, igen->power.rp0);
READ_WRITE(boost, igen->power.boost, igen->power.rpn, igen->power.rp0);
READ_WRITE(up, igen->governor.up, 0, 100);
READ_WRITE(down, igen->governor.down, 0, 100);

static u64 freq_read_actual(struct igen_device *igen)
{
	u32 mhz;

	if (igen_rpm_get(igen))
		return 0;
	mhz = igen_power_actual_mhz(igen);
	igen_rpm_put(igen);
	return mhz;
}

static u64 freq_read_current(struct igen_device *igen)
{
	return igen_power_requested_mhz(igen);
}

static u64 freq_read_rc6_residency(struct igen_device *igen)
{
	return div_u64(igen_power_rc6_ns(igen), NSEC_PER_MSEC);
}

/* There is one GT. */
static u64 freq_read_id(struct igen_device *igen)
{
	return 0;
}

static const struct freq_file actual_file = { .read = freq_read_actual };
static const struct freq_file current_file = { .read = freq_read_current };
static const struct freq_file rc6_residency_file = { .read = freq_read_rc6_residency };
static const struct freq_file id_file = { .read = freq_read_id };

static ssize_t freq_show(struct igen_device *igen, const struct freq_file *file, char *buf)
{
	u64 value;
	int idx;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	value = file->read(igen);
	drm_dev_exit(idx);
	return sysfs_emit(buf, "%llu\n", value);
}

static ssize_t freq_store(struct igen_device *igen, const struct freq_file *file, const char *buf, size_t count)
{
	int idx, err;
	u32 value;

	err = kstrtou32(buf, 0, &value);
	if (err)
		return err;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	mutex_lock(&igen->power.mutex);
	err = file->write(igen, value);
	if (!err)
		igen_power_limits_changed(igen);
	mutex_unlock(&igen->power.mutex);
	drm_dev_exit(idx);

	return err ?: count;
}

static struct igen_device *kdev_to_igen(struct device *kdev)
{
	struct drm_minor *minor = dev_get_drvdata(kdev);

	return to_igen(minor->dev);
}

/* Files of the card's own directory or its power directory: the file is known by its struct dev_ext_attribute. */
static ssize_t freq_card_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	return freq_show(kdev_to_igen(kdev), container_of(attr, struct dev_ext_attribute, attr)->var, buf);
}

static ssize_t freq_card_store(struct device *kdev, struct device_attribute *attr, const char *buf, size_t count)
{
	return freq_store(kdev_to_igen(kdev), container_of(attr, struct dev_ext_attribute, attr)->var, buf, count);
}

#define CARD_RO(name__, file__)								\
	static struct dev_ext_attribute card_##name__ = {				\
		.attr = __ATTR(name__, 0444, freq_card_show, NULL),				\
		.var = (void *)&file__##_file,						\
	}
#define CARD_RW(name__, file__)								\
	static struct dev_ext_attribute card_##name__ = {				\
		.attr = __ATTR(name__, 0644, freq_card_show, freq_card_store),			\
		.var = (void *)&file__##_file,						\
	}

CARD_RO(gt_act_freq_mhz, actual);
CARD_RO(gt_cur_freq_mhz, current);
CARD_RW(gt_min_freq_mhz, min);
CARD_RW(gt_max_freq_mhz, max);
CARD_RW(gt_boost_freq_mhz, boost);
CARD_RO(gt_RP0_freq_mhz, rp0);
CARD_RO(gt_RP1_freq_mhz, rp1);
CARD_RO(gt_RPn_freq_mhz, rpn);
CARD_RO(rc6_enable, rc6_enable);
CARD_RO(rc6_residency_ms, rc6_residency);

static const struct attribute *const freq_attrs[] = {
	&card_gt_act_freq_mhz.attr.attr,
	&card_gt_cur_freq_mhz.attr.attr,
	&card_gt_boost_freq_mhz.attr.attr,
	&card_gt_max_freq_mhz.attr.attr,
	&card_gt_min_freq_mhz.attr.attr,
	&card_gt_RP0_freq_mhz.attr.attr,
	&card_gt_RP1_freq_mhz.attr.attr,
	&card_gt_RPn_freq_mhz.attr.attr,
	NULL,
};

static struct attribute *rc6_attrs[] = {
	&card_rc6_enable.attr.attr,
	&card_rc6_residency_ms.attr.attr,
	NULL,
};

/* The driver core has made the directory "power"; these files join it. */
static const struct attribute_group rc6_group = {
	.name = "power",
	.attrs = rc6_attrs,
};

/** struct gt_attr - a file of gt/gt0 */
struct gt_attr {
	/** @attr: the attribute for sysfs */
	struct kobj_attribute attr;
	/** @file: the value that the attribute shows */
	const struct freq_file *file;
};

static struct igen_device *gt_to_igen(struct kobject *gt0)
{
	return kdev_to_igen(kobj_to_dev(gt0->parent->parent));
}

static ssize_t freq_gt_show(struct kobject *gt0, struct kobj_attribute *attr, char *buf)
{
	return freq_show(gt_to_igen(gt0), container_of(attr, struct gt_attr, attr)->file, buf);
}

static ssize_t freq_gt_store(struct kobject *gt0, struct kobj_attribute *attr, const char *buf, size_t count)
{
	return freq_store(gt_to_igen(gt0), container_of(attr, struct gt_attr, attr)->file, buf, count);
}

#define GT_RO(name__, file__)								\
	static struct gt_attr gt_##name__ = { __ATTR(name__, 0444, freq_gt_show, NULL), &file__##_file }
#define GT_RW(name__, file__)								\
	static struct gt_attr gt_##name__ = { __ATTR(name__, 0644, freq_gt_show, freq_gt_store), &file__##_file }

GT_RO(id, id);
GT_RO(rps_act_freq_mhz, actual);
GT_RO(rps_cur_freq_mhz, current);
GT_RO(punit_req_freq_mhz, current);
GT_RW(rps_min_freq_mhz, min);
GT_RW(rps_max_freq_mhz, max);
GT_RW(rps_boost_freq_mhz, boost);
GT_RO(rps_RP0_freq_mhz, rp0);
GT_RO(rps_RP1_freq_mhz, rp1);
GT_RO(rps_RPn_freq_mhz, rpn);
GT_RW(rps_up_threshold_pct, up);
GT_RW(rps_down_threshold_pct, down);
GT_RO(rc6_enable, rc6_enable);
GT_RO(rc6_residency_ms, rc6_residency);

static const struct attribute *const gt_attrs[] = {
	&gt_id.attr.attr,
	&gt_rps_act_freq_mhz.attr.attr,
	&gt_rps_cur_freq_mhz.attr.attr,
	&gt_punit_req_freq_mhz.attr.attr,
	&gt_rps_min_freq_mhz.attr.attr,
	&gt_rps_max_freq_mhz.attr.attr,
	&gt_rps_boost_freq_mhz.attr.attr,
	&gt_rps_RP0_freq_mhz.attr.attr,
	&gt_rps_RP1_freq_mhz.attr.attr,
	&gt_rps_RPn_freq_mhz.attr.attr,
	&gt_rps_up_threshold_pct.attr.attr,
	&gt_rps_down_threshold_pct.attr.attr,
	&gt_rc6_enable.attr.attr,
	&gt_rc6_residency_ms.attr.attr,
	NULL,
};

/* Files of gt0/.defaults. */
static ssize_t freq_default_show(struct kobject *defaults, struct kobj_attribute *attr, char *buf)
{
	return freq_show(gt_to_igen(defaults->parent), container_of(attr, struct gt_attr, attr)->file, buf);
}

#define DEFAULT_RO(name__)								\
	static struct gt_attr default_##name__##_attr = {				\
		__ATTR(rps_##name__##_freq_mhz, 0444, freq_default_show, NULL), &default_##name__##_file }

DEFAULT_RO(min);
DEFAULT_RO(max);

static const struct attribute *const default_attrs[] = {
	&default_min_attr.attr.attr,
	&default_max_attr.attr.attr,
	NULL,
};

/* gt/gt0: the first is there for the name only. */
static int freq_gt_register(struct igen_device *igen)
{
	struct igen_diag *diag = igen->diag;
	int err;

	diag->gt = kobject_create_and_add("gt", &igen->drm.primary->kdev->kobj);
	if (!diag->gt)
		return -ENOMEM;
	diag->gt0 = kobject_create_and_add("gt0", diag->gt);
	if (!diag->gt0)
		return -ENOMEM;
	err = sysfs_create_files(diag->gt0, gt_attrs);
	if (err)
		return err;
	diag->gt0_defaults = kobject_create_and_add(".defaults", diag->gt0);
	return diag->gt0_defaults ? sysfs_create_files(diag->gt0_defaults, default_attrs) : -ENOMEM;
}

static void freq_gt_unregister(struct igen_device *igen)
{
	igen_sysfs_remove_dir(&igen->diag->gt0_defaults);
	igen_sysfs_remove_dir(&igen->diag->gt0);
	igen_sysfs_remove_dir(&igen->diag->gt);
}

/**
 * igen_freq_register - the clock's files next to the card
 * @igen: the device, registered
 */
void igen_freq_register(struct igen_device *igen)
{
	struct kobject *card = &igen->drm.primary->kdev->kobj;

	if (sysfs_create_files(card, freq_attrs) || freq_gt_register(igen))
		drm_warn(&igen->drm, "not all of the frequency's files are in sysfs\n");
	if (sysfs_merge_group(card, &rc6_group))
		drm_warn(&igen->drm, "no RC6 files in sysfs\n");
}

/**
 * igen_freq_unregister - takes them away
 * @igen: the device, still registered
 */
void igen_freq_unregister(struct igen_device *igen)
{
	struct kobject *card = &igen->drm.primary->kdev->kobj;

	sysfs_unmerge_group(card, &rc6_group);
	freq_gt_unregister(igen);
	sysfs_remove_files(card, freq_attrs);
}
