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

#endif
