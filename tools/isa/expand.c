// SPDX-License-Identifier: MIT
/**
 * DOC: Compact instructions
 *
 * A compact instruction consists of indices into tables of the bits that compilers use most, and of
 * bits that are copied. The steps come from isa/compaction.xml.
 */
#include "isa.h"

static void put_bits(const struct isa_bits *bits, __u64 word[2], __u64 value)
{
	unsigned int i = bits->n;

	while (i--) {
		unsigned int start = bits->pieces[i].start, width = bits->pieces[i].width, bit;

		for (bit = start; bit < start + width; bit++, value >>= 1) {
			word[bit / 64] &= ~(1ull << bit % 64);
			word[bit / 64] |= (value & 1) << bit % 64;
		}
	}
}

/* DG1 Vol 2a: twelve bits stand for the type's most useful ones. */
static __u32 typed_immediate(unsigned int type, __u32 value)
{
	__u32 extended = value & 0x800 ? value | 0xfffff000 : value;

	switch (type) {
	case ISA_TYPE_F:
	case ISA_TYPE_VF:
		return type == ISA_TYPE_F ? value << 20 : value;
	case ISA_TYPE_HF:
		return value << 20 | value << 4;
	case ISA_TYPE_D:
		return extended;
	case ISA_TYPE_W:
		return (extended & 0xffff) | extended << 16;
	case ISA_TYPE_UW:
		return value | value << 16;
	default:
		return value;
	}
}

static bool has_immediate(const struct isa_gen *isa, const __u64 word[2])
{
	if (isa->gen >= 120)
		return isa_get(isa, ISA_F_SRC0_IMM, word) || isa_get(isa, ISA_F_SRC1_IMM, word);
	return isa_get(isa, ISA_F_SRC0_FILE, word) == 3 || isa_get(isa, ISA_F_SRC1_FILE, word) == 3;
}

static unsigned int immediate_type(const struct isa_gen *isa, const __u64 word[2])
{
	enum isa_field field = isa_get(isa, ISA_F_SRC0_IMM, word) ? ISA_F_SRC0_TYPE : ISA_F_SRC1_TYPE;

	return isa->types[ISA_USE_IMMEDIATE][isa_get(isa, field, word)];
}

const char *isa_expand(const struct isa_gen *isa, __u64 compact, __u64 word[2])
{
	const __u64 from[2] = { compact, 0 };
	const struct isa_op *op = &isa->ops[isa_get(isa, ISA_F_OPCODE, from)];
	const struct isa_compaction *c = op->form == ISA_FORM_THREE ? &isa->three : &isa->two;
	bool immediate = false;
	unsigned int i;

	word[0] = 0;
	word[1] = 0;
	if (!op->name)
		return "reserved opcode";
	if (!c->n)
		return "no compact form with three sources";
	/* The tables say what the sources are. */
	for (i = 0; i < c->n; i++)
		if (c->steps[i].kind == ISA_COMPACT_TABLE && c->steps[i].when == ISA_COMPACT_ALWAYS)
			put_bits(&c->steps[i].to, word, c->steps[i].table[isa_get_bits(&c->steps[i].from, from)]);
	if (c == &isa->two)
		immediate = has_immediate(isa, word);
	for (i = 0; i < c->n; i++) {
		const struct isa_compact *s = &c->steps[i];
		__u64 value = isa_get_bits(&s->from, from);

		if (s->when == (immediate ? ISA_COMPACT_REGISTER : ISA_COMPACT_IMMEDIATE))
			continue;
		switch (s->kind) {
		case ISA_COMPACT_COPY:
			put_bits(&s->to, word, value);
			break;
		case ISA_COMPACT_TABLE:
			put_bits(&s->to, word, s->table[value]);
			break;
		case ISA_COMPACT_SIGNED:
			if (value >> (s->from.width - 1))
				value |= ~0ull << s->from.width;
			put_bits(&s->to, word, value);
			break;
		case ISA_COMPACT_TYPED:
			put_bits(&s->to, word, typed_immediate(immediate_type(isa, word), value));
			break;
		}
	}
	return NULL;
}
