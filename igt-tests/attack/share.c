// SPDX-License-Identifier: MIT
/**
 * DOC: Buffers and fences of other drivers
 *
 * Imports of vgem's buffers and of udmabuf's, which are written by the GPU, mapped, closed and truncated; fences of
 * vgem's that do not signal; syncobjs and sync files, made, transferred and closed by several threads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>

#include "attack.h"

#define AT		(256ull << 20)
#define SIZE		(64u << 10)

/* Linux include/uapi/drm/vgem_drm.h, which libdrm does not have. */
struct drm_vgem_fence_attach {
	uint32_t handle, flags;
	uint32_t out_fence, pad;
};

struct drm_vgem_fence_signal {
	uint32_t fence, flags;
};

#define VGEM_FENCE_WRITE		0x1
#define DRM_IOCTL_VGEM_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct drm_vgem_fence_attach)
#define DRM_IOCTL_VGEM_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct drm_vgem_fence_signal)

static __thread sigjmp_buf bus_error;

static void on_sigbus(int number)
{
	siglongjmp(bus_error, number);
}

static void catch_sigbus(void)
{
	const struct sigaction action = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };

	sigaction(SIGBUS, &action, NULL);
}

/*
 * Writes an import with every engine, maps it, in one order or another, and closes all in any. Threads that import one
 * buffer into one file share its handle, so that the first of them to close it leaves the others a number that may be
 * a batch by then. The CPU's writes are therefore what stops an engine on purpose.
 */
static int use_import(struct attacker *a, int fd, int dmabuf)
{
	struct drm_prime_handle prime = { .fd = dmabuf };
	struct drm_i915_gem_mmap_offset offset = { .flags = attack_roll(a, 4) };
	uint32_t words[16];
	struct drm_i915_gem_pwrite pwrite = { .size = sizeof(words), .data_ptr = (uintptr_t)words };
	struct it_bo o = { .fd = fd, .size = SIZE, .address = 2 * AT };
	struct it_batch b;
	void *map;
	int ret = it_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	if (ret)
		return ret;
	o.handle = prime.handle;
	ret = it_batch_make(fd, ATTACK_PAGE, AT, &b);
	if (!ret) {
		it_emit_store(&b, o.address + attack_roll(a, SIZE / 4) * 4, 1);
		it_emit_end(&b);
		ret = attack_submit(fd, 0, attack_rings[attack_roll(a, ATTACK_RINGS)], &b, &o, 1);
		if (attack_roll(a, 2))
			it_bo_wait(b.bo, 500000000);
		it_batch_drop(&b);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = ATTACK_NO_SUCH_COMMAND;
	pwrite.handle = o.handle;
	attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_PWRITE, &pwrite));
	offset.handle = o.handle;
	if (!attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset))) {
		map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset.offset);
		if (map != MAP_FAILED) {
			if (!sigsetjmp(bus_error, 1))
				memset(map, 0xff, SIZE);
			munmap(map, SIZE);
		}
	}
	it_handle_close(fd, o.handle);
	return ret;
}

static void vgem_import(struct attacker *a)
{
	int fd = it_open_fd(), vgem = it_vgem_open();

	catch_sigbus();
	if (vgem < 0)
		attack_absent(a, "vgem");
	while (vgem >= 0) {
		uint32_t handle;
		int dmabuf = it_vgem_buffer(vgem, SIZE, &handle);

		if (attack_count(a, dmabuf) < 0)
			continue;
		if (attack_roll(a, 2))
			it_handle_close(vgem, handle);
		attack_count(a, use_import(a, fd, dmabuf));
		close(dmabuf);
		if (!attack_roll(a, 64)) {
			close(fd);
			fd = it_open_fd();
		}
	}
}

/* A fence of vgem's that this client does not signal; vgem itself does so after ten seconds. */
static void vgem_fence(struct attacker *a)
{
	int fd = it_open_fd(), vgem = it_vgem_open();

	catch_sigbus();
	if (vgem < 0)
		attack_absent(a, "vgem");
	while (vgem >= 0) {
		struct drm_vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
		struct dma_buf_export_sync_file out = { .flags = DMA_BUF_SYNC_RW };
		int dmabuf = it_vgem_buffer(vgem, SIZE, &attach.handle);

		if (attack_count(a, dmabuf) < 0)
			continue;
		attack_count(a, it_ioctl(vgem, DRM_IOCTL_VGEM_FENCE_ATTACH, &attach));
		attack_count(a, use_import(a, fd, dmabuf));
		if (!ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out))
			close(out.fd);
		/* Signals some of them. */
		if (attack_roll(a, 2)) {
			struct drm_vgem_fence_signal signal = { .fence = attach.out_fence };

			it_ioctl(vgem, DRM_IOCTL_VGEM_FENCE_SIGNAL, &signal);
		}
		it_handle_close(vgem, attach.handle);
		close(dmabuf);
	}
}

/* Memory of a file as a buffer; the file is made shorter, where the kernel lets it, and written meanwhile. */
static void udmabuf(struct attacker *a)
{
	int fd = it_open_fd(), device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);

	catch_sigbus();
	if (device < 0)
		attack_absent(a, "/dev/udmabuf");
	while (device >= 0) {
		struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = SIZE };
		int memfd = memfd_create("udmabuf", MFD_ALLOW_SEALING | MFD_CLOEXEC), dmabuf;

		if (memfd < 0 || ftruncate(memfd, SIZE) || fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK) < 0)
			return;
		create.memfd = memfd;
		dmabuf = ioctl(device, UDMABUF_CREATE, &create);
		if (attack_count(a, dmabuf) >= 0) {
			if (attack_roll(a, 2))
				close(memfd);
			attack_count(a, use_import(a, fd, dmabuf));
			close(dmabuf);
		}
		close(memfd);
	}
}

#define HANDLES 8

struct fences {
	struct attacker *a;
	int fd[2];
	_Atomic uint32_t handle[HANDLES];
	_Atomic int file[HANDLES];
};

static int fence_action(struct fences *f, struct attacker *own)
{
	unsigned int at = attack_roll(own, HANDLES), from = attack_roll(own, HANDLES);
	struct drm_syncobj_create create = { .flags = attack_roll(own, 2) };
	struct drm_syncobj_handle handle = { .flags = attack_roll(own, 2), .fd = -1, .handle = f->handle[at] };
	struct drm_syncobj_transfer transfer = {
		.src_handle = f->handle[from], .dst_handle = f->handle[at], .dst_point = attack_roll(own, 5),
		.src_point = attack_roll(own, 3),
	};
	struct drm_i915_gem_exec_fence list[3];
	struct drm_i915_gem_exec_object2 obj = { 0 };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)&obj, .buffer_count = 1, .flags = I915_EXEC_FENCE_ARRAY | attack_roll(own, 5),
		.num_cliprects = ARRAY_SIZE(list), .cliprects_ptr = (uintptr_t)list,
	};
	struct it_batch b;
	int fd = f->fd[0], ret;

	switch (attack_roll(own, 6)) {
	case 0:
		ret = it_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &create);
		if (!ret) {
			struct drm_syncobj_destroy destroy = {
				.handle = atomic_exchange(&f->handle[at], create.handle),
			};

			it_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
		}
		return ret;
	case 1:
		ret = it_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &handle);
		if (!ret) {
			int old = atomic_exchange(&f->file[at], handle.fd);

			if (old > 0)
				close(old);
		}
		return ret;
	case 2:
		handle.fd = f->file[from];
		return it_ioctl(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &handle);
	case 3:
		return it_ioctl(fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &transfer);
	default:
		ret = it_batch_make(fd, ATTACK_PAGE, AT, &b);
		if (ret)
			return ret;
		it_emit_end(&b);
		obj.handle = b.bo->handle;
		for (unsigned int i = 0; i < ARRAY_SIZE(list); i++) {
			list[i].handle = f->handle[attack_roll(own, HANDLES)];
			list[i].flags = attack_roll(own, 4);
		}
		ret = attack_ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
		it_batch_drop(&b);
		return ret;
	}
}

static void *fence_thread(void *arg)
{
	static atomic_uint number;
	struct fences *f = arg;
	struct attacker own = *f->a;

	own.seed += 104729 * ++number;
	for (;;)
		attack_count(&own, fence_action(f, &own));
	return NULL;
}

static void syncobjs(struct attacker *a)
{
	static struct fences f;
	pthread_t id;

	f.a = a;
	f.fd[0] = it_open_fd();
	for (unsigned int i = 0; i < 2; i++)
		pthread_create(&id, NULL, fence_thread, &f);
	fence_thread(&f);
}

/* Exports of objects that two files have, with all of the dma-buf's calls. */
static void *export_thread(void *arg)
{
	static atomic_uint number;
	struct fences *f = arg;
	struct attacker own = *f->a;

	own.seed += 15485863 * ++number;
	for (;;) {
		unsigned int at = attack_roll(&own, HANDLES), side = attack_roll(&own, 2);
		struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | (attack_roll(&own, 2) ? DRM_RDWR : 0) };
		struct dma_buf_sync sync = { .flags = attack_roll(&own, 8) };
		struct dma_buf_export_sync_file out = { .flags = attack_roll(&own, 4) };
		int file = f->file[at], ret;
		uint32_t handle;

		switch (attack_roll(&own, 6)) {
		case 0:
			ret = it_bo_create(f->fd[side], SIZE, &handle);
			if (ret)
				break;
			prime.handle = handle;
			ret = it_ioctl(f->fd[side], DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
			if (!ret) {
				file = atomic_exchange(&f->file[at], prime.fd);
				if (file > 0)
					close(file);
			}
			it_handle_close(f->fd[side], handle);
			break;
		case 1:
			ret = ioctl(file, DMA_BUF_IOCTL_SYNC, &sync) ? -errno : 0;
			break;
		case 2:
			ret = ioctl(file, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out) ? -errno : 0;
			if (!ret)
				close(out.fd);
			break;
		default:
			ret = use_import(&own, f->fd[side], file);
			break;
		}
		attack_count(&own, ret);
	}
	return NULL;
}

static void exports(struct attacker *a)
{
	static struct fences f;
	pthread_t id;

	f.a = a;
	f.fd[0] = it_open_fd();
	it_use_device(a->second);
	f.fd[1] = it_open_fd();
	catch_sigbus();
	for (unsigned int i = 0; i < 2; i++)
		pthread_create(&id, NULL, export_thread, &f);
	export_thread(&f);
}

const struct attack attacks_share[] = {
	{ "share-vgem-import", 1, 0, vgem_import },
	{ "share-vgem-fence", 1, 0, vgem_fence },
	{ "share-udmabuf", 1, 0, udmabuf },
	{ "share-syncobjs", 3, 0, syncobjs },
	{ "share-exports", 3, 0, exports },
	{ 0 }
};
