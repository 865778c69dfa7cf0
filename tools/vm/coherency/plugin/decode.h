/* SPDX-License-Identifier: MIT */
/* Instructions of x86-64 that matter for coherency. */
#ifndef _IGEN_VM_COHERENCY_PLUGIN_DECODE_H_
#define _IGEN_VM_COHERENCY_PLUGIN_DECODE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum insn_kind - what an instruction does */
enum insn_kind {
	INSN_OTHER,
	/** @INSN_FENCE: SFENCE, MFENCE */
	INSN_FENCE,
	/** @INSN_CLFLUSH: in order with writes */
	INSN_CLFLUSH,
	/** @INSN_CLFLUSHOPT: in order with fences only */
	INSN_CLFLUSHOPT,
	/** @INSN_CLWB: as CLFLUSHOPT, and the line stays in the cache */
	INSN_CLWB,
	/** @INSN_FLUSH_ALL: WBINVD, WBNOINVD */
	INSN_FLUSH_ALL,
	/** @INSN_TRANSLATIONS: makes the processor translate addresses anew: INVLPG, INVPCID, a move to CR0 */
	INSN_TRANSLATIONS,
	/** @INSN_CR3: and that is a move to CR3 from the register base */
	INSN_CR3,
	/** @INSN_CR4: the same to CR4 */
	INSN_CR4,
	/** @INSN_OUT: writes a port */
	INSN_OUT,
};

#define INSN_NO_REGISTER	16u

/** struct insn - an instruction, and where its operand in memory is */
struct insn {
	/** @kind: what it does */
	enum insn_kind kind;
	/** @non_temporal: what it stores goes past the caches */
	bool non_temporal;
	/** @address_32: its address has 32 bits */
	bool address_32;
	/** @relative: to the address of the next instruction */
	bool relative;
	/** @segment: 'f' or 'g' where the base of FS or GS is added, else 0 */
	char segment;
	/** @base: register, by its number; INSN_NO_REGISTER: none */
	unsigned int base;
	/** @index: the same */
	unsigned int index;
	/** @scale: of the index, a power of two's exponent */
	unsigned int scale;
	/** @displacement: what is added */
	int64_t displacement;
};

struct insn insn_decode(const uint8_t *bytes, size_t len);

#endif
