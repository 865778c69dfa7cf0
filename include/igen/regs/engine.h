/* SPDX-License-Identifier: MIT */
/**
 * DOC: Registers of a command streamer
 *
 * Every engine repeats this block from its own MMIO base (KBL Vol 3, "Graphics Register Address
 * Map" and the register state tables of each engine, which give the offsets of all that a context
 * saves). What the overview volume does not name is from the public Gen9 PRM, Vol 2c, "Command
 * Reference: Registers".
 */
#ifndef _IGEN_REGS_ENGINE_H_
#define _IGEN_REGS_ENGINE_H_

#include "defs.h"

/* MMIO bases on Gen9 (KBL Vol 3, register state tables). */
#define RCS0_BASE			0x002000
#define VCS0_BASE			0x012000
#define VECS0_BASE			0x01a000
#define VCS1_BASE			0x01c000
#define BCS0_BASE			0x022000
#define ENGINE_MMIO_SIZE		0x000800

#define RING_EXCC(base)			((base) + 0x28)		/* masked */

/* Ring buffer (KBL Vol 3, "Ring Buffer"). */
#define RING_TAIL(base)			((base) + 0x30)
#define   RING_TAIL_MASK		  IGEN_MASK(20, 3)
#define RING_HEAD(base)			((base) + 0x34)
#define   RING_HEAD_MASK		  IGEN_MASK(20, 2)
#define   RING_HEAD_WRAP_MASK		  IGEN_MASK(31, 21)
#define RING_START(base)		((base) + 0x38)
#define   RING_START_MASK		  IGEN_MASK(31, 12)
#define RING_CTL(base)			((base) + 0x3c)
#define   RING_CTL_LENGTH_MASK		  IGEN_MASK(20, 12)	/* pages - 1 */
#define   RING_CTL_WAIT			  IGEN_BIT(11)		/* for an event; read-only */
#define   RING_CTL_WAIT_SEMAPHORE	  IGEN_BIT(10)		/* read-only */
#define   RING_CTL_VALID		  IGEN_BIT(0)

#define RING_SYNC_0(base)		((base) + 0x40)
#define RING_RC_PSMI_CONTROL(base)	((base) + 0x50)		/* masked */
#define RING_MAX_IDLE(base)		((base) + 0x54)
#define RING_CTX_WA_PTR(base)		((base) + 0x58)
#define RING_ACTHD_UDW(base)		((base) + 0x5c)
#define RING_DMA_FADD_UDW(base)		((base) + 0x60)
#define RING_IPEIR(base)		((base) + 0x64)
#define RING_IPEHR(base)		((base) + 0x68)
#define RING_INSTDONE(base)		((base) + 0x6c)
#define RING_INSTPS(base)		((base) + 0x70)
#define RING_ACTHD(base)		((base) + 0x74)
#define RING_DMA_FADD(base)		((base) + 0x78)
#define RING_HWS_PGA(base)		((base) + 0x80)
#define   HWS_PGA_MASK			  IGEN_MASK(31, 12)
#define RING_NOPID(base)		((base) + 0x94)
#define RING_HWSTAM(base)		((base) + 0x98)
#define RING_MI_MODE(base)		((base) + 0x9c)		/* masked */
#define   MI_MODE_ASYNC_FLIP_PERF	  IGEN_BIT(14)
#define   MI_MODE_IDLE			  IGEN_BIT(9)		/* read only */
#define   MI_MODE_STOP_RING		  IGEN_BIT(8)
#define RING_IMR(base)			((base) + 0xa8)
#define RING_EIR(base)			((base) + 0xb0)
#define   EIR_INSTRUCTION_ERROR		  IGEN_BIT(0)
#define   EIR_PRIVILEGE_VIOLATION	  IGEN_BIT(2)
#define   EIR_PAGE_TABLE_ERROR		  IGEN_BIT(4)
#define RING_EMR(base)			((base) + 0xb4)
#define RING_ESR(base)			((base) + 0xb8)
#define RING_INSTPM(base)		((base) + 0xc0)		/* masked */
#define RING_CMD_CCTL(base)		((base) + 0xc4)		/* masked */
#define RING_WAIT_FOR_RC6_EXIT(base)	((base) + 0xcc)		/* masked */
#define RING_RESET_CTL(base)		((base) + 0xd0)		/* masked */
#define   RESET_CTL_CAT_ERROR		  IGEN_BIT(2)
#define   RESET_CTL_READY_TO_RESET	  IGEN_BIT(1)		/* read only */
#define   RESET_CTL_REQUEST_RESET	  IGEN_BIT(0)
#define RING_CSFE_CHICKEN1(base)	((base) + 0xd4)		/* masked */
#define RING_FBC_RT_BASE(base)		((base) + 0xe0)

/* Batch buffers (KBL Vol 3, "Ring Context"). */
#define RING_BB_HEAD_L(base)		((base) + 0x140)
#define   BB_HEAD_VALID			  IGEN_BIT(0)
#define RING_BB_HEAD_U(base)		((base) + 0x168)
#define RING_BB_STATE(base)		((base) + 0x110)
#define   BB_STATE_PPGTT		  IGEN_BIT(5)
#define RING_SBB_HEAD_L(base)		((base) + 0x114)
#define RING_SBB_STATE(base)		((base) + 0x118)
#define RING_SBB_HEAD_U(base)		((base) + 0x11c)
#define RING_UHPTR(base)		((base) + 0x134)
#define   UHPTR_VALID			  IGEN_BIT(0)
#define RING_BB_PREEMPT_ADDR_U(base)	((base) + 0x16c)
#define RING_BB_PREEMPT_ADDR(base)	((base) + 0x148)
#define RING_HEAD_PREEMPT(base)		((base) + 0x14c)
#define RING_SBB_PREEMPT_ADDR(base)	((base) + 0x13c)
#define RING_SBB_PREEMPT_ADDR_U(base)	((base) + 0x138)
#define RING_BB_START_ADDR(base)	((base) + 0x150)
#define RING_BB_START_ADDR_U(base)	((base) + 0x170)
#define RING_BB_ADDR_DIFF(base)		((base) + 0x154)
#define RING_BB_OFFSET(base)		((base) + 0x158)
#define RING_PR_CTR_CTL(base)		((base) + 0x178)
#define RING_PR_CTR_THRSH(base)		((base) + 0x17c)

/* Contexts and execlists (KBL Vol 3, "EXECLIST CONTEXT"). */
#define RING_CCID(base)			((base) + 0x180)
#define RING_BB_PER_CTX_PTR(base)	((base) + 0x1c0)
#define   BB_PER_CTX_VALID		  IGEN_BIT(0)
#define RING_INDIRECT_CTX(base)		((base) + 0x1c4)
#define   INDIRECT_CTX_SIZE_MASK	  IGEN_MASK(5, 0)	/* cache lines */
#define RING_INDIRECT_CTX_OFFSET(base)	((base) + 0x1c8)
#define   INDIRECT_CTX_OFFSET_MASK	  IGEN_MASK(15, 6)
#define RING_PREEMPT_DLY(base)		((base) + 0x214)
#define RING_ELSP(base)			((base) + 0x230)
#define RING_EXECLIST_STATUS_LO(base)	((base) + 0x234)
#define   EXECLIST_STATUS_ACTIVE_MASK	  IGEN_MASK(15, 14)	/* an element is active */
#define   EXECLIST_STATUS_0_VALID	  IGEN_BIT(3)
#define   EXECLIST_STATUS_1_VALID	  IGEN_BIT(4)
#define   EXECLIST_STATUS_QUEUE_FULL	  IGEN_BIT(2)		/* a list waits */
#define   EXECLIST_STATUS_WRITE_PTR	  IGEN_BIT(1)		/* the list written next */
#define   EXECLIST_STATUS_CURRENT_PTR	  IGEN_BIT(0)
#define RING_EXECLIST_STATUS_HI(base)	((base) + 0x238)	/* context ID of what runs */
#define RING_IDLEDELAY(base)		((base) + 0x23c)
#define RING_CTX_CTL(base)		((base) + 0x244)	/* masked */
#define   CTX_CTL_INHIBIT_SYN_CTX_SWITCH  IGEN_BIT(3)
#define   CTX_CTL_SAVE_INHIBIT		  IGEN_BIT(2)
#define   CTX_CTL_RS_ENABLE		  IGEN_BIT(1)
#define   CTX_CTL_RESTORE_INHIBIT	  IGEN_BIT(0)
#define RING_SEMA_WAIT_POLL(base)	((base) + 0x24c)
#define RING_PDP_LDW(base, n)		((base) + 0x270 + (n) * 8)
#define RING_PDP_UDW(base, n)		((base) + 0x274 + (n) * 8)
#define RING_MODE(base)			((base) + 0x29c)	/* masked */
#define   GFX_MODE_EXECLIST_ENABLE	  IGEN_BIT(15)
#define   GFX_MODE_REPLAY_MODE		  IGEN_BIT(11)
#define   GFX_MODE_PPGTT_ENABLE		  IGEN_BIT(9)
#define RING_SYNC_FLIP_STATUS(base)	((base) + 0x2d0)
#define RING_SYNC_FLIP_STATUS_1(base)	((base) + 0x2d4)
#define RING_DISPLAY_FORWARD_STATUS(base) ((base) + 0x2e8)
#define RING_SYNC_FLIP_STATUS_2(base)	((base) + 0x2ec)
#define RING_TIMESTAMP(base)		((base) + 0x358)
#define RING_TIMESTAMP_UDW(base)	((base) + 0x35c)
#define RING_CTX_STATUS_BUF_LO(base, n)	((base) + 0x370 + (n) * 8)
#define   CSB_IDLE_TO_ACTIVE		  IGEN_BIT(0)
#define   CSB_PREEMPTED			  IGEN_BIT(1)
#define   CSB_ELEMENT_SWITCH		  IGEN_BIT(2)
#define   CSB_ACTIVE_TO_IDLE		  IGEN_BIT(3)
#define   CSB_CONTEXT_COMPLETE		  IGEN_BIT(4)
#define   CSB_WAIT_ON_SYNC_FLIP		  IGEN_BIT(5)
#define   CSB_WAIT_ON_VBLANK		  IGEN_BIT(6)
#define   CSB_WAIT_ON_SEMAPHORE		  IGEN_BIT(7)
#define   CSB_WAIT_ON_SCANLINE		  IGEN_BIT(8)
#define   CSB_LITE_RESTORE		  IGEN_BIT(15)
#define   CSB_RESERVED_MASK		  IGEN_MASK(31, 16)
#define RING_CTX_STATUS_BUF_HI(base, n)	((base) + 0x374 + (n) * 8)	/* context ID */
#define RING_CTX_STATUS_PTR(base)	((base) + 0x3a0)	/* read pointer is masked */
#define   CTX_STATUS_PTR_READ_MASK	  IGEN_MASK(10, 8)
#define   CTX_STATUS_PTR_WRITE_MASK	  IGEN_MASK(2, 0)
#define GEN9_CSB_ENTRIES		6
#define GEN9_CSB_RESET_PTR		5
#define RING_CTX_TIMESTAMP(base)	((base) + 0x3a8)
#define RING_PREEMPTION_HINT(base)	((base) + 0x4bc)
#define RING_PREEMPTION_HINT_U(base)	((base) + 0x4c8)
#define RING_CTXID_PREEMPTION_HINT(base) ((base) + 0x4cc)
#define RING_FORCE_TO_NONPRIV(base, n)	((base) + 0x4d0 + (n) * 4)
#define   FORCE_TO_NONPRIV_MAX		  12
#define   FORCE_TO_NONPRIV_ADDR_MASK	  IGEN_MASK(25, 2)
#define RING_GPR(base, n)		((base) + 0x600 + (n) * 8)	/* 16 of 64 bits */
#define   RING_GPR_MAX			  16

/* MI_PREDICATE (public Gen9 PRM Vol 2c; only the render engine's base is named there). */
#define RING_PREDICATE_SRC0(base)	((base) + 0x400)
#define RING_PREDICATE_SRC1(base)	((base) + 0x408)
#define RING_PREDICATE_DATA(base)	((base) + 0x410)
#define RING_PREDICATE_RESULT(base)	((base) + 0x418)
#define RING_PREDICATE_RESULT_1(base)	((base) + 0x41c)
#define RING_PREDICATE_RESULT_2(base)	((base) + 0x3bc)

/* Blitter only: tiling that the XY commands do not carry themselves (masked). */
#define BCS_SWCTRL			0x022200
#define   BCS_SWCTRL_SRC_Y		  IGEN_BIT(0)
#define   BCS_SWCTRL_DST_Y		  IGEN_BIT(1)

/*
 * Render only: statistics, indirect draw and dispatch, stream out (public Gen9 PRM Vol 2c). Two
 * dwords each unless said otherwise; the pipeline statistics of slices 0 to 2 have registers of
 * their own.
 */
#define PGTBL_ER			0x002024
#define GPGPU_THREADS_DISPATCHED	0x002290
#define PS_INVOCATION_COUNT_SLICE0	0x0022c8
#define PS_DEPTH_COUNT_SLICE0		0x0022d8
#define PS_INVOCATION_COUNT_SLICE1	0x0022f0
#define PS_DEPTH_COUNT_SLICE1		0x0022f8
#define PS_INVOCATION_COUNT_SLICE2	0x002448
#define PS_DEPTH_COUNT_SLICE2		0x002450
#define HS_INVOCATION_COUNT		0x002300
#define DS_INVOCATION_COUNT		0x002308
#define IA_VERTICES_COUNT		0x002310
#define IA_PRIMITIVES_COUNT		0x002318
#define VS_INVOCATION_COUNT		0x002320
#define GS_INVOCATION_COUNT		0x002328
#define GS_PRIMITIVES_COUNT		0x002330
#define CL_INVOCATION_COUNT		0x002338
#define CL_PRIMITIVES_COUNT		0x002340
#define PS_INVOCATION_COUNT		0x002348
#define PS_DEPTH_COUNT			0x002350
#define OACTXCONTROL			0x002360		/* one dword */
#define OACTXID				0x002364		/* one dword */
#define PRIM3D_END_OFFSET		0x002420		/* one dword each */
#define PRIM3D_START_VERTEX		0x002430
#define PRIM3D_VERTEX_COUNT		0x002434
#define PRIM3D_INSTANCE_COUNT		0x002438
#define PRIM3D_START_INSTANCE		0x00243c
#define PRIM3D_BASE_VERTEX		0x002440
#define GPGPU_DISPATCHDIMX		0x002500		/* one dword each */
#define GPGPU_DISPATCHDIMY		0x002504
#define GPGPU_DISPATCHDIMZ		0x002508
#define CTX_PREEMPT_REG			0x002248		/* one dword */
#define CS_CHICKEN1			0x002580		/* masked */
#define SO_NUM_PRIMS_WRITTEN(n)		(0x005200 + (n) * 8)	/* 4 */
#define SO_PRIM_STORAGE_NEEDED(n)	(0x005240 + (n) * 8)	/* 4 */
#define SO_WRITE_OFFSET(n)		(0x005280 + (n) * 4)	/* 4 of one dword */
#define CACHE_MODE_0			0x007000		/* masked */
#define CACHE_MODE_1			0x007004		/* masked */
#define GT_MODE				0x007008		/* masked */
#define COMMON_SLICE_CHICKEN2		0x007014		/* masked */
#define L3CNTLREG			0x007034
#define HDC_CHICKEN1			0x007304		/* masked */
#define TD_CTL				0x00e400
#define TD_CTL2				0x00e404

/*
 * The hardware status page, in dwords (public Gen9 PRM Vol 2c, HWS_PGA; KBL Vol 3, "Hardware Status
 * Page").
 */
#define HWSP_CSB_DW			0x10
#define HWSP_CSB_WRITE_PTR_DW		0x1f
#define HWSP_DRIVER_DW			0x30			/* from here on the driver's own */
#define HWSP_HEAD_DW			0x04			/* MI_REPORT_HEAD */

/* Timestamps in the PPHWSP, in dwords (public Gen8 PRM Vol 2d, "PPHWSP_LAYOUT"). */
#define PPHWSP_SAVE_FINISHED_DW		0x10
#define PPHWSP_RESTORE_FINISHED_DW	0x11
#define PPHWSP_PREEMPT_REQUEST_DW	0x12
#define PPHWSP_LAST_SWITCH_DW		0x13

/*
 * Context descriptor, what is written to the ELSP (public Gen9 PRM Vol 2d, "Context Descriptor
 * Format"). ELSP takes element 1 high, element 1 low, element 0 high, element 0 low.
 */
#define CTX_DESC_VALID			IGEN_BIT64(0)
#define CTX_DESC_FORCE_PD_RESTORE	IGEN_BIT64(1)
#define CTX_DESC_FORCE_RESTORE		IGEN_BIT64(2)
#define CTX_DESC_ADDRESSING_MASK	IGEN_MASK64(4, 3)
#define   CTX_DESC_LEGACY_48B		  3ull
#define   CTX_DESC_LEGACY_32B		  1ull
#define CTX_DESC_L3LLC_COHERENT		IGEN_BIT64(5)
#define CTX_DESC_FAULT_MASK		IGEN_MASK64(7, 6)
#define CTX_DESC_PRIVILEGE		IGEN_BIT64(8)		/* ring's batches may use the PPGTT */
#define CTX_DESC_LRCA_MASK		IGEN_MASK64(31, 12)
#define CTX_DESC_ID_MASK		IGEN_MASK64(63, 32)
#define   CTX_DESC_SW_ID_MASK		  IGEN_MASK64(52, 32)

#endif
