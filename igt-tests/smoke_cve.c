// SPDX-License-Identifier: MIT
/**
 * DOC: Vulnerabilities of other drivers
 *
 * Each subtest makes a mistake visible that got a CVE number in another driver and that no other test here would
 * notice. Documentation/testing.rst has a table of all such mistakes and the tests that notice them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* A userptr object over the mapping of a file that the client may only read; *contents is that mapping. */
static uint32_t readable_file(struct it_dev *dev, const uint32_t **contents)
{
	struct drm_i915_gem_userptr user = { .user_size = 4096, .flags = I915_USERPTR_READ_ONLY };
	static const char page[4096] = "no batch may write this";
	char path[] = "/tmp/readable-XXXXXX";
	int fd = mkstemp(path), ret;
	void *map;

	it_expect(fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page), "no file: error %d", errno);
	close(fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	map = mmap(NULL, sizeof(page), PROT_READ, MAP_SHARED, fd, 0);
	it_expect(map != MAP_FAILED, "no mapping: error %d", errno);
	close(fd);
	user.user_ptr = (uintptr_t)map;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &user);
	if (ret == -ENODEV)
		it_skip("no user memory that is read only");
	it_expect(!ret, "userptr: error %d", ret);
	*contents = map;
	return user.handle;
}

/* Neither commands of the GPU nor relocations of an execbuf write to a read-only userptr object. */
static void read_only(unsigned int relocate)
{
	struct it_dev *dev = it_open();
	struct it_batch b = it_batch(dev, 4096);
	struct drm_i915_gem_relocation_entry reloc = {
		.target_handle = b.bo->handle, .presumed_offset = ~0ull, .read_domains = I915_GEM_DOMAIN_RENDER,
	};
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .offset = 1 << 24, .flags = EXEC_OBJECT_PINNED }, { .handle = b.bo->handle },
	};
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)obj, .buffer_count = 2 };
	const uint32_t *contents;
	uint32_t before[1024];
	int ret;

	obj[0].handle = readable_file(dev, &contents);
	memcpy(before, contents, sizeof(before));
	if (relocate) {
		obj[0].relocation_count = 1;
		obj[0].relocs_ptr = (uintptr_t)&reloc;
	} else {
		it_emit_store(&b, obj[0].offset + 64, 1);
	}
	it_emit_end(&b);
	eb.batch_len = b.n * 4;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(ret == (relocate ? -EINVAL : 0), "execbuf: error %d", ret);
	if (!ret)
		ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret || relocate, "GEM_WAIT: error %d", ret);
	it_expect(!memcmp(contents, before, sizeof(before)), "the file has been written");
}

/* Stock i915 6.1 writes the addresses. */
static void read_only_skip(unsigned int unused)
{
	(void)unused;
	it_skip("this driver writes relocations into any object");
}

void smoke_cve(const struct it_engine *engines, unsigned int n)
{
	(void)engines;
	(void)n;
	it_subtest(ranges, 1, "ranges");
	it_subtest(read_only, 0, "read-only-store");
	it_subtest(it_on_igen() ? read_only : read_only_skip, 1, "read-only-relocation");
}
