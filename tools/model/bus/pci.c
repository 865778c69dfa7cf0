// SPDX-License-Identifier: MIT
/**
 * DOC: The PCI function
 *
 * 256 bytes of configuration space with a write mask: identity, command and status, three BARs (16
 * MB of registers and GGTT, the aperture, 64 bytes of I/O ports), MSI and power management
 * capabilities, and the graphics registers GMCH_CTL (sizes of GGTT and stolen memory), BDSM (base
 * of stolen memory, written by the firmware) and ASLS (OpRegion: none). Layout: PCI Local Bus
 * Specification 3.0; datasheet volume 2, "Processor Graphics Registers".
 *
 * Both memory BARs are 64-bit ones, as on silicon, over vfio-user. x-pci-proxy-dev probes each BAR
 * dword on its own when QEMU realizes it, would take an upper half for a BAR of its own, and never
 * learns of an address above 4 GB, where a guest puts 64-bit BARs when it assigns them itself. So
 * that transport shows 32-bit BARs, each followed by a dead dword, and all stays where QEMU can see
 * it.
 *
 * In D3hot the function answers in configuration space only and sends no message (PCI Power Management
 * Specification 1.2, 5.4). The GGTT lies in memory and is kept. Registers are kept too, which stock i915
 * relies upon, unless the configuration has them lost on the way back to D0, as the specification allows
 * without No_Soft_Reset; configuration space is always kept. D1 and D2 are not there.
 *
 * With the setting "fault=guest" the guest chooses the board's fault by a byte at offset 0xf1, the number of enum
 * board_fault. Registers, the GGTT and the engines then have what they have when power comes; configuration space is
 * kept, but for what the fault changes.
 *
 * With the setting "coherency" a test module in the guest tells of cache flushes through two dwords of configuration
 * space, which are there in D3hot, too (mem/coherency.c).
 *
 * A driver that has finished with the function, and the kernel before it jumps to the next kernel, clear the bus
 * master bit. An engine at work then ("left_running") would write to memory that belongs to the next user: on silicon
 * it may do so until the bit is cleared and again after the next driver has set it.
 *
 * Not done: PCI Express, legacy interrupts, a ROM; stopping engines that run while the driver clears the bus master
 * bit or puts the function to D3hot, which drivers must not.
 */
#include <stdlib.h>
#include <string.h>

#include "bus/bus.h"
#include "engine/engine.h"
#include "mem/mem.h"
#include "../vm/coherency/events.h"
#include "registers.h"
#include "regs/regs.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/pci.h"

#define CFG_COMMAND		0x04
#define   COMMAND_IO		  0x1
#define   COMMAND_MEMORY	  0x2
#define   COMMAND_MASTER	  0x4
#define CFG_BAR0		0x10
#define CFG_BAR2		0x18
#define CFG_BAR4		0x20
#define CFG_MSI			0xac
#define   MSI_CTL		  (CFG_MSI + 2)
#define   MSI_ADDR		  (CFG_MSI + 4)
#define   MSI_ADDR_HI		  (CFG_MSI + 8)
#define   MSI_DATA		  (CFG_MSI + 12)
#define CFG_PM			0xd0
#define   PM_CTL		  (CFG_PM + 4)
#define   PM_CTL_STATE		  0x3
#define   PM_STATE_D3HOT	  3
#define CFG_SNAPSHOT		0xf0		/* nothing on silicon; see engine/snapshot.c */
#define CFG_BOARD		0xf1		/* nor this */
#define BAR_64			0x4
#define BAR_PREFETCH		0x8
#define BAR_IO			0x1
#define RESERVED_BYTES		(1u << 20)

struct pci {
	pthread_mutex_t lock;			/* a leaf: config space */
	uint8_t cfg[CFG_SIZE];
	uint8_t mask[CFG_SIZE];			/* bits that software may write */
	bool bars_32;
	uint32_t io_index;			/* gpu->lock */
};

static void put(uint8_t *p, uint32_t v, unsigned int len)
{
	for (unsigned int i = 0; i < len; i++)
		p[i] = (uint8_t)(v >> (i * 8));
}

static uint32_t get(const uint8_t *p, unsigned int len)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < len; i++)
		v |= (uint32_t)p[i] << (i * 8);
	return v;
}

uint64_t pci_bar_size(struct gpu *gpu, enum pci_bar bar)
{
	switch (bar) {
	case PCI_BAR0:
		return gpu->platform->bar0_size / (gpu->config.board_fault == BOARD_BAR ? 4 : 1);
	case PCI_BAR2:
		return (uint64_t)gpu->config.aperture_mb << 20;
	case PCI_BAR4:
		return BAR4_SIZE;
	}
	return 0;
}

/* GMS as the register header tells it; the configuration allows nothing else. */
static uint32_t gmch_ctl(struct gpu *gpu)
{
	const struct gmch_layout *layout = gpu->platform->gmch;
	const struct config *cfg = &gpu->config;
	uint32_t ggms = 0, gms = cfg->stolen_mb / 32;

	for (uint32_t i = 0; i < ARRAY_SIZE(layout->ggms_mb); i++)
		if (layout->ggms_mb[i] == cfg->ggms_mb)
			ggms = i;
	if (layout->small_steps && cfg->stolen_mb % 32)
		gms = 0xf0 + cfg->stolen_mb / 4 - 1;
	return IGEN_PREP((uint32_t)layout->ggms_mask, ggms) | IGEN_PREP((uint32_t)layout->gms_mask, gms);
}

static void set_bar(struct gpu *gpu, unsigned int at, enum pci_bar bar, uint32_t type)
{
	struct pci *pci = gpu->pci;
	uint64_t size = pci_bar_size(gpu, bar);

	put(pci->cfg + at, bar == PCI_BAR4 || !pci->bars_32 ? type : type & ~BAR_64, 4);
	put(pci->mask + at, (uint32_t)~(size - 1), 4);
	if (type & BAR_64) {
		put(pci->cfg + at + 4, 0, 4);
		put(pci->mask + at + 4, pci->bars_32 ? 0 : ~0u, 4);
	}
}

/* pci->lock held. */
static void reset_locked(struct gpu *gpu)
{
	struct pci *pci = gpu->pci;
	const struct config *cfg = &gpu->config;
	uint8_t *c = pci->cfg, *m = pci->mask;

	memset(c, 0, CFG_SIZE);
	memset(m, 0, CFG_SIZE);
	put(c + 0x00, 0x8086, 2);
	put(c + 0x02, cfg->device_id ? cfg->device_id : gpu->platform->device_id, 2);
	put(m + CFG_COMMAND, COMMAND_IO | COMMAND_MEMORY | COMMAND_MASTER | 0x400, 2);
	put(c + 0x06, 0x0010, 2);			/* has capabilities */
	put(c + 0x08, 0x03000000 | (cfg->revision ? cfg->revision : gpu->platform->revision), 4);
	put(m + 0x0c, 0xff, 1);
	set_bar(gpu, CFG_BAR0, PCI_BAR0, BAR_64);
	set_bar(gpu, CFG_BAR2, PCI_BAR2, BAR_64 | BAR_PREFETCH);
	set_bar(gpu, CFG_BAR4, PCI_BAR4, BAR_IO);
	put(c + 0x2c, 0x8086, 2);
	put(c + 0x2e, 0x2212, 2);
	put(c + 0x34, CFG_MSI, 1);
	put(m + 0x3c, 0xff, 1);
	put(c + 0x3d, 1, 1);				/* INTA, which is never raised */
	put(c + PCI_CFG_GMCH_CTL, gmch_ctl(gpu), 2);
	put(m + PCI_CFG_BDSM, BDSM_BASE_MASK, 4);
	put(m + PCI_CFG_ASLS, ~0u, 4);
	/* One vector, 64-bit address. */
	put(c + CFG_MSI, 0x05 | CFG_PM << 8 | 0x0080 << 16, 4);
	put(m + MSI_CTL, 0x0001, 2);
	put(m + MSI_ADDR, ~3u, 4);
	put(m + MSI_ADDR_HI, ~0u, 4);
	put(m + MSI_DATA, 0xffff, 2);
	put(c + CFG_PM, 0x01 | 0x0002 << 16, 4);	/* version 2, last of the list */
	put(m + PM_CTL, PM_CTL_STATE, 2);
	atomic_store(&gpu->asleep, false);
}

/* What the board's fault changes of a byte of configuration space. */
static uint8_t cfg_byte(struct gpu *gpu, uint32_t offset)
{
	const struct gmch_layout *layout = gpu->platform->gmch;
	uint8_t v = gpu->pci->cfg[offset];
	uint16_t gone = 0;

	if (board_has(gpu, BOARD_GGTT_SIZE))
		gone = layout->ggms_mask;
	else if (board_has(gpu, BOARD_STOLEN))
		gone = layout->gms_mask;
	if (offset / 2 == PCI_CFG_GMCH_CTL / 2)
		return v & (uint8_t)~(gone >> offset % 2 * 8);
	return board_has(gpu, BOARD_STOLEN) && offset / 4 == PCI_CFG_BDSM / 4 ? 0 : v;
}

static uint32_t cfg_read(struct gpu *gpu, uint32_t offset, unsigned int len)
{
	uint32_t v = 0;

	pthread_mutex_lock(&gpu->pci->lock);
	for (unsigned int i = 0; i < len; i++)
		v |= (uint32_t)cfg_byte(gpu, offset + i) << (i * 8);
	pthread_mutex_unlock(&gpu->pci->lock);
	return v;
}

/* GMCH_CTL again, where the driver of a guest without configuration access reads it. */
static uint32_t gmch_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	return cfg_read(gpu, PCI_CFG_GMCH_CTL, 2);
}

/* Address of what the firmware has reserved of stolen memory, for RC6's context: the last megabyte; 0: nothing. */
static uint32_t reserved_base(struct gpu *gpu)
{
	uint64_t base = pci_stolen_base(gpu), size = (uint64_t)gpu->config.stolen_mb << 20;

	if (!gpu->platform->bios_rc6 || !base || size < RESERVED_BYTES)
		return 0;
	return (uint32_t)(base + size - RESERVED_BYTES) & STOLEN_RESERVED_BASE_MASK;
}

static uint32_t reserved_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	uint32_t base = reserved_base(gpu);

	(void)opaque;
	return offset == STOLEN_RESERVED && base ? base | STOLEN_RESERVED_ENABLE : base;
}

static void mirror_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)gpu;
	(void)opaque;
	trace("write of 0x%x to the read-only 0x%x", value, offset);
}

static bool is_there(struct gpu *gpu, uint32_t offset)
{
	const struct igen_reg_engine *engine;

	return igen_reg_at(gpu->platform->registers, offset, &engine);
}

int pci_init(struct gpu *gpu)
{
	static const uint32_t reserved[] = { STOLEN_RESERVED, RC6_CTX_BASE };
	static const struct mmio_block gmch = {
		.name = "MIRROR_GMCH_CTL",
		.start = MIRROR_GMCH_CTL,
		.end = MIRROR_GMCH_CTL + 4,
		.read = gmch_read,
		.write = mirror_write,
	};

	gpu->pci = calloc(1, sizeof(*gpu->pci));
	if (!gpu->pci)
		return -1;
	pthread_mutex_init(&gpu->pci->lock, NULL);
	reset_locked(gpu);
	gpu->raise_msi = msi_raise;
	if (posted_init(gpu))
		return -1;
	if (is_there(gpu, MIRROR_GMCH_CTL))
		mmio_claim(gpu, &gmch);
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++) {
		const struct mmio_block block = {
			.name = "reserved stolen memory",
			.start = reserved[i],
			.end = reserved[i] + 4,
			.read = reserved_read,
			.write = mirror_write,
		};

		if (is_there(gpu, reserved[i]))
			mmio_claim(gpu, &block);
	}
	return 0;
}

void pci_fini(struct gpu *gpu)
{
	if (!gpu->pci)
		return;
	posted_fini(gpu);
	pthread_mutex_destroy(&gpu->pci->lock);
	free(gpu->pci);
	gpu->pci = NULL;
}

void pci_show_bars_32(struct gpu *gpu, bool on)
{
	pthread_mutex_lock(&gpu->pci->lock);
	gpu->pci->bars_32 = on;
	reset_locked(gpu);
	pthread_mutex_unlock(&gpu->pci->lock);
}

uint32_t pci_cfg_read(struct gpu *gpu, uint32_t offset, unsigned int len)
{
	uint32_t v;

	posted_push(gpu);
	if (offset == COHERENCY_CFG_PAGE && len == 4 && gpu->coherency)
		return coherency_magic(gpu);
	if (offset == COHERENCY_CFG_EVENTS && len == 4 && gpu->coherency)
		return coherency_findings(gpu);
	if (offset >= CFG_SIZE || len > CFG_SIZE - offset || len > 4) {
		count("stray_accesses", "config_reads", 1);
		return ~0u;
	}
	if (atomic_load(&gpu->off_bus))
		return ~0u;
	v = cfg_read(gpu, offset, len);
	trace("CR%u %02x = %x", len, offset, v);
	return v;
}

/* A write may have changed the power state; pci->lock held. True when the function has just left D3hot. */
static bool power_changed(struct gpu *gpu, uint8_t before)
{
	uint8_t *ctl = &gpu->pci->cfg[PM_CTL], now = *ctl & PM_CTL_STATE;

	if (now != 0 && now != PM_STATE_D3HOT) {
		*ctl = before;
		return false;
	}
	if (now == (before & PM_CTL_STATE))
		return false;
	trace("%s", now ? "D3hot" : "D0");
	count("power_states", now ? "d3hot" : "d0", 1);
	atomic_store(&gpu->asleep, now != 0);
	return !now;
}

/* Bus mastering has been switched off. */
static void count_left_running(struct gpu *gpu)
{
	pthread_mutex_lock(&gpu->lock);
	for (unsigned int i = 0; i < NUM_ENGINES; i++) {
		struct engine *e = gpu->engine[i];

		if (!e || !engine_is_at_work(e))
			continue;
		count("left_running", e->info->name, 1);
		model_log("pci: bus mastering goes off while %s is at work", e->info->name);
	}
	pthread_mutex_unlock(&gpu->lock);
}

/* The guest chooses the board's fault, and the device begins anew. */
static void choose_fault(struct gpu *gpu, uint8_t fault)
{
	if (fault >= NUM_BOARD_FAULTS || fault == BOARD_BAR) {
		model_log("fault: the guest cannot choose number %u", fault);
		return;
	}
	board_choose(gpu, fault);
	gpu_reset(gpu);
}

void pci_cfg_write(struct gpu *gpu, uint32_t offset, unsigned int len, uint32_t value)
{
	struct pci *pci = gpu->pci;
	bool woken, master, master_off;
	uint8_t state;

	posted_push(gpu);
	if (offset >= CFG_SIZE || len > CFG_SIZE - offset || len > 4) {
		count("stray_accesses", "config_writes", 1);
		return;
	}
	trace("CW%u %02x = %x", len, offset, value);
	if (offset == CFG_BOARD && gpu->config.board_fault == BOARD_GUEST) {
		choose_fault(gpu, value & 0xff);
		return;
	}
	if (atomic_load(&gpu->off_bus))
		return;
	pthread_mutex_lock(&pci->lock);
	state = pci->cfg[PM_CTL];
	master = pci->cfg[CFG_COMMAND] & COMMAND_MASTER;
	for (unsigned int i = 0; i < len; i++) {
		uint8_t m = pci->mask[offset + i];
		uint8_t *c = &pci->cfg[offset + i];

		*c = (uint8_t)((*c & ~m) | ((value >> (i * 8)) & m));
	}
	master_off = master && !(pci->cfg[CFG_COMMAND] & COMMAND_MASTER);
	woken = power_changed(gpu, state);
	pthread_mutex_unlock(&pci->lock);
	if (!(state & PM_CTL_STATE) && atomic_load(&gpu->asleep)) {
		pthread_mutex_lock(&gpu->lock);
		if (gpu->gt->rc_control & RC_CONTROL_RC6_ENABLE)
			count("power_states", "d3hot_rc6", 1);
		pthread_mutex_unlock(&gpu->lock);
	}
	if (master_off)
		count_left_running(gpu);
	if (woken && gpu->config.d3_forgets)
		gpu_reset(gpu);
	if (offset <= PCI_CFG_BDSM + 3 && offset + len > PCI_CFG_BDSM)
		inherit_leave(gpu, pci_stolen_base(gpu));
	if (offset == CFG_SNAPSHOT && gpu->registers_path)
		state_snapshot(gpu, value & 0xff);
	if (offset == COHERENCY_CFG_PAGE && gpu->coherency)
		coherency_use_page(gpu, value);
	if (offset == COHERENCY_CFG_EVENTS && gpu->coherency)
		coherency_take_events(gpu, value);
}

uint64_t pci_stolen_base(struct gpu *gpu)
{
	uint64_t base;

	pthread_mutex_lock(&gpu->pci->lock);
	base = get(gpu->pci->cfg + PCI_CFG_BDSM, 4) & BDSM_BASE_MASK;
	pthread_mutex_unlock(&gpu->pci->lock);
	return base;
}

/* A BAR's address; pci->lock held. */
static uint64_t bar_base(struct pci *pci, unsigned int at)
{
	uint32_t low = get(pci->cfg + at, 4);

	if (low & BAR_IO)
		return low & ~3u;
	return (low & ~15u) | (low & BAR_64 ? (uint64_t)get(pci->cfg + at + 4, 4) << 32 : 0);
}

int pci_decode(struct gpu *gpu, bool memory, uint64_t addr, uint64_t *offset)
{
	static const struct {
		enum pci_bar bar;
		unsigned int at;
	} bars[] = {
		{ PCI_BAR0, CFG_BAR0 }, { PCI_BAR2, CFG_BAR2 }, { PCI_BAR4, CFG_BAR4 },
	};
	int found = -1;

	pthread_mutex_lock(&gpu->pci->lock);
	for (size_t i = 0; i < ARRAY_SIZE(bars) && found < 0; i++) {
		uint64_t base = bar_base(gpu->pci, bars[i].at);

		if (bars[i].bar == PCI_BAR4 ? memory : !memory)
			continue;
		if (addr >= base && addr - base < pci_bar_size(gpu, bars[i].bar)) {
			found = (int)bars[i].bar;
			*offset = addr - base;
		}
	}
	pthread_mutex_unlock(&gpu->pci->lock);
	return found;
}

/*
 * One access of 1 to 8 bytes to registers, in aligned dwords; a part of a dword is merged with the
 * rest.
 */
static uint64_t mmio_access(struct gpu *gpu, uint32_t offset, unsigned int size, bool write,
			    uint64_t value)
{
	uint64_t v = 0;

	pthread_mutex_lock(&gpu->lock);
	for (unsigned int done = 0; done < size; ) {
		unsigned int at = (offset + done) % 4;
		unsigned int n = size - done < 4 - at ? size - done : 4 - at;
		uint32_t reg = (offset + done) & ~3u;
		uint32_t mask = n < 4 ? ((1u << (n * 8)) - 1) << (at * 8) : ~0u;

		if (write) {
			uint32_t part = (uint32_t)(value >> (done * 8)) << (at * 8);

			if (n < 4)
				part = (part & mask) | (mmio_peek(gpu, reg) & ~mask);
			mmio_write(gpu, reg, part, true);
		} else {
			uint32_t part = (mmio_read(gpu, reg, true) & mask) >> (at * 8);

			v |= (uint64_t)part << (done * 8);
		}
		done += n;
	}
	pthread_mutex_unlock(&gpu->lock);
	return v;
}

/*
 * I/O ports: an index and a data register that reach BAR 0 (datasheet volume 2, "IOBAR"; the two
 * ports of all generations since 965). Bits 1:0 of the index must be 0.
 */
static uint64_t io_access(struct gpu *gpu, uint64_t offset, unsigned int size, bool write,
			  uint64_t value)
{
	struct pci *pci = gpu->pci;
	uint32_t index;

	if (size != 4 || (offset != 0 && offset != 4)) {
		count("stray_accesses", write ? "io_writes" : "io_reads", 1);
		return ~0ull;
	}
	pthread_mutex_lock(&gpu->lock);
	if (offset == 0 && write)
		pci->io_index = (uint32_t)value & (gpu->platform->bar0_size - 4);
	index = pci->io_index;
	pthread_mutex_unlock(&gpu->lock);
	if (offset == 0)
		return index;
	if (write)
		pci_bar_write(gpu, PCI_BAR0, index, 4, value);
	return write ? 0 : pci_bar_read(gpu, PCI_BAR0, index, 4);
}

static bool stray(struct gpu *gpu, enum pci_bar bar, uint64_t offset, unsigned int size, bool write)
{
	uint64_t bytes = pci_bar_size(gpu, bar);

	if (size >= 1 && size <= 8 && offset < bytes && size <= bytes - offset)
		return false;
	count("stray_accesses", write ? "bar_writes" : "bar_reads", 1);
	trace("%s of %u bytes at BAR %d + 0x%llx strays", write ? "write" : "read", size, bar,
	      (unsigned long long)offset);
	return true;
}

/* Is the access one to registers that answer nothing? */
static bool dead(struct gpu *gpu, enum pci_bar bar)
{
	return atomic_load(&gpu->off_bus) || (bar == PCI_BAR0 && board_has(gpu, BOARD_REGISTERS));
}

/* In D3hot no access is answered, and drivers make none. */
static bool asleep(struct gpu *gpu, enum pci_bar bar, uint64_t offset, bool write)
{
	if (!atomic_load(&gpu->asleep))
		return false;
	count("asleep_accesses", write ? "writes" : "reads", 1);
	trace("%s at BAR %d + 0x%llx in D3hot", write ? "write" : "read", bar,
	      (unsigned long long)offset);
	return true;
}

uint64_t pci_bar_read(struct gpu *gpu, enum pci_bar bar, uint64_t offset, unsigned int size)
{
	uint64_t v;

	posted_push(gpu);
	if (stray(gpu, bar, offset, size, false) || dead(gpu, bar) ||
	    asleep(gpu, bar, offset, false))
		return ~0ull;
	switch (bar) {
	case PCI_BAR0:
		if (offset >= gpu->platform->ggtt_offset)
			return gtt_pte_read(gpu, (uint32_t)offset - gpu->platform->ggtt_offset, size);
		v = mmio_access(gpu, (uint32_t)offset, size, false, 0);
		trace("R%u %06llx = %llx", size, (unsigned long long)offset, (unsigned long long)v);
		return v;
	case PCI_BAR2:
		return aperture_read(gpu, offset, size);
	case PCI_BAR4:
		return io_access(gpu, offset, size, false, 0);
	}
	return ~0ull;
}

void pci_bar0_arrive(struct gpu *gpu, uint32_t offset, unsigned int size, uint64_t value)
{
	if (dead(gpu, PCI_BAR0))
		return;
	if (offset >= gpu->platform->ggtt_offset) {
		gtt_pte_write(gpu, offset - gpu->platform->ggtt_offset, size, value);
		return;
	}
	trace("W%u %06x = %llx", size, offset, (unsigned long long)value);
	mmio_access(gpu, offset, size, true, value);
}

void pci_bar_write(struct gpu *gpu, enum pci_bar bar, uint64_t offset, unsigned int size,
		   uint64_t value)
{
	if (stray(gpu, bar, offset, size, true) || dead(gpu, bar) ||
	    asleep(gpu, bar, offset, true))
		return;
	switch (bar) {
	case PCI_BAR0:
		if (!posted_put(gpu, (uint32_t)offset, size, value))
			pci_bar0_arrive(gpu, (uint32_t)offset, size, value);
		return;
	case PCI_BAR2:
		posted_push(gpu);
		aperture_write(gpu, offset, size, value);
		return;
	case PCI_BAR4:
		posted_push(gpu);
		io_access(gpu, offset, size, true, value);
		posted_push(gpu);
		return;
	}
}

/*
 * The platform's reset: configuration space and the GT lose their state. BDSM is lost too; the
 * firmware that runs next writes it again.
 */
void pci_reset(struct gpu *gpu)
{
	trace("PCI reset");
	posted_drop(gpu);
	pthread_mutex_lock(&gpu->pci->lock);
	reset_locked(gpu);
	pthread_mutex_unlock(&gpu->pci->lock);
	gpu_reset(gpu);
}

/**
 * msi_raise() - sends the message signalled interrupt
 * @gpu: the device
 *
 * Any thread; takes leaf locks. Nothing happens while the function's MSI or bus mastering is off.
 */
void msi_raise(struct gpu *gpu)
{
	struct pci *pci = gpu->pci;
	bool enabled;
	uint64_t addr;
	uint32_t data;

	pthread_mutex_lock(&pci->lock);
	/* Without bus mastering a function may not write, and an MSI is a write. */
	enabled = (get(pci->cfg + MSI_CTL, 2) & 1) &&
		  (get(pci->cfg + CFG_COMMAND, 2) & COMMAND_MASTER);
	addr = get(pci->cfg + MSI_ADDR, 4) | (uint64_t)get(pci->cfg + MSI_ADDR_HI, 4) << 32;
	data = get(pci->cfg + MSI_DATA, 2);
	pthread_mutex_unlock(&pci->lock);
	if (!enabled || !gpu->transport || atomic_load(&gpu->off_bus) || atomic_load(&gpu->asleep)) {
		count("interrupts_lost", "msi_disabled", 1);
		return;
	}
	if (board_has(gpu, BOARD_MSI)) {
		count("interrupts_lost", "board_fault", 1);
		return;
	}
	count("interrupts", "msi", 1);
	trace("MSI");
	gpu->transport->msi(gpu->transport, addr, data);
}
