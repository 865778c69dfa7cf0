// SPDX-License-Identifier: MIT
/**
 * DOC: Small objects that follow each other
 *
 * A driver may keep the memory of an object that a client has closed for the client's next one. No client must see
 * that: the next object is zero and has the state of a new one, and what still shows the old object, a mapping, a
 * dma-buf or a name in another file, goes on showing that.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "smoke.h"

#define LARGEST		65536u
#define OBJECTS		40u			/* one after the other, or at once */
#define OLD		0xa7
#define NEW		0x1c
#define ROUNDS		400u			/* of each thread */
#define DROPS		100u
#define LOOKS		1200			/* for what takes two seconds */
#define LOOK_US		50000
#define OBJECTS_FILE	"/sys/kernel/debug/dri/0/i915_gem_objects"
#define DROP_CACHES	"/sys/kernel/debug/dri/0/i915_gem_drop_caches"

static const uint32_t sizes[] = { 4096, 8192, 16384, LARGEST };

static uint32_t create(struct it_dev *dev, uint32_t size)
{
	uint32_t handle;
	int ret = it_bo_create(dev->fd, size, &handle);

	it_expect(!ret, "GEM_CREATE: error %d", ret);
	return handle;
}

static int try_write(int fd, uint32_t handle, uint32_t size, uint8_t value)
{
	uint8_t data[LARGEST];
	struct drm_i915_gem_pwrite arg = { .handle = handle, .size = size, .data_ptr = (uintptr_t)data };

	memset(data, value, size);
	return it_ioctl(fd, DRM_IOCTL_I915_GEM_PWRITE, &arg);
}

static void write_all(struct it_dev *dev, uint32_t handle, uint32_t size, uint8_t value)
{
	int ret = try_write(dev->fd, handle, size, value);

	it_expect(!ret, "GEM_PWRITE: error %d", ret);
}

/* How many bytes differ from a value, or -errno. */
static int try_compare(int fd, uint32_t handle, uint32_t size, uint8_t value)
{
	uint8_t data[LARGEST] = { 0 };
	struct drm_i915_gem_pread arg = { .handle = handle, .size = size, .data_ptr = (uintptr_t)data };
	int ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_PREAD, &arg), n = 0;

	for (uint32_t i = 0; i < size && !ret; i++)
		n += data[i] != value;
	return ret ?: n;
}

static void expect_all(struct it_dev *dev, uint32_t handle, uint32_t size, uint8_t value, const char *what)
{
	int ret = try_compare(dev->fd, handle, size, value);

	it_expect(ret >= 0, "GEM_PREAD: error %d", ret);
	it_expect(!ret, "%s: %d of %u bytes are not %02x", what, ret, size, value);
}

static uint64_t offset_of(struct it_dev *dev, uint32_t handle, uint64_t kind)
{
	struct drm_i915_gem_mmap_offset arg = { .handle = handle, .flags = kind };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arg);

	it_expect(!ret, "GEM_MMAP_OFFSET: error %d", ret);
	return arg.offset;
}

static uint8_t *map_offset(struct it_dev *dev, uint64_t offset, uint32_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, offset);
}

static uint8_t *map(struct it_dev *dev, uint32_t handle, uint32_t size, uint64_t kind)
{
	uint8_t *at = map_offset(dev, offset_of(dev, handle, kind), size);

	it_expect(at != MAP_FAILED, "mmap: error %d", errno);
	return at;
}

/* Makes objects and fills them after what is old was closed: none has anything of it. Closes them if told so. */
static void make_others(struct it_dev *dev, uint32_t size, bool close)
{
	uint32_t handle[OBJECTS];

	for (unsigned int i = 0; i < OBJECTS; i++) {
		handle[i] = create(dev, size);
		expect_all(dev, handle[i], size, 0, "a new object");
		write_all(dev, handle[i], size, NEW);
	}
	for (unsigned int i = 0; i < OBJECTS && close; i++)
		it_handle_close(dev->fd, handle[i]);
}

static void expect_old(const uint8_t *at, uint32_t size, const char *what)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < size; i++)
		n += at[i] != OLD;
	it_expect(!n, "%s of a closed object shows %u other bytes of %u", what, n, size);
}

/* What an object has had, in whole or in part, is not in the next one, which comes when many or few were closed. */
static void zeroed(unsigned int kind)
{
	static const uint64_t kinds[] = { I915_MMAP_OFFSET_WB, I915_MMAP_OFFSET_WC };
	struct it_dev *dev = it_open();

	for (unsigned int s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (unsigned int n = 1; n <= OBJECTS; n += 13) {
			uint32_t handle[OBJECTS];

			for (unsigned int round = 0; round < 3; round++) {
				for (unsigned int i = 0; i < n; i++) {
					uint8_t *at;
					uint32_t bad = 0;

					handle[i] = create(dev, sizes[s]);
					at = map(dev, handle[i], sizes[s], kinds[kind]);
					for (uint32_t b = 0; b < sizes[s]; b++)
						bad += at[b] != 0;
					it_expect(!bad, "%u bytes of a new object of %u bytes are not zero", bad,
						  sizes[s]);
					memset(at, OLD, sizes[s]);
					munmap(at, sizes[s]);
				}
				for (unsigned int i = 0; i < n; i++)
					it_handle_close(dev->fd, handle[i]);
			}
		}
	}
}

/* The GPU writes an object, which is closed; the next one is zero for the GPU and for the CPU. */
static void gpu_zeroed(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);

	for (unsigned int round = 0; round < OBJECTS; round++) {
		struct it_bo *bo = it_bo(dev, 4096);
		struct it_batch b = it_batch(dev, 4096);

		for (unsigned int i = 0; i < 1024; i++)
			it_expect(!bo->dw[i], "round %u: dword %u of a new object is %x", round, i, bo->dw[i]);
		for (unsigned int i = 0; i < 8; i++)
			it_emit_store(&b, bo->address + i * 512, 0x1000 + round);
		it_emit_end(&b);
		it_run_wait(dev, ctx, engine, &b, &bo, 1);
		for (unsigned int i = 0; i < 8; i++)
			it_expect(bo->dw[i * 128] == 0x1000 + round, "round %u: the GPU has not written", round);
		it_bo_close(bo);
		it_bo_close(b.bo);
	}
}

struct state {
	struct drm_i915_gem_get_tiling tiling;
	struct drm_i915_gem_caching caching;
	struct drm_i915_gem_busy busy;
	int ret[3];
};

static struct state state_of(struct it_dev *dev, uint32_t handle)
{
	struct state state;

	memset(&state, 0, sizeof(state));
	state.tiling.handle = handle;
	state.caching.handle = handle;
	state.busy.handle = handle;
	state.ret[0] = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_GET_TILING, &state.tiling);
	state.ret[1] = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_GET_CACHING, &state.caching);
	state.ret[2] = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_BUSY, &state.busy);
	state.tiling.handle = 0;
	state.caching.handle = 0;
	state.busy.handle = 0;
	return state;
}

/* Moves an object away from the state of a new one, by one of several ways. */
static void unsettle(struct it_dev *dev, uint32_t handle, unsigned int way)
{
	struct drm_i915_gem_set_tiling tiling = { .handle = handle, .tiling_mode = I915_TILING_X, .stride = 512 };
	struct drm_i915_gem_caching caching = { .handle = handle, .caching = I915_CACHING_NONE };
	struct drm_i915_gem_madvise madvise = { .handle = handle, .madv = I915_MADV_DONTNEED };
	struct drm_i915_gem_set_domain domain = {
		.handle = handle, .read_domains = I915_GEM_DOMAIN_WC, .write_domain = I915_GEM_DOMAIN_WC,
	};

	switch (way) {
	case 0:
		it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling);
		break;
	case 1:
		it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching);
		break;
	case 2:
		caching.caching = I915_CACHING_CACHED;
		it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching);
		break;
	case 3:
		it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MADVISE, &madvise);
		break;
	case 4:
		it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain);
		break;
	case 5:
		it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MADVISE, &madvise);
		it_write_file(DROP_CACHES, "0x77");
		break;
	}
}

/* An object has the state of the first one, whatever an earlier one was told. */
static void state(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct state first = state_of(dev, create(dev, 16384)), next;

	(void)unused;
	for (unsigned int way = 0; way <= 6; way++) {
		uint32_t handle = create(dev, 16384);
		struct drm_i915_gem_madvise madvise = { .madv = I915_MADV_WILLNEED };
		int ret;

		write_all(dev, handle, 16384, OLD);
		unsettle(dev, handle, way);
		it_handle_close(dev->fd, handle);
		handle = create(dev, 16384);
		next = state_of(dev, handle);
		it_expect(!memcmp(&first, &next, sizeof(first)),
			  "way %u: tiling %u (%u), swizzle %u (%u), caching %u (%u), busy %x (%x)", way,
			  next.tiling.tiling_mode, first.tiling.tiling_mode, next.tiling.swizzle_mode,
			  first.tiling.swizzle_mode, next.caching.caching, first.caching.caching, next.busy.busy,
			  first.busy.busy);
		madvise.handle = handle;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MADVISE, &madvise);
		it_expect(!ret && madvise.retained, "way %u: WILLNEED: error %d, retained %u", way, ret,
			  madvise.retained);
		expect_all(dev, handle, 16384, 0, "a new object");
		it_handle_close(dev->fd, handle);
	}
}

/* A mapping shows its object for as long as it is there. */
static void mapped(unsigned int legacy)
{
	struct it_dev *dev = it_open();

	for (unsigned int s = 0; s < ARRAY_SIZE(sizes); s++) {
		uint32_t handle = create(dev, sizes[s]);
		struct drm_i915_gem_mmap arg = { .handle = handle, .size = sizes[s] };
		uint8_t *at;
		int ret;

		write_all(dev, handle, sizes[s], OLD);
		if (legacy) {
			ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MMAP, &arg);
			if (ret == -EOPNOTSUPP || ret == -ENODEV)
				it_skip("no GEM_MMAP here: error %d", ret);
			it_expect(!ret, "GEM_MMAP: error %d", ret);
			at = (uint8_t *)(uintptr_t)arg.addr_ptr;
		} else {
			at = map(dev, handle, sizes[s], I915_MMAP_OFFSET_WB);
		}
		it_handle_close(dev->fd, handle);
		make_others(dev, sizes[s], false);
		expect_old(at, sizes[s], "a mapping");
		memset(at, OLD, sizes[s]);
		make_others(dev, sizes[s], true);
		munmap(at, sizes[s]);
		make_others(dev, sizes[s], true);
	}
}

/* An offset ends with its object: the next one has none until it is asked for. */
static void offset(unsigned int unused)
{
	struct it_dev *dev = it_open();
	uint32_t handle = create(dev, 4096);
	uint64_t where = offset_of(dev, handle, I915_MMAP_OFFSET_WC);
	uint8_t *at;

	(void)unused;
	write_all(dev, handle, 4096, OLD);
	it_handle_close(dev->fd, handle);
	handle = create(dev, 4096);
	at = map_offset(dev, where, 4096);
	it_expect(at == MAP_FAILED, "the offset of a closed object can still be mapped");
	at = map(dev, handle, 4096, I915_MMAP_OFFSET_WC);
	it_expect(!at[0] && !at[4095], "a new object is not zero");
	munmap(at, 4096);
}

/* A file of the primary node, which alone has names. */
static struct it_dev open_primary(void)
{
	struct it_dev dev = { .fd = it_open_driver("i915", 0) };

	it_expect(dev.fd >= 0, "opening the primary node: error %d", errno);
	return dev;
}

/* A dma-buf, and a name that another file has opened, have the content of their object. */
static void shared(unsigned int by_name)
{
	struct it_dev files[2] = { open_primary(), open_primary() }, *dev = &files[0], *other = &files[1];

	for (unsigned int s = 0; s < ARRAY_SIZE(sizes); s++) {
		uint32_t handle = create(dev, sizes[s]);
		struct drm_prime_handle prime = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
		struct drm_gem_flink flink = { .handle = handle };
		struct drm_gem_open open = { 0 };
		int ret;

		write_all(dev, handle, sizes[s], OLD);
		if (by_name) {
			ret = it_ioctl(dev->fd, DRM_IOCTL_GEM_FLINK, &flink);
			it_expect(!ret, "GEM_FLINK: error %d", ret);
			open.name = flink.name;
			ret = it_ioctl(other->fd, DRM_IOCTL_GEM_OPEN, &open);
			it_expect(!ret, "GEM_OPEN: error %d", ret);
		} else {
			ret = it_ioctl(dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
			it_expect(!ret, "PRIME_HANDLE_TO_FD: error %d", ret);
		}
		it_handle_close(dev->fd, handle);
		make_others(dev, sizes[s], false);
		if (!by_name) {
			struct drm_prime_handle import = { .fd = prime.fd };

			ret = it_ioctl(other->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import);
			it_expect(!ret, "PRIME_FD_TO_HANDLE: error %d", ret);
			open.handle = import.handle;
			close(prime.fd);
		}
		expect_all(other, open.handle, sizes[s], OLD, "a shared object");
		it_handle_close(other->fd, open.handle);
		make_others(other, sizes[s], true);
	}
	close(dev->fd);
	close(other->fd);
}

/* One whose pages the driver has taken meanwhile, and one that was never touched, are zero. */
static void purged(unsigned int unused)
{
	struct it_dev *dev = it_open();

	(void)unused;
	for (unsigned int s = 0; s < ARRAY_SIZE(sizes); s++) {
		make_others(dev, sizes[s], true);
		if (it_write_file(DROP_CACHES, "0x23"))
			it_skip("caches are not dropped");
		for (unsigned int i = 0; i < OBJECTS; i++)
			it_handle_close(dev->fd, create(dev, sizes[s]));
		make_others(dev, sizes[s], true);
	}
}

/* How many objects the driver has, or 0 when it does not tell. */
static unsigned long objects(void)
{
	char text[4096];

	return it_read_file(OBJECTS_FILE, text, sizeof(text)) ? 0 : strtoul(text, NULL, 0);
}

/* What many files have closed comes back, though the files stay open and the GPU has nothing to do. */
static void returned(unsigned int unused)
{
	struct it_dev *dev[8];
	unsigned long before, now = 0;

	(void)unused;
	for (unsigned int i = 0; i < ARRAY_SIZE(dev); i++)
		dev[i] = it_open();
	/* What earlier subtests have left would hide what these leave. */
	if (it_write_file(DROP_CACHES, "0x7f"))
		it_skip("caches are not dropped");
	before = objects();
	it_expect(before, "the driver does not tell how many objects there are");
	for (unsigned int i = 0; i < ARRAY_SIZE(dev); i++)
		for (unsigned int s = 0; s < ARRAY_SIZE(sizes); s++)
			make_others(dev[i], sizes[s], true);
	for (unsigned int i = 0; i < LOOKS; i++) {
		now = objects();
		if (now <= before)
			return;
		usleep(LOOK_US);
	}
	it_fail("%lu objects are there, and %lu were before others were made and closed", now, before);
}

struct racer {
	pthread_t thread;
	int fd;
	unsigned int number;
	uint8_t *mapped;			/* its last mapping of an object that it has closed */
	uint32_t mapped_size;
	int error;
	const char *what;
};

/* One thread's rounds on a file that all use: a failure is told by error and what. */
static void *race_one(void *data)
{
	struct racer *r = data;

	for (unsigned int i = 0; i < ROUNDS && !r->what; i++) {
		uint32_t size = sizes[(i + r->number) % 3], handle;
		struct drm_i915_gem_mmap arg = { .size = size };
		struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };

		r->error = it_bo_create(r->fd, size, &handle);
		if (r->error) {
			r->what = "creating";
			break;
		}
		r->error = try_compare(r->fd, handle, size, 0);
		if (r->error)
			r->what = "a new object is not zero";
		r->error = try_write(r->fd, handle, size, OLD + r->number);
		if (r->error)
			r->what = "writing";
		arg.handle = handle;
		prime.handle = handle;
		if (i % 5 == 1 && !it_ioctl(r->fd, DRM_IOCTL_I915_GEM_MMAP, &arg)) {
			if (r->mapped)
				munmap(r->mapped, r->mapped_size);
			r->mapped = (uint8_t *)(uintptr_t)arg.addr_ptr;
			r->mapped_size = size;
		}
		if (i % 7 == 3 && !it_ioctl(r->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime))
			close(prime.fd);
		if (try_compare(r->fd, handle, size, OLD + r->number))
			r->what = "an object has changed";
		it_handle_close(r->fd, handle);
		for (uint32_t b = 0; r->mapped && b < r->mapped_size; b++)
			if (r->mapped[b] != (uint8_t)(OLD + r->number))
				r->what = "a mapping has changed";
	}
	return NULL;
}

static void race(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct racer racer[4];

	(void)unused;
	memset(racer, 0, sizeof(racer));
	for (unsigned int i = 0; i < ARRAY_SIZE(racer); i++) {
		racer[i].fd = dev->fd;
		racer[i].number = i;
		it_expect(!pthread_create(&racer[i].thread, NULL, race_one, &racer[i]), "no thread");
	}
	/* Kept objects are taken meanwhile. */
	for (unsigned int i = 0; i < DROPS && !it_write_file(DROP_CACHES, "0x22"); i++)
		usleep(1000);
	for (unsigned int i = 0; i < ARRAY_SIZE(racer); i++)
		pthread_join(racer[i].thread, NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(racer); i++)
		it_expect(!racer[i].what, "thread %u: %s, error %d", i, racer[i].what, racer[i].error);
}

void smoke_again(const struct it_engine *engines, unsigned int n)
{
	it_subtest(zeroed, 0, "again-zeroed");
	it_subtest(zeroed, 1, "again-zeroed-wc");
	it_subtest(state, 0, "again-state");
	it_subtest(mapped, 0, "again-mapped");
	it_subtest(mapped, 1, "again-file-mapped");
	it_subtest(offset, 0, "again-offset");
	it_subtest(shared, 0, "again-dmabuf");
	it_subtest(shared, 1, "again-name");
	it_subtest(purged, 0, "again-purged");
	it_subtest(returned, 0, "again-returned");
	it_subtest(race, 0, "again-race");
	for (unsigned int i = 0; i < n; i++)
		it_subtest(gpu_zeroed, i, "again-zeroed-%s", engines[i].name);
}
