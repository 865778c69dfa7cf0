// SPDX-License-Identifier: MIT
/**
 * DOC: igen-flush
 *
 * A client that flushes by itself, as Mesa and IGT do on a GPU that does not snoop: it writes objects through cached
 * mappings without a call of SET_DOMAIN, and flushes the lines with CLFLUSH or CLFLUSHOPT. Other subtests leave one
 * flush out. Emulated processors have no caches, so that all results are right. A checker that sees instructions of
 * programs ("igen-vm --coherency-plugin") has findings in those subtests, and none in the others. What
 * "no-flush" leaves out is found without it, too, and the subtest prints what the finding has to name.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>

#include "lib/it.h"

#define PAGE	4096u
#define LINE	64u
#define VALUE	0x600dda7au
#define BASE	(1ull << 32)
#define SPACE	(16ull << 20)

/* What a subtest does otherwise. */
enum { WITH_OPT = 1, WC = 2, NO_FLUSH = 4, NO_INVALIDATE = 8 };

struct mapped {
	uint32_t handle;
	uint64_t address;
	volatile uint32_t *dw;
};

static struct mapped mapped(struct it_dev *dev, unsigned int number, uint64_t flags)
{
	struct mapped o = { .address = BASE + number * SPACE };
	struct drm_i915_gem_mmap_offset args = { .flags = flags };
	int ret = it_bo_create(dev->fd, PAGE, &o.handle);

	it_expect(!ret, "creating an object: error %d", ret);
	args.handle = o.handle;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &args);
	it_expect(!ret, "MMAP_OFFSET: error %d", ret);
	o.dw = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, (off_t)args.offset);
	it_expect(o.dw != MAP_FAILED, "mapping an object: error %d", errno);
	return o;
}

static void flush(const struct mapped *o, size_t bytes, unsigned int how)
{
	const volatile char *at = (const volatile char *)o->dw;

	if (how & WC)
		return;
	asm volatile("mfence" ::: "memory");
	for (size_t i = 0; i < bytes; i += LINE) {
		if (how & WITH_OPT)
			asm volatile("clflushopt %0" :: "m"(at[i]) : "memory");
		else
			asm volatile("clflush %0" :: "m"(at[i]) : "memory");
	}
	asm volatile("mfence" ::: "memory");
}

static void copies(unsigned int how)
{
	uint64_t type = how & WC ? I915_MMAP_OFFSET_WC : I915_MMAP_OFFSET_WB;
	struct it_dev *dev = it_open();
	struct mapped from = mapped(dev, 0, type), to = mapped(dev, 1, type), batch = mapped(dev, 2, type);
	struct drm_i915_gem_exec_object2 objects[3] = {
		{ .handle = to.handle, .offset = to.address, .flags = EXEC_OBJECT_WRITE },
		{ .handle = from.handle, .offset = from.address },
		{ .handle = batch.handle, .offset = batch.address },
	};
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)objects, .buffer_count = 3 };
	struct drm_i915_gem_wait wait = { .bo_handle = batch.handle, .timeout_ns = IT_WAIT_NS };

	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		objects[i].flags |= EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	if (how & NO_FLUSH)
		it_note("process %d reads object %u at 0x%llx in a batch at 0x%llx", getpid(), from.handle,
			(unsigned long long)from.address, (unsigned long long)batch.address);
	for (unsigned int round = 0; round < 3; round++) {
		const uint32_t commands[] = {
			MI_COPY_MEM_MEM, (uint32_t)to.address + 4 * round, (uint32_t)(to.address >> 32),
			(uint32_t)from.address + LINE * round, (uint32_t)(from.address >> 32), MI_BATCH_BUFFER_END,
		};

		for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
			batch.dw[i] = commands[i];
		flush(&batch, sizeof(commands), how);
		from.dw[LINE / 4 * round] = VALUE + round;
		if (!(how & NO_FLUSH))
			flush(&from, PAGE, how);
		it_expect(!it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb), "execbuf fails");
		it_expect(!it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_WAIT, &wait), "waiting fails");
		if (!(how & NO_INVALIDATE))
			flush(&to, LINE, how);
		it_expect(to.dw[round] == VALUE + round, "round %u: %08x", round, to.dw[round]);
	}
	/* What is unmapped without a flush would be a finding, too. */
	flush(&to, LINE, how);
	it_close(dev);
}

int main(int argc, char **argv)
{
	it_init(argc, argv);
	it_subtest(copies, 0, "clflush");
	it_subtest(copies, WITH_OPT, "clflushopt");
	it_subtest(copies, WC, "write-combining");
	it_subtest(copies, NO_FLUSH, "no-flush");
	it_subtest(copies, NO_INVALIDATE, "no-invalidate");
	return it_exit();
}
