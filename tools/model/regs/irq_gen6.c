// SPDX-License-Identifier: MIT
/**
 * DOC: Interrupts of Gen6 and Gen7
 *
 * Three banks, of the display, of the GT and of power management, each with status, mask, identity and enable, and
 * one of the south bridge, which stays silent. The engines' bits are all in the GT's bank: an event enters its IIR
 * unless the engine's RING_IMR, laid out as the bank is, or GTIMR masks it. Bit 31 of the display's enable register is
 * the master: a message goes out when it is set and a bank becomes pending, or when it becomes set while one is (as
 * stock i915's handler relies on: it turns the master off, serves what it finds, and turns it on again).
 *
 * The events are pulses, so ISR reads zero. IIR holds one event a bit; hardware queues a second.
 */
#include <stdlib.h>

#include "regs/regs.h"
#include "igen/regs/engine.h"
#include "igen/regs/irq.h"

enum bank_id { BANK_DE, BANK_GT, BANK_PM, BANK_SDE, NUM_BANKS };

static const struct bank {
	const char *name;
	uint32_t isr;
} banks[NUM_BANKS] = {
	[BANK_DE] = { "display", DEISR },
	[BANK_GT] = { "GT", GTISR },
	[BANK_PM] = { "PM", PMISR },
	[BANK_SDE] = { "south", SDE_ISR },
};

/* Offsets of a bank's registers from its ISR, in all banks the same. */
#define BANK_IMR	(GTIMR - GTISR)
#define BANK_IIR	(GTIIR - GTISR)
#define BANK_IER	(GTIER - GTISR)
#define BANK_SIZE	(PMISR - GTISR)

struct irq {
	uint32_t seen;			/* banks that a message went out for */
	uint32_t imr[NUM_BANKS];
	uint32_t iir[NUM_BANKS];
	uint32_t ier[NUM_BANKS];
};

static uint32_t pending(const struct irq *irq)
{
	uint32_t bits = 0;

	for (unsigned int i = 0; i < NUM_BANKS; i++)
		if (irq->iir[i] & irq->ier[i] & (i == BANK_DE ? ~DE_MASTER_IRQ_CONTROL : ~0u))
			bits |= 1u << i;
	return bits;
}

/* Sends a message if a bank is pending that none was sent for. */
static void evaluate(struct gpu *gpu)
{
	struct irq *irq = gpu->irq;
	bool master = irq->ier[BANK_DE] & DE_MASTER_IRQ_CONTROL;
	uint32_t now = pending(irq);
	bool send = master && (now & ~irq->seen);

	irq->seen = master ? now : 0;
	if (send)
		gpu->raise_msi(gpu);
}

static uint32_t bank_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	const struct bank *b = opaque;
	size_t i = (size_t)(b - banks);

	switch (offset - b->isr) {
	case BANK_IMR:
		return gpu->irq->imr[i];
	case BANK_IIR:
		return gpu->irq->iir[i];
	case BANK_IER:
		return gpu->irq->ier[i];
	}
	return 0;
}

static void bank_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	const struct bank *b = opaque;
	size_t i = (size_t)(b - banks);

	switch (offset - b->isr) {
	case BANK_IMR:
		gpu->irq->imr[i] = value;
		break;
	case BANK_IIR:
		gpu->irq->iir[i] &= ~value;
		break;
	case BANK_IER:
		gpu->irq->ier[i] = value;
		break;
	}
	evaluate(gpu);
}

static const char *bit_name(uint32_t bit)
{
	switch (bit) {
	case GT_IRQ_USER:
		return "user";
	case GT_IRQ_CS_ERROR:
		return "cs_error";
	case GT_IRQ_PIPE_CONTROL_NOTIFY:
		return "flush_notify";
	}
	return "other";
}

static void banks_raise(struct gpu *gpu, const struct engine_info *engine, uint32_t bit)
{
	struct irq *irq = gpu->irq;
	uint32_t v = bit << engine->irq_shift;
	char name[48];

	if ((mmio_peek(gpu, RING_IMR(engine->base)) & v) || (irq->imr[BANK_GT] & v))
		return;
	if (fault_hits(gpu, FAULT_LOST_IRQ, engine->id, bit_name(bit)))
		return;
	snprintf(name, sizeof(name), "%s_%s", engine->name, bit_name(bit));
	count("interrupt_events", name, 1);
	irq->iir[BANK_GT] |= v;
	evaluate(gpu);
}

static void banks_reset(struct gpu *gpu)
{
	struct irq *irq = gpu->irq;

	*irq = (struct irq){ 0 };
	for (unsigned int i = 0; i < NUM_BANKS; i++)
		irq->imr[i] = ~0u;
}

static int banks_init(struct gpu *gpu)
{
	gpu->irq = calloc(1, sizeof(*gpu->irq));
	if (!gpu->irq)
		return -1;
	banks_reset(gpu);
	for (size_t i = 0; i < NUM_BANKS; i++) {
		const struct mmio_block block = {
			.name = banks[i].name,
			.start = banks[i].isr,
			.end = banks[i].isr + BANK_SIZE,
			.read = bank_read,
			.write = bank_write,
			.opaque = (void *)&banks[i],
		};

		mmio_claim(gpu, &block);
	}
	return 0;
}

static void banks_fini(struct gpu *gpu)
{
	free(gpu->irq);
	gpu->irq = NULL;
}

const struct irq_ops irq_banks = {
	.init = banks_init,
	.fini = banks_fini,
	.reset = banks_reset,
	.raise = banks_raise,
};
