/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches: clearing the registers of the execution units and shared local memory
 *
 * A thread of Gen7 finds in its registers what the thread before it has left there, which may have been another
 * client's. A thread group finds in its shared local memory what the group before it has left. No command clears them,
 * so threads do it: igen_clear_state() writes their program, igen_clear() the commands that have it run on every thread
 * of the hardware.
 *
 * Each thread of the hardware has to run the program once. Thread groups are made as large as a half-slice, and there
 * are as many groups as half-slices. A group's threads meet at a barrier before they clear anything. So none of them
 * ends before all have started, and they are on different threads of the hardware. A group lies within one half-slice
 * (IVB Vol 2 Part 2, 1.3.3). While one group clears its registers, which takes thousands of clocks, its half-slice has
 * no room for the next group, which therefore goes to the other one.
 *
 * Each group has all 64 KB of shared local memory that a half-slice has (IVB Vol 2 Part 2, 1.5.1.10.2), so that memory
 * keeps two groups apart as well. The threads divide it among themselves: the constants of each thread are the
 * addresses at which it begins. The L3 has to be divided such that there is shared local memory, for which its
 * registers have to be written with privilege: that is the caller's part (IGEN_CLEAR_L3CNTLREG2).
 *
 * The program overwrites general registers r0 to r127, the accumulators, flags and address registers. r112 holds the
 * header of the message that ends the thread, which has addresses of the program's own state.
 *
 * The walker does not stop for a preemption: MEDIA_STATE_FLUSH has pre-emption disabled, and no MI_ARB_CHECK follows.
 * So when a context has executed the commands, all registers are clear.
 */
#ifndef _IGEN_BATCH_CLEAR_H_
#define _IGEN_BATCH_CLEAR_H_

#include "gpgpu.h"
#include "igen/regs/workarounds.h"

#define IGEN_CLEAR_STATE	4096u		/* bytes that igen_clear_state() fills at most */

/*
 * What the registers of the L3 are while the threads run: of its 64 ways, 16 are shared local memory, as many are the
 * URB's, the data port's and the other caches'. It is one of the divisions that Mesa lists as validated
 * (gen7_l3_state.c); no manual at hand has these registers.
 */
#define IGEN_CLEAR_L3SQCREG1	0x00730000u
#define IGEN_CLEAR_L3CNTLREG2	(L3CNTLREG2_SLM_ENABLE | IGEN_PREP(L3CNTLREG2_URB_MASK, 16u) | \
				 L3CNTLREG2_URB_LOW_BANDWIDTH | IGEN_PREP(L3CNTLREG2_RO_MASK, 16u) | \
				 IGEN_PREP(L3CNTLREG2_DC_MASK, 16u))
#define IGEN_CLEAR_L3CNTLREG3	0u

#define IGEN_CLEAR_LOCAL	65536u		/* bytes of shared local memory of a half-slice */
#define IGEN_CLEAR_STEP		256u		/* bytes that a message clears */
#define IGEN_CLEAR_CONSTANTS	64u		/* offset in the state: a register for each thread */

/**
 * struct igen_clear - the threads of the hardware
 * @threads: of a half-slice, 32 to 64
 * @groups: half-slices
 */
struct igen_clear {
	__u32 threads, groups;
};

/* One instruction. Bit 9 of the first dword: whatever channels are enabled (IVB Vol 4 Part 3, MaskCtrl). */
static inline void igen_clear_put(struct igen_batch *s, __u32 dw0, __u32 dw1, __u32 dw2, __u32 dw3)
{
	const __u32 dw[4] = { dw0 | 1u << 9, dw1, dw2, dw3 };

	igen_batch_put(s, dw, 4);
}

/* mov (8 or 16) rN.0<1>:ud 0:ud; sixteen channels fill two registers. */
static inline void igen_clear_put_mov(struct igen_batch *s, bool two, __u32 reg)
{
	igen_clear_put(s, two ? 0x00800001 : 0x00600001, 0x20000061 | reg << 21, 0, 0);
}

/* Bytes of shared local memory that a thread clears: a power of two. Together they clear all, some of it twice. */
static inline __u32 igen_clear_share(const struct igen_clear *c)
{
	return c->threads < 64 ? IGEN_CLEAR_LOCAL / 32 : IGEN_CLEAR_LOCAL / 64;
}

/* Constants of each thread: addresses of four dwords each, of the first eight channels. */
static inline void igen_clear_addresses(struct igen_batch *s, const struct igen_clear *c)
{
	__u32 at[8], thread, i;

	for (thread = 0; thread < c->threads; thread++) {
		for (i = 0; i < 8; i++)
			at[i] = thread * igen_clear_share(c) % IGEN_CLEAR_LOCAL + i * 16;
		igen_batch_put(s, at, 8);
	}
}

/* r1 has the constants. Sixteen channels store four zeros each; r4 and r5 have their addresses, r6 to r13 the zeros. */
static inline void igen_clear_local(struct igen_batch *s, const struct igen_clear *c)
{
	__u32 reg, n;

	for (reg = 6; reg < 14; reg += 2)
		igen_clear_put_mov(s, true, reg);
	/* mov (8) r4.0<1>:ud r1.0<8;8,1>:ud; add (8) r5.0<1>:ud r1.0<8;8,1>:ud 128:ud */
	igen_clear_put(s, 0x00600001, 0x20800021, 0x008d0020, 0);
	igen_clear_put(s, 0x00600040, 0x20a00c21, 0x008d0020, IGEN_CLEAR_STEP / 2);
	for (n = 0; n < igen_clear_share(c); n += IGEN_CLEAR_STEP) {
		/* send (16) null:uw r4:d 0xA 0x140350FE: an untyped write to shared local memory */
		igen_clear_put(s, 0x0a800031, 0x20001ca8, 0x00000080, 0x140350fe);
		/* add (16) r4.0<1>:ud r4.0<8;8,1>:ud 256:ud */
		igen_clear_put(s, 0x00800040, 0x20800c21, 0x008d0080, IGEN_CLEAR_STEP);
	}
}

static inline void igen_clear_program(struct igen_batch *s, const struct igen_clear *c)
{
	__u32 reg;

	/* mov (8) r112.0<1>:ud r0.0<8;8,1>:ud */
	igen_clear_put(s, 0x00600001, 0x2e000021, 0x008d0000, 0);
	/* The gateway's message: the barrier's number, from r0.2 (IVB Vol 2 Part 2, "BarrierMsg"). */
	igen_clear_put_mov(s, false, 2);
	/* and (1) r2.2<1>:ud r0.2<0;1,0>:ud 0x0f000000:ud */
	igen_clear_put(s, 0x00000005, 0x20480c21, 0x00000008, 0x0f000000);
	/* send (8) null:uw r2:d 0x3 0x02000004; wait (1) n0.0<0;1,0>:ud */
	igen_clear_put(s, 0x03600031, 0x20001ca8, 0x00000040, 0x02000004);
	igen_clear_put(s, 0x00000030, 0x32000000, 0x00001200, 0);

	igen_clear_local(s, c);
	for (reg = 0; reg < 112; reg += 2)
		igen_clear_put_mov(s, true, reg);
	igen_clear_put_mov(s, false, 113);
	for (reg = 114; reg < 128; reg += 2)
		igen_clear_put_mov(s, true, reg);
	/* mov (8) acc0.0<1>:ud 0:ud; the same of acc1; mov (1) f0.0<1>:ud 0:ud; of f1; mov (8) a0.0<1>:uw 0:uw */
	igen_clear_put(s, 0x00600001, 0x24000060, 0, 0);
	igen_clear_put(s, 0x00600001, 0x24200060, 0, 0);
	igen_clear_put(s, 0x00000001, 0x26000060, 0, 0);
	igen_clear_put(s, 0x00000001, 0x26200060, 0, 0);
	igen_clear_put(s, 0x00600001, 0x22000168, 0, 0);
	/* send (8) null:uw r112:d 0x27 0x02000010, which ends the thread */
	igen_clear_put(s, 0x07600031, 0x20001ca8, 0x00000e00, 0x82000010);
}

/**
 * igen_clear_state() - what igen_clear()'s commands refer to
 * @s: state memory (IGEN_BATCH_MEMORY) of generation 7 (-EOPNOTSUPP for others), with nothing in it yet and
 * IGEN_CLEAR_STATE bytes of room
 * @c: the threads; -ERANGE for more than a group can have, or for so few that the program is too long
 */
static inline void igen_clear_state(struct igen_batch *s, const struct igen_clear *c)
{
	struct igen_kernel kernel = { .start = (IGEN_CLEAR_CONSTANTS + c->threads * 32 + 63) & ~63u, .constants = 1,
				      .threads = c->threads, .local_memory = IGEN_CLEAR_LOCAL, .barrier = true };

	if (!igen_batch_expect(s, s->gen == 7, -EOPNOTSUPP, "the program is generation 7's") ||
	    !igen_batch_expect(s, c->threads >= 32 && c->threads <= 64, -ERANGE, "a half-slice of 32 to 64 threads"))
		return;
	igen_media_descriptor(s, &kernel);
	igen_batch_align(s, 64);
	igen_clear_addresses(s, c);
	igen_batch_align(s, 64);
	igen_clear_program(s, c);
}

/**
 * igen_clear() - clear the registers of all threads, and all shared local memory
 * @b: a batch for the render engine
 * @state: what igen_clear_state() has filled, at a multiple of 4096
 * @c: the same threads
 *
 * Registers of the L3 have to be IGEN_CLEAR_L3SQCREG1 and its like. Pipeline, bases and front end are other ones
 * afterwards. The commands end when the threads have.
 */
static inline void igen_clear(struct igen_batch *b, struct igen_address state, const struct igen_clear *c)
{
	struct igen_media m = { .pipeline = IGEN_PIPELINE_GPGPU, .bases = { state, state, state, state, state, 0 },
				.vfe = { .threads = c->threads * c->groups, .urb_entries = 2, .entry_rows = 2,
					 .curbe_rows = c->threads },
				.curbe = IGEN_CLEAR_CONSTANTS, .curbe_bytes = c->threads * 32, .num_descriptors = 1 };
	struct igen_gpgpu_walk walk = { .simd = 16, .threads = { c->threads, 1, 1 }, .groups = { c->groups, 1, 1 } };

	if (!igen_batch_expect(b, b->gen == 7, -EOPNOTSUPP, "the program is generation 7's"))
		return;
	igen_media_begin(b, &m);
	if (!igen_gpgpu_check(b, &walk, false))
		return;
	igen_gpgpu_emit(b, &walk, false);
	igen_batch_emit(b, gen7_media_state_flush, .disable_pre_emption = true);
	igen_pipe_drain(b);
}

#endif
