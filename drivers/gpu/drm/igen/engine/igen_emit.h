/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the driver writes into a ring
 *
 * See engine/igen_emit.c. Lengths are in dwords and the same for all engines, so that ring space is a constant.
 */
#ifndef _IGEN_EMIT_H_
#define _IGEN_EMIT_H_

#include "igen_engine.h"

#define IGEN_EMIT_SEMAPHORE_DW	4
#define IGEN_EMIT_INVALIDATE_DW	12
#define IGEN_EMIT_ADDRESS_DW	8
#define IGEN_EMIT_BATCH_DW	6
#define IGEN_EMIT_SEQNO_DW	12
#define IGEN_EMIT_END_DW	2
#define IGEN_EMIT_WA_TAIL_DW	2

u32 *igen_emit_semaphore(u32 *cs, u32 ggtt, u32 value);
u32 *igen_emit_invalidate(const struct igen_engine *engine, u32 *cs);
u32 *igen_emit_address(u32 *cs, u64 at, u64 value);
u32 *igen_emit_batch_start(u32 *cs, u64 address);
u32 *igen_emit_seqno(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno);
u32 *igen_emit_end(u32 *cs);
u32 *igen_emit_wa_tail(u32 *cs);

#endif
