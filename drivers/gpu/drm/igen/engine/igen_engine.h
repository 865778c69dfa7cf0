/* SPDX-License-Identifier: MIT */
/*
 * DOC: Engines
 *
 * An engine is a command streamer with its status page, its default context image, its scheduler queue and
 * its submission backend's state.
 */
#ifndef _IGEN_ENGINE_H_
#define _IGEN_ENGINE_H_

#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../platform/igen_platform.h"

struct igen_context;
struct igen_device;
struct igen_lrc;
struct igen_request;
struct igen_vma;

/** struct igen_engine_props - sysfs tunables, milliseconds, 0 is off */
struct igen_engine_props {
	/** @heartbeat_interval_ms: between heartbeats */
	unsigned int heartbeat_interval_ms;
	/** @preempt_timeout_ms: to reach an arbitration point */
	unsigned int preempt_timeout_ms;
	/** @timeslice_duration_ms: between equals */
	unsigned int timeslice_duration_ms;
	/** @stop_timeout_ms: to stop before a reset */
	unsigned int stop_timeout_ms;
	/** @max_busywait_duration_ns: of a wait */
	unsigned int max_busywait_duration_ns;
};

/**
 * struct igen_engine - one command streamer
 */
struct igen_engine {
	/** @igen: the device */
	struct igen_device *igen;
	/** @info: its row in the platform's table */
	const struct igen_engine_info *info;
	/** @props: tunables; READ_ONCE */
	struct igen_engine_props props;
	/** @hwsp: its hardware status page, pinned in the GGTT */
	struct igen_vma *hwsp;
	/** @hwsp_vaddr: kernel mapping of it */
	u32 *hwsp_vaddr;
	/** @lock: guards @queue, @inflight and the backend's state; irq-safe */
	spinlock_t lock;
	/** @queue: requests ready to run, by priority, then age */
	struct list_head queue;
	/** @inflight: requests given to the hardware, oldest first */
	struct list_head inflight;
	/** @sched: private to submit/ */
	void *backend;
	/** @irq_lock: guards the interrupt mask; inside @lock or fence locks */
	spinlock_t irq_lock;
	/** @signalers: requests somebody waits for, see submit/igen_breadcrumbs.c */
	struct list_head signalers;
	/** @irq_armed: the user interrupt is unmasked */
	bool irq_armed;
	/** @kernel_context: the driver's own context for this engine */
	struct igen_context *kernel_context;
	/** @default_state: register state that a new context starts from, or NULL before it was recorded */
	void *default_state;
};

int igen_engines_init(struct igen_device *igen);	/* allocates, status pages, default state; undoes on failure */
int igen_engines_resume(struct igen_device *igen);	/* programs hardware: after probe, resume and full reset */
void igen_engines_fini(struct igen_device *igen);

/* The engine of a class and instance as userspace names it, or NULL. */
struct igen_engine *igen_engine_lookup(struct igen_device *igen, u16 class, u16 instance);

int igen_irq_install(struct igen_device *igen);
void igen_irq_uninstall(struct igen_device *igen);

#endif
