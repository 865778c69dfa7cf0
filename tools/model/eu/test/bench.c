// SPDX-License-Identifier: MIT
/**
 * DOC: How fast programs execute
 *
 *	bench			loops of common instructions; the figure counts one for each eight channels
 *	bench GEN FILE...	of programs: which part has handlers of its own
 */
#include <time.h>

#include "check.h"
#include "internal.h"

#define LOOPS 200000

static struct machine m;
static const struct isa_operand none;
static struct eu_thread t;

/* Processor time, which others on the machine do not change much. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static struct isa_inst alu(unsigned int op, unsigned int exec, struct isa_operand dst, struct isa_operand a,
			   struct isa_operand b)
{
	return (struct isa_inst){ .op = op, .exec_size = exec, .dst = dst, .src = { a, b } };
}

static struct isa_inst mad(unsigned int exec, unsigned int dst, unsigned int a, unsigned int b, unsigned int c)
{
	struct isa_inst inst = { .op = ISA_OP_MAD, .exec_size = exec, .dst = grf(dst, ISA_TYPE_F), .src = {
		packed(a, ISA_TYPE_F), packed(b, ISA_TYPE_F), packed(c, ISA_TYPE_F) } };
	return inst;
}

/* The loop's end: r1.0 counts down. */
static void loop(uint32_t top, unsigned int exec)
{
	struct isa_inst count = alu(ISA_OP_ADD, 1, grf(1, ISA_TYPE_D), scalar(1, 0, ISA_TYPE_D),
				    imm(ISA_TYPE_D, 0xffffffff));
	struct isa_inst again = { .op = ISA_OP_WHILE, .exec_size = exec, .predicate = 1 };
	struct isa_inst cmp = alu(ISA_OP_CMP, exec, null_dst(ISA_TYPE_D), scalar(1, 0, ISA_TYPE_D), imm(ISA_TYPE_D, 0));

	count.no_mask = true;
	cmp.cond = 2;
	asm_add(&m.program, count);
	asm_add(&m.program, cmp);
	again.jump[0] = (int)(top - m.program.bytes);
	asm_add(&m.program, again);
	asm_eot(&m.program);
}

/* z = z * z + c, and its magnitude. */
static void floats(unsigned int exec)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		asm_add(&m.program, alu(ISA_OP_MUL, exec, grf(10, ISA_TYPE_F), packed(2, ISA_TYPE_F),
					packed(2, ISA_TYPE_F)));
		asm_add(&m.program, mad(exec, 12, 10, 4, 4));
		asm_add(&m.program, alu(ISA_OP_ADD, exec, grf(14, ISA_TYPE_F), packed(12, ISA_TYPE_F),
					scalar(6, 0, ISA_TYPE_F)));
		asm_add(&m.program, mad(exec, 16, 14, 12, 10));
	}
}

/* A hash: xor, shifts, multiplications by immediates. */
static void integers(unsigned int exec)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		asm_add(&m.program, alu(ISA_OP_SHR, exec, grf(10, ISA_TYPE_UD), packed(2, ISA_TYPE_UD),
					imm(ISA_TYPE_UD, 15)));
		asm_add(&m.program, alu(ISA_OP_XOR, exec, grf(2, ISA_TYPE_UD), packed(2, ISA_TYPE_UD),
					packed(10, ISA_TYPE_UD)));
		asm_add(&m.program, alu(ISA_OP_MUL, exec, grf(2, ISA_TYPE_UD), packed(2, ISA_TYPE_UD),
					imm(ISA_TYPE_UD, 0x85ebca6b)));
		asm_add(&m.program, alu(ISA_OP_ADD, exec, grf(4, ISA_TYPE_D), packed(2, ISA_TYPE_D),
					region(20, 0, ISA_TYPE_UW, 8, 8, 1)));
	}
}

/* Words and bytes of strides, conversions. */
static void mixed(unsigned int exec)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		asm_add(&m.program, alu(ISA_OP_MOV, exec, grf(10, ISA_TYPE_F), region(20, 0, ISA_TYPE_UB, 8, 8, 1),
					none));
		asm_add(&m.program, alu(ISA_OP_MUL, exec, grf(12, ISA_TYPE_F), packed(10, ISA_TYPE_F), imm_f(0.5f)));
		asm_add(&m.program, alu(ISA_OP_MOV, exec, grf(14, ISA_TYPE_D), packed(12, ISA_TYPE_F),
					none));
		asm_add(&m.program, alu(ISA_OP_AND, exec, grf(16, ISA_TYPE_UD), region(24, 0, ISA_TYPE_UD, 16, 8, 2),
					packed(14, ISA_TYPE_UD)));
	}
}

static double measure(unsigned int features, unsigned int exec, uint32_t channels, void (*body)(unsigned int exec),
		      double *generic)
{
	struct eu_core *core = eu_core_new(&isa_gen9, features, &machine_ops);
	double begin, seconds;

	m.program.isa = &isa_gen9;
	m.program.bytes = 0;
	body(exec);
	loop(0, exec);
	machine_start(&m, core, &t, channels);
	put_dword(&t, 1, 0, LOOPS);
	begin = now();
	if (eu_run(core, &t, ~0ull) != EU_END) {
		printf("the program does not end: %s\n", t.fault ? t.fault : "budget");
		exit(1);
	}
	seconds = now() - begin;
	*generic = 100.0 * eu_core_counters(core)->generic / t.executed;
	eu_core_free(core);
	return t.executed * (exec / 8.0) / seconds / 1e6;
}

static void measure_all(const char *name, void (*body)(unsigned int exec))
{
	unsigned int exec;

	for (exec = 8; exec <= 16; exec *= 2) {
		double share, none, full = measure(EU_DWORD_MUL, exec, ~0u, body, &share);
		double part = measure(EU_DWORD_MUL, exec, 0x5a5a5a5a, body, &none);
		double plain = measure(EU_DWORD_MUL | EU_NO_AVX2, exec, ~0u, body, &none);
		double slow = measure(EU_NO_FAST | EU_DWORD_MUL, exec, ~0u, body, &none);

		printf("%-9s SIMD%-2u %6.0f all channels, %6.0f half of them, %6.0f without AVX2, ", name, exec, full,
		       part, plain);
		printf("%6.1f channel by channel (M SIMD8 instructions/s); %.1f %% generic\n", slow, share);
	}
}

/* Instructions of a file by handler. */
static int count_handlers(const char *gen, int n, char **files)
{
	const struct isa_gen *isa = isa_gen_by_name(gen);
	unsigned long fast = 0, generic[ISA_OPS] = { 0 }, other = 0, slow = 0, op;
	struct eu_core *core = isa ? eu_core_new(isa, EU_DWORD_MUL, &machine_ops) : NULL;
	static uint8_t bytes[1 << 20];
	int i;

	if (!core) {
		fprintf(stderr, "%s: no such generation\n", gen);
		return 2;
	}
	for (i = 0; i < n; i++) {
		FILE *file = fopen(files[i], "rb");
		size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0, at = 0;

		if (!file) {
			perror(files[i]);
			return 2;
		}
		fclose(file);
		while (at + 8 <= size) {
			static struct eu_cold cold;
			struct eu_uop uop = { .cold = &cold };

			memset(&cold, 0, sizeof(cold));
			if (eu_decode(core, bytes + at, size - at, 0, &uop))
				break;
			at += uop.size;
			fast += !uop.flow && !uop.generic;
			other += uop.flow;
			slow += uop.generic;
			generic[uop.op] += uop.generic;
		}
	}
	printf("gen%s: %lu have handlers of their own, %lu go channel by channel, ", isa->name, fast, slow);
	printf("%lu are branches and messages\n", other);
	for (op = 0; op < ISA_OPS; op++) {
		unsigned int code;

		for (code = 0; code < 128 && generic[op]; code++)
			if (isa->ops[code].name && isa->ops[code].id == op)
				printf("  %-6s %lu\n", isa->ops[code].name, generic[op]);
	}
	eu_core_free(core);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return count_handlers(argv[1], argc - 2, argv + 2);
	measure_all("floats", floats);
	measure_all("integers", integers);
	measure_all("mixed", mixed);
	return 0;
}
