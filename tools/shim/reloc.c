// SPDX-License-Identifier: MIT
/**
 * DOC: Relocations
 *
 * An entry names a place in an object where an address of another object stands, and which address that was when the
 * program wrote it. Where the other object is elsewhere now, the place and the entry are written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec.h"
#include "mem/mem.h"

#define MAX_RELOCS	(1u << 20)	/* of an object */

static int domains_check(const struct drm_i915_gem_relocation_entry *r)
{
	uint32_t write = r->write_domain, both = write | r->read_domains;

	/* One unit writes, and units only: the CPU's side is not the engine's business. */
	if (write & (write - 1) || both & ~(uint32_t)(I915_GEM_DOMAIN_RENDER | I915_GEM_DOMAIN_SAMPLER |
						      I915_GEM_DOMAIN_COMMAND | I915_GEM_DOMAIN_INSTRUCTION |
						      I915_GEM_DOMAIN_VERTEX))
		return -EINVAL;
	return 0;
}

static int relocate_one(struct exec *x, const struct exec_object *o, struct drm_i915_gem_relocation_entry *r,
			uint64_t user)
{
	unsigned int bytes = gpu_device()->platform->tables == &page_tables_gen8 ? 8 : 4;
	const struct exec_object *target = exec_object_by(x, r->target_handle);
	uint64_t value;
	int err;

	if (!target)
		return -ENOENT;
	err = domains_check(r);
	if (err)
		return err;
	if (r->offset % 4 || r->offset > o->bo->size || bytes > o->bo->size - r->offset)
		return -EINVAL;
	if (r->presumed_offset == target->vma->addr)
		return 0;
	value = exec_canonical(target->vma->addr) + r->delta;
	memcpy(o->bo->cpu + r->offset, &value, bytes);
	value = exec_canonical(target->vma->addr);
	return copy_out(user + offsetof(struct drm_i915_gem_relocation_entry, presumed_offset), &value, sizeof(value));
}

/**
 * exec_relocate() - writes the addresses of a submission's objects into them
 * @x: the submission, its objects bound
 *
 * shim.lock held.
 *
 * Return: 0, or a negative error number.
 */
int exec_relocate(struct exec *x)
{
	for (unsigned int i = 0; i < x->n; i++) {
		const struct exec_object *o = &x->object[i];
		uint32_t n = o->user.relocation_count;
		struct drm_i915_gem_relocation_entry *r;
		int err = 0;

		if (!n)
			continue;
		if (n > MAX_RELOCS)
			return -ENOMEM;
		r = malloc(n * sizeof(*r));
		if (!r)
			return -ENOMEM;
		if (copy_in(r, o->user.relocs_ptr, n * sizeof(*r)))
			err = -EFAULT;
		for (uint32_t k = 0; !err && k < n; k++)
			err = relocate_one(x, o, &r[k], o->user.relocs_ptr + k * sizeof(*r));
		free(r);
		if (err)
			return err;
	}
	return 0;
}
