// SPDX-License-Identifier: MIT
/**
 * DOC: Tests: the blitter's builders
 */
#include "igen/batch/blt.h"
#include "test.h"

enum blt_op { FILL, INVERT, COPY, FAST_COPY, GLYPH, BLT_OPS };

static const char * const blt_names[BLT_OPS] = { "fill", "invert", "copy", "fast-copy", "glyph" };

struct blt_arg {
	enum blt_op op;
	struct igen_blt_surface dst, src;
	struct igen_rect rect;
	__u32 x, y, color, bytes;
	unsigned int rop;
	bool text;
};

static void build_blt(struct igen_batch *b, const void *data)
{
	static const __u8 bits[1024];
	const struct blt_arg *a = data;

	switch (a->op) {
	case FILL:
	case INVERT:
		igen_blt_fill_rop(b, &a->dst, &a->rect, a->color, a->rop);
		break;
	case COPY:
		igen_blt_copy(b, &a->dst, &a->rect, &a->src, a->x, a->y);
		break;
	case FAST_COPY:
		igen_blt_fast_copy(b, &a->dst, &a->rect, &a->src, a->x, a->y);
		break;
	default:
		igen_blt_glyph(b, &a->dst, &a->rect, a->color, bits, a->bytes);
	}
}

static struct igen_blt_surface random_surface(unsigned int gen, __u32 cpp)
{
	struct igen_blt_surface s = { .tiling = random_below(3), .cpp = cpp };

	s.pitch = s.tiling == IGEN_TILE_X ? random_in(1, 255) * 512 :
		  s.tiling == IGEN_TILE_Y ? random_in(1, 1023) * 128 :
					    random_in(16, 32764 / 4) * 4;
	s.at = random_bo(gen, 0);
	return s;
}

/* Gives the surface's object exactly the size that the rectangle needs. */
static void fit(struct igen_blt_surface *s, const struct igen_rect *r)
{
	__u64 rows = s->tiling == IGEN_TILE_X ? 8 : s->tiling == IGEN_TILE_Y ? 32 : 1;
	__u64 height = (r->y + r->height + rows - 1) / rows * rows;

	/* Within 32 bits even with the largest pitch; the address is made to fit. */
	s->at.size = s->tiling ? height * s->pitch : (height - 1) * s->pitch + (r->x + r->width) * s->cpp;
	s->at.presumed = s->at.presumed % (1u << 30) & ~4095ull;
}

static struct blt_arg random_arg(unsigned int gen, enum blt_op op)
{
	static const __u32 sizes[] = { 1, 2, 4 };
	__u32 cpp = sizes[random_below(3)], unit = op == FAST_COPY ? 16 / cpp : 1, width;
	struct blt_arg a = { .op = op, .color = random32(), .rop = op == INVERT ? IGEN_ROP_INVERT : IGEN_ROP_FILL };
	struct igen_rect from;

	a.dst = random_surface(gen, cpp);
	a.src = random_surface(gen, cpp);
	width = (a.dst.pitch < a.src.pitch ? a.dst.pitch : a.src.pitch) / cpp;
	width = width > IGEN_BLT_MAX ? IGEN_BLT_MAX : width;
	a.rect.width = random_in(1, op == GLYPH && width > 32 ? 32 : width);
	a.rect.height = random_in(1, op == GLYPH ? 100 : 8000);
	a.rect.x = random_in(0, width - a.rect.width) / unit * unit;
	a.rect.y = random_below(1000);
	a.x = random_in(0, width - a.rect.width) / unit * unit;
	a.y = random_below(1000);
	a.bytes = (a.rect.width + 7) / 8 * a.rect.height;
	from = (struct igen_rect){ a.x, a.y, a.rect.width, a.rect.height };
	fit(&a.dst, &a.rect);
	fit(&a.src, &from);
	return a;
}

/* Each of these makes one thing wrong. */
static int spoil(struct blt_arg *a, unsigned int how)
{
	bool two = a->op == COPY || a->op == FAST_COPY;

	switch (how) {
	case 0:
		a->dst.at.size--;
		return -ERANGE;
	case 1:
		a->rect.width = 0;
		return -EINVAL;
	case 2:
		a->rect.height = 0;
		return -EINVAL;
	case 3:
		a->dst.pitch++;
		return -EINVAL;
	case 4:
		a->dst.at.offset = a->dst.tiling ? 64 : a->dst.cpp;
		a->dst.at.size = 0;
		return a->dst.tiling ? -EINVAL : a->op == FAST_COPY ? -EINVAL : 0;
	case 5:
		a->dst.cpp = 3;
		return -EINVAL;
	case 6:
		a->rect.x = 32768;
		return -ERANGE;
	case 7:
		a->rect.y = 32768 - a->rect.height;
		return -ERANGE;
	case 8:
		a->dst.tiling = 3;
		return -EINVAL;
	case 9:
		a->dst.pitch = 4;
		a->dst.tiling = IGEN_LINEAR;
		a->rect.width = 5;
		return -ERANGE;
	case 10:
		a->dst.pitch = a->dst.tiling ? 512 * 1024 : 32768;
		a->dst.at.size = 0;
		return -ERANGE;
	case 11:
		if (a->op == FILL || a->op == INVERT) {
			a->rop = IGEN_ROP_COPY;
			return -EINVAL;
		}
		if (a->op == GLYPH) {
			a->bytes++;
			return -EINVAL;
		}
		a->src.at.size--;
		return -ERANGE;
	case 12:
		a->src.cpp = a->src.cpp == 4 ? 2 : 4;
		a->src.at.size = 0;
		/* The other size may make the source too narrow as well. */
		return two ? 1 : 0;
	case 13:
		if (a->op != FAST_COPY)
			return 0;
		a->src = a->dst;
		a->x = a->rect.x;
		a->y = a->rect.y;
		return -EINVAL;
	default:
		if (a->op != FAST_COPY || a->rect.x < 1)
			return 0;
		a->rect.x--;
		return a->dst.cpp == 4 || a->dst.cpp == 2 || a->dst.cpp == 1 ? -EINVAL : 0;
	}
}

/* BCS_SWCTRL follows the tiling, with a flush before it. */
struct order_arg {
	struct igen_blt_surface x, y, linear;
};

static void build_order(struct igen_batch *b, const void *data)
{
	static const struct igen_rect rect = { 0, 0, 8, 8 };
	const struct order_arg *o = data;

	igen_blt_fill(b, &o->linear, &rect, 1);
	igen_blt_fill(b, &o->y, &rect, 1);
	igen_blt_fill(b, &o->y, &rect, 2);
	igen_blt_copy(b, &o->x, &rect, &o->y, 0, 0);
	igen_blt_fill(b, &o->linear, &rect, 3);
	igen_blt_copy(b, &o->linear, &rect, &o->x, 0, 0);
}

static void order(unsigned int gen)
{
	static const __u32 values[] = { 0x30002, 0x30001, 0x30000 };
	struct order_arg o = {
		.x = { random_bo(gen, 1 << 20), 512, IGEN_TILE_X, 4 },
		.y = { random_bo(gen, 1 << 20), 512, IGEN_TILE_Y, 4 },
		.linear = { random_bo(gen, 1 << 20), 512, IGEN_LINEAR, 4 },
	};
	struct test_case t = { "tiling-order", gen, IGEN_BATCH_COPY, build_order, .arg = &o };
	struct igen_batch b;
	__u32 map[256];

	check_good(&t);
	igen_batch_init(&b, gen, IGEN_BATCH_COPY, map, sizeof(map));
	build_order(&b, &o);
	for (unsigned int i = 0; i < ARRAY_SIZE(values); i++) {
		const __u32 *lri = find_command(&b, "MI_LOAD_REGISTER_IMM", i);

		check(lri && lri[1] == IGEN_BLT_SWCTRL && lri[2] == values[i], t.name, gen,
		      "BCS_SWCTRL gets %x, expected %x", lri ? lri[2] : 0, values[i]);
		/* MI_FLUSH_DW has opcode 26h and four or five dwords. */
		check(lri && lri[gen <= 7 ? -4 : -5] >> 23 == 0x26, t.name, gen, "no flush before BCS_SWCTRL");
	}
	check(!find_command(&b, "MI_LOAD_REGISTER_IMM", ARRAY_SIZE(values)), t.name, gen,
	      "BCS_SWCTRL written more often than it changes");
}

void test_blt(unsigned int gen)
{
	struct blt_arg a;
	struct test_case t = { .gen = gen, .engine = IGEN_BATCH_COPY, .build = build_blt, .arg = &a };

	for (unsigned int n = 0; n < 300; n++) {
		a = random_arg(gen, n % BLT_OPS);
		t.name = blt_names[a.op];
		if (a.op == FAST_COPY && gen < 9)
			check_bad(&t, -EOPNOTSUPP);
		else if (a.op == GLYPH && a.bytes > IGEN_BLT_TEXT_MAX * 4)
			check_bad(&t, -ERANGE);
		else
			check_good(&t);
	}
	for (unsigned int n = 0; n < 15 * BLT_OPS * 8; n++) {
		int error;

		do
			a = random_arg(gen, n / 15 % BLT_OPS);
		while (a.op == GLYPH && a.bytes > IGEN_BLT_TEXT_MAX * 4);
		t.name = blt_names[a.op];
		error = spoil(&a, n % 15);
		if (a.op == FAST_COPY && gen < 9)
			error = -EOPNOTSUPP;
		if (error < 0)
			check_bad(&t, error);
		else if (error > 0)
			check(check_any(&t) < 0, t.name, gen, "accepted with pixels of two sizes");
	}
	order(gen);
	a = random_arg(gen, FILL);
	t.engine = IGEN_BATCH_RENDER;
	t.name = "fill-on-render";
	check_bad(&t, -EINVAL);
}
