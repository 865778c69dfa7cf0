// SPDX-License-Identifier: MIT
/**
 * DOC: The GT's clock in sysfs
 *
 * gt_*_freq_mhz next to the card, as i915 has them. The part tells its range in RP_STATE_CAP (50 MHz units); requests
 * and the actual clock count in 50/3 MHz on Gen9 (public Gen9 PRM Vol 2c, "RPSTAT1"). The driver asks for the maximum
 * that root allows and lets the hardware's own power management do the rest; a governor of its own is not there.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/sysfs.h>

#include <igen/regs/gt.h>

#include "../igen_device.h"
#include "igen_diag.h"

/* MHz of a unit of RP_STATE_CAP, and units of a request in it. */
#define CAP_MHZ		50
#define RATIOS_PER_CAP	3

static struct igen_device *kdev_to_igen(struct device *kdev)
{
	struct drm_minor *minor = dev_get_drvdata(kdev);

	return to_igen(minor->dev);
}

static u32 ratio_to_mhz(u32 ratio)
{
	return DIV_ROUND_CLOSEST(ratio * CAP_MHZ, RATIOS_PER_CAP);
}

static u32 mhz_to_ratio(u32 mhz)
{
	return DIV_ROUND_CLOSEST(mhz * RATIOS_PER_CAP, CAP_MHZ);
}

/* Asks for the highest clock that root allows; freq->mutex held, or nobody else there yet. */
static void request(struct igen_device *igen)
{
	struct igen_freq *freq = &igen->diag->freq;

	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT))
		return;
	igen_write(igen, RPNSWREQ, IGEN_PREP(RPNSWREQ_RATIO_MASK, mhz_to_ratio(freq->max)));
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
	freq->cur = freq->max;
}

/**
 * igen_freq_init - reads the part's range and asks for its top
 * @igen: the device, registers readable
 */
void igen_freq_init(struct igen_device *igen)
{
	struct igen_freq *freq = &igen->diag->freq;
	u32 cap = igen_read(igen, RP_STATE_CAP);

	mutex_init(&freq->mutex);
	freq->rp0 = IGEN_GET(RP_STATE_CAP_RP0_MASK, cap) * CAP_MHZ;
	freq->rp1 = IGEN_GET(RP_STATE_CAP_RP1_MASK, cap) * CAP_MHZ;
	freq->rpn = IGEN_GET(RP_STATE_CAP_RPN_MASK, cap) * CAP_MHZ;
	freq->min = freq->rpn;
	freq->max = freq->rp0;
	freq->boost = freq->rp0;
	if (freq->max)
		request(igen);
}

static ssize_t gt_act_freq_mhz_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	u32 stat = 0;
	int idx;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	if (!igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT)) {
		stat = igen_read(igen, RPSTAT1);
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
	}
	drm_dev_exit(idx);

	return sysfs_emit(buf, "%u\n", ratio_to_mhz(IGEN_GET(RPSTAT1_RATIO_MASK, stat)));
}
static DEVICE_ATTR_RO(gt_act_freq_mhz);

#define SHOW(name__, field__)								\
static ssize_t name__##_show(struct device *kdev, struct device_attribute *attr, char *buf)	\
{											\
	return sysfs_emit(buf, "%u\n", READ_ONCE(kdev_to_igen(kdev)->diag->freq.field__));	\
}

SHOW(gt_cur_freq_mhz, cur)
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
	struct igen_freq *freq = &igen->diag->freq;
	int idx, err;
	u32 mhz;

	err = kstrtou32(buf, 0, &mhz);
	if (err)
		return err;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	mutex_lock(&freq->mutex);
	if (mhz < *lo || mhz > *hi) {
		err = -EINVAL;
	} else {
		WRITE_ONCE(*field, mhz);
		request(igen);
	}
	mutex_unlock(&freq->mutex);
	drm_dev_exit(idx);

	return err ?: count;
}

static ssize_t gt_min_freq_mhz_store(struct device *kdev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	struct igen_freq *freq = &igen->diag->freq;

	return store_limit(igen, &freq->min, &freq->rpn, &freq->max, buf, count);
}

static ssize_t gt_max_freq_mhz_store(struct device *kdev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	struct igen_freq *freq = &igen->diag->freq;

	return store_limit(igen, &freq->max, &freq->min, &freq->rp0, buf, count);
}

static ssize_t gt_boost_freq_mhz_store(struct device *kdev, struct device_attribute *attr, const char *buf,
				       size_t count)
{
	struct igen_device *igen = kdev_to_igen(kdev);
	struct igen_freq *freq = &igen->diag->freq;

	return store_limit(igen, &freq->boost, &freq->rpn, &freq->rp0, buf, count);
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

/**
 * igen_freq_register - the clock's files next to the card
 * @igen: the device, registered
 */
void igen_freq_register(struct igen_device *igen)
{
	if (sysfs_create_files(&igen->drm.primary->kdev->kobj, freq_attrs))
		drm_warn(&igen->drm, "no frequency files in sysfs\n");
}

/**
 * igen_freq_unregister - takes them away
 * @igen: the device, still registered
 */
void igen_freq_unregister(struct igen_device *igen)
{
	sysfs_remove_files(&igen->drm.primary->kdev->kobj, freq_attrs);
}
