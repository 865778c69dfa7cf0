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
#define BLT_OP_COLOR			0x40
#define BLT_OP_XY_FAST_COPY		0x42
#define BLT_OP_SRC_COPY			0x43
#define BLT_OP_XY_COLOR			0x50
#define BLT_OP_XY_PAT			0x51
#define BLT_OP_XY_MONO_PAT		0x52
#define BLT_OP_XY_SRC_COPY		0x53
#define BLT_OP_XY_MONO_SRC_COPY		0x54
#define BLT_OP_XY_FULL			0x55
#define BLT_OP_XY_FULL_MONO_SRC		0x56
#define BLT_OP_XY_FULL_MONO_PATTERN	0x57
#define BLT_OP_XY_FULL_MONO_BOTH	0x58
#define BLT_OP_XY_MONO_PAT_FIXED	0x59
#define BLT_OP_XY_MONO_SRC_COPY_IMM	0x71
#define BLT_OP_XY_PAT_IMM		0x72
#define BLT_OP_XY_SRC_COPY_CHROMA	0x73
#define BLT_OP_XY_FULL_IMM_PATTERN	0x74
#define BLT_OP_XY_FULL_MONO_SRC_IMM_PAT	0x75
#define BLT_OP_XY_PAT_CHROMA		0x76
#define BLT_OP_XY_PAT_CHROMA_IMM	0x77

#define BLT_OPCODE_GET(header)		IGEN_GET(BLT_OPCODE_MASK, header)
#define BLT_LENGTH_MASK			IGEN_MASK(7, 0)

/* Setup for XY_PIXEL, XY_SCANLINES and XY_TEXT, which take the rest from it. */
#define XY_SETUP_BLT			BLT_INSTR(BLT_OP_XY_SETUP, 8u)		/* 10 dwords */
#define XY_SETUP_CLIP_BLT		BLT_INSTR(BLT_OP_XY_SETUP_CLIP, 1u)	/* 3 dwords */
#define XY_SETUP_MONO_PATTERN_SL_BLT	BLT_INSTR(BLT_OP_XY_SETUP_MONO_PATTERN, 8u)	/* 10 dwords */
#define XY_PIXEL_BLT			BLT_INSTR(BLT_OP_XY_PIXEL, 0u)		/* 2 dwords */
#define XY_SCANLINES_BLT		BLT_INSTR(BLT_OP_XY_SCANLINES, 1u)	/* 3 dwords */
#define XY_TEXT_BLT			BLT_INSTR(BLT_OP_XY_TEXT, 3u)		/* 5 dwords */
#define XY_TEXT_IMMEDIATE_BLT(n)	BLT_INSTR(BLT_OP_XY_TEXT_IMMEDIATE, 1u + (n))	/* n dwords of data */
#define   XY_TEXT_BYTE_PACKED		  IGEN_BIT(16)
#define XY_PAT_BLT			BLT_INSTR(BLT_OP_XY_PAT, 6u)		/* 8 dwords */
#define XY_MONO_PAT_BLT			BLT_INSTR(BLT_OP_XY_MONO_PAT, 8u)	/* 10 dwords */
#define   XY_PATTERN_X_SEED_MASK	  IGEN_MASK(14, 12)
#define   XY_PATTERN_Y_SEED_MASK	  IGEN_MASK(10, 8)
#define XY_MONO_SRC_COPY_BLT		BLT_INSTR(BLT_OP_XY_MONO_SRC_COPY, 8u)	/* 10 dwords */
#define   XY_MONO_BIT_POSITION_MASK	  IGEN_MASK(19, 17)
/* A coordinate dword: y in the high half, x in the low one, both signed. */
#define XY_COORD(x, y)			(((uint32_t)(y) << 16) | ((uint32_t)(x) & 0xffffu))

#define XY_COLOR_BLT			BLT_INSTR(BLT_OP_XY_COLOR, 5u)		/* 7 dwords */
#define XY_SRC_COPY_BLT			BLT_INSTR(BLT_OP_XY_SRC_COPY, 8u)	/* 10 dwords */
#define   XY_WRITE_ALPHA		  IGEN_BIT(21)
#define   XY_WRITE_RGB			  IGEN_BIT(20)
#define   XY_SRC_TILED			  IGEN_BIT(15)
#define   XY_DST_TILED			  IGEN_BIT(11)
/* Dword 1 of both, and of the setup commands. */
#define   XY_SOLID_PATTERN		  IGEN_BIT(31)
#define   XY_CLIP_ENABLE		  IGEN_BIT(30)
#define   XY_SRC_TRANSPARENT		  IGEN_BIT(29)
#define   XY_PATTERN_TRANSPARENT	  IGEN_BIT(28)
#define   XY_DEPTH_MASK			  IGEN_MASK(25, 24)
#define   XY_DEPTH_8			  IGEN_PREP(XY_DEPTH_MASK, 0u)
#define   XY_DEPTH_565			  IGEN_PREP(XY_DEPTH_MASK, 1u)
#define   XY_DEPTH_1555			  IGEN_PREP(XY_DEPTH_MASK, 2u)
#define   XY_DEPTH_32			  IGEN_PREP(XY_DEPTH_MASK, 3u)
#define   XY_ROP_MASK			  IGEN_MASK(23, 16)
#define     BLT_ROP_PATCOPY		    0xf0u
#define     BLT_ROP_DST			    0xaau
#define     BLT_ROP_SRCCOPY		    0xccu
#define   XY_PITCH_MASK			  IGEN_MASK(15, 0)	/* bytes; dwords when tiled */

#define XY_FAST_COPY_BLT		BLT_INSTR(BLT_OP_XY_FAST_COPY, 8u)	/* 10 dwords */
#define   FAST_COPY_SRC_TILING_MASK	  IGEN_MASK(21, 20)
#define   FAST_COPY_DST_TILING_MASK	  IGEN_MASK(14, 13)
#define   FAST_COPY_LINEAR		  0u
#define   FAST_COPY_TILE_X		  1u
#define   FAST_COPY_TILE_Y		  2u			/* Yf when dword 1 says so */
#define   FAST_COPY_TILE_YS		  3u
/* Dword 1. */
#define   FAST_COPY_SRC_YF		  IGEN_BIT(31)
#define   FAST_COPY_DST_YF		  IGEN_BIT(30)
#define   FAST_COPY_DEPTH_MASK		  IGEN_MASK(26, 24)	/* 8, 16, -, 32, 64, 128 bits */

#endif
