// SPDX-License-Identifier: MIT
/*
 * DOC: Objects: made, filled, shared, asked about, closed
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>

#include "faults.h"

#define SIZE		(64u << 10)
#define PATTERN		0xa5u

/* Creating */

static void prepare_create(struct fx *fx)
{
	fx->request = DRM_IOCTL_I915_GEM_CREATE;
	FAULT_ARG(fx, struct drm_i915_gem_create)->size = SIZE;
}

static void check_create(struct fx *fx)
{
	fault_expect_handle(fx, FAULT_USED(fx, struct drm_i915_gem_create)->handle);
}

static void prepare_create_ext(struct fx *fx)
{
	struct drm_i915_gem_create_ext_memory_regions *ext = (void *)fx->data;
	struct drm_i915_gem_memory_class_instance *region = (void *)fx->more;
	struct drm_i915_gem_create_ext *create = FAULT_ARG(fx, struct drm_i915_gem_create_ext);

	region->memory_class = I915_MEMORY_CLASS_SYSTEM;
	ext->base.name = I915_GEM_CREATE_EXT_MEMORY_REGIONS;
	ext->num_regions = 1;
	ext->regions = (uintptr_t)region;
	create->size = SIZE;
	create->extensions = (uintptr_t)ext;
	fx->request = DRM_IOCTL_I915_GEM_CREATE_EXT;
}

static void check_create_ext(struct fx *fx)
{
	fault_expect_handle(fx, FAULT_USED(fx, struct drm_i915_gem_create_ext)->handle);
}

/* Dumb buffers are the primary node's. */
static void prepare_dumb(struct fx *fx)
{
	struct drm_mode_create_dumb *dumb = FAULT_ARG(fx, struct drm_mode_create_dumb);

	fx->fd = fault_keep(fx, open("/dev/dri/card0", O_RDWR | O_CLOEXEC), "card0");
	dumb->width = 64;
	dumb->height = 64;
	dumb->bpp = 32;
	fx->request = DRM_IOCTL_MODE_CREATE_DUMB;
}

static void check_dumb(struct fx *fx)
{
	fault_expect_handle(fx, FAULT_USED(fx, struct drm_mode_create_dumb)->handle);
}

static void prepare_userptr(struct fx *fx)
{
	struct drm_i915_gem_userptr *userptr = FAULT_ARG(fx, struct drm_i915_gem_userptr);

	fx->map_size = SIZE;
	fx->memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	it_expect(fx->memory != MAP_FAILED, "preparing: no memory");
	userptr->user_ptr = (uintptr_t)fx->memory;
	userptr->user_size = SIZE;
	userptr->flags = fx->path->arg;
	fx->request = DRM_IOCTL_I915_GEM_USERPTR;
}

static void check_userptr(struct fx *fx)
{
	fault_expect_handle(fx, FAULT_USED(fx, struct drm_i915_gem_userptr)->handle);
}

/* The driver pins the pages of a userptr object at its first use. */
static void prepare_userptr_use(struct fx *fx)
{
	struct drm_i915_gem_userptr userptr;
	struct drm_i915_gem_set_domain *domain;

	prepare_userptr(fx);
	userptr = *FAULT_ARG(fx, struct drm_i915_gem_userptr);
	fault_must(fx, DRM_IOCTL_I915_GEM_USERPTR, &userptr);
	memset(&fx->arg, 0, sizeof(fx->arg));
	domain = FAULT_ARG(fx, struct drm_i915_gem_set_domain);
	domain->handle = userptr.handle;
	domain->read_domains = I915_GEM_DOMAIN_CPU;
	domain->write_domain = I915_GEM_DOMAIN_CPU;
	fx->request = DRM_IOCTL_I915_GEM_SET_DOMAIN;
}

/* An object without pages yet. */
static uint32_t bare_object(struct fx *fx)
{
	struct drm_i915_gem_create create = { .size = SIZE };

	fault_must(fx, DRM_IOCTL_I915_GEM_CREATE, &create);
	fx->first = create.handle + 1;
	return create.handle;
}

static void prepare_close(struct fx *fx)
{
	FAULT_ARG(fx, struct drm_gem_close)->handle = bare_object(fx);
	fx->request = DRM_IOCTL_GEM_CLOSE;
}

static void check_close(struct fx *fx)
{
	struct drm_gem_close gone = *FAULT_ARG(fx, struct drm_gem_close);

	it_expect(it_ioctl(fx->fd, DRM_IOCTL_GEM_CLOSE, &gone) == -EINVAL, "the closed handle is still there");
}

/* Content */

static void prepare_pwrite(struct fx *fx)
{
	struct drm_i915_gem_pwrite *pwrite = FAULT_ARG(fx, struct drm_i915_gem_pwrite);

	memset(fx->data, PATTERN, sizeof(fx->data));
	pwrite->handle = bare_object(fx);
	pwrite->offset = 4096 - sizeof(fx->data) / 2;
	pwrite->size = sizeof(fx->data);
	pwrite->data_ptr = (uintptr_t)fx->data;
	fx->request = DRM_IOCTL_I915_GEM_PWRITE;
}

static void check_pwrite(struct fx *fx)
{
	struct drm_i915_gem_pwrite *pwrite = FAULT_ARG(fx, struct drm_i915_gem_pwrite);
	struct drm_i915_gem_pread pread = {
		.handle = pwrite->handle,
		.offset = pwrite->offset,
		.size = pwrite->size,
		.data_ptr = (uintptr_t)fx->more,
	};

	fault_must(fx, DRM_IOCTL_I915_GEM_PREAD, &pread);
	it_expect(!memcmp(fx->data, fx->more, sizeof(fx->data)), "what was written is not read back");
}

static void prepare_pread(struct fx *fx)
{
	struct drm_i915_gem_pread *pread = FAULT_ARG(fx, struct drm_i915_gem_pread);

	memset(fx->data, PATTERN, sizeof(fx->data));
	pread->handle = bare_object(fx);
	pread->offset = 4096 - sizeof(fx->data) / 2;
	pread->size = sizeof(fx->data);
	pread->data_ptr = (uintptr_t)fx->data;
	fx->request = DRM_IOCTL_I915_GEM_PREAD;
}

static void check_pread(struct fx *fx)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(fx->data); i++)
		it_expect(!fx->data[i], "a fresh object reads as %llx", (unsigned long long)fx->data[i]);
}

/* Questions and settings that take a handle first of all, and some value behind it. */
static const struct {
	unsigned long request;
	uint32_t dword[4];
} simple[] = {
	{ DRM_IOCTL_I915_GEM_SET_DOMAIN, { 0, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU } },
	{ DRM_IOCTL_I915_GEM_SET_DOMAIN, { 0, I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT } },
	{ DRM_IOCTL_I915_GEM_SET_TILING, { 0, I915_TILING_X, 512 } },
	{ DRM_IOCTL_I915_GEM_GET_TILING, { 0 } },
	{ DRM_IOCTL_I915_GEM_SET_CACHING, { 0, I915_CACHING_NONE } },
	{ DRM_IOCTL_I915_GEM_GET_CACHING, { 0 } },
	{ DRM_IOCTL_I915_GEM_MADVISE, { 0, I915_MADV_DONTNEED } },
	{ DRM_IOCTL_I915_GEM_BUSY, { 0 } },
	{ DRM_IOCTL_I915_GEM_WAIT, { 0, 0, ~0u, ~0u } },
	{ DRM_IOCTL_I915_GEM_SW_FINISH, { 0 } },
	{ DRM_IOCTL_I915_GEM_GET_APERTURE, { 0 } },
};

static void prepare_simple(struct fx *fx)
{
	memcpy(fx->arg.bytes, simple[fx->path->arg].dword, sizeof(simple[0].dword));
	memcpy(fx->arg.bytes, &(uint32_t){ bare_object(fx) }, sizeof(uint32_t));
	fx->request = simple[fx->path->arg].request;
}

/* Sharing */

static void prepare_export(struct fx *fx)
{
	struct drm_prime_handle *prime = FAULT_ARG(fx, struct drm_prime_handle);

	prime->handle = bare_object(fx);
	prime->flags = DRM_CLOEXEC | DRM_RDWR;
	fx->request = DRM_IOCTL_PRIME_HANDLE_TO_FD;
}

static void check_export(struct fx *fx)
{
	fault_keep(fx, FAULT_USED(fx, struct drm_prime_handle)->fd, "exported");
}

static void import(struct fx *fx, int fd)
{
	struct drm_prime_handle *prime = FAULT_ARG(fx, struct drm_prime_handle);

	prime->fd = fd;
	prime->handle = 0;
	prime->flags = 0;
	fx->request = DRM_IOCTL_PRIME_FD_TO_HANDLE;
}

/* The import of an object that another file of this driver has exported. */
static void prepare_import_own(struct fx *fx)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	int other = fault_keep(fx, it_open_fd(), "another file");
	int own = fx->fd;

	fx->fd = other;
	prime.handle = bare_object(fx);
	fault_must(fx, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	fx->fd = own;
	fx->first = 1;
	import(fx, fault_keep(fx, prime.fd, "exported"));
}

int fault_vgem_buffer(struct fx *fx)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	int own = fx->fd, fd = it_open_driver("vgem", 0);

	if (fd < 0)
		it_skip("no vgem to import from");
	fx->fd = fault_keep(fx, fd, "vgem");
	fault_must(fx, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
	prime.handle = dumb.handle;
	fault_must(fx, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	fx->fd = own;
	return fault_keep(fx, prime.fd, "vgem's buffer");
}

static void prepare_import(struct fx *fx)
{
	import(fx, fault_vgem_buffer(fx));
}

static void check_import(struct fx *fx)
{
	fault_expect_handle(fx, FAULT_USED(fx, struct drm_prime_handle)->handle);
}

/* The pages of an import are taken and mapped for the kernel. */
static void prepare_import_pread(struct fx *fx)
{
	struct drm_prime_handle prime = { .fd = fault_vgem_buffer(fx) };
	struct drm_i915_gem_pread *pread = FAULT_ARG(fx, struct drm_i915_gem_pread);

	fault_must(fx, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	memset(fx->data, PATTERN, sizeof(fx->data));
	pread->handle = prime.handle;
	pread->size = sizeof(fx->data);
	pread->data_ptr = (uintptr_t)fx->data;
	fx->request = DRM_IOCTL_I915_GEM_PREAD;
}

/* vgem takes ours: attaching and mapping on the exporter's side happens with its first use there. */
static void prepare_exported_use(struct fx *fx)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR, .handle = bare_object(fx) };

	fault_must(fx, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	fault_keep(fx, prime.fd, "exported");
	fault_vgem_buffer(fx);
	/* fds: exported, vgem, its buffer */
	fx->fd = fx->fds[1];
	import(fx, fx->fds[0]);
	fx->first = 2;
}

static const struct fault_path paths[] = {
	FAULT("gem-create", prepare_create, fault_ioctl, check_create, .flags = FAULT_COPY_OUT),
	FAULT("gem-create-ext", prepare_create_ext, fault_ioctl, check_create_ext, .flags = FAULT_COPY_OUT),
	FAULT("dumb-create", prepare_dumb, fault_ioctl, check_dumb, .flags = FAULT_COPY_OUT),
	FAULT("userptr", prepare_userptr, fault_ioctl, check_userptr, .flags = FAULT_COPY_OUT),
	FAULT("userptr-probe", prepare_userptr, fault_ioctl, check_userptr, .flags = FAULT_COPY_OUT,
	      .arg = I915_USERPTR_PROBE),
	FAULT("userptr-use", prepare_userptr_use, fault_ioctl, NULL),
	FAULT("gem-close", prepare_close, fault_ioctl, check_close),
	FAULT("pwrite", prepare_pwrite, fault_ioctl, check_pwrite),
	FAULT("pread", prepare_pread, fault_ioctl, check_pread),
	FAULT("set-domain-cpu", prepare_simple, fault_ioctl, NULL, .arg = 0),
	FAULT("set-domain-gtt", prepare_simple, fault_ioctl, NULL, .arg = 1),
	FAULT("set-tiling", prepare_simple, fault_ioctl, NULL, .arg = 2),
	FAULT("get-tiling", prepare_simple, fault_ioctl, NULL, .arg = 3),
	FAULT("set-caching", prepare_simple, fault_ioctl, NULL, .arg = 4),
	FAULT("get-caching", prepare_simple, fault_ioctl, NULL, .arg = 5),
	FAULT("madvise", prepare_simple, fault_ioctl, NULL, .arg = 6),
	FAULT("busy", prepare_simple, fault_ioctl, NULL, .arg = 7),
	FAULT("wait", prepare_simple, fault_ioctl, NULL, .arg = 8),
	FAULT("sw-finish", prepare_simple, fault_ioctl, NULL, .arg = 9),
	FAULT("get-aperture", prepare_simple, fault_ioctl, NULL, .arg = 10),
	FAULT("prime-export", prepare_export, fault_ioctl, check_export, .flags = FAULT_COPY_OUT),
	FAULT("prime-import-own", prepare_import_own, fault_ioctl, check_import, .flags = FAULT_COPY_OUT),
	FAULT("prime-import", prepare_import, fault_ioctl, check_import, .flags = FAULT_COPY_OUT),
	FAULT("prime-import-pread", prepare_import_pread, fault_ioctl, check_pread),
	FAULT("prime-exported-attach", prepare_exported_use, fault_ioctl, check_import, .flags = FAULT_COPY_OUT),
};

void faults_mem(void)
{
	fault_run(paths, ARRAY_SIZE(paths));
}
