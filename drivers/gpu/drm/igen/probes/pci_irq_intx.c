// SPDX-License-Identifier: MIT
/* In 6.8 PCI_IRQ_LEGACY became PCI_IRQ_INTX. */
#include <linux/pci.h>

static int probe(void)
{
#ifdef IGEN_PROBE
	return PCI_IRQ_INTX;
#else
	return PCI_IRQ_LEGACY;
#endif
}
