// SPDX-License-Identifier: MIT
/**
 * DOC: What the uAPI says of memory, and of what it can't do
 */
#include <errno.h>

#include "smoke.h"

static int set_domain(struct it_bo *bo, uint32_t read, uint32_t write)
{
	struct drm_i915_gem_set_domain args = { .handle = bo->handle, .read_domains = read, .write_domain = write };

	return it_ioctl(bo->dev->fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &args);
}

/* Domains of the GPU are refused, and bits that name none are not. */
static void domains(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct it_bo *bo = it_bo(dev, 4096);
	int ret;

	(void)unused;
	for (uint32_t bit = 1; bit; bit <<= 1) {
		const bool gpu = bit & (I915_GEM_DOMAIN_RENDER | I915_GEM_DOMAIN_SAMPLER | I915_GEM_DOMAIN_COMMAND |
					I915_GEM_DOMAIN_INSTRUCTION | I915_GEM_DOMAIN_VERTEX);

		ret = set_domain(bo, bit, bit);
		it_expect(ret == (gpu ? -EINVAL : 0), "domain %#x: error %d", bit, ret);
	}
	ret = set_domain(bo, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_GTT);
	it_expect(ret == -EINVAL, "written in another domain than read: error %d", ret);
	it_close(dev);
}

/* Padding beyond any address space is no room, and no object that is too large. */
static void padding(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct it_batch b = it_batch(dev, 4096);
	struct drm_i915_gem_exec_object2 obj = {
		.handle = b.bo->handle, .flags = EXEC_OBJECT_PAD_TO_SIZE, .pad_to_size = 1ull << 49,
	};
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)&obj, .buffer_count = 1 };
	int ret;

	(void)unused;
	it_emit_end(&b);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(ret == -ENOSPC, "in 4 GB: error %d", ret);
	obj.flags |= EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(ret == -ENOSPC, "in 256 TB: error %d", ret);
	obj.pad_to_size = 8192;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(!ret, "a page more: error %d", ret);
	it_close(dev);
}

void smoke_uapi(void)
{
	it_subtest(domains, 0, "uapi-domains");
	it_subtest(padding, 0, "uapi-padding");
}
