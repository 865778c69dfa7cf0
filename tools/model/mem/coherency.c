// SPDX-License-Identifier: MIT
/**
 * DOC: Coherency: the CPU's caches and a GPU that does not look at them
 *
 * Where CPU and GPU share no cache, an access of the GPU that does not snoop reads and writes memory beneath the CPU's
 * caches. What the CPU wrote is then seen only after a flush (CLFLUSH), and the CPU sees what the GPU wrote only after
 * it has dropped its lines, which is a flush, too. Under an emulator there are no caches: guest memory ("RAM" here) is
 * what the CPU sees, and a driver that lacks a flush works all the same. This file says what memory itself holds.
 *
 * A test module in the guest (tools/vm/coherency) tells of DMA mappings, flushes and uncached mappings, in order. A
 * page that is mapped for DMA, or was flushed, has a struct cached_page with three contents:
 *
 *	RAM	what the CPU sees: its caches' content, over memory's
 *	memory	what memory holds: RAM at the last flush of the line, and what the GPU wrote since
 *	seen	RAM when the line was last the same in both
 *
 * A line is dirty while RAM differs from "seen", or if it was never flushed since the page was mapped. A line is newer
 * after an unsnooped write of the GPU, until the CPU drops it by a flush. So these are findings, counted in
 * "coherency.driver" for the driver's own pages and in "coherency.client" for pages that a client may map:
 *
 *	read		unsnooped, of bytes that have changed since their line's last flush
 *	walk		a read of an entry of a page table whose bytes have changed since their line's last flush
 *	write		unsnooped, to a dirty line: the CPU may write the line back over it at any time
 *	cpu_read	the CPU reads a newer line through its caches, and may see what was there before
 *	cpu_write	the CPU has written a part of a newer line: the rest goes back as it was before the GPU's write.
 *			The whole line in a call of PWRITE is none
 *	unmap		a client's page with newer lines is given back: its next user may see what was there before
 *	uncached	a page with dirty lines is mapped uncached: what the CPU wrote does not show there
 *
 * With "coherency=check" the accesses go to RAM all the same, and "memory" and "seen" are one. With "coherency=stale"
 * unsnooped accesses go to "memory", so that a flush that the driver lacks is a wrong result.
 *
 * A finding in a client's page is not always a fault of the driver: the client may have broken the rules of its
 * mapping, or flushed by itself, which the model does not see. So each run chooses whether "coherency.client" counts.
 * A page is not judged while the CPU has it mapped uncached or write-combining.
 *
 * With a plugin of QEMU's (coherency_plugin.c) the state of the lines is in memory that the plugin writes as well,
 * from the instructions of the guest. Bytes are dirty then that the CPU has stored since the last flush, whatever RAM
 * holds. The plugin itself finds "cpu_read", "cpu_write" and "uncached". The module tells of DMA mappings alone, and
 * no page is left out for an uncached mapping.
 *
 * Not modelled: lines that the CPU writes back or fetches by itself. Without the plugin a write that changes no byte is
 * not seen.
 */
#include <stdlib.h>
#include <string.h>

#include "mem/mem.h"
#include "../vm/coherency/events.h"
#include "../vm/coherency/plugin/state.h"

#define PAGE		4096u
#define LINE		64u
#define LINES		(PAGE / LINE)
#define BUCKETS		(1u << 14)
/* 1 GB of guest memory; what is beyond is not tracked. */
#define MOST_PAGES	(1u << 18)
#define POISON		0xd2

enum finding { FOUND_READ, FOUND_WALK, FOUND_WRITE, FOUND_CPU_READ, FOUND_CPU_WRITE, FOUND_UNMAP,
	FOUND_UNCACHED };

static const struct {
	const char *name, *what;
} findings[] = {
	[FOUND_READ] = { "read", "the GPU reads what the CPU has written and not flushed" },
	[FOUND_WALK] = { "walk", "a page walk reads what the CPU has written and not flushed" },
	[FOUND_WRITE] = { "write", "the GPU writes to a line that the CPU has written and not flushed" },
	[FOUND_CPU_READ] = { "cpu_read", "the CPU reads what the GPU has written, without a flush in between" },
	[FOUND_CPU_WRITE] = { "cpu_write", "the CPU wrote to a line that the GPU had written, without a flush before" },
	[FOUND_UNMAP] = { "unmap", "a page is given back that the GPU has written, without a flush in between" },
	[FOUND_UNCACHED] = { "uncached", "the CPU maps uncached what it has written and not flushed" },
};

/* For messages: the GEM object that a page belongs to, by the handle that a process got last. */
struct object_page {
	uint32_t process, handle;		/* 0: it is not known */
	uint32_t page;				/* of the object */
};

struct cached_page {
	struct cached_page *next;		/* of the bucket, or of those that are free */
	uint64_t number;
	unsigned int maps;			/* for DMA */
	bool client, uncached;
	uint64_t overwritten;			/* lines that the CPU is writing as a whole */
	struct object_page object;
	struct coherency_lines *lines;		/* shared with the plugin, or own */
	uint8_t *seen;				/* their memory, but with "stale" */
	struct coherency_lines own[];		/* without the plugin one, and a page behind it with "stale" */
};

struct coherency {
	bool stale;
	struct coherency_state *state;		/* the plugin's; NULL: there is none */
	_Atomic uint64_t events;		/* address of the page of events; 0: there is none */
	_Atomic uint32_t findings;
	pthread_mutex_t lock;			/* a leaf; of what follows */
	struct object_page object;		/* of the page that is mapped next */
	struct cached_page *bucket[BUCKETS], *free;
	unsigned int pages;
	unsigned int logged;
};

static int make(struct gpu *gpu)
{
	struct coherency *c = calloc(1, sizeof(*c));

	if (!c)
		return -1;
	c->stale = gpu->config.coherency == COHERENCY_STALE;
	pthread_mutex_init(&c->lock, NULL);
	gpu->coherency = c;
	return 0;
}

int coherency_init(struct gpu *gpu)
{
	return coherency_judges(gpu) && gpu->config.coherency != COHERENCY_OFF ? make(gpu) : 0;
}

static void free_list(struct cached_page *p)
{
	while (p) {
		struct cached_page *next = p->next;

		free(p);
		p = next;
	}
}

void coherency_fini(struct gpu *gpu)
{
	struct coherency *c = gpu->coherency;

	if (!c)
		return;
	for (unsigned int i = 0; i < BUCKETS; i++)
		free_list(c->bucket[i]);
	free_list(c->free);
	pthread_mutex_destroy(&c->lock);
	free(c);
	gpu->coherency = NULL;
}

static struct cached_page **place_of(struct coherency *c, uint64_t number)
{
	struct cached_page **at = &c->bucket[(number ^ number >> 14) % BUCKETS];

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

static struct cached_page *find_page(struct coherency *c, uint64_t pa)
{
	return *place_of(c, pa / PAGE);
}

/* Nothing is known of the lines of a page that was just mapped. */
static void begin_lines(struct coherency_lines *l)
{
	atomic_store(&l->known, 0);
	atomic_store(&l->newer, 0);
	for (unsigned int i = 0; i < LINES; i++) {
		atomic_store(&l->dirty[i], 0);
		atomic_store(&l->writer[i], 0);
	}
	memset(l->memory, POISON, PAGE);
}

/*
 * The page, made if there is none; NULL without room. Engines may still read and write through a pointer to the copy of
 * a page that was forgotten. So such pages are used again, and never freed.
 */
static struct cached_page *get_page(struct coherency *c, uint64_t number)
{
	struct cached_page **at = place_of(c, number), *p = *at;

	if (p)
		return p;
	if (c->state && number >= COHERENCY_STATE_PAGES)
		goto no_room;
	p = c->free;
	if (p)
		c->free = p->next;
	else if (c->pages < MOST_PAGES)
		p = malloc(sizeof(*p) + (c->state ? 0 : sizeof(*p->own)) + (c->stale ? PAGE : 0));
	if (!p)
		goto no_room;
	c->pages++;
	*p = (struct cached_page){ .number = number, .lines = c->state ? &c->state->page[number] : p->own };
	p->seen = c->stale ? (uint8_t *)(p->own + 1) : p->lines->memory;
	/* The plugin may have seen flushes of it. */
	if (!c->state || !atomic_load(&c->state->tracked[number]))
		begin_lines(p->lines);
	if (c->state && !atomic_fetch_or(&c->state->tracked[number], COHERENCY_TRACKED))
		atomic_fetch_add(&c->state->changes, 1);
	*at = p;
	return p;

no_room:
	count("coherency_events", "pages_without_room", 1);
	return NULL;
}

static void forget_page(struct coherency *c, struct cached_page *p)
{
	struct cached_page **at = place_of(c, p->number);

	if (c->state)
		atomic_store(&c->state->tracked[p->number], 0);
	*at = p->next;
	p->next = c->free;
	c->free = p;
	c->pages--;
}

/* Lines of a page that have any of these bytes of it. */
static uint64_t lines_of(uint64_t from, uint64_t len)
{
	uint64_t first = from / LINE, last = (from + len - 1) / LINE;

	return ~0ull >> (LINES - 1 - (last - first)) << first;
}

/* Bytes of a line of a page that are among those from "at" on. */
static uint64_t bytes_of(unsigned int line, unsigned int at, size_t len)
{
	unsigned int first = at > line * LINE ? at - line * LINE : 0;
	unsigned int end = at + len < (line + 1) * LINE ? (unsigned int)(at + len) - line * LINE : LINE;

	return ~0ull >> (LINE - (end - first)) << first;
}

/* Guest and engines race with these, a word at a time. */
static void copy_racing(uint8_t *to, const uint8_t *from, size_t len)
{
	uint8_t some[PAGE];

	gmem_copy_from(some, from, len);
	gmem_copy_to(to, some, len);
}

static bool same(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint8_t mine[PAGE], other[PAGE];

	gmem_copy_from(mine, a, len);
	gmem_copy_from(other, b, len);
	return !memcmp(mine, other, len);
}

static bool is_known(const struct cached_page *p, uint64_t lines)
{
	return (atomic_load(&p->lines->known) & lines) == lines;
}

static bool is_newer(const struct cached_page *p, unsigned int line)
{
	return atomic_load(&p->lines->newer) >> line & 1;
}

/* Has the CPU written the line (ram is the page's) since it was last the same in the caches and in memory? */
static bool is_dirty(const struct coherency *c, const struct cached_page *p, const uint8_t *ram, unsigned int line)
{
	if (!is_known(p, 1ull << line))
		return true;
	if (c->state)
		return atomic_load(&p->lines->dirty[line]);
	return !same(ram + line * LINE, p->seen + line * LINE, LINE);
}

/*
 * The line is flushed: written back if the CPU has written it, and what the CPU sees next is memory's. Without "stale"
 * a line that the GPU wrote is the same in all already.
 */
static void flush_line(struct coherency *c, struct cached_page *p, uint8_t *ram, unsigned int line)
{
	unsigned int at = line * LINE;

	if (is_dirty(c, p, ram, line))
		copy_racing(p->lines->memory + at, ram + at, LINE);
	else if (c->stale && is_newer(p, line))
		copy_racing(ram + at, p->lines->memory + at, LINE);
	if (c->stale)
		copy_racing(p->seen + at, ram + at, LINE);
	atomic_store(&p->lines->dirty[line], 0);
	atomic_fetch_or(&p->lines->known, 1ull << line);
	atomic_fetch_and(&p->lines->newer, ~(1ull << line));
}

/* c->lock held. */
static void flush_lines(struct coherency *c, struct cached_page *p, uint8_t *ram, uint64_t lines)
{
	for (; lines; lines &= lines - 1)
		flush_line(c, p, ram, (unsigned int)__builtin_ctzll(lines));
}

static void describe_page(const struct cached_page *p, char *text, size_t size)
{
	if (p->object.handle)
		snprintf(text, size, "page %u of object %u of process %u", p->object.page, p->object.handle,
			 p->object.process);
	else
		snprintf(text, size, "a page of %s", p->client ? "a client" : "the driver");
}

/* c->lock held. */
static void report(struct gpu *gpu, const struct cached_page *p, enum finding f, const struct mem_access *a,
		   unsigned int at, size_t len)
{
	struct coherency *c = gpu->coherency;
	char who[256], whose[64];

	count(p->client ? "coherency.client" : "coherency.driver", findings[f].name, 1);
	atomic_fetch_add(&c->findings, 1);
	if (c->logged >= gpu->config.validate_log)
		return;
	c->logged++;
	if (a)
		tlb_describe(a->tlb, who, sizeof(who));
	describe_page(p, whose, sizeof(whose));
	model_log("coherency: %s: %s: 0x%llx to 0x%llx, in %s, %s", findings[f].name, findings[f].what,
		  (unsigned long long)(p->number * PAGE + at), (unsigned long long)(p->number * PAGE + at + len - 1),
		  whose,
		  is_known(p, 1ull << at / LINE) ? "flushed before" : "never flushed");
	if (c->state && atomic_load(&p->lines->writer[at / LINE]))
		model_log("coherency: %s: the last store to the line is at 0x%llx, memory holds 0x%02x at 0x%llx",
			  findings[f].name, (unsigned long long)atomic_load(&p->lines->writer[at / LINE]),
			  p->lines->memory[at], (unsigned long long)(p->number * PAGE + at));
	if (a)
		model_log("coherency: %s: at 0x%llx of %s 0x%llx, by %s", findings[f].name,
			  (unsigned long long)a->addr, a->vm.ggtt ? "the GGTT" : "the PPGTT",
			  (unsigned long long)(a->vm.ggtt ? 0 : a->vm.pml4), who);
}

/* Reports each dirty line among these and returns the dirty ones. c->lock held. */
static uint64_t report_dirty(struct gpu *gpu, const struct cached_page *p, const uint8_t *ram, uint64_t lines,
			     enum finding f, const struct mem_access *a)
{
	uint64_t dirty = 0;

	for (; lines; lines &= lines - 1) {
		unsigned int line = (unsigned int)__builtin_ctzll(lines);

		if (!is_dirty(gpu->coherency, p, ram, line))
			continue;
		report(gpu, p, f, a, line * LINE, LINE);
		dirty |= 1ull << line;
	}
	return dirty;
}

/* What the plugin has found since. c->lock held. */
static void take_found(struct gpu *gpu)
{
	static const enum finding kinds[] = {
		[COHERENCY_FOUND_CPU_READ] = FOUND_CPU_READ, [COHERENCY_FOUND_CPU_WRITE] = FOUND_CPU_WRITE,
		[COHERENCY_FOUND_UNCACHED] = FOUND_UNCACHED,
	};
	struct coherency *c = gpu->coherency;
	struct coherency_found found;

	while (c->state && coherency_take_found(c->state, &found)) {
		const struct cached_page *p = find_page(c, found.address);

		if (!p || found.kind >= ARRAY_SIZE(kinds) || !coherency_judges(gpu))
			continue;
		report(gpu, p, kinds[found.kind], NULL, found.address % PAGE, found.bytes);
		if (c->logged < gpu->config.validate_log)
			model_log("coherency: %s: by the instruction at 0x%llx", findings[kinds[found.kind]].name,
				  (unsigned long long)found.ip);
	}
}

/*
 * Begins the judgment of an unsnooped access. Returns its page with c->lock held; NULL without the lock if the page is
 * not judged.
 */
static struct cached_page *begin(struct gpu *gpu, const struct mem_access *a, const char *untracked)
{
	struct coherency *c = gpu->coherency;
	struct cached_page *p;

	pthread_mutex_lock(&c->lock);
	take_found(gpu);
	p = find_page(c, a->pa);
	if (p && !p->uncached)
		return p;
	if (!p)
		count("coherency_events", untracked, 1);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Bytes of a page that have changed since their lines' last flush. */
static bool has_changed(const struct coherency *c, const struct cached_page *p, const uint8_t *ram, unsigned int at,
			size_t len)
{
	uint64_t lines = lines_of(at, len);

	if (!is_known(p, lines))
		return true;
	if (!c->state)
		return !same(ram, p->seen + at, len);
	for (; lines; lines &= lines - 1) {
		unsigned int line = (unsigned int)__builtin_ctzll(lines);

		if (atomic_load(&p->lines->dirty[line]) & bytes_of(line, at, len))
			return true;
	}
	return false;
}

/* Lines that were reported count as flushed, so they are not reported again. ram is where the byte at is mapped. */
static void settle(struct coherency *c, struct cached_page *p, uint8_t *ram, unsigned int at, size_t len)
{
	flush_lines(c, p, ram - at, lines_of(at, len));
}

/**
 * coherency_read() - judges a read
 * @gpu: the device
 * @a: the access
 * @ram: where the memory at @a->pa is mapped
 * @len: bytes, in one page
 *
 * In an access of a view. Takes a leaf lock.
 *
 * Return: where to read from.
 */
uint8_t *coherency_read(struct gpu *gpu, const struct mem_access *a, uint8_t *ram, size_t len)
{
	struct coherency *c = gpu->coherency;
	unsigned int at = a->pa % PAGE;
	struct cached_page *p;

	p = a->snooped ? NULL : begin(gpu, a, "untracked_reads");
	if (!p)
		return ram;
	if (has_changed(c, p, ram, at, len)) {
		report(gpu, p, FOUND_READ, a, at, len);
		if (!c->stale)
			settle(c, p, ram, at, len);
	}
	if (c->stale)
		ram = p->lines->memory + at;
	pthread_mutex_unlock(&c->lock);
	return ram;
}

/**
 * coherency_will_write() - judges a write that comes next
 * @gpu: the device
 * @a: the access
 * @ram: where the memory at @a->pa is mapped
 * @len: bytes, in one page
 *
 * As coherency_read(). coherency_wrote() has to follow.
 *
 * Return: where to write to.
 */
uint8_t *coherency_will_write(struct gpu *gpu, const struct mem_access *a, uint8_t *ram, size_t len)
{
	struct coherency *c = gpu->coherency;
	unsigned int at = a->pa % PAGE;
	struct cached_page *p;

	p = a->snooped ? NULL : begin(gpu, a, "untracked_writes");
	if (!p)
		return ram;
	flush_lines(c, p, ram - at, report_dirty(gpu, p, ram - at, lines_of(at, len), FOUND_WRITE, a));
	if (c->stale)
		ram = p->lines->memory + at;
	pthread_mutex_unlock(&c->lock);
	return ram;
}

/**
 * coherency_wrote() - notes a write
 * @gpu: the device
 * @a: the access
 * @ram: where the memory at @a->pa is mapped
 * @len: bytes, in one page
 *
 * As coherency_read().
 */
void coherency_wrote(struct gpu *gpu, const struct mem_access *a, const uint8_t *ram, size_t len)
{
	struct coherency *c = gpu->coherency;
	unsigned int at = a->pa % PAGE;
	struct cached_page *p;

	pthread_mutex_lock(&c->lock);
	p = find_page(c, a->pa);
	if (p && !p->uncached) {
		/* A snooped write leaves the same in caches and memory. */
		if (a->snooped || !c->stale)
			copy_racing(p->lines->memory + at, ram, len);
		if (a->snooped && c->stale)
			copy_racing(p->seen + at, ram, len);
		for (uint64_t lines = lines_of(at, len); a->snooped && lines; lines &= lines - 1) {
			unsigned int line = (unsigned int)__builtin_ctzll(lines);

			atomic_fetch_and(&p->lines->dirty[line], ~bytes_of(line, at, len));
		}
		if (!a->snooped && c->state)
			atomic_fetch_or(&c->state->tracked[p->number], COHERENCY_NEWER);
		if (!a->snooped)
			atomic_fetch_or(&p->lines->newer, lines_of(at, len));
	}
	pthread_mutex_unlock(&c->lock);
}

uint8_t *coherency_page(struct gpu *gpu, const struct mem_access *a, uint8_t *ram)
{
	struct coherency *c = gpu->coherency;
	struct cached_page *p;

	if (a->snooped || !c->stale)
		return ram;
	pthread_mutex_lock(&c->lock);
	p = find_page(c, a->pa);
	if (p && !p->uncached)
		ram = p->lines->memory;
	pthread_mutex_unlock(&c->lock);
	return ram;
}

/**
 * coherency_walk() - judges the read of an entry of a page table
 * @gpu: the device
 * @tlb: whose walk it is
 * @vm: the address space
 * @addr: the graphics address that is looked for
 * @pa: where the entry is
 * @entry: what the CPU sees there
 *
 * As coherency_read(); walks never snoop.
 *
 * Return: what the walk sees.
 */
uint64_t coherency_walk(struct gpu *gpu, struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint64_t pa,
			uint64_t entry)
{
	const struct mem_access a = { .tlb = tlb, .vm = *vm, .addr = addr, .pa = pa };
	struct coherency *c = gpu->coherency;
	unsigned int at = pa % PAGE;
	struct cached_page *p = begin(gpu, &a, "untracked_walks");

	if (!p)
		return entry;
	if (has_changed(c, p, (const uint8_t *)&entry, at, sizeof(entry))) {
		report(gpu, p, FOUND_WALK, &a, at, sizeof(entry));
		if (!c->stale) {
			uint8_t *ram = gmem_ptr(gpu, pa, sizeof(entry), false);

			settle(c, p, ram, at, sizeof(entry));
		}
	}
	if (c->stale)
		entry = __atomic_load_n((uint64_t *)(p->lines->memory + at), __ATOMIC_ACQUIRE);
	pthread_mutex_unlock(&c->lock);
	return entry;
}

/* Handlers of events. Each concerns a part of one page whose RAM is mapped. c->lock held. */

static void flushed(struct gpu *gpu, struct cached_page *p, uint8_t *ram, uint64_t lines)
{
	struct coherency *c = gpu->coherency;

	for (; lines; lines &= lines - 1) {
		unsigned int line = (unsigned int)__builtin_ctzll(lines);
		bool newer = is_newer(p, line);

		if (newer && !p->uncached && !(p->overwritten >> line & 1) && is_dirty(c, p, ram, line))
			report(gpu, p, FOUND_CPU_WRITE, NULL, line * LINE, LINE);
		flush_line(c, p, ram, line);
		count("coherency_events", "flushed_lines", 1);
	}
}

/* A CPU that accesses the page uncached sees what the GPU wrote, as after a flush of these lines. */
static void drop_newer(struct coherency *c, struct cached_page *p, uint8_t *ram)
{
	flush_lines(c, p, ram, atomic_load(&p->lines->newer));
}

/* The CPU maps the page uncached. Pages that were never flushed may not belong to an object yet. */
static void mapped_uncached(struct gpu *gpu, struct cached_page *p, uint8_t *ram)
{
	struct coherency *c = gpu->coherency;
	uint64_t lines = p->uncached || !p->maps ? 0 : atomic_load(&p->lines->known);

	for (lines = report_dirty(gpu, p, ram, lines, FOUND_UNCACHED, NULL); c->stale && lines; lines &= lines - 1) {
		unsigned int at = (unsigned int)__builtin_ctzll(lines) * LINE;

		copy_racing(ram + at, p->lines->memory + at, LINE);
	}
	drop_newer(c, p, ram);
	p->uncached = true;
}

static void unmapped(struct gpu *gpu, struct cached_page *p, uint8_t *ram)
{
	struct coherency *c = gpu->coherency;
	uint64_t newer;

	if (!p->maps || --p->maps)
		return;
	newer = atomic_load(&p->lines->newer);
	if (newer && p->client && !p->uncached)
		report(gpu, p, FOUND_UNMAP, NULL, (unsigned int)__builtin_ctzll(newer) * LINE, LINE);
	drop_newer(c, p, ram);
	forget_page(c, p);
}

static void cpu_reads(struct gpu *gpu, struct cached_page *p, uint8_t *ram, uint64_t lines)
{
	for (lines &= p->uncached ? 0 : atomic_load(&p->lines->newer); lines; lines &= lines - 1) {
		unsigned int line = (unsigned int)__builtin_ctzll(lines);

		report(gpu, p, FOUND_CPU_READ, NULL, line * LINE, LINE);
		if (!gpu->coherency->stale)
			flush_line(gpu->coherency, p, ram, line);
	}
}

/* Lines of a page that have none but these bytes of it. */
static uint64_t whole_lines_of(uint64_t from, uint64_t len)
{
	uint64_t first = (from + LINE - 1) / LINE, end = (from + len) / LINE;

	return first < end ? lines_of(first * LINE, (end - first) * LINE) : 0;
}

/* A part of one page. */
static void happen(struct gpu *gpu, uint32_t kind, uint64_t pa, size_t len)
{
	struct coherency *c = gpu->coherency;
	uint8_t *ram = gmem_ptr(gpu, pa / PAGE * PAGE, PAGE, true);
	bool makes = kind != COHERENCY_UNMAP && kind != COHERENCY_CACHED && kind != COHERENCY_CPU_READS &&
		     kind != COHERENCY_OVERWRITES && kind != COHERENCY_OVERWRITTEN;
	struct cached_page *p = !ram ? NULL : makes ? get_page(c, pa / PAGE) : find_page(c, pa);
	uint64_t lines = lines_of(pa % PAGE, len);

	if (!p)
		return;
	switch (kind) {
	case COHERENCY_MAP:
	case COHERENCY_MAP_CLIENT:
		p->maps++;
		p->client = kind == COHERENCY_MAP_CLIENT;
		if (c->object.handle)
			p->object = c->object;
		c->object.page++;
		/* What happened to the driver's own pages before their allocation does not matter. */
		p->uncached = p->uncached && p->client;
		break;
	case COHERENCY_UNMAP:
		unmapped(gpu, p, ram);
		break;
	case COHERENCY_FLUSH:
		flushed(gpu, p, ram, lines);
		break;
	case COHERENCY_UNCACHED:
		mapped_uncached(gpu, p, ram);
		break;
	case COHERENCY_CACHED:
		p->uncached = false;
		atomic_store(&p->lines->newer, 0);
		settle(c, p, ram, 0, PAGE);
		break;
	case COHERENCY_CPU_READS:
		cpu_reads(gpu, p, ram, lines);
		break;
	case COHERENCY_OVERWRITES:
		p->overwritten |= whole_lines_of(pa % PAGE, len);
		break;
	case COHERENCY_OVERWRITTEN:
		p->overwritten &= ~lines;
		break;
	}
}

static void flush_all(struct gpu *gpu)
{
	struct coherency *c = gpu->coherency;

	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct cached_page *p = c->bucket[i]; p; p = p->next) {
			uint8_t *ram = gmem_ptr(gpu, p->number * PAGE, PAGE, true);

			if (ram)
				flushed(gpu, p, ram, ~0ull);
		}
}

/* What the plugin cannot know by itself, or the module cannot. c->lock held. */
static void tell_plugin(struct gpu *gpu, const struct coherency_event *e)
{
	struct coherency_state *state = gpu->coherency->state;
	uint64_t *to;

	if (!state) {
		count("coherency_events", "bad", 1);
		return;
	}
	if (e->kind == COHERENCY_PAT)
		atomic_store(&state->pat, e->address);
	else if (e->kind == COHERENCY_NO_FENCE)
		atomic_store(&state->ignored_fence, e->address);
	to = e->kind == COHERENCY_FENCES ? gmem_ptr(gpu, atomic_load(&gpu->coherency->events), PAGE, true) : NULL;
	for (unsigned int i = 0; to && i < COHERENCY_FOUND; i++)
		__atomic_store_n(to + i, atomic_load(&state->fence_ip[i]), __ATOMIC_RELEASE);
}

static void take_event(struct gpu *gpu, const struct coherency_event *e)
{
	static const char *const names[] = {
		[COHERENCY_MAP] = "maps", [COHERENCY_MAP_CLIENT] = "maps_client", [COHERENCY_UNMAP] = "unmaps",
		[COHERENCY_FLUSH] = "flushes", [COHERENCY_FLUSH_ALL] = "flushes_of_all",
		[COHERENCY_UNCACHED] = "uncached", [COHERENCY_CACHED] = "cached", [COHERENCY_CPU_READS] = "cpu_reads",
		[COHERENCY_PAT] = "pats", [COHERENCY_NO_FENCE] = "fences_ignored", [COHERENCY_FENCES] = "fences_listed",
		[COHERENCY_OBJECT] = "objects", [COHERENCY_OVERWRITES] = "overwrites",
		[COHERENCY_OVERWRITTEN] = "overwritten",
	};
	uint64_t pa = e->address, left = e->kind == COHERENCY_OBJECT ? 0 : e->bytes;

	if (e->kind >= ARRAY_SIZE(names) || !names[e->kind] || left > COHERENCY_MOST_BYTES || pa > UINT64_MAX - left) {
		count("coherency_events", "bad", 1);
		return;
	}
	count("coherency_events", names[e->kind], 1);
	pthread_mutex_lock(&gpu->coherency->lock);
	take_found(gpu);
	if (e->kind == COHERENCY_FLUSH_ALL)
		flush_all(gpu);
	else if (e->kind >= COHERENCY_PAT && e->kind <= COHERENCY_FENCES)
		tell_plugin(gpu, e);
	while (left && e->kind != COHERENCY_FLUSH_ALL) {
		size_t len = PAGE - pa % PAGE < left ? PAGE - pa % PAGE : left;

		happen(gpu, e->kind, pa, len);
		pa += len;
		left -= len;
	}
	gpu->coherency->object = (struct object_page){ 0 };
	if (e->kind == COHERENCY_OBJECT)
		gpu->coherency->object = (struct object_page){
			.process = (uint32_t)(e->address >> 32), .handle = (uint32_t)e->address, .page = e->bytes,
		};
	pthread_mutex_unlock(&gpu->coherency->lock);
}

/**
 * coherency_use_page() - takes the page in which events are told
 * @gpu: the device
 * @number: the page's, in guest memory
 */
void coherency_use_page(struct gpu *gpu, uint32_t number)
{
	atomic_store(&gpu->coherency->events, (uint64_t)number * PAGE);
}

uint32_t coherency_magic(struct gpu *gpu)
{
	struct coherency_state *state = gpu->coherency->state;

	if (!state)
		return COHERENCY_MAGIC;
	return atomic_load(&state->watching) ? COHERENCY_MAGIC_WATCHING : COHERENCY_MAGIC_PLUGIN;
}

/**
 * coherency_findings() - how many findings there were
 * @gpu: the device
 *
 * Takes a leaf lock.
 */
uint32_t coherency_findings(struct gpu *gpu)
{
	pthread_mutex_lock(&gpu->coherency->lock);
	take_found(gpu);
	pthread_mutex_unlock(&gpu->coherency->lock);
	return atomic_load(&gpu->coherency->findings);
}

void coherency_add_finding(struct gpu *gpu)
{
	atomic_fetch_add(&gpu->coherency->findings, 1);
}

/**
 * coherency_use_state() - lets the plugin's state be used
 * @gpu: the device, with gpu->instructions; no page was mapped yet
 *
 * With a last level cache as well, where the guest tells the plugin what it needs, but no access is judged.
 *
 * Return: 0, or -1 with errno.
 */
int coherency_use_state(struct gpu *gpu)
{
	if (!gpu->coherency && make(gpu))
		return -1;
	gpu->coherency->state = gpu->instructions;
	return 0;
}

/**
 * coherency_take_events() - takes the events of the page
 * @gpu: the device
 * @n: how many there are
 *
 * The transport's thread. All have happened when it returns.
 */
void coherency_take_events(struct gpu *gpu, uint32_t n)
{
	uint64_t page = atomic_load(&gpu->coherency->events);
	struct coherency_event e;

	if (!page || n > COHERENCY_EVENTS) {
		count("coherency_events", "bad", 1);
		return;
	}
	/* The map of guest memory waits for views. */
	pthread_mutex_lock(&gpu->gtt->aperture_lock);
	view_enter(&gpu->gtt->aperture_view);
	for (uint32_t i = 0; i < n; i++) {
		const void *from = gmem_ptr(gpu, page + i * sizeof(e), sizeof(e), false);

		if (!from)
			break;
		gmem_copy_from(&e, from, sizeof(e));
		take_event(gpu, &e);
	}
	view_leave(&gpu->gtt->aperture_view);
	pthread_mutex_unlock(&gpu->gtt->aperture_lock);
}
