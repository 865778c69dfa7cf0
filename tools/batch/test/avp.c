// SPDX-License-Identifier: MIT
/**
 * DOC: Tests: AV1 decoding
 */
#include "igen/batch/avp.h"
#include "test.h"

#define MAX_TILES 6

struct avp_arg {
	struct igen_avp_frame f;
	struct gen12_avp_pic_state picture;
	struct gen12_avp_inter_pred_state inter;
	struct gen12_avp_segment_state segments[8];
	struct gen12_avp_inloop_filter_state filter;
	struct igen_avp_surface intrabc;
	struct igen_avp_place buffers[4];
	struct igen_avp_tile tiles[MAX_TILES];
	struct igen_address done;
	bool has_inter, has_intrabc;
};

static void build_avp(struct igen_batch *b, const void *data)
{
	const struct avp_arg *a = data;
	struct igen_avp_frame f = a->f;

	f.picture = &a->picture;
	f.inter = a->has_inter ? &a->inter : NULL;
	f.segments = a->segments;
	f.filter = &a->filter;
	f.intrabc = a->has_intrabc ? &a->intrabc : NULL;
	f.buffers = a->buffers;
	f.tiles = a->tiles;
	igen_avp_frame(b, &f, &a->done, 0x1122334455667788);
}

static struct igen_avp_surface random_surface(void)
{
	struct igen_avp_surface s = { .pitch = random_in(1, 64) * 128, .chroma = random_in(1, 500) * 8 };

	s.at = random_bo(12, (__u64)s.pitch * s.chroma / 2 * 3);
	return s;
}

static struct avp_arg random_frame(void)
{
	static const __u32 which[] = { IGEN_AVP_CDF_IN, IGEN_AVP_CDF_OUT, 41, 53, IGEN_AVP_CURRENT_MV, 62, 65, 119, 128,
				       137, 164, IGEN_AVP_STATUS, IGEN_AVP_STREAM_OUT };
	struct avp_arg a = { .f = { .num_segments = random_in(1, 8), .num_buffers = 4, .tile_columns = random_in(1, 3),
				    .tile_rows = random_in(1, 2), .mocs = random_below(4),
				    .format = random_below(2) ? IGEN_AVP_NV12 : IGEN_AVP_P010 } };
	__u32 bits = 0;

	a.has_inter = random_below(2);
	a.has_intrabc = random_below(2);
	a.intrabc = random_surface();
	a.f.output = random_surface();
	a.f.has_reference = a.has_inter ? random_in(1, 255) : 0;
	for (unsigned int i = 0; i < 8; i++) {
		a.f.references[i] = random_surface();
		a.segments[i].segment_id = i;
	}
	for (unsigned int i = 0; i < 4; i++)
		a.buffers[i] = (struct igen_avp_place){ which[i * 3 + random_below(3)], random_bo(12, 4096) };
	for (unsigned int i = 0; i < a.f.tile_columns * a.f.tile_rows; i++) {
		a.tiles[i] = (struct igen_avp_tile){ i % a.f.tile_columns * 8, i / a.f.tile_columns * 8, 8, 8, bits,
						     random_in(1, 100000) };
		bits += a.tiles[i].bytes;
	}
	a.f.bitstream = random_bo(12, bits);
	a.picture.frame_width_in_pixel_minus_1 = 1919;
	a.picture.frame_height_in_pixel_minus_1 = 1079;
	a.picture.sequence_chroma_subsampling_format = 1;
	a.done = random_bo(12, 4096);
	a.done.offset = random_below(64) * 64;
	return a;
}

static int spoil(struct avp_arg *a, unsigned int how)
{
	switch (how) {
	case 0:
		a->f.num_segments = 9;
		return -ERANGE;
	case 1:
		a->f.output.at.size--;
		return -ERANGE;
	case 2:
		a->f.output.pitch += 64;
		return -EINVAL;
	case 3:
		a->f.output.at.offset = 64;
		a->f.output.at.size = 0;
		return -EINVAL;
	case 4:
		a->buffers[2].which = 58;
		return -EINVAL;
	case 5:
		a->buffers[3].at.offset = 32;
		return -EINVAL;
	case 6:
		a->f.bitstream.size--;
		return -ERANGE;
	case 7:
		a->tiles[0].bytes = 0;
		return -EINVAL;
	case 8:
		a->f.format = 0;
		return -EINVAL;
	case 9:
		a->f.tile_rows = 65;
		return -ERANGE;
	case 10:
		a->has_inter = !a->has_inter;
		return -EINVAL;
	case 11:
		a->picture.frame_width_in_pixel_minus_1 = 65536;
		return -ERANGE;
	case 12:
		a->f.bitstream.offset = 64;
		return -EINVAL;
	case 13:
		a->done.offset = 32;
		return -EINVAL;
	case 14:
		a->buffers[1].which = a->buffers[3].which;
		return -EINVAL;
	default:
		a->f.bitstream.size = 0;
		return -EINVAL;
	}
}

static void contents(void)
{
	static __u32 map[16384];
	struct avp_arg a = random_frame();
	struct igen_batch b;
	__u32 n = a.f.tile_columns * a.f.tile_rows;

	igen_batch_init(&b, 12, IGEN_BATCH_VIDEO, map, sizeof(map));
	build_avp(&b, &a);
	check(!b.error, "contents", 12, "error %d", b.error);
	for (__u32 i = 0; i <= n; i++) {
		const __u32 *bits = find_command(&b, "AVP_BSD_OBJECT", i);
		const __u32 *tile = find_command(&b, "AVP_TILE_CODING", i);
		const __u32 *addresses = find_command(&b, "AVP_PIPE_BUF_ADDR_STATE", i);

		check(!bits == (i == n) && !tile == (i == n) && !addresses == (i == n), "contents", 12,
		      "%u tiles, and not as many commands", n);
		if (!bits || !tile || !addresses)
			continue;
		check(bits[1] == a.tiles[i].bytes && bits[2] == a.tiles[i].offset && bits > tile && tile > addresses,
		      "contents", 12, "tile %u has other bits", i);
		check(field_of(12, "AVP_TILE_CODING", "IsLastTileOfFrame Flag", tile) == (i == n - 1) &&
		      field_of(12, "AVP_TILE_CODING", "IsLastTileOfRow Flag", tile) ==
		      (i % a.f.tile_columns == a.f.tile_columns - 1), "contents", 12, "tile %u has other flags", i);
		check(addresses[18] == (__u32)a.f.output.at.presumed &&
		      addresses[19] == (__u32)(a.f.output.at.presumed >> 32), "contents", 12, "another output");
	}
}

void test_avp(unsigned int gen)
{
	struct avp_arg a;
	struct test_case t = { "avp-frame", gen, IGEN_BATCH_VIDEO, build_avp, .arg = &a };

	for (unsigned int n = 0; n < 40; n++) {
		a = random_frame();
		if (gen < 12)
			check_bad(&t, -EOPNOTSUPP);
		else
			check_good(&t);
	}
	if (gen < 12)
		return;
	for (unsigned int n = 0; n < 16 * 10; n++) {
		int error;

		a = random_frame();
		error = spoil(&a, n % 16);
		check_bad(&t, error);
	}
	for (unsigned int n = 0; n < 10; n++)
		contents();
	a = random_frame();
	t.engine = IGEN_BATCH_RENDER;
	check_bad(&t, -EINVAL);
}
