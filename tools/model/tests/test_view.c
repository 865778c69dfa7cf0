// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of memory views
 *
 * A view keeps what it has found until an invalidation, and an invalidation ends only when no access uses what was
 * found before it. The second half needs threads: one accesses memory, the other invalidates, and each tells the
 * other how far it is.
 */
#include <sched.h>

#include "igen/regs/gtt.h"
#include "test.h"

#define RAM_SIZE	(1u << 20)
#define OLD		0x10000ull
#define NEW		0x20000ull
#define ADDR		0x5000ull		/* that is one or the other */
#define ROUNDS		3000u

static struct gpu *gpu;
static struct tlb *tlb;
static struct view view;
static uint8_t *ram;
static const struct vm_ref ggtt = { .ggtt = true };

static void map(uint64_t pa)
{
	gtt_pte_write(gpu, (uint32_t)(ADDR >> 12) * 8, 8, pa | GEN8_PAGE_PRESENT);
}

static uint32_t at(uint64_t pa)
{
	return __atomic_load_n((uint32_t *)(ram + pa), __ATOMIC_ACQUIRE);
}

static void put(uint64_t pa, uint32_t v)
{
	__atomic_store_n((uint32_t *)(ram + pa), v, __ATOMIC_RELEASE);
}

static uint32_t through(const struct vm_ref *vm, uint64_t addr)
{
	uint32_t v = 0;

	return vm_read32(&view, vm, addr, &v) ? v : ~0u;
}

static uint64_t misses(void)
{
	return counter_value("view_misses", "command streamer");
}

static void test_keeps(void)
{
	const struct vm_ref odd = { .pml4 = 1 };
	uint64_t before;

	put(OLD, 1);
	put(NEW, 2);
	map(OLD);
	check(through(&ggtt, ADDR) == 1, "a view finds a page");
	before = misses();
	map(NEW);
	check(through(&ggtt, ADDR) == 1 && vm_write32(&view, &ggtt, ADDR + 4, 7) && at(OLD + 4) == 7 &&
	      misses() == before, "and does not ask for it again");
	check(through(&odd, ADDR) == ~0u, "an address space at 1 is not the GGTT");
	tlb_invalidate(tlb, false, true);
	check(through(&ggtt, ADDR) == 1 && misses() > before,
	      "an invalidation of PPGTTs empties the view, not the TLB");
	tlb_invalidate(tlb, true, false);
	check(through(&ggtt, ADDR) == 2, "one of the GGTT both");
}

static void test_memory_map(void)
{
	struct gmem_region r = { .gpa = 0x40000000, .size = 0x1800, .fd = test_memory(0x2000) };
	struct gmem_region read_only = {
		.gpa = 0x50000000, .size = 0x1000, .fd = test_memory(0x1000), .read_only = true,
	};

	if (gmem_map(gpu, &r) || gmem_map(gpu, &read_only))
		exit(2);
	map(0x40000000);
	tlb_invalidate(tlb, true, true);
	check(through(&ggtt, ADDR) == 0 && vm_write32(&view, &ggtt, ADDR, 1) && through(&ggtt, ADDR) == 1,
	      "memory of another region");
	map(0x40001000);
	tlb_invalidate(tlb, true, true);
	check(through(&ggtt, ADDR + 0x7fc) == 0 && through(&ggtt, ADDR + 0x800) == ~0u,
	      "which ends inside a page");
	view_enter(&view);
	check(!view_page(&view, &ggtt, ADDR, false) && view.error == VIEW_NO_MEMORY, "the whole page is not there");
	view_leave(&view);
	map(0x40000000);
	tlb_invalidate(tlb, true, true);
	check(through(&ggtt, ADDR) == 1 && !gmem_unmap(gpu, 0x40000000, 0x1800, false) && through(&ggtt, ADDR) == ~0u,
	      "what was unmapped is not accessed any more");
	map(0x50000000);
	tlb_invalidate(tlb, true, true);
	check(through(&ggtt, ADDR) == 0 && !vm_write32(&view, &ggtt, ADDR, 1) && view.error == VIEW_NO_MEMORY &&
	      through(&ggtt, ADDR) == 0, "memory that is read-only for the device is not written");
}

static atomic_bool done;

static void *invalidate(void *arg)
{
	(void)arg;
	tlb_invalidate(tlb, true, true);
	atomic_store(&done, true);
	return NULL;
}

/* Until another thread has begun to invalidate, and then for as long as it would take to end. */
static bool invalidates(uint64_t epoch)
{
	for (unsigned int i = 0; i < 100000 && atomic_load(view.now) == epoch; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
	return atomic_load(view.now) != epoch;
}

static bool is_done(void)
{
	for (unsigned int i = 0; i < 100000 && !atomic_load(&done); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	return atomic_load(&done);
}

static void test_waits(void)
{
	pthread_t thread;

	map(OLD);
	tlb_invalidate(tlb, true, true);
	view_enter(&view);
	if (!view_page(&view, &ggtt, ADDR, true))
		exit(2);
	map(NEW);
	pthread_create(&thread, NULL, invalidate, NULL);
	check(invalidates(view.epoch) && !atomic_load(&done), "an invalidation waits for the access under way");
	check(view_renew(&view) && is_done(), "until that takes notice of it");
	check(!view_renew(&view), "which it does once");
	put(NEW, 0x1234);
	check(*(uint32_t *)view_page(&view, &ggtt, ADDR, true) == 0x1234, "and goes on with new translations");
	view_leave(&view);
	pthread_join(thread, NULL);

	atomic_store(&done, false);
	view_enter(&view);
	view_enter(&view);
	pthread_create(&thread, NULL, invalidate, NULL);
	view_leave(&view);
	check(invalidates(view.epoch) && !atomic_load(&done), "of nested accesses the outer one counts");
	view_leave(&view);
	check(is_done(), "or until it ends");
	pthread_join(thread, NULL);
}

static atomic_bool stop;
static atomic_uint written;

/* Counts up the dword at ADDR, whichever page is mapped there. */
static void *writer(void *arg)
{
	struct view own;

	(void)arg;
	view_init(&own, tlb, MEM_BLT);
	for (uint32_t v = 1; !atomic_load(&stop); v++) {
		vm_write32(&own, &ggtt, ADDR, v);
		atomic_store_explicit(&written, v, memory_order_relaxed);
	}
	view_fini(&own);
	return NULL;
}

/* The page that was taken away stays as it is from the end of the invalidation on. */
static void test_stress(void)
{
	uint64_t here = OLD, other = NEW;
	unsigned int late = 0, moves = 0;
	pthread_t thread;

	map(here);
	tlb_invalidate(tlb, true, true);
	pthread_create(&thread, NULL, writer, NULL);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int before = atomic_load(&written);
		uint64_t t = here;
		uint32_t left;

		map(other);
		tlb_invalidate(tlb, true, false);
		left = at(here);
		for (unsigned int k = 0; k < 100000 && atomic_load(&written) < before + 3; k++) {
			if (k < 20)
				sched_yield();
			else
				nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
		}
		moves += atomic_load(&written) >= before + 3;
		late += at(here) != left;
		here = other;
		other = t;
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	check(moves == ROUNDS, "another thread writes all the while");
	check(!late, "never to a page that was taken away before");
}

int main(void)
{
	struct gmem_region r = { .size = RAM_SIZE, .fd = test_memory(RAM_SIZE) };

	ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	gpu = test_gpu(NULL);
	if (ram == MAP_FAILED || gmem_set(gpu, &r, 1))
		exit(2);
	tlb = tlb_new(gpu, "test");
	view_init(&view, tlb, MEM_CS);
	test_keeps();
	test_memory_map();
	test_waits();
	test_stress();
	view_fini(&view);
	gpu_free(gpu);
	munmap(ram, RAM_SIZE);
	return test_end();
}
