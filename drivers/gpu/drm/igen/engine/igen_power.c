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
 * hardware says so in RC6_CTX_INFO; then RC6 stays off for good. The set-up is stock i915's, since the public manuals
 * have the registers but not the values (public Gen9 PRM Vol 2c, "RC_CONTROL", "RC_STATE" and their neighbours).
 *
 * The part tells its range in RP_STATE_CAP, in units of 50 MHz; requests and the clock itself count in 50/3 MHz.
 */
#include <linux/math.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>

#include "../igen_device.h"

/* MHz of a unit of RP_STATE_CAP, and units of a request in it. */
#define CAP_MHZ		50
#define RATIOS_PER_CAP	3

/* A unit of the residency counter, in ns. */
#define RC6_UNIT_NS	1280

static u32 ratio_to_mhz(u32 ratio)
{
	return DIV_ROUND_CLOSEST(ratio * CAP_MHZ, RATIOS_PER_CAP);
}

static u32 mhz_to_request(u32 mhz)
{
	return IGEN_PREP(RPNSWREQ_RATIO_MASK, DIV_ROUND_CLOSEST(mhz * RATIOS_PER_CAP, CAP_MHZ));
}

/* A part that names no range is left alone. Forcewake of the GT and active_lock are held. */
static void request(struct igen_device *igen)
{
	u32 mhz = igen_power_requested_mhz(igen);

	igen->power.asked = mhz;
	if (mhz)
		igen_write(igen, RPNSWREQ, mhz_to_request(mhz));
}

/* Writes what @awake says; forcewake of the GT is held, and either active_lock is or nobody else is there. */
static void apply(struct igen_device *igen)
{
	struct igen_power *power = &igen->power;

	if (power->awake) {
		igen_write(igen, RC_CONTROL, 0);
		request(igen);
		return;
	}

	request(igen);
	if (power->rc6 && !igen_read(igen, RC6_CTX_INFO)) {
		drm_notice(&igen->drm, "what RC6 has saved is corrupt: it is not used any more\n");
		WRITE_ONCE(power->rc6, false);
	}
	if (!power->rc6)
		return;
	igen_write(igen, RC_CONTROL, RC_CONTROL_RC6_ENABLE);
	igen_write(igen, RC_STATE, IGEN_PREP(RC_STATE_TARGET_MASK, RC_STATE_TARGET_RC6));
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
	u32 cap = igen_read(igen, RP_STATE_CAP);
	int err;

	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT);
	if (err)
		return err;
	power->rc6 = igen_read(igen, RC6_CTX_INFO);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);

	mutex_init(&power->mutex);
	spin_lock_init(&power->residency_lock);
	power->rp0 = IGEN_GET(RP_STATE_CAP_RP0_MASK, cap) * CAP_MHZ;
	power->rp1 = IGEN_GET(RP_STATE_CAP_RP1_MASK, cap) * CAP_MHZ;
	power->rpn = IGEN_GET(RP_STATE_CAP_RPN_MASK, cap) * CAP_MHZ;
	power->min = power->rpn;
	power->max = power->rp0;
	power->boost = power->rp0;
	power->clock = power->rp1;
	power->residency_seen = igen_read(igen, GT_GFX_RC6);
	return 0;
}

/**
 * igen_power_resume - sets the hardware up
 * @igen: the device, after probe, resume or a full reset; forcewake of all domains held
 */
void igen_power_resume(struct igen_device *igen)
{
	static const struct {
		u32 reg, value;
	} setup[] = {
		{ RC6_WAKE_RATE_LIMIT, 54 << 16 },
		{ RC_EVALUATION_INTERVAL, 125000 },	/* units of 1.28 us, as the others */
		{ RC_IDLE_HYSTERESIS, 25 },
		{ GUC_MAX_IDLE_COUNT, 10 },
		{ RC_SLEEP, 0 },
		{ MEDIA_PG_IDLE_HYSTERESIS, 250 },
		{ RENDER_PG_IDLE_HYSTERESIS, 250 },
		{ RC6_THRESHOLD, 37500 },
		{ RP_IDLE_HYSTERESIS, 10 },
		/* Nothing of the frequency control interrupts, and no more does the firmware get it. */
		{ PMINTRMSK, ~PMINTR_DISABLE_REDIRECT_TO_GUC },
		{ RP_CONTROL, RP_CONTROL_MEDIA_TURBO | RP_CONTROL_MEDIA_HW_NORMAL | RP_CONTROL_MEDIA_IS_GFX |
			      RP_CONTROL_ENABLE | RP_CONTROL_UP_BUSY_AVG | RP_CONTROL_DOWN_IDLE_AVG },
	};
	struct igen_power *power = &igen->power;
	struct igen_engine *engine;
	unsigned int i, id;

	spin_lock(&igen->active_lock);
	igen_write(igen, RC_CONTROL, 0);
	for (i = 0; i < ARRAY_SIZE(setup); i++)
		igen_write(igen, setup[i].reg, setup[i].value);
	for_each_engine(igen, id, engine)
		igen_write(igen, RING_MAX_IDLE(engine->info->base), 10);
	if (power->rp1)
		igen_write(igen, RC_VIDEO_FREQ, mhz_to_request(power->rp1));
	if (power->rc6)
		igen_write(igen, GT_PG_ENABLE, GT_PG_RENDER | GT_PG_MEDIA);
	apply(igen);
	spin_unlock(&igen->active_lock);
}

/* active_lock held. A GPU that was given up may not be ours any more; igen_power_resume() makes up for it. */
static void change(struct igen_device *igen, bool awake)
{
	lockdep_assert_held(&igen->active_lock);

	WRITE_ONCE(igen->power.awake, awake);
	if (READ_ONCE(igen->wedged) || igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT))
		return;
	apply(igen);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
}

/* active_lock held. */
static void set_clock(struct igen_power *power, u32 mhz)
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
	set_clock(&igen->power, igen->power.rp1);
	change(igen, true);
}

/**
 * igen_power_park - there is nothing to do
 * @igen: the device, whose engines are idle; active_lock held
 */
void igen_power_park(struct igen_device *igen)
{
	if (!igen->power.awake)
		return;
	change(igen, false);
	igen_rpm_put(igen);
}

/**
 * igen_power_disable - keeps the GT awake, for whoever comes next
 * @igen: the device, stopped and still there; what others do about power has no effect until igen_power_resume()
 */
void igen_power_disable(struct igen_device *igen)
{
	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT))
		return;
	spin_lock(&igen->active_lock);
	igen_write(igen, GT_PG_ENABLE, 0);
	igen_write(igen, RC_CONTROL, 0);
	igen_write(igen, RC_STATE, 0);
	spin_unlock(&igen->active_lock);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
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
	set_clock(&igen->power, igen->power.clock);
	if (igen->power.awake)
		change(igen, true);
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
		set_clock(power, mhz);
		if (igen_power_requested_mhz(igen) != power->asked)
			change(igen, true);
	}
	spin_unlock(&igen->active_lock);
	return awake;
}

/**
 * igen_power_actual_mhz - reads the clock
 * @igen: the device, there
 *
 * Return: MHz, 0 when the GT does not wake.
 */
u32 igen_power_actual_mhz(struct igen_device *igen)
{
	u32 stat;

	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_GT))
		return 0;
	stat = igen_read(igen, RPSTAT1);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
	return ratio_to_mhz(IGEN_GET(RPSTAT1_RATIO_MASK, stat));
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
 * igen_power_clock_mhz - the clock, without waking anything up
 * @igen: the device, there
 *
 * Return: MHz, what was asked for while the register sleeps. Context: any.
 */
u32 igen_power_clock_mhz(struct igen_device *igen)
{
	u32 stat = igen_read(igen, RPSTAT1);

	if (!stat || stat == ~0u)
		return igen_power_requested_mhz(igen);
	return ratio_to_mhz(IGEN_GET(RPSTAT1_RATIO_MASK, stat));
}

/* residency_lock held, the device awake. */
static void note_residency(struct igen_device *igen)
{
	struct igen_power *power = &igen->power;
	u32 now = igen_raw_read(igen, GT_GFX_RC6);

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
	note_residency(igen);
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
	power->residency_seen = igen_raw_read(igen, GT_GFX_RC6);
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
		note_residency(igen);
	ns = power->residency * RC6_UNIT_NS + power->asleep_ns;
	if (power->asleep_since)
		ns += ktime_to_ns(ktime_sub(ktime_get(), power->asleep_since));
	spin_unlock_irqrestore(&power->residency_lock, flags);
	return ns;
}
