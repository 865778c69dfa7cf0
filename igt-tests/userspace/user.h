/* SPDX-License-Identifier: MIT */
/**
 * DOC: Programs of unmodified userspace drivers
 *
 * Each does with one userspace driver what its clients do: finds the device, allocates, submits, waits. A step is a
 * result line; the first that fails ends the program, since what follows builds on it.
 */
#ifndef IGEN_TESTS_USER_H
#define IGEN_TESTS_USER_H

#include <stdio.h>
#include <stdlib.h>

/* step() - names a step done, or ends the program: good or not, name, and what the driver said (printf) */
#define step(good, name, ...)						\
	do {								\
		if (!(good)) {						\
			printf("not ok %s: ", name);			\
			printf(__VA_ARGS__);				\
			printf("\n");					\
			exit(1);					\
		}							\
		printf("ok %s\n", name);				\
		fflush(stdout);						\
	} while (0)

#endif
