// SPDX-License-Identifier: MIT
/**
 * DOC: Page fault registers
 *
 * The first fault is kept in RING_FAULT_REG and the two data registers until software clears the
 * valid bit; later ones are only counted (public Gen9 PRM Vol 2c, "RING_FAULT_REG",
 * "FAULT_TLB_RD_DATA"). Gen6 and Gen7 have a register an engine, and the address is in it (as stock i915 reads them).
 */
#include "mem/mem.h"
#include "regs/regs.h"
#include "igen/regs/gtt.h"

#define FAULT_TYPE_NOT_PRESENT	0u
#define FAULT_TYPE_READ_ONLY	1u
#define FAULT_DATA1_GGTT	IGEN_BIT(4)
#define LOG_INTERVAL_NS		1000000000ull

static uint32_t fault_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct gt *gt = gpu->gt;
	uint32_t v;

	(void)opaque;
	pthread_mutex_lock(&gt->fault_lock);
	switch (offset) {
	case FAULT_TLB_DATA0:
		v = gt->fault_data[0];
		break;
	case FAULT_TLB_DATA1:
		v = gt->fault_data[1];
		break;
	default:
		v = gt->fault_reg;
	}
	pthread_mutex_unlock(&gt->fault_lock);
	return v;
}

static void fault_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct gt *gt = gpu->gt;

	(void)opaque;
	if (offset != RING_FAULT_REG)
		return;
	pthread_mutex_lock(&gt->fault_lock);
	gt->fault_reg = value;
	pthread_mutex_unlock(&gt->fault_lock);
}

static uint32_t gen6_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct gt *gt = gpu->gt;
	uint32_t v;

	(void)opaque;
	pthread_mutex_lock(&gt->fault_lock);
	v = gt->engine_fault[(offset - ENGINE_FAULT(0)) / (ENGINE_FAULT(1) - ENGINE_FAULT(0))];
	pthread_mutex_unlock(&gt->fault_lock);
	return v;
}

static void gen6_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct gt *gt = gpu->gt;

	(void)opaque;
	pthread_mutex_lock(&gt->fault_lock);
	gt->engine_fault[(offset - ENGINE_FAULT(0)) / (ENGINE_FAULT(1) - ENGINE_FAULT(0))] = value;
	pthread_mutex_unlock(&gt->fault_lock);
}

static void gen6_init(struct gpu *gpu)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(gpu->gt->engine_fault); i++) {
		const struct mmio_block block = {
			.name = "fault",
			.start = ENGINE_FAULT(i),
			.end = ENGINE_FAULT(i) + 4,
			.read = gen6_read,
			.write = gen6_write,
		};

		mmio_claim(gpu, &block);
	}
}

static void gen6_note(struct gt *gt, const struct engine_info *engine, const struct vm_ref *vm, uint64_t addr,
		      enum page_fault fault)
{
	uint32_t *reg = &gt->engine_fault[engine->fault_id];

	(void)fault;
	if (!(*reg & ENGINE_FAULT_VALID))
		*reg = ENGINE_FAULT_VALID | IGEN_PREP(ENGINE_FAULT_TYPE_MASK, FAULT_TYPE_NOT_PRESENT) |
		       (vm->ggtt ? ENGINE_FAULT_GGTT : 0) | ((uint32_t)addr & ENGINE_FAULT_ADDRESS_MASK);
}

const struct fault_ops fault_ops_gen6 = { .init = gen6_init, .note = gen6_note };

void block_fault_reset(struct gpu *gpu)
{
	struct gt *gt = gpu->gt;

	pthread_mutex_lock(&gt->fault_lock);
	for (unsigned int i = 0; i < ARRAY_SIZE(gt->engine_fault); i++)
		gt->engine_fault[i] = 0;
	gt->fault_reg = 0;
	gt->fault_data[0] = 0;
	gt->fault_data[1] = 0;
	pthread_mutex_unlock(&gt->fault_lock);
}

static void gen8_init(struct gpu *gpu)
{
	static const uint32_t regs[] = { RING_FAULT_REG, FAULT_TLB_DATA0, FAULT_TLB_DATA1 };

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		const struct mmio_block block = {
			.name = "fault",
			.start = regs[i],
			.end = regs[i] + 4,
			.read = fault_read,
			.write = fault_write,
		};

		mmio_claim(gpu, &block);
	}
}

static void gen8_note(struct gt *gt, const struct engine_info *engine, const struct vm_ref *vm, uint64_t addr,
		      enum page_fault fault)
{
	if (gt->fault_reg & RING_FAULT_VALID)
		return;
	gt->fault_reg = RING_FAULT_VALID |
		IGEN_PREP(RING_FAULT_TYPE_MASK,
			  fault == PAGE_FAULT_READ_ONLY ? FAULT_TYPE_READ_ONLY : FAULT_TYPE_NOT_PRESENT) |
		(vm->ggtt ? RING_FAULT_GGTT : 0) |
		IGEN_PREP(RING_FAULT_ENGINE_MASK, (uint32_t)engine->fault_id);
	gt->fault_data[0] = (uint32_t)(addr >> 12);
	gt->fault_data[1] = (uint32_t)(addr >> 44 & 0xf) |
		(vm->ggtt ? FAULT_DATA1_GGTT : 0);
}

const struct fault_ops fault_ops_gen8 = { .init = gen8_init, .note = gen8_note };

void block_fault_init(struct gpu *gpu)
{
	gpu->platform->faults->init(gpu);
}

/**
 * gpu_page_fault() - reports an access that no valid entry translates
 * @gpu: the device
 * @engine: the engine that accessed
 * @vm: in which address space
 * @addr: graphics address
 * @fault: what the access was, which view_page_fault() tells
 *
 * Any thread; takes leaf locks only. Fills the fault registers unless they hold a fault, counts, and
 * logs at most once a second.
 */
void gpu_page_fault(struct gpu *gpu, const struct engine_info *engine, const struct vm_ref *vm,
		    uint64_t addr, enum page_fault fault)
{
	const char *access = fault == PAGE_FAULT_READ ? "read" : "write";
	struct gt *gt = gpu->gt;
	uint64_t now = host_ns();
	bool log;

	count("page_faults", engine->name, 1);
	trace("%s: %s of 0x%llx faults in %s 0x%llx", engine->name, access,
	      (unsigned long long)addr, vm->ggtt ? "the GGTT" : "the PPGTT at",
	      (unsigned long long)(vm->ggtt ? 0 : vm->pml4));
	pthread_mutex_lock(&gt->fault_lock);
	gpu->platform->faults->note(gt, engine, vm, addr, fault);
	log = !gt->fault_logged_ns || now - gt->fault_logged_ns >= LOG_INTERVAL_NS;
	if (log)
		gt->fault_logged_ns = now;
	pthread_mutex_unlock(&gt->fault_lock);
	if (log)
		model_log("%s: %s of 0x%llx faults in the %s", engine->name, access,
			  (unsigned long long)addr, vm->ggtt ? "GGTT" : "PPGTT");
}
