/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the tests of the execution units share
 *
 * A machine is a program at address 0 of its own, and a message function that ends threads and echoes.
 */
#ifndef IGEN_MODEL_EU_CHECK_H
#define IGEN_MODEL_EU_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "asm.h"

/* Prints "ok N what" or "not ok N what". */
void check_that(bool good, const char *file, int line, const char *what, ...) __attribute__((format(printf, 4, 5)));
int check_end(void);

#define check(good, ...) check_that(good, __FILE__, __LINE__, __VA_ARGS__)

/**
 * struct machine - a program and what it sent
 * @program: its code
 * @messages: sends so far, of any kind
 * @last: the last one
 * @payload: its first block
 * @busy: so many more messages get EU_AGAIN
 */
struct machine {
	struct program program;
	unsigned int messages;
	struct eu_message last;
	uint8_t payload[15 * EU_GRF_BYTES];
	unsigned int busy;
};

extern const struct eu_ops machine_ops;

/* A thread of 32 channels at the start of the machine's program; its registers hold 0. */
void machine_start(struct machine *m, const struct eu_core *core, struct eu_thread *thread, uint32_t channels);

/* Runs one program to its end, at most 10000 instructions. */
enum eu_status machine_run(struct machine *m, struct eu_core *core, struct eu_thread *thread);

static inline uint32_t dword(const struct eu_thread *t, unsigned int reg, unsigned int n)
{
	uint32_t value;

	memcpy(&value, t->grf[reg] + 4 * n, 4);
	return value;
}

static inline float single(const struct eu_thread *t, unsigned int reg, unsigned int n)
{
	float value;

	memcpy(&value, t->grf[reg] + 4 * n, 4);
	return value;
}

static inline void put_dword(struct eu_thread *t, unsigned int reg, unsigned int n, uint32_t value)
{
	memcpy(t->grf[reg] + 4 * n, &value, 4);
}

static inline void put_single(struct eu_thread *t, unsigned int reg, unsigned int n, float value)
{
	memcpy(t->grf[reg] + 4 * n, &value, 4);
}

/* xorshift64*: the same numbers everywhere. */
static inline uint64_t random64(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

#endif
