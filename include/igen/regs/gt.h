/* SPDX-License-Identifier: MIT */
/**
 * DOC: Registers of the GT outside the engines: forcewake, reset, fuses, frequency and the pcode mailbox
 *
 * KBL Vol 3, "Graphics Register Address Map", gives the ranges; the registers are those of the public Gen9
 * PRM, Vol 2c, and what it lacks is as stock i915 programs it (each such line says so).
 */
#ifndef _IGEN_REGS_GT_H_
#define _IGEN_REGS_GT_H_

#include "defs.h"

/* Forcewake: masked requests and their acknowledgements, one pair a power domain. */
#define FORCEWAKE_RENDER		0x00a278
#define FORCEWAKE_ACK_RENDER		0x000d84
#define FORCEWAKE_MEDIA			0x00a270
#define FORCEWAKE_ACK_MEDIA		0x000d88
#define FORCEWAKE_GT			0x00a188
#define FORCEWAKE_ACK_GT		0x130044
#define   FORCEWAKE_KERNEL		  IGEN_BIT(0)
#define   FORCEWAKE_KERNEL_FALLBACK	  IGEN_BIT(15)

/* Graphics device reset: domains reset together, bits clear when done. */
#define GDRST				0x00941c
#define   GDRST_FULL			  IGEN_BIT(0)
#define   GDRST_RENDER			  IGEN_BIT(1)
#define   GDRST_MEDIA			  IGEN_BIT(2)
#define   GDRST_BLT			  IGEN_BIT(3)
#define   GDRST_VECS			  IGEN_BIT(4)
#define   GDRST_GUC			  IGEN_BIT(5)
#define   GDRST_MEDIA2			  IGEN_BIT(7)

/* Fuses: which slices, subslices and EUs are there (GT2: one slice, three subslices of eight EUs). */
#define FUSE2				0x009120
#define   FUSE2_SLICE_ENABLE_MASK	  IGEN_MASK(27, 25)
#define   FUSE2_SUBSLICE_DISABLE_MASK	  IGEN_MASK(23, 20)
#define EU_DISABLE(slice)		(0x009134 + (slice) * 4)	/* eight bits a subslice */
#define MIRROR_GMCH_CTL			0x108100
#define CTC_MODE			0x00a26c
#define   CTC_SOURCE_CRYSTAL		  IGEN_BIT(0)
#define   CTC_SHIFT_MASK		  IGEN_MASK(2, 1)
#define EDRAM_CAP			0x120010
#define MCR_SELECTOR			0x000fdc
#define   MCR_SLICE_MASK		  IGEN_MASK(27, 26)
#define   MCR_SUBSLICE_MASK		  IGEN_MASK(25, 24)

/* Pcode mailbox (as stock i915 uses it): write data, then the command with BUSY; BUSY clears when done. */
#define PCODE_MAILBOX			0x138124
#define   PCODE_READY			  IGEN_BIT(31)
#define   PCODE_ERROR_MASK		  IGEN_MASK(7, 0)
#define   PCODE_READ_MEM_LATENCY	  0x06
#define   PCODE_CDCLK_CONTROL		  0x07
#define   PCODE_WRITE_MIN_FREQ_TABLE	  0x08
#define   PCODE_READ_MIN_FREQ_TABLE	  0x09
#define   PCODE_DYNAMIC_DUTY_CYCLE	  0x1a
#define   PCODE_SAGV_CONTROL		  0x21
#define PCODE_DATA			0x138128
#define PCODE_DATA1			0x13812c

/* Frequency (ratios in 50/3 MHz on Gen9) and RC6. */
#define RP_STATE_CAP			0x145998
#define   RP_STATE_CAP_RP0_MASK		  IGEN_MASK(7, 0)	/* 50 MHz units on the way in */
#define   RP_STATE_CAP_RP1_MASK		  IGEN_MASK(15, 8)
#define   RP_STATE_CAP_RPN_MASK		  IGEN_MASK(23, 16)
#define RPNSWREQ			0x00a008
#define   RPNSWREQ_RATIO_MASK		  IGEN_MASK(31, 23)
#define RPSTAT1				0x00a01c
#define   RPSTAT1_RATIO_MASK		  IGEN_MASK(31, 23)
#define RC_VIDEO_FREQ			0x00a00c		/* as RPNSWREQ */
#define RP_CONTROL			0x00a024
#define   RP_CONTROL_MEDIA_TURBO	  IGEN_BIT(11)
#define   RP_CONTROL_MEDIA_HW_NORMAL	  IGEN_BIT(10)
#define   RP_CONTROL_MEDIA_IS_GFX	  IGEN_BIT(8)
#define   RP_CONTROL_ENABLE		  IGEN_BIT(7)
#define   RP_CONTROL_UP_BUSY_AVG	  IGEN_BIT(4)
#define   RP_CONTROL_DOWN_IDLE_AVG	  IGEN_BIT(1)
#define RP_IDLE_HYSTERESIS		0x00a070		/* times in units of 1.28 us */
#define RC_CONTROL			0x00a090
#define   RC_CONTROL_RC6_ENABLE		  IGEN_BIT(18)
#define RC_STATE			0x00a094
#define   RC_STATE_TARGET_MASK		  IGEN_MASK(18, 16)
#define   RC_STATE_TARGET_RC6		  4u
#define RC6_WAKE_RATE_LIMIT		0x00a09c
#define RC_EVALUATION_INTERVAL		0x00a0a8
#define RC_IDLE_HYSTERESIS		0x00a0ac
#define RC_SLEEP			0x00a0b0
#define RC6_THRESHOLD			0x00a0b8
#define MEDIA_PG_IDLE_HYSTERESIS	0x00a0c4
#define RENDER_PG_IDLE_HYSTERESIS	0x00a0c8
#define PMINTRMSK			0x00a168
#define   PMINTR_DISABLE_REDIRECT_TO_GUC  IGEN_BIT(31)
#define GT_PG_ENABLE			0x00a210
#define   GT_PG_MEDIA			  IGEN_BIT(1)
#define   GT_PG_RENDER			  IGEN_BIT(0)
#define RC6_CTX_INFO			0x008504		/* 0: what RC6 saved is corrupt, or has no place */
#define GUC_MAX_IDLE_COUNT		0x00c3e4
#define GT_GFX_RC6			0x138108		/* residency, in 1.28 us */

/* GuC: held in reset, the driver only asks so (as stock i915 reads it). */
#define GUC_STATUS			0x00c000
#define   GUC_STATUS_MIA_IN_RESET	  IGEN_BIT(0)

/* MOCS: one table an engine, and the L3 half of it (public Gen9 PRM Vol 2c). */
#define GFX_MOCS_RCS(n)			(0x00c800 + (n) * 4)
#define GFX_MOCS_VCS0(n)		(0x00c900 + (n) * 4)
#define GFX_MOCS_VCS1(n)		(0x00ca00 + (n) * 4)
#define GFX_MOCS_VECS(n)		(0x00cb00 + (n) * 4)
#define GFX_MOCS_BCS(n)			(0x00cc00 + (n) * 4)
#define   MOCS_ENTRIES			  64
#define LNCF_MOCS(n)			(0x00b020 + (n) * 4)	/* two entries a register */
#define   LNCF_MOCS_REGS		  32

#endif
