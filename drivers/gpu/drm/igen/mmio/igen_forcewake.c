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
 * Gen6 and Gen7 have one well. Its requests are one bit, or masked where firmware has set that up. The power unit's
 * threads may be awake a little later than the well says. A write to a register of a well that sleeps wakes it, but
 * waits meanwhile in a FIFO that must not overflow (all as stock i915 has it).
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
#define THREADS_TIMEOUT_US	500
#define FIFO_TIMEOUT_US		500
/* Entries of the FIFO that are the hardware's own. */
#define FIFO_RESERVED		20

static const struct igen_forcewake_domain *forcewake_domain_of(const struct igen_device *igen, unsigned int domain)
{
	const struct igen_platform *platform = igen->platform;

	return igen->mmio.fw_plain ? &platform->forcewake_plain[domain] : &platform->forcewake[domain];
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

static void forcewake_request(struct igen_device *igen, const struct igen_forcewake_domain *well, bool set)
{
	if (well->plain)
		igen_write(igen, well->request, set ? FORCEWAKE_KERNEL : 0);
	else
		igen_write(igen, well->request, set ? IGEN_MASKED_ENABLE(FORCEWAKE_KERNEL) :
						      IGEN_MASKED_DISABLE(FORCEWAKE_KERNEL));
}

static int forcewake_wake(struct igen_device *igen, const struct igen_forcewake_domain *well)
{
	/* A request is new only after the well has cleared the acknowledgment of the previous request. */
	if (forcewake_wait_patiently(igen, well, false))
		goto fail;

	forcewake_request(igen, well, true);
	if (forcewake_wait_patiently(igen, well, true)) {
		forcewake_request(igen, well, false);
		goto fail;
	}
	/* Stock i915 only warns of threads that stay asleep. */
	if (well->threads &&
	    igen_wait_reg(igen, well->threads, GT_THREAD_STATUS_CORE_MASK, 0, THREADS_TIMEOUT_US, false))
		drm_err_ratelimited(&igen->drm, "forcewake: threads of the %s power well stay asleep\n", well->name);
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
		if (--igen->mmio.fw_count[domain])
			continue;
		/* Nothing has counted the writes to the well since it was awake (igen_fifo_wait()). */
		atomic_set(&igen->mmio.fifo_left, 0);
		forcewake_request(igen, forcewake_domain_of(igen, domain), false);
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

/* No well is kept awake by what the register of its requests had. */
static void forcewake_clear(struct igen_device *igen)
{
	const struct igen_forcewake_domain *well;
	unsigned int domain;

	for (domain = 0; domain < FORCEWAKE_NUM_DOMAINS; domain++) {
		well = forcewake_domain_of(igen, domain);
		if (well->name)
			igen_write(igen, well->request, well->plain ? 0 : IGEN_MASKED_DISABLE(0xffffu));
	}
}

/* Firmware has not chosen masked requests. Forcewake of all domains held, as far as it works. */
static bool forcewake_is_plain(struct igen_device *igen)
{
	const struct igen_platform *platform = igen->platform;

	return platform->forcewake_plain && !(igen_read(igen, platform->forcewake_choice) & platform->forcewake_masked);
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
	bool plain;
	int err = 0;

	/* All ones is what a read of a device that isn't there gives. */
	if (igen_read(igen, forcewake_domain_of(igen, IGEN_FORCEWAKE_GT)->ack) == ~0u) {
		drm_err(&igen->drm, "registers read as all ones: the device does not answer\n");
		return -ENODEV;
	}

	forcewake_clear(igen);
	spin_lock_irqsave(&igen->mmio.fw_lock, flags);
	for (domain = 0; domain < FORCEWAKE_NUM_DOMAINS && !err; domain++)
		if (igen->mmio.fw_count[domain])
			err = forcewake_wake(igen, forcewake_domain_of(igen, domain));
	spin_unlock_irqrestore(&igen->mmio.fw_lock, flags);
	if (err)
		return err;

	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (err)
		return err;
	plain = forcewake_is_plain(igen);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	if (!plain || igen->mmio.fw_plain)
		return 0;

	/* The other way from now on, which is tried, too. */
	drm_dbg(&igen->drm, "forcewake: firmware has not chosen masked requests\n");
	igen->mmio.fw_plain = true;
	return igen_forcewake_init(igen);
}

/**
 * igen_fifo_wait - wait until a write to a register of a well that may sleep does not overflow the FIFO
 * @igen: the device, awake
 *
 * The hardware empties the FIFO, so it has at least as many free entries as it told last, less the writes since then.
 * The register is read when these are used up. Two callers that read it at the same time may count an entry twice, for
 * which the reserve is large enough. Does nothing where such writes need no care.
 *
 * Tails are the only writes of the driver to a well that may be asleep; all others hold forcewake. No manual at hand
 * says whether writes to a well that is awake pass through the FIFO as well. So the register is read again after the
 * last igen_forcewake_put(). A caller that has just read it may miss that; the reserve covers so few writes.
 *
 * Context: any.
 */
void igen_fifo_wait(struct igen_device *igen)
{
	const struct igen_platform *platform = igen->platform;
	unsigned int us;
	int free;

	if (!platform->fifo || atomic_dec_if_positive(&igen->mmio.fifo_left) >= 0)
		return;
	for (us = 0; us < FIFO_TIMEOUT_US; us++) {
		free = (igen_read(igen, platform->fifo) & platform->fifo_mask) - FIFO_RESERVED;
		if (free > 0) {
			/* One is this caller's. */
			atomic_set(&igen->mmio.fifo_left, free - 1);
			return;
		}
		udelay(1);
	}
	drm_err_ratelimited(&igen->drm, "the FIFO of register writes stays full\n");
}
