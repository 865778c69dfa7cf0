// SPDX-License-Identifier: MIT
/**
 * DOC: The device as a whole
 *
 * Makes the parts in the order of their dependencies, and frees them in the opposite order. main.c starts
 * the engines and the transport, so that tests have a device without either.
 */
#include <stdlib.h>

#include "bus/bus.h"
#include "engine/engine.h"
#include "main/main.h"
#include "mem/mem.h"
#include "platform/platform.h"
#include "regs/regs.h"

/* A device for a configuration that config_check() accepted; NULL without memory. */
struct gpu *gpu_new(const struct config *cfg)
{
	struct gpu *gpu = calloc(1, sizeof(*gpu));

	if (!gpu)
		return NULL;
	gpu->config = *cfg;
	if (cfg->board_fault != BOARD_GUEST)
		board_choose(gpu, cfg->board_fault);
	atomic_store(&gpu->off_bus, board_has(gpu, BOARD_CONFIG));
	gpu->platform = platform_find(cfg->platform);
	if (!gpu->config.ggms_mb)
		gpu->config.ggms_mb = gpu->platform->gmch->ggms_mb[1];
	counters_platform = gpu->platform->name;
	pthread_mutex_init(&gpu->lock, NULL);
	clock_start(gpu);
	gpu->gt = calloc(1, sizeof(*gpu->gt));
	if (gpu->gt)
		pthread_mutex_init(&gpu->gt->fault_lock, NULL);
	if (!gpu->gt || mmio_init(gpu) || gmem_init(gpu) || coherency_init(gpu) || gtt_init(gpu) ||
	    gpu->platform->irq->init(gpu) || pci_init(gpu)) {
		gpu_free(gpu);
		return NULL;
	}
	for (unsigned int i = 0; gpu->platform->register_blocks[i]; i++)
		gpu->platform->register_blocks[i](gpu);
	return gpu;
}

void gpu_free(struct gpu *gpu)
{
	if (!gpu)
		return;
	pci_fini(gpu);
	if (gpu->irq)
		gpu->platform->irq->fini(gpu);
	gtt_fini(gpu);
	coherency_fini(gpu);
	coherency_unshare(gpu);
	gmem_fini(gpu);
	mmio_fini(gpu);
	if (gpu->gt)
		pthread_mutex_destroy(&gpu->gt->fault_lock);
	free(gpu->gt);
	pthread_mutex_destroy(&gpu->lock);
	free(gpu);
}
