// SPDX-License-Identifier: MIT
/**
 * DOC: Programs of the execution units
 *
 * A walker or a media object starts threads of a short program: sends whose descriptors are those of messages with
 * other bits set or not, split ones too, branches, calls and returns that lead into the program, ahead of it or
 * anywhere, and instructions of all kinds. Most programs have no end; some begin where none is. Descriptors, constants,
 * surfaces and addresses are the guest's. The threads get so many quanta, and are dropped then, as a reset does.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cs/cs.h"
#include "fuzz.h"
#include "igen/regs/gtt.h"
#include "main/main.h"

#define RAM		(4u << 20)
#define STATE		0x100000u
#define INSTRUCTIONS	24u
#define ROUNDS		3u
#define TURNS		200u
#define AREA		0x200000u	/* of a group that is preempted inside */
#define AREA_SIZE	0xa0000u

static uint8_t *ram;

static struct gpu *device(void)
{
	struct gmem_region all = { .gpa = 0, .size = RAM, .fd = memfd_create("fuzz", MFD_CLOEXEC) };
	struct gmem_region edge = {
		.gpa = EDGE_SHORT, .size = EDGE_SHORT_SIZE, .offset = 4096, .fd = memfd_create("fuzz", MFD_CLOEXEC),
	};
	struct config cfg;
	struct gpu *gpu;

	if (all.fd < 0 || edge.fd < 0 || ftruncate(all.fd, RAM) || ftruncate(edge.fd, 0x5000))
		exit(2);
	config_init(&cfg);
	gpu = gpu_new(&cfg);
	if (!gpu || gmem_set(gpu, &all, 1) || gmem_map(gpu, &edge))
		exit(2);
	for (uint32_t i = 0; i < RAM / 4096; i++)
		gtt_pte_write(gpu, i * 8, 8, (uint64_t)i << 12 | GEN8_PAGE_PRESENT);
	for (uint32_t i = 0; i < EDGE_PAGES; i++)
		gtt_pte_write(gpu, (uint32_t)(EDGE_GGTT / 4096 + i) * 8, 8,
			      (EDGE_SHORT + (i % 4) * 4096) | GEN8_PAGE_PRESENT);
	return gpu;
}

static uint32_t address(struct input *in)
{
	switch (below(in, 4)) {
	case 0:
		return (uint32_t)fuzz_address(in);
	case 1:
		return (uint32_t)EDGE_GGTT + below(in, EDGE_PAGES) * 4096 + take16(in) % 4096;
	default:
		return take32(in) % (2 * RAM);
	}
}

/* A message of the database, with other bits of its descriptor, or any. */
static void put_send(struct input *in, const struct isa_gen *isa, uint32_t *dw)
{
	const struct isa_target *target = &isa->targets[below(in, 16)];
	uint32_t desc = take32(in) & 0x1fffffff, code = (uint32_t)(target - isa->targets);
	bool old = isa == &isa_gen7;

	if (target->n && !one_in(in, 8)) {
		const struct isa_message *m = &target->messages[below(in, target->n)];

		desc = (desc & ~m->mask) | m->match;
	}
	/* As the tests' programs have it: registers for the response and the payload. */
	dw[0] = code << 24 | below(in, 5) << 21 | (one_in(in, 2) ? 0 : 1 << 9) | 0x31;
	dw[1] = (old ? 0x00001ca8 : 0x0000020c) | below(in, 128) << 21;
	dw[2] = (old ? 0 : 0x06000000) | below(in, 128) << 5;
	dw[3] = desc | (one_in(in, 8) ? 1u << 31 : 0);
}

/* Gen9's split send: the second block of the payload has a register and a length of its own. */
static void put_split(struct input *in, const struct isa_gen *isa, uint32_t *dw)
{
	put_send(in, isa, dw);
	dw[0] = (dw[0] & ~0x7fu) | (0x33 + below(in, 2));
	dw[1] = (dw[1] & 0x1fe00000) | 0x18 | 1 << 5 | below(in, 128) << 12;
	dw[2] = (dw[2] & 0x1fe0) | below(in, 16) | (one_in(in, 8) ? 1 << 13 : 0);
}

/* A distance in bytes from an instruction: mostly inside of the program, of compact instructions too, or any. */
static int32_t distance(struct input *in)
{
	int32_t near = ((int32_t)below(in, 4 * INSTRUCTIONS) - 2 * (int32_t)INSTRUCTIONS) * 8;

	return one_in(in, 16) ? (int32_t)take32(in) : near;
}

/* jmpi, call and calla: a distance in the second source, and where call stores the address. ret takes it from there. */
static void put_call(struct input *in, bool old, uint32_t op, uint32_t *dw)
{
	uint32_t reg = below(in, 128);

	dw[0] |= op;
	if (op == 45) {
		dw[1] = old ? 1 << 5 | 1 << 7 : 1 << 9 | 1 << 11;
		dw[2] = 2 << 21 | 1 << 18 | 1 << 16 | reg << 5;
		return;
	}
	dw[1] = (old ? 0xc00 | 1 << 12 | 1 | 1 << 2 : 1 << 3 | 1 << 5) | 1 << 29 | reg << 21;
	dw[2] = old ? 0 : 3 << 25 | 1 << 27;
	dw[3] = (uint32_t)distance(in) / (old ? 8 : 1);
}

static void put_branch(struct input *in, bool old, uint32_t *dw)
{
	static const uint8_t opcodes[] = { 33, 34, 35, 36, 37, 39, 40, 41, 42, 46, 47, 32, 43, 44, 45 };
	uint32_t op = opcodes[below(in, ELEMENTS(opcodes))], jip, uip;

	/* Execution size, mask control, predicate and branch control. */
	dw[0] = below(in, 6) << 21 | (uint32_t)(take8(in) & 31) << 16 | (one_in(in, 8) ? 1u << (old ? 9 : 28) : 0);
	if (op == 32 || (op >= 43 && op <= 45)) {
		put_call(in, old, op, dw);
		return;
	}
	jip = (uint32_t)distance(in);
	uip = one_in(in, 2) ? jip : (uint32_t)distance(in);
	dw[0] |= op;
	dw[1] = old ? 0xc00 | 3 << 12 : 0x600 | 1 << 11;
	dw[2] = old ? 0 : uip;
	dw[3] = old ? (jip / 8 & 0xffff) | uip / 8 << 16 : jip;
}

static void put_program(struct input *in, const struct isa_gen *isa)
{
	static const uint8_t opcodes[] = { 1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 16, 18, 24, 32, 34, 36, 37, 39, 40, 41, 48,
		56, 64, 65, 72, 73, 78, 80, 89, 90, 91, 93 };
	uint32_t dw[4 * INSTRUCTIONS] = { 0 };
	unsigned int n = 1 + below(in, INSTRUCTIONS);

	for (unsigned int i = 0; i < n; i++) {
		uint32_t *w = dw + 4 * i;

		switch (below(in, 8)) {
		case 0:
		case 1:
		case 2:
			put_send(in, isa, w);
			continue;
		case 3:
			if (isa == &isa_gen7)
				put_send(in, isa, w);
			else
				put_split(in, isa, w);
			continue;
		case 4:
			put_branch(in, isa == &isa_gen7, w);
			continue;
		}
		for (unsigned int k = 0; k < 4; k++)
			w[k] = take32(in);
		if (!one_in(in, 4))
			w[0] = (w[0] & ~0x2000007fu) | opcodes[below(in, ELEMENTS(opcodes))];
	}
	memcpy(ram + STATE, dw, sizeof(dw));
}

static const uint16_t formats[] = { 0x000, 0x002, 0x041, 0x081, 0x084, 0x085, 0x0c1, 0x0c2, 0x0c4, 0x0c7, 0x0c9, 0x0ca,
	0x0cb, 0x0d3, 0x0d7, 0x0d8, 0x0ed, 0x100, 0x103, 0x106, 0x10e, 0x140, 0x143, 0x144, 0x146 };

static void put_state(struct input *in, bool gen7)
{
	uint32_t *descriptor = (uint32_t *)(ram + STATE + 0x800), *table = (uint32_t *)(ram + STATE + 0x1000);
	uint32_t *surface = (uint32_t *)(ram + STATE + 0x1100), *constants = (uint32_t *)(ram + STATE + 0x2000);
	uint32_t *sampler = (uint32_t *)(ram + STATE + 0x1800);

	for (unsigned int i = 0; i < 8; i++)
		descriptor[i] = i < 2 && !one_in(in, 16) ? 0 : take_value(in);
	/* On Gen7 samplers and surfaces are a dword before Gen9's. */
	descriptor[gen7 ? 2 : 3] = 0x1800 | (descriptor[5] & 0x1f);
	descriptor[gen7 ? 3 : 4] = 0x1000 | (descriptor[6] & 0x1f);
	for (unsigned int i = 0; i < 4; i++)
		table[i] = one_in(in, 8) ? take32(in) : 0x1100 + 64 * i;
	for (unsigned int i = 0; i < 64; i++)
		surface[i] = take_value(in);
	for (unsigned int i = 0; i < 4; i++) {
		surface[16 * i] = take32(in);
		surface[16 * i + 1] = address(in);
		surface[16 * i + 8] = address(in);
	}
	/* Most textures have a size and a format that there is, and most states of samplers no mistake. */
	for (unsigned int i = 0; i < 4; i++) {
		if (one_in(in, 4))
			continue;
		surface[16 * i] = below(in, 5) << 29 | formats[below(in, ELEMENTS(formats))] << 18 | 0x14000 |
				  below(in, 4) << 12 | below(in, 2) << 28;
		surface[16 * i + 2] = take16(in) & 0x3f003f;
		surface[16 * i + 3] = below(in, 8) << 21 | (take16(in) | 127);
		surface[16 * i + 4] = below(in, 4) << 18;
		surface[16 * i + 5] = below(in, 16) | below(in, 4) << 4;
		surface[16 * i + 7] = 0x09770000;
	}
	for (unsigned int i = 0; i < 64; i++) {
		sampler[i] = take_value(in);
		if (i % 4 == 0 && !one_in(in, 4))
			sampler[i] &= 0x1030ffff & ~(2u << 14 | 2u << 17);
		else if (i % 4 == 1 && !one_in(in, 4))
			sampler[i] &= ~0x80u;
		else if (i % 4 == 3 && !one_in(in, 4))
			sampler[i] &= 0x7e9b6;
	}
	for (unsigned int i = 0; i < 64; i++)
		constants[i] = one_in(in, 2) ? address(in) : take_value(in);
}

static bool visit(void *arg, const struct media_place *at)
{
	unsigned int *left = arg;

	(void)at;
	return (*left)--;
}

/* A walk whose fields have the bits that the command has. */
static void walk_places(struct input *in)
{
	struct media_places w;
	int32_t *field = (int32_t *)&w;
	/* Between two places lie some 65,000 steps at most: twenty places are as much as one input may take. */
	unsigned int left = 20;

	for (size_t i = 0; i < sizeof(w) / sizeof(*field); i++)
		field[i] = (int32_t)(take_value(in) << 20) >> 20;
	for (unsigned int i = 0; i < 2; i++) {
		w.resolution[i] &= 0x7ff;
		w.block[i] &= 0x7ff;
		w.local_start[i] &= 0x7ff;
		w.middle[i] %= 2;
	}
	w.global_rounds &= 0xfff;
	w.local_rounds &= 0xfff;
	w.middle_steps &= 31;
	w.last_color &= 15;
	media_places(&w, visit, &left);
}

/* Root threads of one command, whose state and flags come from what they have already taken of the input. */
static void give_roots(struct media *m, struct media_state *state, struct root_thread *thread)
{
	uint32_t bits = thread->x ^ thread->y << 16;
	unsigned int n = 1 + thread->y % 24;

	state->most_roots = 1 + bits % 5;
	state->urb_entries = bits >> 3 & 63;
	state->urb_entry_registers = bits >> 5;
	state->curbe_registers = bits >> 7;
	state->scoreboard = bits >> 1 & 1;
	state->non_stalling = bits >> 2 & 1;
	state->open_gateways = bits >> 4 & 1;
	state->scoreboard_mask = (uint8_t)bits;
	for (unsigned int i = 0; i < 8; i++) {
		state->dx[i] = (int8_t)(bits >> i) % 2;
		state->dy[i] = (int8_t)(bits >> 2 * i) % 2;
	}
	thread->scored = true;
	thread->scoreboard_mask = bits >> 8;
	thread->parent = !(bits >> 9 & 1);
	thread->synchronized = !(bits >> 10 & 7);
	thread->fences = !(bits >> 13 & 7);
	thread->fences_front = bits >> 16 & 1;
	thread->grouped = bits >> 17 & 1;
	thread->numbered = bits >> 18 & 1;
	thread->destination = bits >> 19 & 1;
	for (unsigned int i = 0; i < n; i++) {
		thread->x = i % 4;
		thread->y = i / 4;
		thread->ends_group = bits >> (i & 15) & 1;
		thread->group_id = bits >> (i & 7) & 3;
		for (unsigned int turn = 0; turn < 8 && !media_has_room(m); turn++)
			media_run(m);
		media_root(m, state, thread);
	}
}

/* True for a group of a walk. */
static bool start(struct input *in, struct media *m)
{
	struct media_loads loads = { 0x800, 32 << below(in, 3), 0x2000, take16(in) };
	struct media_state state = {
		.vm.ggtt = true,
		.bases = { address(in), STATE, STATE, address(in), STATE, address(in) },
		.scratch = take32(in), .scratch_code = below(in, 16), .sip = take16(in),
	};
	struct media_walk walk = {
		.loads = loads, .end = { take_value(in), take_value(in), take_value(in) },
		.right = take_value(in), .bottom = take_value(in), .indirect = address(in),
		.indirect_bytes = one_in(in, 2) ? 0 : take16(in), .executes = true, .descriptor = (uint8_t)below(in, 2),
		.simd = (uint8_t)below(in, 4), .width = (uint8_t)below(in, 4), .height = (uint8_t)below(in, 3),
		.depth = take8(in) / 128,
	};
	uint32_t data[8] = { take32(in), take32(in), take_value(in), take_value(in) };
	struct root_thread thread = {
		.loads = loads, .num_inline = below(in, 9), .inline_data = data, .x = take16(in), .y = take16(in),
		.indirect = address(in), .indirect_bytes = take16(in),
	};

	if (one_in(in, 8))
		walk_places(in);
	if (one_in(in, 3)) {
		give_roots(m, &state, &thread);
		return false;
	}
	media_walk(m, &state, &walk);
	media_group(m, take64(in));
	return true;
}

/* The group leaves the engine inside. The client changes its area, and the driver the image; then it comes back. */
static void preempt(struct input *in, struct media *m)
{
	uint64_t area = one_in(in, 8) ? address(in) : AREA;
	struct media_inside inside;

	if (!media_save(m, area, &inside))
		return;
	for (unsigned int n = below(in, 16); n; n--)
		*(uint32_t *)(ram + AREA + take32(in) % AREA_SIZE / 4 * 4) = take_value(in);
	/* Registers that are not general of the first thread. */
	for (unsigned int n = below(in, 16); n; n--)
		*(uint32_t *)(ram + AREA + 0x31004 + 4 * take8(in)) = take_value(in);
	if (one_in(in, 8))
		inside = (struct media_inside){ take64(in), take64(in), take_value(in), take_value(in) };
	media_restore(m, area, &inside);
}

void fuzz_programs(struct input *in)
{
	const struct eu_platform *platforms[] = { &eu_platform_gen9, &eu_platform_gen7 };
	unsigned int which = below(in, 2);
	struct gpu *gpu = device();
	struct tlb *tlb = tlb_new(gpu, "fuzz");
	uint8_t *edge = gmem_ptr(gpu, EDGE_SHORT, 1, true);
	struct media *m;

	if (!tlb || !edge)
		exit(2);
	m = media_new(gpu, &gpu->platform->engines[RCS0], tlb, which ? 7 : 9, platforms[which]);
	ram = gmem_ptr(gpu, 0, RAM, true);
	if (!m || !ram)
		exit(2);
	fuzz_poison(edge - 4096, 4096);
	fuzz_poison(edge + EDGE_SHORT_SIZE, 0x4000 - EDGE_SHORT_SIZE);
	for (unsigned int i = 0; i < ROUNDS && in->left; i++) {
		enum media_result r = MEDIA_RUNS;
		bool walks;

		put_state(in, which);
		put_program(in, platforms[which]->isa);
		media_invalidate_programs(m);
		walks = start(in, m);
		for (unsigned int turn = 0; turn < TURNS && r == MEDIA_RUNS; turn++) {
			r = media_run(m);
			if (walks && in->left && one_in(in, 16))
				preempt(in, m);
		}
		media_drop(m);
	}
	fuzz_unpoison(edge - 4096, 0x5000);
	media_free(m);
	gpu_free(gpu);
}
