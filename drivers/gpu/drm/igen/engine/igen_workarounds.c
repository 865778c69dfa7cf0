// SPDX-License-Identifier: MIT
/**
 * DOC: Workarounds
 *
 * A workaround is a row of the platform's tables: name, register, bits, and the revisions or fuses that it is for.
 * Rows for the GT and for engines are written after each reset; rows for contexts are written once by the render
 * engine itself, into the default state that new contexts start from. The list of registers that an unprivileged
 * batch may write (FORCE_TO_NONPRIV) is part of the same business: each entry is there for a workaround of
 * userspace's.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>

#include <igen/cmd/mi.h>
#include <igen/regs/engine.h>

#include "../igen_device.h"
#include "igen_workarounds.h"

/* The last bit of a row's revisions stands for that revision and all later ones. */
#define LAST_REVISION	7

/* Is the subslice of the row the only one of its slice that has one EU less than all? */
static bool wa_fits_fuses(const struct igen_topology *topo, u8 seven_eus)
{
	const u8 *eus = topo->eu_mask[FIELD_GET(IGEN_SEVEN_EUS_SLICE, seven_eus)];
	u8 subslices = 0;
	unsigned int ss;

	for (ss = 0; ss < topo->max_subslices; ss++)
		if (hweight8(eus[ss]) == topo->max_eus - 1)
			subslices |= BIT(ss);
	return subslices == FIELD_GET(IGEN_SEVEN_EUS_SUBSLICES, seven_eus);
}

/**
 * igen_revision_is_in - ask whether the device is of one of some PCI revisions
 * @igen: the device
 * @revisions: the revisions, a bit each (7: that and later ones); 0: all
 *
 * Return: true when it is.
 */
bool igen_revision_is_in(const struct igen_device *igen, u8 revisions)
{
	return !revisions || revisions & BIT(min_t(unsigned int, igen->pdev->revision, LAST_REVISION));
}

/**
 * igen_workaround_applies - ask whether the device's revision and fuses need a workaround
 * @igen: the device, its topology known
 * @row: the workaround
 *
 * Return: true when it does.
 */
bool igen_workaround_applies(const struct igen_device *igen, const struct igen_reg_write *row)
{
	if (!igen_revision_is_in(igen, row->revisions))
		return false;
	return !row->seven_eus || wa_fits_fuses(&igen->topology, row->seven_eus);
}

static u32 wa_masked_value(const struct igen_reg_write *row)
{
	return IGEN_MASKED_FIELD(row->set | row->clear, row->set);
}

static void wa_apply(struct igen_device *igen, const struct igen_reg_write *row, u32 base)
{
	for (; row && row->name; row++) {
		u32 reg = row->relative ? base + row->reg : row->reg;

		if (!igen_workaround_applies(igen, row))
			continue;
		if (row->masked)
			igen_write(igen, reg, wa_masked_value(row));
		else
			igen_rmw(igen, reg, row->clear, row->set);
	}
}

/**
 * igen_apply_gt_workarounds - writes what is for the GT as a whole
 * @igen: the device, after probe, resume or full reset; forcewake of all domains held
 */
void igen_apply_gt_workarounds(struct igen_device *igen)
{
	if (igen->platform->steer)
		igen->platform->steer(igen);
	wa_apply(igen, igen->platform->gt_workarounds, 0);
}

/**
 * igen_engine_apply_workarounds - writes an engine's workarounds and its list of unprivileged registers
 * @engine: the engine, just reset; forcewake of all domains held
 */
void igen_engine_apply_workarounds(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	const struct igen_platform *platform = igen->platform;
	const struct igen_nonpriv *whitelist = platform->whitelist[engine->info->class];
	u32 base = engine->info->base, value;
	unsigned int i;

	wa_apply(igen, platform->engine_workarounds[engine->info->class], base);

	if (!whitelist)
		return;

	/* NOPID in the slots that are left: a register that does nothing. */
	for (i = 0; i < FORCE_TO_NONPRIV_MAX; i++) {
		value = RING_NOPID(base);
		if (whitelist->reg) {
			value = (whitelist->reg + (whitelist->relative ? base : 0)) | whitelist->flags;
			whitelist++;
		}
		igen_write(igen, RING_FORCE_TO_NONPRIV(base, i), value);
	}
}

static unsigned int wa_count(const struct igen_device *igen, const struct igen_reg_write *row)
{
	unsigned int n = 0;

	for (; row && row->name; row++)
		n += igen_workaround_applies(igen, row);
	return n;
}

/**
 * igen_count_lri - counts the registers of a table that this device needs
 * @igen: the device
 * @row: a table of masked registers, or NULL
 *
 * Return: dwords that igen_emit_lri() writes.
 */
unsigned int igen_count_lri(const struct igen_device *igen, const struct igen_reg_write *row)
{
	unsigned int n = wa_count(igen, row);

	return n ? 1 + 2 * n : 0;
}

/**
 * igen_emit_lri - emits one MI_LOAD_REGISTER_IMM with all of a table that this device needs
 * @igen: the device
 * @row: a table of masked registers, or NULL
 * @cs: where to; room for igen_count_lri() dwords
 *
 * Return: behind what was written.
 */
u32 *igen_emit_lri(const struct igen_device *igen, const struct igen_reg_write *row, u32 *cs)
{
	unsigned int n = wa_count(igen, row);

	if (!n)
		return cs;

	*cs++ = MI_LOAD_REGISTER_IMM(n);
	for (; row->name; row++) {
		if (!igen_workaround_applies(igen, row))
			continue;
		*cs++ = row->reg;
		*cs++ = wa_masked_value(row);
	}

	return cs;
}
