// SPDX-License-Identifier: MIT
/**
 * DOC: Frequency and RC6 of Gen6 and Gen7
 *
 * The part tells its range in RP_STATE_CAP; it, requests and the clock itself count in 50 MHz. The set-up is stock
 * i915's. Ivy Bridge saves more power in RC6p, which is entered from RC6 by itself. Firmware of some Sandy Bridge
 * leaves RC6 a voltage at which it loses state: below 450 mV the driver asks for that.
 *
 * There is no clock of the ring alone: it is that of the CPU, which is left to cpufreq.
 */
#include <linux/bits.h>
#include <linux/math.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>

#include "../igen_device.h"

#define CAP_MHZ			50

/* Bits that no manual at hand has, as stock i915 uses them. */
#define RC_CONTROL_EI_MODE	BIT(27)
#define PMINTR_UP_EI_EXPIRED	BIT(2)

/* RC6's voltage is the lowest byte, in 5 mV above 245 mV. */
#define RC6VID_MASK		0xffu
#define RC6VID_MV(vid__)	((vid__) * 5 + 245)
#define RC6VID_OF(mv__)		(((mv__) - 245) / 5)
#define RC6VID_LEAST_MV		450

static void gen6_read_range(struct igen_device *igen, struct igen_power *power)
{
	u32 cap = igen_read(igen, RP_STATE_CAP);

	power->rp0 = IGEN_GET(RP_STATE_CAP_RP0_MASK, cap) * CAP_MHZ;
	power->rp1 = IGEN_GET(RP_STATE_CAP_RP1_MASK, cap) * CAP_MHZ;
	power->rpn = IGEN_GET(RP_STATE_CAP_RPN_MASK, cap) * CAP_MHZ;
}

static u32 gen6_mhz_to_request(u32 mhz)
{
	return IGEN_PREP(RPNSWREQ_GEN6_RATIO_MASK, DIV_ROUND_CLOSEST(mhz, CAP_MHZ));
}

static void gen6_setup(struct igen_device *igen)
{
	static const struct {
		u32 reg, value;
	} setup[] = {
		{ RC1_WAKE_RATE_LIMIT, 1000 << 16 },
		{ RC6_WAKE_RATE_LIMIT, 40 << 16 | 30 },
		{ RC6PP_WAKE_RATE_LIMIT, 30 },
		{ RC_EVALUATION_INTERVAL, 125000 },	/* units of 1.28 us, as the others */
		{ RC_IDLE_HYSTERESIS, 25 },
		{ RC_SLEEP, 0 },
		{ RC1E_THRESHOLD, 1000 },
		{ RC6_THRESHOLD, 50000 },
		{ RC6P_THRESHOLD, 150000 },
		{ RP_DOWN_TIMEOUT, 50000 },
		{ RP_IDLE_HYSTERESIS, 10 },
		/* Nothing of the frequency control interrupts. With this bit masked, too, the unit hangs. */
		{ PMINTRMSK, (u32)~PMINTR_UP_EI_EXPIRED },
		{ RP_CONTROL, RP_CONTROL_MEDIA_TURBO | RP_CONTROL_MEDIA_HW_NORMAL | RP_CONTROL_MEDIA_IS_GFX |
			      RP_CONTROL_ENABLE | RP_CONTROL_UP_BUSY_AVG | RP_CONTROL_DOWN_IDLE_AVG },
	};
	const struct igen_power *power = &igen->power;
	struct igen_engine *engine;
	unsigned int i, id;

	igen_write(igen, RC_CONTROL, 0);
	for (i = 0; i < ARRAY_SIZE(setup); i++)
		igen_write(igen, setup[i].reg, setup[i].value);
	for_each_engine(igen, id, engine)
		igen_write(igen, RING_MAX_IDLE(engine->info->base), 10);
	if (power->rp1)
		igen_write(igen, RC_VIDEO_FREQ, gen6_mhz_to_request(power->rp1));
}

static void gen6_request(struct igen_device *igen, u32 mhz)
{
	igen_write(igen, RPNSWREQ, gen6_mhz_to_request(mhz));
}

static u32 gen6_actual_mhz(struct igen_device *igen)
{
	u32 stat = igen_read(igen, RPSTAT1);

	return stat == ~0u ? 0 : IGEN_GET(RPSTAT1_GEN6_RATIO_MASK, stat) * CAP_MHZ;
}

/* Not of the ring's clock, but this, too, is for the firmware, and once. */
static int gen6_rc6_voltage(struct igen_device *igen)
{
	u32 vids;
	int err = igen_pcode_read(igen, PCODE_READ_RC6VIDS, &vids);

	if (err || RC6VID_MV(vids & RC6VID_MASK) >= RC6VID_LEAST_MV)
		return err;
	return igen_pcode_write(igen, PCODE_WRITE_RC6VIDS, (vids & ~RC6VID_MASK) | RC6VID_OF(RC6VID_LEAST_MV));
}

static bool gen6_rc6_works(struct igen_device *igen)
{
	return true;
}

static void gen6_rc6_enter(struct igen_device *igen)
{
	igen_write(igen, RC_CONTROL, RC_CONTROL_HW_ENABLE | RC_CONTROL_EI_MODE | RC_CONTROL_RC6_ENABLE |
		   igen->platform->power->rc6_more);
}

static void gen6_rc6_leave(struct igen_device *igen)
{
	igen_write(igen, RC_CONTROL, 0);
}

static void gen6_disable(struct igen_device *igen)
{
	igen_write(igen, RC_CONTROL, 0);
	igen_write(igen, RC_STATE, 0);
}

#define GEN6_POWER_OPS \
	.residency_reg = GT_GFX_RC6, \
	.residency_hz = 781250, \
	.read_range = gen6_read_range, \
	.setup = gen6_setup, \
	.request = gen6_request, \
	.actual_mhz = gen6_actual_mhz, \
	.rc6_works = gen6_rc6_works, \
	.rc6_enter = gen6_rc6_enter, \
	.rc6_leave = gen6_rc6_leave, \
	.disable = gen6_disable

const struct igen_power_ops igen_power_gen6_ops = {
	GEN6_POWER_OPS,
	.ring_clocks = gen6_rc6_voltage,
};

const struct igen_power_ops igen_power_gen7_ops = {
	GEN6_POWER_OPS,
	.rc6_more = RC_CONTROL_RC6P_ENABLE,
};
