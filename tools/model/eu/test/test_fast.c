// SPDX-License-Identifier: MIT
/**
 * DOC: The fast handlers against the generic way
 *
 * Random instructions on random registers, executed by four cores: with the handlers for this
 * processor, with those for less of it, and channel by channel. The threads have to be the same after it, but for NaNs,
 * whose bits may differ.
 */
#include "check.h"

static const struct isa_gen *const gens[] = { &isa_gen6, &isa_gen7, &isa_gen75, &isa_gen9, &isa_gen12 };

static const uint8_t ints[] = {
	ISA_TYPE_UB, ISA_TYPE_B, ISA_TYPE_UW, ISA_TYPE_W, ISA_TYPE_UD, ISA_TYPE_D, ISA_TYPE_UQ, ISA_TYPE_Q,
};

static const uint8_t int_ops[] = {
	ISA_OP_MOV, ISA_OP_NOT, ISA_OP_AND, ISA_OP_OR, ISA_OP_XOR, ISA_OP_ADD, ISA_OP_MUL, ISA_OP_SHL, ISA_OP_SHR,
	ISA_OP_ASR, ISA_OP_CMP, ISA_OP_SEL, ISA_OP_BFI1, ISA_OP_BFE, ISA_OP_MAD,
};

static const uint8_t float_ops[] = {
	ISA_OP_MOV, ISA_OP_ADD, ISA_OP_MUL, ISA_OP_CMP, ISA_OP_SEL, ISA_OP_MAD, ISA_OP_LRP, ISA_OP_RNDD, ISA_OP_RNDU,
	ISA_OP_RNDE, ISA_OP_RNDZ, ISA_OP_MATH, ISA_OP_PLN,
};

static const uint8_t functions[] = { ISA_MATH_INV, ISA_MATH_SQT, ISA_MATH_FDIV };

static const struct isa_op *find_op(const struct isa_gen *isa, unsigned int id)
{
	unsigned int code;

	for (code = 0; code < 128; code++)
		if (isa->ops[code].name && isa->ops[code].id == id)
			return &isa->ops[code];
	return NULL;
}

static unsigned int pick(uint64_t *seed, unsigned int n)
{
	return random64(seed) % n;
}

/* Mostly usual floats, and all the unusual ones. */
static uint32_t random_float(uint64_t *seed)
{
	static const uint32_t special[] = {
		0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
		0xff800000, 0x7fc00000, 0xffc00000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40200000, 0x4f000000,
		0xcf000000, 0x4f800000, 0x477fff00, 0x43800000, 0xc3000000,
	};

	switch (pick(seed, 4)) {
	case 0:
		return special[pick(seed, sizeof(special) / sizeof(special[0]))];
	case 1:
		return (uint32_t)random64(seed);
	default:
		return (uint32_t)(random64(seed) & 0x807fffff) | (100 + pick(seed, 56)) << 23;
	}
}

static struct isa_operand random_source(uint64_t *seed, unsigned int type, unsigned int exec, bool three, bool align1)
{
	unsigned int size = isa_types[type].size, reg = 8 + pick(seed, 60);
	struct isa_operand o;

	if (three) {
		o = pick(seed, 3) ? packed(reg, type) : scalar(reg, 4 * pick(seed, 8), type);
		if (!align1)
			o.swizzle = o.vstride ? (pick(seed, 2) ? 0xe4 : (uint8_t)random64(seed)) : 0;
		if (!align1 && o.vstride)
			o.subreg = 0;
		return o;
	}
	switch (pick(seed, 5)) {
	case 0:
		return scalar(reg, size * pick(seed, 32 / size), type);
	case 1:
		return region(reg, size * pick(seed, 4), type, 4, exec < 4 ? 1 : 4, exec < 4 ? 0 : 1);
	case 2:
		return region(reg, 0, type, 16, exec < 8 ? 1 : 8, exec < 8 ? 0 : 2);
	default:
		return exec < 8 ? region(reg, 0, type, exec, exec, exec > 1) : packed(reg, type);
	}
}

static struct isa_operand random_immediate(uint64_t *seed, unsigned int type)
{
	if (type == ISA_TYPE_F)
		return pick(seed, 3) ? imm(type, random_float(seed)) : imm(ISA_TYPE_VF, random64(seed) & 0xffffffff);
	switch (pick(seed, 4)) {
	case 0:
		return imm(ISA_TYPE_V, random64(seed) & 0xffffffff);
	case 1:
		return imm(ISA_TYPE_UW, random64(seed) & 0xffff);
	case 2:
		return imm(ISA_TYPE_D, random64(seed) & 0xffffffff);
	default:
		return imm(ISA_TYPE_UD, pick(seed, 64));
	}
}

/* Makes an instruction of one or two sources one that quick.h has a handler for, if it has any of the operation. */
static void make_common(const struct isa_gen *isa, uint64_t *seed, struct isa_inst *inst, unsigned int sources,
			bool is_float)
{
	unsigned int type = is_float ? ISA_TYPE_F : pick(seed, 2) ? ISA_TYPE_D : ISA_TYPE_UD, i;
	bool tests;

	inst->exec_size = 8u << pick(seed, 2);
	inst->channel_offset = pick(seed, 2) ? inst->exec_size : 0;
	inst->predicate = inst->op == ISA_OP_SEL || inst->predicate ? 1 : 0;
	inst->saturate = false;
	for (i = 0; i < sources; i++) {
		inst->src[i] = pick(seed, 3) ? packed(8 + pick(seed, 60), type) :
			       scalar(8 + pick(seed, 60), 4 * pick(seed, 8), type);
		inst->src[i].negate = is_float && !pick(seed, 3);
		inst->src[i].abs = is_float && !pick(seed, 3);
	}
	if (!pick(seed, 3))
		inst->src[sources - 1] = is_float ? imm(ISA_TYPE_F, random_float(seed)) :
					 imm(type, pick(seed, 2) ? pick(seed, 64) : random64(seed) & 0xffffffff);
	else if (inst->op == ISA_OP_MOV && !pick(seed, 3))
		inst->src[0] = region(8 + pick(seed, 60), 0, type, 16, 8, 2);
	else if (inst->op == ISA_OP_ADD && !is_float && !pick(seed, 4))
		inst->src[1] = packed(8 + pick(seed, 60), ISA_TYPE_UW);
	tests = inst->op == ISA_OP_CMP || (inst->op == ISA_OP_AND && isa->gen >= 70 && pick(seed, 2));
	inst->cond = tests ? 1 + pick(seed, 6) : 0;
	inst->dst = tests ? null_dst(type) : grf(8 + pick(seed, 60), type);
}

/* An architecture register as an operand of integers, of which there may be no more than this many bytes. */
static struct isa_operand random_arf(uint64_t *seed, unsigned int reg, unsigned int type, unsigned int exec,
				     unsigned int end)
{
	unsigned int size = isa_types[type].size;
	struct isa_operand o = exec > 1 ? region(reg, 0, type, exec, exec, 1) : scalar(reg, 0, type);

	o.file = ISA_ARF;
	o.subreg = size * pick(seed, end / size);
	return o;
}

/*
 * One channel to or from a flag or address register, beyond its end, too, or words of a0 in a row; or a mode that is
 * set in a control register.
 */
static void make_register(const struct isa_gen *isa, uint64_t *seed, struct isa_inst *inst)
{
	static const uint8_t ops[] = { ISA_OP_MOV, ISA_OP_ADD, ISA_OP_AND, ISA_OP_OR };
	unsigned int type = ints[pick(seed, 6)], flag = isa->gen >= 70 && pick(seed, 2) ? 0x31 : 0x30, n;
	unsigned int exec = pick(seed, 2) ? 1 : 1u << pick(seed, 4), sources;
	bool control = !pick(seed, 4);

	inst->op = control ? (pick(seed, 2) ? ISA_OP_OR : ISA_OP_AND) : ops[pick(seed, sizeof(ops))];
	inst->saturate = false;
	inst->cond = isa->gen >= 70 && !pick(seed, 8) ? 1 + pick(seed, 2) : 0;
	sources = inst->op == ISA_OP_MOV ? 1 : 2;
	inst->exec_size = control ? 1 : exec;
	inst->channel_offset = exec < 8 ? 0 : inst->channel_offset;
	memset(inst->src, 0, sizeof(inst->src));
	for (n = 0; n < sources; n++) {
		unsigned int own = exec > 1 ? (pick(seed, 2) ? ISA_TYPE_UW : ISA_TYPE_W) : ints[pick(seed, 6)];

		inst->src[n] = pick(seed, 2) ? random_immediate(seed, type) :
			       scalar(8 + pick(seed, 60), 4 * pick(seed, 8), ints[pick(seed, 6)]);
		if (n || control)
			continue;
		inst->src[0] = random_arf(seed, pick(seed, 2) ? 0x10 : flag, own,
					  inst->exec_size, exec > 1 ? 8 : 32);
		if (exec > 1 && pick(seed, 2))
			inst->src[0].vstride = 2 * exec, inst->src[0].hstride = 2;
		inst->src[0].negate = pick(seed, 2);
	}
	inst->dst = grf(8 + pick(seed, 60), type);
	if (control) {
		/* Not one that leaves a system routine, and not the IP that it came from. */
		type = pick(seed, 2) ? ISA_TYPE_UD : ISA_TYPE_D;
		inst->dst = arf(0x80, 4 * pick(seed, 2), pick(seed, 8) ? type : ISA_TYPE_F);
		inst->src[0] = random_arf(seed, 0x80, type, 1, 8);
		inst->src[0].subreg = pick(seed, 4) ? inst->dst.subreg : inst->src[0].subreg;
		inst->src[0].negate = !pick(seed, 4);
		inst->src[1] = pick(seed, 2) ? imm(ISA_TYPE_W, random64(seed) & 0xffff) : random_immediate(seed, type);
	} else if (exec > 1 && pick(seed, 2)) {
		inst->dst = arf(0x10, 0, ISA_TYPE_UW);
	} else if (exec == 1 && pick(seed, 2)) {
		n = pick(seed, 2);
		inst->dst = random_arf(seed, n ? 0x10 : flag, type, 1, n ? 16 : 4);
		inst->dst.hstride = 1;
	}
}

/* Operands of vector.h's and quick.h's shapes: negated, words in dwords, words of one channel, bytes in words. */
static void make_shapes(uint64_t *seed, struct isa_inst *inst)
{
	unsigned int type = pick(seed, 2) ? ISA_TYPE_D : ISA_TYPE_UD, word = pick(seed, 2) ? ISA_TYPE_UW : ISA_TYPE_W;
	unsigned int kind = pick(seed, 4), i;

	inst->op = kind == 2 ? ISA_OP_SEL : ISA_OP_ADD;
	inst->exec_size = 8u << pick(seed, 2);
	inst->channel_offset = pick(seed, 2) ? inst->exec_size : 0;
	inst->saturate = false;
	inst->cond = 0;
	inst->predicate = inst->predicate || kind == 2;
	inst->dst = grf(8 + pick(seed, 60), type);
	memset(inst->src, 0, sizeof(inst->src));
	inst->src[0] = packed(8 + pick(seed, 60), type);
	inst->src[1] = packed(8 + pick(seed, 60), type);
	if (kind == 0)
		inst->src[1].negate = true;
	else if (kind == 1)
		inst->src[1] = region(8 + pick(seed, 60), 0, word, 16, 8, 2);
	else if (kind == 2)
		inst->src[0] = scalar(8 + pick(seed, 60), 2 * pick(seed, 16), word);
	if (kind == 2)
		inst->src[1] = imm(type, random64(seed) & 0xffffffff);
	for (i = 0; i < 2 && kind == 3; i++)
		inst->src[i] = region(8 + pick(seed, 60), pick(seed, 2), i ? ISA_TYPE_UB : ISA_TYPE_B, 16, 8, 2);
	if (kind == 3 && pick(seed, 2)) {
		/* Up to the last byte of r127. */
		inst->exec_size = 2u << pick(seed, 4);
		inst->channel_offset = 0;
		inst->dst = grf(126, pick(seed, 2) ? ISA_TYPE_UB : ISA_TYPE_B);
		inst->dst.hstride = 2;
		inst->dst.reg = 128 - (inst->exec_size + 15) / 16;
		inst->dst.subreg = (32 - 2 * inst->exec_size % 32) % 32 + pick(seed, 2);
	}
}

static bool divides(const struct isa_inst *inst)
{
	return inst->op == ISA_OP_MATH && (inst->function == ISA_MATH_IQOT || inst->function == ISA_MATH_IREM);
}

/* A quotient or a remainder of integers. */
static void make_division(uint64_t *seed, struct isa_inst *inst)
{
	inst->op = ISA_OP_MATH;
	inst->function = pick(seed, 2) ? ISA_MATH_IQOT : ISA_MATH_IREM;
	inst->exec_size = 8;
	inst->no_mask = !pick(seed, 4);
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int type = pick(seed, 2) ? ISA_TYPE_D : ISA_TYPE_UD;

		inst->src[i] = pick(seed, 3) ? packed(8 + pick(seed, 60), type) :
			       scalar(8 + pick(seed, 60), 4 * pick(seed, 8), type);
		inst->src[i].negate = !pick(seed, 4);
		inst->src[i].abs = !pick(seed, 4);
	}
	inst->dst = packed(8 + pick(seed, 60), pick(seed, 2) ? ISA_TYPE_D : ISA_TYPE_UD);
}

/* What a division treats on its own, among all else. */
static uint32_t random_divided(uint64_t *seed)
{
	static const uint32_t special[] = { 0, 1, UINT32_MAX, 0x80000000, 0x7fffffff, 2 };

	return pick(seed, 2) ? special[pick(seed, sizeof(special) / sizeof(special[0]))] :
	       (uint32_t)random64(seed) >> pick(seed, 32);
}

/* A random instruction that the generation has; false: the choice was none. */
static bool random_inst(const struct isa_gen *isa, uint64_t *seed, struct isa_inst *inst)
{
	bool is_float = pick(seed, 2), three;
	const struct isa_op *op;
	/* Quadwords, of which 16 channels have registers enough, are Gen9's. */
	unsigned int nints = isa == &isa_gen9 && pick(seed, 2) ? 8 : 6;
	unsigned int i, type, sources, exec = 1u << pick(seed, nints == 8 ? 4 : 6);

	memset(inst, 0, sizeof(*inst));
	if (!pick(seed, 24)) {
		make_division(seed, inst);
		return true;
	}
	inst->op = is_float ? float_ops[pick(seed, sizeof(float_ops))] : int_ops[pick(seed, sizeof(int_ops))];
	op = find_op(isa, inst->op);
	if (!op)
		return false;
	three = op->form == ISA_FORM_THREE;
	if (three || inst->op == ISA_OP_PLN)
		exec = pick(seed, 2) ? 8 : 16;
	if (three && !is_float && isa->gen < 70)
		return false;
	inst->exec_size = exec;
	inst->channel_offset = exec < 32 && pick(seed, 2) ? exec & ~(isa->gen < 70 ? 7u : 3u) : 0;
	inst->no_mask = !pick(seed, 4);
	inst->flag = isa->gen >= 70 && pick(seed, 2);
	inst->flag_subreg = exec < 32 && pick(seed, 2);
	if (op->takes & ISA_TAKES_PRED && pick(seed, 2)) {
		inst->predicate = 1 + pick(seed, 11);
		inst->predicate_inverse = pick(seed, 2);
		if (three && isa->gen < 120)
			inst->predicate = 1;
	}
	if (op->takes & ISA_TAKES_SAT)
		inst->saturate = !pick(seed, 4);
	if (inst->op == ISA_OP_CMP || (op->takes & ISA_TAKES_CMOD && !pick(seed, 3)))
		inst->cond = 1 + pick(seed, 6);
	if (inst->op == ISA_OP_SEL && inst->cond)
		inst->predicate = 0;
	sources = op->sources;
	if (op->form == ISA_FORM_MATH) {
		inst->function = functions[pick(seed, 3)];
		sources = inst->function == ISA_MATH_FDIV ? 2 : 1;
	}
	type = is_float ? ISA_TYPE_F : three ? (pick(seed, 2) ? ISA_TYPE_D : ISA_TYPE_UD) : ints[pick(seed, nints)];
	for (i = 0; i < sources; i++) {
		unsigned int own = is_float || three ? type : ints[pick(seed, nints)];

		inst->src[i] = random_source(seed, own, exec, three, isa->gen >= 120);
		if (op->takes & ISA_TAKES_MODS) {
			inst->src[i].negate = !pick(seed, 3);
			inst->src[i].abs = !pick(seed, 5);
		}
	}
	if (!three && i && op->form != ISA_FORM_MATH && inst->op != ISA_OP_PLN && !pick(seed, 3))
		inst->src[i - 1] = random_immediate(seed, type);
	if (inst->op == ISA_OP_PLN)
		inst->src[0] = scalar(8 + pick(seed, 60), pick(seed, 2) * 16, ISA_TYPE_F);
	if (inst->op == ISA_OP_PLN)
		inst->src[1] = packed(8 + pick(seed, 60), ISA_TYPE_F);
	if (!is_float && !three)
		type = (inst->op == ISA_OP_MOV || inst->op == ISA_OP_SEL) && !pick(seed, 4) ? ISA_TYPE_F :
		       ints[pick(seed, nints)];
	else if (inst->op == ISA_OP_MOV && pick(seed, 2))
		type = ints[pick(seed, nints)];
	inst->dst = grf(8 + pick(seed, 60), type);
	if (three && isa->gen < 120)
		inst->dst.write_mask = pick(seed, 2) ? 15 : 1 + pick(seed, 15);
	else if (!three && !pick(seed, 3))
		inst->dst.hstride = 2;
	if (!three && inst->op == ISA_OP_CMP && pick(seed, 2))
		inst->dst = null_dst(type);
	if (!three && op->form != ISA_FORM_MATH && inst->op != ISA_OP_PLN && pick(seed, 2))
		make_common(isa, seed, inst, sources, is_float);
	if (!three && op->form != ISA_FORM_MATH && inst->op != ISA_OP_PLN && !is_float && !pick(seed, 4)) {
		if (pick(seed, 2))
			make_register(isa, seed, inst);
		else
			make_shapes(seed, inst);
	}
	return true;
}

static void random_thread(const struct eu_core *core, struct eu_thread *t, uint64_t *seed, const struct isa_inst *inst)
{
	static const uint32_t modes[] = { 0, 0, EU_CR0_DENORM_F, EU_CR0_DENORM_F | 1 << 4, 2 << 4, 3 << 4, EU_CR0_ALT };
	unsigned int i, n;

	eu_thread_init(t, core, pick(seed, 2) ? ~0u : (uint32_t)random64(seed));
	for (i = 0; i < EU_GRFS; i++)
		for (n = 0; n < 8; n++)
			put_dword(t, i, n, divides(inst) ? random_divided(seed) :
				  inst->src[0].type == ISA_TYPE_F || i >= 100 ? random_float(seed) :
				  (uint32_t)random64(seed) >> (pick(seed, 3) ? 0 : pick(seed, 32)));
	t->flag[0] = (uint32_t)random64(seed);
	t->flag[1] = core && inst->flag ? (uint32_t)random64(seed) : 0;
	for (i = 0; i < 16; i++)
		t->address[i] = (uint16_t)random64(seed) & (i < 2 ? 0xffff : 0xfff);
	t->sr[0] = (uint32_t)random64(seed);
	t->cr[1] = (uint32_t)random64(seed);
	t->cr[0] = modes[pick(seed, sizeof(modes) / sizeof(modes[0]))];
	if (pick(seed, 2))
		t->running = (uint32_t)random64(seed);
	for (i = 0; i < EU_CHANNELS; i++)
		t->pc[i] = 4096;
}

static bool is_nan(uint32_t bits)
{
	return (bits & 0x7fffffff) > 0x7f800000;
}

static bool same(const struct eu_thread *a, const struct eu_thread *b, unsigned int *reg)
{
	unsigned int i, n;

	for (i = 0; i < EU_GRFS; i++)
		for (n = 0; n < 8; n++) {
			*reg = i;
			if (dword(a, i, n) != dword(b, i, n) && !(is_nan(dword(a, i, n)) && is_nan(dword(b, i, n))))
				return false;
		}
	*reg = EU_GRFS;
	return !memcmp(a->mrf, b->mrf, sizeof(*a) - offsetof(struct eu_thread, mrf));
}

#define WAYS 4

static void compare_all(const struct isa_gen *isa, unsigned int count)
{
	static struct machine m;
	static struct eu_thread start, ends[WAYS];
	static const unsigned int features[WAYS] = { EU_NO_FAST, EU_NO_AVX2, EU_NO_AVX512, 0 };
	static const char *const names[WAYS] = { "generic", "plain", "avx2", "avx512" };
	unsigned int i, n, done = 0, wrong = 0, reg, faults = 0;
	uint64_t seed = isa->gen * 2 + 1;

	m.program.isa = isa;
	for (; done < count; done++) {
		struct eu_core *cores[WAYS];
		struct isa_inst inst;
		const char *fault;

		while (!random_inst(isa, &seed, &inst))
			;
		m.program.bytes = 0;
		asm_add(&m.program, inst);
		/* What the first one has changed of the modes shows in the second. */
		asm_add(&m.program, (struct isa_inst){
			.op = ISA_OP_ADD, .exec_size = 16, .dst = grf(100, ISA_TYPE_F),
			.src = { packed(102, ISA_TYPE_F), packed(104, ISA_TYPE_F) },
		});
		asm_eot(&m.program);
		for (i = 0; i < WAYS; i++)
			cores[i] = eu_core_new(isa, features[i] | (done % 2 ? EU_DWORD_MUL : 0), &machine_ops);
		random_thread(cores[0], &start, &seed, &inst);
		start.machine = &m;
		for (i = 0; i < WAYS; i++) {
			ends[i] = start;
			faults += eu_run(cores[i], &ends[i], 2) == EU_FAULT;
			eu_core_free(cores[i]);
		}
		for (i = 1; i < WAYS; i++) {
			if (same(&ends[0], &ends[i], &reg) || wrong++ > 4)
				continue;
			printf("# gen%s %s: r%u differs: ", isa->name, names[i], reg);
			isa_decode(isa, m.program.words, 16, &inst, &fault);
			isa_print(isa, &inst, stdout);
			printf("\n# mask %x cr0 %x flags %x %x: ", start.dispatch_mask & start.running, start.cr[0],
			       start.flag[0], start.flag[1]);
			for (n = 0; n < 8 && reg < EU_GRFS; n++)
				printf("%08x/%08x ", dword(&ends[0], reg, n), dword(&ends[i], reg, n));
			printf("\n");
		}
	}
	check(!wrong, "gen%s: %u random instructions are the same by all handlers", isa->name, done);
	check(!faults, "gen%s: and none is a fault (%u are)", isa->name, faults);
}

int main(int argc, char **argv)
{
	unsigned int i, count = argc > 1 ? (unsigned int)atoi(argv[1]) : 20000;

	for (i = 0; i < sizeof(gens) / sizeof(gens[0]); i++)
		compare_all(gens[i], count);
	return check_end();
}
