// SPDX-License-Identifier: MIT
/**
 * DOC: Programs of the execution units
 *
 * Each line has the address, the text and a comment. An instruction that is not valid has a line
 * with its bits and what is wrong; the next begins where its size says.
 */
#include <inttypes.h>
#include <string.h>

#include "eu.h"
#include "isa.h"

static void show_fault(const unsigned char *bytes, size_t n, const char *fault, FILE *out)
{
	fprintf(out, "error: %s:", fault);
	while (n--)
		fprintf(out, " %02x", *bytes++);
}

unsigned long eu_show(const struct isa_gen *isa, const void *program, size_t n, __u64 address, bool quiet, FILE *out)
{
	const unsigned char *bytes = program;
	unsigned long wrong = 0;
	size_t at, size;

	for (at = 0; at < n; at += size) {
		struct isa_inst inst;
		const char *fault;

		size = isa_decode(isa, bytes + at, n - at, &inst, &fault);
		wrong += !!fault;
		if (quiet && !fault)
			continue;
		fprintf(out, "0x%08" PRIx64 "  ", (uint64_t)(address + at));
		if (fault) {
			show_fault(bytes + at, size, fault, out);
		} else {
			isa_print(isa, &inst, out);
			isa_print_comment(isa, &inst, address + at, out);
		}
		fputc('\n', out);
	}
	return wrong;
}
