// SPDX-License-Identifier: MIT
/*
 * DOC: New and changed programs
 *
 * A new program is built from sequences that make sense (an object, a batch in it, an execbuf of it) and single calls
 * between them. A changed one is a program of the corpus with a few calls put in, taken out, altered, or with another
 * program's tail.
 */
#include <string.h>
#include <i915_drm.h>

#include "fuzz.h"

/**
 * random_next - the next number of a sequence (xorshift64*)
 * @state: the sequence; not 0
 *
 * Return: 64 bits.
 */
uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static uint64_t below(struct lane *lane, uint64_t n)
{
	return (random_next(&lane->random) >> 16) % n;
}

static bool one_in(struct lane *lane, uint64_t n)
{
	return !below(lane, n);
}

static uint64_t number(struct lane *lane)
{
	static const uint64_t bounds[] = {
		0, 1, 0xff, 0x1000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xffffffffffffffff, 0xfffffffffffff000,
	};

	switch (below(lane, 4)) {
	case 0:
		return bounds[below(lane, sizeof(bounds) / sizeof(bounds[0]))];
	case 1:
		return bounds[below(lane, sizeof(bounds) / sizeof(bounds[0]))] + below(lane, 17) - 8;
	case 2:
		return below(lane, 256);
	default:
		return random_next(&lane->random) >> below(lane, 64);
	}
}

static uint64_t size(struct lane *lane)
{
	static const uint64_t sizes[] = {
		0x1000, 0x1000, 0x1000, 0x2000, 0x3000, 0x4000, 0x10000, 0x11000, 0x40000, 0x200000, 0x201000, 0x400000,
	};
	/* Nothing between that could fill the guest's memory. */
	static const uint64_t odd[] = {
		0, 1, 4, 0xfff, 0x1001, 1ull << 40, 1ull << 48, 1ull << 63, ~0ull, ~0ull - 4094,
	};

	if (one_in(lane, 8))
		return odd[below(lane, sizeof(odd) / sizeof(odd[0]))];
	return sizes[below(lane, sizeof(sizes) / sizeof(sizes[0]))];
}

/* Low slots are used most, so that what is made is also used. */
static uint64_t slot(struct lane *lane, enum kind kind)
{
	if (kind == K_FD)
		return one_in(lane, 10) ? below(lane, 3) : 0;
	if (kind == K_CTX)
		return below(lane, one_in(lane, 3) ? 4 : 2);
	return below(lane, one_in(lane, 4) ? NSLOTS : 3);
}

static uint64_t argument(struct lane *lane, const struct arg_def *def)
{
	uint64_t value = 0;
	unsigned int i;

	switch (def->type) {
	case A_NEW:
		return def->kind == K_FD ? 1 + below(lane, 2) :
		       def->kind == K_CTX ? 1 + below(lane, 3) : below(lane, one_in(lane, 4) ? NSLOTS : 3);
	case A_USE:
		return one_in(lane, 40) ? number(lane) : slot(lane, def->kind);
	case A_PICK:
		if (one_in(lane, 25))
			return number(lane);
		return def->list[below(lane, def->count)];
	case A_FLAGS:
		if (one_in(lane, 40))
			return number(lane);
		for (i = below(lane, 4); i; i--)
			value |= def->list[below(lane, def->count)];
		return value;
	case A_SIZE:
		return size(lane);
	case A_PTR:
		if (!one_in(lane, 5))
			return P_GOOD;
		return one_in(lane, 2) ? P_MAP + below(lane, 3) : below(lane, P_ODD + 1);
	default:
		return number(lane);
	}
}

static void spoil(struct lane *lane, struct call *call)
{
	if (one_in(lane, 2)) {
		call->poke_at = 1 + below(lane, 16);
		call->poke = number(lane);
	} else {
		call->spoil = below(lane, NSPOILS);
		call->poke = random_next(&lane->random);
	}
}

static void fill(struct lane *lane, struct call *call, unsigned int op)
{
	int j;

	memset(call, 0, sizeof(*call));
	call->op = op;
	for (j = 0; j < MAX_ARGS && ops[op].arg[j].name; j++)
		call->arg[j] = argument(lane, &ops[op].arg[j]);
	if (one_in(lane, 30))
		spoil(lane, call);
	if (one_in(lane, 6))
		call->thread = 1 + below(lane, NTHREADS - 1);
}

static unsigned int pick_op(struct lane *lane)
{
	static unsigned int total;
	unsigned int i, at;

	if (!total)
		for (i = 0; i < num_ops; i++)
			total += ops[i].weight;
	at = below(lane, total);
	for (i = 0; at >= ops[i].weight; i++)
		at -= ops[i].weight;
	return i;
}

/* Inserts a call, if there is room; returns it, or the last one. */
static struct call *insert(struct program *p, unsigned int at)
{
	if (p->count == MAX_CALLS)
		return &p->call[MAX_CALLS - 1];
	memmove(&p->call[at + 1], &p->call[at], (p->count - at) * sizeof(p->call[0]));
	p->count++;
	return &p->call[at];
}

static struct call *add(struct lane *lane, struct program *p, const char *name)
{
	struct call *call = insert(p, p->count);

	fill(lane, call, op_find(name, strlen(name)));
	return call;
}

/* By the place in the table of calls (ops.c). */
static void set(struct call *call, const char *name, uint64_t value)
{
	int j;

	for (j = 0; j < MAX_ARGS && ops[call->op].arg[j].name; j++)
		if (!strcmp(ops[call->op].arg[j].name, name))
			call->arg[j] = value;
}

static void sequence_exec(struct lane *lane, struct program *p)
{
	const uint64_t batch = below(lane, 3), target = below(lane, 3);
	const bool softpin = below(lane, 3);
	const uint64_t at = 0x100000 * (1 + below(lane, 3));
	static const uint64_t extras[] = {
		0, 0, I915_EXEC_NO_RELOC, I915_EXEC_HANDLE_LUT, I915_EXEC_FENCE_OUT, I915_EXEC_FENCE_ARRAY,
		I915_EXEC_FENCE_IN, I915_EXEC_FENCE_OUT | I915_EXEC_FENCE_IN, I915_EXEC_FENCE_SUBMIT,
		I915_EXEC_BATCH_FIRST,
	};
	uint64_t engine = below(lane, 5);
	struct call *call;
	int i;

	call = add(lane, p, "gem_create");
	set(call, "new", batch);
	set(call, "fd", 0);
	if (one_in(lane, 2)) {
		call = add(lane, p, "gem_create");
		set(call, "new", target);
	}
	call = add(lane, p, "batch");
	set(call, "h", batch);
	set(call, "fd", 0);
	set(call, "at", 0);
	set(call, "addr", at);
	if (!one_in(lane, 3))
		set(call, "mut", 0);
	if (one_in(lane, 2))
		call->spoil = 0;

	for (i = below(lane, 3); i && !softpin; i--) {
		call = add(lane, p, "reloc");
		set(call, "h", target);
	}
	if (one_in(lane, 2) && target != batch) {
		call = add(lane, p, "obj");
		set(call, "h", target);
		set(call, "align", 0);
		if (softpin) {
			set(call, "flags", EXEC_OBJECT_PINNED | (below(lane, 2) ? EXEC_OBJECT_WRITE : 0));
			set(call, "offset", at);
		}
		set(call, "pad", 0);
	}
	for (i = one_in(lane, 3) ? below(lane, 3) : 0; i; i--)
		add(lane, p, "fence");
	call = add(lane, p, "obj");
	set(call, "h", batch);
	set(call, "pad", 0);
	set(call, "align", 0);
	if (!one_in(lane, 5))
		set(call, "flags", softpin ? EXEC_OBJECT_PINNED : 0);
	set(call, "offset", 0x800000 + 0x100000 * batch);

	call = add(lane, p, "exec");
	set(call, "start", 0);
	set(call, "len", 0);
	if (!one_in(lane, 8))
		set(call, "ptr", 0);
	if (!one_in(lane, 4))
		engine |= extras[below(lane, sizeof(extras) / sizeof(extras[0]))];
	else
		call->poke_at = 0;
	set(call, "flags", engine);
}

static void sequence_map(struct lane *lane, struct program *p)
{
	const uint64_t h = below(lane, 3), map = below(lane, 3);
	struct call *call;

	if (one_in(lane, 2)) {
		call = add(lane, p, "gem_create");
		set(call, "new", h);
	}
	if (one_in(lane, 3)) {
		call = add(lane, p, "tiling");
		set(call, "h", h);
		set(call, "mode", 1 + below(lane, 2));
		set(call, "stride", 512);
	}
	call = add(lane, p, one_in(lane, 4) ? "gem_mmap" : "mmap");
	set(call, "h", h);
	set(call, "new", map);
	set(call, "size", 0x1000);
	set(call, "offset", 0);
	call = add(lane, p, "touch");
	set(call, "map", map);
	set(call, "at", 0);
}

static void sequence_engines(struct lane *lane, struct program *p)
{
	const uint64_t ctx = 1 + below(lane, 3);
	struct call *call;
	int i;

	if (one_in(lane, 2)) {
		call = add(lane, p, "ctx_create");
		set(call, "new", ctx);
	}
	for (i = below(lane, 4); i >= 0; i--)
		add(lane, p, "eng");
	if (one_in(lane, 2)) {
		call = add(lane, p, "ext");
		set(call, "what", 2 + below(lane, 2));
		set(call, "name", below(lane, 3));
		set(call, "p0", below(lane, 3));
		set(call, "p1", below(lane, 4));
	}
	call = add(lane, p, "ctx_setparam");
	set(call, "ctx", ctx);
	set(call, "param", one_in(lane, 4) ? below(lane, 14) : I915_CONTEXT_PARAM_ENGINES);
	if (one_in(lane, 3)) {
		add(lane, p, "vm_create");
		call = add(lane, p, "ctx_setparam");
		set(call, "ctx", ctx);
		set(call, "param", I915_CONTEXT_PARAM_VM);
	}
}

static void sequence_share(struct lane *lane, struct program *p)
{
	const uint64_t h = below(lane, 3), file = below(lane, 3);
	struct call *call;

	set(add(lane, p, "open"), "new", 1);
	call = add(lane, p, "export");
	set(call, "h", h);
	set(call, "new", file);
	call = add(lane, p, "import");
	set(call, "file", file);
	set(call, "fd", one_in(lane, 3) ? 0 : 1);
}

static void sequence_user(struct lane *lane, struct program *p)
{
	const uint64_t h = below(lane, 3);
	struct call *call = add(lane, p, "userptr");

	set(call, "new", h);
	set(call, "offset", 0x1000 * below(lane, 8));
	set(call, "where", one_in(lane, 4) ? P_MAP + below(lane, 3) : P_GOOD);
	set(call, "size", 0x1000 * (1 + below(lane, 8)));
	if (one_in(lane, 2))
		set(call, "flags", 0);
	call = add(lane, p, "obj");
	set(call, "h", h);
	sequence_exec(lane, p);
	add(lane, p, "user_change");
}

static void sequence_sync(struct lane *lane, struct program *p)
{
	const uint64_t s = below(lane, 3);
	struct call *call = add(lane, p, "syncobj");

	set(call, "what", 0);
	set(call, "new", s);
	if (one_in(lane, 2)) {
		call = add(lane, p, "sw_fence");
		set(call, "new", s);
		add(lane, p, "syncobj_fd");
	}
	call = add(lane, p, "fence");
	set(call, "s", s);
	if (one_in(lane, 2)) {
		call = add(lane, p, "ext");
		set(call, "what", 0);
		set(call, "name", 0);
		set(call, "p0", 0);
		set(call, "chain", 0);
		set(call, "p2", 0);
		sequence_exec(lane, p);
		call = &p->call[p->count - 1];
		set(call, "flags", I915_EXEC_USE_EXTENSIONS | below(lane, 4));
	} else {
		sequence_exec(lane, p);
		call = &p->call[p->count - 1];
		set(call, "flags", I915_EXEC_FENCE_ARRAY | below(lane, 4));
	}
	call = add(lane, p, "syncobj_wait");
	set(call, "s", s);
}

/**
 * program_new - a program out of nothing
 * @lane: whose random numbers
 * @p: filled
 */
void program_new(struct lane *lane, struct program *p)
{
	static void (* const sequences[])(struct lane *lane, struct program *p) = {
		sequence_exec, sequence_exec, sequence_exec, sequence_map, sequence_engines, sequence_share,
		sequence_user, sequence_sync,
	};
	const unsigned int length = 4 + below(lane, 22);

	p->count = 0;
	while (p->count < length) {
		if (one_in(lane, 3))
			sequences[below(lane, sizeof(sequences) / sizeof(sequences[0]))](lane, p);
		else
			fill(lane, insert(p, p->count), pick_op(lane));
	}
}

static const struct program *from_corpus(struct lane *lane)
{
	struct shared *shared = lane->shared;
	uint32_t count = atomic_load(&shared->corpus_count), n;

	if (count > CORPUS_MAX)
		count = CORPUS_MAX;
	if (!count)
		return NULL;
	/* One half of the time one of the latest. */
	n = below(lane, count);
	if (count > 32 && one_in(lane, 2))
		n = count - 1 - below(lane, 32);
	return atomic_load(&shared->ready[n]) ? &shared->corpus[n] : NULL;
}

static void change_argument(struct lane *lane, struct call *call)
{
	const struct op_def *op = &ops[call->op];
	unsigned int n = 0, j;

	while (n < MAX_ARGS && op->arg[n].name)
		n++;
	if (!n)
		return;
	j = below(lane, n);
	switch (below(lane, op->arg[j].type == A_NEW || op->arg[j].type == A_USE ? 2 : 4)) {
	case 0:
	case 1:
		call->arg[j] = argument(lane, &op->arg[j]);
		break;
	case 2:
		call->arg[j] ^= 1ull << below(lane, 64);
		break;
	case 3:
		call->arg[j] += below(lane, 33) - 16;
		break;
	}
	if (op->arg[j].type == A_NEW)
		call->arg[j] %= NSLOTS;
	/* Sizes over 8 MB and below 1 TB would only fill the guest's memory. */
	if (op->arg[j].type == A_SIZE && call->arg[j] > 0x800000 && call->arg[j] < 1ull << 40)
		call->arg[j] &= 0x3fffff;
}

/**
 * program_change - a program of the corpus, changed; a new one when there is none
 * @lane: whose random numbers
 * @p: filled
 */
void program_change(struct lane *lane, struct program *p)
{
	const struct program *from = from_corpus(lane), *other;
	unsigned int rounds = 1 + below(lane, 5), at, n;

	if (!from) {
		program_new(lane, p);
		return;
	}
	*p = *from;
	while (rounds--) {
		at = below(lane, p->count);
		switch (below(lane, 10)) {
		case 0:
		case 1:
			fill(lane, insert(p, at), pick_op(lane));
			break;
		case 2:
			if (p->count > 1) {
				p->count--;
				memmove(&p->call[at], &p->call[at + 1], (p->count - at) * sizeof(p->call[0]));
			}
			break;
		case 3:
			other = from_corpus(lane);
			if (!other)
				break;
			n = below(lane, other->count);
			while (n < other->count && p->count < MAX_CALLS)
				p->call[p->count++] = other->call[n++];
			break;
		case 4:
			p->call[at].thread = below(lane, NTHREADS);
			break;
		case 5:
			spoil(lane, &p->call[at]);
			break;
		case 6:
			*insert(p, at) = p->call[below(lane, p->count)];
			break;
		default:
			change_argument(lane, &p->call[at]);
		}
	}
}
