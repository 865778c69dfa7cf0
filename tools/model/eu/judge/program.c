// SPDX-License-Identifier: MIT
/**
 * DOC: Random structured programs
 *
 * A tree of assignments, if, loops, break, cont, calls and returns is written down twice: as instructions, whose
 * channels the interpreter masks, and as what one channel does, without any mask. Both must leave the same variables.
 * Jumps go where IVB Vol 4 Part 3, 6.14-6.62 (on Gen6 SNB Vol 4 Part 2, 8.3) want them: UIP of break to while, on Gen6
 * behind it; JIP to the end of the innermost block. From Gen8 on some blocks are made by goto and join.
 *
 * Functions stand before the program and call later ones alone. One that calls returns at its end alone: call stores
 * the new CallMask (6.15), so that ret of the called function does not bring the caller's back.
 *
 * In single program flow all channels have the same variables. UIP of if is then where JIP is.
 */
#include <stdlib.h>
#include <string.h>

#include "eu.h"
#include "judge.h"
#include "made.h"
#include "run.h"

#define VARIABLES 6
#define LOOPS 8
#define NODES 64
#define CODE 512
#define STEPS 1000000
#define FUNCTIONS 3
#define MAIN FUNCTIONS
#define START 64
#define FIRST_REG 10
#define LOOP_REG 40
#define LINK_REG 60

enum kind { ASSIGN, IF, SKIP, LOOP, BREAK, CONT, CALL, RETURN };

/**
 * struct node - a statement
 * @kind: which
 * @op: of an assignment, enum isa_opcode
 * @dst: variable
 * @a: variable
 * @b: variable, or -1: @imm
 * @imm: constant
 * @negate: of @b
 * @cond: condition modifier of what is compared
 * @inverse: the predicate is inverted
 * @checked_first: of a loop: its counter is checked at its begin, by a break; else at its end, by while
 * @loop: of a loop: its counter
 * @function: of a call: which is called
 * @predicated: of a call: channels call of which the condition holds
 * @body: first statement inside, or -1
 * @other: of an if: first statement of else, or -1
 * @next: following statement, or -1
 */
struct node {
	enum kind kind;
	unsigned int op, dst, a, cond, loop, function;
	int b, imm, body, other, next;
	bool negate, inverse, checked_first, predicated;
};

/* @first: its first statement; @at: its address; @calls: it calls others, and returns at its end alone. */
struct function {
	int first, at;
	bool calls;
};

struct program {
	struct judge_random r;
	const struct judge_part *part;
	unsigned int width, type, nnodes, nloops, nfunctions;
	struct node nodes[NODES];
	struct function functions[FUNCTIONS + 1];
	unsigned int current;	/* function that is made */
	bool single_flow;
	__u64 code[CODE][2];
	unsigned int length;
	bool good;
};

static int add_block(struct program *p, unsigned int depth, bool in_loop, bool may_continue);

static void pick_operands(struct program *p, struct node *n)
{
	n->dst = judge_below(&p->r, VARIABLES);
	n->a = judge_below(&p->r, VARIABLES);
	n->b = judge_chance(&p->r, 40) ? -1 : (int)judge_below(&p->r, VARIABLES);
	n->imm = (int)judge_below(&p->r, 200) - 100;
	n->negate = n->b >= 0 && judge_chance(&p->r, 30);
	n->cond = 1 + judge_below(&p->r, 6);
	n->inverse = judge_chance(&p->r, 30);
	n->body = -1;
	n->other = -1;
	n->next = -1;
}

/* A call of a later function, or a return before the end; an assignment if there can be none. */
static void pick_call(struct program *p, struct node *n)
{
	unsigned int first = p->current == MAIN ? 0 : p->current + 1;

	if (p->functions[p->current].calls && first < p->nfunctions) {
		n->kind = CALL;
		n->function = first + judge_below(&p->r, p->nfunctions - first);
		/* SNB 8.3.6, errata: Gen6 calls without a predicate, inside of if. */
		n->predicated = p->part->isa->gen >= 70 && judge_chance(&p->r, 50);
	} else if (!p->functions[p->current].calls) {
		n->kind = RETURN;
	}
}

static void pick_statement(struct program *p, struct node *n, unsigned int depth, bool in_loop, bool may_continue)
{
	static const __u8 ops[] = { ISA_OP_ADD, ISA_OP_ADD, ISA_OP_XOR, ISA_OP_AND, ISA_OP_OR, ISA_OP_AVG };
	unsigned int choice = judge_below(&p->r, 100);

	pick_operands(p, n);
	n->kind = ASSIGN;
	n->op = ops[judge_below(&p->r, sizeof(ops))];
	n->negate &= n->op == ISA_OP_ADD;
	if (depth && choice < 25) {
		n->kind = p->part->isa->gen >= 80 && judge_chance(&p->r, 30) ? SKIP : IF;
		n->body = add_block(p, depth - 1, in_loop, may_continue);
		if (n->kind == IF && judge_chance(&p->r, 50))
			n->other = add_block(p, depth - 1, in_loop, may_continue);
	} else if (depth && choice < 45 && p->nloops < LOOPS) {
		n->kind = LOOP;
		n->loop = p->nloops++;
		n->checked_first = judge_chance(&p->r, 60);
		n->body = add_block(p, depth - 1, true, n->checked_first);
	} else if (in_loop && choice < 60) {
		n->kind = may_continue && judge_chance(&p->r, 50) ? CONT : BREAK;
	} else if (choice < 72) {
		pick_call(p, n);
	}
}

/* Statements one after the other; the index of the first, or -1. */
static int add_block(struct program *p, unsigned int depth, bool in_loop, bool may_continue)
{
	unsigned int count = 1 + judge_below(&p->r, 4);
	int first = -1, last = -1, at;

	while (count-- && p->nnodes < NODES) {
		at = p->nnodes++;
		pick_statement(p, &p->nodes[at], depth, in_loop, may_continue);
		if (last >= 0)
			p->nodes[last].next = at;
		else
			first = at;
		last = at;
	}
	return first;
}

/* --- as one channel runs it --- */

struct channel {
	int variables[VARIABLES], counters[LOOPS];
};

enum outcome { GO_ON, LEAVE, AGAIN, BACK };

static int wrapped(const struct program *p, long long value)
{
	return p->type == ISA_TYPE_W ? (int)(__s16)value : (int)value;
}

static bool holds(const struct node *n, const struct channel *c)
{
	int a = c->variables[n->a], b = n->b < 0 ? n->imm : c->variables[n->b];
	bool value = n->cond == 1 ? a == b : n->cond == 2 ? a != b : n->cond == 3 ? a > b : n->cond == 4 ? a >= b :
		     n->cond == 5 ? a < b : a <= b;

	return value != n->inverse;
}

static void assign(const struct program *p, const struct node *n, struct channel *c)
{
	long long a = c->variables[n->a], b = n->b < 0 ? n->imm : c->variables[n->b], value;

	b = n->negate ? -b : b;
	value = n->op == ISA_OP_ADD ? a + b : n->op == ISA_OP_XOR ? a ^ b : n->op == ISA_OP_AND ? (a & b) :
		n->op == ISA_OP_OR ? (a | b) : (a + b + 1) >> 1;
	c->variables[n->dst] = wrapped(p, value);
}

static enum outcome run_block(const struct program *p, int at, struct channel *c);

static enum outcome run_loop(const struct program *p, const struct node *n, struct channel *c)
{
	int *counter = &c->counters[n->loop];
	enum outcome outcome;

	*counter = c->variables[n->a] & 3;
	for (;;) {
		if (n->checked_first && --*counter < 0)
			return GO_ON;
		outcome = run_block(p, n->body, c);
		if (outcome == LEAVE || outcome == BACK)
			return outcome == BACK ? BACK : GO_ON;
		if (!n->checked_first && --*counter <= 0)
			return GO_ON;
	}
}

static enum outcome run_block(const struct program *p, int at, struct channel *c)
{
	enum outcome outcome = GO_ON;

	for (; at >= 0 && outcome == GO_ON; at = p->nodes[at].next) {
		const struct node *n = &p->nodes[at];

		switch (n->kind) {
		case ASSIGN:
			assign(p, n, c);
			break;
		case IF:
			outcome = run_block(p, holds(n, c) ? n->body : n->other, c);
			break;
		case SKIP:
			if (!holds(n, c))
				outcome = run_block(p, n->body, c);
			break;
		case LOOP:
			outcome = run_loop(p, n, c);
			break;
		case BREAK:
			outcome = holds(n, c) ? LEAVE : GO_ON;
			break;
		case CONT:
			outcome = holds(n, c) ? AGAIN : GO_ON;
			break;
		case CALL:
			if (!n->predicated || holds(n, c))
				run_block(p, p->functions[n->function].first, c);
			break;
		case RETURN:
			outcome = holds(n, c) ? BACK : GO_ON;
			break;
		}
	}
	return outcome;
}

/* --- as instructions --- */

static int here(const struct program *p)
{
	return p->length * 16;
}

static void emit_at(struct program *p, unsigned int at, struct isa_inst inst)
{
	if (at >= CODE || !judge_encode(p->part->isa, &inst, p->code[at < CODE ? at : 0]))
		p->good = false;
}

static unsigned int emit(struct program *p, struct isa_inst inst)
{
	unsigned int at = p->length;

	emit_at(p, at, inst);
	p->length += p->length + 1 < CODE;
	p->good &= p->length + 1 < CODE;
	return at;
}

static struct isa_operand operand(const struct program *p, unsigned int reg)
{
	unsigned int width = p->type == ISA_TYPE_W ? 16 : 8;

	return (struct isa_operand){ .file = ISA_GRF, .type = p->type, .reg = reg, .mme = ISA_NO_MME, .vstride = width,
				     .width = width, .hstride = 1 };
}

static struct isa_operand constant(const struct program *p, int value)
{
	__u32 bits = p->type == ISA_TYPE_W ? (value & 0xffff) * 0x10001u : (__u32)value;

	return (struct isa_operand){ .file = ISA_IMMEDIATE, .type = p->type, .imm = bits };
}

static struct isa_inst instruction(const struct program *p, unsigned int op, unsigned int dst, unsigned int a)
{
	struct isa_inst inst = { .op = op, .exec_size = p->width, .nsources = 2 };

	inst.dst = operand(p, dst);
	inst.src[0] = operand(p, a);
	return inst;
}

static void emit_compare(struct program *p, unsigned int a, struct isa_operand b, unsigned int cond)
{
	struct isa_inst inst = instruction(p, ISA_OP_CMP, 0, a);

	inst.dst.file = ISA_ARF;
	inst.src[1] = b;
	inst.cond = cond;
	emit(p, inst);
}

static struct isa_operand second(const struct program *p, const struct node *n)
{
	struct isa_operand o = n->b < 0 ? constant(p, n->imm) : operand(p, FIRST_REG + n->b);

	o.negate = n->negate && n->kind == ASSIGN;
	return o;
}

static void emit_condition(struct program *p, const struct node *n)
{
	emit_compare(p, FIRST_REG + n->a, second(p, n), n->cond);
}

/* A branch; its offsets are from here on to there. */
static struct isa_inst branch(const struct program *p, unsigned int op, bool predicated, bool inverse, int jip, int uip,
			      int at)
{
	struct isa_inst inst = { .op = op, .exec_size = p->width, .predicate = predicated };

	inst.predicate_inverse = inverse;
	inst.njumps = judge_op(p->part->isa, op)->sources;
	inst.jump[0] = jip - at;
	inst.jump[1] = uip - at;
	return inst;
}

/* Places that are known when the block's end is: jumps out of it. */
struct block {
	struct block *outer;
	struct {
		unsigned int at, op;
		bool predicated, inverse;
	} exits[NODES * 2];
	unsigned int nexits;
	bool is_loop;
	/* The breaks and conts of a loop, which wait for the address of while. */
	struct {
		unsigned int at, op;
		bool inverse;
		int jip;
	} leaves[NODES];
	unsigned int nleaves;
};

/* A jump to the end of the innermost block, whose address is not yet known. */
static void emit_exit(struct program *p, struct block *b, unsigned int op, bool predicated, bool inverse)
{
	unsigned int at = emit(p, (struct isa_inst){ .op = ISA_OP_NOP });

	if (!b) {
		/* Behind the program's last block there is nothing to hop to. */
		emit_at(p, at, branch(p, op, predicated, inverse, here(p), here(p), at * 16));
		return;
	}
	b->exits[b->nexits].at = at;
	b->exits[b->nexits].op = op;
	b->exits[b->nexits].predicated = predicated;
	b->exits[b->nexits].inverse = inverse;
	b->nexits++;
}

static void leave_loop(struct block *b, unsigned int at, unsigned int op, bool inverse, int jip)
{
	while (!b->is_loop)
		b = b->outer;
	b->leaves[b->nleaves].at = at;
	b->leaves[b->nleaves].op = op;
	b->leaves[b->nleaves].inverse = inverse;
	b->leaves[b->nleaves].jip = jip;
	b->nleaves++;
}

/* The end of a block is at this address: jumps to it can be written, those out of the loop too but for their UIP. */
static void end_block(struct program *p, struct block *b, int end)
{
	unsigned int i;

	for (i = 0; i < b->nexits; i++) {
		if (b->exits[i].op == ISA_OP_BREAK || b->exits[i].op == ISA_OP_CONT)
			leave_loop(b, b->exits[i].at, b->exits[i].op, b->exits[i].inverse, end);
		else
			emit_at(p, b->exits[i].at,
				branch(p, b->exits[i].op, b->exits[i].predicated, b->exits[i].inverse, end, end,
				       b->exits[i].at * 16));
	}
	b->nexits = 0;
}

static void end_loop(struct program *p, const struct block *b, int at_while)
{
	int behind = at_while + 16, uip;
	unsigned int i;

	for (i = 0; i < b->nleaves; i++) {
		uip = b->leaves[i].op == ISA_OP_BREAK && p->part->isa->gen < 70 ? behind : at_while;
		emit_at(p, b->leaves[i].at,
			branch(p, b->leaves[i].op, true, b->leaves[i].inverse, b->leaves[i].jip, uip,
			       b->leaves[i].at * 16));
	}
}

static void emit_block(struct program *p, int at, struct block *b);

static void emit_if(struct program *p, const struct node *n, struct block *outer)
{
	struct block *b = calloc(1, sizeof(*b));
	unsigned int at_if, at_else = 0;
	int past_if;

	if (!b)
		abort();
	b->outer = outer;
	emit_condition(p, n);
	at_if = emit(p, (struct isa_inst){ .op = ISA_OP_NOP });
	emit_block(p, n->body, b);
	end_block(p, b, here(p));
	if (n->other >= 0) {
		at_else = emit(p, (struct isa_inst){ .op = ISA_OP_NOP });
		emit_block(p, n->other, b);
		end_block(p, b, here(p));
		emit_at(p, at_else, branch(p, ISA_OP_ELSE, false, false, here(p), here(p), at_else * 16));
	}
	past_if = at_else ? (int)at_else * 16 + 16 : here(p);
	emit_at(p, at_if, branch(p, ISA_OP_IF, true, n->inverse, past_if, p->single_flow ? past_if : here(p),
				 at_if * 16));
	emit_exit(p, outer, ISA_OP_ENDIF, false, false);
	free(b);
}

/* goto over the block, join behind it: channels without the predicate skip the block. */
static void emit_skip(struct program *p, const struct node *n, struct block *outer)
{
	struct block *b = calloc(1, sizeof(*b));
	unsigned int at;

	if (!b)
		abort();
	b->outer = outer;
	emit_condition(p, n);
	at = emit(p, (struct isa_inst){ .op = ISA_OP_NOP });
	emit_block(p, n->body, b);
	end_block(p, b, here(p));
	emit_at(p, at, branch(p, ISA_OP_GOTO, true, !n->inverse, here(p), here(p), at * 16));
	emit_exit(p, outer, ISA_OP_JOIN, false, false);
	free(b);
}

static void emit_count(struct program *p, const struct node *n)
{
	struct isa_inst inst = instruction(p, ISA_OP_ADD, LOOP_REG + n->loop, LOOP_REG + n->loop);

	inst.src[1] = constant(p, -1);
	emit(p, inst);
}

static void emit_loop(struct program *p, const struct node *n, struct block *outer)
{
	struct isa_inst inst = instruction(p, ISA_OP_AND, LOOP_REG + n->loop, FIRST_REG + n->a);
	struct block *b = calloc(1, sizeof(*b));
	int start;

	if (!b)
		abort();
	b->outer = outer;
	b->is_loop = true;
	inst.src[1] = constant(p, 3);
	emit(p, inst);
	start = here(p);
	if (n->checked_first) {
		emit_count(p, n);
		emit_compare(p, LOOP_REG + n->loop, constant(p, 0), 5);
		emit_exit(p, b, ISA_OP_BREAK, true, false);
	}
	emit_block(p, n->body, b);
	if (!n->checked_first) {
		emit_count(p, n);
		emit_compare(p, LOOP_REG + n->loop, constant(p, 0), 3);
	}
	end_block(p, b, here(p));
	end_loop(p, b, here(p));
	emit(p, branch(p, ISA_OP_WHILE, !n->checked_first, false, start, start, here(p)));
	free(b);
}

/* The two dwords that call writes and ret reads. */
static struct isa_operand link_of(unsigned int function)
{
	return (struct isa_operand){ .file = ISA_GRF, .type = ISA_TYPE_D, .reg = LINK_REG + function, .mme = ISA_NO_MME,
				     .vstride = 2, .width = 2, .hstride = 1 };
}

static unsigned int call_size(const struct program *p)
{
	return p->part->isa->gen < 80 ? 2 : p->width;
}

static void emit_call(struct program *p, const struct node *n)
{
	struct isa_inst inst = { .op = ISA_OP_CALL, .exec_size = call_size(p), .njumps = 1 };

	if (n->predicated) {
		emit_condition(p, n);
		inst.predicate = 1;
		inst.predicate_inverse = n->inverse;
	}
	inst.dst = link_of(n->function);
	inst.jump[0] = p->functions[n->function].at - here(p);
	emit(p, inst);
}

/* Of the current function; @n: channels of which its condition holds, or NULL: all. */
static void emit_return(struct program *p, const struct node *n)
{
	struct isa_inst inst = { .op = ISA_OP_RET, .exec_size = call_size(p), .nsources = 1 };

	if (n) {
		emit_condition(p, n);
		inst.predicate = 1;
		inst.predicate_inverse = n->inverse;
	}
	inst.src[0] = link_of(p->current);
	emit(p, inst);
}

static void emit_block(struct program *p, int at, struct block *b)
{
	for (; at >= 0 && p->good; at = p->nodes[at].next) {
		const struct node *n = &p->nodes[at];
		struct isa_inst inst;

		switch (n->kind) {
		case ASSIGN:
			inst = instruction(p, n->op, FIRST_REG + n->dst, FIRST_REG + n->a);
			inst.src[1] = second(p, n);
			emit(p, inst);
			break;
		case IF:
			emit_if(p, n, b);
			break;
		case SKIP:
			emit_skip(p, n, b);
			break;
		case LOOP:
			emit_loop(p, n, b);
			break;
		case CALL:
			emit_call(p, n);
			break;
		case RETURN:
			emit_return(p, n);
			break;
		default:
			emit_condition(p, n);
			emit_exit(p, b, n->kind == BREAK ? ISA_OP_BREAK : ISA_OP_CONT, true, n->inverse);
			break;
		}
	}
}

/* --- both --- */

static void print_program(const struct program *p, FILE *out)
{
	struct isa_inst inst;
	const char *fault;
	unsigned int i;

	for (i = 0; i < p->length; i++) {
		isa_decode(p->part->isa, p->code[i], 16, &inst, &fault);
		fprintf(out, "  %4u ", i * 16);
		isa_print(p->part->isa, &inst, out);
		fprintf(out, "\n");
	}
}

static int variable_of(const struct program *p, const struct eu_thread *t, unsigned int n, unsigned int channel)
{
	unsigned int size = isa_types[p->type].size;
	__s32 d;
	__s16 w;

	if (size == 2) {
		memcpy(&w, &t->grf[FIRST_REG + n][channel * 2], 2);
		return w;
	}
	memcpy(&d, &t->grf[FIRST_REG + n][channel * 4], 4);
	return d;
}

static void set_variable(const struct program *p, struct eu_thread *t, unsigned int n, unsigned int channel, int value)
{
	unsigned int size = isa_types[p->type].size;

	memcpy(&t->grf[FIRST_REG + n][channel * size], &value, size);
}

static bool execute(struct judge *judge, struct program *p, struct eu_thread *t, FILE *out)
{
	struct judge_code code = { p->code, p->length * 16, START };
	enum eu_status status = EU_BUDGET;
	unsigned int steps;

	judge_place(judge, t, &code);
	t->ip = START + p->functions[MAIN].at;
	for (steps = 0; steps < STEPS && status == EU_BUDGET && t->ip != START + p->length * 16; steps++)
		status = eu_run(judge_core(judge), t, 1);
	if (status != EU_BUDGET)
		fprintf(out, "  the interpreter stops at %d: %s\n", (int)t->ip - START,
			t->fault ? t->fault : "without a fault");
	else if (steps == STEPS)
		fprintf(out, "  the interpreter does not come to the end; it is at %d\n", (int)t->ip - START);
	return status == EU_BUDGET && steps < STEPS;
}

/* The functions, the last one first, since others call it, and the program. */
static void make_program(struct program *p)
{
	unsigned int n;

	p->nfunctions = judge_below(&p->r, FUNCTIONS + 1);
	for (n = 0; n < p->nfunctions; n++) {
		p->current = n;
		p->functions[n].calls = n + 1 < p->nfunctions && judge_chance(&p->r, 50);
		p->functions[n].first = add_block(p, 2, false, false);
	}
	p->current = MAIN;
	p->functions[MAIN].calls = true;
	p->functions[MAIN].first = add_block(p, 4, false, false);
	for (n = p->nfunctions; n--; ) {
		p->current = n;
		p->functions[n].at = here(p);
		emit_block(p, p->functions[n].first, NULL);
		emit_return(p, NULL);
	}
	p->current = MAIN;
	p->functions[MAIN].at = here(p);
	emit_block(p, p->functions[MAIN].first, NULL);
}

static __u32 pick_mask(struct program *p)
{
	__u32 mask = judge_chance(&p->r, 50) ? ~0u : (__u32)judge_next(&p->r);

	mask &= (1u << p->width) - 1;
	return mask && !p->single_flow ? mask : mask | 1;
}

static void pick_variables(struct program *p, struct eu_thread *thread, int initial[][VARIABLES])
{
	unsigned int n, i;

	for (n = 0; n < p->width; n++)
		for (i = 0; i < VARIABLES; i++) {
			initial[n][i] = wrapped(p, judge_chance(&p->r, 70) ? (int)judge_below(&p->r, 16) - 8 :
								(int)judge_next(&p->r));
			if (p->single_flow)
				initial[n][i] = initial[0][i];
			set_variable(p, thread, i, n, initial[n][i]);
		}
}

/* Each channel alone; says which variables differ. */
static bool check_channels(const struct program *p, const struct eu_thread *thread, __u32 mask,
			   int initial[][VARIABLES], FILE *out)
{
	unsigned int n, i;
	bool good = true;

	for (n = 0; n < p->width && good; n++) {
		struct channel c = { { 0 }, { 0 } };

		memcpy(c.variables, initial[n], sizeof(c.variables));
		if (mask >> n & 1)
			run_block(p, p->functions[MAIN].first, &c);
		for (i = 0; i < VARIABLES; i++)
			if (c.variables[i] != variable_of(p, thread, i, n)) {
				good = false;
				fprintf(out, "  channel %u, r%u: expected %d, interpreter %d\n", n, FIRST_REG + i,
					c.variables[i], variable_of(p, thread, i, n));
			}
	}
	return good;
}

bool judge_program(struct judge *judge, __u64 seed, bool verbose, FILE *out)
{
	struct program *p = calloc(1, sizeof(*p));
	int initial[EU_CHANNELS][VARIABLES];
	struct eu_thread thread;
	unsigned int i;
	__u32 mask;
	bool good;

	if (!p)
		return false;
	p->r.state = (seed + 7) * 0x9e3779b97f4a7c15ull | 1;
	for (i = 0; i < 4; i++)
		judge_next(&p->r);
	p->part = judge_part(judge);
	p->type = judge_chance(&p->r, 50) ? ISA_TYPE_W : ISA_TYPE_D;
	p->width = p->type == ISA_TYPE_W ? 16 : 8;
	p->single_flow = judge_chance(&p->r, 20);
	p->good = true;
	make_program(p);
	mask = pick_mask(p);
	eu_thread_init(&thread, judge_core(judge), mask);
	thread.cr[0] |= p->single_flow ? EU_CR0_SPF : 0;
	pick_variables(p, &thread, initial);
	if (verbose)
		print_program(p, out);
	if (!p->good)
		fprintf(out, "  program %llu cannot be encoded\n", (unsigned long long)seed);
	good = p->good && execute(judge, p, &thread, out) && check_channels(p, &thread, mask, initial, out);
	if (!good && !verbose) {
		fprintf(out, "%s program seed 0x%llx%s:\n", p->part->name, (unsigned long long)seed,
			p->single_flow ? " in single program flow" : "");
		print_program(p, out);
	}
	free(p);
	return good;
}
