// SPDX-License-Identifier: MIT
/**
 * DOC: Printing of commands
 *
 * One line a dword: address, the dword, and on the first the command's name and length. Below a
 * dword stand the fields that begin in it. Fields that are zero, and fields that repeat the header, are
 * left out unless asked for. A reserved field is shown if it does not have the value that it must have.
 */
#include <inttypes.h>

#include "decode.h"
#include "registers.h"

enum { PLAIN, NAME, ADDRESS, BAD, DIM };

static const char *paint(const struct igen_print *p, int what)
{
	static const char *const codes[] = { "\033[0m", "\033[1;33m", "\033[36m", "\033[1;31m",
					     "\033[2m" };

	return p->colour ? codes[what] : "";
}

static void print_fixed(FILE *out, const struct igen_cmd_field *f, __u64 v)
{
	__u64 whole, part, one = 1ull << f->frac;
	bool negative = f->kind == IGEN_FIELD_SFIXED && (__s64)v < 0;

	if (negative)
		v = -v;
	whole = v >> f->frac;
	/*
	 * Four decimals are enough to tell neighbours of any fraction here but the finest apart;
	 * the raw bits follow.
	 */
	part = (v & (one - 1)) * 10000 / one;
	fprintf(out, "%s%" PRIu64 ".%04" PRIu64, negative ? "-" : "", (uint64_t)whole,
		(uint64_t)part);
}

/* The register whose offset a command has in one of its fields. */
static void print_register(const struct igen_print *p, const struct igen_cmd_field *f, __u64 v)
{
	char name[64];

	if (p->regs && (strstr(f->name, "Register Offset") || strstr(f->name, "Register Address")) &&
	    igen_reg_name(p->regs, (__u32)v, name, sizeof(name)))
		fprintf(p->out, " (%s)", name);
}

static void print_value(const struct igen_print *p, const struct igen_cmd_field *f, __u64 v)
{
	const char *name = igen_value_name(f, v);
	float real;
	__u32 raw;

	switch (f->kind) {
	case IGEN_FIELD_BOOL:
		fputs(v ? "true" : "false", p->out);
		break;
	case IGEN_FIELD_INT:
		fprintf(p->out, "%" PRId64, (int64_t)v);
		break;
	case IGEN_FIELD_ADDRESS:
		fprintf(p->out, "%s0x%08" PRIx64 "%s", paint(p, ADDRESS), (uint64_t)v,
			paint(p, PLAIN));
		print_register(p, f, v);
		break;
	case IGEN_FIELD_FIXED:
	case IGEN_FIELD_SFIXED:
		print_fixed(p->out, f, v);
		break;
	case IGEN_FIELD_FLOAT:
		raw = v;
		memcpy(&real, &raw, sizeof(real));
		fprintf(p->out, "%g (0x%08x)", real, raw);
		break;
	default:
		fprintf(p->out, "%" PRIu64, (uint64_t)v);
		if (v > 9)
			fprintf(p->out, " (0x%" PRIx64 ")", (uint64_t)v);
		break;
	}
	if (name && f->kind != IGEN_FIELD_BOOL)
		fprintf(p->out, " (%s)", name);
}

/* Prints element @i of a field, if there is something to tell. */
static void print_field(const struct igen_print *p, const struct igen_cmd_field *f, unsigned int i,
			const __u32 *dw)
{
	__u64 v = igen_field_value(f, i, dw);
	char index[16] = "";

	switch (f->kind) {
	case IGEN_FIELD_OPCODE:
	case IGEN_FIELD_LENGTH:
		return;
	case IGEN_FIELD_MBZ:
		if (v)
			fprintf(p->out,
				"%24s%sreserved bits %u:%u must be zero, are 0x%" PRIx64 "%s\n", "",
				paint(p, BAD), f->start % 32 + f->width - 1, f->start % 32,
				(uint64_t)v, paint(p, PLAIN));
		return;
	case IGEN_FIELD_MBO:
		if (v != igen_field_max(f->width))
			fprintf(p->out, "%24s%sbits %u:%u must be one, are 0x%" PRIx64 "%s\n", "",
				paint(p, BAD), f->start % 32 + f->width - 1, f->start % 32,
				(uint64_t)v, paint(p, PLAIN));
		return;
	case IGEN_FIELD_RESERVED:
		if (v)
			fprintf(p->out, "%24s%sreserved bits %u:%u are 0x%" PRIx64 "%s\n", "",
				paint(p, DIM), f->start % 32 + f->width - 1, f->start % 32,
				(uint64_t)v, paint(p, PLAIN));
		return;
	default:
		break;
	}
	if (!v && !p->zeros)
		return;
	if (f->count > 1)
		snprintf(index, sizeof(index), "[%u]", i);
	fprintf(p->out, "%24s%s%s: ", "", f->name, index);
	print_value(p, f, v);
	fputc('\n', p->out);
}

/* The fields that begin in dword @n; field bits count from @dw, of which @have are there. */
static void print_dword(const struct igen_print *p, const struct igen_cmd_field *fields,
			unsigned int nfields, const __u32 *dw, unsigned int have, unsigned int n)
{
	unsigned int k, i;

	for (k = 0; k < nfields; k++) {
		const struct igen_cmd_field *f = &fields[k];

		if (f->start / 32 > n || (f->start + f->stride * (f->count - 1u)) / 32 < n)
			continue;
		/* Elements of an array that begin in this dword. */
		i = f->count > 1 && n * 32 > f->start
			    ? (n * 32 - f->start + f->stride - 1) / f->stride
			    : 0;
		for (; i < f->count && (f->start + i * f->stride) / 32 == n; i++)
			if (igen_field_present(f, i, have))
				print_field(p, f, i, dw);
	}
}

static void print_body(const struct igen_print *p, const struct igen_cmd *cmd, const __u32 *dw,
		       unsigned int have, __u64 address, const char *title, unsigned int length)
{
	unsigned int n, in;

	for (n = 0; n < have; n++) {
		fprintf(p->out, "%s0x%08" PRIx64 "%s  %08x", paint(p, ADDRESS),
			(uint64_t)(address + n * 4), paint(p, PLAIN), dw[n]);
		if (!n)
			fprintf(p->out, "  %s%s%s (%u dword%s%s)", paint(p, cmd ? NAME : BAD),
				title, paint(p, PLAIN), length, length == 1 ? "" : "s",
				have < length ? ", cut off" : "");
		fputc('\n', p->out);
		if (!cmd)
			continue;
		if (n < cmd->extent) {
			print_dword(p, cmd->fields, cmd->nfields, dw, have, n);
		} else if (cmd->tail_dwords) {
			in = (n - cmd->extent) % cmd->tail_dwords;
			print_dword(p, cmd->tail, cmd->ntail, dw + n - in, have - (n - in), in);
		}
	}
}

void igen_print_inst(const struct igen_print *p, const struct igen_inst *inst, __u64 address)
{
	print_body(p, inst->cmd, inst->dw, inst->have, address,
		   inst->cmd ? inst->cmd->name : "unknown", inst->length);
}

void igen_print_struct(const struct igen_print *p, const struct igen_cmd *s, const __u32 *dw,
		       unsigned int n, __u64 address)
{
	print_body(p, s, dw, n < s->extent ? n : s->extent, address, s->name, s->length);
}
