// SPDX-License-Identifier: MIT
/**
 * DOC: Interrupts of Gen6 and Gen7
 *
 * One vector for three banks of four registers, display, GT and power management, and one of the south bridge. The
 * master bit of the display's enable register gates the interrupt: the handler closes the gate, reads and acknowledges
 * the GT's identity register, and opens the gate again, which raises the interrupt anew for whatever came meanwhile (as
 * stock i915 programs them). All engines share the GT's bank, ten bits each.
 *
 * The mask of the GT's bank has a bit for each engine's user interrupt. Engines have masks, too, which let it through.
 */
#include <linux/interrupt.h>

#include <igen/regs/engine.h>
#include <igen/regs/irq.h>

#include "../igen_device.h"

#define ENGINE_BITS	(GT_IRQ_USER | GT_IRQ_CS_ERROR)
#define ENGINE_MASK	GENMASK(9, 0)

static irqreturn_t gen6_irq_handler(int irq, void *data)
{
	struct igen_device *igen = data;
	struct igen_engine *engine;
	unsigned int id;
	u32 iir, bits;

	/* Another device's, on the same line. Else it stays awake until we are done: going to sleep waits for us. */
	if (unlikely(READ_ONCE(igen->rpm.asleep)))
		return IRQ_NONE;

	igen_raw_write(igen, DEIER, 0);
	iir = igen_raw_read(igen, GTIIR);
	if (iir)
		igen_raw_write(igen, GTIIR, iir);
	igen_raw_write(igen, DEIER, DE_MASTER_IRQ_CONTROL);
	/* The gate is open before the line is looked at again. */
	igen_raw_read(igen, DEIER);
	if (!iir)
		return IRQ_NONE;
	WRITE_ONCE(igen->irq_count, igen->irq_count + 1);

	for_each_engine(igen, id, engine) {
		bits = iir >> engine->info->irq_shift & ENGINE_MASK;
		if (bits)
			igen->platform->submit->irq(engine, bits);
	}
	return IRQ_HANDLED;
}

/* The driver wants nothing of display and power management, where a predecessor may have left something pending. */
static void gen6_irq_quiesce(struct igen_device *igen)
{
	igen_irq_quiesce_group(igen, DEISR);
	igen_irq_quiesce_group(igen, GTISR);
	igen_irq_quiesce_group(igen, PMISR);
	igen_irq_quiesce_group(igen, SDE_ISR);
	/* PCI orders a read behind earlier posted writes: when it returns, the device has received all of them. */
	igen_read(igen, DEIER);
}

static void gen6_irq_init(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	igen->irq_mask[0] = ~0u;
	igen->irq_enable[0] = 0;
	for_each_engine(igen, id, engine) {
		igen->irq_mask[0] &= ~(GT_IRQ_CS_ERROR << engine->info->irq_shift);
		igen->irq_enable[0] |= ENGINE_BITS << engine->info->irq_shift;
	}
}

static void gen6_irq_user(struct igen_engine *engine, bool open, bool write)
{
	struct igen_device *igen = engine->igen;
	u32 bit = GT_IRQ_USER << engine->info->irq_shift;
	u32 *mask = &igen->irq_mask[0];

	*mask = open ? *mask & ~bit : *mask | bit;
	if (write)
		igen_raw_write(igen, GTIMR, *mask);
}

/* PCI orders a read behind writes. */
static void gen6_irq_arrived(struct igen_engine *engine)
{
	igen_raw_read(engine->igen, GTIMR);
}

static void gen6_irq_restore(struct igen_device *igen)
{
	igen_write(igen, GTIER, igen->irq_enable[0]);
	igen_write(igen, GTIMR, igen->irq_mask[0]);
}

static void gen6_irq_open(struct igen_device *igen)
{
	igen_write(igen, DEIER, DE_MASTER_IRQ_CONTROL);
}

static void gen6_irq_engine_resume(struct igen_engine *engine)
{
	igen_write(engine->igen, RING_IMR(engine->info->base), ~(ENGINE_BITS << engine->info->irq_shift));
}

const struct igen_irq_ops igen_irq_gen6_ops = {
	.handler = gen6_irq_handler,
	.init = gen6_irq_init,
	.quiesce = gen6_irq_quiesce,
	.restore = gen6_irq_restore,
	.open = gen6_irq_open,
	.user = gen6_irq_user,
	.arrived = gen6_irq_arrived,
	.engine_resume = gen6_irq_engine_resume,
};
