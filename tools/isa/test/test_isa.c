// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the decoder that need no other program
 *
 * Compact instructions: each entry of each table, expanded and found again. Random instructions of
 * all generations: valid or not, they are decoded, printed, and consistent. What is cut off or
 * reserved is a fault with its text. "test_isa random GEN SEED COUNT [OP]" instead writes COUNT random
 * instructions that the decoder takes for valid, for a comparison with another disassembler.
 */
#include <stdlib.h>
#include <string.h>

#include "isa.h"

static const struct isa_gen *const gens[] = { &isa_gen6, &isa_gen7, &isa_gen75, &isa_gen9, &isa_gen12 };
static unsigned int passed, failed;

static bool check(bool good, const char *name, const char *gen, unsigned long detail)
{
	if (good)
		return true;
	fprintf(stderr, "FAIL gen%s: %s (%lu)\n", gen, name, detail);
	failed++;
	return false;
}

/* xorshift64*: the same numbers everywhere. */
static __u64 random64(__u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static void set_bits(__u64 word[2], const struct isa_bits *bits, __u64 value)
{
	unsigned int i = bits->n, bit;

	while (i--) {
		const struct isa_piece *p = &bits->pieces[i];

		for (bit = p->start; bit < p->start + p->width; bit++, value >>= 1) {
			word[bit / 64] &= ~(1ull << bit % 64);
			word[bit / 64] |= (value & 1) << bit % 64;
		}
	}
}

/*
 * Compacts: looks in each table for the bits that the word has, and copies the others back. The word
 * is compactable if expanding what comes out gives it again.
 */
static bool compact(const struct isa_gen *isa, const struct isa_compaction *c, const __u64 word[2], __u64 *out)
{
	__u64 small[2] = { 0, 0 }, again[2];
	unsigned int i, n;

	for (i = 0; i < c->n; i++) {
		const struct isa_compact *s = &c->steps[i];

		if (s->kind == ISA_COMPACT_COPY)
			set_bits(small, &s->from, isa_get_bits(&s->to, word));
		else if (s->kind == ISA_COMPACT_SIGNED || s->kind == ISA_COMPACT_TYPED)
			continue;
		for (n = 0; s->table && n < 1u << s->from.width; n++)
			if (s->table[n] == isa_get_bits(&s->to, word))
				set_bits(small, &s->from, n);
	}
	*out = small[0] | 1ull << 29;
	return !isa_expand(isa, *out, again) && again[0] == word[0] && again[1] == word[1];
}

/* Every entry of every table, in an instruction that is otherwise as simple as it can be. */
static void test_tables(const struct isa_gen *isa, const struct isa_compaction *c, unsigned int opcode)
{
	unsigned int i, n, entries = 0;

	for (i = 0; i < c->n; i++) {
		const struct isa_compact *s = &c->steps[i];

		for (n = 0; s->table && n < 1u << s->from.width; n++) {
			__u64 small[2] = { opcode | 1u << 29, 0 }, word[2], again;
			struct isa_inst inst;
			const char *fault;

			set_bits(small, &s->from, n);
			if (!check(!isa_expand(isa, small[0], word), "an entry does not expand", isa->name, n))
				continue;
			entries++;
			check(!(word[0] >> 29 & 1), "an expanded instruction is compact", isa->name, n);
			/* With an immediate the second source's table is not looked at, nor its bits kept. */
			check(isa_get_bits(&s->to, word) == s->table[n] || s->when == ISA_COMPACT_REGISTER ||
			      !strcmp(isa->ops[opcode].name, "mov") || isa_get(isa, ISA_F_SRC1_FILE, word) == 3 ||
			      isa_get(isa, ISA_F_SRC0_FILE, word) == 3 || isa->gen == 120,
			      "an entry's bits are not there", isa->name, n);
			isa_decode(isa, &small[0], 8, &inst, &fault);
			check(inst.word[0] == word[0] && inst.word[1] == word[1] && inst.size == 8,
			      "the decoder expands differently", isa->name, n);
			if (isa_get(isa, ISA_F_SRC1_FILE, word) == 3 || isa_get(isa, ISA_F_SRC0_FILE, word) == 3 ||
			    (isa->gen == 120 && (word[0] >> 46 & 3)))
				continue;
			check(compact(isa, c, word, &again), "an entry is not found again", isa->name, n);
		}
	}
	printf("gen%s: %u entries of tables of compact instructions\n", isa->name, entries);
	passed += entries != 0;
}

/* A random instruction with an opcode that there is, in one of three ways: any bits, few bits, compact. */
static void random_instruction(const struct isa_gen *isa, __u64 *seed, __u64 word[2])
{
	unsigned int opcode, way = random64(seed) % 4;

	do
		opcode = random64(seed) % 128;
	while (!isa->ops[opcode].name);
	word[0] = random64(seed);
	word[1] = random64(seed);
	if (way == 1) {
		word[0] &= random64(seed) & random64(seed);
		word[1] &= random64(seed) & random64(seed);
	}
	word[0] = (word[0] & ~0x7full) | opcode;
	word[0] = way == 3 ? word[0] | 1u << 29 : word[0] & ~(1ull << 29);
}

static void test_random(const struct isa_gen *isa, unsigned int count)
{
	unsigned int i, valid = 0, with_message = 0;
	__u64 seed = 88172645463325252ull + isa->gen;
	FILE *out = fopen("/dev/null", "w");

	for (i = 0; i < count && out; i++) {
		struct isa_inst inst;
		const char *fault;
		__u64 word[2];
		size_t size;

		if (i % 8) {
			random_instruction(isa, &seed, word);
		} else {
			word[0] = random64(&seed);
			word[1] = random64(&seed);
		}
		size = isa_decode(isa, word, 16, &inst, &fault);
		check(size == (word[0] >> 29 & 1 ? 8 : 16), "a size is not the instruction's", isa->name, i);
		if (fault)
			continue;
		valid++;
		isa_print(isa, &inst, out);
		isa_print_comment(isa, &inst, i, out);
		if (inst.form == ISA_FORM_SEND)
			with_message += !!isa_message(isa, &inst);
		check(inst.exec_size && inst.exec_size <= 32 && inst.nsources <= 3 && inst.njumps <= 2 &&
		      inst.op < ISA_OPS, "a valid instruction has an impossible value", isa->name, i);
	}
	if (out)
		fclose(out);
	printf("gen%s: %u random instructions, %u valid, %u messages\n", isa->name, count, valid, with_message);
	check(valid > count / 100 && with_message, "hardly any random instruction is valid", isa->name, valid);
	passed++;
}

/* A program, and the fault of its first instruction. */
static void test_fault(const struct isa_gen *isa, const __u64 word[2], size_t left, const char *expected)
{
	struct isa_inst inst;
	const char *fault;

	isa_decode(isa, word, left, &inst, &fault);
	if (check(fault && !strcmp(fault, expected), expected, isa->name, left))
		passed++;
	else
		fprintf(stderr, "  it says: %s\n", fault ? fault : "nothing");
}

static unsigned int opcode_of(const struct isa_gen *isa, const char *name)
{
	unsigned int i;

	for (i = 0; i < 128; i++)
		if (isa->ops[i].name && !strcmp(isa->ops[i].name, name))
			return i;
	abort();
}

static void test_faults(const struct isa_gen *isa)
{
	__u64 mov[2] = { opcode_of(isa, "mov"), 0 }, word[2];
	unsigned int i;

	/* A move from one general register to another: mov (1) r1<1>:f r2<0;1,0>:f */
	set_bits(mov, &isa->fields[ISA_F_DST_FILE], 1);
	set_bits(mov, &isa->fields[ISA_F_SRC0_FILE], 1);
	set_bits(mov, &isa->fields[ISA_F_DST_HSTRIDE], 1);
	for (i = 0; i < 16; i++)
		if (isa->types[ISA_USE_REGISTER][i] == ISA_TYPE_F)
			break;
	set_bits(mov, &isa->fields[ISA_F_DST_TYPE], i);
	set_bits(mov, &isa->fields[ISA_F_SRC0_TYPE], i);
	set_bits(mov, &isa->fields[ISA_F_DST_REG], 1);
	set_bits(mov, &isa->fields[ISA_F_SRC0_REG], 2);
	test_fault(isa, mov, 7, "the program is cut off");
	test_fault(isa, mov, 15, "the program is cut off");
	memcpy(word, mov, sizeof(word));
	word[0] = (word[0] & ~0x7full) | 0x7f;
	test_fault(isa, word, 16, "reserved opcode");
	word[0] |= 1u << 29;
	test_fault(isa, word, 8, "reserved opcode");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_EXEC_SIZE], 6);
	test_fault(isa, word, 16, "reserved execution size");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_SRC0_REG], 200);
	test_fault(isa, word, 16, "register beyond r127");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_SRC0_FILE], 0);
	set_bits(word, &isa->fields[ISA_F_SRC0_REG], 0xe0);
	test_fault(isa, word, 16, "reserved architecture register");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_SRC0_WIDTH], 5);
	test_fault(isa, word, 16, "reserved width of a region");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_SRC0_VSTRIDE], 9);
	test_fault(isa, word, 16, "reserved vertical stride");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_SRC0_VSTRIDE], 15);
	test_fault(isa, word, 16, "vertical stride of an indirect operand");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_DST_HSTRIDE], 0);
	test_fault(isa, word, 16, "destination with stride 0");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_FUNCTION], 15);
	test_fault(isa, word, 16, "reserved condition modifier");
	memcpy(word, mov, sizeof(word));
	set_bits(word, &isa->fields[ISA_F_PREDICATE], 15);
	test_fault(isa, word, 16, "reserved predicate");
	memcpy(word, mov, sizeof(word));
	word[0] = (word[0] & ~0x7full) | opcode_of(isa, "math");
	test_fault(isa, word, 16, "reserved function of math");
	if (isa->gen != 75 && isa->gen != 70) {
		memcpy(word, mov, sizeof(word));
		set_bits(word, &isa->fields[ISA_F_SRC0_TYPE], isa->gen == 60 ? 6 : isa->gen == 90 ? 15 : 8);
		test_fault(isa, word, 16, "reserved type");
	}
	if (isa->gen < 120 && isa->gen > 60) {
		memcpy(word, mov, sizeof(word));
		set_bits(word, &isa->fields[ISA_F_SRC0_FILE], 2);
		test_fault(isa, word, 16, "reserved register file");
		word[0] = (word[0] & ~0x7full) | opcode_of(isa, "mad");
		test_fault(isa, word, 16, "three sources in Align1");
	}
}

/* Registers whose subregisters IGA counts in bytes, whatever the type. */
static bool counted_otherwise(const struct isa_gen *isa, const struct isa_operand *o)
{
	const struct isa_register *r = o->file == ISA_ARF && !o->indirect ? isa_find_register(isa, o->reg) : NULL;

	/* A subregister that is not aligned has no number. */
	if (o->file == ISA_GRF && !o->indirect && o->type < ISA_TYPES && o->subreg % isa_types[o->type].size)
		return true;
	if (!r)
		return false;
	return r->id == ISA_REG_MSG || r->id == ISA_REG_IP || r->id == ISA_REG_CE || r->id == ISA_REG_FC ||
	       r->id == ISA_REG_MME;
}

/*
 * Does IGA have words for it? It shows Align16 operands as Align1, where they do not mean the same too, and
 * leaves predicates of Align16 out.
 */
static bool comparable(const struct isa_gen *isa, const struct isa_inst *inst)
{
	unsigned int i;

	if (inst->align16 && ((inst->form != ISA_FORM_THREE && !inst->macro) || inst->predicate > 1))
		return false;
	/* Debian 12's IGA saturates Gen12's lzd, which DG1 Vol 2a and newer ones do not. */
	if (isa->gen >= 120 && inst->op == ISA_OP_LZD && isa_get(isa, ISA_F_SATURATE, inst->word))
		return false;
	/* It takes an indirect divisor for a register. */
	if (isa->gen >= 120 && inst->form == ISA_FORM_MATH && inst->src[1].indirect)
		return false;
	/* What it does not have of the modifiers on Gen7, and the double of dim. */
	if (isa->gen < 80 && ((inst->op == ISA_OP_FRC && inst->saturate) || inst->op == ISA_OP_DIM ||
			      (inst->op == ISA_OP_MACH && inst->cond) || ((inst->op == ISA_OP_PLN ||
			      inst->op == ISA_OP_MATH) && (inst->src[0].abs || inst->src[0].negate ||
			      inst->src[1].abs || inst->src[1].negate))))
		return false;
	/* Nor of Gen7 the thread control of send, and offsets of 16 bits. */
	if (isa->gen < 80 && ((inst->form == ISA_FORM_SEND && inst->thread_control) || inst->op == ISA_OP_BRD ||
			      inst->op == ISA_OP_BRC))
		return false;
	if (inst->align16 && inst->form == ISA_FORM_THREE && !inst->macro) {
		if (inst->dst.write_mask != 15)
			return false;
		for (i = 0; i < 3; i++)
			if (!inst->src[i].replicate && inst->src[i].swizzle != 0xe4)
				return false;
	}
	/* It writes a signed byte as a character. */
	for (i = 0; i < inst->nsources; i++)
		if (counted_otherwise(isa, &inst->src[i]) ||
		    (inst->src[i].file == ISA_IMMEDIATE && inst->src[i].type == ISA_TYPE_B))
			return false;
	return !counted_otherwise(isa, &inst->dst);
}

static int write_random(const struct isa_gen *isa, __u64 seed, unsigned long count, const char *op)
{
	seed = seed * 2 + 1;
	while (count) {
		struct isa_inst inst;
		const char *fault;
		__u64 word[2];

		random_instruction(isa, &seed, word);
		if (op)
			word[0] = (word[0] & ~0x7full) | opcode_of(isa, op);
		isa_decode(isa, word, 16, &inst, &fault);
		if (fault || !comparable(isa, &inst))
			continue;
		if (!fwrite(word, inst.size, 1, stdout))
			return 1;
		count--;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc >= 5 && !strcmp(argv[1], "random")) {
		const struct isa_gen *isa = isa_gen_by_name(argv[2]);
		__u64 seed = strtoull(argv[3], NULL, 0);

		return isa ? write_random(isa, seed, strtoul(argv[4], NULL, 0), argc > 5 ? argv[5] : NULL) : 2;
	}
	for (i = 0; i < sizeof(gens) / sizeof(gens[0]); i++) {
		test_tables(gens[i], &gens[i]->two, opcode_of(gens[i], "add"));
		if (gens[i]->three.n)
			test_tables(gens[i], &gens[i]->three, opcode_of(gens[i], "mad"));
		test_random(gens[i], 200000);
		test_faults(gens[i]);
	}
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
