/* SPDX-License-Identifier: MIT */
/**
 * DOC: Platforms as data
 *
 * What differs between GPUs stands in one constant table per platform (igen_kbl.c, ...). Nothing above this floor
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
struct igen_error_ops;
struct igen_bringup_ops;
struct igen_expect;
struct igen_gtt_ops;
struct igen_irq_ops;
struct igen_power_ops;
struct igen_reset_ops;
struct igen_submit_ops;
struct igen_switch_ops;
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
	/** @hws_pga: the register with the address of its status page */
	u32 hws_pga;
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
	/** @context_pages: size of a context image with the PPHWSP, in 4 KB pages; 0: the engine has none */
	u8 context_pages;
	/** @mocs_base: register of its MOCS entry 0 */
	u32 mocs_base;
	/** @parsed_cmds: what batches that the CPU has to check may do, by opcode; NULL: the hardware checks */
	const struct igen_parse_cmd *parsed_cmds;
	/** @parsed_gfx: the same of its commands of the 3D and media pipelines, sorted; NULL: none */
	const struct igen_parse_cmd *parsed_gfx;
	/** @num_parsed_gfx: how many */
	u16 num_parsed_gfx;
	/**
	 * @privileged_copies: batches that the CPU finds good run with privilege, as copies in the GGTT; others run
	 * without it, and the hardware checks them, unless the platform has igen_platform.global_stores
	 */
	bool privileged_copies;
	/** @timed: an engine with one ring has a TIMESTAMP that counts at igen_platform.timestamp_hz */
	bool timed;
	/** @parsed_regs: registers open to batches that the CPU has to check, ends with offset 0 */
	const struct igen_parse_reg *parsed_regs;
	/** @emit: what is written into rings (engine/igen_emit_*.c), the same for all engines of a class */
	const struct igen_emit_ops *emit;
	/** @switch_ops: what changes the context of an engine with one ring; NULL: the engine does it itself */
	const struct igen_switch_ops *switch_ops;
	/** @mode_reg: the masked register in which an engine with one ring enables its PPGTT; 0: another one does */
	u32 mode_reg;
	/** @uabi_capabilities: I915_VIDEO_CLASS_CAPABILITY_* */
	u64 uabi_capabilities;
};

/** struct igen_forcewake_domain - how a power well is kept awake */
struct igen_forcewake_domain {
	/** @name: for messages; NULL: the platform has no such well, and asking for it does nothing */
	const char *name;
	/** @request: its request register, masked unless @plain */
	u32 request;
	/** @ack: its acknowledge register */
	u32 ack;
	/** @fallback: a second request bit wakes a well that missed the first (mmio/igen_forcewake.c) */
	bool fallback;
	/** @plain: the request register has one bit alone */
	bool plain;
	/** @threads: the register with the power unit's threads, which have to be awake, too; 0: there is none */
	u32 threads;
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
	/** @seven_eus: IGEN_SEVEN_EUS(): only if of that slice this subslice alone has seven EUs; 0: always */
	u8 seven_eus;
};

/* For igen_reg_write.seven_eus. */
#define IGEN_SEVEN_EUS(slice__, subslice__)	(BIT(7) | (slice__) << 4 | BIT(subslice__))
#define IGEN_SEVEN_EUS_SLICE			GENMASK(6, 4)
#define IGEN_SEVEN_EUS_SUBSLICES		GENMASK(3, 0)

/** struct igen_nonpriv - a register, or several, that batches without privilege may use */
struct igen_nonpriv {
	/** @reg: offset in BAR 0, or from the engine's base if @relative; an empty row ends a table */
	u32 reg;
	/** @flags: FORCE_TO_NONPRIV_*: may be read alone, stands for several; on parts that know this */
	u32 flags;
	/** @relative: @reg is an offset from the engine's base */
	bool relative;
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
	/** @gt: which GT of its family, as stock i915 counts: 1 to 4, 0 on LP parts; for log lines */
	u8 gt;
	/**
	 * @has_coherent_access: the GPU can be told to snoop the CPU's caches, or shares the last one with it; in the
	 * GGTT it always does
	 */
	bool has_coherent_access;
	/** @has_llc: CPU and GPU share the last level cache; for userspace and log lines; not to be tested */
	bool has_llc;
	/** @tables_snooped: the GPU reads page tables through the CPU's caches; else the driver flushes their lines */
	bool tables_snooped;
	/** @objects_snooped: clients' objects are I915_CACHING_CACHED until userspace says otherwise */
	bool objects_snooped;
	/** @page_sizes: sizes of pages that the PPGTT takes, ORed: SZ_4K, SZ_64K, SZ_2M */
	u32 page_sizes;
	/** @usual_page_sizes: those of @page_sizes that are used unless the module parameter says otherwise */
	u32 usual_page_sizes;
	/** @ppgtt_bits: width of a PPGTT address (48, 32, 31) */
	u8 ppgtt_bits;
	/** @address_bytes: of an address in a batch, which a relocation writes (8, 4) */
	u8 address_bytes;
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
	/**
	 * @topology: reads from the fuses which slices, subslices and EUs there are; forcewake of all domains held.
	 * NULL: they do not say
	 */
	void (*topology)(struct igen_device *igen, struct igen_topology *topo);
	/** @scanout: reads which surfaces the display shows, at most IGEN_MAX_SURFACES; NULL: there is no display */
	unsigned int (*scanout)(struct igen_device *igen, struct igen_surface *surfaces);
	/** @forcewake: power wells, by enum igen_forcewake; the GT's is always there */
	const struct igen_forcewake_domain *forcewake;
	/** @forcewake_plain: the same where firmware has not chosen masked requests; NULL: there is no such choice */
	const struct igen_forcewake_domain *forcewake_plain;
	/** @forcewake_choice: the register, always awake while the well is, that tells of that choice */
	u32 forcewake_choice;
	/** @forcewake_masked: its bit for masked requests */
	u32 forcewake_masked;
	/**
	 * @fifo: the register with the free entries of the FIFO for writes to wells that sleep; 0: such writes need no
	 * care
	 */
	u32 fifo;
	/** @fifo_mask: its bits for that */
	u32 fifo_mask;
	/** @power: clock and sleep of the GT (engine/igen_power_*.c) */
	const struct igen_power_ops *power;
	/** @reset: how the hardware is reset (engine/igen_hw_reset_*.c) */
	const struct igen_reset_ops *reset;
	/** @error: what the hardware tells of errors (submit/igen_error_*.c) */
	const struct igen_error_ops *error;
	/** @bringup: what a bring-up asks of engines (igen_bringup_*.c) */
	const struct igen_bringup_ops *bringup;
	/** @submit: the submission backend (submit/igen_execlists.c) */
	const struct igen_submit_ops *submit;
	/** @num_fences: fence registers, at most IGEN_NUM_FENCE_REGS */
	u8 num_fences;
	/**
	 * @fence_pitch: the longest pitch of a tiled object, in bytes, a multiple of 128: what a fence register takes.
	 * No manual at hand has it for Gen6 and Gen7; theirs are stock i915's (I965_, GEN7_FENCE_MAX_PITCH_VAL)
	 */
	u32 fence_pitch;
	/** @gtt: page tables (mm/igen_gtt_*.c) */
	const struct igen_gtt_ops *gtt;
	/** @irq: interrupts (engine/igen_irq_*.c) */
	const struct igen_irq_ops *irq;
	/** @context: images of contexts (engine/igen_lrc_*.c) */
	const struct igen_context_ops *context;
	/** @early_emit: stands in for the engines' emission on @early_revisions; NULL: on none */
	const struct igen_emit_ops *early_emit;
	/** @early_revisions: PCI revisions, as igen_reg_write.revisions; not 0 where @early_emit is set */
	u8 early_revisions;
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
	/**
	 * @steer: before workarounds are written: chooses the slice whose registers are read; forcewake of all domains
	 * held; NULL: there is no choice
	 */
	void (*steer)(struct igen_device *igen);
	/** @gt_workarounds: written once after each reset or resume, ends with an empty row */
	const struct igen_reg_write *gt_workarounds;
	/** @engine_workarounds: per engine class, written after each reset of the engine; may be NULL */
	const struct igen_reg_write *engine_workarounds[IGEN_NUM_CLASSES];
	/** @ctx_workarounds: emitted in the default context per class by LRI; may be NULL */
	const struct igen_reg_write *ctx_workarounds[IGEN_NUM_CLASSES];
	/** @switch_workarounds: per class, masked registers written by a batch at each context switch; may be NULL */
	const struct igen_reg_write *switch_workarounds[IGEN_NUM_CLASSES];
	/**
	 * @eu_clear_threads: threads of a half-slice, 32 to 64, if registers and shared local memory keep what they
	 * have from one client's threads to another's, and are to be cleared (engine/igen_eu_clear.c); 0: not
	 */
	u8 eu_clear_threads;
	/** @eu_clear_groups: half-slices, if @eu_clear_threads is not 0 */
	u8 eu_clear_groups;
	/** @eu_pools: MEDIA_POOL_STATE's third dword, if all of three subslices are there; 0: EUs are not pooled */
	u32 eu_pools;
	/**
	 * @null_state: the first context of the render engine executes the null state (igen/batch/null.h); else the
	 * default state is what a reset leaves
	 */
	bool null_state;
	/** @gates_subslices: the hardware may power subslices down one by one */
	bool gates_subslices;
	/** @exclusive_ggtt: behind an IOMMU, no CPU may use the aperture while entries of the GGTT are written */
	bool exclusive_ggtt;
	/** @indirect_ctx_offset: where in the context load that batch runs, in cache lines */
	u8 indirect_ctx_offset;
	/**
	 * @global_stores: what a batch without privilege stores goes through the GGTT, so no client's batch may run
	 * without being checked: the engines have privileged_copies, and tables that give stores other addresses.
	 * Userspace is told of an aliasing PPGTT, as it knows this part by that
	 */
	bool global_stores;
	/** @expect: what a healthy device of the family answers, for a bring-up; ends with an empty row */
	const struct igen_expect *expect;
	/** @expect_part: the same for this part alone */
	const struct igen_expect *expect_part;
	/** @whitelist: per class, registers for FORCE_TO_NONPRIV, ends with an empty row; may be NULL */
	const struct igen_nonpriv *whitelist[IGEN_NUM_CLASSES];
};

extern const struct igen_platform igen_platform_snb_gt1, igen_platform_snb_gt2;
extern const struct igen_platform igen_platform_ivb_gt1, igen_platform_ivb_gt2;
extern const struct igen_platform igen_platform_skl_gt1, igen_platform_skl_gt2;
extern const struct igen_platform igen_platform_skl_gt3, igen_platform_skl_gt4;
extern const struct igen_platform igen_platform_kbl_gt1, igen_platform_kbl_gt2;
extern const struct igen_platform igen_platform_kbl_gt3, igen_platform_kbl_gt4;
extern const struct igen_platform igen_platform_cfl_gt1, igen_platform_cfl_gt2, igen_platform_cfl_gt3;
extern const struct igen_platform igen_platform_whl_gt1, igen_platform_whl_gt2, igen_platform_whl_gt3;
extern const struct igen_platform igen_platform_cml_gt1, igen_platform_cml_gt2;
extern const struct igen_platform igen_platform_aml_kbl;	/* Amber Lake as a Kaby Lake */
extern const struct igen_platform igen_platform_aml_cfl;	/* and as a Coffee Lake */
extern const struct igen_platform igen_platform_bxt, igen_platform_glk;

extern const struct pci_device_id igen_pci_ids[];

/** enum igen_asked - what the administrator says about a device */
enum igen_asked {
	IGEN_UNASKED,
	IGEN_ASKED,
	IGEN_FORBIDDEN
};

enum igen_asked igen_force_probe_asks(const char *list, u16 device);
int igen_probe_allowed(struct pci_dev *pdev, bool known);

#endif
