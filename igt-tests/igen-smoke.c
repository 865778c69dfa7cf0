// SPDX-License-Identifier: MIT
/**
 * DOC: igen-smoke
 *
 * Tests whether the GPU executes batches correctly: on every engine, through every form of submission; then
 * the commands of the command streamer, the blitter's pixels, and the isolation by the driver: of contexts,
 * address spaces, old and new pages, and of contexts that hang from others. Expected values come from the
 * manuals.
 *
 * The subtests are in smoke_*.c. igen-smoke [NAME ...] runs those whose names begin with NAME.
 */
#include <stdio.h>

#include "smoke.h"

int main(int argc, char **argv)
{
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int n;

	it_init(argc, argv);
	n = it_engines(engines, IT_MAX_ENGINES);
	if (!n) {
		printf("skip everything: no GPU with an i915 uAPI\n");
		return IT_SKIPPED;
	}
	smoke_submit(engines, n);
	smoke_cs(engines, n);
	smoke_blt(engines, n);
	smoke_irq(engines, n);
	smoke_sched(engines, n);
	smoke_sema(engines, n);
	smoke_reloc(engines, n);
	smoke_walker(engines, n);
	smoke_balance(engines, n);
	smoke_fair(engines, n);
	smoke_starve(engines, n);
	smoke_power();
	smoke_sleep();
	smoke_mem(engines, n);
	smoke_again(engines, n);
	smoke_stale(engines, n);
	smoke_error(engines, n);
	smoke_reset(engines, n);
	smoke_cve(engines, n);
	smoke_told(engines, n);
	smoke_told_mem(engines, n);
	smoke_forge(engines, n);
	smoke_race(engines, n);
	smoke_import();
	smoke_uapi();
	smoke_time();
	smoke_parser();
	smoke_frees(engines, n);
	return it_exit();
}
