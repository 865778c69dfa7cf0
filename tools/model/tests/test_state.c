// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the 3D pipeline's state in a context's image
 *
 * A context's image holds the state packets of its batches, the last one of each key. The context gets them back when
 * it is restored, and so does a context with a copy of the image. An image that restores nothing, or that holds other
 * bytes, brings none back.
 */
#include "engine_bench.h"
#include "igen/cmd/gfx.h"

#define BASE		RCS0_BASE
#define OTHER		1			/* the number of the context that comes in between */

static unsigned int expected_dw;
static uint32_t expected[256];

static const struct igen_cmd *command(const char *name)
{
	const struct igen_cmd_set *set = &igen_cmds_gen9;

	for (unsigned int i = 0; i < set->ncmds; i++)
		if (!strcmp(set->cmds[i].name, name))
			return &set->cmds[i];
	exit(2);
}

/* A packet with its dwords, which count up from a first value; to be found in the image, or not. */
static void packet(struct ctx *c, const char *name, unsigned int dwords, uint32_t second, bool found)
{
	const struct igen_cmd *cmd = command(name);

	for (unsigned int i = 0; i < dwords; i++) {
		uint32_t dw = i ? second + i - 1 : cmd->match | (dwords - cmd->bias);

		batch(c, dw);
		if (found)
			expected[expected_dw++] = dw;
	}
}

static void expect(uint32_t dw)
{
	expected[expected_dw++] = dw;
}

/* The image's packets are those expected, and no others, in the order of the database: that of the names. */
static bool saved(const struct ctx *c)
{
	uint32_t pa = image_pa(c, gpu->platform->image->packets);

	if (get(pa) != (MI_NOOP | (expected_dw + 1)) || get(pa + 4 + expected_dw * 4) != MI_BATCH_BUFFER_END)
		return false;
	for (unsigned int i = 0; i < expected_dw; i++)
		if (get(pa + 4 + i * 4) != expected[i])
			return false;
	return true;
}

static bool run_batch(struct ctx *c)
{
	batch(c, MI_BATCH_BUFFER_END);
	ring_batch(c, CTX_BATCH, true);
	return run(BASE, c);
}

/* Another context in between, whose state is nothing. */
static bool displace(void)
{
	struct ctx other;

	ctx_init(&other, OTHER, BASE, CTL_FRESH);
	return run_batch(&other) && get(image_pa(&other, gpu->platform->image->packets)) == (MI_NOOP | 1);
}

static uint64_t draws_without(const char *name)
{
	return counter_value("undefined_state", name);
}

/* How many more draws without this state there are when the context draws. */
static uint64_t draw(struct ctx *c, const char *name)
{
	uint64_t before = draws_without(name);

	batch_at(c, CTX_BATCH);
	batch(c, PRIMITIVE_3D | 5, 0, 0, 0, 0, 0, 0);
	if (!run_batch(c))
		return ~0ull;
	return draws_without(name) - before;
}

/* The last of each command, and of each index: SO_BUFFER has it at bit 29 of dword 1. */
static void fill(struct ctx *c)
{
	const uint32_t vb = command("3DSTATE_VERTEX_BUFFERS")->match;

	packet(c, "3DSTATE_CLIP", 4, 0x10, false);
	packet(c, "3DSTATE_SO_BUFFER", 8, 2u << 29 | 7, false);
	expected_dw = 0;
	packet(c, "3DSTATE_CLIP", 4, 0x20, true);
	packet(c, "3DSTATE_SO_BUFFER", 8, 1u << 29 | 8, true);
	packet(c, "3DSTATE_SO_BUFFER", 8, 2u << 29 | 9, true);
	/* Two vertex buffers at once, the second of which comes again. */
	batch(c, vb | 7, 4u << 26, 1, 2, 3, 9u << 26, 4, 5, 6);
	batch(c, vb | 3, 9u << 26 | 1, 7, 8, 9);
	expect(vb | 3);
	expect(4u << 26);
	for (uint32_t i = 1; i <= 3; i++)
		expect(i);
	expect(vb | 3);
	expect(9u << 26 | 1);
	for (uint32_t i = 7; i <= 9; i++)
		expect(i);
	packet(c, "3DSTATE_VS", 9, 0x30, true);
}

static void test_packets(void)
{
	struct ctx c;

	ctx_init(&c, 0, BASE, CTL_FRESH);
	fill(&c);
	check(run_batch(&c) && saved(&c), "the image has the last packet of each key");
	check(displace(), "a context that has set nothing has none");
	check(draw(&c, "3DSTATE_VS") == 0, "a context that comes back has its state");
	check(saved(&c), "and its packets are in the image");
	check(draw(&c, "3DSTATE_PS") == 1, "what it has not set is missing");
	/* One packet changes, the others stay. */
	displace();
	batch_at(&c, CTX_BATCH);
	packet(&c, "3DSTATE_VS", 9, 0x40, false);
	for (uint32_t i = 0; i < 8; i++)
		expected[expected_dw - 8 + i] = 0x40 + i;
	check(run_batch(&c) && saved(&c), "a packet that is set again is the one that is kept");
}

/* A new context with the image of another. */
static void test_copy(void)
{
	uint32_t bytes = (gpu->platform->image->size * 4 + LRC_STATE_OFFSET);
	struct ctx a, b;

	ctx_init(&a, 0, BASE, CTL_FRESH);
	fill(&a);
	check(run_batch(&a) && saved(&a), "a context has state");
	ctx_init(&b, 2, BASE, CTL_NORMAL);
	memcpy(ram + image_pa(&b, gpu->platform->image->packets), ram + image_pa(&a, gpu->platform->image->packets),
	       bytes - LRC_STATE_OFFSET - gpu->platform->image->packets * 4);
	check(draw(&b, "3DSTATE_VS") == 0 && saved(&b), "one that starts from the copy of its image has it too");
	ctx_init(&b, 2, BASE, CTL_FRESH);
	memcpy(ram + image_pa(&b, gpu->platform->image->packets), ram + image_pa(&a, gpu->platform->image->packets),
	       bytes - LRC_STATE_OFFSET - gpu->platform->image->packets * 4);
	check(draw(&b, "3DSTATE_VS") == 1, "one that restores nothing has not");
}

/* The image is the driver's memory: whatever it has there. */
static void test_rubbish(void)
{
	static const uint32_t rubbish[][4] = {
		{ 0xffffffff, 0xffffffff }, { MI_NOOP | 0x3fffff }, { MI_NOOP | 3, 0x78100007, 1, 2 },
		{ MI_NOOP | 3, 0x78100fff, 1, 2 }, { MI_NOOP | 3, MI_STORE_DATA_IMM_DW, 1, 2 },
		{ MI_NOOP | 2, 0, 0, 0 }, { 0x78100007, 0, 0, 0 },
	};
	struct ctx c;

	for (size_t i = 0; i < ARRAY_SIZE(rubbish); i++) {
		ctx_init(&c, 2, BASE, CTL_NORMAL);
		for (unsigned int k = 0; k < ARRAY_SIZE(rubbish[i]); k++)
			put(image_pa(&c, gpu->platform->image->packets + k), rubbish[i][k]);
		check(draw(&c, "3DSTATE_VS") == 1, "an image with %08x %08x is one without state", rubbish[i][0],
		      rubbish[i][1]);
		check(get(image_pa(&c, gpu->platform->image->packets)) == (MI_NOOP | 1), "and is saved as such");
	}
}

/* A command that is longer than any of its name, and one that is cut short. */
static void test_lengths(void)
{
	const uint32_t clip = command("3DSTATE_CLIP")->match;
	struct ctx c;

	ctx_init(&c, 0, BASE, CTL_FRESH);
	batch(&c, clip | 200);
	for (uint32_t i = 0; i < 201; i++)
		batch(&c, i);
	batch(&c, command("3DSTATE_VS")->match, 5);
	expected_dw = 0;
	expect(clip | 2);
	for (uint32_t i = 0; i < 3; i++)
		expect(i);
	expect(command("3DSTATE_VS")->match);
	expect(5);
	check(run_batch(&c) && saved(&c),
	      "of a command that is too long its fields are kept, of a short one what there is");
}

static uint32_t base_address[19];

/* Dwords that were set by a command with that number and those enables. */
static void bases(unsigned int first, unsigned int last, uint32_t number, uint32_t enables)
{
	for (unsigned int i = first; i <= last; i++)
		base_address[i] = number << 12 | (enables >> i & 1);
}

/* A STATE_BASE_ADDRESS whose dwords are a number, but those that are all enables and addresses. */
static void set_bases(struct ctx *c, uint32_t number, uint32_t enables)
{
	batch(c, command("STATE_BASE_ADDRESS")->match | 17);
	for (unsigned int i = 1; i < 19; i++)
		batch(c, number << 12 | (enables >> i & 1));
}

static void expect_bases(void)
{
	base_address[0] = command("STATE_BASE_ADDRESS")->match | 17;
	for (unsigned int i = 0; i < 19; i++)
		expect(base_address[i]);
}

/*
 * DG1 Vol 2a, STATE_BASE_ADDRESS: an enable is for its dword and what follows it, and dword 3 needs none;
 * PIPELINE_SELECT has a mask.
 */
static void test_parts(void)
{
	const uint32_t select = command("PIPELINE_SELECT")->match;
	struct ctx c;

	ctx_init(&c, 0, BASE, CTL_FRESH);
	set_bases(&c, 1, 1 << 1 | 1 << 16);
	set_bases(&c, 2, 1 << 4 | 1 << 12);
	batch(&c, select | 3 << 8 | 2, select | 1 << 12 | 1 << 4 | 1);
	bases(1, 2, 1, 1 << 1);
	bases(3, 5, 2, 1 << 4);
	bases(12, 12, 2, 1 << 12);
	bases(16, 18, 1, 1 << 16);
	expected_dw = 0;
	expect(select | 3 << 8 | 1 << 12 | 1 << 4 | 2);
	expect_bases();
	check(run_batch(&c) && saved(&c), "a packet leaves what it does not enable as it was");
	check(displace(), "a context that has set nothing has none of it");
	batch_at(&c, CTX_BATCH);
	set_bases(&c, 3, 1 << 16);
	bases(3, 3, 3, 0);
	bases(16, 18, 3, 1 << 16);
	expected_dw = 1;
	expect_bases();
	check(run_batch(&c) && saved(&c), "and so it does when the context comes back");
}

/* What MEDIA_OBJECT depends on. */
static void test_walk(void)
{
	static const char *const needed[] = {
		"MEDIA_VFE_STATE", "MEDIA_INTERFACE_DESCRIPTOR_LOAD", "STATE_BASE_ADDRESS", "PIPELINE_SELECT",
	};
	const uint32_t object = command("MEDIA_OBJECT")->match | 4;
	uint64_t before[ARRAY_SIZE(needed)];
	struct ctx c;

	for (unsigned int set = 0; set < 2; set++) {
		ctx_init(&c, 0, BASE, CTL_FRESH);
		if (set) {
			packet(&c, "MEDIA_VFE_STATE", 9, 0, false);
			batch(&c, command("MEDIA_INTERFACE_DESCRIPTOR_LOAD")->match | 2, 0, 32, 64);
			set_bases(&c, 1, 0);
			batch(&c, command("PIPELINE_SELECT")->match | 3 << 8 | 1);
		}
		batch(&c, object, 0, 0, 0, 0, 0);
		for (unsigned int i = 0; i < ARRAY_SIZE(needed); i++)
			before[i] = draws_without(needed[i]);
		check(run_batch(&c), "MEDIA_OBJECT is executed");
		for (unsigned int i = 0; i < ARRAY_SIZE(needed); i++)
			check(draws_without(needed[i]) - before[i] == !set, "%s is %s", needed[i],
			      set ? "set" : "missed");
	}
}

int main(void)
{
	/* There are no programs here. */
	static const char *const set[] = { "execute=off", NULL };

	bench_start(set);
	test_parts();
	test_walk();
	test_packets();
	test_copy();
	test_rubbish();
	test_lengths();
	bench_stop();
	return test_end();
}
