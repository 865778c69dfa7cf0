// SPDX-License-Identifier: MIT
/**
 * DOC: Interrupts
 *
 * Four GT groups, the power control unit, and the groups of the display and the south bridge, which
 * exist and stay silent. An event enters a group's IIR unless its IMR masks it; an enabled bit in
 * IIR makes the group pending in the master register. A message goes out when the master enable is
 * set and a group becomes pending, or when the master enable becomes set while one is: a driver
 * that turns the master off, serves all it finds, and turns it on again loses nothing (public Gen9
 * PRM Vol 2c, "Interrupt Registers"). An engine has a mask of its own, RING_IMR, laid out as its
 * group is.
 *
 * The events are pulses, so ISR reads zero. IIR holds one event a bit; hardware may queue a second.
 */
#include <stdlib.h>

#include "regs/regs.h"
#include "igen/regs/engine.h"
#include "igen/regs/irq.h"

/* Offsets of a group's registers from its ISR, in all groups the same. */
#define GROUP_ISR	0
#define GROUP_IMR	(GT_IMR(0) - GT_ISR(0))
#define GROUP_IIR	(GT_IIR(0) - GT_ISR(0))
#define GROUP_IER	(GT_IER(0) - GT_ISR(0))
#define GROUP_SIZE	(GT_ISR(1) - GT_ISR(0))

struct group {
	const char *name;
	uint32_t isr;
	uint32_t low;			/* master bits for bits 15:0 of IIR and for 31:16 */
	uint32_t high;
};

static const struct group groups[] = {
	{ "GT 0", GT_ISR(0), MASTER_IRQ_RCS, MASTER_IRQ_BCS },
	{ "GT 1", GT_ISR(1), MASTER_IRQ_VCS0, MASTER_IRQ_VCS1 },
	{ "GT 2", GT_ISR(2), MASTER_IRQ_PM, MASTER_IRQ_PM },
	{ "GT 3", GT_ISR(3), MASTER_IRQ_VECS, MASTER_IRQ_VECS },
	{ "pipe A", DE_PIPE_ISR(0), MASTER_IRQ_PIPE(0), MASTER_IRQ_PIPE(0) },
	{ "pipe B", DE_PIPE_ISR(1), MASTER_IRQ_PIPE(1), MASTER_IRQ_PIPE(1) },
	{ "pipe C", DE_PIPE_ISR(2), MASTER_IRQ_PIPE(2), MASTER_IRQ_PIPE(2) },
	{ "port", DE_PORT_ISR, MASTER_IRQ_PORT, MASTER_IRQ_PORT },
	{ "misc", DE_MISC_ISR, MASTER_IRQ_MISC, MASTER_IRQ_MISC },
	{ "PCU", PCU_ISR, MASTER_IRQ_PCU, MASTER_IRQ_PCU },
	{ "south", SDE_ISR, MASTER_IRQ_PCH, MASTER_IRQ_PCH },
};

/* Bits of the master register. No event of the model sets them; inherit.c does. */
#define DISPLAY_BITS	(MASTER_IRQ_PCH | MASTER_IRQ_MISC | MASTER_IRQ_PORT | MASTER_IRQ_PIPE(0) | \
			 MASTER_IRQ_PIPE(1) | MASTER_IRQ_PIPE(2))

struct irq {
	bool master;
	uint32_t seen;			/* master bits that a message went out for */
	uint32_t imr[ARRAY_SIZE(groups)];
	uint32_t iir[ARRAY_SIZE(groups)];
	uint32_t ier[ARRAY_SIZE(groups)];
};

static uint32_t pending(const struct irq *irq)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		uint32_t v = irq->iir[i] & irq->ier[i];

		if (v & 0xffff)
			bits |= groups[i].low;
		if (v >> 16)
			bits |= groups[i].high;
	}
	return bits;
}

/* Sends a message if something is pending that none was sent for. */
static void evaluate(struct gpu *gpu)
{
	struct irq *irq = gpu->irq;
	uint32_t now = pending(irq);
	bool send = irq->master && (now & ~irq->seen);

	if (send && now & ~irq->seen & DISPLAY_BITS && gpu->config.inherit)
		count("inherited", "interrupts", 1);
	irq->seen = irq->master ? now : 0;
	if (send)
		gpu->raise_msi(gpu);
}

static uint32_t group_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	const struct group *g = opaque;
	size_t i = (size_t)(g - groups);

	switch (offset - g->isr) {
	case GROUP_IMR:
		return gpu->irq->imr[i];
	case GROUP_IIR:
		return gpu->irq->iir[i];
	case GROUP_IER:
		return gpu->irq->ier[i];
	}
	return 0;
}

static void group_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	const struct group *g = opaque;
	size_t i = (size_t)(g - groups);

	switch (offset - g->isr) {
	case GROUP_IMR:
		gpu->irq->imr[i] = value;
		break;
	case GROUP_IIR:
		gpu->irq->iir[i] &= ~value;
		break;
	case GROUP_IER:
		gpu->irq->ier[i] = value;
		break;
	}
	evaluate(gpu);
}

static uint32_t master_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	return (gpu->irq->master ? MASTER_IRQ_ENABLE : 0) | pending(gpu->irq);
}

static void master_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	(void)offset;
	gpu->irq->master = value & MASTER_IRQ_ENABLE;
	evaluate(gpu);
}

/**
 * irq_leave_pending() - an interrupt is enabled, has happened, and was not served
 * @gpu: the device, whose lock is held
 * @isr: the group, by the offset of its ISR
 * @bits: of the group
 *
 * No message is sent: the driver that would have got it has gone.
 */
void irq_leave_pending(struct gpu *gpu, uint32_t isr, uint32_t bits)
{
	struct irq *irq = gpu->irq;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (groups[i].isr != isr)
			continue;
		irq->imr[i] &= ~bits;
		irq->ier[i] |= bits;
		irq->iir[i] |= bits;
	}
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
	case GT_IRQ_CONTEXT_SWITCH:
		return "context_switch";
	case GT_IRQ_WAIT_SEMAPHORE:
		return "wait_semaphore";
	}
	return "other";
}

static void irq_raise(struct gpu *gpu, const struct engine_info *engine, uint32_t bit)
{
	struct irq *irq = gpu->irq;
	unsigned int g = engine->irq_group;
	uint32_t v = bit << engine->irq_shift;
	char name[48];

	if ((mmio_peek(gpu, RING_IMR(engine->base)) & v) || (irq->imr[g] & v))
		return;
	if (fault_hits(gpu, FAULT_LOST_IRQ, engine->id, bit_name(bit)))
		return;
	snprintf(name, sizeof(name), "%s_%s", engine->name, bit_name(bit));
	count("interrupt_events", name, 1);
	irq->iir[g] |= v;
	evaluate(gpu);
}

static void irq_reset(struct gpu *gpu)
{
	struct irq *irq = gpu->irq;

	irq->master = false;
	irq->seen = 0;
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		irq->imr[i] = ~0u;
		irq->iir[i] = 0;
		irq->ier[i] = 0;
	}
}

static int irq_init(struct gpu *gpu)
{
	const struct mmio_block master = {
		.name = "master interrupt",
		.start = MASTER_IRQ,
		.end = MASTER_IRQ + 4,
		.read = master_read,
		.write = master_write,
	};

	gpu->irq = calloc(1, sizeof(*gpu->irq));
	if (!gpu->irq)
		return -1;
	irq_reset(gpu);
	mmio_claim(gpu, &master);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		const struct mmio_block block = {
			.name = groups[i].name,
			.start = groups[i].isr,
			.end = groups[i].isr + GROUP_SIZE,
			.read = group_read,
			.write = group_write,
			.opaque = (void *)&groups[i],
		};

		mmio_claim(gpu, &block);
	}
	return 0;
}

static void irq_fini(struct gpu *gpu)
{
	free(gpu->irq);
	gpu->irq = NULL;
}

const struct irq_ops irq_groups = {
	.init = irq_init,
	.fini = irq_fini,
	.reset = irq_reset,
	.raise = irq_raise,
};
