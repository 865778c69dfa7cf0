// SPDX-License-Identifier: MIT
/**
 * DOC: igen-info
 *
 * Prints what the driver tells about the GPU through the uAPI: GETPARAM, the queries, and the
 * address space's size. What a driver does not answer is printed as such.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/it.h"

/* Device ids of the platforms that igen is for (the kernel's PCI id list). */
static const char *platform_name(int device)
{
	switch (device & 0xff00) {
	case 0x1900:
		return "Skylake";
	case 0x5900:
		return device == 0x591c ? "Amber Lake" : "Kaby Lake";
	case 0x8700:
		return "Amber Lake";
	case 0x3e00:
		return device >= 0x3ea0 && device <= 0x3ea4 ? "Whiskey Lake" : "Coffee Lake";
	case 0x9b00:
		return "Comet Lake";
	case 0x0a00:
	case 0x1a00:
	case 0x5a00:
		return "Apollo Lake";
	case 0x3100:
		return "Gemini Lake";
	case 0x9a00:
		return "Tiger Lake";
	case 0x4900:
		return "DG1";
	case 0x0100:
		return device >= 0x150 ? "Ivy Bridge" : "Sandy Bridge";
	default:
		return "unknown platform";
	}
}

static void *query(int fd, uint64_t id, int *length)
{
	struct drm_i915_query_item item = { .query_id = id };
	struct drm_i915_query q = { .num_items = 1, .items_ptr = (uintptr_t)&item };
	void *data;
	int ret = it_ioctl(fd, DRM_IOCTL_I915_QUERY, &q);

	*length = ret ? ret : item.length;
	if (*length <= 0)
		return NULL;
	data = calloc(1, *length);
	if (!data)
		return NULL;
	item.data_ptr = (uintptr_t)data;
	ret = it_ioctl(fd, DRM_IOCTL_I915_QUERY, &q);
	*length = ret ? ret : item.length;
	if (*length > 0)
		return data;
	free(data);
	return NULL;
}

static void print_param(int fd, const char *what, int param, const char *fmt)
{
	int value, ret = it_getparam(fd, param, &value);

	printf("  %-22s", what);
	if (ret)
		printf("not answered (%d)\n", ret);
	else
		printf(fmt, value);
}

static void print_engines(int fd)
{
	int length;
	struct drm_i915_query_engine_info *info = query(fd, DRM_I915_QUERY_ENGINE_INFO, &length);

	printf("  %-22s", "engines");
	if (!info) {
		printf("not answered (%d)\n", length);
		return;
	}
	for (unsigned int i = 0; i < info->num_engines; i++) {
		struct drm_i915_engine_info *e = &info->engines[i];

		printf("%s%s%u (class %u, capabilities %llx)", i ? ", " : "",
		       it_class_name(e->engine.engine_class), e->engine.engine_instance,
		       e->engine.engine_class, (unsigned long long)e->capabilities);
	}
	printf("\n");
	free(info);
}

static void print_memory(int fd)
{
	int length;
	struct drm_i915_query_memory_regions *info = query(fd, DRM_I915_QUERY_MEMORY_REGIONS,
							   &length);

	printf("  %-22s", "memory regions");
	if (!info) {
		printf("not answered (%d)\n", length);
		return;
	}
	for (unsigned int i = 0; i < info->num_regions; i++) {
		struct drm_i915_memory_region_info *r = &info->regions[i];

		printf("%s%s%u %llu MB", i ? ", " : "",
		       r->region.memory_class == I915_MEMORY_CLASS_SYSTEM ? "system" : "device",
		       r->region.memory_instance, (unsigned long long)r->probed_size >> 20);
	}
	printf("\n");
	free(info);
}

static unsigned int count_bits(const uint8_t *bytes, unsigned int n)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < n; i++)
		bits += __builtin_popcount(bytes[i]);
	return bits;
}

static void print_topology(int fd)
{
	int length;
	struct drm_i915_query_topology_info *t = query(fd, DRM_I915_QUERY_TOPOLOGY_INFO, &length);

	printf("  %-22s", "topology");
	if (!t) {
		printf("not answered (%d)\n", length);
		return;
	}
	printf("%u slice(s), %u subslices, %u EUs\n",
	       count_bits(t->data, (t->max_slices + 7) / 8),
	       count_bits(t->data + t->subslice_offset, t->max_slices * t->subslice_stride),
	       count_bits(t->data + t->eu_offset, t->max_slices * t->max_subslices * t->eu_stride));
	free(t);
}

static void print_gtt(int fd)
{
	struct drm_i915_gem_context_param p = { .param = I915_CONTEXT_PARAM_GTT_SIZE };
	struct drm_i915_gem_get_aperture aperture = { 0 };
	int ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &p);

	printf("  %-22s", "address space");
	if (ret)
		printf("not answered (%d)\n", ret);
	else
		printf("%llu %s a context\n",
		       (unsigned long long)p.value >> (p.value >> 40 ? 40 : 30),
		       p.value >> 40 ? "TB" : "GB");
	ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_GET_APERTURE, &aperture);
	printf("  %-22s", "global GTT");
	if (ret)
		printf("not answered (%d)\n", ret);
	else
		printf("%llu MB\n", (unsigned long long)aperture.aper_size >> 20);
}

int main(void)
{
	char name[32] = "", date[32] = "", desc[64] = "";
	struct drm_version v = {
		.name = name,
		.name_len = sizeof(name) - 1,
		.date = date,
		.date_len = sizeof(date) - 1,
		.desc = desc,
		.desc_len = sizeof(desc) - 1,
	};
	int fd = it_open_fd(), device = 0;

	if (fd < 0) {
		fprintf(stderr, "igen-info: no GPU with an i915 uAPI\n");
		return 1;
	}
	if (it_ioctl(fd, DRM_IOCTL_VERSION, &v) ||
	    it_getparam(fd, I915_PARAM_CHIPSET_ID, &device)) {
		fprintf(stderr, "igen-info: the driver does not answer\n");
		return 1;
	}
	printf("%s, device %04x\n", platform_name(device), device);
	printf("  %-22s%s (uAPI %s %d.%d.%d)\n", "driver", desc, name, v.version_major,
	       v.version_minor, v.version_patchlevel);
	print_param(fd, "revision", I915_PARAM_REVISION, "%d\n");
	print_engines(fd);
	print_memory(fd);
	print_topology(fd);
	print_param(fd, "timestamp frequency", I915_PARAM_CS_TIMESTAMP_FREQUENCY, "%d Hz\n");
	print_gtt(fd);
	print_param(fd, "scheduler", I915_PARAM_HAS_SCHEDULER, "capabilities %x\n");
	print_param(fd, "fence registers", I915_PARAM_NUM_FENCES_AVAIL, "%d\n");
	close(fd);
	return 0;
}
