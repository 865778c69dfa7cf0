/* SPDX-License-Identifier: MIT */
/**
 * DOC: Platforms as data
 *
 * What differs between GPUs stands in one constant table per platform (kbl.c, ...). Nothing above this floor
 * asks for a generation: it reads a field or calls an operation from here.
 */
#ifndef _IGEN_PLATFORM_H_
#define _IGEN_PLATFORM_H_

#include <linux/bits.h>
#include <linux/mod_devicetable.h>
#include <linux/types.h>

struct igen_device;
struct igen_surface;
struct igen_context_ops;
struct igen_emit_ops;
struct igen_engine;
struct igen_expect;
struct igen_gtt_ops;
struct igen_irq_ops;
struct igen_power_ops;
struct igen_reset_ops;
struct igen_submit_ops;
struct igen_topology;
struct pci_dev;

/** enum igen_engine_class - as in enum drm_i915_gem_engine_class */
enum igen_engine_class {
	IGEN_CLASS_RENDER = 0,
	IGEN_CLASS_COPY = 1,
	IGEN_CLASS_VIDEO = 2,
	IGEN_CLASS_VIDEO_ENHANCE = 3,
	IGEN_NUM_CLASSES
};

/** enum igen_forcewake - power wells that sleep by themselves */
enum igen_forcewake {
	IGEN_FORCEWAKE_RENDER,
	IGEN_FORCEWAKE_GT,
	IGEN_FORCEWAKE_MEDIA,
	FORCEWAKE_NUM_DOMAINS
};

#define FORCEWAKE_DOMAIN_RENDER	BIT(IGEN_FORCEWAKE_RENDER)
#define FORCEWAKE_DOMAIN_GT	BIT(IGEN_FORCEWAKE_GT)
#define FORCEWAKE_DOMAIN_MEDIA	BIT(IGEN_FORCEWAKE_MEDIA)
#define FORCEWAKE_DOMAIN_ALL	GENMASK(FORCEWAKE_NUM_DOMAINS - 1, 0)

/** enum igen_engine_id - index in igen_device.engine */
enum igen_engine_id {
	IGEN_RCS0,
	IGEN_BCS0,
	IGEN_VCS0,
	IGEN_VCS1,
	IGEN_VECS0,
	IGEN_NUM_ENGINES
};

/* Words of 32 bits that the masks of a platform's interrupts take at most. */
#define IGEN_IRQ_WORDS	4

struct igen_parse_cmd;
struct igen_parse_reg;

/**
 * struct igen_engine_info - one engine of a platform
 */
struct igen_engine_info {
	/** @id: where it stands in igen_device.engine */
	enum igen_engine_id id;
	/** @class: what it executes */
	enum igen_engine_class class;
	/** @instance: its number in the class, as userspace counts */
	u8 instance;
	/** @hw_instance: its number in the class, as the hardware counts: fuses may leave gaps */
	u8 hw_instance;
	/** @name: "rcs0" */
	const char *name;
	/** @base: its MMIO base */
	u32 base;
	/** @irq_group: its GT interrupt group */
	u8 irq_group;
	/** @irq_shift: where its sixteen bits stand in the group */
	u8 irq_shift;
	/** @reset_domain: its bit in GDRST */
	u32 reset_domain;
	/** @tlb_inv_reg: the register that invalidates its TLBs */
	u32 tlb_inv_reg;
	/** @forcewake: power domains (FORCEWAKE_DOMAIN_*) that its registers need */
	u8 forcewake;
	/** @context_pages: size of a context image with the PPHWSP, in 4 KB pages */
	u8 context_pages;
	/** @mocs_base: register of its MOCS entry 0 */
	u32 mocs_base;
	/** @parsed_cmds: what batches that the CPU has to check may do, by opcode; NULL: the hardware checks */
	const struct igen_parse_cmd *parsed_cmds;
	/** @parsed_regs: registers open to batches that the CPU has to check, ends with offset 0 */
	const struct igen_parse_reg *parsed_regs;
	/** @uabi_capabilities: I915_VIDEO_CLASS_CAPABILITY_* */
	u64 uabi_capabilities;
};

/** struct igen_forcewake_domain - how a power well is kept awake */
struct igen_forcewake_domain {
	/** @name: for messages; NULL: the platform has no such well, and asking for it does nothing */
	const char *name;
	/** @request: its masked request register */
	u32 request;
	/** @ack: its acknowledge register */
	u32 ack;
	/** @fallback: a second request bit wakes a well that missed the first (mmio/igen_forcewake.c) */
	bool fallback;
};

/** struct igen_reg_write - a register and a value, for tables of workarounds */
struct igen_reg_write {
	/** @name: the workaround's name as the manuals have it; NULL ends a table */
	const char *name;
	/** @reg: offset in BAR 0, or from the engine's base if @relative */
	u32 reg;
	/** @clear: bits to clear */
	u32 clear;
	/** @set: bits to set */
	u32 set;
	/** @masked: its upper half says which bits a write changes; else it is read first */
	bool masked;
	/** @relative: @reg is an offset from the engine's base */
	bool relative;
	/** @revisions: PCI revisions that need it, a bit each (7: that and later ones); 0: all */
	u8 revisions;
};

/** struct igen_mocs_entry - one memory object control state */
struct igen_mocs_entry {
	/** @index: its index */
	u8 index;
	/** @control: LE/TC/LRU bits for the engines' tables */
	u32 control;
	/** @l3cc: L3 cacheability for the LNCF table */
	u16 l3cc;
};

/**
 * struct igen_platform - all that is particular to a platform
 */
struct igen_platform {
	/** @name: "Kaby Lake GT2" and the like */
	const char *name;
	/** @gen: 6, 7, 9, 12: for userspace and log lines; not to be tested */
	u8 gen;
	/**
	 * @has_coherent_access: the GPU can be told to snoop the CPU's caches, or shares the last one with it; in the
	 * GGTT it always does
	 */
	bool has_coherent_access;
	/** @has_llc: CPU and GPU share the last level cache: pages are coherent by default, and so are page tables */
	bool has_llc;
	/** @has_64k_pages: PPGTT takes 64 KB pages */
	bool has_64k_pages;
	/** @ppgtt_bits: width of a PPGTT address (48, 32, 31) */
	u8 ppgtt_bits;
	/** @dma_bits: width of a physical address */
	u8 dma_bits;
	/** @max_slices: that the fuses may leave (3, or 1 on the LP parts) */
	u8 max_slices;
	/** @max_subslices: per slice (4, or 3 on the LP parts) */
	u8 max_subslices;
	/** @max_eus: per subslice (8) */
	u8 max_eus;
	/** @timestamp_hz: rate of the command streamers' timestamp */
	u32 timestamp_hz;
	/** @engines: the engines */
	const struct igen_engine_info *engines;
	/** @num_engines: how many */
	u8 num_engines;
	/** @fused_off: which hardware instances of a class the fuses took away; NULL: none */
	u32 (*fused_off)(struct igen_device *igen, enum igen_engine_class class);
	/** @topology: reads from the fuses which slices, subslices and EUs there are; forcewake of all domains held */
	void (*topology)(struct igen_device *igen, struct igen_topology *topo);
	/** @scanout: reads which surfaces the display shows, at most IGEN_MAX_SURFACES; NULL: there is no display */
	unsigned int (*scanout)(struct igen_device *igen, struct igen_surface *surfaces);
	/** @forcewake: power wells, by enum igen_forcewake; the GT's is always there */
	const struct igen_forcewake_domain *forcewake;
	/** @power: clock and sleep of the GT (engine/igen_power_*.c) */
	const struct igen_power_ops *power;
	/** @reset: how the hardware is reset (engine/igen_hw_reset_*.c) */
	const struct igen_reset_ops *reset;
	/** @submit: the submission backend (submit/igen_execlists.c) */
	const struct igen_submit_ops *submit;
	/** @gtt: page tables (mm/igen_gtt_*.c) */
	const struct igen_gtt_ops *gtt;
	/** @irq: interrupts (engine/igen_irq_*.c) */
	const struct igen_irq_ops *irq;
	/** @context: images of contexts (engine/igen_lrc_*.c) */
	const struct igen_context_ops *context;
	/** @emit: what is written into rings (engine/igen_emit_*.c) */
	const struct igen_emit_ops *emit;
	/** @private_pat: the eight PPAT bytes, low first, for @gtt */
	u64 private_pat;
	/** @mocs: MOCS table, @num_mocs entries; what is not in it gets @mocs_unused */
	const struct igen_mocs_entry *mocs;
	/** @num_mocs: entries in @mocs */
	u8 num_mocs;
	/** @mocs_unused: index in @mocs of what unused entries get */
	u8 mocs_unused;
	/** @engine_mocs: after a reset writes an engine's MOCS tables; forcewake of all domains held; NULL: none */
	void (*engine_mocs)(struct igen_engine *engine);
	/** @gt_workarounds: written once after each reset or resume, ends with an empty row */
	const struct igen_reg_write *gt_workarounds;
	/** @engine_workarounds: per engine class, written after each reset of the engine; may be NULL */
	const struct igen_reg_write *engine_workarounds[IGEN_NUM_CLASSES];
	/** @ctx_workarounds: emitted in the default context per class by LRI; may be NULL */
	const struct igen_reg_write *ctx_workarounds[IGEN_NUM_CLASSES];
	/** @switch_workarounds: per class, masked registers written by a batch at each context switch; may be NULL */
	const struct igen_reg_write *switch_workarounds[IGEN_NUM_CLASSES];
	/** @eu_pools: MEDIA_POOL_STATE's third dword, if all of three subslices are there; 0: EUs are not pooled */
	u32 eu_pools;
	/** @gates_subslices: the hardware may power subslices down one by one */
	bool gates_subslices;
	/** @no_remapping: not driven behind an IOMMU, whose remapping needs something that the driver does not do */
	bool no_remapping;
	/** @indirect_ctx_offset: where in the context load that batch runs, in cache lines */
	u8 indirect_ctx_offset;
	/** @expect: what a healthy device of the family answers, for a bring-up; ends with an empty row */
	const struct igen_expect *expect;
	/** @expect_part: the same for this part alone */
	const struct igen_expect *expect_part;
	/** @whitelist: per class, registers for FORCE_TO_NONPRIV, ends with 0; may be NULL */
	const u32 *whitelist[IGEN_NUM_CLASSES];
};

extern const struct igen_platform igen_platform_kbl_gt2;
extern const struct igen_platform igen_platform_kbl_gt3;	/* and GT4 */
extern const struct igen_platform igen_platform_bxt;

extern const struct pci_device_id igen_pci_ids[];

int igen_probe_allowed(struct pci_dev *pdev, bool known);

#endif
