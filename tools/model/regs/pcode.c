// SPDX-License-Identifier: MIT
/**
 * DOC: The pcode mailbox
 *
 * A driver writes the data registers, then the command with the busy bit, and waits for that bit to
 * clear; the low byte then is the error. A command is done when the write returns, or with the setting
 * "latency_us" after that; what is written meanwhile is lost, and counted. The
 * commands that the platform knows are those that drivers without a display send; others get "illegal command"
 * (commands, answers and error codes as stock i915 uses them; the manuals do not describe the
 * mailbox). Rows of the table of ring clocks are counted.
 */
#include "regs/regs.h"
#include "igen/regs/gt.h"

#define COMMAND_MASK		IGEN_MASK(7, 0)
#define ERROR_ILLEGAL_COMMAND	1u
/* Voltages of RC6, RC6p and RC6pp: 450 mV, as 245 mV and steps of 5 mV (stock i915). */
#define RC6_VIDS		0x292929u

/* Executes a command on the data registers; gives the error code. */
static uint32_t execute(struct gpu *gpu, uint32_t command)
{
	const uint8_t *known = gpu->platform->pcode_commands;
	struct gt *gt = gpu->gt;
	char name[32];

	while (*known && *known != command)
		known++;
	if (!*known)
		return ERROR_ILLEGAL_COMMAND;
	switch (command) {
	case PCODE_READ_RC6VIDS:
		gt->pcode_data[0] = RC6_VIDS;
		return 0;
	case PCODE_READ_OC_PARAMS:
		gt->pcode_data[0] = 0;			/* no overclocking */
		return 0;
	case PCODE_WRITE_RC6VIDS:
		return 0;
	case PCODE_READ_MEM_LATENCY:
		/* Four levels of 2 us a byte; the second set is not there. */
		gt->pcode_data[0] = gt->pcode_data[0] ? 0 : 0x02020202;
		return 0;
	case PCODE_CDCLK_CONTROL:
		gt->pcode_data[0] = 1;			/* ready for the change */
		return 0;
	case PCODE_SAGV_CONTROL:
		gt->pcode_data[0] = 1;			/* done */
		return 0;
	case PCODE_READ_MIN_FREQ_TABLE:
		gt->pcode_data[0] = 0;
		return 0;
	case PCODE_WRITE_MIN_FREQ_TABLE:
		snprintf(name, sizeof(name), "min_freq_0x%06x", gt->pcode_data[0]);
		count("pcode", name, 1);
		return 0;
	case PCODE_DYNAMIC_DUTY_CYCLE:
		return 0;
	}
	return ERROR_ILLEGAL_COMMAND;
}

static uint32_t pcode_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct gt *gt = gpu->gt;

	(void)opaque;
	switch (offset) {
	case PCODE_MAILBOX:
		return gt->pcode_mailbox;
	case PCODE_DATA:
		return gt->pcode_data[0];
	}
	return gt->pcode_data[1];
}

static void done(struct gpu *gpu, void *opaque, uint32_t value)
{
	uint32_t error = execute(gpu, value & COMMAND_MASK);

	(void)opaque;
	if (error)
		model_log("pcode: unknown command 0x%x", value & COMMAND_MASK);
	gpu->gt->pcode_mailbox = (value & ~(PCODE_READY | PCODE_ERROR_MASK)) | error;
}

static void pcode_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct gt *gt = gpu->gt;

	(void)opaque;
	if (gt->pcode_mailbox & PCODE_READY) {
		count("pcode_overruns", offset == PCODE_MAILBOX ? "command" : "data", 1);
		return;
	}
	switch (offset) {
	case PCODE_DATA:
		gt->pcode_data[0] = value;
		return;
	case PCODE_DATA1:
		gt->pcode_data[1] = value;
		return;
	}
	gt->pcode_mailbox = value;
	if (value & PCODE_READY)
		event_after_latency(gpu, done, NULL, value);
}

void block_pcode_init(struct gpu *gpu)
{
	const struct mmio_block block = {
		.name = "pcode",
		.start = PCODE_MAILBOX,
		.end = PCODE_DATA1 + 4,
		.read = pcode_read,
		.write = pcode_write,
	};

	mmio_claim(gpu, &block);
}
