// SPDX-License-Identifier: MIT
/**
 * DOC: The clock by load
 *
 * While the GT is awake the load is looked at every 20 ms. Above one threshold the clock rises, below another it falls,
 * each time by twice as much as the time before for as long as the direction stays: a few periods take it from one end
 * to the other. Its thresholds are those with which stock i915 begins, 95 and 85 per cent: work that lets an engine
 * rest now and then is slowed until it does not, and an engine that never rests gets all.
 *
 * The load is that of the busiest engine, with half of the second one's and a quarter of the third one's on top, as
 * stock i915 counts it. A task may go from engine to engine, as a video that is decoded, scaled and drawn does. No
 * engine is busy all the time then, although the task waits for nothing but the GPU.
 *
 * Stock i915 looks after a jiffy when the clock has just changed, and then at growing intervals of up to 20 ms. So it
 * raises the clock within a burst of a few milliseconds, where this governor sees the mean of burst and pause. It does
 * not look as often, since a look at an engine that works reads five registers with forcewake held.
 *
 * Load says nothing of how urgent the work is. A wait tells: after a jiffy of waiting the request is
 * boosted, and until it is retired the clock is the one that root has set for that.
 *
 * The engines' times come from the contexts' own counters (submit/igen_client.c), so measuring costs the submission
 * nothing, and no interrupt is needed.
 */
#include <drm/drm_drv.h>
#include <linux/math64.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "igen_submit.h"

#define PERIOD		msecs_to_jiffies(20)

/* The first step, in MHz: the unit in which the part tells its range. */
#define FIRST_STEP	50

#define UP_PERCENT	95
#define DOWN_PERCENT	85

/* The busiest engines, which count: each half as much as the one before. */
#define COUNTED_ENGINES	3

/**
 * igen_governor_load - the load of all engines
 * @busy: how long each engine has worked, in ns
 * @count: number of engines
 * @elapsed: in which time, in ns; not 0
 *
 * Return: per cent, 100 at most.
 */
unsigned int igen_governor_load(const u64 *busy, unsigned int count, u64 elapsed)
{
	unsigned int i, k, busier;
	u64 sum = 0;

	for (i = 0; i < count; i++) {
		busier = 0;
		for (k = 0; k < count; k++)
			busier += busy[k] > busy[i] || (k < i && busy[k] == busy[i]);
		if (busier < COUNTED_ENGINES)
			sum += busy[i] >> busier;
	}
	return min_t(u64, div64_u64(100 * sum, elapsed), 100);
}

/**
 * igen_governor_step - where the clock should go
 * @governor: thresholds and the last step
 * @load: igen_governor_load()
 *
 * Return: how many MHz higher, or lower when negative.
 */
int igen_governor_step(const struct igen_governor *governor, unsigned int load)
{
	if (load > READ_ONCE(governor->up) || load >= 100)
		return clamp(2 * governor->step, FIRST_STEP, 16 * FIRST_STEP);
	if (load < READ_ONCE(governor->down))
		return clamp(2 * governor->step, -16 * FIRST_STEP, -FIRST_STEP);
	return 0;
}

/* The load since the last time, in per cent; negative when that is not known yet. */
static int governor_measure(struct igen_device *igen)
{
	struct igen_governor *governor = &igen->governor;
	struct igen_engine *engine;
	ktime_t now = ktime_get();
	s64 elapsed = governor->since ? ktime_to_ns(ktime_sub(now, governor->since)) : 0;
	u64 worked[IGEN_NUM_ENGINES] = {};
	unsigned int id;

	for_each_engine(igen, id, engine) {
		u64 busy = igen_engine_busy_ns(engine);

		worked[id] = busy - governor->busy[id];
		governor->busy[id] = busy;
	}
	governor->since = now;
	if (elapsed <= 0)
		return -1;
	return igen_governor_load(worked, IGEN_NUM_ENGINES, elapsed);
}

static void governor_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(to_delayed_work(work), struct igen_device, governor.work);
	struct igen_governor *governor = &igen->governor;
	int load, idx;
	s64 mhz;

	if (!drm_dev_enter(&igen->drm, &idx))
		return;
	if (!READ_ONCE(igen->wedged)) {
		load = governor_measure(igen);
		governor->step = load < 0 ? 0 : igen_governor_step(governor, load);
		mhz = max_t(s64, (s64)READ_ONCE(igen->power.clock) + governor->step, 0);
		if (igen_power_set_clock(igen, mhz))
			queue_delayed_work(igen->wq, &governor->work, PERIOD);
		else
			governor->since = 0;
	}
	drm_dev_exit(idx);
}

/**
 * igen_governor_start - there is work: the load is looked at until the GT is parked
 * @igen: the device
 *
 * Context: any.
 */
void igen_governor_start(struct igen_device *igen)
{
	queue_delayed_work(igen->wq, &igen->governor.work, PERIOD);
}

/**
 * igen_governor_boost - a request has been waited for too long
 * @rq: the request; its fence's lock is held, and it has not signaled
 *
 * Context: any.
 */
void igen_governor_boost(struct igen_request *rq)
{
	struct igen_device *igen = rq->group->igen;

	lockdep_assert_held(igen_fence_spinlock(&rq->fence));

	if (test_and_set_bit(IGEN_REQUEST_BOOSTED, &rq->fence.flags))
		return;
	if (atomic_inc_return(&igen->power.boosts) == 1)
		mod_delayed_work(igen->wq, &igen->governor.work, 0);
}

/**
 * igen_governor_retire - a request needs no boost any more
 * @rq: the request, whose fence has signaled
 *
 * The clock follows when the load is looked at next.
 */
void igen_governor_retire(struct igen_request *rq)
{
	if (test_bit(IGEN_REQUEST_BOOSTED, &rq->fence.flags))
		atomic_dec(&rq->group->igen->power.boosts);
}

/**
 * igen_governor_init - once a device
 * @igen: the device
 */
void igen_governor_init(struct igen_device *igen)
{
	INIT_DELAYED_WORK(&igen->governor.work, governor_work);
	igen->governor.up = UP_PERCENT;
	igen->governor.down = DOWN_PERCENT;
}

/**
 * igen_governor_stop - lets the clock be until there is work again
 * @igen: the device
 *
 * Context: may sleep.
 */
void igen_governor_stop(struct igen_device *igen)
{
	cancel_delayed_work_sync(&igen->governor.work);
	igen->governor.since = 0;
}
