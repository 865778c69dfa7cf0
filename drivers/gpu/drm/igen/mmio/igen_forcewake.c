// SPDX-License-Identifier: MIT
/**
 * DOC: Forcewake
 *
 * The render, media and common ("GT") power wells sleep when idle; a register of a sleeping well reads as zero and
 * forgets writes. A masked request register and an acknowledge register per well keep it awake (public Gen9 PRM Vol 2c,
 * FORCEWAKE and FORCEWAKE_ACK). A table of the platform says which wells and registers a GPU has. Requests are counted,
 * so users nest, and the wait for an acknowledgment is bounded.
 *
 * A well that is just going to sleep can miss a request (WaRsForcewakeAddDelayForAck): then another of the request bits
 * is toggled, which shakes the well into looking again. That is tried a few times before the request fails.
 *
 * A well that works answers within microseconds. A hard interrupt handler waits IRQ_TIMEOUT_US for it and does not try
 * the second bit, so a well that is broken does not stop the CPU: what the handler wanted is left to a worker.
 *
 * Not done: keeping a well awake for a while after the last put; no frequent path uses forcewake.
 */
#include <linux/delay.h>
#include <linux/preempt.h>

#include <igen/regs/gt.h>

#include "../igen_device.h"

#define ACK_TIMEOUT_US		50000
#define IRQ_TIMEOUT_US		500
#define FALLBACK_TIMEOUT_US	1000
#define FALLBACK_PASSES		10

static const struct igen_forcewake_domain *forcewake_domain_of(const struct igen_device *igen, unsigned int domain)
{
	return &igen->platform->forcewake[domain];
}

/* The platform has this well. */
static bool forcewake_has_domain(const struct igen_device *igen, unsigned int domain)
{
	return forcewake_domain_of(igen, domain)->name;
}

static int forcewake_wait_ack(struct igen_device *igen, const struct igen_forcewake_domain *well, u32 bit, bool set,
			      unsigned int timeout_us)
{
	return igen_wait_reg(igen, well->ack, bit, set ? bit : 0, timeout_us, false);
}

/* Toggles the fallback bit until the acknowledgment of the kernel's bit is what was asked for. */
static int forcewake_wait_ack_fallback(struct igen_device *igen, const struct igen_forcewake_domain *well, bool set)
{
	unsigned int pass;
	u32 want = set ? FORCEWAKE_KERNEL : 0;

	if (!well->fallback)
		return -ETIMEDOUT;
	for (pass = 1; pass <= FALLBACK_PASSES; pass++) {
		forcewake_wait_ack(igen, well, FORCEWAKE_KERNEL_FALLBACK, false, FALLBACK_TIMEOUT_US);
		igen_write(igen, well->request, IGEN_MASKED_ENABLE(FORCEWAKE_KERNEL_FALLBACK));
		udelay(10 * pass);
		forcewake_wait_ack(igen, well, FORCEWAKE_KERNEL_FALLBACK, true, FALLBACK_TIMEOUT_US);
		igen_write(igen, well->request, IGEN_MASKED_DISABLE(FORCEWAKE_KERNEL_FALLBACK));

		if ((igen_read(igen, well->ack) & FORCEWAKE_KERNEL) == want) {
			drm_dbg(&igen->drm, "forcewake: %s well answered after %u fallbacks\n", well->name, pass);
			return 0;
		}
	}

	return -ETIMEDOUT;
}

/* Waits for an acknowledgment as long as the context allows. */
static int forcewake_wait_patiently(struct igen_device *igen, const struct igen_forcewake_domain *well, bool set)
{
	if (in_hardirq())
		return forcewake_wait_ack(igen, well, FORCEWAKE_KERNEL, set, IRQ_TIMEOUT_US);
	if (!forcewake_wait_ack(igen, well, FORCEWAKE_KERNEL, set, ACK_TIMEOUT_US))
		return 0;
	return forcewake_wait_ack_fallback(igen, well, set);
}

static int forcewake_wake(struct igen_device *igen, const struct igen_forcewake_domain *well)
{
	/* A request is new only when the well has taken back the acknowledgment of the one before. */
	if (forcewake_wait_patiently(igen, well, false))
		goto fail;

	igen_write(igen, well->request, IGEN_MASKED_ENABLE(FORCEWAKE_KERNEL));
	if (forcewake_wait_patiently(igen, well, true)) {
		igen_write(igen, well->request, IGEN_MASKED_DISABLE(FORCEWAKE_KERNEL));
		goto fail;
	}

	return 0;

fail:
	drm_err_ratelimited(&igen->drm, "forcewake: the %s power well does not answer (acknowledge register 0x%06x is 0x%08x)\n",
			    well->name, well->ack, igen_read(igen, well->ack));
	return -EIO;
}

static void forcewake_put_domains(struct igen_device *igen, unsigned int mask)
{
	unsigned int domain;

	lockdep_assert_held(&igen->mmio.fw_lock);

	for (domain = 0; domain < FORCEWAKE_NUM_DOMAINS; domain++) {
		if (!(mask & BIT(domain)) || !forcewake_has_domain(igen, domain))
			continue;
		if (drm_WARN_ON(&igen->drm, !igen->mmio.fw_count[domain]))
			continue;
		if (!--igen->mmio.fw_count[domain])
			igen_write(igen, forcewake_domain_of(igen, domain)->request,
				   IGEN_MASKED_DISABLE(FORCEWAKE_KERNEL));
	}
}

/**
 * igen_forcewake_get - keeps power wells awake
 * @igen: the device
 * @mask: FORCEWAKE_DOMAIN_*, those that shall stay awake
 *
 * Waits, without sleeping, for wells that were asleep; well under a millisecond on hardware that works. On hardware
 * that does not, a well costs up to 200 ms, or 1 ms in a hard interrupt handler.
 *
 * Return: 0, or -EIO when a well does not answer; then none is held.
 */
int igen_forcewake_get(struct igen_device *igen, unsigned int mask)
{
	unsigned int domain, held = 0;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&igen->mmio.fw_lock, flags);
	for (domain = 0; domain < FORCEWAKE_NUM_DOMAINS; domain++) {
		if (!(mask & BIT(domain)) || !forcewake_has_domain(igen, domain))
			continue;
		if (!igen->mmio.fw_count[domain])
			err = forcewake_wake(igen, forcewake_domain_of(igen, domain));
		if (err)
			break;
		igen->mmio.fw_count[domain]++;
		held |= BIT(domain);
	}
	if (err)
		forcewake_put_domains(igen, held);
	spin_unlock_irqrestore(&igen->mmio.fw_lock, flags);

	return err;
}

/**
 * igen_forcewake_put - lets power wells sleep
 * @igen: the device
 * @mask: what igen_forcewake_get() was called with
 */
void igen_forcewake_put(struct igen_device *igen, unsigned int mask)
{
	unsigned long flags;

	spin_lock_irqsave(&igen->mmio.fw_lock, flags);
	forcewake_put_domains(igen, mask);
	spin_unlock_irqrestore(&igen->mmio.fw_lock, flags);
}

/**
 * igen_forcewake_init - drops what firmware or a driver before us left requested, and tries each well
 * @igen: the device
 *
 * For probe and resume. What root holds (i915_forcewake_user) while the machine sleeps is requested anew.
 *
 * Return: 0, -EIO when a well does not answer, -ENODEV when no device answers.
 */
int igen_forcewake_init(struct igen_device *igen)
{
	unsigned int domain;
	unsigned long flags;
	int err = 0;

	/* All ones is what a read of a device that isn't there gives. */
	if (igen_read(igen, forcewake_domain_of(igen, IGEN_FORCEWAKE_GT)->ack) == ~0u) {
		drm_err(&igen->drm, "registers read as all ones: the device does not answer\n");
		return -ENODEV;
	}

	for (domain = 0; domain < FORCEWAKE_NUM_DOMAINS; domain++)
		if (forcewake_has_domain(igen, domain))
			igen_write(igen, forcewake_domain_of(igen, domain)->request, IGEN_MASKED_DISABLE(0xffffu));

	spin_lock_irqsave(&igen->mmio.fw_lock, flags);
	for (domain = 0; domain < FORCEWAKE_NUM_DOMAINS && !err; domain++)
		if (igen->mmio.fw_count[domain])
			err = forcewake_wake(igen, forcewake_domain_of(igen, domain));
	spin_unlock_irqrestore(&igen->mmio.fw_lock, flags);
	if (err)
		return err;

	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (!err)
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	return err;
}
