// SPDX-License-Identifier: MIT
/**
 * DOC: What engines with one ring tell in a bring-up
 *
 * When a first context does not complete, gen6_explain_engine() asks in the order of the work's way: has the engine
 * taken its ring, does it find memory, is it within a command, does the end arrive.
 */
#include <igen/regs/engine.h>
#include <igen/regs/gtt.h>
#include <igen/regs/irq.h>

#include "igen_bringup.h"
#include "igen_device.h"

/* Short, since most of this file are messages. */
#define OK	IGEN_BRINGUP_OK
#define NOTE	IGEN_BRINGUP_NOTE
#define BAD	IGEN_BRINGUP_BAD
#define say	igen_bringup_say

static void gen6_explain_irq(struct igen_bringup *b, struct igen_engine *engine)
{
	struct igen_device *igen = b->igen;
	u32 iir = igen_read(igen, GTIIR), master = igen_read(igen, DEIER);

	if (iir & GT_IRQ_USER << engine->info->irq_shift)
		say(b, BAD, "no interrupt comes: the GPU has raised it (GTIIR 0x%08x, DEIER 0x%08x), not the MSI", iir,
		    master);
	else
		say(b, BAD, "no interrupt arrives: the GPU has raised none (GTIIR 0x%08x, DEIER 0x%08x)", iir, master);
}

/* The page fault of the engine, by the order of the registers. */
static u32 gen6_fault(struct igen_device *igen, const struct igen_engine *engine)
{
	switch (engine->info->class) {
	case IGEN_CLASS_RENDER:
		return igen_read(igen, ENGINE_FAULT(0));
	case IGEN_CLASS_VIDEO:
		return igen_read(igen, ENGINE_FAULT(1));
	default:
		return igen_read(igen, ENGINE_FAULT(2));
	}
}

static void gen6_explain_engine(struct igen_bringup *b, struct igen_engine *engine)
{
	struct igen_device *igen = b->igen;
	const char *name = engine->info->name;
	u32 base = engine->info->base, fault = gen6_fault(igen, engine);
	u32 head = igen_read(igen, RING_HEAD(base)) & RING_HEAD_MASK;
	u32 tail = igen_read(igen, RING_TAIL(base)) & RING_TAIL_MASK;

	say(b, NOTE, "%s: ring 0x%08x, control 0x%08x, head 0x%05x, tail 0x%05x, ACTHD 0x%08x, IPEHR 0x%08x, EIR 0x%x",
	    name, igen_read(igen, RING_START(base)), igen_read(igen, RING_CTL(base)), head, tail,
	    igen_read(igen, RING_ACTHD(base)), igen_read(igen, RING_IPEHR(base)), igen_read(igen, RING_EIR(base)));
	if (fault & ENGINE_FAULT_VALID)
		say(b, BAD, "%s: an access found no page (0x%08x); %s", name, fault, igen_bringup_iommu_hint(igen));
	else if (!tail)
		say(b, BAD, "%s: the engine was given nothing", name);
	else if (!head)
		say(b, BAD, "%s: the engine does not begin with its ring", name);
	else if (head != tail)
		say(b, BAD, "%s: the engine hangs in its first context", name);
	else
		say(b, BAD, "%s: the engine has executed its ring, and its seqno does not arrive in memory", name);
}

/* The driver goes by seqnos and interrupts alone, which were looked at. */
static void gen6_check_engine(struct igen_bringup *b, struct igen_engine *engine)
{
	unsigned int resets = READ_ONCE(engine->resets);

	say(b, resets ? BAD : OK, "%s: reset %u times", engine->info->name, resets);
}

const struct igen_bringup_ops igen_bringup_gen6_ops = {
	.explain_irq = gen6_explain_irq,
	.explain_engine = gen6_explain_engine,
	.check_engine = gen6_check_engine,
};
