/* SPDX-License-Identifier: MIT */
/**
 * DOC: Programs of the execution units
 */
#ifndef _IGEN_DECODE_EU_H_
#define _IGEN_DECODE_EU_H_

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct isa_gen;

/**
 * eu_show() - a program as text, one line an instruction
 * @isa: the generation
 * @program: its bytes
 * @n: how many
 * @address: where the program lies
 * @quiet: only what is wrong
 * @out: where to
 *
 * Return: how many instructions are wrong.
 */
unsigned long eu_show(const struct isa_gen *isa, const void *program, size_t n, __u64 address, bool quiet, FILE *out);

#endif
