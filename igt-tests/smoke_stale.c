// SPDX-License-Identifier: MIT
/**
 * DOC: Translations and pages that are out of date
 *
 * An address leads to an object's pages from the time that the object is bound there until it leaves. Afterwards no
 * engine may reach these pages by that address, not even a batch that has been running all the time. User memory is the
 * memory that the process has at its address now, not what was there when the object was made.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "smoke.h"

#define DROP_CACHES	"/sys/kernel/debug/dri/0/i915_gem_drop_caches"
#define DROP_FREED_RCU	"0x210"
#define PAGE		4096u
#define PAGES		32u			/* of an object */
#define TAKEN		64u			/* objects that the CPU fills when an object has been freed */
#define VALUE		0x57a1e000u
#define FILL		0x77

static void wait_for(volatile uint32_t *dw, const char *what)
{
	time_t until = time(NULL) + IT_WAIT_NS / 1000000000;

	while (!*dw && time(NULL) < until)
		sched_yield();
	it_expect(*dw, "%s", what);
}

/*
 * A batch stores to each page of an object that it does not name, and goes on running. The object is closed meanwhile,
 * and the CPU fills new objects. The batch then stores to the same addresses again: no new object changes.
 */
static void freed(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, PAGE), *bo = it_bo(dev, PAGES * PAGE);
	struct it_batch bind = it_batch(dev, PAGE), b = it_batch(dev, PAGE);
	const uint64_t address = bo->address;
	struct it_bo *taken[TAKEN];
	unsigned int changed = 0;
	int ret;

	it_emit_end(&bind);
	it_run_wait(dev, ctx, engine, &bind, &bo, 1);

	for (unsigned int i = 0; i < PAGES; i++)
		it_emit_store(&b, address + i * PAGE, VALUE + i);
	it_emit_store(&b, page->address, 1);
	it_emit_gate(&b, page->address + 4);
	for (unsigned int i = 0; i < PAGES; i++)
		it_emit_store(&b, address + i * PAGE + 64, VALUE + i);
	it_emit_end(&b);
	ret = it_run(dev, ctx, engine, &b, &page, 1, 0);
	it_expect(!ret, "execbuf: error %d", ret);
	wait_for(&page->dw[0], "the batch did not start");
	for (unsigned int i = 0; i < PAGES; i++)
		it_expect(bo->dw[i * PAGE / 4] == VALUE + i, "the batch does not reach page %u of the object", i);

	it_bo_close(bo);
	ret = it_write_file(DROP_CACHES, DROP_FREED_RCU);
	if (ret)
		it_skip("no way to have freed objects gone: error %d", ret);
	/* The kernel closes the object's file a little later. */
	usleep(50000);
	/* New objects get the pages that objects have freed last. */
	for (unsigned int n = 0; n < TAKEN; n++) {
		taken[n] = it_bo(dev, PAGES * PAGE);
		memset(taken[n]->map, FILL, taken[n]->size);
	}

	*(volatile uint32_t *)&page->dw[1] = 1;
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch did not end: error %d", ret);
	for (unsigned int n = 0; n < TAKEN; n++)
		for (unsigned int i = 0; i < PAGES * PAGE; i++)
			changed += ((const uint8_t *)taken[n]->map)[i] != FILL;
	it_expect(!changed, "the batch has changed %u bytes of other objects, in pages that were freed", changed);
}

/* An object moves. Its old addresses, in a table that another object keeps, lead to none of its pages any more. */
static void moved(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, PAGES * PAGE), *stays = it_bo(dev, PAGE), *out = it_bo(dev, PAGE);
	struct it_batch bind = it_batch(dev, PAGE), b = it_batch(dev, PAGE);
	const uint64_t address = bo->address;

	for (unsigned int i = 0; i < PAGES; i++)
		bo->dw[i * PAGE / 4] = VALUE + i;
	it_emit_end(&bind);
	it_run_wait(dev, ctx, engine, &bind, (struct it_bo *[]){ bo, stays }, 2);

	bo->address += 1ull << 32;
	for (unsigned int i = 0; i < PAGES; i++) {
		for (unsigned int old = 0; old < 2; old++) {
			it_emit(&b, MI_COPY_MEM_MEM);
			it_emit_address(&b, out->address + (2 * i + old) * 4);
			it_emit_address(&b, (old ? address : bo->address) + i * PAGE);
		}
	}
	it_emit_end(&b);
	it_run_wait(dev, ctx, engine, &b, (struct it_bo *[]){ bo, stays, out }, 3);
	for (unsigned int i = 0; i < PAGES; i++) {
		it_expect(out->dw[2 * i] == VALUE + i, "page %u is not where it went: 0x%x", i, out->dw[2 * i]);
		it_expect(out->dw[2 * i + 1] != VALUE + i, "page %u is still where it was", i);
	}
}

/* How the process gets other pages at an address. */
enum exchange {
	BY_MMAP,
	BY_MADVISE,
	BY_MREMAP,
};

static void exchange_pages(void *map, enum exchange how)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *other;

	switch (how) {
	case BY_MMAP:
		it_expect(mmap(map, PAGES * PAGE, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0) == map,
			  "mmap: error %d", errno);
		break;
	case BY_MADVISE:
		it_expect(!madvise(map, PAGES * PAGE, MADV_DONTNEED), "madvise: error %d", errno);
		break;
	case BY_MREMAP:
		other = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
		it_expect(other != MAP_FAILED, "mmap: error %d", errno);
		it_expect(mremap(other, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, map) == map,
			  "mremap: error %d", errno);
		break;
	}
}

/* Each batch stores to the pages that the process has at the address when the batch is submitted. */
static void user_memory(unsigned int how)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct drm_i915_gem_userptr user = { .user_size = PAGES * PAGE };
	struct it_bo bo = { .dev = dev, .fd = dev->fd, .size = PAGES * PAGE, .address = 1ull << 36 }, *bos = &bo;
	uint32_t *map = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	it_expect(map != MAP_FAILED, "no memory: error %d", errno);
	user.user_ptr = (uintptr_t)map;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &user);
	it_expect(!ret, "userptr: error %d", ret);
	bo.handle = user.handle;

	for (unsigned int round = 0; round < 4; round++) {
		struct it_batch b = it_batch(dev, PAGE);

		for (unsigned int i = 0; i < PAGES; i++)
			it_emit_store(&b, bo.address + i * PAGE + round * 4, VALUE + i);
		it_emit_end(&b);
		it_run_wait(dev, ctx, 0, &b, &bos, 1);
		for (unsigned int i = 0; i < PAGES; i++)
			it_expect(map[i * PAGE / 4 + round] == VALUE + i,
				  "round %u: the process has 0x%x in page %u", round, map[i * PAGE / 4 + round], i);
		exchange_pages(map, how);
	}
	munmap(map, PAGES * PAGE);
}

void smoke_stale(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		it_subtest(freed, i, "stale-freed-%s", engines[i].name);
		it_subtest(moved, i, "stale-moved-%s", engines[i].name);
	}
	it_subtest(user_memory, BY_MMAP, "stale-userptr-mmap");
	it_subtest(user_memory, BY_MADVISE, "stale-userptr-madvise");
	it_subtest(user_memory, BY_MREMAP, "stale-userptr-mremap");
}
