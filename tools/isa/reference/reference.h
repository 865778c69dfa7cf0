/* SPDX-License-Identifier: MIT */
/**
 * DOC: Reference of the execution units' instructions
 *
 * eu_ref_step() executes one instruction, channel by channel, as the pseudo-code of the manuals has it:
 *
 * - Gen6: Sandy Bridge Vol 4 Part 2, 5.3-5.7 (registers, regions, predication, flags) and 8.3 (instructions)
 * - Gen7: Ivy Bridge Vol 4 Part 3, 2.3-3.6 and 6.4-6.63
 * - Gen9: Broxton Vol 6, "Register Region Restrictions"; else as Gen12 and Gen7, where these agree
 * - Gen12: DG1 Vol 2a, the instructions' pages
 *
 * A send is not executed: the reference says which message it is, and where the answer goes.
 *
 * It is there to judge an interpreter, so it is slow and plain, and it shares nothing with one but the decoder.
 * Integers are computed exactly, in 128 bits, floats by C's arithmetic in the rounding mode of cr0.0.
 *
 * The reference does not compute what the manuals leave open. It reports that: as bits of the state that are unknown
 * (struct eu_ref_result.unknown, with the reason counted by enum eu_ref_silence), as a range in which a float may be
 * (struct eu_ref_range), or as an instruction that is not defined as a whole.
 */
#ifndef _EU_REFERENCE_H_
#define _EU_REFERENCE_H_

#include "isa.h"

#define EU_REF_GRF_BYTES (128 * 32)
#define EU_REF_MRF_BYTES (24 * 32)
#define EU_REF_CHANNELS 32

/**
 * struct eu_ref_state - registers of a thread
 * @grf: general registers
 * @mrf: message registers of Gen6
 * @acc: accumulators, one cell a channel: integers with their sign extended to 64 bits, floats as encoded. Byte b of an
 *	operand whose elements have s bytes is in cell acc[b / 32][b % 32 / s]
 * @flag: flag registers
 * @address: a0
 * @cr: cr0
 * @n: notification counts: n0, n1, n2
 * @call_mask: CallMask of call and ret, a bit a channel
 * @sip: System Routine's address
 * @dispatch_mask: channels that the thread was started with
 * @ip: this instruction's address, then the next one's, in bytes
 * @pcip: each channel's
 */
struct eu_ref_state {
	__u8 grf[EU_REF_GRF_BYTES], mrf[EU_REF_MRF_BYTES];
	__u64 acc[2][16];
	__u32 flag[2];
	__u16 address[16];
	__u32 cr[4], n[3];
	__u32 call_mask, sip;
	__u32 dispatch_mask, ip, pcip[EU_REF_CHANNELS];
};

enum eu_ref_file { EU_REF_GRF, EU_REF_MRF, EU_REF_ACC };

/**
 * struct eu_ref_range - a float that is not known to the bit
 * @file: enum eu_ref_file
 * @type: its type, enum isa_type_id
 * @nan: it is a NaN, whose bits are not specified
 * @at: byte in the file; of accumulators the cell
 * @low: the least value
 * @high: the greatest value
 */
struct eu_ref_range {
	__u8 file, type;
	bool nan;
	__u16 at;
	double low, high;
};

/* What the manuals leave open, by where they do: eu_ref_silences[]. */
enum eu_ref_silence {
	EU_REF_ALT_INPUT,
	EU_REF_NAN_SELECT,
	EU_REF_DENORMAL_MOVE,
	EU_REF_DENORMAL_CONVERT,
	EU_REF_DENORMAL_ROUND,
	EU_REF_DOUBLE_TO_SINGLE,
	EU_REF_SMALLEST_NORMAL,
	EU_REF_FUSED_RANGE,
	EU_REF_FRACTION_ONE,
	EU_REF_WIDE_SOURCE,
	EU_REF_WIDE_SHIFT,
	EU_REF_NOT_WIDTH,
	EU_REF_NEGATIVE_UNSIGNED,
	EU_REF_CONDITION_SATURATED,
	EU_REF_CONDITION_ACCUMULATOR,
	EU_REF_CONDITION_RANGE,
	EU_REF_CONDITION_MASKED,
	EU_REF_CONDITION_INFINITE,
	EU_REF_ACC_GUARD,
	EU_REF_ACC_DISABLED,
	EU_REF_ADDRESS_HIGH,
	EU_REF_COMPARE_BITS,
	EU_REF_ODD_CHANNEL,
	EU_REF_DIVISION,
	EU_REF_MATH_CASE,
	EU_REF_SPF_CHANNELS,
	EU_REF_SILENCES
};

/* What becomes of the thread. */
enum eu_ref_status { EU_REF_GOES_ON, EU_REF_WAITS, EU_REF_ENDS };

#define EU_REF_BLOCK_BYTES (15 * 32)
#define EU_REF_NOWHERE 0xffff

/**
 * struct eu_ref_message - what a send gives to a shared function
 * @target: code of the shared function
 * @header: the payload has a header
 * @eot: the thread ends
 * @exec_size: channels
 * @channel_offset: the first one
 * @desc: descriptor
 * @ex_desc: extended descriptor
 * @mask: the channels that are enabled, a bit each from @channel_offset on
 * @length: registers of both blocks of the payload
 * @payload: what is in them
 * @response_length: registers of the answer
 * @response: the answer's first byte in the general registers, or EU_REF_NOWHERE
 */
struct eu_ref_message {
	__u8 target;
	bool header, eot;
	__u8 exec_size, channel_offset;
	__u32 desc, ex_desc, mask;
	__u8 length[2], payload[2][EU_REF_BLOCK_BYTES];
	__u8 response_length;
	__u16 response;
};

struct eu_ref_silence_text {
	const char *what, *where;
};

extern const struct eu_ref_silence_text eu_ref_silences[EU_REF_SILENCES];

/**
 * struct eu_ref_result - what is known of the state after an instruction
 * @undefined: NULL, or why the whole instruction is undefined; then nothing was executed
 * @status: what becomes of the thread
 * @sends: it is a send, of @message
 * @message: what is sent
 * @unknown: bits that are set in it are not known
 * @ranges: floats that are known to be in a range
 * @nranges: how many
 * @silent: channels for each reason
 */
struct eu_ref_result {
	const char *undefined;
	enum eu_ref_status status;
	bool sends;
	struct eu_ref_message message;
	struct eu_ref_state unknown;
	struct eu_ref_range ranges[96];
	unsigned int nranges;
	unsigned int silent[EU_REF_SILENCES];
};

/**
 * eu_ref_step() - execute one instruction
 * @isa: the generation
 * @dword_mul: mul of two dwords multiplies all of their bits (Gen9), else the low word of one of them counts
 * @inst: the instruction, without a fault
 * @state: registers before it, then after it
 * @result: filled
 */
void eu_ref_step(const struct isa_gen *isa, bool dword_mul, const struct isa_inst *inst, struct eu_ref_state *state,
		 struct eu_ref_result *result);

#endif
