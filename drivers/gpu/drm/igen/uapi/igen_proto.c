// SPDX-License-Identifier: MIT
/**
 * DOC: Making contexts
 *
 * A context starts as a proto-context: parameters, and optionally an address space and an engine map. It becomes a
 * context when it is first used. A balanced slot begins on one of its siblings, in turn, so that contexts spread over
 * the engines. Its requests run on the sibling that is free first (submit/igen_balance.c). Bonds are checked and
 * otherwise ignored, as in i915, since a physical engine has no choice. Parallel submission is refused.
 */
#include <drm/drm_syncobj.h>
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../mm/igen_budget.h"
#include "../mm/igen_vm.h"
#include "../submit/igen_request.h"
#include "igen_context.h"

/* i915's default. A request takes little of the ring, so this is dozens of batches. */
#define DEFAULT_RING_SIZE SZ_16K

/* Bytes of slab memory for a proto-context and its entry in the file's table. */
#define PROTO_BYTES	(sizeof(struct igen_proto_context) + SZ_64)

/**
 * igen_proto_create - an empty proto-context
 * @file: the file to which it will belong
 * @create_flags: I915_CONTEXT_CREATE_FLAGS_*
 *
 * May sleep.
 *
 * Return: it, or ERR_PTR(-ENOMEM).
 */
struct igen_proto_context *igen_proto_create(struct igen_file *file, unsigned int create_flags)
{
	struct igen_budget *budget = file->client->budget;
	struct igen_device *igen = file->igen;
	struct igen_proto_context *pc;

	if (igen_budget_charge_room(igen, budget, PROTO_BYTES))
		return ERR_PTR(-ENOMEM);
	pc = kzalloc(sizeof(*pc), IGEN_GFP_CLIENT);
	if (!pc) {
		igen_budget_uncharge(budget, PROTO_BYTES);
		return ERR_PTR(-ENOMEM);
	}

	pc->budget = budget;
	pc->num_engines = -1;
	pc->priority = IGEN_PRIORITY_NORMAL;
	pc->ring_size = DEFAULT_RING_SIZE;
	pc->flags = BIT(IGEN_CONTEXT_BANNABLE) | BIT(IGEN_CONTEXT_RECOVERABLE);
	if (READ_ONCE(igen->params.enable_hangcheck))
		pc->flags |= BIT(IGEN_CONTEXT_PERSISTENT);
	if (create_flags & I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE)
		pc->flags |= BIT(IGEN_CONTEXT_SINGLE_TIMELINE);
	return pc;
}

/* The siblings of a slot are a few pointers, since all of them are different engines of one class. */
static size_t engine_map_bytes(unsigned int num_engines)
{
	return num_engines * (sizeof(struct igen_proto_engine) + 2 * sizeof(struct igen_engine *));
}

static void engine_map_free(struct igen_proto_engine *engines, int count)
{
	while (--count >= 0)
		kfree(engines[count].siblings);
	kfree(engines);
}

/**
 * igen_proto_free - frees a proto-context and what it holds
 * @pc: the proto-context, which no handle names any more
 */
void igen_proto_free(struct igen_proto_context *pc)
{
	struct igen_budget *budget = pc->budget;

	if (pc->num_engines > 0)
		igen_budget_uncharge(budget, engine_map_bytes(pc->num_engines));
	engine_map_free(pc->engines, pc->num_engines);
	igen_vm_put(pc->vm);
	kfree(pc);
	igen_budget_uncharge(budget, PROTO_BYTES);
}

/* The data of the extensions of an engine map. */
struct map_args {
	struct igen_device *igen;
	struct igen_proto_engine *engines;
	unsigned int num_engines;
};

static struct igen_engine *engine_map_user_engine(struct igen_device *igen, const struct i915_engine_class_instance *ci)
{
	return igen_engine_lookup(igen, ci->engine_class, ci->engine_instance);
}

/* Reads the siblings of a balanced slot: different engines of one class. */
static int engine_map_read_siblings(const struct map_args *map, const struct i915_engine_class_instance __user *user,
				    struct igen_engine **siblings, unsigned int count)
{
	struct i915_engine_class_instance ci;
	unsigned int n, m;

	for (n = 0; n < count; n++) {
		if (copy_from_user(&ci, &user[n], sizeof(ci)))
			return -EFAULT;

		siblings[n] = engine_map_user_engine(map->igen, &ci);
		if (!siblings[n] || siblings[n]->info->class != siblings[0]->info->class)
			return -EINVAL;
		for (m = 0; m < n; m++)
			if (siblings[m] == siblings[n])
				return -EINVAL;
	}
	return 0;
}

static int engine_map_balance(struct i915_user_extension __user *base, void *data)
{
	struct i915_context_engines_load_balance __user *user =
		(struct i915_context_engines_load_balance __user *)base;
	const struct map_args *map = data;
	struct i915_context_engines_load_balance ext;
	struct igen_engine **siblings;
	unsigned int idx;
	int err;

	if (copy_from_user(&ext, user, sizeof(ext)))
		return -EFAULT;
	if (ext.engine_index >= map->num_engines)
		return -EINVAL;
	idx = array_index_nospec(ext.engine_index, map->num_engines);
	if (map->engines[idx].engine)
		return -EEXIST;
	if (ext.flags || ext.mbz64)
		return -EINVAL;
	if (!ext.num_siblings)
		return 0;

	siblings = kmalloc_array(ext.num_siblings, sizeof(*siblings), IGEN_GFP_CLIENT);
	if (!siblings)
		return -ENOMEM;

	err = engine_map_read_siblings(map, user->engines, siblings, ext.num_siblings);
	if (err) {
		kfree(siblings);
		return err;
	}

	map->engines[idx].engine = siblings[0];
	if (ext.num_siblings == 1) {
		kfree(siblings);
	} else {
		map->engines[idx].siblings = siblings;
		map->engines[idx].num_siblings = ext.num_siblings;
	}
	return 0;
}

static int engine_map_bond(struct i915_user_extension __user *base, void *data)
{
	struct i915_context_engines_bond __user *user = (struct i915_context_engines_bond __user *)base;
	const struct map_args *map = data;
	struct i915_context_engines_bond ext;
	struct i915_engine_class_instance ci;
	unsigned int n, idx;

	if (copy_from_user(&ext, user, sizeof(ext)))
		return -EFAULT;
	if (ext.virtual_index >= map->num_engines)
		return -EINVAL;
	idx = array_index_nospec(ext.virtual_index, map->num_engines);
	if (!map->engines[idx].engine || map->engines[idx].siblings)
		return -EINVAL;
	if (ext.flags)
		return -EINVAL;
	for (n = 0; n < ARRAY_SIZE(ext.mbz64); n++)
		if (ext.mbz64[n])
			return -EINVAL;
	if (!engine_map_user_engine(map->igen, &ext.master))
		return -EINVAL;

	for (n = 0; n < ext.num_bonds; n++) {
		if (copy_from_user(&ci, &user->engines[n], sizeof(ci)))
			return -EFAULT;
		if (!engine_map_user_engine(map->igen, &ci))
			return -EINVAL;
	}
	return 0;
}

static int engine_map_parallel(struct i915_user_extension __user *base, void *data)
{
	const struct map_args *map = data;

	drm_dbg(&map->igen->drm, "parallel submission is not supported\n");
	return -ENODEV;
}

static const igen_extension_fn map_extensions[] = {
	[I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE] = engine_map_balance,
	[I915_CONTEXT_ENGINES_EXT_BOND] = engine_map_bond,
	[I915_CONTEXT_ENGINES_EXT_PARALLEL_SUBMIT] = engine_map_parallel,
};

/* Reads the engines of a map's slots; a slot may be left empty. */
static int engine_map_read(struct map_args *map, const struct i915_engine_class_instance __user *user)
{
	struct i915_engine_class_instance ci;
	unsigned int n;

	for (n = 0; n < map->num_engines; n++) {
		if (copy_from_user(&ci, &user[n], sizeof(ci)))
			return -EFAULT;
		if (ci.engine_class == (u16)I915_ENGINE_CLASS_INVALID &&
		    ci.engine_instance == (u16)I915_ENGINE_CLASS_INVALID_NONE)
			continue;

		map->engines[n].engine = engine_map_user_engine(map->igen, &ci);
		if (!map->engines[n].engine)
			return -ENOENT;
	}
	return 0;
}

/**
 * igen_proto_set_engines - I915_CONTEXT_PARAM_ENGINES
 * @file: the file
 * @pc: the proto-context
 * @args: the user's array
 *
 * Return: 0; -EINVAL for a second map, a bad size or a bad extension; -ENOENT for an engine that is not there;
 * -EFAULT, -ENOMEM, -EEXIST, -ENODEV.
 */
int igen_proto_set_engines(struct igen_file *file, struct igen_proto_context *pc,
			   const struct drm_i915_gem_context_param *args)
{
	struct i915_context_param_engines __user *user = u64_to_user_ptr(args->value);
	struct map_args map = { .igen = file->igen };
	u64 extensions;
	int err;

	if (pc->num_engines >= 0)
		return -EINVAL;
	if (args->size < sizeof(*user) || (args->size - sizeof(*user)) % sizeof(user->engines[0]))
		return -EINVAL;
	map.num_engines = (args->size - sizeof(*user)) / sizeof(user->engines[0]);
	/* Execbuf has six bits for the slot. */
	if (map.num_engines > I915_EXEC_RING_MASK + 1)
		return -EINVAL;

	map.engines = kcalloc(map.num_engines, sizeof(*map.engines), IGEN_GFP_CLIENT);
	if (!map.engines)
		return -ENOMEM;

	err = engine_map_read(&map, user->engines);
	if (err)
		goto err_free;

	err = -EFAULT;
	if (get_user(extensions, &user->extensions))
		goto err_free;
	err = igen_user_extensions(u64_to_user_ptr(extensions), map_extensions, ARRAY_SIZE(map_extensions), &map);
	if (err)
		goto err_free;

	err = igen_budget_charge(pc->budget, engine_map_bytes(map.num_engines));
	if (err)
		goto err_free;
	pc->num_engines = map.num_engines;
	pc->engines = map.engines;
	return 0;

err_free:
	engine_map_free(map.engines, map.num_engines);
	return err;
}

/* Legacy contexts have one slot an engine of the platform; execbuf finds it by enum igen_engine_id. */
static void engine_map_default(struct igen_context *ctx)
{
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(ctx->igen, id, engine)
		ctx->engines[id].engine = engine;
}

static void engine_map_user(struct igen_context *ctx, const struct igen_proto_context *pc)
{
	static atomic_t turn = ATOMIC_INIT(0);
	const struct igen_proto_engine *pe;
	struct igen_ctx_engine *ce;
	unsigned int sibling;
	int n;

	for (n = 0; n < pc->num_engines; n++) {
		pe = &pc->engines[n];
		ce = &ctx->engines[n];
		ce->engine = pe->engine;
		if (!pe->siblings)
			continue;
		ce->engine = pe->siblings[(unsigned int)atomic_inc_return(&turn) % pe->num_siblings];
		for (sibling = 0; sibling < pe->num_siblings; sibling++)
			ce->siblings |= BIT(pe->siblings[sibling]->info->id);
	}
}

/**
 * igen_proto_finalize - makes the context of a proto-context
 * @file: the file that will own the context
 * @pc: the parameters, which the caller keeps
 *
 * Return: a context with one reference, not yet published; ERR_PTR.
 */
struct igen_context *igen_proto_finalize(struct igen_file *file, struct igen_proto_context *pc)
{
	unsigned int slots = pc->num_engines >= 0 ? pc->num_engines : IGEN_NUM_ENGINES;
	struct igen_context *ctx;
	struct igen_vm *vm;
	int err;

	vm = pc->vm ? igen_vm_get(pc->vm) : igen_ppgtt_create(file->igen, file->client->budget);
	if (IS_ERR(vm))
		return ERR_CAST(vm);

	ctx = igen_context_create(file->igen, vm, slots);
	igen_vm_put(vm);
	if (IS_ERR(ctx))
		return ctx;

	igen_shadows_init(ctx);
	igen_client_add_context(file->client, ctx);
	ctx->priority = pc->priority;
	ctx->ring_size = pc->ring_size;
	ctx->flags = pc->flags;
	ctx->user_engines = pc->num_engines >= 0;
	if (ctx->user_engines)
		engine_map_user(ctx, pc);
	else
		engine_map_default(ctx);

	if (pc->flags & BIT(IGEN_CONTEXT_SINGLE_TIMELINE)) {
		err = drm_syncobj_create(&ctx->syncobj, DRM_SYNCOBJ_CREATE_SIGNALED, NULL);
		if (err) {
			igen_context_put(ctx);
			return ERR_PTR(err);
		}
	}
	return ctx;
}
