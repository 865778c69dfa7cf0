// SPDX-License-Identifier: MIT
/*
 * DOC: test_decode
 *
 * The decoder against instructions as an assembler wrote them.
 */
#include <stdio.h>
#include <string.h>

#include "decode.h"

#define NONE	INSN_NO_REGISTER

static const struct {
	const char *text;
	uint8_t bytes[12];
	struct insn want;
} cases[] = {
	{ "mfence", { 0x0f, 0xae, 0xf0 }, { INSN_FENCE, .base = NONE, .index = NONE } },
	{ "sfence", { 0x0f, 0xae, 0xf8 }, { INSN_FENCE, .base = NONE, .index = NONE } },
	{ "lfence", { 0x0f, 0xae, 0xe8 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "rdfsbase %rax", { 0xf3, 0x48, 0x0f, 0xae, 0xc0 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "tpause %eax", { 0x66, 0x0f, 0xae, 0xf0 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "umonitor %rax", { 0xf3, 0x0f, 0xae, 0xf0 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "clflush (%rdi)", { 0x0f, 0xae, 0x3f }, { INSN_CLFLUSH, .base = 7, .index = NONE } },
	{ "clflush %ds:(%rdi)", { 0x3e, 0x0f, 0xae, 0x3f }, { INSN_CLFLUSH, .base = 7, .index = NONE } },
	{ "clflushopt (%rdi)", { 0x66, 0x0f, 0xae, 0x3f }, { INSN_CLFLUSHOPT, .base = 7, .index = NONE } },
	{ "clflush 0x40(%rsp,%r12,8)", { 0x42, 0x0f, 0xae, 0x7c, 0xe4, 0x40 },
	  { INSN_CLFLUSH, .base = 4, .index = 12, .scale = 3, .displacement = 0x40 } },
	{ "clflush -0x80(%r13)", { 0x41, 0x0f, 0xae, 0x7d, 0x80 },
	  { INSN_CLFLUSH, .base = 13, .index = NONE, .displacement = -0x80 } },
	{ "clflush 0x12345678(%r12)", { 0x41, 0x0f, 0xae, 0xbc, 0x24, 0x78, 0x56, 0x34, 0x12 },
	  { INSN_CLFLUSH, .base = 12, .index = NONE, .displacement = 0x12345678 } },
	{ "clflush -0x10(%rip)", { 0x0f, 0xae, 0x3d, 0xf0, 0xff, 0xff, 0xff },
	  { INSN_CLFLUSH, .relative = true, .base = NONE, .index = NONE, .displacement = -0x10 } },
	{ "clflush 0x1000", { 0x0f, 0xae, 0x3c, 0x25, 0x00, 0x10, 0x00, 0x00 },
	  { INSN_CLFLUSH, .base = NONE, .index = NONE, .displacement = 0x1000 } },
	{ "clflush %gs:(%rax)", { 0x65, 0x0f, 0xae, 0x38 },
	  { INSN_CLFLUSH, .segment = 'g', .base = 0, .index = NONE } },
	{ "clflush (%eax)", { 0x67, 0x0f, 0xae, 0x38 },
	  { INSN_CLFLUSH, .address_32 = true, .base = 0, .index = NONE } },
	{ "clwb (%r8)", { 0x66, 0x41, 0x0f, 0xae, 0x30 }, { INSN_CLWB, .base = 8, .index = NONE } },
	{ "xsaveopt (%rdi)", { 0x0f, 0xae, 0x37 }, { INSN_OTHER, .base = 7, .index = NONE } },
	{ "fxsave64 (%rdi)", { 0x48, 0x0f, 0xae, 0x07 }, { INSN_OTHER, .base = 7, .index = NONE } },
	{ "wbinvd", { 0x0f, 0x09 }, { INSN_FLUSH_ALL, .base = NONE, .index = NONE } },
	{ "wbnoinvd", { 0xf3, 0x0f, 0x09 }, { INSN_FLUSH_ALL, .base = NONE, .index = NONE } },
	{ "lock addl $0,-4(%rsp)", { 0xf0, 0x83, 0x44, 0x24, 0xfc, 0x00 },
	  { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "addl $0,-4(%rsp)", { 0x83, 0x44, 0x24, 0xfc, 0x00 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "lock cmpxchg %rcx,(%rdx)", { 0xf0, 0x48, 0x0f, 0xb1, 0x0a }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "xchg %eax,(%rdi)", { 0x87, 0x07 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "xchg %eax,%ebx", { 0x87, 0xd8 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "movnti %rax,(%rdi)", { 0x48, 0x0f, 0xc3, 0x07 },
	  { INSN_OTHER, .non_temporal = true, .base = NONE, .index = NONE } },
	{ "movntdq %xmm0,(%rdi)", { 0x66, 0x0f, 0xe7, 0x07 },
	  { INSN_OTHER, .non_temporal = true, .base = NONE, .index = NONE } },
	{ "vmovntdq %ymm0,(%rdi)", { 0xc5, 0xfd, 0xe7, 0x07 },
	  { INSN_OTHER, .non_temporal = true, .base = NONE, .index = NONE } },
	{ "vmovntdq %ymm0,(%r8)", { 0xc4, 0xc1, 0x7d, 0xe7, 0x00 },
	  { INSN_OTHER, .non_temporal = true, .base = NONE, .index = NONE } },
	{ "cvtdq2pd (%rdi),%xmm0", { 0xf3, 0x0f, 0xe6, 0x07 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "movntps %xmm0,(%rdi)", { 0x0f, 0x2b, 0x07 },
	  { INSN_OTHER, .non_temporal = true, .base = NONE, .index = NONE } },
	{ "vldmxcsr (%rax)", { 0xc5, 0xf8, 0xae, 0x10 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "invlpg (%rdi)", { 0x0f, 0x01, 0x3f }, { INSN_TRANSLATIONS, .base = NONE, .index = NONE } },
	{ "swapgs", { 0x0f, 0x01, 0xf8 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "invpcid (%rsp),%rax", { 0x66, 0x0f, 0x38, 0x82, 0x04, 0x24 },
	  { INSN_TRANSLATIONS, .base = NONE, .index = NONE } },
	{ "mov %rax,%cr0", { 0x0f, 0x22, 0xc0 }, { INSN_TRANSLATIONS, .base = 0, .index = NONE } },
	{ "mov %rbx,%cr3", { 0x0f, 0x22, 0xdb }, { INSN_CR3, .base = 3, .index = NONE } },
	{ "mov %r12,%cr4", { 0x41, 0x0f, 0x22, 0xe4 }, { INSN_CR4, .base = 12, .index = NONE } },
	{ "mov %rax,%cr8", { 0x44, 0x0f, 0x22, 0xc0 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "out %eax,(%dx)", { 0xef }, { INSN_OUT, .base = NONE, .index = NONE } },
	{ "out %ax,(%dx)", { 0x66, 0xef }, { INSN_OUT, .base = NONE, .index = NONE } },
	{ "mov %rax,%cr2", { 0x0f, 0x22, 0xd0 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "mov %cr3,%rax", { 0x0f, 0x20, 0xd8 }, { INSN_OTHER, .base = NONE, .index = NONE } },
	{ "mov %rax,(%rdi)", { 0x48, 0x89, 0x07 }, { INSN_OTHER, .base = NONE, .index = NONE } },
};

static bool equal(const struct insn *a, const struct insn *b)
{
	if (a->kind != b->kind || a->non_temporal != b->non_temporal)
		return false;
	if (a->kind == INSN_CR3 || a->kind == INSN_CR4)
		return a->base == b->base;
	/* Only flushes have operands that matter. */
	if (a->kind != INSN_CLFLUSH && a->kind != INSN_CLFLUSHOPT && a->kind != INSN_CLWB)
		return true;
	return a->address_32 == b->address_32 && a->relative == b->relative && a->segment == b->segment &&
	       a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->displacement == b->displacement;
}

int main(void)
{
	unsigned int wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t len = sizeof(cases[i].bytes);
		struct insn got;

		/* No instruction here ends with a zero that is not part of an operand. */
		while (len > 1 && !cases[i].bytes[len - 1])
			len--;
		got = insn_decode(cases[i].bytes, len);
		if (equal(&got, &cases[i].want))
			continue;
		printf("%s: kind %d, base %u, index %u, scale %u, displacement %lld\n", cases[i].text, got.kind,
		       got.base, got.index, got.scale, (long long)got.displacement);
		wrong++;
	}
	printf("%zu instructions, %u wrong\n", sizeof(cases) / sizeof(*cases), wrong);
	return wrong != 0;
}
