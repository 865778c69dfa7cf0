// SPDX-License-Identifier: MIT
/**
 * DOC: What execlists tell in a bring-up
 *
 * When a first context does not complete, gen8_explain_engine() asks in the order of the work's way: has the engine
 * taken the list, does it find memory, does it report the end, does the report arrive.
 */
#include <igen/regs/context.h>
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

/* The interrupt handler has not run, although the engine has had something to tell. */
static void gen8_explain_irq(struct igen_bringup *b, struct igen_engine *engine)
{
	struct igen_device *igen = b->igen;
	u32 iir = igen_read(igen, GT_IIR(engine->info->irq_group)), master = igen_read(igen, MASTER_IRQ);

	if (iir & 0xffffu << engine->info->irq_shift)
		say(b, BAD, "no interrupt arrives: the GPU has raised it (GT_IIR 0x%08x, master 0x%08x), not the MSI",
		    iir, master);
	else
		say(b, BAD, "no interrupt arrives: the GPU has raised none (GT_IIR 0x%08x, master 0x%08x)", iir,
		    master);
}

/* Why the engine has not completed its first context. Forcewake of all domains is held. */
static void gen8_explain_engine(struct igen_bringup *b, struct igen_engine *engine)
{
	struct igen_device *igen = b->igen;
	const char *name = engine->info->name;
	u32 base = engine->info->base;
	u32 status = igen_read(igen, RING_EXECLIST_STATUS_LO(base));
	u32 start = igen_read(igen, RING_START(base));
	u32 told = igen_read(igen, RING_CTX_STATUS_PTR(base)) & CTX_STATUS_PTR_WRITE_MASK;
	u32 arrived = READ_ONCE(engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW]);
	u32 fault = igen_read(igen, RING_FAULT_REG);

	say(b, NOTE, "%s: EXECLIST_STATUS 0x%08x, ring 0x%08x, head 0x%08x, tail 0x%08x, IPEHR 0x%08x, EIR 0x%08x",
	    name, status, start, igen_read(igen, RING_HEAD(base)), igen_read(igen, RING_TAIL(base)),
	    igen_read(igen, RING_IPEHR(base)), igen_read(igen, RING_EIR(base)));
	say(b, NOTE, "%s: the last context status event is %u, in the status page %u", name, told, arrived);
	if (fault & RING_FAULT_VALID)
		say(b, BAD, "%s: an access found no page (RING_FAULT_REG 0x%08x, FAULT_TLB_DATA 0x%08x 0x%08x); %s",
		    name, fault, igen_read(igen, FAULT_TLB_DATA0), igen_read(igen, FAULT_TLB_DATA1),
		    igen_bringup_iommu_hint(igen));
	else if (!start)
		say(b, BAD, "%s: the engine takes no context from its ELSP", name);
	else if (status & EXECLIST_STATUS_ACTIVE_MASK)
		say(b, BAD, "%s: the engine hangs in its first context", name);
	else if (told != arrived)
		say(b, BAD, "%s: context status events do not arrive in the status page", name);
	else if (told == GEN9_CSB_RESET_PTR)
		say(b, BAD, "%s: the engine has run its context and tells so by no context status event", name);
	else
		say(b, BAD, "%s: the first context does not complete", name);
}

/* The driver restarts an engine that has run a context without an event for it, so batches complete all the same. */
static void gen8_check_engine(struct igen_bringup *b, struct igen_engine *engine)
{
	unsigned int resets = READ_ONCE(engine->resets);

	if (resets)
		say(b, BAD, "%s: context status events are lost: the driver has restarted the engine %u times",
		    engine->info->name, resets);
	else
		say(b, OK, "%s: context status events arrive [KBL Vol 3, Logical Contexts]", engine->info->name);
}

const struct igen_bringup_ops igen_bringup_gen8_ops = {
	.explain_irq = gen8_explain_irq,
	.explain_engine = gen8_explain_engine,
	.check_engine = gen8_check_engine,
};
