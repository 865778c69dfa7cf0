// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of register dispatch, the PCI function, interrupts and the small blocks
 *
 * The device is driven as QEMU would: through configuration space and BARs. A transport that counts
 * messages stands for the way to the guest.
 */
#include "igen/regs/display.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/irq.h"
#include "igen/regs/pci.h"
#include "registers.h"
#include "test.h"

static struct gpu *gpu;
static unsigned int messages;
static uint64_t msi_addr;
static uint32_t msi_data;
static uint32_t ring_imr;

static void fake_msi(struct transport *t, uint64_t addr, uint32_t data)
{
	(void)t;
	messages++;
	msi_addr = addr;
	msi_data = data;
}

static struct transport fake = { .name = "fake", .msi = fake_msi };

static uint32_t rd(uint32_t offset)
{
	return (uint32_t)pci_bar_read(gpu, PCI_BAR0, offset, 4);
}

static void wr(uint32_t offset, uint32_t v)
{
	pci_bar_write(gpu, PCI_BAR0, offset, 4, v);
}

static uint32_t imr_read(struct gpu *g, void *opaque, uint32_t offset)
{
	(void)g;
	(void)opaque;
	(void)offset;
	return ring_imr;
}

static void imr_write(struct gpu *g, void *opaque, uint32_t offset, uint32_t value)
{
	(void)g;
	(void)opaque;
	(void)offset;
	ring_imr = value;
}

static void start(const char *const *set)
{
	const struct mmio_block imr = {
		.name = "test",
		.start = RING_IMR(RCS0_BASE),
		.end = RING_IMR(RCS0_BASE) + 4,
		.read = imr_read,
		.write = imr_write,
	};

	gpu = test_gpu(set);
	gpu->transport = &fake;
	mmio_claim(gpu, &imr);
	messages = 0;
	ring_imr = 0;
}

static void stop(void)
{
	gpu->transport = NULL;
	gpu_free(gpu);
}

static void raise(enum engine_id id, uint32_t bit)
{
	for (unsigned int i = 0; i < gpu->platform->num_engines; i++) {
		if (gpu->platform->engines[i].id != id)
			continue;
		pthread_mutex_lock(&gpu->lock);
		gpu->platform->irq->raise(gpu, &gpu->platform->engines[i], bit);
		pthread_mutex_unlock(&gpu->lock);
	}
}

static void enable_msi(void)
{
	pci_cfg_write(gpu, 0xb0, 4, 0xfee01007);
	pci_cfg_write(gpu, 0xb4, 4, 1);
	pci_cfg_write(gpu, 0xb8, 2, 0x4321);
	pci_cfg_write(gpu, 0xae, 2, 1);
	pci_cfg_write(gpu, 0x04, 2, 6);
}

static void test_config_space(void)
{
	static const char *const set[] = { "ggms_mb=8", "stolen_mb=12", "aperture_mb=512",
					   "device_id=0x5912", "revision=4", NULL };
	uint64_t offset;

	start(set);
	check(pci_cfg_read(gpu, 0, 4) == 0x59128086, "identity from the configuration");
	check(pci_cfg_read(gpu, 8, 4) == 0x03000004, "class and revision");
	check(pci_cfg_read(gpu, PCI_CFG_GMCH_CTL, 2) == 0xf2c0, "8 MB of PTEs, 12 MB stolen");
	check(rd(MIRROR_GMCH_CTL) == 0xf2c0, "its mirror");
	pci_cfg_write(gpu, 0, 4, 0);
	check(pci_cfg_read(gpu, 0, 4) == 0x59128086, "identity is read-only");
	pci_cfg_write(gpu, 0x10, 4, ~0u);
	pci_cfg_write(gpu, 0x14, 4, ~0u);
	check(pci_cfg_read(gpu, 0x10, 4) == 0xff000004 && pci_cfg_read(gpu, 0x14, 4) == ~0u,
	      "BAR 0 is 64 bits wide and 16 MB large");
	pci_cfg_write(gpu, 0x18, 4, ~0u);
	check(pci_cfg_read(gpu, 0x18, 4) == 0xe000000c, "BAR 2 is prefetchable, 512 MB");
	pci_cfg_write(gpu, 0x20, 4, ~0u);
	check(pci_cfg_read(gpu, 0x20, 4) == 0xffffffc1, "BAR 4 is I/O, 64 bytes");
	pci_cfg_write(gpu, 0x10, 4, 0xe1000000);
	pci_cfg_write(gpu, 0x14, 4, 0x1);
	pci_cfg_write(gpu, 0x18, 4, 0xc0000000);
	pci_cfg_write(gpu, 0x1c, 4, 0);
	pci_cfg_write(gpu, 0x20, 4, 0xc000);
	check(pci_decode(gpu, true, 0x1e1000010ull, &offset) == PCI_BAR0 && offset == 0x10,
	      "BAR 0 decodes above 4 GB");
	check(pci_decode(gpu, true, 0xe1000000ull, &offset) == -1, "not below");
	check(pci_decode(gpu, true, 0xc0000000ull, &offset) == PCI_BAR2 && offset == 0, "BAR 2");
	check(pci_decode(gpu, false, 0xc03c, &offset) == PCI_BAR4 && offset == 0x3c, "BAR 4");
	check(pci_decode(gpu, false, 0xc040, &offset) == -1, "behind BAR 4");
	check(pci_cfg_read(gpu, 0x100, 4) == ~0u && pci_cfg_read(gpu, 0xfe, 4) == ~0u,
	      "beyond 256 bytes there are ones");
	pci_cfg_write(gpu, 0xfe, 4, 0);
	pci_cfg_write(gpu, 0xffffffff, 4, 0);
	check(pci_cfg_read(gpu, 0x34, 1) == 0xac && pci_cfg_read(gpu, 0xac, 2) == 0xd005 &&
	      pci_cfg_read(gpu, 0xd0, 2) == 1, "MSI and power management capabilities");
	pci_cfg_write(gpu, PCI_CFG_BDSM, 4, 0x7c012345);
	check(pci_stolen_base(gpu) == 0x7c000000, "the firmware writes BDSM");
	pci_show_bars_32(gpu, true);
	pci_cfg_write(gpu, 0x14, 4, ~0u);
	check(pci_cfg_read(gpu, 0x10, 4) == 0 && pci_cfg_read(gpu, 0x14, 4) == 0,
	      "32-bit BARs have a dead upper half");
	pci_show_bars_32(gpu, false);
	check(pci_cfg_read(gpu, 0x10, 4) == 4, "64-bit again");
	stop();
}

/* In D3hot a function answers to its configuration space alone, and says nothing. */
static void test_sleep(bool forgets)
{
	static const char *const forgetful[] = { "d3_forgets=1", NULL };

	start(forgets ? forgetful : NULL);
	enable_msi();
	counters_reset();
	check((pci_cfg_read(gpu, 0xd2, 2) & 0x7) == 2, "power management 1.1");
	wr(GT_IER(0), GT_IRQ_USER);
	wr(GT_IMR(0), 0);
	wr(MASTER_IRQ, MASTER_IRQ_ENABLE);
	wr(0xe4f0, 0x00120012);
	wr(FENCE_REG(3), 0x1001);
	pci_bar_write(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET, 8, 0x12345001);
	pci_cfg_write(gpu, 0xd4, 2, 1);
	check(pci_cfg_read(gpu, 0xd4, 2) == 0 && rd(0xe4f0) == 0x12,
	      "D1 is not there: nothing changes");
	check(counter_value("asleep_accesses", "reads") == 0, "nothing has slept");

	pci_cfg_write(gpu, 0xd4, 2, 3);
	check(pci_cfg_read(gpu, 0xd4, 2) == 3 && pci_cfg_read(gpu, 0, 2) == 0x8086,
	      "D3hot, configuration space answers");
	check(rd(0xe4f0) == ~0u && pci_bar_read(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET, 8) == ~0ull &&
	      pci_bar_read(gpu, PCI_BAR2, 0, 8) == ~0ull &&
	      (uint32_t)pci_bar_read(gpu, PCI_BAR4, 0, 4) == ~0u, "no BAR is read in D3hot");
	wr(0xe4f0, 0x00ff0000);
	pci_bar_write(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET, 8, 0);
	check(counter_value("asleep_accesses", "reads") == 4 &&
	      counter_value("asleep_accesses", "writes") == 2, "such accesses are counted");
	messages = 0;
	raise(RCS0, GT_IRQ_USER);
	check(messages == 0, "no message in D3hot");

	pci_cfg_write(gpu, 0xd4, 1, 0);
	check(pci_cfg_read(gpu, 0xd4, 2) == 0, "D0 again");
	check(pci_bar_read(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET, 8) == 0x12345001,
	      "the GGTT is kept in memory");
	check(rd(0xe4f0) == (forgets ? 0 : 0x12) && rd(FENCE_REG(3)) == (forgets ? 0 : 0x1001),
	      forgets ? "registers are lost" : "registers are kept");
	pci_cfg_write(gpu, 0xd4, 2, 3);
	pci_reset(gpu);
	check(pci_cfg_read(gpu, 0xd4, 2) == 0 && rd(FUSE2) == 0x02800000, "a reset wakes it");
	stop();
}

static void test_dispatch(void)
{
	start(NULL);
	counters_reset();
	check(rd(0x1ffffc) == 0 && rd(0x3ffff0) == 0, "registers that are not there read zero");
	wr(0x1ffffc, 1);
	check(counter_value("commands", "x") == 0 && rd(0x7ffffc) == 0, "up to the GGTT");
	wr(0xe4f0, 0x00120012);
	wr(0xe4f0, 0x00020000);
	check(rd(0xe4f0) == 0x10, "masked register");
	wr(0x4ddc, 0xdeadbeef);
	check(rd(0x4ddc) == 0xdeadbeef, "plain register");
	pci_bar_write(gpu, PCI_BAR0, 0x4ddd, 1, 0x11);
	check(rd(0x4ddc) == 0xdead11ef, "one byte of it");
	check(pci_bar_read(gpu, PCI_BAR0, 0x4dde, 2) == 0xdead, "its upper half");
	wr(FUSE2, 0);
	check(rd(FUSE2) == 0x02800000, "fuses do not change");
	pci_bar_write(gpu, PCI_BAR0, 0xc810, 8, 0x1122334455667788ull);
	check(rd(0xc810) == 0x55667788 && rd(0xc814) == 0x11223344 &&
	      pci_bar_read(gpu, PCI_BAR0, 0xc810, 8) == 0x1122334455667788ull, "qword");
	pci_bar_write(gpu, PCI_BAR0, 0x7ffffc, 8, ~0ull);
	check(pci_bar_read(gpu, PCI_BAR0, gpu->platform->bar0_size - 4, 8) == ~0ull, "over the end of the BAR");
	/* The index and data ports. */
	pci_bar_write(gpu, PCI_BAR4, 0, 4, 0x4ddc);
	check(pci_bar_read(gpu, PCI_BAR4, 4, 4) == 0xdead11ef, "through the I/O ports");
	pci_bar_write(gpu, PCI_BAR4, 4, 4, 0x5555);
	check(rd(0x4ddc) == 0x5555 && pci_bar_read(gpu, PCI_BAR4, 0, 4) == 0x4ddc, "written");
	check(pci_bar_read(gpu, PCI_BAR4, 8, 4) == ~0ull, "no port");
	stop();
}

static void test_forcewake(void)
{
	static const char *const set[] = { "fault_forcewake=2", NULL };
	static const char *const dead[] = { "fault_forcewake_dead=gt:2", NULL };

	start(set);
	wr(FORCEWAKE_RENDER, 0x00010001);
	check(rd(FORCEWAKE_ACK_RENDER) == 1 && rd(FORCEWAKE_ACK_MEDIA) == 0, "acknowledged");
	wr(FORCEWAKE_RENDER, 0x00020000);
	check(rd(FORCEWAKE_ACK_RENDER) == 1, "another bit's mask leaves it");
	wr(FORCEWAKE_RENDER, 0x00010000);
	check(rd(FORCEWAKE_ACK_RENDER) == 0, "released");
	wr(FORCEWAKE_GT, 0x00010001);
	check(rd(FORCEWAKE_ACK_GT) == 0, "fault: the second request is not acknowledged");
	wr(FORCEWAKE_GT, 0x80008000);
	check(rd(FORCEWAKE_ACK_GT) == 0x8001, "until the next request");
	stop();

	start(dead);
	wr(FORCEWAKE_MEDIA, 0x00010001);
	wr(FORCEWAKE_GT, 0x00010001);
	wr(FORCEWAKE_GT, 0x00010000);
	check(rd(FORCEWAKE_ACK_MEDIA) == 1 && rd(FORCEWAKE_ACK_GT) == 0, "both are there");
	wr(FORCEWAKE_GT, 0x00010001);
	check(rd(FORCEWAKE_ACK_GT) == 0, "fault: a domain dies at its second request");
	wr(FORCEWAKE_GT, 0x80008000);
	wr(FORCEWAKE_GT, 0x80000000);
	check(rd(FORCEWAKE_ACK_GT) == 0, "and answers no other bit");
	check(rd(FORCEWAKE_ACK_MEDIA) == 1, "the others do");
	check(counter_value("faults_injected", "forcewake_dead") == 1, "which is counted");
	gpu_reset(gpu);
	wr(FORCEWAKE_GT, 0x00010001);
	check(rd(FORCEWAKE_ACK_GT) == 1, "a reset of the platform revives it");
	stop();
}

static void test_forcewake_missing(void)
{
	start(NULL);
	counters_reset();
	rd(RING_MI_MODE(RCS0_BASE));
	check(counter_value("forcewake_missing", "0x209c") == 1, "a register read without forcewake");
	wr(FORCEWAKE_MEDIA, 0x00010001);
	rd(RING_MI_MODE(RCS0_BASE));
	check(counter_value("forcewake_missing", "0x209c") == 2, "or with that of another domain");
	wr(FORCEWAKE_RENDER, 0x00010001);
	rd(RING_MI_MODE(RCS0_BASE));
	check(counter_value("forcewake_missing", "0x209c") == 2, "with its own it is not missing");
	wr(FORCEWAKE_RENDER, 0x00010000);
	wr(RING_TAIL(RCS0_BASE), 8);
	wr(RPNSWREQ, 0);
	rd(MASTER_IRQ);
	rd(FENCE_REG(0));
	check(counter_value("forcewake_missing", "0x2030") == 0 &&
	      counter_value("forcewake_missing", "0xa008") == 0 &&
	      counter_value("forcewake_missing", "0x44200") == 0 &&
	      counter_value("forcewake_missing", "0x100000") == 0,
	      "shadowed writes and what is always awake need none");
	stop();
}

static void test_pcode_rps(void)
{
	uint32_t before;

	start(NULL);
	wr(PCODE_DATA, 0);
	wr(PCODE_MAILBOX, PCODE_READY | PCODE_SAGV_CONTROL);
	check(!(rd(PCODE_MAILBOX) & PCODE_READY) && !(rd(PCODE_MAILBOX) & 0xff) &&
	      rd(PCODE_DATA) == 1, "a command is done at once");
	wr(PCODE_MAILBOX, PCODE_READY | 0xee);
	check((rd(PCODE_MAILBOX) & (PCODE_READY | PCODE_ERROR_MASK)) == 1, "illegal command");
	wr(RPNSWREQ, IGEN_PREP(RPNSWREQ_RATIO_MASK, 30u));
	check(IGEN_GET(RPSTAT1_RATIO_MASK, rd(RPSTAT1)) == 30, "frequency follows the request");
	wr(RPNSWREQ, IGEN_PREP(RPNSWREQ_RATIO_MASK, 500u));
	check(IGEN_GET(RPSTAT1_RATIO_MASK, rd(RPSTAT1)) == 63, "up to RP0");
	before = rd(GT_GFX_RC6);
	check(rd(GT_GFX_RC6) == before, "no RC6 residency while it is off");
	stop();
}

static void test_tlb_registers(void)
{
	static const char *const stuck[] = { "fault_tlb=rcs0:2", NULL };

	start(NULL);
	tlb_new(gpu, "rcs0");
	counters_reset();
	wr(TLB_INV_RCS, TLB_INV_REQUEST);
	check(rd(TLB_INV_RCS) == 0 && counter_value("tlb_invalidations", "rcs0") == 1 &&
	      counter_value("tlb_invalidations", "aperture") == 0, "one engine's TLB");
	wr(TLB_INV_RCS, 0);
	check(counter_value("tlb_invalidations", "rcs0") == 1, "no request, no invalidation");
	wr(TLB_INV_BCS, TLB_INV_REQUEST);
	wr(GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
	check(counter_value("tlb_invalidations", "rcs0") == 2 &&
	      counter_value("tlb_invalidations", "aperture") == 1, "the flush control is for all");
	stop();

	start(stuck);
	tlb_new(gpu, "rcs0");
	wr(TLB_INV_RCS, TLB_INV_REQUEST);
	check(!rd(TLB_INV_RCS), "the first invalidation ends");
	counters_reset();
	wr(TLB_INV_RCS, TLB_INV_REQUEST);
	check(rd(TLB_INV_RCS) == TLB_INV_REQUEST && counter_value("tlb_invalidations", "rcs0") == 0,
	      "the second one does not");
	wr(GDRST, GDRST_FULL);
	check(!rd(TLB_INV_RCS) && counter_value("tlb_invalidations", "rcs0") == 1, "until there is a reset");
	stop();
}

static void test_faults(void)
{
	const struct vm_ref vm = { .pml4 = 0x1000 }, ggtt = { .ggtt = true };

	start(NULL);
	gpu_page_fault(gpu, &gpu->platform->engines[1], &vm, 0x123456789abcull,
		       PAGE_FAULT_READ_ONLY);
	check(rd(RING_FAULT_REG) == (RING_FAULT_VALID | 1 << 1 | 2 << 12), "fault of the blitter");
	check(rd(FAULT_TLB_DATA0) == 0x23456789 && rd(FAULT_TLB_DATA1) == 1, "its address");
	gpu_page_fault(gpu, &gpu->platform->engines[0], &ggtt, 0x1000, PAGE_FAULT_READ);
	check(IGEN_GET(RING_FAULT_ENGINE_MASK, rd(RING_FAULT_REG)) == 2, "the first one stays");
	wr(RING_FAULT_REG, 0);
	gpu_page_fault(gpu, &gpu->platform->engines[0], &ggtt, 0x1000, PAGE_FAULT_READ);
	check(rd(RING_FAULT_REG) == (RING_FAULT_VALID | RING_FAULT_GGTT) &&
	      rd(FAULT_TLB_DATA0) == 1 && rd(FAULT_TLB_DATA1) == 0x10, "until it is cleared");
	stop();
}

static void test_interrupts(void)
{
	static const char *const lost[] = { "fault_lost_irq=bcs0:2", NULL };
	static const char *const often[] = { "fault_lost_irq=2+3", NULL };
	uint32_t came = 0;

	start(NULL);
	check(rd(GT_IMR(0)) == ~0u && rd(GT_IER(0)) == 0 && rd(MASTER_IRQ) == 0, "reset values");
	enable_msi();
	raise(RCS0, GT_IRQ_USER);
	check(rd(GT_IIR(0)) == 0, "masked: not even in IIR");
	wr(GT_IMR(0), 0);
	raise(RCS0, GT_IRQ_USER);
	check(rd(GT_IIR(0)) == GT_IRQ_USER && rd(MASTER_IRQ) == 0 && !messages,
	      "not enabled: in IIR only");
	wr(GT_IER(0), ~0u);
	check(rd(MASTER_IRQ) == MASTER_IRQ_RCS && !messages, "pending, master off");
	wr(MASTER_IRQ, MASTER_IRQ_ENABLE);
	check(messages == 1 && msi_addr == 0x1fee01004ull && msi_data == 0x4321,
	      "master on: a message, to where MSI says");
	raise(RCS0, GT_IRQ_CONTEXT_SWITCH);
	check(messages == 1, "the group is pending already: no other message");
	raise(BCS0, GT_IRQ_USER);
	check(messages == 2 && rd(GT_IIR(0)) == 0x10101, "another engine's: a message");
	wr(MASTER_IRQ, 0);
	wr(GT_IIR(0), 0x101);
	check(rd(GT_IIR(0)) == 0x10000 && messages == 2, "write one to clear");
	wr(MASTER_IRQ, MASTER_IRQ_ENABLE);
	check(messages == 3, "master on again with the rest pending");
	wr(MASTER_IRQ, 0);
	wr(GT_IIR(0), ~0u);
	wr(MASTER_IRQ, MASTER_IRQ_ENABLE);
	check(messages == 3, "nothing pending, no message");
	raise(VECS0, GT_IRQ_USER);
	check(rd(GT_IIR(3)) == 0, "another group has its own mask");
	pci_cfg_write(gpu, 0x04, 2, 2);
	raise(RCS0, GT_IRQ_USER);
	check(messages == 3, "no message without bus mastering");
	wr(GT_IIR(0), ~0u);
	pci_cfg_write(gpu, 0x04, 2, 6);
	raise(RCS0, GT_IRQ_USER);
	check(messages == 4, "an event after all was cleared is new");
	wr(GT_IIR(0), ~0u);
	wr(GT_IER(0), ~GT_IRQ_WAIT_SEMAPHORE);
	raise(RCS0, GT_IRQ_WAIT_SEMAPHORE);
	check(messages == 4 && rd(GT_IIR(0)) == GT_IRQ_WAIT_SEMAPHORE && rd(MASTER_IRQ) == MASTER_IRQ_ENABLE,
	      "one that is not enabled waits in IIR");
	wr(GT_IER(0), ~0u);
	check(messages == 5 && rd(MASTER_IRQ) == (MASTER_IRQ_ENABLE | MASTER_IRQ_RCS),
	      "until it is enabled: a message");
	wr(GT_IIR(0), ~0u);
	wr(RING_IMR(RCS0_BASE), ~GT_IRQ_CONTEXT_SWITCH);
	raise(RCS0, GT_IRQ_USER);
	raise(RCS0, GT_IRQ_CONTEXT_SWITCH);
	check(rd(GT_IIR(0)) == GT_IRQ_CONTEXT_SWITCH, "the engine's own mask");
	stop();

	start(lost);
	enable_msi();
	wr(GT_IMR(0), 0);
	wr(GT_IER(0), ~0u);
	wr(MASTER_IRQ, MASTER_IRQ_ENABLE);
	raise(RCS0, GT_IRQ_USER);
	raise(RCS0, GT_IRQ_USER);
	raise(BCS0, GT_IRQ_USER);
	wr(GT_IIR(0), ~0u);
	raise(BCS0, GT_IRQ_USER);
	check(rd(GT_IIR(0)) == 0, "fault: the blitter's second interrupt is lost");
	raise(BCS0, GT_IRQ_USER);
	check(rd(GT_IIR(0)) == 0x10000, "the third is not");
	stop();

	start(often);
	wr(GT_IMR(0), 0);
	for (unsigned int i = 1; i <= 9; i++) {
		raise(i & 1 ? RCS0 : BCS0, GT_IRQ_USER);
		came |= rd(GT_IIR(0)) ? 1u << i : 0;
		wr(GT_IIR(0), ~0u);
	}
	check(came == 0x2da, "fault: the second, fifth and eighth of all are lost, and no other");
	stop();
}

static void test_reset(void)
{
	start(NULL);
	wr(0xe4f0, 0x00100010);
	wr(0x4ddc, 5);
	wr(GDRST, GDRST_BLT);
	check(rd(GDRST) == 0 && rd(0xe4f0) == 0x10, "another domain's reset");
	wr(GDRST, GDRST_RENDER);
	check(rd(0xe4f0) == 0 && rd(0x4ddc) == 5, "the render domain's");
	wr(0xe4f0, 0x00100010);
	wr(GDRST, GDRST_FULL);
	check(rd(0xe4f0) == 0, "the full one");
	wr(GT_IMR(0), 0);
	wr(FENCE_REG(3), 1);
	enable_msi();
	pci_reset(gpu);
	check(rd(GT_IMR(0)) == ~0u && rd(FENCE_REG(3)) == 0 && rd(0x4ddc) == 0 &&
	      pci_cfg_read(gpu, 0xae, 2) == 0x80, "the function's reset takes all back");
	stop();
}

/* The narrower claim wins in either order; a callback may disown a register. */
static uint32_t wide_read(struct gpu *g, void *opaque, uint32_t offset)
{
	(void)opaque;
	if (offset == 0x1f0010)
		mmio_unimplemented(g);
	return 1;
}

static uint32_t narrow_read(struct gpu *g, void *opaque, uint32_t offset)
{
	(void)g;
	(void)opaque;
	(void)offset;
	return 2;
}

static void test_claims(void)
{
	struct mmio_block wide = { "wide", 0x1f0000, 0x1f0100, wide_read, imr_write, NULL };
	struct mmio_block narrow = { "narrow", 0x1f0020, 0x1f0024, narrow_read, imr_write, NULL };
	struct mmio_block before = { "before", 0x1f0030, 0x1f0034, narrow_read, imr_write, NULL };
	char *text = NULL;
	size_t size;
	FILE *f;

	start(NULL);
	counters_reset();
	mmio_claim(gpu, &before);
	mmio_claim(gpu, &wide);
	mmio_claim(gpu, &narrow);
	check(rd(0x1f0000) == 1 && rd(0x1f0020) == 2 && rd(0x1f0030) == 2, "narrower claims win");
	rd(0x1f0010);
	f = open_memstream(&text, &size);
	if (!f || counters_write(f))
		exit(2);
	fclose(f);
	check(strstr(text, "\"0x1f0010\": {\"reads\": 1, \"writes\": 0}") &&
	      !strstr(text, "\"0x1f0000\": {"), "a disowned register is counted");
	free(text);
	stop();
}

/* The second video engine and slice are a GT3's. */
static void test_gt3(void)
{
	static const char *const gt3[] = { "platform=kbl-gt3", NULL };

	start(NULL);
	check(rd(0x8050) == 0, "GT2: no second slice");
	raise(VCS1, GT_IRQ_USER);
	wr(GT_IER(1), ~0u);
	check(!(rd(MASTER_IRQ) & MASTER_IRQ_VCS1), "GT2: no second video engine");
	stop();

	start(gt3);
	check(pci_cfg_read(gpu, 0, 4) == 0x59268086, "GT3: PCI ID");
	check(rd(FUSE2) == 0x06800000 && rd(0x8050) == 7, "GT3: fuses");
	wr(GT_IMR(1), 0);
	wr(GT_IER(1), ~0u);
	raise(VCS1, GT_IRQ_USER);
	check(rd(MASTER_IRQ) & MASTER_IRQ_VCS1 && rd(GT_IIR(1)) == GT_IRQ_USER << GT_IRQ_VCS1_SHIFT,
	      "GT3: the second video engine's interrupt");
	stop();
}

static void test_lp_parts(void)
{
	static const char *const bxt[] = { "platform=bxt", NULL }, *const glk[] = { "platform=glk", NULL };
	uint32_t reserved;

	start(bxt);
	check(pci_cfg_read(gpu, 0, 4) == 0x5a848086 && pci_cfg_read(gpu, 8, 1) == 0x0b,
	      "Apollo Lake: PCI ID and revision");
	check(rd(FUSE2) == 0x02800000 && rd(EU_DISABLE(0)) == 0x00c0c0c0, "Apollo Lake: three subslices of six EUs");
	check(!rd(RP_STATE_CAP) && rd(RP_STATE_CAP_LP) == (45 << 16 | 12 << 8 | 6), "Apollo Lake: frequencies");
	wr(RPNSWREQ, IGEN_PREP(RPNSWREQ_RATIO_MASK, 60));
	check(IGEN_GET(RPSTAT1_RATIO_MASK, rd(RPSTAT1)) == 45, "Apollo Lake: runs at 750 MHz at most");
	check(gpu->platform->timestamp_hz == 19200000 && IGEN_GET(CTC_SHIFT_MASK, rd(CTC_MODE)) == 3,
	      "Apollo Lake: clock of the timestamps");
	/* What stock i915 wants the firmware to have done before it uses RC6. */
	check(rd(RC6_LOCATION) & 1 && rd(GFX_PAUSE) && rd(MISC_CTRL0) && rd(PUSHBUS_CONTROL) && rd(PUSHBUS_ENABLE) &&
	      rd(PUSHBUS_SHIFT),
	      "Apollo Lake: the firmware has set up RC6");
	check(!rd(STOLEN_RESERVED), "Apollo Lake: nothing is reserved before the firmware says where stolen memory is");
	pci_cfg_write(gpu, PCI_CFG_BDSM, 4, 0x7e000000);
	reserved = rd(STOLEN_RESERVED);
	check(reserved == (0x7ff00000 | STOLEN_RESERVED_ENABLE) && rd(RC6_CTX_BASE) == 0x7ff00000,
	      "Apollo Lake: RC6's context is in the last megabyte of stolen memory");
	check(rd(PHY0_CL1CM_DW0) == ~0u && rd(PHY1_CL1CM_DW0) == ~0u, "Apollo Lake: a PHY without power");
	wr(DISPLAY_PHY_POWER, 2);
	check(rd(PHY0_CL1CM_DW0) == ~0u && rd(PHY1_CL1CM_DW0) == PHY_POWER_GOOD, "Apollo Lake: a PHY with power");
	stop();

	start(glk);
	check(rd(RC6_LOCATION) & 1 && rd(GFX_PAUSE) && rd(PUSHBUS_SHIFT), "Gemini Lake: the firmware has set up RC6");
	check(rd(PHY2_CL1CM_DW0) == ~0u, "Gemini Lake: a third PHY without power");
	wr(DISPLAY_PHY_POWER, 2);
	check(rd(PHY1_CL1CM_DW0) == ~0u && rd(PHY2_CL1CM_DW0) == PHY_POWER_GOOD, "Gemini Lake: the third PHY's power");
	wr(DISPLAY_PHY_POWER, 8);
	check(rd(PHY1_CL1CM_DW0) == PHY_POWER_GOOD && rd(PHY2_CL1CM_DW0) == ~0u, "Gemini Lake: the second PHY's power");
	stop();

	start(NULL);
	check(!rd(STOLEN_RESERVED) && !rd(RP_STATE_CAP_LP) && !rd(RC6_LOCATION), "none of it on Kaby Lake");
	stop();
}

/* What parts differ in. @eu_disable: of each slice; @edram: megabytes. */
struct part {
	const char *name;
	uint16_t id;
	uint8_t revision;
	unsigned int engines, slices, subslices, edram;
	uint32_t eu_disable;
	unsigned int mhz;
};

static const struct part parts[] = {
	{ "kbl", 0x5916, 0x02, 4, 1, 3, 0, 0, 1050 },	    { "kbl-gt1", 0x5902, 0x04, 4, 1, 2, 0, 0xc0c0, 1050 },
	{ "kbl-gt3", 0x5926, 0x02, 5, 2, 3, 64, 0, 1050 },  { "kbl-gt4", 0x593b, 0x04, 5, 3, 3, 128, 0, 1100 },
	{ "skl", 0x1916, 0x07, 4, 1, 3, 0, 0, 1000 },	    { "skl-23eu", 0x191d, 0x06, 4, 1, 3, 0, 0x100, 1150 },
	{ "skl-gt1", 0x1902, 0x06, 4, 1, 2, 0, 0xc0c0, 950 }, { "skl-gt3", 0x1926, 0x0a, 5, 2, 3, 64, 0, 950 },
	{ "skl-gt4", 0x193b, 0x09, 5, 3, 3, 128, 0, 950 },  { "cfl", 0x3e92, 0x00, 4, 1, 3, 0, 0, 1050 },
	{ "cfl-gt1", 0x3e90, 0x00, 4, 1, 2, 0, 0xc0c0, 1050 }, { "cfl-gt3", 0x3ea5, 0x01, 5, 2, 3, 64, 0, 1100 },
	{ "aml", 0x591c, 0x02, 4, 1, 3, 0, 0, 900 },	    { "aml-cfl", 0x87ca, 0x02, 4, 1, 3, 0, 0, 1050 },
	{ "whl", 0x3ea0, 0x02, 4, 1, 3, 0, 0, 1100 },	    { "whl-gt1", 0x3ea1, 0x02, 4, 1, 2, 0, 0xc0c0, 950 },
	{ "whl-gt3", 0x3ea2, 0x02, 5, 2, 3, 64, 0, 1100 },
	{ "cml", 0x9b41, 0x02, 4, 1, 3, 0, 0, 1150 },	    { "cml-gt1", 0x9ba8, 0x03, 4, 1, 2, 0, 0xc0c0, 1050 },
	{ "bxt", 0x5a84, 0x0b, 4, 1, 3, 0, 0xc0c0c0, 750 }, { "bxt-2x6", 0x5a85, 0x0b, 4, 1, 2, 0, 0xc0c0, 750 },
	{ "glk", 0x3184, 0x03, 4, 1, 3, 0, 0xc0c0c0, 800 }, { "glk-2x6", 0x3185, 0x03, 4, 1, 2, 0, 0xc0c0, 700 },
};

static void test_part(const struct part *part, const char *setting)
{
	static const unsigned int ways[] = { 4, 8, 12, 16 };
	bool lp = part->id == 0x5a84 || part->id == 0x5a85 || part->id == 0x3184 || part->id == 0x3185;
	const char *const settings[] = { setting, NULL };
	uint32_t fuse, edram, rpn, rp0;

	start(settings);
	fuse = rd(FUSE2);
	edram = rd(EDRAM_CAP);
	check(pci_cfg_read(gpu, 0, 4) == ((uint32_t)part->id << 16 | 0x8086) &&
	      pci_cfg_read(gpu, 8, 1) == part->revision, "%s: PCI ID and revision", part->name);
	check(gpu->platform->num_engines == part->engines, "%s: engines", part->name);
	check(IGEN_GET(FUSE2_SLICE_ENABLE_MASK, fuse) == (1u << part->slices) - 1 &&
	      IGEN_GET(FUSE2_SUBSLICE_DISABLE_MASK, fuse) == (0xfu & ~((1u << part->subslices) - 1)),
	      "%s: slices and subslices", part->name);
	for (unsigned int s = 0; s < part->slices; s++)
		check(rd(EU_DISABLE(s)) == part->eu_disable && rd(SLICE0_PG_ACK + 4 * s) == 7, "%s: slice %u",
		      part->name, s);
	check(!rd(SLICE0_PG_ACK + 4 * part->slices) || part->slices == 3, "%s: no slice more has power", part->name);
	check((edram & EDRAM_THERE ? IGEN_GET(EDRAM_BANKS_MASK, edram) * ways[IGEN_GET(EDRAM_WAYS_MASK, edram)] : 0) ==
	      part->edram, "%s: eDRAM", part->name);
	rp0 = lp ? IGEN_GET(RP_STATE_CAP_LP_RP0_MASK, rd(RP_STATE_CAP_LP)) :
		   3 * IGEN_GET(RP_STATE_CAP_RP0_MASK, rd(RP_STATE_CAP));
	rpn = lp ? IGEN_GET(RP_STATE_CAP_LP_RPN_MASK, rd(RP_STATE_CAP_LP)) :
		   3 * IGEN_GET(RP_STATE_CAP_RPN_MASK, rd(RP_STATE_CAP));
	check(rp0 * 50 / 3 == part->mhz, "%s: greatest clock", part->name);
	wr(RPNSWREQ, IGEN_PREP(RPNSWREQ_RATIO_MASK, 511));
	check(IGEN_GET(RPSTAT1_RATIO_MASK, rd(RPSTAT1)) == rp0, "%s: runs at its greatest clock at most", part->name);
	wr(RPNSWREQ, 0);
	check(IGEN_GET(RPSTAT1_RATIO_MASK, rd(RPSTAT1)) == rpn, "%s: and at its lowest at least", part->name);
	check(gpu->platform->timestamp_hz == (lp ? 19200000 : 12000000), "%s: clock of the timestamps", part->name);
	stop();
}

/* A row of the database that the device has as storage alone. */
static bool only_stores(const struct igen_reg *r)
{
	return !r->acts && igen_reg_is_of(r, gpu->platform->name);
}

/* What an all-ones write leaves: a masked register's upper half allows all bits of the lower one. */
static uint32_t written(const struct igen_reg *r)
{
	return r->reset | r->writable;
}

static bool all_dwords_are(const struct igen_reg *r, uint32_t value)
{
	for (unsigned int k = 0; k < r->count * r->dwords; k++)
		if (rd(r->offset + 4 * k) != value)
			return false;
	return true;
}

/* The value after a reset of one domain, or of all with GDRST_FULL. */
static void stored_after(uint32_t gdrst)
{
	const struct igen_reg_set *set = gpu->platform->registers;
	const char *wrong = NULL;

	for (unsigned int i = 0; i < set->nglobal; i++) {
		const struct igen_reg *r = &set->regs[i];

		for (unsigned int k = 0; only_stores(r) && k < r->count * r->dwords; k++)
			wr(r->offset + 4 * k, ~0u);
	}
	wr(GDRST, gdrst);
	for (unsigned int i = 0; i < set->nglobal; i++) {
		const struct igen_reg *r = &set->regs[i];
		bool lost = r->domains & (gdrst == GDRST_FULL ? ~0u : gdrst);

		if (only_stores(r) && !all_dwords_are(r, lost ? r->reset : written(r)))
			wrong = r->name;
	}
	check(!wrong, "%s: registers lost with the domains 0x%x, and no others: %s", gpu->platform->name, gdrst,
	      wrong ? wrong : "right");
}

/* Every register of the database that only stores: value after a reset, bits that can be written, mask, domain. */
static void test_stored(const char *platform)
{
	static const uint32_t domains[] = { GDRST_RENDER, GDRST_MEDIA, GDRST_BLT, GDRST_VECS, GDRST_FULL };
	const char *const assignments[] = { platform, NULL };
	const char *at_reset = NULL, *ones = NULL, *half = NULL;
	const struct igen_reg_set *set;
	unsigned int n = 0;

	start(assignments);
	set = gpu->platform->registers;
	for (unsigned int i = 0; i < set->nglobal; i++) {
		const struct igen_reg *r = &set->regs[i];
		uint32_t now = r->reset;

		if (!only_stores(r))
			continue;
		n++;
		if (!all_dwords_are(r, now))
			at_reset = r->name;
		/* A masked register changes in the bits that the upper half names alone. */
		wr(r->offset, 0x00f0ffff);
		now = r->masked ? (now & ~(r->writable & 0xf0u)) | (r->writable & 0xf0u) :
		      (now & ~r->writable) | (r->writable & 0x00f0ffffu);
		if (rd(r->offset) != now)
			half = r->name;
		wr(r->offset, ~0u);
		if (rd(r->offset) != written(r))
			ones = r->name;
	}
	check(n, "%s: %u registers only store", gpu->platform->name, n);
	check(!at_reset, "value after a reset: %s", at_reset ? at_reset : "right");
	check(!half, "bits that are named: %s", half ? half : "right");
	check(!ones, "bits that can be written: %s", ones ? ones : "right");
	for (size_t i = 0; i < ARRAY_SIZE(domains); i++)
		stored_after(domains[i]);
	stop();
}

/* What a predecessor left is there when firmware has placed stolen memory, and what becomes of it is counted. */
static void test_inherited(void)
{
	static const char *const inherit[] = { "inherit=on", NULL };
	uint32_t pages, size;

	start(NULL);
	pci_cfg_write(gpu, PCI_CFG_BDSM, 4, 0x7c000000);
	check(!(rd(PLANE_CTL(0)) & PLANE_ENABLE) && rd(DFSM) & DFSM_PIPE_A_DISABLE && !gtt_pte_read(gpu, 0, 8),
	      "without the setting there is no display, and no entry");
	stop();

	start(inherit);
	pci_cfg_write(gpu, PCI_CFG_BDSM, 4, 0x7c000000);
	size = rd(PLANE_SIZE(0));
	pages = (rd(PLANE_STRIDE(0)) * 64 * (IGEN_GET(PLANE_HEIGHT_MASK, size) + 1) + 4095) / 4096;
	check(rd(PLANE_CTL(0)) & PLANE_ENABLE && !rd(PLANE_CTL(1)) && !(rd(DFSM) & DFSM_PIPE_A_DISABLE),
	      "plane 1 of pipe A is on");
	check(rd(MASTER_IRQ) == (MASTER_IRQ_MISC | MASTER_IRQ_PCH), "interrupts are pending behind a closed master");
	check(gtt_pte_read(gpu, 0, 8) == 0x7c000001 &&
	      gtt_pte_read(gpu, (pages - 1) * 8, 8) == 0x7c000001 + (pages - 1) * 4096ull,
	      "the first entries lead to stolen memory");
	check(gtt_pte_read(gpu, pages * 8, 8) & 1 && gtt_pte_read(gpu, 262143 * 8, 8) & 1, "all others lead elsewhere");
	gtt_pte_write(gpu, pages * 8, 8, 0x1001);
	gtt_pte_write(gpu, pages * 8, 8, 0x2001);
	check(counter_value("inherited", "entries_replaced") == 1, "an entry is replaced once");
	gtt_pte_write(gpu, 8, 8, 0x7c001001);
	check(counter_value("inherited", "framebuffer_changed") == 0, "the same again changes nothing");
	gtt_pte_write(gpu, 8, 8, 0x1001);
	check(counter_value("inherited", "framebuffer_changed") == 1, "the framebuffer is changed");
	wr(MASTER_IRQ, MASTER_IRQ_ENABLE);
	check(counter_value("inherited", "interrupts") == 1, "an interrupt of the display comes when the master opens");
	wr(DE_MISC_IIR, ~0u);
	wr(SDE_IER, 0);
	check(!(rd(MASTER_IRQ) & ~MASTER_IRQ_ENABLE), "which the driver can end");
	wr(PLANE_CTL(0), 0);
	gtt_pte_write(gpu, 16, 8, 0x1001);
	check(counter_value("inherited", "framebuffer_changed") == 1, "which is nothing when it is not shown");
	stop();
}

int main(void)
{
	test_config_space();
	test_sleep(false);
	test_sleep(true);
	test_dispatch();
	test_forcewake();
	test_forcewake_missing();
	test_pcode_rps();
	test_tlb_registers();
	test_faults();
	test_interrupts();
	test_reset();
	test_claims();
	test_gt3();
	test_inherited();
	test_lp_parts();
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char setting[40];

		snprintf(setting, sizeof(setting), "platform=%s", parts[i].name);
		test_part(&parts[i], setting);
		test_stored(setting);
	}
	return test_end();
}
