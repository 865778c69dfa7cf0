// SPDX-License-Identifier: MIT
/**
 * DOC: Logical ring contexts
 *
 * The image is a status page and the register state, 4 KB behind the address that the descriptor names (KBL Vol 3,
 * "Overall Context Layout", "Ring Context"). A new image is a copy of the engine's default state, which was
 * recorded from a context that ran with nothing restored, so nothing of any client is in it. Ring, page tables
 * and control are the driver's and written into the image before it is first submitted; afterwards the image
 * belongs to the hardware but for the ring's tail, which the driver moves on while the engine may run.
 *
 * An LRC is held by its context and by the port it is on: the engine writes the image when it switches away, which is
 * after the last request of it was completed. Its memory goes after an RCU grace period, since a fence may look
 * at the seqno until then.
 */
#include <drm/drm_drv.h>
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include <igen/cmd/mi.h>
#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "../igen_device.h"
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

static size_t state_size(const struct igen_engine *engine)
{
	return (engine->info->context_pages - 1) * PAGE_SIZE;
}

/*
 * All slices, and all EUs of a subslice, shall be powered while the context runs; else the hardware may gate some
 * (public Gen9 PRM Vol 2c, "R_PWR_CLK_STATE"). Where there is one slice, or a subslice has two EUs or fewer, there is
 * nothing to gate (as stock i915 has it).
 */
static u32 power_clock_state(const struct igen_device *igen)
{
	const struct igen_topology *topo = &igen->topology;
	unsigned int s, ss;
	u32 slices = hweight8(topo->slice_mask), eus = 0, state = 0;

	for (s = 0; s < topo->max_slices; s++)
		for (ss = 0; ss < topo->max_subslices; ss++)
			eus = max_t(u32, eus, hweight8(topo->eu_mask[s][ss]));
	if (slices > 1)
		state |= PWR_CLK_ENABLE | PWR_CLK_SLICE_COUNT_ENABLE | IGEN_PREP(PWR_CLK_SLICE_COUNT_MASK, slices);
	if (eus > 2)
		state |= PWR_CLK_ENABLE | IGEN_PREP(PWR_CLK_EU_MAX_MASK, eus) | IGEN_PREP(PWR_CLK_EU_MIN_MASK, eus);
	return state;
}

static void set_switch_batch(const struct igen_engine *engine, u32 *regs)
{
	regs[CTX_BB_PER_CTX_PTR] = 0;
	regs[CTX_INDIRECT_CTX] = 0;
	regs[CTX_INDIRECT_CTX_OFFSET] = 0;
	if (engine->ctx_wa) {
		regs[CTX_INDIRECT_CTX] = lower_32_bits(igen_vma_start(engine->ctx_wa)) |
			IGEN_PREP(INDIRECT_CTX_SIZE_MASK, engine->ctx_wa_size / 64);
		regs[CTX_INDIRECT_CTX_OFFSET] =
			IGEN_PREP(INDIRECT_CTX_OFFSET_MASK, (u32)engine->igen->platform->indirect_ctx_offset);
	}
}

/* Writes what is the driver's into the register state: control, ring, page tables, the switch batch. */
static void update_regs(struct igen_lrc *lrc, u32 head, u32 tail)
{
	const struct igen_engine *engine = lrc->engine;
	u32 *regs = lrc->regs;

	regs[CTX_CONTEXT_CONTROL] = IGEN_MASKED_ENABLE(CTX_CTL_INHIBIT_SYN_CTX_SWITCH) |
		IGEN_MASKED_FIELD(CTX_CTL_RESTORE_INHIBIT | CTX_CTL_SAVE_INHIBIT | CTX_CTL_RS_ENABLE,
				  engine->default_state ? 0 : CTX_CTL_RESTORE_INHIBIT);

	regs[CTX_RING_HEAD] = head;
	regs[CTX_RING_TAIL] = tail;
	regs[CTX_RING_START] = lower_32_bits(igen_vma_start(lrc->ring));
	regs[CTX_RING_CTL] = IGEN_PREP(RING_CTL_LENGTH_MASK, lrc->ring_size / PAGE_SIZE - 1) | RING_CTL_VALID;

	/* No batch is to be resumed. */
	regs[CTX_BB_HEAD_U] = 0;
	regs[CTX_BB_HEAD_L] = 0;
	regs[CTX_BB_STATE] = 0;
	regs[CTX_SBB_HEAD_U] = 0;
	regs[CTX_SBB_HEAD_L] = 0;
	regs[CTX_SBB_STATE] = 0;

	/*
	 * With 48-bit addresses PDP0 is the root and the others are unused (public Gen9 PRM Vol 2d, "EXECLIST
	 * CONTEXT").
	 */
	regs[CTX_PDP0_UDW] = upper_32_bits(lrc->vm->pd_dma);
	regs[CTX_PDP0_LDW] = lower_32_bits(lrc->vm->pd_dma);

	if (engine->info->class == IGEN_CLASS_RENDER)
		regs[CTX_R_PWR_CLK_STATE] = power_clock_state(engine->igen);

	set_switch_batch(engine, regs);
}

/*
 * Takes note of where image and ring are. The page number in the GGTT is unique among contexts that are there, so it
 * serves as the software id. The image that was at this address before could still be the engine's: the first
 * submission forces a restore.
 */
static void set_addresses(struct igen_lrc *lrc)
{
	u64 start = igen_vma_start(lrc->image);

	lrc->desc = start | CTX_DESC_VALID | CTX_DESC_PRIVILEGE | CTX_DESC_FORCE_RESTORE |
		    IGEN_PREP(CTX_DESC_ADDRESSING_MASK, CTX_DESC_LEGACY_48B) |
		    IGEN_PREP(CTX_DESC_SW_ID_MASK, start >> PAGE_SHIFT);
	lrc->regs[CTX_RING_START] = lower_32_bits(igen_vma_start(lrc->ring));
	lrc->hwsp_ggtt = igen_lrc_seqno_ggtt(lrc, lrc->hwsp_seqno);
}

static void init_state(struct igen_lrc *lrc)
{
	unsigned int length;

	if (lrc->engine->default_state) {
		memcpy(lrc->regs, lrc->engine->default_state, state_size(lrc->engine));
		return;
	}

	length = igen_lrc_write_layout(lrc->engine, lrc->regs);
	lrc->regs[length] = MI_BATCH_BUFFER_END;
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
 * Return: the LRC with one reference; ERR_PTR of -EINVAL (ring size), -ENOMEM, -ENOSPC (no room in the GGTT).
 */
struct igen_lrc *igen_lrc_create(struct igen_engine *engine, struct igen_context *context,
				 struct igen_vm *vm, u32 ring_size)
{
	struct igen_device *igen = engine->igen;
	struct igen_lrc *lrc;
	void *vaddr;
	int err;

	if (ring_size < MIN_RING || ring_size > MAX_RING || !is_power_of_2(ring_size))
		return ERR_PTR(-EINVAL);

	lrc = kzalloc(sizeof(*lrc), GFP_KERNEL);
	if (!lrc)
		return ERR_PTR(-ENOMEM);

	lrc->image = igen_ggtt_pin_internal(igen, engine->info->context_pages * PAGE_SIZE, 0, &vaddr);
	if (IS_ERR(lrc->image)) {
		err = PTR_ERR(lrc->image);
		goto fail_lrc;
	}
	lrc->pphwsp = vaddr;
	lrc->regs = vaddr + LRC_STATE_OFFSET;

	lrc->ring = igen_ggtt_pin_internal(igen, ring_size, 0, &vaddr);
	if (IS_ERR(lrc->ring)) {
		err = PTR_ERR(lrc->ring);
		goto fail_image;
	}
	lrc->ring_vaddr = vaddr;
	lrc->ring_size = ring_size;

	kref_init(&lrc->ref);
	lrc->group = engine->group;
	lrc->engine = engine;
	lrc->context = context;
	lrc->vm = igen_vm_get(vm);
	mutex_init(&lrc->timeline_mutex);
	spin_lock_init(&lrc->requests_lock);
	lrc->fence_context = dma_fence_context_alloc(1);
	lrc->hwsp_seqno = lrc->pphwsp + LRC_PPHWSP_SEQNO;
	INIT_LIST_HEAD(&lrc->requests);
	INIT_LIST_HEAD(&lrc->held);
	INIT_LIST_HEAD(&lrc->active_link);
	INIT_LIST_HEAD(&lrc->pin_link);

	init_state(lrc);
	update_regs(lrc, 0, 0);
	set_addresses(lrc);
	lrc->pinned = true;
	lrc->runtime_mark = lrc->regs[CTX_TIMESTAMP];

	drm_dev_get(&igen->drm);
	return lrc;

fail_image:
	igen_ggtt_unpin_internal(lrc->image);
fail_lrc:
	kfree(lrc);
	return ERR_PTR(err);
}

/**
 * igen_lrc_seqno_ggtt - tells other engines where seqnos arrive
 * @lrc: the LRC
 * @place: its hwsp_seqno, or that of one of its requests
 *
 * Return: the address in the GGTT, valid while there are requests, or somebody beside the context holds the LRC.
 */
u32 igen_lrc_seqno_ggtt(const struct igen_lrc *lrc, const u32 *place)
{
	return lower_32_bits(igen_vma_start(lrc->image)) + (u32)((const void *)place - lrc->pphwsp);
}

/**
 * igen_lrc_next_seqno - gives the next request its seqno
 * @lrc: the LRC; its timeline's mutex is held
 *
 * Engines compare without regard to the wrap, so behind it seqnos arrive at another place, which is at 0 as if new. The
 * old one stays at the last seqno before the wrap, which ends all waits for earlier ones, until the next wrap.
 *
 * Return: the seqno, never 0.
 */
u32 igen_lrc_next_seqno(struct igen_lrc *lrc)
{
	u32 *other = lrc->pphwsp + LRC_PPHWSP_SEQNO;

	lockdep_assert_held(&lrc->timeline_mutex);

	if (unlikely(!++lrc->seqno)) {
		if (lrc->hwsp_seqno == other)
			other = lrc->pphwsp + LRC_PPHWSP_SEQNO_WRAPPED;
		WRITE_ONCE(*other, 0);
		WRITE_ONCE(lrc->hwsp_seqno, other);
		lrc->hwsp_ggtt = igen_lrc_seqno_ggtt(lrc, other);
		lrc->seqno = 1;
	}
	return lrc->seqno;
}

static void lrc_free(struct work_struct *work)
{
	struct igen_lrc *lrc = container_of(to_rcu_work(work), struct igen_lrc, release_work);
	struct drm_device *drm = &lrc->group->igen->drm;

	drm_WARN_ON(drm, !list_empty(&lrc->requests) || !list_empty(&lrc->held) || !list_empty(&lrc->pin_link));

	if (lrc->siblings) {
		spin_lock_irq(&lrc->group->lock);
		lrc->group->balanced--;
		spin_unlock_irq(&lrc->group->lock);
	}
	if (lrc->pinned) {
		igen_vma_unpin(lrc->ring);
		igen_vma_unpin(lrc->image);
	}
	igen_ggtt_put_internal(lrc->ring);
	igen_ggtt_put_internal(lrc->image);
	igen_vm_put(lrc->vm);
	mutex_destroy(&lrc->timeline_mutex);
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
 * igen_lrc_track - lets somebody else have an LRC's place in the GGTT while it is not used
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
 * @lrc: the LRC; its context, which nobody has any more, still holds it
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
 * May sleep, and wait for what is there instead.
 *
 * Return: 0, or as igen_vma_pin().
 */
int igen_lrc_pin(struct igen_lrc *lrc)
{
	int err;

	lockdep_assert_held(&lrc->timeline_mutex);

	if (likely(lrc->pinned))
		return 0;
	err = igen_ggtt_repin_internal(lrc->image);
	if (err)
		return err;
	err = igen_ggtt_repin_internal(lrc->ring);
	if (err) {
		igen_vma_unpin(lrc->image);
		return err;
	}

	spin_lock_irq(&lrc->group->lock);
	set_addresses(lrc);
	spin_unlock_irq(&lrc->group->lock);
	lrc->ring_head = lrc->ring_tail;
	lrc->pinned = true;
	igen_lrc_track(lrc);
	return 0;
}

/**
 * igen_lrc_unpin - takes an LRC out of the GGTT
 * @lrc: a client's, without requests, which nobody but its context holds: neither a port of the hardware, which would
 *	save to it, nor who may look for its seqno. The mutexes of its timeline and of the GGTT are held
 *
 * Return: false when somebody has its objects locked at this moment.
 */
bool igen_lrc_unpin(struct igen_lrc *lrc)
{
	lockdep_assert_held(&lrc->timeline_mutex);

	if (!lrc->pinned || !dma_resv_trylock(lrc->image->bo->base.resv))
		return false;
	if (!dma_resv_trylock(lrc->ring->bo->base.resv)) {
		igen_bo_unlock(lrc->image->bo);
		return false;
	}

	lrc->pinned = false;
	lrc->ring_head = (lrc->ring_tail + IGEN_RING_GAP) & (lrc->ring_size - 1);
	igen_lrc_untrack(lrc);
	igen_ggtt_evict_internal(lrc->image);
	igen_ggtt_evict_internal(lrc->ring);
	igen_bo_unlock(lrc->ring->bo);
	igen_bo_unlock(lrc->image->bo);
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
		init_state(lrc);
	lrc->runtime_mark = lrc->regs[CTX_TIMESTAMP];
	update_regs(lrc, head, head);
	lrc->hw_tail = head;
	lrc->hw_seqno = READ_ONCE(*READ_ONCE(lrc->hwsp_seqno));
	lrc->desc |= CTX_DESC_FORCE_RESTORE;
	lrc->stale = false;
	lrc->spoilt = false;
}

/**
 * igen_lrc_discard - have a context go on with its next request, wherever its image is
 * @lrc: the LRC, perhaps on the hardware, which gets no requests before it was reset; group->lock held
 * @clean: the rest of its state becomes the default again
 *
 * Whoever starts that request calls igen_lrc_reset(); the engine could save over it earlier.
 */
void igen_lrc_discard(struct igen_lrc *lrc, bool clean)
{
	lockdep_assert_held(&lrc->group->lock);

	lrc->stale = true;
	lrc->spoilt |= clean;
}

/**
 * igen_lrc_balance - lets an LRC move between engines
 * @lrc: the LRC, which nobody has used yet
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
	igen_lrc_write_layout(engine, lrc->regs);
	set_switch_batch(engine, lrc->regs);
	lrc->desc |= CTX_DESC_FORCE_RESTORE;
}

/* A moving average over what has completed since the last time. */
static void note_request_ticks(struct igen_lrc *lrc)
{
	u32 completed = READ_ONCE(*READ_ONCE(lrc->hwsp_seqno)), ticks;

	if (completed == lrc->seqno_mark)
		return;
	ticks = min_t(u64, div_u64(lrc->runtime - lrc->ticks_mark, completed - lrc->seqno_mark), S32_MAX) + 1;
	lrc->request_ticks = lrc->request_ticks ? lrc->request_ticks / 4 * 3 + ticks / 4 + 1 : ticks;
	lrc->ticks_mark = lrc->runtime;
	lrc->seqno_mark = completed;
}

/**
 * igen_lrc_note_runtime - counts what the image says that the engine has worked on it
 * @lrc: the LRC; group->lock held
 *
 * To be called before the image's 32 bits wrap, and before another engine gets it.
 */
void igen_lrc_note_runtime(struct igen_lrc *lrc)
{
	u32 now = READ_ONCE(lrc->regs[CTX_TIMESTAMP]);

	lockdep_assert_held(&lrc->group->lock);

	lrc->runtime += now - lrc->runtime_mark;
	lrc->engine->runtime += now - lrc->runtime_mark;
	lrc->runtime_mark = now;
	note_request_ticks(lrc);
}

/**
 * igen_lrc_record_default - makes what a context has in its image the engine's default state
 * @lrc: a context that ran without restoring anything, and that the engine has switched away from
 *
 * Return: 0 or -ENOMEM.
 */
int igen_lrc_record_default(struct igen_lrc *lrc)
{
	void *state;

	state = kvmalloc(state_size(lrc->engine), GFP_KERNEL);
	if (!state)
		return -ENOMEM;

	memcpy(state, lrc->regs, state_size(lrc->engine));
	lrc->engine->default_state = state;
	return 0;
}
