// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the references that keep the device awake
 *
 * The mock's parent has no driver, so the power management core lets it sleep and wakes it without more ado.
 */
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>

#include <igen/regs/gt.h>

#include "igen_mock.h"
#include "../submit/igen_retire.h"

static int core_users(struct igen_device *igen)
{
	return atomic_read(&igen->drm.dev->power.usage_count);
}

/* The device as after its probe: awake, without users. */
static struct igen_device *start(struct kunit *test)
{
	struct igen_device *igen = ((struct igen_mock *)test->priv)->igen;
	struct device *dev = igen->drm.dev;

	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 1);
	pm_runtime_set_active(dev);
	pm_runtime_get_noresume(dev);
	pm_runtime_enable(dev);
	/* Only when a test wants it to. */
	pm_runtime_set_autosuspend_delay(dev, 1000 * MSEC_PER_SEC);
	pm_runtime_use_autosuspend(dev);
	igen_rpm_put(igen);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 0);
	KUNIT_EXPECT_EQ(test, core_users(igen), 0);
	return igen;
}

static void stop(struct igen_device *igen)
{
	pm_runtime_dont_use_autosuspend(igen->drm.dev);
	pm_runtime_disable(igen->drm.dev);
	atomic_set(&igen->rpm.users, 1);
}

/* However many users there are, the core has one. */
static void rpm_counts(struct kunit *test)
{
	struct igen_device *igen = start(test);

	KUNIT_EXPECT_EQ(test, igen_rpm_get(igen), 0);
	KUNIT_EXPECT_EQ(test, core_users(igen), 1);
	KUNIT_EXPECT_EQ(test, igen_rpm_get(igen), 0);
	igen_rpm_get_more(igen);
	KUNIT_EXPECT_TRUE(test, igen_rpm_get_if_awake(igen));
	KUNIT_EXPECT_TRUE(test, igen_rpm_get_if_in_use(igen));
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 5);
	KUNIT_EXPECT_EQ(test, core_users(igen), 1);
	igen_rpm_put(igen);
	igen_rpm_put(igen);
	igen_rpm_put(igen);
	igen_rpm_put(igen);
	KUNIT_EXPECT_EQ(test, core_users(igen), 1);
	igen_rpm_put(igen);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 0);
	KUNIT_EXPECT_EQ(test, core_users(igen), 0);
	stop(igen);
}

/* A device that is awake without users is kept so by igen_rpm_get_if_awake(), but not by igen_rpm_get_if_in_use(). */
static void rpm_awake_without_users(struct kunit *test)
{
	struct igen_device *igen = start(test);

	KUNIT_EXPECT_FALSE(test, igen_rpm_get_if_in_use(igen));
	KUNIT_EXPECT_TRUE(test, igen_rpm_get_if_awake(igen));
	KUNIT_EXPECT_EQ(test, core_users(igen), 1);
	KUNIT_EXPECT_EQ(test, pm_runtime_suspend(igen->drm.dev), -EAGAIN);
	igen_rpm_put(igen);
	KUNIT_EXPECT_EQ(test, core_users(igen), 0);
	stop(igen);
}

/* Only code that may wake the device wakes it. */
static void rpm_asleep(struct kunit *test)
{
	struct igen_device *igen = start(test);
	struct device *dev = igen->drm.dev;

	KUNIT_EXPECT_EQ(test, pm_runtime_suspend(dev), 0);
	KUNIT_EXPECT_TRUE(test, pm_runtime_suspended(dev));
	KUNIT_EXPECT_FALSE(test, igen_rpm_get_if_awake(igen));
	KUNIT_EXPECT_FALSE(test, igen_rpm_get_if_in_use(igen));
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 0);
	KUNIT_EXPECT_EQ(test, igen_rpm_get(igen), 0);
	KUNIT_EXPECT_FALSE(test, pm_runtime_suspended(dev));
	/* System sleep, which has a reference of its own. */
	WRITE_ONCE(igen->rpm.asleep, true);
	KUNIT_EXPECT_FALSE(test, igen_rpm_get_if_awake(igen));
	KUNIT_EXPECT_FALSE(test, igen_rpm_get_if_in_use(igen));
	WRITE_ONCE(igen->rpm.asleep, false);
	igen_rpm_put(igen);
	stop(igen);
}

/* A device that cannot be woken has no users. */
static void rpm_refuses(struct kunit *test)
{
	struct igen_device *igen = start(test);
	struct device *dev = igen->drm.dev;

	KUNIT_EXPECT_EQ(test, pm_runtime_suspend(dev), 0);
	pm_runtime_disable(dev);
	KUNIT_EXPECT_EQ(test, igen_rpm_get(igen), -EACCES);
	KUNIT_EXPECT_FALSE(test, igen_rpm_get_if_awake(igen));
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 0);
	KUNIT_EXPECT_EQ(test, core_users(igen), 0);
	pm_runtime_enable(dev);
	stop(igen);
}

/* A GT that is not parked keeps the device awake, and a request does until it is there. */
static void rpm_gt_keeps_awake(struct kunit *test)
{
	struct igen_device *igen = start(test);
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq;

	rq = igen_mock_request(test, ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 1);
	igen_request_add(rq);
	KUNIT_EXPECT_TRUE(test, igen->power.awake);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 1);
	igen_mock_complete(rq);
	igen_request_put(rq);
	igen_retire(igen);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 1);
	spin_lock(&igen->active_lock);
	igen_power_park(igen);
	spin_unlock(&igen->active_lock);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->rpm.users), 0);
	KUNIT_EXPECT_EQ(test, core_users(igen), 0);
	igen_context_put(ctx);
	stop(igen);
}

/* In a suspend to idle the GT sleeps, whether or not the retire worker has parked it. */
static void rpm_gt_asleep_in_s2idle(struct kunit *test)
{
	struct igen_device *igen = start(test);

	igen->power.rpn = 350;
	igen->power.clock = 600;
	igen->power.max = 600;
	igen->power.rc6 = true;
	KUNIT_EXPECT_EQ(test, igen_rpm_get(igen), 0);
	igen_write(igen, RC6_CTX_INFO, 1);
	spin_lock(&igen->active_lock);
	igen_power_unpark(igen);
	spin_unlock(&igen->active_lock);
	KUNIT_EXPECT_EQ(test, igen_read(igen, RC_CONTROL), 0u);

	igen_power_keep_asleep(igen);
	KUNIT_EXPECT_EQ(test, igen_read(igen, RC_CONTROL), (u32)RC_CONTROL_RC6_ENABLE);
	KUNIT_EXPECT_EQ(test, igen->power.asked, 350u);
	KUNIT_EXPECT_TRUE(test, igen->power.awake);

	/* The machine wakes, and the GT has its clock again. */
	igen->power.clock = 600;
	igen_power_resume(igen);
	KUNIT_EXPECT_EQ(test, igen_read(igen, RC_CONTROL), 0u);
	KUNIT_EXPECT_EQ(test, igen->power.asked, 600u);
	spin_lock(&igen->active_lock);
	igen_power_park(igen);
	spin_unlock(&igen->active_lock);
	igen_rpm_put(igen);
	stop(igen);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rpm_counts),
	KUNIT_CASE(rpm_awake_without_users),
	KUNIT_CASE(rpm_asleep),
	KUNIT_CASE(rpm_refuses),
	KUNIT_CASE(rpm_gt_keeps_awake),
	KUNIT_CASE(rpm_gt_asleep_in_s2idle),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_rpm",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
