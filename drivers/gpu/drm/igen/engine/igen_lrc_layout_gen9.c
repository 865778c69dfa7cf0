// SPDX-License-Identifier: MIT
/**
 * DOC: The register state of a logical context
 *
 * The register state is a list of MI_LOAD_REGISTER_IMM commands that the engine executes when it loads the context and
 * fills in when it saves it. The driver writes the skeleton: commands and register offsets, with values zero (KBL Vol
 * 3, "BSD Logical Render Context Address", "Copy Engine Logical Context Data", "Video Enhancement Logical
 * Context Data"). The engines' lists differ in one group alone: the blitter has its tiling register there, the render
 * engine its power clock state and, behind the common part, pages of pipeline state that only the hardware writes.
 */
#include <linux/kernel.h>

#include <igen/cmd/mi.h>
#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "igen_lrc.h"

/** struct lri_group - NOOPs, then one MI_LOAD_REGISTER_IMM of registers at consecutive offsets in @regs */
struct lri_group {
	/** @noops: dwords before the command */
	u8 noops;
	/** @posted: force the writes posted */
	bool posted;
	/** @count: registers */
	u8 count;
	/** @regs: their offsets from the engine's base */
	const u16 *regs;
};

static const u16 execlist_regs[] = {
	0x244, 0x034, 0x030, 0x038, 0x03c, 0x168, 0x140, 0x110, 0x11c, 0x114, 0x118, 0x1c0, 0x1c4, 0x1c8,
};

static const u16 ppgtt_regs[] = {
	0x3a8, 0x28c, 0x288, 0x284, 0x280, 0x27c, 0x278, 0x274, 0x270,
};

static const u16 power_regs[] = { 0x0c8 };
static const u16 tile_regs[] = { 0x200 };

static const u16 engine_regs[] = {
	0x028, 0x09c, 0x0c0, 0x178, 0x17c, 0x358, 0x170, 0x150, 0x154, 0x158, 0x41c,
	0x600, 0x604, 0x608, 0x60c, 0x610, 0x614, 0x618, 0x61c, 0x620, 0x624, 0x628, 0x62c, 0x630, 0x634, 0x638, 0x63c,
	0x640, 0x644, 0x648, 0x64c, 0x650, 0x654, 0x658, 0x65c, 0x660, 0x664, 0x668, 0x66c, 0x670, 0x674, 0x678, 0x67c,
	0x068,
};

#define GROUP(noops__, posted__, regs__)	{ noops__, posted__, ARRAY_SIZE(regs__), regs__ }

static const struct lri_group render_layout[] = {
	GROUP(1, true, execlist_regs), GROUP(3, true, ppgtt_regs), GROUP(13, false, power_regs),
	GROUP(13, true, engine_regs), {}
};

static const struct lri_group copy_layout[] = {
	GROUP(1, true, execlist_regs), GROUP(3, true, ppgtt_regs), GROUP(13, false, tile_regs),
	GROUP(13, true, engine_regs), {}
};

/* Where the others have their own group, NOOPs: 12, 16 and one before the last. */
static const struct lri_group video_layout[] = {
	GROUP(1, true, execlist_regs), GROUP(3, true, ppgtt_regs), GROUP(29, true, engine_regs), {}
};

static const struct lri_group * const layouts[IGEN_NUM_CLASSES] = {
	[IGEN_CLASS_RENDER] = render_layout,
	[IGEN_CLASS_COPY] = copy_layout,
	[IGEN_CLASS_VIDEO] = video_layout,
	[IGEN_CLASS_VIDEO_ENHANCE] = video_layout,
};

/**
 * igen_lrc_write_layout - writes the skeleton of an engine's register state
 * @engine: the engine
 * @regs: the register state, zeroed or of an engine of the same class, whose values stay; at least one page
 *
 * Return: dwords that the engine's list takes.
 */
unsigned int igen_lrc_write_layout(const struct igen_engine *engine, u32 *regs)
{
	const struct lri_group *group;
	u32 *start = regs;
	unsigned int i;

	for (group = layouts[engine->info->class]; group->count; group++) {
		regs += group->noops;
		*regs++ = MI_LOAD_REGISTER_IMM(group->count) | (group->posted ? MI_LRI_FORCE_POSTED : 0);
		for (i = 0; i < group->count; i++) {
			*regs = engine->info->base + group->regs[i];
			regs += 2;
		}
	}

	return regs - start;
}
