/* SPDX-License-Identifier: MIT */
/**
 * DOC: PCI configuration registers of the graphics device that a driver reads
 *
 * Public Gen9 PRM Vol 2c and the processor datasheet, volume 2 ("Processor Graphics Registers").
 */
#ifndef _IGEN_REGS_PCI_H_
#define _IGEN_REGS_PCI_H_

#include <igen/regs/defs.h>

#define IGEN_PCI_GTTMMADR_BAR		0			/* registers and GGTT */
#define IGEN_PCI_GMADR_BAR		2			/* aperture */

#define PCI_CFG_GMCH_CTL		0x50			/* 16 bits */
#define   GMCH_CTL_GGMS_MASK		  IGEN_MASK(7, 6)	/* GGTT memory: 0 none, n: 1 << n MB */
/* Stolen memory: n * 32 MB below 0xf0, from there (n - 0xf0 + 1) * 4 MB. */
#define   GMCH_CTL_GMS_MASK		  IGEN_MASK(15, 8)
/* GMCH_CTL on Gen6 and Gen7. */
#define   GEN6_GMCH_CTL_GGMS_MASK	  IGEN_MASK(9, 8)	/* GGTT memory in MB */
#define   GEN6_GMCH_CTL_GMS_MASK	  IGEN_MASK(7, 3)	/* stolen memory in 32 MB */
#define PCI_CFG_BDSM			0x5c			/* base of data stolen memory */
#define   BDSM_BASE_MASK		  IGEN_MASK(31, 20)
#define PCI_CFG_ASLS			0xfc			/* OpRegion, 0: none */

#endif
