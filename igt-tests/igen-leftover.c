// SPDX-License-Identifier: MIT
/**
 * DOC: igen-leftover
 *
 * Does a client find in the registers of Ivy Bridge's execution units, or in shared local memory, what another client
 * has left there? One client's program fills general registers with a secret. Another one stores all registers that it
 * has not written. The hardware clears nothing, so with the driver's clearing switched off (the parameter clear_eus)
 * the secret is found: that shows that the test would see it. Contexts of one client are not kept from each other.
 *
 * The subtests "local" do the same with the 64 KB of shared local memory of each half-slice. Their batches have the L3
 * divided such that it is there, for which the driver's parser gives them privilege.
 *
 * "preempted" and "skipped" have the second client come by a preemption (UHPTR): while the first one's batch is in the
 * middle, and over a request of the second client's own, whose clearing is skipped with it.
 *
 * leftover_state.c asks the same of registers and of the blitter's setup, also on Sandy Bridge, where no program clears
 * execution units.
 *
 * igen-leftover [NAME ...] runs the subtests whose names begin with NAME.
 */
#include <stdio.h>
#include <string.h>

#include <igen/cmd/mi.h>

#include "igen/batch/clear.h"
#include "leftover.h"
#include "lib/build.h"

#define SWITCH		"/sys/module/igen/parameters/clear_eus"
#define TOKEN		0x51a7b00cu
#define SECRET		0x5ec2e75eu
#define LOW		(-500)
#define URGENT		500
/* Threads, one a group: more than the hardware has room for at a time. */
#define LEAVERS		1024u
#define FINDERS		128u
#define PER_THREAD	4096u		/* bytes that each of these stores */
#define MAX_WORDS	512u		/* of a program */
/* Thread groups fill the shared local memory. There are more groups than half-slices. */
#define GROUPS		8u
#define CONSTANTS	4096u		/* in the state: addresses where each of a group's threads begins */

static const struct igen_clear divided = { 32, GROUPS };

static unsigned int gen;

/* A program, an instruction at a time. All channels take part (bit 9 of the first dword). */
struct program {
	uint32_t dw[MAX_WORDS];
	unsigned int n;
};

static void put(struct program *p, uint32_t dw0, uint32_t dw1, uint32_t dw2, uint32_t dw3)
{
	const uint32_t dw[4] = { dw0 | 1u << 9, dw1, dw2, dw3 };

	it_expect(p->n + 4 <= MAX_WORDS, "a program of more than %u dwords", MAX_WORDS);
	memcpy(p->dw + p->n, dw, sizeof(dw));
	p->n += 4;
}

/* mov (8) r112.0<1>:ud r0.0<8;8,1>:ud; send (8) null:uw r112:d 0x27 0x02000010 */
static void put_end(struct program *p)
{
	put(p, 0x00600001, 0x2e000021, 0x008d0000, 0);
	put(p, 0x07600031, 0x20001ca8, 0x00000e00, 0x82000010);
}

static struct program leaver(void)
{
	struct program p = { .n = 0 };

	/* mov (16) rN.0<1>:ud SECRET:ud */
	for (unsigned int reg = 2; reg < 112; reg += 2)
		put(&p, 0x00800001, 0x20000061 | reg << 21, 0, SECRET);
	put_end(&p);
	return p;
}

/* Stores r2 to r125, four at a time. The message's header is in front of them, in a register that is stored by then. */
static struct program finder(void)
{
	struct program p = { .n = 0 };

	for (unsigned int head = 1; head + 4 < 126; head += 4) {
		/* mov (8) rH.0<1>:ud 0:ud */
		put(&p, 0x00600001, 0x20000061 | head << 21, 0, 0);
		/* In 16 bytes: mul (1) rH.2<1>:ud r0.1<0;1,0>:ud 256:ud; add (1) rH.2<1>:ud rH.2<0;1,0>:ud N:ud */
		put(&p, 0x00000041, 0x20080c21 | head << 21, 0x00000004, PER_THREAD / 16);
		put(&p, 0x00000040, 0x20080c21 | head << 21, head * 32 + 8, 2 * (head + 1));
		/* send (8) null:uw rH:d 0xA 0x0A0A04FF: eight of these, from the general state base on */
		put(&p, 0x0a600031, 0x20001ca8, head * 32, 0x0a0a04ff);
	}
	put_end(&p);
	return p;
}

/*
 * r18 to r25 are VALUE: mov (16) rN.0<1>:ud VALUE:ud. r13 and r14 have addresses in shared local memory, r15 is the
 * header of messages for memory.
 */
static void put_local_begin(struct program *p, uint32_t value)
{
	for (unsigned int reg = 18; reg < 26; reg += 2)
		put(p, 0x00800001, 0x20000061 | reg << 21, 0, value);
	/* mov (8) r13.0<1>:ud r1.0<8;8,1>:ud; add (8) r14.0<1>:ud r1.0<8;8,1>:ud 128:ud */
	put(p, 0x00600001, 0x21a00021, 0x008d0020, 0);
	put(p, 0x00600040, 0x21c00c21, 0x008d0020, 128);
	/* mov (8) r15.0<1>:ud 0:ud; mov (1) r15.7<1>:ud 0xffff:ud, the channels */
	put(p, 0x00600001, 0x21e00061, 0, 0);
	put(p, 0x00000001, 0x21fc0061, 0, 0xffff);
	/* shl (1) r2.0<1>:ud r0.1<0;1,0>:ud 16:ud */
	put(p, 0x00000009, 0x20400c21, 0x00000004, 16);
}

/* Addresses of the next 256 bytes: add (16) r13.0<1>:ud r13.0<8;8,1>:ud 256:ud */
static void put_local_step(struct program *p)
{
	put(p, 0x00800040, 0x21a00c21, 0x008d01a0, IGEN_CLEAR_STEP);
}

static struct program local_leaver(void)
{
	struct program p = { .n = 0 };

	put_local_begin(&p, SECRET);
	for (unsigned int at = 0; at < igen_clear_share(&divided); at += IGEN_CLEAR_STEP) {
		/* mov (16) r16.0<1>:ud r13.0<8;8,1>:ud; send (16) null:uw r16:d 0xA 0x140350FE: untyped write */
		put(&p, 0x00800001, 0x22000021, 0x008d01a0, 0);
		put(&p, 0x0a800031, 0x20001ca8, 0x00000200, 0x140350fe);
		put_local_step(&p);
	}
	put_end(&p);
	return p;
}

/* Stores each group's shared local memory from the general state base on, one group's behind the other's. */
static struct program local_finder(void)
{
	struct program p = { .n = 0 };

	put_local_begin(&p, 0);
	for (unsigned int at = 0; at < igen_clear_share(&divided); at += IGEN_CLEAR_STEP) {
		/* send (16) r18:uw r13:d 0xA 0x048150FE: untyped read */
		put(&p, 0x0a800031, 0x22401ca9, 0x000001a0, 0x048150fe);
		/* add (16) r16.0<1>:ud r13.0<8;8,1>:ud r2.0<0;1,0>:ud */
		put(&p, 0x00800040, 0x22000421, 0x008d01a0, 0x00000040);
		/* send (16) null:uw r15:d 0xA 0x160B50FF: untyped write with a header, to memory */
		put(&p, 0x0a800031, 0x20001ca8, 0x000001e0, 0x160b50ff);
		put_local_step(&p);
	}
	put_end(&p);
	return p;
}

/* A client's batch of one walker. */
struct work {
	struct it_dev *dev;
	struct it_bo *state, *out;
	struct it_batch batch;
	struct igen_batch b;
	uint32_t ctx;
	unsigned int jump, behind;	/* dwords: the jump back's address, and what is behind it */
};

/* As the driver's own commands that clear have it. */
static void divide_l3(struct igen_batch *b)
{
	igen_mi_load_reg(b, L3SQCREG1_GEN7, IGEN_CLEAR_L3SQCREG1);
	igen_mi_load_reg(b, L3CNTLREG2_GEN7, IGEN_CLEAR_L3CNTLREG2);
	igen_mi_load_reg(b, L3CNTLREG3_GEN7, IGEN_CLEAR_L3CNTLREG3);
}

/* Up to where the walker's threads have ended; @b is open. Groups are of one thread, or local: of all of @divided. */
static struct work begin(struct it_dev *dev, unsigned int engine, int priority, const struct program *program,
			 unsigned int groups, bool local)
{
	struct work w = { .dev = dev, .state = it_bo(dev, 8192), .out = it_bo(dev, FINDERS * PER_THREAD),
			  .ctx = it_ctx_priority(dev, priority) };
	struct igen_address state = { w.state->address, 0, w.state->size, w.state->handle };
	struct igen_address out = { w.out->address, 0, w.out->size, w.out->handle };
	struct igen_kernel kernel = { .start = IT_PROGRAM, .constants = 1, .threads = local ? divided.threads : 1,
				      .local_memory = local ? IGEN_CLEAR_LOCAL : 0 };
	struct igen_gpgpu_walk walk = { .simd = local ? 16 : 8, .groups = { groups, 1, 1 } };
	struct igen_media m = { .pipeline = IGEN_PIPELINE_GPGPU, .bases = { out, state, state, state, state, 0 },
				.vfe = { .threads = 36, .urb_entries = 2, .entry_rows = 2,
					 .curbe_rows = divided.threads },
				.curbe = CONSTANTS, .curbe_bytes = divided.threads * 32, .num_descriptors = 1 };
	struct igen_batch memory;

	igen_batch_init(&memory, gen, IGEN_BATCH_MEMORY, w.state->map, 4096);
	m.descriptors = igen_media_descriptor(&memory, &kernel);
	it_expect(!memory.error, "no descriptor: %s", memory.why);
	memcpy((char *)w.state->map + IT_PROGRAM, program->dw, program->n * 4);
	igen_batch_init(&memory, gen, IGEN_BATCH_MEMORY, (char *)w.state->map + CONSTANTS, 4096);
	igen_clear_addresses(&memory, &divided);
	it_expect(!memory.error, "no constants: %s", memory.why);
	w.batch = it_build(dev, gen, engine, 4096, &w.b);
	if (local)
		divide_l3(&w.b);
	igen_media_begin(&w.b, &m);
	igen_gpgpu_local_size(&walk, kernel.threads * walk.simd);
	igen_gpgpu_emit(&w.b, &walk, false);
	igen_batch_emit(&w.b, gen7_media_state_flush, .disable_pre_emption = true);
	igen_pipe_drain(&w.b);
	return w;
}

/* The batch goes on in circles that can be preempted, until it is let go. The token comes before. */
static void add_circle(struct work *w)
{
	struct igen_batch *b = &w->b;
	struct igen_address back = { w->batch.bo->address, 0, w->batch.bo->size, w->batch.bo->handle };

	igen_mi_store_dword(b, (struct igen_address){ w->out->address, 0, w->out->size, w->out->handle }, TOKEN);
	back.offset = b->used * 4;
	igen_mi_noop(b, 10);
	igen_mi_arb_check(b);
	w->jump = b->used + 1;
	igen_mi_chain(b, back);
	w->behind = b->used;
}

static void let_go(struct work *w)
{
	((volatile uint32_t *)w->batch.dw)[w->jump] = w->batch.bo->address + w->behind * 4;
}

static void submit(struct work *w, unsigned int engine)
{
	struct it_bo *bos[] = { w->state, w->out };
	int ret;

	it_build_end(&w->b, &w->batch);
	ret = it_run(w->dev, w->ctx, engine, &w->batch, bos, 2, 0);
	it_expect(!ret, "execbuf: error %d", ret);
}

static void end(struct work *w, const char *what)
{
	int ret = it_bo_wait(w->batch.bo, IT_WAIT_NS);

	it_expect(!ret, "%s did not end: error %d", what, ret);
}

static void leave(struct it_dev *dev, unsigned int engine)
{
	struct program program = leaver();
	struct work w = begin(dev, engine, 0, &program, LEAVERS, false);

	submit(&w, engine);
	end(&w, "the batch that leaves a secret");
}

static void local_leave(struct it_dev *dev, unsigned int engine)
{
	struct program program = local_leaver();
	struct work w = begin(dev, engine, 0, &program, GROUPS, true);

	submit(&w, engine);
	end(&w, "the batch that leaves a secret in shared local memory");
}

static struct work find_begin(struct it_dev *dev, unsigned int engine, int priority)
{
	struct program program = finder();
	struct work w = begin(dev, engine, priority, &program, FINDERS, false);

	/* What no thread has stored is no answer. */
	memset(w.out->map, 0xff, w.out->size);
	submit(&w, engine);
	return w;
}

/* In how many dwords of registers the secret was. */
static unsigned int find_end(struct work *w)
{
	const volatile uint32_t *dw = w->out->map;
	unsigned int found = 0;

	end(w, "the batch that looks for the secret");
	for (unsigned int i = 0; i < FINDERS; i++) {
		/* Eight dwords a register. */
		for (unsigned int k = 2 * 8; k < 126 * 8; k++)
			found += dw[i * PER_THREAD / 4 + k] == SECRET;
		it_expect(dw[i * PER_THREAD / 4 + 2 * 8] != ~0u, "thread %u has stored nothing", i);
	}
	return found;
}

static unsigned int found_by(struct it_dev *dev, unsigned int engine)
{
	struct work w = find_begin(dev, engine, 0);

	return find_end(&w);
}

/* In how many dwords of the groups' shared local memory the secret was. */
static unsigned int local_found_by(struct it_dev *dev, unsigned int engine)
{
	struct program program = local_finder();
	struct work w = begin(dev, engine, 0, &program, GROUPS, true);
	const volatile uint32_t *dw = w.out->map;
	unsigned int found = 0, untouched = 0;

	memset(w.out->map, 0xff, w.out->size);
	submit(&w, engine);
	end(&w, "the batch that looks for the secret in shared local memory");
	for (unsigned int i = 0; i < GROUPS * IGEN_CLEAR_LOCAL / 4; i++) {
		found += dw[i] == SECRET;
		untouched += dw[i] == ~0u;
	}
	it_expect(!untouched, "%u dwords were not stored", untouched);
	return found;
}

static void switch_to(bool on)
{
	int ret = it_write_file(SWITCH, on ? "Y" : "N");

	it_expect(!ret, "%s: error %d", SWITCH, ret);
}

static void found_when_off(unsigned int engine)
{
	struct it_dev *one = it_open(), *other = it_open();
	unsigned int found;

	switch_to(false);
	leave(one, engine);
	found = found_by(other, engine);
	switch_to(true);
	it_note("without clearing %u dwords of registers have the other client's secret", found);
	it_expect(found, "the test would not find what a client leaves");
}

static void other_client(unsigned int engine)
{
	struct it_dev *one = it_open(), *other = it_open();
	unsigned int found;

	for (unsigned int n = 0; n < 3; n++) {
		leave(one, engine);
		found = found_by(other, engine);
		it_expect(!found, "%u dwords of registers have the other client's secret", found);
	}
}

static void local_found_when_off(unsigned int engine)
{
	struct it_dev *one = it_open(), *other = it_open();
	unsigned int found;

	switch_to(false);
	local_leave(one, engine);
	found = local_found_by(other, engine);
	switch_to(true);
	it_note("without clearing %u dwords of shared local memory have the other client's secret", found);
	it_expect(found, "the test would not find what a client leaves in shared local memory");
}

static void local_other_client(unsigned int engine)
{
	struct it_dev *one = it_open(), *other = it_open();
	unsigned int found;

	local_leave(one, engine);
	found = local_found_by(other, engine);
	it_expect(!found, "%u dwords of shared local memory have the other client's secret", found);
	/* The first client has none of its own any more, either. */
	found = local_found_by(one, engine);
	it_expect(!found, "%u dwords of the secret are back", found);
}

/* The driver clears nothing between two contexts of one client. */
static void same_client(unsigned int engine)
{
	struct it_dev *dev = it_open();

	leave(dev, engine);
	it_expect(found_by(dev, engine), "registers were cleared between contexts of one client");
}

/* A batch that leaves a secret, and is in the middle of its circles. */
static struct work leave_and_circle(struct it_dev *dev, unsigned int engine)
{
	struct program program = leaver();
	struct work w = begin(dev, engine, LOW, &program, LEAVERS, false);

	add_circle(&w);
	submit(&w, engine);
	it_expect_slot(w.out, 0, TOKEN);
	return w;
}

static void preempted(unsigned int engine)
{
	struct it_dev *one = it_open(), *other = it_open();
	struct work low = leave_and_circle(one, engine);
	struct work urgent = find_begin(other, engine, URGENT);
	unsigned int found = find_end(&urgent);

	it_expect(it_bo_busy(low.batch.bo), "the batch was not preempted, but has ended");
	let_go(&low);
	end(&low, "the batch that was preempted");
	it_expect(!found, "%u dwords of registers have the secret of the client that was preempted", found);
}

static void skipped(unsigned int engine)
{
	struct it_dev *one = it_open(), *other = it_open();
	struct work low = leave_and_circle(one, engine);
	/* It waits in the ring, behind commands that clear, and is of the urgent batch's client. */
	struct work next = find_begin(other, engine, LOW);
	struct work urgent = find_begin(other, engine, URGENT);
	unsigned int found = find_end(&urgent);

	it_expect(it_bo_busy(low.batch.bo), "the batch was not preempted, but has ended");
	let_go(&low);
	end(&low, "the batch that was preempted");
	it_expect(!found, "%u dwords of registers have the secret of the client that was preempted", found);
	found = find_end(&next);
	it_expect(!found, "%u dwords of registers have the secret, after the preemption", found);
}

int main(int argc, char **argv)
{
	static const struct {
		void (*fn)(unsigned int engine);
		const char *name;
	} tests[] = {
		{ found_when_off, "found-when-off" }, { other_client, "other-client" }, { same_client, "same-client" },
		{ local_found_when_off, "local-found-when-off" }, { local_other_client, "local-other-client" },
		{ preempted, "preempted" }, { skipped, "skipped" },
	};
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int num;

	it_init(argc, argv);
	gen = it_generation();
	num = it_engines(engines, ARRAY_SIZE(engines));
	if ((gen != 6 && gen != 7) || !num || !it_on_igen()) {
		printf("skip everything: no engine that keeps what a client has left\n");
		return IT_SKIPPED;
	}
	for (unsigned int e = 0; e < num; e++)
		leftover_state(gen, e, &engines[e]);
	for (unsigned int t = 0; t < ARRAY_SIZE(tests); t++)
		for (unsigned int e = 0; e < num; e++)
			if (gen == 7 && engines[e].class == I915_ENGINE_CLASS_RENDER)
				it_subtest(tests[t].fn, e, "%s-%s", tests[t].name, engines[e].name);
	return it_exit();
}
