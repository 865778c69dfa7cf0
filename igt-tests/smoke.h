/* SPDX-License-Identifier: MIT */
#ifndef IGEN_TESTS_SMOKE_H
#define IGEN_TESTS_SMOKE_H

#include "lib/it.h"

/* Each runs its subtests on the given engines. */
void smoke_submit(const struct it_engine *engines, unsigned int n);
void smoke_cs(const struct it_engine *engines, unsigned int n);
void smoke_blt(const struct it_engine *engines, unsigned int n);
void smoke_balance(const struct it_engine *engines, unsigned int n);
void smoke_fair(const struct it_engine *engines, unsigned int n);
void smoke_starve(const struct it_engine *engines, unsigned int n);
void smoke_sched(const struct it_engine *engines, unsigned int n);
void smoke_forge(const struct it_engine *engines, unsigned int n);
void smoke_irq(const struct it_engine *engines, unsigned int n);
void smoke_sema(const struct it_engine *engines, unsigned int n);
void smoke_reloc(const struct it_engine *engines, unsigned int n);
void smoke_walker(const struct it_engine *engines, unsigned int n);
void smoke_power(void);
void smoke_sleep(void);
void smoke_mem(const struct it_engine *engines, unsigned int n);
void smoke_again(const struct it_engine *engines, unsigned int n);
void smoke_stale(const struct it_engine *engines, unsigned int n);
void smoke_cve(const struct it_engine *engines, unsigned int n);
void smoke_told(const struct it_engine *engines, unsigned int n);
void smoke_told_mem(const struct it_engine *engines, unsigned int n);
void smoke_race(const struct it_engine *engines, unsigned int n);
void smoke_import(void);
void smoke_uapi(void);
void smoke_time(void);
void smoke_parser(void);
void smoke_frees(const struct it_engine *engines, unsigned int n);
void smoke_error(const struct it_engine *engines, unsigned int n);
void smoke_reset(const struct it_engine *engines, unsigned int n);

/* The GPU's interrupts up to now, on all processors. */
long smoke_interrupts(void);

/* A new buffer of vgem's with 16 KB as a dma-buf, and it in a file of ours, at an address far from others. */
int smoke_vgem_buffer(void);
int smoke_import_buffer(struct it_dev *dev, int buffer, struct it_bo *bo);

#endif
