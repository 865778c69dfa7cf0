// SPDX-License-Identifier: MIT
/**
 * DOC: Interrupts
 *
 * One vector for all. The master register names the groups with something pending and gates the interrupt: the handler
 * closes the gate, reads and acknowledges each group's identity register, hands every engine its sixteen bits, and
 * opens the gate again, which raises the interrupt anew for whatever came meanwhile (public Gen9 PRM Vol 2c,
 * "Interrupt Registers").
 *
 * Engines send all that the driver ever wants; whether a user interrupt gets further is for the mask of its group,
 * which the breadcrumbs open while somebody waits. An engine's own mask (RING_IMR) would do as well, but lies in a
 * power well that may sleep just when the last one stops waiting; the groups' registers are always awake.
 *
 * That an engine has come to wait for a semaphore is never masked but mostly not enabled (IER): then the event stays in
 * the identity register without an interrupt, and is found there with the next interrupt of the group, or at once when
 * it is enabled.
 */
#include <linux/interrupt.h>
#include <drm/drm_drv.h>

#include <igen/regs/engine.h>
#include <igen/regs/irq.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../submit/igen_request.h"

#define ALWAYS_BITS	(GT_IRQ_CS_ERROR | GT_IRQ_CONTEXT_SWITCH)
#define ENGINE_BITS	(GT_IRQ_USER | GT_IRQ_WAIT_SEMAPHORE | ALWAYS_BITS)

/* The groups' bits in the master register; group 2 is power management. */
static const u32 group_master[GT_IRQ_GROUPS] = {
	MASTER_IRQ_RCS | MASTER_IRQ_BCS,
	MASTER_IRQ_VCS0 | MASTER_IRQ_VCS1,
	MASTER_IRQ_PM,
	MASTER_IRQ_VECS,
};

static irqreturn_t irq_handler(int irq, void *data)
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

static void quiesce(struct igen_device *igen)
{
	unsigned int i;

	igen_write(igen, MASTER_IRQ, 0);
	for (i = 0; i < GT_IRQ_GROUPS; i++) {
		igen_write(igen, GT_IMR(i), ~0u);
		igen_write(igen, GT_IER(i), 0);
		/* Two may be latched behind each other. */
		igen_write(igen, GT_IIR(i), ~0u);
		igen_write(igen, GT_IIR(i), ~0u);
	}
	/* Power control unit and the rest of the device: nothing of it is wanted. */
	igen_write(igen, PCU_IMR, ~0u);
	igen_write(igen, PCU_IER, 0);
	igen_write(igen, PCU_IIR, ~0u);
	igen_write(igen, PCU_IIR, ~0u);
}

/**
 * igen_irq_init - has everything masked but what is always wanted
 * @igen: the device, with its engines; nothing is written
 */
void igen_irq_init(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	spin_lock_init(&igen->irq_mask_lock);
	memset(igen->irq_mask, 0xff, sizeof(igen->irq_mask));
	for_each_engine(igen, id, engine) {
		unsigned int shift = engine->info->irq_shift;

		igen->irq_mask[engine->info->irq_group] &= ~((GT_IRQ_WAIT_SEMAPHORE | ALWAYS_BITS) << shift);
		igen->irq_enable[engine->info->irq_group] |= (GT_IRQ_USER | ALWAYS_BITS) << shift;
	}
}

/* Nobody is there to be told, or it is for a wake to do. irq_mask_lock held. */
static bool only_noted(struct igen_device *igen)
{
	return unlikely(READ_ONCE(igen->wedged) || READ_ONCE(igen->rpm.asleep));
}

/**
 * igen_irq_user - lets an engine's user interrupt through, or not
 * @engine: the engine; interrupts are off
 * @open: let it through
 *
 * A GPU that was given up or sleeps says nothing; and after an unbind, when fences of the old device may still be
 * waited for, its registers are another one's: then it is noted only.
 */
void igen_irq_user(struct igen_engine *engine, bool open)
{
	struct igen_device *igen = engine->igen;
	u32 bit = GT_IRQ_USER << engine->info->irq_shift;
	u32 *mask = &igen->irq_mask[engine->info->irq_group];

	lockdep_assert_irqs_disabled();
	spin_lock(&igen->irq_mask_lock);
	*mask = open ? *mask & ~bit : *mask | bit;
	if (!only_noted(igen))
		igen_raw_write(igen, GT_IMR(engine->info->irq_group), *mask);
	spin_unlock(&igen->irq_mask_lock);
}

/**
 * igen_irq_semaphore - lets an engine's interrupt that it has come to wait for a semaphore through, or not
 * @engine: the engine; interrupts are off
 * @open: let it through, and at once if it has happened already since the last interrupt of the engine's group
 *
 * As with igen_irq_user(), the registers may have to wait.
 */
void igen_irq_semaphore(struct igen_engine *engine, bool open)
{
	struct igen_device *igen = engine->igen;
	u32 bit = GT_IRQ_WAIT_SEMAPHORE << engine->info->irq_shift;
	u32 *enable = &igen->irq_enable[engine->info->irq_group];

	lockdep_assert_irqs_disabled();
	spin_lock(&igen->irq_mask_lock);
	*enable = open ? *enable | bit : *enable & ~bit;
	if (!only_noted(igen))
		igen_raw_write(igen, GT_IER(engine->info->irq_group), *enable);
	spin_unlock(&igen->irq_mask_lock);
}

/**
 * igen_irq_engine_resume - lets an engine that was reset send its interrupts
 * @engine: the engine; forcewake of its domain held
 */
void igen_irq_engine_resume(struct igen_engine *engine)
{
	igen_write(engine->igen, RING_IMR(engine->info->base), ~(ENGINE_BITS << engine->info->irq_shift));
}

/**
 * igen_irq_restore - writes what groups mask and send on, with what was asked for meanwhile
 * @igen: the device
 *
 * Context: process.
 */
void igen_irq_restore(struct igen_device *igen)
{
	unsigned int i;

	spin_lock_irq(&igen->irq_mask_lock);
	for (i = 0; i < GT_IRQ_GROUPS; i++)
		igen_write(igen, GT_IER(i), igen->irq_enable[i]);
	for (i = 0; i < GT_IRQ_GROUPS; i++)
		igen_write(igen, GT_IMR(i), igen->irq_mask[i]);
	spin_unlock_irq(&igen->irq_mask_lock);
}

/**
 * igen_irq_enable - lets the GPU interrupt
 * @igen: the device, with its interrupt installed
 */
void igen_irq_enable(struct igen_device *igen)
{
	quiesce(igen);
	igen_irq_restore(igen);
	igen_write(igen, MASTER_IRQ, MASTER_IRQ_ENABLE);
}

/**
 * igen_irq_disable - keeps the GPU from interrupting and waits for a handler that runs
 * @igen: the device, with its interrupt installed
 */
void igen_irq_disable(struct igen_device *igen)
{
	quiesce(igen);
	/* What was on its way has arrived when a read comes back. */
	igen_read(igen, MASTER_IRQ);
	synchronize_irq(igen->irq);
}

/**
 * igen_irq_install - takes an interrupt vector, MSI if possible, and enables the GPU's interrupts
 * @igen: the device, with its engines
 *
 * Return: 0, -ENOSPC when there is no vector, or what request_irq() failed with.
 */
int igen_irq_install(struct igen_device *igen)
{
	struct pci_dev *pdev = igen->pdev;
	int err;

	quiesce(igen);

	err = pci_alloc_irq_vectors(pdev, 1, 1, IGEN_PCI_IRQ_TYPES);
	if (err < 0)
		return err;

	igen->irq = pci_irq_vector(pdev, 0);
	err = igen_inject_probe_error(igen, "interrupt vector");
	if (!err)
		err = request_irq(igen->irq, irq_handler, pdev->msi_enabled ? 0 : IRQF_SHARED, "igen", igen);
	if (err) {
		pci_free_irq_vectors(pdev);
		return err;
	}

	igen_irq_enable(igen);
	return 0;
}

/**
 * igen_irq_uninstall - undoes igen_irq_install()
 * @igen: the device
 */
void igen_irq_uninstall(struct igen_device *igen)
{
	igen_irq_disable(igen);
	free_irq(igen->irq, igen);
	pci_free_irq_vectors(igen->pdev);
}
