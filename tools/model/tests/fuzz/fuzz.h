/* SPDX-License-Identifier: MIT */
/**
 * DOC: Fuzzing the model as its guest does
 *
 * An input is a string of bytes that is taken as a program: what the CPU writes to registers, what lies in rings,
 * batches, context images and page tables, or which messages the peer sends. Fields are chosen from menus of values
 * that matter, and now and then are any value, so that most inputs get past the first check. Every string is a valid
 * program; one that ends early goes on with zeros.
 *
 * fuzz_model.c has the entry that libFuzzer calls, and replay.c with inputs of a file; fuzz_engines.c and
 * fuzz_commands.c are the guest's kernel and its commands, fuzz_blit.c gives single commands to the blitter,
 * fuzz_programs.c programs to the execution units, fuzz_eu.c to their library alone, and fuzz_transport.c is the peer.
 */
#ifndef IGEN_MODEL_FUZZ_H
#define IGEN_MODEL_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELEMENTS(a)	(sizeof(a) / sizeof((a)[0]))

struct input {
	const uint8_t *p;
	size_t left;
};

static inline uint8_t take8(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->p++;
}

static inline uint32_t take16(struct input *in)
{
	uint32_t low = take8(in);

	return low | (uint32_t)take8(in) << 8;
}

static inline uint32_t take32(struct input *in)
{
	uint32_t low = take16(in);

	return low | take16(in) << 16;
}

static inline uint64_t take64(struct input *in)
{
	uint64_t low = take32(in);

	return low | (uint64_t)take32(in) << 32;
}

/* 0 to n - 1; n is at most 256. */
static inline unsigned int below(struct input *in, unsigned int n)
{
	return take8(in) % n;
}

static inline bool one_in(struct input *in, unsigned int n)
{
	return !below(in, n);
}

/* A value: mostly one that matters. */
static inline uint32_t take_value(struct input *in)
{
	switch (below(in, 8)) {
	case 0:
		return 0;
	case 1:
		return ~0u;
	case 2:
		return 1u << below(in, 32);
	case 3:
		return (1u << below(in, 32)) - 1;
	case 4:
		return take8(in);
	case 5:
		return take16(in) | 0xffff0000;
	case 6:
		return take16(in);
	}
	return take32(in);
}

/* fuzz_model.c */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Ends the program: the model has done what it must not. */
void fuzz_fail(const char *what) __attribute__((noreturn));
double fuzz_cpu_seconds(void);
/* Bytes that no access may touch, when the program is built with AddressSanitizer. */
void fuzz_poison(const void *p, size_t size);
void fuzz_unpoison(const void *p, size_t size);

/* fuzz_engines.c, fuzz_blit.c, fuzz_programs.c, fuzz_eu.c, fuzz_transport.c: one input each. */
void fuzz_engines(struct input *in);
void fuzz_blit(struct input *in);
void fuzz_programs(struct input *in);
void fuzz_eu(struct input *in);
void fuzz_proxy(struct input *in);
void fuzz_vfio_user(struct input *in);

/* fuzz_commands.c: a command for an engine of a class, at most max dwords; gives how many. */
#define COMMAND_MAX	300u
unsigned int fuzz_command(struct input *in, int class, uint32_t *dw);
/* A blitter command alone. */
unsigned int fuzz_blit_command(struct input *in, uint32_t *dw);
/* A graphics address: of pages that end early, are read-only, are missing, or of what the engines themselves use. */
uint64_t fuzz_address(struct input *in);
uint32_t fuzz_register(struct input *in);

/* Where the guest's special memory appears: guest physical addresses. */
#define EDGE_SHORT	0x10000000ull		/* ends inside a page, at its third */
#define EDGE_SHORT_SIZE	0x2a10ull
#define EDGE_READ	0x10010000ull		/* read-only; ends inside its second page */
#define EDGE_READ_SIZE	0x1008ull
#define EDGE_AFTER	0x10020000ull		/* of the first one's file, behind a gap */
#define EDGE_AFTER_SIZE	0x1000ull
#define EDGE_PAGES	12u			/* entries of tables that lead there and elsewhere */

/* Graphics addresses, both of the GGTT and relative to the bench's VA in the PPGTT. */
#define EDGE_GGTT	0x2000000ull		/* behind RAM */
#define EDGE_VA		(0x40000000ull + 0x2000000ull)		/* 4 KB pages */
#define EDGE_VA_64K	(EDGE_VA + 0x200000ull)
#define EDGE_VA_TABLE	(EDGE_VA + 0x400000ull)	/* the page table lies at the end of short memory */
#define EDGE_VA_2M	(EDGE_VA + 0x600000ull)	/* a 2 MB page that begins with short memory */

#endif
