// SPDX-License-Identifier: MIT
/**
 * DOC: Tests: 3D
 */
#include "igen/batch/render.h"
#include "test.h"

struct draw_arg {
	struct igen_draw d;
	struct igen_image texture;
	struct igen_address state;
	bool too_small, other_gen;
};

static __u32 state_map[4096];
static struct igen_batch state;
static struct igen_batch_reloc state_relocs[4];

static void build_draw(struct igen_batch *b, const void *data)
{
	const struct draw_arg *a = data;
	struct igen_draw d = a->d;

	if (d.texture)
		d.texture = &a->texture;
	memset(state_map, 0, sizeof(state_map));
	igen_batch_init(&state, a->other_gen ? 21 - b->gen : b->gen, IGEN_BATCH_MEMORY, state_map,
			a->too_small ? 128 : sizeof(state_map));
	igen_batch_record_relocs(&state, state_relocs, ARRAY_SIZE(state_relocs));
	state.self = a->state;
	igen_render_rect(b, &state, &d);
}

static struct igen_image random_image(unsigned int gen)
{
	struct igen_image i = { .tiling = random_below(3), .width = random_in(1, 16384), .height = random_in(1, 4096),
				.format = random_below(2) ? IGEN_FORMAT_B8G8R8A8 : IGEN_FORMAT_R8G8B8A8 };
	__u32 unit = i.tiling == IGEN_TILE_X ? 512 : i.tiling == IGEN_TILE_Y ? 128 : 4;
	__u32 rows = i.tiling == IGEN_TILE_X ? 8 : 32;

	i.pitch = (i.width * 4 + unit - 1) / unit * unit + random_below(8) * unit;
	i.at = random_bo(gen, i.tiling ? (__u64)(i.height + rows - 1) / rows * rows * i.pitch :
					 (__u64)(i.height - 1) * i.pitch + i.width * 4);
	i.at.presumed = i.at.presumed % (1u << 30) & ~4095ull;
	return i;
}

static struct draw_arg random_draw(unsigned int gen)
{
	struct draw_arg a = { .texture = random_image(gen), .state = random_bo(gen, sizeof(state_map)) };
	struct igen_draw *d = &a.d;
	__u32 width, height;

	d->target = random_image(gen);
	d->texture = random_below(2) ? &a.texture : NULL;
	width = d->target.width < a.texture.width ? d->target.width : a.texture.width;
	height = d->target.height < a.texture.height ? d->target.height : a.texture.height;
	d->rect.width = random_in(1, width);
	d->rect.height = random_in(1, height);
	d->rect.x = random_in(0, d->target.width - d->rect.width);
	d->rect.y = random_in(0, d->target.height - d->rect.height);
	d->x = random_in(0, a.texture.width - d->rect.width);
	d->y = random_in(0, a.texture.height - d->rect.height);
	d->color = random32();
	d->kernels = random_bo(gen, 65536);
	d->mocs = random_below(2);
	d->shader = (struct igen_pixel_shader){ .start = random_below(1000) * 64, .simd = random_below(2) ? 8 : 16,
						.first_register = random_below(128), .threads = random_in(2, 128) };
	return a;
}

static int spoil(struct draw_arg *a, unsigned int gen, unsigned int how)
{
	struct igen_image *i = how & 1 && a->d.texture ? &a->texture : &a->d.target;

	switch (how / 2) {
	case 0:
		i->at.size--;
		return -ERANGE;
	case 1:
		i->at.offset = i->tiling ? 64 : 2;
		i->at.size = 0;
		return -EINVAL;
	case 2:
		i->format = 0;
		return -EINVAL;
	case 3:
		i->width = 16385;
		return -ERANGE;
	case 4:
		i->height = 0;
		return -ERANGE;
	case 5:
		i->pitch += 2;
		return -EINVAL;
	case 6:
		a->d.rect.x = a->d.target.width - a->d.rect.width + 1;
		return -ERANGE;
	case 7:
		a->d.rect.height = 0;
		return -EINVAL;
	case 8:
		a->d.shader.simd = 32;
		return -EINVAL;
	case 9:
		a->d.shader.start += 32;
		return -EINVAL;
	case 10:
		a->d.shader.first_register = 128;
		return -ERANGE;
	case 11:
		a->d.shader.threads = 129;
		return gen == 7 ? -ERANGE : 0;
	case 12:
		a->d.kernels.offset = 64;
		return -EINVAL;
	case 13:
		a->state.offset = 256;
		return -EINVAL;
	case 14:
		i->tiling = 3;
		return -EINVAL;
	case 15:
		a->other_gen = true;
		return -EINVAL;
	case 16:
		a->d.y = a->texture.height;
		return a->d.texture ? -ERANGE : 0;
	default:
		i->tiling = IGEN_LINEAR;
		i->pitch = 262148;
		i->at.size = 0;
		return -ERANGE;
	}
}

/* The fields of the states that the batch's pointers lead to. */
static void contents(unsigned int gen)
{
	const struct draw_arg a = random_draw(gen);
	const struct igen_draw *d = &a.d;
	const __u32 *surface, *pointers, *vertices;
	struct igen_batch b;
	__u32 map[1024];

	igen_batch_init(&b, gen, IGEN_BATCH_RENDER, map, sizeof(map));
	build_draw(&b, &a);
	check(!igen_batch_end(&b) && !igen_batch_end(&state), "contents", gen, "errors %d, %d", b.error, state.error);
	if (b.error || state.error)
		return;
	pointers = find_command(&b, "3DSTATE_BINDING_TABLE_POINTERS_PS", 0);
	vertices = find_command(&b, "3DSTATE_VERTEX_BUFFERS", 0);
	check(pointers && vertices, "contents", gen, "no binding table or vertices");
	if (!pointers || !vertices)
		return;
	check(pointers[1] < sizeof(state_map) - 8, "contents", gen, "binding table at %x", pointers[1]);
	surface = &state_map[state_map[pointers[1] / 4] / 4];
	check_state("contents", gen, "RENDER_SURFACE_STATE", surface);
	check(field_of(gen, "RENDER_SURFACE_STATE", "Surface Base Address", surface) ==
	      d->target.at.presumed + d->target.at.offset &&
	      field_of(gen, "RENDER_SURFACE_STATE", "Width", surface) == d->target.width - 1 &&
	      field_of(gen, "RENDER_SURFACE_STATE", "Surface Pitch", surface) == d->target.pitch - 1 &&
	      field_of(gen, "RENDER_SURFACE_STATE", "Surface Format", surface) == d->target.format, "contents", gen,
	      "the target's surface is another");
	check(state.num_relocs == 1u + !!d->texture && state_relocs[0].bo == d->target.at.bo && state_relocs[0].write,
	      "contents", gen, "%u records in the state", state.num_relocs);
	check(vertices[2] == (__u32)a.state.presumed && state_map[0] ==
	      ((d->rect.x + d->rect.width) | (d->rect.y + d->rect.height) << 16) &&
	      state_map[4] == (d->rect.x | d->rect.y << 16) &&
	      state_map[5] == (d->texture ? d->x | d->y << 16 : d->color), "contents", gen, "other vertices");
	pointers = find_command(&b, "3DSTATE_SAMPLER_STATE_POINTERS_PS", 0);
	check_state("contents", gen, "SAMPLER_STATE", &state_map[pointers[1] / 4]);
}

void test_render(unsigned int gen)
{
	struct draw_arg a;
	struct test_case t = { "render-rect", gen, IGEN_BATCH_RENDER, build_draw, .arg = &a };

	for (unsigned int n = 0; n < 150; n++) {
		a = random_draw(gen);
		if (gen == 6)
			check_bad(&t, -EOPNOTSUPP);
		else
			check_good(&t);
	}
	if (gen == 6)
		return;
	for (unsigned int n = 0; n < 36 * 8; n++) {
		int error;

		a = random_draw(gen);
		error = spoil(&a, gen, n % 36);
		if (error)
			check_bad(&t, error);
		else
			check_good(&t);
	}
	for (unsigned int n = 0; n < 10; n++)
		contents(gen);
	a = random_draw(gen);
	a.too_small = true;
	check_any(&t);
	check(state.error == -ENOSPC && igen_batch_bytes(&state) > 128, t.name, gen,
	      "states in 128 bytes: error %d, asked for %llu", state.error, igen_batch_bytes(&state));
	a = random_draw(gen);
	t.engine = IGEN_BATCH_COPY;
	check_bad(&t, -EINVAL);
}
