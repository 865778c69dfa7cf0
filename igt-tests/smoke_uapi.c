// SPDX-License-Identifier: MIT
/**
 * DOC: Answers of the uAPI about memory, and its error codes
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <drm.h>

#include "smoke.h"

#define TAINT_WARN	(1ul << 9)
#define MANY_SYNCOBJS	10000u		/* that one ioctl takes; far more than programs name */
#define KIB	1024ul
#define SIZE	(256 * KIB)
#define HANDLES		600u

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

#define CANONICAL(address) ((uint64_t)((int64_t)((address) << 16) >> 16))
#define FULL		EXEC_OBJECT_SUPPORTS_48B_ADDRESS
#define TOP		(1ull << 48)
#define LOW_TOP		(1ull << 32)

/* Addresses that userspace chooses, at each limit: what stock i915 says to them. */
static void pinned_addresses(unsigned int unused)
{
	static const struct {
		uint64_t offset, pad, flags;
		int error;
	} cases[] = {
		{ 0, 0, FULL, 0 },
		{ 0, 0, 0, 0 },
		/* Not whole pages. */
		{ 1, 0, FULL, -EINVAL },
		{ 4095, 0, FULL, -EINVAL },
		{ (1 << 20) + 8, 0, FULL, -EINVAL },
		{ UINT64_MAX, 0, FULL, -EINVAL },
		/* Bit 47 is the sign. */
		{ TOP / 2 - SIZE, 0, FULL, 0 },
		{ TOP / 2 - 4096, 0, FULL, 0 },
		{ TOP / 2, 0, FULL, -EINVAL },
		{ CANONICAL(TOP / 2), 0, FULL, 0 },
		{ CANONICAL(TOP / 2) - 4096, 0, FULL, -EINVAL },
		{ TOP - SIZE, 0, FULL, -EINVAL },
		{ TOP, 0, FULL, -EINVAL },
		{ TOP + (1 << 20), 0, FULL, -EINVAL },
		{ 1ull << 63, 0, FULL, -EINVAL },
		/* The end of the address space. */
		{ CANONICAL(TOP - SIZE), 0, FULL, 0 },
		{ CANONICAL(TOP - SIZE + 4096), 0, FULL, -EINVAL },
		{ CANONICAL(TOP - 4096), 0, FULL, -EINVAL },
		/* Sizes beyond the end, and beyond 64 bits. */
		{ 1 << 20, TOP - (1 << 20) + 4096, FULL, -EINVAL },
		{ 0, TOP, FULL, -ENOSPC },
		{ 0, TOP + 4096, FULL, -ENOSPC },
		{ 1 << 20, 1ull << 63, FULL, -ENOSPC },
		{ 1 << 20, UINT64_MAX - 4095, FULL, -ENOSPC },
		{ CANONICAL(TOP - SIZE), UINT64_MAX - 4095, FULL, -ENOSPC },
		{ 1 << 20, LOW_TOP - 4096, 0, -EINVAL },
		{ 1 << 20, LOW_TOP, 0, -ENOSPC },
		{ 1 << 20, UINT64_MAX - 4095, 0, -ENOSPC },
		/* Objects for 32 bits end before the last page of 4 GB. */
		{ LOW_TOP - SIZE - 4096, 0, 0, 0 },
		{ LOW_TOP - SIZE, 0, 0, -EINVAL },
		{ LOW_TOP - 4096, 0, 0, -EINVAL },
		{ LOW_TOP, 0, 0, -EINVAL },
		{ CANONICAL(TOP - SIZE), 0, 0, -EINVAL },
		{ LOW_TOP - SIZE, 0, FULL, 0 },
		{ LOW_TOP, 0, FULL, 0 },
	};
	struct it_dev *dev = it_open();
	struct it_bo *bo = it_bo(dev, SIZE);
	struct it_batch b = it_batch(dev, 4096);

	(void)unused;
	it_emit_end(&b);
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_i915_gem_exec_object2 obj[] = {
			{ .handle = bo->handle, .offset = cases[i].offset, .pad_to_size = cases[i].pad,
			  .flags = EXEC_OBJECT_PINNED | cases[i].flags },
			{ .handle = b.bo->handle, .flags = FULL },
		};
		struct drm_i915_gem_execbuffer2 eb = {
			.buffers_ptr = (uintptr_t)obj, .buffer_count = ARRAY_SIZE(obj),
		};
		int ret;

		if (cases[i].pad)
			obj[0].flags |= EXEC_OBJECT_PAD_TO_SIZE;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
		it_expect(ret == cases[i].error, "%#llx, %#llx bytes, flags %#llx: error %d, expected %d",
			  (unsigned long long)cases[i].offset, (unsigned long long)cases[i].pad,
			  (unsigned long long)cases[i].flags, ret, cases[i].error);
		it_expect(ret || obj[0].offset == cases[i].offset, "%#llx has become %#llx",
			  (unsigned long long)cases[i].offset, (unsigned long long)obj[0].offset);
		ret = it_bo_wait(b.bo, IT_WAIT_NS);
		it_expect(!ret, "waiting: error %d", ret);
	}
	it_close(dev);
}

struct memory {
	unsigned long total, shared, active, resident, purgeable;
};

static unsigned long key(const char *text, const char *name)
{
	char line[64], unit[8];
	unsigned long value;
	const char *at;

	snprintf(line, sizeof(line), "drm-%s-system0:", name);
	at = strstr(text, line);
	if (!at) {
		if (!it_on_igen())
			it_skip("stock i915 6.1 has no memory in fdinfo");
		it_fail("no %s", line);
	}
	it_expect(sscanf(at + strlen(line), " %lu %7s", &value, unit) == 2 && !strcmp(unit, "KiB"), "%.40s", at);
	return value * KIB;
}

static struct memory memory(struct it_dev *dev)
{
	char path[64], text[4096];
	struct memory m;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", dev->fd);
	it_expect(!it_read_file(path, text, sizeof(text)), "no %s", path);
	m.total = key(text, "total");
	m.shared = key(text, "shared");
	m.active = key(text, "active");
	m.resident = key(text, "resident");
	m.purgeable = key(text, "purgeable");
	return m;
}

static void same(const char *what, unsigned long is, unsigned long wanted)
{
	it_expect(is == wanted, "%s: %lu and not %lu", what, is, wanted);
}

/* igen looks at a few hundred handles at a time, and has to come to all of them. */
static void fdinfo_all_handles(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct memory before = memory(dev);

	(void)unused;
	for (unsigned int i = 0; i < HANDLES; i++) {
		uint32_t handle;
		int ret = it_bo_create(dev->fd, SIZE, &handle);

		it_expect(!ret, "creating object %u: error %d", i, ret);
	}
	same("total", memory(dev).total, before.total + HANDLES * SIZE);
	it_close(dev);
}

/* Each state of an object shows, for the file whose it is and no other. */
static void fdinfo_memory(unsigned int unused)
{
	struct it_dev *dev = it_open(), *other = it_open();
	struct drm_i915_gem_create create = { .size = SIZE };
	struct drm_i915_gem_madvise madvise = { .madv = I915_MADV_DONTNEED };
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	struct memory before = memory(dev), theirs = memory(other), m;
	struct drm_gem_close close_arg;
	uint32_t stop = 1;
	struct it_batch spin;
	int ret;

	(void)unused;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CREATE, &create);
	it_expect(!ret, "creating: error %d", ret);
	m = memory(dev);
	same("total", m.total, before.total + SIZE);
	same("resident", m.resident, before.resident);
	same("shared", m.shared, before.shared);

	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &(struct drm_i915_gem_set_domain){
		.handle = create.handle, .read_domains = I915_GEM_DOMAIN_CPU });
	it_expect(!ret, "set_domain: error %d", ret);
	m = memory(dev);
	same("resident", m.resident, before.resident + SIZE);
	same("purgeable", m.purgeable, before.purgeable);

	madvise.handle = create.handle;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MADVISE, &madvise);
	it_expect(!ret && madvise.retained, "madvise: error %d", ret);
	m = memory(dev);
	same("purgeable", m.purgeable, before.purgeable + SIZE);

	prime.handle = create.handle;
	ret = it_ioctl(dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	ret = ret ?: it_ioctl(other->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	it_expect(!ret, "sharing: error %d", ret);
	close(prime.fd);
	m = memory(dev);
	same("shared", m.shared, before.shared + SIZE);
	m = memory(other);
	same("shared", m.shared, theirs.shared + SIZE);
	same("total", m.total, theirs.total + SIZE);
	close_arg = (struct drm_gem_close){ .handle = prime.handle };
	it_ioctl(other->fd, DRM_IOCTL_GEM_CLOSE, &close_arg);
	close_arg.handle = create.handle;
	it_ioctl(dev->fd, DRM_IOCTL_GEM_CLOSE, &close_arg);
	m = memory(dev);
	same("total", m.total, before.total);
	same("shared", m.shared, before.shared);

	spin = it_batch(dev, 4096);
	it_emit_circle(&spin, spin.bo->address + 2048);
	ret = it_run(dev, it_ctx_engines(dev), 0, &spin, NULL, 0, 0);
	it_expect(!ret, "a batch without end: error %d", ret);
	m = memory(dev);
	*((volatile uint32_t *)spin.bo->map + 512) = stop;
	same("active", m.active, 4 * KIB);
	ret = it_bo_wait(spin.bo, IT_WAIT_NS);
	it_expect(!ret, "waiting: error %d", ret);
	m = memory(dev);
	same("active", m.active, 0);
	it_close(dev);
	it_close(other);
}

/* A client that throttles itself. */
struct throttled {
	int fd, ret;
	atomic_bool over;
};

static void *throttle(void *data)
{
	struct throttled *t = data;

	t->ret = it_ioctl(t->fd, DRM_IOCTL_I915_GEM_THROTTLE, NULL);
	atomic_store(&t->over, true);
	return NULL;
}

/* A file with work older than 20 ms waits for that work. Another file of the same device does not. */
static void throttling(unsigned int unused)
{
	static struct throttled t;
	struct it_dev *dev = it_open(), *other = it_open();
	struct it_batch spin = it_batch(dev, 4096);
	pthread_t thread;
	int ret;

	(void)unused;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_THROTTLE, NULL);
	it_expect(!ret, "without work: error %d", ret);
	it_emit_circle(&spin, spin.bo->address + 2048);
	ret = it_run(dev, it_ctx_engines(dev), 0, &spin, NULL, 0, 0);
	it_expect(!ret, "a batch without end: error %d", ret);
	usleep(100 * 1000);
	ret = it_ioctl(other->fd, DRM_IOCTL_I915_GEM_THROTTLE, NULL);
	it_expect(!ret, "with another file's work: error %d", ret);

	t = (struct throttled){ .fd = dev->fd };
	it_expect(!pthread_create(&thread, NULL, throttle, &t), "no thread");
	for (unsigned int ms = 0; !atomic_load(&t.over) && ms < 200; ms++)
		usleep(1000);
	ret = atomic_load(&t.over);
	*((volatile uint32_t *)spin.bo->map + 512) = 1;
	pthread_join(thread, NULL);
	it_expect(!ret, "old work is not waited for");
	it_expect(!t.ret, "with work of its own: error %d", t.ret);
	it_expect(!it_bo_busy(spin.bo), "the work was not waited for to its end");
	it_close(dev);
	it_close(other);
}

/* What an engine's property takes, gives back, and does not take. */
static void property(const char *engine, const char *name, const char *most)
{
	static const char *const refused[] = { "-1", "nonsense", "", "18446744073709551616" };
	char path[96], text[32], was[32];
	int ret;

	snprintf(path, sizeof(path), "/sys/class/drm/card0/engine/%s/%s", engine, name);
	it_expect(!it_read_file(path, was, sizeof(was)), "no %s", path);
	for (unsigned int i = 0; i < 3; i++) {
		const char *value = !i ? "0" : i == 1 ? "1" : most;

		ret = it_write_file(path, value);
		it_expect(!ret, "%s to %s: error %d", value, path, ret);
		it_expect(!it_read_file(path, text, sizeof(text)) && atol(text) == atol(value), "%s reads %s, wrote %s",
			  path, text, value);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		ret = it_write_file(path, refused[i]);
		it_expect(ret || !*refused[i], "%s takes %s", path, refused[i]);
		it_expect(!it_read_file(path, text, sizeof(text)) && atol(text) == atol(most), "%s reads %s after %s",
			  path, text, refused[i]);
	}
	it_write_file(path, was);
}

static void properties(unsigned int unused)
{
	struct it_dev *dev = it_open();

	(void)unused;
	for (unsigned int i = 0; i < dev->num_engines; i++) {
		property(dev->engine[i].name, "stop_timeout_ms", "100000");
		property(dev->engine[i].name, "max_busywait_duration_ns", "2000000");
	}
	it_close(dev);
}

static bool has_warned(void)
{
	char text[32];

	return !it_read_file("/proc/sys/kernel/tainted", text, sizeof(text)) && strtoul(text, NULL, 0) & TAINT_WARN;
}

/* DRM allocates a list of as many syncobjs as an ioctl states. For sizes that the allocator does not have it warns. */
static void syncobj_counts(unsigned int unused)
{
	static const uint32_t counts[] = { MANY_SYNCOBJS, 1u << 27, 1u << 31, UINT32_MAX, 1u << 20 };
	struct it_dev *dev = it_open();
	struct drm_syncobj_create create = { .flags = DRM_SYNCOBJ_CREATE_SIGNALED };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_SYNCOBJ_CREATE, &create);
	uint32_t *handles = calloc(MANY_SYNCOBJS, sizeof(*handles));
	uint64_t *points = calloc(MANY_SYNCOBJS, sizeof(*points));
	bool warned = has_warned();

	(void)unused;
	it_expect(!ret && handles && points, "a syncobj: error %d", ret);
	for (unsigned int i = 0; i < MANY_SYNCOBJS; i++)
		handles[i] = create.handle;
	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		struct drm_syncobj_wait wait = { .handles = (uintptr_t)handles, .count_handles = counts[i] };
		struct drm_syncobj_timeline_wait timeline_wait = {
			.handles = (uintptr_t)handles, .points = (uintptr_t)points, .count_handles = counts[i],
		};
		struct drm_syncobj_array array = { .handles = (uintptr_t)handles, .count_handles = counts[i] };
		struct drm_syncobj_timeline_array timeline = {
			.handles = (uintptr_t)handles, .points = (uintptr_t)points, .count_handles = counts[i],
		};
		const struct {
			unsigned long request;
			void *args;
		} calls[] = {
			{ DRM_IOCTL_SYNCOBJ_WAIT, &wait },
			{ DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &timeline_wait },
			{ DRM_IOCTL_SYNCOBJ_SIGNAL, &array },
			{ DRM_IOCTL_SYNCOBJ_QUERY, &timeline },
			{ DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &timeline },
			{ DRM_IOCTL_SYNCOBJ_RESET, &array },
		};

		for (unsigned int call = 0; call < ARRAY_SIZE(calls); call++) {
			int expected = counts[i] == MANY_SYNCOBJS ? 0 : -ENOMEM;

			ret = it_ioctl(dev->fd, calls[call].request, calls[call].args);
			it_expect(ret == expected, "ioctl %u with %u syncobjs: error %d, expected %d", call, counts[i],
				  ret, expected);
			it_expect(warned || !has_warned(), "ioctl %u with %u syncobjs: the kernel has warned", call,
				  counts[i]);
		}
	}
	free(handles);
	free(points);
	it_close(dev);
}

void smoke_uapi(void)
{
	it_subtest(throttling, 0, "uapi-throttle");
	it_subtest(properties, 0, "uapi-engine-properties");
	it_subtest(domains, 0, "uapi-domains");
	/* Stock i915 passes such counts on, and the kernel warns. */
	if (it_on_igen())
		it_subtest(syncobj_counts, 0, "uapi-syncobj-counts");
	it_subtest(padding, 0, "uapi-padding");
	it_subtest(pinned_addresses, 0, "uapi-pinned-addresses");
	it_subtest(fdinfo_memory, 0, "uapi-fdinfo-memory");
	it_subtest(fdinfo_all_handles, 0, "uapi-fdinfo-all-handles");
}
