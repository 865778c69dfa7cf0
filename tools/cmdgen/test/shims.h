/* SPDX-License-Identifier: MIT */
/* The generated packers behind one type: see cmdgen/gen_shims.py. */
#ifndef _IGEN_SHIMS_H_
#define _IGEN_SHIMS_H_

#include "pack.h"

struct igen_shim {
	int (*pack)(__u32 *dw, unsigned int room, const __u64 *values);
	unsigned int nvalues;
};

/* Commands in the order of the decode tables, then structures. */
extern const struct igen_shim igen_shims_gen6[], igen_shims_gen7[], igen_shims_gen9[],
	igen_shims_gen12[];

/* A register's dword by its macro, and the name that igen_reg_name() has for it; ends with a NULL. */
struct igen_reg_case {
	__u32 offset;
	const char *name;
};

extern const struct igen_reg_case igen_reg_cases_gen9[];

#endif
