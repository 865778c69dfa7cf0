// SPDX-License-Identifier: MIT
/**
 * DOC: New memory holds nothing
 *
 * A client fills memory with a pattern and gives it back; another one makes objects and reads them in every way that
 * there is. It must find zeroes, or its own data. The same holds outside of its objects: at addresses at which nothing
 * is bound, and in the part of an aperture mapping that lies behind the object's end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "smoke.h"

#define PATTERN		0xa7
#define SIZE		((2u << 20) + 8192)	/* a large page and two small ones */
#define DROP_CACHES	"/sys/kernel/debug/dri/0/i915_gem_drop_caches"
#define STRIDE		4096
#define TILE_ROW	(32 * STRIDE)

struct object {
	struct it_dev *dev;
	uint32_t handle;
};

static uint8_t got[SIZE];

/* Memory of each kind that the driver has, full of the pattern, goes back to the kernel. */
static void dirty(void)
{
	struct it_dev *other = it_open();

	for (unsigned int i = 0; i < 4; i++) {
		struct it_bo *bo = it_bo(other, 4 << 20);
		struct it_batch b = it_batch(other, 65536);

		memset(bo->map, PATTERN, bo->size);
		memset(b.dw, PATTERN, b.bo->size);
		b.n = 0;
		it_emit_end(&b);
		for (unsigned int e = 0; e < other->num_engines; e++)
			it_run_wait(other, it_ctx_engines(other), e, &b, &bo, 1);
	}
	it_close(other);
}

static struct object create(struct it_dev *dev)
{
	struct drm_i915_gem_create arg = { .size = SIZE };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CREATE, &arg);

	it_expect(!ret, "GEM_CREATE: error %d", ret);
	return (struct object){ dev, arg.handle };
}

static struct object create_ext(struct it_dev *dev)
{
	struct drm_i915_gem_create_ext arg = { .size = SIZE };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CREATE_EXT, &arg);

	it_expect(!ret, "GEM_CREATE_EXT: error %d", ret);
	return (struct object){ dev, arg.handle };
}

/* An object of which one byte of each page is the client's own zero, so that all of its pages have been there. */
static struct object written(struct it_dev *dev)
{
	struct object o = create(dev);
	uint8_t zero = 0;

	for (unsigned int i = 0; i < SIZE; i += 4096) {
		struct drm_i915_gem_pwrite arg = {
			.handle = o.handle, .offset = i + 5, .size = 1, .data_ptr = (uintptr_t)&zero,
		};
		int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_PWRITE, &arg);

		it_expect(!ret, "pwrite: error %d", ret);
	}
	return o;
}

static int export_fd(struct object o)
{
	struct drm_prime_handle prime = { .handle = o.handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = it_ioctl(o.dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	it_expect(!ret, "export: error %d", ret);
	return prime.fd;
}

static void copy_mapping(int fd, off_t offset, const char *how)
{
	void *map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, offset);

	it_expect(map != MAP_FAILED, "mmap (%s): error %d", how, errno);
	memcpy(got, map, SIZE);
	munmap(map, SIZE);
}

static void by_offset(struct object o, unsigned int type)
{
	struct drm_i915_gem_mmap_offset arg = { .handle = o.handle, .flags = type };
	int ret = it_ioctl(o.dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arg);

	it_expect(!ret, "GEM_MMAP_OFFSET: error %d", ret);
	copy_mapping(o.dev->fd, arg.offset, "offset");
}

static void by_tiled_aperture(struct object o, unsigned int unused)
{
	struct drm_i915_gem_set_tiling arg = { .handle = o.handle, .tiling_mode = I915_TILING_X, .stride = 512 };
	int ret = it_ioctl(o.dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &arg);

	(void)unused;
	it_expect(!ret, "GEM_SET_TILING: error %d", ret);
	by_offset(o, I915_MMAP_OFFSET_GTT);
}

static void by_mmap(struct object o, unsigned int flags)
{
	struct drm_i915_gem_mmap arg = { .handle = o.handle, .size = SIZE, .flags = flags };
	int ret = it_ioctl(o.dev->fd, DRM_IOCTL_I915_GEM_MMAP, &arg);

	it_expect(!ret, "GEM_MMAP: error %d", ret);
	memcpy(got, (void *)(uintptr_t)arg.addr_ptr, SIZE);
	munmap((void *)(uintptr_t)arg.addr_ptr, SIZE);
}

static void by_pread(struct object o, unsigned int unused)
{
	struct drm_i915_gem_pread arg = { .handle = o.handle, .size = SIZE, .data_ptr = (uintptr_t)got };
	int ret = it_ioctl(o.dev->fd, DRM_IOCTL_I915_GEM_PREAD, &arg);

	(void)unused;
	it_expect(!ret, "pread: error %d", ret);
}

static void by_dma_buf(struct object o, unsigned int unused)
{
	int fd = export_fd(o);

	(void)unused;
	copy_mapping(fd, 0, "dma-buf");
	close(fd);
}

/* Another file gets the buffer. */
static void by_import(struct object o, unsigned int unused)
{
	struct drm_prime_handle prime = { .fd = export_fd(o) };
	struct it_dev *importer = it_open();
	int ret = it_ioctl(importer->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	it_expect(!ret, "import: error %d", ret);
	close(prime.fd);
	by_pread((struct object){ importer, prime.handle }, unused);
	it_close(importer);
}

/* A dword of each page, at another place in each, and of the last page all. */
static void by_gpu(struct object o, unsigned int engine)
{
	struct it_batch b = it_batch(o.dev, 65536);
	struct it_bo *out = it_bo(o.dev, SIZE), source = { .handle = o.handle, .size = SIZE, .address = 1ull << 33 };
	struct it_bo *bos[] = { out, &source };

	for (unsigned int i = 0; i < SIZE / 4096 + 1023; i++) {
		uint64_t at = i < SIZE / 4096 ? i * 4096 + (i * 52 & 0xffc) : SIZE - 4096 + (i - SIZE / 4096) * 4;

		it_emit(&b, MI_COPY_MEM_MEM);
		it_emit_address(&b, out->address + at);
		it_emit_address(&b, source.address + at);
	}
	it_emit_end(&b);
	it_run_wait(o.dev, it_ctx_engines(o.dev), engine, &b, bos, 2);
	memcpy(got, out->map, SIZE);
}

static struct object (*const makers[])(struct it_dev *dev) = { create, create_ext, written };

static const struct {
	const char *name;
	void (*read)(struct object o, unsigned int arg);
	unsigned int arg;
} readers[] = {
	{ "wb", by_offset, I915_MMAP_OFFSET_WB },
	{ "wc", by_offset, I915_MMAP_OFFSET_WC },
	{ "uc", by_offset, I915_MMAP_OFFSET_UC },
	{ "gtt", by_offset, I915_MMAP_OFFSET_GTT },
	{ "gtt-tiled", by_tiled_aperture, 0 },
	{ "mmap", by_mmap, 0 },
	{ "mmap-wc", by_mmap, I915_MMAP_WC },
	{ "pread", by_pread, 0 },
	{ "dma-buf", by_dma_buf, 0 },
	{ "import", by_import, 0 },
	{ "gpu", by_gpu, 0 },
};

static void zeroed(unsigned int which)
{
	for (unsigned int m = 0; m < ARRAY_SIZE(makers); m++) {
		struct it_dev *dev;

		dirty();
		dev = it_open();
		memset(got, 0x55, sizeof(got));
		if (readers[which].read == by_gpu)
			memset(got, 0, sizeof(got));
		readers[which].read(makers[m](dev), readers[which].arg);
		for (unsigned int i = 0; i < SIZE; i++)
			it_expect(!got[i], "maker %u: byte %u of a new object is %02x", m, i, got[i]);
		it_close(dev);
	}
}

/* A purged object has no contents: neither its own nor data that others have put into its old pages can be read. */
static void purged(unsigned int which)
{
	struct it_dev *dev = it_open();
	struct it_bo *bo = it_bo(dev, SIZE);
	struct drm_i915_gem_madvise advice = { .handle = bo->handle, .madv = I915_MADV_DONTNEED };
	struct drm_i915_gem_pread read = { .handle = bo->handle, .size = SIZE, .data_ptr = (uintptr_t)got };
	int ret;

	(void)which;
	memset(bo->map, PATTERN, SIZE);
	munmap(bo->map, SIZE);
	bo->map = NULL;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MADVISE, &advice);
	it_expect(!ret, "madvise: error %d", ret);
	/* DROP_UNBOUND, DROP_BOUND. */
	if (it_write_file(DROP_CACHES, "0x3"))
		it_skip("no way to have it purged");
	advice.madv = I915_MADV_WILLNEED;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MADVISE, &advice);
	it_expect(!ret && !advice.retained, "madvise: error %d, retained %u", ret, advice.retained);
	memset(got, 0, sizeof(got));
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_PREAD, &read);
	for (unsigned int i = 0; i < SIZE; i++)
		it_expect(!got[i], "byte %u of what was purged is %02x (error %d)", i, got[i], ret);
}

/* A tiled object that ends within its second row of tiles, seen through a fence register. */
static volatile uint32_t *ragged(struct it_dev *dev, uint32_t *pages)
{
	struct drm_i915_gem_create arg = { .size = TILE_ROW + 4096 };
	struct drm_i915_gem_mmap_offset where = { .flags = I915_MMAP_OFFSET_GTT };
	struct drm_i915_gem_set_tiling tiling = { .tiling_mode = I915_TILING_Y, .stride = STRIDE };
	void *map;
	int ret;

	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CREATE, &arg);
	it_expect(!ret, "GEM_CREATE: error %d", ret);
	tiling.handle = arg.handle;
	where.handle = arg.handle;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling);
	it_expect(!ret, "GEM_SET_TILING: error %d", ret);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &where);
	if (ret == -ENODEV)
		it_skip("no aperture");
	it_expect(!ret, "GEM_MMAP_OFFSET: error %d", ret);
	map = mmap(NULL, arg.size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, where.offset);
	it_expect(map != MAP_FAILED, "mmap: error %d", errno);
	*pages = arg.size / 4096;
	return map;
}

/*
 * The view's last page is a line across 32 tiles, of which the object has only the first one. Data that is written to
 * the other 31 must be visible neither to another client nor to the GPU at unbound addresses.
 */
static void behind_the_end(unsigned int unused)
{
	struct it_dev *other = it_open(), *dev = it_open();
	struct it_batch b = it_batch(dev, 65536);
	struct it_bo *out = it_bo(dev, 4096);
	volatile uint32_t *theirs, *mine;
	uint32_t pages, *dw = out->map;

	(void)unused;
	if (!it_on_igen())
		it_skip("stock i915 has one page behind all objects");
	theirs = ragged(other, &pages);
	mine = ragged(dev, &pages);
	for (unsigned int i = 0; i < pages * 1024; i++)
		theirs[i] = 0xa7a7a7a7;
	for (unsigned int i = 0; i < pages * 1024; i++) {
		uint32_t v = mine[i];

		it_expect(!v, "dword %u of a new object's mapping is %08x, which another client wrote",
			  i, v);
	}
	for (unsigned int i = 0; i < 1024; i++) {
		it_emit(&b, MI_COPY_MEM_MEM);
		it_emit_address(&b, out->address + i * 4);
		it_emit_address(&b, (1ull << 40) + i * 4);
	}
	it_emit_end(&b);
	memset(dw, 0x55, 4096);
	it_run_wait(dev, it_ctx_engines(dev), 0, &b, &out, 1);
	for (unsigned int i = 0; i < 1024; i++)
		it_expect(!dw[i], "the GPU reads %08x where nothing is bound", dw[i]);
	munmap((void *)theirs, pages * 4096);
	munmap((void *)mine, pages * 4096);
	it_close(other);
}

/* Stores where nothing is bound are lost, for the client itself and for others. */
static void unbound(unsigned int engine)
{
	struct it_dev *other = it_open(), *dev = it_open();
	struct it_bo *out = it_bo(dev, 4096);
	struct it_batch theirs = it_batch(other, 65536), mine = it_batch(dev, 65536);
	uint32_t *dw = out->map;

	for (unsigned int i = 0; i < 1024; i++) {
		it_emit_store(&theirs, (1ull << 40) + i * 64, 0xa7a7a7a7);
		it_emit(&mine, MI_COPY_MEM_MEM);
		it_emit_address(&mine, out->address + i * 4);
		it_emit_address(&mine, (1ull << 41) + i * 64);
	}
	it_emit_end(&theirs);
	it_emit_end(&mine);
	memset(dw, 0x55, 4096);
	it_run_wait(other, it_ctx_engines(other), engine, &theirs, NULL, 0);
	it_run_wait(dev, it_ctx_engines(dev), engine, &mine, &out, 1);
	for (unsigned int i = 0; i < 1024; i++)
		it_expect(!dw[i], "what another client stored where nothing is bound: %08x", dw[i]);
	it_close(other);
}

/* What tells of other clients is root's. */
static void files(unsigned int unused)
{
	static const char *const paths[] = {
		"/sys/class/drm/card0/error", "/sys/kernel/debug/dri/0/i915_error_state",
		"/sys/kernel/debug/dri/0/i915_gem_objects", "/sys/kernel/debug/dri/0/i915_engine_info",
		"/sys/class/devcoredump/devcd1/data",
	};
	int status;
	pid_t pid = fork();

	(void)unused;
	it_expect(pid >= 0, "no process: error %d", errno);
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(100);
		for (unsigned int i = 0; i < ARRAY_SIZE(paths); i++)
			if (open(paths[i], O_RDONLY) >= 0)
				_exit(i + 1);
		_exit(0);
	}
	it_expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) != 100,
		  "no unprivileged process");
	it_expect(!WEXITSTATUS(status), "any user can open %s", paths[WEXITSTATUS(status) - 1]);
}

void smoke_told_mem(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(readers); i++)
		it_subtest(zeroed, i, "told-zeroed-%s", readers[i].name);
	it_subtest(purged, 0, "told-purged");
	it_subtest(behind_the_end, 0, "told-behind-the-end");
	it_subtest(files, 0, "told-files");
	for (unsigned int i = 0; i < n; i++)
		it_subtest(unbound, i, "told-unbound-%s", engines[i].name);
}
