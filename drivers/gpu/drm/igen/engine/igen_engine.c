// SPDX-License-Identifier: MIT
/**
 * DOC: Bringing engines up
 *
 * The platform's table says which engines there may be, and fuses which of them are there. Each gets a hardware status
 * page in the GGTT and its backend's state when the device is probed; registers are programmed by
 * igen_engines_resume(), which also runs after a resume and, engine by engine, after a reset, since a reset forgets
 * them.
 */
#include <drm/drm_drv.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "igen_lrc.h"
#include "igen_workarounds.h"

#define HWSP_SIZE	4096

/* What i915 has by default, so that userspace's expectations of how long a hang lasts hold. */
static const struct igen_engine_props default_props = {
	.heartbeat_interval_ms = 2500,
	.preempt_timeout_ms = 640,
	.timeslice_duration_ms = 1,
	.stop_timeout_ms = 100,
	.max_busywait_duration_ns = 8000,
};

static void engine_destroy(struct igen_engine *engine)
{
	if (engine->backend)
		engine->igen->platform->submit->fini(engine);
	igen_ctx_wa_fini(engine);
	if (engine->hwsp)
		igen_ggtt_unpin_internal(engine->hwsp);
	kvfree(engine->default_state);
	kfree(engine);
}

static const struct igen_emit_ops *engine_emit_ops(const struct igen_device *igen, const struct igen_engine_info *info)
{
	const struct igen_platform *platform = igen->platform;

	if (platform->early_emit && igen_revision_is_in(igen, platform->early_revisions))
		return platform->early_emit;
	return info->emit;
}

static struct igen_engine *engine_create(struct igen_device *igen, const struct igen_engine_info *info)
{
	struct igen_engine *engine;
	void *vaddr;
	int err;

	engine = kzalloc(sizeof(*engine), GFP_KERNEL);
	if (!engine)
		return ERR_PTR(-ENOMEM);

	engine->igen = igen;
	engine->group = &igen->group[info->class];
	engine->info = info;
	engine->emit = engine_emit_ops(igen, info);
	engine->props = default_props;

	engine->hwsp = igen_ggtt_pin_internal(igen, HWSP_SIZE, 0, &vaddr);
	if (IS_ERR(engine->hwsp)) {
		err = PTR_ERR(engine->hwsp);
		engine->hwsp = NULL;
		goto fail;
	}
	engine->hwsp_vaddr = vaddr;

	if (igen->platform->context->engine_init) {
		err = igen->platform->context->engine_init(engine);
		if (err)
			goto fail;
	}

	err = igen->platform->submit->init(engine);
	if (err)
		goto fail;

	return engine;

fail:
	engine_destroy(engine);
	return ERR_PTR(err);
}

static void engine_init_groups(struct igen_device *igen)
{
	struct igen_engine_group *group;

	for_each_group(igen, group) {
		group->igen = igen;
		spin_lock_init(&group->lock);
		spin_lock_init(&group->lrcs_lock);
		INIT_LIST_HEAD(&group->active_lrcs);
		INIT_LIST_HEAD(&group->pinned_lrcs);
		spin_lock_init(&group->irq_lock);
		INIT_LIST_HEAD(&group->signalers);
	}
}

/**
 * igen_engines_probe - finds out which of the platform's engines are there
 * @igen: the device; its registers answer, forcewake is not needed for fuses
 */
void igen_engines_probe(struct igen_device *igen)
{
	const struct igen_platform *platform = igen->platform;
	unsigned int i;

	igen->engine_mask = 0;
	for (i = 0; i < platform->num_engines; i++) {
		const struct igen_engine_info *info = &platform->engines[i];
		u32 fused_off = platform->fused_off ? platform->fused_off(igen, info->class) : 0;

		if (!(fused_off & BIT(info->hw_instance)))
			igen->engine_mask |= BIT(info->id);
	}
}

/**
 * igen_engines_init - allocates the engines that are there
 * @igen: the device; its GGTT is there, and igen_engines_probe() was called
 *
 * Touches no register. May sleep.
 *
 * Return: 0, or -ENOMEM, -ENOSPC; then nothing is left.
 */
int igen_engines_init(struct igen_device *igen)
{
	static atomic64_t last_device = ATOMIC64_INIT(0);
	const struct igen_platform *platform = igen->platform;
	struct igen_engine *engine;
	unsigned int i;
	int err;

	igen->serial = atomic64_inc_return(&last_device);
	engine_init_groups(igen);
	for (i = 0; i < platform->num_engines; i++) {
		const struct igen_engine_info *info = &platform->engines[i];

		if (!(igen->engine_mask & BIT(info->id)))
			continue;
		engine = engine_create(igen, info);
		if (IS_ERR(engine)) {
			err = PTR_ERR(engine);
			goto fail;
		}
		igen->engine[info->id] = engine;
		engine->group->engine[engine->group->num_engines++] = engine;

		err = igen_inject_probe_error(igen, info->name);
		if (err)
			goto fail;
	}

	igen_irq_init(igen);
	return 0;

fail:
	igen_engines_fini(igen);
	return err;
}

/**
 * igen_engines_fini - frees the engines
 * @igen: the device; nothing of it runs any more
 */
void igen_engines_fini(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(igen, id, engine) {
		igen->engine[id] = NULL;
		engine->group->num_engines = 0;
		engine_destroy(engine);
	}
}

/**
 * igen_engine_resume - programs one engine's registers
 * @engine: an engine that was just reset; forcewake of all domains held
 *
 * Return: 0, or what the backend failed with.
 */
int igen_engine_resume(struct igen_engine *engine)
{
	const struct igen_platform *platform = engine->igen->platform;

	igen_engine_apply_workarounds(engine);
	if (platform->engine_mocs)
		platform->engine_mocs(engine);
	return platform->submit->resume(engine);
}

/**
 * igen_gt_resume - programs what lies outside of the engines
 * @igen: the device, after probe, resume or a full reset; forcewake of all domains held
 */
void igen_gt_resume(struct igen_device *igen)
{
	igen_apply_gt_workarounds(igen);
	igen_power_resume(igen);
}

/**
 * igen_engines_resume - programs all engines
 * @igen: the device, after probe, resume or a full reset
 *
 * May sleep.
 *
 * Return: 0, -EIO when the power wells don't wake, or what the backend failed with.
 */
int igen_engines_resume(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;
	int err;

	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (err)
		return err;

	igen_gt_resume(igen);
	for_each_engine(igen, id, engine) {
		err = igen_engine_resume(engine);
		if (err) {
			drm_err(&igen->drm, "%s: does not start: %d\n", engine->info->name, err);
			break;
		}
	}

	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	return err;
}

/**
 * igen_engine_lookup - finds an engine as userspace names it
 * @igen: the device
 * @class: enum drm_i915_gem_engine_class
 * @instance: its number in the class
 *
 * Return: the engine or NULL.
 */
struct igen_engine *igen_engine_lookup(struct igen_device *igen, u16 class, u16 instance)
{
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(igen, id, engine) {
		if (engine->info->class == class && engine->info->instance == instance)
			return engine;
	}

	return NULL;
}
