/* SPDX-License-Identifier: MIT */
/*
 * Kernel definitions that the driver's command parser needs, for a host program.
 */
#ifndef _IGEN_PARSER_SHIM_H_
#define _IGEN_PARSER_SHIM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

static inline void memset32(u32 *p, u32 v, size_t n)
{
	while (n--)
		*p++ = v;
}

#endif
