/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches: AV1 decoding (generation 12)
 *
 * One frame, tile by tile. The pipe keeps no state from tile to tile, so each has everything again (DG1
 * Vol 2a, AVP_PIPE_MODE_SELECT), in this order: initialise, select with MFX_WAIT on both sides, surfaces,
 * buffers, base of the bitstream, picture, inter prediction, segments, loop filter, tile, bitstream. The
 * order is Intel's media driver's, as is the body of AVP_VD_CONTROL_STATE, which DG1 Vol 2a leaves out.
 *
 * What the frame header says goes in as the database's structs, which the caller fills; the tiles' places,
 * all addresses and the order are the builder's.
 */
#ifndef _IGEN_BATCH_AVP_H_
#define _IGEN_BATCH_AVP_H_

#include "mi.h"
#include "igen/pack/gen12_video.h"

#define IGEN_AVP_INIT		1ull		/* first dword of the body: initialise the pipe */
#define IGEN_AVP_FLUSH		(1ull << 34)	/* second dword: implicit flush of memory */

#define IGEN_AVP_NV12		4u
#define IGEN_AVP_P010		13u

/* Buffers, by the dword of AVP_PIPE_BUF_ADDR_STATE that has the address. */
enum igen_avp_buffer {
	IGEN_AVP_CDF_IN = 27,
	IGEN_AVP_CDF_OUT = 30,
	IGEN_AVP_SEGMENT_IDS_IN = 33,
	IGEN_AVP_SEGMENT_IDS_OUT = 36,
	IGEN_AVP_TEMPORAL_MV_0 = 39,	/* eight, two dwords apart */
	IGEN_AVP_CURRENT_MV = 56,
	IGEN_AVP_LINES = 62,		/* scratch of bitstream decoder to deblocking: 20, three dwords apart */
	IGEN_AVP_LINES_END = 119,
	IGEN_AVP_CDEF_TILE_LINE = 128,
	IGEN_AVP_COLUMNS = 137,		/* scratch of CDEF, super resolution and restoration: ten */
	IGEN_AVP_COLUMNS_END = 164,
	IGEN_AVP_STATUS = 176,
	IGEN_AVP_STREAM_OUT = 179
};

/**
 * struct igen_avp_place - a buffer that the pipe uses
 * @which: which
 * @at: where; a multiple of 64
 */
struct igen_avp_place {
	enum igen_avp_buffer which;
	struct igen_address at;
};

/**
 * struct igen_avp_surface - a picture, Y-tiled, chroma interleaved
 * @at: its first byte, a multiple of 4096
 * @pitch: bytes from row to row: a multiple of 128, at most 128 KB
 * @chroma: row at which chroma begins: a multiple of 8, below 32768
 */
struct igen_avp_surface {
	struct igen_address at;
	__u32 pitch, chroma;
};

/**
 * struct igen_avp_tile - a tile
 * @column: place in superblocks
 * @row: place in superblocks
 * @width: in superblocks, not 0
 * @height: in superblocks, not 0
 * @offset: of its bits in the bitstream, bytes
 * @bytes: of them, not 0
 */
struct igen_avp_tile {
	__u32 column, row, width, height, offset, bytes;
};

/**
 * struct igen_avp_frame - a frame
 * @picture: sequence and frame header
 * @inter: order hints; NULL for a frame without references
 * @segments: segments, of which @num_segments, 1 to 8
 * @num_segments: how many
 * @filter: loop filters
 * @format: IGEN_AVP_NV12 or IGEN_AVP_P010
 * @output: picture to decode into
 * @references: pictures, intra frame first, then last to altref
 * @has_reference: bit n: @references[n] is there
 * @intrabc: picture before the loop filters; NULL if intra block copy is off
 * @buffers: the pipe's other buffers, each once, @num_buffers of them
 * @num_buffers: how many
 * @bitstream: the frame's bits: a multiple of 4096, its size known
 * @tile_columns: 1 to 64
 * @tile_rows: 1 to 64
 * @tiles: @tile_columns times @tile_rows of them, row by row
 * @disable_cdf_update: of the frame header
 * @disable_context_update: of the frame header
 * @mocs: cacheability, as in the command's fields
 */
struct igen_avp_frame {
	const struct gen12_avp_pic_state *picture;
	const struct gen12_avp_inter_pred_state *inter;
	const struct gen12_avp_segment_state *segments;
	__u32 num_segments;
	const struct gen12_avp_inloop_filter_state *filter;
	__u32 format;
	struct igen_avp_surface output, references[8];
	__u32 has_reference;
	const struct igen_avp_surface *intrabc;
	const struct igen_avp_place *buffers;
	__u32 num_buffers;
	struct igen_address bitstream;
	__u32 tile_columns, tile_rows;
	const struct igen_avp_tile *tiles;
	bool disable_cdf_update, disable_context_update;
	__u32 mocs;
};

static inline bool igen_avp_buffer_is(__u32 which)
{
	return which == IGEN_AVP_CDF_IN || which == IGEN_AVP_CDF_OUT || which == IGEN_AVP_SEGMENT_IDS_IN ||
	       which == IGEN_AVP_SEGMENT_IDS_OUT || which == IGEN_AVP_CURRENT_MV ||
	       which == IGEN_AVP_CDEF_TILE_LINE || which == IGEN_AVP_STATUS || which == IGEN_AVP_STREAM_OUT ||
	       (which >= IGEN_AVP_TEMPORAL_MV_0 && which < IGEN_AVP_TEMPORAL_MV_0 + 16 && which & 1) ||
	       (which >= IGEN_AVP_LINES && which <= IGEN_AVP_LINES_END && which % 3 == IGEN_AVP_LINES % 3) ||
	       (which >= IGEN_AVP_COLUMNS && which <= IGEN_AVP_COLUMNS_END && which % 3 == IGEN_AVP_COLUMNS % 3);
}

static inline bool igen_avp_surface_check(struct igen_batch *b, const struct igen_avp_surface *s)
{
	__u64 address;

	return igen_batch_expect(b, s->pitch && !(s->pitch % 128) && !(s->chroma % 8), -EINVAL,
				 "a picture's pitch is a multiple of 128, chroma's row of 8") &&
	       igen_batch_expect(b, s->pitch <= 131072 && s->chroma && s->chroma < 32768, -ERANGE,
				 "a picture's pitch or chroma's row that is too large, or no chroma") &&
	       /* Chroma has half as many rows. */
	       igen_batch_locate(b, s->at, (__u64)s->chroma * s->pitch / 2 * 3, 4096, &address);
}

static inline bool igen_avp_check(struct igen_batch *b, const struct igen_avp_frame *f)
{
	__u64 address;
	__u32 i, k;

	if (!igen_batch_is_for(b, 1u << IGEN_BATCH_VIDEO, 12, "AV1 decoding is for a video engine") ||
	    !igen_batch_expect(b, f->picture && f->segments && f->filter && f->tiles, -EINVAL,
			       "a frame has picture, segments, filter and tiles") ||
	    !igen_batch_expect(b, f->num_segments && f->num_segments <= 8, -ERANGE, "one to eight segments") ||
	    !igen_batch_expect(b, f->format == IGEN_AVP_NV12 || f->format == IGEN_AVP_P010, -EINVAL,
			       "pictures are NV12 or P010") ||
	    !igen_batch_expect(b, f->tile_columns && f->tile_columns <= 64 && f->tile_rows && f->tile_rows <= 64,
			       -ERANGE, "one to 64 tiles each way") ||
	    !igen_batch_expect(b, f->has_reference < 256, -EINVAL, "eight references") ||
	    !igen_batch_expect(b, !f->inter == !f->has_reference, -EINVAL,
			       "references and order hints come together") ||
	    !igen_batch_expect(b, f->bitstream.size, -EINVAL, "the bitstream's size must be known") ||
	    !igen_batch_locate(b, f->bitstream, 0, 4096, &address) || !igen_avp_surface_check(b, &f->output) ||
	    (f->intrabc && !igen_avp_surface_check(b, f->intrabc)))
		return false;
	for (i = 0; i < 8; i++)
		if (f->has_reference >> i & 1 && !igen_avp_surface_check(b, &f->references[i]))
			return false;
	if (!igen_batch_expect(b, f->num_buffers < 64, -ERANGE, "more buffers than there are"))
		return false;
	for (i = 0; i < f->num_buffers; i++) {
		if (!igen_batch_expect(b, igen_avp_buffer_is(f->buffers[i].which), -EINVAL, "no such buffer") ||
		    !igen_batch_locate(b, f->buffers[i].at, 64, 64, &address))
			return false;
		for (k = 0; k < i; k++)
			if (!igen_batch_expect(b, f->buffers[k].which != f->buffers[i].which, -EINVAL,
					       "a buffer that is given twice"))
				return false;
	}
	for (i = 0; i < f->tile_columns * f->tile_rows; i++) {
		const struct igen_avp_tile *t = &f->tiles[i];

		if (!igen_batch_expect(b, t->width && t->height && t->bytes, -EINVAL, "an empty tile") ||
		    !igen_batch_expect(b, f->bitstream.offset + t->offset + t->bytes <= f->bitstream.size, -ERANGE,
				       "a tile's bits that are not in the bitstream"))
			return false;
	}
	return true;
}

static inline void igen_avp_surface_emit(struct igen_batch *b, const struct igen_avp_frame *f,
					 const struct igen_avp_surface *s, __u32 id)
{
	igen_batch_emit(b, gen12_avp_surface_state, .surface_pitch_minus1 = s->pitch - 1, .surface_id = id,
			.y_offset_for_u_cb_in_pixel = s->chroma, .surface_format = f->format);
}

/* Puts an address into AVP_PIPE_BUF_ADDR_STATE, and says so when it is in the batch. */
static inline void igen_avp_address(struct igen_batch *b, __u32 dword, struct igen_address a, bool done, bool write)
{
	__u64 address = igen_batch_address(b, a, 0, 64);

	if (done) {
		igen_batch_refer(b, dword, a, write);
		return;
	}
	b->command[dword] = (__u32)address;
	b->command[dword + 1] = address >> 32;
}

static inline void igen_avp_addresses(struct igen_batch *b, const struct igen_avp_frame *f)
{
	struct gen12_avp_pipe_buf_addr_state zero = {
		.reference_frame_buffer_base_address_attributes.mocs = f->mocs,
		.decoded_output_frame_buffer_address_attributes.mocs = f->mocs,
		.intrabc_decoded_output_frame_buffer_address_attributes.mocs = f->mocs,
	};
	int n = gen12_avp_pipe_buf_addr_state_pack(b->command, IGEN_BATCH_COMMAND, &zero);
	__u32 i, done;

	/* Twice: the records want the command in the batch. */
	for (done = 0; done < 2 && n > 0; done++) {
		for (i = 0; i < 8; i++)
			if (f->has_reference >> i & 1)
				igen_avp_address(b, 1 + i * 2, f->references[i].at, done, false);
		igen_avp_address(b, 18, f->output.at, done, true);
		if (f->intrabc)
			igen_avp_address(b, 24, f->intrabc->at, done, true);
		for (i = 0; i < f->num_buffers; i++) {
			__u32 which = f->buffers[i].which;

			igen_avp_address(b, which, f->buffers[i].at, done, which != IGEN_AVP_CDF_IN &&
					 which != IGEN_AVP_SEGMENT_IDS_IN &&
					 (which < IGEN_AVP_TEMPORAL_MV_0 || which > IGEN_AVP_TEMPORAL_MV_0 + 15));
		}
		if (!done)
			igen_batch_commit(b, n);
	}
	if (n < 0)
		igen_batch_commit(b, n);
}

/* All that one tile needs. */
static inline void igen_avp_tile_emit(struct igen_batch *b, const struct igen_avp_frame *f, __u32 index)
{
	__u32 column = index % f->tile_columns, row = index / f->tile_columns, i;
	bool last = index == f->tile_columns * f->tile_rows - 1;
	const struct igen_avp_tile *t = &f->tiles[index];
	struct igen_address end = f->bitstream;

	igen_batch_emit(b, gen12_avp_vd_control_state, .vd_control_state_body = IGEN_AVP_INIT);
	igen_batch_emit(b, gen12_mfx_wait, .mfx_sync_control_flag = 1);
	/* Decode, AV1. */
	igen_batch_emit(b, gen12_avp_pipe_mode_select, .codec_standard_select = 2);
	igen_batch_emit(b, gen12_mfx_wait, .mfx_sync_control_flag = 1);
	igen_avp_surface_emit(b, f, &f->output, 0);
	for (i = 0; i < 8; i++)
		if (f->has_reference >> i & 1)
			igen_avp_surface_emit(b, f, &f->references[i], 6 + i);
	if (f->intrabc)
		igen_avp_surface_emit(b, f, f->intrabc, 14);
	igen_avp_addresses(b, f);
	/* The bound is the end of the object's last page. */
	end.offset = (f->bitstream.size + 4095) & ~4095ull;
	end.size = 0;
	igen_batch_emit(b, gen12_avp_ind_obj_base_addr_state,
			.avp_indirect_bitstream_object_base_address = igen_batch_address(b, f->bitstream, 0, 4096),
			.avp_indirect_bitstream_object_memory_address_attributes.mocs = f->mocs,
			.avp_indirect_bitstream_object_access_upper_bound = igen_batch_address(b, end, 0, 4096));
	igen_batch_refer(b, 1, f->bitstream, false);
	igen_batch_refer(b, 4, end, false);
	igen_batch_commit(b, gen12_avp_pic_state_pack(b->command, IGEN_BATCH_COMMAND, f->picture));
	if (f->inter)
		igen_batch_commit(b, gen12_avp_inter_pred_state_pack(b->command, IGEN_BATCH_COMMAND, f->inter));
	for (i = 0; i < f->num_segments; i++)
		igen_batch_commit(b, gen12_avp_segment_state_pack(b->command, IGEN_BATCH_COMMAND, &f->segments[i]));
	igen_batch_commit(b, gen12_avp_inloop_filter_state_pack(b->command, IGEN_BATCH_COMMAND, f->filter));
	igen_batch_emit(b, gen12_avp_tile_coding, .frame_tile_id = index, .tg_tile_num = index,
			.tile_column_position_in_sb_unit = t->column, .tile_row_position_in_sb_unit = t->row,
			.tile_width_in_superblock_unit_minus1 = t->width - 1,
			.tile_height_in_superblock_unit_minus1 = t->height - 1,
			.islasttileofcolumn_flag = row == f->tile_rows - 1,
			.islasttileofrow_flag = column == f->tile_columns - 1,
			.isstarttileoftilegroup_flag = !index, .isendtileoftilegroup_flag = last,
			.islasttileofframe_flag = last, .disable_cdf_update_flag = f->disable_cdf_update,
			.disable_frame_context_update_flag = f->disable_context_update,
			.num_of_tile_columns_minus1_in_a_frame = f->tile_columns - 1,
			.num_of_tile_rows_minus1_in_a_frame = f->tile_rows - 1);
	igen_batch_emit(b, gen12_avp_bsd_object, .tile_indirect_bsd_data_length = t->bytes,
			.tile_indirect_data_start_address = t->offset);
}

/**
 * igen_avp_frame() - decode a frame
 * @b: the batch, for a video engine (-EINVAL) of generation 12 (-EOPNOTSUPP)
 * @f: the frame; -EINVAL or -ERANGE for what it cannot be, -ERANGE also for a value in its structs that does
 * not fit its field
 * @done: where to write @value when everything is in memory, as for igen_mi_flush(); NULL for no write
 * @value: eight bytes
 *
 * The tiles are one tile group.
 */
static inline void igen_avp_frame(struct igen_batch *b, const struct igen_avp_frame *f,
				  const struct igen_address *done, __u64 value)
{
	__u32 i;

	if (!igen_avp_check(b, f))
		return;
	for (i = 0; i < f->tile_columns * f->tile_rows; i++)
		igen_avp_tile_emit(b, f, i);
	igen_batch_emit(b, gen12_avp_vd_control_state, .vd_control_state_body = IGEN_AVP_FLUSH);
	igen_batch_emit(b, gen12_vd_pipeline_flush, .vd_command_message_parser_done = 1, .avp_pipeline_done = 1,
			.avp_pipeline_command_flush = 1);
	igen_mi_flush(b, 0, done, value);
}

#endif
