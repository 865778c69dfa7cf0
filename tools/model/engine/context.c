// SPDX-License-Identifier: MIT
/**
 * DOC: Loading and saving logical contexts
 *
 * A context's image is a program: MI_LOAD_REGISTER_IMM commands whose offsets and values the engine
 * wrote when it saved the context, and which it executes to load it (KBL Vol 3, "Register/State
 * Context"). The first five cache lines, the ring context, are always loaded; what is behind them
 * is not while "restore inhibit" is set in the context control, as it is for an image that no
 * engine ever saved. Values that a driver may change while the context runs are not saved, or the
 * change would be lost: ring tail, start and control.
 *
 * The register database has the lists of the copy, video and enhancement engines, which are the
 * manual's. It has none for the render engine: up to dword 0xb0 this one has the same, as stock i915
 * expects; what the pipeline owns (as stock i915's GVT-g and IGT's gem_ctx_isolation name it) goes
 * into a further list, in the second page of the register state, in the database's order.
 *
 * The INDIRECT_CTX buffer is executed on the way, when the load has come to the cache line that
 * INDIRECT_CTX_OFFSET names: what the image has behind it is loaded after it. Stock i915 puts it
 * into the pipeline's part on the render engine and at the default elsewhere; both lie between the
 * two lists here.
 *
 * The page in front of the register state, the PPHWSP, gets timestamps of load and save.
 */
#include <string.h>

#include "engine/engine.h"
#include "registers.h"
#include "regs/regs.h"
#include "igen/cmd/mi.h"
#include "igen/regs/context.h"

#define RING_CONTEXT_DWORDS	0x50		/* five cache lines */
#define STATE_DWORDS		CONTEXT_DWORDS

static const struct vm_ref ggtt = { .ggtt = true };

static uint64_t lrca(uint64_t desc)
{
	return desc & CTX_DESC_LRCA_MASK;
}

static bool fault(struct engine *e, uint64_t addr, bool write)
{
	gpu_page_fault(e->gpu, e->info, &ggtt, addr, view_page_fault(&e->view, write));
	return false;
}

/* gpu->lock held. */
static void restore_register(struct engine *e, uint32_t offset, uint32_t value)
{
	/* Read only to everyone else. */
	if (offset == RING_IPEHR(e->info->base))
		reg_set(e, RING_IPEHR(0), value);
	else if (offset != RING_TIMESTAMP(e->info->base))
		mmio_write(e->gpu, offset, value, false);
}

/* Pairs of the MI_LOAD_REGISTER_IMM with this header; 0 if it is no command. */
unsigned int context_lri_pairs(const struct engine *e, uint32_t header)
{
	const struct igen_cmd *cmd = igen_lookup(e->decoder, header);

	return cmd ? (igen_cmd_dwords(cmd, header) - 1) / 2 : 0;
}

/**
 * context_execute_image() - loads registers from a context's image
 * @e: the engine, whose GPU's lock is held
 * @dw: the image's commands
 * @n: their dwords
 *
 * Return: what is wrong with the image, or NULL.
 */
const char *context_execute_image(struct engine *e, const uint32_t *dw, unsigned int n)
{
	unsigned int i = 0;

	while (i < n) {
		uint32_t h = dw[i];
		unsigned int pairs;

		if (h >> 29 != CMD_TYPE_MI)
			return "context image holds something else than MI commands";
		switch (IGEN_GET(MI_OPCODE_MASK, h)) {
		case MI_OP_NOOP:
			i++;
			continue;
		case MI_OP_BATCH_BUFFER_END:
			return NULL;
		case MI_OP_LOAD_REGISTER_IMM:
			break;
		default:
			return "context image holds an unexpected command";
		}
		pairs = context_lri_pairs(e, h);
		if (i + 1 + 2 * pairs > n)
			return "context image holds a list beyond its end";
		for (unsigned int k = 0; k < pairs; k++)
			restore_register(e, dw[i + 1 + 2 * k] & MI_REGISTER_MASK,
					 dw[i + 2 + 2 * k]);
		i += 1 + 2 * pairs;
	}
	return NULL;
}

/* The address space of the context from its PDP registers. */
static bool set_ppgtt(struct engine *e, uint64_t desc)
{
	uint64_t pml4 = reg_get64(e, RING_PDP_LDW(0, 0));

	e->cs.ppgtt.ggtt = false;
	e->cs.ppgtt.pml4 = pml4;
	/*
	 * What a TLB holds of another address space goes with it (public Gen9 PRM Vol 5, "TLB
	 * invalidation").
	 */
	if (pml4 != e->loaded_pml4 || desc & CTX_DESC_FORCE_PD_RESTORE)
		tlb_invalidate(e->tlb, false, true);
	e->loaded_pml4 = pml4;
	return IGEN_GET(CTX_DESC_ADDRESSING_MASK, desc) == CTX_DESC_LEGACY_48B;
}

static void write_timestamp(struct engine *e, uint64_t desc, unsigned int dw, uint64_t ts)
{
	uint64_t addr = lrca(desc) + dw * 4;

	if (!vm_write32(&e->view, &ggtt, addr, (uint32_t)ts))
		fault(e, addr, true);
}

bool context_load(struct engine *e, uint64_t desc)
{
	uint64_t state = lrca(desc) + LRC_STATE_OFFSET;
	uint32_t image[STATE_DWORDS];
	struct gpu *gpu = e->gpu;
	const char *error;
	bool inhibit;

	if (!vm_read(&e->view, &ggtt, state, image, sizeof(image))) {
		fault(e, state, false);
		engine_halt(e, EIR_PAGE_TABLE_ERROR, "context image is not mapped");
		return false;
	}
	e->loaded_desc = desc;
	if (e->gpu->config.image_checks)
		memcpy(e->loaded_image, image, sizeof(image));
	inhibit = image[CTX_CONTEXT_CONTROL] & (image[CTX_CONTEXT_CONTROL] >> 16) &
		  CTX_CTL_RESTORE_INHIBIT;
	e->restore_render = e->info->class == ENGINE_RENDER && !inhibit;

	pthread_mutex_lock(&gpu->lock);
	error = context_execute_image(e, image, inhibit ? RING_CONTEXT_DWORDS : STATE_DWORDS);
	cs_start_ring(e);
	/* A ring that begins at its head: only where the tail lies counts. */
	cs_check_tail(e, reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK, image[CTX_RING_TAIL]);
	cs_restore_batches(e);
	atomic_store(&e->ctx_active, true);
	pthread_mutex_unlock(&gpu->lock);
	if (e->cs.level != CS_RING)
		cs_find_breadcrumb(e, 0);
	if (!error && !set_ppgtt(e, desc))
		error = "context with an address space that is not 48 bits wide";
	if (error) {
		engine_halt(e, EIR_INSTRUCTION_ERROR, error);
		return false;
	}
	trace("%s: context %08x loaded%s head %x tail %x", e->info->name, (uint32_t)lrca(desc),
	      inhibit ? " (ring only)" : "", reg_get(e, RING_HEAD(0)), reg_get(e, RING_TAIL(0)));
	return true;
}

bool context_load_rest(struct engine *e, uint64_t desc)
{
	uint64_t addr = lrca(desc) + LRC_STATE_OFFSET + e->gpu->platform->image->registers * 4;
	uint32_t list[CONTEXT_LIST_DWORDS];
	const char *error = NULL;

	if (e->restore_render) {
		if (!vm_read(&e->view, &ggtt, addr, list, sizeof(list))) {
			fault(e, addr, false);
			engine_halt(e, EIR_PAGE_TABLE_ERROR, "context image is not mapped");
			return false;
		}
		pthread_mutex_lock(&e->gpu->lock);
		if (list[0])
			error = context_execute_image(e, list, ARRAY_SIZE(list));
		pthread_mutex_unlock(&e->gpu->lock);
	}
	if (e->info->class == ENGINE_RENDER &&
	    !(cs_state_load(e, e->restore_render ? lrca(desc) + LRC_STATE_OFFSET : 0) &&
	      cs_pipeline_load(e, e->restore_render ? lrca(desc) + LRC_STATE_OFFSET : 0))) {
		fault(e, addr, false);
		engine_halt(e, EIR_PAGE_TABLE_ERROR, "context image is not mapped");
		return false;
	}
	if (error) {
		engine_halt(e, EIR_INSTRUCTION_ERROR, error);
		return false;
	}
	write_timestamp(e, desc, PPHWSP_RESTORE_FINISHED_DW, gpu_timestamp(e->gpu));
	write_timestamp(e, desc, PPHWSP_LAST_SWITCH_DW, e->switch_ts);
	return true;
}

bool context_resample_tail(struct engine *e, uint64_t desc)
{
	uint32_t tail;

	if (!vm_read32(&e->view, &ggtt, lrca(desc) + LRC_STATE_OFFSET + CTX_RING_TAIL * 4, &tail))
		return false;
	cs_check_tail(e, reg_get(e, RING_TAIL(0)), tail);
	reg_set(e, RING_TAIL(0), tail & RING_TAIL_MASK);
	/* Silicon may lose such a restore (stock i915, "WaIdleLiteRestore"). */
	if (e->gpu->config.ring_checks &&
	    (reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK) == (tail & RING_TAIL_MASK))
		cs_finding(e, "lite-restore-empty: the ring of the context that runs has nothing new");
	return true;
}

/* gpu->lock held. */
static uint32_t saved_value(struct engine *e, uint16_t reg)
{
	uint32_t v = engine_reg_read(e->gpu, e, e->info->base + reg);

	if (reg == RING_CTX_CTL(0))
		v &= ~CTX_CTL_RESTORE_INHIBIT;
	if (reg == RING_MI_MODE(0))
		v &= ~MI_MODE_IDLE;
	if (engine_reg_masked(e, reg))
		v |= 0xffff0000;
	return v;
}

/**
 * context_gather() - makes the list of the registers that the render engine's pipeline owns, with their values
 * @e: the render engine, whose GPU's lock is held
 * @list: gets a MI_LOAD_REGISTER_IMM, CONTEXT_LIST_DWORDS at most
 *
 * Return: how many dwords.
 */
unsigned int context_gather(struct engine *e, uint32_t *list)
{
	const struct igen_reg_set *set = e->gpu->platform->registers;
	unsigned int n = 1;

	for (unsigned int i = 0; i < set->nregs; i++) {
		const struct igen_reg *r = &set->regs[i];
		uint32_t offset = r->offset + (i < set->nglobal ? 0 : e->info->base);

		if (!r->in_render_image || !igen_reg_is_of(r, e->gpu->platform->name))
			continue;
		if (n + 2 * r->count * r->dwords > CONTEXT_LIST_DWORDS)
			model_die("no room for %s in the render engine's context image", r->name);
		for (unsigned int k = 0; k < r->count * r->dwords; k++) {
			list[n++] = offset + 4 * k;
			list[n++] = mmio_read(e->gpu, offset + 4 * k, false) | (r->masked ? 0xffff0000 : 0);
		}
	}
	list[0] = MI_LOAD_REGISTER_IMM((n - 1) / 2);
	return n;
}

/* True for the dwords that the driver may change in the image of a context that runs. */
static bool is_drivers(unsigned int dw)
{
	return dw == CTX_RING_TAIL || dw == CTX_RING_START || dw == CTX_RING_CTL;
}

/* True if the ring of an image has nothing but waits from its head to its tail. */
static bool only_waits(struct engine *e, const uint32_t *image)
{
	uint32_t size = (IGEN_GET(RING_CTL_LENGTH_MASK, image[CTX_RING_CTL]) + 1) * 4096;
	uint32_t head = image[CTX_RING_HEAD] & RING_HEAD_MASK, tail = image[CTX_RING_TAIL] & RING_TAIL_MASK;
	uint32_t start = image[CTX_RING_START] & RING_START_MASK, dw, n;

	for (uint32_t left = (tail - head) % size; left; left -= n) {
		if (!vm_read32(&e->view, &ggtt, start + (tail - left) % size, &dw))
			return false;
		if (dw != MI_NOOP && dw != MI_ARB_CHECK &&
		    (dw & (CMD_TYPE_MASK | MI_OPCODE_MASK)) != (MI_SEMAPHORE_WAIT & MI_OPCODE_MASK))
			return false;
		n = command_length(e->decoder, dw) * 4;
		if (n > left)
			return false;
	}
	return true;
}

/*
 * A driver may set the head to the tail when all requests have written their seqnos: the save puts the same head there,
 * or one in front of waits. Stock i915 does so when it pins a context, and the engine may be just behind the seqno.
 */
static bool is_head_of_empty_ring(struct engine *e, unsigned int dw, uint32_t now, const uint32_t *image)
{
	return dw == CTX_RING_HEAD && (now & RING_HEAD_MASK) == (image[CTX_RING_TAIL] & RING_TAIL_MASK) &&
	       only_waits(e, image);
}

/* The save overwrites what the driver changed meanwhile, so the driver must not have done so. */
static void check_image(struct engine *e, uint64_t state, const uint32_t *image)
{
	uint32_t now[STATE_DWORDS];
	char what[64];

	if (!e->gpu->config.image_checks || !vm_read(&e->view, &ggtt, state, now, sizeof(now)))
		return;
	for (unsigned int i = 0; i < STATE_DWORDS; i++) {
		if (is_drivers(i) || now[i] == e->loaded_image[i] || is_head_of_empty_ring(e, i, now[i], image))
			continue;
		snprintf(what, sizeof(what), "image-changed: dword 0x%x of a context that runs", i);
		cs_finding(e, what);
	}
}

/* Writes all of the image except the dwords that the driver may change meanwhile. */
static bool write_image(struct engine *e, uint64_t state, const uint32_t *image)
{
	static const struct { uint8_t from, to; } parts[] = {
		{ 0, CTX_RING_TAIL },
		{ CTX_RING_TAIL + 1, CTX_RING_START },
		{ CTX_RING_START + 1, CTX_RING_CTL },
		{ CTX_RING_CTL + 1, STATE_DWORDS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!vm_write(&e->view, &ggtt, state + parts[i].from * 4, image + parts[i].from,
			      (parts[i].to - parts[i].from) * 4u))
			return false;
	return true;
}

void context_save(struct engine *e, uint64_t desc)
{
	uint32_t image[STATE_DWORDS] = { 0 }, list[CONTEXT_LIST_DWORDS];
	uint64_t state = lrca(desc) + LRC_STATE_OFFSET;
	uint64_t request_ts, now;
	struct gpu *gpu = e->gpu;
	const struct igen_reg_set *set = gpu->platform->registers;
	unsigned int n = 0;

	pthread_mutex_lock(&gpu->lock);
	cs_save_batches(e);
	for (unsigned int i = 0; i < set->nlists; i++) {
		const struct igen_reg_list *l = &set->lists[i];
		uint32_t *to = image + l->dword;

		if (!(l->engines & reg_engine(e->info->class)))
			continue;
		*to++ = MI_LOAD_REGISTER_IMM(l->count) | (l->posted ? MI_LRI_FORCE_POSTED : 0);
		for (unsigned int k = 0; k < l->count; k++) {
			*to++ = e->info->base + l->offsets[k];
			*to++ = saved_value(e, l->offsets[k]);
		}
	}
	if (e->info->class == ENGINE_RENDER)
		n = context_gather(e, list);
	reg_set(e, RING_CTX_TIMESTAMP(0), image[CTX_TIMESTAMP]);
	atomic_store(&e->ctx_active, false);
	state_note_context(e, desc, image, STATE_DWORDS, list, n);
	request_ts = e->request_ts;
	now = gpu_timestamp(gpu);
	e->switch_ts = now;
	pthread_mutex_unlock(&gpu->lock);

	check_image(e, state, image);
	if (!write_image(e, state, image) ||
	    (n && !vm_write(&e->view, &ggtt, state + gpu->platform->image->registers * 4, list, n * 4)) ||
	    (e->info->class == ENGINE_RENDER && !(cs_state_save(e, state) && cs_pipeline_save(e, state))))
		fault(e, state, true);
	write_timestamp(e, desc, PPHWSP_PREEMPT_REQUEST_DW, request_ts);
	write_timestamp(e, desc, PPHWSP_SAVE_FINISHED_DW, now);
	trace("%s: context %08x saved head %x", e->info->name, (uint32_t)lrca(desc),
	      image[CTX_RING_HEAD]);
}
