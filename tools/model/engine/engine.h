/* SPDX-License-Identifier: MIT */
/**
 * DOC: Engines: threads, registers, submission, contexts, resets
 *
 * The command streamer (cs/) runs what these give it; main.c starts and stops the threads.
 */
#ifndef IGEN_MODEL_ENGINE_H
#define IGEN_MODEL_ENGINE_H

#include "cs/cs.h"

/* engine.c */
/* Nothing runs and nothing waits to. */
bool engine_is_idle(struct engine *e);
/* Commands run or are about to, and access memory. gpu->lock held. */
bool engine_is_at_work(struct engine *e);
/* With the setting "sync": waits until the engine has done what it was given. */
void engine_synchronize(struct engine *e);
/* Waits until the engine has parked, as it was asked to. gpu->lock held, and dropped meanwhile. */
void engine_wait_parked(struct engine *e);

/*
 * engine.c, called by reset.c and main. gpu->lock held for reset; it returns when the engine
 * stopped.
 */
int engines_start(struct gpu *gpu);
void engine_reset(struct gpu *gpu, enum engine_id id);
void engines_stop(struct gpu *gpu);
bool engine_ready_to_reset(struct gpu *gpu, enum engine_id id);

/* engine_regs.c: gpu->lock held. */
uint32_t engine_reg_read(struct gpu *gpu, void *opaque, uint32_t offset);
void engine_reg_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value);
void engine_regs_init(struct engine *e);
void engine_regs_reset(struct engine *e);
bool engine_reg_masked(struct engine *e, uint32_t r);

/* execlists.c */
void execlists_elsp_write(struct engine *e, uint32_t value);		/* gpu->lock held */
uint32_t execlists_status(struct engine *e, bool high);			/* gpu->lock held */
extern const struct submission execlists_submission;

/* ring.c: rings without execlists, of Gen6 and of Gen7 */
extern const struct submission ring_submission_gen6, ring_submission_gen7;
/* gpu->lock held for these. */
void ring_register_written(struct engine *e, uint32_t r, uint32_t old);
uint32_t ring_psmi(struct engine *e, uint32_t value);

/* uhptr.c */
bool uhptr_asks(struct engine *e);
enum cs_result uhptr_arb_check(struct engine *e);
/* gpu->lock held for these. */
void uhptr_written(struct engine *e, uint32_t old);
void uhptr_reached(struct engine *e);

/* ring.c */
void ring_goes_idle(struct engine *e);

/* context.c: memory accesses, so without gpu->lock. */
bool context_load(struct engine *e, uint64_t desc);
/* Loads the part of the image behind the place where INDIRECT_CTX is executed. */
bool context_load_rest(struct engine *e, uint64_t desc);
void context_save(struct engine *e, uint64_t desc);

/* Registers of the pipeline as a list that loads them, and loaded from it; gpu->lock held. */
#define CONTEXT_LIST_DWORDS	257
unsigned int context_gather(struct engine *e, uint32_t *list);
unsigned int context_lri_pairs(const struct engine *e, uint32_t header);
const char *context_execute_image(struct engine *e, const uint32_t *dw, unsigned int n);

/* The tail again, for a lite restore. gpu->lock held. */
bool context_resample_tail(struct engine *e, uint64_t desc);

/* snapshot.c */
void state_note_context(struct engine *e, uint64_t desc, const uint32_t *dw, unsigned int n,
			const uint32_t *rest, unsigned int n_rest);
void state_snapshot(struct gpu *gpu, unsigned int number);

/* reset.c */
void block_reset_init(struct gpu *gpu);
/* Resets all that a reset of the PCI function resets; the engines too. */
void gpu_reset(struct gpu *gpu);
/* The device is gone: reads give ones, nothing else happens, until a reset of the platform. */
void gpu_off_bus(struct gpu *gpu);

#endif
