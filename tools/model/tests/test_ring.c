// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of rings without execlists: Ivy Bridge and Sandy Bridge
 *
 * The order in which a ring is set up, status pages, page directories, contexts by MI_SET_CONTEXT, mailboxes,
 * interrupts, resets, and of Sandy Bridge the sleep of its video engine and stores through the GGTT. What is expected
 * is what stock i915 relies on, and the manuals where they have it.
 */
#include "ring_bench.h"
#include "igen/regs/workarounds.h"

#define DATA		PA_DATA
#define IMAGE(n)	(PA_IMAGES + (n) * 0x4000)
#define STORE(pa, v)	MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, 0, (pa), (v)
/* A pixel of the blitter's, which is written in the PPGTT on all parts. */
#define FILL_USER(pa, v) 0x54000004 | 3u << 20, 3u << 24 | 0xf0 << 16 | 64, 0, 1 << 16 | 1, VA + (pa), (v)
#define SAVE_REG(reg, pa) GEN7_MI_STORE_REGISTER_MEM | MI_MEM_GGTT, (reg), (pa)
#define LOAD_REG(reg, v) MI_LOAD_REGISTER_IMM(1), (reg), (v)
#define BATCH(addr)	GEN7_MI_BATCH_BUFFER_START, (addr)
#define BATCH_USER(addr) GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, (addr)
#define SET_CONTEXT(n, flags) MI_SET_CONTEXT, IMAGE(n) | MI_SET_CONTEXT_GGTT | (flags)

static const char *const parts[] = { "platform=ivb", "platform=snb" };

static uint64_t found(const char *what)
{
	return counter_value("findings.driver", what);
}

/* As if the latency were over. */
static void later(void)
{
	pthread_mutex_lock(&gpu->lock);
	for (unsigned int i = 0; i < EVENTS; i++)
		gpu->events.event[i].due_ns = 0;
	pthread_mutex_unlock(&gpu->lock);
}

static bool started;			/* a test's own device replaces the one of the part */

static void begin(const char *part, const char *more)
{
	const char *const set[] = { part, more, NULL };

	if (started)
		bench_stop();
	counters_reset();
	bench_start(set);
	started = true;
}

static void setup_order(uint32_t base)
{
	ring_setup(base);
	ring(base, STORE(DATA, 1));
	check(ring_run(base) && get(DATA) == 1, "a ring that is set up runs");
	check(rd(RING_CTL(base)) & RING_CTL_VALID, "the ring's valid bit stays");
	wr(RING_HEAD(base), rd(RING_TAIL(base)));
	wr(RING_CTL(base), 0);
	wr(RING_HEAD(base), 0);
	wr(RING_TAIL(base), 0);
	check(!(rd(RING_HEAD(base)) & RING_HEAD_MASK), "the head of a disabled ring reads 0 after 0 was written");
	wr(RING_HEAD(base), 64);
	wr(RING_START(base), ring_pa(base));
	check(!rd(RING_HEAD(base)), "a write of RING_START resets the head");
	wr(RING_MI_MODE(base), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	check(wait_for(rd(RING_MI_MODE(base)) & MI_MODE_IDLE), "a ring that is stopped is idle");
	tails[ring_number(base)] = 0;
	wr(RING_CTL(base), (RING_PAGES - 1) << 12 | RING_CTL_VALID);
	ring(base, STORE(DATA, 2));
	ring_tail(base);
	check(get(DATA) == 1, "nothing is executed while STOP_RING is set");
	wr(RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	check(wait_for(idle(base)) && get(DATA) == 2, "and all of it afterwards");
}

static void stopped_in_a_batch(uint32_t base)
{
	uint32_t end = commands(PA_BATCH, MI_ARB_CHECK);

	commands(end, BATCH(PA_BATCH));
	ring_setup(base);
	ring(base, BATCH(PA_BATCH));
	ring_tail(base);
	check(wait_for(counter_value("batches", base == RCS0_BASE ? "rcs0" : "bcs0")), "an endless batch runs");
	wr(RING_MI_MODE(base), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	check(wait_for(rd(RING_MI_MODE(base)) & MI_MODE_IDLE), "it can be stopped");
	wr(RING_CTL(base), 0);
	wr(RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	ring_setup(base);
	ring(base, STORE(DATA, 3));
	check(ring_run(base) && get(DATA) == 3, "and a new ring does not go on with it");
}

static void status_page(uint32_t base)
{
	uint32_t page = hwsp(base);

	ring(base, MI_STORE_DATA_INDEX, 0x40 << 2, 0x1234);
	if (base == RCS0_BASE) {
		ring(base, GEN7_PIPE_CONTROL, PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX |
		     PIPE_CONTROL_CS_STALL | PIPE_CONTROL_GGTT, 0x200 | GEN6_PIPE_CONTROL_ADDRESS_GGTT, 0x5678);
	} else {
		ring(base, GEN7_MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_STORE_INDEX,
		     0x200 | GEN6_PIPE_CONTROL_ADDRESS_GGTT, 0x5678);
	}
	check(ring_run(base), "stores by index end");
	check(get(page + 0x100) == 0x1234 && get(page + 0x200) == 0x5678,
	      "they are in the status page of the ring's own register");
}

static void directories(uint32_t base)
{
	ring(base, BATCH_USER(VA + PA_BATCH));
	commands(PA_BATCH, FILL_USER(DATA, 7), MI_BATCH_BUFFER_END);
	check(ring_run(base) && get(DATA) == 7, "a batch runs in the address space of the directory");

	/* Other tables, in which the data's page is another one. */
	for (uint32_t i = 0; i < RAM_SIZE / 4096; i++)
		put(0x8000 + i * 4, i << 12 | GEN6_PTE_VALID);
	put(0x8000 + (DATA >> 12) * 4, (DATA + 0x1000) | GEN6_PTE_VALID);
	put_directory(DIRECTORY2, 0x8000);
	put_directory(DIRECTORY, 0x8000);
	commands(PA_BATCH, FILL_USER(DATA, 8), MI_BATCH_BUFFER_END);
	wr(RING_INSTPM(base), IGEN_MASKED_ENABLE(INSTPM_TLB_INVALIDATE | INSTPM_SYNC_FLUSH));
	check(!(rd(RING_INSTPM(base)) & (INSTPM_SYNC_FLUSH | INSTPM_TLB_INVALIDATE)), "a sync flush ends, and says so");
	ring(base, BATCH_USER(VA + PA_BATCH));
	check(ring_run(base) && get(DATA) == 8, "entries of the directory that has been loaded do not change");

	ring(base, LOAD_REG(RING_PP_DIR_DCLV(base), PP_DIR_DCLV_ALL),
	     LOAD_REG(RING_PP_DIR_BASE(base), pp_dir(DIRECTORY2)));
	ring(base, BATCH_USER(VA + PA_BATCH));
	commands(PA_BATCH, FILL_USER(DATA, 9), MI_BATCH_BUFFER_END);
	check(ring_run(base) && get(DATA) == 9, "a directory that is loaded leaves the TLB's entries");
	wr(RING_INSTPM(base), IGEN_MASKED_ENABLE(INSTPM_TLB_INVALIDATE | INSTPM_SYNC_FLUSH));
	ring(base, BATCH_USER(VA + PA_BATCH));
	commands(PA_BATCH, FILL_USER(DATA, 10), MI_BATCH_BUFFER_END);
	check(ring_run(base) && get(DATA) == 9 && get(DATA + 0x1000) == 10, "after an invalidation it counts");

	wr(RING_PP_DIR_DCLV(base), 0x1);
	wr(RING_PP_DIR_BASE(base), pp_dir(DIRECTORY));
	wr(RING_INSTPM(base), IGEN_MASKED_ENABLE(INSTPM_TLB_INVALIDATE | INSTPM_SYNC_FLUSH));
	ring(base, BATCH_USER(VA + PA_BATCH));
	ring_tail(base);
	check(wait_for(rd(ENGINE_FAULT(ring_number(base))) & ENGINE_FAULT_VALID),
	      "lines of the directory that PP_DIR_DCLV leaves out are not there");
	check((rd(ENGINE_FAULT(ring_number(base))) & ENGINE_FAULT_ADDRESS_MASK) == VA + PA_BATCH &&
	      !(rd(ENGINE_FAULT(ring_number(base))) & ENGINE_FAULT_GGTT), "the fault has the address");
}

static void privileges(uint32_t base, bool stores)
{
	uint32_t end = commands(PA_BATCH, STORE(DATA, 11), LOAD_REG(RING_SYNC_0(base), 5));
	const char *what = stores ? "what a batch without privilege stores goes through the GGTT" :
				    "a batch without privilege does not reach the GGTT";

	commands(end, MI_USER_INTERRUPT, MI_BATCH_BUFFER_END);
	put(DATA, 0);
	wr(RING_SYNC_0(base), 0);
	ring(base, BATCH_USER(VA + PA_BATCH));
	check(ring_run(base) && get(DATA) == (stores ? 11 : 0), "%s", what);
	check(!rd(RING_SYNC_0(base)), "nor does it write registers");
	ring(base, BATCH(PA_BATCH));
	check(ring_run(base) && get(DATA) == 11 && rd(RING_SYNC_0(base)) == 5, "a batch in the GGTT does both");
}

/* Sandy Bridge: whatever the command says, and where the PPGTT has no page at all. */
static void stores_through_the_ggtt(void)
{
	const uint32_t flush = MI_FLUSH_DW_WRITE_QW;
	uint32_t end;

	for (uint32_t i = 0; i < 4; i++)
		put(DATA + 8 * i, 0);
	put(DATA + 32, 7);
	end = commands(PA_BATCH, MI_STORE_DATA_IMM_DW, 0, DATA, 1);
	end = commands(end, GEN7_MI_STORE_REGISTER_MEM, RING_START(RCS0_BASE), DATA + 8);
	end = commands(end, GEN7_PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW, DATA + 16, 3);
	/* Loads are the PPGTT's: 7 is not above 7, so the batch ends. */
	end = commands(end, 0x1b200001, 7, VA + DATA + 32);
	commands(end, MI_STORE_DATA_IMM_DW, 0, DATA, 9, MI_BATCH_BUFFER_END);
	ring(RCS0_BASE, BATCH_USER(VA + PA_BATCH));
	check(ring_run(RCS0_BASE) && get(DATA) == 1 && get(DATA + 8) == rd(RING_START(RCS0_BASE)) &&
	      get(DATA + 16) == 3, "the render engine's stores go through the GGTT, but not what it compares with");
	commands(PA_BATCH, GEN7_MI_FLUSH_DW | flush, DATA + 24, 4, MI_BATCH_BUFFER_END);
	ring(BCS0_BASE, BATCH_USER(VA + PA_BATCH));
	check(ring_run(BCS0_BASE) && get(DATA + 24) == 4, "so do post-sync writes of the others");
	check(!rd(ENGINE_FAULT(0)) && !rd(ENGINE_FAULT(2)), "there is no fault");
}

static void stores_where_they_say(void)
{
	begin("platform=snb", "stores_global=off");
	put(DATA, 0);
	commands(PA_BATCH, MI_STORE_DATA_IMM_DW, 0, VA + DATA, 5, MI_BATCH_BUFFER_END);
	enable_ppgtt(RCS0_BASE);
	ring_setup(RCS0_BASE);
	ring(RCS0_BASE, BATCH_USER(VA + PA_BATCH));
	check(ring_run(RCS0_BASE) && get(DATA) == 5, "by a setting they go where the command says");
}

static void contexts(void)
{
	const uint32_t base = RCS0_BASE, reg = IA_VERTICES_COUNT;

	ring_setup(base);
	ring(base, LOAD_REG(reg, 1), MI_ARB_ON_OFF, SET_CONTEXT(0, MI_SET_CONTEXT_RESTORE_INHIBIT), MI_NOOP);
	ring(base, LOAD_REG(reg, 2), SET_CONTEXT(1, MI_SET_CONTEXT_RESTORE_INHIBIT), MI_NOOP, SAVE_REG(reg, DATA));
	check(ring_run(base) && get(DATA) == 2, "a context that restores nothing has the registers as they were");
	check((rd(RING_CCID(base)) & IGEN_MASK(31, 12)) == IMAGE(1) && rd(RING_CCID(base)) & 1,
	      "CCID names the context");
	ring(base, LOAD_REG(reg, 3), SET_CONTEXT(0, 0), MI_NOOP, SAVE_REG(reg, DATA),
	     SET_CONTEXT(1, 0), MI_NOOP, SAVE_REG(reg, DATA + 4), LOAD_REG(reg, 4),
	     SET_CONTEXT(1, 0), MI_NOOP, SAVE_REG(reg, DATA + 8));
	check(ring_run(base) && get(DATA) == 2 && get(DATA + 4) == 3, "registers are saved and restored");
	check(get(DATA + 8) == 4, "the context that is loaded is not loaded again");
	ring(base, SET_CONTEXT(1, MI_SET_CONTEXT_FORCE_RESTORE), MI_NOOP, SAVE_REG(reg, DATA + 12));
	check(ring_run(base) && get(DATA + 12) == 4, "unless that is forced, which saves first");
	check(!found("context-not-saved: MI_SET_CONTEXT restores an image that no engine has saved"),
	      "nothing is found");
	ring(base, SET_CONTEXT(2, 0), MI_NOOP);
	check(ring_run(base) &&
	      found("context-not-saved: MI_SET_CONTEXT restores an image that no engine has saved") == 1,
	      "an image that was never saved is found");
	wr(GDRST, GDRST_RENDER);
	check(!rd(RING_CCID(base)) && !rd(RING_PP_DIR_BASE(base)) && !rd(RING_CTL(base)),
	      "a reset forgets context, directory and ring");
}

/* A register write after a flush makes the whole command one without an effect, where there is no privilege. */
static void register_write_of_a_flush(void)
{
	const uint32_t base = RCS0_BASE;
	const uint32_t flags = PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW;
	uint32_t at;

	put(DATA, 1);
	at = commands(PA_BATCH, GEN7_PIPE_CONTROL, flags | PIPE_CONTROL_LRI_POST_SYNC, VA + DATA, 2, 0);
	commands(at, MI_BATCH_BUFFER_END);
	enable_ppgtt(base);
	ring_setup(base);
	ring(base, BATCH_USER(VA + PA_BATCH));
	check(ring_run(base) && get(DATA) == 1, "PIPE_CONTROL with a register write is a NOOP in a user's batch");
	at = commands(PA_BATCH, GEN7_PIPE_CONTROL, flags, VA + DATA, 3, 0);
	commands(at, MI_BATCH_BUFFER_END);
	ring(base, BATCH_USER(VA + PA_BATCH));
	check(ring_run(base) && get(DATA) == 3, "without one it writes");
}

static void context_in_a_batch(void)
{
	const uint32_t base = RCS0_BASE;

	commands(PA_BATCH, SET_CONTEXT(1, 0), MI_NOOP, MI_BATCH_BUFFER_END);
	enable_ppgtt(base);
	ring_setup(base);
	ring(base, BATCH_USER(VA + PA_BATCH));
	check(ring_run(base) && !rd(RING_CCID(base)), "MI_SET_CONTEXT in a user's batch is a NOOP");
	ring(base, BATCH(PA_BATCH));
	ring_tail(base);
	check(wait_for(counter_value("engine_halts", "MI_SET_CONTEXT in a batch")),
	      "and stops the engine in another one");
	wr(GDRST, GDRST_RENDER);
}

static void mailboxes(void)
{
	ring_setup(RCS0_BASE);
	ring_setup(BCS0_BASE);
	put(DATA, 0);
	wr(RING_SYNC_0(BCS0_BASE), 0);
	ring(BCS0_BASE, MI_SEMAPHORE_MBOX | MI_SEMAPHORE_MBOX_COMPARE, 5, 0, MI_NOOP, STORE(DATA, 1));
	ring_tail(BCS0_BASE);
	check(wait_for(counter_value("semaphore_waits", "bcs0")) && !get(DATA), "an engine waits for its mailbox");
	ring(RCS0_BASE, MI_SEMAPHORE_MBOX | MI_SEMAPHORE_MBOX_UPDATE, 5, RING_SYNC_0(BCS0_BASE), MI_NOOP);
	check(ring_run(RCS0_BASE) && !get(DATA), "the value itself is not enough");
	ring(RCS0_BASE, MI_SEMAPHORE_MBOX | MI_SEMAPHORE_MBOX_UPDATE, 6, RING_SYNC_0(BCS0_BASE), MI_NOOP);
	check(ring_run(RCS0_BASE) && wait_for(idle(BCS0_BASE)) && get(DATA) == 1, "one beyond it is");
}

static unsigned int messages;

static void count_message(struct gpu *g)
{
	(void)g;
	messages++;
}

static void interrupts(void)
{
	static const struct { uint32_t base, user, flush; } engines[] = {
		{ RCS0_BASE, 1u << 0, 1u << 4 }, { VCS0_BASE, 1u << 12, 1u << 16 }, { BCS0_BASE, 1u << 22, 1u << 26 },
	};

	gpu->raise_msi = count_message;
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		uint32_t base = engines[i].base;

		ring_setup(base);
		wr(GTIIR, ~0u);
		wr(GTIER, engines[i].user);
		wr(DEIER, DE_MASTER_IRQ_CONTROL);
		messages = 0;
		if (base == RCS0_BASE)
			ring(base, MI_USER_INTERRUPT, GEN7_PIPE_CONTROL, PIPE_CONTROL_NOTIFY | PIPE_CONTROL_CS_STALL,
			     0, 0);
		else
			ring(base, MI_USER_INTERRUPT, GEN7_MI_FLUSH_DW | MI_FLUSH_DW_NOTIFY, 0, 0);
		check(ring_run(base) && rd(GTIIR) == (engines[i].user | engines[i].flush),
		      "an engine's bits are its own");
		check(messages == 1, "a message goes out");
		wr(DEIER, 0);
		ring(base, MI_USER_INTERRUPT);
		check(ring_run(base) && messages == 1, "none with the master off");
		wr(DEIER, DE_MASTER_IRQ_CONTROL);
		check(messages == 2, "it goes out when the master is on again");
		wr(GTIIR, ~0u);
		check(!rd(GTIIR), "IIR is cleared by ones");
		wr(RING_IMR(base), ~0u);
		ring(base, MI_USER_INTERRUPT);
		check(ring_run(base) && !rd(GTIIR), "RING_IMR masks");
		wr(RING_IMR(base), 0);
	}
	wr(DEIER, 0);
}

static void tails_are_checked(void)
{
	const char *line = "ring-tail-cacheline: a tail in front of the head in the same cache line";
	const uint32_t base = BCS0_BASE;

	ring_setup(base);
	for (unsigned int i = 0; i < 10; i++)
		ring(base, MI_NOOP, MI_NOOP);
	check(ring_run(base) && !found(line), "a ring that runs to its tail is right");
	wr(RING_MI_MODE(base), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	wr(RING_TAIL(base), 72);
	check(found(line) == 1, "a tail in front of the head, in its cache line, is found");
	wr(GDRST, GDRST_BLT);
}

static void one_part(const char *part)
{
	begin(part, "ring_checks=on");
	printf("# %s\n", part);
	setup_order(BCS0_BASE);
	setup_order(RCS0_BASE);
	stopped_in_a_batch(BCS0_BASE);
	status_page(RCS0_BASE);
	status_page(BCS0_BASE);
	directories(BCS0_BASE);
	begin(part, "ring_checks=on");
	privileges(BCS0_BASE, !strcmp(part, "platform=snb"));
	privileges(RCS0_BASE, !strcmp(part, "platform=snb"));
	if (!strcmp(part, "platform=snb"))
		stores_through_the_ggtt();
	contexts();
	/* Sandy Bridge's command has no register write. */
	if (!strcmp(part, "platform=ivb"))
		register_write_of_a_flush();
	context_in_a_batch();
	mailboxes();
	interrupts();
	tails_are_checked();
}

static void gtt_entries(void)
{
	begin("platform=ivb", "ggms_mb=2");
	check(pci_bar_size(gpu, PCI_BAR0) == 4 << 20, "BAR 0 has 4 MB");
	check(pci_cfg_read(gpu, 0x50, 2) == (2 << 8 | 1 << 3),
	      "GMCH_CTL tells of 2 MB of entries and 32 MB of stolen memory");
	pci_bar_write(gpu, PCI_BAR0, (2 << 20) + 4 * 1000, 4, 0x12345ff1);
	check(pci_bar_read(gpu, PCI_BAR0, (2 << 20) + 4 * 1000, 4) == 0x12345ff1, "entries have 32 bits, from 2 MB on");
	check(gtt_entry(gpu, 1000 << 12) == 0x12345ff1, "one a page");
	{
		struct translation t;
		struct vm_ref ggtt = { .ggtt = true };

		check(tlb_translate(gpu->gtt->aperture, &ggtt, 1000 << 12, &t) && t.pa == 0xff12345000ull,
		      "bits 11:4 are bits 39:32 of the address");
	}
}

static void forcewakes(void)
{
	begin("platform=ivb", "forcewake=strict");
	wr(FORCEWAKE_MT, IGEN_MASKED_DISABLE(1));
	check(rd(ECOBUS) == 0 && counter_value("forcewake_missing", "0xa180"), "ECOBUS is asleep");
	wr(FORCEWAKE, 1);
	check(!rd(FORCEWAKE_ACK), "requests of Sandy Bridge's kind are not answered");
	wr(FORCEWAKE_MT, IGEN_MASKED_ENABLE(1));
	check(rd(FORCEWAKE_MT_ACK) == 1 && rd(ECOBUS) & ECOBUS_FORCEWAKE_MT, "masked ones are, and ECOBUS says so");
	wr(FORCEWAKE_MT, IGEN_MASKED_ENABLE(2));
	wr(FORCEWAKE_MT, IGEN_MASKED_DISABLE(1));
	check(rd(FORCEWAKE_MT_ACK) == 2, "threads have bits of their own");
	wr(FORCEWAKE_MT, IGEN_MASKED_DISABLE(2));
	wr(RING_SYNC_0(RCS0_BASE), 5);
	check(rd(RING_SYNC_0(RCS0_BASE)) == 0, "a read needs forcewake");
	wr(FORCEWAKE_MT, IGEN_MASKED_ENABLE(1));
	check(rd(RING_SYNC_0(RCS0_BASE)) == 5, "a write does not");
	wr(FORCEWAKE_MT, IGEN_MASKED_DISABLE(1));

	check(IGEN_GET(GTFIFOCTL_FREE_ENTRIES_MASK, rd(GTFIFOCTL)) == 64 && !rd(GTFIFODBG),
	      "the FIFO has room for 64 writes");
	for (uint32_t i = 0; i < 65; i++)
		wr(RING_SYNC_0(RCS0_BASE), i);
	check(found("fifo-overflow: a write that GTFIFOCTL had no room for") == 1 && rd(GTFIFODBG),
	      "one more without a look at GTFIFOCTL is lost");
	wr(GTFIFODBG, rd(GTFIFODBG));
	wr(FORCEWAKE_MT, IGEN_MASKED_ENABLE(1));
	check(!rd(GTFIFODBG) && rd(RING_SYNC_0(RCS0_BASE)) == 63, "GTFIFODBG is cleared by ones");

	begin("platform=ivb", "legacy_forcewake=on");
	wr(FORCEWAKE_MT, IGEN_MASKED_ENABLE(1));
	check(!rd(FORCEWAKE_MT_ACK) && !(rd(ECOBUS) & ECOBUS_FORCEWAKE_MT), "firmware may have left the old kind on");
	wr(FORCEWAKE, 1);
	check(rd(FORCEWAKE_ACK) == 1, "which is answered then");
	begin("platform=snb", NULL);
	wr(FORCEWAKE, 1);
	check(rd(FORCEWAKE_ACK) == 1, "Sandy Bridge answers its own");
	wr(FORCEWAKE, 0);
	check(!rd(FORCEWAKE_ACK), "a request is not masked");
}

static void video_sleeps(void)
{
	const char *asleep = "tail-asleep: the ring sleeps, and no PSMI_SLEEP_MSG_DISABLE has woken it";
	const uint32_t base = VCS0_BASE;

	begin("platform=snb", "latency_us=10000000");
	ring(base, STORE(DATA, 1));
	check(ring_run(base) && get(DATA) == 1, "the first tail gets to a ring that was just enabled");
	check(wait_for(rd(RING_RC_PSMI_CONTROL(base)) & PSMI_SLEEP_INDICATOR), "then the engine sleeps");
	ring(base, STORE(DATA, 2));
	ring_tail(base);
	check(found(asleep) == 1 && rd(RING_TAIL(base)) != tails[1], "a tail is lost");
	wr(RING_RC_PSMI_CONTROL(base), IGEN_MASKED_ENABLE(PSMI_SLEEP_MSG_DISABLE));
	check(rd(RING_RC_PSMI_CONTROL(base)) & PSMI_SLEEP_INDICATOR, "the engine does not wake at once");
	later();
	check(!(rd(RING_RC_PSMI_CONTROL(base)) & PSMI_SLEEP_INDICATOR), "but later");
	check(ring_run(base) && get(DATA) == 2, "then the tail gets there");
	wr(RING_RC_PSMI_CONTROL(base), IGEN_MASKED_DISABLE(PSMI_SLEEP_MSG_DISABLE));
	check(wait_for(rd(RING_RC_PSMI_CONTROL(base)) & PSMI_SLEEP_INDICATOR), "and it sleeps again");
	begin("platform=ivb", NULL);
	ring(base, STORE(DATA, 3));
	check(ring_run(base) && !(rd(RING_RC_PSMI_CONTROL(base)) & PSMI_SLEEP_INDICATOR),
	      "Ivy Bridge's does not sleep");
}

static void fences_swizzle(void)
{
	const uint32_t line = 64;

	begin("platform=ivb", NULL);
	check(rd(MAD_DIMM_C0) == rd(MAD_DIMM_C1), "two channels of the same size");
	wr(FENCE_REG(3), PA_DATA | FENCE_VALID);
	wr(FENCE_REG(3) + 4, (PA_DATA + 0x3000) | 3);	/* pitch 512: X tiles */
	aperture_write(gpu, PA_DATA + 512, 4, 1);
	check(get(PA_DATA + 512) == 1, "a fence does not swizzle by itself");
	wr(TILECTL, TILECTL_SWZCTL);
	aperture_write(gpu, PA_DATA + 512, 4, 2);
	aperture_write(gpu, PA_DATA + 1024, 4, 3);
	aperture_write(gpu, PA_DATA + 1536, 4, 4);
	check(get(PA_DATA + 512 + line) == 2 && get(PA_DATA + 1024 + line) == 3,
	      "X tiles: bit 6 is changed by bit 9 or 10");
	check(get(PA_DATA + 1536) == 4, "and not by both");
	wr(FENCE_REG(3), PA_DATA | FENCE_TILE_Y | FENCE_VALID);
	aperture_write(gpu, PA_DATA + 16, 4, 5);	/* the second column of the tile */
	check(get(PA_DATA + 512 + line) == 5, "Y tiles: bit 6 is changed by bit 9");
	check(aperture_read(gpu, PA_DATA + 16, 4) == 5, "reads are swizzled, too");
	begin("platform=snb", "swizzle=off");
	check(rd(MAD_DIMM_C0) != rd(MAD_DIMM_C1), "channels that are not the same");
	check(!rd(FENCE_REG(15)) && counter_value("unimplemented_registers", "0x100078") == 0,
	      "Sandy Bridge has 16 fences");
}

static void blits_swizzle(void)
{
	const uint32_t base = BCS0_BASE, line = 64;

	begin("platform=ivb", NULL);
	wr(ARB_MODE_GEN6, IGEN_MASKED_ENABLE(ARB_MODE_SWIZZLE_GEN7));
	memset(ram + PA_DATA, 0, 0x2000);
	/* One pixel at (0, 1) of an X tiled surface. */
	ring(base, 0x54000004 | 3 << 20 | 1 << 11, 3 << 24 | 0xf0 << 16 | 512 / 4, 1 << 16, 2 << 16 | 1, VA + PA_DATA,
	     0x11223344);
	check(ring_run(base) && get(PA_DATA + 512 + line) == 0x11223344, "the blitter swizzles an X tile");
	wr(BCS_SWCTRL, IGEN_MASKED_ENABLE(BCS_SWCTRL_DST_Y));
	memset(ram + PA_DATA, 0, 0x2000);
	ring(base, 0x54000004 | 3 << 20 | 1 << 11, 3 << 24 | 0xf0 << 16 | 128 / 4, 4, 4 << 16 | 8, VA + PA_DATA,
	     0x55667788);
	check(ring_run(base) && get(PA_DATA + 512 + line) == 0x55667788 &&
	      get(PA_DATA + 512 + line + 48) == 0x55667788 &&
	      !get(PA_DATA + 512), "and a Y tile");
}

static void mailbox_commands(void)
{
	begin("platform=snb", NULL);
	wr(PCODE_DATA, 0);
	wr(PCODE_MAILBOX, PCODE_READY | PCODE_READ_RC6VIDS);
	check(!(rd(PCODE_MAILBOX) & (PCODE_READY | PCODE_ERROR_MASK)) && (rd(PCODE_DATA) & 0xff) * 5 + 245 >= 450,
	      "RC6's voltage is enough");
	wr(PCODE_MAILBOX, PCODE_READY | PCODE_SAGV_CONTROL);
	check(rd(PCODE_MAILBOX) & PCODE_ERROR_MASK, "a command of Gen9's is illegal");
	wr(RPNSWREQ, 20 << 25);
	check(IGEN_GET(RPSTAT1_GEN6_RATIO_MASK, rd(RPSTAT1)) == 20, "frequencies are in units of 50 MHz");
}

static void refused(void)
{
	static const struct { const char *part, *key, *text; } bad[] = {
		{ "platform=ivb", "ggms_mb=4", "ggms_mb: ivb has no 4 MB" },
		{ "platform=kbl", "ggms_mb=1", "ggms_mb: kbl has no 1 MB" },
		{ "platform=ivb", "inherit=on", "inherit: ivb leaves nothing" },
		{ "platform=snb", "rc6_forgets=on", "rc6_forgets: snb has no RC6_CTX_INFO" },
		{ "platform=ivb", "stolen_mb=4", "stolen_mb: 4 is no multiple of 32 below 1024, as on ivb" },
		{ "platform=ivb", "stolen_mb=1024", "stolen_mb: 1024 is no multiple of 32 below 1024, as on ivb" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct config cfg;
		char err[256] = "";

		config_init(&cfg);
		check(!config_set(&cfg, bad[i].part, err, sizeof(err)) &&
		      !config_set(&cfg, bad[i].key, err, sizeof(err)) &&
		      config_check(&cfg, err, sizeof(err)) && !strcmp(err, bad[i].text), "refused: %s", bad[i].text);
	}
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		one_part(parts[i]);
	stores_where_they_say();
	gtt_entries();
	forcewakes();
	video_sleeps();
	fences_swizzle();
	blits_swizzle();
	mailbox_commands();
	refused();
	bench_stop();
	return test_end();
}
