// SPDX-License-Identifier: MIT
/**
 * DOC: The decoder against another assembler's vectors
 *
 * "test_mesa GEN FILE": each line of FILE has the bytes of an instruction and its text in the language
 * of Mesa's assembler. The decoded instruction is written in that language too, and compared without
 * white space, leading zeros and the order of the options. Of a message the lengths, the surface and
 * the sampler are compared.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"

struct line {
	char s[512];
	size_t n;
};

__attribute__((format(printf, 2, 3)))
static void add(struct line *l, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(l->s + l->n, sizeof(l->s) - l->n, format, args);
	va_end(args);
	l->n += n > 0 && l->n + n < sizeof(l->s) ? n : 0;
}

static void add_type(struct line *l, unsigned int type)
{
	const char *s = type < ISA_TYPES ? isa_types[type].name : "?";

	while (*s)
		add(l, "%c", toupper(*s++));
}

static void add_register(const struct isa_gen *isa, struct line *l, const struct isa_operand *o)
{
	const struct isa_register *r = isa_find_register(isa, o->reg);
	unsigned int subreg = o->type < ISA_TYPES ? o->subreg / isa_types[o->type].size : 0;

	if (o->abs || o->negate)
		add(l, "%s%s", o->negate ? "-" : "", o->abs ? "(abs)" : "");
	if (o->indirect) {
		add(l, "%c[a0", o->file == ISA_MRF ? 'm' : 'g');
		add(l, o->addr_subreg ? ".%u" : "", o->addr_subreg);
		add(l, o->addr_imm ? " %d]" : "]", o->addr_imm);
		return;
	}
	if (o->file == ISA_GRF || o->file == ISA_MRF)
		add(l, "%c%u", o->file == ISA_MRF ? 'm' : 'g', o->reg);
	else if (r)
		add(l, r->count ? "%s%u" : "%s", r->name, o->reg & 15);
	if (subreg)
		add(l, ".%u", subreg);
}

static void add_swizzle(struct line *l, const struct isa_operand *o)
{
	unsigned int i, s = o->swizzle;

	if (s == 0xe4)
		return;
	add(l, ".");
	for (i = 0; i < 4; i++) {
		add(l, "%c", "xyzw"[s >> 2 * i & 3]);
		if (!i && (s & 3) * 0x55 == s)
			break;
	}
}

static void add_destination(const struct isa_gen *isa, struct line *l, const struct isa_inst *inst)
{
	unsigned int i;

	add(l, " ");
	add_register(isa, l, &inst->dst);
	add(l, "<%u>", inst->dst.hstride);
	if (inst->align16 && inst->dst.write_mask != 15) {
		add(l, ".");
		for (i = 0; i < 4; i++)
			if (inst->dst.write_mask >> i & 1)
				add(l, "%c", "xyzw"[i]);
	}
	add_type(l, inst->dst.type);
}

static void add_immediate(struct line *l, const struct isa_operand *o)
{
	switch (o->type) {
	case ISA_TYPE_D:
		add(l, "%d", (__s32)o->imm);
		break;
	case ISA_TYPE_W:
		add(l, "%d", (__s16)o->imm);
		break;
	case ISA_TYPE_UW:
		add(l, "0x%x", (__u16)o->imm);
		break;
	case ISA_TYPE_DF:
		add(l, "0x%llxF", (unsigned long long)o->imm);
		return;
	default:
		add(l, "0x%x", (__u32)o->imm);
		break;
	}
	add_type(l, o->type);
}

static void add_source(const struct isa_gen *isa, struct line *l, const struct isa_inst *inst, unsigned int n)
{
	const struct isa_operand *o = &inst->src[n];

	add(l, " ");
	if (o->file == ISA_IMMEDIATE) {
		add_immediate(l, o);
		return;
	}
	add_register(isa, l, o);
	if (inst->form == ISA_FORM_THREE) {
		add(l, o->replicate ? "<0,1,0>" : "<4,4,1>");
		if (!o->replicate)
			add_swizzle(l, o);
	} else if (inst->align16) {
		add(l, "<%u>", o->vstride);
		add_swizzle(l, o);
	} else if (o->vstride == ISA_VXH) {
		add(l, "<VxH,%u,%u>", o->width, o->hstride);
	} else {
		add(l, "<%u,%u,%u>", o->vstride, o->width, o->hstride);
	}
	add_type(l, o->type);
}

static void add_operation(const struct isa_gen *isa, struct line *l, const struct isa_inst *inst)
{
	static const char *const conditions[16] = { "", "z", "nz", "g", "ge", "l", "le", "r", "o", "u" };
	static const char *const functions[16] = {
		"", "inv", "log", "exp", "sqrt", "rsq", "sin", "cos", "sincos", "fdiv", "pow", "intdivmod", "intdiv",
		"intmod"
	};
	static const char *const predicates[] = { "", "", ".anyv", ".allv", ".any2h", ".all2h", ".any4h", ".all4h",
						  ".any8h", ".all8h", ".any16h", ".all16h", ".any32h", ".all32h" };
	static const char *const predicates16[] = { "", "", ".x", ".y", ".z", ".w", ".any4h", ".all4h" };

	if (inst->predicate)
		add(l, "(%cf%u.%u%s) ", inst->predicate_inverse ? '-' : '+', inst->flag, inst->flag_subreg,
		    (inst->align16 ? predicates16 : predicates)[inst->predicate]);
	add(l, "%s", isa->ops[inst->word[0] & 127].name);
	if (inst->saturate)
		add(l, ".sat");
	if (inst->form == ISA_FORM_MATH)
		add(l, " %s", functions[isa_get(isa, ISA_F_FUNCTION, inst->word)]);
	if (inst->cond)
		add(l, ".%s", conditions[inst->cond]);
	/* A select writes no flag. */
	if (inst->cond && inst->op != ISA_OP_SEL)
		add(l, ".f%u.%u", inst->flag, inst->flag_subreg);
	add(l, "(%u)", inst->exec_size);
}

static void add_options(struct line *l, const struct isa_inst *inst)
{
	unsigned int unit = inst->exec_size >= 16 ? 16 : inst->exec_size == 8 && !(inst->channel_offset & 4) ? 8 : 4;

	add(l, " { align%u", inst->align16 ? 16 : 1);
	if (inst->no_mask)
		add(l, " WE_all");
	if (inst->dependency & 1)
		add(l, " NoDDClr");
	if (inst->dependency & 2)
		add(l, " NoDDChk");
	add(l, " %u%c", inst->channel_offset / unit + 1, unit == 16 ? 'H' : unit == 8 ? 'Q' : 'N');
	if (inst->thread_control)
		add(l, inst->thread_control == 1 ? " atomic" : " switch");
	if (inst->size == 8)
		add(l, " compacted");
	if (inst->eot)
		add(l, " EOT");
	if (inst->acc_write)
		add(l, " AccWrEnable");
	add(l, " }");
}

static void write_line(const struct isa_gen *isa, struct line *l, const struct isa_inst *inst)
{
	static const char *const names[] = { "JIP", "UIP" };
	unsigned int i;

	add_operation(isa, l, inst);
	if (inst->form == ISA_FORM_BASIC || inst->form == ISA_FORM_MATH || inst->form == ISA_FORM_THREE ||
	    inst->form == ISA_FORM_SEND)
		add_destination(isa, l, inst);
	if (inst->form != ISA_FORM_WAIT)
		for (i = 0; i < inst->nsources; i++)
			add_source(isa, l, inst, i);
	/* A math function of one source has a second that is null. */
	if (inst->form == ISA_FORM_MATH && inst->nsources == 1)
		add(l, " null");
	for (i = 0; i < inst->njumps; i++)
		add(l, " %s: %d", names[i], inst->jump[i]);
	if (inst->form == ISA_FORM_SEND)
		add(l, inst->desc_is_reg ? " a0" : " 0x%08x", inst->desc | (__u32)inst->eot << 31);
	add_options(l, inst);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Words with a blank between them, without zeros that say nothing; the options sorted. */
static void canonical(const char *text, struct line *l)
{
	char copy[1024], *words[64], *w, *save = NULL;
	unsigned int n = 0, first = 0, i;

	snprintf(copy, sizeof(copy), "%s", text);
	for (w = strtok_r(copy, " ,\n", &save); w && n < 64; w = strtok_r(NULL, " ,\n", &save)) {
		if (!strcmp(w, "{"))
			first = n;
		words[n++] = w;
	}
	qsort(words + first, n - first, sizeof(words[0]), by_text);
	for (i = 0; i < n; i++) {
		w = words[i];
		if (!strncmp(w, "0x", 2)) {
			add(l, "0x");
			for (w += 2; *w == '0' && isxdigit(w[1]); w++)
				;
		}
		add(l, "%s ", w);
	}
}

/* The canonical form of Mesa's text. It lacks what the comparison leaves out. */
static void canonical_mesa(const char *text, struct line *l)
{
	char copy[1024], *p, *end;

	snprintf(copy, sizeof(copy), "%s", text);
	/* The commas in regions stay, those between options go. */
	p = strchr(copy, ')');
	end = strchr(copy, '{');
	if (strstr(copy, "wait(") && p && end)
		memmove(p + 1, end - 1, strlen(end - 1) + 1);
	p = strstr(copy, " null");
	if (strstr(copy, "math") && p && end)
		memmove(p + 5, end - 1, strlen(end - 1) + 1);
	p = strstr(copy, "send");
	end = strchr(copy, '{');
	if (p && end) {
		char *desc = strstr(p, " 0x");
		char *reg = strstr(p, " a0");

		if (!desc || (reg && reg < desc))
			desc = reg;
		if (desc) {
			size_t n = reg == desc ? 3 : 1 + strcspn(desc + 1, " ");

			memmove(desc + n, end - 1, strlen(end - 1) + 1);
		}
	}
	/* "g2.0<0,1,0>" */
	while ((p = strstr(copy, ".0<")) && p > copy && isdigit((unsigned char)p[-1]))
		memmove(p, p + 2, strlen(p + 2) + 1);
	canonical(copy, l);
}

/* A number behind a word, or what it should be if the text does not have the word. */
static bool same_number(const char *text, const char *word, unsigned int value)
{
	const char *p = strstr(text, word);

	return !p || strtoul(p + strlen(word), NULL, 0) == value;
}

static bool same_message(const struct isa_gen *isa, const struct isa_inst *inst, const char *text)
{
	const struct isa_message *m = isa_message(isa, inst);
	bool sampler = strstr(text, " sampler MsgDesc");

	if (inst->form != ISA_FORM_SEND || inst->desc_is_reg)
		return true;
	if (!m)
		return false;
	return same_number(text, "mlen ", inst->desc >> 25 & 15) && same_number(text, "rlen ", inst->desc >> 20 & 31) &&
	       same_number(text, "Surface = ", isa_message_get(m, ISA_MSG_F_BTI, inst->desc)) &&
	       same_number(text, "Sampler = ", isa_message_get(m, ISA_MSG_F_SAMPLER, inst->desc)) &&
	       (!sampler || strstr(text, m->name));
}

static size_t read_bytes(const char *text, unsigned char *bytes)
{
	size_t n = 0;
	unsigned int byte;

	while (n < 16 && sscanf(text + 2 * n, "%2x", &byte) == 1 && isxdigit((unsigned char)text[2 * n]))
		bytes[n++] = byte;
	return n;
}

int main(int argc, char **argv)
{
	const struct isa_gen *isa = argc == 3 ? isa_gen_by_name(argv[1]) : NULL;
	unsigned int compared = 0, differ = 0, messages = 0;
	FILE *f = isa ? fopen(argv[2], "r") : NULL;
	char line[1024];

	if (!f) {
		fprintf(stderr, "test_mesa GEN FILE\n");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		struct line mine = { .n = 0 }, ours = { .n = 0 }, theirs = { .n = 0 };
		const char *text = strchr(line, ' '), *fault;
		unsigned char bytes[16];
		struct isa_inst inst;
		size_t n;

		if (line[0] == '#' || !text)
			continue;
		n = read_bytes(line, bytes);
		isa_decode(isa, bytes, n, &inst, &fault);
		if (fault)
			add(&mine, "%s", fault);
		else
			write_line(isa, &mine, &inst);
		canonical(mine.s, &ours);
		canonical_mesa(text, &theirs);
		compared++;
		messages += !fault && inst.form == ISA_FORM_SEND;
		if (!strcmp(ours.s, theirs.s) && !fault && same_message(isa, &inst, text))
			continue;
		if (differ++ < 20)
			printf("  here:  %s\n  there: %s\n  from   %s", ours.s, theirs.s, line);
	}
	fclose(f);
	printf("gen%s: %u instructions compared, %u differ; %u messages\n", isa->name, compared, differ, messages);
	return differ || !compared;
}
