// SPDX-License-Identifier: MIT
/**
 * DOC: What a bring-up reads back
 *
 * Behind each step its check compares the device with the platform's table of registers (platform/igen_expect.h), and
 * with what the driver itself has written: entries of the GGTT, status pages, workarounds, interrupt masks. The checks
 * of the first stage write nothing. Later ones write through the driver's own functions: an entry of the GGTT that
 * nothing uses, and a page through the aperture. igen_bringup_batch.c has the check of the last step.
 */
#include <linux/device.h>
#include <linux/iommu.h>
#include <linux/sizes.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/irq.h>
#include <igen/regs/pci.h>

#include "engine/igen_workarounds.h"
#include "igen_bringup.h"
#include "igen_device.h"
#include "mm/igen_vm.h"
#include "platform/igen_expect.h"
#include "platform/igen_scanout.h"

/* Short, since most of this file are messages. */
#define OK	IGEN_BRINGUP_OK
#define NOTE	IGEN_BRINGUP_NOTE
#define BAD	IGEN_BRINGUP_BAD
#define say	igen_bringup_say

/* Bytes of a line that lists values. */
#define VALUES		128

static bool row_fits(const struct igen_expect *row, u32 value)
{
	return (value & row->mask) >= row->min && (value & row->mask) <= row->max;
}

/* Reads a row's register, for each engine in use if it is relative, into a text. Return: whether all values fit. */
static bool row_read(struct igen_device *igen, const struct igen_expect *row, char *values)
{
	const struct igen_engine_info *info;
	bool fits = true;
	size_t n = 0;
	unsigned int i;
	u32 value;

	if (!row->relative) {
		value = igen_read(igen, row->reg);
		scnprintf(values, VALUES, "0x%08x", value);
		return row_fits(row, value);
	}

	values[0] = 0;
	for (i = 0; i < igen->platform->num_engines; i++) {
		info = &igen->platform->engines[i];
		if (igen->engine_mask && !(igen->engine_mask & BIT(info->id)))
			continue;
		value = igen_read(igen, info->base + row->reg);
		n += scnprintf(values + n, VALUES - n, "%s%s 0x%08x", n ? ", " : "", info->name, value);
		fits &= row_fits(row, value);
	}
	return fits;
}

static void row_check(struct igen_bringup *b, const struct igen_expect *row)
{
	const char *plus = row->relative ? "+" : "";
	char values[VALUES];

	if (row_read(b->igen, row, values))
		say(b, OK, "%s (%s0x%x): %s [%s]", row->name, plus, row->reg, values, row->source);
	else
		say(b, row->note ? NOTE : BAD, "%s: %s (%s0x%x) is %s, its bits 0x%08x shall be 0x%x to 0x%x [%s]",
		    row->wrong, row->name, plus, row->reg, values, row->mask, row->min, row->max, row->source);
}

static void table_check(struct igen_bringup *b, const struct igen_expect *row)
{
	for (; row && row->step; row++)
		if (!strcmp(row->step, b->steps[b->next].name))
			row_check(b, row);
}

/**
 * igen_bringup_check_rows - compare the device with the platform's tables
 * @b: the bring-up, in the step that was just done
 * @err: what the step failed with; then nothing is read
 */
void igen_bringup_check_rows(struct igen_bringup *b, int err)
{
	struct igen_device *igen = b->igen;

	if (err)
		return;
	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (err) {
		say(b, BAD, "the power wells do not wake: %d", err);
		return;
	}
	table_check(b, igen->platform->expect);
	table_check(b, igen->platform->expect_part);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
}

/**
 * igen_bringup_check_registers - look at registers that were just mapped, and at what the display shows
 * @b: the bring-up
 * @err: what the step failed with
 */
void igen_bringup_check_registers(struct igen_bringup *b, int err)
{
	struct igen_surface surfaces[IGEN_MAX_SURFACES];
	struct igen_device *igen = b->igen;
	unsigned int n, i;

	igen_bringup_check_rows(b, err);
	if (err || !igen->platform->scanout)
		return;
	n = igen->platform->scanout(igen, surfaces);
	for (i = 0; i < n; i++)
		say(b, NOTE, "pipe %c, plane %u shows firmware's framebuffer, GGTT 0x%llx to 0x%llx; igen keeps off",
		    'A' + surfaces[i].pipe, surfaces[i].plane, surfaces[i].start,
		    surfaces[i].start + surfaces[i].size);
	if (!n)
		say(b, OK, "no plane shows a framebuffer [public Gen9 PRM Vol 2c, PLANE_CTL, CUR_CTL]");
}

static void device_check_bars(struct igen_bringup *b)
{
	struct pci_dev *pdev = b->igen->pdev;
	u64 registers = pci_resource_len(pdev, IGEN_PCI_GTTMMADR_BAR);
	u64 aperture = pci_resource_len(pdev, IGEN_PCI_GMADR_BAR);
	u32 half = b->igen->platform->gtt->ptes_offset;

	if (registers < 2ull * half)
		say(b, BAD, "BAR 0 has %llu KB, not the %u MB of registers and GGTT [public Gen9 PRM Vol 5, GTTMMADR]",
		    registers >> 10, 2 * half / SZ_1M);
	else
		say(b, OK, "BAR 0 has %llu MB of registers and GGTT [public Gen9 PRM Vol 5, GTTMMADR]",
		    registers >> 20);
	say(b, aperture ? OK : NOTE, "BAR 2, the aperture, has %llu MB", aperture >> 20);
}

static void device_check_config(struct igen_bringup *b)
{
	struct igen_device *igen = b->igen;
	struct pci_dev *pdev = igen->pdev;
	u16 id = 0, command = 0, gmch = 0;
	u64 ggtt;

	pci_read_config_word(pdev, PCI_DEVICE_ID, &id);
	if (id != pdev->device) {
		say(b, BAD, "configuration space reads 0x%04x, not the device's id: the device does not answer", id);
		return;
	}
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	say(b, command & PCI_COMMAND_MEMORY ? OK : BAD, "PCI_COMMAND 0x%04x: memory decoding is %s", command,
	    command & PCI_COMMAND_MEMORY ? "on" : "off");

	pci_read_config_word(pdev, PCI_CFG_GMCH_CTL, &gmch);
	ggtt = igen->platform->gtt->ggtt_size(gmch);
	if (ggtt)
		say(b, OK, "GMCH_CTL 0x%04x: a GGTT of %llu MB [datasheet volume 2, GGC]", gmch, ggtt >> 20);
	else
		say(b, BAD, "GMCH_CTL 0x%04x: firmware has set up no GGTT [datasheet volume 2, GGC]", gmch);
	if (gmch & igen->platform->gtt->gms_mask)
		say(b, OK, "GMCH_CTL 0x%04x: firmware has reserved stolen memory", gmch);
	else
		say(b, NOTE, "GMCH_CTL 0x%04x: firmware has reserved no stolen memory; RC6 may stay off without", gmch);
}

/* Addresses for DMA are the IOMMU's: not so where it passes them through. */
static bool device_iommu_translates(const struct igen_device *igen)
{
	const struct iommu_domain *domain = iommu_get_domain_for_dev(&igen->pdev->dev);

	return domain && domain->type != IOMMU_DOMAIN_IDENTITY;
}

/**
 * igen_bringup_iommu_hint - what to try when DMA does not reach memory
 * @igen: the device
 *
 * Return: a part of a sentence.
 */
const char *igen_bringup_iommu_hint(const struct igen_device *igen)
{
	if (device_iommu_translates(igen))
		return "the IOMMU is on: try iommu=pt";
	return "the IOMMU is off: look at firmware's settings for DMA protection";
}

/**
 * igen_bringup_check_device - look at configuration space, which no register has to answer for
 * @b: the bring-up, in the first step
 * @err: what the step failed with
 */
void igen_bringup_check_device(struct igen_bringup *b, int err)
{
	struct pci_dev *pdev = b->igen->pdev;

	device_check_config(b);
	if (b->failed)
		return;
	device_check_bars(b);
	say(b, pdev->msi_cap ? OK : NOTE, "%s", pdev->msi_cap ? "the device has MSI" : "the device has no MSI");
	if (device_iommu_translates(b->igen))
		say(b, NOTE, "the IOMMU translates this device's addresses");
	else
		say(b, OK, "no IOMMU translates this device's addresses");
}

/**
 * igen_bringup_check_reset - look at engines that were just reset, and choose those that are brought up
 * @b: the bring-up
 * @err: what the step failed with
 *
 * All engines are looked at, and one goes on unless all shall: the blitter, whose context is the smallest.
 */
void igen_bringup_check_reset(struct igen_bringup *b, int err)
{
	struct igen_device *igen = b->igen;
	const struct igen_engine_info *info;
	unsigned int i;

	igen_bringup_check_rows(b, err);
	if (err || b->failed)
		return;
	/* A fault that is found later is then this driver's. */
	if (!igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL)) {
		igen->platform->error->clear_faults(igen);
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	}
	if (b->stage == IGEN_BRINGUP_ALL)
		return;
	for (i = 0; i < igen->platform->num_engines; i++) {
		info = &igen->platform->engines[i];
		if (info->class == IGEN_CLASS_COPY && igen->engine_mask & BIT(info->id)) {
			igen->engine_mask = BIT(info->id);
			say(b, OK, "%s alone goes on", info->name);
			return;
		}
	}
	say(b, BAD, "there is no blitter to begin with");
}

/**
 * igen_bringup_check_fuses - look at the fuses, and at what the driver makes of them
 * @b: the bring-up
 * @err: what the step failed with: there are no execution units
 */
void igen_bringup_check_fuses(struct igen_bringup *b, int err)
{
	const struct igen_topology *topo = &b->igen->topology;

	igen_bringup_check_rows(b, err == -ENODEV ? 0 : err);
	if (!b->igen->platform->topology) {
		say(b, NOTE, "the fuses do not say how many execution units there are");
		return;
	}
	say(b, topo->eu_total ? OK : BAD, "slices 0x%x, %u subslices, %u execution units", topo->slice_mask,
	    topo->subslice_total, topo->eu_total);
}

/**
 * igen_bringup_check_power - look at the range of the clock
 * @b: the bring-up
 * @err: what the step failed with
 */
void igen_bringup_check_power(struct igen_bringup *b, int err)
{
	const struct igen_power *power = &b->igen->power;

	igen_bringup_check_rows(b, err);
	if (err)
		return;
	say(b, power->rpn <= power->rp1 && power->rp1 <= power->rp0 ? OK : NOTE,
	    "the clock goes from %u to %u MHz, %u MHz is the most efficient", power->rpn, power->rp0, power->rp1);
}

/*
 * Writes an entry of the GGTT that nothing uses yet. Return: its lower half, where all formats have bits 31:12 of the
 * address.
 */
static u32 ggtt_try_entry(struct igen_ggtt *ggtt, dma_addr_t page)
{
	struct igen_device *igen = ggtt->vm.igen;
	const struct igen_gtt_ops *gtt = igen->platform->gtt;
	u64 at = ggtt->vm.total;

	gtt->ggtt_write(ggtt->ptes, at, at + PAGE_SIZE, page, 0);
	gtt->ggtt_invalidate(igen);
	return readl(ggtt->ptes + (at >> PAGE_SHIFT) * gtt->pte_bytes);
}

/* Writes an entry twice. The last entry leads to the scratch page again afterwards, as the driver wants it. */
static bool ggtt_check_entries(struct igen_bringup *b)
{
	struct igen_ggtt *ggtt = &b->igen->ggtt;
	dma_addr_t scratch = ggtt->scratch.ggtt_dma.addr, other = scratch ^ PAGE_SIZE;
	u32 second = ggtt_try_entry(ggtt, other), first = ggtt_try_entry(ggtt, scratch);
	u32 bits = GENMASK(31, PAGE_SHIFT);

	if (!((first ^ lower_32_bits(scratch)) & bits) && !((second ^ lower_32_bits(other)) & bits)) {
		say(b, OK, "entries of the GGTT keep what is written [public Gen9 PRM Vol 5, GTTMMADR]");
		return true;
	}
	say(b, BAD, "writes to entries of the GGTT are lost: 0x%08x and 0x%08x were written, 0x%08x and 0x%08x read",
	    lower_32_bits(other), lower_32_bits(scratch), second, first);
	return false;
}

/* The CPU writes through the aperture and reads the page itself, and the other way round. */
static void ggtt_check_aperture(struct igen_bringup *b)
{
	struct igen_device *igen = b->igen;
	u32 value = 0x12345678, back = 0;
	struct igen_vma *vma;
	u32 *page;
	int err;

	vma = igen_ggtt_pin_internal(igen, SZ_4K, 0, (void **)&page);
	if (IS_ERR(vma)) {
		say(b, BAD, "no memory to try the GGTT with: %ld", PTR_ERR(vma));
		return;
	}
	err = igen_ggtt_copy(vma->bo, 0, &value, sizeof(value), true);
	if (err == -ENODEV) {
		say(b, NOTE, "there is no aperture to try the GGTT with");
		goto out;
	}
	page[1] = ~value;
	if (!err)
		err = igen_ggtt_copy(vma->bo, sizeof(back), &back, sizeof(back), false);
	if (err)
		say(b, BAD, "the aperture cannot be used: %d", err);
	else if (READ_ONCE(page[0]) == value && back == ~value)
		say(b, OK, "the aperture shows memory: what is written on one side is read on the other");
	else
		say(b, BAD, "DMA does not reach memory: 0x%08x came out as 0x%08x, and 0x%08x as 0x%08x; %s", value,
		    READ_ONCE(page[0]), ~value, back, igen_bringup_iommu_hint(igen));
out:
	igen_ggtt_unpin_internal(vma);
}

/**
 * igen_bringup_check_ggtt - look at the GGTT and at what it shows
 * @b: the bring-up
 * @err: what the step failed with
 */
void igen_bringup_check_ggtt(struct igen_bringup *b, int err)
{
	igen_bringup_check_rows(b, err);
	if (!err && ggtt_check_entries(b))
		ggtt_check_aperture(b);
}

/**
 * igen_bringup_check_irq - look at the masks of interrupts
 * @b: the bring-up
 * @err: what the step failed with
 */
void igen_bringup_check_irq(struct igen_bringup *b, int err)
{
	struct pci_dev *pdev = b->igen->pdev;
	u16 control = 0;

	igen_bringup_check_rows(b, err);
	if (err)
		return;
	if (!pdev->msi_enabled) {
		say(b, NOTE, "the interrupt is no MSI but line %d, which other devices may share", b->igen->irq);
		return;
	}
	pci_read_config_word(pdev, pdev->msi_cap + PCI_MSI_FLAGS, &control);
	say(b, control & PCI_MSI_FLAGS_ENABLE ? OK : BAD, "MSI control 0x%04x, vector %d", control, b->igen->irq);
}

/* Compares what the driver has written by a table of workarounds. Registers that cannot be read are known, so notes. */
static unsigned int start_check_workarounds(struct igen_bringup *b, const struct igen_reg_write *row, u32 base)
{
	unsigned int same = 0;
	u32 reg, value, mask;

	for (; row && row->name; row++) {
		if (!igen_workaround_applies(b->igen, row))
			continue;
		reg = row->reg + (row->relative ? base : 0);
		value = igen_read(b->igen, reg);
		mask = row->set | row->clear;
		if ((value & mask) == row->set)
			same++;
		else
			say(b, NOTE, "%s: register 0x%x is 0x%08x, bits 0x%08x were written as 0x%08x", row->name, reg,
			    value, mask, row->set);
	}
	return same;
}

/* An engine's status page and tables are what the driver has told it. */
static void start_check_engine(struct igen_bringup *b, struct igen_engine *engine)
{
	struct igen_device *igen = b->igen;
	u32 page = igen_read(igen, engine->info->hws_pga);
	u32 wanted = lower_32_bits(igen_vma_start(engine->hwsp));

	say(b, page == wanted ? OK : BAD, "%s: HWS_PGA 0x%08x, 0x%08x was written [KBL Vol 3, Hardware Status Page]",
	    engine->info->name, page, wanted);
}

/**
 * igen_bringup_check_start - look at engines that wait for their first context
 * @b: the bring-up
 * @err: what the step failed with
 *
 * In the polled stage the worker that looks for events begins.
 */
void igen_bringup_check_start(struct igen_bringup *b, int err)
{
	struct igen_device *igen = b->igen;
	const struct igen_reg_write *rows;
	struct igen_engine *engine;
	unsigned int id, same;

	igen_bringup_check_rows(b, err);
	if (err || igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL))
		return;
	same = start_check_workarounds(b, igen->platform->gt_workarounds, 0);
	for_each_engine(igen, id, engine) {
		start_check_engine(b, engine);
		rows = igen->platform->engine_workarounds[engine->info->class];
		same += start_check_workarounds(b, rows, engine->info->base);
	}
	say(b, OK, "%u workarounds are in their registers [public Gen9 PRM Vol 16]", same);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	if (b->stage == IGEN_BRINGUP_POLL)
		schedule_delayed_work(&b->poll, 0);
}
