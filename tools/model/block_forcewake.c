// SPDX-License-Identifier: MIT
/*
 * DOC: Forcewake
 *
 * Three power domains, each with a masked request register and an acknowledgment that follows it.
 * A register of a sleeping domain is not reachable on silicon; here it is, so forcewake matters
 * only for RC6 residency and for a driver that waits for the acknowledgment. The fault
 * fault_forcewake drops one acknowledgment: it comes with the next request to the same domain, as
 * the erratum that drivers cure with a second request bit has it (as stock i915's fallback bit).
 */
#include "core.h"
#include "igen/regs/gt.h"

static const struct {
	uint32_t request, ack;
} domains[] = {
	{ FORCEWAKE_RENDER, FORCEWAKE_ACK_RENDER },
	{ FORCEWAKE_MEDIA, FORCEWAKE_ACK_MEDIA },
	{ FORCEWAKE_GT, FORCEWAKE_ACK_GT },
};

bool forcewake_any(struct gpu *gpu)
{
	return gpu->gt->fw_request[0] || gpu->gt->fw_request[1] || gpu->gt->fw_request[2];
}

static unsigned int domain_of(uint32_t offset)
{
	unsigned int d;

	for (d = 0; d < ARRAY_SIZE(domains) - 1; d++)
		if (domains[d].request == offset || domains[d].ack == offset)
			break;
	return d;
}

static uint32_t request_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	return gpu->gt->fw_request[domain_of(offset)];
}

static void request_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	unsigned int d = domain_of(offset);
	struct gt *gt = gpu->gt;
	uint32_t old = gt->fw_request[d];
	uint32_t mask = value >> 16;

	(void)opaque;
	gt->fw_request[d] = (old & ~mask) | (value & mask);
	rc6_update(gpu);
	if (gt->fw_request[d] & ~old) {
		gt->fw_count++;
		if (gt->fw_count == gpu->config.fault_forcewake) {
			count("faults_injected", "forcewake", 1);
			model_log("fault: forcewake request %u is not acknowledged", gt->fw_count);
			return;
		}
	}
	gt->fw_ack[d] = gt->fw_request[d];
}

static uint32_t ack_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	return gpu->gt->fw_ack[domain_of(offset)];
}

static void ack_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)gpu;
	(void)opaque;
	trace("write of 0x%x to the read-only 0x%x", value, offset);
}

void block_forcewake_init(struct gpu *gpu)
{
	for (size_t d = 0; d < ARRAY_SIZE(domains); d++) {
		const struct mmio_block request = {
			.name = "forcewake request",
			.start = domains[d].request,
			.end = domains[d].request + 4,
			.read = request_read,
			.write = request_write,
		};
		const struct mmio_block ack = {
			.name = "forcewake acknowledgment",
			.start = domains[d].ack,
			.end = domains[d].ack + 4,
			.read = ack_read,
			.write = ack_write,
		};

		mmio_claim(gpu, &request);
		mmio_claim(gpu, &ack);
	}
}
