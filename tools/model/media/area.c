// SPDX-License-Identifier: MIT
/**
 * DOC: The area of a group that was preempted inside
 *
 * At mid-thread level a context may leave the engine in the middle of a thread group. Its threads and its shared local
 * memory then go to memory of the context, from GPGPU_CSR_BASE_ADDRESS on (BXT Vol 6, "GPGPU Context Switch")::
 *
 *	+0			shared local memory of each subslice, 64 KB
 *	+64 KB * subslices	threads, 8 KB each: by subslice, execution unit and thread
 *
 * At this level the model runs one group at a time, on the first subslice; its threads take the execution units in
 * turn. Of a thread's 8 KB no text says what is where, since a system routine of the driver's choice (STATE_SIP)
 * stores the registers on silicon. Here the general registers come first, and struct arf behind them. No system
 * routine runs.
 *
 * The client can write the area while its context is away. So nothing of it leads out of the context: the program's
 * address and the system routine's come from the context's state again, and what is left are registers, whose values a
 * program may choose as well.
 */
#include <string.h>

#include "media/media.h"

#define SLM_STRIDE	0x10000u
#define THREAD_STRIDE	0x2000u
#define ARF_MAGIC	0x1d5aa4fau

/* A thread's other registers, behind its general ones. */
struct arf {
	uint32_t magic, ip, running, call_mask;
	uint32_t dispatch_mask, vector_mask, flag[2];
	uint16_t address[16];
	uint32_t sr[8], cr[4], n[4], tdr[4], sp[4], msg[8], dbg[2];
	uint32_t pc[EU_CHANNELS];
	uint64_t acc[EU_ACCS][EU_ACC_CELLS];
};

_Static_assert(EU_GRFS * EU_GRF_BYTES + sizeof(struct arf) <= THREAD_STRIDE, "a thread has 8 KB");

static uint64_t slot_of(const struct shared *s, uint64_t area, unsigned int index)
{
	const struct eu_platform *p = s->platform;
	unsigned int eu = index % p->area_eus, thread = index / p->area_eus;

	return area + (uint64_t)SLM_STRIDE * p->area_subslices +
	       (uint64_t)THREAD_STRIDE * (eu * p->area_threads + thread);
}

#define MOVE(to, from) do {						\
		_Static_assert(sizeof(to) == sizeof(from), "the same registers"); \
		memcpy(to, from, sizeof(to));				\
	} while (0)
#define MOVE_ALL(to, from) do {						\
		MOVE((to)->flag, (from)->flag);				\
		MOVE((to)->address, (from)->address);			\
		MOVE((to)->sr, (from)->sr);				\
		MOVE((to)->cr, (from)->cr);				\
		MOVE((to)->n, (from)->n);				\
		MOVE((to)->tdr, (from)->tdr);				\
		MOVE((to)->sp, (from)->sp);				\
		MOVE((to)->msg, (from)->msg);				\
		MOVE((to)->dbg, (from)->dbg);				\
		MOVE((to)->pc, (from)->pc);				\
		MOVE((to)->acc, (from)->acc);				\
		(to)->ip = (from)->ip;					\
		(to)->running = (from)->running;			\
		(to)->call_mask = (from)->call_mask;			\
		(to)->dispatch_mask = (from)->dispatch_mask;		\
		(to)->vector_mask = (from)->vector_mask;		\
	} while (0)

/**
 * area_fits - has the area room for a group?
 * @s: the shared functions
 * @threads: of the group
 *
 * Return: false if there are more threads than a subslice has, or the part has no such area.
 */
bool area_fits(const struct shared *s, unsigned int threads)
{
	return threads <= s->platform->area_eus * s->platform->area_threads;
}

/**
 * area_save_thread - stores a thread's registers
 * @s: the shared functions
 * @area: where the area begins
 * @index: the thread's number in the group
 * @thread: the thread, between two instructions
 *
 * Return: false if a page is not there, which is a page fault of the engine.
 */
bool area_save_thread(struct shared *s, uint64_t area, unsigned int index, const struct eu_thread *thread)
{
	uint64_t at = slot_of(s, area, index);
	struct arf arf = { .magic = ARF_MAGIC };

	MOVE_ALL(&arf, thread);
	return shared_write(s, at, thread->grf, sizeof(thread->grf)) &&
	       shared_write(s, at + sizeof(thread->grf), &arf, sizeof(arf));
}

/**
 * area_load_thread - has them back
 * @s: the shared functions
 * @area: where the area begins
 * @index: the thread's number in the group
 * @thread: as at its start, with its program and address space
 *
 * Return: false if a page is not there, or holds no thread.
 */
bool area_load_thread(struct shared *s, uint64_t area, unsigned int index, struct eu_thread *thread)
{
	uint64_t at = slot_of(s, area, index);
	struct arf arf;

	if (!shared_read(s, at, thread->grf, sizeof(thread->grf)) ||
	    !shared_read(s, at + sizeof(thread->grf), &arf, sizeof(arf)) || arf.magic != ARF_MAGIC)
		return false;
	MOVE_ALL(thread, &arf);
	return true;
}
