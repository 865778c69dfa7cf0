/* SPDX-License-Identifier: MIT */
/*
 * DOC: An engine whose events a test plays
 *
 * For tests with igen_mock_init_execlists(): the blitter with the real backend, contexts for it, and what the engine
 * does, which is to write events into its status page and to raise interrupts.
 */
#ifndef _IGEN_MOCK_PORTS_H_
#define _IGEN_MOCK_PORTS_H_

#include <igen/regs/irq.h>

#include "../submit/igen_execlists.h"
#include "igen_mock.h"

#define COMPLETE_SWITCH	(CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH)
#define COMPLETE_IDLE	(CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE)
#define LITE		(CSB_PREEMPTED | CSB_LITE_RESTORE)

/** struct igen_mock_ports - the engine and its requests */
struct igen_mock_ports {
	/** @igen: the device */
	struct igen_device *igen;
	/** @engine: the engine */
	struct igen_engine *engine;
	/** @el: its backend */
	struct igen_execlists *el;
	/** @ctx: equals */
	struct igen_context *ctx[3];
};

/* The engine is as after the device has come up. */
static inline struct igen_mock_ports *start(struct kunit *test)
{
	struct igen_mock_ports *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct igen_mock *mock = test->priv;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->igen = mock->igen;
	t->engine = mock->igen->engine[IGEN_BCS0];
	t->el = to_execlists(t->engine);
	KUNIT_ASSERT_EQ(test, 0, mock->platform.submit->resume(t->engine));
	for (i = 0; i < ARRAY_SIZE(t->ctx); i++)
		t->ctx[i] = igen_mock_context(test, 0);
	return t;
}

static inline void end(struct igen_mock_ports *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t->ctx); i++)
		igen_context_put(t->ctx[i]);
}

static inline struct igen_request *submit(struct kunit *test, struct igen_mock_ports *t, unsigned int ctx)
{
	return igen_mock_submit(test, t->ctx[ctx], IGEN_BCS0);
}

static inline void irq(struct igen_mock_ports *t, u32 bits)
{
	t->igen->platform->submit->irq(t->engine, bits);
}

static inline void interrupt(struct igen_mock_ports *t)
{
	irq(t, GT_IRQ_CONTEXT_SWITCH);
}

static inline void event(struct igen_mock_ports *t, u32 status, u32 id)
{
	igen_mock_put_event(t->engine, status, id);
	interrupt(t);
}

static inline void expect_ports(struct kunit *test, struct igen_request **port, struct igen_request *a,
				struct igen_request *b)
{
	KUNIT_EXPECT_PTR_EQ(test, port[0], a);
	KUNIT_EXPECT_PTR_EQ(test, port[1], b);
}

#endif
