// SPDX-License-Identifier: MIT
/*
 * DOC: Calls: objects
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <drm.h>
#include <drm_mode.h>
#include <i915_drm.h>

#include "fuzz.h"

/* Newer than some headers. */
struct sync_file_arg {
	uint32_t flags;
	int32_t fd;
};

#define EXPORT_SYNC_FILE _IOWR('b', 2, struct sync_file_arg)
#define IMPORT_SYNC_FILE _IOW('b', 3, struct sync_file_arg)

void run_gem_create(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_create create = { .size = a[2] };

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_CREATE, &create))
		put_slot(t, K_HANDLE, a[1], create.handle);
}

void run_gem_create_ext(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_create_ext create = { .size = a[2], .flags = a[3], .extensions = put_extensions(t) };

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_CREATE_EXT, &create))
		put_slot(t, K_HANDLE, a[1], create.handle);
}

/* userptr fd new where offset size flags: where is the lane's user memory, or a mapping of an object */
void run_userptr(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_userptr userptr = { .user_size = a[4], .flags = a[5] };

	switch (a[2]) {
	case P_GOOD:
		userptr.user_ptr = (uintptr_t)t->lane->user + a[3] % USER_BYTES;
		break;
	case P_READ_ONLY:
		userptr.user_ptr = (uintptr_t)t->lane->arena_ro;
		break;
	default:
		userptr.user_ptr = put(t, "", 1, a[2]) + (a[2] >= P_MAP ? a[3] : 0);
	}
	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_USERPTR, &userptr))
		put_slot(t, K_HANDLE, a[1], userptr.handle);
}

void run_gem_close(struct thread *t, const uint64_t *a)
{
	struct drm_gem_close gem = { .handle = use(t, K_HANDLE, a[1]) };

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_GEM_CLOSE, &gem);
}

/* rw fd h offset size ptr write */
void run_rw(struct thread *t, const uint64_t *a)
{
	static const uint8_t data[0x4000] = { 0x5a };
	struct drm_i915_gem_pread pread = {
		.handle = use(t, K_HANDLE, a[1]), .offset = a[2], .size = a[3],
		.data_ptr = put(t, data, sizeof(data), a[4]),
	};

	/*
	 * A pointer that is meant to be good needs as much mapped memory as the call asks for. Calls with larger sizes
	 * fail or end at the mapping's end.
	 */
	if (a[4] == P_GOOD && pread.size > sizeof(data) && pread.size < USER_BYTES)
		pread.data_ptr = (uintptr_t)t->lane->user;
	ioctl_call(t, use_fd(t, a[0]), a[5] & 1 ? DRM_IOCTL_I915_GEM_PWRITE : DRM_IOCTL_I915_GEM_PREAD, &pread);
}

static void *slot_address(struct thread *t, uint64_t slot)
{
	return t->lane->maps + slot % NSLOTS * MAP_SLOT_BYTES;
}

/* mmap fd h new kind size offset prot: by offset; kind from 5 on is the old ioctl for the aperture */
void run_mmap(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_mmap_offset offset = { .handle = use(t, K_HANDLE, a[1]), .flags = a[3] };
	struct drm_i915_gem_mmap_gtt gtt = { .handle = use(t, K_HANDLE, a[1]) };
	const uint64_t size = a[4] < MAP_SLOT_BYTES && a[4] ? a[4] : MAP_SLOT_BYTES;
	const int fd = use_fd(t, a[0]);
	uint64_t at;
	void *p;

	if (a[3] == 5) {
		if (ioctl_call(t, fd, DRM_IOCTL_I915_GEM_MMAP_GTT, &gtt))
			return;
		at = gtt.offset;
	} else {
		if (ioctl_call(t, fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset))
			return;
		at = offset.offset;
	}
	p = slot_address(t, a[2]);
	cover_begin(&t->cover);
	p = mmap(p, size, a[6] & 3, (a[6] & 4 ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED | (a[6] & 8 ? MAP_POPULATE : 0),
		 fd, at + a[5]);
	if (cover_end(&t->cover, t->lane->shared))
		t->lane->new_edges = true;
	if (p == MAP_FAILED)
		return;
	put_slot(t, K_MAP, a[2], (uintptr_t)p);
	t->lane->map_size[a[2] % NSLOTS] = size;
}

/* gem_mmap fd h new size offset flags: the oldest way */
void run_gem_mmap(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_mmap map = {
		.handle = use(t, K_HANDLE, a[1]), .size = a[3], .offset = a[4], .flags = a[5],
	};

	if (ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_MMAP, &map))
		return;
	put_slot(t, K_MAP, a[2], map.addr_ptr);
	t->lane->map_size[a[2] % NSLOTS] = map.size;
}

/* munmap map how: away, another protection, discarded, kept from children, moved */
void run_munmap(struct thread *t, const uint64_t *a)
{
	const uint64_t addr = use(t, K_MAP, a[0] % NSLOTS);
	const uint64_t size = t->lane->map_size[a[0] % NSLOTS];

	if (!addr || !size)
		return;
	cover_begin(&t->cover);
	switch (a[1] % 5) {
	case 0:
		mmap((void *)addr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		break;
	case 1:
		mprotect((void *)addr, size, PROT_READ);
		break;
	case 2:
		madvise((void *)addr, size, MADV_DONTNEED);
		break;
	case 3:
		madvise((void *)addr, size, MADV_DONTFORK);
		break;
	case 4:
		mremap((void *)addr, size, size / 2 + 1, 0);
		break;
	}
	if (cover_end(&t->cover, t->lane->shared))
		t->lane->new_edges = true;
}

/* As a debugger would: not through the mapping but through the driver's way for it. */
static void touch_as_debugger(struct thread *t, uint64_t addr, uint64_t size, bool write)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	uint8_t *buffer = scratch(t, 0x1000);

	if (fd < 0)
		return;
	if (size > 0x1000)
		size = 0x1000;
	/* Only what the kernel does matters, not the result. */
	if ((write ? pwrite(fd, buffer, size, addr) : pread(fd, buffer, size, addr)) < 0)
		buffer[0] = 0;
	close(fd);
}

/* touch map at size write: 1 writes, 2 goes a debugger's way */
void run_touch(struct thread *t, const uint64_t *a)
{
	uint64_t addr = use(t, K_MAP, a[0] % NSLOTS);
	uint64_t size = t->lane->map_size[a[0] % NSLOTS];

	if (!addr || a[1] >= size)
		return;
	size -= a[1];
	if (a[2] < size)
		size = a[2];
	cover_begin(&t->cover);
	if (a[3] & 2)
		touch_as_debugger(t, addr + a[1], size, a[3] & 1);
	else
		touch(t, addr + a[1], size, a[3] & 1);
	if (cover_end(&t->cover, t->lane->shared))
		t->lane->new_edges = true;
}

void run_domain(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_set_domain domain = {
		.handle = use(t, K_HANDLE, a[1]), .read_domains = a[2], .write_domain = a[3],
	};

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain);
}

void run_caching(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_caching caching = { .handle = use(t, K_HANDLE, a[1]), .caching = a[2] };

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_SET_CACHING, &caching);
}

void run_tiling(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_set_tiling tiling = {
		.handle = use(t, K_HANDLE, a[1]), .tiling_mode = a[2], .stride = a[3],
	};

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_SET_TILING, &tiling);
}

/* object fd h what: ioctls that need nothing but the handle */
void run_object(struct thread *t, const uint64_t *a)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_I915_GEM_BUSY, DRM_IOCTL_I915_GEM_GET_CACHING, DRM_IOCTL_I915_GEM_GET_TILING,
		DRM_IOCTL_I915_GEM_SW_FINISH, DRM_IOCTL_I915_GEM_THROTTLE, DRM_IOCTL_I915_GEM_GET_APERTURE,
	};
	uint64_t words[8] = { use(t, K_HANDLE, a[1]) };

	ioctl_call(t, use_fd(t, a[0]), requests[a[2] % (sizeof(requests) / sizeof(requests[0]))], words);
}

void run_wait(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_wait wait = { .bo_handle = use(t, K_HANDLE, a[1]), .timeout_ns = a[2], .flags = a[3] };

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_WAIT, &wait);
}

void run_madvise(struct thread *t, const uint64_t *a)
{
	struct drm_i915_gem_madvise advice = { .handle = use(t, K_HANDLE, a[1]), .madv = a[2] };

	ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_I915_GEM_MADVISE, &advice);
}

void run_flink(struct thread *t, const uint64_t *a)
{
	struct drm_gem_flink flink = { .handle = use(t, K_HANDLE, a[1]) };

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_GEM_FLINK, &flink))
		put_slot(t, K_NAME, a[2], flink.name);
}

void run_gem_open(struct thread *t, const uint64_t *a)
{
	struct drm_gem_open gem = { .name = use(t, K_NAME, a[1]) };

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_GEM_OPEN, &gem))
		put_slot(t, K_HANDLE, a[2], gem.handle);
}

void run_export(struct thread *t, const uint64_t *a)
{
	struct drm_prime_handle prime = { .handle = use(t, K_HANDLE, a[1]), .flags = a[3] };

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime))
		put_slot(t, K_FILE, a[2], prime.fd);
}

void run_import(struct thread *t, const uint64_t *a)
{
	struct drm_prime_handle prime = { .fd = use(t, K_FILE, a[1]) };

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime))
		put_slot(t, K_HANDLE, a[2], prime.handle);
}

/* dmabuf file new how size flags: what a dma-buf can be asked for */
void run_dmabuf(struct thread *t, const uint64_t *a)
{
	const int fd = use(t, K_FILE, a[0]);
	struct dma_buf_sync sync = { .flags = a[4] };
	struct sync_file_arg arg = { .flags = a[4] & 3, .fd = -1 };
	uint64_t size = a[3] < MAP_SLOT_BYTES && a[3] ? a[3] : MAP_SLOT_BYTES;
	void *p;

	switch (a[2] % 4) {
	case 0:
		ioctl_call(t, fd, DMA_BUF_IOCTL_SYNC, &sync);
		break;
	case 1:
		if (!ioctl_call(t, fd, EXPORT_SYNC_FILE, &arg))
			put_slot(t, K_FILE, a[1], arg.fd);
		break;
	case 2:
		arg.fd = use(t, K_FILE, a[1]);
		ioctl_call(t, fd, IMPORT_SYNC_FILE, &arg);
		break;
	case 3:
		cover_begin(&t->cover);
		p = mmap(slot_address(t, a[1]), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
		if (cover_end(&t->cover, t->lane->shared))
			t->lane->new_edges = true;
		if (p == MAP_FAILED)
			break;
		put_slot(t, K_MAP, a[1], (uintptr_t)p);
		t->lane->map_size[a[1] % NSLOTS] = size;
		break;
	}
}

/* dumb fd new width height bpp */
void run_dumb(struct thread *t, const uint64_t *a)
{
	struct drm_mode_create_dumb dumb = { .width = a[2], .height = a[3], .bpp = a[4] };

	if (!ioctl_call(t, use_fd(t, a[0]), DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		put_slot(t, K_HANDLE, a[1], dumb.handle);
}

/* user_change offset size how: changes the memory below objects over user memory */
void run_user_change(struct thread *t, const uint64_t *a)
{
	const uint64_t offset = a[0] % USER_BYTES & ~0xfffull;
	uint64_t size = (a[1] % USER_BYTES & ~0xfffull) ?: 0x1000;
	uint8_t *p = t->lane->user + offset;

	if (size > USER_BYTES - offset)
		size = USER_BYTES - offset;
	cover_begin(&t->cover);
	switch (a[2] % 6) {
	case 0:
		mmap(p, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 1:
		mmap(p, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 2:
		mprotect(p, size, PROT_READ);
		break;
	case 3:
		mprotect(p, size, PROT_READ | PROT_WRITE);
		break;
	case 4:
		madvise(p, size, MADV_DONTNEED);
		break;
	case 5:
		touch(t, (uintptr_t)p, size, true);
		break;
	}
	if (cover_end(&t->cover, t->lane->shared))
		t->lane->new_edges = true;
}
