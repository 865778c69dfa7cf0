// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the scheduler
 *
 * Order by priority and age, dependencies, inheritance of priority, cancellation. The mock's engines take nothing
 * unless told, so that what is queued can be looked at.
 */
#include <linux/dma-fence-array.h>
#include <linux/dma-fence-chain.h>
#include <linux/kthread.h>
#include <linux/sizes.h>
#include <uapi/drm/i915_drm.h>

#include "igen_mock.h"
#include "../igen_compat.h"
#include "../submit/igen_retire.h"

#define CHAIN_LENGTH	300

#define MOST_EXPECTED	16

/* The queue of an engine is just these, and they would run in this order; NULL at the end. */
static void expect_queue(struct kunit *test, struct igen_engine *engine, struct igen_request **want)
{
	struct igen_request *rq, *taken[MOST_EXPECTED];
	unsigned int n = 0, i;

	spin_lock_irq(&engine->group->lock);
	while ((rq = igen_queue_first(engine)) && rq == want[n] && n < MOST_EXPECTED) {
		igen_queue_take(engine, rq);
		taken[n++] = rq;
	}
	for (i = n; i--;)
		igen_queue_give_back(engine, taken[i]);
	spin_unlock_irq(&engine->group->lock);
	KUNIT_EXPECT_TRUE_MSG(test, !rq && !want[n], "the queue differs from place %u on", n);
}

#define EXPECT_QUEUE(test__, engine__, ...) \
	expect_queue(test__, engine__, (struct igen_request *[]){ __VA_ARGS__, NULL })

static struct igen_engine *engine_of(struct kunit *test, enum igen_engine_id id)
{
	struct igen_mock *mock = test->priv;

	return mock->igen->engine[id];
}

static void run(struct igen_engine *engine, unsigned int capacity)
{
	spin_lock_irq(&engine->group->lock);
	igen_mock_engine(engine)->capacity = capacity;
	engine->igen->platform->submit->submit(engine);
	spin_unlock_irq(&engine->group->lock);
}

/* A context of its own for each request, which the caller puts. */
static struct igen_request *submit_new(struct kunit *test, int priority, enum igen_engine_id id)
{
	struct igen_context *ctx = igen_mock_context(test, priority);
	struct igen_request *rq = igen_mock_submit(test, ctx, id);

	igen_context_put(ctx);
	return rq;
}

static struct igen_request *submit_after(struct kunit *test, int priority, enum igen_engine_id id,
					 struct dma_fence *fence)
{
	struct igen_context *ctx = igen_mock_context(test, priority);
	struct igen_request *rq = igen_mock_request(test, ctx, id);

	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, fence));
	igen_request_add(rq);
	igen_context_put(ctx);
	return rq;
}

static void complete_and_put(struct igen_request *rq)
{
	igen_mock_complete(rq);
	igen_request_put(rq);
}

static void orders_by_priority_and_age(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *low, *normal[2], *high, *most;
	unsigned int i;

	normal[0] = submit_new(test, 0, IGEN_BCS0);
	low = submit_new(test, I915_CONTEXT_MIN_USER_PRIORITY, IGEN_BCS0);
	high = submit_new(test, 5, IGEN_BCS0);
	normal[1] = submit_new(test, 0, IGEN_BCS0);
	most = submit_new(test, IGEN_PRIORITY_MAX, IGEN_BCS0);
	EXPECT_QUEUE(test, engine, most, high, normal[0], normal[1], low);

	/* Requests that are unwound come before queued requests of their priority, in their old order. */
	run(engine, 4);
	EXPECT_QUEUE(test, engine, low);
	spin_lock_irq(&engine->group->lock);
	igen_scheduler_unwind(engine);
	spin_unlock_irq(&engine->group->lock);
	EXPECT_QUEUE(test, engine, most, high, normal[0], normal[1], low);
	KUNIT_EXPECT_TRUE(test, most->queued && !most->submitted && most->started);

	for (i = 0; i < 2; i++)
		complete_and_put(normal[i]);
	complete_and_put(low);
	complete_and_put(high);
	complete_and_put(most);
}

/* A context of a client of its own, which goes with it. */
static struct igen_context *client_context(struct kunit *test)
{
	struct igen_client *client = igen_mock_client(test);
	struct igen_context *ctx;

	ctx = igen_mock_context(test, 0);
	igen_client_add_context(client, ctx);
	igen_client_put(client);
	return ctx;
}

/* A client that sends much fills rounds, and one that sends less joins the first of them. */
static void shares_among_clients(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_context *ctx[] = { client_context(test), client_context(test) };
	struct igen_request *a[3], *b[2], *late;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = igen_mock_submit(test, ctx[0], IGEN_BCS0);
	for (i = 0; i < ARRAY_SIZE(b); i++)
		b[i] = igen_mock_submit(test, ctx[1], IGEN_BCS0);
	EXPECT_QUEUE(test, engine, a[0], b[0], a[1], b[1], a[2]);

	/* After the unwind the requests have the order and state that they had before. */
	run(engine, 4);
	EXPECT_QUEUE(test, engine, a[2]);
	late = igen_mock_submit(test, ctx[1], IGEN_BCS0);
	EXPECT_QUEUE(test, engine, a[2], late);
	spin_lock_irq(&engine->group->lock);
	igen_scheduler_unwind(engine);
	spin_unlock_irq(&engine->group->lock);
	EXPECT_QUEUE(test, engine, a[0], b[0], a[1], b[1], a[2], late);

	for (i = 0; i < ARRAY_SIZE(a); i++)
		complete_and_put(a[i]);
	for (i = 0; i < ARRAY_SIZE(b); i++)
		complete_and_put(b[i]);
	complete_and_put(late);
	for (i = 0; i < ARRAY_SIZE(ctx); i++)
		igen_context_put(ctx[i]);
}

/* Requests in flight of a client that was alone are charged when other clients come. */
static void requests_in_flight_are_charged(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_context *ctx[] = { client_context(test), client_context(test), client_context(test) };
	struct igen_request *a[6], *b[4], *c;
	unsigned int i;

	for (i = 0; i < 3; i++)
		a[i] = igen_mock_submit(test, ctx[0], IGEN_BCS0);
	run(engine, 3);
	EXPECT_QUEUE(test, engine, NULL);
	for (i = 0; i < ARRAY_SIZE(b); i++)
		b[i] = igen_mock_submit(test, ctx[1], IGEN_BCS0);
	for (i = 3; i < ARRAY_SIZE(a); i++)
		a[i] = igen_mock_submit(test, ctx[0], IGEN_BCS0);
	EXPECT_QUEUE(test, engine, b[0], b[1], b[2], b[3], a[3], a[4], a[5]);

	/* No client has saved up the time in which it sent nothing. */
	for (i = 0; i < 3; i++)
		igen_mock_complete(a[i]);
	c = igen_mock_submit(test, ctx[2], IGEN_BCS0);
	EXPECT_QUEUE(test, engine, b[0], b[1], b[2], c, b[3], a[3], a[4], a[5]);

	for (i = 0; i < ARRAY_SIZE(b); i++)
		complete_and_put(b[i]);
	complete_and_put(c);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		complete_and_put(a[i]);
	for (i = 0; i < ARRAY_SIZE(ctx); i++)
		igen_context_put(ctx[i]);
}

static void trims_what_has_completed(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *a = submit_new(test, 0, IGEN_BCS0), *b = submit_new(test, 0, IGEN_BCS0);

	run(engine, 2);
	igen_mock_complete(a);
	spin_lock_irq(&engine->group->lock);
	KUNIT_EXPECT_PTR_EQ(test, igen_scheduler_active(engine), b);
	igen_scheduler_trim(engine);
	KUNIT_EXPECT_PTR_EQ(test, list_first_entry(&engine->inflight, struct igen_request, link), b);
	spin_unlock_irq(&engine->group->lock);
	KUNIT_EXPECT_FALSE(test, igen_engine_is_idle(engine));
	igen_mock_complete(b);
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(engine));
	igen_request_put(a);
	igen_request_put(b);
}

static void waits_for_dependencies(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_RCS0);
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *a, *b, *waiting, *behind;

	a = submit_new(test, 0, IGEN_BCS0);
	b = submit_new(test, 0, IGEN_VCS0);
	waiting = igen_mock_request(test, ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(waiting, &a->fence));
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(waiting, &b->fence));
	/* On itself, its own timeline and what is over it does not wait. */
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(waiting, &waiting->fence));
	KUNIT_EXPECT_EQ(test, 3, atomic_read(&waiting->pending));
	igen_request_add(waiting);
	behind = igen_mock_submit(test, ctx, IGEN_RCS0);
	EXPECT_QUEUE(test, engine, NULL);

	igen_mock_complete(b);
	EXPECT_QUEUE(test, engine, NULL);
	igen_mock_complete(a);
	EXPECT_QUEUE(test, engine, waiting, behind);

	igen_request_put(a);
	igen_request_put(b);
	complete_and_put(waiting);
	complete_and_put(behind);
	igen_context_put(ctx);
}

/* The heartbeat starts with a request that can run, however long that has waited. */
static void heartbeat_starts_with_runnable(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_RCS0);
	struct igen_request *a = submit_new(test, 0, IGEN_BCS0), *waiting;

	engine->props.heartbeat_interval_ms = 600000;
	waiting = submit_after(test, 0, IGEN_RCS0, &a->fence);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&engine->heartbeat));
	complete_and_put(a);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&engine->heartbeat));

	engine->props.heartbeat_interval_ms = 0;
	cancel_delayed_work_sync(&engine->heartbeat);
	complete_and_put(waiting);
}

/* A heartbeat that was switched off does not beat; a pulse that is to end a context keeps its beat. */
static void heartbeat_off(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_RCS0);
	unsigned int timeout = engine->props.preempt_timeout_ms;
	struct igen_request *rq, *first, *second;

	engine->kernel_context = igen_mock_context(test, 0);
	engine->props.heartbeat_interval_ms = 600000;
	engine->props.preempt_timeout_ms = 600000;
	rq = submit_new(test, 0, IGEN_RCS0);

	/* A beat, which sends a pulse and has the next one come. */
	mod_delayed_work(engine->igen->wq, &engine->heartbeat, 0);
	flush_delayed_work(&engine->heartbeat);
	KUNIT_ASSERT_NOT_NULL(test, engine->pulse);
	first = igen_request_get(engine->pulse);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&engine->heartbeat));
	engine->props.heartbeat_interval_ms = 0;
	igen_heartbeat_off(engine);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&engine->heartbeat));
	KUNIT_EXPECT_NULL(test, engine->pulse);

	igen_heartbeat_evict(engine);
	KUNIT_ASSERT_NOT_NULL(test, engine->pulse);
	second = igen_request_get(engine->pulse);
	igen_heartbeat_off(engine);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&engine->heartbeat));
	KUNIT_EXPECT_PTR_EQ(test, engine->pulse, second);

	/* When it has passed nothing has to be judged. */
	igen_mock_complete(second);
	igen_heartbeat_off(engine);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&engine->heartbeat));
	KUNIT_EXPECT_NULL(test, engine->pulse);

	engine->props.preempt_timeout_ms = timeout;
	complete_and_put(first);
	igen_request_put(second);
	complete_and_put(rq);
	igen_context_put(engine->kernel_context);
	engine->kernel_context = NULL;
}

static void waits_for_a_start(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *first = submit_new(test, 0, IGEN_BCS0), *waiting, *more;
	struct igen_context *ctx = igen_mock_context(test, 0);

	waiting = igen_mock_request(test, ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await_execution(waiting, &first->fence));
	igen_request_add(waiting);
	EXPECT_QUEUE(test, engine_of(test, IGEN_RCS0), NULL);
	run(engine, 1);
	irq_work_sync(&engine->exec_work);
	EXPECT_QUEUE(test, engine_of(test, IGEN_RCS0), waiting);
	KUNIT_EXPECT_FALSE(test, igen_request_completed(first));

	/* The request @first has started, but the wait still ends in the irq_work. */
	more = igen_mock_request(test, ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await_execution(more, &first->fence));
	irq_work_sync(&engine->exec_work);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&more->pending));
	igen_request_add(more);
	complete_and_put(first);
	complete_and_put(waiting);
	complete_and_put(more);
	igen_context_put(ctx);
}

/* A request in a port behind another request has not begun, whether that is of another context or of its own. */
static void waits_for_a_beginning(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *keeper = submit_new(test, 0, IGEN_BCS0), *first, *second, *with_first, *with_second;
	struct igen_context *ctx = igen_mock_context(test, 0), *other = igen_mock_context(test, 0);

	first = igen_mock_submit(test, ctx, IGEN_BCS0);
	second = igen_mock_submit(test, ctx, IGEN_BCS0);
	with_second = igen_mock_request(test, other, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await_execution(with_second, &second->fence));
	igen_request_add(with_second);
	with_first = igen_mock_request(test, other, IGEN_VCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await_execution(with_first, &first->fence));
	igen_request_add(with_first);

	run(engine, 3);
	irq_work_sync(&engine->exec_work);
	KUNIT_EXPECT_TRUE(test, second->started);
	EXPECT_QUEUE(test, engine_of(test, IGEN_VCS0), NULL);
	complete_and_put(keeper);
	run(engine, 0);
	irq_work_sync(&engine->exec_work);
	EXPECT_QUEUE(test, engine_of(test, IGEN_VCS0), with_first);
	EXPECT_QUEUE(test, engine_of(test, IGEN_RCS0), NULL);
	/* The hardware says nothing when the next of the same context begins. */
	complete_and_put(first);
	irq_work_sync(&engine->exec_work);
	EXPECT_QUEUE(test, engine_of(test, IGEN_RCS0), with_second);
	KUNIT_EXPECT_EQ(test, 0, engine->group->begins_awaited);

	complete_and_put(second);
	complete_and_put(with_first);
	complete_and_put(with_second);
	igen_context_put(other);
	igen_context_put(ctx);
}

static void inherits_what_it_waits_for(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *normal = submit_new(test, 0, IGEN_BCS0), *low = submit_new(test, -5, IGEN_BCS0);
	struct igen_request *lower = submit_new(test, -10, IGEN_BCS0), *high;
	unsigned int submits;

	EXPECT_QUEUE(test, engine, normal, low, lower);
	submits = igen_mock_engine(engine)->submits;
	high = submit_after(test, 10, IGEN_RCS0, &lower->fence);
	KUNIT_EXPECT_EQ(test, lower->priority, 10);
	KUNIT_EXPECT_EQ(test, low->priority, -5);
	EXPECT_QUEUE(test, engine, lower, normal, low);
	/* The engine was told, once. */
	KUNIT_EXPECT_EQ(test, igen_mock_engine(engine)->submits, submits + 1);

	/* Up to its equals and not past them; the same priority again, or a lower one, changes nothing. */
	complete_and_put(submit_after(test, 10, IGEN_RCS0, &low->fence));
	EXPECT_QUEUE(test, engine, lower, low, normal);
	submits = igen_mock_engine(engine)->submits;
	complete_and_put(submit_after(test, 10, IGEN_RCS0, &low->fence));
	complete_and_put(submit_after(test, -20, IGEN_RCS0, &normal->fence));
	KUNIT_EXPECT_EQ(test, normal->priority, 0);
	EXPECT_QUEUE(test, engine, lower, low, normal);
	KUNIT_EXPECT_EQ(test, igen_mock_engine(engine)->submits, submits);

	complete_and_put(normal);
	complete_and_put(low);
	complete_and_put(lower);
	complete_and_put(high);
}

/* Raising a request also raises earlier requests of its timeline, in their order, and no later ones. */
static void inherits_along_a_timeline(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *normal = submit_new(test, 0, IGEN_BCS0), *rq[4], *high;
	struct igen_context *ctx = igen_mock_context(test, -5);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rq); i++)
		rq[i] = igen_mock_submit(test, ctx, IGEN_BCS0);
	EXPECT_QUEUE(test, engine, normal, rq[0], rq[1], rq[2], rq[3]);
	igen_mock_complete(rq[0]);
	high = submit_after(test, 10, IGEN_RCS0, &rq[2]->fence);
	/* The first has completed, so it was left alone, and keeps the engine from no other. */
	EXPECT_QUEUE(test, engine, rq[1], rq[2], normal, rq[0], rq[3]);
	KUNIT_EXPECT_EQ(test, rq[0]->priority, -5);
	KUNIT_EXPECT_EQ(test, rq[1]->priority, 10);
	KUNIT_EXPECT_EQ(test, rq[3]->priority, -5);

	/* A context that has become more urgent takes along what it has submitted before. */
	WRITE_ONCE(ctx->priority, 20);
	complete_and_put(igen_mock_submit(test, ctx, IGEN_BCS0));
	KUNIT_EXPECT_EQ(test, rq[3]->priority, 20);
	KUNIT_EXPECT_EQ(test, rq[1]->priority, 20);

	for (i = 0; i < ARRAY_SIZE(rq); i++)
		complete_and_put(rq[i]);
	complete_and_put(normal);
	complete_and_put(high);
	igen_context_put(ctx);
}

/* Over hundreds of links, two engines, with requests that are held back: by a list, not by the stack. */
static void inherits_through_a_long_chain(struct kunit *test)
{
	struct igen_context *ctx[2] = { igen_mock_context(test, -5), igen_mock_context(test, -5) };
	struct igen_request **rq, *high;
	unsigned int i, bad = 0;

	rq = kunit_kzalloc(test, CHAIN_LENGTH * sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	ctx[0]->ring_size = SZ_64K;
	ctx[1]->ring_size = SZ_64K;
	for (i = 0; i < CHAIN_LENGTH; i++) {
		rq[i] = igen_mock_request(test, ctx[i & 1], i & 1 ? IGEN_VCS0 : IGEN_BCS0);
		if (i)
			KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq[i], &rq[i - 1]->fence));
		igen_request_add(rq[i]);
	}
	high = submit_after(test, 100, IGEN_RCS0, &rq[CHAIN_LENGTH - 1]->fence);
	for (i = 0; i < CHAIN_LENGTH; i++)
		bad += rq[i]->priority != 100;
	KUNIT_EXPECT_EQ(test, 0u, bad);

	/* The priority stays with what was held back until then. */
	igen_mock_complete(rq[0]);
	EXPECT_QUEUE(test, engine_of(test, IGEN_VCS0), rq[1]);
	for (i = 0; i < CHAIN_LENGTH; i++)
		complete_and_put(rq[i]);
	complete_and_put(high);
	igen_context_put(ctx[0]);
	igen_context_put(ctx[1]);
}

/* Many ways to one request: each is raised once, and the engine told once. */
static void inherits_through_a_diamond(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *root = submit_new(test, -5, IGEN_BCS0), *side[8], *high;
	struct igen_context *ctx = igen_mock_context(test, 50);
	unsigned int i, submits;

	for (i = 0; i < ARRAY_SIZE(side); i++)
		side[i] = submit_after(test, -5, i & 1 ? IGEN_VCS0 : IGEN_VECS0, &root->fence);
	high = igen_mock_request(test, ctx, IGEN_RCS0);
	for (i = 0; i < ARRAY_SIZE(side); i++)
		KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &side[i]->fence));
	submits = igen_mock_engine(engine)->submits;
	igen_request_add(high);
	KUNIT_EXPECT_EQ(test, root->priority, 50);
	KUNIT_EXPECT_EQ(test, igen_mock_engine(engine)->submits, submits + 1);
	for (i = 0; i < ARRAY_SIZE(side); i++)
		KUNIT_EXPECT_EQ(test, side[i]->priority, 50);

	complete_and_put(root);
	for (i = 0; i < ARRAY_SIZE(side); i++)
		complete_and_put(side[i]);
	complete_and_put(high);
	igen_context_put(ctx);
}

/* Merged sync files are arrays, timelines of syncobjs chains of fences. */
static void inherits_through_containers(struct kunit *test)
{
	struct igen_request *a = submit_new(test, -5, IGEN_BCS0), *b = submit_new(test, -5, IGEN_VCS0);
	struct igen_request *c = submit_new(test, -5, IGEN_VECS0), *high;
	struct dma_fence_chain *chain = dma_fence_chain_alloc();
	struct dma_fence **fences = kmalloc_array(2, sizeof(*fences), GFP_KERNEL);
	struct igen_context *ctx = igen_mock_context(test, 10);
	struct dma_fence_array *array;

	KUNIT_ASSERT_NOT_NULL(test, chain);
	KUNIT_ASSERT_NOT_NULL(test, fences);
	fences[0] = dma_fence_get(&a->fence);
	fences[1] = dma_fence_get(&b->fence);
	array = igen_fence_array_create(2, fences, dma_fence_context_alloc(1), 1);
	KUNIT_ASSERT_NOT_NULL(test, array);
	/* The chain takes over the references to the array and to c's fence. */
	dma_fence_chain_init(chain, &array->base, dma_fence_get(&c->fence), 2);

	high = igen_mock_request(test, ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &chain->base));
	KUNIT_EXPECT_EQ(test, 4, atomic_read(&high->pending));
	igen_request_add(high);
	KUNIT_EXPECT_EQ(test, a->priority, 10);
	KUNIT_EXPECT_EQ(test, b->priority, 10);
	KUNIT_EXPECT_EQ(test, c->priority, 10);
	dma_fence_put(&chain->base);

	complete_and_put(a);
	complete_and_put(b);
	EXPECT_QUEUE(test, engine_of(test, IGEN_RCS0), NULL);
	complete_and_put(c);
	EXPECT_QUEUE(test, engine_of(test, IGEN_RCS0), high);
	complete_and_put(high);
	igen_context_put(ctx);
}

/* A request that waits for the start of another raises it until it has started, and no longer. */
static void inherits_until_the_start(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *first = submit_new(test, -5, IGEN_BCS0), *waiting, *high;
	struct igen_context *ctx = igen_mock_context(test, 0);

	waiting = igen_mock_request(test, ctx, IGEN_VCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await_execution(waiting, &first->fence));
	igen_request_add(waiting);
	KUNIT_EXPECT_EQ(test, first->priority, 0);
	run(engine, 1);
	irq_work_sync(&engine->exec_work);
	high = submit_after(test, 10, IGEN_RCS0, &waiting->fence);
	KUNIT_EXPECT_EQ(test, waiting->priority, 10);
	KUNIT_EXPECT_EQ(test, first->priority, 0);

	complete_and_put(first);
	complete_and_put(waiting);
	complete_and_put(high);
	igen_context_put(ctx);
}

struct waits_early {
	struct kunit *test;
	struct igen_request *early, *high;
	struct completion done;
};

static int wait_early(void *data)
{
	struct waits_early *w = data;

	w->high = submit_after(w->test, 10, IGEN_RCS0, &w->early->fence);
	complete(&w->done);
	return 0;
}

/* An object has a request's fence just before the request is committed: requests that wait for it already count. */
static void inherits_before_its_commit(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, -5);
	struct waits_early w = { .test = test };
	struct task_struct *thread;

	init_completion(&w.done);
	w.early = igen_mock_request(test, ctx, IGEN_BCS0);
	thread = kthread_run(wait_early, &w, "igen-wait-early");
	if (IS_ERR(thread))
		KUNIT_FAIL(test, "no thread: %ld", PTR_ERR(thread));
	else
		wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.early->priority, -5);
	igen_request_add(w.early);
	if (w.high)
		KUNIT_EXPECT_EQ(test, w.early->priority, 10);

	complete_and_put(w.early);
	if (w.high)
		complete_and_put(w.high);
	igen_context_put(ctx);
}

/* A request in flight is raised in its place and the backend is told. Completed and retired requests stay unchanged. */
static void inherits_in_flight(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *done = submit_new(test, -5, IGEN_BCS0), *running = submit_new(test, -5, IGEN_BCS0);
	struct igen_context *ctx = igen_mock_context(test, 10);
	struct igen_request *high;
	unsigned int submits;

	run(engine, 2);
	high = igen_mock_request(test, ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &done->fence));
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &running->fence));
	igen_mock_complete(done);
	igen_retire(mock->igen);
	submits = igen_mock_engine(engine)->submits;
	igen_request_add(high);
	KUNIT_EXPECT_EQ(test, done->priority, -5);
	KUNIT_EXPECT_EQ(test, running->priority, 10);
	KUNIT_EXPECT_FALSE(test, running->queued);
	KUNIT_EXPECT_EQ(test, igen_mock_engine(engine)->submits, submits + 1);

	igen_request_put(done);
	complete_and_put(running);
	complete_and_put(high);
	igen_context_put(ctx);
}

/* A cancelled request completes in its turn, with its error, and does nothing. */
static void cancelled_request_completes_in_turn(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *before = igen_mock_submit(test, ctx, IGEN_BCS0), *rq;
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);

	rq = igen_mock_request(test, ctx, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_emit_batch(rq, 0x1000, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, igen_request_emit_batch(rq, 0x1000, SZ_4K));
	igen_request_cancel(rq, -EINTR);
	KUNIT_EXPECT_EQ(test, rq->fence.error, -EINTR);
	KUNIT_EXPECT_EQ(test, rq->batch_start, 0ull);
	KUNIT_EXPECT_EQ(test, rq->postfix, rq->infix);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&lrc->timeline.mutex));
	EXPECT_QUEUE(test, engine_of(test, IGEN_BCS0), before, rq);
	complete_and_put(before);
	complete_and_put(rq);
	igen_context_put(ctx);
}

/* Skipping a request blanks its batch and nothing else, also around the ring's end; the first error stays. */
static void skipping_blanks_the_batch(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	struct igen_request *rq = igen_mock_submit(test, ctx, IGEN_BCS0);
	u32 *ring = lrc->ring.vaddr;
	unsigned int i, bad = 0;

	memset(ring, 0xff, lrc->ring.size);
	rq->infix = 0x10;
	rq->postfix = 0x20;
	igen_request_skip(rq, -EIO);
	for (i = 0; i < lrc->ring.size / 4; i++)
		bad += ring[i] != (i >= 4 && i < 8 ? 0 : 0xffffffff);
	KUNIT_EXPECT_EQ(test, 0u, bad);

	memset(ring, 0xff, lrc->ring.size);
	rq->infix = lrc->ring.size - 8;
	rq->postfix = 8;
	igen_request_skip(rq, -ENODEV);
	for (i = 0; i < lrc->ring.size / 4; i++)
		bad += ring[i] != (i < 2 || i >= lrc->ring.size / 4 - 2 ? 0 : 0xffffffff);
	KUNIT_EXPECT_EQ(test, 0u, bad);
	KUNIT_EXPECT_EQ(test, rq->fence.error, -EIO);
	KUNIT_EXPECT_TRUE(test, igen_request_is_skipped(rq));
	complete_and_put(rq);
	igen_context_put(ctx);
}

/* When the GPU is wedged all fences signal, of what runs, what is queued, and what is held back. */
static void wedging_signals_all(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_request *running = submit_new(test, 0, IGEN_BCS0), *queued, *held, *rq[3];
	unsigned int i;

	run(engine_of(test, IGEN_BCS0), 1);
	queued = submit_new(test, 0, IGEN_BCS0);
	held = submit_after(test, 0, IGEN_RCS0, &queued->fence);
	igen_wedge(mock->igen, "a test wants it");
	flush_work(&mock->igen->wedged_work);

	rq[0] = running;
	rq[1] = queued;
	rq[2] = held;
	for (i = 0; i < ARRAY_SIZE(rq); i++) {
		KUNIT_EXPECT_TRUE(test, test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq[i]->fence.flags));
		KUNIT_EXPECT_EQ(test, rq[i]->fence.error, -EIO);
		KUNIT_EXPECT_FALSE(test, rq[i]->queued);
		igen_request_put(rq[i]);
	}
	EXPECT_QUEUE(test, engine_of(test, IGEN_BCS0), NULL);
	EXPECT_QUEUE(test, engine_of(test, IGEN_RCS0), NULL);
}

#define RUN_CONTEXTS	3
#define RUN_REQUESTS	4

/* Walks over all that is in flight: does a context other than the request's have something that has not completed? */
static bool blocks_others(struct igen_engine *engine, const struct igen_request *rq)
{
	struct igen_request *other;

	list_for_each_entry(other, &engine->inflight, link) {
		if (other->lrc != rq->lrc && !igen_request_completed(other))
			return true;
	}
	return false;
}

static void expect_company(struct kunit *test, struct igen_engine *engine, const struct igen_request *rq,
			   unsigned int pattern)
{
	spin_lock_irq(&engine->group->lock);
	KUNIT_EXPECT_EQ_MSG(test, igen_semaphore_obstructs(engine, rq), blocks_others(engine, rq), "pattern %u",
			    pattern);
	spin_unlock_irq(&engine->group->lock);
}

/* Completes the requests in flight one by one, context by context, and looks each time. */
static void complete_by_contexts(struct kunit *test, struct igen_engine *engine, struct igen_request **rq,
				 struct igen_request *waits, unsigned int pattern)
{
	unsigned int c, n, digits, first = pattern % RUN_CONTEXTS;

	for (c = 0; c < RUN_CONTEXTS; c++) {
		for (n = 0, digits = pattern; n < RUN_REQUESTS; n++, digits /= RUN_CONTEXTS) {
			if (digits % RUN_CONTEXTS != (first + c) % RUN_CONTEXTS)
				continue;
			complete_and_put(rq[n]);
			expect_company(test, engine, waits, pattern);
		}
	}
}

/* In flight are requests of some contexts, in all orders: one look for each run tells what a walk over all tells. */
static void one_look_at_each_run(struct kunit *test)
{
	struct igen_engine *engine = engine_of(test, IGEN_BCS0);
	struct igen_request *rq[RUN_REQUESTS], *waits, *pos;
	unsigned int n, digits, pattern, runs;
	struct igen_context *ctx[RUN_CONTEXTS];
	u32 place = 0;

	for (n = 0; n < RUN_CONTEXTS; n++)
		ctx[n] = igen_mock_context(test, 0);
	for (pattern = 0; pattern < RUN_CONTEXTS * RUN_CONTEXTS * RUN_CONTEXTS * RUN_CONTEXTS; pattern++) {
		igen_mock_engine(engine)->taken = 0;
		run(engine, RUN_REQUESTS);
		runs = 0;
		for (n = 0, digits = pattern; n < RUN_REQUESTS; n++, digits /= RUN_CONTEXTS) {
			rq[n] = igen_mock_submit(test, ctx[digits % RUN_CONTEXTS], IGEN_BCS0);
			runs += !n || rq[n]->lrc != rq[n - 1]->lrc;
		}
		spin_lock_irq(&engine->group->lock);
		list_for_each_entry(pos, &engine->inflight_runs, run_link)
			runs--;
		spin_unlock_irq(&engine->group->lock);
		KUNIT_EXPECT_EQ_MSG(test, runs, 0u, "pattern %u", pattern);

		/* A request of the first context that would wait for a seqno. */
		waits = igen_mock_submit(test, ctx[0], IGEN_BCS0);
		waits->semaphore_seqno = 1;
		waits->semaphore_place = &place;
		expect_company(test, engine, waits, pattern);
		complete_by_contexts(test, engine, rq, waits, pattern);
		waits->semaphore_place = NULL;

		run(engine, 1);
		complete_and_put(waits);
		KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(engine));
		KUNIT_EXPECT_TRUE(test, list_empty(&engine->inflight_runs));
	}
	for (n = 0; n < RUN_CONTEXTS; n++)
		igen_context_put(ctx[n]);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(orders_by_priority_and_age),
	KUNIT_CASE(shares_among_clients),
	KUNIT_CASE(requests_in_flight_are_charged),
	KUNIT_CASE(trims_what_has_completed),
	KUNIT_CASE(waits_for_dependencies),
	KUNIT_CASE(heartbeat_starts_with_runnable),
	KUNIT_CASE(heartbeat_off),
	KUNIT_CASE(waits_for_a_start),
	KUNIT_CASE(waits_for_a_beginning),
	KUNIT_CASE(inherits_what_it_waits_for),
	KUNIT_CASE(inherits_along_a_timeline),
	KUNIT_CASE(inherits_through_a_long_chain),
	KUNIT_CASE(inherits_through_a_diamond),
	KUNIT_CASE(inherits_through_containers),
	KUNIT_CASE(inherits_until_the_start),
	KUNIT_CASE(inherits_before_its_commit),
	KUNIT_CASE(inherits_in_flight),
	KUNIT_CASE(cancelled_request_completes_in_turn),
	KUNIT_CASE(skipping_blanks_the_batch),
	KUNIT_CASE(wedging_signals_all),
	KUNIT_CASE(one_look_at_each_run),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_scheduler",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
