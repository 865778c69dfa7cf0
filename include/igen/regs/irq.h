/* SPDX-License-Identifier: MIT */
/**
 * DOC: Interrupt registers of Gen8 to Gen10
 *
 * A master register names the groups with something pending and gates the MSI; each group has status (ISR),
 * mask (IMR), identity (IIR, sticky, write one to clear) and enable (IER). Two engines share a GT group, 16
 * bits each (public Gen9 PRM Vol 2c, "Interrupt Registers").
 */
#ifndef _IGEN_REGS_IRQ_H_
#define _IGEN_REGS_IRQ_H_

#include "defs.h"

#define MASTER_IRQ			0x044200
#define   MASTER_IRQ_ENABLE		  IGEN_BIT(31)
#define   MASTER_IRQ_PCU		  IGEN_BIT(30)
#define   MASTER_IRQ_PCH		  IGEN_BIT(23)
#define   MASTER_IRQ_MISC		  IGEN_BIT(22)
#define   MASTER_IRQ_PORT		  IGEN_BIT(20)
#define   MASTER_IRQ_PIPE(n)		  IGEN_BIT(16 + (n))
#define   MASTER_IRQ_VECS		  IGEN_BIT(6)
#define   MASTER_IRQ_PM			  IGEN_BIT(4)
#define   MASTER_IRQ_VCS1		  IGEN_BIT(3)
#define   MASTER_IRQ_VCS0		  IGEN_BIT(2)
#define   MASTER_IRQ_BCS		  IGEN_BIT(1)
#define   MASTER_IRQ_RCS		  IGEN_BIT(0)

/* GT groups: 0 render (low) and blitter (high), 1 video 0 and 1, 2 power management, 3 video enhancement. */
#define GT_ISR(n)			(0x044300 + (n) * 16)
#define GT_IMR(n)			(0x044304 + (n) * 16)
#define GT_IIR(n)			(0x044308 + (n) * 16)
#define GT_IER(n)			(0x04430c + (n) * 16)
#define   GT_IRQ_GROUPS			  4
#define   GT_IRQ_RCS_SHIFT		  0
#define   GT_IRQ_BCS_SHIFT		  16
#define   GT_IRQ_VCS0_SHIFT		  0
#define   GT_IRQ_VCS1_SHIFT		  16
#define   GT_IRQ_VECS_SHIFT		  0

/* An engine's sixteen bits. */
#define   GT_IRQ_USER			  IGEN_BIT(0)
#define   GT_IRQ_CS_ERROR		  IGEN_BIT(3)
#define   GT_IRQ_PIPE_CONTROL_NOTIFY	  IGEN_BIT(4)		/* on RCS; MI_FLUSH_DW notify elsewhere */
#define   GT_IRQ_CONTEXT_SWITCH		  IGEN_BIT(8)
#define   GT_IRQ_WAIT_SEMAPHORE		  IGEN_BIT(11)

#define PCU_ISR				0x0444e0
#define PCU_IMR				0x0444e4
#define PCU_IIR				0x0444e8
#define PCU_IER				0x0444ec

#endif
