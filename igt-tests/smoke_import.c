// SPDX-License-Identifier: MIT
/**
 * DOC: Another driver's buffer, read and written for the CPU
 *
 * The buffer may have no pages that the driver could map, so igen reads and writes it through the aperture, page by
 * page. The exporter and the GPU see what was written in this way, addresses by relocation included.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "smoke.h"

#define BYTES	(64 * 64 * 4)
#define STORE	0x10000002u		/* MI_STORE_DATA_IMM of one dword in the PPGTT */
#define END	0x05000000u
#define VALUE	0x1badc0deu
#define DELTA	64
#define WRONG	0xdead0000u		/* where no object is */

static int rw(struct it_dev *dev, bool write, uint32_t handle, uint64_t offset, void *data, uint64_t size)
{
	struct drm_i915_gem_pwrite args = {
		.handle = handle, .offset = offset, .size = size, .data_ptr = (uintptr_t)data,
	};

	/* struct drm_i915_gem_pread has the same layout. */
	return it_ioctl(dev->fd, write ? DRM_IOCTL_I915_GEM_PWRITE : DRM_IOCTL_I915_GEM_PREAD, &args);
}

/* Bytes at odd places, across pages, both ways. */
static void read_write(unsigned int unused)
{
	static uint8_t data[BYTES], back[BYTES];
	int buffer = smoke_vgem_buffer(), ret;
	struct it_dev *dev = it_open();
	struct it_bo bo;
	uint8_t *map;

	(void)unused;
	ret = smoke_import_buffer(dev, buffer, &bo);
	it_expect(!ret, "importing: error %d", ret);
	map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, buffer, 0);
	it_expect(map != MAP_FAILED, "no mapping of the buffer");

	for (unsigned int i = 0; i < BYTES; i++)
		data[i] = i * 7 + (i >> 8);
	memset(map, 0xaa, BYTES);
	ret = rw(dev, true, bo.handle, 0, data, 3);
	ret = ret ?: rw(dev, true, bo.handle, 4093, data + 4093, 8197);
	it_expect(!ret, "writing: error %d", ret);
	it_expect(!memcmp(map, data, 3) && !memcmp(map + 4093, data + 4093, 8197), "it is not what was written");
	it_expect(map[3] == 0xaa && map[4092] == 0xaa && map[4093 + 8197] == 0xaa, "more was written");

	memcpy(map, data, BYTES);
	ret = rw(dev, false, bo.handle, 0, back, BYTES);
	it_expect(!ret && !memcmp(back, data, BYTES), "reading: error %d, or it is not what is there", ret);
	memset(back, 0x55, BYTES);
	ret = rw(dev, false, bo.handle, 8190, back + 8190, 5);
	it_expect(!ret && !memcmp(back + 8190, data + 8190, 5), "reading a few: error %d", ret);
	it_expect(back[8189] == 0x55 && back[8195] == 0x55, "more was read");
	ret = rw(dev, true, bo.handle, BYTES - 1, data, 2);
	it_expect(ret == -EINVAL, "writing beyond the end: error %d", ret);

	munmap(map, BYTES);
	close(buffer);
	it_close(dev);
}

/* A batch in such a buffer, one of whose addresses lies in two pages. */
static void batch(unsigned int engine)
{
	static uint32_t words[BYTES / 4];
	int buffer = smoke_vgem_buffer(), ret;
	struct it_dev *dev = it_open();
	struct it_bo *target = it_bo(dev, 4096), bo;
	struct drm_i915_gem_relocation_entry relocs[2] = { 0 };
	struct drm_i915_gem_exec_object2 obj[2] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .flags = engine,
	};
	uint64_t address;

	ret = smoke_import_buffer(dev, buffer, &bo);
	it_expect(!ret, "importing: error %d", ret);
	/* MI_NOOP is zero. */
	words[0] = STORE;
	words[1] = WRONG;
	words[3] = VALUE;
	words[1022] = STORE;
	words[1023] = WRONG;
	words[1025] = ~VALUE;
	words[1026] = END;
	ret = rw(dev, true, bo.handle, 0, words, BYTES);
	it_expect(!ret, "writing: error %d", ret);

	for (unsigned int i = 0; i < 2; i++) {
		relocs[i].target_handle = target->handle;
		relocs[i].offset = i ? 4 * 1023 : 4;
		relocs[i].delta = i * DELTA;
		relocs[i].presumed_offset = ~0ull;
		relocs[i].read_domains = I915_GEM_DOMAIN_RENDER;
		relocs[i].write_domain = I915_GEM_DOMAIN_RENDER;
	}
	obj[0].handle = target->handle;
	obj[1].handle = bo.handle;
	obj[1].relocs_ptr = (uintptr_t)relocs;
	obj[1].relocation_count = 2;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	if (ret == -ENODEV && engine == I915_EXEC_BLT && !it_on_igen())
		it_skip("stock i915's parser reads no imports");
	it_expect(!ret, "execbuf: error %d", ret);
	ret = it_bo_wait(target, IT_WAIT_NS);
	it_expect(!ret, "waiting: error %d", ret);

	ret = rw(dev, false, bo.handle, 0, words, BYTES);
	it_expect(!ret, "reading: error %d", ret);
	address = words[1] | (uint64_t)words[2] << 32;
	it_expect(address == obj[0].offset, "the address is %#llx and not %#llx", (unsigned long long)address,
		  (unsigned long long)obj[0].offset);
	address = words[1023] | (uint64_t)words[1024] << 32;
	it_expect(address == obj[0].offset + DELTA, "in two pages the address is %#llx and not %#llx",
		  (unsigned long long)address, (unsigned long long)obj[0].offset + DELTA);
	it_expect(((volatile uint32_t *)target->map)[0] == VALUE &&
		  ((volatile uint32_t *)target->map)[DELTA / 4] == ~VALUE, "the batch did not run as relocated");

	close(buffer);
	it_close(dev);
}

void smoke_import(void)
{
	it_subtest(read_write, 0, "import-read-write");
	it_subtest(batch, I915_EXEC_RENDER, "import-batch-render");
	/* Here the batch is read by the parser. */
	it_subtest(batch, I915_EXEC_BLT, "import-batch-blt");
}
