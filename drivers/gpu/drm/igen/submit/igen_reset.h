/* SPDX-License-Identifier: MIT */
/**
 * DOC: Resets
 *
 * Engines that hang are reset one by one, or all together. If that fails the driver gives the GPU up (wedges it).
 */
#ifndef _IGEN_RESET_H_
#define _IGEN_RESET_H_

#include <linux/types.h>

/* When the GPU is wedged: requests of an engine that complete in one section with interrupts off. */
#define IGEN_WEDGE_AT_ONCE	64

struct igen_device;
struct igen_engine;
struct igen_engine_state;
struct igen_request;

/**
 * struct igen_suspect - the request that an engine was in when it was found to hang
 *
 * The reset may come much later. The request that runs by then may be innocent.
 */
struct igen_suspect {
	/** @rq: the request, counted, or NULL when there was none */
	struct igen_request *rq;
	/** @moves: how often the engine had come to or left a context */
	unsigned int moves;
	/** @resets: how often the engine had been reset */
	unsigned int resets;
	/** @certain: the engine has to be reset even if it is over: it said so itself */
	bool certain;
};

/** enum igen_uevent - an event for userspace */
enum igen_uevent {
	/** @IGEN_UEVENT_HANG: the GPU hangs */
	IGEN_UEVENT_HANG,
	/** @IGEN_UEVENT_RESET: all engines are being reset */
	IGEN_UEVENT_RESET,
	/** @IGEN_UEVENT_WORKS: the GPU works again */
	IGEN_UEVENT_WORKS,
};

/* igen_reset.c */
int igen_engine_reset(struct igen_engine *engine, const char *reason, bool capture);
int igen_engine_hung(struct igen_engine *engine, struct igen_suspect *suspect, const char *reason);
int igen_engine_restart(struct igen_engine *engine, unsigned int resets, const char *reason);
int igen_reset_engines(struct igen_device *igen, u32 engines, u32 stalled, u32 domains, bool full);
u32 igen_reset_all(struct igen_device *igen);
unsigned int igen_reset_kind(const struct igen_device *igen);

/* igen_skip.c */
void igen_request_set_error(struct igen_request *rq, int error);

/* igen_suspect.c */
void igen_suspect_note(struct igen_engine *engine, struct igen_suspect *suspect);
void igen_suspect_drop(struct igen_suspect *suspect);
bool igen_suspect_is_in(const struct igen_engine_state *state, const struct igen_suspect *suspect);
bool igen_suspect_is_over(struct igen_engine *engine, const struct igen_suspect *suspect);
bool igen_suspect_is_innocent(struct igen_engine *engine, const struct igen_suspect *suspect);

/* igen_uevent.c */
void igen_uevent_note(struct igen_device *igen, enum igen_uevent what);
void igen_uevent_init(struct igen_device *igen);
void igen_uevent_flush(struct igen_device *igen);

/* igen_wedge.c */
bool igen_wedge_locked(struct igen_device *igen);
void igen_wedge_init(struct igen_device *igen);
void igen_wedge_fini(struct igen_device *igen);

#endif
