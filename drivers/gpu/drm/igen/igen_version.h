/* SPDX-License-Identifier: MIT */
/* The release: what modinfo, the kernel log and the packages show. */
#ifndef _IGEN_VERSION_H_
#define _IGEN_VERSION_H_

#define IGEN_VERSION	"0.1.0"

#endif
