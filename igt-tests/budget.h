/* SPDX-License-Identifier: MIT */
#ifndef IGEN_TESTS_BUDGET_H
#define IGEN_TESTS_BUDGET_H

#include <stdbool.h>

#include "lib/it.h"

#define PAGE		4096u

/* A client, and what it has made. */
struct maker {
	struct it_dev *dev;
	struct it_batch batch;			/* ends at once */
	uint32_t handle;			/* of the last object */
	int kept[900];				/* open files: buffers of another driver, then what imports them */
	unsigned int num_kept, num_imports;
};

struct kind {
	const char *name;
	int (*make)(struct maker *m);
	unsigned int least;			/* bytes of kernel memory that each of them takes, at least */
	unsigned int beside;			/* bytes that the kernel itself takes for each, in no client's share */
	bool submits;				/* what is made is a request: a client that is refused submits none */
};

extern const struct kind budget_kinds[];
extern const unsigned int budget_num_kinds;

struct maker maker_open(void);
void maker_close(struct maker *m);

#endif
