// SPDX-License-Identifier: MIT
/**
 * DOC: Interrupts of Gen8 to Gen10
 *
 * One vector for all. The master register names the groups with something pending and gates the interrupt: the handler
 * closes the gate, reads and acknowledges each group's identity register, hands every engine its sixteen bits, and
 * opens the gate again, which raises the interrupt anew for whatever came meanwhile (public Gen9 PRM Vol 2c,
 * "Interrupt Registers").
 *
 * Engines send all that the driver ever wants; whether a user interrupt gets further is for the mask of its group,
 * which the breadcrumbs open while a request is waited for. An engine's own mask (RING_IMR) would do as well, but lies
 * in a power well that may sleep just when the last one stops waiting; the groups' registers are always awake.
 *
 * That an engine has come to wait for a semaphore is never masked but mostly not enabled (IER): then the event stays in
 * the identity register without an interrupt, and is found there with the next interrupt of the group, or at once when
 * it is enabled.
 */
#include <linux/interrupt.h>

#include <igen/regs/display.h>
#include <igen/regs/engine.h>
#include <igen/regs/irq.h>

#include "../igen_device.h"

#define ALWAYS_BITS	(GT_IRQ_CS_ERROR | GT_IRQ_CONTEXT_SWITCH)
#define ENGINE_BITS	(GT_IRQ_USER | GT_IRQ_WAIT_SEMAPHORE | ALWAYS_BITS)

/* The groups' bits in the master register; group 2 is power management. */
static const u32 group_master[GT_IRQ_GROUPS] = {
	MASTER_IRQ_RCS | MASTER_IRQ_BCS,
	MASTER_IRQ_VCS0 | MASTER_IRQ_VCS1,
	MASTER_IRQ_PM,
	MASTER_IRQ_VECS,
};

static irqreturn_t gen8_irq_handler(int irq, void *data)
{
	struct igen_device *igen = data;
	u32 iir[GT_IRQ_GROUPS] = {};
	struct igen_engine *engine;
	unsigned int i, id;
	u32 master;

	/* Another device's, on the same line. Else it stays awake until we are done: going to sleep waits for us. */
	if (unlikely(READ_ONCE(igen->rpm.asleep)))
		return IRQ_NONE;

	igen_raw_write(igen, MASTER_IRQ, 0);
	master = igen_raw_read(igen, MASTER_IRQ) & ~MASTER_IRQ_ENABLE;
	if (!master) {
		igen_raw_write(igen, MASTER_IRQ, MASTER_IRQ_ENABLE);
		return IRQ_NONE;
	}

	for (i = 0; i < GT_IRQ_GROUPS; i++) {
		if (!(master & group_master[i]))
			continue;
		iir[i] = igen_raw_read(igen, GT_IIR(i));
		if (iir[i])
			igen_raw_write(igen, GT_IIR(i), iir[i]);
	}

	igen_raw_write(igen, MASTER_IRQ, MASTER_IRQ_ENABLE);
	WRITE_ONCE(igen->irq_count, igen->irq_count + 1);

	for_each_engine(igen, id, engine) {
		u32 bits = iir[engine->info->irq_group] >> engine->info->irq_shift & 0xffff;

		if (bits)
			igen->platform->submit->irq(engine, bits);
	}

	return IRQ_HANDLED;
}

/*
 * The driver wants nothing of the display. But a predecessor that did not close these groups, a kernel that crashed
 * perhaps, has left interrupts pending there, which would keep the vector busy for ever.
 */
static void gen8_irq_quiesce_display(struct igen_device *igen)
{
	bool well_2 = igen_read(igen, PWR_WELL_CTL(0)) & PWR_WELL_2_STATE;
	unsigned int pipe;

	/* A pipe without power has no registers. */
	for (pipe = 0; pipe < DISPLAY_PIPES; pipe++)
		if (!pipe || well_2)
			igen_irq_quiesce_group(igen, DE_PIPE_ISR(pipe));
	igen_irq_quiesce_group(igen, DE_PORT_ISR);
	igen_irq_quiesce_group(igen, DE_MISC_ISR);
	igen_irq_quiesce_group(igen, SDE_ISR);
}

static void gen8_irq_quiesce(struct igen_device *igen)
{
	unsigned int i;

	igen_write(igen, MASTER_IRQ, 0);
	for (i = 0; i < GT_IRQ_GROUPS; i++)
		igen_irq_quiesce_group(igen, GT_ISR(i));
	igen_irq_quiesce_group(igen, PCU_ISR);
	gen8_irq_quiesce_display(igen);
	/* PCI orders a read behind earlier posted writes: when it returns, the device has received all of them. */
	igen_read(igen, MASTER_IRQ);
}

static void gen8_irq_init(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	BUILD_BUG_ON(GT_IRQ_GROUPS > IGEN_IRQ_WORDS);
	memset(igen->irq_mask, 0xff, sizeof(igen->irq_mask));
	for_each_engine(igen, id, engine) {
		unsigned int shift = engine->info->irq_shift;

		igen->irq_mask[engine->info->irq_group] &= ~((GT_IRQ_WAIT_SEMAPHORE | ALWAYS_BITS) << shift);
		igen->irq_enable[engine->info->irq_group] |= (GT_IRQ_USER | ALWAYS_BITS) << shift;
	}
}

static void gen8_irq_user(struct igen_engine *engine, bool open, bool write)
{
	struct igen_device *igen = engine->igen;
	u32 bit = GT_IRQ_USER << engine->info->irq_shift;
	u32 *mask = &igen->irq_mask[engine->info->irq_group];

	*mask = open ? *mask & ~bit : *mask | bit;
	if (write)
		igen_raw_write(igen, GT_IMR(engine->info->irq_group), *mask);
}

static void gen8_irq_semaphore(struct igen_engine *engine, bool open, bool write)
{
	struct igen_device *igen = engine->igen;
	u32 bit = GT_IRQ_WAIT_SEMAPHORE << engine->info->irq_shift;
	u32 *enable = &igen->irq_enable[engine->info->irq_group];

	*enable = open ? *enable | bit : *enable & ~bit;
	if (write)
		igen_raw_write(igen, GT_IER(engine->info->irq_group), *enable);
}

/* PCI orders a read behind writes. */
static void gen8_irq_arrived(struct igen_engine *engine)
{
	igen_raw_read(engine->igen, GT_IMR(engine->info->irq_group));
}

static void gen8_irq_engine_resume(struct igen_engine *engine)
{
	igen_write(engine->igen, RING_IMR(engine->info->base), ~(ENGINE_BITS << engine->info->irq_shift));
}

static void gen8_irq_restore(struct igen_device *igen)
{
	unsigned int i;

	for (i = 0; i < GT_IRQ_GROUPS; i++)
		igen_write(igen, GT_IER(i), igen->irq_enable[i]);
	for (i = 0; i < GT_IRQ_GROUPS; i++)
		igen_write(igen, GT_IMR(i), igen->irq_mask[i]);
}

static void gen8_irq_open(struct igen_device *igen)
{
	igen_write(igen, MASTER_IRQ, MASTER_IRQ_ENABLE);
}

const struct igen_irq_ops igen_irq_gen8_ops = {
	.handler = gen8_irq_handler,
	.init = gen8_irq_init,
	.quiesce = gen8_irq_quiesce,
	.restore = gen8_irq_restore,
	.arrived = gen8_irq_arrived,
	.open = gen8_irq_open,
	.user = gen8_irq_user,
	.semaphore = gen8_irq_semaphore,
	.engine_resume = gen8_irq_engine_resume,
};
