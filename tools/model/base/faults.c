// SPDX-License-Identifier: MIT
/**
 * DOC: Faults on purpose
 *
 * Each fault counts what it may happen to (batches, interrupts, ...), over all engines or one, and
 * happens to the n-th and perhaps to every m-th after that. So a run with the same order of events has
 * the same faults, whatever the machine's speed. What a fault does stands where it happens.
 *
 * A board fault is there as long as the board has power (enum board_fault), one at a time. The units ask board_has()
 * where it matters.
 */
#include <string.h>

#include "base/base.h"

/* As the keys have them, behind "fault_"; also in the counters. */
static const char *const names[NUM_FAULTS] = {
	[FAULT_HANG] = "hang",
	[FAULT_SPIN] = "spin",
	[FAULT_SEMAPHORE] = "semaphore",
	[FAULT_NO_PREEMPT] = "no_preempt",
	[FAULT_PAGE_FAULT] = "page_fault",
	[FAULT_LOST_IRQ] = "lost_irq",
	[FAULT_LOST_CSB] = "lost_csb",
	[FAULT_LATE_CSB] = "late_csb",
	[FAULT_CSB_ORDER] = "csb_order",
	[FAULT_FORCEWAKE] = "forcewake",
	[FAULT_FORCEWAKE_DEAD] = "forcewake_dead",
	[FAULT_RESET] = "reset",
	[FAULT_TLB] = "tlb",
	[FAULT_OFF_BUS] = "off_bus",
	[FAULT_DIE] = "die",
};

const char *const board_faults[NUM_BOARD_FAULTS + 1] = {
	[BOARD_SOUND] = "none",
	[BOARD_FUSES] = "fuses",
	[BOARD_FORCEWAKE] = "forcewake",
	[BOARD_REGISTERS] = "registers",
	[BOARD_BAR] = "bar",
	[BOARD_CONFIG] = "config",
	[BOARD_GGTT_SIZE] = "ggtt_size",
	[BOARD_STOLEN] = "stolen",
	[BOARD_SCANOUT] = "scanout",
	[BOARD_RESET] = "reset",
	[BOARD_GGTT_WRITES] = "ggtt_writes",
	[BOARD_DMA] = "dma",
	[BOARD_ENGINE] = "engine",
	[BOARD_CSB] = "csb",
	[BOARD_MSI] = "msi",
	[BOARD_GUEST] = "guest",
};

/* Log lines for each kind of fault. */
#define LOGGED	20

const char *const fault_domains[NUM_DOMAINS] = { "render", "media", "gt" };

static const char *unit_name(struct gpu *gpu, enum fault fault, unsigned int unit)
{
	if (fault == FAULT_FORCEWAKE || fault == FAULT_FORCEWAKE_DEAD)
		return fault_domains[unit];
	for (unsigned int i = 0; i < gpu->platform->num_engines; i++)
		if (gpu->platform->engines[i].id == unit)
			return gpu->platform->engines[i].name;
	return "an engine";
}

static bool due(const struct fault_at *at, uint64_t seen)
{
	if (seen < at->nth)
		return false;
	return seen == at->nth || (at->every && (seen - at->nth) % at->every == 0);
}

/**
 * fault_hits() - something came to pass that a fault may happen to
 * @gpu: the device, whose lock is held
 * @fault: the fault
 * @unit: enum engine_id, or for forcewake the domain's index in fault_domains
 * @what: for the log, what it happens to
 *
 * Return: true when the fault happens now; it is counted and logged then.
 */
bool fault_hits(struct gpu *gpu, enum fault fault, unsigned int unit, const char *what)
{
	const struct fault_at *at = &gpu->config.fault[fault];
	struct fault_seen *seen = &gpu->fault_seen[fault];

	if (!at->nth || (at->unit != FAULT_ANY_UNIT && at->unit != unit))
		return false;
	if (!due(at, ++seen->occurrences))
		return false;
	count("faults_injected", names[fault], 1);
	if (seen->logged < LOGGED) {
		seen->logged++;
		model_log("fault: %s: %s, number %llu (%s)%s", unit_name(gpu, fault, unit),
			  names[fault], (unsigned long long)seen->occurrences, what,
			  seen->logged == LOGGED ? "; no more of these are logged" : "");
	}
	return true;
}

/**
 * board_choose() - gives the board a fault
 * @gpu: the device
 * @fault: the fault, or BOARD_SOUND
 *
 * Registers have the values that the fault gives them after the next reset of the device only (gpu_reset()).
 */
void board_choose(struct gpu *gpu, enum board_fault fault)
{
	atomic_store(&gpu->board, fault);
	if (fault == BOARD_SOUND)
		return;
	count("faults_injected", board_faults[fault], 1);
	model_log("fault: the board's is now: %s", board_faults[fault]);
}
