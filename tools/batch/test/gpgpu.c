// SPDX-License-Identifier: MIT
/**
 * DOC: Tests: media and GPGPU builders
 *
 * Each batch begins with a new context, so the validator knows of all that must come before work.
 */
#include "igen/batch/gpgpu.h"
#include "test.h"

enum work { OBJECT, WALK, GPGPU, PREEMPTIBLE, INDIRECT, INDIRECT_8, WORKS };

static const char * const work_names[WORKS] = { "media-object", "media-walk",	   "gpgpu-walk",
						"preemptible", "gpgpu-indirect", "gpgpu-indirect-8" };

struct media_arg {
	struct igen_media m;
	enum work work;
	struct igen_media_object object;
	struct igen_media_walk walk;
	struct igen_gpgpu_walk gpgpu;
	struct igen_address groups;
	struct igen_scoreboard scoreboard;
	unsigned int times;
};

static void build_work(struct igen_batch *b, const struct media_arg *a)
{
	switch (a->work) {
	case OBJECT:
		igen_media_object(b, &a->object);
		break;
	case WALK:
		igen_media_walk(b, &a->walk);
		break;
	case GPGPU:
		igen_gpgpu_walk(b, &a->gpgpu);
		break;
	case PREEMPTIBLE:
		igen_gpgpu_walk_preemptible(b, &a->gpgpu);
		break;
	default:
		igen_gpgpu_walk_indirect(b, &a->gpgpu, a->groups, a->work == INDIRECT ? 4 : 8);
	}
}

static void build_media(struct igen_batch *b, const void *data)
{
	const struct media_arg *a = data;

	igen_media_begin(b, &a->m);
	for (unsigned int i = 0; i < a->times; i++)
		build_work(b, a);
	igen_pipe_drain(b);
}

/* As large as the URB lets it be. */
static struct igen_vfe random_vfe(unsigned int gen)
{
	struct igen_vfe v = { .threads = random_in(1, 168), .scratch = random_below(1024) * 1024,
			      .scratch_field = random_below(12) };
	__u32 rows = gen == 6 ? 992 : gen == 7 ? 2016 : 32768 - 64;

	v.curbe_rows = random_in(1, 31) * 2;
	v.urb_entries = random_in(1, 64);
	v.entry_rows = (rows - v.curbe_rows) / v.urb_entries;
	if (gen >= 9)
		v.entry_rows = v.entry_rows / 64 * 64;
	return v;
}

static struct media_arg random_media(unsigned int gen, enum work work)
{
	static const __u32 simds[] = { 8, 16, 32 }, data[504];
	bool gpgpu = work >= GPGPU;
	struct media_arg a = { .work = work, .times = random_in(1, 3) };
	struct igen_address bo = random_bo(gen, 1 << 20);
	__u32 most = gen <= 7 ? 511 : 2047, last = gen == 6 ? 30 : gen == 7 ? 31 : 63;

	a.m = (struct igen_media){
		.pipeline = gpgpu ? IGEN_PIPELINE_GPGPU : IGEN_PIPELINE_MEDIA,
		.bases = { bo, random_bo(gen, 4096), random_bo(gen, 4096), bo, bo, .mocs = random_below(2) },
		.vfe = random_vfe(gen),
		.curbe = random_below(1000) * 64,
		.descriptors = random_below(1000) * 64,
		.num_descriptors = random_in(1, last + 1),
	};
	a.m.curbe_bytes = random_below(a.m.vfe.curbe_rows / 2 + 1) * 64;
	for (unsigned int i = 0; i < 8; i++) {
		a.scoreboard.dx[i] = (int)random_below(16) - 8;
		a.scoreboard.dy[i] = (int)random_below(16) - 8;
	}
	a.scoreboard.mask = random32();
	a.object = (struct igen_media_object){ .descriptor = random_below(last + 1), .inline_data = data,
					       .num_inline = random_in(0, gen < 12 ? 504 : 112), .x = random_below(512),
					       .y = random_below(512), .color = random_below(16),
					       .scoreboard = gen < 12 && random_below(2), .mask = random_below(256) };
	if (a.object.num_inline < 400) {
		a.object.indirect = random_below(1 << 24) * 32;
		a.object.indirect_bytes = random_below(61) * 32;
	}
	a.walk = (struct igen_media_walk){ .descriptor = random_below(last + 1), .width = random_in(1, most),
					   .height = random_in(1, most), .inline_data = data,
					   .num_inline = random_in(0, gen < 12 ? 504 : 97) };
	a.gpgpu = (struct igen_gpgpu_walk){ .descriptor = random_below(last + 1), .simd = simds[random_below(3)],
					    .predicate = random_below(2) };
	igen_gpgpu_local_size(&a.gpgpu, random_in(1, a.gpgpu.simd * (gen == 7 && a.gpgpu.simd == 32 ? 32 : 64)));
	for (unsigned int i = 0; i < 3; i++) {
		a.gpgpu.start[i] = random_below(5);
		a.gpgpu.groups[i] = a.gpgpu.start[i] + random_in(1, 100000);
	}
	a.groups = random_bo(gen, 4096);
	a.groups.offset = random_below(500) * 8;
	return a;
}

/* One thing wrong each; 0 if it is not wrong for this work. */
static int spoil(struct media_arg *a, unsigned int gen, unsigned int how)
{
	bool gpgpu = a->work >= GPGPU;

	switch (how) {
	case 0:
		a->m.pipeline = IGEN_PIPELINE_3D;
		return -EINVAL;
	case 1:
		a->m.bases.dynamic.offset = 64;
		return -EINVAL;
	case 2:
		a->m.bases.instruction = (struct igen_address){ .presumed = gen <= 7 ? 1ull << 32 : ~0xfffull,
								.offset = gen <= 7 ? 0 : 4096 };
		return -ERANGE;
	case 3:
		a->m.vfe.threads = random_below(2) ? 0 : 65537;
		return -ERANGE;
	case 4:
		a->m.vfe.entry_rows = 0;
		return -ERANGE;
	case 5:
		/* One row more than fits: on generation 12 one step of 64. */
		if (gen == 9)
			return 0;
		a->m.vfe.urb_entries = 1;
		a->m.vfe.curbe_rows = 64;
		a->m.vfe.entry_rows = gen == 6 ? 1024 - 32 - 63 : gen == 7 ? 2048 - 32 - 63 : 32768 - 64 - 63;
		return -ERANGE;
	case 6:
		a->m.vfe.scratch_field = 12;
		return -ERANGE;
	case 7:
		a->m.vfe.scratch += 512;
		return -EINVAL;
	case 8:
		a->m.vfe.scoreboard = &a->scoreboard;
		return gen == 12 ? -EOPNOTSUPP : 0;
	case 9:
		a->m.curbe_bytes = a->m.vfe.curbe_rows * 32 + 64;
		return -ERANGE;
	case 10:
		a->m.curbe_bytes = 64;
		a->m.curbe += gen <= 7 ? 16 : 32;
		return -EINVAL;
	case 11:
		a->m.num_descriptors = gen == 6 ? 32 : gen == 7 ? 33 : 65;
		return -ERANGE;
	case 12:
		a->m.descriptors += 16;
		return -EINVAL;
	case 13:
		a->object.descriptor = gen == 6 ? 31 : gen == 7 ? 32 : 64;
		a->walk.descriptor = a->object.descriptor;
		a->gpgpu.descriptor = a->object.descriptor;
		return -ERANGE;
	case 14:
		a->object.num_inline = gen < 12 ? 505 : 113;
		a->walk.num_inline = gen < 12 ? 505 : 98;
		a->gpgpu.threads[2] = 65;
		return -ERANGE;
	case 15:
		a->object.indirect = 16;
		a->gpgpu.simd = 4;
		return a->work == WALK ? 0 : -EINVAL;
	case 16:
		a->object.num_inline = gen < 12 ? 504 : 112;
		a->object.indirect_bytes = gen < 12 ? 49 * 32 : 98 * 32;
		a->walk.width = gen <= 7 ? 512 : 2048;
		a->gpgpu.threads[0] = 0;
		return -ERANGE;
	case 17:
		a->object.x = 512;
		a->walk.height = 0;
		a->gpgpu.groups[1] = a->gpgpu.start[1];
		return a->work >= INDIRECT ? 0 : gpgpu ? -EINVAL : -ERANGE;
	case 18:
		a->groups.offset += a->work == INDIRECT_8 ? 4 : 2;
		return a->work >= INDIRECT ? -EINVAL : 0;
	case 19:
		a->groups.offset = 4096 - (a->work == INDIRECT_8 ? 16 : 8);
		return a->work >= INDIRECT ? -ERANGE : 0;
	default:
		if (gen != 7 || !gpgpu)
			return 0;
		a->gpgpu.simd = 32;
		a->gpgpu.threads[0] = 33;
		return -ERANGE;
	}
}

static void descriptors(unsigned int gen)
{
	static const __u32 slm[][3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 1024, 1, 1 }, { 4096, 1, 3 }, { 4097, 2, 4 },
					{ 16384, 4, 5 }, { 65536, 16, 7 } };
	struct igen_kernel k = { .start = 0x1c0, .binding_table = 0xffe0, .bindings = 31, .samplers = 0x2000,
				 .num_samplers = 13, .constants = 3, .constants_at = 5 };
	__u32 map[64] = { 0 };
	struct igen_batch s;

	igen_batch_init(&s, gen, IGEN_BATCH_MEMORY, map, sizeof(map));
	check(igen_media_descriptor(&s, &k) == 0 && igen_media_descriptor(&s, &k) == 32 && !s.error, "descriptor", gen,
	      "two of them: error %d", s.error);
	check_state("descriptor", gen, "INTERFACE_DESCRIPTOR_DATA", map);
	check(!memcmp(map, map + 8, 32), "descriptor", gen, "the second is another");
	check(field_of(gen, "INTERFACE_DESCRIPTOR_DATA", "Kernel Start Pointer", map) == 0x1c0 &&
	      field_of(gen, "INTERFACE_DESCRIPTOR_DATA", "Sampler Count", map) == 4 &&
	      field_of(gen, "INTERFACE_DESCRIPTOR_DATA", "Constant URB Entry Read Length", map) == 3, "descriptor", gen,
	      "kernel, samplers or constants are wrong");
	for (unsigned int i = 0; gen >= 7 && i < ARRAY_SIZE(slm); i++) {
		k.local_memory = slm[i][0];
		k.threads = 64;
		k.barrier = true;
		igen_batch_init(&s, gen, IGEN_BATCH_MEMORY, map, sizeof(map));
		igen_media_descriptor(&s, &k);
		check_state("descriptor", gen, "INTERFACE_DESCRIPTOR_DATA", map);
		check(!s.error && field_of(gen, "INTERFACE_DESCRIPTOR_DATA", "Shared Local Memory Size", map) ==
		      slm[i][gen == 7 ? 1 : 2], "descriptor", gen, "%u bytes of local memory: error %d", slm[i][0],
		      s.error);
	}
	for (unsigned int how = 0; how < 8; how++) {
		struct igen_kernel bad = {
			.start = how == 0 ? 32 : 64,
			.binding_table = how == 1 ? 16 : how == 3 ? 65536 : 0,
			.samplers = how == 2 ? 16 : 0,
			.bindings = how == 4 ? 32 : 0,
			.num_samplers = how == 5 ? 17 : 0,
			.threads = how == 6 ? 65 : 0,
			.local_memory = how == 7 ? 65537 : 0,
		};
		int error = how < 3 ? -EINVAL : -ERANGE;

		if (how >= 6 && gen == 6)
			error = -EOPNOTSUPP;
		igen_batch_init(&s, gen, IGEN_BATCH_MEMORY, map, sizeof(map));
		igen_media_descriptor(&s, &bad);
		check(s.error == error && s.why && !s.used, "descriptor", gen, "wrong in way %u: error %d", how,
		      s.error);
	}
}

static void local_sizes(unsigned int gen)
{
	/* Items, SIMD, threads, right mask: 132 channels of SIMD32 are four threads and four channels. */
	static const __u32 sizes[][4] = { { 132, 32, 5, 0xf }, { 64, 16, 4, 0 }, { 1, 8, 1, 1 },
					  { 63, 32, 2, 0x7fffffff } };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct igen_gpgpu_walk w = { .simd = sizes[i][1] };

		igen_gpgpu_local_size(&w, sizes[i][0]);
		check(w.threads[0] == sizes[i][2] && w.right == sizes[i][3], "local-size", gen, "%u of SIMD%u: %u, %x",
		      sizes[i][0], sizes[i][1], w.threads[0], w.right);
	}
}

/* The walkers' fields, and the order of commands around them: the batches of IVB Vol 2 Part 2, 1.3.5 and 1.3.4. */
static void contents(unsigned int gen)
{
	struct media_arg a = random_media(gen, PREEMPTIBLE);
	const __u32 *walker, *flush, *arb;
	struct igen_batch b;
	__u32 map[512];

	a.times = 1;
	a.gpgpu.simd = 16;
	igen_gpgpu_local_size(&a.gpgpu, 50);
	igen_batch_init(&b, gen, IGEN_BATCH_RENDER, map, sizeof(map));
	build_media(&b, &a);
	walker = find_command(&b, "GPGPU_WALKER", 0);
	flush = find_command(&b, "MEDIA_STATE_FLUSH", 0);
	arb = find_command(&b, "MI_ARB_CHECK", 0);
	check(walker && flush > walker && arb > flush, "contents", gen,
	      "walker, flush and arbitration are not in order");
	check(field_of(gen, "GPGPU_WALKER", "Thread Width Counter Maximum", walker) == 3 &&
	      field_of(gen, "GPGPU_WALKER", "SIMD Size", walker) == 1 &&
	      field_of(gen, "GPGPU_WALKER", "Right Execution Mask", walker) == 3 &&
	      field_of(gen, "GPGPU_WALKER", "Bottom Execution Mask", walker) == 0xffff &&
	      field_of(gen, "GPGPU_WALKER", "Thread Group ID Y Dimension", walker) == a.gpgpu.groups[1], "contents",
	      gen, "the walker's fields are wrong");

	a.work = INDIRECT_8;
	igen_batch_init(&b, gen, IGEN_BATCH_RENDER, map, sizeof(map));
	build_media(&b, &a);
	walker = find_command(&b, "GPGPU_WALKER", 0);
	for (unsigned int i = 0; i < 3; i++) {
		const __u32 *end = find_command(&b, "MI_CONDITIONAL_BATCH_BUFFER_END", i);
		const __u32 *load = find_command(&b, "MI_LOAD_REGISTER_MEM", i);

		check(end && load && end < load && load < walker && load[1] == 0x2500 + 4 * i &&
		      load[2] == (__u32)(a.groups.presumed + a.groups.offset + 8 * i) && end[2] == load[2], "contents",
		      gen, "dimension %u is not looked at and loaded before the walker", i);
	}
	check(field_of(gen, "GPGPU_WALKER", "Indirect Parameter Enable", walker) == 1, "contents", gen, "not indirect");
}

void test_gpgpu(unsigned int gen)
{
	struct media_arg a;
	struct test_case t = { .gen = gen, .build = build_media, .arg = &a };

	for (unsigned int n = 0; n < 60 * WORKS; n++) {
		enum work work = n % WORKS;

		a = random_media(gen, work);
		t.name = work_names[work];
		t.engine = gen == 12 && work >= GPGPU && n & 1 ? IGEN_BATCH_COMPUTE : IGEN_BATCH_RENDER;
		if (gen < 12 && n % 3 == 0)
			a.m.vfe.scoreboard = &a.scoreboard;
		if (work >= GPGPU && gen == 6)
			check_bad(&t, -EOPNOTSUPP);
		else
			check_good(&t);
	}
	for (unsigned int n = 0; n < 21 * WORKS * 3; n++) {
		enum work work = n / 21 % WORKS;
		int error;

		if (work >= GPGPU && gen == 6)
			continue;
		a = random_media(gen, work);
		t.name = work_names[work];
		t.engine = IGEN_BATCH_RENDER;
		error = spoil(&a, gen, n % 21);
		if (error)
			check_bad(&t, error);
		else
			check_good(&t);
	}
	a = random_media(gen, OBJECT);
	t.engine = IGEN_BATCH_COPY;
	check_bad(&t, -EINVAL);
	descriptors(gen);
	local_sizes(gen);
	if (gen >= 7)
		contents(gen);
}
