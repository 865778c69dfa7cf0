// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the words for a request
 *
 * An engine stops at an unknown opcode in a batch. What it would say in a message names the request: the seqno that the
 * ring stores behind the batch.
 */
#include "engine_bench.h"

#define FLAG		(PA_DATA + 0x040)
#define OUT		(PA_DATA + 0x080)
#define AFTER		(PA_DATA + 0x0c0)
#define PPHWSP_SCRATCH	0x100u			/* in the status page */

#define STORE(pa, v)	MI_STORE_DATA_IMM_DW, PPGTT(pa), (v)
#define WAIT_SET(pa) MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD, 0, PPGTT(pa)

/* What messages say of an engine that has met an unknown opcode. */
static const char *described(uint32_t base, const char *engine)
{
	static char text[256];

	if (!wait_for(rd(RING_EIR(base)) == EIR_INSTRUCTION_ERROR))
		return "";
	tlb_describe(tlb_find(gpu, engine), text, sizeof(text));
	return text;
}

/* With "coherency" messages name the request whose batch runs, by what the ring stores behind the batch. */
static void named_requests(void)
{
	static const char *const bxt[] = { "platform=bxt", "coherency=check", NULL };
	char want[128];
	struct ctx a, b;

	counters_reset();
	bench_start(bxt);
	wr(RING_EMR(RCS0_BASE), ~EIR_INSTRUCTION_ERROR);
	wr(RING_EMR(BCS0_BASE), ~EIR_INSTRUCTION_ERROR);
	memset(ram + PA_DATA, 0, 4096);
	ctx_init(&a, 0, RCS0_BASE, CTL_FRESH);
	ctx_init(&b, 1, RCS0_BASE, CTL_FRESH);
	batch(&a, WAIT_SET(FLAG), 0xdeadbeef, MI_BATCH_BUFFER_END);
	ring(&a, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(OUT), 1);
	ring_batch(&a, CTX_BATCH, true);
	ring(&a, MI_ARB_CHECK, PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX,
	     PPHWSP_SCRATCH, 0, 2, 0);
	ring(&a, STORE(OUT, 3), PIPE_CONTROL, PIPE_CONTROL_CS_STALL, 0, 0, 4, 0);
	ring(&a, PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_GGTT, GGTT(OUT), 5, 0);
	ring(&a, PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_GGTT, GGTT(AFTER), 6, 0);
	submit(RCS0_BASE, &a);
	check(wait_for(counter_value("semaphore_waits", "rcs0") == 1), "a batch waits");
	ring(&b, STORE(AFTER, 1));
	ctx_tail(&b);
	elsp(RCS0_BASE, b.desc, a.desc);
	check(wait_for(get(AFTER) == 1), "it is preempted");
	put(FLAG, 1);
	snprintf(want, sizeof(want), "request with seqno 5 for 0x%x, command at", OUT);
	check(strstr(described(RCS0_BASE, "rcs0"), want), "back in its batch the request is named");

	ctx_init(&a, 2, BCS0_BASE, CTL_FRESH);
	batch(&a, 0xdeadbeef, MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	ring(&a, MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX | MI_FLUSH_DW_WRITE_QW, PPHWSP_SCRATCH, 0, 7, 0);
	ring(&a, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW, OUT | MI_FLUSH_DW_GGTT, 0, 8, 0);
	submit(BCS0_BASE, &a);
	snprintf(want, sizeof(want), "request with seqno 8 for 0x%x, batch at 0x%x, command at", OUT,
		 va(a.pa + CTX_BATCH));
	check(strstr(described(BCS0_BASE, "bcs0"), want), "and with its batch when that has begun");
	bench_stop();

	bench_start(bxt);
	wr(RING_EMR(BCS0_BASE), ~EIR_INSTRUCTION_ERROR);
	ctx_init(&a, 0, BCS0_BASE, CTL_FRESH);
	batch(&a, 0xdeadbeef, MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	submit(BCS0_BASE, &a);
	check(!strstr(described(BCS0_BASE, "bcs0"), "request") && strstr(described(BCS0_BASE, "bcs0"), "batch at"),
	      "a batch without a breadcrumb is named alone");
	bench_stop();
}

int main(void)
{
	named_requests();
	return test_end();
}
