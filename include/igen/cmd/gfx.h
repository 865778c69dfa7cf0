/* SPDX-License-Identifier: MIT */
/*
 * DOC: GFXPIPE commands that the driver and the model handle by name (Gen9)
 *
 * Bits 31:29 are 3, 28:27 the sub-type, 26:24 the opcode, 23:16 the sub-opcode; the low byte is the length
 * in dwords less two (DG1 Vol 2a, "PIPE_CONTROL", for the fields that Gen9 shares; public Gen9 PRM Vol 2a).
 */
#ifndef _IGEN_CMD_GFX_H_
#define _IGEN_CMD_GFX_H_

#include "../regs/defs.h"

#define GFX_INSTR(sub, op, subop, len)	((3u << 29) | ((sub) << 27) | ((op) << 24) | ((subop) << 16) | (len))

/* At whose boundaries the render engine can be preempted. */
#define MEDIA_OBJECT			GFX_INSTR(2u, 1u, 0u, 0u)
#define MEDIA_OBJECT_WALKER		GFX_INSTR(2u, 1u, 3u, 0u)
#define GPGPU_WALKER			GFX_INSTR(2u, 1u, 5u, 0u)
#define PRIMITIVE_3D			GFX_INSTR(3u, 3u, 0u, 0u)	/* 3DPRIMITIVE */

#define PIPE_CONTROL			GFX_INSTR(3u, 2u, 0u, 4u)	/* 6 dwords */
/* Dword 1. */
#define   PIPE_CONTROL_LRI_POST_SYNC	  IGEN_BIT(23)
#define   PIPE_CONTROL_GGTT		  IGEN_BIT(24)
#define   PIPE_CONTROL_FLUSH_L3		  IGEN_BIT(27)
#define   PIPE_CONTROL_STORE_INDEX	  IGEN_BIT(21)
#define   PIPE_CONTROL_CS_STALL		  IGEN_BIT(20)
#define   PIPE_CONTROL_TLB_INVALIDATE	  IGEN_BIT(18)
#define   PIPE_CONTROL_MEDIA_STATE_CLEAR  IGEN_BIT(16)
#define   PIPE_CONTROL_POST_SYNC_MASK	  IGEN_MASK(15, 14)
#define   PIPE_CONTROL_WRITE_QW		  IGEN_PREP(PIPE_CONTROL_POST_SYNC_MASK, 1u)
#define   PIPE_CONTROL_WRITE_PS_DEPTH	  IGEN_PREP(PIPE_CONTROL_POST_SYNC_MASK, 2u)
#define   PIPE_CONTROL_WRITE_TIMESTAMP	  IGEN_PREP(PIPE_CONTROL_POST_SYNC_MASK, 3u)
#define   PIPE_CONTROL_DEPTH_STALL	  IGEN_BIT(13)
#define   PIPE_CONTROL_RT_FLUSH		  IGEN_BIT(12)
#define   PIPE_CONTROL_INSTRUCTION_INVALIDATE IGEN_BIT(11)
#define   PIPE_CONTROL_TEXTURE_INVALIDATE IGEN_BIT(10)
#define   PIPE_CONTROL_INDIRECT_STATE_DISABLE IGEN_BIT(9)
#define   PIPE_CONTROL_NOTIFY		  IGEN_BIT(8)
#define   PIPE_CONTROL_FLUSH_ENABLE	  IGEN_BIT(7)
#define   PIPE_CONTROL_DC_FLUSH		  IGEN_BIT(5)
#define   PIPE_CONTROL_VF_INVALIDATE	  IGEN_BIT(4)
#define   PIPE_CONTROL_CONST_INVALIDATE	  IGEN_BIT(3)
#define   PIPE_CONTROL_STATE_INVALIDATE	  IGEN_BIT(2)
#define   PIPE_CONTROL_SCOREBOARD_STALL	  IGEN_BIT(1)
#define   PIPE_CONTROL_DEPTH_FLUSH	  IGEN_BIT(0)

#endif
