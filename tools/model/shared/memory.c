// SPDX-License-Identifier: MIT
/**
 * DOC: Memory of messages
 *
 * A message names a space (a surface's buffer, all of the context's address space, or the group's shared local memory)
 * and offsets in it. What lies beyond the end of the space reads 0 and is not written. A byte is looked at by itself:
 * a block that crosses the end is clipped, not dropped.
 *
 * The context's page tables are the only way to memory. A page that is not there, or not writable, is a fault of the
 * engine: the registers and counters of mem/page_fault.c tell of it, and the program goes on.
 */
#include <string.h>

#include "shared/shared.h"

/* How often an atomic operation begins again because another writer was faster, before it no longer asks. */
#define ATOMIC_TRIES	1000

static unsigned int in_page(uint64_t addr, unsigned int len)
{
	uint64_t left = VIEW_PAGE - addr % VIEW_PAGE;

	return left < len ? (unsigned int)left : len;
}

static void fault(struct shared *s, uint64_t addr, bool write)
{
	gpu_page_fault(s->gpu, s->info, &s->vm, addr, view_page_fault(&s->view, write));
}

/**
 * shared_read - reads memory of the context
 * @s: the shared functions
 * @addr: graphics address
 * @to: where to
 * @len: bytes
 *
 * Return: false if a page of it is not there; its bytes are 0 then.
 */
bool shared_read(struct shared *s, uint64_t addr, void *to, unsigned int len)
{
	uint8_t *p = to;
	bool whole = true;

	while (len) {
		uint64_t at = addr & s->platform->address_mask;
		unsigned int n = in_page(at, len);

		if (!vm_read(&s->view, &s->vm, at, p, n)) {
			memset(p, 0, n);
			fault(s, at, false);
			whole = false;
		}
		addr += n;
		p += n;
		len -= n;
	}
	return whole;
}

/**
 * shared_write - writes memory of the context
 * @s: the shared functions
 * @addr: graphics address
 * @from: what to write
 * @len: bytes
 *
 * Return: false if a page of it is not there, or not writable; nothing is written there.
 */
bool shared_write(struct shared *s, uint64_t addr, const void *from, unsigned int len)
{
	const uint8_t *p = from;
	bool whole = true;

	while (len) {
		uint64_t at = addr & s->platform->address_mask;
		unsigned int n = in_page(at, len);

		if (!vm_write(&s->view, &s->vm, at, p, n)) {
			fault(s, at, true);
			whole = false;
		}
		addr += n;
		p += n;
		len -= n;
	}
	return whole;
}

/*
 * How much of an access lies within the space. Shared local memory takes the low bits of an offset alone: Intel's
 * OpenCL compiler marks pointers to it with bit 28 and leaves the mark in the messages' addresses.
 */
static unsigned int clip(const struct space *space, uint64_t *offset_of, unsigned int len)
{
	uint64_t offset = *offset_of;

	if (space->kind == SPACE_SLM)
		offset = *offset_of %= SLM_BYTES;
	if (space->kind == SPACE_NOTHING || offset >= space->size)
		return 0;
	return space->size - offset < len ? (unsigned int)(space->size - offset) : len;
}

/**
 * space_read - a message reads
 * @s: the send
 * @space: of its surface
 * @offset: in it, bytes
 * @to: where to
 * @len: bytes; those beyond the end of the space are 0
 */
void space_read(struct send *s, const struct space *space, uint64_t offset, void *to, unsigned int len)
{
	unsigned int n = clip(space, &offset, len);

	if (n && space->kind == SPACE_SLM)
		memcpy(to, s->group->slm + offset, n);
	else if (n)
		shared_read(s->shared, space->base + offset, to, n);
	memset((uint8_t *)to + n, 0, len - n);
}

/**
 * space_write - a message writes
 * @s: the send
 * @space: of its surface
 * @offset: in it, bytes
 * @from: what
 * @len: bytes; those beyond the end of the space are dropped
 */
void space_write(struct send *s, const struct space *space, uint64_t offset, const void *from, unsigned int len)
{
	unsigned int n = clip(space, &offset, len);

	if (n && space->kind == SPACE_SLM)
		memcpy(s->group->slm + offset, from, n);
	else if (n)
		shared_write(s->shared, space->base + offset, from, n);
}

/* False: a channel's memory is not found; it lies beyond the end, or crosses it. */
static bool find_in_slm(struct send *s, const struct space *space, const uint64_t *offset, uint32_t mask,
			unsigned int len, uint8_t **memory)
{
	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);
		uint64_t at = offset[i] % SLM_BYTES;

		if (at > space->size - len)
			return false;
		memory[i] = s->group->slm + at;
	}
	return true;
}

/* False: a channel's memory lies beyond the end, crosses the end of a page, or lies in a page that the view lacks. */
static bool find_in_pages(struct shared *s, const struct space *space, const uint64_t *offset, uint32_t mask,
			  unsigned int len, bool write, uint8_t **memory)
{
	uint64_t page = UINT64_MAX;
	uint8_t *kept = NULL;

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);
		uint64_t at = (space->base + offset[i]) & s->platform->address_mask, in = at % VIEW_PAGE;

		if (offset[i] > space->size - len || in > VIEW_PAGE - len)
			return false;
		if (at - in != page) {
			page = at - in;
			kept = view_kept(&s->view, &s->vm, page, write);
			if (!kept)
				return false;
		}
		memory[i] = kept + in;
	}
	return true;
}

/**
 * space_find - finds what a message accesses for each channel, if that is simple
 * @s: the send
 * @space: of its surface
 * @offset: of each channel in it, bytes
 * @mask: channels
 * @len: bytes of each, less than a page
 * @write: they are written
 * @memory: filled for these channels; there until space_release(), which has to follow before anything else is accessed
 *
 * Return: false if something lies beyond the end of the space, crosses the end of a page, or lies in a page that the
 * view has to ask for. space_read() and space_write() access it then, or say what is wrong with it.
 */
bool space_find(struct send *s, const struct space *space, const uint64_t *offset, uint32_t mask, unsigned int len,
		bool write, uint8_t **memory)
{
	if (space->kind == SPACE_NOTHING || space->size < len)
		return false;
	if (space->kind == SPACE_SLM)
		return find_in_slm(s, space, offset, mask, len, memory);
	view_enter(&s->shared->view);
	if (find_in_pages(s->shared, space, offset, mask, len, write, memory))
		return true;
	view_leave(&s->shared->view);
	return false;
}

/**
 * space_find_near - finds a few bytes that a message accesses
 * @s: the send
 * @space: of its surface
 * @offset: of the first of them in it
 * @len: how many
 * @write: they are written
 *
 * Return: as space_find() fills it in; NULL: as when that returns false.
 */
uint8_t *space_find_near(struct send *s, const struct space *space, uint64_t offset, unsigned int len, bool write)
{
	struct shared *shared = s->shared;
	uint64_t at;
	uint8_t *kept;

	if (space->kind == SPACE_SLM)
		offset %= SLM_BYTES;
	if (space->kind == SPACE_NOTHING || space->size < len || offset > space->size - len)
		return NULL;
	if (space->kind == SPACE_SLM)
		return s->group->slm + offset;
	at = (space->base + offset) & shared->platform->address_mask;
	if (len > VIEW_PAGE || at % VIEW_PAGE > VIEW_PAGE - len)
		return NULL;
	view_enter(&shared->view);
	kept = view_kept(&shared->view, &shared->vm, at, write);
	if (!kept)
		view_leave(&shared->view);
	return kept;
}

/**
 * space_ask - has the view find the pages of an access
 * @s: the send
 * @space: of its surface
 * @offset: of each channel in it, bytes
 * @mask: channels
 * @len: bytes of each, less than a page
 *
 * Nothing is wrong if there is no such page: the access itself will tell.
 */
void space_ask(struct send *s, const struct space *space, const uint64_t *offset, uint32_t mask, unsigned int len)
{
	struct shared *shared = s->shared;
	uint64_t page = UINT64_MAX;

	if (space->kind != SPACE_MEMORY || space->size < len)
		return;
	for (; mask; mask &= mask - 1) {
		uint64_t first = offset[__builtin_ctz(mask)], at = space->base + first;

		for (unsigned int end = 0; end < 2 && first <= space->size - len; end++, at += len - 1) {
			if (at / VIEW_PAGE == page)
				continue;
			page = at / VIEW_PAGE;
			view_ask(&shared->view, &shared->vm, at & shared->platform->address_mask);
		}
	}
}

/* The memory that space_find() has found is no longer used. */
void space_release(struct send *s, const struct space *space)
{
	if (space->kind == SPACE_MEMORY)
		view_leave(&s->shared->view);
}

static uint64_t atomic_in_memory(struct shared *s, uint64_t addr, unsigned int size, atomic_fn fn,
				 const void *operands)
{
	uint64_t old, new;
	bool swapped = false;

	for (unsigned int i = 0; i < ATOMIC_TRIES && !swapped; i++) {
		old = 0;
		if (!vm_read(&s->view, &s->vm, addr, &old, size)) {
			gpu_page_fault(s->gpu, s->info, &s->vm, addr, PAGE_FAULT_WRITE);
			return 0;
		}
		new = fn(old, operands);
		if (!vm_compare_exchange(&s->view, &s->vm, addr, size, &old, &new, &swapped)) {
			fault(s, addr, true);
			return old;
		}
	}
	/* The CPU writes without an end; the program must not wait for that. */
	if (!swapped)
		shared_write(s, addr, &new, size);
	return old;
}

/**
 * space_atomic - a message replaces a dword or qword
 * @s: the send
 * @space: of its surface
 * @offset: in it, bytes; rounded down to a multiple of @size
 * @size: 4 or 8
 * @fn: gives the new value
 * @operands: what @fn takes
 *
 * Return: the old value; 0 for what does not lie within the space.
 */
uint64_t space_atomic(struct send *s, const struct space *space, uint64_t offset, unsigned int size, atomic_fn fn,
		      const void *operands)
{
	uint64_t old = 0, new, addr;

	offset &= ~(size - 1ull);
	if (clip(space, &offset, size) < size)
		return 0;
	if (space->kind == SPACE_SLM) {
		memcpy(&old, s->group->slm + offset, size);
		new = fn(old, operands);
		memcpy(s->group->slm + offset, &new, size);
		return old;
	}
	addr = (space->base + offset) & s->shared->platform->address_mask & ~(size - 1ull);
	return atomic_in_memory(s->shared, addr, size, fn, operands);
}
