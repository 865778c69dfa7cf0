// SPDX-License-Identifier: MIT
/**
 * DOC: Tests: the batch object, memory interface commands, PIPE_CONTROL
 */
#include "igen/batch/mi.h"
#include "igen/batch/pipe.h"
#include "test.h"

enum mi_op {
	STORE_DWORD,
	STORE_QWORD,
	LOAD_REG,
	STORE_REG,
	LOAD_REG_MEM,
	COPY_REG,
	COPY_DWORD,
	SEMAPHORE,
	ATOMIC,
	ARB_CHECK,
	CALL,
	END_UNLESS,
	NOOP,
	MI_OPS
};

/* The generation that each begins with, and what its address is a multiple of. */
static const struct {
	const char *name;
	unsigned int first, align;
} mi_ops[MI_OPS] = {
	{ "store-dword", 6, 4 },
	{ "store-qword", 6, 8 },
	{ "load-reg", 6, 0 },
	{ "store-reg", 6, 4 },
	{ "load-reg-mem", 7, 4 },
	{ "copy-reg", 9, 0 },
	{ "copy-dword", 9, 4 },
	{ "semaphore", 9, 4 },
	{ "atomic", 9, 8 },
	{ "arb-check", 6, 0 },
	{ "call", 9, 4 },
	{ "end-unless", 6, 8 },
	{ "noop", 6, 0 },
};

struct mi_arg {
	enum mi_op op;
	struct igen_address a, other;
	__u32 reg, value, select;
};

static void build_mi(struct igen_batch *b, const void *data)
{
	const struct mi_arg *m = data;

	switch (m->op) {
	case STORE_DWORD:
		igen_mi_store_dword(b, m->a, m->value);
		break;
	case STORE_QWORD:
		igen_mi_store_qword(b, m->a, (__u64)m->value << 16);
		break;
	case LOAD_REG:
		igen_mi_load_reg(b, m->reg, m->value);
		break;
	case STORE_REG:
		igen_mi_store_reg(b, m->a, m->reg);
		break;
	case LOAD_REG_MEM:
		igen_mi_load_reg_mem(b, m->reg, m->a);
		break;
	case COPY_REG:
		igen_mi_copy_reg(b, m->reg, 0x2358);
		break;
	case COPY_DWORD:
		igen_mi_copy_dword(b, m->a, m->other);
		break;
	case SEMAPHORE:
		igen_mi_semaphore_wait(b, m->a, m->select % 6, m->value);
		break;
	case ATOMIC:
		igen_mi_atomic(b, m->a, 1 + m->select % 15, m->select & 16 ? 8 : 4, m->value, ~0ull);
		break;
	case ARB_CHECK:
		igen_mi_arb_check(b);
		break;
	case CALL:
		igen_mi_call(b, m->a);
		break;
	case END_UNLESS:
		igen_mi_end_unless_greater(b, m->a, m->value);
		break;
	default:
		igen_mi_noop(b, m->select % 40 + 1);
	}
}

static void commands(unsigned int gen, enum igen_batch_engine engine)
{
	struct mi_arg m;
	struct test_case t = { .gen = gen, .engine = engine, .build = build_mi, .arg = &m };

	for (unsigned int i = 0; i < MI_OPS * 12; i++) {
		m = (struct mi_arg){ .op = i % MI_OPS, .a = random_bo(gen, 1 << 20), .other = random_bo(gen, 4096),
				     .reg = 0x2000 + random_below(0x400) * 4, .value = random32(),
				     .select = random32() };
		m.a.offset = random_below((1 << 20) / 8) * 8;
		t.name = mi_ops[m.op].name;
		if (gen < mi_ops[m.op].first || (m.op == COPY_DWORD && engine == IGEN_BATCH_COMPUTE)) {
			check_bad(&t, -EOPNOTSUPP);
			continue;
		}
		check_good(&t);
		if (mi_ops[m.op].align) {
			m.a.offset = 2;
			check_bad(&t, -EINVAL);
			m.a.offset = m.a.size;
			/* Where a batch begins there is no length to be checked. */
			if (m.op != CALL)
				check_bad(&t, -ERANGE);
			m.a = (struct igen_address){ .presumed = gen <= 7 ? 0xfffff000 : 0xfffffffff000,
						     .offset = 4096 };
			check_bad(&t, -ERANGE);
			m.a = random_bo(gen, 0);
		}
		if (m.op == LOAD_REG || m.op == STORE_REG || m.op == LOAD_REG_MEM || m.op == COPY_REG) {
			m.reg = 0x2002;
			check_bad(&t, -EINVAL);
			m.reg = 0x8804;
			check_bad(&t, -ERANGE);
			m.reg = gen <= 9 ? 0xc0000 : 0x800000;
			check_bad(&t, -ERANGE);
		}
	}
}

struct pipe_arg {
	unsigned int flags;
	struct igen_address to;
	bool write;
	__u64 value;
};

static void build_pipe(struct igen_batch *b, const void *data)
{
	const struct pipe_arg *p = data;

	igen_pipe_control(b, p->flags, p->write ? &p->to : NULL, p->value);
}

/* All flags in all combinations are too many; random ones, and each by itself and with the stall. */
static void pipe_controls(unsigned int gen, enum igen_batch_engine engine)
{
	struct pipe_arg p;
	struct test_case t = { "pipe-control", gen, engine, build_pipe, .arg = &p };
	unsigned int accepted = 0, i;

	for (i = 0; i < 600; i++) {
		p = (struct pipe_arg){ .to = random_bo(gen, 4096), .write = random32() & 1, .value = random32() };
		p.to.offset = random_below(512) * 8;
		p.flags = i < 14 ? 1u << i : i < 28 ? 1u << (i - 14) | IGEN_PIPE_CS_STALL :
						       random32() & random32() & 0x3fff;
		accepted += !check_any(&t);
	}
	check(accepted > 30, t.name, gen, "only %u of %u combinations accepted", accepted, i);
	p = (struct pipe_arg){ .flags = IGEN_PIPE_TLB };
	check_bad(&t, -EINVAL);
	p.flags = IGEN_PIPE_TIMESTAMP | IGEN_PIPE_CS_STALL;
	check_bad(&t, -EINVAL);
	p.flags = 1u << 14 | IGEN_PIPE_CS_STALL;
	check_bad(&t, -EINVAL);
	p = (struct pipe_arg){ .flags = IGEN_PIPE_CS_STALL, .to = random_bo(gen, 4096), .write = true };
	p.to.offset = 4;
	check_bad(&t, -EINVAL);
	p.to.offset = 4096;
	check_bad(&t, -ERANGE);
	if (gen == 6) {
		p = (struct pipe_arg){ .flags = IGEN_PIPE_DATA_FLUSH };
		check_bad(&t, -EOPNOTSUPP);
	}
	if (gen == 12) {
		p = (struct pipe_arg){ .flags = IGEN_PIPE_TARGET_FLUSH | IGEN_PIPE_DEPTH_STALL };
		check_bad(&t, -EINVAL);
	}
}

struct flush_arg {
	unsigned int flags;
	struct igen_address to;
	bool write;
};

static void build_flush(struct igen_batch *b, const void *data)
{
	const struct flush_arg *f = data;

	igen_mi_flush(b, f->flags, f->write ? &f->to : NULL, f->write ? 0x123456789abcdef0 : 0);
}

static void flushes(unsigned int gen, enum igen_batch_engine engine)
{
	struct flush_arg f = { 0 };
	struct test_case t = { "flush-dw", gen, engine, build_flush, .arg = &f };

	if (engine == IGEN_BATCH_RENDER || engine == IGEN_BATCH_COMPUTE) {
		check_bad(&t, -EINVAL);
		return;
	}
	for (unsigned int flags = 0; flags < 16; flags++) {
		f = (struct flush_arg){ flags & 7, random_bo(gen, 4096), flags & 8 };
		f.to.offset = random_below(64) * 64;
		if (!f.write && (flags & IGEN_FLUSH_TLB))
			check_bad(&t, -EINVAL);
		else if ((flags & IGEN_FLUSH_VIDEO) && engine != IGEN_BATCH_VIDEO)
			check_bad(&t, -EINVAL);
		else
			check_good(&t);
	}
	f = (struct flush_arg){ 0, random_bo(gen, 4096), true };
	f.to.offset = 4;
	check_bad(&t, -EINVAL);
	f.to.offset = 32;
	if (gen == 12)
		check_bad(&t, -EINVAL);
	else
		check_good(&t);
	f.flags = 8;
	check_bad(&t, -EINVAL);
}

static void build_chain(struct igen_batch *b, const void *data)
{
	igen_mi_chain(b, *(const struct igen_address *)data);
}

static void build_too_much(struct igen_batch *b, const void *data)
{
	(void)data;
	b->used = 0x3fffffff - 2;
	igen_batch_put(b, b->command, 4);
}

/* Rules of struct igen_batch itself, not of one builder. */
static void object(unsigned int gen)
{
	struct igen_address to = random_bo(gen, 4096);
	struct igen_batch b;
	__u32 map[10];
	struct test_case t = { "chain", gen, IGEN_BATCH_COPY, build_chain, .arg = &to, .open = true };

	check_good(&t);
	t = (struct test_case){ "too-much", gen, IGEN_BATCH_COPY, build_too_much, .arg = NULL };
	check_bad(&t, -EINVAL);

	memset(map, 0xaa, sizeof(map));
	igen_batch_init(&b, gen, IGEN_BATCH_COPY, map, 9 * 4 + 3);
	igen_mi_store_dword(&b, to, 1);
	igen_mi_store_dword(&b, to, 2);
	check(!b.error && b.used == 8, "object", gen, "two stores: error %d, %u dwords", b.error, b.used);
	igen_mi_store_dword(&b, to, 3);
	check(b.error == -ENOSPC && b.used == 12 && map[8] == 0xaaaaaaaa && map[9] == 0xaaaaaaaa, "object", gen,
	      "a third: error %d, %u dwords", b.error, b.used);
	igen_mi_noop(&b, 1);
	check(map[8] == 0xaaaaaaaa, "object", gen, "written after what found no room");
	to.offset = 1;
	igen_mi_store_dword(&b, to, 4);
	check(b.error == -EINVAL && strstr(b.why, "aligned"), "object", gen, "a mistake after lack of space: %d",
	      b.error);
	to.offset = 8192;
	igen_mi_store_dword(&b, to, 4);
	check(igen_batch_end(&b) == -EINVAL && strstr(b.why, "aligned"), "object", gen,
	      "the first mistake does not stay: %s", b.why);

	igen_batch_init(&b, gen, IGEN_BATCH_MEMORY, map, sizeof(map));
	igen_batch_put(&b, (const __u32[]){ 1 }, 1);
	igen_batch_align(&b, 16);
	check(b.used == 4 && !map[1] && !map[3], "object", gen, "aligned to 16: %u dwords", b.used);
	igen_batch_align(&b, 12);
	check(b.error == -EINVAL, "object", gen, "an alignment of 12: %d", b.error);
	igen_batch_init(&b, gen, IGEN_BATCH_MEMORY, map, sizeof(map));
	igen_mi_store_dword(&b, random_bo(gen, 64), 0);
	check(igen_batch_end(&b) == -EINVAL, "object", gen, "a command into state memory: %d", b.error);
}

void test_mi(unsigned int gen)
{
	struct igen_batch b;

	object(gen);
	for (unsigned int engine = 0; engine <= IGEN_BATCH_COMPUTE - (gen < 12); engine++) {
		/* The video enhancement engine begins with generation 7.5. */
		if (engine == IGEN_BATCH_VIDEO_ENHANCE && gen <= 7)
			continue;
		commands(gen, engine);
		flushes(gen, engine);
	}
	pipe_controls(gen, IGEN_BATCH_RENDER);
	if (gen == 12)
		pipe_controls(gen, IGEN_BATCH_COMPUTE);
	igen_batch_init(&b, gen + 2, IGEN_BATCH_COPY, NULL, 0);
	check(gen == 7 || (b.error == -EINVAL && b.why), "init", gen + 2, "a generation that there is not: %d",
	      b.error);
	igen_batch_init(&b, gen, IGEN_BATCH_COMPUTE, NULL, 0);
	check(gen == 12 ? !b.error : b.error == -EOPNOTSUPP && b.why, "init", gen, "a compute engine: %d", b.error);
}
