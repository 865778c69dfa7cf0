// SPDX-License-Identifier: MIT
/**
 * DOC: What has gone wrong elsewhere
 *
 * Mistakes of other drivers that got a CVE number and that no other test here would notice. The table in
 * Documentation/testing.rst has those that others do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "smoke.h"

#define SIZE		(16 * 4096)
#define RANGES		200

/* CVE-2024-42259, CVE-2026-53356: any part of an object may be asked for, and nothing beyond its end, however put. */
static void ranges(unsigned int arg)
{
	static const struct {
		uint64_t offset, size;
	} bad[] = {
		{ SIZE, 1 }, { SIZE - 1, 2 }, { 0, SIZE + 1 }, { ~0ull, 1 }, { ~0ull - 4095, 8192 }, { 4096, ~0ull },
		{ 1ull << 63, 1ull << 63 },
	};
	struct it_dev *dev = it_open();
	struct it_bo *bo = it_bo(dev, SIZE);
	static uint8_t want[SIZE], got[SIZE];
	unsigned int seed = arg;

	memset(want, 0, SIZE);
	for (unsigned int i = 0; i < RANGES; i++) {
		uint64_t offset = rand_r(&seed) % SIZE, size = rand_r(&seed) % (SIZE - offset) + 1;
		struct drm_i915_gem_pwrite w = { .handle = bo->handle, .offset = offset, .size = size };
		struct drm_i915_gem_pread r = { .handle = bo->handle, .offset = offset, .size = size };
		int ret;

		memset(want + offset, i + 1, size);
		w.data_ptr = (uintptr_t)(want + offset);
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_PWRITE, &w);
		it_expect(!ret, "writing %u bytes at %u: error %d", (unsigned int)size, (unsigned int)offset, ret);
		r.data_ptr = (uintptr_t)got;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_PREAD, &r);
		it_expect(!ret, "reading %u bytes at %u: error %d", (unsigned int)size, (unsigned int)offset, ret);
		it_expect(!memcmp(got, want + offset, size), "%u bytes at %u read wrong", (unsigned int)size,
			  (unsigned int)offset);
	}
	it_expect(!memcmp(bo->map, want, SIZE), "the object is not what was written to its parts");
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct drm_i915_gem_pwrite w = {
			.handle = bo->handle, .offset = bad[i].offset, .size = bad[i].size, .data_ptr = (uintptr_t)want,
		};
		struct drm_i915_gem_pread r = {
			.handle = bo->handle, .offset = bad[i].offset, .size = bad[i].size, .data_ptr = (uintptr_t)got,
		};
		int write = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_PWRITE, &w);
		int read = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_PREAD, &r);

		it_expect((write == -EINVAL || write == -EFAULT) && (read == -EINVAL || read == -EFAULT),
			  "range %u beyond the end: write %d, read %d", i, write, read);
	}
	it_expect(!memcmp(bo->map, want, SIZE), "a refused write has changed the object");
}

void smoke_cve(const struct it_engine *engines, unsigned int n)
{
	(void)engines;
	(void)n;
	it_subtest(ranges, 1, "ranges");
}
