// SPDX-License-Identifier: MIT
/**
 * DOC: igen-preempt
 *
 * Shows one preemption of a render engine that has one ring for all contexts: a batch that runs in circles gives way to
 * an urgent one, and goes on where it was. What is printed comes from the driver's trace of that, and has to agree with
 * what the batches leave in memory:
 *
 * - The trace has the address where the engine left the batch. The dword before it has to be MI_ARB_CHECK.
 * - The urgent batch's store arrives while the other batch runs.
 * - The batch makes its first command its end. So it comes to its last store only if it goes on.
 *
 * igen-preempt [NAME ...] runs the subtests whose names begin with NAME. Without a preemption the subtest fails.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <igen/cmd/mi.h>

#include "lib/build.h"

#define TRACING		"/sys/kernel/tracing/"
#define TOKEN		0x51a7b00cu
#define LOW		(-500)
#define URGENT		500
#define MAX_EVENTS	256u

enum slot { BEGUN, ENDED, INTERRUPTED };

enum { IN, OUT, PREEMPTED };

/* An event of a request on the render engine. */
struct event {
	int kind;
	uint64_t ctx;
	uint32_t seqno, batch;
	int prio, completed;
};

static const char *const event_names[] = {
	[IN] = "i915_request_in", [OUT] = "i915_request_out", [PREEMPTED] = "igen_request_preempted",
};

static unsigned int gen, num_events;
static struct event events[MAX_EVENTS];

static void trace_set(const char *file, const char *value)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), TRACING "%s", file);
	ret = it_write_file(path, value);
	it_expect(!ret, "%s: error %d", path, ret);
}

static void trace_begin(void)
{
	char file[96];
	int fd;

	trace_set("tracing_on", "0");
	fd = open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);
	it_expect(fd >= 0, "the trace cannot be emptied");
	close(fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(event_names); i++) {
		snprintf(file, sizeof(file), "events/igen/%s/enable", event_names[i]);
		trace_set(file, "1");
	}
	trace_set("tracing_on", "1");
}

/* The value behind "NAME=", or none: 0. */
static uint64_t field(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at ? strtoull(at + strlen(name), NULL, 0) : 0;
}

static void note_event(const char *line, int kind)
{
	it_expect(num_events < MAX_EVENTS, "more than %u events", MAX_EVENTS);
	events[num_events++] = (struct event){
		.kind = kind, .ctx = field(line, " ctx="), .seqno = field(line, " seqno="),
		.batch = field(line, " batch="), .prio = (int)field(line, " prio="),
		.completed = (int)field(line, " completed?="),
	};
}

static void trace_end(void)
{
	static char line[1024];
	FILE *file;

	trace_set("tracing_on", "0");
	file = fopen(TRACING "trace", "r");
	it_expect(file, "the trace cannot be read");
	num_events = 0;
	while (fgets(line, sizeof(line), file)) {
		for (unsigned int i = 0; i < ARRAY_SIZE(event_names); i++) {
			char text[64];

			snprintf(text, sizeof(text), ": %s: ", event_names[i]);
			if (strstr(line, text) && strstr(line, " engine=0:0,"))
				note_event(line, i);
		}
	}
	fclose(file);
}

/* The first event of a kind, of a context or of any but that, from an event on; fails if there is none. */
static unsigned int find(unsigned int from, int kind, uint64_t ctx, bool other, const char *what)
{
	for (unsigned int i = from; i < num_events; i++) {
		bool same = events[i].ctx == ctx;

		if (events[i].kind == kind && same != other && (kind != OUT || events[i].completed))
			return i;
	}
	it_fail("the trace does not say that %s", what);
}

/* A batch that runs in circles with an arbitration point in each; @jump is the dword of the jump back's address. */
static struct it_batch circle(struct it_dev *dev, unsigned int engine, struct it_bo *bo, unsigned int *jump,
			      unsigned int *behind)
{
	struct igen_batch b;
	struct it_batch batch = it_build(dev, gen, engine, 4096, &b);
	struct igen_address first = { batch.bo->address, 0, batch.bo->size, batch.bo->handle };
	unsigned int from;

	igen_mi_noop(&b, 2);
	igen_mi_store_dword(&b, first, MI_BATCH_BUFFER_END);
	it_build_store(&b, bo->address, BEGUN, TOKEN, bo->handle);
	from = b.used;
	igen_mi_noop(&b, 10);
	igen_mi_arb_check(&b);
	*jump = b.used + 1;
	first.offset = from * 4;
	igen_mi_chain(&b, first);
	*behind = b.used;
	it_build_store(&b, bo->address, ENDED, TOKEN, bo->handle);
	it_build_end(&b, &batch);
	return batch;
}

static void submit(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *batch, struct it_bo *bo)
{
	int ret = it_run(dev, ctx, engine, batch, &bo, 1, EXEC_OBJECT_ASYNC);

	it_expect(!ret, "execbuf: error %d", ret);
}

/* Prints what the trace says of the preemption. */
static void tell(const char *name, const struct it_batch *batch, uint32_t low, uint32_t urgent)
{
	unsigned int in = 0, left, over, again, dword;
	uint64_t offset;

	while (in < num_events && (events[in].kind != IN || events[in].prio != URGENT))
		in++;
	left = find(in, PREEMPTED, in < num_events ? events[in].ctx : 0, true, "a batch was preempted");
	offset = events[left].batch - batch->bo->address;
	it_expect(offset && offset < batch->n * 4ull && !(offset & 3), "the engine left no batch of ours, but 0x%x",
		  events[left].batch);
	dword = offset / 4;
	it_expect(batch->dw[dword - 1] == MI_ARB_CHECK, "behind %08x, which is no MI_ARB_CHECK", batch->dw[dword - 1]);
	over = find(left, OUT, events[in].ctx, false, "the urgent batch ended");
	again = find(left, IN, events[left].ctx, false, "the batch came again");
	it_expect(events[again].seqno == events[left].seqno, "the batch did not come again, but another one");
	find(over > again ? over : again, OUT, events[left].ctx, false, "the batch ended");
	it_note("preemption on %s by UHPTR: context %u ran; at dword %u of its batch (address 0x%x) context %u took "
		"over, and ended; then context %u went on at dword %u, and ended", name, low, dword, events[left].batch,
		urgent, low, dword);
}

static void preempted(unsigned int engine)
{
	struct it_dev *dev = it_open();
	const char *name = dev->engine[engine].name;
	uint32_t low = it_ctx_priority(dev, LOW), urgent = it_ctx_priority(dev, URGENT);
	struct it_bo *bo = it_bo(dev, IT_SLOTS * 8);
	struct it_batch batch[2];
	unsigned int jump, behind;
	struct igen_batch b;
	bool running;
	int ret;

	/* A heartbeat would be a preemption, too. */
	it_engine_set(name, "heartbeat_interval_ms", "0");
	trace_begin();
	batch[0] = circle(dev, engine, bo, &jump, &behind);
	submit(dev, low, engine, &batch[0], bo);
	it_expect_slot(bo, BEGUN, TOKEN);
	batch[1] = it_build(dev, gen, engine, 4096, &b);
	it_build_store(&b, bo->address, INTERRUPTED, TOKEN, bo->handle);
	it_build_end(&b, &batch[1]);
	submit(dev, urgent, engine, &batch[1], bo);

	ret = it_bo_wait(batch[1].bo, IT_WAIT_NS);
	running = it_bo_busy(batch[0].bo) && it_slot(bo, ENDED) != TOKEN;
	((volatile uint32_t *)batch[0].dw)[jump] = batch[0].bo->address + behind * 4;
	it_engine_set(name, "heartbeat_interval_ms", NULL);
	it_expect(!ret, "no preemption: the urgent batch waits for the other one (error %d)", ret);
	it_expect(running, "no preemption: the batch had ended before the urgent one");
	it_expect(it_slot(bo, INTERRUPTED) == TOKEN, "the urgent batch did nothing");
	ret = it_bo_wait(batch[0].bo, IT_WAIT_NS);
	it_expect(!ret, "the batch that was preempted did not end: error %d", ret);
	it_expect(it_slot(bo, ENDED) == TOKEN, "the batch that was preempted began again, or did not go on");
	/* The driver has seen the end, and says so in the trace, when the context's next batch has ended. */
	it_run_wait(dev, low, engine, &batch[1], &bo, 1);
	trace_end();
	tell(name, &batch[0], low, urgent);
}

int main(int argc, char **argv)
{
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int num;

	it_init(argc, argv);
	gen = it_generation();
	num = it_engines(engines, ARRAY_SIZE(engines));
	if (gen != 7 || !num || !it_on_igen()) {
		printf("skip everything: no engine that is preempted by UHPTR\n");
		return IT_SKIPPED;
	}
	for (unsigned int e = 0; e < num; e++)
		if (engines[e].class == I915_ENGINE_CLASS_RENDER)
			it_subtest(preempted, e, "preempted-%s", engines[e].name);
	return it_exit();
}
