// SPDX-License-Identifier: MIT
/**
 * DOC: Inputs of the fuzzer, again
 *
 * usage: replay [--random N] FILE
 *
 * Runs the inputs of a file, one a line in hexadecimal, "#" begins a comment, and then N random ones that are the
 * same each time. Whatever the model must not do ends the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MAX_INPUT	4096u

static int digit(int c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes that a line says; how many. */
static size_t parse(const char *line, uint8_t *out)
{
	size_t n = 0;

	while (n < MAX_INPUT && digit(line[0]) >= 0 && digit(line[1]) >= 0) {
		out[n++] = (uint8_t)(digit(line[0]) << 4 | digit(line[1]));
		line += 2;
	}
	return n;
}

static unsigned int replay(const char *path)
{
	static char line[2 * MAX_INPUT + 16];
	static uint8_t data[MAX_INPUT];
	FILE *f = fopen(path, "r");
	unsigned int inputs = 0;

	if (!f) {
		perror(path);
		exit(2);
	}
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		LLVMFuzzerTestOneInput(data, parse(line, data));
		inputs++;
	}
	fclose(f);
	return inputs;
}

/* xorshift64 */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void random_inputs(unsigned int n)
{
	uint64_t state = 0x9e3779b97f4a7c15ull;
	uint8_t data[1024];

	while (n--) {
		size_t size = 16 + next_random(&state) % (sizeof(data) - 16);

		for (size_t i = 0; i < size; i++)
			data[i] = (uint8_t)(next_random(&state) >> 32);
		LLVMFuzzerTestOneInput(data, size);
	}
}

int main(int argc, char **argv)
{
	unsigned int inputs, more = 0;

	if (argc > 2 && !strcmp(argv[1], "--random")) {
		more = (unsigned int)strtoul(argv[2], NULL, 10);
		argv += 2;
		argc -= 2;
	}
	if (argc != 2) {
		fputs("usage: replay [--random N] FILE\n", stderr);
		return 2;
	}
	inputs = replay(argv[1]);
	random_inputs(more);
	printf("%u inputs and %u random ones\n", inputs, more);
	return 0;
}
