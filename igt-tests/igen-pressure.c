// SPDX-License-Identifier: MIT
/*
 * DOC: igen-pressure
 *
 * Clients together want several times the machine's memory. Each page that a client or its batches write has a value of
 * its own, and at the end each client compares all pages of its objects.
 *
 * igen-pressure refused [CLIENTS]: there is no swap. Every client takes memory until it is refused: with ENOMEM, and
 * nothing else. Objects that were given keep their contents, no process is killed, and when the clients have gone the
 * memory is free again.
 *
 * igen-pressure swapped [CLIENTS]: there is swap for all of it (compressed memory will do: a page is one value
 * throughout). Every client gets all that it wants. Idle objects are swapped out, and in again for the CPU and for
 * batches.
 *
 * igen-pressure huge: an object larger than all memory is refused when it is to get its pages, and swaps nothing out;
 * a process that touches a mapping of it gets SIGBUS.
 *
 * igen-pressure contexts, tables: one client makes contexts, or has the driver make page tables, without end. It is
 * refused with ENOMEM while enough memory is left that no process is killed. The contexts that it has go on working.
 * The memory is free again when the client has gone.
 *
 * igen-pressure shadows: the checked copies of the blitter's batches take no more memory than the batches need. Idle
 * copies make room for others, and are freed after a while.
 *
 * igen-pressure refused-copies: contexts in turn have large copies of batches that the driver refuses. The idle
 * copies of other contexts make room, however fast the calls are.
 *
 * igen-pressure lists: a single call that wants the driver to copy nearly all memory is refused with ENOMEM.
 *
 * FACTOR in the environment: how many times the memory, 4 when not given.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm.h>
#include <limits.h>

#include "lib/it.h"

#define PAGE		4096u
#define SIZE		(1u << 20)		/* of an object */
#define PAGES		(SIZE / PAGE)
#define MAX_CLIENTS	32
#define MAX_OBJECTS	65536u			/* of a client */
#define TARGET		(1ull << 32)		/* where a batch has its object */
#define STORED		0x570ed000u
#define PATIENCE_MS	(300 * 1000)
#define PARSED		(16u << 20)		/* of a batch for the blitter */
#define FORBIDDEN	0x4000u			/* a register that no batch may write */
#define SPARSE		256u			/* objects that want tables of their own each */
#define LISTS		16u			/* entries with relocations in one call */
#define MOST		65536u			/* attempts to get refused */
#define MARGIN_KB	(24u << 10)		/* of memory that may be in use afterwards: caches that came to be */

/* What a client tells: in memory shared with it. */
struct told {
	unsigned int objects;
	int err;				/* that ended it */
	bool waits, checked;
	char wrong[160];
};

struct client {
	struct it_dev *dev;
	uint32_t ctx;
	unsigned int id, num;
	uint32_t *handles;
	struct told *told;
};

static struct {
	unsigned int clients, factor;
	struct told *told;
	int ready[2], go[2];			/* pipes: all have taken what they get; now they may look at it */
} state;

static uint64_t value_of(const struct client *c, unsigned int object, unsigned int page)
{
	return (uint64_t)(c->id + 1) << 48 | (uint64_t)object << 16 | page;
}

static int take(struct client *c)
{
	static uint64_t data[SIZE / sizeof(uint64_t)];
	struct drm_i915_gem_create create = { .size = SIZE };
	struct drm_i915_gem_pwrite pwrite = { .size = SIZE, .data_ptr = (uintptr_t)data };
	struct drm_gem_close close = { };
	int ret = it_ioctl(c->dev->fd, DRM_IOCTL_I915_GEM_CREATE, &create);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < ARRAY_SIZE(data); i++)
		data[i] = value_of(c, c->num, i * sizeof(data[0]) / PAGE);
	pwrite.handle = create.handle;
	ret = it_ioctl(c->dev->fd, DRM_IOCTL_I915_GEM_PWRITE, &pwrite);
	if (ret) {
		close.handle = create.handle;
		it_ioctl(c->dev->fd, DRM_IOCTL_GEM_CLOSE, &close);
		return ret;
	}
	c->handles[c->num++] = create.handle;
	return 0;
}

/* A batch writes into the first page of an object. */
static int store(struct client *c, unsigned int object)
{
	struct it_bo target = { .dev = c->dev, .handle = c->handles[object], .size = SIZE, .address = TARGET };
	struct it_bo *list = &target;
	struct it_batch b = it_batch(c->dev, PAGE);
	int ret;

	it_emit_store(&b, TARGET + 16, STORED | object);
	it_emit_end(&b);
	ret = it_run(c->dev, c->ctx, object % c->dev->num_engines, &b, &list, 1, 0);
	if (!ret)
		ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_bo_close(b.bo);
	return ret;
}

/* One page in 16 is looked at as a whole; which ones differs from object to object. */
static void check(struct client *c, unsigned int object, bool stored)
{
	static uint64_t data[PAGE / sizeof(uint64_t)];
	struct drm_i915_gem_pread pread = { .handle = c->handles[object], .size = PAGE, .data_ptr = (uintptr_t)data };

	for (unsigned int page = stored ? 0 : object % 16; page < PAGES; page += 16) {
		uint64_t expected = value_of(c, object, page);
		int ret;

		pread.offset = page * PAGE;
		ret = it_ioctl(c->dev->fd, DRM_IOCTL_I915_GEM_PREAD, &pread);
		it_expect(!ret, "object %u of client %u cannot be read: error %d", object, c->id, ret);
		for (unsigned int i = 0; i < ARRAY_SIZE(data); i++) {
			uint64_t want = expected;

			if (stored && !page && i == 2)
				want = (expected & ~0xffffffffull) | STORED | object;
			it_expect(data[i] == want, "object %u of client %u, page %u, qword %u: %llx, expected %llx",
				  object, c->id, page, i, (unsigned long long)data[i], (unsigned long long)want);
		}
	}
}

static void client(unsigned int id)
{
	unsigned int most = it_meminfo("MemTotal") / 1024 * state.factor / state.clients;
	struct client c = { .dev = it_open(), .id = id, .told = &state.told[id] };
	bool swapped = it_meminfo("SwapTotal");
	char byte = 0;

	c.handles = calloc(MAX_OBJECTS, sizeof(c.handles[0]));
	it_expect(c.handles, "no memory for handles");
	c.ctx = it_ctx_engines(c.dev);
	if (most > MAX_OBJECTS)
		most = MAX_OBJECTS;
	while (c.num < most && !c.told->err)
		c.told->err = take(&c);
	c.told->objects = c.num;

	c.told->waits = true;
	it_expect(write(state.ready[1], &byte, 1) == 1, "write: error %d", errno);
	it_expect(read(state.go[0], &byte, 1) == 1, "read: error %d", errno);

	for (unsigned int i = 0; i < c.num; i++) {
		bool store_too = swapped && i % 8 == 3;
		int ret = store_too ? store(&c, i) : 0;

		it_expect(!ret, "a batch for object %u of client %u: error %d", i, id, ret);
		check(&c, i, store_too);
	}
	c.told->checked = true;
}

/* Runs the clients; their results are in state.told. */
static void all_clients(void)
{
	pid_t pids[MAX_CLIENTS];
	char byte = 0;

	memset(state.told, 0, MAX_CLIENTS * sizeof(state.told[0]));
	it_expect(!pipe(state.ready) && !pipe(state.go), "no pipes: error %d", errno);
	for (unsigned int i = 0; i < state.clients; i++) {
		fflush(stdout);
		pids[i] = fork();
		it_expect(pids[i] >= 0, "fork: error %d", errno);
		if (!pids[i]) {
			close(state.ready[0]);
			close(state.go[1]);
			it_subtest(client, i, "client-%u", i);
			if (!state.told[i].waits && write(state.ready[1], &byte, 1) != 1)
				perror("write");
			_exit(it_exit());
		}
	}
	close(state.ready[1]);
	close(state.go[0]);
	/* Waits until every client has all that it gets. A client that was killed writes nothing. */
	for (unsigned int i = 0; i < state.clients; i++) {
		struct pollfd ready = { .fd = state.ready[0], .events = POLLIN };

		if (poll(&ready, 1, PATIENCE_MS) != 1 || read(state.ready[0], &byte, 1) != 1)
			break;
	}
	for (unsigned int i = 0; i < state.clients; i++)
		if (write(state.go[1], &byte, 1) != 1)
			break;
	close(state.ready[0]);
	close(state.go[1]);

	for (unsigned int i = 0; i < state.clients; i++) {
		int status;

		it_expect(waitpid(pids[i], &status, 0) == pids[i], "client %u is not there: error %d", i, errno);
		it_expect(!WIFSIGNALED(status), "client %u was killed by signal %d", i, WTERMSIG(status));
		it_expect(!WEXITSTATUS(status) && state.told[i].checked, "client %u failed: see above", i);
	}
}

static unsigned int total_objects(void)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < state.clients; i++)
		sum += state.told[i].objects;
	return sum;
}

/* The GPU works, for a client that wants little. */
static void small_client(void)
{
	struct it_dev *dev = it_open();
	struct client c = { .dev = dev, .ctx = it_ctx_engines(dev), .handles = (uint32_t[1]) { }, .told = state.told };
	int ret = take(&c);

	it_expect(!ret, "a small client is refused: error %d", ret);
	ret = store(&c, 0);
	it_expect(!ret, "a small client's batch: error %d", ret);
	check(&c, 0, true);
}

/*
 * The memory that the driver could allocate at most, by its own rule: what is available, plus anonymous pages of other
 * processes as far as swap has room for them.
 */
static unsigned long left_kb(void)
{
	unsigned long swap = it_meminfo("SwapFree"), anon = it_meminfo("Active(anon)") + it_meminfo("Inactive(anon)");

	return it_meminfo("MemAvailable") + (swap < anon ? swap : anon);
}

/* Waits for the memory to become free: the driver frees some pages only after a TLB flush. */
static void expect_back(unsigned long before)
{
	unsigned long after = 0;

	for (unsigned int i = 0; i < 300; i++) {
		after = left_kb();
		if (after + MARGIN_KB > before)
			return;
		usleep(100 * 1000);
	}
	it_fail("%lu kB are free, before it were %lu kB", after, before);
}

static void refused(unsigned int arg)
{
	unsigned long before = left_kb();

	(void)arg;
	if (it_meminfo("SwapTotal"))
		it_skip("there is swap");
	all_clients();
	it_note("%u clients had %u MiB of %lu MiB, and wanted %u times all of it", state.clients, total_objects(),
		it_meminfo("MemTotal") / 1024, state.factor);
	for (unsigned int i = 0; i < state.clients; i++)
		it_expect(state.told[i].err == -ENOMEM, "client %u was given %u MiB, and then error %d", i,
			  state.told[i].objects, state.told[i].err);
	/* Most of what was free was given. */
	it_expect(total_objects() > before / 1024 / 2, "%u MiB were given of %lu MiB that were free", total_objects(),
		  before / 1024);
	expect_back(before);
	small_client();
}

static void swapped(unsigned int arg)
{
	unsigned long swap = it_meminfo("SwapTotal");

	(void)arg;
	if (swap / 1024 < it_meminfo("MemTotal") / 1024 * state.factor)
		it_skip("no swap for %u times the memory", state.factor);
	all_clients();
	it_note("%u clients had %u MiB with %lu MiB of memory", state.clients, total_objects(),
		it_meminfo("MemTotal") / 1024);
	for (unsigned int i = 0; i < state.clients; i++)
		it_expect(!state.told[i].err, "client %u was given %u MiB, and then error %d", i, state.told[i].objects,
			  state.told[i].err);
	small_client();
}

static sigjmp_buf bus_error;

static void caught(int sig)
{
	siglongjmp(bus_error, sig);
}

/* Touches the first byte of an object's mapping; the signal for that, or 0. */
static int touch(struct it_dev *dev, uint32_t handle, uint64_t size)
{
	struct drm_i915_gem_mmap_offset offset = { .handle = handle, .flags = I915_MMAP_OFFSET_WB };
	struct sigaction action = { .sa_handler = caught }, before;
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset), sig;
	void *map;

	it_expect(!ret, "where to map it: error %d", ret);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, (off_t)offset.offset);
	it_expect(map != MAP_FAILED, "mmap: %s", strerror(errno));
	sigaction(SIGBUS, &action, &before);
	sig = sigsetjmp(bus_error, 1);
	if (!sig)
		*(volatile char *)map = 1;
	sigaction(SIGBUS, &before, NULL);
	munmap(map, size);
	return sig;
}

static void huge(unsigned int arg)
{
	struct it_dev *dev = it_open();
	unsigned long swap_free = it_meminfo("SwapFree");
	struct drm_i915_gem_create create = {
		.size = (uint64_t)(it_meminfo("MemTotal") + 4) * 1024 * 2 & ~(PAGE - 1ull),
	};
	struct drm_i915_gem_set_domain domain = { .read_domains = I915_GEM_DOMAIN_CPU };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CREATE, &create), sig = SIGBUS;

	(void)arg;
	if (!ret) {
		domain.handle = create.handle;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain);
		sig = touch(dev, create.handle, create.size);
	}
	it_expect(sig == SIGBUS, "touching an object of twice the memory: signal %d", sig);
	it_expect(ret == -ENOMEM || ret == -E2BIG, "an object of twice the memory: error %d", ret);
	it_expect(it_meminfo("SwapFree") + (8u << 10) > swap_free, "something was swapped out for it");
	small_client();
}

static uint32_t plain_context(struct it_dev *dev, int *ret)
{
	struct drm_i915_gem_context_create create = { };

	*ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);
	return create.ctx_id;
}

/* A context that every engine has worked on. */
static int use_context(struct it_dev *dev, struct it_batch *b)
{
	int ret;
	uint32_t ctx = plain_context(dev, &ret);

	for (unsigned int ring = I915_EXEC_RENDER; !ret && ring <= I915_EXEC_VEBOX; ring++)
		ret = it_run(dev, ctx, ring, b, NULL, 0, 0);
	return ret ?: it_bo_wait(b->bo, IT_WAIT_NS);
}

/* An address space in which each of the objects has tables of its own: they are 1 GB apart. */
static int use_tables(struct it_dev *dev, struct it_batch *b, struct it_bo **bos)
{
	struct drm_i915_gem_exec_object2 obj[SPARSE + 1] = { };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj,
		.buffer_count = SPARSE + 1,
		.flags = I915_EXEC_VEBOX | I915_EXEC_NO_RELOC,
	};
	int ret;

	eb.rsvd1 = plain_context(dev, &ret);
	for (unsigned int i = 0; i <= SPARSE; i++) {
		obj[i].handle = i < SPARSE ? bos[i]->handle : b->bo->handle;
		obj[i].offset = (i + 1ull) << 30;
		obj[i].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	}
	ret = ret ?: it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	return ret ?: it_bo_wait(b->bo, IT_WAIT_NS);
}

static void own(unsigned int tables)
{
	unsigned long before = left_kb(), reserve = it_meminfo("MemTotal") / 32, left;
	struct it_dev *dev = it_open();
	struct it_bo *bos[SPARSE] = { }, *out = it_bo(dev, PAGE);
	struct it_batch b = it_batch(dev, PAGE), last = it_batch(dev, PAGE);
	uint32_t ctx = it_ctx_engines(dev);
	unsigned int num;
	int ret = 0;

	it_emit_end(&b);
	for (unsigned int i = 0; tables && i < SPARSE; i++) {
		bos[i] = it_bo(dev, PAGE);
		*(uint32_t *)bos[i]->map = i;
	}
	/* This context has all that it needs before the other ones come. */
	it_emit_store(&last, out->address, STORED);
	it_emit_end(&last);
	it_run_wait(dev, ctx, 0, &last, &out, 1);
	*(uint32_t *)out->map = 0;

	for (num = 0; !ret && num < MOST; num++)
		ret = tables ? use_tables(dev, &b, bos) : use_context(dev, &b);
	left = left_kb();
	it_note("%u contexts took %lu of %lu kB; %lu are left", num, before - left, before, left);
	it_expect(ret == -ENOMEM, "context %u: error %d, expected ENOMEM", num, ret);
	/* The driver's reserve is for the sizes that it asks for; smaller allocations come on top. */
	it_expect(left > reserve / 2, "%lu kB are left, expected about %lu", left, reserve);
	it_run_wait(dev, ctx, 0, &last, &out, 1);
	it_expect(*(uint32_t *)out->map == STORED, "a batch in a context that was there has not run");
	it_close(dev);
	expect_back(before);
	small_client();
}

static void shadows(unsigned int arg)
{
	struct it_dev *dev = it_open();
	struct it_bo *out = it_bo(dev, PAGE);
	struct it_batch b = it_batch(dev, PARSED);
	unsigned long before, left;
	int ret = 0;

	(void)arg;
	memset(b.dw, 0, PARSED);
	it_emit_end(&b);
	/* All of the object is the batch, as far as the call tells. */
	b.n = 0;
	before = left_kb();
	for (unsigned int i = 0; !ret && i < 12; i++)
		ret = it_run(dev, plain_context(dev, &ret), I915_EXEC_BLT, &b, &out, 1, 0);
	it_expect(!ret, "a batch that ends at once: error %d", ret);
	left = left_kb();
	it_expect(left + MARGIN_KB > before, "%lu kB were free, and %lu kB with 12 copies of two dwords", before, left);
	it_bo_wait(b.bo, IT_WAIT_NS);

	b.dw[0] = 0;
	b.n = PARSED / sizeof(uint32_t) - 8;
	it_emit_store(&b, out->address, STORED);
	it_emit_end(&b);
	for (unsigned int i = 0; i < it_meminfo("MemTotal") / (PARSED >> 10) * 5 / 4; i++) {
		*(uint32_t *)out->map = 0;
		ret = it_run(dev, plain_context(dev, &ret), I915_EXEC_BLT, &b, &out, 1, 0);
		it_expect(!ret, "a long batch in context %u: error %d", i, ret);
		it_expect(!it_bo_wait(b.bo, IT_WAIT_NS), "a long batch in context %u does not end", i);
		it_expect(*(uint32_t *)out->map == STORED, "a long batch in context %u did not run to its end", i);
	}
	/* The contexts are still there. */
	expect_back(before);
	it_close(dev);
	small_client();
}

/* Copies of batches that are refused behind their middle, each in a context of its own: idle at once. */
static void refused_copies(unsigned int arg)
{
	struct it_dev *dev = it_open();
	struct it_batch b = it_batch(dev, PARSED);
	int ret = 0;

	(void)arg;
	memset(b.dw, 0, PARSED);
	b.n = PARSED / sizeof(uint32_t) / 2;
	it_emit_load_reg(&b, FORBIDDEN, 0);
	for (unsigned int i = 0; i < 8; i++) {
		uint32_t ctx = plain_context(dev, &ret);

		it_expect(!ret, "context %u: error %d", i, ret);
		ret = it_run(dev, ctx, I915_EXEC_BLT, &b, NULL, 0, 0);
		it_expect(ret == -EACCES, "a batch with a forbidden register in context %u: error %d", i, ret);
	}
	it_close(dev);
}

static int execute(struct it_dev *dev, const void *list, unsigned int count)
{
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)list, .buffer_count = count };

	return it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* Relocations that are read from zeroes: memory that takes none itself, and is not read without a fault. */
static int relocate(struct it_dev *dev, unsigned long bytes)
{
	struct drm_i915_gem_exec_object2 obj[LISTS] = { };
	void *map;
	int ret;

	bytes = bytes / LISTS & -PAGE;
	map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	it_expect(map != MAP_FAILED, "mmap: error %d", errno);
	for (unsigned int i = 0; i < LISTS; i++) {
		obj[i].handle = it_bo(dev, PAGE)->handle;
		obj[i].relocs_ptr = (uintptr_t)map;
		obj[i].relocation_count = bytes / sizeof(struct drm_i915_gem_relocation_entry);
	}
	ret = execute(dev, obj, LISTS);
	munmap(map, bytes);
	return ret;
}

static void lists(unsigned int arg)
{
	unsigned long before = left_kb(), much = it_meminfo("MemTotal") * 1024 / 10 * 9;
	struct it_dev *dev = it_open();
	int ret;

	(void)arg;
	/* A list that is nowhere, and relocations of handle 0: there are none. */
	ret = execute(dev, (void *)8, SIZE / sizeof(struct drm_i915_gem_exec_object2));
	it_expect(ret == -EFAULT, "a list of 1 MB that is nowhere: error %d, expected EFAULT", ret);
	ret = execute(dev, (void *)8, much / sizeof(struct drm_i915_gem_exec_object2));
	it_expect(ret == -ENOMEM, "a list of %lu kB: error %d, expected ENOMEM", much >> 10, ret);
	ret = relocate(dev, SIZE);
	it_expect(ret == -ENOENT, "1 MB of relocations: error %d, expected ENOENT", ret);
	ret = relocate(dev, much);
	it_expect(ret == -ENOMEM, "%lu kB of relocations: error %d, expected ENOMEM", much >> 10, ret);
	it_close(dev);
	expect_back(before);
	small_client();
}

int main(int argc, char **argv)
{
	const char *factor = getenv("FACTOR");

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: igen-pressure refused|swapped|huge|contexts|tables|shadows|refused-copies|"
			"lists [CLIENTS]; FACTOR=4 in the environment\n");
		return 2;
	}
	state.factor = factor ? it_number("FACTOR", factor, 1, UINT_MAX) : 4;
	state.clients = argc > 2 ? it_number("CLIENTS", argv[2], 1, MAX_CLIENTS) : 8;
	state.told = mmap(NULL, MAX_CLIENTS * sizeof(state.told[0]), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (state.told == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	it_init(1, argv);
	if (!strcmp(argv[1], "refused"))
		it_subtest(refused, 0, "refused");
	else if (!strcmp(argv[1], "swapped"))
		it_subtest(swapped, 0, "swapped");
	else if (!strcmp(argv[1], "huge"))
		it_subtest(huge, 0, "huge");
	else if (!strcmp(argv[1], "contexts"))
		it_subtest(own, 0, "contexts");
	else if (!strcmp(argv[1], "tables"))
		it_subtest(own, 1, "tables");
	else if (!strcmp(argv[1], "shadows"))
		it_subtest(shadows, 0, "shadows");
	else if (!strcmp(argv[1], "refused-copies"))
		it_subtest(refused_copies, 0, "refused-copies");
	else if (!strcmp(argv[1], "lists"))
		it_subtest(lists, 0, "lists");
	else
		fprintf(stderr, "igen-pressure: '%s' is none of refused, swapped, huge, contexts, tables, shadows, "
			"refused-copies, lists\n", argv[1]);
	return it_exit();
}
