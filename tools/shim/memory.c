// SPDX-License-Identifier: MIT
/**
 * DOC: Memory as the model sees it
 *
 * The model's guest memory (mem/mem.h) is this process's own: a table tells for each page of physical addresses where
 * in the process it is. This file takes the place of the model's mem/gmem.c, so an object, a page table and even the
 * program's own memory (USERPTR) are accessed where they are, without a copy.
 *
 * Objects lie in a memory file, so that a program can map them any number of times. What the driver's part needs (page
 * tables, images, rings) is private memory. After a fork the child has its own copy of the private memory, and new
 * objects of parent and child go to different files.
 *
 * An object that is freed gives its pages back, unless they are few: the next object there then needs no page faults.
 *
 * Physical addresses have 38 bits: each generation's tables can hold them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mem/mem.h"
#include "shim.h"

#define PA_BITS		38
#define PA_SIZE		(1ull << PA_BITS)
#define READ_ONLY	1ull			/* in an entry of the table */
/* Small objects in the lowest memory, which is given out first, leave their pages to the next ones. */
#define KEPT_OBJECT	(256ull << 10)
#define KEPT_BELOW	(64ull << 20)

static uint64_t *frames;			/* by page: where it is; 0: nowhere */
static struct ranges free_pa;
static struct arena *arena;			/* for new objects; NULL: none so far */

/* A free place in the list before the i-th; false without memory. */
static bool ranges_insert(struct ranges *r, unsigned int i)
{
	if (r->n == r->room) {
		unsigned int room = r->room ? 2 * r->room : 64;
		struct range *more = realloc(r->range, room * sizeof(*more));

		if (!more)
			return false;
		r->range = more;
		r->room = room;
	}
	memmove(&r->range[i + 1], &r->range[i], (r->n - i) * sizeof(r->range[0]));
	r->n++;
	return true;
}

static void ranges_remove(struct ranges *r, unsigned int i)
{
	r->n--;
	memmove(&r->range[i], &r->range[i + 1], (r->n - i) * sizeof(r->range[0]));
}

/* Without memory for the list the range is lost, and nothing else. */
void ranges_give(struct ranges *r, uint64_t start, uint64_t size)
{
	unsigned int i = 0;

	while (i < r->n && r->range[i].start < start)
		i++;
	if (i && r->range[i - 1].start + r->range[i - 1].size == start)
		r->range[--i].size += size;
	else if (ranges_insert(r, i))
		r->range[i] = (struct range){ start, size };
	else
		return;
	if (i + 1 < r->n && r->range[i].start + r->range[i].size == r->range[i + 1].start) {
		r->range[i].size += r->range[i + 1].size;
		ranges_remove(r, i + 1);
	}
}

/* The first place that is large enough; false when there is none. */
bool ranges_take(struct ranges *r, uint64_t size, uint64_t align, uint64_t *start)
{
	for (unsigned int i = 0; i < r->n; i++) {
		struct range f = r->range[i];
		uint64_t at = round_up(f.start, align), end = f.start + f.size;

		if (at >= end || end - at < size)
			continue;
		ranges_remove(r, i);
		if (at > f.start)
			ranges_give(r, f.start, at - f.start);
		if (end - at > size)
			ranges_give(r, at + size, end - at - size);
		*start = at;
		return true;
	}
	return false;
}

int memory_init(void)
{
	size_t size = PA_SIZE / PAGE * sizeof(*frames);

	frames = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (frames == MAP_FAILED) {
		frames = NULL;
		return -ENOMEM;
	}
	/* No page is at 0. */
	ranges_give(&free_pa, PAGE, PA_SIZE - PAGE);
	return 0;
}

static void frames_set(uint64_t pa, uint64_t size, uint8_t *cpu, bool read_only)
{
	for (uint64_t at = 0; at < size; at += PAGE)
		__atomic_store_n(&frames[(pa + at) / PAGE],
				 cpu ? (uint64_t)(uintptr_t)(cpu + at) | (read_only ? READ_ONLY : 0) : 0,
				 __ATOMIC_RELEASE);
}

uint8_t *memory_internal(uint64_t size, uint64_t *pa)
{
	uint8_t *cpu;

	if (!ranges_take(&free_pa, size, PAGE, pa))
		return NULL;
	cpu = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cpu == MAP_FAILED) {
		ranges_give(&free_pa, *pa, size);
		return NULL;
	}
	frames_set(*pa, size, cpu, false);
	return cpu;
}

void memory_internal_free(uint8_t *cpu, uint64_t pa, uint64_t size)
{
	frames_set(pa, size, NULL, false);
	/* Not the program's munmap(), which takes shim.lock. */
	syscall(SYS_munmap, cpu, size);
	ranges_give(&free_pa, pa, size);
}

static struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->fd = memfd_create("igen-shim", MFD_CLOEXEC);
	if (a->fd < 0)
		goto free;
	if (ftruncate(a->fd, PA_SIZE))
		goto close;
	a->map = mmap(NULL, PA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, a->fd, 0);
	if (a->map == MAP_FAILED)
		goto close;
	return a;
close:
	close(a->fd);
free:
	free(a);
	return NULL;
}

int memory_alloc(struct bo *bo)
{
	if (!arena)
		arena = arena_new();
	if (!arena || bo->size >= PA_SIZE || !ranges_take(&free_pa, bo->size, PAGE, &bo->pa))
		return -ENOMEM;
	bo->arena = arena;
	bo->cpu = arena->map + bo->pa;
	frames_set(bo->pa, bo->size, bo->cpu, false);
	return 0;
}

int memory_borrow(struct bo *bo, void *ptr)
{
	if (bo->size >= PA_SIZE || !ranges_take(&free_pa, bo->size, PAGE, &bo->pa))
		return -ENOMEM;
	bo->cpu = ptr;
	frames_set(bo->pa, bo->size, bo->cpu, bo->read_only);
	return 0;
}

/*
 * The next object there begins with zeros. Pages that stay save a fault each, which costs more than to clear them; how
 * many stay has a bound.
 */
static void clear(struct bo *bo)
{
	if (bo->size <= KEPT_OBJECT && bo->pa + bo->size <= KEPT_BELOW)
		memset(bo->cpu, 0, bo->size);
	else
		fallocate(bo->arena->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)bo->pa, (off_t)bo->size);
}

void memory_release(struct bo *bo)
{
	frames_set(bo->pa, bo->size, NULL, false);
	if (bo->arena) {
		/* What another process may still use stays as it is. */
		if (bo->arena->shared)
			return;
		clear(bo);
	}
	ranges_give(&free_pa, bo->pa, bo->size);
}

/* In parent and child. */
void memory_forked(void)
{
	if (arena)
		arena->shared = true;
	arena = NULL;
}

void *memory_at(uint64_t pa)
{
	uint64_t frame = pa < PA_SIZE ? __atomic_load_n(&frames[pa / PAGE], __ATOMIC_ACQUIRE) : 0;

	return frame ? (uint8_t *)(uintptr_t)(frame & ~READ_ONLY) + pa % PAGE : NULL;
}

/* Both go through the kernel, which tells a bad address instead of ending the program. */
int copy_in(void *to, uint64_t from, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)from, size };
	ssize_t n;

	if (!size)
		return 0;
	n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	/* Where that call is not allowed. */
	if (n < 0 && errno != EFAULT) {
		memcpy(to, (const void *)(uintptr_t)from, size);
		return 0;
	}
	return n == (ssize_t)size ? 0 : -EFAULT;
}

int copy_out(uint64_t to, const void *from, size_t size)
{
	struct iovec local = { (void *)(uintptr_t)from, size }, remote = { (void *)(uintptr_t)to, size };
	ssize_t n;

	if (!size)
		return 0;
	n = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
	/* Where that call is not allowed. */
	if (n < 0 && errno != EFAULT) {
		memcpy((void *)(uintptr_t)to, from, size);
		return 0;
	}
	return n == (ssize_t)size ? 0 : -EFAULT;
}

/* What follows is what the model asks of guest memory (mem/mem.h). */
int gmem_init(struct gpu *gpu)
{
	(void)gpu;
	return frames ? 0 : -1;
}

void gmem_fini(struct gpu *gpu)
{
	(void)gpu;
}

void *gmem_ptr(struct gpu *gpu, uint64_t pa, uint64_t len, bool write)
{
	uint64_t frame;

	(void)gpu;
	/* Neighbours of a page may be anywhere. */
	if (pa >= PA_SIZE || len > PAGE - pa % PAGE)
		return NULL;
	frame = __atomic_load_n(&frames[pa / PAGE], __ATOMIC_ACQUIRE);
	if (!frame || (write && frame & READ_ONLY))
		return NULL;
	return (uint8_t *)(uintptr_t)(frame & ~READ_ONLY) + pa % PAGE;
}

void gmem_count_miss(struct gpu *gpu, uint64_t pa, bool write)
{
	(void)gpu;
	count("memory_misses", write ? "writes" : "reads", 1);
	model_log("%s of physical address 0x%llx, where there is no memory", write ? "write" : "read",
		  (unsigned long long)pa);
}

bool gmem_read32(struct gpu *gpu, uint64_t pa, uint32_t *v)
{
	uint32_t *p = gmem_ptr(gpu, pa & ~3ull, 4, false);

	*v = p ? __atomic_load_n(p, __ATOMIC_ACQUIRE) : ~0u;
	if (!p)
		gmem_count_miss(gpu, pa, false);
	return p;
}

bool gmem_read64(struct gpu *gpu, uint64_t pa, uint64_t *v)
{
	uint64_t *p = gmem_ptr(gpu, pa & ~7ull, 8, false);

	*v = p ? __atomic_load_n(p, __ATOMIC_ACQUIRE) : ~0ull;
	if (!p)
		gmem_count_miss(gpu, pa, false);
	return p;
}

bool gmem_write32(struct gpu *gpu, uint64_t pa, uint32_t v)
{
	uint32_t *p = gmem_ptr(gpu, pa & ~3ull, 4, true);

	if (p)
		__atomic_store_n(p, v, __ATOMIC_RELEASE);
	else
		gmem_count_miss(gpu, pa, true);
	return p;
}

bool gmem_write64(struct gpu *gpu, uint64_t pa, uint64_t v)
{
	uint64_t *p = gmem_ptr(gpu, pa & ~7ull, 8, true);

	if (p)
		__atomic_store_n(p, v, __ATOMIC_RELEASE);
	else
		gmem_count_miss(gpu, pa, true);
	return p;
}

/* The program waits in a system call while engines copy, but its other threads may look: words are copied whole. */
void gmem_copy_from(void *dst, const void *src, size_t len)
{
	const uint8_t *s = src;
	uint8_t *d = dst;

	for (; len && (uintptr_t)s & 3; len--)
		*d++ = __atomic_load_n(s++, __ATOMIC_ACQUIRE);
	while (len >= 4) {
		uint64_t v;
		uint32_t half;

		if (len >= 8 && !((uintptr_t)s & 7)) {
			v = __atomic_load_n((const uint64_t *)s, __ATOMIC_ACQUIRE);
			memcpy(d, &v, 8);
			len -= 8, s += 8, d += 8;
		} else {
			half = __atomic_load_n((const uint32_t *)s, __ATOMIC_ACQUIRE);
			memcpy(d, &half, 4);
			len -= 4, s += 4, d += 4;
		}
	}
	for (; len; len--)
		*d++ = __atomic_load_n(s++, __ATOMIC_ACQUIRE);
}

void gmem_copy_to(void *dst, const void *src, size_t len)
{
	const uint8_t *s = src;
	uint8_t *d = dst;

	for (; len && (uintptr_t)d & 3; len--)
		__atomic_store_n(d++, *s++, __ATOMIC_RELEASE);
	while (len >= 4) {
		uint64_t v;
		uint32_t half;

		if (len >= 8 && !((uintptr_t)d & 7)) {
			memcpy(&v, s, 8);
			__atomic_store_n((uint64_t *)d, v, __ATOMIC_RELEASE);
			len -= 8, s += 8, d += 8;
		} else {
			memcpy(&half, s, 4);
			__atomic_store_n((uint32_t *)d, half, __ATOMIC_RELEASE);
			len -= 4, s += 4, d += 4;
		}
	}
	for (; len; len--)
		__atomic_store_n(d++, *s++, __ATOMIC_RELEASE);
}
