/* SPDX-License-Identifier: MIT */
/**
 * DOC: The clock by load
 *
 * See submit/igen_governor.c.
 */
#ifndef _IGEN_GOVERNOR_H_
#define _IGEN_GOVERNOR_H_

#include <linux/ktime.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "../engine/igen_engine.h"

struct igen_device;
struct igen_request;

/** struct igen_governor - sets the clock by the load of the engines */
struct igen_governor {
	/** @work: looks at the load, as long as the GT is awake; what has no comment of its own belongs to it */
	struct delayed_work work;
	/** @up: per cent of load above which the clock rises; READ_ONCE, root changes it */
	u32 up;
	/** @down: the same, below which it falls */
	u32 down;
	/** @since: when it looked last, or 0 */
	ktime_t since;
	/** @busy: how long each engine had worked by then, in ns */
	u64 busy[IGEN_NUM_ENGINES];
	/** @step: the last change of the clock, in MHz */
	int step;
};

void igen_governor_init(struct igen_device *igen);
void igen_governor_start(struct igen_device *igen);
void igen_governor_stop(struct igen_device *igen);
void igen_governor_boost(struct igen_request *rq);
void igen_governor_retire(struct igen_request *rq);
unsigned int igen_governor_load(const u64 *busy, unsigned int count, u64 elapsed);
int igen_governor_step(const struct igen_governor *governor, unsigned int load);

#endif
