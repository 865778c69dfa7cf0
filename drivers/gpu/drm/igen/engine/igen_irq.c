// SPDX-License-Identifier: MIT
/**
 * DOC: Interrupts
 *
 * The device has one vector. The platform defines the interrupt registers, and how an engine's bits get to the backend
 * (struct igen_irq_ops, engine/igen_irq_gen8.c). This file has the vector and the rules for writing masks.
 *
 * The driver masks and unmasks two kinds of interrupts at run time. The user interrupt tells that a request has ended;
 * the breadcrumbs unmask it while a fence is waited for. The other one tells that an engine has begun a semaphore wait.
 * While the device sleeps a change is only noted, and waking writes it. When the GPU is wedged it is only noted, too.
 */
#include <linux/interrupt.h>
#include <drm/drm_drv.h>

#include <igen/regs/irq.h>

#include "../igen_compat.h"
#include "../igen_device.h"

/**
 * igen_irq_init - has everything masked but the interrupts that the driver always needs
 * @igen: the device, with its engines; nothing is written
 */
void igen_irq_init(struct igen_device *igen)
{
	spin_lock_init(&igen->irq_mask_lock);
	igen->platform->irq->init(igen);
}

/**
 * igen_irq_quiesce_group - closes a group of interrupt registers and forgets what is pending there
 * @igen: the device
 * @isr: the offset of the group's first register, ISR; IMR, IIR and IER follow it in the order of GT_ISR(0)
 *
 * On Gen6 and Gen7 a group is what the manuals call a bank.
 */
void igen_irq_quiesce_group(struct igen_device *igen, u32 isr)
{
	u32 imr = isr + GT_IMR(0) - GT_ISR(0), iir = isr + GT_IIR(0) - GT_ISR(0), ier = isr + GT_IER(0) - GT_ISR(0);

	igen_write(igen, imr, ~0u);
	igen_write(igen, ier, 0);
	/* Two may be latched behind each other. The second is in place when the first write has arrived. */
	igen_write(igen, iir, ~0u);
	igen_read(igen, iir);
	igen_write(igen, iir, ~0u);
}

/* The device is gone, or it sleeps and the next wake writes the masks. irq_mask_lock held. */
static bool irq_only_noted(struct igen_device *igen)
{
	return unlikely(READ_ONCE(igen->wedged) || READ_ONCE(igen->rpm.asleep));
}

/**
 * igen_irq_user - lets an engine's user interrupt through, or not
 * @engine: the engine; interrupts are off
 * @open: let it through
 *
 * Only notes the choice while the GPU is wedged or asleep, since its registers are not used then. The same holds after
 * an unbind: fences of the device may still have waiters, but another driver may have the registers.
 */
void igen_irq_user(struct igen_engine *engine, bool open)
{
	struct igen_device *igen = engine->igen;

	lockdep_assert_irqs_disabled();
	spin_lock(&igen->irq_mask_lock);
	igen->platform->irq->user(engine, open, !irq_only_noted(igen));
	spin_unlock(&igen->irq_mask_lock);
}

/**
 * igen_irq_user_arrived - wait until the engine knows what igen_irq_user() wrote
 * @engine: the engine; interrupts are off
 *
 * What the engine has written to memory before is visible then, too.
 */
void igen_irq_user_arrived(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;

	lockdep_assert_irqs_disabled();
	spin_lock(&igen->irq_mask_lock);
	if (!irq_only_noted(igen))
		igen->platform->irq->arrived(engine);
	spin_unlock(&igen->irq_mask_lock);
}

/**
 * igen_irq_semaphore - unmask or mask the interrupt of an engine that waits for a semaphore
 * @engine: the engine; interrupts are off
 * @open: unmask the interrupt; it comes at once if the engine has begun a wait since the last one
 *
 * As with igen_irq_user(), the registers may have to wait.
 */
void igen_irq_semaphore(struct igen_engine *engine, bool open)
{
	struct igen_device *igen = engine->igen;

	lockdep_assert_irqs_disabled();
	spin_lock(&igen->irq_mask_lock);
	igen->platform->irq->semaphore(engine, open, !irq_only_noted(igen));
	spin_unlock(&igen->irq_mask_lock);
}

/**
 * igen_irq_engine_resume - lets an engine that was reset send its interrupts
 * @engine: the engine; forcewake of its domain held
 */
void igen_irq_engine_resume(struct igen_engine *engine)
{
	engine->igen->platform->irq->engine_resume(engine);
}

/**
 * igen_irq_restore - writes the masks and enables of all groups, with the changes that were only noted
 * @igen: the device
 *
 * Context: process.
 */
void igen_irq_restore(struct igen_device *igen)
{
	spin_lock_irq(&igen->irq_mask_lock);
	igen->platform->irq->restore(igen);
	spin_unlock_irq(&igen->irq_mask_lock);
}

/**
 * igen_irq_enable - lets the GPU interrupt
 * @igen: the device, with its interrupt installed
 */
void igen_irq_enable(struct igen_device *igen)
{
	igen->platform->irq->quiesce(igen);
	igen_irq_restore(igen);
	igen->platform->irq->open(igen);
}

/**
 * igen_irq_disable - keeps the GPU from interrupting and waits for a handler that runs
 * @igen: the device, with its interrupt installed
 */
void igen_irq_disable(struct igen_device *igen)
{
	igen->platform->irq->quiesce(igen);
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
	const struct igen_irq_ops *ops = igen->platform->irq;
	struct pci_dev *pdev = igen->pdev;
	int err;

	ops->quiesce(igen);

	err = pci_alloc_irq_vectors(pdev, 1, 1, IGEN_PCI_IRQ_TYPES);
	if (err < 0)
		return err;

	igen->irq = pci_irq_vector(pdev, 0);
	err = igen_inject_probe_error(igen, "interrupt vector");
	if (!err)
		err = request_irq(igen->irq, ops->handler, pdev->msi_enabled ? 0 : IRQF_SHARED, "igen", igen);
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
