/* SPDX-License-Identifier: MIT */
/**
 * DOC: Retirement
 *
 * Retiring frees completed requests, tells when the device becomes idle, and takes idle contexts out of the GGTT.
 */
#ifndef _IGEN_RETIRE_H_
#define _IGEN_RETIRE_H_

#include <linux/types.h>

struct igen_device;
struct igen_engine_group;
struct igen_lrc;

/* igen_retire.c */
void igen_lrc_retire(struct igen_lrc *lrc);
void igen_retire_let_go(struct igen_engine_group *group);
void igen_retire(struct igen_device *igen);
void igen_retire_now(struct igen_device *igen);
void igen_retire_init(struct igen_device *igen);
void igen_retire_fini(struct igen_device *igen);
void igen_note_awake(struct igen_device *igen, bool awake);
bool igen_is_awake(struct igen_device *igen);
u64 igen_awake_ns(struct igen_device *igen);

/* igen_evict_contexts.c */
void igen_evict_contexts(struct igen_device *igen);
void igen_evict_contexts_init(struct igen_device *igen);

/* igen_reclaim.c */
bool igen_reclaim(struct igen_device *igen);
void igen_reclaim_init(struct igen_device *igen);
void igen_reclaim_fini(struct igen_device *igen);

/* igen_scheduler.c */
int igen_wait_for_idle(struct igen_device *igen, long timeout);
int igen_drain(struct igen_device *igen, long patience, long timeout);

#endif
