// SPDX-License-Identifier: MIT
/**
 * DOC: A hostile kernel
 *
 * The device of the engine bench with all its engines, contexts and address spaces, and with memory that ends inside
 * pages, may not be written, or is missing; AddressSanitizer sees an access to what lies around it. The input is what
 * the CPU does: it writes commands, registers, page tables and images, submits, resets, moves memory about. At the end
 * the engines are stopped wherever they are.
 */
#include "../engine_bench.h"
#include "fuzz.h"

#define CONTEXTS	4
#define MAX_ACTIONS	64
#define STOP_LIMIT_S	5.0
#define WAIT_MS		3

#define PA_EDGE_PT	0x4000u
#define PA_EDGE_PT64	0x5000u

static const uint32_t engine_base[] = { RCS0_BASE, BCS0_BASE, VCS0_BASE, VECS0_BASE };
static const int engine_class[] = { ENGINE_RENDER, ENGINE_COPY, ENGINE_VIDEO, ENGINE_VIDEO_ENHANCE };

struct guest {
	struct ctx ctx[CONTEXTS];
	int short_fd, read_fd;
	uint8_t *short_mem;			/* where the model has it */
	const uint8_t *read_mem;
};

static void map_edges(struct guest *g, bool first)
{
	const struct gmem_region regions[] = {
		{ .gpa = EDGE_SHORT, .size = EDGE_SHORT_SIZE, .offset = 0x1000, .fd = dup(g->short_fd) },
		{ .gpa = EDGE_AFTER, .size = EDGE_AFTER_SIZE, .offset = 0x4000, .fd = dup(g->short_fd) },
		{ .gpa = EDGE_READ, .size = EDGE_READ_SIZE, .fd = dup(g->read_fd), .read_only = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(regions); i++)
		if (gmem_map(gpu, &regions[i]) && first)
			exit(2);
}

/* Where pages of the edges lie: what an entry of a table says. */
static uint64_t edge_page(unsigned int i)
{
	static const uint64_t pages[EDGE_PAGES] = {
		EDGE_SHORT, EDGE_SHORT + 0x1000, EDGE_SHORT + 0x2000, EDGE_SHORT + 0x3000, EDGE_READ,
		EDGE_READ + 0x1000, EDGE_AFTER, EDGE_AFTER + 0x1000, 0x7ffffff000, 0, RAM_SIZE - 0x1000, EDGE_SHORT,
	};

	return pages[i];
}

static void make_tables(void)
{
	uint64_t *pd = (uint64_t *)(ram + PA_PD), *pt = (uint64_t *)(ram + PA_EDGE_PT);
	uint64_t *pt64 = (uint64_t *)(ram + PA_EDGE_PT64);
	const uint64_t rw = GEN8_PAGE_PRESENT | GEN8_PAGE_RW;

	for (unsigned int i = 0; i < EDGE_PAGES; i++) {
		gtt_pte_write(gpu, (uint32_t)(EDGE_GGTT / 4096 + i) * 8, 8, edge_page(i) | (i == 9 ? 0 : rw));
		pt[i] = edge_page(i) | (i == 9 ? 0 : i == 11 ? GEN8_PAGE_PRESENT : rw);
		pt64[i * 16] = (edge_page(i) & ~0xffffull) | rw;
	}
	pd[(EDGE_VA - VA) >> 21] = PA_EDGE_PT | rw;
	pd[(EDGE_VA_64K - VA) >> 21] = PA_EDGE_PT64 | GEN8_PDE_IPS_64K | rw;
	pd[(EDGE_VA_TABLE - VA) >> 21] = (EDGE_SHORT + 0x2000) | rw;
	pd[(EDGE_VA_2M - VA) >> 21] = EDGE_SHORT | GEN8_PDE_PS_2M | rw;
}

static void poison(struct guest *g, bool on)
{
	void (*what)(const void *p, size_t size) = on ? fuzz_poison : fuzz_unpoison;

	what(g->short_mem - 0x1000, 0x1000);
	what(g->short_mem + EDGE_SHORT_SIZE, 0x3000 - EDGE_SHORT_SIZE);
	what(g->read_mem + EDGE_READ_SIZE, 0x2000 - EDGE_READ_SIZE);
}

static void start(struct guest *g, struct input *in)
{
	static const char *const settings[] = {
		"strict=off", "validate=off", "ggms_mb=8", "d3_forgets=on", "platform=kbl-gt3", "fault_hang=2",
		"fault_spin=2", "fault_semaphore=1", "fault_no_preempt=1", "fault_page_fault=2", "fault_lost_irq=2+3",
		"fault_lost_csb=2+3", "fault_late_csb=1+2", "fault_forcewake=1+2", "fault_reset=1", "fault_off_bus=3",
		"group_ns=0", "command_delay_ns=100",
	};
	const char *set[4] = { 0 };

	for (unsigned int i = 0; i < 3 && one_in(in, 2); i++)
		set[i] = settings[below(in, ARRAY_SIZE(settings))];
	bench_start(set);
	wr(GAMW_ECO_DEV_RW_IA, GAMW_ECO_ENABLE_64K_IPS_MASK);
	g->short_fd = test_memory(0x5000);
	g->read_fd = test_memory(0x2000);
	map_edges(g, true);
	g->short_mem = gmem_ptr(gpu, EDGE_SHORT, 1, true);
	g->read_mem = gmem_ptr(gpu, EDGE_READ, 1, false);
	if (!g->short_mem || !g->read_mem)
		exit(2);
	make_tables();
	poison(g, true);
	for (unsigned int i = 0; i < CONTEXTS; i++)
		ctx_init(&g->ctx[i], i, engine_base[i], one_in(in, 2) ? CTL_FRESH : CTL_NORMAL);
}

static void emit(struct guest *g, struct input *in)
{
	unsigned int i = below(in, CONTEXTS), where = below(in, 4), n;
	struct ctx *c = &g->ctx[i];
	uint32_t dw[COMMAND_MAX];

	for (unsigned int k = 1 + below(in, 8); k; k--) {
		n = fuzz_command(in, engine_class[i], dw);
		if (where == 0)
			ring_emit(c, dw, n);
		else if (c->batch_dw + n < 0x8000 / 4 - 1)
			batch_emit(c, dw, n);
	}
	if (where == 0)
		return;
	if (one_in(in, 4))
		return;
	batch(c, MI_BATCH_BUFFER_END);
	ring_batch(c, CTX_BATCH, where != 1);
}

static void submit_lists(struct guest *g, struct input *in)
{
	unsigned int i = below(in, CONTEXTS);
	uint64_t first = g->ctx[i].desc, second = 0;

	ctx_tail(&g->ctx[i]);
	if (one_in(in, 4))
		second = g->ctx[below(in, CONTEXTS)].desc;
	if (one_in(in, 16))
		first ^= take32(in);
	elsp(engine_base[one_in(in, 8) ? below(in, 4) : i], first, second);
}

/* The image of a context: its commands, their lengths and what they load. */
static void scribble(struct guest *g, struct input *in)
{
	struct ctx *c = &g->ctx[below(in, CONTEXTS)];
	static const uint16_t places[] = {
		CTX_LRI_HEADER_0, CTX_LRI_HEADER_1, CTX_CONTEXT_CONTROL, CTX_RING_HEAD, CTX_RING_TAIL, CTX_RING_START,
		CTX_RING_CTL, CTX_BB_HEAD_L, CTX_BB_STATE, CTX_INDIRECT_CTX, CTX_INDIRECT_CTX_OFFSET,
		CTX_BB_PER_CTX_PTR,
		CTX_PDP0_LDW, 0x60, 0x70, 0xb0,
	};
	unsigned int dw = one_in(in, 4) ? take16(in) % 0x640 : places[below(in, ARRAY_SIZE(places))];

	switch (below(in, 4)) {
	case 0:
		put(image_pa(c, dw), take_value(in));
		break;
	case 1:
		put(image_pa(c, dw), MI_LOAD_REGISTER_IMM(1 + below(in, 127)));
		break;
	case 2:
		put(image_pa(c, dw), fuzz_register(in));
		break;
	default:
		put(image_pa(c, dw), get(image_pa(c, dw)) ^ 1u << below(in, 32));
		break;
	}
}

static void tables(struct input *in)
{
	static const uint32_t pages[] = { PA_PML4, PA_PDPT, PA_PD, PA_EDGE_PT, PA_EDGE_PT64 };
	uint64_t v = one_in(in, 2) ? edge_page(below(in, EDGE_PAGES)) : take32(in) & (RAM_SIZE - 1);

	v |= take16(in) & 0xfff;
	if (one_in(in, 8))
		v |= (uint64_t)take16(in) << 32;
	if (one_in(in, 2))
		pci_bar_write(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET + (take32(in) & 0x7fffff), 1 + below(in, 8), v);
	else
		__atomic_store_n((uint64_t *)(ram + pages[below(in, ARRAY_SIZE(pages))] + below(in, 128) * 8), v,
				 __ATOMIC_RELEASE);
}

static void registers(struct input *in)
{
	uint32_t offset = fuzz_register(in) + (one_in(in, 16) ? below(in, 4) : 0);
	unsigned int size = one_in(in, 4) ? 1 + below(in, 8) : 4;
	uint32_t v = take_value(in);

	if (one_in(in, 2))
		v = (v & 0xffff) * 0x10001;
	if (one_in(in, 4))
		pci_bar_read(gpu, PCI_BAR0, offset, size);
	else
		pci_bar_write(gpu, PCI_BAR0, offset, size, v);
}

static void bars(struct input *in)
{
	switch (below(in, 8)) {
	case 6:
		pci_bar_read(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET + (take32(in) & 0x7fffff), 1 + below(in, 8));
		break;
	case 0:
		pci_bar_read(gpu, PCI_BAR2, fuzz_address(in) & 0xfffffff, 1 + below(in, 8));
		break;
	case 1:
		pci_bar_write(gpu, PCI_BAR2, fuzz_address(in) & 0xfffffff, 1 + below(in, 8), take64(in));
		break;
	case 2:
		pci_bar_write(gpu, PCI_BAR4, below(in, 66), 4, fuzz_register(in));
		break;
	case 3:
		pci_bar_read(gpu, PCI_BAR4, below(in, 66), 4);
		break;
	case 4:
		pci_cfg_read(gpu, take16(in) % 260, 1 + below(in, 4));
		break;
	default:
		pci_cfg_write(gpu, one_in(in, 2) ? 0xd4 : take16(in) % 260, 1 + below(in, 4), take_value(in));
		break;
	}
}

static void move_memory(struct guest *g, struct input *in)
{
	if (one_in(in, 2))
		gmem_unmap(gpu, (uint64_t)EDGE_SHORT + below(in, 3) * 0x10000ull, 0x10000, false);
	else
		map_edges(g, false);
}

/* A ring without execlists. */
static void ring_mode(struct guest *g, struct input *in)
{
	unsigned int i = below(in, CONTEXTS);
	struct ctx *c = &g->ctx[i];
	uint32_t base = engine_base[i];

	pci_bar_write(gpu, PCI_BAR0, RING_MODE(base), 4, IGEN_MASKED_DISABLE(GFX_MODE_EXECLIST_ENABLE));
	pci_bar_write(gpu, PCI_BAR0, RING_START(base), 4, c->pa + CTX_RING);
	pci_bar_write(gpu, PCI_BAR0, RING_CTL(base), 4, below(in, 4) << 12 | RING_CTL_VALID);
	pci_bar_write(gpu, PCI_BAR0, RING_TAIL(base), 4, one_in(in, 4) ? take_value(in) : c->tail);
}

static bool all_idle(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(engine_base); i++)
		if (!idle(engine_base[i]))
			return false;
	return true;
}

static void wait_a_little(void)
{
	for (unsigned int i = 0; i < WAIT_MS * 10 && !all_idle(); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

static void act(struct guest *g, struct input *in)
{
	switch (below(in, 16)) {
	case 0 ... 4:
		emit(g, in);
		break;
	case 5 ... 7:
		submit_lists(g, in);
		break;
	case 8:
		scribble(g, in);
		break;
	case 9:
		tables(in);
		break;
	case 10:
		registers(in);
		break;
	case 11:
		bars(in);
		break;
	case 12:
		move_memory(g, in);
		break;
	case 13:
		ring_mode(g, in);
		break;
	case 14:
		wait_a_little();
		break;
	default:
		if (one_in(in, 4))
			pci_reset(gpu);
		else
			pci_bar_write(gpu, PCI_BAR0, GDRST, 4, take8(in));
		break;
	}
}

void fuzz_engines(struct input *in)
{
	struct guest g = { 0 };
	double stop;

	start(&g, in);
	for (unsigned int i = 0; i < MAX_ACTIONS && in->left; i++)
		act(&g, in);
	/* Submits the contexts with all commands that are in their rings by now. */
	for (unsigned int i = 0; i < CONTEXTS; i++)
		submit(engine_base[i], &g.ctx[i]);
	wait_a_little();
	stop = fuzz_cpu_seconds();
	engines_stop(gpu);
	if (fuzz_cpu_seconds() - stop > STOP_LIMIT_S)
		fuzz_fail("the engines do not stop when they are asked to");
	poison(&g, false);
	gpu_free(gpu);
	munmap(ram, RAM_SIZE);
	gpu = NULL;
	close(g.short_fd);
	close(g.read_fd);
}
