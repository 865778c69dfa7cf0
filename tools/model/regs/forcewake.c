// SPDX-License-Identifier: MIT
/**
 * DOC: Forcewake
 *
 * The register database lists the power domains, each with a request register (masked, but for Gen6's) and an
 * acknowledgment that follows it, and the ranges of registers that need them. Ivy Bridge has Gen6's registers, too;
 * which of both firmware has enabled is the setting "legacy_forcewake", and the other ones do nothing. Where writes
 * go through a FIFO (fifo.c) they need no forcewake. A register of a sleeping domain is not reachable on silicon.
 * Here an access to it is counted and done all the same, unless the setting "forcewake" is "strict": then it reads 0
 * and writes nothing. An engine that is busy keeps registers awake: all of them where accesses are counted, those of
 * its own domain and of the GT's where they are strict. The fault fault_forcewake drops one acknowledgment: it comes
 * with the next request to the same domain, as the erratum that drivers cure with a second request bit has it (as
 * stock i915's fallback bit). With fault_forcewake_dead the domain stays asleep whatever is requested.
 */
#include <string.h>

#include "regs/regs.h"
#include "registers.h"
#include "igen/regs/gt.h"

bool forcewake_any(struct gpu *gpu)
{
	for (unsigned int d = 0; d < gpu->platform->registers->ndomains; d++)
		if (gpu->gt->fw_request[d])
			return true;
	return false;
}

static uint32_t domains_of(const struct igen_reg_set *set, uint32_t offset)
{
	for (unsigned int i = 0; i < set->nranges; i++)
		if (offset <= set->ranges[i].last)
			return set->ranges[i].needs;
	return 0;
}

/* Domains that busy engines keep awake: their own, and the GT's, which the device's first registers are in. */
static uint32_t busy_domains(struct gpu *gpu)
{
	const struct platform *p = gpu->platform;
	uint32_t awake = 0;

	if (!gpu->busy_engines)
		return 0;
	if (!gpu->config.forcewake)
		return ~0u;
	for (unsigned int i = 0; i < p->num_engines; i++)
		if (gpu->busy_engines & 1u << p->engines[i].id)
			awake |= domains_of(p->registers, p->engines[i].base);
	return awake | domains_of(p->registers, 0);
}

/*
 * Is the register written through a shadow that wakes the GT by itself (as stock i915 lists them for Gen8 and Gen9), or
 * used by stock i915 without forcewake, which silicon tolerates?
 */
static bool is_awake(struct gpu *gpu, uint32_t offset, bool write)
{
	const struct igen_reg_engine *engine;
	const struct igen_reg *r = igen_reg_at(gpu->platform->registers, offset, &engine);

	return r && (r->awake == IGEN_REG_AWAKE || (write && r->awake == IGEN_REG_AWAKE_WRITE));
}

/**
 * forcewake_check() - looks at an access of the CPU that could find the register asleep
 * @gpu: the device, whose lock is held
 * @offset: of the register
 * @write: a write
 *
 * Such an access is counted. RC6 need not be on: a driver that leaves it off still has to
 * take forcewake, as firmware may have turned it on.
 *
 * Return: true when the access finds the register awake, or is done all the same.
 */
bool forcewake_check(struct gpu *gpu, uint32_t offset, bool write)
{
	const struct igen_reg_set *set = gpu->platform->registers;
	uint32_t needs = domains_of(set, offset);
	char name[16];

	for (unsigned int d = 0; d < set->ndomains; d++)
		if (gpu->gt->fw_ack[d])
			needs &= ~(1u << d);
	if (!needs || is_awake(gpu, offset, write) || !(needs & ~busy_domains(gpu)))
		return true;
	if (write && set->fifo)
		return fifo_takes(gpu);
	snprintf(name, sizeof(name), "0x%x", offset);
	count("forcewake_missing", name, 1);
	trace("%s of 0x%x without forcewake", write ? "write" : "read", offset);
	return !gpu->config.forcewake;
}

/* The registers of a domain. */
static struct igen_reg_domain registers_of(struct gpu *gpu, unsigned int d)
{
	const struct igen_reg_domain *legacy = gpu->platform->legacy_forcewake;

	return legacy && gpu->config.legacy_forcewake ? *legacy : gpu->platform->registers->domains[d];
}

static unsigned int domain_of(struct gpu *gpu, uint32_t offset)
{
	unsigned int d;

	for (d = 0; d < gpu->platform->registers->ndomains - 1; d++)
		if (registers_of(gpu, d).request == offset || registers_of(gpu, d).ack == offset)
			break;
	return d;
}

/* Bits of a request register that a write changes. */
static uint32_t changed_bits(struct gpu *gpu, uint32_t offset, uint32_t value)
{
	const struct igen_reg_engine *engine;
	const struct igen_reg *r = igen_reg_at(gpu->platform->registers, offset, &engine);

	return r && r->masked ? value >> 16 : ~0u;
}

static uint32_t request_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	return gpu->gt->fw_request[domain_of(gpu, offset)];
}

/* Wakes the domain or puts it to sleep, as the requests are by now. */
static void acknowledge(struct gpu *gpu, void *opaque, uint32_t d)
{
	struct gt *gt = gpu->gt;

	(void)opaque;
	gt->fw_ack[d] = gt->fw_dead[d] ? 0 : gt->fw_request[d];
	if (gt->fw_ack[d])
		fifo_empty(gpu);
}

static void request_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	unsigned int d = domain_of(gpu, offset);
	struct gt *gt = gpu->gt;
	uint32_t old = gt->fw_request[d];
	uint32_t mask = changed_bits(gpu, offset, value);

	(void)opaque;
	gt->fw_request[d] = (old & ~mask) | (value & mask);
	rc6_update(gpu);
	/* The first domain is the render engine's. */
	if (board_has(gpu, BOARD_FORCEWAKE) && !d)
		return;
	if (gt->fw_request[d] & ~old) {
		if (fault_hits(gpu, FAULT_FORCEWAKE_DEAD, d, "does not answer any more"))
			gt->fw_dead[d] = true;
		if (fault_hits(gpu, FAULT_FORCEWAKE, d, "is not acknowledged"))
			return;
	}
	event_after_latency(gpu, acknowledge, NULL, d);
}

static uint32_t ack_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	return gpu->gt->fw_ack[domain_of(gpu, offset)];
}

static void ack_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)gpu;
	(void)opaque;
	trace("write of 0x%x to the read-only 0x%x", value, offset);
}

void forcewake_reset(struct gpu *gpu)
{
	struct gt *gt = gpu->gt;

	memset(gt->fw_request, 0, sizeof(gt->fw_request));
	memset(gt->fw_ack, 0, sizeof(gt->fw_ack));
	memset(gt->fw_dead, 0, sizeof(gt->fw_dead));
}

static uint32_t dead_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)gpu;
	(void)opaque;
	(void)offset;
	return 0;
}

/* Says which kind firmware has enabled. */
static uint32_t ecobus_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	return gpu->config.legacy_forcewake ? 0 : ECOBUS_FORCEWAKE_MT;
}

/* ECOBUS, and the registers of the kind that firmware has not enabled. */
static void claim_kinds(struct gpu *gpu)
{
	static const struct mmio_block ecobus = {
		.name = "ECOBUS",
		.start = ECOBUS,
		.end = ECOBUS + 4,
		.read = ecobus_read,
		.write = ack_write,
	};
	const struct igen_reg_domain *legacy = gpu->platform->legacy_forcewake;
	const struct igen_reg_domain *dead = gpu->config.legacy_forcewake ? gpu->platform->registers->domains : legacy;
	const uint32_t offsets[] = { dead->request, dead->ack };

	mmio_claim(gpu, &ecobus);
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		const struct mmio_block block = {
			.name = "forcewake that is not enabled",
			.start = offsets[i],
			.end = offsets[i] + 4,
			.read = dead_read,
			.write = ack_write,
		};

		mmio_claim(gpu, &block);
	}
}

void block_forcewake_init(struct gpu *gpu)
{
	const struct igen_reg_set *set = gpu->platform->registers;

	if (set->ndomains > NUM_DOMAINS)
		model_die("%u power domains", set->ndomains);
	for (unsigned int d = 0; d < set->ndomains; d++) {
		const struct igen_reg_domain regs = registers_of(gpu, d);
		const struct mmio_block request = {
			.name = "forcewake request",
			.start = regs.request,
			.end = regs.request + 4,
			.read = request_read,
			.write = request_write,
		};
		const struct mmio_block ack = {
			.name = "forcewake acknowledgment",
			.start = regs.ack,
			.end = regs.ack + 4,
			.read = ack_read,
			.write = ack_write,
		};

		mmio_claim(gpu, &request);
		mmio_claim(gpu, &ack);
	}
	if (gpu->platform->legacy_forcewake)
		claim_kinds(gpu);
}
