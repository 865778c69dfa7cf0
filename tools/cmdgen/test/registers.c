// SPDX-License-Identifier: MIT
/**
 * DOC: The register headers against the register tables
 *
 * Each dword of each register is looked up at the offset that its macro gives, and has to have the macro's
 * name. Then each offset with a name has to be one of these dwords. The last line is "N passed, N failed".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registers.h"
#include "shims.h"

#define END	(2u << 20)		/* of the registers in BAR 0 */

static unsigned int passed, failed;

/* False without tables or memory. */
static bool look(unsigned int gen, const struct igen_reg_case *c)
{
	const struct igen_reg_set *set = igen_regs_by_gen(gen);
	char name[64];
	char *known = calloc(END / 4, 1);
	__u32 offset;

	if (!set || !known)
		return false;
	for (; c->name; c++) {
		const char *found = igen_reg_name(set, c->offset, name, sizeof(name));

		known[c->offset / 4] = 1;
		if (found && !strcmp(found, c->name)) {
			passed++;
			continue;
		}
		failed++;
		printf("gen%u: 0x%x is %s, not %s\n", gen, c->offset, found ? found : "unknown", c->name);
	}
	for (offset = 0; offset < END; offset += 4) {
		const char *found = igen_reg_name(set, offset, name, sizeof(name));

		if (!found || known[offset / 4]) {
			passed += !!found;
			continue;
		}
		failed++;
		printf("gen%u: 0x%x is %s, which no header has there\n", gen, offset, found);
	}
	free(known);
	return true;
}

int main(void)
{
	if (!look(6, igen_reg_cases_gen6) || !look(7, igen_reg_cases_gen7) || !look(9, igen_reg_cases_gen9))
		return 2;
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
