// SPDX-License-Identifier: MIT
/**
 * DOC: Flow control
 *
 * Every channel has an instruction pointer of its own, PcIP (IVB Vol 4 Part 3, 6.2). The thread's ip is
 * where it executes; channels whose PcIP is that run, the others wait until the ip comes to theirs.
 * thread->running has the channels that run, thread->pc the PcIP of the others. A channel that was
 * not dispatched moves with the flags as all do, but decides nothing.
 *
 * A branch sends channels that run elsewhere (leave()). Then the thread goes to the next instruction,
 * or, if no enabled channel is there, to the branch's JIP (proceed()). With single program flow
 * (cr0.0 bit 2) branches are jumps of the whole thread.
 */
#include <emmintrin.h>

#include "internal.h"

/* Bits of an ip that filter_bit() takes. */
#define FILTER_BITS	0x1f8u

static uint64_t filter_bit(uint32_t ip)
{
	return 1ull << ip / 8 % 64;
}

static uint64_t filter_of(const struct eu_thread *thread)
{
	uint64_t filter = 0;
	uint32_t left;

	for (left = ~thread->running; left; left &= left - 1)
		filter |= filter_bit(thread->pc[__builtin_ctz(left)]);
	return filter;
}

static uint32_t dispatched(const struct eu_thread *thread)
{
	return thread->cr[0] & EU_CR0_VECTOR_MASK ? thread->vector_mask : thread->dispatch_mask;
}

static bool scalar_flow(const struct eu_thread *thread)
{
	return thread->cr[0] & EU_CR0_SPF;
}

/* In single program flow all channels have the thread's ip (IVB Vol 4 Part 3, 1.1), those too that waited before it. */
static void set_running(struct eu_core *core, struct eu_thread *thread, uint32_t running)
{
	thread->running = running;
	core->emask = scalar_flow(thread) ? dispatched(thread) : running & dispatched(thread);
}

void eu_refresh(struct eu_core *core, struct eu_thread *thread)
{
	static const uint8_t rounding[] = { 0, 2, 1, 3 };
	uint32_t cr = thread->cr[0], flush = EU_MXCSR_DAZ | EU_MXCSR_FTZ;

	core->mxcsr_hf = EU_MXCSR_DEFAULT | (uint32_t)rounding[(cr & EU_CR0_ROUND_MASK) >> EU_CR0_ROUND_SHIFT] <<
					    EU_MXCSR_ROUND_SHIFT;
	core->mxcsr = core->mxcsr_hf | (core->traits->keeps_denormals && cr & EU_CR0_DENORM_F ? 0 : flush);
	core->mxcsr_df = core->mxcsr_hf | (cr & EU_CR0_DENORM_DF ? 0 : flush);
	eu_set_mxcsr(core->mxcsr);
	set_running(core, thread, thread->running);
	core->filter = filter_of(thread);
}

/* Those of 16 channels from the first one of @pc on, whose PcIP in the bits of @mask is @value. */
static uint32_t channels_at(const uint32_t *pc, uint32_t mask, uint32_t value)
{
	const __m128i wanted = _mm_set1_epi32((int)value), bits = _mm_set1_epi32((int)mask);
	__m128i at[4];

	for (unsigned int i = 0; i < 4; i++) {
		__m128i four = _mm_loadu_si128((const __m128i *)(pc + 4 * i));

		at[i] = _mm_cmpeq_epi32(_mm_and_si128(four, bits), wanted);
	}
	at[0] = _mm_packs_epi32(at[0], at[1]);
	at[2] = _mm_packs_epi32(at[2], at[3]);
	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(at[0], at[2]));
}

/* Channels that wait at an ip, as far as the bits of @mask tell. */
static uint32_t waiting_in(const struct eu_thread *thread, uint32_t mask, uint32_t ip)
{
	uint32_t waiting = ~thread->running, here = 0;

	if (waiting & 0xffff)
		here = channels_at(thread->pc, mask, ip & mask);
	if (waiting >> 16)
		here |= channels_at(thread->pc + 16, mask, ip & mask) << 16;
	return here & waiting;
}

static uint32_t waiting_at(const struct eu_thread *thread, uint32_t ip)
{
	return waiting_in(thread, ~0u, ip);
}

/* Channels that wait at the thread's ip run. Its bit of the filter stays if others wait at an ip with the same bit. */
void eu_arrive(struct eu_core *core, struct eu_thread *thread)
{
	uint32_t ip = thread->ip, here = waiting_at(thread, ip);

	if (here)
		set_running(core, thread, thread->running | here);
	if (!waiting_in(thread, FILTER_BITS, ip))
		core->filter &= ~filter_bit(ip);
}

/* Sets the PcIP of channels, four at a time. */
static void set_pc(uint32_t *to, uint32_t channels, uint32_t pc)
{
	const __m128i bit = _mm_set_epi32(8, 4, 2, 1), new = _mm_set1_epi32((int)pc);

	for (; channels; channels >>= 4, to += 4) {
		__m128i lanes = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)channels), bit), bit);
		__m128i old = _mm_loadu_si128((const __m128i *)to);

		old = _mm_or_si128(_mm_and_si128(lanes, new), _mm_andnot_si128(lanes, old));
		_mm_storeu_si128((__m128i *)to, old);
	}
}

static void leave(struct eu_core *core, struct eu_thread *thread, uint32_t channels, uint32_t pc)
{
	if (!channels)
		return;
	set_pc(thread->pc, channels, pc);
	core->filter |= filter_bit(pc);
	set_running(core, thread, thread->running & ~channels);
}

static void go(struct eu_core *core, struct eu_thread *thread, uint32_t ip)
{
	thread->ip = ip;
	if (core->filter & filter_bit(ip))
		eu_arrive(core, thread);
}

static uint32_t after(const struct eu_uop *uop)
{
	return uop->ip + uop->size;
}

static void proceed(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t jip)
{
	go(core, thread, after(uop));
	if (!core->emask)
		go(core, thread, jip);
}

static uint32_t channels_of(const struct eu_uop *uop)
{
	return uop->lanes << uop->offset;
}

/* Running channels of the instruction whose predicate is on, by dispatch channels. */
static uint32_t predicated(const struct eu_core *core, const struct eu_thread *thread, const struct eu_uop *uop)
{
	uint32_t channels = thread->running & channels_of(uop);

	return uop->predicate ? channels & eu_pmask(core, thread, uop) << uop->offset : channels;
}

static bool scalar_predicate(const struct eu_core *core, const struct eu_thread *thread, const struct eu_uop *uop)
{
	return eu_pmask(core, thread, uop) & 1;
}

static uint32_t jip_of(const struct eu_uop *uop)
{
	return uop->ip + (uint32_t)uop->cold->inst.jump[0];
}

static uint32_t uip_of(const struct eu_uop *uop)
{
	return uop->ip + (uint32_t)uop->cold->inst.jump[uop->cold->inst.njumps > 1];
}

/* A scalar branch: to UIP, if the predicate is on. */
static void scalar_branch(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, bool taken,
			  uint32_t target)
{
	go(core, thread, taken ? target : after(uop));
}

/* Where a channel goes that leaves a loop: from Gen7 on UIP is the while itself. */
static uint32_t loop_end(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop)
{
	uint32_t end = uip_of(uop);
	struct eu_uop *loop;

	if (!core->traits->break_after)
		return end;
	loop = eu_lookup(core, thread, end);
	return loop ? end + loop->size : end;
}

/* A float as cmp takes it: denormals of F are zero. */
static double compared(const struct eu_operand *o, uint64_t raw)
{
	return o->type == ISA_TYPE_F ? eu_flush((float)eu_double_of(o, raw)) : eu_double_of(o, raw);
}

/* Gen6: a compare in if and while sets the predicate. Its two sources are integers or floats of one type. */
static uint32_t embedded_compare(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop)
{
	const struct eu_cold *cold = uop->cold;
	uint64_t raw[2][EU_CHANNELS];
	uint32_t bits = 0;
	unsigned int n, i;

	for (i = 0; i < 2; i++)
		if (!eu_load(core, thread, &cold->src[i], uop->exec, core->emask >> uop->offset, raw[i]))
			return 0;
	for (n = 0; n < uop->exec; n++) {
		bool on = cold->class == EU_INT ?
			  eu_condition_int(uop->cond, eu_integer_of(&cold->src[0], raw[0][n]) -
					   eu_integer_of(&cold->src[1], raw[1][n])) :
			  eu_condition_double(uop->cond, compared(&cold->src[0], raw[0][n]),
					      compared(&cold->src[1], raw[1][n]));

		bits |= (uint32_t)on << n;
	}
	return bits << uop->offset;
}

static uint32_t condition_of(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop)
{
	uint32_t channels = predicated(core, thread, uop);

	return uop->cond ? channels & embedded_compare(core, thread, uop) : channels;
}

static void flow_if(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	uint32_t on = condition_of(core, thread, uop);

	if (thread->fault)
		return;
	if (scalar_flow(thread)) {
		scalar_branch(core, thread, uop, uop->cond ? !(on & 1) : !scalar_predicate(core, thread, uop),
			      core->traits->break_after ? uip_of(uop) : jip_of(uop));
		return;
	}
	leave(core, thread, thread->running & channels_of(uop) & ~on, jip_of(uop));
	proceed(core, thread, uop, jip_of(uop));
}

static void flow_else(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	if (scalar_flow(thread)) {
		scalar_branch(core, thread, uop, true, uip_of(uop));
		return;
	}
	leave(core, thread, thread->running & channels_of(uop), core->traits->branch_uip ? uip_of(uop) : jip_of(uop));
	proceed(core, thread, uop, jip_of(uop));
}

static void flow_endif(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	if (scalar_flow(thread))
		go(core, thread, after(uop));
	else
		proceed(core, thread, uop, jip_of(uop));
}

/*
 * The channels in on go to target, and the thread with them; channels that waited there already count ("any PcIP":
 * IVB Vol 4 Part 3, 6.13). If there are none, the thread goes on. Returns: it has gone to target.
 */
static bool branch_followed(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop, uint32_t on,
			    uint32_t target)
{
	/* No channel waits at the target: those in on do not leave the thread. */
	if (on & dispatched(thread) && !(core->filter & filter_bit(target))) {
		leave(core, thread, thread->running & ~on, after(uop));
		thread->ip = target;
		return true;
	}
	leave(core, thread, on, target);
	if (!(waiting_at(thread, target) & dispatched(thread))) {
		go(core, thread, after(uop));
		return false;
	}
	leave(core, thread, thread->running, after(uop));
	go(core, thread, target);
	return true;
}

static void flow_while(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	uint32_t on = condition_of(core, thread, uop);

	if (thread->fault)
		return;
	if (scalar_flow(thread))
		scalar_branch(core, thread, uop, uop->cond ? on & 1 : scalar_predicate(core, thread, uop), jip_of(uop));
	else
		branch_followed(core, thread, uop, on, jip_of(uop));
}

static void leave_predicated(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop, uint32_t target)
{
	if (thread->fault)
		return;
	if (scalar_flow(thread)) {
		scalar_branch(core, thread, uop, scalar_predicate(core, thread, uop), target);
		return;
	}
	leave(core, thread, predicated(core, thread, uop), target);
	proceed(core, thread, uop, jip_of(uop));
}

static void flow_break(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	leave_predicated(core, thread, uop, loop_end(core, thread, uop));
}

/* cont and halt. */
static void flow_leave(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	leave_predicated(core, thread, uop, uip_of(uop));
}

/* The first dword of a branch's register. */
static bool offset_register(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t *value)
{
	uint64_t raw[2] = { 0 };

	if (!uop->cold->inst.nsources) {
		*value = 0;
		return false;
	}
	eu_load(core, thread, &uop->cold->src[0], 1, 1, raw);
	*value = (uint32_t)raw[0];
	return true;
}

/* JIP and UIP of brd and brc, which may be in a register: of Gen7 two words, later two dwords. */
static void branch_targets(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t *jip,
			   uint32_t *uip)
{
	unsigned int unit = core->traits->register_unit;
	const uint8_t *grf = thread->grf[0];
	uint64_t raw[2] = { 0 };

	if (!uop->cold->inst.nsources) {
		*jip = jip_of(uop);
		*uip = uip_of(uop);
		return;
	}
	eu_load(core, thread, &uop->cold->src[0], 1, 1, raw);
	*jip = uop->ip + (unit == 8 ? (uint32_t)((int16_t)raw[0] * 8) : (uint32_t)raw[0]);
	*uip = *jip;
	if (uop->op != ISA_OP_BRC)
		return;
	if (unit == 8) {
		*uip = uop->ip + (uint32_t)((int16_t)(raw[0] >> 16) * 8);
	} else if (uop->cold->src[0].place == EU_GRF && !uop->cold->src[0].indirect &&
		   uop->cold->src[0].off[0] + 8 <= EU_GRF_END) {
		memcpy(&raw[1], grf + uop->cold->src[0].off[0] + 4, 4);
		*uip = uop->ip + (uint32_t)raw[1];
	} else {
		thread->fault = "brc whose offsets are in no general register";
	}
}

static void flow_brd(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	uint32_t jip, uip;

	branch_targets(core, thread, uop, &jip, &uip);
	if (thread->fault)
		return;
	if (scalar_flow(thread))
		scalar_branch(core, thread, uop, scalar_predicate(core, thread, uop), jip);
	else
		branch_followed(core, thread, uop, predicated(core, thread, uop), jip);
}

static void flow_brc(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	uint32_t jip, uip;

	branch_targets(core, thread, uop, &jip, &uip);
	if (thread->fault)
		return;
	if (scalar_flow(thread)) {
		scalar_branch(core, thread, uop, scalar_predicate(core, thread, uop), uip);
		return;
	}
	leave(core, thread, predicated(core, thread, uop), uip);
	proceed(core, thread, uop, jip);
}

/*
 * Branch control says which channels wait at UIP's join. With it, predicated channels go to UIP and the thread follows
 * them. Without it, channels that lack the predicate wait at UIP (DG1 Vol 2a "goto", the text: the pseudo-code has
 * predicated channels wait there, but Intel's OpenCL compiler writes for Gen9 what the text says).
 */
static void flow_goto(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	bool to_uip = uop->cold->inst.branch_ctrl;
	uint32_t on = predicated(core, thread, uop);

	if (scalar_flow(thread)) {
		scalar_branch(core, thread, uop, scalar_predicate(core, thread, uop) == to_uip, uip_of(uop));
		return;
	}
	if (!to_uip) {
		leave(core, thread, thread->running & channels_of(uop) & ~on, uip_of(uop));
		proceed(core, thread, uop, jip_of(uop));
		return;
	}
	if (!branch_followed(core, thread, uop, on, uip_of(uop)) && !core->emask)
		go(core, thread, jip_of(uop));
}

static void flow_join(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	if (scalar_flow(thread)) {
		go(core, thread, after(uop));
		return;
	}
	leave(core, thread, thread->running & channels_of(uop) & ~predicated(core, thread, uop), uop->ip);
	proceed(core, thread, uop, jip_of(uop));
}

static void flow_jmpi(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	uint32_t target = jip_of(uop), offset;

	if (offset_register(core, thread, uop, &offset))
		target = (core->traits->jmpi_next ? after(uop) : uop->ip) + offset * core->traits->register_unit;
	if (thread->fault)
		return;
	go(core, thread, scalar_predicate(core, thread, uop) ? target : after(uop));
}

/* call and ret are for all channels, whatever the execution size of their two dwords is. */
static uint32_t calling(const struct eu_core *core, const struct eu_thread *thread, const struct eu_uop *uop)
{
	uint32_t pmask = uop->predicate ? eu_pmask(core, thread, uop) << uop->offset : ~0u;

	return core->emask & pmask;
}

static void flow_call(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	uint32_t on = calling(core, thread, uop), target = jip_of(uop), offset;
	uint64_t link[2] = { after(uop), on };

	if (offset_register(core, thread, uop, &offset))
		target = (uop->op == ISA_OP_CALLA ? 0 : uop->ip) + offset * core->traits->register_unit;
	else if (uop->op == ISA_OP_CALLA)
		target = (uint32_t)uop->cold->inst.jump[0];
	if (scalar_flow(thread))
		on = scalar_predicate(core, thread, uop) ? core->emask : 0;
	if (thread->fault)
		return;
	if (!on) {
		go(core, thread, after(uop));
		return;
	}
	if (!eu_store(core, thread, &uop->cold->dst, 2, 3, link))
		return;
	thread->call_mask = on;
	if (!scalar_flow(thread))
		leave(core, thread, thread->running & ~on, after(uop));
	go(core, thread, target);
}

static void flow_ret(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	uint32_t on = calling(core, thread, uop);
	uint64_t link[2] = { 0 };

	if (!eu_load(core, thread, &uop->cold->src[0], 2, 3, link))
		return;
	if (scalar_flow(thread)) {
		if (scalar_predicate(core, thread, uop))
			thread->call_mask = (uint32_t)link[1];
		scalar_branch(core, thread, uop, scalar_predicate(core, thread, uop), (uint32_t)link[0]);
		return;
	}
	thread->call_mask &= ~on;
	leave(core, thread, on, (uint32_t)link[0]);
	if (thread->call_mask & dispatched(thread)) {
		go(core, thread, after(uop));
		return;
	}
	/* Channels that did not return wait behind it. */
	leave(core, thread, thread->running, after(uop));
	thread->call_mask = (uint32_t)link[1];
	go(core, thread, (uint32_t)link[0]);
}

static void flow_wait(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	const struct isa_operand *src = &uop->cold->inst.src[0];
	unsigned int n = src->subreg / 4;

	if (src->file != ISA_ARF || src->reg >> 4 != 9 || n > 2) {
		thread->fault = "wait for something else than a notification register";
		return;
	}
	if (!thread->n[n]) {
		core->stop = EU_WAIT;
		core->stopped = true;
		return;
	}
	thread->n[n]--;
	go(core, thread, after(uop));
}

/*
 * sync.bar and sync.host wait for bit 0 of n0.0 and n0.1, and clear it (DG1 Vol 2a "sync": a barrier has the bit of its
 * number, that without a number is 0); others have nothing to wait for.
 */
static void flow_sync(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	unsigned int function = uop->cold->inst.function, n = function == ISA_SYNC_HOST;

	if (function == ISA_SYNC_BAR || function == ISA_SYNC_HOST) {
		if (!(thread->n[n] & 1)) {
			core->stop = EU_WAIT;
			core->stopped = true;
			return;
		}
		thread->n[n] &= ~1u;
	}
	go(core, thread, after(uop));
}

static void flow_unknown(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	(void)core;
	(void)uop;
	thread->fault = "case or fork, which are not modelled";
}

eu_handler eu_flow_handler(unsigned int op)
{
	static const eu_handler handlers[ISA_OPS] = {
		[ISA_OP_JMPI] = flow_jmpi, [ISA_OP_BRD] = flow_brd, [ISA_OP_BRC] = flow_brc,
		[ISA_OP_IF] = flow_if, [ISA_OP_ELSE] = flow_else, [ISA_OP_ENDIF] = flow_endif,
		[ISA_OP_WHILE] = flow_while, [ISA_OP_BREAK] = flow_break, [ISA_OP_CONT] = flow_leave,
		[ISA_OP_HALT] = flow_leave, [ISA_OP_CALLA] = flow_call, [ISA_OP_CALL] = flow_call,
		[ISA_OP_RET] = flow_ret, [ISA_OP_GOTO] = flow_goto, [ISA_OP_JOIN] = flow_join,
		[ISA_OP_WAIT] = flow_wait, [ISA_OP_SYNC] = flow_sync, [ISA_OP_CASE] = flow_unknown,
		[ISA_OP_FORK] = flow_unknown,
	};

	return handlers[op];
}
