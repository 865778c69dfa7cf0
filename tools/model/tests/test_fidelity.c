// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of what silicon does not forgive
 *
 * Each test makes a mistake that a driver could make, and passes when the model, with the setting for that, does not
 * let it pass; and does the same without the mistake. Time is not waited for: the latency is long, and a test lets it
 * be over by making all events due.
 */
#include "engine_bench.h"
#include "igen/regs/workarounds.h"

#define LONG		"latency_us=10000000"
#define COUNTER		PA_DATA
#define FLAG		(PA_DATA + 0x40)
#define WAIT_SET(pa)	MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD, 0, PPGTT(pa)
#define STORE(pa, v)	MI_STORE_DATA_IMM_DW, PPGTT(pa), (v)

/* As if the latency were over. */
static void later(void)
{
	pthread_mutex_lock(&gpu->lock);
	for (unsigned int i = 0; i < EVENTS; i++)
		gpu->events.event[i].due_ns = 0;
	pthread_mutex_unlock(&gpu->lock);
}

static uint64_t found(const char *what)
{
	return counter_value("findings.driver", what);
}

static void forcewake(uint32_t request, bool on)
{
	wr(request, on ? IGEN_MASKED_ENABLE(1) : IGEN_MASKED_DISABLE(1));
}

static void acknowledgments(void)
{
	static const char *const set[] = { LONG, NULL };
	const uint32_t base = BCS0_BASE, tlb_inv = TLB_INV_BCS;

	bench_start(set);
	forcewake(FORCEWAKE_GT, true);
	check(!rd(FORCEWAKE_ACK_GT), "forcewake is not acknowledged at once");
	later();
	check(rd(FORCEWAKE_ACK_GT) & 1, "but later");
	forcewake(FORCEWAKE_GT, false);
	check(rd(FORCEWAKE_ACK_GT) & 1, "nor is its end");
	later();
	check(!rd(FORCEWAKE_ACK_GT), "but later");

	wr(PCODE_DATA, 1234);
	wr(PCODE_MAILBOX, PCODE_READY | PCODE_READ_MIN_FREQ_TABLE);
	check(rd(PCODE_MAILBOX) & PCODE_READY && rd(PCODE_DATA) == 1234, "a mailbox command is not done at once");
	wr(PCODE_MAILBOX, PCODE_READY | PCODE_SAGV_CONTROL);
	check(counter_value("pcode_overruns", "command") == 1, "another one is lost, and counted");
	later();
	check(!(rd(PCODE_MAILBOX) & PCODE_READY) && rd(PCODE_DATA) == 0, "later it is done, and has its answer");

	wr(tlb_inv, TLB_INV_REQUEST);
	check(rd(tlb_inv) & TLB_INV_REQUEST, "an invalidation is not over at once");
	later();
	check(!(rd(tlb_inv) & TLB_INV_REQUEST), "but later");

	wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	check(!(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET), "an engine is not ready for a reset at once");
	later();
	check(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET, "but later");
	wr(RING_GPR(base, 0), 77);
	wr(GDRST, GDRST_BLT);
	check(rd(GDRST) == GDRST_BLT && rd(RING_GPR(base, 0)) == 77, "a reset does not happen at once");
	later();
	check(!rd(GDRST) && rd(RING_GPR(base, 0)) == 0 && !(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET),
	      "but later");

	for (unsigned int i = 0; i < 3 * EVENTS; i++)
		wr(tlb_inv, TLB_INV_REQUEST);
	check(counter_value("tlb_invalidations", "bcs0") >= 2 * EVENTS + 1, "what there is no room for happens early");
	pci_reset(gpu);
	check(!rd(GDRST) && !(rd(tlb_inv) & TLB_INV_REQUEST) && !rd(FORCEWAKE_ACK_GT),
	      "a reset of the function ends all");
	wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	bench_stop();
}

/* A driver that does not wait for its TLB invalidation finds that the engine still writes to the old page. */
static void stale_translation(void)
{
	static const char *const set[] = { LONG, NULL };
	const uint32_t base = BCS0_BASE, old = PA_DATA + 0x2000, new = PA_DATA + 0x3000;
	struct ctx a;

	bench_start(set);
	ctx_init(&a, 0, base, CTL_FRESH);
	for (unsigned int round = 0; round < 3; round++) {
		ring(&a, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(old), 1 + round);
		if (round == 1) {
			gtt_pte_write(gpu, old / 4096 * 8, 8, new | GEN8_PAGE_PRESENT);
			wr(TLB_INV_BCS, TLB_INV_REQUEST);
		}
		if (round == 2) {
			later();
			rd(TLB_INV_BCS);
		}
		run(base, &a);
	}
	check(get(old) == 2, "without the wait for an invalidation the old page is written");
	check(get(new) == 3, "with it the new one");
	bench_stop();
}

static void strict_forcewake(void)
{
	static const char *const set[] = { "forcewake=strict", LONG, NULL };
	static const char *const counted[] = { NULL };
	const uint32_t base = RCS0_BASE, reg = RING_GPR(base, 1);
	uint64_t missing;
	struct ctx a;

	bench_start(counted);
	wr(reg, 5);
	check(rd(reg) == 5, "where accesses are counted, one without forcewake is done");
	bench_stop();

	bench_start(set);
	missing = counter_value("forcewake_missing", "0x2608");
	wr(reg, 5);
	check(rd(reg) == 0, "where they are strict, it reads 0");
	check(counter_value("forcewake_missing", "0x2608") == missing + 2, "and is counted");
	forcewake(FORCEWAKE_RENDER, true);
	check(rd(reg) == 0, "nor does a request help that is not acknowledged");
	later();
	check(rd(FORCEWAKE_ACK_RENDER) == 1 && rd(reg) == 0, "the write had no effect");
	wr(reg, 6);
	check(rd(reg) == 6, "with forcewake both work");
	forcewake(FORCEWAKE_RENDER, false);
	forcewake(FORCEWAKE_MEDIA, true);
	later();
	check(rd(FORCEWAKE_ACK_RENDER) == 0 && rd(FORCEWAKE_ACK_MEDIA) == 1 && rd(reg) == 0,
	      "another domain's does not");

	forcewake(FORCEWAKE_RENDER, true);
	forcewake(FORCEWAKE_GT, true);
	later();
	rd(FORCEWAKE_ACK_GT);
	wr(RING_MODE(base), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	wr(RING_HWS_PGA(base), PA_HWSP);
	wr(RING_MODE(VCS0_BASE), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	wr(RING_HWS_PGA(VCS0_BASE), PA_HWSP + 2 * 4096);
	ctx_init(&a, 0, VCS0_BASE, CTL_FRESH);
	put(FLAG, 0);
	ring(&a, WAIT_SET(FLAG));
	submit(VCS0_BASE, &a);
	wait_for(rd(RING_CTL(VCS0_BASE)) & RING_CTL_WAIT_SEMAPHORE);
	wr(reg, 8);
	forcewake(FORCEWAKE_RENDER, false);
	forcewake(FORCEWAKE_GT, false);
	forcewake(FORCEWAKE_MEDIA, false);
	later();
	rd(FORCEWAKE_ACK_GT);
	check(rd(reg) == 0, "a busy engine keeps no other domain awake");
	check(rd(RING_CTL(VCS0_BASE)) & RING_CTL_WAIT_SEMAPHORE, "but its own");
	put(FLAG, 1);
	bench_stop();
}

static void rings(void)
{
	static const char *const set[] = { "ring_checks=on", NULL };
	static const char wrap[] = "ring-wrap: a command goes on over the ring's end";
	static const char passes[] = "ring-tail-passes-head: a tail goes past the head, or back over commands";
	static const char odd[] = "ring-tail-unaligned: a tail is no multiple of eight bytes";
	static const char outside[] = "ring-tail-outside: a tail lies beyond the ring's end";
	static const char empty[] = "lite-restore-empty: the ring of the context that runs has nothing new";
	const uint32_t base = BCS0_BASE, size = RING_PAGES * 4096;
	struct ctx a;

	bench_start(set);
	ctx_init(&a, 0, base, CTL_FRESH);
	while (a.tail < size - 16)
		ring(&a, MI_NOOP, MI_NOOP);
	run(base, &a);
	ring(&a, STORE(COUNTER, 1));
	check(run(base, &a) && get(COUNTER) == 1 && !found(wrap), "a command may end where the ring ends");
	while (a.tail < size - 8)
		ring(&a, MI_NOOP, MI_NOOP);
	run(base, &a);
	ring(&a, STORE(COUNTER, 2));
	check(run(base, &a) && get(COUNTER) == 2 && found(wrap) == 1, "one that goes on at the ring's start is found");

	ctx_init(&a, 0, base, CTL_FRESH);
	put(FLAG, 0);
	ring(&a, WAIT_SET(FLAG));
	submit(base, &a);
	wait_for(rd(RING_CTL(base)) & RING_CTL_WAIT_SEMAPHORE);
	ring(&a, MI_NOOP, MI_NOOP);
	submit(base, &a);
	check(wait_for(counter_value("lite_restores", "bcs0") == 1) && !found(empty) && !found(passes),
	      "a lite restore with something new is right");
	put(image_pa(&a, CTX_RING_TAIL), 4 * 4);	/* behind the wait */
	elsp(base, a.desc, 0);
	check(wait_for(counter_value("lite_restores", "bcs0") == 2) && found(empty) == 1,
	      "one that finds the ring empty is found");
	check(found(passes) == 1, "and a tail that goes back to the head, or once round");
	put(image_pa(&a, CTX_RING_TAIL), a.tail);
	elsp(base, a.desc, 0);
	put(FLAG, 1);
	check(wait_for(idle(base)), "the context ends");

	check(!found(odd) && !found(outside), "all tails were at a qword of the ring");
	ctx_init(&a, 0, base, CTL_FRESH);
	ring(&a, MI_NOOP, MI_NOOP);
	put(image_pa(&a, CTX_RING_TAIL), 4);
	elsp(base, a.desc, 0);
	check(wait_for(idle(base)) && found(odd) == 1, "one in the middle of a qword is found");
	ctx_init(&a, 0, base, CTL_FRESH);
	put(image_pa(&a, CTX_RING_TAIL), size + 8);
	elsp(base, a.desc, 0);
	check(wait_for(found(outside) == 1), "and one beyond the end");
	wr(GDRST, GDRST_BLT);

	wr(RING_START(base), a.pa + CTX_RING);
	wr(RING_CTL(base), (RING_PAGES - 1) << 12);
	wr(RING_TAIL(base), 64);
	check(found(passes) == 1, "ring mode: the tail moves on");
	wr(RING_TAIL(base), 32);
	check(found(passes) == 2, "a tail that moves back is found");
	bench_stop();
}

static void rings_unchecked(void)
{
	struct ctx a;

	counters_reset();
	bench_start(NULL);
	ctx_init(&a, 0, BCS0_BASE, CTL_FRESH);
	ring(&a, MI_NOOP, MI_NOOP);
	put(image_pa(&a, CTX_RING_TAIL), 4);
	elsp(BCS0_BASE, a.desc, 0);
	check(wait_for(idle(BCS0_BASE)) &&
	      !found("ring-tail-unaligned: a tail is no multiple of eight bytes"), "without the setting nothing is");
	bench_stop();
}

static void images(void)
{
	static const char *const set[] = { "image_checks=on", NULL };
	static const char changed[] = "image-changed: dword 0x3 of a context that runs";
	const uint32_t base = BCS0_BASE;
	char name[64];
	struct ctx a;

	bench_start(set);
	ctx_init(&a, 0, base, CTL_FRESH);
	put(FLAG, 0);
	ring(&a, WAIT_SET(FLAG));
	submit(base, &a);
	wait_for(rd(RING_CTL(base)) & RING_CTL_WAIT_SEMAPHORE);
	ring(&a, MI_NOOP, MI_NOOP);
	submit(base, &a);
	put(FLAG, 1);
	snprintf(name, sizeof(name), "image-changed: dword 0x%x of a context that runs", CTX_BB_STATE);
	check(wait_for(idle(base)) && !found(changed) && !found(name), "the tail may change while a context runs");

	image_set(&a, CTX_CONTEXT_CONTROL, RING_CTX_CTL(base), CTL_NORMAL);
	put(FLAG, 0);
	ring(&a, WAIT_SET(FLAG));
	submit(base, &a);
	wait_for(rd(RING_CTL(base)) & RING_CTL_WAIT_SEMAPHORE);
	check(!found(name), "what changed before it was loaded is no mistake");
	put(image_pa(&a, CTX_BB_STATE), 0x20);
	put(FLAG, 1);
	check(wait_for(idle(base)) && found(name) == 1, "another register of the image may not");
	bench_stop();
}

/*
 * How often the head of a context's image was found changed: by the driver, while the engine was in a wait that two
 * dwords follow in the ring. The context is preempted there, or ends.
 */
static uint64_t head_changed(uint32_t behind, bool to_tail, bool preempted)
{
	static const char *const set[] = { "image_checks=on", NULL };
	const uint32_t base = BCS0_BASE;
	char name[64];
	uint64_t n;
	struct ctx a, b;

	counters_reset();
	bench_start(set);
	ctx_init(&a, 0, base, CTL_FRESH);
	ctx_init(&b, 1, base, CTL_FRESH);
	put(FLAG, 0);
	ring(&a, WAIT_SET(FLAG));
	ring(&a, behind, MI_NOOP);
	ring(&b, MI_NOOP, MI_NOOP);
	submit(base, &a);
	wait_for(rd(RING_CTL(base)) & RING_CTL_WAIT_SEMAPHORE);
	put(image_pa(&a, CTX_RING_HEAD), to_tail ? a.tail : a.tail - 8);
	if (preempted)
		submit(base, &b);
	else
		put(FLAG, 1);
	check(wait_for(idle(base)), "the contexts end");
	snprintf(name, sizeof(name), "image-changed: dword 0x%x of a context that runs", CTX_RING_HEAD);
	n = found(name);
	put(FLAG, 1);
	bench_stop();
	return n;
}

static void heads(void)
{
	check(!head_changed(MI_NOOP, true, false), "head: that of an empty ring may be set behind the last seqno");
	check(!head_changed(MI_USER_INTERRUPT, true, false), "head: whatever was executed before");
	check(!head_changed(MI_ARB_CHECK, true, true), "head: or leaves nothing but waits in the ring");
	check(head_changed(MI_USER_INTERRUPT, true, true) == 1, "head: but no command");
	check(head_changed(MI_NOOP, false, false) == 1, "head: no other place may be set");
	check(head_changed(MI_NOOP, false, true) == 1, "head: nor when the context comes back");
}

static void entry_after_pointer(void)
{
	static const char *const set[] = { "fault_csb_order=bcs0:2", "late_csb_us=10000000", NULL };
	const uint32_t base = BCS0_BASE;
	struct ctx a;

	bench_start(set);
	ctx_init(&a, 0, base, CTL_FRESH);
	put(hwsp(base) + HWSP_CSB_WRITE_PTR_DW * 4, GEN9_CSB_RESET_PTR);
	put(hwsp(base) + (HWSP_CSB_DW + 2) * 4, 0x5a5a);
	ring(&a, MI_NOOP, MI_NOOP);
	submit(base, &a);
	check(wait_for(csb_pointer(base) == 1) && csb_status(base, 1) == 0x5a5a,
	      "an entry comes after its pointer: a driver that trusts the pointer reads an old one");
	check(csb_is(base, 0, CSB_IDLE_TO_ACTIVE, 0), "the event before came as it should");
	wr(GDRST, GDRST_BLT);
	check(idle(base) && csb_status(base, 1) == 0x5a5a, "a reset ends the wait");
	bench_stop();

	bench_start((const char *const[]){ "fault_csb_order=bcs0:2", "late_csb_us=1000", NULL });
	ctx_init(&a, 0, base, CTL_FRESH);
	put(hwsp(base) + HWSP_CSB_WRITE_PTR_DW * 4, GEN9_CSB_RESET_PTR);
	put(hwsp(base) + (HWSP_CSB_DW + 2) * 4, 0x5a5a);
	ring(&a, MI_NOOP, MI_NOOP);
	submit(base, &a);
	check(wait_for(csb_is(base, 1, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, id(&a))),
	      "the entry comes in the end");
	bench_stop();
}

/* A batch ends with a page, and another page is behind it or not: findings, or faults of a client's. */
static uint64_t prefetched(const char *lines, bool ppgtt, bool unmapped, uint32_t from_end)
{
	const char *const set[] = { lines, NULL };
	const uint32_t base = RCS0_BASE;
	uint64_t n;
	struct ctx a;

	counters_reset();
	bench_start(set);
	ctx_init(&a, 0, base, CTL_FRESH);
	batch_at(&a, CTX_BATCH + 4096 - from_end);
	if (unmapped && ppgtt) {
		/* The page table's 2 MB end behind the batch. */
		a.batch = (2u << 20) - from_end;
		*(uint64_t *)(ram + PA_PD + 8) = 0;
	} else if (unmapped) {
		gtt_pte_write(gpu, (a.batch / 4096 + 1) * 8, 8, 0);
	}
	batch(&a, STORE(FLAG, 1), MI_BATCH_BUFFER_END);
	put(FLAG, 0);
	ring_batch(&a, a.batch - a.pa, ppgtt);
	check(run(base, &a) && (get(FLAG) || !ppgtt), "prefetch: the batch runs whatever is behind it");
	n = ppgtt ? counter_value("prefetch_faults", "rcs0") :
	    found("prefetch-unmapped: behind a batch in the GGTT is a page without a valid entry");
	bench_stop();
	return n;
}

static void prefetch(void)
{
	check(prefetched("prefetch_lines=8", false, true, 64) == 1,
	      "a batch at the end of what the GGTT maps is found");
	check(!prefetched("prefetch_lines=8", false, false, 64), "one with a page behind it is not");
	check(!prefetched("prefetch_lines=8", false, true, 1024), "nor one that ends earlier");
	check(!prefetched("prefetch_lines=0", false, true, 64), "nor one where nothing is read ahead");
	check(prefetched("prefetch_lines=8", true, true, 64) == 1, "a client's is counted");
	check(!prefetched("prefetch_lines=8", true, false, 64), "if it is one");
}

/* True if the render domain's registers keep their values over a sleep, for a driver that allows RC6 or does not. */
static bool kept_in_rc6(const char *forgets, bool allowed)
{
	const char *const set[] = { forgets, NULL };
	bool kept;

	bench_start(set);
	forcewake(FORCEWAKE_RENDER, true);
	wr(RING_GPR(RCS0_BASE, 0), 77);
	wr(CS_CHICKEN1, IGEN_MASKED_ENABLE(1));
	if (allowed)
		wr(RC_CONTROL, RC_CONTROL_RC6_ENABLE);
	forcewake(FORCEWAKE_RENDER, false);
	forcewake(FORCEWAKE_RENDER, true);
	kept = rd(RING_GPR(RCS0_BASE, 0)) == 77 && rd(CS_CHICKEN1) & 1;
	check(kept || (!rd(RING_GPR(RCS0_BASE, 0)) && !(rd(CS_CHICKEN1) & 1)), "rc6: all or none");
	check(rd(RC6_CTX_INFO) == !strcmp(forgets, "rc6_forgets=off"), "rc6: the driver is told");
	bench_stop();
	return kept;
}

/* How often an access through the aperture was found too early behind a write of an entry. */
static uint64_t aperture_behind(const char *setting, bool read_between)
{
	const char *const set[] = { setting, NULL };
	uint64_t n;

	counters_reset();
	bench_start(set);
	gtt_pte_write(gpu, 5 * 8, 8, PA_PD | 1);
	if (read_between)
		rd(GFX_FLSH_CNTL);
	aperture_write(gpu, 5 * 4096, 4, 1);
	aperture_read(gpu, 5 * 4096, 4);
	n = found("aperture-behind-entries: an access behind unflushed writes of GGTT entries");
	bench_stop();
	return n;
}

static void aperture(void)
{
	check(aperture_behind("aperture_checks=on", false) == 2, "accesses behind an unflushed entry are found");
	check(!aperture_behind("aperture_checks=on", true), "those behind a read of the GAM are not");
	check(!aperture_behind("aperture_checks=off", false), "nor those of a part that does not mind");
}

static void rc6(void)
{
	check(!kept_in_rc6("rc6_forgets=on", true), "RC6 without a power context loses registers");
	check(kept_in_rc6("rc6_forgets=on", false), "a driver that does not allow RC6 keeps them");
	check(kept_in_rc6("rc6_forgets=off", true), "and so does a power context");
}

/* A register, without a read that would push writes. */
static uint32_t look(uint32_t offset)
{
	uint32_t v;

	pthread_mutex_lock(&gpu->lock);
	v = mmio_peek(gpu, offset);
	pthread_mutex_unlock(&gpu->lock);
	return v;
}

static void post(uint32_t offset, uint32_t v)
{
	pci_bar_write(gpu, PCI_BAR0, offset, 4, v);
}

#define NEVER		"posted_us=10000000"	/* without the timer's thread */

static void posted_order(void)
{
	static const char *const set[] = { NEVER, NULL };
	const uint32_t entry = 7 * 8;

	bench_start(set);
	post(PCODE_DATA, 1);
	check(!look(PCODE_DATA), "posted: a write alone has not arrived");
	pci_bar_read(gpu, PCI_BAR0, GDRST, 4);
	check(look(PCODE_DATA) == 1, "posted: a read of any register pushes it");
	post(PCODE_DATA, 2);
	pci_bar_write(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET + entry, 8, PA_DATA | GEN8_PAGE_PRESENT);
	check(gtt_pte_read(gpu, entry, 8) != (PA_DATA | GEN8_PAGE_PRESENT), "posted: nor has an entry of the GGTT");
	pci_bar_write(gpu, PCI_BAR2, 7 * 4096, 4, 0x5a5a);
	check(look(PCODE_DATA) == 2 && gtt_pte_read(gpu, entry, 8) == (PA_DATA | GEN8_PAGE_PRESENT) &&
	      get(PA_DATA) == 0x5a5a, "posted: a write through the aperture does not pass them");
	post(PCODE_DATA, 3);
	post(PCODE_DATA, 4);
	check(pci_cfg_read(gpu, 0, 2) == 0x8086 && look(PCODE_DATA) == 4, "posted: nor does a read of config space");
	post(PCODE_DATA, 5);
	pci_cfg_write(gpu, 0x0c, 1, 0);
	check(look(PCODE_DATA) == 5, "posted: nor a write there");
	post(PCODE_DATA, 6);
	pci_bar_write(gpu, PCI_BAR4, 0, 4, PCODE_DATA);
	check(look(PCODE_DATA) == 6, "posted: nor one of an I/O port");
	pci_bar_write(gpu, PCI_BAR4, 4, 4, 7);
	check(look(PCODE_DATA) == 7, "posted: which itself is not posted");
	for (uint32_t i = 0; i < 65; i++)
		post(PCODE_DATA, 100 + i);
	check(look(PCODE_DATA) == 100, "posted: the first one arrives when there is no room");
	pci_reset(gpu);
	pci_bar_read(gpu, PCI_BAR0, GDRST, 4);
	check(look(PCODE_DATA) != 164, "posted: a reset of the function drops what waits");
	bench_stop();
}

/* True if an engine's interrupt is there that a posted write of the driver has unmasked before its request ended. */
static bool unmasked_in_time(bool read_back)
{
	static const char *const set[] = { NEVER, NULL };
	bool there;
	struct ctx a;

	bench_start(set);
	wr(GT_IMR(0), ~0u);
	ctx_init(&a, 0, RCS0_BASE, CTL_FRESH);
	post(GT_IMR(0), ~(uint32_t)GT_IRQ_USER);
	if (read_back)
		pci_bar_read(gpu, PCI_BAR0, GT_IMR(0), 4);
	ring(&a, MI_USER_INTERRUPT);
	check(run(RCS0_BASE, &a), "posted: the request ends");
	there = rd(GT_IIR(0)) & GT_IRQ_USER;
	bench_stop();
	return there;
}

static void posted(void)
{
	static const char *const set[] = { "posted_us=1", NULL };

	posted_order();
	check(!unmasked_in_time(false), "posted: a driver that does not read the mask back loses an interrupt");
	check(unmasked_in_time(true), "posted: one that does has it");

	bench_start(set);
	check(!posted_start(gpu), "posted: the timer starts");
	post(PCODE_DATA, 8);
	check(wait_for(look(PCODE_DATA) == 8), "posted: a write arrives by itself");
	posted_stop(gpu);
	post(PCODE_DATA, 9);
	check(!posted_start(gpu), "posted: the timer starts again");
	posted_stop(gpu);
	check(look(PCODE_DATA) == 9, "posted: what waits arrives in the end");
	bench_stop();
}

int main(void)
{
	posted();
	aperture();
	rc6();
	prefetch();
	acknowledgments();
	stale_translation();
	strict_forcewake();
	rings();
	rings_unchecked();
	images();
	heads();
	entry_after_pointer();
	return test_end();
}
