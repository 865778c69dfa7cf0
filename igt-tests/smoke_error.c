// SPDX-License-Identifier: MIT
/**
 * DOC: Error state
 *
 * What cardN/error in sysfs has after a hang: the first only, until it is cleared, and nothing of a
 * context that does not want it. With $IGEN_SCRATCH in the environment the file, the batch and the
 * object that the batch's client wanted to see again are left there, for a decoder to be judged by.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "smoke.h"

#define NONE		"No error state collected"
#define OBJECT_SIZE	(3 * 4096)
#define SOON_MS		"500"		/* between heartbeats */

static void save(const char *name, const void *data, size_t n)
{
	const char *dir = getenv("IGEN_SCRATCH");
	char path[256], *copy;
	FILE *f;

	if (!dir)
		return;
	/* Some file systems can't take the pages of an object's mapping. */
	copy = malloc(n);
	it_expect(copy, "no memory");
	memcpy(copy, data, n);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	it_expect(f && fwrite(copy, 1, n, f) == n && !fclose(f), "%s: error %d", path, errno);
	free(copy);
}

/* A batch without an end and without an arbitration point; with it goes an object to be captured. */
static struct it_batch hang(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *object)
{
	struct it_batch b = it_spinner(dev);
	int ret;

	ret = it_run(dev, ctx, engine, &b, &object, 1, EXEC_OBJECT_CAPTURE);
	it_expect(!ret, "execbuf of the batch that hangs: error %d", ret);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch was not stopped: error %d", ret);
	return b;
}

static struct it_bo *pattern(struct it_dev *dev)
{
	struct it_bo *bo = it_bo(dev, OBJECT_SIZE);
	uint32_t *dw = bo->map, x = 1;

	/* Nothing that a compressor makes small, and some that it does. */
	for (unsigned int i = 0; i < OBJECT_SIZE / 4; i++) {
		x = x * 1664525 + 1013904223;
		dw[i] = i < 2048 ? x : 0;
	}
	return bo;
}

static void expect_section(const char *text, const char *engine, const char *name, uint64_t address)
{
	char title[96];

	snprintf(title, sizeof(title), "%s --- %s = 0x%08x %08x\n", engine, name,
		 (uint32_t)(address >> 32), (uint32_t)address);
	it_expect(strstr(text, title), "the error state does not have the line \"%.*s\"",
		  (int)strlen(title) - 1, title);
}

static void error_state(unsigned int engine)
{
	struct it_dev *dev = it_open();
	const char *name = dev->engine[engine].name;
	struct it_bo *object = pattern(dev);
	uint32_t ctx = it_ctx_engines(dev);
	char title[64], *first, *second;
	struct it_batch b;
	size_t size, size2;

	it_error_clear(dev);
	first = it_error_read(dev, &size);
	it_expect(!strncmp(first, NONE, strlen(NONE)), "a cleared error state says \"%.40s\"", first);
	free(first);

	b = hang(dev, ctx, engine, object);
	first = it_error_read(dev, &size);
	it_expect(!strncmp(first, "GPU HANG", 8), "the error state begins with \"%.40s\"", first);
	snprintf(title, sizeof(title), "\n%s command stream:", name);
	it_expect(strstr(first, title), "the error state does not have the engine's registers");
	expect_section(first, name, "batch", b.bo->address);
	expect_section(first, name, "user", object->address);
	save("error", first, size);
	save("batch", b.bo->map, 4096);
	save("object", object->map, OBJECT_SIZE);

	/* The next is not kept: the first explains more. */
	hang(dev, it_ctx_engines(dev), engine, object);
	second = it_error_read(dev, &size2);
	it_expect(size2 == size && !memcmp(first, second, size), "the second error replaced the first");
	expect_section(second, name, "batch", b.bo->address);
	free(first);
	free(second);

	it_error_clear(dev);
	first = it_error_read(dev, &size);
	it_expect(!strncmp(first, NONE, strlen(NONE)), "a cleared error state says \"%.40s\"", first);
	free(first);
}

static void unwanted(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct drm_i915_gem_context_param p = {
		.ctx_id = it_ctx_engines(dev), .param = I915_CONTEXT_PARAM_NO_ERROR_CAPTURE, .value = 1,
	};
	size_t size;
	char *text;
	int ret;

	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
	it_expect(!ret, "setting NO_ERROR_CAPTURE: error %d", ret);
	it_error_clear(dev);
	hang(dev, p.ctx_id, engine, pattern(dev));
	text = it_error_read(dev, &size);
	it_expect(!strncmp(text, NONE, strlen(NONE)), "the error state says \"%.40s\"", text);
	free(text);
}

static void only_root(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct stat st;
	int fd = it_error_open(dev, O_RDONLY);

	(void)engine;
	it_expect(!fstat(fd, &st), "fstat: error %d", errno);
	it_expect(!(st.st_mode & 077), "others may use the error state: mode %o", st.st_mode & 0777);
	close(fd);
}

void smoke_error(const struct it_engine *engines, unsigned int n)
{
	it_subtest(only_root, 0, "error-only-root");
	for (unsigned int i = 0; i < n; i++)
		it_engine_set(engines[i].name, "heartbeat_interval_ms", SOON_MS);
	/* The first and the last: hangs take their time. */
	it_subtest(error_state, 0, "error-state-%s", engines[0].name);
	if (n > 1)
		it_subtest(error_state, n - 1, "error-state-%s", engines[n - 1].name);
	it_subtest(unwanted, 0, "error-unwanted-%s", engines[0].name);
	for (unsigned int i = 0; i < n; i++)
		it_engine_set(engines[i].name, "heartbeat_interval_ms", NULL);
}
