// SPDX-License-Identifier: MIT
/**
 * DOC: The tests' small library
 *
 * See it.h. The GPU is found by its driver's name, "i915", which is what both drivers answer to
 * DRM_IOCTL_VERSION. Engines come from the engine query, their register bases from the platform's
 * list (KBL Vol 3, "Register Address Maps"), as the uAPI does not tell them.
 *
 * Addresses are given out from 16 MB upwards, 64 KB apart and never twice, so that every object has
 * one place in every context and no relocation is needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "it.h"

#define FIRST_ADDRESS	(16ull << 20)

static struct {
	unsigned int passed, failed, skipped;
	char name[128];
	jmp_buf jump;
	struct it_dev *dev;		/* opened in this subtest */
	int selections;
	char **selection;
} state;

void it_init(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	state.selections = argc - 1;
	state.selection = argv + 1;
}

static bool selected(void)
{
	bool chosen = true;

	/* The last word that fits counts; before the first, those that no word names run if it takes subtests away. */
	if (state.selections)
		chosen = state.selection[0][0] == '!';
	for (int i = 0; i < state.selections; i++) {
		const char *word = state.selection[i];
		bool not = word[0] == '!';

		if (!strncmp(state.name, word + not, strlen(word + not)))
			chosen = !not;
	}
	return chosen;
}

static void close_device(void)
{
	if (state.dev)
		it_close(state.dev);
	state.dev = NULL;
}

static void print_result(const char *verdict, const char *fmt, va_list ap)
{
	printf("%s %s: ", verdict, state.name);
	vprintf(fmt, ap);
	printf("\n");
}

void it_subtest(void (*fn)(unsigned int arg), unsigned int arg, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(state.name, sizeof(state.name), fmt, ap);
	va_end(ap);
	if (!selected())
		return;
	if (!setjmp(state.jump)) {
		fn(arg);
		state.passed++;
		printf("ok %s\n", state.name);
	}
	close_device();
}

void it_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_result("not ok", fmt, ap);
	va_end(ap);
	state.failed++;
	longjmp(state.jump, 1);
}

void it_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_result("skip", fmt, ap);
	va_end(ap);
	state.skipped++;
	longjmp(state.jump, 1);
}

void it_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("# ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

int it_exit(void)
{
	printf("%u passed, %u failed, %u skipped\n", state.passed, state.failed, state.skipped);
	if (state.failed)
		return 1;
	return state.passed ? 0 : IT_SKIPPED;
}

int it_getparam(int fd, int param, int *value)
{
	struct drm_i915_getparam gp = { .param = param, .value = value };

	return it_ioctl(fd, DRM_IOCTL_I915_GETPARAM, &gp);
}

static unsigned int chosen_device;

void it_use_device(unsigned int number)
{
	chosen_device = number;
}

/* A fresh file of the number-th device of that driver, from that minor on. */
static int open_device(const char *driver, int minor, unsigned int number)
{
	for (int last = minor + 16; minor < last; minor++) {
		char path[32], name[16] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/%s%d", minor < 128 ? "card" : "renderD", minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!it_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, driver) && !number--)
			return fd;
		close(fd);
	}
	errno = ENODEV;
	return -1;
}

int it_open_driver(const char *driver, int minor)
{
	return open_device(driver, minor, 0);
}

int it_open_fd(void)
{
	return open_device("i915", 128, chosen_device);
}

const char *it_class_name(unsigned int class)
{
	static const char * const names[] = { "rcs", "bcs", "vcs", "vecs" };

	return class < ARRAY_SIZE(names) ? names[class] : "unknown";
}

static int query_engines(struct it_dev *dev)
{
	static const uint32_t base[] = { 0x2000, 0x22000, 0x12000, 0x1a000 };
	uint8_t buffer[4096] = { 0 };
	struct drm_i915_query_engine_info *info = (void *)buffer;
	struct drm_i915_query_item item = {
		.query_id = DRM_I915_QUERY_ENGINE_INFO,
		.length = sizeof(buffer),
		.data_ptr = (uintptr_t)buffer,
	};
	struct drm_i915_query query = { .num_items = 1, .items_ptr = (uintptr_t)&item };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_QUERY, &query);

	if (ret)
		return ret;
	if (item.length < 0)
		return item.length;
	for (unsigned int i = 0; i < info->num_engines && dev->num_engines < IT_MAX_ENGINES; i++) {
		struct it_engine *e = &dev->engine[dev->num_engines++];

		e->class = info->engines[i].engine.engine_class;
		e->instance = info->engines[i].engine.engine_instance;
		snprintf(e->name, sizeof(e->name), "%s%u", it_class_name(e->class), e->instance);
		if (e->class < ARRAY_SIZE(base))
			e->base = base[e->class];
		if (e->class == I915_ENGINE_CLASS_VIDEO && e->instance == 1)
			e->base = 0x1c000;
	}
	return 0;
}

bool it_on_igen(void)
{
	return !access("/sys/bus/pci/drivers/igen", F_OK);
}

unsigned int it_engines(struct it_engine *engines, unsigned int max)
{
	struct it_dev dev = { .fd = it_open_fd() };

	if (dev.fd < 0)
		return 0;
	if (query_engines(&dev))
		dev.num_engines = 0;
	close(dev.fd);
	if (dev.num_engines > max)
		dev.num_engines = max;
	memcpy(engines, dev.engine, dev.num_engines * sizeof(*engines));
	return dev.num_engines;
}

static bool is_gen6(int fd)
{
	int id;

	return !it_getparam(fd, I915_PARAM_CHIPSET_ID, &id) && (id & 0xffc0) == 0x0100;
}

struct it_dev *it_open(void)
{
	struct it_dev *dev;
	int fd = it_open_fd(), ret;

	if (fd < 0)
		it_skip("no render node of an i915 driver");
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		it_fail("out of memory");
	dev->fd = fd;
	dev->next_address = FIRST_ADDRESS;
	dev->store_flags = is_gen6(fd) ? EXEC_OBJECT_NEEDS_GTT : 0;
	state.dev = dev;
	ret = query_engines(dev);
	it_expect(!ret && dev->num_engines, "engine query: error %d, %u engines", ret,
		  dev->num_engines);
	return dev;
}

void it_close(struct it_dev *dev)
{
	while (dev->bos)
		it_bo_close(dev->bos);
	close(dev->fd);
	if (state.dev == dev)
		state.dev = NULL;
	free(dev);
}

struct it_bo *it_bo(struct it_dev *dev, uint64_t size)
{
	struct it_bo *bo = calloc(1, sizeof(*bo));
	int ret;

	it_expect(bo, "out of memory");
	ret = it_bo_make(dev->fd, (size + 4095) & ~4095ull, dev->next_address, bo);
	if (ret)
		free(bo);
	it_expect(!ret, "an object of %llu bytes: error %d", (unsigned long long)size, ret);
	bo->dev = dev;
	dev->next_address += (bo->size + 0xffff) & ~0xffffull;
	bo->next = dev->bos;
	dev->bos = bo;
	return bo;
}

void it_bo_close(struct it_bo *bo)
{
	struct it_bo **link = &bo->dev->bos;

	while (*link && *link != bo)
		link = &(*link)->next;
	if (*link)
		*link = bo->next;
	it_bo_drop(bo);
	free(bo);
}

bool it_bo_busy(struct it_bo *bo)
{
	struct drm_i915_gem_busy busy = { .handle = bo->handle };
	int ret = it_ioctl(bo->dev->fd, DRM_IOCTL_I915_GEM_BUSY, &busy);

	it_expect(!ret, "GEM_BUSY: error %d", ret);
	return busy.busy;
}

bool it_poll(const volatile uint32_t *dw, uint32_t value)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	time_t until = time(NULL) + IT_WAIT_NS / 1000000000;

	while (*dw != value && time(NULL) < until)
		nanosleep(&nap, NULL);
	return *dw == value;
}

uint32_t it_ctx(struct it_dev *dev)
{
	uint32_t ctx;
	int ret = it_ctx_make(dev->fd, &ctx);

	it_expect(!ret, "GEM_CONTEXT_CREATE: error %d", ret);
	return ctx;
}

uint32_t it_ctx_engines(struct it_dev *dev)
{
	I915_DEFINE_CONTEXT_PARAM_ENGINES(engines, IT_MAX_ENGINES) = { 0 };
	struct drm_i915_gem_context_create_ext_setparam set = {
		.base.name = I915_CONTEXT_CREATE_EXT_SETPARAM,
		.param = {
			.param = I915_CONTEXT_PARAM_ENGINES,
			.size = sizeof(uint64_t) + dev->num_engines * sizeof(engines.engines[0]),
			.value = (uintptr_t)&engines,
		},
	};
	struct drm_i915_gem_context_create_ext create = {
		.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS, .extensions = (uintptr_t)&set,
	};
	int ret;

	for (unsigned int i = 0; i < dev->num_engines; i++) {
		engines.engines[i].engine_class = dev->engine[i].class;
		engines.engines[i].engine_instance = dev->engine[i].instance;
	}
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create);
	it_expect(!ret, "GEM_CONTEXT_CREATE_EXT with an engine map: error %d", ret);
	return create.ctx_id;
}

uint32_t it_ctx_priority(struct it_dev *dev, int priority)
{
	uint32_t ctx = it_ctx_engines(dev);
	int ret = it_ctx_param(dev->fd, ctx, I915_CONTEXT_PARAM_PRIORITY, (int64_t)priority);

	it_expect(!ret, "setting PRIORITY: error %d", ret);
	return ctx;
}

int it_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	ret = n < 0 ? -errno : 0;
	text[n > 0 ? n : 0] = 0;
	close(fd);
	return ret;
}

int it_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

unsigned long it_meminfo(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned long value = 0, kb;
	char line[128], what[64];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63[^:]: %lu", what, &kb) == 2 && !strcmp(what, name))
			value = kb;
	if (file)
		fclose(file);
	return value;
}

/* The folder of an engine in sysfs, or false. The device's card need not be number 0. */
static bool engine_folder(const char *engine, char *path, size_t size)
{
	int fd = it_open_fd();
	char pattern[128];
	struct stat st;
	bool found;
	glob_t g;

	if (fd < 0)
		return false;
	found = !fstat(fd, &st);
	close(fd);
	if (!found)
		return false;
	snprintf(pattern, sizeof(pattern), "/sys/dev/char/%u:%u/device/drm/card*/engine/%s", major(st.st_rdev),
		 minor(st.st_rdev), engine);
	if (glob(pattern, 0, NULL, &g))
		return false;
	found = snprintf(path, size, "%s", g.gl_pathv[0]) < (int)size;
	globfree(&g);
	return found;
}

bool it_engine_set(const char *engine, const char *attribute, const char *value)
{
	char folder[128], path[192], text[16];

	if (!engine_folder(engine, folder, sizeof(folder)))
		return false;
	if (!value) {
		snprintf(path, sizeof(path), "%s/.defaults/%s", folder, attribute);
		if (it_read_file(path, text, sizeof(text)))
			return false;
		value = text;
	}
	snprintf(path, sizeof(path), "%s/%s", folder, attribute);
	return !it_write_file(path, value);
}

unsigned long it_number(const char *what, const char *text, unsigned long low, unsigned long high)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (!errno && end != text && !*end && *text != '-' && value >= low && value <= high)
		return value;
	fprintf(stderr, "%s: '%s' is no number from %lu to %lu\n", what, text, low, high);
	exit(2);
}

void it_ctx_destroy(struct it_dev *dev, uint32_t ctx)
{
	int ret = it_ctx_drop(dev->fd, ctx);

	it_expect(!ret, "GEM_CONTEXT_DESTROY: error %d", ret);
}

struct it_batch it_batch(struct it_dev *dev, uint64_t size)
{
	struct it_bo *bo = it_bo(dev, size);

	return (struct it_batch){ .bo = bo, .dw = bo->map };
}

void it_emit(struct it_batch *b, uint32_t dw)
{
	bool fits = b->bo && b->n < b->bo->size / 4;

	it_expect(fits || b->clip, "the batch is full at %u dwords", b->n);
	if (fits)
		b->dw[b->n++] = dw;
}

void it_emit_address(struct it_batch *b, uint64_t address)
{
	it_emit(b, address);
	it_emit(b, address >> 32);
}

void it_emit_store(struct it_batch *b, uint64_t address, uint32_t value)
{
	it_emit(b, MI_STORE_DATA_IMM_DW);
	it_emit_address(b, address);
	it_emit(b, value);
}

void it_emit_store_reg(struct it_batch *b, uint64_t address, uint32_t reg)
{
	it_emit(b, MI_STORE_REGISTER_MEM);
	it_emit(b, reg);
	it_emit_address(b, address);
}

void it_emit_load_reg(struct it_batch *b, uint32_t reg, uint32_t value)
{
	it_emit(b, MI_LOAD_REGISTER_IMM(1));
	it_emit(b, reg);
	it_emit(b, value);
}

void it_emit_gate(struct it_batch *b, uint64_t address)
{
	it_emit(b, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD);
	it_emit(b, 0);
	it_emit_address(b, address);
}

void it_emit_end(struct it_batch *b)
{
	it_emit(b, MI_BATCH_BUFFER_END);
	if (b->n & 1)
		it_emit(b, MI_NOOP);
}

void it_emit_circle(struct it_batch *b, uint64_t address)
{
	uint64_t start;

	if (b->n & 1)
		it_emit(b, MI_NOOP);
	start = b->bo->address + 4 * b->n;
	it_emit(b, MI_ARB_CHECK);
	it_emit(b, MI_NOOP);
	it_emit(b, MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | IGEN_PREP(MI_COND_BBE_OP_MASK, 4));
	it_emit(b, 0);
	it_emit_address(b, address);
	it_emit(b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(b, start);
	it_emit_end(b);
}

static void emit_circles(struct it_batch *b, uint32_t command)
{
	uint64_t start;

	if (b->n & 1)
		it_emit(b, MI_NOOP);
	start = b->bo ? b->bo->address + 4 * b->n : 0;
	it_emit(b, command);
	it_emit(b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(b, start);
	it_emit_end(b);
}

void it_emit_endless(struct it_batch *b)
{
	emit_circles(b, MI_NOOP);
}

void it_emit_loop(struct it_batch *b)
{
	emit_circles(b, MI_ARB_CHECK);
}

struct it_batch it_spinner(struct it_dev *dev)
{
	struct it_batch b = it_batch(dev, 4096);

	it_emit(&b, MI_NOOP);
	it_emit_endless(&b);
	return b;
}

int it_run(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b,
	   struct it_bo **bos, unsigned int num, uint64_t flags)
{
	struct drm_i915_gem_exec_object2 obj[16] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj,
		.batch_len = (b->n * 4 + 7) & ~7u,
		.flags = engine | I915_EXEC_NO_RELOC,
		.rsvd1 = ctx,
	};
	bool state = b->state;

	it_expect(num + 1 < ARRAY_SIZE(obj), "too many objects for a batch");
	for (unsigned int i = 0; i < num; i++) {
		obj[i] = it_exec_object(bos[i], EXEC_OBJECT_WRITE | dev->store_flags | flags);
		state &= bos[i] != b->state;
	}
	if (state)
		obj[num++] = it_exec_object(b->state, flags);
	obj[num] = it_exec_object(b->bo, 0);
	eb.buffer_count = num + 1;
	return it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

int it_run_fence(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b, struct it_bo *bo,
		 uint64_t flags, int in)
{
	struct drm_i915_gem_exec_object2 obj[2] = {
		it_exec_object(bo, EXEC_OBJECT_ASYNC | EXEC_OBJECT_WRITE | dev->store_flags), it_exec_object(b->bo, 0),
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj,
		.buffer_count = 2,
		.batch_len = (b->n * 4 + 7) & ~7u,
		.flags = engine | I915_EXEC_NO_RELOC | flags,
		.rsvd1 = ctx,
		.rsvd2 = (uint32_t)in,
	};
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);

	it_expect(!ret, "execbuf with a fence: error %d", ret);
	return eb.rsvd2 >> 32;
}

void it_run_wait(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b,
		 struct it_bo **bos, unsigned int num)
{
	int ret = it_run(dev, ctx, engine, b, bos, num, 0);

	it_expect(!ret, "execbuf on %s: error %d", dev->engine[engine].name, ret);
	ret = it_bo_wait(b->bo, IT_WAIT_NS);
	it_expect(!ret, "the batch on %s did not end: error %d", dev->engine[engine].name, ret);
}

size_t it_tiled_offset(uint32_t tiling, uint32_t swizzle, size_t pitch, size_t x, size_t y)
{
	size_t at;

	if (tiling == I915_TILING_X)
		at = (y / 8 * (pitch / 512) + x / 512) * 4096 + y % 8 * 512 + x % 512;
	else
		at = (y / 32 * (pitch / 128) + x / 128) * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16;
	if (swizzle == I915_BIT_6_SWIZZLE_9_10)
		at ^= (at >> 3 ^ at >> 4) & 64;
	else if (swizzle == I915_BIT_6_SWIZZLE_9)
		at ^= at >> 3 & 64;
	else
		it_expect(swizzle == I915_BIT_6_SWIZZLE_NONE, "a swizzle of kind %u", swizzle);
	return at;
}
