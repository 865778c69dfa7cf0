/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM igen

#if !defined(_IGEN_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _IGEN_TRACE_H_

/**
 * DOC: Tracepoints
 *
 * The events appear in ``/sys/kernel/tracing/events/igen/``. An event that i915 has too has i915's name and fields, and
 * prints the same text, so tools for i915 understand it. Events that begin with ``igen_`` are igen's own. i915 has the
 * events between ``i915_request_submit`` and ``i915_request_out`` only if it was built with
 * CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS; igen always has them. An event that is off costs one NOP.
 *
 * The system is ``igen`` and not ``i915``. If two modules had a system of one name, tracefs would show both modules'
 * events in one folder. Of two events of one name there, it would show only the one whose module was loaded first, and
 * log a warning for the other.
 *
 * The events of a request, in this order:
 *
 * ==================================== ==============================================================================
 * ``i915_request_queue``               execbuf has made the request (not for the driver's own requests)
 * ``i915_request_add``                 the request is committed
 * ``i915_request_submit``              all fences that the request waits for have signaled, or its engine waits for
 *                                      the last one; once for each request
 * ``i915_request_execute``             the request leaves the engine's queue
 * ``i915_request_in``                  the request is about to be written to a port of its engine
 * ``i915_request_out``                 the driver has seen that the request has completed (``completed?=1``), or takes
 *                                      it back, for a preemption or after a reset (``completed?=0``)
 * ``i915_request_retire``              the request gives back its ring space
 * ``igen_request_preempted``           an engine with one ring has left the request: at ``batch``, the address of its
 *                                      batch's next command, or in front of the batch, where ``batch`` is 0; ``ring``
 *                                      is the ring offset behind that. ``i915_request_out`` follows
 * ==================================== ==============================================================================
 *
 * A request that was unwound begins again with ``i915_request_execute``, unless it completes all the same: the
 * engine runs it until it has switched to the next list. Requests of one context go to a port together, each with its
 * own events. ``ctx`` is the number of the timeline, that is, of one engine of a context.
 */

#include <linux/tracepoint.h>

struct igen_bo;
struct igen_context;
struct igen_device;
struct igen_engine;
struct igen_engine_info;
struct igen_mmap_offset;
struct igen_placement;
struct igen_request;
struct igen_vm;
struct igen_vma;
struct vm_fault;

/* Which request of which engine: the first fields of all events of requests. */
#define IGEN_TRACE_REQUEST \
	__field(u32, dev) \
	__field(u64, ctx) \
	__field(u16, class) \
	__field(u16, instance) \
	__field(u32, seqno)

#define IGEN_TRACE_SET_REQUEST(rq__, info__, dev__) \
	do { \
		__entry->dev = (dev__); \
		__entry->ctx = (rq__)->fence.context; \
		__entry->class = (info__)->class; \
		__entry->instance = (info__)->instance; \
		__entry->seqno = (rq__)->fence.seqno; \
	} while (0)

#define IGEN_TRACE_DEV(igen__)	((igen__)->drm.primary->index)

#define IGEN_TRACE_REQUEST_FORMAT	"dev=%u, engine=%u:%u, ctx=%llu, seqno=%u"
#define IGEN_TRACE_REQUEST_VALUES \
	__entry->dev, __entry->class, __entry->instance, __entry->ctx, __entry->seqno

/* Objects. */

TRACE_EVENT(i915_gem_object_create,
	    TP_PROTO(struct igen_bo *bo),
	    TP_ARGS(bo),
	    TP_STRUCT__entry(__field(struct igen_bo *, obj)
			     __field(u64, size)),
	    TP_fast_assign(__entry->obj = bo;
			   __entry->size = bo->base.size;),
	    TP_printk("obj=%p, size=0x%llx", __entry->obj, __entry->size)
);

DECLARE_EVENT_CLASS(i915_gem_object,
		    TP_PROTO(struct igen_bo *bo),
		    TP_ARGS(bo),
		    TP_STRUCT__entry(__field(struct igen_bo *, obj)),
		    TP_fast_assign(__entry->obj = bo;),
		    TP_printk("obj=%p", __entry->obj)
);

DEFINE_EVENT(i915_gem_object, i915_gem_object_clflush,
	     TP_PROTO(struct igen_bo *bo),
	     TP_ARGS(bo)
);

DEFINE_EVENT(i915_gem_object, i915_gem_object_destroy,
	     TP_PROTO(struct igen_bo *bo),
	     TP_ARGS(bo)
);

DECLARE_EVENT_CLASS(igen_gem_object_rw,
		    TP_PROTO(struct igen_bo *bo, u64 offset, u64 len),
		    TP_ARGS(bo, offset, len),
		    TP_STRUCT__entry(__field(struct igen_bo *, obj)
				     __field(u64, offset)
				     __field(u64, len)),
		    TP_fast_assign(__entry->obj = bo;
				   __entry->offset = offset;
				   __entry->len = len;),
		    TP_printk("obj=%p, offset=0x%llx, len=0x%llx", __entry->obj, __entry->offset, __entry->len)
);

DEFINE_EVENT(igen_gem_object_rw, i915_gem_object_pwrite,
	     TP_PROTO(struct igen_bo *bo, u64 offset, u64 len),
	     TP_ARGS(bo, offset, len)
);

DEFINE_EVENT(igen_gem_object_rw, i915_gem_object_pread,
	     TP_PROTO(struct igen_bo *bo, u64 offset, u64 len),
	     TP_ARGS(bo, offset, len)
);

TRACE_EVENT(i915_gem_object_fault,
	    TP_PROTO(const struct igen_mmap_offset *mmo, const struct vm_fault *vmf),
	    TP_ARGS(mmo, vmf),
	    TP_STRUCT__entry(__field(struct igen_bo *, obj)
			     __field(u64, index)
			     __field(bool, gtt)
			     __field(bool, write)),
	    TP_fast_assign(__entry->obj = mmo->bo;
			   __entry->index = vmf->pgoff - drm_vma_node_start(&mmo->node);
			   __entry->gtt = mmo->type == IGEN_MMAP_GTT;
			   __entry->write = vmf->flags & FAULT_FLAG_WRITE;),
	    TP_printk("obj=%p, %s index=%llu %s", __entry->obj, __entry->gtt ? "GTT" : "CPU", __entry->index,
		      __entry->write ? ", writable" : "")
);

TRACE_EVENT(i915_gem_shrink,
	    TP_PROTO(const struct igen_device *igen, unsigned long target, unsigned int flags),
	    TP_ARGS(igen, target, flags),
	    TP_STRUCT__entry(__field(int, dev)
			     __field(unsigned long, target)
			     __field(unsigned int, flags)),
	    TP_fast_assign(__entry->dev = IGEN_TRACE_DEV(igen);
			   __entry->target = target;
			   __entry->flags = flags;),
	    TP_printk("dev=%d, target=%lu, flags=%x", __entry->dev, __entry->target, __entry->flags)
);

/* Address spaces. Flags are those of igen_vma_pin() without its address. */

TRACE_EVENT(i915_vma_bind,
	    TP_PROTO(const struct igen_vma *vma, const struct igen_placement *where),
	    TP_ARGS(vma, where),
	    TP_STRUCT__entry(__field(struct igen_bo *, obj)
			     __field(struct igen_vm *, vm)
			     __field(u64, offset)
			     __field(u64, size)
			     __field(unsigned int, flags)),
	    TP_fast_assign(__entry->obj = vma->bo;
			   __entry->vm = vma->vm;
			   __entry->offset = vma->node.start;
			   __entry->size = vma->node.size;
			   __entry->flags = where->flags & ~IGEN_PIN_OFFSET_MASK;),
	    TP_printk("obj=%p, offset=0x%016llx size=0x%llx%s vm=%p", __entry->obj, __entry->offset, __entry->size,
		      __entry->flags & IGEN_PIN_MAPPABLE ? ", mappable" : "", __entry->vm)
);

TRACE_EVENT(i915_vma_unbind,
	    TP_PROTO(const struct igen_vma *vma),
	    TP_ARGS(vma),
	    TP_STRUCT__entry(__field(struct igen_bo *, obj)
			     __field(struct igen_vm *, vm)
			     __field(u64, offset)
			     __field(u64, size)),
	    TP_fast_assign(__entry->obj = vma->bo;
			   __entry->vm = vma->vm;
			   __entry->offset = vma->node.start;
			   __entry->size = vma->node.size;),
	    TP_printk("obj=%p, offset=0x%016llx size=0x%llx vm=%p", __entry->obj, __entry->offset, __entry->size,
		      __entry->vm)
);

TRACE_EVENT(i915_gem_evict,
	    TP_PROTO(struct igen_vm *vm, const struct igen_placement *where),
	    TP_ARGS(vm, where),
	    TP_STRUCT__entry(__field(u32, dev)
			     __field(struct igen_vm *, vm)
			     __field(u64, size)
			     __field(u64, align)
			     __field(unsigned int, flags)),
	    TP_fast_assign(__entry->dev = IGEN_TRACE_DEV(vm->igen);
			   __entry->vm = vm;
			   __entry->size = where->size;
			   __entry->align = where->alignment;
			   __entry->flags = where->flags & ~IGEN_PIN_OFFSET_MASK;),
	    TP_printk("dev=%d, vm=%p, size=0x%llx, align=0x%llx %s", __entry->dev, __entry->vm, __entry->size,
		      __entry->align, __entry->flags & IGEN_PIN_MAPPABLE ? ", mappable" : "")
);

TRACE_EVENT(i915_gem_evict_node,
	    TP_PROTO(const struct igen_vma *vma, const struct igen_placement *where),
	    TP_ARGS(vma, where),
	    TP_STRUCT__entry(__field(u32, dev)
			     __field(struct igen_vm *, vm)
			     __field(u64, start)
			     __field(u64, size)
			     __field(unsigned long, color)
			     __field(unsigned int, flags)),
	    TP_fast_assign(__entry->dev = IGEN_TRACE_DEV(vma->vm->igen);
			   __entry->vm = vma->vm;
			   __entry->start = vma->node.start;
			   __entry->size = vma->node.size;
			   __entry->color = vma->node.color;
			   __entry->flags = where->flags & ~IGEN_PIN_OFFSET_MASK;),
	    TP_printk("dev=%d, vm=%p, start=0x%llx size=0x%llx, color=0x%lx, flags=%x", __entry->dev, __entry->vm,
		      __entry->start, __entry->size, __entry->color, __entry->flags)
);

TRACE_EVENT(i915_gem_evict_vm,
	    TP_PROTO(struct igen_vm *vm),
	    TP_ARGS(vm),
	    TP_STRUCT__entry(__field(u32, dev)
			     __field(struct igen_vm *, vm)),
	    TP_fast_assign(__entry->dev = IGEN_TRACE_DEV(vm->igen);
			   __entry->vm = vm;),
	    TP_printk("dev=%d, vm=%p", __entry->dev, __entry->vm)
);

DECLARE_EVENT_CLASS(i915_ppgtt,
		    TP_PROTO(struct igen_vm *vm),
		    TP_ARGS(vm),
		    TP_STRUCT__entry(__field(struct igen_vm *, vm)
				     __field(u32, dev)),
		    TP_fast_assign(__entry->vm = vm;
				   __entry->dev = IGEN_TRACE_DEV(vm->igen);),
		    TP_printk("dev=%u, vm=%p", __entry->dev, __entry->vm)
);

DEFINE_EVENT(i915_ppgtt, i915_ppgtt_create,
	     TP_PROTO(struct igen_vm *vm),
	     TP_ARGS(vm)
);

DEFINE_EVENT(i915_ppgtt, i915_ppgtt_release,
	     TP_PROTO(struct igen_vm *vm),
	     TP_ARGS(vm)
);

/* Contexts, the driver's own among them. */

DECLARE_EVENT_CLASS(i915_context,
		    TP_PROTO(struct igen_context *ctx),
		    TP_ARGS(ctx),
		    TP_STRUCT__entry(__field(u32, dev)
				     __field(struct igen_context *, ctx)
				     __field(struct igen_vm *, vm)),
		    TP_fast_assign(__entry->dev = IGEN_TRACE_DEV(ctx->igen);
				   __entry->ctx = ctx;
				   __entry->vm = ctx->vm;),
		    TP_printk("dev=%u, ctx=%p, ctx_vm=%p", __entry->dev, __entry->ctx, __entry->vm)
);

DEFINE_EVENT(i915_context, i915_context_create,
	     TP_PROTO(struct igen_context *ctx),
	     TP_ARGS(ctx)
);

DEFINE_EVENT(i915_context, i915_context_free,
	     TP_PROTO(struct igen_context *ctx),
	     TP_ARGS(ctx)
);

/* Requests. */

TRACE_EVENT(i915_request_queue,
	    TP_PROTO(const struct igen_request *rq),
	    TP_ARGS(rq),
	    TP_STRUCT__entry(IGEN_TRACE_REQUEST
			     __field(u32, flags)),
	    TP_fast_assign(IGEN_TRACE_SET_REQUEST(rq, rq->engine->info, IGEN_TRACE_DEV(rq->group->igen));
			   /* i915 says here whether the batch is privileged or pinned, which igen refuses. */
			   __entry->flags = 0;),
	    TP_printk(IGEN_TRACE_REQUEST_FORMAT ", flags=0x%x", IGEN_TRACE_REQUEST_VALUES, __entry->flags)
);

DECLARE_EVENT_CLASS(i915_request,
		    TP_PROTO(const struct igen_request *rq),
		    TP_ARGS(rq),
		    TP_STRUCT__entry(IGEN_TRACE_REQUEST
				     __field(u32, tail)),
		    TP_fast_assign(IGEN_TRACE_SET_REQUEST(rq, rq->engine->info, IGEN_TRACE_DEV(rq->group->igen));
				   __entry->tail = rq->tail;),
		    TP_printk(IGEN_TRACE_REQUEST_FORMAT ", tail=%u", IGEN_TRACE_REQUEST_VALUES, __entry->tail)
);

DEFINE_EVENT(i915_request, i915_request_add,
	     TP_PROTO(const struct igen_request *rq),
	     TP_ARGS(rq)
);

DEFINE_EVENT(i915_request, i915_request_submit,
	     TP_PROTO(const struct igen_request *rq),
	     TP_ARGS(rq)
);

DEFINE_EVENT(i915_request, i915_request_execute,
	     TP_PROTO(const struct igen_request *rq),
	     TP_ARGS(rq)
);

TRACE_EVENT(i915_request_in,
	    TP_PROTO(const struct igen_request *rq, unsigned int port),
	    TP_ARGS(rq, port),
	    TP_STRUCT__entry(IGEN_TRACE_REQUEST
			     __field(u32, port)
			     __field(s32, prio)),
	    TP_fast_assign(IGEN_TRACE_SET_REQUEST(rq, rq->engine->info, IGEN_TRACE_DEV(rq->group->igen));
			   __entry->port = port;
			   __entry->prio = rq->priority;),
	    TP_printk(IGEN_TRACE_REQUEST_FORMAT ", prio=%d, port=%u", IGEN_TRACE_REQUEST_VALUES, __entry->prio,
		      __entry->port)
);

TRACE_EVENT(i915_request_out,
	    TP_PROTO(const struct igen_request *rq),
	    TP_ARGS(rq),
	    TP_STRUCT__entry(IGEN_TRACE_REQUEST
			     __field(u32, completed)),
	    TP_fast_assign(IGEN_TRACE_SET_REQUEST(rq, rq->engine->info, IGEN_TRACE_DEV(rq->group->igen));
			   __entry->completed = igen_request_completed(rq);),
	    TP_printk(IGEN_TRACE_REQUEST_FORMAT ", completed?=%u", IGEN_TRACE_REQUEST_VALUES, __entry->completed)
);

DEFINE_EVENT(i915_request, i915_request_retire,
	     TP_PROTO(const struct igen_request *rq),
	     TP_ARGS(rq)
);

TRACE_EVENT(igen_request_preempted,
	    TP_PROTO(const struct igen_request *rq, u32 ring, u32 batch),
	    TP_ARGS(rq, ring, batch),
	    TP_STRUCT__entry(IGEN_TRACE_REQUEST
			     __field(u32, ring)
			     __field(u32, batch)),
	    TP_fast_assign(IGEN_TRACE_SET_REQUEST(rq, rq->engine->info, IGEN_TRACE_DEV(rq->group->igen));
			   __entry->ring = ring;
			   __entry->batch = batch;),
	    TP_printk(IGEN_TRACE_REQUEST_FORMAT ", ring=0x%x, batch=0x%x", IGEN_TRACE_REQUEST_VALUES, __entry->ring,
		      __entry->batch)
);

/*
 * A request that is waited for may outlive its engine and its device, so the waiter says what they were. Of i915's
 * flags bit 0 is used: a signal ends the wait.
 */
TRACE_EVENT(i915_request_wait_begin,
	    TP_PROTO(const struct igen_request *rq, const struct igen_engine_info *info, u32 dev, bool intr),
	    TP_ARGS(rq, info, dev, intr),
	    TP_STRUCT__entry(IGEN_TRACE_REQUEST
			     __field(unsigned int, flags)),
	    TP_fast_assign(IGEN_TRACE_SET_REQUEST(rq, info, dev);
			   __entry->flags = intr;),
	    TP_printk(IGEN_TRACE_REQUEST_FORMAT ", flags=0x%x", IGEN_TRACE_REQUEST_VALUES, __entry->flags)
);

TRACE_EVENT(i915_request_wait_end,
	    TP_PROTO(const struct igen_request *rq, const struct igen_engine_info *info, u32 dev),
	    TP_ARGS(rq, info, dev),
	    TP_STRUCT__entry(IGEN_TRACE_REQUEST
			     __field(u32, tail)),
	    TP_fast_assign(IGEN_TRACE_SET_REQUEST(rq, info, dev);
			   __entry->tail = rq->tail;),
	    TP_printk(IGEN_TRACE_REQUEST_FORMAT ", tail=%u", IGEN_TRACE_REQUEST_VALUES, __entry->tail)
);

/* Clock and resets. */

TRACE_EVENT(intel_gpu_freq_change,
	    TP_PROTO(u32 freq),
	    TP_ARGS(freq),
	    TP_STRUCT__entry(__field(u32, freq)),
	    TP_fast_assign(__entry->freq = freq;),
	    TP_printk("new_freq=%u", __entry->freq)
);

/* One engine was reset, alone or with all others: the request that is to blame, or 0 and 0 where none is. */
TRACE_EVENT(igen_engine_reset,
	    TP_PROTO(const struct igen_engine *engine, const struct igen_request *rq),
	    TP_ARGS(engine, rq),
	    TP_STRUCT__entry(IGEN_TRACE_REQUEST),
	    TP_fast_assign(__entry->dev = IGEN_TRACE_DEV(engine->igen);
			   __entry->ctx = rq ? rq->fence.context : 0;
			   __entry->class = engine->info->class;
			   __entry->instance = engine->info->instance;
			   __entry->seqno = rq ? rq->fence.seqno : 0;),
	    TP_printk(IGEN_TRACE_REQUEST_FORMAT, IGEN_TRACE_REQUEST_VALUES)
);

/* All engines are about to be reset together. stalled: those of them that hang, bits of enum igen_engine_id. */
TRACE_EVENT(igen_gpu_reset,
	    TP_PROTO(const struct igen_device *igen, u32 stalled),
	    TP_ARGS(igen, stalled),
	    TP_STRUCT__entry(__field(u32, dev)
			     __field(u32, stalled)),
	    TP_fast_assign(__entry->dev = IGEN_TRACE_DEV(igen);
			   __entry->stalled = stalled;),
	    TP_printk("dev=%u, stalled=0x%x", __entry->dev, __entry->stalled)
);

#endif

/* Kbuild has this header's folder among those to search. */
#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE igen_trace
#include <trace/define_trace.h>
