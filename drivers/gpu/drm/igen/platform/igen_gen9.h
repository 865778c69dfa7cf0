/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the platforms of Gen9 have in common
 *
 * igen_kbl.c has the tables.
 */
#ifndef _IGEN_GEN9_H_
#define _IGEN_GEN9_H_

#include "igen_platform.h"

#define IGEN_GEN9_ENGINES	5
#define IGEN_GEN9_GT2_ENGINES	4	/* all but the second video engine, which comes last */

extern const struct igen_engine_info igen_gen9_engines[IGEN_GEN9_ENGINES];
extern const struct igen_forcewake_domain igen_gen9_forcewake[FORCEWAKE_NUM_DOMAINS];
extern const struct igen_reg_write igen_gen9_rcs_switch_workarounds[];

#endif
