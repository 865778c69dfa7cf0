/* SPDX-License-Identifier: MIT */
/**
 * DOC: Harness of the model's unit tests
 *
 * A test program prints "ok N what" or "not ok N what" for each check and exits with 1 when one
 * failed; run.sh adds the programs up.
 */
#ifndef IGEN_MODEL_TEST_H
#define IGEN_MODEL_TEST_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bus/bus.h"
#include "engine/engine.h"
#include "main/main.h"
#include "platform/platform.h"
#include "regs/regs.h"

static unsigned int tests, failures;

#define check(cond, ...) do {						\
		bool ok_ = (cond);					\
		tests++;						\
		failures += !ok_;					\
		printf("%s %u ", ok_ ? "ok" : "not ok", tests);		\
		printf(__VA_ARGS__);					\
		if (!ok_)						\
			printf(" (%s:%d: %s)", __FILE__, __LINE__, #cond); \
		printf("\n");						\
	} while (0)

static inline int test_end(void)
{
	printf("1..%u\n", tests);
	return failures != 0;
}

/* A device with the default configuration and the assignments given. */
static inline struct gpu *test_gpu(const char *const *set)
{
	struct config cfg;
	char err[256];
	struct gpu *gpu;

	config_init(&cfg);
	for (; set && *set; set++)
		if (config_set(&cfg, *set, err, sizeof(err)))
			exit(2);
	gpu = gpu_new(&cfg);
	if (!gpu)
		exit(2);
	return gpu;
}

/* A memory file; the caller closes it. */
static inline int test_memory(size_t size)
{
	int fd = memfd_create("model-test", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)size))
		exit(2);
	return fd;
}

#endif
