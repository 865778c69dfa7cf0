/* SPDX-License-Identifier: MIT */
#ifndef IGEN_SHIM_PROFILE_H
#define IGEN_SHIM_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct igen_profile - what threads have executed
 * @ns: processor time in programs and in their messages
 * @instructions: executed instructions
 * @generic: those that had no handler of their own and went channel by channel
 * @simd8: @instructions, those of 16 channels counted twice and those of 32 four times; 0 when they were not counted
 */
struct igen_profile {
	uint64_t ns, instructions, generic, simd8;
};

/**
 * igen_profile() - takes the figures since the last call
 * @profile: gets them
 * @count: from now on, @simd8 is counted; this makes execution much slower, so @ns is of no use then
 *
 * No thread executes meanwhile. A program finds the function by dlsym(): libigen-shim-profile.so alone has it.
 */
void igen_profile(struct igen_profile *profile, bool count);

#endif
