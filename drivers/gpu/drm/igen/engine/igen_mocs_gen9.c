// SPDX-License-Identifier: MIT
/**
 * DOC: Memory object control state of Gen9
 *
 * A surface or command names an entry of these tables for how its memory is cached: each engine has one for the last
 * level cache, and one for the L3, two entries a register, is shared by what uses the L3 and saved with the
 * render context (public Gen9 PRM Vol 2c, GFX_MOCS and LNCFCMOCS). All entries are written, those that
 * userspace knows nothing of with a default, since a reset leaves them undefined.
 */
#include <igen/regs/gt.h>

#include "../igen_device.h"

static const struct igen_mocs_entry *mocs_entry(const struct igen_platform *platform, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < platform->num_mocs; i++) {
		if (platform->mocs[i].index == index)
			return &platform->mocs[i];
	}

	return &platform->mocs[platform->mocs_unused];
}

/**
 * igen_mocs_gen9 - igen_platform.engine_mocs: writes an engine's table, for the render engine the L3's as well
 * @engine: the engine, just reset; forcewake of all domains held
 */
void igen_mocs_gen9(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	const struct igen_platform *platform = igen->platform;
	unsigned int i;

	for (i = 0; i < MOCS_ENTRIES; i++)
		igen_write(igen, engine->info->mocs_base + i * 4, mocs_entry(platform, i)->control);

	if (engine->info->class != IGEN_CLASS_RENDER)
		return;

	for (i = 0; i < LNCF_MOCS_REGS; i++)
		igen_write(igen, LNCF_MOCS(i),
			   mocs_entry(platform, 2 * i)->l3cc | (u32)mocs_entry(platform, 2 * i + 1)->l3cc << 16);
}
