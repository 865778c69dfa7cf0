// SPDX-License-Identifier: MIT
/**
 * DOC: Logical ring contexts
 *
 * The image is a status page and the register state, in the platform's format (struct igen_context_ops); some engines
 * have none, and some formats no status page. A new image is a copy of the engine's default state, which was recorded
 * from a context that ran with nothing restored, so nothing of any client is in it. Where an engine executes the rings
 * of contexts, ring, page tables and control are the driver's and written into the image before it is first submitted;
 * afterwards the image belongs to the hardware but for the ring's tail, which the driver moves on while the engine may
 * run. Else the ring is plain memory, out of which the backend copies requests.
 *
 * Seqnos arrive in one more page, behind the register state. Gen9's command streamer lets any user's batch store into
 * the PPHWSP and into the engine's status page: MI_STORE_DATA_INDEX, PIPE_CONTROL and MI_FLUSH_DW take an index into
 * either instead of an address (DG1 Vol 2a, "MI_STORE_DATA_INDEX"). The index reaches the 4 KB of a status page and no
 * further, and the GGTT is out of reach of a user's addresses. So only the driver's commands in the ring write there.
 *
 * An LRC is held by its context and by the port it is on: the engine writes the image when it switches away, which is
 * after the last request of it was completed. Its memory goes after an RCU grace period, since a fence may look
 * at the seqno until then, and after a register has confirmed that the engine has left it (submit/igen_departure.c).
 */
#include <drm/drm_drv.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_vm.h"
#include "igen_lrc.h"

#define MIN_RING	4096
#define MAX_RING	(512 * 1024)

/* The last of them may end the device, so it is not the device's. */
struct workqueue_struct *igen_release_wq;

/**
 * igen_lrc_module_init - once a module
 *
 * Return: 0 or -ENOMEM.
 */
int igen_lrc_module_init(void)
{
	igen_release_wq = alloc_workqueue("igen-release", WQ_UNBOUND, 0);
	return igen_release_wq ? 0 : -ENOMEM;
}

/**
 * igen_release_drain - waits until contexts and LRCs whose last reference is gone have been freed
 *
 * May sleep.
 */
void igen_release_drain(void)
{
	unsigned int round;

	/* The end of a context is that of its LRCs, each after a grace period. */
	for (round = 0; round < 2; round++) {
		rcu_barrier();
		flush_workqueue(igen_release_wq);
	}
}

/**
 * igen_lrc_module_exit - waits until what was freed last has returned; no device is left
 */
void igen_lrc_module_exit(void)
{
	rcu_barrier();
	destroy_workqueue(igen_release_wq);
}

/* 0 on an engine that has no images. */
static size_t lrc_state_size(const struct igen_engine *engine)
{
	size_t image_size = engine->info->context_pages * PAGE_SIZE;

	return image_size ? image_size - engine->igen->platform->context->state_offset : 0;
}

static const struct igen_context_ops *lrc_ops(const struct igen_lrc *lrc)
{
	return lrc->group->igen->platform->context;
}

/* The context's runtime as last saved or counted, in ticks. */
static u32 lrc_ticks_saved(const struct igen_lrc *lrc)
{
	return READ_ONCE(*lrc->image.ticks);
}

/* Takes note of where image and ring are. */
static void lrc_set_addresses(struct igen_lrc *lrc)
{
	if (lrc_ops(lrc)->set_addresses)
		lrc_ops(lrc)->set_addresses(lrc);
	lrc->timeline.page_ggtt = lower_32_bits(igen_vma_start(lrc->image.vma)) +
				  (u32)(lrc->timeline.page - lrc->image.vaddr);
}

static void lrc_init_state(struct igen_lrc *lrc)
{
	if (!lrc->image.regs)
		return;
	if (lrc->engine->default_state)
		memcpy(lrc->image.regs, lrc->engine->default_state, lrc_state_size(lrc->engine));
	else if (lrc_ops(lrc)->init)
		lrc_ops(lrc)->init(lrc->engine, lrc->image.regs);
}

/* The context goes on at this offset of its ring. */
static void lrc_update(struct igen_lrc *lrc, u32 head)
{
	if (lrc_ops(lrc)->update)
		lrc_ops(lrc)->update(lrc, head, head);
}

/* With image and ring; the same for all engines of a class. */
static size_t lrc_bytes(const struct igen_engine *engine, u32 ring_size)
{
	return sizeof(struct igen_lrc) + engine->igen->platform->submit->lrc_bytes +
	       engine->info->context_pages * PAGE_SIZE + ring_size;
}

/* Image, if the engine has images, and the page where seqnos arrive. */
static int lrc_create_image(struct igen_lrc *lrc, struct igen_engine *engine)
{
	size_t image_size = engine->info->context_pages * PAGE_SIZE;
	const struct igen_context_ops *ops = engine->igen->platform->context;
	void *vaddr;

	lrc->image.vma = igen_ggtt_pin_internal(engine->igen, image_size + PAGE_SIZE, 0, &vaddr);
	if (IS_ERR(lrc->image.vma))
		return PTR_ERR(lrc->image.vma);
	lrc->image.vaddr = vaddr;
	if (image_size)
		lrc->image.regs = vaddr + ops->state_offset;
	lrc->image.ticks = ops->ticks_dw ? lrc->image.regs + ops->ticks_dw : &lrc->ticks;
	igen_timeline_init(&lrc->timeline, vaddr + image_size);
	return 0;
}

static void lrc_free_image(struct igen_lrc *lrc)
{
	igen_timeline_fini(&lrc->timeline);
	igen_ggtt_put_internal(lrc->image.vma);
}

/* In the GGTT if engines execute it there; else the backend copies requests out of it. */
static int lrc_create_ring(struct igen_lrc *lrc, struct igen_device *igen, u32 ring_size)
{
	void *vaddr;

	if (igen->platform->submit->copies_requests) {
		lrc->ring.vaddr = kvzalloc(ring_size, IGEN_GFP_CLIENT);
		if (!lrc->ring.vaddr)
			return -ENOMEM;
	} else {
		lrc->ring.vma = igen_ggtt_pin_internal(igen, ring_size, 0, &vaddr);
		if (IS_ERR(lrc->ring.vma))
			return PTR_ERR(lrc->ring.vma);
		lrc->ring.vaddr = vaddr;
	}
	lrc->ring.size = ring_size;
	return 0;
}

static void lrc_free_ring(struct igen_lrc *lrc)
{
	if (lrc->ring.vma)
		igen_ggtt_put_internal(lrc->ring.vma);
	else
		kvfree(lrc->ring.vaddr);
}

/* Of the GGTT, while the LRC is pinned. A directory that lies there is the address space's own matter. */
static u64 lrc_ggtt_bytes(const struct igen_lrc *lrc)
{
	return lrc->image.vma->bo->base.size + (lrc->ring.vma ? lrc->ring.vma->bo->base.size : 0);
}

/* Contexts whose requests wait cannot leave the GGTT, so they are charged. Together they may have half of it. */
static int lrc_charge_place(const struct igen_lrc *lrc, struct igen_vm *vm)
{
	return igen_ggtt_charge_place(vm, IGEN_GGTT_CONTEXTS, lrc_ggtt_bytes(lrc), vm->igen->ggtt.vm.total / 2);
}

static void lrc_uncharge_place(const struct igen_lrc *lrc, struct igen_vm *vm)
{
	igen_ggtt_uncharge_place(vm, IGEN_GGTT_CONTEXTS, lrc_ggtt_bytes(lrc));
}

/* Fills in an LRC that has its memory. */
static void lrc_init(struct igen_lrc *lrc, struct igen_engine *engine, struct igen_context *context, struct igen_vm *vm)
{
	kref_init(&lrc->ref);
	lrc->group = engine->group;
	lrc->engine = engine;
	lrc->context = context;
	lrc->vm = igen_vm_get(vm);
	INIT_LIST_HEAD(&lrc->held);
	INIT_LIST_HEAD(&lrc->queued);
	RB_CLEAR_NODE(&lrc->movable_node);
	INIT_LIST_HEAD(&lrc->active_link);
	INIT_LIST_HEAD(&lrc->pin_link);

	lrc_init_state(lrc);
	lrc_update(lrc, 0);
	lrc_set_addresses(lrc);
	lrc->pinned = true;
	lrc->runtime_mark = lrc_ticks_saved(lrc);
}

/**
 * igen_lrc_create - makes an engine's share of a context
 * @engine: where it will run
 * @context: whose it is
 * @vm: its address space; the LRC holds it
 * @ring_size: bytes, a power of two from 4096 to 524288
 *
 * May sleep.
 *
 * Return: the LRC with one reference; ERR_PTR of -EINVAL (ring size), -ENOMEM, -ENOSPC (no room in the GGTT,
 * or the client has its share of it), -ERESTARTSYS.
 */
struct igen_lrc *igen_lrc_create(struct igen_engine *engine, struct igen_context *context,
				 struct igen_vm *vm, u32 ring_size)
{
	struct igen_device *igen = engine->igen;
	struct igen_lrc *lrc;
	int err;

	if (ring_size < MIN_RING || ring_size > MAX_RING || !is_power_of_2(ring_size))
		return ERR_PTR(-EINVAL);

	if (igen_budget_charge(vm->budget, lrc_bytes(engine, ring_size)))
		return ERR_PTR(-ENOMEM);
	err = -ENOMEM;
	lrc = kzalloc(sizeof(*lrc) + igen->platform->submit->lrc_bytes, IGEN_GFP_CLIENT);
	if (!lrc)
		goto fail_uncharge;

	err = lrc_create_image(lrc, engine);
	if (err)
		goto fail_lrc;
	err = lrc_create_ring(lrc, igen, ring_size);
	if (err)
		goto fail_image;
	err = lrc_charge_place(lrc, vm);
	if (err)
		goto fail_ring;
	err = vm->ops->pin ? vm->ops->pin(vm) : 0;
	if (err)
		goto fail_place;

	lrc_init(lrc, engine, context, vm);
	drm_dev_get(&igen->drm);
	return lrc;

fail_place:
	lrc_uncharge_place(lrc, vm);
fail_ring:
	if (lrc->ring.vma)
		igen_vma_unpin(lrc->ring.vma);
	lrc_free_ring(lrc);
fail_image:
	igen_vma_unpin(lrc->image.vma);
	lrc_free_image(lrc);
fail_lrc:
	kfree(lrc);
fail_uncharge:
	igen_budget_uncharge(vm->budget, lrc_bytes(engine, ring_size));
	return ERR_PTR(err);
}

static void lrc_unpin_all(struct igen_lrc *lrc)
{
	struct igen_vm *vm = lrc->vm;

	if (lrc->ring.vma)
		igen_vma_unpin(lrc->ring.vma);
	igen_vma_unpin(lrc->image.vma);
	lrc_uncharge_place(lrc, vm);
	if (!vm->ops->unpin)
		return;
	mutex_lock(&vm->igen->ggtt.vm.mutex);
	vm->ops->unpin(vm);
	mutex_unlock(&vm->igen->ggtt.vm.mutex);
}

static void lrc_free(struct work_struct *work)
{
	struct igen_lrc *lrc = container_of(to_rcu_work(work), struct igen_lrc, release_work);
	const struct igen_submit_ops *ops = lrc->group->igen->platform->submit;
	struct drm_device *drm = &lrc->group->igen->drm;

	/* Until then the engine uses the image, the ring and the address space. */
	if (ops->wait_left)
		ops->wait_left(lrc);
	drm_WARN_ON(drm, !list_empty(&lrc->timeline.requests));
	drm_WARN_ON(drm, !list_empty(&lrc->held) || !list_empty(&lrc->pin_link));

	if (lrc->siblings) {
		spin_lock_irq(&lrc->group->lock);
		lrc->group->balanced--;
		spin_unlock_irq(&lrc->group->lock);
	}
	if (lrc->pinned)
		lrc_unpin_all(lrc);
	lrc_free_ring(lrc);
	lrc_free_image(lrc);
	igen_budget_uncharge(lrc->vm->budget, lrc_bytes(lrc->engine, lrc->ring.size));
	igen_vm_put(lrc->vm);
	kfree(lrc);
	drm_dev_put(drm);
}

/**
 * igen_lrc_release - last reference gone; any context
 * @ref: igen_lrc.ref
 */
void igen_lrc_release(struct kref *ref)
{
	struct igen_lrc *lrc = container_of(ref, struct igen_lrc, ref);

	INIT_RCU_WORK(&lrc->release_work, lrc_free);
	queue_rcu_work(igen_release_wq, &lrc->release_work);
}

/**
 * igen_lrc_track - let other objects have an LRC's place in the GGTT while it is not used
 * @lrc: the LRC, just made; its context holds it
 */
void igen_lrc_track(struct igen_lrc *lrc)
{
	spin_lock(&lrc->group->lrcs_lock);
	list_add_tail(&lrc->pin_link, &lrc->group->pinned_lrcs);
	spin_unlock(&lrc->group->lrcs_lock);
}

/**
 * igen_lrc_untrack - undoes igen_lrc_track()
 * @lrc: the LRC; its context, to which no reference is left, still holds it
 */
void igen_lrc_untrack(struct igen_lrc *lrc)
{
	spin_lock(&lrc->group->lrcs_lock);
	list_del_init(&lrc->pin_link);
	spin_unlock(&lrc->group->lrcs_lock);
}

/**
 * igen_lrc_pin - has an LRC be in the GGTT, and stay there
 * @lrc: the LRC; its timeline's mutex is held
 *
 * May sleep, and wait for other VMAs to leave the GGTT.
 *
 * Return: 0; -ENOSPC also when the client has its share of the GGTT; -ERESTARTSYS; or as igen_vma_pin().
 */
int igen_lrc_pin(struct igen_lrc *lrc)
{
	int err;

	lockdep_assert_held(&lrc->timeline.mutex);

	if (likely(lrc->pinned))
		return 0;
	err = lrc_charge_place(lrc, lrc->vm);
	if (err)
		return err;
	err = igen_ggtt_repin_internal(lrc->image.vma);
	if (err)
		goto fail_place;
	err = lrc->ring.vma ? igen_ggtt_repin_internal(lrc->ring.vma) : 0;
	if (err)
		goto fail_image;
	err = lrc->vm->ops->pin ? lrc->vm->ops->pin(lrc->vm) : 0;
	if (err)
		goto fail_ring;

	spin_lock_irq(&lrc->group->lock);
	lrc_set_addresses(lrc);
	spin_unlock_irq(&lrc->group->lock);
	lrc->ring.head = lrc->ring.tail;
	lrc->pinned = true;
	igen_lrc_track(lrc);
	return 0;

fail_ring:
	if (lrc->ring.vma)
		igen_vma_unpin(lrc->ring.vma);
fail_image:
	igen_vma_unpin(lrc->image.vma);
fail_place:
	lrc_uncharge_place(lrc, lrc->vm);
	return err;
}

/**
 * igen_lrc_unpin - takes an LRC out of the GGTT
 * @lrc: a client's, without requests, which only its context holds: neither a port of the hardware, which would save
 *	to it, nor a wait for its seqno. The mutexes of its timeline and of the GGTT are held
 *
 * Return: false when its objects are locked at this moment.
 */
bool igen_lrc_unpin(struct igen_lrc *lrc)
{
	struct igen_vma *ring = lrc->ring.vma;

	lockdep_assert_held(&lrc->timeline.mutex);

	if (!lrc->pinned || !dma_resv_trylock(lrc->image.vma->bo->base.resv))
		return false;
	if (ring && !dma_resv_trylock(ring->bo->base.resv)) {
		igen_bo_unlock(lrc->image.vma->bo);
		return false;
	}

	lrc->pinned = false;
	lrc->ring.head = igen_ring_offset(&lrc->ring, lrc->ring.tail + IGEN_RING_GAP);
	igen_lrc_untrack(lrc);
	igen_ggtt_evict_internal(lrc->image.vma);
	if (ring) {
		igen_ggtt_evict_internal(ring);
		igen_bo_unlock(ring->bo);
	}
	igen_bo_unlock(lrc->image.vma->bo);
	lrc_uncharge_place(lrc, lrc->vm);
	if (lrc->vm->ops->unpin)
		lrc->vm->ops->unpin(lrc->vm);
	return true;
}

/**
 * igen_lrc_reset - makes a context go on from a place in its ring, outside of any batch
 * @lrc: the LRC, not on the hardware; group->lock held
 * @head: ring offset where the engine will go on
 * @clean: the rest of its state becomes the default again
 */
void igen_lrc_reset(struct igen_lrc *lrc, u32 head, bool clean)
{
	lockdep_assert_held(&lrc->group->lock);

	igen_lrc_note_runtime(lrc);
	if (clean)
		lrc_init_state(lrc);
	lrc->runtime_mark = lrc_ticks_saved(lrc);
	lrc_update(lrc, head);
	lrc->stale = false;
	lrc->state_lost = false;
}

/**
 * igen_lrc_discard - have a context go on with its next request, wherever its image is
 * @lrc: the LRC, perhaps on the hardware, which gets no requests before it was reset; group->lock held
 * @clean: the rest of its state becomes the default again
 *
 * The start of that request calls igen_lrc_reset(); before that the engine could save over it.
 */
void igen_lrc_discard(struct igen_lrc *lrc, bool clean)
{
	lockdep_assert_held(&lrc->group->lock);

	lrc->stale = true;
	lrc->state_lost |= clean;
}

/**
 * igen_lrc_balance - lets an LRC move between engines
 * @lrc: the LRC, not used yet
 * @siblings: bits of enum igen_engine_id, all of one class, its own among them
 *
 * Context: may not be called with interrupts off; takes group->lock.
 */
void igen_lrc_balance(struct igen_lrc *lrc, u32 siblings)
{
	lrc->siblings = siblings;
	spin_lock_irq(&lrc->group->lock);
	lrc->group->balanced++;
	spin_unlock_irq(&lrc->group->lock);
}

/**
 * igen_lrc_set_engine - makes an LRC that of another engine
 * @lrc: the LRC, not on the hardware; group->lock held
 * @engine: one of its siblings
 *
 * The registers that its image names become the engine's; their values stay.
 */
void igen_lrc_set_engine(struct igen_lrc *lrc, struct igen_engine *engine)
{
	lockdep_assert_held(&lrc->group->lock);

	WRITE_ONCE(lrc->engine, engine);
	if (lrc_ops(lrc)->set_engine)
		lrc_ops(lrc)->set_engine(lrc);
}

/**
 * igen_lrc_has_left - ask whether the hardware has left a context for good, by its own word and not by events
 * @lrc: the LRC, without a request that could be given to the hardware meanwhile; group->lock held
 *
 * May read registers.
 *
 * Return: true when image, ring and address space are not used any more. False may be late: it is asked again.
 */
bool igen_lrc_has_left(struct igen_lrc *lrc)
{
	const struct igen_submit_ops *ops = lrc->group->igen->platform->submit;

	lockdep_assert_held(&lrc->group->lock);

	return !ops->has_left || ops->has_left(lrc);
}

/* Updates request_ticks, a moving average, with the requests that have completed since the last call. */
static void lrc_note_request_ticks(struct igen_lrc *lrc)
{
	u32 completed = READ_ONCE(*READ_ONCE(lrc->timeline.hwsp_seqno)), ticks;

	if (completed == lrc->seqno_mark)
		return;
	ticks = min_t(u64, div_u64(lrc->runtime - lrc->ticks_mark, completed - lrc->seqno_mark), S32_MAX) + 1;
	lrc->request_ticks = lrc->request_ticks ? lrc->request_ticks / 4 * 3 + ticks / 4 + 1 : ticks;
	lrc->ticks_mark = lrc->runtime;
	lrc->seqno_mark = completed;
}

/**
 * igen_lrc_note_runtime - adds the progress of the context's count of time to the runtime of LRC and engine
 * @lrc: the LRC; group->lock held
 *
 * To be called before the count's 32 bits wrap, and before another engine gets it.
 */
void igen_lrc_note_runtime(struct igen_lrc *lrc)
{
	u32 now = lrc_ticks_saved(lrc);

	lockdep_assert_held(&lrc->group->lock);

	lrc->runtime += now - lrc->runtime_mark;
	lrc->engine->runtime += now - lrc->runtime_mark;
	lrc->runtime_mark = now;
	lrc_note_request_ticks(lrc);
}

/**
 * igen_lrc_record_default - makes the state in a context's image the engine's default state
 * @lrc: a context that ran without restoring anything, and that the engine has switched away from
 *
 * Does nothing on an engine that has no images.
 *
 * Return: 0 or -ENOMEM.
 */
int igen_lrc_record_default(struct igen_lrc *lrc)
{
	void *state;

	if (!lrc->image.regs)
		return 0;

	state = kvmalloc(lrc_state_size(lrc->engine), GFP_KERNEL);
	if (!state)
		return -ENOMEM;

	memcpy(state, lrc->image.regs, lrc_state_size(lrc->engine));
	lrc->engine->default_state = state;
	return 0;
}
