// SPDX-License-Identifier: MIT
/**
 * DOC: Which request an engine executes
 *
 * For messages about a batch. The hardware knows contexts and rings, the driver's developer knows requests and their
 * seqnos. The commands of a request end with its breadcrumb, which is a store of the seqno into the GGTT behind the
 * batch. So the model reads ahead in the ring for the next such store when the ring starts a batch, or a context comes
 * back within one. Writes with an index go to the status page by another way, and are none: igen and stock i915 use
 * them for what has to be written and is not read.
 */
#include <string.h>

#include "cs/cs.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "neutral_gfx.h"
#include "neutral_mi.h"

/* Dwords of the ring that are read. Stock i915 and igen need less than half of them from a batch to its breadcrumb. */
#define MOST_DWORDS	128u
#define COMMAND_DWORDS	8u

static uint32_t ring_dword(struct engine *e, uint32_t offset)
{
	static const struct vm_ref ggtt = { .ggtt = true };
	uint32_t dw = 0;

	return vm_read32(&e->view, &ggtt, e->cs.ring_start + offset % e->cs.ring_size, &dw) ? dw : 0;
}

/* Does the command store a value into the GGTT? */
static bool stores(const struct engine *e, const char *name, const uint32_t *dw, struct cs_breadcrumb *b)
{
	struct mi_store_data_imm store;
	struct pipe_control control;
	struct mi_flush_dw flush;

	if (!strcmp(name, "PIPE_CONTROL")) {
		pipe_control_get(e->gen, dw, &control);
		b->addr = control.address;
		b->seqno = (uint32_t)control.immediate_data;
		return IGEN_PREP(PIPE_CONTROL_POST_SYNC_MASK, control.post_sync_operation) == PIPE_CONTROL_WRITE_QW &&
		       control.destination_address_type && !control.store_data_index;
	}
	if (!strcmp(name, "MI_FLUSH_DW")) {
		mi_flush_dw_get(e->gen, dw, &flush);
		b->addr = flush.address;
		b->seqno = (uint32_t)flush.immediate_data;
		return flush.post_sync_operation == MI_FLUSH_DW_POST_SYNC_OPERATION_WRITE_IMMEDIATE_DATA &&
		       flush.destination_address_type && !flush.store_data_index;
	}
	if (!strcmp(name, "MI_STORE_DATA_IMM")) {
		mi_store_data_imm_get(e->gen, dw, &store);
		b->addr = store.address;
		b->seqno = store.data < COMMAND_DWORDS ? dw[store.data] : 0;
		return store.use_global_gtt;
	}
	return false;
}

/**
 * cs_find_breadcrumb - notes which request the batch belongs to that begins now, or that goes on
 * @e: the engine; this is its thread, which holds no lock; the ring's head is behind the command that started the batch
 * @batch: where the ring's batch begins; 0: not known
 *
 * Only with the setting "coherency", whose messages name the request. Reads memory through the engine's view.
 */
void cs_find_breadcrumb(struct engine *e, uint64_t batch)
{
	uint32_t head = reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK, tail = reg_get(e, RING_TAIL(0)) & RING_TAIL_MASK;
	struct cs_breadcrumb *b = &e->cs.breadcrumb;
	const uint32_t size = e->cs.ring_size;
	unsigned int len;

	*b = (struct cs_breadcrumb){ .batch = batch };
	if (!e->gpu->coherency || head >= size || tail >= size)
		return;
	for (uint32_t at = 0, end = (tail + size - head) % size; at < end && at < MOST_DWORDS * 4; at += len * 4) {
		uint32_t dw[COMMAND_DWORDS];
		const struct igen_cmd *cmd;

		for (unsigned int i = 0; i < COMMAND_DWORDS; i++)
			dw[i] = at + i * 4 < end ? ring_dword(e, head + at + i * 4) : 0;
		cmd = igen_lookup(e->decoder, dw[0]);
		len = cmd ? igen_cmd_dwords(cmd, dw[0]) : 1;
		if (cmd && len <= COMMAND_DWORDS && stores(e, cmd->name, dw, b)) {
			b->known = true;
			return;
		}
	}
}
