/* SPDX-License-Identifier: MIT */
/**
 * DOC: Macros of the register headers
 *
 * The headers in this folder are read by the kernel module and by the model, so they use nothing but these
 * macros. A register is its byte offset in BAR 0; an engine's register takes the engine's MMIO base. A
 * field is a mask (IGEN_MASK, IGEN_BIT), indented under its register; IGEN_PREP and IGEN_GET place and
 * fetch a value, with constants folded at compile time.
 */
#ifndef _IGEN_REGS_DEFS_H_
#define _IGEN_REGS_DEFS_H_

#define IGEN_BIT(n)		(1u << (n))
#define IGEN_MASK(h, l)		((0xffffffffu >> (31 - (h))) & (0xffffffffu << (l)))
#define IGEN_BIT64(n)		(1ull << (n))
#define IGEN_MASK64(h, l)	((~0ull >> (63 - (h))) & (~0ull << (l)))

/* The lowest set bit of a mask, as a factor. */
#define IGEN_LSB(mask)		((mask) & (~(mask) + 1))
#define IGEN_PREP(mask, v)	(((v) * IGEN_LSB(mask)) & (mask))
#define IGEN_GET(mask, v)	(((v) & (mask)) / IGEN_LSB(mask))

/*
 * A masked register takes in its high half the bits to change and in its low half their values
 * (KBL Vol 3, "Register Address Maps"; "masked" registers of every PRM).
 */
#define IGEN_MASKED_ENABLE(bits)	(((bits) << 16) | (bits))
#define IGEN_MASKED_DISABLE(bits)	((bits) << 16)
#define IGEN_MASKED_FIELD(mask, v)	(((mask) << 16) | (v))

#endif
