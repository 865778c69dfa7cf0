// SPDX-License-Identifier: MIT
/*
 * DOC: decode
 *
 * Knows those instructions of x86-64 that flush, order writes, bypass the caches with what they store, or change how
 * addresses are translated. All others are INSN_OTHER. Sources: Intel's Software Developer's Manual, volume 2, chapter
 * 2 (format), and the instructions' pages.
 */
#include "decode.h"

/* What stands before the opcode. */
struct prefixes {
	bool operand, repeat, repeat_not, vex;
	uint8_t rex;				/* bits R, X, B */
	unsigned int map;			/* 0: one byte; 1: 0F; 2: 0F 38; 3: 0F 3A */
};

struct reader {
	const uint8_t *at, *end;
};

static uint8_t take(struct reader *r)
{
	return r->at < r->end ? *r->at++ : 0;
}

static int64_t take_signed(struct reader *r, unsigned int bytes)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < bytes; i++)
		v |= (uint32_t)take(r) << i * 8;
	return bytes == 1 ? (int8_t)v : (int32_t)v;
}

/* The operand in memory that ModRM and what follows it name. */
static void take_operand(struct reader *r, const struct prefixes *p, uint8_t modrm, struct insn *insn)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7;

	insn->base = rm | (p->rex & 1 ? 8 : 0);
	if (rm == 4) {
		uint8_t sib = take(r);

		insn->base = (sib & 7) | (p->rex & 1 ? 8 : 0);
		insn->index = (sib >> 3 & 7) | (p->rex & 2 ? 8 : 0);
		insn->scale = sib >> 6;
		if (insn->index == 4)
			insn->index = INSN_NO_REGISTER;
		if ((sib & 7) == 5 && mod == 0) {
			insn->base = INSN_NO_REGISTER;
			insn->displacement = take_signed(r, 4);
		}
	} else if (rm == 5 && mod == 0) {
		insn->base = INSN_NO_REGISTER;
		insn->relative = true;
		insn->displacement = take_signed(r, 4);
	}
	if (mod == 1)
		insn->displacement = take_signed(r, 1);
	else if (mod == 2)
		insn->displacement = take_signed(r, 4);
}

/* Two bytes or three of VEX stand for the prefixes that other instructions have. */
static void take_vex(struct reader *r, struct prefixes *p, bool three)
{
	uint8_t first = take(r), last = three ? take(r) : first;

	p->vex = true;
	p->map = three ? first & 31 : 1;
	p->rex = (uint8_t)(~first >> 5 & (three ? 7 : 4));
	p->operand = (last & 3) == 1;
	p->repeat = (last & 3) == 2;
	p->repeat_not = (last & 3) == 3;
}

/* Returns the opcode. */
static uint8_t take_prefixes(struct reader *r, struct prefixes *p, struct insn *insn)
{
	for (;;) {
		uint8_t b = take(r);

		switch (b) {
		case 0x66:
			p->operand = true;
			break;
		case 0x67:
			insn->address_32 = true;
			break;
		case 0xf2:
			p->repeat_not = true;
			break;
		case 0xf3:
			p->repeat = true;
			break;
		case 0x64:
			insn->segment = 'f';
			break;
		case 0x65:
			insn->segment = 'g';
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0xf0:
			break;
		default:
			if ((b & 0xf0) == 0x40) {
				p->rex = b & 7;
				b = take(r);
			}
			if (b == 0xc4 || b == 0xc5) {
				take_vex(r, p, b == 0xc4);
				return take(r);
			}
			if (b != 0x0f)
				return b;
			b = take(r);
			p->map = b == 0x38 ? 2 : b == 0x3a ? 3 : 1;
			return p->map == 1 ? b : take(r);
		}
	}
}

/* 0F AE, by the field in its ModRM. */
static enum insn_kind group_15(const struct prefixes *p, bool memory, unsigned int field)
{
	if (!memory)
		return !p->operand && !p->repeat && (field == 6 || field == 7) ? INSN_FENCE : INSN_OTHER;
	if (field == 7 && !p->repeat)
		return p->operand ? INSN_CLFLUSHOPT : INSN_CLFLUSH;
	return field == 6 && p->operand ? INSN_CLWB : INSN_OTHER;
}

static void judge_map_1(const struct prefixes *p, uint8_t opcode, struct insn *insn, struct reader *r)
{
	uint8_t modrm = r->at < r->end ? *r->at : 0;
	bool memory = modrm >> 6 != 3;
	unsigned int field = modrm >> 3 & 7;

	switch (opcode) {
	case 0x09:
		insn->kind = INSN_FLUSH_ALL;
		break;
	case 0x01:
		/* INVLPG */
		if (memory && field == 7)
			insn->kind = INSN_TRANSLATIONS;
		break;
	case 0x22:
		/* With REX.R it is CR8 and above. */
		if (p->rex & 4)
			break;
		insn->base = (modrm & 7) | (p->rex & 1 ? 8 : 0);
		if (field == 0)
			insn->kind = INSN_TRANSLATIONS;
		else if (field == 3)
			insn->kind = INSN_CR3;
		else if (field == 4)
			insn->kind = INSN_CR4;
		break;
	case 0x2b: case 0xc3: case 0xe7:
		insn->non_temporal = memory && (opcode != 0xe7 || !p->repeat);
		break;
	case 0xae:
		if (p->vex)
			break;
		insn->kind = group_15(p, memory, field);
		if (memory)
			take_operand(r, p, take(r), insn);
		break;
	}
}

/**
 * insn_decode() - decodes an instruction
 * @bytes: the instruction, all of it
 * @len: how many bytes it has
 *
 * Return: what it does; the operand is that of the kinds that flush a line.
 */
struct insn insn_decode(const uint8_t *bytes, size_t len)
{
	struct insn insn = { .base = INSN_NO_REGISTER, .index = INSN_NO_REGISTER };
	struct reader r = { bytes, bytes + len };
	struct prefixes p = { 0 };
	uint8_t opcode = take_prefixes(&r, &p, &insn);

	if (p.map == 1)
		judge_map_1(&p, opcode, &insn, &r);
	else if (p.map == 0 && (opcode == 0xee || opcode == 0xef))
		insn.kind = INSN_OUT;
	/* INVPCID */
	else if (p.map == 2 && opcode == 0x82 && p.operand && !p.vex)
		insn.kind = INSN_TRANSLATIONS;
	return insn;
}
