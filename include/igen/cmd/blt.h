/* SPDX-License-Identifier: MIT */
/*
 * DOC: Blitter commands (Gen9)
 *
 * Bits 31:29 are 2, 28:22 the opcode, the low byte the length in dwords less two (DG1 Vol 2a, "2D" chapters,
 * for the fields that Gen9 shares; public Gen9 PRM Vol 2a).
 */
#ifndef _IGEN_CMD_BLT_H_
#define _IGEN_CMD_BLT_H_

#include "../regs/defs.h"

#define BLT_OPCODE_MASK			IGEN_MASK(28, 22)
#define BLT_INSTR(opcode, len)		((2u << 29) | ((opcode) << 22) | (len))

#define BLT_OP_XY_SETUP			0x01
#define BLT_OP_XY_SETUP_CLIP		0x03
#define BLT_OP_XY_SETUP_MONO_PATTERN	0x11
#define BLT_OP_XY_PIXEL			0x24
#define BLT_OP_XY_SCANLINES		0x25
#define BLT_OP_XY_TEXT			0x26
#define BLT_OP_XY_TEXT_IMMEDIATE	0x31
#define BLT_OP_XY_FAST_COPY		0x42
#define BLT_OP_XY_COLOR			0x50
#define BLT_OP_XY_PAT			0x51
#define BLT_OP_XY_SRC_COPY		0x53

#define XY_COLOR_BLT			BLT_INSTR(BLT_OP_XY_COLOR, 5u)		/* 7 dwords */
#define XY_SRC_COPY_BLT			BLT_INSTR(BLT_OP_XY_SRC_COPY, 8u)	/* 10 dwords */
#define   XY_WRITE_ALPHA		  IGEN_BIT(21)
#define   XY_WRITE_RGB			  IGEN_BIT(20)
#define   XY_SRC_TILED			  IGEN_BIT(15)
#define   XY_DST_TILED			  IGEN_BIT(11)
/* Dword 1 of both. */
#define   XY_CLIP_ENABLE		  IGEN_BIT(30)
#define   XY_DEPTH_MASK			  IGEN_MASK(25, 24)
#define   XY_DEPTH_8			  IGEN_PREP(XY_DEPTH_MASK, 0u)
#define   XY_DEPTH_565			  IGEN_PREP(XY_DEPTH_MASK, 1u)
#define   XY_DEPTH_1555			  IGEN_PREP(XY_DEPTH_MASK, 2u)
#define   XY_DEPTH_32			  IGEN_PREP(XY_DEPTH_MASK, 3u)
#define   XY_ROP_MASK			  IGEN_MASK(23, 16)
#define     BLT_ROP_PATCOPY		    0xf0u
#define     BLT_ROP_SRCCOPY		    0xccu
#define   XY_PITCH_MASK			  IGEN_MASK(15, 0)	/* bytes; dwords when tiled */

#define XY_FAST_COPY_BLT		BLT_INSTR(BLT_OP_XY_FAST_COPY, 8u)	/* 10 dwords */
#define   FAST_COPY_SRC_TILING_MASK	  IGEN_MASK(21, 20)
#define   FAST_COPY_DST_TILING_MASK	  IGEN_MASK(14, 13)
#define   FAST_COPY_LINEAR		  0u
#define   FAST_COPY_TILE_X		  1u
#define   FAST_COPY_TILE_Y		  2u			/* Yf when dword 1 says so */
#define   FAST_COPY_TILE_YS		  3u

#endif
