// SPDX-License-Identifier: MIT
/**
 * DOC: The decode cache
 *
 * Programs are fetched by pages of 4 KB and decoded one instruction at a time, when it is executed for
 * the first time. The key of a page is its address space, base and offset.
 *
 * An invalidation counts the epoch up. A page of an older epoch is fetched again when a thread comes
 * to it. If it is the same as before, as when a driver invalidates in front of each batch, what was
 * decoded is still right. Decoded instructions name each other within a page alone, so a page can be
 * decoded anew without a look at others. None names an instruction that lies on two pages: that one is decoded anew
 * after each invalidation.
 *
 * Everything is dropped together when there are too many pages, which only a program that jumps around
 * at random has. Cores that execute for one engine divide the number among themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

void eu_core_invalidate(struct eu_core *core)
{
	core->epoch++;
}

static void free_chunks(struct eu_chunk *chunk)
{
	while (chunk) {
		struct eu_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

void eu_cache_drop(struct eu_core *core)
{
	unsigned int i;

	for (i = 0; i < EU_HASH; i++) {
		while (core->hash[i]) {
			struct eu_page *page = core->hash[i];

			core->hash[i] = page->next;
			free_chunks(page->chunks);
			free(page);
		}
	}
	core->npages = 0;
}

bool eu_cache_full(const struct eu_core *core)
{
	return core->npages >= core->most_pages;
}

/* How many bytes of the page there are; the others are zero. */
static uint32_t fetch(struct eu_core *core, struct eu_thread *thread, uint32_t ip, uint8_t *code)
{
	size_t bytes;

	eu_set_mxcsr(core->mxcsr_host);
	bytes = core->ops->fetch(thread, thread->base + ip, code, EU_PAGE_BYTES);
	eu_set_mxcsr(core->mxcsr);
	core->counters.fetches++;
	if (bytes > EU_PAGE_BYTES)
		bytes = EU_PAGE_BYTES;
	memset(code + bytes, 0, EU_PAGE_BYTES - bytes);
	return (uint32_t)bytes;
}

/* After an invalidation: forgets what was decoded if the program is another one. */
static void fetch_again(struct eu_core *core, struct eu_thread *thread, struct eu_page *page)
{
	uint8_t *code = core->code;
	uint32_t bytes = fetch(core, thread, page->ip, code);

	page->epoch = core->epoch;
	if (bytes == page->bytes && !memcmp(code, page->code, bytes)) {
		if (page->spanning)
			page->slots[EU_PAGE_SLOTS - 1] = NULL;
		return;
	}
	memcpy(page->code, code, EU_PAGE_BYTES);
	page->bytes = bytes;
	page->spanning = NULL;
	memset(page->slots, 0, sizeof(page->slots));
	if (page->chunks) {
		free_chunks(page->chunks->next);
		page->chunks->next = NULL;
		page->chunks->used = 0;
	}
}

static struct eu_page *find_page(struct eu_core *core, struct eu_thread *thread, uint32_t ip)
{
	uint64_t key = (thread->base >> 12) + (ip >> 12) * 31ull + thread->space * 17;
	struct eu_page **slot = &core->hash[(key ^ key >> 8) % EU_HASH], *page;

	for (page = *slot; page; page = page->next)
		if (page->ip == ip && page->base == thread->base && page->space == thread->space)
			break;
	if (page) {
		if (page->epoch != core->epoch)
			fetch_again(core, thread, page);
		return page;
	}
	page = calloc(1, sizeof(*page));
	if (!page) {
		thread->fault = "out of memory for decoded programs";
		return NULL;
	}
	page->ip = ip;
	page->base = thread->base;
	page->space = thread->space;
	page->epoch = core->epoch;
	page->bytes = fetch(core, thread, ip, page->code);
	page->next = *slot;
	*slot = page;
	core->npages++;
	return page;
}

static struct eu_uop *cleared(struct eu_uop *uop, struct eu_cold *cold)
{
	memset(uop, 0, sizeof(*uop));
	memset(cold, 0, sizeof(*cold));
	uop->cold = cold;
	return uop;
}

static struct eu_uop *new_uop(struct eu_page *page, bool spans)
{
	struct eu_chunk *chunk = page->chunks;
	struct eu_uop *uop;

	if (spans && page->spanning)
		return cleared(page->spanning, page->spanning->cold);
	if (!chunk || chunk->used == EU_CHUNK) {
		chunk = aligned_alloc(_Alignof(struct eu_chunk), sizeof(*chunk));
		if (!chunk)
			return NULL;
		chunk->used = 0;
		chunk->next = page->chunks;
		page->chunks = chunk;
	}
	uop = cleared(&chunk->uops[chunk->used], &chunk->colds[chunk->used]);
	chunk->used++;
	if (spans)
		page->spanning = uop;
	return uop;
}

/* The bytes of an instruction, which may lie on two pages (spans). */
static size_t code_at(struct eu_core *core, struct eu_thread *thread, struct eu_page *page, uint32_t ip, uint8_t *code,
		      bool *spans)
{
	uint32_t at = ip % EU_PAGE_BYTES;
	size_t n = page->bytes > at ? page->bytes - at : 0;

	if (n > 16)
		n = 16;
	memcpy(code, page->code + at, n);
	*spans = false;
	/* Bit 29: compact. */
	if (at + 16 > EU_PAGE_BYTES && n == 8 && !(code[3] & 0x20) && ip - at + EU_PAGE_BYTES) {
		struct eu_page *after = find_page(core, thread, ip - at + EU_PAGE_BYTES);

		*spans = true;
		if (after && after->bytes >= 8) {
			memcpy(code + 8, after->code, 8);
			n = 16;
		}
	}
	return n;
}

struct eu_uop *eu_lookup(struct eu_core *core, struct eu_thread *thread, uint32_t ip)
{
	struct eu_page *page;
	struct eu_uop *uop;
	uint8_t code[16];
	bool spans;
	size_t n;

	if (ip % 8) {
		thread->fault = "ip is not a multiple of 8";
		return NULL;
	}
	page = find_page(core, thread, ip & ~(EU_PAGE_BYTES - 1));
	if (!page)
		return NULL;
	uop = page->slots[ip % EU_PAGE_BYTES / 8];
	if (uop)
		return uop;
	n = code_at(core, thread, page, ip, code, &spans);
	if (thread->fault)
		return NULL;
	if (!n) {
		thread->fault = "there is no program at ip";
		return NULL;
	}
	uop = new_uop(page, spans);
	if (!uop) {
		thread->fault = "out of memory for decoded programs";
		return NULL;
	}
	core->counters.decoded++;
	uop->cold->fault = eu_decode(core, code, n, ip, uop);
	if (uop->cold->fault) {
		uop->run = eu_illegal;
		uop->flow = true;
	}
	page->slots[ip % EU_PAGE_BYTES / 8] = uop;
	return uop;
}
