// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of coherency: a GPU that does not look at the CPU's caches
 *
 * The test is the guest: it writes memory as a CPU through its caches, and tells the model of mappings and flushes. A
 * view of the render engine's TLB accesses the same memory through the GGTT, which snoops, and through a PPGTT with a
 * page that snoops and pages that do not. With shared memory the test is QEMU's plugin as well.
 */
#include "engine/engine.h"
#include "igen/cmd/blt.h"
#include "igen/regs/engine.h"
#include "igen/regs/gtt.h"
#include "test.h"
#include "../vm/coherency/events.h"
#include "../vm/coherency/plugin/state.h"

#define RAM_SIZE	(1u << 20)
/* Physical addresses. */
#define PA_EVENTS	0x1000u
#define PA_TABLES	0x10000u		/* of the four levels, the highest first */
#define PA_PAGES	0x20000u		/* what is accessed */
/* Numbers of pages from PA_PAGES on, and of entries of the lowest table. */
enum { PLAIN, SNOOPED, OTHER };

static struct gpu *gpu;
static struct tlb *tlb;
static struct view view;
static uint8_t *ram;
static unsigned int num_events;
static bool with_plugin;
static const struct vm_ref ggtt = { .ggtt = true };
static const struct vm_ref ppgtt = { .pml4 = PA_TABLES };

static uint32_t pa(unsigned int page)
{
	return PA_PAGES + page * 4096;
}

static uint64_t va(unsigned int page)
{
	return page * 4096;
}

static uint32_t at(uint32_t address)
{
	return __atomic_load_n((uint32_t *)(ram + address), __ATOMIC_ACQUIRE);
}

static void put(uint32_t address, uint32_t v)
{
	__atomic_store_n((uint32_t *)(ram + address), v, __ATOMIC_RELEASE);
}

static void put64(uint32_t address, uint64_t v)
{
	__atomic_store_n((uint64_t *)(ram + address), v, __ATOMIC_RELEASE);
}

static void add(uint32_t kind, uint64_t address, uint32_t bytes)
{
	const struct coherency_event e = { .address = address, .bytes = bytes, .kind = kind };

	memcpy(ram + PA_EVENTS + num_events++ * sizeof(e), &e, sizeof(e));
}

static void ring(void)
{
	pci_cfg_write(gpu, COHERENCY_CFG_EVENTS, 4, num_events);
	num_events = 0;
}

static void tell(uint32_t kind, uint64_t address, uint32_t bytes)
{
	add(kind, address, bytes);
	ring();
}

static uint32_t gpu_reads(const struct vm_ref *vm, uint64_t address)
{
	uint32_t v = 0;

	return vm_read32(&view, vm, address, &v) ? v : ~0u;
}

static void wr(uint32_t reg, uint32_t value)
{
	pthread_mutex_lock(&gpu->lock);
	mmio_write(gpu, reg, value, true);
	pthread_mutex_unlock(&gpu->lock);
}

static void start(const char *mode, const char *platform)
{
	const char *const set[] = { platform, mode, NULL };
	struct gmem_region region = { .gpa = 0, .size = RAM_SIZE, .fd = test_memory(RAM_SIZE) };

	counters_reset();
	gpu = test_gpu(set);
	if (with_plugin && coherency_share(gpu))
		exit(2);
	ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, region.fd, 0);
	if (ram == MAP_FAILED || gmem_set(gpu, &region, 1))
		exit(2);
	/* Entry 0, which is the GGTT's, and 4 snoop; 3 does not. */
	wr(PRIVATE_PAT_LO, PPAT_SNOOP);
	wr(PRIVATE_PAT_HI, PPAT_SNOOP);
	for (unsigned int level = 0; level < 3; level++)
		put64(PA_TABLES + level * 4096, (PA_TABLES + (level + 1) * 4096) | GEN8_PAGE_PRESENT | GEN8_PAGE_RW);
	for (unsigned int i = PLAIN; i <= OTHER; i++) {
		put64(PA_TABLES + 3 * 4096 + i * 8, pa(i) | GEN8_PAGE_PRESENT | GEN8_PAGE_RW |
		      (i == SNOOPED ? GEN8_PTE_PAT : GEN8_PAGE_PCD | GEN8_PAGE_PWT));
		gtt_pte_write(gpu, i * 8, 8, pa(i) | GEN8_PAGE_PRESENT);
	}
	tlb = tlb_new(gpu, "rcs0");
	view_init(&view, tlb, MEM_CS);
	pci_cfg_write(gpu, COHERENCY_CFG_PAGE, 4, PA_EVENTS >> 12);
	add(COHERENCY_MAP, PA_TABLES, 4 * 4096);
	add(COHERENCY_FLUSH, PA_TABLES, 4 * 4096);
	add(COHERENCY_MAP, pa(PLAIN), 3 * 4096);
	add(COHERENCY_FLUSH, pa(PLAIN), 3 * 4096);
	ring();
}

static void stop(void)
{
	view_fini(&view);
	gpu_free(gpu);
	munmap(ram, RAM_SIZE);
}

static uint64_t found(const char *kind)
{
	return counter_value("coherency.driver", kind);
}

static uint64_t all_found(void)
{
	static const char *const kinds[] = { "read", "walk", "write", "cpu_read", "cpu_write", "unmap", "uncached" };
	uint64_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		n += found(kinds[i]) + counter_value("coherency.client", kinds[i]);
	return n;
}

static void test_reads(void)
{
	start("coherency=check", "platform=bxt");
	check(pci_cfg_read(gpu, COHERENCY_CFG_PAGE, 4) == COHERENCY_MAGIC, "the guest sees whom to tell");
	put(pa(PLAIN), 1);
	tell(COHERENCY_FLUSH, pa(PLAIN), 4);
	check(gpu_reads(&ppgtt, va(PLAIN)) == 1 && !all_found(), "what was flushed may be read");
	put(pa(PLAIN) + 4, 2);
	check(gpu_reads(&ppgtt, va(PLAIN)) == 1 && !all_found(), "and its line may have changed elsewhere");
	check(gpu_reads(&ppgtt, va(PLAIN) + 4) == 2 && found("read") == 1, "not so where it is read: that is found");
	check(gpu_reads(&ppgtt, va(PLAIN) + 4) == 2 && found("read") == 1 &&
	      pci_cfg_read(gpu, COHERENCY_CFG_EVENTS, 4) == 1, "once");
	put(pa(PLAIN) + 64, 3);
	tell(COHERENCY_FLUSH, pa(PLAIN), 64);
	check(gpu_reads(&ppgtt, va(PLAIN) + 64) == 3 && found("read") == 2, "a flush of another line does not do");
	put(pa(PLAIN) + 128, 4);
	tell(COHERENCY_FLUSH_ALL, 0, 0);
	check(gpu_reads(&ppgtt, va(PLAIN) + 128) == 4 && found("read") == 2, "one of all lines does");
	put(pa(SNOOPED), 5);
	put(pa(PLAIN), 6);
	check(gpu_reads(&ppgtt, va(SNOOPED)) == 5 && gpu_reads(&ggtt, va(PLAIN)) == 6 && found("read") == 2,
	      "a snooped read needs no flush, and the GGTT's are snooped");
	check(aperture_read(gpu, va(PLAIN), 4) == 6 && found("read") == 3,
	      "but not those of the CPU through the aperture");
	tell(COHERENCY_UNCACHED, pa(OTHER), 4096);
	put(pa(OTHER), 7);
	check(gpu_reads(&ppgtt, va(OTHER)) == 7 && found("read") == 3 && !found("uncached"),
	      "memory that is mapped uncached is not judged");
	put(pa(OTHER), 8);
	tell(COHERENCY_CACHED, pa(OTHER), 4096);
	check(gpu_reads(&ppgtt, va(OTHER)) == 8 && found("read") == 3, "what was written meanwhile needs no flush");
	put(pa(OTHER), 9);
	check(gpu_reads(&ppgtt, va(OTHER)) == 9 && found("read") == 4, "what is written then does");
	put(pa(OTHER) + 64, 10);
	tell(COHERENCY_UNCACHED, pa(OTHER), 4096);
	check(found("uncached") == 1 && at(pa(OTHER) + 64) == 10, "and has to be flushed before it is mapped so again");
	stop();
}

static void test_pat(void)
{
	start("coherency=check", "platform=bxt");
	wr(PRIVATE_PAT_LO, 0);
	put(pa(PLAIN), 1);
	put(pa(SNOOPED), 2);
	check(gpu_reads(&ggtt, va(PLAIN)) == 1 && found("read") == 1, "entry 0 of the PAT says if the GGTT snoops");
	check(gpu_reads(&ppgtt, va(SNOOPED)) == 2 && found("read") == 1, "and not whether entry 4 does");
	wr(PRIVATE_PAT_HI, 0);
	tlb_invalidate(tlb, true, true);
	check(gpu_reads(&ppgtt, va(SNOOPED)) == 2 && found("read") == 2, "which it says itself");
	stop();
}

static void test_maps(void)
{
	start("coherency=check", "platform=bxt");
	tell(COHERENCY_UNMAP, pa(OTHER), 4096);
	put(pa(OTHER), 1);
	check(gpu_reads(&ppgtt, va(OTHER)) == 1 && !all_found() &&
	      counter_value("coherency_events", "untracked_reads") == 1, "memory that is not mapped is not judged");
	tell(COHERENCY_MAP_CLIENT, pa(OTHER), 4096);
	check(gpu_reads(&ppgtt, va(OTHER)) == 1 && counter_value("coherency.client", "read") == 1,
	      "memory that was mapped and never flushed is a client's finding");
	tell(COHERENCY_MAP_CLIENT, pa(OTHER), 4096);
	check(vm_write32(&view, &ppgtt, va(OTHER), 2), "the GPU writes");
	tell(COHERENCY_UNMAP, pa(OTHER), 4096);
	check(!counter_value("coherency.client", "unmap"), "of two mappings one may end");
	tell(COHERENCY_UNMAP, pa(OTHER), 4096);
	check(counter_value("coherency.client", "unmap") == 1, "the last one not, with newer lines");
	put(pa(OTHER), 3);
	tell(COHERENCY_FLUSH, pa(OTHER), 4096);
	tell(COHERENCY_MAP, pa(OTHER), 4096);
	check(gpu_reads(&ppgtt, va(OTHER)) == 3 && !found("read"), "memory may be flushed before it is mapped");
	tell(COHERENCY_FLUSH, RAM_SIZE - 4096, 3 * 4096);
	tell(COHERENCY_FLUSH, 0, COHERENCY_MOST_BYTES + 1);
	tell(COHERENCY_FLUSH, ~0ull, 2);
	tell(99, pa(OTHER), 4);
	check(counter_value("coherency_events", "bad") == 3, "events that make no sense are counted");
	pci_cfg_write(gpu, COHERENCY_CFG_EVENTS, 4, COHERENCY_EVENTS + 1);
	pci_cfg_write(gpu, COHERENCY_CFG_PAGE, 4, 0xffffff);
	pci_cfg_write(gpu, COHERENCY_CFG_EVENTS, 4, 1);
	check(counter_value("coherency_events", "bad") == 4, "and so is a number of them that fits in no page");
	stop();
}

static void test_walks(void)
{
	const uint32_t pte = PA_TABLES + 3 * 4096 + 16 * 8;

	start("coherency=check", "platform=bxt");
	check(gpu_reads(&ppgtt, va(PLAIN)) == 0 && !all_found(), "a walk through tables that were flushed");
	put64(pte, pa(PLAIN) | GEN8_PAGE_PRESENT);
	check(gpu_reads(&ppgtt, va(17)) == ~0u && !found("walk"), "its neighbour's entry may be new");
	check(gpu_reads(&ppgtt, va(16)) == 0 && found("walk") == 1, "its own not");
	put64(PA_TABLES, PA_TABLES + 4096 + (uint64_t)GEN8_PAGE_PRESENT);
	tlb_invalidate(tlb, true, true);
	check(gpu_reads(&ppgtt, va(16)) == 0 && found("walk") == 2, "nor that of a table above");
	stop();

	start("coherency=stale", "platform=bxt");
	put64(pte, pa(PLAIN) | GEN8_PAGE_PRESENT);
	check(gpu_reads(&ppgtt, va(16)) == ~0u && found("walk") == 1, "stale: the walk finds the entry of before");
	tell(COHERENCY_FLUSH, pte, 8);
	check(gpu_reads(&ppgtt, va(16)) == 0 && found("walk") == 1, "until it is flushed");
	stop();
}

static void test_writes(void)
{
	start("coherency=check", "platform=bxt");
	check(vm_write32(&view, &ppgtt, va(PLAIN), 1) && at(pa(PLAIN)) == 1 && !all_found(), "a write to a clean line");
	check(gpu_reads(&ppgtt, va(PLAIN)) == 1 && !all_found(), "which the GPU reads");
	tell(COHERENCY_CPU_READS, pa(PLAIN) + 64, 64);
	check(!all_found(), "the CPU reads another line");
	tell(COHERENCY_CPU_READS, pa(PLAIN), 4096);
	check(found("cpu_read") == 1, "and this one without a flush");
	vm_write32(&view, &ppgtt, va(PLAIN), 2);
	tell(COHERENCY_FLUSH, pa(PLAIN), 64);
	tell(COHERENCY_CPU_READS, pa(PLAIN), 64);
	check(found("cpu_read") == 1, "with one that is fine");
	put(pa(PLAIN) + 8, 3);
	check(vm_write32(&view, &ppgtt, va(PLAIN), 4) && found("write") == 1,
	      "a write to a line that the CPU has written");
	put(pa(PLAIN) + 8, 5);
	tell(COHERENCY_FLUSH, pa(PLAIN), 64);
	check(found("cpu_write") == 1, "the CPU writes to a line that the GPU has written, and flushes it afterwards");
	vm_write32(&view, &ppgtt, va(OTHER), 1);
	vm_write32(&view, &ppgtt, va(OTHER) + 64, 1);
	tell(COHERENCY_OVERWRITES, pa(OTHER), 64 + 60);
	put(pa(OTHER), 2);
	tell(COHERENCY_FLUSH, pa(OTHER), 64);
	check(found("cpu_write") == 1, "or writes all of it");
	put(pa(OTHER) + 64, 2);
	tell(COHERENCY_FLUSH, pa(OTHER) + 64, 64);
	check(found("cpu_write") == 2, "but not all but the last dword");
	vm_write32(&view, &ppgtt, va(OTHER), 3);
	tell(COHERENCY_OVERWRITTEN, pa(OTHER), 64 + 60);
	put(pa(OTHER), 4);
	tell(COHERENCY_FLUSH, pa(OTHER), 64);
	check(found("cpu_write") == 3, "nor after that");
	put(pa(SNOOPED), 6);
	check(vm_write32(&view, &ppgtt, va(SNOOPED), 7) && vm_write32(&view, &ggtt, va(SNOOPED) + 64, 8) &&
	      all_found() == 5, "snooped writes need no flush");
	tell(COHERENCY_CPU_READS, pa(SNOOPED), 4096);
	check(all_found() == 5, "nor do the CPU's reads behind them");
	stop();
}

static void test_stale(void)
{
	uint32_t old = 2, to = 3;
	bool swapped = false;

	start("coherency=stale", "platform=bxt");
	put(pa(PLAIN), 1);
	check(gpu_reads(&ppgtt, va(PLAIN)) == 0 && found("read") == 1, "stale: the GPU reads what memory holds");
	tell(COHERENCY_FLUSH, pa(PLAIN), 4);
	check(gpu_reads(&ppgtt, va(PLAIN)) == 1, "after a flush what the CPU wrote");
	check(vm_write32(&view, &ppgtt, va(PLAIN), 2) && at(pa(PLAIN)) == 1 && gpu_reads(&ppgtt, va(PLAIN)) == 2 &&
	      gpu_reads(&ggtt, va(PLAIN)) == 1, "the CPU has its line, the GPU what it wrote");
	check(vm_compare_exchange(&view, &ppgtt, va(PLAIN), 4, &old, &to, &swapped) && swapped &&
	      gpu_reads(&ppgtt, va(PLAIN)) == 3 && at(pa(PLAIN)) == 1, "and what it exchanged");
	tell(COHERENCY_FLUSH, pa(PLAIN), 4);
	check(at(pa(PLAIN)) == 3 && found("read") == 1, "a flush shows it to the CPU");
	vm_write32(&view, &ppgtt, va(PLAIN), 4);
	put(pa(PLAIN) + 4, 5);
	tell(COHERENCY_FLUSH, pa(PLAIN), 4);
	check(at(pa(PLAIN)) == 3 && gpu_reads(&ppgtt, va(PLAIN)) == 3 && found("cpu_write") == 1,
	      "a line that the CPU wrote meanwhile overwrites it");
	vm_write32(&view, &ppgtt, va(PLAIN), 6);
	tell(COHERENCY_UNCACHED, pa(PLAIN), 4096);
	check(at(pa(PLAIN)) == 6, "an uncached mapping shows memory");
	put(pa(SNOOPED), 9);
	tell(COHERENCY_UNCACHED, pa(SNOOPED), 4096);
	check(!at(pa(SNOOPED)) && found("uncached") == 1, "and not what the CPU has in its caches");
	vm_write32(&view, &ppgtt, va(OTHER), 7);
	check(aperture_read(gpu, va(OTHER), 4) == 7, "and so does the aperture");
	aperture_write(gpu, va(OTHER), 4, 8);
	check(gpu_reads(&ppgtt, va(OTHER)) == 8 && at(pa(OTHER)) == 0, "which writes memory, too");
	tell(COHERENCY_UNMAP, pa(OTHER), 4096);
	check(at(pa(OTHER)) == 8, "nothing is lost when a mapping ends");
	tell(COHERENCY_MAP, pa(OTHER), 4096);
	check(gpu_reads(&ppgtt, va(OTHER)) != 8 && found("read") == 2, "memory that was never flushed holds anything");
	stop();
}

/* Fills a rectangle of four bytes a pixel on the page PLAIN. */
static void fill(struct blt_ctx *ctx, enum tiling tiling, int32_t x, int32_t y, int32_t width, int32_t height,
		 uint32_t color)
{
	struct blt_op op = {
		.ctx = ctx, .cpp = 4, .rop = BLT_ROP_PATCOPY, .channels = ~0u,
		.x1 = x, .y1 = y, .x2 = x + width, .y2 = y + height,
		.cx1 = x, .cy1 = y, .cx2 = x + width, .cy2 = y + height,
		.dst = { .base = va(PLAIN), .pitch = 128, .tiling = tiling, .write = true },
		.pattern = PAT_SOLID, .pat_bg = color,
	};

	view_enter(&ctx->view);
	if (blt_raster(&op))
		exit(2);
	view_leave(&ctx->view);
}

static uint32_t pixel(struct blt_ctx *ctx, enum tiling tiling, int64_t x, int64_t y)
{
	struct blt_surface s = { .base = va(PLAIN), .pitch = 128, .tiling = tiling };
	uint32_t v = 0;

	view_enter(&ctx->view);
	blt_surface_read(ctx, &s, x * 4, y, &v, sizeof(v));
	view_leave(&ctx->view);
	return v;
}

static void test_blitter(const char *mode)
{
	static struct blt_ctx ctx;
	bool stale = !strcmp(mode, "coherency=stale");

	start(mode, "platform=bxt");
	ctx = (struct blt_ctx){ .gpu = gpu, .vm = ppgtt };
	view_init(&ctx.view, tlb, MEM_BLT);
	fill(&ctx, TILING_LINEAR, 0, 0, 16, 1, 1);
	check(!all_found() && at(pa(PLAIN)) == !stale && pixel(&ctx, TILING_LINEAR, 15, 0) == 1,
	      "%s: a blit of a line, which the CPU has clean", mode);
	tell(COHERENCY_CPU_READS, pa(PLAIN), 4096);
	check(found("cpu_read") == 1, "%s: one line is newer", mode);
	tell(COHERENCY_FLUSH, pa(PLAIN), 4096);
	check(at(pa(PLAIN)) == 1 && at(pa(PLAIN) + 60) == 1 && !at(pa(PLAIN) + 64), "%s: its content", mode);
	put(pa(PLAIN) + 64, 2);
	check(pixel(&ctx, TILING_LINEAR, 0, 0) == 1 && !found("read"), "%s: a line beside a dirty one",
	      mode);
	check(pixel(&ctx, TILING_LINEAR, 16, 0) == (stale ? 0 : 2) && found("read") == 1, "%s: and that one", mode);
	tell(COHERENCY_FLUSH, pa(PLAIN), 4096);
	/* Four rows of a column of a Y tile are a line. Pixel 4 begins the second column; its row 4 is at 512 + 64. */
	fill(&ctx, TILING_Y, 4, 4, 4, 4, 3);
	check(all_found() == 2 && pixel(&ctx, TILING_Y, 7, 7) == 3 && pixel(&ctx, TILING_Y, 0, 4) == 2,
	      "%s: a blit to a column of a tile", mode);
	tell(COHERENCY_CPU_READS, pa(PLAIN), 4096);
	check(found("cpu_read") == 2, "%s: of a line again", mode);
	tell(COHERENCY_FLUSH, pa(PLAIN), 4096);
	check(at(pa(PLAIN) + 512 + 64) == 3 && at(pa(PLAIN) + 512 + 124) == 3 && !at(pa(PLAIN) + 512 + 128),
	      "%s: where it should be", mode);
	put(pa(PLAIN) + 512 + 64 + 4, 4);
	check(pixel(&ctx, TILING_Y, 4, 4) == 3 && found("read") == 1 &&
	      pixel(&ctx, TILING_Y, 5, 4) == (stale ? 3 : 4) && found("read") == 2,
	      "%s: a tile is read by its columns", mode);
	view_fini(&ctx.view);
	stop();
}

static void test_off(void)
{
	start("coherency=check", "platform=kbl");
	put(pa(PLAIN), 1);
	check(!gpu->coherency && gpu_reads(&ppgtt, va(PLAIN)) == 1 && !all_found() &&
	      pci_cfg_read(gpu, COHERENCY_CFG_PAGE, 4) == 0, "with a shared cache there is nothing to find");
	stop();
	start("coherency=off", "platform=bxt");
	check(!gpu->coherency && pci_cfg_read(gpu, COHERENCY_CFG_PAGE, 4) == 0, "nor with the setting off");
	stop();
}

/* What the plugin would make of a store through the caches. */
static void cpu_stores(uint32_t address, uint32_t v)
{
	struct coherency_lines *lines = &gpu->instructions->page[address / 4096];

	put(address, v);
	atomic_fetch_or(&lines->dirty[address % 4096 / 64], 0xfull << address % 64);
}

static void plugin_finds(uint32_t kind, uint64_t address)
{
	struct coherency_state *state = gpu->instructions;
	uint32_t head = atomic_load(&state->head);

	state->found[head % COHERENCY_FOUND] = (struct coherency_found){ .kind = kind, .address = address, .bytes = 4 };
	atomic_store(&state->head, head + 1);
}

static void test_plugin(void)
{
	const uint32_t plain = PA_PAGES / 4096;
	struct coherency_state *state;

	with_plugin = true;
	start("coherency=check", "platform=bxt");
	state = gpu->instructions;
	check(pci_cfg_read(gpu, COHERENCY_CFG_PAGE, 4) == COHERENCY_MAGIC_PLUGIN,
	      "the guest sees that there is a plugin");
	atomic_store(&state->watching, 1);
	check(pci_cfg_read(gpu, COHERENCY_CFG_PAGE, 4) == COHERENCY_MAGIC_WATCHING, "and that it watches");
	tell(COHERENCY_PAT, 0x0407050600070106, 0);
	tell(COHERENCY_NO_FENCE, 0xffffffffc0001234, 0);
	check(atomic_load(&state->pat) == 0x0407050600070106 &&
	      atomic_load(&state->ignored_fence) == 0xffffffffc0001234,
	      "what the guest tells for the plugin comes there");
	atomic_store(&state->fence_ip[0], 0xffffffffc0005678);
	tell(COHERENCY_FENCES, 0, 0);
	check(at(PA_EVENTS) == 0xc0005678 && at(PA_EVENTS + 4) == 0xffffffff && !at(PA_EVENTS + 8),
	      "and the guest gets the places of fences");
	check(atomic_load(&state->tracked[plain]) == COHERENCY_TRACKED && atomic_load(&state->changes) == 7,
	      "the plugin keeps the lines of mapped pages");

	put(pa(PLAIN), 1);
	check(gpu_reads(&ppgtt, va(PLAIN)) == 1 && !all_found(), "what no instruction has stored needs no flush");
	cpu_stores(pa(PLAIN) + 4, 2);
	check(gpu_reads(&ppgtt, va(PLAIN)) == 1 && !all_found(), "what one has stored is not read");
	check(gpu_reads(&ppgtt, va(PLAIN) + 4) == 2 && found("read") == 1, "now it is, without a flush");
	check(gpu_reads(&ppgtt, va(PLAIN) + 4) == 2 && found("read") == 1, "which is found once");
	cpu_stores(pa(PLAIN) + 64, at(pa(PLAIN) + 64));
	check(vm_write32(&view, &ppgtt, va(PLAIN) + 72, 3) && found("write") == 1,
	      "a store that changes nothing makes a line dirty, too");
	check(atomic_load(&state->page[plain].newer) == 2 && atomic_load(&state->tracked[plain]) & COHERENCY_NEWER,
	      "the plugin sees which lines the GPU has written");
	cpu_stores(PA_TABLES + 3 * 4096 + 8 * OTHER, at(PA_TABLES + 3 * 4096 + 8 * OTHER));
	check(gpu_reads(&ppgtt, va(OTHER)) == 0 && found("walk") == 1, "walks are judged the same");
	tell(COHERENCY_UNCACHED, pa(PLAIN), 4096);
	cpu_stores(pa(PLAIN) + 128, 4);
	check(gpu_reads(&ppgtt, va(PLAIN) + 128) == 4 && found("read") == 1, "the module may still leave a page out");

	plugin_finds(COHERENCY_FOUND_CPU_READ, pa(OTHER));
	plugin_finds(COHERENCY_FOUND_CPU_WRITE, pa(OTHER));
	plugin_finds(COHERENCY_FOUND_UNCACHED, pa(OTHER));
	plugin_finds(COHERENCY_FOUND_UNCACHED, 0xff000);
	check(pci_cfg_read(gpu, COHERENCY_CFG_EVENTS, 4) == 6 && found("cpu_read") == 1 && found("cpu_write") == 1 &&
	      found("uncached") == 1, "what the plugin finds is counted, in pages that are mapped");
	tell(COHERENCY_UNMAP, pa(OTHER), 4096);
	check(!atomic_load(&state->tracked[plain + OTHER]), "a page that is given back is tracked no more");
	stop();
}

static void submit(void)
{
	for (unsigned int i = 0; i < 4; i++)
		wr(RING_ELSP(RCS0_BASE), 0);
}

static void test_fences(const char *platform)
{
	with_plugin = true;
	start("coherency=check", platform);
	if (engines_start(gpu))
		exit(2);
	wr(RING_MODE(RCS0_BASE), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	submit();
	check(!found("unfenced"), "writes in order before the ELSP");
	atomic_store(&gpu->instructions->unfenced, COHERENCY_UNFENCED_WC);
	submit();
	check(found("unfenced") == 1 && !atomic_load(&gpu->instructions->unfenced), "a write that is not is found");
	submit();
	check(found("unfenced") == 1, "once");
	cpu_stores(pa(PLAIN), 1);
	check(gpu_reads(&ppgtt, va(PLAIN)) == 1 && found("read") == gpu->platform->no_llc,
	      "without a flush only a last level cache makes a read good");
	engines_stop(gpu);
	stop();
	with_plugin = false;
}

int main(void)
{
	test_reads();
	test_pat();
	test_maps();
	test_walks();
	test_writes();
	test_stale();
	test_blitter("coherency=check");
	test_blitter("coherency=stale");
	test_off();
	test_plugin();
	test_fences("platform=bxt");
	test_fences("platform=kbl");
	return test_end();
}
