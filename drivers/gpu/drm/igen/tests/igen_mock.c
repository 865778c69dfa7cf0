// SPDX-License-Identifier: MIT
/*
 * DOC: A device without hardware, for tests
 *
 * See igen_mock.h. A test that leaves something behind fails: at the end no object is alive, and only the mock holds a
 * reference to the device.
 */
#include <drm/drm_drv.h>
#include <linux/cred.h>
#include <linux/dma-mapping.h>
#include <linux/platform_device.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <igen/regs/engine.h>

#include "../engine/igen_lrc.h"
#include "igen_mock.h"
#include "../submit/igen_retire.h"

/* Registers up to FORCEWAKE_ACK_GT, which is the last that the driver knows. */
#define REGS_SIZE	SZ_2M
/* A row of the tables is for one that is neither the first nor the last. */
#define REVISION	4

static struct drm_driver mock_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER,
	.name = "igen-mock",
	.desc = "igen without hardware",
};

static int mock_engine_init(struct igen_engine *engine)
{
	struct igen_mock_engine *mock = kzalloc(sizeof(*mock), GFP_KERNEL);

	if (!mock)
		return -ENOMEM;
	engine->backend = mock;
	igen_scheduler_init(engine);
	igen_heartbeat_init(engine);
	return 0;
}

static void mock_engine_fini(struct igen_engine *engine)
{
	igen_heartbeat_fini(engine);
	igen_scheduler_fini(engine);
	kfree(engine->backend);
	engine->backend = NULL;
}

static int mock_resume(struct igen_engine *engine)
{
	return 0;
}

static void mock_submit(struct igen_engine *engine)
{
	struct igen_mock_engine *mock = igen_mock_engine(engine);
	struct igen_request *rq;

	lockdep_assert_held(&engine->group->lock);

	mock->submits++;
	while (mock->capacity && mock->taken < IGEN_MOCK_ORDER && (rq = igen_queue_ready(engine))) {
		mock->capacity--;
		mock->order[mock->taken++] = rq;
		igen_scheduler_start(engine, rq);
	}
	rq = igen_scheduler_active(engine);
	if (rq)
		igen_scheduler_begin(engine, rq);
}

static void mock_irq(struct igen_engine *engine, u32 bits)
{
}

static bool mock_idle(struct igen_engine *engine)
{
	return true;
}

static void mock_state(struct igen_engine *engine, bool ask, struct igen_engine_state *state)
{
	*state = (struct igen_engine_state){
		.active = igen_scheduler_active(engine), .since = jiffies, .certain = true,
	};
}

static int mock_reset_prepare(struct igen_engine *engine)
{
	return 0;
}

static void mock_reset(struct igen_engine *engine, bool stalled)
{
	igen_scheduler_unwind(engine);
}

static void mock_reset_finish(struct igen_engine *engine)
{
}

static const struct igen_submit_ops mock_ops = {
	.init = mock_engine_init,
	.fini = mock_engine_fini,
	.resume = mock_resume,
	.submit = mock_submit,
	.irq = mock_irq,
	.idle = mock_idle,
	.state = mock_state,
	.reset_prepare = mock_reset_prepare,
	.reset = mock_reset,
	.reset_finish = mock_reset_finish,
};

/* Suites of a module run before its init function, those of the kernel image after all of them. */
static bool before_module_init(void)
{
#ifdef MODULE
	return THIS_MODULE->state == MODULE_STATE_COMING;
#else
	return false;
#endif
}

int igen_mock_suite_init(struct kunit_suite *suite)
{
	int err;

	if (!before_module_init())
		return 0;

	err = igen_lrc_module_init();
	if (err)
		return err;
	err = igen_request_module_init();
	if (err)
		igen_lrc_module_exit();
	return err;
}

void igen_mock_suite_exit(struct kunit_suite *suite)
{
	if (!before_module_init())
		return;
	igen_lrc_module_exit();
	igen_request_module_exit();
}

/* Retires nothing: only what a test does happens. */
static void no_retirement(struct work_struct *work)
{
}

static void *mock_registers(struct igen_device *igen)
{
	void *regs = vzalloc(REGS_SIZE);
	unsigned int domain;

	igen->mmio.regs = (void __force __iomem *)regs;
	spin_lock_init(&igen->mmio.fw_lock);
	/* Nothing ever waits there. */
	if (igen->platform->fifo)
		igen_raw_write(igen, igen->platform->fifo, igen->platform->fifo_mask);
	/* Awake all the time: no hardware would acknowledge. */
	for (domain = 0; domain < FORCEWAKE_NUM_DOMAINS; domain++)
		igen->mmio.fw_count[domain] = 1;
	return regs;
}

static int mock_init(struct kunit *test, const struct igen_platform *platform, const struct igen_submit_ops *ops)
{
	struct igen_mock *mock = kunit_kzalloc(test, sizeof(*mock), GFP_KERNEL);
	struct igen_engine *engine;
	struct igen_device *igen;
	unsigned int id;

	KUNIT_ASSERT_NOT_NULL(test, mock);
	mock->platform = *platform;
	mock->platform.submit = ops;
	mock->pdev = kunit_kzalloc(test, sizeof(*mock->pdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mock->pdev);
	mock->pdev->revision = REVISION;

	mock->parent = platform_device_register_simple("igen-mock", PLATFORM_DEVID_AUTO, NULL, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mock->parent));
	KUNIT_ASSERT_EQ(test, 0, dma_set_mask_and_coherent(&mock->parent->dev, DMA_BIT_MASK(mock->platform.dma_bits)));
	dma_set_max_seg_size(&mock->parent->dev, UINT_MAX);
	mock->group = devres_open_group(&mock->parent->dev, NULL, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mock->group);
	igen = devm_drm_dev_alloc(&mock->parent->dev, &mock_drm_driver, struct igen_device, drm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(igen));
	devres_close_group(&mock->parent->dev, mock->group);

	mock->igen = igen;
	igen->pdev = mock->pdev;
	igen->platform = &mock->platform;
	/* Awake all the time. */
	igen_rpm_init(igen);
	KUNIT_ASSERT_NOT_NULL(test, mock_registers(igen));
	igen->wq = alloc_workqueue("igen-mock", WQ_UNBOUND, 0);
	KUNIT_ASSERT_NOT_NULL(test, igen->wq);
	igen->urgent_wq = alloc_workqueue("igen-mock-urgent", WQ_UNBOUND | WQ_HIGHPRI, 0);
	KUNIT_ASSERT_NOT_NULL(test, igen->urgent_wq);
	KUNIT_ASSERT_EQ(test, 0, igen_mm_init(igen));
	/* No TLB holds anything, so no flush is ever needed. */
	atomic64_set(&igen->mm.tlb.completed, S64_MAX);
	KUNIT_ASSERT_EQ(test, 0, igen_mock_ggtt_init(igen));
	igen_engines_probe(igen);
	KUNIT_ASSERT_EQ(test, 0, igen_engines_init(igen));
	/* No clock takes part. */
	for_each_engine(igen, id, engine) {
		engine->props.heartbeat_interval_ms = 0;
		engine->props.timeslice_duration_ms = 0;
		engine->props.preempt_timeout_ms = 0;
	}
	igen_reset_init(igen);
	igen_retire_init(igen);
	INIT_DELAYED_WORK(&igen->retire_work, no_retirement);
	INIT_DELAYED_WORK(&igen->governor.work, no_retirement);
	mock->vm = igen_ppgtt_create(igen, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mock->vm));
	test->priv = mock;
	return 0;
}

int igen_mock_init(struct kunit *test)
{
	return mock_init(test, &igen_platform_kbl_gt2, &mock_ops);
}

int igen_mock_init_execlists(struct kunit *test)
{
	return mock_init(test, &igen_platform_kbl_gt2, &igen_execlists_ops);
}

int igen_mock_init_ringbuffer(struct kunit *test)
{
	return mock_init(test, &igen_platform_ivb_gt2, &igen_ringbuffer_ops);
}

void igen_mock_settle(struct igen_device *igen)
{
	unsigned int pass;

	igen_retire(igen);
	/* A context, its LRCs, their objects: each waits for a grace period of its own. */
	for (pass = 0; pass < 3; pass++) {
		rcu_barrier();
		flush_workqueue(igen_release_wq);
		flush_workqueue(igen->wq);
	}
}

/* The end of a request as its engine sees it. Waits for its start are over. */
static void reach_end(struct igen_request *rq)
{
	struct igen_engine *engine = rq->engine;

	/* Seqnos don't go back. */
	if (!igen_request_completed(rq))
		WRITE_ONCE(*(u32 *)rq->hwsp_seqno, lower_32_bits(rq->fence.seqno));
	spin_lock_irq(&engine->group->lock);
	rq->started = true;
	list_splice_tail_init(&rq->exec_waits, &engine->exec_waits);
	igen_scheduler_begin(engine, rq);
	spin_unlock_irq(&engine->group->lock);
	irq_work_queue(&engine->exec_work);
}

/* Whatever a test has left on the engines completes. */
static void complete_everything(struct igen_device *igen)
{
	struct igen_engine_group *group;
	struct igen_request *rq;
	struct igen_engine *engine;
	struct igen_lrc *lrc;
	unsigned int id;

	for_each_group(igen, group) {
		list_for_each_entry(lrc, &group->active_lrcs, active_link) {
			list_for_each_entry(rq, &lrc->timeline.requests, timeline_link)
				reach_end(rq);
		}
	}
	for_each_engine(igen, id, engine) {
		igen_breadcrumbs_signal(engine);
		irq_work_sync(&engine->exec_work);
	}
	for_each_engine(igen, id, engine) {
		spin_lock_irq(&engine->group->lock);
		/* Ports hold LRCs. */
		igen->platform->submit->reset(engine, false);
		while ((rq = igen_queue_first(engine)))
			igen_scheduler_drop(rq);
		spin_unlock_irq(&engine->group->lock);
	}
}

void igen_mock_exit(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_device *igen;

	/* An init that has failed leaves what it had. */
	if (!mock)
		return;

	igen = mock->igen;
	complete_everything(igen);
	igen_vm_put(mock->vm);
	igen_mock_settle(igen);
	igen_retire_fini(igen);
	igen_reset_fini(igen);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->active_count), 0);
	igen_engines_fini(igen);
	igen_mm_flush(igen);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&igen->bo_count));
	KUNIT_EXPECT_EQ(test, 1, kref_read(&igen->drm.ref));

	igen_mock_ggtt_fini(igen);
	igen_mm_fini(igen);
	destroy_workqueue(igen->urgent_wq);
	destroy_workqueue(igen->wq);
	vfree((void __force *)igen->mmio.regs);
	devres_release_group(&mock->parent->dev, mock->group);
	platform_device_unregister(mock->parent);
}

struct igen_client *igen_mock_client(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_client *client = igen_client_create(mock->igen, task_tgid(current), current_uid());

	KUNIT_ASSERT_FALSE(test, IS_ERR(client));
	return client;
}

struct igen_context *igen_mock_context(struct kunit *test, int priority)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine;
	struct igen_context *ctx;
	unsigned int id;

	ctx = igen_context_create(mock->igen, mock->vm, IGEN_NUM_ENGINES);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	for_each_engine(mock->igen, id, engine)
		ctx->engines[id].engine = engine;
	ctx->ring_size = SZ_4K;
	ctx->priority = priority;
	return ctx;
}

struct igen_lrc *igen_mock_lrc(struct kunit *test, struct igen_context *ctx, enum igen_engine_id id)
{
	struct igen_lrc *lrc = igen_context_lrc(ctx, id);

	KUNIT_ASSERT_FALSE(test, IS_ERR(lrc));
	return lrc;
}

struct igen_request *igen_mock_request(struct kunit *test, struct igen_context *ctx, enum igen_engine_id id)
{
	struct igen_request *rq;

	rq = igen_request_create(igen_mock_lrc(test, ctx, id), 2, true);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rq));
	return rq;
}

struct igen_request *igen_mock_submit(struct kunit *test, struct igen_context *ctx, enum igen_engine_id id)
{
	struct igen_request *rq = igen_mock_request(test, ctx, id);

	igen_request_add(rq);
	return rq;
}

void igen_mock_complete(struct igen_request *rq)
{
	struct igen_engine *engine = rq->engine;

	reach_end(rq);
	igen_breadcrumbs_signal(engine);
	irq_work_sync(&engine->exec_work);
}

static const char *no_name(struct dma_fence *fence)
{
	return "a test";
}

static const struct dma_fence_ops foreign_ops = {
	.get_driver_name = no_name,
	.get_timeline_name = no_name,
};

struct dma_fence *igen_mock_foreign_init(struct igen_mock_foreign *foreign, u64 context, u64 seqno)
{
	spin_lock_init(&foreign->lock);
	dma_fence_init(&foreign->fence, &foreign_ops, &foreign->lock, context, seqno);
	return &foreign->fence;
}

void igen_mock_set_killed(bool killed)
{
	if (!killed) {
		flush_signals(current);
		return;
	}
	spin_lock_irq(&current->sighand->siglock);
	sigaddset(&current->pending.signal, SIGKILL);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	spin_unlock_irq(&current->sighand->siglock);
}

void igen_mock_forge_event(struct igen_engine *engine, u32 status, u32 id)
{
	u32 *page = engine->hwsp_vaddr;
	unsigned int next = (page[HWSP_CSB_WRITE_PTR_DW] + 1) % GEN9_CSB_ENTRIES;

	page[HWSP_CSB_DW + 2 * next] = status;
	page[HWSP_CSB_DW + 2 * next + 1] = id;
	page[HWSP_CSB_WRITE_PTR_DW] = next;
}

void igen_mock_put_number(struct igen_engine *engine, u32 status, u32 id)
{
	u32 base = engine->info->base, pointer = RING_CTX_STATUS_PTR(base);
	unsigned int next = (IGEN_GET(CTX_STATUS_PTR_WRITE_MASK, igen_read(engine->igen, pointer)) + 1) %
			    GEN9_CSB_ENTRIES;

	igen_write(engine->igen, RING_CTX_STATUS_BUF_LO(base, next), status);
	igen_write(engine->igen, RING_CTX_STATUS_BUF_HI(base, next), id);
	igen_write(engine->igen, pointer, next);
	engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW] = next;
}

void igen_mock_put_entry(struct igen_engine *engine, u32 status, u32 id)
{
	u32 *page = engine->hwsp_vaddr;
	unsigned int last = page[HWSP_CSB_WRITE_PTR_DW];

	page[HWSP_CSB_DW + 2 * last] = status;
	page[HWSP_CSB_DW + 2 * last + 1] = id;
}

void igen_mock_put_event(struct igen_engine *engine, u32 status, u32 id)
{
	igen_mock_put_number(engine, status, id);
	igen_mock_put_entry(engine, status, id);
}
