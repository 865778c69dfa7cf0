/* SPDX-License-Identifier: MIT */
/**
 * DOC: Proto-contexts
 *
 * A context that CONTEXT_CREATE made, before its first use: parameters only. Its engine map and address space may
 * still be set; the first use makes the context of it (as in i915, whose userspace sets the map by SETPARAM after
 * CREATE). Its handle is published last, when nothing can fail any more and CONTEXT_CREATE does not look at it again.
 */
#ifndef _IGEN_UAPI_CONTEXT_H_
#define _IGEN_UAPI_CONTEXT_H_

#include "igen_uapi.h"

/** struct igen_proto_engine - one slot of a proto-context's map */
struct igen_proto_engine {
	/** @engine: what runs it, or NULL for an invalid slot; of a balanced slot the first sibling */
	struct igen_engine *engine;
	/** @siblings: engines of a balanced slot, or NULL */
	struct igen_engine **siblings;
	/** @num_siblings: how many */
	unsigned int num_siblings;
};

/** struct igen_proto_context - parameters of a context that is not there yet */
struct igen_proto_context {
	/** @budget: which its memory is charged to */
	struct igen_budget *budget;
	/** @flags: IGEN_CONTEXT_* bits */
	unsigned long flags;
	/** @priority: as IGEN_PRIORITY_* */
	int priority;
	/** @ring_size: bytes */
	u32 ring_size;
	/** @vm: counted, or NULL: it gets its own */
	struct igen_vm *vm;
	/** @engines: the map, or NULL */
	struct igen_proto_engine *engines;
	/** @num_engines: slots, or -1: legacy ring selection */
	int num_engines;
};

/* In igen_file.contexts a proto-context is a pointer with a tag. */
#define IGEN_PROTO_TAG 1

static inline struct igen_proto_context *igen_entry_proto(void *entry)
{
	return entry && xa_pointer_tag(entry) == IGEN_PROTO_TAG ? xa_untag_pointer(entry) : NULL;
}

/* The context, or NULL for a proto-context or nothing. */
static inline struct igen_context *igen_entry_context(void *entry)
{
	return igen_entry_proto(entry) ? NULL : entry;
}

struct igen_proto_context *igen_proto_create(struct igen_file *file, unsigned int create_flags);
void igen_proto_free(struct igen_proto_context *pc);
int igen_proto_setparam(struct igen_file *file, struct igen_proto_context *pc,
			const struct drm_i915_gem_context_param *args);
int igen_proto_set_engines(struct igen_file *file, struct igen_proto_context *pc,
			   const struct drm_i915_gem_context_param *args);
struct igen_context *igen_proto_finalize(struct igen_file *file, struct igen_proto_context *pc);

int igen_context_set_flag(struct igen_device *igen, unsigned long *flags,
			  const struct drm_i915_gem_context_param *args);
int igen_context_check_priority(const struct drm_i915_gem_context_param *args);

#endif
