// SPDX-License-Identifier: MIT
/**
 * DOC: The device as a whole
 *
 * Makes the parts in the order in which they lean on each other, and takes them down the other way
 * round. Engines and the transport are started by main.c, so that tests have a device without
 * either.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "igen/regs/gt.h"

/* A device for a configuration that config_check() accepted; NULL without memory. */
struct gpu *gpu_new(const struct config *cfg)
{
	struct gpu *gpu = calloc(1, sizeof(*gpu));

	if (!gpu)
		return NULL;
	gpu->config = *cfg;
	gpu->platform = platform_find(cfg->platform);
	counters_platform = gpu->platform->name;
	pthread_mutex_init(&gpu->lock, NULL);
	clock_start(gpu);
	gpu->gt = calloc(1, sizeof(*gpu->gt));
	if (gpu->gt)
		pthread_mutex_init(&gpu->gt->fault_lock, NULL);
	if (!gpu->gt || mmio_init(gpu) || gmem_init(gpu) || gtt_init(gpu) || block_irq_init(gpu) ||
	    pci_init(gpu)) {
		gpu_free(gpu);
		return NULL;
	}
	fence_init(gpu);
	block_forcewake_init(gpu);
	block_gt_init(gpu);
	block_pcode_init(gpu);
	block_rps_init(gpu);
	block_reset_init(gpu);
	block_fault_init(gpu);
	block_plain_init(gpu);
	block_display_init(gpu);
	return gpu;
}

void gpu_free(struct gpu *gpu)
{
	if (!gpu)
		return;
	pci_fini(gpu);
	block_irq_fini(gpu);
	gtt_fini(gpu);
	gmem_fini(gpu);
	mmio_fini(gpu);
	if (gpu->gt)
		pthread_mutex_destroy(&gpu->gt->fault_lock);
	free(gpu->gt);
	pthread_mutex_destroy(&gpu->lock);
	free(gpu);
}

void gpu_reset(struct gpu *gpu)
{
	struct gt *gt = gpu->gt;

	pthread_mutex_lock(&gpu->lock);
	for (unsigned int i = 0; i < gpu->platform->num_engines; i++)
		if (gpu->engine[gpu->platform->engines[i].id])
			engine_reset(gpu, gpu->platform->engines[i].id);
	mmio_reset_domains(gpu, ~0u);
	irq_reset(gpu);
	memset(gt->fw_request, 0, sizeof(gt->fw_request));
	memset(gt->fw_ack, 0, sizeof(gt->fw_ack));
	memset(gt->fw_dead, 0, sizeof(gt->fw_dead));
	atomic_store(&gpu->off_bus, false);
	memset(gt->pwr_well, 0, sizeof(gt->pwr_well));
	block_fault_reset(gpu);
	gt->rpnswreq = 0;
	gt->rc_control = 0;
	rc6_update(gpu);
	atomic_store(&gt->fence.valid, 0);
	for (size_t i = 0; i < ARRAY_SIZE(gt->fence.reg); i++)
		atomic_store(&gt->fence.reg[i], 0);
	tlb_invalidate_all(gpu, true, true);
	pthread_mutex_unlock(&gpu->lock);
}
