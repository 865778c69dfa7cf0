// SPDX-License-Identifier: MIT
/**
 * DOC: igen-registers
 *
 * Brings the GPU into two states that any driver knows, and has the model write down its registers in each (snapshots
 * of igen-vm --registers): 1, while a batch of ours is on every engine, and 2, when all has been done and retired. The
 * ring that was used in the first tells which of the images that the engines have saved is ours.
 */
#include <fcntl.h>
#include <unistd.h>

#include "lib/it.h"

#define CONFIG		"/sys/bus/pci/devices/0000:00:02.0/config"
#define SNAPSHOT	0xf0
#define DROP_CACHES	"/sys/kernel/debug/dri/0/i915_gem_drop_caches"
#define SETTLE_US	10000
#define SETTLES		10

/*
 * A driver answers the last interrupts, and lets forcewake go by a timer of one or two milliseconds (i915 6.1,
 * intel_uncore_fw_release_timer). The snapshot is taken after that. All of these times are the guest's. A guest that
 * stands still for long wakes from one sleep only, with the timers and workers that are due.
 */
static void snapshot(unsigned char number)
{
	int fd = open(CONFIG, O_WRONLY);

	for (unsigned int i = 0; i < SETTLES; i++)
		usleep(SETTLE_US);
	it_expect(fd >= 0 && pwrite(fd, &number, 1, SNAPSHOT) == 1, "%s cannot be written", CONFIG);
	close(fd);
}

/* Bits 2 and 6: retires and waits until the driver holds the GPU for idle. */
static void go_idle(void)
{
	int ret = it_write_file(DROP_CACHES, "0x44");

	it_expect(!ret, "%s cannot be written: error %d", DROP_CACHES, ret);
}

static void registers(unsigned int arg)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096), *last[IT_MAX_ENGINES];
	volatile uint32_t *dw = page->map;
	uint32_t ctx = it_ctx_engines(dev);
	struct it_batch b;
	int ret;

	for (unsigned int i = 0; i < dev->num_engines; i++) {
		b = it_batch(dev, 4096);
		it_emit_store(&b, page->address + 4 * i, 1);
		it_emit(&b, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD);
		it_emit(&b, arg);
		it_emit_address(&b, page->address + 4 * IT_MAX_ENGINES);
		it_emit_end(&b);
		ret = it_run(dev, ctx, i, &b, &page, 1, EXEC_OBJECT_ASYNC);
		it_expect(!ret, "execbuf on %s: error %d", dev->engine[i].name, ret);
		last[i] = b.bo;
	}
	for (unsigned int i = 0; i < dev->num_engines; i++)
		it_expect(it_poll(&dw[i], 1), "the batch on %s does not start", dev->engine[i].name);
	snapshot(1);
	dw[IT_MAX_ENGINES] = 1;
	for (unsigned int i = 0; i < dev->num_engines; i++) {
		ret = it_bo_wait(last[i], IT_WAIT_NS);
		it_expect(!ret, "the batch on %s did not end: error %d", dev->engine[i].name, ret);
	}
	go_idle();
	snapshot(2);
}

int main(int argc, char **argv)
{
	it_init(argc, argv);
	it_subtest(registers, 0, "registers");
	return it_exit();
}
