// SPDX-License-Identifier: MIT
/**
 * DOC: Garbage for the decoder
 *
 * The first byte picks a generation, the rest is a program. It is decoded and printed to its end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct isa_gen *const gens[] = { &isa_gen6, &isa_gen7, &isa_gen75, &isa_gen9, &isa_gen12 };
	const struct isa_gen *isa;
	static FILE *out;
	uint8_t *program;
	size_t at, step;

	if (!out)
		out = fopen("/dev/null", "w");
	if (!out || n < 1)
		return 0;
	isa = gens[data[0] % 5];
	/* A block of its own, so that reading beyond its end shows. */
	n--;
	program = malloc(n ? n : 1);
	if (!program)
		return 0;
	memcpy(program, data + 1, n);
	for (at = 0; at < n; at += step) {
		struct isa_inst inst;
		const char *fault;

		step = isa_decode(isa, program + at, n - at, &inst, &fault);
		if (!step || step > n - at)
			abort();
		if (fault)
			continue;
		isa_print(isa, &inst, out);
		isa_print_comment(isa, &inst, at, out);
	}
	free(program);
	return 0;
}
