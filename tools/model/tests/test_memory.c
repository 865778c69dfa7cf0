// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of memory, GGTT, PPGTT, TLB, aperture and fences
 *
 * A device gets a memory file as its guest RAM, with a hole; tables are written into it as a driver
 * would write them. What counts is as much what a translation must not see (a change before the
 * invalidation) as what it must.
 */
#include <malloc.h>

#include "igen/regs/gtt.h"
#include "test.h"

#define RAM_SIZE	(64u << 20)
#define HIGH_BASE	0x100000000ull		/* the second half of the file is there */
#define LOW_SIZE	(32u << 20)

#define PML4		0x10000ull
#define PDPT		0x11000ull
#define PD		0x12000ull
#define PT		0x13000ull
#define PT64		0x14000ull
#define PD2		0x15000ull
#define PT2		0x16000ull
#define FLAGS		(GEN8_PAGE_PRESENT | GEN8_PAGE_RW)

static struct gpu *gpu;
static struct tlb *tlb;
static struct view view;
static const struct vm_ref ggtt = { .ggtt = true };
static const struct vm_ref ppgtt = { .pml4 = PML4 };

static void put64(uint64_t pa, uint64_t v)
{
	if (!gmem_write64(gpu, pa, v))
		exit(2);
}

static uint32_t get32(uint64_t pa)
{
	uint32_t v;

	return gmem_read32(gpu, pa, &v) ? v : ~0u;
}

static bool translates(const struct vm_ref *vm, uint64_t addr, bool write, uint64_t expect)
{
	struct translation t;

	return tlb_translate(tlb, vm, addr, &t) && t.pa == expect && (t.writable || !write);
}

static bool faults(const struct vm_ref *vm, uint64_t addr, bool write)
{
	struct translation t;

	return !tlb_translate(tlb, vm, addr, &t) || (write && !t.writable);
}

static void write_pte(uint32_t i, uint64_t v)
{
	pci_bar_write(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET + i * 8, 8, v);
}

static void setup(void)
{
	int fd = test_memory(RAM_SIZE);
	struct gmem_region r[2] = {
		{ 0, LOW_SIZE, 0, dup(fd) },
		{ HIGH_BASE, RAM_SIZE - LOW_SIZE, LOW_SIZE, dup(fd) },
	};

	close(fd);
	gpu = test_gpu(NULL);
	if (gmem_set(gpu, r, 2))
		exit(2);
	tlb = tlb_new(gpu, "test");
	view_init(&view, tlb, MEM_CS);
}

static void test_gmem(void)
{
	struct gmem_region bad = { 0x200000000ull, 0x1000, RAM_SIZE, test_memory(RAM_SIZE) };
	struct gmem_region empty = { 0x200000000ull, 0, 0, test_memory(4096) };
	struct gmem_region none = { 0x200000000ull, 4096, 0, -1 };
	struct gmem_region good = { 0x200000000ull, 4096, 4096, test_memory(8192) };
	uint64_t q;
	uint32_t v;

	check(gmem_write32(gpu, 0x100, 0x12345678) && get32(0x100) == 0x12345678, "dword");
	check(gmem_write64(gpu, HIGH_BASE, 0x1122334455667788ull) &&
	      gmem_read64(gpu, HIGH_BASE, &q) && q == 0x1122334455667788ull, "qword above 4 GB");
	check(!gmem_read32(gpu, LOW_SIZE, &v) && v == ~0u, "a hole reads ones");
	check(!gmem_write32(gpu, LOW_SIZE, 1), "a write to a hole is dropped");
	check(!gmem_ptr(gpu, LOW_SIZE - 8, 16, false), "an access may not run into a hole");
	check(gmem_ptr(gpu, LOW_SIZE - 16, 16, false), "up to there it may");
	check(!gmem_ptr(gpu, UINT64_MAX - 3, 8, false), "address overflow");
	check(!gmem_ptr(gpu, 8, UINT64_MAX, false), "length overflow");
	check(gmem_map(gpu, &bad), "region behind the end of its file");
	check(gmem_map(gpu, &empty), "empty region");
	check(gmem_map(gpu, &none), "region without a file");
	check(get32(0x100) == 0x12345678, "after bad regions the old ones are there");
	check(!gmem_map(gpu, &good) && gmem_ptr(gpu, 0x200000000ull, 4096, false), "one more region");
	check(!gmem_unmap(gpu, 0x200000000ull, 4096, false) && !gmem_ptr(gpu, 0x200000000ull, 4, false),
	      "unmap");
	check(gmem_unmap(gpu, 0x200000000ull, 4096, false), "unmap of what is not there");
}

static int map_at(int fd, uint64_t gpa, uint64_t size, uint64_t offset, bool read_only)
{
	struct gmem_region r = {
		.gpa = gpa, .size = size, .offset = offset, .fd = dup(fd), .read_only = read_only,
	};

	return gmem_map(gpu, &r);
}

static void test_regions(void)
{
	const uint64_t at = 0x300000000ull;
	int fd = test_memory(64 << 12);
	uint32_t v;

	check(!map_at(fd, at + 0x2000, 0x1000, 0, false) && !map_at(fd, at, 0x1000, 0x1000, false) &&
	      !map_at(fd, at + 0x1000, 0x1000, 0x2000, false), "regions in any order");
	check(map_at(fd, at + 0xfff, 2, 0x5fff, false) && map_at(fd, at - 8, 0x5000, 0, false) &&
	      map_at(fd, at, 0x1000, 0, false), "regions do not overlap");
	check(map_at(fd, at + 0x8004, 0x1000, 0, false), "regions lie in guest memory as in their file");
	check(gmem_write32(gpu, at + 0x1ffc, 7) && pread(fd, &v, 4, 0x2ffc) == 4 && v == 7 &&
	      !gmem_ptr(gpu, at + 0x3000, 4, false) && !gmem_ptr(gpu, at - 1, 1, false) &&
	      gmem_ptr(gpu, at + 0x2fff, 1, true), "each is found");
	check(!map_at(fd, at + 0x4000, 0x123, 0x4000, false) && gmem_ptr(gpu, at + 0x4122, 1, false) &&
	      !gmem_ptr(gpu, at + 0x4120, 4, false), "a region may end inside a page");
	check(!gmem_unmap(gpu, at, 0x10000, false) && !gmem_ptr(gpu, at + 0x1000, 4, false) &&
	      get32(0x100) == 0x12345678, "they are dropped together");
	close(fd);
}

/* For the device only: the guest's CPU may write there. */
static void test_read_only(void)
{
	const uint64_t at = 0x300000000ull;
	int fd = test_memory(8192);
	uint32_t v = 0x5a5a;

	counters_reset();
	check(pwrite(fd, &v, 4, 16) == 4 && !map_at(fd, at, 4096, 0, true) &&
	      !map_at(fd, at + 4096, 4096, 4096, false), "a read-only region beside another of its file");
	check(get32(at + 16) == 0x5a5a && gmem_write32(gpu, at + 4096, 1), "it is read");
	check(!gmem_write32(gpu, at + 16, 1) && !gmem_write64(gpu, at + 16, 1) && get32(at + 16) == 0x5a5a &&
	      counter_value("memory_misses", "read_only_writes") == 2, "a write is dropped and counted");
	check(!gmem_unmap(gpu, at, 8192, false), "and unmapped");
	close(fd);
}

/* Firmware and guest move memory about for as long as they like. */
static void test_map_churn(void)
{
	const uint64_t at = 0x300000000ull;
	bool mapped[14] = { false }, ok = true;
	int fd = test_memory(14 << 12);
	uint32_t random = 1;
	size_t before = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		unsigned int r;

		random = random * 1664525 + 1013904223;
		r = (random >> 16) % 14;
		if (mapped[r])
			ok &= !gmem_unmap(gpu, at + r * 8192, 4096, false);
		else
			ok &= !map_at(fd, at + r * 8192, 4096, r * 4096, false);
		mapped[r] = !mapped[r];
		if (i == 1000)
			before = mallinfo2().uordblks;
	}
	check(ok && mallinfo2().uordblks < before + 65536, "old maps of guest memory are freed");
	gmem_unmap(gpu, at, 14 * 8192, false);
	/* More files than the model keeps mapped, one after the other. */
	for (unsigned int i = 0; i < 40; i++) {
		int one = test_memory(4096);

		ok &= !map_at(one, at, 4096, 0, i & 1) && gmem_ptr(gpu, at, 4096, false) &&
		      !gmem_unmap(gpu, at, 4096, false);
		close(one);
	}
	check(ok && get32(0x100) == 0x12345678, "files that are not used any more make room for others");
	close(fd);
}

static void test_ggtt(void)
{
	write_pte(5, 0x300000 | GEN8_PAGE_PRESENT);
	check(gtt_pte_read(gpu, 40, 8) == (0x300000 | GEN8_PAGE_PRESENT), "PTE reads back");
	check(pci_bar_read(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET + 40, 4) == 0x300001, "low half");
	pci_bar_write(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET + 44, 4, 1);
	check(gtt_pte_read(gpu, 40, 8) == 0x100300001ull, "upper half written alone");
	pci_bar_write(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET + 41, 1, 0x40);
	check(gtt_pte_read(gpu, 40, 8) == 0x100304001ull, "one byte");
	check(gtt_pte_read(gpu, 36, 8) == 0x0030400100000000ull, "read over two entries");
	check(gtt_pte_read(gpu, (2u << 20), 8) == 0, "beyond the table");
	gtt_pte_write(gpu, (2u << 20) - 4, 8, ~0ull);
	check(gtt_pte_read(gpu, (2u << 20) - 8, 8) == 0xffffffff00000000ull, "write over the end");
	write_pte(0x3ffff, 0);

	write_pte(5, 0x300000 | GEN8_PAGE_PRESENT);
	check(translates(&ggtt, 0x5123, true, 0x300123), "translation");
	write_pte(5, 0x400000 | GEN8_PAGE_PRESENT);
	check(translates(&ggtt, 0x5123, true, 0x300123), "a changed PTE is not seen");
	write_pte(5, 0);
	check(translates(&ggtt, 0x5000, false, 0x300000), "nor a removed one");
	tlb_invalidate(tlb, false, true);
	check(translates(&ggtt, 0x5000, false, 0x300000), "nor after the PPGTT's invalidation");
	pci_bar_write(gpu, PCI_BAR0, GFX_FLSH_CNTL, 4, GFX_FLSH_CNTL_EN);
	check(faults(&ggtt, 0x5000, false), "after GFX_FLSH_CNTL it is");
	check(faults(&ggtt, 1ull << 32, false), "address beyond the GGTT");
	write_pte(5, 0x500000 | GEN8_PAGE_PRESENT);
	check(translates(&ggtt, 0x5000, false, 0x500000), "what was not present is not kept");
}

static void enable_ips(uint32_t value)
{
	pci_bar_write(gpu, PCI_BAR0, GAMW_ECO_DEV_RW_IA, 4, value);
	if (pci_bar_read(gpu, PCI_BAR0, GAMW_ECO_DEV_RW_IA, 4) != value)
		exit(2);
}

static void test_ppgtt(void)
{
	const uint64_t va = (3ull << 39) | (7ull << 30) | (9ull << 21) | (11ull << 12) | 0x123;
	const uint64_t va2m = (3ull << 39) | (7ull << 30) | (10ull << 21) | 0x12345;
	const uint64_t va64 = (3ull << 39) | (7ull << 30) | (11ull << 21) | (0x25ull << 12) | 0x10;
	const struct vm_ref other = { .pml4 = 0x20000 };
	struct translation t;
	uint32_t v;

	put64(PML4 + 3 * 8, PDPT | FLAGS);
	put64(PDPT + 7 * 8, PD | FLAGS);
	put64(PD + 9 * 8, PT | FLAGS);
	put64(PD + 10 * 8, 0x600000 | FLAGS | GEN8_PDE_PS_2M);
	put64(PD + 11 * 8, PT64 | FLAGS | GEN8_PDE_IPS_64K);
	put64(PT + 11 * 8, 0x700000 | FLAGS);
	put64(PT + 12 * 8, 0x701000 | GEN8_PAGE_PRESENT);
	put64(PT64 + 0x20 * 8, 0x710000 | FLAGS);

	check(translates(&ppgtt, va, true, 0x700123), "4 KB page");
	check(translates(&ppgtt, va2m, true, 0x612345), "2 MB page");
	check(faults(&ppgtt, va64, false), "the IPS bit does not count until it is enabled: no PTE");
	put64(PT64 + 0x25 * 8, 0x705000 | FLAGS);
	check(translates(&ppgtt, va64, true, 0x705010), "and the PTE of each 4 KB page counts");
	enable_ips(GAMW_ECO_ENABLE_64K_IPS_MASK);
	check(translates(&ppgtt, va64, true, 0x705010), "what the TLB holds stays");
	tlb_invalidate(tlb, false, true);
	check(translates(&ppgtt, va64, true, 0x715010), "64 KB page: the first of 16 entries counts");
	check(tlb_translate(tlb, &ppgtt, va64, &t) && t.left == 0x10000 - 0x5010,
	      "bytes left in a 64 KB page");
	check(tlb_translate(tlb, &ppgtt, va2m, &t) && t.left == 0x200000 - 0x12345,
	      "bytes left in a 2 MB page");
	check(translates(&ppgtt, va + 0x1000, false, 0x701123), "read of a read-only page");
	check(faults(&ppgtt, va + 0x1000, true), "write to it");
	check(vm_read32(&view, &ppgtt, va + 0x1000, &v) && !vm_write32(&view, &ppgtt, va + 0x1000, 1) &&
	      view_page_fault(&view, true) == PAGE_FAULT_READ_ONLY, "also through a view that has read it");
	check(faults(&ppgtt, va + 0x2000, false), "no PTE");
	check(faults(&ppgtt, va + (1ull << 21) * 8, false), "no PDE");
	check(faults(&ppgtt, va + (1ull << 30), false), "no PDPE");
	check(faults(&ppgtt, 1ull << 39, false), "no PML4E");
	check(faults(&other, va, false), "another address space");
	check(translates(&ppgtt, va | 0xffff000000000000ull, false, 0x700123),
	      "bits above 47 are ignored");

	/*
	 * The table is unhooked and its page holds other things; both caches still serve the old.
	 */
	put64(PD + 9 * 8, PT2 | FLAGS);
	put64(PT2 + 11 * 8, 0x800000 | FLAGS);
	put64(PT2 + 13 * 8, 0x801000 | FLAGS);
	put64(PT + 13 * 8, 0x702000 | FLAGS);
	check(translates(&ppgtt, va, false, 0x700123), "stale page");
	check(translates(&ppgtt, va + 0x2000, false, 0x702123),
	      "a new page is found through the stale directory entry");
	tlb_invalidate(tlb, true, false);
	check(translates(&ppgtt, va, false, 0x700123), "stale after the GGTT's invalidation");
	tlb_invalidate(tlb, false, true);
	check(translates(&ppgtt, va, false, 0x800123), "new page after the invalidation");
	check(translates(&ppgtt, va + 0x2000, false, 0x801123), "and its neighbour");

	/* Write permission is that of all levels. */
	put64(PDPT + 7 * 8, PD | GEN8_PAGE_PRESENT);
	tlb_invalidate(tlb, false, true);
	check(faults(&ppgtt, va, true) && translates(&ppgtt, va, false, 0x800123),
	      "a read-only directory makes read-only pages");
	put64(PDPT + 7 * 8, PD | FLAGS);
	tlb_invalidate(tlb, false, true);

	/* Tables in a hole. */
	put64(PD + 9 * 8, LOW_SIZE | FLAGS);
	tlb_invalidate(tlb, false, true);
	check(faults(&ppgtt, va, false), "a table in a hole is not present");
	put64(PD + 9 * 8, PT | FLAGS);
	tlb_invalidate(tlb, false, true);

	pci_reset(gpu);
	check(translates(&ppgtt, va64, false, 0x705010), "a reset disables the IPS bit");
}

/* More pages than the TLB holds: all translate, and the first was dropped on the way. */
static void test_capacity(void)
{
	bool ok = true;

	for (uint32_t i = 0; i < 2048; i++)
		write_pte(i, ((uint64_t)i << 12) | GEN8_PAGE_PRESENT);
	tlb_invalidate(tlb, true, true);
	for (uint32_t i = 0; i < 2048; i++)
		ok &= translates(&ggtt, (uint64_t)i << 12, false, (uint64_t)i << 12);
	check(ok, "2048 pages");
	write_pte(0, 0x900000 | GEN8_PAGE_PRESENT);
	check(translates(&ggtt, 0, false, 0x900000), "the first had to leave the TLB");
	tlb_invalidate(tlb, true, true);
}

static void test_vm_access(void)
{
	uint8_t in[9000], out[9000];
	uint64_t q, misses;
	bool swapped;
	uint32_t v;

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 7);
	write_pte(0x100, 0xa00000 | GEN8_PAGE_PRESENT);
	write_pte(0x101, 0xb01000 | GEN8_PAGE_PRESENT);
	write_pte(0x102, 0xa02000 | GEN8_PAGE_PRESENT);
	write_pte(0x103, 0);
	tlb_invalidate(tlb, true, true);
	check(vm_write(&view, &ggtt, 0x100333, in, sizeof(in)) &&
	      vm_read(&view, &ggtt, 0x100333, out, sizeof(out)) && !memcmp(in, out, sizeof(in)),
	      "a copy over three scattered pages, misaligned");
	memcpy(&v, in + 0x1000 - 0x333, 4);
	check(get32(0xb01000) == v, "lies where it should");
	check(!vm_read(&view, &ggtt, 0x102ff8, out, 16), "a copy into a missing page fails");
	check(vm_write32(&view, &ggtt, 0x100ffc, 0x11111111) &&
	      vm_write32(&view, &ggtt, 0x101000, 0x22222222) &&
	      vm_read64(&view, &ggtt, 0x100ffc, &q) && q == 0x2222222211111111ull,
	      "a qword over two pages");
	check(vm_write64(&view, &ggtt, 0x100008, 0x0102030405060708ull) &&
	      vm_read32(&view, &ggtt, 0x10000c, &v) && v == 0x01020304, "a qword");
	write_pte(0x104, LOW_SIZE | GEN8_PAGE_PRESENT);
	check(!vm_read32(&view, &ggtt, 0x104000, &v), "a page that is no memory");
	check(!vm_write(&view, &ggtt, 0x104000, in, 4), "nor can it be written");
	v = 0;
	misses = counter_value("memory_misses", "writes");
	check(!vm_compare_exchange(&view, &ggtt, 0x104000, 4, &v, &v, &swapped), "nor exchanged");
	check(counter_value("memory_misses", "writes") == misses + 1, "which is counted as a write");
}

static void test_aperture(void)
{
	bool ok = true;

	write_pte(0x200, 0xc00000 | GEN8_PAGE_PRESENT);
	write_pte(0x201, 0xc01000 | GEN8_PAGE_PRESENT);
	pci_bar_write(gpu, PCI_BAR0, GFX_FLSH_CNTL, 4, GFX_FLSH_CNTL_EN);
	for (unsigned int size = 1; size <= 8; size++) {
		uint64_t v = 0x1122334455667788ull >> (64 - 8 * size);

		pci_bar_write(gpu, PCI_BAR2, 0x200000 + size * 16, size, v);
		ok &= pci_bar_read(gpu, PCI_BAR2, 0x200000 + size * 16, size) == v;
	}
	check(ok, "accesses of 1 to 8 bytes");
	pci_bar_write(gpu, PCI_BAR2, 0x200ffd, 8, 0x8877665544332211ull);
	check(get32(0xc00ffc) >> 8 == 0x332211 && get32(0xc01000) == 0x77665544,
	      "an access over two pages");
	check(pci_bar_read(gpu, PCI_BAR2, 0x300000 + (1u << 24), 4) == ~0ull, "no page: ones");
	check(pci_bar_read(gpu, PCI_BAR2, (256u << 20) - 4, 8) == ~0ull, "over the end");
	check(pci_bar_read(gpu, PCI_BAR2, 0x200000, 9) == ~0ull, "nine bytes");
}

static void fence(unsigned int i, uint64_t start, uint64_t size, uint32_t pitch, bool y)
{
	uint64_t v = (start + size - 4096) << 32 | (uint64_t)(pitch / 128 - 1) << 32 | start |
		     (y ? FENCE_TILE_Y : 0) | FENCE_VALID;

	pci_bar_write(gpu, PCI_BAR0, FENCE_REG(i), 8, v);
}

/* Tiles by their definition: 8 rows of 512 bytes, or 8 columns of 32 rows of 16 bytes. */
static uint64_t x_tile(uint32_t x, uint32_t y, uint32_t pitch)
{
	return (y / 8 * (pitch / 512) + x / 512) * 4096 + y % 8 * 512 + x % 512;
}

static uint64_t y_tile(uint32_t x, uint32_t y, uint32_t pitch)
{
	return (y / 32 * (pitch / 128) + x / 128) * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16;
}

static void test_fence(void)
{
	bool ok = true;

	for (uint32_t i = 0; i < 64; i++)
		write_pte(0x400 + i, (0xd00000 + i * 4096ull) | GEN8_PAGE_PRESENT);
	pci_bar_write(gpu, PCI_BAR0, GFX_FLSH_CNTL, 4, GFX_FLSH_CNTL_EN);
	fence(31, 0x400000, 0x10000, 1024, false);
	fence(4, 0x410000, 0x10000, 512, true);
	check(pci_bar_read(gpu, PCI_BAR0, FENCE_REG(31), 8) != 0, "fence reads back");
	for (uint32_t y = 0; y < 64; y += 5) {
		for (uint32_t x = 0; x < 1024; x += 36) {
			uint64_t at = y * 1024 + x;

			pci_bar_write(gpu, PCI_BAR2, 0x400000 + at, 4, 0x10000 + at);
			ok &= get32(0xd00000 + x_tile(x, y, 1024)) == 0x10000 + at;
		}
	}
	check(ok, "X tiles");
	for (uint32_t y = 0; y < 128; y += 7) {
		for (uint32_t x = 0; x < 512; x += 20) {
			uint64_t at = y * 512 + x;

			pci_bar_write(gpu, PCI_BAR2, 0x410000 + at, 4, 0x20000 + at);
			ok &= get32(0xd10000 + y_tile(x, y, 512)) == 0x20000 + at;
		}
	}
	check(ok, "Y tiles");
	pci_bar_write(gpu, PCI_BAR2, 0x41000c, 8, 0xaaaaaaaabbbbbbbbull);
	check(get32(0xd1000c) == 0xbbbbbbbb &&
	      get32(0xd10000 + y_tile(16, 0, 512)) == 0xaaaaaaaa,
	      "an access over the columns of a Y tile");
	pci_bar_write(gpu, PCI_BAR2, 0x420000, 4, 7);
	check(get32(0xd20000) == 7, "behind the fence it is linear");
	pci_bar_write(gpu, PCI_BAR0, FENCE_REG(31), 4, 0);
	pci_bar_write(gpu, PCI_BAR2, 0x400000 + 1024, 4, 0x77);
	check(get32(0xd00400) == 0x77, "without the fence it is linear");
}

int main(void)
{
	setup();
	test_gmem();
	test_regions();
	test_read_only();
	test_map_churn();
	test_ggtt();
	test_ppgtt();
	test_capacity();
	test_vm_access();
	test_aperture();
	test_fence();
	view_fini(&view);
	gpu_free(gpu);
	return test_end();
}
