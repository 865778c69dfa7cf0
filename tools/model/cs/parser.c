// SPDX-License-Identifier: MIT
/**
 * DOC: The command streamer's parser
 *
 * Commands come from the ring, in the GGTT, and from batches that it starts, in the GGTT
 * (privileged) or in the context's PPGTT (not privileged). There is an address for the ring, one
 * for a batch and one for a second-level batch, no stack: a batch that starts another one at its
 * own level does not get control back (DG1 Vol 2a, "MI_BATCH_BUFFER_START"). The parser fetches a
 * cache line at a time, so a command that was changed while its line is parsed is executed as it
 * was.
 *
 * Before each command the thread looks at requests. A new list may preempt between commands of the
 * ring and, in a batch, at the preemptible commands: MI_ARB_CHECK, MI_SEMAPHORE_WAIT, 3DPRIMITIVE,
 * the walkers and MEDIA_OBJECT (DG1 Vol 2a, "MI_BATCH_BUFFER_START", list of preemptible commands),
 * unless MI_ARB_ON_OFF forbids it. Its addresses are then saved such that each command is executed
 * exactly once.
 *
 * Commands of the 3D and media pipelines are counted and skipped, but for GPGPU_WALKER, whose groups
 * run in the pipeline (pipeline.c) while parsing goes on. An unknown one stops the engine.
 */
#include <string.h>
#include <time.h>

#include "cs/cs.h"
#include "regs/regs.h"
#include "igen/cmd/mi.h"

/*
 * A batch that jumps from the same place again and again is a loop that waits for something, and one
 * that goes on and on has run off its end: the engine gives the machine a break. A chain of batches is no
 * loop, however long. A ring may be as endless, by a tail that its head never meets or by batches that
 * start it anew: the engine rests when the CPU has not written a register for long.
 */
#define JUMPS_BEFORE_SLEEP	32
#define COMMANDS_BEFORE_SLEEP	(1u << 20)
#define COMMANDS_A_SLEEP	4096
#define COMMANDS_ALONE		(1u << 20)
#define LOOP_SLEEP_US		200
#define DELAY_UNIT_NS		50000

#define CS_LINE_BYTES		(CS_LINE_DWORDS * 4)

static const struct vm_ref ggtt = { .ggtt = true };

bool cs_privileged(const struct engine *e)
{
	return e->cs.level == CS_RING || !e->cs.batch[e->cs.level].ppgtt;
}

uint64_t cs_address(const struct engine *e)
{
	return e->cs.addr_before;
}

/* gpu->lock held: the parser's state from the ring registers. */
void cs_start_ring(struct engine *e)
{
	struct cs *cs = &e->cs;

	cs->level = CS_RING;
	cs->ring_start = reg_get(e, RING_START(0));
	cs->ring_size = (IGEN_GET(RING_CTL_LENGTH_MASK, reg_get(e, RING_CTL(0))) + 1) * 4096;
	cs->arbitrate = e->submission->lists || !e->ring_arb_off;
	cs->no_lite_restore = false;
	cs->predicated = cs->predicated && !e->gpu->config.predicate_confined;
	cs->workaround = false;
	cs->sema_reported = false;
	cs->jumps = 0;
	cs->jumped = false;
	memset(cs->jump_from, 0, sizeof(cs->jump_from));
	cs->commands = 0;
	cs->list_seen = atomic_load(&e->list_seq) - 1;
	cs->line_addr = CS_NO_LINE;
	cs->addr_before = cs->ring_start + (reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK);
	if (!execlists_enabled(e))
		e->submission->ring_space(e, &cs->ppgtt);
}

static void save_batch(struct engine *e, const struct cs_batch *b, bool valid, uint32_t low,
		       uint32_t high, uint32_t state)
{
	reg_set(e, low, (uint32_t)b->addr | (valid ? BB_HEAD_VALID : 0));
	reg_set(e, high, (uint32_t)(b->addr >> 32));
	reg_set(e, state, b->ppgtt ? BB_STATE_PPGTT : 0);
}

static bool restore_batch(struct engine *e, struct cs_batch *b, uint32_t low, uint32_t high,
			  uint32_t state)
{
	b->addr = ((uint64_t)reg_get(e, high) << 32 | reg_get(e, low)) & ~3ull;
	b->ppgtt = reg_get(e, state) & BB_STATE_PPGTT;
	return reg_get(e, low) & BB_HEAD_VALID;
}

void cs_save_batches(struct engine *e)
{
	struct cs *cs = &e->cs;

	save_batch(e, &cs->batch[CS_BATCH], cs->level >= CS_BATCH, RING_BB_HEAD_L(0),
		   RING_BB_HEAD_U(0), RING_BB_STATE(0));
	save_batch(e, &cs->batch[CS_SECOND], cs->level == CS_SECOND, RING_SBB_HEAD_L(0),
		   RING_SBB_HEAD_U(0), RING_SBB_STATE(0));
}

void cs_restore_batches(struct engine *e)
{
	struct cs *cs = &e->cs;

	if (!restore_batch(e, &cs->batch[CS_BATCH], RING_BB_HEAD_L(0), RING_BB_HEAD_U(0),
			   RING_BB_STATE(0)))
		return;
	cs->level = CS_BATCH;
	if (restore_batch(e, &cs->batch[CS_SECOND], RING_SBB_HEAD_L(0), RING_SBB_HEAD_U(0),
			  RING_SBB_STATE(0)))
		cs->level = CS_SECOND;
}

static uint32_t head_of(struct engine *e)
{
	return reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK;
}

bool cs_ring_empty(struct engine *e)
{
	return head_of(e) == (reg_get(e, RING_TAIL(0)) & RING_TAIL_MASK);
}

/* The head moves on; at the ring's end it wraps and counts that in its high bits. */
static void advance(struct engine *e, unsigned int dwords)
{
	struct cs *cs = &e->cs;
	uint32_t head = reg_get(e, RING_HEAD(0));
	uint32_t at;

	if (cs->level != CS_RING) {
		cs->batch[cs->level].addr += dwords * 4;
		return;
	}
	at = (head & RING_HEAD_MASK) + dwords * 4;
	head &= RING_HEAD_WRAP_MASK;
	if (at >= cs->ring_size) {
		at %= cs->ring_size;
		head += IGEN_LSB(RING_HEAD_WRAP_MASK);
	}
	reg_set(e, RING_HEAD(0), head | at);
}

/**
 * cs_check_tail - looks at a ring's new tail, with the setting for that
 * @e: the engine; its registers have the head, and the size of the ring
 * @old: the tail before, which the head has not passed
 * @new: the tail that the driver has written
 */
void cs_check_tail(struct engine *e, uint32_t old, uint32_t new)
{
	uint32_t size = (IGEN_GET(RING_CTL_LENGTH_MASK, reg_get(e, RING_CTL(0))) + 1) * 4096;
	uint32_t head = head_of(e);

	if (!e->gpu->config.ring_checks)
		return;
	if (new % 8)
		cs_finding(e, "ring-tail-unaligned: a tail is no multiple of eight bytes");
	if (new >= size) {
		cs_finding(e, "ring-tail-outside: a tail lies beyond the ring's end");
		return;
	}
	/* Bytes between head and old tail plus new bytes: if they fill the ring, the tail has reached the head. */
	if (old < size && head < size && (old + size - head) % size + (new + size - old) % size >= size)
		cs_finding(e, "ring-tail-passes-head: a tail goes past the head, or back over commands");
	/* Gen6 and Gen7 lose their place (stock i915, intel_ring.h: "the Head Pointer must not be greater"). */
	if (!e->submission->lists && head / CS_LINE_BYTES == new / CS_LINE_BYTES && head > new)
		cs_finding(e, "ring-tail-cacheline: a tail in front of the head in the same cache line");
}

void cs_rewind(struct engine *e)
{
	struct cs *cs = &e->cs;

	if (cs->level == CS_RING)
		reg_set(e, RING_HEAD(0), cs->head_before);
	else
		cs->batch[cs->level].addr = cs->addr_before;
	cs->line_addr = CS_NO_LINE;
}

/* Where dword i of the command is, and in which address space. */
static uint64_t address_of(struct engine *e, unsigned int i, struct vm_ref *vm)
{
	struct cs *cs = &e->cs;

	if (cs->level == CS_RING) {
		*vm = ggtt;
		return cs->ring_start + (head_of(e) + i * 4) % cs->ring_size;
	}
	*vm = cs_vm(e, !cs->batch[cs->level].ppgtt);
	return cs->batch[cs->level].addr + i * 4;
}

/*
 * What silicon reads ahead of a batch's line: a batch in the last page of the GGTT has hung it (stock i915, "one page
 * should be enough to keep any prefetching inside of the aperture"), and it is 512 bytes on Gen12 (Linux's xe,
 * bb_prefetch()). Nothing is kept, so only whether it could be read matters. Where a ring's prefetch goes on at its end
 * is in no text.
 */
static void prefetch(struct engine *e, const struct vm_ref *vm, uint64_t line)
{
	uint64_t last = line + e->gpu->config.prefetch_lines * sizeof(e->cs.line);
	uint32_t dw;

	for (uint64_t page = (line | 4095) + 1; page <= last && e->cs.level != CS_RING; page += 4096) {
		if (vm_read32(&e->view, vm, page, &dw))
			continue;
		if (vm->ggtt)
			cs_finding(e, "prefetch-unmapped: behind a batch in the GGTT is a page without a valid entry");
		else
			engine_count(e, "prefetch_faults");
	}
}

/* Has the line of an address in cs->line; false on a fault. */
static bool fetch_line(struct engine *e, const struct vm_ref *vm, uint64_t addr)
{
	uint64_t line = addr & ~(uint64_t)(sizeof(e->cs.line) - 1);
	struct cs *cs = &e->cs;
	uint32_t tail = 0;

	if (cs->level == CS_RING)
		tail = reg_get(e, RING_TAIL(0));
	if (cs->line_addr == line && (cs->level != CS_RING || cs->line_tail == tail))
		return true;
	cs->line_addr = CS_NO_LINE;
	if (!vm_read(&e->view, vm, line, cs->line, sizeof(cs->line)))
		return false;
	cs->line_tail = tail;
	cs->line_addr = line;
	if (e->gpu->config.prefetch_lines)
		prefetch(e, vm, line);
	return true;
}

/*
 * Copies less than a line in parts of fixed size: commands are short, and string instructions are slow for them.
 * Large parts come first, because a processor waits when it loads a qword that two stores have just written.
 */
static inline void take_parts(uint32_t *to, const uint32_t *from, unsigned int n)
{
	if (n & 8) {
		memcpy(to, from, 32);
		to += 8;
		from += 8;
	}
	if (n & 4) {
		memcpy(to, from, 16);
		to += 4;
		from += 4;
	}
	if (n & 2) {
		memcpy(to, from, 8);
		to += 2;
		from += 2;
	}
	if (n & 1)
		*to = *from;
}

static inline void take(struct cs *cs, unsigned int have, unsigned int at, unsigned int n)
{
	if (n < CS_LINE_DWORDS)
		take_parts(&cs->dw[have], &cs->line[at], n);
	else
		memcpy(&cs->dw[have], cs->line, sizeof(cs->line));
}

/* The command's dwords from `have` on, up to n, line by line; less on a fault, which report tells of. */
static unsigned int fetch_lines(struct engine *e, unsigned int have, unsigned int n, bool report)
{
	struct cs *cs = &e->cs;
	struct vm_ref vm;

	while (have < n) {
		uint64_t addr = address_of(e, have, &vm);
		unsigned int at = addr % sizeof(cs->line) / 4, part = CS_LINE_DWORDS - at;

		if (!fetch_line(e, &vm, addr)) {
			if (report)
				gpu_page_fault(e->gpu, e->info, &vm, addr, PAGE_FAULT_READ);
			break;
		}
		/* A ring ends with a line. */
		part = part < n - have ? part : n - have;
		take(cs, have, at, part);
		have += part;
	}
	return have;
}

/* fetch_lines() with a short way: in batches most commands lie in the line that is there. */
static inline unsigned int fetch(struct engine *e, unsigned int have, unsigned int n, bool report)
{
	struct cs *cs = &e->cs;
	uint64_t behind;

	if (cs->level == CS_RING)
		return fetch_lines(e, have, n, report);
	behind = cs->batch[cs->level].addr + have * 4 - cs->line_addr;
	if (behind >= sizeof(cs->line) || behind + (n - have) * 4 > sizeof(cs->line))
		return fetch_lines(e, have, n, report);
	take(cs, have, (unsigned int)behind / 4, n - have);
	return n;
}

/* Counts the command, whose place in the decode table is given. */
static void count_command(struct engine *e, size_t place)
{
	_Atomic uint64_t **counter = &e->command_counters[place];

	if (!*counter)
		*counter = counter_own("commands", e->cs.cmd->name, e->info->id);
	counter_add(e->commands, 1);
	counter_add(*counter, 1);
}

void cs_owe_delay(struct engine *e, uint64_t ns)
{
	struct timespec t;

	if (clock_pass(ns))
		return;
	e->cs.delay_ns += ns;
	if (e->cs.delay_ns < DELAY_UNIT_NS)
		return;
	t.tv_sec = (time_t)(e->cs.delay_ns / 1000000000);
	t.tv_nsec = (long)(e->cs.delay_ns % 1000000000);
	e->cs.delay_ns = 0;
	nanosleep(&t, NULL);
}

void cs_start_batch(struct engine *e, uint64_t addr, bool ppgtt, bool second)
{
	struct cs *cs = &e->cs;

	if (cs->level == CS_RING) {
		cs_find_breadcrumb(e, addr & IGEN_MASK64(47, 2));
		cs->level = CS_BATCH;
	} else if (cs->level == CS_BATCH && second) {
		cs->level = CS_SECOND;
	}
	cs->batch[cs->level].addr = addr & IGEN_MASK64(47, 2);
	cs->batch[cs->level].ppgtt = ppgtt;
	cs->line_addr = CS_NO_LINE;
	reg_set(e, RING_BB_START_ADDR(0), (uint32_t)addr);
	reg_set(e, RING_BB_START_ADDR_U(0), (uint32_t)(addr >> 32));
}

void cs_end_batch(struct engine *e, bool all_levels)
{
	struct cs *cs = &e->cs;

	cs->line_addr = CS_NO_LINE;
	cs->level = cs->level == CS_SECOND && !all_levels ? CS_BATCH : CS_RING;
	if (cs->level == CS_RING)
		reg_set(e, RING_BB_HEAD_L(0), reg_get(e, RING_BB_HEAD_L(0)) & ~BB_HEAD_VALID);
}

static void rest(struct engine *e)
{
	engine_count(e, "rests");
	pthread_mutex_lock(&e->gpu->lock);
	if (!(engine_requests(e) & ENGINE_STOPS)) {
		engine_set_state(e, ENGINE_POLLING);
		engine_sleep(e, LOOP_SLEEP_US);
		engine_set_state(e, ENGINE_RUNNING);
	}
	pthread_mutex_unlock(&e->gpu->lock);
}

/* Has this batch jumped from here before, and often from such places? A place whose slot another one took is new. */
static bool loops(struct cs *cs)
{
	uint64_t *slot = &cs->jump_from[(cs->addr_before >> 2 ^ cs->addr_before >> 12) % CS_JUMPS];

	if (*slot != cs->addr_before + 1) {
		*slot = cs->addr_before + 1;
		cs->jumped = true;
		return false;
	}
	return ++cs->jumps >= JUMPS_BEFORE_SLEEP;
}

static void rest_in_loops(struct engine *e, bool jumps)
{
	struct cs *cs = &e->cs;
	uint64_t cpu = atomic_load_explicit(&e->gpu->cpu_writes, memory_order_relaxed);

	if (cpu != cs->cpu_seen) {
		cs->cpu_seen = cpu;
		cs->alone = 0;
	}
	if (++cs->alone >= COMMANDS_ALONE && !(cs->alone % COMMANDS_A_SLEEP))
		rest(e);
	if (cs->level == CS_RING) {
		if (cs->jumped)
			memset(cs->jump_from, 0, sizeof(cs->jump_from));
		cs->jumped = false;
		cs->jumps = 0;
		cs->commands = 0;
		return;
	}
	cs->commands++;
	if ((jumps && loops(cs)) ||
	    (cs->commands >= COMMANDS_BEFORE_SLEEP && !(cs->commands % COMMANDS_A_SLEEP)))
		rest(e);
}

/* Where the command is, before its address is moved on. */
static void locate(struct engine *e)
{
	struct cs *cs = &e->cs;

	cs->head_before = reg_get(e, RING_HEAD(0));
	if (cs->level == CS_RING)
		cs->addr_before = cs->ring_start + (cs->head_before & RING_HEAD_MASK);
	else
		cs->addr_before = cs->batch[cs->level].addr;
}

static void publish(struct engine *e, uint32_t header)
{
	struct cs *cs = &e->cs;

	if (cs->level != CS_RING) {
		reg_set(e, RING_BB_HEAD_L(0), (uint32_t)cs->batch[CS_BATCH].addr | BB_HEAD_VALID);
		reg_set(e, RING_BB_HEAD_U(0), (uint32_t)(cs->batch[CS_BATCH].addr >> 32));
		reg_set(e, RING_BB_STATE(0), cs->batch[CS_BATCH].ppgtt ? BB_STATE_PPGTT : 0);
	}
	reg_set(e, RING_ACTHD(0), (uint32_t)cs->addr_before);
	reg_set(e, RING_ACTHD_UDW(0), (uint32_t)(cs->addr_before >> 32));
	reg_set(e, RING_DMA_FADD(0), (uint32_t)cs->addr_before);
	reg_set(e, RING_DMA_FADD_UDW(0), (uint32_t)(cs->addr_before >> 32));
	reg_set(e, RING_IPEHR(0), header);
}

void cs_publish(struct engine *e, uint32_t header)
{
	locate(e);
	publish(e, header);
}

enum cs_result cs_blit(struct engine *e)
{
	const struct igen_cmd *cmd = e->cs.cmd;
	const char *error;

	e->blt.vm = e->cs.ppgtt;
	e->blt.swctrl = reg_get(e, BCS_SWCTRL - BCS0_BASE);
	e->blt.swizzle = gtt_engines_swizzle(e->gpu);
	e->blt.stopped = false;
	view_enter(&e->blt.view);
	error = blt_execute(&e->blt, cmd, e->dispatch[cmd - e->decoder->set->cmds].blt, e->cs.dw, e->cs.len);
	view_leave(&e->blt.view);
	if (e->blt.stopped)
		return CS_STOPPED;
	return cs_refuse(e, error);
}

enum cs_result cs_refuse(struct engine *e, const char *error)
{
	return error ? engine_halt(e, EIR_INSTRUCTION_ERROR, error) : CS_CONTINUE;
}

/* The fields that the command's handler needs are not there. */
static enum cs_result short_command(struct engine *e)
{
	char why[96];

	count("short_commands", e->cs.cmd->name, 1);
	if (!e->gpu->config.strict)
		return CS_CONTINUE;
	snprintf(why, sizeof(why), "%s of less than %u dwords", e->cs.cmd->name, e->cs.cmd->takes);
	return engine_halt(e, EIR_INSTRUCTION_ERROR, why);
}

/* Does a command wait until all media threads have ended? */
static bool waits_for_threads(const struct engine *e, const struct cs_dispatch *d)
{
	if (!e->cs.media_threads || d->flags & CS_MEDIA)
		return false;
	return !(d->flags & (CS_STARTS | CS_ENDS)) || !media_has_open_groups(e->media);
}

static enum cs_result execute(struct engine *e, const struct cs_dispatch *d)
{
	enum cs_result r = CS_CONTINUE;
	bool yields;

	if (e->cs.len < d->least)
		return short_command(e);
	if (waits_for_threads(e, d))
		r = cs_media_drain(e);
	if (r == CS_CONTINUE)
		r = d->execute(e);
	if (r != CS_CONTINUE || !(d->flags & CS_POINT) || !(engine_requests(e) & ENGINE_LIST) || e->cs.workaround)
		return r;
	r = cs_media_yields(e, &yields);
	return r == CS_CONTINUE && yields ? e->submission->arbitrate(e, true) : r;
}

static enum cs_result unknown_command(struct engine *e, uint32_t header)
{
	char name[16];

	/* Counts by the bits that the decoder looks at. The guest's other bits would make a name for each header. */
	snprintf(name, sizeof(name), "%08x", header & 0xffff0000);
	count("unknown_opcodes", name, 1);
	if (e->gpu->config.strict)
		return engine_halt(e, EIR_INSTRUCTION_ERROR, "unknown opcode");
	advance(e, 1);
	return CS_CONTINUE;
}

/* Only MI_SET_PREDICATE ends predication (DG1 Vol 2a); a batch's end, if the setting says so, passes it on. */
static bool is_predicated(const struct engine *e, const struct cs_dispatch *d)
{
	if (d->flags & CS_ENDS)
		return e->gpu->config.predicate_confined;
	return !(d->flags & CS_PREDICATES);
}

static enum cs_result fetch_fault(struct engine *e)
{
	return engine_halt(e, EIR_PAGE_TABLE_ERROR, "page fault on a fetch");
}

/* Fetches and executes one command. */
static enum cs_result step(struct engine *e)
{
	const struct cs_dispatch *d;
	struct cs *cs = &e->cs;
	unsigned int want, have;
	uint32_t header;
	size_t place;

	locate(e);
	if (!fetch(e, 0, 1, true)) {
		publish(e, reg_get(e, RING_IPEHR(0)));
		return fetch_fault(e);
	}
	header = cs->dw[0];
	publish(e, header);
	cs->cmd = igen_lookup(e->decoder, header);
	if (!cs->cmd)
		return unknown_command(e, header);
	place = cs->cmd - e->decoder->set->cmds;
	d = &e->dispatch[place];
	cs->len = igen_cmd_dwords(cs->cmd, header);
	/* A command without an effect needs only its header. */
	want = d->flags & CS_WHOLE ? cs->len : 1;
	if (want > CS_MAX_DWORDS)
		return engine_halt(e, EIR_INSTRUCTION_ERROR, "command longer than any");
	/* With the header once more: the command's first dwords are one part of its copy. */
	have = want > 1 ? fetch(e, 0, want, true) : 1;
	if (have < want)
		return fetch_fault(e);
	/* But for the validator. */
	if (e->checker && have < cs->len)
		have = fetch(e, have, cs->len < CS_MAX_DWORDS ? cs->len : CS_MAX_DWORDS, false);
	/* The guest may have changed it in between. */
	cs->dw[0] = header;
	/* Dwords that the short form of a command lacks are zero, not those of the command before. */
	for (unsigned int i = have; i < cs->filled; i++)
		__atomic_store_n(&cs->dw[i], 0, __ATOMIC_RELAXED);
	cs->filled = have;
	if (cs->level == CS_RING && e->gpu->config.ring_checks &&
	    (cs->head_before & RING_HEAD_MASK) + cs->len * 4 > cs->ring_size)
		cs_finding(e, "ring-wrap: a command goes on over the ring's end");
	advance(e, cs->len);
	count_command(e, place);
	if (e->gpu->config.command_delay_ns)
		cs_owe_delay(e, e->gpu->config.command_delay_ns);
	rest_in_loops(e, d->flags & CS_STARTS);
	if (cs->predicated && is_predicated(e, d))
		return CS_CONTINUE;
	if (e->checker)
		cs_check_command(e, have);
	return execute(e, d);
}

/* Serves the requests to the thread (reset, park, a new list) before it parses the next command. */
static enum cs_result look_at_requests(struct engine *e)
{
	uint32_t r = engine_requests(e);
	bool point, yields;

	if (r & ENGINE_STOPS)
		return CS_STOPPED;
	if (r & ENGINE_PARK && engine_park(e) == CS_STOPPED)
		return CS_STOPPED;
	if (!(r & ENGINE_LIST) || e->cs.workaround)
		return CS_CONTINUE;
	/* A ring that ran out is complete rather than preempted. */
	point = e->cs.level == CS_RING && e->cs.arbitrate && !cs_ring_empty(e);
	if (point && e->cs.media_threads) {
		if (cs_media_yields(e, &yields) != CS_CONTINUE)
			return CS_STOPPED;
		point = yields;
	}
	if (!point && e->cs.list_seen == atomic_load(&e->list_seq))
		return CS_CONTINUE;
	return e->submission->arbitrate(e, point);
}

/* Under gpu->lock, which stays held if so: is there really nothing more? */
static bool complete(struct engine *e)
{
	pthread_mutex_lock(&e->gpu->lock);
	if (!(engine_requests(e) & ~(uint32_t)ENGINE_LIST) && cs_ring_empty(e) &&
	    (!(engine_requests(e) & ENGINE_LIST) || e->cs.list_seen == atomic_load(&e->list_seq)))
		return true;
	pthread_mutex_unlock(&e->gpu->lock);
	return false;
}

enum cs_result cs_run(struct engine *e)
{
	enum cs_result r = CS_CONTINUE;

	pthread_mutex_lock(&e->gpu->lock);
	cs_pipeline_go(e);
	pthread_mutex_unlock(&e->gpu->lock);
	/* Without workers the engine waits at a walker, so it first finishes one that was preempted in this context. */
	if (!e->gpu->config.workers)
		r = cs_pipeline_wait(e, PIPELINE_EMPTY, true);
	while (r == CS_CONTINUE) {
		if (engine_requests(e)) {
			r = look_at_requests(e);
			if (r != CS_CONTINUE)
				return r;
		}
		if (cs_pipeline_needs_thread(e))
			cs_pipeline_poll(e);
		if (e->cs.level == CS_RING && cs_ring_empty(e)) {
			if (e->cs.media_threads)
				r = cs_media_drain(e);
			else if (e->pipeline.busy && e->pipeline.runs)
				r = cs_pipeline_wait(e, PIPELINE_EMPTY, false);
			else if (complete(e))
				return CS_COMPLETE;
			continue;
		}
		r = step(e);
	}
	return r;
}

enum cs_result cs_run_workaround(struct engine *e, uint64_t addr, uint32_t size)
{
	struct cs saved = e->cs;
	struct cs *cs = &e->cs;
	enum cs_result r = CS_CONTINUE;

	cs->level = CS_BATCH;
	cs->batch[CS_BATCH] = (struct cs_batch){ .addr = addr };
	cs->workaround = true;
	cs->line_addr = CS_NO_LINE;
	while (r == CS_CONTINUE && cs->level != CS_RING &&
	       (!size || cs->batch[CS_BATCH].addr < addr + size)) {
		if (engine_requests(e))
			r = look_at_requests(e);
		if (r == CS_CONTINUE)
			r = step(e);
	}
	if (r != CS_CONTINUE)
		return r;
	*cs = saved;
	cs_save_batches(e);
	return CS_CONTINUE;
}

struct vm_ref cs_vm(const struct engine *e, bool global)
{
	return global ? ggtt : e->cs.ppgtt;
}

uint32_t cs_read32(struct engine *e, bool global, uint64_t addr)
{
	struct vm_ref vm = cs_vm(e, global);
	uint32_t v = 0;

	if (vm_read32(&e->view, &vm, addr, &v))
		return v;
	gpu_page_fault(e->gpu, e->info, &vm, addr, PAGE_FAULT_READ);
	return 0;
}

uint64_t cs_read64(struct engine *e, bool global, uint64_t addr)
{
	struct vm_ref vm = cs_vm(e, global);
	uint64_t v = 0;

	if (vm_read64(&e->view, &vm, addr, &v))
		return v;
	gpu_page_fault(e->gpu, e->info, &vm, addr, PAGE_FAULT_READ);
	return 0;
}

void cs_write32(struct engine *e, bool global, uint64_t addr, uint32_t v)
{
	const struct vm_ref *vm = global ? &ggtt : &e->cs.ppgtt;

	if (!vm_write32(&e->view, vm, addr, v))
		gpu_page_fault(e->gpu, e->info, vm, addr, view_page_fault(&e->view, true));
}

void cs_write64(struct engine *e, bool global, uint64_t addr, uint64_t v)
{
	const struct vm_ref *vm = global ? &ggtt : &e->cs.ppgtt;

	if (!vm_write64(&e->view, vm, addr, v))
		gpu_page_fault(e->gpu, e->info, vm, addr, view_page_fault(&e->view, true));
}

uint64_t cs_status_page(const struct engine *e, bool global)
{
	struct engine *r = (struct engine *)e;

	if (e->info->status_page_reg)
		return atomic_load(&r->status_page);
	if (global || !execlists_enabled(r))
		return reg_get(r, RING_HWS_PGA(0));
	return e->list.desc[e->element] & CTX_DESC_LRCA_MASK;
}

uint32_t cs_reg_read(struct engine *e, uint32_t offset)
{
	uint32_t v;

	pthread_mutex_lock(&e->gpu->lock);
	v = mmio_read(e->gpu, offset & MI_REGISTER_MASK, false);
	pthread_mutex_unlock(&e->gpu->lock);
	return v;
}

void cs_raise(struct engine *e, uint32_t bit)
{
	pthread_mutex_lock(&e->gpu->lock);
	engine_raise(e, bit);
	pthread_mutex_unlock(&e->gpu->lock);
}
