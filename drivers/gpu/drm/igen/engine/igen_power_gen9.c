// SPDX-License-Identifier: MIT
/**
 * DOC: Frequency and RC6 of Gen9
 *
 * The part tells its range in RP_STATE_CAP, in units of 50 MHz; requests and the clock itself count in 50/3 MHz. LP
 * parts have a register of their own for the range, in 50/3 MHz, and their firmware sets up where RC6 saves the GT. The
 * set-up is stock i915's, since the public manuals have the registers but not the values (public Gen9 PRM Vol 2c,
 * "RC_CONTROL", "RC_STATE" and their neighbours). The hardware says in RC6_CTX_INFO when what RC6 has saved is corrupt.
 */
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>

#include "../igen_device.h"

/* MHz of a unit of RP_STATE_CAP, and units of a request in it. */
#define CAP_MHZ		50
#define RATIOS_PER_CAP	3
/* The place of the ring's clock in PCODE_WRITE_MIN_FREQ_TABLE's data; the GT's is below. */
#define PCODE_RING_RATIO_SHIFT	16
/* RING_MAX_IDLE's count. */
#define MAX_IDLE_MASK		GENMASK(19, 0)

static u32 gen9_mhz_to_request(u32 mhz)
{
	return IGEN_PREP(RPNSWREQ_RATIO_MASK, DIV_ROUND_CLOSEST(mhz * RATIOS_PER_CAP, CAP_MHZ));
}

static void gen9_read_range(struct igen_device *igen, struct igen_power *power)
{
	u32 cap = igen_read(igen, RP_STATE_CAP);

	power->rp0 = IGEN_GET(RP_STATE_CAP_RP0_MASK, cap) * CAP_MHZ;
	power->rp1 = IGEN_GET(RP_STATE_CAP_RP1_MASK, cap) * CAP_MHZ;
	power->rpn = IGEN_GET(RP_STATE_CAP_RPN_MASK, cap) * CAP_MHZ;
}

static u32 gen9lp_mhz(u32 ratio)
{
	return DIV_ROUND_CLOSEST(ratio * CAP_MHZ, RATIOS_PER_CAP);
}

static void gen9lp_read_range(struct igen_device *igen, struct igen_power *power)
{
	u32 cap = igen_read(igen, RP_STATE_CAP_LP);

	power->rp0 = gen9lp_mhz(IGEN_GET(RP_STATE_CAP_LP_RP0_MASK, cap));
	power->rp1 = gen9lp_mhz(IGEN_GET(RP_STATE_CAP_LP_RP1_MASK, cap));
	power->rpn = gen9lp_mhz(IGEN_GET(RP_STATE_CAP_LP_RPN_MASK, cap));
}

static void gen9_setup(struct igen_device *igen)
{
	static const struct {
		u32 reg, value;
	} setup[] = {
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
	const struct igen_power_ops *ops = igen->platform->power;
	const struct igen_power *power = &igen->power;
	struct igen_engine *engine;
	unsigned int i, id;

	igen_write(igen, RC_CONTROL, 0);
	igen_write(igen, RC6_WAKE_RATE_LIMIT, ops->wake_rate_limit);
	for (i = 0; i < ARRAY_SIZE(setup); i++)
		igen_write(igen, setup[i].reg, setup[i].value);
	for_each_engine(igen, id, engine)
		igen_write(igen, RING_MAX_IDLE(engine->info->base), 10);
	if (power->rp1)
		igen_write(igen, RC_VIDEO_FREQ, gen9_mhz_to_request(power->rp1));
	if (power->rc6)
		igen_write(igen, GT_PG_ENABLE, ops->gates);
}

static void gen9_request(struct igen_device *igen, u32 mhz)
{
	igen_write(igen, RPNSWREQ, gen9_mhz_to_request(mhz));
}

static u32 gen9_actual_mhz(struct igen_device *igen)
{
	u32 stat = igen_read(igen, RPSTAT1);

	if (stat == ~0u)
		return 0;
	return DIV_ROUND_CLOSEST(IGEN_GET(RPSTAT1_RATIO_MASK, stat) * CAP_MHZ, RATIOS_PER_CAP);
}

/*
 * A row for each clock of the GT in units of 50 MHz, with the ring at twice that in units of 100 MHz, so the numbers
 * are equal; the CPU's clock is left to cpufreq (as stock i915 programs it; the manuals do not describe the mailbox).
 */
static int gen9_ring_clocks(struct igen_device *igen)
{
	u32 ratio = igen->power.rp0 / CAP_MHZ, slowest = igen->power.rpn / CAP_MHZ;
	int err = 0;

	if (!slowest)
		return 0;
	for (; ratio >= slowest && !err; ratio--)
		err = igen_pcode_write(igen, PCODE_WRITE_MIN_FREQ_TABLE, ratio << PCODE_RING_RATIO_SHIFT | ratio);
	return err;
}

static bool gen9_rc6_works(struct igen_device *igen)
{
	return igen_read(igen, RC6_CTX_INFO);
}

/* How long each engine has to be idle before RC6. */
static bool gen9lp_engines_prepared(struct igen_device *igen)
{
	static const u32 engines[] = { RCS0_BASE, BCS0_BASE, VCS0_BASE, VECS0_BASE };
	bool prepared = true;
	unsigned int i;

	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL))
		return false;
	for (i = 0; i < ARRAY_SIZE(engines); i++)
		prepared &= (igen_read(igen, RING_MAX_IDLE(engines[i])) & MAX_IDLE_MASK) > 1;
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	return prepared;
}

/* Registers that the firmware sets before RC6 may be used, as stock i915 has them (bxt_check_bios_rc6_setup()). */
static bool gen9lp_rc6_prepared(struct igen_device *igen)
{
	static const u32 set[] = { GFX_PAUSE, MISC_CTRL0, PUSHBUS_CONTROL, PUSHBUS_ENABLE, PUSHBUS_SHIFT };
	u32 reserved = igen_read(igen, STOLEN_RESERVED), base = igen_read(igen, RC6_CTX_BASE) & PAGE_MASK;
	u64 from = reserved & STOLEN_RESERVED_BASE_MASK;
	u64 to = from + (SZ_1M << IGEN_GET(STOLEN_RESERVED_SIZE_MASK, reserved));
	unsigned int i;

	if (!(igen_read(igen, RC6_LOCATION) & RC6_LOCATION_IN_DRAM) || !(reserved & STOLEN_RESERVED_ENABLE) ||
	    base < from || base + PAGE_SIZE >= to)
		return false;
	for (i = 0; i < ARRAY_SIZE(set); i++)
		if (!igen_read(igen, set[i]))
			return false;
	return gen9lp_engines_prepared(igen);
}

static void gen9_rc6_enter(struct igen_device *igen)
{
	igen_write(igen, RC_CONTROL, RC_CONTROL_RC6_ENABLE);
	igen_write(igen, RC_STATE, IGEN_PREP(RC_STATE_TARGET_MASK, RC_STATE_TARGET_RC6));
}

static void gen9_rc6_leave(struct igen_device *igen)
{
	igen_write(igen, RC_CONTROL, 0);
}

static void gen9_disable(struct igen_device *igen)
{
	igen_write(igen, GT_PG_ENABLE, 0);
	igen_write(igen, RC_CONTROL, 0);
	igen_write(igen, RC_STATE, 0);
}

#define GEN9_POWER_OPS \
	.residency_reg = GT_GFX_RC6, \
	.setup = gen9_setup, \
	.request = gen9_request, \
	.actual_mhz = gen9_actual_mhz, \
	.rc6_works = gen9_rc6_works, \
	.rc6_enter = gen9_rc6_enter, \
	.rc6_leave = gen9_rc6_leave, \
	.disable = gen9_disable

#define GEN9_CORE_POWER_OPS \
	GEN9_POWER_OPS, \
	.residency_hz = 781250, \
	.read_range = gen9_read_range, \
	.ring_clocks = gen9_ring_clocks

/* In the upper half of the register, as stock i915 has it; WaRsDoubleRc6WrlWithCoarsePowerGating doubles it. */
#define WAKE_RATE_LIMIT		(54 << 16)

const struct igen_power_ops igen_power_gen9_ops = {
	GEN9_CORE_POWER_OPS,
	.wake_rate_limit = WAKE_RATE_LIMIT,
	.gates = GT_PG_RENDER | GT_PG_MEDIA,
};

const struct igen_power_ops igen_power_skl_ops = {
	GEN9_CORE_POWER_OPS,
	.wake_rate_limit = 2 * WAKE_RATE_LIMIT,
	.gates = GT_PG_RENDER | GT_PG_MEDIA,
};

/* WaRsDisableCoarsePowerGating: none of the gates. */
const struct igen_power_ops igen_power_skl_gt3_ops = {
	GEN9_CORE_POWER_OPS,
	.wake_rate_limit = 2 * WAKE_RATE_LIMIT,
};

const struct igen_power_ops igen_power_gen9lp_ops = {
	GEN9_POWER_OPS,
	.residency_hz = 1200000,
	.wake_rate_limit = WAKE_RATE_LIMIT,
	.gates = GT_PG_RENDER | GT_PG_MEDIA,
	.read_range = gen9lp_read_range,
	.rc6_prepared = gen9lp_rc6_prepared,
};
