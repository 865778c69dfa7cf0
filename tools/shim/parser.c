// SPDX-License-Identifier: MIT
/**
 * DOC: Batches that the CPU checks first
 *
 * Ivy Bridge executes commands that write registers in batches with privilege alone. Sandy Bridge sends what a batch
 * without privilege stores through the global GTT. A kernel's driver checks a copy of such a batch, and the engine runs
 * the copy with privilege, from the global GTT. Here the check is the source of igen's command parser
 * (drivers/gpu/drm/igen/uapi/igen_cmdparser.c) with the tables of the command database, and what is around it decides
 * as igen does:
 *
 * ================ ======================================================================================
 * Ivy Bridge       A batch runs as a copy when it names registers and the parser allows all of it. Any
 *                  other batch runs itself, without privilege.
 * Sandy Bridge     A batch runs as a copy or not at all. Each store of the copy leads to the object's
 *                  place in the global GTT, and objects get such a place when a batch stores to them.
 * ================ ======================================================================================
 *
 * One batch runs at a time, so all batches are copied to one place. It grows, and is never freed. What earlier batches
 * have left behind a batch's end stays there: no command leads the engine past the end.
 */
#include "../parser/shim.h"

#include <errno.h>
#include <string.h>

#include "engine/engine.h"
#include "exec.h"
#include "igen/parse/gen6_bcs.h"
#include "igen/parse/gen6_rcs.h"
#include "igen/parse/gen6_vcs.h"
#include "igen/parse/gen7_bcs.h"
#include "igen/parse/gen7_rcs.h"
#include "igen/parse/gen7_vcs.h"
#include "igen_cmdparser.h"

#define CHUNK_DWORDS	64u		/* copied at a time, as by igen */
#define FIRST_ROOM	(64ull << 10)	/* bytes; a longer batch gets more */
#define MORE_ROOM	4
#define GUARD_BYTES	PAGE		/* behind the room: more than an engine prefetches */

struct tables {
	const struct igen_parse_cmd *cmds, *gfx;
	uint32_t num_gfx;
	const struct igen_parse_reg *regs;
};

#define TABLES(name)		{ .cmds = name##_cmds, .regs = name##_regs }
#define TABLES_GFX(name)	{ .cmds = name##_cmds, .regs = name##_regs, \
				  .gfx = name##_gfx, .num_gfx = ARRAY_SIZE(name##_gfx) }

static const struct tables gen6[ENGINE_CLASSES] = {
	[ENGINE_RENDER] = TABLES_GFX(gen6_rcs),
	[ENGINE_COPY] = TABLES(gen6_bcs),
	[ENGINE_VIDEO] = TABLES_GFX(gen6_vcs),
};

static const struct tables gen7[ENGINE_CLASSES] = {
	[ENGINE_RENDER] = TABLES_GFX(gen7_rcs),
	[ENGINE_COPY] = TABLES(gen7_bcs),
	[ENGINE_VIDEO] = TABLES_GFX(gen7_vcs),
};

static struct {
	uint8_t *cpu;
	uint64_t pa, ggtt, size;
} copy;

/* A check on its way. */
struct job {
	struct igen_batch_check check;
	const struct exec *x;
	const uint8_t *from;		/* the batch's first byte */
};

static const struct job *job_of(const struct igen_batch_check *check)
{
	return (const struct job *)((const char *)check - offsetof(struct job, check));
}

static int copy_chunk(struct igen_batch_check *check, u32 upto)
{
	uint32_t end = round_up(upto, CHUNK_DWORDS);

	if (end > check->room)
		end = check->room;
	memcpy(check->shadow + check->copied, job_of(check)->from + check->copied * sizeof(u32),
	       (end - check->copied) * sizeof(u32));
	check->copied = end;
	return 0;
}

/* The parser asks often, since a kernel may have to kill its caller. A process needs no help to be killed. */
static int never_killed(void)
{
	return 0;
}

/* Objects that the submission does not use leave the global GTT. */
static void evict(const struct exec *x)
{
	for (struct bo *bo = shim.bos; bo; bo = bo->next) {
		const struct vma *vma = vm_find(x->ctx->vm, bo);

		if (!vma || vma->seen != x->number)
			bo_unbind_global(bo);
	}
}

static int map_global(const struct exec *x, uint64_t pa, uint64_t size, uint64_t *addr)
{
	if (!ggtt_map(pa, size, addr))
		return 0;
	evict(x);
	return ggtt_map(pa, size, addr);
}

static int place_store(struct igen_batch_check *check, u32 address, u32 *ggtt)
{
	const struct exec *x = job_of(check)->x;
	struct vma *vma = vm_at(x->ctx->vm, address);
	struct bo *bo = vma ? vma->bo : NULL;

	/* Objects of other submissions, and what pads an object, are none of this batch's. */
	if (!vma || vma->seen != x->number || address - vma->addr >= bo->size)
		return -EACCES;
	if (!bo->global) {
		int err = map_global(x, bo->pa, bo->size, &bo->global);

		if (err)
			return err;
	}
	*ggtt = (uint32_t)(bo->global + (address - vma->addr));
	return 0;
}

/* Has the copy's place be large enough for so many bytes of a batch. */
static int copy_reserve(const struct exec *x, uint64_t bytes)
{
	uint64_t size = round_up(bytes, PAGE) + GUARD_BYTES, pa, ggtt;
	uint8_t *cpu;
	int err;

	if (copy.size >= size)
		return 0;
	cpu = memory_internal(size, &pa);
	if (!cpu)
		return -ENOMEM;
	err = map_global(x, pa, size, &ggtt);
	if (err) {
		memory_internal_free(cpu, pa, size);
		return err;
	}
	if (copy.cpu) {
		ggtt_unmap(copy.ggtt, copy.size);
		memory_internal_free(copy.cpu, copy.pa, copy.size);
	}
	copy.cpu = cpu;
	copy.pa = pa;
	copy.ggtt = ggtt;
	copy.size = size;
	return 0;
}

/* Into the copy that there is. Gives what igen_check_batch() does. */
static int check(const struct exec *x, const struct tables *tables, uint64_t addr, struct job *job)
{
	job->check = (struct igen_batch_check){
		.cmds = tables->cmds,
		.gfx = tables->gfx,
		.num_gfx = tables->num_gfx,
		.regs = tables->regs,
		.privilege = true,
		.skips = gpu_device()->platform->stores_global,
		.shadow = (u32 *)copy.cpu,
		.total = job->check.total,
		.room = job->check.room,
		.batch_addr = addr,
		.shadow_addr = copy.ggtt,
		.copy = copy_chunk,
		.place_store = place_store,
		.killed = never_killed,
	};
	job->x = x;
	return igen_check_batch(&job->check);
}

static void say_refused(const struct exec *x, uint64_t addr, const struct igen_batch_check *check, int err)
{
	shim_say("%s: the command parser refuses the batch at 0x%llx (%s) at dword %u or before",
		 gpu_engine(x->slot->engine)->name, (unsigned long long)addr, strerror(-err), check->end);
}

/**
 * exec_check_batch() - checks a batch, and makes the copy that runs in its place
 * @x: the submission, its objects bound and relocated
 * @o: the batch's object
 * @start: where the batch begins in it, in bytes
 * @batch: its address; gets the copy's, if there is one
 *
 * shim.exec and shim.lock held.
 *
 * Return: 0; -EACCES or -EINVAL for a batch that may not run, with a line on standard error; -ENOMEM or -ENOSPC.
 */
int exec_check_batch(const struct exec *x, const struct exec_object *o, uint64_t start, struct batch *batch)
{
	const struct platform *p = gpu_device()->platform;
	const struct engine_info *engine = gpu_engine(x->slot->engine);
	const struct tables *tables = p->stores_global ? &gen6[engine->class] : &gen7[engine->class];
	uint64_t bytes = x->args->batch_len ? x->args->batch_len : o->bo->size - start;
	struct job job = { .from = o->bo->cpu + start };
	uint64_t most, room;
	int err;

	/* A driver that does not say how long its batch is does not expect a check. */
	if (p->submission->lists || (!p->stores_global && !x->args->batch_len))
		return 0;
	/* There is no longer batch: an address space has fewer bytes. */
	most = bytes < UINT32_MAX ? bytes : UINT32_MAX & ~7u;
	room = most < FIRST_ROOM ? most : FIRST_ROOM;
	for (;;) {
		err = copy_reserve(x, room);
		if (err)
			return err;
		job.check.total = (uint32_t)(most / sizeof(u32));
		job.check.room = (uint32_t)(room / sizeof(u32));
		err = check(x, tables, batch->addr, &job);
		if (err != -ENOBUFS)
			break;
		room = most / MORE_ROOM < room ? most : room * MORE_ROOM;
	}
	if (!p->stores_global && (err == -EACCES || (!err && !job.check.registers)))
		return 0;
	if (err == -EACCES || err == -EINVAL)
		say_refused(x, batch->addr, &job.check, err);
	if (err)
		return err;
	batch->copy = copy.ggtt;
	batch->copy_bytes = job.check.end * sizeof(u32);
	return 0;
}
