/* SPDX-License-Identifier: MIT */
/**
 * DOC: Applying the platform's tables
 *
 * See engine/igen_workarounds.c.
 */
#ifndef _IGEN_WORKAROUNDS_H_
#define _IGEN_WORKAROUNDS_H_

#include "igen_engine.h"

bool igen_revision_is_in(const struct igen_device *igen, u8 revisions);
bool igen_workaround_applies(const struct igen_device *igen, const struct igen_reg_write *row);
void igen_apply_gt_workarounds(struct igen_device *igen);
void igen_engine_apply_workarounds(struct igen_engine *engine);
unsigned int igen_count_lri(const struct igen_device *igen, const struct igen_reg_write *row);
u32 *igen_emit_lri(const struct igen_device *igen, const struct igen_reg_write *row, u32 *cs);

#endif
