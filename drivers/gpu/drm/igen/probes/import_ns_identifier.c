// SPDX-License-Identifier: MIT
/* Before 6.13 the name of a namespace of symbols is an identifier, since then a string. */
#include <linux/module.h>

#ifdef IGEN_PROBE
MODULE_IMPORT_NS(DMA_BUF);
#else
MODULE_IMPORT_NS("DMA_BUF");
#endif
