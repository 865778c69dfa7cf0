/* SPDX-License-Identifier: MIT */
/**
 * DOC: Base of the generated packers
 *
 * A field is given by its first bit, counted from the command's first dword, and its width; it may
 * cross one or two dword boundaries. Putting a value checks that it fits: a value too large, a
 * signed value out of range, an address with bits set below the field's are refused, never cut.
 * Nothing here uses floating point; fixed-point members hold the raw number, that is the value
 * times two to the fraction's bits.
 *
 * The same header serves the kernel and userspace.
 */
#ifndef _IGEN_PACK_H_
#define _IGEN_PACK_H_

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#endif

/* Fields that the caller does not read are not computed, which takes that the whole unpacker is inlined. */
#define igen_inline inline __attribute__((__always_inline__))

/* The largest value of a field of @width bits; 1 to 64. */
static igen_inline __u64 igen_field_max(unsigned int width)
{
	return ~0ull >> (64 - width);
}

/**
 * igen_put_bits() - or a value into a command
 * @dw: the command, its bits of the field zero
 * @start: the field's first bit
 * @width: bits, 1 to 64
 * @v: the value; must fit
 */
static inline void igen_put_bits(__u32 *dw, unsigned int start, unsigned int width, __u64 v)
{
	unsigned int i = start / 32, shift = start % 32;

	dw[i] |= (__u32)(v << shift);
	if (shift + width > 32)
		dw[i + 1] |= (__u32)(v >> (32 - shift));
	if (shift + width > 64)
		dw[i + 2] |= (__u32)(v >> (64 - shift));
}

/**
 * igen_get_bits() - a field of a command
 * @dw: the command
 * @start: the field's first bit
 * @width: bits, 1 to 64
 *
 * Return: the field's bits, right-justified.
 */
static igen_inline __u64 igen_get_bits(const __u32 *dw, unsigned int start, unsigned int width)
{
	unsigned int i = start / 32, shift = start % 32;
	__u64 v = dw[i] >> shift;

	if (shift + width > 32)
		v |= (__u64)dw[i + 1] << (32 - shift);
	if (shift + width > 64)
		v |= (__u64)dw[i + 2] << (64 - shift);
	return v & igen_field_max(width);
}

/* Each of these puts a value and returns whether it did not fit. */

static inline bool igen_put_uint(__u32 *dw, unsigned int start, unsigned int width, __u64 v)
{
	if (v > igen_field_max(width))
		return true;
	igen_put_bits(dw, start, width, v);
	return false;
}

static inline bool igen_put_int(__u32 *dw, unsigned int start, unsigned int width, __s64 v)
{
	__s64 max = (__s64)(igen_field_max(width) >> 1);

	if (v > max || v < -max - 1)
		return true;
	igen_put_bits(dw, start, width, (__u64)v & igen_field_max(width));
	return false;
}

/*
 * An address keeps its low bits' place: a field that starts at bit 12 of a dword holds the address
 * from bit 12 on, and the bits below must be zero. @low is that number of bits.
 */
static inline bool igen_put_address(__u32 *dw, unsigned int start, unsigned int width,
				    unsigned int low, __u64 v)
{
	if (low && (v & igen_field_max(low)))
		return true;
	return igen_put_uint(dw, start, width, v >> low);
}

/* As igen_put_uint(), for a field that shares its bits with an alternative: both may not be given.
 */
static inline bool igen_put_shared(__u32 *dw, unsigned int start, unsigned int width, __u64 v)
{
	if (v && igen_get_bits(dw, start, width))
		return true;
	return igen_put_uint(dw, start, width, v);
}

static igen_inline __s64 igen_get_int(const __u32 *dw, unsigned int start, unsigned int width)
{
	__u64 v = igen_get_bits(dw, start, width), sign = 1ull << (width - 1);

	return (__s64)((v ^ sign) - sign);
}

/* Is all of dw[from..to) zero? */
static inline bool igen_zero_dwords(const __u32 *dw, unsigned int from, unsigned int to)
{
	for (; from < to; from++)
		if (dw[from])
			return false;
	return true;
}

#endif
