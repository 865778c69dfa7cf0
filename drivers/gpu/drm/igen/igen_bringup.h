/* SPDX-License-Identifier: MIT */
/**
 * DOC: Bring-up in stages
 *
 * See igen_bringup.c.
 */
#ifndef _IGEN_BRINGUP_H_
#define _IGEN_BRINGUP_H_

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct igen_bringup;
struct igen_device;

/* Stages, by the writes that they allow. */
#define IGEN_BRINGUP_READ	1	/* none but what forcewake needs */
#define IGEN_BRINGUP_POLL	2	/* one engine, whose events are polled */
#define IGEN_BRINGUP_IRQ	3	/* the same with interrupts */
#define IGEN_BRINGUP_ALL	4	/* everything: the device ends as after an ordinary probe */

/** struct igen_probe_step - one step of the probe */
struct igen_probe_step {
	/** @name: for messages and for the file "run" of a bring-up */
	const char *name;
	/** @stage: the first stage of a bring-up that has the step; an ordinary probe has all steps */
	unsigned int stage;
	/** @init: does it; what it did is undone by managed actions; 0 or a negative error */
	int (*init)(struct igen_device *igen);
	/**
	 * @check: for a bring-up: reads back what @init did, or after an error finds out why, and says so with
	 * igen_bringup_say(). NULL: the step changes memory alone
	 */
	void (*check)(struct igen_bringup *b, int err);
};

/** enum igen_bringup_level - what a line of a step's result means */
enum igen_bringup_level {
	/** @IGEN_BRINGUP_OK: as a healthy device answers */
	IGEN_BRINGUP_OK,
	/** @IGEN_BRINGUP_NOTE: worth knowing, or unusual, but no reason to stop */
	IGEN_BRINGUP_NOTE,
	/** @IGEN_BRINGUP_BAD: wrong: the bring-up ends here */
	IGEN_BRINGUP_BAD,
};

#define IGEN_BRINGUP_LINE	256

/** struct igen_bringup - a probe that goes on step by step, as root asks */
struct igen_bringup {
	/** @igen: the device */
	struct igen_device *igen;
	/** @stage: IGEN_BRINGUP_*; constant */
	unsigned int stage;
	/** @steps: the probe's steps; constant */
	const struct igen_probe_step *steps;
	/** @num_steps: how many; constant */
	unsigned int num_steps;
	/** @finish: what comes behind the last step in IGEN_BRINGUP_ALL: registers the device; constant */
	int (*finish)(struct igen_device *igen);
	/** @mutex: guards what follows, and has one step run at a time */
	struct mutex mutex;
	/** @next: the number of the step that comes next; @num_steps behind the last one */
	unsigned int next;
	/** @failed: a step has failed, and none comes any more */
	bool failed;
	/** @finished: @finish has been called with success: the device is as after an ordinary probe */
	bool finished;
	/** @verdict: why it failed, one line, or empty */
	char verdict[IGEN_BRINGUP_LINE];
	/** @notes: lines of IGEN_BRINGUP_NOTE so far */
	unsigned int notes;
	/** @result: lines of the last step, a page */
	char *result;
	/** @length: of @result */
	size_t length;
	/** @poll: looks for the engines' events in place of interrupts (IGEN_BRINGUP_POLL) */
	struct delayed_work poll;
};

int igen_bringup_module_init(void);
unsigned int igen_bringup_stage(void);
int igen_bringup_start(struct igen_device *igen, const struct igen_probe_step *steps, unsigned int num_steps,
		       int (*finish)(struct igen_device *igen));
bool igen_bringup_unfinished(const struct igen_device *igen);
bool igen_bringup_end(struct igen_device *igen);
__printf(3, 4)
void igen_bringup_say(struct igen_bringup *b, enum igen_bringup_level level, const char *format, ...);

/* What the steps check (igen_bringup_checks.c, igen_bringup_batch.c). */
void igen_bringup_check_device(struct igen_bringup *b, int err);
void igen_bringup_check_rows(struct igen_bringup *b, int err);
void igen_bringup_check_registers(struct igen_bringup *b, int err);
void igen_bringup_check_reset(struct igen_bringup *b, int err);
void igen_bringup_check_fuses(struct igen_bringup *b, int err);
void igen_bringup_check_power(struct igen_bringup *b, int err);
void igen_bringup_check_ggtt(struct igen_bringup *b, int err);
void igen_bringup_check_irq(struct igen_bringup *b, int err);
void igen_bringup_check_start(struct igen_bringup *b, int err);
void igen_bringup_check_contexts(struct igen_bringup *b, int err);
const char *igen_bringup_iommu_hint(const struct igen_device *igen);

#endif
