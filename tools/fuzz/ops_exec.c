// SPDX-License-Identifier: MIT
/*
 * DOC: Calls: execbuf, its parts, and batches
 */
#include <string.h>
#include <sys/ioctl.h>
#include <i915_drm.h>

#include <igen/cmd/mi.h>

#include "fuzz.h"

#define BATCH_DWORDS 64

/* What a batch does, by the argument "kind". */
enum batch_kind {
	B_END, B_STORE, B_NOOPS, B_REGISTERS, B_STORE_REGISTER, B_LOAD_REGISTER, B_ATOMIC, B_CONDITIONAL, B_FLUSH,
	B_ARBITRATE, B_BLT, B_SECOND, B_MATH, B_SEMAPHORE_PASS, B_COPY, B_UNKNOWN, B_PIPE, B_RANDOM,
	/* and those that may not end */
	B_LOOP, B_SEMAPHORE, B_NO_END, B_JUMP, NBATCHES,
};

static unsigned int emit(uint32_t *cs, uint64_t kind, uint64_t addr, uint64_t reg, uint64_t val)
{
	const uint32_t low = addr, high = addr >> 32;
	uint64_t state = val | 1;
	unsigned int n = 0, i;

#define OUT(x) (cs[n++] = (x))
	switch (kind) {
	case B_STORE:
		OUT(MI_STORE_DATA_IMM_DW); OUT(low); OUT(high); OUT(val);
		break;
	case B_NOOPS:
		n = 32;
		break;
	case B_REGISTERS:
		OUT(MI_LOAD_REGISTER_IMM(1 + val % 3));
		for (i = 0; i <= val % 3; i++) {
			OUT((uint32_t)reg + 4 * i); OUT(val);
		}
		break;
	case B_STORE_REGISTER:
		OUT(MI_STORE_REGISTER_MEM); OUT(reg); OUT(low); OUT(high);
		break;
	case B_LOAD_REGISTER:
		OUT(MI_LOAD_REGISTER_MEM); OUT(reg); OUT(low); OUT(high);
		break;
	case B_ATOMIC:
		OUT(MI_ATOMIC | (val & 0xffff) << 8); OUT(low); OUT(high);
		break;
	case B_CONDITIONAL:
		OUT(MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE); OUT(val); OUT(low); OUT(high);
		break;
	case B_FLUSH:
		OUT(MI_FLUSH_DW | (val & (MI_FLUSH_DW_POST_SYNC_MASK | MI_FLUSH_DW_NOTIFY |
					  MI_FLUSH_DW_TLB_INVALIDATE)));
		OUT(low); OUT(high); OUT(val); OUT(0);
		break;
	case B_ARBITRATE:
		OUT(MI_ARB_ON_OFF | (val & 3)); OUT(MI_ARB_CHECK); OUT(MI_USER_INTERRUPT);
		OUT(MI_ARB_ON_OFF | MI_ARB_ENABLE);
		break;
	case B_BLT:
		/* XY_COLOR_BLT: 16 pixels in 16 rows */
		OUT(2u << 29 | 0x50u << 22 | 3u << 20 | 5); OUT(3u << 24 | 0xf0u << 16 | 64); OUT(0);
		OUT(16u << 16 | 16); OUT(low); OUT(high); OUT(val);
		break;
	case B_SECOND:
		OUT(MI_BATCH_BUFFER_START | MI_BBS_SECOND_LEVEL | MI_BBS_PPGTT); OUT(low); OUT(high);
		break;
	case B_MATH:
		OUT(MI_MATH(4)); OUT(MI_ALU(MI_ALU_LOAD, MI_ALU_SRCA, 0)); OUT(MI_ALU(MI_ALU_LOAD, MI_ALU_SRCB, 1));
		OUT(MI_ALU(val & 0xfff, 0, 0)); OUT(MI_ALU(MI_ALU_STORE, 2, MI_ALU_ACCU));
		break;
	case B_SEMAPHORE_PASS:
		OUT(MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD); OUT(0); OUT(low); OUT(high);
		break;
	case B_COPY:
		OUT(MI_COPY_MEM_MEM); OUT(low); OUT(high); OUT(low + 64); OUT(high);
		break;
	case B_UNKNOWN:
		OUT((uint32_t)val);
		break;
	case B_PIPE:
		OUT(3u << 29 | 3u << 27 | 2u << 24 | 4); OUT(val); OUT(low); OUT(high); OUT(val); OUT(0);
		break;
	case B_RANDOM:
		while (n < 16)
			OUT((uint32_t)random_next(&state));
		break;
	case B_LOOP:
		OUT(MI_ARB_CHECK); OUT(MI_BATCH_BUFFER_START | MI_BBS_PPGTT); OUT(low); OUT(high);
		break;
	case B_SEMAPHORE:
		OUT(MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_EQ_SDD); OUT(0x1badb002);
		OUT(low); OUT(high);
		break;
	case B_JUMP:
		OUT(MI_BATCH_BUFFER_START | (val & 0x1ffff)); OUT(low); OUT(high);
		break;
	}
	if (kind != B_NO_END)
		OUT(MI_BATCH_BUFFER_END);
	OUT(0);
#undef OUT
	return n;
}

/* batch fd h kind addr reg val at mut: writes commands into an object */
void run_batch(struct thread *t, const uint64_t *a)
{
	uint32_t cs[BATCH_DWORDS] = { 0 };
	struct drm_i915_gem_pwrite pwrite = { .handle = use(t, K_HANDLE, a[1]), .offset = a[6] };
	uint64_t kind = a[2] % NBATCHES;
	unsigned int n;

	if (kind >= B_LOOP && atomic_load(&t->lane->shared->calm))
		kind = B_END;
	n = emit(cs, kind, a[3], a[4], a[5]);
	/* One bit somewhere is another. */
	if (a[7])
		cs[(a[7] >> 5) % n] ^= 1u << (a[7] & 31);
	pwrite.size = n * 4;
	pwrite.data_ptr = put(t, cs, pwrite.size, P_GOOD);
	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_PWRITE, &pwrite);
}

void run_reloc(struct thread *t, const uint64_t *a)
{
	struct parts *parts = &t->parts;
	unsigned int n = parts->relocs;

	if (n == MAX_PARTS)
		return;
	parts->relocs++;
	parts->reloc[n].h = use(t, K_HANDLE, a[0]);
	parts->reloc[n].delta = a[1];
	parts->reloc[n].offset = a[2];
	parts->reloc[n].presumed = a[3];
	parts->reloc[n].read = a[4];
	parts->reloc[n].write = a[5];
}

/* An object takes the relocations since the last one. */
void run_obj(struct thread *t, const uint64_t *a)
{
	struct parts *parts = &t->parts;
	unsigned int n = parts->objects, taken = 0, i;
	struct object *object = &parts->object[n];

	if (n == MAX_PARTS)
		return;
	for (i = 0; i < n; i++)
		taken += parts->object[i].relocs;
	parts->objects++;
	object->h = use(t, K_HANDLE, a[0]);
	object->flags = a[1];
	object->offset = a[2];
	object->align = a[3];
	object->pad = a[4];
	object->where = a[5];
	object->first_reloc = taken;
	object->relocs = parts->relocs - taken;
}

void run_fence(struct thread *t, const uint64_t *a)
{
	struct parts *parts = &t->parts;
	unsigned int n = parts->fences;

	if (n == MAX_PARTS)
		return;
	parts->fences++;
	parts->fence[n].handle = use(t, K_SYNCOBJ, a[0]);
	parts->fence[n].flags = a[1];
	parts->fence[n].point = a[2];
}

static uint64_t put_relocs(struct thread *t, const struct object *object)
{
	struct drm_i915_gem_relocation_entry relocs[MAX_PARTS] = { 0 };
	const struct parts *parts = &t->parts;
	unsigned int i;

	if (!object->relocs)
		return 0;
	for (i = 0; i < object->relocs; i++) {
		relocs[i].target_handle = parts->reloc[object->first_reloc + i].h;
		relocs[i].delta = parts->reloc[object->first_reloc + i].delta;
		relocs[i].offset = parts->reloc[object->first_reloc + i].offset;
		relocs[i].presumed_offset = parts->reloc[object->first_reloc + i].presumed;
		relocs[i].read_domains = parts->reloc[object->first_reloc + i].read;
		relocs[i].write_domain = parts->reloc[object->first_reloc + i].write;
	}
	return put(t, relocs, object->relocs * sizeof(relocs[0]), object->where);
}

static uint64_t put_fences(struct thread *t, uint64_t where)
{
	struct drm_i915_gem_exec_fence fences[MAX_PARTS];
	unsigned int i;

	for (i = 0; i < t->parts.fences; i++) {
		fences[i].handle = t->parts.fence[i].handle;
		fences[i].flags = t->parts.fence[i].flags;
	}
	return put(t, fences, t->parts.fences * sizeof(fences[0]), where);
}

/* One extension's structure; returns its size. */
static size_t fill_extension(struct thread *t, const struct extension *ext, uint64_t *words)
{
	struct drm_i915_gem_execbuffer_ext_timeline_fences *timeline = (void *)words;
	struct drm_i915_gem_context_create_ext_setparam *param = (void *)words;
	struct i915_context_engines_load_balance *balance = (void *)words;
	struct i915_context_engines_bond *bond = (void *)words;
	struct drm_i915_gem_create_ext_memory_regions *regions = (void *)words;
	struct drm_i915_gem_memory_class_instance region = { ext->p[1], ext->p[2] };
	uint64_t points[MAX_PARTS];
	uint32_t bytes;
	unsigned int i;

	switch (ext->what) {
	case 0:
		for (i = 0; i < t->parts.fences; i++)
			points[i] = t->parts.fence[i].point;
		timeline->fence_count = ext->p[0] == 99 ? ext->p[1] : t->parts.fences;
		timeline->handles_ptr = put_fences(t, ext->p[2]);
		timeline->values_ptr = put(t, points, t->parts.fences * sizeof(points[0]), ext->p[3]);
		return sizeof(*timeline);
	case 1:
		param->param.param = ext->p[0];
		param->param.value = ext->p[1];
		param->param.size = ext->p[2];
		if (ext->p[0] == I915_CONTEXT_PARAM_ENGINES) {
			param->param.value = put_engines(t, ext->p[3], &bytes);
			param->param.size = ext->p[2] ?: bytes;
		} else if (ext->p[0] == I915_CONTEXT_PARAM_VM) {
			param->param.value = use(t, K_VM, ext->p[1]);
		}
		return sizeof(*param);
	case 2:
		balance->engine_index = ext->p[0];
		balance->num_siblings = ext->p[1];
		balance->flags = ext->p[2] == 77;
		for (i = 0; i < ext->p[1] && i < 8; i++) {
			balance->engines[i].engine_class = i < t->parts.engines ? t->parts.engine[i].class : 0;
			balance->engines[i].engine_instance = i < t->parts.engines ? t->parts.engine[i].instance : i;
		}
		return sizeof(*balance) + 8 * sizeof(balance->engines[0]);
	case 3:
		bond->master.engine_class = ext->p[2];
		bond->virtual_index = ext->p[0];
		bond->num_bonds = ext->p[1];
		return sizeof(*bond) + 4 * sizeof(bond->engines[0]);
	case 4:
		regions->num_regions = ext->p[0];
		regions->regions = put(t, &region, sizeof(region), ext->p[3]);
		return sizeof(*regions);
	default:
		words[4] = ext->p[0];
		words[5] = ext->p[1];
		return 64;
	}
}

/**
 * put_extensions - the extensions collected, as a chain
 * @t: the thread
 *
 * Return: address of the first, 0 for none.
 */
uint64_t put_extensions(struct thread *t)
{
	struct i915_user_extension *base;
	uint64_t words[16], next = 0, addr, first;
	unsigned int n = t->parts.extensions;
	size_t bytes;

	/* Kept from itself: an engine map may have extensions too, in an extension. */
	t->parts.extensions = 0;
	while (n--) {
		const struct extension *ext = &t->parts.extension[n];

		memset(words, 0, sizeof(words));
		bytes = fill_extension(t, ext, words);
		base = (void *)words;
		base->name = ext->name;
		base->next_extension = next;
		if (ext->chain == 2)
			base->next_extension = 0xffff888000001000ull;
		else if (ext->chain == 3)
			base->next_extension = 8;
		else if (ext->chain == 4)
			base->flags = 1;
		addr = put(t, words, bytes, ext->chain >= 8 ? ext->chain - 8 : P_GOOD);
		if (ext->chain == 1) {
			/* around in a circle */
			first = addr;
			memcpy((void *)(uintptr_t)addr, &first, sizeof(first));
		}
		next = addr;
	}
	return next;
}

void run_ext(struct thread *t, const uint64_t *a)
{
	struct extension *ext = &t->parts.extension[t->parts.extensions];

	if (t->parts.extensions == MAX_PARTS)
		return;
	t->parts.extensions++;
	ext->what = a[0];
	ext->name = a[1];
	ext->chain = a[2];
	memcpy(ext->p, a + 3, sizeof(ext->p));
}

/* exec fd ctx flags start len in new ptr */
void run_exec(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_exec_object2 objects[MAX_PARTS] = { 0 };
	struct drm_i915_gem_execbuffer2 exec = { 0 };
	const struct parts *parts = &t->parts;
	unsigned int i;

	for (i = 0; i < parts->objects; i++) {
		objects[i].handle = parts->object[i].h;
		objects[i].relocation_count = parts->object[i].relocs;
		objects[i].relocs_ptr = put_relocs(t, &parts->object[i]);
		objects[i].alignment = parts->object[i].align;
		objects[i].offset = parts->object[i].offset;
		objects[i].flags = parts->object[i].flags;
		objects[i].pad_to_size = parts->object[i].pad;
	}
	exec.buffers_ptr = put(t, objects, parts->objects * sizeof(objects[0]), a[7]);
	exec.buffer_count = parts->objects;
	exec.batch_start_offset = a[3];
	exec.batch_len = a[4];
	exec.flags = a[2];
	exec.rsvd1 = use(t, K_CTX, a[1]);
	if (exec.flags & (I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT))
		exec.rsvd2 = (uint32_t)use(t, K_FILE, a[5]);
	if (exec.flags & I915_EXEC_USE_EXTENSIONS) {
		exec.cliprects_ptr = put_extensions(t);
	} else if (exec.flags & I915_EXEC_FENCE_ARRAY) {
		exec.num_cliprects = parts->fences;
		exec.cliprects_ptr = put_fences(t, a[7]);
	}
	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &exec) &&
	    exec.flags & I915_EXEC_FENCE_OUT)
		put_slot(t, K_FILE, a[6], exec.rsvd2 >> 32);
}
