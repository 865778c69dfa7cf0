// SPDX-License-Identifier: MIT
/**
 * DOC: Memory views
 *
 * A unit that accesses memory (enum mem_client) does so through a view: the unit's own small, direct-mapped
 * table of 4 KB pages with their host addresses, in front of the engine's TLB. Only one thread uses a view, so a page
 * that the view has found costs no lock. What it has not found it asks the TLB for, under the TLB's lock.
 *
 * A TLB has an epoch, a number that only grows. An entry of a view counts as long as its epoch is the TLB's. So an
 * invalidation has to do two things: drop the TLB's entries, and count the epoch up. All views of the TLB are empty
 * then.
 *
 * An access may have begun before the invalidation, and the invalidation must not end before that access does:
 *
 *	view                                     invalidation
 *	----                                     ------------
 *	inside = epoch                           drop the TLB's entries
 *	is the epoch still that? else again      epoch = epoch + 1
 *	look up, read and write                  for each view:
 *	inside = 0                                 wait while 0 < inside < epoch
 *
 * The stores to "inside" and "epoch" and the loads behind them are sequentially consistent. Either the view sees
 * the new epoch and looks its pages up again, or the invalidation sees the view inside and waits.
 *
 * A long access (a blit) calls view_renew() once a row: when the epoch has changed it takes the new one for
 * "inside", which lets the invalidation go on, and forgets its pointers. Therefore no invalidation, and no register
 * access that makes one, waits longer than for a row.
 *
 * A thread that is inside must not wait for a lock whose holder may invalidate, which gpu->lock's may. The
 * map of guest memory (gmem.c) uses the same epochs: a change of the map counts all of them up and waits.
 *
 * With the setting "coherency" a view keeps no page, so that each access comes to coherency.c.
 */
#include <string.h>

#include "mem/mem.h"
#include "igen/regs/gtt.h"

#define SPACE_GGTT	1ull			/* no PML4 has this address */

static inline void enter(struct view *v)
{
	uint64_t now;

	if (v->depth++)
		return;
	now = atomic_load_explicit(v->now, memory_order_relaxed);
	for (;;) {
		uint64_t again;

		atomic_store(&v->inside, now);
		again = atomic_load(v->now);
		if (again == now)
			break;
		now = again;
	}
	v->epoch = now;
}

static inline void leave(struct view *v)
{
	if (!--v->depth)
		atomic_store_explicit(&v->inside, 0, memory_order_release);
}

void view_enter(struct view *v)
{
	enter(v);
}

void view_leave(struct view *v)
{
	leave(v);
}

bool view_renew(struct view *v)
{
	uint64_t now = atomic_load(v->now);

	if (now == v->epoch)
		return false;
	atomic_store(&v->inside, now);
	v->epoch = now;
	return true;
}

static uint64_t space_of(const struct vm_ref *vm)
{
	return vm->ggtt ? SPACE_GGTT : vm->pml4 & GEN8_PTE_ADDR_MASK;
}

static struct view_entry *entry_of(struct view *v, uint64_t space, uint64_t page)
{
	return &v->entry[(page ^ page >> 8 ^ space >> 12) % VIEW_ENTRIES];
}

/* The memory at pa, len bytes of a page that is not kept; NULL with the reason. */
static uint8_t *uncached(struct view *v, uint64_t pa, uint64_t len, bool write)
{
	uint8_t *p = gmem_ptr(v->gpu, pa, len, write);

	if (p)
		return p;
	gmem_count_miss(v->gpu, pa, write);
	v->error = VIEW_NO_MEMORY;
	return NULL;
}

/* Asks the TLB; false with the reason. */
static bool translate(struct view *v, const struct vm_ref *vm, uint64_t addr, bool write, struct translation *t)
{
	if (!tlb_translate(v->tlb, vm, addr, t)) {
		v->error = VIEW_NOT_PRESENT;
		return false;
	}
	if (write && !t->writable) {
		v->error = VIEW_READ_ONLY;
		return false;
	}
	return true;
}

/* Translates for coherency.c: fills in the access and returns its memory; NULL with the reason. */
static uint8_t *locate(struct view *v, const struct vm_ref *vm, uint64_t addr, uint64_t len, bool write,
		       struct mem_access *a)
{
	struct translation t;

	if (!translate(v, vm, addr, write, &t))
		return NULL;
	*a = (struct mem_access){ .tlb = v->tlb, .vm = *vm, .addr = addr, .pa = t.pa, .snooped = t.snooped };
	return uncached(v, t.pa, len, write);
}

static uint8_t *judged(struct view *v, const struct vm_ref *vm, uint64_t addr, uint64_t len, bool write)
{
	struct mem_access a;
	uint8_t *p = locate(v, vm, addr, len, write, &a);

	if (!p)
		return NULL;
	if (!write)
		return coherency_read(v->gpu, &a, p, len);
	v->writing = a;
	v->writing_ram = p;
	v->writing_len = len;
	return coherency_will_write(v->gpu, &a, p, len);
}

/* Behind each write through find(). */
static inline void wrote(struct view *v)
{
	if (!v->coherency || !v->writing_len)
		return;
	coherency_wrote(v->gpu, &v->writing, v->writing_ram, v->writing_len);
	v->writing_len = 0;
}

/* Finds a page that the view does not have. */
static uint8_t *miss(struct view *v, const struct vm_ref *vm, uint64_t addr, uint64_t len, bool write)
{
	uint64_t page = addr / VIEW_PAGE, at = addr % VIEW_PAGE;
	struct translation t;
	bool writable;
	uint8_t *p;

	atomic_fetch_add_explicit(v->misses, 1, memory_order_relaxed);
	if (v->coherency)
		return judged(v, vm, addr, len, write);
	if (!translate(v, vm, addr, write, &t))
		return NULL;
	p = gmem_ptr(v->gpu, t.pa - at, VIEW_PAGE, false);
	writable = t.writable && gmem_ptr(v->gpu, t.pa - at, VIEW_PAGE, true);
	/* Memory may end inside the page, or may not be written: that is looked at each time. */
	if (!p || (write && !writable))
		return uncached(v, t.pa, len, write);
	*entry_of(v, space_of(vm), page) = (struct view_entry){
		.space = space_of(vm), .page = page, .epoch = v->epoch, .ptr = p, .writable = writable,
	};
	return p + at;
}

/* The memory at an address if the view has its page; NULL: it has not. Inside. */
static inline uint8_t *find_kept(struct view *v, const struct vm_ref *vm, uint64_t addr, bool write)
{
	uint64_t page = addr / VIEW_PAGE;
	const struct view_entry *e = entry_of(v, space_of(vm), page);

	if (e->page == page && e->space == space_of(vm) && e->epoch == v->epoch && (!write || e->writable))
		return e->ptr + addr % VIEW_PAGE;
	return NULL;
}

/* The memory at an address, len bytes in one page; NULL with the reason. Inside. */
static inline uint8_t *find(struct view *v, const struct vm_ref *vm, uint64_t addr, uint64_t len, bool write)
{
	uint8_t *p = find_kept(v, vm, addr & VM_ADDR_MASK, write);

	return p ? p : miss(v, vm, addr & VM_ADDR_MASK, len, write);
}

uint8_t *view_kept(struct view *v, const struct vm_ref *vm, uint64_t addr, bool write)
{
	return find_kept(v, vm, addr & VM_ADDR_MASK, write);
}

void view_ask(struct view *v, const struct vm_ref *vm, uint64_t addr)
{
	uint64_t page = (addr & VM_ADDR_MASK) / VIEW_PAGE;
	struct translation t;
	uint8_t *p = NULL;

	/* Where each access is judged, no page is kept. */
	if (v->coherency)
		return;
	enter(v);
	if (!find_kept(v, vm, page * VIEW_PAGE, false) && tlb_translate(v->tlb, vm, page * VIEW_PAGE, &t))
		p = gmem_ptr(v->gpu, t.pa, VIEW_PAGE, false);
	if (p)
		*entry_of(v, space_of(vm), page) = (struct view_entry){
			.space = space_of(vm), .page = page, .epoch = v->epoch, .ptr = p,
			.writable = t.writable && gmem_ptr(v->gpu, t.pa, VIEW_PAGE, true),
		};
	leave(v);
}

uint8_t *view_page(struct view *v, const struct vm_ref *vm, uint64_t addr, bool write)
{
	struct mem_access a;
	uint8_t *p;

	if (!v->coherency)
		return find(v, vm, addr, VIEW_PAGE, write);
	p = locate(v, vm, addr & VM_ADDR_MASK, VIEW_PAGE, write, &a);
	return p ? coherency_page(v->gpu, &a, p) : NULL;
}

void view_touch(struct view *v, const struct vm_ref *vm, uint64_t addr, size_t len, enum view_step step)
{
	struct mem_access a;
	uint8_t *p = locate(v, vm, addr & VM_ADDR_MASK, len, step != VIEW_READS, &a);

	if (!p)
		return;
	if (step == VIEW_READS)
		coherency_read(v->gpu, &a, p, len);
	else if (step == VIEW_WILL_WRITE)
		coherency_will_write(v->gpu, &a, p, len);
	else
		coherency_wrote(v->gpu, &a, p, len);
}

/**
 * vm_read32() - reads a dword at a graphics address
 * @v: the view
 * @vm: the address space
 * @addr: graphics address; the low two bits are ignored
 * @value: what was read
 *
 * One access, with acquire semantics.
 *
 * Return: false for a fault, which the caller reports with gpu_page_fault().
 */
bool vm_read32(struct view *v, const struct vm_ref *vm, uint64_t addr, uint32_t *value)
{
	const uint8_t *p;

	enter(v);
	p = find(v, vm, addr & ~3ull, 4, false);
	if (p)
		*value = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
	leave(v);
	return p;
}

/**
 * vm_write32() - writes a dword at a graphics address
 * @v: the view
 * @vm: the address space
 * @addr: graphics address; the low two bits are ignored
 * @value: what to write
 *
 * One access, with release semantics.
 *
 * Return: false for a fault; nothing was written.
 */
bool vm_write32(struct view *v, const struct vm_ref *vm, uint64_t addr, uint32_t value)
{
	uint8_t *p;

	enter(v);
	p = find(v, vm, addr & ~3ull, 4, true);
	if (p)
		__atomic_store_n((uint32_t *)p, value, __ATOMIC_RELEASE);
	wrote(v);
	leave(v);
	return p;
}

bool vm_read64(struct view *v, const struct vm_ref *vm, uint64_t addr, uint64_t *value)
{
	return vm_read(v, vm, addr & ~3ull, value, 8);
}

bool vm_write64(struct view *v, const struct vm_ref *vm, uint64_t addr, uint64_t value)
{
	uint8_t *p;

	addr &= ~3ull;
	/* Only an aligned qword lies in one page, and is one access. */
	if (addr % 8)
		return vm_write(v, vm, addr, &value, 8);
	enter(v);
	p = find(v, vm, addr, 8, true);
	if (p)
		__atomic_store_n((uint64_t *)p, value, __ATOMIC_RELEASE);
	wrote(v);
	leave(v);
	return p;
}

static size_t in_page(uint64_t addr, size_t len)
{
	size_t left = VIEW_PAGE - addr % VIEW_PAGE;

	return left < len ? left : len;
}

/**
 * vm_read() - copies from graphics addresses
 * @v: the view
 * @vm: the address space
 * @addr: first graphics address, any alignment
 * @buf: where to
 * @len: bytes
 *
 * Aligned dwords and qwords do not tear. One access for all of it, so len is bounded: a few pages.
 *
 * Return: false for a fault; what lies before it was copied.
 */
bool vm_read(struct view *v, const struct vm_ref *vm, uint64_t addr, void *buf, size_t len)
{
	const uint8_t *p = NULL;
	uint8_t *to = buf;

	enter(v);
	while (len) {
		size_t n = in_page(addr, len);

		p = find(v, vm, addr, n, false);
		if (!p)
			break;
		gmem_copy_from(to, p, n);
		to += n;
		addr += n;
		len -= n;
	}
	leave(v);
	return !len;
}

/**
 * vm_write() - copies to graphics addresses
 * @v: the view
 * @vm: the address space
 * @addr: first graphics address, any alignment
 * @buf: where from
 * @len: bytes
 *
 * As vm_read().
 *
 * Return: false for a fault; what lies before it was written.
 */
bool vm_write(struct view *v, const struct vm_ref *vm, uint64_t addr, const void *buf, size_t len)
{
	const uint8_t *from = buf;
	uint8_t *p;

	enter(v);
	while (len) {
		size_t n = in_page(addr, len);

		p = find(v, vm, addr, n, true);
		if (!p)
			break;
		gmem_copy_to(p, from, n);
		wrote(v);
		from += n;
		addr += n;
		len -= n;
	}
	leave(v);
	return !len;
}

/* Two words, one after the other; only engines do that, and they take turns. */
static bool exchange_16(uint64_t *p, const uint64_t *old, const uint64_t *to)
{
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	bool same;

	pthread_mutex_lock(&turn);
	same = __atomic_load_n(p, __ATOMIC_ACQUIRE) == old[0] &&
	       __atomic_load_n(p + 1, __ATOMIC_ACQUIRE) == old[1];
	if (same) {
		__atomic_store_n(p, to[0], __ATOMIC_RELEASE);
		__atomic_store_n(p + 1, to[1], __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&turn);
	return same;
}

bool vm_compare_exchange(struct view *v, const struct vm_ref *vm, uint64_t addr, unsigned int size,
			 const void *old, const void *to, bool *swapped)
{
	uint64_t was[2] = { 0 }, now[2] = { 0 };
	uint32_t was32, now32;
	uint8_t *p;

	memcpy(was, old, size);
	memcpy(now, to, size);
	enter(v);
	p = find(v, vm, addr & ~(size - 1ull), size, true);
	switch (p ? size : 0) {
	case 4:
		was32 = (uint32_t)was[0];
		now32 = (uint32_t)now[0];
		*swapped = __atomic_compare_exchange_n((uint32_t *)p, &was32, now32, false,
						       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
		break;
	case 8:
		*swapped = __atomic_compare_exchange_n((uint64_t *)p, &was[0], now[0], false,
						       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
		break;
	case 16:
		*swapped = exchange_16((uint64_t *)p, was, now);
		break;
	default:
		break;
	}
	wrote(v);
	leave(v);
	return p;
}
