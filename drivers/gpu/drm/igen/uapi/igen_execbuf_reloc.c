// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: relocations
 *
 * Clients without softpin name, for each address in their buffers, the object it points at and where they think it
 * is. Where they are wrong the CPU writes the right address, through the kernel's mapping of the object's pages
 * and after the object is idle: on Gen9 CPU and GPU share the last-level cache, so nothing needs to be flushed. What
 * has no pages of its own (an import) is written through the aperture.
 *
 * What is busy is not waited for: the engine writes the addresses itself, right before the batch, in a request that
 * waits for the object as any that writes it. There is as much of that as fits a part of the ring. The blitter's
 * batches are excepted, since the CPU reads them beforehand. Userspace is told the addresses when the request is
 * submitted; until then it has one that is none, so that the next call writes again what this one may not have come to.
 *
 * User memory is read while objects are locked, without taking page faults: a fault on a mapping of one of these
 * very objects would want its lock. When that fails everything is unlocked, the relocations are copied, and the call
 * starts over with the copies; userspace's presumed addresses are brought up to date at the end.
 */
#include <linux/hash.h>
#include <linux/highmem.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../engine/igen_emit.h"
#include "../igen_device.h"
#include "../mm/igen_ggtt.h"
#include "igen_execbuf.h"

#define CHUNK	(512 / sizeof(struct drm_i915_gem_relocation_entry))

/* Object lists up to this many entries are searched one by one. */
#define SHORT_LIST	16

/* An address in a batch is 64 bits wide. */
#define RELOC_BYTES	8

/* Who wrote an address, or will do so. */
#define BY_CPU		1
#define BY_ENGINE	2

/* What userspace is told meanwhile: no address, for it is no multiple of anything. */
#define NOT_YET		(~0ull)

/* How the CPU writes into an object: the page that was written last, unless it has none. */
struct writer {
	struct igen_bo *bo;
	void *page_vaddr;
	unsigned long page;
	bool ready;
	bool by_engine;
};

/* A quarter of the ring. */
static unsigned int most_writes(const struct igen_execbuf *eb)
{
	return eb->lrc->ring_size / 4 / (IGEN_EMIT_ADDRESS_DW * sizeof(u32));
}

/* Asked once for an object, before anything is written into it. */
static bool engine_may_write(struct igen_execbuf *eb, struct igen_bo *bo)
{
	if (bo->read_only || dma_resv_test_signaled(bo->base.resv, dma_resv_usage_rw(true)) ||
	    READ_ONCE(eb->lrc->engine)->info->parsed_regs)
		return false;
	if (!eb->writes)
		eb->writes = kvmalloc_array(most_writes(eb), sizeof(*eb->writes), GFP_KERNEL | __GFP_NOWARN);
	return eb->writes;
}

static int writer_prepare(struct writer *wr)
{
	long left;

	/* Its pages may belong to a file that the client must not write. */
	if (wr->bo->read_only)
		return -EINVAL;
	left = igen_bo_wait(wr->bo, true, true, MAX_SCHEDULE_TIMEOUT);
	if (left < 0)
		return left;

	/* What goes through the aperture leaves nothing in caches. */
	if (wr->bo->page_list)
		wr->bo->cpu_dirty = true;
	wr->ready = true;
	return 0;
}

static void writer_unmap(struct writer *wr)
{
	if (!wr->page_vaddr)
		return;
	kunmap_local(wr->page_vaddr);
	set_page_dirty(wr->bo->page_list[wr->page]);
	wr->page_vaddr = NULL;
}

/*
 * Where a dword of the object is; offset: a multiple of four inside it, and its pages are there since it is bound.
 * Calls cost a tenth of what a relocation takes, so this and the next are none.
 */
static __always_inline void *writer_at(struct writer *wr, u64 offset)
{
	unsigned long page = array_index_nospec(offset >> PAGE_SHIFT, wr->bo->base.size >> PAGE_SHIFT);

	if (!wr->page_vaddr || page != wr->page) {
		writer_unmap(wr);
		wr->page_vaddr = kmap_local_page(wr->bo->page_list[page]);
		wr->page = page;
	}
	return wr->page_vaddr + offset_in_page(offset);
}

static __always_inline int writer_put(struct writer *wr, u64 offset, u64 address)
{
	if (unlikely(!wr->bo->page_list))
		return igen_ggtt_copy(wr->bo, offset, &address, RELOC_BYTES, true);

	if (likely(offset_in_page(offset) <= PAGE_SIZE - RELOC_BYTES)) {
		memcpy(writer_at(wr, offset), &address, RELOC_BYTES);
		return 0;
	}
	/* Its halves are in two pages. */
	*(u32 *)writer_at(wr, offset) = lower_32_bits(address);
	*(u32 *)writer_at(wr, offset + 4) = upper_32_bits(address);
	return 0;
}

/*
 * Tells userspace what it may presume. If that cannot be written it keeps a wrong idea, and the next call writes the
 * address again: nothing is lost.
 */
static __always_inline void tell(struct igen_execbuf *eb, u64 address, __u64 __user *presumed)
{
	pagefault_disable();
	if (__put_user(address, presumed))
		drm_dbg(&eb->igen->drm, "relocations are not writable\n");
	pagefault_enable();
}

/* There are too many for the engine: the CPU writes those of this object after all, in their order. */
static noinline int take_back(struct igen_execbuf *eb, struct igen_exec_vma *ev, struct writer *wr)
{
	unsigned int first = eb->num_writes, i;
	int err;

	while (first && eb->writes[first - 1].vma == ev->vma)
		first--;
	wr->by_engine = false;
	err = writer_prepare(wr);
	for (i = first; i < eb->num_writes && !err; i++) {
		err = writer_put(wr, eb->writes[i].offset, eb->writes[i].value);
		if (!err && eb->writes[i].presumed)
			tell(eb, eb->writes[i].address, eb->writes[i].presumed);
	}
	eb->num_writes = first;
	return err;
}

/* Has the engine write an address. Return: BY_ENGINE, or 0 when it is the CPU's turn from now on, or -errno. */
static int engine_put(struct igen_execbuf *eb, struct igen_exec_vma *ev, struct writer *wr,
		      const struct drm_i915_gem_relocation_entry *reloc, u64 value)
{
	if (eb->num_writes == most_writes(eb))
		return take_back(eb, ev, wr);

	eb->writes[eb->num_writes++] = (struct igen_exec_write){
		.vma = ev->vma, .offset = reloc->offset, .value = value, .address = reloc->presumed_offset,
	};
	ev->flags |= EXEC_OBJECT_WRITE;
	return BY_ENGINE;
}

/*
 * Entries by handle, for calls without I915_EXEC_HANDLE_LUT: a hash table with open addressing, half full. Short
 * lists are searched as they are.
 */
static int build_buckets(struct igen_execbuf *eb)
{
	unsigned int i, slot;

	if (eb->args->flags & I915_EXEC_HANDLE_LUT || eb->count <= SHORT_LIST || eb->buckets)
		return 0;

	eb->bucket_bits = order_base_2(eb->count) + 1;
	eb->buckets = kvcalloc(BIT(eb->bucket_bits), sizeof(*eb->buckets), GFP_KERNEL | __GFP_NOWARN);
	if (!eb->buckets)
		return -ENOMEM;

	for (i = 0; i < eb->count; i++) {
		slot = hash_32(eb->exec[i].handle, eb->bucket_bits);
		while (eb->buckets[slot])
			slot = (slot + 1) & (BIT(eb->bucket_bits) - 1);
		eb->buckets[slot] = i + 1;
	}
	return 0;
}

/* The entry that a relocation's target names, or NULL. */
static struct igen_exec_vma *target_of(struct igen_execbuf *eb, u32 handle)
{
	unsigned int i, slot;

	if (eb->args->flags & I915_EXEC_HANDLE_LUT) {
		if (handle >= eb->count)
			return NULL;
		return &eb->ev[array_index_nospec(handle, eb->count)];
	}

	if (!eb->buckets) {
		for (i = 0; i < eb->count; i++)
			if (eb->exec[i].handle == handle)
				return &eb->ev[i];
		return NULL;
	}

	slot = hash_32(handle, eb->bucket_bits);
	while (eb->buckets[slot]) {
		i = eb->buckets[slot] - 1;
		if (eb->exec[i].handle == handle)
			return &eb->ev[i];
		slot = (slot + 1) & (BIT(eb->bucket_bits) - 1);
	}
	return NULL;
}

/*
 * Return: BY_CPU or BY_ENGINE when reloc->presumed_offset was brought up to date, 0 when it was right, or -errno.
 */
static int relocate_one(struct igen_execbuf *eb, struct igen_exec_vma *ev, struct writer *wr,
			struct drm_i915_gem_relocation_entry *reloc)
{
	const u32 domains = reloc->read_domains | reloc->write_domain;
	struct igen_exec_vma *target;
	u64 address, value;
	int err;

	target = target_of(eb, reloc->target_handle);
	if (unlikely(!target))
		return -ENOENT;

	if (unlikely(reloc->write_domain & (reloc->write_domain - 1)))
		return -EINVAL;
	if (unlikely(domains & ~IGEN_GPU_DOMAINS))
		return -EINVAL;
	if (reloc->write_domain)
		target->flags |= EXEC_OBJECT_WRITE;

	address = igen_canonical(igen_vma_start(target->vma));
	if (address == reloc->presumed_offset)
		return 0;

	if (unlikely(reloc->offset > ev->vma->bo->base.size - RELOC_BYTES || reloc->offset & 3))
		return -EINVAL;

	if (!wr->ready && !wr->by_engine) {
		wr->by_engine = engine_may_write(eb, wr->bo);
		err = wr->by_engine ? 0 : writer_prepare(wr);
		if (err)
			return err;
	}

	/* What is written now comes after what the GPU did before, so what it does next must do so too. */
	ev->flags &= ~EXEC_OBJECT_ASYNC;

	reloc->presumed_offset = address;
	value = igen_canonical(igen_vma_start(target->vma) + (s32)reloc->delta);
	if (wr->by_engine) {
		err = engine_put(eb, ev, wr, reloc, value);
		if (err)
			return err;
	}
	err = writer_put(wr, reloc->offset, value);
	return err ?: BY_CPU;
}

static int relocate_from_copy(struct igen_execbuf *eb, unsigned int i, struct writer *wr)
{
	struct drm_i915_gem_relocation_entry *relocs = eb->copies[i].entries;
	unsigned int n;
	int err;

	for (n = 0; n < eb->exec[i].relocation_count; n++) {
		err = relocate_one(eb, &eb->ev[i], wr, &relocs[n]);
		if (err < 0)
			return err;
	}
	return 0;
}

static int relocate_from_user(struct igen_execbuf *eb, unsigned int i, struct writer *wr)
{
	struct drm_i915_gem_relocation_entry __user *user = u64_to_user_ptr(eb->exec[i].relocs_ptr);
	struct drm_i915_gem_relocation_entry chunk[CHUNK];
	u64 left = eb->exec[i].relocation_count;
	unsigned long missing;
	unsigned int n, count;
	int err;

	if (!access_ok(user, left * sizeof(*user)))
		return -EFAULT;

	while (left) {
		count = min_t(u64, left, CHUNK);
		pagefault_disable();
		missing = __copy_from_user_inatomic(chunk, user, count * sizeof(chunk[0]));
		pagefault_enable();
		if (missing)
			return -EFAULT;

		for (n = 0; n < count; n++) {
			err = relocate_one(eb, &eb->ev[i], wr, &chunk[n]);
			if (err < 0)
				return err;
			if (!err)
				continue;
			if (err == BY_ENGINE) {
				eb->writes[eb->num_writes - 1].presumed = &user[n].presumed_offset;
				chunk[n].presumed_offset = NOT_YET;
			}
			tell(eb, chunk[n].presumed_offset, &user[n].presumed_offset);
		}
		user += count;
		left -= count;
	}

	return 0;
}

/**
 * igen_execbuf_relocate - writes the addresses of all relocations that are not right
 * @eb: the call, with all objects locked and placed
 *
 * Waits for objects that it writes, or leaves the writing to the engine. May sleep.
 *
 * Return: 0; -EFAULT when user memory could not be read without a page fault (and there are no copies yet);
 * -ENOENT for a target that is not in the list, -EINVAL for a bad offset or domain, or an object that may only be
 * read; -EINTR.
 */
int igen_execbuf_relocate(struct igen_execbuf *eb)
{
	struct writer wr;
	unsigned int i;
	int err;

	eb->num_writes = 0;
	err = build_buckets(eb);
	for (i = 0; i < eb->count && !err; i++) {
		if (!eb->exec[i].relocation_count)
			continue;
		memset(&wr, 0, sizeof(wr));
		wr.bo = eb->ev[i].vma->bo;
		if (eb->copies)
			err = relocate_from_copy(eb, i, &wr);
		else
			err = relocate_from_user(eb, i, &wr);
		writer_unmap(&wr);
	}

	return err;
}

/**
 * igen_execbuf_reloc_dwords - what igen_execbuf_emit_relocs() takes
 * @eb: the call, relocated
 *
 * Return: dwords of ring space.
 */
unsigned int igen_execbuf_reloc_dwords(const struct igen_execbuf *eb)
{
	return likely(!eb->num_writes) ? 0 : IGEN_EMIT_INVALIDATE_DW + eb->num_writes * IGEN_EMIT_ADDRESS_DW;
}

/**
 * igen_execbuf_emit_relocs - has the engine write addresses into objects that were busy
 * @eb: the call, relocated
 * @rq: its request, which waits for the objects; the batch comes next
 */
void igen_execbuf_emit_relocs(const struct igen_execbuf *eb, struct igen_request *rq)
{
	const struct igen_exec_write *write = eb->writes;
	u32 *cs;

	if (likely(!eb->num_writes))
		return;
	cs = igen_request_emit(rq, igen_execbuf_reloc_dwords(eb));
	if (!cs)
		return;
	/* An object that was moved may not be where the TLBs still have it. */
	cs = igen_emit_invalidate(rq->engine, cs);
	for (; write < eb->writes + eb->num_writes; write++)
		cs = igen_emit_address(cs, igen_vma_start(write->vma) + write->offset, write->value);
}

/*
 * Should the call fail, what it has written by then is not what userspace presumes, and the next one is to write again.
 * Who cannot be told keeps a wrong idea.
 */
static void presume_nothing(const struct drm_i915_gem_exec_object2 *entry)
{
	struct drm_i915_gem_relocation_entry __user *user = u64_to_user_ptr(entry->relocs_ptr);
	unsigned int n;

	for (n = 0; n < entry->relocation_count; n++)
		if (put_user(NOT_YET, &user[n].presumed_offset))
			return;
}

/**
 * igen_execbuf_copy_relocs - copies all relocations from user memory
 * @eb: the call, with nothing locked
 *
 * Return: 0, -EFAULT, -ENOMEM; igen_execbuf_free_relocs() frees them in every case.
 */
int igen_execbuf_copy_relocs(struct igen_execbuf *eb)
{
	unsigned int i;
	size_t bytes;

	eb->copies = igen_execbuf_alloc(eb, (u64)eb->count * sizeof(*eb->copies));
	if (!eb->copies)
		return -ENOMEM;
	memset(eb->copies, 0, eb->count * sizeof(*eb->copies));

	for (i = 0; i < eb->count; i++) {
		if (!eb->exec[i].relocation_count)
			continue;
		bytes = (size_t)eb->exec[i].relocation_count * sizeof(*eb->copies[i].entries);
		if (bytes > INT_MAX)
			return -ENOMEM;
		eb->copies[i].entries = igen_execbuf_alloc(eb, bytes);
		if (!eb->copies[i].entries)
			return -ENOMEM;
		if (copy_from_user(eb->copies[i].entries, u64_to_user_ptr(eb->exec[i].relocs_ptr), bytes))
			return -EFAULT;
		presume_nothing(&eb->exec[i]);
	}
	return 0;
}

/**
 * igen_execbuf_return_relocs - brings userspace's presumed addresses up to date
 * @eb: the call, submitted, with nothing locked
 */
void igen_execbuf_return_relocs(struct igen_execbuf *eb)
{
	struct drm_i915_gem_relocation_entry __user *user;
	unsigned int i, n;

	for (i = 0; i < eb->num_writes; i++)
		if (eb->writes[i].presumed && put_user(eb->writes[i].address, eb->writes[i].presumed))
			return;
	for (i = 0; eb->copies && i < eb->count; i++) {
		user = u64_to_user_ptr(eb->exec[i].relocs_ptr);
		for (n = 0; n < eb->exec[i].relocation_count; n++)
			if (put_user(eb->copies[i].entries[n].presumed_offset, &user[n].presumed_offset))
				return;
	}
}

/**
 * igen_execbuf_free_relocs - frees what relocating allocated, if anything
 * @eb: the call
 */
void igen_execbuf_free_relocs(struct igen_execbuf *eb)
{
	unsigned int i;

	kvfree(eb->writes);
	eb->writes = NULL;
	kvfree(eb->buckets);
	eb->buckets = NULL;
	if (!eb->copies)
		return;
	for (i = 0; i < eb->count; i++)
		kvfree(eb->copies[i].entries);
	kvfree(eb->copies);
	eb->copies = NULL;
}
