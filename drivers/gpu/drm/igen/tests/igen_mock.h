/* SPDX-License-Identifier: MIT */
/*
 * DOC: A device without hardware, for tests
 *
 * The device of igen_mock_init() has memory in place of registers and of the GGTT's table, and the platform's engines
 * with either a backend of the tests' own, which keeps what it is given and completes nothing, or the real one, which
 * writes into memory. Nothing runs by itself: a test completes requests one by one.
 */
#ifndef _IGEN_MOCK_H_
#define _IGEN_MOCK_H_

#include <kunit/test.h>

#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "../submit/igen_submit.h"

#define IGEN_MOCK_ORDER		256

/** struct igen_mock_engine - the tests' backend for an engine */
struct igen_mock_engine {
	/** @capacity: requests that it will take from now on */
	unsigned int capacity;
	/** @submits: how often it was called */
	unsigned int submits;
	/** @order: what it took, in this order; not counted */
	struct igen_request *order[IGEN_MOCK_ORDER];
	/** @taken: how many those are */
	unsigned int taken;
};

/** struct igen_mock - a device without hardware */
struct igen_mock {
	/** @igen: the device */
	struct igen_device *igen;
	/** @platform: its platform: Kaby Lake or Ivy Bridge, with the backend that the test asked for */
	struct igen_platform platform;
	/** @parent: what the DRM device hangs on */
	struct platform_device *parent;
	/** @group: what goes with the parent */
	void *group;
	/** @pdev: for its revision alone */
	struct pci_dev *pdev;
	/** @vm: an address space for contexts */
	struct igen_vm *vm;
};

/* For kunit_suite.suite_init and suite_exit: what the module's own init makes later or has made already. */
int igen_mock_suite_init(struct kunit_suite *suite);
void igen_mock_suite_exit(struct kunit_suite *suite);

/*
 * For kunit_suite.init and exit: test->priv is the igen_mock; with the tests' backend, with execlists, or an Ivy Bridge
 * with rings.
 */
int igen_mock_init(struct kunit *test);
int igen_mock_init_execlists(struct kunit *test);
int igen_mock_init_ringbuffer(struct kunit *test);
void igen_mock_exit(struct kunit *test);

/* In igen_ggtt_test.c: a GGTT of 64 MB whose table is memory. */
int igen_mock_ggtt_init(struct igen_device *igen);
void igen_mock_ggtt_fini(struct igen_device *igen);

/* A client of the test's own process. */
struct igen_client *igen_mock_client(struct kunit *test);
/* A context with one slot for each engine, by its id. */
struct igen_context *igen_mock_context(struct kunit *test, int priority);
struct igen_lrc *igen_mock_lrc(struct kunit *test, struct igen_context *ctx, enum igen_engine_id id);
/* A request of one dword pair, not committed; the test has a reference. */
struct igen_request *igen_mock_request(struct kunit *test, struct igen_context *ctx, enum igen_engine_id id);
/* A request as from igen_mock_request(), committed. */
struct igen_request *igen_mock_submit(struct kunit *test, struct igen_context *ctx, enum igen_engine_id id);
/* Completes a request as its engine does: writes the seqno, and has the driver signal the fence. */
void igen_mock_complete(struct igen_request *rq);
/* Writes an event as the hardware does, into registers and into the status page: the entry, then its number. */
void igen_mock_put_event(struct igen_engine *engine, u32 status, u32 id);
/* The same, but the number comes to the status page before its entry, which igen_mock_put_entry() writes. */
void igen_mock_put_number(struct igen_engine *engine, u32 status, u32 id);
void igen_mock_put_entry(struct igen_engine *engine, u32 status, u32 id);
/* Writes an event into the status page as a batch can, where the hardware would write its next event. */
void igen_mock_forge_event(struct igen_engine *engine, u32 status, u32 id);
/* How events name a request's context. */
static inline u32 igen_mock_id_of(const struct igen_request *rq)
{
	return upper_32_bits(rq->lrc->image.desc);
}

/** struct igen_mock_foreign - a fence of no device */
struct igen_mock_foreign {
	/** @fence: the fence, which is never freed */
	struct dma_fence fence;
	/** @lock: its lock */
	spinlock_t lock;
};

struct dma_fence *igen_mock_foreign_init(struct igen_mock_foreign *foreign, u64 context, u64 seqno);

/* The test's thread has a SIGKILL pending, or has none any more. */
void igen_mock_set_killed(bool killed);

/* Waits until contexts and LRCs without references have been freed. */
void igen_mock_settle(struct igen_device *igen);

static inline struct igen_mock_engine *igen_mock_engine(struct igen_engine *engine)
{
	return engine->backend;
}

#endif
