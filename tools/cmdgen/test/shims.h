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

/*
 * A neutral member in one generation: the fields that it is made of, low one first, in the layout of generation
 * from; or, without a key, the dword at which an array begins.
 */
struct igen_neutral_source {
	unsigned int gen, from;
	const char *key;
	struct {
		const char *field;
		unsigned int element;
	} part[2];
	unsigned int dword;
};

struct igen_neutral_member {
	const char *name;
	bool is_signed;
	struct igen_neutral_source source[4]; /* of the generations that have it */
};

struct igen_neutral {
	const char *name;
	void (*get)(unsigned int gen, const __u32 *dw, unsigned int n, __u64 *members);
	const struct igen_neutral_member *members;
	unsigned int nmembers;
	struct {
		unsigned int gen;
		const char *name; /* the command's, in the database of the generation */
	} key[4];
};

/* Ends with a NULL. */
extern const struct igen_neutral igen_neutrals[];

/* A register's dword by its macro, and the name that igen_reg_name() has for it; ends with a NULL. */
struct igen_reg_case {
	__u32 offset;
	const char *name;
};

extern const struct igen_reg_case igen_reg_cases_gen6[], igen_reg_cases_gen7[], igen_reg_cases_gen9[];

#endif
