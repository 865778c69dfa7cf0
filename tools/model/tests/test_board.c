// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of what is wrong with a board
 *
 * Each fault of the setting "fault" shows where it should and nowhere else. With "fault=guest" a guest chooses them and
 * gets a sound board back.
 */
#include "engine_bench.h"
#include "igen/regs/display.h"
#include "igen/regs/pci.h"

#define CHOICE	0xf1

static unsigned int messages;

static void count_msi(struct transport *t, uint64_t addr, uint32_t data)
{
	(void)t;
	(void)addr;
	(void)data;
	messages++;
}

static struct transport transport = { .name = "test", .msi = count_msi };

/* Engines and their memory as bench_start() has them, but the settings' fault is there from the start. */
static void board_start(const char *fault)
{
	const char *const set[] = { fault, NULL };

	bench_start(set);
	gpu->transport = &transport;
	messages = 0;
	pci_cfg_write(gpu, 0x04, 2, 6);
	pci_cfg_write(gpu, 0xae, 2, 1);
}

static void board_stop(void)
{
	gpu->transport = NULL;
	bench_stop();
}

static uint32_t bar_rd(uint32_t offset)
{
	return (uint32_t)pci_bar_read(gpu, PCI_BAR0, offset, 4);
}

static bool wakes(uint32_t request, uint32_t ack)
{
	wr(request, IGEN_MASKED_ENABLE(1));
	return rd(ack) & 1;
}

static bool resets(void)
{
	wr(GDRST, GDRST_BLT);
	return !rd(GDRST);
}

static bool keeps_entries(void)
{
	gtt_pte_write(gpu, 8, 8, 0x1234000 | GEN8_PAGE_PRESENT);
	return gtt_pte_read(gpu, 8, 8) == (0x1234000 | GEN8_PAGE_PRESENT);
}

static bool halted(enum engine_id id)
{
	bool halted;

	pthread_mutex_lock(&gpu->lock);
	halted = gpu->engine[id]->state == ENGINE_HALTED;
	pthread_mutex_unlock(&gpu->lock);
	return halted;
}

/* Does the blitter run a context that stores a dword, and say so? */
static void blit(bool *stored, bool *told)
{
	struct ctx c;

	ctx_init(&c, 0, BCS0_BASE, CTL_FRESH);
	put(PA_DATA, 0);
	put(hwsp(BCS0_BASE) + HWSP_CSB_WRITE_PTR_DW * 4, GEN9_CSB_RESET_PTR);
	ring(&c, MI_STORE_DATA_IMM_DW, PPGTT(PA_DATA), 0x600d);
	submit(BCS0_BASE, &c);
	wait_for(idle(BCS0_BASE) || halted(BCS0));
	*stored = get(PA_DATA) == 0x600d;
	*told = csb_pointer(BCS0_BASE) != GEN9_CSB_RESET_PTR;
}

static bool interrupts(void)
{
	wr(GT_IER(0), ~0u);
	wr(MASTER_IRQ, MASTER_IRQ_ENABLE);
	pthread_mutex_lock(&gpu->lock);
	gpu->platform->irq->raise(gpu, &gpu->platform->engines[0], GT_IRQ_USER);
	pthread_mutex_unlock(&gpu->lock);
	return messages;
}

/* What a sound board does, a bit each, but for those of enum board_fault that are looked at alone. */
static uint32_t symptoms(void)
{
	uint32_t ctl = pci_cfg_read(gpu, PCI_CFG_GMCH_CTL, 2);
	bool stored, told;
	uint32_t bits = 0;

	blit(&stored, &told);
	bits |= !stored && board_has(gpu, BOARD_DMA) ? 1u << BOARD_DMA : 0;
	bits |= !stored && !board_has(gpu, BOARD_DMA) ? 1u << BOARD_ENGINE : 0;
	bits |= stored && !told ? 1u << BOARD_CSB : 0;
	bits |= !IGEN_GET(FUSE2_SLICE_ENABLE_MASK, rd(FUSE2)) ? 1u << BOARD_FUSES : 0;
	bits |= !wakes(FORCEWAKE_RENDER, FORCEWAKE_ACK_RENDER) ? 1u << BOARD_FORCEWAKE : 0;
	bits |= !wakes(FORCEWAKE_GT, FORCEWAKE_ACK_GT) || !wakes(FORCEWAKE_MEDIA, FORCEWAKE_ACK_MEDIA) ? 1 : 0;
	bits |= !IGEN_GET(GMCH_CTL_GGMS_MASK, ctl) ? 1u << BOARD_GGTT_SIZE : 0;
	bits |= !IGEN_GET(GMCH_CTL_GMS_MASK, ctl) ? 1u << BOARD_STOLEN : 0;
	bits |= rd(PLANE_CTL(0)) & PLANE_ENABLE ? 1u << BOARD_SCANOUT : 0;
	bits |= !resets() ? 1u << BOARD_RESET : 0;
	bits |= !keeps_entries() ? 1u << BOARD_GGTT_WRITES : 0;
	bits |= !interrupts() ? 1u << BOARD_MSI : 0;
	bits |= bar_rd(FUSE2) == ~0u ? 1u << BOARD_REGISTERS : 0;
	return bits;
}

/* Faults that engines and registers can be looked at with. The GGTT is written before a fault that loses the writes. */
static void test_each(void)
{
	static const enum board_fault faults[] = {
		BOARD_SOUND, BOARD_FUSES, BOARD_FORCEWAKE, BOARD_GGTT_SIZE, BOARD_STOLEN, BOARD_SCANOUT, BOARD_RESET,
		BOARD_DMA, BOARD_ENGINE, BOARD_CSB, BOARD_MSI, BOARD_REGISTERS,
	};
	char set[64];

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		uint32_t want = faults[i] == BOARD_SOUND ? 0 : 1u << faults[i], bits;

		snprintf(set, sizeof(set), "fault=%s", board_faults[faults[i]]);
		counters_reset();
		board_start(set);
		bits = symptoms();
		check(bits == want, "fault=%s shows so and in nothing else (0x%x)", board_faults[faults[i]], bits);
		check(counter_value("faults_injected", board_faults[faults[i]]) == (faults[i] != BOARD_SOUND),
		      "it is counted");
		board_stop();
	}

	board_start("fault=ggtt_writes");
	check(!keeps_entries() && resets() && wakes(FORCEWAKE_RENDER, FORCEWAKE_ACK_RENDER),
	      "fault=ggtt_writes shows so");
	board_stop();

	board_start("fault=config");
	check(pci_cfg_read(gpu, 0, 4) == ~0u && bar_rd(FUSE2) == ~0u, "fault=config: all ones");
	gpu_reset(gpu);
	check(pci_cfg_read(gpu, 0, 4) == ~0u, "a reset does not help");
	board_stop();

	board_start("fault=bar");
	check(pci_bar_size(gpu, PCI_BAR0) == 4u << 20 && bar_rd(FUSE2) != ~0u, "fault=bar: a small one");
	check(pci_bar_read(gpu, PCI_BAR0, gpu->platform->ggtt_offset, 8) == ~0ull, "without the GGTT");
	board_stop();
}

static void test_guest(void)
{
	board_start("fault=none");
	pci_cfg_write(gpu, CHOICE, 1, BOARD_FUSES);
	check(rd(FUSE2), "a guest cannot choose unless it may");
	board_stop();

	board_start("fault=guest");
	check(rd(FUSE2), "fault=guest: sound at first");
	pci_cfg_write(gpu, CHOICE, 1, BOARD_FUSES);
	check(!rd(FUSE2), "the guest chooses");
	pci_cfg_write(gpu, CHOICE, 1, BOARD_CONFIG);
	check(pci_cfg_read(gpu, 0, 4) == ~0u, "another one");
	pci_cfg_write(gpu, CHOICE, 1, NUM_BOARD_FAULTS);
	pci_cfg_write(gpu, CHOICE, 1, BOARD_BAR);
	check(pci_cfg_read(gpu, 0, 4) == ~0u, "what cannot be chosen changes nothing");
	pci_cfg_write(gpu, CHOICE, 1, BOARD_GGTT_WRITES);
	check(!keeps_entries(), "entries of the GGTT");
	pci_cfg_write(gpu, CHOICE, 1, BOARD_RESET);
	check(!resets(), "a reset");
	pci_cfg_write(gpu, CHOICE, 1, BOARD_SOUND);
	check(keeps_entries() && resets() && rd(FUSE2) && pci_cfg_read(gpu, 0, 4) != ~0u, "and a sound board again");
	board_stop();
}

static void test_refused(void)
{
	struct config cfg, before;
	char err[256];

	config_init(&cfg);
	before = cfg;
	check(config_set(&cfg, "fault=smoke", err, sizeof(err)) && strstr(err, "smoke") && strstr(err, "fault") &&
	      !memcmp(&cfg, &before, sizeof(cfg)), "a fault that no board has is refused");
	check(config_set(&cfg, "fault=", err, sizeof(err)) && config_set(&cfg, "fault=3", err, sizeof(err)),
	      "so are no name and a number");
	check(!config_set(&cfg, "fault=msi", err, sizeof(err)) && cfg.board_fault == BOARD_MSI, "one by its name");
}

int main(void)
{
	test_refused();
	test_each();
	test_guest();
	return test_end();
}
