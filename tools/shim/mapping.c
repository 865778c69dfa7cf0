// SPDX-License-Identifier: MIT
/**
 * DOC: Objects in the program's address space
 *
 * A mapping is one of the memory file, or of a process before a fork, at the object's place. It keeps the object, as in
 * the kernel: so mappings are noted, and munmap() of the program is looked at.
 *
 * What MMAP_OFFSET gives names the object by its place in the model's memory. A mapping through the GTT of a tiled
 * object would show its pixels in lines, which takes a page fault for each access: it is refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu.h"

#define FIRST_OFFSET	(1ull << 40)

struct mapping {
	uintptr_t addr;
	size_t size;
	struct bo *bo;
};

static struct mapping *mappings;	/* by address */
static unsigned int num, room;

static unsigned int position(uintptr_t addr)
{
	unsigned int low = 0, high = num;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (mappings[mid].addr + mappings[mid].size <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool note(uintptr_t addr, size_t size, struct bo *bo)
{
	unsigned int i;

	if (num == room) {
		unsigned int more_room = room ? 2 * room : 64;
		struct mapping *more = realloc(mappings, more_room * sizeof(*more));

		if (!more)
			return false;
		mappings = more;
		room = more_room;
	}
	i = position(addr);
	memmove(&mappings[i + 1], &mappings[i], (num - i) * sizeof(*mappings));
	mappings[i] = (struct mapping){ addr, size, bo_get(bo) };
	__atomic_store_n(&num, num + 1, __ATOMIC_RELAXED);
	return true;
}

/**
 * mapping_gone() - takes note that addresses are not mapped any more
 * @addr: the first one
 * @size: bytes
 *
 * shim.lock not held. Called behind each munmap() of the program.
 */
void mapping_gone(void *addr, size_t size)
{
	uintptr_t start = (uintptr_t)addr, end = start + round_up(size, PAGE);
	unsigned int i;

	if (!__atomic_load_n(&num, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&shim.lock);
	i = position(start);
	while (i < num && mappings[i].addr < end) {
		struct mapping *m = &mappings[i], old = *m;

		if (old.addr >= start && old.addr + old.size <= end) {
			memmove(m, m + 1, (num - i - 1) * sizeof(*m));
			__atomic_store_n(&num, num - 1, __ATOMIC_RELAXED);
			bo_put(old.bo);
			continue;
		}
		if (old.addr < start)
			m->size = start - old.addr;
		if (old.addr + old.size > end && old.addr >= start) {
			m->addr = end;
			m->size = old.addr + old.size - end;
		} else if (old.addr + old.size > end) {
			note(end, old.addr + old.size - end, old.bo);
		}
		i++;
	}
	pthread_mutex_unlock(&shim.lock);
}

/**
 * mapping_new() - maps a part of an object
 * @bo: the object
 * @at: where, as mmap() takes it
 * @offset: in the object
 * @size: bytes
 * @prot: as mmap() takes it
 * @flags: of mmap(): MAP_FIXED and what goes with it count; a mapping is always shared
 * @out: gets the address
 *
 * shim.lock held.
 *
 * Return: 0, or a negative error number.
 */
int mapping_new(struct bo *bo, void *at, uint64_t offset, uint64_t size, int prot, int flags, void **out)
{
	long ret;

	if (!bo->arena)
		return -ENODEV;
	if (!size || offset % PAGE || offset > bo->size || round_up(size, PAGE) > bo->size - offset)
		return -EINVAL;
	flags = (flags & ~(MAP_PRIVATE | MAP_SHARED_VALIDATE)) | MAP_SHARED;
	ret = syscall(SYS_mmap, at, size, prot, flags, bo->arena->fd, bo->pa + offset);
	if (ret == -1)
		return -errno;
	*out = (void *)ret;
	if (note((uintptr_t)ret, round_up(size, PAGE), bo))
		return 0;
	syscall(SYS_munmap, *out, size);
	return -ENOMEM;
}

struct bo *mapping_object(uint64_t offset, uint64_t *at)
{
	if (offset < FIRST_OFFSET)
		return NULL;
	offset -= FIRST_OFFSET;
	for (struct bo *bo = shim.bos; bo; bo = bo->next)
		if (offset >= bo->pa && offset < bo->pa + bo->size) {
			*at = offset - bo->pa;
			return bo;
		}
	return NULL;
}

uint64_t mapping_offset(const struct bo *bo)
{
	return FIRST_OFFSET + bo->pa;
}

int ioctl_gem_mmap(struct file *file, void *data)
{
	struct drm_i915_gem_mmap *args = data;
	struct bo *bo = bo_lookup(file, args->handle);
	void *addr;
	int err;

	if (args->flags & ~(uint64_t)I915_MMAP_WC)
		return -EINVAL;
	if (!bo)
		return -ENOENT;
	if (!bo->arena)
		return -ENXIO;
	if (args->offset > bo->size || args->size > bo->size - args->offset)
		return -EINVAL;
	err = mapping_new(bo, NULL, args->offset, args->size, PROT_READ | PROT_WRITE, MAP_SHARED, &addr);
	if (!err)
		args->addr_ptr = (uintptr_t)addr;
	return err;
}

int ioctl_gem_mmap_offset(struct file *file, void *data)
{
	struct drm_i915_gem_mmap_offset *args = data;
	struct bo *bo = bo_lookup(file, args->handle);

	if (args->extensions)
		return -EINVAL;
	switch (args->flags) {
	case I915_MMAP_OFFSET_GTT:
	case I915_MMAP_OFFSET_WC:
	case I915_MMAP_OFFSET_WB:
	case I915_MMAP_OFFSET_UC:
		break;
	default:
		/* A fixed caching is for parts with memory of their own. */
		return args->flags == I915_MMAP_OFFSET_FIXED ? -ENODEV : -EINVAL;
	}
	if (!bo)
		return -ENOENT;
	if (!bo->arena)
		return -ENODEV;
	if (args->flags == I915_MMAP_OFFSET_GTT && bo->tiling) {
		shim_say("a mapping through the GTT of a tiled object is not supported");
		return -ENODEV;
	}
	args->offset = mapping_offset(bo);
	return 0;
}
