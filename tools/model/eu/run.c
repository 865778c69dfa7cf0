// SPDX-License-Identifier: MIT
/**
 * DOC: Executing a thread
 */
#include <stdlib.h>

#include "internal.h"

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static void choose_handlers(struct eu_core *core, unsigned int features)
{
	if (features & EU_NO_FAST)
		return;
	core->fast = &eu_fast_plain;
	core->wide = &eu_wide_plain;
	if (features & EU_NO_AVX2 || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
		return;
	core->fast = &eu_fast_avx2;
	core->wide = &eu_wide_avx2;
	if (features & EU_NO_AVX512 || !has_avx512())
		return;
	core->fast = &eu_fast_avx512;
	core->wide = &eu_wide_avx512;
}

struct eu_core *eu_core_new(const struct isa_gen *isa, unsigned int features, const struct eu_ops *ops)
{
	struct eu_core *core = calloc(1, sizeof(*core));

	if (!core)
		return NULL;
	core->isa = isa;
	core->traits = eu_traits_of(isa);
	core->ops = ops;
	core->most_pages = EU_MAX_PAGES;
	core->dword_mul = features & EU_DWORD_MUL;
	core->mxcsr_host = __builtin_ia32_stmxcsr();
	core->mxcsr = core->mxcsr_host;
	choose_handlers(core, features);
	if (!core->traits) {
		free(core);
		return NULL;
	}
	return core;
}

void eu_core_share(struct eu_core *core, unsigned int cores)
{
	core->most_pages = cores < EU_MAX_PAGES ? EU_MAX_PAGES / cores : 1;
}

void eu_core_free(struct eu_core *core)
{
	if (!core)
		return;
	eu_cache_drop(core);
	free(core);
}

const struct eu_counters *eu_core_counters(const struct eu_core *core)
{
	return &core->counters;
}

void eu_thread_init(struct eu_thread *thread, const struct eu_core *core, uint32_t dispatch_mask)
{
	memset(thread, 0, offsetof(struct eu_thread, flag));
	eu_thread_next(thread, core, dispatch_mask);
}

void eu_thread_next(struct eu_thread *thread, const struct eu_core *core, uint32_t dispatch_mask)
{
	unsigned int n;

	(void)core;
	memset(&thread->flag, 0, sizeof(*thread) - offsetof(struct eu_thread, flag));
	thread->dispatch_mask = dispatch_mask;
	for (n = 0; n < EU_CHANNELS; n += 4)
		if (dispatch_mask >> n & 15)
			thread->vector_mask |= 15u << n;
	thread->running = ~0u;
}

uint32_t eu_channel_enables(const struct eu_core *core, const struct eu_thread *thread)
{
	return core->traits->ce_all ? thread->running : thread->running & thread->dispatch_mask;
}

/* The thread goes to its system routine, and will come back to an ip (IVB Vol 4 Part 3, 4.2.1). */
static void enter_routine(struct eu_thread *thread, uint32_t exception, uint32_t back)
{
	thread->cr[1] |= exception;
	thread->cr[2] = back;
	thread->cr[0] |= EU_CR0_EXCEPTION;
	thread->ip = thread->sip;
}

/*
 * An illegal opcode is an exception if the program has that enabled (IVB Vol 4 Part 3, 6.33). If it has not, the
 * illegal instruction does nothing. Bits that cannot be decoded are a fault then: no manual says what hardware does
 * with them.
 */
void eu_illegal(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	(void)core;
	if (thread->cr[1] & EU_CR1_ILLEGAL_ENABLE && thread->sip) {
		enter_routine(thread, EU_CR1_ILLEGAL, uop->ip);
		return;
	}
	if (uop->cold->fault) {
		thread->fault = uop->cold->fault;
		return;
	}
	thread->cr[1] |= EU_CR1_ILLEGAL;
	thread->ip = uop->ip + uop->size;
}

/*
 * An instruction with a breakpoint is an exception before it does anything, if the program has that enabled and does
 * not suppress it for once (IVB Vol 4 Part 3, 3.3.3, "Control Register"). The text that has the place of the
 * exception's own bit in cr0.1 is lost; bit 31 is the one that is left. A message that has to be sent again stays
 * suppressed.
 */
void eu_breakpoint(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	const struct eu_cold *cold = uop->cold;
	bool on = thread->cr[1] & EU_CR1_BREAKPOINT_ENABLE && !(thread->cr[0] & EU_CR0_EXCEPTION) && thread->sip;
	bool suppressed = on && thread->cr[0] & EU_CR0_SUPPRESS;

	if (on && !suppressed) {
		enter_routine(thread, EU_CR1_BREAKPOINT, uop->ip);
		return;
	}
	if (suppressed)
		thread->cr[0] &= ~EU_CR0_SUPPRESS;
	if (!cold->flow)
		thread->ip = uop->ip + uop->size;
	cold->run(core, thread, uop);
	if (suppressed && core->stopped && core->stop == EU_WAIT)
		thread->cr[0] |= EU_CR0_SUPPRESS;
}

/**
 * eu_control_written() - a program has written cr0
 * @thread: the thread; its ip is that of the next instruction
 * @in_routine: it was in its system routine before
 *
 * The routine ends when it clears the master bit, which a program cannot set. A software exception that is pending and
 * enabled comes before the next instruction (IVB Vol 4 Part 3, 3.3.3, 4.2.2 and 4.3.3).
 */
void eu_control_written(struct eu_thread *thread, bool in_routine)
{
	if (!in_routine)
		thread->cr[0] &= ~EU_CR0_EXCEPTION;
	else if (!(thread->cr[0] & EU_CR0_EXCEPTION))
		thread->ip = thread->cr[2];
	if (!(thread->cr[0] & EU_CR0_EXCEPTION) && thread->cr[1] & EU_CR1_SOFTWARE &&
	    thread->cr[1] & EU_CR1_SOFTWARE_ENABLE && thread->sip)
		enter_routine(thread, EU_CR1_SOFTWARE, thread->ip);
}

/*
 * The instruction at thread->ip, which comes after this one: the next one, or where it jumped the last time. A decoded
 * instruction belongs to one program, so ip tells which one follows. Only one that lies on the same page is known.
 */
static struct eu_uop *following(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	bool jumped = thread->ip != uop->ip + uop->size, far = (thread->ip ^ uop->ip) >= EU_PAGE_BYTES;
	struct eu_uop *known = jumped ? uop->target : uop->next;

	if (known && known->ip == thread->ip)
		return known;
	/* This frees the instruction. */
	if (eu_cache_full(core)) {
		eu_cache_drop(core);
		return eu_lookup(core, thread, thread->ip);
	}
	known = eu_lookup(core, thread, thread->ip);
	if (far || !known || known->ip % EU_PAGE_BYTES + known->size > EU_PAGE_BYTES)
		return known;
	if (jumped)
		uop->target = known;
	else
		uop->next = known;
	return known;
}

static enum eu_status execute(struct eu_core *core, struct eu_thread *thread, uint64_t budget)
{
	struct eu_uop *uop;

	if (!budget)
		return EU_BUDGET;
	uop = eu_lookup(core, thread, thread->ip);
	while (uop) {
		if (core->filter >> uop->ip / 8 % 64 & 1)
			eu_arrive(core, thread);
		core->counters.instructions[uop->op]++;
		thread->executed++;
		uop->run(core, thread, uop);
		if (__builtin_expect(!!thread->fault, 0)) {
			thread->ip = uop->ip;
			return EU_FAULT;
		}
		if (__builtin_expect(!uop->flow && uop->next, 1)) {
			uop = uop->next;
			thread->ip = uop->ip;
			if (!--budget)
				return EU_BUDGET;
			continue;
		}
		if (!uop->flow)
			thread->ip = uop->ip + uop->size;
		else if (core->stopped)
			return core->stop;
		if (!--budget)
			return EU_BUDGET;
		uop = following(core, thread, uop);
	}
	return EU_FAULT;
}

enum eu_status eu_run(struct eu_core *core, struct eu_thread *thread, uint64_t budget)
{
	enum eu_status status;

	if (thread->fault)
		return EU_FAULT;
	core->mxcsr_host = __builtin_ia32_stmxcsr();
	core->stopped = false;
	if (eu_cache_full(core))
		eu_cache_drop(core);
	eu_refresh(core, thread);
	status = execute(core, thread, budget);
	eu_set_mxcsr(core->mxcsr_host);
	return status;
}
