// SPDX-License-Identifier: MIT
/**
 * DOC: Forcewake
 *
 * Three power domains, each with a masked request register and an acknowledgment that follows it.
 * A register of a sleeping domain is not reachable on silicon; here it is, so forcewake matters
 * only for RC6 residency and for a driver that waits for the acknowledgment. The fault
 * fault_forcewake drops one acknowledgment: it comes with the next request to the same domain, as
 * the erratum that drivers cure with a second request bit has it (as stock i915's fallback bit).
 * With fault_forcewake_dead the domain stays asleep whatever is requested.
 */
#include "core.h"
#include "engine.h"
#include "igen/regs/gt.h"

static const struct {
	uint32_t request, ack;
} domains[NUM_DOMAINS] = {				/* in the order of fault_domains */
	{ FORCEWAKE_RENDER, FORCEWAKE_ACK_RENDER },
	{ FORCEWAKE_MEDIA, FORCEWAKE_ACK_MEDIA },
	{ FORCEWAKE_GT, FORCEWAKE_ACK_GT },
};

bool forcewake_any(struct gpu *gpu)
{
	return gpu->gt->fw_request[0] || gpu->gt->fw_request[1] || gpu->gt->fw_request[2];
}

#define WAKE_RENDER	0x1u
#define WAKE_MEDIA	0x2u
#define WAKE_GT		0x4u

/*
 * Which domains a register needs, by the last offset of each range (as stock i915 has it for Gen9).
 * Registers from 0x40000 on are always awake.
 */
static const struct {
	uint32_t last;
	uint32_t needs;
} wake_ranges[] = {
	{ 0x000aff, WAKE_GT }, { 0x001fff, 0 },
	{ 0x0026ff, WAKE_RENDER }, { 0x002fff, WAKE_GT },
	{ 0x003fff, WAKE_RENDER }, { 0x0051ff, WAKE_GT },
	{ 0x007fff, WAKE_RENDER }, { 0x00812f, WAKE_GT },
	{ 0x00813f, WAKE_MEDIA }, { 0x00815f, WAKE_RENDER },
	{ 0x0082ff, WAKE_GT }, { 0x0084ff, WAKE_RENDER },
	{ 0x0087ff, WAKE_GT }, { 0x0089ff, WAKE_MEDIA },
	{ 0x008bff, WAKE_GT }, { 0x008cff, WAKE_RENDER },
	{ 0x0093ff, WAKE_GT }, { 0x0097ff, WAKE_RENDER | WAKE_MEDIA },
	{ 0x00afff, WAKE_GT }, { 0x00b47f, WAKE_RENDER },
	{ 0x00cfff, WAKE_GT }, { 0x00d7ff, WAKE_MEDIA },
	{ 0x00dfff, WAKE_GT }, { 0x00e8ff, WAKE_RENDER },
	{ 0x011fff, WAKE_GT }, { 0x013fff, WAKE_MEDIA },
	{ 0x019fff, WAKE_GT }, { 0x01e9ff, WAKE_MEDIA },
	{ 0x0243ff, WAKE_GT }, { 0x0247ff, WAKE_RENDER },
	{ 0x02ffff, WAKE_GT }, { 0x03ffff, WAKE_MEDIA },
};

/*
 * Written through a shadow that wakes the GT by itself (as stock i915 lists them for Gen8 and Gen9), or
 * used by stock i915 without forcewake, which silicon bears with.
 */
static bool exempt(struct gpu *gpu, uint32_t offset, bool write)
{
	for (unsigned int i = 0; i < gpu->platform->num_engines; i++) {
		uint32_t base = gpu->platform->engines[i].base;

		if (offset == RING_CTX_STATUS_PTR(base))
			return true;
		if (write && (offset == RING_TAIL(base) || offset == RING_ELSP(base)))
			return true;
	}
	switch (offset) {
	case RPNSWREQ:
	case RC_CONTROL:
	case RC_STATE:
	case RP_CONTROL:
	case 0x00a00c:				/* RC_VIDEO_FREQ */
	case FORCEWAKE_RENDER:
	case FORCEWAKE_MEDIA:
	case FORCEWAKE_GT:
		return write;
	}
	return false;
}

/* An engine at work keeps the GT awake. */
static bool engines_busy(struct gpu *gpu)
{
	for (unsigned int i = 0; i < NUM_ENGINES; i++)
		if (gpu->engine[i] && gpu->engine[i]->state != ENGINE_IDLE)
			return true;
	return false;
}

/**
 * forcewake_check() - counts an access of the CPU that could find the register asleep
 * @gpu: the device, whose lock is held
 * @offset: of the register
 * @write: a write
 *
 * The access is done all the same. RC6 need not be on: a driver that leaves it off still has to
 * take forcewake, as firmware may have turned it on.
 */
void forcewake_check(struct gpu *gpu, uint32_t offset, bool write)
{
	uint32_t needs = 0;
	char name[16];

	for (size_t i = 0; i < ARRAY_SIZE(wake_ranges); i++) {
		if (offset <= wake_ranges[i].last) {
			needs = wake_ranges[i].needs;
			break;
		}
	}
	for (size_t d = 0; d < ARRAY_SIZE(domains); d++)
		if (gpu->gt->fw_ack[d])
			needs &= ~(1u << d);
	if (!needs || exempt(gpu, offset, write) || engines_busy(gpu))
		return;
	snprintf(name, sizeof(name), "0x%x", offset);
	count("forcewake_missing", name, 1);
	trace("%s of 0x%x without forcewake", write ? "write" : "read", offset);
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
		if (fault_hits(gpu, FAULT_FORCEWAKE_DEAD, d, "does not answer any more"))
			gt->fw_dead[d] = true;
		if (fault_hits(gpu, FAULT_FORCEWAKE, d, "is not acknowledged"))
			return;
	}
	if (gt->fw_dead[d]) {
		gt->fw_ack[d] = 0;
		return;
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
