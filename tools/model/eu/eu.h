/* SPDX-License-Identifier: MIT */
/**
 * DOC: Execution units
 *
 * A library that runs programs of the execution units. It knows registers and instructions; memory,
 * messages and other threads are the caller's, through struct eu_ops. It needs nothing of the model
 * but this header, writes no global variable, and allocates only in eu_core_new() and for decoded
 * programs.
 *
 * struct eu_thread is a hardware thread as plain data: a copy of it is a saved thread. struct eu_core
 * is what executes threads, one at a time: a decode cache, counters and the caller's functions. One
 * host thread uses a core at a time; several cores run in parallel and share nothing.
 *
 *	core = eu_core_new(&isa_gen9, EU_DWORD_MUL, &ops);
 *	eu_thread_init(&thread, core, 0xff);		(SIMD8, all channels)
 *	thread.ip = offset of the kernel;
 *	memcpy(thread.grf, payload, ...);
 *	while (eu_run(core, &thread, 256) == EU_BUDGET)
 *		other threads' turn;
 *
 * A program can neither read nor write outside its struct eu_thread; what it does wrong is EU_FAULT
 * with a text. Every call of eu_run() ends, after the budget at the latest.
 *
 * eu_run() with a budget of 1 executes one instruction. The thread then is as the manual's
 * pseudo-code leaves it.
 */
#ifndef IGEN_MODEL_EU_H
#define IGEN_MODEL_EU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa.h"

#define EU_GRFS		128
#define EU_GRF_BYTES	32
#define EU_MRFS		24	/* Gen6 */
#define EU_CHANNELS	32
#define EU_ACCS		16	/* by the low half of their number, those of the math macros among them */
#define EU_ACC_CELLS	16

/* Bits of cr0.0. */
#define EU_CR0_ALT		(1u << 0)	/* float mode without infinities */
#define EU_CR0_ACC_DISABLE	(1u << 1)	/* implicit updates of the accumulators */
#define EU_CR0_SPF		(1u << 2)	/* single program flow: branches are scalar */
#define EU_CR0_VECTOR_MASK	(1u << 3)	/* vector_mask enables channels, not dispatch_mask */
#define EU_CR0_ROUND_SHIFT	4		/* nearest even, up, down, to zero */
#define EU_CR0_ROUND_MASK	(3u << 4)
#define EU_CR0_DENORM_DF	(1u << 6)	/* denormals are kept (Gen8+) */
#define EU_CR0_DENORM_F		(1u << 7)
#define EU_CR0_DENORM_HF	(1u << 10)
#define EU_CR0_SUPPRESS		(1u << 15)	/* the next instruction with a breakpoint executes */
#define EU_CR0_EXCEPTION	(1u << 31)	/* the system routine executes */

/* Bits of cr0.1. */
#define EU_CR1_ILLEGAL_ENABLE	(1u << 12)
#define EU_CR1_SOFTWARE_ENABLE	(1u << 13)
#define EU_CR1_BREAKPOINT_ENABLE (1u << 15)
#define EU_CR1_ILLEGAL		(1u << 28)
#define EU_CR1_SOFTWARE		(1u << 29)
#define EU_CR1_BREAKPOINT	(1u << 31)

/* What parts of one generation differ in, and which handlers are used, for eu_core_new(). */
#define EU_DWORD_MUL	(1u << 0)	/* mul of two dwords: Gen9's; else one's low word counts */
#define EU_NO_FAST	(1u << 1)	/* every instruction goes channel by channel; for comparisons */
#define EU_NO_AVX2	(1u << 2)	/* as on a processor without, nor with AVX-512; for comparisons */
#define EU_NO_AVX512	(1u << 3)	/* as on a processor without; for comparisons */

/**
 * enum eu_status - why eu_run() came back
 * @EU_BUDGET: the budget is used up; the thread goes on at its next call
 * @EU_WAIT: the thread waits for its notification register or for what a message waits for; ip is that
 *	instruction's, which is executed again at the next call
 * @EU_END: a message with EOT is done; the thread has ended
 * @EU_FAULT: eu_thread.fault says what is wrong, ip is that of the instruction; nothing of it was done
 */
enum eu_status { EU_BUDGET, EU_WAIT, EU_END, EU_FAULT };

/**
 * struct eu_thread - a thread
 * @grf: general registers
 * @mrf: message registers, Gen6 alone
 * @acc: accumulators, by the low half of their number. A channel has a cell of its own, whatever its type:
 *	integers with their sign in all 64 bits (of 33 bits after operations on words or bytes), F and HF as
 *	encoded in the low bits, zeros above, DF as encoded, NF as the encoding of a double. Byte b of an
 *	operand of type size s, counted from acc0, is in acc[b / 32][b % 32 / s]; a byte's cell is that of the
 *	word around it
 * @flag: f0, f1; Gen6 has f0 alone
 * @address: a0, in words; Gen6 and Gen7 have 8
 * @sr: state: sr0.0 to sr0.3, sr1.0 to sr1.3; sr0.2 and sr0.3 read as @dispatch_mask and @vector_mask
 * @cr: control: cr0.0 (EU_CR0_*), cr0.1 (EU_CR1_*), cr0.2 the IP that an exception came at
 * @n: notification: n0.0 for wait and sync.bar, which a barrier's end sets; n0.1, n0.2
 * @tdr: thread dependency; stored only
 * @sp: stack pointer and its limit; stored only
 * @msg: message control; stored only
 * @dbg: debug; stored only
 * @dispatch_mask: channels that the thread was started with
 * @vector_mask: the same by groups of four
 * @ip: the next instruction, in bytes from @base
 * @running: channels whose PcIP is @ip, among all 32, not the dispatched alone
 * @pc: PcIP of the other channels, in bytes from @base; of channels that run, meaningless
 * @base: Instruction Base Address
 * @space: the address space, as part of the decode cache's key; the caller's number
 * @call_mask: CallMask of call and ret
 * @sip: System Routine, in bytes from @base; 0: there is none
 * @fault: NULL, or what is wrong
 * @executed: instructions that it has executed
 * @group: the caller's: thread group, barrier, shared local memory
 * @machine: the caller's: memory, surfaces
 */
struct eu_thread {
	_Alignas(64) uint8_t grf[EU_GRFS][EU_GRF_BYTES];
	uint8_t mrf[EU_MRFS][EU_GRF_BYTES];
	uint64_t acc[EU_ACCS][EU_ACC_CELLS];
	uint32_t flag[2];
	uint16_t address[16];
	uint32_t sr[8], cr[4], n[4], tdr[4], sp[4], msg[8], dbg[2];
	uint32_t dispatch_mask, vector_mask;
	uint32_t ip;
	uint32_t running;
	uint32_t pc[EU_CHANNELS];
	uint64_t base, space;
	uint32_t call_mask;
	uint32_t sip;
	const char *fault;
	uint64_t executed;
	void *group, *machine;
};

#define EU_PLAN_BYTES	24

/**
 * struct eu_message - a send that is executed
 * @isa: the generation
 * @inst: the instruction; with a descriptor from a register, a copy that has it in desc and ex_desc, with
 *	desc_is_reg and ex_desc_is_reg cleared, so that isa_message() and isa_message_get() work
 * @info: what isa_message() says of @inst; NULL: its target has no such message
 * @target: code of the shared function (SFID), an index of isa->targets
 * @desc: descriptor
 * @ex_desc: extended descriptor
 * @header: the payload has one (desc[19]; Gen6 to Gen12)
 * @eot: the thread ends with it, when the message is done
 * @answered: there is a response
 * @exec_size: channels, 1 to 32
 * @channel_offset: of the first of them in the dispatch masks
 * @exec_mask: bit n: channel n of the instruction (dispatch channel @channel_offset + n) is enabled, by dispatch,
 *	flow and predicate. Headers and blocks may ignore it
 * @payload: the first block of registers, and the second of a split send
 * @length: registers of either: desc[28:25], ex_desc[9:6]; 0: none
 * @payload_reg: their numbers, for messages of a fault
 * @response: where the result goes: @response_length registers; NULL: nowhere, the destination is the null register.
 *	What is not written there keeps its value
 * @response_length: registers: desc[24:20]
 * @response_reg: the first one's number
 * @plan: the caller's: what its eu_ops.prepare has put there, else zeros
 *
 * The payload never overlaps the response: it is a copy when the registers do.
 */
struct eu_message {
	const struct isa_gen *isa;
	const struct isa_inst *inst;
	const struct isa_message *info;
	uint32_t desc, ex_desc;
	uint8_t target;
	bool header, eot, answered;
	uint8_t exec_size, channel_offset;
	uint32_t exec_mask;
	const uint8_t *payload[2];
	uint8_t length[2], payload_reg[2];
	uint8_t *response;
	uint8_t response_length, response_reg;
	_Alignas(8) uint8_t plan[EU_PLAN_BYTES];
};

/**
 * enum eu_reply - what became of a message
 * @EU_DONE: it is complete, with the response written; with EOT the thread ends
 * @EU_AGAIN: it cannot be done yet: eu_run() returns EU_WAIT, and the send is executed again later. Nothing of the
 *	thread was changed. A barrier's message is EU_DONE; it is the wait after it that waits for n0.0
 * @EU_BAD: eu_thread.fault is set
 */
enum eu_reply { EU_DONE, EU_AGAIN, EU_BAD };

struct eu_core;

/**
 * struct eu_ops - the caller's functions
 * @fetch: copy @size bytes (8 or a page's rest) of the program at @address (thread->base + ip) to @to. Returns how many
 *	bytes there are, 0 for none; what is missing is a fault when the program comes there
 * @message: execute a message
 * @prepare: fill in a message's plan. Each execution of its send sends this message, with other pointers and another
 *	@exec_mask, and with the plan. NULL: there are no plans
 * @timestamp: tm0.0 and tm0.1; NULL: instructions executed
 */
struct eu_ops {
	size_t (*fetch)(struct eu_thread *thread, uint64_t address, void *to, size_t size);
	enum eu_reply (*message)(struct eu_thread *thread, const struct eu_message *message);
	void (*prepare)(struct eu_message *message);
	uint64_t (*timestamp)(struct eu_thread *thread);
};

/**
 * struct eu_counters - what a core has executed
 * @instructions: by enum isa_opcode
 * @messages: by code of the shared function
 * @generic: instructions that had no handler of their own and went channel by channel
 * @decoded: instructions decoded
 * @fetches: pages asked for
 */
struct eu_counters {
	uint64_t instructions[ISA_OPS];
	uint64_t messages[16];
	uint64_t generic, decoded, fetches;
};

/**
 * eu_core_new() - a core
 * @isa: the generation
 * @features: of EU_DWORD_MUL, EU_NO_FAST, EU_NO_AVX2, EU_NO_AVX512
 * @ops: the caller's functions; stays with the caller
 *
 * Return: the core, or NULL without memory.
 */
struct eu_core *eu_core_new(const struct isa_gen *isa, unsigned int features, const struct eu_ops *ops);

/**
 * eu_core_share() - several cores execute for one engine
 * @core: one of them
 * @cores: how many
 *
 * All of them together keep as many decoded programs as a core does that is alone.
 */
void eu_core_share(struct eu_core *core, unsigned int cores);

/* Frees a core and its decoded programs; NULL is fine. */
void eu_core_free(struct eu_core *core);

/**
 * eu_core_invalidate() - programs are read again when a thread comes to them
 * @core: the core, which executes nothing now
 *
 * As an invalidation of the instruction cache does. What is the same as before is not decoded again. Without an
 * invalidation, a program that changed in memory runs as it was.
 */
void eu_core_invalidate(struct eu_core *core);

/* What the core has executed since it was made. */
const struct eu_counters *eu_core_counters(const struct eu_core *core);

/**
 * eu_thread_init() - a thread before its first instruction
 * @thread: zeroed, and cr0.0, sr0 and masks set
 * @core: of the generation that it is for
 * @dispatch_mask: its channels
 *
 * The caller sets ip, base, space, the float modes in cr[0], and writes the payload.
 */
void eu_thread_init(struct eu_thread *thread, const struct eu_core *core, uint32_t dispatch_mask);

/**
 * eu_thread_next() - the next thread of a thread's hardware, before its first instruction
 * @thread: one that has ended, or was zeroed
 * @core: as for eu_thread_init()
 * @dispatch_mask: its channels
 *
 * General registers, message registers and accumulators keep what the thread before has left there.
 */
void eu_thread_next(struct eu_thread *thread, const struct eu_core *core, uint32_t dispatch_mask);

/**
 * eu_run() - execute a thread
 * @core: the core
 * @thread: the thread
 * @budget: instructions at most
 *
 * Return: why it stopped.
 */
enum eu_status eu_run(struct eu_core *core, struct eu_thread *thread, uint64_t budget);

/* The enabled channels as ce0 shows them: those that run, from Gen8 on whether dispatched or not. */
uint32_t eu_channel_enables(const struct eu_core *core, const struct eu_thread *thread);

#endif
