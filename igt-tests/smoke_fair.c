// SPDX-License-Identifier: MIT
/*
 * DOC: Shares of an engine
 *
 * Clients that are as urgent as each other get equal shares of an engine, however much each has sent and in which
 * order. All is queued behind a batch that keeps the engine; each batch then writes the engine's timestamp.
 *
 * Shares are of the engine's time. The batches are equal and a model of the GPU, or a busy host, makes some of them
 * longer, so a client with fewer batches than its share has to have had more than its share of the time.
 */
#include <stdlib.h>
#include <unistd.h>

#include "smoke.h"

#define CLIENTS		8u
#define QUEUE		40u			/* batches of a context: what fits into its ring */
#define CONTEXTS	4u			/* of a client */
#define WINDOW		1000u			/* of CLIENTS * CONTEXTS * QUEUE batches */
#define SHARE		(WINDOW / CLIENTS)
#define FLOOD		20u			/* contexts of the client that floods */
#define BATCH_DW	128u

struct client {
	struct it_dev *dev;
	struct it_batch batches;		/* each BATCH_DW */
	struct it_bo *times;			/* a qword each */
	unsigned int n;
};

struct end {
	uint32_t time;
	unsigned int client;
};

static struct client client_open(unsigned int engine, unsigned int n)
{
	struct client c = { .dev = it_open(), .n = n };

	c.times = it_bo(c.dev, n * 8);
	c.batches = it_batch(c.dev, n * BATCH_DW * 4);
	for (unsigned int i = 0; i < n; i++) {
		while (c.batches.n < (i + 1) * BATCH_DW - 6)
			it_emit(&c.batches, MI_NOOP);
		it_emit_store_reg(&c.batches, c.times->address + i * 8, RING_TIMESTAMP(c.dev->engine[engine].base));
		it_emit_end(&c.batches);
		while (c.batches.n < (i + 1) * BATCH_DW)
			it_emit(&c.batches, MI_NOOP);
	}
	return c;
}

/* All of a client's batches, QUEUE to each of its contexts. */
static void send(struct client *c, unsigned int engine)
{
	const uint64_t flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_ASYNC;
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = c->times->handle, .offset = c->times->address, .flags = flags | EXEC_OBJECT_WRITE },
		{ .handle = c->batches.bo->handle, .offset = c->batches.bo->address, .flags = flags },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj,
		.buffer_count = ARRAY_SIZE(obj),
		.batch_len = BATCH_DW * 4,
		.flags = engine | I915_EXEC_NO_RELOC,
	};

	for (unsigned int i = 0; i < c->n; i++) {
		int ret;

		if (i % QUEUE == 0)
			eb.rsvd1 = it_ctx_engines(c->dev);
		eb.batch_start_offset = i * BATCH_DW * 4;
		ret = it_ioctl(c->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
		it_expect(!ret, "execbuf %u of a client: error %d", i, ret);
	}
}

/* Keeps an engine until the page's first dword is set; requests of normal priority wait. */
static struct it_batch plug(struct it_dev *dev, struct it_bo *page, unsigned int engine)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit_circle(&b, page->address);
	ret = it_run(dev, it_ctx_priority(dev, 1000), engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the batch that keeps the engine: error %d", ret);
	return b;
}

static int by_time(const void *a, const void *b)
{
	int32_t d = (int32_t)(((const struct end *)a)->time - ((const struct end *)b)->time);

	return (d > 0) - (d < 0);
}

/* Has the clients send all they have, lets them go, and gives the ends of all batches in their order, to be freed. */
static struct end *race(struct client *c, unsigned int num, unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = plug(dev, page, engine);
	unsigned int total = 0, n = 0;
	struct end *end;
	int ret;

	for (unsigned int i = 0; i < num; i++) {
		send(&c[i], engine);
		total += c[i].n;
	}
	*(volatile uint32_t *)page->map = 1;
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch that keeps the engine did not end: error %d", ret);
	end = calloc(total, sizeof(*end));
	it_expect(end, "out of memory");
	for (unsigned int i = 0; i < num; i++) {
		ret = it_bo_wait(c[i].batches.bo, IT_WAIT_NS);
		it_expect(!ret, "client %u: error %d", i, ret);
		for (unsigned int k = 0; k < c[i].n; k++)
			end[n++] = (struct end){ ((uint32_t *)c[i].times->map)[2 * k], i };
		it_close(c[i].dev);
	}
	qsort(end, n, sizeof(*end), by_time);
	return end;
}

static void equal_shares(unsigned int engine)
{
	unsigned int done[CLIENTS] = { 0 };
	uint64_t ticks[CLIENTS] = { 0 }, all;
	struct client c[CLIENTS];
	struct end *end;

	_Static_assert(CLIENTS == 8, "as many are printed");
	for (unsigned int i = 0; i < CLIENTS; i++)
		c[i] = client_open(engine, CONTEXTS * QUEUE);
	end = race(c, CLIENTS, engine);
	for (unsigned int n = 0; n < WINDOW; n++) {
		done[end[n].client]++;
		if (n)
			ticks[end[n].client] += end[n].time - end[n - 1].time;
	}
	all = end[WINDOW - 1].time - end[0].time;
	free(end);
	for (unsigned int i = 0; i < CLIENTS; i++)
		it_expect((done[i] * 10 >= SHARE * 9 || ticks[i] * CLIENTS >= all) &&
			  (done[i] * 10 <= SHARE * 11 || ticks[i] * CLIENTS <= all),
			  "client %u: of %u batches the clients have %u, %u, %u, %u, %u, %u, %u and %u", i, WINDOW,
			  done[0], done[1], done[2], done[3], done[4], done[5], done[6], done[7]);
}

/*
 * A client with few batches submits last, and does not wait for all batches that are queued. It waits at most for the
 * batches that the hardware has behind the batch that kept the engine, all of one context, and for as many of the other
 * client's as it submits itself.
 */
static void no_flood(unsigned int engine)
{
	struct client c[2] = { client_open(engine, FLOOD * QUEUE), client_open(engine, QUEUE) };
	struct end *end = race(c, ARRAY_SIZE(c), engine);
	unsigned int last = 0;

	for (unsigned int n = 0; n < (FLOOD + 1) * QUEUE; n++)
		if (end[n].client == 1)
			last = n;
	free(end);
	it_expect(last < 3 * QUEUE + QUEUE / 5, "the last of %u batches came behind %u", QUEUE, last);
}

static void first_come(unsigned int engine)
{
	(void)engine;
	it_skip("this driver takes equals in their order");
}

/* On a slow machine queueing takes long. The batch that keeps the engine must not be reset meanwhile. */
static void patience(const struct it_engine *e, const char *ms)
{
	it_engine_set(e->name, "heartbeat_interval_ms", ms);
	it_engine_set(e->name, "preempt_timeout_ms", ms);
}

void smoke_fair(const struct it_engine *engines, unsigned int n)
{
	bool igen = it_on_igen();

	for (unsigned int i = 0; i < n; i++) {
		patience(&engines[i], "0");
		it_subtest(igen ? equal_shares : first_come, i, "fair-shares-%s", engines[i].name);
		it_subtest(igen ? no_flood : first_come, i, "fair-flood-%s", engines[i].name);
		patience(&engines[i], NULL);
	}
}
