// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of execlists: submission, events, switches, preemption, resets, faults on purpose
 *
 * Each scenario writes the ELSP as a driver would and then looks at what a driver looks at: events
 * in the status page and in registers, images, memory, interrupts. Commands that must run exactly
 * once increment a counter, so that one executed twice or never shows.
 */
#include "engine_bench.h"
#include "igen/regs/workarounds.h"

#define COUNTER		(PA_DATA + 0x000)
#define FLAG		(PA_DATA + 0x040)
#define OUT		(PA_DATA + 0x080)
#define AFTER		(PA_DATA + 0x0c0)

#define INC(pa)		MI_ATOMIC | IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_INC), PPGTT(pa)
#define STORE(pa, v)	MI_STORE_DATA_IMM_DW, PPGTT(pa), (v)
#define STATE_WM	0x78140000u		/* 3DSTATE_WM, two dwords */
#define WAIT_SET(pa) MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD, 0, PPGTT(pa)
#define LOOP(c, where) MI_BATCH_BUFFER_START | MI_BBS_PPGTT, PPGTT((c)->pa + (where))

static uint64_t counted(const char *what)
{
	return counter_value(what, "rcs0");
}

static uint32_t irq(uint32_t bit)
{
	return rd(GT_IIR(0)) & bit;
}

static bool waits(uint32_t base)
{
	return rd(RING_CTL(base)) & RING_CTL_WAIT_SEMAPHORE;
}

/* For as long as the engine may have looked a few times. */
static bool always_waits(uint32_t base)
{
	uint64_t until = now_ns() + 20000000;
	bool always = true;

	while (now_ns() < until)
		always &= waits(base);
	return always;
}

static void one_context(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a;

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	put(hwsp(base) + HWSP_CSB_WRITE_PTR_DW * 4, GEN9_CSB_RESET_PTR);
	ring(&a, STORE(OUT, 0x1234), MI_USER_INTERRUPT, MI_NOOP);
	check(idle(base), "an engine is idle at first");
	check(run(base, &a), "a context with two commands ends");
	check(get(OUT) == 0x1234, "it stored its dword");
	check(csb_pointer(base) == 1, "two events came");
	check(csb_is(base, 0, CSB_IDLE_TO_ACTIVE, 0), "first event: idle to active");
	check(csb_is(base, 1, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, id(&a)),
	      "second event: complete, idle, its context ID");
	check(rd(RING_CTX_STATUS_BUF_LO(base, 1)) == csb_status(base, 1) &&
	      rd(RING_CTX_STATUS_BUF_HI(base, 1)) == id(&a), "the registers have the same event");
	check((rd(RING_CTX_STATUS_PTR(base)) & CTX_STATUS_PTR_WRITE_MASK) == 1, "and the pointer");
	wr(RING_CTX_STATUS_PTR(base), IGEN_MASKED_FIELD(CTX_STATUS_PTR_READ_MASK, 1u << 8));
	check(rd(RING_CTX_STATUS_PTR(base)) == (1 << 8 | 1),
	      "the read pointer is written through its mask");
	check(irq(GT_IRQ_USER) && irq(GT_IRQ_CONTEXT_SWITCH), "both interrupts are pending");
	check(get(image_pa(&a, CTX_RING_HEAD)) == a.tail, "the image has the head at the tail");
	check(get(image_pa(&a, CTX_RING_TAIL)) == a.tail, "and the tail as it was");
	check(get(image_pa(&a, CTX_LRI_HEADER_ENGINE)) ==
		      (MI_LOAD_REGISTER_IMM(44) | MI_LRI_FORCE_POSTED),
	      "the engine context has its list");
	check(get(image_pa(&a, CTX_CONTEXT_CONTROL)) ==
		      (0xffff0000 | CTX_CTL_INHIBIT_SYN_CTX_SWITCH),
	      "restore inhibit is not saved");
	check(rd(RING_EXECLIST_STATUS_HI(base)) == 0 &&
	      !(rd(RING_EXECLIST_STATUS_LO(base)) & EXECLIST_STATUS_ACTIVE_MASK),
	      "no element is active");
	check(get(a.pa + PPHWSP_SAVE_FINISHED_DW * 4) >= get(a.pa + PPHWSP_RESTORE_FINISHED_DW * 4),
	      "the PPHWSP has timestamps");
	check(counted("elsp_writes") == 1 && counted("csb_events") == 2 &&
	      counted("user_interrupts") == 1,
	      "and the counters agree");
	wr(RING_MODE(base), IGEN_MASKED_DISABLE(GFX_MODE_EXECLIST_ENABLE));
	submit(base, &a);
	check(counted("elsp_writes_ignored") == 1 && idle(base),
	      "without execlists the ELSP does nothing");
	bench_stop();
}

static void two_elements(void)
{
	const uint32_t base = BCS0_BASE;
	struct ctx a, b;
	unsigned int i;

	counters_reset();
	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	ctx_init(&b, 1, base, CTL_FRESH);
	ring(&a, INC(COUNTER));
	ring(&b, MI_COPY_MEM_MEM, PPGTT(OUT), PPGTT(COUNTER));
	ctx_tail(&a);
	ctx_tail(&b);
	elsp(base, a.desc, b.desc);
	check(wait_for(idle(base)), "two elements end");
	check(get(OUT) == 1, "in their order");
	check(csb_is(base, 0, CSB_IDLE_TO_ACTIVE, 0) &&
	      csb_is(base, 1, CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH, id(&a)) &&
	      csb_is(base, 2, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, id(&b)),
	      "events: active, element switch, idle");
	/* Twice more round the ring of six. */
	for (i = 0; i < 6; i++) {
		ring(&a, INC(COUNTER));
		if (!run(base, &a))
			break;
	}
	check(i == 6 && get(COUNTER) == 7, "six more submissions");
	check(csb_pointer(base) == (3 + 12 - 1) % GEN9_CSB_ENTRIES,
	      "the event pointer wraps at six");
	/* An empty list on an idle engine is nothing. */
	elsp(base, 0, 0);
	check(wait_for(counter_value("empty_lists", "bcs0") == 1) && csb_pointer(base) == 2,
	      "an empty list gives no event");
	bench_stop();
}

static void ring_wraps(void)
{
	const uint32_t base = VCS0_BASE;
	struct ctx a;

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	put(COUNTER, 0);
	for (unsigned int k = 0; k < 3; k++) {
		for (unsigned int i = 0; i < RING_PAGES * 4096 / 16 - 100; i++)
			ring(&a, INC(COUNTER), MI_NOOP);
		if (!run(base, &a))
			break;
	}
	check(get(COUNTER) == 3 * (RING_PAGES * 4096 / 16 - 100),
	      "each command ran once around the ring's end");
	check(IGEN_GET(RING_HEAD_WRAP_MASK, get(image_pa(&a, CTX_RING_HEAD))) == 2,
	      "the head counts wraps");
	bench_stop();
}

static void lite_restore(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a, b;

	counters_reset();
	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	ctx_init(&b, 1, base, CTL_FRESH);
	put(COUNTER, 0);
	put(FLAG, 0);
	put(OUT, 0);
	ring(&a, INC(COUNTER), WAIT_SET(FLAG), INC(COUNTER));
	submit(base, &a);
	check(wait_for(get(COUNTER) == 1 && counted("semaphore_waits") == 1), "a context waits");
	check(wait_for(irq(GT_IRQ_WAIT_SEMAPHORE)), "and says so");
	check(always_waits(base), "and RING_CTL all the time");
	wr(GT_IIR(0), GT_IRQ_WAIT_SEMAPHORE);
	check(!idle(base) && rd(RING_EXECLIST_STATUS_HI(base)) == id(&a),
	      "the engine is busy with it");
	ring(&a, INC(COUNTER));
	ctx_tail(&a);
	ring(&b, STORE(OUT, 7));
	ctx_tail(&b);
	elsp(base, a.desc, b.desc);
	check(wait_for(csb_is(base, 1, CSB_PREEMPTED | CSB_LITE_RESTORE, id(&a))),
	      "the same context again: lite restore");
	check(get(COUNTER) == 1, "the wait goes on");
	check(always_waits(base) && !irq(GT_IRQ_WAIT_SEMAPHORE), "which it has said once");
	put(FLAG, 1);
	check(wait_for(idle(base)), "then it ends");
	check(!waits(base), "and RING_CTL says that");
	check(get(COUNTER) == 3 && get(OUT) == 7,
	      "each command ran once, and the new second element too");
	check(csb_is(base, 2, CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH, id(&a)) &&
	      csb_is(base, 3, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, id(&b)),
	      "events of the new list");
	check(counted("lite_restores") == 1 && counted("context_switches") == 2,
	      "nothing was switched for it");

	/* Force restore makes it a preemption. */
	put(FLAG, 0);
	ring(&a, WAIT_SET(FLAG), INC(COUNTER));
	submit(base, &a);
	check(wait_for(counted("semaphore_waits") == 2), "it waits again");
	check(wait_for(irq(GT_IRQ_WAIT_SEMAPHORE)), "and says it again");
	wr(GT_IIR(0), GT_IRQ_WAIT_SEMAPHORE);
	elsp(base, a.desc | CTX_DESC_FORCE_RESTORE, 0);
	check(wait_for(csb_is(base, 5, CSB_PREEMPTED, id(&a))), "force restore: no lite restore");
	check(wait_for(irq(GT_IRQ_WAIT_SEMAPHORE)), "back from a preemption it waits anew");
	put(FLAG, 1);
	check(wait_for(idle(base)) && get(COUNTER) == 4, "and each command ran once");
	bench_stop();
}

/* In a first-level or second-level batch that polls for its end with MI_ARB_CHECK in the loop. */
static void preemption(bool second_level)
{
	const uint32_t base = RCS0_BASE;
	const char *where = second_level ? "second level" : "first level";
	unsigned int n;
	struct ctx a, b;

	counters_reset();
	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	ctx_init(&b, 1, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
	if (second_level) {
		batch(&a, INC(COUNTER), MI_BATCH_BUFFER_START | MI_BBS_PPGTT | MI_BBS_SECOND_LEVEL,
		      PPGTT(a.pa + CTX_BATCH2), INC(COUNTER), MI_BATCH_BUFFER_END);
		batch_at(&a, CTX_BATCH2);
	}
	/* INC, then: loop: ARB_CHECK; end if FLAG; jump to loop */
	batch(&a, INC(COUNTER));
	batch(&a, MI_ARB_CHECK,
	      MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | MI_COND_BBE_THIS_LEVEL |
		      IGEN_PREP(MI_COND_BBE_OP_MASK, 4u),
	      0, PPGTT(FLAG));
	batch(&a, LOOP(&a, (second_level ? CTX_BATCH2 : CTX_BATCH) + 3 * 4));
	ring_batch(&a, CTX_BATCH, true);
	ring(&a, INC(COUNTER));
	submit(base, &a);
	check(wait_for(get(COUNTER) == 1u + second_level), "%s: a batch loops", where);
	check(counted("batches") == 1, "%s: one batch from the ring", where);
	check(rd(RING_BB_HEAD_L(base)) & BB_HEAD_VALID, "%s: the batch address is live", where);
	check(!waits(base), "%s: to run in circles is not to wait for a semaphore", where);
	ring(&b, STORE(OUT, 1));
	submit(base, &b);
	check(wait_for(csb_is(base, 1, CSB_PREEMPTED, id(&a))), "%s: another context preempts it",
	      where);
	check(wait_for(idle(base)) && get(OUT) == 1, "%s: runs and ends", where);
	check(csb_is(base, 2, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, id(&b)),
	      "%s: with its event", where);
	check(get(image_pa(&a, CTX_BB_HEAD_L)) & BB_HEAD_VALID, "%s: the image holds the batch",
	      where);
	check(!!(get(image_pa(&a, CTX_SBB_HEAD_L)) & BB_HEAD_VALID) == second_level,
	      "%s: and the second level if there is one", where);
	check(get(image_pa(&a, CTX_BB_STATE)) & BB_STATE_PPGTT, "%s: which is in the PPGTT", where);
	elsp(base, a.desc, 0);
	check(wait_for(!idle(base)), "%s: it comes back", where);
	put(FLAG, 1);
	check(wait_for(idle(base)), "%s: and ends", where);
	check(get(COUNTER) == 2u + 2 * second_level, "%s: each command ran once (%u)", where,
	      get(COUNTER));
	check(counted("preemptions") == 1, "%s: one preemption counted", where);
	distributions_to_counters();
	n = (unsigned int)counter_value("preemption_commands.rcs0", "max");
	check(counter_value("preemption_commands.rcs0", "samples") == 1 && n <= 3,
	      "%s: within the loop's three commands (%u)", where, n);
	bench_stop();
}

static void arbitration(void)
{
	const uint32_t base = VECS0_BASE;
	unsigned int n;
	struct ctx a, b;

	for (unsigned int mode = 0; mode < 2; mode++) {
		const char *what = mode ? "off, no lite restore" : "off";

		counters_reset();
		bench_start(NULL);
		ctx_init(&a, 0, base, CTL_FRESH);
		ctx_init(&b, 1, base, CTL_FRESH);
		memset(ram + PA_DATA, 0, 4096);
		ring(&a, MI_ARB_ON_OFF | MI_ARB_DISABLE | (mode ? MI_ARB_NO_LITE_RESTORE : 0),
		     INC(COUNTER), MI_ARB_CHECK, WAIT_SET(FLAG), INC(COUNTER),
		     MI_ARB_ON_OFF | MI_ARB_ENABLE, MI_ARB_CHECK, INC(COUNTER));
		submit(base, &a);
		check(wait_for(rd(RING_IPEHR(base)) >> 23 == MI_OP_SEMAPHORE_WAIT),
		      "arbitration %s: waits", what);
		ring(&a, INC(COUNTER));
		ctx_tail(&a);
		elsp(base, a.desc, 0);
		if (!mode) {
			check(wait_for(csb_is(base, 1, CSB_PREEMPTED | CSB_LITE_RESTORE, id(&a))),
			      "arbitration %s: a lite restore lands", what);
			ring(&b, STORE(OUT, 1));
			submit(base, &b);
		}
		/* Many polls later nothing has changed. */
		for (unsigned int i = 0; i < 20; i++)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		check(csb_pointer(base) == !mode && get(OUT) == 0, "arbitration %s: the list waits",
		      what);
		check(rd(RING_EXECLIST_STATUS_LO(base)) & EXECLIST_STATUS_QUEUE_FULL,
		      "arbitration %s: and is seen to", what);
		put(FLAG, 1);
		check(wait_for(idle(base)), "arbitration %s: all ends", what);
		if (mode)
			check(csb_is(base, 1, CSB_PREEMPTED | CSB_LITE_RESTORE, id(&a)) &&
			      get(COUNTER) == 4,
			      "arbitration %s: lite restore when it is on again", what);
		else
			check(csb_is(base, 2, CSB_PREEMPTED, id(&a)) && get(OUT) == 1 &&
			      get(COUNTER) == 2,
			      "arbitration %s: preempted when it is on again", what);
		/* The increment, and the command that switches arbitration on. */
		distributions_to_counters();
		n = (unsigned int)counter_value("preemption_commands.vecs0", "max");
		check(counter_value("preemption_commands.vecs0", "samples") == !mode && n == 2u * !mode,
		      "arbitration %s: after %u commands", what, n);
		bench_stop();
	}
}

/*
 * A batch loops without MI_ARB_CHECK, but with a command of the render pipelines at which it may be preempted (DG1
 * Vol 2a, "MI_BATCH_BUFFER_START", list of preemptible commands).
 */
static void preemption_at(uint32_t header, unsigned int dwords, const char *name)
{
	const uint32_t base = RCS0_BASE;
	const unsigned int times = 3;
	struct ctx a, b;

	counters_reset();
	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
	batch(&a, INC(COUNTER), header);
	for (unsigned int i = 1; i < dwords; i++)
		batch(&a, 0);
	batch(&a, INC(AFTER),
	      MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | IGEN_PREP(MI_COND_BBE_OP_MASK, 4u), 0,
	      PPGTT(FLAG), LOOP(&a, CTX_BATCH));
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	for (unsigned int i = 1; i <= times; i++) {
		uint32_t rounds = get(COUNTER);

		check(wait_for(get(COUNTER) > rounds), "%s: a batch loops", name);
		put(OUT, 0);
		ctx_init(&b, 1, base, CTL_FRESH);
		ring(&b, STORE(OUT, 1));
		submit(base, &b);
		check(wait_for(get(OUT) == 1 && idle(base)), "%s: another context preempts it", name);
		check(counted("preemptions") == i, "%s: which is counted", name);
		check(get(image_pa(&a, CTX_BB_HEAD_L)) == (va(a.batch + (3 + dwords) * 4) | BB_HEAD_VALID),
		      "%s: it goes on behind the command", name);
		elsp(base, a.desc, 0);
	}
	put(FLAG, 1);
	check(wait_for(idle(base)), "%s: and ends", name);
	check(get(COUNTER) > times && get(COUNTER) == get(AFTER) &&
	      counter_value("commands", name) == get(COUNTER), "%s: each command ran once a round", name);
	bench_stop();
}

static void no_preemption_in_batch(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a, b;

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	ctx_init(&b, 1, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
	batch(&a, INC(COUNTER),
	      MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | IGEN_PREP(MI_COND_BBE_OP_MASK, 4u), 0,
	      PPGTT(FLAG), LOOP(&a, CTX_BATCH));
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	check(wait_for(get(COUNTER) > 2), "a batch loops without MI_ARB_CHECK");
	ring(&b, STORE(OUT, 1));
	submit(base, &b);
	check(wait_for(get(COUNTER) > 200) && get(OUT) == 0 && csb_pointer(base) == 0,
	      "it is not preempted");
	put(FLAG, 1);
	check(wait_for(idle(base)) && get(OUT) == 1, "the list is taken at the end");
	bench_stop();
}

static void semaphore_switch(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a, b;

	bench_start(NULL);
	ctx_init(&a, 0, base, IGEN_MASKED_ENABLE(CTX_CTL_RESTORE_INHIBIT) |
		 IGEN_MASKED_DISABLE(CTX_CTL_INHIBIT_SYN_CTX_SWITCH));
	ctx_init(&b, 1, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
	ring(&a, INC(COUNTER), WAIT_SET(FLAG), INC(COUNTER));
	ring(&b, STORE(FLAG, 1));
	ctx_tail(&a);
	ctx_tail(&b);
	elsp(base, a.desc, b.desc);
	check(wait_for(idle(base)), "a wait that may switch lets the second element run");
	check(csb_is(base, 1, CSB_WAIT_ON_SEMAPHORE | CSB_ELEMENT_SWITCH, id(&a)),
	      "with its event");
	check(get(COUNTER) == 1, "what is behind the wait did not run");
	elsp(base, a.desc, 0);
	check(wait_for(idle(base)) && get(COUNTER) == 2, "it did when the context came back");
	bench_stop();
}

static void isolation(void)
{
	const uint32_t base = BCS0_BASE;
	struct ctx a, b;

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	ring(&a, MI_LOAD_REGISTER_IMM(2), RING_GPR(base, 0), 0x11, RING_GPR(base, 15) + 4, 0x22);
	ring(&a, MI_LOAD_REGISTER_IMM(1), BCS_SWCTRL, IGEN_MASKED_ENABLE(BCS_SWCTRL_DST_Y));
	check(run(base, &a), "a context sets registers");
	/* A clean image, as a driver copies it. */
	ctx_init(&b, 1, base, CTL_NORMAL);
	memcpy(ram + b.pa + LRC_STATE_OFFSET + CTX_LRI_HEADER_2 * 4,
	       ram + a.pa + LRC_STATE_OFFSET + CTX_LRI_HEADER_2 * 4, (0xb0 - CTX_LRI_HEADER_2) * 4);
	for (unsigned int i = 0; i < 32; i++)
		image_set(&b, CTX_LRI_HEADER_ENGINE + 2 + 2 * (11 + i), RING_GPR(base, 0) + 4 * i,
			  0);
	image_set(&b, 0x43, BCS_SWCTRL, 0xffff0000);
	ring(&b, MI_STORE_REGISTER_MEM, RING_GPR(base, 0), PPGTT(OUT));
	ring(&b, MI_STORE_REGISTER_MEM, BCS_SWCTRL, PPGTT(OUT + 4));
	put(OUT, ~0u);
	put(OUT + 4, ~0u);
	check(run(base, &b) && get(OUT) == 0 && get(OUT + 4) == 0, "another one does not see them");
	ring(&a, MI_STORE_REGISTER_MEM, RING_GPR(base, 0), PPGTT(OUT));
	ring(&a, MI_STORE_REGISTER_MEM, RING_GPR(base, 15) + 4, PPGTT(OUT + 4));
	ring(&a, MI_STORE_REGISTER_MEM, BCS_SWCTRL, PPGTT(OUT + 8));
	check(run(base, &a) && get(OUT) == 0x11 && get(OUT + 4) == 0x22 &&
	      get(OUT + 8) == BCS_SWCTRL_DST_Y,
	      "the first one gets them back");
	bench_stop();
}

static void render_state(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a, b;

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	ctx_init(&b, 1, base, CTL_FRESH);
	ring(&a, MI_LOAD_REGISTER_IMM(3), SO_WRITE_OFFSET(3), 0x100, CACHE_MODE_1,
	     IGEN_MASKED_ENABLE(0x40u), RING_PREDICATE_SRC1(base), 0x55);
	ring(&b, MI_LOAD_REGISTER_IMM(3), SO_WRITE_OFFSET(3), 0x200, CACHE_MODE_1,
	     IGEN_MASKED_DISABLE(0x40u), RING_PREDICATE_SRC1(base), 0x66);
	check(run(base, &a) && run(base, &b), "two contexts set the pipeline's registers");
	ring(&a, MI_STORE_REGISTER_MEM, SO_WRITE_OFFSET(3), PPGTT(OUT), MI_STORE_REGISTER_MEM,
	     CACHE_MODE_1, PPGTT(OUT + 4), MI_STORE_REGISTER_MEM, RING_PREDICATE_SRC1(base),
	     PPGTT(OUT + 8));
	check(run(base, &a) && get(OUT) == 0x100 && get(OUT + 4) == 0x40 && get(OUT + 8) == 0x55,
	      "each has its own");
	bench_stop();
}

/* A draw wants its state set by the context itself or by the image that it started from. */
static void state_of_draws(void)
{
	const uint32_t base = RCS0_BASE;
	const char *group = "undefined_state", *wm = "3DSTATE_WM", *ps = "3DSTATE_PS";
	struct ctx a, b;

	bench_start(NULL);
	counters_reset();
	ctx_init(&a, 0, base, CTL_FRESH);
	ring(&a, PRIMITIVE_3D | 5, 0, 0, 0, 0, 0, 0);
	check(run(base, &a) && counter_value(group, wm) == 1 && counter_value(group, ps) == 1,
	      "a draw without state is noticed");
	ring(&a, STATE_WM | 0, 0, PRIMITIVE_3D | 5, 0, 0, 0, 0, 0, 0);
	check(run(base, &a) && counter_value(group, wm) == 1 && counter_value(group, ps) == 2,
	      "and what is set is not missed any more");
	/* A new context from the image of the first. */
	ctx_init(&b, 1, base, CTL_NORMAL);
	memcpy(ram + image_pa(&b, 0x400), ram + image_pa(&a, 0x400), 0x1000 * 4);
	ring(&b, PRIMITIVE_3D | 5, 0, 0, 0, 0, 0, 0);
	check(run(base, &b) && counter_value(group, wm) == 1 && counter_value(group, ps) == 3,
	      "a copy of its image has it too");
	ctx_init(&b, 1, base, CTL_FRESH);
	memcpy(ram + image_pa(&b, 0x400), ram + image_pa(&a, 0x400), 0x1000 * 4);
	ring(&b, PRIMITIVE_3D | 5, 0, 0, 0, 0, 0, 0);
	check(run(base, &b) && counter_value(group, wm) == 2, "unless nothing is restored");
	bench_stop();
}

static void workaround_buffers(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a;

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
	/* One cache line without an end, then a batch with one. */
	batch(&a, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(OUT), 1);
	batch_at(&a, CTX_BATCH2);
	batch(&a, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(OUT + 4), 2, MI_BATCH_BUFFER_END);
	put(a.pa + CTX_BATCH + 64, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT);
	put(a.pa + CTX_BATCH + 68, OUT + 8);
	put(a.pa + CTX_BATCH + 76, 3);
	image_set(&a, CTX_INDIRECT_CTX, RING_INDIRECT_CTX(base), (a.pa + CTX_BATCH) | 1);
	image_set(&a, CTX_BB_PER_CTX_PTR, RING_BB_PER_CTX_PTR(base),
		  (a.pa + CTX_BATCH2) | BB_PER_CTX_VALID);
	ring(&a, INC(COUNTER));
	check(run(base, &a) && get(OUT) == 1 && get(OUT + 4) == 2,
	      "the indirect and the per-context batch ran");
	check(get(OUT + 8) == 0, "the indirect one ends with its last cache line");
	check(get(COUNTER) == 1 && !(get(image_pa(&a, CTX_BB_HEAD_L)) & BB_HEAD_VALID),
	      "and the ring after them");
	bench_stop();
}

static void resets(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a, b;

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	ctx_init(&b, 1, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
	ring(&a, INC(COUNTER), WAIT_SET(FLAG), INC(COUNTER));
	submit(base, &a);
	check(wait_for(get(COUNTER) == 1 && (rd(RING_IPEHR(base)) >> 23) == MI_OP_SEMAPHORE_WAIT),
	      "a context hangs in a wait");
	check(rd(RING_ACTHD(base)) == a.pa + CTX_RING + 12, "ACTHD says where");
	for (unsigned int i = 0; i < 10; i++) {
		wr(RING_MI_MODE(base), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
		check(idle(base), "STOP_RING stops it before the write returns");
		wr(RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
		check(wait_for(!idle(base)), "and it goes on");
		wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
		check(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET, "it gets ready to reset in the same way");
		wr(RING_RESET_CTL(base), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
		check(wait_for(!idle(base)), "and goes on without one");
	}
	wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	check(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET, "it gets ready to reset");
	wr(GDRST, GDRST_RENDER);
	check(rd(GDRST) == 0, "and is reset");
	put(FLAG, 1);
	check(idle(base) && rd(RING_HEAD(base)) == 0 && rd(RING_HWS_PGA(base)) == 0 &&
	      !(rd(RING_MODE(base)) & GFX_MODE_EXECLIST_ENABLE),
	      "registers have their reset values");
	check((rd(RING_CTX_STATUS_PTR(base)) & CTX_STATUS_PTR_WRITE_MASK) == GEN9_CSB_RESET_PTR,
	      "the event pointer too");
	check(get(image_pa(&a, CTX_RING_HEAD)) == 0, "nothing was saved");
	wr(RING_HWS_PGA(base), hwsp(base));
	wr(RING_MODE(base), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	wr(RING_RESET_CTL(base), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
	wr(RING_IMR(base), 0);
	ring(&b, STORE(OUT, 9));
	check(run(base, &b) && get(OUT) == 9 &&
	      csb_is(base, 1, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, id(&b)),
	      "another context runs, events start at entry 0");
	check(get(COUNTER) == 1, "the old one did not go on");
	bench_stop();
}

static void unknown_in_batch(struct ctx *a)
{
	ctx_init(a, 0, RCS0_BASE, CTL_FRESH);
	put(OUT, 0);
	batch(a, MI_NOOP, 0xdeadbeef, STORE(OUT, 1), MI_BATCH_BUFFER_END);
	ring_batch(a, CTX_BATCH, true);
}

static void stops(void)
{
	static const char *const lax[] = { "strict=off", NULL };
	const uint32_t base = RCS0_BASE;
	struct ctx a;

	counters_reset();
	bench_start(NULL);
	wr(RING_EMR(base), ~EIR_INSTRUCTION_ERROR);
	wr(RING_HWS_PGA(base), PA_HWSP);
	unknown_in_batch(&a);
	submit(base, &a);
	check(wait_for(rd(RING_EIR(base)) == EIR_INSTRUCTION_ERROR),
	      "an unknown opcode is an error");
	check(irq(GT_IRQ_CS_ERROR) && rd(RING_IPEHR(base)) == 0xdeadbeef,
	      "with an interrupt and the header");
	check(rd(RING_ACTHD(base)) == va(a.pa + CTX_BATCH + 4) && !idle(base) && get(OUT) == 0,
	      "the engine stopped there");
	check(counter_value("unknown_opcodes", "dead0000") == 1, "and named it");
	wr(RING_EIR(base), EIR_INSTRUCTION_ERROR);
	check(rd(RING_EIR(base)) == 0, "error bits are written to be cleared");
	wr(GDRST, GDRST_FULL);
	check(idle(base), "a full reset brings it back");
	bench_stop();

	bench_start(lax);
	unknown_in_batch(&a);
	submit(base, &a);
	check(wait_for(idle(base)) && get(OUT) == 1, "not strict: the unknown opcode is skipped");
	bench_stop();

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	ring(&a, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, 0x1000, 0);
	submit(base, &a);
	check(wait_for(counter_value("engine_halts", "page fault on a fetch") == 1),
	      "a fetch that faults stops the engine");
	check(rd(RING_FAULT_REG) & 1, "and fills the fault register");
	bench_stop();

	bench_start(NULL);
	ctx_init(&a, 0, base, CTL_FRESH);
	put(image_pa(&a, CTX_LRI_HEADER_0), 0x70000000);
	submit(base, &a);
	check(wait_for(counter_value("engine_halts",
				     "context image holds something else than MI commands") == 1),
	      "an image that is no program stops the engine");
	bench_stop();
}

static void faults_on_purpose(void)
{
	static const char *const hang[] = { "fault_hang=2", NULL };
	static const char *const lost[] = { "fault_lost_csb=rcs0:2", NULL };
	static const char *const late[] = { "fault_late_csb=1", "late_csb_us=30000", NULL };
	static const char *const reset[] = { "fault_reset=1", NULL };
	const uint32_t base = RCS0_BASE;
	struct ctx a;
	uint64_t start;

	bench_start(hang);
	ctx_init(&a, 0, base, CTL_FRESH);
	put(COUNTER, 0);
	batch(&a, INC(COUNTER), MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	check(run(base, &a), "the first batch runs");
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	check(wait_for(counter_value("faults_injected", "hang") == 1) && !idle(base) &&
	      get(COUNTER) == 1,
	      "the second one hangs");
	wr(GDRST, GDRST_RENDER);
	check(idle(base), "until the reset");
	bench_stop();

	bench_start(lost);
	ctx_init(&a, 0, base, CTL_FRESH);
	memset(ram + PA_HWSP, 0, 4096);
	ring(&a, MI_NOOP);
	check(run(base, &a) && csb_pointer(base) == 0 && csb_status(base, 1) == 0,
	      "the second event is lost");
	ring(&a, MI_NOOP);
	check(run(base, &a) && csb_pointer(base) == 2, "the next ones are not");
	bench_stop();

	bench_start(late);
	ctx_init(&a, 0, base, CTL_FRESH);
	ring(&a, MI_NOOP);
	start = now_ns();
	check(run(base, &a) && now_ns() - start >= 30000000, "the first event is late");
	bench_stop();

	bench_start(reset);
	wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	check(!(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET),
	      "the first reset request is not answered");
	wr(RING_RESET_CTL(base), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
	wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	check(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET, "the second one is");
	bench_stop();
}

/* Starts an engine on one batch that increments COUNTER, with a fault that comes to it. */
static void start_faulty(struct ctx *a, const char *fault)
{
	const char *const set[] = { fault, NULL };

	counters_reset();
	bench_start(set);
	ctx_init(a, 0, RCS0_BASE, CTL_FRESH);
	put(COUNTER, 0);
	put(FLAG, 1);
	batch(a, WAIT_SET(FLAG), INC(COUNTER), MI_BATCH_BUFFER_END);
	ring_batch(a, CTX_BATCH, true);
	submit(RCS0_BASE, a);
}

/* The engine is in what the fault made of it: no list gets in, a reset gets ready and ends it. */
static void expect_stuck(struct ctx *a, const char *name)
{
	const uint32_t base = RCS0_BASE;
	struct ctx b;

	check(wait_for(counter_value("faults_injected", name) == 1) && !idle(base),
	      "fault: %s", name);
	ctx_init(&b, 1, base, CTL_FRESH);
	ring(&b, STORE(OUT, 0x99));
	put(OUT, 0);
	submit(base, &b);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	check(get(COUNTER) == 0 && get(OUT) == 0, "%s: nothing goes on, nothing gets in", name);
	wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	check(wait_for(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET),
	      "%s: it gets ready to reset", name);
	wr(GDRST, GDRST_RENDER);
	wr(RING_RESET_CTL(base), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
	wr(RING_MODE(base), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	wr(RING_HWS_PGA(base), hwsp(base));
	put(image_pa(a, CTX_RING_HEAD), 0);
	check(run(base, a) && get(COUNTER) == 1, "%s: after it the engine works", name);
	bench_stop();
}

static void stuck_on_purpose(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a, b;

	start_faulty(&a, "fault_spin=1");
	check(wait_for(counter_value("faults_injected", "spin") == 1), "a batch spins");
	check(wait_for(rd(RING_ACTHD(base)) == va(a.pa + CTX_BATCH)), "ACTHD is at its start");
	wr(RING_MI_MODE(base), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	check(wait_for(idle(base)), "STOP_RING stops it");
	wr(RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	check(wait_for(!idle(base)), "for as long as it is set");
	expect_stuck(&a, "spin");

	start_faulty(&a, "fault_semaphore=rcs0:1");
	expect_stuck(&a, "semaphore");

	start_faulty(&a, "fault_page_fault=1");
	check(wait_for(rd(RING_FAULT_REG) & RING_FAULT_VALID) &&
	      rd(FAULT_TLB_DATA0) == (VA + a.pa + CTX_BATCH) >> 12,
	      "a page fault at the batch, in the fault registers");
	expect_stuck(&a, "page_fault");

	/* What waits preemptibly is not preempted, and goes on by itself when it can. */
	start_faulty(&a, "fault_no_preempt=1");
	check(wait_for(idle(base)) && get(COUNTER) == 1, "no preemption, no fault");
	put(FLAG, 0);
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	check(wait_for(counter_value("semaphore_waits", "rcs0") == 1), "it waits");
	ctx_init(&b, 1, base, CTL_FRESH);
	ring(&b, STORE(OUT, 0x98));
	put(OUT, 0);
	submit(base, &b);
	check(wait_for(counter_value("faults_injected", "no_preempt") == 1),
	      "fault: a preemption is ignored");
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	check(get(OUT) == 0 && !idle(base) && !counted("preemptions"), "for as long as it waits");
	put(FLAG, 1);
	check(wait_for(get(OUT) == 0x98) && get(COUNTER) == 2, "behind it the list comes in");
	check(wait_for(idle(base)), "and ends");
	put(FLAG, 0);
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	check(wait_for(counter_value("semaphore_waits", "rcs0") == 2), "it waits again");
	ring(&b, STORE(OUT, 0x97));
	submit(base, &b);
	check(wait_for(get(OUT) == 0x97), "the next preemption is not ignored");
	bench_stop();
}

static void off_the_bus(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a;

	start_faulty(&a, "fault_off_bus=2");
	check(wait_for(idle(base)) && get(COUNTER) == 1, "the device is there");
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	check(counter_value("faults_injected", "off_bus") == 1, "fault: it falls off the bus");
	check(pci_bar_read(gpu, PCI_BAR0, GDRST, 4) == ~0ull &&
	      pci_bar_read(gpu, PCI_BAR0, GTTMMADR_GGTT_OFFSET, 8) == ~0ull &&
	      pci_bar_read(gpu, PCI_BAR2, 0, 4) == ~0ull && pci_cfg_read(gpu, 0, 4) == ~0u,
	      "all reads give ones");
	pci_bar_write(gpu, PCI_BAR0, RING_TAIL(base), 4, 0x1000);
	pci_cfg_write(gpu, 4, 2, 0);
	check(get(COUNTER) == 1, "nothing runs");
	pci_reset(gpu);
	check(pci_cfg_read(gpu, 0, 2) == 0x8086 && idle(base),
	      "a reset of the platform brings it back");
	bench_stop();
}

/* A driver has to stop the engines before the function loses the right to access memory. */
static void bus_mastering(void)
{
	const uint32_t base = RCS0_BASE;
	struct ctx a;

	counters_reset();
	bench_start(NULL);
	pci_cfg_write(gpu, 4, 2, 6);
	pci_cfg_write(gpu, 4, 2, 2);
	check(!counted("left_running"), "bus mastering goes off on an idle engine");
	pci_cfg_write(gpu, 4, 2, 6);
	ctx_init(&a, 0, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
	batch(&a, INC(COUNTER), LOOP(&a, CTX_BATCH));
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	check(wait_for(get(COUNTER) > 2), "a batch loops");
	pci_cfg_write(gpu, 4, 2, 7);
	check(!counted("left_running"), "bus mastering stays on");
	pci_cfg_write(gpu, 4, 2, 3);
	check(counted("left_running") == 1 && !counter_value("left_running", "bcs0"),
	      "it goes off under a running engine");
	pci_cfg_write(gpu, 4, 2, 7);
	wr(GDRST, GDRST_RENDER);
	check(wait_for(idle(base)), "a reset ends the batch");
	pci_cfg_write(gpu, 4, 2, 3);
	check(counted("left_running") == 1, "and bus mastering goes off on the stopped engine");
	bench_stop();
}

static void ring_mode(void)
{
	const uint32_t base = BCS0_BASE;
	struct ctx a;

	bench_start(NULL);
	wr(RING_MODE(base), IGEN_MASKED_DISABLE(GFX_MODE_EXECLIST_ENABLE));
	ctx_init(&a, 0, base, CTL_FRESH);
	ring(&a, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(OUT), 0x77, MI_STORE_DATA_INDEX | 0,
	     0x100, 0x99);
	wr(RING_START(base), a.pa + CTX_RING);
	wr(RING_HEAD(base), 0);
	wr(RING_CTL(base), (RING_PAGES - 1) << 12 | RING_CTL_VALID);
	wr(RING_TAIL(base), a.tail);
	check(wait_for(rd(RING_HEAD(base)) == a.tail) && get(OUT) == 0x77,
	      "ring mode: a tail write starts it");
	check(get(hwsp(base) + 0x100) == 0x99, "and the status page is the global one");
	check(csb_pointer(base) == 0 && csb_status(base, 0) == 0, "without events");
	bench_stop();
}

int main(void)
{
	one_context();
	two_elements();
	ring_wraps();
	lite_restore();
	preemption(false);
	preemption(true);
	arbitration();
	preemption_at(PRIMITIVE_3D | 5, 7, "3DPRIMITIVE");
	preemption_at(MEDIA_OBJECT | 4, 6, "MEDIA_OBJECT");
	preemption_at(MEDIA_OBJECT_WALKER | 15, 17, "MEDIA_OBJECT_WALKER");
	no_preemption_in_batch();
	semaphore_switch();
	isolation();
	render_state();
	state_of_draws();
	workaround_buffers();
	resets();
	stops();
	faults_on_purpose();
	stuck_on_purpose();
	off_the_bus();
	bus_mastering();
	ring_mode();
	return test_end();
}
