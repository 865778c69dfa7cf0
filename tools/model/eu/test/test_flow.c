// SPDX-License-Identifier: MIT
/**
 * DOC: Flow control, messages and faults, by programs with known results
 */
#include "check.h"

static const struct isa_gen *const gens[] = { &isa_gen6, &isa_gen7, &isa_gen75, &isa_gen9, &isa_gen12 };

#define EU_PAGE	4096u

static struct machine m;
static const struct isa_operand none;
static struct eu_thread t;

/* dst = src0 op src1, SIMD8. */
static struct isa_inst alu(unsigned int op, struct isa_operand dst, struct isa_operand a, struct isa_operand b)
{
	return (struct isa_inst){ .op = op, .exec_size = 8, .dst = dst, .src = { a, b } };
}

static struct isa_inst jump(unsigned int op, int jip, int uip)
{
	return (struct isa_inst){ .op = op, .exec_size = 8, .jump = { jip, uip } };
}

/* f0.0 = src cond value */
static struct isa_inst compare(unsigned int cond, struct isa_operand src, uint32_t value)
{
	struct isa_inst cmp = alu(ISA_OP_CMP, null_dst(ISA_TYPE_D), src, imm(ISA_TYPE_D, value));

	cmp.cond = cond;
	return cmp;
}

static struct eu_core *start(const struct isa_gen *isa, uint32_t channels)
{
	struct eu_core *core = eu_core_new(isa, 0, &machine_ops);

	m.program.isa = isa;
	machine_start(&m, core, &t, channels);
	return core;
}

static bool dwords_are(unsigned int reg, const uint32_t *expected)
{
	unsigned int n;

	for (n = 0; n < 8; n++)
		if (dword(&t, reg, n) != expected[n])
			return false;
	return true;
}

/* Channel n holds n. */
static void count_channels(unsigned int reg)
{
	unsigned int n;

	for (n = 0; n < 8; n++)
		put_dword(&t, reg, n, n);
}

/* if (r2 < 3) r3 = 10; else r3 = 20; r4 = 1 */
static void test_if(const struct isa_gen *isa, bool with_else)
{
	static const uint32_t branches[] = { 10, 10, 10, 20, 20, 20, 20, 20 };
	static const uint32_t one_branch[] = { 10, 10, 10, 0, 0, 0, 0, 0 }, ones[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct eu_core *core = start(isa, 0xff);
	struct isa_inst branch;
	uint32_t at_if, at_else = 0, at_endif;

	m.program.bytes = 0;
	count_channels(2);
	asm_add(&m.program, compare(5, packed(2, ISA_TYPE_D), 3));
	at_if = asm_add(&m.program, jump(ISA_OP_IF, 0, 0));
	asm_add(&m.program, alu(ISA_OP_MOV, grf(3, ISA_TYPE_D), imm(ISA_TYPE_D, 10), none));
	if (with_else) {
		at_else = asm_add(&m.program, jump(ISA_OP_ELSE, 0, 0));
		asm_add(&m.program, alu(ISA_OP_MOV, grf(3, ISA_TYPE_D), imm(ISA_TYPE_D, 20), none));
	}
	at_endif = asm_add(&m.program, jump(ISA_OP_ENDIF, 16, 0));
	asm_add(&m.program, alu(ISA_OP_MOV, grf(4, ISA_TYPE_D), imm(ISA_TYPE_D, 1), none));
	asm_eot(&m.program);
	branch = jump(ISA_OP_IF, (int)((with_else ? at_else + 16 : at_endif) - at_if), (int)(at_endif - at_if));
	if (isa->gen < 70)
		branch.jump[1] = 0;
	branch.predicate = 1;
	asm_put(&m.program, at_if, branch);
	if (with_else) {
		int to_end = (int)(at_endif - at_else);

		asm_put(&m.program, at_else, jump(ISA_OP_ELSE, to_end, isa->gen >= 80 ? to_end : 0));
	}
	check(machine_run(&m, core, &t) == EU_END, "gen%s: if%s ends", isa->name, with_else ? " and else" : "");
	check(dwords_are(3, with_else ? branches : one_branch), "gen%s: if%s by channel", isa->name,
	      with_else ? " and else" : "");
	check(dwords_are(4, ones) && t.running == ~0u, "gen%s: all channels are back behind endif", isa->name);
	eu_core_free(core);
}

/* do { r3 += 1; if (r3 == 5) break; } while (r3 <= r2), on channels that count to their number */
static void test_loop(const struct isa_gen *isa)
{
	static const uint32_t counts[] = { 1, 2, 3, 4, 5, 5, 5, 5 };
	struct eu_core *core = start(isa, 0xff);
	struct isa_inst loop, leave;
	uint32_t top, at_break, at_while;

	m.program.bytes = 0;
	count_channels(2);
	top = asm_add(&m.program, alu(ISA_OP_ADD, grf(3, ISA_TYPE_D), packed(3, ISA_TYPE_D), imm(ISA_TYPE_D, 1)));
	asm_add(&m.program, compare(1, packed(3, ISA_TYPE_D), 5));
	at_break = asm_add(&m.program, jump(ISA_OP_BREAK, 0, 0));
	loop = alu(ISA_OP_CMP, null_dst(ISA_TYPE_D), packed(3, ISA_TYPE_D), packed(2, ISA_TYPE_D));
	loop.cond = 6;
	asm_add(&m.program, loop);
	at_while = m.program.bytes;
	loop = jump(ISA_OP_WHILE, (int)(top - at_while), 0);
	loop.predicate = 1;
	asm_add(&m.program, loop);
	asm_eot(&m.program);
	/* From Gen7 on UIP is the while, on Gen6 what is behind it. */
	leave = jump(ISA_OP_BREAK, (int)(at_while - at_break), (int)(at_while - at_break) + (isa->gen < 70 ? 16 : 0));
	leave.predicate = 1;
	asm_put(&m.program, at_break, leave);
	check(machine_run(&m, core, &t) == EU_END, "gen%s: a loop with break ends", isa->name);
	check(dwords_are(3, counts), "gen%s: each channel leaves the loop for itself", isa->name);
	eu_core_free(core);
}

/* A subroutine that channels 4 to 7 alone call: r3 = 7. */
static void test_call(const struct isa_gen *isa)
{
	static const uint32_t called[] = { 0, 0, 0, 0, 7, 7, 7, 7 };
	struct eu_core *core = start(isa, 0xff);
	struct isa_inst call = { .op = ISA_OP_CALL, .exec_size = isa->gen < 80 ? 2 : 8, .predicate = 1 }, ret;
	uint32_t at_call;

	m.program.bytes = 0;
	count_channels(2);
	t.flag[0] = 0xf0;
	call.dst = grf(10, ISA_TYPE_D);
	call.jump[0] = 32;
	at_call = asm_add(&m.program, call);
	asm_eot(&m.program);
	asm_add(&m.program, alu(ISA_OP_MOV, grf(3, ISA_TYPE_D), imm(ISA_TYPE_D, 7), none));
	ret = (struct isa_inst){ .op = ISA_OP_RET, .exec_size = call.exec_size };
	ret.src[0] = region(10, 0, ISA_TYPE_D, isa->gen < 120 ? 2 : 0, isa->gen < 120 ? 2 : 1, isa->gen < 120);
	asm_add(&m.program, ret);
	check(machine_run(&m, core, &t) == EU_END, "gen%s: a call returns", isa->name);
	check(dwords_are(3, called) && dword(&t, 10, 0) == at_call + 16 && dword(&t, 10, 1) == 0xf0,
	      "gen%s: channels that call execute the subroutine", isa->name);
	eu_core_free(core);
}

/* jmpi over an instruction, and back for ever: the budget ends that. */
static void test_jmpi(const struct isa_gen *isa)
{
	struct eu_core *core = start(isa, 0xff);
	struct isa_inst skip = { .op = ISA_OP_JMPI, .exec_size = 1, .no_mask = true };

	m.program.bytes = 0;
	skip.jump[0] = 32;
	asm_add(&m.program, skip);
	asm_add(&m.program, alu(ISA_OP_MOV, grf(3, ISA_TYPE_D), imm(ISA_TYPE_D, 7), none));
	skip.jump[0] = -32;
	asm_add(&m.program, skip);
	check(eu_run(core, &t, 1001) == EU_BUDGET && t.executed == 1001, "gen%s: an endless loop uses up its budget",
	      isa->name);
	check(!dword(&t, 3, 0) && t.ip == 32, "gen%s: jmpi jumps", isa->name);
	eu_core_free(core);
}

/* A payload of two registers whose first the response overwrites. */
static void test_message(const struct isa_gen *isa)
{
	struct eu_core *core = start(isa, 0x0f);
	struct isa_inst send = { .op = ISA_OP_SEND, .exec_size = 8, .target = 2, .predicate = 1 };
	unsigned int from = isa->gen < 70 ? 4 : 20;

	m.program.bytes = 0;
	t.flag[0] = 0x3c;
	send.dst = grf(21, ISA_TYPE_UD);
	send.src[0] = packed(from, ISA_TYPE_UD);
	send.desc = 2u << 25 | 2u << 20;
	asm_add(&m.program, send);
	asm_eot(&m.program);
	if (isa->gen < 70) {
		t.mrf[4][0] = 0x11;
		t.mrf[5][0] = 0x22;
	} else {
		t.grf[20][0] = 0x11;
		t.grf[21][0] = 0x22;
	}
	m.busy = 2;
	eu_core_invalidate(core);
	check(eu_run(core, &t, 100) == EU_WAIT && !t.ip && !m.messages, "gen%s: a message that cannot be done waits",
	      isa->name);
	check(eu_run(core, &t, 100) == EU_WAIT, "gen%s: and is tried again", isa->name);
	check(eu_run(core, &t, 1) == EU_BUDGET && m.messages == 1 && m.last.exec_mask == 0x0c &&
	      m.last.length[0] == 2 && m.last.response_reg == 21 && !m.last.eot,
	      "gen%s: it has the send's lengths and enabled channels", isa->name);
	check(t.grf[21][0] == 0x11 && t.grf[22][0] == 0x22, "gen%s: the payload is not overwritten by the response",
	      isa->name);
	check(eu_run(core, &t, 100) == EU_END && m.last.eot, "gen%s: a message with EOT ends the thread", isa->name);
	check(eu_core_counters(core)->messages[2] == 1, "gen%s: messages are counted", isa->name);
	eu_core_free(core);
}

/* A program of two pages: r20 = first; ...; r21 = last. */
static void two_pages(uint32_t first, uint32_t last)
{
	m.program.bytes = 0;
	asm_add(&m.program, alu(ISA_OP_MOV, grf(20, ISA_TYPE_UD), imm(ISA_TYPE_UD, first), none));
	while (m.program.bytes < EU_PAGE + 64)
		asm_add(&m.program, alu(ISA_OP_MOV, grf(22, ISA_TYPE_UD), imm(ISA_TYPE_UD, 1), none));
	asm_add(&m.program, alu(ISA_OP_MOV, grf(21, ISA_TYPE_UD), imm(ISA_TYPE_UD, last), none));
	asm_eot(&m.program);
}

/* Runs the program from its start; false if it does not give these. Gives how many instructions were decoded for it. */
static bool gives(struct eu_core *core, uint32_t first, uint32_t last, uint64_t *decoded)
{
	uint64_t before = eu_core_counters(core)->decoded;
	enum eu_status status;

	machine_start(&m, core, &t, 0xff);
	status = eu_run(core, &t, 1000);
	*decoded = eu_core_counters(core)->decoded - before;
	return status == EU_END && dword(&t, 20, 7) == first && dword(&t, 21, 7) == last;
}

/* After an invalidation only pages that have changed are decoded again. */
static void test_again(const struct isa_gen *isa)
{
	struct eu_core *core = start(isa, 0xff);
	uint64_t all, decoded;

	two_pages(7, 8);
	check(gives(core, 7, 8, &all) && all > 256, "gen%s: a program of two pages", isa->name);
	eu_core_invalidate(core);
	check(gives(core, 7, 8, &decoded) && !decoded, "gen%s: the same program is not decoded again", isa->name);
	two_pages(7, 9);
	check(gives(core, 7, 8, &decoded) && !decoded, "gen%s: a changed one runs as it was", isa->name);
	eu_core_invalidate(core);
	check(gives(core, 7, 9, &decoded) && decoded && decoded < 20,
	      "gen%s: until it is invalidated; then one page is decoded again", isa->name);
	two_pages(6, 9);
	eu_core_invalidate(core);
	check(gives(core, 6, 9, &decoded) && decoded > 200 && decoded < all, "gen%s: the other one", isa->name);
	eu_core_free(core);
}

/* So many cores share a bound of 2048 pages: does this one decode a program of two pages again? */
static bool decodes_again(const struct isa_gen *isa, unsigned int cores)
{
	struct eu_core *core = start(isa, 0xff);
	uint64_t all, again;
	bool right;

	eu_core_share(core, cores);
	two_pages(7, 8);
	right = gives(core, 7, 8, &all) && gives(core, 7, 8, &again);
	eu_core_free(core);
	return !right || again;
}

/* Cores that share a bound drop what they have decoded when there are more pages than their share. */
static void test_share(const struct isa_gen *isa)
{
	check(!decodes_again(isa, 1) && !decodes_again(isa, 8), "gen%s: a program is decoded once", isa->name);
	check(decodes_again(isa, 1024) && decodes_again(isa, 4096),
	      "gen%s: again by one of very many cores, which share the room for programs", isa->name);
}

/* The same with r21 = last on both pages: its number is on the second one. It begins at byte 8. */
static void across_pages(uint32_t first, uint32_t last)
{
	m.program.bytes = 8;
	asm_add(&m.program, alu(ISA_OP_MOV, grf(20, ISA_TYPE_UD), imm(ISA_TYPE_UD, first), none));
	while (m.program.bytes < EU_PAGE - 8)
		asm_add(&m.program, alu(ISA_OP_MOV, grf(22, ISA_TYPE_UD), imm(ISA_TYPE_UD, 1), none));
	asm_add(&m.program, alu(ISA_OP_MOV, grf(21, ISA_TYPE_UD), imm(ISA_TYPE_UD, last), none));
	asm_eot(&m.program);
}

static bool gives_across(struct eu_core *core, uint32_t first, uint32_t last, uint64_t *decoded)
{
	uint64_t before = eu_core_counters(core)->decoded;
	enum eu_status status;

	machine_start(&m, core, &t, 0xff);
	t.ip = 8;
	status = eu_run(core, &t, 1000);
	*decoded = eu_core_counters(core)->decoded - before;
	return status == EU_END && dword(&t, 20, 7) == first && dword(&t, 21, 7) == last;
}

/* After an invalidation an instruction on two pages is decoded again, and no other of an unchanged page. */
static void test_across(const struct isa_gen *isa)
{
	struct eu_core *core = start(isa, 0xff);
	uint64_t all, decoded;

	across_pages(7, 8);
	check(gives_across(core, 7, 8, &all) && all > 256, "gen%s: a program with an instruction on two pages",
	      isa->name);
	eu_core_invalidate(core);
	check(gives_across(core, 7, 8, &decoded) && decoded == 1, "gen%s: that one is decoded again", isa->name);
	across_pages(7, 9);
	eu_core_invalidate(core);
	check(gives_across(core, 7, 9, &decoded) && decoded < 20, "gen%s: as its second page has it", isa->name);
	check(gives_across(core, 7, 9, &decoded) && !decoded, "gen%s: once an invalidation", isa->name);
	across_pages(6, 9);
	eu_core_invalidate(core);
	check(gives_across(core, 6, 9, &decoded) && decoded > 200, "gen%s: its first page has changed", isa->name);
	eu_core_free(core);
}

static void test_wait(void)
{
	struct eu_core *core = start(&isa_gen9, 0xff);
	struct isa_inst wait = { .op = ISA_OP_WAIT, .exec_size = 1 };

	m.program.bytes = 0;
	wait.src[0] = arf(0x90, 0, ISA_TYPE_UD);
	asm_add(&m.program, wait);
	asm_eot(&m.program);
	check(machine_run(&m, core, &t) == EU_WAIT, "wait: waits for a notification");
	t.n[0] = 1;
	check(machine_run(&m, core, &t) == EU_END && !t.n[0], "wait: takes the notification and goes on");
	eu_core_free(core);
}

static enum eu_status run_at(const struct isa_gen *isa, uint32_t ip)
{
	struct eu_core *core = start(isa, 0xff);
	enum eu_status status;

	t.ip = ip;
	status = eu_run(core, &t, 100);
	eu_core_free(core);
	return status;
}

static void test_faults(const struct isa_gen *isa)
{
	struct eu_core *core;
	struct isa_inst inst;
	uint64_t before;

	m.program.isa = isa;
	m.program.bytes = 0;
	asm_add(&m.program, alu(ISA_OP_MOV, grf(3, ISA_TYPE_D), imm(ISA_TYPE_D, 7), none));
	core = start(isa, 0xff);
	check(eu_run(core, &t, 1) == EU_BUDGET && t.ip == 16, "gen%s: a budget of 1 is for one instruction", isa->name);
	eu_core_free(core);
	check(run_at(isa, 0) == EU_FAULT && !strcmp(t.fault, "there is no program at ip") && t.ip == 16,
	      "gen%s: a program that does not end comes to its end", isa->name);
	check(run_at(isa, 4) == EU_FAULT && !strcmp(t.fault, "ip is not a multiple of 8"), "gen%s: a misaligned ip",
	      isa->name);
	check(run_at(isa, 0xfffffff8) == EU_FAULT, "gen%s: an ip at the end of its range", isa->name);
	m.program.bytes = 0;
	inst = alu(ISA_OP_ADD, grf(127, ISA_TYPE_F), packed(3, ISA_TYPE_F), packed(4, ISA_TYPE_F));
	inst.exec_size = 16;
	asm_add(&m.program, inst);
	check(run_at(isa, 0) == EU_FAULT && !strcmp(t.fault, "operand beyond r127") && !t.ip,
	      "gen%s: a region beyond the last register", isa->name);
	m.program.bytes = 0;
	inst = alu(ISA_OP_MOV, grf(3, ISA_TYPE_UD), packed(0, ISA_TYPE_UD), none);
	inst.src[0].indirect = true;
	inst.src[0].addr_imm = -32;
	asm_add(&m.program, inst);
	check(run_at(isa, 0) == EU_FAULT && !strcmp(t.fault, "address in a0 is outside the registers"),
	      "gen%s: an address below the registers", isa->name);
	memset(m.program.words, 0xff, 64);
	m.program.words[0] &= ~(1ull << 29);
	m.program.bytes = 64;
	check(run_at(isa, 0) == EU_FAULT && t.fault, "gen%s: a reserved opcode", isa->name);
	before = t.executed;
	check(before <= 1, "gen%s: and nothing after it", isa->name);
}

/* The plan says that there is one. */
static void prepare(struct eu_message *message)
{
	message->plan[0] = 0x5a;
}

/* A send that is executed again, by another thread, with other channels, or with another descriptor in a0. */
static void test_resend(const struct isa_gen *isa)
{
	const struct eu_ops ops = { .fetch = machine_ops.fetch, .message = machine_ops.message, .prepare = prepare };
	struct eu_core *core = eu_core_new(isa, 0, &ops);
	struct isa_inst send = { .op = ISA_OP_SEND, .exec_size = 8, .target = 2, .predicate = 1 };
	static struct eu_thread other;
	unsigned int i, wrong = 0;

	m.program.isa = isa;
	m.program.bytes = 0;
	send.dst = grf(21, ISA_TYPE_UD);
	send.src[0] = packed(20, ISA_TYPE_UD);
	send.desc = 2u << 25 | 1u << 20;
	asm_add(&m.program, send);
	send.desc = 0;
	send.desc_is_reg = true;
	if (isa->gen < 120)
		asm_add(&m.program, send);
	machine_start(&m, core, &t, 0xff);
	machine_start(&m, core, &other, 0xff);
	for (i = 0; i < 4; i++) {
		struct eu_thread *thread = i % 2 ? &other : &t;

		thread->ip = 0;
		thread->flag[0] = 1u << i;
		memset(thread->grf[20], 0x10 + i, 2 * EU_GRF_BYTES);
		wrong += eu_run(core, thread, 1) != EU_BUDGET || m.last.exec_mask != 1u << i ||
			 m.payload[0] != 0x10 + i || thread->grf[21][0] != 0x10 + i || m.last.plan[0] != 0x5a;
	}
	check(!wrong, "gen%s: a send is each time the thread's own, with one plan", isa->name);
	wrong = 0;
	for (i = 0; i < 4 && isa->gen < 120; i++) {
		uint32_t desc = (1u + i % 2) << 25 | (1u + i / 2) << 20 | i;

		t.ip = 16;
		memcpy(t.address, &desc, sizeof(desc));
		wrong += eu_run(core, &t, 1) != EU_BUDGET || m.last.desc != desc || m.last.length[0] != 1u + i % 2 ||
			 m.last.response_length != 1u + i / 2 || m.last.plan[0];
	}
	check(!wrong, "gen%s: one whose descriptor is in a0 has that, and no plan", isa->name);
	eu_core_free(core);
}

/* smov: the channels whose bits are set, to where a0 says. */
static void test_smov(void)
{
	static const uint32_t moved[] = { 0, 0x100, 2, 0x102, 4, 5, 0x105, 0x106 };
	struct eu_core *core = start(&isa_gen9, 0xff);
	struct isa_inst smov = { .op = ISA_OP_SMOV, .exec_size = 8 };
	unsigned int n;

	m.program.bytes = 0;
	smov.dst = grf(0, ISA_TYPE_UD);
	smov.dst.indirect = true;
	smov.dst.addr_subreg = 2;
	smov.dst.addr_imm = 4;
	smov.src[0] = packed(4, ISA_TYPE_UD);
	smov.src[1] = imm(ISA_TYPE_UD, 0x65);
	asm_add(&m.program, smov);
	asm_eot(&m.program);
	t.address[2] = 5 * EU_GRF_BYTES;
	for (n = 0; n < 8; n++) {
		put_dword(&t, 4, n, 0x100 + n);
		put_dword(&t, 5, n, n);
	}
	check(machine_run(&m, core, &t) == EU_END && dwords_are(5, moved), "smov: each channel's own dword");
	machine_start(&m, core, &t, 0xff);
	t.address[2] = 4 * EU_GRF_BYTES;
	for (n = 0; n < 8; n++)
		put_dword(&t, 4, n, n);
	check(machine_run(&m, core, &t) == EU_END && dword(&t, 4, 1) == 0 && dword(&t, 4, 3) == 2 &&
	      dword(&t, 4, 6) == 5 && dword(&t, 4, 7) == 6, "smov: all are read before the first is written");
	machine_start(&m, core, &t, 0xff);
	t.address[2] = EU_GRFS * EU_GRF_BYTES - 24;
	put_dword(&t, 4, 0, 7);
	check(machine_run(&m, core, &t) == EU_FAULT && !strcmp(t.fault, "address in a0 is outside the registers") &&
	      !dword(&t, 127, 3) && !t.mrf[0][4], "smov: beyond r127 is a fault, and nothing is written");
	machine_start(&m, core, &t, 0x07);
	t.address[2] = EU_GRFS * EU_GRF_BYTES - 24;
	check(machine_run(&m, core, &t) == EU_END, "smov: channels that are off have no address");
	m.program.bytes = 0;
	smov.dst.addr_imm = -8;
	asm_add(&m.program, smov);
	machine_start(&m, core, &t, 0xff);
	t.address[2] = 4;
	check(machine_run(&m, core, &t) == EU_FAULT && !strcmp(t.fault, "address in a0 is outside the registers"),
	      "smov: so is an address below r0");
	eu_core_free(core);
}

static void test_exception(void)
{
	struct eu_core *core = start(&isa_gen9, 0xff);

	m.program.bytes = 0;
	m.program.words[0] = 0;
	m.program.words[1] = 0;
	m.program.bytes = 16;
	asm_eot(&m.program);
	check(machine_run(&m, core, &t) == EU_END && t.cr[1] & EU_CR1_ILLEGAL,
	      "illegal: does nothing without exceptions");
	machine_start(&m, core, &t, 0xff);
	t.cr[1] = EU_CR1_ILLEGAL_ENABLE;
	t.sip = 64;
	check(machine_run(&m, core, &t) == EU_FAULT && t.ip == 64 && !t.cr[2] && t.cr[0] & EU_CR0_EXCEPTION,
	      "illegal: goes to the system routine when exceptions are enabled");
	eu_core_free(core);
}

static void add_control(unsigned int op, unsigned int dword, uint32_t value)
{
	struct isa_inst inst = alu(op, arf(0x80, 4 * dword, ISA_TYPE_UD), arf(0x80, 4 * dword, ISA_TYPE_UD),
				   imm(ISA_TYPE_UD, value));

	inst.exec_size = 1;
	inst.no_mask = true;
	inst.src[0].vstride = 0;
	inst.src[0].width = 1;
	inst.src[0].hstride = 0;
	asm_add(&m.program, inst);
}

static void add_move(unsigned int reg, uint32_t value)
{
	asm_add(&m.program, alu(ISA_OP_MOV, grf(reg, ISA_TYPE_UD), imm(ISA_TYPE_UD, value), none));
}

/* A program of a first instruction, a move and an end; and at 64 a routine that clears bits, moves and goes back. */
static void add_routine(uint32_t cleared, uint32_t set)
{
	add_move(10, 7);
	asm_eot(&m.program);
	while (m.program.bytes < 64)
		add_move(12, 1);
	m.program.bytes = 64;
	add_control(ISA_OP_AND, 1, ~cleared);
	add_move(11, 9);
	add_control(ISA_OP_OR, 0, set);
	add_control(ISA_OP_AND, 0, ~EU_CR0_EXCEPTION);
	asm_eot(&m.program);
	t.sip = 64;
}

static void test_software_exception(const struct isa_gen *isa)
{
	struct eu_core *core = start(isa, 0xff);

	m.program.bytes = 0;
	add_control(ISA_OP_OR, 1, EU_CR1_SOFTWARE);
	add_routine(EU_CR1_SOFTWARE, 0);
	check(machine_run(&m, core, &t) == EU_END && dword(&t, 10, 0) == 7 && !dword(&t, 11, 0),
	      "gen%s: a software exception that is not enabled", isa->name);
	machine_start(&m, core, &t, 0xff);
	t.sip = 64;
	t.cr[1] = EU_CR1_SOFTWARE_ENABLE;
	check(machine_run(&m, core, &t) == EU_END && dword(&t, 11, 0) == 9 && dword(&t, 10, 0) == 7 && t.cr[2] == 16 &&
	      !(t.cr[0] & EU_CR0_EXCEPTION),
	      "gen%s: one that is goes to the system routine, and back behind the instruction", isa->name);
	machine_start(&m, core, &t, 0xff);
	t.cr[1] = EU_CR1_SOFTWARE_ENABLE;
	check(machine_run(&m, core, &t) == EU_END && !dword(&t, 11, 0), "gen%s: there has to be a routine", isa->name);

	m.program.bytes = 0;
	add_control(ISA_OP_OR, 0, EU_CR0_EXCEPTION);
	add_routine(0, 0);
	machine_start(&m, core, &t, 0xff);
	check(machine_run(&m, core, &t) == EU_END && !(t.cr[0] & EU_CR0_EXCEPTION) && dword(&t, 10, 0) == 7,
	      "gen%s: a program cannot say that it is in the routine", isa->name);
	eu_core_free(core);
}

static void test_breakpoint(const struct isa_gen *isa)
{
	struct eu_core *core = start(isa, 0xff);

	m.program.bytes = 0;
	add_move(13, 3);
	m.program.words[0] |= 1ull << 30;
	add_routine(EU_CR1_BREAKPOINT, EU_CR0_SUPPRESS);
	check(machine_run(&m, core, &t) == EU_END && dword(&t, 13, 0) == 3 && !dword(&t, 11, 0),
	      "gen%s: a breakpoint that is not enabled", isa->name);
	machine_start(&m, core, &t, 0xff);
	t.sip = 64;
	t.cr[1] = EU_CR1_BREAKPOINT_ENABLE;
	check(machine_run(&m, core, &t) == EU_END && dword(&t, 11, 0) == 9 && !t.cr[2] && dword(&t, 13, 0) == 3 &&
	      dword(&t, 10, 0) == 7,
	      "gen%s: one that is goes to the routine first, and the instruction executes afterwards", isa->name);
	check(!(t.cr[0] & EU_CR0_SUPPRESS), "gen%s: it was suppressed once", isa->name);

	/* The end of the program has one, too. Its message has to be sent twice. */
	m.program.words[4] |= 1ull << 30;
	machine_start(&m, core, &t, 0xff);
	t.sip = 64;
	t.cr[1] = EU_CR1_BREAKPOINT_ENABLE;
	t.cr[0] = EU_CR0_SUPPRESS;
	m.busy = 1;
	check(machine_run(&m, core, &t) == EU_WAIT && machine_run(&m, core, &t) == EU_END && dword(&t, 11, 0) == 9 &&
	      t.cr[2] == 32,
	      "gen%s: a message that is sent again is one instruction", isa->name);
	eu_core_free(core);
}

/* A pause is over at once from Gen9 on; on older parts the register cannot be written, nor can the time on any. */
static void test_pause(const struct isa_gen *isa)
{
	struct eu_core *core = start(isa, 0xff);
	struct isa_inst pause = alu(ISA_OP_MOV, arf(0xc0, 16, ISA_TYPE_UD), imm(ISA_TYPE_UD, 0x3e0), none);
	enum eu_status end = isa->gen < 90 ? EU_FAULT : EU_END;

	pause.exec_size = 1;
	pause.no_mask = true;
	m.program.bytes = 0;
	asm_add(&m.program, pause);
	asm_eot(&m.program);
	check(machine_run(&m, core, &t) == end, "gen%s: a thread that pauses %s", isa->name,
	      end == EU_END ? "goes on" : "stops");

	machine_start(&m, core, &t, 0xff);
	pause.dst.subreg = 0;
	m.program.bytes = 0;
	asm_add(&m.program, pause);
	asm_eot(&m.program);
	check(machine_run(&m, core, &t) == EU_FAULT, "gen%s: the time cannot be written", isa->name);
	eu_core_free(core);
}

/* Programs of random bits: every one ends in time, and none touches what is not its own (the sanitizers say so). */
static void test_random(const struct isa_gen *isa)
{
	uint64_t seed = isa->gen;
	unsigned int i, n, ends = 0;
	struct eu_core *core = start(isa, 0xffff);

	for (i = 0; i < 400; i++) {
		m.program.bytes = 512;
		for (n = 0; n < 64; n++)
			m.program.words[n] = random64(&seed);
		/* Opcodes that there are, mostly, and no compact ones every other time. */
		for (n = 0; n < 64; n += 2) {
			unsigned int code = random64(&seed) % 128;

			if (isa->ops[code].name)
				m.program.words[n] = (m.program.words[n] & ~0x7full) | code;
			if (i % 2)
				m.program.words[n] &= ~(1ull << 29);
		}
		machine_start(&m, core, &t, (uint32_t)random64(&seed));
		for (n = 0; n < sizeof(t.grf) / 8; n++)
			((uint64_t *)t.grf)[n] = random64(&seed);
		for (n = 0; n < 16; n++)
			t.address[n] = (uint16_t)random64(&seed);
		for (n = 0; n < 64; n += 2) {
			eu_core_invalidate(core);
			t.fault = NULL;
			t.ip = 8 * n;
			ends += eu_run(core, &t, 50) <= EU_FAULT;
		}
	}
	check(ends == 400 * 32, "gen%s: programs of random bits end or are faults", isa->name);
	eu_core_free(core);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(gens) / sizeof(gens[0]); i++) {
		test_if(gens[i], false);
		test_if(gens[i], true);
		test_loop(gens[i]);
		test_call(gens[i]);
		test_jmpi(gens[i]);
		test_message(gens[i]);
		if (gens[i]->gen >= 70)
			test_resend(gens[i]);
		test_again(gens[i]);
		test_share(gens[i]);
		test_across(gens[i]);
		test_faults(gens[i]);
		if (gens[i]->gen >= 70)
			test_pause(gens[i]);
		test_random(gens[i]);
	}
	test_smov();
	test_wait();
	test_exception();
	for (unsigned int i = 1; i < 4; i++) {
		test_software_exception(gens[i]);
		test_breakpoint(gens[i]);
	}
	return check_end();
}
