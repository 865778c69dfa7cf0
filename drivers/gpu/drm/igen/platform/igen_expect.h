/* SPDX-License-Identifier: MIT */
/**
 * DOC: What a healthy device answers
 *
 * Tables of registers and of the values that they have after a step of the probe, by the manuals. A bring-up in stages
 * compares the device with them (igen_bringup.c).
 */
#ifndef _IGEN_EXPECT_H_
#define _IGEN_EXPECT_H_

#include <linux/types.h>

/** struct igen_expect - a register after a step of the probe */
struct igen_expect {
	/** @step: name of the step behind which it is read; NULL ends a table */
	const char *step;
	/** @name: of the register, as the manual has it */
	const char *name;
	/** @reg: offset in BAR 0, or from the engine's base if @relative */
	u32 reg;
	/** @relative: each engine that is in use has it */
	bool relative;
	/** @note: another value is unusual, but no reason to stop */
	bool note;
	/** @mask: bits to look at */
	u32 mask;
	/** @min: least value of these bits, in their place */
	u32 min;
	/** @max: greatest value */
	u32 max;
	/** @wrong: what another value means */
	const char *wrong;
	/** @source: volume and section of the manual */
	const char *source;
};

extern const struct igen_expect igen_expect_gen6[];	/* and Gen7 */
extern const struct igen_expect igen_expect_snb[];
extern const struct igen_expect igen_expect_ivb[];
extern const struct igen_expect igen_expect_gen9[];
extern const struct igen_expect igen_expect_gen9_gt2[];	/* and GT1 */
extern const struct igen_expect igen_expect_gen9_gt3[];	/* and GT4 */
extern const struct igen_expect igen_expect_gen9lp[];

#endif
