/* SPDX-License-Identifier: MIT */
/**
 * DOC: Helpers of the builders' tests
 *
 * A case is a function that builds something into a batch. check_good() builds it into memory of exactly
 * the size that a run without memory asked for (so that AddressSanitizer sees a dword too many), and wants
 * no finding of the validator, and records that lead to the addresses in the batch; then once more with
 * a dword too little. check_bad() wants it refused with an error and words. check_any() takes either, for
 * arguments of which the test does not know: what is accepted must validate.
 */
#ifndef IGEN_BATCH_TEST_H
#define IGEN_BATCH_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "igen/batch/batch.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct test_case {
	const char *name;
	unsigned int gen;
	enum igen_batch_engine engine;
	void (*build)(struct igen_batch *b, const void *arg);
	const void *arg;
	bool midway;		/* not from the beginning of a context: earlier state is there */
	bool open;		/* ends itself, with a chain */
};

extern unsigned long passed, failed;
extern const unsigned int all_gens[4];

void check(bool ok, const char *name, unsigned int gen, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Gives 0 or the case's error. */
int check_any(const struct test_case *t);
void check_good(const struct test_case *t);
void check_bad(const struct test_case *t, int error);
/* Reserved bits of a structure in memory. */
void check_state(const char *name, unsigned int gen, const char *type, const __u32 *dw);
/* A command of a batch by name, the index-th; NULL if there are not as many. */
const __u32 *find_command(const struct igen_batch *b, const char *name, unsigned int index);
/* A field of a command. */
__u64 field_of(unsigned int gen, const char *command, const char *field, const __u32 *dw);

/* Numbers that are the same in each run. */
__u32 random32(void);
static inline __u32 random_below(__u32 n)
{
	return (__u64)random32() * n >> 32;
}

static inline __u32 random_in(__u32 from, __u32 to)
{
	return from + random_below(to - from + 1);
}

/* An object of @size bytes at an address that the generation has, on a page. */
struct igen_address random_bo(unsigned int gen, __u64 size);

/* One a header; each for one generation. */
void test_mi(unsigned int gen);
void test_blt(unsigned int gen);
void test_gpgpu(unsigned int gen);
void test_render(unsigned int gen);
void test_null(unsigned int gen);
void test_clear(unsigned int gen);
void test_avp(unsigned int gen);

#endif
