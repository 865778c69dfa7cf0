// SPDX-License-Identifier: MIT
/**
 * DOC: Frequency and RC6
 *
 * The GT is awake from the first request that is added until all are retired, and parked otherwise. While it is awake
 * the driver asks for the clock that the load wants (submit/igen_governor.c), beginning with the most efficient one,
 * and lets the power control unit bring it down as temperature and power want it. Parked, it asks for the lowest and
 * lets the GT go to RC6, in which the hardware has its registers saved and its power cut.
 *
 * RC6 is off while the GT is awake, although the hardware could enter it by itself between two batches: on Gen9 an
 * access to a register that meets the entry can corrupt what was saved (CVE-2019-0154; stock i915 does the same). The
 * hardware can say that this has happened; then RC6 stays off for good. Registers and units are the platform's (struct
 * igen_power_ops).
 */
#include <linux/minmax.h>

#include "../igen_device.h"
#include "../igen_trace.h"

static const struct igen_power_ops *power_ops(const struct igen_device *igen)
{
	return igen->platform->power;
}

/* A part that names no range is left alone. Forcewake of the GT and active_lock are held. */
static void power_request(struct igen_device *igen, u32 mhz)
{
	if (mhz != igen->power.asked)
		trace_intel_gpu_freq_change(mhz);
	igen->power.asked = mhz;
	if (mhz)
		power_ops(igen)->request(igen, mhz);
}

/* Programs clock and RC6, for work or sleep. Forcewake of the GT held; active_lock held, or no other code can run. */
static void power_apply(struct igen_device *igen, bool awake)
{
	struct igen_power *power = &igen->power;

	if (awake) {
		power_ops(igen)->rc6_leave(igen);
		power_request(igen, igen_power_requested_mhz(igen));
		return;
	}

	power_request(igen, power->rpn);
	if (power->rc6 && !power_ops(igen)->rc6_works(igen)) {
		drm_notice(&igen->drm, "what RC6 has saved is corrupt: it is not used any more\n");
		WRITE_ONCE(power->rc6, false);
	}
	if (power->rc6)
		power_ops(igen)->rc6_enter(igen);
}

/**
 * igen_power_init - reads the part's range, and whether it can sleep
 * @igen: the device; nothing is submitted yet
 *
 * Return: 0, or -EIO when the GT does not wake.
 */
int igen_power_init(struct igen_device *igen)
{
	struct igen_power *power = &igen->power;
	int err;

	power_ops(igen)->read_range(igen, power);
	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT);
	if (err)
		return err;
	power->rc6 = (!power_ops(igen)->rc6_prepared || power_ops(igen)->rc6_prepared(igen)) &&
		     power_ops(igen)->rc6_works(igen);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);

	mutex_init(&power->mutex);
	spin_lock_init(&power->residency_lock);
	power->min = power->rpn;
	power->max = power->rp0;
	power->boost = power->rp0;
	power->clock = power->rp1;
	power->residency_seen = igen_read(igen, power_ops(igen)->residency_reg);
	return 0;
}

/**
 * igen_power_resume - sets the hardware up
 * @igen: the device, after probe, resume or a full reset; forcewake of all domains held
 */
void igen_power_resume(struct igen_device *igen)
{
	spin_lock(&igen->active_lock);
	power_ops(igen)->setup(igen);
	power_apply(igen, igen->power.awake);
	spin_unlock(&igen->active_lock);
}

/* active_lock held. Another driver may have a wedged GPU by now; igen_power_resume() sets the power state later. */
static void power_change(struct igen_device *igen, bool awake)
{
	lockdep_assert_held(&igen->active_lock);

	WRITE_ONCE(igen->power.awake, awake);
	if (READ_ONCE(igen->wedged) || igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT))
		return;
	power_apply(igen, awake);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
}

/* active_lock held. */
static void power_set_clock(struct igen_power *power, u32 mhz)
{
	u32 low = READ_ONCE(power->min);

	WRITE_ONCE(power->clock, clamp(mhz, low, max(low, READ_ONCE(power->max))));
}

/**
 * igen_power_unpark - there is work, or will be
 * @igen: the device, which the caller keeps awake; active_lock held
 *
 * The GT keeps it awake until it is parked.
 */
void igen_power_unpark(struct igen_device *igen)
{
	if (igen->power.awake)
		return;
	igen_rpm_get_more(igen);
	power_set_clock(&igen->power, igen->power.rp1);
	power_change(igen, true);
}

/**
 * igen_power_park - there is nothing to do
 * @igen: the device, whose engines are idle; active_lock held
 */
void igen_power_park(struct igen_device *igen)
{
	if (!igen->power.awake)
		return;
	power_change(igen, false);
	igen_rpm_put(igen);
}

/**
 * igen_power_disable - keep the GT awake for the next driver
 * @igen: the device, stopped and still there; what others do about power has no effect until igen_power_resume()
 */
void igen_power_disable(struct igen_device *igen)
{
	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT))
		return;
	spin_lock(&igen->active_lock);
	power_ops(igen)->disable(igen);
	spin_unlock(&igen->active_lock);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
}

/**
 * igen_power_keep_asleep - let a GT that was stopped go to RC6, where the driver stays in charge of it
 * @igen: the device, stopped and still there
 *
 * The retire worker may not have parked the GT yet, for up to a second after the last work. igen_power_resume() then
 * sets the power state of work again.
 */
void igen_power_keep_asleep(struct igen_device *igen)
{
	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL))
		return;
	spin_lock(&igen->active_lock);
	power_ops(igen)->setup(igen);
	power_apply(igen, false);
	spin_unlock(&igen->active_lock);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
}

/**
 * igen_power_ring_clocks - tell the firmware how fast the ring between CPU, GPU and cache is to be
 * @igen: the device, there; after the probe, and a resume
 *
 * Without this the ring follows the CPU, and is slow while the GPU alone is busy. A firmware that refuses costs speed,
 * nothing else.
 *
 * Context: may sleep.
 */
void igen_power_ring_clocks(struct igen_device *igen)
{
	int err = power_ops(igen)->ring_clocks ? power_ops(igen)->ring_clocks(igen) : 0;

	if (err)
		drm_notice(&igen->drm, "the firmware takes no clocks for the ring: %d\n", err);
}

/**
 * igen_power_limits_changed - asks for the clock anew
 * @igen: the device, there; power.mutex held
 *
 * A GT that is parked gets the lowest whatever they are, so nothing is woken.
 */
void igen_power_limits_changed(struct igen_device *igen)
{
	spin_lock(&igen->active_lock);
	power_set_clock(&igen->power, igen->power.clock);
	if (igen->power.awake)
		power_change(igen, true);
	spin_unlock(&igen->active_lock);
}

/**
 * igen_power_set_clock - asks for a clock, if the GT is awake, and brings boosts into effect
 * @igen: the device, there
 * @mhz: the clock, which is brought within root's limits
 *
 * Writes to the hardware only what is new to it.
 *
 * Return: whether the GT is awake.
 * Context: may sleep; takes active_lock.
 */
bool igen_power_set_clock(struct igen_device *igen, u32 mhz)
{
	struct igen_power *power = &igen->power;
	bool awake;

	spin_lock(&igen->active_lock);
	awake = power->awake;
	if (awake) {
		power_set_clock(power, mhz);
		if (igen_power_requested_mhz(igen) != power->asked)
			power_change(igen, true);
	}
	spin_unlock(&igen->active_lock);
	return awake;
}

/**
 * igen_power_actual_mhz - reads the clock
 * @igen: the device, there
 *
 * Return: MHz, 0 when the GT does not wake. Context: any.
 */
u32 igen_power_actual_mhz(struct igen_device *igen)
{
	u32 mhz;

	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT))
		return 0;
	mhz = power_ops(igen)->actual_mhz(igen);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
	return mhz;
}

/**
 * igen_power_requested_mhz - the clock that the driver asks for
 * @igen: the device
 *
 * Return: MHz. Context: any.
 */
u32 igen_power_requested_mhz(struct igen_device *igen)
{
	const struct igen_power *power = &igen->power;
	u32 mhz = READ_ONCE(power->clock);

	if (!READ_ONCE(power->awake))
		return power->rpn;
	return atomic_read(&power->boosts) ? max(mhz, READ_ONCE(power->boost)) : mhz;
}

/**
 * igen_power_clock_mhz - the clock, without waking a GT that sleeps
 * @igen: the device, which a runtime-pm reference keeps there
 *
 * A parked GT has no clock to read, so the function reads the register of an awake GT only, and holds forcewake for it.
 *
 * Return: MHz; what was asked for while the GT is parked, or when it does not answer. Context: any.
 */
u32 igen_power_clock_mhz(struct igen_device *igen)
{
	u32 mhz = READ_ONCE(igen->power.awake) ? igen_power_actual_mhz(igen) : 0;

	return mhz ?: igen_power_requested_mhz(igen);
}

/* residency_lock held, the device awake. */
static void power_note_residency(struct igen_device *igen)
{
	struct igen_power *power = &igen->power;
	u32 now = igen_raw_read(igen, power_ops(igen)->residency_reg);

	power->residency += now - power->residency_seen;
	power->residency_seen = now;
}

/**
 * igen_power_sleep - the device goes to sleep
 * @igen: the device, still awake
 *
 * The counter is not looked at from now on.
 */
void igen_power_sleep(struct igen_device *igen)
{
	struct igen_power *power = &igen->power;

	spin_lock_irq(&power->residency_lock);
	power_note_residency(igen);
	power->asleep_since = ktime_get();
	spin_unlock_irq(&power->residency_lock);
}

/**
 * igen_power_wake - the device is awake again, and its counter has begun anew perhaps
 * @igen: the device
 */
void igen_power_wake(struct igen_device *igen)
{
	struct igen_power *power = &igen->power;

	spin_lock_irq(&power->residency_lock);
	power->residency_seen = igen_raw_read(igen, power_ops(igen)->residency_reg);
	power->asleep_ns += ktime_to_ns(ktime_sub(ktime_get(), power->asleep_since));
	power->asleep_since = 0;
	spin_unlock_irq(&power->residency_lock);
}

/**
 * igen_power_rc6_ns - how long the GT has been in RC6, or the device asleep
 * @igen: the device, there
 *
 * Wakes nothing. The counter wraps in an hour and a half, within which this has to be asked again.
 *
 * Return: nanoseconds since the probe. Context: any.
 */
u64 igen_power_rc6_ns(struct igen_device *igen)
{
	struct igen_power *power = &igen->power;
	unsigned long flags;
	u64 ns;

	spin_lock_irqsave(&power->residency_lock, flags);
	if (!power->asleep_since)
		power_note_residency(igen);
	ns = mul_u64_u32_div(power->residency, NSEC_PER_SEC, power_ops(igen)->residency_hz) + power->asleep_ns;
	if (power->asleep_since)
		ns += ktime_to_ns(ktime_sub(ktime_get(), power->asleep_since));
	spin_unlock_irqrestore(&power->residency_lock, flags);
	return ns;
}
