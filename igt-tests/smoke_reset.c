// SPDX-License-Identifier: MIT
/**
 * DOC: Wedging and full resets
 *
 * The driver wedges the GPU with requests in flight, and the GPU works again afterwards; the failed requests do not run
 * again. The driver announces a reset of all engines by uevents.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "smoke.h"

#define DEBUGFS		"/sys/kernel/debug/dri/0/"
#define ALL		"0xffffffff"

/* What batches do with the page, in dwords. */
enum { STARTED, GATE, NEXT };

static volatile uint32_t *page_of(struct it_bo *bo)
{
	return bo->map;
}

static uint64_t address_of(struct it_bo *bo, unsigned int what)
{
	return bo->address + 4 * what;
}

/* A batch that says that it starts and runs until the gate is open. */
static struct it_batch run_in_vain(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *bo)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit_store(&b, address_of(bo, STARTED), 1);
	it_emit_circle(&b, address_of(bo, GATE));
	ret = it_run(dev, ctx, engine, &b, &bo, 1, EXEC_OBJECT_WRITE);
	it_expect(!ret, "execbuf: error %d", ret);
	it_expect(it_poll(page_of(bo) + STARTED, 1), "the batch does not start");
	return b;
}

/* What failed does not run any more, but the context does. */
static void expect_new_start(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *bo)
{
	struct it_batch b = it_batch(dev, 4096);
	volatile uint32_t *page = page_of(bo);

	it_emit_store(&b, address_of(bo, NEXT), 1);
	it_emit_end(&b);
	it_run_wait(dev, ctx, engine, &b, &bo, 1);
	it_expect(page[NEXT] == 1, "the batch behind the failed one did nothing");
	it_expect(!page[STARTED], "the batch that had failed ran again");
}

static void given_up(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, 4096);
	char before[32] = "", wedged[8] = "";
	struct it_batch b;
	int ret, end, again;

	ret = it_read_file(DEBUGFS "i915_params/reset", before, sizeof(before));
	if (ret || access(DEBUGFS "i915_wedged", W_OK))
		it_skip("the GPU cannot be given up: error %d", ret);
	b = run_in_vain(dev, ctx, engine, bo);

	/* A GPU that must not be reset. */
	ret = it_write_file(DEBUGFS "i915_params/reset", "0") ?: it_write_file(DEBUGFS "i915_wedged", ALL);
	end = ret ?: it_bo_wait(b.bo, IT_WAIT_NS);
	/* A second request does not bring it back; the first one may have come behind a hang. */
	ret = ret ?: it_write_file(DEBUGFS "i915_wedged", ALL);
	ret = ret ?: it_read_file(DEBUGFS "i915_wedged", wedged, sizeof(wedged));
	memset(bo->map, 0, bo->size);
	again = it_write_file(DEBUGFS "i915_params/reset", before) ?: it_write_file(DEBUGFS "i915_wedged", ALL);
	/* Did the batch run again it would come to its end, and be found out. */
	page_of(bo)[GATE] = 1;
	it_expect(!ret, "giving up the GPU: error %d", ret);
	it_expect(!end, "the batch did not end with the GPU: error %d", end);
	it_expect(wedged[0] == '1', "the GPU that must not be reset was reset: wedged is %s", wedged);
	it_expect(!again, "taking the GPU into use again: error %d", again);
	expect_new_start(dev, ctx, engine, bo);
}

/* Hears what the kernel tells of its devices. */
static int listen_events(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	struct timeval most = { .tv_sec = IT_WAIT_NS / 1000000000 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	it_expect(fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address)) &&
		  !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)),
		  "listening to events: error %d", errno);
	return fd;
}

/* Waits for the next event of a reset. */
static void expect_event(int fd, const char *expected)
{
	char text[4096];
	const char *line;
	ssize_t n;

	for (;;) {
		n = recv(fd, text, sizeof(text) - 1, 0);
		it_expect(n >= 0, "there is no event %s: error %d", expected, errno);
		text[n] = 0;
		for (line = text; line < text + n; line += strlen(line) + 1) {
			if (strncmp(line, "ERROR=", 6) && strncmp(line, "RESET=", 6))
				continue;
			it_expect(!strcmp(line, expected), "event %s in place of %s", line, expected);
			return;
		}
	}
}

/* A reset of all engines is told of: that there is an error, that it begins, that the GPU works again. */
static void told(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, 4096);
	char before[32] = "";
	struct it_batch b;
	int ret, end, fd;

	ret = it_read_file(DEBUGFS "i915_params/reset", before, sizeof(before));
	if (ret || access(DEBUGFS "i915_wedged", W_OK))
		it_skip("the GPU cannot be reset as a whole: error %d", ret);
	fd = listen_events();
	b = run_in_vain(dev, ctx, engine, bo);

	/* No engine alone. */
	ret = it_write_file(DEBUGFS "i915_params/reset", "1") ?: it_write_file(DEBUGFS "i915_wedged", ALL);
	end = it_write_file(DEBUGFS "i915_params/reset", before);
	page_of(bo)[GATE] = 1;
	it_expect(!ret && !end, "resetting the GPU: errors %d and %d", ret, end);
	expect_event(fd, "ERROR=1");
	expect_event(fd, "RESET=1");
	expect_event(fd, "ERROR=0");
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch did not end: error %d", ret);
	close(fd);
}

void smoke_reset(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		it_subtest(given_up, i, "reset-given-up-%s", engines[i].name);
	it_subtest(told, 0, "reset-told-%s", engines[0].name);
}
