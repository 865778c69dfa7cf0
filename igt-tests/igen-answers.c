// SPDX-License-Identifier: MIT
/**
 * DOC: igen-answers
 *
 * Asks a driver what it has, and prints each answer in a line, "WHAT: VALUE" or "WHAT: error NUMBER": all parameters,
 * of the device and of a new context, queries and capabilities; what each ioctl says to an argument of zeros, on a
 * render node and on the primary one; and what is refused for a feature that Gen9 does not have. A test compares the
 * drivers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <drm.h>

#include "lib/it.h"

#define MAX_ARGUMENT	256

/* Beyond what this uAPI has in any of them. */
#define PARAMS		64
#define CONTEXT_PARAMS	20
#define QUERIES		12
#define CAPS		32

static void tell(int ret, uint64_t value, const char *what, unsigned int number)
{
	if (ret)
		printf("%s %u: error %d\n", what, number, -ret);
	else
		printf("%s %u: 0x%llx\n", what, number, (unsigned long long)value);
}

static void tell_params(int fd)
{
	int value, ret;

	for (unsigned int n = 0; n < PARAMS; n++) {
		value = 0;
		ret = it_getparam(fd, n, &value);
		tell(ret, value, "parameter", n);
	}
}

static uint32_t new_context(int fd)
{
	struct drm_i915_gem_context_create create = { 0 };

	if (it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create)) {
		fprintf(stderr, "igen-answers: no context\n");
		exit(1);
	}
	return create.ctx_id;
}

/* Reads each context parameter and sets it to the value that was read. Some parameters cannot be set. */
static void tell_context_params(int fd)
{
	for (unsigned int n = 0; n < CONTEXT_PARAMS; n++) {
		struct drm_i915_gem_context_param_sseu sseu = { 0 };
		struct drm_i915_gem_context_param p = { .ctx_id = new_context(fd), .param = n };
		int ret;

		if (n == I915_CONTEXT_PARAM_SSEU) {
			p.size = sizeof(sseu);
			p.value = (uintptr_t)&sseu;
		}
		ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &p);
		/* A handle of an address space is a number like any other. */
		if (n == I915_CONTEXT_PARAM_VM && !ret)
			printf("context parameter %u: given\n", n);
		else if (n == I915_CONTEXT_PARAM_SSEU && !ret)
			printf("context parameter %u: slices 0x%llx subslices 0x%llx EUs %u to %u\n", n,
			       (unsigned long long)sseu.slice_mask, (unsigned long long)sseu.subslice_mask,
			       sseu.min_eus_per_subslice, sseu.max_eus_per_subslice);
		else
			tell(ret, p.value, "context parameter", n);
		tell(it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), 0, "context parameter set again", n);
		p.size = 12345;
		tell(it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), 0, "context parameter of a wrong size", n);
		p.size = 0;
		p.value = 12345;
		tell(it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), 0, "context parameter of a wrong value", n);
	}
}

static void tell_queries(int fd)
{
	for (unsigned int n = 0; n < QUERIES; n++) {
		for (uint32_t flags = 0; flags < 3; flags++) {
			struct drm_i915_query_item item = { .query_id = n, .flags = flags };
			struct drm_i915_query q = { .num_items = 1, .items_ptr = (uintptr_t)&item };
			int ret = it_ioctl(fd, DRM_IOCTL_I915_QUERY, &q);

			printf("query %u with flags %u: %s %d\n", n, flags, ret || item.length < 0 ? "error" : "bytes",
			       abs(ret ? ret : item.length));
		}
	}
}

static void tell_caps(int fd)
{
	for (unsigned int n = 0; n < CAPS; n++) {
		struct drm_get_cap cap = { .capability = n };
		struct drm_set_client_cap client = { .capability = n, .value = 1 };
		int ret = it_ioctl(fd, DRM_IOCTL_GET_CAP, &cap);

		tell(ret, cap.value, "capability", n);
		tell(it_ioctl(fd, DRM_IOCTL_SET_CLIENT_CAP, &client), 0, "client capability", n);
	}
}

static const struct {
	unsigned long request;
	const char *name;
} ioctls[] = {
#define IOCTL(name)	{ DRM_IOCTL_##name, #name }
	IOCTL(I915_INIT), IOCTL(I915_FLUSH), IOCTL(I915_FLIP), IOCTL(I915_BATCHBUFFER), IOCTL(I915_IRQ_EMIT),
	IOCTL(I915_IRQ_WAIT), IOCTL(I915_GETPARAM), IOCTL(I915_SETPARAM), IOCTL(I915_ALLOC), IOCTL(I915_FREE),
	IOCTL(I915_INIT_HEAP), IOCTL(I915_CMDBUFFER), IOCTL(I915_DESTROY_HEAP), IOCTL(I915_SET_VBLANK_PIPE),
	IOCTL(I915_GET_VBLANK_PIPE), IOCTL(I915_VBLANK_SWAP), IOCTL(I915_HWS_ADDR), IOCTL(I915_GEM_INIT),
	IOCTL(I915_GEM_EXECBUFFER), IOCTL(I915_GEM_EXECBUFFER2), IOCTL(I915_GEM_EXECBUFFER2_WR), IOCTL(I915_GEM_PIN),
	IOCTL(I915_GEM_UNPIN), IOCTL(I915_GEM_BUSY), IOCTL(I915_GEM_SET_CACHING), IOCTL(I915_GEM_GET_CACHING),
	IOCTL(I915_GEM_THROTTLE), IOCTL(I915_GEM_ENTERVT), IOCTL(I915_GEM_LEAVEVT), IOCTL(I915_GEM_CREATE),
	IOCTL(I915_GEM_CREATE_EXT), IOCTL(I915_GEM_PREAD), IOCTL(I915_GEM_PWRITE), IOCTL(I915_GEM_MMAP),
	IOCTL(I915_GEM_MMAP_GTT), IOCTL(I915_GEM_MMAP_OFFSET), IOCTL(I915_GEM_SET_DOMAIN), IOCTL(I915_GEM_SW_FINISH),
	IOCTL(I915_GEM_SET_TILING), IOCTL(I915_GEM_GET_TILING), IOCTL(I915_GET_PIPE_FROM_CRTC_ID),
	IOCTL(I915_GEM_MADVISE), IOCTL(I915_OVERLAY_PUT_IMAGE), IOCTL(I915_OVERLAY_ATTRS),
	IOCTL(I915_SET_SPRITE_COLORKEY), IOCTL(I915_GET_SPRITE_COLORKEY), IOCTL(I915_GEM_WAIT),
	IOCTL(I915_GEM_CONTEXT_DESTROY), IOCTL(I915_REG_READ), IOCTL(I915_GET_RESET_STATS), IOCTL(I915_GEM_USERPTR),
	IOCTL(I915_GEM_CONTEXT_GETPARAM), IOCTL(I915_GEM_CONTEXT_SETPARAM), IOCTL(I915_PERF_OPEN),
	IOCTL(I915_PERF_ADD_CONFIG), IOCTL(I915_PERF_REMOVE_CONFIG), IOCTL(I915_QUERY), IOCTL(I915_GEM_VM_DESTROY),
	IOCTL(MODE_GETRESOURCES), IOCTL(MODE_GETCRTC), IOCTL(MODE_GETCONNECTOR), IOCTL(MODE_GETPLANERESOURCES),
	IOCTL(MODE_CREATE_DUMB), IOCTL(MODE_MAP_DUMB), IOCTL(MODE_DESTROY_DUMB), IOCTL(MODE_ADDFB2), IOCTL(WAIT_VBLANK),
	IOCTL(GEM_CLOSE), IOCTL(GEM_FLINK), IOCTL(GEM_OPEN), IOCTL(PRIME_HANDLE_TO_FD), IOCTL(PRIME_FD_TO_HANDLE),
	IOCTL(SYNCOBJ_DESTROY), IOCTL(SYNCOBJ_WAIT), IOCTL(SYNCOBJ_TIMELINE_WAIT), IOCTL(SYNCOBJ_QUERY),
	IOCTL(SYNCOBJ_TRANSFER), IOCTL(CRTC_GET_SEQUENCE),
#undef IOCTL
};

/* Arguments of zeros are mistakes in all but a few ioctls; numbers behind the last one name no ioctl. */
static void tell_ioctls(int fd, const char *node)
{
	char argument[MAX_ARGUMENT];
	int ret;

	for (unsigned int n = 0; n < ARRAY_SIZE(ioctls); n++) {
		memset(argument, 0, sizeof(argument));
		ret = it_ioctl(fd, ioctls[n].request, argument);
		printf("%s of zeros on the %s node: %d\n", ioctls[n].name, node, -ret);
	}
	for (unsigned int n = DRM_I915_GEM_VM_DESTROY + 1; n < DRM_COMMAND_END - DRM_COMMAND_BASE; n++) {
		memset(argument, 0, sizeof(argument));
		ret = it_ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE + n, uint64_t), argument);
		printf("unknown ioctl %u on the %s node: %d\n", n, node, -ret);
	}
}

static void tell_refusals(int fd)
{
	struct drm_i915_gem_create_ext_protected_content protect = {
		.base.name = I915_GEM_CREATE_EXT_PROTECTED_CONTENT,
	};
	struct drm_i915_gem_create_ext create = { .size = 4096, .extensions = (uintptr_t)&protect };
	I915_DEFINE_CONTEXT_ENGINES_PARALLEL_SUBMIT(parallel, 1) = {
		.base.name = I915_CONTEXT_ENGINES_EXT_PARALLEL_SUBMIT, .width = 1, .num_siblings = 1,
		.engines = { { I915_ENGINE_CLASS_RENDER, 0 } },
	};
	I915_DEFINE_CONTEXT_PARAM_ENGINES(engines, 1) = {
		.extensions = (uintptr_t)&parallel,
		.engines = { { (uint16_t)I915_ENGINE_CLASS_INVALID, (uint16_t)I915_ENGINE_CLASS_INVALID_NONE } },
	};
	struct drm_i915_gem_context_param p = {
		.ctx_id = new_context(fd), .param = I915_CONTEXT_PARAM_ENGINES, .size = sizeof(engines),
		.value = (uintptr_t)&engines,
	};
	uint64_t properties[] = { DRM_I915_PERF_PROP_SAMPLE_OA, 1, DRM_I915_PERF_PROP_OA_METRICS_SET, 1,
				  DRM_I915_PERF_PROP_OA_FORMAT, I915_OA_FORMAT_A32u40_A4u32_B8_C8 };
	struct drm_i915_perf_open_param perf = {
		.num_properties = ARRAY_SIZE(properties) / 2, .properties_ptr = (uintptr_t)properties,
	};
	struct drm_i915_gem_get_aperture aperture = { 0 };
	int ret;

	tell(it_ioctl(fd, DRM_IOCTL_I915_GEM_CREATE_EXT, &create), 0, "protected object", 0);
	tell(it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), 0, "parallel submission", 0);
	tell(it_ioctl(fd, DRM_IOCTL_I915_PERF_OPEN, &perf), 0, "stream of performance reports", 0);
	ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_GET_APERTURE, &aperture);
	tell(ret, aperture.aper_size, "global GTT", 0);
	if (aperture.aper_available_size > aperture.aper_size ||
	    aperture.aper_available_size < aperture.aper_size - aperture.aper_size / 8)
		printf("available of it: %llu\n", (unsigned long long)aperture.aper_available_size);
}

int main(void)
{
	int render = it_open_driver("i915", 128), primary = it_open_driver("i915", 0);

	if (render < 0 || primary < 0) {
		fprintf(stderr, "igen-answers: no GPU with an i915 uAPI\n");
		return 1;
	}
	tell_params(render);
	tell_context_params(render);
	tell_queries(render);
	tell_caps(render);
	tell_refusals(render);
	tell_ioctls(render, "render");
	tell_ioctls(primary, "primary");
	close(render);
	close(primary);
	return 0;
}
