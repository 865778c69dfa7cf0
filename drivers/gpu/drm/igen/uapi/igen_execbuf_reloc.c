// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: relocations
 *
 * A client without softpin lists the places of its buffers that hold addresses, which have 8 bytes, or 4 on older
 * platforms. Each such relocation names the object that the address points to, and the address that userspace presumes
 * for that object. If the presumed address is wrong, the driver writes the right one into the buffer, in one of three
 * ways:
 *
 * * If the buffer is idle, the CPU writes through the kernel's mapping of the buffer's pages. If the GPU does not snoop
 *   the buffer, the CPU flushes the address' lines before, since the GPU may have written them, and behind.
 * * If the buffer has no pages of its own (an import), the CPU writes through the aperture.
 * * If the buffer is busy, the engine writes the address right before the batch. The request waits for the buffer as
 *   any request that writes it. The number of such writes is limited to a part of the ring. Batches of the blitter are
 *   an exception, since the CPU reads them for the command parser first, and so are those of engines that cannot write
 *   four bytes alone.
 *
 * The driver tells userspace the new addresses when it submits a request whose engine writes them. Until then the
 * presumed address in user memory is IGEN_RELOC_NOT_YET. If the call fails before, the next call writes the address
 * again.
 *
 * Relocations are read from user memory while objects are locked, without page faults: a fault on a mapping of one of
 * the objects would need that object's lock. If a page is missing, the driver unlocks all objects, copies the
 * relocations, and starts over with the copies. It then updates the presumed addresses in user memory at the end.
 */
#include <drm/drm_cache.h>
#include <linux/highmem.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "../igen_killable.h"
#include "../mm/igen_ggtt.h"
#include "igen_execbuf.h"
#include "igen_execbuf_handles.h"

#define CHUNK	(512 / sizeof(struct drm_i915_gem_relocation_entry))

/* The writer of an address. */
#define BY_CPU		1
#define BY_ENGINE	2

/* What writes into an object, and how. */
enum writer_kind {
	/* Not known before the first address that is wrong. */
	WRITER_NONE,
	/* The engine. */
	WRITER_ENGINE,
	/* The CPU, into an object that has no pages, or whose pages the GPU does not snoop. */
	WRITER_SPECIAL,
	/* The CPU, through the kernel's mapping. */
	WRITER_CPU,
};

#define NO_PAGE		ULONG_MAX

struct writer {
	struct igen_bo *bo;
	/* The last offset at which an address lies within the object. */
	u64 last_offset;
	/* The page that was written last and its mapping, or NO_PAGE. */
	unsigned long page;
	void *page_vaddr;
	enum writer_kind kind;
	/* The size of an address. */
	u8 bytes;
};

/* A quarter of the ring. */
static unsigned int reloc_max_writes(const struct igen_execbuf *eb)
{
	return eb->lrc->ring.size / 4 / (READ_ONCE(eb->lrc->engine)->emit->address_dw * sizeof(u32));
}

/* Asked once for an object, before anything is written into it. */
static bool reloc_engine_may_write(struct igen_execbuf *eb, struct igen_bo *bo)
{
	const struct igen_engine *engine = READ_ONCE(eb->lrc->engine);

	if (bo->read_only || dma_resv_test_signaled(bo->base.resv, dma_resv_usage_rw(true)) ||
	    engine->info->parsed_cmds || !engine->emit->address)
		return false;
	if (!eb->writes)
		eb->writes = kvmalloc_array(reloc_max_writes(eb), sizeof(*eb->writes), GFP_KERNEL | __GFP_NOWARN);
	return eb->writes;
}

static int writer_prepare(struct writer *wr)
{
	long left;

	/* The pages of a read-only object may belong to a file that the client must not write. */
	if (wr->bo->read_only)
		return -EINVAL;
	left = igen_bo_wait(wr->bo, true, true, MAX_SCHEDULE_TIMEOUT);
	if (left < 0)
		return left;

	wr->kind = wr->bo->ops->copy || !igen_bo_is_coherent(wr->bo) ? WRITER_SPECIAL : WRITER_CPU;
	return 0;
}

static void writer_unmap(struct writer *wr)
{
	if (wr->page == NO_PAGE)
		return;
	kunmap_local(wr->page_vaddr);
	set_page_dirty(wr->bo->page_list[wr->page]);
	wr->page = NO_PAGE;
}

static noinline void writer_map(struct writer *wr, unsigned long page)
{
	writer_unmap(wr);
	page = array_index_nospec(page, wr->bo->base.size >> PAGE_SHIFT);
	wr->page_vaddr = kmap_local_page(wr->bo->page_list[page]);
	wr->page = page;
}

/*
 * The kernel address of a dword of the object. @offset is a multiple of four within the object, which has its pages,
 * since it is bound. Inlined, like the next one: a call would cost a tenth of a relocation.
 */
static __always_inline void *writer_at(struct writer *wr, u64 offset)
{
	if (unlikely(offset >> PAGE_SHIFT != wr->page))
		writer_map(wr, offset >> PAGE_SHIFT);
	return wr->page_vaddr + offset_in_page(offset);
}

/*
 * For objects without pages, and for those that the GPU does not snoop. A function by itself, so that relocations of
 * others need no room on the stack.
 */
static noinline int writer_put_special(struct writer *wr, u64 offset, u64 address)
{
	unsigned int done, n;
	void *at;

	if (wr->bo->ops->copy)
		return wr->bo->ops->copy(wr->bo, offset, &address, wr->bytes, true);

	for (done = 0; done < wr->bytes; done += n) {
		n = min_t(unsigned long, wr->bytes - done, PAGE_SIZE - offset_in_page(offset + done));
		at = writer_at(wr, offset + done);
		/* Without the first flush the CPU would write back what it had of the line before the GPU wrote. */
		drm_clflush_virt_range(at, n);
		memcpy(at, (u8 *)&address + done, n);
		drm_clflush_virt_range(at, n);
	}
	return 0;
}

static __always_inline void writer_put(struct writer *wr, u64 offset, u64 address)
{
	void *at = writer_at(wr, offset);

	if (wr->bytes == sizeof(u32)) {
		*(u32 *)at = lower_32_bits(address);
	} else if (likely(offset_in_page(offset) <= PAGE_SIZE - sizeof(address))) {
		memcpy(at, &address, sizeof(address));
	} else {
		*(u32 *)at = lower_32_bits(address);
		*(u32 *)writer_at(wr, offset + sizeof(u32)) = upper_32_bits(address);
	}
}

/* For objects that only the CPU writes, of either kind. */
static int writer_put_any(struct writer *wr, u64 offset, u64 address)
{
	if (wr->kind == WRITER_SPECIAL)
		return writer_put_special(wr, offset, address);
	writer_put(wr, offset, address);
	return 0;
}

/*
 * Updates the presumed address in user memory. If the write fails, userspace keeps the wrong address, and the next call
 * writes the relocation again. Nothing is lost.
 */
static __always_inline void reloc_report(struct igen_execbuf *eb, u64 address, __u64 __user *presumed)
{
	pagefault_disable();
	if (__put_user(address, presumed))
		drm_dbg(&eb->igen->drm, "relocations are not writable\n");
	pagefault_enable();
}

/* There are too many writes for the engine. The CPU writes those of this object after all, in their order. */
static noinline int reloc_undo_reports(struct igen_execbuf *eb, struct igen_exec_vma *ev, struct writer *wr)
{
	unsigned int first = eb->num_writes, i;
	int err;

	while (first && eb->writes[first - 1].vma == ev->vma)
		first--;
	err = writer_prepare(wr);
	for (i = first; i < eb->num_writes && !err; i++) {
		err = writer_put_any(wr, eb->writes[i].offset, eb->writes[i].value);
		if (!err && eb->writes[i].presumed)
			reloc_report(eb, eb->writes[i].address, eb->writes[i].presumed);
	}
	eb->num_writes = first;
	return err;
}

/* Has the engine write an address. Return: BY_ENGINE; 0 if the CPU has to write from now on; -errno. */
static int reloc_engine_write(struct igen_execbuf *eb, struct igen_exec_vma *ev, struct writer *wr,
			      const struct drm_i915_gem_relocation_entry *reloc, u64 value)
{
	if (eb->num_writes == reloc_max_writes(eb))
		return reloc_undo_reports(eb, ev, wr);

	eb->writes[eb->num_writes++] = (struct igen_exec_write){
		.vma = ev->vma, .offset = reloc->offset, .value = value, .address = reloc->presumed_offset,
	};
	ev->flags |= EXEC_OBJECT_WRITE;
	return BY_ENGINE;
}

/* reloc_apply() of the first wrong address in an object, and of all in objects that the CPU does not simply write. */
static noinline int reloc_write(struct igen_execbuf *eb, struct igen_exec_vma *ev, struct writer *wr,
				struct drm_i915_gem_relocation_entry *reloc, u64 address, u64 value)
{
	int err;

	if (wr->kind == WRITER_NONE) {
		if (reloc_engine_may_write(eb, wr->bo)) {
			wr->kind = WRITER_ENGINE;
		} else {
			err = writer_prepare(wr);
			if (err)
				return err;
		}
		/* The relocation waits for earlier work of the GPU on this object, so the batch has to wait, too. */
		ev->flags &= ~EXEC_OBJECT_ASYNC;
	}

	reloc->presumed_offset = address;
	if (wr->kind == WRITER_ENGINE) {
		err = reloc_engine_write(eb, ev, wr, reloc, value);
		if (err)
			return err;
	}
	err = writer_put_any(wr, reloc->offset, value);
	return err ?: BY_CPU;
}

/*
 * Inlined, since a call would cost a tenth of a relocation.
 *
 * Return: BY_CPU or BY_ENGINE when reloc->presumed_offset was brought up to date, 0 when it was right, or -errno.
 */
static __always_inline int reloc_apply(struct igen_execbuf *eb, struct igen_exec_vma *ev, struct writer *wr,
				       struct drm_i915_gem_relocation_entry *reloc, bool by_index)
{
	const u32 domains = reloc->read_domains | reloc->write_domain;
	struct igen_exec_vma *target;
	u64 start, address, value;

	target = igen_execbuf_entry_of(eb, reloc->target_handle, by_index);
	if (unlikely(!target))
		return -ENOENT;

	if (unlikely(domains & ~IGEN_GPU_DOMAINS))
		return -EINVAL;
	if (reloc->write_domain) {
		if (!is_power_of_2(reloc->write_domain))
			return -EINVAL;
		target->flags |= EXEC_OBJECT_WRITE;
	}

	start = igen_vma_start(target->vma);
	address = igen_canonical(start);
	if (address == reloc->presumed_offset)
		return 0;

	if (unlikely(reloc->offset > wr->last_offset || reloc->offset & 3))
		return -EINVAL;

	value = igen_canonical(start + (s32)reloc->delta);
	if (unlikely(wr->kind != WRITER_CPU))
		return reloc_write(eb, ev, wr, reloc, address, value);

	reloc->presumed_offset = address;
	writer_put(wr, reloc->offset, value);
	return BY_CPU;
}

static int reloc_apply_copy(struct igen_execbuf *eb, unsigned int i, struct writer *wr)
{
	struct drm_i915_gem_relocation_entry *relocs = eb->copies[i].entries;
	const bool by_index = eb->args->flags & I915_EXEC_HANDLE_LUT;
	struct igen_exec_vma *ev = &eb->ev[i];
	unsigned int n;
	int err;

	for (n = 0; n < eb->exec[i].relocation_count; n++) {
		err = reloc_apply(eb, ev, wr, &relocs[n], by_index);
		if (err >= 0)
			err = igen_check_killed_at(n);
		if (err < 0)
			return err;
	}
	return 0;
}

/*
 * Reads @count relocations without page faults. A copy of a whole chunk has a size that the compiler knows, and saves
 * the kernel's check at run time that the copy stays within the chunk.
 */
static unsigned long reloc_read(struct drm_i915_gem_relocation_entry *chunk,
				const struct drm_i915_gem_relocation_entry __user *user, unsigned int count)
{
	unsigned long missing;

	pagefault_disable();
	if (count == CHUNK)
		missing = __copy_from_user_inatomic(chunk, user, CHUNK * sizeof(*chunk));
	else
		missing = __copy_from_user_inatomic(chunk, user, count * sizeof(*chunk));
	pagefault_enable();
	return missing;
}

static int reloc_apply_user(struct igen_execbuf *eb, unsigned int i, struct writer *wr)
{
	struct drm_i915_gem_relocation_entry __user *user = u64_to_user_ptr(eb->exec[i].relocs_ptr);
	struct drm_i915_gem_relocation_entry chunk[CHUNK];
	const bool by_index = eb->args->flags & I915_EXEC_HANDLE_LUT;
	struct igen_exec_vma *ev = &eb->ev[i];
	u64 left = eb->exec[i].relocation_count;
	unsigned int n, count;
	int err;

	if (!access_ok(user, left * sizeof(*user)))
		return -EFAULT;

	while (left) {
		count = min_t(u64, left, CHUNK);
		if (reloc_read(chunk, user, count))
			return -EFAULT;

		for (n = 0; n < count; n++) {
			err = reloc_apply(eb, ev, wr, &chunk[n], by_index);
			if (err < 0)
				return err;
			if (!err)
				continue;
			if (err == BY_ENGINE) {
				eb->writes[eb->num_writes - 1].presumed = &user[n].presumed_offset;
				chunk[n].presumed_offset = IGEN_RELOC_NOT_YET;
			}
			reloc_report(eb, chunk[n].presumed_offset, &user[n].presumed_offset);
		}
		user += count;
		left -= count;
		if (!left)
			break;
		/* The relocations may be one page that the client has mapped many times over. */
		err = igen_check_killed();
		if (err)
			return err;
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
	err = igen_execbuf_index_handles_locked(eb);
	for (i = 0; i < eb->count && !err; i++) {
		err = igen_check_killed_at(i);
		if (err || !eb->exec[i].relocation_count)
			continue;
		wr = (struct writer){
			.bo = eb->ev[i].vma->bo, .page = NO_PAGE, .bytes = eb->igen->platform->address_bytes,
		};
		wr.last_offset = wr.bo->base.size - wr.bytes;
		if (eb->copies)
			err = reloc_apply_copy(eb, i, &wr);
		else
			err = reloc_apply_user(eb, i, &wr);
		writer_unmap(&wr);
	}

	return err;
}

/**
 * igen_execbuf_reloc_dwords - tell how much ring space igen_execbuf_emit_relocs() needs
 * @eb: the call, relocated
 *
 * Return: dwords of ring space.
 */
unsigned int igen_execbuf_reloc_dwords(const struct igen_execbuf *eb)
{
	const struct igen_emit_ops *emit = READ_ONCE(eb->lrc->engine)->emit;

	return likely(!eb->num_writes) ? 0 : emit->invalidate_dw + eb->num_writes * emit->address_dw;
}

/**
 * igen_execbuf_emit_relocs - have the engine write addresses into objects that were busy
 * @eb: the call, relocated
 * @rq: the call's request, which waits for the objects; the batch comes next
 */
void igen_execbuf_emit_relocs(const struct igen_execbuf *eb, struct igen_request *rq)
{
	const struct igen_exec_write *write = eb->writes;
	const struct igen_emit_ops *emit;
	u32 *cs;

	if (likely(!eb->num_writes))
		return;
	cs = igen_request_emit(rq, igen_execbuf_reloc_dwords(eb));
	if (!cs)
		return;
	/* The TLBs may hold old translations of an object that was moved. */
	emit = rq->engine->emit;
	cs = emit->invalidate(rq->engine, cs);
	for (; write < eb->writes + eb->num_writes; write++)
		cs = emit->address(cs, igen_vma_start(write->vma) + write->offset, write->value);
}
